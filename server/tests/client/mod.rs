//! A server on a port of its own, and a client that speaks the protocol by hand, so that it can say what no driver
//! would.
#![allow(dead_code, reason = "each suite uses a part of it")]

use multiloop::Engine;
use multiloop_server::{Control, Options, Server};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// No answer takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server, which is taken down when this is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    /// Where it is watched.
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) engine: Engine,
    pub(crate) control: Control,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// A server with the default settings on a free port.
    pub(crate) fn start() -> Self {
        Running::with(|_| {})
    }

    /// A server with other settings.
    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Self {
        Running::over(Engine::builder().threads(2).build().expect("an engine starts"), change)
    }

    /// A server of this engine.
    pub(crate) fn over(engine: Engine, change: impl FnOnce(&mut Options)) -> Self {
        Running::on(512, engine, change)
    }

    /// A server that has so many threads for statements.
    pub(crate) fn on(threads: usize, engine: Engine, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options { listen: vec![([127, 0, 0, 1], 0).into()], ..Options::default() };
        change(&mut options);
        let (sender, receiver) = mpsc::channel();
        let served = engine.clone();
        let thread = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_multi_thread();
            runtime.worker_threads(2).max_blocking_threads(threads).enable_all();
            let runtime = runtime.build().expect("a runtime starts");
            runtime.block_on(async {
                let server = Server::bind(served, options).await.expect("a free port can be had");
                sender
                    .send((server.addresses()[0], server.metrics(), server.control()))
                    .expect("the test waits for it");
                server.run().await;
            });
            runtime.shutdown_timeout(Duration::from_secs(5));
        });
        let (address, metrics, control) = receiver.recv_timeout(PATIENCE).expect("the server listens");
        Running { address, metrics, engine, control, thread: Some(thread) }
    }

    /// Runs statements in the same process.
    pub(crate) fn sql(&self, sql: &str) {
        self.engine.session().sql(sql).expect("it runs");
    }

    /// A table `n` of the numbers `i` from 0 to below 10 to this power.
    pub(crate) fn numbers(&self, power: u32) {
        let digits = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
        let sum: Vec<String> = (0..power).map(|digit| format!("d{digit}.v * {}", 10i64.pow(digit))).collect();
        let from: Vec<String> = (0..power).map(|digit| format!("{digits} d{digit}(v)")).collect();
        self.sql(&format!("CREATE TABLE n AS SELECT {} AS i FROM {}", sum.join(" + "), from.join(", ")));
    }

    /// A client that has a session.
    pub(crate) fn client(&self) -> Client {
        let mut client = Client::connect(self.address);
        client.startup(&[("user", "u"), ("database", "d")]);
        client.ready();
        client
    }

    /// How many sessions of clients there are of which this holds in pg_stat_activity.
    fn sessions(&self, condition: &str) -> usize {
        let sql = format!("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND {condition}");
        let rows = self.engine.session().sql(&sql).and_then(|rows| rows.collect_batches()).expect("it can be asked");
        rows.iter().map(|batch| batch.num_rows()).sum()
    }

    fn wait_for_sessions(&self, count: usize, condition: &str) {
        let started = std::time::Instant::now();
        while self.sessions(condition) != count {
            assert!(started.elapsed() < PATIENCE, "there are other sessions with {condition}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the statement of a client runs.
    pub(crate) fn wait_for_statement(&self, client: &Client) {
        self.wait_for_sessions(1, &format!("state = 'active' AND pid = {}", client.key.0));
    }

    /// Waits until nobody has a session any more, nor runs a statement.
    pub(crate) fn wait_for_nobody(&self) {
        self.wait_for_sessions(0, "client_addr IS NOT NULL");
    }

    /// Waits until the server is down.
    pub(crate) fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.control.end();
        self.wait();
    }
}

/// A message: its type and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) kind: char,
    pub(crate) body: Vec<u8>,
}

