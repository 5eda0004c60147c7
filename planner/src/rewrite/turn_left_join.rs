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

use super::dependencies::definitions;
use super::failing::Failing;
use super::selectivity::Selectivity;
use super::substitute::Substitution;
use super::uses::{FreeIndices, Use, collection_uses, for_each_node};
use crate::analysis::nullability::{Nullability, null_below};
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::types::{DataType, Field};
use crate::value::Value;

/// How many times the rows of the left side those of the right side have to be.
pub(super) const TURN_MIN: f64 = 1.5;

/// Turns left joins around.
pub(super) fn turn_left_join(program: &mut Program) -> bool {
    let mut changed = false;
    for block in live_blocks(program) {
        while let Some(join) = find(program, block) {
            turn(program, block, join);
            changed = true;
        }
    }
    changed
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
    let (made, uses, failing) = (definitions(program), collection_uses(program), Failing::of(program));
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
        let may = alone && larger && vanish && !is_in_place(program, build) && free;
        may.then_some(LeftJoin { made: from.at, at, chosen })
    };
    (0..lets.len()).find_map(pays)
}

/// Whether a scalar is NULL when no index of a nest stands on a row.
fn vanishes(program: &Program, nest: &[Index], id: ScalarId) -> bool {
    null_below(&program.scalars, id, &|id| match program.scalars.get(id) {
        Scalar::Column { index, .. } => nest.iter().any(|each| each.id == *index),
        _ => false,
    })
}

/// A part of the buckets' key that is NULL when no index of a nest stands on a row, and never where something was found.
pub(super) fn witness(program: &Program, nest: &[Index], (key, asked): (&[ScalarId], &[KeyPart])) -> Option<ScalarId> {
    let parts = key.iter().zip(asked).filter(|(_, part)| !part.null_matches);
    parts.map(|(&scalar, _)| scalar).find(|&scalar| vanishes(program, nest, scalar))
}

/// Whether these buckets are all rows of a table by a column that is sorted and unique.
fn is_in_place(program: &Program, build: &Multiloop) -> bool {
    let ([Index { id, source: Source::Rows(rows) }], [Generator::BucketCollect { condition, key, .. }]) =
        (&build.nest[..], &build.generators[..])
    else {
        return false;
    };
    let (Shape::Table { columns, statistics, .. }, [key]) = (&program.collection(*rows).shape, &key[..]) else {
        return false;
    };
    let Scalar::Column { index, field } = program.scalars.get(*key) else { return false };
    let column = columns.get(*field as usize).and_then(|&column| statistics.columns.get(column as usize));
    index == id && condition.is_empty() && column.is_some_and(|column| column.sorted && column.unique)
}

/// Whether the key reads the left side alone, and neither it nor anything that the buckets are made of has effects.
pub(super) fn is_free(
    program: &Program,
    failing: &Failing,
    (left, key): (IndexId, &[KeyPart]),
    build: &Multiloop,
) -> bool {
    let mut free = FreeIndices::default();
    let mut own = |id: ScalarId| free.scalar(program, id).iter().all(|index| *index == left);
    let mut moves = |id: ScalarId| own(id) && failing.is_pure(program, id) && !holds_block(program, id);
    let mut pure = key.iter().all(|part| moves(part.scalar));
    let mut visit = |id| pure &= failing.is_pure(program, id);
    build.nest.iter().for_each(|index| index.source.for_each_scalar(&mut visit));
    build.generators.iter().for_each(|generator| generator.for_each_scalar(&mut visit));
    pure
}

/// How many of the first conditions read the left side alone and are the same for all generators.
pub(super) fn chosen(program: &Program, failing: &Failing, multiloop: &Multiloop, left: IndexId) -> usize {
    let mut free = FreeIndices::default();
    let first = multiloop.generators[0].condition();
    let passes = |&(at, &id): &(usize, &ScalarId)| {
        multiloop.generators.iter().all(|generator| generator.condition().get(at) == Some(&id))
            && free.scalar(program, id).iter().all(|index| *index == left)
            && failing.is_pure(program, id)
            && !holds_block(program, id)
    };
    first.iter().enumerate().take_while(passes).count()
}

