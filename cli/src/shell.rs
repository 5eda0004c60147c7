//! The interactive shell.

use crate::display::{self, Format, Style};
use crate::failure;
use crate::progress::Bar;
use anyhow::{Context as _, Result};
use multiloop::{Cancellation, ErrorKind, Session};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const HELP: &str = "\
Statements end with a semicolon and may span lines.
  \\d            tables and views
  \\d NAME       columns of a table or view
  \\timing       show or hide the time that statements take
  \\dt, \\dv      tables alone, views alone
  \\format F     print rows as table, csv or json
  \\null TEXT    what a table shows for NULL
  \\i FILE       run the statements of a file
  \\?            this help (also help)
  \\q            leave (also exit, quit, Ctrl-D)
Ctrl-C stops the statement that runs.
SELECT … FROM 'file.parquet' reads a file where it is; COPY writes one.";

/// What backslash commands change.
struct Shell<'a> {
    session: &'a Session,
    style: Style,
    timing: bool,
    interrupt: Interrupt,
    bar: Bar,
}

/// The statement that Ctrl-C stops; none while the terminal waits for a line, which takes the key itself.
#[derive(Clone, Default)]
struct Interrupt(Arc<Mutex<Option<Cancellation>>>);

impl Interrupt {
    /// Starts listening to Ctrl-C.
    fn listen() -> Result<Self> {
        let interrupt = Interrupt::default();
        let handler = interrupt.clone();
        ctrlc::set_handler(move || {
            if let Some(cancellation) = &*handler.0.lock().unwrap_or_else(PoisonError::into_inner) {
                cancellation.cancel();
            }
        })
        .context("listening to Ctrl-C")?;
        Ok(interrupt)
    }

    fn set(&self, cancellation: Option<Cancellation>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = cancellation;
    }
}

