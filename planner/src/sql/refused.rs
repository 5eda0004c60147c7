//! Names statements of PostgreSQL that Multiloop does not do, for the error that says so: `ALTER TABLE … ADD COLUMN`.

use crate::error::{Error, Position};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// What may stand between CREATE and the kind of an object.
const MODIFIERS: [&str; 12] = [
    "or",
    "replace",
    "temp",
    "temporary",
    "unlogged",
    "global",
    "local",
    "unique",
    "recursive",
    "constraint",
    "trusted",
    "procedural",
];

/// Kinds of objects whose names are two words.
const LONG_KINDS: [(&str, &str); 13] = [
    ("materialized", "view"),
    ("foreign", "table"),
    ("foreign", "data"),
    ("event", "trigger"),
    ("user", "mapping"),
    ("default", "privileges"),
    ("access", "method"),
    ("operator", "class"),
    ("operator", "family"),
    ("text", "search"),
    ("large", "object"),
    ("owned", "by"),
    ("external", "table"),
];

/// Kinds that are PostgreSQL's, of which nothing can be created, altered or dropped here.
const FOREIGN_KINDS: [&str; 27] = [
    "access",
    "aggregate",
    "cast",
    "collation",
    "conversion",
    "database",
    "domain",
    "event",
    "extension",
    "foreign",
    "function",
    "group",
    "language",
    "large",
    "operator",
    "owned",
    "policy",
    "procedure",
    "publication",
    "routine",
    "rule",
    "server",
    "statistics",
    "subscription",
    "system",
    "tablespace",
    "trigger",
];

/// What the changes of ALTER begin with, and what their second word may be.
const CHANGES: [&str; 19] = [
    "add", "alter", "attach", "cluster", "detach", "disable", "drop", "enable", "force", "inherit", "no", "owner",
    "refresh", "rename", "replica", "reset", "set", "validate", "depends",
];
const CHANGED: [&str; 29] = [
    "attribute",
    "check",
    "column",
    "constraint",
    "data",
    "default",
    "foreign",
    "generated",
    "identity",
    "inherit",
    "key",
    "level",
    "logged",
    "not",
    "null",
    "partition",
    "primary",
    "row",
    "rule",
    "schema",
    "security",
    "statistics",
    "storage",
    "tablespace",
    "to",
    "trigger",
    "type",
    "unique",
    "value",
];

/// The error (0A000) for a statement that is not done, which names it.
pub(super) fn unsupported(text: &str) -> Error {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location().unwrap_or_default();
    Error::unsupported(format_args!("{} is", Statement::of(&tokens).name())).at(Some(Position(0)))
}

/// The same for a statement that sqlparser does not know, if it is one of PostgreSQL's; `at` is where it begins.
pub(super) fn unknown_to_parser(tokens: &[TokenWithSpan], at: Position) -> Option<Error> {
    let statement = Statement::of(tokens);
    let is_foreign =
        statement.words.get(statement.kind_at()).is_some_and(|kind| FOREIGN_KINDS.contains(&kind.as_str()));
    let is_changed = matches!(statement.words.first()?.as_str(), "create" | "alter" | "drop");
    let is_other = matches!(statement.words.first()?.as_str(), "do" | "security" | "reindex" | "checkpoint" | "load");
    let name = || Error::unsupported(format_args!("{} is", statement.name())).at(Some(at));
    ((is_changed && is_foreign) || is_other).then(name)
}

/// The words of a statement in small letters; of what is no word the text.
struct Statement {
    words: Vec<String>,
}

