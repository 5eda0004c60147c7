//! The rows of a table in the order of some columns, without those that are marked as deleted.
//!
//! A table that was loaded in the order of its key, and has got rows since, has few rows that stand where they should not. So the
//! longest part of the rows that is in order, about, stays as it is; the others are sorted by pieces, which are merged, and
//! then merged with the rows that stay. What that takes goes by the rows that move, but for the copy of all.
//!
//! Rows that are equal in all columns keep their order. So what comes out depends on the values and the numbers of the rows alone:
//! who does the same to the same rows later gets the same numbers ([`Table`]).

use super::{CODE, Decoder, Domain};
use crate::Result;
use crate::column::build::{Storage, TableBuilder};
use crate::column::change::gather;
use crate::column::compact::compact;
use crate::column::order_key::float_key;
use crate::column::{CHUNK_ROWS, Column, ColumnData, Table};
use crate::workers::context::{Context, Reservation};
use multiloop_planner::types::{DataType, Field};
use std::cmp::Ordering;

/// Rows that are sorted at once, and that are passed between two looks at whether somebody cancels.
const PIECE: usize = 1 << 14;

/// A chunk, and a row of it.
type Place = (u32, u32);

/// Whether rows can be arranged by a column of this type.
pub fn can_arrange_by(data_type: DataType) -> bool {
    use DataType::{BigInt, Char, Date, Decimal, Double, Integer, Real, SmallInt, Text, Time, Timestamp, Varchar};
    matches!(
        data_type.carrier(),
        SmallInt
            | Integer
            | BigInt
            | Real
            | Double
            | Decimal { .. }
            | Text
            | Varchar(_)
            | Char(_)
            | Date
            | Time
            | Timestamp
    )
}

/// A table whose rows may have to be arranged.
#[derive(Clone, Copy, Debug)]
pub struct Unarranged<'t> {
    /// Its rows, of which columns may be codes of `domains`.
    pub table: &'t Table,
    /// By columns; there may be fewer than columns.
    pub domains: &'t [Option<Domain>],
    /// The column that marks deleted rows, if it has one.
    pub marks: Option<usize>,
}

/// How a table's rows have to move.
#[derive(Debug)]
pub struct Moves {
    /// Rows that do not stay between the others: by their places, and in the order in which they will be.
    moved: Vec<Place>,
    in_order: Vec<Place>,
    keys: Keys,
    /// Both lists, and the keys.
    _memory: Reservation,
}

impl Moves {
    /// How many rows stand between others that stay in their order.
    pub fn count(&self) -> usize {
        self.moved.len()
    }
}

