//! Functions that give sets of rows.

use super::{Described, FunctionKind};

const fn rows(
    names: &'static [&'static str],
    arguments: &'static str,
    result: &'static str,
    summary: &'static str,
) -> Described {
    Described { names, kind: FunctionKind::Rows, arguments, result, summary }
}

/// What generate_series takes.
const SERIES: &str = "start, stop [, step] of integers, numerics or timestamps";

pub(super) const DESCRIBED: &[Described] = &[
    rows(&["generate_series"], SERIES, "SETOF the same", "the values from start to stop"),
    rows(&["generate_subscripts"], "anyarray, integer [, boolean]", "SETOF integer", "the subscripts of a dimension"),
    rows(&["unnest"], "anyarray, …", "SETOF anyelement", "the elements of arrays, in FROM of several side by side"),
    rows(&["string_to_table"], "text, text [, text]", "SETOF text", "the parts between separators"),
    rows(&["json_array_elements"], "json", "SETOF json", "the elements of an array"),
    rows(&["jsonb_array_elements"], "jsonb", "SETOF jsonb", "the elements of an array"),
    rows(&["json_array_elements_text"], "json", "SETOF text", "the elements of an array as texts"),
    rows(&["jsonb_array_elements_text"], "jsonb", "SETOF text", "the elements of an array as texts"),
    rows(&["json_each"], "json", "SETOF record", "the keys and values of an object"),
    rows(&["jsonb_each"], "jsonb", "SETOF record", "the keys and values of an object"),
    rows(&["json_each_text"], "json", "SETOF record", "the keys and values of an object, as texts"),
    rows(&["jsonb_each_text"], "jsonb", "SETOF record", "the keys and values of an object, as texts"),
    rows(&["json_object_keys"], "json", "SETOF text", "the keys of an object"),
    rows(&["jsonb_object_keys"], "jsonb", "SETOF text", "the keys of an object"),
    rows(&["jsonb_path_query"], "jsonb, jsonpath [, jsonb [, boolean]]", "SETOF jsonb", "all that a path leads to"),
    rows(&["regexp_matches"], "text, text [, text]", "SETOF text[]", "the groups of the first match, with 'g' of all"),
    rows(&["regexp_split_to_table"], "text, text [, text]", "SETOF text", "the parts between matches"),
    rows(&["_pg_expandarray"], "anyarray", "SETOF record", "the elements of an array and their places"),
];
