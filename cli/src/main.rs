//! The `multiloop` program: an SQL shell, scripts, and TPC-H.

mod display;
mod failure;
mod progress;
mod shell;
mod tpch;

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use display::Format;
use multiloop::{Engine, Session};
use progress::Bar;
use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An in-memory analytics engine: SQL over Parquet, CSV and Arrow.
///
/// Without a command it is an SQL shell. `SELECT … FROM 'file.parquet'` reads files where they are.
#[derive(Parser, Debug)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    sql: SqlArguments,
}

#[derive(Args, Debug)]
struct SqlArguments {
    /// Run these statements and leave; may be given several times
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    commands: Vec<String>,
    /// Run the statements of a file and leave; may be given several times
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// Memory that tables and statements may take, in MiB; the default is no limit
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run the TPC-H benchmark
    Tpch(tpch::TpchArguments),
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Some(Command::Tpch(arguments)) => tpch::tpch(arguments).map(|()| ExitCode::SUCCESS),
        None => sql(&arguments.sql),
    }
}

fn sql(arguments: &SqlArguments) -> Result<ExitCode> {
    let mut builder = Engine::builder();
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(mebibytes) = arguments.memory_limit {
        builder = builder.memory_limit(mebibytes.saturating_mul(1 << 20));
    }
    let mut session = builder.build()?.session();
    let bar = Bar::show_on_terminals(&mut session);
    let mut scripts = arguments.commands.clone();
    for file in &arguments.files {
        scripts.push(std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?);
    }
    if scripts.is_empty() {
        if std::io::stdin().is_terminal() {
            return shell::run(&session, bar, arguments.format).map(|()| ExitCode::SUCCESS);
        }
        let mut script = String::new();
        std::io::stdin().read_to_string(&mut script).context("reading standard input")?;
        scripts.push(script);
    }
    Ok(if scripts.iter().all(|script| run_script(&session, &bar, script, arguments.format)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs a script and prints the result of each statement; false if one failed.
fn run_script(session: &Session, bar: &Bar, script: &str, format: Format) -> bool {
    let outcome = session.sql_each(script, &mut |result| {
        bar.clear();
        display::print(result, format)
    });
    bar.clear();
    if let Err(error) = outcome {
        eprint!("{}", failure::text(&error, script));
        return false;
    }
    true
}
