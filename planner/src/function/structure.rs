//! The functions of structs, each of which says the type of the struct that it makes or takes apart.

use super::{Function, debug_word, type_of_word, type_word};
use crate::types::DataType;
use serde::{Deserialize, Serialize};

/// A function of structs of the type that stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StructFunction {
    /// The struct of its fields, any of which may be NULL.
    Make,
    /// A field by its place, a bigint from 0.
    Field,
    /// The struct that stands for all that are equal to it: numerics without needless zeros, intervals of one form.
    Canonical,
    /// The struct of an object of JSON: the text, and of a type that is zoned the zone.
    OfJson,
    /// The fields of the same names as this struct has them, NULL where there is none: a struct of the type beside it, and where
    /// one of both types is zoned the zone.
    Cast(DataType),
}

impl StructFunction {
    /// Every function without a type of its own.
    pub const ALL: [StructFunction; 4] =
        [StructFunction::Make, StructFunction::Field, StructFunction::Canonical, StructFunction::OfJson];

    /// Whether a NULL among the arguments need not make NULL.
    pub fn sees_nulls(self) -> bool {
        self == StructFunction::Make
    }

    /// Whether a call can be NULL though no argument is.
    pub fn makes_null(self) -> bool {
        matches!(self, StructFunction::Field | StructFunction::OfJson)
    }

    /// Whether it cannot fail.
    pub fn is_total(self) -> bool {
        matches!(self, StructFunction::Make | StructFunction::Field | StructFunction::Canonical)
    }
}

/// The word of a function in a program's text form.
pub(super) fn word_of(function: StructFunction, of: DataType) -> String {
    match function {
        StructFunction::Cast(to) => format!("struct_cast_of_{}_to_{}", type_word(of), type_word(to)),
        plain => format!("struct_{}_of_{}", debug_word(&plain), type_word(of)),
    }
}

/// The function of a word that [`word_of`] made.
pub(super) fn function_of_word(word: &str) -> Option<Function> {
    if let Some(types) = word.strip_prefix("struct_cast_of_") {
        // The names of fields are in hexadecimal digits, so that no type's word has `_to_` in it.
        let (from, to) = types.split_once("_to_")?;
        return Some(Function::Struct(StructFunction::Cast(type_of_word(to)?), type_of_word(from)?));
    }
    let named = |function: &StructFunction| {
        let of = word.strip_prefix(&format!("struct_{}_of_", debug_word(function)))?;
        Some(Function::Struct(*function, type_of_word(of)?))
    };
    StructFunction::ALL.iter().find_map(named)
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn of_hex(hex: &str) -> Option<String> {
    let bytes = (0..hex.len() / 2).map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

/// A struct's type in one word: `struct_`, then the name and the type's word of each field in hexadecimal digits, which x and y
/// separate.
pub(super) fn type_word_of(fields: &[(String, DataType)]) -> String {
    let words = fields.iter().map(|(name, of)| format!("{}x{}", hex(name), hex(&type_word(*of))));
    format!("struct_{}", words.collect::<Vec<_>>().join("y"))
}

/// The type of a word behind `struct_`.
pub(super) fn type_of(words: &str) -> Option<DataType> {
    let field = |word: &str| {
        let (name, of) = word.split_once('x')?;
        Some((of_hex(name)?, type_of_word(&of_hex(of)?)?))
    };
    words.split('y').map(field).collect::<Option<Vec<_>>>().map(DataType::structure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        let inner = DataType::structure(vec![("B c".to_owned(), DataType::list(DataType::decimal(9, 2)))]);
        let of = DataType::structure(vec![
            ("a_to_b".to_owned(), DataType::Integer),
            (String::new(), inner),
            ("é".to_owned(), DataType::Null),
        ]);
        let functions = StructFunction::ALL.into_iter().chain([StructFunction::Cast(inner)]);
        for data_type in [inner, of, DataType::list(of)] {
            assert_eq!(type_of_word(&type_word(data_type)), Some(data_type));
        }
        for function in functions.map(|function| Function::Struct(function, of)) {
            let word = super::super::word_of(function).expect("it has a word");
            assert!(word.chars().all(|letter| letter.is_alphanumeric() || letter == '_'), "{word}");
            assert_eq!(super::super::function_of_word(&word), Some(function), "{word}");
        }
    }
}
