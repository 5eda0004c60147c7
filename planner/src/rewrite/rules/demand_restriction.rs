//! Demand restriction: groups and buckets that are asked for few keys only are made for these keys only.
//!
//! ```text
//! M = BucketReduce[nest](c)(g)(f)(r)                   M = BucketReduce[nest](c && exists C[g])(g)(f)(r)
//! G[… j in C[h] …](… M[h] …)                     →     G[… j in C[h] …](… M[h] …)
//! ```
//!
//! Whoever asks M for h has found h in C before: it stands on a row of C's bucket, or has passed `exists C[h]`. A row
//! that joins M's bucket of h and does not pass `exists C[h]` later on is dropped there. So what M has of keys that C
//! has not is never seen. If M was made for the keys of D before, and C was, too, then C's question takes the place of D's. Source: sideways information passing (magic sets). An example:
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
//! * all questions to M stand in one loop: lookups behind what finds h, a join anywhere beside it. A lookup elsewhere
//!   would miss its group (`select sum from m` beside the join);
//! * nothing that may fail stands between a join and the condition that drops its rows: it would be evaluated for fewer,
//!   and the user see fewer errors than the query has;
//! * only an index that stands in front of a left join restricts it: without its match the row would go on with NULLs
//!   to conditions that it has not met before;
//! * C does not depend on M, and nothing is copied; M moves behind C if it has to. If C may fail, M's loop makes nothing
//!   else, which would fail, too;
//! * C's share of the keys, as `selectivity` estimates it, is small: else the question costs more than the groups;
//! * M is no own groups of the rows that ask (`analysis/own_groups`): these are made for whoever asks, and no others.
//!
//! It ends: M and C are never more than they are, and M asks C once for each key (`have_found`).
//!
//! NULLs: the new probe takes NULL as the old one did. Errors: conditions behind, key and arguments are evaluated for
//! fewer rows; the question comes last, so the key is asked for no row that would not have made it. A failing C fails
//! its reader with or without M. Joins: a left join's index finds nothing and implies nothing.

