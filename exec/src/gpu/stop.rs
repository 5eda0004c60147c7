//! Why the device does not go on with a loop: the processors take over, or the statement ends.

use crate::Error;
use std::borrow::Cow;

/// What ends the device's work on a loop.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The processors run it; and why.
    Declined(Cow<'static, str>),
    /// The statement ends: it was cancelled, or what it reads could not be made.
    Failed(Error),
}

/// What the device does, unless something stops it.
pub(crate) type Done<T> = std::result::Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

/// The device leaves it to the processors, because of this.
pub(crate) fn decline<T>(why: impl Into<Cow<'static, str>>) -> Done<T> {
    Err(Stop::Declined(why.into()))
}

impl Stop {
    /// For people.
    #[cfg(feature = "gpu")]
    pub(crate) fn why(&self) -> String {
        match self {
            Stop::Declined(why) => why.to_string(),
            Stop::Failed(error) => error.to_string(),
        }
    }
}
