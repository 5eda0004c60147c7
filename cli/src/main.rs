//! The `multiloop` program: an SQL shell, scripts, a server, and TPC-H.

mod display;
mod failure;
mod progress;
mod role;
mod serve;
mod shell;
mod tpch;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use display::{Format, Style};
use multiloop::{Engine, Session};
use progress::Bar;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
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
    /// Run these statements and leave; may be given several times, and with files, which run in the order given
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    commands: Vec<String>,
    /// Run the statements of a file and leave; may be given several times
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to print for NULL in a table
    #[arg(long, value_name = "TEXT", default_value = "NULL")]
    null: String,
    /// How to print rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// Memory that tables and statements may take, in MiB; the default is four fifths of the machine's
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve PostgreSQL's clients
    // It has many options, and stands beside small ones.
    Serve(Box<serve::ServeArguments>),
    /// Make a role that may enter a server, or change its password
    Role(role::RoleArguments),
    /// Run the TPC-H benchmark
    Tpch(tpch::TpchArguments),
}

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let order = |name: &str| matches.indices_of(name).into_iter().flatten().collect::<Vec<_>>();
    let (commands, files) = (order("commands"), order("files"));
    match multiloop::with_deep_stack(|| run(&arguments, (&commands, &files))) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what the arguments say; also given is where among them the commands and the files stand.
fn run(arguments: &Arguments, places: (&[usize], &[usize])) -> Result<ExitCode> {
    match &arguments.command {
        Some(Command::Serve(arguments)) => serve::serve(arguments).map(|()| ExitCode::SUCCESS),
        Some(Command::Role(arguments)) => role::role(arguments).map(|()| ExitCode::SUCCESS),
        Some(Command::Tpch(arguments)) => tpch::tpch(arguments).map(|()| ExitCode::SUCCESS),
        None => sql(&arguments.sql, places),
    }
}

/// What runs without a terminal.
enum Script<'a> {
    Text(&'a str),
    File(&'a Path),
}

impl Script<'_> {
    fn text(&self) -> Result<String> {
        match self {
            Script::Text(text) => Ok((*text).to_owned()),
            Script::File(file) => std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display())),
        }
    }
}

/// Commands and files in the order in which they were given.
fn scripts<'a>(arguments: &'a SqlArguments, (commands, files): (&[usize], &[usize])) -> Vec<Script<'a>> {
    let texts = commands.iter().zip(arguments.commands.iter().map(|text| Script::Text(text)));
    let mut scripts: Vec<(&usize, Script)> = texts.collect();
    scripts.extend(files.iter().zip(arguments.files.iter().map(|file| Script::File(file))));
    scripts.sort_by_key(|(place, _)| **place);
    scripts.into_iter().map(|(_, script)| script).collect()
}

fn sql(arguments: &SqlArguments, places: (&[usize], &[usize])) -> Result<ExitCode> {
    let mut builder = Engine::builder();
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(mebibytes) = arguments.memory_limit {
        builder = builder.memory_limit(mebibytes.saturating_mul(1 << 20));
    }
    let mut session = builder.build()?.session();
    let bar = Bar::show_on_terminals(&mut session);
    let style = Style { format: arguments.format, null: arguments.null.clone() };
    let scripts = scripts(arguments, places);
    if scripts.is_empty() {
        if std::io::stdin().is_terminal() {
            return shell::run(&session, bar, style).map(|()| ExitCode::SUCCESS);
        }
        let mut script = String::new();
        std::io::stdin().read_to_string(&mut script).context("reading standard input")?;
        return Ok(exit_code(run_script(&session, &bar, &script, &style)));
    }
    // A file is read when its turn comes: what stands before it may write it.
    for script in scripts {
        if !run_script(&session, &bar, &script.text()?, &style) {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn exit_code(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a script and prints the result of each statement; false if one failed.
fn run_script(session: &Session, bar: &Bar, script: &str, style: &Style) -> bool {
    let outcome = session.sql_each(script, &mut |result| {
        bar.clear();
        display::print(result, style)
    });
    bar.clear();
    if let Err(error) = outcome {
        eprint!("{}", failure::text(&error, script));
        return false;
    }
    true
}
