//! Value functions: those that give the value of another row (lag, lead, first_value and their kin).

use super::frames::{Counted, Frames, number};
use super::places::integer;
use super::results::Origin;
use super::sorted::Sorted;
use crate::cpu::vector::builder::{BuilderData, ColumnBuilder};
use crate::cpu::vector::rows::NO_ROW;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::window::at_least_one;
use multiloop_planner::multiloop::{WindowCallee, WindowField};
use multiloop_planner::value::Value;
use multiloop_planner::window::{Exclude, Frame, WindowFunction};
use std::ops::Range;

/// What the arguments of a function are in all rows: found out once, before its pieces are evaluated.
#[derive(Clone, Copy)]
pub(super) struct Arguments {
    /// Whether a row that there is not is said to have something.
    has_defaults: bool,
    /// The offset of `lag` and `lead`, if it is one for all rows: NULL or a number.
    offset: Option<Option<i64>>,
}

impl Arguments {
    pub(super) fn of(function: WindowFunction, field: &WindowField, sorted: &Sorted<'_>) -> Self {
        let moves = matches!(function, WindowFunction::Lag | WindowFunction::Lead);
        Arguments {
            has_defaults: has_defaults(field, sorted),
            offset: if moves { constant(sorted.column(field.arguments[1])) } else { None },
        }
    }
}

/// For some rows in order the row of the origin's column whose value is theirs.
pub(super) fn pointers(
    function: WindowFunction,
    (field, arguments): (&WindowField, Arguments),
    sorted: &Sorted<'_>,
    rows: Range<usize>,
) -> Result<Vec<u32>> {
    // Defaults have numbers behind those of all rows.
    if arguments.has_defaults && sorted.rows.len() > (NO_ROW / 2) as usize {
        return Err(Error::new(ErrorKind::TooMany, format!("too many rows for defaults of {}", function.name())));
    }
    let mut found = Vec::with_capacity(rows.len());
    let Frame { ignore_nulls, exclude, .. } = field.frame;
    match function {
        WindowFunction::Lag | WindowFunction::Lead if ignore_nulls => {
            moved_over_nulls(function, (field, arguments), sorted, rows, &mut found)
        }
        WindowFunction::Lag => moved((field, arguments), sorted, rows, i64::saturating_sub, &mut found),
        WindowFunction::Lead => moved((field, arguments), sorted, rows, i64::saturating_add, &mut found),
        WindowFunction::NthValue => nth(field, sorted, rows, &mut found)?,
        _ if ignore_nulls || exclude != Exclude::NoOthers => {
            let counted = counted(field, sorted, rows.clone());
            Frames::new(field, sorted, rows.clone()).each_parts(rows, |parts| {
                let row = counted.nth(&parts, 0, function == WindowFunction::LastValue);
                found.push(row.map_or(NO_ROW, |row| sorted.rows[row]));
                Ok(())
            })?;
        }
        _ => Frames::new(field, sorted, rows.clone()).each(rows, |seen, count| {
            let row = match function {
                _ if seen.is_empty() => NO_ROW,
                WindowFunction::LastValue => sorted.rows[seen.end - 1],
                _ => sorted.rows[seen.start],
            };
            found.extend(std::iter::repeat_n(row, count));
            Ok(())
        })?,
    }
    Ok(found)
}

/// The rows that count for a function.
fn counted(field: &WindowField, sorted: &Sorted<'_>, rows: Range<usize>) -> Counted {
    Counted::new(field.frame.ignore_nulls.then(|| sorted.column(field.arguments[0])), sorted, rows)
}

