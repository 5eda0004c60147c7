//! Sequences between sessions: nobody gets a value that another one has, whatever happens to transactions meanwhile.

use multiloop::{Engine, Session};
use multiloop_tests::text_rows;
use std::collections::BTreeSet;
use std::thread;

/// Values that each session draws.
const DRAWN: usize = 400;

fn numbers(session: &Session, sql: &str) -> Vec<i64> {
    let rows = session.sql(sql).and_then(text_rows).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let number = |row: &Vec<String>| row[0].parse().unwrap_or_else(|_| panic!("{sql}: {row:?}"));
    rows.iter().map(number).collect()
}

fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine starts")
}

#[test]
fn no_two_sessions_draw_the_same() {
    for options in ["", "CACHE 7", "INCREMENT -3"] {
        let engine = engine();
        engine.session().sql(&format!("CREATE SEQUENCE s {options}")).expect("a sequence is made");
        let draw = |of: usize| {
            let session = engine.session();
            let mut drawn = Vec::new();
            while drawn.len() < DRAWN {
                match (drawn.len() + of) % 3 {
                    0 => drawn.extend(numbers(&session, "SELECT nextval('s')")),
                    1 => drawn.extend(numbers(&session, "SELECT nextval('s') FROM generate_series(1, 20)")),
                    _ => {
                        session.sql("BEGIN").expect("a transaction begins");
                        drawn.extend(numbers(&session, "SELECT nextval('s')"));
                        session.sql("ROLLBACK").expect("it is undone");
                    }
                }
            }
            drawn
        };
        let all: Vec<Vec<i64>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|of| scope.spawn(move || draw(of))).collect();
            workers.into_iter().map(|worker| worker.join().expect("nobody panics")).collect()
        });
        let count: usize = all.iter().map(Vec::len).sum();
        let distinct: BTreeSet<i64> = all.iter().flatten().copied().collect();
        assert_eq!(distinct.len(), count, "{options}");
        for own in &all {
            let ascends =
                own.windows(2).all(|two| if options.contains('-') { two[0] > two[1] } else { two[0] < two[1] });
            assert!(ascends, "{options}: {own:?}");
        }
    }
}

#[test]
fn rows_of_sessions_have_numbers_of_their_own() {
    let engine = engine();
    engine
        .session()
        .sql("CREATE TABLE t (id serial PRIMARY KEY, i int GENERATED ALWAYS AS IDENTITY, v int)")
        .expect("made");
    thread::scope(|scope| {
        for of in 0..3 {
            let session = engine.session();
            scope.spawn(move || {
                for at in 0..60 {
                    let sql = match at % 3 {
                        0 => format!("INSERT INTO t (v) VALUES ({of}), ({of})"),
                        1 => format!("INSERT INTO t (v) SELECT {of} FROM generate_series(1, 3)"),
                        _ => format!("INSERT INTO t (v) VALUES ({of}) RETURNING id"),
                    };
                    session.sql(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
                }
            });
        }
    });
    let session = engine.session();
    let counted =
        "SELECT count(*) FROM t UNION ALL SELECT count(DISTINCT id) FROM t UNION ALL SELECT count(DISTINCT i) FROM t";
    assert_eq!(numbers(&session, counted), [360, 360, 360]);
}

/// RESTART counts for others when it is committed, and for those, too, whose transaction still sees the sequence as it was.
#[test]
fn who_begins_anew_does_so_for_all() {
    let engine = engine();
    let (one, other) = (engine.session(), engine.session());
    let done = |session: &Session, sql: &str| drop(session.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}")));
    done(&one, "CREATE SEQUENCE s");
    assert_eq!(numbers(&one, "SELECT nextval('s')"), [1]);
    done(&other, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(numbers(&other, "SELECT nextval('s')"), [2]);
    done(&one, "BEGIN");
    done(&one, "ALTER SEQUENCE s RESTART WITH 100");
    assert_eq!(numbers(&one, "SELECT nextval('s')"), [100]);
    assert_eq!(numbers(&other, "SELECT nextval('s')"), [3]);
    done(&one, "COMMIT");
    assert_eq!(numbers(&other, "SELECT nextval('s')"), [101]);
    done(&other, "COMMIT");
    assert_eq!(numbers(&one, "SELECT nextval('s')"), [102]);
    // Other options leave the counter what it is.
    done(&one, "BEGIN");
    done(&one, "ALTER SEQUENCE s INCREMENT 10");
    assert_eq!(numbers(&other, "SELECT nextval('s')"), [103]);
    assert_eq!(numbers(&one, "SELECT nextval('s')"), [113]);
    done(&one, "ROLLBACK");
    assert_eq!(numbers(&one, "SELECT nextval('s')"), [114]);
}

#[test]
fn an_appender_fills_what_makes_its_own_values() {
    let engine = engine();
    let session = engine.session();
    let table = "CREATE TABLE t (id bigserial, v int, w int GENERATED ALWAYS AS (v * 2) STORED, i int GENERATED ALWAYS AS IDENTITY)";
    session.sql(table).expect("a table is made");
    let mut appender = session.appender_of("t", &["v"]).expect("the table is there");
    for v in 0..1000i32 {
        appender.push((v,)).expect("the row fits");
    }
    appender.finish().expect("the rows come in");
    let right = "SELECT count(*) FROM t WHERE id = v + 1 AND w = 2 * v AND i = id";
    assert_eq!(numbers(&session, right), [1000]);
}
