//! Tables as partial groups, on the host.

use super::cell::{Cell, CellKind};
use super::{SEEN, Table};
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::gpu::driver::{Buffer, Plain};
use crate::gpu::stop::{Done, decline};
use crate::partial::PartialGroups;
use crate::partial::keys::{CodeKeys, Keys};
use crate::partial::order::Order;
use crate::partial::state::State;
use crate::partial::state::any_value::{AnyValue, NONE};
use crate::partial::state::extreme::{Best, Extreme};
use crate::partial::state::integer_sum::{IntegerSums, Sums};
use crate::partial::state::logic::{self, Logic};
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::plan::register::Register;
use std::sync::Arc;

/// Codes up to which each is a group's number.
const FEW: u64 = 1 << 12;

/// Bytes of a table up to which it comes to the host at once.
const AT_ONCE: usize = 1 << 22;

/// The memory of a table, on the host if it is small.
pub(super) struct OnHost {
    address: u64,
    bytes: Option<Vec<u8>>,
}

impl OnHost {
    pub(super) fn of(table: &Table) -> Done<Self> {
        let whole = &table.whole;
        let bytes = if whole.bytes <= AT_ONCE { Some(whole.values(whole.bytes)?) } else { None };
        Ok(OnHost { address: whole.address, bytes })
    }

    /// The first values of a part.
    pub(super) fn values<T: Plain>(&self, part: &Buffer, count: usize) -> Done<Vec<T>> {
        let Some(bytes) = &self.bytes else { return part.values(count) };
        let from = (part.address - self.address) as usize;
        let size = size_of::<T>();
        Ok(bytes[from..from + count * size].chunks_exact(size).map(T::of_bytes).collect())
    }
}

/// What is known of the groups of a table.
pub(crate) fn partial_of_table(layout: Option<&KeyLayout>, table: &Table) -> Done<PartialGroups> {
    let on_host = OnHost::of(table)?;
    let flags: Vec<u32> = on_host.values(&table.flags, table.groups as usize)?;
    let is_seen = |flags: &u32| flags & SEEN != 0;
    let mut order = Order::Codes;
    let (keys, chosen): (Keys, Vec<usize>) = match layout {
        None => (Keys::One, vec![0]),
        Some(layout) if table.slots.is_some() => {
            let codes: Vec<u64> = match &table.slots {
                Some(slots) => slots.codes.values(flags.len())?,
                None => Vec::new(),
            };
            let mut chosen: Vec<usize> = (0..flags.len()).filter(|&slot| is_seen(&flags[slot])).collect();
            // Which slot a code has depends on who was first; its place among the codes does not.
            chosen.sort_unstable_by_key(|&slot| codes[slot]);
            order = Order::FirstRows((0..chosen.len() as u64).collect());
            let codes = chosen.iter().map(|&slot| codes[slot] - 1);
            let codes = match layout.width {
                KeyWidth::Bits32 => CodeKeys::Bits32(codes.map(|code| code as u32).collect()),
                _ => CodeKeys::Bits64(codes.collect()),
            };
            (Keys::Hashed { layout: layout.clone(), codes, columns: Vec::new() }, chosen)
        }
        Some(layout) if table.groups <= FEW => {
            let seen = flags.iter().map(is_seen).collect();
            let keys = Keys::Numbered { layout: layout.clone(), base: 0, seen, dense: false };
            (keys, (0..flags.len()).collect())
        }
        Some(layout) => {
            let chosen: Vec<usize> = (0..flags.len()).filter(|&code| is_seen(&flags[code])).collect();
            let codes = chosen.iter().map(|&code| code as u64).collect();
            (Keys::Listed { layout: layout.clone(), codes }, chosen)
        }
    };
    let states =
        table.cells.iter().zip(&table.words).map(|(cell, words)| state(cell, words, &on_host, (&flags, &chosen)));
    Ok(PartialGroups { keys, order, states: states.collect::<Done<Vec<_>>>()? })
}

/// Keys alone.
pub(crate) fn partial_of_bits(layout: &KeyLayout, words: Vec<u64>) -> PartialGroups {
    PartialGroups { keys: Keys::Set { layout: layout.clone(), words }, order: Order::Codes, states: Vec::new() }
}

/// The states of an aggregate, of the groups of some codes.
fn state(cell: &Cell, words: &[Arc<Buffer>], on_host: &OnHost, (flags, chosen): (&[u32], &[usize])) -> Done<State> {
    let has = |flag: u32| chosen.iter().map(move |&code| flags[code] & flag != 0);
    let seen: Vec<bool> = has(cell.flag.unwrap_or(SEEN)).collect();
    let picked = |at: usize| -> Done<Vec<u64>> {
        let all: Vec<u64> = on_host.values(&words[at], flags.len())?;
        Ok(chosen.iter().map(|&code| all[code]).collect())
    };
    Ok(match cell.kind {
        CellKind::Count => State::Count(picked(0)?.into_iter().map(|count| count as i64).collect()),
        CellKind::Sum { wide, .. } => {
            let low = picked(0)?;
            let low: Vec<i128> = match wide {
                true => {
                    let join = |(low, high): (u64, u64)| (u128::from(high) << 64 | u128::from(low)) as i128;
                    low.into_iter().zip(picked(1)?).map(join).collect()
                }
                false => low.into_iter().map(|low| (low as i64).into()).collect(),
            };
            let high = vec![0; low.len()];
            State::Integers(IntegerSums { sums: Sums::Wide { low, high }, seen })
        }
        CellKind::Extreme { largest } => {
            let nothing = if largest { i64::MIN } else { i64::MAX };
            let value = |(word, &seen): (u64, &bool)| {
                let rising = if largest { word } else { !word };
                if seen { (rising ^ 1 << 63) as i64 } else { nothing }
            };
            let best = Best::Narrow(picked(0)?.into_iter().zip(&seen).map(value).collect());
            State::Extreme(Extreme { largest, best, seen })
        }
        CellKind::Logic { decisive } => {
            let flag = cell.flag.unwrap_or(SEEN);
            let bits = has(flag).zip(has(flag << 1));
            let seen = bits.map(|(decides, null)| {
                (if decides { logic::DECISIVE } else { 0 }) | (if null { logic::NULL } else { 0 })
            });
            State::Logic(Logic { decisive, seen: seen.collect() })
        }
        CellKind::Value => {
            let words = picked(0)?.into_iter().zip(&seen).filter(|(_, seen)| **seen).map(|(word, _)| word).collect();
            values(cell, words, &seen)?
        }
    })
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
