//! Tables built every way from nasty data: the values come back, and the statistics are what a naive count says.

use super::build::{Storage, TableBuilder};
use super::{CHUNK_ROWS, ColumnData, Table};
use crate::ErrorKind;
use crate::workers::context::{Context, Memory};
use ::arrow::array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray, StringViewArray};
use multiloop_planner::catalog::Proofs;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

fn context() -> Context {
    Context::new(Memory::new(usize::MAX))
}

fn one_field(data_type: DataType) -> Vec<Field> {
    vec![Field::new("x", data_type, true)]
}

/// Builds a table of one column from values, pushed in pieces of this many rows, and checks everything.
fn check_pieces(data_type: DataType, values: &[Value], piece: usize) -> Table {
    let context = context();
    let mut builder = TableBuilder::new(one_field(data_type), Storage::Compact, &context);
    let rows: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
    for rows in rows.chunks(piece) {
        builder.push_values(rows).unwrap();
    }
    let table = builder.finish().unwrap();
    check_table(&table, values);
    assert!(table.chunks.iter().rev().skip(1).all(|chunk| chunk.rows == CHUNK_ROWS));
    let counted: usize = table.bytes();
    assert_eq!(context.memory.used(), counted, "what a table holds is what it counts for");
    table
}

fn check(data_type: DataType, values: &[Value]) -> Table {
    check_pieces(data_type, values, 1000.max(values.len() / 7))
}

fn check_table(table: &Table, values: &[Value]) {
    assert_eq!(table.rows(), values.len());
    assert_eq!(table.statistics.rows, values.len() as u64);
    let stored = table.values();
    if let Some(row) = (0..values.len()).find(|&row| stored[row][0] != values[row]) {
        panic!("row {row}: {:?} is stored as {:?}", values[row], stored[row][0]);
    }
    let statistics = &table.statistics.columns[0];
    let known: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    let distinct = known.iter().map(|value| (*value).clone().group_key()).collect::<FxHashSet<_>>().len();
    assert_eq!(statistics.proofs.nulls as usize, values.len() - known.len());
    if table.fields[0].data_type != DataType::Interval {
        let canonical = |value: Option<&Value>| value.cloned().map(Value::canonical);
        let (min, max) = (statistics.proofs.min.as_ref(), statistics.proofs.max.as_ref());
        assert_eq!(canonical(min), canonical(known.iter().min_by(|a, b| a.compare(b)).copied()));
        assert_eq!(canonical(max), canonical(known.iter().max_by(|a, b| a.compare(b)).copied()));
        let sorted = values.is_sorted_by(|a, b| a.compare(b).is_le());
        assert_eq!(statistics.proofs.sorted, sorted);
        assert!(!sorted || statistics.estimates.distinct == Some(distinct as u64));
    }
    assert_eq!(statistics.proofs.step, table.fields[0].data_type.integer_bounds().and_then(|_| step_of(&known)));
    let estimate = statistics.estimates.distinct.expect("always there") as f64;
    assert!((estimate - distinct as f64).abs() <= distinct as f64 * 0.06, "{estimate} for {distinct}");
    assert!(!statistics.proofs.unique || distinct == values.len());
    assert!(!statistics.proofs.unique_values || distinct == known.len());
    assert!(!statistics.proofs.unique || statistics.proofs.unique_values);
    let runs = 1 + values.windows(2).filter(|pair| pair[0].compare(&pair[1]).is_ne()).count();
    assert!(!statistics.proofs.clustered || runs <= distinct + 1);
    for chunk in &table.chunks {
        let Some((min, max)) = chunk.ranges[0] else { continue };
        let number = |row: usize| match chunk.columns[0].value(row, table.fields[0].data_type) {
            Value::Float(value) => i128::from(super::order_key::float_key(value)),
            Value::Text(value) => i128::from(super::order_key::text_order(value.as_bytes())),
            _ => chunk.columns[0].integer(row).unwrap(),
        };
        let inside = |row: &usize| (min.into()..=max.into()).contains(&number(*row));
        assert!((0..chunk.rows).filter(|&row| !chunk.columns[0].is_null(row)).all(|row| inside(&row)));
    }
}

