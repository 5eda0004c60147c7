//! The functions whose signatures are fixed, by PostgreSQL's names, and the names of the rest.
//!
//! A file a family. Each function says in a line what it does, for whoever lists functions.

mod moment;
mod number;
mod pattern;
mod text;

use crate::function::Function;
use crate::types::DataType::{self, Double, Text};

/// One signature. Arguments after the first `required` may be left out.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) function: Function,
    pub(super) parameters: &'static [DataType],
    pub(super) required: usize,
    pub(super) result: DataType,
    /// What it does, in a line.
    pub(super) summary: &'static str,
}

const fn signature(
    name: &'static str,
    function: Function,
    parameters: &'static [DataType],
    required: usize,
    result: DataType,
    summary: &'static str,
) -> Signature {
    Signature { name, function, parameters, required, result, summary }
}

/// A function of a double.
const fn of_double(name: &'static str, function: Function, summary: &'static str) -> Signature {
    signature(name, function, &[Double], 1, Double, summary)
}

/// A function of a text.
const fn of_text(name: &'static str, function: Function, result: DataType, summary: &'static str) -> Signature {
    signature(name, function, &[Text], 1, result, summary)
}

/// All families.
const FAMILIES: &[&[Signature]] = &[text::SIGNATURES, pattern::SIGNATURES, number::SIGNATURES, moment::SIGNATURES];

/// Functions whose types follow rules of their own (`call`).
const SPECIAL: &[&str] = &[
    "abs",
    "ceil",
    "ceiling",
    "clock_timestamp",
    "coalesce",
    "concat",
    "concat_ws",
    "current_date",
    "current_timestamp",
    "date",
    "date_part",
    "date_trunc",
    "div",
    "factorial",
    "floor",
    "format",
    "gcd",
    "greatest",
    "lcm",
    "least",
    "localtime",
    "localtimestamp",
    "min_scale",
    "mod",
    "now",
    "nullif",
    "num_nonnulls",
    "num_nulls",
    "overlay",
    "parse_ident",
    "pg_typeof",
    "pi",
    "quote_literal",
    "quote_nullable",
    "regexp_match",
    "regexp_split_to_array",
    "round",
    "scale",
    "sign",
    "similar_to_escape",
    "statement_timestamp",
    "transaction_timestamp",
    "to_char",
    "to_date",
    "to_timestamp",
    "trim_scale",
    "trunc",
];

/// The signatures of a name.
pub(super) fn signatures(name: &str) -> impl Iterator<Item = &'static Signature> {
    FAMILIES.iter().copied().flatten().filter(move |signature| signature.name == name)
}

/// All names of functions that are no aggregates.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let special = SPECIAL.iter().chain(super::array_function::NAMES).copied();
    FAMILIES.iter().copied().flatten().map(|signature| signature.name).chain(special)
}

/// What PostgreSQL has under a name and Multiloop has not, for an error that says so.
pub(super) fn unsupported(name: &str) -> Option<&'static str> {
    Some(match name {
        "current_time" | "timeofday" => "the current date or time",
        "xmlagg" | "corr" | "covar_pop" | "covar_samp" | "regr_slope" | "regr_intercept" | "regr_r2" | "regr_count"
        | "regr_avgx" | "regr_avgy" | "regr_sxx" | "regr_syy" | "regr_sxy" | "bit_and" | "bit_or" | "bit_xor"
        | "any_value" => "this aggregate function",
        "to_number" => "formatting by a template",
        "regexp_matches" | "regexp_split_to_table" => "a set of rows of a regular expression",
        _ => return None,
    })
}
