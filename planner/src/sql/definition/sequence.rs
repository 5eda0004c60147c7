//! CREATE SEQUENCE and ALTER SEQUENCE, and the options of a sequence, which columns with an IDENTITY have, too.

use super::{Definition, Grantee};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::sql::keyword::is_keyword;
use crate::sql::session::Words;
use crate::sql::text::Text;
use crate::types::DataType;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// What is said of a sequence; what is not said is None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceOptions {
    /// AS.
    pub data_type: Option<DataType>,
    /// INCREMENT.
    pub increment: Option<i64>,
    /// MINVALUE; NO MINVALUE has none.
    pub min: Option<Option<i64>>,
    /// MAXVALUE; NO MAXVALUE has none.
    pub max: Option<Option<i64>>,
    /// START.
    pub start: Option<i64>,
    /// RESTART, with a value or without.
    pub restart: Option<Option<i64>>,
    /// CACHE.
    pub cache: Option<i64>,
    /// CYCLE.
    pub cycle: Option<bool>,
    /// OWNED BY: a table and a column of it; NONE has none.
    pub owner: Option<Option<(TableName, String)>>,
    /// SEQUENCE NAME, of an IDENTITY.
    pub name: Option<TableName>,
}

/// A sequence that a column of a new table has for its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSequence {
    /// The column, by position.
    pub column: usize,
    /// Of an IDENTITY; otherwise of `serial`.
    pub is_identity: bool,
    /// What is said of it.
    pub options: SequenceOptions,
}

/// What ALTER SEQUENCE changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceChange {
    /// Options.
    Options(Box<SequenceOptions>),
    /// OWNER TO.
    Owner(Grantee),
}

/// Whether a statement is CREATE SEQUENCE.
pub(super) fn creates_sequence<'t>(mut solid: impl Iterator<Item = &'t TokenWithSpan>) -> bool {
    let kinds = ["temporary", "temp", "local", "global", "unlogged"];
    let kind = solid.find(|token| !kinds.iter().any(|kind| is_keyword(&token.token, kind)));
    kind.is_some_and(|token| is_keyword(&token.token, "sequence"))
}

/// The options of an IDENTITY, of their text.
///
/// # Errors
/// 42601 for what is none.
pub(in crate::sql) fn identity_options(text: &str) -> Result<SequenceOptions> {
    let text = Text::new(text);
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text.as_str()).tokenize_with_location();
    let tokens = tokens.map_err(|error| Error::new(ErrorKind::Syntax, format!("syntax error: {}", error.message)))?;
    let mut words = Words::new(&text, &tokens);
    let options = words.sequence_options(true)?;
    words.end()?;
    Ok(options)
}

