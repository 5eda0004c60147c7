//! The scheduling of workers between jobs: which one a worker serves next.
//!
//! A worker takes part in all of them, and does one piece of each in turn, so that no statement is behind all pieces of
//! another. While it is alone with one job, it stays there. Else what it has for its part in a job is parked there, and next is
//!
//! 1. a job that the worker takes no part in yet, but not twice in a row, so that many short ones do not stop a long one;
//! 2. that of which it has not done a piece for longest.

use super::job::{Job, Stint};
use super::{Shared, WOKEN_AT_ONCE, Worker};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The jobs that a worker takes part in.
pub(super) struct Turns {
    worker: Worker,
    /// That of which it did the last piece.
    current: Option<Stint>,
    /// Those where its part is parked; that of which it has not done a piece for longest stands first.
    parked: VecDeque<Arc<Job>>,
    /// The last turn was that of a job that was new.
    was_new: bool,
    /// The news until which all jobs have been looked at.
    seen: usize,
}

impl Turns {
    pub(super) fn new(worker: Worker) -> Self {
        Turns { worker, current: None, parked: VecDeque::new(), was_new: false, seen: 0 }
    }

    /// Does a piece of the job whose turn it is. Says whether there was one.
    pub(super) fn turn(&mut self, shared: &Shared) -> bool {
        let Some(mut stint) = self.next(shared) else { return false };
        if stint.step() {
            self.current = Some(stint);
        }
        true
    }

    /// Whether there may be a job that has not been looked at.
    pub(super) fn has_news(&self, shared: &Shared) -> bool {
        shared.news.load(Ordering::Acquire) != self.seen
    }

    fn next(&mut self, shared: &Shared) -> Option<Stint> {
        if let Some(current) = self.current.take() {
            if self.parked.is_empty() && !self.has_news(shared) {
                return Some(current);
            }
            match current.park() {
                Ok(job) => self.parked.push_back(job),
                Err(awaited) => return Some(awaited),
            }
        }
        let new_first = !std::mem::take(&mut self.was_new);
        if new_first && let Some(new) = self.join_new(shared) {
            self.was_new = true;
            return Some(new);
        }
        while let Some(job) = self.parked.pop_front() {
            // The owner may have ended it.
            if let Some(stint) = job.resume(self.worker) {
                return Some(stint);
            }
        }
        let new = if new_first { None } else { self.join_new(shared) };
        self.was_new = new.is_some();
        new
    }

    fn join_new(&mut self, shared: &Shared) -> Option<Stint> {
        loop {
            let news = shared.news.load(Ordering::Acquire);
            if news == self.seen {
                return None;
            }
            let job = shared.open_job(|job| !self.parked.iter().any(|own| Arc::ptr_eq(own, job)));
            let Some(job) = job else {
                self.seen = news;
                return None;
            };
            shared.sleepers.wake(WOKEN_AT_ONCE);
            // Others may have taken the last place meanwhile.
            if let Some(stint) = job.join(self.worker) {
                return Some(stint);
            }
        }
    }
}
