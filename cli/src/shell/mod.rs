//! The shell: statements and backslash commands from a terminal, from scripts and from arguments, all read the same way.
//!
//! [`Shell::feed`] takes a [`Source`] apart: what stands before a semicolon is a statement and is sent (`send`), a backslash
//! begins a command (`command`), a dot at the start of a line one of DuckDB's (`dot`). What the terminal adds (`terminal`) is
//! a line editor that knows when an entry is whole, completes words (`complete`) and colours them (`highlight`).
//!
//! `lex` is what all of these know of SQL; `variables` and `arguments` are of psql's commands, `conditions` its `\if`;
//! `settings` what `\pset` and its kin change, `describe` the `\d` family (`lists` are those of it that are one query), `password` asks for one, `copy` COPY with who types or with files here;
//! `output` is where results go, `pager` the program that shows long ones; `interrupt` is Ctrl-C; `files` makes views of the
//! files that the program was given; `edit` is `\e`, `help` the texts.

mod arguments;
mod command;
mod complete;
mod conditions;
mod copy;
mod describe;
mod dot;
mod edit;
mod files;
mod help;
mod highlight;
mod interrupt;
mod lex;
mod lists;
mod output;
mod pager;
mod password;
mod send;
mod settings;
mod terminal;
mod variables;
mod words;

pub(crate) use files::open_files;
pub(crate) use terminal::run;

use crate::display::Style;
use crate::failure::Trouble;
use crate::progress::Bar;
use conditions::Conditions;
use interrupt::Interrupt;
use lex::{Kind, Stop, is_blank, next_stop, tokens};
use multiloop::Session;
use output::Target;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use variables::Variables;

/// Scripts within scripts, at most: one that runs itself has an end.
const DEPTH_MAX: usize = 100;

/// What a session of the shell has.
pub(crate) struct Shell<'a> {
    session: &'a Session,
    bar: Bar,
    pub(crate) style: Style,
    variables: Variables,
    conditions: Conditions,
    /// What is typed and not sent, and the brackets that are open in it.
    buffer: String,
    depth: usize,
    /// The statement that was sent last.
    previous: String,
    /// Where results go; None is standard output.
    target: Option<Target>,
    /// Where those of the next statement go.
    once: Option<Target>,
    pub(crate) timing: bool,
    /// Whether the pager shows results that are longer than the screen.
    pager: bool,
    /// Whether tables are narrowed to the screen.
    fit: bool,
    is_interactive: bool,
    interrupt: Interrupt,
    /// What went wrong last.
    last_error: Option<Trouble>,
    /// What the line editor starts with: what `\e` has left.
    initial: String,
    /// The statements that `\gexec` has been given.
    to_run: Vec<String>,
    /// What was typed, for `\s`.
    history: Vec<String>,
    /// Scripts within scripts.
    scripts: usize,
}

/// How it goes on after a statement or a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Go,
    /// Something went wrong.
    Failed,
    /// What has been asked to end, ends.
    Quit,
}

/// A text that is read: what was typed, a script, an argument.
pub(crate) struct Source<'t> {
    text: &'t str,
    /// How far it is read.
    at: usize,
    /// The file that it is of.
    file: Option<&'t Path>,
    /// Whether somebody types it: then what is not whole may be ended later.
    is_typed: bool,
    /// The data of a COPY below the line that is being read: it is read already.
    data: Option<ReadData>,
}

/// Where the data of a COPY stands in a script whose line goes on behind the statement.
#[derive(Clone, Copy)]
struct ReadData {
    /// The end of the line that has the COPY.
    line_end: usize,
    /// Where the script goes on behind the data.
    end: usize,
}

impl<'t> Source<'t> {
    pub(crate) fn typed(text: &'t str) -> Self {
        Source { text, at: 0, file: None, is_typed: true, data: None }
    }

    pub(crate) fn argument(text: &'t str) -> Self {
        Source { is_typed: false, ..Source::typed(text) }
    }

