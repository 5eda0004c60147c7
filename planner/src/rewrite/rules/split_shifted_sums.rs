//! Sums of a value that is shifted or scaled by constants become one sum and one count.
//!
//! ```text
//! sum(x), sum(x + 1), sum(3 * x - 2)   →   s = sum(x), n = count(x); s, s + n, 3 * s - 2 * n
//! ```
//!
//! Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer least 1 most 9) rows 100
//! loop
//!   i0 in %0
//!   %1 reduce
//!     x? = sum(i0.a)
//!     y? = sum(i0.a + 1)
//!     z? = sum(i0.a + 2)
//! result %1
//! output x, y, z
//! ```
//! ```text after
//! table %0 t(a#0 integer least 1 most 9) rows 100
//! loop
//!   i0 in %0
//!   %1 reduce
//!     x? = sum(i0.a)
//!     count = count_rows()
//! loop
//!   i1 in %1
//!   %2 reduce
//!     x? = first(i1.x)
//!     y? = first(i1.x + i1.count)
//!     z? = first(i1.x + i1.count * 2::bigint)
//! result %2
//! output x, y, z
//! ```
//!
//! Guard, and why:
//! * three such sums or more of one value, with one filter: sum and count are two (`select sum(a + 1) from t` stays);
//! * of integers and decimals, none distinct: other sums round;
//! * `x + 1` cannot fail, by the ranges of what there is: in its row `2147483647 + 1` is an error;
//! * neither part of any new sum can leave its type, for as many rows as the nest can have;
//! * nothing asks groups by key: what comes behind the loop has no hash table of them.
//!
//! NULLs: a row where x is NULL counts in neither, and without rows the sum is NULL, as before. Errors: see the guard. Joins:
//! the nest is the same. It ends: the sums that are left are of one value each.

use crate::analysis::ranges::Ranges;
use crate::function::Function;
use crate::multiloop::uses::{Use, collection_uses};
use crate::multiloop::{Aggregate, BlockId, Generator, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Scalars};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::restore_fields::{may_restore_fields, restore_fields};
use crate::types::{DataType, Field};
use crate::value::Value;
use std::mem;

/// From how many sums of one value on they are split.
const SUMS_MIN: usize = 3;

/// What constants are less than: a bigint and more, and a decimal of nineteen digits.
const CONSTANT_MAX: u128 = 10u128.pow(19);

/// Splits such sums.
pub(super) fn split_shifted_sums(program: &mut Program) -> bool {
    change_blocks(program, find, split)
}

/// `scale * value + shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Linear {
    value: ScalarId,
    scale: i128,
    /// In the unit of the value's type.
    shift: i128,
}

impl Linear {
    /// What a sum is fed, as this.
    fn of(scalars: &Scalars, id: ScalarId) -> Self {
        Linear::called(scalars, id).unwrap_or(Linear { value: id, scale: 1, shift: 0 })
    }

    fn called(scalars: &Scalars, id: ScalarId) -> Option<Self> {
        let Scalar::Call { function, arguments } = scalars.get(id) else { return None };
        let &[left, right] = &arguments[..] else { return None };
        let unit = unit(scalars.data_type(id))?;
        let (left_unit, right_unit) = (self::unit(scalars.data_type(left))?, self::unit(scalars.data_type(right))?);
        match (function, constant(scalars, left), constant(scalars, right)) {
            (Function::Add, None, Some(by)) => Linear::of(scalars, left).changed(1, by),
            (Function::Add, Some(by), None) => Linear::of(scalars, right).changed(1, by),
            (Function::Subtract, None, Some(by)) => Linear::of(scalars, left).changed(1, -by),
            (Function::Subtract, Some(from), None) => Linear::of(scalars, right).changed(-1, from),
            (Function::Multiply, None, Some(by)) if left_unit == unit => Linear::of(scalars, left).changed(by, 0),
            (Function::Multiply, Some(by), None) if right_unit == unit => Linear::of(scalars, right).changed(by, 0),
            _ => None,
        }
    }

    /// `scale * self + shift`, if its constants are of a size that all arithmetic here has room for, and the value is left.
    fn changed(self, scale: i128, shift: i128) -> Option<Self> {
        let small = |number: &i128| number.unsigned_abs() < CONSTANT_MAX;
        let scaled = self.shift.checked_mul(scale)?;
        let scale = self.scale.checked_mul(scale).filter(small).filter(|scale| *scale != 0)?;
        Some(Linear { scale, shift: scaled.checked_add(shift).filter(small)?, ..self })
    }
}

