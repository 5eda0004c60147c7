//! Sessions: transactions, schemas, what is temporary, settings, statements and cursors by name, notices, COPY with a client.

use arrow::array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow::util::display::array_value_to_string;
use multiloop::{DataType, Engine, Execution, Numeric, ResultStream, Session, TransactionStatus, Value, arrow};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine")
}

/// The rows of a statement, fields with commas between, or its tag, with what else it says.
fn told(session: &Session, sql: &str) -> Result<String, String> {
    let result = session.sql(sql).map_err(|error| format!("{} {}", error.sqlstate(), error.message()))?;
    shown(result).map_err(|error| error.to_string())
}

fn shown(result: ResultStream) -> multiloop::Result<String> {
    let notices: String = result.notices().iter().map(|notice| format!(" [{}]", notice.sqlstate)).collect();
    if let Some(tag) = result.tag() {
        return Ok(format!("{tag}{notices}"));
    }
    let mut rows = Vec::new();
    for batch in result {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let field = |column: &ArrayRef| match column.is_null(row) {
                true => "NULL".to_owned(),
                false => array_value_to_string(column, row).expect("a value prints"),
            };
            rows.push(batch.columns().iter().map(field).collect::<Vec<_>>().join(","));
        }
    }
    Ok(rows.join(" "))
}

#[track_caller]
fn check(session: &Session, steps: &[(&str, &str)]) {
    for (sql, expected) in steps {
        let found = told(session, sql);
        match (expected.strip_prefix('!'), &found) {
            (Some(state), Err(error)) => assert!(error.starts_with(state), "{sql}: {error}"),
            (None, Ok(rows)) => assert_eq!(rows, expected, "{sql}"),
            _ => panic!("{sql}: {found:?}, not {expected}"),
        }
    }
}

#[test]
fn a_transaction_is_all_or_nothing() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("INSERT INTO t VALUES (1)", "INSERT 0 1")]);
    check(
        &one,
        &[("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (2)", "INSERT 0 1"), ("SELECT a FROM t ORDER BY a", "1 2")],
    );
    check(
        &one,
        &[
            ("CREATE TABLE u AS SELECT 7 AS b", "SELECT 1"),
            ("DROP TABLE t", "DROP TABLE"),
            ("SELECT * FROM t", "!42P01"),
        ],
    );
    assert_eq!(one.transaction_status(), TransactionStatus::Failed);
    check(&other, &[("SELECT a FROM t", "1"), ("SELECT * FROM u", "!42P01")]);
    check(
        &one,
        &[("SELECT 1", "!25P02"), ("COMMIT", "ROLLBACK"), ("SELECT a FROM t", "1"), ("SELECT * FROM u", "!42P01")],
    );
    check(
        &one,
        &[("START TRANSACTION", "BEGIN"), ("INSERT INTO t SELECT a + 1 FROM t", "INSERT 0 1"), ("END", "COMMIT")],
    );
    check(&other, &[("SELECT a FROM t ORDER BY a", "1 2")]);
    check(
        &one,
        &[
            ("COMMIT", "COMMIT [25P01]"),
            ("ROLLBACK", "ROLLBACK [25P01]"),
            ("BEGIN", "BEGIN"),
            ("BEGIN", "BEGIN [25001]"),
        ],
    );
    check(&one, &[("DROP TABLE t", "DROP TABLE"), ("ABORT", "ROLLBACK"), ("SELECT count(*) FROM t", "2")]);
    check(&one, &[("BEGIN", "BEGIN"), ("COMMIT AND CHAIN", "COMMIT"), ("INSERT INTO t VALUES (3)", "INSERT 0 1")]);
    check(&one, &[("ROLLBACK AND CHAIN", "ROLLBACK"), ("SELECT count(*) FROM t", "2"), ("COMMIT", "COMMIT")]);
}

#[test]
fn a_snapshot_stays() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    const REPEATABLE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ";
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), (REPEATABLE, "BEGIN")]);
    // A transaction begins to see when it first asks.
    check(&other, &[("INSERT INTO t VALUES (1)", "INSERT 0 1")]);
    check(&one, &[("SELECT a FROM t", "1")]);
    check(&other, &[("INSERT INTO t VALUES (2)", "INSERT 0 1"), ("CREATE TABLE u (b int)", "CREATE TABLE")]);
    check(&one, &[("SELECT a FROM t", "1"), ("SELECT * FROM u", "!42P01"), ("ROLLBACK", "ROLLBACK")]);
    check(&one, &[("SELECT a FROM t ORDER BY a", "1 2")]);
    // Each statement of READ COMMITTED has one of its own, beside what the transaction has done.
    check(&one, &[("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (5)", "INSERT 0 1")]);
    check(&other, &[("INSERT INTO t VALUES (3)", "INSERT 0 1"), ("CREATE TABLE w (c int)", "CREATE TABLE")]);
    check(&one, &[("SELECT a FROM t ORDER BY a", "1 2 3 5"), ("SELECT count(*) FROM w", "0"), ("COMMIT", "COMMIT")]);
    check(&other, &[("SELECT a FROM t ORDER BY a", "1 2 3 5")]);
}

