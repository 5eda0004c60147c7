//! Fields of every type, and rows that are none, too many or dropped.

use crate::{Engine, FromSql, Interval, Numeric, Session, Value, ValueRef, params};
use std::sync::Arc;

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

/// The value of an expression, or the SQLSTATE.
fn get<T: for<'r> FromSql<'r>>(session: &Session, expression: &str) -> Result<T, &'static str> {
    session
        .query_row(&format!("SELECT {expression} AS a"), (), |row| row.get::<T>("a"))
        .map_err(|error| error.sqlstate())
}

#[test]
fn numbers() {
    let session = &session();
    assert_eq!(get(session, "32767::smallint"), Ok(i16::MAX));
    assert_eq!(get(session, "(-2147483648)::int"), Ok(i32::MIN));
    assert_eq!(get(session, "(-9223372036854775808)::bigint"), Ok(i64::MIN));
    assert_eq!(get(session, "9223372036854775807"), Ok(i64::MAX as u64));
    assert_eq!(get(session, "18446744073709551615"), Ok(u64::MAX));
    assert_eq!(get(session, "4294967295::oid"), Ok(u32::MAX));
    assert_eq!(
        get::<i128>(session, "(SELECT sum(l) FROM (VALUES (9223372036854775807), (1)) v(l))"),
        Ok(i128::from(i64::MAX) + 1)
    );
    assert_eq!(get::<i64>(session, "(SELECT sum(i) FROM generate_series(1, 4) g(i))"), Ok(10));
    assert_eq!(get::<usize>(session, "count(*)"), Ok(1));
    assert_eq!(get::<i8>(session, "-128"), Ok(i8::MIN));
    for expression in ["128", "18446744073709551615", "1e30::numeric"] {
        assert_eq!(get::<i8>(session, expression), Err("22003"), "{expression}");
    }
    assert_eq!(get::<u8>(session, "-1"), Err("22003"));
    assert_eq!(get::<i32>(session, "1.5"), Err("42804"));
    assert_eq!(get::<i32>(session, "1.0::double precision"), Err("42804"));
    assert_eq!(get::<i32>(session, "'7'::text"), Err("42804"));
    assert_eq!(get::<i32>(session, "date '2026-01-01'"), Err("42804"));
    assert_eq!(get(session, "0.1::real"), Ok(0.1f32));
    assert_eq!(get::<f32>(session, "0.1::double precision"), Err("42804"));
    assert_eq!(get(session, "0.1::double precision"), Ok(0.1f64));
    assert_eq!(get(session, "0.1"), Ok(0.1f64));
    assert_eq!(get(session, "12345678901234567890.12345678901"), Ok(12_345_678_901_234_567_890.123_456_789_01_f64));
    assert_eq!(get(session, "'-Infinity'::double precision"), Ok(f64::NEG_INFINITY));
    assert!(get::<f64>(session, "'NaN'::numeric").is_ok_and(f64::is_nan));
    assert_eq!(get(session, "7"), Ok(7.0));
    assert_eq!(get(session, "1.50"), Ok(Numeric::new(150, 2)));
    assert_eq!(get(session, "1.0::numeric / 3"), Ok(Numeric::parse("0.33333333333333333333").expect("a number")));
    assert_eq!(get(session, "'Infinity'::numeric"), Ok(Numeric::Infinity));
    assert_eq!(get(session, "true"), Ok(true));
    assert_eq!(get::<bool>(session, "1"), Err("42804"));
}

#[test]
fn texts_bytes_and_spans() {
    let session = &session();
    assert_eq!(get(session, "'it''s ä'"), Ok("it's ä".to_owned()));
    assert_eq!(get(session, "''::varchar(3)"), Ok(Box::<str>::from("")));
    assert_eq!(get(session, "'a'::char(3)"), Ok(Arc::<str>::from("a  ")));
    assert_eq!(get(session, "'{\"a\":1}'::json"), Ok("{\"a\":1}".to_owned()));
    assert_eq!(get(session, "'name'::name"), Ok("name".to_owned()));
    for expression in ["1", "1.5", "true", "date '2026-01-01'", "'\\x00'::bytea", "array['a']", "interval '1 day'"] {
        assert_eq!(get::<String>(session, expression), Err("42804"), "{expression}");
    }
    assert_eq!(get(session, "'\\x00ff'::bytea"), Ok(vec![0u8, 255]));
    assert_eq!(get(session, "'\\x'::bytea"), Ok(Vec::<u8>::new()));
    assert_eq!(get(session, "array[1, 255]"), Ok(vec![1u8, 255]));
    assert_eq!(get::<Vec<u8>>(session, "'text'"), Err("42804"));
    assert_eq!(get(session, "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"), Ok([255u8; 16]));
    let span = Interval { months: 14, days: -3, micros: 1 };
    assert_eq!(get(session, "interval '1 year 2 mons -3 days 0.000001 sec'"), Ok(span));
    let row =
        session.query("SELECT 'lent', '\\x01'::bytea", ()).expect("a query").next().expect("a row").expect("no error");
    assert_eq!((row.get::<&str>(0).expect("a text"), row.get::<&[u8]>(1).expect("bytes")), ("lent", &[1u8][..]));
}

