//! ALTER TABLE and its kin: what they change, and the grammar of it. Definitions of columns and constraints, types and expressions are
//! sqlparser's, of the same tokens, so that their places are those of the statement's text.
//!
//! PostgreSQL does the changes of one statement in the order of passes: what is dropped goes first, then columns are retyped, then
//! others are added, and constraints come last ([`Alteration::pass`]).

use super::storage::Stored;
use super::{Definition, ObjectKind, RenamedPart, SequenceOptions};
use crate::catalog::{Generated, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::sql::binder::Binder;
use crate::sql::parse::parse_part;
use crate::sql::refused;
use crate::sql::session::Words;
use crate::sql::text::Moves;
use crate::sql::tuned::without_in_part;
use sqlparser::ast;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use std::sync::Arc;

/// ALTER of a relation, with what it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alter {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name.
    pub name: TableName,
    /// IF EXISTS.
    pub if_exists: bool,
    /// What is changed, in the order in which it is written.
    pub changes: Vec<Alteration>,
}

/// The same with the text that its trees' places are of.
#[derive(Clone, Debug)]
pub struct Altering {
    /// What it says.
    pub alter: Alter,
    /// The statement's text.
    pub text: String,
    /// Where the pieces of the text stand in what it was made of.
    pub moves: Arc<Moves>,
}

/// A change of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alteration {
    /// ADD COLUMN.
    AddColumn {
        /// Its name.
        name: String,
        /// What it is.
        column: Box<ast::ColumnDef>,
        /// IF NOT EXISTS.
        if_not_exists: bool,
    },
    /// ADD of a constraint.
    AddConstraint {
        /// What it is.
        constraint: Box<ast::TableConstraint>,
        /// NOT VALID: it is not checked for rows that are there.
        not_valid: bool,
    },
    /// ADD PRIMARY KEY or UNIQUE USING INDEX: an index becomes a constraint.
    AddUsingIndex {
        /// The constraint's name; without one it is the index's.
        name: Option<String>,
        /// The index.
        index: String,
        /// PRIMARY KEY.
        primary: bool,
    },
    /// DROP COLUMN.
    DropColumn {
        /// The column.
        name: String,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE.
        cascade: bool,
    },
    /// DROP CONSTRAINT.
    DropConstraint {
        /// The constraint.
        name: String,
        /// IF EXISTS.
        if_exists: bool,
        /// CASCADE.
        cascade: bool,
    },
    /// VALIDATE CONSTRAINT.
    Validate(String),
    /// ALTER COLUMN TYPE.
    SetType {
        /// The column.
        column: String,
        /// Its new type.
        data_type: Box<ast::DataType>,
        /// USING.
        using: Option<Box<ast::Expr>>,
        /// Where the type stands.
        position: Option<Position>,
    },
    /// SET DEFAULT; without an expression DROP DEFAULT.
    SetDefault {
        /// The column.
        column: String,
        /// The default.
        value: Option<Box<ast::Expr>>,
    },
    /// SET NOT NULL and DROP NOT NULL.
    SetNullable {
        /// The column.
        column: String,
        /// DROP NOT NULL.
        nullable: bool,
    },
    /// ADD GENERATED … AS IDENTITY.
    AddIdentity {
        /// The column.
        column: String,
        /// ALWAYS or BY DEFAULT.
        kind: Generated,
        /// What is said of its sequence.
        options: Box<SequenceOptions>,
    },
    /// SET GENERATED, and other options of an IDENTITY.
    SetIdentity {
        /// The column.
        column: String,
        /// ALWAYS or BY DEFAULT, if that is said.
        kind: Option<Generated>,
        /// What is said of its sequence.
        options: Box<SequenceOptions>,
    },
    /// DROP IDENTITY and DROP EXPRESSION.
    DropGenerated {
        /// The column.
        column: String,
        /// IF EXISTS.
        if_exists: bool,
        /// DROP IDENTITY.
        is_identity: bool,
    },
    /// What has no effect here, of a column that there has to be.
    TuneColumn(String),
    /// CLUSTER ON: an index that there has to be.
    ClusterOn(String),
    /// What has no effect here.
    Tune,
    /// ENABLE or DISABLE TRIGGER of a name, of which there is none.
    Trigger(String),
    /// OWNER TO.
    Owner(String),
    /// ADD VALUE of an enum.
    AddValue {
        /// The label.
        label: String,
        /// IF NOT EXISTS.
        if_not_exists: bool,
        /// BEFORE (true) or AFTER another label.
        beside: Option<(bool, String)>,
    },
    /// RENAME VALUE of an enum.
    RenameValue {
        /// The label.
        from: String,
        /// Its new text.
        to: String,
    },
}

