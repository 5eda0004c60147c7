//! The functions that bounds of window frames are made of (`evaluate/frame.rs`).

use serde::{Deserialize, Serialize};

/// A function of a frame's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FrameFunction {
    /// (number of rows, bigint) of a frame's start: itself. NULL is an error (22004), and less than zero (22013).
    StartDistance,
    /// The same of its end.
    EndDistance,
    /// (offset of RANGE, a number or an interval) of a frame's start: itself, with the same errors.
    StartOffset,
    /// The same of its end.
    EndOffset,
    /// (offset of RANGE for times) of a frame's start: its time in microseconds, without days and months. The same errors.
    StartTime,
    /// The same of its end.
    EndTime,
    /// (time): its microseconds.
    TimeKey,
    /// (key, offset): the key so far below, as the bound of a frame towards low keys: where infinities leave no sum, the least.
    LowBelow,
    /// (key, offset): so far below, as the bound towards high keys: where infinities leave no sum, the largest.
    HighBelow,
    /// (key, offset): so far above, as the bound towards low keys.
    LowAbove,
    /// (key, offset): so far above, as the bound towards high keys.
    HighAbove,
}

impl FrameFunction {
    /// Every function.
    pub const ALL: [FrameFunction; 11] = [
        FrameFunction::StartDistance,
        FrameFunction::EndDistance,
        FrameFunction::StartOffset,
        FrameFunction::EndOffset,
        FrameFunction::StartTime,
        FrameFunction::EndTime,
        FrameFunction::TimeKey,
        FrameFunction::LowBelow,
        FrameFunction::HighBelow,
        FrameFunction::LowAbove,
        FrameFunction::HighAbove,
    ];

    /// Whether it says that an argument is an error.
    pub(crate) fn checks(self) -> bool {
        use FrameFunction as F;
        matches!(self, F::StartDistance | F::EndDistance | F::StartOffset | F::EndOffset | F::StartTime | F::EndTime)
    }

    /// Whether it is of a frame's start.
    pub(crate) fn is_start(self) -> bool {
        use FrameFunction as F;
        matches!(self, F::StartDistance | F::StartOffset | F::StartTime)
    }

    /// Whether it is the bound towards low keys.
    pub(crate) fn is_low(self) -> bool {
        matches!(self, FrameFunction::LowBelow | FrameFunction::LowAbove)
    }
}
