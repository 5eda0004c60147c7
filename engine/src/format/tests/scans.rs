//! Parquet files whose rows stay there until they are asked for: the same rows as of files that are read as a whole, whoever
//! wrote them, wherever they are cut; and files that say what is not so.

use super::super::parquet::{arrays_for_test, scan_for_test as scan};
use super::*;
use arrow::array::*;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Int32Type, Schema, TimeUnit};
use multiloop_exec::column::text_order;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use std::sync::Arc;

/// Columns of every Arrow type that a column can be read of, with and without NULLs.
fn every_array(rows: usize) -> RecordBatch {
    let number = |row: usize| (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
    let small = |row: usize| if row % 50 < 30 { (row / 50 % 9) as i64 } else { number(row) % 100 };
    let some = |row: usize| row % 11 != 3 && !(200..300).contains(&row);
    let ints =
        |of: &dyn Fn(usize) -> i64| -> Vec<Option<i64>> { (0..rows).map(|row| some(row).then(|| of(row))).collect() };
    let text = |row: usize, distinct: usize| format!("{}é{}", "x".repeat(row % 4), number(row) as usize % distinct);
    let texts = |distinct: usize| (0..rows).map(|row| some(row).then(|| text(row, distinct))).collect::<StringArray>();
    let narrow: Int64Array = ints(&small).into();
    let wide: Int64Array = ints(&number).into();
    let cast = |array: &Int64Array, to: Arrow| arrow::compute::cast(array, &to).unwrap();
    let decimal = |array: &Int64Array, precision: u8| {
        let numbers =
            array.iter().map(|value| value.map(|value| i128::from(value) % 10i128.pow(precision.min(18).into())));
        let numbers: Decimal128Array = numbers.collect();
        Arc::new(numbers.with_precision_and_scale(precision, 2).unwrap()) as ArrayRef
    };
    let times = |array: &Int64Array, by: i64, to: Arrow| {
        let times: Int64Array = array.iter().map(|value| value.map(|value| value * by)).collect();
        arrow::compute::cast(&times, &to).unwrap()
    };
    let binary: BinaryArray = (0..rows).map(|row| some(row).then(|| row.to_le_bytes())).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("bit", Arc::new((0..rows).map(|row| some(row).then_some(row % 3 == 0)).collect::<BooleanArray>())),
        ("all", Arc::new((0..rows).map(|row| Some(row / 70 % 2 == 0)).collect::<BooleanArray>())),
        ("i8", cast(&narrow, Arrow::Int8)),
        ("u8", times(&narrow, 0, Arrow::UInt8)),
        ("u16", Arc::new((0..rows).map(|row| some(row).then_some(number(row) as u16)).collect::<UInt16Array>())),
        ("u32", Arc::new((0..rows).map(|row| some(row).then_some(number(row) as u32)).collect::<UInt32Array>())),
        ("u64", Arc::new((0..rows).map(|row| some(row).then_some(number(row) as u64)).collect::<UInt64Array>())),
        ("i16", cast(&narrow, Arrow::Int16)),
        ("i32", cast(&narrow, Arrow::Int32)),
        ("key", Arc::new((0..rows as i32).collect::<Int32Array>())),
        ("i64", Arc::new(wide.clone())),
        ("few", Arc::new(narrow.clone())),
        ("one", Arc::new((0..rows).map(|_| Some(7)).collect::<Int64Array>())),
        ("none", Arc::new((0..rows).map(|_| None).collect::<Int64Array>())),
        ("d9", decimal(&narrow, 9)),
        ("d18", decimal(&wide, 18)),
        ("d30", decimal(&wide, 30)),
        ("f16", cast(&narrow, Arrow::Float16)),
        ("f32", cast(&wide, Arrow::Float32)),
        ("f64", cast(&wide, Arrow::Float64)),
        ("few_texts", Arc::new(texts(20))),
        ("many_texts", Arc::new(texts(1 << 40))),
        ("large_texts", cast_text(&texts(300), Arrow::LargeUtf8)),
        ("view_texts", cast_text(&texts(300), Arrow::Utf8View)),
        ("no_texts", Arc::new((0..rows).map(|_| None::<&str>).collect::<StringArray>())),
        (
            "categories",
            Arc::new(
                (0..rows)
                    .map(|row| some(row).then(|| text(row, 5)))
                    .collect::<Vec<_>>()
                    .iter()
                    .map(Option::as_deref)
                    .collect::<DictionaryArray<Int32Type>>(),
            ),
        ),
        ("binary", Arc::new(binary)),
        ("date", cast(&cast_back(&narrow), Arrow::Date32)),
        ("date64", times(&narrow, 86_400_000, Arrow::Date64)),
        (
            "time_ms",
            arrow::compute::cast(&cast(&narrow_positive(&narrow), Arrow::Int32), &Arrow::Time32(TimeUnit::Millisecond))
                .unwrap(),
        ),
        ("time_us", times(&narrow_positive(&narrow), 1, Arrow::Time64(TimeUnit::Microsecond))),
        ("time_ns", times(&narrow_positive(&narrow), 1_000, Arrow::Time64(TimeUnit::Nanosecond))),
        ("s", times(&narrow, 1, Arrow::Timestamp(TimeUnit::Second, None))),
        ("ms", times(&narrow, 1, Arrow::Timestamp(TimeUnit::Millisecond, None))),
        ("us", times(&narrow, 1, Arrow::Timestamp(TimeUnit::Microsecond, None))),
        ("ns", times(&narrow, 1_000, Arrow::Timestamp(TimeUnit::Nanosecond, None))),
        ("tz", times(&narrow, 1, Arrow::Timestamp(TimeUnit::Millisecond, Some("UTC".into())))),
    ];
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, !matches!(name, "all" | "key" | "one"))),
    )
    .unwrap()
}

