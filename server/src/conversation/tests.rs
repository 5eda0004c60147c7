//! Conversations without a socket: what no statement of the engine does yet, and what any order of messages may do.

use super::{Bounds, Conversation, Next, Place};
use crate::cancel::Running;
use crate::copy::{CopyIn, CopyOut};
use crate::engine::Session;
use crate::fault::{Fault, Result};
use crate::output::Output;
use crate::record::Record;
use crate::wire::Format;
use crate::wire::backend;
use bytes::Bytes;
use multiloop::Engine;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

fn conversation() -> (Conversation, Arc<Running>) {
    let running = Arc::<Running>::default();
    let engine = Engine::builder().threads(1).build().expect("an engine starts");
    let bounds = Bounds { names: 8, text_bytes: 1 << 20, parameters: 100 };
    let session = Session::new(engine.session(), "u", Arc::new([]), Arc::clone(&running));
    (Conversation::new(session, bounds, Record::default()), running)
}

/// The types of the messages in a buffer, and the SQLSTATE behind each error.
fn kinds(out: &mut Output) -> String {
    let (mut shown, mut rest) = (String::new(), std::mem::take(&mut out.buffer));
    while !rest.is_empty() {
        let length = u32::from_be_bytes([rest[1], rest[2], rest[3], rest[4]]) as usize;
        shown.push(char::from(rest[0]));
        if rest[0] == b'E' {
            let body = String::from_utf8_lossy(&rest[5..=length]).into_owned();
            let code = body.split('\0').find_map(|field| field.strip_prefix('C')).unwrap_or_default();
            shown.push_str(&format!("({code})"));
        }
        rest.drain(..=length);
    }
    shown
}

fn say(conversation: &mut Conversation, out: &mut Output, kind: u8, body: &[u8]) -> String {
    assert_eq!(conversation.handle(kind, Bytes::copy_from_slice(body), out), Next::Go);
    kinds(out)
}

/// Keeps what it is given; an exclamation mark is bad data.
struct Kept(Arc<Mutex<Vec<u8>>>);

impl CopyIn for Kept {
    fn format(&self) -> Format {
        Format::Text
    }

    fn columns(&self) -> usize {
        2
    }

    fn take(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.contains(&b'!') {
            return Err(Fault::error("22P02", "bad data"));
        }
        self.0.lock().expect("nobody panics").extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, _: &multiloop::Session) -> Result<String> {
        Ok("COPY 1".to_owned())
    }
}

/// Gives so many rows, and fails behind them if it shall.
struct Given {
    left: usize,
    fails: bool,
}

impl CopyOut for Given {
    fn format(&self) -> Format {
        Format::Binary
    }

    fn columns(&self) -> usize {
        1
    }

    fn next(&mut self, _: usize, out: &mut Vec<u8>) -> Result<bool> {
        if self.left == 0 {
            return if self.fails { Err(Fault::error("22012", "division by zero")) } else { Ok(false) };
        }
        backend::message(out, b'd', |out| out.extend_from_slice(b"row"));
        self.left -= 1;
        Ok(true)
    }

    fn tag(&self) -> String {
        "COPY 2".to_owned()
    }
}

#[test]
fn data_is_copied_in() {
    let (mut conversation, _) = conversation();
    let (mut out, kept) = (Output::default(), Arc::<Mutex<Vec<u8>>>::default());
    conversation.begin_copy(Box::new(Kept(Arc::clone(&kept))), false, &mut out).expect("it begins");
    assert!(out.flush && conversation.is_copying());
    assert_eq!(out.buffer, b"G\0\0\0\x0b\0\0\x02\0\0\0\0");
    out.buffer.clear();
    assert_eq!(say(&mut conversation, &mut out, b'd', b"a\tb"), "");
    // Of clients that send all at once.
    assert_eq!(say(&mut conversation, &mut out, b'S', b""), "");
    assert_eq!(say(&mut conversation, &mut out, b'd', b"\n"), "");
    assert_eq!(say(&mut conversation, &mut out, b'c', b""), "C");
    assert_eq!(say(&mut conversation, &mut out, b'S', b""), "Z");
    assert_eq!(*kept.lock().expect("nobody panics"), b"a\tb\n");
}

