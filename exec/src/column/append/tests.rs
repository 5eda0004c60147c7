//! Random sequences of additions, and rows that end what was proven: after each the rows are there, in order, and everything
//! that statistics prove is what a naive look at all of them says.

use crate::column::build::{Storage, TableBuilder};
use crate::column::{CHUNK_ROWS, Table};
use crate::workers::context::{Context, Memory};
use multiloop_planner::catalog::{ColumnStatistics, Proofs};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

pub(in crate::column) fn context() -> Context {
    Context::new(Memory::new(usize::MAX))
}

pub(in crate::column) fn table(fields: &[Field], rows: &[Vec<Value>], context: &Context) -> Table {
    let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, context);
    builder.push_values(rows).expect("the values are of their types");
    builder.finish().expect("there is memory")
}

/// The numbers of equal values: values that are NULL have none.
fn numbers(values: &[&Value]) -> Vec<Option<u64>> {
    let mut seen = FxHashMap::default();
    let number = |value: &&Value| {
        let next = seen.len() as u64;
        (!value.is_null()).then(|| *seen.entry((*value).clone().group_key()).or_insert(next))
    };
    values.iter().map(number).collect()
}

/// Everything that a column's statistics prove, and that they are about right where they estimate.
fn check_column(statistics: &ColumnStatistics, values: &[&Value]) {
    let there = || values.iter().filter(|value| !value.is_null()).copied();
    assert_eq!(statistics.proofs.min.as_ref(), there().min_by(|a, b| a.compare(b)));
    assert_eq!(statistics.proofs.max.as_ref(), there().max_by(|a, b| a.compare(b)));
    check_proofs(statistics, values);
}

/// The same where bounds need not be values.
pub(in crate::column) fn check_proofs(statistics: &ColumnStatistics, values: &[&Value]) {
    let numbers = numbers(values);
    let known: Vec<u64> = numbers.iter().flatten().copied().collect();
    // They are numbered from 0, in the order in which they come.
    let distinct = known.iter().max().map_or(0, |&last| last as usize + 1);
    let there = || values.iter().filter(|value| !value.is_null()).copied();
    assert_eq!(statistics.proofs.nulls as usize, values.len() - known.len());
    let (least, most) = (there().min_by(|a, b| a.compare(b)), there().max_by(|a, b| a.compare(b)));
    let is_bound = |bound: &Option<Value>, of: Option<&Value>, side: Ordering| {
        bound.as_ref().zip(of).is_none_or(|(bound, of)| bound.compare(of) != side)
    };
    assert!(is_bound(&statistics.proofs.min, least, Ordering::Greater));
    assert!(is_bound(&statistics.proofs.max, most, Ordering::Less));
    if let (Some(step), Some(Value::Int(min))) = (statistics.proofs.step, &statistics.proofs.min) {
        let in_steps = |value: &Value| matches!(value, Value::Int(value) if value.abs_diff(*min).is_multiple_of(step));
        assert!(step > 1 && there().all(in_steps), "steps of {step}");
    }
    assert!(!statistics.proofs.unique_values || distinct == known.len(), "values are unique");
    assert!(!statistics.proofs.unique || distinct == values.len(), "rows are unique");
    assert!(!statistics.proofs.sorted || values.is_sorted_by(|a, b| a.compare(b).is_le()), "rows are sorted");
    let runs = 1 + numbers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let groups = distinct + usize::from(statistics.proofs.nulls > 0);
    assert!(!statistics.proofs.clustered || runs <= groups.max(1), "rows are clustered");
    let estimate = statistics.estimates.distinct.expect("there is an estimate");
    assert!(estimate <= known.len() as u64, "{estimate} values in {} rows", known.len());
}

fn check(table: &Table, rows: &[Vec<Value>]) {
    assert_eq!(table.statistics.rows as usize, rows.len());
    let stored = table.values();
    assert_eq!(stored.len(), rows.len());
    assert!(stored == rows, "rows are what was appended");
    for (index, statistics) in table.statistics.columns.iter().enumerate() {
        check_column(statistics, &rows.iter().map(|row| &row[index]).collect::<Vec<_>>());
    }
    check_ranges(table, rows);
}

