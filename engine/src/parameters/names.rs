//! Names of parameters in the text of a statement: `:name` and `$name` become `$1`, `$2`, ….
//!
//! Strings, quoted names, comments and dollar quotes are passed over, as are casts (`::`). In subscripts a `:` is that of a slice,
//! `a[1:n]`, so that a parameter there has to be a `$name`; among the elements of `ARRAY[:a, :b]` and within parentheses it is one.
//! A number takes the room of the name where it is shorter; where it is longer, as `$10` for `:a`, the text remembers what has moved
//! ([`Moves`]), so that the places of errors are those of the text that was given.

use crate::{Error, ErrorKind, Result};
use multiloop_planner::sql::Moves;

/// A text whose parameters are numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbered {
    pub(crate) text: String,
    /// The names that it had, in the order of their numbers.
    pub(crate) names: Vec<String>,
    /// Where its pieces stand in the text with names.
    pub(crate) moves: Moves,
}

/// The text with numbers. A text that has numbers as well as names is an error (42P02).
pub(crate) fn with_numbers(sql: &str) -> Result<Numbered> {
    let found = Names::of(sql);
    if found.highest > 0 && !found.names.is_empty() {
        let message = "a statement has parameters by name or by number, not both";
        return Err(Error::new(ErrorKind::UnknownParameter, message));
    }
    Ok(Numbered { text: found.text, names: found.names, moves: found.moves })
}

/// The highest number of a parameter in a text; 0 if there is none.
pub(crate) fn highest_number(sql: &str) -> usize {
    Names::of(sql).highest
}

struct Names<'a> {
    sql: &'a str,
    at: usize,
    text: String,
    names: Vec<String>,
    moves: Moves,
    highest: usize,
    /// What is open, the innermost last.
    within: Vec<Within>,
}

/// What stands between two brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// `( )`.
    Parentheses,
    /// `[ ]` of an array's elements.
    Elements,
    /// `[ ]` behind a value.
    Subscript,
}

/// Words behind which a bracket begins a list of elements.
const BEFORE_ELEMENTS: &[&str] = &[
    "array",
    "select",
    "in",
    "and",
    "or",
    "not",
    "when",
    "then",
    "else",
    "where",
    "on",
    "by",
    "returning",
    "having",
    "distinct",
    "all",
    "between",
    "like",
    "is",
    "from",
];

impl<'a> Names<'a> {
    fn of(sql: &'a str) -> Self {
        let text = String::with_capacity(sql.len());
        let moves = Moves::default();
        let mut found = Names { sql, at: 0, text, names: Vec::new(), moves, highest: 0, within: Vec::new() };
        found.scan();
        found
    }

    fn scan(&mut self) {
        while let Some(next) = self.sql[self.at..].chars().next() {
            let rest = &self.sql[self.at..];
            match next {
                '\'' | '"' => self.pass(quoted(rest, next, next == '\'' && self.is_escaped())),
                '-' if rest.starts_with("--") => self.pass(rest.find('\n').unwrap_or(rest.len())),
                '/' if rest.starts_with("/*") => self.pass(comment(rest)),
                '$' if !self.is_in_word() => match dollar_quoted(rest) {
                    Some(length) => self.pass(length),
                    None => {
                        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                        self.highest = self.highest.max(rest[1..=digits].parse().unwrap_or(0));
                        self.name(rest);
                    }
                },
                ':' if rest.starts_with("::") || rest.starts_with(":=") => self.pass(2),
                ':' if self.within.last() != Some(&Within::Subscript) => self.name(rest),
                next => {
                    match next {
                        '(' => self.within.push(Within::Parentheses),
                        '[' if self.is_behind_value() => self.within.push(Within::Subscript),
                        '[' => self.within.push(Within::Elements),
                        ')' | ']' => drop(self.within.pop()),
                        _ => {}
                    }
                    self.pass(next.len_utf8());
                }
            }
        }
    }

    fn pass(&mut self, length: usize) {
        self.text.push_str(&self.sql[self.at..self.at + length]);
        self.at += length;
    }

    /// Whether a value or the name of one ends here, so that a bracket is that of a subscript.
    fn is_behind_value(&self) -> bool {
        let before = self.sql[..self.at].trim_end();
        let Some(last) = before.chars().next_back() else { return false };
        if matches!(last, ')' | ']' | '"' | '\'') {
            return true;
        }
        let is_of_word = |each: char| each.is_alphanumeric() || matches!(each, '_' | '$');
        let word = &before[before.trim_end_matches(is_of_word).len()..];
        !word.is_empty() && !BEFORE_ELEMENTS.iter().any(|known| word.eq_ignore_ascii_case(known))
    }

