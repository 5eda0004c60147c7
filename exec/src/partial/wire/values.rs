//! Types, values and growing columns as bytes.

use super::{Reader, Wire, check, damaged};
use crate::Result;
use crate::column::Dictionary;
use crate::column::column_builder::{BuilderData, BuilderText, ColumnBuilder};
use crate::column::vectors::{Block, Vectors};
use crate::plan::register::Register;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::types::{
    DECIMAL_DIGITS_MAX, DataType, Nested, NestedType, OidKind, SystemType, VECTOR_LENGTH_MAX,
};
use multiloop_planner::value::{Interval, Value};
use std::sync::Arc;

/// Types within types, at most, that are read: nobody writes more.
const DEPTH_MAX: u32 = 64;

impl Wire for DataType {
    fn write(&self, to: &mut Vec<u8>) {
        if let DataType::Nested(nested) = self {
            return write_nested(nested.get(), to);
        }
        let (tag, length, digits): (u8, Option<u32>, Option<[u8; 2]>) = match *self {
            DataType::Null => (0, None, None),
            DataType::Boolean => (1, None, None),
            DataType::SmallInt => (2, None, None),
            DataType::Integer => (3, None, None),
            DataType::BigInt => (4, None, None),
            DataType::Real => (5, None, None),
            DataType::Double => (6, None, None),
            DataType::Decimal { precision, scale } => (7, None, Some([precision, scale])),
            DataType::Numeric => (8, None, None),
            DataType::Text => (9, None, None),
            DataType::Varchar(length) => (10, Some(length), None),
            DataType::Char(length) => (11, Some(length), None),
            DataType::Date => (12, None, None),
            DataType::Time => (13, None, None),
            DataType::Timestamp => (14, None, None),
            DataType::Interval => (15, None, None),
            DataType::Oid(kind) => {
                to.push(20);
                return to.push(OidKind::ALL.iter().position(|other| *other == kind).unwrap_or(0) as u8);
            }
            DataType::Name => (21, None, None),
            DataType::InternalChar => (22, None, None),
            DataType::Bytea => (23, None, None),
            DataType::Uuid => (24, None, None),
            DataType::Json => (25, None, None),
            DataType::Jsonb => (26, None, None),
            DataType::TimestampTz => (27, None, None),
            DataType::TimeTz => (31, None, None),
            DataType::Bit(length) => (32, Some(length), None),
            DataType::VarBit(length) => (33, Some(length), None),
            DataType::JsonPath => (34, None, None),
            DataType::System(of) => {
                to.push(30);
                return to.push(SystemType::ALL.iter().position(|other| *other == of).unwrap_or(0) as u8);
            }
            DataType::Nested(_) => unreachable!("written above"),
        };
        to.push(tag);
        length.iter().for_each(|length| length.write(to));
        digits.iter().for_each(|digits| to.extend_from_slice(digits));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => DataType::Null,
            1 => DataType::Boolean,
            2 => DataType::SmallInt,
            3 => DataType::Integer,
            4 => DataType::BigInt,
            5 => DataType::Real,
            6 => DataType::Double,
            7 => {
                let (precision, scale) = (u8::read(from)?, u8::read(from)?);
                let is_decimal = (1..=DECIMAL_DIGITS_MAX).contains(&precision) && scale <= precision;
                check(is_decimal, "the digits of a decimal")?;
                DataType::Decimal { precision, scale }
            }
            8 => DataType::Numeric,
            9 => DataType::Text,
            10 => DataType::Varchar(u32::read(from)?),
            11 => DataType::Char(u32::read(from)?),
            12 => DataType::Date,
            13 => DataType::Time,
            14 => DataType::Timestamp,
            15 => DataType::Interval,
            20 => {
                let kind = OidKind::ALL.get(usize::from(u8::read(from)?)).copied();
                DataType::Oid(kind.ok_or_else(|| damaged("a kind of oid"))?)
            }
            21 => DataType::Name,
            22 => DataType::InternalChar,
            23 => DataType::Bytea,
            24 => DataType::Uuid,
            25 => DataType::Json,
            26 => DataType::Jsonb,
            27 => DataType::TimestampTz,
            31 => DataType::TimeTz,
            32 => DataType::Bit(u32::read(from)?),
            33 => DataType::VarBit(u32::read(from)?),
            34 => DataType::JsonPath,
            30 => {
                let of = SystemType::ALL.get(usize::from(u8::read(from)?)).copied();
                DataType::System(of.ok_or_else(|| damaged("a type of the system"))?)
            }
            tag @ (16..=19 | 28..=29) => {
                from.depth += 1;
                check(from.depth <= DEPTH_MAX, "types within types")?;
                let nested = nested(tag, from)?;
                from.depth -= 1;
                DataType::Nested(Nested::new(nested))
            }
            _ => return Err(damaged("a type")),
        })
    }
}

