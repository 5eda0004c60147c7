//! The host's side of transfers: memory that the card reads and writes itself, while the host goes on.

use super::super::stop::Done;
use super::cuda::checked;
use cudarc::driver::result;
use cudarc::driver::sys;

/// Bytes for small transfers.
const SMALL: usize = 1 << 20;

/// Bytes of a transfer up to which it is small.
const SMALL_MAX: usize = 1 << 16;

/// Bytes of a slab, and how many there are: large transfers go through them, one of which is filled while others are on their way.
pub(super) const SLAB: usize = 16 << 20;
const SLABS: usize = 3;

/// Memory for transfers of one stream.
#[derive(Debug)]
pub(super) struct Staging {
    base: *mut u8,
    /// Bytes of the small part that are on their way.
    used: usize,
    /// Recorded behind the last transfer of each slab.
    sent: [sys::CUevent; SLABS],
    next: usize,
}

// SAFETY: the memory is this value's alone, and events may be used by any thread.
unsafe impl Send for Staging {}

impl Staging {
    /// Some memory.
    pub(super) fn new() -> Done<Self> {
        // SAFETY: memory and events are asked for, in a context that callers have entered.
        let base = unsafe { result::malloc_host(SMALL + SLABS * SLAB, 0) };
        let base = checked("the host gives no memory for transfers", base)?.cast::<u8>();
        let event = || {
            let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
            checked("the card gives no event", event)
        };
        Ok(Staging { base, used: 0, sent: [event()?, event()?, event()?], next: 0 })
    }

    /// Some of the memory.
    fn part(&mut self, from: usize, bytes: usize) -> &mut [u8] {
        debug_assert!(from + bytes <= SMALL + SLABS * SLAB);
        // SAFETY: so much was given; what is on its way from there has arrived, which callers see to.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(from), bytes) }
    }

    /// Puts bytes on their way; they may go when this returns.
    pub(super) fn send(&mut self, address: u64, from: &[u8], stream: sys::CUstream) -> Done<()> {
        if from.len() <= SMALL_MAX {
            if self.used + from.len() > SMALL {
                // SAFETY: the stream is the caller's.
                checked("a transfer failed", unsafe { result::stream::synchronize(stream) })?;
                self.used = 0;
            }
            let at = self.used;
            self.used += from.len().next_multiple_of(64);
            let part = self.part(at, from.len());
            part.copy_from_slice(from);
            // SAFETY: callers have so many bytes at the address, and the part is not written before the stream has gone on.
            return checked("the card takes no bytes", unsafe { result::memcpy_htod_async(address, part, stream) });
        }
        for (at, bytes) in from.chunks(SLAB).enumerate() {
            let copy = &mut |to: &mut [u8]| {
                to.copy_from_slice(bytes);
                Ok(())
            };
            self.send_made(address + (at * SLAB) as u64, bytes.len(), copy, stream)?;
        }
        Ok(())
    }

    /// Puts bytes on their way, of a slab at most, that are made in it.
    pub(super) fn send_made(
        &mut self,
        address: u64,
        bytes: usize,
        make: &mut dyn FnMut(&mut [u8]) -> Done<()>,
        stream: sys::CUstream,
    ) -> Done<()> {
        let (slab, sent) = (self.next, self.sent[self.next]);
        // SAFETY: the event is this value's.
        checked("a transfer failed", unsafe { result::event::synchronize(sent) })?;
        let part = self.part(SMALL + slab * SLAB, bytes);
        make(part)?;
        // SAFETY: callers have so many bytes at the address, and the part is not written before the event behind it has come.
        unsafe {
            checked("the card takes no bytes", result::memcpy_htod_async(address, part, stream))?;
            checked("a transfer failed", result::event::record(sent, stream))?;
        }
        self.next = (slab + 1) % SLABS;
        Ok(())
    }

    /// Bytes of the card, when all before is done.
    pub(super) fn receive(&mut self, address: u64, to: &mut [u8], stream: sys::CUstream) -> Done<()> {
        let wait = || {
            // SAFETY: the stream is the caller's.
            checked("a kernel failed", unsafe { result::stream::synchronize(stream) })
        };
        for (at, bytes) in to.chunks_mut(SLAB).enumerate() {
            // What is on its way from the slab goes on in this stream, before this.
            let part = self.part(SMALL, bytes.len());
            // SAFETY: callers have so many bytes at the address, and it is waited for them.
            let copied = unsafe { result::memcpy_dtoh_async(part, address + (at * SLAB) as u64, stream) };
            checked("the card gives no bytes", copied)?;
            wait()?;
            bytes.copy_from_slice(self.part(SMALL, bytes.len()));
        }
        self.used = 0;
        Ok(())
    }
}
