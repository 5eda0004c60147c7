//! The text of an expression: SQL's own operators where there are some, else the function's name in snake case.

use super::Names;
use crate::evaluate;
use crate::evaluate::lambda::{Lambda, NodeKind};
use crate::function::{Function, LambdaFunction, LambdaKind, StructFunction, debug_word};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, Subquery, SubqueryKind};
use crate::stack;
use crate::types::DataType;
use crate::value::Value;

/// The text of an expression. `subqueries` numbers those in it.
pub(super) fn print(expression: &Expression, names: &Names, subqueries: &[(usize, &Relation)]) -> String {
    Printer { names, subqueries, variables: Vec::new() }.print(expression, 0)
}

struct Printer<'a> {
    names: &'a Names,
    subqueries: &'a [(usize, &'a Relation)],
    /// The variables of the lambdas around, which count as columns from the last that there can be downwards.
    variables: Vec<String>,
}

/// The column that stands for a variable of a lambda.
fn variable(number: usize) -> ColumnId {
    ColumnId(u32::MAX - number as u32)
}

impl Printer<'_> {
    /// `above` is how tightly the operator around this binds; a looser one inside needs parentheses.
    fn print(&self, expression: &Expression, above: u8) -> String {
        match &expression.kind {
            ExpressionKind::Column(id) => match self.variables.get((u32::MAX - id.0) as usize) {
                Some(name) => name.clone(),
                None => self.names.get(*id).to_owned(),
            },
            ExpressionKind::Constant(value) => constant(value, expression.data_type),
            ExpressionKind::Parameter(number) => format!("${}", number + 1),
            ExpressionKind::Element(domain, code) => format!("{}[{}]", domain.table.name, self.print(code, 0)),
            ExpressionKind::Subquery(subquery) => self.subquery(subquery),
            ExpressionKind::Call(function, arguments) => self.call(*function, arguments, expression.data_type, above),
        }
    }

    fn call(&self, function: Function, arguments: &[Expression], data_type: DataType, above: u8) -> String {
        let text = |argument: &Expression, binding: u8| self.print(argument, binding);
        if let Some((symbol, binding)) = operator(function) {
            let operands: Vec<String> = arguments.iter().map(|argument| text(argument, binding + 1)).collect();
            let joined = operands.join(&format!(" {symbol} "));
            return if binding < above { format!("({joined})") } else { joined };
        }
        let first = || arguments.first().map_or_else(String::new, |argument| text(argument, 9));
        let wrap = |inner: String, binding: u8| if binding < above { format!("({inner})") } else { inner };
        match function {
            Function::Not => wrap(format!("not {}", text(&arguments[0], 3)), 3),
            Function::IsNull => wrap(format!("{} is null", first()), 4),
            Function::IsNotNull => wrap(format!("{} is not null", first()), 4),
            Function::IsTrue => wrap(format!("{} is true", first()), 4),
            Function::IsFalse => wrap(format!("{} is false", first()), 4),
            Function::Negate => wrap(format!("-{}", first()), 8),
            Function::Cast => format!("{}::{data_type}", first()),
            Function::InList => wrap(format!("{} in ({})", first(), self.list(&arguments[1..])), 4),
            Function::Case => self.case(arguments),
            Function::Extract(part) => format!("extract({part:?}, {})", self.list(arguments)).to_lowercase(),
            Function::DateTrunc(part) => format!("date_trunc({part:?}, {})", self.list(arguments)).to_lowercase(),
            Function::Moment(of) => format!("{}({})", debug_word(&of), self.list(arguments)),
            Function::Vector(of) => format!("{}({})", debug_word(&of), self.list(arguments)),
            Function::Struct(of, fields) => self.structure(of, fields, arguments),
            Function::Lambda(of) => self
                .lambda(of, arguments)
                .unwrap_or_else(|| format!("{}({})", debug_word(&of.kind), self.list(arguments))),
            Function::User(of) => match of.definition() {
                Ok(known) => format!("{}({})", known.name, self.list(arguments)),
                Err(_) => format!("removed({})", self.list(arguments)),
            },
            Function::Trim(side) => format!("trim({side:?}, {})", self.list(arguments)).to_lowercase(),
            _ => format!("{}({})", snake_case(&format!("{function:?}")), self.list(arguments)),
        }
    }

    /// A struct as it is written, and its fields.
    fn structure(&self, function: StructFunction, of: DataType, arguments: &[Expression]) -> String {
        let fields = of.struct_fields().unwrap_or_default();
        let place = match arguments.get(1).map(|place| &place.kind) {
            Some(ExpressionKind::Constant(Value::Int(place))) => usize::try_from(*place).ok(),
            _ => None,
        };
        match (function, place.and_then(|place| fields.get(place))) {
            (StructFunction::Make, _) => {
                let field = |((name, _), value): (&(String, DataType), &Expression)| {
                    format!("'{}': {}", name.replace('\'', "''"), self.print(value, 0))
                };
                format!("{{{}}}", fields.iter().zip(arguments).map(field).collect::<Vec<_>>().join(", "))
            }
            (StructFunction::Field, Some((name, _))) => format!("{}.{name}", self.print(&arguments[0], 9)),
            (StructFunction::OfJson, _) if of.is_vector() => format!("{}::{of}", self.print(&arguments[0], 9)),
            (StructFunction::Cast(to), _) => format!("{}::{to}", self.print(&arguments[0], 9)),
            _ => format!("struct_{}({})", debug_word(&function), self.list(arguments)),
        }
    }

    /// A function of a list and a lambda, as it is written.
    fn lambda(&self, function: LambdaFunction, arguments: &[Expression]) -> Option<String> {
        let [list, text, rest @ ..] = arguments else { return None };
        let ExpressionKind::Constant(Value::Text(text)) = &text.kind else { return None };
        let lambda = Lambda::read(text).ok()?;
        let first = self.variables.len();
        let variables = self.variables.iter().chain(&lambda.names).cloned().collect();
        let within = Printer { names: self.names, subqueries: self.subqueries, variables };
        let captured = arguments.get(function.captured_from()..)?;
        let is_reduction = function.kind != LambdaKind::Each;
        let body = |node: u32| {
            let written = Written { lambda: &lambda, captured, first, is_reduction };
            Some(within.print(&written.expression(node)?, 0))
        };
        let (list, names) = (self.print(list, 0), lambda.names.join(", "));
        if is_reduction {
            let start = rest.first().filter(|_| function.kind == LambdaKind::ReduceFrom);
            let start = start.map_or_else(String::new, |start| format!(", {}", self.print(start, 0)));
            return Some(format!("list_reduce({list}, lambda {names}: {}{start})", body(lambda.value)?));
        }
        let is_filter = lambda.nodes.get(lambda.value as usize).is_some_and(|node| node.kind == NodeKind::Element);
        Some(match lambda.condition {
            None => format!("list_transform({list}, lambda {names}: {})", body(lambda.value)?),
            Some(condition) if is_filter => format!("list_filter({list}, lambda {names}: {})", body(condition)?),
            Some(condition) => format!("[{} for {names} in {list} if {}]", body(lambda.value)?, body(condition)?),
        })
    }

    fn list(&self, arguments: &[Expression]) -> String {
        arguments.iter().map(|argument| self.print(argument, 0)).collect::<Vec<_>>().join(", ")
    }

    fn case(&self, arguments: &[Expression]) -> String {
        let mut text = "case".to_owned();
        for pair in arguments.chunks(2) {
            match pair {
                [condition, value] => {
                    text += &format!(" when {} then {}", self.print(condition, 0), self.print(value, 0));
                }
                rest => text += &format!(" else {}", self.list(rest)),
            }
        }
        text + " end"
    }

    fn subquery(&self, subquery: &Subquery) -> String {
        let relation: &Relation = &subquery.relation;
        let number = self.subqueries.iter().find(|(_, known)| std::ptr::eq(*known, relation));
        let number = number.map_or(0, |(number, _)| *number);
        match &subquery.kind {
            SubqueryKind::Scalar(_) => format!("subquery {number}"),
            SubqueryKind::Exists => format!("exists subquery {number}"),
            SubqueryKind::Any(predicate) => format!("any(subquery {number}: {})", self.print(predicate, 0)),
            SubqueryKind::All(predicate) => format!("all(subquery {number}: {})", self.print(predicate, 0)),
        }
    }
}

