//! The grammar that sqlparser is asked for: PostgreSQL's, and what DuckDB's people write where PostgreSQL has no meaning for it.

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;
use std::any::TypeId;

/// PostgreSQL's dialect with more clauses and operators.
#[derive(Debug)]
pub(super) struct SqlDialect;

const POSTGRES: PostgreSqlDialect = PostgreSqlDialect {};

/// Words that stand behind a table's alias and begin no condition.
const BEHIND_ALIAS: [Keyword; 17] = [
    Keyword::WHERE,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::WINDOW,
    Keyword::ORDER,
    Keyword::LIMIT,
    Keyword::OFFSET,
    Keyword::FETCH,
    Keyword::UNION,
    Keyword::EXCEPT,
    Keyword::INTERSECT,
    Keyword::JOIN,
    Keyword::INNER,
    Keyword::CROSS,
    Keyword::NATURAL,
    Keyword::ON,
    Keyword::FOR,
];

/// What PostgreSQL's dialect answers, asked of it.
macro_rules! as_postgres {
    ($($name:ident)*) => {
        $(fn $name(&self) -> bool { POSTGRES.$name() })*
    };
}

impl Dialect for SqlDialect {
    /// sqlparser takes it for PostgreSQL's wherever it asks which dialect it is.
    fn dialect(&self) -> TypeId {
        TypeId::of::<PostgreSqlDialect>()
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        POSTGRES.identifier_quote_style(identifier)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        POSTGRES.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        POSTGRES.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        POSTGRES.is_identifier_part(ch)
    }

    fn is_custom_operator_part(&self, ch: char) -> bool {
        POSTGRES.is_custom_operator_part(ch)
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        POSTGRES.is_reserved_for_identifier(keyword)
    }

    /// QUALIFY is a table's alias where nothing follows that it could be a condition of.
    fn is_table_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        match keyword {
            Keyword::QUALIFY => match &parser.peek_token_ref().token {
                Token::EOF | Token::Comma | Token::RParen | Token::SemiColon => true,
                Token::Word(next) => BEHIND_ALIAS.contains(&next.keyword),
                _ => false,
            },
            _ => POSTGRES.is_table_alias(keyword, parser),
        }
    }

    /// ON begins a clause behind an INSERT's query.
    fn is_column_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        *keyword != Keyword::ON && POSTGRES.is_column_alias(keyword, parser)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        POSTGRES.get_next_precedence(parser)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        POSTGRES.prec_value(precedence)
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        POSTGRES.parse_prefix(parser)
    }

    fn parse_infix(&self, parser: &mut Parser, expr: &Expr, _: u8) -> Option<Result<Expr, ParserError>> {
        begins_list_with_query(parser).then(|| in_list(parser, expr.clone()))
    }

    as_postgres! {
        supports_unicode_string_literal
        supports_filter_during_aggregation
        supports_group_by_expr
        supports_alter_user_as_alter_role
        allow_extract_custom
        allow_extract_single_quotes
        supports_create_index_with_clause
        supports_explain_with_utility_options
        supports_listen_notify
        supports_exclude_constraint
        supports_factorial_operator
        supports_bitwise_shift_operators
        supports_comment_on
        supports_load_extension
        supports_named_fn_args_with_colon_operator
        supports_named_fn_args_with_expr_name
        supports_empty_projections
        supports_nested_comments
        supports_string_escape_constant
        supports_numeric_literal_underscores
        supports_array_typedef_with_brackets
        supports_geometric_types
        supports_order_by_using_operator
        supports_set_names
        supports_alter_column_type_using
        supports_left_associative_joins_without_parens
        supports_notnull_operator
        supports_interval_options
        supports_insert_table_alias
        supports_create_table_like_parenthesized
        supports_select_wildcard_with_alias
        supports_comma_separated_trim
        supports_xml_expressions
        supports_aliased_function_args
        supports_comment_optimizer_hint
    }

    /// One identifier behind a query of WITH: SEARCH and CYCLE become its text.
    fn supports_from_first_insert(&self) -> bool {
        true
    }

    fn supports_order_by_all(&self) -> bool {
        true
    }

    fn supports_select_wildcard_exclude(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    fn supports_select_wildcard_rename(&self) -> bool {
        true
    }
}

/// Whether an IN comes next whose list begins with a query in parentheses, as in `IN ((SELECT 1), 2)`, `IN ((SELECT a)[1])`. sqlparser takes
/// all that begins with a query for one.
fn begins_list_with_query(parser: &Parser) -> bool {
    let mut tokens =
        (parser.index()..).map(|at| &parser.token_at(at).token).filter(|token| !matches!(token, Token::Whitespace(_)));
    let mut next = || tokens.next().unwrap_or(&Token::EOF);
    let is = |token: &Token, keyword: Keyword| matches!(token, Token::Word(word) if word.keyword == keyword);
    let mut first = next();
    if is(first, Keyword::NOT) {
        first = next();
    }
    if !is(first, Keyword::IN) || *next() != Token::LParen || *next() != Token::LParen {
        return false;
    }
    let (mut open, mut token) = (1, next());
    while *token == Token::LParen {
        (open, token) = (open + 1, next());
    }
    let is_query = matches!(token, Token::Word(word) if QUERIES.contains(&word.keyword));
    while is_query && open > 0 {
        token = next();
        match token {
            Token::LParen => open += 1,
            Token::RParen => open -= 1,
            Token::EOF => return false,
            _ => {}
        }
    }
    let goes_on = |token: &Token| matches!(token, Token::Word(word) if BEHIND_QUERY.contains(&word.keyword));
    let behind = next();
    is_query && *behind != Token::RParen && *behind != Token::EOF && !goes_on(behind)
}

/// Words that a query begins with.
const QUERIES: [Keyword; 4] = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::TABLE];

/// Words by which a query in parentheses goes on as a query.
const BEHIND_QUERY: [Keyword; 8] = [
    Keyword::UNION,
    Keyword::INTERSECT,
    Keyword::EXCEPT,
    Keyword::ORDER,
    Keyword::LIMIT,
    Keyword::OFFSET,
    Keyword::FETCH,
    Keyword::FOR,
];

/// Reads `[NOT] IN (…)`, a list.
fn in_list(parser: &mut Parser, expr: Expr) -> Result<Expr, ParserError> {
    let negated = parser.parse_keyword(Keyword::NOT);
    parser.expect_keyword(Keyword::IN)?;
    parser.expect_token(&Token::LParen)?;
    let list = parser.parse_comma_separated(Parser::parse_expr)?;
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::InList { expr: Box::new(expr), list, negated })
}
