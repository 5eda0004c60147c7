//! Functions of days, times and intervals.

use super::{Described, Signature, described, signature};
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

pub(super) const DESCRIBED: &[Described] = &[
    described(&["now", "current_timestamp", "transaction_timestamp"], "", "timestamptz", "when the transaction began"),
    described(&["statement_timestamp"], "", "timestamptz", "when the statement began"),
    described(&["clock_timestamp"], "", "timestamptz", "the time of day as it goes"),
    described(&["localtimestamp"], "[integer]", "timestamp", "the session's date and time"),
    described(&["current_date"], "", "date", "the session's date"),
    described(&["localtime"], "[integer]", "time", "the session's time of day"),
    described(&["age"], "timestamptz", "interval", "the years, months and days until today"),
    described(&["date"], "any", "date", "the value cast to a date"),
    described(&["date_part"], "text, a date, time or interval", "double precision", "a field, as EXTRACT gives it"),
    described(&["date_trunc"], "text, a timestamp or interval [, text]", "the same", "cut to a unit, in a time zone"),
    described(&["timezone"], "text, a timestamp", "a timestamp", "AT TIME ZONE"),
    described(&["to_date"], "text, text", "date", "the date of a text in the form of a template"),
    described(
        &["to_timestamp"],
        "text, text or double precision",
        "timestamptz",
        "the instant of a text, or of an epoch",
    ),
];