#[test]
fn the_second_writer_tries_again() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("CREATE TABLE u (a int)", "CREATE TABLE")]);
    check(&one, &[("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (1)", "INSERT 0 1")]);
    check(&other, &[("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (2)", "INSERT 0 1"), ("COMMIT", "COMMIT")]);
    // Other rows of one table are nobody's business.
    check(&one, &[("COMMIT", "COMMIT"), ("SELECT a FROM t ORDER BY a", "1 2")]);
    check(&one, &[("BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN"), ("SELECT count(*) FROM t", "2")]);
    check(&other, &[("UPDATE t SET a = 0 WHERE a = 1", "UPDATE 1")]);
    check(
        &one,
        &[("UPDATE t SET a = a + 1", "!40001"), ("COMMIT", "ROLLBACK"), ("DELETE FROM t WHERE a = 0", "DELETE 1")],
    );
    assert_eq!(one.transaction_status(), TransactionStatus::Idle);
    // Different tables are nobody's business.
    check(&one, &[("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (3)", "INSERT 0 1")]);
    check(&other, &[("INSERT INTO u VALUES (1)", "INSERT 0 1"), ("CREATE VIEW v AS SELECT a FROM u", "CREATE VIEW")]);
    check(&one, &[("COMMIT", "COMMIT"), ("SELECT a FROM t ORDER BY a", "2 3"), ("SELECT a FROM v", "1")]);
    // Two tables of one name.
    check(&one, &[("BEGIN", "BEGIN"), ("CREATE TABLE w (a int)", "CREATE TABLE")]);
    check(&other, &[("CREATE TABLE w (b int)", "CREATE TABLE")]);
    check(&one, &[("COMMIT", "!40001"), ("BEGIN", "BEGIN"), ("DROP TABLE w", "DROP TABLE")]);
    check(&other, &[("INSERT INTO w VALUES (1)", "INSERT 0 1")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT b FROM w", "1")]);
    // A schema that is dropped while somebody makes a table in it, and the other way round.
    check(
        &one,
        &[("CREATE SCHEMA s", "CREATE SCHEMA"), ("BEGIN", "BEGIN"), ("CREATE TABLE s.x (a int)", "CREATE TABLE")],
    );
    check(&other, &[("DROP SCHEMA s", "DROP SCHEMA")]);
    check(
        &one,
        &[
            ("COMMIT", "!40001"),
            ("CREATE SCHEMA s", "CREATE SCHEMA"),
            ("BEGIN", "BEGIN"),
            ("DROP SCHEMA s", "DROP SCHEMA"),
        ],
    );
    check(&other, &[("CREATE TABLE s.x (a int)", "CREATE TABLE")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT count(*) FROM s.x", "0")]);
}

#[test]
fn savepoints() {
    let one = engine().session();
    check(&one, &[("SAVEPOINT a", "!25P01"), ("CREATE TABLE t (a int)", "CREATE TABLE"), ("BEGIN", "BEGIN")]);
    check(
        &one,
        &[("SAVEPOINT a", "SAVEPOINT"), ("INSERT INTO t VALUES (1)", "INSERT 0 1"), ("SAVEPOINT b", "SAVEPOINT")],
    );
    check(
        &one,
        &[("INSERT INTO t VALUES (2)", "INSERT 0 1"), ("SELECT x FROM t", "!42703"), ("SAVEPOINT c", "!25P02")],
    );
    check(&one, &[("ROLLBACK TO b", "ROLLBACK"), ("SELECT a FROM t", "1"), ("RELEASE SAVEPOINT b", "RELEASE")]);
    check(
        &one,
        &[("ROLLBACK TO b", "!3B001"), ("ROLLBACK TO SAVEPOINT a", "ROLLBACK"), ("SELECT count(*) FROM t", "0")],
    );
    check(&one, &[("INSERT INTO t VALUES (9)", "INSERT 0 1"), ("COMMIT", "COMMIT"), ("SELECT a FROM t", "9")]);
    // A savepoint before the first question: the snapshot stays.
    let other = one.engine().session();
    check(&one, &[("BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN"), ("SAVEPOINT a", "SAVEPOINT")]);
    check(&one, &[("SELECT a FROM t", "9")]);
    check(&other, &[("INSERT INTO t VALUES (10)", "INSERT 0 1")]);
    check(&one, &[("ROLLBACK TO a", "ROLLBACK"), ("SELECT a FROM t", "9"), ("COMMIT", "COMMIT")]);
}

#[test]
fn modes() {
    let one = engine().session();
    check(
        &one,
        &[
            ("CREATE TABLE t (a int)", "CREATE TABLE"),
            ("BEGIN READ ONLY", "BEGIN"),
            ("SHOW transaction_read_only", "on"),
        ],
    );
    check(
        &one,
        &[("INSERT INTO t VALUES (1)", "!25006"), ("ROLLBACK", "ROLLBACK"), ("SHOW transaction_read_only", "off")],
    );
    check(
        &one,
        &[("BEGIN ISOLATION LEVEL SERIALIZABLE", "BEGIN"), ("SHOW TRANSACTION ISOLATION LEVEL", "serializable")],
    );
    check(&one, &[("SET TRANSACTION READ ONLY", "SET"), ("DROP TABLE t", "!25006"), ("ROLLBACK", "ROLLBACK")]);
    check(&one, &[("BEGIN", "BEGIN"), ("SELECT 1", "1"), ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "!25001")]);
    check(&one, &[("ROLLBACK", "ROLLBACK"), ("SET TRANSACTION READ ONLY", "SET [25P01]")]);
    check(
        &one,
        &[("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET"), ("INSERT INTO t VALUES (1)", "!25006")],
    );
    check(&one, &[("SET default_transaction_read_only = off", "SET"), ("INSERT INTO t VALUES (1)", "INSERT 0 1")]);
}

#[test]
fn one_message_is_one_transaction() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    one.begin_implicit();
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("INSERT INTO t VALUES (1)", "INSERT 0 1")]);
    check(&other, &[("SELECT * FROM t", "!42P01")]);
    check(&one, &[("SELECT 1 / 0", "!22012")]);
    one.end_implicit().expect("it is undone");
    check(&one, &[("SELECT * FROM t", "!42P01")]);
    one.begin_implicit();
    check(
        &one,
        &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("BEGIN", "BEGIN"), ("INSERT INTO t VALUES (1)", "INSERT 0 1")],
    );
    one.end_implicit().expect("it is an ordinary one now");
    assert_eq!(one.transaction_status(), TransactionStatus::Active);
    check(&one, &[("COMMIT", "COMMIT"), ("SELECT a FROM t", "1")]);
}

