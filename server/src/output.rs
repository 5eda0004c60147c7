//! What goes to a client, gathered in one buffer. A statement's thread hands a full buffer to the connection and waits
//! while the connection has as many as it may hold: who reads slowly stops its own statement, and nobody else's.

use crate::cancel::Running;
use crate::fault::{Fault, Result};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// A buffer with so many bytes is handed over.
pub(crate) const BUFFER_BYTES: usize = 64 << 10;

/// Buffers that a connection may hold beside those that it writes.
pub(crate) const BUFFERS_MAX: usize = 4;

/// The way from a statement's thread to the connection.
pub(crate) struct Pipe {
    pub(crate) sender: mpsc::Sender<Vec<u8>>,
    pub(crate) running: Arc<Running>,
    pub(crate) runtime: Handle,
}

/// Messages for a client.
#[derive(Default)]
pub(crate) struct Output {
    /// Whole messages.
    pub(crate) buffer: Vec<u8>,
    /// Whether the client waits for what is here.
    pub(crate) flush: bool,
    /// None where the connection itself runs a message, which says little then.
    pub(crate) pipe: Option<Pipe>,
}

impl Output {
    /// Bytes from which on the buffer is to be passed on before more is written; none where it cannot be.
    pub(crate) fn bytes_max(&self) -> usize {
        if self.pipe.is_some() { BUFFER_BYTES } else { usize::MAX }
    }

    /// Hands the buffer over if it is full.
    ///
    /// Errors: 57014 if the statement is cancelled while it waits, or its time ends; 08006, which ends the connection, if nobody reads
    /// any more.
    pub(crate) fn pass(&mut self) -> Result<()> {
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.hand_over() }
    }

    /// Hands over what the client waits for; errors as [`Output::pass`] has them.
    pub(crate) fn pass_awaited(&mut self) -> Result<()> {
        if !self.flush || self.buffer.is_empty() {
            return Ok(());
        }
        self.hand_over()?;
        self.flush = self.pipe.is_none();
        Ok(())
    }

    fn hand_over(&mut self) -> Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        // One that had to grow for a long row is not what the next one begins with.
        let buffer = std::mem::replace(&mut self.buffer, Vec::with_capacity(BUFFER_BYTES + BUFFER_BYTES / 8));
        let buffer = match pipe.sender.try_send(buffer) {
            Ok(()) => return Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return Err(gone()),
            Err(mpsc::error::TrySendError::Full(buffer)) => buffer,
        };
        let permit = pipe.runtime.block_on(async {
            tokio::select! {
                biased;
                permit = pipe.sender.reserve() => Ok(permit),
                () = pipe.running.cancelled() => Err(Fault::cancelled()),
                () = pipe.running.late() => Err(Fault::timed_out()),
            }
        });
        match permit {
            Ok(Ok(permit)) => {
                permit.send(buffer);
                Ok(())
            }
            Ok(Err(_)) => Err(gone()),
            Err(fault) => {
                // It has whole messages, perhaps of earlier statements, too.
                self.buffer = buffer;
                Err(fault)
            }
        }
    }
}

fn gone() -> Box<Fault> {
    Fault::fatal("08006", "connection to client lost")
}