/// Digits after the point, of a type whose values are integers in such a unit.
fn unit(data_type: DataType) -> Option<u8> {
    match data_type {
        DataType::SmallInt | DataType::Integer | DataType::BigInt => Some(0),
        DataType::Decimal { scale, .. } => Some(scale),
        _ => None,
    }
}

fn constant(scalars: &Scalars, id: ScalarId) -> Option<i128> {
    match scalars.get(id) {
        Scalar::Constant(Value::Int(value)) => Some((*value).into()),
        Scalar::Constant(Value::Decimal(value)) if value.unsigned_abs() < CONSTANT_MAX => Some(*value),
        _ => None,
    }
}

/// A generator whose sums are split.
struct Site {
    at: usize,
    generator: usize,
    /// For each aggregate what it is, if it is one of these sums.
    sums: Vec<Option<Linear>>,
    /// Whether the values of the sums can be NULL, in the same places.
    nullable: Vec<bool>,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let (mut uses, mut ranges) = (None, None);
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        multiloop.generators.iter().zip(defines).enumerate().find_map(|(generator, (made, define))| {
            let sums = shifted_sums(program, made.aggregates())?;
            let uses: &Vec<Use> = uses.get_or_insert_with(|| collection_uses(program));
            if !may_restore_fields(made, uses[define.0 as usize]) {
                return None;
            }
            let ranges: &Ranges = ranges.get_or_insert_with(|| Ranges::analyse(program));
            let sums = safe(program, ranges, multiloop, made.aggregates(), sums)?;
            let nullable = sums.iter().map(|sum| sum.is_some_and(|sum| ranges.nullable(sum.value))).collect();
            Some(Site { at, generator, sums, nullable })
        })
    })
}

/// Which aggregates are sums of one value in several forms: for each what it is; none if there are not enough.
fn shifted_sums(program: &Program, aggregates: &[Aggregate]) -> Option<Vec<Option<Linear>>> {
    if aggregates.len() < SUMS_MIN {
        return None;
    }
    let form = |aggregate: &Aggregate| {
        let is_sum = aggregate.reduction == Reduction::Sum && !aggregate.distinct;
        let &[argument] = &aggregate.arguments[..] else { return None };
        let argument_unit = unit(program.scalars.data_type(argument))?;
        let fits = is_sum && unit(aggregate.data_type) == Some(argument_unit);
        fits.then(|| Linear::of(&program.scalars, argument))
    };
    let sums: Vec<Option<Linear>> = aggregates.iter().map(form).collect();
    with_enough(aggregates, sums)
}

/// Leaves the sums of which there are enough of one value and with one filter.
fn with_enough(aggregates: &[Aggregate], sums: Vec<Option<Linear>>) -> Option<Vec<Option<Linear>>> {
    let alike = |at: usize| {
        let like = |&other: &usize| {
            sums[other].map(|sum| sum.value) == sums[at].map(|sum| sum.value)
                && aggregates[other].condition == aggregates[at].condition
        };
        (0..sums.len()).filter(like).count()
    };
    let kept: Vec<_> = (0..sums.len()).map(|at| sums[at].filter(|_| alike(at) >= SUMS_MIN)).collect();
    kept.iter().any(Option::is_some).then_some(kept)
}

/// Leaves the sums that fail neither as they are nor when they are split.
fn safe(
    program: &Program,
    ranges: &Ranges,
    multiloop: &Multiloop,
    aggregates: &[Aggregate],
    mut sums: Vec<Option<Linear>>,
) -> Option<Vec<Option<Linear>>> {
    let rows = ranges.nest_rows(multiloop)?;
    for (sum, aggregate) in sums.iter_mut().zip(aggregates) {
        *sum = sum.filter(|sum| {
            let argument = aggregate.arguments[0];
            let Some((low, high)) = ranges.of(sum.value) else { return false };
            let largest = low.unsigned_abs().max(high.unsigned_abs());
            let scaled = largest.checked_mul(sum.scale.unsigned_abs());
            // The sum of both parts, and each on the way there.
            let both = scaled.and_then(|part| part.max(sum.shift.unsigned_abs()).checked_mul(2 * u128::from(rows)));
            let limit = aggregate.data_type.integer_bounds().map_or(0, |(_, limit)| limit.unsigned_abs());
            both.is_some_and(|both| both <= limit)
                && !ranges.may_fail(argument)
                && !program.scalars.effects(argument).volatile
        });
    }
    with_enough(aggregates, sums)
}

/// What stands in the place of an aggregate: a field, or what is made of those of a sum and a count.
enum Final {
    Field(usize),
    Split { sum: usize, count: usize, scale: i128, shift: i128 },
}

