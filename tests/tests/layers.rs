//! The layers of each crate: no folder imports one that stands after it. Paths are read from the source, those of `use` and
//! those that stand in code; what a test module imports is its own business.

use std::fs;
use std::path::{Path, PathBuf};

/// A crate's folder, and the folders and files of its source, low to high.
const CRATES: [(&str, &[&str]); 4] = [
    (
        "planner",
        &[
            "error",
            "stack",
            "sequence",
            "counters",
            "meter",
            "types",
            "join_kind",
            "window",
            "numeric",
            "value",
            "function",
            "evaluate",
            "catalog",
            "speculation",
            "multiloop",
            "analysis",
            "rewrite",
            "relation",
            "relation/builder",
            "lower",
            "sql",
        ],
    ),
    (
        "exec",
        &[
            "technique",
            "sums",
            "workers",
            "column",
            "interpret",
            "plan",
            "partial",
            "collections",
            "backend",
            "gpu",
            "cpu/simd",
            "cpu/pages",
            "cpu/vector",
            "cpu/kernels",
            "cpu/keys",
            "cpu/table",
            "cpu/groups",
            "cpu/index",
            "cpu/collections",
            "cpu/aggregate",
            "cpu/expression",
            "cpu/reduce",
            "cpu/sort",
            "cpu/window",
            "cpu/multiloop",
            "row_device",
            "cards",
            "run",
        ],
    ),
    (
        "engine",
        &[
            "guard",
            "timer",
            "turn",
            "plan",
            "tallies",
            "sight",
            "sliced",
            "stream",
            "reader",
            "asynchronous",
            "format",
            "pretty",
            "tuples",
            "parameters",
            "row",
            "types",
            "functions",
            "provider",
            "keys",
            "grants",
            "catalog",
            "maintenance",
            "storage",
            "settings",
            "notify",
            "roles",
            "access",
            "row_locks",
            "drawn",
            "transaction",
            "activity",
            "system",
            "rights",
            "counters",
            "effects",
            "calls",
            "snapshot",
            "names",
            "hashed",
            "engine",
            "running",
            "explain",
            "summary",
            "statement",
            "session",
            "linq",
            "guides",
        ],
    ),
    (
        "server",
        &[
            "fault",
            "types",
            "wire",
            "encode",
            "decode",
            "copy",
            "cancel",
            "output",
            "engine",
            "metrics",
            "record",
            "conversation",
            "options",
            "error",
            "tls",
            "scram",
            "strangers",
            "shared",
            "channel",
            "connection",
            "enter",
            "scrape",
            "server",
        ],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root").to_owned()
}

/// The source files of a crate, as (path from `src`, text), without tests.
fn sources(of: &str) -> Vec<(String, String)> {
    let src = root().join(of).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![src.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project can be read") {
            let path = entry.expect("a folder of the project can be listed").path();
            let name = path.file_name().expect("listed files have names").to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "tests" {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") && name != "tests.rs" && name != "testing.rs" {
                let relative = path.strip_prefix(&src).expect("below src").to_string_lossy().into_owned();
                found.push((relative, fs::read_to_string(&path).expect("source is UTF-8")));
            }
        }
    }
    found.sort();
    found
}

/// The module of a file.
fn module(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    if matches!(parts.last(), Some(&("mod" | "lib"))) {
        parts.pop();
    }
    parts
}

/// The text without comments and without what stands behind `#[cfg(test)]`.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let Some(tested) = lines.next() else { break };
            if tested.trim_end().ends_with('{') {
                let indentation = &tested[..tested.len() - tested.trim_start().len()];
                let close = format!("{indentation}}}");
                lines.by_ref().find(|line| *line == close);
            }
            continue;
        }
        kept.push_str(line.split("//").next().unwrap_or_default());
        kept.push('\n');
    }
    kept
}

