//! Looks up groups in a filtered collection of them, where some of the groups have been chosen already.
//!
//! ```text
//! A = BucketReduce[…](…)(k)(f)                          A = …
//! B = BucketReduce[i in A](c(i))(i.k)(g(i))        →    B = BucketReduce[i in A](c(i))(i.k)(g(i), first(i.f))
//! L = … if exists B[h] … if exists A[h] … A[h].f        L = … if exists B[h] … B[h].f
//! ```
//!
//! The chosen groups are fewer, and often nobody but B reads A then: its groups need not be found by their key, and a
//! backend may leave out those that B does not choose before they become rows. Source: none; the case is Q18 of TPC-H.
//! An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_reduce
//!     key a = i0.a
//!     total? = sum(i0.b)
//! loop
//!   i1 in %2
//!   %3 bucket_reduce
//!     if i1.total > 9::bigint
//!     key a = i1.a
//! loop
//!   i2 in %1
//!   %4 collect
//!     if exists %3[i2.k]
//!     if exists %2[i2.k]
//!     x = i2.x
//!     total? = %2[i2.k].total
//! result %4
//! output x, total
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_reduce
//!     key a = i0.a
//!     total? = sum(i0.b)
//! loop
//!   i1 in %2
//!   %3 bucket_reduce
//!     if i1.total > 9::bigint
//!     key a = i1.a
//!     total? = first(i1.total)
//! loop
//!   i2 in %1
//!   %4 collect
//!     if exists %3[i2.k]
//!     x = i2.x
//!     total? = %3[i2.k].total
//! result %4
//! output x, total
//! ```
//!
//! Guard, and why:
//! * B goes over A alone, and its key is all of A's, part by part: otherwise a group of B is not a group of A;
//! * only what stands behind `exists B[h]` asks B: in front of it there are rows whose group is not among the chosen;
//! * h is the same scalars, with the same say about NULL, and not volatile: otherwise another group is meant;
//! * f may be NULL by its claim: a lookup in B of something that is never NULL could not be claimed to be so.
//!
//! NULLs: a part of h that is NULL finds in B what it finds in A, as both have A's key. Errors: A's would have been B's,
//! which has been asked already. Joins: none.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::for_each_node;
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, KeyPart, Let, Program, Reduction, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::substitute::Substitution;

/// Asks chosen groups instead of all.
pub(super) fn ask_chosen_groups(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            while let Some(site) = limit.next(find(program, block, at)) {
                ask_chosen(program, block, at, site);
                changed = true;
            }
        }
    }
    changed
}

/// What a generator asks of all groups after it has asked for a chosen one.
struct Site {
    generator: usize,
    /// Where `exists` of the chosen group stands among its conditions.
    condition: usize,
    chosen: CollectionId,
    /// Which generator makes the chosen groups.
    made: Definition,
    /// Lookups of fields of all groups.
    lookups: Vec<(ScalarId, u32)>,
    /// `exists` of all groups, which are true.
    known: Vec<ScalarId>,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Site> {
    let Let::Loop { multiloop, .. } = &program.block(block).lets[at] else { return None };
    let exists = |id: ScalarId| match program.scalars.get(id) {
        Scalar::Exists { collection, key } if !program.scalars.effects(id).volatile => Some((*collection, key)),
        _ => None,
    };
    if !multiloop.generators.iter().any(|each| each.condition().iter().any(|&id| exists(id).is_some())) {
        return None;
    }
    let made = definitions(program);
    for (number, generator) in multiloop.generators.iter().enumerate() {
        for (place, &condition) in generator.condition().iter().enumerate() {
            let Some((chosen, key)) = exists(condition) else { continue };
            let Some(made) = made[chosen.0 as usize] else { continue };
            let Some(all) = chosen_of(program, made) else { continue };
            let (lookups, known) = asked(program, generator, place, all, key);
            if !lookups.is_empty() || !known.is_empty() {
                return Some(Site { generator: number, condition: place, chosen, made, lookups, known });
            }
        }
    }
    None
}

/// The groups of which some loop's groups are some.
fn chosen_of(program: &Program, made: Definition) -> Option<CollectionId> {
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return None };
    let ([index], Generator::BucketReduce { key, .. }) = (&multiloop.nest[..], &multiloop.generators[made.generator])
    else {
        return None;
    };
    let Source::Rows(all) = index.source else { return None };
    let Shape::Groups { keys } = program.collection(all).shape else { return None };
    let is_part =
        |(part, id): (u32, &ScalarId)| *program.scalars.get(*id) == Scalar::Column { index: index.id, field: part };
    (key.len() == keys as usize && (0..keys).zip(key).all(is_part)).then_some(all)
}

