//! Driving rows: a loop that asks for few keys finds out first which, so that what it asks has only these.
//!
//! ```text
//!                                              (D, K) = [p](c) Collect(p), BucketReduce(h(p))
//! M = BucketReduce[nest](c')(g)(f)(r)    →     M = BucketReduce[nest](c' && exists K[g])(g)(f)(r)
//! G[p, q](c && d(M[h(p)]))(…)                  G[d in D, q](d(M[h(d)]))(…)
//! ```
//!
//! p are the indices in front of those that ask M, c the conditions on them. If they are all rows of one collection, these
//! need not be collected once more: K alone is made. Source: sideways information passing (magic sets); the semi-join
//! reduction of Bernstein and Chiu. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer, c#2 integer) rows 1000
//! table %1 u(k#0 integer, x#1 integer) rows 10000
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     key k = i0.k
//!     least? = min(i0.x)
//! loop
//!   i1 in %0
//!   %3 collect
//!     if i1.b = 7
//!     if i1.a < %2[i1.c].least
//!     a = i1.a
//! result %3
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer, c#2 integer) rows 1000
//! table %1 u(k#0 integer, x#1 integer) rows 10000
//! loop
//!   i0 in %0
//!   %2 collect
//!     if i0.b = 7
//!     a = i0.a
//!     c = i0.c
//!   %3 bucket_reduce
//!     if i0.b = 7
//!     key k = i0.c
//! loop
//!   i1 in %1
//!   %4 bucket_reduce
//!     if exists %3[i1.k]
//!     key k = i1.k
//!     least? = min(i1.x)
//! loop
//!   i2 in %2
//!   %5 collect
//!     if i2.a < %4[i2.c].least
//!     a = i2.a
//! result %5
//! output a
//! ```
//!
//! Guard, and why:
//! * nothing else asks M, and every question has the same key, made of columns of p: another would miss its group;
//! * the key and what of c has a condition in front that does not move cannot fail, and nothing in p and c is volatile:
//!   K asks for rows that the loop might have dropped before it came to its question, and twice. None of c crosses a
//!   condition that may fail and does not move: the user would see fewer errors than the query has. What may fail does
//!   not go to a loop that makes more than M;
//! * the driving rows, as `selectivity` guesses them, are a quarter or less (an eighth, if they are not collected) of the rows
//!   that M is made of, and have few of its keys: they are stored, and each row of M is asked one question more;
//! * no index wants unmatched rows: c holds for these, too, which are none of the driving rows;
//! * M is not a whole table by a sorted, unique key: such a bucket leaves the rows where they are, and costs nothing;
//! * the loop asks no own groups of its rows (`analysis/own_groups`): these are made for the rows that ask alone, which they
//!   are no longer where they have been collected;
//! * M does not have the keys of these very rows already: their own set is no smaller than they are.
//!
//! It ends: K, which may be asked for fewer keys in its turn, is made of a quarter of M's rows at most, and of one at least.
//!
//! NULLs: K is asked as M was, so a NULL finds nothing unless it did before. Errors: M's arguments are evaluated for
//! fewer rows; the conditions that stay are evaluated for the same rows. Joins: indices keep their order; what asks M may be a left join, because no row asks for what has gone.

use crate::analysis::nullability::Nullability;
use crate::analysis::own_groups::own_groups;
use crate::multiloop::kept::is_whole_sorted_table;
use crate::multiloop::uses::{FreeIndices, Use, collection_uses, collections_read, for_each_node, nested_of};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::collect_rows::{collected, columns_of, read_rows};
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::key_lookups::{KeyLookup, are_all_uses, key_lookups};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use rustc_hash::FxHashSet;

/// The largest share of M's keys for which asking pays.
const SHARE_MAX: f64 = 0.3;
/// How many rows M has to be made of for each driving row.
const ROWS_PER_DRIVING_ROW: f64 = 4.0;
/// The same where the driving rows are a whole collection, over which the loop still goes: they are read twice.
const ROWS_PER_ROW_READ_TWICE: f64 = 8.0;

/// Collects the rows that drive a loop in front of what they ask.
pub(super) fn collect_driving_rows(program: &mut Program) -> bool {
    change_blocks(program, find, split)
}

/// A loop, taken apart.
struct Site {
    reader: usize,
    /// How many of its indices drive the rest.
    driving: usize,
    /// Whether the driving rows are some of those that the loop goes over, and are to be collected.
    collects: bool,
    /// Conditions on the driving rows, and the others.
    front: Vec<ScalarId>,
    rest: Vec<ScalarId>,
    targets: Vec<Target>,
    /// Where the driving rows are collected, and the lets that have to move behind that, in order.
    place: usize,
    sinking: Vec<usize>,
}

