//! Appenders, and what is done to them.

use crate::{Engine, ErrorKind, Session, Value};
use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int16Array, Int64Array, RecordBatch, StringArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use multiloop_planner::numeric::Numeric;
use std::sync::Arc;

fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine")
}

fn session(sql: &str) -> Session {
    let session = engine().session();
    session.sql(sql).expect("tables");
    session
}

/// The rows of a query as texts.
fn rows(session: &Session, sql: &str) -> Vec<Vec<String>> {
    let result = session.sql(sql).expect("rows");
    let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for batch in result {
        crate::format::text_of(&fields, &batch.expect("a batch"), &sight, &mut |column, text| {
            if column == 0 {
                rows.push(Vec::new());
            }
            rows.last_mut().expect("a row").push(text.unwrap_or_else(|| "NULL".to_owned()));
        })
        .expect("texts");
    }
    rows
}

fn one(session: &Session, sql: &str) -> String {
    rows(session, sql)[0][0].clone()
}

fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
    let named = columns.into_iter().enumerate().map(|(at, array)| (format!("c{at}"), array, true));
    RecordBatch::try_from_iter_with_nullable(named).expect("arrays of one length")
}

#[test]
fn values_are_cast_as_insert_casts_them() {
    let columns = "a smallint, b bigint, c real, d double precision, e decimal(8,1), f numeric, g text, h varchar(3), \
                   i date, j timestamp(0), k boolean, l interval, m int[], n uuid, o json, p bytea, q time";
    let session = session(&format!("CREATE TABLE t ({columns}); CREATE TABLE s ({columns})"));
    let texts = [
        "1",
        "-9",
        "0.1",
        "1e300",
        "50.04",
        "1.2300",
        "x",
        "ab   ",
        "2024-02-29",
        "2024-02-29 12:00:00.6",
        "yes",
        "1 day 2 hours",
        "{1,NULL}",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "{\"a\": 1}",
        "\\x00ff",
        "12:34",
    ];
    let digits = Value::text("abcd");
    let mut appender = session.appender("t").expect("an appender");
    appender.push(texts.map(Value::text)).expect("literals");
    appender.push(vec![Value::Null; 17]).expect("NULLs");
    let mut with_digits = vec![Value::Null; 17];
    with_digits[15] = digits;
    appender.push(&with_digits).expect("a literal of bytes");
    let numbers = [
        Value::Float(1.5),
        Value::numeric(Numeric::new(25, 1)),
        Value::Int(3),
        Value::Int(4),
        Value::Int(50),
        Value::Float(0.5),
        Value::Int(7),
        Value::Boolean(true),
    ];
    let others = [Value::Int(0), Value::Int(600_000)].into_iter().chain(std::iter::repeat_n(Value::Null, 7));
    let mixed: Vec<Value> = numbers.into_iter().take(7).chain([Value::Int(8)]).chain(others).collect();
    appender.push(&mixed).expect("numbers");
    assert_eq!(appender.finish(), Ok(4));
    let quoted = texts.map(|text| format!("'{text}'")).join(", ");
    let nulls = ["NULL"; 17].join(", ");
    let digits = format!("{}, 'abcd', NULL", ["NULL"; 15].join(", "));
    let sql = format!(
        "INSERT INTO s VALUES ({quoted}), ({nulls}), ({digits}), (1.5::float8, 2.5, 3, 4, 50, 0.5::float8, 7, 8, '1970-01-01', \
         '1970-01-01 00:00:00.6', NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    );
    session.sql(&sql).expect("the same by INSERT");
    assert_eq!(rows(&session, "SELECT * FROM t"), rows(&session, "SELECT * FROM s"));
}

#[test]
fn a_row_that_is_refused_changes_nothing() {
    let session = session("CREATE TABLE t (a int, b varchar(3) NOT NULL, c date)");
    let mut appender = session.appender("t").expect("an appender");
    let good = [Value::Int(1), Value::text("x"), Value::Int(0)];
    for (row, state, column) in [
        (vec![Value::Int(1), Value::text("x"), Value::text("2024-02-30")], "22008", Some("c")),
        (vec![Value::Int(1), Value::text("long"), Value::Null], "22001", Some("b")),
        (vec![Value::Int(1), Value::Null, Value::Null], "23502", Some("b")),
        (vec![Value::Int(1 << 40), Value::text("x"), Value::Null], "22003", Some("a")),
        (vec![Value::text("one"), Value::text("x"), Value::Null], "22P02", Some("a")),
        (vec![Value::Boolean(true), Value::text("x"), Value::Null], "42804", Some("a")),
        (vec![Value::Decimal(1), Value::text("x"), Value::Null], "42804", Some("a")),
        (vec![Value::Int(1), Value::text("a\0b"), Value::Null], "22021", Some("b")),
        (vec![Value::Int(1), Value::text("x")], "42601", None),
        (vec![Value::Null; 0], "42601", None),
        ([good.to_vec(), vec![Value::Null]].concat(), "42601", None),
    ] {
        let error = appender.push(&row).expect_err("it is refused");
        assert_eq!(error.sqlstate(), state, "{row:?}: {error}");
        let subject = error.subject().expect("a row");
        let before = appender.buffered() as u64;
        assert_eq!((subject.row, subject.column.as_deref()), (Some(before + 1), column), "{row:?}");
        appender.push(&good).expect("a good one");
    }
    assert_eq!(appender.finish(), Ok(11));
    assert_eq!(one(&session, "SELECT count(*) FROM t WHERE a = 1 AND b = 'x' AND c = '1970-01-01'"), "11");
}

#[test]
fn columns_left_out_have_their_defaults() {
    let session = session("CREATE TABLE t (a int DEFAULT 7, b text, c int NOT NULL, d int CHECK (d > 0))");
    let mut appender = session.appender_of("t", &["d", "c"]).expect("an appender");
    appender.push(&[Value::Int(1), Value::Int(2)]).expect("a row");
    appender
        .push_batch(batch(vec![Arc::new(Float64Array::from(vec![2.4])), Arc::new(Int16Array::from(vec![3]))]))
        .expect("cast");
    appender.finish().expect("both");
    assert_eq!(rows(&session, "SELECT * FROM t"), [["7", "NULL", "2", "1"], ["7", "NULL", "3", "2"]]);
    let mut lacking = session.appender_of("t", &["a"]).expect("an appender");
    lacking.push(&[Value::Int(1)]).expect("buffered");
    assert_eq!(lacking.flush().expect_err("c is NULL").sqlstate(), "23502");
    let state = |columns: &[&str]| session.appender_of("t", columns).map(drop).map_err(|error| error.sqlstate());
    assert_eq!(state(&["e"]), Err("42703"));
    assert_eq!(state(&["a", "a"]), Err("42701"));
    assert_eq!(state(&["a; DROP TABLE t"]), Err("42703"));
}

#[test]
fn what_is_no_table() {
    let session = session(
        "CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t; CREATE SCHEMA s; CREATE TABLE s.\"T\" (a int)",
    );
    let state = |name: &str| session.appender(name).map(drop).map_err(|error| error.sqlstate());
    for (name, expected) in [("u", "42P01"), ("v", "42809"), ("", "42601"), ("t FROM 'x'; DROP TABLE t; --", "42601")] {
        assert_eq!(state(name), Err(expected), "{name}");
    }
    assert_eq!(state("T"), Ok(()));
    assert_eq!(state("s.\"T\""), Ok(()));
}

#[test]
fn a_constraint_fails_in_row_700_000() {
    let session = session("CREATE TABLE t (a bigint PRIMARY KEY, b int CHECK (b < 5), c text)");
    for (bad, state) in [([699_999, 9], "23514"), ([3, 0], "23505")] {
        let table = "CREATE TABLE t (a bigint PRIMARY KEY, b int CHECK (b < 5), c text)";
        session.sql(&format!("DROP TABLE IF EXISTS t; {table}")).expect("an empty table");
        let mut appender = session.appender("t").expect("an appender");
        let mut failed = None;
        for n in 0..800_000 {
            let [a, b] = if n == 699_999 { bad } else { [n, 1] };
            let pushed = appender.push_with(|row| {
                row.int(a)?;
                row.int(b)?;
                row.text("x")
            });
            if let Err(error) = pushed {
                failed = Some(error);
                break;
            }
        }
        let error = failed.expect("it fails when it is flushed");
        assert_eq!((error.sqlstate(), error.subject().and_then(|of| of.row)), (state, Some(700_000)), "{error}");
        assert!(error.detail().is_some_and(|detail| detail.ends_with("Row 700000 of the appender.")), "{error:?}");
        assert_eq!(one(&session, "SELECT count(*) FROM t"), appender.rows().to_string());
        assert_eq!(appender.buffered(), 0);
        let row = [Value::Int(-1), Value::Null, Value::Null];
        let again = appender.push(&row).expect_err("nobody has asked for a flush");
        assert!(appender.is_failed() && again.sqlstate() == state);
        assert_eq!(appender.flush().map_err(|error| error.sqlstate()), Err(state));
        appender.push(&row).expect("it goes on");
        assert_eq!(appender.finish(), Ok(524_289));
    }
}

#[test]
fn references_name_the_row() {
    let session = session(
        "CREATE TABLE p (a int PRIMARY KEY); INSERT INTO p VALUES (1); CREATE TABLE t (a int REFERENCES p (a))",
    );
    let mut appender = session.appender("t").expect("an appender");
    appender.push_rows([[Value::Int(1)], [Value::Null], [Value::Int(2)]]).expect("buffered");
    let error = appender.flush().expect_err("2 is not there");
    assert_eq!((error.sqlstate(), error.subject().and_then(|of| of.row)), ("23503", Some(3)), "{error:?}");
    assert_eq!(one(&session, "SELECT count(*) FROM t"), "0");
}

#[test]
fn it_belongs_to_the_transaction() {
    let session = session("CREATE TABLE t (a int CHECK (a > 0))");
    let other = session.engine().session();
    session.sql("BEGIN").expect("a transaction");
    let mut appender = session.appender("t").expect("an appender").flush_every(2);
    appender.push_rows([[Value::Int(1)], [Value::Int(2)], [Value::Int(3)]]).expect("three");
    assert_eq!((appender.rows(), appender.buffered()), (2, 1));
    assert_eq!(
        (one(&session, "SELECT count(*) FROM t"), one(&other, "SELECT count(*) FROM t")),
        ("2".into(), "0".into())
    );
    // A value that is refused is no statement that has failed; a flush is one.
    assert_eq!(appender.push(&[Value::text("x")]).map_err(|error| error.sqlstate()), Err("22P02"));
    assert_eq!(one(&session, "SELECT count(*) FROM t"), "2");
    assert_eq!(appender.push(&[Value::Int(0)]).map_err(|error| error.sqlstate()), Err("23514"));
    assert_eq!(appender.flush().map_err(|error| error.sqlstate()), Err("23514"));
    appender.push(&[Value::Int(1)]).expect("buffered");
    assert_eq!(appender.flush().map_err(|error| error.kind()), Err(ErrorKind::FailedTransaction));
    session.sql("ROLLBACK").expect("the end");
    drop(appender);
    assert_eq!(one(&session, "SELECT count(*) FROM t"), "0");
    session.sql("BEGIN READ ONLY").expect("a transaction");
    let mut appender = session.appender("t").expect("an appender");
    appender.push(&[Value::Int(1)]).expect("buffered");
    assert_eq!(appender.finish().map_err(|error| error.sqlstate()), Err("25006"));
}

#[test]
fn dropped_in_the_middle() {
    let session = session("CREATE TABLE t (a int)");
    let used = session.engine().memory_used();
    let mut appender = session.appender("t").expect("an appender");
    appender.push_rows((0..100_000).map(|n| [Value::Int(n)])).expect("buffered");
    drop(appender);
    assert_eq!((one(&session, "SELECT count(*) FROM t"), session.engine().memory_used()), ("0".to_owned(), used));
}

#[test]
fn the_table_changes_meanwhile() {
    let session = session("CREATE TABLE t (a int)");
    let mut appender = session.appender("t").expect("an appender");
    let mut push = |expected: Option<&str>| {
        appender.push(&[Value::Int(1)]).expect("buffered");
        assert_eq!(appender.flush().map_err(|error| error.sqlstate()).err(), expected);
    };
    push(None);
    session.sql("DROP TABLE t").expect("gone");
    push(Some("42P01"));
    session.sql("CREATE TABLE t (a text)").expect("another");
    push(Some("0A000"));
    session.sql("DROP TABLE t; CREATE TABLE t (a int, b int)").expect("another");
    push(Some("0A000"));
    session.sql("DROP TABLE t; CREATE TABLE t (a int)").expect("the same again");
    push(None);
}

#[test]
fn batches_are_kept_or_cast() {
    let session = session("CREATE TABLE t (a int NOT NULL, b text, c timestamp, d decimal(4,1))");
    let mut appender = session.appender("t").expect("an appender");
    let texts = |texts: Vec<Option<&str>>| Arc::new(StringArray::from(texts)) as ArrayRef;
    appender.push(&[Value::Int(0), Value::Null, Value::Null, Value::Null]).expect("a row before");
    let cast = batch(vec![
        Arc::new(Int64Array::from(vec![1, 2])),
        Arc::new(Date32Array::from(vec![0, 1])),
        Arc::new(TimestampMicrosecondArray::from(vec![5, 6])),
        Arc::new(Float64Array::from(vec![Some(1.25), None])),
    ]);
    appender.push_batch(cast.clone()).expect("cast");
    appender.push(&[Value::Int(3), Value::Null, Value::Null, Value::Null]).expect("a row behind");
    let mut wrong = cast.columns().to_vec();
    wrong[3] = Arc::new(Float64Array::from(vec![1.0, 1e9]));
    let error = appender.push_batch(batch(wrong)).expect_err("too large");
    let subject = error.subject().expect("a row");
    assert_eq!((error.sqlstate(), subject.row, subject.column.as_deref()), ("22003", Some(6), Some("d")));
    let mut wrong = cast.columns().to_vec();
    wrong[0] = Arc::new(Int64Array::from(vec![Some(1), None]));
    let error = appender.push_batch(batch(wrong)).expect_err("a NULL");
    assert_eq!((error.sqlstate(), error.subject().and_then(|of| of.row)), ("23502", Some(6)));
    let mut wrong = cast.columns().to_vec();
    wrong[0] = texts(vec![Some("1"), Some("2")]);
    assert_eq!(appender.push_batch(batch(wrong)).map_err(|error| error.sqlstate()), Err("42804"));
    assert_eq!(
        appender.push_batch(batch(cast.columns()[..3].to_vec())).map_err(|error| error.sqlstate()),
        Err("42601")
    );
    assert_eq!(appender.finish(), Ok(4));
    let expected = [
        ["0", "NULL", "NULL", "NULL"],
        ["1", "1970-01-01", "1970-01-01 00:00:00.000005", "1.3"],
        ["2", "1970-01-02", "1970-01-01 00:00:00.000006", "NULL"],
        ["3", "NULL", "NULL", "NULL"],
    ];
    assert_eq!(rows(&session, "SELECT * FROM t ORDER BY a"), expected);
}

#[test]
fn two_threads_append_to_one_table() {
    let engine = engine();
    engine.session().sql("CREATE TABLE t (a bigint PRIMARY KEY)").expect("a table");
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let session = engine.session();
            scope.spawn(move || {
                let mut appender = session.appender("t").expect("an appender").flush_every(1000);
                appender.push_rows((0..10_000).map(|n| [Value::Int(2 * n + thread)])).expect("rows");
                assert_eq!(appender.finish(), Ok(10_000));
            });
        }
    });
    assert_eq!(one(&engine.session(), "SELECT count(DISTINCT a) FROM t"), "20000");
}

