//! Files that others have written, read as their writers read them back (`tests/data/files/make.py`): as they are scanned and as
//! tables that are made of them, by every way to run a statement.

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, answer};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Columns that cannot be read, by the start of a file's name: the SQLSTATE of asking for them. A `*` is the whole file.
const REFUSED: &[(&str, &str, &str)] = &[
    // Types that have no SQL type here.
    ("pyarrow/refused_duration", "duration", "0A000"),
    ("pyarrow/refused_ends", "ends", "0A000"),
    ("pyarrow/refused_list_view", "list_view", "0A000"),
    ("pyarrow/refused_union", "union", "0A000"),
    // More digits than a decimal has.
    ("pyarrow/refused_wide", "wide", "0A000"),
    ("pyarrow/decimals", "wide", "0A000"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/files")
}

/// Files with what their writers say is in them.
fn files() -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    for writer in std::fs::read_dir(folder()).expect("the folder is there") {
        let writer = writer.expect("it can be listed").path();
        if !writer.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&writer).expect("it can be listed") {
            let path = file.expect("it can be listed").path();
            let text = path.to_str().expect("names are UTF-8").to_owned();
            let Some(of) = text.strip_suffix(".expected") else { continue };
            let name = Path::new(of).strip_prefix(folder()).expect("it is within").to_string_lossy().into_owned();
            let expected = std::fs::read_to_string(&path).expect("it is UTF-8");
            found.push((name, PathBuf::from(of), expected));
        }
    }
    found.sort();
    found
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            plain => plain,
        });
    }
    plain
}

/// The names of columns as a statement writes them: folded, and numbered where two would be the same.
fn names(header: &str) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |name: &str| {
        let name = unescape(name).to_lowercase();
        let mut tries = std::iter::once(name.clone()).chain((1..).map(|number| format!("{name}_{number}")));
        tries.find(|name| taken.insert(name.clone())).expect("some number is free")
    };
    header.split('\t').map(name).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn refused(file: &str, column: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(of, name, _)| file.starts_with(of) && *name == column).map(|(.., state)| *state)
}

/// What is wrong with a file, read one way.
fn check(session: &Session, file: &str, path: &Path, expected: &str, wrong: &mut Vec<String>) {
    let from = format!("'{}'", path.display().to_string().replace('\'', "''"));
    let mut lines = expected.lines();
    let names = names(lines.next().unwrap_or_default());
    let readable: Vec<usize> = (0..names.len()).filter(|&at| refused(file, &names[at]).is_none()).collect();
    let rows: Vec<Vec<String>> = lines
        .map(|line| {
            let cells: Vec<String> = line.split('\t').map(unescape).collect();
            readable.iter().map(|&at| cells[at].clone()).collect()
        })
        .collect();
    let unreadable: Vec<(&String, &str)> = names.iter().filter_map(|name| Some((name, refused(file, name)?))).collect();
    for (name, state) in &unreadable {
        match answer(session, &format!("SELECT {} FROM {from}", quoted(name))) {
            Answer::Error(found, message) if found == *state && message.contains(name.as_str()) => {}
            other => wrong.push(format!("{file}: {name} is refused with {state} and its name, but: {other:?}")),
        }
        // The first of them is told.
        match answer(session, &format!("SELECT * FROM {from}")) {
            Answer::Error(found, message)
                if unreadable.iter().any(|(name, of)| found == *of && message.contains(*name)) => {}
            other => wrong.push(format!("{file}: all is refused with {state}, but: {other:?}")),
        }
    }
    let columns = readable.iter().map(|&at| quoted(&names[at])).collect::<Vec<_>>().join(", ");
    let load = format!("DROP TABLE IF EXISTS loaded; CREATE TABLE loaded AS SELECT {columns} FROM {from}");
    for statement in load.split("; ") {
        if let Answer::Error(state, message) = answer(session, statement) {
            wrong.push(format!("{file}: load: {state} {message}"));
            return;
        }
    }
    for (what, source) in [("scan", from.as_str()), ("load", "loaded")] {
        match answer(session, &format!("SELECT {columns} FROM {source}")) {
            Answer::Rows(types, found) if found == rows => {
                assert_eq!(types.len(), readable.len());
            }
            Answer::Rows(_, found) => {
                let differs = (0..rows.len().max(found.len())).find(|&row| rows.get(row) != found.get(row));
                let at = differs.unwrap_or_default();
                let (wanted, got) = (rows.get(at), found.get(at));
                wrong.push(format!("{file}: {what}: row {at} of {}:\n    {got:?}\n    {wanted:?}", rows.len()));
            }
            other => wrong.push(format!("{file}: {what}: {other:?}")),
        }
        match answer(session, &format!("SELECT count(*) FROM {source}")) {
            Answer::Rows(_, found) if found == [[rows.len().to_string()]] => {}
            other => wrong.push(format!("{file}: {what}: {} rows, but {other:?}", rows.len())),
        }
    }
}

#[test]
fn files_of_other_writers() {
    let files = files();
    assert!(files.len() > 80, "only {} files", files.len());
    let mut wrong: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for way in WAYS {
        let session = way.session();
        for (file, path, expected) in &files {
            let mut found = Vec::new();
            check(&session, file, path, expected, &mut found);
            found.into_iter().for_each(|message| wrong.entry(message).or_default().push(way.name));
        }
    }
    let shown: Vec<String> =
        wrong.iter().map(|(message, ways)| format!("{message}\n    [{}]", ways.join(", "))).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

/// What is listed as refused is in some file.
#[test]
fn no_refusal_is_stale() {
    let files = files();
    for (of, column, _) in REFUSED {
        let has = |(file, _, expected): &(String, PathBuf, String)| {
            file.starts_with(of) && names(expected.lines().next().unwrap_or_default()).iter().any(|name| name == column)
        };
        assert!(files.iter().any(has), "{of} has no column {column}");
    }
}
