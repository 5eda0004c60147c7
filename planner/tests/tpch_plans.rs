//! What the rules make of the TPC-H queries, with the statistics of scale factor 1.
//!
//! Facts rather than whole programs, so that a better plan fails nothing: how many loops there are, what they go
//! over, that none is nested. `MULTILOOP_SHOW=17 cargo test --test tpch_plans` prints a query's program.

#[path = "tpch_plans/catalog.rs"]
mod catalog;

use catalog::TpchCatalog;
use multiloop_planner::analysis::own_groups::own_groups;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::function::Function;
use multiloop_planner::lower::lower;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::multiloop::{CollectionId, Generator, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source};
use multiloop_planner::relation::{Query, optimise::optimise};
use multiloop_planner::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite};
use multiloop_planner::speculation::Speculation;
use multiloop_planner::sql::{Statement, bind, parse};
use std::collections::HashSet;
use std::time::{Duration, Instant};

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

/// Their joins and groups are proven safe: what a session plans, which may speculate, is what the careful plan is.
#[test]
fn no_query_speculates() {
    let catalog = TpchCatalog::new();
    for number in 1..=22 {
        let statements = parse(&sql(number)).expect("it parses");
        let Ok(Statement::Query(query)) = bind(&statements[0], &catalog, &[]) else { panic!("Q{number} is no query") };
        let query = Query { speculation: Speculation::Allowed, ..query };
        let mut program = lower(&optimise(query)).expect("it has a program");
        rewrite(&mut program, &RewriteOptions::default());
        assert_eq!(program.speculation, Speculation::Allowed, "Q{number}\n{}", print(&program));
    }
}

/// The loops of a program, in order: those of its body, as none is nested.
fn loops(program: &Program) -> Vec<&Multiloop> {
    let lets = program.body().lets.iter();
    lets.filter_map(|each| if let Let::Loop { multiloop, .. } = each { Some(multiloop) } else { None }).collect()
}

/// How many loops go over a table.
fn scans(program: &Program, table: &str) -> usize {
    let is_scan = |multiloop: &&&Multiloop| match multiloop.nest[0].source {
        Source::Rows(collection) => {
            matches!(&program.collection(collection).shape, Shape::Table { name, .. } if name == table)
        }
        _ => false,
    };
    loops(program).iter().filter(is_scan).count()
}

/// How often a function is called in all that the loops compute, each scalar counted once.
fn calls(program: &Program, function: Function) -> usize {
    let mut found = 0;
    let mut seen = HashSet::new();
    let mut pending: Vec<ScalarId> = program.body().lets.iter().flat_map(Let::scalars).collect();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            let scalar = program.scalars.get(id);
            found += usize::from(matches!(scalar, Scalar::Call { function: called, .. } if *called == function));
            pending.extend(scalar.children());
        }
    }
    found
}

#[test]
fn q6_is_one_loop_without_intermediate() {
    let program = program(6);
    let [only] = loops(&program)[..] else { panic!("Q6\n{}", print(&program)) };
    assert!(matches!(only.generators[..], [Generator::Reduce { .. }]), "Q6\n{}", print(&program));
}

#[test]
fn q1_sums_five_columns_and_counts_in_one_loop() {
    let program = program(1);
    let [groups, shown] = loops(&program)[..] else { panic!("Q1\n{}", print(&program)) };
    assert_eq!(groups.nest.len(), 1);
    let [Generator::BucketReduce { aggregates, .. }] = &groups.generators[..] else { panic!("Q1 groups once") };
    assert_eq!(aggregates.len(), 6, "averages are made of sums and the count\n{}", print(&program));
    // Price less discount, and that with tax; the prices' discount is one scalar.
    assert_eq!((calls(&program, Function::Multiply), calls(&program, Function::Subtract)), (2, 1));
    assert!(
        matches!(shown.nest[0].source, Source::Rows(id) if matches!(program.collection(id).shape, Shape::Groups { .. }))
    );
}

#[test]
fn revenue_of_q15_is_computed_once() {
    let program = program(15);
    assert_eq!(scans(&program, "lineitem"), 1);
    assert_eq!(calls(&program, Function::Multiply), 1);
}

