//! Functions, aggregates and table providers that panic or fail in the middle: their states, batches and what a panic holds are
//! dropped, memory is given back, and their engine goes on.

use super::{Gate, a_million, engine, rows, run, sqlstate, watched};
use multiloop::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use multiloop::{
    Aggregate, AggregateFunction, Backend, DataType, Engine, Error, ErrorKind, Field, ProviderError, Result,
    ResultStream, ScalarFunction, Scan, Session, TablePart, TableProvider,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the values that are there which have it.
type Witness = Arc<()>;

/// A session of the processors, and one of the interpreter.
fn sessions(engine: &Engine) -> [Session; 2] {
    [Backend::Cpu, Backend::Interpreter].map(|backend| {
        let mut session = engine.session();
        session.options.backend = backend;
        session
    })
}

#[test]
fn what_a_panic_holds_is_dropped() {
    watched(|| {
        let engine = engine();
        let witness = Witness::default();
        let held = Arc::clone(&witness);
        let payload = ScalarFunction::new("payload", move |n: i64| -> i64 {
            if n == 700 { std::panic::panic_any(Arc::clone(&held)) } else { n }
        });
        engine.register_scalar(payload).expect("a function");
        engine
            .register_scalar(ScalarFunction::new("worse", |_: i64| -> i64 { std::panic::panic_any(Worse) }))
            .expect("it");
        for session in sessions(&engine) {
            let error = session.sql("SELECT sum(payload(n)) FROM generate_series(1::bigint, 1000) g (n)").map(drop);
            let error = error.expect_err("it panics");
            assert_eq!(error.message(), "function payload panicked: what it says is no text");
            assert_eq!(sqlstate(session.sql("SELECT worse(1)")), "XX000");
            assert_eq!(rows(&session, "SELECT 1"), ["1"]);
        }
        assert_eq!(Arc::strong_count(&witness), 2, "the function has it, and this test");
        assert!(engine.remove_function("payload"));
        assert_eq!((Arc::strong_count(&witness), engine.memory_used()), (1, 0));
    });
}

/// What a panic holds that panics itself.
struct Worse;

impl Drop for Worse {
    fn drop(&mut self) {
        panic!("once more");
    }
}

/// Where an aggregate panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    Insert,
    Merge,
    Finish,
    Bytes,
    Clone,
    Nowhere,
    /// It fails, without a panic.
    Fails,
    /// Where the state is dropped.
    Drop,
}

/// Its states count themselves, and it panics somewhere, of many rows.
struct Counted {
    at: At,
    witness: Witness,
}

struct CountedState {
    at: At,
    rows: i64,
    _witness: Witness,
}

impl Clone for CountedState {
    fn clone(&self) -> Self {
        assert!(self.at != At::Clone, "in Clone");
        CountedState { at: self.at, rows: self.rows, _witness: Arc::clone(&self._witness) }
    }
}

impl Drop for CountedState {
    fn drop(&mut self) {
        assert!(self.at != At::Drop || self.rows < 3, "in Drop");
    }
}

impl Aggregate for Counted {
    type Input = (i64,);
    type State = CountedState;
    type Output = i64;

    fn start(&self) -> CountedState {
        assert!(self.at != At::Start, "in start");
        CountedState { at: self.at, rows: 0, _witness: Arc::clone(&self.witness) }
    }

    fn insert(&self, state: &mut CountedState, (n,): (i64,)) -> Result<()> {
        assert!(self.at != At::Insert || n != 33_333, "in insert");
        if self.at == At::Fails && n == 33_333 {
            return Err(Error::new(ErrorKind::ExternalRoutine, "it fails"));
        }
        state.rows += 1;
        Ok(())
    }

    fn merge(&self, state: &mut CountedState, later: CountedState) -> Result<()> {
        assert!(self.at != At::Merge, "in merge");
        state.rows += later.rows;
        Ok(())
    }

    fn finish(&self, state: CountedState) -> i64 {
        assert!(self.at != At::Finish, "in finish");
        state.rows
    }

    fn bytes(&self, state: &CountedState) -> usize {
        assert!(self.at != At::Bytes || state.rows < 2, "in bytes");
        1000
    }
}

