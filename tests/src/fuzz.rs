//! What the fuzz targets and their stable stand-ins do with a text: parse and bind it, or execute it. Errors are fine,
//! panics are not.

use crate::WAYS;
use crate::random::{Outcome, difference, outcome_within};
use multiloop::Engine;
use multiloop_planner::catalog::{
    Catalog, CatalogEntry, ColumnStatistics, Proofs, TableHandle, TableInfo, TableName, TableStatistics, View,
};
use multiloop_planner::error::Result;
use multiloop_planner::sql;
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;
use std::time::Duration;

/// A catalog of one table, `t`, with a column of every type, and one view, `v`.
struct Fixed(Arc<TableInfo>);

impl Catalog for Fixed {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(match name.name.as_str() {
            "t" => Some(CatalogEntry::Table(Arc::clone(&self.0))),
            "v" => {
                let view = View { columns: vec!["a".to_owned()], ..View::of_text("SELECT i, s FROM t") };
                Some(CatalogEntry::View(Arc::new(view)))
            }
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
    let proofs = Proofs { nulls: 1, ..Proofs::default() };
    let unknown = ColumnStatistics { proofs, ..ColumnStatistics::default() };
    let statistics = TableStatistics { rows: 2, columns: vec![unknown; fields.len()], ..TableStatistics::default() };
    Fixed(Arc::new(TableInfo {
        name: "t".to_owned(),
        fields,
        statistics: Arc::new(statistics),
        handle: TableHandle(1),
        domains: Vec::new(),
        declared: Arc::default(),
        hidden: Default::default(),
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

/// How long nonsense may take: it may well ask for a product of all tables.
const LIMIT: Duration = Duration::from_secs(2);
/// What it may take.
const MEMORY_LIMIT: usize = 256 << 20;

/// The tables of [`catalog`], with rows, and one more to join with.
const SCRIPT: &str = "
    CREATE TABLE t (i integer, b bigint, n decimal(10,2), x double precision, s text, d date, ts timestamp, iv interval,
                    f boolean);
    INSERT INTO t VALUES
        (1, 10, 0.50, 1.5, 'a', '2020-01-01', '2020-01-01 10:00', '1 day', true),
        (2, 3000000000, -1.25, 'NaN', '12', '2020-02-29', '2020-02-29 23:59:59', '1 mon', false),
        (2, NULL, 100, -0.0, '', NULL, '1999-12-31', '24 hours', NULL),
        (NULL, -1, NULL, NULL, NULL, '1970-01-01', NULL, NULL, true),
        (4, 0, 0, 1e300, 'ab', '2020-01-01', '2020-01-01', '-1 hour', false);
    CREATE TABLE u (k integer, s text);
    INSERT INTO u VALUES (1, 'a'), (2, 'b'), (2, NULL), (NULL, 'ab'), (7, '12');
    CREATE VIEW v AS SELECT i AS a, s FROM t;";

thread_local! {
    /// An engine with the tables, for texts that change none.
    static UNCHANGED: Engine = engine();
}

/// An engine with the tables.
fn engine() -> Engine {
    let engine = Engine::builder().threads(1).memory_limit(MEMORY_LIMIT).build().expect("an engine starts");
    engine.session().sql(SCRIPT).expect("the tables are made");
    engine
}

/// Whether a text may do more than ask: it is not one query.
fn changes(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_uppercase();
    let words = text.to_uppercase();
    let changing = ["INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "TRUNCATE", "SET", "INTO", ";"];
    !matches!(first.as_str(), "SELECT" | "WITH" | "VALUES") || changing.iter().any(|word| words.contains(word))
}

/// Executes a text with the rules on and off: no panic, no internal error, and the same rows. What writes files is left out.
///
/// # Panics
/// If so.
pub fn execute(text: &str) {
    if text.to_uppercase().contains("COPY") {
        return;
    }
    let changes = changes(text);
    let engine = if changes { engine() } else { UNCHANGED.with(Engine::clone) };
    let mut found: Vec<(&str, Outcome)> = Vec::new();
    for way in WAYS {
        let mut session = engine.session();
        if changes && !found.is_empty() {
            // What a text did is undone: the next way begins with the same tables.
            for made in ["VIEW v", "TABLE t", "TABLE u"] {
                // It may be gone.
                let _ = session.sql(&format!("DROP {made}"));
            }
            session.sql(SCRIPT).expect("the tables are made");
        }
        way.set(&mut session);
        let outcome = outcome_within(&session, text, LIMIT);
        assert!(!outcome.is_bug(), "{}: {text}\n{}", way.name, outcome.show());
        found.push((way.name, outcome));
        if text.to_uppercase().contains("CREATE") || found[0].1.state().is_some_and(|state| state.starts_with("42")) {
            return;
        }
    }
    let (_, expected) = &found[0];
    for (name, outcome) in &found[1..] {
        // Which of several errors is reported is free, and so is which rows a LIMIT without an order leaves.
        let is_free = text.contains("LIMIT") || text.contains("random");
        let fail = [expected, outcome].map(|outcome| outcome.state().is_some());
        let is_late = |outcome: &Outcome| matches!(outcome.state(), Some("57014" | "53200"));
        if fail == [true, true] || is_late(expected) || is_late(outcome) || is_free {
            continue;
        }
        let difference = difference(false, outcome, expected);
        assert!(difference.is_none(), "{name}: {text}\n{}", difference.unwrap_or_default());
    }
}
