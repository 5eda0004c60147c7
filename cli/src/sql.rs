//! What runs without a command: the shell, or the statements and scripts of the arguments, or of standard input.

use crate::card::{DEFAULT, device};
use crate::data::DataArguments;
use crate::display::{Expanded, Format, Style};
use crate::progress::Bar;
use crate::shell::{self, Flow, Shell, Source};
use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use multiloop::{DeviceUse, Engine, Session};
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the program ends with when an error has stopped a script, as psql does.
const SCRIPT_FAILED: u8 = 3;

#[derive(Args, Debug)]
pub(crate) struct SqlArguments {
    /// Files, patterns and folders that become views named after them
    #[arg(value_name = "FILES")]
    inputs: Vec<String>,
    /// Run these statements or commands and leave; may be given several times, and with files, which run in the order given
    #[arg(short = 'c', long = "command", value_name = "SQL")]
    commands: Vec<String>,
    /// Run the statements of a file and leave; may be given several times; `-` is standard input
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to print for NULL; the default is NULL in tables, and nothing in what programs read
    #[arg(long, value_name = "TEXT")]
    null: Option<String>,
    /// How to print rows
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The same as --format csv
    #[arg(long)]
    csv: bool,
    /// The same as --format unaligned
    #[arg(short = 'A', long = "no-align")]
    unaligned: bool,
    /// The same as --format html
    #[arg(short = 'H', long)]
    html: bool,
    /// Rows alone, without names and counts
    #[arg(short = 't', long)]
    tuples_only: bool,
    /// Each value in a line of its own
    #[arg(short = 'x', long)]
    expanded: bool,
    /// Print results alone: no tags, no greeting
    #[arg(short = 'q', long)]
    quiet: bool,
    /// What stands between unaligned values
    #[arg(short = 'F', long, value_name = "TEXT")]
    field_separator: Option<String>,
    /// What stands behind unaligned rows
    #[arg(short = 'R', long, value_name = "TEXT")]
    record_separator: Option<String>,
    /// Set an option of how results are printed, as \pset does; may be given several times
    #[arg(short = 'P', long = "pset", value_name = "OPTION[=VALUE]")]
    options: Vec<String>,
    /// Set a variable, as \set does; may be given several times
    #[arg(short = 'v', long = "set", visible_alias = "variable", value_name = "NAME=VALUE")]
    variables: Vec<String>,
    /// Results go to a file, or with | at the start to a command
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<String>,
    /// Print statements before they run
    #[arg(short = 'e', long)]
    echo_queries: bool,
    /// Print the time that statements take
    #[arg(long)]
    timing: bool,
    /// Do not run ~/.multilooprc when the shell starts
    #[arg(short = 'X', long = "no-init", visible_alias = "no-psqlrc")]
    no_init: bool,
    /// Run the statements and files as one transaction
    #[arg(short = '1', long)]
    single_transaction: bool,
    #[command(flatten)]
    kept: DataArguments,
    /// Worker threads; the default is one a core
    #[arg(long)]
    threads: Option<usize>,
    /// What statements run on: the processors or a card, whichever is better (auto), the processors alone (cpu), or cards (gpu)
    #[arg(long, value_name = "DEVICE", value_parser = device, default_value = DEFAULT)]
    device: DeviceUse,
    /// Memory that tables and statements may take, in MiB; the default is four fifths of the machine's
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
}

/// What runs without a terminal.
enum Script<'a> {
    Text(&'a str),
    File(&'a Path),
}

/// Commands and files in the order in which they were given.
fn scripts<'a>(arguments: &'a SqlArguments, (commands, files): (&[usize], &[usize])) -> Vec<Script<'a>> {
    let texts = commands.iter().zip(arguments.commands.iter().map(|text| Script::Text(text)));
    let mut scripts: Vec<(&usize, Script)> = texts.collect();
    scripts.extend(files.iter().zip(arguments.files.iter().map(|file| Script::File(file))));
    scripts.sort_by_key(|(place, _)| **place);
    scripts.into_iter().map(|(_, script)| script).collect()
}

