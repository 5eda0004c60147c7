//! Values that an embedding program hands over as parameters and literals: what is no value of its type is an error, for every type
//! and every kind of value, and nothing is stored that is not what it claims to be.

use multiloop::linq::{col, date, interval, lit};
use multiloop::{DataType, Engine, Error, Interval, Numeric, Session, Value};
use multiloop_tests::{Answer, answer};

/// Types as columns have them, and as DDL names them.
const TYPES: [&str; 29] = [
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "real",
    "double precision",
    "decimal(5,2)",
    "numeric",
    "text",
    "varchar(3)",
    "char(3)",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "interval",
    "oid",
    "name",
    "bytea",
    "uuid",
    "json",
    "jsonb",
    "jsonpath",
    "bit(3)",
    "bit varying(3)",
    "mood",
    "integer[]",
    "text[]",
    "decimal(5,2)[]",
];

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session.sql("CREATE TYPE mood AS ENUM ('sad', 'ok')").expect("a type");
    session
}

fn values() -> Vec<Value> {
    let texts = [
        "",
        "101",
        "$ . a",
        "abc",
        "abcdef",
        "a\0b",
        "{1,2}",
        "{1.5}",
        "{a,NULL}",
        "[1]",
        "00ff",
        "\\x00FF",
        "{\"a\": 1}",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "sad",
        "\u{2}",
        "\u{1}",
    ];
    let integers = [0, 1, -1, 2, 70_000, 1 << 32 | 1, 1 << 40, i64::MAX, i64::MIN, i64::MAX / 2, i64::MIN + 1];
    let floats = [0.0, -0.0, 0.1, 1e300, 1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    texts
        .into_iter()
        .map(Value::text)
        .chain(integers.map(Value::Int))
        .chain(floats.map(Value::Float))
        .chain([0, 12_345, 99_999, 100_000, -100_000, i128::MAX, i128::MIN].map(Value::Decimal))
        .chain(
            ["NaN", "-Infinity", "1.50", "123456.789"]
                .map(|text| Value::numeric(Numeric::parse(text).expect("a number"))),
        )
        .chain([Value::Null, Value::Boolean(true)])
        .chain([Value::Interval(Interval { months: 1, days: -2, micros: 3 })])
        .collect()
}

fn rows(session: &Session, sql: &str) -> Vec<Vec<String>> {
    match answer(session, sql) {
        Answer::Rows(_, rows) => rows,
        other => panic!("{sql}: {other:?}"),
    }
}

fn sqlstate<T>(result: Result<T, Error>) -> &'static str {
    result.err().expect("an error was expected").sqlstate()
}

/// Whatever is stored shows as a text that is read as what is stored.
#[test]
fn nothing_corrupt_is_stored() {
    let refusals =
        ["0A000", "22001", "22003", "22007", "22008", "22021", "22023", "22026", "22P02", "2202E", "42601", "42804"];
    for (number, data_type) in TYPES.iter().enumerate() {
        let session = session();
        session.sql(&format!("CREATE TABLE t (a {data_type})")).expect("a table");
        let insert = session.prepare("INSERT INTO t VALUES ($1)").expect("it is planned");
        let select = session.prepare(&format!("SELECT $1::{data_type} AS a")).expect("it is planned");
        let mut stored = 0;
        for value in values() {
            let about = format!("{value:?} as {data_type}");
            match insert.execute(&session, std::slice::from_ref(&value)) {
                Ok(_) => stored += 1,
                Err(error) => assert!(refusals.contains(&error.sqlstate()), "{about}: {error}"),
            }
            let selected = select.execute(&session, std::slice::from_ref(&value));
            match selected.and_then(|rows| rows.collect_batches()) {
                Ok(_) => {}
                Err(error) => assert!(refusals.contains(&error.sqlstate()), "{about}: {error}"),
            }
        }
        assert!(stored >= 2, "{data_type}: only {stored} of the values are some");
        assert_eq!(rows(&session, "SELECT count(*) FROM t"), [[stored.to_string()]], "{data_type}");
        let wrong = format!("SELECT count(*) FROM t WHERE a::text::{data_type}::text IS DISTINCT FROM a::text");
        assert_eq!(rows(&session, &wrong), [["0"]], "{data_type}");
        // They can be grouped and ordered.
        if number < 20 || *data_type == "jsonb" {
            rows(&session, "SELECT a, count(*) FROM t GROUP BY a ORDER BY a");
        }
    }
}