impl Unarranged<'_> {
    /// What has to move for the rows to be in the order of some columns, NULLs last; none if that were more than `most` rows.
    ///
    /// # Errors
    /// 53200, and 57014 if it is cancelled.
    pub fn moves(&self, by: &[usize], most: usize, context: &Context) -> Result<Option<Moves>> {
        let mut memory = Reservation::new(&context.memory);
        let keys = Keys::of(self, by, &mut memory, context)?;
        let (mut last, mut before): (Option<Place>, Option<Place>) = (None, None);
        let mut moved: Vec<Place> = Vec::new();
        for (chunk, rows) in self.pieces() {
            context.check()?;
            memory.resize_to_hold(&keys, &moved)?;
            for place in rows.map(|row| (chunk, row)).filter(|&place| !self.is_marked(place)) {
                let follows = |earlier: Option<Place>| {
                    earlier.is_none_or(|earlier| keys.compare(earlier, place) != Ordering::Greater)
                };
                if follows(last) {
                    (before, last) = (last, Some(place));
                } else if follows(before) {
                    // The one before it was too large.
                    moved.extend(last);
                    last = Some(place);
                } else {
                    moved.push(place);
                }
                if moved.len() > most {
                    return Ok(None);
                }
            }
        }
        moved.sort_unstable();
        memory.resize_to_hold(&keys, &moved)?;
        let in_order = sorted(moved.clone(), &keys, context)?;
        Ok(Some(Moves { moved, in_order, keys, _memory: memory }))
    }

    /// The rows as values, in their order, with the numbers that they have there.
    ///
    /// # Errors
    /// 53200, and 57014 if it is cancelled.
    pub fn arranged(&self, moves: &Moves, context: &Context) -> Result<Table> {
        let own = self.table.fields.len() - usize::from(self.marks.is_some());
        let fields = self.table.fields[..own].to_vec();
        let decoder = |column: usize| {
            self.domains.get(column).and_then(Option::as_ref).map(|domain| Decoder::of(domain, context))
        };
        let decoders: Vec<Option<Decoder>> = (0..own).map(decoder).collect();
        let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, context);
        let mut push = |places: &mut Vec<Place>| {
            let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
            for (chunk, row) in places.drain(..) {
                match runs.last_mut() {
                    Some((last, rows)) if *last == chunk => rows.push(row),
                    _ => runs.push((chunk, vec![row])),
                }
            }
            let rows = runs.iter().map(|(_, rows)| rows.len()).sum();
            let column = |column: usize| {
                context.check()?;
                let piece = |(chunk, rows): &(u32, Vec<u32>)| {
                    gather::gather(&self.table.chunks[*chunk as usize].columns[column], rows)
                };
                let pieces: Vec<Column> = runs.iter().map(piece).collect();
                match &decoders[column] {
                    None => compact(&pieces, &fields[column], true),
                    Some(decoder) => {
                        let code = Field::new(fields[column].name.clone(), CODE, fields[column].nullable);
                        decoder.decode(&compact(&pieces, &code, false)?, &fields[column].name)
                    }
                }
            };
            builder.push_columns(rows, (0..own).map(column).collect::<Result<Vec<Column>>>()?)
        };
        let (mut stays_out, mut coming) = (moves.moved.iter().peekable(), moves.in_order.iter().peekable());
        let mut places: Vec<Place> = Vec::with_capacity(CHUNK_ROWS);
        for (chunk, rows) in self.pieces() {
            context.check()?;
            for place in rows.map(|row| (chunk, row)) {
                if stays_out.next_if_eq(&&place).is_some() || self.is_marked(place) {
                    continue;
                }
                while let Some(&first) = coming.next_if(|&&first| moves.keys.order(first, place) == Ordering::Less) {
                    take(&mut places, first, &mut push)?;
                }
                take(&mut places, place, &mut push)?;
            }
        }
        for &place in coming {
            take(&mut places, place, &mut push)?;
        }
        if !places.is_empty() {
            push(&mut places)?;
        }
        builder.finish()
    }

    /// The places of all rows, some at a time.
    fn pieces(&self) -> impl Iterator<Item = (u32, std::ops::Range<u32>)> {
        let of_chunk = |(chunk, rows): (usize, usize)| {
            let starts = (0..rows).step_by(PIECE);
            starts.map(move |start| (chunk as u32, start as u32..rows.min(start + PIECE) as u32))
        };
        self.table.chunks.iter().map(|chunk| chunk.rows).enumerate().flat_map(of_chunk)
    }

    fn is_marked(&self, (chunk, row): Place) -> bool {
        self.marks
            .is_some_and(|marks| Table::is_marked(&self.table.chunks[chunk as usize].columns, row as usize, marks))
    }
}

/// One place more.
fn take(places: &mut Vec<Place>, place: Place, push: &mut dyn FnMut(&mut Vec<Place>) -> Result<()>) -> Result<()> {
    places.push(place);
    if places.len() == CHUNK_ROWS { push(places) } else { Ok(()) }
}

/// Places in the order of keys: pieces are sorted, and merged two by two.
fn sorted(mut places: Vec<Place>, keys: &Keys, context: &Context) -> Result<Vec<Place>> {
    for piece in places.chunks_mut(PIECE) {
        context.check()?;
        piece.sort_unstable_by(|a, b| keys.order(*a, *b));
    }
    let mut length = PIECE;
    while length < places.len() {
        let mut merged = Vec::with_capacity(places.len());
        for pair in places.chunks(2 * length) {
            let (mut a, mut b) = pair.split_at(length.min(pair.len()));
            while let (Some(first), Some(second)) = (a.first(), b.first()) {
                let next = if keys.order(*second, *first) == Ordering::Less { &mut b } else { &mut a };
                merged.push(next[0]);
                *next = &next[1..];
                if merged.len() % PIECE == 0 {
                    context.check()?;
                }
            }
            merged.extend_from_slice(a);
            merged.extend_from_slice(b);
        }
        (places, length) = (merged, 2 * length);
    }
    Ok(places)
}

/// The columns that rows are arranged by, as values: for each its chunks.
#[derive(Debug)]
struct Keys {
    columns: Vec<Vec<Column>>,
    /// What values have been made of codes.
    bytes: usize,
}

