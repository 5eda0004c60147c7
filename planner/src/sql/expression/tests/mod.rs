//! Binding single expressions: values and types of literals against PostgreSQL, then what binding makes of columns.

use super::super::binder::Binder;
use crate::catalog::{Catalog, CatalogEntry, TableInfo, TableName};
use crate::error::{Error, Result};
use crate::evaluate;
use crate::relation::builder::{Builder, Clause, Scope, ScopeColumn, ScopeTable};
use crate::relation::{Expression, ExpressionKind, SubqueryKind};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::sync::Arc;

mod columns;

/// A world without tables.
struct Empty;

impl Catalog for Empty {
    fn entry(&self, _: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(None)
    }

    fn file(&self, _: &str) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// One column of every type.
const COLUMNS: &[(&str, DataType)] = &[
    ("b", DataType::Boolean),
    ("s", DataType::SmallInt),
    ("i", DataType::Integer),
    ("l", DataType::BigInt),
    ("r", DataType::Real),
    ("f", DataType::Double),
    ("n", DataType::Decimal { precision: 15, scale: 2 }),
    ("w", DataType::Decimal { precision: 38, scale: 30 }),
    ("t", DataType::Text),
    ("v", DataType::Varchar(10)),
    ("c", DataType::Char(5)),
    ("d", DataType::Date),
    ("ti", DataType::Time),
    ("ts", DataType::Timestamp),
    ("iv", DataType::Interval),
];

/// What came of binding one expression in a clause: the expression, the aggregates and the parameters as text.
struct Bound {
    expression: Expression,
    shown: String,
    aggregates: Vec<String>,
    parameters: Vec<Option<DataType>>,
}

fn bind_in(clause: Clause, sql: &str) -> Result<Bound> {
    let dialect = PostgreSqlDialect {};
    let ast = Parser::new(&dialect)
        .try_with_sql(sql)
        .and_then(|mut parser| {
            let ast = parser.parse_expr()?;
            parser.expect_token(&sqlparser::tokenizer::Token::EOF)?;
            Ok(ast)
        })
        .map_err(|error| Error::new(crate::error::ErrorKind::Syntax, error.to_string()))?;
    let mut builder = Builder::new(&Empty, crate::sql::view_rows, &[], false);
    let table = ScopeTable::named("x");
    let columns = COLUMNS.iter().map(|(name, data_type)| {
        let id = builder.columns.add(*name, *data_type, true);
        ScopeColumn::new(Some(&table), (*name).to_owned(), id)
    });
    let scope = Scope::new(None, columns.collect(), vec![table.clone()], clause);
    let expression = Binder::new(&mut builder, sql).bind_expression(&ast, &scope)?;
    let expression = builder.settle(expression)?;
    let show_call = |(_, call): &(_, crate::relation::AggregateCall)| {
        let distinct = if call.distinct { "distinct " } else { "" };
        let argument = call.argument.as_ref().map(|argument| show(argument, &builder)).unwrap_or_default();
        let filter = call.filter.as_ref().map(|filter| format!(" filter {}", show(filter, &builder)));
        format!("{:?}({distinct}{argument}){}: {}", call.function, filter.unwrap_or_default(), call.data_type)
    };
    let aggregates = scope.aggregates().iter().map(show_call).collect();
    let shown = format!("{}: {}", show(&expression, &builder), expression.data_type);
    Ok(Bound { expression, shown, aggregates, parameters: builder.parameters })
}

fn bind(sql: &str) -> Result<Bound> {
    bind_in(Clause::SelectList, sql)
}

fn show(expression: &Expression, builder: &Builder<'_>) -> String {
    let data_type = expression.data_type;
    match &expression.kind {
        ExpressionKind::Column(id) => builder.columns.get(*id).name.clone(),
        ExpressionKind::Constant(Value::Null) => "NULL".to_owned(),
        ExpressionKind::Constant(value) if data_type.is_text() => format!("'{}'", evaluate::format(value, data_type)),
        ExpressionKind::Constant(value) => format!("{}::{data_type}", evaluate::format(value, data_type)),
        ExpressionKind::Parameter(index) => format!("${}::{data_type}", index + 1),
        ExpressionKind::Call(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|argument| show(argument, builder)).collect();
            let to = if format!("{function:?}").ends_with("Cast") { format!(" as {data_type}") } else { String::new() };
            format!("{function:?}({}{to})", arguments.join(", "))
        }
        ExpressionKind::Element(domain, code) => format!("{}[{}]", domain.table.name, show(code, builder)),
        ExpressionKind::Subquery(subquery) => match &subquery.kind {
            SubqueryKind::Scalar(_) => "scalar".to_owned(),
            SubqueryKind::Exists => "exists".to_owned(),
            SubqueryKind::Any(predicate) => format!("any {}", show(predicate, builder)),
            SubqueryKind::All(predicate) => format!("all {}", show(predicate, builder)),
        },
    }
}

