//! Common subexpressions among lets: what is defined twice is computed once.
//!
//! ```text
//! A = L; … ; B = L, up to the names of indices   →   A = L, and A for B
//! ```
//!
//! Scalars need no such rule: equal ones are one node. An example, two build sides of one table:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(b#0 integer, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     key b = i0.b
//!     least? = min(i0.x)
//! loop
//!   i1 in %1
//!   %3 bucket_reduce
//!     key b = i1.b
//!     least? = min(i1.x)
//! loop
//!   i2 in %0
//!   %4 collect
//!     if i2.a < %2[i2.a].least
//!     a = i2.a
//!     least? = %3[i2.a].least
//! result %4
//! output a, least
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(b#0 integer, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     key b = i0.b
//!     least? = min(i0.x)
//! loop
//!   i1 in %0
//!   %3 collect
//!     if i1.a < %2[i1.a].least
//!     a = i1.a
//!     least? = %2[i1.a].least
//! result %3
//! output a, least
//! ```
//!
//! Guard: nothing volatile, which would make two draws one; both in one block, the first in front. Field claims
//! must be the same, too. NULLs, errors and joins: equal lets have equal rows and equal errors.

use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, CollectionId, Let, Program};
use crate::rewrite::machinery::same_nest::same_nest;
use crate::rewrite::machinery::structural_hash::StructuralHashes;
use crate::rewrite::machinery::substitute::Substitution;
use rustc_hash::FxHashMap;

/// Computes equal lets once.
pub(super) fn eliminate_common_lets(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        changed |= eliminate(program, block);
    }
    changed
}

/// Goes over the lets of a block once. Each reads what is kept in the place of what has been dropped, and is compared
/// with those in front that look like it. What it defines only those behind it read, so what was found out about those
/// in front stays true.
fn eliminate(program: &mut Program, block: BlockId) -> bool {
    let result = program.block(block).result;
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut looks = StructuralHashes::default();
    let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let (mut renaming, mut changed, mut at) = (Substitution::new(), false, 0);
    while at < lets.len() {
        if changed {
            renaming.definition(program, &mut lets[at]);
        }
        if lets[at].effects(program).volatile {
            at += 1;
            continue;
        }
        let mut gone = false;
        while !gone && let Some((kept, dropped)) = find(program, &lets[..=at], &mut looks, &seen, result) {
            renaming.rename_collection(dropped, kept);
            gone = take_out(&mut lets[at], dropped);
            changed = true;
        }
        if gone {
            lets.remove(at);
            continue;
        }
        for look in looks.of(program, &lets[at]) {
            seen.entry(look).or_default().push(at);
        }
        at += 1;
    }
    program.blocks[block.0 as usize].lets = lets;
    changed
}

/// A collection in front, or further in front in the same let, and one of the last let that is the same.
fn find(
    program: &mut Program,
    lets: &[Let],
    looks: &mut StructuralHashes,
    seen: &FxHashMap<u64, Vec<usize>>,
    result: CollectionId,
) -> Option<(CollectionId, CollectionId)> {
    let second = lets.len() - 1;
    let mut own = looks.of(program, &lets[second]);
    let mut alike: Vec<usize> = own.iter().filter_map(|look| seen.get(look)).flatten().copied().collect();
    own.sort_unstable();
    if own.windows(2).any(|pair| pair[0] == pair[1]) {
        alike.push(second);
    }
    alike.sort_unstable();
    alike.dedup();
    let mut pairs = alike.into_iter().filter_map(|first| equal_pair(program, lets, first, second));
    pairs.find(|(_, dropped)| *dropped != result)
}

fn equal_pair(
    program: &mut Program,
    lets: &[Let],
    first: usize,
    second: usize,
) -> Option<(CollectionId, CollectionId)> {
    let same = |program: &Program, a: CollectionId, b: CollectionId| {
        let (a, b) = (program.collection(a), program.collection(b));
        let types = |fields: &[crate::types::Field]| -> Vec<_> {
            fields.iter().map(|field| (field.data_type, field.nullable)).collect()
        };
        types(&a.fields) == types(&b.fields) && std::mem::discriminant(&a.shape) == std::mem::discriminant(&b.shape)
    };
    match (&lets[first], &lets[second]) {
        (Let::Loop { defines: kept, multiloop: a }, Let::Loop { defines: dropped, multiloop: b }) => {
            let renaming = if first == second { None } else { Some(same_nest(program, &lets[first], &lets[second])?) };
            let mut generators = b.generators.clone();
            if let Some(mut renaming) = renaming {
                generators.iter_mut().for_each(|generator| {
                    renaming.generator(program, generator);
                });
            }
            for (at, generator) in generators.iter().enumerate() {
                let before = if first == second { at } else { a.generators.len() };
                let equal = (0..before)
                    .find(|&other| a.generators[other] == *generator && same(program, kept[other], dropped[at]));
                if let Some(other) = equal {
                    return Some((kept[other], dropped[at]));
                }
            }
            None
        }
        _ if first == second => None,
        (Let::Sort { define: kept, input: a, order: by }, Let::Sort { define, input: b, order }) => {
            (a == b && by == order).then_some((*kept, *define))
        }
        (Let::Concat { define: kept, inputs: a }, Let::Concat { define, inputs: b }) => {
            (a == b && same(program, *kept, *define)).then_some((*kept, *define))
        }
        (Let::Values { define: kept, rows: a }, Let::Values { define, rows: b }) => {
            (a == b && same(program, *kept, *define)).then_some((*kept, *define))
        }
        _ => None,
    }
}

/// Takes a collection out of the let that defines it; whether nothing of the let is left.
fn take_out(each: &mut Let, dropped: CollectionId) -> bool {
    let Let::Loop { defines, multiloop } = each else { return true };
    if let Some(at) = defines.iter().position(|define| *define == dropped) {
        defines.remove(at);
        multiloop.generators.remove(at);
    }
    defines.is_empty()
}
