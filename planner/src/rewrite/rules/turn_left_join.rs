//! A left join whose right side is the larger one goes over the right side, and then over the left rows that it has not
//! found.
//!
//! ```text
//! B = BucketCollect[n](c)(k)(v)                         L = BucketCollect[i in A](a)(h(i))(i)
//! G[i in A, j in B[h(i)](p) or null](a && d)(f)    →    G[n, i in L[k](c && p) and rest](d)(f)       with v for j
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
//!   %2 bucket_collect
//!     key a = i1.a
//!     c = i1.c
//! loop
//!   i2 in %0
//!   i3 in %2[i2.a] or null
//!     if i3.c > i2.b
//!   %3 reduce
//!     rows = count_rows()
//!     c? = sum(i3.c)
//! result %3
//! output rows, c
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer)
//! table %1 u(a#0 integer, c#1 integer)
//! loop
//!   i0 in %0
//!   %2 bucket_collect
//!     key a = i0.a
//!     a = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   i2 in %1
//!   i3 in %2[i2.a] and rest
//!     if i2.c > i3.b
//!   %3 reduce
//!     rows = count_rows()
//!     c? = sum(i2.c)
//! result %3
//! output rows, c
//! ```
//!
//! It runs once, behind all other rules: these move conditions and rows between loops in ways that a rest does not allow.
//!
//! That a key is among those of the left rows, which `demand_restriction` may have made a condition of B's, is then known of
//! all that is found.
//!
//! Guard, and why:
//! * the rows of B's nest are more than [`TURN_MIN`] times those of A, as far as is known: to put a row into a bucket costs
//!   several times what it costs to probe with it;
//! * B's loop makes nothing else and nothing else goes over B: otherwise B is made all the same;
//! * B is not all rows of a table by a column that is sorted and unique: such buckets cost nothing;
//! * the left join is the first of its nest, and the key reads i alone: A is put into buckets before anything else is known;
//! * every value that B keeps is NULL where the columns that it reads are; another, as `1 AS found`, which would be 1 in the
//!   rest, too, becomes `CASE WHEN k IS NOT NULL THEN 1 END`, if a part of k is NULL in the rest and nowhere else;
//! * the key has a part: without one every row finds every row, whichever side goes first;
//! * the key, and what B's loop computes, cannot fail and is not volatile: it is evaluated for other rows, and as often as
//!   it finds something. The conditions `a`, those in front that read i alone, move only as long as they cannot fail, and hold
//!   no block.
//!
//! NULLs: a key that finds nothing is found by nothing, and `null_matches` stays with its part; where j stood on no row, the
//! indices of n do. Errors: what stays in place is evaluated for the same pairs. Join kinds: this one only.

use crate::function::Function;
use crate::multiloop::kept::is_whole_sorted_table;
use crate::multiloop::uses::{Use, collection_uses};
use crate::multiloop::{BlockId, CollectionId, Generator, Index, KeyPart, Let, Multiloop, Program, Source};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::dependencies::definitions;
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::reversed_join::{Asks, TURN_MIN, by_lookup, chosen, is_free, vanishes, witness};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;
use crate::value::Value;

/// Turns left joins around.
pub(super) fn turn_left_join(program: &mut Program) -> bool {
    change_blocks(program, find, turn)
}

/// A left join to turn around.
struct LeftJoin {
    /// The let that makes the buckets, and the one that goes over them.
    made: usize,
    at: usize,
    /// How many conditions of each generator read the left side alone; they choose its rows.
    chosen: usize,
}

/// The parts of a loop that begins with a left join.
struct Sides<'p> {
    left: &'p Index,
    rows: CollectionId,
    right: &'p Index,
    buckets: CollectionId,
    key: &'p [KeyPart],
}

fn sides(multiloop: &Multiloop) -> Option<Sides<'_>> {
    let [left, right, ..] = &multiloop.nest[..] else { return None };
    let (Source::Rows(rows), Source::BucketOrNull { collection, key, .. }) = (&left.source, &right.source) else {
        return None;
    };
    (!key.is_empty() && multiloop.rest().is_none()).then_some(Sides {
        left,
        rows: *rows,
        right,
        buckets: *collection,
        key,
    })
}

