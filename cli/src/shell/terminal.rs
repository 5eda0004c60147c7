//! The terminal: a line editor whose entries are whole statements, with colours, completion and a history.

use super::complete::Completer;
use super::interrupt::Interrupt;
use super::lex::{Stop, is_blank, next_stop};
use super::{Flow, Shell, Source, highlight};
use anyhow::Result;
use multiloop::{Session, TransactionStatus};
use rustyline::completion::Pair;
use rustyline::config::{ColorMode, CompletionType, Configurer as _};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::{DefaultHistory, SearchDirection};
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, Helper};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

/// Entries that are kept.
const HISTORY_MAX: usize = 10_000;

/// Letters that the history adds something to.
const HINT_MIN: usize = 2;

/// What is done when the shell starts.
const START_FILE: &str = ".multilooprc";

/// What the line editor asks.
struct Assistant<'a> {
    completer: Completer<'a>,
    has_colours: bool,
    /// Whether the line is drawn for the last time.
    is_last: Cell<bool>,
    /// What is typed before, and not sent.
    pending: RefCell<(String, usize)>,
}

/// What the history would add: the first line is shown, all of it is taken.
struct Remembered(String);

impl Hint for Remembered {
    fn display(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }

    fn completion(&self) -> Option<&str> {
        Some(&self.0)
    }
}

impl rustyline::completion::Completer for Assistant<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (at, offers) = self.completer.complete(line, cursor);
        let pair = |offer: super::complete::Offer| Pair { display: offer.shown, replacement: offer.text };
        Ok((at, offers.into_iter().map(pair).collect()))
    }
}

impl Hinter for Assistant<'_> {
    type Hint = Remembered;

    fn hint(&self, line: &str, cursor: usize, context: &Context<'_>) -> Option<Remembered> {
        if !self.has_colours || cursor < line.len() || line.len() < HINT_MIN || line.contains('\n') {
            return None;
        }
        let history = context.history();
        let newest = history.len().checked_sub(1)?;
        let found = history.starts_with(line, newest, SearchDirection::Reverse).ok().flatten()?;
        let rest = found.entry.get(line.len()..).filter(|rest| !rest.is_empty())?;
        Some(Remembered(rest.to_owned()))
    }
}

impl Highlighter for Assistant<'_> {
    fn highlight<'l>(&self, line: &'l str, cursor: usize) -> Cow<'l, str> {
        if !self.has_colours {
            return Cow::Borrowed(line);
        }
        Cow::Owned(highlight::coloured(line, (!self.is_last.get()).then_some(cursor)))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(highlight::hint(hint))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.is_last.set(kind == CmdKind::ForcedRefresh);
        self.has_colours
    }
}

