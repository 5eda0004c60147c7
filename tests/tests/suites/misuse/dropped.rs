//! What is dropped before its end: results, readers, streams, appenders, prepared statements, sessions, snapshots.

use super::{
    ENDLESS, Gate, OF_TABLE, STREAMED, a_million, activity, engine, rows, run, session, sqlstate, wait_until, watched,
};
use multiloop::arrow::array::RecordBatch;
use multiloop::{Cancellation, Engine, ResultStream, Session, Value, params};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};

/// Results of every kind: made while they are read, whole, of few rows, of the system's.
const QUERIES: [&str; 6] = [
    STREAMED,
    OF_TABLE,
    "SELECT n, n::text AS t FROM million ORDER BY n % 1000, n",
    "SELECT n % 10 AS k, count(*), array_agg(n) FROM million GROUP BY 1",
    "SELECT n FROM million WHERE n < 10",
    "SELECT relname FROM pg_class",
];

/// Wakes the thread that waits.
struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn results_that_are_half_read() {
    watched(|| {
        let session = Arc::new(session());
        // They are made a hundred times.
        run(&session, "CREATE TABLE million AS SELECT n FROM generate_series(0, 99999) g (n)");
        run(&session, QUERIES[2]);
        let used = session.engine().memory_used();
        for sql in QUERIES {
            for taken in 0..3 {
                let some = |mut rows: ResultStream| {
                    let taken: Vec<RecordBatch> = rows.by_ref().take(taken).collect::<Result<_, _>>().expect("rows");
                    (rows, taken)
                };
                let check = |how: &str| {
                    assert_eq!(session.engine().memory_used(), used, "{how} {taken}: {sql}");
                    assert_eq!(activity(&session), ["1 1"], "{how} {taken}: {sql}");
                };
                let (result, batches) = some(session.sql(sql).expect("rows"));
                drop(result);
                // Batches that were handed over are the program's.
                check("a result");
                drop(batches);
                let mut reader = session.sql(sql).expect("rows").with_batch_rows(10).into_reader();
                reader.by_ref().take(taken).for_each(|batch| drop(batch.expect("rows")));
                drop(reader.into_stream());
                check("a reader");
                let mut typed = session.query(sql, ()).expect("rows");
                for _ in 0..taken {
                    typed.next().expect("a row").expect("a row");
                }
                drop(typed);
                check("rows");
                run(&session, &format!("BEGIN; DECLARE c CURSOR FOR {sql}; FETCH {taken} c; CLOSE c; COMMIT"));
                check("a cursor");
                let mut stream = session.query_stream(sql, ());
                for _ in 0..taken {
                    block_on(stream.next_batch()).into_iter().for_each(|batch| drop(batch.expect("rows")));
                }
                drop(stream);
                let mut stream = session.sql(sql).expect("rows").into_batch_stream();
                for _ in 0..taken {
                    block_on(stream.next_batch()).into_iter().for_each(|batch| drop(batch.expect("rows")));
                }
                drop(stream);
                wait_until("threads of streams have ended", || {
                    Arc::strong_count(&session) == 1 && session.engine().memory_used() == used
                });
                check("a stream");
            }
        }
    });
}

#[test]
fn a_result_holds_what_it_needs_of_dropped_tables() {
    watched(|| {
        for sql in [OF_TABLE, "SELECT n FROM million WHERE n % 2 = 0", "SELECT DISTINCT n % 10 FROM million"] {
            let session = session();
            a_million(&session);
            let mut result = session.sql(sql).expect("rows");
            assert!(result.next().is_some_and(|batch| batch.is_ok()));
            run(&session, "DROP TABLE million");
            // The rest of the rows is there.
            assert!(result.next().is_none_or(|batch| batch.is_ok()), "{sql}");
            drop(result);
            assert_eq!(session.engine().memory_used(), 0, "{sql}");
            // One that has been read to its end holds nothing of them, wherever it is kept.
            run(&session, "CREATE TABLE small AS SELECT n FROM generate_series(1, 100000) g (n)");
            let mut read = session.sql("SELECT n, now() AS t FROM small WHERE n < 0").expect("rows");
            assert!(read.by_ref().all(|batch| batch.is_ok()));
            run(&session, "DROP TABLE small");
            assert_eq!(session.engine().memory_used(), 0, "what has ended holds nothing");
            drop(read);
        }
    });
}

