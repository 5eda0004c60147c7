//! From a script's text to its statements. The script is split at its semicolons before anything is parsed, so
//! that each statement keeps its own text and positions count from its start.

use super::dialect::SqlDialect;
use super::keyword::is_keyword;
use super::spelling::respell;
use super::text::Text;
use super::{Parsed, Tree, copy, definition, normal, refused, session, tuned};
use crate::error::{Error, ErrorKind, Position, Result};
use sqlparser::ast;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError};
use std::ops::Range;
use std::sync::Arc;

/// Operators, set operations and joins that may stand around a place of the text. The syntax tree of `a + a + …` is as
/// deep as the chain is long, and dropping it recurses.
const OPERATORS_MAX: usize = 100_000;

/// Parentheses, CASEs and operators before an operand that may stand around a place of the text: the parser recurses.
const NESTED_MAX: usize = 10_000;

/// The keywords that count as operators.
const CHAINED: [&str; 18] = [
    "and", "or", "not", "is", "in", "like", "ilike", "similar", "between", "overlaps", "isnull", "notnull", "collate",
    "at", "over", "operator", "escape", "prior",
];

/// Joins that may follow each other: a chain without ON nests to the right.
const JOINS_MAX: usize = crate::relation::builder::TABLES_MAX;

/// The keywords that count as set operations.
const SETS: [&str; 4] = ["union", "except", "intersect", "minus"];

/// See [`super::parse`].
pub(super) fn parse(sql: &str) -> Result<Vec<Parsed>> {
    let script = Text::new(sql);
    let tokens = tokenize(&script)?;
    let texts = split(&script, &tokens);
    // The tokens of a script serve the statement that is all there is; spans count from a statement's start.
    let mut own = match &texts[..] {
        [only] if only.start == 0 => first_statement(&script, tokens, only.end),
        _ => {
            // Of a long script they take more than its text.
            drop(tokens);
            None
        }
    };
    let mut parsed = Vec::new();
    for text in texts {
        let start = u32::try_from(text.start).map_err(|_| too_long())?;
        let text = Text::new(&sql[text]);
        let tokens = own.take().map_or_else(|| tokenize(&text), Ok);
        let mut number = 0;
        let tree = tokens.and_then(|tokens| {
            number = normal::number(&tokens);
            parse_one(&text, tokens)
        });
        let tree = tree.map_err(|error| match error.position() {
            Some(Position(offset)) => moved(&error, Position(start + offset)),
            None => error,
        })?;
        let text = text.as_str();
        parsed.push(Parsed { tree, text: text.to_owned(), moves: Arc::default(), number });
    }
    Ok(parsed)
}

/// Parses the text of one query, as views keep it.
pub(super) fn parse_query(text: &str) -> Result<ast::Query> {
    let mut parsed = parse(text)?;
    if let (Some(Parsed { tree: Tree::Sql(statement), .. }), true) = (parsed.pop(), parsed.is_empty())
        && let ast::Statement::Query(query) = *statement
    {
        return Ok(*query);
    }
    Err(Error::internal("a view's text is not one query"))
}

/// Parses the text of one expression, as defaults and checks are kept.
pub(super) fn parse_expression(text: &str) -> Result<ast::Expr> {
    let query = parse_query(&format!("SELECT {text}"))?;
    if let ast::SetExpr::Select(select) = *query.body
        && let [ast::SelectItem::UnnamedExpr(expression)] = &select.projection[..]
    {
        return Ok(expression.clone());
    }
    Err(Error::internal(format!("an expression was kept in another form than one that can be read: {text}")))
}

/// Parses the name of a type.
pub(super) fn parse_type(text: &str) -> Result<ast::DataType> {
    let tokens = respell(tokenize(&Text::new(text))?);
    let parser: std::result::Result<Parser, ParserError> =
        Ok(Parser::new(&SqlDialect).with_tokens_with_locations(tokens));
    let parsed = parser.and_then(|mut parser| {
        let data_type = parser.parse_data_type()?;
        parser.expect_token(&Token::EOF)?;
        Ok(data_type)
    });
    parsed.map_err(|error| syntax_error(&error.to_string()))
}

