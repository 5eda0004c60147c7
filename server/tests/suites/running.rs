//! Statements that take long, clients that read slowly or leave, servers that go down.

use super::client::{Client, PATIENCE, Running, Script, cancel, shown};
use multiloop::Engine;
use multiloop_server::{Error, Options, Server};
use std::time::{Duration, Instant};

/// A statement that would take days, once there is a table of numbers.
const ENDLESS: &str = "SELECT count(*) FROM n a, n b, n c WHERE a.i * b.i % 7919 = c.i % 17";

/// Many rows, once there is a table of a hundred thousand numbers.
const ROWS: &str =
    "SELECT a.i, 'some text that makes a row longer' AS t FROM n a, (VALUES (1), (2), (3), (4), (5)) b(j)";

fn soon() {
    std::thread::sleep(Duration::from_millis(200));
}

/// Cancels what a client runs, or will run soon.
fn cancel_until_answered(client: &Client) {
    client.stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a socket has timeouts");
    loop {
        client.cancel();
        if client.stream.peek(&mut [0]).is_ok() {
            break;
        }
    }
    client.stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
}

#[test]
fn a_statement_is_cancelled() {
    let server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    for _ in 0..2 {
        client.send(Script::new().query(ENDLESS));
        soon();
        // Who does not know the secret stops nothing.
        cancel(server.address, (client.key.0, client.key.1.wrapping_add(1)));
        cancel_until_answered(&client);
        let messages = client.ready();
        assert_eq!(shown(&messages), "E(57014)Z");
        assert_eq!(messages[0].field('M').as_deref(), Some("canceling statement due to user request"));
        // What comes late stops nothing, either.
        client.cancel();
        assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
    }
    client.send(Script::new().parse("", ENDLESS, &[]).flush().bind("", "", &[], (&[], &[])).execute("", 0).sync());
    assert_eq!(client.message().map(|message| message.kind), Some('1'));
    cancel_until_answered(&client);
    assert_eq!(shown(&client.ready()), "2E(57014)Z");
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn who_reads_slowly_stops_their_own_statement_only() {
    let server = Running::start();
    server.numbers(5);
    let mut slow = server.client();
    slow.send(Script::new().query(ROWS));
    assert_eq!(shown(&[slow.message(), slow.message()].map(|message| message.expect("an answer"))), "TD");
    soon();
    // Others go on.
    let started = Instant::now();
    let mut other = server.client();
    assert_eq!(other.rows("SELECT count(*) FROM n"), [[Some("100000".to_owned())]]);
    assert!(started.elapsed() < Duration::from_secs(20));
    // What is not sent yet can be stopped: no more is on the way than sockets and buffers hold.
    slow.cancel();
    soon();
    let messages = slow.ready();
    let rows = messages.iter().filter(|message| message.kind == 'D').count();
    assert!(rows < 400_000, "{rows} rows of 500000 had been sent");
    let others: Vec<_> = messages.into_iter().filter(|message| message.kind != 'D').collect();
    assert_eq!(shown(&others), "E(57014)Z");
    // Who reads has all of them.
    assert_eq!(slow.rows(ROWS).len(), 500_000);
}

#[test]
fn short_statements_need_no_thread_of_statements() {
    let engine = Engine::builder().threads(2).build().expect("an engine starts");
    let server = Running::on(2, engine, |_| {});
    server.numbers(5);
    server.sql("CREATE TABLE keys AS SELECT i, i * 2 AS twice FROM n ORDER BY i");
    let mut short = server.client();
    let bound = |statement, value: &str| {
        Script::new().bind("", statement, &[Some(value.as_bytes())], (&[], &[])).execute("", 0).sync()
    };
    let parse =
        Script::new().parse("one", "SELECT $1::int", &[]).parse("key", "SELECT twice FROM keys WHERE i = $1", &[]);
    assert_eq!(short.say(parse.sync()), "11Z");
    // How they run is planned when they run first.
    let statements = ["one", "key"];
    statements.into_iter().for_each(|statement| assert_eq!(short.say(bound(statement, "7")), "2DC(SELECT 1)Z"));
    let mut long = [server.client(), server.client()];
    long.iter_mut().for_each(|client| client.send(Script::new().query(ENDLESS)));
    soon();
    for _ in 0..20 {
        statements.into_iter().for_each(|statement| assert_eq!(short.say(bound(statement, "41")), "2DC(SELECT 1)Z"));
        short.send(bound("key", "41"));
        assert_eq!(short.ready()[1].values(), [Some(b"82".to_vec())]);
        assert_eq!(short.say(bound("key", "-1")), "2C(SELECT 0)Z");
        assert_eq!(short.say(bound("one", "x")), "E(22P02)Z");
        // Several that are sent at once, rows that are asked for one by one, and what is described.
        let twice = Script::new().bind("", "one", &[None], (&[], &[1])).execute("", 0).describe(b'P', "");
        assert_eq!(
            short.say(twice.bind("", "key", &[Some(b"9")], (&[], &[])).execute("", 0).sync()),
            "2DC(SELECT 1)T2DC(SELECT 1)Z"
        );
    }
    // What is not short waits for a thread, and nobody waits for what stands before it.
    let again = Script::new().bind("", "one", &[Some(b"1")], (&[], &[])).execute("", 0).sync();
    short.send(again.query("SELECT count(*) FROM n"));
    assert_eq!(shown(&short.ready()), "2DC(SELECT 1)Z");
    long.iter_mut().for_each(|client| {
        cancel_until_answered(client);
        assert_eq!(shown(&client.ready()), "E(57014)Z");
    });
    assert_eq!(shown(&short.ready()), "TDC(SELECT 1)Z");
}

#[test]
fn replies_go_out_as_statements_end() {
    let server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    client.send(Script::new().query(&format!("SELECT 1; {ENDLESS}")));
    let first = [client.message(), client.message(), client.message()].map(|message| message.expect("an answer"));
    assert_eq!(shown(&first), "TDC(SELECT 1)");
    // Between two statements of a text, it means the text.
    client.cancel();
    assert_eq!(shown(&client.ready()), "E(57014)Z");
    // And as Syncs are met.
    let one = Script::new().parse("", "SELECT 1", &[]).bind("", "", &[], (&[], &[])).execute("", 0).sync();
    client.send(one.parse("", ENDLESS, &[]).bind("", "", &[], (&[], &[])).execute("", 0).sync());
    assert_eq!(shown(&client.ready()), "12DC(SELECT 1)Z");
    // Between two messages, it means nothing.
    cancel_until_answered(&client);
    let rest = shown(&client.ready());
    assert!(rest.ends_with("E(57014)Z"), "{rest}");
}

#[test]
fn who_leaves_stops_their_statement() {
    let server = Running::with(|options| options.limits.connections = 1);
    server.numbers(5);
    let mut client = server.client();
    client.send(Script::new().query(ENDLESS));
    soon();
    let refused = |server: &Running| {
        let mut client = Client::connect(server.address);
        client.startup(&[("user", "u")]);
        client.message().filter(|message| message.kind == 'E').and_then(|error| error.field('C'))
    };
    assert_eq!(refused(&server).as_deref(), Some("53300"));
    drop(client);
    let started = Instant::now();
    while refused(&server).is_some() {
        assert!(started.elapsed() < PATIENCE, "the statement goes on");
        soon();
    }
}

#[test]
fn who_leaves_at_once_leaves_nothing_behind() {
    let server = Running::start();
    server.numbers(5);
    for _ in 0..20 {
        // The statement may not have begun when its client is gone.
        server.client().send(Script::new().query(ENDLESS));
    }
    server.wait_for_nobody();
}

#[test]
fn what_has_not_begun_ends_with_the_server() {
    for _ in 0..5 {
        let mut server = Running::start();
        server.numbers(5);
        let mut clients: Vec<Client> = (0..4).map(|_| server.client()).collect();
        clients.iter_mut().for_each(|client| client.send(Script::new().query(ENDLESS)));
        server.control.end();
        server.wait();
        server.wait_for_nobody();
    }
}

#[test]
fn a_server_drains() {
    let mut server = Running::start();
    server.numbers(5);
    let (mut idle, mut busy) = (server.client(), server.client());
    busy.send(Script::new().query(ENDLESS));
    // One that has not been read would be ended as if it were idle.
    server.wait_for_statement(&busy);
    server.control.drain();
    let error = idle.message().expect("a last word");
    assert_eq!((error.field('S').as_deref(), error.field('C').as_deref()), (Some("FATAL"), Some("57P01")));
    assert_eq!(idle.message(), None);
    // Nobody is let in, and what runs goes on.
    if let Ok(stream) = std::net::TcpStream::connect_timeout(&server.address, Duration::from_secs(1)) {
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
        let mut client = Client { stream, key: (0, 0) };
        client.startup(&[("user", "u")]);
        assert!(client.message().is_none_or(|message| message.kind == 'E'));
    }
    busy.stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a socket has timeouts");
    assert!(std::io::Read::read(&mut busy.stream, &mut [0]).is_err());
    // A second word ends it.
    server.control.end();
    busy.stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
    assert_eq!(busy.message(), None);
    server.wait();
}

#[test]
fn what_runs_may_end() {
    let mut server = Running::start();
    server.numbers(5);
    let mut client = server.client();
    client.send(Script::new().query(ROWS));
    soon();
    server.control.drain();
    let messages = client.ready();
    assert_eq!(messages.iter().filter(|message| message.kind == 'D').count(), 500_000);
    assert_eq!(client.message().and_then(|error| error.field('C')).as_deref(), Some("57P01"));
    server.wait();
}

fn bound(options: Options) -> Result<Server, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(Server::bind(Engine::builder().threads(1).build().expect("an engine starts"), options))
}

