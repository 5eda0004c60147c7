//! Names with dots: which table `table.column` and `schema.table.column` mean, as PostgreSQL finds it. The innermost level
//! that has a table of that name decides; a schema may stand only before tables that have no alias.

use super::Scope;
use super::suggest::did_you_mean;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::ColumnId;

/// A table as a scope shows it.
#[derive(Clone, Debug)]
pub struct ScopeTable {
    /// Its alias, if it has one, else its name.
    pub name: String,
    /// Its name in the catalog, with the schema where that is known; none of what the catalog does not know.
    pub of: Option<TableName>,
    /// The name and schema that the text knows it by, which a kept text's are of the time when it was written.
    pub known_as: Option<TableName>,
    /// Whether an alias hides the name.
    pub aliased: bool,
    /// Whether it is a table of the catalog, which has columns that nobody declared.
    pub stored: bool,
    /// A column that is not NULL in any of its rows, so that it is NULL where an outer join gave none; none where no outer
    /// join gives such rows.
    pub present: Option<ColumnId>,
    /// Whether its rows are values of one column: what a function of one value gives.
    pub is_value: bool,
}

impl ScopeTable {
    /// What the catalog does not know: a query, a function, a CTE.
    pub fn named(name: impl Into<String>) -> Self {
        ScopeTable {
            name: name.into(),
            of: None,
            known_as: None,
            aliased: false,
            stored: false,
            present: None,
            is_value: false,
        }
    }

    /// The schema that may stand before its name.
    pub(super) fn schema(&self) -> Option<&str> {
        if self.aliased { None } else { self.known_as.as_ref()?.schema.as_deref() }
    }

    /// Whether a qualifier means it.
    pub(super) fn is(&self, qualifier: &TableName) -> bool {
        self.name == qualifier.name
            && qualifier.schema.as_deref().is_none_or(|schema| self.schema().is_some_and(|own| own == schema))
    }

    /// Whether both may stand in one FROM: tables of one name in different schemas do, as long as neither has an alias.
    pub(super) fn may_stand_beside(&self, other: &ScopeTable) -> bool {
        self.name != other.name || matches!((self.schema(), other.schema()), (Some(own), Some(theirs)) if own != theirs)
    }
}

impl<'p> Scope<'p> {
    /// This level, and those around it.
    pub fn levels(&self) -> impl Iterator<Item = &Scope<'p>> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }

    /// Whether a table of this level or of one around it has a name.
    pub fn has_table(&self, qualifier: &TableName) -> bool {
        self.levels().any(|level| level.tables.iter().any(|table| table.is(qualifier)))
    }

    /// The table of this level that a qualifier means, if there is one; 42P09 if there are two.
    pub(super) fn table_here(&self, qualifier: &TableName, position: Option<Position>) -> Result<Option<&ScopeTable>> {
        let mut found = self.tables.iter().filter(|table| table.is(qualifier));
        let first = found.next();
        if found.next().is_some() {
            let message = format!("table reference \"{}\" is ambiguous", qualifier.name);
            return Err(Error::new(ErrorKind::AmbiguousAlias, message).at(position));
        }
        Ok(first)
    }

    /// The table that a qualifier means, and the level that it is of; 42P01 if there is none.
    pub(super) fn table(&self, qualifier: &TableName, position: Option<Position>) -> Result<(&Scope<'p>, &ScopeTable)> {
        for level in self.levels() {
            if let Some(table) = level.table_here(qualifier, position)? {
                return Ok((level, table));
            }
        }
        Err(self.missing_table(qualifier).at(position))
    }

    /// 42P01 for a qualifier that means no table: with what hides one of that name, or what the name may have been meant to be.
    pub(super) fn missing_table(&self, qualifier: &TableName) -> Error {
        let name = &qualifier.name;
        let is_it = |table: &&ScopeTable| {
            let known = table
                .known_as
                .as_ref()
                .is_some_and(|of| of.name == *name && (qualifier.schema.is_none() || of.schema == qualifier.schema));
            known || table.name == *name
        };
        let tables = || self.levels().flat_map(|level| &level.tables);
        let Some(found) = tables().find(is_it) else {
            let message = format!("missing FROM-clause entry for table \"{name}\"");
            let known = tables().map(|table| table.name.as_str());
            return did_you_mean(Error::new(ErrorKind::UnknownTable, message), name, known);
        };
        let message = format!("invalid reference to FROM-clause entry for table \"{name}\"");
        let alias = &found.name;
        let hint = if alias == name {
            format!("There is an entry for table \"{alias}\", but it cannot be referenced from this part of the query.")
        } else {
            format!("Perhaps you meant to reference the table alias \"{alias}\".")
        };
        Error::new(ErrorKind::UnknownTable, message).with_hint(hint)
    }
}
