//! Every rule is tested by its own header and by its golden file.
//!
//! The header of `<rule>.rs` holds its example: a block marked `before` and one marked `after`; `before` must
//! become `after`. `testdata/<rule>.txt` holds more cases, separated by lines of `====`: first `expect` and two
//! programs around a line of `----`, or `expect-not` and one program that the rule must leave alone. `#` begins a
//! comment in front of a case.

use super::{LAST_RULES, RULES, Rule};
use crate::analysis::verify::verify;
use crate::multiloop::Program;
use crate::multiloop::parse::parse;
use crate::multiloop::print::print;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/rewrite")
}

fn read(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    program
}

/// The program after the rule has done all it can, and whether it did anything.
fn applied(rule: &Rule, text: &str) -> (String, bool) {
    let mut program = read(text);
    let mut changed = false;
    for _ in 0..20 {
        if !(rule.apply)(&mut program) {
            return (print(&program), changed);
        }
        changed = true;
        if let Err(problem) = verify(&program) {
            panic!("{}: {problem}\n{}", rule.name, print(&program));
        }
    }
    panic!("{} goes on for ever\n{text}", rule.name);
}

fn expect(rule: &Rule, before: &str, after: &str) {
    let (result, changed) = applied(rule, before);
    assert!(changed, "{} did nothing to\n{before}", rule.name);
    assert_eq!(result, print(&read(after)), "{} made\n{result}\nof\n{before}\ninstead of\n{after}", rule.name);
}

fn expect_not(rule: &Rule, text: &str) {
    let (result, changed) = applied(rule, text);
    assert!(!changed, "{} made\n{result}\nof\n{text}", rule.name);
}

/// A block of a rule's header.
fn example(source: &str, mark: &str) -> Option<String> {
    let mut lines =
        source.lines().skip_while(|line| line.trim_end() != format!("//! ```text {mark}")).skip(1).peekable();
    lines.peek()?;
    let block = lines.take_while(|line| line.trim_end() != "//! ```");
    Some(block.map(|line| format!("{}\n", line.trim_start_matches("//!").trim_end())).collect())
}

#[test]
fn headers_hold() {
    for rule in RULES.iter().chain(LAST_RULES) {
        let path = folder().join(format!("rules/{}.rs", rule.name));
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (Some(before), Some(after)) = (example(&source, "before"), example(&source, "after")) else {
            panic!("{} has no example in its header", rule.name);
        };
        expect(rule, &before, &after);
    }
}

#[test]
fn golden_files_hold() {
    for rule in RULES.iter().chain(LAST_RULES) {
        let path = folder().join(format!("testdata/{}.txt", rule.name));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (mut positive, mut negative) = (0, 0);
        for case in text.split("====\n") {
            let body: String = case
                .lines()
                .skip_while(|line| line.starts_with('#') || line.is_empty())
                .map(|line| format!("{line}\n"))
                .collect();
            if let Some(text) = body.strip_prefix("expect-not\n") {
                expect_not(rule, text);
                negative += 1;
            } else if let Some((before, after)) =
                body.strip_prefix("expect\n").and_then(|both| both.split_once("----\n"))
            {
                expect(rule, before, after);
                positive += 1;
            } else {
                panic!("{}: neither expect nor expect-not:\n{case}", path.display());
            }
        }
        assert!(positive + negative > 0, "{} has no cases", path.display());
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = RULES.iter().chain(LAST_RULES).map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len() + LAST_RULES.len());
}