/// Runs what the arguments say; also given is where among them the commands and the files stand.
pub(crate) fn sql(arguments: &SqlArguments, places: (&[usize], &[usize])) -> Result<ExitCode> {
    let mut builder = Engine::builder().device(arguments.device);
    if let Some(threads) = arguments.threads {
        builder = builder.threads(threads);
    }
    if let Some(mebibytes) = arguments.memory_limit {
        builder = builder.memory_limit(mebibytes.saturating_mul(1 << 20));
    }
    let mut session = arguments.kept.open(builder)?.session();
    let bar = Bar::show_on_terminals(&mut session);
    let scripts = scripts(arguments, places);
    let is_interactive = scripts.is_empty() && std::io::stdin().is_terminal();
    let mut shell = shell_of(arguments, &session, bar, is_interactive)?;
    let views = shell::open_files(&session, &arguments.inputs);
    if is_interactive {
        if !arguments.quiet {
            views.iter().for_each(|view| say!("{view}"));
        }
        shell::run(&mut shell, !arguments.no_init)?;
        shell.close();
        return Ok(ExitCode::SUCCESS);
    }
    if views.is_empty() && !arguments.inputs.is_empty() {
        // None of the files could be read: what is asked is asked of them.
        return Ok(ExitCode::FAILURE);
    }
    shell.begin_scripts()?;
    let code = run_scripts(&mut shell, arguments, &scripts)?;
    shell.close();
    Ok(code)
}

/// The shell as the arguments have it.
fn shell_of<'a>(arguments: &SqlArguments, session: &'a Session, bar: Bar, is_interactive: bool) -> Result<Shell<'a>> {
    let format = match arguments {
        SqlArguments { csv: true, .. } => Format::Csv,
        SqlArguments { unaligned: true, .. } => Format::Unaligned,
        SqlArguments { html: true, .. } => Format::Html,
        _ => arguments.format,
    };
    let mut style =
        Style { format, null: arguments.null.clone(), tuples_only: arguments.tuples_only, ..Style::default() };
    if arguments.expanded {
        style.expanded = Expanded::On;
    }
    if let Some(text) = &arguments.field_separator {
        style.field_separator.clone_from(text);
    }
    if let Some(text) = &arguments.record_separator {
        style.record_separator.clone_from(text);
    }
    let mut shell = Shell::new(session, bar, style);
    shell.timing = is_interactive || arguments.timing;
    if !is_interactive {
        // A script that goes on behind an error does what nobody has meant.
        shell.set_variable("ON_ERROR_STOP", "on");
    }
    if arguments.quiet {
        shell.set_variable("QUIET", "on");
    }
    if arguments.echo_queries {
        shell.set_variable("ECHO", "queries");
    }
    for variable in &arguments.variables {
        let (name, value) = variable.split_once('=').unwrap_or((variable, "on"));
        shell.set_variable(name, value);
    }
    shell.set_up(&arguments.options, arguments.output.as_deref()).map_err(|message| anyhow!(message))?;
    Ok(shell)
}

/// Runs scripts, or standard input where there are none. What the program ends with is psql's: 1 for an argument that failed,
/// 3 for a script that an error has stopped.
fn run_scripts(shell: &mut Shell<'_>, arguments: &SqlArguments, scripts: &[Script<'_>]) -> Result<ExitCode> {
    if arguments.single_transaction {
        shell.run_quietly("BEGIN");
    }
    let code = match scripts {
        [] => {
            let mut script = String::new();
            std::io::stdin().read_to_string(&mut script).context("reading standard input")?;
            let flow = shell.feed(&mut Source::script(&script, Path::new("<stdin>")));
            if flow == Flow::Failed && shell.stops_at_errors() { SCRIPT_FAILED } else { 0 }
        }
        scripts => run_each(shell, scripts),
    };
    if arguments.single_transaction {
        let is_done = code == 0;
        let ended = shell.run_quietly(if is_done { "COMMIT" } else { "ROLLBACK" });
        if is_done && ended == Flow::Failed {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::from(code))
}

fn run_each(shell: &mut Shell<'_>, scripts: &[Script<'_>]) -> u8 {
    let mut code = 0;
    for script in scripts {
        // A file is read when its turn comes: what stands before it may write it.
        let (flow, failed) = match script {
            Script::Text(text) => (shell.feed(&mut Source::argument(text)), 1),
            Script::File(file) if !file.exists() && *file != Path::new("-") => {
                warn!("{}: there is no such file", file.display());
                return 1;
            }
            Script::File(file) => (shell.run_file(file), SCRIPT_FAILED),
        };
        match flow {
            Flow::Go | Flow::Quit => code = 0,
            Flow::Failed if shell.stops_at_errors() => return failed,
            // A script counts as done, whatever failed in it; an argument does not.
            Flow::Failed => code = if matches!(script, Script::Text(_)) { 1 } else { 0 },
        }
    }
    code
}
