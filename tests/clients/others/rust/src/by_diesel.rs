//! The session of diesel.

use crate::{BEFORE, Done, same};
use chrono::{NaiveDate, NaiveDateTime};
use diesel::connection::SimpleConnection;
use diesel::data_types::PgNumeric;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgRowByRowLoadingMode, PgValue};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::serialize::{self, IsNull, Output, ToSql};
use std::io::Write;
use std::process::Command;

diesel::table! {
    nation (n_nationkey) {
        n_nationkey -> BigInt,
        n_name -> Text,
        n_regionkey -> BigInt,
    }
}

diesel::table! {
    region (r_regionkey) {
        r_regionkey -> BigInt,
        r_name -> Text,
    }
}

diesel::table! {
    orders (o_orderkey) {
        o_orderkey -> BigInt,
        o_totalprice -> Numeric,
        o_orderdate -> Date,
    }
}

diesel::table! {
    use diesel::sql_types::*;
    use super::MoodType;

    by_diesel (a) {
        a -> Integer,
        b -> Nullable<Array<Text>>,
        d -> Nullable<Timestamp>,
        m -> MoodType,
    }
}

diesel::joinable!(nation -> region (n_regionkey));
diesel::allow_tables_to_appear_in_same_query!(nation, region);

/// It looks up the type's oid by this name.
#[derive(diesel::query_builder::QueryId, diesel::sql_types::SqlType)]
#[diesel(postgres_type(name = "by_diesel_mood"))]
pub struct MoodType;

#[derive(AsExpression, FromSqlRow, Debug, PartialEq, Clone, Copy)]
#[diesel(sql_type = MoodType)]
enum Mood {
    Sad,
    Ok,
}

impl ToSql<MoodType, Pg> for Mood {
    fn to_sql<'b>(&'b self, to: &mut Output<'b, '_, Pg>) -> serialize::Result {
        to.write_all(if *self == Mood::Sad { b"sad" } else { b"ok" })?;
        Ok(IsNull::No)
    }
}

impl FromSql<MoodType, Pg> for Mood {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes() {
            b"sad" => Ok(Mood::Sad),
            b"ok" => Ok(Mood::Ok),
            other => Err(format!("{other:?} is no mood").into()),
        }
    }
}

#[derive(Queryable, Selectable, Insertable, Debug, PartialEq, Clone)]
#[diesel(table_name = by_diesel, check_for_backend(Pg))]
#[diesel(treat_none_as_default_value = false)]
struct Own {
    a: i32,
    b: Option<Vec<String>>,
    d: Option<NaiveDateTime>,
    m: Mood,
}

pub fn session(url: &str) -> Done {
    let db = &mut PgConnection::establish(url)?;
    reads(db)?;
    writes(db)?;
    fails(db)?;
    its_program_reflects(url)?;
    db.batch_execute("DROP TABLE by_diesel; DROP TYPE by_diesel_mood")?;
    Ok(())
}

fn reads(db: &mut PgConnection) -> Done {
    let day = NaiveDate::from_ymd_opt(1995, 1, 1).ok_or("a day")?;
    let before: i64 = orders::table.filter(orders::o_orderdate.lt(day)).count().get_result(db)?;
    same(before, BEFORE)?;
    let joined = nation::table.left_join(region::table).filter(nation::n_nationkey.eq_any([3_i64, 2]));
    let joined = joined.order(nation::n_name).select((nation::n_name, region::r_name.nullable()));
    let wanted = ["BRAZIL", "CANADA"].map(|name| (name.to_owned(), Some("AMERICA".to_owned())));
    same(joined.load::<(String, Option<String>)>(db)?, wanted)?;
    let mut count = 0;
    for row in orders::table.load_iter::<(i64, PgNumeric, NaiveDate), PgRowByRowLoadingMode>(db)? {
        row?;
        count += 1;
    }
    same(count, 15_000)
}

