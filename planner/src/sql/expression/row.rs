//! Rows where they are written: `ROW(a, b)` and `(a, b)`, a table's name as a value, `t.*`, and the fields of rows.

use super::call::plain_argument;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Expression;
use crate::relation::builder::{Scope, SelectItem};
use crate::sql::binder::Binder;
use crate::sql::spelling::ALL_FIELDS;
use sqlparser::ast::{self, AccessExpr, Expr, FunctionArg, FunctionArgExpr};

/// The parts of a row that is written as one.
enum Parts<'e> {
    Tuple(&'e [Expr]),
    Call(&'e [FunctionArg]),
}

/// The parts of `(a, b)` or `ROW(a, b)`; none of what is no row.
fn parts(ast: &Expr) -> Option<Parts<'_>> {
    match ast {
        Expr::Tuple(fields) => Some(Parts::Tuple(fields)),
        Expr::Nested(inner) => parts(inner),
        Expr::Function(function) => {
            let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
            let ast::FunctionArguments::List(list) = &function.args else { return None };
            let is_row = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("row");
            is_row.then_some(Parts::Call(&list.args))
        }
        _ => None,
    }
}

/// The fields of a row that is written as one, as they are written; none of what is no row. 0A000 for what stands for several.
pub(in crate::sql) fn row_parts(ast: &Expr) -> Option<Result<Vec<&Expr>>> {
    let unsupported = |argument: &FunctionArg| Error::unsupported(format_args!("{argument} in ROW is"));
    Some(match parts(ast)? {
        Parts::Tuple(fields) => Ok(fields.iter().collect()),
        Parts::Call(arguments) => {
            arguments.iter().map(|argument| plain_argument(argument).ok_or_else(|| unsupported(argument))).collect()
        }
    })
}

/// Whether it is a row that is written as one.
pub(super) fn is_row(ast: &Expr) -> bool {
    parts(ast).is_some()
}

/// What stands before `.*`, where that is no name.
pub(in crate::sql) fn before_all_fields(ast: &Expr) -> Option<(&Expr, &[AccessExpr])> {
    let Expr::CompoundFieldAccess { root, access_chain } = ast else { return None };
    let (last, before) = access_chain.split_last()?;
    let AccessExpr::Dot(Expr::Identifier(ident)) = last else { return None };
    (ident.value == ALL_FIELDS && ident.quote_style.is_some()).then_some((root, before))
}

impl Binder<'_, '_> {
    /// The fields of a row that is written as one; none of anything else.
    pub(super) fn bind_fields(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Option<Vec<Expression>>> {
        Ok(match parts(ast) {
            None => None,
            Some(Parts::Tuple(fields)) => {
                Some(fields.iter().map(|field| self.bind_expression(field, scope)).collect::<Result<_>>()?)
            }
            Some(Parts::Call(arguments)) => {
                let position = self.start(ast);
                let mut fields = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    match argument {
                        FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name)) => {
                            let table = self.star_of(name)?;
                            let items = self.builder.table_items(scope, &table, position)?;
                            fields.extend(items.into_iter().map(SelectItem::into_value));
                        }
                        argument => match plain_argument(argument) {
                            Some(field) => fields.push(self.bind_expression(field, scope)?),
                            None => {
                                return Err(Error::unsupported(format_args!("{argument} in ROW is")).at(position));
                            }
                        },
                    }
                }
                Some(fields)
            }
        })
    }

    /// A row that is written as one, as a value: its fields are `f1`, `f2`, ….
    pub(super) fn bind_row_value(&mut self, ast: &Expr, scope: &Scope<'_>) -> Result<Expression> {
        let position = self.start(ast);
        let fields = self.bind_fields(ast, scope)?.ok_or_else(|| Error::internal("no row in its place"))?;
        let named = fields.into_iter().zip(1..).map(|(field, number)| (format!("f{number}"), field));
        self.builder.row(None, named.collect(), position)
    }

    /// A name alone: a column, or else the row of a table.
    pub(super) fn bind_name(
        &mut self,
        name: &str,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        if let Some(variable) = self.lambda_variable(name, position)? {
            return Ok(variable);
        }
        let table = TableName::from(name);
        match self.builder.column(scope, None, name, position) {
            Err(error) if error.kind() == ErrorKind::UnknownColumn && scope.has_table(&table) => {
                self.builder.row_of_table(scope, &table, position)
            }
            Err(error) if error.kind() == ErrorKind::UnknownColumn => {
                self.bind_item_name(name, position, scope)?.ok_or(error)
            }
            found => found,
        }
    }

    /// `t.*` as a value.
    pub(super) fn bind_star_of(
        &mut self,
        name: &ast::ObjectName,
        position: Option<Position>,
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let table = self.star_of(name)?;
        self.builder.row_of_table(scope, &table, position)
    }

    /// `(row).*` in a select list.
    pub(in crate::sql) fn bind_all_fields(
        &mut self,
        (root, before): (&Expr, &[AccessExpr]),
        scope: &Scope<'_>,
    ) -> Result<Vec<(String, Expression)>> {
        let row = self.bind_accesses(root, before, scope)?;
        let position = self.start(root);
        let Some(names) = row.data_type.members() else {
            let message = format!("type {} is not composite", row.data_type);
            return Err(Error::new(ErrorKind::WrongObjectType, message).at(position));
        };
        let fields = self.builder.fields_of(&row)?;
        Ok(names.iter().map(|(name, _)| name.clone()).zip(fields).collect())
    }
}
