//! Every kind of CTE in every use under every kind of condition: all ways to run the query give the same rows, and no
//! way ends in an internal error.
//!
//! A query is made of three parts, which know nothing of each other: what the CTE `w (k, v)` is, how a query over the
//! tables uses it, and a condition on what the use shows. `COMBINATIONS=all` tries each with each, which takes some
//! minutes; else the conditions take turns. `COMBINATIONS=print` prints the queries, to be run beside another engine.

use multiloop::Session;
use multiloop_tests::{Answer, UNOPTIMISED, WAYS, Way, answer};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Small tables with NULLs, duplicates, and keys that have no partner.
const TABLES: [&str; 4] = [
    "CREATE TABLE t (k integer, v integer)",
    "INSERT INTO t VALUES (1, 4), (2, 7), (2, 7), (3, NULL), (NULL, 5), (5, 1)",
    "CREATE TABLE u (k integer, v integer, g integer)",
    "INSERT INTO u VALUES (1, 7, 1), (1, 2, 2), (2, 7, 2), (3, NULL, 1), (3, 9, NULL), (NULL, 4, 3), (4, 4, 1)",
];

/// What `w (k, v)` may be.
const KINDS: &[(&str, &str)] = &[
    ("table", "SELECT k, v FROM u"),
    ("filter", "SELECT k, v FROM u WHERE g < 3"),
    ("renamed", "SELECT g AS x, k AS y FROM u"),
    ("computed", "SELECT k + 1, coalesce(v, 3) FROM u"),
    ("fails late", "SELECT k, 12 / (v - 2) FROM u WHERE v <> 2"),
    ("join", "SELECT t.k, u.v FROM t JOIN u ON u.k = t.k"),
    ("join of three", "SELECT a.k, b.g FROM u a JOIN t ON a.k = t.k JOIN u b ON b.v = t.v"),
    ("self-join", "SELECT a.v, b.k FROM u a JOIN u b ON a.k = b.g"),
    ("left join", "SELECT t.k, u.v FROM t LEFT JOIN u ON u.k = t.k"),
    ("right join", "SELECT t.k, u.v FROM t RIGHT JOIN u ON u.k = t.k AND t.v > 4"),
    ("full join", "SELECT t.k, u.v FROM t FULL JOIN u ON u.k = t.v"),
    ("cross join", "SELECT t.k, u.v FROM t CROSS JOIN u"),
    ("inequality join", "SELECT t.k, u.g FROM t JOIN u ON u.v < t.v"),
    ("exists", "SELECT k, v FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.k = u.k)"),
    ("not exists", "SELECT k, v FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = u.k AND t.v > u.v)"),
    ("in", "SELECT k, v FROM u WHERE v IN (SELECT v FROM t)"),
    ("not in", "SELECT k, v FROM u WHERE g NOT IN (SELECT k FROM t WHERE k > 1)"),
    ("group", "SELECT k, sum(v) FROM u GROUP BY k"),
    ("group of a join", "SELECT t.k, count(u.v) FROM t LEFT JOIN u ON u.k = t.k GROUP BY t.k"),
    ("having", "SELECT g, max(v) FROM u GROUP BY g HAVING count(*) > 1"),
    ("one row", "SELECT max(k), count(*) FROM u"),
    ("distinct", "SELECT DISTINCT k, g FROM u"),
    ("union", "SELECT k, v FROM t UNION SELECT k, v FROM u"),
    ("union all", "SELECT k, v FROM t UNION ALL SELECT g, k FROM u"),
    ("except", "SELECT k, v FROM t EXCEPT SELECT k, v FROM u"),
    ("except all", "SELECT k, v FROM t EXCEPT ALL SELECT k, v FROM u"),
    ("intersect", "SELECT k, v FROM t INTERSECT SELECT k, v FROM u"),
    ("intersect all", "SELECT v, v FROM t INTERSECT ALL SELECT v, v FROM u"),
    ("limit", "SELECT k, v FROM u ORDER BY k, v LIMIT 3"),
    ("limit of a join", "SELECT t.k, u.v FROM t JOIN u ON t.k = u.k ORDER BY t.k DESC, u.v OFFSET 1"),
    ("values", "VALUES (1, 7), (2, NULL), (2, 3), (NULL, 7)"),
    ("constants", "SELECT 2, 7"),
    ("empty", "SELECT k, v FROM u WHERE false"),
    ("scalar", "SELECT k, (SELECT max(v) FROM t) FROM u"),
    ("correlated scalar", "SELECT k, (SELECT count(*) FROM t WHERE t.k = u.k) FROM u"),
    ("WITH", "WITH i AS (SELECT u.k, t.v FROM u JOIN t ON t.k = u.g) SELECT k, v FROM i"),
    ("WITH twice", "WITH i AS (SELECT k, v FROM u WHERE v > 2) SELECT a.k, b.v FROM i a LEFT JOIN i b ON a.k = b.v"),
    ("derived", "SELECT d.b, d.a FROM (SELECT u.k AS a, t.v AS b FROM u JOIN t ON u.k = t.k) d WHERE d.a > 0"),
];