#[test]
fn schemas() {
    let one = engine().session();
    check(
        &one,
        &[
            ("CREATE SCHEMA s", "CREATE SCHEMA"),
            ("CREATE SCHEMA s", "!42P06"),
            ("CREATE SCHEMA IF NOT EXISTS s", "CREATE SCHEMA [42P06]"),
        ],
    );
    check(&one, &[("CREATE SCHEMA pg_mine", "!42939"), ("CREATE TABLE nowhere.t (a int)", "!3F000")]);
    check(&one, &[("CREATE TABLE t AS SELECT 1 AS a", "SELECT 1"), ("CREATE TABLE s.t AS SELECT 2 AS a", "SELECT 1")]);
    check(
        &one,
        &[
            ("SELECT a FROM t", "1"),
            ("SELECT a FROM s.t", "2"),
            ("SELECT t.a FROM s.t", "2"),
            ("SELECT a FROM public.t", "1"),
        ],
    );
    check(&one, &[("CREATE VIEW s.v AS SELECT a FROM t", "CREATE VIEW"), ("SET search_path = s, public", "SET")]);
    // A view sees what its maker saw.
    check(&one, &[("SELECT a FROM t", "2"), ("SELECT a FROM v", "1"), ("INSERT INTO t VALUES (3)", "INSERT 0 1")]);
    check(&one, &[("SELECT count(*) FROM s.t", "2"), ("DROP TABLE public.t", "!2BP01"), ("DROP SCHEMA s", "!2BP01")]);
    check(&one, &[("CREATE OR REPLACE VIEW v AS SELECT a FROM v", "!42P17"), ("DROP SCHEMA s CASCADE", "DROP SCHEMA")]);
    check(
        &one,
        &[("SELECT a FROM t", "1"), ("DROP SCHEMA s", "!3F000"), ("DROP SCHEMA IF EXISTS s", "DROP SCHEMA [00000]")],
    );
    check(
        &one,
        &[("SET search_path TO nowhere", "SET"), ("CREATE TABLE x (a int)", "!3F000"), ("SELECT a FROM t", "!42P01")],
    );
    check(&one, &[("RESET search_path", "RESET"), ("DROP SCHEMA pg_catalog", "!2BP01")]);
}

#[test]
fn temporary_tables() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(
        &one,
        &[("CREATE TABLE t AS SELECT 1 AS a", "SELECT 1"), ("CREATE TEMP TABLE t AS SELECT 2 AS a", "SELECT 1")],
    );
    check(&one, &[("SELECT a FROM t", "2"), ("SELECT a FROM public.t", "1"), ("SELECT a FROM pg_temp.t", "2")]);
    check(&other, &[("SELECT a FROM t", "1"), ("SELECT a FROM pg_temp.t", "!42P01")]);
    check(&one, &[("INSERT INTO t VALUES (3)", "INSERT 0 1"), ("CREATE VIEW v AS SELECT a FROM t", "CREATE VIEW")]);
    check(&other, &[("SELECT a FROM v", "!42P01")]);
    check(
        &one,
        &[
            ("SELECT count(*) FROM v", "2"),
            ("BEGIN", "BEGIN"),
            ("DROP VIEW v", "DROP VIEW"),
            ("DROP TABLE t", "DROP TABLE"),
        ],
    );
    check(&one, &[("SELECT a FROM t", "1"), ("ROLLBACK", "ROLLBACK"), ("SELECT count(*) FROM v", "2")]);
    check(
        &one,
        &[
            ("BEGIN", "BEGIN"),
            ("CREATE TEMP TABLE u (a int)", "CREATE TABLE"),
            ("COMMIT", "COMMIT"),
            ("SELECT * FROM u", ""),
        ],
    );
    check(
        &one,
        &[("DISCARD TEMP", "DISCARD TEMP"), ("SELECT a FROM t", "1"), ("CREATE TEMP TABLE public.x (a int)", "!42P16")],
    );
}

#[test]
fn settings_follow_transactions() {
    let one = engine().session();
    check(&one, &[("SET statement_timeout = '5s'", "SET"), ("SHOW statement_timeout", "5s"), ("BEGIN", "BEGIN")]);
    check(
        &one,
        &[
            ("SET LOCAL statement_timeout = 7", "SET"),
            ("SET application_name = 'x'", "SET"),
            ("SHOW statement_timeout", "7ms"),
        ],
    );
    check(
        &one,
        &[("COMMIT", "COMMIT"), ("SHOW statement_timeout", "5s"), ("SHOW application_name", "x"), ("BEGIN", "BEGIN")],
    );
    check(
        &one,
        &[("SET application_name = 'y'", "SET"), ("SAVEPOINT s", "SAVEPOINT"), ("SET application_name = 'z'", "SET")],
    );
    check(
        &one,
        &[
            ("ROLLBACK TO s", "ROLLBACK"),
            ("SHOW application_name", "y"),
            ("ROLLBACK", "ROLLBACK"),
            ("SHOW application_name", "x"),
        ],
    );
    check(
        &one,
        &[("SET nonsense = 1", "!42704"), ("SHOW nonsense", "!42704"), ("SET client_encoding = latin1", "!22023")],
    );
    check(
        &one,
        &[
            ("SET my.name = 'v'", "SET"),
            ("SHOW my.name", "v"),
            ("DISCARD ALL", "DISCARD ALL"),
            ("SHOW my.name", "!42704"),
        ],
    );
    check(
        &one,
        &[
            ("BEGIN", "BEGIN"),
            ("DISCARD ALL", "!25001"),
            ("ROLLBACK", "ROLLBACK"),
            ("SET LOCAL jit = on", "SET [25P01]"),
        ],
    );
    assert_eq!(one.setting("TimeZone").as_deref(), Ok("Etc/UTC"));
    assert!(one.reported_settings().iter().any(|(name, value)| *name == "server_encoding" && value == "UTF8"));
}

#[test]
fn statements_by_name() {
    let one = engine().session();
    check(
        &one,
        &[
            ("CREATE TABLE t (a int, b text)", "CREATE TABLE"),
            ("PREPARE i AS INSERT INTO t VALUES ($1, $2)", "PREPARE"),
        ],
    );
    check(
        &one,
        &[
            ("EXECUTE i(1, 'one')", "INSERT 0 1"),
            ("EXECUTE i(1 + 1, upper('two'))", "INSERT 0 1"),
            ("EXECUTE i(1)", "!42601"),
        ],
    );
    check(
        &one,
        &[
            ("PREPARE q(bigint) AS SELECT b FROM t WHERE a = $1", "PREPARE"),
            ("EXECUTE q(2)", "TWO"),
            ("EXECUTE q('1')", "one"),
        ],
    );
    check(&one, &[("PREPARE q AS SELECT 1", "!42P05"), ("EXECUTE q('x')", "!22P02"), ("EXECUTE nothing", "!26000")]);
    check(
        &one,
        &[
            ("INSERT INTO t VALUES (2, 'again')", "INSERT 0 1"),
            ("EXECUTE q(2)", "TWO again"),
            ("DEALLOCATE q", "DEALLOCATE"),
        ],
    );
    check(&one, &[("EXECUTE q(2)", "!26000"), ("DEALLOCATE ALL", "DEALLOCATE ALL"), ("EXECUTE i(1, '')", "!26000")]);
    check(&one, &[("PREPARE p AS SELECT 1; SELECT 2", "2"), ("PREPARE e AS SELECT nonsense", "!42703")]);
}

