//! A nested loop over all rows of a collection, of which an equality with the outer row chooses some, goes over a bucket.
//!
//! ```text
//! G[i …](… N[j in C …](g(j) = h(i) && c(j) && d(i, j))(f) …)
//!     →   B = BucketCollect[j in C](c(j))(g(j))(j)
//!         G[i …](… N[j in B[h(i)] …](d(i, j))(f) …)
//! ```
//!
//! Source: the index nested loop. What `conditional_reduce` makes groups of needs no rows at the lookup; this is for all
//! other correlated blocks: a second condition across, an outer value in an aggregate, LIMIT, groups of their own. An
//! example:
//!
//! ```text before
//! table %0 t(a#0 integer, x#1 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 collect
//!     block b0
//!       loop
//!         i1 in %1
//!         %3 reduce
//!           if i1.x > 5
//!           if i1.k = i0.a
//!           if i1.x < i0.x
//!           least? = min(i1.x)
//!       result %3
//!     a = i0.a
//!     least? = b0.least
//! result %2
//! output a, least
//! ```
//! ```text after
//! table %0 t(a#0 integer, x#1 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     if i0.x > 5
//!     key key0? = i0.k
//!     k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %0
//!   %3 collect
//!     block b0
//!       loop
//!         i2 in %2[i1.a]
//!         %4 reduce
//!           if i2.x < i1.x
//!           least? = min(i2.x)
//!       result %4
//!     a = i1.a
//!     least? = b0.least
//! result %3
//! output a, least
//! ```
//!
//! Guard, and why:
//! * the collection is made outside of the block, and one side of the equality reads its row alone: otherwise there are
//!   no buckets that hold for every outer row;
//! * the other side reads none of the loop's own indices, but some outer one: joins inside the block have buckets, and
//!   rows that a constant chooses are hoisted;
//! * every generator of the loop has the equality: another one would miss rows;
//! * neither side is volatile, and, unless the program may speculate, neither can fail: g is now evaluated for rows that
//!   a condition in front of the equality drops (`u.x <> 0 and 1 / u.x = t.a`) and h even where there are no rows. The
//!   same goes for the conditions that move along.
//!
//! NULLs: `=` with a NULL on either side is not TRUE, and a NULL part finds nothing; IS NOT DISTINCT FROM finds the bucket
//! of NULL. Joins: the index stays where it was in the nest, the others are kept.

use crate::function::Effects;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, for_each_node, nested_of};
use crate::multiloop::{
    Block, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape,
    Source,
};
use crate::rewrite::machinery::inner_indices::equality;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::Field;

/// Puts what correlated loops search into buckets.
pub(super) fn bucket_correlated_rows(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            let nested = nested_of(program, &program.block(block).lets[at]);
            // After a change the let stands one further on; other loops in it come next.
            if let Some(search) = nested.into_iter().find_map(|(_, nested, _)| find(program, nested)) {
                make_buckets(program, block, at, search);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// A loop of a nested block that searches all rows.
struct Search {
    block: BlockId,
    /// Which let of the block, and which index of its nest.
    at: usize,
    number: usize,
    collection: CollectionId,
    /// The inner side of each equality, and the outer.
    key: Vec<(ScalarId, KeyPart)>,
    /// Conditions that are done with once the key has been found: the equalities, and those of the buckets.
    equalities: Vec<ScalarId>,
    own: Vec<ScalarId>,
    effects: Effects,
}

fn find(program: &Program, id: BlockId) -> Option<Search> {
    let block = program.block(id);
    block.lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { multiloop, .. } = each else { return None };
        multiloop.nest.iter().enumerate().find_map(|(number, index)| {
            let Source::Rows(collection) = index.source else { return None };
            let made_here = block.lets.iter().any(|each| each.defines().contains(&collection));
            if made_here { None } else { search(program, id, at, multiloop, number) }
        })
    })
}