/// As [`moved`], over rows whose value is not NULL; these are of whole partitions.
fn moved_over_nulls(
    function: WindowFunction,
    (field, arguments): (&WindowField, Arguments),
    sorted: &Sorted<'_>,
    rows: Range<usize>,
    found: &mut Vec<u32>,
) {
    let offsets = sorted.column(field.arguments[1]);
    let defaults = arguments.has_defaults.then_some(sorted.rows.len() as u32);
    let counted = counted(field, sorted, rows.clone());
    for (partition, own) in sorted.layout.partitions(rows) {
        let ranks = counted.rank(partition.start)..counted.rank(partition.end);
        for row in own {
            let itself = sorted.rows[row];
            let Some(offset) = number(offsets, sorted, row) else {
                found.push(NO_ROW);
                continue;
            };
            let offset = if function == WindowFunction::Lag { -i128::from(offset) } else { offset.into() };
            // Those before the row, and those behind it.
            let (before, behind) = (counted.rank(row) as i128, counted.rank(row + 1) as i128);
            let rank = if offset < 0 { before + offset } else { behind + offset - 1 };
            let to = usize::try_from(rank).ok().filter(|rank| ranks.contains(rank)).map(|rank| counted.row(rank));
            let to = if offset == 0 { Some(row) } else { to };
            found.push(match (to, defaults) {
                (Some(to), _) => sorted.rows[to],
                (None, Some(first)) => first + itself,
                (None, None) => NO_ROW,
            });
        }
    }
}

/// Whose rows a function points at.
pub(super) fn origin(field: &WindowField, sorted: &Sorted<'_>) -> Origin {
    let argument = field.arguments[0];
    match &field.function {
        WindowCallee::Aggregate(_) => Origin::Canonical(argument),
        WindowCallee::Function(_) if has_defaults(field, sorted) => {
            // Defaults stand behind all values.
            let mut column = sorted.column(argument).clone();
            column.append_all(sorted.column(field.arguments[2]).clone());
            Origin::Column(column)
        }
        WindowCallee::Function(_) => Origin::Field(argument),
    }
}

/// Whether a row that there is not is said to have something.
fn has_defaults(field: &WindowField, sorted: &Sorted<'_>) -> bool {
    let has_value = |column: &ColumnBuilder| column.valid.as_ref().is_none_or(|valid| valid.contains(&true));
    field.taken().get(2).is_some_and(|&default| has_value(sorted.column(default)))
}

/// Rows at an offset: `to` says of a row and an offset which row that is.
fn moved(
    (field, arguments): (&WindowField, Arguments),
    sorted: &Sorted<'_>,
    rows: Range<usize>,
    to: impl Fn(i64, i64) -> i64,
    found: &mut Vec<u32>,
) {
    let offsets = sorted.column(field.arguments[1]);
    let defaults = arguments.has_defaults.then_some(sorted.rows.len() as u32);
    for (partition, own) in sorted.layout.partitions(rows) {
        let (start, end) = (partition.start as i64, partition.end as i64);
        for row in own {
            let itself = sorted.rows[row];
            let Some(offset) = arguments.offset.unwrap_or_else(|| integer(offsets, itself as usize)) else {
                found.push(NO_ROW);
                continue;
            };
            let to = to(row as i64, offset);
            found.push(match defaults {
                _ if (start..end).contains(&to) => sorted.rows[to as usize],
                Some(first) => first + itself,
                None => NO_ROW,
            });
        }
    }
}

/// What a column of integers has in all rows, if that is one thing: NULL or a number.
fn constant(column: &ColumnBuilder) -> Option<Option<i64>> {
    let all_are = |alike: bool| alike.then(|| integer(column, 0));
    if column.len() == 0 || column.valid.is_some() {
        return None;
    }
    match &column.data {
        BuilderData::I32(values) => all_are(values.iter().all(|value| *value == values[0])),
        BuilderData::I64(values) => all_are(values.iter().all(|value| *value == values[0])),
        _ => None,
    }
}

/// The row of each frame that an argument numbers.
fn nth(field: &WindowField, sorted: &Sorted<'_>, rows: Range<usize>, found: &mut Vec<u32>) -> Result<()> {
    let numbers = sorted.column(field.arguments[1]);
    let mut row = rows.start;
    let counted = counted(field, sorted, rows.clone());
    Frames::new(field, sorted, rows.clone()).each_parts(rows, |parts| {
        let number = number(numbers, sorted, row);
        row += 1;
        let Some(number) = number else {
            found.push(NO_ROW);
            return Ok(());
        };
        let number = at_least_one(&Value::Int(number), ErrorKind::InvalidNthValue, "nth_value")?;
        found.push(counted.nth(&parts, number - 1, false).map_or(NO_ROW, |row| sorted.rows[row]));
        Ok(())
    })
}
