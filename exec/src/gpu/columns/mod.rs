//! Columns in the device's memory.
//!
//! A column is one array, whatever chunks its rows are in on the host: rows have numbers over all chunks, and no kernel asks which
//! chunk one is in. Integers are unsigned offsets in one frame for the whole column, of 1, 2 or 4 bytes where its range allows it,
//! with base and step as parameters of kernels; what does not fit is 8 or 16 bytes wide. (Frames of chunks that are narrower than
//! that of the column are widened when they are uploaded, which costs no more than to copy them.) Text is codes of one dictionary, which
//! is made when the column is uploaded if chunks have none or several; of too many strings it is carried by the numbers of its rows, and
//! its bytes are a column of their own, if something asks for them. Booleans are bits, and so is which rows are not NULL.
//!
//! Of floats it is noted between which bits they lie (`reach`), without which nothing could sum them.
//!
//! `loader` has the workers make bytes where the card reads them; `upload` makes the arrays of chunks (`integers` and `codes` those of
//! numbers and of text, `text` those of its bytes), `resident` keeps them from statement to statement.

mod codes;
mod integers;
pub(crate) mod loader;
pub(crate) mod reach;
pub(crate) mod resident;
#[cfg(test)]
mod tests;
mod text;
mod upload;

use super::code::types::Type;
use super::driver::{Buffer, Copier, Driver};
use super::stop::Done;
use crate::column::{Chunk, Chunks, Dictionary};
use reach::Reach;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct DeviceColumn {
    pub(crate) rows: usize,
    /// What an element of the array is; of booleans a bit.
    pub(crate) element: Type,
    pub(crate) form: Form,
    pub(crate) data: Arc<Buffer>,
    pub(crate) valid: Valid,
    /// Of floats where their bits are, if it is known; of NULLs, too.
    pub(crate) reach: Option<Reach>,
    /// What was made of it, and stays as long as it does.
    pub(crate) made: Made,
}

/// What was made of a column, by others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Made {
    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.get().and_then(|made| Arc::clone(made).downcast().ok())
    }

    /// Keeps what was made, unless something is there.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, made: &Arc<T>) {
        let made = Arc::clone(made);
        self.0.get_or_init(|| made);
    }
}

/// Which rows are not NULL.
#[derive(Clone, Debug)]
pub(crate) enum Valid {
    All,
    /// A bit a row.
    Bits(Arc<Buffer>),
    /// A byte a row: what kernels make.
    Bytes(Arc<Buffer>),
}

/// What elements stand for.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// base + step × element.
    Integers {
        base: i64,
        step: i64,
    },
    Floats,
    Bits,
    /// Truths of a byte each.
    Bytes,
    /// Codes of a dictionary, in which no two strings are alike, in order.
    Codes(Arc<Dictionary>),
    /// Text by the numbers of rows on the host that have it, or (elements of a byte) by each row's own.
    Carried(Arc<Carried>),
    /// Bytes of text: where each row's begin, and behind these where the last end.
    Text {
        offsets: Arc<Buffer>,
        /// Whether offsets have 64 bits rather than 32.
        wide: bool,
    },
}

/// Text of so many strings that it stays on the host.
#[derive(Debug)]
pub(crate) struct Carried {
    chunks: Chunks,
    position: usize,
}

impl Carried {
    /// A column of some chunks; none if they are too many.
    fn of(chunks: &Chunks, position: usize) -> Option<Self> {
        let has_all = |chunk: &Arc<Chunk>| chunk.columns.get(position).is_some_and(|column| column.data.is_text());
        let fits = chunks.rows() <= u32::MAX as usize && chunks.iter().all(has_all);
        fits.then(|| Carried { chunks: chunks.clone(), position })
    }

    /// As a column, which has nothing on the device but which rows are not NULL.
    fn column(self, driver: &Arc<dyn Driver>, valid: Valid) -> Done<DeviceColumn> {
        Ok(DeviceColumn {
            rows: self.chunks.rows(),
            element: Type::U8,
            form: Form::Carried(Arc::new(self)),
            data: Buffer::new(driver, 0)?,
            valid,
            reach: None,
            made: Made::default(),
        })
    }

    /// Whether a row may be NULL.
    fn has_nulls(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.columns[self.position].nulls.is_some())
    }

    /// The text of a row; nothing of what is none.
    pub(crate) fn get(&self, row: u32) -> &[u8] {
        let (row, starts) = (row as usize, self.chunks.starts());
        let chunk = starts.partition_point(|&start| start <= row).saturating_sub(1);
        match self.chunks.get(chunk) {
            Some(of) if row < starts[chunk] + of.rows => of.columns[self.position].data.text_bytes(row - starts[chunk]),
            _ => &[],
        }
    }
}

impl DeviceColumn {
    /// The same on another device.
    pub(crate) fn copied(&self, to: &Copier<'_>) -> Done<Self> {
        let valid = match &self.valid {
            Valid::All => Valid::All,
            Valid::Bits(valid) => Valid::Bits(to.buffer(valid)?),
            Valid::Bytes(valid) => Valid::Bytes(to.buffer(valid)?),
        };
        let form = match &self.form {
            Form::Text { offsets, wide } => Form::Text { offsets: to.buffer(offsets)?, wide: *wide },
            other => other.clone(),
        };
        let (rows, element, data) = (self.rows, self.element, to.buffer(&self.data)?);
        Ok(DeviceColumn { rows, element, form, data, valid, reach: self.reach, made: Made::default() })
    }

    /// Bytes that it takes on the device.
    pub(crate) fn bytes(&self) -> usize {
        let valid = match &self.valid {
            Valid::All => 0,
            Valid::Bits(valid) | Valid::Bytes(valid) => valid.bytes,
        };
        let offsets = if let Form::Text { offsets, .. } = &self.form { offsets.bytes } else { 0 };
        self.data.bytes + valid + offsets
    }
}
