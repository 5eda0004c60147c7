//! Conditions on a whole chunk: whether any of its rows can pass.
//!
//! Where values lie in the order in which rows came, or near it (dates of orders, numbers of invoices), the smallest and
//! the largest value of a column tell of most chunks that no row of them passes a condition ("small materialized
//! aggregates", Moerkotte, VLDB 1998; zone maps). A condition becomes a test once a loop: what it compares columns with
//! is evaluated then. What a test does not understand may hold.

use crate::column::Chunk;
use crate::cpu::expression::tile::Tile;
use crate::cpu::vector::rows::Source;
use crate::plan::nodes::Operation;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{CollectionId, ScalarId};
use std::ops::Range;

/// What must hold of a row that passes a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum ChunkTest {
    /// A column is not NULL (or it is, with `or_null`), and lies in one of these intervals: they are in order, and apart.
    Within { field: u32, intervals: Vec<(i128, i128)>, or_null: bool },
    /// A column of text lies before, at or behind a string, where these hold.
    Text { field: u32, holds: [bool; 3], text: Box<str> },
    /// A column is NULL.
    IsNull(u32),
    /// One of these holds.
    Any(Vec<ChunkTest>),
    /// All of these hold.
    All(Vec<ChunkTest>),
    /// Nothing is known.
    Unknown,
}

/// A comparison that holds for no value.
const NEVER: [bool; 3] = [false; 3];

impl ChunkTest {
    /// A field is the part of a key of a collection.
    fn of_key(tile: &Tile<'_>, collection: CollectionId, part: usize, field: u32, null_matches: bool) -> Self {
        match tile.collections.key_range(collection, part) {
            Ok(Some((low, high))) if low > high => within(field, NEVER, 0),
            Ok(Some(range)) => ChunkTest::Within { field, intervals: vec![range], or_null: null_matches },
            // Who reads the collection raises its error.
            _ => ChunkTest::Unknown,
        }
    }

    /// Whether a row of a chunk may pass. Fields are those of the source that the chunk is of.
    pub(in crate::cpu) fn may_hold(&self, source: &Source) -> bool {
        match self {
            ChunkTest::Within { field, intervals, or_null } => {
                let Some((chunk, column)) = place_of(source, *field) else { return true };
                let nulls = chunk.null_count(column);
                if *or_null && nulls != Some(0) {
                    return true;
                }
                nulls.is_none_or(|nulls| nulls < chunk.rows)
                    && match chunk.ranges.get(column).copied().flatten() {
                        Some((min, max)) => {
                            let behind = intervals.partition_point(|&(_, high)| high < min.into());
                            intervals.get(behind).is_some_and(|&(low, _)| low <= max.into())
                        }
                        None => !intervals.is_empty(),
                    }
            }
            ChunkTest::Text { field, holds, text } => place_of(source, *field).is_none_or(|(chunk, column)| {
                let known = chunk.constant_text(column);
                known.is_none_or(|known| holds[(known.cmp(text) as i8 + 1) as usize])
            }),
            ChunkTest::IsNull(field) => {
                place_of(source, *field).is_none_or(|(chunk, column)| chunk.null_count(column) != Some(0))
            }
            ChunkTest::Any(tests) => tests.iter().any(|test| test.may_hold(source)),
            ChunkTest::All(tests) => tests.iter().all(|test| test.may_hold(source)),
            ChunkTest::Unknown => true,
        }
    }

    /// Those of some rows of a chunk outside of which none passes, found by search where the field is sorted.
    pub(in crate::cpu) fn rows(
        &self,
        source: &Source,
        is_sorted: &dyn Fn(u32) -> bool,
        rows: Range<usize>,
    ) -> Range<usize> {
        match self {
            ChunkTest::Within { field, intervals, .. } if is_sorted(*field) => {
                let Some(column) = place_of(source, *field).and_then(|(chunk, column)| chunk.columns.get(column))
                else {
                    return rows;
                };
                let (Some(&(low, _)), Some(&(_, high))) = (intervals.first(), intervals.last()) else { return rows };
                // NULLs are in no order with values, and other forms have another one.
                if column.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0)
                    || rows.is_empty()
                    || column.integer(rows.start).is_none()
                {
                    return rows;
                }
                let value = |row| column.integer(row).unwrap_or_default();
                let start = first_row(rows.clone(), |row| value(row) >= low);
                start..first_row(start..rows.end, |row| value(row) > high)
            }
            ChunkTest::All(tests) => tests.iter().fold(rows, |rows, test| test.rows(source, is_sorted, rows)),
            _ => rows,
        }
    }
}

