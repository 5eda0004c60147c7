//! Nested `||` as one function of all pieces: `((a || b) || c) || d` writes each piece once, instead of all in front of it once more.
//!
//! ```text
//! Concat(Concat(a, b), c)        →   Concat(a, b, c)
//! Concat(a, Cast(n: integer))    →   Concat(a, n)         digits are written where they belong; so in concat and concat_ws
//! ```
//!
//! Only what is evaluated for the same tuples as the whole is taken apart: what reads fewer indices is evaluated on the level of
//! these, and what has been evaluated is there. The pieces are evaluated in the order in which they were, so that the first one that
//! fails is the same; neither `||` nor these casts fail. `||` is NULL where a piece is, however it is nested. Strings that are large
//! together are left as they are nested: a limit on one inside raises its error even if the whole is NULL.

use super::growth::{BYTES_LARGE, shown_bytes};
use crate::Result;
use crate::cpu::expression::tile::Tile;
use crate::plan::nodes::{Node, Operation};
use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::function::Function;

/// Pieces of one string, at most; calls within each other are as many.
const PIECES_MAX: usize = 64;

/// The pieces of a node that is `||`, which have been evaluated; none of other nodes, and where these are its arguments.
pub(super) fn pieces<'a>(
    tile: &mut Tile<'a>,
    node: &'a Node,
    function: Function,
    arguments: &[u32],
) -> Result<Option<Vec<u32>>> {
    if !matches!(function, Function::Concat | Function::ConcatSkipNull | Function::ConcatWithSeparator)
        || node.register != Register::Text
        || node.volatile
        || !Technique::FlatConcat.is_on()
    {
        return Ok(None);
    }
    let mut pieces = Vec::new();
    for &argument in arguments {
        collect(tile, (node, function), argument, PIECES_MAX, &mut pieces);
    }
    if pieces == arguments || pieces.len() > PIECES_MAX {
        return Ok(None);
    }
    let mut bytes = 0usize;
    for &piece in &pieces {
        tile.ensure(piece)?;
        bytes = bytes.saturating_add(shown_bytes(tile.top(piece)));
    }
    Ok((bytes <= BYTES_LARGE).then_some(pieces))
}

/// Appends the pieces that an argument consists of.
fn collect(tile: &Tile<'_>, (whole, function): (&Node, Function), argument: u32, depth: usize, pieces: &mut Vec<u32>) {
    let node = tile.node(argument);
    let is_here = node.reach == whole.reach && !node.volatile && !tile.is_known(argument);
    match &node.operation {
        Operation::Call { function: inner, arguments }
            if is_here
                && *inner == function
                && function != Function::ConcatWithSeparator
                && node.data_type.is_text()
                && depth > 0
                && pieces.len() < PIECES_MAX =>
        {
            arguments.iter().for_each(|&inner| collect(tile, (whole, function), inner, depth - 1, pieces));
        }
        Operation::Call { function: Function::Cast | Function::AssignCast, arguments }
            if is_here && node.data_type.is_free_text() =>
        {
            let number = |&&of: &&u32| {
                let of = tile.node(of);
                let is_narrow = matches!(of.register, Register::I32 | Register::I64);
                is_narrow && (of.data_type.is_integer() || of.data_type.is_decimal())
            };
            let [of] = &arguments[..] else { return pieces.push(argument) };
            pieces.push(*Some(of).filter(number).unwrap_or(&argument));
        }
        _ => pieces.push(argument),
    }
}
