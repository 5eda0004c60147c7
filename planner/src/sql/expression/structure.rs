//! Structs where they are written: `{'a': 1}`, functions with named fields, `value['a']`, `s.*`, `unnest(s)`, and the types
//! `STRUCT(a INTEGER)`.

use super::call::plain_argument;
use super::data_type::{bind_type, restriction};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{Operator, Scope};
use crate::sql::ahead::BRACES;
use crate::sql::binder::Binder;
use crate::sql::parse::parse_struct_fields;
use crate::stack;
use crate::types::{DataType, STRUCT_DEPTH_MAX};
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

/// The table of the row that `unnest(struct)` is until the select list spreads it.
const UNNESTED: &str = "unnest of a struct";

/// The text of a literal in quotes.
pub(in crate::sql) fn quoted_text(ast: &Expr) -> Option<&str> {
    match ast {
        Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The name and the value of a named argument.
fn named_argument(argument: &FunctionArg) -> Option<(&ast::Ident, &Expr)> {
    match argument {
        FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), operator: _ }
        | FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(value), operator: _ } => {
            Some((name, value))
        }
        _ => None,
    }
}

/// The type of a struct by the text between its parentheses.
pub(super) fn struct_type(fields: &str, made: &dyn Fn(&TableName) -> Result<Option<DataType>>) -> Result<DataType> {
    let mut depth = 0usize;
    let is_deep = fields.chars().any(|letter| {
        depth = depth.saturating_add(usize::from(letter == '(')).saturating_sub(usize::from(letter == ')'));
        depth > STRUCT_DEPTH_MAX
    });
    if is_deep {
        let message = format!("structs are more than {STRUCT_DEPTH_MAX} deep within each other");
        return Err(Error::new(ErrorKind::TooComplex, message));
    }
    let mut types: Vec<(String, DataType)> = Vec::new();
    for (name, of) in parse_struct_fields(fields)? {
        let name = Binder::fold(&name);
        if types.iter().any(|(known, _)| known.to_lowercase() == name.to_lowercase()) {
            let message = format!("a struct has one field of a name: \"{name}\" is there twice");
            return Err(Error::new(ErrorKind::DuplicateColumn, message));
        }
        if restriction(&of).is_some() {
            return Err(Error::unsupported(format_args!("a struct's field of type {of} is")));
        }
        types.push((name, stack::more(|| bind_type(&of, made))?));
    }
    Ok(DataType::structure(types))
}

impl Binder<'_, '_> {
    /// A call that makes a struct, or takes one apart, in a way that no other function is called; none of others.
    pub(super) fn bind_struct_call(
        &mut self,
        name: &str,
        function: &ast::Function,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let FunctionArguments::List(list) = &function.args else { return Ok(None) };
        let is_plain = list.clauses.is_empty() && list.duplicate_treatment.is_none() && function.filter.is_none();
        match name {
            _ if !is_plain || function.over.is_some() => Ok(None),
            BRACES => self.bind_braces(&list.args, position, scope).map(Some),
            "struct_pack" | "struct_insert" | "struct_update" => {
                let (mut plain, mut named) = (Vec::new(), Vec::new());
                for argument in &list.args {
                    match (named_argument(argument), plain_argument(argument)) {
                        (Some((name, value)), _) => {
                            named.push((Self::fold(name), self.bind_expression(value, scope)?));
                        }
                        (None, Some(value)) => plain.push(self.bind_expression(value, scope)?),
                        _ => {
                            let what = format!("the argument {argument} of {name} is");
                            return Err(Error::unsupported(what).at(position));
                        }
                    }
                }
                self.builder.struct_with(name, plain, named, position).map(Some)
            }
            "unnest" => self.bind_unnest_of_struct(&list.args, position, scope),
            _ => Ok(None),
        }
    }