impl Keys {
    fn of(of: &Unarranged<'_>, by: &[usize], memory: &mut Reservation, context: &Context) -> Result<Self> {
        let mut bytes = 0;
        let mut columns = Vec::with_capacity(by.len());
        for &column in by {
            let domain = of.domains.get(column).and_then(Option::as_ref);
            let decoder = domain.map(|domain| Decoder::of(domain, context));
            let mut values = Vec::with_capacity(of.table.chunks.len());
            for chunk in of.table.chunks.iter() {
                context.check()?;
                let own = &chunk.columns[column];
                values.push(match &decoder {
                    None => own.clone(),
                    Some(decoder) => {
                        let decoded = decoder.decode(own, &of.table.fields[column].name)?;
                        bytes += decoded.bytes();
                        memory.add(decoded.bytes())?;
                        decoded
                    }
                });
            }
            columns.push(values);
        }
        Ok(Keys { columns, bytes })
    }

    /// By all columns, NULLs last.
    fn compare(&self, a: Place, b: Place) -> Ordering {
        let by = |column: &Vec<Column>| {
            let (a, a_row) = (&column[a.0 as usize], a.1 as usize);
            let (b, b_row) = (&column[b.0 as usize], b.1 as usize);
            match (a.is_null(a_row), b.is_null(b_row)) {
                (false, false) => compare((a, a_row), (b, b_row)),
                (a, b) => a.cmp(&b),
            }
        };
        self.columns.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// The same, and then by place: no two are equal.
    fn order(&self, a: Place, b: Place) -> Ordering {
        self.compare(a, b).then(a.cmp(&b))
    }
}

fn compare((a, a_row): (&Column, usize), (b, b_row): (&Column, usize)) -> Ordering {
    if let (Some(a), Some(b)) = (a.integer(a_row), b.integer(b_row)) {
        return a.cmp(&b);
    }
    if let (Some(a), Some(b)) = (float(a, a_row), float(b, b_row)) {
        return a.cmp(&b);
    }
    a.data.text_bytes(a_row).cmp(b.data.text_bytes(b_row))
}

fn float(column: &Column, row: usize) -> Option<i64> {
    match &column.data {
        ColumnData::Float32(values) => Some(float_key(values[row].into())),
        ColumnData::Float64(values) => Some(float_key(values[row])),
        _ => None,
    }
}

impl Reservation {
    /// Counts for keys and two lists of places.
    fn resize_to_hold(&mut self, keys: &Keys, places: &Vec<Place>) -> Result<()> {
        self.resize(keys.bytes + 3 * places.capacity() * size_of::<Place>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::context::Memory;
    use multiloop_planner::value::Value;

    /// A table of keys, perhaps NULL, in chunks of these sizes, with the number of each row behind it; rows of these numbers are marked.
    fn table(data_type: DataType, keys: &[Value], chunk_rows: usize, deleted: &[usize]) -> Table {
        let context = Context::new(Memory::new(usize::MAX));
        let fields = vec![Field::new("key", data_type, true), Field::new("number", DataType::BigInt, false)];
        let mut all = Table::empty(fields.clone());
        let rows: Vec<Vec<Value>> =
            keys.iter().enumerate().map(|(number, key)| vec![key.clone(), Value::Int(number as i64)]).collect();
        for rows in rows.chunks(chunk_rows.max(1)) {
            let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, &context);
            builder.push_values(rows).unwrap();
            let next = builder.finish().unwrap();
            let chunks = all.chunks.iter().chain(next.chunks.iter()).cloned().collect();
            all = Table { chunks, ..next };
        }
        let all = all.measured(Some(&context));
        match deleted {
            [] => all,
            deleted => all.with_marks().marked(deleted, 2, &context).unwrap(),
        }
    }

    /// Arranged by sorting values, as one would.
    fn check(data_type: DataType, keys: &[Value], chunk_rows: usize, deleted: &[usize]) {
        let context = Context::new(Memory::new(usize::MAX));
        let of = table(data_type, keys, chunk_rows, deleted);
        let marks = (!deleted.is_empty()).then_some(2);
        let unarranged = Unarranged { table: &of, domains: &[], marks };
        let moves = unarranged.moves(&[0], usize::MAX, &context).unwrap().unwrap();
        let arranged = unarranged.arranged(&moves, &context).unwrap();
        let mut wanted: Vec<i64> = (0..keys.len()).filter(|row| !deleted.contains(row)).map(|row| row as i64).collect();
        let order = |a: &Value, b: &Value| match (a, b) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => Ordering::Greater,
            (_, Value::Null) => Ordering::Less,
            (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => float_key(*a).cmp(&float_key(*b)),
            _ => unreachable!("keys are of one type"),
        };
        wanted.sort_by(|a, b| order(&keys[*a as usize], &keys[*b as usize]));
        let numbers: Vec<i64> = arranged
            .chunks
            .iter()
            .flat_map(|chunk| (0..chunk.rows).map(|row| chunk.columns[1].integer(row).unwrap() as i64))
            .collect();
        assert_eq!(numbers, wanted, "{data_type} {} {chunk_rows} {}", keys.len(), deleted.len());
        let statistics = &arranged.statistics.columns[0];
        assert!(statistics.proofs.sorted, "{data_type} {} {chunk_rows}", keys.len());
        let again = Unarranged { table: &arranged, domains: &[], marks: None };
        assert_eq!(again.moves(&[0], 0, &context).unwrap().map(|moves| moves.count()), Some(0));
    }

    #[test]
    fn rows_are_in_order() {
        let mut seed = 7u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below.max(1)
        };
        for rows in [0, 1, 2, 5, 1000, PIECE - 1, PIECE + 1, 3 * PIECE + 5] {
            for kind in 0..6 {
                let key = |row: usize, random: &mut dyn FnMut(usize) -> usize| match kind {
                    0 => row as i64,
                    1 if random(50) == 0 => random(rows) as i64,
                    1 => row as i64,
                    2 => -(row as i64),
                    3 => random(rows) as i64,
                    4 => random(3) as i64,
                    // An appended part.
                    _ if row < rows / 8 * 7 => 4 * row as i64,
                    _ => random(4 * rows) as i64,
                };
                let keys: Vec<i64> = (0..rows).map(|row| key(row, &mut random)).collect();
                let deleted: Vec<usize> = (0..rows).filter(|_| kind % 2 == 1 && random(9) == 0).collect();
                let with_nulls = |value: Value, random: &mut dyn FnMut(usize) -> usize| {
                    if kind == 3 && random(20) == 0 { Value::Null } else { value }
                };
                let chunk_rows = [rows, 777, CHUNK_ROWS][random(3)];
                let ints: Vec<Value> = keys.iter().map(|&key| with_nulls(Value::Int(key), &mut random)).collect();
                check(DataType::BigInt, &ints, chunk_rows, &deleted);
                if rows <= 1000 {
                    let text = |key: &i64| Value::Text(format!("{:04}é{}", key.rem_euclid(500), key).into());
                    let texts: Vec<Value> = keys.iter().map(text).map(|text| with_nulls(text, &mut random)).collect();
                    check(DataType::Text, &texts, chunk_rows, &deleted);
                    let float = |key: &i64| match key % 7 {
                        0 => f64::NAN,
                        1 => f64::NEG_INFINITY,
                        _ => *key as f64 / 3.0,
                    };
                    let floats: Vec<Value> =
                        keys.iter().map(float).map(|float| with_nulls(Value::Float(float), &mut random)).collect();
                    check(DataType::Double, &floats, chunk_rows, &deleted);
                }
            }
        }
    }

