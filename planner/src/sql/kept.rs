//! Expressions that are kept as text (a column's default, a CHECK, what an index is over), in the form in which PostgreSQL shows
//! them: in parentheses where an operator stands, constants with their types, columns without their table. The text is bound again
//! wherever it is used, and is what `pg_get_expr` gives.
//!
//! Types are told as far as it takes no binding: a constant's from what it stands beside, a varchar's and a number's conversions
//! from the other side. Where they are not known nothing is added, and what has no form here is as sqlparser prints it.

use super::binder::Binder;
use super::expression::bind_data_type;
use super::kept_lambdas;
use super::spelling::is_keyword;
use crate::evaluate;
use crate::evaluate::quote::identifier as quoted;
use crate::stack;
use crate::types::{DataType, Field};
use crate::value::Value;
use sqlparser::ast::{self, BinaryOperator, Expr, UnaryOperator};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Word};

/// Functions of text that take and give text.
const TEXT_FUNCTIONS: [&str; 14] = [
    "lower",
    "upper",
    "btrim",
    "ltrim",
    "rtrim",
    "length",
    "char_length",
    "substr",
    "substring",
    "replace",
    "left",
    "right",
    "concat",
    "md5",
];

/// The type of a literal that was bound, and its value as a text that means the same under all settings; none of one whose text
/// does so itself.
pub(super) type Read<'k> = dyn Fn(&ast::ValueWithSpan) -> Option<(DataType, String)> + 'k;

/// What is known of an expression.
pub(super) struct Kept<'k> {
    /// The columns that it may name.
    pub(super) fields: &'k [Field],
    /// What its literals are.
    pub(super) read: &'k Read<'k>,
    /// The variables of the lambdas around, innermost last, and what they are called in the text.
    pub(super) variables: Vec<(String, String)>,
}

impl Binder<'_, '_> {
    /// The text of an expression that has been bound over columns; `wanted` is the type that it stands for, where the expression says
    /// none.
    pub(super) fn kept_text(&self, fields: &[Field], expr: &Expr, wanted: Option<DataType>) -> String {
        let literals = self.builder.noted_literals();
        let read = |value: &ast::ValueWithSpan| literals.get(&self.position(value.span)?).cloned();
        Kept { fields, read: &read, variables: Vec::new() }.text(expr, wanted)
    }
}

