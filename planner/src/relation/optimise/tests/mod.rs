//! Plans of toy catalogs and of TPC-H, and rows against a plain evaluator.
//!
//! The plans are golden files beside this one: a `--` comment, the SQL, a line of dashes, the plan. Running with
//! `UPDATE_GOLDEN=1` writes them anew; read the difference before you commit it.

mod catalog;
mod differential;
mod far_keys;
mod rows;
mod star;
mod tpch_catalog;
mod windows;

use crate::error::Result;
use crate::relation::explain::{explain, explain_shape};
use crate::relation::{Query, optimise::optimise};
use crate::sql::{Statement, bind, parse};
use crate::types::DataType::{Integer, Text};
use catalog::{TableSpec, ToyCatalog};
use std::fmt::Write;
use std::path::Path;

fn try_bound(sql: &str, catalog: &ToyCatalog) -> Result<Query> {
    let parsed = parse(sql)?;
    match bind(&parsed[0], catalog, &[])? {
        Statement::Query(query) => Ok(query),
        other => panic!("no query: {other:?}"),
    }
}

fn bound(sql: &str, catalog: &ToyCatalog) -> Query {
    try_bound(sql, catalog).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Compares a golden file's text with what it should be, or writes it.
fn check_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/relation/optimise/tests").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file is there");
    for (number, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(expected, found, "{name}, line {}", number + 1);
    }
    assert_eq!(expected.lines().count(), found.lines().count(), "{name}");
}

/// r is large, s medium, t small; k is unique in each and holds each number; b may be NULL. In u most numbers are left
/// out.
fn toy_catalog() -> ToyCatalog {
    let table = |name, rows: u64| {
        TableSpec::new(name, rows)
            .column("k", Integer, rows, Some((0, rows as i64 - 1)), true)
            .column("a", Integer, 100, Some((0, 99)), false)
            .column("b", Integer, 1000, Some((0, 999)), false)
            .nullable()
            .column("s", Text, 500, None, false)
    };
    let sparse = TableSpec::new("u", 500)
        .column("k", Integer, 500, Some((0, 4999)), true)
        .column("a", Integer, 100, Some((0, 99)), false)
        .column("s", Text, 500, None, false);
    let texts = TableSpec::new("v", 100_000)
        .column("k", Integer, 100_000, Some((0, 99_999)), true)
        .column("s", Text, 50_000, None, false)
        .nullable();
    ToyCatalog::new([table("r", 100_000), table("s", 10_000), table("t", 1000), sparse, texts])
}

#[test]
fn toy_plans_are_as_written() {
    let catalog = toy_catalog();
    let text = include_str!("plans.txt");
    let mut found = String::new();
    for case in text.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let sql = case.split("\n----").next().unwrap_or(case).trim();
        let plan = explain_shape(&optimise(bound(sql, &catalog)));
        write!(found, "{sql}\n----\n{plan}\n").expect("a string takes all");
    }
    check_golden("plans.txt", &found);
}

#[test]
fn tpch_plans_are_as_written() {
    let catalog = tpch_catalog::tpch_catalog();
    let mut found = String::new();
    for number in 1..=22 {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tpch/queries/q{number:02}.sql"));
        let sql = std::fs::read_to_string(path).expect("the query is there");
        let plan = explain(&optimise(bound(&sql, &catalog)));
        write!(found, "-- Q{number}\n{plan}\n").expect("a string takes all");
    }
    check_golden("tpch_plans.txt", &found);
}

#[test]
fn one_plan_however_it_is_written() {
    let catalog = toy_catalog();
    // Which of two columns of a name is the first depends on how the query is written.
    let plan = |sql: &str| {
        let text = explain_shape(&optimise(bound(sql, &catalog)));
        (2..5).fold(text, |text, number| text.replace(&format!("#{number}"), ""))
    };
    let pairs = [
        ("select r.a from r, s where r.k = s.k and s.a = 1", "select r.a from s join r on s.k = r.k where 1 = s.a"),
        ("select a from r where not (a < 5 or b = 3)", "select a from r where a >= 5 and b <> 3"),
        ("select a from r where a = 1 or a = 2", "select a from r where a in (1, 2)"),
        ("select count(*) from (select a from r order by b) x", "select count(*) from r"),
        (
            "select a from r where exists (select 1 from s where s.k = r.k and s.a = 3)",
            "select a from r where k in (select k from s where a = 3)",
        ),
        (
            "select r.a, x from r, generate_series(1, r.a) x where r.k = 5 and x > 2",
            "select r.a, x from (select a, k from r where k = 5) r, generate_series(1, r.a) x where 2 < x",
        ),
        (
            "select r.a from r left join s on r.k = s.k where s.a > 3",
            "select r.a from r join s on r.k = s.k where s.a > 3",
        ),
    ];
    for (one, other) in pairs {
        assert_eq!(plan(one), plan(other), "{one}\n{other}");
    }
}

#[test]
fn the_same_query_has_the_same_plan_every_time() {
    let catalog = tpch_catalog::tpch_catalog();
    let sql = "select n_name from supplier, nation, region, customer where s_nationkey = n_nationkey \
               and n_regionkey = r_regionkey and c_nationkey = n_nationkey";
    let first = explain(&optimise(bound(sql, &catalog)));
    for _ in 0..5 {
        assert_eq!(first, explain(&optimise(bound(sql, &catalog))));
    }
}

#[test]
fn more_joins_than_are_tried_exhaustively_still_get_a_plan() {
    let catalog = toy_catalog();
    let count = 16;
    let from: Vec<String> = (0..count).map(|number| format!("t t{number}")).collect();
    let on: Vec<String> = (1..count).map(|number| format!("t{}.k = t{number}.a", number - 1)).collect();
    let test = "t3.k in (select b from s) and t0.a + t15.b > 3 and exists (select 1 from s where s.k = t7.k)";
    let sql = format!("select t0.a, t5.s from {} where {} and {test}", from.join(", "), on.join(" and "));
    let plan = explain_shape(&optimise(bound(&sql, &catalog)));
    assert_eq!(plan.matches("Scan t:").count(), count, "{plan}");
    assert_eq!(plan.matches("Join semi").count(), 2, "{plan}");
    assert!(!plan.contains("on true"), "{plan}");
}
