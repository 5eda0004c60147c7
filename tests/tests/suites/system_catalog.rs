//! The system's catalog under change: numbers stay, and no plan outlives what it read.

use multiloop::{Engine, Prepared, Session};
use multiloop_tests::text_rows;

fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine")
}

#[track_caller]
fn one(session: &Session, sql: &str) -> String {
    let rows = session.sql(sql).and_then(text_rows).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter().map(|row| row.join(",")).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn again(session: &Session, prepared: &Prepared) -> String {
    let rows = prepared.execute(session, &[]).and_then(text_rows).unwrap_or_else(|error| panic!("{error}"));
    rows.into_iter().map(|row| row.join(",")).collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_stay() {
    let engine = engine();
    let (session, other) = (engine.session(), engine.session());
    session.sql("CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE)").expect("it is made");
    let numbers = "SELECT c.oid, c.reltype, i.indexrelid, k.oid FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid \
                   JOIN pg_constraint k ON k.conindid = i.indexrelid WHERE c.relname = 't' ORDER BY 3";
    let before = one(&session, numbers);
    assert_eq!(before.split([' ', ',']).collect::<std::collections::BTreeSet<_>>().len(), 6, "{before}");
    session.sql("INSERT INTO t VALUES (1, 2); CREATE TABLE u (a int); CREATE VIEW v AS SELECT a FROM t").expect("more");
    assert_eq!(one(&session, numbers), before);
    assert_eq!(one(&other, numbers), before);
    other.sql("BEGIN; CREATE TABLE w (a int PRIMARY KEY)").expect("a transaction");
    let made = one(&other, "SELECT oid FROM pg_class WHERE relname LIKE 'w%' ORDER BY relname");
    assert_eq!(one(&session, "SELECT count(*) FROM pg_class WHERE relname LIKE 'w%'"), "0");
    other.sql("COMMIT").expect("it ends");
    assert_eq!(one(&session, "SELECT oid FROM pg_class WHERE relname LIKE 'w%' ORDER BY relname"), made);
}

#[test]
fn no_plan_outlives_what_it_read() {
    let session = engine().session();
    session.sql("CREATE TABLE t (a int)").expect("it is made");
    let prepare = |sql: &str| session.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let count = prepare("SELECT count(*) FROM pg_class WHERE relkind = 'r' AND oid >= 16384");
    let columns = prepare("SELECT column_name FROM information_schema.columns WHERE table_name = 't' ORDER BY 1");
    let number = prepare("SELECT 't'::regclass = (SELECT oid FROM pg_class WHERE relname = 't')");
    let named = prepare("SELECT oid::regclass::text FROM pg_class WHERE relname = 't'");
    let setting = prepare("SELECT current_setting('application_name'), current_schema()");
    let set = prepare("SELECT set_config('application_name', 'mine', false)");
    for _ in 0..2 {
        assert_eq!(again(&session, &count), "1");
        assert_eq!(again(&session, &columns), "a");
        assert_eq!(again(&session, &number), "t");
        assert_eq!(again(&session, &named), "t");
        assert_eq!(again(&session, &setting), ",public");
    }
    session.sql("DROP TABLE t; CREATE TABLE t (a int, b text); CREATE TABLE u (c int)").expect("it changes");
    assert_eq!(again(&session, &count), "2");
    assert_eq!(again(&session, &columns), "a b");
    assert_eq!(again(&session, &number), "t");
    session.sql("CREATE SCHEMA s; SET search_path = s").expect("it changes");
    assert_eq!(again(&session, &named), "public.t");
    assert_eq!(again(&session, &setting), ",s");
    assert_eq!(again(&session, &set), "mine");
    assert_eq!(again(&session, &setting), "mine,s");
    session.sql("RESET application_name").expect("it changes");
    assert_eq!(again(&session, &setting), ",s");
    assert_eq!(again(&session, &set), "mine");
    assert_eq!(again(&session, &setting), "mine,s");
}

#[test]
fn settings_change_when_a_statement_runs() {
    let session = engine().session();
    session.prepare("SELECT set_config('application_name', 'mine', false)").expect("it is prepared");
    assert_eq!(one(&session, "SHOW application_name"), "");
    session.sql("BEGIN; SELECT set_config('application_name', 'mine', true)").expect("it runs");
    assert_eq!(one(&session, "SHOW application_name"), "mine");
    session.sql("COMMIT").expect("it ends");
    assert_eq!(one(&session, "SHOW application_name"), "");
}

#[test]
fn what_a_session_calls_its_database() {
    let session = engine().session();
    session.set_database("tpch");
    assert_eq!(one(&session, "SELECT current_database(), datname FROM pg_database"), "tpch,tpch");
    assert_eq!(
        one(&session, "SELECT catalog_name FROM information_schema.schemata WHERE schema_name = 'public'"),
        "tpch"
    );
}

#[test]
fn statements_are_counted() {
    let engine = engine();
    let (session, other) = (engine.session(), engine.session());
    session.sql("CREATE TABLE t (a int)").expect("it is made");
    let asked =
        "SELECT query, calls, rows, plans FROM pg_stat_statements WHERE query LIKE 'SELECT a%' OR query LIKE 'INSERT%'";
    for number in 1..=3 {
        one(&session, &format!("INSERT INTO t VALUES ({number}), (0)"));
        one(&other, &format!("SELECT a FROM t WHERE a >= {number}"));
    }
    let prepared = session.prepare("SELECT a FROM t WHERE a = $1 AND a < 9").expect("it is prepared");
    for number in 1..=4 {
        let rows = prepared.execute(&session, &[multiloop::Value::Int(number)]).and_then(text_rows).expect("it runs");
        assert_eq!(rows.len(), usize::from(number < 4));
    }
    // What fails does not count, and what another statement runs is its own.
    assert!(session.sql("SELECT a FROM t WHERE a = 1 / 0").and_then(text_rows).is_err());
    one(&session, "BEGIN; DECLARE c CURSOR FOR SELECT a FROM t WHERE a < 0; COMMIT");
    assert_eq!(
        one(&session, &format!("{asked} ORDER BY 1")),
        "INSERT INTO t VALUES ($1), ($2),3,6,0 SELECT a FROM t WHERE a = $1 AND a < $2,4,3,0 SELECT a FROM t WHERE a >= $1,3,3,3"
    );
    let times = "SELECT bool_and(total_exec_time > 0 AND min_exec_time <= mean_exec_time AND mean_exec_time <= max_exec_time \
                 AND stddev_exec_time >= 0 AND queryid IS NOT NULL AND userid = 10 AND dbid = 16384) FROM pg_stat_statements";
    assert_eq!(one(&session, times), "t");
    let number = one(&session, "SELECT queryid FROM pg_stat_statements WHERE query LIKE 'INSERT%'");
    one(&session, &format!("SELECT pg_stat_statements_reset(0, 0, {number})"));
    assert_eq!(one(&session, "SELECT count(*) FROM pg_stat_statements WHERE query LIKE 'INSERT%'"), "0");
    assert_ne!(one(&session, "SELECT count(*) FROM pg_stat_statements"), "0");
    one(&session, "SELECT pg_stat_statements_reset()");
    assert_eq!(one(&session, "SELECT query FROM pg_stat_statements"), "SELECT pg_stat_statements_reset()");
}

#[test]
fn statements_of_others_are_theirs() {
    let roles = multiloop::Roles::in_memory().expect("there is randomness");
    roles.set_password("root", "secret", true).expect("a role can be made");
    let engine = Engine::builder().threads(1).roles(roles.into()).build().expect("an engine");
    let (root, a) = (engine.session(), engine.session());
    root.enter("root", None);
    a.enter("a", None);
    one(&root, "CREATE ROLE a PASSWORD 'secret'");
    one(&root, "SELECT 1 AS of_root");
    one(&a, "SELECT 2 AS of_a");
    let seen = "SELECT query, queryid IS NULL FROM pg_stat_statements WHERE query LIKE '%of\\_%' OR query LIKE '<%' OR \
                query LIKE 'CREATE%' GROUP BY 1, 2 ORDER BY 1";
    assert_eq!(one(&root, seen), "CREATE ROLE,f SELECT $1 AS of_a,f SELECT $1 AS of_root,f");
    let seen = one(&a, seen);
    assert!(seen.starts_with("<insufficient privilege>,t SELECT $1 AS of_a,f"), "{seen}");
    assert!(!seen.contains("of_root"));
    let error = a.sql("SELECT pg_stat_statements_reset()").map(drop).expect_err("it may not");
    assert_eq!(error.message(), "permission denied for function pg_stat_statements_reset");
}
