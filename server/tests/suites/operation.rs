//! What whoever runs a server sees of it, and how they stop what others run.

use super::client::{Client, PATIENCE, Running, Script, shown};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// A statement that would take days, once there is a table of numbers.
const ENDLESS: &str = "SELECT count(*) FROM n a, n b, n c WHERE a.i * b.i % 7919 = c.i % 17";

/// Sends bytes to where a server is watched; gives all that it answers.
fn asked(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
    stream.write_all(request).expect("it takes what is sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

fn get(address: SocketAddr, path: &str) -> String {
    asked(address, format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
}

/// The value of a line of the metrics.
fn value(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("no {name} in\n{text}"));
    line.trim().parse().expect("a number")
}

#[test]
fn metrics_and_health() {
    let mut server = Running::with(|options| options.metrics = Some(([127, 0, 0, 1], 0).into()));
    let watched = server.metrics.expect("it is watched");
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int)");
    client.rows("INSERT INTO t VALUES (1), (2), (3)");
    client.rows("SELECT a FROM t");
    assert_eq!(client.say(Script::new().query("SELECT 1 / 0")), "E(22012)Z");
    assert_eq!(client.say(Script::new().query("nonsense")), "E(42601)Z");
    let text = get(watched, "/metrics");
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.contains("version=0.0.4"), "{text}");
    for (name, expected) in [
        ("multiloop_connections_total", 1),
        ("multiloop_sessions", 1),
        ("multiloop_rows_total", 6),
        ("multiloop_statements_total{kind=\"select\"}", 1),
        ("multiloop_statements_total{kind=\"insert\"}", 1),
        ("multiloop_statements_total{kind=\"create\"}", 1),
        ("multiloop_errors_total{class=\"22\"}", 1),
        ("multiloop_errors_total{class=\"42\"}", 1),
        ("multiloop_statement_duration_seconds_count", 4),
    ] {
        assert_eq!(value(&text, name), expected, "{name}");
    }
    for name in ["multiloop_received_bytes_total", "multiloop_sent_bytes_total", "multiloop_memory_bytes"] {
        assert!(value(&text, name) > 0, "{name}");
    }
    assert!(get(watched, "/health").ends_with("\r\n\r\nok\n"));
    for (request, status) in [
        ("GET /nothing HTTP/1.1\r\n\r\n", "404"),
        ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
        ("hello\r\n\r\n", "400"),
        ("\r\n\r\n", "400"),
    ] {
        let answer = asked(watched, request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
    }
    // What is no request, or never ends, gets no answer.
    assert_eq!(asked(watched, &vec![b'x'; 20_000]), "");
    // A server that goes down is not healthy, and still counted.
    server.numbers(5);
    let mut busy = server.client();
    busy.send(Script::new().query(ENDLESS));
    std::thread::sleep(Duration::from_millis(200));
    server.control.drain();
    std::thread::sleep(Duration::from_millis(100));
    assert!(get(watched, "/health").starts_with("HTTP/1.1 503"));
    server.control.end();
    server.wait();
}

#[test]
fn who_is_there_and_what_they_do() {
    let server = Running::start();
    server.numbers(5);
    let mut busy = Client::connect(server.address);
    busy.startup(&[("user", "somebody"), ("database", "d"), ("application_name", "test")]);
    busy.ready();
    let mut watcher = server.client();
    let about = |process: i32| {
        format!(
            "SELECT usename, datname, application_name, client_addr, state, query, backend_type, \
             client_port > 0, query_start >= backend_start, xact_start IS NOT NULL \
             FROM pg_stat_activity WHERE pid = {process}"
        )
    };
    let seen = |watcher: &mut Client, process: i32| -> Vec<String> {
        let rows = watcher.rows(&about(process));
        rows.into_iter().flatten().map(Option::unwrap_or_default).collect()
    };
    let who = ["somebody", "d", "test", "127.0.0.1"];
    assert_eq!(seen(&mut watcher, busy.key.0)[..6], [&who[..], &["idle", ""]].concat());
    busy.rows("BEGIN");
    let now = seen(&mut watcher, busy.key.0);
    assert_eq!(now[4..], ["idle in transaction", "BEGIN", "client backend", "t", "t", "t"]);
    assert_eq!(busy.say(Script::new().query("SELECT 1 / 0")), "E(22012)Z");
    assert_eq!(seen(&mut watcher, busy.key.0)[4..6], ["idle in transaction (aborted)", "SELECT 1 / 0"]);
    busy.rows("ROLLBACK");
    busy.send(Script::new().query(ENDLESS));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(seen(&mut watcher, busy.key.0)[4..6], ["active", ENDLESS]);
    // It can be stopped, and its session goes on.
    let stop = format!("SELECT pg_cancel_backend({})", busy.key.0);
    assert_eq!(watcher.rows(&stop), [[Some("t".to_owned())]]);
    assert_eq!(shown(&busy.ready()), "E(57014)Z");
    assert_eq!(busy.rows("SELECT 1"), [[Some("1".to_owned())]]);
    // What runs no more is not stopped.
    assert_eq!(watcher.rows(&stop), [[Some("t".to_owned())]]);
    assert_eq!(busy.rows("SELECT 1"), [[Some("1".to_owned())]]);
    assert_eq!(watcher.rows("SELECT pg_cancel_backend(2147483647)"), [[Some("f".to_owned())]]);
    // To prepare it does nothing yet.
    let prepare = Script::new().parse("", &format!("SELECT pg_terminate_backend({})", busy.key.0), &[]);
    assert_eq!(watcher.say(prepare.sync()), "1Z");
    assert_eq!(busy.rows("SELECT 1"), [[Some("1".to_owned())]]);
    assert_eq!(watcher.say(Script::new().bind("", "", &[], (&[], &[])).execute("", 0).sync()), "2DC(SELECT 1)Z");
    let error = busy.message().expect("a last word");
    assert_eq!((error.field('S').as_deref(), error.field('C').as_deref()), (Some("FATAL"), Some("57P01")));
    assert_eq!(busy.message(), None);
    let started = Instant::now();
    while !seen(&mut watcher, busy.key.0).is_empty() {
        assert!(started.elapsed() < PATIENCE, "who has left is not there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_statement_ends_with_its_session() {
    let server = Running::start();
    server.numbers(5);
    let (mut busy, mut watcher) = (server.client(), server.client());
    busy.send(Script::new().query(ENDLESS));
    std::thread::sleep(Duration::from_millis(200));
    watcher.rows(&format!("SELECT pg_terminate_backend({})", busy.key.0));
    let messages = busy.ready();
    assert_eq!(shown(&messages), "E(57014)Z");
    assert_eq!(busy.message().and_then(|error| error.field('C')).as_deref(), Some("57P01"));
    assert_eq!(busy.message(), None);
}

#[test]
fn who_does_not_read_can_be_ended() {
    let server = Running::start();
    server.numbers(5);
    let (mut slow, mut watcher) = (server.client(), server.client());
    slow.send(Script::new().query("SELECT a.i, repeat('x', 200) FROM n a, (VALUES (1), (2), (3), (4), (5)) b(j)"));
    std::thread::sleep(Duration::from_millis(500));
    watcher.rows(&format!("SELECT pg_terminate_backend({})", slow.key.0));
    let started = Instant::now();
    let list = format!("SELECT pid FROM pg_stat_activity WHERE pid = {}", slow.key.0);
    while !watcher.rows(&list).is_empty() {
        assert!(started.elapsed() < PATIENCE, "who has been ended is not there");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn no_list_shows_passwords() {
    let roles = multiloop::Roles::in_memory().expect("there is randomness");
    let engine = multiloop::Engine::builder().threads(1).roles(std::sync::Arc::new(roles)).build();
    let engine = engine.expect("an engine starts");
    let session = engine.session();
    session.sql("CREATE ROLE a PASSWORD 'hidden'").expect("an embedded session may do all");
    let prepared = engine.session();
    prepared.sql("PREPARE p AS ALTER ROLE a PASSWORD 'hidden'").expect("it can be prepared");
    let other = engine.session();
    let rows = other.sql("SELECT query FROM pg_stat_activity").and_then(|rows| rows.collect_batches());
    let shown = format!("{:?}", rows.expect("it runs"));
    assert!(shown.contains("CREATE ROLE") && !shown.contains("hidden"), "{shown}");
}