/// What chunks are known by holds all of their values.
pub(in crate::column) fn check_ranges(table: &Table, rows: &[Vec<Value>]) {
    let mut start = 0;
    for chunk in &table.chunks {
        assert!(chunk.rows <= CHUNK_ROWS);
        for (index, range) in chunk.ranges.iter().enumerate() {
            let Some((min, max)) = range else { continue };
            let inside = |row: &Vec<Value>| match row[index] {
                Value::Int(value) => (*min..=*max).contains(&value),
                _ => true,
            };
            assert!(rows[start..start + chunk.rows].iter().all(inside), "a chunk's range holds its values");
        }
        start += chunk.rows;
    }
}

pub(in crate::column) fn mixed(number: u64) -> u64 {
    let mixed = (number ^ 0x9e37_79b9).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 1
}

pub(in crate::column) fn fields() -> Vec<Field> {
    let types = [
        ("serial", DataType::BigInt),
        ("stepped", DataType::Integer),
        ("clustered", DataType::BigInt),
        ("scattered", DataType::BigInt),
        ("few", DataType::Text),
        ("name", DataType::Text),
        ("weight", DataType::Double),
    ];
    types.map(|(name, data_type)| Field::new(name, data_type, true)).into()
}

/// A row of a table in which each column has what can be proven of it, if no row is `odd`.
pub(in crate::column) fn row(number: u64, odd: bool) -> Vec<Value> {
    let noise = mixed(number);
    let text = |text: String| Value::text(text);
    let regular = vec![
        Value::Int(number as i64),
        Value::Int((noise % 100_000) as i64 * 10 + 3),
        Value::Int((number / 5).wrapping_mul(0x1234_5678_9abc) as i64 >> 1),
        Value::Int(noise as i64),
        text(format!("kind {}", noise % 40)),
        text(format!("name {noise:x}")),
        Value::Float((noise % 512) as f64 / 8.0),
    ];
    if !odd {
        return regular;
    }
    let odd = |(index, value): (usize, Value)| match (noise >> (3 * index)) % 4 {
        0 => Value::Null,
        1 => row(number / 2, false).swap_remove(index),
        2 => match value {
            Value::Int(_) => Value::Int(number as i64 % 97 - 48),
            Value::Float(_) => Value::Float(-1e9),
            _ => text(format!("odd {}", noise % 7)),
        },
        _ => value,
    };
    regular.into_iter().enumerate().map(odd).collect()
}

#[test]
fn random_sequences() {
    let sequences = [
        vec![1, 1, 0, 700, CHUNK_ROWS - 1, 2, 1, CHUNK_ROWS],
        vec![CHUNK_ROWS, 1, 0, CHUNK_ROWS + 1, 2],
        vec![CHUNK_ROWS + 1, 9_000, 1, CHUNK_ROWS - 1],
    ];
    // All rows regular, some odd, and many.
    for (seed, odd_one_in) in [(0, 0), (1, 1_000), (2, 3)] {
        let context = context();
        let mut all: Vec<Vec<Value>> = Vec::new();
        let mut sum = table(&fields(), &[], &context);
        for (step, &size) in sequences[seed as usize % sequences.len()].iter().enumerate() {
            let is_odd = |number: u64| odd_one_in > 0 && step > 0 && mixed(number + seed).is_multiple_of(odd_one_in);
            let from = all.len() as u64;
            let new: Vec<Vec<Value>> = (from..from + size as u64).map(|number| row(number, is_odd(number))).collect();
            let before = (sum.clone(), all.len());
            sum = sum.append(&table(&fields(), &new, &context), &context).expect("there is memory");
            all.extend(new);
            check(&sum, &all);
            assert_eq!(before.0.rows(), before.1, "a snapshot does not change");
        }
        drop(sum);
        assert_eq!(context.memory.used(), 0, "memory is given back");
    }
}

