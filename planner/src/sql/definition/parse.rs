//! The grammar of COMMENT, CREATE and REFRESH MATERIALIZED VIEW, over sqlparser's tokens; `alter` has that of ALTER, `grant` that of
//! rights, `sequence` that of sequences.

use super::sequence::creates_sequence;
use super::{Commented, Definition, ObjectKind};
use crate::catalog::TableName;
use crate::error::{Error, Position, Result};
use crate::sql::keyword::is_keyword;
use crate::sql::session::{Piece, Words};
use crate::sql::text::Text;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Reads one of these statements; none if the text is something else.
///
/// # Errors
/// 42601 where the text does not go on as PostgreSQL's grammar has it.
pub(in crate::sql) fn parse(text: &Text, tokens: &[TokenWithSpan]) -> Result<Option<Definition>> {
    let mut solid = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    let first = solid.next();
    let is = |token: Option<&TokenWithSpan>, word| token.is_some_and(|token| is_keyword(&token.token, word));
    let is_ours = match first {
        first if ["comment", "refresh", "grant", "revoke"].iter().any(|word| is(first, word)) => true,
        first if super::maintain::VERBS.iter().any(|word| is(first, word)) => true,
        first if is(first, "set") => sets_constraints(tokens),
        first if is(first, "create") => is(solid.clone().next(), "materialized") || creates_sequence(solid),
        first if is(first, "alter") => {
            let kind = solid.next();
            if is(kind, "default") {
                return Err(Error::unsupported("ALTER DEFAULT PRIVILEGES is").at(Some(Position(0))));
            }
            let ours = ["table", "view", "materialized", "index", "schema", "type", "sequence"];
            ours.iter().any(|word| is(kind, word))
        }
        _ => false,
    };
    let is_about_routines = super::routine::is_about_routines(tokens);
    if !is_ours && !is_about_routines {
        return Ok(None);
    }
    let mut words = Words::new(text, tokens);
    let definition = if is_about_routines { words.about_routines()? } else { words.definition()? };
    words.end()?;
    Ok(Some(definition))
}

/// Whether a statement is SET CONSTRAINTS, and no setting of that name.
pub(in crate::sql) fn sets_constraints(tokens: &[TokenWithSpan]) -> bool {
    let mut solid = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    let mut is = |word: &str| solid.next().is_some_and(|token| is_keyword(&token.token, word));
    is("set")
        && is("constraints")
        && !solid.next().is_some_and(|next| next.token == Token::Eq || is_keyword(&next.token, "to"))
}