#[test]
fn a_plan_depends_on_what_it_names() {
    let one = engine().session();
    check(&one, &[("CREATE TABLE t AS SELECT 1 AS a", "SELECT 1"), ("CREATE TABLE u AS SELECT 1 AS a", "SELECT 1")]);
    check(&one, &[("CREATE VIEW v AS SELECT a + 1 AS a FROM t", "CREATE VIEW")]);
    let prepared = one.prepare("SELECT sum(a) FROM v").expect("a query");
    let run = || {
        prepared.execute(&one, &[]).and_then(|rows| {
            let planned = rows.timings().plan;
            Ok((shown(rows)?, planned))
        })
    };
    assert_eq!(run().expect("it runs").0, "2");
    check(&one, &[("INSERT INTO u VALUES (1)", "INSERT 0 1"), ("CREATE TABLE w (a int)", "CREATE TABLE")]);
    assert_eq!(run().expect("it runs").0, "2");
    check(&one, &[("INSERT INTO t VALUES (10)", "INSERT 0 1")]);
    assert_eq!(run().expect("it runs").0, "13");
    check(&one, &[("CREATE OR REPLACE VIEW v AS SELECT a FROM u", "CREATE VIEW")]);
    assert_eq!(run().expect("it runs").0, "2");
    check(&one, &[("CREATE TEMP TABLE v AS SELECT 5 AS a", "SELECT 1")]);
    assert_eq!(run().expect("it runs").0, "5");
    check(&one, &[("DROP TABLE v", "DROP TABLE"), ("CREATE OR REPLACE VIEW v AS SELECT 'x' AS a", "!42P16")]);
    check(&one, &[("DROP VIEW v", "DROP VIEW"), ("CREATE OR REPLACE VIEW v AS SELECT 'x' AS a", "CREATE VIEW")]);
    assert!(run().is_err());
    check(&one, &[("DROP VIEW v", "DROP VIEW"), ("CREATE VIEW v AS SELECT 1.5 AS a", "CREATE VIEW")]);
    assert!(run().is_err_and(|error| error.message().contains("result type")));
    check(&one, &[("DROP VIEW v", "DROP VIEW")]);
    assert!(run().is_err_and(|error| error.sqlstate() == "42P01"));
}

#[test]
fn time_zones() {
    let session = engine().session();
    let plan =
        session.prepare("SELECT timestamp '2020-07-01 12:00'::timestamptz AT TIME ZONE 'UTC'").expect("it is prepared");
    let literal = session.prepare("SELECT timestamptz '2020-07-01 12:00' AT TIME ZONE 'UTC'").expect("it is prepared");
    let text = session.prepare("SELECT z::text FROM t").err().expect("there is no such table");
    assert_eq!(text.sqlstate(), "42P01");
    check(
        &session,
        &[
            ("CREATE TABLE t (z timestamptz)", "CREATE TABLE"),
            ("INSERT INTO t VALUES ('2020-07-01 12:00')", "INSERT 0 1"),
            ("SHOW TimeZone", "Etc/UTC"),
        ],
    );
    let text = session.prepare("SELECT z::text, date_trunc('day', z)::text FROM t").expect("it is prepared");
    for (zone, shown, instant, table) in [
        ("UTC", "UTC", "2020-07-01T12:00:00", "2020-07-01 12:00:00+00,2020-07-01 00:00:00+00"),
        ("'Europe/berlin'", "Europe/Berlin", "2020-07-01T10:00:00", "2020-07-01 14:00:00+02,2020-07-01 00:00:00+02"),
        ("-3", "<-03>+03", "2020-07-01T15:00:00", "2020-07-01 09:00:00-03,2020-07-01 00:00:00-03"),
        (
            "INTERVAL '+13:30' HOUR TO MINUTE",
            "<+13:30>-13:30",
            "2020-06-30T22:30:00",
            "2020-07-02 01:30:00+13:30,2020-07-02 00:00:00+13:30",
        ),
        ("DEFAULT", "Etc/UTC", "2020-07-01T12:00:00", "2020-07-01 12:00:00+00,2020-07-01 00:00:00+00"),
    ] {
        check(&session, &[(&format!("SET TIME ZONE {zone}"), "SET"), ("SHOW TIME ZONE", shown)]);
        // A plan that was made in another zone is made anew.
        let run = |plan: &multiloop::Prepared| shown_of(plan.execute(&session, &[]));
        assert_eq!(run(&plan), instant, "{zone}");
        assert_eq!(run(&literal), "2020-07-01T12:00:00", "{zone}");
        assert_eq!(run(&text), table, "{zone}");
    }
    check(
        &session,
        &[
            ("SET TimeZone = 'Mars'", "!22023"),
            ("SET TimeZone = 'PST'", "!22023"),
            ("SET TIME ZONE INTERVAL '1 day'", "!22023"),
            ("BEGIN", "BEGIN"),
            ("SET LOCAL TIME ZONE 'Asia/Tokyo'", "SET"),
            ("SELECT z::text FROM t", "2020-07-01 21:00:00+09"),
            ("COMMIT", "COMMIT"),
            ("SELECT z::text FROM t", "2020-07-01 12:00:00+00"),
        ],
    );
}

fn shown_of(result: multiloop::Result<ResultStream>) -> String {
    result.and_then(shown).expect("it runs")
}

