//! Sums of columns, one for each that is asked, as one sum of rows that are vectors.
//!
//! ```text
//! G[i …](… s(i) …)  where  s(i) = Reduce[j …](c(j))(sum(x(j)[p(i)] * g(j)))
//!     →   G[i …](… case when r[p(i)] is null then null
//!                       when abs(r[p(i)]) < infinity and t = 0 then r[p(i)]
//!                       else s(i) end …)
//!         r, t = Reduce[j …](c(j))(sum(x(j) * g(j)), count_rows() if g(j) <> 0 and abs(g(j)) < 2^-900)
//! ```
//!
//! The rows are gone over once, not once for each column, and each of them is read from its first element to its last. What is made does not read
//! `i` any more, so that `hoist_invariant_block` takes it out where nothing else does. Source: Column-to-Row Reduce of DMLL ("Have abstraction
//! and eat performance, too", CGO 2016, figure 3), which exchanges a Collect over columns and a Reduce over rows; here the
//! positions are asked by an index of any loop. An example:
//!
//! ```text before
//! table %0 points(x#0 vector(2)?, y#1 double precision?)
//! %1 values
//!   fields j bigint
//!   row 1::bigint
//!   row 2::bigint
//! loop
//!   i0 in %1
//!   %2 collect
//!     j = i0.j
//!     block b0
//!       loop
//!         i1 in %0
//!         %3 reduce
//!           sum? = sum(cast(vector_element(i1.x, i0.j) as double precision) * i1.y)
//!       result %3
//!     sum? = b0.sum
//! result %2
//! output j, sum
//! ```
//! ```text after
//! table %0 points(x#0 vector(2)?, y#1 double precision?)
//! %1 values
//!   fields j bigint
//!   row 1::bigint
//!   row 2::bigint
//! loop
//!   i0 in %1
//!   %2 collect
//!     j = i0.j
//!     block b0
//!       loop
//!         i1 in %0
//!         %3 reduce
//!           sum? = sum(vector_multiply(cast(i1.x as vector(2,double)), i1.y))
//!           tiny = count_rows(if i1.y <> 0e0, abs(i1.y) < 1.1830521861667747e-271)
//!       result %3
//!     block b1
//!       loop
//!         i2 in %0
//!         %4 reduce
//!           sum? = sum(cast(vector_element(i2.x, i0.j) as double precision) * i2.y)
//!       result %4
//!     sum? = case(is_null(vector_element(b0.sum, i0.j)), NULL::double precision, abs(vector_element(b0.sum, i0.j)) < 'inf'::double precision AND b0.tiny = 0::bigint, vector_element(b0.sum, i0.j), b1.sum)
//! result %2
//! output j, sum
//! ```
//!
//! Guard, and why. The elements are reals and the product is one of doubles: then it is as large as 2^-1074 unless `g` is tiny, and
//! `x * g` of vectors, which never fails, is zero only where a factor is (that of doubles may be an underflow, 22003). The
//! product is the argument itself, `x[p] * g`: of `a * x[p] * g` the vectors' product would round elsewhere. `p` reads nothing of
//! the inner loop, and nothing else in it reads an index that `p` reads: else it would be made for each of its rows all the same
//! (`sum(x[t.j] * t.j)`). As many columns are asked as a quarter of all: of one (`WHERE j = 3`) the others would be added up
//! for nothing. Nothing is volatile, and `p` does not fail, or may be moved: it is evaluated where
//! there are no inner rows, too. Where a sum is no finite number, or a factor is tiny, the loop as it was says what the answer, or the error, is.
//!
//! Why the same: sums of vectors are correctly rounded position by position, as sums of numbers are, and vectors that are NULL are left
//! out, as are numbers that are; without any the sum is NULL. An element that is not there is NULL in each row, and in their sum.
//! Errors: of the product and the sum as above; of `p`, `g` and the conditions those of the loops as they were. Joins: the inner nest is
//! kept as it is. It ends: what stands behind such an answer is left alone.

use crate::function::{Function, VectorFunction};
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, for_each_node, nested_of};
use crate::multiloop::{
    Aggregate, Block, BlockId, Generator, Index, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape,
    Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::{DataType, Field};
use crate::value::Value;

/// Of so many of a vector's positions one is asked, at least.
const POSITIONS_A_COLUMN: u64 = 4;

/// What a factor is not less than where no product of it with a real, which is 2^-149 or more, is less than a double can be.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);

/// Adds up rows in place of columns.
pub(super) fn column_to_row_reduce(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        for at in 0..program.block(block).lets.len() {
            while let Some(found) = limit.next(find(program, block, at)) {
                add_rows(program, (block, at), &found);
                changed = true;
            }
        }
    }
    changed
}

