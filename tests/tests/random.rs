//! Random tables and random queries: every way to run them gives the same rows, or the same kind of failure.
//!
//! Queries are text, assembled from small grammars so that most of them bind; the ones that do not bind fail alike
//! everywhere. `PROPTEST_CASES=n` tries n new ones; a failure prints the tables and the query.

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, answer};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// Queries per random database: filling tables costs more than querying them.
const QUERIES: usize = 6;

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-3i64..8).prop_map(|n| n.to_string()),
        1 => select(vec!["2147483647", "-2147483648", "0.5", "1.25", "-0.01"]).prop_map(str::to_owned),
        1 => Just("NULL::integer".to_owned()),
    ]
}

fn text_literal() -> impl Strategy<Value = String> {
    select(vec!["''", "'a'", "'ab'", "'abc'", "'B'", "'%'", "NULL::text", "'ä'"]).prop_map(str::to_owned)
}

/// The columns of both tables.
const COLUMNS: &str = "k integer, v integer, n decimal(10,2), x double precision, s text, d date, i interval, \
                       b boolean, c char(3), w bigint, ts timestamp, r real";

/// One row of values for [`COLUMNS`].
fn row() -> impl Strategy<Value = String> {
    let nullable = |values: BoxedStrategy<String>| prop_oneof![5 => values, 1 => Just("NULL".to_owned())];
    let k = nullable((0i64..6).prop_map(|n| n.to_string()).boxed());
    let v = nullable(
        prop_oneof![8 => -4i64..30, 1 => Just(2_147_483_647), 1 => Just(-2_147_483_648)]
            .prop_map(|n| n.to_string())
            .boxed(),
    );
    let n = nullable((-500i64..500).prop_map(|n| format!("{}.{:02}", n / 100, (n % 100).abs())).boxed());
    let x = nullable(
        select(vec!["0.1", "0.2", "-1.5", "'NaN'", "'Infinity'", "'-0'", "1e300", "1e-300"])
            .prop_map(str::to_owned)
            .boxed(),
    );
    let s = nullable(select(vec!["''", "'a'", "'ab'", "'abc'", "'B'", "'b%'", "'ä'"]).prop_map(str::to_owned).boxed());
    let d = nullable((0u32..40).prop_map(|n| format!("date '2020-02-01' + {n}")).boxed());
    let i = select(vec!["'1 month'", "'30 days'", "'720 hours'", "'1 day'", "'24 hours'", "'-1 mon 1 day'", "NULL"]);
    let b = select(vec!["true", "false", "NULL"]);
    let c = select(vec!["'a'", "'a  '", "'b'", "''", "'ä'", "NULL"]);
    let w = select(vec!["0", "1", "-1", "3000000000", "9223372036854775807", "-9223372036854775808", "NULL"]);
    let ts = select(vec!["'2020-02-01'", "'2020-02-01 00:00:00.000001'", "'1969-12-31 23:59:59'", "NULL"]);
    let r = select(vec!["'0.1'", "'-0'", "'0'", "'NaN'", "'-Infinity'", "'3e38'", "NULL"]);
    ((k, v, n, x, s, d), (i, b, c, w, ts, r)).prop_map(|((k, v, n, x, s, d), (i, b, c, w, ts, r))| {
        format!("({k}, {v}, {n}, {x}::double precision, {s}, {d}, {i}, {b}, {c}, {w}, {ts}, {r})")
    })
}

fn table(rows: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(row(), rows)
}

/// An integer-like expression over a table alias.
fn number(alias: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => select(vec!["k", "v", "n"]).prop_map(move |column| format!("{alias}.{column}")),
        1 => literal(),
        1 => Just(format!("length({alias}.s)")),
        1 => Just(format!("extract(day FROM {alias}.d)")),
        1 => Just(format!("{alias}.w")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), select(vec!["+", "-", "*"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("coalesce({a}, {b})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("CASE WHEN {a} > {b} THEN {c} ELSE {a} END")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} / nullif({b}, 0))")),
            inner.prop_map(|a| format!("(- {a})")),
        ]
    })
}