impl Wire for (String, DataType) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok((Wire::read(from)?, Wire::read(from)?))
    }
}

/// What stands behind the tag of a nested type.
fn nested(tag: u8, from: &mut Reader<'_>) -> Result<NestedType> {
    Ok(match tag {
        16 => NestedType::List(Wire::read(from)?),
        17 => {
            let of: DataType = Wire::read(from)?;
            let length = vector_length(from)?;
            check(of.is_float(), "a vector of no numbers")?;
            NestedType::Vector(of, length)
        }
        28 => NestedType::ZeroBased(Wire::read(from)?),
        29 => {
            let named = bool::read(from)?;
            let table: String = Wire::read(from)?;
            NestedType::Row { table: named.then_some(table), fields: Wire::read(from)? }
        }
        19 => {
            let (name, labels): (String, Vec<String>) = (Wire::read(from)?, Wire::read(from)?);
            let once = labels.iter().enumerate().all(|(at, label)| !labels[..at].contains(label));
            check(once, "the labels of an enum")?;
            NestedType::Enum { name, labels }
        }
        _ => {
            let fields: Vec<(String, DataType)> = Wire::read(from)?;
            let names = || fields.iter().map(|(name, _)| name);
            let once = names().enumerate().all(|(at, name)| names().take(at).all(|before| before != name));
            check(!fields.is_empty() && once, "the fields of a struct")?;
            NestedType::Struct(fields)
        }
    })
}

/// A nested type, which is a number in a process.
fn write_nested(nested: &NestedType, to: &mut Vec<u8>) {
    match nested {
        NestedType::List(of) => {
            to.push(16);
            of.write(to);
        }
        NestedType::Vector(of, length) => {
            to.push(17);
            of.write(to);
            length.write(to);
        }
        NestedType::Struct(fields) => {
            to.push(18);
            fields.write(to);
        }
        NestedType::ZeroBased(of) => {
            to.push(28);
            of.write(to);
        }
        NestedType::Row { table, fields } => {
            to.push(29);
            table.is_some().write(to);
            table.clone().unwrap_or_default().write(to);
            fields.write(to);
        }
        NestedType::Enum { name, labels } => {
            to.push(19);
            name.write(to);
            labels.write(to);
        }
    }
}

impl Wire for Register {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(match self {
            Register::Bool => 0,
            Register::I32 => 1,
            Register::I64 => 2,
            Register::I128 => 3,
            Register::F64 => 4,
            Register::Text => 5,
            Register::Interval => 6,
            Register::Vectors(length) => {
                to.push(7);
                return length.write(to);
            }
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => Register::Bool,
            1 => Register::I32,
            2 => Register::I64,
            3 => Register::I128,
            4 => Register::F64,
            5 => Register::Text,
            6 => Register::Interval,
            7 => Register::Vectors(vector_length(from)?),
            _ => return Err(damaged("a register")),
        })
    }
}

/// The elements of a vector.
fn vector_length(from: &mut Reader<'_>) -> Result<u32> {
    let length = u32::read(from)?;
    check((1..=VECTOR_LENGTH_MAX).contains(&length), "the length of a vector")?;
    Ok(length)
}

impl Wire for Interval {
    fn write(&self, to: &mut Vec<u8>) {
        self.months.write(to);
        self.days.write(to);
        self.micros.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Interval { months: Wire::read(from)?, days: Wire::read(from)?, micros: Wire::read(from)? })
    }
}

impl Wire for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        text(from).map(str::to_owned)
    }
}

/// A string where it lies.
fn text<'a>(from: &mut Reader<'a>) -> Result<&'a str> {
    let len = from.len(1)?;
    std::str::from_utf8(from.take(len)?).map_err(|_| damaged("a string"))
}

