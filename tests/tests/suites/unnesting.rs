//! No correlated subquery and no join by expressions goes over all rows of another table for each row.
//!
//! 1. The shapes: what a subquery computes, what it goes over, how it is correlated and in which clause it stands. The
//!    plan of each is read: in a nested block no loop may go over all rows of what is made outside of it, and no loop
//!    may pair all rows with all. What may stay nested is listed in `STAYS`; DuckDB compares all pairs there, too.
//! 2. The answers: each shape runs on nasty tables, as planned and without any rule. Where the query as it is gives
//!    rows, so does the plan, the same ones: nothing that no row reaches is an error, though plans speculate.

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, answer};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a subquery goes over: a WITH clause, and what stands in FROM.
const SOURCES: [(&str, &str); 8] = [
    ("", "orders"),
    (
        "WITH w AS (SELECT kind AS id, id AS kind, flag, sum(price) AS price, min(code) AS code FROM orders \
         GROUP BY 1, 2, 3) ",
        "w",
    ),
    ("", "recent"),
    ("", "(SELECT id, kind, flag, price + 1 AS price, code FROM orders)"),
    ("", "(SELECT id, kind, flag, sum(price) AS price, min(code) AS code FROM orders GROUP BY id, kind, flag)"),
    ("", "(SELECT id, kind, flag, price, code FROM orders UNION ALL SELECT kind, id, flag, price, code FROM items)"),
    ("", "(SELECT DISTINCT id, kind, flag, price, code FROM orders)"),
    ("", "(SELECT o.id, o.kind, o.flag, p.price, p.code FROM orders o LEFT JOIN items p ON p.id = o.kind)"),
];

/// How it is correlated; all of them equate something.
const CORRELATIONS: [&str; 14] = [
    "b.id = a.id",
    "b.id % 3 = a.kind",
    "b.id = a.id % 3",
    "b.id + 1 = a.id + 1",
    "b.code::integer = a.id",
    "b.id = a.id AND b.kind = a.kind",
    "b.id = a.id AND b.kind < a.kind",
    "b.id = a.id AND b.kind <> a.kind",
    "b.flag IS NOT DISTINCT FROM a.flag",
    "abs(b.id) = abs(a.id)",
    "b.flag = a.flag",
    "b.id = a.id AND b.price * b.price > 1",
    "b.id = a.id AND 6 / b.kind > 1",
    "b.id = a.id AND a.kind > 1",
];

