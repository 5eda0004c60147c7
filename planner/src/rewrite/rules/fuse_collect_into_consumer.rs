//! Pipeline fusion: a Collect that one loop goes over is spliced into that loop.
//!
//! ```text
//! C = Collect[nest p](c1)(f)                         G[nest p, rest](c1 && c2(f(p)))(k(f(p)))(g(f(p)))
//! G[nest (i in C), rest](c2(i))(k(i))(g(i))    →     i.field becomes the Collect's value of that field
//! ```
//!
//! Source: DMLL, section 3.1, the generalised fusion rule. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if i0.a > 5
//!     double = i0.a * 2
//!     b? = i0.b
//! loop
//!   i1 in %1
//!   %2 reduce
//!     if i1.b < 7
//!     total? = sum(i1.double)
//! result %2
//! output total
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer?)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     if i0.a > 5
//!     if i0.b < 7
//!     total? = sum(i0.a * 2)
//! result %1
//! output total
//! ```
//!
//! Guard, and why:
//! * the consumer is the Collect's only reader, in the same block, and goes over it with its first index:
//!   elsewhere the Collect's work would be done again for every setting of the indices in front;
//! * unless the Collect is a mere choice of columns, which costs nothing: then every reader, wherever it is,
//!   reads its source instead;
//! * the consumer waits for nothing else that the Collect's loop makes: going over the rows again to find them would
//!   cost what `collect_driving_rows` saves;
//! * no volatile condition or value: a consumer with conditions, or one that mentions a field twice, would evaluate
//!   it for other rows or more often (`select r from (select random() as r from t) where r < 0.5` shows r < 0.5);
//! * no index of the consumer wants unmatched rows: for these the Collect's fields are NULL, whatever they are made of, and its
//!   conditions do not count;
//! * when the Collect has conditions, no source of the rest of the nest may fail: its key would be evaluated for
//!   rows that the Collect leaves out (`from (select x from t where x <> 0) u join v on v.y = 1 / u.x`).
//!
//! NULLs: none involved, conditions stay conditions. Errors: the Collect's conditions come first, so what was
//! evaluated for the rows behind them still is, and for no others. Joins: inner and left, the index is the nest's
//! first and so never the NULL-supplying one.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{Use, collection_uses, collections_read, for_each_node};
use crate::multiloop::{CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Scalar, ScalarId, Source};
use crate::rewrite::machinery::substitute::Substitution;
use rustc_hash::{FxHashMap, FxHashSet};

/// Splices every Collect that can be into its reader.
pub(super) fn fuse_collect_into_consumer(program: &mut Program) -> bool {
    let mut changed = bypass_projections(program);
    let uses = collection_uses(program);
    // InnerIndices blocks first: a change around a block makes a new block of it.
    for block in live_blocks(program).into_iter().rev() {
        let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
        let before = lets.len();
        let mut defined: FxHashMap<CollectionId, usize> = FxHashMap::default();
        for at in 0..lets.len() {
            while let Some((producer, generator)) = first_source(&lets, at, &defined, &uses)
                && may_fuse(program, &lets[producer], generator, &lets[at])
                && !waits_for_sibling(program, &lets[producer..=at], generator)
            {
                let (front, back) = lets.split_at_mut(at);
                fuse(program, &mut front[producer], generator, &mut back[0]);
                changed = true;
            }
            defined.extend(lets[at].defines().iter().map(|&define| (define, at)));
        }
        lets.retain(|each| !matches!(each, Let::Loop { defines, .. } if defines.is_empty()));
        debug_assert!(lets.len() <= before);
        program.blocks[block.0 as usize].lets = lets;
    }
    changed
}

/// The let and the generator that define what the first index of a loop goes over, if nothing else reads it.
fn first_source(
    lets: &[Let],
    at: usize,
    defined: &FxHashMap<CollectionId, usize>,
    uses: &[Use],
) -> Option<(usize, usize)> {
    let Let::Loop { multiloop, .. } = &lets[at] else { return None };
    let Source::Rows(collection) = multiloop.nest.first()?.source else { return None };
    let producer = *defined.get(&collection)?;
    if !uses[collection.0 as usize].is_one_rows() {
        return None;
    }
    let generator = lets[producer].defines().iter().position(|&define| define == collection)?;
    Some((producer, generator))
}

fn may_fuse(program: &Program, producer: &Let, generator: usize, consumer: &Let) -> bool {
    let (Let::Loop { multiloop: producer, .. }, Let::Loop { multiloop: consumer, .. }) = (producer, consumer) else {
        return false;
    };
    let Generator::Collect { condition, value } = &producer.generators[generator] else { return false };
    if consumer.rest().is_some() {
        return false;
    }
    // A loop with other results stays; going over a whole nest twice costs more than keeping the rows.
    if producer.generators.len() > 1 && producer.nest.len() > 1 {
        return false;
    }
    let effects = |id: &ScalarId| program.scalars.effects(*id);
    let nest = producer.nest.iter().flat_map(|index| index.source.scalars()).collect::<Vec<_>>();
    if condition.iter().chain(value).chain(&nest).any(|id| effects(id).volatile) {
        return false;
    }
    condition.is_empty() || rest_is_pure(program, consumer, value)
}

