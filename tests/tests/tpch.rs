//! TPC-H at scale factor 0.01, in every way: 22 of 22 answers right.

use multiloop_tests::WAYS;
use multiloop_tpch::{Options, run};

fn check(way: usize) {
    let session = WAYS[way].session();
    let options =
        Options { scale_factor: 0.01, threads: 1, queries: (1..=22).collect(), runs: 0, data: None, verify: true };
    let report = run(&session, &options, &|_, _| {}, &|_| {}).expect("the tables load");
    let wrong: Vec<String> = report
        .queries
        .iter()
        .filter(|query| query.verified != Some(true))
        .map(|query| format!("Q{}: {}", query.query, query.difference.as_deref().unwrap_or("not verified")))
        .collect();
    assert!(wrong.is_empty(), "{}: {}", WAYS[way].name, wrong.join("; "));
}

#[test]
fn on_the_interpreter() {
    check(0);
}

#[test]
fn on_the_cpu() {
    check(2);
}

#[test]
fn on_the_cpu_without_rules() {
    check(3);
}
