//! Values of logical types to and from text, in the form of their carriers (`types/logical.rs`).

use super::calendar::is_infinite_timestamp;
use super::parse::{invalid, is_blank};
use super::{Call, array, bits, bytes, format, json, parse, place, structure, time_with_zone, zone};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::types::{DataType, OidKind, SystemType};
use crate::value::Value;

/// The zone where nobody says another.
pub const UTC: &str = "UTC";

/// Bytes of a name, at most: PostgreSQL's NAMEDATALEN is one more.
const NAME_BYTES: usize = 63;

/// The value of a text, as PostgreSQL reads it; an instant in this zone if the text does not name one.
///
/// # Errors
/// 22P02 and its kin for a text that is no value of the type; 0A000 for the name of an object, which a catalog knows.
pub(super) fn read(text: &str, data_type: DataType, zone: &str) -> Result<Value> {
    if let Some(moment) = parse::parse_moment(text, data_type, parse::Around { zone, now: None }) {
        return moment;
    }
    Ok(match data_type {
        DataType::Oid(OidKind::Place) => Value::Int(place::read(text)?),
        DataType::Oid(kind) => Value::Int(read_oid(text, kind)?),
        DataType::Name => Value::text(truncated(text)),
        DataType::System(SystemType::AclItem) => Value::text(checked_item(text)?),
        DataType::System(_) => Value::text(text),
        DataType::InternalChar => Value::text(read_char(text)),
        DataType::Bytea => Value::text(bytes::read(text)?),
        DataType::Uuid => Value::text(bytes::read_uuid(text)?),
        bits if bits.is_bits() => Value::text(bits::read(text, bits)?),
        DataType::JsonPath => Value::text(json::path_normal(text)?),
        DataType::Json => {
            json::check(text)?;
            Value::text(text)
        }
        DataType::Jsonb => Value::text(json::normal(text)?),
        DataType::Nested(_) if !data_type.is_vector() => match (data_type.element(), data_type.labels()) {
            (Some(element), _) if data_type.is_zero_based() => {
                Value::text(array::read_numbers(text, element)?.encode(element))
            }
            (Some(element), _) if element.struct_fields().is_some() => {
                let array = match structure::read_list(text, element, zone)? {
                    Some(array) => array,
                    None => array::read(text, element, zone)?,
                };
                Value::text(array.encode(element))
            }
            (Some(element), _) => Value::text(array::read(text, element, zone)?.encode(element)),
            (_, Some(labels)) => match labels.iter().position(|label| label == text) {
                Some(place) => Value::Int(place as i64),
                None => {
                    let message = format!("invalid input value for enum {data_type}: \"{text}\"");
                    return Err(Error::new(ErrorKind::InvalidText, message));
                }
            },
            _ if data_type.struct_fields().is_some() => structure::read(text, data_type, zone)?,
            // What a row is shown as is what it is; SQL text does not come here (`builder/expression/logical.rs`).
            _ if data_type.fields().is_some() => Value::text(text),
            _ => return Err(Error::unsupported(format!("a value of type {data_type} is"))),
        },
        plain => parse::parse_value(text, plain)?,
    })
}

/// The text of a value that is not NULL; an instant in this zone.
pub(super) fn show(value: &Value, data_type: DataType, zone: &str) -> String {
    match (value, data_type) {
        (Value::Int(0), DataType::Oid(kind)) if kind.is_registered() => "-".to_owned(),
        (Value::Int(number), DataType::Oid(OidKind::Place)) => place::show(*number),
        (Value::Int(number), DataType::Oid(_)) => number.to_string(),
        (Value::Text(digits), DataType::Bytea) => format!("\\x{digits}"),
        (Value::Int(instant), DataType::TimestampTz) => show_instant(*instant, zone),
        (Value::Int(time), DataType::TimeTz) => time_with_zone::show(*time),
        (Value::Int(place), DataType::Nested(_)) => {
            let label = data_type.labels().and_then(|labels| labels.get(usize::try_from(*place).ok()?));
            label.cloned().unwrap_or_default()
        }
        (Value::Text(encoded), DataType::Nested(_)) => match data_type.element() {
            Some(element) if data_type.is_zero_based() => {
                array::show_numbers(&array::Array::decode(encoded, element).unwrap_or_default(), element)
            }
            Some(element) if element.struct_fields().is_some() => {
                structure::show_list(&array::Array::decode(encoded, element).unwrap_or_default(), element, zone)
            }
            Some(element) => array::show(&array::Array::decode(encoded, element).unwrap_or_default(), element, zone),
            None if data_type.struct_fields().is_some() => structure::show(encoded, data_type, zone),
            None => encoded.to_string(),
        },
        (Value::Text(text), logical) if logical.is_logical() => text.to_string(),
        _ => format::format_value(value, data_type),
    }
}

/// `2024-03-10 03:30:00-04`, and ` BC` behind years before 1.
fn show_instant(instant: i64, zone: &str) -> String {
    if is_infinite_timestamp(instant) {
        return format::format_timestamp(instant);
    }
    let local = zone::with_zone(zone, |zone| Ok((zone.local(instant)?, zone.offset_at(instant))));
    // A zone is checked before anything is shown in it; UTC is always right.
    let (local, offset) = local.unwrap_or((instant, 0));
    let shown = format::format_timestamp(local);
    let offset = zone::format_offset(offset);
    match shown.strip_suffix(" BC") {
        Some(shown) => format!("{shown}{offset} BC"),
        None => shown + &offset,
    }
}