/// All paths that a text names, from the crate's root: those that begin with `crate`, `self` or `super`, and in a `use` all that
/// its braces hold. `own` is the module that the text is in.
fn paths(own: &[&str], text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let text = code(text);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            // `pub(in crate::…)` names what may see it.
            if before.is_some_and(|c| is_name(c) || c == ':') || text[..at].ends_with("(in ") {
                continue;
            }
            let mut base: Vec<String> = own.iter().map(|part| (*part).to_owned()).collect();
            let mut rest = &text[at..];
            if let Some(behind) = rest.strip_prefix("crate::") {
                (base, rest) = (Vec::new(), behind);
            }
            rest = rest.strip_prefix("self::").unwrap_or(rest);
            while let Some(behind) = rest.strip_prefix("super::") {
                base.pop();
                rest = behind;
            }
            tree(&base, rest, &mut found);
        }
    }
    found
}

/// Adds the paths of `a::b` or `a::{b, c::{d, e}}`; gives what stands behind it.
fn tree<'t>(base: &[String], text: &'t str, found: &mut Vec<Vec<String>>) -> &'t str {
    let mut path = base.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(mut inner) = rest.strip_prefix('{') {
            loop {
                inner = tree(&path, inner, found).trim_start();
                // ` as name`
                let end = inner.find([',', '}', '{', ';']).unwrap_or(inner.len());
                inner = &inner[end..];
                match inner.strip_prefix(',') {
                    Some(more) if !more.trim_start().starts_with('}') => inner = more,
                    Some(more) => return more.trim_start().strip_prefix('}').unwrap_or(more),
                    None => return inner.strip_prefix('}').unwrap_or(inner),
                }
            }
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_owned());
        }
        rest = &rest[end..];
        match rest.strip_prefix("::") {
            Some(more) if end > 0 => rest = more,
            _ => {
                found.push(path);
                return rest;
            }
        }
    }
}

/// The layer of a module: the longest one that it begins with.
fn layer(layers: &[&str], module: &str) -> Option<usize> {
    let within = |layer: &&str| module == *layer || module.starts_with(&format!("{layer}/"));
    (0..layers.len()).filter(|&at| within(&layers[at])).max_by_key(|&at| layers[at].len())
}

/// The imports of a file that go up.
fn upward(layers: &[&str], path: &str, text: &str) -> Vec<String> {
    let own = module(path);
    let Some(from) = layer(layers, &own.join("/")) else { return Vec::new() };
    let to = |path: &Vec<String>| Some((layer(layers, &path.join("/"))?, path.join("::")));
    let mut broken: Vec<String> = paths(&own, text)
        .iter()
        .filter_map(to)
        .filter(|(to, _)| *to > from)
        .map(|(_, name)| format!("{path} imports {name}"))
        .collect();
    broken.sort();
    broken.dedup();
    broken
}

#[test]
fn no_folder_imports_a_later_one() {
    let mut broken = Vec::new();
    for (name, layers) in CRATES {
        let sources = sources(name);
        for (path, text) in &sources {
            broken.extend(upward(layers, path, text).into_iter().map(|found| format!("{name}: {found}")));
            let module = module(path).join("/");
            if !["", "cpu"].contains(&module.as_str()) && layer(layers, &module).is_none() {
                broken.push(format!("{name}: {path} has no layer"));
            }
        }
        for layer in layers {
            let is_there = sources.iter().any(|(path, _)| module(path).join("/").starts_with(layer));
            assert!(is_there, "{name} has no {layer}");
        }
    }
    assert!(broken.is_empty(), "layers are broken:\n  {}", broken.join("\n  "));
}

#[test]
fn an_import_that_goes_up_is_seen() {
    let layers = ["low", "middle", "high"];
    let seen = |text: &str| upward(&layers, "middle/part.rs", text);
    assert_eq!(seen("use crate::high::Thing;"), ["middle/part.rs imports high::Thing"]);
    assert_eq!(seen("use crate::{low::A, high::{B, part::C}};").len(), 2);
    assert_eq!(seen("use super::super::high::Thing;").len(), 1);
    assert_eq!(seen("fn f() { crate::high::f() }").len(), 1);
    assert_eq!(seen("use crate::low::{A, B as C};\nuse super::other;\nuse self::below::D;"), Vec::<String>::new());
    assert_eq!(seen("// crate::high\n#[cfg(test)]\nmod tests {\n    use crate::high::A;\n}\n"), Vec::<String>::new());
    assert_eq!(seen("#[cfg(test)]\nmod tests {\n}\nuse crate::high::A;").len(), 1);
    assert_eq!(seen("pub(in crate::high) fn f() {}"), Vec::<String>::new());
}