/// The greatest common divisor of the distances between integers of 64 bits, if it is above 1.
fn step_of(values: &[&Value]) -> Option<u64> {
    let integer = |value: &&Value| match value {
        Value::Int(value) => Some(*value),
        Value::Decimal(value) => i64::try_from(*value).ok(),
        _ => None,
    };
    let values: Vec<i64> = values.iter().map(integer).collect::<Option<_>>()?;
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let distances = values.iter().map(|value| value.abs_diff(values[0]));
    distances.reduce(divisor).filter(|&step| step > 1)
}

fn ints(values: impl IntoIterator<Item = i64>) -> Vec<Value> {
    values.into_iter().map(Value::Int).collect()
}

fn every_type() -> Vec<DataType> {
    use DataType::*;
    let decimals = [DataType::decimal(15, 2), DataType::decimal(38, 0)];
    [Null, Boolean, SmallInt, Integer, BigInt, Real, Double, Text, Varchar(3), Char(3), Date, Time, Timestamp, Interval]
        .into_iter()
        .chain(decimals)
        .collect()
}

#[test]
fn nothing_and_nothing_but_null() {
    for data_type in every_type() {
        check(data_type, &[]);
        check(data_type, &[Value::Null]);
        let table = check(data_type, &vec![Value::Null; CHUNK_ROWS + 1]);
        let statistics = &table.statistics.columns[0];
        assert_eq!(
            (statistics.estimates.distinct, statistics.proofs.unique, &statistics.proofs.min),
            (Some(0), false, &None)
        );
    }
}

#[test]
fn chunk_boundaries() {
    for rows in [1, 2, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 3 * CHUNK_ROWS] {
        for piece in [CHUNK_ROWS - 1, CHUNK_ROWS, 2 * CHUNK_ROWS + 1] {
            let table = check_pieces(DataType::BigInt, &ints(0..rows as i64), piece);
            assert!(table.statistics.columns[0].proofs.unique && table.statistics.columns[0].proofs.sorted);
            assert!(table.chunks.iter().all(|chunk| chunk.rows < 257 || chunk.columns[0].data.form() == "frame16"));
        }
    }
}

#[test]
fn frames_at_their_limits() {
    let cases: [(i64, i64, &str); 11] = [
        (7, 7, "frame8"),
        (-128, 127, "frame8"),
        (-128, 128, "frame16"),
        (1 << 40, (1 << 40) + 65_535, "frame16"),
        (1 << 40, (1 << 40) + 65_536, "frame32"),
        (i64::MIN, i64::MIN + 255, "frame8"),
        (i64::MAX - 255, i64::MAX, "frame8"),
        (i64::MIN, i64::MIN + u32::MAX as i64, "frame32"),
        (i64::MIN, i64::MIN + u32::MAX as i64 + 1, "int64"),
        (i64::MIN, i64::MAX, "int64"),
        (-1, i64::MAX, "int64"),
    ];
    for (min, max, form) in cases {
        // One that keeps them from lying evenly apart.
        let near = min.saturating_add(1).min(max);
        for values in [ints([max, near, min]), [ints([min]), vec![Value::Null], ints([max, near, max])].concat()] {
            assert_eq!(check(DataType::BigInt, &values).chunks[0].columns[0].data.form(), form, "{min}..{max}");
        }
    }
}

