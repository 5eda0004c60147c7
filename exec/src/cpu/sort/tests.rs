//! Orders of rows against comparing them, and against what SQL says of each pair.

use super::order::{ALIKE, RowOrder, Ties, compare_rows};
use crate::ErrorKind;
use crate::cpu::vector::builder::ColumnBuilder;
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use multiloop_planner::types::{DataType, SortOrder};
use multiloop_planner::value::{Interval, Value};
use std::cmp::Ordering;
use std::sync::LazyLock;

/// Workers, of which some are few.
static POOLS: LazyLock<[Pool; 2]> = LazyLock::new(|| [1, 3].map(|threads| Pool::new(threads).unwrap()));

/// Rows from which on fewer of the first are asked for: each of these is a sort, and where they end is no matter of how many
/// there are.
const MANY: usize = 10_000;

/// Sorts rows by some columns, by some numbers of workers: every row is there once, none comes before one that it should
/// come behind, and equal rows stay in their order. The first rows are the sorted ones.
fn check(columns: &[ColumnBuilder], order: &[(usize, SortOrder)], rows: usize) {
    let by = RowOrder { columns, order, ties: Ties::ByFields };
    let context = Context::new(Memory::new(usize::MAX));
    let mut all: Vec<Vec<u32>> = Vec::new();
    for pool in [Some(&POOLS[0]), Some(&POOLS[1]), None] {
        let workers = Workers { pool, context: &context };
        let sorted = by.sorted(rows, workers).unwrap();
        let counts = [1, rows / 2, rows + 1, 0, rows.saturating_sub(1), rows];
        for &count in &counts[..if rows < MANY { 6 } else { 3 }] {
            assert_eq!(by.first(rows, count, workers).unwrap(), sorted[..count.min(rows)], "the first {count}");
        }
        all.push(sorted);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "workers do not matter");
    let sorted = &all[0];
    let mut once = sorted.clone();
    once.sort_unstable();
    assert!(once.into_iter().eq(0..rows as u32));
    for pair in sorted.windows(2) {
        let compare = |&(column, order): &(usize, SortOrder)| {
            compare_rows(&columns[column], pair[0] as usize, pair[1] as usize, order)
        };
        let by_order = order.iter().map(compare).find(|ordering| *ordering != Ordering::Equal);
        assert_ne!(by_order, Some(Ordering::Greater), "rows {} and {}", pair[0], pair[1]);
        let whole = by.compare(pair[0], pair[1]);
        assert_eq!(whole, Ordering::Less, "rows {} and {}", pair[0], pair[1]);
    }
    check_marks(columns, order, rows);
}

/// The same where ties are broken by place: marks say which column is the first that tells neighbours apart.
fn check_marks(columns: &[ColumnBuilder], order: &[(usize, SortOrder)], rows: usize) {
    let by = RowOrder { columns, order, ties: Ties::ByPlace };
    let context = Context::new(Memory::new(usize::MAX));
    for pool in [Some(&POOLS[0]), Some(&POOLS[1]), None] {
        let (sorted, marks) = by.sorted_and_marked(rows, Workers { pool, context: &context }).unwrap();
        assert_eq!((sorted.len(), marks.len()), (rows, rows));
        for (pair, &mark) in sorted.windows(2).zip(marks.iter().skip(1)) {
            let compare = |&(column, order): &(usize, SortOrder)| {
                compare_rows(&columns[column], pair[0] as usize, pair[1] as usize, order)
            };
            let first = order.iter().map(compare).position(Ordering::is_ne);
            match first {
                Some(first) => {
                    assert_eq!(compare(&order[first]), Ordering::Less, "rows {} and {}", pair[0], pair[1]);
                    assert_eq!(usize::from(mark), first, "rows {} and {}", pair[0], pair[1]);
                }
                None => assert!(mark == ALIKE && pair[0] < pair[1], "rows {} and {} are tied", pair[0], pair[1]),
            }
        }
    }
}

/// A pseudo-random number for each row.
fn mixed(row: usize) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

fn orders() -> [SortOrder; 4] {
    [(false, false), (false, true), (true, false), (true, true)]
        .map(|(descending, nulls_first)| SortOrder { descending, nulls_first })
}

