//! The random numbers of a session: the same ones after the same seed.
//!
//! Without a seed each thread draws numbers of its own. Once a session has set one (`setseed(x)`, `SET seed`), its statements draw
//! theirs from this sequence, one after the other, on one thread: a statement that runs on several would draw them in another order
//! each time. The numbers are SplitMix64's; PostgreSQL's are others.

use crate::error::{Error, ErrorKind, Result};
use std::sync::{Mutex, PoisonError};

/// The state of SplitMix64 moves on by this, the golden ratio's bits.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The sequence of a session; none before a seed is set.
#[derive(Debug, Default)]
pub struct Sequence(Mutex<Option<u64>>);

impl Sequence {
    /// Begins anew with a seed.
    ///
    /// # Errors
    /// 22023 for a number that is not from -1 to 1.
    pub fn seed(&self, seed: f64) -> Result<()> {
        let seed = checked(seed)?;
        *self.state() = Some(seed.to_bits());
        Ok(())
    }

    /// Whether a seed was set.
    pub fn is_seeded(&self) -> bool {
        self.state().is_some()
    }

    /// The next number, from 0 to below 1; none before a seed is set.
    pub fn draw(&self) -> Option<f64> {
        let mut state = self.state();
        let state = state.as_mut()?;
        *state = state.wrapping_add(STEP);
        Some(fraction(*state))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Option<u64>> {
        // Whoever panicked with the lock had not begun to change anything.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A seed; 22023 if it is not from -1 to 1. One zero is as the other.
fn checked(seed: f64) -> Result<f64> {
    if (-1.0..=1.0).contains(&seed) {
        return Ok(seed + 0.0);
    }
    let message = format!("setseed parameter {seed} is out of allowed range [-1,1]");
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

/// The fraction that SplitMix64 makes of a state: its upper 53 bits.
pub fn fraction(state: u64) -> f64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let sequence = Sequence::default();
        assert_eq!((sequence.draw(), sequence.is_seeded()), (None, false));
        let drawn = |seed: f64| {
            sequence.seed(seed).expect("it is a seed");
            [(); 5].map(|()| sequence.draw().expect("a seed is set").to_bits())
        };
        let first = drawn(0.5);
        assert_ne!(first, drawn(-0.5));
        assert_eq!(first, drawn(0.5));
        assert_eq!(drawn(0.0), drawn(-0.0));
        assert!(first.iter().all(|bits| (0.0..1.0).contains(&f64::from_bits(*bits))));
        for seed in [1.5, -1.5, f64::NAN, f64::INFINITY] {
            assert_eq!(sequence.seed(seed).map_err(|error| error.sqlstate()), Err("22023"));
        }
    }
}
