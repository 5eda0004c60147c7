//! A window that is asked for the first row of each partition, or the first few, goes over the rows with the best first keys alone.
//!
//! ```text
//! W = Window[partition k, order s, …](row_number() as n)(C)     H = BucketReduce[j in C](k(j))(min(s(j)))
//! G[i in W …](i.n = 1 && …)                                →    D = Collect[i in C](s(i) IS NOT DISTINCT FROM H[k(i)].min)(i)
//!                                                               W = Window[partition k, order s, …](row_number() as n)(D)
//!                                                               G[i in W …](i.n = 1 && …)
//! ```
//!
//! Most rows are not put in order then. `rank` and `dense_rank` are alike; `DISTINCT ON` is this, too (keys of the partition among
//! those of the order tell no rows of it apart, and are passed over). Aggregates of whole
//! partitions in the same window become fields of H. For `i.n <= k` H has the key at place k (`nth_least_k`; `dense` where `dense_rank`
//! is asked: equal keys have one place then), which is NULL of fewer rows, and rows stay unless they are proven worse:
//!
//! ```text
//! D = Collect[i in C](s(i) <= H[k(i)].best || H[k(i)].best IS NULL)(i)
//! ```
//!
//! Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer distinct 9, b#1 integer, c#2 text) rows 100
//! loop
//!   i0 in %0
//!   %1 collect
//!     a = i0.a
//!     b = i0.b
//!     c = i0.c
//! %2 window %1 partition by a order by b desc, c
//!   n = row_number()
//!   rows = count_rows() over rows first to last
//! loop
//!   i1 in %2
//!   %3 collect
//!     if i1.n = 1::bigint
//!     c = i1.c
//!     rows = i1.rows
//! result %3
//! output c, rows
//! ```
//! ```text after
//! table %0 t(a#0 integer distinct 9, b#1 integer, c#2 text) rows 100
//! loop
//!   i0 in %0
//!   %1 collect
//!     a = i0.a
//!     b = i0.b
//!     c = i0.c
//! loop
//!   i1 in %1
//!   %2 bucket_reduce
//!     key a = i1.a
//!     best? = max(i1.b)
//!     rows = count_rows()
//! loop
//!   i2 in %1
//!   %3 collect
//!     if is_not_distinct(i2.b, %2[is i2.a].best)
//!     a = i2.a
//!     b = i2.b
//!     c = i2.c
//!     rows = %2[is i2.a].rows
//! %4 window %3 partition by a order by b desc, c
//!   n = row_number()
//! loop
//!   i3 in %4
//!   %5 collect
//!     a = i3.a
//!     b = i3.b
//!     c = i3.c
//!     n = i3.n
//!     rows = i3.rows
//! loop
//!   i4 in %5
//!   %6 collect
//!     if i4.n = 1::bigint
//!     c = i4.c
//!     rows = i4.rows
//! result %6
//! output c, rows
//! ```
//!
//! Guard, and why:
//! * one loop reads the window, and all of its generators ask for the first places: of other rows the place changes. At most 128:
//!   the keys at these are kept in order;
//! * the window has nothing but places that are asked for so, and aggregates of whole partitions that cannot fail: a running
//!   sum of the first row is known only when rows are in order;
//! * where NULLs come first in the first key, rows of NULL stay, for min and max leave them out;
//! * of several places: the key is kept as a value of its own; intervals, vectors and numerics of any size are not;
//! * the rows are not narrowed yet.
//!
//! NULLs: see the guard; a partition of NULL is found by a part that matches it. Errors: none, by the guard. It ends: the rows
//! of each such window are narrowed once.

use crate::evaluate::statistic::{Nth, Statistic};
use crate::function::Function;
use crate::multiloop::uses::collection_uses;
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Let, Program, Reduction, Scalar, ScalarId, Shape, Source,
    WindowCallee, WindowField,
};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::dependencies::{Definition, definitions};
use crate::rewrite::machinery::partition_groups::{aggregate, columns, is_whole, over_rows, partitions};
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::types::{DataType, Field, SortOrder};
use crate::value::Value;
use crate::window::WindowFunction;

/// How many rows a partition has, at least: what is left out of fewer costs more than it saves.
const ROWS_PER_PARTITION: f64 = 2.0;

/// The last place that is looked for.
const PLACE_MAX: u32 = 128;

/// The places that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    /// The last one.
    place: u32,
    /// Whether equal rows have one place.
    dense: bool,
}

/// Narrows the rows of such windows.
pub(super) fn narrow_first_rows(program: &mut Program) -> bool {
    change_blocks(program, find, narrow)
}