/// The first of some rows from which on a condition holds that holds behind every row for which it does.
fn first_row(rows: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = rows;
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) {
            end = middle;
        } else {
            start = middle + 1;
        }
    }
    start
}

/// The chunk of a source, and the position of a field's column among its columns.
fn place_of(source: &Source, field: u32) -> Option<(&Chunk, usize)> {
    let Source::Chunk { chunk, fields } = source else { return None };
    let position = fields.as_ref().map_or(Some(field), |fields| fields.get(field as usize).copied())?;
    Some((chunk, position as usize))
}

impl Tile<'_> {
    /// Adds what conditions, in order, ask of the outermost index. Whether they could all be looked at: behind what may
    /// fail, or differs from time to time, nothing may be asked, because rows must reach it.
    pub(in crate::cpu) fn chunk_tests(&mut self, conditions: &[ScalarId], tests: &mut Vec<ChunkTest>) -> bool {
        for &condition in conditions {
            let mut rest = vec![self.expressions.number(condition) as u32];
            while let Some(number) = rest.pop() {
                let node = self.node(number);
                match &node.operation {
                    // Evaluated from left to right, as conditions are.
                    Operation::Call { function: Function::And, arguments } => rest.extend(arguments.iter().rev()),
                    _ if node.may_fail || node.volatile => return false,
                    _ => tests.push(self.chunk_test(number, true)),
                }
            }
        }
        true
    }

    /// Adds what finding a key in a collection asks of the outermost index; as `chunk_tests`.
    pub(in crate::cpu) fn key_tests(
        &mut self,
        collection: CollectionId,
        key: impl Iterator<Item = (ScalarId, bool)>,
        tests: &mut Vec<ChunkTest>,
    ) -> bool {
        let key: Vec<(u32, bool)> =
            key.map(|(part, null_matches)| (self.expressions.number(part) as u32, null_matches)).collect();
        if key.iter().any(|&(part, _)| self.node(part).may_fail || self.node(part).volatile) {
            return false;
        }
        tests.push(self.key_test(collection, &key));
        true
    }

    fn key_test(&self, collection: CollectionId, key: &[(u32, bool)]) -> ChunkTest {
        let part = |(at, &(part, null_matches)): (usize, &(u32, bool))| match self.outermost_field(part) {
            Some(field) => ChunkTest::of_key(self, collection, at, field, null_matches),
            None => ChunkTest::Unknown,
        };
        ChunkTest::All(key.iter().enumerate().map(part).collect())
    }

    /// What must hold of a row for which a node that cannot fail is TRUE, or FALSE if `truth` is.
    fn chunk_test(&mut self, number: u32, truth: bool) -> ChunkTest {
        let (function, arguments) = match &self.node(number).operation {
            Operation::Call { function, arguments } => (*function, arguments),
            Operation::Exists { collection, key } if truth => return self.key_test(*collection, key),
            _ => return ChunkTest::Unknown,
        };
        let mut each = |truth: bool| arguments.iter().map(|&argument| self.chunk_test(argument, truth)).collect();
        match (function, &arguments[..]) {
            // De Morgan's laws hold in three-valued logic, too.
            (Function::And, _) if truth => ChunkTest::All(each(true)),
            (Function::And, _) => ChunkTest::Any(each(false)),
            (Function::Or, _) if truth => ChunkTest::Any(each(true)),
            (Function::Or, _) => ChunkTest::All(each(false)),
            (Function::Not, &[argument]) => self.chunk_test(argument, !truth),
            // These are never NULL: what is not TRUE may be so.
            (Function::IsTrue, &[argument]) if truth => self.chunk_test(argument, true),
            (Function::IsFalse, &[argument]) if truth => self.chunk_test(argument, false),
            (Function::IsNull, &[argument]) => self.null_test(argument, truth),
            (Function::IsNotNull, &[argument]) => self.null_test(argument, !truth),
            (Function::InList, [value, list @ ..]) if truth => self.list_test(*value, list),
            (_, &[a, b]) => match crate::cpu::kernels::compare::orders(function) {
                Some(holds) => {
                    let holds = holds.map(|holds| holds == truth);
                    match (self.outermost_field(a), self.outermost_field(b)) {
                        (Some(field), None) => self.compare_test(field, holds, b),
                        (None, Some(field)) => self.compare_test(field, [holds[2], holds[1], holds[0]], a),
                        _ => ChunkTest::Unknown,
                    }
                }
                None => ChunkTest::Unknown,
            },
            _ => ChunkTest::Unknown,
        }
    }

    fn null_test(&self, number: u32, is_null: bool) -> ChunkTest {
        match self.outermost_field(number) {
            Some(field) if is_null => ChunkTest::IsNull(field),
            Some(field) => within(field, [true; 3], 0),
            None => ChunkTest::Unknown,
        }
    }

    fn compare_test(&mut self, field: u32, holds: [bool; 3], constant: u32) -> ChunkTest {
        match self.known(constant) {
            Known::Integer(value) => within(field, holds, value),
            Known::Null => within(field, NEVER, 0),
            Known::Text(text) => {
                ChunkTest::All(vec![within(field, [true; 3], 0), ChunkTest::Text { field, holds, text }])
            }
            // No order of other values is known, but NULL passes no comparison.
            Known::Other => within(field, [true; 3], 0),
            Known::Nothing => ChunkTest::Unknown,
        }
    }

    fn list_test(&mut self, value: u32, list: &[u32]) -> ChunkTest {
        let Some(field) = self.outermost_field(value) else { return ChunkTest::Unknown };
        let (mut values, mut texts) = (Vec::with_capacity(list.len()), Vec::new());
        for &constant in list {
            match self.known(constant) {
                Known::Integer(value) => values.push(value),
                Known::Text(text) => texts.push(ChunkTest::Text { field, holds: [false, true, false], text }),
                Known::Null => {}
                Known::Other => return within(field, [true; 3], 0),
                Known::Nothing => return ChunkTest::Unknown,
            }
        }
        if !texts.is_empty() {
            return ChunkTest::All(vec![within(field, [true; 3], 0), ChunkTest::Any(texts)]);
        }
        values.sort_unstable();
        values.dedup();
        let intervals = values.into_iter().map(|value| (value, value)).collect();
        ChunkTest::Within { field, intervals, or_null: false }
    }

    /// The field of the outermost index that a node is.
    fn outermost_field(&self, number: u32) -> Option<u32> {
        match self.node(number).operation {
            Operation::Column { index: 0, field, optional: false } => Some(field),
            _ => None,
        }
    }

    /// What is known of a node's value before the loop starts.
    fn known(&mut self, number: u32) -> Known {
        let node = self.node(number);
        if node.reach > 0 || node.volatile || node.may_fail || self.reads_nested(number) {
            return Known::Nothing;
        }
        // Whoever needs the value raises the error, if somebody does.
        if self.ensure(number).is_err() {
            return Known::Nothing;
        }
        let vector = self.top(number);
        if vector.is_null(0) {
            return Known::Null;
        }
        match (vector.integer(0), vector.text(0)) {
            (Some(integer), _) => Known::Integer(integer),
            (None, Some(text)) => Known::Text(text.into()),
            (None, None) => Known::Other,
        }
    }

    /// Whether a nested block would have to run.
    fn reads_nested(&self, number: u32) -> bool {
        let operation = &self.node(number).operation;
        matches!(operation, Operation::Nested { .. })
            || operation.arguments().into_iter().any(|argument| self.reads_nested(argument))
    }
}

/// A value that does not depend on rows.
enum Known {
    Integer(i128),
    Text(Box<str>),
    Null,
    /// Of another type.
    Other,
    Nothing,
}

/// That a field is not NULL, and lies before, at or behind a value.
fn within(field: u32, holds: [bool; 3], value: i128) -> ChunkTest {
    let before = value.checked_sub(1).map(|before| (i128::MIN, before));
    let behind = value.checked_add(1).map(|behind| (behind, i128::MAX));
    let parts = [before, Some((value, value)), behind];
    let intervals = parts.into_iter().zip(holds).filter(|(_, holds)| *holds).filter_map(|(part, _)| part).collect();
    ChunkTest::Within { field, intervals, or_null: false }
}
