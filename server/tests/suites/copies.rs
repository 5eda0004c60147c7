//! Large copies from a client: rows in their order, the first error, and nothing that is left behind.

use super::client::{Client, PATIENCE, Running, Script, shown};
use multiloop::Engine;
use std::time::{Duration, Instant};

/// So many that they are several times what is taken apart at once.
const ROWS: usize = 200_000;

/// Sizes of messages, in turns: no row ends where one does, but by chance.
const SIZES: [usize; 6] = [1, 70_000, 13, 300_001, 8192, 999];

/// Rows of a number and a text, of which some need quotes.
fn csv() -> Vec<u8> {
    let mut data = Vec::new();
    for row in 0..ROWS {
        let line = match row % 97 {
            0 => format!("{row},\"lines\n{row}, \"\"quoted\"\"\"\n"),
            1 => format!("{row},\n"),
            2 => format!("{row},\"\"\n"),
            3 => format!("{row},äöü€ of row {row}\r\n"),
            _ => format!("{row},something that makes a row longer {row}\n"),
        };
        data.extend_from_slice(line.as_bytes());
    }
    data
}

/// The same as text.
fn text() -> Vec<u8> {
    let mut data = Vec::new();
    for row in 0..ROWS {
        let line = match row % 97 {
            0 => format!("{row}\tlines\\n{row}, \"quoted\"\n"),
            1 => format!("{row}\t\\N\n"),
            2 => format!("{row}\t\n"),
            3 => format!("{row}\täöü€ of row {row}\n"),
            _ => format!("{row}\tsomething that makes a row longer {row}\n"),
        };
        data.extend_from_slice(line.as_bytes());
    }
    data
}

/// Begins a COPY and sends data.
fn begin(client: &mut Client, sql: &str, data: &[u8]) {
    client.send(Script::new().query(sql));
    assert_eq!(client.message().map(|message| message.kind), Some('G'));
    let (mut script, mut rest) = (Script::new(), data);
    for size in SIZES.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (message, behind) = rest.split_at(size.min(rest.len()));
        script = script.message(b'd', message);
        rest = behind;
    }
    client.send(script);
}

fn number(client: &mut Client, sql: &str) -> Option<String> {
    client.rows(sql).remove(0).remove(0)
}

#[test]
fn rows_keep_their_order() {
    let server = Running::start();
    let mut client = server.client();
    for (sql, data) in [("COPY t FROM STDIN CSV", csv()), ("COPY t FROM STDIN", text())] {
        client.rows("CREATE OR REPLACE TABLE t (a int, b text)");
        begin(&mut client, sql, &data);
        client.send(Script::new().message(b'c', b""));
        assert_eq!(shown(&client.ready()), format!("C(COPY {ROWS})Z"));
        let rows = client.rows("SELECT a FROM t");
        assert!(rows.iter().enumerate().all(|(at, row)| row[0].as_deref() == Some(&*at.to_string())), "{sql}");
        // Both are the same rows.
        let lengths = "SELECT sum(length(b)) || ' ' || count(b) || ' ' || sum(a) FROM t WHERE a % 97 < 4";
        assert_eq!(number(&mut client, lengths).as_deref(), Some("80183 6186 824470080"), "{sql}");
    }
}

#[test]
fn the_first_error_is_told() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int, b text)");
    let mut data = text();
    // Lines far from each other: the earlier one counts.
    let places: Vec<usize> = memchr::memchr_iter(b'\n', &data).map(|at| at + 1).collect();
    data[places[150_000]] = b'x';
    data[places[100_000]..places[100_000] + 7].copy_from_slice(b"missing");
    let tab = places[100_000] + memchr::memchr(b'\t', &data[places[100_000]..]).expect("two fields");
    data[tab] = b' ';
    begin(&mut client, "COPY t FROM STDIN", &data);
    client.send(Script::new().message(b'c', b""));
    let messages = client.ready();
    assert_eq!(shown(&messages), "E(22P04)Z");
    assert_eq!(messages[0].field('M').as_deref(), Some("missing data for a column (line 100002)"));
    assert_eq!(number(&mut client, "SELECT count(*) FROM t").as_deref(), Some("0"));
}

/// What the engine uses is what it used before, after a while.
fn wait_for_memory(server: &Running, bytes: usize) {
    let started = Instant::now();
    while server.engine.memory_used() > bytes {
        assert!(started.elapsed() < PATIENCE, "{} bytes are left", server.engine.memory_used());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn who_cancels_or_leaves_leaves_nothing() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int, b text)");
    let before = server.engine.memory_used();
    begin(&mut client, "COPY t FROM STDIN CSV", &csv());
    client.cancel();
    assert_eq!(shown(&client.ready()), "E(57014)Z");
    wait_for_memory(&server, before);
    begin(&mut client, "COPY t FROM STDIN", &text());
    drop(client);
    server.wait_for_nobody();
    wait_for_memory(&server, before);
    assert_eq!(number(&mut server.client(), "SELECT count(*) FROM t").as_deref(), Some("0"));
}

#[test]
fn what_has_come_counts_as_memory() {
    let engine = Engine::builder().threads(2).memory_limit(8 << 20).build().expect("an engine");
    let server = Running::over(engine, |_| {});
    let mut client = server.client();
    client.rows("CREATE TABLE t (b text)");
    let before = server.engine.memory_used();
    // A row that does not end.
    begin(&mut client, "COPY t FROM STDIN CSV", &[b"\"".to_vec(), vec![b'x'; 6 << 20]].concat());
    client.send(Script::new().message(b'c', b""));
    assert_eq!(shown(&client.ready()), "E(53200)Z");
    wait_for_memory(&server, before);
}

/// What a COPY TO gives.
fn copied(client: &mut Client, sql: &str) -> Vec<u8> {
    client.send(Script::new().query(sql));
    let data = client.ready().into_iter().filter(|message| message.kind == 'd');
    data.flat_map(|message| message.body).collect()
}

/// Bit strings and paths of SQL/JSON in both formats; lengths are those of the columns.
#[test]
fn bit_strings_come_and_go() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("CREATE TABLE t (a bit(3), b bit varying(9), p jsonpath)");
    begin(&mut client, "COPY t FROM STDIN", b"101\t1\t$ . a\n\\N\t\t\\N\nb011\tx0f\tstrict $\n");
    client.send(Script::new().message(b'c', b""));
    assert_eq!(shown(&client.ready()), "C(COPY 3)Z");
    let text = copied(&mut client, "COPY t TO STDOUT");
    assert_eq!(String::from_utf8_lossy(&text), "101\t1\t$.\"a\"\n\\N\t\t\\N\n011\t00001111\tstrict $\n");
    let binary = copied(&mut client, "COPY t TO STDOUT BINARY");
    client.rows("CREATE TABLE u (a bit(3), b bit varying(9), p jsonpath)");
    begin(&mut client, "COPY u FROM STDIN BINARY", &binary);
    client.send(Script::new().message(b'c', b""));
    assert_eq!(shown(&client.ready()), "C(COPY 3)Z");
    assert_eq!(copied(&mut client, "COPY u TO STDOUT"), text);
    for (line, state) in [
        ("10\t1\t$\n", "22026"),
        ("1011\t1\t$\n", "22026"),
        ("101\t1111111111\t$\n", "22001"),
        ("102\t1\t$\n", "22P02"),
        ("101\t1\t$[\n", "42601"),
    ] {
        begin(&mut client, "COPY t FROM STDIN", line.as_bytes());
        client.send(Script::new().message(b'c', b""));
        assert_eq!(shown(&client.ready()), format!("E({state})Z"), "{line}");
    }
}
