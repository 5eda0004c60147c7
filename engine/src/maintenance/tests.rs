//! Rows are put back in order, and nothing else shows.

use super::{ROWS_MIN, improved, settle};
use crate::catalog::{Entry, Qualified, State};
use crate::{Engine, ErrorKind, Session};
use multiloop_exec::workers::context::{Cancellation, Context, Pause};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Rows in the order of their keys, which are even numbers.
const ROWS: usize = 2 * ROWS_MIN + 17;

fn run(session: &Session, script: &str) {
    session.sql(script).and_then(|rows| rows.collect_batches()).unwrap_or_else(|error| panic!("{script}: {error}"));
}

fn number(session: &Session, sql: &str) -> i64 {
    session.query_scalar::<i64>(sql, ()).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Nothing happens by itself.
fn engine(folder: Option<&Path>) -> Engine {
    let builder = Engine::builder().threads(2).maintenance(false);
    match folder {
        Some(folder) => builder.data(folder),
        None => builder,
    }
    .build()
    .expect("an engine")
}

fn filled(session: &Session) {
    run(session, "CREATE TABLE t (k int PRIMARY KEY, v bigint, s text UNIQUE, d date)");
    run(
        session,
        &format!(
            "INSERT INTO t SELECT 2 * n, n % 1000, 's' || n, date '2020-01-01' + n % 365 FROM generate_series(1, {ROWS}) r (n)"
        ),
    );
}

/// Rows that come between the others, out of order, and some that go.
const CHANGES: &str = "INSERT INTO t SELECT 2 * n + 1, -n, 'new' || n, NULL FROM generate_series(1, 130000, 97) r (n) ORDER BY n % 7, n; \
                       DELETE FROM t WHERE k % 50 = 0; UPDATE t SET v = v + 1 WHERE k % 30 = 4";

/// Whether the rows of `t` are known to be in the order of their keys, and none is deleted.
fn is_as_it_should_be(engine: &Engine) -> bool {
    let state = State::shared(engine.0.catalog.snapshot());
    let name = Qualified { schema: "public".to_owned(), name: "t".to_owned() };
    let Some(Entry::Table(table)) = state.get(&name) else { panic!("there is a table") };
    table.info.statistics.columns[0].proofs.sorted && table.info.hidden.deleted.is_none()
}

/// All rows, in a form that does not depend on where they stand.
const ALL: &str =
    "SELECT count(*) * 31 + sum(k * 7 + v) + sum(length(s)) + count(d) * 13 + sum(length(replace(s, '1', ''))) FROM t";

#[test]
fn rows_are_put_back_in_order() {
    let engine = engine(None);
    let session = engine.session();
    filled(&session);
    run(&session, CHANGES);
    assert!(!is_as_it_should_be(&engine));
    let all = session.sql(ALL).and_then(|rows| rows.pretty()).expect("rows");
    let place = session.query_scalar::<String>("SELECT ctid::text FROM t WHERE k = 20002", ()).expect("a place");
    engine.maintain().expect("it is done");
    assert!(is_as_it_should_be(&engine));
    assert_eq!(session.sql(ALL).and_then(|rows| rows.pretty()).expect("rows"), all);
    // A place from before is none.
    assert_eq!(number(&session, &format!("SELECT count(*) FROM t WHERE ctid = '{place}'")), 0);
    assert_eq!(number(&session, "SELECT count(*) FROM t a JOIN t b ON a.ctid = b.ctid WHERE a.k = 20002"), 1);
    let now = session.query_scalar::<String>("SELECT ctid::text FROM t WHERE k = 20002", ()).expect("a place");
    run(&session, &format!("UPDATE t SET v = 7 WHERE ctid = '{now}'"));
    assert_eq!(number(&session, "SELECT v FROM t WHERE k = 20002"), 7);
    // Keys hold.
    let error = session.sql("INSERT INTO t VALUES (20002, 0, 'x')").map(drop).expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    let error = session.sql("INSERT INTO t VALUES (1, 0, 'new98')").map(drop).expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    run(&session, "INSERT INTO t VALUES (20001, 0, 'x'), (50, 0, 'y')");
    assert_eq!(number(&session, "SELECT count(*) FROM t WHERE k IN (20001, 50, 20002)"), 3);
}

#[test]
fn rows_that_were_never_in_order_stay() {
    let engine = engine(None);
    let session = engine.session();
    run(&session, "CREATE TABLE t (k int PRIMARY KEY, v bigint)");
    run(&session, &format!("INSERT INTO t SELECT (n * 7919) % {ROWS}, n FROM generate_series(1, {ROWS}) r (n)"));
    let first = number(&session, "SELECT v FROM t LIMIT 1");
    engine.maintain().expect("it is done");
    assert!(!is_as_it_should_be(&engine) && number(&session, "SELECT v FROM t LIMIT 1") == first);
    // Deleted ones go all the same, and the others keep their order.
    run(&session, "DELETE FROM t WHERE v % 100 = 3");
    engine.maintain().expect("it is done");
    assert_eq!(number(&session, "SELECT v FROM t LIMIT 1"), first);
    let state = State::shared(engine.0.catalog.snapshot());
    let name = Qualified { schema: "public".to_owned(), name: "t".to_owned() };
    assert!(state.table(&name).is_ok_and(|table| table.info.hidden.deleted.is_none()));
}

#[test]
fn rows_that_were_in_an_order_get_it_back() {
    let engine = engine(None);
    let session = engine.session();
    let made = "generate_series(1, 100000) r (n)";
    run(&session, &format!("CREATE TABLE t AS SELECT 3 * n AS k, n % 7 AS v, n / 10 AS w FROM {made}"));
    // It is in the order of another column still.
    run(&session, "UPDATE t SET w = 0 WHERE k = 999");
    let first = number(&session, "SELECT k FROM t WHERE w = 0 AND k > 30");
    engine.maintain().expect("it is done");
    assert!(first == 999 && is_as_it_should_be(&engine));
    run(&session, "INSERT INTO t VALUES (10, 0, 5); DELETE FROM t WHERE k % 1000 = 0");
    assert!(!is_as_it_should_be(&engine));
    engine.maintain().expect("it is done");
    assert!(is_as_it_should_be(&engine));
    assert_eq!(number(&session, "SELECT count(*) FROM t WHERE k BETWEEN 9 AND 12"), 3);
    // Rows that have come and gone end it as well.
    run(&session, "INSERT INTO t VALUES (40, 0, 5)");
    run(&session, "DELETE FROM t WHERE k = 40");
    assert!(!is_as_it_should_be(&engine));
    engine.maintain().expect("it is done");
    assert!(is_as_it_should_be(&engine));
}

#[test]
fn open_transactions_keep_their_rows() {
    let engine = engine(None);
    let (session, other) = (engine.session(), engine.session());
    filled(&session);
    run(&session, CHANGES);
    // What it has seen it may change.
    run(&other, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM t");
    engine.maintain().expect("nothing is done");
    assert!(!is_as_it_should_be(&engine));
    run(&other, "UPDATE t SET v = 1 WHERE k = 4; COMMIT");
    for change in [
        "UPDATE t SET v = 2 WHERE k = 4",
        "SELECT * FROM t WHERE k = 4 FOR UPDATE",
        "ALTER TABLE t ADD x int",
        "INSERT INTO t VALUES (1, 1)",
    ] {
        run(&other, &format!("BEGIN; {change}"));
        engine.maintain().expect("nothing is done");
        assert!(!is_as_it_should_be(&engine), "{change}");
        run(&other, "ROLLBACK");
    }
    // One that has only read goes on with what it finds.
    run(&other, "BEGIN; SELECT count(*) FROM t");
    engine.maintain().expect("it is done");
    assert!(is_as_it_should_be(&engine));
    run(&other, "UPDATE t SET v = 3 WHERE k = 4; COMMIT");
    assert_eq!(number(&session, "SELECT v FROM t WHERE k = 4"), 3);
}

#[test]
fn it_happens_when_no_statement_runs() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let session = engine.session();
    filled(&session);
    run(&session, CHANGES);
    let began = Instant::now();
    while !is_as_it_should_be(&engine) {
        assert!(began.elapsed() < Duration::from_secs(120), "it does not happen");
        std::thread::sleep(Duration::from_millis(100));
    }
    // And once more.
    run(&session, "INSERT INTO t VALUES (20001, 0, 'x')");
    while !is_as_it_should_be(&engine) {
        assert!(began.elapsed() < Duration::from_secs(240), "it does not happen");
        std::thread::sleep(Duration::from_millis(100));
        // It lets statements come before.
        number(&session, "SELECT count(*) FROM t");
    }
    drop((session, engine));
}

#[test]
fn it_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let shown = |session: &Session| session.sql("SELECT * FROM t").and_then(|rows| rows.pretty()).expect("rows");
    let wanted = {
        let engine = engine(Some(folder.path()));
        let session = engine.session();
        filled(&session);
        engine.checkpoint().expect("it is made");
        run(&session, CHANGES);
        engine.maintain().expect("it is done");
        assert!(is_as_it_should_be(&engine));
        // What comes behind it counts on with the rows' new numbers.
        run(
            &session,
            "UPDATE t SET v = 5 WHERE k = 771; DELETE FROM t WHERE k = 4; INSERT INTO t VALUES (4, 4, 'four')",
        );
        run(&session, "UPDATE t SET s = 'five' WHERE k = 4");
        shown(&session)
    };
    for _ in 0..2 {
        let engine = engine(Some(folder.path()));
        assert_eq!(shown(&engine.session()), wanted);
        engine.checkpoint().expect("it is made");
    }
    let engine = engine(Some(folder.path()));
    engine.maintain().expect("it is done");
    assert_eq!(number(&engine.session(), "SELECT v FROM t WHERE k = 4"), 4);
}

