//! Functions of strings: LIKE and its kin against a constant, substrings as views, lengths.

use super::{Call, strict_nulls};
use crate::cpu::bitmap::Bitmap;
use crate::cpu::vector::{Register, TextVector, Vector, VectorData};
use memchr::memmem::Finder;
use multiloop_planner::evaluate::like::{LikePattern, LikeShape};
use multiloop_planner::function::Function;

/// Does the functions of strings, if it can: false if not.
pub fn call(call: &Call<'_>, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let Some(VectorData::Text(texts)) = arguments.first().map(|argument| &argument.data) else { return false };
    if arguments[0].constant || arguments[1..].iter().any(|argument| !argument.constant || argument.nulls.is_some()) {
        return false;
    }
    if let Some(test) = Test::new(call.function, &arguments[1..]) {
        let mut bits = out.take_bool();
        test.fill(texts, &mut bits);
        let nulls = strict_nulls(arguments, len, out);
        out.set(len, VectorData::Bool(bits), nulls);
        return true;
    }
    match call.function {
        Function::Substring if call.register == Register::Text => substring(texts, arguments, len, out),
        Function::Cast if call.types[0] == call.result || call.result == multiloop_planner::DataType::Text => {
            let mut taken = out.take_text();
            taken.copy_from(texts);
            let nulls = strict_nulls(arguments, len, out);
            out.set(len, VectorData::Text(taken), nulls);
            true
        }
        _ => false,
    }
}

/// A yes-or-no question to a string, with everything but the string known.
pub(crate) enum Test {
    Prefix(Vec<u8>),
    Suffix(Vec<u8>),
    Exact(Vec<u8>),
    /// Parts in order without overlap, anywhere.
    Parts(Vec<Finder<'static>>),
    Pattern(LikePattern),
}

impl Test {
    /// The test that a function is with these constants; none if it is not one, or if it is an error.
    pub(crate) fn new(function: Function, constants: &[&Vector]) -> Option<Test> {
        let text = constants.first()?.text(0)?;
        let escape = match constants.get(1) {
            Some(escape) => Some(escape.text(0)?),
            None => None,
        };
        let pattern = match function {
            Function::Like => LikePattern::new(text, escape).ok()?,
            Function::ILike => LikePattern::ignoring_case(text, escape).ok()?,
            Function::StartsWith => return Some(Test::Prefix(text.into())),
            Function::EndsWith => return Some(Test::Suffix(text.into())),
            Function::Contains => return Some(Test::Parts(vec![finder(text)])),
            _ => return None,
        };
        Some(match pattern.shape() {
            LikeShape::All => Test::Prefix(Vec::new()),
            LikeShape::Exact(text) => Test::Exact(text.into()),
            LikeShape::Prefix(text) => Test::Prefix(text.into()),
            LikeShape::Suffix(text) => Test::Suffix(text.into()),
            LikeShape::Contains(text) => Test::Parts(vec![finder(text)]),
            LikeShape::Parts => match pattern.literals() {
                Some(parts) if parts[0].is_empty() && parts[parts.len() - 1].is_empty() => {
                    Test::Parts(parts.into_iter().filter(|part| !part.is_empty()).map(finder).collect())
                }
                _ => Test::Pattern(pattern),
            },
            LikeShape::General => Test::Pattern(pattern),
        })
    }

    /// Whether a string passes.
    pub(crate) fn passes(&self, bytes: &[u8], text: impl FnOnce() -> bool) -> bool {
        match self {
            Test::Prefix(prefix) => bytes.starts_with(prefix),
            Test::Suffix(suffix) => bytes.ends_with(suffix),
            Test::Exact(exact) => bytes == exact,
            Test::Parts(parts) => holds(bytes, parts),
            Test::Pattern(_) => text(),
        }
    }

    fn fill(&self, texts: &TextVector, bits: &mut Bitmap) {
        bits.fill(texts.len(), |tuple| {
            let whole = || if let Test::Pattern(pattern) = self { pattern.matches(texts.get(tuple)) } else { false };
            self.passes(texts.bytes(tuple), whole)
        });
    }
}

fn finder(text: &str) -> Finder<'static> {
    Finder::new(text).into_owned()
}

/// Whether all parts are found, one behind the other.
pub(crate) fn holds(mut bytes: &[u8], parts: &[Finder<'_>]) -> bool {
    for part in parts {
        let Some(at) = part.find(bytes) else { return false };
        bytes = &bytes[at + part.needle().len()..];
    }
    true
}

/// `substring(text, from[, count])` as views into the same bytes.
fn substring(texts: &TextVector, arguments: &[&Vector], len: usize, out: &mut Vector) -> bool {
    let Some(start) = arguments[1].integer(0).and_then(|start| i64::try_from(start).ok()) else { return false };
    let start = start.saturating_sub(1);
    let end = match arguments.get(2).map(|count| count.integer(0)) {
        None => i64::MAX,
        Some(Some(count)) if count >= 0 => start.saturating_add(i64::try_from(count).unwrap_or(i64::MAX)),
        Some(_) => return false,
    };
    let place = |position: i64| usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    let (start, end) = (place(start), place(end.max(start)));
    let mut taken = out.take_text();
    taken.slices_of(texts, |text| {
        if text.is_ascii() {
            return (start.min(text.len()), end.min(text.len()));
        }
        let byte = |position: usize| text.char_indices().nth(position).map_or(text.len(), |(at, _)| at);
        (byte(start), byte(end))
    });
    let nulls = strict_nulls(arguments, len, out);
    out.set(len, VectorData::Text(taken), nulls);
    true
}
