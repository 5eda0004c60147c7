//! Lookups in the collections computed so far: by key, existence, single rows, nested blocks.

use crate::collections::made::Made;
use crate::column::{Column, ColumnData};
use crate::cpu::collections::bindings::Captured;
use crate::cpu::expression::environment::{Collections, Neighbours};
use crate::cpu::expression::interchange::Interchange;
use crate::cpu::expression::load::load;
use crate::cpu::keys::integer::Key;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::searched;
use crate::cpu::reduce::neighbours::OwnLoop;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::builder::register_of;
use crate::cpu::vector::rows::{NO_ROW, Rows, Source};
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::code_range::KeyRange;
use crate::plan::register::Register;
use crate::workers::context::Context;
use crate::{Error, Result};
use multiloop_planner::multiloop::{BlockId, CollectionId, IndexId};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::time::Duration;

impl Collections for Frame<'_> {
    fn context(&self) -> Option<&Context> {
        Some(self.shared.context)
    }

    fn integer_keys(&self, collection: CollectionId) -> Result<Option<KeyRange>> {
        Ok(self.get(collection)?.integer_keys())
    }

    fn key_range(&self, collection: CollectionId, part: usize) -> Result<Option<(i128, i128)>> {
        let made = self.made(collection)?;
        Ok(match (made.on_host(), &made) {
            (Some(stored), _) => stored?.key_range(part),
            // An empty one says that no key is an integer: one may be NULL all the same.
            (None, Made::Held(kept)) => kept.held.key_range().filter(|(low, high)| part == 0 && low <= high),
            (None, Made::Host(_)) => None,
        })
    }

    fn neighbours(&self, collection: CollectionId) -> Result<Option<Box<dyn Neighbours + '_>>> {
        Ok(self.maker(collection)?.map(|maker| Box::new(OwnLoop::new(maker, self)) as Box<dyn Neighbours + '_>))
    }

    fn find(&self, collection: CollectionId, key: &Key<'_>, len: usize, rows: &mut Vec<u32>) -> Result<()> {
        self.get(collection)?.groups()?.find(key, len, rows)
    }

    fn lookup(&self, collection: CollectionId, rows: Vec<u32>, field: u32, out: &mut Vector) -> Result<()> {
        let stored = self.get(collection)?;
        let (groups, len) = (stored.groups()?, rows.len());
        let data_type = self.field_type(collection, field);
        let empty = groups.empty.get(field as usize).ok_or_else(|| Error::internal("looked up a key"))?;
        let Some(chunk) = groups.rows.chunks.first() else {
            out.set_constant(len, empty, register_of(data_type));
            return Ok(());
        };
        let missing = rows.contains(&NO_ROW);
        let field = groups.rows.position(field);
        let register = register_for(&chunk.columns[field as usize], data_type);
        let rows = Rows::List(rows);
        load(&Source::chunk(chunk.clone()), field, &rows, len, missing, register, out)?;
        if missing && !empty.is_null() {
            fill_missing(out, &rows, len, empty, data_type);
        }
        Ok(())
    }

    fn element(
        &self,
        collection: CollectionId,
        rows: Vec<u32>,
        field: u32,
        register: Register,
        out: &mut Vector,
    ) -> Result<()> {
        let stored = self.get(collection)?;
        let (table, len, missing) = (stored.rows()?, rows.len(), rows.contains(&NO_ROW));
        if table.rows == 0 {
            out.set_constant(len, &Value::Null, register);
            return Ok(());
        }
        let source = self.shared.elements.get(&(collection, field));
        let source = source.ok_or_else(|| Error::internal("the table of an element is not known"))?;
        let Some(source) = source else {
            // Chunks of all lengths: tables that were put together from what came.
            let data_type = self.field_type(collection, field);
            let values: Vec<Value> = rows.iter().map(|&row| table.value(row, field, data_type)).collect();
            out.set_values(&values, register);
            return Ok(());
        };
        load(source, 0, &Rows::List(rows), len, missing, register, out)
    }

    fn exists(&self, collection: CollectionId, key: &Key<'_>, len: usize, out: &mut Bitmap) -> Result<()> {
        self.get(collection)?.contains(key, len, out)
    }

    fn single(&self, collection: CollectionId, field: u32) -> Result<Value> {
        self.get(collection)?.rows()?.single(field, self.field_type(collection, field))
    }

    fn nested(&self, block: BlockId, field: u32, captured: &Captured) -> Result<Value> {
        self.shared.driver.nested(self, block, field, captured)
    }

    fn nested_searched(
        &self,
        asked: (BlockId, u32),
        captures: &[(IndexId, u32, u32)],
        asking: &[Vec<Value>],
    ) -> Result<Option<Vec<Option<Value>>>> {
        searched::answers(self, asked, captures, asking)
    }

    fn nested_unmeasured(&self, block: BlockId) -> usize {
        searched::unmeasured(self, block)
    }

    fn nested_took(&self, block: BlockId, rows: usize, time: Duration) {
        searched::took(self, block, rows, time);
    }

    fn interchange(&self, block: BlockId) -> Result<Option<Interchange<'_>>> {
        let Some(interchanged) = self.shared.plan.interchanged.get(&block) else { return Ok(None) };
        let Some(of) = self.shared.plan.loop_of(interchanged.block, 0) else { return Ok(None) };
        let (over, types) = (self.get(interchanged.over)?, self.shared.plan.types(interchanged.over));
        Ok(Some(Interchange { plan: interchanged, of, over, types }))
    }

    fn nested_columns(
        &self,
        (block, field): (BlockId, u32),
        captures: &[&Vector],
        len: usize,
        out: &mut Vector,
    ) -> Result<bool> {
        let Some(batch) = self.shared.plan.batches.get(&block) else { return Ok(false) };
        if !searched::has_small_buckets(self, batch)? {
            return Ok(false);
        }
        self.shared.driver.nested_columns(self, (batch, field), captures, len, out).map(|()| true)
    }

    fn nested_batch(&self, block: BlockId, field: u32, asking: &[Vec<Value>]) -> Result<Option<Vec<Value>>> {
        let Some(batch) = self.shared.plan.batches.get(&block) else { return Ok(None) };
        self.shared.driver.nested_batch(self, batch, field, asking).map(Some)
    }
}