#[test]
fn a_copy_that_fails_is_over() {
    let (mut conversation, running) = conversation();
    let mut out = Output::default();
    let begin = |conversation: &mut Conversation, is_simple| {
        let copy = Box::new(Kept(Arc::default()));
        if is_simple {
            conversation.begin_script();
        }
        conversation.begin_copy(copy, is_simple, &mut Output::default()).expect("it begins");
    };
    begin(&mut conversation, false);
    assert_eq!(say(&mut conversation, &mut out, b'd', b"!"), "E(22P02)");
    // What the client has sent already is nobody's.
    assert_eq!(say(&mut conversation, &mut out, b'd', b"x"), "");
    assert_eq!(say(&mut conversation, &mut out, b'c', b""), "");
    assert_eq!(say(&mut conversation, &mut out, b'S', b""), "Z");
    begin(&mut conversation, true);
    assert_eq!(say(&mut conversation, &mut out, b'f', b"no more\0"), "E(57014)Z");
    assert_eq!(say(&mut conversation, &mut out, b'c', b""), "");
    begin(&mut conversation, true);
    assert_eq!(say(&mut conversation, &mut out, b'E', b"\0\0\0\0\0"), "E(08P01)Z");
    begin(&mut conversation, true);
    conversation.session.start();
    running.cancel();
    assert_eq!(say(&mut conversation, &mut out, b'd', b"x"), "E(57014)Z");
    assert_eq!(say(&mut conversation, &mut out, b'Q', b"SELECT 1\0"), "TDCZ");
    // Without waiting for data that may never come.
    begin(&mut conversation, true);
    assert!(conversation.is_copying());
    conversation.stop_copy(&Fault::cancelled(), &mut out);
    assert_eq!(kinds(&mut out), "E(57014)Z");
    assert!(!conversation.is_copying());
}

const BIND: &[u8] = b"\0\0\0\0\0\0\0\0";
const EXECUTE: &[u8] = b"\0\0\0\0\0";

#[test]
fn short_statements_are_answered_on_the_connections_thread() {
    let (mut conversation, _) = conversation();
    let mut out = Output::default();
    let mut here = |conversation: &mut Conversation, kind: u8, body: &'static [u8]| {
        assert_eq!(conversation.place(kind, body), Place::Here);
        let next = conversation.handle_here(kind, Bytes::from_static(body), &mut out);
        (next, kinds(&mut out))
    };
    let go = |shown: &str| (Next::Go, shown.to_owned());
    // Nobody has planned how it runs before it has run.
    assert_eq!(conversation.place(b'P', b""), Place::Apart);
    for (parse, is_short) in
        [(&b"\0SELECT 1\0\0\0"[..], true), (b"\0SELECT repeat('x', 1 + random()::int)\0\0\0", false)]
    {
        assert_eq!(say(&mut conversation, &mut Output::default(), b'P', parse), "1");
        for round in 0..3 {
            assert_eq!(here(&mut conversation, b'B', BIND), go("2"));
            let expected = if round > 0 && is_short { go("DC") } else { (Next::Apart, String::new()) };
            assert_eq!(here(&mut conversation, b'E', EXECUTE), expected, "{round}");
            if expected.0 == Next::Apart {
                // As if it had not been asked.
                let mut apart = Output::default();
                assert_eq!(say(&mut conversation, &mut apart, b'E', EXECUTE), "DC");
            }
            assert_eq!(here(&mut conversation, b'S', b""), go("Z"));
        }
    }
    // Rows that are there, changes to be committed and long messages take their time.
    assert_eq!(say(&mut conversation, &mut Output::default(), b'P', b"\0VALUES (1), (2)\0\0\0"), "1");
    assert_eq!(here(&mut conversation, b'B', BIND), go("2"));
    assert_eq!(say(&mut conversation, &mut Output::default(), b'E', b"\0\0\0\0\x01"), "Ds");
    assert_eq!(b"BCES".map(|kind| conversation.place(kind, BIND)), [Place::Apart; 4]);
    assert_eq!(say(&mut conversation, &mut Output::default(), b'S', b""), "Z");
    assert_eq!(say(&mut conversation, &mut Output::default(), b'P', b"\0CREATE TABLE t (a int)\0\0\0"), "1");
    assert_eq!(here(&mut conversation, b'B', BIND), go("2"));
    assert_eq!(here(&mut conversation, b'E', EXECUTE), (Next::Apart, String::new()));
    assert_eq!(say(&mut conversation, &mut Output::default(), b'E', EXECUTE), "C");
    assert_eq!(conversation.place(b'S', b""), Place::Apart);
    assert_eq!(say(&mut conversation, &mut Output::default(), b'S', b""), "Z");
    assert_eq!(conversation.place(b'B', &[0; 5000]), Place::Apart);
}