/// Whether a scalar holds a nested block: one that a value of the loop holds, too, would be there twice.
fn holds_block(program: &Program, id: ScalarId) -> bool {
    let mut holds = false;
    for_each_node(program, id, &mut vec![false; program.scalars.len()], &mut |_, scalar| {
        holds |= matches!(scalar, Scalar::Nested { .. });
    });
    holds
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
    let (buckets, collect) = by_question(program, (&left, rows), (collection_of(&right), &asked), of_left.clone());
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

/// Which rows find a left row: those whose key one of the left rows that pass some conditions asks for.
pub(super) struct Asks<'a> {
    pub(super) left: IndexId,
    pub(super) rows: CollectionId,
    pub(super) asked: &'a [KeyPart],
    pub(super) key: &'a [ScalarId],
    pub(super) conditions: &'a [ScalarId],
}

impl Asks<'_> {
    /// Whether that implies a condition: that the key is among those of more left rows.
    pub(super) fn imply(&self, program: &mut Program, lets: &[Let], condition: ScalarId) -> bool {
        let Scalar::Exists { collection, key } = program.scalars.get(condition).clone() else { return false };
        let parts = key.iter().zip(self.key.iter().zip(self.asked));
        let same = |(part, (key, asked)): (&KeyPart, (&ScalarId, &KeyPart))| {
            part.scalar == *key && (part.null_matches || !asked.null_matches)
        };
        if key.len() != self.key.len() || !parts.into_iter().all(same) {
            return false;
        }
        let maker = lets.iter().find_map(|each| match each {
            Let::Loop { defines, multiloop } => {
                defines.iter().position(|define| *define == collection).map(|at| (multiloop, at))
            }
            _ => None,
        });
        let Some((Multiloop { nest, generators }, at)) = maker else { return false };
        let [Index { id, source: Source::Rows(rows) }] = &nest[..] else { return false };
        let (Generator::BucketReduce { condition, key, .. } | Generator::BucketCollect { condition, key, .. }) =
            &generators[at]
        else {
            return false;
        };
        let mut here = Substitution::new();
        here.rename_index(*id, self.left);
        let mut keys = key.iter().zip(self.asked);
        *rows == self.rows
            && keys.all(|(&key, asked)| here.scalar(program, key) == asked.scalar)
            && condition.iter().all(|&id| self.conditions.contains(&here.scalar(program, id)))
    }
}

/// The left rows that pass a condition, by what they ask a collection for, with all fields: their buckets, and how they are
/// made.
pub(super) fn by_question(
    program: &mut Program,
    (left, rows): (&Index, CollectionId),
    (collection, asked): (CollectionId, &[KeyPart]),
    condition: Vec<ScalarId>,
) -> (CollectionId, Generator) {
    let members = program.collection(rows).fields.clone();
    let mut nullability = Nullability::default();
    nullability.enter(program, left);
    let named = program.collection(collection).fields.clone();
    let fields = named.into_iter().zip(asked).map(|(field, part)| Field {
        data_type: program.scalars.data_type(part.scalar),
        nullable: nullability.scalar(program, part.scalar),
        ..field
    });
    let fields = fields.collect();
    let fields_of = members.iter().zip(0..);
    let value = fields_of.map(|(field, number)| program.scalars.column(left.id, number, field.data_type)).collect();
    let key = asked.iter().map(|part| part.scalar).collect();
    let buckets = program.add_collection(fields, Shape::Buckets { members });
    (buckets, Generator::BucketCollect { condition, key, value })
}

fn collection_of(index: &Index) -> CollectionId {
    index.source.collection().expect("a left join goes over buckets")
}
