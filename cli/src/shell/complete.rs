//! What Tab offers: keywords, tables, columns of the tables that are named, functions, settings, files, commands.
//!
//! The words before the cursor say what may stand there. Names are asked of `pg_catalog` when the key is pressed.

use super::lex::{Kind, Token, is_word, next_stop, tokens};
use super::{expanded_path, lex};
use super::{help, send, settings, words};
use crate::display::Format;
use crate::quote;
use clap::ValueEnum as _;
use multiloop::format::Format as FileFormat;
use multiloop::{Session, TransactionStatus};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// A file of more bytes is not read to learn its columns, unless it has them at its end.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Offers that are made at most.
const OFFERS_MAX: usize = 1000;

/// What may stand for the word before the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) shown: String,
    pub(super) text: String,
}

impl Offer {
    fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Offer { shown: text.clone(), text }
    }
}

/// What completes words.
pub(super) struct Completer<'a> {
    session: &'a Session,
    functions: OnceCell<Vec<String>>,
    settings: OnceCell<Vec<String>>,
}

/// A table that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    /// As it is written.
    table: String,
    /// What its columns are asked by: its alias, or its name without the schema.
    alias: String,
}

impl<'a> Completer<'a> {
    pub(super) fn new(session: &'a Session) -> Self {
        Completer { session, functions: OnceCell::new(), settings: OnceCell::new() }
    }

    /// Where the word before the cursor begins, and what may stand for it.
    pub(super) fn complete(&self, line: &str, cursor: usize) -> (usize, Vec<Offer>) {
        let start = statement_start(line, cursor);
        let before = &line[start..cursor];
        let trimmed = before.trim_start();
        let (at, mut offers) = if trimmed.starts_with('\\') || trimmed.starts_with('.') {
            self.of_command(line, start, cursor)
        } else {
            // What stands behind the cursor may name tables.
            let end = start + lex::next_stop_at(&line[start..]);
            self.of_statement(line, start..cursor, &line[start..end.max(cursor)])
        };
        offers.truncate(OFFERS_MAX);
        (at, offers)
    }

    fn of_command(&self, line: &str, start: usize, cursor: usize) -> (usize, Vec<Offer>) {
        let at = line[..cursor].rfind(|c: char| c.is_whitespace()).map_or(start, |blank| blank + 1).max(start);
        let typed = &line[at..cursor];
        let command = line[start..cursor].trim_start();
        let Some((name, _)) = command.split_once(char::is_whitespace) else {
            let known = help::COMMANDS.iter().map(|(name, ..)| format!("\\{name}"));
            let known = known.chain(help::DOT_COMMANDS.iter().map(|(name, ..)| (*name).to_owned()));
            return (at, known.filter(|name| name.starts_with(typed)).map(Offer::plain).collect());
        };
        let words: Vec<&str> = command[..command.len() - typed.len()].split_whitespace().collect();
        let of = |known: &[&str]| {
            let fits = known.iter().filter(|known| known.starts_with(typed));
            fits.map(|known| Offer::plain(*known)).collect::<Vec<_>>()
        };
        let formats = || Format::value_variants().iter().map(|format| format.name()).collect::<Vec<_>>();
        let of_formats = || formats().into_iter().filter(|name| name.starts_with(typed)).map(Offer::plain).collect();
        let offers = match (name, &words[..]) {
            ("\\pset", [_]) => of(&settings::OPTIONS),
            ("\\pset", [_, "format"]) | ("\\format" | ".mode", [_]) => of_formats(),
            ("\\pset", [_, "expanded"]) | ("\\x", _) => of(&["on", "off", "auto"]),
            ("\\pset" | "\\timing" | "\\t", _) => of(&["on", "off"]),
            (".headers" | ".timer" | ".bail" | ".echo", _) => of(&["on", "off"]),
            ("\\set" | "\\unset", [_]) => of(&["ECHO", "ON_ERROR_STOP", "PROMPT1", "QUIET", "VERBOSITY"]),
            ("\\set", [_, "VERBOSITY"]) => of(&["default", "verbose", "terse", "sqlstate"]),
            ("\\set", [_, "ECHO"]) => of(&["all", "errors", "none", "queries"]),
            ("\\df" | "\\df+" | "\\da", _) => fitting(self.functions().iter(), typed),
            ("\\dn" | "\\dn+", _) => fitting(self.schemas().iter(), typed),
            ("\\copy", _) if words.len() == 1 => fitting(self.tables().iter(), typed),
            ("\\copy", _) if matches!(words.last(), Some(&"from" | &"to" | &"FROM" | &"TO")) => {
                return files(line, at, cursor);
            }
            ("\\i" | "\\ir" | "\\o" | "\\w" | "\\e" | "\\cd" | "\\g" | "\\gx" | "\\s", _)
            | (".read" | ".output" | ".once" | ".open" | ".import" | ".cd", [_]) => return files(line, at, cursor),
            (name, _) if name.starts_with("\\d") || name == "\\sv" => fitting(self.tables().iter(), typed),
            (".schema" | ".dump" | ".tables", _) => fitting(self.tables().iter(), typed),
            _ => Vec::new(),
        };
        (at, offers)
    }