/// What a type is called where a constant is of it: without a length.
pub(super) fn type_name(data_type: DataType) -> String {
    match data_type {
        DataType::Varchar(_) => "character varying".to_owned(),
        DataType::Char(_) => "bpchar".to_owned(),
        DataType::Decimal { .. } => "numeric".to_owned(),
        DataType::Time => "time without time zone".to_owned(),
        DataType::Timestamp => "timestamp without time zone".to_owned(),
        DataType::TimestampTz => "timestamp with time zone".to_owned(),
        DataType::TimeTz => "time with time zone".to_owned(),
        // What has no length has its name in quotes: without them it is of one bit.
        DataType::Bit(_) => "\"bit\"".to_owned(),
        DataType::VarBit(_) => "bit varying".to_owned(),
        other => match other.element() {
            Some(element) => format!("{}[]", type_name(element)),
            None => other.to_string(),
        },
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Kept<'_> {
    /// The text of an expression; `wanted` is the type that it stands for, where the expression says none.
    pub(super) fn text(&self, expr: &Expr, wanted: Option<DataType>) -> String {
        stack::more(|| self.compound(expr, wanted))
    }

    fn compound(&self, expr: &Expr, wanted: Option<DataType>) -> String {
        match expr {
            Expr::Nested(inner) => self.text(inner, wanted),
            Expr::Identifier(name) if self.variable(name).is_some() => quoted(self.variable(name).unwrap_or_default()),
            Expr::Identifier(name) if self.field(name).is_some() => quoted(&Binder::fold(name)),
            Expr::CompoundIdentifier(parts) if parts.first().is_some_and(|first| self.variable(first).is_some()) => {
                self.members(parts)
            }
            Expr::CompoundIdentifier(parts) if parts.last().is_some_and(|name| self.field(name).is_some()) => {
                parts.last().map_or_else(String::new, |name| quoted(&Binder::fold(name)))
            }
            Expr::Value(value) => match (self.read)(value) {
                Some((data_type, text)) => format!("{}::{}", literal(&text), type_name(data_type)),
                None => constant(&value.value, wanted),
            },
            Expr::TypedString(ast::TypedString { data_type, value, .. }) => {
                match (bind_data_type(data_type), (self.read)(value)) {
                    (Ok(data_type), Some((_, text))) => format!("{}::{}", literal(&text), type_name(data_type)),
                    (Ok(data_type), None) => constant(&value.value, Some(data_type)),
                    (Err(_), _) => expr.to_string(),
                }
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match number(inner) {
                Some(digits) => format!("'-{digits}'::{}", type_name(number_type(&digits))),
                None => format!("(- {})", self.text(inner, None)),
            },
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => format!("(NOT {})", self.text(expr, None)),
            Expr::IsNull(value) => format!("({} IS NULL)", self.text(value, None)),
            Expr::IsNotNull(value) => format!("({} IS NOT NULL)", self.text(value, None)),
            Expr::BinaryOp { left, op: op @ (BinaryOperator::And | BinaryOperator::Or), right } => {
                let mut parts = Vec::new();
                self.chain(left, op, &mut parts);
                self.chain(right, op, &mut parts);
                format!("({})", parts.join(&format!(" {op} ")))
            }
            Expr::BinaryOp { left, op, right } => self.operator(left, &op.to_string(), right),
            Expr::Between { expr, negated, low, high } => {
                let [least, most, word] = if *negated { ["<", ">", "OR"] } else { [">=", "<=", "AND"] };
                format!("({} {word} {})", self.operator(expr, least, low), self.operator(expr, most, high))
            }
            Expr::InList { expr, list, negated } => self.one_of(expr, list, *negated),
            Expr::Like { negated, any: false, expr, pattern, escape_char: None } => {
                self.operator(expr, if *negated { "!~~" } else { "~~" }, pattern)
            }
            Expr::Cast { kind: ast::CastKind::Cast | ast::CastKind::DoubleColon, expr, data_type, .. } => {
                self.cast(expr, data_type)
            }
            Expr::Function(function) => self.call(function).unwrap_or_else(|| expr.to_string()),
            other => other.to_string(),
        }
    }

    pub(super) fn field(&self, name: &ast::Ident) -> Option<&Field> {
        let name = Binder::fold(name);
        self.fields.iter().find(|field| field.name == name)
    }

    /// The parts of a chain of ANDs or ORs that began on its left.
    fn chain(&self, expr: &Expr, op: &BinaryOperator, parts: &mut Vec<String>) {
        stack::more(|| match expr {
            Expr::BinaryOp { left, op: inner, right } if inner == op => {
                self.chain(left, op, parts);
                self.chain(right, op, parts);
            }
            Expr::Nested(inner) => self.chain(inner, op, parts),
            other => parts.push(self.text(other, None)),
        });
    }

    /// Two sides of an operator, each of the type that it has beside the other.
    fn operator(&self, left: &Expr, op: &str, right: &Expr) -> String {
        let [l, r] = [left, right].map(|side| self.type_of(side));
        let common = common(l, r);
        format!("({} {op} {})", self.side(left, l, r, common), self.side(right, r, l, common))
    }

    fn side(&self, side: &Expr, own: Option<DataType>, other: Option<DataType>, common: Option<DataType>) -> String {
        let beside = other.map(|other| if matches!(other, DataType::Varchar(_)) { DataType::Text } else { other });
        match (own, common) {
            (None, _) => self.text(side, beside),
            (Some(own), Some(common)) if type_name(own) != type_name(common) && !own.is_float() => {
                format!("({})::{}", self.text(side, None), type_name(common))
            }
            (Some(_), _) => self.text(side, None),
        }
    }

    /// `a IN (1, 2)`.
    fn one_of(&self, expr: &Expr, list: &[Expr], negated: bool) -> String {
        let own = self.type_of(expr);
        let is_varchar = matches!(own, Some(DataType::Varchar(_)));
        let of = if is_varchar { Some(DataType::Text) } else { own };
        let shown = self.text(expr, None);
        let shown = if is_varchar { format!("({shown})::text") } else { shown };
        let list: Vec<String> = list.iter().map(|value| self.text(value, of)).collect();
        let (op, word) = if negated { ("<>", "ALL") } else { ("=", "ANY") };
        format!("({shown} {op} {word} (ARRAY[{}]))", list.join(", "))
    }

    fn cast(&self, expr: &Expr, data_type: &ast::DataType) -> String {
        let shown = match bind_data_type(data_type) {
            Ok(known) if type_name(known) == known.to_string() => known.to_string(),
            Ok(DataType::BIT) => type_name(DataType::BIT),
            Ok(known) if known.is_bits() => known.to_string(),
            Ok(known @ (DataType::Time | DataType::Timestamp | DataType::TimestampTz)) => type_name(known),
            _ => data_type.to_string(),
        };
        match expr {
            Expr::Value(value) if let Some((_, text)) = (self.read)(value) => format!("{}::{shown}", literal(&text)),
            Expr::Value(value) if matches!(value.value, ast::Value::SingleQuotedString(_) | ast::Value::Null) => {
                format!("{}::{shown}", constant(&value.value, None))
            }
            Expr::Array(_) => format!("{expr}::{shown}"),
            other => format!("({})::{shown}", self.text(other, None)),
        }
    }

    /// A call of nothing but a name and arguments.
    fn call(&self, function: &ast::Function) -> Option<String> {
        let ast::FunctionArguments::List(list) = &function.args else { return None };
        let plain = function.over.is_none()
            && function.filter.is_none()
            && function.within_group.is_empty()
            && list.duplicate_treatment.is_none()
            && list.clauses.is_empty();
        let [part] = function.name.0.as_slice() else { return None };
        let name = part.as_ident().filter(|_| plain).map(Binder::fold)?;
        if let Some(text) = self.lambda(&name, list) {
            return Some(text);
        }
        let takes_text = TEXT_FUNCTIONS.contains(&name.as_str());
        let argument = |argument: &ast::FunctionArg| match argument {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(value)) => {
                let text = self.text(value, takes_text.then_some(DataType::Text));
                let is_varchar = matches!(self.type_of(value), Some(DataType::Varchar(_)));
                Some(if takes_text && is_varchar { format!("({text})::text") } else { text })
            }
            _ => None,
        };
        let arguments: Option<Vec<String>> = list.args.iter().map(argument).collect();
        Some(format!("{}({})", quoted(&name), arguments?.join(", ")))
    }

    /// The type of an expression, where it is plain to see.
    fn type_of(&self, expr: &Expr) -> Option<DataType> {
        stack::more(|| match expr {
            Expr::Nested(inner) => self.type_of(inner),
            Expr::Identifier(name) => self.field(name).map(|field| field.data_type),
            Expr::CompoundIdentifier(parts) => parts.last().and_then(|name| self.field(name)).map(|of| of.data_type),
            Expr::Value(value) => match &value.value {
                ast::Value::Number(digits, _) => Some(number_type(digits)),
                ast::Value::Boolean(_) => Some(DataType::Boolean),
                _ => None,
            },
            Expr::TypedString(typed) => bind_data_type(&typed.data_type).ok(),
            Expr::Cast { data_type, .. } => bind_data_type(data_type).ok(),
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => self.type_of(expr),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Divide,
                right,
            } => {
                let (left, right) = (self.type_of(left)?, self.type_of(right)?);
                (left.is_numeric() && right.is_numeric()).then(|| if rank(left) < rank(right) { right } else { left })
            }
            Expr::Function(function) => {
                let name = function.name.to_string().to_ascii_lowercase();
                match name.as_str() {
                    "length" | "char_length" => Some(DataType::Integer),
                    "now" => Some(DataType::TimestampTz),
                    name if TEXT_FUNCTIONS.contains(&name) => Some(DataType::Text),
                    _ => None,
                }
            }
            _ => None,
        })
    }
}