/// What is asked: `SOURCE` and `CORRELATION` are filled in.
const QUESTIONS: [&str; 33] = [
    "EXISTS (SELECT 1 FROM SOURCE b WHERE CORRELATION)",
    "NOT EXISTS (SELECT 1 FROM SOURCE b WHERE CORRELATION)",
    "EXISTS (SELECT 1 FROM SOURCE b WHERE CORRELATION LIMIT 1)",
    "EXISTS (SELECT b.kind FROM SOURCE b WHERE CORRELATION GROUP BY b.kind HAVING count(*) > 1)",
    "EXISTS (SELECT 1 WHERE EXISTS (SELECT 1 FROM SOURCE b WHERE CORRELATION))",
    "EXISTS (SELECT 1 FROM SOURCE b WHERE CORRELATION AND EXISTS (SELECT 1 FROM items c WHERE c.id = b.kind))",
    "EXISTS (SELECT 1 FROM SOURCE b JOIN items c ON c.id = b.kind WHERE CORRELATION)",
    "EXISTS (SELECT 1 FROM items c JOIN SOURCE b ON c.id = b.kind AND CORRELATION)",
    "a.kind IN (SELECT b.kind FROM SOURCE b WHERE CORRELATION)",
    "a.kind + 1 IN (SELECT b.kind + 1 FROM SOURCE b WHERE CORRELATION)",
    "a.flag NOT IN (SELECT b.flag FROM SOURCE b WHERE CORRELATION)",
    "a.flag + 1 NOT IN (SELECT b.flag + 1 FROM SOURCE b WHERE CORRELATION)",
    "a.flag <> ALL (SELECT b.flag + 1 FROM SOURCE b WHERE CORRELATION)",
    "a.id > ALL (SELECT b.kind FROM SOURCE b WHERE CORRELATION)",
    "a.id < ANY (SELECT b.kind + 1 FROM SOURCE b WHERE CORRELATION)",
    "a.kind IN (SELECT b.kind FROM SOURCE b WHERE CORRELATION UNION ALL SELECT c.kind FROM items c WHERE c.id = a.id)",
    "a.kind < (SELECT count(*) FROM SOURCE b WHERE CORRELATION)",
    "a.kind < (SELECT count(DISTINCT b.kind) FROM SOURCE b WHERE CORRELATION)",
    "a.kind < (SELECT count(*) FILTER (WHERE b.kind > 1) FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT sum(b.price) FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT avg(b.price) * 1.2 FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT sum(b.price * b.kind) FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT coalesce(sum(b.price), 0) + 1 FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT sum(b.price) / count(*) FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT sum(b.price * a.kind) FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT max(b.price) + a.kind FROM SOURCE b WHERE CORRELATION)",
    "a.price < (SELECT avg(b.price) FROM SOURCE b JOIN items c ON c.id = b.kind WHERE CORRELATION)",
    "a.kind < (SELECT sum(b.kind) FROM SOURCE b WHERE CORRELATION HAVING count(*) > 1)",
    "a.kind < (SELECT max(n) FROM (SELECT b.kind, count(*) AS n FROM SOURCE b WHERE CORRELATION GROUP BY b.kind) q)",
    "a.kind < (SELECT b.kind FROM SOURCE b WHERE CORRELATION)",
    "a.kind = (SELECT DISTINCT b.id FROM SOURCE b WHERE CORRELATION)",
    "a.kind < (SELECT b.kind FROM SOURCE b WHERE CORRELATION ORDER BY b.price, b.kind LIMIT 1)",
    "a.code < (SELECT max(b.code || 'x') FROM SOURCE b WHERE CORRELATION)",
];

/// Where it is asked.
const CLAUSES: [&str; 12] = [
    "SELECT count(*) FROM items a WHERE QUESTION",
    "SELECT count(*) FROM items a WHERE a.kind = 1 OR QUESTION",
    "SELECT count(*) FROM items a WHERE NOT (QUESTION)",
    "SELECT a.id, QUESTION FROM items a",
    "SELECT CASE WHEN a.kind > 1 THEN QUESTION END FROM items a",
    "SELECT a.id FROM items a ORDER BY QUESTION, a.id",
    "SELECT QUESTION, count(*) FROM items a GROUP BY 1",
    "SELECT sum(CASE WHEN QUESTION THEN 1 ELSE 0 END) FROM items a",
    "SELECT count(*) FILTER (WHERE QUESTION) FROM items a",
    "SELECT count(*) FROM items c JOIN items a ON c.id = a.id AND QUESTION",
    "SELECT count(*) FROM items a LEFT JOIN items c ON c.id = a.id AND QUESTION",
    "SELECT a.id FROM items a GROUP BY a.id, a.kind, a.flag, a.price, a.code HAVING QUESTION",
];

