//! Leaves out what an expression has at its ends that any text matches, where only is asked whether there is a match: `.*` in front
//! and behind. What is left is often a literal, for which a text is searched without an automaton.

use super::options::Options;

/// An expression that matches in the same texts, if it is another one.
///
/// `.*a|b` matches where `a|b` does: of `.*` nothing need be taken. So it is behind the last branch, and with `^` or `$` before or
/// behind it, as a `.` is any letter without options that say otherwise.
pub(super) fn without_any_ends(text: &str, options: Options) -> Option<&str> {
    let mut plain = Options::default();
    (plain.global, plain.ignores_case) = (options.global, options.ignores_case);
    // What begins with a director or with options may be read in another way.
    if options != plain || text.starts_with("***") || text.starts_with("(?") {
        return None;
    }
    let mut rest = text;
    let front = rest.strip_prefix("^.*").or_else(|| rest.strip_prefix(".*"));
    if let Some(behind) = front {
        let behind = behind.strip_prefix('?').unwrap_or(behind);
        if !behind.starts_with(['*', '+', '?', '{']) {
            rest = behind;
        }
    }
    let back = rest.strip_suffix(".*$").or_else(|| rest.strip_suffix(".*"));
    if let Some(before) = back {
        // The point may be a letter, or belong to an escape of two letters.
        let is_escape = before.chars().rev().take(2).any(|letter| letter == '\\');
        if !is_escape {
            rest = before;
        }
    }
    (rest.len() < text.len()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_that_match_anything() {
        let options = |letters: &str| Options::of_argument(letters).unwrap();
        for (text, rest) in [
            (".*a.*", Some("a")),
            ("^.*a.*$", Some("a")),
            ("^.*a$", Some("a$")),
            (".*", Some("")),
            ("^.*$", Some("$")),
            (".*?a", Some("a")),
            (".*(a|b).*", Some("(a|b)")),
            (".*a|b.*", Some("a|b")),
            ("a\\\\.*", None),
            ("a\\.*", None),
            ("\\c.*", None),
            ("\\m.*", None),
            ("a.*b", None),
            ("***=.*a", None),
            ("(?n).*a", None),
            ("a", None),
            ("^a", None),
        ] {
            assert_eq!(without_any_ends(text, options("")), rest, "{text}");
            assert_eq!(without_any_ends(text, options("gi")), rest, "{text}");
            for other in ["n", "q", "x", "p", "w"] {
                assert_eq!(without_any_ends(text, options(other)), None, "{text}");
            }
        }
    }
}