impl Words<'_> {
    fn constraints_set(&mut self) -> Result<Definition> {
        self.needs("constraints")?;
        let mut names = None;
        if !self.takes("all") {
            let mut all = vec![self.qualified()?];
            while self.takes_token(&Token::Comma) {
                all.push(self.qualified()?);
            }
            names = Some(all);
        }
        let deferred = self.takes("deferred");
        if !deferred {
            self.needs("immediate")?;
        }
        Ok(Definition::SetConstraints { names, deferred })
    }

    fn definition(&mut self) -> Result<Definition> {
        if self.takes("comment") {
            return self.comment();
        }
        if self.takes("refresh") {
            self.needs("materialized")?;
            self.needs("view")?;
            // Readers never wait.
            let _ = self.takes("concurrently");
            let name = self.qualified()?;
            return Ok(Definition::Refresh { name, is_filled: self.data()? });
        }
        if self.takes("create") {
            return if self.peeks("materialized") { self.materialized() } else { self.create_sequence() };
        }
        if self.takes("set") {
            return self.constraints_set();
        }
        if super::maintain::VERBS.iter().any(|word| self.peeks(word)) {
            return self.maintenance();
        }
        if self.peeks("grant") || self.peeks("revoke") {
            return self.grant().map(Definition::Grant);
        }
        self.needs("alter")?;
        self.alter()
    }

    pub(super) fn kind(&mut self) -> Result<ObjectKind> {
        for (word, kind) in [
            ("table", ObjectKind::Table),
            ("view", ObjectKind::View),
            ("index", ObjectKind::Index),
            ("schema", ObjectKind::Schema),
            ("type", ObjectKind::Type),
            ("sequence", ObjectKind::Sequence),
        ] {
            if self.takes(word) {
                return Ok(kind);
            }
        }
        self.needs("materialized")?;
        self.needs("view")?;
        Ok(ObjectKind::MaterializedView)
    }

    fn comment(&mut self) -> Result<Definition> {
        self.needs("on")?;
        let on = if self.takes("column") {
            let mut parts = self.parts()?;
            let column = parts.pop().unwrap_or_default();
            Commented::Column(self.relation_of(parts)?, column)
        } else if self.takes("constraint") {
            let constraint = self.name()?;
            self.needs("on")?;
            Commented::Constraint(self.qualified()?, constraint)
        } else if super::routine::is_routine_word(self) {
            let kind = self.routine_kind()?;
            Commented::Routine(self.routine_name(kind)?)
        } else {
            let kind = self.kind().map_err(|error| Error::unsupported("a comment on this is").at(error.position()))?;
            Commented::Object(kind, self.qualified()?)
        };
        self.needs("is")?;
        let text = if self.takes("null") { None } else { Some(self.string()?) };
        Ok(Definition::Comment { on, text: text.filter(|text| !text.is_empty()) })
    }

    fn materialized(&mut self) -> Result<Definition> {
        self.needs("materialized")?;
        self.needs("view")?;
        let if_not_exists = self.takes("if");
        if if_not_exists {
            self.needs("not")?;
            self.needs("exists")?;
        }
        let name = self.qualified()?;
        let mut columns = Vec::new();
        if self.takes_token(&Token::LParen) {
            loop {
                columns.push(self.name()?);
                if !self.takes_token(&Token::Comma) {
                    break;
                }
            }
            self.needs_token(&Token::RParen)?;
        }
        if self.takes("using") {
            self.needs("heap")?;
        }
        if self.takes("with") {
            self.storage(super::Stored::Table)?;
        }
        if self.takes("tablespace") {
            self.tablespace()?;
        }
        self.needs("as")?;
        let Piece { text, start } = self.rest()?;
        let (text, is_filled) = self.without_data(text, start as usize);
        Ok(Definition::CreateMaterialized { name, columns, query: Piece { text, start }, is_filled, if_not_exists })
    }

    /// WITH DATA, WITH NO DATA or neither.
    fn data(&mut self) -> Result<bool> {
        if !self.takes("with") {
            return Ok(true);
        }
        let is_filled = !self.takes("no");
        self.needs("data")?;
        Ok(is_filled)
    }

    /// A query's text, up to the end, without WITH DATA or WITH NO DATA behind it.
    fn without_data(&self, text: String, start: usize) -> (String, bool) {
        let ends = |words: &[&str]| {
            let first = self.tokens.len().checked_sub(words.len())?;
            let is_it = self.tokens[first..].iter().zip(words).all(|(token, word)| is_keyword(&token.token, word));
            is_it.then(|| self.text.offset(self.tokens[first].span.start))?
        };
        let (end, is_filled) = match (ends(&["with", "data"]), ends(&["with", "no", "data"])) {
            (Some(end), _) => (Some(end), true),
            (None, Some(end)) => (Some(end), false),
            (None, None) => (None, true),
        };
        let length = end.map_or(text.len(), |end| end - start);
        (text[..length].trim_end().to_owned(), is_filled)
    }

    pub(super) fn parts(&mut self) -> Result<Vec<String>> {
        let mut parts = vec![self.name()?];
        while self.takes_token(&Token::Period) {
            parts.push(self.name()?);
        }
        Ok(parts)
    }

    pub(super) fn qualified(&mut self) -> Result<TableName> {
        let parts = self.parts()?;
        self.relation_of(parts)
    }

    pub(super) fn relation_of(&self, mut parts: Vec<String>) -> Result<TableName> {
        match (parts.pop(), parts.pop(), parts.len()) {
            (Some(name), schema, 0 | 1) => Ok(TableName { schema, name }),
            _ => Err(self.unexpected()),
        }
    }
}
