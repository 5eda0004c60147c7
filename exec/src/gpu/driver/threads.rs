//! Threads for all cards but the first, whose loops run on the thread that asks. They stay: what is asked of cards takes some hundred
//! microseconds, of which to start a thread that CUDA does not know would be some. While one works for another statement, a thread is
//! started for this one.

use crate::workers::pool::spin_until;
use multiloop_planner::stack::STATEMENT_BYTES;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

/// Something to do.
type Work<'w> = Box<dyn FnOnce() + Send + 'w>;

/// The threads; the first is the second card's.
#[derive(Debug)]
pub(crate) struct Threads(Vec<Mutex<Thread>>);

/// A thread that stays.
#[derive(Debug)]
struct Thread {
    /// Goes first, so that the thread ends.
    work: Option<Sender<Work<'static>>>,
    done: Receiver<()>,
    handle: Option<JoinHandle<()>>,
}

/// A thread that works; whoever lets this go waits for it.
struct Working<'t>(MutexGuard<'t, Thread>);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        // If the thread is gone, so is what it did.
        let _ = self.0.done.recv();
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.work = None;
        if let Some(handle) = self.handle.take() {
            // It has caught what panics.
            let _ = handle.join();
        }
    }
}

impl Thread {
    /// A thread for a card; none if the system gives none.
    fn new(card: usize) -> Option<Self> {
        let (work, to_do) = channel::<Work<'static>>();
        let (ends, done) = channel();
        let runs = move || {
            while let Some(next) = next(&to_do) {
                next();
                if ends.send(()).is_err() {
                    return;
                }
            }
        };
        let handle = std::thread::Builder::new()
            .name(format!("card {card}"))
            // Expressions may nest as deeply as on the statement's own thread.
            .stack_size(STATEMENT_BYTES)
            .spawn(runs)
            .ok()?;
        Some(Thread { work: Some(work), done, handle: Some(handle) })
    }
}

/// What is to be done next: loops come soon one after the other.
fn next(to_do: &Receiver<Work<'static>>) -> Option<Work<'static>> {
    let found = Cell::new(None);
    let looks = || match to_do.try_recv() {
        Ok(work) => {
            found.set(Some(work));
            true
        }
        Err(why) => why == TryRecvError::Disconnected,
    };
    spin_until(looks);
    found.into_inner().or_else(|| to_do.recv().ok())
}

impl Threads {
    /// Those for so many cards.
    pub(crate) fn new(cards: usize) -> Self {
        // Without one a thread is started each time.
        Threads((1..cards).filter_map(Thread::new).map(Mutex::new).collect())
    }

    /// Does something for each of some numbers at once, for 0 on this thread; none of what panicked.
    pub(crate) fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<Option<T>> {
        let made: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
        let one = |number: usize| {
            let own = catch_unwind(AssertUnwindSafe(|| work(number))).ok();
            *made[number].lock().unwrap_or_else(PoisonError::into_inner) = own;
        };
        std::thread::scope(|scope| {
            let one = &one;
            let mut working = Vec::new();
            for number in 1..count {
                match self.begin(number, Box::new(move || one(number))) {
                    Ok(thread) => working.push(thread),
                    Err(work) => {
                        let builder = std::thread::Builder::new().stack_size(STATEMENT_BYTES);
                        if builder.spawn_scoped(scope, work).is_err() {
                            // Its card gives nothing.
                        }
                    }
                }
            }
            if count > 0 {
                one(0);
            }
        });
        made.into_iter().map(|made| made.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// Has a thread do something, if it is free; the work, if it is not.
    fn begin<'t, 'w: 't>(&'t self, number: usize, work: Work<'w>) -> Result<Working<'t>, Work<'w>> {
        let free = self.0.get(number - 1).and_then(|thread| match thread.try_lock() {
            Ok(thread) => Some(thread),
            Err(TryLockError::Poisoned(thread)) => Some(thread.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        let Some(thread) = free else { return Err(work) };
        let Some(to) = thread.work.clone() else { return Err(work) };
        // SAFETY: the type is the same but for the lifetime of what it borrows, which ends after `Working` does: that waits, wherever it
        // is let go, until the work is done; and nobody forgets it, since it does not leave `each`.
        let work = unsafe { std::mem::transmute::<Work<'w>, Work<'static>>(work) };
        match to.send(work) {
            Ok(()) => Ok(Working(thread)),
            // SAFETY: as above; it has come back as it was.
            Err(back) => Err(unsafe { std::mem::transmute::<Work<'static>, Work<'w>>(back.0) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_does_its_own() {
        let threads = Threads::new(3);
        for count in [0, 1, 2, 3, 5] {
            let made = threads.each(count, |number| number * 2);
            assert_eq!(made, (0..count).map(|number| Some(number * 2)).collect::<Vec<_>>());
        }
        // Who panics has nothing, and does not end a thread.
        let made = threads.each(3, |number| if number > 0 { panic!("it was to panic") } else { 7 });
        assert_eq!(made, [Some(7), None, None]);
        assert_eq!(threads.each(3, |number| number), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn several_ask_at_once() {
        let (threads, done) = (Threads::new(2), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        threads.each(2, |number| done.fetch_add(number + 1, Ordering::Relaxed));
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 4 * 100 * 3);
    }

    #[test]
    fn one_within_another() {
        let threads = Threads::new(2);
        let made = threads.each(2, |outer| threads.each(2, |inner| outer * 2 + inner));
        assert_eq!(made, [Some(vec![Some(0), Some(1)]), Some(vec![Some(2), Some(3)])]);
    }
}
