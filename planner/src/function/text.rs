//! The functions of texts beyond SQL's own (`evaluate/words`): how alike texts are, letters as numbers, parts, templates of C.

use serde::{Deserialize, Serialize};

/// A function of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TextFunction {
    /// `levenshtein(a, b)`: characters inserted, deleted or replaced that make the one of the other.
    Levenshtein,
    /// `damerau_levenshtein(a, b)`: the same, where neighbours may also change places.
    DamerauLevenshtein,
    /// `hamming(a, b)`: places at which texts of one length differ.
    Hamming,
    /// `jaccard(a, b)`: the share of characters that both have.
    Jaccard,
    /// `jaro_similarity(a, b)`.
    Jaro,
    /// `jaro_winkler_similarity(a, b)`.
    JaroWinkler,
    /// `unicode(text)`: the code point of the first character; -1 for the empty text.
    CodePoint,
    /// `strip_accents(text)`.
    StripAccents,
    /// `bar(value, low, high, width)`, of doubles: a bar of blocks.
    Bar,
    /// `printf(template, value, …)`: values are bigints, doubles or texts.
    Printf,
    /// `hash(text, …)`: of any that may be NULL; never NULL. The texts of values.
    Hash,
    /// `to_bin(integer or bigint)`.
    ToBinary,
    /// `to_oct(integer or bigint)`.
    ToOctal,
    /// `string_split(text, separator)`: an array of texts; of an empty separator the characters.
    Split,
    /// A uuid of the fourth version, of three numbers from 0 to below 1.
    UuidOf,
}

impl TextFunction {
    /// Every function.
    pub const ALL: [TextFunction; 15] = [
        TextFunction::Levenshtein,
        TextFunction::DamerauLevenshtein,
        TextFunction::Hamming,
        TextFunction::Jaccard,
        TextFunction::Jaro,
        TextFunction::JaroWinkler,
        TextFunction::CodePoint,
        TextFunction::StripAccents,
        TextFunction::Bar,
        TextFunction::Printf,
        TextFunction::Hash,
        TextFunction::ToBinary,
        TextFunction::ToOctal,
        TextFunction::Split,
        TextFunction::UuidOf,
    ];

    /// Whether it has a value for all arguments.
    pub(crate) fn is_total(self) -> bool {
        use TextFunction as T;
        matches!(
            self,
            T::Jaro
                | T::JaroWinkler
                | T::CodePoint
                | T::StripAccents
                | T::Hash
                | T::ToBinary
                | T::ToOctal
                | T::Split
                | T::UuidOf
        )
    }
}