#[test]
fn appenders_without_an_end() {
    watched(|| {
        let session = session();
        run(&session, "CREATE TABLE t (a bigint, b text)");
        let used = session.engine().memory_used();
        for count in [0, 1, 1000, 100_000] {
            for block in ["", "BEGIN"] {
                run(&session, block);
                let mut appender = session.appender("t").expect("a table");
                for n in 0..count {
                    appender.push((n, format!("text of row {n}"))).expect("a row");
                }
                // A row that is refused, and one that panics in the middle.
                assert!(appender.push(&[Value::text("none")]).is_err());
                let panics = std::panic::AssertUnwindSafe(|| {
                    appender.push_with(|row| {
                        row.int(1)?;
                        panic!("in the middle of a row")
                    })
                });
                assert!(std::panic::catch_unwind(panics).is_err());
                assert_eq!(appender.buffered() as i64, count);
                drop(appender);
                run(&session, "ROLLBACK");
                assert_eq!(session.engine().memory_used(), used, "{count} rows {block}");
            }
        }
        assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["0"]);
        // One that outlives its table, and its transaction.
        run(&session, "BEGIN");
        let mut appender = session.appender("t").expect("a table");
        appender.push((1_i64, "x")).expect("a row");
        run(&session, "ROLLBACK; DROP TABLE t");
        assert_eq!(sqlstate(appender.flush()), "42P01");
        assert_eq!(appender.finish().expect("nothing is left"), 0);
        assert_eq!(session.engine().memory_used(), 0);
    });
}

#[test]
fn prepared_statements_that_go_while_they_run() {
    watched(|| {
        let session = session();
        a_million(&session);
        let used = session.engine().memory_used();
        let prepared = session
            .prepare("SELECT a.n, b.n AS m FROM million a, (VALUES (0), (1)) b (n) WHERE a.n >= $1")
            .expect("it");
        let mut result = prepared.execute(&session, &[Value::Int(5)]).expect("rows");
        drop(prepared);
        assert!(result.next().is_some_and(|batch| batch.is_ok()));
        run(&session, &format!("PREPARE p AS {OF_TABLE}; PREPARE q (bigint) AS SELECT n FROM million WHERE n > $1"));
        let mut of_name = session.sql("EXECUTE p").expect("rows");
        run(&session, "BEGIN; DECLARE c CURSOR FOR SELECT n FROM million; FETCH 1 c; DEALLOCATE ALL");
        assert!(of_name.next().is_some_and(|batch| batch.is_ok()));
        assert_eq!(rows(&session, "FETCH 1 c"), ["1"]);
        run(&session, "COMMIT");
        assert_eq!(sqlstate(session.sql("EXECUTE p")), "26000");
        drop((result, of_name));
        assert_eq!(session.engine().memory_used(), used);
        // Kept ones keep no rows of tables that are gone.
        let kept = session.prepare("SELECT sum(n) FROM million").expect("it");
        assert_eq!(kept.execute(&session, &[]).map(|rows| rows.count()).expect("a row"), 1);
        run(&session, "PREPARE p AS SELECT count(*) FROM million; EXECUTE p; DROP TABLE million");
        assert_eq!(session.engine().memory_used(), 0);
        assert_eq!(sqlstate(kept.execute(&session, &[])), "42P01");
    });
}

