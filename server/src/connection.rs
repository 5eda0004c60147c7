//! A connection: it starts a session, then reads messages, has them answered, and writes the answers.
//!
//! All messages that are there are answered together, on one thread and with one write, if the client does not wait for
//! one of them sooner. While a statement runs, the connection writes what it gives and reads a little ahead: a client
//! that leaves stops its statement.

use crate::cancel::Key;
use crate::conversation::{Conversation, Next, Place, place};
use crate::engine::Session;
use crate::fault::Fault;
use crate::output::{BUFFER_BYTES, BUFFERS_MAX, Output, Pipe};
use crate::shared::{Phase, Shared};
use crate::wire::backend;
use crate::wire::startup::{STARTUP_BYTES_MAX, Startup, VERSION};
use bytes::{Buf as _, Bytes, BytesMut};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};

/// Bytes that are read at once.
const READ_BYTES: usize = 16 << 10;

/// Bytes that are read while a statement runs.
const AHEAD_BYTES: usize = 64 << 10;

/// Messages that are answered together.
const MESSAGES_MAX: usize = 256;

/// A type and what the message holds.
type Message = (u8, Bytes);

/// Bytes between a client and the server.
struct Channel<S> {
    stream: S,
    /// Bytes that have come and are not read yet.
    input: BytesMut,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Channel<S> {
    /// Waits for more bytes; false if there are no more. Memory grows with what has come, never with what is announced.
    async fn read(&mut self) -> io::Result<bool> {
        if self.input.capacity() - self.input.len() < READ_BYTES / 2 {
            self.input.reserve(READ_BYTES);
        }
        Ok(self.stream.read_buf(&mut self.input).await? > 0)
    }

    /// A first packet; None if the client left, or sent what is none.
    async fn packet(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(header) = self.input.first_chunk::<4>() {
                let length = u32::from_be_bytes(*header) as usize;
                if !(8..=STARTUP_BYTES_MAX).contains(&length) {
                    return Ok(None);
                }
                if self.input.len() >= length {
                    let mut packet = self.input.split_to(length).freeze();
                    packet.advance(4);
                    return Ok(Some(packet));
                }
            }
            if !self.read().await? {
                return Ok(None);
            }
        }
    }

    /// The next message, if all of it has come. What is too long ends the connection.
    fn message(&mut self, bytes_max: usize) -> Result<Option<Message>, Box<Fault>> {
        let Some(&[kind, ref length @ ..]) = self.input.first_chunk::<5>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        if length < 4 {
            return Err(Fault::fatal("08P01", format!("invalid message length {length}")));
        }
        if length > bytes_max {
            let message = format!("a message of {length} bytes is over the limit of {bytes_max}");
            return Err(Fault::fatal("08P01", message));
        }
        if self.input.len() < length + 1 {
            return Ok(None);
        }
        let mut body = self.input.split_to(length + 1).freeze();
        body.advance(5);
        Ok(Some((kind, body)))
    }

    /// Writes what has been gathered.
    async fn write(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let written = self.stream.write_all(buffer).await;
        buffer.clear();
        buffer.shrink_to(BUFFER_BYTES);
        written
    }

    /// Says why the connection ends. A client that has left already does not matter.
    async fn part(&mut self, buffer: &mut Vec<u8>, fault: &Fault) {
        backend::fault(buffer, fault);
        let _ = self.write(buffer).await;
        let _ = self.stream.shutdown().await;
    }
}

/// Serves a client until it leaves.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(stream: S, shared: Arc<Shared>) {
    let mut channel = Channel { stream, input: BytesMut::new() };
    let mut phase = shared.phase.subscribe();
    let started = tokio::select! {
        started = tokio::time::timeout(shared.limits.authentication_timeout, start(&mut channel, &shared)) => started,
        () = left(&mut phase) => return,
    };
    // Who does not say who they are in time, or leaves, is no session.
    let Ok(Ok(Some(mut connection))) = started else { return };
    // A client that cannot be written to has left.
    let _ = connection.run(&mut channel, &shared).await;
}

