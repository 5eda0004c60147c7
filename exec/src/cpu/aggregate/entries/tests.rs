//! What is gathered from values, beside what the texts of rows become.

use super::*;
use crate::cpu::aggregate::TileGroups;
use crate::cpu::aggregate::gathered::first_place;
use crate::cpu::aggregate::merged_values::Share;
use crate::cpu::aggregate::shared_groups::tests::by_all;
use crate::plan::register::Register;
use multiloop_planner::evaluate::array::{Array, TAIL};
use multiloop_planner::evaluate::evaluate;
use multiloop_planner::evaluate::gather::gathered;
use multiloop_planner::function::{ArrayFunction, Function, SortKeyOrder};
use multiloop_planner::value::Value;

/// What becomes of six groups, or five, that two workers have: merged one by one, or by all workers, who share what is to be done.
fn merged_by_all(parts: [Gathered; 2]) -> Vec<Value> {
    let numbers: Vec<u32> = (0..parts[0].groups() as u32).collect();
    by_all(|workers| {
        let shares = parts.iter().map(|gathered| Share { gathered, numbers: &numbers }).collect::<Vec<_>>();
        let together =
            workers.and_then(|workers| Gathered::merge_shares(parts[0].how, numbers.len(), &shares, workers).unwrap());
        let merged = together.unwrap_or_else(|| {
            let mut state = parts[0].clone();
            state.merge(&parts[1], &numbers, &numbers);
            state
        });
        let column = merged.finish(DataType::Text, workers).unwrap().into_column(DataType::Text).unwrap();
        numbers.iter().map(|&group| column.value(group as usize, DataType::Text)).collect()
    })
}

/// What comes in two parts, of which the one that is merged came first, beside arrays that are made of each group's values.
fn check(values: &[Value], (element, before): (DataType, &str), register: Register, as_texts: [bool; 2]) {
    let groups: Vec<u32> = (0..values.len() as u32).map(|row| row * row % 7 % 4).collect();
    let half = values.len() / 2;
    let part = |rows: Range<usize>, as_texts: bool| {
        let mut state = Gathered::new(Gather::Arrived);
        state.resize(5);
        let mut vector = Vector::default();
        vector.set_values(&values[rows.clone()], register);
        let of_tile = TileGroups::Each(&groups[rows.clone()], None);
        let input = Input { groups: of_tile, vector: Some(&vector), len: rows.len() };
        let place = first_place(usize::from(rows.start > 0));
        let before = before.as_bytes().to_vec();
        let entries = Entries { element, shown: None, before, front: Vec::new() };
        assert_eq!(state.update_entries(&input, &[], &entries, (place, None)).unwrap(), place + rows.len() as u64);
        if as_texts { state.of_texts() } else { state }
    };
    let column = merged_by_all([part(half..values.len(), as_texts[0]), part(0..half, as_texts[1])]);
    for group in 0..5 {
        let own = values.iter().zip(&groups).filter(|(_, own)| **own == group).map(|(value, _)| value.clone());
        let own: Vec<Value> =
            if before.is_empty() { own.collect() } else { own.flat_map(|value| [Value::text("; "), value]).collect() };
        let array = Array::of(own.clone()).encode(element);
        let expected = if own.is_empty() { Value::Null } else { Value::text(&array[..array.len() - TAIL.len() - 1]) };
        assert_eq!(column[group as usize], expected, "{element} {group}");
    }
}

#[test]
fn arrays_have_the_values_in_their_order() {
    let null = |row: i64, value: Value| if row % 11 == 3 { Value::Null } else { value };
    for has_nulls in [false, true] {
        let all = |value: &dyn Fn(i64) -> Value| -> Vec<Value> {
            (0..100).map(|row| if has_nulls { null(row, value(row)) } else { value(row) }).collect()
        };
        let integers = all(&|row| Value::Int(row - 50));
        let floats = all(&|row| Value::Float(row as f64 / 4.0 - 7.0));
        let texts = all(&|row| Value::text(["", "a", "ä\u{1}b\u{4}", "long, long, long, long"][row as usize % 4]));
        for as_texts in [[false, false], [true, false], [false, true], [true, true]] {
            check(&integers, (DataType::SmallInt, ""), Register::I32, as_texts);
            check(&integers, (DataType::Integer, ""), Register::I32, as_texts);
            check(&integers, (DataType::BigInt, ""), Register::I32, as_texts);
            check(&integers, (DataType::BigInt, ""), Register::I64, as_texts);
            check(&floats, (DataType::Real, ""), Register::F64, as_texts);
            check(&floats, (DataType::Double, ""), Register::F64, as_texts);
            check(&texts, (DataType::Text, ""), Register::Text, as_texts);
            check(&texts, (DataType::Text, "\u{2}; "), Register::Text, as_texts);
        }
    }
}