impl Wire for Value {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Value::Null => to.push(0),
            Value::Boolean(value) => {
                to.push(1);
                value.write(to);
            }
            Value::Int(value) => {
                to.push(2);
                value.write(to);
            }
            Value::Float(value) => {
                to.push(3);
                value.write(to);
            }
            Value::Decimal(value) => {
                to.push(4);
                value.write(to);
            }
            Value::Numeric(value) => {
                to.push(5);
                value.encode().write(to);
            }
            Value::Text(value) => {
                to.push(6);
                value.to_string().write(to);
            }
            Value::Interval(value) => {
                to.push(7);
                value.write(to);
            }
            Value::Vector(elements) => {
                to.push(8);
                elements.to_vec().write(to);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match u8::read(from)? {
            0 => Value::Null,
            1 => Value::Boolean(Wire::read(from)?),
            2 => Value::Int(Wire::read(from)?),
            3 => Value::Float(Wire::read(from)?),
            4 => Value::Decimal(Wire::read(from)?),
            5 => Value::numeric(numeric(text(from)?)?),
            6 => Value::text(text(from)?),
            7 => Value::Interval(Wire::read(from)?),
            8 => {
                let count = from.len(size_of::<f64>())?;
                check((1..=VECTOR_LENGTH_MAX as usize).contains(&count), "the length of a vector")?;
                Value::vector((0..count).map(|_| f64::read(from)).collect::<Result<Vec<f64>>>()?)
            }
            _ => return Err(damaged("a value")),
        })
    }
}

/// The number of a stored text, which no other text stands for.
fn numeric(text: &str) -> Result<Numeric> {
    let number = Numeric::decode(text).map_err(|_| damaged("a number"))?;
    check(number.encode() == text, "a number")?;
    Ok(number)
}

/// Checks that the strings of a column are numbers as they are stored.
pub(super) fn each_numeric(column: &ColumnBuilder) -> Result<()> {
    let is_valid = |row: &usize| column.valid.as_ref().is_none_or(|valid| valid[*row]);
    (0..column.len()).filter(is_valid).try_for_each(|row| {
        let bytes = match &column.data {
            BuilderData::Text(texts) => texts.get(row),
            BuilderData::Code { codes, dictionary } => dictionary.bytes_of(codes[row]),
            _ => return Err(damaged("numbers that are no texts")),
        };
        numeric(std::str::from_utf8(bytes).map_err(|_| damaged("a string"))?).map(|_| ())
    })
}

impl Wire for Arc<Dictionary> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|text| text.to_owned().write(to));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let strings = (0..from.len(8)?).map(|_| text(from)).collect::<Result<Vec<&str>>>()?;
        check(strings.is_sorted_by(|a, b| a < b), "a dictionary that is not sorted")?;
        Ok(Arc::new(Dictionary::new(strings)))
    }
}