/// Reads who the client is; None if it wants no session, or gets none.
async fn start<S>(channel: &mut Channel<S>, shared: &Arc<Shared>) -> io::Result<Option<Connection>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut out = Vec::new();
    // Each kind of encryption may be asked for once.
    for _ in 0..3 {
        let Some(packet) = channel.packet().await? else { return Ok(None) };
        match Startup::read(packet) {
            Ok(Startup::Ssl | Startup::Gss) => channel.stream.write_all(b"N").await?,
            Ok(Startup::Cancel { process, secret }) => {
                shared.keys.cancel(process, secret);
                return Ok(None);
            }
            Ok(Startup::Session { minor, parameters }) => {
                return match begin(shared, minor, &parameters, &mut out) {
                    Ok(connection) => {
                        channel.write(&mut out).await?;
                        Ok(Some(connection))
                    }
                    Err(fault) => {
                        channel.part(&mut out, &fault).await;
                        Ok(None)
                    }
                };
            }
            Err(fault) => {
                channel.part(&mut out, &fault).await;
                return Ok(None);
            }
        }
    }
    channel.part(&mut out, &Fault::fatal("08P01", "too many requests for encryption")).await;
    Ok(None)
}

/// Makes the session that a client asks for.
fn begin(
    shared: &Arc<Shared>,
    minor: u32,
    parameters: &[(String, String)],
    out: &mut Vec<u8>,
) -> Result<Connection, Box<Fault>> {
    let unknown: Vec<String> =
        parameters.iter().map(|(name, _)| name).filter(|name| name.starts_with("_pq_.")).cloned().collect();
    if minor > 0 || !unknown.is_empty() {
        backend::negotiate_version(out, VERSION, &unknown);
    }
    let value = |wanted: &str| parameters.iter().rfind(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let user = value("user").filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| Fault::fatal("28000", "no PostgreSQL user name specified in startup packet"))?;
    if !matches!(value("replication").unwrap_or("false"), "false" | "off" | "no" | "0") {
        return Err(Fault::fatal("0A000", "replication is not supported"));
    }
    if *shared.phase.borrow() != Phase::Running {
        return Err(Fault::fatal("57P03", "the database system is shutting down"));
    }
    let slot = Arc::clone(&shared.sessions).try_acquire_owned();
    let slot = slot.map_err(|_| Fault::fatal("53300", "sorry, too many clients already"))?;
    let session = shared.engine.session();
    session.set_database(value("database").unwrap_or(user));
    let key = shared.keys.enter(session.id() as i32);
    let key = key.map_err(|error| Fault::fatal("XX000", format!("no key for the connection: {error}")))?;
    let mut session = Session::new(session, user, Arc::clone(&key.running));
    for (name, value) in parameters {
        if !matches!(name.as_str(), "user" | "database" | "replication" | "options") && !name.starts_with("_pq_.") {
            session.set_at_start(name, value)?;
        }
    }
    for (name, value) in command_line(value("options").unwrap_or_default()) {
        session.set_at_start(&name, &value)?;
    }
    let mut conversation = Box::new(Conversation::new(session, shared.limits.prepared));
    backend::authenticated(out);
    conversation.greet(key.process, key.secret, out);
    Ok(Connection { conversation: Some(conversation), key, _slot: slot, phase: shared.phase.subscribe() })
}

/// Parameters of the `options` that a client sends: `-c name=value` and `--name=value`; a backslash stands before a
/// blank that ends no word.
fn command_line(options: &str) -> Vec<(String, String)> {
    let (mut words, mut word, mut characters) = (Vec::new(), String::new(), options.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            blank if blank.is_whitespace() => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    let (mut found, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        let setting = match word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            Some("") => words.next(),
            Some(setting) => Some(setting.to_owned()),
            None => None,
        };
        if let Some((name, value)) = setting.as_deref().and_then(|setting| setting.split_once('=')) {
            found.push((name.replace('-', "_"), value.to_owned()));
        }
    }
    found
}

/// A client that has a session.
struct Connection {
    /// None while a statement's thread has it.
    conversation: Option<Box<Conversation>>,
    key: Key,
    /// Its place among the sessions that there may be.
    _slot: tokio::sync::OwnedSemaphorePermit,
    phase: watch::Receiver<Phase>,
}