#[test]
fn without_memory_all_stays() {
    let engine = Engine::builder().threads(1).maintenance(false).memory_limit(24 << 20).build().expect("an engine");
    let session = engine.session();
    run(&session, "CREATE TABLE t (k int PRIMARY KEY, s text)");
    run(&session, &format!("INSERT INTO t SELECT 2 * n, repeat('x', 60) || n FROM generate_series(1, {ROWS}) r (n)"));
    run(&session, "INSERT INTO t VALUES (3, 'three')");
    // There is room, or not: nobody else notices.
    let _short = engine.maintain();
    assert_eq!(number(&session, "SELECT count(*) FROM t"), ROWS as i64 + 1);
}

#[test]
fn cluster_puts_rows_in_the_order_of_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let first =
        |session: &Session| session.sql("SELECT * FROM t LIMIT 500").and_then(|rows| rows.pretty()).expect("rows");
    let (by_key, all) = {
        let engine = engine(Some(folder.path()));
        let session = engine.session();
        run(
            &session,
            "CREATE TABLE t (k int PRIMARY KEY, v bigint, s text); CREATE INDEX by_text ON t (s, v); CREATE INDEX by_part ON t (v) WHERE v > 3",
        );
        run(
            &session,
            "INSERT INTO t SELECT (n * 7919) % 3001, n % 10, 's' || n % 100 FROM generate_series(1, 3000) r (n); DELETE FROM t WHERE v = 7",
        );
        run(&session, "INSERT INTO t VALUES (5000, NULL, NULL)");
        let (before, all) =
            (first(&session), session.sql("SELECT * FROM t ORDER BY k").and_then(|rows| rows.pretty()).expect("rows"));
        run(&session, "CLUSTER t; CLUSTER t USING by_part");
        assert!(first(&session) == before);
        run(&session, "BEGIN; CLUSTER t USING by_text");
        let pairs = |sql: &str| session.sql(sql).and_then(|rows| rows.pretty()).expect("rows");
        assert!(pairs("SELECT s, v FROM t ORDER BY s, v LIMIT 500") == pairs("SELECT s, v FROM t LIMIT 500"));
        run(&session, "ROLLBACK");
        assert!(first(&session) == before);
        run(&session, "CLUSTER t USING t_pkey");
        assert_eq!(
            number(&session, "SELECT sum(k) FROM (SELECT k FROM t LIMIT 10)"),
            number(&session, "SELECT sum(k) FROM (SELECT k FROM t ORDER BY k LIMIT 10)")
        );
        assert!(is_as_it_should_be(&engine));
        let error = session.sql("CLUSTER t USING nothing").map(drop).expect_err("there is none");
        assert_eq!(error.kind(), ErrorKind::UnknownObject);
        (first(&session), all)
    };
    let engine = engine(Some(folder.path()));
    let session = engine.session();
    assert!(first(&session) == by_key);
    assert!(session.sql("SELECT * FROM t ORDER BY k").and_then(|rows| rows.pretty()).expect("rows") == all);
}

