//! Functions of a list and a lambda, which is a text that `evaluate/lambda` reads: it names no column, so that what is done to the
//! expression around it leaves it as it is.

use super::Volatility;
use serde::{Deserialize, Serialize};

/// What becomes of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LambdaKind {
    /// The list of the lambda's values, one for each element for which its condition is TRUE.
    Each,
    /// What the lambda makes of the first element and the second, of that and the third, and so on; 22023 of an empty list.
    Reduce,
    /// The same from a value on that is the third argument.
    ReduceFrom,
}

/// A function of a list, a lambda, and the values that the lambda captures of what is around it. NULL of a NULL list; what is
/// captured may be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LambdaFunction {
    /// What becomes of the list.
    pub kind: LambdaKind,
    /// When the lambda gives another value: what the most volatile function says that it calls.
    pub volatility: Volatility,
}

impl LambdaFunction {
    /// Every function.
    pub const ALL: [LambdaFunction; 9] = [
        LambdaFunction { kind: LambdaKind::Each, volatility: Volatility::Immutable },
        LambdaFunction { kind: LambdaKind::Each, volatility: Volatility::Stable },
        LambdaFunction { kind: LambdaKind::Each, volatility: Volatility::Volatile },
        LambdaFunction { kind: LambdaKind::Reduce, volatility: Volatility::Immutable },
        LambdaFunction { kind: LambdaKind::Reduce, volatility: Volatility::Stable },
        LambdaFunction { kind: LambdaKind::Reduce, volatility: Volatility::Volatile },
        LambdaFunction { kind: LambdaKind::ReduceFrom, volatility: Volatility::Immutable },
        LambdaFunction { kind: LambdaKind::ReduceFrom, volatility: Volatility::Stable },
        LambdaFunction { kind: LambdaKind::ReduceFrom, volatility: Volatility::Volatile },
    ];

    /// How many arguments stand in front of what is captured.
    pub fn captured_from(self) -> usize {
        if self.kind == LambdaKind::ReduceFrom { 3 } else { 2 }
    }

    /// Its word in a program's text form.
    pub(crate) fn word(self) -> String {
        let varies = match self.volatility {
            Volatility::Immutable => "",
            Volatility::Stable => "stable_",
            Volatility::Volatile => "volatile_",
        };
        format!("lambda_{varies}{}", super::debug_word(&self.kind))
    }
}
