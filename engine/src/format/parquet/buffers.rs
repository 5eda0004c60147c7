//! Buffers that a worker uses again: fresh memory costs as much as what is done with it.

use bytes::Bytes;
use std::cell::RefCell;

/// Buffers that a thread keeps, at most, and bytes of one that is kept.
const KEPT: usize = 4;
const KEPT_BYTES: usize = 1 << 23;

thread_local! {
    static FREE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Some bytes, whose memory is kept for the next ones when nobody reads them any more.
pub(super) struct Buffer {
    memory: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// So many bytes, with anything in them.
    pub(super) fn new(len: usize) -> Self {
        let mut memory = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
        if memory.capacity() < len {
            // Fresh memory is zero as it is: pages are cleared once.
            memory = vec![0; len];
        } else if memory.len() < len {
            memory.resize(len, 0);
        }
        Buffer { memory, len }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[..self.len]
    }

    pub(super) fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        if memory.len() > KEPT_BYTES {
            return;
        }
        // At the end of a thread there is nobody to keep it.
        let _ = FREE.try_with(|free| {
            if let Ok(mut free) = free.try_borrow_mut()
                && free.len() < KEPT
            {
                free.push(memory);
            }
        });
    }
}
