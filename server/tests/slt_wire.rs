//! The SQL logic tests of the whole, over a socket: what a client reads is what an embedded session gives, by the simple
//! protocol as text, and by the extended one in binary.

mod client;
mod values;

use client::{Client, Message, Running, Script};
use multiloop::DataType;
use multiloop_tests::{Answer, slt};
use std::path::PathBuf;

/// How a statement is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Simple,
    Extended,
}

/// The script's text as one message.
fn simple(sql: &str) -> Script {
    Script::new().query(sql)
}

/// A statement that is parsed, bound and run, whose rows come in a format.
fn extended(sql: &str, format: i16) -> Script {
    let bound = Script::new().parse("", sql, &[]).bind("", "", &[], (&[], &[format]));
    bound.describe(b'P', "").execute("", 0).sync()
}

/// A value's text; the client is asked what only its session knows.
fn value(client: &mut Client, column: (u32, i16), bytes: Option<Vec<u8>>) -> String {
    let Some(bytes) = bytes else { return "NULL".to_owned() };
    match column {
        (_, 0) => String::from_utf8(bytes).expect("text is UTF-8"),
        (oid, _) => values::text(oid, &bytes, &mut |sql| {
            let row = client.rows(sql).remove(0);
            row.into_iter().next().flatten().expect("it has a text")
        }),
    }
}

/// What the last statement of a text gave; an error ends it.
fn answer(client: &mut Client, messages: &[Message]) -> Answer {
    let mut last = Answer::Done(String::new());
    let mut columns: Option<Vec<(u32, i16)>> = None;
    let mut rows = Vec::new();
    for message in messages {
        match message.kind {
            'E' => {
                let field = |kind| message.field(kind).unwrap_or_default();
                return Answer::Error(field('C'), field('M'));
            }
            'T' => columns = Some(message.columns()),
            'D' => {
                let columns = columns.as_ref().expect("columns come before rows");
                let values = columns.iter().zip(message.values());
                rows.push(values.map(|(&column, bytes)| value(client, column, bytes)).collect());
            }
            'C' => {
                let rows = std::mem::take(&mut rows);
                last = match columns.take() {
                    Some(columns) => Answer::Rows(vec![DataType::Text; columns.len()], rows),
                    None => Answer::Done(message.text()),
                };
            }
            _ => {}
        }
    }
    last
}

/// Says a statement, and reads what it gave.
fn ask(client: &mut Client, protocol: Protocol, sql: &str) -> Answer {
    let mut ask = |said: Script| {
        client.send(said);
        let messages = client.ready();
        assert_eq!(messages.last().map(|last| last.kind), Some('Z'), "the server goes on: {sql}");
        answer(client, &messages)
    };
    match protocol {
        Protocol::Simple => ask(simple(sql)),
        Protocol::Extended => match ask(extended(sql, 1)) {
            // Of rows as values, and of aclitem as in PostgreSQL, there is no binary form.
            Answer::Error(_, why) if why.contains("cannot be sent") || why.contains("no binary output") => {
                ask(extended(sql, 0))
            }
            other => other,
        },
    }
}

fn check(name: &str, protocol: Protocol) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests");
    // Files that cases name stand where the embedded suite runs.
    std::env::set_current_dir(folder).expect("the folder of the tests is there");
    slt::check(name, "wire", || {
        let server = Running::with(|options| options.files = vec!["/".into()]);
        move || {
            // All of it is kept, since it ends when it is dropped.
            let running = &server;
            let mut client = Client::connect(running.address);
            client.startup(&[("user", "postgres"), ("database", "multiloop")]);
            client.ready();
            move |sql: &str| ask(&mut client, protocol, sql)
        }
    });
}

#[test]
fn by_the_simple_protocol() {
    check("simple", Protocol::Simple);
}

#[test]
fn by_the_extended_protocol_in_binary() {
    check("extended, binary", Protocol::Extended);
}
