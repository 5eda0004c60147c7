//! Typed queries: each operator beside its twin in SQL, over nasty data; with the text that it says; on the interpreter.

use multiloop::linq::{Expr, Lifted, Query, call, case, literal, null_of, window};
use multiloop::{Backend, Date, Decimal, Engine, Interval, Row, Session, date, decimal};
use multiloop_tests::text_rows;

/// A row of `t`.
type T = (
    Expr<Option<i32>>,
    Expr<Option<i64>>,
    Expr<Option<Decimal>>,
    Expr<Option<String>>,
    Expr<Option<Date>>,
    Expr<Option<f64>>,
    Expr<Option<bool>>,
);

/// A row of `u`.
type U = (Expr<Option<i32>>, Expr<Option<String>>);

struct Tables<'s> {
    session: &'s Session,
    t: Query<'s, T>,
    u: Query<'s, U>,
    empty: Query<'s, U>,
}

fn session() -> Session {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    session
        .sql(
            "CREATE TABLE t (k integer, v bigint, n decimal(10,2), s text, d date, f double precision, b boolean);
             INSERT INTO t VALUES (1, 10, 1.50, 'a', '1995-01-01', 0.5, true), (1, 20, NULL, NULL, '1996-02-29', -1, NULL),
                 (2, 30, -2.25, 'it''s', NULL, 'NaN', false), (NULL, 40, 0, 'a%', '1995-01-01', NULL, true),
                 (2, 30, -2.25, 'it''s', NULL, 'NaN', false), (3, NULL, 999.99, '', '2026-11-29', 'Infinity', NULL);
             CREATE TABLE u (k integer, w text);
             INSERT INTO u VALUES (1, 'one'), (3, 'three'), (3, NULL), (NULL, 'none');
             CREATE TABLE empty (k integer, w text);",
        )
        .expect("the tables are made");
    session
}

fn tables(session: &Session) -> Tables<'_> {
    let row = |k, v, n, s, d, f, b| (k, v, n, s, d, f, b);
    let t = session.values([
        row(Some(1), Some(10_i64), Some(decimal!(1.50)), Some("a"), Some(date!(1995 - 01 - 01)), Some(0.5), Some(true)),
        row(Some(1), Some(20), None, None, Some(date!(1996 - 02 - 29)), Some(-1.0), None),
        row(Some(2), Some(30), Some(decimal!(-2.25)), Some("it's"), None, Some(f64::NAN), Some(false)),
        row(None, Some(40), Some(decimal!(0.00)), Some("a%"), Some(date!(1995 - 01 - 01)), None, Some(true)),
        row(Some(2), Some(30), Some(decimal!(-2.25)), Some("it's"), None, Some(f64::NAN), Some(false)),
        row(Some(3), None, Some(decimal!(999.99)), Some(""), Some(date!(2026 - 11 - 29)), Some(f64::INFINITY), None),
    ]);
    let u = session.values([(Some(1), Some("one")), (Some(3), Some("three")), (Some(3), None), (None, Some("none"))]);
    let empty = session.values(Vec::<(Option<i32>, Option<&str>)>::new());
    Tables { session, t, u, empty }
}

fn rows(result: multiloop::Result<multiloop::ResultStream>, what: &str) -> Vec<String> {
    let result = result.unwrap_or_else(|error| panic!("{what}: {error}"));
    let rows = text_rows(result).unwrap_or_else(|error| panic!("{what}: {error}"));
    rows.into_iter().map(|row| row.join("|")).collect()
}

/// The query gives the rows of a text, in its order if it has one; so do the text that it says, the interpreter, and the
/// program before the rules.
#[track_caller]
fn twins<R: Lifted>(tables: &Tables<'_>, query: &Query<'_, R>, sql: &str) {
    let said = query.to_sql().unwrap_or_else(|error| panic!("{sql}: {error}"));
    let in_order = |mut rows: Vec<String>| {
        if !sql.contains("ORDER BY 1") {
            rows.sort();
        }
        rows
    };
    let expected = in_order(rows(tables.session.sql(sql), sql));
    let what = format!("{sql}\n{said}");
    assert_eq!(in_order(rows(query.stream(), &what)), expected, "{what}");
    assert_eq!(in_order(rows(tables.session.sql(&said), &what)), expected, "{what}");
    let mut other = tables.session.engine().session();
    other.options.backend = Backend::Interpreter;
    assert_eq!(in_order(rows(other.sql(&said), &what)), expected, "interpreted: {what}");
}