/// Reads statements from the terminal until the user leaves.
pub(crate) fn run(session: &Session, bar: Bar, style: Style) -> Result<()> {
    let mut editor = DefaultEditor::new()?;
    let history = history_file();
    if let Some(file) = &history {
        // There is none on the first start.
        let _ = editor.load_history(file);
    }
    println!("multiloop {} — \\? for help", env!("CARGO_PKG_VERSION"));
    let mut shell = Shell { session, style, timing: true, interrupt: Interrupt::listen()?, bar };
    let mut statement = String::new();
    loop {
        let prompt = if statement.is_empty() { "multiloop> " } else { "        -> " };
        match editor.readline(prompt) {
            Ok(line) => {
                if statement.is_empty()
                    && let Some(command) = command_of(&line)
                {
                    let _ = editor.add_history_entry(line.trim());
                    if !shell.command(command) {
                        break;
                    }
                    continue;
                }
                statement.push_str(&line);
                statement.push('\n');
                if ends_statement(&statement) {
                    let _ = editor.add_history_entry(statement.trim());
                    shell.run(&std::mem::take(&mut statement));
                } else if statement.trim().is_empty() {
                    statement.clear();
                }
            }
            Err(ReadlineError::Interrupted) => statement.clear(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(file) = &history {
        // A history that cannot be kept is no reason to fail.
        let _ = editor.save_history(file);
    }
    Ok(())
}

impl Shell<'_> {
    fn run(&self, script: &str) {
        let start = Instant::now();
        self.interrupt.set(Some(self.session.cancel_handle()));
        let outcome = self.session.sql_each(script, &mut |result| {
            self.bar.clear();
            display::print(result, &self.style)
        });
        self.interrupt.set(None);
        self.bar.clear();
        if let Err(error) = outcome {
            if error.kind() == ErrorKind::Cancelled {
                // Behind the ^C that the terminal shows.
                eprintln!();
            }
            eprint!("{}", failure::text(&error, script));
        }
        if self.timing {
            println!("Time: {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
        }
    }

    /// Prints the tables, or the views.
    fn list(&self, kind: &str) {
        let listed = self.session.sql("SHOW TABLES").and_then(|tables| display::names_of(tables, kind));
        match listed {
            Ok(names) if names.is_empty() => println!("There is no {kind}."),
            Ok(names) => names.iter().for_each(|name| println!("{name}")),
            Err(error) => eprint!("{}", failure::text(&error, "")),
        }
    }

    /// Runs a backslash command; false means leave.
    fn command(&mut self, line: &str) -> bool {
        let (command, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim().trim_end_matches(';');
        match command {
            "\\q" => return false,
            "\\?" | "\\h" | "\\help" => println!("{HELP}"),
            "\\d" if argument.is_empty() => self.run("SHOW TABLES"),
            "\\dt" => self.list("table"),
            "\\dv" => self.list("view"),
            "\\null" => self.style.null = argument.trim_matches('\'').to_owned(),
            // As psql says it.
            "\\pset" if argument == "null" || argument.starts_with("null ") => {
                self.style.null = argument[4..].trim().trim_matches('\'').to_owned();
            }
            "\\d" => self.run(&format!("DESCRIBE {argument}")),
            "\\timing" => {
                self.timing = !self.timing;
                println!("Timing is {}.", if self.timing { "on" } else { "off" });
            }
            "\\format" => match <Format as clap::ValueEnum>::from_str(argument, true) {
                Ok(format) => self.style.format = format,
                Err(_) => eprintln!("\\format takes table, csv or json"),
            },
            "\\i" => match std::fs::read_to_string(argument) {
                Ok(script) => self.run(&script),
                Err(error) => eprintln!("{argument}: {error}"),
            },
            _ => eprintln!("unknown command {command}; \\? for help"),
        }
        true
    }
}

/// The backslash command that a line is: `exit`, `quit` and `help` are what people type first.
fn command_of(line: &str) -> Option<&str> {
    let line = line.trim();
    match line.trim_end_matches(';').trim_end().to_ascii_lowercase().as_str() {
        "exit" | "quit" => Some("\\q"),
        "help" => Some("\\?"),
        _ => line.starts_with('\\').then_some(line),
    }
}

fn history_file() -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(".multiloop_history"))
}

/// Whether the text so far ends in a semicolon that is neither quoted nor in a comment.
fn ends_statement(text: &str) -> bool {
    let mut last = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                if !characters.any(|other| other == character) {
                    return false;
                }
                last = character;
            }
            '-' if characters.peek() == Some(&'-') => {
                characters.by_ref().find(|other| *other == '\n');
            }
            '/' if characters.peek() == Some(&'*') => {
                characters.next();
                let mut before = ' ';
                loop {
                    match characters.next() {
                        None => return false,
                        Some('/') if before == '*' => break,
                        Some(other) => before = other,
                    }
                }
            }
            space if space.is_whitespace() => {}
            other => last = other,
        }
    }
    last == ';'
}

#[cfg(test)]
mod tests {
    use super::{command_of, ends_statement};

    #[test]
    fn words_that_people_leave_with() {
        assert_eq!(command_of("exit"), Some("\\q"));
        assert_eq!(command_of(" QUIT; "), Some("\\q"));
        assert_eq!(command_of("help"), Some("\\?"));
        assert_eq!(command_of("\\d t"), Some("\\d t"));
        assert_eq!(command_of("exit now"), None);
    }

    #[test]
    fn a_semicolon_ends_a_statement_only_outside_quotes_and_comments() {
        assert!(ends_statement("SELECT 1;\n"));
        assert!(ends_statement("SELECT ';' ; -- done\n"));
        assert!(!ends_statement("SELECT ';"));
        assert!(!ends_statement("SELECT 1 -- ;\n"));
        assert!(!ends_statement("SELECT 1 /* ; "));
        assert!(ends_statement("SELECT 'it''s'; /* x */"));
        assert!(!ends_statement(""));
    }
}
