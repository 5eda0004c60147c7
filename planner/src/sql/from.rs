//! FROM: tables, files, views, CTEs, derived tables, and what their aliases rename.

use super::binder::Binder;
use super::query::Unknown;
use super::scope::{Scope, ScopeColumn};
use super::suggest::did_you_mean;
use super::text::Text;
use crate::catalog::{CatalogEntry, CopyOptions, TableInfo};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::join_kind::JoinKind;
use crate::relation::{ColumnId, Expression, Relation, ScanTable};
use crate::types::DataType;
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// How many tables one FROM may join; the tree of joins is as deep.
pub(super) const TABLES_MAX: usize = 1000;

/// Rows of FROM and how its columns are reached.
#[derive(Debug)]
pub(super) struct FromItem {
    /// The rows.
    pub(super) relation: Arc<Relation>,
    /// Its columns in the order of `*`.
    pub(super) columns: Vec<ScopeColumn>,
    /// Its table aliases.
    pub(super) tables: Vec<String>,
}

impl FromItem {
    /// One table of these columns.
    pub(super) fn table(relation: Arc<Relation>, name: String, columns: Vec<(String, ColumnId)>) -> Self {
        let columns = columns.into_iter().map(|(column, id)| ScopeColumn {
            table: Some(name.clone()),
            name: column,
            id,
            merged: false,
        });
        FromItem { relation, columns: columns.collect(), tables: vec![name] }
    }
}

/// Renames the first columns of a table; 42P10 if there are fewer.
pub(super) fn rename_columns<'n>(
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

