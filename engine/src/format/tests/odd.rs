//! Columns that cannot be read keep nobody from the others: of Parquet files small and large, of Arrow's files and of Avro's. Whoever
//! asks for one is told which it is, and in which row.

use super::Folder;
use crate::format::text_of;
use crate::{Engine, Session};
use arrow::array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow::array::types::{Int32Type, UInt8Type};
use arrow::array::{
    Array, ArrayRef, BinaryArray, Int32Array, ListArray, NullArray, RecordBatch, StringArray, StructArray,
    TimestampMillisecondArray, TimestampNanosecondArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType as Arrow, Field as ArrowField, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::sync::Arc;

fn session() -> Session {
    Engine::builder().threads(2).build().expect("an engine").session()
}

/// Rows, with `|` between values and `/` between rows; or the SQLSTATE, the message and the detail.
fn asked(session: &Session, sql: &str) -> Result<String, String> {
    let told = |error: multiloop_exec::Error| {
        format!("{} {} {}", error.sqlstate(), error.message(), error.detail().unwrap_or_default())
    };
    let result = session.sql(sql).map_err(told)?;
    let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for batch in result {
        text_of(&fields, &batch.map_err(told)?, &sight, &mut |column, text| {
            if column == 0 {
                rows.push(Vec::new());
            }
            rows.last_mut().expect("a row").push(text.unwrap_or_else(|| "NULL".to_owned()));
        })
        .map_err(told)?;
    }
    Ok(rows.iter().map(|row| row.join("|")).collect::<Vec<_>>().join("/"))
}

/// A column `id` that counts, and a column `n`.
fn batch(n: ArrayRef) -> RecordBatch {
    let id: ArrayRef = Arc::new(Int32Array::from_iter_values(0..n.len() as i32));
    RecordBatch::try_from_iter([("id", id), ("n", n)]).expect("two columns of one length")
}

fn parquet(folder: &Folder, name: &str, batch: &RecordBatch) -> String {
    for dictionary in [true, false] {
        let properties = WriterProperties::builder().set_dictionary_enabled(dictionary).build();
        let path = folder.path(&format!("{dictionary}-{name}"));
        let file = File::create(path).expect("a file");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
        writer.write(batch).expect("rows");
        writer.close().expect("an end");
    }
    folder.path(&format!("*-{name}"))
}

fn ipc(folder: &Folder, name: &str, batches: &[RecordBatch]) -> String {
    let path = folder.path(name);
    let file = File::create(&path).expect("a file");
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batches[0].schema()).expect("a writer");
    batches.iter().for_each(|batch| writer.write(batch).expect("rows"));
    writer.finish().expect("an end");
    path
}

fn ragged() -> ArrayRef {
    let values: ArrayRef = Arc::new(Int32Array::from(vec![7, 1, 2, 3]));
    let list = |values: ArrayRef, ends: Vec<i32>| -> ArrayRef {
        let field = Arc::new(ArrowField::new("item", values.data_type().clone(), true));
        Arc::new(ListArray::new(field, OffsetBuffer::new(ends.into()), values, None))
    };
    // {{7}}, {}, {{1,2},{3}}
    list(list(values, vec![0, 1, 3, 4]), vec![0, 1, 1, 3])
}

/// Bytes as texts, whatever they are.
fn texts(all: &[&[u8]]) -> ArrayRef {
    let bytes = BinaryArray::from_iter_values(all);
    let (offsets, values, nulls) = bytes.into_parts();
    // SAFETY: nobody reads them as texts: they are written to a file that is to be refused.
    Arc::new(unsafe { StringArray::new_unchecked(offsets, values, nulls) })
}

/// What is odd: a name, the column, and what asking for it says.
fn odd() -> Vec<(&'static str, ArrayRef, &'static str, &'static str)> {
    let far = TimestampMillisecondArray::from(vec![0, 1, i64::MAX]);
    let nanos = TimestampNanosecondArray::from(vec![0, 1000, 999]);
    vec![
        ("ragged", ragged(), "2202E", "row 3"),
        ("nanos", Arc::new(nanos), "22008", "row 3"),
        ("far", Arc::new(far), "22008", "row 3"),
        ("utf8", texts(&[b"a", b"b", b"c\xff"]), "22021", "\"n\""),
        ("nul", texts(&[b"a", b"b", b"c\0d"]), "22021", "row 3"),
    ]
}

