//! Multiloop against PostgreSQL: the statements of `tests/differential/` run on both; rows, or SQLSTATEs, must agree.
//!
//! `tests/postgres.sh` starts a server and sets MULTILOOP_POSTGRES; without it there is nothing to compare with,
//! and the suite says so. A file is statements, each ended by a semicolon at the end of a line; a comment line
//! `-- differs: reason` before a statement says that the answers are known to differ and leaves it out.

use multiloop_tests::{Answer, WAYS, answer};
use std::path::Path;
use std::process::Command;

/// How `psql` shows NULL and separates cells: characters that no test uses.
const NULL: &str = "\u{1}";
const SEPARATOR: &str = "\u{2}";
const ROW_END: &str = "\u{3}";

/// Numbers agree when they differ by less than this, relatively: PostgreSQL chooses other scales for quotients.
const TOLERANCE: f64 = 1e-9;

fn postgres(connection: &str, sql: &str) -> Answer {
    let output = Command::new("psql")
        .args([connection, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"])
        .args(["-P", &format!("null={NULL}"), "-F", SEPARATOR, "-R", ROW_END, "-c", sql])
        .output()
        .expect("psql is installed where a PostgreSQL runs");
    let error = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let line = error.lines().find(|line| line.starts_with("ERROR:")).unwrap_or(&error);
        let mut parts = line.splitn(3, ':').map(str::trim);
        let (_, state, message) = (parts.next(), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        return Answer::Error(state.to_owned(), message.to_owned());
    }
    let text = String::from_utf8(output.stdout).expect("psql prints UTF-8");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if text.is_empty() {
        return Answer::Rows(Vec::new(), Vec::new());
    }
    let cell = |cell: &str| if cell == NULL { "NULL".to_owned() } else { cell.to_owned() };
    let rows = text.split(ROW_END).map(|row| row.split(SEPARATOR).map(cell).collect()).collect();
    Answer::Rows(Vec::new(), rows)
}

fn same_cell(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    match (ours.parse::<f64>(), theirs.parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
        _ => false,
    }
}

/// None if the answers agree, else how they differ.
fn difference(ordered: bool, ours: Answer, theirs: Answer) -> Option<String> {
    let agree = match (&ours, &theirs) {
        (Answer::Error(a, _), Answer::Error(b, _)) => a == b,
        (Answer::Done(_), Answer::Rows(_, rows)) => rows.is_empty(),
        (Answer::Rows(_, a), Answer::Rows(_, b)) => {
            let (mut a, mut b) = (a.clone(), b.clone());
            if !ordered {
                // Rows that differ only in the scale of a number must sort alike.
                let key = |row: &Vec<String>| -> Vec<String> {
                    row.iter()
                        .map(|cell| cell.parse::<f64>().map_or(cell.clone(), |number| format!("{number:.6e}")))
                        .collect()
                };
                a.sort_by_key(key);
                b.sort_by_key(key);
            }
            a.len() == b.len()
                && a.iter().zip(&b).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_cell(a, b)))
        }
        _ => false,
    };
    (!agree).then(|| format!("  ours:   {}\n  theirs: {}", show(&ours), show(&theirs)))
}

fn show(answer: &Answer) -> String {
    match answer {
        Answer::Rows(_, rows) => rows.iter().map(|row| row.join("|")).collect::<Vec<_>>().join(" / "),
        Answer::Done(tag) => format!("done: {tag}"),
        Answer::Error(state, message) => format!("ERROR {state}: {message}"),
    }
}

/// The statements of a file that are to be compared.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut statement, mut differs) = (String::new(), false);
    for line in text.lines() {
        if statement.is_empty() && line.starts_with("--") {
            differs |= line.starts_with("-- differs:");
            continue;
        }
        statement.push_str(line);
        statement.push('\n');
        if line.trim_end().ends_with(';') {
            let whole = std::mem::take(&mut statement);
            if !std::mem::take(&mut differs) {
                found.push(whole.trim().trim_end_matches(';').to_owned());
            }
        } else if statement.trim().is_empty() {
            statement.clear();
        }
    }
    assert!(statement.trim().is_empty(), "a statement lacks its semicolon: {statement}");
    found
}

#[test]
fn multiloop_agrees_with_postgres() {
    let Ok(connection) = std::env::var("MULTILOOP_POSTGRES") else {
        eprintln!("left out: MULTILOOP_POSTGRES is not set (tests/run.sh sets it)");
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("differential");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of differential tests is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    let mut differences = Vec::new();
    let mut compared = 0;
    for file in &files {
        let name = file.file_stem().expect("files have names").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).expect("tests are UTF-8");
        postgres(&connection, &format!("CREATE DATABASE \"{name}\""));
        let connection = connection.replace("dbname=postgres", &format!("dbname={name}"));
        let sessions: Vec<_> = WAYS.iter().map(|way| (way.name, way.session())).collect();
        for sql in statements(&text) {
            let theirs = postgres(&connection, &sql);
            compared += 1;
            let ordered = sql.to_lowercase().contains("order by");
            for (way, session) in &sessions {
                if let Some(how) = difference(ordered, answer(session, &sql), theirs.clone()) {
                    differences.push(format!("{name}, {way}: {sql}\n{how}"));
                    break;
                }
            }
        }
    }
    assert!(compared > 0, "there are statements to compare");
    let count = differences.len();
    assert!(count == 0, "{count} of {compared} statements differ:\n{}", differences.join("\n"));
}