#[test]
fn a_file_has_instants_in_the_zone() {
    let session = engine().session();
    let path = std::env::temp_dir().join(format!("multiloop-zones-{}.csv", std::process::id()));
    let path = path.to_str().expect("a path is UTF-8");
    check(
        &session,
        &[
            ("CREATE TABLE t (z timestamptz)", "CREATE TABLE"),
            ("INSERT INTO t VALUES ('2020-07-01 12:00Z')", "INSERT 0 1"),
            ("SET TIME ZONE 'America/New_York'", "SET"),
            (&format!("COPY t TO '{path}'"), "COPY 1"),
        ],
    );
    assert_eq!(std::fs::read_to_string(path).expect("it was written"), "z\n2020-07-01 08:00:00-04\n");
    std::fs::write(path, "z\n2020-07-01 08:00:00\n").expect("it is written");
    check(
        &session,
        &[(&format!("COPY t FROM '{path}'"), "COPY 1"), ("SELECT count(DISTINCT z), count(*) FROM t", "1,2")],
    );
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn any_statement_is_prepared() {
    let one = engine().session();
    check(&one, &[("CREATE TABLE t (a int, b numeric(9,2))", "CREATE TABLE")]);
    let insert = one.prepare("INSERT INTO t VALUES ($1, $2)").expect("a statement");
    assert_eq!(insert.parameter_types(), [DataType::Integer, DataType::Numeric]);
    assert!(insert.fields().is_none());
    insert.execute(&one, &[Value::Int(1), Value::numeric(Numeric::new(250, 2))]).expect("it is inserted");
    let query = one.prepare("SELECT a, b * 2 AS c FROM t WHERE a = $1").expect("a query");
    assert_eq!(
        query.fields().map(|fields| fields.iter().map(|field| field.name.as_str()).collect()),
        Some(vec!["a", "c"])
    );
    let script = one.parse("SHOW jit; BEGIN;\n COMMIT").expect("three statements");
    assert_eq!(
        script.iter().map(|one| (one.start(), one.text())).collect::<Vec<_>>(),
        [(0, "SHOW jit"), (10, "BEGIN"), (18, "COMMIT")]
    );
    let show = one.prepare_statement(&script[0], &[]).expect("it is prepared");
    assert_eq!(show.fields().map(|fields| fields[0].name.as_str()), Some("jit"));
}

#[test]
fn cursors() {
    let one = engine().session();
    check(
        &one,
        &[
            ("DECLARE c CURSOR FOR SELECT 1", "!25P01"),
            ("CREATE TABLE t AS SELECT * FROM (VALUES (1), (2), (3), (4), (5)) v(a)", "SELECT 5"),
        ],
    );
    check(&one, &[("BEGIN", "BEGIN"), ("DECLARE c SCROLL CURSOR FOR SELECT a FROM t ORDER BY a", "DECLARE CURSOR")]);
    check(
        &one,
        &[
            ("FETCH c", "1"),
            ("FETCH 2 FROM c", "2 3"),
            ("FETCH PRIOR FROM c", "2"),
            ("FETCH ABSOLUTE 5 c", "5"),
            ("FETCH c", ""),
        ],
    );
    check(
        &one,
        &[
            ("FETCH BACKWARD 2 IN c", "5 4"),
            ("FETCH RELATIVE -2 c", "2"),
            ("FETCH RELATIVE 0 c", "2"),
            ("FETCH LAST c", "5"),
        ],
    );
    check(
        &one,
        &[
            ("MOVE BACKWARD ALL c", "MOVE 4"),
            ("FETCH ALL c", "1 2 3 4 5"),
            ("FETCH FIRST c", "1"),
            ("MOVE 2 c", "MOVE 2"),
        ],
    );
    check(
        &one,
        &[("FETCH ABSOLUTE -4 c", "2"), ("FETCH FORWARD ALL c", "3 4 5"), ("FETCH BACKWARD ALL c", "5 4 3 2 1")],
    );
    check(
        &one,
        &[
            ("DECLARE d NO SCROLL CURSOR WITH HOLD FOR SELECT a FROM t ORDER BY a", "DECLARE CURSOR"),
            ("FETCH 2 d", "1 2"),
        ],
    );
    check(
        &one,
        &[
            ("COMMIT", "COMMIT"),
            ("FETCH c", "!34000"),
            ("FETCH NEXT d", "3"),
            ("FETCH BACKWARD 1 d", "!55000"),
            ("CLOSE d", "CLOSE CURSOR"),
        ],
    );
    check(&one, &[("CLOSE d", "!34000"), ("CLOSE ALL", "CLOSE CURSOR ALL")]);
}

#[test]
fn notices_to_others() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    let woken = Arc::new(AtomicUsize::new(0));
    let wake = Arc::clone(&woken);
    other.on_notify(Some(Arc::new(move || {
        wake.fetch_add(1, Ordering::Relaxed);
    })));
    check(&other, &[("LISTEN c", "LISTEN")]);
    check(&one, &[("NOTIFY c, 'hello'", "NOTIFY"), ("NOTIFY d, 'nobody'", "NOTIFY")]);
    let told = other.notifications();
    assert_eq!(
        told.iter().map(|one| (one.session, one.channel.as_str(), one.payload.as_str())).collect::<Vec<_>>(),
        [(one.id(), "c", "hello")]
    );
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    check(&one, &[("BEGIN", "BEGIN"), ("NOTIFY c", "NOTIFY"), ("NOTIFY c", "NOTIFY"), ("NOTIFY c, '2'", "NOTIFY")]);
    assert!(other.notifications().is_empty());
    check(&one, &[("COMMIT", "COMMIT"), ("BEGIN", "BEGIN"), ("NOTIFY c, 'never'", "NOTIFY"), ("ROLLBACK", "ROLLBACK")]);
    assert_eq!(other.notifications().iter().map(|one| one.payload.clone()).collect::<Vec<_>>(), ["", "2"]);
    check(&other, &[("UNLISTEN *", "UNLISTEN")]);
    check(&one, &[("NOTIFY c", "NOTIFY")]);
    assert!(other.notifications().is_empty());
}