/// A block that adds up a column.
struct Column {
    block: BlockId,
    /// The vectors, how long they are, and which of their elements is asked.
    vector: ScalarId,
    length: u32,
    place: ScalarId,
    /// What the elements are multiplied by.
    factor: Option<ScalarId>,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Column> {
    let each = &program.block(block).lets[at];
    let Let::Loop { multiloop: around, .. } = each else { return None };
    let nested = nested_of(program, each);
    let found = nested.into_iter().filter(|(scalar, ..)| !stands_behind(program, each, *scalar));
    found.into_iter().find_map(|(_, nested, _)| Column::of(program, nested, &around.nest))
}

/// Whether a scalar stands behind an answer of this rule.
fn stands_behind(program: &Program, each: &Let, nested: ScalarId) -> bool {
    let (mut found, mut seen) = (false, vec![false; program.scalars.len()]);
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| {
            if let Scalar::Call { function: Function::Case, arguments } = scalar
                && let [.., sum, otherwise] = &arguments[..]
                && *otherwise == nested
            {
                let of = program.scalars.get(*sum);
                found |= matches!(of, Scalar::Call { function: Function::Vector(VectorFunction::Element), .. });
            }
        });
    });
    found
}

/// The loop of a block, if it is one that sums up doubles: its conditions, those of the sum, and what is summed.
fn sum_loop(program: &Program, id: BlockId) -> Option<(&Multiloop, &[ScalarId], &[ScalarId], ScalarId)> {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
    let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..]) else {
        return None;
    };
    let [Aggregate { reduction: Reduction::Sum, arguments, condition: filter, distinct: false, data_type }] =
        &aggregates[..]
    else {
        return None;
    };
    let is_sum = *define == block.result && *data_type == DataType::Double;
    (is_sum && !program.block_effects(id).volatile).then(|| (multiloop, &condition[..], &filter[..], arguments[0]))
}

impl Column {
    fn of(program: &Program, block: BlockId, around: &[Index]) -> Option<Column> {
        let (multiloop, condition, filter, argument) = sum_loop(program, block)?;
        let ((vector, length, place), factor) = factors(program, argument)?;
        let mut free = FreeIndices::default();
        let asked = free.scalar(program, place);
        let inner = |index: &IndexId| multiloop.nest.iter().any(|each| each.id == *index);
        let effects = program.scalars.effects(place);
        if !program.may_move(effects) || asked.iter().any(inner) || !free.scalar(program, vector).iter().any(inner) {
            return None;
        }
        let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
        let others = of_nest.chain(condition.iter().chain(filter).copied()).chain([vector]).chain(factor);
        for other in others {
            if free.scalar(program, other).iter().any(|index| asked.contains(index)) {
                return None;
            }
        }
        let rows: Vec<Option<u64>> = around
            .iter()
            .filter(|index| asked.contains(&index.id))
            .map(|index| rows_of(program, &index.source))
            .collect();
        let columns = rows.iter().try_fold(1_u64, |all, rows| Some(all.saturating_mul((*rows)?)));
        let pays = columns.is_none_or(|columns| columns.saturating_mul(POSITIONS_A_COLUMN) >= u64::from(length));
        (!rows.is_empty() && pays).then_some(Column { block, vector, length, place, factor })
    }
}