#[test]
fn rows_are_filtered_and_made() {
    let session = session();
    let all = &tables(&session);
    let check = |query: &Query<'_, T>, sql: &str| twins(all, query, sql);
    check(&all.t.filter(|t| t.1.gt(15)), "SELECT * FROM t WHERE v > 15");
    check(&all.t.filter(|t| t.0.eq(1) & t.1.not_eq(10)), "SELECT * FROM t WHERE k = 1 AND v <> 10");
    check(&all.t.filter(|t| t.0.eq(1) | t.6), "SELECT * FROM t WHERE k = 1 OR b");
    check(&all.t.filter(|t| !t.6), "SELECT * FROM t WHERE NOT b");
    check(&all.t.filter(|t| t.6.is_true()), "SELECT * FROM t WHERE b IS TRUE");
    check(&all.t.filter(|t| t.2.between(-3, decimal!(1.5))), "SELECT * FROM t WHERE n BETWEEN -3 AND 1.5");
    check(&all.t.filter(|t| t.0.in_list([1, 3])), "SELECT * FROM t WHERE k IN (1, 3)");
    check(&all.t.filter(|t| t.0.in_list([0_i32; 0])), "SELECT * FROM t WHERE false");
    check(&all.t.filter(|t| t.0.in_list([Some(1), None])), "SELECT * FROM t WHERE k IN (1, NULL)");
    check(&all.t.filter(|t| t.0.is_null()), "SELECT * FROM t WHERE k IS NULL");
    check(&all.t.filter(|t| t.0.is_same(None::<i32>)), "SELECT * FROM t WHERE k IS NOT DISTINCT FROM NULL");
    check(&all.t.filter(|t| t.0.is_distinct_from(1)), "SELECT * FROM t WHERE k IS DISTINCT FROM 1");
    check(&all.t.filter(|t| t.3.like("a%")), "SELECT * FROM t WHERE s LIKE 'a%'");
    check(&all.t.filter(|t| t.3.not_like("a%")), "SELECT * FROM t WHERE s NOT LIKE 'a%'");
    check(&all.t.filter(|t| t.3.ilike("A%")), "SELECT * FROM t WHERE s ILIKE 'A%'");
    check(&all.t.filter(|t| t.5.gt(0.0)), "SELECT * FROM t WHERE f > 0");
    check(&all.t.filter(|t| t.5.eq(f64::NAN)), "SELECT * FROM t WHERE f = 'NaN'");
    check(&all.t.filter(|t| t.4.lt(date!(1996 - 01 - 01))), "SELECT * FROM t WHERE d < '1996-01-01'");
    check(&all.t.filter(|_| false), "SELECT * FROM t WHERE false");
    check(&all.t.filter(|_| null_of::<bool>()), "SELECT * FROM t WHERE NULL");
    check(&all.t.filter(|t| t.3.eq("it's")), "SELECT * FROM t WHERE s = 'it''s'");
}

#[test]
fn values_are_computed() {
    let session = session();
    let all = &tables(&session);
    twins(
        all,
        &all.t.select(|t| (t.0 + 1, t.1 * t.0, -t.2, t.2 / 4, 7 % t.0)),
        "SELECT k + 1, v * k, -n, n / 4, 7 % k FROM t",
    );
    twins(all, &all.t.select(|t| (t.5 * 2, t.2 + t.0, 1 - t.2)), "SELECT f * 2, n + k, 1 - n FROM t");
    twins(
        all,
        &all.t.select(|t| (case(t.0.gt(1), t.1).when(t.0.eq(1), 5).otherwise(0), case(t.6, "yes").end())),
        "SELECT CASE WHEN k > 1 THEN v WHEN k = 1 THEN 5 ELSE 0 END, CASE WHEN b THEN 'yes' END FROM t",
    );
    twins(
        all,
        &all.t.select(|t| (t.0.coalesce(9), t.0.null_if(1), t.1.cast::<f64>(), t.2.to_text())),
        "SELECT coalesce(k, 9), nullif(k, 1), v::float8, n::text FROM t",
    );
    twins(
        all,
        &all.t.select(|t| (t.3.upper(), t.3.length(), t.3.substring(2, 2), t.3.concat("!"), t.3.replace("a", "b"))),
        "SELECT upper(s), length(s), substring(s, 2, 2), s || '!', replace(s, 'a', 'b') FROM t",
    );
    twins(
        all,
        &all.t.select(|t| (t.4.year(), t.4.month(), t.4.day(), t.4 + 30, t.4 - date!(1995 - 01 - 01))),
        "SELECT extract(year from d)::int, extract(month from d)::int, extract(day from d)::int, d + 30, d - '1995-01-01'::date FROM t",
    );
    twins(all, &all.t.select(|t| call::<Option<f64>, _>("abs", t.5)), "SELECT abs(f) FROM t");
    twins(all, &all.t.let_(|t| t.0 + 1).filter(|row| row.7.gt(2)), "SELECT *, k + 1 FROM t WHERE k + 1 > 2");
    twins(all, &all.empty.select(|e| (e.0 + 1, literal(1))), "SELECT k + 1, 1 FROM empty");
}

