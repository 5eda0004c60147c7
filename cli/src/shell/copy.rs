//! COPY with whoever sends the statement: data in a script, from the terminal, from files and commands.

use super::lex::{Kind, Token, tokens};
use super::output::Target;
use super::{Flow, Shell, Source, expanded_path};
use crate::failure::Trouble;
use crate::quote;
use multiloop::format::Format;
use multiloop::{Error, ErrorKind, Execution};
use multiloop_server::{CopyData, CopyFault, copy_out};
use std::io::{self, BufRead as _, BufReader, BufWriter, IsTerminal as _, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Bytes that are read of a file at once.
const BLOCK_BYTES: usize = 1 << 20;

/// The line that ends data in a script, or at a terminal.
const END: &str = "\\.";

/// Where the data of a `\copy` is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    File(String),
    Program(String),
    /// `STDIN`, `STDOUT`: where the command stands, where results go.
    Here,
    /// `PSTDIN`, `PSTDOUT`: the program's own.
    Standard,
}

/// A `\copy`, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Copy<'t> {
    /// The table with its columns, or the query.
    what: &'t str,
    is_from: bool,
    place: Place,
    options: &'t str,
}

/// A file that is written beside its place, so that a statement that fails leaves what was there. What is no file (a device, a
/// pipe) is written as it is.
struct Beside {
    path: PathBuf,
    temporary: PathBuf,
}

impl Beside {
    fn of(path: PathBuf) -> Self {
        let is_file = !path.exists() || path.is_file();
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = if is_file { path.with_file_name(name) } else { path.clone() };
        Beside { path, temporary }
    }

