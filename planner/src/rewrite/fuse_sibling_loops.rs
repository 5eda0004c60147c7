//! Horizontal fusion: two loops over the same nest become one loop with the generators of both.
//!
//! ```text
//! A = G1[nest](…); … ; B = G2[nest](…)   →   (A, B) = [nest] G1(…), G2(…)
//! ```
//!
//! Source: DMLL, section 3.1 (multiloops with several generators). An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     largest? = max(i0.a)
//! loop
//!   i1 in %0
//!   %2 bucket_reduce
//!     key b = i1.b
//!     least? = min(i1.a)
//! loop
//!   i2 in %2
//!   %3 collect
//!     least? = i2.least
//!     largest? = %1.largest
//! result %3
//! output least, largest
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     largest? = max(i0.a)
//!   %2 bucket_reduce
//!     key b = i0.b
//!     least? = min(i0.a)
//! loop
//!   i1 in %2
//!   %3 collect
//!     least? = i1.least
//!     largest? = %1.largest
//! result %3
//! output least, largest
//! ```
//!
//! Guard, and why:
//! * neither depends on the other, and one of them can move to where the other stands;
//! * a loop that may fail is joined only if the result needs both in any case: lets are lazy, and one that nobody
//!   asks for must not take the other down (`case when false then (select 1 / x from t) end` beside a count of t).
//!   Value ranges prove more sums safe than types do;
//! * nests are the same index by index, nothing volatile in them;
//! * own groups (`analysis/own_groups`) are joined with nothing else: whoever asks for them makes them, and beside anything
//!   that goes over all rows all of them would be made.
//!
//! NULLs and joins: nothing is evaluated differently.

use super::failing::Failing;
use super::substitute::Substitution;
use super::uses::collections_read;
use crate::analysis::own_groups::own_groups;
use crate::analysis::ranges::Ranges;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{BlockId, CollectionId, Index, Let, Program, Source};
use rustc_hash::FxHashSet;

/// Joins sibling loops.
pub(super) fn fuse_sibling_loops(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        while let Some((first, second, place)) = find(program, block) {
            fuse(program, block, first, second, place);
            changed = true;
        }
    }
    changed
}

/// Two loops to join, and which of their places the joined loop takes.
fn find(program: &mut Program, block: BlockId) -> Option<(usize, usize, usize)> {
    let lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut alike = Vec::new();
    for first in 0..lets.len() {
        for second in first + 1..lets.len() {
            if same_nest(program, &lets[first], &lets[second]).is_some()
                && let Some(place) = common_place(program, &lets, first, second)
            {
                alike.push((first, second, place));
            }
        }
    }
    program.blocks[block.0 as usize].lets = lets;
    if alike.is_empty() {
        return None;
    }
    let (own, mut ranges) = (own_groups(program), None);
    let lets = &program.block(block).lets;
    let makes_own = |at: usize| lets[at].defines().iter().any(|define| own.contains(define));
    alike.retain(|&(first, second, _)| makes_own(first) == makes_own(second));
    alike.into_iter().find(|&(first, second, _)| fail_together(program, block, first, second, &mut ranges))
}

/// The renaming of the second loop's indices to the first's, if their nests are otherwise the same.
pub(super) fn same_nest(program: &mut Program, first: &Let, second: &Let) -> Option<Substitution> {
    let (Let::Loop { multiloop: a, .. }, Let::Loop { multiloop: b, .. }) = (first, second) else { return None };
    let alike = a.nest.len() == b.nest.len() && a.nest.iter().zip(&b.nest).all(|(a, b)| is_alike(&a.source, &b.source));
    if !alike {
        return None;
    }
    let mut renaming = Substitution::new();
    for (to, index) in a.nest.iter().zip(&b.nest) {
        renaming.rename_index(index.id, to.id);
        let mut renamed: Index = index.clone();
        renaming.index(program, &mut renamed);
        let volatile = renamed.source.scalars().iter().any(|&id| program.scalars.effects(id).volatile);
        if volatile || renamed.source != to.source {
            return None;
        }
    }
    Some(renaming)
}

/// Whether two sources go over the same collection in the same way, keys apart.
fn is_alike(a: &Source, b: &Source) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b) && a.collection() == b.collection()
}

/// Where both loops can stand: the first's place if the second needs nothing in between, else the second's if
/// nothing in between needs the first.
fn common_place(program: &Program, lets: &[Let], first: usize, second: usize) -> Option<usize> {
    let defined: FxHashSet<CollectionId> = lets[first..second].iter().flat_map(Let::defines).copied().collect();
    if collections_read(program, &lets[second]).is_disjoint(&defined) {
        return Some(first);
    }
    let of_first: FxHashSet<CollectionId> = lets[first].defines().iter().copied().collect();
    let free = lets[first + 1..=second].iter().all(|each| collections_read(program, each).is_disjoint(&of_first));
    free.then_some(second)
}

/// Whether joining the loops makes no failure of one that of the other. What the types do not prove, ranges may.
fn fail_together(program: &Program, block: BlockId, first: usize, second: usize, ranges: &mut Option<Ranges>) -> bool {
    let lets = &program.block(block).lets;
    let (needed, failing) = (needed_loops(program, block, lets), Failing::of(program));
    [first, second].into_iter().all(|at| {
        let effects = lets[at].effects(&program.scalars);
        let is_pure = effects.is_pure() && !failing.reads_failing(program, &lets[at]);
        let mut proven = || ranges.get_or_insert_with(|| Ranges::analyse(program)).never_fails(&lets[at]);
        needed.contains(&at) || is_pure || (!effects.volatile && proven())
    })
}

/// The lets that a block's result goes over, directly or through others: they are evaluated in any case.
fn needed_loops(program: &Program, block: BlockId, lets: &[Let]) -> FxHashSet<usize> {
    let mut needed = FxHashSet::default();
    let mut collections = FxHashSet::from_iter([program.block(block).result]);
    for (at, each) in lets.iter().enumerate().rev() {
        if each.defines().iter().any(|define| collections.contains(define)) {
            needed.insert(at);
            collections.extend(each.inputs());
        }
    }
    needed
}

fn fuse(program: &mut Program, block: BlockId, first: usize, second: usize, place: usize) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut renaming = same_nest(program, &lets[first], &lets[second]).expect("find has compared them");
    let mut moved = lets.remove(second);
    renaming.definition(program, &mut moved);
    let (Let::Loop { defines, multiloop }, Let::Loop { defines: more, multiloop: other }) = (&mut lets[first], moved)
    else {
        unreachable!("same_nest has seen loops")
    };
    defines.extend(more);
    multiloop.generators.extend(other.generators);
    if place == second {
        // The first moves behind what stood between them.
        let joined = lets.remove(first);
        lets.insert(second - 1, joined);
    }
    program.blocks[block.0 as usize].lets = lets;
}
