//! Sliding states that can be merged, though no row can be taken out of one.
//!
//! A frame's rows are two parts. Of the first one there is a state for each row: of it and all behind it in that part. Of the
//! second one there is one state, to which rows come. Where the first part has been left, the second one becomes the first. So
//! a row is merged once a partition, and a frame is one merge, however wide it is. (Known as two stacks: Tangwongsan, Hirzel,
//! Schneider: Low-Latency Sliding-Window Aggregation in Worst-Case Constant Time, 2017, section 2.)

use crate::Result;
use std::ops::Range;

/// States of some rows.
pub(super) trait Mergeable {
    type State: Clone;
    /// That of no rows.
    fn empty(&self) -> Self::State;
    /// Takes in a row.
    fn add_to(&self, state: &mut Self::State, row: usize) -> Result<()>;
    /// Takes in the rows of another one.
    fn merge(&self, state: &mut Self::State, other: &Self::State) -> Result<()>;
}

/// The states of a frame's two parts.
pub(super) struct TwoStacks<'a, M: Mergeable> {
    of: &'a M,
    /// Of each row of the first part, from the last to the first one, and all behind it.
    first: Vec<M::State>,
    second: M::State,
    /// The rows of both.
    held: Range<usize>,
}

impl<'a, M: Mergeable> TwoStacks<'a, M> {
    pub(super) fn new(of: &'a M) -> Self {
        TwoStacks { of, first: Vec::new(), second: of.empty(), held: 0..0 }
    }

    /// Goes on to the next frame.
    pub(super) fn move_to(&mut self, frame: Range<usize>) -> Result<()> {
        // Frames whose bounds are arguments may go back.
        if frame.start >= self.held.end || frame.start < self.held.start || frame.end < self.held.end {
            self.first.clear();
            self.second = self.of.empty();
            self.held = frame.start..frame.start;
        }
        let gone = frame.start - self.held.start;
        if gone <= self.first.len() {
            self.first.truncate(self.first.len() - gone);
        } else {
            self.turn(frame.start..self.held.end)?;
        }
        (self.held.end..frame.end).try_for_each(|row| self.of.add_to(&mut self.second, row))?;
        self.held = frame;
        Ok(())
    }

    /// Makes all rows the first part.
    fn turn(&mut self, rows: Range<usize>) -> Result<()> {
        self.first.clear();
        let mut state = self.of.empty();
        for row in rows.rev() {
            self.of.add_to(&mut state, row)?;
            self.first.push(state.clone());
        }
        self.second = self.of.empty();
        Ok(())
    }

    /// The state of the frame.
    pub(super) fn state(&self) -> Result<M::State> {
        let Some(first) = self.first.last() else { return Ok(self.second.clone()) };
        let mut state = first.clone();
        self.of.merge(&mut state, &self.second)?;
        Ok(state)
    }

    /// How many states there are for rows of the first part.
    pub(super) fn kept(&self) -> usize {
        self.first.len()
    }
}
