//! Takes values from a message's bytes. What is missing is an error, never a panic.

use crate::fault::{Fault, Result};
use bytes::{Buf as _, Bytes};

/// The rest of a message.
pub(super) struct Reader(Bytes);

impl Reader {
    pub(super) fn new(bytes: Bytes) -> Self {
        Reader(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(array) = self.0.first_chunk::<N>().copied() else { return Err(too_short()) };
        self.0.advance(N);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// So many values as a 16-bit count says, each of at least `bytes_min` bytes: memory for what is there alone.
    pub(super) fn list<T>(&mut self, bytes_min: usize, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = usize::from(self.array().map(u16::from_be_bytes)?);
        if count * bytes_min > self.0.len() {
            return Err(too_short());
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(one(self)?);
        }
        Ok(list)
    }

    /// So many bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<Bytes> {
        if count > self.0.len() { Err(too_short()) } else { Ok(self.0.split_to(count)) }
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Text up to a zero byte.
    pub(super) fn text(&mut self) -> Result<String> {
        let Some(end) = self.0.iter().position(|&byte| byte == 0) else {
            return Err(Fault::protocol("invalid string in message"));
        };
        let bytes = self.0.split_to(end);
        self.0.advance(1);
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Fault::not_utf8(&bytes)),
        }
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Fault::protocol("invalid message format")) }
    }
}

fn too_short() -> Box<Fault> {
    Fault::protocol("insufficient data left in message")
}
