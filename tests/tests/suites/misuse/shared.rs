//! One session that is used by two threads at once: their statements run beside each other, in its one transaction.

use super::{Gate, a_million, activity, engine, rows, run, sqlstate, wait_until, watched};
use multiloop::{ErrorKind, ResultStream, TransactionStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[test]
fn statements_run_beside_each_other() {
    watched(|| {
        let (gate, engine) = (Gate::default(), engine());
        gate.register(&engine);
        let session = engine.session();
        let watcher = engine.session();
        a_million(&session);
        let used = engine.memory_used();
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| rows(&session, "SELECT sum(gate(n)) FROM generate_series(1::bigint, 3) g (n)"));
            gate.wait_for_somebody();
            assert_eq!(rows(&session, "SELECT max(n) FROM million"), ["999999"]);
            run(&session, "CREATE TABLE t (a bigint); INSERT INTO t VALUES (1); SET work_mem = '1MB'");
            // Others see one session, and one statement.
            assert_eq!(activity(&watcher), ["2 2"]);
            assert!(!slow.is_finished());
            gate.open();
            assert_eq!(slow.join().expect("no panic"), ["6"]);
        });
        run(&session, "DROP TABLE t");
        assert_eq!(activity(&watcher), ["2 1"]);
        assert_eq!(engine.memory_used(), used);
    });
}

#[test]
fn an_error_fails_the_transaction_of_all() {
    watched(|| {
        let (gate, engine) = (Gate::default(), engine());
        gate.register(&engine);
        let session = engine.session();
        run(&session, "BEGIN");
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| rows(&session, "SELECT sum(gate(n)) FROM generate_series(1::bigint, 3) g (n)"));
            gate.wait_for_somebody();
            assert_eq!(sqlstate(session.sql("SELECT 1 / 0")), "22012");
            assert_eq!(session.transaction_status(), TransactionStatus::Failed);
            gate.open();
            // What has begun goes on, what comes does not.
            assert_eq!(slow.join().expect("no panic"), ["6"]);
            assert_eq!(sqlstate(session.sql("SELECT 1")), "25P02");
        });
        run(&session, "ROLLBACK");
    });
}

#[test]
fn a_cancel_means_all_that_run() {
    watched(|| {
        let engine = engine();
        let session = engine.session();
        std::thread::scope(|scope| {
            let sleep = || session.sql("SELECT pg_sleep(1000)").map(drop).map_err(|error| error.kind());
            let both = [scope.spawn(sleep), scope.spawn(sleep)];
            // Those that have not begun yet hear a later one.
            while both.iter().any(|one| !one.is_finished()) {
                session.cancel_handle().cancel();
                std::thread::sleep(Duration::from_millis(20));
            }
            for one in both {
                assert_eq!(one.join().expect("no panic"), Err(ErrorKind::Cancelled));
            }
        });
        assert_eq!(rows(&session, "SELECT 1"), ["1"]);
    });
}

/// Two threads that fetch from one cursor share its rows: each comes once.
#[test]
fn two_who_fetch_from_a_cursor() {
    watched(|| {
        let engine = engine();
        let session = engine.session();
        a_million(&session);
        let used = engine.memory_used();
        run(&session, "BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT n FROM million");
        let (count, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for size in [1000, 7777] {
                let (session, count, sum) = (&session, &count, &sum);
                scope.spawn(move || {
                    loop {
                        let fetched = session.fetch_next("c", size).and_then(multiloop_tests::text_rows).expect("rows");
                        if fetched.is_empty() {
                            break;
                        }
                        count.fetch_add(fetched.len(), Ordering::Relaxed);
                        let numbers = fetched.iter().map(|row| row[0].parse::<usize>().expect("a number"));
                        sum.fetch_add(numbers.sum(), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((count.into_inner(), sum.into_inner()), (1_000_000, 499_999_500_000));
        run(&session, "COMMIT");
        assert_eq!(engine.memory_used(), used);
    });
}

/// While one thread fetches from a cursor, all else of the session goes on: other cursors, the end of this one.
#[test]
fn a_long_fetch_holds_nobody_up() {
    watched(|| {
        let engine = engine();
        let session = engine.session();
        a_million(&session);
        let used = engine.memory_used();
        // More rows than are moved over while another waits for them, on any machine.
        let endless = "SELECT a.n, b.n AS m FROM million a, generate_series(0, 99) b (n)";
        run(&session, &format!("BEGIN; DECLARE c CURSOR FOR {endless}; DECLARE d CURSOR FOR SELECT n FROM million"));
        // Of rows that are made before anybody asks for them.
        let declared = engine.memory_used();
        let own = multiloop::Cancellation::default();
        std::thread::scope(|scope| {
            let fetching = scope.spawn(|| session.cancelled_by(&own, || session.sql("MOVE ALL c")).map(drop));
            wait_until("it fetches", || engine.memory_used() > declared + (16 << 20));
            assert_eq!(rows(&session, "FETCH 1 d"), ["0"]);
            assert!(session.cursor("c").is_some() && !fetching.is_finished());
            run(&session, "DECLARE e CURSOR FOR SELECT 1; FETCH e; CLOSE e");
            // Another who fetches from it waits, and can be stopped; it may be closed meanwhile.
            session.set("statement_timeout", "50").expect("a setting");
            assert_eq!(sqlstate(session.fetch_next("c", 1)), "57014");
            run(&session, "ROLLBACK");
            assert!(session.cursor("c").is_none() && !fetching.is_finished());
            own.cancel();
            assert_eq!(sqlstate(fetching.join().expect("no panic")), "57014");
        });
        assert_eq!(engine.memory_used(), used);
        assert_eq!(session.sql("SELECT 1").and_then(ResultStream::collect_batches).map(|rows| rows.len()), Ok(1));
    });
}