fn condition(alias: &'static str) -> impl Strategy<Value = String> {
    let compare = select(vec!["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);
    let leaf = prop_oneof![
        3 => (number(alias), compare.clone(), number(alias)).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        1 => (compare.clone(), text_literal()).prop_map(move |(op, b)| format!("{alias}.s {op} {b}")),
        1 => select(vec!["'a%'", "'%b%'", "'_b%'", "'%'", "'abc'"]).prop_map(move |p| format!("{alias}.s LIKE {p}")),
        1 => (0u32..40).prop_map(move |n| format!("{alias}.d >= date '2020-02-01' + {n}")),
        1 => select(vec!["k", "v", "n", "x", "s", "d"]).prop_map(move |c| format!("{alias}.{c} IS NULL")),
        1 => proptest::collection::vec(literal(), 1..4).prop_map(move |l| format!("{alias}.k IN ({})", l.join(", "))),
        1 => compare.clone().prop_map(move |op| format!("{alias}.x {op} 0.2::double precision")),
        1 => compare.clone().prop_map(move |op| format!("{alias}.i {op} interval '30 days'")),
        1 => compare.clone().prop_map(move |op| format!("{alias}.c {op} 'a'")),
        1 => compare.clone().prop_map(move |op| format!("{alias}.r {op} {alias}.x")),
        1 => compare.prop_map(move |op| format!("{alias}.ts {op} {alias}.d")),
        1 => Just(format!("{alias}.b")),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} AND {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            inner.prop_map(|a| format!("(NOT ({a}))")),
        ]
    })
}

fn aggregate(alias: &'static str) -> impl Strategy<Value = String> {
    let function = select(vec!["sum", "avg", "min", "max", "count", "count DISTINCT", "sum DISTINCT"]);
    prop_oneof![
        1 => Just("count(*)".to_owned()),
        4 => (function, number(alias)).prop_map(|(f, a)| match f.split_once(' ') {
            Some((f, _)) => format!("{f}(DISTINCT {a})"),
            None => format!("{f}({a})"),
        }),
        1 => Just(format!("sum({alias}.x)")),
        1 => Just(format!("min({alias}.s)")),
        1 => Just(format!("max({alias}.d)")),
        1 => (select(vec!["min", "max", "count"]), select(vec!["i", "c", "w", "ts", "r", "x"]))
            .prop_map(move |(f, c)| format!("{f}({alias}.{c})")),
        1 => select(vec!["i", "b", "c", "w", "ts", "r", "x"]).prop_map(move |c| format!("count(DISTINCT {alias}.{c})")),
        1 => Just(format!("sum({alias}.r)")),
        1 => Just(format!("sum({alias}.w)")),
        1 => Just(format!("var_samp({alias}.v)")),
        1 => condition(alias).prop_map(move |c| format!("count(*) FILTER (WHERE {c})")),
        1 => condition(alias).prop_map(|c| format!("bool_or({c})")),
    ]
}

/// A condition with a subquery over `u`, correlated or not.
fn with_subquery() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => (
            select(vec!["", "NOT "]),
            condition("u"),
            select(vec!["u.k = t.k", "u.k = t.k AND u.v <> t.v", "u.v < t.v", "true"])
        )
            .prop_map(|(not, c, on)| format!("{not}EXISTS (SELECT 1 FROM u WHERE {on} AND {c})")),
        1 => (select(vec!["IN", "NOT IN"]), condition("u"))
            .prop_map(|(op, c)| format!("t.k {op} (SELECT u.k FROM u WHERE {c})")),
        1 => (select(vec!["=", "<", ">="]), select(vec!["max", "min", "sum", "count"]), select(vec!["u.k = t.k", "true"]))
            .prop_map(|(op, f, on)| format!("t.v {op} (SELECT {f}(u.v) FROM u WHERE {on})")),
        1 => (select(vec!["<", "="]), select(vec!["ALL", "ANY"]))
            .prop_map(|(op, q)| format!("t.k {op} {q} (SELECT u.k FROM u)")),
        2 => with_block(),
    ]
}

