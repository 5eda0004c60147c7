//! Demand restriction: groups that are looked up for few keys only are made for these keys only.
//!
//! ```text
//! M = BucketReduce[nest](c)(g)(f)(r)                   M = BucketReduce[nest](c && exists C[g])(g)(f)(r)
//! G[… j in C[h] …](… M[h] …)                     →     G[… j in C[h] …](… M[h] …)
//! ```
//!
//! Whoever looks M up with h has found h in C before: it stands on a row of C's bucket, or has passed `exists C[h]`.
//! So groups of keys that C has not are never seen. Source: sideways information passing (magic sets). An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer, s#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     if i0.s = 7
//!     key k = i0.k
//!     k = i0.k
//! loop
//!   i1 in %0
//!   %3 bucket_reduce
//!     key a = i1.a
//!     least? = min(i1.b)
//! loop
//!   i2 in %0
//!   i3 in %2[i2.a]
//!   %4 collect
//!     if i2.b = %3[i3.k].least
//!     b = i2.b
//! result %4
//! output b
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(k#0 integer, s#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     if i0.s = 7
//!     key k = i0.k
//!     k = i0.k
//! loop
//!   i1 in %0
//!   %3 bucket_reduce
//!     if exists %2[i1.a]
//!     key a = i1.a
//!     least? = min(i1.b)
//! loop
//!   i2 in %0
//!   i3 in %2[i2.a]
//!   %4 collect
//!     if i2.b = %3[i3.k].least
//!     b = i2.b
//! result %4
//! output b
//! ```
//!
//! Guard, and why:
//! * all lookups of M stand in the conditions and values of one loop, behind what finds h: a lookup elsewhere would
//!   miss its group (`select sum from m` beside the join);
//! * C stands in front of M and so does not depend on it, and nothing is copied;
//! * C's share of the keys, as `selectivity` estimates it, is small: else the question costs more than the groups.
//!
//! NULLs: the new probe takes NULL as the old one did. Errors: conditions behind, key and arguments are evaluated for
//! fewer rows; the question comes last, so the key is asked for no row that would not have made it. A failing C fails
//! its reader with or without M. Joins: a left join's index finds nothing and implies nothing.

use super::dependencies::definitions;
use super::selectivity::Selectivity;
use super::uses::{Use, collection_uses, for_each_node};
use crate::multiloop::live::live_blocks;
use crate::multiloop::{CollectionId, Generator, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Source};
use crate::types::DataType;

/// The largest share of all keys for which asking pays.
const SHARE_MAX: f64 = 0.3;

/// Restricts groups to the keys that are looked up.
pub(super) fn demand_restriction(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        for at in 0..program.block(block).lets.len() {
            let generators = program.block(block).lets[at].defines().len();
            for number in 0..generators {
                let lets = &program.block(block).lets;
                let Some(wanted) = find(program, lets, at, number) else { continue };
                let exists = Scalar::Exists { collection: wanted.found, key: wanted.key };
                let exists = program.scalars.intern(exists, DataType::Boolean);
                let Let::Loop { multiloop, .. } = &mut program.blocks[block.0 as usize].lets[at] else {
                    unreachable!("find has seen a loop")
                };
                multiloop.generators[number].condition_mut().push(exists);
                changed = true;
            }
        }
    }
    changed
}

/// Where a key has to be found for its group to be wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    found: CollectionId,
    key: Vec<KeyPart>,
}

fn find(program: &Program, lets: &[Let], at: usize, number: usize) -> Option<Wanted> {
    let Let::Loop { defines, multiloop } = &lets[at] else { return None };
    let Generator::BucketReduce { key, aggregates, condition } = &multiloop.generators[number] else { return None };
    let groups = defines[number];
    let uses = collection_uses(program)[groups.0 as usize];
    if aggregates.is_empty() || uses != (Use { scalars: uses.scalars, ..Use::default() }) {
        return None;
    }
    let reader = lets[at + 1..].iter().find(|each| !lookups(program, each, groups).is_empty())?;
    let lookups = lookups(program, reader, groups);
    let Let::Loop { multiloop: reader, .. } = reader else { return None };
    let in_nest = reader.nest.iter().flat_map(|index| index.source.scalars()).any(|id| asks(program, id, groups));
    if lookups.len() != uses.scalars as usize || in_nest {
        return None;
    }
    let made = definitions(program);
    let selectivity = Selectivity::of(program, &made);
    let in_front = |id: CollectionId| lets[..at].iter().any(|each| each.defines().contains(&id));
    facts(program, reader, groups, &made_values(lets)).into_iter().find_map(|fact| {
        let wanted = lookups.iter().map(|lookup| wanted(&fact, lookup, key)).collect::<Option<Vec<Wanted>>>()?;
        let wanted =
            wanted.split_first().and_then(|(first, rest)| rest.iter().all(|other| other == first).then_some(first))?;
        let asked = condition.iter().any(|&id| {
            *program.scalars.get(id) == (Scalar::Exists { collection: wanted.found, key: wanted.key.clone() })
        });
        let pays = !asked && in_front(wanted.found) && selectivity.of_collection(wanted.found) <= SHARE_MAX;
        pays.then(|| wanted.clone())
    })
}

