//! Statements that a cancel or the end of their time stops: FETCH from rows that are made while they are read, COPY in both
//! directions, statements that wait for others.

use super::{ENDLESS, Folder, Gate, STREAMED, a_million, engine, rows, run, session, sqlstate, wait_until, watched};
use multiloop::{
    Cancellation, CopyIn, Error, ErrorKind, Execution, Prepared, Result, ResultStream, Session, TransactionStatus,
};
use std::time::Duration;

const TIMED_OUT: &str = "canceling statement due to statement timeout";
const CANCELLED: &str = "canceling statement due to user request";

/// How a statement is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Time,
    SessionHandle,
    OwnHandle,
}

const STOPS: [Stop; 3] = [Stop::Time, Stop::SessionHandle, Stop::OwnHandle];

impl Stop {
    /// Runs something that is stopped while it runs, and gives its error.
    #[track_caller]
    fn error<T>(self, session: &Session, work: impl FnOnce() -> Result<T>) -> Error {
        let handle = match self {
            Stop::Time => {
                session.set("statement_timeout", "150ms").expect("a setting");
                let error = work().map(drop).expect_err("it has no end");
                session.set("statement_timeout", "0").expect("a setting");
                assert_eq!((error.sqlstate(), error.message()), ("57014", TIMED_OUT));
                return error;
            }
            Stop::SessionHandle => session.cancel_handle(),
            Stop::OwnHandle => Cancellation::default(),
        };
        let at_last = handle.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            at_last.cancel();
        });
        let done = if self == Stop::OwnHandle { session.cancelled_by(&handle, work) } else { work() };
        thread.join().expect("no panic");
        let error = done.map(drop).expect_err("it has no end");
        assert_eq!((error.sqlstate(), error.message()), ("57014", CANCELLED));
        error
    }
}

#[test]
fn a_fetch_of_rows_that_are_made_as_they_are_read() {
    watched(|| {
        let session = session();
        a_million(&session);
        let used = session.engine().memory_used();
        for stop in STOPS {
            for (scroll, all) in [("", "FETCH ALL c"), ("SCROLL", "FETCH LAST c"), ("NO SCROLL", "MOVE ALL c")] {
                run(&session, &format!("BEGIN; DECLARE c {scroll} CURSOR FOR {STREAMED}"));
                assert_eq!(rows(&session, "FETCH 2 c").len(), 2);
                stop.error(&session, || session.sql(all));
                assert_eq!(session.transaction_status(), TransactionStatus::Failed);
                assert_eq!(sqlstate(session.sql("FETCH 1 c")), "25P02");
                run(&session, "ROLLBACK");
                assert_eq!(sqlstate(session.sql("FETCH 1 c")), "34000");
                assert_eq!(session.engine().memory_used(), used, "{stop:?}: {all}");
            }
            // The call for programs is the same.
            run(&session, &format!("BEGIN; DECLARE c CURSOR FOR {STREAMED}"));
            stop.error(&session, || session.fetch_next("c", u64::MAX));
            assert_eq!(sqlstate(session.fetch_next("c", 1)), "25P02");
            run(&session, "ROLLBACK");
            assert_eq!(session.engine().memory_used(), used, "{stop:?}");
            assert_eq!(rows(&session, "SELECT max(n) FROM million"), ["999999"]);
        }
    });
}

#[test]
fn a_cursor_that_has_failed_is_lost() {
    watched(|| {
        let session = session();
        a_million(&session);
        let used = session.engine().memory_used();
        for stop in STOPS {
            // A savepoint brings the transaction back, not the cursor.
            run(&session, &format!("BEGIN; DECLARE c CURSOR FOR {STREAMED}; SAVEPOINT s"));
            stop.error(&session, || session.sql("FETCH ALL c"));
            run(&session, "ROLLBACK TO s");
            assert_eq!(sqlstate(session.sql("FETCH 1 c")), "55000");
            run(&session, "ROLLBACK");
            // One that outlives its transaction.
            run(&session, &format!("BEGIN; DECLARE c CURSOR WITH HOLD FOR {STREAMED}; COMMIT"));
            assert_eq!(rows(&session, "FETCH 3 c").len(), 3);
            stop.error(&session, || session.sql("FETCH ALL c"));
            assert_eq!(session.transaction_status(), TransactionStatus::Idle);
            let error = session.sql("FETCH 1 c").map(drop).expect_err("it is lost");
            assert_eq!((error.sqlstate(), error.message()), ("55000", "portal \"c\" cannot be run"));
            assert_eq!(session.engine().memory_used(), used, "what is lost holds nothing");
            run(&session, "CLOSE c");
        }
        // So is one whose query fails.
        run(&session, "BEGIN; DECLARE c CURSOR FOR SELECT n FROM million; FETCH 1 c; SAVEPOINT s");
        assert_eq!(sqlstate(session.sql("DECLARE d CURSOR FOR SELECT 1 / n FROM million")), "22012");
        run(&session, "ROLLBACK TO s");
        assert_eq!(rows(&session, "FETCH 1 c"), ["1"], "another one is not");
        run(&session, "ROLLBACK");
    });
}

