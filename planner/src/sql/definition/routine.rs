//! The grammar of statements about functions and procedures: CREATE, DROP and ALTER FUNCTION, over sqlparser's tokens. Types and expressions are
//! sqlparser's.

use super::Definition;
use crate::catalog::{ArgumentMode, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Volatility;
use crate::sql::keyword::is_keyword;
use crate::sql::session::{Piece, Words};
use sqlparser::ast;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What a statement calls a function or a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// FUNCTION.
    Function,
    /// PROCEDURE.
    Procedure,
    /// ROUTINE: either.
    Routine,
}

impl RoutineKind {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            RoutineKind::Function => "function",
            RoutineKind::Procedure => "procedure",
            RoutineKind::Routine => "routine",
        }
    }

    /// What it is called where it is not found.
    pub fn sought(self) -> &'static str {
        if self == RoutineKind::Procedure { "procedure" } else { "function" }
    }

    /// Whether a function, or a procedure, is one.
    pub fn includes(self, is_procedure: bool) -> bool {
        self == RoutineKind::Routine || is_procedure == (self == RoutineKind::Procedure)
    }
}

/// CREATE FUNCTION, or CREATE PROCEDURE, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRoutine {
    /// Its name.
    pub name: TableName,
    /// Whether it is a procedure.
    pub is_procedure: bool,
    /// OR REPLACE.
    pub or_replace: bool,
    /// Its arguments, and the columns of RETURNS TABLE.
    pub arguments: Vec<NewArgument>,
    /// RETURNS, where it says a type: SETOF, the type, and where that stands.
    pub returned: Option<(bool, ast::DataType, Option<Position>)>,
    /// RETURNS TABLE.
    pub is_table: bool,
    /// LANGUAGE, in small letters.
    pub language: Option<String>,
    /// IMMUTABLE and its kin.
    pub volatility: Volatility,
    /// STRICT.
    pub strict: bool,
    /// SECURITY DEFINER.
    pub definer: bool,
    /// LEAKPROOF.
    pub leakproof: bool,
    /// PARALLEL: PostgreSQL's letter.
    pub parallel: char,
    /// COST.
    pub cost: Option<String>,
    /// ROWS.
    pub rows: Option<String>,
    /// The body, if there is one.
    pub body: Option<NewBody>,
}

/// An argument as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArgument {
    /// Its name; empty if it has none.
    pub name: String,
    /// How it is passed.
    pub mode: ArgumentMode,
    /// Its type.
    pub data_type: ast::DataType,
    /// DEFAULT.
    pub default: Option<Box<ast::Expr>>,
    /// Where it stands.
    pub position: Option<Position>,
}

/// A body as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewBody {
    /// In quotes.
    Text(String),
    /// RETURN: the expression.
    Return(Piece),
    /// BEGIN ATOMIC: what stands before END.
    Atomic(Piece),
}

/// A function as statements name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutineName {
    /// Its name.
    pub name: TableName,
    /// The types of its arguments; none where it is the only one of its name.
    pub types: Option<Vec<ast::DataType>>,
    /// Those of its OUT arguments, too, which may be said of procedures.
    pub all_types: Option<Vec<ast::DataType>>,
    /// What it is called.
    pub kind: RoutineKind,
}

/// What ALTER FUNCTION changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutineChange {
    /// RENAME TO.
    Rename(String),
    /// OWNER TO.
    Owner(super::Grantee),
    /// SET SCHEMA.
    Schema(String),
    /// IMMUTABLE and its kin: what is said.
    Options(Vec<RoutineOption>),
}

/// An option of ALTER FUNCTION.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutineOption {
    /// IMMUTABLE and its kin.
    Volatility(Volatility),
    /// STRICT.
    Strict(bool),
    /// SECURITY DEFINER.
    Definer(bool),
    /// LEAKPROOF.
    Leakproof(bool),
    /// PARALLEL.
    Parallel(char),
    /// COST.
    Cost(String),
    /// ROWS.
    Rows(String),
}

/// Words that end a type behind RETURNS.
const CLAUSES: [&str; 20] = [
    "as",
    "language",
    "immutable",
    "stable",
    "volatile",
    "strict",
    "called",
    "returns",
    "security",
    "external",
    "leakproof",
    "not",
    "parallel",
    "cost",
    "rows",
    "support",
    "set",
    "window",
    "return",
    "begin",
];

