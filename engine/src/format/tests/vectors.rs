//! Lists of a fixed size in files: vectors, and arrays where they are to be such, or are none.

use super::Folder;
use crate::{Engine, Session};
use arrow::array::types::Float32Type;
use arrow::array::{ArrayRef, FixedSizeListArray, Float32Array, Float64Array, Int32Array, ListArray, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField};
use arrow::ipc::writer::FileWriter;
use multiloop_exec::Result;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::fs::File;
use std::sync::Arc;

/// Lists of a size of reals; none are NULL.
fn sized(rows: &[Option<&[Option<f32>]>], length: usize) -> ArrayRef {
    let none = vec![None; length];
    let elements: Float32Array = rows.iter().flat_map(|row| row.unwrap_or(&none).iter().copied()).collect();
    let nulls: NullBuffer = rows.iter().map(Option::is_some).collect::<Vec<_>>().into();
    let item = Arc::new(ArrowField::new("item", Arrow::Float32, true));
    Arc::new(FixedSizeListArray::new(item, length as i32, Arc::new(elements), Some(nulls)))
}

/// Lists of any size.
fn lists(rows: &[Option<&[Option<f32>]>]) -> ArrayRef {
    let rows = rows.iter().map(|row| row.map(<[_]>::to_vec));
    Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
}

