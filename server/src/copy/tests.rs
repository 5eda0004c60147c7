//! Data that goes out comes back as it was, however it is cut.

use super::read::Reader;
use super::{CopyIn as _, Form, from_client, to_client};
use multiloop::{Engine, Execution, Session};

fn session() -> Session {
    let session = Engine::builder().threads(1).build().expect("an engine").session();
    session
        .sql(
            "CREATE TABLE t (a int, b text, c numeric(9,2), d timestamp, e boolean);
             INSERT INTO t VALUES (1, 'plain', 1.50, '2020-01-02 03:04:05.5', true), (NULL, NULL, NULL, NULL, NULL),
             (-3, E'tab\\t, \"quoted\" line\\nback\\\\slash\\r', -0.01, '1999-12-31', false), (4, '', 0, NULL, NULL),
             (5, '\\N', 5, NULL, true), (6, '\\.', 6, NULL, true), (7, 'ä;', 7, NULL, true)",
        )
        .expect("a table");
    session.sql("CREATE TABLE u (a int, b text, c numeric(9,2), d timestamp, e boolean)").expect("a table");
    session
}

fn run(session: &Session, sql: &str) -> Execution {
    session.prepare(sql).and_then(|prepared| session.run(&prepared, &[])).expect("it runs")
}

fn out(session: &Session, sql: &str) -> Vec<u8> {
    let Execution::CopyOut(rows) = run(session, sql) else { panic!("{sql} copies nothing out") };
    let mut writer = to_client(rows).expect("a form");
    let (mut data, mut messages) = (Vec::new(), Vec::new());
    while writer.next(100, &mut messages).expect("rows") {
        let mut rest = &messages[..];
        while let Some((head, behind)) = rest.split_first_chunk::<5>() {
            assert_eq!(head[0], b'd');
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4;
            data.extend_from_slice(&behind[..length]);
            rest = &behind[length..];
        }
        assert!(rest.is_empty(), "messages are written whole");
        messages.clear();
    }
    data
}

fn copied(session: &Session, sql: &str, data: &[u8], piece: usize) -> Result<String, (&'static str, String)> {
    let Execution::CopyIn(rows) = run(session, sql) else { panic!("{sql} copies nothing in") };
    let told = |fault: Box<crate::fault::Fault>| (fault.code, fault.message);
    let mut reader = from_client(rows).map_err(told)?;
    for piece in data.chunks(piece) {
        reader.take(piece).map_err(told)?;
    }
    reader.finish(session).map_err(told)
}

fn rows(session: &Session, sql: &str) -> String {
    String::from_utf8_lossy(&out(session, &format!("COPY ({sql}) TO STDOUT"))).into_owned()
}

#[test]
fn what_goes_out_comes_back() {
    let session = session();
    for options in [
        "",
        "(FORMAT csv)",
        "(FORMAT binary)",
        "(FORMAT csv, HEADER true, DELIMITER ';', NULL 'nil')",
        "(FORMAT csv, QUOTE '''', ESCAPE '\\')",
        "(DELIMITER ',', NULL '')",
        "(FORMAT text, HEADER true)",
    ] {
        let data = out(&session, &format!("COPY t TO STDOUT {options}"));
        for piece in [1, 7, data.len()] {
            session
                .sql("CREATE OR REPLACE TABLE u (a int, b text, c numeric(9,2), d timestamp, e boolean)")
                .expect("empty");
            // Of text an empty NULL and an empty string are one.
            let expected = if options.contains("NULL ''") {
                "SELECT a, nullif(b, '') AS b, c, d, e FROM t"
            } else {
                "SELECT * FROM t"
            };
            assert_eq!(
                copied(&session, &format!("COPY u FROM STDIN {options}"), &data, piece),
                Ok("COPY 7".to_owned()),
                "{options}"
            );
            assert_eq!(
                rows(&session, "SELECT * FROM u ORDER BY a, b"),
                rows(&session, &format!("SELECT * FROM ({expected}) x ORDER BY a, b")),
                "{options}"
            );
        }
    }
}