#[test]
fn states_of_aggregates_are_dropped() {
    watched(|| {
        let places =
            [At::Nowhere, At::Start, At::Insert, At::Merge, At::Finish, At::Bytes, At::Clone, At::Fails, At::Drop];
        for at in places {
            let (engine, witness) = (engine(), Witness::default());
            let counted = || Counted { at, witness: Arc::clone(&witness) };
            engine.register_aggregate(AggregateFunction::new("gathered", counted())).expect("it");
            engine.register_aggregate(AggregateFunction::new("states", counted()).commutative()).expect("it");
            run(
                &engine.session(),
                "CREATE TABLE t AS SELECT n, n % 50 AS k FROM generate_series(1::bigint, 34000) g (n)",
            );
            let (held, used) = (Arc::strong_count(&witness), engine.memory_used());
            for session in sessions(&engine) {
                for name in ["gathered", "states"] {
                    for sql in [
                        format!("SELECT {name}(n) FROM t"),
                        format!("SELECT k, {name}(n) FROM t GROUP BY k"),
                        format!(
                            "SELECT k, {name}(DISTINCT n), sum(n), {name}(n + 1) FROM t GROUP BY k HAVING {name}(n) > 1"
                        ),
                        format!("SELECT {name}(n) OVER (ORDER BY n ROWS 3 PRECEDING) FROM t WHERE n < 100"),
                        format!("CREATE TABLE made AS SELECT k, {name}(n) AS c FROM t GROUP BY k"),
                    ] {
                        let done = session.sql(&sql).and_then(ResultStream::collect_batches).map(drop);
                        match done {
                            Ok(()) => assert!(at != At::Start, "{at:?}: {sql}"),
                            Err(error) => {
                                assert!(["XX000", "38000"].contains(&error.sqlstate()), "{at:?}: {sql}: {error}");
                            }
                        }
                        run(&session, "DROP TABLE IF EXISTS made");
                        assert_eq!(Arc::strong_count(&witness), held, "{at:?}: {sql}");
                        assert_eq!(engine.memory_used(), used, "{at:?}: {sql}");
                    }
                }
                assert_eq!(rows(&session, "SELECT count(*), sum(n) FROM t"), ["34000 578017000"]);
            }
            assert!(engine.remove_function("gathered") && engine.remove_function("states"));
            assert_eq!(Arc::strong_count(&witness), 1, "{at:?}");
        }
    });
}

/// A store of two parts, whose batches are of one array; what a part does when it is asked for a batch is a closure's.
struct Store {
    batch: RecordBatch,
    next: Arc<Next>,
    witness: Witness,
}

/// What comes at a place of a part; None ends it.
type Next = dyn Fn(usize) -> Option<std::result::Result<(), ProviderError>> + Send + Sync;

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl TableProvider for Store {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("a", DataType::BigInt, false)]
    }

    fn scan(&self, scan: &Scan) -> std::result::Result<Vec<TablePart>, ProviderError> {
        let batch = self.batch.project(&scan.columns)?;
        let part = |_| {
            let (batch, next, witness) = (batch.clone(), Arc::clone(&self.next), Arc::clone(&self.witness));
            TablePart::new((0..).map_while(move |at| {
                assert!(Arc::strong_count(&witness) > 1);
                next(at).map(|outcome| outcome.map(|()| batch.clone()))
            }))
        };
        Ok((0..2).map(part).collect())
    }
}

#[test]
fn batches_and_parts_of_providers_are_dropped() {
    watched(|| {
        let array = Int64Array::from_iter_values(0..50_000);
        let buffer = multiloop::arrow::array::Array::to_data(&array).buffers()[0].clone();
        let batch = RecordBatch::try_from_iter([("a", Arc::new(array) as ArrayRef)]).expect("a batch");
        let ends: [(&str, Box<Next>); 4] = [
            ("it ends", Box::new(|at| (at < 3).then_some(Ok(())))),
            ("it fails", Box::new(|at| Some(if at < 3 { Ok(()) } else { Err("the disk is gone".into()) }))),
            ("it panics", Box::new(|at| if at < 3 { Some(Ok(())) } else { panic!("in a part") })),
            ("it has no end", Box::new(|_| Some(Ok(())))),
        ];
        for (how, next) in ends {
            let (engine, witness) = (engine(), Witness::default());
            let [session, _] = &sessions(&engine);
            let held = buffer.strong_count();
            let store = Store { batch: batch.clone(), next: next.into(), witness: Arc::clone(&witness) };
            session.register_table("t", store).expect("a table");
            let registered = (buffer.strong_count(), Arc::strong_count(&witness), engine.memory_used());
            let check = |sql: &str| {
                let now = (buffer.strong_count(), Arc::strong_count(&witness), engine.memory_used());
                assert_eq!(now, registered, "{how}: {sql}");
            };
            if how == "it has no end" {
                session.set("statement_timeout", "100").expect("a setting");
            }
            for sql in
                ["SELECT a FROM t", "SELECT sum(x.a) FROM t x, t y WHERE x.a = y.a + 1", "SELECT a FROM t ORDER BY 1"]
            {
                // Dropped at once, half read, and read.
                drop(session.sql(sql));
                check(sql);
                let half = session.sql(sql).map(|mut rows| rows.next());
                drop(half);
                check(sql);
                let all = session.sql(sql).and_then(ResultStream::collect_batches);
                assert_eq!(all.is_ok(), how == "it ends", "{sql}");
                drop(all);
                check(sql);
                let _ = session.sql(&format!("BEGIN; DECLARE c CURSOR FOR {sql}; FETCH 10 c")).map(drop);
                run(session, "ROLLBACK");
                check(sql);
                let _ = session.sql(&format!("CREATE TABLE made AS {sql}")).map(drop);
                run(session, "DROP TABLE IF EXISTS made");
                check(sql);
            }
            // What reads it keeps it; then it is gone with its name.
            session.set("statement_timeout", "0").expect("a setting");
            let prepared = session.prepare("SELECT a FROM t").expect("a query");
            run(session, "DROP TABLE t");
            assert_eq!(Arc::strong_count(&witness), 1, "{how}");
            drop(prepared);
            assert_eq!((buffer.strong_count(), engine.memory_used()), (held, 0), "{how}");
        }
    });
}

