//! Types that another carries, and arrays: as statements give them, beside what PostgreSQL sends.

use super::check;
use crate::encode::cells;
use crate::wire::Format;
use crate::wire::room::Room;
use multiloop::arrow::array::StringArray;
use multiloop::{DataType, Engine, Session, Sight, Value};
use std::sync::Arc;

/// The values of the one column of a statement, in a format.
fn sent(session: &Session, sql: &str, format: Format) -> Vec<Option<Vec<u8>>> {
    let result = session.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let (data_type, sight) = (result.fields()[0].data_type, result.sight().clone());
    let mut sent = Vec::new();
    for batch in result {
        let array = Arc::clone(batch.expect("it runs").column(0));
        let cells = cells(&array, data_type, format, &sight).expect("the type has a form");
        for row in 0..array.len() {
            let mut value = Vec::new();
            cells.value(row, &mut Room::new(&mut value));
            sent.push((!cells.is_null(row)).then_some(value));
        }
        if !Sight::matters_to(data_type) {
            check(array, data_type);
        }
    }
    sent
}

fn session() -> Session {
    Engine::builder().threads(1).build().expect("an engine").session()
}

/// Texts, of which none is NULL.
fn texts(session: &Session, sql: &str) -> Vec<String> {
    let text =
        |value: Option<Vec<u8>>| value.map_or("(null)".to_owned(), |bytes| String::from_utf8_lossy(&bytes).into());
    sent(session, sql, Format::Text).into_iter().map(text).collect()
}

/// The bytes of the first value as hexadecimal digits, in groups of four bytes.
fn binary(session: &Session, sql: &str) -> String {
    let bytes = sent(session, sql, Format::Binary).swap_remove(0).expect("it is not NULL");
    let group = |group: &[u8]| group.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    bytes.chunks(4).map(group).collect::<Vec<_>>().join(" ")
}

#[test]
fn scalars() {
    let session = session();
    for (value, text, bytes) in [
        ("'4294967295'::oid", "4294967295", "ffffffff"),
        ("'17'::xid", "17", "00000011"),
        ("'a b'::name", "a b", "612062"),
        ("'r'::\"char\"", "r", "72"),
        ("''::\"char\"", "", "00"),
        ("'\\303'::\"char\"", "\\303", "c3"),
        ("'\\x00ff'::bytea", "\\x00ff", "00ff"),
        ("''::bytea", "\\x", ""),
        (
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99 9c0b4ef8 bb6d6bb9 bd380a11",
        ),
        ("'{\"b\":1}'::json", "{\"b\":1}", "7b226222 3a317d"),
        ("'{\"b\":1}'::jsonb", "{\"b\": 1}", "017b2262 223a2031 7d"),
        ("'2000-01-01 00:00:00.000001+00'::timestamptz", "2000-01-01 00:00:00.000001+00", "00000000 00000001"),
        ("'infinity'::timestamptz", "infinity", "7fffffff ffffffff"),
        ("'1259'::regclass", "pg_class", "000004eb"),
        ("'0'::regclass", "-", "00000000"),
        ("'2200'::regnamespace", "public", "00000898"),
        ("'23'::regtype", "integer", "00000017"),
    ] {
        let sql = format!("SELECT {value}");
        assert_eq!(texts(&session, &sql), [text], "{value}");
        assert_eq!(binary(&session, &sql), bytes, "{value}");
    }
}

#[test]
fn enums() {
    let mood = DataType::enumeration("mood", vec!["sad".to_owned(), "so so".to_owned()]);
    check(Arc::new(StringArray::from(vec![Some("so so"), None, Some("sad")])), mood);
    check(Arc::new(StringArray::from(vec![Some("{\"so so\",sad,NULL}"), Some("{}")])), DataType::list(mood));
}

/// As pgvector sends them: the number of elements, two bytes of nothing, the elements; those of doubles as doubles.
#[test]
fn vectors() {
    let session = session();
    for (value, text, bytes) in [
        ("'[1,-2.5]'::vector(2)", "[1,-2.5]", "00020000 3f800000 c0200000"),
        ("'[NaN]'::vector(1)", "[NaN]", "00010000 7fc00000"),
        ("'[1e-30,Infinity]'::vector(2)", "[1e-30,Infinity]", "00020000 0da24260 7f800000"),
        ("'[0.1]'::vector(1, double)", "[0.1]", "00010000 3fb99999 9999999a"),
        (
            "ARRAY['[1]'::vector(1), NULL]",
            "{[1],NULL}",
            "00000001 00000001 00003e80 00000002 00000001 00000008 00010000 3f800000 ffffffff",
        ),
        (
            "ARRAY['[1,2]'::vector(2)]",
            "{\"[1,2]\"}",
            "00000001 00000000 00003e80 00000001 00000001 0000000c 00020000 3f800000 40000000",
        ),
    ] {
        let sql = format!("SELECT {value}");
        assert_eq!(texts(&session, &sql), [text], "{value}");
        assert_eq!(binary(&session, &sql), bytes, "{value}");
    }
    let rows = "SELECT v::vector(2) FROM (VALUES ('[1,2]'), (NULL), ('[3,4]')) t(v)";
    assert_eq!(texts(&session, rows), ["[1,2]", "(null)", "[3,4]"]);
    let structs = "SELECT {'v': v::vector(1)} FROM (VALUES ('[1]'), (NULL)) t(v)";
    assert_eq!(texts(&session, structs), ["{'v': '[1]'}", "{'v': NULL}"]);
}

