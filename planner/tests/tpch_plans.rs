//! What the rules make of the TPC-H queries, with the statistics of scale factor 1.
//!
//! Facts rather than whole programs, so that a better plan fails nothing: how many loops there are, what they go
//! over, that none is nested. `MULTILOOP_SHOW=17 cargo test --test tpch_plans` prints a query's program.

#[path = "tpch_plans/catalog.rs"]
mod catalog;

use catalog::TpchCatalog;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::Program;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::multiloop::verify::verify;
use multiloop_planner::relation::optimise::optimise;
use multiloop_planner::rewrite::{RewriteOptions, rewrite};
use multiloop_planner::sql::{Statement, bind, parse};

fn sql(number: usize) -> String {
    let path = format!("{}/../tpch/queries/q{number:02}.sql", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn naive(sql: &str, catalog: &TpchCatalog) -> Program {
    let statements = parse(sql).expect("it parses");
    match bind(&statements[0], catalog, &[]) {
        Ok(Statement::Query(query)) => lower(&optimise(query)).expect("it has a program"),
        other => panic!("no query: {other:?}"),
    }
}

fn program(number: usize) -> Program {
    let catalog = TpchCatalog::new();
    let mut program = naive(&sql(number), &catalog);
    let fired = rewrite(&mut program, &RewriteOptions::default());
    if std::env::var("MULTILOOP_SHOW").is_ok_and(|shown| shown.split(',').any(|shown| shown == number.to_string())) {
        println!("Q{number} {fired:?}\n{}", print(&program));
    }
    verify(&program).unwrap_or_else(|problem| panic!("Q{number}: {problem}\n{}", print(&program)));
    program
}

#[test]
fn no_query_holds_a_nested_loop() {
    for (number, program) in (1..=22).map(|number| (number, program(number))).collect::<Vec<_>>() {
        assert_eq!(live_blocks(&program).len(), 1, "Q{number}\n{}", print(&program));
    }
}
