//! Tables that a program could read, as it declares them: what it says is unique, sorted, clustered or never NULL is so, and
//! else they are as nasty as can be.

use crate::random::Choices;
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_planner::catalog::Proofs;
use multiloop_planner::multiloop::{Program, Shape};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// What the rows of a table are like.
#[derive(Clone, Copy, Debug)]
pub struct Nasty {
    /// How many rows the tables have, one after the other and from the first again.
    pub rows: &'static [usize],
    /// How many different values a column has, about; what is unique has as many as there are rows.
    pub distinct: usize,
    /// How far apart integers lie.
    pub stride: i64,
    /// Once in how many rows a value is NULL where it may be; 1: always.
    pub null_once_in: usize,
    /// Rows of a chunk; none: as the builder cuts them, in the narrowest form.
    pub chunk_rows: Option<usize>,
}

/// Steps in which unique values come: no number of rows is a multiple of it.
const STEP: usize = 7919;

/// A table's columns, by position, with what is proven of each.
type Columns = Vec<(Field, Proofs)>;

/// Tables for all handles of a program.
///
/// # Panics
/// If there is no memory for them.
pub fn tables(program: &Program, nasty: Nasty, seed: u64) -> Vec<Arc<Table>> {
    let mut choices = Choices::random(seed);
    let sizes = nasty.rows.iter().cycle();
    columns(program).iter().zip(sizes).map(|(columns, &rows)| table(columns, rows, nasty, &mut choices)).collect()
}

/// The program with the statistics of these tables, by handle.
#[must_use]
pub fn with_statistics(program: &Program, tables: &[Arc<Table>]) -> Program {
    let mut program = program.clone();
    for collection in &mut program.collections {
        if let Shape::Table { handle, statistics, .. } = &mut collection.shape {
            *statistics = Arc::clone(&tables[handle.0 as usize].statistics);
        }
    }
    program
}

/// The columns of each table. What is read of none of them is an integer.
fn columns(program: &Program) -> Vec<Columns> {
    let mut found: Vec<Columns> = Vec::new();
    for collection in &program.collections {
        let Shape::Table { handle, columns, statistics, .. } = &collection.shape else { continue };
        let at = handle.0 as usize;
        found.resize(found.len().max(at + 1), Columns::new());
        for (field, &position) in collection.fields.iter().zip(columns) {
            let (table, position) = (&mut found[at], position as usize);
            let unread = (Field::new("unread", DataType::Integer, true), Proofs::default());
            table.resize(table.len().max(position + 1), unread);
            table[position] = (field.clone(), statistics.columns[position].proofs.clone());
        }
    }
    found
}

fn table(columns: &Columns, rows: usize, nasty: Nasty, choices: &mut Choices) -> Arc<Table> {
    let mut values: Vec<Vec<Value>> = vec![Vec::new(); rows];
    for (field, proofs) in columns {
        let first = choices.pick(rows + 1);
        for (row, values) in values.iter_mut().enumerate() {
            let is_null = field.nullable && !proofs.unique && choices.once_in(nasty.null_once_in);
            // What is unique has every value once, in no order, and none of those that may equal another.
            let pick = if proofs.unique { 8 + (row * STEP + first) % rows } else { choices.pick(nasty.distinct) };
            values.push(if is_null { Value::Null } else { value(field.data_type, pick as i64, nasty.stride) });
        }
    }
    for (at, (_, proofs)) in columns.iter().enumerate() {
        if proofs.sorted || proofs.clustered {
            values.sort_by(|a, b| a[at].compare(&b[at]));
        }
    }
    let fields: Vec<Field> = columns.iter().map(|(field, _)| field.clone()).collect();
    let build = |rows: &[Vec<Value>]| {
        let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, &Context::new(Memory::new(1 << 30)));
        builder.push_values(rows).expect("the values are of their types");
        builder.finish().expect("there is memory")
    };
    let mut table = build(&values);
    if let Some(rows) = nasty.chunk_rows {
        table.chunks = values.chunks(rows).flat_map(|rows| build(rows).chunks).collect();
    }
    Arc::new(table)
}

/// The value of a number: of few types all of them differ.
fn value(data_type: DataType, pick: i64, stride: i64) -> Value {
    const FLOATS: [f64; 8] = [f64::NAN, 0.0, -0.0, 1.5, f64::INFINITY, 1e300, -1e-300, 0.1];
    let spread = (pick - 2) * stride;
    match data_type {
        DataType::Boolean => Value::Boolean(pick % 2 == 0),
        DataType::Double | DataType::Real => {
            let nasty = FLOATS.get(pick as usize).copied().unwrap_or(pick as f64);
            Value::Float(if data_type == DataType::Real { f64::from(nasty as f32) } else { nasty })
        }
        DataType::Decimal { .. } => Value::Decimal(i128::from(spread) * 7),
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) => match pick {
            0 => Value::text(""),
            1 => Value::text("ü"),
            pick => Value::text(format!("t{pick}")),
        },
        DataType::SmallInt => Value::Int(spread % (1 << 14)),
        DataType::Integer => Value::Int(spread % (1 << 30)),
        DataType::Date => Value::Int(spread % 10_000),
        // A month and thirty days are equal.
        DataType::Interval => {
            Value::Interval(Interval { months: (pick % 3) as i32, days: 30 * (pick % 2) as i32, micros: spread % 1000 })
        }
        _ if let Some((of, length)) = data_type.vector_of() => {
            let element = |at: i64| match value(of, (pick + at) % 24, stride) {
                Value::Float(element) => element,
                _ => 0.0,
            };
            Value::Vector((0..i64::from(length)).map(element).collect())
        }
        _ => Value::Int(spread),
    }
}
