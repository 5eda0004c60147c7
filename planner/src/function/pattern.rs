//! The functions of regular expressions (`evaluate/pattern`). Positions count characters, from 1; options are PostgreSQL's letters.

use serde::{Deserialize, Serialize};

/// A function of a text and a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PatternFunction {
    /// `text ~ pattern`.
    Matches,
    /// `text ~* pattern`.
    MatchesAnyCase,
    /// The regular expression of SIMILAR TO's pattern: `similar_to_escape(pattern[, escape])`.
    Similar,
    /// `regexp_like(text, pattern[, options])`.
    Like,
    /// `regexp_count(text, pattern[, start[, options]])`.
    Count,
    /// `regexp_instr(text, pattern[, start[, n[, end[, options[, group]]]]])`: 0 where there is none.
    Place,
    /// `regexp_substr(text, pattern[, start[, n[, options[, group]]]])`: NULL where there is none.
    Part,
    /// `substring(text from pattern)`: NULL where there is none.
    Substring,
    /// `regexp_match(text, pattern[, options])`: an array of texts, NULL where there is no match.
    Groups,
    /// `regexp_split_to_array(text, pattern[, options])`: an array of texts.
    Split,
    /// `regexp_replace(text, pattern, new[, options])`, or with integers: `(text, pattern, new, start[, n[, options]])`.
    Replace,
    /// `regexp_matches(text, pattern[, options])`: an array of texts, each of which stands for an array of the groups of a match.
    AllGroups,
    /// `regexp_extract(text, pattern, group, options)`: empty where there is no match, or no such group in it.
    Extract,
    /// `regexp_extract_all(text, pattern, group, options)`: an array of texts.
    ExtractAll,
    /// `regexp_full_match(text, pattern[, options])`.
    Whole,
}

impl PatternFunction {
    /// Every function.
    pub const ALL: [PatternFunction; 15] = [
        PatternFunction::Matches,
        PatternFunction::MatchesAnyCase,
        PatternFunction::Similar,
        PatternFunction::Like,
        PatternFunction::Count,
        PatternFunction::Place,
        PatternFunction::Part,
        PatternFunction::Substring,
        PatternFunction::Groups,
        PatternFunction::Split,
        PatternFunction::Replace,
        PatternFunction::AllGroups,
        PatternFunction::Extract,
        PatternFunction::ExtractAll,
        PatternFunction::Whole,
    ];

    /// Whether it can be NULL though no argument is.
    pub(crate) fn makes_null(self) -> bool {
        matches!(self, PatternFunction::Part | PatternFunction::Substring | PatternFunction::Groups)
    }
}