impl Message {
    /// The values of a DataRow.
    pub(crate) fn values(&self) -> Vec<Option<Vec<u8>>> {
        assert_eq!(self.kind, 'D');
        let (mut values, mut rest) = (Vec::new(), &self.body[2..]);
        while !rest.is_empty() {
            let length = i32::from_be_bytes(rest[..4].try_into().expect("four bytes"));
            rest = &rest[4..];
            values.push(usize::try_from(length).ok().map(|length| {
                let (value, behind) = rest.split_at(length);
                rest = behind;
                value.to_vec()
            }));
        }
        values
    }

    /// The types' OIDs and the formats of a RowDescription.
    pub(crate) fn columns(&self) -> Vec<(u32, i16)> {
        assert_eq!(self.kind, 'T');
        let (mut columns, mut rest) = (Vec::new(), &self.body[2..]);
        while let Some(end) = rest.iter().position(|&byte| byte == 0) {
            // Behind the name: table, position, type, size, modifier, format.
            let (about, behind) = rest[end + 1..].split_at(18);
            let oid = u32::from_be_bytes(about[6..10].try_into().expect("four bytes"));
            columns.push((oid, i16::from_be_bytes(about[16..].try_into().expect("two bytes"))));
            rest = behind;
        }
        columns
    }

    /// A field of an error.
    pub(crate) fn field(&self, kind: char) -> Option<String> {
        assert!(matches!(self.kind, 'E' | 'N'), "{self:?}");
        let text = String::from_utf8_lossy(&self.body).into_owned();
        text.split('\0').find_map(|field| field.strip_prefix(kind)).map(str::to_owned)
    }

    /// The text of a tag.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).trim_end_matches('\0').to_owned()
    }
}

/// What a client sends.
#[derive(Default)]
pub(crate) struct Script(Vec<u8>);