#[test]
fn arrays() {
    let session = &session();
    assert_eq!(get(session, "array[1, 2, 3]"), Ok(vec![1, 2, 3]));
    assert_eq!(get(session, "array['a', NULL]"), Ok(vec![Some("a".to_owned()), None]));
    assert_eq!(get(session, "'{}'::text[]"), Ok(Vec::<String>::new()));
    assert_eq!(get(session, "array[[1, 2], [3, 4]]"), Ok(vec![vec![1i64, 2], vec![3, 4]]));
    assert_eq!(get(session, "array[1.5, 2]"), Ok(vec![1.5, 2.0]));
    assert_eq!(get(session, "array['\\x01'::bytea]"), Ok(vec![vec![1u8]]));
    assert_eq!(get::<Vec<i32>>(session, "array[1, NULL]"), Err("22002"));
    assert_eq!(get::<Vec<String>>(session, "array[1]"), Err("42804"));
    assert_eq!(get::<Vec<i32>>(session, "NULL::int[]"), Err("22002"));
    assert_eq!(get::<Option<Vec<i32>>>(session, "NULL::int[]"), Ok(None));
    // One that counts from elsewhere is shown as its text.
    assert_eq!(get::<Vec<i32>>(session, "'[0:1]={1,2}'::int[]"), Err("42804"));
}

#[test]
fn nulls() {
    let session = &session();
    assert_eq!(get::<i32>(session, "NULL::int"), Err("22002"));
    assert_eq!(get::<String>(session, "NULL"), Err("22002"));
    assert_eq!(get::<Option<i32>>(session, "NULL::int"), Ok(None));
    assert_eq!(get::<Option<i32>>(session, "7"), Ok(Some(7)));
    // The type is wrong whether or not there is a value.
    assert_eq!(get::<Option<String>>(session, "NULL::int"), Err("42804"));
    let error = session.query_row("SELECT NULL::int AS age", (), |row| row.get::<i32>("age")).expect_err("NULL");
    assert_eq!(error.message(), "NULL does not become i32: Option<i32> takes it");
    assert_eq!(error.detail(), Some("The column is \"age\" of type integer."));
}

#[test]
fn values_and_texts_of_all() {
    let session = session();
    let sql = "SELECT 1.50, date '2026-01-02', struct_pack(a := 1, b := 'x') AS s, NULL, '[0:1]={1,2}'::int[]";
    let row = session.query(sql, ()).expect("a query").next().expect("a row").expect("no error");
    assert_eq!(row.value(0).expect("a value"), Value::Decimal(150));
    assert_eq!(row.value(1).expect("a value"), Value::Int(20_455));
    assert!(row.value(3).expect("a value").is_null());
    let texts: Vec<Option<String>> = (0..5).map(|at| row.text(at).expect("a text")).collect();
    let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
    assert_eq!((texts[0], texts[1], texts[3], texts[4]), (Some("1.50"), Some("2026-01-02"), None, Some("[0:1]={1,2}")));
    assert!(texts[2].is_some());
    assert!(matches!(row.get_ref("s"), Ok(ValueRef::Other | ValueRef::Text(_))));
    assert!(format!("{row:?}").starts_with("Row {"));
    session.sql("SET time zone 'Europe/Berlin'").expect("a zone");
    let row = session.query("SELECT timestamptz '2024-07-01 00:00Z'", ()).expect("a query").next().expect("a row");
    let row = row.expect("no error");
    assert_eq!(row.text(0).expect("a text").as_deref(), Some("2024-07-01 02:00:00+02"));
    assert!(matches!(row.get_ref(0), Ok(ValueRef::TimestampTz(1_719_792_000_000_000))));
}

#[test]
fn columns_by_name_and_place() {
    let session = session();
    let row = session.query("SELECT 1 AS a, 2 AS b, 3 AS b, 4 AS \"C\"", ()).expect("a query");
    let row = row.into_iter().next().expect("a row").expect("no error");
    let state = |found: crate::Result<i32>| found.map_err(|error| error.sqlstate());
    assert_eq!(state(row.get("a")), Ok(1));
    assert_eq!(state(row.get(2)), Ok(3));
    assert_eq!(state(row.get(&"C".to_owned())), Ok(4));
    assert_eq!(state(row.get("b")), Err("42702"));
    assert_eq!(state(row.get("c")), Err("42703"));
    assert_eq!(state(row.get(4)), Err("42703"));
}

