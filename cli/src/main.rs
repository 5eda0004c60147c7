//! The `multiloop` program: an SQL shell, scripts, a server, TPC-H, and applications.

#[macro_use]
mod say;

mod apps;
mod card;
mod check;
mod data;
mod display;
mod failure;
mod progress;
mod quote;
mod role;
mod serve;
mod shapes;
mod shell;
mod sql;
mod tpch;

use anyhow::Result;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An in-memory analytics engine: SQL over Parquet, CSV and Arrow.
///
/// Without a command it is an SQL shell; files that are named (`multiloop data/*.parquet`) are views in it. `SELECT … FROM
/// 'file.parquet'` reads files where they are.
#[derive(Parser, Debug)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    sql: sql::SqlArguments,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve PostgreSQL's clients
    // It has many options, and stands beside small ones.
    Serve(Box<serve::ServeArguments>),
    /// Make a role that may enter a server, or change its password
    Role(role::RoleArguments),
    /// Read all files of a folder that keeps data, and say whether they are what was written
    Check(check::CheckArguments),
    /// Say which cards there are that can run loops, and why others are not used
    Gpu(card::GpuArguments),
    /// Run the TPC-H benchmark
    Tpch(tpch::TpchArguments),
    /// Run queries of another kind beside DuckDB
    Shapes(shapes::ShapesArguments),
    /// Run applications (k-means, logistic regression, discriminant analysis) in typed LINQ beside loops by hand
    ///
    /// Without a name it says which there are. The queries are those of engine/examples. The loops, one from a textbook and one
    /// that is tuned, run on one thread, and are compiled as this program is: for any processor of the architecture, while the
    /// engine chooses its instructions when it runs. Exits with 1 if a query or the tuned loop ends with something else than the
    /// textbook loop.
    Apps(apps::AppsArguments),
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
        Some(Command::Check(arguments)) => check::check(arguments),
        Some(Command::Gpu(arguments)) => card::gpu(arguments).map(|()| ExitCode::SUCCESS),
        Some(Command::Tpch(arguments)) => tpch::tpch(arguments).map(|()| ExitCode::SUCCESS),
        Some(Command::Shapes(arguments)) => shapes::shapes(arguments),
        Some(Command::Apps(arguments)) => apps::apps(arguments).map(|()| ExitCode::SUCCESS),
        None => sql::sql(&arguments.sql, places),
    }
}
