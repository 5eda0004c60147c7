//! Evaluates a nested block for all tuples of a tile as a batch (`plan/batch.rs`), with what they capture as columns: no value is
//! boxed on the way in or out.

use super::On;
use crate::collections::made::Made;
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Column, ColumnData};
use crate::cpu::collections::stored::Stored;
use crate::cpu::expression::environment::Collections as _;
use crate::cpu::expression::load::load;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::cpu::vector::rows::{NO_ROW, Rows, Source};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::batch::Batch;
use crate::plan::register::Register;
use crate::workers::context::{Context, Reservation};
use crate::{Error, Result};
use multiloop_planner::types::DataType;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Makes `out` a field of a block for each of `len` tuples, which capture these.
pub(super) fn evaluate(
    around: &Frame<'_>,
    (batch, field): (&Batch, u32),
    captures: &[&Vector],
    len: usize,
    out: &mut Vector,
) -> Result<()> {
    let rows = asking(batch, captures, len, around.shared.context)?;
    let own = FxHashMap::from_iter([(batch.asking, Ok(Made::Host(Arc::new(Stored::Rows(rows)))))]);
    let mut frame = Frame { shared: around.shared, parent: Some(around), captured: around.captured, own };
    frame.lets(batch.block, usize::MAX, On::Here)?;
    let made = frame.get(batch.made)?;
    let mut places = vec![NO_ROW; len];
    let mut numbers = Vector::default();
    let (rows, mut first) = (made.rows()?, 0);
    for chunk in &rows.chunks {
        let source = Source::Chunk { chunk: Arc::clone(chunk), fields: rows.fields.clone() };
        load(&source, 0, &Rows::Range(0), chunk.rows, false, Register::I32, &mut numbers)?;
        let VectorData::I32(numbers) = &numbers.data else { return Err(Error::internal("rows without numbers")) };
        numbers.iter().zip(first..).for_each(|(&number, row)| places[number as usize] = row);
        first += chunk.rows as u32;
    }
    if !batch.exists {
        return frame.lookup(batch.made, places, 1 + field, out);
    }
    let mut bits = out.take_bool();
    bits.fill(len, |tuple| places[tuple] != NO_ROW);
    out.set(len, VectorData::Bool(bits), None);
    Ok(())
}

/// The rows that ask: what each captures, and its number.
fn asking(batch: &Batch, captures: &[&Vector], len: usize, context: &Context) -> Result<RowSet> {
    let mut reservation = Reservation::new(&context.memory);
    let column = |(vector, &data_type): (&&Vector, &DataType)| {
        let mut column = ColumnBuilder::of_type(DataType::Null);
        column.append(vector);
        reservation.add(column.bytes())?;
        column.into_plain_column(data_type)
    };
    let mut columns = captures.iter().zip(&batch.types).map(column).collect::<Result<Vec<Column>>>()?;
    reservation.add(len * size_of::<i32>())?;
    let numbers: Vec<i32> = (0..len as i32).collect();
    columns.push(Column::new(ColumnData::Int32(numbers.into()), None));
    let chunk = Arc::new(Chunk::new(len, columns));
    Ok(RowSet { reservation: Some(Arc::new(reservation)), ..RowSet::new(vec![chunk]) })
}