/// Joins by what may fail, and comparisons with all rows of a subquery.
const JOINS: [&str; 21] = [
    "SELECT count(*) FROM items a JOIN orders b ON a.id + 1 = b.id",
    "SELECT count(*) FROM items a JOIN orders b ON a.price + 1 = b.price + 1",
    "SELECT count(*) FROM items a, orders b WHERE a.id * a.kind = b.id AND a.flag = 1",
    "SELECT count(*) FROM items a JOIN orders b ON 6 / a.kind = b.id",
    "SELECT count(*) FROM items a JOIN orders b ON a.code::integer = b.id",
    "SELECT count(*) FROM items a JOIN orders b ON abs(a.id) = abs(b.id)",
    "SELECT count(*) FROM items a JOIN orders b ON date_trunc('month', a.at) = date_trunc('month', b.at)",
    "SELECT count(*) FROM items a JOIN orders b ON a.at + interval '1 hour' = b.at",
    "SELECT count(*) FROM items a JOIN orders b ON -a.id IS NOT DISTINCT FROM -b.id",
    "SELECT count(*) FROM items a LEFT JOIN orders b ON a.id + 1 = b.id",
    "SELECT count(*) FROM items a JOIN orders b ON a.id + 1 = b.id JOIN items c ON b.kind - 1 = c.kind",
    "SELECT count(*) FROM items a JOIN orders b ON a.id + 1 = b.id + 2 AND 6 / (a.kind - b.kind) > 0",
    "WITH w AS (SELECT id, sum(price) AS s FROM orders GROUP BY id) SELECT count(*) FROM w a JOIN w b ON a.s * 2 = b.s",
    "SELECT count(*) FROM items a WHERE a.id + 1 IN (SELECT b.id + 2 FROM orders b)",
    "SELECT count(*) FROM items a WHERE a.flag NOT IN (SELECT b.flag % 3 FROM orders b)",
    "SELECT count(*) FROM items a WHERE a.flag + 1 NOT IN (SELECT b.flag + 1 FROM orders b WHERE b.id > 1)",
    "SELECT count(*) FROM items a WHERE a.kind = 3 OR a.flag IN (SELECT b.flag + 1 FROM orders b)",
    "SELECT a.id, a.flag NOT IN (SELECT max(b.flag + 1) FROM orders b GROUP BY b.id) FROM items a",
    "SELECT count(*) FROM items a WHERE a.flag <> ALL (SELECT b.flag + 1 FROM orders b)",
    "SELECT a.id, a.flag <= ALL (SELECT b.flag + 1 FROM orders b) FROM items a",
    "SELECT a.id, a.price > ANY (SELECT 6 / b.kind FROM orders b) FROM items a",
];

/// What compares every pair: nothing is equated.
const STAYS: [&str; 3] = [
    "SELECT count(*) FROM items a WHERE a.price < (SELECT avg(b.price) FROM orders b WHERE b.id >= a.id)",
    "SELECT count(*) FROM items a JOIN orders b ON a.id + 1 < b.id",
    "SELECT count(*) FROM items a WHERE a.kind < (SELECT count(*) FROM orders b WHERE b.id = 1 OR b.id = a.id)",
];

/// What is left: joins inside of a subquery that go over all rows of their first input, because the outer row is equated
/// with the second, and another condition reads an outer row, too. A part of the question, and of the correlation.
const LEFT: [(&str, &str); 3] = [
    ("FROM items c JOIN", "b.kind < a.kind"),
    ("avg(b.price) FROM", "b.kind < a.kind"),
    ("avg(b.price) FROM", "b.kind <> a.kind"),
];

/// Every question once over every source, with every correlation and in every clause.
fn shapes() -> Vec<String> {
    let mut shapes = Vec::new();
    let shape = |clause: &str, question: &str, source: (&str, &str), correlation: &str| {
        let asked = question.replace("SOURCE", source.1).replace("CORRELATION", correlation);
        format!("{}{}", source.0, clause.replace("QUESTION", &asked))
    };
    for question in QUESTIONS {
        shapes.extend(SOURCES.iter().map(|&source| shape(CLAUSES[0], question, source, CORRELATIONS[0])));
        for source in &SOURCES[..2] {
            let correlated = CORRELATIONS[1..].iter();
            shapes.extend(correlated.map(|correlation| shape(CLAUSES[0], question, *source, correlation)));
        }
        for clause in &CLAUSES[1..] {
            shapes.push(shape(clause, question, SOURCES[0], CORRELATIONS[0]));
            shapes.push(shape(clause, question, SOURCES[1], CORRELATIONS[1]));
        }
    }
    shapes.extend(JOINS.map(str::to_owned));
    shapes
}