#[test]
fn calls_that_do_something_have_parameters() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(&other, &[("LISTEN a", "LISTEN")]);
    let run = |sql: &str, values: &[Value]| {
        let prepared = one.prepare(sql)?;
        assert!(prepared.parameter_types().iter().all(|of| *of != DataType::Null), "{sql}");
        prepared.execute(&one, values).and_then(shown)
    };
    let set = "SELECT set_config('work_mem', $1, false), set_config($2, 'x', $3)";
    let values = [Value::text("8MB"), Value::text("own.setting"), Value::Boolean(false)];
    assert_eq!(run(set, &values), Ok("8MB,x".to_owned()));
    check(&one, &[("SHOW work_mem", "8MB"), ("SHOW own.setting", "x")]);
    assert_eq!(run("SELECT current_setting($1)", &[Value::text("own.setting")]), Ok("x".to_owned()));
    let unknown = run("SELECT current_setting($1)", &[Value::text("nope")]).expect_err("there is none");
    assert_eq!(unknown.sqlstate(), "42704");
    assert_eq!(run("SELECT current_setting($1, true)", &[Value::text("nope")]), Ok("NULL".to_owned()));
    assert_eq!(run("SELECT pg_notify($1, 'b' || $2)", &[Value::text("a"), Value::text("c")]), Ok(String::new()));
    check(&one, &[("SELECT pg_notify('a', 'd')", ""), ("SELECT pg_notify('', 'd')", "!22023"), ("BEGIN", "BEGIN")]);
    check(&one, &[("SELECT pg_notify('a', 'never')", ""), ("ROLLBACK", "ROLLBACK")]);
    let told: Vec<String> = other.notifications().into_iter().map(|one| one.payload).collect();
    assert_eq!(told, ["bc", "d"]);
    // One prepared statement, run with other values.
    let prepared = one.prepare("SELECT set_config('own.setting', $1, false)").expect("it is a query");
    for value in ["y", "z"] {
        assert_eq!(prepared.execute(&one, &[Value::text(value)]).and_then(shown), Ok(value.to_owned()));
        check(&one, &[("SHOW own.setting", value)]);
    }
    // What rows have is not known before.
    check(
        &one,
        &[
            ("SELECT set_config(name, '1', false) FROM pg_settings", "!0A000"),
            ("SELECT bool_and(current_setting(name) = setting) FROM pg_settings", "true"),
            ("SELECT current_setting(n) FROM (VALUES ('WORK_MEM'), (NULL)) AS v(n)", "8MB NULL"),
            ("SELECT current_setting(n) FROM (VALUES ('nope')) AS v(n)", "!42704"),
            (
                "SELECT pg_sleep(0.001), pg_sleep_for('1 millisecond'), pg_sleep_until('-infinity'), pg_sleep_for(NULL)",
                ",,,NULL",
            ),
        ],
    );
    assert_eq!(run("SELECT pg_sleep($1)", &[Value::Float(0.001)]), Ok(String::new()));
}

#[test]
fn what_is_prepared_is_explained() {
    let session = engine().session();
    check(
        &session,
        &[("PREPARE p(int) AS SELECT $1 + 1 AS next", "PREPARE"), ("PREPARE q AS CREATE TABLE t (a int)", "PREPARE")],
    );
    let told = |sql: &str| told(&session, sql);
    let plan = told("EXPLAIN EXECUTE p(NULL)");
    assert!(plan.is_ok() && plan == told("EXPLAIN EXECUTE p(7)"), "{plan:?}");
    assert!(told("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE p(1)").is_ok_and(|plan| plan.contains("\"Plan\"")));
    assert!(told("EXPLAIN ANALYZE EXECUTE p(1)").is_ok_and(|plan| plan.contains("rows")));
    check(
        &session,
        &[
            ("EXPLAIN EXECUTE nope", "!26000"),
            ("EXPLAIN EXECUTE q", "!0A000"),
            ("EXPLAIN EXECUTE p", "!42601"),
            ("EXPLAIN EXECUTE p(1) more", "!42601"),
            ("EXPLAIN EXECUTE", "!42601"),
        ],
    );
    let prepared = session.prepare("EXPLAIN EXECUTE p(1)").expect("it is a statement");
    assert_eq!(prepared.fields().map(|fields| fields[0].name.clone()), Some("QUERY PLAN".to_owned()));
}

#[test]
fn texts_of_files_that_are_too_long_are_refused() {
    let session = engine().session();
    let path = std::env::temp_dir().join(format!("multiloop-{}-long.csv", std::process::id()));
    std::fs::write(&path, "abc \nabcd\n").expect("a file");
    let copy = format!("COPY t FROM '{}' (FORMAT csv)", path.display());
    check(&session, &[("CREATE TABLE t (a varchar(3))", "CREATE TABLE"), (&copy, "!22001")]);
    std::fs::write(&path, "abc  \nabc\n").expect("a file");
    check(&session, &[(&copy, "COPY 2"), ("SELECT a FROM t", "abc abc")]);
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn copy_with_a_client() {
    let one = engine().session();
    check(&one, &[("CREATE TABLE t (a int PRIMARY KEY, b text)", "CREATE TABLE"), ("COPY t FROM STDIN", "!0A000")]);
    let copy = |sql: &str| one.prepare(sql).and_then(|prepared| one.run(&prepared, &[]));
    let Ok(Execution::CopyIn(mut rows)) = copy("COPY t (b, a) FROM STDIN WITH (FORMAT binary)") else {
        panic!("no copy")
    };
    assert_eq!(rows.options().format().map(|format| format.text()), Some(Ok("binary")));
    let columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from(vec![Some("x"), None])), Arc::new(Int32Array::from(vec![1, 2]))];
    rows.push(RecordBatch::try_new(rows.schema(), columns).expect("a batch")).expect("rows");
    check(&one, &[("SELECT count(*) FROM t", "0")]);
    assert_eq!(rows.finish(&one).as_deref(), Ok("COPY 2"));
    check(&one, &[("SELECT a, b FROM t ORDER BY a", "1,x 2,NULL")]);
    let Ok(Execution::CopyIn(mut rows)) = copy("COPY t (a) FROM STDIN") else { panic!("no copy") };
    let columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![3, 1]))];
    rows.push(RecordBatch::try_new(rows.schema(), columns).expect("a batch")).expect("rows");
    assert!(rows.finish(&one).is_err_and(|error| error.sqlstate() == "23505"));
    check(&one, &[("SELECT count(*) FROM t", "2")]);
    let Ok(Execution::CopyOut(out)) = copy("COPY (SELECT a FROM t ORDER BY a) TO STDOUT") else { panic!("no copy") };
    assert_eq!(shown(out.rows).as_deref(), Ok("1 2"));
}

/// A table with a key of 10,000 rows, 0, 20, 40 …, and two more: no statistics prove its key, an index has to be asked.
fn keyed() -> Engine {
    let engine = engine();
    let digits = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
    let from = format!("{digits} a(v), {digits} b(v), {digits} c(v), {digits} d(v)");
    let fill = format!("INSERT INTO t SELECT (a.v + 10 * b.v + 100 * c.v + 1000 * d.v) * 20, 0 FROM {from}");
    let session = engine.session();
    for sql in [
        "CREATE TABLE t (a int PRIMARY KEY, b int)",
        &fill,
        "INSERT INTO t VALUES (1, 0)",
        "INSERT INTO t VALUES (3, 0)",
    ] {
        session.sql(sql).expect("it is made");
    }
    engine
}