/// Columns of so many rows, of every form: few values and many, extremes, NULLs.
fn columns(rows: usize) -> Vec<ColumnBuilder> {
    let pick = |values: &[Value], data_type| {
        let values: Vec<Value> = (0..rows).map(|row| values[mixed(row) as usize % values.len()].clone()).collect();
        ColumnBuilder::from_values(&values, data_type)
    };
    let decimal = DataType::Decimal { precision: 38, scale: 0 };
    let wide = [0, 1, -1, i128::from(i64::MAX), i128::from(i64::MIN), i128::MAX, i128::MIN];
    let floats = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.5, 1e300, f64::MIN_POSITIVE];
    let texts = [
        "",
        "a",
        "a\0",
        "a\0\0\0\0\0\0\0\0\0",
        "ab",
        "abcdefghijklmnopqrstuvwxyz",
        "abcdefghijklmnopqrstuvwxyy",
        "b",
        "ä",
    ];
    let alike = [
        "the same beginning of all",
        "the same beginning of all of them",
        "the same beginning",
        "the same beginning zz",
    ];
    let spans =
        [(0, 30, 0), (1, 0, 0), (0, 0, 0), (0, -1, 0), (-1, 0, 5), (0, 31, 0), (12, 0, -7), (0, 29, 86_400_000_000)];
    let spans = spans.map(|(months, days, micros)| Value::Interval(Interval { months, days, micros }));
    let with_null = |values: Vec<Value>| values.into_iter().chain([Value::Null]).collect::<Vec<_>>();
    vec![
        pick(&[5, 3, -7, 120, 0].map(Value::Int), DataType::Integer),
        pick(&with_null([5, 3, -7, 120, 0].map(Value::Int).to_vec()), DataType::BigInt),
        pick(&[i64::MIN, i64::MAX, 0, -1, 1].map(Value::Int), DataType::BigInt),
        pick(&with_null([i64::MIN, i64::MAX, 0].map(Value::Int).to_vec()), DataType::BigInt),
        pick(&with_null(wide.map(Value::Decimal).to_vec()), decimal),
        pick(&floats.map(Value::Float), DataType::Double),
        pick(&with_null(floats.map(Value::Float).to_vec()), DataType::Double),
        pick(&texts.map(Value::text), DataType::Text),
        pick(&with_null(texts.map(Value::text).to_vec()), DataType::Text),
        pick(&alike.map(Value::text), DataType::Text),
        pick(&spans, DataType::Interval),
        pick(&with_null(spans.to_vec()), DataType::Interval),
        pick(&[Value::Boolean(true), Value::Boolean(false), Value::Null], DataType::Boolean),
        pick(&[Value::Null], DataType::Text),
        pick(&[Value::Int(7)], DataType::BigInt),
        ColumnBuilder::from_i64((0..rows).map(|row| mixed(row) as i64).collect(), None),
        ColumnBuilder::from_i64(
            (0..rows).map(|row| mixed(row) as i64).collect(),
            Some((0..rows).map(|row| row % 3 > 0).collect()),
        ),
        ColumnBuilder::from_values(
            &(0..rows).map(|row| Value::text(format!("{:0>20}", mixed(row) % 1_000))).collect::<Vec<_>>(),
            DataType::Text,
        ),
    ]
}

#[test]
fn every_form_in_every_direction() {
    for rows in [0, 1, 2, 100] {
        let all = columns(rows);
        for column in &all {
            for order in orders() {
                check(std::slice::from_ref(column), &[(0, order)], rows);
                check(std::slice::from_ref(column), &[], rows);
            }
        }
        for (a, first) in all.iter().enumerate() {
            for second in &all[a..] {
                for order in orders() {
                    let other = SortOrder { descending: !order.descending, ..order };
                    check(&[first.clone(), second.clone()], &[(1, order), (0, other)], rows);
                    check(&[first.clone(), second.clone()], &[(1, order)], rows);
                }
            }
        }
    }
}

/// Few rows of one key each, which further columns tell apart, or do not; integers in steps, of which one row may be out.
#[test]
fn many_short_runs() {
    for (rows, each) in [(40, 2), (1_500, 16), (1_500, 17), (17_000, 3)] {
        let all = columns(rows);
        for out in [0, 1] {
            let far = |row: usize| ((mixed(row) >> 24) as i64 / 3_600) * 3_600_000_000 + i64::from(row == 1) * out;
            let key = ColumnBuilder::from_i64((0..rows).map(|row| far(row % rows.div_ceil(each))).collect(), None);
            // Of many rows each column once.
            for (at, column) in all.iter().enumerate().filter(|(at, _)| rows < MANY || *at as i64 % 2 == out) {
                let next = all[(at + 5) % all.len()].clone();
                let columns = [key.clone(), column.clone(), next];
                let order = orders()[at % 4];
                check(&columns, &[(0, order), (1, order), (2, orders()[(at + 1) % 4])], rows);
            }
        }
    }
}

#[test]
fn many_rows_by_many_columns() {
    let rows = 33_500;
    let all = columns(rows);
    let order: Vec<(usize, SortOrder)> = (0..all.len()).map(|at| (at, orders()[at % 4])).collect();
    check(&all, &order, rows);
    for start in 0..all.len() {
        check(&all, &order[start..], rows);
    }
}

/// Keys that many rows share, enough of them for all workers, before a column that tells rows apart.
#[test]
fn many_rows_of_one_key() {
    let rows = 150_001;
    let text = |row: usize| Value::text(format!("the same {:>30}", row % 3));
    let values: Vec<Value> = (0..rows).map(text).collect();
    let wide = (0..rows).map(|row| (i128::from(mixed(row) as i64) << 60) >> (row % 2 * 100)).collect();
    let columns = [ColumnBuilder::from_values(&values, DataType::Text), ColumnBuilder::from_i128(wide, None)];
    for order in orders() {
        check(&columns, &[(0, order), (1, order)], rows);
    }
    let context = Context::new(Memory::new(1 << 16));
    let workers = Workers { pool: Some(&POOLS[1]), context: &context };
    let error = RowOrder { columns: &columns, order: &[(0, orders()[0])], ties: Ties::ByFields }
        .sorted(rows, workers)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let context = Context::new(Memory::new(usize::MAX));
    context.cancellation.cancel();
    let workers = Workers { pool: None, context: &context };
    let error = RowOrder { columns: &columns, order: &[(0, orders()[0])], ties: Ties::ByFields }
        .sorted(rows, workers)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn strings_that_begin_more_and_more_alike() {
    let rows = 3_000;
    let text = |row: usize| Value::text("a".repeat(mixed(row) as usize % rows));
    let values: Vec<Value> = (0..rows).map(text).collect();
    for order in orders() {
        check(&[ColumnBuilder::from_values(&values, DataType::Text)], &[(0, order)], rows);
    }
}
