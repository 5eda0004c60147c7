//! Questions whose plans rely on what is proven of a table, each with its answer over the model's rows.

use super::super::typed_random::Random;
use super::model::Tables;
use super::statement::TABLES;
use super::terms::{Row, or_null, order, shown};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

type Answers = Vec<Vec<String>>;

/// Of a group: how many rows, the sum of `n`, the least `k`.
type Group = (usize, Option<i64>, Option<i64>);

/// One of them, about either table.
pub(super) fn random(random: &mut Random, tables: &Tables) -> (String, Answers) {
    let table = random.below(2) as usize;
    let (name, rows, other) = (TABLES[table], &tables[table], &tables[1 - table]);
    let (sql, answers) = match random.below(8) {
        0 => counts(rows),
        1 => bounds(rows),
        2 => groups(rows),
        3 => keys(rows),
        4 => joined(rows, other),
        5 => outer(rows, other),
        6 => members(rows, other),
        _ => first(rows, random.below(20) as usize),
    };
    (sql.replace("$own", name).replace("$other", TABLES[1 - table]), answers)
}

fn number(value: Option<i64>) -> String {
    or_null(value, |value| value.to_string())
}

fn different<T: Ord>(values: impl Iterator<Item = T>) -> String {
    values.collect::<BTreeSet<_>>().len().to_string()
}

fn counts(rows: &[Row]) -> (String, Answers) {
    let sql = "SELECT count(*), count(k), count(n), count(s), count(x), sum(n), count(DISTINCT k), count(DISTINCT s) FROM $own";
    let count = |has: fn(&Row) -> bool| rows.iter().filter(|row| has(row)).count().to_string();
    let n: Vec<i64> = rows.iter().filter_map(|row| row.n).collect();
    let answers = vec![
        rows.len().to_string(),
        count(|row| row.k.is_some()),
        count(|row| row.n.is_some()),
        count(|row| row.s.is_some()),
        count(|row| row.x.is_some()),
        number((!n.is_empty()).then(|| n.iter().sum())),
        different(rows.iter().filter_map(|row| row.k)),
        different(rows.iter().filter_map(|row| row.s.as_ref())),
    ];
    (sql.to_owned(), vec![answers])
}

fn bounds(rows: &[Row]) -> (String, Answers) {
    let sql = "SELECT min(k), max(k), min(n), max(n), min(s), max(s), max(x) + 0.0 FROM $own";
    let of = |value: fn(&Row) -> Option<i64>| {
        let values = || rows.iter().filter_map(value);
        [number(values().min()), number(values().max())]
    };
    let texts = || rows.iter().filter_map(|row| row.s.clone());
    let same = |text: String| text;
    let mut answers = [of(|row| row.k), of(|row| row.n)].concat();
    answers.extend([or_null(texts().min(), same), or_null(texts().max(), same)]);
    // Zeros of both signs are equal: which of them is the greatest is free, and the sum is the one without.
    let most = rows.iter().filter_map(|row| row.x).max_by(|a, b| order(*a, *b));
    answers.push(or_null(most.map(|x| x + 0.0), shown));
    (sql.to_owned(), vec![answers])
}

fn groups(rows: &[Row]) -> (String, Answers) {
    let sql = "SELECT s, count(*), sum(n), min(k) FROM $own GROUP BY s ORDER BY s NULLS FIRST";
    let mut groups: BTreeMap<Option<&String>, Group> = BTreeMap::new();
    for row in rows {
        let (count, sum, least) = groups.entry(row.s.as_ref()).or_default();
        *count += 1;
        *sum = row.n.map(|n| sum.unwrap_or(0) + n).or(*sum);
        *least = (*least).into_iter().chain(row.k).min();
    }
    let show = |(s, (count, sum, least)): (Option<&String>, Group)| {
        vec![or_null(s, String::clone), count.to_string(), number(sum), number(least)]
    };
    (sql.to_owned(), groups.into_iter().map(show).collect())
}

/// A key that is one no longer, or is one now.
fn keys(rows: &[Row]) -> (String, Answers) {
    let sql = "SELECT count(*), sum(c), max(c) FROM (SELECT k, count(*) AS c FROM $own GROUP BY k) AS q";
    let mut groups: HashMap<Option<i64>, i64> = HashMap::new();
    for row in rows {
        *groups.entry(row.k).or_default() += 1;
    }
    let sum = (!rows.is_empty()).then_some(rows.len() as i64);
    let answers = vec![groups.len().to_string(), number(sum), number(groups.into_values().max())];
    (sql.to_owned(), vec![answers])
}