    pub(crate) fn script(text: &'t str, file: &'t Path) -> Self {
        // Editors put a byte order mark before a file's text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Source { file: Some(file), ..Source::argument(text) }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The rest of the line, without its end, which is passed over.
    fn take_line(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        Some(&rest[..end])
    }

    /// Lines of data below the line that is being read, up to one of these; what is left of the line is read behind them, as psql
    /// does. They are passed over.
    fn take_data(&mut self, end_mark: &str) -> Vec<&'t str> {
        let here = self.at + self.rest().find('\n').unwrap_or(self.rest().len());
        let (line_end, start) = match self.data {
            Some(before) => (before.line_end, before.end),
            None => (here, (here + 1).min(self.text.len())),
        };
        let mut below = Source { at: start, data: None, ..*self };
        let mut lines = Vec::new();
        while let Some(line) = below.take_line() {
            if line.trim_end() == end_mark {
                break;
            }
            lines.push(line);
        }
        self.data = Some(ReadData { line_end, end: below.at });
        self.pass_data();
        lines
    }

    /// Goes on behind data that is read already, if nothing of the line before it is left.
    fn pass_data(&mut self) {
        if let Some(data) = self.data
            && (self.at >= data.line_end || is_blank(&self.text[self.at..data.line_end]))
        {
            self.at = data.end;
            self.data = None;
        }
    }

    /// What is left of a line above data that is read already, up to the end of a string or comment that is open there, which may
    /// be behind the data; all of it is passed over.
    fn take_open_line(&mut self, data: ReadData) -> String {
        let line = &self.text[self.at..(data.line_end + 1).min(data.end)];
        let open = tokens(line, 0).find(|token| !token.is_whole).map_or(line.len(), |token| token.range.start);
        self.at = data.end;
        self.data = None;
        if open == line.len() {
            return line.to_owned();
        }
        let joined = format!("{}{}", &line[open..], self.rest());
        let end = tokens(&joined, 0).next().map_or(joined.len(), |token| token.range.end);
        self.at += end - (line.len() - open);
        format!("{}{}", &line[..open], &joined[..end])
    }

    /// Whether only blanks stand before this place in its line.
    fn is_line_start(&self) -> bool {
        let before = &self.text[..self.at];
        before[before.rfind('\n').map_or(0, |end| end + 1)..].trim().is_empty()
    }

    /// `FILE:LINE: ` of a place in a script.
    fn place(&self, at: usize) -> String {
        let Some(file) = self.file else { return String::new() };
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        format!("{}:{line}: ", file.display())
    }
}

impl<'a> Shell<'a> {
    pub(crate) fn new(session: &'a Session, bar: Bar, style: Style) -> Self {
        let mut variables = Variables::default();
        let fixed = [
            ("VERSION", concat!("multiloop ", env!("CARGO_PKG_VERSION"))),
            ("VERSION_NAME", env!("CARGO_PKG_VERSION")),
            ("ENCODING", "UTF8"),
            ("PROMPT1", "multiloop%R> "),
            ("VERBOSITY", "default"),
            ("ECHO", "none"),
            ("HISTSIZE", "10000"),
        ];
        fixed.iter().for_each(|(name, value)| variables.set(name, *value));
        for (name, setting) in [("DBNAME", "current_database()"), ("USER", "current_user")] {
            let asked = session.sql(&format!("SELECT {setting}")).and_then(send::first_text);
            variables.set(name, asked.ok().flatten().unwrap_or_default());
        }
        Shell {
            session,
            bar,
            style,
            variables,
            conditions: Conditions::default(),
            buffer: String::new(),
            depth: 0,
            previous: String::new(),
            target: None,
            once: None,
            timing: false,
            pager: true,
            fit: true,
            is_interactive: false,
            interrupt: Interrupt::default(),
            last_error: None,
            initial: String::new(),
            to_run: Vec::new(),
            history: Vec::new(),
            scripts: 0,
        }
    }

