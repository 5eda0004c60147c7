//! What functions give is what functions of SQL's own that mean the same give.

use super::{fails, same, sessions};
use multiloop::params;

#[test]
fn scalars_are_as_those_of_sql() {
    let pairs = [
        (
            "SELECT id, my_half(d), my_half(b), my_half(m) FROM nasty ORDER BY id",
            "SELECT id, d / 2, b::double precision / 2, m::double precision / 2 FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_next(b) FROM nasty WHERE b < 9223372036854775807 ORDER BY id",
            "SELECT b + 1 FROM nasty WHERE b < 9223372036854775807 ORDER BY id",
        ),
        ("SELECT my_next(b) FROM nasty", "SELECT b + 1 FROM nasty"),
        (
            "SELECT my_length(t), my_upper(t) FROM nasty ORDER BY id",
            "SELECT length(t), CASE WHEN id = 4 THEN 'STRASSE' ELSE upper(t) END FROM nasty ORDER BY id",
        ),
        ("SELECT my_money(m) FROM nasty ORDER BY id", "SELECT m::numeric FROM nasty ORDER BY id"),
        (
            "SELECT my_later(day, id) FROM nasty WHERE id NOT IN (3, 4) ORDER BY id",
            "SELECT day + id FROM nasty WHERE id NOT IN (3, 4) ORDER BY id",
        ),
        (
            "SELECT my_or_zero(b), my_some(b), my_not(yes) FROM nasty ORDER BY id",
            "SELECT coalesce(b, 0), nullif(b, 10), NOT yes FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_sum(ARRAY[id, 2, 3]), my_wait(id) FROM nasty ORDER BY id",
            "SELECT id + 5, id * interval '1 hour' FROM nasty ORDER BY id",
        ),
        (
            "SELECT my_half(v), my_length(w) FROM many WHERE my_next(n) % 3 = 0 AND my_upper(w) > 'W5' ORDER BY my_some(n) DESC",
            "SELECT v::double precision / 2, length(w) FROM many WHERE (n + 1) % 3 = 0 AND upper(w) > 'W5' ORDER BY n DESC",
        ),
        (
            "SELECT my_upper(w), count(*), sum(my_or_zero(v)) FROM many GROUP BY my_upper(w) HAVING my_length(my_upper(w)) > 2 ORDER BY 1",
            "SELECT upper(w), count(*), sum(coalesce(v, 0)) FROM many GROUP BY upper(w) HAVING length(upper(w)) > 2 ORDER BY 1",
        ),
        ("SELECT my_length(t) FROM nasty WHERE false", "SELECT length(t) FROM nasty WHERE false"),
        (
            "SELECT a.id, b.id FROM nasty a JOIN nasty b ON my_or_zero(a.b) = my_or_zero(b.b) ORDER BY 1, 2",
            "SELECT a.id, b.id FROM nasty a JOIN nasty b ON coalesce(a.b, 0) = coalesce(b.b, 0) ORDER BY 1, 2",
        ),
        (
            "SELECT my_next((SELECT max(n) FROM many)), my_half(3), my_length(NULL), my_length('abc')",
            "SELECT 40001, 1.5::double precision, NULL, 3",
        ),
        (
            "SELECT my_kind(1), my_kind(1::bigint), my_kind(1.5::real), my_kind('a'), my_kind(1, 2), my_kind(), my_kind('x'::varchar(3))",
            "SELECT 'double', 'bigint', 'double', 'text', 'two', 'none', 'text'",
        ),
        // Rows that do not reach it do not fail.
        (
            "SELECT CASE WHEN b < 9223372036854775807 THEN my_next(b) END FROM nasty ORDER BY id",
            "SELECT CASE WHEN b < 9223372036854775807 THEN b + 1 END FROM nasty ORDER BY id",
        ),
        (
            "SELECT count(*) FROM nasty WHERE b < 100 AND my_next(b) > 0",
            "SELECT count(*) FROM nasty WHERE b < 100 AND b + 1 > 0",
        ),
    ];
    same(&pairs);
}

