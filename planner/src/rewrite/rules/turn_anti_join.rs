//! Rows whose keys are not among more keys: goes over the rows of those, and then over the rows that none of them has found.
//!
//! ```text
//! S = BucketReduce[n](c)(k)()
//! G[i in A](a && !exists S[h(i)])(f)
//!     →
//! L = BucketCollect[i in A](a)(h(i))(i)
//! G[n, i in L[k](c) and rest](k is null)(f)
//! ```
//!
//! Source: the hash join builds on the smaller side and marks what it has found (Graefe: Query Evaluation Techniques for
//! Large Databases, 1993, section 5.3). An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(a#0 integer, c#1 integer)
//! loop
//!   i0 in %1
//!   i1 in %1
//!   %2 bucket_reduce
//!     if i1.c > 5
//!     key a = i0.a
//! loop
//!   i2 in %0
//!   %3 collect
//!     if i2.b > 3
//!     if NOT exists %2[i2.a]
//!     b = i2.b
//! result %3
//! output b
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(a#0 integer, c#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_collect
//!     if i0.b > 3
//!     key a = i0.a
//!     a = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   i2 in %1
//!   i3 in %2[i1.a] and rest
//!     if i2.c > 5
//!   %3 collect
//!     if is_null(i1.a)
//!     b = i3.b
//! result %3
//! output b
//! ```
//!
//! It runs once, behind all other rules, as `turn_left_join` does. That a key is among those of A's rows, which
//! `collect_driving_rows` or `demand_restriction` may have made a condition of S's, is then known of all that is found.
//!
//! Guard, and why:
//! * S has more than [`TURN_MIN`] times as many keys as A has rows, as far as is known: to put a key into a table costs several
//!   times what it costs to probe with it, and one that is there already is no more than a probe;
//! * the key's parts are integers of a range of more than [`SPREAD`] codes for each row of S's nest: keys closer together are
//!   a set of bits, which costs a row less than any probe (and keys of text are asked by the codes of their dictionary);
//! * S's loop makes nothing else, and nothing else asks S, a value or a FILTER neither: otherwise S is made all the same;
//! * A is the first of its nest, and the key reads i alone: A is put into buckets before anything else is known;
//! * a part of k is NULL where no index of n stands on a row, and never where something was found: this tells the rest;
//! * the key, and what S's loop computes, cannot fail and is not volatile: it is evaluated for other rows, and as often as it
//!   finds something. The conditions `a`, those that read i alone, move only as long as they cannot fail, and hold no block.
//!
//! NULLs: a key that finds nothing is found by nothing, and its row is in the rest, as NOT EXISTS has it. Errors: what stays in
//! place is evaluated for the same rows. Join kinds: this one only.

use crate::analysis::ranges::Ranges;
use crate::function::Function;
use crate::multiloop::uses::{Use, collection_uses, for_each_node};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Source,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::dependencies::definitions;
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::reversed_join::{Asks, TURN_MIN, by_lookup, chosen, is_free, witness};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;

/// Codes for each row from which on keys are no set of bits.
const SPREAD: f64 = 16.0;

/// Turns anti joins around.
pub(super) fn turn_anti_join(program: &mut Program) -> bool {
    change_blocks(program, find, turn)
}

/// An anti join to turn around.
struct AntiJoin {
    /// The let that makes the set, and the one that asks it.
    made: usize,
    at: usize,
    /// How many conditions of each generator read the left side alone, and which of them asks.
    chosen: usize,
    asks: usize,
    /// A part of the set's key that is NULL in the rest, and only there.
    witness: ScalarId,
}

/// The left rows of a loop that may be turned around.
fn left(multiloop: &Multiloop) -> Option<(&Index, CollectionId)> {
    let first = multiloop.nest.first()?;
    let Source::Rows(rows) = first.source else { return None };
    multiloop.rest().is_none().then_some((first, rows))
}

/// What a condition wants not to be there.
fn absent(program: &Program, condition: ScalarId) -> Option<(CollectionId, &[KeyPart])> {
    let Scalar::Call { function: Function::Not, arguments } = program.scalars.get(condition) else { return None };
    let Scalar::Exists { collection, key } = program.scalars.get(*arguments.first()?) else { return None };
    (!key.is_empty()).then_some((*collection, &key[..]))
}

fn find(program: &Program, block: BlockId) -> Option<AntiJoin> {
    let lets = &program.block(block).lets;
    let first = |multiloop: &Multiloop| multiloop.generators[0].condition().to_vec();
    let asks = |each: &Let| match each {
        Let::Loop { multiloop, .. } => {
            left(multiloop).is_some() && first(multiloop).iter().any(|&id| absent(program, id).is_some())
        }
        _ => false,
    };
    if !lets.iter().any(asks) {
        return None;
    }
    let (made, uses, failing) = (definitions(program), collection_uses(program), Fallible::of(program));
    let (selectivity, ranges) = (Selectivity::of(program, &made), Ranges::analyse(program));
    let join = |at: usize, asks: usize, chosen: usize| {
        let Let::Loop { multiloop, .. } = &lets[at] else { return None };
        let mut conditions = first(multiloop)[..chosen].to_vec();
        let question = conditions[asks];
        conditions.retain(|&id| id != question);
        let (collection, asked) = absent(program, question)?;
        let from = made[collection.0 as usize].filter(|made| made.block == block)?;
        let Let::Loop { defines, multiloop: build } = &lets[from.at] else { return None };
        let ([_], [Generator::BucketReduce { condition, key, aggregates }]) = (&defines[..], &build.generators[..])
        else {
            return None;
        };
        let is_set = aggregates.is_empty() && build.rest().is_none();
        let alone = uses[collection.0 as usize] == Use { scalars: 1, ..Use::default() }
            && !asks_else(program, multiloop, question, chosen);
        let (index, _) = left(multiloop)?;
        let keys = selectivity.rows_of_nest(&build.nest, condition).min(selectivity.keys_of_nest(&build.nest, key));
        let larger = keys > selectivity.rows_of_nest(std::slice::from_ref(index), &conditions) * TURN_MIN;
        let may = is_set && alone && larger && is_spread(&ranges, key, selectivity.rows_of_nest(&build.nest, &[]));
        if !may || !is_free(program, &failing, (index.id, asked), build) {
            return None;
        }
        let witness = witness(program, &build.nest, (key, asked))?;
        Some(AntiJoin { made: from.at, at, chosen, asks, witness })
    };
    (0..lets.len()).find_map(|at| {
        let Let::Loop { multiloop, .. } = &lets[at] else { return None };
        let chosen = chosen(program, &failing, multiloop, left(multiloop)?.0.id);
        (0..chosen).find_map(|asks| join(at, asks, chosen))
    })
}

/// Whether keys lie too far apart for a set of bits.
fn is_spread(ranges: &Ranges, key: &[ScalarId], rows: f64) -> bool {
    let codes = |&part: &ScalarId| ranges.of(part).map(|(low, high)| high as f64 - low as f64 + 1.0);
    key.iter().map(codes).product::<Option<f64>>().is_some_and(|codes| codes > rows * SPREAD)
}

/// Whether anything of a loop asks what a question asks, but the question where it stands among the first conditions: that
/// would go on asking.
fn asks_else(program: &Program, multiloop: &Multiloop, question: ScalarId, chosen: usize) -> bool {
    let Some((collection, _)) = absent(program, question) else { return false };
    let mut found = false;
    let mut seen = vec![false; program.scalars.len()];
    let mut visit = |id: ScalarId| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| {
            found |= matches!(scalar, Scalar::Exists { collection: asked, .. } if *asked == collection);
        });
    };
    multiloop.nest.iter().for_each(|index| index.source.for_each_scalar(&mut visit));
    for generator in &multiloop.generators {
        let mut others = generator.clone();
        let behind = others.condition_mut().split_off(chosen);
        others.condition_mut().retain(|&id| id != question);
        others.condition_mut().extend(behind);
        others.for_each_scalar(&mut visit);
    }
    found
}