/// Writes a column `id` that counts from a number, and a column `e`.
fn write(folder: &Folder, name: &str, first: i32, e: ArrayRef, statistics: EnabledStatistics) -> String {
    let id: ArrayRef = Arc::new(Int32Array::from_iter_values(first..first + e.len() as i32));
    let batch = RecordBatch::try_from_iter_with_nullable([("id", id, true), ("e", e, true)]).unwrap();
    let path = folder.path(name);
    let file = File::create(&path).unwrap();
    if name.ends_with("parquet") {
        let properties = WriterProperties::builder().set_statistics_enabled(statistics).build();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    } else {
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    path
}

fn session() -> Session {
    Engine::builder().threads(2).build().unwrap().session()
}

fn all(session: &Session, sql: &str) -> Result<Vec<String>> {
    session.query_as::<(Option<String>,)>(sql, ())?.map(|row| Ok(row?.0.unwrap_or("NULL".to_owned()))).collect()
}

fn of(session: &Session, sql: &str) -> Vec<String> {
    all(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

const ENDINGS: [&str; 2] = ["parquet", "arrow"];

#[test]
fn they_go_into_columns_of_arrays() {
    for ending in ENDINGS {
        let (folder, session) = (Folder::new(), session());
        let rows: [Option<&[Option<f32>]>; 3] =
            [Some(&[Some(1.0), Some(2.5)]), None, Some(&[Some(7.0), Some(f32::NAN)])];
        let path = write(&folder, &format!("t.{ending}"), 1, sized(&rows, 2), EnabledStatistics::Page);
        session.sql("CREATE TABLE a (id int, e real[]); CREATE TABLE v (id int, e vector(2))").unwrap();
        for table in ["a", "v"] {
            session.sql(&format!("COPY {table} FROM '{path}'")).unwrap();
            session.sql(&format!("INSERT INTO {table} SELECT id + 3, e FROM '{path}'")).unwrap();
        }
        let shown = ["{1,2.5}", "NULL", "{7,NaN}", "{1,2.5}", "NULL", "{7,NaN}"];
        assert_eq!(of(&session, "SELECT e::text FROM a ORDER BY id"), shown, "{ending}");
        assert_eq!(of(&session, "SELECT e::real[]::text FROM v ORDER BY id"), shown, "{ending}");
        let array = format!("SELECT (e::real[])[2]::text FROM '{path}' ORDER BY id");
        assert_eq!(of(&session, &array), ["2.5", "NULL", "NaN"], "{ending}");
    }
}

#[test]
fn lists_go_into_columns_of_vectors() {
    for ending in ENDINGS {
        let (folder, session) = (Folder::new(), session());
        let rows: [Option<&[Option<f32>]>; 2] = [Some(&[Some(1.0), Some(2.5)]), None];
        let path = write(&folder, &format!("t.{ending}"), 1, lists(&rows), EnabledStatistics::Page);
        session.sql("CREATE TABLE v (id int, e vector(2)); CREATE TABLE w (id int, e vector(3))").unwrap();
        session.sql(&format!("COPY v FROM '{path}'")).unwrap();
        assert_eq!(of(&session, "SELECT e::text FROM v ORDER BY id"), ["[1,2.5]", "NULL"], "{ending}");
        let error = session.sql(&format!("COPY w FROM '{path}'")).unwrap_err();
        assert_eq!(error.sqlstate(), "22000", "{error}");
        assert!(
            error.message().contains("\"e\"") && error.message().contains("expected 3 dimensions, not 2"),
            "{error}"
        );
    }
}

#[test]
fn files_of_both_are_united() {
    for ending in ENDINGS {
        let (folder, session) = (Folder::new(), session());
        let name = |stem: &str| format!("{stem}.{ending}");
        let two: [Option<&[Option<f32>]>; 2] = [Some(&[Some(1.0), Some(2.0)]), None];
        let three: [Option<&[Option<f32>]>; 1] = [Some(&[Some(1.0), Some(2.0), Some(3.0)])];
        write(&folder, &name("a"), 1, sized(&two, 2), EnabledStatistics::Page);
        write(&folder, &name("b"), 3, sized(&two, 2), EnabledStatistics::Page);
        let (paths, read) = (folder.path(&name("*")), "SELECT e::text FROM");
        let types = |paths: &str| of(&session, &format!("SELECT max(pg_typeof(e)::text) FROM '{paths}'"));
        assert_eq!(types(&paths), ["vector"], "{ending}");
        assert_eq!(of(&session, &format!("{read} '{paths}' ORDER BY id")), ["[1,2]", "NULL", "[1,2]", "NULL"]);
        // Doubles beside reals are doubles.
        let elements: Float64Array = [0.1, 0.2].into_iter().map(Some).collect();
        let item = Arc::new(ArrowField::new("item", Arrow::Float64, true));
        let doubles: ArrayRef = Arc::new(FixedSizeListArray::new(item, 2, Arc::new(elements), None));
        write(&folder, &name("d"), 5, doubles, EnabledStatistics::Page);
        assert_eq!(types(&paths), ["doublevector"], "{ending}");
        let shown = ["[1,2]", "NULL", "[1,2]", "NULL", "[0.1,0.2]"];
        assert_eq!(of(&session, &format!("{read} '{paths}' ORDER BY id")), shown, "{ending}");
        std::fs::remove_file(folder.path(&name("d"))).unwrap();
        // Of two lengths, and beside lists, they are arrays.
        for more in [sized(&three, 3), lists(&three)] {
            write(&folder, &name("c"), 5, more, EnabledStatistics::Page);
            assert_eq!(types(&paths), ["real[]"], "{ending}");
            let shown = ["{1,2}", "NULL", "{1,2}", "NULL", "{1,2,3}"];
            assert_eq!(of(&session, &format!("{read} '{paths}' ORDER BY id")), shown, "{ending}");
            session.sql("CREATE OR REPLACE TABLE kept (id int, e real[])").unwrap();
            session.sql(&format!("COPY kept FROM '{paths}'")).unwrap();
            assert_eq!(of(&session, &format!("{read} kept ORDER BY id")), shown, "{ending}");
        }
        // And so whichever comes first.
        write(&folder, &name("0"), 0, lists(&three), EnabledStatistics::Page);
        let shown = ["{1,2,3}", "{1,2}", "NULL", "{1,2}", "NULL", "{1,2,3}"];
        assert_eq!(of(&session, &format!("{read} '{paths}' ORDER BY id")), shown, "{ending}");
    }
}

#[test]
fn null_elements_make_arrays() {
    for ending in ENDINGS {
        for length in [1, 2] {
            let (folder, session) = (Folder::new(), session());
            let full: Vec<Option<f32>> = vec![Some(1.0); length];
            let holed: Vec<Option<f32>> = vec![None; length];
            let rows = [Some(&full[..]), None, Some(&holed[..])];
            let path = write(&folder, &format!("t.{ending}"), 1, sized(&rows, length), EnabledStatistics::Page);
            let shown = match length {
                1 => ["{1}", "NULL", "{NULL}"],
                _ => ["{1,1}", "NULL", "{NULL,NULL}"],
            };
            assert_eq!(of(&session, &format!("SELECT e::text FROM '{path}' ORDER BY id")), shown, "{ending}");
            assert_eq!(of(&session, &format!("SELECT pg_typeof(e)::text FROM '{path}' LIMIT 1")), ["real[]"]);
            session.sql("CREATE TABLE a (id int, e real[]); CREATE TABLE v (id int, e vector(1))").unwrap();
            session.sql(&format!("COPY a FROM '{path}'")).unwrap();
            assert_eq!(of(&session, "SELECT e::text FROM a ORDER BY id"), shown, "{ending}");
            // Rows that are NULL alone change nothing.
            let path = write(&folder, &format!("u.{ending}"), 1, sized(&rows[..2], length), EnabledStatistics::Page);
            assert_eq!(of(&session, &format!("SELECT pg_typeof(e)::text FROM '{path}' LIMIT 1")), ["vector"]);
        }
    }
}

/// Where a footer tells nothing, who reads them is told what to do.
#[test]
fn null_elements_that_no_footer_tells_are_errors() {
    let (folder, session) = (Folder::new(), session());
    let rows: [Option<&[Option<f32>]>; 2] = [Some(&[Some(1.0)]), Some(&[None])];
    let path = write(&folder, "t.parquet", 1, sized(&rows, 1), EnabledStatistics::None);
    match all(&session, &format!("SELECT e::text FROM '{path}' ORDER BY id")) {
        // The levels of a column's pages are counted whatever is said of its values.
        Ok(shown) => assert_eq!(shown, ["{1}", "{NULL}"]),
        Err(error) => {
            assert_eq!(error.sqlstate(), "22004", "{error}");
            assert!(
                error.message().contains("\"e\"") && error.hint().is_some_and(|hint| hint.contains("real[]")),
                "{error}"
            );
        }
    }
    session.sql("CREATE TABLE a (id int, e real[])").unwrap();
    session.sql(&format!("COPY a FROM '{path}'")).unwrap();
    assert_eq!(of(&session, "SELECT e::text FROM a ORDER BY id"), ["{1}", "{NULL}"]);
}
