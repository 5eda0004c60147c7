//! Tables as partial groups, on the host.

use super::cell::{Cell, CellKind};
use super::host::{Finder, OnHost};
use super::{SEEN, Table};
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::gpu::columns::reach::Reach;
use crate::gpu::stop::{Done, decline};
use crate::partial::PartialGroups;
use crate::partial::keys::{CodeKeys, Keys};
use crate::partial::order::Order;
use crate::partial::state::State;
use crate::partial::state::any_value::{AnyValue, NONE};
use crate::partial::state::extreme::{Best, Extreme};
use crate::partial::state::float_sum::FloatSums;
use crate::partial::state::integer_sum::{IntegerSums, Sums};
use crate::partial::state::logic::{self, Logic};
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::plan::register::Register;
use crate::sums::exact_sum::EXPONENT_MIN;
use std::sync::Arc;

/// Codes up to which each is a group's number.
const FEW: u64 = 1 << 12;

/// What is known of the groups of a table.
pub(crate) fn partial_of_table(layout: Option<&KeyLayout>, table: &Table, finder: &Finder) -> Done<PartialGroups> {
    let is_few = table.groups <= FEW && table.slots.is_none();
    let mut groups = if is_few { OnHost::whole(table)? } else { OnHost::of(table, finder)? };
    let codes = std::mem::take(&mut groups.codes);
    let mut order = Order::Codes;
    let keys = match layout {
        None => Keys::One,
        Some(layout) if table.slots.is_some() => {
            order = Order::FirstRows((0..codes.len() as u64).collect());
            let codes = match layout.width {
                KeyWidth::Bits32 => CodeKeys::Bits32(codes.into_iter().map(|code| code as u32).collect()),
                _ => CodeKeys::Bits64(codes),
            };
            Keys::Hashed { layout: layout.clone(), codes, columns: Vec::new() }
        }
        Some(layout) if is_few => {
            Keys::Numbered { layout: layout.clone(), base: 0, seen: groups.seen.clone(), dense: false }
        }
        Some(layout) => Keys::Listed { layout: layout.clone(), codes },
    };
    let states = table.cells.iter().enumerate().map(|(at, cell)| state(cell, at, &groups));
    Ok(PartialGroups { keys, order, states: states.collect::<Done<Vec<_>>>()? })
}

/// Keys alone.
pub(crate) fn partial_of_bits(layout: &KeyLayout, words: Vec<u64>) -> PartialGroups {
    PartialGroups { keys: Keys::Set { layout: layout.clone(), words }, order: Order::Codes, states: Vec::new() }
}

/// The states of an aggregate.
fn state(cell: &Cell, at: usize, groups: &OnHost<'_>) -> Done<State> {
    let seen = groups.has_argument(at);
    let picked = |word: usize| groups.words(at, word);
    Ok(match cell.kind {
        CellKind::Count => State::Count(picked(0).into_iter().map(|count| count as i64).collect()),
        CellKind::Sum { wide, .. } => {
            let low = picked(0);
            let low: Vec<i128> = match wide {
                true => {
                    let join = |(low, high): (u64, u64)| (u128::from(high) << 64 | u128::from(low)) as i128;
                    low.into_iter().zip(picked(1)).map(join).collect()
                }
                false => low.into_iter().map(|low| (low as i64).into()).collect(),
            };
            if let Some(reach) = cell.reach {
                return Ok(State::Floats(float_sums(reach, low, seen)));
            }
            let high = vec![0; low.len()];
            State::Integers(IntegerSums { sums: Sums::Wide { low, high }, seen })
        }
        CellKind::Extreme { largest } if cell.is_of_floats() => {
            let best =
                picked(0).into_iter().zip(&seen).map(|(word, &seen)| if seen { risen(word, largest) } else { 0.0 });
            State::Extreme(Extreme { largest, best: Best::Floats(best.collect()), seen })
        }
        CellKind::Extreme { largest } => {
            let nothing = if largest { i64::MIN } else { i64::MAX };
            let value = |(word, &seen): (u64, &bool)| {
                let rising = if largest { word } else { !word };
                if seen { (rising ^ 1 << 63) as i64 } else { nothing }
            };
            let best = Best::Narrow(picked(0).into_iter().zip(&seen).map(value).collect());
            State::Extreme(Extreme { largest, best, seen })
        }
        CellKind::Logic { decisive } => {
            let flag = cell.flag.unwrap_or(SEEN);
            let bits = groups.has(flag).into_iter().zip(groups.has(flag << 1));
            let seen = bits.map(|(decides, null)| {
                (if decides { logic::DECISIVE } else { 0 }) | (if null { logic::NULL } else { 0 })
            });
            State::Logic(Logic { decisive, seen: seen.collect() })
        }
        CellKind::Value => {
            let words = picked(0).into_iter().zip(&seen).filter(|(_, seen)| **seen).map(|(word, _)| word).collect();
            values(cell, words, &seen)?
        }
    })
}

/// Sums of floats, in units of the lowest bit of all.
pub(super) fn float_sums(reach: Reach, windows: Vec<i128>, seen: Vec<bool>) -> FloatSums {
    FloatSums::of_windows(windows, EXPONENT_MIN + reach.place() as i32, seen)
}

/// The float of a word of an extreme.
pub(super) fn risen(word: u64, largest: bool) -> f64 {
    let order = if largest { word } else { !word } ^ 1 << 63;
    // The highest bit is a sign again.
    f64::from_bits(if order >> 63 == 0 { order } else { order ^ (u64::MAX >> 1) })
}

/// The values that groups have taken of one of their rows; of those that have seen one.
fn values(cell: &Cell, words: Vec<u64>, seen: &[bool]) -> Done<State> {
    let Some((data_type, register)) = cell.argument else { return decline("bug: a value without an argument") };
    let len = words.len();
    let data = match (register, &cell.dictionary) {
        (Register::Bool, _) => BuilderData::Bool(words.into_iter().map(|word| word != 0).collect()),
        (Register::Text, Some(dictionary)) => {
            let codes = words.into_iter().map(|word| word as u32).collect();
            BuilderData::Code { codes, dictionary: Arc::clone(dictionary) }
        }
        (Register::Text, None) => {
            let Some(carried) = &cell.carried else { return decline("bug: text from nowhere") };
            let mut texts = BuilderText::default();
            words.into_iter().for_each(|word| texts.push(carried.get(word as u32)));
            BuilderData::Text(texts)
        }
        (Register::I32 | Register::I64, _) => BuilderData::I64(words.into_iter().map(|word| word as i64).collect()),
        (Register::F64, _) => BuilderData::F64(words.into_iter().map(f64::from_bits).collect()),
        _ => return decline("bug: a value in a form that no cell has"),
    };
    let mut next = 0;
    let position = |seen: &bool| match seen {
        true => {
            next += 1;
            next - 1
        }
        false => NONE,
    };
    let positions = seen.iter().map(position).collect();
    let arguments = ColumnBuilder { data, valid: None, len };
    Ok(State::Value(AnyValue { data_type, single: false, positions, arguments, rows: len as u32 }))
}
