//! GroupBy-Reduce: aggregates while grouping, where every group is kept only to be reduced.
//!
//! ```text
//! A = BucketCollect[nest](c)(k)(f)                          H = BucketReduce[nest](c)(k)(g(f) if d(f))(r)
//! … [h in A] … Reduce[j in A[is h]](d(j))(g(j))(r)     →    … [h in H] … h.r
//! ```
//!
//! Source: DMLL, Figure 3. An example:
//!
//! ```text before
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_collect
//!     if i0.b > 0
//!     key a? = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %2 collect
//!     block b0
//!       loop
//!         i2 in %1[is i1.a]
//!         %3 reduce
//!           if i2.b < 9
//!           total? = sum(i2.b)
//!           rows = count_rows()
//!       result %3
//!     if b0.rows > 1::bigint
//!     a? = i1.a
//!     total? = b0.total
//! result %2
//! output a, total
//! ```
//! ```text after
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     if i0.b > 0
//!     key a? = i0.a
//!     total? = sum(i0.b if i0.b < 9)
//!     rows = count_rows(if i0.b < 9)
//! loop
//!   i1 in %1
//!   %2 collect
//!     if i1.rows > 1::bigint
//!     a? = i1.a
//!     total? = i1.total
//! result %2
//! output a, total
//! ```
//!
//! Guard, and why:
//! * nothing else reads the groups' rows: they would have to be kept after all;
//! * the block reduces the very group on which the outer index stands (NULL finds NULL), reads no other index, and
//!   is no top-k, which has as many rows as it likes;
//! * a reduction that may fail on its own (`single`), or a second block, would be evaluated for groups that a
//!   condition of the outer loop leaves out; so a block that may fail must be the only one of its loop, and the
//!   loop's conditions must not stand in front of it: they mention the block, or there are none.
//!   (`count(*) > 1 and (select …)`: one block computes both, whoever asks first.)
//!
//! NULLs: the key of NULLs is a group of its own on both sides. Errors: see above. Joins: the grouping loop's
//! nest is kept as it is.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, collection_uses, nested_of};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, IndexId, Let, Program, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::sibling_generator::read_only_what_is_before;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::Field;

/// Reduces groups while they are made.
pub(super) fn groupby_reduce(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        for at in 0..program.block(block).lets.len() {
            while let Some(site) = limit.next(find(program, block, at)) {
                reduce(program, block, at, &site);
                changed = true;
            }
        }
    }
    changed
}

/// Groups that are reduced as soon as they are made.
struct Site {
    /// Which generator of the let makes the groups.
    generator: usize,
    /// The loop over the groups, and its index.
    consumer: usize,
    outer: IndexId,
    blocks: Vec<BlockReduction>,
}

/// A nested block that reduces the group of the outer index.
struct BlockReduction {
    block: BlockId,
    inner: IndexId,
    aggregates: Vec<Aggregate>,
    fields: Vec<Field>,
    /// The consumer's scalars that read the block.
    readers: Vec<ScalarId>,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Site> {
    let lets = &program.block(block).lets;
    let Let::Loop { defines, multiloop } = &lets[at] else { return None };
    (0..defines.len()).find_map(|generator| {
        matches!(multiloop.generators[generator], Generator::BucketCollect { .. })
            .then(|| site(program, block, at, generator, defines[generator]))?
    })
}

fn site(program: &Program, block: BlockId, at: usize, generator: usize, groups: CollectionId) -> Option<Site> {
    let lets = &program.block(block).lets;
    let reads_groups = |each: &Let| match each {
        Let::Loop { multiloop, .. } => match multiloop.nest[..] {
            [ref only] if only.source == Source::Rows(groups) => Some(only.id),
            _ => None,
        },
        _ => None,
    };
    let (consumer, outer) =
        lets.iter().enumerate().skip(at + 1).find_map(|(position, each)| Some((position, reads_groups(each)?)))?;
    let uses = collection_uses(program)[groups.0 as usize];
    let mut blocks: Vec<BlockReduction> = Vec::new();
    for (id, nested, _) in nested_of(program, &lets[consumer]) {
        if let Some(known) = blocks.iter_mut().find(|known| known.block == nested) {
            known.readers.push(id);
        } else if let Some(mut found) = group_reduction(program, nested, groups, outer) {
            found.readers.push(id);
            blocks.push(found);
        }
    }
    // One `Rows` index, and every `Bucket` index is that of a block found here.
    let all_found = uses.rows == 1 && uses.buckets as usize == blocks.len() && uses.scalars == 0 && uses.whole == 0;
    let asked: Vec<Generator> = blocks.iter().flat_map(|found| generators(program, found.block)).cloned().collect();
    let is_before = read_only_what_is_before(program, &asked, block, at);
    (all_found && is_before && !blocks.is_empty() && may_reduce_early(program, &lets[consumer], &blocks))
        .then_some(Site { generator, consumer, outer, blocks })
}

fn generators(program: &Program, block: BlockId) -> &[Generator] {
    match &program.block(block).lets[..] {
        [Let::Loop { multiloop, .. }] => &multiloop.generators,
        _ => &[],
    }
}

/// A block that is one Reduce of the group of the outer index.
fn group_reduction(program: &Program, id: BlockId, groups: CollectionId, outer: IndexId) -> Option<BlockReduction> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [index], [Generator::Reduce { condition, aggregates }]) =
        (&defines[..], &multiloop.nest[..], &multiloop.generators[..])
    else {
        return None;
    };
    let Source::Bucket { collection, key } = &index.source else { return None };
    let is_own_key = key.iter().zip(0..).all(|(part, field)| {
        part.null_matches && *program.scalars.get(part.scalar) == (Scalar::Column { index: outer, field })
    });
    let top_k = aggregates.iter().any(|aggregate| aggregate.reduction.gives_rows());
    if *collection != groups || !is_own_key || top_k || *define != block.result {
        return None;
    }
    let mut free = FreeIndices::default();
    let mut own = true;
    multiloop.generators[0].for_each_scalar(|id| own &= free.scalar(program, id).iter().all(|free| *free == index.id));
    own.then(|| BlockReduction {
        block: id,
        inner: index.id,
        aggregates: aggregates.iter().map(|aggregate| guarded(aggregate, condition)).collect(),
        fields: program.collection(*define).fields.clone(),
        readers: Vec::new(),
    })
}