/// What is asked, and for which key.
#[derive(Clone)]
struct Target {
    made: Definition,
    collection: CollectionId,
    key: Vec<KeyPart>,
    /// Where the first question stands in the nest.
    at: usize,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let lets = &program.block(block).lets;
    let mut analyses = None;
    lets.iter().enumerate().skip(1).find_map(|(reader, each)| {
        let Let::Loop { multiloop, .. } = each else { return None };
        if multiloop.generators.len() > 1 || multiloop.rest().is_some() {
            return None;
        }
        let questions = key_lookups(program, multiloop);
        if questions.is_empty() || !nested_of(program, each).is_empty() {
            return None;
        }
        let (uses, made, failing, own) = analyses.get_or_insert_with(|| {
            (collection_uses(program), definitions(program), Fallible::of(program), own_groups(program))
        });
        // Its rows would be a table's no more.
        if questions.iter().any(|question| own.contains(&question.collection)) {
            return None;
        }
        let made_here = |id: CollectionId| made[id.0 as usize].filter(|made| made.block == block && made.at < reader);
        let mut targets = targets(program, failing, lets, &questions, uses, made_here);
        targets.retain(|target| !has_their_keys(program, made, multiloop, target));
        let selectivity = Selectivity::of(program, made);
        // Fewer targets leave more in front, and so fewer driving rows: what remains pays all the more. The one that is
        // made of fewest rows is the least loss.
        let of_rows = |target: &Target| made_of(&selectivity, lets, target).0;
        targets.sort_by(|a, b| of_rows(b).total_cmp(&of_rows(a)));
        while !targets.is_empty() {
            if let Some(site) = taken_apart(program, failing, lets, reader, &targets) {
                let driving = selectivity.rows_of_nest(&multiloop.nest[..site.driving], &site.front);
                let each = if site.collects { ROWS_PER_DRIVING_ROW } else { ROWS_PER_ROW_READ_TWICE };
                let pays = |target: &Target| pays(driving, each, made_of(&selectivity, lets, target));
                if targets.iter().all(pays) && fail_alone(program, failing, lets, &site) {
                    return placed(program, lets, site);
                }
            }
            targets.pop();
        }
        None
    })
}

/// What a loop asks, alone and for one key.
fn targets(
    program: &Program,
    failing: &Fallible,
    lets: &[Let],
    questions: &[KeyLookup<'_>],
    uses: &[Use],
    made_here: impl Fn(CollectionId) -> Option<Definition>,
) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for &KeyLookup { collection, key, at, .. } in questions {
        let Some(made) = made_here(collection) else { continue };
        if targets.iter().any(|target| target.collection == collection) {
            continue;
        }
        let asking: Vec<KeyLookup<'_>> =
            questions.iter().filter(|question| question.collection == collection).copied().collect();
        let pure = key.iter().all(|part| failing.is_pure(program, part.scalar));
        let one_key = asking.iter().all(|question| question.key == key);
        let Let::Loop { multiloop, .. } = &lets[made.at] else { continue };
        let own_key = multiloop.generators[made.generator].key();
        // It is asked for as a condition, too.
        let varies = own_key.iter().any(|&id| program.scalars.effects(id).volatile);
        let costs = !varies && !own_key.is_empty() && !is_whole_sorted_table(program, multiloop, made.generator);
        if pure && one_key && costs && are_all_uses(&asking, uses[collection.0 as usize]) {
            targets.push(Target { made, collection, key: key.to_vec(), at });
        }
    }
    targets
}

/// Whether a target has only keys of the rows that a loop goes over: such as have been collected beside them, or of all
/// of them, wherever that stands by now: what is the same for all rows around it is made outside.
fn has_their_keys(program: &Program, made: &[Option<Definition>], reader: &Multiloop, target: &Target) -> bool {
    let Some(Source::Rows(rows)) = reader.nest.first().map(|first| &first.source) else { return false };
    let rows = *rows;
    let place = |id: CollectionId| made[id.0 as usize].map(|made| (made, &program.block(made.block).lets[made.at]));
    let collected = place(rows).map_or(&[][..], |(_, each)| each.defines());
    let (mut pending, mut seen) = (vec![target.collection], FxHashSet::default());
    while let Some(next) = pending.pop() {
        if !seen.insert(next) {
            continue;
        }
        let Some((made, Let::Loop { multiloop, .. })) = place(next) else { continue };
        let conditions = multiloop.generators[made.generator].condition();
        let is_over_them = multiloop.nest.first().is_some_and(|first| first.source == Source::Rows(rows));
        let over_them = is_over_them && conditions.is_empty();
        if next != target.collection && (collected.contains(&next) || over_them) {
            return true;
        }
        pending.extend(conditions.iter().filter_map(|&id| match program.scalars.get(id) {
            Scalar::Exists { collection, .. } => Some(*collection),
            _ => None,
        }));
    }
    false
}

