//! DuckDB's and SQLite's commands, which begin with a dot: other names for what backslash commands do.

use super::help::DOT_COMMANDS;
use super::settings::{format_named, switch};
use super::{Flow, Shell, Source, expanded_path, help, lex, send};
use crate::display::Format;
use crate::quote;

impl Shell<'_> {
    /// Does a command with a dot.
    pub(super) fn dot_command(&mut self, line: &str, source: &mut Source<'_>) -> Flow {
        let words = match words(line) {
            Ok(words) => words,
            Err(message) => return self.complain(&message),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let at = source.at.saturating_sub(1);
        let done = match words.split_first() {
            Some((name, arguments)) => self.run_dot(name, arguments, line, source),
            None => Ok(Flow::Go),
        };
        done.unwrap_or_else(|message| self.complain(&format!("{}{message}", source.place(at))))
    }

    fn run_dot(&mut self, name: &str, words: &[&str], line: &str, source: &mut Source<'_>) -> Result<Flow, String> {
        let first = words.first().copied();
        let needed = |what: &str| first.ok_or_else(|| format!("{name}: {what} is missing"));
        match full_name(name)? {
            ".bail" => {
                let value = if switch(words, ".bail")? { "on" } else { "off" };
                self.variables.set("ON_ERROR_STOP", value);
            }
            ".cd" => {
                let folder = expanded_path(needed("a folder")?);
                std::env::set_current_dir(&folder).map_err(|error| format!(".cd: {}: {error}", folder.display()))?;
            }
            ".columns" => self.set_option("format", Some("table"))?,
            ".databases" => return self.describe("l", &[], source),
            ".dump" => return self.dump(first, source),
            ".echo" => self.variables.set("ECHO", if switch(words, ".echo")? { "queries" } else { "none" }),
            ".exit" | ".quit" => return Ok(Flow::Quit),
            ".headers" => self.style.header = switch(words, ".headers")?,
            ".help" => self.page(&help::dots()),
            ".import" => return self.import(words, source),
            ".indexes" => return self.describe("di", words, source),
            ".maxrows" => self.set_option("maxrows", Some(needed("a number")?))?,
            ".mode" => self.mode(words)?,
            ".nullvalue" => self.style.null = Some(needed("a text")?.to_owned()),
            ".once" => self.once = Some(super::Target::open(&target_of(line, needed("a file")?))?),
            ".open" => {
                let opened = super::open_files(self.session, &[needed("a file")?.to_owned()]);
                opened.iter().for_each(|view| say!("{view}"));
                return Ok(if opened.is_empty() { Flow::Failed } else { Flow::Go });
            }
            ".output" => {
                let to = first.filter(|&first| first != "stdout").map(|first| target_of(line, first));
                self.redirect(to.as_deref())?;
            }
            ".print" => say!("{}", words.join(" ")),
            ".prompt" => self.variables.set("PROMPT1", needed("a text")?),
            ".read" => return Ok(self.run_file(&expanded_path(needed("a file")?))),
            ".schema" => return self.schema(first, source),
            ".separator" => self.style.field_separator = needed("a text")?.to_owned(),
            ".shell" => return Ok(self.system(line[name.len()..].trim())),
            ".tables" => return self.describe("dtv", words, source),
            ".timer" => self.timing = switch(words, ".timer")?,
            _ => return Err(format!("unknown command {name}; .help lists them")),
        }
        Ok(Flow::Go)
    }

    /// `.mode MODE [TABLE]`.
    fn mode(&mut self, words: &[&str]) -> Result<(), String> {
        let Some((mode, more)) = words.split_first() else {
            say!("current output mode: {}", self.style.format.name());
            return Ok(());
        };
        self.style.format = format_named(mode)?;
        if let (Format::Insert, Some(table)) = (self.style.format, more.first()) {
            self.style.table = (*table).to_owned();
        }
        Ok(())
    }

    /// `.import FILE TABLE`.
    fn import(&mut self, words: &[&str], source: &mut Source<'_>) -> Result<Flow, String> {
        let [file, table] = words else { return Err(".import takes a file and a table".to_owned()) };
        let path = expanded_path(file);
        let (file, table) = (quote::text(&path.to_string_lossy()), quote::name(table));
        let known =
            format!("SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass({})", quote::text(&table));
        let is_there = self.session.sql(&known).and_then(send::first_text);
        let is_there = is_there.map_err(|error| error.message().to_owned())?.is_some_and(|count| count != "0");
        let sql = match is_there {
            true => format!("COPY {table} FROM {file}"),
            false => format!("CREATE TABLE {table} AS SELECT * FROM {file}"),
        };
        Ok(self.send(&sql, &send::Use::Show(self.style.clone()), source))
    }
}

