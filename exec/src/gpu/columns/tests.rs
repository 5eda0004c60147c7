//! Columns as they are on the device, beside those of the host: each form, in chunks of many sizes, by one worker and by several.

use super::codes::STRINGS_MAX;
use super::loader::Loader;
use super::{DeviceColumn, Form, Valid, text, upload};
use crate::ErrorKind;
use crate::column::{Chunk, Column, ColumnData, Table};
use crate::gpu::code::types::Type;
use crate::gpu::driver::Driver;
use crate::gpu::driver::emulated::Emulated;
use crate::gpu::stop::Stop;
use crate::workers::context::{Context, Memory};
use crate::workers::pool::Pool;
use crate::workers::schedule::Workers;
use arrow::array::StringArray;
use arrow::buffer::{BooleanBuffer, NullBuffer};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

fn context() -> Context {
    Context::new(Memory::new(1 << 30))
}

/// The rows of a column on the device, as values of such a type.
fn rows_of(column: &DeviceColumn, of: DataType) -> Vec<Value> {
    let bytes = column.data.values::<u8>(column.data.bytes).expect("bytes come back");
    let size = column.element.bytes();
    let number = |row: usize| {
        let mut word = [0; 16];
        word[..size].copy_from_slice(&bytes[row * size..(row + 1) * size]);
        u128::from_le_bytes(word)
    };
    let bit = |bytes: &[u8], row: usize| bytes[row / 8] >> (row % 8) & 1 != 0;
    let valid = match &column.valid {
        Valid::All => None,
        Valid::Bits(bits) | Valid::Bytes(bits) => Some(bits.values::<u8>(bits.bytes).expect("bytes come back")),
    };
    let value = |row: usize| match &column.form {
        _ if valid.as_ref().is_some_and(|valid| !bit(valid, row)) => Value::Null,
        Form::Integers { base, step } => {
            let value = match column.element {
                Type::I128 => number(row) as i128,
                Type::I64 => number(row) as i64 as i128,
                _ => number(row) as i128,
            };
            let value = i128::from(*base) + i128::from(*step) * value;
            if matches!(of, DataType::Decimal { .. }) { Value::Decimal(value) } else { Value::Int(value as i64) }
        }
        Form::Floats => Value::Float(f64::from_bits(number(row) as u64)),
        Form::Bits => Value::Boolean(bit(&bytes, row)),
        Form::Codes(dictionary) => Value::text(dictionary.get(number(row) as u32)),
        Form::Text { offsets, wide } => {
            let offset = |at: usize| match wide {
                true => offsets.values::<u64>(at + 1).expect("offsets come back")[at] as usize,
                false => offsets.values::<u32>(at + 1).expect("offsets come back")[at] as usize,
            };
            Value::text(std::str::from_utf8(&bytes[offset(row)..offset(row + 1)]).expect("a text"))
        }
        other => panic!("{other:?}"),
    };
    (0..column.rows).map(value).collect()
}

/// Uploads a column of some chunks in each way that there is, and compares.
fn check(chunks: &[Arc<Chunk>], of: DataType) -> DeviceColumn {
    let driver: Arc<dyn Driver> = Arc::new(Emulated::new(1, 1 << 28));
    let expected: Vec<Value> = chunks
        .iter()
        .flat_map(|chunk| (0..chunk.rows).map(|row| chunk.columns[0].value(row, of)).collect::<Vec<Value>>())
        .collect();
    let mut last = None;
    for threads in [1, 3] {
        let (pool, context) = (Pool::new(threads).expect("threads start"), context());
        let loader = Loader { driver: &driver, workers: Workers { pool: Some(&pool), context: &context } };
        let column = upload::column(loader, chunks, 0, STRINGS_MAX).expect("it is uploaded");
        let found = rows_of(&column, of);
        assert!(found == expected, "{found:?}\n{expected:?}\n{chunks:?}");
        let nulls = upload::nulls(loader, chunks, 0).expect("it is uploaded");
        assert_eq!(nulls.rows, expected.len());
        if chunks.first().is_some_and(|chunk| chunk.columns[0].data.is_text()) {
            let text = text::upload(loader, chunks, 0).expect("it is uploaded");
            let found = rows_of(&DeviceColumn { valid: nulls.valid.clone(), ..text }, of);
            assert!(found == expected, "{found:?}\n{expected:?}\n{chunks:?}");
        }
        last = Some(column);
    }
    last.expect("it was uploaded")
}

