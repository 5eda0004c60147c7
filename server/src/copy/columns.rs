//! Columns that the values of a COPY gather in. Those of most types become an array's numbers or texts at once, if they are written as
//! nearly everybody writes them (`written`); any other value is read as a parameter is.

use super::places::Fields;
use super::written;
use crate::decode::parameter;
use crate::fault::{Fault, Result};
use crate::wire::Format;
use multiloop::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType,
};
use multiloop::arrow::array::{ArrayRef, BooleanBuilder, NullBufferBuilder, PrimitiveArray, StringArray};
use multiloop::arrow::buffer::OffsetBuffer;
use multiloop::arrow::datatypes::DataType as Arrow;
use multiloop::format::check_length;
use multiloop::{DataType, Sight, Value};
use std::sync::Arc;

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

/// What is wrong, and with which of the rows.
pub(super) type WrongRow = (usize, Box<Fault>);

/// A column's values that are no array yet.
pub(super) trait Gathered: Send {
    /// Takes the values of some rows; errors as a parameter's, of the first row that has one.
    fn take(&mut self, fields: Fields<'_>, written: &Written<'_>) -> Result<(), WrongRow>;

    /// All of them.
    fn array(self: Box<Self>) -> Result<ArrayRef>;
}

/// The type of the arrays that values of a type gather in, which become columns of this one.
pub(super) fn array_type(data_type: DataType, array: &Arrow) -> Arrow {
    match (data_type, array) {
        (DataType::Decimal { precision, .. }, Arrow::Decimal128(digits, scale)) if is_narrow(precision) => {
            Arrow::Decimal64(*digits, *scale)
        }
        _ => array.clone(),
    }
}

/// Whether decimals of so many digits are kept in 64 bits.
fn is_narrow(precision: u8) -> bool {
    usize::from(precision) <= written::DIGITS_MAX
}

/// A column of values of this type, which become an array of the other, an [`array_type`]; none of a type that has no such column.
pub(super) fn gathered(data_type: DataType, format: Format, array: &Arrow) -> Option<Box<dyn Gathered>> {
    let is_text = format == Format::Text;
    Some(match data_type {
        DataType::Boolean => Box::new(Booleans(BooleanBuilder::new())),
        DataType::SmallInt if is_text => numbers::<Int16Type>(array, written::integer, int),
        DataType::SmallInt => numbers::<Int16Type>(array, |bytes| exact(bytes).map(i16::from_be_bytes), int),
        DataType::Integer if is_text => numbers::<Int32Type>(array, written::integer, int),
        DataType::Integer => numbers::<Int32Type>(array, |bytes| exact(bytes).map(i32::from_be_bytes), int),
        DataType::BigInt if is_text => numbers::<Int64Type>(array, written::integer, int),
        DataType::BigInt => numbers::<Int64Type>(array, |bytes| exact(bytes).map(i64::from_be_bytes), int),
        DataType::Real => numbers::<Float32Type>(
            array,
            // Of text, which is read as quickly as parameters are.
            move |bytes| if is_text { None } else { exact(bytes).map(f32::from_be_bytes) },
            |value| float(value).map(|value| value as f32),
        ),
        DataType::Double if is_text => numbers::<Float64Type>(array, written::double, float),
        DataType::Double => numbers::<Float64Type>(array, |bytes| exact(bytes).map(f64::from_be_bytes), float),
        DataType::Date if is_text => numbers::<Date32Type>(array, written::date, int),
        DataType::Date => numbers::<Date32Type>(array, written::packed_date, int),
        DataType::Timestamp if is_text => numbers::<TimestampMicrosecondType>(array, written::timestamp, int),
        DataType::Timestamp => numbers::<TimestampMicrosecondType>(array, written::packed_timestamp, int),
        DataType::Decimal { precision, scale } => {
            let digits = (usize::from(precision), usize::from(scale));
            match (is_narrow(precision), is_text) {
                (true, true) => {
                    numbers::<Decimal64Type>(array, move |bytes| written::decimal(bytes, digits), narrow_decimal)
                }
                (true, false) => {
                    numbers::<Decimal64Type>(array, move |bytes| written::ten_thousands(bytes, digits), narrow_decimal)
                }
                (false, _) => {
                    let read = if is_text { written::decimal } else { written::ten_thousands };
                    numbers::<Decimal128Type>(array, move |bytes| read(bytes, digits).map(i128::from), decimal)
                }
            }
        }
        DataType::Text => Box::new(Texts::new(usize::MAX)),
        // So many bytes are no more characters.
        DataType::Varchar(most) => {
            Box::new(Texts::new(if data_type == DataType::VARCHAR { usize::MAX } else { most as usize }))
        }
        _ => return None,
    })
}

