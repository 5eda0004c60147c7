//! Providers that use the engine which calls them, and how much is read of one.

use super::misuse::{Made, batch, check_error, error, session};
use super::rows;
use crate::provider::{ColumnRange, Scan, TablePart, TableProvider};
use crate::provider::{ProviderError, Test};
use crate::{DataType, Field, Session, Value};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A provider that runs a statement of its engine somewhere, and keeps what came of it.
struct Within {
    session: Session,
    place: &'static str,
    is_on: Arc<AtomicBool>,
    found: Arc<Mutex<Vec<String>>>,
}

impl std::fmt::Debug for Within {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Within").field("place", &self.place).finish_non_exhaustive()
    }
}

/// Runs a statement when it is dropped.
struct Dropped(Session, Arc<Mutex<Vec<String>>>);

fn run(session: &Session, found: &Mutex<Vec<String>>) {
    let ran = session.sql("CREATE TABLE within AS SELECT 1 AS a");
    let said = ran.map_or_else(|error| error.sqlstate().to_owned(), |_| "it runs".to_owned());
    found.lock().expect("nobody panics").push(said);
}

impl Drop for Dropped {
    fn drop(&mut self) {
        run(&self.0, &self.1);
    }
}

impl Within {
    fn run(&self, place: &str) {
        if self.place == place && self.is_on.load(Ordering::Relaxed) {
            run(&self.session, &self.found);
        }
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        self.run("drop");
    }
}

impl TableProvider for Within {
    fn fields(&self) -> Vec<Field> {
        self.run("fields");
        vec![Field::new("a", DataType::BigInt, false), Field::new("b", DataType::Text, true)]
    }

    fn rows(&self) -> Option<u64> {
        self.run("rows");
        None
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        self.run("scan");
        let (session, found) = (self.session.engine().session(), Arc::clone(&self.found));
        let is_on = self.is_on.load(Ordering::Relaxed);
        let dropped = (is_on && self.place == "part").then(|| Dropped(session, Arc::clone(&found)));
        let session = (is_on && self.place == "next").then(|| self.session.engine().session());
        let rows = batch(scan, 0..3);
        let part = std::iter::once_with(move || {
            let _kept = &dropped;
            session.inspect(|session| run(session, &found));
            rows
        });
        Ok(vec![TablePart::new(part)])
    }
}

#[test]
fn statements_within_are_errors() {
    for place in ["fields", "rows", "scan", "next", "part", "drop"] {
        let session = super::engine().session();
        let (is_on, found) = (Arc::new(AtomicBool::new(place == "fields" || place == "rows")), Arc::default());
        let within =
            Within { session: session.engine().session(), place, is_on: Arc::clone(&is_on), found: Arc::clone(&found) };
        session.register_table("t", within).expect("a table");
        session.sql("CREATE MATERIALIZED VIEW m AS SELECT a FROM t").expect("a view");
        is_on.store(true, Ordering::Relaxed);
        // It has the lock of the catalog while it reads.
        session.sql("REFRESH MATERIALIZED VIEW m").expect("it reads");
        assert_eq!(rows(&session, "SELECT a FROM m"), ["0", "1", "2"]);
        let other = Made::new(1, |_, _, _| None);
        session.register_table("other", other).expect("a table");
        session.sql("DROP TABLE t CASCADE").expect("it goes");
        let found = found.lock().expect("nobody panics");
        assert!(!found.is_empty() && found.iter().all(|said| said == "0A000"), "{place}: {found:?}");
        assert_eq!(error(&session, "SELECT * FROM within").sqlstate(), "42P01", "{place}");
    }
}

#[test]
fn what_is_replaced_is_dropped() {
    let (session, found) = (super::engine().session(), Arc::default());
    let within = Within {
        session: session.engine().session(),
        place: "drop",
        is_on: Arc::new(AtomicBool::new(true)),
        found: Arc::clone(&found),
    };
    session.register_table("t", within).expect("a table");
    session.register_table("t", Made::new(1, |_, _, _| None)).expect("another one");
    assert_eq!(*found.lock().expect("nobody panics"), ["0A000"]);
    assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["0"]);
}