#[test]
fn rows_are_joined() {
    let session = session();
    let all = &tables(&session);
    let (t, u) = (all.t.select(|t| (t.0, t.1)), &all.u);
    let t = &t;
    twins(all, &t.join(u, |t, u| t.0.eq(u.0)), "SELECT t.k, v, u.k, w FROM t JOIN u ON t.k = u.k");
    twins(all, &t.left_join(u, |t, u| t.0.eq(u.0)), "SELECT t.k, v, u.k, w FROM t LEFT JOIN u ON t.k = u.k");
    twins(all, &t.full_join(u, |t, u| t.0.eq(u.0)), "SELECT t.k, v, u.k, w FROM t FULL JOIN u ON t.k = u.k");
    twins(all, &t.cross(u), "SELECT t.k, v, u.k, w FROM t CROSS JOIN u");
    twins(all, &t.join(&all.empty, |t, e| t.0.eq(e.0)), "SELECT t.k, v, e.k, w FROM t JOIN empty e ON t.k = e.k");
    twins(
        all,
        &t.left_join(&all.empty, |t, e| t.0.eq(e.0)),
        "SELECT t.k, v, e.k, w FROM t LEFT JOIN empty e ON t.k = e.k",
    );
    twins(all, &t.semi_join(u, |t, u| t.0.eq(u.0)), "SELECT k, v FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k)");
    twins(
        all,
        &t.anti_join(u, |t, u| t.0.eq(u.0)),
        "SELECT k, v FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k)",
    );
    // With itself, and with what was filtered and ordered before.
    twins(all, &t.join(t, |a, b| a.0.eq(b.0)), "SELECT a.k, a.v, b.k, b.v FROM t a JOIN t b ON a.k = b.k");
    let few = t.filter(|t| t.1.gt(15)).order_by(|t| t.1.desc()).take(2);
    twins(
        all,
        &few.left_join(&u.filter(|u| u.1.is_not_null()), |t, u| t.0.eq(u.0)),
        "SELECT * FROM (SELECT k, v FROM t WHERE v > 15 ORDER BY v DESC LIMIT 2) a LEFT JOIN (SELECT * FROM u WHERE w IS NOT NULL) u ON a.k = u.k",
    );
    twins(
        all,
        &t.filter(|t| t.1.gt(15)).left_join(u, |t, u| t.0.eq(u.0)).filter(|row| row.2.is_missing()),
        "SELECT t.k, v, u.k, w FROM t LEFT JOIN u ON t.k = u.k WHERE v > 15 AND u.k IS NULL AND w IS NULL",
    );
    twins(
        all,
        &u.select_many(|u| t.filter(|t| t.0.eq(u.0)).order_by(|t| t.1.desc().nulls_last()).take(1)),
        "SELECT u.k, w, a.* FROM u, LATERAL (SELECT k, v FROM t WHERE t.k = u.k ORDER BY v DESC NULLS LAST LIMIT 1) a",
    );
}

#[test]
fn rows_are_grouped() {
    let session = session();
    let all = &tables(&session);
    twins(
        all,
        &all.t.group_by(|t| t.0).select(|g| {
            (g.key, g.count(), g.count_of(|t| t.2), g.sum(|t| t.1), g.avg(|t| t.2), g.min(|t| t.5), g.max(|t| t.3))
        }),
        "SELECT k, count(*), count(n), sum(v), avg(n), min(f), max(s) FROM t GROUP BY k",
    );
    twins(
        all,
        &all.t.group_by(|t| (t.5, t.6)).filter(|g| g.count().gt(1)).select(|g| (g.key.0, g.key.1, g.sum(|t| t.2))),
        "SELECT f, b, sum(n) FROM t GROUP BY f, b HAVING count(*) > 1",
    );
    twins(
        all,
        &all.t.group_by(|t| t.0 % 2).select(|g| (g.key, g.filter(|t| t.6).count(), g.distinct().sum(|t| t.1))),
        "SELECT k % 2, count(*) FILTER (WHERE b), sum(DISTINCT v) FROM t GROUP BY k % 2",
    );
    twins(
        all,
        &all.t.aggregate(|g| {
            (g.count(), g.sum(|t| t.1), g.all(|t| t.6), g.any(|t| t.6), g.filter(|_| false).max(|t| t.0))
        }),
        "SELECT count(*), sum(v), bool_and(b), bool_or(b), max(k) FILTER (WHERE false) FROM t",
    );
    twins(all, &all.empty.aggregate(|g| (g.count(), g.max(|e| e.0))), "SELECT count(*), max(k) FROM empty");
    twins(all, &all.empty.aggregate(|_| literal(1)), "SELECT 1");
    twins(all, &all.empty.group_by(|e| e.0).select(|g| (g.key, g.count())), "SELECT k, count(*) FROM empty GROUP BY k");
    twins(
        all,
        &all.t.aggregate(|g| g.order_by(|t| (t.1.desc(), t.3)).string_agg(|t| t.3, ",")),
        "SELECT string_agg(s, ',' ORDER BY v DESC, s) FROM t",
    );
    twins(
        all,
        &all.t
            .group_by(|t| t.0)
            .select(|g| (g.key, g.stddev(|t| t.1), g.variance(|t| t.5), g.call::<Option<i64>, _>("bit_or", |t| t.1))),
        "SELECT k, stddev(v), var_samp(f), bit_or(v) FROM t GROUP BY k",
    );
}

