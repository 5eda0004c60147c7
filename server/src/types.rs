//! PostgreSQL's numbers of types: one table from type to OID, size and modifier, and back.

use multiloop::{DataType, OidKind, Sight, SystemType};

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

/// OID, OID of the array, bytes and type, of those that have no modifier.
const TYPES: &[(u32, u32, i16, DataType)] = &[
    (16, 1000, 1, DataType::Boolean),
    (17, 1001, -1, DataType::Bytea),
    (18, 1002, 1, DataType::InternalChar),
    (19, 1003, 64, DataType::Name),
    (20, 1016, 8, DataType::BigInt),
    (21, 1005, 2, DataType::SmallInt),
    (23, 1007, 4, DataType::Integer),
    (24, 1008, 4, DataType::Oid(OidKind::Procedure)),
    (25, 1009, -1, DataType::Text),
    (26, 1028, 4, DataType::Oid(OidKind::Any)),
    (27, 1010, 6, DataType::Oid(OidKind::Place)),
    (28, 1011, 4, DataType::Oid(OidKind::Transaction)),
    (29, 1012, 4, DataType::Oid(OidKind::Command)),
    (114, 199, -1, DataType::Json),
    (700, 1021, 4, DataType::Real),
    (701, 1022, 8, DataType::Double),
    (1042, 1014, -1, DataType::BPCHAR),
    (1043, 1015, -1, DataType::VARCHAR),
    (1082, 1182, 4, DataType::Date),
    (1083, 1183, 8, DataType::Time),
    (1114, 1115, 8, DataType::Timestamp),
    (1184, 1185, 8, DataType::TimestampTz),
    (1186, 1187, 16, DataType::Interval),
    (1266, 1270, 12, DataType::TimeTz),
    (1560, 1561, -1, DataType::BIT),
    (1562, 1563, -1, DataType::VARBIT),
    (1700, 1231, -1, DataType::Numeric),
    (2202, 2207, 4, DataType::Oid(OidKind::ProcedureWithArguments)),
    (2203, 2208, 4, DataType::Oid(OidKind::Operator)),
    (2205, 2210, 4, DataType::Oid(OidKind::Class)),
    (2206, 2211, 4, DataType::Oid(OidKind::Type)),
    (2950, 2951, 16, DataType::Uuid),
    (3802, 3807, -1, DataType::Jsonb),
    (4072, 4073, -1, DataType::JsonPath),
    (4089, 4090, 4, DataType::Oid(OidKind::Namespace)),
    (4096, 4097, 4, DataType::Oid(OidKind::Role)),
];

/// Numbers that count from 0.
const INT2VECTOR: (u32, u32, i16) = (22, 1006, -1);
const OIDVECTOR: (u32, u32, i16) = (30, 1013, -1);

/// Rows as values, whatever they are of.
const RECORD: (u32, u32, i16) = (2249, 2287, -1);

/// Vectors of reals, as pgvector's type, and of doubles: numbers that PostgreSQL's own types leave free. The modifier is the length.
const VECTOR: (u32, u32, i16) = (16_000, 16_001, -1);
const DOUBLE_VECTOR: (u32, u32, i16) = (16_002, 16_003, -1);

/// The same of the system's own types, of which there are no parameters; where there are no arrays of one, those of text.
const SYSTEM: &[(u32, u32, i16, SystemType)] = &[
    (194, 1009, -1, SystemType::NodeTree),
    (869, 1041, -1, SystemType::Inet),
    (1033, 1034, 12, SystemType::AclItem),
    (2277, 1009, -1, SystemType::AnyArray),
    (2278, 1009, 4, SystemType::Void),
    (3220, 3221, 8, SystemType::LogPlace),
    (3361, 1009, -1, SystemType::DistinctCounts),
    (3402, 1009, -1, SystemType::Dependencies),
    (5017, 1009, -1, SystemType::CommonValues),
    (10029, 10028, -1, SystemType::Statistic),
];

/// What has no number of its own is sent as text: a bare NULL, structs and arrays of them, and enums where nobody knows theirs.
const TEXT: (u32, u32, i16) = (25, 1009, -1);

/// The OID that clients send for what they do not know, beside 0.
const UNKNOWN: u32 = 705;

/// A type's number, size and modifier; of an array the modifier of its elements. What has no type yet (a bare NULL) is text, as
/// PostgreSQL shows it.
pub(crate) fn wire_type(data_type: DataType) -> WireType {
    if let Some(element) = data_type.element().filter(|_| !data_type.is_zero_based() && !data_type.is_of_structs()) {
        let ((_, oid, _), modifier) = numbers(element);
        return WireType { oid, bytes: -1, modifier };
    }
    let ((oid, _, bytes), modifier) = numbers(data_type);
    WireType { oid, bytes, modifier }
}

/// A type's number, size and modifier, where somebody sees which types were made.
pub(crate) fn wire_type_in(data_type: DataType, sight: &Sight) -> WireType {
    match sight.number_of_type(data_type) {
        // An enum's value is the number of its label there.
        Some(oid) => WireType { oid, bytes: if data_type.element().is_some() { -1 } else { 4 }, modifier: -1 },
        None => wire_type(data_type),
    }
}