    fn of_statement(&self, line: &str, range: std::ops::Range<usize>, statement: &str) -> (usize, Vec<Offer>) {
        let before = &line[range.clone()];
        let all: Vec<Token> = tokens(before, 0).collect();
        if let Some(last) = all.last()
            && last.kind == Kind::Text
            && !last.is_whole
            && before[last.range.clone()].starts_with('\'')
        {
            return files(line, range.start + last.range.start + 1, range.end);
        }
        if all
            .last()
            .is_some_and(|last| matches!(last.kind, Kind::Comment | Kind::Text) && last.range.end == before.len())
        {
            return (range.end, Vec::new());
        }
        let typed = before.rfind(|c: char| !is_word(c)).map_or(before, |at| {
            let width = before[at..].chars().next().map_or(1, char::len_utf8);
            &before[at + width..]
        });
        let at = range.end - typed.len();
        let seen: Vec<&str> = all
            .iter()
            .filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment) && range.start + token.range.start < at)
            .map(|token| &before[token.range.clone()])
            .collect();
        let is_open_name = seen.last().is_some_and(|last| last.starts_with('"') && !last[1..].contains('"'));
        if is_open_name {
            return (at, Vec::new());
        }
        (at, self.names(&seen, typed, statement))
    }

    /// What may stand behind these words.
    fn names(&self, seen: &[&str], typed: &str, statement: &str) -> Vec<Offer> {
        let upper: Vec<String> = seen.iter().map(|word| word.to_ascii_uppercase()).collect();
        let of = |known: &[&str]| keywords(known, typed);
        let (last, clause) = (upper.last().map(String::as_str), clause(&upper));
        match last {
            None => return of(words::STARTS),
            Some(".") => return self.behind_dot(seen.get(seen.len().wrapping_sub(2)).copied(), typed, statement),
            Some(":") if upper.len() > 1 && upper[upper.len() - 2] == ":" => {
                return fitting(words::TYPES.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().iter(), typed);
            }
            Some(last) if words::BEFORE_SETTINGS.contains(&last) && upper.len() <= 2 => {
                let mut offers = fitting(self.settings().iter(), typed);
                offers.extend(of(&["TABLES", "ALL", "LOCAL", "SESSION"]));
                return offers;
            }
            Some("EXPLAIN" | ")") if clause == Some("EXPLAIN") => return of(words::STARTS),
            _ => {}
        }
        let is_list = last == Some(",") && clause.is_some_and(|clause| words::BEFORE_TABLES.contains(&clause));
        if is_list || last.is_some_and(|last| words::BEFORE_TABLES.contains(&last)) {
            let mut names = self.tables();
            names.extend(with_names(statement));
            names.extend(self.schemas().into_iter().map(|schema| format!("{schema}.")));
            let mut offers = fitting(names.iter(), typed);
            let functions = words::TABLE_FUNCTIONS.iter().filter(|name| name.starts_with(&typed.to_lowercase()));
            offers.extend(functions.map(|name| Offer::plain(*name)));
            offers.extend(of(&["LATERAL", "ONLY", "IF EXISTS", "IF NOT EXISTS"]));
            return offers;
        }
        let is_behind_operand = last.is_some_and(|last| {
            !words::is_keyword(last) && last.ends_with(|c: char| is_word(c) || "\"')*".contains(c))
        });
        if typed.is_empty() && is_behind_operand {
            return of(words::BEHIND_OPERANDS);
        }
        let tables = named_tables(statement);
        let mut names: Vec<String> = tables.iter().flat_map(|named| self.columns(&named.table)).collect();
        // The word itself may look like an alias.
        names.extend(tables.iter().map(|named| named.alias.clone()).filter(|alias| alias != typed));
        let mut offers = fitting(names.iter(), typed);
        if !typed.is_empty() {
            offers.extend(fitting(self.functions().iter(), typed));
        }
        if !typed.is_empty() || offers.is_empty() {
            offers.extend(of(words::CLAUSES));
        }
        let mut known = BTreeSet::new();
        offers.retain(|offer| known.insert(offer.text.clone()));
        offers
    }

    /// What stands behind `name.`: columns of a table that the statement names, or tables of a schema.
    fn behind_dot(&self, owner: Option<&str>, typed: &str, statement: &str) -> Vec<Offer> {
        let Some(owner) = owner else { return Vec::new() };
        let named = named_tables(statement);
        let columns = match named.iter().find(|named| named.alias.eq_ignore_ascii_case(owner)) {
            Some(named) => self.columns(&named.table),
            None => self.columns(owner),
        };
        let of_schema = format!(
            "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v', 'm') AND relnamespace = \
             (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = {}) ORDER BY 1",
            quote::text(&unquoted(owner))
        );
        let tables = if columns.is_empty() { self.asked(&of_schema) } else { Vec::new() };
        fitting(columns.iter().chain(&tables), typed)
    }

    /// Who is asked. An error of what is asked here must not fail the transaction that is open: then it is another session, which
    /// sees what is committed.
    fn with_session<T>(&self, ask: impl FnOnce(&Session) -> T) -> T {
        match self.session.transaction_status() {
            TransactionStatus::Idle => ask(self.session),
            _ => ask(&self.session.engine().session()),
        }
    }

    /// Names, in quotes where they need them.
    fn asked(&self, sql: &str) -> Vec<String> {
        self.texts(sql).iter().map(|name| quote::name(name)).collect()
    }

    fn texts(&self, sql: &str) -> Vec<String> {
        let names = self.with_session(|session| session.sql(sql).and_then(send::rows));
        names.map(|(_, rows)| rows.into_iter().flatten().flatten().collect()).unwrap_or_default()
    }

    fn tables(&self) -> Vec<String> {
        self.asked(
            "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v', 'm') AND pg_table_is_visible(oid) \
             AND relnamespace <> 'pg_catalog'::regnamespace ORDER BY 1",
        )
    }

    fn schemas(&self) -> Vec<String> {
        self.asked("SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname <> 'pg_toast' ORDER BY 1")
    }

    fn functions(&self) -> &[String] {
        self.functions.get_or_init(|| self.asked("SELECT DISTINCT proname FROM pg_catalog.pg_proc ORDER BY 1"))
    }

    fn settings(&self) -> &[String] {
        self.settings.get_or_init(|| self.texts("SELECT name FROM pg_catalog.pg_settings ORDER BY 1"))
    }

    /// The columns of a table or a file, as it is written.
    fn columns(&self, table: &str) -> Vec<String> {
        if let Some(path) = table.strip_prefix('\'') {
            let path = path.trim_end_matches('\'');
            let has_them_at_the_end = matches!(FileFormat::of_path(path), Some(FileFormat::Parquet | FileFormat::Ipc));
            let is_small = std::fs::metadata(path).is_ok_and(|file| file.len() <= FILE_BYTES_MAX);
            if !has_them_at_the_end && !is_small {
                return Vec::new();
            }
            let prepared = self.with_session(|session| session.prepare(&format!("SELECT * FROM {table}")));
            let fields = prepared.ok().and_then(|prepared| prepared.fields().map(<[_]>::to_vec));
            return fields.unwrap_or_default().iter().map(|field| quote::name(&field.name)).collect();
        }
        self.asked(&format!(
            "SELECT attname FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass({}) AND attnum > 0 \
             AND NOT attisdropped ORDER BY attnum",
            quote::text(table)
        ))
    }
}

