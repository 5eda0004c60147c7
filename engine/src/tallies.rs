//! What statements have taken, all together: a tally for each user and statement but for its constants, for `pg_stat_statements`.
//! Whoever runs a statement, embedded or over the wire, adds to one. The database is one, whatever clients call it.
//!
//! There are at most [`TALLIES_MAX`]. Where one more is needed, those that were used least leave, a twentieth of all; of what is
//! used, the past counts less each time, so that what nobody runs any more leaves, too.

use multiloop_planner::sql::{Parsed, normalised};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many tallies are kept.
pub(crate) const TALLIES_MAX: usize = 5000;

/// How much of its use a tally keeps when others leave.
const KEPT: f64 = 0.99;

/// The tallies of an engine.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Mutex<FxHashMap<u64, Tally>>);

/// What one statement of one user has taken.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) user: Arc<str>,
    /// What it shares with statements that differ in constants alone.
    pub(crate) number: u64,
    /// Its text, with `$n` for constants.
    pub(crate) text: Arc<str>,
    pub(crate) plans: Times,
    pub(crate) runs: Times,
    pub(crate) rows: u64,
    usage: f64,
}

/// How long something has taken, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Times {
    pub(crate) count: u64,
    pub(crate) total: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    /// The sum of squares of what each is off the mean (Welford, 1962).
    squares: f64,
}

/// A statement that has run, of which rows may still be read: it is added when it is dropped, unless it has failed.
pub(crate) struct Ran {
    pub(crate) tallies: Arc<Tallies>,
    pub(crate) user: Arc<str>,
    pub(crate) parsed: Arc<Parsed>,
    /// Its text as others may see it.
    pub(crate) shown: fn(&Parsed) -> &str,
    pub(crate) planning: Duration,
    pub(crate) running: Duration,
    pub(crate) rows: u64,
    pub(crate) failed: bool,
}

impl Drop for Ran {
    fn drop(&mut self) {
        if !self.failed {
            self.tallies.add(self);
        }
    }
}

impl Times {
    fn add(&mut self, time: Duration) {
        let time = time.as_secs_f64() * 1e3;
        self.count += 1;
        self.total += time;
        self.max = self.max.max(time);
        self.min = if self.count == 1 { time } else { self.min.min(time) };
        let off = time - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (time - self.mean);
    }

    /// The standard deviation, of all that there were.
    pub(crate) fn deviation(&self) -> f64 {
        if self.count == 0 { 0.0 } else { (self.squares / self.count as f64).sqrt() }
    }
}

impl Tallies {
    fn lock(&self) -> MutexGuard<'_, FxHashMap<u64, Tally>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, ran: &Ran) {
        let mut hasher = FxHasher::default();
        (ran.parsed.number, &*ran.user).hash(&mut hasher);
        let id = hasher.finish();
        let mut all = self.lock();
        if let Some(tally) = all.get_mut(&id) {
            tally.add(ran);
            return;
        }
        if all.len() >= TALLIES_MAX {
            make_room(&mut all);
        }
        let mut tally = Tally {
            user: Arc::clone(&ran.user),
            number: ran.parsed.number,
            text: Arc::from(normalised((ran.shown)(&ran.parsed))),
            plans: Times::default(),
            runs: Times::default(),
            rows: 0,
            usage: 0.0,
        };
        tally.add(ran);
        all.insert(id, tally);
    }

    /// All of them.
    pub(crate) fn list(&self) -> Vec<Tally> {
        self.lock().values().cloned().collect()
    }

    /// Forgets those that `goes` says.
    pub(crate) fn forget(&self, goes: impl Fn(&Tally) -> bool) {
        self.lock().retain(|_, tally| !goes(tally));
    }
}

impl Tally {
    fn add(&mut self, ran: &Ran) {
        if !ran.planning.is_zero() {
            self.plans.add(ran.planning);
        }
        self.runs.add(ran.running);
        self.rows += ran.rows;
        self.usage += 1.0;
    }
}

/// Lets those leave that were used least.
fn make_room(all: &mut FxHashMap<u64, Tally>) {
    let mut usages: Vec<(f64, u64)> = all.iter().map(|(id, tally)| (tally.usage, *id)).collect();
    let leaving = (usages.len() / 20).max(1);
    usages.select_nth_unstable_by(leaving - 1, |a, b| a.0.total_cmp(&b.0));
    for (_, id) in &usages[..leaving] {
        all.remove(id);
    }
    all.values_mut().for_each(|tally| tally.usage *= KEPT);
}

#[cfg(test)]
mod tests {
    use super::{Ran, TALLIES_MAX, Tallies, Times};
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn times_add_up() {
        let mut times = Times::default();
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|time| times.add(Duration::from_millis(time)));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(times.total, 40.0) && near(times.mean, 5.0) && near(times.deviation(), 2.0), "{times:?}");
        assert_eq!((times.count, times.min, times.max), (8, 2.0, 9.0));
    }

    #[test]
    fn the_least_used_leave() {
        let tallies = Arc::<Tallies>::default();
        let mut parsed = multiloop_planner::sql::parse("SELECT 7").expect("it is SQL").remove(0);
        let mut run = |number: u64, failed: bool| {
            parsed.number = number;
            drop(Ran {
                tallies: Arc::clone(&tallies),
                user: Arc::from("u"),
                parsed: Arc::new(parsed.clone()),
                shown: |parsed| &parsed.text,
                planning: Duration::ZERO,
                running: Duration::from_millis(1),
                rows: 3,
                failed,
            });
        };
        run(0, true);
        (0..10).for_each(|_| run(0, false));
        for number in 1..3 * TALLIES_MAX as u64 {
            run(number, false);
        }
        let all = tallies.list();
        assert!(all.len() <= TALLIES_MAX && all.len() > TALLIES_MAX / 2);
        let first = all.iter().find(|tally| tally.number == 0).expect("what is used stays");
        assert_eq!((first.runs.count, first.plans.count, first.rows), (10, 0, 30));
        assert_eq!(&*first.text, "SELECT $1");
        tallies.forget(|tally| tally.number == 0);
        assert_eq!(tallies.list().len(), all.len() - 1);
    }
}
