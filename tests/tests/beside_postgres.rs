//! Random SQL beside PostgreSQL, with fixed seeds: a red run is the change's own fault. `multiloop_tests::random` says what
//! is compared; its binary `random` looks for new differences for as long as one likes.

use multiloop_tests::random::{Hunt, Size, hunt};
use std::path::Path;

fn check(seed: u64, seeds: u64, statements: u64, size: Size, postgres: Option<String>) {
    let options =
        Hunt { seed, seeds, until: None, postgres, findings_max: 5, size: Some(size), statements, verbose: false };
    let report = hunt(Path::new(env!("CARGO_BIN_EXE_random")), &options).expect("both engines run");
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} of {} differ:\n{}", findings.len(), report.statements, findings.join("\n"));
    assert!(report.unsupported * 10 < report.statements, "{} are not supported", report.unsupported);
}

fn postgres() -> Option<String> {
    let connection = std::env::var("MULTILOOP_POSTGRES").ok();
    if connection.is_none() {
        eprintln!("PostgreSQL is left out: MULTILOOP_POSTGRES is not set (tests/run.sh sets it)");
    }
    connection
}

#[test]
fn small_tables() {
    check(1, 10, 60, Size::Small, postgres());
}

#[test]
fn large_tables() {
    // Without somebody beside it one way alone would run.
    if let Some(connection) = postgres() {
        check(1, 3, 30, Size::Large, Some(connection));
    }
}
