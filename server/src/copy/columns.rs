//! Columns that the values of a COPY gather in. Those of most types become an array's numbers or texts at once, if they are written as
//! nearly everybody writes them; any other value is read as a parameter is.

use crate::decode::{self, parameter};
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use multiloop::arrow::array::{ArrayRef, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use multiloop::arrow::datatypes::DataType as Arrow;
use multiloop::format::check_length;
use multiloop::{DataType, Sight, Value};
use std::sync::Arc;

/// Decimal digits that are read at once: a number of so many fits 64 bits.
const DIGITS_MAX: usize = 18;

/// How a column's values are written.
pub(super) struct Written<'s> {
    /// The column's number, from 1.
    pub(super) number: usize,
    pub(super) data_type: DataType,
    pub(super) format: Format,
    pub(super) sight: &'s Sight,
}

impl Written<'_> {
    /// A value of any form.
    ///
    /// Errors: those of a parameter, and 22001 for a text that is too long for its column, unless only blanks are.
    pub(super) fn value(&self, bytes: &[u8]) -> Result<Value> {
        if matches!(self.data_type, DataType::Varchar(_) | DataType::Char(_)) {
            check_length(&String::from_utf8_lossy(bytes), self.data_type).map_err(|error| Fault::of(&error, "", 0))?;
        }
        parameter(self.number, self.data_type, (self.format, bytes), self.sight)
    }
}

/// A column's values that are no array yet.
pub(super) trait Gathered: Send {
    /// Takes a value, none for NULL; errors as a parameter's.
    fn take(&mut self, bytes: Option<&[u8]>, written: &Written<'_>) -> Result<()>;

    /// All of them, which are forgotten.
    fn array(&mut self) -> ArrayRef;
}

/// A column of values of this type, which become an array of the other; none of a type that has no such column.
pub(super) fn gathered(data_type: DataType, format: Format, array: &Arrow) -> Option<Box<dyn Gathered>> {
    let is_text = format == Format::Text;
    Some(match data_type {
        DataType::Boolean => Box::new(Booleans(BooleanBuilder::new())),
        DataType::SmallInt => numbers::<Int16Type>(
            array,
            if is_text { integer } else { |bytes: &[u8]| exact(bytes).map(i16::from_be_bytes) },
            int,
        ),
        DataType::Integer => numbers::<Int32Type>(
            array,
            if is_text { integer } else { |bytes: &[u8]| exact(bytes).map(i32::from_be_bytes) },
            int,
        ),
        DataType::BigInt => numbers::<Int64Type>(
            array,
            if is_text { integer } else { |bytes: &[u8]| exact(bytes).map(i64::from_be_bytes) },
            int,
        ),
        DataType::Real => numbers::<Float32Type>(
            array,
            if is_text { unread } else { |bytes: &[u8]| exact(bytes).map(f32::from_be_bytes) },
            |value| float(value).map(|value| value as f32),
        ),
        DataType::Double => numbers::<Float64Type>(
            array,
            if is_text { double } else { |bytes: &[u8]| exact(bytes).map(f64::from_be_bytes) },
            float,
        ),
        DataType::Date => numbers::<Date32Type>(array, if is_text { date } else { packed_date }, int),
        DataType::Timestamp => {
            numbers::<TimestampMicrosecondType>(array, if is_text { unread } else { packed_timestamp }, int)
        }
        DataType::Decimal { precision, scale } => {
            let (precision, scale) = (usize::from(precision), usize::from(scale));
            let read = move |bytes: &[u8]| {
                if is_text { decimal(bytes, precision, scale) } else { ten_thousands(bytes, precision, scale) }
            };
            numbers::<Decimal128Type>(array, read, |value| match value {
                Value::Decimal(value) => Some(value),
                _ => None,
            })
        }
        DataType::Text => Box::new(Texts { builder: StringBuilder::new(), bytes_max: usize::MAX }),
        // So many bytes are no more characters.
        DataType::Varchar(most) => {
            let bytes_max = if data_type == DataType::VARCHAR { usize::MAX } else { most as usize };
            Box::new(Texts { builder: StringBuilder::new(), bytes_max })
        }
        _ => return None,
    })
}

struct Numbers<T: ArrowPrimitiveType, R> {
    builder: PrimitiveBuilder<T>,
    /// Reads what nearly everybody writes.
    read: R,
    native: fn(Value) -> Option<T::Native>,
}

fn numbers<T: ArrowPrimitiveType>(
    array: &Arrow,
    read: impl Fn(&[u8]) -> Option<T::Native> + Send + 'static,
    native: fn(Value) -> Option<T::Native>,
) -> Box<dyn Gathered> {
    Box::new(Numbers::<T, _> { builder: PrimitiveBuilder::new().with_data_type(array.clone()), read, native })
}

impl<T: ArrowPrimitiveType, R: Fn(&[u8]) -> Option<T::Native> + Send> Gathered for Numbers<T, R> {
    fn take(&mut self, bytes: Option<&[u8]>, written: &Written<'_>) -> Result<()> {
        let Some(bytes) = bytes else {
            self.builder.append_null();
            return Ok(());
        };
        let value = match (self.read)(bytes) {
            Some(value) => value,
            None => (self.native)(written.value(bytes)?).ok_or_else(|| strange(written))?,
        };
        self.builder.append_value(value);
        Ok(())
    }

