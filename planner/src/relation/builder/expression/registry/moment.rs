//! Functions of days, times and intervals.

use super::{Signature, signature};
use crate::function::Function as F;
use crate::types::DataType::{self, Date, Double, Integer, Interval, Timestamp};

/// What make_timestamp and make_interval take.
const MOMENT: &[DataType] = &[Integer, Integer, Integer, Integer, Integer, Double];
const SPAN: &[DataType] = &[Integer, Integer, Integer, Integer, Integer, Integer, Double];

pub(super) const SIGNATURES: &[Signature] = &[
    signature("age", F::Age, &[Timestamp, Timestamp], 2, Interval, "the years, months and days between timestamps"),
    signature("make_timestamp", F::MakeTimestamp, MOMENT, 6, Timestamp, "a timestamp of year, month, …, seconds"),
    signature("make_interval", F::MakeInterval, SPAN, 0, Interval, "an interval of years, months, weeks, …, seconds"),
    signature("make_date", F::MakeDate, &[Integer, Integer, Integer], 3, Date, "a date of year, month and day"),
];
