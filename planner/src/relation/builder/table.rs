//! FROM: tables, views and files, and what their aliases rename.

use super::{Builder, Clause, Rows, Scope, ScopeColumn, ScopeTable, did_you_mean};
use crate::catalog::{CatalogEntry, FileOptions, GONE, Meant, Right, TableInfo, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::{ColumnId, Expression, Relation, ScanTable};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// How many tables one FROM may join; the tree of joins is as deep.
pub(crate) const TABLES_MAX: usize = 1000;

/// The name of the column that has the numbers of rows that are to be taken. No text gives it.
pub(crate) const ROW_NUMBER: &str = "\0row";

/// An error (54001) for more tables in one FROM than the tree of joins may be deep.
pub fn check_table_count(tables: usize) -> Result<()> {
    if tables > TABLES_MAX {
        return Err(Error::new(ErrorKind::TooComplex, format!("more than {TABLES_MAX} tables in one FROM")));
    }
    Ok(())
}

/// Rows of FROM and how their columns are reached.
#[derive(Debug)]
pub struct FromItem {
    /// The rows.
    pub relation: Arc<Relation>,
    /// Its columns in the order of `*`.
    pub columns: Vec<ScopeColumn>,
    /// Its tables.
    pub tables: Vec<ScopeTable>,
}

impl FromItem {
    /// What a query without FROM selects from: one row of no columns.
    pub fn nothing() -> Self {
        let relation = Arc::new(Relation::Values { columns: Vec::new(), rows: vec![Vec::new()] });
        FromItem { relation, columns: Vec::new(), tables: Vec::new() }
    }

    /// One table of these columns.
    pub fn table((relation, columns): Rows, name: String) -> Self {
        Self::of_table((relation, columns), ScopeTable::named(name))
    }

    /// The same of a table of which more than a name is known.
    fn of_table((relation, columns): Rows, table: ScopeTable) -> Self {
        let columns = columns.into_iter().map(|(name, id)| ScopeColumn::new(Some(&table), name, id));
        FromItem { relation, columns: columns.collect(), tables: vec![table] }
    }

    /// A derived table without an alias: its columns are reached by their names only.
    pub fn anonymous((relation, columns): Rows) -> Self {
        let columns = columns.into_iter().map(|(name, id)| ScopeColumn::new(None, name, id));
        FromItem { relation, columns: columns.collect(), tables: Vec::new() }
    }

    /// The same rows under an alias, which may rename columns; 42P10 if it renames more than there are.
    pub fn aliased(mut self, table: &str, names: &[String]) -> Result<Self> {
        // An alias of a join hides the names inside; what USING merged is then one column only.
        self.columns.retain(|column| !column.merged);
        let shown = self.columns.iter_mut().filter(|column| !column.hidden);
        let columns: Vec<_> = shown.map(|column| &mut column.name).collect();
        rename_columns(table, names, columns.into_iter())?;
        for column in &mut self.columns {
            column.table = Some(table.to_owned());
            column.schema = None;
        }
        self.tables = match self.tables.as_slice() {
            [only] => vec![ScopeTable { name: table.to_owned(), aliased: true, ..only.clone() }],
            _ => vec![ScopeTable { aliased: true, ..ScopeTable::named(table) }],
        };
        Ok(self)
    }

    /// What an item behind it in FROM sees of it, if it is LATERAL.
    pub fn scope<'p>(&self, parent: Option<&'p Scope<'p>>, clause: Clause) -> Scope<'p> {
        Scope::new(parent, self.columns.clone(), self.tables.clone(), clause)
    }

    /// The rows, and the scope of the SELECT over them.
    pub fn into_scope<'p>(self, parent: Option<&'p Scope<'p>>, clause: Clause) -> (Arc<Relation>, Scope<'p>) {
        (self.relation, Scope::new(parent, self.columns, self.tables, clause))
    }
}

/// Renames the first columns of a table; 42P10 if there are fewer.
pub(crate) fn rename_columns<'n>(
    table: &str,
    names: &[String],
    columns: impl ExactSizeIterator<Item = &'n mut String>,
) -> Result<()> {
    if names.len() > columns.len() {
        let (available, specified) = (columns.len(), names.len());
        let message = format!("table \"{table}\" has {available} columns available but {specified} columns specified");
        return Err(Error::new(ErrorKind::InvalidColumnReference, message));
    }
    for (column, name) in columns.zip(names) {
        column.clone_from(name);
    }
    Ok(())
}

