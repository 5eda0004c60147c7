//! Lambdas, and the functions that take them: `list_transform(list, lambda x, i: …)`, `list_filter`, `list_reduce`, and list
//! comprehensions.

use super::call::plain_argument;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::array::Array;
use crate::evaluate::evaluate;
use crate::relation::builder::{LambdaBody, LambdaList, LambdaVariables, Scope, null, set_not_allowed};
use crate::relation::{ColumnId, Expression, ExpressionKind};
use crate::sql::binder::Binder;
use crate::sql::forms::{COMPREHENSION, LAMBDA, TAKE_LAMBDAS};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, Expr, FunctionArguments};

/// Lambdas around one that is tried in either way, at most.
const EITHER_WAY_MAX: usize = 4;

/// The lambdas that are being bound.
#[derive(Debug, Default)]
pub(in crate::sql) struct LambdasInSight {
    /// Their variables, of the innermost last.
    all: Vec<LambdaVariables>,
    /// How many of them, from the outermost on, stand around an aggregate or a window function, which is one of rows.
    hidden: usize,
}

impl LambdasInSight {
    /// Whether one is being bound.
    pub(in crate::sql) fn is_bound(&self) -> bool {
        !self.all.is_empty()
    }

    /// Hides those that are bound so far; gives what was hidden before.
    pub(super) fn hide(&mut self) -> usize {
        std::mem::replace(&mut self.hidden, self.all.len())
    }

    /// Ends that.
    pub(super) fn show(&mut self, before: usize) {
        self.hidden = before;
    }

    /// The dimensions of what a variable stands for, where they are known.
    fn dimensions(&self, column: ColumnId) -> Option<usize> {
        self.all.iter().find_map(|lambda| lambda.dimensions_of(column))
    }
}

/// A lambda as it is written.
struct Written<'e> {
    names: Vec<String>,
    body: &'e Expr,
}

/// The arguments of a call of a function's name.
fn arguments_of<'e>(function: &'e ast::Function, name: &str) -> Option<Vec<&'e Expr>> {
    let [ast::ObjectNamePart::Identifier(ident)] = function.name.0.as_slice() else { return None };
    let FunctionArguments::List(list) = &function.args else { return None };
    if Binder::fold(ident) != name {
        return None;
    }
    list.args.iter().map(plain_argument).collect()
}

/// An error (42809) for a clause around or in a call that only functions of rows have.
fn check_plain(function: &ast::Function, name: &str) -> Result<()> {
    let FunctionArguments::List(list) = &function.args else { return Ok(()) };
    let clause = if function.over.is_some() {
        "OVER"
    } else if function.filter.is_some() {
        "FILTER"
    } else if !function.within_group.is_empty() {
        "WITHIN GROUP"
    } else if list.duplicate_treatment.is_some() {
        "DISTINCT"
    } else if !list.clauses.is_empty() || function.null_treatment.is_some() {
        "ORDER BY or IGNORE NULLS"
    } else {
        return Ok(());
    };
    let message = format!("{clause} specified, but {name} is not an aggregate function");
    Err(Error::new(ErrorKind::WrongObjectType, message))
}

/// What parentheses stand around.
fn within(mut ast: &Expr) -> &Expr {
    while let Expr::Nested(inner) = ast {
        ast = inner;
    }
    ast
}

/// Whether it is a lambda.
pub(in crate::sql) fn is_lambda(ast: &Expr) -> bool {
    matches!(within(ast), Expr::Function(function) if arguments_of(function, LAMBDA).is_some())
}

/// The lambda that an argument is; none of what is no lambda.
fn written(ast: &Expr) -> Option<Written<'_>> {
    let Expr::Function(function) = within(ast) else { return None };
    let arguments = arguments_of(function, LAMBDA)?;
    let (body, names) = arguments.split_last()?;
    let name = |name: &&Expr| if let Expr::Identifier(ident) = name { Some(Binder::fold(ident)) } else { None };
    Some(Written { names: names.iter().map(name).collect::<Option<_>>()?, body })
}

impl Written<'_> {
    /// An error if it does not declare so many variables, or one twice.
    fn check(&self, name: &str, least: usize, most: usize, position: Option<Position>) -> Result<()> {
        if self.names.len() < least || self.names.len() > most {
            let message = format!("{name} expects a lambda of {least} or {most} parameters");
            return Err(Error::new(ErrorKind::UnknownFunction, message).at(position));
        }
        let twice = self.names.iter().enumerate().find(|(at, name)| self.names[..*at].contains(name));
        match twice {
            None => Ok(()),
            Some((_, name)) => {
                let message = format!("lambda parameter \"{name}\" specified more than once");
                Err(Error::new(ErrorKind::DuplicateAlias, message).at(position))
            }
        }
    }
}