#[test]
fn sessions_that_go_with_all_that_they_have() {
    watched(|| {
        let engine = engine();
        let watcher = engine.session();
        a_million(&watcher);
        run(&watcher, "CREATE TABLE t (a bigint)");
        let used = engine.memory_used();
        for end in ["", "; SELECT 1 / 0", "; COMMIT"] {
            let session = engine.session();
            let witness = Arc::new(());
            let (of_notice, of_signal) = (Arc::clone(&witness), Arc::clone(&witness));
            session.on_notify(Some(Arc::new(move || drop(Arc::clone(&of_notice)))));
            session.on_signal(Arc::new(move |_| drop(Arc::clone(&of_signal))));
            run(&session, "CREATE TEMPORARY TABLE own AS SELECT n FROM million; LISTEN channel; SET work_mem = '1MB'");
            run(&session, &format!("PREPARE p AS {OF_TABLE}; BEGIN; INSERT INTO t SELECT n FROM million; SAVEPOINT s"));
            run(&session, "CREATE TABLE made AS SELECT n FROM million");
            run(&session, &format!("DECLARE c CURSOR WITH HOLD FOR {STREAMED}; DECLARE d CURSOR FOR {STREAMED}"));
            run(&session, "FETCH 100000 c; FETCH 100000 d");
            let result = session.sql("EXECUTE p").expect("rows");
            let _ = session.sql(&end.replace("; ", ""));
            if end == "; COMMIT" {
                run(&watcher, "DROP TABLE made; TRUNCATE t");
            }
            assert_eq!(activity(&watcher), ["2 1"], "{end}");
            assert!(engine.memory_used() > used);
            drop(session);
            assert_eq!(activity(&watcher), ["1 1"], "{end}");
            assert_eq!(Arc::strong_count(&witness), 1, "its callbacks are dropped");
            drop(result);
            assert_eq!(engine.memory_used(), used, "{end}");
            assert_eq!(rows(&watcher, "SELECT count(*) FROM t"), ["0"]);
            assert_eq!(sqlstate(watcher.sql("SELECT * FROM made")), "42P01");
        }
    });
}

#[test]
fn a_session_that_goes_while_it_runs() {
    watched(|| {
        let engine = engine();
        let watcher = engine.session();
        a_million(&watcher);
        let used = engine.memory_used();
        for sql in [ENDLESS, "SELECT pg_sleep(1000)", "CREATE TABLE x AS SELECT a.n FROM million a, million b"] {
            let session = Arc::new(engine.session());
            let (runs, handle) = (Arc::clone(&session), session.cancel_handle());
            let thread = std::thread::spawn(move || sqlstate(runs.sql(sql).and_then(ResultStream::collect_batches)));
            wait_until("it runs", || activity(&watcher) == ["2 2"]);
            let gone = Arc::downgrade(&session);
            drop(session);
            handle.cancel();
            assert_eq!(thread.join().expect("no panic"), "57014");
            assert!(gone.upgrade().is_none());
            assert_eq!(activity(&watcher), ["1 1"]);
            assert_eq!(engine.memory_used(), used, "{sql}");
            // It is nobody's now.
            handle.cancel();
            assert_eq!(rows(&watcher, "SELECT max(n) FROM million"), ["999999"]);
        }
    });
}

#[test]
fn handles_that_are_used_too_late() {
    watched(|| {
        let session = session();
        a_million(&session);
        let mut first = session.sql(STREAMED).expect("rows");
        let of_result = first.cancel_handle();
        assert!(first.next().is_some_and(|batch| batch.is_ok()));
        drop(first);
        let own = Cancellation::default();
        session.cancelled_by(&own, || session.sql("SELECT 1")).expect("a row");
        // One that is dropped while it runs is cancelled, which a transaction would not survive.
        let stream = Arc::new(session);
        let of_stream = {
            let running = stream.query_stream("SELECT 1", ());
            running.cancel_handle()
        };
        wait_until("the stream's thread has ended", || Arc::strong_count(&stream) == 1);
        let session = Arc::into_inner(stream).expect("nobody else has it");
        let of_cursor = Cancellation::default();
        run(&session, "BEGIN");
        session
            .cancelled_by(&of_cursor, || session.sql(&format!("DECLARE c CURSOR FOR {STREAMED}; FETCH 1 c")))
            .expect("a cursor");
        let mut another = session.sql(STREAMED).expect("rows");
        [of_result, own, of_cursor, of_stream].iter().for_each(Cancellation::cancel);
        assert!(another.next().is_some_and(|batch| batch.is_ok()));
        assert_eq!(rows(&session, "FETCH 1 c").len(), 1);
        assert_eq!(rows(&session, "SELECT max(n) FROM million"), ["999999"]);
        run(&session, "COMMIT");
        // The session's own means the next statement where none runs, that one alone, and not what was begun before it.
        let handle = session.cancel_handle();
        handle.cancel();
        assert_eq!(sqlstate(session.sql("SELECT max(n) FROM million")), "57014");
        handle.cancel();
        assert_eq!(rows(&session, "SELECT max(n) FROM million"), ["999999"]);
    });
}