/// A condition with a subquery of several steps over the rows of one key: sets, aggregates that others read, first places. Nothing
/// of it can fail.
fn with_block() -> impl Strategy<Value = String> {
    let on = || select(vec!["k = t.k", "k = t.k", "k IS NOT DISTINCT FROM t.k", "s = t.s", "x = t.x", "n = t.n"]);
    let compare = || select(vec!["=", "<", ">="]);
    let outer = || select(vec!["count(*)", "max(n)", "sum(n)", "count(DISTINCT n)"]);
    let inner = || select(vec!["count(*)", "max(u.v)", "count(u.s)", "sum(u.k)"]);
    let filter = || select(vec!["", " WHERE n > 1", " WHERE n IS NULL", " WHERE n < t.k"]);
    prop_oneof![
        (
            select(vec!["EXCEPT", "INTERSECT", "EXCEPT ALL", "INTERSECT ALL", "UNION"]),
            select(vec!["v", "s", "x", "n", "k, b"]),
            on(),
            compare()
        )
            .prop_map(|(set, c, on, op)| format!(
                "t.k {op} (SELECT count(*) FROM (SELECT {c} FROM u WHERE u.{on} {set} SELECT {c} FROM t AS r WHERE r.{on}) q)"
            )),
        (outer(), inner(), filter(), on(), compare()).prop_map(|(outer, inner, filter, on, op)| format!(
            "t.k {op} (SELECT {outer} FROM (SELECT {inner} AS n FROM u WHERE u.{on}) q{filter})"
        )),
        (outer(), inner(), filter(), on(), compare()).prop_map(|(outer, inner, filter, on, op)| format!(
            "t.k {op} (SELECT {outer} FROM (SELECT {inner} AS n FROM u WHERE u.{on} UNION ALL SELECT r.v FROM t AS r WHERE r.{on}) q{filter})"
        )),
        (inner(), on(), compare()).prop_map(|(inner, on, op)| format!(
            "t.k {op} (SELECT count(*) FROM t AS r, (SELECT {inner} AS n FROM u WHERE u.{on}) q WHERE r.{on} AND r.v >= q.n)"
        )),
        (select(vec!["v", "x", "r", "n", "s"]), select(vec!["v", "x DESC", "n", "r"]), on(), 0u32..3).prop_map(
            |(c, order, on, offset)| format!(
                "t.s < (SELECT min(p::text) FROM (SELECT {c} AS p FROM u WHERE u.{on} ORDER BY {order}, {c} LIMIT 2 OFFSET {offset}) q)"
            )
        ),
    ]
}