/// Parses the fields of a struct's type, which stand between its parentheses.
pub(super) fn parse_struct_fields(text: &str) -> Result<Vec<(ast::Ident, ast::DataType)>> {
    let wrong = |error: ParserError| {
        let (ParserError::TokenizerError(message) | ParserError::ParserError(message)) = error else {
            return Error::new(ErrorKind::TooComplex, "the type nests too deeply");
        };
        syntax_error(&format!("in the fields of a struct: {message}"))
    };
    let tokens = respell(tokenize(&Text::new(text))?);
    let mut parser = Parser::new(&SqlDialect).with_tokens_with_locations(tokens);
    let mut fields = Vec::new();
    loop {
        let name = parser.parse_identifier().map_err(wrong)?;
        fields.push((name, parser.parse_data_type().map_err(wrong)?));
        if !parser.consume_token(&Token::Comma) {
            break;
        }
    }
    parser.expect_token(&Token::EOF).map_err(wrong)?;
    Ok(fields)
}

fn too_long() -> Error {
    Error::new(ErrorKind::TooComplex, "the text is longer than 4 GiB")
}

fn moved(error: &Error, position: Position) -> Error {
    error.clone().moved(position)
}

fn tokenize(text: &Text) -> Result<Vec<TokenWithSpan>> {
    Tokenizer::new(&PostgreSqlDialect {}, text.as_str()).tokenize_with_location().map_err(|error| {
        let TokenizerError { message, location } = error;
        syntax_error(&message).at(text.position(location))
    })
}

/// The tokens up to the first semicolon, without space behind them; none if they do not end with the statement's text: to
/// sqlparser a no-break space is part of a word.
fn first_statement(script: &Text, mut tokens: Vec<TokenWithSpan>, end: usize) -> Option<Vec<TokenWithSpan>> {
    let mut body = Body::default();
    let ends = |token: &TokenWithSpan| !body.takes(&token.token) && token.token == Token::SemiColon;
    let count = tokens.iter().position(ends).unwrap_or(tokens.len());
    let is_space = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_) | Token::EOF);
    let solid = tokens[..count].iter().rposition(|token| !is_space(token))?;
    tokens.truncate(solid + 1);
    script.offset(tokens[solid].span.end).is_some_and(|last| last <= end).then_some(tokens)
}

/// Whether the tokens of a script stand in the body of a function, `BEGIN ATOMIC … END`, whose semicolons end no statement.
#[derive(Default)]
struct Body {
    /// Words of the statement so far that say that it makes a function: CREATE, FUNCTION and BEGIN.
    said: u8,
    /// BEGIN and CASEs that are open.
    depth: usize,
}

impl Body {
    /// Takes a token; whether it is in a body.
    fn takes(&mut self, token: &Token) -> bool {
        let is = |word: &str| is_keyword(token, word);
        if self.depth > 0 {
            if is("case") {
                self.depth += 1;
            } else if is("end") {
                self.depth -= 1;
                self.said = if self.depth == 0 { 2 } else { self.said };
            }
            return true;
        }
        match (self.said, token) {
            (_, Token::Whitespace(_)) => {}
            (_, Token::SemiColon) => self.said = 0,
            (0, _) => self.said = if is("create") { 1 } else { u8::MAX },
            (1, _) if is("function") || is("procedure") => self.said = 2,
            (1, _) if !is("or") && !is("replace") => self.said = u8::MAX,
            (2, _) if is("begin") => self.said = 3,
            (3, _) => {
                self.depth = usize::from(is("atomic"));
                self.said = 2;
            }
            _ => {}
        }
        false
    }
}

/// Where the text of each statement is; empty ones are left out.
fn split(script: &Text, tokens: &[TokenWithSpan]) -> Vec<Range<usize>> {
    let sql = script.as_str();
    let offset = |location: Location| script.offset(location).unwrap_or(sql.len());
    let mut statements = Vec::new();
    let mut start = None;
    let mut body = Body::default();
    for token in tokens {
        let within = body.takes(&token.token);
        match &token.token {
            Token::SemiColon if !within => {
                let end = offset(token.span.start);
                statements.extend(start.take().map(|start| start..end));
            }
            Token::Whitespace(_) | Token::EOF => {}
            _ => start = start.or_else(|| Some(offset(token.span.start))),
        }
    }
    statements.extend(start.map(|start| start..sql.len()));
    statements.into_iter().map(|Range { start, end }| start..start + sql[start..end].trim_end().len()).collect()
}

