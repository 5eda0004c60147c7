//! Statements are sent, and what they give is shown, kept in variables, or run.

use super::lex::{Kind, tokens};
use super::output::Target;
use super::pager::{self, Paged};
use super::{Flow, Shell, Source};
use crate::display::{self, Expanded, Style};
use crate::failure::Trouble;
use multiloop::format::text_of;
use multiloop::{Error, ErrorKind, Field, Result, ResultStream};
use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Columns that are assumed where the terminal does not say.
const TERMINAL_COLUMNS: usize = 120;

/// Lines that are assumed where the terminal does not say.
const TERMINAL_LINES: usize = 40;

/// What happens to the rows of a statement.
#[derive(Clone, Debug)]
pub(super) enum Use {
    /// They are shown, in this style.
    Show(Style),
    /// The only row's values become variables, with this before their names.
    Keep(String),
    /// Each value is a statement, and is run.
    Run,
}

/// What a statement took.
#[derive(Default)]
struct Taken {
    /// Time in which it was not the engine that worked.
    beside: Duration,
    rows: u64,
}

impl Shell<'_> {
    /// Sends a statement, and shows what it gives.
    pub(super) fn send_statement(&mut self, text: &str, source: &mut Source<'_>) -> Flow {
        if !self.conditions.is_active() {
            return Flow::Go;
        }
        let text = text.trim();
        self.previous = text.to_owned();
        self.send(text, &Use::Show(self.style.clone()), source)
    }

    /// Sends a statement; its variables are replaced. An error is told.
    pub(super) fn send(&mut self, text: &str, how: &Use, source: &mut Source<'_>) -> Flow {
        let text = self.variables.replaced(text);
        if matches!(self.variables.get("ECHO"), Some("queries" | "all")) {
            say!("{text};");
        }
        let at = source.at;
        let (started, mut taken) = (Instant::now(), Taken::default());
        self.interrupt.begin(Some(self.session.cancel_handle()));
        let done = match copies_with_client(&text) {
            true => self.copy_with_client(&text, source).map(|rows| taken.rows = rows),
            false => {
                let session = self.session;
                let done = session.sql_each(&text, &mut |result| self.take(result, how, &mut taken));
                done.map_err(|error| Trouble::of(&error, &text))
            }
        };
        self.session.forget_cancellation();
        self.interrupt.end();
        self.bar.clear();
        self.close_once();
        let flow = match done {
            Ok(()) => {
                self.note_success(taken.rows);
                Flow::Go
            }
            Err(trouble) => {
                self.tell(trouble, &text, &source.place(at));
                Flow::Failed
            }
        };
        if self.timing {
            say!("{}", time_shown(started.elapsed().saturating_sub(taken.beside)));
        }
        match how {
            Use::Run if flow == Flow::Go => self.run_values(source),
            _ => flow,
        }
    }

    /// Variables that say how the last statement ended.
    fn note_success(&mut self, rows: u64) {
        self.variables.set("ERROR", "false");
        self.variables.set("SQLSTATE", "00000");
        self.variables.set("ROW_COUNT", rows.to_string());
    }

    /// Tells of an error, as `VERBOSITY` has it.
    pub(super) fn tell(&mut self, trouble: Trouble, text: &str, place: &str) {
        if trouble.is_cancelled && self.is_interactive {
            // Behind the ^C that the terminal shows.
            warn!();
        }
        match self.variables.get("VERBOSITY") {
            Some("terse") => warn!("{place}ERROR {}: {}", trouble.sqlstate, trouble.message),
            Some("sqlstate") => warn!("{place}ERROR: {}", trouble.sqlstate),
            // It is told already.
            _ if trouble.text.is_empty() => {}
            _ => warn!("{place}{}", trouble.text.trim_end()),
        }
        if self.variables.get("ECHO") == Some("errors") {
            warn!("{place}STATEMENT: {text};");
        }
        self.variables.set("ERROR", "true");
        self.variables.set("SQLSTATE", trouble.sqlstate.as_str());
        self.variables.set("LAST_ERROR_SQLSTATE", trouble.sqlstate.as_str());
        self.variables.set("LAST_ERROR_MESSAGE", trouble.message.as_str());
        self.variables.set("ROW_COUNT", "0");
        self.last_error = Some(trouble);
    }

    /// Takes what a statement gives.
    fn take(&mut self, result: ResultStream, how: &Use, taken: &mut Taken) -> Result<()> {
        self.bar.clear();
        for notice in result.notices() {
            warn!("{}:  {}", notice.severity, notice.message);
        }
        if let Some(tag) = result.tag() {
            taken.rows = tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
            return self.show_tag(tag, how);
        }
        match how {
            Use::Show(style) => {
                let started = Instant::now();
                let written = self.show(result, style)?;
                taken.beside += started.elapsed().saturating_sub(written.taken);
                taken.rows = written.rows;
                Ok(())
            }
            Use::Keep(prefix) => self.keep_row(result, prefix),
            Use::Run => {
                self.to_run = texts(result)?.into_iter().flatten().collect();
                Ok(())
            }
        }
    }

    /// Says what was done, unless only rows are wanted.
    fn show_tag(&mut self, tag: &str, how: &Use) -> Result<()> {
        let is_quiet = self.variables.is_on("QUIET") || tag.is_empty();
        if is_quiet || matches!(how, Use::Show(style) if style.format.is_for_programs()) {
            return Ok(());
        }
        let written = match self.once.as_mut().or(self.target.as_mut()) {
            Some(target) => writeln!(target, "{tag}"),
            None => writeln!(std::io::stdout(), "{tag}"),
        };
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(io_failure(&error)),
            _ => Ok(()),
        }
    }

    /// Shows rows where they are to go: as they come.
    pub(super) fn show(&mut self, result: ResultStream, style: &Style) -> Result<display::Written> {
        let interrupt = self.interrupt.clone();
        let go_on = || match interrupt.is_asked() {
            true => Err(Error::new(ErrorKind::Cancelled, "canceling statement due to user request")),
            false => Ok(()),
        };
        let mut style = style.clone();
        if !self.is_on_terminal() {
            style.columns = None;
            return match self.once.as_mut().or(self.target.as_mut()) {
                Some(target) => display::write(result, &style, target, &go_on),
                None => {
                    let mut out = BufWriter::new(std::io::stdout().lock());
                    display::write(result, &style, &mut out, &go_on)
                }
            };
        }
        let (columns, lines) = screen();
        style.columns = (self.fit || style.expanded == Expanded::Auto).then_some(style.columns.unwrap_or(columns));
        match self.pager.then(pager::command).flatten().filter(|_| self.is_interactive) {
            None => {
                let mut out = BufWriter::new(std::io::stdout().lock());
                display::write(result, &style, &mut out, &go_on)
            }
            Some(command) => {
                let mut out = Paged::new((columns, lines), command);
                let written = display::write(result, &style, &mut out, &go_on);
                out.close().map_err(|error| io_failure(&error))?;
                written
            }
        }
    }

    /// Prints a text, with the pager if it is long.
    pub(super) fn page(&self, text: &str) {
        let is_seen = self.is_interactive && std::io::stdout().is_terminal();
        let _ = match self.pager.then(pager::command).flatten().filter(|_| is_seen) {
            None => std::io::stdout().write_all(text.as_bytes()),
            Some(command) => {
                let mut out = Paged::new(screen(), command);
                let written = out.write_all(text.as_bytes());
                written.and(out.close())
            }
        };
    }

    /// Runs a statement, of which nothing is said but an error.
    pub(crate) fn run_quietly(&mut self, text: &str) -> Flow {
        match self.session.sql(text) {
            Ok(_) => Flow::Go,
            Err(error) => {
                self.tell(Trouble::of(&error, text), text, "");
                Flow::Failed
            }
        }
    }

    /// The only row of a result becomes variables; NULL is no variable.
    fn keep_row(&mut self, result: ResultStream, prefix: &str) -> Result<()> {
        let (fields, rows) = rows(result)?;
        let [row] = &rows[..] else {
            let why =
                if rows.is_empty() { "no rows returned for \\gset" } else { "more than one row returned for \\gset" };
            return Err(Error::new(ErrorKind::Cardinality, why));
        };
        for (field, value) in fields.iter().zip(row) {
            let name = format!("{prefix}{}", field.name);
            match value {
                Some(value) => self.variables.set(&name, value.as_str()),
                None => self.variables.unset(&name),
            }
        }
        Ok(())
    }

    /// Runs the statements that a statement has given.
    fn run_values(&mut self, source: &mut Source<'_>) -> Flow {
        let mut all = Flow::Go;
        for text in std::mem::take(&mut self.to_run) {
            let flow = self.send(&text, &Use::Show(self.style.clone()), source);
            if flow != Flow::Go {
                all = flow;
                if self.stops_at_errors() {
                    break;
                }
            }
        }
        all
    }

    /// The place of the next statement's results alone is closed.
    fn close_once(&mut self) {
        if let Some(Err(message)) = self.once.take().map(Target::close) {
            warn!("{message}");
        }
    }

    /// What would be sent by `\g`: what is typed, or else what was sent last.
    pub(super) fn take_buffer(&mut self) -> Option<String> {
        self.depth = 0;
        let typed = std::mem::take(&mut self.buffer);
        if !super::is_blank(&typed) {
            typed.trim().clone_into(&mut self.previous);
        }
        (!self.previous.is_empty()).then(|| self.previous.clone())
    }

    /// Sends what is typed again and again, until somebody stops it, it fails, or it has been sent so many times.
    pub(super) fn watch(&mut self, seconds: f64, times: Option<u64>, source: &mut Source<'_>) -> Flow {
        let Some(text) = self.take_buffer() else { return self.complain("\\watch: there is no statement to run") };
        let pause = Duration::from_secs_f64(seconds);
        let mut sent = 0;
        loop {
            let asked = "SELECT to_char(now(), 'Dy Mon DD HH24:MI:SS YYYY')";
            let now = self.session.sql(asked).and_then(first_text).ok().flatten().unwrap_or_default();
            let mut style = self.style.clone();
            let title = style.title.take().map(|title| format!("{title}\t")).unwrap_or_default();
            style.title = Some(format!("{title}{now} (every {seconds}s)"));
            let flow = self.send(&text, &Use::Show(style), source);
            sent += 1;
            if flow != Flow::Go || self.interrupt.is_asked() || times.is_some_and(|times| sent >= times) {
                // To stop it is no failure.
                return if self.interrupt.is_asked() { Flow::Go } else { flow };
            }
            self.interrupt.begin(None);
            if !self.interrupt.wait(pause) {
                say!();
                return Flow::Go;
            }
        }
    }
}