/// How a query uses `w`: the query with `?` for the condition, a column of `w` and one of something else there.
const USES: &[(&str, &str, &str)] = &[
    ("SELECT k, v FROM w WHERE ?", "w.v", "w.k"),
    ("SELECT w.k, t.v FROM w JOIN t ON w.k = t.k WHERE ?", "w.v", "t.v"),
    ("SELECT t.v, w.v FROM t LEFT JOIN w ON w.k = t.k WHERE ?", "w.v", "t.v"),
    ("SELECT t.v, w.v FROM t LEFT JOIN w ON w.k = t.k AND w.v > 3 WHERE ?", "w.v", "t.v"),
    ("SELECT t.k, w.v FROM t LEFT JOIN w ON ? WHERE t.k = 2", "w.v", "t.v"),
    ("SELECT t.v, w.k FROM w LEFT JOIN t ON w.v = t.v WHERE ?", "w.k", "t.k"),
    ("SELECT t.v, w.v FROM t RIGHT JOIN w ON w.k = t.k WHERE ?", "w.v", "t.v"),
    ("SELECT t.v, w.v FROM t FULL JOIN w ON w.k = t.k WHERE ?", "w.v", "t.v"),
    ("SELECT t.v, w.k FROM t CROSS JOIN w WHERE ?", "w.k", "t.k"),
    ("SELECT t.v, w.k FROM t JOIN w ON t.v > w.v WHERE ?", "w.k", "t.k"),
    ("SELECT s.g, t.v, w.v FROM u s JOIN t ON s.k = t.k LEFT JOIN w ON w.k = t.k WHERE ?", "w.v", "s.v"),
    ("SELECT s.g, t.v, w.v FROM t LEFT JOIN w ON w.k = t.k LEFT JOIN u s ON s.v = w.v WHERE ?", "w.v", "s.g"),
    ("SELECT s.g, w.v FROM u s LEFT JOIN (t JOIN w ON w.k = t.k) ON s.k = w.k WHERE ?", "w.v", "t.v"),
    ("SELECT d.a, t.v FROM t LEFT JOIN (SELECT k AS a, v AS b FROM w) d ON d.a = t.k WHERE ?", "d.b", "t.v"),
    ("SELECT d.k, d.s FROM (SELECT k, sum(v) AS s FROM w GROUP BY k) d JOIN t ON d.k = t.k WHERE ?", "d.s", "t.v"),
    ("SELECT w.k, count(*), max(t.v) FROM w LEFT JOIN t ON w.k = t.k WHERE ? GROUP BY w.k", "w.v", "t.v"),
    ("SELECT t.k, t.v FROM t WHERE EXISTS (SELECT 1 FROM w WHERE w.k = t.k AND ?)", "w.v", "t.v"),
    ("SELECT t.k, t.v FROM t WHERE NOT EXISTS (SELECT 1 FROM w WHERE w.k = t.k AND ?)", "w.v", "t.v"),
    ("SELECT t.k FROM t WHERE EXISTS (SELECT 1 FROM w WHERE ?)", "w.v", "w.k"),
    ("SELECT t.k, t.v FROM t WHERE t.v IN (SELECT w.v FROM w WHERE ?)", "w.k", "t.k"),
    ("SELECT t.k, t.v FROM t WHERE t.v NOT IN (SELECT w.v FROM w WHERE ?)", "w.k", "t.k"),
    ("SELECT t.k FROM t WHERE t.v > ALL (SELECT w.v FROM w WHERE ?) OR t.k = 1", "w.k", "t.k"),
    ("SELECT t.k, (SELECT max(w.v) FROM w WHERE ?) FROM t", "w.v", "t.k"),
    ("SELECT t.k, (SELECT sum(w.v) FROM w WHERE w.k = t.k AND ?) FROM t", "w.v", "t.v"),
    ("SELECT t.k FROM t WHERE (SELECT max(w.v) FROM w) > t.v AND (SELECT min(w.k) FROM w WHERE ?) < 4", "w.v", "w.k"),
    ("SELECT t.k, x.n FROM t JOIN (SELECT (SELECT count(*) FROM w WHERE ?) AS n FROM u) x ON x.n = t.v", "w.v", "w.k"),
    (
        "SELECT t.k FROM t JOIN (SELECT (SELECT max(k) FROM w) AS n FROM u) x ON true
         JOIN (VALUES (3), (4)) z (q) ON x.n = z.q WHERE ?",
        "x.n",
        "t.v",
    ),
    ("SELECT t.k FROM t LEFT JOIN u ON u.v = (SELECT max(w.v) FROM w WHERE w.k < 4) WHERE ?", "u.g", "t.v"),
    (
        "SELECT t.k FROM t WHERE (SELECT max(k) FROM w) IN (SELECT g + 2 FROM u) AND EXISTS (SELECT 1 FROM w WHERE ?)",
        "w.v",
        "t.k",
    ),
    (
        "SELECT t.k FROM t WHERE (SELECT max(x.k) FROM w x JOIN w y ON x.k = y.k) IN (SELECT 3 WHERE ?)
         OR EXISTS (SELECT 1 FROM w)",
        "t.v",
        "t.k",
    ),
    (
        "SELECT t.k FROM t WHERE EXISTS (SELECT 1 FROM w x WHERE EXISTS (SELECT 1 FROM w y WHERE y.k = x.k AND x.v = t.v AND ?))",
        "y.v",
        "t.k",
    ),
    (
        "SELECT t.k FROM t WHERE t.v IN (SELECT x.v FROM w x WHERE x.k NOT IN (SELECT y.k FROM w y WHERE ?))",
        "y.v",
        "t.k",
    ),
    ("SELECT x.k, y.v FROM w x JOIN w y ON x.k = y.k WHERE ?", "x.v", "y.v"),
    ("SELECT x.k, y.v FROM w x LEFT JOIN w y ON x.v = y.k WHERE ?", "y.v", "x.v"),
    ("SELECT x.k, y.v FROM w x FULL JOIN w y ON x.k = y.v AND x.v > 2 WHERE ?", "y.k", "x.v"),
    ("SELECT x.k, y.k FROM w x, w y WHERE ?", "x.v", "y.v"),
    ("SELECT x.k FROM w x WHERE EXISTS (SELECT 1 FROM w y WHERE y.k = x.v AND ?)", "y.v", "x.k"),
    ("SELECT x.k FROM w x WHERE NOT EXISTS (SELECT 1 FROM w y WHERE y.k = x.k AND y.v > x.v) AND ?", "x.v", "x.k"),
    ("SELECT x.k FROM w x WHERE x.v = (SELECT max(y.v) FROM w y WHERE y.k = x.k) AND ?", "x.v", "x.k"),
    ("SELECT x.k FROM w x WHERE x.v > (SELECT avg(y.v) FROM w y WHERE ?)", "y.v", "y.k"),
    ("SELECT x.k, x.v FROM w x WHERE ? UNION ALL SELECT t.k, t.v FROM t JOIN w ON w.k = t.k", "x.v", "x.k"),
    ("SELECT x.k, x.v FROM w x WHERE ? EXCEPT SELECT y.v, y.k FROM w y", "x.v", "x.k"),
    ("SELECT t.k, t.v FROM t JOIN w x ON x.k = t.k LEFT JOIN w y ON y.v = t.v WHERE ?", "y.k", "x.v"),
    (
        "SELECT t.k FROM t LEFT JOIN (SELECT x.k, y.v FROM w x JOIN w y ON x.v = y.v) d ON d.k = t.k WHERE ?",
        "d.v",
        "t.v",
    ),
    (
        "WITH z AS (SELECT w.k, t.v FROM w JOIN t ON t.k = w.k) SELECT t.k, z.v FROM t LEFT JOIN z ON z.k = t.k WHERE ?",
        "z.v",
        "t.v",
    ),
    (
        "WITH z AS (SELECT k FROM w WHERE v > 3) SELECT x.k FROM w x LEFT JOIN z ON z.k = x.v LEFT JOIN z y ON y.k = x.k WHERE ?",
        "y.k",
        "x.v",
    ),
    ("SELECT * FROM (SELECT k, v FROM w ORDER BY k, v LIMIT 2) x LEFT JOIN w y ON y.k = x.k WHERE ?", "y.v", "x.v"),
];

