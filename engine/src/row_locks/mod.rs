//! Rows that open transactions have changed, by their numbers. Who wants to change one of them, too, waits until that transaction has
//! ended: nobody's work is lost for nothing, and who waits in READ COMMITTED goes on from what the other has made of the row.
//!
//! Readers take none. Locks are held until the transaction ends; a rolled back savepoint gives none back. Who would wait for somebody
//! that waits for him is told so at once (40P01).

pub(crate) mod advisory;
pub(crate) mod functions;

use crate::{Error, ErrorKind, Result};
use multiloop_exec::workers::context::Cancellation;
use multiloop_planner::sql::{LockMode, Strength};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The line of who takes a table whole; the only number of its rows is that of the mode (`LOCK TABLE`).
pub(crate) const WHOLE: u64 = u64::MAX;

/// The line of rows that are inserted: nobody else can want them, but who takes the table whole waits for who inserts, who waits for him.
pub(crate) const NEW: u64 = u64::MAX - 1;

/// How often a statement that waits looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(5);

/// The locks of an engine.
#[derive(Debug, Default)]
pub(crate) struct RowLocks {
    locks: Mutex<Locks>,
    /// Told to those who wait for locks of programs.
    released: Condvar,
    /// How many there are, for who has none.
    count: AtomicUsize,
    /// Whether anybody has ever asked for an advisory lock.
    used: AtomicBool,
}

impl PartialEq for RowLocks {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for RowLocks {}

#[derive(Debug, Default)]
struct Locks {
    /// By the table's number.
    held: FxHashMap<u32, Vec<Held>>,
    /// The locks of programs.
    advisory: FxHashMap<advisory::Key, Vec<advisory::Holder>>,
    /// Which session each session waits for.
    waiting: FxHashMap<u32, u32>,
    /// What wakes sessions that wait for rows: who waits for another is left alone.
    sleepers: FxHashMap<u32, Arc<Condvar>>,
}

#[derive(Debug)]
struct Held {
    session: u32,
    /// The rows' line of snapshots, in which they have these numbers.
    line: u64,
    /// Ascending.
    rows: Arc<Vec<usize>>,
    strength: Strength,
}

/// Rows of a table, on one line of snapshots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'r> {
    /// The table's number.
    pub(crate) table: u32,
    pub(crate) line: u64,
    /// Ascending.
    pub(crate) numbers: &'r Arc<Vec<usize>>,
    pub(crate) strength: Strength,
}

/// A lock that a session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    pub(crate) session: u32,
    pub(crate) what: What,
    /// PostgreSQL's name of it.
    pub(crate) mode: &'static str,
}

/// What a lock is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// Rows of a table, or all of it, by its number.
    Table(u32),
    /// What programs mean by it.
    Advisory(advisory::Key),
}

/// The name of a mode of LOCK TABLE.
fn mode_of(mode: usize) -> &'static str {
    let names = [(LockMode::Share, "ShareLock"), (LockMode::ShareRowExclusive, "ShareRowExclusiveLock")];
    let named = names.into_iter().chain([(LockMode::Exclusive, "ExclusiveLock")]).find(|(of, _)| *of as usize == mode);
    named.map_or("AccessExclusiveLock", |(_, name)| name)
}

/// Whether two may not have a row at once.
fn excludes(a: Strength, b: Strength) -> bool {
    match a.min(b) {
        Strength::KeyShare => a.max(b) == Strength::Update,
        Strength::Share => a.max(b) >= Strength::NoKeyUpdate,
        _ => true,
    }
}