#[test]
fn steps_at_their_limits() {
    let cases: [(i64, i64, i64, &str); 8] = [
        (0, 100, 256, "stepped8"),
        // Plain offsets are as narrow.
        (0, 100, 3, "frame8"),
        (-7, 1 << 40, 256, "stepped8"),
        (-7, 1 << 40, 257, "stepped16"),
        (i64::MIN, 1 << 60, 15, "stepped8"),
        (i64::MAX - 6, 1, 7, "frame8"),
        (i64::MIN, i64::MAX, 3, "stepped8"),
        (i64::MIN + 1, i64::MAX, 2, "stepped8"),
    ];
    for (min, step, count, form) in cases {
        let values: Vec<Value> = (0..count).map(|at| Value::Int(min.wrapping_add(step.wrapping_mul(at)))).collect();
        let with_null = [&values[1..], &[Value::Null], &values[..1]].concat();
        for values in [values, with_null] {
            let form_of = check(DataType::BigInt, &values).chunks[0].columns[0].data.form();
            assert_eq!(form_of, form, "{count} from {min} by {step}");
        }
    }
    // What is compact is compacted again: the product of step and offset alone is beyond 64 bits.
    let far = check(DataType::BigInt, &ints([i64::MIN + 1, -1, i64::MAX - 2]));
    let column = &far.chunks[0].columns[0];
    assert_eq!(column.data.form(), "stepped8");
    let field = Field::new("c", DataType::BigInt, true);
    let again = super::compact::compact(&[column.clone(), column.slice(1, 2)], &field, true).unwrap();
    let values: Vec<Option<i128>> = (0..5).map(|row| again.integer(row)).collect();
    assert_eq!(values, [i64::MIN + 1, -1, i64::MAX - 2, -1, i64::MAX - 2].map(|value| Some(value.into())));
    let wide = check(DataType::BigInt, &ints([70_000, 0, 70_000 * 100_000]));
    assert_eq!(wide.chunks[0].columns[0].data.form(), "stepped32");
}

#[test]
fn decimals_beyond_64_bits() {
    let big = 10i128.pow(37);
    for (values, form) in [
        (vec![big, -big, 0], "int128"),
        (vec![i64::MAX.into(), i64::MIN.into()], "int64"),
        (vec![i128::from(i64::MAX) + 1, 0], "int128"),
        (vec![100, 5000, 101], "frame16"),
        (vec![100, 5000, 200], "stepped8"),
    ] {
        let mut values: Vec<Value> = values.into_iter().map(Value::Decimal).collect();
        values.push(Value::Null);
        let table = check(DataType::decimal(38, 0), &values);
        assert_eq!(table.chunks[0].columns[0].data.form(), form);
    }
}

#[test]
fn garbage_at_nulls_widens_nothing() {
    let values =
        Decimal128Array::new(vec![i128::MAX, 5, i128::MIN, 6].into(), Some(vec![false, true, false, true].into()));
    let array: ArrayRef = Arc::new(values.with_precision_and_scale(15, 2).unwrap());
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap();
    let fields = one_field(DataType::decimal(15, 2));
    let table = Table::from_batches(fields, [batch], Storage::Compact, &context()).unwrap();
    check_table(&table, &[Value::Null, Value::Decimal(5), Value::Null, Value::Decimal(6)]);
    assert_eq!(table.chunks[0].columns[0].data.form(), "frame8");
}

#[test]
fn floats() {
    let nasty = [f64::NAN, -f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -1.5, 1.5];
    let mut values: Vec<Value> = nasty.into_iter().map(Value::Float).collect();
    check(DataType::Double, &values);
    check(DataType::Real, &nasty.map(|value| Value::Float((value as f32).into())));
    values.sort_by(Value::compare);
    values.push(Value::Null);
    assert!(check(DataType::Double, &values).statistics.columns[0].proofs.sorted);
    let many: Vec<Value> =
        (0..CHUNK_ROWS as i64 + 5).map(|row| Value::Float((row * 7919 % 10_007) as f64 / 3.0)).collect();
    check(DataType::Double, &many);
}

/// What is proven of a column once somebody has asked. Nothing is before.
fn asked(table: Table) -> Proofs {
    let context = Context::new(Memory::new(1 << 30));
    let proofs = &table.statistics.columns[0].proofs;
    assert!(!proofs.unique && !proofs.clustered, "a load claims nothing");
    assert!(!table.settle(0, &context).expect("nobody cancels"), "nobody has asked");
    proofs.is_clustered();
    let little = Context::new(Memory::new(1000));
    assert!(!table.settle(0, &little).expect("nobody cancels"), "there is not the memory");
    assert!(proofs.conjecture.as_ref().is_some_and(|conjecture| conjecture.is_asked()));
    let copy = Arc::clone(&table.statistics);
    assert!(table.settle(0, &context).expect("nobody cancels"));
    assert!(!table.settle(0, &context).expect("nobody cancels"), "it is known");
    assert_eq!(*copy, *table.statistics);
    proofs.settled()
}