/// How many rows have each `k`.
fn by_key(rows: &[Row]) -> HashMap<i64, Vec<&Row>> {
    let mut found: HashMap<i64, Vec<&Row>> = HashMap::new();
    for row in rows {
        if let Some(k) = row.k {
            found.entry(k).or_default().push(row);
        }
    }
    found
}

fn joined(rows: &[Row], other: &[Row]) -> (String, Answers) {
    let sql = "SELECT count(*), sum(a.n), count(b.s) FROM $own a JOIN $other b ON a.k = b.k";
    let other = by_key(other);
    let pairs = rows.iter().flat_map(|row| {
        let matches = row.k.and_then(|k| other.get(&k)).into_iter().flatten();
        matches.map(move |matched| (row, *matched))
    });
    let pairs: Vec<(&Row, &Row)> = pairs.collect();
    let n: Vec<i64> = pairs.iter().filter_map(|(row, _)| row.n).collect();
    let texts = pairs.iter().filter(|(_, matched)| matched.s.is_some()).count();
    let sum = (!n.is_empty()).then(|| n.iter().sum());
    (sql.to_owned(), vec![vec![pairs.len().to_string(), number(sum), texts.to_string()]])
}

fn outer(rows: &[Row], other: &[Row]) -> (String, Answers) {
    let sql = "SELECT count(*), count(a.k), count(b.k) FROM $own a FULL JOIN $other b ON a.k = b.k";
    let (own, other_keys) = (by_key(rows), by_key(other));
    let pairs: usize = own.iter().map(|(k, rows)| rows.len() * other_keys.get(k).map_or(0, Vec::len)).sum();
    let alone = |rows: &[Row], other: &HashMap<i64, Vec<&Row>>| {
        let alone = rows.iter().filter(|row| row.k.is_none_or(|k| !other.contains_key(&k)));
        let alone: Vec<&Row> = alone.collect();
        (alone.len(), alone.iter().filter(|row| row.k.is_some()).count())
    };
    let (left, left_keys) = alone(rows, &other_keys);
    let (right, right_keys) = alone(other, &own);
    let answers = [pairs + left + right, pairs + left_keys, pairs + right_keys];
    (sql.to_owned(), vec![answers.map(|count| count.to_string()).to_vec()])
}

fn members(rows: &[Row], other: &[Row]) -> (String, Answers) {
    let sql = "SELECT count(*) FILTER (WHERE k IN (SELECT k FROM $other)), count(*) FILTER (WHERE n NOT IN (SELECT n FROM $other)), \
               count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM $other b WHERE b.s = a.s)) FROM $own a";
    let k: HashSet<i64> = other.iter().filter_map(|row| row.k).collect();
    let n: HashSet<Option<i64>> = other.iter().map(|row| row.n).collect();
    let s: HashSet<&String> = other.iter().filter_map(|row| row.s.as_ref()).collect();
    let is_in = rows.iter().filter(|row| row.k.is_some_and(|own| k.contains(&own))).count();
    let differs = |row: &&Row| n.is_empty() || row.n.is_some() && !n.contains(&row.n) && !n.contains(&None);
    let is_not_in = rows.iter().filter(differs).count();
    let has_none = rows.iter().filter(|row| row.s.as_ref().is_none_or(|own| !s.contains(own))).count();
    (sql.to_owned(), vec![[is_in, is_not_in, has_none].map(|count| count.to_string()).to_vec()])
}

fn first(rows: &[Row], count: usize) -> (String, Answers) {
    let sql = format!(
        "SELECT n, k, row_number() OVER (ORDER BY n DESC NULLS LAST, k) FROM $own ORDER BY n DESC NULLS LAST, k LIMIT {count}"
    );
    let mut sorted: Vec<(bool, i64, bool, i64)> = rows
        .iter()
        .map(|row| (row.n.is_none(), row.n.map_or(0, |n| -n), row.k.is_none(), row.k.unwrap_or(0)))
        .collect();
    sorted.sort_unstable();
    let show = |(place, (no_n, n, no_k, k)): (usize, (bool, i64, bool, i64))| {
        vec![number((!no_n).then_some(-n)), number((!no_k).then_some(k)), (place + 1).to_string()]
    };
    (sql, sorted.into_iter().take(count).enumerate().map(show).collect())
}
