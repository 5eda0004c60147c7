//! Files out and in again, and files that are not what they should be.

pub(super) mod guesses;
mod odd;
mod scans;
mod unions;
mod vectors;

use super::paths::expand;
use super::{CsvOptions, Format, fold_names, read_fields, read_table, write_table};
use crate::Sight;
use arrow::array::RecordBatch;
use multiloop_exec::column::arrow::{fields_of, to_record_batch};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{CHUNK_ROWS, Table};
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_exec::{Error, Result};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::{Interval as Span, Value};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use tpchgen::generators::LineItemGenerator;
use tpchgen_arrow::LineItemArrow;

/// A folder of its own for each test, gone afterwards.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("multiloop-format-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), bytes).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

pub(super) fn context() -> Context {
    Context::new(Memory::new(usize::MAX))
}

fn csv() -> Format {
    Format::Csv(CsvOptions::default())
}

fn read(path: &str) -> Result<Table> {
    read_table(path, &Format::of_path(path).unwrap(), None, &context())
}

fn batches(table: &Table) -> Vec<Result<RecordBatch>> {
    table.chunks.iter().map(|chunk| to_record_batch(&table.fields, chunk)).collect()
}

/// A column of every type, intervals if asked: Parquet has none.
fn every_type(intervals: bool) -> Table {
    use DataType::*;
    let types =
        [Boolean, SmallInt, Integer, BigInt, Real, Double, DataType::decimal(38, 3), Text, Date, Time, Timestamp];
    let types = types.into_iter().chain([Varchar(5)]).chain(intervals.then_some(Interval));
    let fields: Vec<Field> =
        types.enumerate().map(|(index, data_type)| Field::new(format!("c{index}"), data_type, true)).collect();
    let interval = Value::Interval(Span { months: -14, days: 3, micros: 1_000_001 });
    let full = |number: i64, text: &str| {
        vec![
            Value::Boolean(number > 0),
            Value::Int(number),
            Value::Int(number * 60_000),
            Value::Int(number * 9_000_000_000_000),
            Value::Float(f64::from(number as f32 / 3.0)),
            Value::Float(number as f64 / 3.0),
            Value::Decimal(i128::from(number) * 10i128.pow(33)),
            Value::text(text),
            Value::Int(number),
            Value::Int(86_399_999_999),
            Value::Int(number * 86_400_000_000 + 1),
            Value::text("ab"),
            interval.clone(),
        ]
    };
    let mut rows = [full(-12_345, "a,\"b\"\r\nc"), vec![Value::Null; 13], full(12_345, ""), full(0, " ä ")];
    rows.iter_mut().for_each(|row| row.truncate(fields.len()));
    Table::from_values(fields, &rows)
}