fn insert(session: &Session, keys: &[i32]) {
    for key in keys {
        check(session, &[(&format!("INSERT INTO t VALUES ({key}, 1)"), "INSERT 0 1")]);
    }
}

fn refuses(session: &Session, keys: &[i32]) {
    for key in keys {
        check(session, &[(&format!("INSERT INTO t VALUES ({key}, 1)"), "!23505")]);
    }
}

#[test]
fn keys_of_what_was_rolled_back_are_free() {
    let one = keyed().session();
    check(&one, &[("BEGIN", "BEGIN")]);
    insert(&one, &[5, 7, 9, 15, 17]);
    check(&one, &[("ROLLBACK", "ROLLBACK")]);
    insert(&one, &[11, 13, 5, 7]);
    refuses(&one, &[11, 13, 5, 7, 1, 20]);
    check(&one, &[("BEGIN", "BEGIN")]);
    insert(&one, &[21, 23]);
    check(&one, &[("SAVEPOINT s", "SAVEPOINT")]);
    insert(&one, &[25, 27, 29]);
    check(&one, &[("ROLLBACK TO s", "ROLLBACK")]);
    insert(&one, &[31, 25, 33]);
    check(&one, &[("COMMIT", "COMMIT")]);
    refuses(&one, &[21, 25, 31, 33]);
    insert(&one, &[27]);
    check(&one, &[("SELECT count(*), count(DISTINCT a) FROM t", "10012,10012")]);
}

#[test]
fn transactions_beside_each_other_have_keys_of_their_own() {
    let engine = keyed();
    let (one, other) = (engine.session(), engine.session());
    check(&one, &[("BEGIN", "BEGIN")]);
    check(&other, &[("BEGIN", "BEGIN")]);
    insert(&one, &[5, 7]);
    insert(&other, &[7, 9]);
    insert(&one, &[9, 11]);
    insert(&other, &[5, 13]);
    check(&other, &[("COMMIT", "COMMIT")]);
    check(&one, &[("COMMIT", "!23505")]);
    refuses(&one, &[5, 7, 9, 13]);
    insert(&one, &[11]);
    check(&one, &[("SELECT count(*), count(DISTINCT a) FROM t", "10007,10007")]);
}

