//! Statements that are over soon: LIMIT, EXISTS, IN and ANY stop what feeds them, and a statement that is cancelled, or that asks
//! for more memory than there is, stops in the midst of a function. Each goes over more rows, or makes longer strings, than anybody
//! has time for.

use multiloop::{Engine, Session};
use multiloop_tests::{Answer, answer};
use std::time::{Duration, Instant};

/// A table `item` of 130 rows and an engine with so many threads.
fn session(threads: usize) -> Session {
    let session = Engine::builder().threads(threads).build().expect("an engine starts").session();
    for sql in [
        "create table digit as select * from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as v(d)",
        "create table item as select a.d * 100 + b.d * 10 + c.d as k from digit a, digit b, digit c
         where a.d * 100 + b.d * 10 + c.d < 130 order by k",
    ] {
        assert!(matches!(answer(&session, sql), Answer::Done(_)), "{sql}");
    }
    session
}

/// The rows of a statement, the same whatever threads there are, with NULL as they show it.
fn rows(sql: &str) -> Vec<Vec<String>> {
    let [one, two] = [1, 2].map(|threads| match answer(&session(threads), sql) {
        Answer::Rows(_, rows) => rows,
        other => panic!("{sql}: {other:?}"),
    });
    assert_eq!(one, two, "{sql}");
    two
}

#[test]
fn some_rows_are_enough() {
    let many = "item a, item b, item c, item d, item e, item f, item g";
    for (sql, count) in [
        (format!("select a.k from {many} limit 1"), 1),
        (format!("select a.k + g.k from {many} limit 5 offset 70000"), 5),
        (
            "select a.k, b.k from item a join item b on a.k < b.k, item c, item d, item e, item f limit 10".to_owned(),
            10,
        ),
        (format!("select * from (select a.k as x, b.k as y from {many}) s where x <> y limit 3"), 3),
        (format!("with w as (select a.k as x from {many}) select x * 2 from w limit 4"), 4),
        (format!("select k from item union all select b.k from {many} limit 200 offset 20"), 200),
        (format!("select k from (select k from item union all select b.k from {many}) s limit 131"), 131),
        (
            "select a.k from item a left join item b on a.k < b.k and a.k > 3, item c, item d, item e, item f limit 9"
                .to_owned(),
            9,
        ),
        (format!("select k from item where exists (select 1 from {many})"), 130),
        (format!("select k from item where not exists (select 1 from {many} where a.k < g.k)"), 0),
        (format!("select k from item where 7 in (select g.k from {many})"), 130),
        (format!("select k from item where 7 not in (select a.k from {many})"), 0),
        (format!("select k from item where 7 <= any (select g.k from {many})"), 130),
        (format!("select k from item where k < any (select a.k from {many}) and k < 129"), 129),
        (format!("select k from item where 7 < all (select a.k from {many})"), 0),
    ] {
        assert_eq!(rows(&sql).len(), count, "{sql}");
    }
}

/// By PostgreSQL 15 but for those without an end, which it makes before it shows one row.
#[test]
fn series_are_made_as_they_are_asked_for() {
    for (sql, expected) in [
        // A step that gets nowhere.
        (
            "select generate_series(timestamp '2023-01-31', timestamp '2023-12-31', interval '1 month -29 days') limit 3",
            "2023-01-31 00:00:00, 2023-01-30 00:00:00, 2023-01-30 00:00:00",
        ),
        (
            "select generate_series(timestamp '2023-01-31', timestamp '2023-12-31', interval '1 month -29 days')
             limit 2 offset 2000",
            "2023-01-30 00:00:00, 2023-01-30 00:00:00",
        ),
        (
            "select generate_series(timestamptz '0001-01-01 00:00Z', timestamptz '200000-01-01 00:00Z', '1 day') limit 2",
            "0001-01-01 00:00:00+00, 0001-01-02 00:00:00+00",
        ),
        (
            "select t || ' ' || n from generate_series(timestamp '2000-01-31', timestamp '9000-01-01', '1 month')
             with ordinality g(t, n) limit 3 offset 1500",
            "2125-01-28 00:00:00 1501, 2125-02-28 00:00:00 1502, 2125-03-28 00:00:00 1503",
        ),
        (
            "select generate_series(timestamp '2000-01-31', timestamp 'infinity', '1 month') limit 2",
            "2000-01-31 00:00:00, 2000-02-29 00:00:00",
        ),
        (
            "select generate_series(timestamp '2000-01-31', timestamp '-infinity', '-1 month') limit 2 offset 1100",
            "1908-05-28 00:00:00, 1908-04-28 00:00:00",
        ),
    ] {
        assert_eq!(rows(sql).concat().join(", "), expected, "{sql}");
    }
}

