//! Every signature of a function, an aggregate and an operator, with NULL, NaN, infinities and other nasty arguments: as constants,
//! columns and parameters, by the interpreter and on the CPU.
//!
//! One call of sixteen is asked. `SIGNATURES=1` asks them all, `SIGNATURES=20` all from twenty seeds with more arguments;
//! `SIGNATURES_SEED=7` begins with that seed, and `SIGNATURES_OF=date` asks for calls with this in their names alone.

use multiloop_tests::signatures::{Effort, ask};
use std::collections::{BTreeMap, BTreeSet};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn constants_columns_and_parameters_agree() {
    let wanted = number("SIGNATURES");
    let (rounds, one_of) = (wanted.unwrap_or(1), if wanted.is_some() { 1 } else { 16 });
    let first = number("SIGNATURES_SEED").unwrap_or(1);
    let only = std::env::var("SIGNATURES_OF").ok().map(|name| &*name.leak());
    let mut findings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut unbound: BTreeSet<String> =
        multiloop::functions().iter().map(|function| function.name.to_owned()).collect();
    let count = unbound.len();
    for seed in first..first + rounds {
        let wide = if rounds > 1 { 3 } else { 1 };
        let report = ask(Effort { seed, types: wide, casts: 3 * wide, rows: 4 * wide, one_of, only });
        println!("seed {seed}: {} calls, no call of {:?}", report.calls, report.unbound);
        for finding in report.findings {
            findings.entry(finding.name).or_default().push(finding.text);
        }
        unbound.retain(|name| report.unbound.contains(name));
    }
    let total: usize = findings.values().map(Vec::len).sum();
    let each = number("SIGNATURES_SHOWN").unwrap_or(1) as usize;
    let shown: Vec<String> = findings
        .iter()
        .flat_map(|(name, texts)| texts.iter().take(each).map(move |text| format!("{name}: {text}")))
        .collect();
    assert!(unbound.len() * 20 < count, "the words for their arguments do not tell how to call {unbound:?}");
    assert!(findings.is_empty(), "{total} findings of {} calls:\n{}", findings.len(), shown.join("\n"));
}