/// Which indices and conditions stand in front of all questions.
fn taken_apart(program: &Program, failing: &Fallible, lets: &[Let], reader: usize, targets: &[Target]) -> Option<Site> {
    let Let::Loop { multiloop, .. } = &lets[reader] else { return None };
    // No index drives what the first one asks.
    let driving = targets.iter().map(|target| target.at).min().filter(|&driving| driving > 0)?;
    let own: Vec<IndexId> = multiloop.nest[driving..].iter().map(|index| index.id).collect();
    let mut free = FreeIndices::default();
    let mut drives = |id: ScalarId| !free.scalar(program, id).iter().any(|index| own.contains(index));
    if !targets.iter().flat_map(|target| &target.key).all(|part| drives(part.scalar)) {
        return None;
    }
    let asked: Vec<CollectionId> = targets.iter().map(|target| target.collection).collect();
    let (mut front, mut rest, mut crosses) = (Vec::new(), Vec::new(), false);
    for &id in multiloop.generators[0].condition() {
        let (pure, volatile) = (failing.is_pure(program, id), program.scalars.effects(id).volatile);
        // Nothing crosses what may fail, and that comes along only if all in front of it does.
        let may_move = !crosses && (pure || (rest.is_empty() && own.is_empty() && !volatile));
        let moves = may_move && drives(id) && !asks(program, id, &asked);
        crosses |= !moves && !pure;
        if moves { &mut front } else { &mut rest }.push(id);
    }
    let nest = &multiloop.nest[..driving];
    let volatile = nest.iter().flat_map(|index| index.source.scalars()).any(|id| program.scalars.effects(id).volatile);
    let collects = !front.is_empty() || nest.len() > 1;
    let drives = collects || matches!(nest, [Index { source: Source::Rows(_), .. }]);
    (!volatile && drives).then(|| Site {
        reader,
        driving,
        collects,
        front,
        rest,
        targets: targets.to_vec(),
        place: 0,
        sinking: Vec::new(),
    })
}

fn asks(program: &Program, id: ScalarId, asked: &[CollectionId]) -> bool {
    let mut found = false;
    for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
        found |= matches!(scalar, Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. }
            if asked.contains(collection));
    });
    found
}

/// How many rows a target is made of, and how many keys they could have.
fn made_of(selectivity: &Selectivity<'_>, lets: &[Let], target: &Target) -> (f64, f64) {
    let Let::Loop { multiloop, .. } = &lets[target.made.at] else { return (0.0, 0.0) };
    let generator = &multiloop.generators[target.made.generator];
    let rows = selectivity.rows_of_nest(&multiloop.nest, generator.condition());
    (rows, selectivity.keys_of_nest(&multiloop.nest, generator.key()))
}

/// Whether driving rows are few beside what is made of so many rows, and have few of its keys. A guess of no rows is
/// none: as few as one would be beside itself.
fn pays(driving: f64, each: f64, (rows, keys): (f64, f64)) -> bool {
    let driving = driving.max(1.0);
    driving * each <= rows && driving <= SHARE_MAX * keys
}

/// Whether nothing fails but what the loop needs anyway, should its driving rows fail: what stands in one loop with a
/// target fails with it.
fn fail_alone(program: &Program, failing: &Fallible, lets: &[Let], site: &Site) -> bool {
    let driving = rows_of(lets, site);
    let mut pure = !failing.reads_failing(program, &driving);
    driving.for_each_scalar(|id| pure &= program.scalars.effects(id).is_pure());
    pure || site.targets.iter().all(|target| lets[target.made.at].defines().len() == 1)
}

/// The loop over the driving rows, which makes the sets of their keys, without what it collects of them.
fn rows_of(lets: &[Let], site: &Site) -> Let {
    let Let::Loop { multiloop, .. } = &lets[site.reader] else { unreachable!("find has seen a loop") };
    let nest = multiloop.nest[..site.driving].to_vec();
    let value = site.targets.iter().flat_map(|target| &target.key).map(|part| part.scalar).collect();
    let generators = vec![Generator::Collect { condition: site.front.clone(), value }];
    Let::Loop { defines: Vec::new(), multiloop: Multiloop { nest, generators } }
}