impl RowLocks {
    fn lock(&self) -> MutexGuard<'_, Locks> {
        // Each change of the lists is one step.
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes rows for a session, and waits for those that have some of them: what the rows were before they need not be now.
    ///
    /// # Errors
    /// 40P01 if somebody waits for the session that it would wait for, 55P03 after the time, 57014 if the statement is cancelled.
    pub(crate) fn take(
        &self,
        session: u32,
        rows: Rows<'_>,
        (heard, limit): (&Cancellation, Option<Duration>),
    ) -> Result<()> {
        let began = Instant::now();
        let mut locks = self.lock();
        while let Some(holder) = locks.holder(session, rows) {
            if locks.waits_for(holder, session) {
                locks.waits_no_longer(session);
                let error = Error::new(ErrorKind::Deadlock, "deadlock detected");
                return Err(error.with_detail("Each of the transactions waits for a row that another has changed."));
            }
            locks.waiting.insert(session, holder);
            let stopped = heard.check().and_then(|()| match limit {
                Some(limit) if began.elapsed() >= limit => {
                    Err(Error::new(ErrorKind::LockNotAvailable, "canceling statement due to lock timeout"))
                }
                _ => Ok(()),
            });
            if let Err(error) = stopped {
                locks.waits_no_longer(session);
                return Err(error);
            }
            let woken = Arc::clone(locks.sleepers.entry(session).or_default());
            locks = woken.wait_timeout(locks, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        locks.waits_no_longer(session);
        self.keep(&mut locks, session, rows);
        Ok(())
    }

    /// The same if nobody has one of them; else whoever asks gets none.
    pub(crate) fn try_take(&self, session: u32, rows: Rows<'_>) -> bool {
        let mut locks = self.lock();
        let is_free = locks.holder(session, rows).is_none();
        if is_free {
            self.keep(&mut locks, session, rows);
        }
        is_free
    }

    fn keep(&self, locks: &mut Locks, session: u32, rows: Rows<'_>) {
        if rows.numbers.is_empty() {
            return;
        }
        let known = locks
            .held
            .get(&rows.table)
            .is_some_and(|held| held.iter().any(|held| held.session == session && held.line == NEW));
        if rows.line == NEW && known {
            return;
        }
        let held = Held { session, line: rows.line, rows: Arc::clone(rows.numbers), strength: rows.strength };
        locks.held.entry(rows.table).or_default().push(held);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nobody has any row.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Whether another session has one of some rows.
    pub(crate) fn is_held(&self, session: u32, rows: Rows<'_>) -> bool {
        self.lock().holder(session, rows).is_some()
    }

    /// The rows of a table that other sessions have, of those of one line, ascending; none if they have all.
    pub(crate) fn of_others(&self, session: u32, (table, line): (u32, u64)) -> Option<Vec<usize>> {
        let locks = self.lock();
        let mut rows = Vec::new();
        let others = locks.held.get(&table).into_iter().flatten();
        for held in others.filter(|held| held.session != session && held.line != NEW) {
            if held.line != line {
                return None;
            }
            rows.extend(held.rows.iter().copied());
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// Does something that gives rows of a table other numbers, while nobody takes any, if nobody has one.
    pub(crate) fn while_free<T>(&self, table: u32, change: impl FnOnce() -> T) -> Option<T> {
        let locks = self.lock();
        let is_free = locks.held.get(&table).is_none_or(Vec::is_empty);
        is_free.then(change)
    }

    /// Whether another session has rows of a table.
    pub(crate) fn has_others(&self, session: u32, table: u32) -> bool {
        let locks = self.lock();
        locks.held.get(&table).is_some_and(|held| held.iter().any(|held| held.session != session && held.line != NEW))
    }

    /// All that sessions have, and of rows what they wait for, each once.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let locks = self.lock();
        let mut all = Vec::new();
        for (&table, held) in &locks.held {
            for held in held {
                let mode = match (held.line, held.strength) {
                    (WHOLE, _) => mode_of(held.rows.first().copied().unwrap_or_default()),
                    (NEW, _) | (_, Strength::Update | Strength::NoKeyUpdate) => "RowExclusiveLock",
                    _ => "RowShareLock",
                };
                all.push(Listed { session: held.session, what: What::Table(table), mode });
            }
        }
        for (&key, held) in &locks.advisory {
            let of = |held: &advisory::Holder| Listed {
                session: held.session(),
                what: What::Advisory(key),
                mode: if held.is_shared() { "ShareLock" } else { "ExclusiveLock" },
            };
            all.extend(held.iter().map(of));
        }
        all.sort();
        all.dedup();
        all
    }

    /// A session ends: gives back its own advisory locks, too.
    pub(crate) fn leave(&self, session: u32) {
        self.release(session);
        if self.lock().release_advisory(session, false) {
            self.released.notify_all();
        }
    }

    /// Gives back all that a session's transaction has.
    pub(crate) fn release(&self, session: u32) {
        if self.used.load(Ordering::Relaxed) {
            self.end_transaction_of(session);
        }
        // Whoever has some has counted them himself.
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut locks = self.lock();
        let mut gone = 0;
        locks.held.retain(|_, held| {
            let before = held.len();
            held.retain(|held| held.session != session);
            gone += before - held.len();
            !held.is_empty()
        });
        self.count.fetch_sub(gone, Ordering::Relaxed);
        // Who has waited for it waits for it no longer, before he knows: else it would seem to close a circle with what it wants next.
        let Locks { waiting, sleepers, .. } = &mut *locks;
        let mut woken = Vec::new();
        waiting.retain(|waiter, holder| {
            let waits = *holder != session;
            woken.extend(sleepers.get(waiter).filter(|_| !waits).cloned());
            waits
        });
        drop(locks);
        woken.iter().for_each(|sleeper| sleeper.notify_one());
        if gone > 0 && self.used.load(Ordering::Relaxed) {
            self.released.notify_all();
        }
    }
}

impl Locks {
    /// A session has what it has waited for, or gives up.
    fn waits_no_longer(&mut self, session: u32) {
        self.waiting.remove(&session);
        self.sleepers.remove(&session);
    }

    /// Another session that has one of the rows.
    fn holder(&self, session: u32, rows: Rows<'_>) -> Option<u32> {
        let held = self.held.get(&rows.table)?;
        let meets = |held: &Held| match (held.line, rows.line) {
            (WHOLE, NEW) | (NEW, WHOLE) => true,
            (NEW, _) | (_, NEW) => false,
            // SHARE is several sessions' at once.
            (WHOLE, WHOLE) => !(*held.rows == [LockMode::Share as usize] && *held.rows == **rows.numbers),
            // On another line they may be any.
            (held_line, line) => held_line != line || crate::catalog::history::meet(&held.rows, rows.numbers),
        };
        let has = |held: &&Held| {
            held.session != session && excludes(held.strength, rows.strength) && !rows.numbers.is_empty() && meets(held)
        };
        held.iter().find(has).map(|held| held.session)
    }

    /// Whether a session waits for another, be it through others.
    fn waits_for(&self, session: u32, other: u32) -> bool {
        let mut next = session;
        for _ in 0..=self.waiting.len() {
            match self.waiting.get(&next) {
                Some(&holder) if holder == other => return true,
                Some(&holder) => next = holder,
                None => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[usize]) -> Rows<'static> {
        let numbers = Box::leak(Box::new(Arc::new(numbers.to_vec())));
        Rows { table: 7, line: 1, numbers, strength: Strength::Update }
    }

    #[test]
    fn who_wants_the_same_row_waits() {
        let (locks, nobody) = (RowLocks::default(), Cancellation::default());
        locks.take(1, rows(&[1, 5]), (&nobody, None)).unwrap();
        locks.take(2, rows(&[2]), (&nobody, None)).unwrap();
        // They are one's own.
        locks.take(1, rows(&[5]), (&nobody, None)).unwrap();
        let limit = Some(Duration::from_millis(20));
        let error = locks.take(2, rows(&[4, 5]), (&nobody, limit)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LockNotAvailable);
        let other = Rows { line: 2, ..rows(&[9]) };
        assert_eq!(locks.take(2, other, (&nobody, limit)).unwrap_err().kind(), ErrorKind::LockNotAvailable);
        locks.take(2, Rows { table: 8, ..rows(&[5]) }, (&nobody, None)).unwrap();
        assert!(locks.has_others(2, 7) && locks.has_others(1, 7) && !locks.has_others(2, 8));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| locks.take(2, rows(&[5]), (&nobody, None)));
            std::thread::sleep(Duration::from_millis(10));
            assert!(!waits.is_finished());
            locks.release(1);
            waits.join().unwrap().unwrap();
        });
        assert!(locks.try_take(2, rows(&[1, 5])) && !locks.try_take(3, rows(&[5, 6])) && locks.try_take(3, rows(&[6])));
        locks.release(2);
        locks.release(3);
        assert!(!locks.has_others(9, 7));
        assert_eq!(locks.count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_circle_is_found() {
        let (locks, nobody) = (RowLocks::default(), Cancellation::default());
        for session in 0..3 {
            locks.take(session, rows(&[session as usize]), (&nobody, None)).unwrap();
        }
        std::thread::scope(|scope| {
            let waits = |session: u32| {
                let (locks, nobody) = (&locks, &nobody);
                scope.spawn(move || {
                    let taken = locks.take(session, rows(&[(session as usize + 1) % 3]), (nobody, None));
                    locks.release(session);
                    taken.map_err(|error| error.kind())
                })
            };
            let all = [waits(0), waits(1), waits(2)].map(|waits| waits.join().unwrap());
            assert_eq!(all.iter().filter(|taken| **taken == Err(ErrorKind::Deadlock)).count(), 1);
            assert_eq!(all.iter().filter(|taken| **taken == Ok(())).count(), 2);
        });
    }

    #[test]
    fn who_has_ended_is_waited_for_no_longer() {
        let (locks, nobody) = (RowLocks::default(), Cancellation::default());
        locks.take(1, rows(&[1]), (&nobody, None)).unwrap();
        locks.take(2, rows(&[2]), (&nobody, None)).unwrap();
        // The other has not seen yet that the row is free.
        locks.lock().waiting.insert(2, 1);
        locks.release(1);
        let limit = Some(Duration::from_millis(10));
        assert_eq!(locks.take(1, rows(&[2]), (&nobody, limit)).unwrap_err().kind(), ErrorKind::LockNotAvailable);
    }

    #[test]
    fn who_is_cancelled_waits_no_longer() {
        let (locks, heard) = (RowLocks::default(), Cancellation::default());
        locks.take(1, rows(&[1]), (&heard, None)).unwrap();
        heard.cancel();
        assert_eq!(locks.take(2, rows(&[1]), (&heard, None)).unwrap_err().kind(), ErrorKind::Cancelled);
        assert!(locks.lock().waiting.is_empty());
    }
}
