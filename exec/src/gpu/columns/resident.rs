//! Columns that stay on the device, until others need the room: the least recently used go first.
//!
//! A column is known by the identities of its chunks' columns, which snapshots of a table share. They are not kept alive by it: what
//! the host has dropped is dropped here when the next column comes.

use super::upload::{MANY_STRINGS, STRINGS_MAX};
use super::{Carried, DeviceColumn, Valid, text};
use crate::column::Chunk;
use crate::column::identity::Watch;
use crate::gpu::driver::Driver;
use crate::gpu::stop::{Done, Stop, decline};
use std::sync::{Arc, Mutex, PoisonError};

/// Which columns are there.
#[derive(Debug)]
pub(crate) struct Resident {
    kept: Mutex<Kept>,
    /// Strings of a column up to which they become codes.
    pub(crate) strings_max: usize,
}

impl Default for Resident {
    fn default() -> Self {
        Resident { kept: Mutex::default(), strings_max: STRINGS_MAX }
    }
}

#[derive(Debug, Default)]
struct Kept {
    columns: Vec<One>,
    /// Counts what is asked for.
    clock: u64,
    /// Bytes that were uploaded.
    uploaded: u64,
}

#[derive(Debug)]
struct One {
    parts: Vec<Watch>,
    of: Of,
    /// Or why it cannot be there, which is not tried again.
    column: Done<Arc<DeviceColumn>>,
    used: u64,
}

/// What is kept of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Values,
    /// Its text as bytes.
    Text,
    /// Which rows are not NULL.
    Nulls,
}

impl One {
    fn is_alive(&self) -> bool {
        !self.parts.iter().any(Watch::is_gone)
    }
}

impl Resident {
    /// A column of some chunks, uploaded now if it is not there.
    pub(crate) fn column(
        &self,
        driver: &Arc<dyn Driver>,
        chunks: &[Arc<Chunk>],
        position: u32,
    ) -> Done<Arc<DeviceColumn>> {
        match self.known(driver, chunks, (position, Of::Values)) {
            Err(Stop::Declined(why)) if why == MANY_STRINGS => {
                let Some(carried) = Carried::of(chunks, position as usize) else { return decline(MANY_STRINGS) };
                let valid = match carried.has_nulls() {
                    true => self.known(driver, chunks, (position, Of::Nulls))?.valid.clone(),
                    false => Valid::All,
                };
                DeviceColumn::carried(driver, carried, valid).map(Arc::new)
            }
            other => other,
        }
    }

    /// The bytes of text that is carried, by the numbers of its rows.
    pub(crate) fn text(&self, driver: &Arc<dyn Driver>, carried: &Carried) -> Done<Arc<DeviceColumn>> {
        self.known(driver, &carried.chunks, (carried.position as u32, Of::Text))
    }

    /// What is kept of a column, where text of many strings has no values.
    fn known(
        &self,
        driver: &Arc<dyn Driver>,
        chunks: &[Arc<Chunk>],
        (position, of): (u32, Of),
    ) -> Done<Arc<DeviceColumn>> {
        let is_it = |(chunk, part): (&Arc<Chunk>, &Watch)| {
            chunk.columns.get(position as usize).is_some_and(|column| column.identity.is(part))
        };
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.clock += 1;
            let now = kept.clock;
            if let Some(one) = kept
                .columns
                .iter_mut()
                .find(|one| one.of == of && one.parts.len() == chunks.len() && chunks.iter().zip(&one.parts).all(is_it))
            {
                one.used = now;
                return one.column.clone();
            }
            kept.columns.retain(One::is_alive);
        }
        let part = |chunk: &Arc<Chunk>| chunk.columns.get(position as usize).map(|column| column.identity.watch());
        let Some(parts) = chunks.iter().map(part).collect::<Option<Vec<Watch>>>() else {
            return decline("rows that lie in a file");
        };
        let column = loop {
            let made = match of {
                Of::Values => DeviceColumn::upload(driver, chunks, position, self.strings_max),
                Of::Text => text::upload(driver, chunks, position as usize),
                Of::Nulls => DeviceColumn::of_nulls(driver, chunks, position),
            };
            match made {
                Ok(column) => break Ok(Arc::new(column)),
                // Whatever stopped it, room may help, as long as there is some to be had.
                Err(Stop::Declined(why)) if why.contains("memory") && self.evict() => {}
                Err(Stop::Declined(why)) if !why.contains("memory") => break Err(Stop::Declined(why)),
                Err(stop) => return Err(stop),
            }
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uploaded += column.as_ref().map_or(0, |column| column.bytes() as u64);
        let used = kept.clock;
        kept.columns.push(One { parts, of, column: column.clone(), used });
        column
    }

    /// Lets go of the column that nobody has used for the longest time; false if there is none.
    pub(crate) fn evict(&self) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let free = |one: &One| one.column.as_ref().is_ok_and(|column| Arc::strong_count(column) == 1);
        let oldest = kept.columns.iter().enumerate().filter(|(_, one)| free(one)).min_by_key(|(_, one)| one.used);
        let Some(at) = oldest.map(|(at, _)| at) else { return false };
        kept.columns.swap_remove(at);
        true
    }

    /// Bytes that were uploaded since the start.
    pub(crate) fn uploaded(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).uploaded
    }
}
