//! Groups of a join by its key that have been made without the join are looked up.
//!
//! ```text
//! M = BucketReduce[j in T](c(j))(h(j))(f(j))                       M = …
//! B = BucketCollect[nest](d)(k)(v), unique                    →    R = Collect[nest](d && exists M[k])(k, v, M[k])
//! R = BucketReduce[i in T, b in B[h(i)]](c(i))(h(i))(f(i))
//! ```
//!
//! A group of R is what one row of B finds in T, which M has under its key. Source: aggregation below a join (Yan and
//! Larson), where it costs nothing because somebody else has done it; the case is Q18 of TPC-H. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer unique, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_reduce
//!     key a = i0.a
//!     total? = sum(i0.b)
//! loop
//!   i1 in %1
//!   %3 bucket_collect
//!     if %2[i1.k].total > 9::bigint
//!     key k = i1.k
//!     k = i1.k
//!     x = i1.x
//! loop
//!   i2 in %0
//!   i3 in %3[i2.a]
//!   %4 bucket_reduce
//!     key k = i3.k
//!     total? = sum(i2.b)
//!     x = first(i3.x)
//! loop
//!   i4 in %4
//!   %5 collect
//!     x = i4.x
//!     total? = i4.total
//! result %5
//! output x, total
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer unique, x#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_reduce
//!     key a = i0.a
//!     total? = sum(i0.b)
//! loop
//!   i1 in %1
//!   %3 bucket_collect
//!     if %2[i1.k].total > 9::bigint
//!     key k = i1.k
//!     k = i1.k
//!     x = i1.x
//! loop
//!   i2 in %1
//!   %4 collect
//!     if %2[i2.k].total > 9::bigint
//!     if exists %2[i2.k]
//!     k = i2.k
//!     total? = %2[i2.k].total
//!     x = i2.x
//! loop
//!   i3 in %4
//!   %5 collect
//!     x = i3.x
//!     total? = i3.total
//! result %5
//! output x, total
//! ```
//!
//! Guard, and why:
//! * no bucket of B has two rows: each would count for the group;
//! * R's key is B's key, part by part, and M's; R and M take the same rows of T: otherwise a group is another one;
//! * each aggregate is one of M's, or `first` of what B's row shows;
//! * nothing else reads B, and R is gone over, not looked up;
//! * nothing in M and B may fail or is volatile: M is made of more rows than R was, B's values are computed behind M;
//! * no part of the key is a float or an interval: equal ones may look different, and a row shows its own;
//! * a claim that a field is not NULL still holds.
//!
//! NULLs: M is asked for B's key as B was for T's, so NULLs meet or do not as before. Errors: none, by the guard. Joins:
//! R's is an inner one; B's nest is kept.

use crate::analysis::nullability::Nullability;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, Use, collection_uses};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Reduction, Scalar, ScalarId,
    Shape, Source,
};
use crate::rewrite::machinery::dependencies::{Definition, Dependencies, definitions};
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;

/// StructuralHashes groups of joins up where they have been made without the join.
pub(super) fn reuse_groups(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            if let Some(site) = find(program, block, at) {
                changed |= reuse(program, block, at, site);
            }
        }
    }
    changed
}

/// What takes the place of a join's groups.
struct Site {
    /// The loop that made the joined buckets.
    build: Definition,
    joined: Index,
    /// The groups that have been made, and for which key of the joined row.
    groups: CollectionId,
    /// For each part of the buckets' key whether NULL matches.
    null_matches: Vec<bool>,
    values: Vec<Value>,
}

/// A field of the join's groups.
enum Value {
    /// A part of the buckets' key.
    Key(usize),
    /// A scalar of the joined row.
    Joined(ScalarId),
    /// A field of the groups.
    Looked(u32, DataType),
}

