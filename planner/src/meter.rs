//! Metering of long loops over one value: what a function spends on its bytes or digits, and the memory of what it makes, is told
//! to the statement that the thread works for, which may refuse more (57014, 53200).
//!
//! Loops over rows look at their statement once a tile. A loop over the bytes of a value may take seconds for one row, far below
//! whoever knows the statement. So that is kept for the thread: whoever runs a piece of a statement's work enters it
//! ([`enter`]), and functions call [`spend`] with how much they are about to do. That is a subtraction until a quarter of a
//! millisecond's worth is spent, and then a look at the statement. Where no statement is known (tests, tools) everything is
//! allowed.

use crate::counters::{Counters, nowhere};
use crate::error::{Error, Result};
use crate::sequence::Sequence;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::sync::Arc;

/// What may be spent between two looks at the statement. A unit is about a nanosecond: a byte or two that a loop passes, a
/// multiplication of two words.
const UNITS: usize = 1 << 18;

/// Bytes of a value that are not worth a reservation.
const SMALL: usize = 1 << 16;

/// Bytes of a text that a loop passes between two calls of [`spend`].
const PIECE: usize = 1 << 16;

/// A statement, as far as a function needs to know it.
pub trait Statement: Debug + Send + Sync {
    /// An error (57014) if it was cancelled.
    ///
    /// # Errors
    /// 57014.
    fn check(&self) -> Result<()>;

    /// Counts so many bytes against its memory.
    ///
    /// # Errors
    /// 53200.
    fn reserve(&self, bytes: usize) -> Result<()>;

    /// Gives so many of them back.
    fn release(&self, bytes: usize);

    /// The random numbers of its session, if it draws them one after the other.
    fn sequence(&self) -> Option<&Sequence> {
        None
    }

    /// The sequences that it may draw from.
    fn counters(&self) -> Option<&dyn Counters> {
        None
    }
}

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(UNITS) };
    static REFUSED: RefCell<Option<Error>> = const { RefCell::new(None) };
    static CURRENT: RefCell<Option<Arc<dyn Statement>>> = const { RefCell::new(None) };
}

/// Says that what this thread does from now on is a statement's, until what is returned is dropped.
#[must_use]
pub fn enter(statement: Arc<dyn Statement>) -> Entered {
    // What another statement was refused is nothing to this one.
    REFUSED.set(None);
    Entered(CURRENT.replace(Some(statement)))
}

/// See [`enter`]; it holds what was said before.
#[derive(Debug)]
pub struct Entered(Option<Arc<dyn Statement>>);

impl Drop for Entered {
    fn drop(&mut self) {
        REFUSED.set(None);
        CURRENT.set(self.0.take());
    }
}

/// The statement that the thread works for, if it is known.
pub fn current() -> Option<Arc<dyn Statement>> {
    CURRENT.with_borrow(Clone::clone)
}

/// The next random number of the session that the thread works for; none if it has set no seed.
pub fn draw() -> Option<f64> {
    CURRENT.with_borrow(|current| current.as_ref()?.sequence()?.draw())
}

/// Does something with the sequences of the statement that the thread works for.
///
/// # Errors
/// That of `ask`, and 0A000 where no statement is known that has some.
pub fn with_counters<T>(ask: impl FnOnce(&dyn Counters) -> Result<T>) -> Result<T> {
    let current = current();
    match current.as_ref().and_then(|statement| statement.counters()) {
        Some(counters) => ask(counters),
        None => Err(nowhere()),
    }
}

/// Sets the seed of the session that the thread works for.
///
/// # Errors
/// 22023 for a number that is none.
pub fn seed(seed: f64) -> Result<()> {
    CURRENT.with_borrow(|current| match current.as_ref().and_then(|statement| statement.sequence()) {
        Some(sequence) => sequence.seed(seed),
        // Nobody draws from it, but a wrong seed is one.
        None => Sequence::default().seed(seed),
    })
}

/// An error (57014) if the statement that the thread works for was cancelled.
///
/// # Errors
/// 57014.
pub fn check() -> Result<()> {
    CURRENT.with_borrow(|current| current.as_ref().map_or(Ok(()), |statement| statement.check()))
}

/// Says that so much is about to be done; looks at the statement when that has come to something.
///
/// # Errors
/// 57014 if the statement was cancelled.
#[inline]
pub fn spend(units: usize) -> Result<()> {
    let left = LEFT.get();
    if units < left {
        LEFT.set(left - units);
        return Ok(());
    }
    LEFT.set(UNITS);
    check()
}

/// As [`spend`], for loops that cannot fail: false if they are to end at once, with whatever they have. The error waits for
/// [`settle`].
#[inline]
pub fn goes_on(units: usize) -> bool {
    match spend(units) {
        Ok(()) => true,
        Err(error) => {
            REFUSED.set(Some(error));
            false
        }
    }
}

