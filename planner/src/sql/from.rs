//! FROM: what stands for tables, and their aliases.

use super::binder::Binder;
use super::described::told;
use super::from_function::FunctionFactor;
use super::query::Unknown;
use super::unpivot::Unpivot;
use crate::catalog::{FileOptions, TableName};
use crate::error::{Error, Position, Result};
use crate::relation::Relation;
use crate::relation::builder::{Clause, FromItem, Scope, check_table_count};
use sqlparser::ast::{self, Spanned};
use std::sync::Arc;

/// What stands before an item of FROM, which it sees if it is LATERAL.
pub(super) struct Before<'b> {
    /// The nearest, with all that is joined to it.
    pub(super) item: &'b FromItem,
    /// What stands before that.
    pub(super) before: Option<&'b Before<'b>>,
}

impl Before<'_> {
    /// What an item sees of it.
    pub(super) fn scope<'p>(&self, parent: Option<&'p Scope<'p>>) -> Scope<'p> {
        let (mut columns, mut tables) = (Vec::new(), Vec::new());
        for each in std::iter::successors(Some(self), |each| each.before) {
            columns.extend(each.item.columns.iter().cloned());
            tables.extend(each.item.tables.iter().cloned());
        }
        Scope::new(parent, columns, tables, Clause::From)
    }
}

impl Binder<'_, '_> {
    /// Binds FROM; without one, a single row of no columns.
    pub(super) fn bind_from(&mut self, from: &[ast::TableWithJoins], parent: Option<&Scope<'_>>) -> Result<FromItem> {
        let tables = from.iter().map(|item| 1 + item.joins.len()).sum::<usize>();
        check_table_count(tables)
            .map_err(|error| error.at(from.first().and_then(|first| self.position(first.span()))))?;
        let mut items = from.iter();
        let Some(first) = items.next() else {
            return Ok(FromItem::nothing());
        };
        let mut all = self.bind_joined(first, parent, None)?;
        for item in items {
            let next = self.bind_joined(item, parent, Some(&Before { item: &all, before: None }))?;
            let position = self.factor_start(&item.relation);
            all.check_aliases(&next, position)?;
            all = all.cross(self.builder, next).map_err(|error| error.at(position))?;
        }
        Ok(all)
    }

    /// Binds one table of FROM.
    pub(super) fn bind_table_factor(
        &mut self,
        factor: &ast::TableFactor,
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        let position = self.factor_start(factor);
        if let Some(call) = FunctionFactor::of(factor) {
            return self.bind_function_factor(&call, parent, before);
        }
        if let Some((told, query)) = told(factor) {
            return self.bind_told(told, query, parent);
        }
        let (item, alias) = match factor {
            ast::TableFactor::Table { name, alias, args: None, sample, .. } => {
                if let Some(what) = refused_of_table(factor) {
                    return Err(Error::unsupported(what).at(position));
                }
                let locked = self.locked_table(name, alias.as_ref())?;
                let mut item = locked.map_or_else(|| self.bind_table_name(name), Ok)?;
                item.relation = self.sampled(item.relation, sample.as_ref(), position)?;
                if let [table] = &item.tables[..]
                    && table.of.is_some()
                {
                    let (schema, ident) = self.split_name(name)?;
                    let named = TableName { schema, name: Self::fold(ident) };
                    self.builder.mark_relation(named, alias.is_some(), position);
                }
                (item, alias.as_ref())
            }
            ast::TableFactor::Derived { lateral, subquery, alias, sample } => {
                let mut rows = match before.filter(|_| *lateral) {
                    Some(before) => self.bind_query(subquery, Some(&before.scope(parent)), Unknown::AsText)?,
                    None => self.bind_query(subquery, parent, Unknown::AsText)?,
                };
                rows.0 = self.sampled(rows.0, sample.as_ref(), position)?;
                (FromItem::anonymous(rows), alias.as_ref())
            }
            ast::TableFactor::NestedJoin { table_with_joins, alias } => {
                let item = self.deeper(position, |binder| binder.bind_joined(table_with_joins, parent, before))?;
                (item, alias.as_ref())
            }
            ast::TableFactor::Pivot { table, aggregate_functions: functions, alias, .. } => {
                (self.bind_pivot(table, functions, parent, before)?, alias.as_ref())
            }
            ast::TableFactor::Unpivot { table, value, null_inclusion, name, columns, alias } => {
                let keeps_nulls = *null_inclusion == Some(ast::NullInclusion::IncludeNulls);
                let unpivot = Unpivot { table, value, keeps_nulls, name, columns };
                (self.bind_unpivot(&unpivot, parent, before)?, alias.as_ref())
            }
            ast::TableFactor::Table { .. }
            | ast::TableFactor::TableFunction { .. }
            | ast::TableFactor::Function { .. }
            | ast::TableFactor::UNNEST { .. }
            | ast::TableFactor::JsonTable { .. }
            | ast::TableFactor::OpenJsonTable { .. }
            | ast::TableFactor::UnpivotExpr { .. }
            | ast::TableFactor::MatchRecognize { .. }
            | ast::TableFactor::XmlTable { .. }
            | ast::TableFactor::SemanticView { .. } => {
                return Err(Error::unsupported("a function in FROM is").at(position));
            }
        };
        let Some(alias) = alias else { return Ok(item) };
        let names = self.alias_columns(alias)?;
        item.aliased(&Self::fold(&alias.name), &names).map_err(|error| error.at(self.position(alias.name.span)))
    }

