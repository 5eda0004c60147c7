//! The engine as connections use it: statements of any kind prepared and run, transactions, notices, parameters. What
//! the public API does not have is bridged here, and here alone.

use crate::cancel::Running;
use crate::fault::{Fault, Result};
use crate::wire::Format;
use crate::wire::backend::TransactionStatus;
use multiloop::{DataType, Engine, Field, ResultStream, Value};
use std::sync::Arc;

/// A statement of a text that a client sent.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// All that was sent: errors count positions in it.
    script: Arc<str>,
    /// Where in it the statement stands.
    start: usize,
    end: usize,
}

impl Statement {
    fn text(&self) -> &str {
        &self.script[self.start..self.end]
    }

    fn fault(&self, error: &multiloop::Error) -> Box<Fault> {
        Fault::of(error, &self.script, self.start)
    }
}

/// A statement, planned as far as that is possible before it runs.
pub(crate) struct Prepared {
    statement: Statement,
    kind: Kind,
    types: Vec<DataType>,
    /// None if it gives no rows.
    fields: Option<Vec<Field>>,
    /// What its tag begins with.
    verb: &'static str,
}

enum Kind {
    Query(multiloop::Prepared),
    Command,
}

impl Prepared {
    /// The types of its parameters.
    pub(crate) fn parameter_types(&self) -> &[DataType] {
        &self.types
    }

    /// The columns of its rows; None if it gives none.
    pub(crate) fn fields(&self) -> Option<&[Field]> {
        self.fields.as_deref()
    }
}

/// What a statement gives.
pub(crate) enum Outcome {
    /// Rows, to be sent while they come.
    Rows(Rows),
    /// Nothing but what it did: `CREATE TABLE`, `INSERT 0 3`.
    Done(String),
    /// It waits for data from the client.
    #[allow(dead_code, reason = "the engine has no COPY FROM STDIN yet")]
    CopyIn(Box<dyn CopyIn>),
    /// Data for the client.
    #[allow(dead_code, reason = "the engine has no COPY TO STDOUT yet")]
    CopyOut(Box<dyn CopyOut>),
}

/// The rows of a statement.
pub(crate) struct Rows {
    pub(crate) stream: ResultStream,
    /// What its tag begins with: SELECT, SHOW.
    pub(crate) verb: &'static str,
}

impl Rows {
    /// The tag of so many rows.
    pub(crate) fn tag(&self, rows: u64) -> String {
        if self.verb == "SELECT" { format!("SELECT {rows}") } else { self.verb.to_owned() }
    }
}

/// Takes the data of COPY … FROM STDIN.
pub(crate) trait CopyIn: Send {
    /// The format that the data is announced in.
    fn format(&self) -> Format;
    /// The number of columns.
    fn columns(&self) -> usize;
    /// Takes some bytes, cut anywhere.
    fn take(&mut self, bytes: &[u8]) -> Result<()>;
    /// There is no more; gives the tag.
    fn finish(self: Box<Self>) -> Result<String>;
}

/// Gives the data of COPY … TO STDOUT.
pub(crate) trait CopyOut: Send {
    /// The format that the data is announced in.
    fn format(&self) -> Format;
    /// The number of columns.
    fn columns(&self) -> usize;
    /// Appends one piece, which is a row, a header or an end; false if there is no more.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<bool>;
    /// The tag of what was given.
    fn tag(&self) -> String;
}

/// A session of the engine.
pub(crate) struct Session {
    session: multiloop::Session,
    running: Arc<Running>,
    /// Names and values of what clients are told of their session.
    parameters: Vec<(&'static str, String)>,
}

/// What clients are told at the start, and those of which they may say the value themselves.
const PARAMETERS: &[(&str, &str)] = &[
    ("application_name", ""),
    ("client_encoding", "UTF8"),
    ("DateStyle", "ISO, MDY"),
    ("default_transaction_read_only", "off"),
    ("in_hot_standby", "off"),
    ("integer_datetimes", "on"),
    ("IntervalStyle", "postgres"),
    ("is_superuser", "on"),
    ("server_encoding", "UTF8"),
    ("server_version", concat!("15.0 (Multiloop ", env!("CARGO_PKG_VERSION"), ")")),
    ("session_authorization", ""),
    ("standard_conforming_strings", "on"),
    ("TimeZone", "UTC"),
];

impl Session {
    /// A session of this user.
    pub(crate) fn new(engine: &Engine, user: &str, running: Arc<Running>) -> Self {
        let parameters = PARAMETERS.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let mut session = Session { session: engine.session(), running, parameters };
        session.note("session_authorization", user);
        session
    }

    fn note(&mut self, name: &str, value: &str) {
        if let Some((_, known)) = self.parameters.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            value.clone_into(known);
        }
    }