impl Words<'_> {
    /// CREATE SEQUENCE, behind CREATE.
    pub(super) fn create_sequence(&mut self) -> Result<Definition> {
        let _ = self.takes("local") || self.takes("global");
        let temporary = self.takes("temporary") || self.takes("temp");
        if !temporary && self.peeks("unlogged") {
            return Err(Error::unsupported("an UNLOGGED sequence is").at(self.position()));
        }
        self.needs("sequence")?;
        let if_not_exists = self.takes("if");
        if if_not_exists {
            self.needs("not")?;
            self.needs("exists")?;
        }
        let name = self.qualified()?;
        let options = self.sequence_options(false)?;
        Ok(Definition::CreateSequence { name, temporary, options, if_not_exists })
    }

    /// ALTER SEQUENCE, behind its name, but for RENAME and SET SCHEMA.
    pub(super) fn alter_sequence(&mut self, name: TableName, if_exists: bool) -> Result<Definition> {
        let change = if self.peeks("owner") {
            self.needs("owner")?;
            self.needs("to")?;
            SequenceChange::Owner(self.grantee()?)
        } else {
            if self.next().is_none() {
                return Err(self.unexpected());
            }
            SequenceChange::Options(Box::new(self.sequence_options(false)?))
        };
        Ok(Definition::AlterSequence { name, change, if_exists })
    }

    /// Options in any order, each once.
    fn sequence_options(&mut self, of_identity: bool) -> Result<SequenceOptions> {
        let mut options = SequenceOptions::default();
        while self.next().is_some() {
            self.sequence_option(&mut options, of_identity)?;
        }
        Ok(options)
    }

    /// The next option.
    pub(super) fn sequence_option(&mut self, options: &mut SequenceOptions, of_identity: bool) -> Result<()> {
        let position = self.position();
        let is_again = if self.takes("as") {
            let data_type = self.sequence_type()?;
            options.data_type.replace(data_type).is_some()
        } else if self.takes("increment") {
            let _ = self.takes("by");
            let by = self.big_number()?;
            options.increment.replace(by).is_some()
        } else if self.takes("no") {
            if self.takes("minvalue") {
                options.min.replace(None).is_some()
            } else if self.takes("maxvalue") {
                options.max.replace(None).is_some()
            } else {
                self.needs("cycle")?;
                options.cycle.replace(false).is_some()
            }
        } else if self.takes("minvalue") {
            let min = self.big_number()?;
            options.min.replace(Some(min)).is_some()
        } else if self.takes("maxvalue") {
            let max = self.big_number()?;
            options.max.replace(Some(max)).is_some()
        } else if self.takes("start") {
            let _ = self.takes("with");
            let start = self.big_number()?;
            options.start.replace(start).is_some()
        } else if self.takes("restart") {
            let is_given = self.takes("with") || self.peeks_number();
            let value = if is_given { Some(self.big_number()?) } else { None };
            options.restart.replace(value).is_some()
        } else if self.takes("cache") {
            let cache = self.big_number()?;
            options.cache.replace(cache).is_some()
        } else if self.takes("cycle") {
            options.cycle.replace(true).is_some()
        } else if self.takes("owned") {
            self.needs("by")?;
            let owner = self.sequence_owner()?;
            options.owner.replace(owner).is_some()
        } else if of_identity && self.takes("sequence") {
            self.needs("name")?;
            let name = self.qualified()?;
            options.name.replace(name).is_some()
        } else {
            return Err(self.unexpected());
        };
        match is_again {
            true => Err(Error::new(ErrorKind::Syntax, "conflicting or redundant options").at(position)),
            false => Ok(()),
        }
    }

    fn sequence_owner(&mut self) -> Result<Option<(TableName, String)>> {
        let position = self.position();
        let mut parts = self.parts()?;
        let column = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            if column == "none" {
                return Ok(None);
            }
            let error = Error::new(ErrorKind::Syntax, "invalid OWNED BY option").at(position);
            return Err(error.with_hint("Specify OWNED BY table.column or OWNED BY NONE."));
        }
        Ok(Some((self.relation_of(parts)?, column)))
    }

    fn sequence_type(&mut self) -> Result<DataType> {
        let position = self.position();
        let named = match self.name()?.as_str() {
            "smallint" | "int2" => Some(DataType::SmallInt),
            "integer" | "int" | "int4" => Some(DataType::Integer),
            "bigint" | "int8" => Some(DataType::BigInt),
            _ => None,
        };
        named.ok_or_else(|| {
            let message = "sequence type must be smallint, integer, or bigint";
            Error::new(ErrorKind::InvalidParameter, message).at(position)
        })
    }

    fn peeks_number(&self) -> bool {
        matches!(self.next(), Some(Token::Number(..) | Token::Minus | Token::Plus))
    }

    /// A number of 64 bits, perhaps with a sign.
    fn big_number(&mut self) -> Result<i64> {
        let position = self.position();
        let sign = if self.takes_token(&Token::Minus) { "-" } else { "" };
        let _ = sign.is_empty() && self.takes_token(&Token::Plus);
        let Some(Token::Number(digits, _)) = self.next().cloned() else { return Err(self.unexpected()) };
        self.takes_token(&Token::Number(digits.clone(), false));
        let text = format!("{sign}{digits}");
        text.parse().map_err(|_| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => {
                let message = format!("value \"{text}\" is out of range for type bigint");
                Error::new(ErrorKind::NumericOverflow, message).at(position)
            }
            false => {
                let message = format!("invalid input syntax for type bigint: \"{text}\"");
                Error::new(ErrorKind::InvalidText, message).at(position)
            }
        })
    }
}
