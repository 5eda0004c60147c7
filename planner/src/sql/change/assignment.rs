//! SET of UPDATE and of ON CONFLICT DO UPDATE: the new values, each computed once, below whatever reads them.

use crate::catalog::TableInfo;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::builder::{Clause, HIDDEN, Scope, did_you_mean, may_be_null};
use crate::relation::{ColumnId, Expression, Relation};
use crate::sql::binder::Binder;
use crate::sql::expression::row_parts;
use crate::sql::insert::is_default;

use sqlparser::ast::{self, AssignmentTarget, Spanned};
use std::sync::Arc;

/// Rows with new values of some columns of a table.
pub(super) struct Assigned {
    /// The rows: all that was there, and the new values.
    pub(super) relation: Arc<Relation>,
    /// What is set, by position in the table, and the column of the new value.
    pub(super) columns: Vec<(usize, ColumnId)>,
}

/// A table's column, and the position of its new value.
type Place<'t> = (&'t TableInfo, usize);

impl Binder<'_, '_> {
    /// SET over rows, in which the table's columns are `own`, and what it sees of them.
    pub(super) fn bind_assignments(
        &mut self,
        assignments: &[ast::Assignment],
        (info, own): (&TableInfo, &[ColumnId]),
        mut relation: Arc<Relation>,
        scope: &Scope<'_>,
    ) -> Result<Assigned> {
        scope.enter(Clause::Update);
        let mut values: Vec<(usize, Expression)> = Vec::with_capacity(assignments.len());
        let mut rows = Vec::new();
        for ast::Assignment { target, value } in assignments {
            match target {
                AssignmentTarget::ColumnName(name) => {
                    let column = self.assigned_column(name, info)?;
                    values.push((column, self.new_value(value, (info, column), scope)?));
                }
                AssignmentTarget::Tuple(names) => {
                    let columns =
                        names.iter().map(|name| self.assigned_column(name, info)).collect::<Result<Vec<_>>>()?;
                    let new = self.new_values(value, (info, &columns), scope, &mut rows)?;
                    values.extend(columns.into_iter().zip(new));
                }
            }
        }
        check_assigned_once(&values, info)?;
        values.retain(|(column, _)| !info.declared.is_stored(*column));
        if !rows.is_empty() {
            relation = self.with_columns(relation, rows);
        }
        let (mut columns, mut computed) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        for (column, value) in values {
            let id = self.builder.columns.add(info.fields[column].name.clone(), value.data_type, may_be_null(&value));
            columns.push((column, id));
            computed.push((id, value));
        }
        let assigned = Assigned { relation: self.with_columns(relation, computed), columns };
        self.with_stored_set(assigned, info, own)
    }

    /// What is computed of values that are set is set, too.
    fn with_stored_set(&mut self, assigned: Assigned, info: &TableInfo, own: &[ColumnId]) -> Result<Assigned> {
        let Assigned { relation, mut columns } = assigned;
        let mut after: Vec<ColumnId> = own.iter().copied().take(info.fields.len()).collect();
        columns.iter().for_each(|(column, id)| after[*column] = *id);
        let set: Vec<usize> = columns.iter().map(|(column, _)| *column).collect();
        let values = self.stored_values(info, &after, Some(&set))?;
        if values.is_empty() {
            return Ok(Assigned { relation, columns });
        }
        let mut computed = Vec::with_capacity(values.len());
        for (column, value) in values {
            let id = self.builder.columns.add(info.fields[column].name.clone(), value.data_type, may_be_null(&value));
            columns.push((column, id));
            computed.push((id, value));
        }
        Ok(Assigned { relation: self.with_columns(relation, computed), columns })
    }

    /// Rows with further columns.
    pub(super) fn with_columns(&self, input: Arc<Relation>, computed: Vec<(ColumnId, Expression)>) -> Arc<Relation> {
        let through = input.columns().into_iter().map(|id| (id, self.builder.columns.reference(id)));
        let columns = through.chain(computed).collect();
        Arc::new(Relation::Project { input, columns })
    }

    /// The column of a table that SET names, by position.
    fn assigned_column(&self, target: &ast::ObjectName, info: &TableInfo) -> Result<usize> {
        let position = self.position(target.span());
        let idents: Option<Vec<&ast::Ident>> = target.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        let Some((first, members)) = idents.as_deref().and_then(|idents| idents.split_first()) else {
            return Err(Error::unsupported("such a column in SET is").at(position));
        };
        let name = Self::fold(first);
        let known = self.named_columns(info);
        let Some(column) = known.iter().position(|known| **known == name) else {
            if HIDDEN.contains(&name.as_str()) {
                let message = format!("cannot assign to system column \"{name}\"");
                return Err(Error::new(ErrorKind::Unsupported, message).at(position));
            }
            let message = format!("column \"{name}\" of relation \"{}\" does not exist", self.changed_name(info));
            let error = Error::new(ErrorKind::UnknownColumn, message);
            return Err(did_you_mean(error, &name, known.into_iter()).at(position));
        };
        let column = match &self.through {
            Some(through) => through.place(column).map_err(|error| error.at(position))?,
            None => column,
        };
        let Some(member) = members.first() else { return Ok(column) };
        let data_type = info.declared_field(column).data_type;
        if data_type.members().is_some() {
            return Err(Error::unsupported("SET of a field of a column is").at(position));
        }
        let message = format!(
            "cannot assign to field \"{}\" of column \"{name}\" because its type {data_type} is not a composite type",
            Self::fold(member)
        );
        Err(Error::new(ErrorKind::TypeMismatch, message).at(position))
    }

