//! COPY between client and server: what passes while one of them sends data.

use super::Conversation;
use crate::copy::{CopyIn, CopyOut};
use crate::fault::{Fault, Result};
use crate::output::{BUFFER_BYTES, Output};
use crate::wire::backend::{self, CopyDirection};
use crate::wire::frontend::Frontend;

/// A COPY that takes data from the client.
pub(super) struct Copying {
    copy: Box<dyn CopyIn>,
    /// Whether it is a statement of a script, which goes on behind it.
    is_simple: bool,
}

impl Conversation {
    /// Asks the client for data. What comes next is [`Conversation::copied`]'s.
    pub(super) fn begin_copy(&mut self, copy: Box<dyn CopyIn>, is_simple: bool, out: &mut Output) -> Result<()> {
        backend::copy(&mut out.buffer, CopyDirection::In, copy.format(), copy.columns())?;
        out.flush = true;
        self.copying = Some(Copying { copy, is_simple });
        Ok(())
    }

    /// Whether the client's data is waited for.
    pub(crate) fn is_copying(&self) -> bool {
        self.copying.is_some()
    }

    /// Ends a COPY that waits for data, because somebody cancelled it, or its time is over.
    pub(crate) fn stop_copy(&mut self, fault: &Fault, out: &mut Output) {
        self.fail(b'd', fault, out);
    }

    /// Takes a message while data is copied in.
    pub(super) fn copied(&mut self, kind: u8, message: Frontend, out: &mut Output) -> Result<()> {
        match message {
            Frontend::CopyData(bytes) => {
                self.session.check()?;
                match &mut self.copying {
                    Some(copying) => copying.copy.take(&bytes),
                    None => Ok(()),
                }
            }
            Frontend::CopyDone => {
                let Some(Copying { copy, is_simple }) = self.copying.take() else { return Ok(()) };
                let tag = self.session.finish(copy)?;
                self.complete(&tag, out);
                self.send_notices(out);
                if is_simple { self.run_script(out) } else { Ok(()) }
            }
            Frontend::CopyFail(reason) => Err(Fault::error("57014", format!("COPY from stdin failed: {reason}"))),
            // Those of clients that send all at once and ask later.
            Frontend::Flush | Frontend::Sync => Ok(()),
            _ => {
                let message = format!("unexpected message type 0x{kind:02X} during COPY from stdin");
                Err(Fault::protocol(message))
            }
        }
    }

    /// Sends all data of a COPY, one message a row, as clients expect it.
    pub(super) fn copy_out(&mut self, mut copy: Box<dyn CopyOut>, out: &mut Output) -> Result<()> {
        backend::copy(&mut out.buffer, CopyDirection::Out, copy.format(), copy.columns())?;
        while copy.next(BUFFER_BYTES, &mut out.buffer)? {
            self.session.check()?;
            out.pass()?;
        }
        backend::copy_done(&mut out.buffer);
        self.complete(&copy.tag(), out);
        Ok(())
    }
}
