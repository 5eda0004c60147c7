//! Columns that stay on the device, until others need the room: the least recently used go first.
//!
//! A column is known by the identities of its chunks' columns, which snapshots of a table share, and found by the lists of chunks that
//! it has been asked for with: to compare ten thousand identities takes a millisecond. Neither is kept alive by it: what the host has
//! dropped is dropped here when the next column comes.

use super::codes::{MANY_STRINGS, STRINGS_MAX};
use super::loader::Loader;
use super::{Carried, DeviceColumn, Valid, text, upload};
use crate::column::chunks::ChunksWatch;
use crate::column::identity::Watch;
use crate::column::{Chunk, Chunks};
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
    /// Lists of chunks whose text at a position is carried, and whether a row may be NULL.
    carried: Vec<(ChunksWatch, u32, bool)>,
    /// Counts what is asked for.
    clock: u64,
    /// Bytes that were uploaded.
    uploaded: u64,
}

#[derive(Debug)]
struct One {
    parts: Vec<Watch>,
    of: Of,
    /// Lists of chunks whose columns at a position are these.
    lists: Vec<(ChunksWatch, u32)>,
    /// Or why it cannot be there, which is not tried again.
    column: Done<Arc<DeviceColumn>>,
    used: u64,
}

/// Lists by which a column is found, at most.
const LISTS_MAX: usize = 16;

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

    /// Whether it has been found with these chunks before.
    fn is_listed(&self, chunks: &Chunks, position: u32) -> bool {
        self.lists.iter().any(|(list, at)| *at == position && chunks.is(list))
    }

    /// Whether it is the column of these chunks, each compared.
    fn is_of(&self, chunks: &Chunks, position: u32) -> bool {
        let is_it = |(chunk, part): (&Arc<Chunk>, &Watch)| {
            chunk.columns.get(position as usize).is_some_and(|column| column.identity.is(part))
        };
        self.parts.len() == chunks.len() && chunks.iter().zip(&self.parts).all(is_it)
    }

    /// Will be found with these chunks at once.
    fn list(&mut self, chunks: &Chunks, position: u32) {
        self.lists.retain(|(list, _)| !list.is_gone());
        if self.lists.len() < LISTS_MAX {
            self.lists.push((chunks.watch(), position));
        }
    }
}

impl Resident {
    /// A column of some chunks, uploaded now if it is not there.
    pub(crate) fn column(&self, loader: Loader<'_>, chunks: &Chunks, position: u32) -> Done<Arc<DeviceColumn>> {
        match self.known(loader, chunks, (position, Of::Values)) {
            Err(Stop::Declined(why)) if why == MANY_STRINGS => {
                let Some((carried, has_nulls)) = self.carried(chunks, position) else { return decline(MANY_STRINGS) };
                let valid = match has_nulls {
                    true => self.known(loader, chunks, (position, Of::Nulls))?.valid.clone(),
                    false => Valid::All,
                };
                carried.column(loader.driver, valid).map(Arc::new)
            }
            other => other,
        }
    }

    /// The same of text that stays on the host, and whether a row may be NULL.
    fn carried(&self, chunks: &Chunks, position: u32) -> Option<(Carried, bool)> {
        let known = |kept: &Kept| {
            let is_it = |(list, at, _): &&(ChunksWatch, u32, bool)| *at == position && chunks.is(list);
            kept.carried.iter().find(is_it).map(|(_, _, has_nulls)| *has_nulls)
        };
        if let Some(has_nulls) = known(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some((Carried { chunks: chunks.clone(), position: position as usize }, has_nulls));
        }
        let carried = Carried::of(chunks, position as usize)?;
        let has_nulls = carried.has_nulls();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.carried.retain(|(list, _, _)| !list.is_gone());
        kept.carried.push((chunks.watch(), position, has_nulls));
        Some((carried, has_nulls))
    }

    /// The bytes of text that is carried, by the numbers of its rows.
    pub(crate) fn text(&self, loader: Loader<'_>, carried: &Carried) -> Done<Arc<DeviceColumn>> {
        self.known(loader, &carried.chunks, (carried.position as u32, Of::Text))
    }

    /// What is kept of a column, where text of many strings has no values.
    fn known(&self, loader: Loader<'_>, chunks: &Chunks, (position, of): (u32, Of)) -> Done<Arc<DeviceColumn>> {
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.clock += 1;
            let now = kept.clock;
            let is_listed = |one: &&mut One| one.of == of && one.is_listed(chunks, position);
            if let Some(one) = kept.columns.iter_mut().find(is_listed) {
                one.used = now;
                return one.column.clone();
            }
            if let Some(one) = kept.columns.iter_mut().find(|one| one.of == of && one.is_of(chunks, position)) {
                one.used = now;
                one.list(chunks, position);
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
                Of::Values => upload::column(loader, chunks, position as usize, self.strings_max),
                Of::Text => text::upload(loader, chunks, position as usize),
                Of::Nulls => upload::nulls(loader, chunks, position as usize),
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
        kept.columns.push(One { parts, of, lists: vec![(chunks.watch(), position)], column: column.clone(), used });
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

    /// Whether what loops read of a column of some chunks is there, or known not to be wanted there, as far as it was found with this list
    /// before.
    pub(crate) fn has(&self, chunks: &Chunks, position: u32) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(list, at, _): &(ChunksWatch, u32, bool)| *at == position && chunks.is(list);
        kept.columns.iter().any(|one| one.is_listed(chunks, position)) || kept.carried.iter().any(is_it)
    }

    /// Lets go of all columns that nobody uses; false if there is none.
    pub(crate) fn evict_all(&self) -> bool {
        let any = self.evict();
        while self.evict() {}
        any
    }

    /// Bytes that were uploaded since the start.
    pub(crate) fn uploaded(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).uploaded
    }
}