fn cast_text(texts: &StringArray, to: Arrow) -> ArrayRef {
    arrow::compute::cast(texts, &to).unwrap()
}

fn cast_back(numbers: &Int64Array) -> Int64Array {
    numbers.clone()
}

fn narrow_positive(numbers: &Int64Array) -> Int64Array {
    numbers.iter().map(|value| value.map(i64::abs)).collect()
}

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
}

fn write(path: &str, batch: &RecordBatch, properties: WriterProperties) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// All rows of a lazy table as values.
fn values(table: &Table) -> Vec<Vec<Value>> {
    let columns: Vec<u32> = (0..table.fields.len() as u32).collect();
    let chunks = table.read(&columns, None).unwrap();
    Table { chunks: chunks.into(), ..table.clone() }.values()
}

/// Rows of each column of a row group, in pieces that begin and end anywhere, are those of the column.
fn check_pieces(table: &Table) {
    for chunk in &table.chunks {
        let reader = chunk.lazy.as_ref().unwrap().reader();
        for (column, field) in table.fields.iter().enumerate() {
            let whole = reader.read(column, 0..chunk.rows).unwrap();
            let value = |row| whole.value(row, field.data_type);
            for cuts in [
                vec![0, 1, chunk.rows],
                vec![0, chunk.rows / 3, chunk.rows / 2, chunk.rows],
                vec![chunk.rows / 2, chunk.rows - 1],
            ] {
                for (start, end) in cuts.iter().zip(&cuts[1..]) {
                    let (start, end) = (*start.min(end), *end);
                    let piece = reader.read(column, start..end).unwrap();
                    assert_eq!(piece.rows(), end - start);
                    for row in 0..piece.rows() {
                        assert_eq!(
                            piece.value(row, field.data_type),
                            value(start + row),
                            "{} row {}",
                            field.name,
                            start + row
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn rows_are_those_of_files_that_are_read_as_a_whole() {
    let batch = every_array(3_000);
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let delta = |builder: WriterPropertiesBuilder, name: &str, encoding| {
        builder.set_column_encoding(name.into(), encoding).set_column_dictionary_enabled(name.into(), false)
    };
    let encoded = delta(properties(), "key", Encoding::DELTA_BINARY_PACKED);
    let encoded = delta(encoded, "i64", Encoding::BYTE_STREAM_SPLIT);
    let encoded = delta(encoded, "few_texts", Encoding::DELTA_BYTE_ARRAY);
    let encoded = delta(encoded, "many_texts", Encoding::DELTA_LENGTH_BYTE_ARRAY);
    let pages = || properties().set_data_page_row_count_limit(170).set_write_batch_size(64);
    let all = [
        properties().build(),
        properties().set_dictionary_enabled(false).build(),
        pages().set_max_row_group_row_count(Some(1_000)).set_compression(Compression::SNAPPY).build(),
        pages().set_dictionary_enabled(false).set_compression(Compression::ZSTD(Default::default())).build(),
        pages().set_writer_version(WriterVersion::PARQUET_2_0).set_compression(Compression::LZ4_RAW).build(),
        // Dictionaries that are given up in the middle.
        pages().set_dictionary_page_size_limit(2_000).set_statistics_enabled(EnabledStatistics::None).build(),
        pages().set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_page_size_limit(500).build(),
        encoded.set_data_page_row_count_limit(100).build(),
    ];
    for properties in all {
        write(&path, &batch, properties.clone());
        let whole = arrays_for_test(&path, &context()).unwrap();
        let lazy = scan(&path).unwrap();
        assert_eq!(read(&path).unwrap().values(), whole.values());
        assert_eq!(lazy.fields, whole.fields);
        assert_eq!(lazy.statistics.rows, 3_000);
        let (found, expected) = (values(&lazy), whole.values());
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for ((found, expected), field) in found.iter().zip(expected).zip(&whole.fields) {
                assert_eq!(found, expected, "row {row} of {}, {properties:?}", field.name);
            }
        }
        check_pieces(&lazy);
        for (at, field) in lazy.fields.iter().enumerate() {
            let (lazy, whole) = (&lazy.statistics.columns[at].proofs, &whole.statistics.columns[at].proofs);
            let told = lazy.min.is_some() || lazy.max.is_some();
            assert!(!told || (&lazy.min, &lazy.max) == (&whole.min, &whole.max), "{}", field.name);
            assert_eq!(
                lazy.nulls == 0,
                whole.nulls == 0 && (told || !field.nullable || lazy.nulls == 0),
                "{}",
                field.name
            );
        }
    }
}

#[test]
fn files_are_united() {
    let folder = Folder::new();
    let batch = every_array(500);
    let only = |names: &[&str], rows: std::ops::Range<usize>| {
        let places: Vec<usize> = names.iter().map(|name| batch.schema().index_of(name).unwrap()).collect();
        batch.project(&places).unwrap().slice(rows.start, rows.len())
    };
    write(&folder.path("a.parquet"), &only(&["key", "few_texts", "i8"], 0..300), properties().build());
    let narrow = only(&["few_texts", "i8"], 100..101);
    write(&folder.path("b.parquet"), &narrow, properties().build());
    let wider = arrow::compute::cast(&batch.column_by_name("i8").unwrap().slice(7, 200), &Arrow::Int64).unwrap();
    let wider = RecordBatch::try_from_iter([("i8", wider), ("bit", batch.column(0).slice(7, 200))]).unwrap();
    write(&folder.path("c.parquet"), &wider, properties().build());
    let path = folder.path("*.parquet");
    let (lazy, whole) = (scan(&path).unwrap(), arrays_for_test(&path, &context()).unwrap());
    assert_eq!((&lazy.fields, values(&lazy)), (&whole.fields, whole.values()));
    assert_eq!(lazy.chunks.len(), 3);
    let dictionary = |chunk: usize| lazy.chunks[chunk].lazy.as_ref().unwrap().reader().dictionary(1).unwrap();
    assert!(dictionary(0).is_some_and(|first| dictionary(2).is_some_and(|last| Arc::ptr_eq(&first, &last))));
}

/// Has the footer of a file say one number where it says another.
fn patch(path: &str, (from, to): (i64, i64)) {
    let mut bytes = std::fs::read(path).unwrap();
    let end = bytes.len() - 8;
    let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let mut found = 0;
    for at in end - footer..end - 8 {
        if bytes[at..at + 8] == from.to_le_bytes() {
            bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
            found += 1;
        }
    }
    assert!(found > 0, "the footer has it");
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn values_that_statistics_deny_are_an_error() {
    const LOW: i64 = 0x1122_3344_5566_7788;
    const HIGH: i64 = 0x1222_3344_5566_7788;
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    for dictionary in [true, false] {
        let of = |change: (i64, i64)| {
            let numbers: Int64Array = (LOW..LOW + 1_000).chain([HIGH]).collect();
            let texts: StringArray = numbers.iter().map(|number| number.map(|number| number.to_string())).collect();
            let columns: [(&str, ArrayRef); 2] = [("n", Arc::new(numbers)), ("t", Arc::new(texts))];
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            write(&path, &batch, properties().set_dictionary_enabled(dictionary).build());
            patch(&path, change);
            let table = scan(&path).unwrap();
            table.read(&[1], None).expect("the other column is as it should be");
            table.read(&[0], None).map(|chunks| chunks[0].columns[0].rows())
        };
        for honest in [(LOW, LOW), (LOW, LOW - 1), (HIGH, HIGH + 7)] {
            assert_eq!(of(honest).unwrap(), 1_001);
        }
        for lie in [(LOW, LOW + 1), (HIGH, HIGH - 1), (HIGH, LOW), (LOW, HIGH)] {
            let error = of(lie).unwrap_err();
            assert_eq!(error.sqlstate(), "22P04");
            assert!(error.message().contains("row group 1"), "{error}");
        }
    }
}

#[test]
fn damage_is_an_error_or_other_values() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let batch = every_array(400);
    let pages = || properties().set_data_page_row_count_limit(90).set_write_batch_size(64);
    for properties in [pages().build(), pages().set_compression(Compression::SNAPPY).build()] {
        write(&path, &batch, properties);
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let path = folder.write("damaged.parquet", damaged);
            let Ok(table) = scan(&path) else { continue };
            for column in 0..table.fields.len() as u32 {
                if let Err(error) = table.read(&[column], None) {
                    let states = ["22P04", "22021", "22008", "0A000", "22003", "22P02"];
                    assert!(states.contains(&error.sqlstate()), "{error} {}", error.sqlstate());
                }
            }
        }
    }
}

#[test]
fn a_file_that_changes_is_not_read_on() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    write(&path, &every_array(400), properties().build());
    let table = scan(&path).unwrap();
    table.read(&[0], None).unwrap();
    write(&path, &every_array(300), properties().build());
    let error = table.read(&[0], None).unwrap_err();
    assert_eq!(error.sqlstate(), "22P04");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(table.read(&[0], None).unwrap_err().sqlstate(), "58P01");
}

#[test]
fn nanoseconds_are_not_lost_in_silence() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let nanos = TimestampNanosecondArray::from(vec![1_000, 1_001]);
    let schema = Schema::new(vec![ArrowField::new("at", nanos.data_type().clone(), false)]);
    write(&path, &RecordBatch::try_new(Arc::new(schema), vec![Arc::new(nanos)]).unwrap(), properties().build());
    let error = scan(&path).unwrap().read(&[0], None).unwrap_err();
    assert_eq!(error.sqlstate(), "22008");
    assert_eq!(read(&path).unwrap_err().sqlstate(), "22008");
}

#[test]
fn a_file_of_the_same_size_and_time_is_another_one() {
    use crate::{Engine, Result};
    let folder = Folder::new();
    let (path, other) = (folder.path("t.parquet"), folder.path("other.parquet"));
    let numbers = |first: i64| -> RecordBatch {
        let numbers: Int64Array = (first..first + 20_000).collect();
        RecordBatch::try_from_iter([("n", Arc::new(numbers) as ArrayRef)]).unwrap()
    };
    let plain = || properties().set_dictionary_enabled(false).set_compression(Compression::UNCOMPRESSED).build();
    write(&path, &numbers(0), plain());
    write(&other, &numbers(1), plain());
    let session = Engine::builder().build().unwrap().session();
    let least = || -> Result<String> {
        let batches = session.sql(&format!("SELECT min(n) FROM '{path}'"))?.collect_batches()?;
        Ok(format!("{:?}", batches[0].column(0)))
    };
    let before = least().unwrap();
    let metadata = std::fs::metadata(&path).unwrap();
    assert_eq!(std::fs::metadata(&other).unwrap().len(), metadata.len());
    std::fs::File::options().append(true).open(&other).unwrap().set_modified(metadata.modified().unwrap()).unwrap();
    std::fs::rename(&other, &path).unwrap();
    assert_ne!(least().unwrap(), before);
}

/// What a page index and Bloom filters say of columns of every type is so of all of their rows.
#[test]
fn what_is_said_of_pages_holds_for_their_rows() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let pages = || properties().set_data_page_row_count_limit(100).set_write_batch_size(20);
    for (writer, rows) in [(pages(), 997), (pages().set_dictionary_enabled(false), 1_000), (properties(), 1)] {
        write(&path, &every_array(rows), writer.set_bloom_filter_enabled(true).build());
        let table = scan(&path).unwrap();
        let reader = table.chunks[0].lazy.as_ref().unwrap().reader();
        let (mut with_spans, mut denied) = (0, 0);
        for (number, field) in table.fields.iter().enumerate() {
            let column = reader.read(number, 0..rows).unwrap();
            for row in (0..rows).filter(|&row| !column.is_null(row)) {
                match column.integer(row).and_then(|value| i64::try_from(value).ok()) {
                    Some(value) => assert!(reader.may_have(number, &[value]), "{}: {value}", field.name),
                    None if field.data_type == DataType::Text => {
                        assert!(reader.may_have_text(number, &[column.data.text_bytes(row).into()]), "{}", field.name);
                    }
                    None => {}
                }
            }
            denied += usize::from(!reader.may_have(number, &[0x0123_4567_89ab]))
                + usize::from(!reader.may_have_text(number, &[(*b"none").into()]));
            let Some(spans) = reader.spans(number) else { continue };
            with_spans += 1;
            assert_eq!((spans[0].rows.start, spans.last().unwrap().rows.end), (0, rows), "{}", field.name);
            for span in spans.iter() {
                let nulls = span.rows.clone().filter(|&row| column.is_null(row)).count();
                assert_eq!(span.nulls, Some(nulls), "{} {:?}", field.name, span.rows);
                let Some((low, high)) = span.range else { continue };
                for row in span.rows.clone().filter(|&row| !column.is_null(row)) {
                    let value = match field.data_type {
                        DataType::Text => text_order(column.data.text_bytes(row)).into(),
                        _ => column.integer(row).unwrap(),
                    };
                    assert!((low.into()..=high.into()).contains(&value), "{} row {row}", field.name);
                }
            }
        }
        assert!(with_spans > 20 && denied > 20, "{with_spans} {denied}");
    }
}

#[test]
fn texts_are_in_the_order_of_their_numbers() {
    let mut texts: Vec<&[u8]> =
        vec![b"", b"\0", b"a", b"a\0", b"ab", b"abcdefgh", b"abcdefghi", b"\x7f", b"\x80", "é".as_bytes(), b"\xff\xff"];
    texts.sort();
    assert!(texts.windows(2).all(|pair| text_order(pair[0]) <= text_order(pair[1])));
    assert!(text_order(b"a") < text_order(b"b") && text_order(b"\x7f") < text_order(b"\x80"));
}