#[test]
fn sorted_and_clustered() {
    let table = check(DataType::Integer, &[ints([5, 5, 1, 1, 9]), vec![]].concat());
    let statistics = &table.statistics.columns[0];
    assert!(statistics.proofs.clustered && !statistics.proofs.sorted && !statistics.proofs.unique);
    // NULLs apart no value comes twice, in no order and in order.
    for values in [[Some(9), None, Some(2), None, Some(5)], [Some(2), Some(5), Some(9), None, None]] {
        let values = values.map(|value| value.map_or(Value::Null, Value::Int));
        let statistics = &check(DataType::Integer, &values).statistics.columns[0];
        assert!(statistics.proofs.unique_values && !statistics.proofs.unique);
    }
    // A NULL between equal values, and a value behind a NULL.
    let apart = [ints([1]), vec![Value::Null], ints([1])].concat();
    let statistics = &check(DataType::Integer, &apart).statistics.columns[0];
    assert!(!statistics.proofs.clustered && !statistics.proofs.sorted);
    // The order breaks exactly between two chunks.
    let broken: Vec<i64> = (0..CHUNK_ROWS as i64).chain([3]).collect();
    let statistics = &check(DataType::Integer, &ints(broken)).statistics.columns[0];
    assert!(!statistics.proofs.sorted && !statistics.proofs.unique && !statistics.proofs.clustered);
    // Unique without an order, proven by the bitmap.
    let shuffled = (0..100_003).map(|row| row * 7919 % 100_003);
    assert!(check(DataType::Integer, &ints(shuffled)).statistics.columns[0].proofs.unique);
    // Too far apart for bits, and strings of no dictionary: proven by hashes, of rows and of runs, and not of what comes again.
    let far = |at: i64| at.wrapping_mul(6_364_136_223_846_793_005);
    for each in [1, 4] {
        let mut numbers = ints((0..70_000).map(|row| far(row / each)));
        let proofs = asked(check(DataType::BigInt, &numbers));
        assert!(proofs.clustered && !proofs.sorted && proofs.unique == (each == 1));
        numbers[69_999] = numbers[3].clone();
        let proofs = asked(check(DataType::BigInt, &numbers));
        assert!(!proofs.clustered && !proofs.unique && proofs.conjecture.is_none());
    }
    let texts: Vec<Value> = (0..70_000).map(|row| Value::text(format!("{:x}", far(row)))).collect();
    assert!(asked(check(DataType::Text, &texts)).unique);
    // NULLs in a chunk of their own at the end.
    let nulls_last = [ints(0..CHUNK_ROWS as i64), vec![Value::Null; 10]].concat();
    assert!(check(DataType::Integer, &nulls_last).statistics.columns[0].proofs.sorted);
    let nulls_first = [vec![Value::Null; CHUNK_ROWS], ints([1, 2])].concat();
    assert!(!check(DataType::Integer, &nulls_first).statistics.columns[0].proofs.sorted);
}

#[test]
fn dictionaries_and_their_overflow() {
    let texts = |rows: usize, distinct: usize| -> Vec<Value> {
        (0..rows).map(|row| Value::text(format!("{:x}", row * 7919 % distinct))).collect()
    };
    for (rows, distinct, form) in [
        (1, 1, "dictionary8"),
        (256, 256, "dictionary8"),
        (257, 257, "text"),
        (257 * 4, 257, "dictionary16"),
        (CHUNK_ROWS + 1, 1000, "dictionary16"),
        (3 * CHUNK_ROWS, 10_000, "dictionary16"),
        (3 * CHUNK_ROWS, 40_000, "dictionary16"),
        (3 * CHUNK_ROWS, 60_000, "text"),
        (2 * CHUNK_ROWS, 2 * CHUNK_ROWS, "text"),
        (5 * CHUNK_ROWS, 70_000, "dictionary32"),
    ] {
        let table = check(DataType::Text, &texts(rows, distinct));
        assert!(table.chunks.iter().all(|chunk| chunk.columns[0].data.form() == form), "{rows} rows, {distinct}");
    }
    // Few strings at first, then too many: the first chunks are decoded.
    let mixed = [texts(CHUNK_ROWS, 3), texts(2 * CHUNK_ROWS, CHUNK_ROWS), vec![Value::Null, Value::text("")]].concat();
    let table = check(DataType::Text, &mixed);
    assert_eq!(table.chunks[0].columns[0].data.form(), "text");
    // Each chunk has other strings; one dictionary serves all.
    let changing: Vec<Value> = (0..3 * CHUNK_ROWS).map(|row| Value::text(format!("s{}", row / 1000))).collect();
    let table = check(DataType::Text, &changing);
    let first = table.chunks[0].columns[0].data.dictionary().unwrap();
    assert!(table.chunks.iter().all(|chunk| Arc::ptr_eq(first, chunk.columns[0].data.dictionary().unwrap())));
}