/// How many rows a source has, if that is known.
fn rows_of(program: &Program, source: &Source) -> Option<u64> {
    match source {
        Source::Rows(collection) => match &program.collection(*collection).shape {
            Shape::Table { statistics, .. } => Some(statistics.rows),
            _ => None,
        },
        Source::Count(count) => match program.scalars.get(*count) {
            Scalar::Constant(Value::Int(count)) => u64::try_from(*count).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// What `x[p] * g` is of: the vectors, their length, the place, and the factor.
#[allow(clippy::type_complexity, reason = "a struct of these is what comes of it")]
fn factors(program: &Program, argument: ScalarId) -> Option<((ScalarId, u32, ScalarId), Option<ScalarId>)> {
    if let Some(element) = element(program, argument) {
        return Some((element, None));
    }
    let Scalar::Call { function: Function::Multiply, arguments } = program.scalars.get(argument) else { return None };
    let &[a, b] = &arguments[..] else { return None };
    let (found, factor) = element(program, a).map(|found| (found, b)).or_else(|| Some((element(program, b)?, a)))?;
    (program.scalars.data_type(factor) == DataType::Double).then_some((found, Some(factor)))
}

/// The vectors of reals, their length, and the place, of an element as a double.
fn element(program: &Program, id: ScalarId) -> Option<(ScalarId, u32, ScalarId)> {
    let scalars = &program.scalars;
    let Scalar::Call { function: Function::Cast, arguments } = scalars.get(id) else { return None };
    let Scalar::Call { function: Function::Vector(VectorFunction::Element), arguments } =
        scalars.get(*arguments.first()?)
    else {
        return None;
    };
    let &[vector, place] = &arguments[..] else { return None };
    let (of, length) = scalars.data_type(vector).vector_of()?;
    (scalars.data_type(id) == DataType::Double && of == DataType::Real).then_some((vector, length, place))
}

/// Asks the sum of all rows for the place.
fn add_rows(program: &mut Program, (block, at): (BlockId, usize), column: &Column) {
    let &Column { block: nested, vector, length, place, factor } = column;
    let (multiloop, condition, filter, _) = sum_loop(program, nested).expect("it has been found");
    let (nest, condition, filter) = (multiloop.nest.clone(), condition.to_vec(), filter.to_vec());
    let name = program.collection(program.block(nested).result).fields[0].name.clone();
    let effects = program.scalars.effects(place);
    let (double, boolean, vectors) = (DataType::Double, DataType::Boolean, DataType::vector(DataType::Double, length));

    let scalars = &mut program.scalars;
    let zero = scalars.constant(Value::Float(0.0), double);
    let mut product = scalars.call(Function::Cast, vec![vector], vectors);
    let mut is_tiny = filter.clone();
    if let Some(factor) = factor {
        product = scalars.call(Function::Vector(VectorFunction::Multiply), vec![product, factor], vectors);
        let (tiny, size) =
            (scalars.constant(Value::Float(TINY), double), scalars.call(Function::Abs, vec![factor], double));
        is_tiny.push(scalars.call(Function::NotEqual, vec![factor, zero], boolean));
        is_tiny.push(scalars.call(Function::Less, vec![size, tiny], boolean));
    }
    let mut aggregates =
        vec![Aggregate { condition: filter, ..Aggregate::new(Reduction::Sum, vec![product], vectors) }];
    let mut fields = vec![Field::new(name, vectors, true)];
    if factor.is_some() {
        let counted = Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt);
        aggregates.push(Aggregate { condition: is_tiny, ..counted });
        fields.push(Field::new("tiny", DataType::BigInt, false));
    }
    let collection = program.add_collection(fields, Shape::Single);
    let generators = vec![Generator::Reduce { condition, aggregates }];
    let each = Let::Loop { defines: vec![collection], multiloop: Multiloop { nest, generators } };
    let new = program.add_block(Block { lets: vec![each], result: collection });
    // Other readers keep the block.
    let new = Substitution::copying().block(program, new);

    let (old, sums) = (program.nested(nested, 0), program.nested(new, 0));
    let tiny = factor.map(|_| program.nested(new, 1));
    let scalars = &mut program.scalars;
    let sum = scalars.call(Function::Vector(VectorFunction::Element), vec![sums, place], double);
    let (size, infinity) =
        (scalars.call(Function::Abs, vec![sum], double), scalars.constant(Value::Float(f64::INFINITY), double));
    let mut is_sure = scalars.call(Function::Less, vec![size, infinity], boolean);
    if let Some(tiny) = tiny {
        let none = scalars.constant(Value::Int(0), DataType::BigInt);
        let is_none = scalars.call(Function::Equal, vec![tiny, none], boolean);
        is_sure = scalars.call(Function::And, vec![is_sure, is_none], boolean);
    }
    let (is_null, null) = (scalars.call(Function::IsNull, vec![sum], boolean), scalars.constant(Value::Null, double));
    let answer = scalars.call(Function::Case, vec![is_null, null, is_sure, sum, old], double);
    let position = scalars.position(old);
    scalars.set_position(answer, position);

    program.moved(effects);
    let mut readers = Substitution::new();
    readers.replace_scalar(old, answer);
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    program.blocks[block.0 as usize].lets = lets;
}