    /// Sets a parameter that the client sent when it connected. Those that nobody knows have no effect, as long as
    /// nothing here depends on them.
    ///
    /// Errors, which end the connection: 22023 for an encoding that is not spoken.
    pub(crate) fn set_at_start(&mut self, name: &str, value: &str) -> Result<()> {
        if name.eq_ignore_ascii_case("client_encoding") {
            let encoding: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
            if !["utf8", "unicode"].contains(&encoding.to_ascii_lowercase().as_str()) {
                let message = format!("invalid value for parameter \"client_encoding\": \"{value}\"");
                return Err(Fault::fatal("22023", message).with_hint("Multiloop speaks UTF8 alone."));
            }
        } else if name.eq_ignore_ascii_case("application_name") {
            self.note(name, value);
        }
        Ok(())
    }

    /// What clients are told of their session when it begins.
    pub(crate) fn parameters(&self) -> &[(&'static str, String)] {
        &self.parameters
    }

    /// Parameters of which clients are told that have changed since they were asked last.
    pub(crate) fn changed_parameters(&mut self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// What is to be told to the client beside results.
    pub(crate) fn notices(&mut self) -> Vec<Box<Fault>> {
        Vec::new()
    }

    /// The statements of a text.
    pub(crate) fn parse(&self, text: &str) -> Result<Vec<Statement>> {
        let script: Arc<str> = Arc::from(text);
        let statement = |(start, end)| Statement { script: Arc::clone(&script), start, end };
        Ok(statements(text).into_iter().map(statement).collect())
    }

    /// Plans a statement. Parameters whose type is None, and those behind the last one, get one from where they stand.
    pub(crate) fn prepare(&self, statement: &Statement, types: &[Option<DataType>]) -> Result<Prepared> {
        self.check()?;
        let types: Vec<DataType> = types.iter().map(|known| known.unwrap_or(DataType::Null)).collect();
        let statement = statement.clone();
        let verb = verb(statement.text());
        if verb == "SELECT" {
            let plan = |types: &[DataType]| {
                let query = self.session.prepare_with(statement.text(), types);
                query.map_err(|error| statement.fault(&error))
            };
            let mut query = plan(&types)?;
            if query.parameter_types().contains(&DataType::Null) {
                // What nothing gives a type is text.
                query = plan(&query.parameter_types().iter().map(text_or).collect::<Vec<_>>())?;
            }
            let types = query.parameter_types().to_vec();
            let fields = Some(query.fields().to_vec());
            return Ok(Prepared { statement, kind: Kind::Query(query), types, fields, verb });
        }
        let types = types.iter().map(text_or).collect();
        let fields = match verb {
            "EXPLAIN" => Some(vec![Field::new("QUERY PLAN", DataType::Text, true)]),
            // They cost nothing and change nothing.
            "SHOW" | "DESCRIBE" => {
                let rows = self.session.sql(statement.text()).map_err(|error| statement.fault(&error))?;
                Some(rows.fields().to_vec())
            }
            _ => None,
        };
        Ok(Prepared { statement, kind: Kind::Command, types, fields, verb })
    }

    /// Runs a statement.
    pub(crate) fn execute(&self, prepared: &Prepared, values: &[Value]) -> Result<Outcome> {
        // The engine forgets who cancels when planning is over.
        self.check()?;
        let statement = &prepared.statement;
        let stream = match &prepared.kind {
            Kind::Query(query) => query.execute(&self.session, values),
            Kind::Command => {
                let parameters: Vec<_> = values.iter().cloned().zip(prepared.types.iter().copied()).collect();
                self.session.sql_with(statement.text(), &parameters)
            }
        };
        let stream = stream.map_err(|error| statement.fault(&error))?;
        Ok(match stream.tag() {
            Some(tag) => Outcome::Done(tag.to_owned()),
            None => Outcome::Rows(Rows { stream, verb: prepared.verb }),
        })
    }

    /// Whoever cancels from now on, until [`Session::end`], means what starts here.
    pub(crate) fn start(&self) {
        if self.session.cancel_handle().is_cancelled() {
            // Somebody cancelled the last one while its rows were sent: the engine would take it for this one.
            let _ = self.session.sql("SELECT 1");
        }
        self.running.start(self.session.cancel_handle());
    }

    /// What ran has ended, and is sent.
    pub(crate) fn end(&self) {
        self.running.end();
    }

    /// An error if what runs is cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.running.is_cancelled() { Err(Fault::cancelled()) } else { Ok(()) }
    }

    /// Where the session's transaction stands.
    pub(crate) fn transaction_status(&self) -> TransactionStatus {
        TransactionStatus::Idle
    }

    /// Begins the transaction that several statements are which the client sent together, unless one is open.
    pub(crate) fn begin_implicit(&self) {}

    /// Ends it: by a commit, or because a statement failed.
    pub(crate) fn end_implicit(&self, _is_success: bool) -> Result<()> {
        Ok(())
    }
}

fn text_or(known: &DataType) -> DataType {
    if *known == DataType::Null { DataType::Text } else { *known }
}

/// What the tag of a statement begins with, as its first word says it; empty where the engine gives the whole tag.
fn verb(text: &str) -> &'static str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let behind = comment(rest.as_bytes());
        if behind == 0 {
            break;
        }
        rest = &rest[behind..];
    }
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.to_ascii_uppercase().as_str() {
        "SELECT" | "VALUES" | "TABLE" | "WITH" => "SELECT",
        "EXPLAIN" => "EXPLAIN",
        "SHOW" => "SHOW",
        "DESCRIBE" | "DESC" => "DESCRIBE",
        _ => "",
    }
}