fn find(program: &mut Program, block: BlockId, at: usize) -> Option<Site> {
    let lets = &program.block(block).lets;
    let Let::Loop { defines, multiloop } = &lets[at] else { return None };
    let ([define], [generator], [outer, joined]) = (&defines[..], &multiloop.generators[..], &multiloop.nest[..])
    else {
        return None;
    };
    let (Source::Rows(table), Source::Bucket { collection: buckets, key: probe }) = (&outer.source, &joined.source)
    else {
        return None;
    };
    let Generator::BucketReduce { .. } = generator else { return None };
    // Who has made groups of the same rows.
    let same_rows = |each: &Let| match each {
        Let::Loop { multiloop, .. } => {
            matches!(&multiloop.nest[..], [only] if only.source == Source::Rows(*table))
                && multiloop.generators.iter().any(|each| matches!(each, Generator::BucketReduce { .. }))
        }
        _ => false,
    };
    let candidates: Vec<usize> = (0..at).filter(|&other| same_rows(&lets[other])).collect();
    if candidates.is_empty() {
        return None;
    }
    let (uses, made) = (collection_uses(program), definitions(program));
    let of_define = uses[define.0 as usize];
    let build = made[buckets.0 as usize].filter(|made| made.block == block)?;
    let fits = uses[buckets.0 as usize] == Use { buckets: 1, ..Use::default() }
        && of_define == Use { rows: of_define.rows, ..Use::default() }
        && Dependencies::of(program).has_unique_key(*buckets)
        && is_pure(program, &lets[build.at], build.generator);
    if !fits {
        return None;
    }
    let (generator, joined, outer, probe) = (generator.clone(), joined.clone(), outer.id, probe.clone());
    candidates.into_iter().find_map(|other| {
        let Let::Loop { defines, multiloop } = program.block(block).lets[other].clone() else { return None };
        let mut renaming = Substitution::new();
        renaming.rename_index(multiloop.nest[0].id, outer);
        defines.into_iter().zip(0..).find_map(|(groups, number)| {
            if !is_pure(program, &program.block(block).lets[other], number) {
                return None;
            }
            let mut renamed = multiloop.generators[number].clone();
            renaming.generator(program, &mut renamed);
            let values = values(program, block, build, &generator, &joined, &probe, &renamed)?;
            let null_matches = probe.iter().map(|part| part.null_matches).collect();
            Some(Site { build, joined: joined.clone(), groups, null_matches, values })
        })
    })
}

/// Whether nothing that one generator of a loop computes may fail or is volatile.
fn is_pure(program: &Program, each: &Let, generator: usize) -> bool {
    let Let::Loop { multiloop, .. } = each else { return false };
    let mut pure = true;
    let mut check = |id: ScalarId| pure &= program.scalars.effects(id).is_pure();
    multiloop.nest.iter().for_each(|index| index.source.for_each_scalar(&mut check));
    multiloop.generators[generator].for_each_scalar(&mut check);
    let total = |aggregate: &Aggregate| aggregate.own_effects(&program.scalars).is_pure();
    pure && multiloop.generators[generator].aggregates().iter().all(total)
}

