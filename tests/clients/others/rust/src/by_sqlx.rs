//! The session of sqlx.

use crate::{BEFORE, Done, same};
use chrono::NaiveDate;
use futures_util::TryStreamExt;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::{PgListener, PgPoolCopyExt, PgPoolOptions};
use sqlx::types::BigDecimal;
use sqlx::{Connection, Executor, PgPool, Row, SqlSafeStr};

pub fn session(url: &str) -> Done {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let pool = PgPoolOptions::new().max_connections(2).connect(url).await?;
        // All are tried: what does not work leaves the others alone.
        let parts = [
            ("reads", reads(&pool).await),
            ("writes", writes(&pool).await),
            ("fails", fails(&pool).await),
            ("migrates", migrates(&pool).await),
            ("describes", describes(&pool).await),
            ("hears", hears(&pool).await),
        ];
        pool.close().await;
        let wrong = parts.iter().filter_map(|(name, done)| Some(format!("{name}: {}", done.as_ref().err()?)));
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
    })
}

async fn reads(pool: &PgPool) -> Done {
    let day = NaiveDate::from_ymd_opt(1995, 1, 1).ok_or("a day")?;
    let sql = "SELECT count(*) FROM orders WHERE o_orderdate < $1";
    same(sqlx::query_scalar::<_, i64>(sql).bind(day).fetch_one(pool).await?, BEFORE)?;
    let sql = "SELECT n_name FROM nation WHERE n_nationkey = ANY($1) ORDER BY 1";
    let names: Vec<String> = sqlx::query_scalar(sql).bind([3_i64, 2]).fetch_all(pool).await?;
    same(names, ["BRAZIL", "CANADA"])?;
    let sql = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = $1";
    let tables: Vec<String> = sqlx::query_scalar(sql).bind("public").fetch_all(pool).await?;
    same(tables.iter().any(|name| name == "lineitem"), true)?;
    let mut rows = sqlx::query("SELECT l_orderkey, l_tax FROM lineitem").fetch(pool);
    let mut sum = BigDecimal::from(0);
    let mut count = 0;
    while let Some(row) = rows.try_next().await? {
        sum += row.get::<BigDecimal, _>(1);
        count += 1;
    }
    drop(rows);
    let wanted: (i64, BigDecimal) = sqlx::query_as("SELECT count(*), sum(l_tax) FROM lineitem").fetch_one(pool).await?;
    same((count, sum), wanted)
}

/// What its macros ask of a statement while they compile: the types, and what can be NULL.
async fn describes(pool: &PgPool) -> Done {
    let sql = "SELECT n_name, r_name, $1::date FROM nation FULL JOIN region ON n_regionkey = r_regionkey";
    let described = pool.describe(sql.into_sql_str()).await?;
    // What an outer join adds can be NULL, whatever its column says.
    same(described.nullable(1), Some(true))?;
    let described = pool.describe("SELECT n_name FROM nation".into_sql_str()).await?;
    same(described.nullable(0), Some(false))
}

#[derive(sqlx::Type, Debug, PartialEq, Clone, Copy)]
#[sqlx(type_name = "by_sqlx_mood", rename_all = "lowercase")]
enum Mood {
    Sad,
    Ok,
}

#[derive(sqlx::FromRow, Debug, PartialEq)]
struct Own {
    a: i32,
    b: Option<Vec<String>>,
    c: Option<BigDecimal>,
    m: Mood,
}

