//! Providers beside tables of the same rows, and providers that fail, panic, lie, grow, take their time and call the engine.

mod estimates;
mod lazy;
mod misuse;
mod same_rows;
mod types;
mod within;

use super::{ColumnRange, ProviderError, Scan, TablePart, TableProvider};
use crate::{DataType, Engine, Field, Session, Value};
use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Date32Type, Decimal128Type, Float64Type, Int64Type};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What a store does with the conditions that it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filters {
    /// Leaves them to the engine.
    None,
    /// Leaves out each row that does not meet them.
    All,
}

/// How the parts of a store are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    /// Batch by batch.
    Batches,
    /// When loops ask for columns.
    Lazy,
    /// Every second one when loops ask.
    Both,
}

/// A batch as a provider, in so many parts of batches of so many rows. It notes what it is asked.
#[derive(Debug)]
struct Stored {
    fields: Vec<Field>,
    rows: RecordBatch,
    parts: usize,
    batch_rows: usize,
    filters: Filters,
    read: Parts,
    asked: Arc<Mutex<Vec<Scan>>>,
}

/// Values of each type, NULLs among them: what is on the edge of something comes more than once.
fn nasty() -> (Vec<Field>, RecordBatch) {
    let integers = [None, Some(0), Some(1), Some(-1), Some(7), Some(7), Some(i64::MAX), Some(i64::MIN), Some(100)];
    let floats = [
        None,
        Some(f64::NAN),
        Some(0.0),
        Some(-0.0),
        Some(1.5),
        Some(f64::INFINITY),
        Some(f64::NEG_INFINITY),
        Some(1.5),
    ];
    let texts = [None, Some(""), Some("a"), Some("ab"), Some("abc"), Some("b%"), Some("ä"), Some("ab")];
    let decimals = [None, Some(0), Some(-1), Some(999_999), Some(100), Some(101), Some(100)];
    let (mut k, mut f, mut t, mut d) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for row in 0..200 {
        k.push(integers[row % integers.len()]);
        f.push(floats[row * 3 % floats.len()]);
        t.push(texts[row * 5 % texts.len()]);
        d.push(decimals[row % decimals.len()]);
    }
    let number: ArrayRef = Arc::new(Int64Array::from_iter_values(0..200));
    let decimals = Decimal128Array::from(d).with_precision_and_scale(10, 2).expect("a decimal");
    let days: Date32Array = (0..200).map(|row| (row % 11 != 3).then_some(row % 40 - 20)).collect();
    let flags: BooleanArray = (0..200).map(|row| [Some(true), None, Some(false)][row % 3]).collect();
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("n", number, false),
        ("k", Arc::new(Int64Array::from(k)) as ArrayRef, true),
        ("f", Arc::new(Float64Array::from(f)) as ArrayRef, true),
        ("t", Arc::new(StringArray::from(t)) as ArrayRef, true),
        ("d", Arc::new(decimals) as ArrayRef, true),
        ("day", Arc::new(days) as ArrayRef, true),
        ("flag", Arc::new(flags) as ArrayRef, true),
    ]);
    let fields = vec![
        Field::new("n", DataType::BigInt, false),
        Field::new("k", DataType::BigInt, true),
        Field::new("f", DataType::Double, true),
        Field::new("t", DataType::Text, true),
        Field::new("d", DataType::decimal(10, 2), true),
        Field::new("day", DataType::Date, true),
        Field::new("flag", DataType::Boolean, true),
    ];
    (fields, rows.expect("arrays of one length"))
}

/// A value of an array.
fn value(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        arrow::datatypes::DataType::Int64 => Value::Int(array.as_primitive::<Int64Type>().value(row)),
        arrow::datatypes::DataType::Date32 => Value::Int(array.as_primitive::<Date32Type>().value(row).into()),
        arrow::datatypes::DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row)),
        arrow::datatypes::DataType::Decimal128(..) => Value::Decimal(array.as_primitive::<Decimal128Type>().value(row)),
        arrow::datatypes::DataType::Utf8 => Value::text(array.as_string::<i32>().value(row)),
        _ => Value::Boolean(array.as_boolean().value(row)),
    }
}

impl Stored {
    fn new((fields, rows): (Vec<Field>, RecordBatch), parts: usize, batch_rows: usize, filters: Filters) -> Self {
        Stored { fields, rows, parts, batch_rows, filters, read: Parts::Batches, asked: Arc::default() }
    }

    fn read(self, read: Parts) -> Self {
        Stored { read, ..self }
    }
}

impl TableProvider for Stored {
    fn fields(&self) -> Vec<Field> {
        self.fields.clone()
    }

    fn scan(&self, scan: &Scan) -> Result<Vec<TablePart>, ProviderError> {
        self.asked.lock().expect("nobody panics").push(scan.clone());
        let mut rows = self.rows.clone();
        if self.filters == Filters::All {
            let meets = |row: usize| {
                scan.conditions.iter().all(|condition| condition.holds(&value(rows.column(condition.column), row)))
            };
            let mask: BooleanArray = (0..rows.num_rows()).map(|row| Some(meets(row))).collect();
            rows = filter_record_batch(&rows, &mask)?;
            if let Some(limit) = scan.limit {
                rows = rows.slice(0, rows.num_rows().min(limit as usize));
            }
        }
        let each = rows.num_rows().div_ceil(self.parts).max(1);
        let batch_rows = self.batch_rows;
        let part = |start: usize| {
            let all = rows.slice(start, each.min(rows.num_rows() - start));
            let numbers = (0..all.num_rows()).map(|row| value(all.column(0), row));
            let (mut min, mut max) = (None, None);
            for number in numbers {
                min.get_or_insert_with(|| number.clone());
                max = Some(number);
            }
            let range = ColumnRange { min, max, nulls: Some(0) };
            let is_second = start / each % 2 == 1;
            if self.read == Parts::Lazy || (self.read == Parts::Both && is_second) {
                let read =
                    move |column: usize, rows: Range<usize>| Ok(all.column(column).slice(rows.start, rows.len()));
                return TablePart::lazy(each.min(rows.num_rows() - start), read).with_range(0, range);
            }
            let columns = scan.columns.clone();
            let batches = (0..all.num_rows())
                .step_by(batch_rows)
                .map(move |from| Ok(all.slice(from, batch_rows.min(all.num_rows() - from)).project(&columns)?));
            TablePart::new(batches).with_range(0, range)
        };
        Ok((0..rows.num_rows()).step_by(each).map(part).collect())
    }
}

fn engine() -> Engine {
    Engine::builder().threads(3).build().expect("an engine")
}

/// The rows of a query as text, in an order of their own; an error by its SQLSTATE.
fn rows(session: &Session, sql: &str) -> Vec<String> {
    let batches = session.sql(sql).and_then(crate::ResultStream::collect_batches);
    let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut rows: Vec<String> = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let one = batch.columns().iter().map(|column| match column.is_null(row) {
                true => "NULL".to_owned(),
                false => arrow::util::display::array_value_to_string(column, row).expect("a text"),
            });
            rows.push(one.collect::<Vec<_>>().join("|"));
        }
    }
    rows.sort();
    rows
}