/// Columns of 400 values that are nasty as elements and as keys.
fn nasty() -> Vec<(Vec<Value>, DataType, Register)> {
    let random = |row: usize| (row as u32).wrapping_mul(2_654_435_761) as usize >> 7;
    let all = |nulls: bool, value: &dyn Fn(usize) -> Value| -> Vec<Value> {
        let is_null = |row: usize| nulls && random(row + 7) % 9 == 0;
        (0..400).map(|row| if is_null(row) { Value::Null } else { value(random(row)) }).collect()
    };
    let texts = ["", "a", "a\u{1}", "ä\u{4}b\u{5}", "\u{3}\u{2}", "12345678", "123456789", "123456788", "🦀"];
    let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::NAN, -f64::NAN, 1e300, f64::INFINITY];
    let longs = [i64::MIN, i64::MAX, 0, -1, 1];
    let mut columns = Vec::new();
    for nulls in [false, true] {
        columns.push((all(nulls, &|at| Value::text(texts[at % 9])), DataType::Text, Register::Text));
        columns.push((all(nulls, &|at| Value::Int(longs[at % 5])), DataType::BigInt, Register::I64));
        columns.push((all(nulls, &|at| Value::Int(at as i64 % 50 - 25)), DataType::Integer, Register::I32));
        columns.push((all(nulls, &|at| Value::Int(at as i64 % 1000)), DataType::SmallInt, Register::I64));
        columns.push((all(nulls, &|at| Value::Float(floats[at % 8])), DataType::Double, Register::F64));
        columns.push((all(nulls, &|at| Value::Float(floats[at % 6])), DataType::Real, Register::F64));
        columns.push((all(nulls, &|at| Value::Boolean(at % 2 == 0)), DataType::Boolean, Register::Bool));
    }
    let decimal = DataType::decimal(15, 2);
    columns.push((all(true, &|at| Value::Decimal(at as i128 % 60 - 30)), decimal, Register::I32));
    columns.push((all(false, &|at| Value::Decimal((at as i128 % 9 - 4) * 123_456_789_012)), decimal, Register::I64));
    columns.push((vec![Value::Null; 400], DataType::Text, Register::Text));
    columns
}

/// The text that a function makes of a value.
fn text_of(function: Function, value: &Value, from: DataType) -> String {
    match evaluate(function, std::slice::from_ref(value), &[from], DataType::Text).unwrap() {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

/// An aggregate of a value, and of keys that it is ordered by.
struct Case<'c> {
    how: Gather,
    value: &'c (Vec<Value>, DataType, Register),
    keys: Vec<&'c (Vec<Value>, DataType, Register)>,
    entries: Entries,
    bounds: Option<(i128, i128)>,
}

impl Case<'_> {
    /// The text of a row.
    fn text(&self, row: usize) -> String {
        let shown = |value: &Value| match self.entries.shown {
            Some(from) if !value.is_null() => Value::text(text_of(Function::Cast, value, from)),
            _ => value.clone(),
        };
        let value = shown(&self.value.0[row]);
        let mut text = String::new();
        for part in &self.entries.front {
            match part {
                Front::Same(same) => text.push_str(std::str::from_utf8(same).unwrap()),
                &Front::Key { order, of, column } => {
                    let key = column.map_or(&value, |column| &self.keys[column].0[row]);
                    text.push_str(&text_of(Function::SortKey(order, of), key, of));
                }
            }
        }
        text.push(FRONT_END);
        text.push_str(std::str::from_utf8(&self.entries.before).unwrap());
        let entry = Function::Array(ArrayFunction::Entry, self.entries.element);
        text.push_str(&text_of(entry, &value, self.entries.element));
        text
    }

    /// Some rows, in tiles of so many.
    fn part(&self, rows: Range<usize>, tile: usize, groups: &[u32]) -> Gathered {
        let vector = |(values, _, register): &(Vec<Value>, DataType, Register), rows: &Range<usize>| {
            let mut vector = Vector::default();
            vector.set_values(&values[rows.clone()], *register);
            vector
        };
        let mut state = Gathered::new(self.how);
        let mut place = first_place(usize::from(rows.start > 0));
        for start in rows.clone().step_by(tile) {
            state.resize(if start < 100 { 5 } else { 6 });
            let rows = start..rows.end.min(start + tile);
            let value = vector(self.value, &rows);
            let keys: Vec<Vector> = self.keys.iter().map(|key| vector(key, &rows)).collect();
            let of_tile = TileGroups::Each(&groups[rows.clone()], None);
            let input = Input { groups: of_tile, vector: Some(&value), len: rows.len() };
            let keys: Vec<&Vector> = keys.iter().collect();
            place = state.update_entries(&input, &keys, &self.entries, (place, self.bounds)).unwrap();
        }
        state.resize(6);
        state
    }

    fn check(&self) {
        let groups: Vec<u32> = (0..self.value.0.len() as u32).map(|row| row * row % 7 % 4).collect();
        let (half, len) = (groups.len() / 2, groups.len());
        for as_texts in [[false, false], [true, false], [false, true], [true, true]] {
            let part = |rows: Range<usize>, tile: usize, as_texts: bool| {
                let state = self.part(rows, tile, &groups);
                if as_texts { state.of_texts() } else { state }
            };
            let column = merged_by_all([part(half..len, 64, as_texts[0]), part(0..half, 77, as_texts[1])]);
            for group in 0..6 {
                let rows = (0..len).filter(|&row| groups[row] == group);
                let texts: Vec<String> = rows.map(|row| self.text(row)).collect();
                let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let expected =
                    if texts.is_empty() { Value::Null } else { Value::text(gathered(self.how, &mut texts).unwrap()) };
                let (entries, how) = (&self.entries, self.how);
                assert_eq!(column[group as usize], expected, "{how:?} {entries:?} {as_texts:?}");
            }
        }
    }
}