#[test]
fn aggregates_are_as_those_of_sql() {
    let pairs = [
        (
            "SELECT my_chain(t, id ORDER BY id) FROM nasty",
            "SELECT string_agg(repeat(coalesce(t, '-'), least(id, 2)), '' ORDER BY id) FROM nasty",
        ),
        ("SELECT my_total(v) FROM many", "SELECT sum(v)::bigint FROM many"),
        (
            "SELECT k, my_total(v), my_total(DISTINCT n % 3) FROM many GROUP BY k ORDER BY k",
            "SELECT k, sum(v)::bigint, sum(DISTINCT n % 3)::bigint FROM many GROUP BY k ORDER BY k",
        ),
        ("SELECT my_total(b) FROM nasty WHERE false", "SELECT sum(b) FROM nasty WHERE false"),
        ("SELECT my_total(b) FILTER (WHERE id = 2) FROM nasty", "SELECT NULL"),
        ("SELECT my_total(b) FROM nasty WHERE b > 0", "SELECT (sum(b) - 10)::bigint + 10 FROM nasty WHERE b > 0"),
        ("SELECT my_chain(t, id), my_chain_or_null(t, id) FROM nasty WHERE false", "SELECT '', NULL"),
        ("SELECT my_chain_or_null(t, id ORDER BY id DESC) FROM nasty WHERE id < 6", "SELECT 'aaStraßeStraßea'"),
        (
            "SELECT k, length(my_chain(w, 1)) FROM many GROUP BY k ORDER BY k",
            "SELECT k, sum(length(w)) FROM many GROUP BY k ORDER BY k",
        ),
        (
            "SELECT id, my_total(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM nasty ORDER BY id",
            "SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM nasty ORDER BY id",
        ),
        (
            "SELECT k FROM many GROUP BY k HAVING my_total(v) > 274285000 ORDER BY my_total(v)",
            "SELECT k FROM many GROUP BY k HAVING sum(v) > 274285000 ORDER BY sum(v)",
        ),
    ];
    same(&pairs);
}

#[test]
fn table_functions_give_rows() {
    let pairs = [
        ("SELECT * FROM my_series(1, 4)", "VALUES (1, NULL), (2, '2'), (3, NULL), (4, '4')"),
        ("SELECT sum(n), count(name) FROM my_series(1, 70000) s", "SELECT 2450035000, 35000"),
        ("SELECT * FROM my_series(3, 1)", "SELECT 1, 'a' WHERE false"),
        ("SELECT * FROM my_series(NULL, 1)", "SELECT 1, 'a' WHERE false"),
        (
            "SELECT s.a, m.k FROM my_series(1, 2 + 1) AS s(a, b) JOIN many m ON m.n = s.a ORDER BY 1",
            "SELECT n, k FROM many WHERE n <= 3 ORDER BY 1",
        ),
        ("SELECT my_next(n) FROM my_series(1, 2) ORDER BY n", "VALUES (2), (3)"),
        ("WITH t AS (SELECT * FROM my_series(1, 2)) SELECT count(*) FROM t a, t b", "SELECT 4"),
    ];
    same(&pairs);
    let session = &sessions(2)[0];
    let sum = session.prepare("SELECT sum(n)::bigint FROM my_series($1, $2)").expect("prepared");
    for (last, expected) in [(3, 6), (10, 55)] {
        assert_eq!(sum.query_scalar::<i64>(session, params![1, last]), Ok(expected));
    }
    fails(session, "SELECT * FROM my_series(1, 2, 3)", "42883", "my_series(integer, integer, integer)");
    fails(session, "SELECT * FROM nasty, my_series(1, nasty.id)", "0A000", "my_series");
    fails(session, "SELECT my_series(1, 2)", "42883", "my_series");
}