/// A lambda as an expression of columns that stand for its variables.
struct Written<'l> {
    lambda: &'l Lambda,
    captured: &'l [Expression],
    /// The number of its first variable.
    first: usize,
    is_reduction: bool,
}

impl Written<'_> {
    fn expression(&self, node: u32) -> Option<Expression> {
        let node = self.lambda.nodes.get(node as usize)?;
        let place = self.first + usize::from(self.is_reduction);
        Some(match &node.kind {
            NodeKind::Accumulator => Expression::column(variable(self.first), node.data_type),
            NodeKind::Element => Expression::column(variable(place), node.data_type),
            NodeKind::Index => Expression::column(variable(place + 1), node.data_type),
            NodeKind::Captured(number) => self.captured.get(*number as usize)?.clone(),
            NodeKind::Call(function, arguments) => {
                let arguments = arguments.iter().map(|&argument| stack::more(|| self.expression(argument)));
                Expression::call(*function, arguments.collect::<Option<_>>()?, node.data_type)
            }
        })
    }
}

/// Infix operators and how tightly they bind, as in PostgreSQL.
fn operator(function: Function) -> Option<(&'static str, u8)> {
    Some(match function {
        Function::Or => ("or", 1),
        Function::And => ("and", 2),
        Function::Equal => ("=", 5),
        Function::NotEqual => ("<>", 5),
        Function::Less => ("<", 5),
        Function::LessEqual => ("<=", 5),
        Function::Greater => (">", 5),
        Function::GreaterEqual => (">=", 5),
        Function::IsDistinct => ("is distinct from", 4),
        Function::IsNotDistinct => ("is not distinct from", 4),
        Function::Like => ("like", 5),
        Function::ILike => ("ilike", 5),
        Function::Concat => ("||", 6),
        Function::Add | Function::DateAddDays | Function::AddInterval | Function::IntervalAdd => ("+", 7),
        Function::Subtract
        | Function::DateSubtractDays
        | Function::DateDifference
        | Function::SubtractInterval
        | Function::TimestampDifference
        | Function::IntervalSubtract => ("-", 7),
        Function::Multiply | Function::IntervalMultiply => ("*", 8),
        Function::Divide | Function::IntervalDivide => ("/", 8),
        Function::Modulo => ("%", 8),
        _ => return None,
    })
}

fn constant(value: &Value, data_type: DataType) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Int(value) if data_type.is_integer() => value.to_string(),
        Value::Decimal(_) | Value::Float(_) => evaluate::format(value, data_type),
        _ => format!("'{}'", evaluate::format(value, data_type).replace('\'', "''")),
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (at, character) in name.chars().enumerate() {
        if character.is_ascii_uppercase() && at > 0 {
            text.push('_');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}