#[test]
fn strings_need_no_more_memory_than_there_is() {
    let mut session = session(2);
    session.options.memory_limit = 16 << 20;
    let grows = [
        "repeat('x', 10000000) || a.k",
        "repeat(a.k::text, 10000000)",
        "lpad(a.k::text, 10000000, 'ab')",
        "rpad(a.k::text, 10000000)",
        "replace(repeat(a.k::text, 1000), a.k::text, repeat('y', 10000))",
        "concat_ws(repeat('-', 5000000), a.k, b.k, a.k)",
    ];
    for text in grows {
        let sql = format!("select sum(length({text})) from item a, item b");
        match answer(&session, &sql) {
            Answer::Error(state, _) => assert_eq!(state, "53200", "{sql}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
    // What fits is done, tile by tile.
    match answer(&session, "select sum(length(repeat('xy', 20000) || (a.k % 10))) from item a, item b") {
        Answer::Rows(_, rows) => assert_eq!(rows, [[(130 * 130 * 40_001u64).to_string()]]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cancelled_statement_stops_in_the_midst_of_a_tile() {
    for sql in [
        "select sum(length(repeat('x', 3000000) || a.k || b.k)) from item a, item b, item c",
        "select sum(length(replace(lpad(a.k::text, 2000000, 'ab'), 'a', 'cde'))) from item a, item b, item c",
        "select sum(a.k - f.k) from item a, item b, item c, item d, item e, item f where a.k + b.k + c.k = d.k + e.k - f.k",
    ] {
        let session = session(2);
        let cancel = session.cancel_handle();
        let waits = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
            Instant::now()
        });
        match answer(&session, sql) {
            Answer::Error(state, _) => assert_eq!(state, "57014", "{sql}"),
            other => panic!("{sql}: {other:?}"),
        }
        let cancelled = waits.join().expect("it cancels");
        assert!(cancelled.elapsed() < Duration::from_secs(5), "{sql}: {:?}", cancelled.elapsed());
    }
}

/// One value may be long, and its function slow: each hears who cancels, in a value as between two.
#[test]
fn a_cancelled_statement_stops_in_the_midst_of_a_value() {
    let long = "repeat('xy', 100000000)";
    let calls = [
        format!("upper({long})"),
        format!("initcap({long})"),
        format!("reverse({long})"),
        format!("translate({long}, 'xy', 'yx')"),
        format!("replace({long}, 'x', 'z')"),
        format!("lpad({long}, 268000000, 'ab')"),
        format!("regexp_replace({long}, 'x', 'z', 'g')"),
        format!("regexp_count({long}, 'xy')"),
        format!("split_part({long}, 'x', -100000000)"),
        format!("array_length(string_to_array({long}, 'x'), 1)"),
        format!("md5({long})"),
        format!("encode(decode({long}, 'escape'), 'base64')"),
        format!("to_json({long})"),
        format!("('\"' || {long} || '\"')::jsonb"),
        format!("format('%s %s', {long}, 1)"),
        format!("concat_ws(',', {long}, a, {long})"),
        format!("{long} ILIKE '%X_Z%'"),
        "factorial(30000) + factorial(a + 29999)".to_owned(),
        "(9.99 + a) ^ 30000".to_owned(),
        "exp(('0.' || repeat('3', 900))::numeric + a % 9) + ln(('2.' || repeat('3', 900))::numeric + a)".to_owned(),
    ];
    let session = session(2);
    session.sql("set statement_timeout = 200").expect("a time");
    for call in calls {
        // Several times over, with values that no plan knows.
        let sql = format!("select sum(length(({call})::text)) from generate_series(1, 40000) g(a)");
        let started = Instant::now();
        match answer(&session, &sql) {
            Answer::Error(state, _) => assert!(matches!(state.as_str(), "57014" | "53200" | "54001"), "{sql}: {state}"),
            other => panic!("{sql}: {other:?}"),
        }
        assert!(started.elapsed() < Duration::from_secs(8), "{call}: {:?}", started.elapsed());
    }
}

#[test]
fn planning_hears_who_cancels() {
    let mut sql = "with c0 as (select i as x from generate_series(1, 10) g(i))".to_owned();
    for number in 1..1_500 {
        let before = number - 1;
        sql += &format!(", c{number} as (select x + 1 as x from c{before} where x > {number})");
    }
    sql += " select x from c1499";
    let session = session(2);
    session.sql("set statement_timeout = 300").expect("a time");
    let started = Instant::now();
    match answer(&session, &sql) {
        Answer::Error(state, _) => assert_eq!(state, "57014"),
        Answer::Rows(_, rows) => assert!(rows.is_empty()),
        other => panic!("{other:?}"),
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