#[test]
fn pivots_say_their_values() {
    let session = session(Made::new(1, |scan, _, at| (at == 0).then(|| batch(scan, 0..30))));
    let says = "PIVOT over a table provider without the values";
    check_error(&session, "PIVOT t ON b USING sum(a)", ("0A000", says));
    check_error(&session, "WITH u AS (SELECT * FROM t WHERE a > 3) PIVOT u ON b USING sum(a)", ("0A000", says));
    assert_eq!(session.prepare("PIVOT t ON b USING sum(a)").map(drop).expect_err("it is refused").sqlstate(), "0A000");
    assert_eq!(rows(&session, "PIVOT t ON b IN ('text 1', 'no') USING sum(a)"), ["33|NULL"]);
    // A table of its rows is another matter.
    session.sql("CREATE TABLE kept AS SELECT * FROM t WHERE a < 2").expect("a copy");
    assert_eq!(rows(&session, "PIVOT kept ON b USING sum(a)"), ["0|1"]);
}

#[test]
fn a_limit_ends_a_scan() {
    let asked = Arc::new(AtomicUsize::new(0));
    let made = {
        let asked = Arc::clone(&asked);
        // More rows than the plan is for.
        Made::new(8, move |scan, _, at| {
            asked.fetch_add(1, Ordering::Relaxed);
            (at < 1000).then(|| batch(scan, 0..1000))
        })
    };
    let session = session(made);
    let check = |sql: &str, rows: &[&str], most: usize| {
        asked.store(0, Ordering::Relaxed);
        assert_eq!(self::rows(&session, sql), rows, "{sql}");
        let asked = asked.load(Ordering::Relaxed);
        assert!(asked <= most, "{sql}: {asked} batches");
    };
    check("SELECT count(*) FROM (SELECT a FROM t LIMIT 10) x", &["10"], 8);
    check("SELECT count(*), count(b) FROM (SELECT a, b FROM t LIMIT 10 OFFSET 1495) x", &["10|10"], 10);
    check("SELECT 1 FROM t LIMIT 2", &["1", "1"], 8);
    check("SELECT a FROM t LIMIT 0", &[], 0);
    // Here other rows than the first ones count.
    check("SELECT count(*) FROM (SELECT a FROM t WHERE a = 999 LIMIT 20) x", &["20"], usize::MAX);
    check("SELECT max(a) FROM (SELECT a FROM t ORDER BY a DESC LIMIT 20) x", &["999"], usize::MAX);
}

#[test]
fn a_limit_leaves_parts_alone() {
    let begun = Arc::new(AtomicUsize::new(0));
    let made = {
        let begun = Arc::clone(&begun);
        Made::new(500, move |scan, _, at| {
            begun.fetch_add(usize::from(at == 0), Ordering::Relaxed);
            (at < 1).then(|| batch(scan, 0..1000))
        })
    };
    let session = session(made);
    for (sql, most) in [("SELECT a FROM t LIMIT 10", 20), ("SELECT b FROM t LIMIT 100 OFFSET 20000", 60)] {
        begun.store(0, Ordering::Relaxed);
        let found = rows(&session, sql).len();
        let begun = begun.load(Ordering::Relaxed);
        assert!(found >= 10 && begun <= most, "{sql}: {begun} parts");
    }
    begun.store(0, Ordering::Relaxed);
    assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["500000"]);
    assert_eq!(begun.load(Ordering::Relaxed), 500);
}

#[test]
fn bounds_that_say_nothing() {
    let range = |min: Value, max: Value| ColumnRange { min: Some(min), max: Some(max), nulls: None };
    let tests = || {
        [
            Test::Equal(Value::Int(3)),
            Test::NotEqual(Value::Int(3)),
            Test::Less(Value::Int(3)),
            Test::LessEqual(Value::Int(3)),
            Test::Greater(Value::Int(3)),
            Test::GreaterEqual(Value::Int(3)),
            Test::In(vec![Value::Int(3)]),
            Test::StartsWith("a".into()),
        ]
    };
    for test in tests() {
        for (min, max) in [
            (Value::Null, Value::Null),
            (Value::text("z"), Value::Float(0.5)),
            (Value::Boolean(true), Value::Decimal(2)),
        ] {
            let is_text = matches!((&test, &min), (Test::StartsWith(_), Value::Text(_)));
            assert!(is_text || test.may_meet(&range(min.clone(), max.clone())), "{test:?}: {min:?}, {max:?}");
        }
    }
    assert!(!Test::Equal(Value::Int(3)).may_meet(&range(Value::Null, Value::Int(2))));
    assert!(!Test::Equal(Value::Int(3)).may_meet(&range(Value::Int(4), Value::Null)));
}
