//! Random typed queries, step by step: each step over what the steps before it are (one query) gives the rows that it gives over
//! the rows of these, which were collected and listed anew. So a step that means something else within a SELECT than behind it shows.

use multiloop::linq::{Expr, Query, case, window};
use multiloop::{Backend, Engine, Session};
use multiloop_tests::text_rows;

/// The row of all of them.
type R = (Expr<Option<i32>>, Expr<Option<i64>>, Expr<Option<String>>);
/// The same in Rust.
type Row = (Option<i32>, Option<i64>, Option<String>);

/// Queries, and steps of each.
const QUERIES: u64 = 60;
const STEPS: usize = 5;
/// Rows beyond which no more are made.
const ROWS_MAX: usize = 400;

/// Choices that a seed decides (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(super) fn one_of(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

fn numbers(random: &mut Random, count: usize) -> Vec<Row> {
    let texts = ["", "a", "ab", "b%", "it's", "Z"];
    let row = |random: &mut Random| {
        let key = (!random.one_of(5)).then(|| random.below(4) as i32 - 1);
        let value = (!random.one_of(6)).then(|| random.below(50) as i64 - 10);
        let text = (!random.one_of(5)).then(|| texts[random.below(texts.len() as u64) as usize].to_owned());
        (key, value, text)
    };
    (0..count).map(|_| row(random)).collect()
}

/// One step of a query, chosen by a number.
fn step<'s>(choice: u64, query: &Query<'s, R>, other: &Query<'s, R>) -> Query<'s, R> {
    let amount = (choice / 64 % 7) as i64;
    match choice % 32 {
        0 => query.filter(|r| r.1.gt(amount)),
        1 => query.filter(|r| r.0.eq(1) | r.2.like("a%")),
        2 => query.filter(|r| other.any(|o| o.0.eq(r.0) & o.1.gt(r.1))),
        3 => query.filter(|r| !other.select(|o| o.0).contains(r.0)),
        4 => query.filter(|r| r.1.gt(other.filter(|o| o.0.eq(r.0)).avg(|o| o.1))),
        5 => query.filter(|r| query.any(|o| o.1.eq(r.1 + 1))),
        6 => query.select(|r| (r.0 + 1, r.1 * 2, r.2)),
        7 => query.select(|r| (r.0, case(r.0.gt(0), r.1).otherwise(-r.1), r.2.concat("x"))),
        8 => query.select(|r| (r.0, other.filter(|o| o.0.is_same(r.0)).sum(|o| o.1).cast::<i64>(), r.2)),
        9 => query.distinct(),
        10 => query.order_by(|r| (r.1.desc(), r.0, r.2)).take(5 + amount as u64),
        11 => query.order_by(|r| (r.2, r.0.desc().nulls_last(), r.1)).skip(amount as u64),
        12 => query.order_by(|r| (r.0, r.1, r.2)).skip(1).take(9).take(6).skip(2),
        13 => query.union(other),
        14 => query.union_all(&other.take(0)),
        15 => query.intersect_all(other),
        16 => query.except(other),
        17 => query.join(other, |a, b| a.0.eq(b.0)).select(|(k, v, s, o)| (k, v + o.1, s)),
        18 => query
            .left_join(other, |k, o| k.0.eq(o.0) & o.1.gt(amount))
            .select(|(k, v, _, o)| (k, case(o.is_missing(), v).otherwise(o.get(|o| o.1)), o.get(|o| o.2))),
        19 => query
            .full_join(other, |a, b| a.1.eq(b.1))
            .select(|(a, b)| (a.get(|a| a.0).coalesce(b.get(|b| b.0)), b.get(|b| b.1), a.get(|a| a.2))),
        20 => query.group_by(|r| r.0).select(|g| (g.key, g.sum(|r| r.1).cast::<i64>(), g.max(|r| r.2))),
        21 => query
            .group_by(|r| (r.0, r.2))
            .filter(|g| g.count().gt(1))
            .select(|g| (g.key.0, g.filter(|r| r.1.gt(amount)).count().optional(), g.key.1)),
        22 => query
            .group_by(|r| r.0 % 2)
            .select(|g| (g.key, g.rows().filter(|r| r.2.is_not_null()).max(|r| r.1), g.rows().min(|r| r.2))),
        23 => query.group_by(|r| r.2).select(|g| {
            let average = g.avg(|r| r.1);
            (g.min(|r| r.0), g.rows().filter(|r| r.1.gt_eq(average)).count().optional(), g.key)
        }),
        24 => query.select(|r| {
            let sum = window::sum(r.1).over(|w| w.partition_by(r.0).order_by((r.1, r.2)));
            (r.0, sum.cast::<i64>(), r.2)
        }),
        25 => query
            .let_(|r| window::row_number().over(|w| w.partition_by(r.0).order_by((r.1, r.2))))
            .filter(|(_, _, _, place)| place.lt_eq(2))
            .select(|(k, v, s, _)| (k, v, s)),
        26 => query.aggregate(|g| (g.max(|r| r.0), g.count().optional(), g.min(|r| r.2))),
        27 => query
            .select_many(|r| other.filter(|o| o.0.eq(r.0)).order_by(|o| (o.1, o.2)).take(2))
            .select(|(k, v, _, o)| (k, o.1 + v, o.2)),
        28 => query.shared().join(&query.shared(), |a, b| a.0.eq(b.0) & a.1.lt(b.1)).select(|(k, v, _, b)| (k, v, b.2)),
        29 => query.join(query, |a, b| a.1.is_same(b.1)).select(|(_, v, s, b)| (b.0, v, s)).distinct(),
        30 => query.semi_join(other, |a, b| a.2.eq(b.2)),
        _ => query.anti_join(&other.order_by(|o| (o.1, o.0, o.2)).take(3), |a, b| a.0.eq(b.0)),
    }
}