fn chunk(data: ColumnData, nulls: Option<&[usize]>) -> Arc<Chunk> {
    let rows = Column::new(data.clone(), None).rows();
    let nulls = nulls.map(|nulls| NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| !nulls.contains(&row))));
    Arc::new(Chunk::new(rows, vec![Column::new(data, nulls)]))
}

/// Values as tables have them, in chunks of such sizes, one after the other.
fn chunks(of: DataType, values: &[Value], sizes: &[usize]) -> Vec<Arc<Chunk>> {
    let mut all = Vec::new();
    let mut rest = values;
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            return all;
        }
        let (some, others) = rest.split_at(size.min(rest.len()));
        rest = others;
        let rows: Vec<Vec<Value>> = some.iter().map(|value| vec![value.clone()]).collect();
        let table = Table::from_values(vec![Field { name: "x".to_owned(), data_type: of, nullable: true }], &rows);
        all.extend(table.chunks.iter().cloned());
        if size == 0 {
            all.push(chunk(ColumnData::Frame8 { base: 7, offsets: Vec::new().into() }, None));
        }
    }
    all
}

#[test]
fn integers_of_each_form() {
    let offsets = |count: u32| (0..count).map(|at| at * 7 % 251).collect::<Vec<u32>>();
    let frame8 = |base| ColumnData::Frame8 { base, offsets: offsets(37).iter().map(|&at| at as u8).collect() };
    let stepped =
        |base, step| ColumnData::Stepped16 { base, step, offsets: offsets(90).iter().map(|&at| at as u16).collect() };
    let one = |base, step| ColumnData::Stepped8 { base, step, offsets: vec![0u8; 5].into() };
    let frame32 = |base| ColumnData::Frame32 { base, offsets: offsets(3).iter().map(|&at| at << 20).collect() };
    let none = || ColumnData::Int64(Vec::<i64>::new().into());
    let is = |chunks: Vec<ColumnData>, element: Type| {
        let chunks: Vec<Arc<Chunk>> = chunks.into_iter().map(|data| chunk(data, None)).collect();
        assert_eq!(check(&chunks, DataType::BigInt).element, element);
        let nulls: Vec<Arc<Chunk>> = chunks.iter().map(|of| chunk(of.columns[0].data.clone(), Some(&[0, 2]))).collect();
        check(&[nulls, chunks].concat(), DataType::BigInt);
    };
    is(vec![frame8(5)], Type::U8);
    is(vec![frame8(5), none(), frame8(-300)], Type::U16);
    is(vec![stepped(-200, 100), one(300, 77), stepped(1_000, 50)], Type::U16);
    is(vec![one(5, 3), one(5, 7)], Type::U8);
    is(vec![frame8(0), frame32(-9), none()], Type::U32);
    is(vec![ColumnData::Int32(vec![i32::MIN, 5, i32::MAX].into()), frame8(1)], Type::U32);
    is(vec![ColumnData::Int16(vec![-5, 7, 9].into()), stepped(-5, 2)], Type::U16);
    is(vec![ColumnData::Int64(vec![i64::MIN, 0, i64::MAX].into()), frame8(1), stepped(3, 9)], Type::I64);
    is(vec![none(), none()], Type::I64);
}

#[test]
fn values_as_tables_have_them() {
    let sizes = [9, 1, 64, 3, 130, 0, 17];
    let some = |at: i64, value: Value| if at % 11 == 3 { Value::Null } else { value };
    let of = |value: &dyn Fn(i64) -> Value| (0..500).map(|at| some(at, value(at))).collect::<Vec<Value>>();
    let decimal = DataType::Decimal { precision: 38, scale: 0 };
    let big = of(&|at| Value::Decimal(i128::from(at) << (at % 80)));
    let small = of(&|at| Value::Decimal(i128::from(at) * 100));
    for (data_type, values) in [
        (DataType::BigInt, of(&|at| Value::Int(at * 1_000))),
        (DataType::BigInt, of(&|at| Value::Int(at << (at % 60)))),
        (decimal, small),
        (decimal, big),
    ] {
        for sizes in [&sizes[..], &sizes[..5], &[500]] {
            check(&chunks(data_type, &values, sizes), data_type);
        }
        check(&chunks(data_type, &vec![Value::Null; 70], &[9]), data_type);
    }
    let without_none = &sizes[..5];
    check(&chunks(DataType::Double, &of(&|at| Value::Float(at as f64 / 3.0)), without_none), DataType::Double);
    check(&chunks(DataType::Boolean, &of(&|at| Value::Boolean(at % 3 == 0)), without_none), DataType::Boolean);
    let text = DataType::Text;
    check(&chunks(text, &of(&|at| Value::text(format!("{}", at * at % 19))), without_none), text);
    let made = check(&chunks(text, &of(&|at| Value::text("é".repeat(at as usize % 40))), &[100, 7, 1]), text);
    assert!(matches!(made.form, Form::Codes(dictionary) if dictionary.len() == 40));
    check(&chunks(text, &vec![Value::Null; 70], &[9]), text);
    check(&[], text);
}