/// Columns and lines of the terminal.
pub(super) fn screen() -> (usize, usize) {
    let asked = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    let said = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match asked {
        Some((columns, lines)) if columns.0 > 0 => (usize::from(columns.0), usize::from(lines.0)),
        _ => (said("COLUMNS").unwrap_or(TERMINAL_COLUMNS), said("LINES").unwrap_or(TERMINAL_LINES)),
    }
}

fn io_failure(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("writing the result: {error}"))
}

/// `Time: 12.345 ms`; of a second and more in hours, minutes and seconds, too.
fn time_shown(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let fraction = format!("{:02}.{:03}", seconds % 60, time.subsec_millis());
    match (seconds, hours) {
        (0, _) => format!("Time: {milliseconds:.3} ms"),
        (_, 0) => format!("Time: {milliseconds:.3} ms ({minutes:02}:{fraction})"),
        _ => format!("Time: {milliseconds:.3} ms ({hours:02}:{minutes:02}:{fraction})"),
    }
}

/// Whether a statement is a COPY whose data comes from, or goes to, whoever sends it.
fn copies_with_client(text: &str) -> bool {
    let mut words = tokens(text, 0).filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment));
    let is = |token: &super::lex::Token, word: &str| {
        token.kind == Kind::Word && text[token.range.clone()].eq_ignore_ascii_case(word)
    };
    words.next().is_some_and(|first| is(&first, "copy"))
        && words.any(|token| is(&token, "stdin") || is(&token, "stdout"))
}

