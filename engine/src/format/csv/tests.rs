//! All rows of files, in blocks of any size, beside rows that are taken apart a byte at a time; and files that are not what
//! their first rows look like.

use super::records::Records;
use super::*;
use crate::format::tests::guesses::shown;
use crate::format::tests::{Folder, context};
use multiloop_exec::workers::pool::Pool;
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

fn files(paths: &[PathBuf]) -> FileSet {
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    FileSet::named(&paths).unwrap()
}

fn table(folder: &Folder, bytes: &[u8], options: &CsvOptions, fields: Option<&[Field]>) -> Result<Table> {
    let path = PathBuf::from(folder.write("t.csv", bytes));
    read(&files(&[path]), options, fields, &context())
}

/// The table as text, or what is wrong.
fn read_as(bytes: &[u8], options: &CsvOptions) -> String {
    let folder = Folder::new();
    match table(&folder, bytes, options, None) {
        Ok(table) => shown(&table),
        Err(error) => error.message().replace(&folder.path(""), ""),
    }
}

fn with(change: impl Fn(&mut CsvOptions)) -> CsvOptions {
    let mut options = CsvOptions::default();
    change(&mut options);
    options
}

/// The fields of all rows by [`Records`], or what is wrong with the first that is none.
fn expected(text: &str, dialect: &Dialect, columns: usize, lenient: bool) -> std::result::Result<String, String> {
    let mut records = Records::new(text.as_bytes(), 1, Path::new("t.csv"), dialect).map_err(told)?;
    let mut rows = Vec::new();
    while let Some(mut count) = records.next_record().map_err(told)? {
        if lenient {
            count = records.count_as(columns);
            if columns > 1 && records.is_blank() {
                continue;
            }
        }
        if count != columns {
            let what =
                if count < columns { format!("missing data for column \"c{count}\"") } else { "extra data".into() };
            return Err(told(records.error(ErrorKind::BadFile, what)));
        }
        let row = (0..columns).map(|index| records.field(index).map_or("-".to_owned(), |text| format!("{text:?}")));
        rows.push(row.collect::<Vec<_>>().join("|"));
    }
    Ok(rows.join(" / "))
}

fn told(error: Error) -> String {
    error.message().replace("extra data after last expected column", "extra data")
}

