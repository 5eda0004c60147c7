//! What a session says to what its client says: one message after the other, whatever carries them. `script` is the
//! simple protocol, `extended` the other, `portal` what both run rows through, `copy` what passes while data is copied.
//!
//! Nothing here waits for a client: a message that needs more of them (COPY) leaves a state behind.

mod copy;
mod extended;
mod portal;
mod script;
#[cfg(test)]
mod tests;

use crate::engine::{Prepared, SHORT, Session};
use crate::fault::{Fault, Result};
use crate::output::Output;
use crate::record::Record;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::frontend::Frontend;
use bytes::Bytes;
use copy::Copying;
use portal::Portal;
use rustc_hash::FxHashMap;
use script::Script;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// What a message asks for, and where it may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the connection's own thread: it costs a few microseconds.
    Here,
    /// On a thread of statements.
    Apart,
}

/// Messages of more bytes are never answered on the connection's thread: values of a parameter take their time, too.
const SHORT_BYTES: usize = 4 << 10;

/// Whether a conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Go,
    End,
    /// What was to be answered on the connection's thread takes longer: nothing has been done, and it is to be answered apart.
    Apart,
}

/// A prepared statement: none if its text was empty.
type Named = Option<Arc<Prepared>>;

/// A session and what its client has made in it.
pub(crate) struct Conversation {
    session: Session,
    /// The unnamed one has an empty name.
    statements: FxHashMap<String, Named>,
    portals: FxHashMap<String, Portal>,
    bounds: Bounds,
    record: Record,
    /// Whether the client was told that it may go on, and has said nothing since.
    is_ready: bool,
    /// An error was sent: what comes is left out until Sync.
    is_skipping: bool,
    /// What is left of a text of several statements while one of them copies.
    script: Option<Script>,
    copying: Option<Copying>,
    /// Where the message is answered that is being answered.
    place: Place,
    /// Whether a Sync comes next.
    is_last: bool,
    /// Whether a statement has run since the last Sync.
    has_run: bool,
}

/// What a client may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Statements, and portals, at once.
    pub(crate) names: usize,
    /// Bytes of a text of statements.
    pub(crate) text_bytes: usize,
    /// Parameters of a statement.
    pub(crate) parameters: usize,
}

impl Conversation {
    pub(crate) fn new(session: Session, bounds: Bounds, record: Record) -> Self {
        Conversation {
            session,
            statements: FxHashMap::default(),
            portals: FxHashMap::default(),
            bounds,
            record,
            is_ready: true,
            is_skipping: false,
            script: None,
            copying: None,
            place: Place::Apart,
            is_last: false,
            has_run: false,
        }
    }

    /// Says what a session begins with, and that it is ready.
    pub(crate) fn greet(&mut self, process: i32, secret: i32, out: &mut Vec<u8>) {
        self.session.parameters().iter().for_each(|(name, value)| backend::parameter_status(out, name, value));
        // Those are known now.
        self.session.changed_parameters();
        backend::key(out, process, secret);
        backend::ready(out, TransactionStatus::Idle);
    }

    /// How long the client may be silent, and what it is told then; none if it need not say anything, or something runs.
    pub(crate) fn idle_limit(&self) -> Option<(Duration, Box<Fault>)> {
        if self.is_ready { self.session.idle_limit() } else { None }
    }

    /// An error (54000) for a text that is too long.
    fn check_text(&self, text: &str) -> Result<()> {
        let (bytes, most) = (text.len(), self.bounds.text_bytes);
        if bytes <= most {
            return Ok(());
        }
        Err(Fault::error("54000", format!("a statement of {bytes} bytes is over the limit of {most}")))
    }

    /// Says that a statement has ended well.
    fn complete(&mut self, tag: &str, out: &mut Output) {
        self.record.completed(tag, &self.session);
        backend::complete(&mut out.buffer, tag);
    }

    /// Where a message is answered. Whatever may parse or plan, or copies, or ends a transaction that has changed something, is
    /// answered apart, as is what drops rows. Of statements that run it is known when they are asked: see
    /// [`Conversation::handle_here`].
    pub(crate) fn place(&self, kind: u8, body: &[u8]) -> Place {
        let drops_rows = || self.portals.values().any(Portal::has_rows);
        match kind {
            _ if body.len() > SHORT_BYTES || self.is_copying() => Place::Apart,
            // They are left out.
            _ if self.is_skipping && kind != b'S' => Place::Here,
            b'Q' | b'P' => Place::Apart,
            b'B' | b'C' | b'E' | b'S' if drops_rows() => Place::Apart,
            b'E' if self.record.logs(SHORT) => Place::Apart,
            b'S' if !self.session.is_end_idle() => Place::Apart,
            _ => Place::Here,
        }
    }