#[test]
fn numbers_beyond_their_types_are_refused() {
    let session = session();
    session.sql("CREATE TABLE t (i int, s smallint, r real, d decimal(5,2))").expect("a table");
    session.sql("INSERT INTO t VALUES (1, 1, 1, 1)").expect("a row");
    let run = |sql: &str, value: Value| {
        let prepared = session.prepare(sql).expect("it is planned");
        prepared.execute(&session, &[value]).and_then(|rows| rows.collect_batches())
    };
    for (sql, value) in [
        ("SELECT * FROM t WHERE i = $1", Value::Int(1 << 32 | 1)),
        ("INSERT INTO t (i) VALUES ($1)", Value::Int(1 << 32 | 1)),
        ("INSERT INTO t (s) VALUES ($1)", Value::Int(70_000)),
        ("INSERT INTO t (r) VALUES ($1)", Value::Float(1e300)),
        ("INSERT INTO t (d) VALUES ($1)", Value::numeric(Numeric::new(i128::MAX, 0))),
        ("INSERT INTO t (d) VALUES ($1)", Value::numeric(Numeric::new(999_995, 3))),
        ("SELECT $1::decimal(5,2)", Value::numeric(Numeric::new(100_000, 2))),
        ("SELECT $1::smallint + 1::smallint", Value::Int(40_000)),
    ] {
        assert_eq!(sqlstate(run(sql, value)), "22003", "{sql}");
    }
    assert_eq!(rows(&session, "SELECT count(*) FROM t"), [["1"]]);
    // A statement that is given with its parameters is no different, nor is a cursor.
    let given = [(Value::Int(1 << 32 | 1), DataType::Integer)];
    assert_eq!(sqlstate(session.sql_with("SELECT $1 + 0", &given)), "22003");
    let odd = [(Value::Decimal(1), DataType::Decimal { precision: 60, scale: 3 })];
    assert_eq!(sqlstate(session.sql_with("SELECT $1", &odd)), "22023");
    let text = [(Value::text("nothing"), DataType::list(DataType::Integer))];
    assert_eq!(sqlstate(session.sql_with("SELECT $1[1]", &text)), "22P02");
}

#[test]
fn a_refused_value_ends_the_transaction_as_any_error() {
    let session = session();
    let prepared = session.prepare("SELECT $1::int").expect("it is planned");
    session.sql("BEGIN").expect("a transaction");
    assert_eq!(sqlstate(prepared.execute(&session, &[Value::Int(1 << 40)])), "22003");
    assert_eq!(sqlstate(session.sql("SELECT 1")), "25P02");
}

#[test]
fn texts_of_arrays_are_read_in_the_zone() {
    let session = session();
    session.sql("SET TimeZone = 'America/New_York'").expect("a zone");
    let given = [(Value::text("{2024-01-01 00:00}"), DataType::list(DataType::TimestampTz))];
    let result = session.sql_with("SELECT ($1)[1] = '2024-01-01 05:00Z'::timestamptz", &given).expect("rows");
    let rows = multiloop_tests::text_rows(result).expect("rows come");
    assert_eq!(rows, [["t"]]);
}

#[test]
fn literals_of_frames_are_checked() {
    let session = session();
    session.sql("CREATE TABLE t (a int, b text, d date)").expect("a table");
    session.sql("INSERT INTO t VALUES (1, 'x', '2024-01-01')").expect("a row");
    let table = || session.table("t");
    for (condition, state) in [
        (col("b").eq(lit("a\0b")), "22021"),
        (col("b").like("a\0%"), "22021"),
        (col("a").eq(lit("1x").cast(DataType::Integer)), "22P02"),
        (col("a").eq(lit(1i64 << 40).cast(DataType::Integer)), "22003"),
        (col("a").eq(lit(1e300).cast(DataType::Real)), "22003"),
        (col("a").eq(lit(1).cast(DataType::Decimal { precision: 0, scale: 9 })), "22023"),
        (col("d").eq(date("2024-02-30")), "22008"),
        (col("d").eq(date("2024-\0")), "22021"),
        (col("d").eq(col("d") + interval("1 dog")), "22007"),
    ] {
        let run = table().filter(condition.clone()).run().and_then(|rows| rows.collect_batches());
        assert_eq!(sqlstate(run), state, "{condition:?}");
    }
}