impl Binder<'_> {
    /// Binds FROM; without one, a single row of no columns.
    pub(super) fn bind_from(&mut self, from: &[ast::TableWithJoins], parent: Option<&Scope<'_>>) -> Result<FromItem> {
        let tables = from.iter().map(|item| 1 + item.joins.len()).sum::<usize>();
        if tables > TABLES_MAX {
            let message = format!("more than {TABLES_MAX} tables in one FROM");
            return Err(Error::new(ErrorKind::TooComplex, message).at(self.position(from[0].span())));
        }
        let mut items = from.iter();
        let Some(first) = items.next() else {
            let relation = Arc::new(Relation::Values { columns: Vec::new(), rows: vec![Vec::new()] });
            return Ok(FromItem { relation, columns: Vec::new(), tables: Vec::new() });
        };
        let mut all = self.bind_joined(first, parent)?;
        for item in items {
            let next = self.bind_joined(item, parent)?;
            self.check_aliases(&all, &next, self.factor_start(&item.relation))?;
            all.columns.extend(next.columns);
            all.tables.extend(next.tables);
            all.relation = Arc::new(Relation::Join {
                kind: JoinKind::Inner,
                left: all.relation,
                right: next.relation,
                on: Expression::boolean(true),
            });
        }
        Ok(all)
    }

    /// Reports a table alias that both sides have.
    pub(super) fn check_aliases(&self, left: &FromItem, right: &FromItem, position: Option<Position>) -> Result<()> {
        match right.tables.iter().find(|table| left.tables.contains(table)) {
            Some(table) => {
                let message = format!("table name \"{table}\" specified more than once");
                Err(Error::new(ErrorKind::DuplicateAlias, message).at(position))
            }
            None => Ok(()),
        }
    }

    /// Binds one table of FROM.
    pub(super) fn bind_table_factor(
        &mut self,
        factor: &ast::TableFactor,
        parent: Option<&Scope<'_>>,
    ) -> Result<FromItem> {
        let position = self.factor_start(factor);
        let (mut item, alias) = match factor {
            ast::TableFactor::Table { name, alias, args, .. } => {
                if let Some(what) = refused_of_table(factor) {
                    return Err(Error::unsupported(what).at(position));
                }
                let item = match args {
                    Some(args) => self.bind_file_function(name, args)?,
                    None => self.bind_table_name(name)?,
                };
                (item, alias.as_ref())
            }
            ast::TableFactor::Derived { lateral, subquery, alias, sample } => {
                if *lateral || sample.is_some() {
                    let what = if *lateral { "LATERAL is" } else { "TABLESAMPLE is" };
                    return Err(Error::unsupported(what).at(position));
                }
                let (relation, columns) = self.bind_query(subquery, parent, Unknown::AsText)?;
                let item = match alias {
                    Some(alias) => FromItem::table(relation, Self::fold(&alias.name), columns),
                    None => anonymous(relation, columns),
                };
                (item, alias.as_ref())
            }
            ast::TableFactor::NestedJoin { table_with_joins, alias } => {
                let item = self.deeper(position, |binder| binder.bind_joined(table_with_joins, parent))?;
                (item, alias.as_ref())
            }
            ast::TableFactor::TableFunction { .. }
            | ast::TableFactor::Function { .. }
            | ast::TableFactor::UNNEST { .. }
            | ast::TableFactor::JsonTable { .. }
            | ast::TableFactor::OpenJsonTable { .. }
            | ast::TableFactor::Pivot { .. }
            | ast::TableFactor::Unpivot { .. }
            | ast::TableFactor::UnpivotExpr { .. }
            | ast::TableFactor::MatchRecognize { .. }
            | ast::TableFactor::XmlTable { .. }
            | ast::TableFactor::SemanticView { .. } => {
                return Err(Error::unsupported("a function in FROM is").at(position));
            }
        };
        if let Some(alias) = alias {
            self.apply_alias(alias, &mut item)?;
        }
        Ok(item)
    }

    /// Where a table of FROM starts; `Spanned` would visit all of a derived table, at each of its levels.
    pub(super) fn factor_start(&self, factor: &ast::TableFactor) -> Option<Position> {
        match factor {
            ast::TableFactor::Derived { subquery, .. } => self.query_start(subquery),
            ast::TableFactor::NestedJoin { table_with_joins, .. } => self.factor_start(&table_with_joins.relation),
            ast::TableFactor::Table { name, .. } => self.position(name.span()),
            other => self.position(other.span()),
        }
    }

    fn apply_alias(&self, alias: &ast::TableAlias, item: &mut FromItem) -> Result<()> {
        // An alias of a join hides the names inside; what USING merged is then one column only.
        item.columns.retain(|column| !column.merged);
        let table = Self::fold(&alias.name);
        let names: Vec<_> = item.columns.iter_mut().map(|column| &mut column.name).collect();
        self.rename_by_alias(alias, names.into_iter())?;
        for column in &mut item.columns {
            column.table = Some(table.clone());
        }
        item.tables = vec![table];
        Ok(())
    }

    /// What a name in FROM stands for: a CTE, then a table or view, then, if it is in quotes, a file.
    pub(super) fn bind_table_name(&mut self, name: &ast::ObjectName) -> Result<FromItem> {
        let position = self.position(name.span());
        let (qualified, ident) = self.split_name(name)?;
        if ident.quote_style == Some('\'') {
            return self.scan_file(&ident.value, &CopyOptions::default(), position);
        }
        let table = Self::fold(ident);
        if !qualified && let Some(item) = self.scan_cte(&table) {
            return Ok(item);
        }
        let entry = self.catalog.entry(&table).map_err(|error| error.at(position))?;
        if entry.is_some() && self.views.is_empty() && !self.needs.contains(&table) {
            self.needs.push(table.clone());
        }
        match entry {
            Some(CatalogEntry::Table(info)) => Ok(self.scan(info, table)),
            Some(CatalogEntry::View { sql, columns }) => {
                self.bind_view(&table, &sql, &columns, position).map_err(|error| error.at(position))
            }
            None if ident.quote_style.is_some() && table.contains(['.', '/']) => {
                self.scan_file(&table, &CopyOptions::default(), position)
            }
            None => Err(self.unknown_table(&table).at(position)),
        }
    }

    /// 42P01, with what the name may have been meant to be.
    pub(super) fn unknown_table(&self, name: &str) -> Error {
        let error = Error::new(ErrorKind::UnknownTable, format!("relation \"{name}\" does not exist"));
        let catalog = self.catalog.names();
        let known = self.ctes.iter().map(|cte| cte.name.as_str()).chain(catalog.iter().map(String::as_str));
        did_you_mean(error, name, known)
    }

    /// The last part of a name, and whether the schema was given; there is one schema, `public`.
    pub(super) fn split_name<'n>(&self, name: &'n ast::ObjectName) -> Result<(bool, &'n ast::Ident)> {
        let idents: Option<Vec<&ast::Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        match idents.as_deref() {
            Some([table]) => Ok((false, table)),
            Some([schema, table]) if Self::fold(schema) == "public" => Ok((true, table)),
            Some(_) => {
                let error = Error::new(ErrorKind::UnknownTable, format!("relation \"{name}\" does not exist"));
                let error = error.with_hint("There is one schema, \"public\".");
                Err(error.at(self.position(name.span())))
            }
            None => Err(Error::unsupported("a function as a name is").at(self.position(name.span()))),
        }
    }

    fn scan(&mut self, info: Arc<TableInfo>, name: String) -> FromItem {
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
        let has_codes = !info.domains.is_empty();
        let mut relation = Arc::new(Relation::Scan { table: ScanTable(info), columns });
        if has_codes {
            relation = Arc::new(Relation::Project { input: relation, columns: values });
        }
        FromItem::table(relation, name, visible)
    }

    /// A file, named after its stem unless an alias follows.
    pub(super) fn scan_file(
        &mut self,
        path: &str,
        options: &CopyOptions,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let Some(info) = self.catalog.file_with(path, options).map_err(|error| error.at(position))? else {
            let message = format!("file \"{path}\" has no format that is known by its ending");
            return Err(Error::new(ErrorKind::UnknownTable, message).at(position));
        };
        let stem = std::path::Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(path);
        Ok(self.scan(info, stem.to_owned()))
    }

    /// A view's query, bound in a scope of its own: it sees no CTE and no column of where it is used.
    fn bind_view(
        &mut self,
        name: &str,
        sql: &Arc<str>,
        columns: &[String],
        position: Option<Position>,
    ) -> Result<FromItem> {
        if self.views.iter().chain(&self.created_view).any(|view| view == name) {
            let message = format!("infinite recursion detected in the query of view \"{name}\"");
            return Err(Error::new(ErrorKind::TooComplex, message));
        }
        let query = super::parse::parse_query(sql)?;
        let text = std::mem::replace(&mut self.text, Text::new(sql));
        let ctes = std::mem::take(&mut self.ctes);
        self.views.push(name.to_owned());
        let bound = self.deeper(position, |binder| binder.bind_query(&query, None, Unknown::AsText));
        self.views.pop();
        self.ctes = ctes;
        self.text = text;
        let (relation, mut output) = bound?;
        rename_columns(name, columns, output.iter_mut().map(|(name, _)| name))?;
        Ok(FromItem::table(relation, name.to_owned(), output))
    }
}

/// A derived table without an alias: its columns are reached by their names only.
fn anonymous(relation: Arc<Relation>, columns: Vec<(String, ColumnId)>) -> FromItem {
    let columns = columns.into_iter().map(|(name, id)| ScopeColumn { table: None, name, id, merged: false });
    FromItem { relation, columns: columns.collect(), tables: Vec::new() }
}

/// What a table of FROM has that is not supported.
fn refused_of_table(factor: &ast::TableFactor) -> Option<&'static str> {
    let ast::TableFactor::Table {
        name: _,
        alias: _,
        args: _,
        with_hints,
        version,
        with_ordinality,
        partitions,
        json_path,
        sample,
        index_hints,
    } = factor
    else {
        return None;
    };
    let refused = [
        (!with_hints.is_empty(), "WITH behind a table is"),
        (version.is_some(), "a table's version is"),
        (*with_ordinality, "WITH ORDINALITY is"),
        (!partitions.is_empty(), "PARTITION is"),
        (json_path.is_some(), "a path into a table is"),
        (sample.is_some(), "TABLESAMPLE is"),
        (!index_hints.is_empty(), "an index hint is"),
    ];
    refused.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
}
