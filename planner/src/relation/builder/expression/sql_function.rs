//! Functions of the catalog: values of the session, which are constants of the statement, and functions that are queries, which
//! are bound in place of their calls, so that what optimises queries sees through them.

use super::call::Special;
use super::coercion::{Coercion, castable};
use super::fold;
use crate::catalog::{SqlFunction, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{Builder, Rows, may_be_null};
use crate::relation::{Expression, ExpressionKind, Relation};
use crate::types::{DataType, OidKind};
use crate::value::Value;
use std::sync::Arc;

impl Builder<'_> {
    /// A call of a function of the catalog, if it has one.
    pub(super) fn call_of_catalog(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Special> {
        let arguments = match self.catalog.session_function(name, arguments.len()) {
            Some((types, of)) => match self.known_before(arguments, &types)? {
                Known::Literals(arguments) => arguments,
                Known::Later => return Ok(Special::Bound(Expression::constant(Value::Null, of))),
                Known::OfRows(arguments) => return self.setting_of_rows(name, arguments, position).map(Special::Bound),
                Known::NoMatch(arguments) => return Ok(Special::NoMatch(arguments)),
            },
            None => arguments,
        };
        let literals: Option<Vec<Value>> = arguments.iter().map(|argument| fold::constant(argument).cloned()).collect();
        if let Some(literals) = literals
            && let Some((value, data_type)) = self.catalog.session_value(name, &literals)?
        {
            return Ok(Special::Bound(Expression::constant(value, data_type)));
        }
        let Some(function) = self.catalog.function(name, arguments.len()) else {
            return Ok(Special::NoMatch(arguments));
        };
        let fits = |(argument, &parameter): (&Expression, &DataType)| {
            parameter == DataType::Null || castable(argument.data_type, parameter, Coercion::Implicit)
        };
        if !arguments.iter().zip(&function.parameters).all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let mut cast = Vec::with_capacity(arguments.len());
        for (argument, &parameter) in arguments.into_iter().zip(&function.parameters) {
            cast.push(match parameter {
                DataType::Null => self.settle(argument)?,
                _ => self.coerce(argument, parameter, Coercion::Implicit)?,
            });
        }
        self.inline(name, &function, cast, position).map(Special::Bound)
    }

    /// The arguments of a function whose value is to be known before the query runs, of their types. If parameters are among them
    /// whose values are not known, the statement is bound again when they are.
    ///
    pub(super) fn known_before(&mut self, arguments: Vec<Expression>, types: &[DataType]) -> Result<Known> {
        let fits = |(argument, &of): (&Expression, &DataType)| castable(argument.data_type, of, Coercion::Implicit);
        if !arguments.iter().zip(types).all(fits) {
            return Ok(Known::NoMatch(arguments));
        }
        let given = arguments.into_iter().zip(types);
        let given = given.map(|(argument, &of)| self.coerce(argument, of, Coercion::Implicit));
        let given = given.collect::<Result<Vec<Expression>>>()?;
        if given.iter().all(|argument| fold::constant(argument).is_some()) {
            return Ok(Known::Literals(given));
        }
        if !given.iter().all(is_of_parameters) {
            return Ok(Known::OfRows(given));
        }
        self.catalog.needs_values();
        Ok(Known::Later)
    }

    /// `current_setting` of what rows have.
    ///
    /// Errors: 0A000 for the other functions, which do something.
    fn setting_of_rows(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let (Some(function), [setting]) = (self.catalog.function(name, arguments.len()), arguments.as_slice()) else {
            return Err(Error::unsupported(format!("{name} of what rows have is")).at(position));
        };
        let setting = setting.clone();
        let value = self.inline(name, &function, vec![setting.clone()], position)?;
        let missing = fold::call(Function::NoSetting, vec![setting], DataType::Text);
        Ok(Expression::call(Function::Coalesce, vec![value, missing], DataType::Text).at(position))
    }

    /// The name of an object as text, by its number.
    pub(super) fn name_of_object(&mut self, kind: OidKind, value: Expression) -> Result<Option<Expression>> {
        let name = format!("{}out", kind.name());
        let Some(function) = self.catalog.function(&name, 1) else { return Ok(None) };
        let position = value.position;
        self.inline(&name, &function, vec![value], position).map(Some)
    }

    /// The number of an object by its name.
    pub(super) fn object_named(&mut self, kind: OidKind, name: Expression) -> Result<Option<Expression>> {
        let in_ = format!("{}in", kind.name());
        let Some(function) = self.catalog.function(&in_, 1) else { return Ok(None) };
        let position = name.position;
        let number = self.inline(&in_, &function, vec![name.clone()], position)?;
        let of = number.data_type;
        let missing = fold::call(Function::NoObject(kind), vec![name], of);
        Ok(Some(Expression::call(Function::Coalesce, vec![number, missing], of).at(position)))
    }

    /// The body of a function over these arguments. An argument that is more than a column or a literal is computed once.
    fn inline(
        &mut self,
        name: &str,
        function: &SqlFunction,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let called = TableName { schema: None, name: format!("{name}()") };
        if self.views.contains(&called) {
            let message = format!("infinite recursion detected in function {name}");
            return Err(Error::new(ErrorKind::TooComplex, message).at(position));
        }
        let mut computed = Vec::new();
        let mut passed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if is_simple(&argument) {
                passed.push(argument);
                continue;
            }
            let id = self.columns.add("argument", argument.data_type, may_be_null(&argument));
            passed.push(self.columns.reference(id));
            computed.push((id, argument));
        }
        self.views.push(called);
        let view = self.view.take();
        let (names, in_routine) = (self.argument_names.take(), std::mem::take(&mut self.in_routine));
        let outer = self.arguments.replace(passed);
        let view_query = self.view_query;
        let built = self.deeper(position, |builder| view_query(builder, &function.body));
        self.arguments = outer;
        (self.argument_names, self.in_routine) = (names, in_routine);
        self.view = view;
        self.views.pop();
        let rows = built.map_err(|error| error.at(position))?;
        let value = self.value_of(name, function, rows, position)?;
        if computed.is_empty() {
            return Ok(value);
        }
        let input = Arc::new(Relation::Values { columns: Vec::new(), rows: vec![Vec::new()] });
        let input = Arc::new(Relation::Project { input, columns: computed });
        let id = self.columns.add(name, value.data_type, true);
        let relation = Arc::new(Relation::Project { input, columns: vec![(id, value)] });
        self.scalar_subquery((relation, vec![(name.to_owned(), id)]), position)
    }

    /// What the rows of a body are as a value: of several columns rows, of a function that gives rows an array.
    fn value_of(
        &mut self,
        name: &str,
        function: &SqlFunction,
        rows: Rows,
        position: Option<Position>,
    ) -> Result<Expression> {
        if let Some(value) = value_of_one_row(&rows).filter(|_| !function.gives_rows) {
            return Ok(value.at(position));
        }
        let rows = if rows.1.len() == 1 { rows } else { self.as_rows(name, rows, position)? };
        if function.gives_rows { self.array_of_rows(rows, position) } else { self.scalar_subquery(rows, position) }
    }
}

/// Arguments of a function whose value is to be known before the query runs.
pub(super) enum Known {
    Literals(Vec<Expression>),
    /// They are when the parameters' values are.
    Later,
    /// Only rows know them.
    OfRows(Vec<Expression>),
    /// They are of other types.
    NoMatch(Vec<Expression>),
}

/// Whether an expression is the same for all rows.
fn is_of_parameters(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => true,
        ExpressionKind::Column(_) | ExpressionKind::Subquery(_) => false,
        _ => expression.children().into_iter().all(is_of_parameters),
    }
}

/// Whether an expression may stand in a body more than once.
fn is_simple(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Column(_) | ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => true,
        ExpressionKind::Call(Function::Relabel, arguments) => arguments.iter().all(is_simple),
        _ => false,
    }
}

/// The value of a SELECT without FROM.
pub(super) fn value_of_one_row((relation, output): &Rows) -> Option<Expression> {
    let (Relation::Project { input, columns }, [(_, shown)]) = (&**relation, output.as_slice()) else { return None };
    let Relation::Values { columns: none, rows } = &**input else { return None };
    let is_one = none.is_empty() && rows.len() == 1;
    is_one.then(|| columns.iter().find(|(id, _)| id == shown).map(|(_, value)| value.clone()))?
}