struct Numbers<T: ArrowPrimitiveType, R> {
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
    array: Arrow,
    /// Reads what nearly everybody writes.
    read: R,
    native: fn(Value) -> Option<T::Native>,
}

fn numbers<T: ArrowPrimitiveType>(
    array: &Arrow,
    read: impl Fn(&[u8]) -> Option<T::Native> + Send + 'static,
    native: fn(Value) -> Option<T::Native>,
) -> Box<dyn Gathered> {
    let (values, nulls) = (Vec::new(), NullBufferBuilder::new(0));
    Box::new(Numbers::<T, _> { values, nulls, array: array.clone(), read, native })
}

impl<T: ArrowPrimitiveType, R: Fn(&[u8]) -> Option<T::Native>> Numbers<T, R> {
    #[cold]
    fn read_anything(&self, bytes: &[u8], written: &Written<'_>) -> Result<T::Native> {
        (self.native)(written.value(bytes)?).ok_or_else(|| strange(written))
    }
}

impl<T: ArrowPrimitiveType, R: Fn(&[u8]) -> Option<T::Native> + Send> Gathered for Numbers<T, R> {
    fn take(&mut self, fields: Fields<'_>, written: &Written<'_>) -> Result<(), WrongRow> {
        self.values.reserve(fields.count());
        // Values since the last NULL.
        let mut run = 0;
        for (row, field) in fields.iter().enumerate() {
            let value = match field.map(|field| field.bytes()) {
                None => {
                    self.nulls.append_n_non_nulls(std::mem::take(&mut run));
                    self.nulls.append_null();
                    self.values.push(Default::default());
                    continue;
                }
                Some(bytes) => match (self.read)(bytes) {
                    Some(value) => value,
                    None => self.read_anything(bytes, written).map_err(|fault| (row, fault))?,
                },
            };
            run += 1;
            self.values.push(value);
        }
        self.nulls.append_n_non_nulls(run);
        Ok(())
    }

    fn array(mut self: Box<Self>) -> Result<ArrayRef> {
        let array = PrimitiveArray::<T>::try_new(self.values.into(), self.nulls.finish()).map_err(bad_array)?;
        Ok(Arc::new(array.with_data_type(self.array)))
    }
}

fn strange(written: &Written<'_>) -> Box<Fault> {
    Fault::internal(format!("a value of COPY is not of type {}", written.data_type))
}

fn bad_array(error: multiloop::arrow::error::ArrowError) -> Box<Fault> {
    Fault::internal(format!("a column of COPY: {error}"))
}

struct Booleans(BooleanBuilder);

impl Gathered for Booleans {
    fn take(&mut self, fields: Fields<'_>, written: &Written<'_>) -> Result<(), WrongRow> {
        for (row, field) in fields.iter().enumerate() {
            match field.map(|field| (written.format, field.bytes())) {
                None => self.0.append_null(),
                Some((Format::Text, b"t") | (Format::Binary, [1])) => self.0.append_value(true),
                Some((Format::Text, b"f") | (Format::Binary, [0])) => self.0.append_value(false),
                Some((_, bytes)) => match written.value(bytes).map_err(|fault| (row, fault))? {
                    Value::Boolean(value) => self.0.append_value(value),
                    _ => return Err((row, strange(written))),
                },
            }
        }
        Ok(())
    }

    fn array(mut self: Box<Self>) -> Result<ArrayRef> {
        Ok(Arc::new(self.0.finish()))
    }
}

struct Texts {
    bytes: Vec<u8>,
    /// Where each text ends, behind where the first begins.
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
    /// Longer ones may not fit their type.
    bytes_max: usize,
}

impl Texts {
    fn new(bytes_max: usize) -> Self {
        Texts { bytes: Vec::new(), ends: vec![0], nulls: NullBufferBuilder::new(0), bytes_max }
    }

