//! Random queries over nasty tables: the optimised query must give the rows of the query as bound, and must not
//! fail where that does not, and it must have a program. A failure prints the seed and the SQL; `SEED=n` runs that one alone, `QUERIES=n` more.

use super::catalog::ToyCatalog;
use super::rows::{Evaluator, Row, pick};
use crate::analysis::verify::verify;
use crate::catalog::{ColumnStatistics, Domain, Estimates, Proofs, TableHandle, TableInfo, TableStatistics};
use crate::lower::lower;
use crate::relation::Query;
use crate::relation::explain::explain;
use crate::relation::optimise::{PASSES, optimise_without};
use crate::types::{DataType, Field};
use crate::value::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Queries tried.
const QUERIES: u64 = 2500;

/// A small generator of random numbers (SplitMix64): the same seed gives the same query everywhere.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Tables `t0` to `t3` of columns k (unique), a, b (with NULLs and duplicates) and s; `t3` is empty, in `t2`
/// column b is all NULL.
fn tables() -> (ToyCatalog, HashMap<TableHandle, Vec<Row>>) {
    let mut random = Random(7);
    let mut infos = Vec::new();
    let mut data = HashMap::new();
    for (number, rows) in [5usize, 7, 4, 0].into_iter().enumerate() {
        let handle = TableHandle(number as u64);
        let all: Vec<Row> = (0..rows)
            .map(|row| {
                let mut small = |nulls: usize| match random.chance(nulls) {
                    true => Value::Null,
                    false => Value::Int(random.below(4) as i64),
                };
                let b_nulls = if number == 2 { 100 } else { 20 };
                let (a, b, s) = (small(0), small(b_nulls), small(20));
                let s = if let Value::Int(n) = s { Value::text(["", "a", "ab", "b"][n as usize]) } else { s };
                vec![Value::Int(row as i64), a, b, s]
            })
            .collect();
        let columns = (0..4).map(|at| statistics(&all, at)).collect();
        let fields = vec![
            Field::new("k", DataType::Integer, false),
            Field::new("a", DataType::Integer, false),
            Field::new("b", DataType::Integer, true),
            Field::new("s", DataType::Text, true),
        ];
        let statistics = Arc::new(TableStatistics { rows: rows as u64, columns, ..TableStatistics::default() });
        infos.push(Arc::new(TableInfo {
            name: format!("t{number}"),
            fields,
            statistics,
            handle,
            domains: Vec::new(),
            declared: Arc::default(),
            hidden: Default::default(),
        }));
        data.insert(handle, all);
    }
    (ToyCatalog::of(infos), data)
}

/// The tables of [`tables`], which store codes: of column a everywhere and of some columns k and b. Those of a and b have domains
/// of one lineage, a longer one and one that it begins with; k has another.
fn coded_tables() -> (ToyCatalog, HashMap<TableHandle, Vec<Row>>) {
    let (plain, mut data) = tables();
    let mut domain = |handle: u64, lineage: u64, values: &[i64]| {
        let rows: Vec<Row> =
            values.iter().zip(0..).map(|(value, code)| vec![Value::Int(*value), Value::Int(code)]).collect();
        let fields = vec![Field::new("value", DataType::Integer, false), Field::new("code", DataType::BigInt, false)];
        let columns = (0..2).map(|at| statistics(&rows, at)).collect();
        let statistics = Arc::new(TableStatistics { rows: rows.len() as u64, columns, ..TableStatistics::default() });
        let handle = TableHandle(handle);
        data.insert(handle, rows);
        let table = TableInfo {
            name: "values".to_owned(),
            fields,
            statistics,
            handle,
            domains: Vec::new(),
            declared: Arc::default(),
            hidden: Default::default(),
        };
        Domain { table: Arc::new(table), lineage }
    };
    let (short, long) = (domain(100, 1, &[2, 0, 3, 1]), domain(101, 1, &[2, 0, 3, 1, 9]));
    let keys = domain(102, 2, &[6, 5, 0, 3, 4, 1, 2]);
    let mut infos = Vec::new();
    for (number, domains) in [
        [None, Some(&short), None, None],
        [Some(&keys), Some(&long), Some(&short), None],
        [Some(&keys), Some(&short), Some(&long), None],
        [None, Some(&long), Some(&long), None],
    ]
    .into_iter()
    .enumerate()
    {
        let mut info = TableInfo::clone(plain.table(&format!("t{number}")).expect("the tables are t0 to t3"));
        let values: Vec<Option<Vec<Row>>> =
            domains.iter().map(|domain| domain.map(|domain| data[&domain.table.handle].clone())).collect();
        let rows = data.get_mut(&info.handle).expect("each table has rows");
        for (at, values) in values.iter().enumerate() {
            let Some(values) = values else { continue };
            for row in rows.iter_mut().filter(|row| !row[at].is_null()) {
                let code = values.iter().position(|value| value[0] == row[at]);
                row[at] = Value::Int(code.expect("a domain has all values") as i64);
            }
        }
        let columns = (0..4).map(|at| statistics(rows, at)).collect();
        info.statistics = Arc::new(TableStatistics { rows: rows.len() as u64, columns, ..TableStatistics::default() });
        info.domains = domains.into_iter().map(Option::<&Domain>::cloned).collect();
        infos.push(Arc::new(info));
    }
    (ToyCatalog::of(infos), data)
}

