//! LIKE and ILIKE: a pattern, read once and matched many times.
//!
//! `%` stands for any run of characters and `_` for any one. Between two `%` stands a *segment*. As a segment
//! may stand anywhere behind the one before it, the leftmost place is never worse than another: matching takes
//! the first segment at the start, the last at the end, and each other one where it is found first.

use super::long_text::mapped;
use super::text::{lower, lower_character};
use crate::error::{Error, ErrorKind, Result};
use crate::meter;
use crate::value::Value;

/// A pattern of LIKE or ILIKE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikePattern {
    /// What stands between the `%`: of n of them n + 1 segments, any of which may be empty.
    segments: Vec<Segment>,
    ignores_case: bool,
}

/// What stands between two `%`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Segment {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// These characters.
    Text(String),
    /// So many characters, `_`.
    Any(usize),
}

/// What a pattern asks for, in the forms that can be answered by comparing or searching bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeShape<'a> {
    /// `%`: every text.
    All,
    /// `abc`: this text.
    Exact(&'a str),
    /// `abc%`: texts that start with this.
    Prefix(&'a str),
    /// `%abc`: texts that end with this.
    Suffix(&'a str),
    /// `%abc%`: texts that hold this.
    Contains(&'a str),
    /// `abc%def%ghi`: literals only, found in order and without overlap. See [`LikePattern::literals`].
    Parts,
    /// `_` is in it, or case is ignored: only [`LikePattern::matches`] knows.
    General,
}

impl LikePattern {
    /// Reads the pattern of a LIKE. `escape` is a character in a text, by default a backslash; empty means none.
    ///
    /// Errors (22025): an escape of several characters, or one at the end of the pattern.
    pub fn new(pattern: &str, escape: Option<&str>) -> Result<Self> {
        Self::read(pattern, escape, false)
    }

    /// Reads the pattern of an ILIKE.
    pub fn ignoring_case(pattern: &str, escape: Option<&str>) -> Result<Self> {
        Self::read(pattern, escape, true)
    }

    fn read(pattern: &str, escape: Option<&str>, ignores_case: bool) -> Result<Self> {
        let escape = read_escape(escape)?;
        let mut segments = vec![Segment::default()];
        let mut characters = pattern.chars();
        while let Some(c) = characters.next() {
            let last = segments.last_mut().expect("there is always a segment");
            if Some(c) == escape {
                let Some(literal) = characters.next() else {
                    let message = "LIKE pattern must not end with escape character";
                    return Err(Error::new(ErrorKind::InvalidEscape, message));
                };
                last.push(literal, ignores_case);
            } else if c == '%' {
                segments.push(Segment::default());
            } else if c == '_' {
                last.push_any();
            } else {
                last.push(c, ignores_case);
            }
        }
        Ok(LikePattern { segments, ignores_case })
    }

    /// The pattern that a text in lower case matches just if the text matches this one.
    pub fn of_lower_case(&self) -> LikePattern {
        LikePattern { segments: self.segments.clone(), ignores_case: false }
    }

    /// What the pattern asks for.
    pub fn shape(&self) -> LikeShape<'_> {
        if self.ignores_case {
            return LikeShape::General;
        }
        let Some(literals) = self.literals() else { return LikeShape::General };
        let (first, last) = (literals[0], literals[literals.len() - 1]);
        let mut middle = literals[1..literals.len().max(2) - 1].iter().filter(|text| !text.is_empty());
        match (first.is_empty(), middle.next(), last.is_empty()) {
            _ if literals.len() == 1 => LikeShape::Exact(first),
            (true, None, true) => LikeShape::All,
            (false, None, true) => LikeShape::Prefix(first),
            (true, None, false) => LikeShape::Suffix(last),
            (true, Some(text), true) if middle.next().is_none() => LikeShape::Contains(text),
            _ => LikeShape::Parts,
        }
    }

    /// The texts between the `%`, in order (one more than there are `%`; empty ones among them), if there is no
    /// `_`. The first stands at the start of what matches, the last at its end.
    pub fn literals(&self) -> Option<Vec<&str>> {
        self.segments
            .iter()
            .map(|segment| match segment.pieces.as_slice() {
                [] => Some(""),
                [Piece::Text(text)] => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// What stands between the `%`, in order, as bytes of a text in ASCII, of which `_` is any; one more than there are `%`.
    /// Without `_`, as of any text.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = Vec<Option<u8>>> {
        self.segments.iter().map(|segment| {
            let mut bytes = Vec::new();
            for piece in &segment.pieces {
                match piece {
                    Piece::Text(text) => bytes.extend(text.bytes().map(Some)),
                    Piece::Any(count) => bytes.resize(bytes.len() + count, None),
                }
            }
            bytes
        })
    }

    /// What every text that matches begins with; nothing where case is ignored.
    pub fn beginning(&self) -> &str {
        match self.segments.first().and_then(|segment| segment.pieces.first()) {
            Some(Piece::Text(text)) if !self.ignores_case => text,
            _ => "",
        }
    }

    /// Whether a text matches.
    pub fn matches(&self, text: &str) -> bool {
        let matches = if self.ignores_case {
            self.matches_as_is(&lower(text), |_| Ok(()))
        } else {
            self.matches_as_is(text, |_| Ok(()))
        };
        matches.unwrap_or(false)
    }

    /// The same of a text that may be long: whoever cancels is heard.
    ///
    /// # Errors
    /// 57014, 53200.
    pub(crate) fn matches_long(&self, text: &str) -> Result<bool> {
        if !self.ignores_case {
            return self.matches_as_is(text, meter::spend);
        }
        match mapped(text, Some(str::make_ascii_lowercase), |c| Some(lower_character(c)))? {
            Value::Text(text) => self.matches_as_is(&text, meter::spend),
            _ => Ok(false),
        }
    }

    /// `spend` is told how many bytes are about to be passed.
    fn matches_as_is(&self, text: &str, spend: impl Fn(usize) -> Result<()>) -> Result<bool> {
        let (first, rest) = self.segments.split_first().expect("there is always a segment");
        let Some(mut left) = first.strip_start(text) else { return Ok(false) };
        let Some((last, middle)) = rest.split_last() else { return Ok(left.is_empty()) };
        for segment in middle {
            let Some(behind) = segment.find(left, &spend)? else { return Ok(false) };
            left = behind;
        }
        Ok(last.ends(left))
    }
}

impl Segment {
    fn push(&mut self, c: char, ignores_case: bool) {
        let c = if ignores_case { lower_character(c) } else { c };
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push(c);
        } else {
            self.pieces.push(Piece::Text(c.to_string()));
        }
    }

    fn push_any(&mut self) {
        if let Some(Piece::Any(count)) = self.pieces.last_mut() {
            *count += 1;
        } else {
            self.pieces.push(Piece::Any(1));
        }
    }

    /// What is behind the segment, if the text starts with it.
    fn strip_start<'a>(&self, text: &'a str) -> Option<&'a str> {
        strip_start(&self.pieces, text)
    }

    /// What is behind the first place where the segment is: where its first characters are found first, behind so many
    /// others as it has in front of them, and the rest follows.
    fn find<'a>(&self, text: &'a str, spend: &impl Fn(usize) -> Result<()>) -> Result<Option<&'a str>> {
        let any = self.pieces.iter().take_while(|piece| matches!(piece, Piece::Any(_))).count();
        let (any, pieces) = self.pieces.split_at(any);
        let Some(mut left) = strip_start(any, text) else { return Ok(None) };
        let Some(Piece::Text(first)) = pieces.first() else { return Ok(Some(left)) };
        let length: usize = pieces.iter().map(Piece::characters).sum();
        loop {
            let Some(at) = find(left, first, spend)? else { return Ok(None) };
            left = &left[at..];
            if pieces.len() > 1 {
                spend(length)?;
            }
            if let Some(behind) = strip_start(pieces, left) {
                return Ok(Some(behind));
            }
            left = &left[first.chars().next().map_or(0, char::len_utf8)..];
        }
    }

    /// Whether the text ends with the segment.
    fn ends(&self, text: &str) -> bool {
        let characters: usize = self.pieces.iter().map(Piece::characters).sum();
        let start = match characters {
            0 => return true,
            count => text.char_indices().rev().nth(count - 1),
        };
        start.is_some_and(|(start, _)| self.strip_start(&text[start..]).is_some())
    }
}