#[test]
fn every_type_goes_out_and_comes_back() {
    let session = session();
    let columns = "a oid, b regclass, c name, d \"char\", e bytea, f uuid, g json, h jsonb, i timestamptz, j int[], k text[], \
                   l timestamptz[], m numeric(9,2)[], n char(3)[]";
    session.sql(&format!("CREATE TABLE v ({columns})")).expect("a table");
    session
        .sql(
            "INSERT INTO v VALUES
             ('1', '0', 'n', 'c', '\\x00ff', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\" : 1}', '{\"a\" : 1}',
              '2020-07-01 00:00+00', '{1,NULL}', E'{\"a,b\",\"\\\\\\\\\"}', '{infinity,2020-01-01 00:00+00}', '{1.50}', '{a}'),
             ('2', '9', '', '', '', NULL, 'null', '[]', 'infinity', '[0:1][2:2]={{1},{2}}', '{}', '{}', '{{1,2}}', '{}'),
             (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        )
        .expect("rows");
    let expected = rows(&session, "SELECT * FROM v");
    for (options, zone) in [("", "Asia/Kolkata"), ("(FORMAT csv)", "-3"), ("(FORMAT binary)", "UTC")] {
        session.set("timezone", zone).expect("a zone");
        let data = out(&session, &format!("COPY v TO STDOUT {options}"));
        session.sql(&format!("CREATE OR REPLACE TABLE w ({columns})")).expect("a table");
        session.set("timezone", "Europe/Berlin").expect("a zone");
        assert_eq!(copied(&session, &format!("COPY w FROM STDIN {options}"), &data, 5), Ok("COPY 3".to_owned()));
        session.set("timezone", "Etc/UTC").expect("a zone");
        assert_eq!(rows(&session, "SELECT * FROM w"), expected, "{options}");
    }
    // What says no zone is in the session's.
    session.set("timezone", "Europe/Berlin").expect("a zone");
    assert_eq!(copied(&session, "COPY w (i) FROM STDIN", b"2020-07-01 12:00\n", 5), Ok("COPY 1".to_owned()));
    assert_eq!(
        rows(&session, "SELECT i AT TIME ZONE 'UTC' FROM w WHERE i > '2020-07-01 01:00Z' AND i < 'infinity'"),
        "2020-07-01 10:00:00\n"
    );
}

#[test]
fn it_is_postgresqls() {
    let session = session();
    let text =
        String::from_utf8_lossy(&out(&session, "COPY (SELECT * FROM t WHERE a < 5 ORDER BY a) TO STDOUT")).into_owned();
    let lines = "-3\ttab\\t, \"quoted\" line\\nback\\\\slash\\r\t-0.01\t1999-12-31 00:00:00\tf\n\
                 1\tplain\t1.50\t2020-01-02 03:04:05.5\tt\n4\t\t0.00\t\\N\t\\N\n";
    assert_eq!(text, lines);
    let csv = String::from_utf8_lossy(&out(
        &session,
        "COPY (SELECT b, a FROM t WHERE a > 3 OR a IS NULL ORDER BY a) TO STDOUT CSV HEADER",
    ))
    .into_owned();
    assert_eq!(csv, "b,a\n\"\",4\n\\N,5\n\\.,6\nä;,7\n,\n");
    assert_eq!(
        out(&session, "COPY (SELECT 1::smallint AS a, NULL::text AS b WHERE true) TO STDOUT (FORMAT binary)"),
        b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x02\0\x01\xff\xff\xff\xff\xff\xff"
    );
}

#[test]
fn bad_data_is_refused_and_nothing_is_kept() {
    let session = session();
    let state = |sql: &str, data: &[u8]| copied(&session, sql, data, 3).map_err(|(code, _)| code);
    assert_eq!(state("COPY u FROM STDIN", b"1\tx\n"), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN", b"1\t2\n"), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN", b"1\nx\n"), Err("22P02"));
    assert_eq!(state("COPY u (b) FROM STDIN", b"\xff\n"), Err("22021"));
    assert_eq!(state("COPY u (b) FROM STDIN CSV", b"\"open\n"), Err("22P04"));
    session.sql("CREATE TABLE strict (a int NOT NULL, b varchar(2))").expect("a table");
    assert_eq!(state("COPY strict FROM STDIN", b"1\ta\n\\N\tb\n"), Err("23502"));
    assert_eq!(state("COPY strict FROM STDIN", b"1\tabc\n"), Err("22001"));
    assert_eq!(rows(&session, "SELECT * FROM strict"), "");
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", b"PGCOPY\n"), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", b"nothing of the kind"), Err("22P04"));
    let head = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0".to_vec();
    let with = |more: &[u8]| [&head, more].concat();
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &with(b"\0\x02")), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &with(b"\0\x01\xff\xff\xff\xf0")), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &with(b"\0\x01\0\0\0\x02\0\x01\xff\xff")), Err("22P03"));
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &with(b"\0\x01\0\0")), Err("22P04"));
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &head[..18]), Err("22P04"));
    assert_eq!(rows(&session, "SELECT count(*) FROM u"), "0\n");
    // No trailer, as some send it.
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &head), Ok("COPY 0".to_owned()));
    let one = with(b"\0\x01\0\0\0\x04\0\0\0\x07");
    assert_eq!(state("COPY u (a) FROM STDIN (FORMAT binary)", &one), Ok("COPY 1".to_owned()));
    // Lines behind the end, carriage returns, no end of the last line, numbers of bytes.
    assert_eq!(state("COPY u (a) FROM STDIN", b"1\r\n2\n\\.\nx\n"), Ok("COPY 2".to_owned()));
    assert_eq!(state("COPY u (b) FROM STDIN", b"\\x41\\102\\q\\\\"), Ok("COPY 1".to_owned()));
    assert_eq!(rows(&session, "SELECT b FROM u WHERE b IS NOT NULL"), "ABq\\\\\n");
    assert!(Form::of(&Default::default()).is_ok());
}