/// A table's rows: id, kind, flag, price, code, at.
type Rows<'a> = &'a str;

fn fill(session: &Session, items: Rows<'_>, orders: Rows<'_>) {
    let columns = "id integer, kind integer, flag integer, price numeric(10,2), code text, at timestamp";
    let run = |sql: String| match answer(session, &sql) {
        Answer::Done(_) => {}
        other => panic!("{sql}: {other:?}"),
    };
    for (table, rows) in [("items", items), ("orders", orders)] {
        run(format!("CREATE TABLE {table} ({columns})"));
        if !rows.is_empty() {
            run(format!("INSERT INTO {table} VALUES {rows}"));
        }
    }
    run("CREATE VIEW recent AS SELECT id, kind, flag, price, code FROM orders WHERE id > 1".to_owned());
}

const PLAIN: Rows<'_> = "(1, 1, 1, 1.50, '1', '2024-01-05'), (2, 1, NULL, 2.25, '2', '2024-01-05 01:00'), \
    (2, 3, 2, -1.00, '3', '2024-02-29'), (3, 2, 1, 0.10, '1', NULL), (NULL, 2, 3, 7.00, NULL, '2024-01-31'), \
    (4, 2, 2, NULL, '2', '2024-02-01'), (1, 3, NULL, 1.50, '4', '2024-01-05'), (3, 1, 1, 2.00, '3', '2024-03-01')";
const OTHER: Rows<'_> = "(2, 2, 1, 1.50, '1', '2024-01-05 01:00'), (1, 1, 2, 0.50, '2', '2024-01-05'), \
    (1, 2, NULL, 4.00, '2', '2024-02-02'), (3, 3, 1, -2.50, '4', '2024-02-29'), (NULL, 1, 1, 3.00, '3', NULL), \
    (2, 1, 2, NULL, NULL, '2024-03-31'), (5, 2, 3, 1.00, '5', '2024-01-05 02:00')";
const NULLS: Rows<'_> = "(NULL, NULL, NULL, NULL, NULL, NULL), (NULL, NULL, NULL, NULL, NULL, NULL)";
const ONE: Rows<'_> = "(1, 2, 1, 1.00, '1', '2024-01-05')";
/// Text that is no number, a sum that overflows, a zero to divide by; under keys that other rows have and have not.
const FAILING: Rows<'_> = "(7, 0, 1, 1.50, 'x', '2024-01-05'), (2147483647, 2, 2, 99999999.99, '1', '2024-01-06'), \
    (1, 1, 1, 1.00, '2', '2024-01-07'), (2, 0, 2, 2.00, '3', NULL)";
const REACHED: Rows<'_> = "(7, 1, 1, 1.00, '7', '2024-01-05'), (1, 1, 1, 1.00, '2', '2024-01-07')";

/// Items and orders.
const TABLES: [(Rows<'_>, Rows<'_>); 9] = [
    (PLAIN, OTHER),
    (PLAIN, ""),
    ("", OTHER),
    (ONE, ONE),
    (PLAIN, NULLS),
    (NULLS, OTHER),
    (REACHED, FAILING),
    (FAILING, REACHED),
    (FAILING, ""),
];

/// The collections over all rows of which a loop goes where it should not.
fn searched(plan: &str) -> Vec<String> {
    let after = plan.rsplit("After rules").next().unwrap_or(plan);
    let mut searched = Vec::new();
    // For each block that is open: how far it is indented, and what it makes. Literal rows are few.
    let mut blocks: Vec<(usize, Vec<&str>)> = Vec::new();
    let (mut literal, mut is_in_nest): (Vec<&str>, bool) = (Vec::new(), false);
    for line in after.lines() {
        let (indent, text) = (line.len() - line.trim_start().len(), line.trim());
        let words: Vec<&str> = text.split(' ').collect();
        match words[..] {
            ["block", _] => blocks.push((indent, Vec::new())),
            ["result", _] => {
                blocks.pop();
            }
            [index, "in", rows] if index.starts_with('i') && !rows.contains('[') => {
                let made_here = blocks.last().is_some_and(|(_, made)| made.contains(&rows));
                if (is_in_nest || !blocks.is_empty()) && !made_here && !literal.contains(&rows) {
                    searched.push(rows.to_owned());
                }
                is_in_nest = true;
                continue;
            }
            [define, kind, ..] if define.starts_with('%') => {
                if kind == "values" {
                    literal.push(define);
                }
                if let Some((_, made)) = blocks.last_mut() {
                    made.push(define);
                }
            }
            _ => {}
        }
        is_in_nest = false;
    }
    searched
}