    /// Whether the last characters belong to a word, in which a `$` may stand.
    fn is_in_word(&self) -> bool {
        self.sql[..self.at].chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_' || last == '$')
    }

    /// Whether a string that begins here has escapes: `E'…'`.
    fn is_escaped(&self) -> bool {
        let mut before = self.sql[..self.at].chars().rev();
        matches!(before.next(), Some('e' | 'E'))
            && !before.next().is_some_and(|other| other.is_alphanumeric() || other == '_' || other == '$')
    }

    /// A mark with the name behind it, if there is one.
    fn name(&mut self, rest: &str) {
        let length = word(&rest[1..]);
        if length == 0 {
            return self.pass(1);
        }
        let name = &rest[1..=length];
        let number = match self.names.iter().position(|known| known == name) {
            Some(at) => at + 1,
            None => {
                self.names.push(name.to_owned());
                self.names.len()
            }
        };
        let number = format!("${number}");
        self.text.push_str(&format!("{number:<width$}", width = length + 1));
        self.at += length + 1;
        if number.len() > length + 1 {
            self.moves.push(self.text.len(), self.at);
        }
    }
}

/// Bytes of a name that a text begins with.
fn word(text: &str) -> usize {
    if !text.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        return 0;
    }
    text.find(|each: char| !each.is_alphanumeric() && each != '_').unwrap_or(text.len())
}

/// Bytes of a string or a quoted name; all that is left of one without an end.
fn quoted(text: &str, quote: char, has_escapes: bool) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, next)) = characters.next() {
        if next == '\\' && has_escapes {
            characters.next();
        } else if next == quote {
            // Two of them are one within.
            if characters.next_if(|&(_, behind)| behind == quote).is_none() {
                return at + 1;
            }
        }
    }
    text.len()
}

/// Bytes of a comment, in which others may be.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

/// Bytes of a string between `$tag$` and the same; none of what begins none.
fn dollar_quoted(text: &str) -> Option<usize> {
    let length = word(&text[1..]);
    if !text[1 + length..].starts_with('$') {
        return None;
    }
    let tag = &text[..length + 2];
    Some(text[tag.len()..].find(tag).map_or(text.len(), |end| tag.len() + end + tag.len()))
}

#[cfg(test)]
mod tests {
    use super::{Numbered, with_numbers};

    #[test]
    fn names_become_numbers() {
        for (sql, text, names) in [
            ("SELECT :a, $b, :a", "SELECT $1, $2, $1", &["a", "b"][..]),
            ("SELECT :name::int", "SELECT $1   ::int", &["name"]),
            (
                "SELECT ':a', \":b\", E'\\':c', 'it''s :d' -- :e\n, :f",
                "SELECT ':a', \":b\", E'\\':c', 'it''s :d' -- :e\n, $1",
                &["f"],
            ),
            ("/* :a /* :b */ :c */ :d", "/* :a /* :b */ :c */ $1", &["d"]),
            ("SELECT $$ :a $$, $t$ $$ :b $t$, $t", "SELECT $$ :a $$, $t$ $$ :b $t$, $1", &["t"]),
            ("SELECT a[1:n], a[$n:2], a$b, x:=1, ärger", "SELECT a[1:n], a[$1:2], a$b, x:=1, ärger", &["n"]),
            ("SELECT ARRAY[:a, :b], array [[:a], [:c]]", "SELECT ARRAY[$1, $2], array [[$1], [$3]]", &["a", "b", "c"]),
            ("SELECT a[f(:x)], a[1:n], ANY(ARRAY[:y])", "SELECT a[f($1)], a[1:n], ANY(ARRAY[$2])", &["x", "y"]),
            ("SELECT (a)[1:n], b[1][2:n], [:v], :v", "SELECT (a)[1:n], b[1][2:n], [$1], $1", &["v"]),
            ("SELECT ARRAY[a[1:n], :v], x[(:w)]", "SELECT ARRAY[a[1:n], $1], x[($2)]", &["v", "w"]),
            ("SELECT E'it''s \\':a\\'', :b", "SELECT E'it''s \\':a\\'', $1", &["b"]),
            ("SELECT \"a\"\":x\", ''':y', :z", "SELECT \"a\"\":x\", ''':y', $1", &["z"]),
            ("SELECT $1, $2", "SELECT $1, $2", &[]),
            ("SELECT 'no end :a", "SELECT 'no end :a", &[]),
            ("SELECT : a, $", "SELECT : a, $", &[]),
        ] {
            let Numbered { text: found, names: all, .. } = with_numbers(sql).expect("it has names alone");
            assert_eq!((found.as_str(), all.iter().map(String::as_str).collect::<Vec<_>>()), (text, names.to_vec()));
        }
        assert_eq!(with_numbers("SELECT $1, :a").expect_err("both").sqlstate(), "42P02");
    }
}