impl Alteration {
    /// When it is done among others of one statement: PostgreSQL's passes.
    pub fn pass(&self) -> u8 {
        match self {
            Alteration::DropColumn { .. } | Alteration::DropConstraint { .. } => 0,
            Alteration::SetDefault { value: None, .. } | Alteration::SetNullable { nullable: true, .. } => 0,
            Alteration::DropGenerated { .. } => 0,
            Alteration::SetType { .. } => 1,
            Alteration::AddColumn { .. } => 4,
            Alteration::SetDefault { .. } => 5,
            Alteration::SetNullable { .. } | Alteration::SetIdentity { .. } => 6,
            Alteration::AddUsingIndex { .. } => 7,
            Alteration::AddConstraint { constraint, .. } => match **constraint {
                ast::TableConstraint::PrimaryKey(_) | ast::TableConstraint::Unique(_) => 8,
                _ => 9,
            },
            Alteration::AddIdentity { .. } => 9,
            _ => 10,
        }
    }
}

/// Words with which a constraint begins, and no name of a column.
const CONSTRAINTS: [&str; 5] = ["constraint", "check", "unique", "primary", "foreign"];

/// Words behind SET with which a change of an IDENTITY begins.
const IDENTITY: [&str; 11] =
    ["generated", "increment", "minvalue", "maxvalue", "no", "start", "cache", "cycle", "as", "owned", "restart"];

