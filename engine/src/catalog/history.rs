//! Which rows of a table statements have changed, by their numbers: two transactions that have changed a table are in each other's
//! way only where these are the same.
//!
//! Rows keep their numbers along a line of snapshots; what gives them others (rows that were deleted are dropped) begins a new line.
//! A snapshot knows the last steps of its line. Who began before these, or on another line, cannot tell what has changed since.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps that are remembered, about: half of them are forgotten when there are so many.
const STEPS_MAX: usize = 1024;

/// Steps that snapshots share.
const BLOCK: usize = 32;

/// Rows of steps that are remembered: a step of more begins a new line, and the oldest ones are forgotten where all are more.
const ROWS_MAX: usize = 1 << 20;

/// The last steps of a table's line.
#[derive(Clone, Debug)]
pub(crate) struct History {
    line: u64,
    /// How many steps were before those that are remembered.
    forgotten: usize,
    steps: Steps,
    /// Rows of all of these.
    rows: usize,
    /// What the first snapshot of the line was made of, if it is known.
    origin: Option<Arc<Origin>>,
}

/// Steps, in order, of which the next snapshot shares whole blocks: it has one step more, and is made for each change.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// Of [`BLOCK`] steps each.
    blocks: Vec<Arc<[Arc<Step>]>>,
    last: Vec<Arc<Step>>,
}

impl Steps {
    fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.last.len()
    }

    fn push(&mut self, step: Step) {
        self.last.push(Arc::new(step));
        if self.last.len() == BLOCK {
            self.blocks.push(std::mem::take(&mut self.last).into());
        }
    }

    /// Takes the oldest ones out: a block, or one step.
    fn forget(&mut self) -> Vec<Arc<Step>> {
        if self.blocks.is_empty() { vec![self.last.remove(0)] } else { self.blocks.remove(0).to_vec() }
    }

    /// Those behind the first so many.
    fn behind(&self, count: usize) -> Option<Vec<Arc<Step>>> {
        let all = self.blocks.iter().skip(count / BLOCK).flat_map(|block| block.iter()).chain(&self.last);
        let skipped = count - (count / BLOCK).min(self.blocks.len()) * BLOCK;
        (count <= self.len()).then(|| all.skip(skipped).cloned().collect())
    }
}

/// A snapshot of another line, whose rows were arranged by some columns.
#[derive(Debug)]
struct Origin {
    line: u64,
    /// Steps of that line that were before.
    known: usize,
    by: Vec<usize>,
}

/// What a statement has changed.
#[derive(Debug)]
pub(crate) struct Step {
    /// The numbers of rows, ascending.
    pub(crate) rows: Vec<usize>,
    /// The columns that were set; none where rows were deleted.
    pub(crate) columns: Option<Vec<usize>>,
    /// Whether there were more rows than anybody remembers: `rows` has none then.
    is_large: bool,
}

impl Step {
    /// These rows, whose numbers ascend, have other values in these columns, or, without such, are deleted.
    pub(crate) fn new(rows: &[usize], columns: Option<&[usize]>) -> Self {
        let is_large = rows.len() > ROWS_MAX;
        let rows = if is_large { Vec::new() } else { rows.to_vec() };
        Step { rows, columns: columns.map(<[usize]>::to_vec), is_large }
    }
}

impl History {
    /// A line of its own.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let line = NEXT.fetch_add(1, Ordering::Relaxed);
        History { line, forgotten: 0, steps: Steps::default(), rows: 0, origin: None }
    }

    /// The number of the line.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// One step more.
    pub(crate) fn followed_by(&self, step: Step) -> Self {
        if step.is_large {
            return History::new();
        }
        let mut next = self.clone();
        next.rows += step.rows.len();
        next.steps.push(step);
        if next.steps.len() > STEPS_MAX || next.rows > ROWS_MAX {
            while next.steps.len() > STEPS_MAX / 2 || next.rows > ROWS_MAX {
                let gone = next.steps.forget();
                next.rows -= gone.iter().map(|step| step.rows.len()).sum::<usize>();
                next.forgotten += gone.len();
            }
        }
        next
    }

    /// A line of its own, whose first snapshot has the rows of this one that are not deleted, arranged by some columns.
    pub(crate) fn arranged(&self, by: &[usize]) -> Self {
        let origin = Origin { line: self.line, known: self.forgotten + self.steps.len(), by: by.to_vec() };
        History { origin: Some(Arc::new(origin)), ..History::new() }
    }

    /// The columns by which the rows of an earlier snapshot were arranged to give this one, if that is all that was done.
    pub(crate) fn arranged_since(&self, earlier: &History) -> Option<&[usize]> {
        let origin = self.origin.as_deref().filter(|_| self.forgotten + self.steps.len() == 0)?;
        let is_it = origin.line == earlier.line && origin.known == earlier.forgotten + earlier.steps.len();
        is_it.then_some(&origin.by)
    }

    /// What has been done since an earlier snapshot; none if nobody can tell.
    pub(crate) fn since(&self, earlier: &History) -> Option<Vec<Arc<Step>>> {
        let known = earlier.forgotten + earlier.steps.len();
        (self.line == earlier.line).then_some(())?;
        self.steps.behind(known.checked_sub(self.forgotten)?)
    }
}

/// The rows of steps that are among the first so many, ascending, each once.
pub(crate) fn rows_of<'s>(steps: impl IntoIterator<Item = &'s Arc<Step>>, first: usize) -> Vec<usize> {
    let mut rows: Vec<usize> =
        steps.into_iter().flat_map(|step| step.rows.iter().copied().filter(|&row| row < first)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Whether two ascending lists have a number in common.
pub(crate) fn meet(a: &[usize], b: &[usize]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // Of many each few are looked for.
    few.iter().any(|row| many.binary_search(row).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(row: usize) -> Step {
        Step::new(&[row], None)
    }

    #[test]
    fn steps_since_a_snapshot() {
        let mut all = vec![History::new()];
        for row in 0..3 * STEPS_MAX {
            all.push(all[row].followed_by(step(row)));
        }
        let last = &all[3 * STEPS_MAX];
        for (at, earlier) in all.iter().enumerate() {
            let since = last.since(earlier).map(|steps| rows_of(&steps, usize::MAX));
            let wanted = (at..3 * STEPS_MAX).collect::<Vec<_>>();
            assert!(since.as_ref().is_none_or(|since| *since == wanted));
            assert!(since.is_some() || wanted.len() > STEPS_MAX / 2, "{at}");
        }
        let large = |rows: usize| Step::new(&(0..rows).collect::<Vec<_>>(), None);
        let two = all[5].followed_by(large(ROWS_MAX)).followed_by(large(2));
        assert_eq!((two.steps.len(), two.forgotten), (1, 6));
        assert!(two.followed_by(large(ROWS_MAX + 1)).since(&two).is_none());
        assert!(all[4].since(&all[5]).is_none() && last.since(&History::new()).is_none());
        assert!(all[5].since(&all[5]).is_some_and(|steps| steps.is_empty()));
    }

    #[test]
    fn rows_in_common() {
        assert!(meet(&[1, 5, 9], &[5]) && meet(&[5], &[1, 5, 9]) && meet(&[0], &[0]));
        assert!(!meet(&[], &[]) && !meet(&[1, 3], &[0, 2, 4]));
        assert_eq!(rows_of(&[step(7), step(3), step(7)].map(Arc::new), 7), [3]);
    }
}
