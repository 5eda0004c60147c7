//! The pager: a program that shows what is longer or wider than the screen.
//!
//! A result is written into [`Paged`], which holds a screen of it. Only what does not fit starts the program, and then rows pass
//! through as they come: who leaves it early ends the statement.

use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use unicode_width::UnicodeWidthStr as _;

/// Lines of the screen that belong to the prompt.
const PROMPT_LINES: usize = 2;

/// Variables that name the program, the first that is set counts.
const VARIABLES: [&str; 3] = ["MULTILOOP_PAGER", "PSQL_PAGER", "PAGER"];

/// The command that shows long results; None if there is none.
pub(super) fn command() -> Option<String> {
    let named = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    match named {
        Some(command) if command.trim().is_empty() => None,
        Some(command) => Some(command),
        None => {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let is_there = std::env::split_paths(&folders).any(|folder| folder.join("less").is_file());
            is_there.then(|| "less".to_owned())
        }
    }
}

/// Standard output, which a pager shows when it gets too long.
pub(super) struct Paged {
    /// Columns and lines of the screen.
    screen: (usize, usize),
    command: String,
    held: Vec<u8>,
    /// Where the last line of what is held begins.
    line_start: usize,
    lines: usize,
    program: Option<(Child, BufWriter<ChildStdin>)>,
    /// The program could not be started.
    is_plain: bool,
}

impl Paged {
    pub(super) fn new(screen: (usize, usize), command: String) -> Self {
        let (held, line_start, lines) = (Vec::new(), 0, 0);
        Paged { screen, command, held, line_start, lines, program: None, is_plain: false }
    }

    /// Whether what is held does not fit the screen.
    fn is_too_long(&mut self) -> bool {
        let (columns, rows) = self.screen;
        while let Some(end) = self.held[self.line_start..].iter().position(|&byte| byte == b'\n') {
            let line = &self.held[self.line_start..self.line_start + end];
            if String::from_utf8_lossy(line).width() > columns {
                return true;
            }
            self.lines += 1;
            self.line_start += end + 1;
        }
        self.lines + PROMPT_LINES > rows || self.held.len() - self.line_start > 4 * columns
    }

    /// Starts the program.
    fn start(&mut self) -> io::Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            // Long lines are cut, not wrapped; the screen stays as it is afterwards.
            command.env("LESS", "-SRX");
        }
        let started = command.spawn().ok().and_then(|mut child| child.stdin.take().map(|input| (child, input)));
        let held = std::mem::take(&mut self.held);
        match started {
            Some((child, input)) => {
                let mut input = BufWriter::new(input);
                let written = input.write_all(&held);
                self.program = Some((child, input));
                written
            }
            None => {
                self.is_plain = true;
                io::stdout().write_all(&held)
            }
        }
    }

    /// Shows what is left, and waits until the reader has seen enough.
    pub(super) fn close(mut self) -> io::Result<()> {
        match self.program.take() {
            Some((mut child, mut input)) => {
                let _ = input.flush();
                drop(input);
                child.wait().map(drop)
            }
            None => {
                let mut out = io::stdout();
                out.write_all(&self.held)?;
                out.flush()
            }
        }
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some((_, input)) = &mut self.program {
            return input.write(bytes);
        }
        if self.is_plain {
            return io::stdout().write(bytes);
        }
        self.held.extend_from_slice(bytes);
        if self.is_too_long() {
            self.start()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.program {
            Some((_, input)) => input.flush(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Paged;
    use std::io::Write as _;

    #[test]
    fn what_fits_the_screen_needs_no_pager() {
        let paged = |text: &str| {
            let mut paged = Paged::new((10, 5), "cat > /dev/null".to_owned());
            paged.write_all(text.as_bytes()).expect("it is held");
            paged.program.is_some()
        };
        assert!(!paged("a\nb\nc\n"));
        assert!(paged("a\nb\nc\nd\n"), "too long");
        assert!(!paged("0123456789\n"));
        assert!(paged("0123456789a\n"), "too wide");
        assert!(paged("日本語日本語\n"), "too wide on the screen");
    }
}