impl Statement {
    fn of(tokens: &[TokenWithSpan]) -> Self {
        let word = |token: &TokenWithSpan| match &token.token {
            Token::Whitespace(_) | Token::EOF => None,
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_lowercase()),
            other => Some(other.to_string()),
        };
        // What comes behind says nothing of the kind.
        Statement { words: tokens.iter().filter_map(word).take(40).collect() }
    }

    /// Where the kind of object stands.
    fn kind_at(&self) -> usize {
        let is_modifier = |word: &&String| MODIFIERS.contains(&word.as_str());
        1 + self.words.iter().skip(1).take_while(is_modifier).count()
    }

    fn name(&self) -> String {
        let Some(verb) = self.words.first() else { return "the statement".to_owned() };
        if !["create", "alter", "drop"].contains(&verb.as_str()) {
            return verb.to_ascii_uppercase();
        }
        let mut at = self.kind_at();
        let word = |at: usize| self.words.get(at).map_or("", String::as_str);
        let mut name = verb.clone();
        if word(at).is_empty() || !word(at).bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return name.to_ascii_uppercase();
        }
        let is_long = LONG_KINDS.iter().any(|(first, second)| word(at) == *first && word(at + 1) == *second);
        let kind = self.words[at..].iter().take(1 + usize::from(is_long));
        kind.for_each(|kind| {
            name.push(' ');
            name.push_str(kind);
        });
        at += 1 + usize::from(is_long);
        if verb == "alter" {
            at += self.words[at..].iter().take_while(|word| ["if", "exists", "only"].contains(&word.as_str())).count();
            let changes = self.changes(at);
            if !changes.is_empty() {
                name.push_str(" … ");
                name.push_str(&changes);
            }
        }
        name.to_ascii_uppercase()
    }

    /// What ALTER changes: the words behind the object's name, which ends before the first of them.
    fn changes(&self, name_at: usize) -> String {
        let rest = self.words.get(name_at + 1..).unwrap_or_default();
        let Some(first) = rest.iter().position(|word| CHANGES.contains(&word.as_str())) else { return String::new() };
        let rest = &rest[first..];
        let mut changes = vec![rest[0].as_str()];
        let known =
            |from: usize| rest[from.min(rest.len())..].iter().take_while(|word| CHANGED.contains(&word.as_str()));
        changes.extend(known(1).map(String::as_str));
        // `ALTER [COLUMN] a TYPE int`: what is changed of the column.
        let column = changes.len();
        if rest[0] == "alter"
            && let Some(what) = rest.get(column + 1)
        {
            changes.extend(["…", what.as_str()]);
            changes.extend(known(column + 2).map(String::as_str));
        }
        changes.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_named_by_what_they_do() {
        let cases = [
            ("ALTER TABLE t ADD COLUMN b int", "ALTER TABLE … ADD COLUMN"),
            ("alter table only s.t add b int, drop c", "ALTER TABLE … ADD"),
            ("ALTER TABLE IF EXISTS t ALTER COLUMN a SET NOT NULL", "ALTER TABLE … ALTER COLUMN … SET NOT NULL"),
            ("ALTER TABLE t ALTER a TYPE text USING a::text", "ALTER TABLE … ALTER … TYPE"),
            ("ALTER TABLE \"add\" OWNER TO x", "ALTER TABLE … OWNER TO"),
            ("ALTER MATERIALIZED VIEW v OWNER TO x", "ALTER MATERIALIZED VIEW … OWNER TO"),
            ("CREATE OR REPLACE FUNCTION f() RETURNS int AS $$ $$", "CREATE FUNCTION"),
            ("CREATE TEXT SEARCH DICTIONARY d (template = simple)", "CREATE TEXT SEARCH"),
            ("DROP FUNCTION f", "DROP FUNCTION"),
            ("VACUUM t", "VACUUM"),
            ("ALTER", "ALTER"),
            ("ALTER TABLE", "ALTER TABLE"),
            ("CREATE 1", "CREATE"),
        ];
        for (text, name) in cases {
            assert_eq!(unsupported(text).message(), format!("{name} is not supported"), "{text}");
        }
    }

    #[test]
    fn only_what_postgresql_has_is_no_syntax_error() {
        let error = |text: &str| {
            let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize_with_location().expect("tokens");
            unknown_to_parser(&tokens, Position(0)).map(|error| error.message().to_owned())
        };
        assert_eq!(error("CREATE AGGREGATE a (int) (x)").as_deref(), Some("CREATE AGGREGATE is not supported"));
        assert_eq!(error("ALTER SYSTEM SET x = 1").as_deref(), Some("ALTER SYSTEM is not supported"));
        assert_eq!(error("DO $$ $$").as_deref(), Some("DO is not supported"));
        assert_eq!(error("CREATE TABEL t (a int)"), None);
    }
}