/// Whether a statement is one about functions: CREATE [OR REPLACE] FUNCTION, DROP FUNCTION, ALTER FUNCTION, and the same of
/// procedures and routines.
pub(super) fn is_about_routines(tokens: &[TokenWithSpan]) -> bool {
    let mut solid = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF));
    let mut next = || solid.next().map(|token| &token.token);
    let Some(verb) = next() else { return false };
    if !["create", "drop", "alter"].iter().any(|word| is_keyword(verb, word)) {
        return false;
    }
    let mut kind = next();
    if is_keyword(verb, "create") && kind.is_some_and(|word| is_keyword(word, "or")) {
        next();
        kind = next();
    }
    kind.is_some_and(|word| ["function", "procedure", "routine"].iter().any(|kind| is_keyword(word, kind)))
}

impl Words<'_> {
    /// One of these statements.
    pub(super) fn about_routines(&mut self) -> Result<Definition> {
        if self.takes("create") {
            let or_replace = self.takes("or");
            if or_replace {
                self.needs("replace")?;
            }
            let is_procedure = self.takes("procedure");
            if !is_procedure {
                self.needs("function")?;
            }
            return self.create_routine(or_replace, is_procedure);
        }
        let drops = self.takes("drop");
        if !drops {
            self.needs("alter")?;
        }
        let kind = self.routine_kind()?;
        if drops {
            let if_exists = self.if_exists()?;
            let mut names = vec![self.routine_name(kind)?];
            while self.takes_token(&Token::Comma) {
                names.push(self.routine_name(kind)?);
            }
            let cascade = self.takes("cascade");
            let _ = !cascade && self.takes("restrict");
            return Ok(Definition::DropRoutines { names, kind, if_exists, cascade });
        }
        let name = self.routine_name(kind)?;
        let change = self.routine_change(kind)?;
        Ok(Definition::AlterRoutine { name, change })
    }

    /// FUNCTION, PROCEDURE or ROUTINE.
    pub(super) fn routine_kind(&mut self) -> Result<RoutineKind> {
        for kind in [RoutineKind::Function, RoutineKind::Procedure, RoutineKind::Routine] {
            if self.takes(kind.name()) {
                return Ok(kind);
            }
        }
        Err(self.unexpected())
    }

    fn if_exists(&mut self) -> Result<bool> {
        let is_said = self.takes("if");
        if is_said {
            self.needs("exists")?;
        }
        Ok(is_said)
    }

    fn routine_change(&mut self, kind: RoutineKind) -> Result<RoutineChange> {
        if self.takes("rename") {
            self.needs("to")?;
            return self.name().map(RoutineChange::Rename);
        }
        if self.takes("owner") {
            self.needs("to")?;
            return self.grantee().map(RoutineChange::Owner);
        }
        if self.peeks("set") && self.peeks_at(1, "schema") {
            self.at += 2;
            return self.name().map(RoutineChange::Schema);
        }
        let mut options = Vec::new();
        while let Some(option) = self.option_of(kind == RoutineKind::Procedure)? {
            options.push(option);
        }
        let _ = self.takes("restrict");
        if options.is_empty() {
            return Err(self.unexpected());
        }
        Ok(RoutineChange::Options(options))
    }

    /// A function by its name, perhaps with the types of its arguments.
    pub(super) fn routine_name(&mut self, kind: RoutineKind) -> Result<RoutineName> {
        let name = self.qualified()?;
        if !self.peeks_token(&Token::LParen) {
            return Ok(RoutineName { name, types: None, all_types: None, kind });
        }
        let arguments = self.arguments()?;
        let all_types = Some(arguments.iter().map(|argument| argument.data_type.clone()).collect());
        let types = arguments.into_iter().filter(|argument| argument.mode.is_input());
        Ok(RoutineName { name, types: Some(types.map(|argument| argument.data_type).collect()), all_types, kind })
    }

    /// An option, which a procedure may not have.
    fn option_of(&mut self, is_procedure: bool) -> Result<Option<RoutineOption>> {
        let position = self.position();
        let option = self.routine_option()?;
        match option {
            Some(RoutineOption::Definer(_)) | None => Ok(option),
            Some(_) if is_procedure => {
                let message = "invalid attribute in procedure definition";
                Err(Error::new(ErrorKind::InvalidFunctionDefinition, message).at(position))
            }
            option => Ok(option),
        }
    }

    fn create_routine(&mut self, or_replace: bool, is_procedure: bool) -> Result<Definition> {
        let name = self.qualified()?;
        let mut new = NewRoutine {
            name,
            is_procedure,
            or_replace,
            arguments: self.arguments()?,
            returned: None,
            is_table: false,
            language: None,
            volatility: Volatility::Volatile,
            strict: false,
            definer: false,
            leakproof: false,
            parallel: 'u',
            cost: None,
            rows: None,
            body: None,
        };
        if !is_procedure && self.takes("returns") {
            if self.peeks("table") && self.peeks_paren_at(1) {
                self.at += 1;
                new.is_table = true;
                for column in self.arguments()? {
                    let (mode, default) = (ArgumentMode::Table, None);
                    new.arguments.push(NewArgument { mode, default, ..column });
                }
            } else {
                let is_set = self.takes("setof");
                let position = self.position();
                let end = self.clause_end();
                new.returned = Some((is_set, self.part(end, |parser| parser.parse_data_type())?, position));
            }
        }
        while self.next().is_some() {
            self.routine_clause(&mut new)?;
        }
        Ok(Definition::CreateRoutine(Box::new(new)))
    }

    fn routine_clause(&mut self, new: &mut NewRoutine) -> Result<()> {
        let position = self.position();
        let twice = || Error::new(ErrorKind::Syntax, "conflicting or redundant options").at(position);
        if self.takes("language") {
            let language = match self.next() {
                Some(Token::SingleQuotedString(_)) => self.string()?.to_ascii_lowercase(),
                _ => self.name()?,
            };
            return if new.language.replace(language).is_some() { Err(twice()) } else { Ok(()) };
        }
        if self.takes("as") {
            let text = self.string()?;
            if self.peeks_token(&Token::Comma) {
                let message = "only one AS item needed for language \"sql\"";
                return Err(Error::new(ErrorKind::InvalidFunctionDefinition, message).at(position));
            }
            return if new.body.replace(NewBody::Text(text)).is_some() { Err(twice()) } else { Ok(()) };
        }
        if self.takes("return") {
            let body = NewBody::Return(self.rest()?);
            return if new.body.replace(body).is_some() { Err(twice()) } else { Ok(()) };
        }
        if self.peeks("begin") && self.peeks_at(1, "atomic") {
            self.at += 2;
            let Piece { text, start } = self.rest()?;
            let Some(last) = self.tokens.last().filter(|last| is_keyword(&last.token, "end")) else {
                return Err(self.unexpected());
            };
            let end = self.text.offset(last.span.start).unwrap_or(text.len() + start as usize);
            let text = text.get(..end.saturating_sub(start as usize)).unwrap_or_default().to_owned();
            let body = NewBody::Atomic(Piece { text, start });
            return if new.body.replace(body).is_some() { Err(twice()) } else { Ok(()) };
        }
        for word in ["window", "transform", "set", "support"] {
            if self.peeks(word) {
                let what = format!("{} in CREATE FUNCTION is", word.to_ascii_uppercase());
                return Err(Error::unsupported(what).at(position));
            }
        }
        match self.option_of(new.is_procedure)? {
            Some(RoutineOption::Volatility(volatility)) => new.volatility = volatility,
            Some(RoutineOption::Strict(strict)) => new.strict = strict,
            Some(RoutineOption::Definer(definer)) => new.definer = definer,
            Some(RoutineOption::Leakproof(leakproof)) => new.leakproof = leakproof,
            Some(RoutineOption::Parallel(letter)) => new.parallel = letter,
            Some(RoutineOption::Cost(cost)) => new.cost = Some(cost),
            Some(RoutineOption::Rows(rows)) => new.rows = Some(rows),
            None => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn routine_option(&mut self) -> Result<Option<RoutineOption>> {
        for (word, volatility) in
            [("immutable", Volatility::Immutable), ("stable", Volatility::Stable), ("volatile", Volatility::Volatile)]
        {
            if self.takes(word) {
                return Ok(Some(RoutineOption::Volatility(volatility)));
            }
        }
        if self.takes("strict") {
            return Ok(Some(RoutineOption::Strict(true)));
        }
        if self.takes("called") || (self.peeks("returns") && self.peeks_at(1, "null")) {
            let strict = self.takes("returns");
            for word in if strict { ["null", "on", "null", "input"] } else { ["on", "null", "input", ""] } {
                if !word.is_empty() {
                    self.needs(word)?;
                }
            }
            return Ok(Some(RoutineOption::Strict(strict)));
        }
        let external = self.takes("external");
        if external || self.peeks("security") {
            self.needs("security")?;
            let definer = self.takes("definer");
            if !definer {
                self.needs("invoker")?;
            }
            return Ok(Some(RoutineOption::Definer(definer)));
        }
        if self.takes("leakproof") {
            return Ok(Some(RoutineOption::Leakproof(true)));
        }
        if self.takes("not") {
            self.needs("leakproof")?;
            return Ok(Some(RoutineOption::Leakproof(false)));
        }
        if self.takes("parallel") {
            let position = self.position();
            return Ok(Some(RoutineOption::Parallel(match self.name()?.as_str() {
                "safe" => 's',
                "restricted" => 'r',
                "unsafe" => 'u',
                _ => {
                    let message = "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE";
                    return Err(Error::new(ErrorKind::Syntax, message).at(position));
                }
            })));
        }
        for (word, is_cost) in [("cost", true), ("rows", false)] {
            if self.takes(word) {
                let position = self.position();
                let text = match self.next() {
                    Some(Token::Number(digits, _)) => digits.clone(),
                    _ => return Err(self.unexpected()),
                };
                self.at += 1;
                if !text.parse::<f64>().is_ok_and(|number| number > 0.0) {
                    let message = format!("{} must be positive", word.to_ascii_uppercase());
                    return Err(Error::new(ErrorKind::InvalidParameter, message).at(position));
                }
                return Ok(Some(if is_cost { RoutineOption::Cost(text) } else { RoutineOption::Rows(text) }));
            }
        }
        Ok(None)
    }

    /// Where the next clause begins, or the end.
    fn clause_end(&self) -> usize {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match &token.token {
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                word if depth == 0 && at > self.at && CLAUSES.iter().any(|clause| is_keyword(word, clause)) => {
                    return at;
                }
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Arguments in parentheses.
    fn arguments(&mut self) -> Result<Vec<NewArgument>> {
        self.needs_token(&Token::LParen)?;
        let mut arguments = Vec::new();
        if self.takes_token(&Token::RParen) {
            return Ok(arguments);
        }
        loop {
            let mut depth = 0;
            let end = (self.at..self.tokens.len()).find(|&at| {
                match &self.tokens[at].token {
                    Token::LParen | Token::LBracket => depth += 1,
                    Token::RParen if depth == 0 => return true,
                    Token::RParen | Token::RBracket => depth -= 1,
                    Token::Comma => return depth == 0,
                    _ => {}
                }
                false
            });
            let end = end.unwrap_or(self.tokens.len());
            arguments.push(self.argument(end)?);
            if !self.takes_token(&Token::Comma) {
                break;
            }
        }
        self.needs_token(&Token::RParen)?;
        Ok(arguments)
    }

    /// An argument, up to a place: `[mode] [name] type [DEFAULT expression]`; the mode may stand behind the name.
    fn argument(&mut self, end: usize) -> Result<NewArgument> {
        let position = self.position();
        let is_default = |at: &usize| {
            let token = &self.tokens[*at].token;
            is_keyword(token, "default") || *token == Token::Eq
        };
        let type_end = (self.at..end).find(is_default).unwrap_or(end);
        let mut mode = self.mode(type_end);
        let mut name = String::new();
        let start = self.at;
        let whole = if start < type_end {
            self.part(type_end, |parser| parser.parse_data_type())
        } else {
            Err(self.unexpected())
        };
        let data_type = match whole {
            Ok(data_type) => data_type,
            Err(error) => {
                // A name stands before it.
                self.at = start;
                if !self.peeks_word_at(0) || start + 1 >= type_end {
                    return Err(error);
                }
                name = self.name()?;
                if mode.is_none() {
                    mode = self.mode(type_end);
                }
                self.part(type_end, |parser| parser.parse_data_type())?
            }
        };
        let default = if self.at < end {
            self.at += 1;
            Some(Box::new(self.part(end, |parser| parser.parse_expr())?))
        } else {
            None
        };
        Ok(NewArgument { name, mode: mode.unwrap_or(ArgumentMode::In), data_type, default, position })
    }

    /// A mode, if more follows before a place.
    fn mode(&mut self, end: usize) -> Option<ArgumentMode> {
        if self.at + 1 >= end {
            return None;
        }
        for (word, mode) in [
            ("in", ArgumentMode::In),
            ("out", ArgumentMode::Out),
            ("inout", ArgumentMode::InOut),
            ("variadic", ArgumentMode::Variadic),
        ] {
            if self.takes(word) {
                if mode == ArgumentMode::In && self.at + 1 < end && self.takes("out") {
                    return Some(ArgumentMode::InOut);
                }
                return Some(mode);
            }
        }
        None
    }
}

/// Whether COMMENT and GRANT mean a function by a word.
pub(super) fn is_routine_word(words: &Words<'_>) -> bool {
    ["function", "procedure", "routine"].iter().any(|word| words.peeks(word)) && words.peeks_word_at(1)
}
