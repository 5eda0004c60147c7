//! Conditions on a whole chunk: whether any of its rows can pass.
//!
//! Where values lie in the order in which rows came, or near it (dates of orders, numbers of invoices), the smallest and
//! the largest value of a column tell of most chunks that no row of them passes a condition ("small materialized
//! aggregates", Moerkotte, VLDB 1998; zone maps). A condition becomes a test once a loop: what it compares columns with
//! is evaluated then. What a test does not understand may hold.

use crate::column::order_key::float_key;
use crate::column::zones::{Chosen, Zones};
use crate::column::{Chunk, ColumnReader, Span, text_order};
use crate::cpu::expression::tile::Tile;
use crate::cpu::vector::VectorData;
use crate::cpu::vector::rows::Source;
use crate::plan::nodes::Operation;
use multiloop_planner::evaluate::like::LikePattern;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{CollectionId, ScalarId};
use std::ops::Range;
use std::sync::Arc;

/// What must hold of a row that passes a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum ChunkTest {
    /// A column is not NULL (or it is, with `or_null`), and lies in one of these intervals: they are in order, and apart.
    Within { field: u32, intervals: Vec<(i128, i128)>, or_null: bool },
    /// A column of text is one of these.
    Among(u32, Vec<Box<[u8]>>),
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

