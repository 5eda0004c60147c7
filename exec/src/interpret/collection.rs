//! Collections at run time.

use crate::Result;
use crate::column::Table;
use crate::workers::context::Reservation;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::sync::Arc;

/// A row, one value a field.
pub(crate) type Row = Vec<Value>;

/// What a let defines, and the memory that it holds.
pub(super) struct Data {
    form: Form,
    #[allow(dead_code, reason = "it is held, and given back when the collection goes")]
    memory: Reservation,
}

/// The forms of a collection.
pub(super) enum Form {
    /// A table; a column is unpacked when it is first read.
    Table { table: Arc<Table>, columns: Vec<TableColumn> },
    /// Rows, of which a Reduce has one.
    Rows(Vec<Row>),
    /// Buckets of rows: of a BucketCollect. Positions are by the keys' [`Value::group_key`].
    Buckets { positions: FxHashMap<Row, usize>, keys: Vec<Row>, members: Vec<Vec<Row>> },
    /// Groups: of a BucketReduce. A row is key and aggregates; `empty` is what the aggregates are of no rows.
    Groups { positions: FxHashMap<Row, usize>, rows: Vec<Row>, empty: Row },
}

/// A column of a table and, once it has been read, its values.
pub(super) struct TableColumn {
    position: usize,
    values: OnceCell<Vec<Value>>,
}

impl Data {
    /// A collection of this form, whose rows `memory` has been charged for.
    pub(super) fn new(form: Form, memory: Reservation) -> Self {
        Data { form, memory }
    }

    /// The columns of a table that a program reads.
    pub(super) fn table(table: Arc<Table>, columns: &[u32], mut memory: Reservation) -> Result<Self> {
        memory.add(table.rows() * columns.len() * size_of::<Value>())?;
        let (table, columns) = if table.is_lazy() {
            let fields = columns.iter().map(|&column| table.fields[column as usize].clone()).collect();
            let chunks = table.read(columns, None)?.into();
            (Arc::new(Table { chunks, ..Table::empty(fields) }), (0..columns.len() as u32).collect())
        } else {
            (table, columns.to_vec())
        };
        let column = |position: &u32| TableColumn { position: *position as usize, values: OnceCell::new() };
        let columns = columns.iter().map(column).collect();
        Ok(Data::new(Form::Table { table, columns }, memory))
    }

    /// How many rows a `Rows` index goes over: of buckets and groups, how many there are.
    pub(super) fn rows(&self) -> usize {
        match &self.form {
            Form::Table { table, .. } => table.rows(),
            Form::Rows(rows) | Form::Groups { rows, .. } => rows.len(),
            Form::Buckets { keys, .. } => keys.len(),
        }
    }

    /// A field of a row; of buckets, of the key.
    pub(super) fn value(&self, row: usize, field: u32) -> Value {
        match &self.form {
            Form::Table { table, columns } => columns[field as usize].values(table)[row].clone(),
            Form::Rows(rows) | Form::Groups { rows, .. } => rows[row][field as usize].clone(),
            Form::Buckets { keys, .. } => keys[row][field as usize].clone(),
        }
    }

    /// A field of a row of a bucket.
    pub(super) fn member(&self, bucket: usize, row: usize, field: u32) -> Value {
        match &self.form {
            Form::Buckets { members, .. } => members[bucket][row][field as usize].clone(),
            _ => panic!("bug: only a BucketCollect has members"),
        }
    }

    /// How many rows a bucket has.
    pub(super) fn members(&self, bucket: usize) -> usize {
        match &self.form {
            Form::Buckets { members, .. } => members[bucket].len(),
            _ => panic!("bug: only a BucketCollect has members"),
        }
    }

    /// The bucket or group of a key, each part by its [`Value::group_key`].
    pub(super) fn find(&self, key: &Row) -> Option<usize> {
        match &self.form {
            Form::Buckets { positions, .. } | Form::Groups { positions, .. } => positions.get(key).copied(),
            _ => panic!("bug: only buckets and groups have keys"),
        }
    }

    /// What a lookup of a key that is not there gives for this field.
    pub(super) fn empty(&self, field: u32) -> Value {
        match &self.form {
            Form::Groups { empty, .. } => empty[field as usize].clone(),
            _ => panic!("bug: only a BucketReduce is looked up"),
        }
    }

    /// All rows that a `Rows` index goes over.
    pub(super) fn all_rows(&self) -> Vec<Row> {
        match &self.form {
            Form::Table { columns, .. } => {
                let row = |row| (0..columns.len() as u32).map(|field| self.value(row, field)).collect();
                (0..self.rows()).map(row).collect()
            }
            Form::Rows(rows) | Form::Groups { rows, .. } => rows.clone(),
            Form::Buckets { keys, .. } => keys.clone(),
        }
    }
}

/// Charges a row that is kept.
pub(super) fn charge(memory: &mut Reservation, row: &[Value]) -> Result<()> {
    let behind = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Vector(elements) => size_of_val::<[f64]>(elements),
        _ => 0,
    };
    memory.add(row.iter().map(|value| size_of::<Value>() + behind(value)).sum())
}

impl TableColumn {
    fn values(&self, table: &Table) -> &[Value] {
        self.values.get_or_init(|| {
            let data_type = table.fields[self.position].data_type;
            let chunks = table.chunks.iter();
            let values = chunks.flat_map(|chunk| {
                let column = &chunk.columns[self.position];
                (0..chunk.rows).map(move |row| column.value(row, data_type))
            });
            values.collect()
        })
    }
}
