//! A catalog of tables that exist in name and statistics only.

use crate::catalog::{
    Catalog, CatalogEntry, ColumnStatistics, Estimates, Proofs, TableHandle, TableInfo, TableName, TableStatistics,
};
use crate::error::Result;
use crate::types::{DataType, Field};
use crate::value::Value;
use std::sync::Arc;

/// A table to be.
pub(super) struct TableSpec {
    name: &'static str,
    rows: u64,
    fields: Vec<Field>,
    columns: Vec<ColumnStatistics>,
}

impl TableSpec {
    pub(super) fn new(name: &'static str, rows: u64) -> Self {
        TableSpec { name, rows, fields: Vec::new(), columns: Vec::new() }
    }

    /// A column without NULLs.
    pub(super) fn column(
        mut self,
        name: &str,
        data_type: DataType,
        distinct: u64,
        range: Option<(i64, i64)>,
        unique: bool,
    ) -> Self {
        let value = |number: i64| match data_type {
            DataType::Decimal { .. } => Value::Decimal(number.into()),
            _ => Value::Int(number),
        };
        self.fields.push(Field::new(name, data_type, false));
        let (min, max) = (range.map(|(min, _)| value(min)), range.map(|(_, max)| value(max)));
        let proofs = Proofs { min, max, unique, ..Proofs::default() };
        let estimates = Estimates { distinct: Some(distinct), average_bytes: 0.0, ..Estimates::default() };
        self.columns.push(ColumnStatistics { proofs, estimates });
        self
    }

    /// Says that the rows come in the last column's order.
    pub(super) fn sorted(mut self) -> Self {
        if let Some(column) = self.columns.last_mut() {
            column.proofs.sorted = true;
            column.proofs.clustered = true;
        }
        self
    }

    /// Makes the last column one that may be NULL, and is in a tenth of the rows.
    pub(super) fn nullable(mut self) -> Self {
        if let (Some(field), Some(column)) = (self.fields.last_mut(), self.columns.last_mut()) {
            field.nullable = true;
            column.proofs.nulls = self.rows / 10 + 1;
        }
        self
    }
}

/// Tables by name.
pub(super) struct ToyCatalog(Vec<Arc<TableInfo>>);

impl ToyCatalog {
    pub(super) fn new(tables: impl IntoIterator<Item = TableSpec>) -> Self {
        let tables = tables.into_iter().enumerate().map(|(at, spec)| {
            Arc::new(TableInfo {
                name: spec.name.to_owned(),
                fields: spec.fields,
                statistics: Arc::new(TableStatistics {
                    rows: spec.rows,
                    columns: spec.columns,
                    ..TableStatistics::default()
                }),
                handle: TableHandle(at as u64),
                domains: Vec::new(),
                declared: Arc::default(),
                hidden: Default::default(),
            })
        });
        ToyCatalog(tables.collect())
    }

    /// A catalog of tables that are there already.
    pub(super) fn of(tables: Vec<Arc<TableInfo>>) -> Self {
        ToyCatalog(tables)
    }

    pub(super) fn table(&self, name: &str) -> Option<&Arc<TableInfo>> {
        self.0.iter().find(|table| table.name == name)
    }
}

impl Catalog for ToyCatalog {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(self.0.iter().find(|table| table.name == name.name).map(|table| CatalogEntry::Table(Arc::clone(table))))
    }

    fn file(&self, _path: &str) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|table| table.name.clone()).collect()
    }
}