/// OID, OID of the array and bytes of a type that is no array, and its modifier.
fn numbers(data_type: DataType) -> ((u32, u32, i16), i32) {
    let (plain, modifier) = match data_type {
        DataType::Varchar(length) if data_type != DataType::VARCHAR => (DataType::VARCHAR, with_header(length)),
        DataType::Char(length) if data_type != DataType::BPCHAR => (DataType::BPCHAR, with_header(length)),
        DataType::Decimal { precision, scale } => {
            (DataType::Numeric, ((i32::from(precision) << 16) | i32::from(scale)) + HEADER)
        }
        DataType::Bit(length) if data_type != DataType::BIT => (DataType::BIT, whole(length)),
        DataType::VarBit(length) if data_type != DataType::VARBIT => (DataType::VARBIT, whole(length)),
        other => (other, other.vector_of().map_or(-1, |(_, length)| whole(length))),
    };
    if let DataType::System(of) = plain {
        let found = SYSTEM.iter().find(|(_, _, _, system)| *system == of);
        return (found.map_or(TEXT, |(oid, array, bytes, _)| (*oid, *array, *bytes)), modifier);
    }
    let found = TYPES.iter().find(|(_, _, _, data_type)| *data_type == plain);
    let nested = || match plain {
        row if row.fields().is_some() => RECORD,
        vector if let Some((of, _)) = vector.vector_of() => {
            if of == DataType::Real {
                VECTOR
            } else {
                DOUBLE_VECTOR
            }
        }
        vector if vector.is_zero_based() && vector.element() == Some(DataType::SmallInt) => INT2VECTOR,
        vector if vector.is_zero_based() => OIDVECTOR,
        _ => TEXT,
    };
    (found.map_or_else(nested, |(oid, array, bytes, _)| (*oid, *array, *bytes)), modifier)
}

fn with_header(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX - HEADER).saturating_add(HEADER)
}

/// The length of a bit string or a vector, which counts no header.
fn whole(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// What an OID says of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// Nothing: it is inferred.
    Unknown,
    /// It is of this type.
    Known(DataType),
    /// No type of the system: one that was made, or none.
    Missing,
}

/// The type of an OID.
pub(crate) fn declared(oid: u32) -> Declared {
    if oid == 0 || oid == UNKNOWN {
        return Declared::Unknown;
    }
    match oid {
        _ if oid == INT2VECTOR.0 => return Declared::Known(DataType::int2vector()),
        _ if oid == OIDVECTOR.0 => return Declared::Known(DataType::oidvector()),
        // Nothing says how long it is but the place where it stands.
        _ if [VECTOR, DOUBLE_VECTOR].iter().any(|of| oid == of.0 || oid == of.1) => return Declared::Unknown,
        _ => {}
    }
    let found = TYPES.iter().find(|(number, array, _, _)| *number == oid || *array == oid);
    found.map_or(Declared::Missing, |&(number, _, _, data_type)| {
        Declared::Known(if number == oid { data_type } else { DataType::list(data_type) })
    })
}

#[cfg(test)]
mod tests {
    use super::{Declared, TYPES, WireType, declared, wire_type};
    use multiloop::DataType;

    #[test]
    fn types_and_numbers_are_one_table() {
        for &(oid, array, bytes, data_type) in TYPES {
            assert_eq!(wire_type(data_type), WireType { oid, bytes, modifier: -1 });
            assert_eq!(declared(oid), Declared::Known(data_type));
            let arrays = DataType::list(data_type);
            assert_eq!(wire_type(arrays), WireType { oid: array, bytes: -1, modifier: -1 });
            assert_eq!(declared(array), Declared::Known(arrays));
        }
        assert_eq!(
            (declared(0), declared(705), declared(1)),
            (Declared::Unknown, Declared::Unknown, Declared::Missing)
        );
    }

    #[test]
    fn the_systems_types_have_numbers() {
        for &(oid, array, bytes, of) in super::SYSTEM {
            let (one, many) = (DataType::System(of), DataType::list(DataType::System(of)));
            assert_eq!(wire_type(one), WireType { oid, bytes, modifier: -1 });
            assert_eq!(wire_type(many), WireType { oid: array, bytes: -1, modifier: -1 });
            assert_eq!(declared(oid), Declared::Missing);
        }
        assert_eq!(super::SYSTEM.len(), multiloop::SystemType::ALL.len());
    }

    #[test]
    fn modifiers_are_postgresqls() {
        let modifier = |data_type| (wire_type(data_type).oid, wire_type(data_type).modifier);
        assert_eq!(modifier(DataType::Varchar(10)), (1043, 14));
        assert_eq!(modifier(DataType::Char(3)), (1042, 7));
        assert_eq!(modifier(DataType::decimal(12, 2)), (1700, 786_438));
        assert_eq!(modifier(DataType::list(DataType::decimal(12, 2))), (1231, 786_438));
        assert_eq!(modifier(DataType::Bit(3)), (1560, 3));
        assert_eq!(modifier(DataType::VarBit(7)), (1562, 7));
        assert_eq!(modifier(DataType::list(DataType::Bit(3))), (1561, 3));
        assert_eq!(modifier(DataType::Null), (25, -1));
        assert_eq!(modifier(DataType::row(None, vec![("a".to_owned(), DataType::Text)])), (2249, -1));
        for (vector, oid) in [(DataType::int2vector(), 22), (DataType::oidvector(), 30)] {
            assert_eq!(modifier(vector), (oid, -1));
            assert_eq!(declared(oid), Declared::Known(vector));
        }
        for (of, oid) in [(DataType::Real, 16_000), (DataType::Double, 16_002)] {
            let vector = DataType::vector(of, 384);
            assert_eq!((modifier(vector), modifier(DataType::list(vector))), ((oid, 384), (oid + 1, 384)));
            assert_eq!((declared(oid), declared(oid + 1)), (Declared::Unknown, Declared::Unknown));
        }
        let mood = DataType::enumeration("mood", vec!["sad".to_owned()]);
        assert_eq!(modifier(mood), (25, -1));
        assert_eq!(modifier(DataType::list(mood)), (1009, -1));
    }
}
