//! Similarity of texts: edit distances and the measures of Jaccard, Jaro and Winkler, character by character.

use super::text::too_long;
use crate::error::{Error, ErrorKind, Result};
use crate::meter::{self, Room};

/// Pairs of characters that are compared, at most: beyond them the texts are too long for an answer in seconds.
const PAIRS_MAX: usize = 1 << 28;

/// How much a common beginning of up to four characters adds.
const PREFIX_WEIGHT: f64 = 0.1;
const PREFIX_MAX: usize = 4;

/// Similarities up to this get nothing for a common beginning.
const PREFIX_FROM: f64 = 0.7;

fn letters(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn checked(a: &str, b: &str) -> Result<(Vec<char>, Vec<char>)> {
    let (a, b) = (letters(a), letters(b));
    if a.len().saturating_mul(b.len()) > PAIRS_MAX { Err(too_long()) } else { Ok((a, b)) }
}

/// Characters inserted, deleted or replaced that make the one text of the other. A row of the table of all beginnings is kept.
pub(super) fn levenshtein(a: &str, b: &str) -> Result<i64> {
    let (a, b) = checked(a, b)?;
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        meter::spend(b.len() * 4)?;
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    Ok(row[b.len()] as i64)
}

/// The same, where two neighbours may also change places, with others between them or not.
pub(super) fn damerau_levenshtein(a: &str, b: &str) -> Result<i64> {
    let (a, b) = checked(a, b)?;
    let far = a.len() + b.len();
    let width = b.len() + 2;
    let mut room = Room::default();
    room.hold((a.len() + 2).saturating_mul(width).saturating_mul(size_of::<usize>()))?;
    let mut table = vec![0_usize; (a.len() + 2) * width];
    table[0] = far;
    for x in 0..=a.len() {
        table[(x + 1) * width] = far;
        table[(x + 1) * width + 1] = x;
    }
    for y in 0..=b.len() {
        table[y + 1] = far;
        table[width + y + 1] = y;
    }
    let mut last_row = rustc_hash::FxHashMap::<char, usize>::default();
    for x in 1..=a.len() {
        meter::spend(b.len() * 16)?;
        let mut last_match = 0;
        for y in 1..=b.len() {
            let row = last_row.get(&b[y - 1]).copied().unwrap_or(0);
            let column = last_match;
            let same = a[x - 1] == b[y - 1];
            if same {
                last_match = y;
            }
            let replaced = table[x * width + y] + usize::from(!same);
            let inserted = table[(x + 1) * width + y] + 1;
            let deleted = table[x * width + y + 1] + 1;
            let swapped = table[row * width + column] + (x - row - 1) + 1 + (y - column - 1);
            table[(x + 1) * width + y + 1] = replaced.min(inserted).min(deleted).min(swapped);
        }
        last_row.insert(a[x - 1], x);
    }
    Ok(table[(a.len() + 1) * width + b.len() + 1] as i64)
}

/// The places at which texts of one length differ.
///
/// # Errors
/// 22023 for texts of different lengths, or without characters.
pub(super) fn hamming(a: &str, b: &str) -> Result<i64> {
    let (a, b) = (letters(a), letters(b));
    let wrong = |message: &str| Err(Error::new(ErrorKind::InvalidParameter, message));
    if a.len() != b.len() {
        return wrong("strings must be of equal length");
    }
    if a.is_empty() {
        return wrong("strings must have characters");
    }
    Ok(a.iter().zip(&b).filter(|(x, y)| x != y).count() as i64)
}

/// The share of all characters, each counted once, that both texts have.
///
/// # Errors
/// 22023 for a text without characters.
pub(super) fn jaccard(a: &str, b: &str) -> Result<f64> {
    let distinct = |text: &str| {
        let mut letters = letters(text);
        letters.sort_unstable();
        letters.dedup();
        letters
    };
    let (a, b) = (distinct(a), distinct(b));
    if a.is_empty() || b.is_empty() {
        return Err(Error::new(ErrorKind::InvalidParameter, "strings must have characters"));
    }
    let both = a.iter().filter(|letter| b.binary_search(letter).is_ok()).count();
    Ok(both as f64 / (a.len() + b.len() - both) as f64)
}

/// Jaro's similarity: of characters that both have no further apart than half the longer text, and how many of them are out
/// of order.
fn similarity(a: &[char], b: &[char]) -> Result<f64> {
    if a.is_empty() || b.is_empty() {
        return Ok(0.0);
    }
    if a == b {
        return Ok(1.0);
    }
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut matched = Vec::new();
    for (at, letter) in a.iter().enumerate() {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(b.len()));
        meter::spend(reach + 8)?;
        if let Some(place) = (from..to).find(|&place| !taken[place] && b[place] == *letter) {
            taken[place] = true;
            matched.push(*letter);
        }
    }
    if matched.is_empty() {
        return Ok(0.0);
    }
    let theirs = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let displaced = matched.iter().zip(theirs).filter(|(mine, theirs)| mine != theirs).count();
    let count = matched.len() as f64;
    Ok((count / a.len() as f64 + count / b.len() as f64 + (count - (displaced / 2) as f64) / count) / 3.0)
}

/// `jaro_similarity`.
pub(super) fn jaro(a: &str, b: &str) -> Result<f64> {
    similarity(&letters(a), &letters(b))
}

/// `jaro_winkler_similarity`: a common beginning counts for more.
pub(super) fn jaro_winkler(a: &str, b: &str) -> Result<f64> {
    let (a, b) = (letters(a), letters(b));
    let plain = similarity(&a, &b)?;
    if plain <= PREFIX_FROM {
        return Ok(plain);
    }
    let common = a.iter().zip(&b).take(PREFIX_MAX).take_while(|(x, y)| x == y).count();
    Ok((plain + common as f64 * PREFIX_WEIGHT * (1.0 - plain)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, plain, swapped) in [
            ("", "", 0, 0),
            ("", "abc", 3, 3),
            ("kitten", "sitting", 3, 3),
            ("é", "e", 1, 1),
            ("ca", "abc", 3, 2),
            ("abcd", "acbd", 2, 1),
        ] {
            assert_eq!(levenshtein(a, b).unwrap(), plain, "{a} {b}");
            assert_eq!(damerau_levenshtein(a, b).unwrap(), swapped, "{a} {b}");
        }
        assert_eq!(hamming("duck", "luck").unwrap(), 1);
        assert!(hamming("", "").is_err() && hamming("a", "ab").is_err());
    }

    #[test]
    fn similarities() {
        for (a, b, plain) in [("", "", 0.0), ("a", "", 0.0), ("abc", "abc", 1.0), ("é", "è", 0.0)] {
            assert!((jaro(a, b).unwrap() - plain).abs() < 1e-15, "{a} {b}");
        }
        assert!((jaro("martha", "marhta").unwrap() - 0.944_444_444_444_444_5).abs() < 1e-15);
        assert!((jaro_winkler("dixon", "dicksonx").unwrap() - 0.813_333_333_333_333_2).abs() < 1e-15);
        assert!((jaccard("duck", "luck").unwrap() - 0.6).abs() < 1e-15);
    }
}