    /// Moves the file into its place.
    fn finish(self) -> Result<(), String> {
        let moved = if self.temporary == self.path { Ok(()) } else { std::fs::rename(&self.temporary, &self.path) };
        moved.map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.temporary != self.path {
            // After `finish` there is nothing under this name.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Where data comes from.
enum Data<'s> {
    Reader(Box<dyn Read + 's>),
    Script,
}

impl Shell<'_> {
    /// Runs a COPY … FROM STDIN, whose data stands below its line or is typed, or a COPY … TO STDOUT. Gives the number of rows.
    pub(super) fn copy_with_client(&mut self, text: &str, source: &mut Source<'_>) -> Result<u64, Trouble> {
        self.run_copy(text, data_of(source), None, source)
    }

    fn run_copy(
        &mut self,
        text: &str,
        data: Data<'_>,
        out: Option<&mut dyn Write>,
        source: &mut Source<'_>,
    ) -> Result<u64, Trouble> {
        let session = self.session;
        // Where rows are written, a tag would be one.
        let is_told = out.is_some() || !is_to(text) || self.target.is_some() || self.once.is_some();
        let done = match self.start_copy(text) {
            Ok(Execution::CopyIn(rows)) => self.copy_in(rows, data, source),
            Ok(Execution::CopyOut(rows)) => self.copy_to(rows, out),
            Ok(Execution::Result(result)) => {
                let tag = result.tag().unwrap_or_default().to_owned();
                result.collect_batches().map(|_| tag).map_err(|error| Trouble::of(&error, text))
            }
            Err(error) => {
                // Its data is no statement.
                if matches!(data, Data::Script) && !source.is_typed && is_from_stdin(text) {
                    source.take_data(END);
                }
                Err(Trouble::of(&error, text))
            }
        };
        let tag = done.inspect_err(|_| session.fail())?;
        if is_told && !self.variables.is_on("QUIET") {
            say!("{tag}");
        }
        Ok(tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0))
    }

    fn start_copy(&self, text: &str) -> Result<Execution, Error> {
        let mut statements = self.session.parse(text)?;
        let (Some(statement), true) = (statements.pop(), statements.is_empty()) else {
            let why = "a COPY with data has to be a statement of its own";
            return Err(Error::new(ErrorKind::Syntax, why));
        };
        let prepared = self.session.prepare_statement(&statement, &[]);
        let execution = prepared.and_then(|prepared| self.session.run(&prepared, &[]));
        execution.map_err(|error| error.shifted(statement.start()))
    }

    /// Takes the data of a COPY.
    fn copy_in(&self, rows: multiloop::CopyIn, data: Data<'_>, source: &mut Source<'_>) -> Result<String, Trouble> {
        let of_copy = |fault: CopyFault| Trouble::of_copy(&fault);
        let mut taking = CopyData::new(rows).map_err(of_copy);
        let mut take = |bytes: &[u8]| {
            let taken = match &mut taking {
                Ok(taking) => taking.take(bytes).map_err(of_copy),
                Err(_) => return false,
            };
            taken.map_err(|fault| taking = Err(fault)).is_ok()
        };
        match data {
            Data::Reader(mut reader) => {
                let mut block = vec![0; BLOCK_BYTES];
                loop {
                    let count = reader.read(&mut block).map_err(|error| read_failure(&error))?;
                    if self.interrupt.is_asked() {
                        return Err(stopped());
                    }
                    if count == 0 || !take(&block[..count]) {
                        break;
                    }
                }
            }
            Data::Script if source.is_typed => self.take_typed(&mut take)?,
            Data::Script => {
                for line in source.take_data(END) {
                    take(line.as_bytes());
                    take(b"\n");
                }
            }
        }
        taking?.finish(self.session).map_err(of_copy)
    }

    /// Takes lines of data from the terminal.
    fn take_typed(&self, take: &mut dyn FnMut(&[u8]) -> bool) -> Result<(), Trouble> {
        if io::stdin().is_terminal() {
            say!("Enter data to be copied followed by a newline.");
            say!("End with a backslash and a period on a line by itself, or an EOF signal.");
        }
        loop {
            let mut line = String::new();
            let count = io::stdin().lock().read_line(&mut line).map_err(|error| read_failure(&error))?;
            if self.interrupt.is_asked() {
                return Err(stopped());
            }
            if count == 0 || line.trim_end() == END {
                return Ok(());
            }
            take(line.as_bytes());
        }
    }

    /// Writes the data of a COPY where it is to go.
    fn copy_to(&mut self, rows: multiloop::CopyOut, out: Option<&mut dyn Write>) -> Result<String, Trouble> {
        let mut standard = BufWriter::new(io::stdout().lock());
        let target: &mut dyn Write = match (out, self.once.as_mut().or(self.target.as_mut())) {
            (Some(out), _) => out,
            (None, Some(target)) => target,
            (None, None) => &mut standard,
        };
        let written = copy_out(rows, target).map_err(|fault| Trouble::of_copy(&fault))?;
        match written.and_then(|tag| target.flush().map(|()| tag)) {
            Ok(tag) => Ok(tag),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok("COPY".to_owned()),
            Err(error) => Err(read_failure(&error)),
        }
    }

    /// `\copy`: as COPY, with a file here, a command, or where the command stands.
    pub(super) fn copy_command(&mut self, text: &str, source: &mut Source<'_>) -> Flow {
        let copy = match Copy::parse(text) {
            Ok(copy) => copy,
            Err(message) => return self.complain(&format!("\\copy: {message}")),
        };
        self.interrupt.begin(Some(self.session.cancel_handle()));
        let (at, done) = (source.at, self.run_copy_command(&copy, source));
        self.session.forget_cancellation();
        self.interrupt.end();
        self.bar.clear();
        match done {
            Ok(Some(rows)) => {
                self.variables.set("ROW_COUNT", rows.to_string());
                Flow::Go
            }
            // The engine has done it, and told.
            Ok(None) => Flow::Go,
            Err(trouble) => {
                self.tell(trouble, text, &source.place(at));
                Flow::Failed
            }
        }
    }

    fn run_copy_command(&mut self, copy: &Copy<'_>, source: &mut Source<'_>) -> Result<Option<u64>, Trouble> {
        let Copy { what, is_from, place, options } = copy;
        if let Place::File(path) = place
            && is_engines(path, options)
        {
            let path = expanded_path(path);
            let direction = if *is_from { "FROM" } else { "TO" };
            let sql = format!("COPY {what} {direction} {} {options}", quote::text(&path.to_string_lossy()));
            let how = super::send::Use::Show(self.style.clone());
            return match self.send(&sql, &how, source) {
                Flow::Go => Ok(None),
                // It is told already.
                _ => Err(self.last_error.clone().map_or_else(stopped, |told| Trouble { text: String::new(), ..told })),
            };
        }
        let sql = format!("COPY {what} {} {options}", if *is_from { "FROM STDIN" } else { "TO STDOUT" });
        if *is_from {
            return self.copy_from(&sql, place, source).map(Some);
        }
        self.copy_to_place(&sql, place, source).map(Some)
    }

    fn copy_to_place(&mut self, sql: &str, place: &Place, source: &mut Source<'_>) -> Result<u64, Trouble> {
        let (target, beside) = match place {
            Place::Here => return self.run_copy(sql, Data::Script, None, source),
            Place::Standard => {
                let mut out = BufWriter::new(io::stdout());
                return self.run_copy(sql, Data::Script, Some(&mut out), source);
            }
            Place::Program(command) => (Target::open(&format!("|{command}")), None),
            Place::File(path) => {
                let beside = Beside::of(expanded_path(path));
                (Target::file(&beside.temporary), Some(beside))
            }
        };
        let mut target = target.map_err(|message| of_place(&message))?;
        let done = self.run_copy(sql, Data::Script, Some(&mut target), source);
        let closed = target.close();
        let rows = done?;
        closed.and_then(|()| beside.map_or(Ok(()), Beside::finish)).map_err(|message| of_place(&message))?;
        Ok(rows)
    }

    fn copy_from(&mut self, sql: &str, place: &Place, source: &mut Source<'_>) -> Result<u64, Trouble> {
        match place {
            Place::Here => self.run_copy(sql, data_of(source), None, source),
            Place::Standard => self.run_copy(sql, Data::Reader(Box::new(io::stdin().lock())), None, source),
            Place::File(path) => {
                let path = expanded_path(path);
                let file = std::fs::File::open(&path);
                let file = file.map_err(|error| of_place(&format!("{}: {error}", path.display())))?;
                self.run_copy(sql, Data::Reader(Box::new(BufReader::new(file))), None, source)
            }
            Place::Program(command) => {
                let failed = |error: io::Error| of_place(&format!("{command}: {error}"));
                let spawned = Command::new("sh").args(["-c", command]).stdout(Stdio::piped()).spawn();
                let mut child = spawned.map_err(failed)?;
                let output: Box<dyn Read> = match child.stdout.take() {
                    Some(output) => Box::new(output),
                    None => Box::new(io::empty()),
                };
                let done = self.run_copy(sql, Data::Reader(output), None, source);
                let status = child.wait().map_err(failed)?;
                match done {
                    Ok(_) if !status.success() => Err(of_place(&format!("{command}: it ended with {status}"))),
                    done => done,
                }
            }
        }
    }
}

impl<'t> Copy<'t> {
    /// Takes apart `table (columns) FROM file options`, `(query) TO file options`.
    fn parse(text: &'t str) -> Result<Self, String> {
        let seen = |token: &Token| !matches!(token.kind, Kind::Space | Kind::Comment);
        let mut all = tokens(text, 0).filter(seen);
        let mut depth = 0_usize;
        let way = loop {
            let token = all.next().ok_or("FROM or TO is missing")?;
            match token.kind {
                Kind::Symbol('(') => depth += 1,
                Kind::Symbol(')') => depth = depth.saturating_sub(1),
                Kind::Word if depth == 0 && is_word(text, &token, &["from", "to"]) => break token,
                _ => {}
            }
        };
        let is_from = is_word(text, &way, &["from"]);
        let first = all.next().ok_or("a file is missing")?;
        let (place, end) = if is_word(text, &first, &["program"]) {
            let command = all.next().filter(|token| token.kind == Kind::Text && token.is_whole);
            let command = command.ok_or("PROGRAM takes a command in quotes")?;
            (Place::Program(unquoted(&text[command.range.clone()])), command.range.end)
        } else if is_word(text, &first, &["stdin", "stdout"]) {
            (Place::Here, first.range.end)
        } else if is_word(text, &first, &["pstdin", "pstdout"]) {
            (Place::Standard, first.range.end)
        } else if first.kind == Kind::Text {
            if !first.is_whole {
                return Err("unterminated quoted string".to_owned());
            }
            (Place::File(unquoted(&text[first.range.clone()])), first.range.end)
        } else {
            // A path without quotes ends at a blank.
            let rest = &text[first.range.start..];
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (Place::File(rest[..end].trim_end_matches(';').to_owned()), first.range.start + end)
        };
        let what = text[..way.range.start].trim();
        if what.is_empty() {
            return Err("a table, or a query in brackets, is missing".to_owned());
        }
        Ok(Copy { what, is_from, place, options: text[end..].trim().trim_end_matches(';') })
    }
}

/// Where the data of a statement is: a script has it, and who types it types on; that of an argument is standard input.
fn data_of<'s>(source: &Source<'_>) -> Data<'s> {
    match source.is_typed || source.file.is_some() {
        true => Data::Script,
        false => Data::Reader(Box::new(io::stdin().lock())),
    }
}

