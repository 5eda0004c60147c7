//! Parts of a bytea, single bytes and bits, and texts in encodings (`BytesFunction`).

use super::bytes::{decode, encode, of_hex, to_hex};
use super::{Call, text};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ByteFormat, BytesFunction, Function, TrimSide};
use crate::value::Value;
use base64::Engine as _;

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    use BytesFunction as B;
    let Function::Bytes(function) = call.function else { return Ok(None) };
    let bytes = |at: usize| of_hex(call.text(at)?).ok_or_else(|| Error::internal("bytes are kept as digits"));
    let shown = |bytes: &[u8]| Value::text(to_hex(bytes));
    Ok(Some(match function {
        B::Encode => Value::text(encode(&bytes(0)?, format(call.text(1)?)?)),
        B::Decode => Value::text(decode(call.text(0)?, format(call.text(1)?)?)?),
        B::FromEncoding => Value::text(from_encoding(&bytes(0)?, Encoding::named(call.text(1)?, "source")?)?),
        B::ToEncoding => shown(&to_encoding(call.text(0)?, Encoding::named(call.text(1)?, "destination")?)?),
        B::Convert => {
            let text = from_encoding(&bytes(0)?, Encoding::named(call.text(1)?, "source")?)?;
            shown(&to_encoding(&text, Encoding::named(call.text(2)?, "destination")?)?)
        }
        B::GetByte | B::SetByte | B::GetBit | B::SetBit => single(function, bytes(0)?, call)?,
        B::BitCount => Value::Int(bytes(0)?.iter().map(|byte| i64::from(byte.count_ones())).sum()),
        B::Position => {
            let (bytes, part) = (bytes(0)?, bytes(1)?);
            let found = match part.len() {
                0 => Some(0),
                length => bytes.windows(length).position(|window| window == part),
            };
            Value::Int(found.map_or(0, |at| at as i64 + 1))
        }
        B::Substring => {
            let count = if call.arguments.len() > 2 { Some(call.int(2)?) } else { None };
            shown(part(&bytes(0)?, call.int(1)?, count)?)
        }
        B::Overlay => {
            let (bytes, new) = (bytes(0)?, bytes(1)?);
            let from = call.int(2)?;
            let count = if call.arguments.len() > 3 { call.int(3)? } else { new.len() as i64 };
            if from <= 0 {
                return Err(Error::new(ErrorKind::InvalidSubstring, "negative substring length not allowed"));
            }
            let rest = part(&bytes, from.saturating_add(count), None)?;
            let made = [part(&bytes, 1, Some(from - 1))?, &new[..], rest].concat();
            if made.len() > text::BYTES_MAX {
                return Err(text::too_long());
            }
            shown(&made)
        }
        B::Trim(side) => {
            let (bytes, among) = (bytes(0)?, bytes(1)?);
            let mut rest = &bytes[..];
            while side != TrimSide::Trailing && rest.first().is_some_and(|first| among.contains(first)) {
                rest = &rest[1..];
            }
            while side != TrimSide::Leading && rest.last().is_some_and(|last| among.contains(last)) {
                rest = &rest[..rest.len() - 1];
            }
            shown(rest)
        }
        B::ToBase64 => Value::text(base64::engine::general_purpose::STANDARD.encode(bytes(0)?)),
    }))
}

/// A byte or a bit by its place, read or replaced.
fn single(function: BytesFunction, mut bytes: Vec<u8>, call: &Call) -> Result<Value> {
    use BytesFunction as B;
    Ok(match function {
        B::GetByte => Value::Int(bytes[place(call.int(1)?, bytes.len() as i64)?].into()),
        B::SetByte => {
            let at = place(call.int(1)?, bytes.len() as i64)?;
            // Of the new value its last eight bits.
            bytes[at] = call.int(2)? as u8;
            Value::text(to_hex(&bytes))
        }
        B::GetBit => {
            let at = place(call.int(1)?, bytes.len() as i64 * 8)?;
            Value::Int(i64::from(bytes[at / 8] >> (at % 8) & 1))
        }
        B::SetBit => {
            let at = place(call.int(1)?, bytes.len() as i64 * 8)?;
            let bit = 1 << (at % 8);
            match call.int(2)? {
                0 => bytes[at / 8] &= !bit,
                1 => bytes[at / 8] |= bit,
                _ => return Err(Error::new(ErrorKind::InvalidParameter, "new bit must be 0 or 1")),
            }
            Value::text(to_hex(&bytes))
        }
        _ => return Err(Error::internal("a function of single bytes and bits")),
    })
}

/// A format of bytes that is known at run time.
fn format(name: &str) -> Result<ByteFormat> {
    let message = || Error::new(ErrorKind::InvalidParameter, format!("unrecognized encoding: \"{name}\""));
    ByteFormat::named(name).ok_or_else(message)
}

/// A place from 0 that is there.
fn place(at: i64, length: i64) -> Result<usize> {
    let is_there = (0..length).contains(&at);
    usize::try_from(at).ok().filter(|_| is_there).ok_or_else(|| {
        let message = format!("index {at} out of valid range, 0..{}", length - 1);
        Error::new(ErrorKind::ArraySubscript, message)
    })
}

/// Bytes from a place, from 1, as far as there are any.
fn part(bytes: &[u8], from: i64, count: Option<i64>) -> Result<&[u8]> {
    let start = from.saturating_sub(1);
    let end = match count {
        None => i64::MAX,
        Some(count) if count < 0 => {
            return Err(Error::new(ErrorKind::InvalidSubstring, "negative substring length not allowed"));
        }
        Some(count) => start.saturating_add(count),
    };
    let within = |at: i64| usize::try_from(at.max(0)).unwrap_or(usize::MAX).min(bytes.len());
    Ok(if end <= start { &[] } else { &bytes[within(start)..within(end)] })
}