/// Where the driving rows can stand: in front of all targets, or the targets behind what the rows need.
fn placed(program: &Program, lets: &[Let], mut site: Site) -> Option<Site> {
    let needed = collections_read(program, &rows_of(lets, &site));
    let needs = |at: usize| lets[at].defines().iter().any(|define| needed.contains(define));
    let first = site.targets.iter().map(|target| target.made.at).min()?;
    let last_needed = (0..site.reader).rev().find(|&at| needs(at));
    if last_needed.is_none_or(|at| at < first) {
        site.place = first;
        return Some(site);
    }
    let mut sinking: Vec<usize> = site.targets.iter().map(|target| target.made.at).collect();
    sinking.sort_unstable();
    sinking.dedup();
    // What sinks defines nothing that is read before.
    let sunk: FxHashSet<CollectionId> = sinking.iter().flat_map(|&at| lets[at].defines()).copied().collect();
    let stays = |at: &usize| !sinking.contains(at);
    let free = (first..site.reader).filter(stays).all(|at| collections_read(program, &lets[at]).is_disjoint(&sunk));
    let may_sink = free && needed.is_disjoint(&sunk);
    may_sink.then_some(Site { place: site.reader, sinking, ..site })
}

fn split(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let mut driving = if site.collects {
        take_driving_rows(program, &mut lets[site.reader], &site)
    } else {
        same_rows(program, &lets[site.reader])
    };
    let mut sets: Vec<(Vec<ScalarId>, CollectionId)> = Vec::new();
    for target in &site.targets {
        let key: Vec<ScalarId> = target.key.iter().map(|part| driving.columns.scalar(program, part.scalar)).collect();
        let known = sets.iter().find(|(other, _)| *other == key).map(|(_, set)| *set);
        let set = known.unwrap_or_else(|| {
            let set = key_set(program, &driving.nest, &key, target.collection);
            driving.defines.push(set);
            driving.generators.push(Generator::BucketReduce {
                condition: site.front.clone(),
                key: key.clone(),
                aggregates: Vec::new(),
            });
            sets.push((key, set));
            set
        });
        let Let::Loop { multiloop, .. } = &mut lets[target.made.at] else { unreachable!("find has seen a loop") };
        let generator = &mut multiloop.generators[target.made.generator];
        let parts = generator.key().iter().zip(&target.key);
        let key = parts.map(|(&scalar, part)| KeyPart { scalar, null_matches: part.null_matches }).collect();
        let exists = program.scalars.intern(Scalar::Exists { collection: set, key }, DataType::Boolean);
        generator.condition_mut().push(exists);
    }
    let Driving { nest, defines, generators, .. } = driving;
    let collected = Let::Loop { defines, multiloop: Multiloop { nest, generators } };
    let sunk: Vec<Let> = site.sinking.iter().map(|&at| lets[at].clone()).collect();
    lets.splice(site.place..site.place, std::iter::once(collected).chain(sunk));
    site.sinking.iter().rev().for_each(|&at| drop(lets.remove(at)));
    program.blocks[block.0 as usize].lets = lets;
}

/// The loop over the driving rows, as far as it is made.
struct Driving {
    nest: Vec<Index>,
    defines: Vec<CollectionId>,
    generators: Vec<Generator>,
    /// From the scalars of the loop that has been taken apart to those of this one.
    columns: Substitution,
}

/// Takes the driving rows out of a loop, which then goes over what is collected of them.
fn take_driving_rows(program: &mut Program, reader: &mut Let, site: &Site) -> Driving {
    let Let::Loop { multiloop, .. } = reader else { unreachable!("find has seen a loop") };
    *multiloop.generators[0].condition_mut() = site.rest.clone();
    let rest = multiloop.nest.split_off(site.driving);
    let nest = std::mem::replace(&mut multiloop.nest, rest);
    let value = columns_of(program, &nest, [&*reader]);
    let rows = collected(program, &nest, &value);
    read_rows(program, reader, rows, &value);
    let generators = vec![Generator::Collect { condition: site.front.clone(), value }];
    Driving { nest, defines: vec![rows], generators, columns: Substitution::new() }
}

/// All rows that a loop goes over, which it goes on to do.
fn same_rows(program: &mut Program, reader: &Let) -> Driving {
    let Let::Loop { multiloop, .. } = reader else { unreachable!("find has seen a loop") };
    let Index { id, source } = &multiloop.nest[0];
    let index = program.index_over(source.clone());
    let mut columns = Substitution::copying();
    columns.rename_index(*id, index.id);
    Driving { nest: vec![index], defines: Vec::new(), generators: Vec::new(), columns }
}

/// A set of keys that is asked as `like` was.
fn key_set(program: &mut Program, nest: &[Index], key: &[ScalarId], like: CollectionId) -> CollectionId {
    let mut nullability = Nullability::default();
    nest.iter().for_each(|index| nullability.enter(program, index));
    let names = program.collection(like).fields.iter().map(|field| field.name.clone());
    let names: Vec<String> = names.take(key.len()).collect();
    let field = |(&scalar, name): (&ScalarId, String)| {
        let nullable = nullability.scalar(program, scalar);
        Field::new(name, program.scalars.data_type(scalar), nullable)
    };
    let fields = key.iter().zip(names).map(field).collect();
    program.add_collection(fields, Shape::Groups { keys: key.len() as u32 })
}