#[test]
fn long_columns_of_strings_that_repeat() {
    // No chunk repeats much; NULLs, the empty string, strings that are the beginning of others, and such as are longer
    // than what is compared first.
    let ends = ["", "a", "a\0", "é", "a long end of a string", "a long end of a strong"];
    let text = |row: usize| match row % 50 {
        0 => Value::Null,
        1 => Value::text(""),
        _ => {
            let number = row * 7919 % 12_345;
            Value::text(format!("beginning{}{}", number / ends.len(), ends[number % ends.len()]))
        }
    };
    let values: Vec<Value> = (0..4 * CHUNK_ROWS + 3).map(text).collect();
    let table = check(DataType::Text, &values);
    let first = table.chunks[0].columns[0].data.dictionary().expect("they repeat");
    assert!(table.chunks.iter().all(|chunk| Arc::ptr_eq(first, chunk.columns[0].data.dictionary().unwrap())));
    // Without memory to find that out they stay as they are; with what that takes at least, the table is made.
    let small = Context::new(Memory::new(table.bytes() + 5 * CHUNK_ROWS * 8));
    let rows: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
    let mut builder = TableBuilder::new(one_field(DataType::Text), Storage::Compact, &small);
    let pushed = rows.chunks(CHUNK_ROWS).try_for_each(|rows| builder.push_values(rows));
    match pushed.and_then(|()| builder.finish()) {
        Ok(table) => check_table(&table, &values),
        Err(error) => assert_eq!(error.kind(), ErrorKind::OutOfMemory),
    }
    assert_eq!(small.memory.used(), 0);
}

#[test]
fn a_large_dictionary_takes_what_it_has() {
    let context = context();
    let values = |rows: std::ops::Range<usize>, of: usize| -> Vec<Vec<Value>> {
        rows.map(|row| vec![Value::text(format!("{:06}", row * 7919 % of))]).collect()
    };
    let made = |rows: &[Vec<Value>]| {
        let mut builder = TableBuilder::new(one_field(DataType::Text), Storage::Compact, &context);
        builder.push_values(rows).unwrap();
        builder.finish().unwrap()
    };
    let mut all = values(0..5 * CHUNK_ROWS, 70_000);
    let mut table = made(&all);
    let dictionary = |table: &Table, chunk: usize| table.chunks[chunk].columns[0].data.dictionary().cloned();
    let first = dictionary(&table, 0).unwrap();
    assert!(first.len() == 70_000);
    // Strings that it has, others, and both.
    for (rows, of) in [(0..300, 70_000), (0..300, 90_000), (100..100_000, 90_000), (3..4, 70_000)] {
        let new = values(rows, of);
        table = table.append(&made(&new), &context).unwrap();
        all.extend(new);
        check_table(&table, &all.iter().map(|row| row[0].clone()).collect::<Vec<_>>());
        assert!(Arc::ptr_eq(&first, &dictionary(&table, 0).unwrap()), "it stays as it is");
    }
    let one = table.append(&made(&values(0..300, 70_000)), &context).unwrap();
    assert!(one.chunks.len() > 5);
}