/// Conditions on a column of `w`, `a`, and another one, `b`.
const CONDITIONS: &[&str] = &[
    "true",
    "{a} > 3",
    "{b} > 3",
    "{a} IS NULL",
    "{b} IS NULL",
    "{a} < {b}",
    "{a} = {b} OR {a} = 7",
    "{a} IN (2, 7, NULL) AND {b} IS NOT NULL",
    "false",
    "NULL",
];

/// The queries to try, each part with a number of its own.
fn queries(all: bool) -> Vec<String> {
    let mut queries = Vec::new();
    for (kind, (_, definition)) in KINDS.iter().enumerate() {
        for (number, (of, a, b)) in USES.iter().enumerate() {
            for (condition, text) in CONDITIONS.iter().enumerate() {
                // Neighbours on either axis get other conditions, so that each meets each kind and each use.
                if all || condition == (kind * 3 + number) % CONDITIONS.len() {
                    let text = text.replace("{a}", a).replace("{b}", b);
                    let body = of.replace('?', &format!("({text})"));
                    let with = match body.strip_prefix("WITH ") {
                        Some(rest) => format!("WITH w (k, v) AS ({definition}), {rest}"),
                        None => format!("WITH w (k, v) AS ({definition}) {body}"),
                    };
                    queries.push(with);
                }
            }
        }
    }
    queries
}