fn find(program: &Program, block: BlockId) -> Option<LeftJoin> {
    let lets = &program.block(block).lets;
    let joins = |each: &Let| matches!(each, Let::Loop { multiloop, .. } if sides(multiloop).is_some());
    if !lets.iter().any(joins) {
        return None;
    }
    let (made, uses, failing) = (definitions(program), collection_uses(program), Fallible::of(program));
    let selectivity = Selectivity::of(program, &made);
    let pays = |at: usize| {
        let Let::Loop { multiloop, .. } = &lets[at] else { return None };
        let sides = sides(multiloop)?;
        let from = made[sides.buckets.0 as usize].filter(|made| made.block == block)?;
        let Let::Loop { defines, multiloop: build } = &lets[from.at] else { return None };
        let ([_], [Generator::BucketCollect { condition, key, value }]) = (&defines[..], &build.generators[..]) else {
            return None;
        };
        let alone = uses[sides.buckets.0 as usize] == Use { buckets: 1, ..Use::default() } && build.rest().is_none();
        let chosen = chosen(program, &failing, multiloop, sides.left.id);
        let left = selectivity.rows_of_nest(&multiloop.nest[..1], &multiloop.generators[0].condition()[..chosen]);
        let larger = selectivity.rows_of_nest(&build.nest, condition) > left * TURN_MIN;
        let vanish = value.iter().all(|&value| vanishes(program, &build.nest, value))
            || witness(program, &build.nest, (key, sides.key)).is_some();
        let free = is_free(program, &failing, (sides.left.id, sides.key), build);
        let may = alone && larger && vanish && !is_whole_sorted_table(program, build, 0) && free;
        may.then_some(LeftJoin { made: from.at, at, chosen })
    };
    (0..lets.len()).find_map(pays)
}

fn turn(program: &mut Program, block: BlockId, LeftJoin { made, at, chosen }: LeftJoin) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let (front, back) = lets.split_at_mut(at);
    let (Let::Loop { multiloop: build, .. }, Let::Loop { multiloop, .. }) = (&front[made], &mut back[0]) else {
        unreachable!("it has been seen");
    };
    let [Generator::BucketCollect { condition, key, value }] = &build.generators[..] else {
        unreachable!("it has been seen");
    };
    let Some(Sides { left, rows, right, key: asked, .. }) = sides(multiloop) else {
        unreachable!("it has been seen");
    };
    let (left, right, asked) = (left.clone(), right.clone(), asked.to_vec());

    let of_left = multiloop.generators[0].condition()[..chosen].to_vec();
    let (buckets, collect) = by_lookup(program, (&left, rows), (collection_of(&right), &asked), of_left.clone());
    let members = program.members(buckets).to_vec();

    // The right rows ask for them.
    let index = program.add_index();
    let shown = members.iter().zip(0..).map(|(field, number)| program.scalars.column(index, number, field.data_type));
    let mut substitution = Substitution::new();
    substitution.replace_index(left.id, shown.collect());
    let found = witness(program, &build.nest, (key, &asked));
    let values = value.iter().map(|&value| match found {
        Some(found) if !vanishes(program, &build.nest, value) => {
            let data_type = program.scalars.data_type(value);
            let found = program.scalars.call(Function::IsNotNull, vec![found], DataType::Boolean);
            let null = program.scalars.constant(Value::Null, data_type);
            program.scalars.call(Function::Case, vec![found, value, null], data_type)
        }
        _ => value,
    });
    substitution.replace_index(right.id, values.collect());
    let asks = Asks { left: left.id, rows, asked: &asked, key, conditions: &of_left };
    let mut found = condition.clone();
    found.retain(|&id| !asks.imply(program, front, id));
    let parts = key.iter().zip(&asked);
    let key = parts.map(|(&scalar, part)| KeyPart { scalar, null_matches: part.null_matches }).collect();
    if let Source::BucketOrNull { condition, .. } = &right.source {
        found.extend(condition.iter().map(|&id| substitution.scalar(program, id)));
    }
    let mut nest = build.nest.clone();
    nest.push(Index { id: index, source: Source::BucketAndRest { collection: buckets, key, condition: found } });
    for mut deeper in multiloop.nest.split_off(2) {
        substitution.index(program, &mut deeper);
        nest.push(deeper);
    }
    multiloop.nest = nest;
    for generator in &mut multiloop.generators {
        generator.condition_mut().drain(..chosen);
        substitution.generator(program, generator);
    }
    let build = Multiloop { nest: vec![left], generators: vec![collect] };
    lets.insert(at, Let::Loop { defines: vec![buckets], multiloop: build });
    lets.remove(made);
    program.blocks[block.0 as usize].lets = lets;
}

fn collection_of(index: &Index) -> CollectionId {
    index.source.collection().expect("a left join goes over buckets")
}