/// A progress callback that panics, or asks its session something.
#[test]
fn callbacks_that_panic() {
    watched(|| {
        let engine = engine();
        let mut session = engine.session();
        a_million(&session);
        let used = engine.memory_used();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        session.on_progress(Some(Arc::new(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            panic!("in the callback")
        })));
        // It is the statement's error, if it was called at all.
        let done = session.sql("SELECT pg_sleep(1)").map(drop);
        assert!(calls.load(Ordering::Relaxed) == 1 && done.is_err_and(|error| error.sqlstate() == "XX000"));
        session.on_progress(None);
        assert_eq!(rows(&session, "SELECT max(n) FROM million"), ["999999"]);
        assert_eq!(engine.memory_used(), used);

        // One that is told of notices: whoever tells has told.
        let other = engine.session();
        run(&other, "LISTEN c");
        other.on_notify(Some(Arc::new(|| panic!("in the other callback"))));
        run(&session, "CREATE TABLE t (a int)");
        run(&session, "BEGIN; NOTIFY c, 'one'; INSERT INTO t VALUES (1); COMMIT");
        assert_eq!(rows(&other, "SELECT a FROM t"), ["1"]);
        assert_eq!(session.transaction_status(), multiloop::TransactionStatus::Idle);
        assert_eq!(other.notifications().len(), 1);
        other.on_notify(None);
        run(&session, "NOTIFY c, 'two'");
        assert_eq!(other.notifications().len(), 1);
    });
}

/// Who is told something may run statements of their session at once, also the session that has told it.
#[test]
fn callbacks_that_run_statements() {
    watched(|| {
        let session = Arc::new(engine().session());
        run(&session, "CREATE TABLE t (a int); CREATE TABLE told (a int); LISTEN c");
        let told = Arc::downgrade(&session);
        session.on_notify(Some(Arc::new(move || {
            let session = told.upgrade().expect("it runs");
            run(&session, "BEGIN; INSERT INTO told VALUES (1); COMMIT");
        })));
        run(&session, "BEGIN; NOTIFY c, 'one'; INSERT INTO t VALUES (1); COMMIT; NOTIFY c, 'two'");
        assert_eq!(rows(&session, "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM told)"), ["1 2"]);
        session.on_notify(None);
    });
}

/// A function may not run statements, but it may ask its session what needs none, while that one fetches and is in a transaction.
#[test]
fn functions_that_ask_their_session() {
    watched(|| {
        let engine = engine();
        let session = Arc::new(engine.session());
        let asked = Arc::downgrade(&session);
        let asks = ScalarFunction::new("asks", move |n: i64| {
            let session = asked.upgrade().expect("it runs");
            session.close_cursor("other");
            let known = session.cursor("c").is_some();
            assert_eq!(session.fetch_next("c", 1).map(drop).expect_err("within a function").sqlstate(), "0A000");
            n + i64::from(known) + session.notifications().len() as i64
        });
        engine.register_scalar(asks.volatility(multiloop::Volatility::Volatile)).expect("a function");
        run(&session, "CREATE TABLE many AS SELECT n FROM generate_series(1::bigint, 70000) g (n)");
        run(
            &session,
            "BEGIN; DECLARE other CURSOR FOR SELECT 1; DECLARE c CURSOR FOR SELECT n FROM many WHERE asks(n) > 0",
        );
        assert_eq!(session.fetch_next("c", u64::MAX).map(|rows| rows.count() > 0), Ok(true));
        assert!(session.cursor("c").is_some() && session.cursor("other").is_none());
        run(&session, "COMMIT");
    });
}

/// A gate holds a statement, whose function panics when it is let go on: as any.
#[test]
fn a_panic_on_a_stream() {
    watched(|| {
        let (gate, engine) = (Gate::default(), engine());
        let waits = gate.clone();
        let function = ScalarFunction::new("late", move |n: i64| -> i64 {
            waits.pass();
            panic!("late, at {n}")
        });
        engine.register_scalar(function).expect("a function");
        let session = Arc::new(engine.session());
        let stream = session.query_stream("SELECT late(n) FROM generate_series(1::bigint, 10) g (n)", ());
        gate.wait_for_somebody();
        gate.open();
        drop(stream);
        super::wait_until("its thread has ended", || Arc::strong_count(&session) == 1 && engine.memory_used() == 0);
    });
}