#[test]
fn groups_are_values() {
    let session = session();
    let all = &tables(&session);
    twins(
        all,
        &all.t.group_by(|t| t.0).select(|g| (g.key, g.rows().filter(|t| t.6).max(|t| t.1), g.rows().count())),
        "SELECT k, max(v) FILTER (WHERE b), count(*) FROM t GROUP BY k",
    );
    // The rows above the average of their group.
    twins(
        all,
        &all.t.group_by(|t| t.0).select(|g| {
            let average = g.avg(|t| t.1);
            (g.key, g.rows().filter(|t| t.1.gt(average)).count())
        }),
        "SELECT k, (SELECT count(*) FROM t i WHERE i.k IS NOT DISTINCT FROM o.k AND i.v > avg(o.v)) FROM t o GROUP BY k",
    );
    // The largest groups within a group: a groupBy within a groupBy.
    twins(
        all,
        &all.t.group_by(|t| t.6).select(|g| {
            let sizes = g.rows().group_by(|t| t.0).select(|inner| inner.count());
            (g.key, sizes.max(|size| size))
        }),
        "SELECT b, max(c) FROM (SELECT b, k, count(*) c FROM t GROUP BY b, k) GROUP BY b",
    );
    twins(
        all,
        &all.t.group_by(|t| t.0).select(|g| {
            let first = g.rows().order_by(|t| (t.1.desc().nulls_last(), t.3)).take(1);
            (g.key, first.select(|t| t.3).value())
        }),
        "SELECT DISTINCT ON (k) k, s FROM t ORDER BY k, v DESC NULLS LAST, s",
    );
    twins(
        all,
        &all.t.group_by(|t| t.4.year()).select(|g| (g.key, g.rows().any(|t| t.0.eq(1)), g.rows().all(|t| t.6))),
        "SELECT extract(year from d)::int, coalesce(bool_or(k = 1), false), bool_and(coalesce(b, false)) FROM t GROUP BY 1",
    );
}

#[test]
fn queries_are_values() {
    let session = session();
    let all = &tables(&session);
    let (t, u) = (&all.t, &all.u);
    twins(all, &t.filter(|t| u.any(|u| u.0.eq(t.0))), "SELECT * FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k)");
    twins(
        all,
        &t.filter(|t| u.not_any(|u| u.0.eq(t.0))),
        "SELECT * FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k)",
    );
    twins(
        all,
        &t.filter(|t| u.all(|u| u.0.gt_eq(t.0))),
        "SELECT * FROM t WHERE NOT EXISTS (SELECT FROM u WHERE (u.k >= t.k) IS NOT TRUE)",
    );
    let keys = u.select(|u| u.0);
    twins(all, &t.filter(|t| keys.contains(t.0)), "SELECT * FROM t WHERE k IN (SELECT k FROM u)");
    twins(all, &t.filter(|t| !keys.contains(t.0)), "SELECT * FROM t WHERE k NOT IN (SELECT k FROM u)");
    let known = u.filter(|u| u.0.is_not_null()).select(|u| u.0);
    twins(
        all,
        &t.filter(|t| !known.contains(t.0)),
        "SELECT * FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
    );
    twins(
        all,
        &t.select(|o| (o.0, t.filter(|i| i.0.eq(o.0)).sum(|i| i.1), u.filter(|u| u.0.eq(o.0)).count())),
        "SELECT k, (SELECT sum(v) FROM t i WHERE i.k = o.k), (SELECT count(*) FROM u WHERE u.k = o.k) FROM t o",
    );
    twins(
        all,
        &t.filter(|o| o.1.gt(t.filter(|i| i.0.eq(o.0)).avg(|i| i.1))),
        "SELECT * FROM t o WHERE v > (SELECT avg(v) FROM t i WHERE i.k = o.k)",
    );
    twins(all, &t.select(|o| (o.0, all.empty.max(|e| e.0))), "SELECT k, NULL::int FROM t");
    // Two levels out.
    twins(
        all,
        &t.filter(|o| u.any(|u| t.any(|i| i.0.eq(u.0) & i.1.eq(o.1)))),
        "SELECT * FROM t o WHERE EXISTS (SELECT FROM u WHERE EXISTS (SELECT FROM t i WHERE i.k = u.k AND i.v = o.v))",
    );
}