    /// Names and values in turn.
    fn bind_braces(
        &mut self,
        arguments: &[FunctionArg],
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let mut fields = Vec::with_capacity(arguments.len() / 2);
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return Err(Error::new(ErrorKind::Syntax, WRITTEN).at(position)) };
            let name = plain_argument(name).and_then(quoted_text);
            let (Some(name), Some(value)) = (name, plain_argument(value)) else {
                return Err(Error::new(ErrorKind::Syntax, WRITTEN).at(position));
            };
            fields.push((name.to_owned(), self.bind_expression(value, scope)?));
        }
        self.builder.structure(fields, position)
    }

    /// `unnest(struct)` as a row that the select list spreads, and so each row of `unnest(array, recursive := true)`. Of an
    /// array alone it is a set of its elements.
    fn bind_unnest_of_struct(
        &mut self,
        arguments: &[FunctionArg],
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let (value, recursive) = match arguments {
            [value] => (value, false),
            [value, option] => match named_argument(option) {
                Some((name, Expr::Value(value_of))) if Self::fold(name) == "recursive" => {
                    (value, value_of.value == ast::Value::Boolean(true))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(value) = plain_argument(value) else { return Ok(None) };
        let bound = self.bind_expression(value, scope)?;
        let bound = match bound.data_type.element() {
            Some(element) if arguments.len() == 2 => {
                let call = self.builder.set_function("unnest", vec![bound], position)?;
                let each = self.builder.set_in_list(call, scope, position)?;
                if !recursive || element.struct_fields().is_none() {
                    return Ok(Some(each));
                }
                each
            }
            _ => bound,
        };
        if bound.data_type.struct_fields().is_none() {
            let call = self.builder.set_function("unnest", vec![bound], position)?;
            return self.builder.set_in_list(call, scope, position).map(Some);
        }
        let fields = self.builder.unnested_struct(&bound, recursive)?;
        self.builder.row(Some(UNNESTED.to_owned()), fields, position).map(Some)
    }

    /// The items that a value of a select list is spread to, if it is `unnest` of a struct.
    pub(in crate::sql) fn spread_struct(&mut self, value: &Expression) -> Result<Option<Vec<(String, Expression)>>> {
        let is_unnested = value.data_type.fields().is_some() && value.data_type.to_string() == UNNESTED;
        let Some(names) = value.data_type.fields().filter(|_| is_unnested) else { return Ok(None) };
        let fields = self.builder.fields_of(value)?;
        Ok(Some(names.iter().map(|(name, _)| name.clone()).zip(fields).collect()))
    }

    /// `s.*` of a column that is a struct or a row, where no table is called so.
    pub(in crate::sql) fn bind_star_of_struct(
        &mut self,
        name: &ast::ObjectName,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<(String, Expression)>>> {
        let parts: Option<Vec<ast::Ident>> = name.0.iter().map(|part| part.as_ident().cloned()).collect();
        let Some(parts) = parts else { return Ok(None) };
        let value = match parts.as_slice() {
            [column] => self.builder.column(scope, None, &Self::fold(column), self.position(column.span)),
            parts => self.bind_qualified(parts, scope),
        };
        let Some(value) = value.ok().filter(|value| value.data_type.members().is_some()) else { return Ok(None) };
        let names = value.data_type.members().unwrap_or_default().iter().map(|(name, _)| name.clone());
        let fields = self.builder.fields_of(&value)?;
        Ok(Some(names.zip(fields).collect()))
    }

    /// `value['name']` of a struct or of a json; none of another value.
    pub(super) fn bind_named_subscript(
        &mut self,
        value: &Expression,
        name: &str,
        position: Option<Position>,
    ) -> Result<Option<Expression>> {
        if value.data_type.struct_fields().is_some() {
            return self.builder.field(value, name, position).map(Some);
        }
        if value.data_type != DataType::Json {
            return Ok(None);
        }
        let key = Expression::constant(crate::value::Value::text(name), DataType::Text);
        self.builder.operator(Operator::Member, value.clone(), key).map(Some)
    }
}

const WRITTEN: &str = "a struct is written as names and values: {'a': 1, 'b': 2}";
