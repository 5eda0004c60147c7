//! SQL logic tests: every file of `tests/slt/` runs in every way, each against an engine of its own; and once with each query
//! planned without each rule, too (`rules_off`).

mod rules_off;

use multiloop::Session;
use multiloop_tests::{Answer, WAYS, Way, answer};
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use std::fmt;
use std::path::{Path, PathBuf};

struct Database(Session);

/// An error as the files match it: `SQLSTATE message`.
#[derive(Debug)]
struct Failure {
    state: String,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.state, self.message)
    }
}

impl std::error::Error for Failure {}

impl DB for Database {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        match answer(&self.0, sql) {
            Answer::Error(state, message) => Err(Failure { state, message }),
            Answer::Done(tag) => {
                let count = tag.rsplit(' ').next().and_then(|last| last.parse().ok()).unwrap_or(0);
                Ok(DBOutput::StatementComplete(count))
            }
            Answer::Rows(types, rows) => {
                // An empty cell would vanish in the files' format.
                let show = |cell: String| if cell.is_empty() { "(empty)".to_owned() } else { cell };
                let rows = rows.into_iter().map(|row| row.into_iter().map(show).collect()).collect();
                Ok(DBOutput::Rows { types: vec![DefaultColumnType::Any; types.len()], rows })
            }
        }
    }

    fn error_sql_state(failure: &Failure) -> Option<String> {
        Some(failure.state.clone())
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("slt");
    let entries = std::fs::read_dir(folder).expect("the folder of SQL logic tests is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "slt"));
    files.sort();
    assert!(!files.is_empty(), "there are SQL logic tests");
    files
}

fn check(way: Way) {
    let mut failures = Vec::new();
    for file in files() {
        let mut runner = Runner::new(|| async { Ok(Database(way.session())) });
        let records = sqllogictest::parse_file::<DefaultColumnType>(&file).expect("the file is one of SQL logic tests");
        for record in records {
            if let Err(error) = runner.run(record) {
                failures.push(error.display(false).to_string());
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", way.name, failures.join("\n"));
}

#[test]
fn on_the_interpreter() {
    check(WAYS[0]);
}

#[test]
fn on_the_interpreter_without_rules() {
    check(WAYS[1]);
}

#[test]
fn on_the_cpu() {
    check(WAYS[2]);
}

#[test]
fn on_the_cpu_without_rules() {
    check(WAYS[3]);
}