#[test]
fn views_have_what_they_name() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("BEGIN", "BEGIN")]);
    check(&one, &[("CREATE VIEW v AS SELECT a FROM t", "CREATE VIEW")]);
    check(&other, &[("DROP TABLE t", "DROP TABLE")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT * FROM v", "!42P01")]);
    check(&one, &[("CREATE TABLE t (a int)", "CREATE TABLE"), ("BEGIN", "BEGIN"), ("DROP TABLE t", "DROP TABLE")]);
    check(&other, &[("CREATE VIEW v AS SELECT a FROM t", "CREATE VIEW")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT * FROM v", "")]);
}

#[test]
fn what_a_savepoint_takes_back_is_not_told() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(&other, &[("LISTEN c", "LISTEN")]);
    check(&one, &[("BEGIN", "BEGIN"), ("NOTIFY c, 'kept'", "NOTIFY"), ("SAVEPOINT s", "SAVEPOINT")]);
    check(&one, &[("NOTIFY c, 'gone'", "NOTIFY"), ("ROLLBACK TO s", "ROLLBACK"), ("COMMIT", "COMMIT")]);
    assert_eq!(other.notifications().iter().map(|one| one.payload.as_str()).collect::<Vec<_>>(), ["kept"]);
}

#[test]
fn a_session_goes_back_to_what_it_began_with() {
    let one = engine().session();
    one.set_default("session_authorization", "somebody").expect("it can be set");
    one.set_default("statement_timeout", "3s").expect("it can be set");
    check(&one, &[("SET statement_timeout = 5", "SET"), ("RESET statement_timeout", "RESET")]);
    check(
        &one,
        &[("SHOW statement_timeout", "3s"), ("SET statement_timeout = 5", "SET"), ("DISCARD ALL", "DISCARD ALL")],
    );
    check(&one, &[("SHOW statement_timeout", "3s"), ("SHOW session_authorization", "somebody")]);
    check(
        &one,
        &[("SET statement_timeout TO DEFAULT", "SET"), ("SHOW statement_timeout", "3s"), ("RESET nonsense", "!42704")],
    );
}

#[test]
fn a_view_means_what_it_meant() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    check(
        &one,
        &[("CREATE TABLE t AS SELECT 1 AS a", "SELECT 1"), ("CREATE VIEW v AS SELECT a FROM t", "CREATE VIEW")],
    );
    check(&one, &[("CREATE VIEW w AS SELECT v.a, u.a AS b FROM v, public.t AS u", "CREATE VIEW")]);
    // Not what somebody else calls so, nor what has been made since in a schema that is looked at before.
    check(
        &other,
        &[("CREATE TEMP TABLE t AS SELECT 2 AS a", "SELECT 1"), ("SELECT a FROM t", "2"), ("SELECT a FROM v", "1")],
    );
    check(&other, &[("CREATE TEMP TABLE v AS SELECT 3 AS a", "SELECT 1"), ("SELECT * FROM w", "1,1")]);
    check(
        &one,
        &[("CREATE SCHEMA postgres", "CREATE SCHEMA"), ("CREATE TABLE postgres.t AS SELECT 4 AS a", "SELECT 1")],
    );
    check(&one, &[("SELECT a FROM t", "4"), ("SELECT a FROM v", "1"), ("SELECT * FROM w", "1,1")]);
}

/// Clients say which types they know; the others are left to where parameters stand.
#[test]
fn types_that_nobody_knows_are_inferred() {
    let engine = engine();
    let session = engine.session();
    let of = |sql: &str, types: &[DataType]| {
        let statement = session.parse(sql).expect("it is a statement").remove(0);
        let prepared = session.prepare_statement(&statement, types).expect("it can be prepared");
        prepared.parameter_types().to_vec()
    };
    let unknown = DataType::Null;
    assert_eq!(of("SELECT $1 + 1, $2", &[unknown, unknown]), [DataType::Integer, DataType::Text]);
    assert_eq!(of("SELECT $1 + 1, $2", &[]), [DataType::Integer, DataType::Text]);
    assert_eq!(of("SELECT $1::bigint WHERE $2", &[unknown, DataType::Boolean]), [DataType::BigInt, DataType::Boolean]);
    assert_eq!(of("SELECT 1 WHERE 'a' = ANY($1)", &[unknown]), of("SELECT 1 WHERE 'a' = ANY($1)", &[]));
    assert_eq!(of("SELECT $1, $2::date", &[unknown]), [DataType::Text, DataType::Date]);
    for sql in ["SELECT $2::date", "SELECT $1 IS NULL", "SELECT count($1)"] {
        let statement = session.parse(sql).expect("it is a statement").remove(0);
        let error = session.prepare_statement(&statement, &[unknown]).err().expect("nothing says a type");
        assert_eq!(error.sqlstate(), "42P18", "{sql}");
    }
}

#[test]
fn definitions_are_undone_with_their_transaction() {
    let session = engine().session();
    check(
        &session,
        &[
            ("CREATE TABLE p (a int PRIMARY KEY, b int)", "CREATE TABLE"),
            ("CREATE TYPE mood AS ENUM ('sad', 'ok')", "CREATE TYPE"),
            ("BEGIN", "BEGIN"),
            ("CREATE TABLE c (a int REFERENCES p)", "CREATE TABLE"),
            ("INSERT INTO p VALUES (1, 1)", "INSERT 0 1"),
            ("INSERT INTO c VALUES (1)", "INSERT 0 1"),
            ("SAVEPOINT s", "SAVEPOINT"),
            ("INSERT INTO c VALUES (2)", "!23503"),
            ("ROLLBACK TO s", "ROLLBACK"),
            ("COMMENT ON TABLE p IS 'x'", "COMMENT"),
            ("CREATE UNIQUE INDEX pb ON p (b)", "CREATE INDEX"),
            ("ALTER TABLE p RENAME TO q", "ALTER TABLE"),
            ("INSERT INTO q VALUES (2, 2)", "INSERT 0 1"),
            ("INSERT INTO c VALUES (2)", "INSERT 0 1"),
            ("SELECT obj_description('q'::regclass)", "x"),
            ("ROLLBACK TO s", "ROLLBACK"),
            ("SELECT count(*) FROM c", "1"),
            ("INSERT INTO c VALUES (2)", "!23503"),
            ("ROLLBACK TO s", "ROLLBACK"),
            ("INSERT INTO p VALUES (3, 1)", "INSERT 0 1"),
            ("SELECT count(obj_description('p'::regclass))", "0"),
            ("TRUNCATE c, p", "TRUNCATE TABLE"),
            ("SELECT count(*) FROM p", "0"),
            ("DROP TYPE mood", "DROP TYPE"),
            ("ROLLBACK", "ROLLBACK"),
            ("SELECT 'ok'::mood", "ok"),
            ("SELECT count(*) FROM p", "0"),
            ("SELECT * FROM c", "!42P01"),
        ],
    );
}

#[test]
fn a_reference_and_a_drop_do_not_both_commit() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    let make = [
        ("CREATE TABLE p (a int PRIMARY KEY)", "CREATE TABLE"),
        ("CREATE TABLE c (a int REFERENCES p)", "CREATE TABLE"),
        ("INSERT INTO p VALUES (1)", "INSERT 0 1"),
    ];
    check(&one, &make);
    // One refers, the other drops what is referred to: the second has to try again.
    check(&one, &[("BEGIN", "BEGIN"), ("INSERT INTO c VALUES (1)", "INSERT 0 1")]);
    check(&other, &[("BEGIN", "BEGIN"), ("DROP TABLE p CASCADE", "DROP TABLE"), ("COMMIT", "COMMIT")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT count(*) FROM c", "0")]);
    check(&one, &[("DROP TABLE c", "DROP TABLE")]);
    check(&one, &make);
    check(&other, &[("BEGIN", "BEGIN"), ("DROP TABLE p CASCADE", "DROP TABLE")]);
    check(&one, &[("INSERT INTO c VALUES (1)", "INSERT 0 1")]);
    check(&other, &[("COMMIT", "!40001"), ("SELECT count(*) FROM p", "1")]);
    // One makes a table that refers, the other drops.
    check(
        &one,
        &[("DROP TABLE c", "DROP TABLE"), ("BEGIN", "BEGIN"), ("CREATE TABLE d (a int REFERENCES p)", "CREATE TABLE")],
    );
    check(&other, &[("DROP TABLE p", "DROP TABLE")]);
    check(&one, &[("COMMIT", "!40001"), ("SELECT * FROM d", "!42P01")]);
    // A type, and a table of it.
    check(
        &one,
        &[("CREATE TYPE e AS ENUM ('x')", "CREATE TYPE"), ("BEGIN", "BEGIN"), ("CREATE TABLE f (a e)", "CREATE TABLE")],
    );
    check(&other, &[("DROP TYPE e", "DROP TYPE")]);
    check(&one, &[("COMMIT", "!40001")]);
}

#[test]
fn copied_rows_have_defaults_and_are_checked() {
    let session = engine().session();
    check(
        &session,
        &[
            ("CREATE TABLE p (a int PRIMARY KEY)", "CREATE TABLE"),
            ("INSERT INTO p VALUES (1)", "INSERT 0 1"),
            (
                "CREATE TABLE t (a int REFERENCES p, b text DEFAULT 'x' || 'y', c int DEFAULT 7 CHECK (c > 0))",
                "CREATE TABLE",
            ),
        ],
    );
    let copy = |sql: &str, columns: &[Vec<Value>]| {
        let prepared = session.prepare(sql).expect("it is prepared");
        let Ok(Execution::CopyIn(mut rows)) = session.run(&prepared, &[]) else { panic!("rows are to come") };
        rows.push_values(columns).expect("they are of the columns");
        rows.finish(&session).map_err(|error| error.sqlstate())
    };
    assert_eq!(copy("COPY t (a) FROM STDIN", &[vec![Value::Int(1), Value::Null]]), Ok("COPY 2".to_owned()));
    assert_eq!(copy("COPY t (a) FROM STDIN", &[vec![Value::Int(2)]]), Err("23503"));
    assert_eq!(copy("COPY t (c) FROM STDIN", &[vec![Value::Int(0)]]), Err("23514"));
    check(&session, &[("SELECT * FROM t ORDER BY a", "1,xy,7 NULL,xy,7")]);
}