pub(super) fn statistics(rows: &[Row], at: usize) -> ColumnStatistics {
    let mut values: Vec<&Value> = rows.iter().map(|row| &row[at]).filter(|value| !value.is_null()).collect();
    let nulls = (rows.len() - values.len()) as u64;
    values.sort_by(|a, b| a.compare(b));
    let count = values.len();
    values.dedup();
    let proofs = Proofs {
        nulls,
        min: values.first().map(|value| (*value).clone()),
        max: values.last().map(|value| (*value).clone()),
        unique: nulls == 0 && values.len() == count,
        unique_values: values.len() == count,
        ..Proofs::default()
    };
    // No answer depends on what is only estimated, so some are far off.
    let distinct = values.len() as u64;
    let distinct = [distinct, 1, distinct * 1_000 + 7][(at + rows.len()) % 3];
    ColumnStatistics {
        proofs,
        estimates: Estimates { distinct: Some(distinct), average_bytes: 0.0, ..Estimates::default() },
    }
}

/// Writes queries.
struct Writer<'r> {
    random: &'r mut Random,
    /// The tables named so far, so that every alias is new.
    aliases: usize,
    /// Whether nothing that may fail is to be written: within uncorrelated subqueries, which may be evaluated
    /// even if no row asks for them.
    total: bool,
}