/// What a generator asks of all groups for this key behind one of its conditions: lookups, and conditions that ask
/// whether there is one.
fn asked(
    program: &Program,
    generator: &Generator,
    place: usize,
    all: CollectionId,
    wanted: &[KeyPart],
) -> (Vec<(ScalarId, u32)>, Vec<ScalarId>) {
    let fields = &program.collection(all).fields;
    let before = &generator.condition()[..=place];
    let (mut lookups, mut seen) = (Vec::new(), vec![false; program.scalars.len()]);
    let mut skipped = before.len();
    generator.for_each_scalar(|id| {
        // The conditions come first.
        if skipped > 0 {
            skipped -= 1;
            return;
        }
        for_each_node(program, id, &mut seen, &mut |id, scalar| match scalar {
            Scalar::Lookup { collection, key, field }
                if *collection == all && key[..] == *wanted && fields[*field as usize].nullable =>
            {
                lookups.push((id, *field));
            }
            _ => {}
        });
    });
    let is_known = |id: &&ScalarId| matches!(program.scalars.get(**id), Scalar::Exists { collection, key } if *collection == all && key[..] == *wanted);
    let known = generator.condition()[place + 1..].iter().filter(is_known).copied().collect();
    (lookups, known)
}

fn ask_chosen(program: &mut Program, block: BlockId, at: usize, site: Site) {
    let mut substitution = Substitution::new();
    for &(lookup, field) in &site.lookups {
        let field = kept(program, site.chosen, site.made, field);
        let data_type = program.scalars.data_type(lookup);
        let Scalar::Lookup { key, .. } = program.scalars.get(lookup) else { continue };
        let instead = Scalar::Lookup { collection: site.chosen, key: key.clone(), field };
        let instead = program.scalars.intern(instead, data_type);
        substitution.replace_scalar(lookup, instead);
    }
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    if let Let::Loop { multiloop, .. } = &mut lets[at] {
        let generator = &mut multiloop.generators[site.generator];
        let before = generator.condition()[..=site.condition].to_vec();
        substitution.generator(program, generator);
        let (Generator::Collect { condition, .. }
        | Generator::Reduce { condition, .. }
        | Generator::BucketCollect { condition, .. }
        | Generator::BucketReduce { condition, .. }) = generator;
        condition.splice(..before.len(), before);
        let mut place = 0;
        condition.retain(|id| {
            place += 1;
            place <= site.condition + 1 || !site.known.contains(id)
        });
    }
    program.blocks[block.0 as usize].lets = lets;
}

/// The field of the chosen groups that keeps a field of the groups that they are of, new if there is none yet.
fn kept(program: &mut Program, chosen: CollectionId, made: Definition, field: u32) -> u32 {
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return field };
    let index = multiloop.nest[0].clone();
    let Some(all) = index.source.collection() else { return field };
    let shown = program.collection(all).fields[field as usize].clone();
    let column = program.scalars.column(index.id, field, shown.data_type);
    let first = Aggregate::new(Reduction::First, vec![column], shown.data_type);
    let Let::Loop { multiloop, .. } = &mut program.blocks[made.block.0 as usize].lets[made.at] else { return field };
    let Generator::BucketReduce { key, aggregates, .. } = &mut multiloop.generators[made.generator] else {
        return field;
    };
    if let Some(number) = aggregates.iter().position(|aggregate| *aggregate == first) {
        return (key.len() + number) as u32;
    }
    aggregates.push(first);
    let fields = &mut program.collections[chosen.0 as usize].fields;
    fields.push(shown);
    (fields.len() - 1) as u32
}