fn check(session: &Session, path: &str, rows: usize, state: &str, said: &str) {
    let ask = |what: &str| asked(session, &what.replace("FILE", &format!("'{path}'")));
    let count = rows.to_string();
    assert_eq!(ask("SELECT count(*) FROM FILE"), Ok(count.clone()), "{path}");
    assert_eq!(ask("SELECT max(id) FROM FILE"), Ok("2".to_owned()), "{path}");
    assert_eq!(ask("SELECT count(*) FROM FILE WHERE id < 2"), Ok((rows / 3 * 2).to_string()), "{path}");
    assert_eq!(
        ask("SELECT a.id FROM FILE a JOIN FILE b USING (id) WHERE id = 1 LIMIT 1"),
        Ok("1".to_owned()),
        "{path}"
    );
    let described = ask("DESCRIBE FILE").expect(path);
    assert!(described.starts_with("id|integer") && described.contains("/n|"), "{path}: {described}");
    let error = ask("SELECT n FROM FILE").expect_err(path);
    assert!(error.starts_with(state) && error.contains(said) && error.contains("\"n\""), "{path}: {error}");
    assert!(ask("CREATE TABLE never AS SELECT * FROM FILE").is_err(), "{path}");
    assert!(ask("SELECT max(n::text) FROM FILE").expect_err(path).starts_with(state), "{path}");
}

#[test]
fn odd_columns_of_parquet() {
    let (folder, session) = (Folder::new(), session());
    for (name, column, state, said) in odd() {
        let path = parquet(&folder, &format!("{name}.parquet"), &batch(Arc::clone(&column)));
        check(&session, &path, 6, state, said);
    }
}

#[test]
fn odd_columns_of_arrow() {
    let (folder, session) = (Folder::new(), session());
    for (name, column, state, said) in odd() {
        let path = ipc(&folder, &format!("{name}.arrow"), &[batch(Arc::clone(&column))]);
        check(&session, &path, 3, state, said);
        // Of several batches the row is one of the file.
        let first = batch(column.slice(0, 2));
        let path = ipc(&folder, &format!("{name}-2.arrow"), &[first.clone(), first, batch(column.slice(2, 1))]);
        let ask = |what: &str| asked(&session, &what.replace("FILE", &format!("'{path}'")));
        assert_eq!(ask("SELECT count(*), sum(id) FROM FILE"), Ok("5|2".to_owned()), "{name}");
        let error = ask("SELECT n FROM FILE").expect_err(name);
        let is_row = error.contains("row 5") || state == "22021" && error.contains("behind row 4");
        assert!(error.starts_with(state) && is_row, "{name}: {error}");
    }
}

#[test]
fn a_file_of_nothing_else_can_be_counted() {
    let (folder, session) = (Folder::new(), session());
    for (name, column, ..) in odd() {
        let alone = RecordBatch::try_from_iter([("n", column)]).expect("a column");
        let files = [
            parquet(&folder, &format!("alone-{name}.parquet"), &alone),
            ipc(&folder, &format!("alone-{name}.arrow"), &[alone]),
        ];
        for (path, rows) in files.iter().zip(["6", "3"]) {
            assert_eq!(asked(&session, &format!("SELECT count(*) FROM '{path}'")), Ok(rows.to_owned()), "{path}");
            assert!(asked(&session, &format!("SELECT * FROM '{path}'")).is_err(), "{path}");
        }
    }
}

/// The number of rows stands in the batch and with its column: one that is damaged is not believed where nothing else is read.
#[test]
fn a_number_of_rows_is_held_against_the_column() {
    let (folder, session) = (Folder::new(), session());
    let alone = RecordBatch::try_from_iter([("n", ragged())]).expect("a column");
    let bytes = std::fs::read(ipc(&folder, "counted.arrow", &[alone])).expect("a file");
    let (mut refused, rows) = (0, 3i64.to_le_bytes());
    for at in (0..bytes.len() - rows.len()).filter(|at| bytes[*at..].starts_with(&rows)) {
        let mut damaged = bytes.clone();
        damaged[at..at + rows.len()].copy_from_slice(&1000i64.to_le_bytes());
        let path = folder.write("damaged.arrow", damaged);
        match asked(&session, &format!("SELECT count(*) FROM '{path}'")) {
            Ok(count) => assert_eq!(count, "3", "{at}"),
            Err(error) => refused += usize::from(error.starts_with("22P04")),
        }
    }
    assert!(refused > 1, "the batch's and the column's: {refused}");
}

