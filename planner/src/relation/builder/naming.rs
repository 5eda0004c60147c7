//! The name that PostgreSQL gives to a result column without an alias.

use crate::types::{DataType, NestedType};

/// The name that an expression suggests for its column. A weak name gives way to a strong one around or inside:
/// `CASE … ELSE a END` is `a`, `CASE … ELSE 1 END` is `case`. Other expressions suggest none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Of a column, a function or an aggregate: it goes through casts and CASE.
    Strong(String),
    /// Of a type, or of a construct.
    Weak(String),
}

impl Name {
    /// The name of a column or of what is called.
    pub fn strong(name: &str) -> Option<Name> {
        Some(Name::Strong(name.to_owned()))
    }

    /// A literal that says its type.
    pub fn of_typed_literal(data_type: DataType) -> Option<Name> {
        Some(Name::Weak(type_name(data_type).to_owned()))
    }

    /// A cast of what suggests `inner`.
    pub fn of_cast(inner: Option<Name>, data_type: DataType) -> Option<Name> {
        Self::around(inner, type_name(data_type))
    }

    /// CASE whose ELSE suggests `otherwise`.
    pub fn of_case(otherwise: Option<Name>) -> Option<Name> {
        Self::around(otherwise, "case")
    }

    /// The strong name inside, else a weak one.
    pub(crate) fn around(inner: Option<Name>, weak: &str) -> Option<Name> {
        match inner {
            Some(Name::Strong(name)) => Some(Name::Strong(name)),
            _ => Some(Name::Weak(weak.to_owned())),
        }
    }

    /// The column's name.
    pub fn or_unnamed(name: Option<Name>) -> String {
        match name {
            Some(Name::Strong(name) | Name::Weak(name)) => name,
            None => "?column?".to_owned(),
        }
    }
}

/// PostgreSQL's internal name of a type.
pub(crate) fn type_name(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Null => "unknown",
        DataType::Boolean => "bool",
        DataType::SmallInt => "int2",
        DataType::Integer => "int4",
        DataType::BigInt => "int8",
        DataType::Real => "float4",
        DataType::Double => "float8",
        DataType::Decimal { .. } | DataType::Numeric => "numeric",
        DataType::Text => "text",
        DataType::Varchar(_) => "varchar",
        DataType::Char(_) => "bpchar",
        DataType::Date => "date",
        DataType::Time => "time",
        DataType::Timestamp => "timestamp",
        DataType::Interval => "interval",
        DataType::Oid(kind) => kind.name(),
        DataType::Name => "name",
        DataType::InternalChar => "char",
        DataType::Bytea => "bytea",
        DataType::Uuid => "uuid",
        DataType::Json => "json",
        DataType::Jsonb => "jsonb",
        DataType::TimestampTz => "timestamptz",
        DataType::TimeTz => "timetz",
        DataType::Bit(_) => "bit",
        DataType::VarBit(_) => "varbit",
        DataType::JsonPath => "jsonpath",
        DataType::System(of) => of.name(),
        DataType::Nested(nested) => match nested.get() {
            NestedType::List(of) => type_name(*of),
            NestedType::Enum { name, .. } => name,
            NestedType::ZeroBased(DataType::SmallInt) => "int2vector",
            NestedType::ZeroBased(_) => "oidvector",
            NestedType::Row { table, .. } => table.as_deref().unwrap_or("record"),
            NestedType::Struct(_) => "struct",
            NestedType::Vector(..) => "vector",
        },
    }
}