/// PostgreSQL's name for our type.
fn postgres_name(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Null => "unknown",
        DataType::Boolean => "boolean",
        DataType::SmallInt => "smallint",
        DataType::Integer => "integer",
        DataType::BigInt => "bigint",
        DataType::Real => "real",
        DataType::Double => "double precision",
        DataType::Decimal { .. } | DataType::Numeric => "numeric",
        DataType::Text => "text",
        DataType::Varchar(_) => "character varying",
        DataType::Char(_) => "character",
        DataType::Date => "date",
        DataType::Time => "time without time zone",
        DataType::Timestamp => "timestamp without time zone",
        DataType::Interval => "interval",
        DataType::TimestampTz => "timestamp with time zone",
        logical => crate::relation::builder::type_name(logical),
    }
}

/// The value that the interpreter would find: what folding left is evaluated, lazily where that matters.
fn value_of(expression: &Expression) -> Result<Value> {
    use crate::function::Function;
    let ExpressionKind::Call(function, arguments) = &expression.kind else {
        let ExpressionKind::Constant(value) = &expression.kind else { panic!("not a literal: {expression:?}") };
        return Ok(value.clone());
    };
    if *function == Function::Case {
        for branch in arguments.chunks(2) {
            match branch {
                [condition, value] if value_of(condition)?.is_true() => return value_of(value),
                [otherwise] => return value_of(otherwise),
                _ => {}
            }
        }
    }
    let mut values = Vec::new();
    for argument in arguments {
        let value = value_of(argument)?;
        let decided = match (function, &value) {
            (Function::And, Value::Boolean(value)) => !value,
            (Function::Or, Value::Boolean(value)) => *value,
            _ => false,
        };
        if decided {
            return Ok(value);
        }
        values.push(value);
    }
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    evaluate::evaluate(*function, &values, &types, expression.data_type)
}

/// A number without the zeros at its end, so that a scale that is part of our type does not count.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[test]
fn literals_are_postgresqls() {
    let mut wrong = Vec::new();
    for line in include_str!("postgres.tsv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let answer = bind(fields[0]).and_then(|bound| {
            let data_type = bound.expression.data_type;
            let text = match value_of(&bound.expression)? {
                Value::Null => "NULL".to_owned(),
                value => evaluate::format(&value, data_type),
            };
            Ok((postgres_name(data_type).to_owned(), text))
        });
        let right = match (&answer, fields.as_slice()) {
            (Ok((name, text)), [_, expected_name, expected]) => {
                name == expected_name && (text == expected || (name == "numeric" && trimmed(text) == trimmed(expected)))
            }
            (Err(error), [_, expected]) => expected.strip_prefix('!') == Some(error.sqlstate()),
            _ => false,
        };
        if !right {
            let answer = answer.map_err(|error| format!("{} {error}", error.sqlstate()));
            wrong.push(format!("{line}\n    but here {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
