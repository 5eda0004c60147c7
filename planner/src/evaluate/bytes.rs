//! bytea and uuid. Bytes are kept as hexadecimal digits, two a byte, in lower case: so they are told apart and ordered as the
//! bytes are.

use super::Call;
use super::parse::invalid;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ByteFormat, Function, ShaBits};
use crate::meter;
use crate::value::Value;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use md5::{Digest, Md5};
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// Bytes that are passed at once; an even number, so that digits stay in pairs.
const PART: usize = 1 << 16;

/// Characters of a line of base64.
const LINE: usize = 76;

/// Where the hyphens of a uuid stand.
const HYPHENS: [usize; 4] = [8, 12, 16, 20];

/// The digits of bytes.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |four: u8| char::from(DIGITS[usize::from(four)]);
    let mut digits = String::with_capacity(bytes.len() * 2);
    for part in bytes.chunks(PART) {
        if !meter::goes_on(part.len() * 2) {
            break;
        }
        digits.extend(part.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    }
    digits
}

/// The bytes of digits; none of what are none.
pub fn of_hex(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for part in digits.as_bytes().chunks(PART) {
        if !meter::goes_on(part.len() * 2) {
            break;
        }
        for pair in part.chunks(2) {
            bytes.push(value(pair[0])? << 4 | value(*pair.get(1)?)?);
        }
    }
    Some(bytes)
}

/// The digits of a bytea's text: `\x` and digits, or characters with `\\` and `\ooo` among them.
pub(super) fn read(text: &str) -> Result<String> {
    match text.strip_prefix("\\x") {
        Some(digits) => read_hex(digits),
        None => read_escapes(text),
    }
}

/// Blanks may stand between bytes.
fn read_hex(digits: &str) -> Result<String> {
    let mut read = String::with_capacity(digits.len());
    let mut letters = digits.chars();
    while let Some(letter) = letters.next() {
        meter::spend(4)?;
        if matches!(letter, ' ' | '\n' | '\t' | '\r') {
            continue;
        }
        let Some(second) = letters.next() else {
            let message = "invalid hexadecimal data: odd number of digits";
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        };
        for digit in [letter, second] {
            if !digit.is_ascii_hexdigit() {
                let message = format!("invalid hexadecimal digit: \"{digit}\"");
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
            read.push(digit.to_ascii_lowercase());
        }
    }
    Ok(read)
}

fn read_escapes(text: &str) -> Result<String> {
    let mut read = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        meter::spend(2)?;
        let (byte, length) = match tail {
            _ if first != b'\\' => (first, 1),
            [b'\\', ..] => (b'\\', 2),
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 4)
            }
            _ => return Err(Error::new(ErrorKind::InvalidText, "invalid input syntax for type bytea")),
        };
        read.push(byte);
        rest = &rest[length..];
    }
    Ok(to_hex(&read))
}

/// A uuid in its own form: hyphens may stand after any four digits, braces around all.
pub(super) fn read_uuid(text: &str) -> Result<String> {
    let inner = text.strip_prefix('{').map_or(Some(text), |rest| rest.strip_suffix('}'));
    let mut uuid = String::with_capacity(36);
    let mut digits = 0;
    let mut after_hyphen = false;
    for letter in inner.unwrap_or_default().chars() {
        if letter == '-' && digits > 0 && digits % 4 == 0 && digits < 32 && !after_hyphen {
            after_hyphen = true;
            continue;
        }
        if !letter.is_ascii_hexdigit() || digits == 32 {
            return Err(invalid(text, "uuid"));
        }
        if HYPHENS.contains(&digits) {
            uuid.push('-');
        }
        uuid.push(letter.to_ascii_lowercase());
        (digits, after_hyphen) = (digits + 1, false);
    }
    if digits == 32 { Ok(uuid) } else { Err(invalid(text, "uuid")) }
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let bytes = || of_hex(call.text(0)?).ok_or_else(|| Error::internal("bytes are kept as digits"));
    Ok(Some(match call.function {
        Function::Encode(format) => Value::text(encode(&bytes()?, format)),
        Function::Decode(format) => Value::text(decode(call.text(0)?, format)?),
        Function::Utf8 => Value::text(to_hex(call.text(0)?.as_bytes())),
        Function::Md5 => digest::<Md5>(&bytes()?)?,
        Function::Sha(ShaBits::Bits224) => digest::<Sha224>(&bytes()?)?,
        Function::Sha(ShaBits::Bits256) => digest::<Sha256>(&bytes()?)?,
        Function::Sha(ShaBits::Bits384) => digest::<Sha384>(&bytes()?)?,
        Function::Sha(ShaBits::Bits512) => digest::<Sha512>(&bytes()?)?,
        Function::ByteLength => Value::Int(call.text(0)?.len() as i64 / 2),
        _ => return Ok(None),
    }))
}