fn writes(db: &mut PgConnection) -> Done {
    db.batch_execute(
        "CREATE TYPE by_diesel_mood AS ENUM ('sad', 'ok');
        CREATE TABLE by_diesel (a int PRIMARY KEY, b text[], d timestamp, m by_diesel_mood NOT NULL)",
    )?;
    let time = NaiveDate::from_ymd_opt(1995, 1, 1).and_then(|day| day.and_hms_micro_opt(12, 0, 0, 5));
    let first = Own { a: 1, b: Some(vec!["x".into(), "y'\\".into()]), d: time, m: Mood::Ok };
    let second = Own { a: 2, b: None, d: None, m: Mood::Sad };
    let third = Own { a: 3, ..second.clone() };
    // The outer transaction stays, the inner one (a savepoint) does not.
    db.transaction(|db| {
        let two = vec![first.clone(), second.clone()];
        diesel::insert_into(by_diesel::table).values(two).execute(db)?;
        let inner = db.transaction(|db| {
            diesel::insert_into(by_diesel::table).values(&third).execute(db)?;
            Err::<(), _>(Error::RollbackTransaction)
        });
        if inner == Err(Error::RollbackTransaction) { Ok(()) } else { Err(Error::NotFound) }
    })?;
    let copied = diesel::copy_from(by_diesel::table).from_insertable(vec![third.clone()]).execute(db)?;
    same(copied, 1)?;
    let wanted = [first, second, third];
    let read = by_diesel::table.order(by_diesel::a).select(Own::as_select()).load(db)?;
    // Its copy_to is left out: it fails on a NULL, and waits for ever behind its rows, on PostgreSQL too.
    same(&read[..], &wanted[..])
}

fn fails(db: &mut PgConnection) -> Done {
    let row = Own { a: 1, b: None, d: None, m: Mood::Ok };
    // Known by its SQLSTATE.
    match diesel::insert_into(by_diesel::table).values(&row).execute(db) {
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, of)) => {
            same((of.table_name(), of.constraint_name()), (Some("by_diesel"), Some("by_diesel_pkey")))
        }
        other => Err(format!("{other:?} instead of an error").into()),
    }
}

/// `diesel migration` changes a schema, `diesel print-schema` writes it as source.
fn its_program_reflects(url: &str) -> Done {
    let folder = std::env::temp_dir().join(format!("diesel-{}", std::process::id()));
    let step = folder.join("migrations/2000-01-01-000000_step");
    std::fs::create_dir_all(&step)?;
    std::fs::write(folder.join("diesel.toml"), "")?;
    std::fs::write(step.join("up.sql"), "CREATE TABLE by_step (c int PRIMARY KEY, d int REFERENCES by_diesel)")?;
    let program = |arguments: &[&str]| {
        let mut command = Command::new(std::env::var("DIESEL").unwrap_or_else(|_| "diesel".into()));
        command.args(arguments).current_dir(&folder).env("DATABASE_URL", url);
        let said = command.output()?;
        if said.status.success() {
            return Ok::<_, Box<dyn std::error::Error>>(String::from_utf8(said.stdout)?);
        }
        Err(format!("diesel {}: {}", arguments.join(" "), String::from_utf8_lossy(&said.stderr)).into())
    };
    program(&["migration", "run"])?;
    // TPC-H's tables have no primary keys, and it takes none without.
    let source = program(&["print-schema", "--only-tables", "by_diesel", "by_step"])?;
    let wanted =
        ["by_diesel (a)", "d -> Nullable<Timestamp>", "m -> ByDieselMood", "joinable!(by_step -> by_diesel (d))"];
    for part in wanted {
        if !source.contains(part) {
            return Err(format!("error: the schema has no {part}: {source}").into());
        }
    }
    PgConnection::establish(url)?.batch_execute("DROP TABLE by_step, __diesel_schema_migrations")?;
    Ok(std::fs::remove_dir_all(&folder)?)
}
