//! COLUMNS: an item of a select list or of ORDER BY, or a condition, for each of some columns.
//!
//! What stands for them is bound once for each, while [`Binder::chosen_columns`] says which one it is.

use super::binder::Binder;
use super::expression::is_lambda;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::evaluate;
use crate::function::{Function, PatternFunction};
use crate::relation::Expression;
use crate::relation::builder::{Scope, SelectItem};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

/// COLUMNS in an expression that is being bound.
pub(super) struct ChosenColumns {
    /// Which of the columns it is now.
    at: usize,
    /// The columns and the pattern that chose them, once they are known.
    found: Option<(Vec<SelectItem>, Option<String>)>,
}

/// What a COLUMNS is called with, in one of its forms.
enum Choice<'c> {
    All(Option<&'c ast::WildcardAdditionalOptions>),
    OfTable(&'c ast::ObjectName),
    Pattern(&'c str),
    Named(Vec<&'c str>),
    Lambda(&'c Expr),
    Like(&'c str, &'c str),
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) | ast::Value::EscapedStringLiteral(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn choice(call: &ast::Function) -> Option<Choice<'_>> {
    let FunctionArguments::List(list) = &call.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => Some(Choice::All(None)),
        [FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options))] => Some(Choice::All(Some(options))),
        [FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(table))] => Some(Choice::OfTable(table)),
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Array(array)))] => {
            array.elem.iter().map(text_of).collect::<Option<Vec<_>>>().map(Choice::Named)
        }
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(lambda))] if is_lambda(lambda) => Some(Choice::Lambda(lambda)),
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(pattern))] => text_of(pattern).map(Choice::Pattern),
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(operator)),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(pattern)),
        ] => Some(Choice::Like(text_of(operator)?, text_of(pattern)?)),
        _ => None,
    }
}

/// Whether it calls COLUMNS, and whether all columns are to be arguments of one call.
fn calls_columns(expr: &Expr) -> Option<(&ast::Function, bool)> {
    let Expr::Function(call) = expr else { return None };
    calls_columns_of(call)
}

fn matches(function: Function, name: &str, pattern: &str) -> Result<bool> {
    let arguments = [Value::text(name), Value::text(pattern)];
    let value = evaluate(function, &arguments, &[DataType::Text, DataType::Text], DataType::Boolean)?;
    Ok(matches!(value, Value::Boolean(true)))
}

