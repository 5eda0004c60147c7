//! Tuples of a tile folded into the groups of an aggregate.

use super::tile::Tile;
use crate::Result;
use crate::cpu::aggregate::{Accumulator, Input, TileGroups};
use crate::cpu::vector::Vector;
use crate::plan::row_text::RowText;
use crate::plan::tree::AggregatePlan;

/// Folds the active tuples into their groups.
pub(crate) fn fold(
    tile: &mut Tile<'_>,
    accumulator: &mut Accumulator,
    aggregate: &AggregatePlan,
    groups: TileGroups<'_>,
) -> Result<()> {
    if let Some(argument) = aggregate.argument {
        if let TileGroups::Masks(_) | TileGroups::Runs(_) = groups
            && let Some((column, start)) = tile.scanned(argument)
            && accumulator.update_from(column, start..start + tile.len(), groups)
        {
            return Ok(());
        }
        if accumulator.takes_products()
            && let Some((vectors, numbers)) = tile.product(argument)
        {
            tile.ensure(vectors)?;
            tile.ensure(numbers)?;
            let input = Input { groups, vector: Some(tile.top(vectors)), len: tile.len() };
            return accumulator.update_with(&input, tile.top(numbers));
        }
        if accumulator.takes_products()
            && let Some((left, right)) = tile.outer_product(argument)
        {
            tile.ensure(left)?;
            tile.ensure(right)?;
            let input = Input { groups, vector: Some(tile.top(left)), len: tile.len() };
            return accumulator.update_outer(&input, tile.top(right));
        }
        if accumulator.counts_values()
            && let Some((left, right)) = tile.product(argument).or_else(|| tile.outer_product(argument))
        {
            tile.ensure(left)?;
            tile.ensure(right)?;
            // A product is NULL where a factor is. Where one of them never is, the other one says where, and nothing is multiplied.
            let (left, right) = (tile.top(left), tile.top(right));
            let telling = match (&left.nulls, &right.nulls) {
                (_, None) => Some(left),
                (None, _) => Some(right),
                _ if std::ptr::eq(left, right) => Some(left),
                _ => None,
            };
            if telling.is_some() {
                return accumulator.update(&Input { groups, vector: telling, len: tile.len() });
            }
        }
        if let Some(RowText { value, keys, entries }) = &aggregate.row_text
            && accumulator.takes_entries()
            && !tile.has(argument)
        {
            for &node in keys.iter().chain([value]) {
                tile.ensure(node)?;
            }
            let input = Input { groups, vector: Some(tile.top(*value)), len: tile.len() };
            let keys: Vec<&Vector> = keys.iter().map(|&key| tile.top(key)).collect();
            return accumulator.update_entries(&input, &keys, entries, tile.bounds(*value));
        }
        if accumulator.takes_numerics() {
            tile.evaluate_numerics(argument)?;
        } else {
            tile.evaluate(argument)?;
        }
    }
    let vector = aggregate.argument.map(|argument| tile.vector(argument));
    accumulator.update(&Input { groups, vector, len: tile.len() })
}