#[test]
fn a_cancel_stops_one_flush() {
    let session = session("CREATE TABLE t (a int)");
    let mut appender = session.appender("t").expect("an appender");
    appender.push(&[Value::Int(1)]).expect("buffered");
    session.cancel_handle().cancel();
    assert_eq!(appender.flush().map_err(|error| error.kind()), Err(ErrorKind::Cancelled));
    appender.push(&[Value::Int(2)]).expect("buffered");
    assert_eq!(appender.finish(), Ok(1));
    assert_eq!(one(&session, "SELECT a FROM t"), "2");
}

#[test]
fn a_row_that_panics_is_not_taken() {
    let session = session("CREATE TABLE t (a int, b text)");
    let mut appender = session.appender("t").expect("an appender");
    for n in 0..3 {
        let write = || {
            appender.push_with(|row| {
                row.int(n)?;
                assert!(n != 1, "a callback panics");
                row.text("x")
            })
        };
        let pushed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(write));
        assert_eq!(pushed.is_ok(), n != 1);
    }
    assert_eq!(appender.finish(), Ok(2));
    assert_eq!(rows(&session, "SELECT a, b FROM t"), [["0", "x"], ["2", "x"]]);
}

#[test]
fn a_batch_is_taken_whole_or_not_at_all() {
    let session = session("CREATE TABLE t (a timestamp, b text, c decimal(6,2), d time, e timestamp, f decimal(8,2))");
    let mut appender = session.appender("t").expect("an appender");
    let good: Vec<ArrayRef> = vec![
        Arc::new(TimestampNanosecondArray::from(vec![Some(1_000), None])),
        Arc::new(StringArray::from(vec!["x", "y"])),
        Arc::new(decimals(&[Some(999_999), None])),
        Arc::new(Time64MicrosecondArray::from(vec![86_400_000_000, 0])),
        Arc::new(TimestampSecondArray::from(vec![Some(1), None])),
        Arc::new(decimals(&[Some(-999_999), None])),
    ];
    let bad: [(ArrayRef, &str); 6] = [
        (Arc::new(TimestampNanosecondArray::from(vec![0, 1])), "22008"),
        (Arc::new(StringArray::from(vec!["x", "a\0b"])), "22021"),
        (Arc::new(decimals(&[None, Some(10_000_000_000)])), "22003"),
        (Arc::new(Time64MicrosecondArray::from(vec![0, 86_400_000_001])), "22008"),
        (Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])), "22008"),
        (Arc::new(decimals(&[None, Some(1_000_000)])), "22003"),
    ];
    appender.push_batch(batch(good.clone())).expect("good ones");
    for (at, (array, state)) in bad.into_iter().enumerate() {
        let mut columns = good.clone();
        columns[at] = array;
        let error = appender.push_batch(batch(columns)).expect_err("one is bad");
        let subject = error.subject().expect("a row");
        assert_eq!((error.sqlstate(), subject.row), (state, Some(4)), "{error}");
        assert_eq!(appender.buffered(), 2);
    }
    appender.push_batch(batch(good.clone()).slice(0, 0)).expect("none");
    assert_eq!(appender.finish(), Ok(2));
    assert_eq!(one(&session, "SELECT count(*) FROM t WHERE c = 9999.99 AND f = -9999.99 AND d = '24:00'"), "1");
}