#[test]
fn codes_are_made_before_somebody_waits_for_them() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let session = engine.session();
    let far = |n: &str| format!("({n})::bigint * ({n}) * 997 + ({n}) * 31");
    run(&session, &format!("CREATE TABLE t AS SELECT {} AS k, n AS v FROM generate_series(1, 200000) r (n)", far("n")));
    let other = far("n * 7919::bigint % 200000 + 1");
    run(&session, &format!("CREATE TABLE other AS SELECT {other} AS k FROM generate_series(1, 300000) r (n)"));
    let joined = "SELECT sum(v) FROM other JOIN t USING (k)";
    let first = number(&session, joined);
    let has_codes = || {
        let state = State::shared(engine.0.catalog.snapshot());
        let name = |name: &str| Qualified { schema: "public".to_owned(), name: name.to_owned() };
        state.table(&name("other")).is_ok_and(|table| table.info.domain(0).is_some())
    };
    let began = Instant::now();
    while !has_codes() {
        assert!(began.elapsed() < Duration::from_secs(120), "nobody makes any");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(number(&session, joined), first);
    // Rows that are codes are arranged as values, and coded again where that gains something.
    run(&session, "DELETE FROM other WHERE k % 7 = 0");
    let (left, sum) = (number(&session, "SELECT count(*) FROM other"), number(&session, joined));
    assert!(left < 300_000 && sum < first);
    engine.maintain().expect("it is done");
    let state = State::shared(engine.0.catalog.snapshot());
    let name = Qualified { schema: "public".to_owned(), name: "other".to_owned() };
    assert!(state.table(&name).is_ok_and(|table| table.info.hidden.deleted.is_none()));
    assert_eq!((number(&session, "SELECT count(*) FROM other"), number(&session, joined)), (left, sum));
}

