//! Code motion: what a nested block computes without the loop around it moves in front of that loop.
//!
//! ```text
//! G[i …](… block(L1; L2(i)) …)   →   L1; G[i …](… block(L2(i)) …)        L1 does not read i
//! G[i …](… block(L).f …)         →   L; G[i …](… L.f …)                  nothing in the block reads i
//! ```
//!
//! Source: DMLL, section 3 (code motion out of loops). An uncorrelated subquery becomes a Reduce of its own:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     block b0
//!       loop
//!         i1 in %0
//!         %2 reduce
//!           largest? = max(i1.a)
//!       result %2
//!     if i0.a = b0.largest
//!     a = i0.a
//! result %1
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     largest? = max(i0.a)
//! loop
//!   i1 in %0
//!   %2 collect
//!     if i1.a = %1.largest
//!     a = i1.a
//! result %2
//! output a
//! ```
//!
//! Guard, and why: nothing volatile moves: `where a > (select random())`, evaluated for each row, would become one
//! number for all.
//!
//! Errors: a let that may fail moves, too, because lets are lazy: its failure is an error only once a row asks
//! for it, as before (`select (select 1 / 0) from t where false`). NULLs and joins: nothing is evaluated differently.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, collections_read, nested_of};
use crate::multiloop::{Block, BlockId, CollectionId, IndexId, Let, Program, Scalar};
use crate::rewrite::machinery::substitute::Substitution;
use rustc_hash::FxHashSet;

/// Moves invariant lets out of nested blocks, one block outwards.
pub(super) fn hoist_invariant_block(program: &mut Program) -> bool {
    let mut changed = false;
    // Enclosing blocks come first: what two depths share is found at the outer one.
    for block in live_blocks(program) {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let moved = hoist_from(program, block, at);
            changed |= moved > 0;
            at += moved + 1;
        }
    }
    changed
}

/// Moves what it can out of the blocks nested in one let; how many lets it put in front of it.
fn hoist_from(program: &mut Program, block: BlockId, at: usize) -> usize {
    let mut moved = 0;
    let mut tried: FxHashSet<BlockId> = FxHashSet::default();
    loop {
        let each = &program.block(block).lets[at + moved];
        let own: Vec<IndexId> = match each {
            Let::Loop { multiloop, .. } => multiloop.nest.iter().map(|index| index.id).collect(),
            _ => Vec::new(),
        };
        let Some(nested) =
            nested_of(program, each).into_iter().map(|(_, nested, _)| nested).find(|id| tried.insert(*id))
        else {
            return moved;
        };
        if split(program, nested, &own).0.is_empty() {
            continue;
        }
        // Somebody in a block around this one may read it, too, and keeps it: what moves is a copy.
        let copied = Substitution::copying().block(program, nested);
        let (hoisted, rest) = split(program, copied, &own);
        moved += hoisted.len();
        move_out(program, (block, at + moved - hoisted.len()), (nested, copied), hoisted, rest);
    }
}

/// The lets of a block that read none of these indices, nor what stays; and those that stay.
fn split(program: &Program, nested: BlockId, own: &[IndexId]) -> (Vec<Let>, Vec<Let>) {
    let mut free = FreeIndices::default();
    let (mut hoisted, mut rest): (Vec<Let>, Vec<Let>) = (Vec::new(), Vec::new());
    let mut staying: FxHashSet<CollectionId> = FxHashSet::default();
    for each in &program.block(nested).lets {
        let reads_own = free.definition(program, each).iter().any(|index| own.contains(index));
        let reads_staying = !staying.is_empty() && !staying.is_disjoint(&collections_read(program, each));
        if reads_own || reads_staying || each.effects(program).volatile {
            staying.extend(each.defines());
            rest.push(each.clone());
        } else {
            hoisted.push(each.clone());
        }
    }
    (hoisted, rest)
}

/// Puts lets of a nested block's copy in front of a let, whose readers of the block read that.
fn move_out(
    program: &mut Program,
    (block, at): (BlockId, usize),
    (nested, copied): (BlockId, BlockId),
    hoisted: Vec<Let>,
    rest: Vec<Let>,
) {
    let result = program.block(copied).result;
    let mut readers = Substitution::new();
    let fields = program.collection(result).fields.iter().map(|field| field.data_type).collect::<Vec<_>>();
    // Nothing is left: the block's value is the row of a Reduce in front.
    let rest = if rest.is_empty() { None } else { Some(program.add_block(Block { lets: rest, result })) };
    for (field, data_type) in fields.into_iter().enumerate() {
        let field = field as u32;
        let old = program.nested(nested, field);
        let new = match rest {
            Some(rest) => program.nested(rest, field),
            None => program.scalars.intern(Scalar::Single { collection: result, field }, data_type),
        };
        let position = program.scalars.position(old);
        program.scalars.set_position(new, position);
        readers.replace_scalar(old, new);
    }
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    // A block that reads no index may be shared by the lets behind.
    for each in &mut lets[at..] {
        readers.definition(program, each);
    }
    lets.splice(at..at, hoisted);
    program.blocks[block.0 as usize].lets = lets;
}