/// Whether the last of these lets reads, through those between, what other generators of the first make: then the
/// rows have been found once for both, and are not to be looked for again.
fn waits_for_sibling(program: &Program, lets: &[Let], generator: usize) -> bool {
    let (Some((producer, between)), true) = (lets.split_first(), lets[0].defines().len() > 1) else { return false };
    let siblings = producer.defines().iter().enumerate().filter(|(at, _)| *at != generator);
    let mut waiting: FxHashSet<CollectionId> = siblings.map(|(_, define)| *define).collect();
    let mut last = false;
    for each in between {
        last = !collections_read(program, each).is_disjoint(&waiting);
        if last {
            waiting.extend(each.defines());
        }
    }
    last
}

/// Whether what stands behind the first index of a nest cannot fail once that index's fields are these values.
fn rest_is_pure(program: &Program, consumer: &Multiloop, value: &[ScalarId]) -> bool {
    let first = consumer.nest[0].id;
    let mut pure = true;
    let mut seen = vec![false; program.scalars.len()];
    for id in consumer.nest[1..].iter().flat_map(|index| index.source.scalars()) {
        pure &= program.scalars.effects(id).is_pure();
        for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
            Scalar::Column { index, field } if *index == first => {
                pure &= program.scalars.effects(value[*field as usize]).is_pure();
            }
            // What a block reads is not looked at.
            Scalar::Nested { .. } => pure &= value.iter().all(|&id| program.scalars.effects(id).is_pure()),
            _ => {}
        });
    }
    pure
}

/// Splices a generator's nest, conditions and values into the consumer and takes it out of its loop.
fn fuse(program: &mut Program, producer: &mut Let, generator: usize, consumer: &mut Let) {
    let (Let::Loop { defines, multiloop: from }, Let::Loop { multiloop: into, .. }) = (producer, consumer) else {
        unreachable!("may_fuse has seen loops")
    };
    let mut nest = from.nest.clone();
    let Generator::Collect { mut condition, mut value } = from.generators.remove(generator) else {
        unreachable!("may_fuse has seen a Collect")
    };
    defines.remove(generator);
    if !defines.is_empty() {
        // The loop stays alive for its other results: the consumer gets a copy of its nest.
        let mut copy = Substitution::copying();
        nest.iter_mut().for_each(|index| {
            copy.index(program, index);
        });
        copy.all(program, &mut condition);
        copy.all(program, &mut value);
    }
    let index = into.nest.remove(0);
    let mut substitution = Substitution::new();
    substitution.replace_index(index.id, value);
    for index in &mut into.nest {
        substitution.index(program, index);
    }
    nest.append(&mut into.nest);
    into.nest = nest;
    for generator in &mut into.generators {
        substitution.generator(program, generator);
        generator.condition_mut().splice(0..0, condition.iter().copied());
    }
}

/// A Collect that only chooses columns of one collection, for every row: which fields of which.
struct Projection {
    source: CollectionId,
    fields: Vec<u32>,
}

/// Lets every `Rows` index over a choice of columns go over its source instead.
fn bypass_projections(program: &mut Program) -> bool {
    let mut projections: FxHashMap<CollectionId, Projection> = FxHashMap::default();
    let mut changed = false;
    for block in live_blocks(program) {
        let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
        for each in &mut lets {
            while let Some((position, index)) = bypassed(each, &projections) {
                let Let::Loop { multiloop, .. } = &mut *each else { unreachable!("only loops have indices") };
                let Source::Rows(collection) = multiloop.nest[position].source else { unreachable!("it is over Rows") };
                let Projection { source, fields } = &projections[&collection];
                multiloop.nest[position].source = Source::Rows(*source);
                redirect(program, each, index, &fields.clone(), *source);
                changed = true;
            }
            remember(program, each, &mut projections);
        }
        program.blocks[block.0 as usize].lets = lets;
    }
    changed
}

fn bypassed(each: &Let, projections: &FxHashMap<CollectionId, Projection>) -> Option<(usize, IndexId)> {
    let Let::Loop { multiloop, .. } = each else { return None };
    multiloop.nest.iter().enumerate().find_map(|(position, Index { id, source })| match source {
        Source::Rows(collection) if projections.contains_key(collection) => Some((position, *id)),
        _ => None,
    })
}

/// Replaces an index's columns by the fields of its new source, under a new id: the old columns have other types.
fn redirect(program: &mut Program, each: &mut Let, index: IndexId, fields: &[u32], source: CollectionId) {
    let to = program.add_index();
    let types: Vec<_> = program.collection(source).fields.iter().map(|field| field.data_type).collect();
    let columns = fields.iter().map(|&field| program.scalars.column(to, field, types[field as usize])).collect();
    let mut substitution = Substitution::new();
    substitution.replace_index(index, columns);
    substitution.definition(program, each);
    let Let::Loop { multiloop, .. } = each else { unreachable!("only loops have indices") };
    multiloop.nest.iter_mut().filter(|other| other.id == index).for_each(|other| other.id = to);
}

fn remember(program: &Program, each: &Let, projections: &mut FxHashMap<CollectionId, Projection>) {
    let Let::Loop { defines, multiloop } = each else { return };
    let [Index { id, source: Source::Rows(source) }] = multiloop.nest[..] else { return };
    for (&define, generator) in defines.iter().zip(&multiloop.generators) {
        let Generator::Collect { condition, value } = generator else { continue };
        if !condition.is_empty() {
            continue;
        }
        let fields: Option<Vec<u32>> = value
            .iter()
            .map(|&value| match program.scalars.get(value) {
                Scalar::Column { index, field } if *index == id => Some(*field),
                _ => None,
            })
            .collect();
        if let Some(fields) = fields {
            projections.insert(define, Projection { source, fields });
        }
    }
}
