//! Partial groups as bytes, exact to the bit, and back.
//!
//! ```text
//! "MLPG"  version (1 byte)  hash of what follows (8 bytes)  keys  order  number of aggregates  a state each
//! ```
//!
//! Numbers are little-endian, lists begin with their length (8 bytes). What is read is checked as it comes: lengths against the
//! bytes that are left, numbers of groups, codes and positions against what they point into, counts and exponents against what
//! any number of rows can make of them. So bytes that nobody wrote are an error, whatever their hash says, or groups of which
//! none has ever been known: these are safe to merge with others that they are like ([`PartialGroups::check_like`]).
//!
//! `values` has what partial groups share with others: types, values, growing columns; `keys` and `states` are theirs.

mod keys;
mod states;
mod values;

use super::PartialGroups;
use super::byte_keys::hash_bytes;
use crate::{Error, ErrorKind, Result};

/// What the bytes begin with.
const MAGIC: [u8; 4] = *b"MLPG";

/// Of the form; others are refused.
const VERSION: u8 = 1;

/// Rows that no reduction exceeds: counts of more are no counts.
const ROWS_MAX: u64 = 1 << 56;

/// What can be written as bytes.
trait Wire: Sized {
    fn write(&self, to: &mut Vec<u8>);

    /// # Errors
    /// XX001 if nobody wrote these bytes.
    fn read(from: &mut Reader<'_>) -> Result<Self>;
}

/// Bytes that are left to read.
struct Reader<'a> {
    bytes: &'a [u8],
    /// How many types the one that is read stands in.
    depth: u32,
}

/// The error of bytes that nobody wrote.
pub(crate) fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::DataCorrupted, format!("partial groups are damaged: {what}"))
}

/// An error unless something holds.
fn check(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(damaged(what)) }
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, left) = self.bytes.split_at_checked(len).ok_or_else(|| damaged("they end early"))?;
        self.bytes = left;
        Ok(taken)
    }

    /// A length of elements of which each takes so many bytes at least, all of which are there.
    fn len(&mut self, each: usize) -> Result<usize> {
        let len = usize::try_from(u64::read(self)?).map_err(|_| damaged("a length"))?;
        let fits = len.checked_mul(each).is_some_and(|bytes| bytes <= self.bytes.len());
        check(fits, "a length")?;
        Ok(len)
    }

    /// What a part wrote that does not know of readers.
    fn part<T>(&mut self, read: impl FnOnce(&mut &'a [u8]) -> Option<T>) -> Result<T> {
        read(&mut self.bytes).ok_or_else(|| damaged("a state"))
    }
}

macro_rules! wire_number {
    ($($type:ty),*) => {
        $(impl Wire for $type {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn read(from: &mut Reader<'_>) -> Result<Self> {
                let bytes = from.take(size_of::<$type>())?;
                Ok(<$type>::from_le_bytes(bytes.try_into().expect("as many bytes as were taken")))
            }
        })*
    };
}

wire_number!(u8, u32, u64, u128, i32, i64, i128, f64);

impl Wire for usize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u64).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        usize::try_from(u64::read(from)?).map_err(|_| damaged("a number"))
    }
}

impl Wire for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push((*self).into());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let byte = u8::read(from)?;
        check(byte <= 1, "a boolean")?;
        Ok(byte == 1)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|each| each.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        // None takes less than a byte.
        (0..from.len(1)?).map(|_| T::read(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        self.iter().for_each(|each| each.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        if bool::read(from)? { T::read(from).map(Some) } else { Ok(None) }
    }
}

impl PartialGroups {
    /// The groups as bytes.
    pub fn serialise(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.keys.write(&mut body);
        self.order.write(&mut body);
        self.states.write(&mut body);
        let mut bytes = Vec::with_capacity(body.len() + 13);
        bytes.extend_from_slice(&MAGIC);
        VERSION.write(&mut bytes);
        hash_bytes(&body).write(&mut bytes);
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The groups of bytes that [`PartialGroups::serialise`] gave.
    ///
    /// # Errors
    /// XX001 of any others.
    pub fn deserialise(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader { bytes, depth: 0 };
        check(from.take(4)? == MAGIC, "they begin with something else")?;
        check(u8::read(&mut from)? == VERSION, "of another version")?;
        let hash = u64::read(&mut from)?;
        check(hash_bytes(from.bytes) == hash, "their hash is another")?;
        PartialGroups::read(&mut from)
    }

    /// What stands behind the hash.
    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let groups = PartialGroups { keys: Wire::read(from)?, order: Wire::read(from)?, states: Wire::read(from)? };
        check(from.bytes.is_empty(), "something stands behind them")?;
        let len = groups.keys.len();
        groups.order.check(&groups.keys)?;
        check(groups.states.iter().all(|state| state.groups() == len), "states of other groups")?;
        Ok(groups)
    }
}
