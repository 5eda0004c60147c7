//! What is no protocol: frames that lie, packets that are none, bytes at random. The server answers or hangs up, and
//! serves the next client.

mod client;

use client::{Client, Running, Script};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::io::Read as _;

/// The server is well.
fn is_well(server: &Running) {
    assert_eq!(server.client().rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn a_body_that_is_malformed_is_an_error_of_the_statement() {
    let server = Running::start();
    let mut client = server.client();
    let bodies: [(u8, &[u8]); 11] = [
        (b'P', b""),
        (b'P', b"s\0SELECT 1\0\xff\xff"),
        (b'B', b"p\0"),
        (b'B', b"p\0s\0\0\x01\0\x01\0\x01\x7f\xff\xff\xff"),
        (b'B', b"p\0s\0\0\0\0\x01\x80\0\0\0"),
        (b'B', b"p\0s\0\xff\xff\0\0"),
        (b'D', b"X\0"),
        (b'E', b"p\0\0"),
        (b'C', b""),
        (b'H', b"x"),
        (b'c', b"x"),
    ];
    for (kind, body) in bodies {
        assert_eq!(client.say(Script::new().message(kind, body).sync()), "E(08P01)Z", "{} {body:?}", char::from(kind));
    }
    assert_eq!(client.say(Script::new().message(b'Q', b"SELECT 1")), "E(08P01)Z");
    assert_eq!(client.say(Script::new().message(b'Q', b"SELECT 1\0x")), "E(08P01)Z");
    assert_eq!(client.say(Script::new().message(b'Q', b"SELECT '\xe4'\0")), "E(22021)Z");
    assert_eq!(client.say(Script::new().message(b'S', b"x")), "E(08P01)Z");
    assert_eq!(client.rows("SELECT 1"), [[Some("1".to_owned())]]);
}

#[test]
fn a_frame_that_lies_ends_the_connection() {
    let server = Running::with(|options| options.limits.message_bytes = 1 << 20);
    let frames: [&[u8]; 5] = [
        b"!\0\0\0\x04",
        b"\0\0\0\0\x04",
        b"Q\0\0\0\x03",
        b"Q\xff\xff\xff\xff",
        // One byte more than there may be.
        b"Q\0\x10\0\x01",
    ];
    for frame in frames {
        let mut client = server.client();
        client.raw(frame);
        let error = client.message().expect("an answer");
        assert_eq!((error.field('S').as_deref(), error.field('C').as_deref()), (Some("FATAL"), Some("08P01")));
        assert_eq!(client.message(), None);
    }
    // What stands before it is answered.
    let mut client = server.client();
    client.raw(&[&b"Q\0\0\0\x0dSELECT 1\0"[..], b"!\0\0\0\x04"].concat());
    assert_eq!(client::shown(&client.ready()), "TDC(SELECT 1)Z");
    assert_eq!(client.message().and_then(|error| error.field('C')).as_deref(), Some("08P01"));
    // As long as it may be.
    let mut client = server.client();
    let text = format!("SELECT '{}'", "x".repeat((1 << 20) - 4 - 10));
    assert_eq!(client.say(Script::new().query(&text)), "TDC(SELECT 1)Z");
    is_well(&server);
}

#[test]
fn what_is_announced_takes_no_memory() {
    let server = Running::start();
    // Each announces a message of 200 MiB, and sends nothing of it.
    let clients: Vec<Client> = (0..50)
        .map(|_| {
            let mut client = server.client();
            client.raw(b"Q\x0c\x80\0\0SELECT");
            client
        })
        .collect();
    is_well(&server);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says how much memory a process has");
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    let resident: usize = resident.expect("it says so in kB");
    assert!(resident < 2 << 20, "{resident} kB");
    drop(clients);
}

#[test]
fn first_packets_that_are_none() {
    let server = Running::start();
    for packet in
        [&b"\0\0\0\0"[..], b"\0\0\0\x07abc", b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n", b"\0\0\x27\x11", b"\0\0"]
    {
        let mut client = Client::connect(server.address);
        client.raw(packet);
        client.stream.shutdown(std::net::Shutdown::Write).expect("a socket can be shut");
        let mut rest = Vec::new();
        let _ = client.stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{packet:?}: {rest:?}");
    }
    for body in [&b"\0\x03\0\0user\0u"[..], b"\0\x03\0\0\0x", b"\x04\xd2\x16\x2e\0"] {
        let mut client = Client::connect(server.address);
        client.packet(body);
        assert_eq!(client.message().and_then(|error| error.field('C')).as_deref(), Some("08P01"), "{body:?}");
        assert_eq!(client.message(), None);
    }
    // Encryption asked for again and again.
    let mut client = Client::connect(server.address);
    for _ in 0..4 {
        client.packet(&((1234u32 << 16) | 5679).to_be_bytes());
    }
    let mut rest = Vec::new();
    let _ = client.stream.read_to_end(&mut rest);
    assert!(rest.starts_with(b"NNNE"), "{rest:?}");
    is_well(&server);
}

#[test]
fn who_does_not_say_who_they_are_has_to_leave() {
    let server = Running::with(|options| options.limits.authentication_timeout = std::time::Duration::from_millis(100));
    let mut client = Client::connect(server.address);
    assert_eq!(client.message(), None);
    // Who has said so may stay.
    let mut client = server.client();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(client.say(Script::new().query("SELECT 1")), "TDC(SELECT 1)Z");
}

#[test]
fn bytes_at_random_harm_nobody() {
    let server = Running::start();
    let strategy = proptest::collection::vec(
        (
            prop_oneof![Just(0u8), any::<u8>(), prop::sample::select(b"QPBDECSHFdcfX".to_vec())],
            0u32..40,
            any::<bool>(),
            proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..40),
        ),
        1..12,
    );
    let mut runner = TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&strategy, |messages| {
        let mut client = server.client();
        for (kind, length, is_honest, body) in messages {
            let length = if is_honest { body.len() as u32 + 4 } else { length };
            client.raw(&[&[kind], &length.to_be_bytes()[..], &body].concat());
        }
        // The server may have hung up already.
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        // Whatever comes, it ends.
        let _ = client.stream.read_to_end(&mut rest);
        Ok(())
    });
    ran.expect("every connection ends");
    is_well(&server);
}

#[test]
fn a_session_holds_only_so_many_names() {
    let server = Running::with(|options| options.limits.prepared = 3);
    let mut client = server.client();
    let mut script = Script::new();
    for name in ["a", "b", "c"] {
        script = script.parse(name, "SELECT 1", &[]);
    }
    assert_eq!(client.say(script.sync()), "111Z");
    assert_eq!(client.say(Script::new().parse("d", "SELECT 1", &[]).sync()), "E(53400)Z");
    assert_eq!(client.say(Script::new().close(b'S', "a").parse("d", "SELECT 1", &[]).sync()), "31Z");
    let mut script = Script::new();
    for name in ["a", "b", "c", "d"] {
        script = script.bind(name, "b", &[], (&[], &[]));
    }
    assert_eq!(client.say(script.sync()), "222E(53400)Z");
    assert_eq!(client.say(Script::new().query("SELECT 1")), "TDC(SELECT 1)Z");
}