    fn array(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

fn strange(written: &Written<'_>) -> Box<Fault> {
    Fault::internal(format!("a value of COPY is not of type {}", written.data_type))
}

struct Booleans(BooleanBuilder);

impl Gathered for Booleans {
    fn take(&mut self, bytes: Option<&[u8]>, written: &Written<'_>) -> Result<()> {
        match bytes {
            None => self.0.append_null(),
            Some(bytes) => match written.value(bytes)? {
                Value::Boolean(value) => self.0.append_value(value),
                _ => return Err(strange(written)),
            },
        }
        Ok(())
    }

    fn array(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

struct Texts {
    builder: StringBuilder,
    /// Longer ones may not fit their type.
    bytes_max: usize,
}

impl Gathered for Texts {
    fn take(&mut self, bytes: Option<&[u8]>, written: &Written<'_>) -> Result<()> {
        let Some(bytes) = bytes else {
            self.builder.append_null();
            return Ok(());
        };
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.len() <= self.bytes_max && !bytes.contains(&0) => self.builder.append_value(text),
            _ => match written.value(bytes)? {
                Value::Text(text) => self.builder.append_value(text),
                _ => return Err(strange(written)),
            },
        }
        Ok(())
    }

    fn array(&mut self) -> ArrayRef {
        Arc::new(self.builder.finish())
    }
}

/// So many bytes, no more and no fewer.
fn exact<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn packed_date(bytes: &[u8]) -> Option<i32> {
    decode::date(i32::from_be_bytes(exact(bytes)?)).ok().and_then(int)
}

fn packed_timestamp(bytes: &[u8]) -> Option<i64> {
    decode::timestamp(i64::from_be_bytes(exact(bytes)?)).ok().and_then(int)
}

/// Of forms that are read as quickly as parameters are.
fn unread<N>(_: &[u8]) -> Option<N> {
    None
}

fn int<N: TryFrom<i64>>(value: Value) -> Option<N> {
    if let Value::Int(value) = value { N::try_from(value).ok() } else { None }
}

fn float(value: Value) -> Option<f64> {
    if let Value::Float(value) = value { Some(value) } else { None }
}

/// The number of some digits, if they are nothing else, and not too many.
fn digits(bytes: &[u8]) -> Option<i64> {
    if bytes.is_empty() || bytes.len() > DIGITS_MAX || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// What stands behind a minus sign, and whether there is one.
fn signed(bytes: &[u8]) -> (&[u8], bool) {
    bytes.strip_prefix(b"-").map_or((bytes, false), |rest| (rest, true))
}

fn integer<N: TryFrom<i64>>(bytes: &[u8]) -> Option<N> {
    let (bytes, is_negative) = signed(bytes);
    let number = digits(bytes)?;
    N::try_from(if is_negative { -number } else { number }).ok()
}

/// Digits with a point and an exponent. What is zero, or infinite, may have been something else.
fn double(bytes: &[u8]) -> Option<f64> {
    let is_plain = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    if !bytes.iter().all(is_plain) {
        return None;
    }
    let value: f64 = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    (value != 0.0 && value.is_finite()).then_some(value)
}

/// Year, month and day with a minus between.
fn date(bytes: &[u8]) -> Option<i32> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = bytes else { return None };
    let [year, month, day] = [digits(&[a, b, c, d])?, digits(&[e, f])?, digits(&[g, h])?];
    if year < 1 || !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    // Of February's 29th it depends on the year whether it is.
    let last = if month == 2 { 28 } else { 30 + (month + month / 8) % 2 };
    if day > last {
        return None;
    }
    // Years from March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
    let from_march = if month > 2 { year } else { year - 1 };
    let era = from_march / 400;
    let year_of_era = from_march % 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    i32::try_from(era * 146_097 + day_of_era - 719_468).ok()
}

/// Digits with a point, of which as many stand behind it as the scale has at most.
fn decimal(bytes: &[u8], precision: usize, scale: usize) -> Option<i128> {
    let (bytes, is_negative) = signed(bytes);
    let point = bytes.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = point.map_or((bytes, &[][..]), |point| (&bytes[..point], &bytes[point + 1..]));
    if fraction.len() > scale || whole.len() + scale > precision.min(DIGITS_MAX) {
        return None;
    }
    let behind = if point.is_some() { digits(fraction)? } else { 0 };
    let power = |count: usize| 10i64.pow(count as u32);
    let number = i128::from(digits(whole)? * power(scale) + behind * power(scale - fraction.len()));
    Some(if is_negative { -number } else { number })
}

/// Powers of ten.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A few digits of base 10,000, as many decimal ones of which stand behind the point as the scale has at most.
fn ten_thousands(bytes: &[u8], precision: usize, scale: usize) -> Option<i128> {
    let (head, groups) = bytes.split_first_chunk::<8>()?;
    let &[a, b, c, d, e, f, ..] = head;
    let (count, weight, sign) = (i16::from_be_bytes([a, b]), i16::from_be_bytes([c, d]), i16::from_be_bytes([e, f]));
    let is_negative = match sign {
        0 => false,
        0x4000 => true,
        _ => return None,
    };
    let count = usize::try_from(count).ok().filter(|&count| count <= 4 && groups.len() == count * 2)?;
    // Of no more than sixteen digits.
    let mut number = 0u64;
    for group in groups.chunks_exact(2) {
        let group = u16::from_be_bytes([group[0], group[1]]);
        if group >= 10_000 {
            return None;
        }
        number = number * 10_000 + u64::from(group);
    }
    // The decimal digits by which the last group is away from the last digit of the scale.
    let away = 4 * (i32::from(weight) + 1 - count as i32) + scale as i32;
    let number = match u32::try_from(away) {
        Ok(away) => i128::from(number.checked_mul(10u64.checked_pow(away)?)?),
        Err(_) => {
            let unit = 10u64.checked_pow(away.unsigned_abs())?;
            number.is_multiple_of(unit).then_some(i128::from(number / unit))?
        }
    };
    if number >= *POWERS.get(precision)? {
        return None;
    }
    Some(if is_negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::{Gathered, Written, gathered};
    use crate::wire::Format;
    use crate::wire::room::Room;
    use multiloop::arrow::array::Array as _;
    use multiloop::format::array_of;
    use multiloop::{DataType, Sight, Value};

    /// The values of these texts are the same, or the same errors, whichever way they are read.
    fn check(data_type: DataType, texts: &str) {
        let sight = Sight::default();
        for text in texts.split('|') {
            let read = |format, bytes: &[u8]| crate::decode::parameter(1, data_type, (format, bytes), &sight);
            let expected = read(Format::Text, text.as_bytes());
            let values: Vec<Value> = expected.iter().cloned().chain([Value::Null]).collect();
            let array = array_of(&values, data_type).expect("values of the type");
            let mut forms = vec![(Format::Text, text.as_bytes().to_vec())];
            if expected.is_ok() {
                let cells = crate::encode::cells(&array, data_type, Format::Binary, &sight).expect("a form");
                let mut bytes = Vec::new();
                cells.value(0, &mut Room::new(&mut bytes));
                forms.push((Format::Binary, bytes));
            }
            for (format, bytes) in forms {
                let written = Written { number: 1, data_type, format, sight: &sight };
                let mut column: Box<dyn Gathered> =
                    gathered(data_type, format, array.data_type()).expect("the type has a column");
                let taken = column.take(Some(&bytes), &written);
                match (&expected, taken) {
                    (Ok(_), Ok(())) => {
                        column.take(None, &written).expect("there may be NULLs");
                        assert_eq!(column.array().to_data(), array.to_data(), "{data_type}: {text:?}, {format:?}");
                    }
                    (Err(expected), Err(fault)) => {
                        assert_eq!((fault.code, &fault.message), (expected.code, &expected.message))
                    }
                    (expected, taken) => panic!("{data_type}: {text:?}: {expected:?}, {taken:?}"),
                }
            }
        }
    }

    const INTEGERS: &str = "0|7|-7|-0|007|+7| 7 |32767|-32768|32768|2147483647|-2147483648|2147483648|999999999999999999\
        |9223372036854775807|9223372036854775808||-|1_000|0x10|1e3|1.0";
    const DECIMALS: &str = "0|0.00|-0.01|1.5|1.50|1.505|9999999.99|9999999.995|10000000|-9999999.99|00000001.5|.5|5.|.|-|1e3\
        |NaN|1.2.3|12,5||100.00|10000.00|0.0001| 1.5";
    const DOUBLES: &str = "0|-0|1.5|-2.25e-7|1e400|1e-400|NaN|infinity|inf|+1| 1|1e|.5|5.|x|1_0";
    const DATES: &str = "1970-01-01|1969-12-31|2000-02-29|1900-02-29|1900-03-01|0001-01-01|0000-01-01|9999-12-28|2024-13-01\
        |2024-00-01|2024-01-00|2024-01-31|2024-04-31|2023-02-28|2023-02-29|2023-07-31|2023-08-31|2023-11-30|2023-11-31|2023-12-31|infinity|2024-1-1|20240101|12345-01-01|4713-01-01 BC|2024-01-01 |x024-01-01";

    #[test]
    fn values_are_those_of_parameters() {
        for data_type in [DataType::SmallInt, DataType::Integer, DataType::BigInt] {
            check(data_type, INTEGERS);
        }
        check(DataType::Decimal { precision: 9, scale: 2 }, DECIMALS);
        check(DataType::Decimal { precision: 38, scale: 20 }, "0|1|-12345678901234567.00000000000000000001|1e17");
        check(DataType::Decimal { precision: 5, scale: 0 }, "0|99999|100000|1.4|1.5|-40000");
        check(DataType::Double, DOUBLES);
        check(DataType::Real, DOUBLES);
        check(DataType::Date, DATES);
        check(DataType::Timestamp, "1970-01-01|2024-02-29 12:34:56.789|-infinity|x");
        check(DataType::Boolean, "t|f|true|off|1|x|");
        check(DataType::Text, "|a|\u{1f600}|a\0b");
        check(DataType::Varchar(3), "|abc|ab   |äöü");
        check(DataType::VARCHAR, "|abcd");
    }

    #[test]
    fn texts_that_are_too_long_are_refused() {
        let sight = Sight::default();
        let array = array_of(&[], DataType::Text).expect("an array");
        for (text, fits) in [("abcd", false), ("äöüß", false), ("äöü", true), ("abc  ", true), ("ab c", false)] {
            let data_type = DataType::Varchar(3);
            let written = Written { number: 1, data_type, format: Format::Text, sight: &sight };
            let mut column = gathered(data_type, Format::Text, array.data_type()).expect("the type has a column");
            assert_eq!(column.take(Some(text.as_bytes()), &written).is_ok(), fits, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_none() {
        let sight = Sight::default();
        let written = Written { number: 1, data_type: DataType::Text, format: Format::Text, sight: &sight };
        let array = array_of(&[], DataType::Text).expect("an array");
        let mut column = gathered(DataType::Text, Format::Text, array.data_type()).expect("a column");
        assert_eq!(column.take(Some(b"\xff"), &written).expect_err("it is no UTF-8").code, "22021");
    }
}