/// An encoding of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
    Windows1252,
    /// Bytes as they are, which have to be a text.
    Ascii,
}

impl Encoding {
    /// An encoding by its name, in which letters and digits alone count.
    ///
    /// # Errors
    /// 22023 for a name that PostgreSQL does not have, 0A000 for what is not here.
    fn named(name: &str, what: &str) -> Result<Self> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        Ok(match plain.as_str() {
            "utf8" | "unicode" => Encoding::Utf8,
            "latin1" | "iso88591" => Encoding::Latin1,
            "win1252" | "windows1252" => Encoding::Windows1252,
            "sqlascii" => Encoding::Ascii,
            known if KNOWN.contains(&known) => {
                return Err(Error::unsupported(format_args!("the encoding {name} is")));
            }
            _ => {
                let message = format!("invalid {what} encoding name \"{name}\"");
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
        })
    }

    fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF8",
            Encoding::Latin1 => "LATIN1",
            Encoding::Windows1252 => "WIN1252",
            Encoding::Ascii => "SQL_ASCII",
        }
    }
}

/// Encodings of PostgreSQL's that are not here.
const KNOWN: [&str; 40] = [
    "big5",
    "euccn",
    "eucjis2004",
    "eucjp",
    "euckr",
    "euctw",
    "gb18030",
    "gbk",
    "iso88592",
    "iso88593",
    "iso88594",
    "iso88595",
    "iso88596",
    "iso88597",
    "iso88598",
    "iso88599",
    "johab",
    "koi8r",
    "koi8u",
    "latin10",
    "latin2",
    "latin3",
    "latin4",
    "latin5",
    "latin6",
    "latin7",
    "latin8",
    "latin9",
    "muleinternal",
    "shiftjis2004",
    "sjis",
    "uhc",
    "win1250",
    "win1251",
    "win1253",
    "win1254",
    "win1255",
    "win1256",
    "win1257",
    "win866",
];

/// What WIN1252 has from 0x80 to 0x9F; the blanks are no characters.
const WINDOWS: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

fn from_encoding(bytes: &[u8], encoding: Encoding) -> Result<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(" ");
    let wrong = |bytes: &[u8], name: &str| {
        let message = format!("invalid byte sequence for encoding \"{name}\": {}", hex(bytes));
        Err(Error::new(ErrorKind::InvalidUtf8, message))
    };
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return wrong(&bytes[at..=at], encoding.name());
    }
    match encoding {
        Encoding::Utf8 | Encoding::Ascii => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => {
                let at = error.valid_up_to();
                let length = match bytes[at] {
                    0xC0..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF7 => 4,
                    _ => 1,
                };
                wrong(&bytes[at..(at + length).min(bytes.len())], "UTF8")
            }
        },
        Encoding::Latin1 => Ok(bytes.iter().copied().map(char::from).collect()),
        Encoding::Windows1252 => {
            let mut text = String::with_capacity(bytes.len());
            for &byte in bytes {
                text.push(match byte {
                    0x80..=0x9F => match WINDOWS.chars().nth(usize::from(byte - 0x80)) {
                        Some(letter) if letter != ' ' => letter,
                        _ => return Err(untranslatable(&[byte], encoding, Encoding::Utf8)),
                    },
                    plain => char::from(plain),
                });
            }
            Ok(text)
        }
    }
}

fn untranslatable(bytes: &[u8], from: Encoding, to: Encoding) -> Error {
    let hex = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(" ");
    let message = format!(
        "character with byte sequence {hex} in encoding \"{}\" has no equivalent in encoding \"{}\"",
        from.name(),
        to.name()
    );
    Error::new(ErrorKind::UntranslatableCharacter, message)
}

fn to_encoding(text: &str, encoding: Encoding) -> Result<Vec<u8>> {
    if matches!(encoding, Encoding::Utf8 | Encoding::Ascii) {
        return Ok(text.as_bytes().to_vec());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        let code = u32::from(letter);
        let is_own = encoding == Encoding::Windows1252 && (0x80..0xA0).contains(&code);
        let byte = match u8::try_from(code) {
            Ok(byte) if !is_own => Some(byte),
            _ if encoding == Encoding::Windows1252 && letter != ' ' => {
                WINDOWS.chars().position(|known| known == letter).and_then(|at| u8::try_from(at + 0x80).ok())
            }
            _ => None,
        };
        let mut buffer = [0; 4];
        let shown = letter.encode_utf8(&mut buffer).as_bytes();
        bytes.push(byte.ok_or_else(|| untranslatable(shown, Encoding::Utf8, encoding))?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        assert_eq!(WINDOWS.chars().count(), 32);
        assert_eq!(to_encoding("é€", Encoding::Windows1252).unwrap(), [0xE9, 0x80]);
        assert_eq!(from_encoding(&[0xE9, 0x80], Encoding::Windows1252).unwrap(), "é€");
        assert_eq!(to_encoding("€", Encoding::Latin1).unwrap_err().sqlstate(), "22P05");
        assert_eq!(from_encoding(&[0xFF], Encoding::Utf8).unwrap_err().sqlstate(), "22021");
        assert_eq!(Encoding::named("nope", "source").unwrap_err().sqlstate(), "22023");
        assert_eq!(Encoding::named("EUC_JP", "source").unwrap_err().sqlstate(), "0A000");
    }
}