/// The narrowest register that holds every value of a column.
pub(super) fn register_for(column: &Column, data_type: DataType) -> Register {
    let stepped = |base: i64, step: i64, span: u32| {
        let fits = |value: i64| i32::try_from(value).is_ok();
        let most = base.saturating_add(step.saturating_mul(span.into()));
        if fits(base) && fits(most) { Register::I32 } else { Register::I64 }
    };
    let frame = |base: i64, span: u32| stepped(base, 1, span);
    match &column.data {
        ColumnData::Frame8 { base, .. } => frame(*base, u8::MAX.into()),
        ColumnData::Frame16 { base, .. } => frame(*base, u16::MAX.into()),
        ColumnData::Frame32 { base, .. } => frame(*base, u32::MAX),
        ColumnData::Stepped8 { base, step, .. } => stepped(*base, *step, u8::MAX.into()),
        ColumnData::Stepped16 { base, step, .. } => stepped(*base, *step, u16::MAX.into()),
        ColumnData::Stepped32 { base, step, .. } => stepped(*base, *step, u32::MAX),
        ColumnData::Int16(_) | ColumnData::Int32(_) => Register::I32,
        ColumnData::Int64(_) => Register::I64,
        ColumnData::Int128(_) => Register::I128,
        _ => register_of(data_type),
    }
}

/// Puts the answer of no rows wherever no group was found: what counts and the logical aggregates need.
fn fill_missing(out: &mut Vector, rows: &Rows, len: usize, empty: &Value, data_type: DataType) {
    let missing = |tuple: usize| rows.get(tuple) == NO_ROW;
    let integer = match empty {
        Value::Int(value) => Some(i128::from(*value)),
        Value::Boolean(value) => Some((*value).into()),
        _ => None,
    };
    match (&mut out.data, integer) {
        (VectorData::I32(values), Some(integer)) => {
            (0..len).filter(|&tuple| missing(tuple)).for_each(|tuple| values[tuple] = integer as i32);
        }
        (VectorData::I64(values), Some(integer)) => {
            (0..len).filter(|&tuple| missing(tuple)).for_each(|tuple| values[tuple] = integer as i64);
        }
        (VectorData::I128(values), Some(integer)) => {
            (0..len).filter(|&tuple| missing(tuple)).for_each(|tuple| values[tuple] = integer);
        }
        (VectorData::Bool(bits), Some(integer)) => {
            (0..len).filter(|&tuple| missing(tuple)).for_each(|tuple| bits.set(tuple, integer != 0));
        }
        _ => {
            let value = |tuple: usize| if missing(tuple) { empty.clone() } else { out.value(tuple, data_type) };
            let values: Vec<Value> = (0..len).map(value).collect();
            out.set_values(&values, register_of(data_type));
            return;
        }
    }
    let nulls = out.nulls.take().map(|mut valid| {
        (0..len).filter(|&tuple| missing(tuple)).for_each(|tuple| valid.set(tuple, true));
        valid
    });
    out.nulls = nulls.filter(|valid| !valid.is_full());
}