fn parse_one(text: &Text, mut tokens: Vec<TokenWithSpan>) -> Result<Tree> {
    if let Some(statement) = session::parse(text, &tokens)? {
        return Ok(Tree::Session(statement));
    }
    if let Some(definition) = definition::parse(text, &tokens)? {
        return Ok(Tree::Definition(definition));
    }
    if let Some(head) = copy::head_end(&tokens) {
        let options = copy::parse_options(text, &tokens[head..])?;
        tokens.truncate(head);
        return Ok(Tree::Copy(Box::new(parse_sql(text, tokens)?), options));
    }
    if let Some(tokens) = summarized(&tokens) {
        return Ok(Tree::Summarize(Box::new(parse_sql(text, tokens)?)));
    }
    Ok(Tree::Sql(Box::new(parse_sql(text, tokens)?)))
}

/// The words behind SUMMARIZE as a query: what is none is a table's name or a file's. None for any other statement.
fn summarized(tokens: &[TokenWithSpan]) -> Option<Vec<TokenWithSpan>> {
    let is_solid = |token: &TokenWithSpan| !matches!(token.token, Token::Whitespace(_));
    let first = tokens.iter().position(is_solid).filter(|&at| is_keyword(&tokens[at].token, "summarize"))?;
    let next = first + 1 + tokens[first + 1..].iter().position(is_solid)?;
    let starts = |word: &str| is_keyword(&tokens[next].token, word);
    let is_query = ["select", "with", "values", "table", "from", "pivot", "unpivot"].into_iter().any(starts)
        || tokens[next].token == Token::LParen;
    let put: &[&str] = if is_query { &[] } else { &["SELECT", "*", "FROM"] };
    let token = |text: &&str| match *text {
        "*" => Token::Mul,
        word => Token::make_keyword(word),
    };
    let put = put.iter().map(|text| TokenWithSpan { token: token(text), span: tokens[first].span });
    Some(tokens[..first].iter().cloned().chain(put).chain(tokens[first + 1..].iter().cloned()).collect())
}

/// What sqlparser makes of a statement.
fn parse_sql(text: &Text, tokens: Vec<TokenWithSpan>) -> Result<ast::Statement> {
    let tokens = respell(tuned::without(text, tokens)?);
    check_chains(text, &tokens)?;
    // The tokens have been counted; where sqlparser meets its limit it often says that something else is wrong.
    let parser = Parser::new(&SqlDialect).with_recursion_limit(usize::MAX);
    let begin = tokens.iter().find(|token| !matches!(token.token, Token::Whitespace(_)));
    let begin = begin.and_then(|token| text.position(token.span.start)).unwrap_or(Position(0));
    let unknown = refused::unknown_to_parser(&tokens, begin);
    let mut parser = parser.with_tokens_with_locations(tokens);
    let statement = parser.parse_statement().map_err(|error| unknown.unwrap_or_else(|| from_parser(text, error)))?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        let error = syntax_error(&format!("Expected: end of statement, found: {}", rest.token));
        return Err(error.at(text.position(rest.span.start)));
    }
    Ok(statement)
}

/// What a part of sqlparser's grammar makes of some tokens of a text, all of which it is to take.
pub(super) fn parse_part<T>(
    text: &Text,
    tokens: Vec<TokenWithSpan>,
    parse: impl FnOnce(&mut Parser<'_>) -> std::result::Result<T, ParserError>,
) -> Result<T> {
    let tokens = respell(tokens);
    check_chains(text, &tokens)?;
    let mut parser = Parser::new(&SqlDialect).with_recursion_limit(usize::MAX).with_tokens_with_locations(tokens);
    let parsed = parse(&mut parser).map_err(|error| from_parser(text, error))?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        let error = syntax_error(&format!("Expected: end of statement, found: {}", rest.token));
        return Err(error.at(text.position(rest.span.start)));
    }
    Ok(parsed)
}

