//! Functions of arrays.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["array_append"], "anyarray, anyelement", "anyarray", "the array with an element more at its end"),
    described(&["array_prepend"], "anyelement, anyarray", "anyarray", "the array with an element more at its start"),
    described(&["array_cat"], "anyarray, anyarray", "anyarray", "both arrays, one behind the other"),
    described(&["array_length"], "anyarray, integer", "integer", "the length of a dimension"),
    described(&["array_lower"], "anyarray, integer", "integer", "the lower bound of a dimension"),
    described(&["array_upper"], "anyarray, integer", "integer", "the upper bound of a dimension"),
    described(&["array_ndims"], "anyarray", "integer", "the number of dimensions"),
    described(&["array_dims"], "anyarray", "text", "the bounds of all dimensions"),
    described(&["cardinality"], "anyarray", "integer", "the number of elements in all dimensions"),
    described(&["array_position"], "anyarray, anyelement [, integer]", "integer", "where an element is first, or NULL"),
    described(&["array_positions"], "anyarray, anyelement", "integer[]", "all places of an element"),
    described(&["array_remove"], "anyarray, anyelement", "anyarray", "the array without the elements equal to this"),
    described(&["array_replace"], "anyarray, anyelement, anyelement", "anyarray", "elements equal to one replaced"),
    described(
        &["array_to_string"],
        "anyarray, text [, text]",
        "text",
        "the elements as texts, with a separator between",
    ),
    described(&["string_to_array"], "text, text [, text]", "text[]", "the parts between separators"),
];