impl Connection {
    /// Answers messages until the client leaves, or has to.
    async fn run<S>(&mut self, channel: &mut Channel<S>, shared: &Arc<Shared>) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut out = Output::default();
        loop {
            let (messages, broken) = gather(channel, shared.limits.message_bytes);
            if !messages.is_empty() {
                let next = self.answer(messages, channel, &mut out).await?;
                if next == Next::End {
                    channel.write(&mut out.buffer).await?;
                    return channel.stream.shutdown().await;
                }
            } else if broken.is_none() && !self.wait(channel, &mut out).await? {
                return Ok(());
            }
            if let Some(fault) = broken {
                channel.part(&mut out.buffer, &fault).await;
                return Ok(());
            }
            if out.flush || out.buffer.len() >= BUFFER_BYTES {
                channel.write(&mut out.buffer).await?;
                out.flush = false;
            }
        }
    }

    /// Waits for more of what the client sends; false if the connection ends.
    async fn wait<S>(&mut self, channel: &mut Channel<S>, out: &mut Output) -> io::Result<bool>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Some(conversation) = &mut self.conversation else { return Ok(false) };
        let is_copying = conversation.is_copying();
        tokio::select! {
            read = channel.read() => read,
            () = self.key.running.told() => {
                conversation.tell(out);
                Ok(true)
            }
            () = self.key.running.cancelled(), if is_copying => {
                conversation.stop_copy(out);
                Ok(true)
            }
            // A COPY is a statement that runs.
            () = left(&mut self.phase), if !is_copying => {
                channel.part(&mut out.buffer, &Fault::shut_down()).await;
                Ok(false)
            }
        }
    }

    async fn answer<S>(
        &mut self,
        messages: Vec<Message>,
        channel: &mut Channel<S>,
        out: &mut Output,
    ) -> io::Result<Next>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut conversation =
            self.conversation.take().ok_or_else(|| io::Error::other("a statement's thread has ended"))?;
        if messages.iter().all(|(kind, body)| place(*kind, body.len()) == Place::Here) {
            let next = answer_all(&mut conversation, messages, out);
            self.conversation = Some(conversation);
            return Ok(next);
        }
        let (sender, mut buffers) = mpsc::channel(BUFFERS_MAX);
        let mut apart = std::mem::take(out);
        apart.pipe = Some(Pipe { sender, running: Arc::clone(&self.key.running), runtime: Handle::current() });
        let mut thread = tokio::task::spawn_blocking(move || {
            let next = answer_all(&mut conversation, messages, &mut apart);
            apart.pipe = None;
            (conversation, apart, next)
        });
        let mut is_left = false;
        let (conversation, apart, next) = loop {
            tokio::select! {
                biased;
                Some(mut buffer) = buffers.recv() => channel.write(&mut buffer).await?,
                ended = &mut thread => break ended.map_err(io::Error::other)?,
                read = channel.read(), if !is_left && channel.input.len() < AHEAD_BYTES => {
                    is_left = !matches!(read, Ok(true));
                    if is_left {
                        self.key.running.cancel();
                    }
                }
            }
        };
        // Those that it handed over last.
        while let Ok(mut buffer) = buffers.try_recv() {
            channel.write(&mut buffer).await?;
        }
        self.conversation = Some(conversation);
        *out = apart;
        Ok(next)
    }
}

/// Waits until the server goes down.
async fn left(phase: &mut watch::Receiver<Phase>) {
    // It is never closed: the connection has a share of what sends it. The value is a lock, which may not be kept.
    drop(phase.wait_for(|phase| *phase != Phase::Running).await);
}

/// The messages that have come, up to a number, and what is wrong behind them.
fn gather<S>(channel: &mut Channel<S>, bytes_max: usize) -> (Vec<Message>, Option<Box<Fault>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut messages = Vec::new();
    while messages.len() < MESSAGES_MAX {
        match channel.message(bytes_max) {
            Ok(Some(message)) => messages.push(message),
            Ok(None) => break,
            Err(fault) => return (messages, Some(fault)),
        }
    }
    (messages, None)
}

/// Answers messages, one after the other.
fn answer_all(conversation: &mut Conversation, messages: Vec<Message>, out: &mut Output) -> Next {
    for (kind, body) in messages {
        if conversation.handle(kind, body, out) == Next::End {
            return Next::End;
        }
        // Somebody waits for an answer, and the next message may take long.
        match out.pass_awaited() {
            Err(fault) if fault.is_fatal() => return Next::End,
            _ => {}
        }
    }
    Next::Go
}

#[cfg(test)]
mod tests {
    use super::command_line;

    #[test]
    fn options_are_a_command_line() {
        let found = command_line("-c search_path=a\\ b -cwork_mem=1 --lock-timeout=5 -x y");
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("search_path", "a b"), ("work_mem", "1"), ("lock_timeout", "5")]);
        assert!(command_line("  -c \\").is_empty());
    }
}