impl Writer<'_> {
    /// A query of the columns x and y (integers).
    fn query(&mut self, depth: usize, outer: &[String]) -> String {
        if depth > 0 && self.random.chance(12) {
            let kind = *self.random.pick(&["union", "union all", "intersect", "except", "except all", "intersect all"]);
            let (left, right) = (self.select(depth - 1, outer), self.select(depth - 1, outer));
            return format!("({left}) {kind} ({right})");
        }
        self.select(depth, outer)
    }

    fn select(&mut self, depth: usize, outer: &[String]) -> String {
        let (from, mine) = self.from(depth);
        let mut seen: Vec<String> = mine.clone();
        if !outer.is_empty() {
            seen.extend(outer.iter().cloned());
        }
        let mut conjuncts = Vec::new();
        if self.random.chance(80) {
            let count = 1 + self.random.below(3);
            conjuncts.extend((0..count).map(|_| self.predicate(depth, &seen, &mine)));
        }
        if !outer.is_empty() {
            let operator = *self.random.pick(&["=", "=", "=", "<"]);
            let correlated = format!("{} {operator} {}", self.column(&mine), self.column(outer));
            conjuncts.insert(self.random.below(conjuncts.len() + 1), correlated);
        }
        let filter = if conjuncts.is_empty() { String::new() } else { format!(" where {}", conjuncts.join(" and ")) };
        let (x, y) = (self.column(&mine), self.column(&mine));
        match self.random.below(11) {
            0..=4 => format!("select {x} as x, {y} as y from {from}{filter}"),
            5 => format!("select distinct {x} as x, {y} as y from {from}{filter}"),
            6 => format!("select {x} as x, {y} as y from {from}{filter} order by 1, 2 limit {}", self.random.below(4)),
            7 => {
                let having = if self.random.chance(50) {
                    format!(" having {x} > {}", self.random.below(3))
                } else {
                    String::new()
                };
                let call = *self.random.pick(&["count(", "count(distinct ", "sum(", "sum(distinct ", "min(", "max("]);
                format!("select {x} as x, {call}{y}) as y from {from}{filter} group by {x}{having}")
            }
            8 => {
                let distinct = *self.random.pick(&["", "distinct "]);
                format!("select max({x}) as x, sum({distinct}{y}) as y from {from}{filter}")
            }
            9 => {
                let call = *self.random.pick(&["rank()", "dense_rank()", "count(*)", "sum", "min", "first_value"]);
                let call = if call.ends_with(')') { call.to_owned() } else { format!("{call}({x})") };
                let by = if self.random.chance(60) { format!("partition by {x} ") } else { String::new() };
                format!("select {x} as x, {call} over ({by}order by {y}, {x}) as y from {from}{filter}")
            }
            _ if self.total => format!("select {x} + 1 as x, {y} as y from {from}{filter}"),
            _ => format!("select {x} + 1 as x, 12 / ({y} + 1) as y from {from}{filter}"),
        }
    }

    /// A FROM clause and its integer columns.
    fn from(&mut self, depth: usize) -> (String, Vec<String>) {
        let (mut text, mut columns) = self.table(depth);
        for _ in 0..self.random.below(2 + depth.min(2)) {
            if self.random.chance(15) {
                let (table, new) = self.lateral(depth, &columns);
                let (kind, on) = *self.random.pick(&[("cross join", ""), ("left join", " on true")]);
                write!(text, " {kind} lateral {table}{on}").expect("a string takes all");
                columns.extend(new);
                continue;
            }
            let (table, new) = self.table(depth);
            let kind =
                *self.random.pick(&[",", ",", "join", "join", "left join", "right join", "full join", "cross join"]);
            if kind == "," || kind == "cross join" {
                // The comma binds loosest, so what follows it stays a plain table.
                if kind == "," {
                    write!(text, " cross join {table}").expect("a string takes all");
                } else {
                    write!(text, " {kind} {table}").expect("a string takes all");
                }
                columns.extend(new);
                continue;
            }
            let (a, b) = (self.column(&columns), self.column(&new));
            columns.extend(new.clone());
            let mut on = format!("{a} = {b}");
            if self.random.chance(30) {
                let mut both = new;
                both.push(a);
                write!(on, " and {}", self.comparison(&both)).expect("a string takes all");
            }
            write!(text, " {kind} {table} on {on}").expect("a string takes all");
        }
        (text, columns)
    }

    fn table(&mut self, depth: usize) -> (String, Vec<String>) {
        self.aliases += 1;
        let alias = format!("q{}", self.aliases);
        if depth > 0 && self.random.chance(25) {
            let query = self.query(depth - 1, &[]);
            return (format!("({query}) {alias}"), vec![format!("{alias}.x"), format!("{alias}.y")]);
        }
        // The empty table now and then only: it makes most answers empty.
        let number = if self.random.chance(4) { 3 } else { self.random.below(3) };
        (format!("t{number} {alias}"), ["k", "a", "b"].iter().map(|name| format!("{alias}.{name}")).collect())
    }

    /// What reads the columns before it: a function's rows, or a subquery's.
    fn lateral(&mut self, depth: usize, before: &[String]) -> (String, Vec<String>) {
        self.aliases += 1;
        let alias = format!("q{}", self.aliases);
        if depth > 0 && self.random.chance(50) {
            let query = self.query(depth - 1, before);
            // A limit for each row is refused.
            if !query.contains(" limit ") {
                return (format!("({query}) {alias}"), vec![format!("{alias}.x"), format!("{alias}.y")]);
            }
        }
        let (from, to) = (self.random.below(2), self.column(before));
        (format!("generate_series({from}, {to} % 4) {alias} (g)"), vec![format!("{alias}.g")])
    }

    fn subquery(&mut self, depth: usize, outer: &[String]) -> String {
        let total = self.total;
        self.total |= outer.is_empty();
        let query = self.query(depth, outer);
        self.total = total;
        query
    }

    fn column(&mut self, columns: &[String]) -> String {
        self.random.pick(columns).clone()
    }

    fn comparison(&mut self, columns: &[String]) -> String {
        let a = self.column(columns);
        let operator = *self.random.pick(&["=", "=", "=", "<>", "<", ">="]);
        if self.random.chance(50) {
            format!("{a} {operator} {}", self.column(columns))
        } else {
            // Four of them are in most columns.
            format!("{a} {operator} {}", self.random.below(5))
        }
    }

    fn predicate(&mut self, depth: usize, columns: &[String], mine: &[String]) -> String {
        let a = self.column(columns);
        match self.random.below(if depth > 0 { 17 } else { 11 }) {
            0..=4 => self.comparison(columns),
            5 if self.random.chance(50) => format!("({}) is not null", self.comparison(columns)),
            5 => format!("{a} is null"),
            6 => format!("coalesce({a}, 1) = {}", self.random.below(3)),
            7 => {
                let common = self.comparison(columns);
                let arms: Vec<String> = (0..2).map(|_| format!("{common} and {}", self.comparison(columns))).collect();
                format!("({} or {})", arms[0], arms[1])
            }
            8 => {
                let (left, right) = (self.predicate(0, columns, mine), self.predicate(0, columns, mine));
                let not = if self.random.chance(30) { "not " } else { "" };
                format!("{not}({left} or {right})")
            }
            // May fail: guarded or not.
            9 | 10 if self.total => format!("{a} is not null"),
            9 => format!("{a} <> 0 and 6 / {a} > 1"),
            10 => {
                let zero = self.random.below(8);
                let guard = self.column(columns);
                format!("{guard} <> {zero} and 6 / ({a} - {zero}) > {}", self.random.below(3))
            }
            11 | 12 => {
                let not = if self.random.chance(40) { "not " } else { "" };
                let query = self.query(depth - 1, columns);
                format!("{not}exists ({query})")
            }
            13 | 14 => {
                let not = if self.random.chance(40) { "not " } else { "" };
                let outer: Vec<String> = if self.random.chance(40) { columns.to_vec() } else { Vec::new() };
                let query = self.subquery(depth - 1, &outer);
                format!("{a} {not}in (select sub.x from ({query}) sub)")
            }
            15 => {
                let operator = *self.random.pick(&["= any", "<> all", "< any"]);
                let query = self.subquery(depth - 1, &[]);
                format!("{a} {operator} (select sub.y from ({query}) sub)")
            }
            _ => {
                let query = self.query(depth - 1, mine);
                format!("{a} >= (select min(sub.y) from ({query}) sub)")
            }
        }
    }
}

