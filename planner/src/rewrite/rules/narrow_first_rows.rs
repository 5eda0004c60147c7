//! A window that is asked for the first row of each partition goes over the rows with the best first key alone.
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
//! partitions in the same window become fields of H. Source: our own. An example:
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
//! * one loop reads the window, and all of its generators ask for place 1: of other rows the place changes;
//! * the window has nothing but places that are asked for so, and aggregates of whole partitions that cannot fail: a running
//!   sum of the first row is known only when rows are in order;
//! * NULLs come last in the first key, or there are none: min and max leave them out, and are NULL where there is nothing else;
//! * the rows are not narrowed yet.
//!
//! NULLs: see the guard; a partition of NULL is found by a part that matches it. Errors: none, by the guard. It ends: the rows
//! of each such window are narrowed once.

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
        let Some((first, sort)) = first_key(partition, order) else { return false };
        let fields = &program.collection(*input).fields;
        let key = &fields[first as usize];
        let fits = |field: &WindowField| is_place(field) || (is_whole(field, false) && !field.may_fail(fields));
        functions.iter().all(fits)
            && key.data_type != DataType::Null
            && !(key.nullable && sort.nulls_first)
            && uses[define.0 as usize].is_one_rows()
            && lets[at + 1..].iter().any(|reader| wants_first(program, reader, *define, fields.len(), functions))
            && !is_narrowed(program, made[input.0 as usize], first)
            && has_large_partitions(program, *input, partition, &made)
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

/// Whether a loop goes over a window's rows, and everything it makes of them asks for a place that is 1.
fn wants_first(program: &Program, reader: &Let, window: CollectionId, own: usize, functions: &[WindowField]) -> bool {
    let Let::Loop { multiloop, .. } = reader else { return false };
    let row = multiloop.nest[0].id;
    let is_place_of = |id: ScalarId| match program.scalars.get(id) {
        Scalar::Column { index, field } => {
            *index == row && (*field as usize).checked_sub(own).is_some_and(|at| is_place(&functions[at]))
        }
        _ => false,
    };
    let is_one = |id: ScalarId| *program.scalars.get(id) == Scalar::Constant(Value::Int(1));
    let asks = |&id: &ScalarId| match program.scalars.get(id) {
        Scalar::Call { function: Function::Equal, arguments } => {
            let (a, b) = (arguments[0], arguments[1]);
            (is_place_of(a) && is_one(b)) || (is_one(a) && is_place_of(b))
        }
        _ => false,
    };
    multiloop.nest[0].source == Source::Rows(window)
        && multiloop.generators.iter().all(|generator| generator.condition().iter().any(asks))
}

/// Whether rows are those already whose field is the best of their partition.
fn is_narrowed(program: &Program, made: Option<Definition>, field: u32) -> bool {
    let Some(made) = made else { return false };
    let Let::Loop { multiloop, .. } = &program.block(made.block).lets[made.at] else { return false };
    let Generator::Collect { condition, value } = &multiloop.generators[made.generator] else { return false };
    condition.iter().any(|&id| match program.scalars.get(id) {
        Scalar::Call { function: Function::IsNotDistinct | Function::Equal, arguments } => {
            let asks =
                |&id: &ScalarId| matches!(program.scalars.get(id), Scalar::Lookup { .. } | Scalar::Single { .. });
            arguments.contains(&value[field as usize]) && arguments.iter().any(asks)
        }
        _ => false,
    })
}

/// Whether there are fewer partitions than rows, as far as anybody knows.
fn has_large_partitions(
    program: &Program,
    input: CollectionId,
    partition: &[u32],
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
    guess.keys_of_nest(&multiloop.nest, &key) * ROWS_PER_PARTITION <= rows
}

fn narrow(program: &mut Program, block: BlockId, at: usize) {
    let Let::Window { define, input, partition, order, functions } = program.block(block).lets[at].clone() else {
        return;
    };
    let own = program.collection(input).fields.clone();
    let all = program.collection(define).fields.clone();
    let added = &all[own.len()..];
    let Some((first, sort)) = first_key(&partition, &order) else { return };
    // What each partition comes to: its best first key, and the aggregates of all of its rows.
    let best = if sort.descending { Reduction::Max } else { Reduction::Min };
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
    let is_best = vec![value[first as usize], asked[0]];
    let condition = vec![program.scalars.call(Function::IsNotDistinct, is_best, DataType::Boolean)];
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
