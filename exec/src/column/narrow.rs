//! The two forms of a NUMERIC column. One of a declared scale, or all of whose numbers show the same, is stored as
//! decimals, which are integers: `narrowed` finds such columns in a loaded table. Any other is stored as text.
//!
//! A column that is to be appended to may have the other form, or another scale: `alike` gives both sides one.

use super::compact::compact;
use super::statistics::Summary;
use super::{Chunk, Column, ColumnData, Table};
use crate::Result;
use crate::workers::context::Context;
use multiloop_planner::evaluate::decimal::digits_of;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The integers of one scale that a chunk's numbers are. The scale is None of no number.
struct Narrow {
    integers: Vec<i128>,
    scale: Option<u32>,
}

impl Table {
    /// The same rows, those numerics as decimals that are of one scale and few enough digits. Columns that are `chosen`
    /// and decimals already have as many digits as their largest number needs.
    pub fn narrowed(mut self, chosen: &[bool], context: &Context) -> Result<Table> {
        let mut changed = false;
        for index in 0..self.fields.len() {
            context.check()?;
            match self.fields[index].data_type {
                DataType::Numeric => changed |= self.narrow(index, context)?,
                DataType::Decimal { scale, .. } if chosen.get(index) == Some(&true) => {
                    let bounds = &self.statistics.columns[index];
                    let bounds = [&bounds.proofs.min, &bounds.proofs.max].map(|bound| match bound {
                        Some(Value::Decimal(bound)) => Some(bound.unsigned_abs()),
                        _ => None,
                    });
                    if let [Some(min), Some(max)] = bounds {
                        self.fields[index].data_type = decimal_of(min.max(max), scale);
                    }
                }
                _ => {}
            }
        }
        Ok(if changed { self.measured(Some(context)) } else { self })
    }

    /// The same rows, those decimals as numerics that are `chosen`.
    pub fn as_numerics(mut self, chosen: &[bool], context: &Context) -> Result<Table> {
        let mut changed = false;
        for index in (0..self.fields.len()).filter(|&index| chosen.get(index) == Some(&true)) {
            context.check()?;
            if self.fields[index].data_type != DataType::Numeric {
                self.in_form(index, DataType::Numeric, context)?;
                changed = true;
            }
        }
        Ok(if changed { self.measured(Some(context)) } else { self })
    }

    /// Makes a numeric column decimals, if it can be.
    fn narrow(&mut self, index: usize, context: &Context) -> Result<bool> {
        let workers = context.workers();
        let narrow = workers.all(self.chunks.len(), |chunk| narrow(&self.chunks[chunk].columns[index]));
        let Some(narrow) = narrow.into_iter().collect::<Option<Vec<Narrow>>>() else { return Ok(false) };
        let Some(scale) = narrow.iter().find_map(|chunk| chunk.scale) else { return Ok(false) };
        if narrow.iter().any(|chunk| chunk.scale.is_some_and(|other| other != scale)) {
            return Ok(false);
        }
        let Some(scale) = u8::try_from(scale).ok().filter(|scale| *scale <= DECIMAL_DIGITS_MAX) else {
            return Ok(false);
        };
        let largest = narrow.iter().flat_map(|chunk| &chunk.integers).map(|integer| integer.unsigned_abs()).max();
        let largest = largest.unwrap_or(0);
        if digits_of(largest) > DECIMAL_DIGITS_MAX {
            return Ok(false);
        }
        let data_type = decimal_of(largest, scale);
        let field = Field { data_type, ..self.fields[index].clone() };
        let chunks = self.chunks.iter().zip(narrow).collect();
        let columns = workers.map(chunks, |(chunk, narrow): (&Arc<Chunk>, Narrow)| {
            let nulls = chunk.columns[index].nulls.clone();
            compact(&[Column::new(ColumnData::Int128(narrow.integers.into()), nulls)], &field, false)
        })?;
        self.replace(index, data_type, columns, context)?;
        Ok(true)
    }