fn search(program: &Program, block: BlockId, at: usize, multiloop: &Multiloop, number: usize) -> Option<Search> {
    let Index { id: index, source: Source::Rows(collection) } = multiloop.nest[number] else { return None };
    let nest: Vec<IndexId> = multiloop.nest.iter().map(|index| index.id).collect();
    let made = program.block(block).lets.iter().flat_map(|each| each.defines().to_vec()).collect();
    let mut sides = Sides { program, free: FreeIndices::default(), index, nest, made };
    let (first, others) = multiloop.generators.split_first()?;
    let (mut key, mut equalities, mut own, mut effects) = (Vec::new(), Vec::new(), Vec::new(), Effects::PURE);
    for &id in first.condition() {
        let of_id = program.scalars.effects(id);
        if !others.iter().all(|other| other.condition().contains(&id)) || !program.may_move(of_id) {
            continue;
        }
        if let Some(part) = sides.equality(id) {
            key.push(part);
            equalities.push(id);
        } else if sides.is_own(id) {
            own.push(id);
        } else {
            continue;
        }
        effects = effects.and(of_id);
    }
    (!key.is_empty()).then_some(Search { block, at, number, collection, key, equalities, own, effects })
}

/// What reads the row that is searched, and what reads outer rows.
struct Sides<'p> {
    program: &'p Program,
    free: FreeIndices,
    index: IndexId,
    nest: Vec<IndexId>,
    /// What the block makes, which is not there yet where the buckets are made.
    made: Vec<CollectionId>,
}

impl Sides<'_> {
    /// Whether a scalar reads the index and no other, asks nothing that the block makes, and holds no block, which could
    /// not be copied.
    fn is_own(&mut self, id: ScalarId) -> bool {
        let program = self.program;
        let mut plain = *self.free.scalar(program, id) == [self.index];
        for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
            plain &= match scalar {
                Scalar::Nested { .. } => false,
                Scalar::Lookup { collection, .. }
                | Scalar::Exists { collection, .. }
                | Scalar::Single { collection, .. }
                | Scalar::Element { collection, .. } => !self.made.contains(collection),
                _ => true,
            };
        });
        plain
    }

    /// Whether a scalar reads outer rows alone.
    fn is_outer(&mut self, id: ScalarId) -> bool {
        let free = self.free.scalar(self.program, id);
        !free.is_empty() && !free.iter().any(|index| self.nest.contains(index))
    }

    /// `g(j) = h(i)`, either way round.
    fn equality(&mut self, id: ScalarId) -> Option<(ScalarId, KeyPart)> {
        equality(self.program, id, |[own, outer]| self.is_own(own) && self.is_outer(outer))
    }
}

/// Puts the buckets in front of the let and has its block go over them.
fn make_buckets(program: &mut Program, block: BlockId, at: usize, search: Search) {
    program.moved(search.effects);
    let buckets = add_buckets(program, &search);
    let Block { mut lets, result } = program.block(search.block).clone();
    if let Let::Loop { multiloop, .. } = &mut lets[search.at] {
        let key = search.key.iter().map(|(_, part)| *part).collect();
        // The fields are where they were, so that whatever reads the index stays.
        multiloop.nest[search.number].source = Source::Bucket { collection: buckets.defines()[0], key };
        for generator in &mut multiloop.generators {
            generator.condition_mut().retain(|id| !search.equalities.contains(id) && !search.own.contains(id));
        }
    }
    let new = program.add_block(Block { lets, result });
    // Other lets may read the block, too, and keep it.
    let new = Substitution::copying().block(program, new);
    let mut readers = Substitution::readers_of(program, search.block, new);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    lets.insert(at, buckets);
    program.blocks[block.0 as usize].lets = lets;
}

/// The loop that makes the buckets.
fn add_buckets(program: &mut Program, search: &Search) -> Let {
    let Let::Loop { multiloop, .. } = &program.block(search.block).lets[search.at] else {
        unreachable!("find has seen a loop")
    };
    let old = multiloop.nest[search.number].id;
    let index = program.index_over(Source::Rows(search.collection));
    let members = program.source_fields(&index.source);
    let value: Vec<ScalarId> =
        members.iter().zip(0..).map(|(field, at)| program.scalars.column(index.id, at, field.data_type)).collect();
    let mut to_row = Substitution::new();
    to_row.replace_index(old, value.clone());
    let mut condition = search.own.clone();
    to_row.all(program, &mut condition);
    let mut key: Vec<ScalarId> = search.key.iter().map(|(inner, _)| *inner).collect();
    to_row.all(program, &mut key);
    let named = key.iter().enumerate();
    let fields = named.map(|(number, &id)| Field::new(format!("key{number}"), program.scalars.data_type(id), true));
    let fields = fields.collect();
    let collection = program.add_collection(fields, Shape::Buckets { members });
    let generator = Generator::BucketCollect { condition, key, value };
    Let::Loop { defines: vec![collection], multiloop: Multiloop { nest: vec![index], generators: vec![generator] } }
}