/// The digits of a digest.
fn digest<D: Digest>(bytes: &[u8]) -> Result<Value> {
    let mut digest = D::new();
    for part in bytes.chunks(PART) {
        meter::spend(part.len() * 4)?;
        digest.update(part);
    }
    Ok(Value::text(to_hex(&digest.finalize())))
}

pub(super) fn encode(bytes: &[u8], format: ByteFormat) -> String {
    match format {
        ByteFormat::Hex => to_hex(bytes),
        ByteFormat::Base64 => {
            let whole = base64::engine::general_purpose::STANDARD.encode(bytes);
            let lines = whole.as_bytes().chunks(LINE).map(|line| String::from_utf8_lossy(line).into_owned());
            lines.collect::<Vec<_>>().join("\n")
        }
        ByteFormat::Escape => {
            let escaped = |byte: &u8| match byte {
                0 | 0x80.. => format!("\\{byte:03o}"),
                b'\\' => "\\\\".to_owned(),
                plain => char::from(*plain).to_string(),
            };
            let parts = bytes.chunks(PART).take_while(|part| meter::goes_on(part.len() * 32));
            parts.flatten().map(escaped).collect()
        }
    }
}

pub(super) fn decode(text: &str, format: ByteFormat) -> Result<String> {
    match format {
        ByteFormat::Hex => read_hex(text),
        ByteFormat::Escape => read_escapes(text),
        ByteFormat::Base64 => {
            let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
            let engine = GeneralPurpose::new(&alphabet::STANDARD, config);
            let solid: String = text.chars().filter(|letter| !matches!(letter, ' ' | '\t' | '\n' | '\r')).collect();
            let bytes = engine.decode(solid).map_err(|error| {
                let message = match error {
                    base64::DecodeError::InvalidByte(_, symbol) => {
                        format!("invalid symbol \"{}\" found while decoding base64 sequence", char::from(symbol))
                    }
                    _ => "invalid base64 end sequence".to_owned(),
                };
                Error::new(ErrorKind::InvalidParameter, message)
            })?;
            Ok(to_hex(&bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_and_show() {
        for (text, digits) in [
            ("", ""),
            ("x", "78"),
            ("\\xDE adBE", "deadbe"),
            ("a\\\\b\\001", "615c6201"),
            ("é", "c3a9"),
            ("\\377", "ff"),
        ] {
            assert_eq!(read(text).unwrap(), digits, "{text}");
        }
        for (text, state) in
            [("\\x1", "22023"), ("\\xg0", "22023"), ("\\4", "22P02"), ("\\400", "22P02"), ("\\", "22P02")]
        {
            assert_eq!(read(text).unwrap_err().sqlstate(), state, "{text}");
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(of_hex(&to_hex(&all)), Some(all.clone()));
        assert_eq!(of_hex("0"), None);
        for format in [ByteFormat::Hex, ByteFormat::Base64, ByteFormat::Escape] {
            assert_eq!(decode(&encode(&all, format), format).unwrap(), to_hex(&all), "{format:?}");
        }
        assert_eq!(encode(&all, ByteFormat::Base64).lines().next().map(str::len), Some(LINE));
        assert_eq!(decode("AB", ByteFormat::Base64).unwrap_err().sqlstate(), "22023");
        assert_eq!(decode("é", ByteFormat::Base64).unwrap_err().sqlstate(), "22023");
    }

    #[test]
    fn uuids() {
        let uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
        for text in [
            uuid,
            "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
            "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
            "a0eebc999c0b4ef8bb6d6bb9bd380a11",
        ] {
            assert_eq!(read_uuid(text).unwrap(), uuid);
        }
        for text in [
            "",
            "{}",
            "a0eebc99",
            "{a0eebc999c0b4ef8bb6d6bb9bd380a11",
            "a0eebc999c0b4ef8bb6d6bb9bd380a111",
            "a0eebc99--9c0b4ef8bb6d6bb9bd380a11",
            "a0eebc999c0b4ef8bb6d6bb9bd380a11-",
            "g0eebc999c0b4ef8bb6d6bb9bd380a11",
        ] {
            assert!(read_uuid(text).is_err(), "{text}");
        }
    }
}
