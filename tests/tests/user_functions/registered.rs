//! Whose functions are, where they may stand, and what the catalog tells of them.

use super::{fails, rows, sessions};
use multiloop::arrow::array::{ArrayRef, StringArray};
use multiloop::{DataType, Engine, ScalarFunction, params};
use multiloop_tests::{Answer, answer};
use std::sync::Arc;

#[test]
fn functions_are_of_all_sessions() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let (one, other) = (engine.session(), engine.session());
    let prepared = one.prepare("SELECT length('a')").expect("prepared");
    one.register_scalar(ScalarFunction::new("Answer", || 41)).expect("a function");
    assert_eq!(other.query_scalar::<i32>("SELECT answer()", ()), Ok(41));
    other.sql("CREATE VIEW v AS SELECT answer() + n AS a FROM generate_series(1, 2) g(n)").expect("a view");
    let kept = other.prepare("SELECT answer()").expect("prepared");
    assert_eq!(kept.query_scalar::<i32>(&other, ()), Ok(41));
    // Another one in its place: plans and views are made anew.
    other.register_scalar(ScalarFunction::new("answer", || 42)).expect("a function");
    assert_eq!(kept.query_scalar::<i32>(&other, ()), Ok(42));
    assert_eq!(one.query_scalar::<i64>("SELECT sum(a) FROM v", ()), Ok(87));
    assert!(engine.remove_function("ANSWER"));
    for sql in ["SELECT answer()", "SELECT * FROM v"] {
        fails(&one, sql, "42883", "function answer() does not exist");
    }
    assert_eq!(kept.query_scalar::<i32>(&other, ()).expect_err("it is gone").sqlstate(), "42883");
    assert_eq!(prepared.query_scalar::<i32>(&one, ()), Ok(1));
    let apart = Engine::new().expect("an engine").session();
    fails(&apart, "SELECT answer()", "42883", "answer()");
}

#[test]
fn the_catalog_lists_them() {
    for session in sessions(1) {
        let own = "SELECT proname, prokind, provolatile, proisstrict, proretset, prorettype::regtype, pronargs, pg_get_function_arguments(oid) \
                   FROM pg_proc WHERE proname IN ('my_or_zero', 'my_later', 'my_total', 'my_series') ORDER BY 1";
        let expected = "VALUES ('my_later', 'f', 'i', true, false, 'date', 2, 'date, integer'), \
                        ('my_or_zero', 'f', 'i', false, false, 'bigint', 1, 'bigint'), \
                        ('my_series', 'f', 'v', false, true, 'record', 2, 'bigint, bigint'), \
                        ('my_total', 'a', 'i', false, false, 'bigint', 1, 'bigint')";
        assert_eq!(rows(&answer(&session, own)), rows(&answer(&session, expected)));
        session.register_scalar(ScalarFunction::new("my_newest", || 1)).expect("a function");
        assert_eq!(rows(&answer(&session, "SELECT count(*) FROM pg_proc WHERE proname = 'my_newest'")), [["1"]]);
        assert_eq!(rows(&answer(&session, "SELECT count(*) - count(DISTINCT oid) FROM pg_proc")), [["0"]]);
    }
}

#[test]
fn they_stand_wherever_functions_do() {
    for session in sessions(2) {
        let run = |sql: &str| session.sql(sql).map(drop).expect(sql);
        run("CREATE TABLE made AS SELECT n, my_next(n) AS m FROM my_series(1, 3)");
        run("INSERT INTO made SELECT n, my_next(n) FROM my_series(4, 5)");
        run("CREATE TABLE kept (a bigint CHECK (my_next(a) > 1), b integer DEFAULT my_length('abc'))");
        run("INSERT INTO kept (a) VALUES (1)");
        run("CREATE VIEW seen AS SELECT my_upper(name) AS name, my_total(n) OVER () AS all FROM my_series(1, 2)");
        fails(&session, "INSERT INTO kept (a) VALUES (0)", "23514", "");
        let pairs = [
            ("SELECT n, m FROM made ORDER BY n", "VALUES (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)"),
            ("SELECT a, b FROM kept", "SELECT 1, 3"),
            ("SELECT * FROM seen ORDER BY name", "VALUES ('2', 3), (NULL, 3)"),
            ("SELECT list_transform([1, 2, NULL], lambda x: my_next(x))", "SELECT ARRAY[2, 3, NULL]"),
            (
                "SELECT (SELECT my_total(n) FROM made m WHERE m.n <= k.n) FROM made k ORDER BY k.n",
                "VALUES (1), (3), (6), (10), (15)",
            ),
            ("SELECT my_next(n) FROM made UNION SELECT my_next(1) ORDER BY 1", "VALUES (2), (3), (4), (5), (6)"),
            (
                "SELECT my_next(n) AS x, my_total(n) FROM made GROUP BY ROLLUP (my_next(n)) ORDER BY 1",
                "VALUES (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (NULL, 15)",
            ),
        ];
        for (own, of_sql) in pairs {
            let expected = answer(&session, of_sql);
            assert!(matches!(expected, Answer::Rows(..)), "{of_sql}: {expected:?}");
            assert_eq!(rows(&answer(&session, own)), rows(&expected), "{own}");
        }
        let prepared =
            session.prepare("SELECT sum(n)::bigint FROM my_series(1, 3) WHERE my_next(n) > 1").expect("prepared");
        for _ in 0..2 {
            assert_eq!(prepared.query_scalar::<i64>(&session, ()), Ok(6));
        }
        assert_eq!(session.query_scalar::<i64>("SELECT my_next($1)", params![41]), Ok(42));
        assert_eq!(session.query_scalar::<i64>("SELECT my_total(n) FROM my_series($1, 4)", params![3]), Ok(7));
        run("DROP VIEW seen; DROP TABLE kept; DROP TABLE made");
    }
}

