//! COPY's binary form: a header, rows of fields with their lengths, an end.

use super::EachRow;
use crate::fault::{Fault, Result};

/// What binary data begins with: a signature, flags and the length of what else the header has; none here.
pub(super) const SIGNATURE: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What it ends with.
pub(super) const TRAILER: &[u8; 2] = b"\xff\xff";

/// Bytes of the signature itself.
const SIGNED: usize = 11;

/// How far binary data is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Header,
    Rows,
    Ended,
}

impl Part {
    /// Takes rows out of what has come, each field a slice or NULL; gives how many bytes are read. The rest waits for more.
    ///
    /// Errors: 22P04 for what is no such data.
    pub(super) fn read(&mut self, bytes: &[u8], columns: usize, each: EachRow<'_>) -> Result<usize> {
        let mut at = 0;
        if *self == Part::Header {
            let Some(header) = bytes.get(..SIGNATURE.len()) else { return Ok(0) };
            if header[..SIGNED] != SIGNATURE[..SIGNED] {
                return Err(bad("COPY file signature not recognized"));
            }
            // The lower half of the flags may be anything; the upper one says what a reader has to know.
            if header[SIGNED..SIGNED + 2] != [0, 0] {
                return Err(bad("unrecognized critical flags in COPY file header"));
            }
            let more = u32::from_be_bytes([header[15], header[16], header[17], header[18]]) as usize;
            if bytes.len() - SIGNATURE.len() < more {
                return Ok(0);
            }
            at = SIGNATURE.len() + more;
            *self = Part::Rows;
        }
        let mut fields: Vec<Option<&[u8]>> = Vec::with_capacity(columns);
        while *self == Part::Rows {
            let Some(count) = bytes[at..].first_chunk::<2>() else { break };
            let count = i16::from_be_bytes(*count);
            if count == -1 {
                *self = Part::Ended;
                at += 2;
                break;
            }
            if usize::try_from(count) != Ok(columns) {
                return Err(bad(format!("row field count is {count}, expected {columns}")));
            }
            fields.clear();
            let mut end = at + 2;
            for _ in 0..columns {
                let Some(length) = bytes[end..].first_chunk::<4>() else { return Ok(at) };
                end += 4;
                match i32::from_be_bytes(*length) {
                    -1 => fields.push(None),
                    length => {
                        let length = usize::try_from(length).map_err(|_| bad("invalid field size"))?;
                        let Some(field) = bytes[end..].get(..length) else { return Ok(at) };
                        fields.push(Some(field));
                        end += length;
                    }
                }
            }
            each(&fields)?;
            at = end;
        }
        if *self == Part::Ended && at < bytes.len() {
            return Err(bad("received copy data after EOF marker"));
        }
        Ok(at)
    }
}

fn bad(message: impl Into<String>) -> Box<Fault> {
    Fault::error("22P04", message)
}