    /// Rows, or a sample of them.
    fn sampled(
        &mut self,
        relation: Arc<Relation>,
        sample: Option<&ast::TableSampleKind>,
        position: Option<Position>,
    ) -> Result<Arc<Relation>> {
        match sample {
            Some(sample) => self.bind_table_sample(relation, sample_of(sample)).map_err(|error| error.at(position)),
            None => Ok(relation),
        }
    }

    /// Where a table of FROM starts; `Spanned` would visit all of a derived table, at each of its levels.
    pub(super) fn factor_start(&self, factor: &ast::TableFactor) -> Option<Position> {
        match factor {
            ast::TableFactor::Derived { subquery, .. } => self.query_start(subquery),
            ast::TableFactor::NestedJoin { table_with_joins, .. } => self.factor_start(&table_with_joins.relation),
            ast::TableFactor::Pivot { table, .. } | ast::TableFactor::Unpivot { table, .. } => self.factor_start(table),
            ast::TableFactor::Table { name, .. } | ast::TableFactor::Function { name, .. } => {
                self.position(name.span())
            }
            other => self.position(other.span()),
        }
    }

    /// What a name in FROM stands for: a CTE, then a table or view, then, if it is in quotes, a file.
    pub(super) fn bind_table_name(&mut self, name: &ast::ObjectName) -> Result<FromItem> {
        let position = self.position(name.span());
        let (schema, ident) = self.split_name(name)?;
        if ident.quote_style == Some('\'') {
            return self.builder.files(std::slice::from_ref(&ident.value), &FileOptions::default(), position);
        }
        let table = TableName { schema, name: Self::fold(ident) };
        if table.schema.is_none()
            && let Some(item) = self.scan_cte(&table.name, position)?
        {
            return Ok(item);
        }
        let names = self.hidden_names().to_vec();
        self.builder.wants_places = names.contains(&"ctid");
        let found = if ident.quote_style.is_some() && table.schema.is_none() {
            self.builder.table_or_file(&table, position)?
        } else {
            self.builder.table(&table, position)?
        };
        let found = found.ok_or_else(|| self.unknown_table(&table).at(position))?;
        let number = self.builder.place.take();
        self.builder.with_hidden(found, &names, number).map_err(|error| error.at(position))
    }

    /// 42P01, with what the name may have been meant to be.
    pub(super) fn unknown_table(&self, name: &TableName) -> Error {
        let ctes: Vec<&str> = self.ctes.iter().map(|cte| cte.name.as_str()).collect();
        self.builder.unknown_table(name, &ctes)
    }
}

/// What a table of FROM has that is not supported.
pub(super) fn refused_of_table(factor: &ast::TableFactor) -> Option<&'static str> {
    let ast::TableFactor::Table {
        name: _,
        alias: _,
        args: _,
        with_hints,
        version,
        with_ordinality,
        partitions,
        json_path,
        sample: _,
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
        (!index_hints.is_empty(), "an index hint is"),
    ];
    refused.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
}

/// A TABLESAMPLE, which may stand before or behind the table's alias.
fn sample_of(kind: &ast::TableSampleKind) -> &ast::TableSample {
    let (ast::TableSampleKind::BeforeTableAlias(sample) | ast::TableSampleKind::AfterTableAlias(sample)) = kind;
    sample
}