#[test]
fn rows_that_a_cursor_keeps_are_counted() {
    watched(|| {
        let mut session = session();
        a_million(&session);
        let used = session.engine().memory_used();
        session.options.memory_limit = 32 << 20;
        for (scroll, all) in [("", "FETCH ALL c"), ("SCROLL", "FETCH LAST c")] {
            run(&session, &format!("BEGIN; DECLARE c {scroll} CURSOR FOR {STREAMED}"));
            assert_eq!(sqlstate(session.sql(all)), "53200");
            run(&session, "ROLLBACK");
            assert_eq!(session.engine().memory_used(), used);
        }
        // Who goes forward only, by not too many rows at once, needs no room for all.
        run(&session, &format!("BEGIN; DECLARE c NO SCROLL CURSOR FOR {STREAMED}"));
        for _ in 0..8 {
            let fetched = session.sql("FETCH 500000 c").and_then(ResultStream::collect_batches).expect("rows");
            assert_eq!(fetched.iter().map(|batch| batch.num_rows()).sum::<usize>(), 500_000);
        }
        run(&session, "COMMIT");
        assert_eq!(session.engine().memory_used(), used);
    });
}

#[test]
fn copies_to_and_from_files() {
    watched(|| {
        let (folder, session) = (Folder::new("copies"), session());
        a_million(&session);
        run(&session, "CREATE TABLE t (a bigint PRIMARY KEY, b text)");
        let lines: String = (0..300_000).map(|n| format!("{n},text of row {n}\n")).collect();
        let csv = folder.path("t.csv");
        std::fs::write(&csv, lines).expect("a file");
        let used = session.engine().memory_used();
        let files = folder.files();
        for stop in STOPS {
            for ending in ["csv", "parquet", "arrow", "jsonl"] {
                let copy = format!("COPY ({STREAMED}) TO '{}'", folder.path(&format!("out.{ending}")));
                stop.error(&session, || session.sql(&copy));
                assert_eq!((session.transaction_status(), folder.files()), (TransactionStatus::Idle, files), "{copy}");
                assert_eq!(session.engine().memory_used(), used, "{copy}");
                run(&session, "BEGIN");
                stop.error(&session, || session.sql(&copy));
                assert_eq!(session.transaction_status(), TransactionStatus::Failed);
                run(&session, "ROLLBACK");
            }
        }
        // Wherever it is stopped, there are all rows or none.
        for milliseconds in [1, 3, 10, 30, 60, 100, 200, 400, 800] {
            session.set("statement_timeout", &milliseconds.to_string()).expect("a setting");
            let done = session.sql(&format!("COPY t FROM '{csv}'")).map(drop);
            session.set("statement_timeout", "0").expect("a setting");
            let count = rows(&session, "SELECT count(*) FROM t").remove(0);
            match done {
                Ok(()) => {
                    assert_eq!(count, "300000");
                    run(&session, "TRUNCATE t");
                }
                Err(error) => assert_eq!((error.message(), count.as_str()), (TIMED_OUT, "0")),
            }
        }
        run(&session, &format!("COPY t FROM '{csv}'"));
        assert_eq!(rows(&session, "SELECT count(*), min(b) FROM t"), ["300000 text of row 0"]);
    });
}

/// Rows on their way into a table, of which some have come.
fn on_their_way(session: &Session, prepared: &Prepared) -> CopyIn {
    let Ok(Execution::CopyIn(mut copy)) = session.run(prepared, &[]) else { panic!("no COPY") };
    let column = |from: i64| (from..from + 1000).map(multiloop::Value::Int).collect::<Vec<_>>();
    for at in 0..50 {
        copy.push_values(&[column(at * 1000)]).expect("rows");
    }
    copy
}