fn split(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[site.at] else { unreachable!("find has seen a loop") };
    let fields = program.collection(defines[site.generator]).fields.clone();
    let generator = &mut multiloop.generators[site.generator];
    let keys = generator.key().len();
    let (Generator::Reduce { aggregates, .. } | Generator::BucketReduce { aggregates, .. }) = generator else {
        unreachable!("find has seen aggregates")
    };
    let (parts, finals) = parts(mem::take(aggregates), &site);
    let mut part_fields = fields[..keys].to_vec();
    part_fields.extend(parts.iter().map(|(aggregate, of)| match of {
        Some(at) => fields[keys + at].clone(),
        None if aggregate.reduction.is_count() => Field::new("count", DataType::BigInt, false),
        None => Field::new("sum", aggregate.data_type, true),
    }));
    *aggregates = parts.into_iter().map(|(aggregate, _)| aggregate).collect();
    restore_fields(program, &mut lets, (site.at, site.generator, false), part_fields, |program, made| {
        let mut shown: Vec<ScalarId> = (0..keys).map(|key| made.field(program, key)).collect();
        for of in finals {
            let value = match of {
                Final::Field(at) => made.field(program, keys + at),
                Final::Split { sum, count, scale, shift } => {
                    let (sum, count) = (made.field(program, keys + sum), made.field(program, keys + count));
                    linear(&mut program.scalars, (sum, scale), (count, shift))
                }
            };
            shown.push(value);
        }
        shown
    });
    program.blocks[block.0 as usize].lets = lets;
}

/// The aggregates that are computed, each with the old one that it is, and what each old one is made of.
fn parts(old: Vec<Aggregate>, site: &Site) -> (Vec<(Aggregate, Option<usize>)>, Vec<Final>) {
    let plain = |at: usize| site.sums[at].is_none_or(|sum| (sum.scale, sum.shift) == (1, 0));
    let kept = (0..old.len()).filter(|&at| plain(at));
    let mut parts: Vec<(Aggregate, Option<usize>)> = kept.map(|at| (old[at].clone(), Some(at))).collect();
    let mut part = |aggregate: Aggregate| {
        parts.iter().position(|(other, _)| *other == aggregate).unwrap_or_else(|| {
            parts.push((aggregate, None));
            parts.len() - 1
        })
    };
    let of = |(at, aggregate): (usize, &Aggregate)| match site.sums[at] {
        Some(Linear { value, scale, shift }) if !plain(at) => {
            let sum = part(Aggregate { arguments: vec![value], ..aggregate.clone() });
            let (reduction, arguments) =
                if site.nullable[at] { (Reduction::Count, vec![value]) } else { (Reduction::CountRows, Vec::new()) };
            let count = part(Aggregate { reduction, arguments, data_type: DataType::BigInt, ..aggregate.clone() });
            Final::Split { sum, count, scale, shift }
        }
        _ => Final::Field(part(aggregate.clone())),
    };
    let finals = old.iter().enumerate().map(of).collect();
    (parts, finals)
}

/// The sum of a sum and a count, each by its factor, in the type of the sum.
fn linear(scalars: &mut Scalars, (sum, scale): (ScalarId, i128), (count, shift): (ScalarId, i128)) -> ScalarId {
    let total = scalars.data_type(sum);
    let digits = 19;
    let (factor_type, shift_type) = match total {
        DataType::Decimal { scale, .. } => (DataType::decimal(digits, 0), DataType::decimal(digits.max(scale), scale)),
        other => (other, other),
    };
    let constant = |scalars: &mut Scalars, value: i128, of: DataType| {
        let value = if of.is_decimal() { Value::Decimal(value) } else { Value::Int(value as i64) };
        scalars.constant(value, of)
    };
    let sum = match scale {
        1 => sum,
        _ => {
            let factor = constant(scalars, scale, factor_type);
            scalars.call(Function::Multiply, vec![sum, factor], total)
        }
    };
    if shift == 0 {
        return sum;
    }
    let counted = match shift {
        1 if unit(total) == Some(0) => cast(scalars, count, total),
        _ => {
            let count = cast(scalars, count, factor_type);
            let factor = constant(scalars, shift, shift_type);
            scalars.call(Function::Multiply, vec![count, factor], total)
        }
    };
    scalars.call(Function::Add, vec![sum, counted], total)
}

fn cast(scalars: &mut Scalars, value: ScalarId, to: DataType) -> ScalarId {
    if scalars.data_type(value) == to { value } else { scalars.call(Function::Cast, vec![value], to) }
}