fn is_word(text: &str, token: &Token, words: &[&str]) -> bool {
    let written = &text[token.range.clone()];
    token.kind == Kind::Word && words.iter().any(|word| written.eq_ignore_ascii_case(word))
}

/// What a string in quotes says.
fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    inner.unwrap_or(text).replace("''", "'")
}

/// Whether the engine reads and writes such files itself: those whose ending or options name a format of files. Otherwise data is
/// PostgreSQL's text, as with psql.
fn is_engines(path: &str, options: &str) -> bool {
    let mut words = tokens(options, 0).filter(|token| token.kind == Kind::Word || token.kind == Kind::Text);
    let format = words.by_ref().find(|token| is_word(options, token, &["format"])).and_then(|_| words.next());
    match format {
        Some(format) => {
            let name = options[format.range].trim_matches('\'').to_ascii_lowercase();
            !matches!(name.as_str(), "text" | "binary")
        }
        None => {
            let is_csv = tokens(options, 0).any(|token| is_word(options, &token, &["csv"]));
            is_csv || Format::of_path(path).is_some()
        }
    }
}

fn is_from_stdin(text: &str) -> bool {
    tokens(text, 0).any(|token| is_word(text, &token, &["stdin"]))
}

fn is_to(text: &str) -> bool {
    tokens(text, 0).any(|token| is_word(text, &token, &["stdout"]))
}

