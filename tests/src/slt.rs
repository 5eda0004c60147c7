//! SQL logic tests: every file of `tests/slt/`, asked of whatever answers SQL.

use crate::rows::Answer;
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use std::fmt;
use std::path::{Path, PathBuf};

/// Something that answers statements.
struct Database<A>(A);

/// An error as the files match it: `SQLSTATE message`.
#[derive(Debug)]
pub struct Failure {
    state: String,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.state, self.message)
    }
}

impl std::error::Error for Failure {}

impl<A: FnMut(&str) -> Answer + Send> DB for Database<A> {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        output(self.0(sql))
    }

    fn error_sql_state(failure: &Failure) -> Option<String> {
        Some(failure.state())
    }
}

impl Failure {
    /// The SQLSTATE.
    pub fn state(&self) -> String {
        self.state.clone()
    }
}

/// An answer as the files have it.
pub fn output(answer: Answer) -> Result<DBOutput<DefaultColumnType>, Failure> {
    match answer {
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

/// The folder of the SQL logic tests.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("slt")
}

/// The files, in the order of their names; where `SLT` names some, with commas between, these alone.
pub fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder of SQL logic tests is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "slt"));
    if let Some(only) = std::env::var_os("SLT") {
        files.retain(|file| {
            file.file_stem().is_some_and(|stem| only.to_string_lossy().split(',').any(|name| stem == name))
        });
    }
    files.sort();
    assert!(!files.is_empty(), "there are SQL logic tests");
    files
}

/// Runs every file, with the cases that are for this `label` only. `start` makes an empty database for each, and what it gives
/// makes the sessions that the file asks for.
///
/// # Panics
/// If some cases fail; it says which, and how.
pub fn check<A, C>(name: &str, label: &str, start: impl Fn() -> C)
where
    A: FnMut(&str) -> Answer + Send,
    C: Fn() -> A,
{
    let mut failures = Vec::new();
    for file in files() {
        let connect = start();
        let mut runner = Runner::new(|| async { Ok(Database(connect())) });
        runner.add_label(label);
        let records = sqllogictest::parse_file::<DefaultColumnType>(&file).expect("the file is one of SQL logic tests");
        for record in records {
            if let Err(error) = runner.run(record) {
                failures.push(error.display(false).to_string());
            }
        }
    }
    assert!(failures.is_empty(), "{name}:\n{}", failures.join("\n"));
}