    /// Says which message comes behind the one that is answered next, if that is known.
    pub(crate) fn expect(&mut self, next: Option<u8>) {
        self.is_last = next == Some(b'S');
    }

    /// As [`Conversation::handle`], on the connection's thread: a statement that is not short gives [`Next::Apart`].
    pub(crate) fn handle_here(&mut self, kind: u8, body: Bytes, out: &mut Output) -> Next {
        self.place = Place::Here;
        let next = self.handle(kind, body, out);
        self.place = Place::Apart;
        next
    }

    /// Answers a message of this type. Whatever happens in it, the conversation stays good for the next one.
    pub(crate) fn handle(&mut self, kind: u8, body: Bytes, out: &mut Output) -> Next {
        self.is_ready = false;
        if matches!(kind, b'Q' | b'P' | b'E') && !self.is_skipping && !self.is_copying() {
            self.session.start();
        }
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(kind, body, out)));
        let answered = answered.unwrap_or_else(|_| Err(Fault::internal("internal error: a message was not answered")));
        let next = answered.unwrap_or_else(|fault| self.fail(kind, &fault, out));
        if !self.is_copying() {
            self.session.end();
        }
        next
    }

    /// Says what went wrong. In the extended protocol nothing is done then until Sync; a simple query is over, as is a
    /// Sync that is malformed.
    fn fail(&mut self, kind: u8, fault: &Fault, out: &mut Output) -> Next {
        self.record.failed(fault, &self.session);
        self.session.end();
        self.copying = None;
        let is_over = self.script.take().is_some() || matches!(kind, b'Q' | b'F' | b'S');
        backend::fault(&mut out.buffer, fault);
        out.flush = true;
        if fault.is_fatal() {
            return Next::End;
        }
        if let Err(second) = self.session.end_implicit(false) {
            backend::fault(&mut out.buffer, &second);
        }
        self.is_skipping = !is_over;
        if is_over {
            self.ready(out);
        }
        Next::Go
    }

    fn answer(&mut self, kind: u8, body: Bytes, out: &mut Output) -> Result<Next> {
        if self.is_skipping && !matches!(kind, b'S' | b'X') {
            // What has no type is the end, even of what nobody listens to.
            if !b"QPBDECHFdcf".contains(&kind) {
                Frontend::read(kind, body)?;
            }
            return Ok(Next::Go);
        }
        let message = Frontend::read(kind, body)?;
        if message == Frontend::Terminate {
            return Ok(Next::End);
        }
        if self.copying.is_some() {
            return self.copied(kind, message, out).map(|()| Next::Go);
        }
        if matches!(kind, b'Q' | b'P' | b'B' | b'E') {
            self.session.begin_message();
        }
        match message {
            Frontend::Query(text) => self.query(&text, out)?,
            Frontend::Parse { name, text, types } => self.parse(name, &text, &types, out)?,
            Frontend::Bind(bind) => self.bind(bind, out)?,
            Frontend::Describe(target) => self.describe(&target, out)?,
            Frontend::Execute { portal, limit } => return self.execute(&portal, limit, out),
            Frontend::Close(target) => self.close(&target, out),
            Frontend::Sync => self.sync(out)?,
            Frontend::Flush => out.flush = true,
            Frontend::FunctionCall => return Err(Fault::error("0A000", "function calls by OID are not supported")),
            // Those of a COPY that has failed.
            Frontend::CopyData(_) | Frontend::CopyDone | Frontend::CopyFail(_) => {}
            Frontend::Terminate => return Ok(Next::End),
        }
        Ok(Next::Go)
    }

    /// Sends what the client is to know beside results.
    fn send_notices(&mut self, out: &mut Output) {
        self.session.notices().iter().for_each(|notice| backend::fault(&mut out.buffer, notice));
    }

    /// Sends what other sessions have told this one, unless a transaction is open, or something else the client waits for.
    pub(crate) fn tell(&mut self, out: &mut Output) {
        if self.copying.is_none() && !self.is_skipping && self.session.transaction_status() == TransactionStatus::Idle {
            self.send_notifications(out);
            out.flush = true;
        }
    }

    fn send_notifications(&mut self, out: &mut Output) {
        for one in self.session.notifications() {
            backend::notification(&mut out.buffer, one.session as i32, &one.channel, &one.payload);
        }
    }

    /// Says that the client may go on.
    fn ready(&mut self, out: &mut Output) {
        self.send_notices(out);
        for (name, value) in self.session.changed_parameters() {
            backend::parameter_status(&mut out.buffer, name, &value);
        }
        let status = self.session.transaction_status();
        if status == TransactionStatus::Idle {
            // A portal lives as long as its transaction.
            self.portals.clear();
            self.send_notifications(out);
        }
        backend::ready(&mut out.buffer, status);
        out.flush = true;
        self.is_ready = true;
    }
}
