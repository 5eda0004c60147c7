//! JSON files of every shape, and those that are not what they should be.

use super::*;
use multiloop_exec::column::Column;
use multiloop_exec::workers::context::Memory;
use multiloop_exec::workers::pool::Pool;
use multiloop_planner::catalog::ColumnStatistics;
use multiloop_planner::evaluate::format;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of its own for each test, gone afterwards.
struct File(PathBuf);

impl File {
    fn new(bytes: impl AsRef<[u8]>) -> File {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("multiloop-json-{}-{}.json", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a file can be written");
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn set<'a>(files: impl IntoIterator<Item = &'a File>) -> FileSet {
    let path = |file: &File| file.0.to_str().expect("it is UTF-8").to_owned();
    FileSet::named(&files.into_iter().map(path).collect::<Vec<_>>()).expect("they are there")
}

fn context() -> Context {
    Context::new(Memory::new(usize::MAX))
}

/// Columns as `name type`, then rows, all as text.
fn shown(table: &Table) -> Vec<String> {
    let header = table.fields.iter().map(|field| format!("{} {}", field.name, field.data_type));
    let mut lines = vec![header.collect::<Vec<_>>().join(", ")];
    for chunk in &table.chunks {
        for row in 0..chunk.rows {
            let value = |(column, field): (&Column, &Field)| match column.is_null(row) {
                true => "NULL".to_owned(),
                false => format(&column.value(row, field.data_type), field.data_type),
            };
            lines.push(chunk.columns.iter().zip(&table.fields).map(value).collect::<Vec<_>>().join(", "));
        }
    }
    lines
}

fn read_with(text: impl AsRef<[u8]>, options: &JsonOptions) -> Result<Vec<String>> {
    let file = File::new(text);
    let loaded = read(&set([&file]), options, None, &context()).map(|table| shown(&table));
    let scanned = scan(&set([&file]), options);
    match (&loaded, &scanned) {
        (Ok(loaded), Ok(scanned)) => assert_eq!(loaded, scanned),
        (Err(loaded), Err(scanned)) => assert_eq!(loaded.to_string(), scanned.to_string()),
        (loaded, scanned) => panic!("loaded {:?}, scanned {:?}", loaded.is_ok(), scanned.is_ok()),
    }
    loaded
}

/// What is read column by column, and what is kept of a look at it.
fn scan(files: &FileSet, options: &JsonOptions) -> Result<Vec<String>> {
    let options = JsonOptions { scan_bytes: Some(0), ..options.clone() };
    let of = |cache: Option<&Arc<ColumnCache>>| {
        let table = open(files, &options, false, (cache, &context()))?;
        if !table.is_lazy() {
            return Ok(shown(&table));
        }
        let loaded = table.load(table.fields.clone(), &context())?;
        for (column, (lazy, all)) in table.statistics.columns.iter().zip(&loaded.statistics.columns).enumerate() {
            let known = |of: &ColumnStatistics| (of.proofs.nulls, of.proofs.min.clone(), of.proofs.max.clone());
            if table.fields[column].data_type == DataType::BigInt {
                assert_eq!(known(lazy), known(all), "column {column}");
            }
        }
        Ok(shown(&loaded))
    };
    let shown = of(None)?;
    assert_eq!(of(Some(&ColumnCache::new(&Memory::new(1 << 30))))?, shown);
    Ok(shown)
}

fn reads(text: &str, wanted: &[&str]) {
    let found = read_with(text, &JsonOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(found, wanted, "{text}");
}

fn fails(text: impl AsRef<[u8]>, options: &JsonOptions, state: &str, said: &str) {
    let error = read_with(&text, options).expect_err("it is bad");
    let shown = String::from_utf8_lossy(text.as_ref()).chars().take(100).collect::<String>();
    assert_eq!(error.sqlstate(), state, "{shown}: {error}");
    assert!(error.to_string().contains(said), "{shown}: {error}");
}

#[test]
fn layouts() {
    let wanted = ["a bigint, b text", "1, x", "NULL, y", "3, NULL"];
    for text in [
        "{\"a\":1,\"b\":\"x\"}\n{\"b\":\"y\"}\n{\"b\":null,\"a\":3}\n",
        "{\"a\":1,\"b\":\"x\"}\r\n{\"b\":\"y\"}\r\n\r\n{\"b\":null,\"a\":3}",
        "\u{feff}[{\"a\":1,\"b\":\"x\"},{\"b\":\"y\"} , {\"b\":null,\"a\":3}]",
        "[\n  {\"a\": 1, \"b\": \"x\"},\n  {\"b\": \"y\"},\n  {\n  \"b\": null, \"a\": 3}\n]\n",
        "{\n\"a\":1,\n\"b\":\"x\"\n}\n{\"b\":\"y\"}{\"b\":null,\"a\":3}",
        "{\"a\":1,\"b\":\"x\"} {\"b\":\"y\"} {\"b\":null,\"a\":3}",
    ] {
        reads(text, &wanted);
    }
    reads("", &["json json"]);
    reads(" \n", &["json json"]);
    reads("[]", &["json json"]);
    reads("[ ]\n", &["json json"]);
    reads("{}\n{}", &["json json", "{}", "{}"]);
    reads("{\"a\":1}\nnull\n{\"a\":2}", &["a bigint", "1", "NULL", "2"]);
    reads("[1,2,3]", &["json bigint", "1", "2", "3"]);
    reads("1\n\"x\"\n{\"a\" : 1}\n", &["json json", "1", "\"x\"", "{\"a\" : 1}"]);
    reads("[1,2]\n[3]\n", &["json bigint[]", "{1,2}", "{3}"]);
    reads("{\"a\":1}", &["a bigint", "1"]);
}

#[test]
fn names_and_types() {
    reads("{\"A\":1,\"a\":2,\"\":3,\"a b\":4}", &["a bigint, a_1 bigint,  bigint, a b bigint", "1, 2, 3, 4"]);
    reads("{\"\\u0061\":1}\n{\"a\":2}", &["a bigint", "1", "2"]);
    reads("{\"a\":\"\\u0001x\\ud83d\\ude00\"}", &["a text", "\u{1}x😀"]);
    reads("{\"a\":{\"b\": [1, {}]}}\n{\"a\":\"x\\\"\"}", &["a json", "{\"b\": [1, {}]}", "\"x\\\"\""]);
    reads("{\"a\":[1,null]}\n{\"a\":[]}\n{\"a\":null}", &["a bigint[]", "{1,NULL}", "{}", "NULL"]);
    reads("{\"a\":[\"x,\",\"\\n\"]}", &["a text[]", "{\"x,\",\"\n\"}"]);
    reads("{\"a\":18446744073709551616}\n{\"a\":1}", &["a decimal(38,0)", "18446744073709551616", "1"]);
    reads("{\"a\":9007199254740993}\n{\"a\":0.5}", &["a numeric", "9007199254740993", "0.5"]);
    reads(
        "{\"a\":\"2020-02-29\",\"b\":\"2020-02-29T10:00:00Z\"}",
        &["a date, b timestamptz", "2020-02-29, 2020-02-29 10:00:00+00"],
    );
    reads("{\"a\":true}\n{\"a\":null}", &["a boolean", "t", "NULL"]);
}

/// What comes behind the sample widens, and is never an error.
#[test]
fn late_values_widen() {
    let many = |first: &str, last: &str| format!("{}{last}\n", format!("{first}\n").repeat(30_000));
    for (first, last, header, row) in [
        ("{\"a\":1}", "{\"a\":\"x\"}", "a json", "\"x\""),
        ("{\"a\":1}", "{\"a\":1.5}", "a double precision", "1.5"),
        ("{\"a\":1}", "{\"a\":1,\"b\":2}", "a bigint, b bigint", "1, 2"),
        ("{\"a\":\"2020-01-01\"}", "{\"a\":\"soon\"}", "a text", "soon"),
        ("{\"a\":[1]}", "{\"a\":[0.5]}", "a double precision[]", "{0.5}"),
        ("{\"a\":null}", "{\"a\":1}", "a bigint", "1"),
        ("{\"a\":1}", "[2]", "json json", "[2]"),
        ("1", "true", "json json", "true"),
    ] {
        let found = read_with(many(first, last), &JsonOptions::default()).expect("it is read");
        assert_eq!((found.len(), found[0].as_str(), found[30_001].as_str()), (30_002, header, row), "{first} {last}");
    }
}

/// Pieces are cut anywhere, and rows do not depend on who reads them.
#[test]
fn large_files_in_every_layout() {
    let mut objects = Vec::new();
    for number in 0..60_000 {
        let text = "\\\"]},{[".repeat(number % 7);
        let nested = if number % 3 == 0 { format!(",\"c\":{{\"d\":[\"{text}\",{number}]}}") } else { String::new() };
        objects.push(format!("{{\"a\":{number},\"b\":\"{text}\"{nested}}}"));
    }
    let lines = objects.join("\n");
    let wanted = read_with(&lines, &JsonOptions::default()).expect("it is read");
    assert_eq!(wanted.len(), 60_001);
    assert_eq!(wanted[0], "a bigint, b text, c json");
    let forms = [format!("[{}]", objects.join(",")), format!("[\n{}\n]\n", objects.join("\n,\n")), objects.join("")];
    for form in forms {
        let file = File::new(form);
        for threads in [1, 2, 5] {
            let pool = Arc::new(Pool::new(threads).expect("threads start"));
            let context = context().with_pool(&pool);
            let table = read(&set([&file]), &JsonOptions::default(), None, &context).expect("it is read");
            assert!(shown(&table) == wanted, "{threads} threads");
        }
    }
    let huge = format!("{{\"a\":\"{}\"}}\n{{\"a\":\"y\"}}", "x".repeat(9 << 20));
    let found = read_with(&huge, &JsonOptions::default()).expect("it is read");
    assert_eq!((found.len(), found[1].len(), found[2].as_str()), (3, 9 << 20, "y"));
    let limited = JsonOptions { maximum_object_size: Some(1000), ..JsonOptions::default() };
    fails(&huge, &limited, "22P04", "line 1");
}

#[test]
fn malformed_files() {
    let auto = JsonOptions::default();
    for (text, said) in [
        (&b"{\"a\":1}\n{\"a\":1,}\n"[..], "line 2"),
        (b"{\"a\":1}\n{a:1}\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":1\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":01}\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":NaN}\n", "NaN"),
        (b"{\"a\":1}\n{\"a\":1}x\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":\"\\ud83d\"}\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":\"x\ty\"}\n", "line 2"),
        (b"{\"a\":1}\n{\"a\":1,\"a\":2}\n", "twice"),
        (b"[{\"a\":1},\n]", "a comma before ]"),
        (b"[{\"a\":1},,{\"a\":1}]", "unexpected"),
        (b"[,{\"a\":1}]", "unexpected"),
        (b"[{\"a\":1} {\"a\":2}]", "unexpected"),
        (b"[{\"a\":1},\n{\"a\":2}", "line 2"),
        (b"[{\"a\":1}]\n]", "line 2"),
        (b"[", "ends within"),
        (b"{", "line 1"),
        (b"}", "line 1"),
        (b"\"", "line 1"),
        (b"<html>", "line 1"),
    ] {
        fails(text, &auto, "22P02", said);
    }
    fails(b"{\"a\":\"x\"}\n{\"a\":\"\xff\"}\n", &auto, "22021", "line 2");
    fails(format!("{{\"a\":{}1{}}}", "[".repeat(7_000), "]".repeat(7_000)), &auto, "54001", "line 1");
    fails("[".repeat(1 << 20), &auto, "22P02", "ends within");
    let array = JsonOptions { layout: Some(Layout::Array), ..JsonOptions::default() };
    fails("{\"a\":1}", &array, "22P02", "array");
    fails("{\n\"a\":1}", &JsonOptions::lines(), "22P02", "line");
    fails("[1]", &JsonOptions { records: Some(true), ..JsonOptions::default() }, "22P02", "objects");
}

#[test]
fn given_columns() {
    let columns = |columns: &[(&str, DataType)]| JsonOptions {
        columns: Some(columns.iter().map(|(name, data_type)| ((*name).to_owned(), *data_type)).collect()),
        ..JsonOptions::default()
    };
    let text = "{\"B\":\"12\",\"a\":1,\"c\":{\"d\":1}}\n{\"a\":\"x\"}";
    let found = read_with(text, &columns(&[("a", DataType::Text), ("b", DataType::SmallInt), ("c", DataType::Jsonb)]));
    assert_eq!(found.expect("it is read"), ["a text, b smallint, c jsonb", "1, 12, {\"d\": 1}", "x, NULL, NULL"]);
    fails(text, &columns(&[("a", DataType::Integer)]), "22P02", "line 2");
    fails(text, &columns(&[("c", DataType::Integer)]), "22P02", "an object");
    fails("{\"a\":70000}", &columns(&[("a", DataType::SmallInt)]), "22003", "line 1");
    let lenient = JsonOptions { ignore_errors: true, ..columns(&[("a", DataType::Integer)]) };
    assert_eq!(read_with(text, &lenient).expect("it is read"), ["a integer", "1", "NULL"]);
    let list = columns(&[("a", DataType::list(DataType::Integer))]);
    assert_eq!(read_with("{\"a\":[1,\"2\",null]}", &list).expect("it is read"), ["a integer[]", "{1,2,NULL}"]);
    fails("{\"a\":[1,[2]]}", &list, "22P02", "an array");
    let strict = JsonOptions { strict: true, ..columns(&[("a", DataType::Text)]) };
    fails(text, &strict, "42703", "\"B\"");
    fails("{\"a\":1,\"A\":2}", &columns(&[("a", DataType::Text)]), "22P02", "twice");
}

#[test]
fn options() {
    let lenient = JsonOptions { ignore_errors: true, ..JsonOptions::default() };
    let text = "{\"a\":1,\"b\":2}\n{\"b\":5,\"a\":bad\n{\"a\":3}\n{\"a\":4,\"a\":4}\n";
    let wanted = ["a bigint, b bigint", "1, 2", "NULL, NULL", "3, NULL", "NULL, NULL"];
    assert_eq!(read_with(text, &lenient).expect("it is read"), wanted);
    fails(text, &JsonOptions::default(), "22P02", "line 2");
    fails("[{\"a\":1},{bad]", &lenient, "22P02", "line 1");
    let objects = read_with("[{\"a\":1},{\"a\": 2}]", &JsonOptions::objects()).expect("it is read");
    assert_eq!(objects, ["json json", "{\"a\":1}", "{\"a\": 2}"]);
    let whole = JsonOptions { records: Some(false), ..JsonOptions::default() };
    assert_eq!(read_with("{\"a\":1}", &whole).expect("it is read"), ["json json", "{\"a\":1}"]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"{\"a\":1}\n{\"a\":2}\n").expect("memory takes all");
    let gzip = encoder.finish().expect("memory takes all");
    assert_eq!(read_with(&gzip, &JsonOptions::default()).expect("it is read"), ["a bigint", "1", "2"]);
    fails(&gzip[..gzip.len() - 12], &JsonOptions::default(), "22P04", "malformed file");
    let small = JsonOptions { sample_size: 1, ..JsonOptions::default() };
    assert_eq!(
        read_with("{\"a\":1}\n{\"b\":\"x\"}", &small).expect("it is read"),
        ["a bigint, b text", "1, NULL", "NULL, x"]
    );
}

#[test]
fn several_files_and_little_memory() {
    let files = [File::new("{\"a\":1}"), File::new(""), File::new("[{\"b\":true,\"a\":0.5}]")];
    let paths = set(&files);
    let table = read(&paths, &JsonOptions::default(), None, &context()).expect("they are read");
    assert_eq!(shown(&table), ["a double precision, b boolean", "1, NULL", "0.5, t"]);
    assert_eq!(read_fields(&paths, &JsonOptions::default(), &context()).expect("they are read"), table.fields);
    let wide = |keys: usize| (0..keys).map(|number| format!("{{\"k{number}\":1}}\n")).collect::<String>();
    let file = File::new(wide(1000).repeat(80));
    let context = Context::new(Memory::new(64 << 20));
    let error = read(&set([&file]), &JsonOptions::default(), None, &context).expect_err("too wide");
    assert_eq!(error.sqlstate(), "53200");
    fails(wide(2000), &JsonOptions::default(), "22P04", "2000 keys");
    fails(wide(9000), &JsonOptions::default(), "22P04", "9000 keys");
    let one = read_with(wide(20_000), &JsonOptions::default()).expect("it is read");
    assert_eq!((one.len(), one[0].as_str(), one[20_000].as_str()), (20_001, "json json", "{\"k19999\":1}"));
}

/// Objects that are written otherwise than the ones before, in every way that there is.
#[test]
fn objects_out_of_step() {
    let rows = [
        ("{\"a\":1,\"b\":\"x\",\"c\":[1,2]}", "1, x, {1,2}"),
        ("{\"a\":2,\"b\":\"y\",\"c\":[3,4]}", "2, y, {3,4}"),
        ("{\"b\":\"z\",\"a\":3}", "3, z, NULL"),
        ("{\"a\":4,\"c\":[5,6]}", "4, NULL, {5,6}"),
        ("{\"c\":[],\"b\":null}", "NULL, NULL, {}"),
        ("{ \"a\" : 5 , \"b\":\"\\u0041\\n\", \"c\":[null,7] }", "5, A\n, {NULL,7}"),
        ("{}", "NULL, NULL, NULL"),
        ("{\"\\u0061\":6,\"b\":\"\",\"c\":[8]}", "6, , {8}"),
        ("{\"a\":1000000000000000000,\"b\":\"é\"}", "1000000000000000000, é, NULL"),
    ];
    for first in 0..rows.len() {
        for step in 1..rows.len() {
            let order: Vec<_> = (0..60).map(|row| rows[(first + row * step) % rows.len()]).collect();
            let text: String = order.iter().map(|(text, _)| format!("{text}\n")).collect();
            // All keys first, so that columns stand in one order.
            let found = read_with(format!("{}\n{text}", rows[0].0), &JsonOptions::default()).expect("it is read");
            assert_eq!(found[0], "a bigint, b text, c bigint[]");
            assert!(found[2..].iter().map(String::as_str).eq(order.iter().map(|(_, row)| *row)), "{first} {step}");
        }
    }
    let two = "{\"a\":1,\"b\":2}\n".repeat(2);
    for (bad, said) in [
        ("{\"a\":1,\"b\":2,\"b\":3}", "twice"),
        ("{\"b\":1,\"a\":2,\"b\":3}", "twice"),
        ("{\"a\":1,\"b\":2", "ends within"),
        ("{\"a\":1,\"b\":", "ends within"),
        ("{\"a\":1{\"b\":2}", "unexpected"),
        (",\"a\":1,\"b\":2}", "unexpected"),
        ("{\"a\":1,,\"b\":2}", "unexpected"),
        ("{\"a\":1,\"b\":2,}", "a comma"),
        ("{\"a\":1,\"b\":2]", "unexpected"),
        ("{\"a\":1,\"b\":-}", "unexpected"),
        ("{\"a\":1,\"b\":02}", "unexpected"),
    ] {
        fails(format!("{two}{bad}\n"), &JsonOptions::default(), "22P02", said);
        fails(format!("{two}{bad}\n"), &JsonOptions::default(), "22P02", "line 3");
    }
}

/// Lines that are longer than what is read at once, and those that end where that does.
#[test]
fn lines_of_every_length() {
    let text = |length: usize, ending: &str| format!("{{\"a\":\"{}\"}}{ending}", "x".repeat(length - 8 - ending.len()));
    for ending in ["\n", "\r\n"] {
        for long in [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 7] {
            let lines =
                [text(long, ending), text(PIECE_BYTES, ending), text(long, ending), "{\"a\":\"end\"}".to_owned()];
            let found = read_with(lines.concat(), &JsonOptions::lines()).expect("it is read");
            let lengths: Vec<usize> = found[1..].iter().map(String::len).collect();
            let width = |length: usize| length - 8 - ending.len();
            assert_eq!(lengths, [width(long), width(PIECE_BYTES), width(long), 3], "{long}");
        }
    }
    let bad = format!("\u{feff}{}{}{{bad}}\n", text(PIECE_BYTES, "\n"), text(PIECE_BYTES, "\n"));
    fails(bad, &JsonOptions::lines(), "22P02", "line 3");
}

/// A text is what it stands for, however it is written.
#[test]
fn escaped_texts_of_types() {
    let text =
        r#"{"id":"6e8bc430\u002d9c3a-11d9-9669-0800200c9a66","ids":["6e8bc430\u002d9c3a-11d9-9669-0800200c9a66"]}"#;
    let uuid = "6e8bc430-9c3a-11d9-9669-0800200c9a66";
    reads(text, &["id uuid, ids uuid[]", &format!("{uuid}, {{{uuid}}}")]);
    reads(r#"{"d":"2020\u002d01-01"}"#, &["d date", "2020-01-01"]);
}

/// Which line a value that spans lines is on does not depend on cuts.
#[test]
fn values_that_span_lines_where_errors_are_ignored() {
    let lenient = JsonOptions { ignore_errors: true, ..JsonOptions::lines() };
    let text = "{\"a\":1}\n{\"a\":[\n],\"b\":2}\n{\"a\":3}\n";
    let found = read_with(text, &lenient).expect("it is read");
    assert_eq!(found, ["a bigint", "1", "NULL", "NULL", "3"]);
}

/// Names of columns are as other columns' are; keys are as they are given.
#[test]
fn given_columns_are_folded() {
    let columns = |names: &[&str]| JsonOptions {
        columns: Some(names.iter().map(|name| ((*name).to_owned(), DataType::BigInt)).collect()),
        ..JsonOptions::default()
    };
    let found = read_with("{\"Id\":1,\"ID\":2}", &columns(&["Id", "ID"])).expect("it is read");
    assert_eq!(found, ["id bigint, id_1 bigint", "1, 2"]);
    fails("{\"Id\":1}", &columns(&["Id", "Id"]), "42701", "Id");
}

/// No text holds U+0000.
#[test]
fn the_character_of_number_zero() {
    fails(r#"{"a":"x\u0000"}"#, &JsonOptions::default(), "22021", "\\u0000");
    fails(r#"{"a\u0000":1}"#, &JsonOptions::default(), "22021", "\\u0000");
    fails(r#"{"a":["\u0000"]}"#, &JsonOptions::default(), "22021", "\\u0000");
    reads(r#"{"a":"\\u0000"}"#, &["a text", "\\u0000"]);
}