    /// Sets a variable, as `\set` does.
    pub(crate) fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.set(name, value);
    }

    /// Sets options of how results are printed, and where these go.
    ///
    /// # Errors
    /// What an option does not take; a file that cannot be written.
    pub(crate) fn set_up(&mut self, options: &[String], output: Option<&str>) -> Result<(), String> {
        for option in options {
            let (option, value) = settings::option_of(option);
            self.set_option(option, value)?;
        }
        output.map_or(Ok(()), |output| self.redirect(Some(output)))
    }

    /// Scripts are run from now on: Ctrl-C stops the statement that runs, and no other begins.
    ///
    /// # Errors
    /// If the program cannot listen to the key.
    pub(crate) fn begin_scripts(&mut self) -> anyhow::Result<()> {
        self.interrupt = Interrupt::listen(true)?;
        Ok(())
    }

    /// Whether an error ends a script.
    pub(crate) fn stops_at_errors(&self) -> bool {
        self.variables.is_on("ON_ERROR_STOP") || (!self.is_interactive && self.interrupt.is_asked())
    }

    /// Reads a source to its end, or to an error that stops it: statements and commands are done as they come.
    pub(crate) fn feed(&mut self, source: &mut Source<'_>) -> Flow {
        let mut all = Flow::Go;
        while source.at < source.text.len() {
            let flow = self.step(source);
            match flow {
                Flow::Quit => return Flow::Quit,
                Flow::Failed if self.stops_at_errors() && !source.is_typed => {
                    self.reset();
                    return Flow::Failed;
                }
                // What stands behind an error in a typed line was typed for its success.
                Flow::Failed if source.is_typed && self.stops_at_errors() => return Flow::Failed,
                Flow::Failed => all = Flow::Failed,
                Flow::Go => {}
            }
        }
        if is_blank(&self.buffer) {
            self.reset();
        } else if !source.is_typed {
            // The last statement of a script needs no semicolon.
            let statement = std::mem::take(&mut self.buffer);
            self.depth = 0;
            let flow = if self.conditions.is_active() { self.send_statement(&statement, source) } else { Flow::Go };
            return if flow == Flow::Go { all } else { flow };
        }
        all
    }

    /// Forgets what is not sent.
    fn reset(&mut self) {
        self.buffer.clear();
        self.depth = 0;
    }

    /// Reads up to the end of a statement, or does a command.
    fn step(&mut self, source: &mut Source<'_>) -> Flow {
        source.pass_data();
        if source.data.is_none()
            && is_blank(&self.buffer)
            && let Some(flow) = self.line_of_its_own(source)
        {
            return flow;
        }
        let from = source.at;
        let text = source.data.map_or(source.text, |data| &source.text[..data.line_end]);
        match (next_stop(text, from, &mut self.depth), source.data) {
            (Stop::Semicolon(at), _) => {
                source.at = at + 1;
                self.keep(&source.text[from..at]);
                if lex::is_in_body(&self.buffer) {
                    self.buffer.push(';');
                    return Flow::Go;
                }
                let statement = std::mem::take(&mut self.buffer);
                self.depth = 0;
                if is_blank(&statement) { Flow::Go } else { self.send_statement(&statement, source) }
            }
            (Stop::Backslash(at), _) => {
                source.at = at;
                self.keep(&source.text[from..at]);
                self.command(source)
            }
            (Stop::End { .. }, Some(data)) => {
                let text = source.take_open_line(data);
                self.keep(&text);
                Flow::Go
            }
            (Stop::End { within }, None) => {
                source.at = source.text.len();
                self.keep(&source.text[from..]);
                if within.is_none() || !source.is_typed {
                    return Flow::Go;
                }
                // Nothing that is typed later would end it: the engine says what is missing.
                let statement = std::mem::take(&mut self.buffer);
                self.depth = 0;
                self.send_statement(&statement, source)
            }
        }
    }

    /// Adds to what is not sent, unless a condition leaves it out.
    fn keep(&mut self, text: &str) {
        if !self.conditions.is_active() {
            return;
        }
        // What stands before a statement is none of it.
        let is_first = is_blank(&self.buffer);
        let blank = |token: &lex::Token| token.kind == Kind::Space || (token.kind == Kind::Comment && token.is_whole);
        let start = match is_first {
            true => tokens(text, 0).find(|token| !blank(token)).map_or(text.len(), |token| token.range.start),
            false => 0,
        };
        if is_first {
            self.buffer.clear();
        }
        self.buffer.push_str(&text[start..]);
    }

    /// Does what is a command by being alone in its line, with no statement begun: one with a dot, `exit`, `quit`, `help`.
    fn line_of_its_own(&mut self, source: &mut Source<'_>) -> Option<Flow> {
        // The first that is no space or comment.
        let blank = |token: &lex::Token| token.kind == Kind::Space || (token.kind == Kind::Comment && token.is_whole);
        let first = tokens(source.text, source.at).find(|token| !blank(token))?;
        let line = source.text[first.range.start..].lines().next().unwrap_or_default();
        let is_dot = line.starts_with('.') && line[1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let word = line.trim().trim_end_matches(';').trim_end().to_ascii_lowercase();
        let typed = match word.as_str() {
            "exit" | "quit" if source.is_typed => Some("\\q"),
            "help" if source.is_typed => Some("\\?"),
            _ => None,
        };
        if !is_dot && typed.is_none() {
            return None;
        }
        let mut ahead = Source { at: first.range.start, ..*source };
        if !ahead.is_line_start() {
            return None;
        }
        let line = ahead.take_line()?;
        source.at = ahead.at;
        self.reset();
        if !self.conditions.is_active() {
            return Some(Flow::Go);
        }
        Some(match typed {
            Some(command) => self.command(&mut Source::typed(command)),
            None => self.dot_command(line, source),
        })
    }

    /// Runs a script.
    pub(crate) fn run_file(&mut self, path: &Path) -> Flow {
        if self.scripts >= DEPTH_MAX {
            return self.complain(&format!("{}: scripts run each other without an end", path.display()));
        }
        let read = if path == Path::new("-") {
            std::io::read_to_string(std::io::stdin())
        } else {
            std::fs::read_to_string(path)
        };
        match read {
            Err(error) => self.complain(&format!("{}: {error}", path.display())),
            Ok(text) => {
                self.scripts += 1;
                // What is typed and not sent waits for its end.
                let (buffer, depth) = (std::mem::take(&mut self.buffer), std::mem::take(&mut self.depth));
                let open = self.conditions.enter();
                let flow = self.feed(&mut Source::script(&text, path));
                if self.conditions.leave(open) && flow == Flow::Go {
                    warn!("{}: reached its end without finding closing \\endif(s)", path.display());
                }
                (self.buffer, self.depth) = (buffer, depth);
                self.scripts -= 1;
                // To quit a script ends it alone.
                if flow == Flow::Quit { Flow::Go } else { flow }
            }
        }
    }

    /// Says what went wrong, of a command.
    fn complain(&self, message: &str) -> Flow {
        warn!("{message}");
        Flow::Failed
    }

    /// Whether a table may be narrowed, and results shown by a pager: they go to a terminal.
    fn is_on_terminal(&self) -> bool {
        self.target.is_none() && self.once.is_none() && std::io::stdout().is_terminal()
    }

    /// Waits for what results have gone to.
    pub(crate) fn close(&mut self) {
        for target in [self.once.take(), self.target.take()].into_iter().flatten() {
            if let Err(message) = target.close() {
                warn!("{message}");
            }
        }
    }
}

/// A path as it is meant: `~` is the home folder.
fn expanded_path(path: &str) -> PathBuf {
    match (path.strip_prefix('~'), std::env::home_dir()) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(&rest[1..]),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests;
