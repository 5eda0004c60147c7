//! SQL's names of types.

use super::interval::fields_of_type;
use super::structure;
use crate::catalog::{Restriction, TableName};
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder;
use crate::sql::forms::STRUCT;
use crate::types::{DECIMAL_DIGITS_MAX, DataType, OidKind, SystemType};
use sqlparser::ast;

/// The type that a name in the text stands for. A cast to a bare NUMERIC keeps the operand's own scale.
///
/// Errors (without a position, the tree has none): unknown and unsupported types, lengths and digits out of range.
pub(crate) fn bind_data_type(ast: &ast::DataType) -> Result<DataType> {
    bind_type(ast, &|_| Ok(None))
}

/// The same, where `made` gives the types that statements have made, by name.
pub(in crate::sql) fn bind_type(
    ast: &ast::DataType,
    made: &dyn Fn(&TableName) -> Result<Option<DataType>>,
) -> Result<DataType> {
    use ast::ArrayElemTypeDef as Element;
    use ast::DataType as T;
    Ok(match ast {
        T::Bool | T::Boolean => DataType::Boolean,
        T::SmallInt(None) | T::Int2(None) => DataType::SmallInt,
        T::Int(None) | T::Integer(None) | T::Int4(None) => DataType::Integer,
        T::BigInt(None) | T::Int8(None) => DataType::BigInt,
        T::Real | T::Float4 => DataType::Real,
        T::DoublePrecision | T::Float8 | T::Double(ast::ExactNumberInfo::None) => DataType::Double,
        T::Float(info) => float(info)?,
        T::Numeric(info) | T::Decimal(info) | T::Dec(info) => decimal(info)?,
        T::Text => DataType::Text,
        T::Varchar(length) | T::CharacterVarying(length) | T::CharVarying(length) => match length {
            None => DataType::VARCHAR,
            Some(length) => DataType::Varchar(characters("varchar", length)?),
        },
        T::Char(length) | T::Character(length) => match length {
            None => DataType::Char(1),
            Some(length) => DataType::Char(characters("char", length)?),
        },
        T::Bit(length) => DataType::Bit(builder::bits("bit", length.unwrap_or(1))?),
        T::BitVarying(None) | T::VarBit(None) => DataType::VARBIT,
        T::BitVarying(Some(length)) | T::VarBit(Some(length)) => DataType::VarBit(builder::bits("varbit", *length)?),
        T::Date => DataType::Date,
        T::Time(_, zone) => {
            let zoned = matches!(zone, ast::TimezoneInfo::WithTimeZone | ast::TimezoneInfo::Tz);
            if zoned { DataType::TimeTz } else { DataType::Time }
        }
        T::Timestamp(_, zone) => {
            let zoned = matches!(zone, ast::TimezoneInfo::WithTimeZone | ast::TimezoneInfo::Tz);
            if zoned { DataType::TimestampTz } else { DataType::Timestamp }
        }
        T::Interval { .. } => DataType::Interval,
        T::Bytea => DataType::Bytea,
        T::Uuid => DataType::Uuid,
        T::JSON => DataType::Json,
        T::JSONB => DataType::Jsonb,
        T::Regclass => DataType::Oid(OidKind::Class),
        // Lengths of arrays are not checked, and all numbers of dimensions are one type, as in PostgreSQL.
        T::Array(Element::SquareBracket(of, _) | Element::Qualified(of, _)) => match bind_type(of, made)? {
            array if array.element().is_some() => array,
            element => DataType::list(element),
        },
        T::Custom(name, modifiers) => custom(name, modifiers, made)?,
        other => return Err(Error::unsupported(format_args!("type {other} is"))),
    })
}

fn float(info: &ast::ExactNumberInfo) -> Result<DataType> {
    match *info {
        ast::ExactNumberInfo::None => Ok(DataType::Double),
        ast::ExactNumberInfo::Precision(bits @ 1..=53) => {
            Ok(if bits <= 24 { DataType::Real } else { DataType::Double })
        }
        _ => Err(Error::new(ErrorKind::InvalidParameter, "precision for type float must be between 1 and 53")),
    }
}

fn decimal(info: &ast::ExactNumberInfo) -> Result<DataType> {
    let (precision, scale) = match *info {
        ast::ExactNumberInfo::None => return Ok(DataType::Numeric),
        ast::ExactNumberInfo::Precision(precision) => (precision, 0),
        ast::ExactNumberInfo::PrecisionAndScale(precision, scale) => (precision, scale),
    };
    Ok(match wide_digits(precision, scale)? {
        Some(_) => DataType::Numeric,
        None => builder::decimal(precision, scale)?,
    })
}

/// The digits of a NUMERIC that is no decimal: by its scale, or its precision; 22023 out of range.
fn wide_digits(precision: u64, scale: i64) -> Result<Option<Restriction>> {
    let out_of_range = |message: String| Err(Error::new(ErrorKind::InvalidParameter, message));
    let Some(digits) = u16::try_from(precision).ok().filter(|digits| (1..=1000).contains(digits)) else {
        return out_of_range(format!("NUMERIC precision {precision} must be between 1 and 1000"));
    };
    let Some(places) = i16::try_from(scale).ok().filter(|scale| (-1000..=1000).contains(scale)) else {
        return out_of_range(format!("NUMERIC scale {scale} must be between -1000 and 1000"));
    };
    let is_decimal = digits <= DECIMAL_DIGITS_MAX.into() && places >= 0 && places.unsigned_abs() <= digits;
    Ok((!is_decimal).then_some(Restriction::Digits { precision: digits, scale: places }))
}