#[test]
fn functions_run_no_statements() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let inner = engine.session();
    let lock = std::sync::Mutex::new(inner);
    engine
        .register_scalar(ScalarFunction::new("nested", move |n: i64| {
            let session = lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            session.query_scalar::<i64>("SELECT sum(n)::bigint FROM generate_series(1, $1) g(n)", params![n])
        }))
        .expect("a function");
    let session = engine.session();
    fails(
        &session,
        "SELECT sum(nested(n)) FROM generate_series(1, 100000) g(n)",
        "0A000",
        "a statement within a function",
    );
    assert_eq!(rows(&answer(&session, "SELECT 1")), [["1"]]);
}

/// Names that only functions of vectors have are free for others, and the arguments say which of them is called.
#[test]
fn names_of_functions_of_vectors_are_free_for_other_types() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let (numbers, reals) = (DataType::list(DataType::Double), DataType::list(DataType::Real));
    // A function that says which it is.
    let says = |name: &str, parameters: &[DataType], says: &'static str| {
        let named =
            move |_: &[ArrayRef], rows: usize| Ok::<ArrayRef, String>(Arc::new(StringArray::from(vec![says; rows])));
        engine.register_scalar(ScalarFunction::of_arrays(name, parameters.to_vec(), DataType::Text, named))
    };
    let sigmoid = ScalarFunction::new("sigmoid", |x: f64| 1.0 / (1.0 + (-x).exp()));
    engine.register_scalar(sigmoid).expect("a function of a number");
    says("dot", &[numbers, numbers], "own").expect("a function of arrays");
    says("dot", &[numbers, DataType::Integer], "times").expect("a function of an array and a number");
    says("l2_norm", &[DataType::vector(DataType::Real, 2)], "own").expect("a function of vectors of two elements");
    says("kind", &[reals], "reals").expect("a function of reals");
    says("kind", &[numbers], "doubles").expect("a function of doubles");
    let session = engine.session();
    for (sql, expected) in [
        ("SELECT sigmoid(0)", "0.5"),
        ("SELECT sigmoid(0.0::real)", "0.5"),
        ("SELECT sigmoid('[0]'::vector(1))", "[0.5]"),
        ("SELECT dot(ARRAY[1], ARRAY[2])", "own"),
        ("SELECT dot('[1,2]'::vector(2), '[3,4]')", "11"),
        ("SELECT dot('[1,2]'::vector(2), ARRAY[3, 4])", "11"),
        ("SELECT dot('[1,2]'::vector(2), 3)", "times"),
        ("SELECT l2_norm('[3,4]'::vector(2))", "own"),
        ("SELECT l2_norm('[3,4,0]'::vector(3))", "5"),
        ("SELECT kind('[3,4]'::vector(2))", "reals"),
        ("SELECT kind('[3,4]'::vector(2, double))", "doubles"),
    ] {
        assert_eq!(rows(&answer(&session, sql)), [[expected]], "{sql}");
    }
    fails(&session, "SELECT sigmoid('a'::text)", "42883", "function sigmoid(text) does not exist");
    fails(&session, "SELECT dot('[1]'::vector(1), date '2024-01-01')", "42883", "function dot(vector(1), date)");
    let taken = says("abs", &[DataType::Double], "own").expect_err("it is SQL's");
    assert_eq!(taken.sqlstate(), "42723");
}
