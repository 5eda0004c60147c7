//! A client that does nothing with what it reads, of any server that speaks PostgreSQL's protocol: how long a round of messages
//! takes, and how fast rows come and go, without what a driver costs.
//!
//! `cargo run --release -p multiloop-server --example wire -- HOST:PORT DATABASE WHAT …`, as the user postgres, who needs no password:
//!
//! * `rounds SQL N [KEYS]`: a prepared statement, run N times; `$1` is 1, 2, … up to KEYS, and again.
//! * `rows SQL text|binary`: all rows of a query, or of a COPY … TO STDOUT.
//! * `copy SQL FILE`: a file as the data of a COPY … FROM STDIN.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Bytes of a message of COPY.
const COPY_BYTES: usize = 64 << 10;

/// Messages that are written together.
#[derive(Default)]
struct Messages(Vec<u8>);

impl Messages {
    /// A message of this type, 0 for the first one, which has none.
    fn put(mut self, kind: u8, body: &[&[u8]]) -> Self {
        if kind != 0 {
            self.0.push(kind);
        }
        let length = 4 + body.iter().map(|part| part.len()).sum::<usize>();
        self.0.extend((length as u32).to_be_bytes());
        body.iter().for_each(|part| self.0.extend(*part));
        self
    }
}

/// A connection, and what has been read of it.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Client {
    fn connect(address: &str, database: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut client = Client { stream, buffer: vec![0; 1 << 20], start: 0, end: 0 };
        let options = format!("user\0postgres\0database\0{database}\0\0");
        client.send(Messages::default().put(0, &[&196_608u32.to_be_bytes(), options.as_bytes()]))?;
        client.until(b'Z')?;
        Ok(client)
    }

    fn send(&mut self, messages: Messages) -> Result<()> {
        Ok(self.stream.write_all(&messages.0)?)
    }

    /// Reads until so many bytes are there.
    fn need(&mut self, bytes: usize) -> Result<()> {
        while self.end - self.start < bytes {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            if self.buffer.len() < bytes {
                self.buffer.resize(bytes, 0);
            }
            match self.stream.read(&mut self.buffer[self.end..])? {
                0 => return Err("the server has closed the connection".into()),
                read => self.end += read,
            }
        }
        Ok(())
    }

    /// Passes over messages up to one of a type; gives the number of rows, and of their bytes.
    fn until(&mut self, last: u8) -> Result<(u64, u64)> {
        let (mut rows, mut bytes) = (0, 0);
        loop {
            self.need(5)?;
            let head = &self.buffer[self.start..];
            let (kind, length) = (head[0], 1 + u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize);
            self.need(length)?;
            let body = &self.buffer[self.start + 5..self.start + length];
            match kind {
                b'D' | b'd' => (rows, bytes) = (rows + 1, bytes + length as u64),
                b'E' => return Err(String::from_utf8_lossy(body).replace('\0', " ").into()),
                b'R' if body != [0; 4] => return Err("a password is asked for".into()),
                _ => {}
            }
            self.start += length;
            if kind == last {
                return Ok((rows, bytes));
            }
        }
    }

    fn rounds(&mut self, sql: &str, count: u32, keys: Option<u32>) -> Result<()> {
        self.send(Messages::default().put(b'P', &[b"s\0", sql.as_bytes(), b"\0\0\0"]).put(b'S', &[]))?;
        self.until(b'Z')?;
        let mut times = Vec::with_capacity(count as usize);
        for round in 0..count {
            let key = keys.map(|keys| (1 + round % keys).to_string());
            let parameter =
                key.map_or_else(Vec::new, |key| [&(key.len() as u32).to_be_bytes(), key.as_bytes()].concat());
            let given = [0, u8::from(keys.is_some())];
            let messages = Messages::default().put(b'B', &[b"\0s\0\0\0", &given, &parameter, b"\0\0"]);
            let messages = messages.put(b'E', &[b"\0\0\0\0\0"]).put(b'S', &[]);
            let began = Instant::now();
            self.send(messages)?;
            self.until(b'Z')?;
            times.push(began.elapsed());
        }
        times.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().map_or(0.0, micros);
        println!("{count} rounds: least {:.1} µs, p50 {:.1}, p99 {:.1}", at(0.0), at(0.5), at(0.99));
        Ok(())
    }

    fn rows(&mut self, sql: &str, format: &str) -> Result<()> {
        let format: &[u8] = if format == "binary" { b"\0\0\0\0\0\0\0\x01\0\x01" } else { b"\0\0\0\0\0\0\0\0" };
        let messages = Messages::default().put(b'P', &[b"\0", sql.as_bytes(), b"\0\0\0"]).put(b'B', &[format]);
        let began = Instant::now();
        self.send(messages.put(b'E', &[b"\0\0\0\0\0"]).put(b'S', &[]))?;
        let (rows, bytes) = self.until(b'Z')?;
        report(rows, bytes, began.elapsed());
        Ok(())
    }

    fn copy(&mut self, sql: &str, file: &str) -> Result<()> {
        let data = std::fs::read(file)?;
        self.send(Messages::default().put(b'Q', &[sql.as_bytes(), b"\0"]))?;
        self.until(b'G')?;
        let began = Instant::now();
        for piece in data.chunks(COPY_BYTES) {
            self.send(Messages::default().put(b'd', &[piece]))?;
        }
        self.send(Messages::default().put(b'c', &[]))?;
        self.until(b'Z')?;
        report(0, data.len() as u64, began.elapsed());
        Ok(())
    }
}

fn report(rows: u64, bytes: u64, time: Duration) {
    let (seconds, megabytes) = (time.as_secs_f64(), bytes as f64 / 1e6);
    let rate = rows as f64 / seconds / 1e6;
    println!("{rows} rows, {megabytes:.0} MB in {seconds:.3} s: {rate:.2} M rows/s, {:.0} MB/s", megabytes / seconds);
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [address, database, what @ ..] = &words[..] else { return Err("HOST:PORT DATABASE WHAT …".into()) };
    let mut client = Client::connect(address, database)?;
    match what {
        ["rounds", sql, count] => client.rounds(sql, count.parse()?, None),
        ["rounds", sql, count, keys] => client.rounds(sql, count.parse()?, Some(keys.parse()?)),
        ["rows", sql, format @ ("text" | "binary")] => client.rows(sql, format),
        ["copy", sql, file] => client.copy(sql, file),
        _ => Err("rounds SQL N [KEYS], rows SQL text|binary, or copy SQL FILE".into()),
    }
}