    /// Takes bytes as they are; false if they may not be texts of the type, and then some have been taken.
    fn take_bytes(&mut self, fields: Fields<'_>) -> bool {
        let (first, start) = (self.ends.len(), self.bytes.len());
        let mut run = 0;
        let mut is_short = true;
        for field in fields.iter() {
            match field {
                Some(field) => {
                    is_short &= field.bytes().len() <= self.bytes_max;
                    field.append_to(&mut self.bytes);
                    run += 1;
                }
                None => {
                    self.nulls.append_n_non_nulls(std::mem::take(&mut run));
                    self.nulls.append_null();
                }
            }
            self.ends.push(self.bytes.len() as i32);
        }
        self.nulls.append_n_non_nulls(run);
        // All at once: a look at each text takes longer.
        let new = &self.bytes[start..];
        let is_whole = || match std::str::from_utf8(new) {
            Ok(text) => self.ends[first..].iter().all(|&end| text.is_char_boundary(end as usize - start)),
            Err(_) => false,
        };
        is_short && !new.contains(&0) && (new.is_ascii() || is_whole())
    }

    /// Takes one text after the other.
    fn take_each(&mut self, fields: Fields<'_>, written: &Written<'_>) -> Result<(), WrongRow> {
        for (row, field) in fields.iter().enumerate() {
            if let Some(bytes) = field.map(|field| field.bytes()) {
                let is_good = bytes.len() <= self.bytes_max && !bytes.contains(&0);
                if is_good && std::str::from_utf8(bytes).is_ok() {
                    self.bytes.extend_from_slice(bytes);
                } else {
                    match written.value(bytes).map_err(|fault| (row, fault))? {
                        Value::Text(text) => self.bytes.extend_from_slice(text.as_bytes()),
                        _ => return Err((row, strange(written))),
                    }
                }
            }
            self.nulls.append(field.is_some());
            self.ends.push(self.bytes.len() as i32);
        }
        Ok(())
    }
}

impl Gathered for Texts {
    fn take(&mut self, fields: Fields<'_>, written: &Written<'_>) -> Result<(), WrongRow> {
        let (ends, bytes) = (self.ends.len(), self.bytes.len());
        self.ends.reserve(fields.count());
        if self.take_bytes(fields) {
            return Ok(());
        }
        self.ends.truncate(ends);
        self.bytes.truncate(bytes);
        self.nulls.truncate(ends - 1);
        self.take_each(fields, written)
    }

    fn array(mut self: Box<Self>) -> Result<ArrayRef> {
        let ends = OffsetBuffer::new(self.ends.into());
        let array = StringArray::try_new(ends, self.bytes.into(), self.nulls.finish()).map_err(bad_array)?;
        Ok(Arc::new(array))
    }
}

/// So many bytes, no more and no fewer.
#[inline(always)]
fn exact<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn int<N: TryFrom<i64>>(value: Value) -> Option<N> {
    if let Value::Int(value) = value { N::try_from(value).ok() } else { None }
}

fn float(value: Value) -> Option<f64> {
    if let Value::Float(value) = value { Some(value) } else { None }
}

fn decimal(value: Value) -> Option<i128> {
    if let Value::Decimal(value) = value { Some(value) } else { None }
}