/// Counts how often it is asked, and keeps the longest time between two.
#[derive(Debug, Default)]
struct Asked {
    count: AtomicUsize,
    last: Mutex<Option<Instant>>,
    longest: Mutex<Duration>,
}

impl Pause for Asked {
    fn goes_on(&self) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        if let Some(last) = self.last.lock().expect("nobody panics").replace(now) {
            let mut longest = self.longest.lock().expect("nobody panics");
            *longest = (*longest).max(now - last);
        }
        true
    }
}

#[test]
fn it_hears_statements_for_each_column_of_a_chunk() {
    let engine = engine(None);
    let session = engine.session();
    filled(&session);
    run(&session, CHANGES);
    let state = State::shared(engine.0.catalog.snapshot());
    let name = Qualified { schema: "public".to_owned(), name: "t".to_owned() };
    let table = state.table(&name).expect("it is there");
    let asked = Arc::new(Asked::default());
    let cancellation = Cancellation::pausing(Arc::clone(&asked) as Arc<dyn Pause>);
    let context = Context { cancellation, ..Context::new(Arc::clone(&engine.0.memory)) };
    let improved = improved(table, &state.domains(), &context).expect("there is the memory").expect("it is due");
    settle(improved.table(), &context).expect("there is the memory");
    let pieces = table.stored().chunks.len() * table.stored().fields.len();
    let (count, longest) = (asked.count.load(Ordering::Relaxed), *asked.longest.lock().expect("nobody panics"));
    assert!(count >= 2 * pieces, "{count} times, of {pieces} columns of chunks; at most {longest:?} between two");
    println!("{count} times, at most {longest:?} between two");
}
