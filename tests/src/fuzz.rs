//! What the fuzz target and its stable stand-in do with a text: parse and bind it. Errors are fine, panics are not.

use multiloop_planner::catalog::{Catalog, CatalogEntry, ColumnStatistics, TableHandle, TableInfo, TableStatistics};
use multiloop_planner::error::Result;
use multiloop_planner::sql;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// A catalog of one table, `t`, with a column of every type, and one view, `v`.
struct Fixed(Arc<TableInfo>);

impl Catalog for Fixed {
    fn entry(&self, name: &str) -> Result<Option<CatalogEntry>> {
        Ok(match name {
            "t" => Some(CatalogEntry::Table(Arc::clone(&self.0))),
            "v" => Some(CatalogEntry::View { sql: Arc::from("SELECT i, s FROM t"), columns: vec!["a".to_owned()] }),
            _ => None,
        })
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        Ok(path.ends_with(".csv").then(|| Arc::clone(&self.0)))
    }

    fn names(&self) -> Vec<String> {
        vec!["t".to_owned(), "v".to_owned()]
    }
}

fn catalog() -> Fixed {
    let types = [
        ("i", DataType::Integer),
        ("b", DataType::BigInt),
        ("n", DataType::decimal(10, 2)),
        ("x", DataType::Double),
        ("s", DataType::Text),
        ("d", DataType::Date),
        ("ts", DataType::Timestamp),
        ("iv", DataType::Interval),
        ("f", DataType::Boolean),
    ];
    let fields: Vec<Field> = types.iter().map(|(name, data_type)| Field::new(*name, *data_type, true)).collect();
    let unknown = ColumnStatistics { nulls: 1, ..ColumnStatistics::default() };
    let statistics = TableStatistics { rows: 2, columns: vec![unknown; fields.len()] };
    Fixed(Arc::new(TableInfo {
        name: "t".to_owned(),
        fields,
        statistics: Arc::new(statistics),
        handle: TableHandle(1),
        domains: Vec::new(),
                declared: Arc::default(),
    }))
}

/// Parses and binds; every error must have an SQLSTATE and a position within the text.
pub fn parse_and_bind(text: &str) {
    let inside = |error: &multiloop_planner::Error, text: &str| {
        assert_eq!(error.sqlstate().len(), 5);
        assert_ne!(error.sqlstate(), "XX000", "a bug: {error}");
        if let Some(position) = error.position() {
            assert!(position.0 as usize <= text.len(), "{error} points behind the text");
        }
    };
    match sql::parse(text) {
        Err(error) => inside(&error, text),
        Ok(statements) => {
            let catalog = catalog();
            for statement in &statements {
                if let Err(error) = sql::bind(statement, &catalog, &[]) {
                    inside(&error, &statement.text);
                }
            }
        }
    }
}