use crate::analysis::own_groups::own_groups;
use crate::multiloop::uses::{collection_uses, for_each_node};
use crate::multiloop::{
    BlockId, CollectionId, Generator, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, ScalarNode, Source,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::key_lookups::{
    KeyLookup, KeyLookupKind, are_all_uses, have_found, key_lookups, may_sink,
};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::types::DataType;

/// The largest share of all keys for which asking pays.
const SHARE_MAX: f64 = 0.3;

/// Restricts groups and buckets to the keys that they are asked for.
pub(super) fn demand_restriction(program: &mut Program) -> bool {
    change_blocks(program, find, restrict)
}

/// What to restrict and by what.
struct Site {
    made: Definition,
    wanted: Wanted,
    /// Questions that the new one implies: for the same key, to what was made for the same restriction.
    implied: Vec<ScalarId>,
    /// The let behind which what is restricted has to move.
    behind: Option<usize>,
}

/// Where a key has to be found for its group to be wanted.
#[derive(Clone, PartialEq, Eq)]
struct Wanted {
    found: CollectionId,
    key: Vec<KeyPart>,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let lets = &program.block(block).lets;
    let readers: Vec<(&Multiloop, Vec<KeyLookup<'_>>)> = lets
        .iter()
        .filter_map(|each| if let Let::Loop { multiloop, .. } = each { Some(multiloop) } else { None })
        .map(|multiloop| (multiloop, key_lookups(program, multiloop)))
        // One that tells, and one that is asked.
        .filter(|(_, questions)| questions.len() > 1)
        .collect();
    if readers.is_empty() {
        return None;
    }
    let (uses, made) = (collection_uses(program), definitions(program));
    let (selectivity, failing) = (Selectivity::of(program, &made), Fallible::of(program));
    let own = own_groups(program);
    for (reader, questions) in &readers {
        let facts = facts(program, reader, &made);
        for (number, &KeyLookup { collection, .. }) in questions.iter().enumerate() {
            let asked = |question: &&KeyLookup<'_>| question.collection == collection;
            let Some(target) = made[collection.0 as usize].filter(|made| made.block == block) else { continue };
            if own.contains(&collection) || questions[..number].iter().any(|question| asked(&question)) {
                continue;
            }
            let asking: Vec<KeyLookup<'_>> = questions.iter().filter(asked).copied().collect();
            if !are_all_uses(&asking, uses[collection.0 as usize]) {
                continue;
            }
            let small = |fact: &&Fact| selectivity.of_collection(fact.found) <= SHARE_MAX;
            let site = |fact: &Fact| {
                // What stands in one loop fails together.
                let alone = lets[target.at].defines().len() == 1 || !failing.collection(fact.found);
                let wanted = wanted(program, &failing, reader, fact, &asking, lets, target).filter(|_| alone)?;
                site(program, lets, &made, target, wanted)
            };
            if let Some(site) = facts.iter().filter(|fact| fact.found != collection).filter(small).find_map(site) {
                return Some(site);
            }
        }
    }
    None
}

/// The fact as a question about what is asked, if every asker implies it.
fn wanted(
    program: &Program,
    failing: &Fallible,
    reader: &Multiloop,
    fact: &Fact,
    asking: &[KeyLookup<'_>],
    lets: &[Let],
    target: Definition,
) -> Option<Wanted> {
    let Let::Loop { multiloop, .. } = &lets[target.at] else { return None };
    let key = multiloop.generators[target.generator].key();
    // It is asked for as a condition, too.
    if key.iter().any(|&id| program.scalars.effects(id).volatile) {
        return None;
    }
    let of_one = |question: &KeyLookup<'_>| {
        let part = |(equal, null_matches): &(Vec<ScalarId>, bool)| {
            let position = question.key.iter().position(|part| equal.contains(&part.scalar))?;
            Some(KeyPart { scalar: key[position], null_matches: *null_matches })
        };
        let key = fact.parts.iter().map(part).collect::<Option<Vec<KeyPart>>>()?;
        holds(program, failing, reader, fact, question).then_some(Wanted { found: fact.found, key })
    };
    let first = of_one(asking.first()?)?;
    asking[1..].iter().all(|question| of_one(question).as_ref() == Some(&first)).then_some(first)
}

/// Where to ask, if it has not been asked there and the answer can be in front.
fn site(
    program: &Program,
    lets: &[Let],
    made: &[Option<Definition>],
    target: Definition,
    wanted: Wanted,
) -> Option<Site> {
    let Let::Loop { multiloop, .. } = &lets[target.at] else { return None };
    let condition = multiloop.generators[target.generator].condition();
    if have_found(program, made, &multiloop.nest, condition, wanted.found, &wanted.key) {
        return None;
    }
    let implied = condition.iter().copied().filter(|&id| implies(program, made, &wanted, id)).collect();
    let found = made[wanted.found.0 as usize]?;
    let behind = (found.block == target.block && found.at >= target.at).then_some(found.at);
    let may_ask = behind.is_none_or(|at| may_sink(program, lets, target.at, at));
    may_ask.then_some(Site { made: target, wanted, implied, behind })
}

/// Whether what has a key has it only because another, which this condition asks for the same key, has it.
fn implies(program: &Program, made: &[Option<Definition>], wanted: &Wanted, condition: ScalarId) -> bool {
    let Scalar::Exists { collection, key } = program.scalars.get(condition) else { return false };
    let Some(generator) = made[wanted.found.0 as usize].and_then(|made| generator(program, made)) else { return false };
    let own: Vec<KeyPart> = generator
        .key()
        .iter()
        .zip(&wanted.key)
        .map(|(&scalar, part)| KeyPart { scalar, null_matches: part.null_matches })
        .collect();
    let same = Scalar::Exists { collection: *collection, key: own };
    *key == wanted.key && generator.condition().iter().any(|&id| *program.scalars.get(id) == same)
}

/// A key that has been found: where, and for each part the scalars that are equal to it and whether NULL finds it.
struct Fact {
    found: CollectionId,
    parts: Vec<(Vec<ScalarId>, bool)>,
    by: Finder,
}

/// What has found it.
enum Finder {
    /// The index at this position of the nest.
    Index(usize),
    /// A condition.
    Condition(ScalarId),
}

/// What a loop finds.
fn facts(program: &Program, reader: &Multiloop, made: &[Option<Definition>]) -> Vec<Fact> {
    let part = |part: &KeyPart| (vec![part.scalar], part.null_matches);
    let mut facts = Vec::new();
    for (at, index) in reader.nest.iter().enumerate() {
        let Source::Bucket { collection, key } = &index.source else { continue };
        let mut fact = Fact { found: *collection, parts: key.iter().map(part).collect(), by: Finder::Index(at) };
        if let Some(generator) = made[collection.0 as usize].and_then(|made| generator(program, made))
            && let Generator::BucketCollect { key, value, .. } = generator
        {
            // A member that is the key is equal to what has been looked for.
            for ((equal, _), inside) in fact.parts.iter_mut().zip(key) {
                let shown = value.iter().zip(0..).filter(|(value, _)| *value == inside);
                equal.extend(shown.filter_map(|(_, field)| {
                    let scalar = Scalar::Column { index: index.id, field };
                    program.scalars.find(&ScalarNode { scalar, data_type: program.scalars.data_type(*inside) })
                }));
            }
        }
        facts.push(fact);
    }
    for &id in reader.generators[0].condition() {
        if let Scalar::Exists { collection, key } = program.scalars.get(id) {
            facts.push(Fact { found: *collection, parts: key.iter().map(part).collect(), by: Finder::Condition(id) });
        }
    }
    facts
}

fn generator(program: &Program, made: Definition) -> Option<&Generator> {
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return None };
    Some(&multiloop.generators[made.generator])
}

/// Whether who asks has found the fact, or is dropped for not finding it.
fn holds(program: &Program, failing: &Fallible, reader: &Multiloop, fact: &Fact, question: &KeyLookup<'_>) -> bool {
    let inside = question.at == reader.nest.len();
    match (&fact.by, question.kind) {
        (Finder::Index(at), _) => *at < question.at,
        (Finder::Condition(_), KeyLookupKind::BucketOrNull) => false,
        (Finder::Condition(id), KeyLookupKind::Bucket) => {
            let pure = |id: &ScalarId| failing.is_pure(program, *id);
            let behind = reader.nest[question.at + 1..].iter().flat_map(|index| index.source.scalars());
            let drops =
                |generator: &Generator| generator.condition().iter().take_while(|id| pure(id)).any(|each| each == id);
            behind.into_iter().all(|id| pure(&id)) && reader.generators.iter().all(drops)
        }
        (Finder::Condition(found), KeyLookupKind::Scalar) => {
            let [generator] = &reader.generators[..] else { return false };
            let mut conditions = generator.condition().iter();
            // In front of the first that asks.
            inside && conditions.find(|id| *id == found || asks(program, **id, question.collection)) == Some(found)
        }
    }
}

fn asks(program: &Program, id: ScalarId, groups: CollectionId) -> bool {
    let mut found = false;
    for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
        found |= matches!(scalar, Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. }
            if *collection == groups);
    });
    found
}

fn restrict(program: &mut Program, block: BlockId, site: Site) {
    let exists = Scalar::Exists { collection: site.wanted.found, key: site.wanted.key };
    let exists = program.scalars.intern(exists, DataType::Boolean);
    let lets = &mut program.blocks[block.0 as usize].lets;
    let Let::Loop { multiloop, .. } = &mut lets[site.made.at] else { unreachable!("find has seen a loop") };
    let condition = multiloop.generators[site.made.generator].condition_mut();
    condition.retain(|id| !site.implied.contains(id));
    condition.push(exists);
    if let Some(behind) = site.behind {
        lets[site.made.at..=behind].rotate_left(1);
    }
}