fn query() -> impl Strategy<Value = String> {
    let join = select(vec!["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
    let on = select(vec![
        "t.k = u.k",
        "t.k = u.k AND t.v < u.v",
        "t.k = u.v",
        "t.s = u.s",
        "t.k IS NOT DISTINCT FROM u.k",
        "t.v < u.k",
        "t.i = u.i",
        "t.c = u.c AND t.b = u.b",
        "t.x = u.r",
        "t.w = u.v",
        "t.ts = u.d",
    ]);
    prop_oneof![
        (number("t"), number("t"), condition("t")).prop_map(|(a, b, c)| format!("SELECT {a}, {b}, t.s FROM t WHERE {c}")),
        (aggregate("t"), aggregate("t"), condition("t")).prop_map(|(a, b, c)| format!("SELECT {a}, {b} FROM t WHERE {c}")),
        (select(vec!["t.k", "t.s", "t.x", "t.k, t.s", "t.d, t.k", "t.v % 3", "t.n", "t.i", "t.b", "t.c, t.b", "t.w", "t.r", "t.i, t.ts"]), aggregate("t"), aggregate("t"), condition("t"))
            .prop_map(|(g, a, b, c)| format!("SELECT {g}, {a}, {b} FROM t WHERE {c} GROUP BY {g}")),
        (select(vec!["t.k", "t.s"]), aggregate("t"), literal())
            .prop_map(|(g, a, l)| format!("SELECT {g}, {a} FROM t GROUP BY {g} HAVING count(*) > {l}")),
        (number("t"), number("u"), join.clone(), on.clone(), condition("t"))
            .prop_map(|(a, b, j, on, c)| format!("SELECT {a}, {b}, t.s, u.d FROM t {j} u ON {on} WHERE {c}")),
        // What a subquery computes, where nothing is joined; nothing of it can fail, since who computes it where is free.
        (select(vec!["coalesce(u.v, 7)", "u.v", "length(u.s)", "CASE WHEN u.b THEN u.k END", "nullif(u.k, 2)", "greatest(u.k, u.v)"]),
            select(vec!["u.v > 3", "u.n IS NULL", "coalesce(u.b, true)", "u.x < 1"]), join.clone(), select(vec!["q.a", "q.found", "q.is", "q.s"]), select(vec!["true", "t.v > 3", "q.k IS NULL", "q.v < 9 OR t.b"]))
            .prop_map(|(a, c, j, g, w)| format!("SELECT {g}, count(*), count({g}), min(t.v), max(q.a), count(q.found) FROM t {j} (SELECT u.k, u.v, u.s, {a} AS a, 1 AS found, {c} AS is FROM u) q ON t.k = q.k WHERE {w} GROUP BY {g}")),
        (aggregate("t"), aggregate("u"), join, on)
            .prop_map(|(a, b, j, on)| format!("SELECT t.k, {a}, {b} FROM t {j} u ON {on} GROUP BY t.k")),
        (with_subquery(), condition("t")).prop_map(|(s, c)| format!("SELECT t.k, t.v, t.s FROM t WHERE {s} AND {c}")),
        (with_subquery(), with_subquery(), condition("t"))
            .prop_map(|(s, r, c)| format!("SELECT t.k, t.v FROM t WHERE {c} AND {s} AND {r}")),
        (with_subquery(), condition("r"), number("r"))
            .prop_map(|(s, c, a)| format!("SELECT t.k, {a} FROM t JOIN u AS r ON t.k = r.k WHERE {s} AND {c} AND t.v = 3")),
        (with_subquery(), aggregate("t")).prop_map(|(s, a)| format!("SELECT {a} FROM t WHERE {s} OR t.v > 20")),
        (number("t"), select(vec!["t.k", "t.v DESC", "t.s, t.k DESC NULLS LAST"]), 0u32..5, 0u32..3)
            .prop_map(|(a, o, l, f)| format!("SELECT {a} AS a, t.k, t.v, t.s, t.x, t.d, t.n FROM t ORDER BY {o}, t.k, t.v, t.n, t.s, t.d, t.x LIMIT {l} OFFSET {f}")),
        (select(vec!["UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"]), condition("t"), condition("u"))
            .prop_map(|(op, c, d)| format!("SELECT t.k, t.s FROM t WHERE {c} {op} SELECT u.k, u.s FROM u WHERE {d}")),
        (select(vec!["UNION", "INTERSECT", "EXCEPT"]), select(vec!["i", "x", "c", "r", "b, ts", "w"]))
            .prop_map(|(op, c)| format!("SELECT {c} FROM t {op} SELECT {c} FROM u")),
        select(vec!["i", "x", "c", "r", "b, ts", "w, b"]).prop_map(|c| format!("SELECT DISTINCT {c} FROM t")),
        (select(vec!["t.i", "t.x DESC", "t.c, t.b", "t.r NULLS FIRST", "t.ts DESC, t.w"]), 0u32..5)
            .prop_map(|(o, l)| format!("SELECT i, x, c, b, r, ts, w FROM t ORDER BY {o} LIMIT {l}")),
        (select(vec!["i", "c", "r", "x", "b", "ts", "w"]), select(vec!["IN", "NOT IN"]), condition("u"))
            .prop_map(|(c, op, w)| format!("SELECT k, {c} FROM t WHERE t.{c} {op} (SELECT u.{c} FROM u WHERE {w})")),
        (aggregate("q"), condition("t")).prop_map(|(a, c)| format!(
            "SELECT {a} FROM (SELECT k, max(v) AS v, sum(n) AS n, min(x) AS x, min(s) AS s, max(d) AS d, max(i) AS i, bool_or(b) AS b, min(c) AS c, max(w) AS w, min(ts) AS ts, max(r) AS r FROM t WHERE {c} GROUP BY k) q"
        )),
    ]
}

fn fill(session: &Session, t: &[String], u: &[String]) {
    for (name, rows) in [("t", t), ("u", u)] {
        session.sql(&format!("CREATE TABLE {name} ({COLUMNS})")).expect("the table is made");
        if !rows.is_empty() {
            session.sql(&format!("INSERT INTO {name} VALUES {}", rows.join(", "))).expect("the rows are valid");
        }
    }
}

/// Which of several errors is reported is free, so two failures agree whatever they say.
fn agree(a: &Answer, b: &Answer) -> bool {
    match (a, b) {
        (Answer::Error(..), Answer::Error(..)) => true,
        (Answer::Rows(types, a), Answer::Rows(others, b)) => {
            let (mut a, mut b) = (a.clone(), b.clone());
            a.sort();
            b.sort();
            types == others && a == b
        }
        _ => a == b,
    }
}

/// The same cases every time, so that what is red was made red by a change; PROPTEST_CASES looks for new ones.
fn config() -> ProptestConfig {
    let default = ProptestConfig { max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(2026), ..default },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_way_gives_the_same_rows(
        t in table(0..24),
        u in table(0..12),
        queries in proptest::collection::vec(query(), QUERIES),
    ) {
        let mut session = WAYS[2].session();
        fill(&session, &t, &u);
        for sql in queries {
            WAYS[0].set(&mut session);
            let expected = answer(&session, &sql);
            for way in &WAYS[1..] {
                way.set(&mut session);
                let got = answer(&session, &sql);
                prop_assert!(
                    agree(&expected, &got),
                    "{sql}\n{}: {got:?}\n{}: {expected:?}", way.name, WAYS[0].name
                );
            }
        }
    }
}