/// The value, if the function is one of this file's. No argument is NULL.
pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let zone = |at: usize| if call.arguments.len() > at { call.text(at) } else { Ok(UTC) };
    Ok(Some(match call.function {
        Function::Relabel => call.arguments[0].clone(),
        Function::ReadAs(data_type) => read(call.text(0)?, data_type, zone(1)?)?,
        Function::ShowAs(data_type) => Value::text(show(&call.arguments[0], data_type, zone(1)?)),
        Function::NoObject(kind) => return Err(kind.no_object(call.text(0)?)),
        Function::NoSetting => return Err(Error::no_setting(call.text(0)?)),
        Function::CheckedOid => {
            let number = call.int(0)?;
            if u32::try_from(number).is_err() {
                return Err(Error::new(ErrorKind::NumericOverflow, "OID out of range"));
            }
            Value::Int(number)
        }
        _ => return Ok(None),
    }))
}

/// Who may do what, by whose leave: `grantee=rights/grantor`. Whether there are such roles is the business of who takes it.
fn checked_item(text: &str) -> Result<&str> {
    const RIGHTS: &str = "arwdDxtXUCTcsA";
    let wrong = |message: String| Err(Error::new(ErrorKind::InvalidText, message));
    let mut is_quoted = false;
    let sign = text.find(|letter: char| {
        is_quoted ^= letter == '"';
        letter == '=' && !is_quoted
    });
    let Some(sign) = sign else { return wrong(format!("unrecognized key word: \"{text}\"")) };
    let Some((rights, grantor)) = text[sign + 1..].split_once('/') else {
        return wrong("missing \"/\" sign".to_owned());
    };
    if !rights.chars().all(|right| right == '*' || RIGHTS.contains(right)) || rights.starts_with('*') {
        return wrong(format!("invalid mode character: must be one of \"{RIGHTS}\""));
    }
    if grantor.is_empty() { wrong("a name must follow the \"/\" sign".to_owned()) } else { Ok(text) }
}

/// The number of an oid: 32 bits, of which a minus counts back from the end.
fn read_oid(text: &str, kind: OidKind) -> Result<i64> {
    let trimmed = text.trim_matches(is_blank);
    if kind.is_registered() {
        return match trimmed {
            "-" => Ok(0),
            digits if is_number(digits) => oid_of(digits, kind),
            _ => Err(Error::unsupported(format!(
                "the name of an object as a {} where it is not a literal is",
                kind.name()
            ))),
        };
    }
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if !is_number(digits) {
        return Err(invalid(text, kind.name()));
    }
    let number = oid_of(digits, kind)?;
    Ok(if trimmed.starts_with('-') { ((1 << 32) - number) & 0xFFFF_FFFF } else { number })
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn oid_of(digits: &str, kind: OidKind) -> Result<i64> {
    digits.parse::<u32>().map(i64::from).map_err(|_| {
        let message = format!("value \"{digits}\" is out of range for type {}", kind.name());
        Error::new(ErrorKind::NumericOverflow, message)
    })
}

/// The first bytes of a name, whole characters.
pub(super) fn truncated(text: &str) -> &str {
    let mut end = text.len().min(NAME_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first byte of a text; one that is no ASCII is shown, and kept, as `\303`.
fn read_char(text: &str) -> String {
    let octal = text.strip_prefix('\\').filter(|digits| {
        digits.len() == 3 && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit)) && digits.as_bytes()[0] <= b'3'
    });
    let byte = match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
        Some(byte) => byte,
        None => match text.bytes().next() {
            Some(byte) => byte,
            None => return String::new(),
        },
    };
    match byte {
        0 => String::new(),
        0x80.. => format!("\\{byte:03o}"),
        _ => char::from(byte).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str, data_type: DataType) -> String {
        show(&read(text, data_type, "America/New_York").expect("it can be read"), data_type, "America/New_York")
    }

    #[test]
    fn texts() {
        let mood = DataType::enumeration("mood", vec!["sad".to_owned(), "ok".to_owned()]);
        for (text, data_type, shown) in [
            ("17", DataType::OID, "17"),
            ("-1", DataType::OID, "4294967295"),
            ("-", DataType::Oid(OidKind::Class), "-"),
            ("abc", DataType::InternalChar, "a"),
            ("é", DataType::InternalChar, "\\303"),
            ("\\101", DataType::InternalChar, "A"),
            ("ok", mood, "ok"),
            ("2024-03-10 02:30", DataType::TimestampTz, "2024-03-10 03:30:00-04"),
            ("2024-03-10 02:30 BC", DataType::TimestampTz, "2024-03-10 02:30:00-04:56:02 BC"),
            ("2024-01-01 10:00 Europe/Berlin", DataType::TimestampTz, "2024-01-01 04:00:00-05"),
            ("2024-01-01 10:00:00PST", DataType::TimestampTz, "2024-01-01 13:00:00-05"),
            ("2024-01-01T10:00:00+05:30", DataType::TimestampTz, "2023-12-31 23:30:00-05"),
            ("Jan 1 2024 10:00 UTC", DataType::TimestampTz, "2024-01-01 05:00:00-05"),
            ("infinity", DataType::TimestampTz, "infinity"),
            ("epoch", DataType::TimestampTz, "1969-12-31 19:00:00-05"),
        ] {
            assert_eq!(round(text, data_type), shown, "{text}");
        }
        for (text, data_type, state) in [
            ("", DataType::OID, "22P02"),
            ("4294967296", DataType::OID, "22003"),
            ("pg_class", DataType::Oid(OidKind::Class), "0A000"),
            ("glad", mood, "22P02"),
            ("2024-01-01 10:00 Mars", DataType::TimestampTz, "22007"),
            ("2024-01-01 10:00+01 UTC", DataType::TimestampTz, "22007"),
        ] {
            assert_eq!(read(text, data_type, UTC).unwrap_err().sqlstate(), state, "{text}");
        }
        let name = format!("{}é", "n".repeat(62));
        assert_eq!(truncated(&name).len(), 62);
    }
}
