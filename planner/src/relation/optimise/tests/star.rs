//! Random queries that group a join of facts and dimensions: what `aggregate_before_join` is for, and what it has to
//! leave alone. As in `differential`, the optimised query must give the rows of the query as bound.

use super::catalog::ToyCatalog;
use super::differential::{Random, check, statistics};
use super::rows::Row;
use super::{optimise, try_bound};
use crate::catalog::{TableHandle, TableInfo, TableStatistics};
use crate::relation::Relation;
use crate::relation::optimise::aggregate_before_join::stages::{LIMITS_IN_TEST, Limits};
use crate::types::{DataType, Field};
use crate::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Queries tried.
const QUERIES: u64 = 4000;

/// `fact` refers to rows of `dense` and `sparse` that are there, `loose` to some that are not, and to none (NULL).
/// `dense` has each number once, `sparse` some of them, `twice` some of them twice, `none` has no rows. All of them
/// refer to `dense` by p, have an attribute a of few values that may be NULL, and a text s.
fn tables() -> (ToyCatalog, HashMap<TableHandle, Vec<Row>>) {
    let mut random = Random(11);
    let int = |n: usize| Value::Int(n as i64);
    let mut dimension = |keys: &[usize]| -> Vec<Row> {
        let row = |key: &usize| {
            let a = if random.chance(20) { Value::Null } else { int(random.below(3)) };
            vec![int(*key), int(random.below(5)), a, Value::text(["x", "y", "y"][random.below(3)])]
        };
        keys.iter().map(row).collect()
    };
    let dimensions =
        [dimension(&[0, 1, 2, 3, 4]), dimension(&[7, 0, 3, 2]), dimension(&[1, 1, 2, 3, 3]), dimension(&[])];
    let mut facts = |sparse: &[usize], limit: usize, nulls: usize| -> Vec<Row> {
        let row = |number: usize| {
            let mut may = |value: Value| if random.chance(nulls) { Value::Null } else { value };
            let (x, z) = (may(int(number * 7 % limit)), may(int(sparse[number % sparse.len()])));
            vec![x, z, may(int(number % 4)), Value::text(["x", "y", "z"][number % 3])]
        };
        (0..24).map(row).collect()
    };
    let facts = [facts(&[0, 2, 3, 7], 5, 0), facts(&[0, 1, 2, 3, 7], 7, 20)];
    let names = ["dense", "sparse", "twice", "none", "fact", "loose"];
    let columns = [["k", "p", "a", "s"], ["x", "z", "v", "s"]];
    let (mut infos, mut data) = (Vec::new(), HashMap::new());
    for (number, rows) in dimensions.into_iter().chain(facts).enumerate() {
        let handle = TableHandle(number as u64);
        let types = [DataType::Integer, DataType::Integer, DataType::Integer, DataType::Text];
        let fields = columns[usize::from(number > 3)].iter().zip(types);
        let fields = fields.map(|(name, data_type)| Field::new(*name, data_type, true)).collect();
        let statistics = (0..4).map(|at| statistics(&rows, at)).collect();
        let statistics =
            Arc::new(TableStatistics { rows: rows.len() as u64, columns: statistics, ..TableStatistics::default() });
        infos.push(Arc::new(TableInfo {
            name: names[number].to_owned(),
            fields,
            statistics,
            handle,
            domains: Vec::new(),
            declared: Arc::default(),
            hidden: Default::default(),
        }));
        data.insert(handle, rows);
    }
    (ToyCatalog::of(infos), data)
}

