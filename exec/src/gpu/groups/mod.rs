//! Groups on the device: tables by code.
//!
//! A group is its key's code. For each code a table has a record ([`record`]): flags and the cells of the aggregates ([`cell`]): sums as
//! words of 64 bits, of two where one may overflow, counts, extremes as words of which the greatest counts. Memory of zeros is a
//! table without rows.
//!
//! Rows are folded into it ([`fold`]) directly, or first into a thread's variables or a block's memory ([`first`] says when, `flush`
//! is what stands around the loop); or they are put beside others first, where groups and rows are many ([`parts`]).
//!
//! A sum of floats is one of integers, too: each counts the lowest bit that any of them has ([`reaches`]).
//!
//! The table stays on the device ([`held`]), where lookups and loops over groups read it by code, or becomes partial groups
//! ([`partial`]), of those groups that have rows ([`host`]). Keys alone are bits. Where codes lie too far apart for arrays, a hash table gives each a slot ([`slots`]), which
//! is the group then; bits in front of it ([`filter`]) tell most of what is not there.
//!
//! Of DISTINCT arguments ([`distinct`]) only the first of a group is folded in; then groups are finished where they are
//! ([`finished`]), since nothing could be added to them.

pub(crate) mod cell;
mod distinct;
pub(crate) mod filter;
pub(crate) mod finished;
mod first;
mod flush;
pub(crate) mod fold;
pub(crate) mod held;
pub(crate) mod host;
pub(crate) mod partial;
pub(crate) mod parts;
pub(crate) mod reaches;
pub(crate) mod record;
pub(crate) mod slots;

use super::code::types::Type;
use super::driver::{Buffer, Driver};
use super::stop::Done;
use cell::Cell;
use record::Record;
use slots::Slots;
use std::sync::Arc;

/// Groups by code.
#[derive(Debug)]
pub(crate) struct Table {
    /// How many codes or slots; 1 without a key.
    pub(crate) groups: u64,
    /// The slots of codes, if these are not the groups.
    pub(crate) slots: Option<Slots>,
    pub(crate) cells: Vec<Cell>,
    /// How a group lies in the memory.
    pub(crate) record: Record,
    pub(crate) memory: Arc<Buffer>,
}

/// The flag of groups that have rows.
pub(crate) const SEEN: u32 = 1;

/// Codes of a table, at most.
pub(crate) const CODES_MAX: u64 = 1 << 31;

/// Sources that many loops need, whatever they are.
pub(super) fn sources() -> impl Iterator<Item = String> {
    [Type::U32, Type::U64].into_iter().map(filter::filtering).chain([host::KEPT.to_owned()])
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(
        driver: &Arc<dyn Driver>,
        (groups, slots): (u64, Option<Slots>),
        (cells, record): (Vec<Cell>, Record),
    ) -> Done<Self> {
        let memory = Buffer::zeroed(driver, groups as usize * record.bytes())?;
        Ok(Table { groups, slots, cells, record, memory })
    }
}
