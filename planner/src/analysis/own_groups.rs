//! Own groups: which groups can be made where they are asked for, of the rows beside the one that asks.
//!
//! Where a table is clustered by a key, the rows of a group stand next to each other. A loop over the table that asks for
//! the group of each row's own key needs neither the groups of all keys nor an index of them:
//!
//! ```text
//! M = BucketReduce[i in T](c)(i.k)(f)(r)
//! G[i in T, …](… M[i.k] …)
//! ```
//!
//! An execution engine may reduce the rows around i when G asks, and none if it does not. Rules that would have G ask for
//! fewer keys, by two passes over T, leave such groups alone.
//!
//! What must hold:
//! * M is made by one integer column of the table, which is clustered and has no NULLs, with few rows a key: each tile of G
//!   may make the groups at its ends once more;
//! * M's loop has no other index, and makes nothing else but own groups: to make these beside M in one pass costs less;
//! * whatever M evaluates reads nothing but M's row, and cannot fail: which groups are made is not told;
//! * M's reductions are those whose values need no more than a pass over a group's rows;
//! * every question is a lookup by the same column of G's outermost index, which always stands on a row.
//!
//! Conditions that ask own groups wait for the rows that are left behind all indices, unless these multiply rows. Where
//! one key has whole chunks, the engine makes all groups once, as of any table.

use crate::multiloop::kept::{Behind, Keeps, Proofs, Step, kept, table_column};
use crate::multiloop::live::live_blocks;
use crate::multiloop::reduction::{Properties, State};
use crate::multiloop::uses::{Use, collection_uses, for_each_node};
use crate::multiloop::{
    Aggregate, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows of a group, on average, at most.
const ROWS_MAX: u64 = 64;

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    table: CollectionId,
    field: u32,
}

/// The groups of a live program that can be made of the rows beside those that ask for them.
pub fn own_groups(program: &Program) -> FxHashSet<CollectionId> {
    let blocks: Vec<_> = live_blocks(program).into_iter().map(|id| program.block(id)).collect();
    let lets = || blocks.iter().flat_map(|block| &block.lets);
    let mut candidates: FxHashMap<CollectionId, Key> = FxHashMap::default();
    if !lets().any(|each| live_candidates(program, each, None).is_some()) {
        return FxHashSet::default();
    }
    let uses = collection_uses(program);
    for each in lets() {
        candidates.extend(live_candidates(program, each, Some(&uses)).into_iter().flatten());
    }
    let mut seen = vec![false; program.scalars.len()];
    for block in &blocks {
        candidates.remove(&block.result);
    }
    for each in lets() {
        for input in each.inputs() {
            candidates.remove(&input);
        }
        let row = outermost(each);
        seen.fill(false);
        each.for_each_scalar(|id| {
            for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
                Scalar::Lookup { collection, key, .. } => {
                    let own = |candidate: &Key| {
                        let row = row.filter(|row| row.1 == candidate.table);
                        matches!((row, &key[..]), (Some((row, _)), [part])
                            if is_column(program, part.scalar, row, candidate.field))
                    };
                    if candidates.get(collection).is_some_and(|candidate| !own(candidate)) {
                        candidates.remove(collection);
                    }
                }
                Scalar::Exists { collection, .. }
                | Scalar::Single { collection, .. }
                | Scalar::Element { collection, .. } => {
                    candidates.remove(collection);
                }
                _ => {}
            });
        });
    }
    let is_own = |define: &&CollectionId| uses[define.0 as usize] == Use::default() || candidates.contains_key(define);
    let alone = |each: &&Let| each.defines().iter().all(|define| is_own(&define));
    let defined = lets().filter(alone).flat_map(|each| each.defines().iter().copied());
    defined.filter(|define| candidates.contains_key(define)).collect()
}

/// What a loop makes, dead collections apart, with the keys: if all of it could be own groups, were it asked in the right way.
/// Without uses, dead ones stand in the way of nothing.
fn live_candidates(program: &Program, each: &Let, uses: Option<&[Use]>) -> Option<Vec<(CollectionId, Key)>> {
    let Let::Loop { multiloop: Multiloop { nest, generators }, defines } = each else { return None };
    let [Index { id, source: Source::Rows(table) }] = &nest[..] else { return None };
    let is_dead = |define: &CollectionId| uses.is_some_and(|uses| uses[define.0 as usize] == Use::default());
    let live = defines.iter().zip(generators).filter(|(define, _)| !is_dead(define));
    let keys = live.map(|(&define, generator)| Some((define, candidate(program, (*id, *table), generator))));
    let keys = keys.map(|found| found.and_then(|(define, key)| Some((define, key?))));
    if uses.is_none() { keys.flatten().next().map(|found| vec![found]) } else { keys.collect() }
}

