//! A peer's process: a line of JSON in, a line of JSON out, within a time limit.

use super::scripts::{Choice, Scratch};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a peer may take to leave before it is killed.
const LEAVING: Duration = Duration::from_secs(10);

/// A running peer.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    replies: Receiver<String>,
    log: PathBuf,
}

impl Process {
    /// Starts an engine; it runs and keeps its files in a folder of its own below the scratch folder.
    pub(super) fn start(python: &Path, choice: &Choice, threads: usize, scratch: &Scratch) -> Result<Process, String> {
        let Choice { engine, name, program } = choice;
        // A program's file may be called as anything else in the scratch folder.
        let folder = scratch.folder(&format!("{name}.files")).map_err(|error| error.to_string())?;
        let log = scratch.path().join(format!("{name}.log"));
        let errors = File::create(&log).map_err(|error| format!("creating {}: {error}", log.display()))?;
        let mut child = Command::new(python)
            .arg(scratch.script())
            .arg(engine)
            .arg(threads.to_string())
            .args(program)
            .current_dir(&folder)
            .env("TMPDIR", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("starting {}: {error}", python.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("the peer has no output")?;
        let (sender, replies) = channel();
        // A pipe cannot be read with a time limit, a channel can. The thread ends with the peer's output.
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Process { child, input, replies, log })
    }

    /// Sends a request and waits for its reply. The process is gone after some errors: [`Process::is_running`] knows.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, request: &Value, limit: Duration) -> Result<T, String> {
        let sent = self.input.as_mut().map(|input| writeln!(input, "{request}").and_then(|()| input.flush()));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.gone());
        }
        match self.replies.recv_timeout(limit) {
            Ok(line) => read(&line),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                Err(format!("timeout: no result within {} s", limit.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Whether it can be asked again.
    pub(super) fn is_running(&mut self) -> bool {
        self.input.is_some() && matches!(self.child.try_wait(), Ok(None))
    }

    /// Why it no longer answers: how it ended, and the last thing it said.
    fn gone(&mut self) -> String {
        self.input = None;
        let status = self.wait(LEAVING).map_or_else(|| "without a status".to_owned(), |status| status.to_string());
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        format!("the process ended ({status}): {last}")
    }

    fn wait(&mut self, limit: Duration) -> Option<std::process::ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }

    fn kill(&mut self) {
        self.input = None;
        // It may have ended by itself in the meantime.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None; // The end of its input tells a peer to leave.
        if self.wait(LEAVING).is_none() {
            self.kill();
        }
    }
}

/// Reads a reply; an error is what the peer reports as one, or why it cannot be read.
pub(super) fn read<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    #[derive(Deserialize)]
    struct Failure {
        error: String,
    }
    if let Ok(Failure { error }) = serde_json::from_str(line) {
        return Err(error);
    }
    serde_json::from_str(line).map_err(|error| format!("unreadable reply: {error}"))
}