/// Rows, or the error's code.
fn collected(query: &Query<'_, R>) -> Result<Vec<Row>, String> {
    let rows = query.collect().map_err(|error| error.sqlstate().to_owned());
    rows.map(|mut rows| {
        rows.sort();
        rows
    })
}

fn lines(session: &Session, sql: &str) -> Result<Vec<String>, String> {
    let rows = session.sql(sql).and_then(text_rows).map_err(|error| error.sqlstate().to_owned())?;
    let mut rows: Vec<String> = rows.into_iter().map(|row| row.join("|")).collect();
    rows.sort();
    Ok(rows)
}

#[test]
fn steps_mean_within_a_query_what_they_mean_over_its_rows() {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    let mut interpreted = session.engine().session();
    interpreted.options.backend = Backend::Interpreter;
    for seed in 0..QUERIES {
        let mut random = Random(seed);
        let count = [0, 1, 7, 40][random.below(4) as usize];
        let first = numbers(&mut random, count);
        let others = numbers(&mut random, 12);
        let other = session.values(others);
        let mut whole = session.values(first.clone());
        let mut rows = first;
        let mut choices = Vec::new();
        for _ in 0..STEPS {
            let choice = random.next();
            choices.push(choice % 32);
            whole = step(choice, &whole, &other);
            let listed = session.values(rows.clone());
            let expected = collected(&step(choice, &listed, &other));
            let found = collected(&whole);
            let text = whole.to_sql().unwrap_or_default();
            assert_eq!(found, expected, "seed {seed}, steps {choices:?}: {text}");
            let said = lines(&session, &text);
            assert_eq!(said.as_ref().map(Vec::len), found.as_ref().map(Vec::len), "seed {seed}, {choices:?}: {text}");
            match found {
                Ok(found) if found.len() <= ROWS_MAX => rows = found,
                _ => break,
            }
        }
        let text = whole.to_sql().expect("it has a text");
        if lines(&session, &text).is_ok_and(|lines| lines.len() < ROWS_MAX) {
            assert_eq!(lines(&interpreted, &text), lines(&session, &text), "seed {seed}, interpreted: {text}");
        }
    }
}

#[test]
fn rounds_give_what_a_loop_of_queries_gives() {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    let mut gone_round = 0;
    for seed in 0..QUERIES * 2 {
        let mut random = Random(seed ^ 0xabcd);
        let count = [0, 1, 7, 20][random.below(4) as usize];
        let first = numbers(&mut random, count);
        let other = session.values(numbers(&mut random, 6));
        let (choice, times) = (random.next(), random.below(4));
        // Shared rows are computed in front of the query, where there is no state.
        if choice % 32 == 28 {
            continue;
        }
        let mut expected = Ok(first.clone());
        for _ in 0..times {
            let Ok(rows) = &expected else { break };
            if rows.is_empty() || rows.len() > ROWS_MAX {
                break;
            }
            expected = collected(&step(choice, &session.values(rows.clone()), &other));
        }
        if expected.as_ref().is_ok_and(|rows| rows.len() > ROWS_MAX) {
            continue;
        }
        let expected = expected.map(|mut rows| {
            rows.sort();
            rows
        });
        let whole = session.values(first).iterate(|state| step(choice, state, &other)).times(times);
        let text = whole.to_sql().expect("it can be printed");
        assert_eq!(collected(&whole), expected, "seed {seed}: {text}");
        let said = lines(&session, &text);
        assert_eq!(said.as_ref().map(Vec::len), expected.as_ref().map(Vec::len), "seed {seed}: {text}");
        gone_round += 1;
    }
    assert!(gone_round > 80, "{gone_round} of them");
}