#[test]
fn queries_are_sets() {
    let session = session();
    let all = &tables(&session);
    let (a, b) = (all.t.select(|t| t.0), all.u.select(|u| u.0));
    let (a, b) = (&a, &b);
    twins(all, &a.union(b), "SELECT k FROM t UNION SELECT k FROM u");
    twins(all, &a.union_all(b), "SELECT k FROM t UNION ALL SELECT k FROM u");
    twins(all, &a.intersect(b), "SELECT k FROM t INTERSECT SELECT k FROM u");
    twins(all, &a.intersect_all(b), "SELECT k FROM t INTERSECT ALL SELECT k FROM u");
    twins(all, &a.except(b), "SELECT k FROM t EXCEPT SELECT k FROM u");
    twins(all, &a.except_all(b), "SELECT k FROM t EXCEPT ALL SELECT k FROM u");
    twins(
        all,
        &a.except(b).union_all(a).filter(|k| k.gt(1)),
        "SELECT * FROM ((SELECT k FROM t EXCEPT SELECT k FROM u) UNION ALL SELECT k FROM t) WHERE k > 1",
    );
    twins(all, &a.distinct(), "SELECT DISTINCT k FROM t");
    twins(all, &all.t.select(|t| t.5).distinct(), "SELECT DISTINCT f FROM t");
    twins(all, &a.distinct().order_by(|k| k + 0), "SELECT DISTINCT k FROM t ORDER BY 1");
    let shared = all.t.group_by(|t| t.0).select(|g| (g.key, g.count())).shared();
    twins(
        all,
        &shared.join(&shared, |a, b| a.1.eq(b.1)),
        "WITH s AS (SELECT k, count(*) c FROM t GROUP BY k) SELECT a.k, a.c, b.k, b.c FROM s a JOIN s b ON a.c = b.c",
    );
}

#[test]
fn rows_are_ordered() {
    let session = session();
    let all = &tables(&session);
    let t = all.t.select(|t| (t.0, t.1, t.5));
    let t = &t;
    twins(all, &t.order_by(|t| (t.0, t.1)), "SELECT k, v, f FROM t ORDER BY 1, 2");
    twins(
        all,
        &t.order_by(|t| (t.0.desc(), t.1.asc().nulls_first())),
        "SELECT k, v, f FROM t ORDER BY 1 DESC, v NULLS FIRST",
    );
    twins(
        all,
        &t.order_by(|t| t.0).then_by(|t| t.1.desc()).take(3),
        "SELECT k, v, f FROM t ORDER BY 1, v DESC LIMIT 3",
    );
    twins(all, &t.order_by(|t| (t.0, t.1)).skip(2).take(2), "SELECT k, v, f FROM t ORDER BY 1, v LIMIT 2 OFFSET 2");
    twins(all, &t.order_by(|t| (t.0, t.1)).skip(4), "SELECT k, v, f FROM t ORDER BY 1, v OFFSET 4");
    twins(all, &t.order_by(|t| (t.0, t.1)).select(|t| t.0 + 1), "SELECT k + 1 FROM t ORDER BY 1");
    twins(all, &t.select(|t| (t.0 + 1, t.1)).order_by(|t| (t.0, t.1)), "SELECT k + 1, v FROM t ORDER BY 1, v");
    twins(all, &t.select(|t| (t.0 + 1, t.1)).order_by(|t| (t.0 * 2, t.1)), "SELECT k + 1, v FROM t ORDER BY 1, v");
    twins(all, &t.order_by(|t| (t.0, t.1)).filter(|t| t.1.gt(10)), "SELECT k, v, f FROM t WHERE v > 10 ORDER BY 1, v");
    twins(
        all,
        &t.order_by(|t| t.1).take(2).filter(|t| t.1.gt(10)),
        "SELECT * FROM (SELECT k, v, f FROM t ORDER BY v LIMIT 2) WHERE v > 10",
    );
    twins(
        all,
        &t.group_by(|t| t.0).select(|g| (g.key, g.sum(|t| t.1))).order_by(|r| (r.1.desc(), r.0)),
        "SELECT * FROM (SELECT k, sum(v) s FROM t GROUP BY k) ORDER BY s DESC, k, 1 /* ORDER BY 1 */",
    );
}

