//! Parts of objects that were read last, for others who want the same: pieces of one row group, statements one after the other.
//! They are of all statements together, and no more than some MiB; what is larger is kept alone, until the next one comes.

use super::pending::Pending;
use super::{Object, fetch};
use bytes::Bytes;
use multiloop_exec::{ErrorKind, Result};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of parts that are kept, of all objects.
const KEPT_BYTES: u64 = 1 << 27;

/// A part that has been read, or is on its way.
struct Part {
    object: u64,
    range: Range<u64>,
    bytes: Arc<Pending<Bytes>>,
}

/// From the one that was asked for longest ago.
static PARTS: Mutex<VecDeque<Part>> = Mutex::new(VecDeque::new());

/// What holds these bytes, and where it begins: begun now, unless it is there.
pub(super) fn begin(object: &Arc<Object>, range: Range<u64>) -> Result<(u64, Arc<Pending<Bytes>>)> {
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let holds =
        |part: &Part| part.object == object.number && part.range.start <= range.start && part.range.end >= range.end;
    let found = parts.iter().position(holds).and_then(|at| parts.remove(at));
    if let Some(part) = found.filter(|part| !part.bytes.has_failed()) {
        let found = (part.range.start, Arc::clone(&part.bytes));
        parts.push_back(part);
        return Ok(found);
    }
    let bytes = Pending::begin(fetch(Arc::clone(object), range.clone()))?;
    let start = range.start;
    parts.push_back(Part { object: object.number, range, bytes: Arc::clone(&bytes) });
    let mut kept: u64 = parts.iter().map(|part| part.range.end - part.range.start).sum();
    while kept > KEPT_BYTES && parts.len() > 1 {
        let oldest = parts.pop_front();
        kept -= oldest.map_or(0, |part| part.range.end - part.range.start);
    }
    Ok((start, bytes))
}

/// These bytes.
pub(super) fn read(object: &Arc<Object>, range: Range<u64>) -> Result<Bytes> {
    let (start, bytes) = loop {
        let (start, pending) = begin(object, range.clone())?;
        match pending.wait() {
            Ok(bytes) => break (start, bytes),
            // Another statement was cancelled, which alone has waited until then.
            Err(error) if error.kind() != ErrorKind::Cancelled && pending.was_given_up() => {}
            Err(error) => return Err(error),
        }
    };
    Ok(bytes.slice((range.start - start) as usize..(range.end - start) as usize))
}

/// Nobody has an object any more.
pub(super) fn forget(object: u64) {
    let mut parts = PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    parts.retain(|part| part.object != object);
}
