//! Membership in a list of constants: the list becomes a set once for each worker, which then asks the set of every value.
//!
//! Columns are asked in their physical form where that is possible: integers by their offsets, strings by their codes.

use super::constant_set::Members;
use super::dictionary;
use super::fused::is_constant;
use crate::Result;
use crate::column::ColumnData;
use crate::cpu::expression::tile::Tile;
use crate::cpu::keys::integer::IntegerKeys;
use crate::cpu::vector::rows::Rows;
use crate::cpu::vector::{Vector, VectorData};
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// A list as a set.
#[derive(Debug)]
pub(super) struct List {
    members: Members,
    /// Whether a NULL in the list leaves open whether others are members.
    has_null: bool,
}

/// Applies InList, if the list is of constants that a set can hold: false if not.
pub(super) fn evaluate(
    tile: &mut Tile<'_>,
    number: u32,
    function: Function,
    arguments: &[u32],
    out: &mut Vector,
) -> Result<bool> {
    let (Function::InList, [value, constants @ ..]) = (function, arguments) else { return Ok(false) };
    if tile.node(*value).reach == 0 || constants.len() < 2 || !Technique::Lists.is_on() {
        return Ok(false);
    }
    let mut list = match tile.caches.lists.remove(&number) {
        Some(known) => known,
        None => make(tile, *value, constants)?,
    };
    let done = match &mut list {
        Some(list) => hold(tile, *value, list, out),
        None => Ok(false),
    };
    tile.caches.lists.insert(number, list);
    done
}

/// Makes a list a set, if it is one of constants.
fn make(tile: &mut Tile<'_>, value: u32, constants: &[u32]) -> Result<Option<List>> {
    if !constants.iter().all(|&constant| is_constant(tile, constant)) {
        return Ok(None);
    }
    for &constant in constants {
        tile.ensure_at(1, constant)?;
        tile.levels[0].vectors[constant as usize].settle_numerics();
    }
    let vector = |&constant: &u32| &tile.levels[0].vectors[constant as usize];
    let has_null = constants.iter().any(|constant| vector(constant).is_null(0));
    let given = constants.iter().map(vector).filter(|constant| !constant.is_null(0));
    let members = Members::of(given, tile.node(value).data_type == DataType::Numeric);
    Ok(members.map(|members| List { members, has_null }))
}

/// Makes `out` which values are in a list; false if they are of another kind than its members.
fn hold(tile: &mut Tile<'_>, value: u32, list: &mut List, out: &mut Vector) -> Result<bool> {
    let done = hold_in_column(tile, value, &mut list.members, out) || {
        tile.ensure(value)?;
        hold_values(tile.top(value), tile.len(), &mut list.members, out)
    };
    if done && list.has_null {
        let VectorData::Bool(bits) = &out.data else { unreachable!("membership is a boolean") };
        match &mut out.nulls {
            Some(nulls) => nulls.and(bits),
            None => out.nulls = Some(bits.clone()),
        }
    }
    Ok(done)
}

/// The same of a column that has not been loaded.
fn hold_in_column(tile: &Tile<'_>, value: u32, members: &mut Members, out: &mut Vector) -> bool {
    let Some((column, rows)) = tile.unloaded(value) else { return false };
    let len = tile.len();
    match members {
        Members::Texts(texts) => match (&column.data, rows) {
            (ColumnData::Text { offsets, bytes }, Rows::Range(start)) => {
                let mut bits = out.take_bool();
                if !texts.hold_rows(&offsets[*start as usize..=*start as usize + len], bytes, &mut bits) {
                    out.data = VectorData::Bool(bits);
                    return false;
                }
                let nulls = dictionary::valid_at(column, rows, len, out);
                out.set(len, VectorData::Bool(bits), nulls);
            }
            (data, _) => {
                let Some(dictionary) = data.dictionary() else { return false };
                dictionary::of_rows(texts.codes(dictionary), column, rows, len, out);
            }
        },
        Members::Integers(integers) => {
            let Some((range, set)) = integers.bits() else { return false };
            let Some(keys) = IntegerKeys::of_column(column, rows, len, *range, false) else { return false };
            let mut bits = out.take_bool();
            let mut words = bits.take_words();
            keys.members(set, &mut words);
            bits.set_words(len, words);
            let nulls = dictionary::valid_at(column, rows, len, out);
            out.set(len, VectorData::Bool(bits), nulls);
        }
    }
    true
}

fn hold_values(values: &Vector, len: usize, members: &mut Members, out: &mut Vector) -> bool {
    if values.constant {
        return false;
    }
    let mut bits = out.take_bool();
    let done = match members {
        Members::Texts(texts) => texts.hold(values, len, &mut bits),
        Members::Integers(integers) => {
            let keys = integers.bits().and_then(|(range, _)| IntegerKeys::of_vector(values, *range, false));
            match (keys, integers.bits()) {
                (Some(keys), Some((_, set))) => {
                    let mut words = bits.take_words();
                    keys.members(set, &mut words);
                    bits.set_words(len, words);
                    true
                }
                _ => integers.hold(values, len, &mut bits),
            }
        }
    };
    if !done {
        out.data = VectorData::Bool(bits);
        return false;
    }
    let nulls = values.nulls.as_ref().map(|valid| {
        let mut nulls = out.take_nulls();
        nulls.copy_from(valid);
        nulls
    });
    out.set(len, VectorData::Bool(bits), nulls);
    true
}