/// Where the statement, or the command, begins in which the cursor is.
fn statement_start(line: &str, cursor: usize) -> usize {
    let (mut start, mut depth) = (0, 0);
    loop {
        match next_stop(&line[..cursor], start, &mut depth) {
            lex::Stop::Semicolon(at) => (start, depth) = (at + 1, 0),
            lex::Stop::Backslash(at) => match line[at..cursor].find('\n') {
                // The command is over: what goes on is a statement.
                Some(end) => start = at + end + 1,
                None => return at,
            },
            lex::Stop::End { .. } => return start,
        }
    }
}

/// The word that says which clause this is: the last before the end that is not within brackets that are closed.
fn clause(upper: &[String]) -> Option<&str> {
    let mut depth = 0;
    upper.iter().rev().map(String::as_str).find(|word| {
        match *word {
            ")" => depth += 1,
            "(" if depth > 0 => depth -= 1,
            _ => {}
        }
        let is_clause =
            words::BEFORE_TABLES.contains(word) || words::BEFORE_EXPRESSIONS.contains(word) || *word == "EXPLAIN";
        depth == 0 && is_clause
    })
}

/// The tables that a statement names behind FROM, JOIN, INTO and UPDATE.
fn named_tables(statement: &str) -> Vec<Named> {
    let seen = tokens(statement, 0).filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment));
    let seen: Vec<(Kind, &str)> = seen.map(|token| (token.kind, &statement[token.range])).collect();
    let is = |place: usize, words: &[&str]| {
        seen.get(place).is_some_and(|(_, text)| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
    };
    let mut named = Vec::new();
    // The brackets that are open, and how many are around the list of tables that goes on.
    let (mut place, mut depth, mut list) = (0, 0_usize, None);
    while place < seen.len() {
        match seen[place].1 {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let starts = is(place, &["from", "join", "into", "update"]);
        let goes_on = list == Some(depth) && is(place, &[","]);
        if !starts && !goes_on {
            if is(place, words::AFTER_TABLES) {
                list = None;
            }
            place += 1;
            continue;
        }
        place += 1;
        let Some(&(kind, first)) = seen.get(place) else { break };
        if !matches!(kind, Kind::Word | Kind::Name | Kind::Text) {
            continue;
        }
        let (mut table, mut name) = (first.to_owned(), first);
        place += 1;
        while is(place, &["."])
            && let Some(&(_, part)) = seen.get(place + 1)
        {
            table.push_str(&format!(".{part}"));
            (name, place) = (part, place + 2);
        }
        place += usize::from(is(place, &["as"]));
        let alias = match seen.get(place) {
            Some(&(Kind::Word, word)) if !words::is_keyword(word) => {
                place += 1;
                word
            }
            Some(&(Kind::Name, word)) => {
                place += 1;
                word
            }
            _ => name,
        };
        named.push(Named { table, alias: alias.to_owned() });
        list = Some(depth);
    }
    named
}

/// The names that WITH gives.
fn with_names(statement: &str) -> Vec<String> {
    let seen = tokens(statement, 0).filter(|token| !matches!(token.kind, Kind::Space | Kind::Comment));
    let seen: Vec<&str> = seen.map(|token| &statement[token.range]).collect();
    if !seen.first().is_some_and(|first| first.eq_ignore_ascii_case("with")) {
        return Vec::new();
    }
    let named = seen.windows(3).filter(|three| three[1].eq_ignore_ascii_case("as") && three[2] == "(");
    named.map(|three| three[0].to_owned()).collect()
}

fn unquoted(name: &str) -> String {
    match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => name.to_lowercase(),
    }
}