impl Binder<'_, '_> {
    /// Binds something as often as the COLUMNS in it has columns; once without COLUMNS.
    pub(super) fn for_each_column<T>(&mut self, mut bind: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let outside = self.chosen_columns.replace(ChosenColumns { at: 0, found: None });
        let mut all = Vec::new();
        let mut step = |binder: &mut Self| {
            all.push(bind(binder)?);
            let Some(chosen) = &mut binder.chosen_columns else { return Ok(false) };
            chosen.at += 1;
            Ok(chosen.found.as_ref().is_some_and(|(columns, _)| chosen.at < columns.len()))
        };
        let ended = loop {
            match step(self) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.chosen_columns = outside;
        ended.map(|()| all)
    }

    /// The column that the COLUMNS in what has been bound is now, and the pattern that chose it.
    pub(super) fn chosen_column(&self) -> Option<(String, Option<String>)> {
        let chosen = self.chosen_columns.as_ref()?;
        let (columns, pattern) = chosen.found.as_ref()?;
        Some((columns.get(chosen.at)?.name().to_owned(), pattern.clone()))
    }

    /// The column that COLUMNS is now; none of another call.
    pub(super) fn bind_columns_call(
        &mut self,
        call: &ast::Function,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let Some((call, is_spread)) = calls_columns_of(call) else { return Ok(None) };
        if is_spread {
            let message = "*COLUMNS must be an argument of a function";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        if self.chosen_columns.is_none() {
            let message = "COLUMNS is allowed in a select list, in WHERE and in ORDER BY only";
            return Err(Error::new(ErrorKind::Unsupported, message).at(position));
        }
        let (columns, pattern) = self.columns_of_call(call, position, scope)?;
        let Some(chosen) = self.chosen_columns.as_mut() else { return Ok(None) };
        if let Some((known, _)) = &chosen.found {
            let is_same = known.len() == columns.len()
                && known.iter().zip(&columns).all(|(known, column)| known.value() == column.value());
            if !is_same {
                let message = "different COLUMNS in one expression are not supported";
                return Err(Error::new(ErrorKind::Unsupported, message).at(position));
            }
        }
        let value = columns[chosen.at].value().clone();
        chosen.found = Some((columns, pattern));
        Ok(Some(Expression { position, ..value }))
    }

    /// The arguments that `*COLUMNS(…)` stands for; none of another argument.
    pub(super) fn bind_spread_columns(
        &mut self,
        argument: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<Expression>>> {
        let Some((call, true)) = calls_columns(argument) else { return Ok(None) };
        let (columns, _) = self.columns_of_call(call, self.start(argument), scope)?;
        Ok(Some(columns.into_iter().map(SelectItem::into_value).collect()))
    }

    /// The columns, with their names, that an expression stands for that is nothing but COLUMNS.
    pub(super) fn bind_columns_alone(
        &mut self,
        expr: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<(String, Expression)>>> {
        let Some((call, _)) = calls_columns(expr) else { return Ok(None) };
        let (columns, _) = self.columns_of_call(call, self.start(expr), scope)?;
        Ok(Some(columns.into_iter().map(|item| (item.name().to_owned(), item.into_value())).collect()))
    }

    fn columns_of_call(
        &mut self,
        call: &ast::Function,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<(Vec<SelectItem>, Option<String>)> {
        let Some(choice) = choice(call) else {
            let error = Error::unsupported("COLUMNS of anything but *, a pattern, names or a lambda is");
            return Err(error.at(position));
        };
        if let Choice::OfTable(table) = choice {
            let table = self.star_of(table)?;
            return Ok((self.builder.table_items(scope, &table, position)?, None));
        }
        let all = self.builder.all_items(scope, position)?;
        let (found, pattern) = match choice {
            Choice::All(None) | Choice::OfTable(_) => (all, None),
            Choice::All(Some(options)) => (self.bind_star(all, options, scope)?, None),
            Choice::Named(names) => {
                let mut places = Vec::with_capacity(names.len());
                for name in names {
                    places.extend(self.builder.star_places(&all, (None, name), "COLUMNS", scope, position)?);
                }
                // In the order of `*`.
                let is_named = |(place, _): &(usize, SelectItem)| places.contains(place);
                (all.into_iter().enumerate().filter(is_named).map(|(_, item)| item).collect(), None)
            }
            Choice::Lambda(lambda) => {
                let names: Vec<&str> = all.iter().map(SelectItem::name).collect();
                let names = self.names_that_pass(lambda, &names, position, scope)?;
                (chosen(all, |name| Ok(names.contains(&Value::text(name))))?, None)
            }
            Choice::Pattern(pattern) => {
                let test = Function::Pattern(PatternFunction::Matches);
                let found = chosen(all, |name| matches(test, name, pattern)).map_err(|error| error.at(position))?;
                (found, Some(pattern.to_owned()))
            }
            Choice::Like(operator, pattern) => {
                let (negated, operator) = match operator.strip_prefix("not ") {
                    Some(operator) => (true, operator),
                    None => (false, operator),
                };
                let (test, pattern) = match operator {
                    "like" => (Function::Like, pattern.to_owned()),
                    "ilike" => (Function::ILike, pattern.to_owned()),
                    _ => return Err(Error::unsupported(format_args!("* {operator} is")).at(position)),
                };
                let found = chosen(all, |name| Ok(matches(test, name, &pattern)? != negated));
                (found.map_err(|error| error.at(position))?, None)
            }
        };
        if found.is_empty() {
            let message = match &pattern {
                Some(pattern) => format!("no column has a name that matches \"{pattern}\""),
                None => "COLUMNS finds no column".to_owned(),
            };
            return Err(Error::new(ErrorKind::UnknownColumn, message).at(position));
        }
        Ok((found, pattern))
    }

    /// The name of an item of COLUMNS: its alias, in which `\1` is a group of the pattern, or the column's.
    pub(super) fn column_item_name(
        &self,
        alias: Option<&ast::Ident>,
        name: &str,
        pattern: Option<&str>,
    ) -> Result<String> {
        let Some(alias) = alias else { return Ok(name.to_owned()) };
        let text = if alias.quote_style == Some('\'') { alias.value.clone() } else { Self::fold(alias) };
        let Some(pattern) = pattern.filter(|_| text.contains('\\')) else { return Ok(text) };
        let whole = format!("^.*?(?:{pattern}).*$");
        let arguments = [Value::text(name), Value::text(whole.as_str()), Value::text(text.as_str())];
        let function = Function::Pattern(PatternFunction::Replace);
        match evaluate(function, &arguments, &[DataType::Text; 3], DataType::Text)? {
            Value::Text(text) => Ok(text.to_string()),
            _ => Ok(text),
        }
    }
}

/// Whether an expression is COLUMNS alone, which may have a text for a name.
pub(super) fn names_columns(expr: &Expr) -> bool {
    calls_columns(expr).is_some()
}

fn calls_columns_of(call: &ast::Function) -> Option<(&ast::Function, bool)> {
    let [ast::ObjectNamePart::Identifier(name)] = call.name.0.as_slice() else { return None };
    match name.quote_style {
        None if name.value.eq_ignore_ascii_case("columns") => Some((call, false)),
        Some(_) if name.value == "*columns" => Some((call, true)),
        _ => None,
    }
}

/// The items whose names pass a test.
fn chosen(all: Vec<SelectItem>, test: impl Fn(&str) -> Result<bool>) -> Result<Vec<SelectItem>> {
    let mut found = Vec::new();
    for item in all {
        if test(item.name())? {
            found.push(item);
        }
    }
    Ok(found)
}
