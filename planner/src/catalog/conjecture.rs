//! Conjectures: likely properties of a column, which are verified only once a plan depends on them.
//!
//! That values which lie far apart, or strings, are all different takes a look at all of them at once, which takes longer than to
//! load them, and most columns are never asked. So a load says no more than that there are about as many values as runs of equal
//! ones, which is a [`Conjecture`]:
//!
//! 1. A planner for which a plan depends on it asks ([`Proofs::is_unique`]), which leaves a mark, and goes on without.
//! 2. Who holds the rows, and knows whose memory it is and who cancels, answers what has been asked, and plans once more.
//!
//! All snapshots of a table with the same rows share the answer. What only chooses among plans that are all right takes what is
//! [likely](Proofs::is_likely_unique).

use super::Proofs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// That all runs of equal values of a column, which has no NULLs, have values of their own.
#[derive(Debug)]
pub struct Conjecture {
    runs: u64,
    /// Whether each run is one row.
    alone: bool,
    asked: AtomicBool,
    answer: OnceLock<bool>,
}

impl Conjecture {
    /// Of so many rows in so many runs.
    pub fn new(rows: u64, runs: u64) -> Self {
        Conjecture { runs, alone: rows == runs, asked: AtomicBool::new(false), answer: OnceLock::new() }
    }

    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Whether each run is one row.
    pub fn is_of_rows(&self) -> bool {
        self.alone
    }

    /// Whether somebody waits for the answer.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) && self.answer.get().is_none()
    }

    /// The answer, once it is known.
    pub fn answer(&self) -> Option<bool> {
        self.answer.get().copied()
    }

    /// Answers it, for good.
    pub fn settle(&self, answer: bool) {
        self.answer.get_or_init(|| answer);
    }

    /// Whether it is known to be so; if nobody knows, it is asked.
    fn holds(&self) -> bool {
        self.answer().unwrap_or_else(|| {
            self.asked.store(true, Ordering::Relaxed);
            false
        })
    }
}

impl PartialEq for Conjecture {
    fn eq(&self, other: &Self) -> bool {
        (self.runs, self.alone, self.answer()) == (other.runs, other.alone, other.answer())
    }
}

impl Proofs {
    /// Whether no two rows have the same value, and none is NULL. Asks.
    pub fn is_unique(&self) -> bool {
        self.unique || self.rows().is_some_and(Conjecture::holds)
    }

    /// Whether no two rows have the same value; there may be NULLs. Asks.
    pub fn has_unique_values(&self) -> bool {
        self.unique_values || self.is_unique()
    }

    /// Whether equal values stand next to each other. Asks.
    pub fn is_clustered(&self) -> bool {
        self.clustered || self.conjecture.as_ref().is_some_and(|conjecture| conjecture.holds())
    }

    /// Whether [`Proofs::is_unique`] is so, or nobody knows that it is not. Asks nobody.
    pub fn is_likely_unique(&self) -> bool {
        self.unique || self.rows().is_some_and(|conjecture| conjecture.answer() != Some(false))
    }

    /// Whether [`Proofs::is_clustered`] is so, or nobody knows that it is not. Asks nobody.
    pub fn is_likely_clustered(&self) -> bool {
        self.clustered || self.conjecture.as_ref().is_some_and(|conjecture| conjecture.answer() != Some(false))
    }

    /// Whether to ask whether all values are different may yet give another answer.
    pub fn is_open(&self) -> bool {
        !self.unique && self.rows().is_some_and(|conjecture| conjecture.answer().is_none())
    }

    /// The same with what has been answered in its place.
    #[must_use]
    pub fn settled(&self) -> Proofs {
        let mut proofs = self.clone();
        if let Some(answer) = self.conjecture.as_ref().and_then(|conjecture| conjecture.answer()) {
            proofs.clustered |= answer;
            proofs.unique |= answer && self.rows().is_some();
            proofs.unique_values |= proofs.unique;
            proofs.conjecture = None;
        }
        proofs
    }

    /// The conjecture that all rows have values of their own.
    fn rows(&self) -> Option<&Conjecture> {
        self.conjecture.as_deref().filter(|conjecture| conjecture.alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn of(rows: u64, runs: u64) -> (Proofs, Arc<Conjecture>) {
        let conjecture = Arc::new(Conjecture::new(rows, runs));
        (Proofs { conjecture: Some(Arc::clone(&conjecture)), ..Proofs::default() }, conjecture)
    }

    #[test]
    fn nothing_is_claimed_before_it_is_known() {
        for answer in [true, false] {
            let (proofs, conjecture) = of(10, 10);
            assert!(proofs.is_likely_unique() && proofs.is_likely_clustered() && proofs.is_open());
            assert!(!conjecture.is_asked());
            let copy = proofs.clone();
            assert!(!copy.is_unique() && !copy.has_unique_values() && !copy.is_clustered());
            assert!(conjecture.is_asked(), "all snapshots ask the same one");
            conjecture.settle(answer);
            conjecture.settle(!answer);
            assert!(!conjecture.is_asked() && !proofs.is_open());
            let settled = proofs.settled();
            assert_eq!((settled.unique, settled.unique_values, settled.clustered), (answer, answer, answer));
            assert!(settled.conjecture.is_none());
            let all =
                [proofs.is_unique(), proofs.has_unique_values(), proofs.is_clustered(), proofs.is_likely_unique()];
            assert_eq!(all, [answer; 4]);
            assert_eq!(proofs.is_likely_clustered(), answer);
        }
    }

    #[test]
    fn runs_of_several_rows_are_clustered_at_most() {
        let (proofs, conjecture) = of(10, 4);
        assert!(!proofs.is_likely_unique() && !proofs.is_open());
        assert!(!proofs.is_unique() && !proofs.has_unique_values() && !conjecture.is_asked());
        assert!(!proofs.is_clustered() && conjecture.is_asked());
        conjecture.settle(true);
        assert!(proofs.is_clustered() && !proofs.is_unique());
        assert!(proofs.settled().clustered && !proofs.settled().unique);
    }
}