#[test]
fn data_is_copied_out_a_message_a_row() {
    let (mut conversation, _) = conversation();
    let mut out = Output::default();
    conversation.copy_out(Box::new(Given { left: 2, fails: false }), &mut out).expect("it is sent");
    assert_eq!(kinds(&mut out), "HddcC");
    let fault = conversation.copy_out(Box::new(Given { left: 1, fails: true }), &mut out);
    assert!(fault.is_err_and(|fault| fault.code == "22012"));
    assert_eq!(kinds(&mut out), "Hd");
}

proptest! {
    /// Any messages in any order, well-formed or not: no panic, and a session that answers.
    #[test]
    fn no_messages_make_it_panic(
        messages in proptest::collection::vec(
            (any::<prop::sample::Index>(), proptest::collection::vec(0u8..4, 0..12)),
            0..40,
        ),
    ) {
        let known: [(u8, &[u8]); 19] = [
            (b'Q', b"SELECT 1; SELECT x\0"),
            (b'Q', b" ; \0"),
            (b'Q', b"SELECT 'a'\0"),
            (b'P', b"\0SELECT $1::int\0\0\0"),
            (b'P', b"s\0SELECT 1\0\0\x01\0\0\0\x17"),
            (b'P', b"\0\0\0\0"),
            (b'B', b"\0\0\0\0\0\x01\0\0\0\x01\x37\0\0"),
            (b'B', b"p\0s\0\0\0\0\0\0\0"),
            (b'B', b"\0\0\0\x01\0\x01\0\x01\0\0\0\x04\0\0\0\x07\0\x01\0\x01"),
            (b'D', b"S\0"),
            (b'D', b"P\0"),
            (b'D', b"Pp\0"),
            (b'E', b"\0\0\0\0\x01"),
            (b'E', b"p\0\x80\0\0\0"),
            (b'C', b"Ss\0"),
            (b'S', b""),
            (b'H', b""),
            (b'F', b"xyz"),
            (b'c', b""),
        ];
        let (mut conversation, _) = conversation();
        let mut out = Output::default();
        for (index, noise) in messages {
            let (kind, body) = known[index.index(known.len())];
            let body = if noise.len() > 9 { &noise[..] } else { body };
            let body = Bytes::copy_from_slice(body);
            let next = match conversation.place(kind, &body) {
                Place::Here => conversation.handle_here(kind, body.clone(), &mut out),
                Place::Apart => Next::Apart,
            };
            let next = if next == Next::Apart { conversation.handle(kind, body, &mut out) } else { next };
            prop_assert_eq!(next, Next::Go);
            kinds(&mut out);
        }
        conversation.handle(b'c', Bytes::new(), &mut out);
        say(&mut conversation, &mut out, b'S', b"");
        prop_assert_eq!(say(&mut conversation, &mut out, b'Q', b"SELECT 1\0"), "TDCZ");
    }
}