/// A text and a zero byte.
pub(crate) fn zero_ended(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

impl Script {
    pub(crate) fn new() -> Self {
        Script::default()
    }

    /// A message of this type.
    pub(crate) fn message(mut self, kind: u8, body: &[u8]) -> Self {
        self.0.push(kind);
        self.0.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
        self.0.extend_from_slice(body);
        self
    }

    pub(crate) fn query(self, text: &str) -> Self {
        self.message(b'Q', &zero_ended(text))
    }

    pub(crate) fn parse(self, name: &str, text: &str, types: &[u32]) -> Self {
        let mut body = [zero_ended(name), zero_ended(text)].concat();
        body.extend_from_slice(&(types.len() as u16).to_be_bytes());
        types.iter().for_each(|oid| body.extend_from_slice(&oid.to_be_bytes()));
        self.message(b'P', &body)
    }

    pub(crate) fn bind(
        self,
        portal: &str,
        statement: &str,
        values: &[Option<&[u8]>],
        formats: (&[i16], &[i16]),
    ) -> Self {
        let mut body = [zero_ended(portal), zero_ended(statement)].concat();
        let codes = |codes: &[i16]| {
            let mut bytes = (codes.len() as u16).to_be_bytes().to_vec();
            codes.iter().for_each(|code| bytes.extend_from_slice(&code.to_be_bytes()));
            bytes
        };
        body.extend(codes(formats.0));
        body.extend_from_slice(&(values.len() as u16).to_be_bytes());
        for value in values {
            let length = value.map_or(-1, |value| value.len() as i32);
            body.extend_from_slice(&length.to_be_bytes());
            body.extend_from_slice(value.unwrap_or_default());
        }
        body.extend(codes(formats.1));
        self.message(b'B', &body)
    }

    pub(crate) fn describe(self, kind: u8, name: &str) -> Self {
        self.message(b'D', &[vec![kind], zero_ended(name)].concat())
    }

    pub(crate) fn close(self, kind: u8, name: &str) -> Self {
        self.message(b'C', &[vec![kind], zero_ended(name)].concat())
    }

    pub(crate) fn execute(self, portal: &str, limit: i32) -> Self {
        self.message(b'E', &[zero_ended(portal), limit.to_be_bytes().to_vec()].concat())
    }

    pub(crate) fn sync(self) -> Self {
        self.message(b'S', b"")
    }

    pub(crate) fn flush(self) -> Self {
        self.message(b'H', b"")
    }
}

/// A connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    /// Process and secret, once they are told.
    pub(crate) key: (i32, i32),
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has timeouts");
        stream.set_nodelay(true).expect("a socket has options");
        Client { stream, key: (0, 0) }
    }

    /// Sends bytes as they are. The server may have left already.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Sends a packet without a type.
    pub(crate) fn packet(&mut self, body: &[u8]) {
        self.raw(&[&(body.len() as u32 + 4).to_be_bytes(), body].concat());
    }

    /// Asks for a session.
    pub(crate) fn startup(&mut self, parameters: &[(&str, &str)]) {
        self.startup_version(3 << 16, parameters);
    }

    pub(crate) fn startup_version(&mut self, version: u32, parameters: &[(&str, &str)]) {
        let mut body = version.to_be_bytes().to_vec();
        for (name, value) in parameters {
            body.extend([zero_ended(name), zero_ended(value)].concat());
        }
        body.push(0);
        self.packet(&body);
    }

    pub(crate) fn send(&mut self, script: Script) {
        self.raw(&script.0);
    }

    /// The next message; None if the server has closed the connection.
    pub(crate) fn message(&mut self) -> Option<Message> {
        let mut header = [0; 5];
        match self.stream.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("the server does not answer"),
            Err(_) => return None,
        }
        let length = u32::from_be_bytes(header[1..].try_into().expect("four bytes")) as usize - 4;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a message is sent whole");
        if header[0] == b'K' {
            let number = |bytes: &[u8]| i32::from_be_bytes(bytes.try_into().expect("four bytes"));
            self.key = (number(&body[..4]), number(&body[4..]));
        }
        Some(Message { kind: char::from(header[0]), body })
    }

    /// All messages up to ReadyForQuery, or the end of the connection.
    pub(crate) fn ready(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        while let Some(message) = self.message() {
            let is_ready = message.kind == 'Z';
            messages.push(message);
            if is_ready {
                break;
            }
        }
        messages
    }

    /// Sends, and gives what comes back up to ReadyForQuery: types, with the SQLSTATEs of errors.
    pub(crate) fn say(&mut self, script: Script) -> String {
        self.send(script);
        shown(&self.ready())
    }

    /// The rows of a simple query, as text.
    pub(crate) fn rows(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        self.send(Script::new().query(sql));
        let messages = self.ready();
        assert_eq!(messages.last().map(|message| message.kind), Some('Z'), "{messages:?}");
        assert!(messages.iter().all(|message| message.kind != 'E'), "{sql}: {messages:?}");
        let text = |value: Option<Vec<u8>>| value.map(|bytes| String::from_utf8(bytes).expect("text is UTF-8"));
        let rows = messages.iter().filter(|message| message.kind == 'D');
        rows.map(|row| row.values().into_iter().map(text).collect()).collect()
    }

    /// Cancels what this client runs, over a connection of its own; waits until the server has heard it.
    pub(crate) fn cancel(&self) {
        cancel(self.stream.peer_addr().expect("it is connected"), self.key);
    }
}

/// Sends a cancel request.
pub(crate) fn cancel(address: SocketAddr, (process, secret): (i32, i32)) {
    let mut other = Client::connect(address);
    let code: u32 = (1234 << 16) | 5678;
    other.packet(&[code.to_be_bytes(), process.to_be_bytes(), secret.to_be_bytes()].concat());
    assert_eq!(other.message(), None);
}

/// Types of messages, with the SQLSTATEs of errors and the tags of what is complete.
pub(crate) fn shown(messages: &[Message]) -> String {
    let one = |message: &Message| match message.kind {
        'E' => format!("E({})", message.field('C').unwrap_or_default()),
        'C' => format!("C({})", message.text()),
        kind => kind.to_string(),
    };
    messages.iter().map(one).collect()
}
