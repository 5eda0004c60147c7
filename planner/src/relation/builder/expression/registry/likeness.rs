//! How alike texts are.

use super::{Signature, signature};
use crate::function::{Function as F, TextFunction as T};
use crate::types::DataType::{self, BigInt, Double, Text};

const PAIR: &[DataType] = &[Text, Text];

/// A count of what two texts differ in.
const fn distance(name: &'static str, function: T, summary: &'static str) -> Signature {
    signature(name, F::Text(function), PAIR, 2, BigInt, summary)
}

/// A share from 0 to 1.
const fn similarity(name: &'static str, function: T, summary: &'static str) -> Signature {
    signature(name, F::Text(function), PAIR, 2, Double, summary)
}

/// What the distances count.
const EDITS: &str = "characters to insert, delete or replace to make one text of the other";

pub(super) const SIGNATURES: &[Signature] = &[
    distance("levenshtein", T::Levenshtein, EDITS),
    distance("editdist3", T::Levenshtein, EDITS),
    distance("damerau_levenshtein", T::DamerauLevenshtein, "the same, where neighbours may change places"),
    distance("hamming", T::Hamming, "the places at which texts of one length differ"),
    distance("mismatches", T::Hamming, "the places at which texts of one length differ"),
    similarity("jaccard", T::Jaccard, "the share of characters that both texts have"),
    similarity("jaro_similarity", T::Jaro, "Jaro's similarity, from 0 to 1"),
    similarity("jaro_winkler_similarity", T::JaroWinkler, "the same, where a common beginning counts for more"),
];