/// The whole name of a command that may be shortened, as `.q`.
fn full_name(name: &str) -> Result<&'static str, String> {
    let name = if name == ".index" { ".indexes" } else { name };
    let mut fitting = DOT_COMMANDS.iter().map(|(known, ..)| *known).filter(|known| known.starts_with(name));
    let found = DOT_COMMANDS.iter().map(|(known, ..)| *known).find(|known| *known == name);
    match (found, fitting.next(), fitting.next()) {
        (Some(found), ..) => Ok(found),
        (None, Some(found), None) => Ok(found),
        (None, None, _) => Err(format!("unknown command {name}; .help lists them")),
        (None, Some(one), Some(other)) => Err(format!("{name} may be {one} or {other}")),
    }
}

/// What `.output` and `.once` are told: a command takes the rest of the line.
fn target_of(line: &str, first: &str) -> String {
    match line.split_once('|') {
        Some((before, command)) if before.split_whitespace().count() == 1 => format!("|{command}"),
        _ => first.to_owned(),
    }
}

/// The words of a line: between blanks, or in quotes of either kind.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut characters) = (Vec::new(), line.chars().peekable());
    while let Some(&first) = characters.peek() {
        if first.is_whitespace() {
            characters.next();
            continue;
        }
        let mut word = String::new();
        if matches!(first, '\'' | '"') {
            characters.next();
            loop {
                match characters.next() {
                    None => return Err("unterminated quoted string".to_owned()),
                    Some('\\') if first == '"' => match characters.next() {
                        Some('n') => word.push('\n'),
                        Some('t') => word.push('\t'),
                        Some(other) => word.push(other),
                        None => {}
                    },
                    Some(end) if end == first => break,
                    Some(other) => word.push(other),
                }
            }
        } else {
            while let Some(character) = characters.next_if(|character| !character.is_whitespace()) {
                word.push(character);
            }
        }
        words.push(word);
    }
    // A semicolon at the end is a habit.
    if let Some(last) = words.last_mut()
        && last.len() > 1
        && last.ends_with(';')
        && words_end_with_habit(line)
    {
        last.pop();
    }
    Ok(words)
}

fn words_end_with_habit(line: &str) -> bool {
    lex::tokens(line, 0).last().is_some_and(|token| token.kind == lex::Kind::Symbol(';'))
}

#[cfg(test)]
mod tests {
    use super::{full_name, words};

    #[test]
    fn words_of_a_line() {
        assert_eq!(words(".mode csv;"), Ok(vec![".mode".to_owned(), "csv".to_owned()]));
        assert_eq!(words(".print 'a b' \"c\\td\""), Ok(vec![".print".to_owned(), "a b".to_owned(), "c\td".to_owned()]));
        assert!(words(".print 'a").is_err());
    }

    #[test]
    fn names_may_be_shortened_while_they_are_one() {
        assert_eq!(full_name(".ta"), Ok(".tables"));
        assert_eq!(full_name(".header"), Ok(".headers"));
        assert!(full_name(".e").is_err() && full_name(".nope").is_err());
    }
}
