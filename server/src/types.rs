//! PostgreSQL's numbers of types: one table from type to OID, size and modifier, and back.

use multiloop::DataType;

/// A type as the protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireType {
    /// Its OID in pg_type.
    pub(crate) oid: u32,
    /// Bytes of a value; -1 if they vary.
    pub(crate) bytes: i16,
    /// What it has besides its OID (length, digits); -1 for nothing.
    pub(crate) modifier: i32,
}

/// The length of a varchar or a numeric's modifier counts a header that no longer is.
const HEADER: i32 = 4;

/// OID, bytes and type, of those that have no modifier.
const TYPES: &[(u32, i16, DataType)] = &[
    (16, 1, DataType::Boolean),
    (20, 8, DataType::BigInt),
    (21, 2, DataType::SmallInt),
    (23, 4, DataType::Integer),
    (25, -1, DataType::Text),
    (700, 4, DataType::Real),
    (701, 8, DataType::Double),
    (1042, -1, DataType::BPCHAR),
    (1043, -1, DataType::VARCHAR),
    (1082, 4, DataType::Date),
    (1083, 8, DataType::Time),
    (1114, 8, DataType::Timestamp),
    (1186, 16, DataType::Interval),
    (1700, -1, DataType::Numeric),
];

/// The OID that clients send for what they do not know, beside 0.
const UNKNOWN: u32 = 705;

/// A type's number, size and modifier. What has no type yet (a bare NULL) is text, as PostgreSQL shows it.
pub(crate) fn wire_type(data_type: DataType) -> WireType {
    let (plain, modifier) = match data_type {
        DataType::Varchar(length) if data_type != DataType::VARCHAR => (DataType::VARCHAR, with_header(length)),
        DataType::Char(length) if data_type != DataType::BPCHAR => (DataType::BPCHAR, with_header(length)),
        DataType::Decimal { precision, scale } => {
            (DataType::Numeric, ((i32::from(precision) << 16) | i32::from(scale)) + HEADER)
        }
        other => (other, -1),
    };
    let found = TYPES.iter().find(|(_, _, data_type)| *data_type == plain);
    let (oid, bytes) = found.map_or((25, -1), |(oid, bytes, _)| (*oid, *bytes));
    WireType { oid, bytes, modifier }
}

fn with_header(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX - HEADER).saturating_add(HEADER)
}

/// What an OID says of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// Nothing: it is inferred.
    Unknown,
    /// It is of this type.
    Known(DataType),
    /// There is no such type here.
    Missing,
}

/// The type of an OID.
pub(crate) fn declared(oid: u32) -> Declared {
    if oid == 0 || oid == UNKNOWN {
        return Declared::Unknown;
    }
    let found = TYPES.iter().find(|(number, _, _)| *number == oid);
    found.map_or(Declared::Missing, |(_, _, data_type)| Declared::Known(*data_type))
}

#[cfg(test)]
mod tests {
    use super::{Declared, TYPES, WireType, declared, wire_type};
    use multiloop::DataType;

    #[test]
    fn types_and_numbers_are_one_table() {
        for (oid, bytes, data_type) in TYPES {
            assert_eq!(wire_type(*data_type), WireType { oid: *oid, bytes: *bytes, modifier: -1 });
            assert_eq!(declared(*oid), Declared::Known(*data_type));
        }
        assert_eq!(
            (declared(0), declared(705), declared(1)),
            (Declared::Unknown, Declared::Unknown, Declared::Missing)
        );
    }

    #[test]
    fn modifiers_are_postgresqls() {
        let modifier = |data_type| (wire_type(data_type).oid, wire_type(data_type).modifier);
        assert_eq!(modifier(DataType::Varchar(10)), (1043, 14));
        assert_eq!(modifier(DataType::Char(3)), (1042, 7));
        assert_eq!(modifier(DataType::decimal(12, 2)), (1700, 786_438));
        assert_eq!(modifier(DataType::Null), (25, -1));
    }
}
