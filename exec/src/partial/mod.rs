//! Partial groups: what a worker, a part, a shard or a device knows of some groups, as data.
//!
//! [`PartialGroups`] are keys (`keys`), what is known of their order (`order`), and the states of the reductions (`state`). They
//! are made by a backend, which folds rows into states, and merged by one; here they are taken apart by key
//! ([`PartialGroups::partition`]), given codes of one dictionary (`unify`), and written as bytes and read back (`wire`). The parts of any cut of the rows into ranges,
//! merged in the order of these, are bit by bit what one pass over all rows gives.
//!
//! `hash` and `byte_keys` say by what keys are hashed: the same in every process.

pub(crate) mod byte_keys;
pub(crate) mod hash;
pub(crate) mod keys;
pub(crate) mod order;
pub(crate) mod state;
pub(crate) mod unify;
pub(crate) mod wire;

use crate::Result;
use hash::part_of_hash;
use keys::Keys;
use order::Order;
use state::State;
use wire::damaged;

/// What is known of some groups: of those of one reduction, of some of its rows.
#[derive(Clone, Debug)]
pub struct PartialGroups {
    pub(crate) keys: Keys,
    pub(crate) order: Order,
    /// The states of each aggregate, by the groups' numbers.
    pub(crate) states: Vec<State>,
}

impl PartialGroups {
    /// The groups by the lowest bits of their keys' hashes, in so many parts, a power of two: a key is in one part, whoever has
    /// it, as long as keys of one layout are kept in one way.
    pub fn partition(&self, parts: usize) -> Vec<PartialGroups> {
        assert!(parts.is_power_of_two(), "bits of a hash say the part");
        let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); parts];
        self.keys
            .occupied()
            .into_iter()
            .for_each(|group| chosen[part_of_hash(self.keys.hash(group), parts)].push(group));
        // The one group without a key has a state even without rows, so it may be there once only.
        let parts = chosen.into_iter().filter(|groups| !groups.is_empty() || !matches!(self.keys, Keys::One));
        parts.map(|groups| self.take(&groups)).collect()
    }

    fn take(&self, groups: &[u32]) -> PartialGroups {
        PartialGroups {
            keys: self.keys.take(groups),
            order: self.order.take(groups),
            states: self.states.iter().map(|state| state.take(groups)).collect(),
        }
    }

    /// Whether these can be merged with others: they are of one reduction, and keep its keys and states in one way.
    ///
    /// # Errors
    /// XX001 if they cannot: they come from somewhere else.
    pub fn check_like(&self, other: &PartialGroups) -> Result<()> {
        let states = self.states.len() == other.states.len()
            && self.states.iter().zip(&other.states).all(|(mine, theirs)| mine.is_like(theirs));
        if states && self.keys.are_like(&other.keys) && self.order.is_like(&other.order) {
            return Ok(());
        }
        Err(damaged("groups of two reductions"))
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + self.order.bytes() + self.states.iter().map(State::bytes).sum::<usize>()
    }
}
