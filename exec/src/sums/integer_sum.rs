//! The sum of integers (and of decimals, which are integers) on the way to a type that may be narrower than what
//! partial sums need: only the final sum is checked.

use multiloop_planner::error::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::decimal;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The sum of any number of 128-bit integers, in 192 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerSum {
    /// The sum modulo 2^128.
    low: i128,
    /// How many times 2^128 it is more than that.
    high: i64,
}

impl IntegerSum {
    /// The sum of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one number.
    #[inline]
    pub fn add(&mut self, value: i128) {
        let (low, overflowed) = self.low.overflowing_add(value);
        self.low = low;
        if overflowed {
            self.high += if value < 0 { -1 } else { 1 };
        }
    }

    /// Takes out a number that was added.
    #[inline]
    pub fn remove(&mut self, value: i128) {
        let (low, overflowed) = self.low.overflowing_sub(value);
        self.low = low;
        if overflowed {
            self.high += if value < 0 { 1 } else { -1 };
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &IntegerSum) {
        self.add(other.low);
        self.high += other.high;
    }

    /// The sum, if 128 bits hold it.
    pub fn total(&self) -> Option<i128> {
        (self.high == 0).then_some(self.low)
    }

    /// The sum as a value of an integer or decimal type (of the scale of what was added): 22003 if it does not fit.
    pub fn finish(&self, data_type: DataType) -> Result<Value> {
        if data_type.is_decimal() {
            return decimal::checked(self.total(), data_type);
        }
        let (low, high) = data_type.integer_bounds().unwrap_or((i64::MIN.into(), i64::MAX.into()));
        match self.total() {
            Some(total) if (low..=high).contains(&total) => Ok(Value::Int(total as i64)),
            _ => Err(Error::new(ErrorKind::NumericOverflow, format!("{data_type} out of range"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_sums_may_overflow() {
        let mut sum = IntegerSum::new();
        for value in [i128::MAX, i128::MAX, i128::MIN, 5, i128::MIN] {
            sum.add(value);
        }
        assert_eq!(sum.total(), Some(3));
        sum.add(i128::MAX);
        assert_eq!(sum.total(), None);
        let mut other = IntegerSum::new();
        other.add(i128::MIN);
        sum.merge(&other);
        assert_eq!(sum.total(), Some(2));
    }

    #[test]
    fn what_was_added_can_be_removed() {
        let values = [i128::MAX, i128::MIN, i128::MAX, -1, i128::MIN, i128::MIN, 7];
        for kept in 0..values.len() {
            let mut sum = IntegerSum::new();
            values.iter().for_each(|&value| sum.add(value));
            values[..kept].iter().for_each(|&value| sum.remove(value));
            let mut expected = IntegerSum::new();
            values[kept..].iter().for_each(|&value| expected.add(value));
            assert_eq!(sum, expected);
        }
    }

    #[test]
    fn the_result_type_is_checked_once() {
        let mut sum = IntegerSum::new();
        sum.add(i64::MAX.into());
        assert_eq!(sum.finish(DataType::BigInt), Ok(Value::Int(i64::MAX)));
        sum.add(1);
        assert_eq!(sum.finish(DataType::BigInt).unwrap_err().sqlstate(), "22003");
        assert_eq!(sum.finish(DataType::decimal(38, 2)), Ok(Value::Decimal(i128::from(i64::MAX) + 1)));
        assert_eq!(sum.finish(DataType::decimal(3, 2)).unwrap_err().sqlstate(), "22003");
    }
}