#[test]
fn where_a_server_does_not_listen() {
    let server = Running::start();
    let taken = bound(Options { listen: vec![server.address], ..Options::default() });
    assert!(taken.is_err_and(|error| matches!(&error, Error::Taken(_)) && error.to_string().contains("is taken")));
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:5432"] {
        let listen = vec![address.parse().expect("an address")];
        let refused = bound(Options { listen, ..Options::default() });
        assert!(refused.is_err_and(|error| matches!(error, Error::NotLoopback(_))), "{address}");
    }
    assert!(bound(Options { listen: Vec::new(), ..Options::default() }).is_err());
}

#[test]
fn a_unix_socket_is_listened_on() {
    let folder = std::env::temp_dir().join(format!("multiloop-socket-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    // One that a server left behind.
    let path = folder.join("socket");
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket can be made"));
    let server = Running::with(|options| options.unix = Some(path.clone()));
    let mut stream = std::os::unix::net::UnixStream::connect(&path).expect("the server listens");
    use std::io::{Read as _, Write as _};
    stream.write_all(b"\0\0\0\x10\0\x03\0\0user\0u\0\0").expect("it takes what is sent");
    let mut first = [0; 9];
    stream.read_exact(&mut first).expect("it answers");
    assert_eq!(&first, b"R\0\0\0\x08\0\0\0\0");
    let listen = || vec![([127, 0, 0, 1], 0).into()];
    let taken = bound(Options { listen: listen(), unix: Some(path.clone()), ..Options::default() });
    assert!(taken.is_err_and(|error| matches!(error, Error::Taken(_))));
    let file = folder.join("file");
    std::fs::write(&file, "keep me").expect("a file can be written");
    let refused = bound(Options { listen: listen(), unix: Some(file.clone()), ..Options::default() });
    assert!(refused.is_err_and(|error| matches!(error, Error::NotSocket(_))) && file.exists());
    drop(server);
    assert!(!path.exists(), "the socket goes with the server");
    std::fs::remove_dir_all(&folder).expect("a folder can be removed");
}