fn turn(program: &mut Program, block: BlockId, AntiJoin { made, at, chosen, asks, witness }: AntiJoin) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let (front, back) = lets.split_at_mut(at);
    let (Let::Loop { multiloop: build, .. }, Let::Loop { multiloop, .. }) = (&front[made], &mut back[0]) else {
        unreachable!("it has been seen");
    };
    let Generator::BucketReduce { condition, key, .. } = &build.generators[0] else {
        unreachable!("it has been seen");
    };
    let mut of_left = multiloop.generators[0].condition()[..chosen].to_vec();
    let question = of_left[asks];
    of_left.retain(|&id| id != question);
    let (Some((left, rows)), Some((set, asked))) = (left(multiloop), absent(program, question)) else {
        unreachable!("it has been seen");
    };
    let (left, asked) = (left.clone(), asked.to_vec());

    let (buckets, collect) = by_lookup(program, (&left, rows), (set, &asked), of_left.clone());
    let members = program.members(buckets).to_vec();

    // What is found is left out.
    let index = program.add_index();
    let shown = members.iter().zip(0..).map(|(field, number)| program.scalars.column(index, number, field.data_type));
    let mut substitution = Substitution::new();
    substitution.replace_index(left.id, shown.collect());
    let asks = Asks { left: left.id, rows, asked: &asked, key, conditions: &of_left };
    let mut found = condition.clone();
    found.retain(|&id| !asks.imply(program, front, id));
    let parts = key.iter().zip(&asked);
    let key = parts.map(|(&scalar, part)| KeyPart { scalar, null_matches: part.null_matches }).collect();
    let mut nest = build.nest.clone();
    nest.push(Index { id: index, source: Source::BucketAndRest { collection: buckets, key, condition: found } });
    for mut deeper in multiloop.nest.split_off(1) {
        substitution.index(program, &mut deeper);
        nest.push(deeper);
    }
    multiloop.nest = nest;
    let is_rest = program.scalars.call(Function::IsNull, vec![witness], DataType::Boolean);
    for generator in &mut multiloop.generators {
        generator.condition_mut().drain(..chosen);
        substitution.generator(program, generator);
        generator.condition_mut().insert(0, is_rest);
    }
    let build = Multiloop { nest: vec![left], generators: vec![collect] };
    lets.insert(at, Let::Loop { defines: vec![buckets], multiloop: build });
    lets.remove(made);
    program.blocks[block.0 as usize].lets = lets;
}