#[test]
fn a_dictionary_of_bad_texts_hides_no_other_column() {
    let (folder, session) = (Folder::new(), session());
    let mut builder = StringDictionaryBuilder::<UInt8Type>::new();
    builder.extend([Some("a"), Some("bad"), Some("a")]);
    let coded: ArrayRef = Arc::new(builder.finish());
    let path = ipc(&folder, "coded.arrow", &[batch(coded)]);
    let mut bytes = std::fs::read(&path).expect("a file");
    let at = bytes.windows(4).position(|four| four == b"abad").expect("the texts lie there");
    bytes[at + 1] = 0xff;
    std::fs::write(&path, bytes).expect("a file");
    assert_eq!(asked(&session, &format!("SELECT sum(id) FROM '{path}'")), Ok("3".to_owned()));
    let error = asked(&session, &format!("SELECT n FROM '{path}'")).expect_err("it is no text");
    assert!(error.starts_with("22021"), "{error}");
}

#[test]
fn lists_are_arrays_of_six_dimensions_at_most() {
    let (folder, session) = (Folder::new(), session());
    let mut deep: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    for depth in 1..=7 {
        let field = Arc::new(ArrowField::new("item", deep.data_type().clone(), true));
        deep = Arc::new(ListArray::new(field, OffsetBuffer::new(vec![0, 1].into()), deep, None));
        let path = ipc(&folder, &format!("deep-{depth}.arrow"), &[batch(Arc::clone(&deep))]);
        let found = asked(&session, &format!("SELECT n FROM '{path}'"));
        match depth {
            7 => assert!(found.as_ref().is_err_and(|error| error.contains("maximum allowed (6)")), "{found:?}"),
            _ => assert_eq!(found, Ok(format!("{}1{}", "{".repeat(depth), "}".repeat(depth)))),
        }
    }
    let mut inner = ListBuilder::new(ListBuilder::new(arrow::array::builder::Int32Builder::new()));
    inner.values().append_null();
    inner.append(true);
    let path = ipc(&folder, "null.arrow", &[batch(Arc::new(inner.finish()))]);
    let error = asked(&session, &format!("SELECT n FROM '{path}'")).expect_err("a list within is NULL");
    assert!(error.starts_with("2202E") && error.contains("is NULL"), "{error}");
}