#[test]
fn one_row_ends_a_proof_and_only_that() {
    let context = context();
    // More than a chunk: nothing is looked at again for a row.
    let rows = CHUNK_ROWS as u64 + 5_000;
    let field = |data_type| vec![Field::new("x", data_type, true)];
    let names = |row: u64| Value::text(format!("{:08}", row / 3));
    let make = |row: u64| Value::Int(row as i64 / 3 * 10);
    let unique = |row: u64| Value::Int(row as i64 * 10);
    type Proof = fn(&Proofs) -> bool;
    let sorted: Proof = |proofs| proofs.sorted;
    let clustered: Proof = |proofs| proofs.clustered;
    let is_unique: Proof = |proofs| proofs.unique;
    let unique_values: Proof = |proofs| proofs.unique_values;
    let step: Proof = |proofs| proofs.step == Some(10);
    let no_nulls: Proof = |proofs| proofs.nulls == 0;
    let last = rows as i64 - 1;
    let all = [sorted, clustered, is_unique, unique_values, step, no_nulls];
    type Making<'a> = &'a dyn Fn(u64) -> Value;
    let cases: [(Making<'_>, DataType, Value, [bool; 6]); 9] = [
        (&unique, DataType::BigInt, Value::Int(last * 10 + 10), [true; 6]),
        (&unique, DataType::BigInt, Value::Int(last * 10 + 25), [true, true, true, true, false, true]),
        (&unique, DataType::BigInt, Value::Int(-10), [false, true, true, true, true, true]),
        (&unique, DataType::BigInt, Value::Int(5_000), [false, false, false, false, true, true]),
        (&unique, DataType::BigInt, Value::Null, [true, true, false, true, true, false]),
        (&make, DataType::BigInt, Value::Int(last / 3 * 10), [true, true, false, false, true, true]),
        (&make, DataType::BigInt, Value::Int(0), [false, false, false, false, true, true]),
        (&names, DataType::Text, Value::text("99999999"), [true, true, false, false, false, true]),
        (&names, DataType::Text, Value::text("00000007"), [false, false, false, false, false, true]),
    ];
    for (value, data_type, odd, expected) in cases {
        let mut values: Vec<Vec<Value>> = (0..rows).map(|row| vec![value(row)]).collect();
        let before = table(&field(data_type), &values, &context);
        let new = vec![vec![odd.clone()]];
        let behind = before.append(&table(&field(data_type), &new, &context), &context).expect("there is memory");
        values.extend(new);
        check(&behind, &values);
        for (number, (proof, expected)) in all.iter().zip(expected).enumerate() {
            let claimed = proof(&behind.statistics.columns[0].proofs);
            assert_eq!(claimed, expected, "{odd:?}, proof {number}");
        }
    }
}

#[test]
fn strings_of_an_addition_keep_what_is_there() {
    let context = context();
    let fields = vec![Field::new("x", DataType::Text, true)];
    let text = |number: usize| vec![Value::text(format!("kind {}", number % 50))];
    let mut all: Vec<Vec<Value>> = (0..2 * CHUNK_ROWS).map(text).collect();
    let mut sum = table(&fields, &all, &context);
    let first = sum.chunks[0].clone();
    for odd in 0..300 {
        let new = match odd % 3 {
            0 => vec![vec![Value::text(format!("other {odd}"))]],
            1 => vec![vec![Value::Null], text(odd)],
            _ => vec![text(odd)],
        };
        sum = sum.append(&table(&fields, &new, &context), &context).expect("there is memory");
        all.extend(new);
        assert!(std::sync::Arc::ptr_eq(&first, &sum.chunks[0]), "full chunks stay as they are");
    }
    check(&sum, &all);
    assert!(sum.chunks.len() < 15, "{} chunks", sum.chunks.len());
    // What is a good part of the table brings one dictionary for all.
    let new: Vec<Vec<Value>> = (0..CHUNK_ROWS).map(|row| vec![Value::text(format!("new {}", row % 9))]).collect();
    sum = sum.append(&table(&fields, &new, &context), &context).expect("there is memory");
    all.extend(new);
    check(&sum, &all);
    let dictionaries = sum.chunks.iter().map(|chunk| chunk.columns[0].data.dictionary().map(std::sync::Arc::as_ptr));
    assert_eq!(dictionaries.collect::<FxHashSet<_>>().len(), 1);
}
