//! What providers say of their rows: it orders joins, and no answer depends on it.

use super::same_rows::{QUERIES, beside};
use super::{Filters, Stored, engine, nasty, rows};
use crate::provider::{ColumnEstimate, ProviderError, RowCount, Scan, TableEstimates, TablePart, TableProvider};
use crate::{DataType, Field, Session, Value};
use arrow::array::{Int64Array, RecordBatch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers from 0 as `k`, and `g`, which is NULL where it is not one of ten; it says what it is told to.
#[derive(Debug)]
struct Numbers(i64, TableEstimates);

impl TableProvider for Numbers {
    fn fields(&self) -> Vec<Field> {
        vec![Field::new("k", DataType::BigInt, false), Field::new("g", DataType::BigInt, true)]
    }

    fn estimates(&self) -> TableEstimates {
        self.1.clone()
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        let g: Int64Array = (0..self.0).map(|k| (k % 7 > 0).then_some(k % 10)).collect();
        let all = RecordBatch::try_from_iter_with_nullable([
            ("k", Arc::new(Int64Array::from_iter_values(0..self.0)) as _, false),
            ("g", Arc::new(g) as _, true),
        ])?;
        Ok(vec![TablePart::new(std::iter::once(Ok(all.project(&scan.columns)?)))])
    }
}

fn keys(rows: i64) -> ColumnEstimate {
    ColumnEstimate {
        min: Some(Value::Int(0)),
        max: Some(Value::Int(rows)),
        nulls: Some(0),
        distinct: Some(rows as u64),
    }
}

/// The lines of EXPLAIN.
fn plan(session: &Session, sql: &str) -> Vec<String> {
    let lines = session.query_map(&format!("EXPLAIN {sql}"), (), |row| row.get::<String>(0)).expect("a plan");
    lines.collect::<crate::Result<_>>().expect("texts")
}

/// The tables of a plan, in its order.
fn scanned(plan: &[String]) -> String {
    let name = |line: &String| line.trim_start().strip_prefix("Scan ")?.split(':').next().map(str::to_owned);
    plan.iter().filter_map(name).collect()
}

#[test]
fn joins_are_ordered_by_them() {
    const SQL: &str = "SELECT count(*) FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k";
    let of = |said: [i64; 3]| {
        let session = engine().session();
        for (name, rows) in ["a", "b", "c"].into_iter().zip(said) {
            let said = TableEstimates::of(RowCount::About(rows as u64)).with_column(0, keys(rows));
            session.register_table(name, Numbers(300, said)).expect("a table");
        }
        let plan = plan(&session, SQL);
        assert_eq!(rows(&session, SQL), ["300"], "whatever they say");
        for (name, rows) in ["a", "b", "c"].into_iter().zip(said) {
            let is_it =
                |line: &String| line.contains(&format!("Scan {name}: ")) && line.contains(&format!("(rows {rows})"));
            assert!(plan.iter().any(is_it), "{name}: {plan:#?}");
        }
        scanned(&plan)
    };
    let (few_first, few_last) = (of([10, 1_000, 1_000_000]), of([1_000_000, 1_000, 10]));
    assert_ne!(few_first, few_last);
}

#[test]
fn conditions_are_weighed_by_them() {
    let g = ColumnEstimate { nulls: Some(250), distinct: Some(10), ..ColumnEstimate::default() };
    let said = TableEstimates::of(RowCount::Exactly(1000)).with_column(0, keys(1000)).with_column(1, g);
    let session = engine().session();
    session.register_table("t", Numbers(1000, said)).expect("a table");
    for (condition, rows) in
        [("k < 100", 100), ("g IS NULL", 250), ("g = 3", 100), ("k = 5", 1), ("g IS NOT NULL", 750)]
    {
        let plan = plan(&session, &format!("SELECT k FROM t WHERE {condition}"));
        let says = format!("(rows {rows})");
        assert!(plan.iter().any(|line| line.contains("Filter") && line.contains(&says)), "{condition}: {plan:#?}");
    }
    let shown = "SELECT reltuples FROM pg_class WHERE relname = 't'";
    assert_eq!(rows(&session, shown), ["1000.0"]);
}

/// What a provider says that says nothing right.
struct Lies(Stored, TableEstimates);

impl std::fmt::Debug for Lies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.1.fmt(f)
    }
}

impl TableProvider for Lies {
    fn fields(&self) -> Vec<Field> {
        self.0.fields()
    }

    fn estimates(&self) -> TableEstimates {
        self.1.clone()
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        self.0.scan(scan)
    }
}

#[test]
fn lies_change_no_answer() {
    let of = |value: Value, nulls, distinct| ColumnEstimate {
        min: Some(value.clone()),
        max: Some(value),
        nulls: Some(nulls),
        distinct: Some(distinct),
    };
    let all = |rows, nulls, distinct| {
        let far = [Value::Int(-7), Value::Int(1 << 60), Value::Float(1e300), Value::text("q")];
        let columns = far.into_iter().chain([Value::Decimal(-1), Value::Int(9999), Value::Boolean(true)]);
        columns.enumerate().fold(TableEstimates::of(rows), |said, (column, value)| {
            said.with_column(column, of(value, nulls, distinct))
        })
    };
    let lies = [
        all(RowCount::Exactly(0), 0, 0),
        all(RowCount::Exactly(1), 1, 1),
        all(RowCount::About(u64::MAX), u64::MAX, u64::MAX),
        // All values of a column differ, and lie side by side.
        all(RowCount::Exactly(200), 0, 200),
        TableEstimates::default().with_column(100, of(Value::Null, 3, 3)),
    ];
    for said in lies {
        let lying = Lies(Stored::new(nasty(), 3, 40, Filters::None), said.clone());
        let (table, provider) = beside(nasty().1, lying);
        for sql in QUERIES {
            assert_eq!(rows(&provider, sql), rows(&table, sql), "{sql} ({said:?})");
        }
    }
}

#[test]
fn they_are_asked_again_where_there_are_more_rows() {
    #[derive(Debug)]
    struct Grows(Arc<AtomicU64>);
    impl TableProvider for Grows {
        fn fields(&self) -> Vec<Field> {
            vec![Field::new("k", DataType::BigInt, false)]
        }
        fn estimates(&self) -> TableEstimates {
            TableEstimates::of(RowCount::Exactly(self.0.load(Ordering::Relaxed)))
        }
        fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
            Numbers(self.0.load(Ordering::Relaxed) as i64, TableEstimates::default()).scan(scan)
        }
    }
    let count = Arc::new(AtomicU64::new(10));
    let session = engine().session();
    session.register_table("t", Grows(Arc::clone(&count))).expect("a table");
    let says =
        |rows: u64| plan(&session, "SELECT k FROM t").iter().any(|line| line.contains(&format!("(rows {rows})")));
    assert!(says(10));
    count.store(100_000, Ordering::Relaxed);
    assert!(says(10), "nobody has looked");
    assert_eq!(rows(&session, "SELECT count(*), max(k) FROM t"), ["100000|99999"]);
    assert!(says(100_000));
}