    /// Puts another column in the place of one.
    fn replace(&mut self, index: usize, data_type: DataType, columns: Vec<Column>, context: &Context) -> Result<()> {
        self.fields[index].data_type = data_type;
        self.chunks.change(|chunks| {
            for (chunk, column) in chunks.iter_mut().zip(columns) {
                let mut with = Chunk::clone(chunk);
                with.ranges[index] = Summary::of(&column, data_type).zone();
                with.columns[index] = column;
                *chunk = with.counted(0, context)?;
            }
            Ok(())
        })
    }

    /// The same rows, a column of numbers in the form of another type that holds them.
    fn in_form(&mut self, index: usize, data_type: DataType, context: &Context) -> Result<()> {
        let from = self.fields[index].data_type;
        let field = Field { data_type, ..self.fields[index].clone() };
        let column = |chunk: &Arc<Chunk>| {
            let value = |row: usize| match chunk.columns[index].value(row, from) {
                Value::Decimal(unscaled) if data_type == DataType::Numeric => {
                    Value::numeric(Numeric::new(unscaled, from.scale().into()))
                }
                value => value,
            };
            let values: Vec<Value> = (0..chunk.rows).map(value).collect();
            compact(&[Column::from_values(data_type, &values)], &field, false)
        };
        let columns = context.workers().map(self.chunks.iter().collect(), column)?;
        self.replace(index, data_type, columns, context)
    }

    fn has_no_number(&self, index: usize) -> bool {
        self.statistics.columns[index].proofs.nulls == self.statistics.rows
    }
}

/// Two tables of the same columns with their numerics, which are `chosen`, in one form.
pub fn alike(mut a: Table, mut b: Table, chosen: &[bool], context: &Context) -> Result<(Table, Table)> {
    let mut changed = [false; 2];
    for index in (0..a.fields.len()).filter(|&index| chosen.get(index) == Some(&true)) {
        let (of_a, of_b) = (a.fields[index].data_type, b.fields[index].data_type);
        if of_a == of_b {
            continue;
        }
        let common = match (of_a, of_b) {
            (DataType::Decimal { precision: p, scale }, DataType::Decimal { precision: q, scale: other })
                if scale == other =>
            {
                let common = DataType::decimal(p.max(q), scale);
                a.fields[index].data_type = common;
                b.fields[index].data_type = common;
                continue;
            }
            _ if a.has_no_number(index) => of_b,
            _ if b.has_no_number(index) => of_a,
            _ => DataType::Numeric,
        };
        for (table, changed) in [&mut a, &mut b].into_iter().zip(&mut changed) {
            if table.fields[index].data_type != common {
                table.in_form(index, common, context)?;
                *changed = true;
            }
        }
    }
    let measured = |table: Table, changed| if changed { table.measured(Some(context)) } else { table };
    Ok((measured(a, changed[0]), measured(b, changed[1])))
}

/// Numbers, which are texts, as decimals of a scale; none if one of them is of another scale, or longer.
pub fn decimals(column: &Column, scale: u8) -> Option<Column> {
    let narrow = narrow(column)?;
    let fits = narrow.scale.is_none_or(|of| of == u32::from(scale));
    fits.then(|| Column::new(ColumnData::Int128(narrow.integers.into()), column.nulls.clone()))
}

/// The decimal type of a scale that has just the digits of a number.
fn decimal_of(largest: u128, scale: u8) -> DataType {
    DataType::decimal(digits_of(largest).max(scale).clamp(1, DECIMAL_DIGITS_MAX), scale)
}

/// The numbers of a column as integers, if all are of one scale and 128 bits hold them.
fn narrow(column: &Column) -> Option<Narrow> {
    let mut integers = Vec::with_capacity(column.rows());
    let mut common = None;
    for row in 0..column.rows() {
        if column.is_null(row) {
            integers.push(0);
            continue;
        }
        let SmallNumeric { unscaled, scale } = SmallNumeric::decode(column.text(row)?)?;
        if *common.get_or_insert(scale) != scale {
            return None;
        }
        integers.push(unscaled);
    }
    Some(Narrow { integers, scale: common })
}
