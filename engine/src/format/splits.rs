//! The last parts of files whose rows have been taken apart, for loops that read several columns of a part.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// As many as there are workers, and some more.
#[derive(Debug)]
pub(super) struct Splits<T> {
    most: usize,
    kept: Mutex<VecDeque<Kept<T>>>,
}

/// A part, by its file and where it begins in it.
#[derive(Debug)]
struct Kept<T> {
    file: usize,
    start: u64,
    split: Place<T>,
}

/// Where what has been made of a part is put by who makes it first.
pub(super) type Place<T> = Arc<Mutex<Option<Arc<T>>>>;

impl<T> Splits<T> {
    /// For so many workers.
    pub(super) fn new(workers: usize) -> Self {
        Splits { most: workers + 2, kept: Mutex::new(VecDeque::new()) }
    }

    /// The place of a part among them; the oldest one goes.
    pub(super) fn place(&self, file: usize, start: u64) -> Place<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|kept| (kept.file, kept.start) == (file, start)) {
            return Arc::clone(&found.split);
        }
        if kept.len() >= self.most {
            kept.pop_front();
        }
        let split = Place::default();
        kept.push_back(Kept { file, start, split: Arc::clone(&split) });
        split
    }
}
