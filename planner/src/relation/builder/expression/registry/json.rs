//! Functions of JSON.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["to_json"], "any", "json", "the value as json"),
    described(&["to_jsonb"], "any", "jsonb", "the value as jsonb"),
    described(&["row_to_json"], "record", "json", "the row as an object"),
    described(&["array_to_json"], "anyarray", "json", "the array as an array"),
    described(&["json_build_array"], "any, …", "json", "an array of the arguments"),
    described(&["jsonb_build_array"], "any, …", "jsonb", "an array of the arguments"),
    described(&["json_build_object"], "any, …", "json", "an object of keys and values in turn"),
    described(&["jsonb_build_object"], "any, …", "jsonb", "an object of keys and values in turn"),
    described(&["json_typeof"], "json", "text", "object, array, string, number, boolean or null"),
    described(&["jsonb_typeof"], "jsonb", "text", "object, array, string, number, boolean or null"),
    described(&["json_array_length"], "json", "integer", "the number of elements of an array"),
    described(&["jsonb_array_length"], "jsonb", "integer", "the number of elements of an array"),
];