/// Bytes of a text in which another one is looked for at once.
const WINDOW: usize = 1 << 18;

/// The first byte at which a text stands in another.
fn find(text: &str, part: &str, spend: &impl Fn(usize) -> Result<()>) -> Result<Option<usize>> {
    if text.len() <= WINDOW {
        spend(text.len().min(64))?;
        return Ok(text.find(part));
    }
    let mut start = 0usize;
    loop {
        let end = text.ceil_char_boundary(start.saturating_add(WINDOW + part.len()));
        spend((end - start) / 4)?;
        match text[start..end].find(part) {
            Some(at) => return Ok(Some(start + at)),
            None if end == text.len() => return Ok(None),
            None => start = text.floor_char_boundary(end.saturating_sub(part.len())),
        }
    }
}

/// What is behind some pieces, if the text starts with them.
fn strip_start<'a>(pieces: &[Piece], text: &'a str) -> Option<&'a str> {
    pieces.iter().try_fold(text, |left, piece| match piece {
        Piece::Text(expected) => left.strip_prefix(expected.as_str()),
        Piece::Any(count) => {
            let mut characters = left.chars();
            for _ in 0..*count {
                characters.next()?;
            }
            Some(characters.as_str())
        }
    })
}

impl Piece {
    fn characters(&self) -> usize {
        match self {
            Piece::Text(text) => text.chars().count(),
            Piece::Any(count) => *count,
        }
    }
}

