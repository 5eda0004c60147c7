//! Functions whose statements are run, where several sessions and threads call them at once.

use multiloop::{Engine, Execution, Session, Value};
use std::thread;

/// Calls of each.
const CALLS: i64 = 40;

const SCRIPT: &str = "
    CREATE TABLE counter (n bigint);
    INSERT INTO counter VALUES (0);
    CREATE TABLE log (who int, n bigint);
    CREATE FUNCTION take(who int) RETURNS bigint LANGUAGE SQL AS $$
        UPDATE counter SET n = n + 1;
        INSERT INTO log SELECT who, n FROM counter;
        SELECT n FROM counter $$;
    CREATE PROCEDURE give(who int) LANGUAGE SQL AS $$ SELECT take(who); DELETE FROM log WHERE n IN (SELECT n FROM counter) $$;
    CREATE FUNCTION fails(who int) RETURNS bigint LANGUAGE SQL AS $$ SELECT take(who); SELECT 1 / 0 $$";

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session.sql(SCRIPT).expect("functions are made");
    session
}

fn of(session: &Session, sql: &str) -> i64 {
    session.query_scalar(sql, ()).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

#[test]
fn sessions_wait_for_each_other() {
    let first = session();
    thread::scope(|scope| {
        for who in 0..4 {
            let session = first.engine().session();
            scope.spawn(move || {
                for call in 0..CALLS {
                    let sql = match call % 4 {
                        0 => format!("CALL give({who})"),
                        1 => format!("SELECT take({who}), take({who})"),
                        2 => format!("BEGIN; SELECT take({who}); ROLLBACK"),
                        _ => format!("SELECT fails({who})"),
                    };
                    let done = session.sql(&sql).and_then(|rows| rows.collect_batches());
                    assert_eq!(done.is_err(), call % 4 == 3, "{sql}: {:?}", done.err());
                }
            });
        }
    });
    assert_eq!(of(&first, "SELECT n FROM counter"), 4 * (CALLS / 4 + CALLS / 2));
    assert_eq!(of(&first, "SELECT count(*) FROM log"), 4 * CALLS / 2);
    assert_eq!(of(&first, "SELECT count(DISTINCT n) FROM log"), 4 * CALLS / 2);
}

/// What another thread does in the session meanwhile is no part of a statement that calls functions, and stays if that fails.
#[test]
fn threads_of_a_session_are_apart() {
    let session = session();
    session.sql("CREATE TABLE own (n bigint)").expect("a table is made");
    thread::scope(|scope| {
        let session = &session;
        scope.spawn(move || {
            for _ in 0..CALLS {
                let failed = session.sql("SELECT fails(1)").and_then(|rows| rows.collect_batches());
                assert_eq!(failed.expect_err("it divides by zero").sqlstate(), "22012");
            }
        });
        scope.spawn(move || {
            for n in 0..CALLS {
                session.sql(&format!("INSERT INTO own VALUES ({n})")).expect("a row comes in");
            }
        });
    });
    assert_eq!(of(&session, "SELECT count(*) FROM own"), CALLS);
    assert_eq!(of(&session, "SELECT n FROM counter"), 0);
}

#[test]
fn parameters_and_cancelling() {
    let session = session();
    let prepared = session.prepare("SELECT take($1), $2::text FROM generate_series(1, 3)").expect("it is prepared");
    for _ in 0..3 {
        let rows = prepared.execute(&session, &[Value::Int(7), Value::text("x")]).expect("it runs");
        assert_eq!(rows.collect_batches().expect("it runs").iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
    }
    assert_eq!(of(&session, "SELECT count(*) FROM log WHERE who = 7"), 9);
    let copied = session.prepare("COPY (SELECT take(9) FROM generate_series(1, 2)) TO STDOUT").expect("it is prepared");
    assert!(matches!(session.run(&copied, &[]).expect("it runs"), Execution::CopyOut(_)));
    assert_eq!(of(&session, "SELECT count(*) FROM log WHERE who = 9"), 2);
    let handle = session.cancel_handle();
    let error = thread::scope(|scope| {
        let running = scope.spawn(|| {
            session
                .sql("SELECT sum(take(8)) FROM generate_series(1, 100000000)")
                .and_then(|rows| rows.collect_batches())
        });
        while !running.is_finished() {
            thread::sleep(std::time::Duration::from_millis(50));
            handle.cancel();
        }
        running.join().expect("nobody panics").expect_err("it is cancelled")
    });
    assert_eq!(error.sqlstate(), "57014");
    assert_eq!(of(&session, "SELECT count(*) FROM log WHERE who = 8"), 0);
}
