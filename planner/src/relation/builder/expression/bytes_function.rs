//! Functions of bytes: of a bytea, or of a text as bytes.

use super::call::{Special, take};
use super::coercion::Coercion;
use super::fold;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ByteFormat, BytesFunction, Function, MathFunction, ShaBits, TextFunction, TrimSide};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;
use crate::value::Value;

fn call(function: BytesFunction, arguments: Vec<Expression>, to: DataType) -> Special {
    Special::Bound(fold::call(Function::Bytes(function), arguments, to))
}

impl Builder<'_> {
    /// A function of bytes, if the name and the types are of one.
    pub(super) fn special_byte_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let is_bytes = arguments.first().is_some_and(|argument| argument.data_type == T::Bytea);
        if is_bytes {
            match self.part_of_bytes(name, arguments)? {
                Special::NoMatch(same) => return self.encoded_bytes(name, same, true),
                bound => return Ok(bound),
            }
        }
        self.encoded_bytes(name, arguments, false)
    }

    /// Those whose name is a text's function, too: the first argument is a bytea.
    fn part_of_bytes(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use BytesFunction as B;
        use DataType as T;
        let types: &[T] = match name {
            "get_byte" => &[T::Bytea, T::Integer],
            "get_bit" => &[T::Bytea, T::BigInt],
            "set_byte" => &[T::Bytea, T::Integer, T::Integer],
            "set_bit" => &[T::Bytea, T::BigInt, T::Integer],
            "strpos" | "position" | "btrim" | "ltrim" | "rtrim" => &[T::Bytea, T::Bytea],
            "substring" | "substr" => &[T::Bytea, T::Integer, T::Integer],
            "overlay" => &[T::Bytea, T::Bytea, T::Integer, T::Integer],
            "bit_count" | "length" | "octet_length" | "to_base64" | "base64" | "hex" | "to_hex" => &[T::Bytea],
            _ => return Ok(Special::NoMatch(arguments)),
        };
        let is_shorter = matches!(name, "substring" | "substr" | "overlay") && arguments.len() + 1 == types.len();
        let fits = |(argument, &of): (&Expression, &T)| {
            super::coercion::castable(argument.data_type, of, Coercion::Implicit) || argument.data_type == T::Null
        };
        if (arguments.len() != types.len() && !is_shorter) || !arguments.iter().zip(types).all(fits) {
            return Ok(Special::NoMatch(arguments));
        }
        let given = arguments.into_iter().zip(types);
        let given = given.map(|(argument, &of)| self.coerce(argument, of, Coercion::Implicit));
        let given: Vec<Expression> = given.collect::<Result<_>>()?;
        Ok(match name {
            "get_byte" => call(B::GetByte, given, T::Integer),
            "get_bit" => call(B::GetBit, given, T::Integer),
            "set_byte" => call(B::SetByte, given, T::Bytea),
            "set_bit" => call(B::SetBit, given, T::Bytea),
            "strpos" | "position" => call(B::Position, given, T::Integer),
            "btrim" => call(B::Trim(TrimSide::Both), given, T::Bytea),
            "ltrim" => call(B::Trim(TrimSide::Leading), given, T::Bytea),
            "rtrim" => call(B::Trim(TrimSide::Trailing), given, T::Bytea),
            "substring" | "substr" => call(B::Substring, given, T::Bytea),
            "overlay" => call(B::Overlay, given, T::Bytea),
            "bit_count" => call(B::BitCount, given, T::BigInt),
            "to_base64" | "base64" => call(B::ToBase64, given, T::Text),
            "hex" | "to_hex" => {
                let digits = fold::call(Function::Encode(ByteFormat::Hex), given, T::Text);
                Special::Bound(fold::call(Function::Upper, vec![digits], T::Text))
            }
            _ => Special::Bound(fold::call(Function::ByteLength, given, T::Integer)),
        })
    }

    /// Formats, encodings and hashes.
    fn encoded_bytes(&mut self, name: &str, arguments: Vec<Expression>, is_bytes: bool) -> Result<Special> {
        use BytesFunction as B;
        use DataType as T;
        let bound = match (name, arguments.len()) {
            ("encode" | "decode", 2) => {
                let [value, format] = take(arguments);
                let (from, to) = if name == "encode" { (T::Bytea, T::Text) } else { (T::Text, T::Bytea) };
                let value = self.coerce(value, from, Coercion::Implicit)?;
                if fold::constant(&format).is_none() {
                    let format = self.coerce(format, T::Text, Coercion::Implicit)?;
                    return Ok(call(if name == "encode" { B::Encode } else { B::Decode }, vec![value, format], to));
                }
                let Some(function) = byte_format(&format)? else {
                    return Ok(Special::Bound(Expression::constant(Value::Null, to)));
                };
                let function = if name == "encode" { Function::Encode(function) } else { Function::Decode(function) };
                fold::call(function, vec![value], to)
            }
            ("from_base64", 1) => {
                let [value] = take(arguments);
                let value = self.coerce(value, T::Text, Coercion::Implicit)?;
                fold::call(Function::Decode(ByteFormat::Base64), vec![value], T::Bytea)
            }
            ("hex", 1) if arguments[0].data_type.is_text() || arguments[0].data_type == T::Null => {
                let [value] = take(arguments);
                let bytes = self.utf8(value)?;
                let digits = fold::call(Function::Encode(ByteFormat::Hex), vec![bytes], T::Text);
                fold::call(Function::Upper, vec![digits], T::Text)
            }
            ("unhex" | "from_hex", 1) => {
                let [value] = take(arguments);
                let value = self.coerce(value, T::Text, Coercion::Implicit)?;
                fold::call(Function::Decode(ByteFormat::Hex), vec![value], T::Bytea)
            }
            ("convert_to", 2) => {
                let [value, encoding] = take(arguments);
                let is_utf8 = matches!(fold::constant(&encoding),
                    Some(Value::Text(name)) if matches!(name.to_ascii_lowercase().as_str(), "utf8" | "utf-8"));
                if is_utf8 {
                    return self.utf8(value).map(Special::Bound);
                }
                let value = self.coerce(value, T::Text, Coercion::Implicit)?;
                let encoding = self.coerce(encoding, T::Text, Coercion::Implicit)?;
                return Ok(call(B::ToEncoding, vec![value, encoding], T::Bytea));
            }
            ("convert_from", 2) | ("convert", 3) => {
                let mut given = Vec::with_capacity(3);
                for (at, argument) in arguments.into_iter().enumerate() {
                    let argument = self.as_string(argument);
                    given.push(self.coerce(argument, if at == 0 { T::Bytea } else { T::Text }, Coercion::Implicit)?);
                }
                match name {
                    "convert" => return Ok(call(B::Convert, given, T::Bytea)),
                    _ => return Ok(call(B::FromEncoding, given, T::Text)),
                }
            }
            ("get_byte" | "get_bit" | "set_byte" | "set_bit", 2..=3) if arguments[0].data_type == T::Null => {
                let mut arguments = arguments;
                let first = arguments.remove(0);
                arguments.insert(0, self.coerce(first, T::Bytea, Coercion::Implicit)?);
                return self.part_of_bytes(name, arguments);
            }
            _ => return self.hashed_bytes(name, arguments, is_bytes),
        };
        Ok(Special::Bound(bound))
    }

    /// Hashes, and digits and bits of integers.
    fn hashed_bytes(&mut self, name: &str, arguments: Vec<Expression>, is_bytes: bool) -> Result<Special> {
        use DataType as T;
        let bound = match (name, arguments.len()) {
            ("md5", 1) => {
                let [value] = take(arguments);
                let bytes = if is_bytes { value } else { self.utf8(value)? };
                fold::call(Function::Md5, vec![bytes], T::Text)
            }
            ("sha224" | "sha256" | "sha384" | "sha512", 1) => {
                let [value] = take(arguments);
                let bits = match name {
                    "sha224" => ShaBits::Bits224,
                    "sha256" => ShaBits::Bits256,
                    "sha384" => ShaBits::Bits384,
                    _ => ShaBits::Bits512,
                };
                // PostgreSQL has them of bytes alone; DuckDB's of a text gives hexadecimal digits.
                if value.data_type.is_text() {
                    let bytes = self.utf8(value)?;
                    let hash = fold::call(Function::Sha(bits), vec![bytes], T::Bytea);
                    return Ok(Special::Bound(fold::call(Function::Encode(ByteFormat::Hex), vec![hash], T::Text)));
                }
                if !is_bytes && value.data_type != T::Null {
                    return Ok(Special::NoMatch(vec![value]));
                }
                let bytes = self.coerce(value, T::Bytea, Coercion::Implicit)?;
                fold::call(Function::Sha(bits), vec![bytes], T::Bytea)
            }
            ("hex", 1) if arguments[0].data_type.is_integer() => {
                let Special::Bound(digits) = self.match_signature("to_hex", arguments)? else {
                    return Err(Error::internal("integers have hexadecimal digits"));
                };
                fold::call(Function::Upper, vec![digits], T::Text)
            }
            ("bit_length", 1) => {
                let [value] = take(arguments);
                let bytes = if is_bytes { value } else { self.utf8(value)? };
                let length = fold::call(Function::ByteLength, vec![bytes], T::Integer);
                let eight = Expression::constant(Value::Int(8), T::Integer);
                fold::call(Function::Multiply, vec![length, eight], T::Integer)
            }
            ("bit_count", 1) if arguments[0].data_type.is_integer() => {
                fold::call(Function::Math(MathFunction::BitCount), arguments, T::Integer)
            }
            ("to_bin" | "bin" | "to_binary" | "to_oct", 1) if arguments[0].data_type.is_integer() => {
                let function = if name == "to_oct" { TextFunction::ToOctal } else { TextFunction::ToBinary };
                let [number] = take(arguments);
                let wide = if number.data_type == T::BigInt { T::BigInt } else { T::Integer };
                let number = self.coerce(number, wide, Coercion::Implicit)?;
                fold::call(Function::Text(function), vec![number], T::Text)
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(bound))
    }

    /// The bytes of a text.
    fn utf8(&mut self, value: Expression) -> Result<Expression> {
        let text = self.coerce(value, DataType::Text, Coercion::Implicit)?;
        Ok(fold::call(Function::Utf8, vec![text], DataType::Bytea))
    }
}

/// A format that is named by a literal; none of NULL.
fn byte_format(format: &Expression) -> Result<Option<ByteFormat>> {
    let position = format.position;
    let Some(Value::Text(name)) = fold::constant(format) else { return Ok(None) };
    ByteFormat::named(name).map(Some).ok_or_else(|| {
        Error::new(ErrorKind::InvalidParameter, format!("unrecognized encoding: \"{name}\"")).at(position)
    })
}
