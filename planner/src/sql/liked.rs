//! CREATE TABLE (LIKE t): the columns of another table, and what is copied of what it is declared with.

use super::binder::Binder;
use super::constraint::{Names, TableClauses};
use super::definition::index_name;
use super::parse::parse_expression;
use super::tuned::{Copied, LIKE};
use crate::catalog::{CatalogEntry, Check, Declared, Index, Key, Right};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::types::{DataType, Field};
use sqlparser::ast;
use std::sync::Arc;

/// What is copied of a table: what it is declared with, and where its columns begin among those of the new one.
pub(super) struct Likeness {
    declared: Arc<Declared>,
    first: usize,
    copied: Copied,
}

/// Whether a column of CREATE TABLE stands for LIKE.
pub(super) fn is_like(column: &ast::ColumnDef) -> bool {
    column.name.quote_style.is_some() && column.name.value == LIKE
}

impl Binder<'_, '_> {
    /// Adds the columns of the table that LIKE names.
    pub(super) fn like(
        &mut self,
        column: &ast::ColumnDef,
        (fields, said): (&mut Vec<Field>, &mut TableClauses<'_>),
        position: Option<Position>,
    ) -> Result<Likeness> {
        let ast::DataType::Custom(name, options) = &column.data_type else {
            return Err(Error::internal("LIKE names no table"));
        };
        let name = self.object_name(name)?;
        let copied = Copied::of(options).map_err(|error| error.at(position))?;
        self.builder.catalog.check_right(&name, Right::Select, None).map_err(|error| error.at(position))?;
        let first = fields.len();
        let declared = match self.builder.catalog.entry(&name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) => {
                fields.extend(info.declared.fields(&info.fields));
                Arc::clone(&info.declared)
            }
            Some(CatalogEntry::View(view)) => {
                let rows = self.builder.view(&name, &view, position)?;
                for column in &rows.columns {
                    let of: DataType = self.builder.columns.get(column.id).data_type;
                    fields.push(Field::new(column.name.clone(), of, true));
                }
                Arc::default()
            }
            None => return Err(self.unknown_table(&name).at(position)),
        };
        if copied.indexes {
            for key in declared.keys.iter().filter(|key| !key.is_index) {
                let columns = key.columns.iter().map(|column| column + first).collect();
                said.push_key(Key { name: String::new(), columns, ..key.clone() });
            }
        }
        Ok(Likeness { declared, first, copied })
    }
}

impl Likeness {
    /// What its columns lose, one entry a column of all so far.
    pub(super) fn restrictions(&self, restrictions: &mut Vec<Option<crate::catalog::Restriction>>, count: usize) {
        let of = |column: usize| self.declared.restrictions.get(column).copied().flatten();
        restrictions.extend((0..count - self.first).map(of));
    }

    /// Copies the rest into what a table of so many columns is declared with.
    pub(super) fn copy(&self, table: &str, declared: &mut Declared, fields: &[Field]) -> Result<()> {
        let count = fields.len();
        let mut names = declared.names.clone();
        for name in &self.declared.names {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        declared.names = names;
        if self.copied.defaults {
            for (column, text) in self.declared.defaults.iter().enumerate() {
                if text.is_some() {
                    declared.set_default(column + self.first, text.clone(), count);
                }
            }
        }
        if self.copied.constraints {
            for check in &self.declared.checks {
                if declared.constraint_names().contains(&check.name) {
                    let message = format!("constraint \"{}\" for relation \"{table}\" already exists", check.name);
                    return Err(Error::new(ErrorKind::DuplicateObject, message));
                }
                let columns = check.columns.iter().map(|column| column + self.first).collect();
                declared.checks.push(Check { columns, is_valid: true, ..check.clone() });
            }
        }
        if self.copied.indexes {
            self.copy_indexes(table, declared, fields);
        }
        Ok(())
    }

    fn copy_indexes(&self, table: &str, declared: &mut Declared, fields: &[Field]) {
        let taken: Vec<String> = declared.constraint_names().into_iter().chain(declared.index_names()).collect();
        let mut names = Names { table, taken };
        for key in self.declared.keys.iter().filter(|key| key.is_index) {
            let columns: Vec<usize> = key.columns.iter().map(|column| column + self.first).collect();
            let called: Vec<&str> = columns.iter().map(|&column| fields[column].name.as_str()).collect();
            let name = names.choose(&called.join("_"), "idx");
            declared.keys.push(Key { name, columns, ..key.clone() });
        }
        for index in &self.declared.indexes {
            let mut parts = index.parts.clone();
            parts.iter_mut().for_each(|part| part.column = part.column.map(|column| column + self.first));
            let called: Vec<String> = parts
                .iter()
                .map(|part| match part.column {
                    Some(column) => fields[column].name.clone(),
                    None => parse_expression(&part.expression).map_or_else(|_| "expr".to_owned(), |of| index_name(&of)),
                })
                .collect();
            let name = names.choose(&called.join("_"), "idx");
            let columns = index.columns.iter().map(|column| column + self.first).collect();
            declared.indexes.push(Index { name, parts, columns, ..index.clone() });
        }
    }
}
