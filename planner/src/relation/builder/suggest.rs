//! "Did you mean": the known name nearest to an unknown one.

use crate::error::Error;

/// The error with a hint, if a known name is near enough to be what was meant.
pub fn did_you_mean<'n>(error: Error, name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    match nearest(name, known) {
        Some(nearest) => error.with_hint(format!("Did you mean \"{nearest}\"?")),
        None => error,
    }
}

/// The known name with the fewest edits, if they are at most a third of the name's length (and one at least).
/// Of equals the first in alphabetical order, so that the hint does not depend on the order of the catalog.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `from` into `to`, case aside.
fn edit_distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().map(|c| c.to_ascii_lowercase()).collect();
    let to: Vec<char> = to.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 0..from.len() {
        let mut row = vec![i + 1];
        for j in 0..to.len() {
            let replaced = last[j] + usize::from(from[i] != to[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (from, to, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("orders", "Orders", 0),
            ("ordrs", "orders", 1),
            ("oredrs", "orders", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(from, to), edits, "{from} to {to}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let known = || ["orders", "lineitem", "part"].into_iter();
        assert_eq!(nearest("ordesr", known()), Some("orders"));
        assert_eq!(nearest("linitem", known()), Some("lineitem"));
        assert_eq!(nearest("customer", known()), None);
        assert_eq!(nearest("x", ["y", "a"].into_iter()), Some("a"));
    }
}