/// A kept text with the parentheses left out that PostgreSQL's `pretty` leaves out: around all, around a name or number that is
/// cast, and around the sides of AND and OR that are no such chains themselves.
pub fn pretty(text: &str) -> String {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::LParen => open.push(at),
            Token::RParen => pairs.extend(open.pop().map(|from| (from, at))),
            _ => {}
        }
    }
    let is_chain = |at: usize| is_keyword(&tokens[at], "and") || is_keyword(&tokens[at], "or");
    let beside = |at: Option<usize>| at.and_then(|at| tokens.get(at));
    let goes = |&(from, to): &(usize, usize)| {
        let is_call = beside(from.checked_sub(1)).is_some_and(|before| matches!(before, Token::Word(_)));
        let is_all = from == 0 && to + 1 == tokens.len();
        let is_cast = to == from + 2 && tokens.get(to + 1) == Some(&Token::DoubleColon);
        // Between a chain's word and a side is a space.
        let stands_beside = beside(from.checked_sub(2)).is_some_and(|_| is_chain(from - 2))
            || (to + 2 < tokens.len() && is_chain(to + 2));
        let within = pairs.iter().filter(|(a, b)| from < *a && *b < to);
        let is_deep = |at: usize| within.clone().any(|(a, b)| *a < at && at < *b);
        let has_chain = (from + 1..to).any(|at| is_chain(at) && !is_deep(at));
        !is_call && (is_all || is_cast || (stands_beside && !has_chain))
    };
    let mut shown: Vec<bool> = vec![true; tokens.len()];
    for (from, to) in pairs.iter().filter(|pair| goes(pair)) {
        (shown[*from], shown[*to]) = (false, false);
    }
    tokens.iter().zip(shown).filter(|(_, shown)| *shown).map(|(token, _)| token.to_string()).collect()
}

