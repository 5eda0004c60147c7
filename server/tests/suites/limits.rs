//! What clients may take: time, connections, sizes. Each refusal is an answer to whoever asked for too much, and nobody else.

use super::client::{Client, PATIENCE, Running, Script, shown};
use std::time::{Duration, Instant};

/// A statement that would take days, once there is a table of numbers.
const ENDLESS: &str = "SELECT count(*) FROM n a, n b, n c WHERE a.i * b.i % 7919 = c.i % 17";

/// The SQLSTATE and the text of the next message, an error, and whether the connection ends with it.
fn last_word(client: &mut Client) -> (String, String) {
    let error = client.message().expect("a last word");
    assert_eq!((error.kind, error.field('S').as_deref()), ('E', Some("FATAL")));
    assert_eq!(client.message(), None);
    (error.field('C').unwrap_or_default(), error.field('M').unwrap_or_default())
}

#[test]
fn statements_have_a_time() {
    let server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    client.send(Script::new().query(&format!("SET statement_timeout = 600; SELECT 1; {ENDLESS}; SELECT 2")));
    let messages = client.ready();
    assert_eq!(shown(&messages), "C(SET)TDC(SELECT 1)E(57014)Z");
    let error = messages.iter().find(|message| message.kind == 'E').and_then(|error| error.field('M'));
    assert_eq!(error.as_deref(), Some("canceling statement due to statement timeout"));
    // The text was undone as a whole.
    assert_eq!(client.rows("SHOW statement_timeout"), [[Some("0".to_owned())]]);
    // One may be a text's alone, and then what comes next has none. A statement by itself is over as soon as it is set.
    let local = "SET LOCAL statement_timeout = '1h'";
    assert_eq!(
        client.say(Script::new().query(&format!("{local}; SELECT 1; SELECT 2"))),
        "C(SET)TDC(SELECT 1)TDC(SELECT 1)Z"
    );
    assert_eq!(client.say(Script::new().query(local)), "C(SET)NZ");
    assert_eq!(client.rows("SHOW statement_timeout"), [[Some("0".to_owned())]]);
    client.rows("SET statement_timeout = '600ms'");
    let one = Script::new().parse("", ENDLESS, &[]).bind("", "", &[], (&[], &[])).execute("", 0).sync();
    assert_eq!(client.say(one), "12E(57014)Z");
    // Each statement has its own.
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
    }
    // Who cancels is told another thing.
    client.rows("SET statement_timeout = '1h'");
    client.send(Script::new().query(ENDLESS));
    std::thread::sleep(Duration::from_millis(200));
    client.cancel();
    let error = client.ready().into_iter().find(|message| message.kind == 'E').and_then(|error| error.field('M'));
    assert_eq!(error.as_deref(), Some("canceling statement due to user request"));
}

#[test]
fn slow_readers_and_copies_have_a_time() {
    let server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    client.rows("CREATE TABLE t (a int)");
    client.rows("SET statement_timeout = 400");
    // It takes less than that to compute; nobody reads it.
    client.send(Script::new().query("SELECT a.i, repeat('x', 200) FROM n a, (VALUES (1), (2), (3)) b(j)"));
    std::thread::sleep(Duration::from_millis(1500));
    let others: String = shown(&client.ready()).replace('D', "");
    assert_eq!(others, "TE(57014)Z");
    client.send(Script::new().query("COPY t FROM STDIN"));
    let started = Instant::now();
    assert_eq!(shown(&client.ready()), "GE(57014)Z");
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(client.rows("SELECT count(*) FROM t"), [[Some("0".to_owned())]]);
}

#[test]
fn idle_clients_are_sent_away() {
    let server = Running::start();
    let mut client = server.client();
    client.rows("SET idle_session_timeout = 300");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
    let text = "terminating connection due to idle-session timeout".to_owned();
    assert_eq!(last_word(&mut client), ("57P05".to_owned(), text));

    let mut client = server.client();
    client.rows("SET idle_in_transaction_session_timeout = 300");
    std::thread::sleep(Duration::from_millis(600));
    // Outside of a transaction that says nothing.
    client.rows("CREATE TABLE t (a int)");
    client.rows("BEGIN");
    client.rows("INSERT INTO t VALUES (1)");
    let text = "terminating connection due to idle-in-transaction timeout".to_owned();
    assert_eq!(last_word(&mut client), ("25P03".to_owned(), text));
    assert_eq!(server.client().rows("SELECT count(*) FROM t"), [[Some("0".to_owned())]]);
    // One that has failed is one, too; who has brought the limit along has it from the start.
    let mut client = Client::connect(server.address);
    client.startup(&[("user", "u"), ("options", "-c idle_in_transaction_session_timeout=300")]);
    client.ready();
    assert_eq!(client.say(Script::new().query("BEGIN")), "C(BEGIN)Z");
    assert_eq!(client.say(Script::new().query("SELECT 1 / 0")), "E(22012)Z");
    assert_eq!(last_word(&mut client).0, "25P03");
}

