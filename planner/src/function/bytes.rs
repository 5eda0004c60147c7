//! The functions of bytes (`evaluate/bytes_parts`). A bytea is its hexadecimal digits.

use super::TrimSide;
use serde::{Deserialize, Serialize};

/// A function of a bytea, or one that gives one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BytesFunction {
    /// `encode(bytea, format)` of a format that is known at run time.
    Encode,
    /// `decode(text, format)`.
    Decode,
    /// `convert_from(bytea, encoding)`: a text.
    FromEncoding,
    /// `convert_to(text, encoding)`.
    ToEncoding,
    /// `convert(bytea, from, to)`.
    Convert,
    /// `get_byte(bytea, n)`, from 0.
    GetByte,
    /// `set_byte(bytea, n, value)`.
    SetByte,
    /// `get_bit(bytea, n)`: a bigint from 0, the lowest bit of a byte first.
    GetBit,
    /// `set_bit(bytea, n, value)`.
    SetBit,
    /// `bit_count(bytea)`.
    BitCount,
    /// `position(part in bytea)`: arguments bytea, part.
    Position,
    /// `substring(bytea, from[, count])`.
    Substring,
    /// `overlay(bytea, new, from[, count])`.
    Overlay,
    /// `btrim(bytea, bytes)` and its kin.
    Trim(TrimSide),
    /// `to_base64(bytea)`, on one line.
    ToBase64,
}

impl BytesFunction {
    /// Every function.
    pub const ALL: [BytesFunction; 17] = [
        BytesFunction::Encode,
        BytesFunction::Decode,
        BytesFunction::FromEncoding,
        BytesFunction::ToEncoding,
        BytesFunction::Convert,
        BytesFunction::GetByte,
        BytesFunction::SetByte,
        BytesFunction::GetBit,
        BytesFunction::SetBit,
        BytesFunction::BitCount,
        BytesFunction::Position,
        BytesFunction::Substring,
        BytesFunction::Overlay,
        BytesFunction::Trim(TrimSide::Both),
        BytesFunction::Trim(TrimSide::Leading),
        BytesFunction::Trim(TrimSide::Trailing),
        BytesFunction::ToBase64,
    ];

    /// Whether it has a value for all arguments.
    pub(crate) fn is_total(self) -> bool {
        use BytesFunction as B;
        matches!(self, B::BitCount | B::Position | B::Trim(_) | B::ToBase64)
    }
}

/// The length of what a function of the SHA-2 family gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are the numbers of bits")]
pub enum ShaBits {
    Bits224,
    Bits256,
    Bits384,
    Bits512,
}

impl ShaBits {
    /// Every length.
    pub const ALL: [ShaBits; 4] = [ShaBits::Bits224, ShaBits::Bits256, ShaBits::Bits384, ShaBits::Bits512];
}

/// A way to write bytes as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are the names of the formats")]
pub enum ByteFormat {
    Hex,
    Base64,
    Escape,
}

impl ByteFormat {
    /// The format of a name.
    pub fn named(name: &str) -> Option<ByteFormat> {
        match name.to_ascii_lowercase().as_str() {
            "hex" => Some(ByteFormat::Hex),
            "base64" => Some(ByteFormat::Base64),
            "escape" => Some(ByteFormat::Escape),
            _ => None,
        }
    }
}