/// The names that a typed word begins.
fn fitting<'n>(names: impl Iterator<Item = &'n String>, typed: &str) -> Vec<Offer> {
    let lower = typed.to_lowercase();
    // Who begins a name that needs quotes need not know that.
    let fits = |name: &&String| name.trim_start_matches('"').to_lowercase().starts_with(&lower);
    names.filter(fits).map(Offer::plain).collect()
}

/// Keywords that a typed word begins: small if it is.
fn keywords(known: &[&str], typed: &str) -> Vec<Offer> {
    let is_small = typed.starts_with(|first: char| first.is_lowercase());
    let upper = typed.to_ascii_uppercase();
    let fits = known.iter().filter(|known| known.starts_with(&upper));
    fits.map(|known| Offer::plain(if is_small { known.to_lowercase() } else { (*known).to_owned() })).collect()
}

/// The files whose path begins as it is typed from a place on.
fn files(line: &str, at: usize, cursor: usize) -> (usize, Vec<Offer>) {
    let quote = usize::from(line[at..cursor].starts_with('\''));
    let at = at + quote;
    let typed = &line[at..cursor];
    let is_quoted = line[..at].ends_with('\'');
    let (folder, start) = typed.rfind('/').map_or(("", typed), |slash| typed.split_at(slash + 1));
    let path = if folder.is_empty() { expanded_path(".") } else { expanded_path(folder) };
    let Ok(entries) = std::fs::read_dir(path) else { return (at, Vec::new()) };
    let mut offers: Vec<Offer> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let fits = name.starts_with(start) && (!name.starts_with('.') || start.starts_with('.'));
            let is_folder = entry.path().is_dir();
            let end = match (is_folder, is_quoted && !line[cursor..].starts_with('\'')) {
                (true, _) => "/",
                (false, true) => "'",
                (false, false) => "",
            };
            let written = if is_quoted { name.replace('\'', "''") } else { name.clone() };
            let shown = if is_folder { format!("{name}/") } else { name };
            fits.then(|| Offer { shown, text: format!("{folder}{written}{end}") })
        })
        .collect();
    offers.sort_by(|one, other| one.shown.cmp(&other.shown));
    (at, offers)
}

