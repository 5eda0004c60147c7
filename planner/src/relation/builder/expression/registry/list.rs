//! Functions of lists that only DuckDB has: those that take lambdas, and measures.

use super::{Described, described};

const BITS: &str = "anyarray";
const NUMBERS: &str = "double precision[], double precision[]";
const DOUBLE: &str = "double precision";
const ORDERED: &str = "anyarray [, text [, text]]";

pub(super) const DESCRIBED: &[Described] = &[
    described(
        &["list_transform", "array_transform", "list_apply", "array_apply", "apply"],
        "anyarray, lambda x [, i]: any",
        "anyarray",
        "what a lambda makes of each element, and its place",
    ),
    described(
        &["list_filter", "array_filter", "filter"],
        "anyarray, lambda x [, i]: boolean",
        "anyarray",
        "the elements for which a lambda is true",
    ),
    described(
        &["list_reduce", "array_reduce", "reduce"],
        "anyarray, lambda a, x [, i]: any [, any]",
        "any",
        "what a lambda makes of the elements one after the other, from the first or from a value on",
    ),
    described(
        &["list_grade_up", "array_grade_up", "grade_up"],
        ORDERED,
        "bigint[]",
        "the places of the elements in their order",
    ),
    described(&["list_select", "array_select"], "anyarray, bigint[]", "anyarray", "the elements at some places"),
    described(&["list_where", "array_where"], "anyarray, boolean[]", "anyarray", "the elements beside which is true"),
    described(
        &["list_resize", "array_resize"],
        "anyarray, bigint [, anyelement]",
        "anyarray",
        "the list cut or filled to a length",
    ),
    described(&["list_zip", "array_zip"], "anyarray, … [, boolean]", "record[]", "rows of the elements of lists"),
    described(&["array_value"], "any, …", "anyarray", "an array of the arguments"),
    described(
        &["list_inner_product", "array_inner_product", "list_dot_product", "array_dot_product"],
        NUMBERS,
        DOUBLE,
        "the sum of the products of elements",
    ),
    described(
        &[
            "list_negative_inner_product",
            "array_negative_inner_product",
            "list_negative_dot_product",
            "array_negative_dot_product",
        ],
        NUMBERS,
        DOUBLE,
        "the same, negated",
    ),
    described(&["list_distance", "array_distance"], NUMBERS, DOUBLE, "the distance of two points"),
    described(
        &["list_cosine_similarity", "array_cosine_similarity"],
        NUMBERS,
        DOUBLE,
        "the cosine of the angle between two vectors",
    ),
    described(&["list_cosine_distance", "array_cosine_distance"], NUMBERS, DOUBLE, "1 less that cosine"),
    described(&["list_bit_and"], BITS, "anyelement", "the bits that all integers have"),
    described(&["list_bit_or"], BITS, "anyelement", "the bits that some integer has"),
    described(&["list_bit_xor"], BITS, "anyelement", "the bits that an odd number of integers has"),
    described(&["list_entropy"], "anyarray", DOUBLE, "the entropy in bits"),
    described(&["list_kurtosis"], "anyarray", DOUBLE, "the excess kurtosis of a sample"),
    described(&["list_kurtosis_pop"], "anyarray", DOUBLE, "the excess kurtosis of all there are"),
    described(&["list_skewness"], "anyarray", DOUBLE, "the skewness"),
    described(&["list_mad"], "anyarray", DOUBLE, "the median of the distances from the median"),
    described(&["list_sem"], "anyarray", DOUBLE, "the standard error of the mean"),
    described(&["list_stddev_samp"], "anyarray", DOUBLE, "the standard deviation of a sample"),
    described(&["list_stddev_pop"], "anyarray", DOUBLE, "the standard deviation of all there are"),
    described(&["list_var_samp"], "anyarray", DOUBLE, "the variance of a sample"),
    described(&["list_var_pop"], "anyarray", DOUBLE, "the variance of all there are"),
    described(&["list_string_agg"], "anyarray", "text", "the elements as texts with commas between"),
    described(&["list_approx_count_distinct"], "anyarray", "bigint", "the number of different values"),
];