    /// The new value of a column, cast for assignment.
    fn new_value(&mut self, ast: &ast::Expr, place: Place<'_>, scope: &Scope<'_>) -> Result<Expression> {
        let value = match is_default(ast) {
            true => self.default_of(place.0, place.1)?,
            false if let Err(error) = self.check_set(place.0, place.1) => return Err(error),
            false => self.bind_expression(ast, scope).map_err(misplaced_default)?,
        };
        self.assign(value, place, self.start(ast))
    }

    /// The new values of several columns: a row that is written as one, or the only row of a query. The latter is a column of its
    /// own among `rows`, so that the query is asked once.
    fn new_values(
        &mut self,
        ast: &ast::Expr,
        (info, columns): (&TableInfo, &[usize]),
        scope: &Scope<'_>,
        rows: &mut Vec<(ColumnId, Expression)>,
    ) -> Result<Vec<Expression>> {
        let position = self.start(ast);
        let source = without_parentheses(ast);
        if let ast::Expr::Subquery(query) = source {
            return self.new_values_of_query(query, (info, columns), scope, rows);
        }
        let Some(parts) = row_parts(source) else {
            let message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
            return Err(Error::new(ErrorKind::Unsupported, message).at(self.start(source)));
        };
        let parts = parts.map_err(|error| error.at(position))?;
        if parts.len() != columns.len() {
            return Err(wrong_count(position));
        }
        parts.into_iter().zip(columns).map(|(part, &column)| self.new_value(part, (info, column), scope)).collect()
    }

    fn new_values_of_query(
        &mut self,
        query: &ast::Query,
        (info, columns): (&TableInfo, &[usize]),
        scope: &Scope<'_>,
        rows: &mut Vec<(ColumnId, Expression)>,
    ) -> Result<Vec<Expression>> {
        let position = self.query_start(query);
        columns.iter().try_for_each(|&column| self.check_set(info, column))?;
        let found = self.bind_subquery(query, scope)?;
        if found.1.len() != columns.len() {
            return Err(wrong_count(position));
        }
        if let [column] = columns {
            let value = self.builder.scalar_subquery(found, position)?;
            return Ok(vec![self.assign(value, (info, *column), position)?]);
        }
        // The types are known before there is a row: errors of assignment speak of the query's columns.
        for ((_, id), &column) in found.1.iter().zip(columns) {
            let place = place_of(&found.0, *id).or(position);
            self.assign(self.builder.columns.reference(*id), (info, column), place)?;
        }
        let row = self.builder.row_of_query(found, position)?;
        let id = self.builder.columns.add("row", row.data_type, true);
        rows.push((id, row));
        let row = self.builder.columns.reference(id);
        let fields = self.builder.fields_of(&row)?.into_iter().zip(columns);
        fields.map(|(field, &column)| self.assign(field, (info, column), position)).collect()
    }
}

/// Where the expression of a query's column stands, if it is one of the outermost SELECT.
fn place_of(relation: &Relation, column: ColumnId) -> Option<Position> {
    let Relation::Project { columns, .. } = relation else { return None };
    columns.iter().find(|(id, _)| *id == column).and_then(|(_, value)| value.position)
}

/// DEFAULT within an expression is a name that no column has.
fn misplaced_default(error: Error) -> Error {
    if error.kind() == ErrorKind::UnknownColumn && error.message() == "column \"default\" does not exist" {
        return Error::new(ErrorKind::Syntax, "DEFAULT is not allowed in this context").at(error.position());
    }
    error
}

fn wrong_count(position: Option<Position>) -> Error {
    Error::new(ErrorKind::Syntax, "number of columns does not match number of values").at(position)
}

/// 42601 for a column that is set more than once.
fn check_assigned_once(values: &[(usize, Expression)], info: &TableInfo) -> Result<()> {
    let mut taken = vec![false; info.fields.len()];
    for (column, value) in values {
        if std::mem::replace(&mut taken[*column], true) {
            let message = format!("multiple assignments to same column \"{}\"", info.fields[*column].name);
            return Err(Error::new(ErrorKind::Syntax, message).at(value.position));
        }
    }
    Ok(())
}

fn without_parentheses(ast: &ast::Expr) -> &ast::Expr {
    match ast {
        ast::Expr::Nested(inner) => without_parentheses(inner),
        other => other,
    }
}
