//! Functions of regular expressions.

use super::{Described, Signature, described, signature};
use crate::function::{Function as F, PatternFunction as P};
use crate::types::DataType::{self, Boolean, Integer, Text};

/// What regexp_instr takes.
const PLACE: &[DataType] = &[Text, Text, Integer, Integer, Integer, Text, Integer];
const PART: &[DataType] = &[Text, Text, Integer, Integer, Text, Integer];
const NTH: &[DataType] = &[Text, Text, Text, Integer, Integer, Text];
const COUNT: &[DataType] = &[Text, Text, Integer, Text];

pub(super) const SIGNATURES: &[Signature] = &[
    signature("substring", F::Pattern(P::Substring), &[Text, Text], 2, Text, "the first match of a pattern"),
    signature("regexp_like", F::Pattern(P::Like), &[Text, Text, Text], 2, Boolean, "whether a pattern matches"),
    signature(
        "regexp_full_match",
        F::Pattern(P::Whole),
        &[Text, Text, Text],
        2,
        Boolean,
        "whether a pattern matches all",
    ),
    signature("regexp_count", F::Pattern(P::Count), COUNT, 2, Integer, "how often a pattern matches"),
    signature("regexp_instr", F::Pattern(P::Place), PLACE, 2, Integer, "where a match begins or ends, or 0"),
    signature("regexp_substr", F::Pattern(P::Part), PART, 2, Text, "a match, or one of its groups"),
    signature("regexp_replace", F::Pattern(P::Replace), &[Text; 4], 3, Text, "matches replaced"),
    signature("regexp_replace", F::Pattern(P::Replace), NTH, 4, Text, "the n-th match replaced"),
];

pub(super) const DESCRIBED: &[Described] = &[
    described(&["regexp_match"], "text, text [, text]", "text[]", "the groups of the first match"),
    described(&["regexp_split_to_array"], "text, text [, text]", "text[]", "the parts between matches"),
    described(&["string_split_regex", "str_split_regex"], "text, text [, text]", "text[]", "the parts between matches"),
    described(
        &["regexp_extract"],
        "text, text [, integer [, text]]",
        "text",
        "the first match or a group of it, or empty",
    ),
    described(&["regexp_extract_all"], "text, text [, integer [, text]]", "text[]", "all matches, or a group of each"),
    described(&["similar_to_escape"], "text [, text]", "text", "the regular expression of a pattern of SIMILAR TO"),
];
