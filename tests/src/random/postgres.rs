//! A client of PostgreSQL's protocol, as much of it as the comparison needs: simple queries over a Unix socket, by a
//! user who is trusted. Rows come as text, errors with their SQLSTATE.

use super::outcome::Outcome;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

/// A connection.
pub(crate) struct Postgres {
    stream: io::BufReader<UnixStream>,
}

impl Postgres {
    /// Connects as a connection string like `host=/folder port=5432 user=postgres dbname=postgres` says.
    pub(crate) fn connect(connection: &str) -> io::Result<Self> {
        let part = |name: &str, default: &str| {
            let mut parts = connection.split_whitespace().filter_map(|part| part.split_once('='));
            parts.rfind(|(key, _)| *key == name).map_or(default.to_owned(), |(_, value)| value.to_owned())
        };
        let path = format!("{}/.s.PGSQL.{}", part("host", "/var/run/postgresql"), part("port", "5432"));
        let mut client = Self { stream: io::BufReader::new(UnixStream::connect(path)?) };
        let mut hello = 196_608_u32.to_be_bytes().to_vec();
        for text in ["user", &part("user", "postgres"), "database", &part("dbname", "postgres"), ""] {
            hello.extend_from_slice(text.as_bytes());
            hello.push(0);
        }
        client.send(None, &hello)?;
        match client.answer()? {
            Outcome::Error(state, message) => Err(io::Error::other(format!("{state}: {message}"))),
            _ => Ok(client),
        }
    }

    /// Runs one statement.
    pub(crate) fn run(&mut self, sql: &str) -> io::Result<Outcome> {
        let mut text = sql.as_bytes().to_vec();
        text.push(0);
        self.send(Some(b'Q'), &text)?;
        self.answer()
    }

    fn send(&mut self, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
        let mut message: Vec<u8> = kind.into_iter().collect();
        message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        message.extend_from_slice(body);
        self.stream.get_mut().write_all(&message)
    }

    /// Reads to where the server is ready again.
    fn answer(&mut self) -> io::Result<Outcome> {
        let mut outcome = Outcome::Done;
        loop {
            let mut head = [0; 5];
            self.stream.read_exact(&mut head)?;
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let mut body = vec![0; length.saturating_sub(4)];
            self.stream.read_exact(&mut body)?;
            let mut body = Body(&body);
            match head[0] {
                b'Z' => return Ok(outcome),
                b'R' if body.number(4) != 0 => return Err(io::Error::other("PostgreSQL asks for a password")),
                b'E' => {
                    outcome = body.error();
                    if outcome.state().is_some_and(|state| state.starts_with("28") || state == "3D000") {
                        return Ok(outcome);
                    }
                }
                b'T' => outcome = Outcome::Rows(body.types(), Vec::new()),
                b'D' => {
                    if let Outcome::Rows(_, rows) = &mut outcome {
                        rows.push(body.cells());
                    }
                }
                _ => {}
            }
        }
    }
}

/// What is left to read of a message.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn take(&mut self, length: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn number(&mut self, bytes: usize) -> i64 {
        let negative = self.0.first().is_some_and(|byte| *byte > 127);
        let unsigned = self.take(bytes).iter().fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
        if negative { unsigned - (1 << (8 * bytes)) } else { unsigned }
    }

    fn text(&mut self) -> String {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let text = String::from_utf8_lossy(self.take(length)).into_owned();
        self.take(1);
        text
    }

    fn error(&mut self) -> Outcome {
        let (mut state, mut message) = (String::new(), String::new());
        while let [kind, ..] = *self.0
            && kind != 0
        {
            self.take(1);
            match (kind, self.text()) {
                (b'C', text) => state = text,
                (b'M', text) => message = text,
                _ => {}
            }
        }
        Outcome::Error(state, message)
    }

    fn types(&mut self) -> Vec<String> {
        let count = self.number(2);
        (0..count)
            .map(|_| {
                self.text();
                self.take(6);
                let name = type_name(self.number(4));
                self.take(8);
                name
            })
            .collect()
    }

    fn cells(&mut self) -> Vec<Option<String>> {
        let count = self.number(2);
        (0..count)
            .map(|_| match self.number(4) {
                -1 => None,
                length => Some(String::from_utf8_lossy(self.take(length as usize)).into_owned()),
            })
            .collect()
    }
}

fn type_name(oid: i64) -> String {
    let name = match oid {
        16 => "boolean",
        20 => "bigint",
        21 => "smallint",
        23 => "integer",
        25 => "text",
        700 => "real",
        701 => "double precision",
        1042 => "character",
        1043 => "character varying",
        1082 => "date",
        1083 => "time",
        1114 => "timestamp",
        1186 => "interval",
        1700 => "numeric",
        1184 => "timestamptz",
        // Arrays of these.
        1000 => "boolean[]",
        1005 => "smallint[]",
        1007 => "integer[]",
        1016 => "bigint[]",
        1021 => "real[]",
        1022 => "double precision[]",
        1231 => "numeric[]",
        1009 => "text[]",
        1014 => "character[]",
        1015 => "character varying[]",
        1115 => "timestamp[]",
        1182 => "date[]",
        1183 => "time[]",
        1185 => "timestamptz[]",
        1187 => "interval[]",
        _ => return format!("type {oid}"),
    };
    name.to_owned()
}
