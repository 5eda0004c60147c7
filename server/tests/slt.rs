//! The SQL logic tests of the whole, over the wire: what a client is told is what an embedded session gives.

mod client;

use client::Running;
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner};
use std::fmt;
use std::path::Path;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A session over the wire, and what drives it.
struct Wire<'r>(Client, &'r Runtime);

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

impl DB for Wire<'_> {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let told = self.1.block_on(self.0.simple_query(sql)).map_err(|error| match error.as_db_error() {
            Some(told) => Failure { state: told.code().code().to_owned(), message: told.message().to_owned() },
            None => Failure { state: "08006".to_owned(), message: error.to_string() },
        })?;
        let mut columns = None;
        let (mut rows, mut count) = (Vec::new(), 0);
        for message in told {
            match message {
                SimpleQueryMessage::RowDescription(described) => columns = Some(described.len()),
                SimpleQueryMessage::Row(row) => {
                    let cell = |at| match row.get(at) {
                        None => "NULL".to_owned(),
                        // An empty cell would vanish in the files' format.
                        Some("") => "(empty)".to_owned(),
                        Some(value) => value.to_owned(),
                    };
                    rows.push((0..row.len()).map(cell).collect());
                }
                SimpleQueryMessage::CommandComplete(done) => count = done,
                _ => {}
            }
        }
        Ok(match columns {
            Some(columns) => DBOutput::Rows { types: vec![DefaultColumnType::Any; columns], rows },
            None => DBOutput::StatementComplete(count),
        })
    }

    fn error_sql_state(failure: &Failure) -> Option<String> {
        Some(failure.state.clone())
    }
}

fn connected<'r>(server: &Running, runtime: &'r Runtime) -> Wire<'r> {
    let mut config = tokio_postgres::Config::new();
    config.host(server.address.ip().to_string()).port(server.address.port()).user("u").dbname("d");
    let (client, connection) = runtime.block_on(config.connect(NoTls)).expect("it connects");
    runtime.spawn(connection);
    Wire(client, runtime)
}

#[test]
fn over_the_wire() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/slt");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime starts");
    let mut failures = Vec::new();
    let entries = std::fs::read_dir(&folder).expect("the folder of SQL logic tests is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "slt"));
    files.sort();
    assert!(!files.is_empty(), "there are SQL logic tests");
    // Files that cases name stand where the embedded suite runs.
    std::env::set_current_dir(folder.join("..")).expect("the folder of the tests is there");
    for file in files {
        let server = Running::start();
        let mut runner = Runner::new(|| async { Ok(connected(&server, &runtime)) });
        let records = sqllogictest::parse_file::<DefaultColumnType>(&file).expect("they are SQL logic tests");
        for record in records {
            if let Err(error) = runner.run(record) {
                failures.push(error.display(false).to_string());
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