#[test]
fn who_does_not_enter_leaves() {
    let server = Running::with(|options| options.limits.authentication_timeout = Duration::from_millis(300));
    let started = Instant::now();
    let mut silent = Client::connect(server.address);
    let mut half = Client::connect(server.address);
    half.raw(b"\0\0\0\x20\0\x03");
    assert_eq!((silent.message(), half.message()), (None, None));
    assert!(started.elapsed() >= Duration::from_millis(250) && started.elapsed() < PATIENCE / 2);
    // Who has entered may take their time.
    let mut client = server.client();
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn who_waits_keeps_nobody_out() {
    let server = Running::with(|options| {
        options.limits.connections = 2;
        options.limits.strangers = 4;
    });
    // They say nothing, or half of what is to be said.
    let mut strangers: Vec<Client> = (0..10).map(|_| Client::connect(server.address)).collect();
    strangers[9].raw(b"\0\0\0\x20\0\x03");
    let started = Instant::now();
    let mut client = server.client();
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
    assert!(started.elapsed() < PATIENCE / 2, "nobody is kept out");
    // The first ones had to go, and have been told.
    for stranger in &mut strangers[..6] {
        assert_eq!(last_word(stranger).0, "53300");
    }
}

#[test]
fn connections_are_counted() {
    let server = Running::with(|options| options.limits.connections = 2);
    let (_one, two) = (server.client(), server.client());
    let mut three = Client::connect(server.address);
    three.startup(&[("user", "u")]);
    assert_eq!(last_word(&mut three).0, "53300");
    drop(two);
    let started = Instant::now();
    loop {
        let mut client = Client::connect(server.address);
        client.startup(&[("user", "u")]);
        if client.message().is_some_and(|message| message.kind == 'R') {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "a place gets free");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn sizes_have_limits() {
    let server = Running::with(|options| {
        options.limits.statement_bytes = 1000;
        options.limits.message_bytes = 2000;
        options.limits.parameters = 2;
        options.limits.prepared = 2;
        options.limits.statement_memory = 8 << 20;
    });
    server.numbers(5);
    let mut client = server.client();
    let long = format!("SELECT '{}'", "x".repeat(1000));
    assert_eq!(client.say(Script::new().query(&long)), "E(54000)Z");
    assert_eq!(client.say(Script::new().parse("", &long, &[]).sync()), "E(54000)Z");
    assert_eq!(client.say(Script::new().parse("", "SELECT $1::int + $2::int + $3::int", &[]).sync()), "E(54023)Z");
    assert_eq!(client.say(Script::new().parse("", "SELECT $1::int + $2::int", &[]).sync()), "1Z");
    // Statements by both protocols are counted together.
    assert_eq!(
        client.say(Script::new().query("PREPARE a AS SELECT 1; PREPARE b AS SELECT 2")),
        "C(PREPARE)C(PREPARE)Z"
    );
    assert_eq!(client.say(Script::new().query("PREPARE c AS SELECT 3")), "E(53400)Z");
    assert_eq!(client.say(Script::new().parse("d", "SELECT 4", &[]).sync()), "E(53400)Z");
    assert_eq!(client.say(Script::new().query("DEALLOCATE a; PREPARE c AS SELECT 3")), "C(DEALLOCATE)C(PREPARE)Z");
    let declare = |name: &str| format!("DECLARE {name} CURSOR FOR SELECT 1");
    let cursors = format!("BEGIN; {}; {}; {}", declare("x"), declare("y"), declare("z"));
    assert_eq!(client.say(Script::new().query(&cursors)), "C(BEGIN)C(DECLARE CURSOR)C(DECLARE CURSOR)E(53400)Z");
    assert_eq!(client.say(Script::new().query("ROLLBACK")), "C(ROLLBACK)Z");
    let sorted = "SELECT a.i, b.i FROM n a, (VALUES (1), (2), (3), (4), (5), (6)) b(i) ORDER BY a.i % 7, a.i";
    assert_eq!(client.say(Script::new().query(sorted)), "E(53200)Z");
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
    client.send(Script::new().query(&"x".repeat(3000)));
    assert_eq!(last_word(&mut client).0, "08P01");
}
