//! The functions of jsonb beyond its parts (`evaluate/json`): what changes a value, what is within another, paths of SQL/JSON.

use serde::{Deserialize, Serialize};

/// A function of JSON in its one form, or of a json as it is written where that is said. Paths are arrays of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JsonbFunction {
    /// `a @> b`.
    Contains,
    /// `a ?| keys`.
    HasAny,
    /// `a ?& keys`.
    HasAll,
    /// `a || b`.
    Concatenate,
    /// `a - key`.
    WithoutKey,
    /// `a - keys`.
    WithoutKeys,
    /// `a - place`.
    WithoutElement,
    /// `a #- path`.
    WithoutPath,
    /// `jsonb_set(a, path, value, creates)`.
    Set,
    /// `jsonb_insert(a, path, value, after)`.
    Insert,
    /// `jsonb_strip_nulls(a)`.
    StripNulls,
    /// `json_strip_nulls(json)`: without blanks, and otherwise as it is written.
    StripNullsOfJson,
    /// `jsonb_pretty(a)`.
    Pretty,
    /// `jsonb_each(a)`: an array of rows of a key and a jsonb.
    Each,
    /// `jsonb_each_text(a)`.
    EachText,
    /// `json_each(json)`.
    EachOfJson,
    /// `json_each_text(json)`.
    EachTextOfJson,
    /// `jsonb_object_keys(a)`: an array of texts.
    Keys,
    /// `json_object_keys(json)`.
    KeysOfJson,
    /// `json_object(texts)`: keys and values in turn, or pairs.
    ObjectOfTexts,
    /// `json_object(keys, values)`.
    ObjectOfKeys,
    /// The jsonb that equals it and has the fewest digits: what is grouped by.
    Shortest,
    /// A text that sorts as PostgreSQL orders jsonb.
    SortKey,
    /// A number as a numeric; 22023 of anything else.
    AsNumber,
    /// true or false as a boolean; 22023 of anything else.
    AsBoolean,
    /// `jsonb_path_query(a, path, variables, silent)`: an array of jsonb.
    PathQuery,
    /// `jsonb_path_query_array`: the array as a jsonb.
    PathArray,
    /// `jsonb_path_query_first`: NULL where there is none.
    PathFirst,
    /// `jsonb_path_exists`.
    PathExists,
    /// `jsonb_path_match`.
    PathMatch,
    /// `json_extract(json, path)` of a path of DuckDB's.
    Extract,
    /// The same as a text.
    ExtractText,
    /// `json_valid(text)`.
    IsValid,
}

impl JsonbFunction {
    /// Every function.
    pub const ALL: [JsonbFunction; 33] = [
        JsonbFunction::Contains,
        JsonbFunction::HasAny,
        JsonbFunction::HasAll,
        JsonbFunction::Concatenate,
        JsonbFunction::WithoutKey,
        JsonbFunction::WithoutKeys,
        JsonbFunction::WithoutElement,
        JsonbFunction::WithoutPath,
        JsonbFunction::Set,
        JsonbFunction::Insert,
        JsonbFunction::StripNulls,
        JsonbFunction::StripNullsOfJson,
        JsonbFunction::Pretty,
        JsonbFunction::Each,
        JsonbFunction::EachText,
        JsonbFunction::EachOfJson,
        JsonbFunction::EachTextOfJson,
        JsonbFunction::Keys,
        JsonbFunction::KeysOfJson,
        JsonbFunction::ObjectOfTexts,
        JsonbFunction::ObjectOfKeys,
        JsonbFunction::Shortest,
        JsonbFunction::SortKey,
        JsonbFunction::AsNumber,
        JsonbFunction::AsBoolean,
        JsonbFunction::PathQuery,
        JsonbFunction::PathArray,
        JsonbFunction::PathFirst,
        JsonbFunction::PathExists,
        JsonbFunction::PathMatch,
        JsonbFunction::Extract,
        JsonbFunction::ExtractText,
        JsonbFunction::IsValid,
    ];

    /// Whether it can be NULL though no argument is.
    pub(crate) fn makes_null(self) -> bool {
        use JsonbFunction as J;
        matches!(self, J::PathFirst | J::PathExists | J::PathMatch | J::Extract | J::ExtractText)
    }

    /// Whether it has a value for all arguments.
    pub(crate) fn is_total(self) -> bool {
        use JsonbFunction as J;
        matches!(self, J::Contains | J::Shortest | J::SortKey | J::Pretty | J::StripNulls | J::IsValid)
    }
}
