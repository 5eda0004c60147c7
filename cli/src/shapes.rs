//! `multiloop shapes`: this program beside DuckDB on queries that nobody has tuned for, by `tpch/peers/shapes.py`.

use crate::tpch::{peers_python, remove_when_interrupted};
use anyhow::{Context as _, Result};
use clap::Args;
use multiloop_tpch::compare::Scratch;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Runs a shop's questions, and for each technique the query that it could hurt, here and in DuckDB.
///
/// Needs Python 3 with duckdb and pyarrow. Exits with 1 if an answer is wrong or missing, with 2 if there is nothing to run on;
/// a query that DuckDB is faster on is only marked.
#[derive(Args, Debug)]
pub(crate) struct ShapesArguments {
    /// Python 3 with duckdb and pyarrow; the default is MULTILOOP_PEERS_PYTHON of the environment, then python3
    #[arg(long, value_name = "PATH")]
    peers_python: Option<PathBuf>,
    /// Threads of each engine
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Timed runs a query, after one that is not timed
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Queries to run, by name, as in cohorts,top-*; decisions, everyday and techniques are all of a kind
    #[arg(long, value_name = "NAMES")]
    queries: Option<String>,
    /// How much data: 1 is three million facts
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Where to put the data, and keep it; the default is a folder that goes
    #[arg(long, value_name = "DIR", conflicts_with = "data")]
    work: Option<PathBuf>,
    /// A folder in which --work has kept the data
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Another build of this program, to run in turns with it
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// Write the figures here, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs it; the exit code is the script's.
pub(crate) fn shapes(arguments: &ShapesArguments) -> Result<ExitCode> {
    let python = peers_python(arguments.peers_python.clone())?;
    let program = std::env::current_exe().context("finding this program")?;
    let scratch = Scratch::new()?;
    remove_when_interrupted(scratch.path())?;
    let status = Command::new(&python)
        .arg(scratch.shapes())
        .arg("--program")
        .arg(program)
        .args(options(arguments))
        // What the script makes and does not keep goes with the scratch folder, however the script ends.
        .env("TMPDIR", scratch.path())
        .status()
        .with_context(|| format!("starting {} (--peers-python PATH names another)", python.display()))?;
    // A script that a signal has ended has no code.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The script's options. Values stand behind `=`: one that begins with a hyphen is not taken for an option.
fn options(arguments: &ShapesArguments) -> Vec<OsString> {
    let option = |name: &str, value: OsString| {
        let mut text = OsString::from(format!("--{name}="));
        text.push(value);
        text
    };
    let mut options = vec![
        option("threads", arguments.threads.to_string().into()),
        option("runs", arguments.runs.to_string().into()),
        option("scale", arguments.scale.to_string().into()),
    ];
    options.extend(arguments.queries.as_ref().map(|names| option("queries", names.into())));
    let paths =
        [("work", &arguments.work), ("data", &arguments.data), ("old", &arguments.old), ("json", &arguments.json)];
    options.extend(paths.into_iter().filter_map(|(name, path)| Some(option(name, path.as_ref()?.into()))));
    options
}
