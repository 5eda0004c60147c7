//! Binds statements that fill tables without a text of their own: rows of some columns as rows of all of them (COPY with a list
//! of columns fills the others as INSERT does), and the query of a materialized view.

use super::binder::{Binder, view_rows};
use crate::catalog::{Catalog, TableInfo, TableName, View};
use crate::error::Result;
use crate::relation::Query;
use crate::relation::builder::Builder;
use std::sync::Arc;

/// A query for the rows of a table, over `given`, whose columns are those of the table at `columns`: of others the defaults.
pub fn filled_rows(
    catalog: &dyn Catalog,
    table: &TableInfo,
    given: &Arc<TableInfo>,
    columns: &[usize],
) -> Result<Query> {
    let mut builder = Builder::new(catalog, view_rows, &[], true);
    let from = builder.scan(Arc::clone(given), given.name.clone());
    let output = from.columns.into_iter().map(|column| (column.name, column.id)).collect();
    let mut binder = Binder::without_text(&mut builder);
    let targets: Vec<Option<usize>> = columns.iter().copied().map(Some).collect();
    let rows = binder.fill_columns((from.relation, output), table, &targets, true, None)?;
    Ok(builder.finish(rows))
}

/// A query for rows of some columns of a table, each cast to its column's type as INSERT casts it; no columns are all of them. Unlike
/// [`filled_rows`] it gives these columns alone, in the order in which they come.
///
/// # Errors
/// 42804 for a type that INSERT does not cast to the column's.
pub fn assigned_rows(
    catalog: &dyn Catalog,
    table: &TableInfo,
    given: &Arc<TableInfo>,
    columns: &[usize],
) -> Result<Query> {
    let mut builder = Builder::new(catalog, view_rows, &[], true);
    let from = builder.scan(Arc::clone(given), given.name.clone());
    let output = from.columns.into_iter().map(|column| (column.name, column.id)).collect();
    let mut binder = Binder::without_text(&mut builder);
    let rows = binder.assign_columns((from.relation, output), table, columns)?;
    Ok(builder.finish(rows))
}

/// The query of a view, as it was meant when the view was made. `wide` is [`super::bind_wide`]'s.
pub fn view_as_query(catalog: &dyn Catalog, name: &TableName, view: &Arc<View>, wide: bool) -> Result<Query> {
    let mut builder = Builder::new(catalog, view_rows, &[], wide);
    let from = builder.view(name, view, None)?;
    let output = from.columns.into_iter().map(|column| (column.name, column.id)).collect();
    Ok(builder.finish((from.relation, output)))
}
