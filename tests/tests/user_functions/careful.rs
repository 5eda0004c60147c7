//! Errors, panics and states of a program's functions where plans do more, or less, than the statement says.

use super::{fails, rows, sessions};
use multiloop::{Aggregate, AggregateFunction, Engine, ErrorKind, Result, ScalarFunction, Volatility};
use multiloop_tests::answer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The greatest number that a text is, in base 16. Its state says that it takes so many bytes.
struct Greatest {
    panics: bool,
    bytes: usize,
    inserts: Arc<AtomicU64>,
    counts: Arc<AtomicU64>,
}

impl Greatest {
    fn new(panics: bool, bytes: usize) -> Self {
        Greatest { panics, bytes, inserts: Arc::default(), counts: Arc::default() }
    }
}

impl Aggregate for Greatest {
    type Input = (String,);
    type State = i64;
    type Output = i64;

    fn start(&self) -> i64 {
        i64::MIN
    }

    fn insert(&self, state: &mut i64, (text,): (String,)) -> Result<()> {
        self.inserts.fetch_add(1, Ordering::Relaxed);
        let value = i64::from_str_radix(&text, 16);
        assert!(!self.panics || value.is_ok(), "no number");
        *state = (*state).max(value.map_err(|_| multiloop::Error::new(ErrorKind::ExternalRoutine, "no number"))?);
        Ok(())
    }

    fn merge(&self, state: &mut i64, later: i64) -> Result<()> {
        *state = (*state).max(later);
        Ok(())
    }

    fn finish(&self, state: i64) -> i64 {
        state
    }

    fn bytes(&self, _: &i64) -> usize {
        self.counts.fetch_add(1, Ordering::Relaxed);
        self.bytes
    }
}

/// A state of which there can be no second.
struct Alone;

impl Clone for Alone {
    fn clone(&self) -> Self {
        panic!("there is one")
    }
}

struct Single;

impl Aggregate for Single {
    type Input = (i64,);
    type State = Alone;
    type Output = i64;

    fn start(&self) -> Alone {
        Alone
    }

    fn insert(&self, _: &mut Alone, (_,): (i64,)) -> Result<()> {
        Ok(())
    }

    fn merge(&self, _: &mut Alone, _: Alone) -> Result<()> {
        Ok(())
    }

    fn finish(&self, _: Alone) -> i64 {
        1
    }
}

#[test]
fn errors_of_rows_that_nobody_asks_for_are_none() {
    for session in sessions(3) {
        let engine = session.engine();
        let hex = |text: &str| i64::from_str_radix(text, 16);
        engine.register_scalar(ScalarFunction::new("my_hex", move |text: String| hex(&text))).expect("a function");
        let own =
            move |text: String| hex(&text).map_err(|error| multiloop::Error::new(ErrorKind::Io, error.to_string()));
        engine.register_scalar(ScalarFunction::new("hex_own", own)).expect("a function");
        let panics = move |text: String| hex(&text).expect("a number");
        engine.register_scalar(ScalarFunction::new("hex_panics", panics)).expect("a function");
        for (name, panics) in [("great", false), ("great_panics", true)] {
            let function = AggregateFunction::new(name, Greatest::new(panics, 8)).commutative();
            engine.register_aggregate(function).expect("an aggregate");
        }
        let tables = "CREATE OR REPLACE TABLE texts AS SELECT * FROM (VALUES (1, 'ff'), (1, NULL), (2, 'zz')) v(k, s)";
        session.sql(tables).expect("a table");
        session.sql("CREATE OR REPLACE TABLE asked AS SELECT * FROM (VALUES (1), (1)) v(k)").expect("a table");
        for (call, state) in [
            ("max(my_hex(s))", "38000"),
            ("max(hex_own(s))", "58030"),
            ("max(hex_panics(s))", "XX000"),
            ("great(s)", "38000"),
            ("great_panics(s)", "XX000"),
        ] {
            let sql = |asked: &str| format!("SELECT (SELECT {call} FROM texts t WHERE t.k = o.k) FROM {asked} o");
            assert_eq!(rows(&answer(&session, &sql("asked"))), [["255"], ["255"]], "{call}");
            fails(&session, &sql("(SELECT 1 AS k UNION ALL SELECT 2)"), state, "");
        }
        let keys = "SELECT count(*) FROM texts t JOIN asked o ON my_hex(t.s) = o.k + 254 AND t.k = o.k";
        assert_eq!(rows(&answer(&session, keys)), [["2"]]);
    }
}

