//! Functions of texts.

use super::{Described, Signature, described, of_text, signature};
use crate::function::{Function as F, TrimSide};
use crate::types::DataType::{self, Boolean, Integer, Text};

pub(super) const SIGNATURES: &[Signature] = &[
    of_text("lower", F::Lower, Text, "the text in lower case"),
    of_text("upper", F::Upper, Text, "the text in upper case"),
    of_text("initcap", F::InitCap, Text, "each word with a capital first"),
    of_text("length", F::Length, Integer, "the number of characters"),
    of_text("char_length", F::Length, Integer, "the number of characters"),
    of_text("character_length", F::Length, Integer, "the number of characters"),
    of_text("octet_length", F::OctetLength, Integer, "the number of bytes"),
    of_text("reverse", F::Reverse, Text, "the characters in reverse order"),
    of_text("ascii", F::Ascii, Integer, "the code point of the first character"),
    signature("chr", F::Chr, &[Integer], 1, Text, "the character of a code point"),
    signature("substr", F::Substring, &[Text, Integer, Integer], 2, Text, "the part from a position, of a length"),
    signature("substring", F::Substring, &[Text, Integer, Integer], 2, Text, "the part from a position, of a length"),
    signature("left", F::Left, &[Text, Integer], 2, Text, "the first characters; of -n all but the last n"),
    signature("right", F::Right, &[Text, Integer], 2, Text, "the last characters; of -n all but the first n"),
    signature("lpad", F::LeftPad, &[Text, Integer, Text], 2, Text, "filled up on the left to a length, or cut to it"),
    signature("rpad", F::RightPad, &[Text, Integer, Text], 2, Text, "filled up on the right to a length, or cut to it"),
    signature("btrim", F::Trim(TrimSide::Both), &[Text, Text], 1, Text, "without these characters at both ends"),
    signature("ltrim", F::Trim(TrimSide::Leading), &[Text, Text], 1, Text, "without these characters at its start"),
    signature("rtrim", F::Trim(TrimSide::Trailing), &[Text, Text], 1, Text, "without these characters at its end"),
    signature("replace", F::Replace, &[Text, Text, Text], 3, Text, "every occurrence of the second text replaced"),
    signature("translate", F::Translate, &[Text, Text, Text], 3, Text, "characters replaced one by one"),
    signature("strpos", F::Position, &[Text, Text], 2, Integer, "where the second text begins in the first, or 0"),
    signature("starts_with", F::StartsWith, &[Text, Text], 2, Boolean, "whether the first text begins with the second"),
    signature("ends_with", F::EndsWith, &[Text, Text], 2, Boolean, "whether the first text ends with the second"),
    signature("contains", F::Contains, &[Text, Text], 2, Boolean, "whether the second text occurs in the first"),
    of_text("quote_ident", F::QuoteIdentifier, Text, "the text as an SQL identifier, quoted where it has to be"),
    signature("to_hex", F::ToHex, &[Integer], 1, Text, "the number in hexadecimal digits"),
    signature("to_hex", F::ToHex, &[DataType::BigInt], 1, Text, "the number in hexadecimal digits"),
    signature("repeat", F::Repeat, &[Text, Integer], 2, Text, "the text so many times"),
    signature("split_part", F::SplitPart, &[Text, Text, Integer], 3, Text, "the n-th part between delimiters"),
];

pub(super) const DESCRIBED: &[Described] = &[
    described(&["concat"], "any, …", "text", "the texts of all arguments that are not NULL"),
    described(&["concat_ws"], "text, any, …", "text", "the same with a separator between"),
    described(&["format"], "text, any, …", "text", "the text with %s, %I and %L replaced by arguments"),
    described(&["overlay"], "text, text, integer [, integer]", "text", "a part replaced by the second text"),
    described(&["parse_ident"], "text [, boolean]", "text[]", "the parts of a qualified name"),
    described(&["quote_literal"], "any", "text", "the value as an SQL literal"),
    described(&["quote_nullable"], "any", "text", "the value as an SQL literal, or NULL"),
    described(&["to_char"], "a number, timestamp or interval, text", "text", "the value in the form of a template"),
];
