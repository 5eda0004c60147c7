//! The functions whose signatures are fixed, by PostgreSQL's names, and the names of the rest.

use crate::function::{Function, PatternFunction as P, TrimSide};
use crate::types::DataType::{self, Boolean, Date, Double, Integer, Interval, Text, Timestamp};

/// One signature. Arguments after the first `required` may be left out.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) function: Function,
    pub(super) parameters: &'static [DataType],
    pub(super) required: usize,
    pub(super) result: DataType,
}

const fn signature(
    name: &'static str,
    function: Function,
    parameters: &'static [DataType],
    required: usize,
    result: DataType,
) -> Signature {
    Signature { name, function, parameters, required, result }
}

/// A function of a double.
const fn of_double(name: &'static str, function: Function) -> Signature {
    signature(name, function, &[Double], 1, Double)
}

/// A function of a text.
const fn of_text(name: &'static str, function: Function, result: DataType) -> Signature {
    signature(name, function, &[Text], 1, result)
}

/// What make_timestamp and make_interval take.
const MOMENT: &[DataType] = &[Integer, Integer, Integer, Integer, Integer, Double];
const SPAN: &[DataType] = &[Integer, Integer, Integer, Integer, Integer, Integer, Double];

/// What regexp_instr takes.
const PLACE: &[DataType] = &[Text, Text, Integer, Integer, Integer, Text, Integer];

const SIGNATURES: &[Signature] = {
    use Function as F;
    &[
        of_text("lower", F::Lower, Text),
        of_text("upper", F::Upper, Text),
        of_text("initcap", F::InitCap, Text),
        of_text("length", F::Length, Integer),
        of_text("char_length", F::Length, Integer),
        of_text("character_length", F::Length, Integer),
        of_text("octet_length", F::OctetLength, Integer),
        of_text("reverse", F::Reverse, Text),
        of_text("ascii", F::Ascii, Integer),
        signature("chr", F::Chr, &[Integer], 1, Text),
        signature("substr", F::Substring, &[Text, Integer, Integer], 2, Text),
        signature("substring", F::Pattern(P::Substring), &[Text, Text], 2, Text),
        signature("substring", F::Substring, &[Text, Integer, Integer], 2, Text),
        signature("regexp_like", F::Pattern(P::Like), &[Text, Text, Text], 2, Boolean),
        signature("regexp_count", F::Pattern(P::Count), &[Text, Text, Integer, Text], 2, Integer),
        signature("regexp_instr", F::Pattern(P::Place), PLACE, 2, Integer),
        signature("regexp_substr", F::Pattern(P::Part), &[Text, Text, Integer, Integer, Text, Integer], 2, Text),
        signature("regexp_replace", F::Pattern(P::Replace), &[Text, Text, Text, Text], 3, Text),
        signature("regexp_replace", F::Pattern(P::Replace), &[Text, Text, Text, Integer, Integer, Text], 4, Text),
        signature("left", F::Left, &[Text, Integer], 2, Text),
        signature("right", F::Right, &[Text, Integer], 2, Text),
        signature("lpad", F::LeftPad, &[Text, Integer, Text], 2, Text),
        signature("rpad", F::RightPad, &[Text, Integer, Text], 2, Text),
        signature("btrim", F::Trim(TrimSide::Both), &[Text, Text], 1, Text),
        signature("ltrim", F::Trim(TrimSide::Leading), &[Text, Text], 1, Text),
        signature("rtrim", F::Trim(TrimSide::Trailing), &[Text, Text], 1, Text),
        signature("replace", F::Replace, &[Text, Text, Text], 3, Text),
        signature("translate", F::Translate, &[Text, Text, Text], 3, Text),
        signature("strpos", F::Position, &[Text, Text], 2, Integer),
        signature("starts_with", F::StartsWith, &[Text, Text], 2, Boolean),
        signature("ends_with", F::EndsWith, &[Text, Text], 2, Boolean),
        signature("contains", F::Contains, &[Text, Text], 2, Boolean),
        of_text("quote_ident", F::QuoteIdentifier, Text),
        signature("to_hex", F::ToHex, &[Integer], 1, Text),
        signature("to_hex", F::ToHex, &[DataType::BigInt], 1, Text),
        signature("repeat", F::Repeat, &[Text, Integer], 2, Text),
        signature("split_part", F::SplitPart, &[Text, Text, Integer], 3, Text),
        of_double("sqrt", F::SquareRoot),
        of_double("dsqrt", F::SquareRoot),
        of_double("cbrt", F::CubeRoot),
        of_double("dcbrt", F::CubeRoot),
        of_double("exp", F::Exp),
        of_double("dexp", F::Exp),
        of_double("ln", F::Ln),
        of_double("dlog1", F::Ln),
        of_double("log", F::Log10),
        of_double("log10", F::Log10),
        of_double("dlog10", F::Log10),
        of_double("sin", F::Sin),
        of_double("cos", F::Cos),
        of_double("tan", F::Tan),
        of_double("asin", F::Asin),
        of_double("acos", F::Acos),
        of_double("atan", F::Atan),
        of_double("degrees", F::Degrees),
        of_double("radians", F::Radians),
        signature("power", F::Power, &[Double, Double], 2, Double),
        signature("pow", F::Power, &[Double, Double], 2, Double),
        signature("dpow", F::Power, &[Double, Double], 2, Double),
        signature("atan2", F::Atan2, &[Double, Double], 2, Double),
        signature("random", F::Random, &[], 0, Double),
        signature("age", F::Age, &[Timestamp, Timestamp], 2, Interval),
        signature("make_timestamp", F::MakeTimestamp, MOMENT, 6, Timestamp),
        signature("make_interval", F::MakeInterval, SPAN, 0, Interval),
        signature("make_date", F::MakeDate, &[Integer, Integer, Integer], 3, Date),
    ]
};

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
    SIGNATURES.iter().filter(move |signature| signature.name == name)
}

/// All names of functions that are no aggregates.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let special = SPECIAL.iter().chain(super::array_function::NAMES).copied();
    SIGNATURES.iter().map(|signature| signature.name).chain(special)
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