/// Where each field of a join's groups is found, if these groups of its outer rows have what the join does not.
fn values(
    program: &Program,
    block: BlockId,
    build: Definition,
    join: &Generator,
    joined: &Index,
    probe: &[KeyPart],
    groups: &Generator,
) -> Option<Vec<Value>> {
    let Generator::BucketReduce { condition, key, aggregates } = join else { return None };
    let Generator::BucketReduce { condition: of_groups, key: made_by, aggregates: made } = groups else { return None };
    let same = |a: &[ScalarId], b: &[ScalarId]| a.iter().all(|id| b.contains(id)) && b.iter().all(|id| a.contains(id));
    let by_probe = made_by.len() == probe.len() && made_by.iter().zip(probe).all(|(id, part)| *id == part.scalar);
    if !by_probe || !same(condition, of_groups) || key.len() != probe.len() {
        return None;
    }
    let Let::Loop { multiloop, .. } = &program.block(block).lets[build.at] else { return None };
    let Generator::BucketCollect { key: inside, value, .. } = &multiloop.generators[build.generator] else {
        return None;
    };
    // A part of the key is what has been looked for, or the member that was found by it.
    let part = |id: ScalarId| {
        (0..probe.len()).find(|&part| {
            probe[part].scalar == id
                || matches!(program.scalars.get(id), Scalar::Column { index, field }
                    if *index == joined.id && value[*field as usize] == inside[part])
        })
    };
    let mut values = Vec::with_capacity(key.len() + aggregates.len());
    for &id in key {
        // A group shows 0 for -0, and one of several equal intervals.
        let data_type = program.scalars.data_type(id);
        if data_type.is_float() || data_type == DataType::Interval {
            return None;
        }
        values.push(Value::Key(part(id)?));
    }
    if !(0..probe.len()).all(|part| values.iter().any(|value| matches!(value, Value::Key(other) if *other == part))) {
        return None;
    }
    let mut free = FreeIndices::default();
    for aggregate in aggregates {
        let found = made.iter().position(|other| other == aggregate);
        values.push(match (&aggregate.reduction, &aggregate.arguments[..], found) {
            (.., Some(number)) => Value::Looked((made_by.len() + number) as u32, aggregate.data_type),
            (Reduction::First, &[shown], _)
                if aggregate.condition.is_empty()
                    && program.scalars.effects(shown).is_pure()
                    && free.scalar(program, shown).iter().all(|index| *index == joined.id) =>
            {
                Value::Joined(shown)
            }
            _ => return None,
        });
    }
    Some(values)
}

/// Makes the join a Collect over the loop that made its buckets; whether the claims of its fields still hold.
fn reuse(program: &mut Program, block: BlockId, at: usize, site: Site) -> bool {
    let Let::Loop { multiloop, .. } = program.block(block).lets[site.build.at].clone() else { return false };
    // The loop that makes the buckets stays until nobody reads it: this is a copy.
    let mut copy = Substitution::copying();
    let mut nest = multiloop.nest;
    nest.iter_mut().for_each(|index| {
        copy.index(program, index);
    });
    let mut build = multiloop.generators[site.build.generator].clone();
    copy.generator(program, &mut build);
    let Generator::BucketCollect { mut condition, key, value } = build else { return false };
    let parts = key.iter().zip(&site.null_matches);
    let asked: Vec<KeyPart> = parts.map(|(&scalar, &null_matches)| KeyPart { scalar, null_matches }).collect();
    let exists = Scalar::Exists { collection: site.groups, key: asked.clone() };
    condition.push(program.scalars.intern(exists, DataType::Boolean));
    let mut of_joined = Substitution::new();
    of_joined.replace_index(site.joined.id, value);
    let value: Vec<ScalarId> = site
        .values
        .iter()
        .map(|each| match each {
            Value::Key(part) => key[*part],
            Value::Joined(id) => of_joined.scalar(program, *id),
            Value::Looked(field, data_type) => {
                let lookup = Scalar::Lookup { collection: site.groups, key: asked.clone(), field: *field };
                program.scalars.intern(lookup, *data_type)
            }
        })
        .collect();
    let mut nullability = Nullability::default();
    program.block(block).lets[..at].iter().for_each(|each| nullability.define(program, each));
    nest.iter().for_each(|index| nullability.enter(program, index));
    let define = program.block(block).lets[at].defines()[0];
    let fields = program.collection(define).fields.clone();
    if fields.iter().zip(&value).any(|(field, &id)| !field.nullable && nullability.scalar(program, id)) {
        return false;
    }
    program.collections[define.0 as usize].shape = Shape::Rows;
    let generators = vec![Generator::Collect { condition, value }];
    let multiloop = Multiloop { nest, generators };
    program.blocks[block.0 as usize].lets[at] = Let::Loop { defines: vec![define], multiloop };
    true
}
