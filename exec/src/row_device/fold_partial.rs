//! Partial groups of ranges of rows: each range is folded row by row, in one of the ways of numbering groups that the plan
//! leaves open, and some of what is known of it is written as bytes and read back.

use super::Random;
use super::generate::Offered;
use crate::Result;
use crate::cpu::aggregate::{Input, TileGroups};
use crate::cpu::groups::assigned::Assigned;
use crate::cpu::groups::grouper::Grouper;
use crate::cpu::keys::codes::Codes;
use crate::cpu::reduce::core::Core;
use crate::cpu::vector::Vector;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::partial::PartialGroups;
#[cfg(test)]
use crate::partial::{keys::Keys, order::Order};
use crate::plan::group_kind::{Numbering, Rows};
use crate::plan::limits::Limits;
use crate::plan::tree::ReducePlan;
use crate::workers::context::Context;

/// Rows of which a kind of groups is thought to be made, at most: some kinds have an array over all codes.
const ROWS_MAX: u64 = 1 << 12;

/// What is known of the groups of some rows, by ranges of them.
pub(super) fn fold(
    plan: &ReducePlan,
    rows: &[Offered],
    context: &Context,
    random: &mut Random,
) -> Result<Vec<PartialGroups>> {
    let ranges = 1 + random.below(4) as usize;
    let mut cuts: Vec<usize> = (1..ranges).map(|_| random.below(rows.len() as u64 + 1) as usize).collect();
    cuts.extend([0, rows.len()]);
    cuts.sort_unstable();
    let expected = plan.rows.count.min(ROWS_MAX);
    let count = [0, rows.len() as u64, expected, random.below(expected + 1)][random.below(4) as usize].min(expected);
    let numbering = Numbering::of(&plan.layout, Rows { count, workers: 1, ..plan.rows }, &Limits::default());
    let mut piece = 0;
    let mut parts = Vec::new();
    for cut in cuts.windows(2) {
        let grouper = match plan.key {
            Some(_) => Grouper::new(&plan.layout, &plan.key_types, numbering),
            None => Grouper::One,
        };
        let mut folded =
            Folded { core: Core::new(plan, grouper)?, codes: Codes::default(), assigned: Assigned::default() };
        let mut left = &rows[cut[0]..cut[1]];
        while !left.is_empty() {
            let (now, then) = left.split_at(1 + random.below(left.len() as u64) as usize);
            folded.core.begin_piece(piece);
            now.iter().try_for_each(|row| folded.row(row))?;
            context.check()?;
            (piece, left) = (piece + 1, then);
        }
        let groups = folded.core.into_partial()?;
        parts.push(match random.below(2) {
            0 => groups,
            _ => PartialGroups::deserialise(&groups.serialise())?,
        });
    }
    Ok(parts)
}

/// Groups of a reduction of all rows that computes nothing.
#[cfg(test)]
pub(crate) fn of_no_key() -> PartialGroups {
    PartialGroups { keys: Keys::One, order: Order::Codes, states: Vec::new() }
}

/// The groups of a range.
struct Folded<'p> {
    core: Core<'p>,
    codes: Codes,
    assigned: Assigned,
}

impl Folded<'_> {
    fn row(&mut self, row: &Offered) -> Result<()> {
        let Folded { core: Core { plan, grouper, accumulators }, codes, assigned } = self;
        let key: Vec<Vector> = row
            .key
            .iter()
            .zip(&plan.key_types)
            .map(|(value, &of)| ColumnBuilder::from_values(std::slice::from_ref(value), of).into_vector())
            .collect();
        let key: Vec<&Vector> = key.iter().collect();
        grouper.assign(&key, 1, None, codes, assigned);
        let room = grouper.len();
        for ((accumulator, aggregate), arguments) in accumulators.iter_mut().zip(&plan.aggregates).zip(&row.arguments) {
            accumulator.resize(room);
            let Some(arguments) = arguments else { continue };
            let vector = aggregate.kind.argument.map(|(_, register)| {
                let mut vector = Vector::default();
                vector.set_values(&arguments[..1], register);
                vector
            });
            let groups = match plan.key {
                None => TileGroups::One,
                Some(_) if assigned.has_runs => TileGroups::Runs(&assigned.runs),
                Some(_) => TileGroups::Each(&assigned.groups, None),
            };
            accumulator.update(&Input { groups, vector: vector.as_ref(), len: 1 })?;
        }
        Ok(())
    }
}
