//! A connection that has a session: it reads messages, has them answered, and writes the answers.
//!
//! All messages that are there are answered together, on one thread and with one write, if the client does not wait for
//! one of them sooner. While a statement runs, the connection writes what it gives and reads a little ahead: a client
//! that leaves stops its statement.

use crate::cancel::{Key, Running};
use crate::channel::{Channel, Message};
use crate::conversation::{Conversation, Next, Place};
use crate::fault::Fault;
use crate::output::{BUFFER_BYTES, BUFFERS_MAX, Output, Pipe};
use crate::shared::{Phase, Shared};
use std::io;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

/// Bytes that are read while a statement runs.
const AHEAD_BYTES: usize = 256 << 10;

/// The same while a COPY takes what was read: as much as it takes at once.
const COPY_AHEAD_BYTES: usize = 4 << 20;

/// Messages that are answered together.
const MESSAGES_MAX: usize = 256;

/// The same while a COPY takes them: some clients send each row as one.
const COPY_MESSAGES_MAX: usize = 1 << 16;

/// Messages that are answered on the connection's thread before other connections have their turn.
const MESSAGES_AT_ONCE: usize = 32;

/// A client that has a session.
pub(crate) struct Connection {
    /// None while a statement's thread has it.
    conversation: Option<Box<Conversation>>,
    key: Key,
    /// Its place among the sessions that there may be.
    _slot: OwnedSemaphorePermit,
    phase: watch::Receiver<Phase>,
    /// Since when it waits for its client, if somebody has asked since.
    waits: Option<Instant>,
}

impl Connection {
    /// A connection that begins.
    pub(crate) fn new(
        conversation: Box<Conversation>,
        key: Key,
        slot: OwnedSemaphorePermit,
        phase: watch::Receiver<Phase>,
    ) -> Self {
        Connection { conversation: Some(conversation), key, _slot: slot, phase, waits: None }
    }

    /// What others may do to it.
    pub(crate) fn running(&self) -> Arc<Running> {
        Arc::clone(&self.key.running)
    }

    /// Its number.
    pub(crate) fn process(&self) -> i32 {
        self.key.process
    }

    /// Answers messages until the client leaves, or has to.
    pub(crate) async fn run<S>(&mut self, channel: &mut Channel<S>, shared: &Arc<Shared>) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut out = Output::default();
        loop {
            if self.key.running.is_terminated() {
                channel.part(&mut out.buffer, &Fault::shut_down()).await;
                return Ok(());
            }
            let is_copying = self.conversation.as_ref().is_some_and(|conversation| conversation.is_copying());
            let most = if is_copying { COPY_MESSAGES_MAX } else { MESSAGES_MAX };
            let (messages, broken) = gather(channel, most, shared.limits.message_bytes);
            if !messages.is_empty() {
                let next = self.answer(messages, channel, shared.limits.message_bytes, &mut out).await?;
                self.waits = None;
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
                self.waits = None;
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
        let limit = if is_copying { None } else { conversation.idle_limit() };
        // The limit of a client that has to say something, and what is said of it.
        let until =
            limit.as_ref().and_then(|(limit, _)| self.waits.get_or_insert_with(Instant::now).checked_add(*limit));
        tokio::select! {
            read = channel.read() => read,
            () = self.key.running.told() => {
                // Whether it is to end the loop sees.
                conversation.tell(out);
                Ok(true)
            }
            () = self.key.running.cancelled(), if is_copying => {
                conversation.stop_copy(&Fault::cancelled(), out);
                Ok(true)
            }
            () = self.key.running.late(), if is_copying => {
                conversation.stop_copy(&Fault::timed_out(), out);
                Ok(true)
            }
            () = passed(until) => {
                let parting = limit.map_or_else(Fault::shut_down, |(_, parting)| parting);
                tracing::info!(process = self.key.process, code = parting.code, "idle client");
                channel.part(&mut out.buffer, &parting).await;
                Ok(false)
            }
            // A COPY is a statement that runs.
            () = left(&mut self.phase), if !is_copying => {
                channel.part(&mut out.buffer, &Fault::shut_down()).await;
                Ok(false)
            }
        }
    }

    /// Answers messages: here as long as they are short, from the first that is not on apart.
    async fn answer<S>(
        &mut self,
        messages: Vec<Message>,
        channel: &mut Channel<S>,
        bytes_max: usize,
        out: &mut Output,
    ) -> io::Result<Next>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut messages = messages.into_iter();
        let mut answered = 0;
        while let Some((kind, body)) = messages.as_slice().first() {
            let conversation = self.conversation.as_mut().ok_or_else(has_ended)?;
            if conversation.place(*kind, body) == Place::Apart {
                break;
            }
            conversation.expect(messages.as_slice().get(1).map(|(kind, _)| *kind));
            match conversation.handle_here(*kind, body.clone(), out) {
                Next::Go => drop(messages.next()),
                Next::Apart => break,
                Next::End => return Ok(Next::End),
            }
            answered += 1;
            if out.buffer.len() >= BUFFER_BYTES {
                channel.write(&mut out.buffer).await?;
            }
            if answered % MESSAGES_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
        }
        if messages.as_slice().is_empty() {
            return Ok(Next::Go);
        }
        // Somebody waits for it, and the next message takes longer.
        if std::mem::take(&mut out.flush) {
            channel.write(&mut out.buffer).await?;
        }
        self.answer_apart(messages, channel, bytes_max, out).await
    }

    async fn answer_apart<S>(
        &mut self,
        messages: std::vec::IntoIter<Message>,
        channel: &mut Channel<S>,
        bytes_max: usize,
        out: &mut Output,
    ) -> io::Result<Next>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut conversation = self.conversation.take().ok_or_else(has_ended)?;
        let ahead_bytes = if conversation.is_copying() { COPY_AHEAD_BYTES } else { AHEAD_BYTES };
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
                read = channel.read(), if !is_left && channel.waiting_bytes() < ahead_bytes => {
                    channel.put_aside(bytes_max);
                    is_left = !matches!(read, Ok(true));
                    if is_left {
                        // The thread may not have begun.
                        self.key.running.close();
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

fn has_ended() -> io::Error {
    io::Error::other("a statement's thread has ended")
}

/// Waits until a time; for ever without one.
async fn passed(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}

/// Waits until the server goes down.
pub(crate) async fn left(phase: &mut watch::Receiver<Phase>) {
    // It is never closed: the connection has a share of what sends it. The value is a lock, which may not be kept.
    drop(phase.wait_for(|phase| *phase != Phase::Running).await);
}

/// The messages that have come, up to a number, and what is wrong behind them.
fn gather<S>(channel: &mut Channel<S>, most: usize, bytes_max: usize) -> (Vec<Message>, Option<Box<Fault>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut messages = Vec::new();
    while messages.len() < most {
        match channel.message(bytes_max) {
            Ok(Some(message)) => messages.push(message),
            Ok(None) => break,
            Err(fault) => return (messages, Some(fault)),
        }
    }
    (messages, None)
}

/// Answers messages, one after the other.
fn answer_all(conversation: &mut Conversation, messages: impl IntoIterator<Item = Message>, out: &mut Output) -> Next {
    let mut messages = messages.into_iter().peekable();
    while let Some((kind, body)) = messages.next() {
        conversation.expect(messages.peek().map(|(kind, _)| *kind));
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