#[test]
fn odd_strings() {
    let odd = ["", "\u{10ffff}", "ä", "a\0b", "  ", "Z", "z", &"long".repeat(1000)];
    let mut values: Vec<Value> = odd.iter().map(Value::text).collect();
    values.push(Value::Null);
    let context = context();
    let rows: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
    let mut builder = TableBuilder::new(one_field(DataType::Text), Storage::Compact, &context);
    builder.push_values(&rows).unwrap();
    assert_eq!(builder.finish().unwrap().values(), rows);
    // char(n) loses its trailing blanks, and nothing else.
    let mut builder = TableBuilder::new(one_field(DataType::Char(4)), Storage::Compact, &context);
    builder.push_values(&["a  ", " b", "   ", "a"].map(|text| vec![Value::text(text)])).unwrap();
    let expected = ["a", " b", "", "a"].map(|text| vec![Value::text(text)]);
    assert_eq!(builder.finish().unwrap().values(), expected);
}

#[test]
fn booleans_and_intervals() {
    let booleans: Vec<Value> =
        (0..1000).map(|row| if row % 3 == 0 { Value::Null } else { Value::Boolean(row % 2 == 0) }).collect();
    check(DataType::Boolean, &booleans);
    let interval = |months, days| Value::Interval(Interval { months, days, micros: -1 });
    check(DataType::Interval, &[interval(1, 0), interval(0, 30), Value::Null, interval(-3, 4)]);
}

#[test]
fn sliced_batches() {
    let numbers: ArrayRef = Arc::new((0..200_000i64).map(|row| (row % 5 != 0).then_some(row)).collect::<Int64Array>());
    let text = |row: i64| (row % 7 != 0).then(|| format!("text number {row}"));
    let views: ArrayRef = Arc::new((0..200_000i64).map(text).collect::<StringViewArray>());
    let plain: ArrayRef = Arc::new((0..200_000i64).map(text).collect::<StringArray>());
    let batch =
        RecordBatch::try_from_iter_with_nullable([("a", numbers, true), ("b", views, true), ("c", plain, true)]);
    let batch = batch.unwrap();
    let pieces = || (0..200_000).step_by(3333).map(|start| batch.slice(start, 3333.min(200_000 - start)).slice(1, 5));
    let expected: Vec<Vec<Value>> = (0..200_000i64)
        .step_by(3333)
        .flat_map(|start| start + 1..start + 6)
        .map(|row| {
            let text = text(row).map_or(Value::Null, Value::text);
            vec![if row % 5 == 0 { Value::Null } else { Value::Int(row) }, text.clone(), text]
        })
        .collect();
    let fields = super::arrow::fields_of(&batch.schema()).unwrap();
    for storage in [Storage::Compact, Storage::Keep] {
        let table = Table::from_batches(fields.clone(), pieces().collect::<Vec<_>>(), storage, &context()).unwrap();
        assert_eq!(table.values(), expected);
        let whole = Table::from_batches(fields.clone(), [batch.clone()], storage, &context()).unwrap();
        assert_eq!((whole.rows(), whole.chunks[0].rows), (200_000, CHUNK_ROWS));
        assert_eq!(
            whole.values()[199_999],
            [Value::Int(199_999), Value::text("text number 199999"), Value::text("text number 199999")]
        );
    }
}

#[test]
fn registered_arrays_are_not_copied() {
    let array = Int64Array::from_iter_values([i64::MIN, 0, i64::MAX]);
    let address = array.values().as_ptr();
    let batch = RecordBatch::try_from_iter([("x", Arc::new(array) as ArrayRef)]).unwrap();
    let context = context();
    let table = Table::register(&batch.schema(), vec![batch], &context).unwrap();
    let ColumnData::Int64(values) = &table.chunks[0].columns[0].data else { panic!("registered as it is") };
    assert_eq!(values.as_ptr(), address);
    assert_eq!(context.memory.used(), 0);
    check_table(&table, &ints([i64::MIN, 0, i64::MAX]));
}

