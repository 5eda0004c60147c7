//! What the device keeps, and how it comes to the host.

use super::data::Row;
use super::generate::Made;
use crate::backend::{Given, Held};
use crate::collections::rows::RowSet;
use crate::column::Table;
use crate::plan::tree::GeneratorKind;
use crate::workers::context::{Context, Memory, Reservation};
use crate::{Error, Result};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a generator made.
#[derive(Debug)]
pub(super) struct Keeps {
    kind: GeneratorKind,
    made: Made,
    fetched: AtomicBool,
    _reservation: Reservation,
}

impl Keeps {
    pub(super) fn new(kind: GeneratorKind, made: Made, memory: &Arc<Memory>) -> Result<Self> {
        let mut reservation = Reservation::new(memory);
        let rows = match &made {
            Made::Rows(rows) | Made::Groups { rows, .. } => rows.iter().map(Vec::len).sum(),
            Made::Buckets { members, .. } => members.iter().flatten().map(Vec::len).sum(),
            Made::Offered(_) => 0,
        };
        reservation.add(rows * size_of::<Value>())?;
        Ok(Keeps { kind, made, fetched: AtomicBool::new(false), _reservation: reservation })
    }

    /// How many rows; of buckets how many of these.
    pub(super) fn row_count(&self) -> usize {
        self.all().len()
    }

    /// The rows; of buckets the keys.
    fn all(&self) -> &[Row] {
        match &self.made {
            Made::Rows(rows) | Made::Groups { rows, .. } => rows,
            Made::Buckets { keys, .. } => keys,
            Made::Offered(_) => &[],
        }
    }

    /// A field of a row; of buckets of the key.
    pub(super) fn value(&self, row: usize, field: u32) -> Value {
        self.all().get(row).and_then(|row| row.get(field as usize)).cloned().unwrap_or(Value::Null)
    }

    /// The rows of a bucket.
    pub(super) fn members(&self, bucket: usize) -> &[Row] {
        if let Made::Buckets { members, .. } = &self.made { &members[bucket] } else { &[] }
    }

    /// What a lookup gives that finds nothing.
    pub(super) fn empty(&self) -> &Row {
        const NONE: &Row = &Row::new();
        if let Made::Groups { empty, .. } = &self.made { empty } else { NONE }
    }
}

impl Held for Keeps {
    fn rows(&self) -> Result<usize> {
        Ok(match &self.made {
            Made::Buckets { members, .. } => members.iter().map(Vec::len).sum(),
            _ => self.row_count(),
        })
    }

    fn key_range(&self) -> Option<(i128, i128)> {
        let has_keys = match &self.kind {
            GeneratorKind::BucketCollect(_) => true,
            GeneratorKind::Reduce(reduce) => reduce.key.is_some(),
            GeneratorKind::Collect { .. } | GeneratorKind::TopK(_) => false,
        };
        if !has_keys {
            return None;
        }
        let number = |row: &Row| match row.first()? {
            Value::Null => Some(None),
            Value::Int(value) => Some(Some(i128::from(*value))),
            Value::Decimal(value) => Some(Some(*value)),
            _ => None,
        };
        let keys = self.all().iter().map(number).collect::<Option<Vec<_>>>()?;
        let keys = keys.into_iter().flatten();
        Some(keys.fold((0, -1), |(low, high), key| if low > high { (key, key) } else { (low.min(key), high.max(key)) }))
    }

    fn fetch(&self, context: &Context) -> Result<Given> {
        context.check()?;
        if self.fetched.swap(true, Ordering::Relaxed) {
            return Err(Error::internal("what a device keeps was fetched twice"));
        }
        given(&self.kind, &self.made)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What a generator made, as it is handed over.
pub(super) fn given(kind: &GeneratorKind, made: &Made) -> Result<Given> {
    Ok(match (kind, made) {
        (GeneratorKind::Collect { types, .. }, Made::Rows(rows)) => Given::Rows(row_set(types, rows)),
        (GeneratorKind::TopK(top_k), Made::Rows(rows)) => {
            let types = &top_k.types[top_k.order.len()..];
            Given::Rows(row_set(types, rows))
        }
        (GeneratorKind::Reduce(reduce), Made::Rows(rows)) => {
            let types: Vec<DataType> = reduce.aggregates.iter().map(|aggregate| aggregate.kind.data_type).collect();
            Given::Rows(row_set(&types, rows))
        }
        (GeneratorKind::Reduce(reduce), Made::Groups { rows, .. }) => {
            let aggregates = reduce.aggregates.iter().map(|aggregate| aggregate.kind.data_type);
            let types = reduce.read_types(reduce.key_types.iter().copied().chain(aggregates).collect());
            let is_read = |field: usize| reduce.keys_read.get(field).is_none_or(|&is_read| is_read);
            let read =
                |row: &Row| (0..row.len()).filter(|&field| is_read(field)).map(|field| row[field].clone()).collect();
            let rows: Vec<Row> = rows.iter().map(read).collect();
            Given::Groups(row_set(&types, &rows))
        }
        (GeneratorKind::BucketCollect(bucket), Made::Buckets { keys, members }) => {
            let types: Vec<DataType> = bucket.key_types.iter().chain(&bucket.types).copied().collect();
            let with_key = |(key, members): (&Row, &Vec<Row>)| {
                members.iter().map(|member| key.iter().chain(member).cloned().collect()).collect::<Vec<Row>>()
            };
            let rows: Vec<Row> = keys.iter().zip(members).flat_map(with_key).collect();
            Given::Members(row_set(&types, &rows))
        }
        _ => return Err(Error::internal("rows that nobody has folded")),
    })
}

/// Values as rows of these types.
fn row_set(types: &[DataType], rows: &[Row]) -> RowSet {
    let field = |(number, &data_type): (usize, &DataType)| Field::new(format!("field{number}"), data_type, true);
    let fields: Vec<Field> = types.iter().enumerate().map(field).collect();
    RowSet { rows: rows.len(), ..RowSet::of(Table::from_values(fields, rows).chunks) }
}