/// A window of a block whose first rows alone are wanted.
fn find(program: &Program, block: BlockId) -> Option<usize> {
    let lets = &program.block(block).lets;
    if !lets.iter().any(|each| matches!(each, Let::Window { .. })) {
        return None;
    }
    let (uses, made) = (collection_uses(program), definitions(program));
    lets.iter().enumerate().position(|(at, each)| {
        let Let::Window { define, input, partition, order, functions } = each else { return false };
        let Some((first, _)) = first_key(partition, order) else { return false };
        let fields = &program.collection(*input).fields;
        let key = &fields[first as usize];
        let fits = |field: &WindowField| is_place(field) || (is_whole(field, false) && !field.may_fail(fields));
        functions.iter().all(fits)
            && key.data_type != DataType::Null
            && uses[define.0 as usize].is_one_rows()
            && wanted(program, &lets[at + 1..], *define, fields.len(), functions).is_some_and(|wanted| {
                (wanted.place == 1 || is_kept(key.data_type))
                    && !is_narrowed(program, made[input.0 as usize], first)
                    && has_large_partitions(program, *input, (partition, wanted.place), &made)
            })
    })
}

/// The first key of an order that tells rows of one partition apart.
fn first_key(partition: &[u32], order: &[(u32, SortOrder)]) -> Option<(u32, SortOrder)> {
    order.iter().copied().find(|(field, _)| !partition.contains(field))
}

/// Whether a field is a place that depends on the rows before it alone.
fn is_place(field: &WindowField) -> bool {
    use WindowFunction::{DenseRank, Rank, RowNumber};
    matches!(field.function, WindowCallee::Function(RowNumber | Rank | DenseRank))
}

/// Whether a value of a type is kept as the one at a place.
fn is_kept(data_type: DataType) -> bool {
    !matches!(data_type, DataType::Interval | DataType::Numeric) && data_type.vector_of().is_none()
}

/// The places that the loop that goes over a window's rows asks for, if everything that it makes of them does.
fn wanted(
    program: &Program,
    readers: &[Let],
    window: CollectionId,
    own: usize,
    functions: &[WindowField],
) -> Option<Wanted> {
    let over = |each: &Let| match each {
        Let::Loop { multiloop, .. } if multiloop.nest[0].source == Source::Rows(window) => Some(multiloop.clone()),
        _ => None,
    };
    let multiloop = readers.iter().find_map(over)?;
    let row = multiloop.nest[0].id;
    let place_of = |id: ScalarId| match program.scalars.get(id) {
        Scalar::Column { index, field } if *index == row => {
            let function = &functions.get((*field as usize).checked_sub(own)?)?;
            is_place(function).then_some(function.function == WindowCallee::Function(WindowFunction::DenseRank))
        }
        _ => None,
    };
    let asked = |generator: &Generator| {
        let asked = generator.condition().iter().filter_map(|&id| last_place(program, id, &place_of));
        asked.min_by_key(|wanted| (wanted.place, wanted.dense))
    };
    let asked: Vec<Wanted> = multiloop.generators.iter().map(asked).collect::<Option<_>>()?;
    let place = asked.iter().map(|wanted| wanted.place).max()?;
    (place <= PLACE_MAX).then_some(Wanted { place, dense: asked.iter().any(|wanted| wanted.dense) })
}

/// The last place that passes a comparison of a place (said to be dense or not) with a constant, 1 at least.
fn last_place(program: &Program, id: ScalarId, place_of: &dyn Fn(ScalarId) -> Option<bool>) -> Option<Wanted> {
    let Scalar::Call { function, arguments } = program.scalars.get(id) else { return None };
    let constant = |id: ScalarId| match program.scalars.get(id) {
        Scalar::Constant(Value::Int(constant)) => Some(*constant),
        _ => None,
    };
    let &[a, b] = &arguments[..] else { return None };
    let less = matches!(function, Function::Less | Function::Greater);
    let (dense, constant) = match function {
        Function::Equal => place_of(a).zip(constant(b)).or_else(|| place_of(b).zip(constant(a)))?,
        Function::Less | Function::LessEqual => place_of(a).zip(constant(b))?,
        Function::Greater | Function::GreaterEqual => place_of(b).zip(constant(a))?,
        _ => return None,
    };
    let place = u32::try_from(constant.checked_sub(less.into())?).ok().filter(|&place| place > 0)?;
    Some(Wanted { place, dense })
}

/// Whether rows are those already whose field is the best of their partition.
fn is_narrowed(program: &Program, made: Option<Definition>, field: u32) -> bool {
    let Some(made) = made else { return false };
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return false };
    let Generator::Collect { condition, value } = &multiloop.generators[made.generator] else { return false };
    condition.iter().any(|&id| compares_with_best(program, id, value[field as usize]))
}

/// Whether a condition, or a part of a disjunction, compares a key with what is known of its partition.
fn compares_with_best(program: &Program, id: ScalarId, key: ScalarId) -> bool {
    use Function::{Equal, GreaterEqual, IsNotDistinct, LessEqual, Or};
    match program.scalars.get(id) {
        Scalar::Call { function: IsNotDistinct | Equal | LessEqual | GreaterEqual, arguments } => {
            let asks =
                |&id: &ScalarId| matches!(program.scalars.get(id), Scalar::Lookup { .. } | Scalar::Single { .. });
            arguments.contains(&key) && arguments.iter().any(asks)
        }
        Scalar::Call { function: Or, arguments } => {
            arguments.iter().any(|&part| compares_with_best(program, part, key))
        }
        _ => false,
    }
}