#[test]
fn appending() {
    type Make = fn(usize) -> Value;
    let cases: [(DataType, Make); 5] = [
        (DataType::BigInt, |row| Value::Int(row as i64)),
        (DataType::BigInt, |row| if row % 3 == 0 { Value::Null } else { Value::Int(-(row as i64)) }),
        (DataType::Text, |row| Value::text(format!("{}", row % 300))),
        (DataType::Text, |row| Value::text(format!("{}", row * row))),
        (DataType::Double, |row| Value::Float((row % 13) as f64)),
    ];
    for (data_type, value) in cases {
        let context = context();
        let mut table = Table::empty(one_field(data_type));
        let mut all: Vec<Value> = Vec::new();
        for rows in [1, 1, 1, 300, 2, 70_000, 1, 5, 66_000, 3] {
            let new: Vec<Value> = (all.len()..all.len() + rows).map(value).collect();
            let mut builder = TableBuilder::new(one_field(data_type), Storage::Compact, &context);
            builder.push_values(&new.iter().map(|value| vec![value.clone()]).collect::<Vec<_>>()).unwrap();
            let before = table.clone();
            table = table.append(&builder.finish().unwrap(), &context).unwrap();
            assert_eq!(before.rows(), all.len(), "a snapshot does not change");
            all.extend(new);
            check_table(&table, &all);
        }
        assert!(table.chunks.len() <= 10, "{} chunks", table.chunks.len());
        drop(table);
        assert_eq!(context.memory.used(), 0);
    }
}

#[test]
fn many_small_appends_leave_few_chunks() {
    let context = context();
    let mut table = Table::empty(one_field(DataType::Integer));
    for row in 0..1000 {
        let one = Table::from_values(one_field(DataType::Integer), &[vec![Value::Int(row)]]);
        table = table.append(&one, &context).unwrap();
    }
    check_table(&table, &ints(0..1000));
    assert!(table.chunks.len() < 12, "{} chunks", table.chunks.len());
}

#[test]
fn limits_and_mistakes() {
    let rows: Vec<Vec<Value>> = (0..100_000).map(|row| vec![Value::Int(row * 1000)]).collect();
    let small = Context::new(Memory::new(10_000));
    let mut builder = TableBuilder::new(one_field(DataType::BigInt), Storage::Compact, &small);
    assert_eq!(builder.push_values(&rows).unwrap_err().kind(), ErrorKind::OutOfMemory);
    drop(builder);
    assert_eq!(small.memory.used(), 0);

    let cancelled = context();
    cancelled.cancellation.cancel();
    let mut builder = TableBuilder::new(one_field(DataType::BigInt), Storage::Compact, &cancelled);
    assert_eq!(builder.push_values(&rows).unwrap_err().kind(), ErrorKind::Cancelled);

    let strict = vec![Field::new("x", DataType::BigInt, false)];
    let mut builder = TableBuilder::new(strict, Storage::Compact, &context());
    builder.push_values(&[vec![Value::Int(1)], vec![Value::Null]]).unwrap();
    let error = builder.finish().unwrap_err();
    assert_eq!(
        (error.sqlstate(), error.message()),
        ("23502", "null value in column \"x\" violates not-null constraint")
    );

    let batch = RecordBatch::try_from_iter([("x", Arc::new(StringArray::from(vec!["a"])) as ArrayRef)]).unwrap();
    let mut builder = TableBuilder::new(one_field(DataType::BigInt), Storage::Compact, &context());
    assert_eq!(builder.push(batch).unwrap_err().sqlstate(), "42804");
}

/// Nothing but the batch says how many rows there are, and what they count for is their chunks.
#[test]
fn rows_without_columns() {
    use ::arrow::array::RecordBatchOptions;
    use ::arrow::datatypes::Schema;
    let batch = |rows| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).expect("rows")
    };
    for rows in [0, 1, CHUNK_ROWS + 1, 64 * CHUNK_ROWS, 64 * CHUNK_ROWS + 1] {
        let context = context();
        let mut builder = TableBuilder::new(Vec::new(), Storage::Compact, &context);
        builder.push(batch(rows)).expect("there is memory");
        let table = builder.finish().expect("there is memory");
        assert_eq!(table.chunks.iter().map(|chunk| chunk.rows).sum::<usize>(), rows);
        assert_eq!(context.memory.used(), 0, "{rows}");
    }
    for storage in [Storage::Compact, Storage::Keep] {
        let little = Context::new(Memory::new(1 << 16));
        let mut builder = TableBuilder::new(Vec::new(), storage, &little);
        let error = builder.push(batch(1 << 50)).expect_err("so many chunks need more");
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}