impl Binder<'_, '_> {
    /// The variable of a lambda that a name means, the innermost's first; 42803 where it stands in an aggregate.
    pub(in crate::sql) fn lambda_variable(&self, name: &str, position: Option<Position>) -> Result<Option<Expression>> {
        for (at, lambda) in self.lambdas.all.iter().enumerate().rev() {
            let Some((_, column)) = lambda.declared.iter().find(|(declared, _)| declared == name) else { continue };
            if at < self.lambdas.hidden {
                let message = format!("aggregate and window functions cannot reference lambda parameter \"{name}\"");
                return Err(Error::new(ErrorKind::Grouping, message).at(position));
            }
            return Ok(Some(self.builder.lambda_variable(*column, position)));
        }
        Ok(None)
    }

    /// A call of a function that takes a lambda; none of any other call.
    pub(super) fn bind_lambda_call(
        &mut self,
        function: &ast::Function,
        name: &str,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        if name == LAMBDA {
            let message = "a lambda stands where no function takes one";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        let Some(arguments) = arguments_of(function, name) else { return Ok(None) };
        if !arguments.iter().any(|argument| is_lambda(argument)) {
            return Ok(None);
        }
        check_plain(function, name).map_err(|error| error.at(position))?;
        let takes_one = TAKE_LAMBDAS.contains(&name) || name == COMPREHENSION;
        let (is_reduction, is_filter) = (name.ends_with("reduce"), name.ends_with("filter"));
        let shape = arguments.split_first().and_then(|(list, rest)| Some((*list, written(rest.first()?)?, &rest[1..])));
        let (list, lambda, rest) = match shape {
            Some(shape) if takes_one && shape.2.len() <= usize::from(is_reduction || name == COMPREHENSION) => shape,
            _ => return Err(self.builder.no_lambda_function(name, position)),
        };
        let list = self.bind_list(list, scope)?;
        if list == null() {
            return Ok(Some(list));
        }
        let lambdas = &self.lambdas;
        let list = self.builder.lambda_list(name, list, &|column| lambdas.dimensions(column), position)?;
        if is_reduction {
            lambda.check(name, 2, 3, position)?;
            return self.bind_reduction(list, &lambda, rest.first().copied(), position, scope).map(Some);
        }
        lambda.check(if name == COMPREHENSION { "a list comprehension" } else { name }, 1, 2, position)?;
        let condition = match rest.first() {
            Some(condition) => match written(condition) {
                Some(condition) => Some(condition.body),
                None => return Err(self.builder.no_lambda_function(name, position)),
            },
            None => Some(lambda.body).filter(|_| is_filter),
        };
        let value = Some(lambda.body).filter(|_| !is_filter);
        self.bind_each(&list, lambda.names, (value, condition), position, scope).map(Some)
    }

    /// The names for which a lambda is TRUE, which may read nothing else: `COLUMNS(lambda c: c LIKE 'a%')`.
    pub(in crate::sql) fn names_that_pass(
        &mut self,
        lambda: &Expr,
        names: &[&str],
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Vec<Value>> {
        let Some(lambda) = written(lambda) else { return Err(Error::internal("no lambda in its place")) };
        lambda.check("COLUMNS", 1, 2, position)?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let text = |name: &&str| Expression::constant(Value::text(name), DataType::Text);
        let list = self.builder.array(names.iter().map(text).collect(), position)?;
        let list = self.builder.lambda_list("COLUMNS", list, &|_| Some(1), position)?;
        let passing = self.bind_each(&list, lambda.names, (None, Some(lambda.body)), position, scope)?;
        match value_of(&passing) {
            Some(Ok(Value::Text(passing))) => Ok(Array::decode(&passing, DataType::Text).unwrap_or_default().elements),
            Some(Err(error)) => Err(error.at(position)),
            _ => Err(Error::unsupported("COLUMNS of a lambda that reads more than names is").at(position)),
        }
    }

    /// The list that a lambda is applied to: an empty one is one of integers, as DuckDB has it.
    fn bind_list(&mut self, list: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        match list {
            Expr::Array(array) if array.elem.is_empty() => {
                let empty = self.builder.empty_array(DataType::list(DataType::Integer));
                empty.ok_or_else(|| Error::internal("a list is an array"))
            }
            list => self.bind_expression(list, scope),
        }
    }

    /// The list of what an expression makes of the elements that meet a condition; without an expression, of these elements.
    fn bind_each(
        &mut self,
        list: &LambdaList,
        names: Vec<String>,
        (value, condition): (Option<&Expr>, Option<&Expr>),
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        self.in_either_way(list, |binder, takes_parts| {
            let variables = binder.builder.lambda_variables(list, names.clone(), None, takes_parts);
            let body = binder.within_lambda(&variables, scope, |binder| {
                let condition = match condition {
                    Some(condition) => {
                        let condition = binder.bind_expression(condition, scope)?;
                        Some(binder.builder.lambda_condition(condition)?)
                    }
                    None => None,
                };
                let value = value.map(|value| binder.bind_expression(value, scope)).transpose()?;
                Ok(LambdaBody { value, condition })
            })?;
            binder.builder.lambda_each(list.clone(), &variables, body, position)
        })
    }

    /// `list_reduce(list, lambda a, x, i: …[, start])`. The value has the type that the start (or the elements) and what the lambda
    /// gives have in common.
    fn bind_reduction(
        &mut self,
        list: LambdaList,
        lambda: &Written<'_>,
        start: Option<&Expr>,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let start = match start {
            Some(start) => {
                let start = self.bind_expression(start, scope)?;
                Some(self.builder.lambda_start(start, &list)?)
            }
            None => None,
        };
        self.in_either_way(&list, |binder, takes_parts| {
            let from = start.as_ref().map_or_else(|| list.variable(takes_parts), |start| start.data_type);
            let bind = |binder: &mut Self, list: &LambdaList, of: DataType| {
                let names = lambda.names.clone();
                let variables = binder.builder.lambda_variables(list, names, Some(of), takes_parts);
                let value =
                    binder.within_lambda(&variables, scope, |binder| binder.bind_expression(lambda.body, scope))?;
                Ok::<_, Error>((variables, value))
            };
            let (variables, value) = bind(binder, &list, from)?;
            let common = binder.builder.lambda_common(from, value.data_type);
            if common == from {
                return binder.builder.lambda_reduce(list.clone(), &variables, value, start.clone(), position);
            }
            let list = match start {
                Some(_) => list.clone(),
                None => binder.builder.lambda_list_of(list.clone(), common, takes_parts)?,
            };
            let common = if start.is_some() { common } else { list.variable(takes_parts) };
            let (variables, value) = bind(binder, &list, common)?;
            binder.builder.lambda_reduce(list, &variables, value, start.clone(), position)
        })
    }

    /// Binds a lambda to elements, or else to arrays, where a list may have more dimensions than one.
    fn in_either_way(
        &mut self,
        list: &LambdaList,
        mut bind: impl FnMut(&mut Self, bool) -> Result<Expression>,
    ) -> Result<Expression> {
        // Lambdas within lambdas would be bound twice as often each.
        let ways = list.ways();
        let ways = if self.lambdas.all.len() < EITHER_WAY_MAX { ways } else { &ways[..1] };
        let mut first = None;
        for &takes_parts in ways {
            match bind(self, takes_parts) {
                Ok(call) => return Ok(call),
                Err(error) if is_of_types(&error) => first = first.or(Some(error)),
                Err(error) => return Err(first.unwrap_or(error)),
            }
        }
        Err(first.unwrap_or_else(|| Error::internal("a lambda over nothing")))
    }

    /// Does something where the variables of a lambda are in sight.
    fn within_lambda<T>(
        &mut self,
        variables: &LambdaVariables,
        scope: &Scope<'_>,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let sets = scope.set_count();
        self.lambdas.all.push(variables.clone());
        let done = self.deeper(None, work);
        self.lambdas.all.pop();
        let done = done?;
        if scope.set_count() > sets { Err(set_not_allowed("lambda expressions")) } else { Ok(done) }
    }
}

/// The value of a call of literals, or why it has none.
fn value_of(call: &Expression) -> Option<Result<Value>> {
    let constant = |expression: &Expression| match &expression.kind {
        ExpressionKind::Constant(value) => Some(value.clone()),
        _ => None,
    };
    let ExpressionKind::Call(function, arguments) = &call.kind else { return constant(call).map(Ok) };
    let values = arguments.iter().map(constant).collect::<Option<Vec<Value>>>().filter(|_| function.is_immutable())?;
    let types: Vec<DataType> = arguments.iter().map(|argument| argument.data_type).collect();
    Some(evaluate(*function, &values, &types, call.data_type))
}

/// Whether an error says that types do not meet.
fn is_of_types(error: &Error) -> bool {
    use ErrorKind as K;
    matches!(
        error.kind(),
        K::UnknownFunction | K::TypeMismatch | K::CannotCast | K::WrongObjectType | K::AmbiguousFunction
    )
}