#[test]
fn text_of_each_form() {
    let texts: Vec<Option<String>> =
        (0..90).map(|at| (at % 7 != 2).then(|| format!("{}{}", at % 13, "x".repeat(at % 5 * 9)))).collect();
    let text = |texts: &[Option<String>]| {
        let (offsets, bytes, nulls) = StringArray::from(texts.to_vec()).into_parts();
        Arc::new(Chunk::new(texts.len(), vec![Column::new(ColumnData::Text { offsets, bytes }, nulls)]))
    };
    let plain: Vec<Option<String>> = texts.iter().map(|text| text.clone().or(Some(String::new()))).collect();
    let sliced = {
        let array = StringArray::from(plain.clone()).slice(11, 50);
        let (offsets, bytes, nulls) = array.into_parts();
        Arc::new(Chunk::new(50, vec![Column::new(ColumnData::Text { offsets, bytes }, nulls)]))
    };
    let values: Vec<Value> = texts.iter().map(|text| text.as_deref().map_or(Value::Null, Value::text)).collect();
    let codes = chunks(DataType::Text, &values, &[40]);
    let all = [vec![text(&texts), text(&[]), text(&plain), sliced], codes, vec![text(&texts[..3])]].concat();
    check(&all, DataType::Text);
}

#[test]
fn a_few_rows_tell_of_many_strings() {
    let driver: Arc<dyn Driver> = Arc::new(Emulated::new(1, 1 << 28));
    let (pool, context) = (Pool::new(2).expect("threads start"), context());
    let loader = Loader { driver: &driver, workers: Workers { pool: Some(&pool), context: &context } };
    let of = |strings: i64, run: i64| {
        let values: Vec<Value> = (0..20_000).map(|at| Value::text(format!("{}", at / run % strings))).collect();
        chunks(DataType::Text, &values, &[2_000])
    };
    // In runs, one after the other, and all alike; just as many as may be, and far more.
    for (strings, run) in [(100, 200), (100, 1), (100, 7), (1, 1), (101, 1), (10_000, 2), (20_000, 1)] {
        let made = upload::column(loader, &of(strings, run), 0, 100);
        assert_eq!(made.is_ok(), strings <= 100, "{strings} in runs of {run}");
    }
}

#[test]
fn many_strings_are_refused_and_cancelled_statements_stop() {
    let driver: Arc<dyn Driver> = Arc::new(Emulated::new(1, 1 << 28));
    let values: Vec<Value> = (0..300).map(|at| Value::text(format!("{}", at % 150))).collect();
    let all = chunks(DataType::Text, &values, &[20]);
    let (pool, context) = (Pool::new(2).expect("threads start"), context());
    let loader = Loader { driver: &driver, workers: Workers { pool: Some(&pool), context: &context } };
    assert!(upload::column(loader, &all, 0, 150).is_ok());
    assert!(
        matches!(upload::column(loader, &all, 0, 149), Err(Stop::Declined(why)) if why == super::codes::MANY_STRINGS)
    );
    context.cancellation.cancel();
    let numbers: Vec<Value> = (0..300).map(Value::Int).collect();
    for all in [all, chunks(DataType::BigInt, &numbers, &[20])] {
        let stop = upload::column(loader, &all, 0, 150).expect_err("the statement was cancelled");
        assert!(matches!(stop, Stop::Failed(error) if error.kind() == ErrorKind::Cancelled));
    }
}