#[test]
fn vectors_that_clients_send() {
    let of = DataType::vector(DataType::Real, 2);
    let read = |bytes: &[u8]| {
        let value = crate::decode::parameter(1, of, (Format::Binary, bytes), &Sight::default());
        value.map_err(|fault| fault.code.to_owned())
    };
    let right = [0, 2, 0, 0, 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0];
    assert_eq!(read(&right), Ok(Value::vector([1.0, -2.5].as_slice())));
    for wrong in
        [&right[..11], &right[..8], &right[..4], &[], &[0, 2, 0, 1, 0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0], b"[1,2]"]
    {
        assert_eq!(read(wrong), Err("22P03".to_owned()), "{wrong:?}");
    }
    assert_eq!(read(&[0, 1, 0, 0, 0x3f, 0x80, 0, 0]), Err("22000".to_owned()));
}

#[test]
fn arrays() {
    let session = session();
    for (value, text, bytes) in [
        (
            "'{1,NULL,3}'::int[]",
            "{1,NULL,3}",
            "00000001 00000001 00000017 00000003 00000001 00000004 00000001 ffffffff 00000004 00000003",
        ),
        ("'{}'::text[]", "{}", "00000000 00000000 00000019"),
        (
            "'{{a,b}}'::varchar[]",
            "{{a,b}}",
            "00000002 00000000 00000413 00000001 00000001 00000002 00000001 00000001 61000000 0162",
        ),
        ("'[0:0]={t}'::boolean[]", "[0:0]={t}", "00000001 00000000 00000010 00000001 00000000 00000001 01"),
        ("'{\\\\x00}'::bytea[]", "{\"\\\\x00\"}", "00000001 00000000 00000011 00000001 00000001 00000001 00"),
    ] {
        let sql = format!("SELECT {value}");
        assert_eq!(texts(&session, &sql), [text], "{value}");
        assert_eq!(binary(&session, &sql), bytes, "{value}");
    }
    // In lists, in lists within lists, and as texts.
    for rows in [
        &["{1,2}", "{}", "(null)", "{3,NULL}"][..],
        &["{{1,2},{3,4}}", "{}", "(null)", "{{5},{6}}", "{{7,8,9}}"],
        &["{1,2}", "{{3,4}}", "(null)", "[-1:0]={5,NULL}", "{}"],
        &["{{{1},{2}}}", "{{{3},{4}},{{5},{6}}}"],
    ] {
        let value = |text: &&str| if *text == "(null)" { "(NULL)".to_owned() } else { format!("('{text}')") };
        let values = rows.iter().map(value).collect::<Vec<_>>().join(", ");
        let number = rows.len();
        session.sql(&format!("CREATE OR REPLACE TABLE t{number} (a int[])")).expect("a table");
        session.sql(&format!("INSERT INTO t{number} VALUES {values}")).expect("rows");
        assert_eq!(texts(&session, &format!("SELECT a FROM t{number}")), rows, "{rows:?}");
    }
}

#[test]
fn elements_are_quoted_where_they_must_be() {
    let session = session();
    let sql = "SELECT ARRAY['', 'null', 'NULLs', 'a b', E'tab\\t', 'c,d', '{', '}', '\"', E'\\\\', 'é', E'\\f', NULL]";
    assert_eq!(
        texts(&session, sql),
        ["{\"\",\"null\",NULLs,\"a b\",\"tab\t\",\"c,d\",\"{\",\"}\",\"\\\"\",\"\\\\\",é,\"\u{c}\",NULL}"]
    );
    let sql = "SELECT ARRAY[timestamptz '2020-01-01 00:00:00+00', NULL]";
    session.set("timezone", "Asia/Kolkata").expect("a zone");
    assert_eq!(texts(&session, sql), ["{\"2020-01-01 05:30:00+05:30\",NULL}"]);
    session.sql("CREATE SCHEMA \"S\"; CREATE TABLE \"S\".\"select\" (a int); CREATE TABLE t (a int)").expect("tables");
    let all = texts(&session, "SELECT '{16385,23,0}'::regclass[]");
    assert!(all[0].ends_with(",23,-}"), "{all:?}");
}

#[test]
fn instants_are_shown_in_the_zone() {
    let session = session();
    let instants =
        "SELECT v::timestamptz FROM (VALUES ('2020-01-01 00:00Z'), ('2020-07-01 00:00Z'), ('1800-01-01 00:00Z'),
        ('0001-01-01 00:00Z'), ('-infinity')) t(v)";
    for (zone, expected) in [
        (
            "Europe/Berlin",
            [
                "2020-01-01 01:00:00+01",
                "2020-07-01 02:00:00+02",
                "1800-01-01 00:53:28+00:53:28",
                "0001-01-01 00:53:28+00:53:28",
                "-infinity",
            ],
        ),
        (
            "-3",
            [
                "2019-12-31 21:00:00-03",
                "2020-06-30 21:00:00-03",
                "1799-12-31 21:00:00-03",
                "0001-12-31 21:00:00-03 BC",
                "-infinity",
            ],
        ),
    ] {
        session.set("timezone", zone).expect("a zone");
        assert_eq!(texts(&session, instants), expected, "{zone}");
        // In SQL they are the same texts.
        let shown = instants.replace("v::timestamptz", "v::timestamptz::text");
        assert_eq!(texts(&session, &shown), expected, "{zone}");
    }
}