#[test]
fn windows_see_rows_around() {
    let session = session();
    let all = &tables(&session);
    twins(
        all,
        &all.t.select(|t| {
            (
                t.1,
                window::row_number().over(|w| w.partition_by(t.0).order_by((t.1, t.3))),
                window::rank().over(|w| w.order_by(t.5.desc())),
                window::sum(t.1).over(|w| w.partition_by(t.0)),
                window::lag(t.1, 1).over(|w| w.order_by((t.1, t.3))),
                window::sum(t.1).over(|w| w.order_by((t.1, t.3)).rows(-1..=0)),
                window::count().over(|w| w.order_by(t.0).groups(..=1)),
                window::max(t.1).filter(t.6).over(|w| w),
            )
        }),
        "SELECT v, row_number() OVER (PARTITION BY k ORDER BY v, s), rank() OVER (ORDER BY f DESC), sum(v) OVER (PARTITION BY k),
             lag(v, 1) OVER (ORDER BY v, s), sum(v) OVER (ORDER BY v, s ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
             count(*) OVER (ORDER BY k GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING), max(v) FILTER (WHERE b) OVER () FROM t",
    );
    // Every form of a frame.
    let week = Interval { months: 0, days: 7, micros: 0 };
    twins(
        all,
        &all.t.select(|t| {
            let sum = || window::sum(t.1);
            (
                sum().over(|w| w.order_by((t.1, t.3)).rows(..)),
                sum().over(|w| w.order_by((t.1, t.3)).rows(1..)),
                sum().over(|w| w.order_by(t.1).range(-10..=0).exclude_current_row()),
                sum().over(|w| w.order_by(t.1).range(window::preceding(literal(5) + 5)..).exclude_group()),
                sum().over(|w| w.order_by(t.4).range(window::current_row()..=window::following(week)).exclude_ties()),
                sum().over(|w| w.order_by(t.1).exclude_current_row()),
            )
        }),
        "SELECT sum(v) OVER (ORDER BY v, s ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
             sum(v) OVER (ORDER BY v, s ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
             sum(v) OVER (ORDER BY v RANGE BETWEEN 10 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW),
             sum(v) OVER (ORDER BY v RANGE BETWEEN 5 + 5 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP),
             sum(v) OVER (ORDER BY d RANGE BETWEEN CURRENT ROW AND interval '7 days' FOLLOWING EXCLUDE TIES),
             sum(v) OVER (ORDER BY v RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM t",
    );
    let ranked = all.t.select(|t| (t.0, t.1, window::row_number().over(|w| w.partition_by(t.0).order_by((t.1, t.3)))));
    twins(
        all,
        &ranked.filter(|r| r.2.eq(1)),
        "SELECT * FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v, s) r FROM t) WHERE r = 1",
    );
}

#[test]
fn rows_become_values_of_rust() {
    let session = session();
    let all = &tables(&session);
    let first = all.t.filter(|t| t.1.eq(10)).one().expect("it is there");
    assert_eq!(
        first,
        (
            Some(1),
            Some(10),
            Some(decimal!(1.5)),
            Some("a".to_owned()),
            Some(date!(1995 - 01 - 01)),
            Some(0.5),
            Some(true)
        )
    );
    let error = all.t.select(|t| t.0.never_null()).collect().expect_err("one is NULL");
    assert_eq!(error.sqlstate(), "22002");
    assert_eq!(all.t.filter(|_| false).one().expect_err("there is none").sqlstate(), "02000");
    assert_eq!(all.t.one().expect_err("there are more").sqlstate(), "21000");
    assert_eq!(all.t.filter(|_| false).first().expect("it runs"), None);
    let joined = all.t.select(|t| t.0).left_join(&all.u, |k, u| k.eq(u.0)).filter(|(k, _)| k.eq(2));
    assert_eq!(joined.collect().expect("it runs"), [(Some(2), None), (Some(2), None)]);
    assert_eq!(all.t.select(|t| 1 / (t.1 - 10)).collect().expect_err("it divides by zero").sqlstate(), "22012");
}

#[test]
fn decimals_are_no_integers() {
    let session = session();
    let all = &tables(&session);
    twins(
        all,
        &all.t.select(|t| (t.0 / decimal!(2), t.0 * decimal!(10000000000), decimal!(7) / t.0)),
        "SELECT k / 2::numeric, k * 10000000000::numeric, 7::numeric / k FROM t",
    );
    let ones = all.t.aggregate(|g| g.sum(|t| case(t.6, decimal!(1)).otherwise(decimal!(0))) / g.count());
    twins(all, &ones, "SELECT sum(CASE WHEN b THEN 1::numeric ELSE 0::numeric END) / count(*) FROM t");
    let halves = session.values([decimal!(5), decimal!(6)]).select(|n| n / 2);
    assert_eq!(halves.order_by(|n| n).collect().expect("it runs"), [decimal!(2.5), decimal!(3)]);
}

#[test]
fn columns_of_queries_around_stay_theirs() {
    let session = session();
    let all = &tables(&session);
    let (t, u) = (&all.t, &all.u);
    twins(all, &u.select_many(|u| t.select(|t| (u.0, t.1))).select(|(_, _, pair)| pair), "SELECT u.k, t.v FROM u, t");
    twins(
        all,
        &u.select_many(|u| t.group_by(|t| (u.0, t.0)).select(|g| (g.key.0, g.rows().count())))
            .select(|(_, _, pair)| pair),
        "SELECT u.k, a.c FROM u, LATERAL (SELECT k, count(*) c FROM t GROUP BY k) a",
    );
    twins(
        all,
        &u.select_many(|u| {
            let pairs = t.select(|t| (u.0, t.1)).full_join(&all.empty, |_, _| false);
            pairs.select(|(pair, e)| (pair.get(|p| p.0), e.get(|e| e.0)))
        })
        .select(|(_, _, pair)| pair),
        "SELECT u.k, NULL::int FROM u, t",
    );
    // A key of the query around is no column of this one.
    let first = u.select_many(|u| t.select(|t| (t.0 + 1, t.1)).order_by(|p| (u.1, p.1, p.0)).take(1));
    twins(
        all,
        &first.select(|(k, _, pair)| (k, pair.1)),
        "SELECT u.k, a.v FROM u, LATERAL (SELECT v FROM t ORDER BY v, k + 1 LIMIT 1) a",
    );
}

#[test]
fn aggregates_and_windows_belong_to_their_queries() {
    let session = session();
    let all = &tables(&session);
    let (t, u) = (&all.t, &all.u);
    let nested = t.group_by(|t| t.0).select(|g| (g.key, u.filter(|u| u.0.gt(g.count())).count()));
    assert_eq!(nested.collect().expect_err("it would count the others").sqlstate(), "42803");
    let kept = t.group_by(|t| t.0).select(|g| {
        let count = g.count();
        (g.key, u.select(|_| count).take(1).value())
    });
    assert_eq!(kept.collect().expect_err("it would count the others").sqlstate(), "42803");
    // Behind a select it is a column.
    let counted = t
        .group_by(|t| t.0)
        .select(|g| (g.key, g.count()))
        .let_(|r| r.0)
        .select(|(k, n, _)| (k, u.filter(|u| u.0.cast::<i64>().gt(n)).count()));
    twins(
        all,
        &counted,
        "SELECT k, (SELECT count(*) FROM u WHERE u.k > n) FROM (SELECT k, count(*) n FROM t GROUP BY k) g",
    );
    let outer = t.group_by(|t| t.0).select(|g| (g.key, u.aggregate(|_| g.sum(|t| t.1)).value()));
    twins(all, &outer, "SELECT k, sum(v) FROM t GROUP BY k");
    let ranked = t
        .select(|t| (t.0, window::row_number().over(|w| w.order_by(t.1))))
        .order_by(|r| u.filter(|u| u.0.cast::<i64>().eq(r.1)).count());
    assert_eq!(ranked.collect().expect_err("the window would be another one").sqlstate(), "42803");
    let error = t.select(|t| call::<Option<i64>, _>("sum", t.1)).collect().expect_err("it is an aggregate");
    assert_eq!(error.sqlstate(), "42803");
}

#[test]
fn orders_are_kept_or_refused() {
    let session = session();
    let numbers = session.values([(1_i32, "x"), (2, "x"), (3, "y")]);
    let by_count = numbers.order_by(|r| (window::count().over(|w| w.partition_by(r.1)).desc(), r.0.desc()));
    let rows = by_count.filter(|r| r.0.gt(1)).order_by(|r| r.0).select(|r| r.0).collect();
    assert_eq!(rows.expect("it runs"), [2, 3]);
    assert_eq!(numbers.then_by(|r| r.0).collect().expect_err("nothing is ordered").sqlstate(), "42P10");
    let limited = numbers.order_by(|r| r.1).take(2).then_by(|r| r.0);
    assert_eq!(limited.collect().expect_err("the order would be lost").sqlstate(), "42P10");
    let constant = numbers.order_by(|r| (literal(2), literal("a"), r.0.desc())).select(|r| r.0);
    assert_eq!(constant.collect().expect("constants order nothing"), [3, 2, 1]);
    let distinct = numbers.group_by(|r| r.1).select(|g| g.distinct().rows().count());
    assert_eq!(distinct.collect().expect_err("it would count all").sqlstate(), "0A000");
}

#[test]
fn sessions_do_not_mix() {
    let (one, other) = (session(), session());
    let (a, b) = (one.values([1_i32]), other.values([1_i32]));
    for query in
        [a.union(&b), a.semi_join(&b, |a, b| a.eq(b)), a.filter(|a| b.contains(a)), a.cross(&b).select(|r| r.0)]
    {
        assert_eq!(query.collect().expect_err("they are of two").sqlstate(), "22023");
    }
}

#[test]
fn large_queries_end() {
    let session = session();
    let number = session.values([1_i32]);
    let doubled = number.select(|n| (0..60).fold(n, |sum, _| sum + sum));
    assert_eq!(doubled.collect().expect_err("it has 2^60 parts").sqlstate(), "54001");
    assert_eq!(doubled.to_sql().expect_err("it has no text").sqlstate(), "54001");
    let deep = number.select(|n| (0..100_000).fold(n, |sum, _| sum + 1));
    assert_eq!(deep.collect().expect_err("it is too deep").sqlstate(), "54001");
    session.sql("CREATE SCHEMA s; CREATE TABLE s.t (k integer); INSERT INTO s.t VALUES (7)").expect("it is made");
    assert_eq!(session.table("s.t").run().expect("it is found").fields()[0].name, "k");
}

#[test]
fn conditions_of_thousands_of_operands() {
    let session = session();
    session
        .sql(
            "CREATE TABLE large (k integer); INSERT INTO large VALUES (-1), (NULL), (0), (1999), (2000);
             CREATE TABLE nothing (k integer)",
        )
        .expect("they are made");
    #[derive(Row, Debug, PartialEq)]
    struct Large {
        k: Option<i32>,
    }
    let (large, none) =
        (session.rows_in::<Large>("large").expect("it fits"), session.rows_in::<Large>("nothing").expect("it fits"));
    fn none_of<'s>(rows: &Query<'s, LargeExpr>, count: i32) -> Query<'s, Expr<Option<i32>>> {
        rows.filter(|t| (1..count).fold(t.k.not_eq(0), |all, i| all & t.k.not_eq(i))).select(|t| t.k)
    }
    fn one_of<'s>(rows: &Query<'s, LargeExpr>, count: i32) -> Query<'s, Expr<i64>> {
        rows.filter(|t| (1..count).fold(t.k.eq(0), |any, i| any | t.k.eq(i))).aggregate(|g| g.count())
    }
    assert_eq!(none_of(&large, 2_000).order_by(|k| k).collect().expect("it runs"), [Some(-1), Some(2_000)]);
    assert_eq!(one_of(&large, 2_000).one().expect("it runs"), 2);
    assert!(none_of(&none, 20_000).collect().expect("it runs").is_empty());
    assert_eq!(one_of(&none, 20_000).one().expect("it runs"), 0);
    let steps = (0..2_000).fold(large.clone(), |rows, i| rows.filter(move |t| t.k.not_eq(i)));
    assert_eq!(steps.aggregate(|g| g.count()).one().expect("it runs"), 2);
    // The text has no parentheses that nobody wrote, and the same meaning.
    let text = none_of(&none, 20_000).to_sql().expect("it has a text");
    assert_eq!((text.matches(" AND ").count(), text.matches('(').count()), (19_999, 20_000));
    assert!(rows(session.sql(&text), "the text").is_empty());
}

