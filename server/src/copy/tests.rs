//! Data that goes out comes back as it was, however it is cut.

use super::{Form, from_client, to_client};
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
    let mut data = Vec::new();
    while writer.next(&mut data).expect("rows") {}
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