fn decimals(values: &[Option<i128>]) -> Decimal128Array {
    Decimal128Array::from(values.to_vec()).with_precision_and_scale(6, 2).expect("a decimal type")
}

#[test]
fn what_is_buffered_is_counted() {
    let engine = Engine::builder().threads(1).memory_limit(64 << 20).build().expect("an engine");
    let session = engine.session();
    session.sql("CREATE TABLE t (a text)").expect("a table");
    let long = "x".repeat(20 << 20);
    let mut appender = session.appender("t").expect("an appender").flush_every(1000);
    let used = engine.memory_used();
    appender.push(&[Value::text("x".repeat(1 << 20).as_str())]).expect("a row");
    assert!(engine.memory_used() >= used + (1 << 20));
    let pushed = (0..10).map(|_| appender.push(&[Value::text(long.as_str())]).map_err(|error| error.sqlstate()));
    let pushed: Vec<_> = pushed.collect();
    assert!(pushed[0].is_ok() && pushed[9] == Err("53200"), "{pushed:?}");
    let array = Arc::new(StringArray::from(vec![long.as_str(); 3]));
    let before = appender.buffered();
    assert_eq!(appender.push_batch(batch(vec![array])).map_err(|error| error.sqlstate()), Err("53200"));
    assert_eq!((appender.buffered(), appender.is_failed()), (before, false));
    // Slices are as long as they are, however long their array is.
    drop(appender);
    let all = batch(vec![Arc::new(StringArray::from(vec!["x".repeat(1000); 30_000]))]);
    let mut appender = session.appender("t").expect("an appender");
    for at in 0..30 {
        appender.push_batch(all.slice(1000 * at, 1000).slice(0, 10)).expect("some rows");
    }
    assert_eq!((appender.rows(), appender.buffered()), (0, 300));
    appender.flush().expect("few rows");
    appender.push_batch(all.slice(0, 0)).expect("none");
    appender.flush().expect("nothing");
}

#[test]
fn the_table_is_seen_as_it_is() {
    let session = session("CREATE TABLE t (a timestamptz NOT NULL, b timestamp(0))");
    let mut appender = session.appender("t").expect("an appender");
    let row = ["2024-07-01 12:00:00", "2024-07-01 12:00:00.6"].map(Value::text);
    appender.push(&row).expect("a row");
    appender.flush().expect("it is put in");
    let changes = "SET TimeZone = 'Asia/Tokyo'; CREATE OR REPLACE TABLE t (a timestamptz, b timestamp(1))";
    session.sql(changes).expect("another table of these columns");
    assert_eq!(appender.push(&[Value::Null, Value::Null]).map_err(|error| error.sqlstate()), Err("23502"));
    appender.push(&[Value::Null, Value::Null]).expect("it has looked again");
    appender.push(&row).expect("a row");
    assert_eq!(appender.finish(), Ok(3));
    let sql = "SELECT a, b FROM t ORDER BY a";
    assert_eq!(rows(&session, sql), [["2024-07-01 12:00:00+09", "2024-07-01 12:00:00.6"], ["NULL", "NULL"],]);
}
