//! Asks now and then, while frames pass, whether the statement was cancelled.

use crate::Result;
use crate::workers::context::Context;

/// Frames after which it is asked.
const CHECKED_FRAMES: usize = 1 << 12;

/// The frames that have passed.
pub(super) struct CancelCheck<'c> {
    context: &'c Context,
    frames: usize,
}

impl<'c> CancelCheck<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        CancelCheck { context, frames: 0 }
    }

    /// Passes a frame; whether it was asked.
    #[inline]
    pub(super) fn pass(&mut self) -> Result<bool> {
        self.frames += 1;
        let is_asked = self.frames.is_multiple_of(CHECKED_FRAMES);
        if is_asked {
            self.context.check()?;
        }
        Ok(is_asked)
    }
}