/// What a COPY gives that comes in pieces and is cut into blocks of about so many bytes: the table's rows, in their order.
fn copied_in_blocks(
    session: &Session,
    (sql, columns): (&str, &str),
    data: &[u8],
    (piece, block): (usize, usize),
) -> Result<String, (&'static str, String)> {
    session.sql(&format!("CREATE OR REPLACE TABLE b ({columns})")).expect("a table");
    let Execution::CopyIn(copy) = run(session, sql) else { panic!("{sql} copies nothing in") };
    let told = |fault: Box<crate::fault::Fault>| (fault.code, fault.message);
    let form = Form::of(copy.options()).map_err(told)?;
    let mut reader = Box::new(Reader::new(copy, form, block));
    let taken = data.chunks(piece.max(1)).try_for_each(|piece| reader.take(piece));
    taken.and_then(|()| reader.finish(session)).map_err(told)?;
    Ok(rows(session, "SELECT * FROM b"))
}

/// The answer to some data is this, wherever it is cut.
fn check_blocks(copy: (&str, &str), data: &[u8], expected: Result<&str, (&'static str, &str)>) {
    let expected = expected.map(str::to_owned).map_err(|(code, message)| (code, message.to_owned()));
    for threads in [1, 3] {
        let session = Engine::builder().threads(threads).build().expect("an engine").session();
        let whole = copied_in_blocks(&session, copy, data, (data.len(), usize::MAX));
        assert_eq!(whole, expected, "{} of {:?}", copy.0, String::from_utf8_lossy(data));
        for block in 1..=data.len() {
            for piece in [1, block, data.len()] {
                let found = copied_in_blocks(&session, copy, data, (piece, block));
                let shown = String::from_utf8_lossy(data);
                assert_eq!(found, expected, "blocks of {block}, pieces of {piece}: {} of {shown:?}", copy.0);
            }
        }
    }
}

const TEXT: (&str, &str) = ("COPY b FROM STDIN", "a int, b text");
const CSV: (&str, &str) = ("COPY b FROM STDIN CSV", "a int, b text");

#[test]
fn text_is_the_same_in_blocks_of_any_size() {
    let nasty = "1\tplain\n2\t\\N\n\\N\ttab\\tback\\\\\n3\tline\\\nbroken\n4\tcarriage\r\n5\t\n6\t\\\\\\\n\\\\\n7\täöü€😀\n8\tend";
    let shown = "1\tplain\n2\t\\N\n\\N\ttab\\tback\\\\\n3\tline\\nbroken\n4\tcarriage\n5\t\n6\t\\\\\\n\\\\\n7\täöü€😀\n8\tend\n";
    check_blocks(TEXT, nasty.as_bytes(), Ok(shown));
    // An end mark, behind which anything may stand; no line at all; names; lines that are empty.
    check_blocks(TEXT, b"1\ta\n2\tb\n\\.\nx\tc\n4\n", Ok("1\ta\n2\tb\n"));
    check_blocks(TEXT, b"1\ta\n2\tb\n\\.", Ok("1\ta\n2\tb\n"));
    check_blocks(TEXT, b"", Ok(""));
    check_blocks(("COPY b FROM STDIN (HEADER)", "a int, b text"), b"a\tb\n1\ta\n2\tb\n", Ok("1\ta\n2\tb\n"));
    check_blocks(("COPY b FROM STDIN", "b text"), b"\n\na\n\n", Ok("\n\na\n\n"));
    check_blocks(("COPY b FROM STDIN (NULL '')", "a int, b text"), b"1\t\n\tx\n", Ok("1\t\\N\n\\N\tx\n"));
    // Values that no array is made of.
    let lists = ("COPY b FROM STDIN", "a int[], b uuid, c int");
    check_blocks(
        lists,
        b"{1,2}\t\\N\t1\n\\N\t\\N\t2\n{}\t\\N\t\\N\n",
        Ok("{1,2}\t\\N\t1\n\\N\t\\N\t2\n{}\t\\N\t\\N\n"),
    );
}

#[test]
fn csv_is_the_same_in_blocks_of_any_size() {
    let nasty = "1,plain\n2,\n,\"\"\n3,\"two\nlines, \"\"quoted\"\"\"\n4,carriage\r\n5,\"end\"\r\n6,half\"\n\"quoted\n\
                 7,\"äöü€😀\"\n8,\"\n\n\"\n\"9\",\"\"\"\"\n\"10\",\"a,b\"";
    let shown = "1\tplain\n2\t\\N\n\\N\t\n3\ttwo\\nlines, \"quoted\"\n4\tcarriage\n5\tend\n6\thalf\\nquoted\n\
                 7\täöü€😀\n8\t\\n\\n\n9\t\"\n10\ta,b\n";
    check_blocks(CSV, nasty.as_bytes(), Ok(shown));
    check_blocks(CSV, b"1,a\n\\.\n2\n\"", Ok("1\ta\n"));
    check_blocks(CSV, b"1,a\n2,\"\n\\.\n\"\n3,c\n", Ok("1\ta\n2\t\\n\\\\.\\n\n3\tc\n"));
    let escaped = "1;'it\\'s'\n2;'back\\\\'\n3;'\n;\\'\n'\n4;\\\n";
    let options = ("COPY b FROM STDIN (FORMAT csv, DELIMITER ';', QUOTE '''', ESCAPE '\\')", "a int, b text");
    check_blocks(options, escaped.as_bytes(), Ok("1\tit's\n2\tback\\\\\n3\t\\n;'\\n\n4\t\\\\\n"));
    let named = ("COPY b FROM STDIN (FORMAT csv, HEADER)", "a int, b text");
    check_blocks(named, b"\"a\nb\",c\n1,x\n2,y\n", Ok("1\tx\n2\ty\n"));
}

#[test]
fn what_is_wrong_is_told_of_the_first_row_that_is() {
    let missing = |line: u32| format!("missing data for a column (line {line})");
    let extra = |line: u32| format!("extra data after last expected column (line {line})");
    check_blocks(TEXT, b"1\ta\n2\tb\n3\n4\td\n5\te\tf\nx\tg\n", Err(("22P04", &missing(3))));
    check_blocks(TEXT, b"1\ta\n2\tb\\\nc\n5\te\tf\n3\nx\tg\n", Err(("22P04", &extra(3))));
    check_blocks(TEXT, b"1\ta\n\n", Err(("22P04", &missing(2))));
    check_blocks(CSV, b"1,a\n\"2\",\"b\n\n\"\n3,c,\n4\n", Err(("22P04", &extra(3))));
    check_blocks(CSV, b"1,a\n2,\"b\n3,c\n", Err(("22P04", "unterminated CSV quoted field (line 1)")));
    let named = ("COPY b FROM STDIN (FORMAT csv, HEADER)", "a int, b text");
    check_blocks(named, b"a,b\n1,x\n2\n", Err(("22P04", &missing(3))));
    // Of a row the first value, of rows the first, whichever column it is in; what stands behind does not matter.
    let two = ("COPY b FROM STDIN", "a int, b int");
    let integer = |text: &str| format!("invalid input syntax for type integer: \"{text}\"");
    check_blocks(two, b"1\t1\n2\tx\ny\t3\n4\n", Err(("22P02", &integer("x"))));
    check_blocks(two, b"1\t1\nx\ty\nz\t3\n4\n", Err(("22P02", &integer("x"))));
    check_blocks(two, b"1\t1\n2\n3\tx\n", Err(("22P04", &missing(2))));
    // Text that is none, which is looked for in many values at once.
    let encoding = "invalid byte sequence for encoding \"UTF8\": ";
    check_blocks(TEXT, b"1\ta\n2\t\xc3\n3\t\xa4\n4\t\xff\n", Err(("22021", &format!("{encoding}0xc3"))));
    check_blocks(TEXT, b"1\ta\n2\tb\0\n3\t\xff\n", Err(("22021", &format!("{encoding}0x00"))));
}

#[test]
fn binary_data_is_the_same_in_blocks_of_any_size() {
    let copy = ("COPY b FROM STDIN (FORMAT binary)", "a int, b text");
    let head = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\x02xx".to_vec();
    let row = |number: u32, text: Option<&str>| {
        let text = text.map_or(b"\xff\xff\xff\xff".to_vec(), |text| {
            [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat()
        });
        [b"\0\x02\0\0\0\x04", &number.to_be_bytes()[..], &text].concat()
    };
    let three = [head, row(1, Some("a")), row(2, None), row(3, Some("ä€"))].concat();
    let whole = [&three[..], b"\xff\xff"].concat();
    check_blocks(copy, &whole, Ok("1\ta\n2\t\\N\n3\tä€\n"));
    check_blocks(copy, &three, Ok("1\ta\n2\t\\N\n3\tä€\n"));
    check_blocks(copy, &three[..three.len() - 1], Err(("22P04", "unexpected EOF in COPY data")));
    check_blocks(copy, &[&whole[..], b"x"].concat(), Err(("22P04", "received copy data after EOF marker")));
    let fields = [&three[..], b"\0\x03", &row(4, None)].concat();
    check_blocks(copy, &fields, Err(("22P04", "row field count is 3, expected 2")));
    // A value before it is told first.
    let bad = [&three[..], b"\0\x02\0\0\0\x03\0\0\0\xff\xff\xff\xff\0\x03"].concat();
    check_blocks(copy, &bad, Err(("22P03", "incorrect binary data format in bind parameter 1")));
}
