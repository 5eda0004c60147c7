//! The golden cases of the rules, and the examples of their headers, run their rows: a text says what a rule makes of a
//! program, only rows say that it means the same. What stands before and what stands after it go through the interpreter over
//! nasty tables; and so does what all rules together make of what stands before, be it a case that the rule leaves alone, and what
//! they make without each of those that did something: no rule needs another one to be right.

use multiloop_exec::column::Table;
use multiloop_exec::interpret;
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::multiloop::{Program, Shape};
use multiloop_planner::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite};
use multiloop_tests::programs::{Nasty, Outcome, difference, program, tables};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The tables of a case: empty, one row, one side empty, all NULL, many duplicates, few; and of what pairs no rows with all
/// others, some hundred rows, values far apart among them.
const NASTY: [Nasty; 6] = [
    Nasty { rows: &[0], ..USUAL },
    Nasty { rows: &[1], ..USUAL },
    Nasty { rows: &[8, 0, 3], ..USUAL },
    Nasty { rows: &[0, 8, 3], ..USUAL },
    Nasty { rows: &[12, 10, 2], null_once_in: 1, ..USUAL },
    Nasty { rows: &[40, 25, 3], distinct: 4, ..USUAL },
];

const MORE: [Nasty; 2] = [
    Nasty { rows: &[250, 90, 5], distinct: 25, ..USUAL },
    Nasty { rows: &[90, 300, 5], distinct: 90, stride: 1000, ..USUAL },
];

const USUAL: Nasty = Nasty { rows: &[1], distinct: 5, stride: 1, null_once_in: 6, chunk_rows: None };

/// A program and, unless the rule leaves it alone, what the rule makes of it.
struct Case {
    /// Where it stands.
    name: String,
    before: String,
    after: Option<String>,
}

/// The cases of a rule: of its golden file and of its header.
fn cases(rule: &str) -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../planner/src/rewrite");
    let read =
        |path: PathBuf| std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = read(folder.join(format!("rules/{rule}.rs")));
    let example = |mark: &str| {
        let begins = format!("//! ```text {mark}");
        let lines = header.lines().skip_while(|line| line.trim_end() != begins).skip(1);
        let lines = lines.take_while(|line| line.trim_end() != "//! ```");
        lines.map(|line| format!("{}\n", line.trim_start_matches("//!").trim_end())).collect::<String>()
    };
    let mut cases = vec![Case { name: format!("{rule}.rs"), before: example("before"), after: Some(example("after")) }];
    for (number, case) in read(folder.join(format!("testdata/{rule}.txt"))).split("====\n").enumerate() {
        let lines = case.lines().skip_while(|line| line.starts_with('#') || line.is_empty());
        let body: String = lines.map(|line| format!("{line}\n")).collect();
        let name = format!("case {} of {rule}.txt", number + 1);
        let (before, after) = match (body.strip_prefix("expect-not\n"), body.strip_prefix("expect\n")) {
            (Some(before), _) => (before, None),
            (None, Some(both)) => {
                let (before, after) = both.split_once("----\n").unwrap_or_else(|| panic!("{name} has no after"));
                (before, Some(after.to_owned()))
            }
            (None, None) => panic!("{name} says neither expect nor expect-not"),
        };
        cases.push(Case { name, before: before.to_owned(), after });
    }
    cases
}

/// The names of a program's tables, by handle.
fn names(program: &Program) -> Vec<String> {
    let mut names = BTreeMap::new();
    for collection in &program.collections {
        if let Shape::Table { handle, name, .. } = &collection.shape {
            names.insert(handle.0, name.clone());
        }
    }
    names.into_values().collect()
}

/// Runs a program over tables that have these names: a text numbers the tables that it reads.
fn run(program: &Program, tables: &[Arc<Table>], named: &[String]) -> Outcome {
    let names = names(program);
    let lookup = |handle: TableHandle| {
        let name = &names[handle.0 as usize];
        Arc::clone(&tables[named.iter().position(|other| other == name).expect("both read the same tables")])
    };
    interpret::run(program, &lookup, &[], &Context::new(Memory::new(1 << 30))).map(|rows| rows.rows)
}

/// Whether a program goes over all rows of something for each row of something else.
fn is_product(text: &str) -> bool {
    let is_all = |line: &&str| line.contains(" in %") && !line.contains('[');
    let lines: Vec<&str> = text.lines().collect();
    text.contains("block") || lines.windows(2).any(|pair| pair.iter().all(is_all))
}

/// What a case becomes, each with what made that of it: of its rule, of all rules, and of all but each one that did something.
fn others(case: &Case, before: &Program, fired: &mut BTreeSet<&'static str>) -> Vec<(String, Program)> {
    let mut others: Vec<(String, Program)> = Vec::new();
    if let Some(after) = &case.after {
        others.push(("the rule".to_owned(), program(after)));
    }
    let mut all = before.clone();
    let rules: BTreeSet<&str> = rewrite(&mut all, &RewriteOptions::default()).iter().map(|fired| fired.rule).collect();
    others.push(("all rules".to_owned(), all));
    for rule in rules {
        let mut without = before.clone();
        rewrite(&mut without, &RewriteOptions { without: vec![rule.to_owned()], ..RewriteOptions::default() });
        others.push((format!("all rules but {rule}"), without));
        fired.insert(rule);
    }
    others
}

#[test]
fn rows_are_those_before() {
    let (mut rows, mut wrong, mut fired) = (0, Vec::new(), BTreeSet::new());
    for rule in RULES.iter().chain(LAST_RULES) {
        for case in cases(rule.name) {
            let before = program(&case.before);
            let (named, others) = (names(&before), others(&case, &before, &mut fired));
            let more = MORE.into_iter().filter(|_| !is_product(&case.before));
            for (round, nasty) in NASTY.into_iter().chain(more).enumerate() {
                let tables = tables(&before, nasty, round as u64);
                let expected = run(&before, &tables, &named);
                // What is drawn by lot is free.
                if case.before.contains("random(") {
                    continue;
                }
                rows += expected.as_ref().map_or(0, Vec::len);
                for (by, other) in &others {
                    let got = run(other, &tables, &named);
                    // What nothing reads is not evaluated: that may lose an error.
                    if by != "the rule" && expected.is_err() && got.is_ok() {
                        continue;
                    }
                    if let Some(difference) = difference(&before, &expected, &got) {
                        wrong.push(format!("{}, {by}, {nasty:?}: {difference}\n{}", case.name, print(other)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 10_000, "conditions drop nearly all of what the cases read: {rows} rows");
    let idle: Vec<&str> =
        RULES.iter().chain(LAST_RULES).map(|rule| rule.name).filter(|&rule| !fired.contains(rule)).collect();
    assert!(idle.is_empty(), "no case has these do anything among all rules: {idle:?}");
}