/// The same by a pass over a file in blocks of so many bytes.
fn passed(
    text: &str,
    dialect: &Dialect,
    columns: usize,
    lenient: bool,
    block_bytes: u64,
) -> std::result::Result<String, String> {
    use super::pass::{Block, Pass, Sink};
    use super::values::Want;
    struct Rows(Vec<String>, usize);
    impl Sink for Rows {
        fn wants(&self) -> Vec<Want> {
            vec![Want::Read(DataType::Text); self.1]
        }
        fn take(&mut self, block: Block) -> Result<()> {
            for row in 0..block.rows {
                let value = |made: &super::values::Made| {
                    let column = made.column.as_ref().unwrap();
                    let text = || format!("{:?}", std::str::from_utf8(column.data.text_bytes(row)).unwrap());
                    if column.is_null(row) { "-".to_owned() } else { text() }
                };
                self.0.push(block.columns.iter().map(value).collect::<Vec<_>>().join("|"));
            }
            Ok(())
        }
    }
    let folder = Folder::new();
    let path = PathBuf::from(folder.write("t.csv", text));
    let source = super::source::Source::open(&path, &CsvOptions::default()).unwrap();
    let shape = super::split::Shape { dialect, columns, lenient, pads: false, drops: false };
    let names: Vec<String> = (0..columns).map(|index| format!("c{index}")).collect();
    let pass = Pass {
        source: &source,
        shape,
        names: &names,
        start: 0,
        line: 1,
        block_bytes,
        row_bytes_max: 1 << 20,
        keeps_rejects: false,
    };
    let mut rows = Rows(Vec::new(), columns);
    pass.run(&mut rows, &context()).map_err(|error| told(error).replace(path.to_str().unwrap(), "t.csv"))?;
    Ok(rows.0.join(" / "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn rows_are_those_of_a_byte_at_a_time(
        text in "([a ,]|\"|\"\"|\n|\r\n|\r|'|\\\\|,\"|\",|\"\n){0,40}",
        columns in 1..4usize, anywhere in any::<bool>(), lenient in any::<bool>(),
        (quote, escape) in proptest::sample::select(vec![(b'"', b'"'), (b'"', b'\\'), (b'\'', b'\''), (255, 255)]),
        newline in proptest::sample::select(vec![b'\n', b'\n', b'\r']), block_bytes in 1..40u64,
    ) {
        let said = Dialect::said(&CsvOptions::default());
        let dialect = Dialect { quote, escape, newline, quotes_anywhere: anywhere, ..said };
        let expected = expected(&text, &dialect, columns, lenient);
        let found = passed(&text, &dialect, columns, lenient, block_bytes);
        prop_assert_eq!(found, expected);
    }

    /// What types columns have is what a look at all rows says, wherever the odd ones stand.
    #[test]
    fn types_are_those_of_all_rows(
        kinds in proptest::collection::vec((0..9usize, 0..9usize, 0..40usize), 1..4), rows in 1..40usize,
        block_bytes in 8..200u64, sample in 1..12usize,
    ) {
        const FIELDS: [&[&str]; 9] = [
            &["1", "-22", "0", "333"],
            &["1.5", "-0.25", "2.", "1e3"],
            &["2020-01-02", "1999-12-31"],
            &["2020-01-02 03:04:05", "2020-01-02T03:04:05.5"],
            &["t", "f", "true"],
            &["", ""],
            &["x", "01220", "+4", "ä"],
            &["123456789012345678", "12345678901234567890", "0.12345678901234567"],
            &["\"1\"", "\"1.50\"", "\"2020-01-02\""],
        ];
        let mut text = (0..kinds.len()).map(|column| format!("name{column}")).collect::<Vec<_>>().join(",");
        text.push_str(",id\n");
        for row in 0..rows {
            for (kind, late, at) in &kinds {
                let fields = FIELDS[if row < *at { *kind } else { *late }];
                text.push_str(fields[row % fields.len()]);
                text.push(',');
            }
            text.push_str(&format!("{row}\n"));
        }
        let options = |sample| with(|options| {
            (options.header, options.delimiter, options.quote) = (Some(true), Some(b','), Some(b'"'));
            (options.sample_rows, options.block_bytes) = (Some(sample), Some(block_bytes));
        });
        prop_assert_eq!(read_as(text.as_bytes(), &options(sample)), read_as(text.as_bytes(), &options(usize::MAX)));
    }
}

#[test]
fn nothing_depends_on_blocks_or_workers() {
    let mut text = String::from("k,s,x\n");
    for row in 0..3000 {
        let quoted = if row % 7 == 0 { "\"a,\n\"\"b\"\"\r\n\"" } else { "plain" };
        text.push_str(&format!("{row},{quoted},{}\r\n", if row == 2900 { "late" } else { "1.5" }));
    }
    let folder = Folder::new();
    let path = [PathBuf::from(folder.write("t.csv", &text))];
    let whole = shown(&read(&files(&path), &CsvOptions::default(), None, &context()).unwrap());
    assert!(whole.contains("a,\n\"b\"") && whole.contains("late"), "{}", &whole[..200]);
    for threads in [1, 3] {
        let context = context().with_pool(&std::sync::Arc::new(Pool::new(threads).unwrap()));
        for block_bytes in [1, 37, 1000, 1 << 19] {
            let options = with(|options| options.block_bytes = Some(block_bytes));
            assert!(shown(&read(&files(&path), &options, None, &context).unwrap()) == whole, "{threads} {block_bytes}");
        }
    }
}

#[test]
fn a_row_may_be_longer_than_many_blocks() {
    let long = "x\n".repeat(20_000);
    let text = format!("k,s\n1,\"{long}\"\n2,y\n\"3\",\"{long}\"\n");
    let options = with(|options| options.block_bytes = Some(64));
    let all = read_as(text.as_bytes(), &options);
    assert_eq!(all, format!("k bigint, s text: 1|{long} / 2|y / 3|{long}"));
    let short = with(|options| (options.block_bytes, options.row_bytes_max) = (Some(64), Some(1000)));
    assert_eq!(read_as(text.as_bytes(), &short), "a row of more than 1000 bytes in t.csv, line 2");
}

#[test]
fn errors_name_their_line() {
    let rows = "1,\"a\nb\"\n".repeat(100);
    for (late, message) in [
        ("2\n", "missing data for column \"s\" in t.csv, line 202"),
        ("2,x,y\n", "extra data after last expected column in t.csv, line 202"),
        ("2,\"x\n\n", "unterminated CSV quoted field in t.csv, line 202"),
    ] {
        for block_bytes in [5, 100, 1 << 19] {
            let options = with(|options| (options.block_bytes, options.sample_rows) = (Some(block_bytes), Some(10)));
            let text = format!("k,s\n{rows}{late}");
            assert_eq!(read_as(text.as_bytes(), &options), message, "{block_bytes}");
            let mut bytes = format!("k,s\n{rows}").into_bytes();
            bytes.extend_from_slice(b"3,\xff\n4,z\n");
            let message = "invalid byte sequence for encoding \"UTF8\" in t.csv, line 202";
            assert_eq!(read_as(&bytes, &options), message);
        }
    }
}

#[test]
fn rows_that_are_wrong_may_be_left_out() {
    let mut bytes = b"k,s\n1,a\n2\n3,c,d\n4,\"e\n5,f\n6,".to_vec();
    bytes.extend_from_slice(b"\xff\n\n7,\"g\nh\"\n");
    for block_bytes in [3, 1 << 19] {
        let options = with(|options| (options.ignore_errors, options.block_bytes) = (true, Some(block_bytes)));
        // The quote of row 4 is closed by that of row 7: between them is what is not UTF-8.
        assert_eq!(read_as(&bytes, &options), "k bigint, s text: 1|a");
        let text = "k,s\n1,a\n2\n3,c,d\n\n5,\"f\n";
        assert_eq!(read_as(text.as_bytes(), &options), "k bigint, s text: 1|a");
        let padded = with(|options| {
            (options.null_padding, options.ignore_errors, options.block_bytes) = (true, true, Some(block_bytes));
        });
        assert_eq!(read_as(text.as_bytes(), &padded), "k bigint, s text, column2 text: 1|a|- / 2|-|- / 3|c|d");
    }
    let padded = with(|options| options.null_padding = true);
    assert_eq!(read_as(b"k,s\r\n1,a\r\n2\r\n\"3\"\r\n", &padded), "k bigint, s text: 1|a / 2|- / 3|-");
    let folder = Folder::new();
    let fields = [Field::new("k", DataType::Integer, true), Field::new("s", DataType::Text, true)];
    let options = with(|options| options.ignore_errors = true);
    let found = table(&folder, b"1,a\nx,b\n3,c,d\n99999999999,e\n5,f\n", &options, Some(&fields)).unwrap();
    assert_eq!(shown(&found), "k integer, s text: 1|a / 5|f");
}

#[test]
fn rows_that_are_wrong_are_a_table() {
    let rejects = with(|options| {
        (options.rejects, options.header) = (true, Some(true));
        options.types = vec![(Some("k".into()), DataType::Integer)];
    });
    let text = b"k,s\n1,\"a\n\"\n2\nx,b\n3,c,d\n4,e\n";
    for block_bytes in [2, 9, 1 << 19] {
        let rejects = CsvOptions { block_bytes: Some(block_bytes), ..rejects.clone() };
        let all = read_as(text, &rejects);
        let rows: Vec<&str> = all.split(" / ").collect();
        assert!(rows[0].ends_with("|4|11|-|missing data for column \"s\"|2"), "{all}");
        assert!(rows[1].ends_with("|5|13|k|invalid input syntax for type integer: \"x\"|x,b"), "{all}");
        assert!(rows[2].ends_with("|6|17|-|extra data after last expected column|3,c,d") && rows.len() == 3, "{all}");
    }
}

#[test]
fn what_options_say() {
    let text = "about\nthis file\n#k;s\nk;s\n1;x\n#2;y\nNA;n/a\n3;z\n";
    let options = with(|options| (options.skip, options.comment) = (2, Some(b'#')));
    assert_eq!(read_as(text.as_bytes(), &options), "k bigint, s text: 1|x / -|n/a / 3|z");
    let more = with(|options| {
        (options.skip, options.comment) = (2, Some(b'#'));
        options.other_nulls = vec!["NA".into(), "n/a".into()];
        options.names = vec!["key".into()];
    });
    assert_eq!(read_as(text.as_bytes(), &more), "key bigint, s text: 1|x / -|- / 3|z");
    let typed = |types: &[(Option<&str>, DataType)]| {
        with(|options| options.types = types.iter().map(|(name, of)| (name.map(str::to_owned), *of)).collect())
    };
    let types = typed(&[(Some("B"), DataType::Text), (Some("a"), DataType::SmallInt)]);
    assert_eq!(read_as(b"a,b\n1,2\n", &types), "a smallint, b text: 1|2");
    assert_eq!(
        read_as(b"a,b\n1,2\n70000,3\n", &types),
        "value \"70000\" is out of range for type smallint, column \"a\" in t.csv, line 3"
    );
    let types = typed(&[(Some("c"), DataType::Text)]);
    assert_eq!(read_as(b"a,b\n1,2\n", &types), "a type is given for column \"c\", which is not in the file");
    let plain = with(|options| options.auto_detect = false);
    assert_eq!(read_as(b"1,2\n'a',b|c\n", &plain), "column0 text, column1 text: 1|2 / 'a'|b|c");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_and_other_encodings() {
    let mut text = String::from("k,s\r\n");
    (0..60_000).for_each(|row| text.push_str(&format!("{row},\"zażółć 😀\n{row}\"\r\n")));
    let whole = read_as(text.as_bytes(), &CsvOptions::default());
    let two = [gzip(&text.as_bytes()[..1000]), gzip(&text.as_bytes()[1000..])].concat();
    let wide =
        |to: fn(u16) -> [u8; 2]| "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(to).collect::<Vec<u8>>();
    let (little, big) = (wide(u16::to_le_bytes), wide(u16::to_be_bytes));
    let zstd = |bytes: &[u8]| zstd::stream::encode_all(bytes, 1).unwrap();
    for bytes in [gzip(text.as_bytes()), two, zstd(text.as_bytes()), little.clone(), big, gzip(&little), zstd(&little)]
    {
        for block_bytes in [4096, 1 << 19] {
            let options = with(|options| options.block_bytes = Some(block_bytes));
            assert!(read_as(&bytes, &options) == whole, "{:?}", &bytes[..4]);
        }
    }
    let latin = with(|options| options.encoding = Encoding::named("ISO-8859-1"));
    assert_eq!(read_as(b"k,s\n1,caf\xe9\n", &latin), "k bigint, s text: 1|café");
    let windows = with(|options| options.encoding = Encoding::named("windows-1252"));
    assert_eq!(read_as(b"k,s\n1,\x80\xe9\x93\n", &windows), "k bigint, s text: 1|€é“");
    let wide = with(|options| options.encoding = Encoding::named("utf-16"));
    assert_eq!(read_as(&little[2..42], &wide).split(':').next(), Some("k bigint, s text"));
}

#[test]
fn compressed_files_that_are_damaged() {
    let text = "k,s\n".to_owned() + &"1,x\n".repeat(100_000);
    let whole = gzip(text.as_bytes());
    let gz = with(|options| options.compression = Some(Compression::Gzip));
    for damaged in [&whole[..whole.len() / 2], &whole[..whole.len() - 1], b"k,s\n1,x\n", &whole[..1], b""] {
        let folder = Folder::new();
        let error = table(&folder, damaged, &gz, None).unwrap_err();
        assert_eq!(error.sqlstate(), "22P04", "{error}");
    }
    let zstd = with(|options| options.compression = Some(Compression::Zstd));
    assert_eq!(table(&Folder::new(), text.as_bytes(), &zstd, None).unwrap_err().sqlstate(), "22P04");
    let odd = [b"\xff\xfek\0\n\0".as_slice(), b"\xff\xfek\0\n\0\0\xd8", b"\xff\xfek"];
    for (bytes, is_whole) in odd.into_iter().zip([true, false, false]) {
        assert_eq!(table(&Folder::new(), bytes, &CsvOptions::default(), None).is_ok(), is_whole);
    }
}

#[test]
fn what_a_compressed_file_holds_counts_against_the_limit() {
    use multiloop_exec::workers::context::Memory;
    let bomb = gzip(format!("s\n{}\n", "x".repeat(300) + "\n").repeat(1 << 17).as_bytes());
    let folder = Folder::new();
    let path = [PathBuf::from(folder.write("t.csv.gz", &bomb))];
    let limited = Context::new(Memory::new(4 << 20));
    assert_eq!(read(&files(&path), &CsvOptions::default(), None, &limited).unwrap_err().sqlstate(), "53200");
    let row = gzip(format!("s\n{}", "x".repeat(3 << 20)).as_bytes());
    let options = with(|options| options.row_bytes_max = Some(1 << 20));
    assert!(read_as(&row, &options).starts_with("a row of more than"), "{}", &read_as(&row, &options)[..40]);
}

/// Rows that stay where they are are the same rows.
#[test]
fn scans_give_the_rows_of_loads() {
    let mut text = String::from("k,d,s,x,none\n");
    for row in 0..5000 {
        let quoted = if row % 7 == 0 { "\"a,\n\"\"b\"\"\"" } else { "plain" };
        let late = if row == 4000 { "12345678901.5" } else { "7" };
        text.push_str(&format!("{},2020-01-{:02},{quoted},{late},\n", row - 100, row % 28 + 1));
    }
    let folder = Folder::new();
    let one = folder.write("a.csv", &text);
    let other = folder.write("b.csv", "x,s,more\n0.5,z,1\n,y,2\n");
    let paths = [PathBuf::from(&one), PathBuf::from(&other)];
    for block_bytes in [100, 5000, 1 << 19] {
        let options = with(|options| (options.block_bytes, options.scan_bytes) = (Some(block_bytes), Some(0)));
        let context = context().with_pool(&Arc::new(Pool::new(2).unwrap()));
        let scanned = open(&files(&paths), &options, false, (None, &context)).unwrap().0;
        assert!(scanned.is_lazy() && !open(&files(&paths), &options, true, (None, &context)).unwrap().0.is_lazy());
        let loaded = read(&files(&paths), &options, None, &context).unwrap();
        let (known, all) = (&scanned.statistics.columns, &loaded.statistics.columns);
        let types = |table: &Table| table.fields.iter().map(|field| field.data_type).collect::<Vec<_>>();
        assert_eq!(types(&scanned), types(&loaded));
        assert_eq!(known[0].proofs.min, all[0].proofs.min);
        assert_eq!((known[1].proofs.nulls, &known[1].proofs.max), (2, &all[1].proofs.max));
        assert!(shown(&scanned.load(scanned.fields.clone(), &context).unwrap()) == shown(&loaded));
        for chunk in scanned.chunks.iter().filter(|chunk| chunk.rows > 2) {
            assert_eq!(chunk.lazy.as_ref().unwrap().reader().read(1, 1..3).unwrap().rows(), 2);
        }
        // A file that is another one by then is an error.
        let scanned = open(&files(&paths), &options, false, (None, &context)).unwrap().0;
        std::fs::write(&one, text.replace("plain", "plane")).unwrap();
        let error = scanned.load(scanned.fields.clone(), &context).unwrap_err();
        assert_eq!(error.sqlstate(), "22P04", "{error}");
        std::fs::write(&one, &text).unwrap();
    }
    let typed = with(|options| {
        (options.scan_bytes, options.types) = (Some(0), vec![(Some("x".into()), DataType::Integer)]);
    });
    let scanned = open(&files(&paths[..1]), &typed, false, (None, &context())).unwrap().0;
    let reader = scanned.chunks[0].lazy.as_ref().unwrap().reader();
    assert_eq!(reader.read(0, 0..5000).unwrap().rows(), 5000);
    let error = reader.read(3, 0..5000).unwrap_err();
    assert!(error.message().contains("column \"x\"") && error.message().contains("line 4574"), "{error}");
}

/// What is not known of a column is not taken for something: of one row one NULL would be all.
#[test]
fn one_row_of_a_said_type_is_not_null() {
    let folder = Folder::new();
    let path = [PathBuf::from(folder.write("t.csv", "k,s\n7,a\n"))];
    let options = with(|options| {
        (options.scan_bytes, options.types) = (Some(0), vec![(Some("k".into()), DataType::Integer)]);
    });
    let table = open(&files(&path), &options, false, (None, &context())).unwrap().0;
    assert_eq!(table.statistics.columns[0].proofs.nulls, 0);
    assert_eq!(shown(&table), "k integer, s text: 7|a");
}

/// A row that is left out is left out of columns that are read twice, too.
#[test]
fn rows_that_are_left_out_stay_so() {
    let mut text = String::from("a,b\n");
    for row in 0..20_000 {
        let a = if row == 2 || row == 15_000 { "x".to_owned() } else { row.to_string() };
        let b = if row == 19_999 { "late" } else { "1" };
        text.push_str(&format!("{a},{b}\n"));
    }
    for block_bytes in [1000, 1 << 19] {
        let options = with(|options| {
            (options.ignore_errors, options.block_bytes) = (true, Some(block_bytes));
            (options.sample_rows, options.types) = (Some(10), vec![(Some("a".into()), DataType::Integer)]);
        });
        let folder = Folder::new();
        let table = table(&folder, text.as_bytes(), &options, None).unwrap();
        let rows = shown(&table);
        assert!(rows.starts_with("a integer, b text: 0|1 / 1|1 / 3|1"), "{}", &rows[..60]);
        assert!(rows.ends_with("19999|late") && rows.split(" / ").count() == 19_998);
    }
}

/// A comment belongs to no row, whatever it holds.
#[test]
fn comments_in_other_encodings() {
    let text = b"k,s\n1,a\n# caf\xe9\n2,b\n#\xff\n".as_slice();
    let bad = b"k,s\n1,a\n2,\xff\n# c\n3,c\n".as_slice();
    let fields = [Field::new("k", DataType::BigInt, true), Field::new("s", DataType::Text, true)];
    let folder = Folder::new();
    for block_bytes in [3, 1 << 19] {
        for ignore_errors in [false, true] {
            let options = with(|options| {
                (options.comment, options.ignore_errors) = (Some(b'#'), ignore_errors);
                (options.block_bytes, options.header) = (Some(block_bytes), Some(true));
            });
            let found = table(&folder, text, &options, Some(&fields)).unwrap();
            assert_eq!(shown(&found), "k bigint, s text: 1|a / 2|b", "{block_bytes} {ignore_errors}");
            match table(&folder, bad, &options, Some(&fields)) {
                Ok(found) => assert_eq!(shown(&found), "k bigint, s text: 1|a / 3|c"),
                Err(error) => assert!(!ignore_errors && error.message().ends_with("t.csv, line 3"), "{error}"),
            }
        }
    }
}

/// The name of an encoding says which byte comes first, unless a mark does.
#[test]
fn byte_orders() {
    let units: Vec<u16> = "k,s\n1,é\n".encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for (name, bytes) in [("utf-16be", &big), ("UTF-16LE", &little), ("utf-16", &little)] {
        let options = with(|options| options.encoding = Encoding::named(name));
        assert_eq!(read_as(bytes, &options), "k bigint, s text: 1|é", "{name}");
        let marked = [b"\xfe\xff", big.as_slice()].concat();
        assert_eq!(read_as(&marked, &options), "k bigint, s text: 1|é", "{name}");
        assert_eq!(Encoding::named(options.encoding.unwrap().name()), options.encoding);
    }
}

/// What no double holds is text, as it is where it stands, in the first rows or in later ones.
#[test]
fn numbers_beyond_doubles() {
    let options = CsvOptions::default();
    assert_eq!(read_as(b"k\n1e-400\n", &options), "k text: 1e-400");
    assert_eq!(read_as(b"k\n0.5\n1e400\n", &options), "k text: 0.5 / 1e400");
    assert_eq!(read_as(b"k\n0e5\n0.0e-400\n", &options), "k double precision: 0 / 0");
    let long = format!("k\n0.5\n0.{}1\n", "0".repeat(400));
    assert!(read_as(long.as_bytes(), &options).starts_with("k text: 0.5 / 0.000"));
    let late = format!("k\n{}1e-400\n", "0.5\n".repeat(30_000));
    assert!(read_as(late.as_bytes(), &options).ends_with("0.5 / 1e-400"));
}

/// A row is as long as it may be, wherever blocks are cut.
#[test]
fn long_rows_are_refused_within_a_block() {
    let text = format!("k,s\n1,a\n2,{}\n3,b\n", "x".repeat(100));
    for block_bytes in [7, 1 << 19] {
        let options = with(|options| (options.row_bytes_max, options.block_bytes) = (Some(50), Some(block_bytes)));
        let found = read_as(text.as_bytes(), &options);
        assert_eq!(found, "a row of more than 50 bytes in t.csv, line 3");
        let options = with(|options| (options.row_bytes_max, options.block_bytes) = (Some(103), Some(block_bytes)));
        assert!(read_as(text.as_bytes(), &options).starts_with("k bigint, s text: 1|a / 2|xxx"));
    }
}

/// No text holds U+0000.
#[test]
fn the_character_of_number_zero() {
    let found = read_as(b"k,s\n1,a\n2,b\0c\n", &CsvOptions::default());
    assert_eq!(found, "invalid byte sequence for encoding \"UTF8\": 0x00 in t.csv, line 3");
    let lenient = with(|options| options.ignore_errors = true);
    assert_eq!(read_as(b"k,s\n1,a\n2,b\0c\n3,d\n", &lenient), "k bigint, s text: 1|a / 3|d");
}

/// What the first bytes of a file take counts against the limit.
#[test]
fn heads_count_against_the_limit() {
    use multiloop_exec::workers::context::Memory;
    let folder = Folder::new();
    let path = [PathBuf::from(folder.write("t.csv", "x".repeat(40 << 20)))];
    let limited = Context::new(Memory::new(20 << 20));
    let error = read_fields(&files(&path), &CsvOptions::default(), &limited).unwrap_err();
    assert_eq!(error.sqlstate(), "53200", "{error}");
}

/// What may be read but once is not read twice.
#[cfg(unix)]
#[test]
fn pipes_lose_no_rows() {
    let folder = Folder::new();
    let path = folder.path("pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let write = || {
        let path = path.clone();
        std::thread::spawn(move || std::fs::write(path, "k\n1\n"))
    };
    // Its columns are guessed by what is kept of it. Into given ones it is read once.
    let paths = [PathBuf::from(&path)];
    let fields = [Field::new("k", DataType::BigInt, true)];
    for fields in [None, Some(&fields[..])] {
        let writer = write();
        let mut files = files(&paths);
        if fields.is_none() {
            files.identify().unwrap();
        }
        let table = read(&files, &CsvOptions::default(), fields, &context()).unwrap();
        assert_eq!(shown(&table), "k bigint: 1");
        writer.join().unwrap().unwrap();
    }
    let endless = [PathBuf::from("/dev/zero")];
    let error = read(&files(&endless), &CsvOptions::default(), None, &context()).unwrap_err();
    assert_eq!(error.sqlstate(), "0A000", "{error}");
}