impl Builder<'_> {
    /// The table or view of a name (case-folded); none if there is none. In a kept text it is the one that the name stood for, as it
    /// was then.
    pub fn table(&mut self, written: &TableName, position: Option<Position>) -> Result<Option<FromItem>> {
        let wants_places = std::mem::take(&mut self.wants_places);
        let view = self.view.clone();
        let known = view.as_ref().and_then(|view| view.relation(written));
        let name = known.map_or(written, |known| &known.now);
        self.catalog.check_right(name, Right::Select, self.acting()).map_err(|error| error.at(position))?;
        let (item, stored) = match self.catalog.entry(name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.materialized.as_ref().is_some_and(|of| !of.is_filled) => {
                let message = format!("materialized view \"{}\" has not been populated", name.name);
                return Err(Error::new(ErrorKind::WrongState, message)
                    .with_hint("Use the REFRESH MATERIALIZED VIEW command.")
                    .at(position));
            }
            Some(CatalogEntry::Table(info)) => {
                let numbered = if wants_places { self.catalog.numbered(name)? } else { None };
                let (rows, number) = self.numbered_scan(numbered.unwrap_or(info), name.name.clone());
                self.place = number;
                (rows, true)
            }
            Some(CatalogEntry::View(view)) => {
                (self.view(name, &view, position).map_err(|error| error.at(position))?, false)
            }
            None => return Ok(None),
        };
        let item = self.known(item, name, known, stored);
        if known.is_none() {
            self.need(written, Some(item.columns.iter().map(|column| column.name.clone()).collect()));
        }
        Ok(Some(item))
    }

    /// The rows of a table or view of the catalog, whose schema may stand before its name. What a kept text knows has the columns, and
    /// is called, as the text has it.
    pub(crate) fn known(&self, mut rows: FromItem, name: &TableName, kept: Option<&Meant>, stored: bool) -> FromItem {
        let schema = name.schema.clone().or_else(|| self.catalog.schema_of(name));
        let of = TableName { schema, name: name.name.clone() };
        let known_as = kept.map_or(&of, |kept| &kept.then);
        for table in &mut rows.tables {
            table.name.clone_from(&known_as.name);
            (table.of, table.known_as) = (Some(of.clone()), Some(known_as.clone()));
            table.stored = stored;
        }
        if let Some(columns) = kept.and_then(|kept| kept.columns.as_ref()) {
            rows.columns.truncate(columns.len());
            rows.columns.iter_mut().zip(columns).for_each(|(column, name)| column.name.clone_from(name));
            rows.columns.retain(|column| column.name != GONE);
        }
        for column in &mut rows.columns {
            column.table = Some(known_as.name.clone());
            column.schema.clone_from(&known_as.schema);
        }
        rows
    }

    /// The type that was made under a name; in a view's text that which it meant when the view was made.
    pub(crate) fn made_type(&self, name: &TableName) -> Result<Option<DataType>> {
        let view = self.view.clone();
        let known = view.as_ref().and_then(|view| view.made_type(name));
        let found = self.catalog.type_named(known.map_or(name, |known| &known.now))?;
        if found.is_some() && known.is_none() {
            self.need(name, None);
        }
        Ok(found)
    }

    /// The table or view of a name, or the file, if it could only be one's.
    pub fn table_or_file(&mut self, name: &TableName, position: Option<Position>) -> Result<Option<FromItem>> {
        match self.table(name, position)? {
            None if name.name.contains(['.', '/']) => {
                self.files(std::slice::from_ref(&name.name), &FileOptions::default(), position).map(Some)
            }
            found => Ok(found),
        }
    }

    /// 42P01, with what the name may have been meant to be: a table, a view, or one of `also`.
    pub fn unknown_table(&self, name: &TableName, also: &[&str]) -> Error {
        let error = Error::new(ErrorKind::UnknownTable, format!("relation \"{}\" does not exist", name.plain()));
        if name.schema.is_some() {
            return error;
        }
        let catalog = self.catalog.names();
        did_you_mean(error, &name.name, catalog.iter().map(String::as_str).chain(also.iter().copied()))
    }

    /// Files as one table, named after the stem of the first unless an alias follows.
    pub fn files(&mut self, paths: &[String], options: &FileOptions, position: Option<Position>) -> Result<FromItem> {
        let first = paths.first().map_or("", String::as_str);
        let Some(info) = self.catalog.files(paths, options).map_err(|error| error.at(position))? else {
            if std::path::Path::new(first).is_dir() {
                let message = format!("could not open file: it is a folder: {first}");
                let hint = format!("Name its files by a pattern such as '{}/*.parquet'.", first.trim_end_matches('/'));
                return Err(Error::new(ErrorKind::FileNotFound, message).with_hint(hint).at(position));
            }
            let message = format!("file \"{first}\" has no format that is known by its ending");
            return Err(Error::new(ErrorKind::UnknownTable, message).at(position));
        };
        let stem = std::path::Path::new(first).file_stem().and_then(|stem| stem.to_str()).unwrap_or(first);
        Ok(self.scan(info, stem.to_owned()))
    }

    /// The rows of a table, under a name.
    pub(crate) fn scan(&mut self, info: Arc<TableInfo>, name: String) -> FromItem {
        self.numbered_scan(info, name).0
    }

    /// The rows of a table, under a name, and the column of their numbers, if the table has one.
    pub(crate) fn numbered_scan(&mut self, info: Arc<TableInfo>, name: String) -> (FromItem, Option<ColumnId>) {
        let mut columns = Vec::new();
        let mut visible = Vec::new();
        let mut values = Vec::new();
        for (index, field) in info.fields.iter().enumerate() {
            let mut id = self.columns.add(field.name.clone(), field.data_type, field.nullable);
            visible.push((field.name.clone(), id));
            let value = match info.domain(index) {
                Some(domain) => {
                    let value = id;
                    id = self.columns.add(field.name.clone(), DataType::BigInt, field.nullable);
                    (value, Expression::element(domain, self.columns.reference(id)))
                }
                None => (id, self.columns.reference(id)),
            };
            columns.push((index, id));
            values.push(value);
        }
        if let Some(key) = info.declared.keys.first().filter(|key| key.primary) {
            let of = |&column: &usize| visible[column].1;
            self.keyed.push((key.columns.iter().map(of).collect(), visible.iter().map(|(_, id)| *id).collect()));
        }
        for (place, name, error) in self.catalog.unreadable(info.handle) {
            let id = self.columns.add(name.clone(), DataType::Text, true);
            self.unreadable.insert(id, error);
            visible.insert(place.min(visible.len()), (name, id));
        }
        let mut hidden = |position: Option<usize>| {
            let position = position?;
            let field = info.stored_field(position);
            let id = self.columns.add(field.name.clone(), field.data_type, field.nullable);
            columns.push((position, id));
            values.push((id, self.columns.reference(id)));
            Some(id)
        };
        let (deleted, number) = (hidden(info.hidden.deleted), hidden(info.hidden.number));
        if let Some(number) = number.filter(|_| info.hidden.epoch > 0) {
            self.epochs.insert(number, info.hidden.epoch);
        }
        let has_codes = !info.domains.is_empty();
        let mut relation = Arc::new(Relation::Scan { table: ScanTable(info), columns });
        if let Some(deleted) = deleted {
            let zero = Expression::constant(Value::Int(0), DataType::SmallInt);
            let arguments = vec![self.columns.reference(deleted), zero];
            let predicate = Expression::call(Function::Equal, arguments, DataType::Boolean);
            relation = Arc::new(Relation::Filter { input: relation, predicate });
        }
        if has_codes {
            relation = Arc::new(Relation::Project { input: relation, columns: values });
        }
        (FromItem::table((relation, visible), name), number)
    }

    /// What the name of a relation stood for when the text that is built was kept; none of any other text.
    pub(crate) fn meant(&self, written: &TableName) -> Option<Meant> {
        self.view.as_ref()?.relation(written).cloned()
    }

    /// The rows of a table of the catalog that a statement changes, under its name, and the column of their numbers, if it has one. A
    /// kept text knows them by what it meant.
    pub(crate) fn rows_to_change(
        &mut self,
        info: Arc<TableInfo>,
        name: &TableName,
        kept: Option<&Meant>,
    ) -> (FromItem, Option<ColumnId>) {
        let (rows, number) = self.numbered_scan(info, name.name.clone());
        (self.known(rows, name, kept, true), number)
    }

    /// The rows of a table of the catalog that are to be taken, with their numbers in a column that is not seen; without those that
    /// others have, if they are skipped. `shown` is what takes them, for errors. None if there is no table of this name.
    pub(crate) fn table_to_lock(
        &mut self,
        name: &TableName,
        (skips, shown): (bool, &str),
        position: Option<Position>,
    ) -> Result<Option<FromItem>> {
        let catalog = self.catalog;
        for right in [Right::Select, Right::Update] {
            catalog.check_right(name, right, None).map_err(|error| error.at(position))?;
        }
        let refused = |what: &str| Error::unsupported(format_args!("{shown} of {what} is")).at(position);
        match catalog.entry(name).map_err(|error| error.at(position))? {
            Some(CatalogEntry::Table(info)) if info.declared.materialized.is_some() => {
                let message = format!("cannot lock rows in materialized view \"{}\"", name.name);
                return Err(Error::new(ErrorKind::WrongObjectType, message).at(position));
            }
            Some(CatalogEntry::Table(_)) => {}
            Some(CatalogEntry::View(_)) => return Err(refused("a view")),
            None => return Ok(None),
        }
        let info = catalog.to_lock(name, skips).map_err(|error| error.at(position))?;
        let info = info.ok_or_else(|| refused("rows that are not the engine's"))?;
        let (rows, number) = self.numbered_scan(info, name.name.clone());
        let mut item = self.known(rows, name, None, true);
        self.need(name, Some(item.columns.iter().map(|column| column.name.clone()).collect()));
        if let Some(number) = number {
            let table = item.tables.first().cloned();
            let column = ScopeColumn::new(table.as_ref(), ROW_NUMBER.to_owned(), number);
            item.columns.push(ScopeColumn { hidden: true, ..column });
        }
        Ok(Some(item))
    }

    /// Rows as those of a table of the catalog, under its name.
    pub(crate) fn as_table(&self, rows: Rows, name: &TableName, kept: Option<&Meant>) -> FromItem {
        self.known(FromItem::table(rows, name.name.clone()), name, kept, true)
    }

    /// Builds a part of a view's query: what its names meant when it was made.
    pub(crate) fn in_view<T>(
        &mut self,
        name: &TableName,
        view: &Arc<View>,
        build: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.views.push(name.clone());
        let around = self.view.replace(Arc::clone(view));
        let arguments = self.arguments.take();
        let in_routine = std::mem::take(&mut self.in_routine);
        let built = build(self);
        self.arguments = arguments;
        self.in_routine = in_routine;
        self.view = around;
        self.views.pop();
        built
    }

    /// With whose rights the innermost text asks: those of the owner of this view or function; none is who asks the statement.
    pub(super) fn acting(&self) -> Option<&TableName> {
        if self.in_routine { self.acting.as_ref() } else { self.views.last() }
    }

    /// A view's query, built in a scope of its own: it sees no column of where it is used.
    pub(crate) fn view(&mut self, name: &TableName, view: &Arc<View>, position: Option<Position>) -> Result<FromItem> {
        if self.views.contains(name) {
            return Err(reads_itself(&name.name));
        }
        let view_query = self.view_query;
        let built =
            self.in_view(name, view, |builder| builder.deeper(position, |builder| view_query(builder, &view.sql)));
        let (relation, mut output) = built?;
        rename_columns(&name.name, &view.columns, output.iter_mut().map(|(name, _): &mut (String, ColumnId)| name))?;
        Ok(FromItem::table((relation, output), name.name.clone()))
    }
}

/// The error (42P17) of a view whose query reads the view.
pub fn reads_itself(view: &str) -> Error {
    let message = format!("infinite recursion detected in rules for relation \"{view}\"");
    Error::new(ErrorKind::InvalidObjectDefinition, message)
}
