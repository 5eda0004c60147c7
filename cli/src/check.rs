//! `multiloop check`: whether the files of a database are what was written.

use anyhow::Result;
use clap::Args;
use multiloop::Engine;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The folder, which no process may have open
    data: PathBuf,
}

/// Reads all files, and says what is in them. Fails if one is damaged or missing.
pub(crate) fn check(arguments: &CheckArguments) -> Result<ExitCode> {
    let found = Engine::check(&arguments.data)?;
    for fault in &found.faults {
        say!("{fault}");
    }
    let (objects, files, commits) = (found.objects, found.files, found.commits);
    let mebibytes = found.bytes.div_ceil(1 << 20);
    say!("{objects} objects, {files} files of rows ({mebibytes} MiB), {commits} commits since the last checkpoint");
    Ok(if found.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