#[test]
fn snapshots_of_what_is_gone() {
    watched(|| {
        let engine = engine();
        let session = engine.session();
        a_million(&session);
        run(&session, "CREATE TABLE t (a bigint); INSERT INTO t SELECT n FROM million WHERE n < 3");
        let snapshot = session.snapshot().expect("a snapshot");
        let prepared = snapshot.prepare("SELECT count(*) FROM million, t").expect("a query");
        let (sessions, before) = (activity(&session), engine.memory_used());
        run(&session, "DROP TABLE million; TRUNCATE t; INSERT INTO t VALUES (1); ALTER TABLE t RENAME TO u");
        run(&session, "CREATE TABLE million (other text)");
        assert!(engine.memory_used() >= before, "the snapshot has the rows");
        for _ in 0..3 {
            let count = snapshot.sql("SELECT sum(n) FROM million").and_then(multiloop_tests::text_rows);
            assert_eq!(count.expect("rows"), [["499999500000"]]);
            let count = snapshot.run(&prepared, &[]).and_then(multiloop_tests::text_rows);
            assert_eq!(count.expect("rows"), [["3000000"]]);
            assert_eq!(rows(&session, "SELECT count(*) FROM u, million"), ["0"]);
        }
        // What came of it is good for longer, and holds the rows then.
        let mut result = snapshot.sql(OF_TABLE).expect("rows");
        drop(snapshot);
        assert!(result.next().is_some_and(|batch| batch.is_ok()));
        drop(result);
        run(&session, "DROP TABLE million; DROP TABLE u");
        assert_eq!((activity(&session), engine.memory_used()), (sessions, 0));
        drop(prepared);
        // Half a transaction's.
        run(&session, "BEGIN; CREATE TABLE t AS SELECT n FROM generate_series(1, 100000) g (n)");
        let snapshot = session.snapshot().expect("a snapshot");
        run(&session, "ROLLBACK");
        assert!(engine.memory_used() > 0 && snapshot.sql("SELECT n FROM t").is_ok());
        drop(snapshot);
        assert_eq!(engine.memory_used(), 0);
    });
}

/// A stream that is dropped while its statement waits in code of the program's ends it when that gives it back.
#[test]
fn streams_that_wait_in_a_function() {
    watched(|| {
        let (gate, engine) = (Gate::default(), engine());
        gate.register(&engine);
        let session: Arc<Session> = Arc::new(engine.session());
        let stream = session.query_stream("SELECT sum(gate(n)) FROM generate_series(1::bigint, $1) g (n)", params![10]);
        gate.wait_for_somebody();
        drop(stream);
        assert!(Arc::strong_count(&session) > 1, "it is not waited for");
        assert_eq!(rows(&session, "SELECT 1"), ["1"]);
        gate.open();
        wait_until("its thread has ended", || Arc::strong_count(&session) == 1 && engine.memory_used() == 0);
    });
}

/// The engine goes with the last of those that have it.
#[test]
fn an_engine_that_goes_first() {
    watched(|| {
        let witness = Arc::new(());
        let held = Arc::clone(&witness);
        let engine: Engine = engine();
        let function = multiloop::ScalarFunction::new("held", move |n: i64| n + Arc::strong_count(&held) as i64);
        engine.register_scalar(function).expect("a function");
        let session = engine.session();
        drop(engine);
        a_million(&session);
        let mut result = session.sql("SELECT held(n), n FROM million").expect("rows");
        drop(session);
        assert!(result.by_ref().all(|batch| batch.is_ok()));
        drop(result);
        assert_eq!(Arc::strong_count(&witness), 1, "nothing of the engine is left");
    });
}