impl Words<'_> {
    /// ALTER, behind that word.
    pub(super) fn alter(&mut self) -> Result<Definition> {
        let kind = self.kind()?;
        let if_exists = self.takes("if");
        if if_exists {
            self.needs("exists")?;
        }
        let _ = kind == ObjectKind::Table && self.takes("only");
        let name = self.qualified()?;
        let _ = kind == ObjectKind::Table && self.takes_token(&Token::Mul);
        if self.peeks("set") && self.peeks_at(1, "schema") {
            self.at += 2;
            return Ok(Definition::SetSchema { kind, name, schema: self.name()?, if_exists });
        }
        if self.peeks("rename") && !(kind == ObjectKind::Type && self.peeks_at(1, "value")) {
            self.at += 1;
            return self.renamed(kind, name, if_exists);
        }
        if kind == ObjectKind::Sequence {
            return self.alter_sequence(name, if_exists);
        }
        if matches!(kind, ObjectKind::Schema) && !self.peeks("owner") {
            return Err(self.unexpected());
        }
        let changes = match kind {
            ObjectKind::Type => vec![self.type_alteration()?],
            _ => self.alterations(kind)?,
        };
        Ok(Definition::Alter(Box::new(Alter { kind, name, if_exists, changes })))
    }

    fn renamed(&mut self, kind: ObjectKind, name: TableName, if_exists: bool) -> Result<Definition> {
        let part = if self.takes("to") {
            return Ok(Definition::Rename { kind, name, part: RenamedPart::Whole, to: self.name()?, if_exists });
        } else if kind == ObjectKind::Table && self.takes("constraint") {
            RenamedPart::Constraint(self.name()?)
        } else {
            let _ = self.takes("column");
            RenamedPart::Column(self.name()?)
        };
        self.needs("to")?;
        Ok(Definition::Rename { kind, name, part, to: self.name()?, if_exists })
    }

    fn alterations(&mut self, kind: ObjectKind) -> Result<Vec<Alteration>> {
        let mut changes = Vec::new();
        loop {
            let end = self.change_end();
            changes.push(self.alteration(kind, end)?);
            if self.at != end {
                return Err(self.unexpected());
            }
            if !self.takes_token(&Token::Comma) {
                return Ok(changes);
            }
        }
    }

    /// Where the change ends that begins here: at a comma outside of parentheses, or with the text.
    fn change_end(&self) -> usize {
        let mut open = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.token {
                Token::LParen | Token::LBracket => open += 1,
                Token::RParen | Token::RBracket => open = open.saturating_sub(1),
                Token::Comma if open == 0 => return at,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn alteration(&mut self, kind: ObjectKind, end: usize) -> Result<Alteration> {
        if self.takes("owner") {
            self.needs("to")?;
            return self.name().map(Alteration::Owner);
        }
        if kind == ObjectKind::Table && self.takes("add") {
            return self.added(end);
        }
        if kind == ObjectKind::Table && self.takes("drop") {
            return self.dropped();
        }
        if self.takes("alter") {
            if self.takes("constraint") {
                return Err(self.refused());
            }
            let _ = self.takes("column");
            return self.column_change(kind, end);
        }
        if kind == ObjectKind::Table && self.takes("validate") {
            self.needs("constraint")?;
            return self.name().map(Alteration::Validate);
        }
        if self.takes("cluster") {
            self.needs("on")?;
            return self.name().map(Alteration::ClusterOn);
        }
        if self.takes("set") {
            return self.set_change(kind);
        }
        if self.takes("reset") {
            self.storage(Stored::of(kind))?;
            return Ok(Alteration::Tune);
        }
        if kind == ObjectKind::Table {
            return self.switched();
        }
        Err(self.unexpected())
    }

    fn added(&mut self, end: usize) -> Result<Alteration> {
        let is_column = self.takes("column");
        let is_constraint = !is_column && CONSTRAINTS.iter().any(|word| self.peeks(word));
        if !is_column && self.peeks("exclude") && (self.peeks_at(1, "using") || self.peeks_paren_at(1)) {
            return Err(Error::unsupported("an EXCLUDE constraint is").at(self.position()));
        }
        if is_constraint {
            return self.added_constraint(end);
        }
        let if_not_exists = self.takes("if");
        if if_not_exists {
            self.needs("not")?;
            self.needs("exists")?;
        }
        let column = Box::new(self.part(end, |parser| parser.parse_column_def())?);
        Ok(Alteration::AddColumn { name: Binder::fold(&column.name), column, if_not_exists })
    }

    fn added_constraint(&mut self, end: usize) -> Result<Alteration> {
        let begin = self.at;
        let name = if self.takes("constraint") { Some(self.name()?) } else { None };
        let primary = self.takes("primary") && self.takes("key");
        let is_unique = primary || self.takes("unique");
        if is_unique && self.peeks("using") && self.peeks_at(1, "index") && !self.peeks_at(2, "tablespace") {
            self.at += 2;
            let index = self.name()?;
            let _ = self.takes("not") && self.takes("deferrable");
            return Ok(Alteration::AddUsingIndex { name, index, primary });
        }
        self.at = begin;
        let is = |at: usize, word: &str| crate::sql::keyword::is_keyword(&self.tokens[at].token, word);
        let not_valid = end >= begin + 3 && is(end - 2, "not") && is(end - 1, "valid");
        let last = if not_valid { end - 2 } else { end };
        let constraint = self.part(last, |parser| match parser.parse_optional_table_constraint()? {
            Some(constraint) => Ok(constraint),
            None => Err(ParserError::ParserError("a constraint is expected".to_owned())),
        })?;
        self.at = end;
        Ok(Alteration::AddConstraint { constraint: Box::new(constraint), not_valid })
    }

    fn dropped(&mut self) -> Result<Alteration> {
        let is_constraint = self.takes("constraint");
        let _ = !is_constraint && self.takes("column");
        let if_exists = self.takes("if");
        if if_exists {
            self.needs("exists")?;
        }
        let name = self.name()?;
        let cascade = self.takes("cascade");
        let _ = !cascade && self.takes("restrict");
        Ok(if is_constraint {
            Alteration::DropConstraint { name, if_exists, cascade }
        } else {
            Alteration::DropColumn { name, if_exists, cascade }
        })
    }

    fn column_change(&mut self, kind: ObjectKind, end: usize) -> Result<Alteration> {
        // ALTER INDEX … ALTER COLUMN has its number.
        let column = match self.next() {
            Some(Token::Number(..)) if kind == ObjectKind::Index => {
                self.at += 1;
                None
            }
            _ => Some(self.name()?),
        };
        let tuned = |column: Option<String>| column.map_or(Alteration::Tune, Alteration::TuneColumn);
        if let Some(column) = column.clone()
            && kind == ObjectKind::Table
            && (self.peeks("restart") || self.peeks("set") && IDENTITY.iter().any(|word| self.peeks_at(1, word)))
        {
            return self.identity_change(column, end);
        }
        if self.takes("set") {
            if self.takes("statistics") {
                let _ = self.takes_token(&Token::Minus);
                if !matches!(self.next(), Some(Token::Number(..))) {
                    return Err(self.unexpected());
                }
                self.at += 1;
                return Ok(tuned(column));
            }
            if self.takes("storage") || self.takes("compression") {
                self.name()?;
                return Ok(tuned(column));
            }
            if self.peeks_token(&Token::LParen) {
                self.storage(Stored::Column)?;
                return Ok(tuned(column));
            }
            let Some(column) = column else { return Err(self.unexpected()) };
            if self.takes("default") {
                let value = Some(Box::new(self.part(end, |parser| parser.parse_expr())?));
                return Ok(Alteration::SetDefault { column, value });
            }
            if kind != ObjectKind::View && self.takes("not") {
                self.needs("null")?;
                return Ok(Alteration::SetNullable { column, nullable: false });
            }
            if self.takes("data") {
                self.needs("type")?;
                return self.set_type(column, end);
            }
            return Err(self.refused());
        }
        if self.takes("reset") {
            self.storage(Stored::Column)?;
            return Ok(tuned(column));
        }
        let Some(column) = column else { return Err(self.unexpected()) };
        if self.takes("type") {
            return self.set_type(column, end);
        }
        if self.takes("drop") {
            return self.column_drop(kind, column);
        }
        if kind == ObjectKind::Table && self.takes("add") {
            return self.added_identity(column);
        }
        Err(self.refused())
    }

    /// What a column has no more, behind DROP.
    fn column_drop(&mut self, kind: ObjectKind, column: String) -> Result<Alteration> {
        if self.takes("default") {
            return Ok(Alteration::SetDefault { column, value: None });
        }
        if self.takes("not") {
            self.needs("null")?;
            return Ok(Alteration::SetNullable { column, nullable: true });
        }
        let is_identity = self.takes("identity");
        if kind == ObjectKind::Table && (is_identity || self.takes("expression")) {
            let if_exists = self.takes("if");
            if if_exists {
                self.needs("exists")?;
            }
            return Ok(Alteration::DropGenerated { column, if_exists, is_identity });
        }
        Err(self.refused())
    }

    /// The IDENTITY of a column, behind ADD.
    fn added_identity(&mut self, column: String) -> Result<Alteration> {
        self.needs("generated")?;
        let kind = self.generated_kind()?;
        self.needs("as")?;
        self.needs("identity")?;
        let mut options = Box::new(SequenceOptions::default());
        if self.takes_token(&Token::LParen) {
            while !self.takes_token(&Token::RParen) {
                self.sequence_option(&mut options, true)?;
            }
        }
        Ok(Alteration::AddIdentity { column, kind, options })
    }

    /// Changes of an IDENTITY, each with its own SET but for RESTART.
    fn identity_change(&mut self, column: String, end: usize) -> Result<Alteration> {
        let (mut kind, mut options) = (None, Box::new(SequenceOptions::default()));
        while self.at < end {
            if self.peeks("restart") {
                self.sequence_option(&mut options, false)?;
                continue;
            }
            self.needs("set")?;
            let position = self.position();
            if self.takes("generated") {
                if kind.replace(self.generated_kind()?).is_some() {
                    return Err(Error::new(ErrorKind::Syntax, "conflicting or redundant options"));
                }
            } else if let Some(word) = ["as", "owned", "restart"].iter().find(|word| self.peeks(word)) {
                let option = if *word == "owned" { "owned_by" } else { word };
                let message = format!("sequence option \"{option}\" not supported here");
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            } else {
                self.sequence_option(&mut options, false)?;
            }
        }
        Ok(Alteration::SetIdentity { column, kind, options })
    }

    /// ALWAYS or BY DEFAULT.
    fn generated_kind(&mut self) -> Result<Generated> {
        if self.takes("always") {
            return Ok(Generated::Always);
        }
        self.needs("by")?;
        self.needs("default")?;
        Ok(Generated::ByDefault)
    }

    fn set_type(&mut self, column: String, end: usize) -> Result<Alteration> {
        let position = self.position();
        let (data_type, using) = self.part(end, |parser| {
            let data_type = parser.parse_data_type()?;
            let using = if parser.parse_keyword(sqlparser::keywords::Keyword::USING) {
                Some(Box::new(parser.parse_expr()?))
            } else {
                None
            };
            Ok((Box::new(data_type), using))
        })?;
        Ok(Alteration::SetType { column, data_type, using, position })
    }

    /// SET of the whole.
    fn set_change(&mut self, kind: ObjectKind) -> Result<Alteration> {
        if self.takes("without") {
            let _ = self.takes("oids") || self.takes("cluster");
            return Ok(Alteration::Tune);
        }
        if self.takes("logged") || self.takes("unlogged") {
            return Ok(Alteration::Tune);
        }
        if self.takes("tablespace") {
            self.tablespace()?;
            return Ok(Alteration::Tune);
        }
        if self.takes("access") {
            self.needs("method")?;
            self.needs("heap")?;
            return Ok(Alteration::Tune);
        }
        self.storage(Stored::of(kind))?;
        Ok(Alteration::Tune)
    }

    /// ENABLE, DISABLE and other switches of a table.
    fn switched(&mut self) -> Result<Alteration> {
        let no = self.takes("no");
        if no && self.takes("force") || !no && self.takes("disable") {
            let is_force = no;
            if self.takes("row") {
                self.needs("level")?;
                self.needs("security")?;
                return Ok(Alteration::Tune);
            }
            if !is_force && self.takes("trigger") {
                return match self.takes("user") {
                    true => Ok(Alteration::Tune),
                    // What keeps references is one of all.
                    false if self.peeks("all") => Err(self.refused()),
                    false => self.name().map(Alteration::Trigger),
                };
            }
            return Err(self.refused());
        }
        if !no && self.takes("enable") {
            let _ = self.takes("always") || self.takes("replica");
            if self.takes("trigger") {
                if self.takes("user") || self.takes("all") {
                    return Ok(Alteration::Tune);
                }
                return self.name().map(Alteration::Trigger);
            }
            return Err(self.refused());
        }
        if !no && self.takes("replica") {
            self.needs("identity")?;
            if self.takes("using") {
                self.needs("index")?;
                return self.name().map(Alteration::ClusterOn);
            }
            if self.takes("full") || self.takes("nothing") || self.takes("default") {
                return Ok(Alteration::Tune);
            }
            return Err(self.unexpected());
        }
        Err(self.refused())
    }

    /// ALTER TYPE: the labels of an enum.
    fn type_alteration(&mut self) -> Result<Alteration> {
        if self.takes("owner") {
            self.needs("to")?;
            return self.name().map(Alteration::Owner);
        }
        if self.takes("rename") {
            self.needs("value")?;
            let from = self.string()?;
            self.needs("to")?;
            return Ok(Alteration::RenameValue { from, to: self.string()? });
        }
        if !(self.peeks("add") && self.peeks_at(1, "value")) {
            return Err(self.refused());
        }
        self.at += 2;
        let if_not_exists = self.takes("if");
        if if_not_exists {
            self.needs("not")?;
            self.needs("exists")?;
        }
        let label = self.string()?;
        let beside = if self.takes("before") {
            Some((true, self.string()?))
        } else if self.takes("after") {
            Some((false, self.string()?))
        } else {
            None
        };
        Ok(Alteration::AddValue { label, if_not_exists, beside })
    }

    /// What sqlparser makes of the tokens up to a place.
    pub(super) fn part<T>(
        &mut self,
        end: usize,
        parse: impl FnOnce(&mut Parser<'_>) -> std::result::Result<T, ParserError>,
    ) -> Result<T> {
        if self.at >= end {
            return Err(self.unexpected());
        }
        let tokens: Vec<TokenWithSpan> = self.tokens[self.at..end].iter().copied().cloned().collect();
        let parsed = parse_part(self.text, without_in_part(self.text, tokens)?, parse)?;
        self.at = end;
        Ok(parsed)
    }

    pub(super) fn peeks_paren_at(&self, ahead: usize) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.token == Token::LParen)
    }

    /// The error for a change that is not done; 42601 where it is none of PostgreSQL's.
    fn refused(&self) -> Error {
        refused::unsupported(self.text.as_str())
    }
}