/// A scalar subquery is a Reduce of its own in front, read by whoever needs it.
#[test]
fn scalar_subqueries_run_once() {
    for number in [11, 15, 22] {
        let program = program(number);
        let is_single = |define: &CollectionId| program.collection(*define).shape == Shape::Single;
        let singles = program.body().lets.iter().flat_map(Let::defines).filter(|define| is_single(define)).count();
        assert_eq!(singles, 1, "Q{number}\n{}", print(&program));
    }
}

#[test]
fn q13_makes_no_pairs() {
    assert!(loops(&program(13)).iter().all(|multiloop| multiloop.nest.len() == 1));
}

#[test]
fn groups_by_a_key_have_no_other_key() {
    for number in [3, 10, 18] {
        let program = program(number);
        let longest = loops(&program).iter().flat_map(|each| &each.generators).map(|each| each.key().len()).max();
        assert_eq!(longest, Some(1), "Q{number}\n{}", print(&program));
    }
}

/// What Q10 shows of customers is read for groups, and customers are streamed past these: no bucket keeps them.
#[test]
fn customers_of_q10_are_read_once_a_group() {
    let program = program(10);
    let groups = loops(&program).into_iter().flat_map(|each| &each.generators).find_map(|generator| match generator {
        Generator::BucketReduce { aggregates, .. } => Some(aggregates.len()),
        _ => None,
    });
    assert_eq!(groups, Some(1), "Q10\n{}", print(&program));
    let last = loops(&program).pop().expect("Q10 has loops");
    assert!(
        matches!(last.nest[0].source, Source::Rows(id)
            if matches!(&program.collection(id).shape, Shape::Table { name, .. } if name == "customer")),
        "Q10\n{}",
        print(&program)
    );
}

#[test]
fn demand_restricts_what_is_looked_up() {
    for number in [2, 9, 17, 20] {
        assert!(fires("demand_restriction", number), "Q{number}");
    }
}

#[test]
fn lineitem_is_not_gone_over_again_for_the_same_rows() {
    // Q17: the parts' average and the lines below it; Q18: the orders' sums, for the condition and to be shown;
    // Q21: all lines and the late lines of an order.
    assert_eq!(scans(&program(17), "lineitem"), 1);
    assert_eq!(scans(&program(18), "lineitem"), 1);
    assert_eq!(scans(&program(21), "lineitem"), 2);
    assert!(fires("merge_sibling_groups", 21));
}

#[test]
fn total_and_groups_of_q11_are_one_loop() {
    assert_eq!(scans(&program(11), "partsupp"), 1);
}

#[test]
fn few_driving_rows_are_found_first() {
    let fire: Vec<usize> = (1..=22).filter(|&number| fires("collect_driving_rows", number)).collect();
    assert_eq!(fire, [4, 20]);
}

#[test]
fn late_lines_are_compared_with_their_neighbours() {
    // Q21: what the other lines of the order are, and which of them are late, is asked for few lines.
    let own: Vec<usize> = (1..=22).filter(|&number| !own_groups(&program(number)).is_empty()).collect();
    assert_eq!(own, [21]);
}

fn fires(rule: &str, number: usize) -> bool {
    let mut program = naive(&sql(number), &TpchCatalog::new());
    let fired = rewrite(&mut program, &RewriteOptions::default());
    fired.iter().any(|fired| fired.rule == rule)
}

/// Every rule can be left out: the others make a valid program without it.
#[test]
fn no_rule_needs_another() {
    let catalog = TpchCatalog::new();
    for number in 1..=22 {
        let naive = naive(&sql(number), &catalog);
        for rule in RULES.iter().chain(LAST_RULES) {
            let mut program = naive.clone();
            rewrite(&mut program, &RewriteOptions { without: vec![rule.name.to_owned()], ..RewriteOptions::default() });
            verify(&program).unwrap_or_else(|problem| panic!("Q{number} without {}: {problem}", rule.name));
        }
    }
}

/// Planning, by all rules, is a part of every query's time. Only a release build is held to it.
#[test]
fn planning_takes_no_time() {
    let catalog = TpchCatalog::new();
    for number in 1..=22 {
        let sql = sql(number);
        let mut shortest = Duration::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            let mut program = naive(&sql, &catalog);
            rewrite(&mut program, &RewriteOptions::default());
            shortest = shortest.min(start.elapsed());
        }
        println!("Q{number}: {shortest:?}");
        assert!(cfg!(debug_assertions) || shortest < Duration::from_millis(1), "Q{number}: {shortest:?}");
    }
}
