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

/// Rows that are made while they are read, of a cursor by SQL's FETCH, by an Execute of it, and by COPY.
#[test]
fn cursors_and_copies_that_stream_have_a_time() {
    let server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    let before = server.engine.memory_used();
    const STREAMED: &str = "SELECT a.i, b.i AS j FROM n a, generate_series(0, 12799) b (i)";
    let declare =
        format!("BEGIN; DECLARE c CURSOR FOR {STREAMED}; FETCH 2 c; SAVEPOINT s; SET LOCAL statement_timeout = 300");
    let declared = "C(BEGIN)C(DECLARE CURSOR)TDDC(FETCH 2)C(SAVEPOINT)C(SET)Z";
    let move_all = || Script::new().query("MOVE ALL c");
    let execute = || Script::new().execute("c", 0).sync();
    for all in [&move_all as &dyn Fn() -> Script, &execute] {
        assert_eq!(client.say(Script::new().query(&declare)), declared);
        client.send(all());
        let messages = client.ready();
        assert_eq!(shown(&messages).replace('D', ""), "E(57014)Z");
        let error = messages.iter().find(|message| message.kind == 'E').and_then(|error| error.field('M'));
        assert_eq!(error.as_deref(), Some("canceling statement due to statement timeout"));
        assert_eq!(client.say(Script::new().query("FETCH 1 c")), "E(25P02)Z");
        // The savepoint brings the transaction back, not the cursor.
        assert_eq!(client.say(Script::new().query("ROLLBACK TO s; FETCH 1 c")), "C(ROLLBACK)E(55000)Z");
        assert_eq!(client.say(Script::new().query("ROLLBACK")), "C(ROLLBACK)Z");
        assert_eq!(server.engine.memory_used(), before);
    }
    // One who cancels is told another thing; the cursor is lost as well.
    assert_eq!(client.say(Script::new().query(&declare.replace("= 300", "= 0"))), declared);
    client.send(move_all());
    std::thread::sleep(Duration::from_millis(200));
    client.cancel();
    assert_eq!(shown(&client.ready()), "E(57014)Z");
    assert_eq!(client.say(Script::new().query("ROLLBACK TO s; FETCH 1 c")), "C(ROLLBACK)E(55000)Z");
    assert_eq!(client.say(Script::new().query("ROLLBACK")), "C(ROLLBACK)Z");
    // COPY out, in a transaction and by itself, which goes on after its first rows were sent.
    client.rows("SET statement_timeout = 300");
    for (begin, after) in [("SELECT 1", "TDC(SELECT 1)Z"), ("BEGIN", "E(25P02)Z")] {
        client.rows(begin);
        client.send(Script::new().query(&format!("COPY ({STREAMED}) TO STDOUT")));
        let messages: Vec<_> = client.ready().into_iter().filter(|message| message.kind != 'd').collect();
        assert_eq!(shown(&messages).replace('H', ""), "E(57014)Z");
        assert_eq!(client.say(Script::new().query("SELECT 1")), after);
        client.rows("ROLLBACK");
    }
    assert_eq!(server.engine.memory_used(), before);
}

/// The end of a COPY from a client, where rows are checked and become the table's, has a time, too.
#[test]
fn the_end_of_a_copy_has_a_time() {
    let server = Running::start();
    let mut client = server.client();
    let slow = multiloop::ScalarFunction::new("slow", |n: i64| {
        std::thread::sleep(Duration::from_millis(1));
        n
    });
    server.engine.register_scalar(slow).expect("a function");
    client.rows("CREATE TABLE t (a bigint, CHECK (slow(a) >= 0))");
    let before = server.engine.memory_used();
    let data: String = (0..100_000).map(|n| format!("{n}\n")).collect();
    let copy = |client: &mut Client| {
        client.send(Script::new().query("COPY t FROM STDIN"));
        assert_eq!(client.message().map(|message| message.kind), Some('G'));
        client.send(Script::new().message(b'd', data.as_bytes()).message(b'c', b""));
    };
    for cancels in [false, true] {
        for begin in ["SELECT 1", "BEGIN"] {
            client.rows(begin);
            client.rows(if cancels { "SET statement_timeout = 0" } else { "SET statement_timeout = 1000" });
            copy(&mut client);
            if cancels {
                std::thread::sleep(Duration::from_millis(1000));
                client.cancel();
            }
            assert_eq!(shown(&client.ready()), "E(57014)Z");
            let after = if begin == "BEGIN" { "E(25P02)Z" } else { "TDC(SELECT 1)Z" };
            assert_eq!(client.say(Script::new().query("SELECT 1")), after);
            client.rows("ROLLBACK");
            assert_eq!(client.rows("SELECT count(*) FROM t"), [[Some("0".to_owned())]]);
            assert_eq!(server.engine.memory_used(), before);
        }
    }
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