#[test]
fn conditions_keep_their_parentheses() {
    let session = session();
    let all = &tables(&session);
    let is = |query: Query<'_, T>, text: &str| {
        let said = query.select(|t| t.0).to_sql().expect("it has a text");
        assert_eq!(said.rsplit_once(" WHERE ").expect("it has a condition").1.replace("\"listed\".", ""), text);
    };
    let four = |t: T| (t.0.eq(1), t.0.eq(2), t.0.eq(3), t.0.eq(4));
    let [a, b, c, d] = [1, 2, 3, 4].map(|number| format!("(\"column1\" = {number})"));
    is(all.t.filter(|t| four(t).0 & four(t).1 & four(t).2 & four(t).3), &format!("{a} AND {b} AND {c} AND {d}"));
    is(all.t.filter(|t| four(t).0 & (four(t).1 & four(t).2)), &format!("{a} AND ({b} AND {c})"));
    is(all.t.filter(|t| (four(t).0 & four(t).1) | (four(t).2 & four(t).3)), &format!("({a} AND {b}) OR ({c} AND {d})"));
    is(all.t.filter(|t| (four(t).0 | four(t).1) & four(t).2 | four(t).3), &format!("(({a} OR {b}) AND {c}) OR {d}"));
    is(all.t.filter(|t| four(t).0 | four(t).1).filter(|t| four(t).2), &format!("({a} OR {b}) AND {c}"));
}