    #[test]
    fn few_rows_move() {
        let context = Context::new(Memory::new(usize::MAX));
        let moves = |keys: &[i64], most: usize| {
            let keys: Vec<Value> = keys.iter().map(|&key| Value::Int(key)).collect();
            let of = table(DataType::BigInt, &keys, 100, &[]);
            let moves = Unarranged { table: &of, domains: &[], marks: None }.moves(&[0], most, &context).unwrap();
            moves.map(|moves| moves.count())
        };
        assert_eq!(moves(&[9, 1, 2, 3, 4], 5), Some(1));
        assert_eq!(moves(&[1, 2, 90, 3, 4, 5], 5), Some(1));
        assert_eq!(moves(&[1, 2, 3, 4, 5, 2, 3], 5), Some(2));
        assert_eq!(moves(&[5, 4, 3, 2, 1], 2), None);
    }

    #[test]
    fn without_memory_nothing_happens() {
        let of = table(DataType::BigInt, &(0..5000).rev().map(Value::Int).collect::<Vec<_>>(), 100, &[]);
        let context = Context::new(Memory::new(1000));
        let unarranged = Unarranged { table: &of, domains: &[], marks: None };
        assert!(unarranged.moves(&[0], usize::MAX, &context).is_err());
        assert_eq!(context.memory.used(), 0);
    }
}