fn read_escape(escape: Option<&str>) -> Result<Option<char>> {
    let mut characters = escape.unwrap_or("\\").chars();
    let first = characters.next();
    if characters.next().is_some() {
        return Err(Error::new(ErrorKind::InvalidEscape, "invalid escape string")
            .with_hint("Escape string must be empty or one character."));
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(text: &str, pattern: &str) -> bool {
        LikePattern::new(pattern, None).unwrap().matches(text)
    }

    #[test]
    fn wildcards() {
        for (text, pattern, expected) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("a", "", false),
            ("abc", "abc", true),
            ("abc", "ab", false),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "a_c", true),
            ("abc", "_%_%_", true),
            ("ab", "_%_%_", false),
            ("aab", "a%ab", true),
            ("ab", "ab%b", false),
            ("abb", "ab%b", true),
            ("special Customer requests", "%special%requests%", true),
            ("requests special", "%special%requests%", false),
            ("aXbXc", "%X_X%", true),
            ("aXXc", "%X_X%", false),
            ("mississippi", "m%iss%ip%i", true),
            ("mississippi", "%iss%iss%iss%", false),
            ("größe", "gr__e", true),
            ("größe", "%_ö_%", true),
            ("öxöyz", "%ö_z%", true),
            ("ööxzöy", "%ö_z%_", true),
            ("ööxz", "%ö_z_%", false),
            ("ab", "%___%", false),
            ("größe", "%öß_", true),
            ("a\nb", "a_b", true),
        ] {
            assert_eq!(matches(text, pattern), expected, "{text:?} LIKE {pattern:?}");
        }
    }

    #[test]
    fn escapes() {
        assert!(matches("10%", "10\\%") && !matches("100", "10\\%"));
        assert!(matches("a_b", "a\\_b") && !matches("axb", "a\\_b"));
        assert!(LikePattern::new("a!%b", Some("!")).unwrap().matches("a%b"));
        assert!(LikePattern::new("a\\b", Some("")).unwrap().matches("a\\b"));
        assert!(LikePattern::new("%%b", Some("%")).unwrap().matches("%b"));
        assert_eq!(LikePattern::new("a\\", None).unwrap_err().sqlstate(), "22025");
        assert_eq!(LikePattern::new("a", Some("xy")).unwrap_err().sqlstate(), "22025");
    }

    #[test]
    fn case_is_ignored_on_request() {
        let pattern = LikePattern::ignoring_case("%ÄB_", None).unwrap();
        assert!(pattern.matches("xäbC") && !pattern.matches("xäb"));
        assert_eq!(pattern.shape(), LikeShape::General);
        let pattern = LikePattern::ignoring_case("Äb%", None).unwrap().of_lower_case();
        assert!(pattern.matches("äbX") && !pattern.matches("Äb"));
        assert_eq!(pattern.shape(), LikeShape::Prefix("äb"));
    }

    #[test]
    fn beginnings() {
        let beginning = |pattern: &str| LikePattern::new(pattern, None).unwrap().beginning().to_owned();
        for (pattern, expected) in
            [("ab%c", "ab"), ("%ab", ""), ("_ab", ""), ("a_b", "a"), ("ab", "ab"), ("", ""), ("a\\%b%", "a%b")]
        {
            assert_eq!(beginning(pattern), expected, "{pattern}");
        }
        assert_eq!(LikePattern::ignoring_case("ab%", None).unwrap().beginning(), "");
    }

    #[test]
    fn shapes() {
        for (pattern, expected) in [
            ("%", LikeShape::All),
            ("%%", LikeShape::All),
            ("", LikeShape::Exact("")),
            ("a\\%b", LikeShape::Exact("a%b")),
            ("ab%", LikeShape::Prefix("ab")),
            ("%ab", LikeShape::Suffix("ab")),
            ("%%ab", LikeShape::Suffix("ab")),
            ("%ab%", LikeShape::Contains("ab")),
            ("a%b", LikeShape::Parts),
            ("%a%b%", LikeShape::Parts),
            ("a_", LikeShape::General),
        ] {
            assert_eq!(LikePattern::new(pattern, None).unwrap().shape(), expected, "{pattern}");
        }
        let parts = LikePattern::new("%special%requests%", None).unwrap();
        assert_eq!(parts.literals(), Some(vec!["", "special", "requests", ""]));
    }
}
