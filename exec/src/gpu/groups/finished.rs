//! Tables as finished groups, on the host: of those that have something of DISTINCT arguments, which are not there any more, so that
//! nothing could be merged.

use super::cell::{Cell, CellKind};
use super::host::{Finder, OnHost};
use super::partial::{float_sums, risen};
use super::{SEEN, Table};
use crate::backend::Given;
use crate::column::{Column, ColumnData};
use crate::gpu::rows::fetch;
use crate::gpu::stop::{Done, decline};
use crate::plan::key_layout::KeyLayout;
use crate::plan::register::Register;
use crate::plan::tree::ReducePlan;
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use multiloop_planner::types::DataType;
use std::sync::Arc;

/// What it takes to finish groups.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    key_types: Vec<DataType>,
    keys_read: Vec<bool>,
}

impl Finish {
    /// Of groups that are to be finished; none of others.
    pub(crate) fn of(plan: &ReducePlan) -> Option<Self> {
        let finishes = plan.aggregates.iter().any(|aggregate| aggregate.kind.keeps_arguments());
        finishes.then(|| Finish { key_types: plan.key_types.clone(), keys_read: plan.keys_read.clone() })
    }

    /// The groups of a table.
    pub(crate) fn groups(&self, layout: Option<&KeyLayout>, table: &Table, finder: &Finder) -> Done<Given> {
        let Some(layout) = layout else {
            let columns = columns(table, &OnHost::whole(table)?)?;
            return Ok(Given::Rows(fetch::row_set(columns, 1)));
        };
        let groups = OnHost::of(table, finder)?;
        let keys = fetch::typed(fetch::keys(layout, &groups.codes)?, &self.key_types);
        let is_read = |field: usize| self.keys_read.get(field).is_none_or(|&is_read| is_read);
        let mut all: Vec<Column> =
            keys.into_iter().enumerate().filter(|(field, _)| is_read(*field)).map(|(_, key)| key).collect();
        all.extend(columns(table, &groups)?);
        Ok(Given::Groups(fetch::row_set(all, groups.len())))
    }
}

/// The aggregates of some groups.
fn columns(table: &Table, groups: &OnHost<'_>) -> Done<Vec<Column>> {
    table.cells.iter().enumerate().map(|(at, cell)| column(cell, at, groups)).collect()
}

fn column(cell: &Cell, at: usize, groups: &OnHost<'_>) -> Done<Column> {
    let picked = |word: usize| groups.words(at, word);
    let has = |flag: u32| groups.has(flag).into_iter();
    let flag = cell.flag.unwrap_or(SEEN);
    let seen = groups.has_argument(at);
    let valid = || Some(NullBuffer::from(seen.clone()));
    Ok(match cell.kind {
        CellKind::Count => {
            let counts = picked(0).into_iter().map(|count| count as i64);
            Column::new(ColumnData::Int64(counts.collect::<Vec<i64>>().into()), None)
        }
        CellKind::Sum { wide, .. } => {
            let sums: Vec<i128> = match wide {
                true => {
                    let join = |(low, high): (u64, u64)| (u128::from(high) << 64 | u128::from(low)) as i128;
                    picked(0).into_iter().zip(picked(1)).map(join).collect()
                }
                false => picked(0).into_iter().map(|low| (low as i64).into()).collect(),
            };
            if let Some(reach) = cell.reach {
                let sums = float_sums(reach, sums, seen.clone());
                let sum = |group: usize| if seen[group] { sums.sum(group).finish(cell.data_type) } else { Ok(0.0) };
                return match (0..seen.len()).map(sum).collect::<Result<Vec<f64>, _>>() {
                    Ok(sums) => Ok(Column::new(floats(sums, cell.data_type), valid())),
                    Err(_) => decline("a row fails"),
                };
            }
            let Some((low, high)) = cell.data_type.integer_bounds() else { return decline("a sum of another type") };
            if sums.iter().zip(&seen).any(|(sum, &seen)| seen && !(low..=high).contains(sum)) {
                return decline("a row fails");
            }
            let data = match low >= i64::MIN.into() && high <= i64::MAX.into() {
                true => ColumnData::Int64(sums.iter().map(|&sum| sum as i64).collect::<Vec<i64>>().into()),
                false => ColumnData::Int128(sums.into()),
            };
            Column::new(data, valid())
        }
        CellKind::Extreme { largest } if cell.is_of_floats() => {
            let best = picked(0).into_iter().map(|word| risen(word, largest)).collect();
            Column::new(floats(best, cell.data_type), valid())
        }
        CellKind::Extreme { largest } => {
            let value = |word: u64| ((if largest { word } else { !word }) ^ 1 << 63) as i64;
            let best: Vec<i64> = picked(0).into_iter().map(value).collect();
            Column::new(ColumnData::Int64(best.into()), valid())
        }
        CellKind::Logic { decisive } => {
            let decided: Vec<bool> = has(flag).map(|decides| decides == decisive).collect();
            let is_known: Vec<bool> = has(flag).zip(has(flag << 1)).map(|(decides, null)| decides || !null).collect();
            Column::new(ColumnData::Boolean(BooleanBuffer::from(decided)), Some(NullBuffer::from(is_known)))
        }
        CellKind::Value => Column::new(values(cell, picked(0), &seen)?, valid()),
    })
}

/// Floats in the form of their type.
fn floats(values: Vec<f64>, of: DataType) -> ColumnData {
    match of {
        DataType::Real => ColumnData::Float32(values.iter().map(|&value| value as f32).collect()),
        _ => ColumnData::Float64(values.into()),
    }
}

/// The values that groups have taken of one of their rows.
fn values(cell: &Cell, words: Vec<u64>, seen: &[bool]) -> Done<ColumnData> {
    let words = words.into_iter().zip(seen).map(|(word, &seen)| if seen { word } else { 0 });
    Ok(match (cell.argument, &cell.dictionary, &cell.carried) {
        (Some((_, Register::Bool)), ..) => {
            ColumnData::Boolean(BooleanBuffer::from(words.map(|word| word != 0).collect::<Vec<bool>>()))
        }
        (Some((_, Register::Text)), Some(dictionary), _) => ColumnData::Dictionary32 {
            codes: words.map(|word| word as u32).collect::<Vec<u32>>().into(),
            dictionary: Arc::clone(dictionary),
        },
        (Some((_, Register::Text)), None, Some(carried)) => {
            let (mut bytes, mut ends) = (Vec::new(), vec![0i32]);
            for (word, &seen) in words.zip(seen) {
                if seen {
                    bytes.extend_from_slice(carried.get(word as u32));
                }
                match i32::try_from(bytes.len()) {
                    Ok(end) => ends.push(end),
                    Err(_) => return decline("text of more than 2 GiB"),
                }
            }
            ColumnData::Text { offsets: OffsetBuffer::new(ends.into()), bytes: bytes.into() }
        }
        (Some((_, Register::I32 | Register::I64)), ..) => {
            ColumnData::Int64(words.map(|word| word as i64).collect::<Vec<i64>>().into())
        }
        (Some((of, Register::F64)), ..) => floats(words.map(f64::from_bits).collect(), of),
        _ => return decline("bug: a value in a form that no cell has"),
    })
}
