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

use crate::analysis::own_groups::own_groups;
use crate::analysis::ranges::Ranges;
use crate::meter;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::collections_read;
use crate::multiloop::{BlockId, CollectionId, Let, Program};
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::same_nest::same_nest;
use crate::rewrite::machinery::structural_hash::nest_hash;
use rustc_hash::FxHashSet;

/// Fusions in a block after which it is not looked at once more which groups are own ones: many branches of one UNION
/// would have it looked at as often.
const LOOKS_AGAIN_MAX: usize = 50;

/// What a look at two loops takes, as [`meter::spend`] counts.
const LOOK_UNITS: usize = 1 << 8;

/// Joins sibling loops.
pub(super) fn fuse_sibling_loops(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        changed |= fuse_block(program, block);
    }
    changed
}

/// Joins each loop of a block with those behind it.
fn fuse_block(program: &mut Program, block: BlockId) -> bool {
    let nests: Vec<Option<u64>> = program.block(block).lets.iter().map(nest_hash).collect();
    let distinct: FxHashSet<u64> = nests.iter().flatten().copied().collect();
    if distinct.len() == nests.iter().flatten().count() {
        return false;
    }
    let mut loops =
        Loops { program, block, reads: vec![None; nests.len()], nests, proofs: None, fused: 0, analyses: 0 };
    let mut first = 0;
    while first < loops.nests.len() {
        let mut second = first + 1;
        while second < loops.nests.len() && meter::goes_on(LOOK_UNITS) {
            match loops.place(first, second).filter(|_| loops.may_join(first, second)) {
                Some(place) => {
                    loops.fuse(first, second, place);
                    // Either the next one has come to the second's place, or another one to the first's.
                    second = if place == first { second } else { first + 1 };
                }
                None => second += 1,
            }
        }
        first += 1;
    }
    loops.fused > 0
}

/// The loops of a block while they are joined. Lists follow the block's lets.
struct Loops<'p> {
    program: &'p mut Program,
    block: BlockId,
    /// What nests look like.
    nests: Vec<Option<u64>>,
    /// What lets read, as far as somebody asked.
    reads: Vec<Option<FxHashSet<CollectionId>>>,
    proofs: Option<Proofs>,
    fused: usize,
    /// How often ranges have been analysed: each fusion makes scalars that an analysis does not know.
    analyses: usize,
}

/// What says whether loops may be joined.
struct Proofs {
    own: FxHashSet<CollectionId>,
    /// What is evaluated in any case.
    needed: FxHashSet<CollectionId>,
    failing: Fallible,
    ranges: Option<Ranges>,
}

impl Loops<'_> {
    /// The place of the joined loop, if these two have one nest and one of them can move to the other.
    fn place(&mut self, first: usize, second: usize) -> Option<usize> {
        if self.nests[first].is_none() || self.nests[first] != self.nests[second] {
            return None;
        }
        let lets = std::mem::take(&mut self.program.blocks[self.block.0 as usize].lets);
        let same = same_nest(self.program, &lets[first], &lets[second]).is_some();
        let place = if same { self.common_place(&lets, first, second) } else { None };
        self.program.blocks[self.block.0 as usize].lets = lets;
        place
    }

    /// Where both loops can stand: the first's place if the second needs nothing in between, else the second's if
    /// nothing in between needs the first.
    fn common_place(&mut self, lets: &[Let], first: usize, second: usize) -> Option<usize> {
        let read = self.reads_of(lets, second);
        if !lets[first..second].iter().flat_map(Let::defines).any(|define| read.contains(define)) {
            return Some(first);
        }
        let of_first: FxHashSet<CollectionId> = lets[first].defines().iter().copied().collect();
        let free = (first + 1..=second).all(|at| self.reads_of(lets, at).is_disjoint(&of_first));
        free.then_some(second)
    }

    fn reads_of(&mut self, lets: &[Let], at: usize) -> &FxHashSet<CollectionId> {
        let program = &*self.program;
        self.reads[at].get_or_insert_with(|| collections_read(program, &lets[at]))
    }

    /// Whether joining the loops makes no failure of one that of the other, and no group of everybody's of an own one.
    /// What the types do not prove, ranges may.
    fn may_join(&mut self, first: usize, second: usize) -> bool {
        let program = &*self.program;
        let lets = &program.block(self.block).lets;
        let proofs = self.proofs.get_or_insert_with(|| Proofs {
            own: own_groups(program),
            needed: needed_collections(program.block(self.block).result, lets),
            failing: Fallible::of(program),
            ranges: None,
        });
        let makes = |at: usize, set: &FxHashSet<CollectionId>| lets[at].defines().iter().any(|id| set.contains(id));
        if makes(first, &proofs.own) != makes(second, &proofs.own) {
            return false;
        }
        [first, second].into_iter().all(|at| {
            if makes(at, &proofs.needed) {
                return true;
            }
            let effects = lets[at].effects(program);
            let is_pure = effects.is_pure() && !proofs.failing.reads_failing(program, &lets[at]);
            if is_pure || effects.volatile {
                return is_pure;
            }
            if proofs.ranges.is_none() {
                if self.analyses == LOOKS_AGAIN_MAX {
                    return false;
                }
                self.analyses += 1;
            }
            proofs.ranges.get_or_insert_with(|| Ranges::analyse(program)).never_fails(&lets[at])
        })
    }

    fn fuse(&mut self, first: usize, second: usize, place: usize) {
        let lets = &self.program.block(self.block).lets;
        let defines: Vec<_> = [first, second].iter().flat_map(|&at| lets[at].defines()).copied().collect();
        fuse(self.program, self.block, first, second, place);
        let (nest, read) = (self.nests.remove(second), self.reads.remove(second));
        // Renaming indices changes nothing about what is read.
        let both = self.reads[first].take().zip(read);
        self.reads[first] = both.map(|(mut all, more)| {
            all.extend(more);
            all
        });
        if place == second {
            self.nests.remove(first);
            self.nests.insert(second - 1, nest);
            let read = self.reads.remove(first);
            self.reads.insert(second - 1, read);
        }
        self.fused += 1;
        if self.fused <= LOOKS_AGAIN_MAX {
            self.proofs = None;
        }
        if let Some(proofs) = &mut self.proofs {
            // Ranges do not know the scalars that have come.
            proofs.ranges = None;
            if defines.iter().any(|define| proofs.needed.contains(define)) {
                proofs.needed.extend(defines);
            }
        }
    }
}

/// What lets define that a block's result goes over, directly or through others: these are evaluated in any case.
fn needed_collections(result: CollectionId, lets: &[Let]) -> FxHashSet<CollectionId> {
    let mut needed = FxHashSet::from_iter([result]);
    for each in lets.iter().rev() {
        if each.defines().iter().any(|define| needed.contains(define)) {
            needed.extend(each.inputs());
            needed.extend(each.defines());
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
