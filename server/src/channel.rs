//! Bytes between a client and the server: packets and messages as they come, and what is written.

use crate::fault::Fault;
use crate::metrics::Metrics;
use crate::output::BUFFER_BYTES;
use crate::tls::Carrier;
use crate::wire::backend;
use crate::wire::startup::STARTUP_BYTES_MAX;
use bytes::{Buf as _, Bytes, BytesMut};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Bytes that are read at once, and from a client that fills these again and again, at most.
const READ_BYTES: usize = 16 << 10;
const READ_BYTES_MAX: usize = 256 << 10;

/// What a message takes that waits, beside its bytes.
const MESSAGE_BYTES: usize = 64;

/// How long a connection that ends may take to say so: its client may not read.
pub(crate) const PARTING: Duration = Duration::from_secs(2);

/// A type and what the message holds.
pub(crate) type Message = (u8, Bytes);

/// Bytes between a client and the server.
pub(crate) struct Channel<S> {
    pub(crate) stream: Carrier<S>,
    /// Bytes that have come and are not read yet.
    pub(crate) input: BytesMut,
    /// Messages that have been taken out of the input and wait to be answered.
    ahead: VecDeque<Message>,
    /// What they take.
    ahead_bytes: usize,
    /// Bytes that are read at once now.
    room: usize,
    metrics: Arc<Metrics>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Channel<S> {
    /// A stream on which nothing has been said.
    pub(crate) fn new(stream: S, metrics: Arc<Metrics>) -> Self {
        let (ahead, ahead_bytes) = (VecDeque::new(), 0);
        Channel {
            stream: Carrier::Plain(stream),
            input: BytesMut::new(),
            ahead,
            ahead_bytes,
            room: READ_BYTES,
            metrics,
        }
    }

    /// Waits for more bytes; false if there are no more. Memory grows with what has come, never with what is announced.
    pub(crate) async fn read(&mut self) -> io::Result<bool> {
        if self.input.is_empty() && self.room < self.input.capacity() / 4 {
            self.input = BytesMut::new();
        }
        if self.input.capacity() - self.input.len() < self.room / 2 {
            self.input.reserve(self.room);
        }
        let room = self.input.capacity() - self.input.len();
        let bytes = self.stream.read_buf(&mut self.input).await?;
        self.room = if bytes == room { (2 * self.room).min(READ_BYTES_MAX) } else { self.room };
        if bytes < READ_BYTES / 4 {
            self.room = READ_BYTES;
        }
        self.metrics.bytes_received.add(bytes as u64);
        Ok(bytes > 0)
    }

    /// A first packet; None if the client left, or sent what is none.
    pub(crate) async fn packet(&mut self) -> io::Result<Option<Bytes>> {
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

    /// Takes the messages out of the input that have come: who reads ahead does not grow one buffer of all of them, which would be
    /// copied as often as it grows. What is wrong stays there.
    pub(crate) fn put_aside(&mut self, bytes_max: usize) {
        while let Ok(Some(message)) = self.next_of_input(bytes_max) {
            self.ahead_bytes += message.1.len() + MESSAGE_BYTES;
            self.ahead.push_back(message);
        }
    }

    /// Bytes of what has come and is not answered.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.ahead_bytes + self.input.len()
    }

    /// The next message, if all of it has come. What is too long ends the connection.
    pub(crate) fn message(&mut self, bytes_max: usize) -> Result<Option<Message>, Box<Fault>> {
        match self.ahead.pop_front() {
            Some(message) => {
                self.ahead_bytes -= message.1.len() + MESSAGE_BYTES;
                Ok(Some(message))
            }
            None => self.next_of_input(bytes_max),
        }
    }

    fn next_of_input(&mut self, bytes_max: usize) -> Result<Option<Message>, Box<Fault>> {
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
    pub(crate) async fn write(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let written = self.stream.write_all(buffer).await;
        // What is encrypted is gathered: it goes out now.
        let written = if self.stream.is_encrypted() && written.is_ok() { self.stream.flush().await } else { written };
        self.metrics.bytes_sent.add(buffer.len() as u64);
        buffer.clear();
        buffer.shrink_to(BUFFER_BYTES);
        written
    }

    /// Says why the connection ends. A client that has left already does not matter, nor does one that does not read.
    pub(crate) async fn part(&mut self, buffer: &mut Vec<u8>, fault: &Fault) {
        backend::fault(buffer, fault);
        let said = async {
            let _ = self.write(buffer).await;
            let _ = self.stream.shutdown().await;
        };
        let _ = tokio::time::timeout(PARTING, said).await;
    }
}