/// Whether a kept text names a column.
pub fn names_column(text: &str, name: &str) -> bool {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
    let is_call = |at: usize| tokens.get(at + 1) == Some(&Token::LParen);
    let names = |(at, token): (usize, &Token)| match token {
        Token::Word(word) => !is_call(at) && is_name(word, name) && !is_of_syntax(&tokens, at),
        _ => false,
    };
    tokens.iter().enumerate().any(names)
}

/// Whether a kept expression calls a function of a name.
pub fn names_function(text: &str, name: &str) -> bool {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
    let calls = |pair: &[Token]| matches!(pair, [Token::Word(word), Token::LParen] if is_name(word, name));
    tokens.windows(2).any(calls)
}

/// The numbers of the relations that a kept text names by a `regclass`.
pub fn classes_in(text: &str) -> Vec<u32> {
    if !text.contains("regclass") {
        return Vec::new();
    }
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).tokenize().unwrap_or_default();
    let number = |three: &[Token]| match three {
        [Token::SingleQuotedString(number), Token::DoubleColon, word] if is_keyword(word, "regclass") => {
            number.parse().ok()
        }
        _ => None,
    };
    tokens.windows(3).filter_map(number).collect()
}

/// A kept text in which a column has another name.
pub fn column_renamed(text: &str, from: &str, to: &str) -> String {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
    let tokens = kept_lambdas::without_variable(tokens, to);
    let is_call = |at: usize| tokens.get(at + 1) == Some(&Token::LParen);
    let named = |(at, token): (usize, &Token)| match token {
        Token::Word(word) if !is_call(at) && is_name(word, from) && !is_of_syntax(&tokens, at) => quoted(to),
        other => other.to_string(),
    };
    tokens.iter().enumerate().map(named).collect()
}

