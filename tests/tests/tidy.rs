//! The house is tidy: what no compiler checks, checked. Each rule names the files that break it.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines a file may have.
const FILE_LINES_MAX: usize = 800;

/// Lines a function may have.
const FUNCTION_LINES_MAX: usize = 70;

/// Files that may be longer, each with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Functions that may be longer, each with the reason.
const LONG_FUNCTIONS: &[(&str, &str)] = &[];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root").to_owned()
}

/// All files below the root with this ending, as (path from the root, text).
fn files(ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project can be read") {
            let path = entry.expect("a folder of the project can be listed").path();
            let name = path.file_name().expect("listed files have names").to_string_lossy().into_owned();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else if name.ends_with(ending) {
                let text = fs::read_to_string(&path).expect("source is UTF-8");
                let relative = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
                found.push((relative, text));
            }
        }
    }
    found.sort();
    found
}

fn report(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

#[test]
fn every_file_says_what_it_is_for() {
    let broken: Vec<String> =
        files(".rs").into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| path).collect();
    report("a source file opens with //!", &broken);
}

#[test]
fn files_and_functions_are_short() {
    let mut broken = Vec::new();
    for (path, text) in files(".rs") {
        let lines = text.lines().count();
        let tests = path.ends_with("tests.rs") || path.contains("/tests/");
        if lines > FILE_LINES_MAX && !tests && !LONG_FILES.iter().any(|(long, _)| *long == path) {
            broken.push(format!("{path}: {lines} lines"));
        }
        for (name, line, length) in functions(&text) {
            let listed = LONG_FUNCTIONS.iter().any(|(long, _)| *long == format!("{path}:{name}"));
            if length > FUNCTION_LINES_MAX && !tests && !listed {
                broken.push(format!("{path}:{line}: fn {name} has {length} lines"));
            }
        }
    }
    report("files have at most 800 lines, functions 70", &broken);
}

/// Functions as (name, first line, lines): from `fn` to the brace that closes at its indentation (rustfmt's form).
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let Some(at) = code.find("fn ") else { continue };
        let before = &code[..at];
        let modifiers = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "async", "extern", "\"C\""];
        if !before.split_whitespace().all(|word| modifiers.contains(&word)) {
            continue;
        }
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let indentation = &line[..line.len() - code.len()];
        let close = format!("{indentation}}}");
        let Some(end) = lines[start..].iter().position(|line| *line == close) else { continue };
        let bodiless = lines[start..start + end]
            .iter()
            .any(|line| line.trim_end().ends_with(';') && !line.starts_with(&format!("{indentation} ")));
        if !bodiless {
            found.push((name, start + 1, end + 1));
        }
    }
    found
}

#[test]
fn nothing_is_left_unfinished() {
    let words =
        ["FIXME", concat!("TO", "DO"), concat!("dbg", "!("), concat!("todo", "!("), concat!("unimplemented", "!(")];
    let mut broken = Vec::new();
    for (path, text) in files(".rs") {
        if path == "tests/tests/tidy.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) || line.contains("#[ignore") {
                broken.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    report("no unfinished work in the source", &broken);
}

#[test]
fn documents_name_files_that_exist() {
    let mut broken = Vec::new();
    for (path, text) in files(".md") {
        for word in text.split('`').skip(1).step_by(2) {
            let is_path = word.contains('/')
                && !word.contains([' ', '*', '…', '<', '$', '(', '{', '=', ':'])
                && !word.starts_with(['/', '.', '-'])
                && ["planner", "exec", "engine", "server", "tpch", "cli", "tests"]
                    .contains(&word.split('/').next().expect("split gives a first part"));
            if is_path && !root().join(word).exists() {
                broken.push(format!("{path}: {word}"));
            }
        }
    }
    report("documents name files that exist", &broken);
}

#[test]
fn unsafe_stands_where_it_may() {
    // The yardstick of the benchmarks needs the vector instructions that the kernels have, and knows nothing of exec.
    let allowed = [
        "exec/src/column/",
        "exec/src/cpu/",
        "exec/src/gpu/driver/",
        "exec/src/workers/pool/job.rs",
        "tpch/benches/hand_written/simd.rs",
        "engine/examples/homes.rs",
        // It makes files whose texts are not UTF-8.
        "engine/src/format/tests/odd.rs",
    ];
    let mut broken = Vec::new();
    for (path, text) in files(".rs") {
        if allowed.iter().any(|folder| path.starts_with(folder)) || path == "tests/tests/tidy.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if line.contains("unsafe {") || line.contains("unsafe fn") || line.contains("unsafe impl") {
                broken.push(format!("{path}:{}", number + 1));
            }
        }
    }
    report(
        "unsafe lives in column/, cpu/, gpu/driver/, the pool's job.rs and what asks the system or is a yardstick alone",
        &broken,
    );
}

#[test]
fn crates_know_only_what_they_may() {
    // The crates' edges of ARCHITECTURE.md: what must not appear in whose manifest.
    let forbidden = [
        ("planner/Cargo.toml", ["arrow", "rayon", "multiloop-exec"].as_slice()),
        // Threads that nobody counts: all parallel work is the pool's.
        ("exec/Cargo.toml", ["sqlparser", "multiloop\n", "rayon"].as_slice()),
        ("engine/Cargo.toml", ["sqlparser", "rayon"].as_slice()),
        ("server/Cargo.toml", ["multiloop-planner", "multiloop-exec", "multiloop-tpch", "rayon"].as_slice()),
        ("tpch/Cargo.toml", ["multiloop-planner", "multiloop-exec"].as_slice()),
        ("cli/Cargo.toml", ["multiloop-planner", "multiloop-exec"].as_slice()),
    ];
    let mut broken = Vec::new();
    for (manifest, names) in forbidden {
        let text = fs::read_to_string(root().join(manifest)).expect("every crate has a manifest");
        for line in text.lines() {
            let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if names.iter().any(|name| name.trim() == dependency) {
                broken.push(format!("{manifest}: {dependency}"));
            }
        }
    }
    report("crates know only what they may", &broken);
}
