//! The simple protocol: a text of any number of statements, which are run one after the other, and one implicit
//! transaction if they are several. Each reply goes out as its statement ends.

use super::Conversation;
use super::portal::RowsInFlight;
use crate::engine::{Outcome, Statement};
use crate::fault::{Fault, Result};
use crate::output::Output;
use crate::wire::backend::TransactionStatus;
use crate::wire::{Format, backend};

/// The statements of a text that have not run yet.
pub(super) struct Script {
    statements: std::vec::IntoIter<Statement>,
    /// They are several: one transaction, unless they say otherwise.
    together: bool,
}

impl Conversation {
    /// Runs a text.
    pub(super) fn query(&mut self, text: &str, out: &mut Output) -> Result<()> {
        // As PostgreSQL does it: a simple query takes the place of the unnamed statement and portal.
        self.statements.remove("");
        self.portals.remove("");
        self.check_text(text)?;
        let statements = self.session.parse(text)?;
        if statements.is_empty() {
            backend::empty_query(&mut out.buffer);
            self.ready(out);
            return Ok(());
        }
        let together = statements.len() > 1;
        self.script = Some(Script { statements: statements.into_iter(), together });
        self.run_script(out)
    }

    /// Whether a statement is about a portal of the protocol; it is done then.
    ///
    /// Errors: 0A000 for FETCH, whose rows would be in formats that Bind has chosen.
    fn moves_portal(&mut self, statement: &Statement, out: &mut Output) -> Result<bool> {
        let Some((name, rows, is_move)) = statement.goes_forward() else { return Ok(false) };
        let is_failed = self.session.transaction_status() == TransactionStatus::Failed;
        if is_failed || !self.portals.contains_key(name) {
            return Ok(false);
        }
        if !is_move {
            return Err(Fault::error(
                "0A000",
                format!("FETCH of portal \"{name}\", which Bind has made, is not supported"),
            ));
        }
        let Some(count) = self.pass_over(name, rows)? else { return Ok(false) };
        backend::complete(&mut out.buffer, &format!("MOVE {count}"));
        self.send_notices(out);
        Ok(true)
    }

    /// Begins a script that has no statements.
    #[cfg(test)]
    pub(super) fn begin_script(&mut self) {
        self.script = Some(Script { statements: Vec::new().into_iter(), together: false });
    }

    /// Runs what is left of a script, up to its end or a statement that waits for data.
    pub(super) fn run_script(&mut self, out: &mut Output) -> Result<()> {
        while let Some(statement) = self.script.as_mut().and_then(|script| script.statements.next()) {
            if self.script.as_ref().is_some_and(|script| script.together) {
                self.session.begin_implicit();
            }
            if self.moves_portal(&statement, out)? {
                continue;
            }
            let prepared = self.session.prepare(&statement, &[])?;
            if !prepared.parameter_types().is_empty() {
                return Err(Fault::error("42P02", "there is no parameter $1"));
            }
            self.record.begin(&prepared);
            match self.session.execute(&prepared, &[])? {
                Outcome::Rows(rows) => {
                    let fields = rows.stream.fields().to_vec();
                    let format = if rows.stream.is_binary() { Format::Binary } else { Format::Text };
                    backend::fields(&mut out.buffer, &fields, rows.stream.sight(), |_| format)?;
                    let mut rows = RowsInFlight::new(*rows, vec![format; fields.len()]);
                    let count = rows.send(u64::MAX, &self.session, out)?;
                    self.complete(&rows.tag(count), out);
                }
                Outcome::Done(tag) => self.complete(&tag, out),
                Outcome::CopyIn(copy) => {
                    return self.begin_copy(copy, true, out);
                }
                Outcome::CopyOut(copy) => self.copy_out(copy, out)?,
            }
            self.send_notices(out);
            if self.script.as_ref().is_some_and(|script| script.statements.len() > 0) {
                // The next one may take long.
                out.flush = true;
                out.pass_awaited()?;
            }
        }
        self.session.end_implicit(true)?;
        self.script = None;
        self.ready(out);
        Ok(())
    }
}