async fn writes(pool: &PgPool) -> Done {
    // Several statements of one text, as a simple query.
    let sql = "CREATE TYPE by_sqlx_mood AS ENUM ('sad', 'ok');
        CREATE TABLE by_sqlx (a int PRIMARY KEY, b text[], c numeric(10, 2), m by_sqlx_mood NOT NULL)";
    sqlx::raw_sql(sql).execute(pool).await?;
    let sql = "INSERT INTO by_sqlx VALUES ($1, $2, $3, $4)";
    let mut outer = pool.begin().await?;
    let words = vec!["x".to_owned(), "y'\\".to_owned()];
    let query = sqlx::query(sql).bind(1).bind(&words).bind(BigDecimal::from(2)).bind(Mood::Ok);
    same(query.execute(&mut *outer).await?.rows_affected(), 1)?;
    let mut inner = outer.begin().await?;
    let none = sqlx::query(sql).bind(2).bind(None::<Vec<String>>).bind(None::<BigDecimal>).bind(Mood::Sad);
    none.execute(&mut *inner).await?;
    inner.rollback().await?;
    outer.commit().await?;
    let mut dropped = pool.begin().await?;
    sqlx::query("TRUNCATE by_sqlx").execute(&mut *dropped).await?;
    drop(dropped);
    let rows: Vec<Own> = sqlx::query_as("SELECT * FROM by_sqlx").fetch_all(pool).await?;
    same(rows, [Own { a: 1, b: Some(words), c: Some(BigDecimal::from(2)), m: Mood::Ok }])?;
    let mut copy = pool.copy_in_raw("COPY by_sqlx FROM STDIN (FORMAT csv)").await?;
    copy.send(&b"5,,0.50,sad\n6,{},,ok\n"[..]).await?;
    same(copy.finish().await?, 2)?;
    let mut copied = pool.copy_out_raw("COPY (SELECT a, b, c FROM by_sqlx ORDER BY a) TO STDOUT").await?;
    let mut text = Vec::new();
    while let Some(piece) = copied.try_next().await? {
        text.extend_from_slice(&piece);
    }
    drop(copied);
    same(String::from_utf8(text)?, "1\t{x,\"y'\\\\\\\\\"}\t2.00\n5\t\\N\t0.50\n6\t{}\t\\N\n")?;
    Ok(())
}

async fn fails(pool: &PgPool) -> Done {
    let code = |error: sqlx::Error| error.as_database_error().and_then(|error| Some(error.code()?.into_owned()));
    let error = sqlx::query("SELECT nope").execute(pool).await.err().and_then(code);
    same(error.as_deref(), Some("42703"))?;
    let error = sqlx::query("INSERT INTO by_sqlx VALUES (1, NULL, NULL, 'ok')").execute(pool).await.err();
    let error = error.as_ref().and_then(sqlx::Error::as_database_error).ok_or("no error")?;
    same(error.is_unique_violation(), true)?;
    same((error.constraint(), error.table()), (Some("by_sqlx_pkey"), Some("by_sqlx")))?;
    sqlx::raw_sql("DROP TABLE by_sqlx; DROP TYPE by_sqlx_mood").execute(pool).await?;
    Ok(())
}

/// It locks, looks what is done, and keeps a table of that.
async fn migrates(pool: &PgPool) -> Done {
    let migration = |version: i64, sql: &'static str| {
        let name = format!("number {version}");
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    let first = migration(1, "CREATE TABLE by_migration (a int); CREATE INDEX ON by_migration (a)");
    let second = migration(2, "CREATE VIEW by_migrations AS SELECT * FROM by_migration");
    Migrator::with_migrations(vec![first.clone()]).run(pool).await?;
    Migrator::with_migrations(vec![first, second]).run(pool).await?;
    let sql = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY installed_on";
    same(sqlx::query_scalar::<_, i64>(sql).fetch_all(pool).await?, [1, 2])?;
    sqlx::query("SELECT a FROM by_migrations").execute(pool).await?;
    sqlx::raw_sql("DROP VIEW by_migrations; DROP TABLE by_migration, _sqlx_migrations").execute(pool).await?;
    Ok(())
}

async fn hears(pool: &PgPool) -> Done {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("by sqlx").await?;
    sqlx::query("SELECT pg_notify($1, $2)").bind("by sqlx").bind("hello").execute(pool).await?;
    same(listener.recv().await?.payload(), "hello")
}