impl Wire for ColumnBuilder {
    fn write(&self, to: &mut Vec<u8>) {
        self.valid.write(to);
        self.len().write(to);
        match &self.data {
            BuilderData::Bool(values) => {
                to.push(0);
                values.write(to);
            }
            BuilderData::I32(values) => {
                to.push(1);
                values.write(to);
            }
            BuilderData::I64(values) => {
                to.push(2);
                values.write(to);
            }
            BuilderData::I128(values) => {
                to.push(3);
                values.write(to);
            }
            BuilderData::F64(values) => {
                to.push(4);
                values.write(to);
            }
            BuilderData::Interval(values) => {
                to.push(5);
                values.write(to);
            }
            BuilderData::Code { codes, dictionary } => {
                to.push(6);
                codes.write(to);
                dictionary.write(to);
            }
            BuilderData::Text(texts) => {
                to.push(7);
                (0..self.len()).for_each(|row| {
                    let bytes = texts.get(row);
                    bytes.len().write(to);
                    to.extend_from_slice(bytes);
                });
            }
            BuilderData::Vectors(vectors) => {
                to.push(8);
                (vectors.length() as u32).write(to);
                vectors.doubles().write(to);
            }
            BuilderData::Numerics(numbers) => {
                to.push(7);
                numbers.iter().for_each(|number| {
                    let text = number.encode();
                    text.len().write(to);
                    to.extend_from_slice(text.as_bytes());
                });
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self> {
        let valid: Option<Vec<bool>> = Wire::read(from)?;
        let len = from.len(1)?;
        let is_valid = |row: usize| valid.as_ref().is_none_or(|valid| valid[row]);
        check(valid.as_ref().is_none_or(|valid| valid.len() == len), "a column's NULLs")?;
        let data = match u8::read(from)? {
            0 => BuilderData::Bool(values(from, len)?),
            1 => BuilderData::I32(values(from, len)?),
            2 => BuilderData::I64(values(from, len)?),
            3 => BuilderData::I128(values(from, len)?),
            4 => BuilderData::F64(values(from, len)?),
            5 => BuilderData::Interval(values(from, len)?),
            6 => {
                let codes: Vec<u32> = values(from, len)?;
                let dictionary: Arc<Dictionary> = Wire::read(from)?;
                // At a NULL any code may stand, even of a dictionary without strings: it is made one that is there.
                let known = |(row, &code): (usize, &u32)| !is_valid(row) || (code as usize) < dictionary.len();
                check(codes.iter().enumerate().all(known), "a code of no string")?;
                let most = dictionary.len().saturating_sub(1) as u32;
                BuilderData::Code { codes: codes.into_iter().map(|code| code.min(most)).collect(), dictionary }
            }
            7 => {
                let mut texts = BuilderText::default();
                (0..len).try_for_each(|_| text(from).map(|text| texts.push(text.as_bytes())))?;
                BuilderData::Text(texts)
            }
            8 => {
                let length = vector_length(from)? as usize;
                let count = from.len(size_of::<f64>())?;
                check(len.checked_mul(length) == Some(count), "the elements of vectors")?;
                let elements = (0..count).map(|_| f64::read(from)).collect::<Result<Vec<f64>>>()?;
                BuilderData::Vectors(Vectors::of_block(length, Block::F64(elements.into())))
            }
            _ => return Err(damaged("the form of a column")),
        };
        Ok(ColumnBuilder { data, valid, len })
    }
}

/// So many values.
fn values<T: Wire>(from: &mut Reader<'_>, len: usize) -> Result<Vec<T>> {
    let values: Vec<T> = Wire::read(from)?;
    check(values.len() == len, "a column of another length")?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Wire>(bytes: &[u8]) -> Result<(T, usize)> {
        let mut from = Reader { bytes, depth: 0 };
        Ok((T::read(&mut from)?, from.bytes.len()))
    }

    #[test]
    fn no_length_of_a_vector_is_believed() {
        let of = DataType::vector(DataType::Real, 3);
        let value = Value::vector([1.5, f64::NAN, -0.0].as_slice());
        let column = ColumnBuilder::from_values(&[value.clone(), Value::Null, value.clone()], of);
        let (mut one, mut many) = (Vec::new(), Vec::new());
        value.write(&mut one);
        column.write(&mut many);
        let (again, left): (ColumnBuilder, usize) = read(&many).expect("as it was written");
        assert_eq!((again.len(), left), (3, 0));
        assert_eq!(format!("{:?}", again.into_vector().value(2, of)), format!("{value:?}"));
        assert!(read::<Value>(&one).is_ok());
        // Every byte that is another one, and every end, is an error or something that can be read.
        for at in 0..many.len() {
            assert!(read::<ColumnBuilder>(&many[..at]).is_err(), "{at}");
            for byte in [0, 1, 2, 0x7F, 0x80, 0xFF] {
                let mut damaged = many.clone();
                damaged[at] = byte;
                if let Ok((column, _)) = read::<ColumnBuilder>(&damaged) {
                    let rows = column.len();
                    let vector = column.into_vector();
                    (0..rows).for_each(|row| _ = vector.value(row, of));
                }
            }
        }
        // A vector of no elements, and one of more than there may be.
        assert!(read::<Value>(&[[8].as_slice(), &[0; 8]].concat()).is_err());
        let count = VECTOR_LENGTH_MAX as usize + 1;
        let long = [[8].as_slice(), &count.to_le_bytes(), &vec![0; 8 * count]].concat();
        assert!(read::<Value>(&long).is_err());
        assert!(read::<Value>(&[[8].as_slice(), &u64::MAX.to_le_bytes()].concat()).is_err());
    }
}