#[test]
fn the_end_of_a_copy_from_a_client() {
    watched(|| {
        let gate = Gate::default();
        let session = session();
        gate.register(session.engine());
        // The end waits in a condition of the table's.
        run(&session, "CREATE TABLE t (a bigint, CHECK (gate(a) >= 0))");
        let copy = session.prepare("COPY t FROM STDIN").expect("a statement");
        let used = session.engine().memory_used();
        let opened = |work: &dyn Fn() -> Error| {
            let opens = gate.clone();
            let thread = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(400));
                opens.open();
            });
            let error = work();
            thread.join().expect("no panic");
            gate.close();
            error
        };
        for stop in STOPS {
            for block in [false, true] {
                if block {
                    run(&session, "BEGIN");
                }
                let rows_in = on_their_way(&session, &copy);
                assert!(session.engine().memory_used() > used);
                let taken = std::cell::Cell::new(Some(rows_in));
                opened(&|| stop.error(&session, || taken.take().expect("once").finish(&session)));
                let expected = if block { TransactionStatus::Failed } else { TransactionStatus::Idle };
                assert_eq!(session.transaction_status(), expected, "{stop:?}");
                run(&session, "ROLLBACK");
                assert_eq!(rows(&session, "SELECT count(*) FROM t"), ["0"]);
                assert_eq!(session.engine().memory_used(), used, "{stop:?}");
            }
        }
        gate.open();
        // One that is cancelled before its end, and one that nobody ends.
        let rows_in = on_their_way(&session, &copy);
        session.cancel_handle().cancel();
        assert_eq!(sqlstate(rows_in.finish(&session)), "57014");
        drop(on_their_way(&session, &copy));
        assert_eq!(session.engine().memory_used(), used);
        assert_eq!(on_their_way(&session, &copy).finish(&session).expect("the end"), "COPY 50000");
        // Its table goes meanwhile.
        let rows_in = on_their_way(&session, &copy);
        run(&session, "DROP TABLE t");
        assert_eq!(sqlstate(rows_in.finish(&session)), "42P01");
        assert_eq!(session.engine().memory_used(), 0);
    });
}

#[test]
fn a_copy_to_a_client() {
    watched(|| {
        let session = session();
        a_million(&session);
        let used = session.engine().memory_used();
        let copy = session.prepare(&format!("COPY ({STREAMED}) TO STDOUT")).expect("a statement");
        let Ok(Execution::CopyOut(mut out)) = session.run(&copy, &[]) else { panic!("no COPY") };
        assert!(out.rows.next().is_some_and(|batch| batch.is_ok()));
        let handle = out.rows.cancel_handle();
        // Another statement's cancel is none of it.
        session.cancel_handle().cancel();
        session.forget_cancellation();
        handle.cancel();
        let error = out.rows.find_map(Result::err).expect("it is cancelled");
        assert_eq!((error.kind(), out.rows.next().is_none()), (ErrorKind::Cancelled, true));
        drop(out);
        assert_eq!(session.engine().memory_used(), used);
        let endless = session.prepare(&format!("COPY ({ENDLESS}) TO STDOUT")).expect("a statement");
        for stop in STOPS {
            stop.error(&session, || session.run(&endless, &[]));
            assert_eq!(session.engine().memory_used(), used, "{stop:?}");
        }
        assert_eq!(rows(&session, "SELECT 1"), ["1"]);
    });
}

/// A statement writes and is kept at it; what another one does that waits for it is stopped, in its session and in another.
#[test]
fn who_waits_for_a_writer_is_stopped() {
    watched(|| {
        let (gate, engine) = (Gate::default(), engine());
        gate.register(&engine);
        let (writer, other) = (engine.session(), engine.session());
        run(&writer, "CREATE TABLE t (a bigint, CHECK (gate(a) > 0)); CREATE TABLE u (a bigint)");
        std::thread::scope(|scope| {
            let writing = scope.spawn(|| writer.sql("INSERT INTO t VALUES (1)").map(drop));
            gate.wait_for_somebody();
            for stop in STOPS {
                stop.error(&other, || other.sql("INSERT INTO u VALUES (1)"));
                stop.error(&other, || other.sql("CREATE TABLE v (a int)"));
                stop.error(&other, || other.register("w", Vec::new()));
                assert_eq!(other.transaction_status(), TransactionStatus::Idle);
                // In a transaction nobody waits but its end, which is undone then.
                run(&other, "BEGIN; INSERT INTO u VALUES (2)");
                stop.error(&other, || other.sql("COMMIT"));
                assert_eq!(other.transaction_status(), TransactionStatus::Idle);
            }
            // Who reads does not wait.
            assert_eq!(rows(&other, "SELECT count(*) FROM u"), ["0"]);
            assert!(!writing.is_finished());
            gate.open();
            writing.join().expect("no panic").expect("it is written");
        });
        run(&other, "INSERT INTO u VALUES (3)");
        assert_eq!(rows(&writer, "SELECT a FROM u"), ["3"]);
        wait_until("nothing is left", || engine.memory_used() < 1 << 16);
    });
}