impl Validator for Assistant<'_> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let (pending, depth) = &*self.pending.borrow();
        Ok(match is_whole(pending, *depth, context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Helper for Assistant<'_> {}

/// Whether an entry, behind what is typed before it, is whole: nothing is open at its end.
fn is_whole(pending: &str, depth: usize, entry: &str) -> bool {
    let is_first = is_blank(pending);
    let trimmed = entry.trim();
    let word = trimmed.trim_end_matches(';').trim_end().to_ascii_lowercase();
    let is_dot = trimmed.starts_with('.') && trimmed[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    if is_first && !trimmed.contains('\n') && (is_dot || matches!(word.as_str(), "exit" | "quit" | "help")) {
        return true;
    }
    let (mut at, mut depth, mut is_sent) = (0, depth, false);
    loop {
        match next_stop(entry, at, &mut depth) {
            Stop::Semicolon(stop) => (at, depth, is_sent) = (stop + 1, 0, true),
            Stop::Backslash(stop) => {
                let line = entry[stop..].find('\n').map_or(entry.len(), |end| stop + end);
                // `\\` and a statement may stand behind a command in its line.
                at = entry[stop + 1..line].rfind("\\\\").map_or(line, |end| stop + 1 + end + 2);
                is_sent = true;
            }
            Stop::End { within: Some(_) } => return false,
            Stop::End { within: None } => return is_blank(&entry[at..]) && (is_sent || is_first),
        }
    }
}

/// Reads statements and commands from the terminal until the user leaves.
pub(crate) fn run(shell: &mut Shell<'_>, starts: bool) -> Result<()> {
    shell.is_interactive = true;
    shell.interrupt = Interrupt::listen(false)?;
    if starts && let Some(file) = std::env::home_dir().map(|home| home.join(START_FILE)).filter(|file| file.is_file()) {
        shell.run_file(&file);
    }
    let session: &Session = shell.session;
    let mut editor = editor(session)?;
    let history = history_file();
    if let Some(file) = &history {
        // There is none on the first start.
        let _ = editor.load_history(file);
    }
    shell.history = editor.history().iter().cloned().collect();
    if !shell.variables.is_on("QUIET") {
        say!("multiloop {} — \\? for help", env!("CARGO_PKG_VERSION"));
    }
    loop {
        if let Some(assistant) = editor.helper() {
            *assistant.pending.borrow_mut() = (shell.buffer.clone(), shell.depth);
        }
        let initial = std::mem::take(&mut shell.initial);
        match editor.readline_with_initial(&shell.prompt(), (&initial, "")) {
            Ok(entry) => {
                remember(&mut editor, history.as_deref(), &entry);
                if !entry.trim().is_empty() {
                    shell.history.push(entry.trim_end().to_owned());
                }
                // Statements within a statement stand on lines of their own.
                if shell.feed(&mut Source::typed(&format!("{entry}\n"))) == Flow::Quit {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => shell.reset(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn editor(session: &Session) -> Result<Editor<Assistant<'_>, DefaultHistory>> {
    let is_dumb = std::env::var("TERM").is_ok_and(|terminal| terminal == "dumb");
    let has_colours = !is_dumb && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let config = Config::builder()
        .max_history_size(HISTORY_MAX)?
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .bracketed_paste(true)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_color_mode(if has_colours { ColorMode::Enabled } else { ColorMode::Disabled });
    editor.set_helper(Some(Assistant {
        completer: Completer::new(session),
        has_colours,
        is_last: Cell::new(false),
        pending: RefCell::default(),
    }));
    Ok(editor)
}

/// Keeps an entry as it was typed. That it cannot be kept is no reason to fail.
fn remember(editor: &mut Editor<Assistant<'_>, DefaultHistory>, file: Option<&Path>, entry: &str) {
    let entry = entry.trim_end();
    if entry.is_empty() {
        return;
    }
    let is_new = editor.add_history_entry(entry).unwrap_or(false);
    if let Some(file) = file.filter(|_| is_new) {
        let _ = editor.append_history(file);
    }
}

/// Where the history is kept: `MULTILOOP_HISTORY` says, or it is in the home folder; an empty one is none.
fn history_file() -> Option<PathBuf> {
    match std::env::var_os("MULTILOOP_HISTORY") {
        Some(file) if file.is_empty() => None,
        Some(file) => Some(PathBuf::from(file)),
        None => std::env::home_dir().map(|home| home.join(".multiloop_history")),
    }
}

impl Shell<'_> {
    /// What stands before what is typed.
    fn prompt(&self) -> String {
        if !is_blank(&self.buffer) {
            return "        -> ".to_owned();
        }
        let mut prompt = String::new();
        let mut characters = self.variables.get("PROMPT1").unwrap_or("multiloop%R> ").chars();
        while let Some(character) = characters.next() {
            match (character, if character == '%' { characters.next() } else { None }) {
                ('%', Some('/' | '~')) => prompt.push_str(self.variables.get("DBNAME").unwrap_or_default()),
                ('%', Some('n')) => prompt.push_str(self.variables.get("USER").unwrap_or_default()),
                ('%', Some('R' | 'x')) => prompt.push_str(match self.session.transaction_status() {
                    TransactionStatus::Idle => "",
                    TransactionStatus::Active => "*",
                    TransactionStatus::Failed => "!",
                }),
                ('%', Some('#')) => prompt.push('#'),
                ('%', Some(other)) => prompt.push(other),
                (other, _) => prompt.push(other),
            }
        }
        prompt
    }
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn entries_are_whole_when_nothing_is_open() {
        let whole = [
            "",
            "  ",
            "SELECT 1;",
            "SELECT 1; -- x",
            "\\d",
            "\\dt foo",
            "SELECT 1 \\gx",
            "SELECT\n1 \\g",
            ".tables",
            "exit",
            "QUIT;",
            "SELECT ';' ;",
            "-- only a comment",
            "\\x \\\\ SELECT 1;",
        ];
        let open = [
            "SELECT 1",
            "SELECT ';",
            "SELECT 1; SELECT",
            "SELECT $$ ; ",
            "SELECT (1;",
            "/* x ;",
            "exit now",
            "\\x \\\\ SELECT 1",
        ];
        whole.iter().for_each(|entry| assert!(is_whole("", 0, entry), "{entry}"));
        open.iter().for_each(|entry| assert!(!is_whole("", 0, entry), "{entry}"));
        assert!(is_whole("SELECT 1", 0, ";") && !is_whole("SELECT 1", 0, "") && !is_whole("SELECT (", 1, "1;"));
        assert!(is_whole("SELECT 1", 0, "\\g"));
    }
}
