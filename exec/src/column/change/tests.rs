//! Random changes beside plain rows: after each the rows are there, in order, and all that statistics prove of them is so.

use crate::column::append::tests::{check_proofs, check_ranges, context, fields, mixed, row, table};
use crate::column::{CHUNK_ROWS, Table};
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

/// The rows, their numbers and all that is known of them.
fn check(table: &Table, rows: &[Vec<Value>]) {
    assert_eq!((table.statistics.rows as usize, table.rows()), (rows.len(), rows.len()));
    assert!(table.values() == rows, "rows are what they were made");
    for (index, statistics) in table.statistics.columns.iter().enumerate() {
        check_proofs(statistics, &rows.iter().map(|row| &row[index]).collect::<Vec<_>>());
    }
    check_ranges(table, rows);
}

/// Some numbers of rows, ascending: about one of so many, from a seed.
fn chosen(rows: usize, one_of: u64, seed: u64) -> Vec<usize> {
    (0..rows).filter(|&at| mixed(at as u64 ^ (seed << 32)).is_multiple_of(one_of)).collect()
}

fn three() -> Context {
    context().with_pool(&Arc::new(Pool::new(3).expect("threads start")))
}

#[test]
fn values_are_replaced_where_they_stand() {
    let fields = fields();
    for (count, context) in [(1, context()), (1_000, context()), (CHUNK_ROWS + 7, three())] {
        let mut rows: Vec<Vec<Value>> = (0..count as u64).map(|number| row(number, false)).collect();
        let mut now = table(&fields, &rows, &context);
        let steps: &[u64] = if count > CHUNK_ROWS { &[1_000, 3, 100_000] } else { &[100, 3, 50, 1, 7, 1_000, 2] };
        for (step, &one_of) in steps.iter().enumerate() {
            let seed = step as u64;
            let columns: Vec<usize> = chosen(fields.len(), 2, seed + 99);
            let numbers = chosen(count, one_of, seed);
            let values: Vec<Vec<Value>> = numbers
                .iter()
                .map(|&at| {
                    // Values like those that are there, which forms may have a place for, and others.
                    let new = row(mixed(at as u64 + seed) % (2 * count as u64), step % 2 == 1);
                    columns.iter().map(|&column| new[column].clone()).collect()
                })
                .collect();
            let of: Vec<Field> = columns.iter().map(|&column| fields[column].clone()).collect();
            let before = now.clone();
            let next = now.patched(&numbers, &columns, &table(&of, &values, &context), &context).expect("they fit");
            check(&before, &rows);
            for (&number, values) in numbers.iter().zip(values) {
                columns.iter().zip(values).for_each(|(&column, value)| rows[number][column] = value);
            }
            check(&next, &rows);
            now = next;
        }
    }
}

#[test]
fn what_does_not_change_is_shared() {
    let context = context();
    let fields = fields();
    let rows: Vec<Vec<Value>> = (0..2 * CHUNK_ROWS as u64 + 5).map(|number| row(number, false)).collect();
    let old = table(&fields, &rows, &context);
    let values = table(&fields[1..2], &[vec![Value::Int(13)]], &context);
    let new = old.patched(&[CHUNK_ROWS + 3], &[1], &values, &context).expect("it fits");
    let is_shared = |chunk: usize, column: usize| {
        let [a, b] = [&old, &new].map(|table| &table.chunks[chunk].columns[column].identity);
        a.is(&b.watch())
    };
    for column in 0..fields.len() {
        assert!(is_shared(0, column) && is_shared(2, column));
        assert_eq!(is_shared(1, column), column != 1);
    }
}