#[test]
fn structs_and_maps_are_json() {
    let (folder, session) = (Folder::new(), session());
    let page: ArrayRef = Arc::new(StringArray::from(vec![Some("home \"1\""), None, Some("x")]));
    let depth: ArrayRef = Arc::new(Int32Array::from(vec![Some(3), Some(4), None]));
    let inner: ArrayRef =
        Arc::new(StructArray::from(vec![(Arc::new(ArrowField::new("depth", Arrow::Int32, true)), Arc::clone(&depth))]));
    let fields = vec![
        (Arc::new(ArrowField::new("Page", Arrow::Utf8, true)), page),
        (Arc::new(ArrowField::new("in", inner.data_type().clone(), true)), inner),
        (Arc::new(ArrowField::new("ragged", ragged().data_type().clone(), true)), ragged()),
    ];
    let structs: ArrayRef = Arc::new(StructArray::from(fields));
    let batch = batch(structs);
    let (one, other) = (parquet(&folder, "s.parquet", &batch), ipc(&folder, "s.arrow", std::slice::from_ref(&batch)));
    session.register("registered", vec![batch]).expect("structs are registered");
    for from in [format!("'{one}'"), format!("'{other}'"), "registered".to_owned()] {
        let ask = |sql: &str| asked(&session, &sql.replace("FROM t", &format!("FROM {from} t")));
        let all = r#"{"Page":"home \"1\"","in":{"depth":3},"ragged":[[7]]}"#;
        assert_eq!(ask("SELECT n FROM t WHERE id = 0 LIMIT 1"), Ok(all.to_owned()), "{from}");
        let named = "SELECT n.Page, t.n.in.depth, (n).in.depth, n->>'Page' FROM t WHERE id = 0 LIMIT 1";
        assert_eq!(ask(named), Ok(r#"home "1"|3|3|home "1""#.to_owned()), "{from}");
        let grouped = "SELECT n.in.depth, count(*) > 0 FROM t GROUP BY n.in.depth ORDER BY n.in.depth";
        assert_eq!(ask(grouped), Ok("3|t/4|t/NULL|t".to_owned()), "{from}");
        let error = ask("SELECT m.Page FROM t").expect_err("there is no such column");
        assert!(error.starts_with("42P01"), "{error}");
    }
}

/// An Avro file of a schema's fields, and of rows as they are encoded.
fn avro(folder: &Folder, name: &str, fields: &str, rows: &[&[u8]]) -> String {
    let text = |bytes: &[u8]| {
        let length = bytes.len() as u64 * 2;
        let mut all = if length < 128 { vec![length as u8] } else { vec![length as u8 | 0x80, (length >> 7) as u8] };
        all.extend_from_slice(bytes);
        all
    };
    let schema = format!(r#"{{"type":"record","name":"r","fields":[{fields}]}}"#);
    let head = [b"Obj\x01\x02".to_vec(), text(b"avro.schema"), text(schema.as_bytes()), vec![0], vec![7; 16]].concat();
    let block = [vec![rows.len() as u8 * 2], text(&rows.concat()), vec![7; 16]].concat();
    folder.write(name, [head, block].concat())
}

#[test]
fn nulls_and_odd_columns_of_avro() {
    let (folder, session) = (Folder::new(), session());
    let fields =
        r#"{"name":"i","type":"int"},{"name":"n","type":"null"},{"name":"a","type":{"type":"array","items":"null"}}"#;
    // An array is a block of so many items, and one of none.
    let path = avro(&folder, "null.avro", fields, &[&[2, 4, 0], &[4, 0]]);
    let ask = |what: &str| asked(&session, &what.replace("FILE", &format!("'{path}'")));
    assert_eq!(ask("SELECT sum(i), count(n), count(*) FROM FILE"), Ok("3|0|2".to_owned()));
    assert_eq!(ask("SELECT i, n FROM FILE ORDER BY i"), Ok("1|NULL/2|NULL".to_owned()));
    // The library makes no arrays of NULL.
    assert!(ask("SELECT a FROM FILE").is_err_and(|error| error.contains("Column \"a\"")));
    let lists =
        r#"{"name":"id","type":"int"},{"name":"n","type":{"type":"array","items":{"type":"array","items":"int"}}}"#;
    let rows: [&[u8]; 3] = [&[0, 2, 2, 14, 0, 0], &[2, 0], &[4, 4, 4, 2, 4, 0, 2, 6, 0, 0]];
    check(&session, &avro(&folder, "ragged.avro", lists, &rows), 3, "2202E", "row 3");
    let records = r#"{"name":"id","type":"int"},{"name":"n","type":{"type":"record","name":"p","fields":[{"name":"page","type":"string"}]}}"#;
    let path = avro(&folder, "record.avro", records, &[&[0, 2, b'x'], &[2, 2, b'y']]);
    let found = asked(&session, &format!("SELECT id, n.page FROM '{path}' ORDER BY 1"));
    assert_eq!(found, Ok("0|x/1|y".to_owned()));
}

#[test]
fn nulls_alone_have_a_type() {
    let (folder, session) = (Folder::new(), session());
    let nulls: ArrayRef = Arc::new(NullArray::new(3));
    let field = Arc::new(ArrowField::new("item", Arrow::Null, true));
    let lists: ArrayRef =
        Arc::new(ListArray::new(field, OffsetBuffer::new(vec![0, 2, 2, 3].into()), Arc::clone(&nulls), None));
    let schema = Schema::new(vec![
        ArrowField::new("n", Arrow::Null, true),
        ArrowField::new("l", lists.data_type().clone(), true),
    ]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![nulls, lists]).expect("two columns");
    for path in [parquet(&folder, "nulls.parquet", &batch), ipc(&folder, "nulls.arrow", &[batch])] {
        let found = asked(&session, &format!("SELECT DISTINCT n, l::text AS l FROM '{path}' ORDER BY l"));
        assert_eq!(found, Ok("NULL|{NULL,NULL}/NULL|{NULL}/NULL|{}".to_owned()), "{path}");
    }
    let dictionary = arrow::array::DictionaryArray::<Int32Type>::from_iter([None::<&str>, None]);
    session.register("coded", vec![batch_of("c", Arc::new(dictionary))]).expect("it is registered");
    assert_eq!(asked(&session, "SELECT c, count(*) FROM coded GROUP BY c"), Ok("NULL|2".to_owned()));
}

fn batch_of(name: &str, column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([(name, column)]).expect("a column")
}