fn narrow_decimal(value: Value) -> Option<i64> {
    decimal(value).and_then(|value| i64::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::super::places::Rows;
    use super::{Gathered, Written, WrongRow, array_type, gathered};
    use crate::wire::Format;
    use crate::wire::room::Room;
    use multiloop::arrow::array::types::Decimal64Type;
    use multiloop::arrow::array::{Array as _, AsArray as _, Decimal128Array};
    use multiloop::arrow::datatypes::DataType as Arrow;
    use multiloop::format::array_of;
    use multiloop::{DataType, Sight, Value};

    /// Takes one value.
    fn take(column: &mut dyn Gathered, bytes: Option<&[u8]>, written: &Written<'_>) -> Result<(), WrongRow> {
        let mut rows = Rows::new(1);
        match bytes {
            Some(bytes) => rows.put(0, bytes.len()),
            None => rows.put_null(),
        }
        rows.end_row();
        column.take(rows.column(bytes.unwrap_or(&[]), 0, 1), written)
    }

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
                let gathers = array_type(data_type, array.data_type());
                let mut column: Box<dyn Gathered> =
                    gathered(data_type, format, &gathers).expect("the type has a column");
                let taken = take(&mut *column, Some(&bytes), &written);
                match (&expected, taken) {
                    (Ok(_), Ok(())) => {
                        take(&mut *column, None, &written).expect("there may be NULLs");
                        let mut taken = column.array().expect("an array");
                        assert_eq!(taken.data_type(), &gathers);
                        if let Arrow::Decimal64(..) = gathers {
                            let wide = taken.as_primitive::<Decimal64Type>().iter().map(|value| value.map(i128::from));
                            let wide: Decimal128Array = wide.collect();
                            taken = std::sync::Arc::new(wide.with_data_type(array.data_type().clone()));
                        }
                        assert_eq!(taken.to_data(), array.to_data(), "{data_type}: {text:?}, {format:?}");
                    }
                    (Err(expected), Err((_, fault))) => {
                        assert_eq!((fault.code, &fault.message), (expected.code, &expected.message))
                    }
                    (expected, taken) => panic!("{data_type}: {text:?}: {expected:?}, {taken:?}"),
                }
            }
        }
    }

    const INTEGERS: &str = "0|7|-7|-0|007|+7| 7 |32767|-32768|32768|2147483647|-2147483648|2147483648|999999999999999999\
        |9223372036854775807|9223372036854775808||-|1_000|0x10|1e3|1.0|12|123|1234|12345|123456|-1234567|12345678|123456789\
        |1234567890|12345678901|123456789012|1234567890123|12345678901234|123456789012345|1234567890123456|12345678901234567\
        |:|12:45|1234567/|/2345678|123456789:|1234\u{ff}|1234\u{ff}6789|12345678\u{ff}|\u{ff}234567890123456|1234567a90123456";
    const DECIMALS: &str = "0|0.00|-0.01|1.5|1.50|1.505|9999999.99|9999999.995|10000000|-9999999.99|00000001.5|.5|5.|.|-|1e3\
        |NaN|1.2.3|12,5||100.00|10000.00|0.0001| 1.5";
    const DOUBLES: &str = "0|-0|1.5|-2.25e-7|1e400|1e-400|NaN|infinity|inf|+1| 1|1e|.5|5.|x|1_0";
    const DATES: &str = "1970-01-01|1969-12-31|2000-02-29|1900-02-29|1900-03-01|0001-01-01|0000-01-01|9999-12-28|2024-13-01\
        |2024-00-01|2024-01-00|2024-01-31|2024-04-31|2023-02-28|2023-02-29|2023-07-31|2023-08-31|2023-11-30|2023-11-31|2023-12-31|infinity|2024-1-1|20240101|12345-01-01|4713-01-01 BC|2024-01-01 |x024-01-01";

    const TIMESTAMPS: &str = "1970-01-01|2024-02-29 12:34:56.789|-infinity|x|1969-12-31 23:59:59.999999|2024-01-01 24:00:00\
        |2024-01-01 00:00:60|2024-01-01 00:60:00|2024-01-01 25:00:00|2024-01-01 00:00:00.|2024-01-01 00:00:00.1234567\
        |2024-01-01 00:00:00.000001|2024-01-01T00:00:00|2024-01-01 00:00|2024-01-01 1:00:00|2024-01-01 00:00:00+02|2024-02-30 00:00:00\
        |2024-01-01 00:00:00 |9999-12-31 23:59:59|2024-01-01 0x:00:00";

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
        check(DataType::Timestamp, TIMESTAMPS);
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
            assert_eq!(take(&mut *column, Some(text.as_bytes()), &written).is_ok(), fits, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_none() {
        let sight = Sight::default();
        let written = Written { number: 1, data_type: DataType::Text, format: Format::Text, sight: &sight };
        let array = array_of(&[], DataType::Text).expect("an array");
        let mut column = gathered(DataType::Text, Format::Text, array.data_type()).expect("a column");
        assert_eq!(take(&mut *column, Some(b"\xff"), &written).expect_err("it is no UTF-8").1.code, "22021");
    }
}
