//! Min and Max. Values that compare equal but differ (-0 and 0, the NaNs, intervals of one length) have one
//! representative, so that the order of the rows does not show.

use crate::partial::keys::picked;
use crate::plan::register::Register;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The smallest or largest value of each group.
#[derive(Clone, Debug)]
pub(crate) struct Extreme {
    pub(crate) largest: bool,
    pub(crate) best: Best,
    /// Which groups have a value.
    pub(crate) seen: Vec<bool>,
}

#[derive(Clone, Debug)]
pub(crate) enum Best {
    Narrow(Vec<i64>),
    Wide(Vec<i128>),
    Floats(Vec<f64>),
    /// Text, intervals, booleans.
    Values(Vec<Value>, DataType),
}

impl Extreme {
    /// For no groups, of an argument of this type and register.
    pub(crate) fn new((data_type, register): (DataType, Register), largest: bool) -> Self {
        let best = match register {
            Register::I32 | Register::I64 => Best::Narrow(Vec::new()),
            Register::I128 => Best::Wide(Vec::new()),
            Register::F64 => Best::Floats(Vec::new()),
            Register::Bool | Register::Text | Register::Interval | Register::Vectors(_) => {
                Best::Values(Vec::new(), data_type)
            }
        };
        Extreme { largest, best, seen: Vec::new() }
    }

    pub(crate) fn groups(&self) -> usize {
        self.seen.len()
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.seen.resize(groups, false);
        match &mut self.best {
            // What every value is better than or equal to.
            Best::Narrow(best) => best.resize(groups, if self.largest { i64::MIN } else { i64::MAX }),
            Best::Wide(best) => best.resize(groups, 0),
            Best::Floats(best) => best.resize(groups, 0.0),
            Best::Values(best, _) => best.resize(groups, Value::Null),
        }
    }

    pub(crate) fn is_narrow(&self) -> bool {
        matches!(self.best, Best::Narrow(_))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.seen.capacity()
            + match &self.best {
                Best::Narrow(best) => best.capacity() * 8,
                Best::Wide(best) => best.capacity() * 16,
                Best::Floats(best) => best.capacity() * 8,
                Best::Values(best, of) => {
                    let elements = of.vector_of().map_or(0, |(_, length)| length as usize);
                    best.capacity() * (48 + elements * size_of::<f64>())
                }
            }
    }

    /// The states of these groups, which become the numbers 0, 1, 2, …
    pub(crate) fn take(&self, groups: &[u32]) -> Self {
        let best = match &self.best {
            Best::Narrow(best) => Best::Narrow(picked(best, groups)),
            Best::Wide(best) => Best::Wide(picked(best, groups)),
            Best::Floats(best) => Best::Floats(picked(best, groups)),
            Best::Values(best, data_type) => {
                Best::Values(groups.iter().map(|&group| best[group as usize].clone()).collect(), *data_type)
            }
        };
        Extreme { largest: self.largest, best, seen: picked(&self.seen, groups) }
    }

    /// Whether states of both can be merged.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let form = match (&self.best, &other.best) {
            (Best::Narrow(_), Best::Narrow(_)) | (Best::Wide(_), Best::Wide(_)) => true,
            (Best::Floats(_), Best::Floats(_)) => true,
            (Best::Values(_, mine), Best::Values(_, theirs)) => mine == theirs,
            _ => false,
        };
        form && self.largest == other.largest
    }
}