fn plan(session: &Session, sql: &str) -> String {
    match answer(session, &format!("EXPLAIN (LOOPS) {sql}")) {
        Answer::Rows(_, rows) => rows.concat().join("\n"),
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn nothing_is_searched_for_each_row() {
    let session = WAYS[2].session();
    fill(&session, PLAIN, OTHER);
    let shapes = shapes();
    let is_left =
        |sql: &str| LEFT.iter().any(|(question, correlation)| sql.contains(question) && sql.contains(correlation));
    let wrong: Vec<&String> =
        shapes.iter().filter(|sql| searched(&plan(&session, sql)).is_empty() == is_left(sql.as_str())).collect();
    let some = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} of {} shapes, among them\n{some:#?}", wrong.len(), shapes.len());
    for sql in STAYS {
        assert!(!searched(&plan(&session, sql)).is_empty(), "this is a shape now: {sql}");
    }
}

#[test]
fn plans_that_speculate_answer_as_the_query_does() {
    let (shapes, next) = (shapes(), AtomicUsize::new(0));
    // Each thread takes the next tables.
    let some = || {
        while let Some(&tables) = TABLES.get(next.fetch_add(1, Ordering::Relaxed)) {
            answers_agree(&shapes, tables);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(some);
        }
    });
}

fn answers_agree(shapes: &[String], (items, orders): (Rows<'_>, Rows<'_>)) {
    let (careful, planned) = (WAYS[1].session(), WAYS[2].session());
    fill(&careful, items, orders);
    fill(&planned, items, orders);
    for sql in shapes.iter().map(String::as_str).chain(STAYS) {
        let (expected, got) = (sorted(answer(&careful, sql)), sorted(answer(&planned, sql)));
        // What a plan evaluates for fewer rows may spare it an error.
        let spared = matches!((&expected, &got), (Answer::Error(..), Answer::Rows(..)));
        let both_fail = matches!((&expected, &got), (Answer::Error(..), Answer::Error(..)));
        assert!(
            expected == got || spared || both_fail,
            "{sql}\nitems: {items}\norders: {orders}\n{got:?}\ninstead of\n{expected:?}"
        );
    }
}

/// Keys that fail raise their error where a row of the other side is compared with them, and nowhere else.
#[test]
fn keys_that_fail_are_errors_where_rows_reach_them() {
    let join = "SELECT count(*) FROM items a JOIN orders b ON a.code::integer = b.id";
    let lookup = "SELECT count(*) FROM items a WHERE a.id < (SELECT sum(6 / b.kind) FROM orders b WHERE b.id = a.id)";
    let run = |items, orders, sql: &str| {
        let session = WAYS[2].session();
        fill(&session, items, orders);
        match answer(&session, sql) {
            Answer::Error(state, _) => state,
            Answer::Rows(_, rows) => rows[0][0].clone(),
            Answer::Done(tag) => tag,
        }
    };
    assert_eq!(run(FAILING, "", join), "0");
    assert_eq!(run(FAILING, ONE, join), "22P02");
    assert_eq!(run(ONE, FAILING, lookup), "1");
    assert_eq!(run(REACHED, FAILING, lookup), "22012");
}

fn sorted(answer: Answer) -> Answer {
    match answer {
        Answer::Rows(types, mut rows) => {
            rows.sort();
            Answer::Rows(types, rows)
        }
        other => other,
    }
}
