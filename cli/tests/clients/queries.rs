//! TPC-H's queries as files for the clients, each with the rows that the program's shell prints for it:
//!
//! | file | what |
//! |---|---|
//! | `q01.sql` | the text |
//! | `q01.parameters.sql` | the text with `$1`, `$2`, … in place of its strings |
//! | `q01.parameters` | these strings, a line each |
//! | `q01.rows` | the rows, a line each, values between tabs |

use crate::SCALE_FACTOR;
use crate::program::PATH;
use multiloop::Engine;
use multiloop_tpch::{TABLES, generate, query};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// How many queries there are.
pub(crate) const COUNT: usize = 22;

/// What the shell prints between two queries.
const END: &str = "end of query";

/// The folder of the files; made by whoever asks first.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients-tpch");
        write(&folder);
        folder
    })
}

/// The path of a query's file.
pub(crate) fn file(number: usize, ending: &str) -> PathBuf {
    folder().join(format!("q{number:02}.{ending}"))
}

fn write(folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder for the queries");
    let put = |name: String, text: &str| std::fs::write(folder.join(name), text).expect("a file can be written");
    for number in 1..=COUNT {
        let text = query(number, SCALE_FACTOR);
        let (with_parameters, parameters) = parametrised(&text);
        put(format!("q{number:02}.sql"), &text);
        put(format!("q{number:02}.parameters.sql"), &with_parameters);
        put(format!("q{number:02}.parameters"), &parameters.concat());
    }
    let printed = shell(folder);
    let results: Vec<&str> = printed.split_inclusive(&format!("{END}\n{END}\n")).collect();
    assert_eq!(results.len(), COUNT, "{printed}");
    for (index, result) in results.iter().enumerate() {
        let lines = result.lines().skip(1).take_while(|line| *line != END);
        let rows: String = lines.map(|line| cells(line).join("\t") + "\n").collect();
        put(format!("q{:02}.rows", index + 1), &rows);
    }
}

/// What the shell prints as CSV for all queries, over tables that it reads from files.
fn shell(folder: &Path) -> String {
    let session = Engine::builder().threads(2).build().expect("an engine starts").session();
    generate(&session, SCALE_FACTOR, 2, &|_, _| {}).expect("the tables are made");
    let mut command = Command::new(PATH);
    command.args(["--threads", "2", "--format", "csv"]);
    for table in TABLES {
        let file = folder.join(format!("{table}.parquet"));
        let file = file.to_string_lossy().replace('\'', "''");
        let written = session.sql(&format!("COPY {table} TO '{file}'")).and_then(|result| result.collect_batches());
        written.expect("a table is written");
        command.arg("-c").arg(format!("CREATE TABLE {table} AS SELECT * FROM '{file}'"));
    }
    for number in 1..=COUNT {
        command.arg("-f").arg(folder.join(format!("q{number:02}.sql")));
        command.args(["-c", &format!("SELECT '{END}' AS \"{END}\"")]);
    }
    let output = command.output().expect("the shell runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the shell prints UTF-8")
}

/// The cells of a line of CSV. No value of these queries has a line's end.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            // A doubled quote ends and begins quotes: its second half stands for it.
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("there is always a cell").push(character),
        }
    }
    assert!(!line.contains("\"\"") && !quoted, "quotes in values would be lost: {line}");
    cells
}

/// A text whose strings are parameters, and these, a line each. What stands behind `date` and `interval` is part of a
/// literal and stays.
fn parametrised(text: &str) -> (String, Vec<String>) {
    let mut sql = String::new();
    let mut parameters = Vec::new();
    for (index, part) in text.split('\'').enumerate() {
        if index % 2 == 0 {
            sql.push_str(part);
            continue;
        }
        if sql.trim_end().ends_with("date") || sql.trim_end().ends_with("interval") {
            sql.push_str(&format!("'{part}'"));
        } else {
            parameters.push(format!("{part}\n"));
            sql.push_str(&format!("${}", parameters.len()));
        }
    }
    (sql, parameters)
}
