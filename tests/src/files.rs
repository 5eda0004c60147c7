//! Files that may hold anything, read in every way: each statement ends soon, with rows or an error of the file, within the engine's
//! memory.

use crate::{Answer, answer};
use multiloop::{Engine, Session};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What an engine may use.
pub const MEMORY_BYTES: usize = 64 << 20;

/// How long a statement may take, in milliseconds.
const TIMEOUT: u32 = 20_000;

/// Endings of the formats.
const ENDINGS: [&str; 12] = [
    "parquet",
    "csv",
    "arrow",
    "avro",
    "json",
    "ndjson",
    "tsv",
    "arrows",
    "csv.gz",
    "json.zst",
    "csv.zst",
    "ndjson.gz",
];

/// An engine with little memory, and a session with a table `t` that files may be copied into.
///
/// # Panics
/// If it does not start.
pub fn start() -> (Engine, Session) {
    let engine = Engine::builder().threads(2).memory_limit(MEMORY_BYTES).build().expect("an engine starts");
    let session = engine.session();
    for statement in [
        &format!("SET statement_timeout = {TIMEOUT}"),
        "CREATE TABLE t (id bigint, word text, number double precision)",
    ] {
        session.sql(statement).expect("it is taken");
    }
    (engine, session)
}

/// Reads a file in every way; the first statement that should not have ended so, and how it ended.
///
/// # Errors
/// A statement that fails with a bug of ours (XX000), or takes too long.
pub fn read(session: &Session, path: &Path) -> Result<(), String> {
    let from = format!("'{}'", path.display());
    for statement in [
        format!("SELECT * FROM {from}"),
        format!("SELECT count(*) FROM {from}"),
        format!("CREATE TABLE made AS SELECT * FROM {from}"),
        "SELECT * FROM made".to_owned(),
        "DROP TABLE IF EXISTS made".to_owned(),
        format!("COPY t FROM {from}"),
    ] {
        let start = Instant::now();
        let outcome = answer(session, &statement);
        let late = start.elapsed() > Duration::from_millis(u64::from(TIMEOUT / 2));
        match outcome {
            Answer::Error(state, message) if state == "XX000" || state == "57014" => {
                return Err(format!("{statement}: {state} {message}"));
            }
            _ if late => return Err(format!("{statement} took {:?}", start.elapsed())),
            _ => {}
        }
    }
    Ok(())
}

/// A file that holds some bytes, of a format that the first of them tells.
///
/// # Panics
/// If a statement that reads it has a bug, takes too long, or more memory than there is.
pub fn read_any(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let name = format!("multiloop-any-{}.{}", std::process::id(), ENDINGS[usize::from(*first) % ENDINGS.len()]);
    let path: PathBuf = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).expect("it can be written");
    let (engine, session) = start();
    let outcome = read(&session, &path);
    let _ = std::fs::remove_file(&path);
    assert_eq!(outcome, Ok(()));
    assert!(engine.memory_used() <= MEMORY_BYTES);
}
