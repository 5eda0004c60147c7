//! Random tables: none, one or some hundred rows, with a key that is dense, in steps, unique, clustered or none of these, and
//! columns of all types: with few values that differ, or one that most rows have, or nothing but NULL.

use super::super::Random;
use super::write::{random_field, value};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

const ROWS: [usize; 10] = [0, 1, 3, 20, 60, 60, 100, 100, 250, 400];

/// The rows of a table, and its fields; the first one is the key.
pub(super) fn random_table(random: &mut Random) -> (Vec<Field>, Vec<Vec<Value>>) {
    let rows = ROWS[random.below(ROWS.len() as u64) as usize];
    let columns = 4 + random.below(5) as usize;
    let mut fields = vec![key_field(random)];
    fields.extend((1..columns).map(|at| random_field(random, at)));
    let mut values: Vec<Vec<Value>> = key(random, rows, &fields[0]).into_iter().map(|key| vec![key]).collect();
    for field in &fields[1..] {
        column(random, field, &mut values);
    }
    (fields, values)
}

fn key_field(random: &mut Random) -> Field {
    let data_type = [DataType::Integer, DataType::Integer, DataType::BigInt, DataType::Text][random.below(4) as usize];
    Field { name: "x0".to_owned(), data_type, nullable: random.below(4) == 0 }
}

fn key(random: &mut Random, rows: usize, field: &Field) -> Vec<Value> {
    let of = |number: i64| match field.data_type {
        DataType::Text => Value::text(format!("t{number:04}")),
        _ => Value::Int(number),
    };
    let (step, first) = ([1, 1, 3, 1_000_003][random.below(4) as usize], random.below(5) as i64 - 2);
    let null = |keys: &mut Vec<Value>| {
        if field.nullable
            && let Some(last) = keys.last_mut()
        {
            *last = Value::Null;
        }
    };
    let mut keys: Vec<Value> = match random.below(5) {
        // In order, without a gap, and with some.
        0 => (0..rows as i64).map(|row| of(first + row * step)).collect(),
        1 => (0..rows as i64).map(|row| of(first + (row + row / 5) * step)).collect(),
        // In no order: no number of rows is a multiple of this one.
        2 => (0..rows).map(|row| of(first + (row * 7919 % rows) as i64 * step)).collect(),
        // In runs, one of them long.
        3 => (0..rows as i64).map(|row| of(first + row.min(rows as i64 / 2) / 3 * step)).collect(),
        _ => (0..rows).map(|_| of(first + random.below(40) as i64 * step)).collect(),
    };
    null(&mut keys);
    keys
}

/// Puts the values of a column behind each row.
fn column(random: &mut Random, field: &Field, rows: &mut [Vec<Value>]) {
    let distinct = [3, 12, 60, 200][random.below(4) as usize];
    let stride = [1, 1, 1, 8, 1_000_003][random.below(5) as usize];
    let (is_skewed, all_null) = (random.below(3) == 0, random.below(10) == 0);
    for row in rows {
        let is_null = field.nullable && (all_null || random.below(6) == 0);
        let pick = if is_skewed && random.below(4) > 0 { 3 } else { random.below(distinct) as i64 };
        row.push(if is_null { Value::Null } else { value(field.data_type, pick, stride) });
    }
}
