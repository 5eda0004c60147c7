//! Aggregates, and those of an order (WITHIN GROUP).

use super::{Described, FunctionKind};

const fn aggregate(
    names: &'static [&'static str],
    arguments: &'static str,
    result: &'static str,
    summary: &'static str,
) -> Described {
    Described { names, kind: FunctionKind::Aggregate, arguments, result, summary }
}

const fn ordered(
    names: &'static [&'static str],
    arguments: &'static str,
    result: &'static str,
    summary: &'static str,
) -> Described {
    Described { names, kind: FunctionKind::OrderedSet, arguments, result, summary }
}

/// What measures of pairs take.
const PAIR: &str = "double precision, double precision";

pub(super) const DESCRIBED: &[Described] = &[
    aggregate(&["count"], "* or any", "bigint", "the number of rows, or of values that are not NULL"),
    aggregate(&["sum"], "a number or interval", "bigint, numeric, float or interval", "the sum"),
    aggregate(&["avg"], "a number or interval", "numeric, double precision or interval", "the average"),
    aggregate(&["min"], "any that is ordered", "the same", "the smallest value"),
    aggregate(&["max"], "any that is ordered", "the same", "the largest value"),
    aggregate(&["bool_and", "every"], "boolean", "boolean", "whether all values are true"),
    aggregate(&["bool_or"], "boolean", "boolean", "whether some value is true"),
    aggregate(&["stddev", "stddev_samp"], "a number", "numeric or double precision", "the sample standard deviation"),
    aggregate(&["stddev_pop"], "a number", "numeric or double precision", "the population standard deviation"),
    aggregate(&["variance", "var_samp"], "a number", "numeric or double precision", "the sample variance"),
    aggregate(&["var_pop"], "a number", "numeric or double precision", "the population variance"),
    aggregate(&["array_agg"], "any", "anyarray", "all values, NULLs too, as an array"),
    aggregate(&["string_agg"], "text [, text]", "text", "all values with separators between"),
    aggregate(&["json_agg"], "any", "json", "all values as an array"),
    aggregate(&["jsonb_agg"], "any", "jsonb", "all values as an array"),
    aggregate(&["json_object_agg"], "any, any", "json", "an object of keys and values"),
    aggregate(&["jsonb_object_agg"], "any, any", "jsonb", "an object of keys and values"),
    aggregate(&["any_value"], "anyelement", "anyelement", "the first value that is not NULL"),
    aggregate(&["first"], "anyelement", "anyelement", "the value of the first row"),
    aggregate(&["last"], "anyelement", "anyelement", "the value of the last row"),
    aggregate(
        &["min_by", "arg_min"],
        "anyelement, any that is ordered",
        "anyelement",
        "the value in the row in which another one is smallest",
    ),
    aggregate(&["arg_min_null"], "anyelement, any that is ordered", "anyelement", "as arg_min, where it may be NULL"),
    aggregate(
        &["max_by", "arg_max"],
        "anyelement, any that is ordered",
        "anyelement",
        "the value in the row in which another one is largest",
    ),
    aggregate(&["arg_max_null"], "anyelement, any that is ordered", "anyelement", "as arg_max, where it may be NULL"),
    aggregate(&["list"], "any", "anyarray", "all values, NULLs too, as an array"),
    aggregate(&["group_concat", "listagg"], "text [, text]", "text", "all values with separators between"),
    aggregate(
        &["count_if"],
        "boolean",
        "bigint",
        "the number of rows in which a condition is true; NULL where it never is known",
    ),
    aggregate(&["bit_and"], "an integer or bit strings of one length", "the same", "AND of all bits"),
    aggregate(&["bit_or"], "an integer or bit strings of one length", "the same", "OR of all bits"),
    aggregate(&["bit_xor"], "an integer or bit strings of one length", "the same", "XOR of all bits"),
    aggregate(&["product"], "a number", "double precision", "the product"),
    aggregate(&["skewness"], "a number", "double precision", "the skewness of a sample"),
    aggregate(&["kurtosis"], "a number", "double precision", "the excess kurtosis of a sample"),
    aggregate(&["kurtosis_pop"], "a number", "double precision", "the excess kurtosis of a population"),
    aggregate(
        &["entropy"],
        "any that is ordered",
        "double precision",
        "the bits that say which value a row has, on average",
    ),
    aggregate(&["histogram"], "any", "jsonb", "an object of the values and how often there is each"),
    aggregate(
        &["approx_count_distinct"],
        "any",
        "bigint",
        "about how many different values there are, by HyperLogLog: 0.8 % off (one deviation), exact up to 2,048",
    ),
    aggregate(
        &["approx_top_k"],
        "any that is ordered, integer",
        "anyarray",
        "the values that are there most often; exact",
    ),
    aggregate(&["median"], "any that is ordered", "double precision, a time or the same", "the value in the middle"),
    aggregate(
        &["quantile_cont"],
        "a number or time, double precision or an array",
        "double precision or a time",
        "a percentile, between values",
    ),
    aggregate(
        &["quantile", "quantile_disc"],
        "any that is ordered, double precision or an array",
        "the same",
        "a percentile that is a value",
    ),
    aggregate(
        &["approx_quantile"],
        "any that is ordered, double precision or an array",
        "the same",
        "a percentile in the type of the values; exact",
    ),
    aggregate(&["mode"], "any that is ordered", "the same", "the value that is there most often"),
    aggregate(&["corr"], PAIR, "double precision", "the correlation of pairs"),
    aggregate(&["covar_pop"], PAIR, "double precision", "the population covariance of pairs"),
    aggregate(&["covar_samp"], PAIR, "double precision", "the sample covariance of pairs"),
    aggregate(&["regr_count"], PAIR, "bigint", "the number of rows in which both values are there"),
    aggregate(&["regr_avgx"], PAIR, "double precision", "the average of x of pairs (y, x)"),
    aggregate(&["regr_avgy"], PAIR, "double precision", "the average of y of pairs (y, x)"),
    aggregate(&["regr_slope"], PAIR, "double precision", "the slope of the line through pairs (y, x)"),
    aggregate(&["regr_intercept"], PAIR, "double precision", "where the line through pairs (y, x) meets x = 0"),
    aggregate(&["regr_r2"], PAIR, "double precision", "the square of the correlation of pairs"),
    aggregate(&["regr_sxx"], PAIR, "double precision", "the sum of the squared deviations of x"),
    aggregate(&["regr_syy"], PAIR, "double precision", "the sum of the squared deviations of y"),
    aggregate(&["regr_sxy"], PAIR, "double precision", "the sum of the products of the deviations of pairs"),
    ordered(
        &["percentile_cont"],
        "double precision or an array",
        "double precision or interval",
        "a percentile, between values",
    ),
    ordered(
        &["percentile_disc"],
        "double precision or an array",
        "the type of what is ordered",
        "a percentile that is a value",
    ),
    ordered(&["mode"], "", "the type of what is ordered", "the value that is there most often"),
    ordered(&["rank"], "one for each that orders", "bigint", "the place that a row would have, with gaps"),
    ordered(&["dense_rank"], "one for each that orders", "bigint", "the place that a row would have, without gaps"),
    ordered(&["percent_rank"], "one for each that orders", "double precision", "the share of rows before a row"),
    ordered(
        &["cume_dist"],
        "one for each that orders",
        "double precision",
        "the share of rows before a row or beside it",
    ),
];