/// Rows of values; None is NULL.
type Rows = Vec<Vec<Option<String>>>;

/// The rows of a result as text.
pub(super) fn rows(result: ResultStream) -> Result<(Vec<Field>, Rows)> {
    let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
    let mut rows = Rows::new();
    for batch in result {
        text_of(&fields, &batch?, &sight, &mut |column, text| {
            if column == 0 {
                rows.push(Vec::with_capacity(fields.len()));
            }
            if let Some(row) = rows.last_mut() {
                row.push(text);
            }
        })?;
    }
    Ok((fields, rows))
}

/// All values of a result.
fn texts(result: ResultStream) -> Result<Vec<Option<String>>> {
    Ok(rows(result)?.1.into_iter().flatten().collect())
}

/// The first value of a result; None if it is NULL, or there is none.
pub(super) fn first_text(result: ResultStream) -> Result<Option<String>> {
    Ok(texts(result)?.into_iter().next().flatten())
}

#[cfg(test)]
mod tests {
    use super::{copies_with_client, time_shown};
    use std::time::Duration;

    #[test]
    fn times_as_psql_shows_them() {
        assert_eq!(time_shown(Duration::from_micros(1234)), "Time: 1.234 ms");
        assert_eq!(time_shown(Duration::from_millis(61_005)), "Time: 61005.000 ms (01:01.005)");
        assert_eq!(time_shown(Duration::from_secs(3_601)), "Time: 3601000.000 ms (01:00:01.000)");
    }

    #[test]
    fn a_copy_with_the_client_is_known_by_its_words() {
        assert!(copies_with_client("/* x */ copy t (a) FROM STDIN (FORMAT csv)"));
        assert!(copies_with_client("COPY (SELECT 1) TO stdout"));
        assert!(!copies_with_client("COPY t FROM 'stdin'"));
        assert!(!copies_with_client("SELECT stdin FROM copy"));
    }
}