/// Whether a word stands where no column can: in a type's name behind `::`, as the field of an EXTRACT, the unit of an interval, or in
/// AT TIME ZONE.
fn is_of_syntax(tokens: &[Token], at: usize) -> bool {
    const TAILS: [&str; 8] = ["with", "without", "time", "zone", "precision", "varying", "at", "to"];
    let mut before = tokens[..at].iter().rev().filter(|token| !matches!(token, Token::Whitespace(_)));
    let is = |token: Option<&Token>, word: &str| token.is_some_and(|token| is_keyword(token, word));
    let is_tail = |token: &Token| TAILS.iter().any(|tail| is_keyword(token, tail));
    match before.next() {
        Some(Token::DoubleColon) => true,
        Some(Token::LParen) => is(before.next(), "extract"),
        Some(Token::SingleQuotedString(_)) => is(before.next(), "interval"),
        Some(word @ Token::Word(_)) => {
            is_tail(&tokens[at]) && (is_tail(word) || before.next() == Some(&Token::DoubleColon))
        }
        _ => false,
    }
}

/// Whether a word is a name.
pub(super) fn is_name(word: &Word, name: &str) -> bool {
    match word.quote_style {
        Some(_) => word.value.replace("\"\"", "\"") == name,
        None => word.value.to_ascii_lowercase() == name,
    }
}

/// A text without a table's name in front of columns.
pub(super) fn without_table(text: &str, table: &str) -> String {
    let prefix = format!("{}.", quoted(table));
    if !text.to_ascii_lowercase().contains(&prefix.to_ascii_lowercase()) {
        return text.to_owned();
    }
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text).with_unescape(false).tokenize().unwrap_or_default();
    let is_table = |token: &Token| matches!(token, Token::Word(word) if is_name(word, table));
    let goes = |at: usize| {
        let begins = |at: usize| is_table(&tokens[at]) && tokens.get(at + 1) == Some(&Token::Period);
        begins(at) || (at > 0 && begins(at - 1))
    };
    (0..tokens.len()).filter(|&at| !goes(at)).map(|at| tokens[at].to_string()).collect()
}

/// The digits of a number that stands alone.
fn number(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            ast::Value::Number(digits, _) => Some(digits.to_string()),
            _ => None,
        },
        Expr::Nested(inner) => number(inner),
        _ => None,
    }
}

fn number_type(digits: impl AsRef<str>) -> DataType {
    match digits.as_ref().parse::<i64>() {
        Ok(number) if i32::try_from(number).is_ok() => DataType::Integer,
        Ok(_) => DataType::BigInt,
        Err(_) => DataType::Numeric,
    }
}

fn rank(data_type: DataType) -> usize {
    match data_type {
        DataType::SmallInt => 0,
        DataType::Integer => 1,
        DataType::BigInt => 2,
        DataType::Real => 4,
        DataType::Double => 5,
        _ => 3,
    }
}

/// The type that two sides of an operator are brought to, where PostgreSQL has no operator for both as they are.
fn common(left: Option<DataType>, right: Option<DataType>) -> Option<DataType> {
    let is_varchar = |side: Option<DataType>| matches!(side, Some(DataType::Varchar(_)));
    if is_varchar(left) || is_varchar(right) {
        let is_text = |side: Option<DataType>| side.is_none_or(|side| side.is_text());
        return (is_text(left) && is_text(right)).then_some(DataType::Text);
    }
    let (left, right) = (left?, right?);
    if !left.is_numeric() || !right.is_numeric() || (left.is_integer() && right.is_integer()) {
        return None;
    }
    if left.is_float() && right.is_float() || left.is_exact() && right.is_exact() {
        return None;
    }
    Some(if left.is_float() || right.is_float() { DataType::Double } else { DataType::Numeric })
}