/// The key of groups that could be own ones if they are asked in the right way.
fn candidate(program: &Program, (id, table): (IndexId, CollectionId), generator: &Generator) -> Option<Key> {
    let Generator::BucketReduce { key, aggregates, .. } = generator else { return None };
    let &[part] = &key[..] else { return None };
    let &Scalar::Column { index, field } = program.scalars.get(part) else { return None };
    let integer = program.scalars.data_type(part).integer_bounds().is_some();
    let simple = aggregates.iter().all(|aggregate| is_simple(program, aggregate));
    let reads_row = || {
        let (mut own, mut seen) = (true, vec![false; program.scalars.len()]);
        generator.for_each_scalar(|scalar| {
            own &= program.scalars.effects(scalar).is_pure();
            for_each_node(program, scalar, &mut seen, &mut |_, scalar| {
                own &= match scalar {
                    Scalar::Column { index, .. } => *index == id,
                    Scalar::Constant(_) | Scalar::Parameter(_) | Scalar::Call { .. } => true,
                    _ => false,
                };
            });
        });
        own
    };
    let fits = index == id && simple && integer && is_clustered(program, table, field) && reads_row();
    fits.then_some(Key { table, field })
}

fn is_simple(program: &Program, aggregate: &Aggregate) -> bool {
    let Properties { state, order_sensitive, .. } = aggregate.reduction.properties();
    let is_small = matches!(state, State::Count | State::Flags | State::Value | State::Sum);
    is_small && !order_sensitive && !aggregate.distinct && aggregate.own_effects(&program.scalars).is_pure()
}

/// Whether a column is proven to be clustered, without NULLs, and has few rows a value.
fn is_clustered(program: &Program, table: CollectionId, field: u32) -> bool {
    let Shape::Table { statistics, .. } = &program.collection(table).shape else { return false };
    table_column(program, table, field).is_some_and(|column| {
        let few =
            column.estimates.distinct.is_some_and(|distinct| statistics.rows <= distinct.saturating_mul(ROWS_MAX));
        let proven = || {
            let proofs = Proofs::of_table(column);
            proofs.clustered && proofs.not_null
        };
        few && proven()
    })
}

/// The outermost index of a loop, and what it goes over, if it always stands on a row.
fn outermost(each: &Let) -> Option<(IndexId, CollectionId)> {
    let Let::Loop { multiloop, .. } = each else { return None };
    let Index { id, source: Source::Rows(rows) } = multiloop.nest.first()? else { return None };
    let stands = |index: &Index| kept(Step::InFrontOf(Behind::of(&index.source))).not_null == Keeps::Yes;
    multiloop.nest[1..].iter().all(stands).then_some((*id, *rows))
}

fn is_column(program: &Program, scalar: ScalarId, row: IndexId, of: u32) -> bool {
    matches!(program.scalars.get(scalar), Scalar::Column { index, field } if *index == row && *field == of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiloop::parse::parse;

    /// How many own groups a program over t has whose column k is of this kind, with these groups and these conditions of
    /// what asks them.
    fn count(kind: &str, groups: &str, asks: &str) -> usize {
        let text = format!(
            "table %0 t(k#0 bigint {kind}, x#1 integer) rows 1000
loop
  i0 in %0
  %1 bucket_reduce
{groups}loop
  i1 in %0
  %2 collect
{asks}    x = i1.x
result %2
output x
"
        );
        own_groups(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))).len()
    }

    #[test]
    fn only_what_stands_beside_the_row() {
        let groups = "    key k = i0.k\n    least? = min(i0.x)\n";
        let asks = "    if %1[i1.k].least < i1.x\n";
        let kind = "clustered distinct 250";
        assert_eq!(count(kind, groups, asks), 1);
        assert_eq!(count(kind, "    if i0.x > 3\n    key k = i0.k\n    least? = min(i0.x if i0.x < 9)\n", asks), 1);
        // In no order, or many rows of a key.
        assert_eq!(count("distinct 250", groups, asks), 0);
        assert_eq!(count("clustered distinct 10", groups, asks), 0);
        // Another key, or one that is computed.
        assert_eq!(count(kind, groups, "    if %1[i1.k + 0::bigint].least < i1.x\n"), 0);
        assert_eq!(count(kind, "    key k = i0.k + 0::bigint\n    least? = min(i0.x)\n", asks), 0);
        // Asked in another way, too.
        assert_eq!(count(kind, groups, "    if exists %1[i1.k]\n    if %1[i1.k].least < i1.x\n"), 0);
        // What may fail, or takes more than a pass.
        assert_eq!(count(kind, "    key k = i0.k\n    least? = min(i0.x / i0.x)\n", asks), 0);
        assert_eq!(
            count(kind, "    key k = i0.k\n    least = count(distinct i0.x)\n", "    if %1[i1.k].least < 3::bigint\n"),
            0
        );
    }
}
