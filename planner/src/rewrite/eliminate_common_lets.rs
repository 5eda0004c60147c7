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

use super::fuse_sibling_loops::same_nest;
use super::substitute::Substitution;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, CollectionId, Let, Program};

/// Computes equal lets once.
pub(super) fn eliminate_common_lets(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        while let Some((kept, dropped)) = find(program, block) {
            replace(program, block, kept, dropped);
            changed = true;
        }
    }
    changed
}

/// Two collections of a block that are the same, the earlier one first.
fn find(program: &mut Program, block: BlockId) -> Option<(CollectionId, CollectionId)> {
    let lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let result = program.block(block).result;
    let mut found = None;
    'search: for second in 0..lets.len() {
        if lets[second].effects(&program.scalars).volatile {
            continue;
        }
        for first in 0..=second {
            found = equal_pair(program, &lets, first, second).filter(|(_, dropped)| *dropped != result);
            if found.is_some() {
                break 'search;
            }
        }
    }
    program.blocks[block.0 as usize].lets = lets;
    found
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

/// Lets everything read the kept collection and takes the other out.
fn replace(program: &mut Program, block: BlockId, kept: CollectionId, dropped: CollectionId) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut renaming = Substitution::new();
    renaming.rename_collection(dropped, kept);
    for each in &mut lets {
        renaming.definition(program, each);
    }
    lets.retain_mut(|each| match each {
        Let::Loop { defines, multiloop } => {
            if let Some(at) = defines.iter().position(|define| *define == dropped) {
                defines.remove(at);
                multiloop.generators.remove(at);
            }
            !defines.is_empty()
        }
        Let::Sort { define, .. } | Let::Concat { define, .. } | Let::Values { define, .. } => *define != dropped,
    });
    program.blocks[block.0 as usize].lets = lets;
}