/// What stands around a place of the text, as far as its tokens tell.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Operators and joins since the last comma.
    operators: usize,
    joins: usize,
    /// Operators since the last operand.
    prefixes: usize,
    /// Open CASEs.
    cases: usize,
    sets: usize,
}

/// Refuses chains and nests that would make too deep a tree.
fn check_chains(text: &Text, tokens: &[TokenWithSpan]) -> Result<()> {
    // One for each open parenthesis, and the sums of operators and nests in those around the last.
    let mut open = vec![Level::default()];
    let (mut operators_around, mut nested_around) = (0, 0);
    let mut after_operand = false;
    for token in tokens {
        if matches!(token.token, Token::Whitespace(_)) {
            continue;
        }
        let level = open.last_mut().expect("never empty");
        let is_operand = level.take(&token.token, after_operand);
        let level = *level;
        let operators = operators_around + level.operators();
        let nested = nested_around + level.nested() + open.len();
        if operators > OPERATORS_MAX || nested > NESTED_MAX || level.joins > JOINS_MAX {
            let message = if nested > NESTED_MAX {
                "the statement nests too deeply"
            } else {
                "a chain of operators or joins is too long"
            };
            return Err(Error::new(ErrorKind::TooComplex, message).at(text.position(token.span.start)));
        }
        match &token.token {
            Token::LParen | Token::LBracket => {
                (operators_around, nested_around) = (operators, nested_around + level.nested());
                open.push(Level::default());
            }
            Token::RParen | Token::RBracket if open.len() > 1 => {
                open.pop();
                let level = open.last().expect("never empty");
                operators_around -= level.operators();
                nested_around -= level.nested();
            }
            _ => {}
        }
        after_operand = is_operand;
    }
    Ok(())
}

impl Level {
    fn operators(&self) -> usize {
        self.operators + self.sets
    }

    fn nested(&self) -> usize {
        self.prefixes + self.cases
    }

    /// Counts a token; whether it may end an operand.
    fn take(&mut self, token: &Token, after_operand: bool) -> bool {
        match token {
            Token::Comma => *self = Level { sets: self.sets, cases: self.cases, ..Level::default() },
            word @ Token::Word(_) => {
                let is = |keyword: &&str| is_keyword(word, keyword);
                let is_set = SETS.iter().any(&is);
                let is_operator = CHAINED.iter().any(&is);
                self.joins = if is_set { 0 } else { self.joins + usize::from(is(&"join")) };
                self.sets += usize::from(is_set);
                if is_operator {
                    self.operator(after_operand);
                } else if is(&"case") {
                    self.cases += 1;
                } else if is(&"end") {
                    self.cases = self.cases.saturating_sub(1);
                }
                return !is_set && !is_operator;
            }
            Token::Period | Token::LParen | Token::LBracket => {}
            Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen | Token::RBracket => return true,
            _ => self.operator(after_operand),
        }
        false
    }

    fn operator(&mut self, after_operand: bool) {
        self.operators += 1;
        self.prefixes = if after_operand { 0 } else { self.prefixes + 1 };
    }
}

fn from_parser(text: &Text, error: ParserError) -> Error {
    let message = match error {
        ParserError::RecursionLimitExceeded => {
            return Error::new(ErrorKind::TooComplex, "the statement nests too deeply");
        }
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
    };
    // sqlparser gives the location as the message's last words only.
    let located = message.rsplit_once(" at Line: ").and_then(|(before, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((before, Location { line: line.parse().ok()?, column: column.parse().ok()? }))
    });
    let end = Position(u32::try_from(text.as_str().len()).unwrap_or(u32::MAX));
    match located {
        Some((before, location)) => syntax_error(before).at(text.position(location).or(Some(end))),
        None => syntax_error(&message).at(message.ends_with("found: EOF").then_some(end)),
    }
}

/// sqlparser says "Expected: a, found: b".
fn syntax_error(message: &str) -> Error {
    let words = match message.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: ")) {
        Some((expected, "EOF")) => format!("syntax error at end of input: expected {expected}"),
        Some((expected, found)) => format!("syntax error at or near \"{found}\": expected {expected}"),
        None => format!("syntax error: {message}"),
    };
    Error::new(ErrorKind::Syntax, words)
}