#[cfg(test)]
mod tests {
    use super::{Completer, Named, named_tables};
    use multiloop::Engine;

    #[test]
    fn tables_are_found_where_they_are_named() {
        let named = |table: &str, alias: &str| Named { table: table.to_owned(), alias: alias.to_owned() };
        assert_eq!(
            named_tables("SELECT  FROM a, s.b AS x JOIN \"C d\" y ON true, 'f.csv' WHERE d IN (SELECT 1 FROM e)"),
            [named("a", "a"), named("s.b", "x"), named("\"C d\"", "y"), named("'f.csv'", "'f.csv'"), named("e", "e")]
        );
        assert_eq!(named_tables("INSERT INTO t (a, b)"), [named("t", "t")]);
    }

    #[test]
    fn what_stands_before_the_cursor_says_what_is_offered() {
        let session = Engine::builder().threads(1).build().expect("an engine starts").session();
        session
            .sql("CREATE TABLE trips (city text, km int); CREATE TABLE \"Big\" (\"a b\" int); CREATE SCHEMA sales; CREATE TABLE sales.orders (id int)")
            .expect("they are made");
        let completer = Completer::new(&session);
        let offered = |line: &str| {
            // A bar is the cursor.
            let cursor = line.find('|').unwrap_or(line.len());
            let line = line.replace('|', "");
            let (at, offers) = completer.complete(&line, cursor);
            (line[at..cursor].to_owned(), offers.into_iter().map(|offer| offer.text).collect::<Vec<_>>())
        };
        let first = |line: &str| offered(line).1.into_iter().next();
        assert_eq!(first("sel"), Some("select".to_owned()));
        assert_eq!(first("SELECT 1; SEL"), Some("SELECT".to_owned()));
        assert_eq!(offered("SELECT * FROM tr").1, ["trips"]);
        assert_eq!(offered("SELECT * FROM trips, \"").1, Vec::<String>::new());
        assert_eq!(first("select * from trips, bi"), Some("\"Big\"".to_owned()));
        assert_eq!(offered("SELECT ci| FROM trips").1[0], "city");
        assert_eq!(offered("SELECT t.| FROM trips t").1, ["city", "km"]);
        assert_eq!(offered("SELECT * FROM sales.").1, ["orders"]);
        assert_eq!(offered("SELECT * FROM trips WHERE k").1[0], "km");
        assert_eq!(offered("SELECT * FROM trips ORDE").1, ["ORDER BY"]);
        assert_eq!(first("SELECT * FROM trips "), Some("WHERE".to_owned()));
        assert_eq!(offered("SELECT | FROM trips").1, ["city", "km", "trips"]);
        assert_eq!(first("SELECT ab"), Some("abs".to_owned()));
        assert_eq!(offered("SET timez").1, ["TimeZone"]);
        assert_eq!(offered("\\tim").1, ["\\timing"]);
        assert_eq!(offered("\\pset form").1, ["format"]);
        assert_eq!(offered("\\pset format mark").1, ["markdown"]);
        assert_eq!(offered("\\d tri").1, ["trips"]);
        assert_eq!(offered(".mode ndj").1, ["ndjson"]);
        assert_eq!(offered("INSERT INTO tri").1, ["trips"]);
        assert_eq!(offered("SELECT 1::big").1, ["bigint"]);
        assert!(offered("SELECT 'x' -- tri").1.is_empty());
    }

    #[test]
    fn files_are_offered_in_quotes() {
        let session = Engine::builder().threads(1).build().expect("an engine starts").session();
        let folder = std::env::temp_dir().join(format!("multiloop-complete-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).expect("a folder is made");
        std::fs::write(folder.join("it's.csv"), "a\n1\n").expect("a file is written");
        let typed = format!("SELECT * FROM '{}/", folder.display());
        let (at, offers) = Completer::new(&session).complete(&typed, typed.len());
        let texts: Vec<&str> = offers.iter().map(|offer| offer.text.as_str()).collect();
        assert_eq!(&typed[..at], "SELECT * FROM '");
        assert_eq!(texts, [format!("{}/it''s.csv'", folder.display()), format!("{}/sub/", folder.display())]);
        std::fs::remove_dir_all(&folder).expect("it goes");
    }
}