#[test]
fn marked_rows_are_dropped_where_they_are_many() {
    let fields = fields();
    for (count, context) in [(1, context()), (900, context()), (CHUNK_ROWS + 11, three())] {
        let all: Vec<Vec<Value>> = (0..count as u64).map(|number| row(number, number % 5 == 0)).collect();
        let start = table(&fields, &all, &context);
        let marks = fields.len();
        let with_mark = |row: &Vec<Value>, mark: i64| row.iter().cloned().chain([Value::Int(mark)]).collect::<Vec<_>>();
        for one_of in if count > CHUNK_ROWS { vec![1, 2, 40] } else { vec![1, 2, 3, 40, 100_000] } {
            let numbers = chosen(count, one_of, 5);
            let marked = start.with_marks().marked(&numbers, marks, &context).expect("there is memory");
            assert_eq!(marked.marked_rows(marks) as usize, numbers.len());
            let is_marked = |at: usize| numbers.binary_search(&at).is_ok();
            let rows: Vec<Vec<Value>> =
                all.iter().enumerate().map(|(at, row)| with_mark(row, is_marked(at).into())).collect();
            check(&marked, &rows);
            let Some(dropped) = marked.without_marked(marks, &context).expect("there is memory") else {
                assert!(numbers.len() * 4 <= count * 3 || count > CHUNK_ROWS);
                continue;
            };
            let left: Vec<Vec<Value>> =
                all.iter().enumerate().filter(|(at, _)| !is_marked(*at)).map(|(_, row)| row.clone()).collect();
            if dropped.fields.len() == fields.len() {
                check(&dropped, &left);
            } else {
                let stays = dropped.values().into_iter().filter(|row| row[marks] == Value::Int(0));
                assert!(
                    stays
                        .map(|mut row| {
                            row.pop();
                            row
                        })
                        .eq(left),
                    "those that are not marked stay"
                );
                check(&dropped, &dropped.values());
            }
        }
    }
}

#[test]
fn rows_by_their_numbers() {
    let context = three();
    let rows: Vec<Vec<Value>> = (0..CHUNK_ROWS as u64 + 9).map(|number| row(number, number % 3 == 0)).collect();
    let all = table(&fields(), &rows, &context);
    let numbered = all.numbered();
    let last = fields().len();
    assert_eq!(numbered.fields[last].data_type, DataType::BigInt);
    assert!(numbered.values().iter().enumerate().all(|(at, row)| row[last] == Value::Int(at as i64)));
    check_proofs(
        &numbered.statistics.columns[last],
        &numbered.values().iter().map(|row| &row[last]).collect::<Vec<_>>(),
    );
    for numbers in [vec![], vec![CHUNK_ROWS + 8], vec![7, 7, CHUNK_ROWS, 0, 3], (0..rows.len()).rev().collect()] {
        let found = all.rows_at(&numbers, &[5, 0, 4], &context).expect("there is memory");
        let wanted: Vec<Vec<Value>> =
            numbers.iter().map(|&at| [5, 0, 4].map(|column: usize| rows[at][column].clone()).to_vec()).collect();
        check(&found, &wanted);
    }
}

#[test]
fn a_change_is_counted_and_heard() {
    let rows: Vec<Vec<Value>> = (0..1_000).map(|number| row(number, false)).collect();
    let fits = Context::new(Memory::new(usize::MAX));
    let all = table(&fields(), &rows, &fits);
    let value = table(&fields()[1..2], &[vec![Value::Int(1)]], &fits);
    let little = Context::new(Memory::new(1_000));
    assert!(all.patched(&[5], &[1], &value, &little).is_err());
    assert_eq!(little.memory.used(), 0);
    let cancelled = Context::new(Memory::new(usize::MAX));
    cancelled.cancellation.cancel();
    assert!(all.patched(&[5], &[1], &value, &cancelled).is_err());
    assert!(all.with_marks().marked(&[5], fields().len(), &cancelled).is_err());
    assert!(all.patched(&[5], &[0], &table(&fields()[1..2], &[vec![Value::Null]], &fits), &fits).is_err());
}

#[test]
fn a_column_of_one_value_is_known_without_a_look_at_the_rows() {
    let context = Context::new(Memory::new(usize::MAX));
    let field = Field::new("a", DataType::BigInt, true);
    for count in [0, 1, CHUNK_ROWS, CHUNK_ROWS + 1] {
        let rows: Vec<Vec<Value>> = (0..count as i64).map(|row| vec![Value::Int(row)]).collect();
        let table = Table::from_values(vec![field.clone()], &rows);
        for value in [Value::Int(7), Value::Null, Value::text("seven")] {
            let data_type = if let Value::Text(_) = value { DataType::Text } else { DataType::Integer };
            let with = table.with_constant(0, Field::new("b", data_type, true), &value, &context).expect("memory");
            assert_eq!((with.rows(), with.fields[1].name.as_str()), (count, "a"));
            assert!(with.values().iter().enumerate().all(|(row, of)| *of == [value.clone(), Value::Int(row as i64)]));
            let proofs = &with.statistics.columns[0].proofs;
            let measured = with.clone().measured(None).statistics.columns[0].proofs.clone();
            assert_eq!((proofs.nulls, proofs.sorted || count == 0), (measured.nulls, true), "{count} {value:?}");
            assert!(!proofs.unique || count <= 1);
        }
    }
}