fn constant(value: &ast::Value, wanted: Option<DataType>) -> String {
    let of = || wanted.map_or_else(String::new, |wanted| format!("::{}", type_name(wanted)));
    match value {
        ast::Value::SingleQuotedString(text) => {
            bare(text, wanted).unwrap_or_else(|| format!("{}{}", literal(text), of()))
        }
        ast::Value::Null => format!("NULL{}", of()),
        ast::Value::Boolean(value) => value.to_string(),
        ast::Value::Number(digits, _) => digits.to_string(),
        ast::Value::SingleQuotedByteStringLiteral(digits) => bits(&format!("b{digits}")),
        ast::Value::HexStringLiteral(digits) => bits(&format!("x{digits}")),
        other => other.to_string(),
    }
}

/// A bit string of any length, of a literal that says its base.
fn bits(written: &str) -> String {
    match evaluate::parse(written, DataType::BIT) {
        Ok(Value::Text(digits)) => format!("{}::{}", literal(&digits), type_name(DataType::BIT)),
        // What is none is an error where it is bound.
        _ => written.to_owned(),
    }
}

/// The value of a text that is shown without quotes: of a boolean, and of a number that is read back as one of this type.
fn bare(text: &str, wanted: Option<DataType>) -> Option<String> {
    let wanted = wanted?;
    let shown = || evaluate::parse(text, wanted).ok().map(|value| evaluate::format(&value, wanted));
    match wanted {
        DataType::Boolean => {
            evaluate::parse(text, wanted).ok().map(|value| (value == Value::Boolean(true)).to_string())
        }
        DataType::Integer => shown().filter(|digits| !digits.starts_with('-')),
        // The digits behind the point are those of the text.
        DataType::Decimal { .. } | DataType::Numeric => {
            let value = evaluate::parse(text, DataType::Numeric).ok()?;
            let digits = evaluate::format(&value, DataType::Numeric);
            (digits.starts_with(|digit: char| digit.is_ascii_digit()) && digits.contains('.')).then_some(digits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_expression;
    use super::{Kept, column_renamed, pretty, without_table};
    use crate::types::{DataType, Field};

    /// The expressions are PostgreSQL 15's, and so are the forms: plain, and pretty.
    #[test]
    fn expressions_have_the_form_of_postgresql() {
        let of = |name: &str, data_type| Field::new(name, data_type, true);
        let fields = [
            of("a", DataType::Integer),
            of("b", DataType::Varchar(5)),
            of("c", DataType::Numeric),
            of("l", DataType::Text),
            of("p", DataType::Double),
            of("r", DataType::Real),
            of("s", DataType::Date),
            of("B c", DataType::Integer),
        ];
        for (written, kept, shown) in [
            ("a > 0", "(a > 0)", "a > 0"),
            ("b <> 'x'", "((b)::text <> 'x'::text)", "b::text <> 'x'::text"),
            (
                "t.c > 0 AND c < 100",
                "((c > (0)::numeric) AND (c < (100)::numeric))",
                "c > 0::numeric AND c < 100::numeric",
            ),
            ("l IN ('a', 'b')", "(l = ANY (ARRAY['a'::text, 'b'::text]))", "l = ANY (ARRAY['a'::text, 'b'::text])"),
            ("a BETWEEN 1 AND 5", "((a >= 1) AND (a <= 5))", "a >= 1 AND a <= 5"),
            ("length(b) > 2", "(length((b)::text) > 2)", "length(b::text) > 2"),
            ("l LIKE 'a%'", "(l ~~ 'a%'::text)", "l ~~ 'a%'::text"),
            ("p > 0", "(p > (0)::double precision)", "p > 0::double precision"),
            ("r > 0", "(r > (0)::double precision)", "r > 0::double precision"),
            ("s > '2020-01-01'", "(s > '2020-01-01'::date)", "s > '2020-01-01'::date"),
            ("a > -1", "(a > '-1'::integer)", "a > '-1'::integer"),
            ("\"B c\" IS NOT NULL", "(\"B c\" IS NOT NULL)", "\"B c\" IS NOT NULL"),
            (
                "l IS NOT NULL OR a > 5 OR b = 'y'",
                "((l IS NOT NULL) OR (a > 5) OR ((b)::text = 'y'::text))",
                "l IS NOT NULL OR a > 5 OR b::text = 'y'::text",
            ),
            (
                "(a > 1 OR a < 0) AND NOT a = 7",
                "(((a > 1) OR (a < 0)) AND (NOT (a = 7)))",
                "(a > 1 OR a < 0) AND NOT (a = 7)",
            ),
        ] {
            let parsed = parse_expression(written).expect("it can be read");
            let text = without_table(
                &Kept { fields: &fields, read: &|_| None, variables: Vec::new() }.text(&parsed, None),
                "t",
            );
            assert_eq!(text, kept, "{written}");
            assert_eq!(pretty(&text), shown, "{written}");
            parse_expression(&text).expect("what is kept can be read");
        }
    }

    /// As PostgreSQL 15 shows a default of this type.
    #[test]
    fn texts_are_shown_as_the_constants_that_they_are() {
        let decimal = DataType::Decimal { precision: 15, scale: 2 };
        for (written, data_type, shown) in [
            ("'5'", DataType::Integer, "5"),
            ("'-5'", DataType::Integer, "'-5'::integer"),
            ("'0.50'", decimal, "0.50"),
            ("'7'", DataType::Numeric, "'7'::numeric"),
            ("'-0.5'", DataType::Numeric, "'-0.5'::numeric"),
            ("'t'", DataType::Boolean, "true"),
            ("'no'", DataType::Boolean, "false"),
            ("'5'", DataType::BigInt, "'5'::bigint"),
            ("'1.5'", DataType::Double, "'1.5'::double precision"),
            ("'NaN'", DataType::Numeric, "'NaN'::numeric"),
        ] {
            let parsed = parse_expression(written).expect("it can be read");
            assert_eq!(
                Kept { fields: &[], read: &|_| None, variables: Vec::new() }.text(&parsed, Some(data_type)),
                shown,
                "{written}"
            );
        }
    }

    #[test]
    fn columns_are_renamed_but_not_texts_and_calls() {
        assert_eq!(
            column_renamed("((a > 0) AND (\"A\" = 'a'::text))", "a", "B c"),
            "((\"B c\" > 0) AND (\"A\" = 'a'::text))"
        );
        assert_eq!(column_renamed("lower(lower)", "lower", "x"), "lower(x)");
        for (text, from, renamed) in [
            ("(date > '2024-01-01'::date)", "date", "(day > '2024-01-01'::date)"),
            (
                "(time > '2024-01-01 00:00:00+00'::timestamp with time zone)",
                "time",
                "(day > '2024-01-01 00:00:00+00'::timestamp with time zone)",
            ),
            ("(EXTRACT(YEAR FROM year) = (2024)::numeric)", "year", "(EXTRACT(YEAR FROM day) = (2024)::numeric)"),
            ("((zone AT TIME ZONE 'UTC'::text) = zone)", "zone", "((day AT TIME ZONE 'UTC'::text) = day)"),
            (
                "((precision)::double precision > (0)::double precision)",
                "precision",
                "((day)::double precision > (0)::double precision)",
            ),
        ] {
            assert_eq!(column_renamed(text, from, "day"), renamed);
        }
        assert_eq!(column_renamed("(\"it''s\" = 'it''s a'::text)", "a", "b"), "(\"it''s\" = 'it''s a'::text)");
    }
}
