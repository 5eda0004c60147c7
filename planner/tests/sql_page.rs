//! The functions of `docs/sql.md` are those of the registry, written by `UPDATE_GOLDEN=1`.

use multiloop_planner::relation::builder::{FunctionSummary, functions};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The head of the part that is written here; what stands before it is written by hand.
const HEAD: &str = "## Functions\n";

/// A cell of a table, in which a bar would be its end.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A table a family; names that have all else in common share a row.
fn tables() -> String {
    let all = functions();
    let mut out = String::new();
    let mut families: Vec<&str> = Vec::new();
    for function in &all {
        if !families.contains(&function.family) {
            families.push(function.family);
        }
    }
    for family in families {
        let mut rows: Vec<(Vec<&str>, &FunctionSummary)> = Vec::new();
        for function in all.iter().filter(|function| function.family == family) {
            let is_alike = |other: &FunctionSummary| {
                (&other.arguments, &other.result, other.summary)
                    == (&function.arguments, &function.result, function.summary)
            };
            match rows.iter_mut().find(|(_, first)| is_alike(first)) {
                Some((names, _)) => names.push(function.name),
                None => rows.push((vec![function.name], function)),
            }
        }
        rows.sort_by_key(|(names, _)| names[0]);
        write!(out, "\n### {family}\n\n| function | arguments | gives | what |\n|---|---|---|---|\n").unwrap();
        for (names, function) in rows {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let [arguments, result, summary] = [&function.arguments, &function.result, function.summary].map(cell);
            writeln!(out, "| {} | {arguments} | {result} | {summary} |", names.join(", ")).unwrap();
        }
    }
    out
}

#[test]
fn the_page_lists_the_functions_of_the_registry() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/sql.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, after) = page.split_once(HEAD).expect("the page has a part on functions");
    let words = after.split("\n### ").next().unwrap_or_default().trim();
    let expected = format!("{before}{HEAD}\n{words}\n{}", tables());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, expected).expect("the page is written");
        return;
    }
    assert!(page == expected, "docs/sql.md is not what the registry says: write it anew with UPDATE_GOLDEN=1");
}