#[test]
fn round_trips() {
    let folder = Folder::new();
    for name in ["t.parquet", "t.arrow", "t.csv", "t.tsv"] {
        let (path, format) = (folder.path(name), Format::of_path(name).unwrap());
        let table = every_type(format != Format::Parquet);
        assert_eq!(
            write_table(Path::new(&path), &format, (&table.fields, &Sight::default()), batches(&table)).unwrap(),
            4
        );
        let format = match format {
            Format::Csv(options) => Format::Csv(CsvOptions { header: Some(true), ..options }),
            format => format,
        };
        let back = read_table(&path, &format, Some(&table.fields), &context()).unwrap();
        assert_eq!(back.values(), table.values(), "{name}");
        let guessed = read_fields(&path, &format, &context()).unwrap();
        assert_eq!(guessed.len(), table.fields.len());
        let names = std::fs::read_dir(&folder.0).unwrap().count();
        assert_eq!(names, 1, "nothing is left beside {name}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = Folder::new();
    let table = every_type(false);
    let old = folder.write("t.csv", "old");
    for format in [Format::Parquet, csv(), Format::Ipc] {
        let broken = batches(&table).into_iter().chain([Err(Error::internal("stop"))]);
        assert!(write_table(Path::new(&old), &format, (&table.fields, &Sight::default()), broken).is_err());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
    }
    let intervals = every_type(true);
    let error =
        write_table(Path::new(&old), &Format::Parquet, (&intervals.fields, &Sight::default()), batches(&intervals))
            .unwrap_err();
    assert_eq!(error.sqlstate(), "0A000");
    let nowhere = folder.0.join("no/such/folder/t.csv");
    assert_eq!(
        write_table(&nowhere, &csv(), (&table.fields, &Sight::default()), batches(&table)).unwrap_err().sqlstate(),
        "58P01"
    );
}

#[test]
fn tpch_lineitem_through_parquet() {
    let folder = Folder::new();
    let batches: Vec<RecordBatch> =
        LineItemArrow::new(LineItemGenerator::new(0.05, 1, 1)).map(|batch| batch.unwrap()).collect();
    let fields = fields_of(&batches[0].schema()).unwrap();
    let direct = Table::from_batches(fields.clone(), batches, Storage::Compact, &context()).unwrap();
    let path = folder.path("lineitem.parquet");
    let rows =
        write_table(Path::new(&path), &Format::Parquet, (&fields, &Sight::default()), super::tests::batches(&direct))
            .unwrap();
    let context = context();
    let table = read_table(&path, &Format::Parquet, None, &context).unwrap();
    assert_eq!((table.rows() as u64, context.progress.done.load(Ordering::Relaxed)), (rows, rows));
    assert_eq!(table.statistics, direct.statistics);
    assert_eq!(table.bytes(), direct.bytes());
    for row in [0, CHUNK_ROWS - 1, CHUNK_ROWS, table.rows() - 1] {
        let value = |table: &Table, column: usize| {
            let chunk = &table.chunks[row / CHUNK_ROWS];
            chunk.columns[column].value(row % CHUNK_ROWS, table.fields[column].data_type)
        };
        assert!((0..fields.len()).all(|column| value(&table, column) == value(&direct, column)), "row {row}");
    }
    let forms: Vec<&str> = table.chunks[0].columns.iter().map(|column| column.data.form()).collect();
    assert_eq!(
        forms[3..11],
        ["frame8", "stepped8", "frame32", "frame8", "frame8", "dictionary8", "dictionary8", "frame16"]
    );
    assert!(table.statistics.columns[0].proofs.sorted && !table.statistics.columns[0].proofs.unique);
}

#[test]
fn truncated_and_malformed_files() {
    let folder = Folder::new();
    let table = every_type(false);
    for format in [Format::Parquet, Format::Ipc] {
        let path = folder.path("t");
        write_table(Path::new(&path), &format, (&table.fields, &Sight::default()), batches(&table)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for length in [0, 1, 8, bytes.len() / 2, bytes.len() - 1] {
            let path = folder.write("cut", &bytes[..length]);
            assert_eq!(read_table(&path, &format, None, &context()).unwrap_err().sqlstate(), "22P04", "{length}");
        }
        // Damage anywhere gives an error or other values, never a panic.
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            let path = folder.write("damaged", damaged);
            let _ = read_table(&path, &format, None, &context());
        }
        let wrong = [Field::new("x", DataType::Date, true)];
        assert_eq!(read_table(&path, &format, Some(&wrong), &context()).unwrap_err().sqlstate(), "42804");
    }
    for name in ["none.csv", "none.parquet", "none.arrow", "no*.csv"] {
        assert_eq!(read(&folder.path(name)).unwrap_err().sqlstate(), "58P01");
    }
    assert_eq!(Format::of_path("x.xlsx"), None);
}

fn check_csv(text: &str, types: &[DataType], expected: &[&[Value]]) {
    let folder = Folder::new();
    let table = read(&folder.write("t.csv", text)).unwrap();
    let guessed: Vec<DataType> = table.fields.iter().map(|field| field.data_type).collect();
    assert_eq!(guessed, types, "{text:?}");
    assert_eq!(table.values(), expected, "{text:?}");
}

#[test]
fn csv_types_are_guessed() {
    use DataType::*;
    let (one, null) = (Value::Int(1), Value::Null);
    check_csv("a,b\n1,x\n", &[BigInt, Text], &[&[one.clone(), Value::text("x")]]);
    check_csv(
        "1,2.5\n1,1e3\n",
        &[BigInt, Double],
        &[&[one.clone(), Value::Float(2.5)], &[one.clone(), Value::Float(1000.0)]],
    );
    check_csv(
        "d,t\n2024-02-29,2024-01-01 00:00:01.5\n",
        &[Date, Timestamp],
        &[&[Value::Int(19_782), Value::Int(1_704_067_201_500_000)]],
    );
    check_csv("t\n2023-02-29\n", &[Text], &[&[Value::text("2023-02-29")]]);
    check_csv(
        "b,t\ntrue,01:02:03\nFALSE,\n",
        &[Boolean, Time],
        &[&[Value::Boolean(true), Value::Int(3_723_000_000)], &[Value::Boolean(false), null.clone()]],
    );
    check_csv("a,b\n,\n", &[Text, Text], &[&[null.clone(), null.clone()]]);
    check_csv(
        "a\n9223372036854775807\n9223372036854775808\n",
        &[DataType::decimal(38, 0)],
        &[&[Value::Decimal(i64::MAX.into())], &[Value::Decimal(i128::from(i64::MAX) + 1)]],
    );
    check_csv("\u{feff}A,a\r\n\"\",\" x\"\r\n", &[Text, Text], &[&[Value::text(""), Value::text(" x")]]);
    check_csv("n\n1\nx\n", &[Text], &[&[Value::text("1")], &[Value::text("x")]]);
    check_csv("only,a,header", &[Text, Text, Text], &[]);
    let folder = Folder::new();
    let names = |text: &str| {
        let fields = read_fields(&folder.write("t.csv", text), &csv(), &context()).unwrap();
        fields.into_iter().map(|field| field.name).collect::<Vec<_>>()
    };
    assert_eq!(names("Id,id,\"\",x y\n1,2,3,4\n"), ["id", "id_1", "column2", "x y"]);
    assert_eq!(names("1,2\n3,4\n"), ["column0", "column1"]);
    assert_eq!(read(&folder.write("empty.csv", "")).unwrap_err().sqlstate(), "22P04");
}

#[test]
fn csv_into_given_columns() {
    let folder = Folder::new();
    let fields = [Field::new("a", DataType::SmallInt, true), Field::new("b", DataType::decimal(5, 2), true)];
    let read = |text: &str| read_table(&folder.write("t.csv", text), &csv(), Some(&fields), &context());
    let rows = read("1,2.345\n-32768,999\n,\"-0.5\"\n 7 ,1e2\n").unwrap().values();
    let decimal = |a: i64, b| vec![Value::Int(a), Value::Decimal(b)];
    assert_eq!(
        rows,
        [decimal(1, 235), decimal(-32_768, 99_900), vec![Value::Null, Value::Decimal(-50)], decimal(7, 10_000)]
    );
    for (text, sqlstate, ending) in [
        ("1,2\n1\n", "22P04", "missing data for column \"b\" in PATH, line 2"),
        ("1,2\n\n", "22P04", "missing data for column \"b\" in PATH, line 2"),
        ("1,2\n1,\"\n\",3", "22P04", "extra data after last expected column in PATH, line 2"),
        ("1,\"2", "22P04", "unterminated CSV quoted field in PATH, line 1"),
        ("1,2\nx,3\n", "22P02", ", column \"a\" in PATH, line 2"),
        ("1,\"\"\n", "22P02", ", column \"b\" in PATH, line 1"),
        ("32768,1\n", "22003", ", column \"a\" in PATH, line 1"),
        ("1,1000\n", "22003", ", column \"b\" in PATH, line 1"),
    ] {
        let error = read(text).unwrap_err();
        let message = error.message().replace(&folder.path("t.csv"), "PATH");
        assert!(error.sqlstate() == sqlstate && message.ends_with(ending), "{text:?}: {} {message}", error.sqlstate());
    }
    let path = folder.write("t.csv", b"1,2\n1,\xff\n");
    let error = read_table(&path, &csv(), None, &context()).unwrap_err();
    assert_eq!((error.sqlstate(), error.message().ends_with("line 2")), ("22021", true));
    let bad = CsvOptions { quote: Some(b','), ..CsvOptions::default() };
    assert_eq!(read_table(&path, &Format::Csv(bad), None, &context()).unwrap_err().sqlstate(), "22023");
}

#[test]
fn csv_options() {
    let folder = Folder::new();
    let options = CsvOptions {
        header: Some(true),
        delimiter: Some(b'|'),
        quote: Some(b'\''),
        escape: Some(b'\\'),
        null: "NULL".to_owned(),
        ..CsvOptions::default()
    };
    let path = folder.write("t.csv", "x|y\n'NULL'|NULL\n'it\\'s|\\\\'|\nnull|'a\\b'\n");
    let format = Format::Csv(options);
    let table = read_table(&path, &format, None, &context()).unwrap();
    let text = |text: &str| Value::text(text);
    let expected = [vec![text("NULL"), Value::Null], vec![text("it's|\\"), text("")], vec![text("null"), text("a\\b")]];
    assert_eq!(table.values(), expected);
    let copy = folder.path("copy.csv");
    write_table(Path::new(&copy), &format, (&table.fields, &Sight::default()), batches(&table)).unwrap();
    assert_eq!(read_table(&copy, &format, None, &context()).unwrap().values(), expected);
}

#[test]
fn large_csv_in_many_pieces() {
    let folder = Folder::new();
    // Rows of several lines, so that wrong cuts would show; more than one block and more than one chunk.
    let fields = vec![Field::new("n", DataType::BigInt, true), Field::new("s", DataType::Text, true)];
    let row = |row: usize| {
        vec![Value::Int(row as i64), Value::text(format!("line one of {row}\n\"two\", and more text to fill it"))]
    };
    let rows: Vec<Vec<Value>> = (0..CHUNK_ROWS + 12_345).map(row).collect();
    let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, &context());
    builder.push_values(&rows).unwrap();
    let table = builder.finish().unwrap();
    let path = folder.path("t.csv");
    write_table(Path::new(&path), &csv(), (&fields, &Sight::default()), batches(&table)).unwrap();
    let context = context();
    let back = read_table(&path, &csv(), None, &context).unwrap();
    assert!(back.values() == rows);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size > 4 << 20 && context.progress.done.load(Ordering::Relaxed) == size);
    // What is not as the first rows were makes a column text, from its first row on.
    let mut text = std::fs::read(&path).unwrap();
    text.extend_from_slice(b"oops,1\n");
    let path = folder.write("t.csv", &text);
    let back = read(&path).unwrap();
    assert_eq!(back.fields[0].data_type, DataType::Text);
    let values = back.values();
    assert_eq!((&values[7][0], &values[rows.len()][0]), (&Value::text("7"), &Value::text("oops")));
    // The line of an error far behind.
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let error = read_table(&path, &csv(), Some(&fields), &context).unwrap_err();
    assert!(error.message().ends_with(&format!("line {lines}")), "{error}");
}

#[test]
fn several_files() {
    let folder = Folder::new();
    folder.write("b.csv", "x\n3\n");
    folder.write("a.csv", "x\n1\n2\n");
    folder.write(".hidden.csv", "x\n9\n");
    std::fs::create_dir(folder.0.join("deep")).unwrap();
    folder.write("deep/c.csv", "x\n4\n");
    let numbers = |pattern: &str| -> Vec<Value> {
        read(&folder.path(pattern)).unwrap().values().into_iter().map(|mut row| row.remove(0)).collect()
    };
    assert_eq!(numbers("*.csv"), [1, 2, 3].map(Value::Int));
    assert_eq!(numbers("**/?.csv"), [1, 2, 3, 4].map(Value::Int));
    assert_eq!(numbers("*/c.csv"), [4].map(Value::Int));
    assert_eq!(expand(&folder.path("")).unwrap_err().sqlstate(), "58P01");
}

#[test]
fn names_are_folded() {
    let fields = ["A", "a", "a_1", "Ä"].map(|name| Field::new(name, DataType::Text, true)).to_vec();
    let names: Vec<String> = fold_names(fields).into_iter().map(|field| field.name).collect();
    assert_eq!(names, ["a", "a_1", "a_1_1", "ä"]);
}
