//! Conditions on one dictionary column that has not been loaded: evaluated once per distinct string, then asked of the
//! codes in their physical form. Where few runs of codes pass, that is a comparison each.

use super::memo::sees_null;
use crate::Result;
use crate::column::{Column, ColumnData};
use crate::cpu::expression::tile::Tile;
use crate::cpu::kernels::mask::Lane;
use crate::cpu::kernels::{Call, fill_truth, fill_truth_of};
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::Rows;
use crate::cpu::vector::{Vector, VectorData};
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::types::DataType;

/// Distinct strings for which a condition is evaluated before it is known which of them there are.
const ALL_MAX: usize = 1 << 12;

/// Runs of codes that pass, each of which costs a pass over the column, at most.
const RUNS_MAX: usize = 4;

/// Applies a condition on one dictionary column that has not been loaded and constants, if it is such: false if not.
pub(super) fn holds(
    tile: &mut Tile<'_>,
    (number, node): (u32, &Node),
    function: Function,
    arguments: &[u32],
    out: &mut Vector,
) -> Result<bool> {
    if !Technique::DictionaryConditions.is_on()
        || node.register != Register::Bool
        || node.may_fail
        || node.volatile
        || sees_null(function)
    {
        return Ok(false);
    }
    let mut varying = (0..arguments.len()).filter(|&at| tile.node(arguments[at]).reach > 0);
    let (Some(at), None) = (varying.next(), varying.next()) else { return Ok(false) };
    let Operation::Column { index, field, optional: false } = tile.node(arguments[at]).operation else {
        return Ok(false);
    };
    for &argument in arguments.iter().filter(|&&argument| argument != arguments[at]) {
        tile.ensure(argument)?;
    }
    let Some(column) = tile.sources[index].as_ref().and_then(|source| source.column(field)) else { return Ok(false) };
    let Some(dictionary) = column.data.dictionary() else { return Ok(false) };
    if tile.levels[tile.depth - 1].computed[arguments[at] as usize] || dictionary.len() > ALL_MAX {
        return Ok(false);
    }
    let mut memo = tile.caches.memos.remove(&number).unwrap_or_default();
    let types: Vec<DataType> = arguments.iter().map(|&argument| tile.node(argument).data_type).collect();
    let call =
        Call { function, types: &types, result: node.data_type, register: Register::Bool, checked: node.may_fail };
    // Whatever stands for the column: the memo has the strings.
    let strings = Vector::default();
    let vector = |(place, &argument): (usize, &u32)| if place == at { &strings } else { tile.top(argument) };
    let vectors: Vec<&Vector> = arguments.iter().enumerate().map(vector).collect();
    let known = memo.learn_strings(&call, &vectors, at, dictionary);
    let rows = &tile.tuples().rows[index];
    let truth = memo.truth().filter(|_| known.is_ok());
    if let Some(truth) = truth {
        of_rows(truth, column, rows, tile.len(), out);
    }
    let done = truth.is_some();
    tile.caches.memos.insert(number, memo);
    known.map(|()| done)
}

/// The truth of the codes at these rows.
fn truth_of<U: Lane + Into<u32>>(codes: &[U], rows: &Rows, len: usize, truth: &Bitmap, bits: &mut Bitmap) {
    // What stands at a NULL may be no code.
    let holds =
        |code: U| truth.words().get(code.into() as usize / 64).is_some_and(|word| word >> (code.into() % 64) & 1 == 1);
    match rows {
        Rows::Range(start) => {
            let codes = &codes[*start as usize..*start as usize + len];
            match runs(truth) {
                Some(runs) => {
                    bits.reset(len, false);
                    let mut run_bits = Bitmap::default();
                    for (first, last) in runs {
                        let (Ok(first), Ok(span)) =
                            (U::try_from(u64::from(first)), U::try_from(u64::from(last - first)))
                        else {
                            continue;
                        };
                        U::within(codes, first, span, &mut run_bits);
                        bits.or(&run_bits);
                    }
                }
                None => fill_truth_of(codes, bits, holds),
            }
        }
        Rows::List(list) => fill_truth(len, bits, |tuple| holds(codes[list[tuple] as usize])),
    }
}

/// The first and the last of each run of codes that pass, if these are few.
fn runs(truth: &Bitmap) -> Option<Vec<(u32, u32)>> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for code in (0..truth.len()).filter(|&code| truth.get(code)) {
        let code = code as u32;
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => runs.push((code, code)),
        }
        if runs.len() > RUNS_MAX {
            return None;
        }
    }
    Some(runs)
}

/// The truth at the rows of a column whose codes all have one.
pub(super) fn of_rows(truth: &Bitmap, column: &Column, rows: &Rows, len: usize, out: &mut Vector) {
    let mut bits = out.take_bool();
    match &column.data {
        ColumnData::Dictionary8 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
        ColumnData::Dictionary16 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
        ColumnData::Dictionary32 { codes, .. } => truth_of(codes, rows, len, truth, &mut bits),
        _ => unreachable!("a column with a dictionary has codes"),
    }
    let nulls = valid_at(column, rows, len, out);
    out.set(len, VectorData::Bool(bits), nulls);
}

/// Which rows of a column are not NULL; none if it has no NULL anywhere.
pub(super) fn valid_at(column: &Column, rows: &Rows, len: usize, out: &mut Vector) -> Option<Bitmap> {
    let nulls = column.nulls.as_ref()?;
    let mut valid = out.take_nulls();
    match rows {
        Rows::Range(start) => {
            crate::cpu::vector::valid_rows::slice_bits(nulls.inner(), *start as usize, len, &mut valid)
        }
        Rows::List(list) => valid.fill(len, |tuple| nulls.is_valid(list[tuple] as usize)),
    }
    Some(valid)
}