/// Every order.
fn orders() -> [SortKeyOrder; 4] {
    [(false, false), (false, true), (true, false), (true, true)]
        .map(|(descending, nulls_first)| SortOrder { descending, nulls_first }.into())
}

#[test]
fn values_in_order_are_what_the_texts_of_rows_become() {
    let columns = nasty();
    for (at, value) in columns.iter().enumerate() {
        for (place, order) in orders().into_iter().enumerate() {
            let element = value.1;
            let own = Front::Key { order, of: element, column: None };
            let key = &columns[(at * 4 + place * 3) % columns.len()];
            let other = Front::Key { order, of: key.1, column: Some(0) };
            let before = if element == DataType::Text { b"\x02, ".to_vec() } else { Vec::new() };
            let entries = |front: Vec<Front>| Entries { element, shown: None, before: before.clone(), front };
            let same = Front::Same(b"2,\x01".to_vec());
            let whole = entries(vec![own.clone(), same]);
            let bounds = [None, Some((-25, 1000)), Some((i64::MIN.into(), i64::MAX.into()))];
            let bounds =
                bounds.into_iter().filter(|_| element != DataType::BigInt && !element.is_decimal()).chain([None]);
            for bounds in bounds {
                let how = Gather::Distinct;
                Case { how, value, keys: Vec::new(), entries: whole.clone(), bounds }.check();
            }
            let how = Gather::Sorted;
            Case { how, value, keys: Vec::new(), entries: whole, bounds: None }.check();
            Case { how, value, keys: vec![key], entries: entries(vec![other.clone()]), bounds: None }.check();
            Case { how, value, keys: vec![key], entries: entries(vec![other, own]), bounds: None }.check();
        }
    }
}

#[test]
fn texts_of_numbers_are_gathered_as_numbers() {
    let scaled = DataType::decimal(9, 2);
    let decimals = (0..400).map(|row| if row % 7 == 2 { Value::Null } else { Value::Decimal(row * row - 900) });
    let decimals = (decimals.collect::<Vec<_>>(), scaled, Register::I32);
    let odd = [i64::from(i32::MIN), i64::from(i32::MAX), -719_163, -719_162, 2_932_896, 2_932_897, -1, 0, 19_000];
    let days =
        (0..400).map(|row| if row % 13 == 2 { Value::Null } else { Value::Int(odd[row % 9] + row as i64 % 2 * 7) });
    let days = days.map(|day| match day {
        Value::Int(day) => Value::Int(day.clamp(i32::MIN.into(), i32::MAX.into())),
        null => null,
    });
    let dates = (days.collect::<Vec<_>>(), DataType::Date, Register::I32);
    let numbers = nasty().into_iter().filter(|(_, of, _)| of.is_integer());
    for value in numbers.chain([decimals, dates]) {
        for order in orders() {
            let own = Front::Key { order, of: DataType::Text, column: None };
            let entries = |front: Vec<Front>| Entries {
                element: DataType::Text,
                shown: Some(value.1),
                before: b"\x02;".to_vec(),
                front,
            };
            for (how, front) in
                [(Gather::Arrived, vec![]), (Gather::Sorted, vec![own.clone()]), (Gather::Distinct, vec![own])]
            {
                Case { how, value: &value, keys: Vec::new(), entries: entries(front), bounds: None }.check();
            }
        }
    }
}