#[test]
fn mistakes_are_errors() {
    let session = session();
    let all = &tables(&session);
    // A value that has left its closure.
    let mut kept = None;
    let _ = all.t.filter(|t| {
        kept = Some(t.0);
        true
    });
    let kept = kept.expect("the closure was called");
    let error = all.t.filter(|_| kept.eq(1)).collect().expect_err("it is of another query");
    assert_eq!(error.sqlstate(), "42P10");
    assert!(error.detail().is_some_and(|detail| detail.contains("typed.rs")), "{error:?}");
    let later = all.t.filter(|_| kept.eq(1)).select(|t| t.0).order_by(|k| k).take(1);
    assert_eq!(later.collect().expect_err("it stays wrong").sqlstate(), "42P10");
    assert_eq!(later.to_sql().expect_err("it has no text").sqlstate(), "42P10");
    assert_eq!(all.u.filter(|u| later.contains(u.0)).collect().expect_err("so is what uses it").sqlstate(), "42P10");
    // A closure that panics leaves nothing behind.
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| all.t.filter(|_| -> bool { panic!("mine") })));
    assert!(panicked.is_err());
    assert_eq!(all.t.filter(|t| t.1.eq(10)).collect().expect("it runs").len(), 1);
    // Groups within a closure over the same rows.
    let grouped = all.t.group_by(|t| t.0);
    let error = all.t.filter(|t| grouped.select(|g| g.key).contains(t.0)).collect();
    assert!(error.is_ok() || error.is_err_and(|error| error.sqlstate() == "42P10"));
    // An aggregate that SQL does not have.
    let error = all.t.aggregate(|g| g.call::<i64, _>("no_such", |t| t.0)).collect().expect_err("there is none");
    assert_eq!(error.sqlstate(), "42883");
    let error = all.t.select(|t| call::<String, _>("abs", t.0)).collect().expect_err("it gives a number");
    assert_eq!(error.sqlstate(), "42804");
}

#[test]
fn prepared_queries_run_many_times() {
    let session = session();
    let all = &tables(&session);
    let query = session
        .prepare_query::<(Option<i32>, String, i64), _>(|(k, s, _)| {
            all.t.filter(|t| t.0.is_same(k) | t.3.eq(s)).select(|t| (t.1, t.0 + k)).order_by(|r| r.0)
        })
        .expect("it is planned");
    let rows = |k, s: &str| query.collect((k, s.to_owned(), 0)).expect("it runs");
    assert_eq!(rows(Some(1), "none"), [(Some(10), Some(2)), (Some(20), Some(2))]);
    assert_eq!(rows(None, ""), [(Some(40), None), (None, None)]);
}
