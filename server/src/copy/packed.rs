//! COPY's binary form: a header, rows of fields with their lengths, an end.

use super::places::Rows;
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
    /// Finds rows in a block, of which so many bytes are read; gives how many are then. The rest waits for more.
    ///
    /// Errors: 22P04 for what is no such data; the rows before are found.
    pub(super) fn read(&mut self, block: &[u8], mut at: usize, rows: &mut Rows) -> Result<usize> {
        if *self == Part::Header {
            let Some(header) = block.get(..SIGNATURE.len()) else { return Ok(0) };
            if header[..SIGNED] != SIGNATURE[..SIGNED] {
                return Err(bad("COPY file signature not recognized"));
            }
            // The lower half of the flags may be anything; the upper one says what a reader has to know.
            if header[SIGNED..SIGNED + 2] != [0, 0] {
                return Err(bad("unrecognized critical flags in COPY file header"));
            }
            let more = u32::from_be_bytes([header[15], header[16], header[17], header[18]]) as usize;
            if block.len() - SIGNATURE.len() < more {
                return Ok(0);
            }
            at = SIGNATURE.len() + more;
            *self = Part::Rows;
        }
        while *self == Part::Rows {
            let Some(count) = block[at..].first_chunk::<2>() else { break };
            let count = i16::from_be_bytes(*count);
            if count == -1 {
                *self = Part::Ended;
                at += 2;
                break;
            }
            if usize::try_from(count) != Ok(rows.columns()) {
                return Err(bad(format!("row field count is {count}, expected {}", rows.columns())));
            }
            match row(block, at + 2, rows) {
                Ok(Some(end)) => at = end,
                Ok(None) => {
                    rows.drop_row();
                    return Ok(at);
                }
                Err(fault) => {
                    rows.drop_row();
                    return Err(fault);
                }
            }
            rows.end_row();
        }
        if *self == Part::Ended && at < block.len() {
            return Err(bad("received copy data after EOF marker"));
        }
        Ok(at)
    }
}

/// Finds the fields of a row; gives where it ends, none if that has not come.
#[inline(always)]
fn row(block: &[u8], mut end: usize, rows: &mut Rows) -> Result<Option<usize>> {
    for _ in 0..rows.columns() {
        let Some(length) = block[end..].first_chunk::<4>() else { return Ok(None) };
        end += 4;
        match i32::from_be_bytes(*length) {
            -1 => rows.put_null(),
            length => {
                let length = usize::try_from(length).map_err(|_| bad("invalid field size"))?;
                if block.len() - end < length {
                    return Ok(None);
                }
                rows.put(end, end + length);
                end += length;
            }
        }
    }
    Ok(Some(end))
}

fn bad(message: impl Into<String>) -> Box<Fault> {
    Fault::error("22P04", message)
}
