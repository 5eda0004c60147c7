//! The names of functions in the text form: the variant's name in snake case, `extract_year` with its part.

use crate::function::{DatePart, Function, TrimSide, debug_word, function_of_word, word_of};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// The name of a function.
pub(super) fn function_name(function: Function) -> String {
    word_of(function).unwrap_or_else(|| debug_word(&function))
}

/// The function of a name.
pub(super) fn function_of(name: &str) -> Option<Function> {
    if let Some(function) = function_of_word(name) {
        return Some(function);
    }
    if let Some(part) = name.strip_prefix("extract_") {
        return variant::<DatePart>(part).map(Function::Extract);
    }
    if let Some(part) = name.strip_prefix("date_trunc_") {
        return variant::<DatePart>(part).map(Function::DateTrunc);
    }
    if let Some(digits) = name.strip_prefix("round_seconds_") {
        return digits.parse().ok().map(Function::RoundSeconds);
    }
    // Not what only begins so, as `trim_scale`.
    if let Some(side) = name.strip_prefix("trim_").and_then(variant::<TrimSide>) {
        return Some(Function::Trim(side));
    }
    variant(name)
}

/// The unit variant whose name in snake case this is.
fn variant<'de, T: Deserialize<'de>>(name: &str) -> Option<T> {
    let mut camel = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    let deserializer: StrDeserializer<'_, Error> = camel.as_str().into_deserializer();
    T::deserialize(deserializer).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for function in [
            Function::Add,
            Function::ILike,
            Function::IsNotDistinct,
            Function::Log10,
            Function::Atan2,
            Function::Extract(DatePart::IsoDayOfWeek),
            Function::DateTrunc(DatePart::Month),
            Function::Trim(TrimSide::Leading),
            Function::TrimScale,
        ] {
            assert_eq!(function_of(&function_name(function)), Some(function));
        }
        assert_eq!(function_of("no_such"), None);
        assert_eq!(function_of("extract"), None);
    }
}