/// Where the statements of a script stand, without what is between them; those of nothing but blanks and comments are
/// none.
fn statements(script: &str) -> Vec<(usize, usize)> {
    let bytes = script.as_bytes();
    let (mut found, mut start, mut at) = (Vec::new(), None, 0);
    // Behind what was not blank last.
    let mut end = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b';' => {
                found.extend(start.take().map(|start| (start, end)));
                at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => comment(&bytes[at..]),
        };
        if length > 0 {
            at += length;
            continue;
        }
        let is_escaped = at > 0
            && matches!(bytes[at - 1], b'e' | b'E')
            && (at < 2 || !(bytes[at - 2].is_ascii_alphanumeric() || bytes[at - 2] == b'_'));
        start = start.or(Some(at));
        at += match byte {
            b'\'' => quoted(&bytes[at..], is_escaped),
            b'"' => quoted(&bytes[at..], false),
            b'$' => {
                dollar_quoted(&bytes[at..], at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'))
            }
            _ => 1,
        };
        end = at;
    }
    found.extend(start.map(|start| (start, end)));
    found
}

/// Bytes of the comment that a text begins with; 0 if it begins with none.
fn comment(text: &[u8]) -> usize {
    if text.starts_with(b"--") {
        return text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
    }
    if !text.starts_with(b"/*") {
        return 0;
    }
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < text.len() {
        if text[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
        } else if text[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else {
            at += 1;
        }
    }
    at
}

/// Bytes of what stands between the quote that a text begins with and the next one of its kind, both counted.
fn quoted(text: &[u8], has_escapes: bool) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != text[0] {
        at += if has_escapes && text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

/// Bytes of `$tag$…$tag$`; 1 if that is not how the text begins, as it is not behind a name.
fn dollar_quoted(text: &[u8], is_in_name: bool) -> usize {
    let Some(length) = text[1..].iter().position(|&byte| byte == b'$').map(|found| found + 2) else { return 1 };
    let tag = &text[..length];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let inner = &tag[1..length - 1];
    if is_in_name || !inner.iter().all(is_name) || inner.first().is_some_and(u8::is_ascii_digit) {
        return 1;
    }
    let close = text[length..].windows(length).position(|window| window == tag);
    close.map_or(text.len(), |found| found + 2 * length)
}

#[cfg(test)]
mod tests {
    use super::{statements, verb};

    #[test]
    fn scripts_are_split_outside_quotes_and_comments() {
        let split = |script: &'static str| -> Vec<&str> {
            statements(script).into_iter().map(|(start, end)| &script[start..end]).collect()
        };
        assert_eq!(split("SELECT 1; SELECT 2 ;;\n"), ["SELECT 1", "SELECT 2"]);
        assert_eq!(split("SELECT ';', \";\" -- ;\n, 2; x"), ["SELECT ';', \";\" -- ;\n, 2", "x"]);
        assert_eq!(split("/* ; /* ; */ ; */ SELECT E'\\';' ; x"), ["SELECT E'\\';'", "x"]);
        assert_eq!(split("SELECT $$;$$, $a$ $b$ ; $a$; x$1; y"), ["SELECT $$;$$, $a$ $b$ ; $a$", "x$1", "y"]);
        assert_eq!(split("SELECT 'it''s;'; SELECT $1; z"), ["SELECT 'it''s;'", "SELECT $1", "z"]);
        assert_eq!(split("name'\\'; x"), ["name'\\'", "x"]);
        assert!(split(" ; -- x\n /* y */ ;").is_empty());
        for open in ["'", "\"ab", "E'\\", "$$ x", "/* /* */", "--", "$"] {
            assert!(split(open).len() <= 1, "{open}");
        }
        assert_eq!(split("SELECT 'ä' ; ö"), ["SELECT 'ä'", "ö"]);
    }

    #[test]
    fn verbs_stand_behind_comments_and_parentheses() {
        assert_eq!(verb("/* x */ ( -- y\n select 1)"), "SELECT");
        assert_eq!(verb("WITH x AS (SELECT 1) TABLE x"), "SELECT");
        assert_eq!(verb("explain select 1"), "EXPLAIN");
        assert_eq!(verb("create table t (a int)"), "");
        assert_eq!(verb(""), "");
    }
}