/// An aggregate of the rows that pass a condition.
fn guarded(aggregate: &Aggregate, condition: &[ScalarId]) -> Aggregate {
    Aggregate { condition: condition.iter().chain(&aggregate.condition).copied().collect(), ..aggregate.clone() }
}

/// Whether reducing all groups evaluates nothing that may fail for groups that were not asked for.
fn may_reduce_early(program: &Program, consumer: &Let, blocks: &[BlockReduction]) -> bool {
    if blocks.iter().all(|block| program.block_effects(block.block).is_pure()) {
        return true;
    }
    let [only] = blocks else { return false };
    if program.block_effects(only.block).volatile {
        return false;
    }
    let Let::Loop { multiloop, .. } = consumer else { return false };
    let reads = |&id: &ScalarId| only.readers.iter().any(|&reader| mentions(program, id, reader));
    // The first condition that is evaluated asks the block, or there is none and a value does.
    multiloop.generators.iter().any(|generator| match generator.condition().first() {
        Some(first) => reads(first),
        None => true,
    })
}

fn mentions(program: &Program, scalar: ScalarId, part: ScalarId) -> bool {
    scalar == part || program.scalars.get(scalar).children().iter().any(|&child| mentions(program, child, part))
}

/// Makes the groups a BucketReduce and the blocks' readers columns of it.
fn reduce(program: &mut Program, block: BlockId, at: usize, site: &Site) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[at] else { unreachable!("find has seen a loop") };
    let Generator::BucketCollect { condition, key, value } = &multiloop.generators[site.generator] else {
        unreachable!("find has seen a BucketCollect")
    };
    let (condition, key, value) = (condition.clone(), key.clone(), value.clone());
    let mut fields = program.collection(defines[site.generator]).fields.clone();
    let mut aggregates = Vec::new();
    let mut readers = Substitution::new();
    for found in &site.blocks {
        let mut substitution = Substitution::new();
        substitution.replace_index(found.inner, value.clone());
        // All of them: a block within the consumer may read others than the consumer itself does.
        for (made, field) in found.fields.iter().zip(0..) {
            let reader = program.nested(found.block, field);
            let column = program.scalars.column(site.outer, fields.len() as u32 + field, made.data_type);
            readers.replace_scalar(reader, column);
        }
        for mut aggregate in found.aggregates.iter().cloned() {
            aggregate.for_each_scalar_mut(|id| *id = substitution.scalar(program, *id));
            aggregates.push(aggregate);
        }
        fields.extend(found.fields.iter().cloned());
    }
    let shape = Shape::Groups { keys: key.len() as u32 };
    let groups = program.add_collection(fields, shape);
    defines[site.generator] = groups;
    multiloop.generators[site.generator] = Generator::BucketReduce { condition, key, aggregates };
    readers.definition(program, &mut lets[site.consumer]);
    if let Let::Loop { multiloop, .. } = &mut lets[site.consumer] {
        multiloop.nest[0].source = Source::Rows(groups);
    }
    program.blocks[block.0 as usize].lets = lets;
}