fn query(random: &mut Random) -> String {
    let fact = *random.pick(&["fact", "fact", "loose"]);
    let (mut from, mut on) = (format!("{fact} f"), Vec::new());
    let (mut keys, mut dimensions) = (vec!["f.x".to_owned(), "f.z".to_owned(), "f.s".to_owned()], Vec::new());
    for number in 0..1 + random.below(3) {
        let table = *random.pick(&["dense", "dense", "dense", "sparse", "sparse", "twice", "none"]);
        let alias = format!("d{number}");
        let mut left = vec!["f.x".to_owned(), "f.x".to_owned(), "f.z".to_owned()];
        left.extend(dimensions.iter().flat_map(|of| [format!("{of}.p"), format!("{of}.k")]));
        let left = random.pick(&left).clone();
        let condition = format!("{left} = {alias}.k");
        match random.below(8) {
            0 => from += &format!(" left join {table} {alias} on {condition}"),
            1 => from += &format!(" join {table} {alias} on {condition} and {alias}.a > 0"),
            _ => {
                from += &format!(" cross join {table} {alias}");
                on.push(condition);
            }
        }
        keys.extend(["k", "k", "a", "s", "p"].map(|column| format!("{alias}.{column}")));
        keys.push(format!("upper({alias}.s)"));
        keys.push(format!("f.v + {alias}.a"));
        keys.push(format!("12 / ({alias}.k + 1)"));
        dimensions.push(alias);
    }
    on.extend((0..random.below(2)).map(|_| condition(random, &dimensions)));
    let filter = if on.is_empty() { String::new() } else { format!(" where {}", on.join(" and ")) };
    let mut chosen: Vec<String> = (0..2 + random.below(3)).map(|_| random.pick(&keys).clone()).collect();
    if random.chance(70) {
        let reach = ["f.x", "f.z", "d0.k"];
        chosen.push((*random.pick(&reach)).to_owned());
    }
    chosen.sort();
    chosen.dedup();
    let aggregate = *random.pick(&AGGREGATES);
    let mut sql =
        format!("select {}, {aggregate} from {from}{filter} group by {}", chosen.join(", "), chosen.join(", "));
    match random.below(5) {
        0 => sql += &format!(" having {aggregate} > 1"),
        1 => sql += " order by count(*) desc",
        2 => sql = format!("select * from ({sql}) q join dense e on e.k = 1"),
        _ => {}
    }
    sql
}

const AGGREGATES: [&str; 12] = [
    "count(*)",
    "count(f.v)",
    "sum(f.v)",
    "sum(6 / f.v)",
    "min(f.s)",
    "count(distinct f.v)",
    "sum(f.v) filter (where f.z > 1)",
    "max(f.v + f.z)",
    "count(d0.a)",
    "sum(f.x)",
    "min(f.v)",
    "max(d0.s)",
];

fn condition(random: &mut Random, dimensions: &[String]) -> String {
    let of = random.pick(dimensions).clone();
    match random.below(8) {
        0 => format!("{of}.a = 1"),
        1 => format!("f.v < {of}.p"),
        2 => "f.v > 1".to_owned(),
        3 => "exists (select 1 from sparse t where t.k = f.z)".to_owned(),
        4 => format!("not exists (select 1 from sparse t where t.k = {of}.p)"),
        5 => "f.v <> 0 and 6 / f.v > 1".to_owned(),
        6 => format!("{of}.p = f.v"),
        _ => "f.x in (select k from dense)".to_owned(),
    }
}

/// Whether a join has an aggregate below it: no query says so, but for those that join the groups.
fn is_moved(relation: &Relation, below_join: bool) -> bool {
    let below = below_join || matches!(relation, Relation::Join { .. });
    (below_join && matches!(relation, Relation::Aggregate { .. }))
        || relation.inputs().iter().any(|input| is_moved(input, below))
}

/// Whether an aggregate has another below it.
fn is_staged(relation: &Relation, below: bool) -> bool {
    let aggregates = matches!(relation, Relation::Aggregate { .. });
    (below && aggregates) || relation.inputs().iter().any(|input| is_staged(input, below || aggregates))
}

#[test]
fn grouped_stars_give_the_same_rows() {
    let (catalog, data) = tables();
    let pays = LIMITS_IN_TEST.get();
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (only, queries) = (number("SEED"), number("QUERIES").unwrap_or(QUERIES));
    let (mut answered, mut moved, mut staged) = (0, 0, 0);
    for seed in only.map_or(0..queries, |seed| seed..seed + 1) {
        let sql = query(&mut Random(seed));
        // Half of them in two steps wherever these are allowed.
        LIMITS_IN_TEST.set(if seed % 2 == 0 { pays } else { Limits { inner_groups_a_row: 1.0, few_texts: 0.0 } });
        if check(seed, &sql, &catalog, &data) == Some(true) {
            answered += 1;
            let Ok(query) = try_bound(&sql, &catalog) else { continue };
            let relation = optimise(query).relation;
            moved += u64::from(!sql.contains(") q join") && is_moved(&relation, false));
            staged += u64::from(is_staged(&relation, false));
        }
    }
    LIMITS_IN_TEST.set(pays);
    if only.is_none() {
        let found = format!("{answered} answered, {moved} moved, {staged} in two steps");
        println!("{found}");
        assert!(answered > queries / 3 && moved > queries / 20 && staged > queries / 125, "{found}");
    }
}