/// Of more values than these nobody is asked whether a chunk has them.
const ASKED_VALUES_MAX: usize = 16;

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

    /// Whether a row of some may pass.
    pub(in crate::cpu) fn may_hold(&self, zone: &impl Zone) -> bool {
        match self {
            ChunkTest::Within { field, intervals, or_null } => {
                let Some(known) = zone.known(*field) else { return true };
                if *or_null && known.nulls != Some(0) {
                    return true;
                }
                let has_values = known.nulls.is_none_or(|nulls| nulls < known.rows.len());
                let Some((min, max)) = known.range.filter(|_| has_values) else {
                    return has_values && !intervals.is_empty();
                };
                let first = intervals.partition_point(|&(_, high)| high < min.into());
                let met = intervals[first..].iter().take_while(|&&(low, _)| low <= max.into());
                let value = |&(low, high): &(i128, i128)| i64::try_from(low).ok().filter(|_| low == high);
                match met.clone().take(ASKED_VALUES_MAX + 1).map(value).collect::<Option<Vec<i64>>>() {
                    Some(values) if values.len() <= ASKED_VALUES_MAX => {
                        !values.is_empty() && zone.may_have(*field, &values)
                    }
                    _ => true,
                }
            }
            ChunkTest::Among(field, texts) => texts.len() > ASKED_VALUES_MAX || zone.may_have_text(*field, texts),
            ChunkTest::IsNull(field) => zone.known(*field).is_none_or(|known| known.nulls != Some(0)),
            ChunkTest::Any(tests) => tests.iter().any(|test| test.may_hold(zone)),
            ChunkTest::All(tests) => tests.iter().all(|test| test.may_hold(zone)),
            ChunkTest::Unknown => true,
        }
    }

    /// Adds the fields that it looks at.
    pub(in crate::cpu) fn fields(&self, fields: &mut Vec<u32>) {
        match self {
            ChunkTest::Within { field, .. } | ChunkTest::IsNull(field) => fields.push(*field),
            ChunkTest::Any(tests) | ChunkTest::All(tests) => tests.iter().for_each(|test| test.fields(fields)),
            ChunkTest::Among(..) | ChunkTest::Unknown => {}
        }
    }

    /// The chunks of which a row may pass, of so many of which this is known by field: `may_hold` of all of them at once.
    pub(in crate::cpu) fn chunks(&self, zones: &dyn Fn(u32) -> Arc<Zones>) -> Chosen {
        match self {
            ChunkTest::Within { field, intervals, or_null } => {
                let known = zones(*field);
                let met = known.meeting(intervals);
                if *or_null { met.or(known.nullable()) } else { met }
            }
            ChunkTest::IsNull(field) => zones(*field).nullable(),
            ChunkTest::Any(tests) => tests.iter().fold(Chosen::None, |any, test| any.or(test.chunks(zones))),
            ChunkTest::All(tests) => tests.iter().fold(Chosen::All, |all, test| all.and(test.chunks(zones))),
            // Of texts files alone know more.
            ChunkTest::Among(..) | ChunkTest::Unknown => Chosen::All,
        }
    }

    /// The chunks of which it may hold of some rows alone that lie together: a field is sorted, and not all that is known to be in it
    /// passes.
    pub(in crate::cpu) fn cut_chunks(
        &self,
        zones: &dyn Fn(u32) -> Arc<Zones>,
        is_sorted: &dyn Fn(u32) -> bool,
    ) -> Chosen {
        match self {
            ChunkTest::Within { field, intervals, .. } if is_sorted(*field) => {
                match (intervals.first(), intervals.last()) {
                    (Some(&(low, _)), Some(&(_, high))) => zones(*field).reaching_out((low, high)),
                    _ => Chosen::None,
                }
            }
            ChunkTest::All(tests) => {
                tests.iter().fold(Chosen::None, |any, test| any.or(test.cut_chunks(zones, is_sorted)))
            }
            _ => Chosen::None,
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

/// Rows of which something is known.
pub(in crate::cpu) trait Zone {
    /// What is known of a field of the source that the rows are of.
    fn known(&self, field: u32) -> Option<Span>;

    /// Whether a field may have one of some values.
    fn may_have(&self, field: u32, values: &[i64]) -> bool;

    /// Whether a field of text may be one of these.
    fn may_have_text(&self, field: u32, texts: &[Box<[u8]>]) -> bool;
}

/// A whole chunk.
impl Zone for Source {
    fn known(&self, field: u32) -> Option<Span> {
        let (chunk, column) = place_of(self, field)?;
        let range = chunk.ranges.get(column).copied().flatten();
        Some(Span { rows: 0..chunk.rows, range, nulls: chunk.null_count(column) })
    }

    fn may_have(&self, field: u32, values: &[i64]) -> bool {
        reader_of(self, field).is_none_or(|(reader, column)| reader.may_have(column, values))
    }

    fn may_have_text(&self, field: u32, texts: &[Box<[u8]>]) -> bool {
        reader_of(self, field).is_none_or(|(reader, column)| reader.may_have_text(column, texts))
    }
}

/// What reads a field of a lazy chunk, and the position of its column.
pub(in crate::cpu) fn reader_of(source: &Source, field: u32) -> Option<(&dyn ColumnReader, usize)> {
    let (chunk, column) = place_of(source, field)?;
    Some((chunk.lazy.as_ref()?.reader(), column))
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
            (Function::Like | Function::StartsWith, &[value, pattern, ..]) if truth => {
                let escape = arguments.get(2).copied();
                self.prefix_test(function, value, (pattern, escape))
            }
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
            Known::Float(key) => within(field, holds, key.into()),
            Known::Text(text) => {
                let at = i128::from(text_order(&text));
                let parts = [(i128::MIN, at), (at, at), (at, i128::MAX)];
                let intervals =
                    parts.into_iter().zip(holds).filter_map(|(part, holds)| holds.then_some(part)).collect();
                let within = ChunkTest::Within { field, intervals, or_null: false };
                match holds {
                    [false, true, false] => ChunkTest::All(vec![within, ChunkTest::Among(field, vec![text])]),
                    _ => within,
                }
            }
            Known::Null => within(field, NEVER, 0),
            // No order of other values is known, but NULL passes no comparison.
            Known::Other => within(field, [true; 3], 0),
            Known::Nothing => ChunkTest::Unknown,
        }
    }

    /// That a text begins as a pattern does.
    fn prefix_test(&mut self, function: Function, value: u32, (pattern, escape): (u32, Option<u32>)) -> ChunkTest {
        let Some(field) = self.outermost_field(value) else { return ChunkTest::Unknown };
        let prefix = match (self.known(pattern), escape) {
            (Known::Null, _) => return within(field, NEVER, 0),
            (Known::Text(text), _) if function == Function::StartsWith => text,
            (Known::Text(text), None) => {
                let pattern = std::str::from_utf8(&text).ok().and_then(|text| LikePattern::new(text, None).ok());
                pattern.map(|pattern| pattern.beginning().as_bytes().into()).unwrap_or_default()
            }
            _ => return ChunkTest::Unknown,
        };
        let last: Vec<u8> = prefix.iter().copied().chain([u8::MAX; 8]).collect();
        let intervals = vec![(text_order(&prefix).into(), text_order(&last).into())];
        ChunkTest::Within { field, intervals, or_null: false }
    }

    fn list_test(&mut self, value: u32, list: &[u32]) -> ChunkTest {
        let Some(field) = self.outermost_field(value) else { return ChunkTest::Unknown };
        let (mut values, mut texts) = (Vec::with_capacity(list.len()), Vec::new());
        for &constant in list {
            match self.known(constant) {
                Known::Integer(value) => values.push(value),
                Known::Float(key) => values.push(key.into()),
                Known::Text(text) => {
                    values.push(text_order(&text).into());
                    texts.push(text);
                }
                Known::Null => {}
                Known::Other => return within(field, [true; 3], 0),
                Known::Nothing => return ChunkTest::Unknown,
            }
        }
        values.sort_unstable();
        values.dedup();
        let intervals = values.into_iter().map(|value| (value, value)).collect();
        let within = ChunkTest::Within { field, intervals, or_null: false };
        if texts.is_empty() { within } else { ChunkTest::All(vec![within, ChunkTest::Among(field, texts)]) }
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
        match vector.integer(0) {
            Some(value) => Known::Integer(value),
            None => match (vector.text(0), &vector.data) {
                (Some(text), _) => Known::Text(text.as_bytes().into()),
                (None, VectorData::F64(values)) => Known::Float(float_key(values[vector.position(0)])),
                _ => Known::Other,
            },
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
    Text(Box<[u8]>),
    /// Its key, which is in order as floats are.
    Float(i64),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Chunks, Column, ColumnData};
    use arrow::buffer::{BooleanBuffer, NullBuffer};

    /// Numbers that look like chance.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: i64) -> i64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as i64
        }
    }

    /// A column of few values, some of them NULL, and its range, if it has values and that is said.
    fn column(random: &mut Random, rows: usize) -> (Column, Option<(i64, i64)>) {
        let values: Vec<i64> = (0..rows).map(|_| random.below(9)).collect();
        let nulls = match random.below(4) {
            0 => None,
            1 => Some(vec![false; rows]),
            often => Some((0..rows).map(|_| random.below(often + 1) > 0).collect()),
        };
        let is_valid = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls[row]);
        let known: Vec<i64> = (0..rows).filter(|&row| is_valid(row)).map(|row| values[row]).collect();
        let range = known.iter().min().copied().zip(known.iter().max().copied()).filter(|_| random.below(6) > 0);
        let nulls = nulls.as_deref().map(|nulls| NullBuffer::new(BooleanBuffer::from(nulls)));
        (Column::new(ColumnData::Int64(values.into()), nulls), range)
    }

    fn test(random: &mut Random, depth: i64) -> ChunkTest {
        let tests =
            |random: &mut Random| (0..random.below(4)).map(|_| test(random, depth - 1)).collect::<Vec<ChunkTest>>();
        match random.below(if depth > 0 { 8 } else { 5 }) {
            0 => ChunkTest::IsNull(random.below(2) as u32),
            1 if random.below(3) == 0 => ChunkTest::Unknown,
            2 if random.below(3) == 0 => ChunkTest::Among(1, vec![Box::from(&b"a"[..])]),
            5 | 6 => ChunkTest::All(tests(random)),
            7 => ChunkTest::Any(tests(random)),
            _ => {
                let mut ends: Vec<i128> = (0..2 * random.below(11)).map(|_| random.below(40) as i128 - 15).collect();
                ends.sort_unstable();
                ends.dedup();
                let mut intervals: Vec<(i128, i128)> = ends.chunks_exact(2).map(|ends| (ends[0], ends[1])).collect();
                if let (Some(first), 0) = (intervals.first_mut(), random.below(4)) {
                    first.0 = i128::MIN;
                }
                if let (Some(last), 0) = (intervals.last_mut(), random.below(4)) {
                    last.1 = i128::MAX;
                }
                ChunkTest::Within { field: random.below(2) as u32, intervals, or_null: random.below(3) == 0 }
            }
        }
    }

    #[test]
    fn all_chunks_at_once_are_as_one_by_one() {
        let mut random = Random(0x51ed_270b_7f4a_7c15);
        for _ in 0..400 {
            let chunk = |random: &mut Random| {
                let rows = random.below(6) as usize;
                let (columns, ranges) = (0..2).map(|_| column(random, rows)).unzip();
                Arc::new(Chunk { ranges, ..Chunk::new(rows, columns) })
            };
            let chunks: Chunks = (0..random.below(12)).map(|_| chunk(&mut random)).collect();
            let zones = |field: u32| chunks.zones(field as usize);
            for _ in 0..20 {
                let test = test(&mut random, 2);
                let chosen = test.chunks(&zones);
                let cut = test.cut_chunks(&zones, &|field| field == 0);
                for (number, chunk) in chunks.iter().enumerate() {
                    let source = Source::Chunk { chunk: Arc::clone(chunk), fields: None };
                    let holds = test.may_hold(&source);
                    assert_eq!(chosen.has(number), holds, "{test:?} of {chunk:?}");
                    // Where nothing is cut a search would find all rows.
                    let found = test.rows(&source, &|field| field == 0, 0..chunk.rows);
                    let is_sorted = chunk.columns[0].nulls.is_none()
                        && (1..chunk.rows)
                            .all(|row| chunk.columns[0].integer(row - 1) <= chunk.columns[0].integer(row));
                    assert!(
                        cut.has(number) || !holds || !is_sorted || found == (0..chunk.rows),
                        "{test:?} of {chunk:?}"
                    );
                }
            }
        }
    }
}
