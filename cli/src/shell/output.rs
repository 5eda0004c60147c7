//! Where results go beside the terminal: a file, or a command's standard input.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// A place for results.
pub(super) enum Target {
    File(BufWriter<File>),
    Command(Child, BufWriter<ChildStdin>),
}

impl Target {
    /// `|command` or a file, which is replaced.
    pub(super) fn open(text: &str) -> Result<Self, String> {
        if let Some(command) = text.strip_prefix('|') {
            let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", command.trim());
            let spawned = Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).spawn();
            let mut child = spawned.map_err(|error| failed(&error))?;
            let input = child.stdin.take().ok_or_else(|| failed(&"it reads nothing"))?;
            return Ok(Target::Command(child, BufWriter::new(input)));
        }
        let path = super::expanded_path(text);
        Target::file(&path)
    }

    pub(super) fn file(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Target::File(BufWriter::new(file)))
    }

    /// Writes what is left; waits for a command to end.
    pub(super) fn close(self) -> Result<(), String> {
        match self {
            Target::File(mut file) => file.flush().map_err(|error| format!("writing the result: {error}")),
            Target::Command(mut child, mut input) => {
                // Who has seen enough reads no more.
                let _ = input.flush();
                drop(input);
                child.wait().map(drop).map_err(|error| error.to_string())
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Command(_, input) => input.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Command(_, input) => input.flush(),
        }
    }
}