fn answer(query: &Query, data: &HashMap<TableHandle, Vec<Row>>) -> crate::error::Result<Vec<Row>> {
    let mut evaluator = Evaluator { tables: data.clone(), ctes: HashMap::new() };
    let rows = evaluator.rows(&query.relation, None)?;
    let output: Vec<_> = query.output.iter().map(|(_, id)| *id).collect();
    let mut rows = pick(rows, &output);
    rows.sort_by(|a, b| {
        a.iter().zip(b).map(|(a, b)| a.compare(b)).fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    Ok(rows)
}

/// Checks random queries over these tables.
fn check_random((catalog, data): &(ToyCatalog, HashMap<TableHandle, Vec<Row>>)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (only, queries) = (number("SEED"), number("QUERIES").unwrap_or(QUERIES));
    let (mut answered, mut with_rows) = (0, 0);
    for seed in only.map_or(0..queries, |seed| seed..seed + 1) {
        let mut random = Random(seed);
        let sql = Writer { random: &mut random, aliases: 0, total: false }.query(2, &[]);
        let sql = match seed % 10 {
            0 => format!("with c as ({sql}) select * from c where x > 0"),
            5 => format!("with c as ({sql}) select p.x, q.y from c p left join c q on p.x = q.y where p.x > 0"),
            _ => sql,
        };
        if let Some(rows) = check(seed, &sql, catalog, data) {
            answered += 1;
            with_rows += u64::from(rows);
        }
    }
    if only.is_none() {
        assert!(answered > queries / 2 && with_rows > queries / 5, "{answered} answered, {with_rows} with rows");
    }
}

/// Whether a query has rows, if it is one and does not fail; panics if the optimised one gives others.
pub(super) fn check(seed: u64, sql: &str, catalog: &ToyCatalog, data: &HashMap<TableHandle, Vec<Row>>) -> Option<bool> {
    let query = super::try_bound(sql, catalog).ok()?;
    let expected = answer(&query, data).ok()?;
    // No pass may need another one.
    let left_out = PASSES[seed as usize % PASSES.len()].name;
    for without in [vec![], vec![left_out.to_owned()]] {
        let optimised = optimise_without(query.clone(), &without, |_, _| {});
        let plans = || format!("seed {seed} without {without:?}\n{sql}\n{}\n{}", explain(&query), explain(&optimised));
        let program = lower(&optimised).unwrap_or_else(|error| panic!("{error}: {}", plans()));
        verify(&program).unwrap_or_else(|fault| panic!("{fault}: {}", plans()));
        let found = answer(&optimised, data).unwrap_or_else(|error| panic!("{error}: {}", plans()));
        assert!(found == expected, "expected {expected:?}, found {found:?}: {}", plans());
    }
    Some(!expected.is_empty())
}

#[test]
fn optimised_queries_give_the_same_rows() {
    check_random(&tables());
}

#[test]
fn optimised_queries_over_codes_give_the_same_rows() {
    check_random(&coded_tables());
}