/// What a way gives; rows in an order of their own, of an error its class, and what is a bug as a text.
fn outcome(session: &mut Session, way: Way, sql: &str) -> Result<Option<Vec<Vec<String>>>, String> {
    way.set(session);
    match catch_unwind(AssertUnwindSafe(|| answer(session, sql))) {
        Ok(Answer::Rows(_, mut rows)) => {
            rows.sort();
            Ok(Some(rows))
        }
        Ok(Answer::Error(state, message)) if state == "XX000" => Err(format!("XX000 {message}")),
        Ok(Answer::Error(state, message)) if state.starts_with("42") => Err(format!("{state} {message}")),
        Ok(_) => Ok(None),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Err(text.unwrap_or_else(|| "a panic".to_owned()))
        }
    }
}

/// How the ways differ on a query, if they do.
fn difference(session: &mut Session, sql: &str) -> Option<String> {
    let ways = [UNOPTIMISED[1], UNOPTIMISED[0], WAYS[1], WAYS[0], WAYS[2]];
    let expected = outcome(session, ways[0], sql);
    ways.into_iter().find_map(|way| {
        let got = outcome(session, way, sql);
        (got.is_err() || got != expected).then(|| {
            let line = |outcome: &Result<_, String>| match outcome {
                Ok(rows) => format!("{rows:?}"),
                Err(bug) => bug.lines().next().unwrap_or_default().to_owned(),
            };
            format!("{sql}\n  {}: {}\n  {}: {}", way.name, line(&got), ways[0].name, line(&expected))
        })
    })
}

#[test]
fn combinations_agree() {
    let mode = std::env::var("COMBINATIONS").unwrap_or_default();
    let queries = queries(mode == "all");
    if mode == "print" {
        TABLES.iter().for_each(|sql| println!("{sql};"));
        queries.iter().for_each(|sql| println!("{sql};"));
        return;
    }
    // What panics is in the list of differences; its backtrace takes longer than the query.
    std::panic::set_hook(Box::new(|_| {}));
    let mut session = WAYS[2].session();
    for sql in TABLES {
        assert!(matches!(answer(&session, sql), Answer::Done(_)), "{sql}");
    }
    let differences: Vec<String> = queries.iter().filter_map(|sql| difference(&mut session, sql)).collect();
    drop(std::panic::take_hook());
    assert!(
        differences.is_empty(),
        "{} of {} combinations differ:\n{}",
        differences.len(),
        queries.len(),
        differences[..differences.len().min(20)].join("\n")
    );
}