#[test]
fn none_one_and_many() {
    let session = session();
    let state = |found: crate::Result<i32>| found.map_err(|error| error.sqlstate());
    for (sql, expected) in [
        ("SELECT 1", Ok(1)),
        ("SELECT 1 WHERE false", Err("02000")),
        ("SELECT i FROM generate_series(1, 2) g(i)", Err("21000")),
        ("SELECT i FROM generate_series(1, 100000) g(i)", Err("21000")),
        ("SELECT 1, 2", Err("42804")),
        ("SELECT 'a' WHERE false", Err("42804")),
        ("SELECT 1 / 0", Err("22012")),
        ("CREATE TABLE made (a int)", Err("42804")),
    ] {
        assert_eq!(state(session.query_scalar(sql, ())), expected, "{sql}");
    }
    let state = |found: crate::Result<(i32, String)>| found.map_err(|error| error.sqlstate());
    assert_eq!(state(session.query_one("SELECT 1, 'a'", ())), Ok((1, "a".to_owned())));
    assert_eq!(state(session.query_one("SELECT 1, 2", ())), Err("42804"));
    assert_eq!(state(session.query_one("SELECT 1", ())), Err("42804"));
    assert!(session.query_as::<(i32,)>("SELECT 'a' WHERE false", ()).is_err());
    assert_eq!(session.query_as::<(i32,)>("SELECT 1 WHERE false", ()).expect("they fit").count(), 0);
    // What a function says is handed on, and the rows end there for who stops.
    let error = session.query_row("SELECT 1", (), |_| Err::<i32, _>(crate::Error::internal("mine"))).expect_err("mine");
    assert_eq!(error.message(), "mine");
}

#[test]
fn many_rows_in_several_batches() {
    let session = session();
    let sql = "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE i::text END FROM generate_series(1, $1) g(i) ORDER BY 1";
    let rows = session.query_as::<(i64, Option<String>)>(sql, params![300_000]).expect("a query");
    let mut count = 0;
    for row in rows {
        let (number, text) = row.expect("no error");
        count += 1;
        assert_eq!((number, text), (count, (count % 3 != 0).then(|| count.to_string())));
    }
    assert_eq!(count, 300_000);
    let prepared = session.prepare(sql).expect("a query");
    let odd = prepared.query_map(&session, [10], |row| Ok(row.get::<i32>(0)? % 2)).expect("a query");
    assert_eq!(odd.map(|odd| odd.expect("no error")).sum::<i32>(), 5);
    // Rows that are kept outlive those that follow, the result and the session.
    let kept: Vec<crate::Row> =
        session.query(sql, [200_000]).expect("rows").step_by(70_000).collect::<Result<_, _>>().expect("no error");
    drop((prepared, session));
    assert_eq!(kept.iter().map(|row| row.get::<i32>(0).expect("a number")).collect::<Vec<_>>(), [1, 70_001, 140_001]);
}

#[test]
fn dropped_failed_and_sent_away() {
    let session = session();
    session.sql("CREATE TABLE numbers AS SELECT i FROM generate_series(1, 200000) g(i)").expect("a table");
    let used = session.engine().memory_used();
    for _ in 0..3 {
        let mut rows = session.query("SELECT i, i::text FROM numbers", ()).expect("a query");
        assert!(rows.next().is_some_and(|row| row.is_ok()));
        drop(rows);
        drop(session.query("SELECT i FROM numbers", ()).expect("a query"));
    }
    assert_eq!(session.engine().memory_used(), used);
    assert_eq!(session.query_scalar::<i64>("SELECT count(*) FROM numbers", ()).expect("the session goes on"), 200_000);
    // An error is the last that comes.
    if let Ok(mut rows) = session.query("SELECT 1 / (i - 150000) FROM numbers", ()) {
        let failed = rows.find(Result::is_err).expect("an error").expect_err("an error");
        assert_eq!(failed.sqlstate(), "22012");
        assert!(rows.next().is_none() && rows.next().is_none());
    }
    let rows = session.query("SELECT i FROM numbers ORDER BY i", ()).expect("a query");
    let sum =
        std::thread::spawn(move || rows.map(|row| row.and_then(|row| row.get::<i64>("i"))).sum::<crate::Result<i64>>());
    assert_eq!(sum.join().expect("no panic").expect("no error"), 20_000_100_000);
}