fn characters(name: &str, length: &ast::CharacterLength) -> Result<u32> {
    let length = match length {
        ast::CharacterLength::IntegerLength { length, unit: None | Some(ast::CharLengthUnits::Characters) } => *length,
        other => return Err(Error::unsupported(format_args!("the length {other} of type {name} is"))),
    };
    builder::characters(name, length)
}

/// What values of a type lose that its [`DataType`] does not say: `timestamp(3)`, `interval day to hour`.
pub(crate) fn restriction(ast: &ast::DataType) -> Option<Restriction> {
    use ast::DataType as T;
    match ast {
        T::Time(precision, _) | T::Timestamp(precision, _) => {
            precision.map(super::interval::digits).map(Restriction::Seconds)
        }
        T::Numeric(info) | T::Decimal(info) | T::Dec(info) => match *info {
            ast::ExactNumberInfo::None => None,
            ast::ExactNumberInfo::Precision(precision) => wide_digits(precision, 0).ok().flatten(),
            ast::ExactNumberInfo::PrecisionAndScale(precision, scale) => wide_digits(precision, scale).ok().flatten(),
        },
        T::Interval { fields, precision } => fields_of_type(*fields, *precision).map(Restriction::Fields),
        _ => None,
    }
}

/// Names that sqlparser has no node for.
fn custom(
    name: &ast::ObjectName,
    modifiers: &[String],
    made: &dyn Fn(&TableName) -> Result<Option<DataType>>,
) -> Result<DataType> {
    let parts: Vec<String> =
        name.0.iter().filter_map(|part| part.as_ident()).map(crate::sql::binder::Binder::fold).collect();
    let plain = match parts.as_slice() {
        [schema, plain] if schema == "pg_catalog" => plain.as_str(),
        [plain] => plain.as_str(),
        _ => "",
    };
    if let (STRUCT, [fields]) = (plain, modifiers) {
        return structure::struct_type(fields, made);
    }
    // pgvector's is in the schema that it was installed in, which is mostly this one. Without a length it may be a type that a
    // statement has made.
    let is_vector = plain == "vector" || parts == ["public", "vector"];
    if is_vector && !modifiers.is_empty() {
        return vector(modifiers);
    }
    if !modifiers.is_empty() {
        return Err(Error::new(ErrorKind::UnknownObject, format!("type \"{name}\" does not exist")));
    }
    if let Some(known) = named(plain) {
        return Ok(known);
    }
    if let Some(element) = plain.strip_prefix('_').and_then(named) {
        return Ok(DataType::list(element));
    }
    let of = match parts.as_slice() {
        [.., schema, name] => TableName { schema: Some(schema.clone()), name: name.clone() },
        [name] => TableName::from(name.as_str()),
        [] => TableName::from(""),
    };
    match made(&of)? {
        Some(made) => Ok(made),
        None if is_vector => vector(modifiers),
        None => Err(Error::new(ErrorKind::UnknownObject, format!("type \"{name}\" does not exist"))),
    }
}

/// `vector(n)`, whose elements are reals, or `vector(n, double)`.
fn vector(modifiers: &[String]) -> Result<DataType> {
    let (length, of) = match modifiers {
        [length] => (length, DataType::Real),
        [length, of] if ["real", "float4"].iter().any(|name| of.eq_ignore_ascii_case(name)) => (length, DataType::Real),
        [length, of] if ["double", "float8"].iter().any(|name| of.eq_ignore_ascii_case(name)) => {
            (length, DataType::Double)
        }
        [] => {
            let message = "type vector needs a length: vector(3)";
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        [_, of] => {
            let message = format!("a vector has elements of real or double, not of {of}");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        _ => return Err(Error::new(ErrorKind::InvalidParameter, "type vector has a length, and a type of elements")),
    };
    builder::vector(of, length)
}

/// The type of one of PostgreSQL's own names. `char` comes here only where it was quoted, or in an array's name.
fn named(name: &str) -> Option<DataType> {
    Some(match name {
        "bool" => DataType::Boolean,
        "bpchar" => DataType::BPCHAR,
        "bytea" => DataType::Bytea,
        "char" => DataType::InternalChar,
        "date" => DataType::Date,
        "float4" => DataType::Real,
        "float8" => DataType::Double,
        "int2" => DataType::SmallInt,
        "int4" => DataType::Integer,
        "int8" => DataType::BigInt,
        "int2vector" => DataType::int2vector(),
        "oidvector" => DataType::oidvector(),
        "interval" => DataType::Interval,
        "json" => DataType::Json,
        "jsonb" => DataType::Jsonb,
        "name" => DataType::Name,
        "numeric" => DataType::Numeric,
        "text" => DataType::Text,
        "time" => DataType::Time,
        "timestamp" => DataType::Timestamp,
        "timestamptz" => DataType::TimestampTz,
        "timetz" => DataType::TimeTz,
        "uuid" => DataType::Uuid,
        "bit" => DataType::BIT,
        "varbit" => DataType::VARBIT,
        "jsonpath" => DataType::JsonPath,
        "varchar" => DataType::VARCHAR,
        "aclitem" => DataType::System(SystemType::AclItem),
        "pg_node_tree" => DataType::System(SystemType::NodeTree),
        _ => DataType::Oid(OidKind::named(name)?),
    })
}
