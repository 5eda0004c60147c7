//! COPY's data without a connection: for whoever runs statements beside a terminal or a file, as `psql` does with `\copy`.

use super::{CopyIn, from_client, to_client};
use crate::fault::Fault;
use std::fmt;
use std::io::{self, Write};

/// Bytes of rows that are made before they are written.
const BYTES: usize = 1 << 16;

/// The header of a message: its kind, and its length with the length's own four bytes.
const HEADER_BYTES: usize = 5;

/// Why data could not be taken or given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFault {
    /// SQLSTATE.
    pub sqlstate: &'static str,
    /// What went wrong.
    pub message: String,
    /// More of it.
    pub detail: Option<String>,
    /// What may help.
    pub hint: Option<String>,
}

impl fmt::Display for CopyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for CopyFault {}

impl From<Box<Fault>> for CopyFault {
    fn from(fault: Box<Fault>) -> Self {
        CopyFault { sqlstate: fault.code, message: fault.message, detail: fault.detail, hint: fault.hint }
    }
}

/// Takes the data of COPY … FROM STDIN, in the format that the statement says: text, CSV or PostgreSQL's binary form.
pub struct CopyData(Box<dyn CopyIn>);

impl CopyData {
    /// For the rows of a statement.
    ///
    /// # Errors
    /// 0A000 or 22023 for a format that is none of a client's.
    pub fn new(rows: multiloop::CopyIn) -> Result<Self, CopyFault> {
        Ok(CopyData(from_client(rows)?))
    }

    /// Takes some bytes, cut anywhere.
    ///
    /// # Errors
    /// 22P04, 22P02 and the like for data that is not of the format or the types.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), CopyFault> {
        Ok(self.0.take(bytes)?)
    }

    /// There is no more: the rows are the table's, all of them. Gives the tag, `COPY 3`.
    ///
    /// # Errors
    /// As those of [`CopyData::take`], and those of the table's constraints; then none of the rows is the table's.
    pub fn finish(self, session: &multiloop::Session) -> Result<String, CopyFault> {
        Ok(self.0.finish(session)?)
    }
}

/// Writes the data of COPY … TO STDOUT. Gives the tag.
///
/// # Errors
/// The inner one is the writer's; the outer ones are the statement's.
pub fn copy_out(rows: multiloop::CopyOut, out: &mut dyn Write) -> Result<io::Result<String>, CopyFault> {
    let mut rows = to_client(rows)?;
    let mut messages = Vec::new();
    while rows.next(BYTES, &mut messages)? {
        if let Err(error) = write_data(&messages, out) {
            return Ok(Err(error));
        }
        messages.clear();
    }
    Ok(Ok(rows.tag()))
}

/// Writes what messages carry.
fn write_data(mut messages: &[u8], out: &mut dyn Write) -> io::Result<()> {
    while let Some((header, rest)) = messages.split_at_checked(HEADER_BYTES) {
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
        let (data, after) = rest.split_at((length + 1).saturating_sub(HEADER_BYTES).min(rest.len()));
        out.write_all(data)?;
        messages = after;
    }
    Ok(())
}
