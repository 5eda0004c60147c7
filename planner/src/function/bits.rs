//! The functions of bit strings (`evaluate/bits.rs`). A bit string is a text of its digits.

use serde::{Deserialize, Serialize};

/// A function of a bit string, or one that gives one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BitsFunction {
    /// (bits, n): as `bit(n)`, cut or with zeros behind it: an explicit cast.
    Fit,
    /// (bits, n): itself; 22026 unless it has n bits: an assignment.
    FitExactly,
    /// (bits, n): as `bit varying(n)`, cut.
    Cut,
    /// (bits, n): itself; 22001 if it has more than n bits.
    CutNothing,
    /// (integer or bigint, n): its last n bits, the sign repeated in front.
    OfInteger,
    /// As an integer or a bigint, by the type of the node; 22003 if it is longer than that.
    ToInteger,
    /// `a & b`; 22026 for different lengths.
    And,
    /// `a | b`.
    Or,
    /// `a # b`.
    Xor,
    /// `~a`.
    Not,
    /// `a << n`: the length stays.
    ShiftLeft,
    /// `a >> n`.
    ShiftRight,
    /// `octet_length(bits)`.
    Octets,
    /// `bit_count(bits)`.
    Count,
    /// `get_bit(bits, n)`, from 0 at the left.
    GetBit,
    /// `set_bit(bits, n, value)`.
    SetBit,
    /// `position(part in bits)`: arguments bits, part.
    Position,
    /// `substring(bits, from[, count])`.
    Substring,
    /// `overlay(bits, new, from[, count])`.
    Overlay,
}

impl BitsFunction {
    /// Every function.
    pub const ALL: [BitsFunction; 19] = [
        BitsFunction::Fit,
        BitsFunction::FitExactly,
        BitsFunction::Cut,
        BitsFunction::CutNothing,
        BitsFunction::OfInteger,
        BitsFunction::ToInteger,
        BitsFunction::And,
        BitsFunction::Or,
        BitsFunction::Xor,
        BitsFunction::Not,
        BitsFunction::ShiftLeft,
        BitsFunction::ShiftRight,
        BitsFunction::Octets,
        BitsFunction::Count,
        BitsFunction::GetBit,
        BitsFunction::SetBit,
        BitsFunction::Position,
        BitsFunction::Substring,
        BitsFunction::Overlay,
    ];

    /// Whether it has a value for all arguments. What makes long strings may be out of memory.
    pub(crate) fn is_total(self) -> bool {
        use BitsFunction as B;
        matches!(
            self,
            B::Fit | B::OfInteger | B::Cut | B::Not | B::ShiftLeft | B::ShiftRight | B::Octets | B::Count | B::Position
        )
    }
}