/// Whether there are fewer partitions than rows, as far as anybody knows.
fn has_large_partitions(
    program: &Program,
    input: CollectionId,
    (partition, place): (&[u32], u32),
    made: &[Option<Definition>],
) -> bool {
    let Some(made_at) = made[input.0 as usize] else { return false };
    let Let::Loop { multiloop, .. } = &program.block(made_at.block).lets[made_at.at] else {
        return partition.is_empty();
    };
    let Generator::Collect { condition, value } = &multiloop.generators[made_at.generator] else {
        return partition.is_empty();
    };
    let guess = Selectivity::of(program, made);
    let key: Vec<ScalarId> = partition.iter().map(|&field| value[field as usize]).collect();
    let rows = guess.rows_of_nest(&multiloop.nest, condition);
    guess.keys_of_nest(&multiloop.nest, &key) * ROWS_PER_PARTITION * f64::from(place) <= rows
}

fn narrow(program: &mut Program, block: BlockId, at: usize) {
    let Let::Window { define, input, partition, order, functions } = program.block(block).lets[at].clone() else {
        return;
    };
    let own = program.collection(input).fields.clone();
    let all = program.collection(define).fields.clone();
    let added = &all[own.len()..];
    let Some((first, sort)) = first_key(&partition, &order) else { return };
    let Some(wanted) = wanted(program, &program.block(block).lets[at + 1..], define, own.len(), &functions) else {
        return;
    };
    // What each partition comes to: its best first key, and the aggregates of all of its rows.
    let best = match (wanted.place, sort.descending) {
        (1, false) => Reduction::Min,
        (1, true) => Reduction::Max,
        (place, descending) => Reduction::Statistic(Statistic::Nth(Nth { place, descending, dense: wanted.dense })),
    };
    let best_field = Field::new("best", own[first as usize].data_type, true);
    let is_whole = |field: &&WindowField| !is_place(field);
    let named = added.iter().zip(&functions).filter(|(_, field)| is_whole(field)).map(|(field, _)| field.clone());
    let whole: Vec<Field> = named.collect();
    let (groups, grouped) = partitions(
        program,
        (input, &partition),
        std::iter::once(best_field.clone()).chain(whole.iter().cloned()),
        |row| {
            let best = Aggregate::new(best, vec![row[first as usize]], best_field.data_type);
            let whole = functions.iter().filter(is_whole).map(|field| aggregate(field, row));
            std::iter::once(best).chain(whole).collect()
        },
    );
    // The rows that are left, with these aggregates.
    let index = program.add_index();
    let mut value = columns(program, input, index);
    let asked = groups.ask(program, &value);
    let nulls_come_first = sort.nulls_first && own[first as usize].nullable;
    let condition = vec![is_among(program, (value[first as usize], asked[0]), wanted, (sort, nulls_come_first))];
    value.extend_from_slice(&asked[1..]);
    let mut fields = [own.clone(), whole].concat();
    let left = program.add_collection(fields.clone(), Shape::Rows);
    let narrowed = over_rows(left, index, input, Generator::Collect { condition, value });
    // The window of their places, and its fields where the old one had them.
    let places: Vec<WindowField> = functions.iter().filter(|field| is_place(field)).cloned().collect();
    fields.extend(added.iter().zip(&functions).filter(|(_, field)| is_place(field)).map(|(field, _)| field.clone()));
    let behind = fields.len() - places.len();
    let window = program.add_collection(fields, Shape::Rows);
    let placed = Let::Window { define: window, input: left, partition: partition.clone(), order, functions: places };
    let index = program.add_index();
    let read = columns(program, window, index);
    let (mut place, mut aggregate) = (behind, own.len());
    let mut value = read[..own.len()].to_vec();
    for field in &functions {
        let next = if is_place(field) { &mut place } else { &mut aggregate };
        value.push(read[*next]);
        *next += 1;
    }
    let shown = over_rows(define, index, window, Generator::Collect { condition: Vec::new(), value });
    program.blocks[block.0 as usize].lets.splice(at..=at, [grouped, narrowed, placed, shown]);
}

/// Whether a key may be among the first ones of its partition, of which the last is known.
fn is_among(
    program: &mut Program,
    (key, last): (ScalarId, ScalarId),
    wanted: Wanted,
    (sort, nulls_come_first): (SortOrder, bool),
) -> ScalarId {
    let mut call = |function, arguments| program.scalars.call(function, arguments, DataType::Boolean);
    if wanted.place == 1 && !nulls_come_first {
        return call(Function::IsNotDistinct, vec![key, last]);
    }
    let no_worse = if sort.descending { Function::GreaterEqual } else { Function::LessEqual };
    let mut any = vec![call(no_worse, vec![key, last]), call(Function::IsNull, vec![last])];
    if nulls_come_first {
        any.push(call(Function::IsNull, vec![key]));
    }
    call(Function::Or, any)
}
