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

pub(super) const DESCRIBED: &[Described] = &[
    aggregate(&["count"], "* or any", "bigint", "the number of rows, or of values that are not NULL"),
    aggregate(&["sum"], "a number", "bigint, numeric or float", "the sum"),
    aggregate(&["avg"], "a number", "numeric or double precision", "the average"),
    aggregate(&["min"], "any that is ordered", "the same", "the smallest value"),
    aggregate(&["max"], "any that is ordered", "the same", "the largest value"),
    aggregate(&["bool_and", "every"], "boolean", "boolean", "whether all values are true"),
    aggregate(&["bool_or"], "boolean", "boolean", "whether some value is true"),
    aggregate(&["stddev", "stddev_samp"], "a number", "numeric or double precision", "the sample standard deviation"),
    aggregate(&["stddev_pop"], "a number", "numeric or double precision", "the population standard deviation"),
    aggregate(&["variance", "var_samp"], "a number", "numeric or double precision", "the sample variance"),
    aggregate(&["var_pop"], "a number", "numeric or double precision", "the population variance"),
    aggregate(&["array_agg"], "any", "anyarray", "all values, NULLs too, as an array"),
    aggregate(&["string_agg"], "text, text", "text", "all values with separators between"),
    aggregate(&["json_agg"], "any", "json", "all values as an array"),
    aggregate(&["jsonb_agg"], "any", "jsonb", "all values as an array"),
    aggregate(&["json_object_agg"], "any, any", "json", "an object of keys and values"),
    aggregate(&["jsonb_object_agg"], "any, any", "jsonb", "an object of keys and values"),
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
];