fn read_failure(error: &io::Error) -> Trouble {
    of_place(&format!("reading or writing data: {error}"))
}

/// What is wrong with the place of data, and not with a statement.
fn of_place(message: &str) -> Trouble {
    Trouble::of(&Error::new(ErrorKind::Io, message), "")
}

fn stopped() -> Trouble {
    Trouble::of(&Error::new(ErrorKind::Cancelled, "canceling statement due to user request"), "")
}

#[cfg(test)]
mod tests {
    use super::{Copy, Place, is_engines};

    #[test]
    fn copies_are_taken_apart() {
        let file = |path: &str| Place::File(path.to_owned());
        let cases = [
            ("t from 'a b.csv' (format csv)", ("t", true, file("a b.csv"), "(format csv)")),
            ("t (a, \"from\") FROM data.txt;", ("t (a, \"from\")", true, file("data.txt"), "")),
            ("(select 1 from t) to pstdout", ("(select 1 from t)", false, Place::Standard, "")),
            ("t to program 'gzip > ''x''' csv", ("t", false, Place::Program("gzip > 'x'".to_owned()), "csv")),
            ("s.t from stdin", ("s.t", true, Place::Here, "")),
        ];
        for (text, (what, is_from, place, options)) in cases {
            assert_eq!(Copy::parse(text), Ok(Copy { what, is_from, place, options }), "{text}");
        }
        assert!(["t", "t from", "from 'x'", "t from 'x"].iter().all(|text| Copy::parse(text).is_err()));
    }

    #[test]
    fn the_engine_copies_files_of_its_formats() {
        assert!(is_engines("a.parquet", "") && is_engines("a", "(format parquet)") && is_engines("a", "csv header"));
        assert!(
            !is_engines("a.txt", "") && !is_engines("a.csv", "(format text)") && !is_engines("a", "(FORMAT 'binary')")
        );
    }
}