#[test]
fn what_is_stable_is_asked_for_by_each_statement() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let now = Arc::new(AtomicU64::new(2));
    let read = Arc::clone(&now);
    let function = ScalarFunction::new("stable_plus", move |n: i64| n + read.load(Ordering::Relaxed) as i64);
    engine.register_scalar(function.volatility(Volatility::Stable)).expect("a function");
    let fails = ScalarFunction::new("each_fails", |n: i64| if n > 5 { Err("too much") } else { Ok(n) });
    engine.register_scalar(fails.volatility(Volatility::Volatile)).expect("a function");
    let session = engine.session();
    for (name, sql) in [
        ("l", "SELECT n FROM generate_series(1, 9) g(n) LIMIT stable_plus(0)"),
        ("o", "SELECT n FROM generate_series(1, 9) g(n) ORDER BY n OFFSET 9 - stable_plus(1 - 1)"),
        (
            "f",
            "SELECT unnest(list_transform([1, 2], lambda x: x + stable_plus(x) - x)) - 1 FROM generate_series(2, stable_plus(0)) g(n) LIMIT 1",
        ),
    ] {
        session.sql(&format!("PREPARE {name} AS {sql}")).expect("a statement");
    }
    let counted = |name: &str| rows(&answer(&session, &format!("EXECUTE {name}"))).len();
    let value = || rows(&answer(&session, "EXECUTE f"))[0][0].clone();
    assert_eq!((counted("l"), counted("o"), value()), (2, 2, "2".to_owned()));
    now.store(5, Ordering::Relaxed);
    assert_eq!((counted("l"), counted("o"), value()), (5, 5, "5".to_owned()));
    let lambda = "SELECT list_transform([n], lambda x: each_fails(x)) FROM generate_series(1, 9) g(n) WHERE n < 3";
    assert_eq!(rows(&answer(&session, lambda)), [["{1}"], ["{2}"]]);
}

#[test]
fn states_are_counted_and_copied_with_care() {
    let engine = Engine::builder().threads(1).build().expect("an engine");
    let (small, huge) = (Greatest::new(false, 8), Greatest::new(false, usize::MAX));
    let (inserts, counts) = (Arc::clone(&small.inserts), Arc::clone(&small.counts));
    engine.register_aggregate(AggregateFunction::new("small", small).commutative()).expect("an aggregate");
    engine.register_aggregate(AggregateFunction::new("huge", huge).commutative()).expect("an aggregate");
    engine.register_aggregate(AggregateFunction::new("single", Single).commutative()).expect("an aggregate");
    let session = engine.session();
    session
        .sql("CREATE TABLE digits AS SELECT n, n % 3 AS k FROM generate_series(1::bigint, 40000) g(n)")
        .expect("rows");
    assert_eq!(rows(&answer(&session, "SELECT small((n % 10)::text) FROM digits")), [["9"]]);
    assert!(counts.swap(0, Ordering::Relaxed) < 500);
    assert_eq!(inserts.swap(0, Ordering::Relaxed), 40_000);
    fails(&session, "SELECT small('z' || n) FROM digits", "38000", "no number");
    assert!(inserts.load(Ordering::Relaxed) < 40, "it goes on after an error");
    fails(&session, "SELECT k, huge(n::text) FROM digits GROUP BY k", "53200", "");
    fails(&session, "SELECT k, single(n) FROM digits GROUP BY k", "XX000", "there is one");
    for (sql, is_short) in
        [("SELECT sum(n) FROM digits WHERE n = 7", true), ("SELECT small(n::text) FROM digits WHERE n = 7", false)]
    {
        session
            .sql("CREATE OR REPLACE TABLE digits AS SELECT n FROM generate_series(1::bigint, 9) g(n)")
            .expect("rows");
        let prepared = session.prepare(sql).expect("a statement");
        assert_eq!(session.estimate(&prepared).expect("a plan").is_some(), is_short, "{sql}");
    }
    assert_eq!(rows(&answer(&session, "SELECT count(*) FROM digits")), [["9"]], "the session goes on");
}