/// The keys with which a let asks for groups; not what its nested blocks ask.
fn lookups(program: &Program, each: &Let, groups: CollectionId) -> Vec<Vec<KeyPart>> {
    let (mut found, mut seen) = (Vec::new(), vec![false; program.scalars.len()]);
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
            Scalar::Lookup { collection, key, .. } | Scalar::Exists { collection, key } if *collection == groups => {
                found.push(key.clone());
            }
            _ => {}
        });
    });
    found
}

fn asks(program: &Program, id: ScalarId, groups: CollectionId) -> bool {
    let mut found = false;
    for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
        found |= matches!(scalar, Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. }
            if *collection == groups);
    });
    found
}

/// A key that has been found: where, and for each part the scalars that are equal to it.
struct Fact {
    found: CollectionId,
    parts: Vec<(Vec<ScalarId>, bool)>,
}

/// For each BucketCollect in front: its key and its values.
type MadeValues<'p> = Vec<(CollectionId, &'p [ScalarId], &'p [ScalarId])>;

fn made_values(lets: &[Let]) -> MadeValues<'_> {
    let mut made = Vec::new();
    for each in lets {
        let Let::Loop { defines, multiloop } = each else { continue };
        for (define, generator) in defines.iter().zip(&multiloop.generators) {
            if let Generator::BucketCollect { key, value, .. } = generator {
                made.push((*define, &key[..], &value[..]));
            }
        }
    }
    made
}

/// What is certain wherever a loop asks for the groups.
fn facts(program: &Program, reader: &Multiloop, groups: CollectionId, made: &MadeValues<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    for index in &reader.nest {
        let Source::Bucket { collection, key } = &index.source else { continue };
        let mut fact = fact(*collection, key);
        if let Some((_, made_key, value)) = made.iter().find(|(id, ..)| id == collection) {
            for ((equal, _), inside) in fact.parts.iter_mut().zip(*made_key) {
                for (field, _) in value.iter().enumerate().filter(|(_, value)| *value == inside) {
                    let column = Scalar::Column { index: index.id, field: field as u32 };
                    equal.extend(columns_read(program, reader, &column));
                }
            }
        }
        facts.push(fact);
    }
    if let [generator] = &reader.generators[..] {
        for &id in generator.condition().iter().take_while(|&&id| !asks(program, id, groups)) {
            if let Scalar::Exists { collection, key } = program.scalars.get(id) {
                facts.push(fact(*collection, key));
            }
        }
    }
    facts
}

fn fact(found: CollectionId, key: &[KeyPart]) -> Fact {
    Fact { found, parts: key.iter().map(|part| (vec![part.scalar], part.null_matches)).collect() }
}

/// The ids under which a loop reads a column.
fn columns_read(program: &Program, reader: &Multiloop, column: &Scalar) -> Vec<ScalarId> {
    let (mut found, mut seen) = (Vec::new(), vec![false; program.scalars.len()]);
    for generator in &reader.generators {
        generator.for_each_scalar(|id| {
            for_each_node(program, id, &mut seen, &mut |id, scalar| {
                if scalar == column {
                    found.push(id);
                }
            });
        });
    }
    found
}

/// The fact as a question about a group's key, if a lookup's key implies it.
fn wanted(fact: &Fact, lookup: &[KeyPart], key: &[ScalarId]) -> Option<Wanted> {
    let part = |(equal, null_matches): &(Vec<ScalarId>, bool)| {
        let position = lookup.iter().position(|part| equal.contains(&part.scalar))?;
        Some(KeyPart { scalar: key[position], null_matches: *null_matches })
    };
    Some(Wanted { found: fact.found, key: fact.parts.iter().map(part).collect::<Option<_>>()? })
}