/// The error of a loop that was told to end since the last time that this was asked.
///
/// # Errors
/// 57014.
#[inline]
pub fn settle() -> Result<()> {
    match REFUSED.take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// A text in pieces that end where characters do, each of which is spent before it is given.
pub fn pieces(text: &str) -> impl Iterator<Item = Result<&str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(PIECE));
        rest = behind;
        Some(spend(piece.len()).map(|()| piece))
    })
}

/// The same for loops that cannot fail; see [`goes_on`].
pub fn pieces_while_wanted(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).map_while(|piece| match piece {
        Ok(piece) => Some(piece),
        Err(error) => {
            REFUSED.set(Some(error));
            None
        }
    })
}

/// The same as [`pieces`] from the end.
pub fn pieces_from_end(text: &str) -> impl Iterator<Item = Result<&str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (before, piece) = rest.split_at(rest.floor_char_boundary(rest.len().saturating_sub(PIECE)));
        rest = before;
        Some(spend(piece.len()).map(|()| piece))
    })
}

/// Memory of a value that is being made, counted against the statement until it is dropped.
#[derive(Debug, Default)]
pub struct Room {
    statement: Option<Arc<dyn Statement>>,
    bytes: usize,
}

impl Room {
    /// Holds at least so many bytes from now on. What is small is not counted.
    ///
    /// # Errors
    /// 53200.
    pub fn hold(&mut self, bytes: usize) -> Result<()> {
        if bytes <= self.bytes || bytes < SMALL {
            return Ok(());
        }
        if self.statement.is_none() {
            self.statement = current();
        }
        let Some(statement) = &self.statement else { return Ok(()) };
        statement.reserve(bytes - self.bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Room {
    /// As [`Room::hold`], for loops that cannot fail; see [`goes_on`].
    pub fn holds(&mut self, bytes: usize) -> bool {
        match self.hold(bytes) {
            Ok(()) => true,
            Err(error) => {
                REFUSED.set(Some(error));
                false
            }
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(statement) = &self.statement {
            statement.release(self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A statement of so many looks and bytes.
    #[derive(Debug)]
    struct Limits {
        looks: AtomicUsize,
        bytes: AtomicUsize,
    }

    impl Statement for Limits {
        fn check(&self) -> Result<()> {
            let is_over = self.looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |looks| looks.checked_sub(1));
            is_over.map(drop).map_err(|_| Error::new(ErrorKind::Cancelled, "canceling statement due to user request"))
        }

        fn reserve(&self, bytes: usize) -> Result<()> {
            let left = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
            left.map(drop).map_err(|_| Error::new(ErrorKind::OutOfMemory, "out of memory"))
        }

        fn release(&self, bytes: usize) {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_spends_is_told() {
        let statement = Arc::new(Limits { looks: AtomicUsize::new(2), bytes: AtomicUsize::new(0) });
        let entered = enter(Arc::clone(&statement) as Arc<dyn Statement>);
        let mut spent = 0;
        while spend(1 << 10).is_ok() {
            spent += 1 << 10;
        }
        assert!((UNITS..=3 * UNITS).contains(&spent), "{spent}");
        assert_eq!((goes_on(1), settle()), (true, Ok(())));
        assert!(!goes_on(UNITS));
        assert_eq!(settle().map_err(|error| error.kind()), Err(ErrorKind::Cancelled));
        assert_eq!(settle(), Ok(()));
        drop(entered);
        assert!((0..10).all(|_| spend(UNITS).is_ok()), "nobody minds where no statement is known");
    }

    #[test]
    fn room_is_given_back() {
        let statement = Arc::new(Limits { looks: AtomicUsize::new(9), bytes: AtomicUsize::new(1 << 20) });
        let _entered = enter(Arc::clone(&statement) as Arc<dyn Statement>);
        let mut room = Room::default();
        assert_eq!(room.hold(SMALL - 1), Ok(()));
        assert_eq!(room.hold(1 << 19), Ok(()));
        assert_eq!(room.hold(1 << 18), Ok(()));
        assert_eq!(room.hold(1 << 21).map_err(|error| error.kind()), Err(ErrorKind::OutOfMemory));
        assert_eq!(statement.bytes.load(Ordering::Relaxed), 1 << 19);
        drop(room);
        assert_eq!(statement.bytes.load(Ordering::Relaxed), 1 << 20);
    }

    #[test]
    fn pieces_are_the_text() {
        for text in ["", "a", &"äx€".repeat(PIECE / 3), &"x".repeat(PIECE + 1)] {
            let together: Result<String> = pieces(text).collect();
            assert_eq!(together.as_deref(), Ok(text));
            let mut back: Vec<&str> = pieces_from_end(text).collect::<Result<_>>().expect("nobody minds");
            back.reverse();
            assert_eq!(back.concat(), text);
        }
    }
}
