//! Types: pg_type, and the numbers, modifiers and names of types.

use super::names::{is_visible, quoted};
use super::rows::{Rows, boolean, fixed, int, oid, text};
use super::session_tables::role_number;
use super::{Making, PG_CATALOG, shape};
use crate::catalog::{Entry, State};
use multiloop_planner::catalog::{Declared, Restriction};
use multiloop_planner::types::{DataType, OidKind, SystemType};
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a column has of its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeOf {
    pub(super) oid: u32,
    /// Length, or precision and scale; -1 for none.
    pub(super) modifier: i32,
}

/// The numbers of vectors of reals and of doubles.
const VECTOR: u32 = 16_000;
const DOUBLE_VECTOR: u32 = 16_002;

/// PostgreSQL's number of a type; a type that it has not is text.
pub(crate) fn type_oid(data_type: DataType) -> u32 {
    use DataType as T;
    if let Some(of) = data_type.element().filter(|_| data_type.is_zero_based()) {
        return if of == DataType::SmallInt { 22 } else { 30 };
    }
    if data_type.fields().is_some() {
        return 2249;
    }
    if let Some(element) = data_type.element().filter(|_| !data_type.is_of_structs()) {
        return FIXED.get(&type_oid(element)).map_or(1009, |fixed| fixed.array);
    }
    if let Some((of, _)) = data_type.vector_of() {
        return if of == DataType::Real { VECTOR } else { DOUBLE_VECTOR };
    }
    match data_type {
        T::Boolean => 16,
        T::SmallInt => 21,
        T::Integer => 23,
        T::BigInt => 20,
        T::Real => 700,
        T::Double => 701,
        T::Decimal { .. } | T::Numeric => 1700,
        T::Varchar(_) => 1043,
        T::Char(_) => 1042,
        T::Date => 1082,
        T::Time => 1083,
        T::Timestamp => 1114,
        T::TimestampTz => 1184,
        T::TimeTz => 1266,
        T::Interval => 1186,
        T::Bit(_) => 1560,
        T::VarBit(_) => 1562,
        T::JsonPath => 4072,
        T::Name => 19,
        T::InternalChar => 18,
        T::Bytea => 17,
        T::Uuid => 2950,
        T::Json => 114,
        T::Jsonb => 3802,
        T::Oid(kind) => match kind {
            OidKind::Any => 26,
            OidKind::Transaction => 28,
            OidKind::Command => 29,
            OidKind::Place => 27,
            OidKind::Class => 2205,
            OidKind::Type => 2206,
            OidKind::Procedure => 24,
            OidKind::ProcedureWithArguments => 2202,
            OidKind::Operator => 2203,
            OidKind::Namespace => 4089,
            OidKind::Role => 4096,
        },
        T::System(of) => match of {
            SystemType::AclItem => 1033,
            SystemType::NodeTree => 194,
            SystemType::AnyArray => 2277,
            SystemType::Inet => 869,
            SystemType::LogPlace => 3220,
            SystemType::DistinctCounts => 3361,
            SystemType::Dependencies => 3402,
            SystemType::CommonValues => 5017,
            SystemType::Statistic => 10029,
            SystemType::Void => 2278,
        },
        T::Null | T::Text | T::Nested(_) => 25,
    }
}

/// The type of a column of a table that was declared so.
pub(super) fn type_of(data_type: DataType, column: usize, declared: Option<&Declared>) -> TypeOf {
    let restriction = declared.and_then(|declared| declared.restrictions.get(column).copied().flatten());
    let free = declared.is_some_and(|declared| declared.numerics.get(column) == Some(&true));
    let with_header = |length: u32| i32::try_from(length).unwrap_or(i32::MAX - 4).saturating_add(4);
    let inner = data_type.element().unwrap_or(data_type);
    let modifier = match (inner, restriction) {
        (_, Some(Restriction::Seconds(digits))) => digits.into(),
        (_, Some(Restriction::Digits { precision, scale })) => {
            ((i32::from(precision) << 16) | (i32::from(scale) & 0x7ff)) + 4
        }
        _ if free => -1,
        (DataType::Varchar(length), _) if inner != DataType::VARCHAR => with_header(length),
        (DataType::Char(length), _) if inner != DataType::BPCHAR => with_header(length),
        (DataType::Bit(length), _) if inner != DataType::BIT => i32::try_from(length).unwrap_or(i32::MAX),
        (DataType::VarBit(length), _) if inner != DataType::VARBIT => i32::try_from(length).unwrap_or(i32::MAX),
        (DataType::Decimal { precision, scale }, _) => ((i32::from(precision) << 16) | i32::from(scale)) + 4,
        (inner, _) => inner.vector_of().map_or(-1, |(_, length)| i32::try_from(length).unwrap_or(i32::MAX)),
    };
    TypeOf { oid: type_oid(data_type), modifier }
}

/// What of PostgreSQL's own types columns have.
pub(super) struct FixedType {
    pub(super) name: String,
    pub(super) length: Value,
    pub(super) by_value: Value,
    pub(super) alignment: Value,
    pub(super) storage: Value,
    pub(super) collation: Value,
    array: u32,
    element: u32,
}

/// PostgreSQL's own types by number.
pub(super) static FIXED: LazyLock<HashMap<u32, FixedType>> = LazyLock::new(|| {
    let fields = &shape::shape("pg_catalog", "pg_type").expect("it is a table of the catalog").fields;
    let place = |name: &str| fields.iter().position(|field| field.name == name).expect("a column of it");
    let places =
        ["oid", "typname", "typlen", "typbyval", "typalign", "typstorage", "typcollation", "typarray", "typelem"]
            .map(place);
    let number = |value: &Value| if let Value::Int(number) = value { *number as u32 } else { 0 };
    let of = |row: &Vec<Value>| {
        let [oid, name, length, by_value, alignment, storage, collation, array, element] = places.map(|at| &row[at]);
        let fixed = FixedType {
            name: if let Value::Text(name) = name { name.to_string() } else { String::new() },
            length: length.clone(),
            by_value: by_value.clone(),
            alignment: alignment.clone(),
            storage: storage.clone(),
            collation: collation.clone(),
            array: number(array),
            element: number(element),
        };
        (number(oid), fixed)
    };
    fixed("pg_type").iter().map(of).collect()
});

/// What a type is called in SQL where that is not its name.
fn sql_name(oid: u32) -> Option<&'static str> {
    Some(match oid {
        16 => "boolean",
        18 => "\"char\"",
        20 => "bigint",
        21 => "smallint",
        23 => "integer",
        700 => "real",
        701 => "double precision",
        1042 => "character",
        1043 => "character varying",
        1083 => "time without time zone",
        1114 => "timestamp without time zone",
        1184 => "timestamp with time zone",
        1186 => "interval",
        1266 => "time with time zone",
        1560 => "bit",
        1562 => "bit varying",
        1700 => "numeric",
        _ => return None,
    })
}

impl Making<'_> {
    /// The number of a type that was made, or of arrays of one.
    pub(crate) fn number_of_type(&self, data_type: DataType) -> Option<u32> {
        let of = data_type.element().unwrap_or(data_type);
        of.labels()?;
        let (_, _, object, _) = self.state.types().find(|(.., made)| *made == of)?;
        Some(if of == data_type { object.row_type() } else { object.array_type() })
    }
}

impl State {
    /// The type that was made under a number, or arrays of one.
    pub(crate) fn type_of_number(&self, number: u32) -> Option<DataType> {
        self.types().find_map(|(_, _, object, made)| match number {
            number if number == object.row_type() => Some(made),
            number if number == object.array_type() => Some(DataType::list(made)),
            _ => None,
        })
    }
}

/// Rows of pg_type.
pub(super) fn types(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut all = fixed("pg_type");
    let columns = "oid typname typnamespace typlen typtype typcategory typdelim typrelid typsubscript typelem \
                   typarray typinput typoutput typreceive typsend typanalyze typalign typstorage typbyval typowner";
    let mut rows = Rows::new("pg_type", columns).with("typisdefined", boolean(true)).with("typtypmod", int(-1));
    let enums = making.state.types().map(|(schema, name, object, _)| (schema, name, object));
    let relations = making.objects().filter(|(_, _, object)| !matches!(object.entry, Entry::Sequence(_)));
    for (schema, name, object) in relations.chain(enums) {
        let schema = making.schema_oid(schema);
        let (row, array) = (object.row_type(), object.array_type());
        let owner = oid(role_number(making, &object.owned.owner));
        let is_enum = matches!(object.entry, Entry::Type(_));
        let either = |of_row: u32, of_enum: u32| oid(if is_enum { of_enum } else { of_row });
        let word = |of_row, of_enum| text(if is_enum { of_enum } else { of_row });
        rows.push([
            oid(row),
            text(name),
            oid(schema),
            int(if is_enum { 4 } else { -1 }),
            word("c", "e"),
            word("C", "E"),
            text(","),
            either(object.oid, 0),
            oid(0),
            oid(0),
            oid(array),
            either(2290, 3506),
            either(2291, 3507),
            either(2402, 3532),
            either(2403, 3533),
            oid(0),
            word("d", "i"),
            word("x", "p"),
            boolean(is_enum),
            owner.clone(),
        ]);
        rows.push([
            oid(array),
            text(format!("_{name}")),
            oid(schema),
            int(-1),
            text("b"),
            text("A"),
            text(","),
            oid(0),
            oid(6179),
            oid(row),
            oid(0),
            oid(750),
            oid(751),
            oid(2400),
            oid(2401),
            oid(3816),
            word("d", "i"),
            text("x"),
            boolean(false),
            owner,
        ]);
    }
    all.extend(rows.finish());
    all
}

/// Rows of multiloop_type: what types are called. An array is called as its elements are, with `[]`.
pub(super) fn names(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_type", "oid shown suffix base visible name schema");
    for (&number, fixed) in FIXED.iter() {
        let is_array = fixed.element != 0 && fixed.name.starts_with('_');
        let base = if is_array { fixed.element } else { number };
        let name = FIXED.get(&base).map_or(fixed.name.as_str(), |fixed| &fixed.name);
        let shown = sql_name(base).map_or_else(|| quoted(name), str::to_owned);
        let (suffix, own) = (text(if is_array { "[]" } else { "" }), text(&fixed.name));
        rows.push([oid(number), text(shown), suffix, oid(base), boolean(true), own, text(PG_CATALOG)]);
    }
    let enums = making.state.types().map(|(schema, name, object, _)| (schema, name, object));
    for (schema, name, object) in making.objects().chain(enums) {
        let visible = is_visible(making, schema, name);
        let shown = making.shown(schema, name);
        let base = object.row_type();
        for (number, suffix, own) in [(base, "", name.to_owned()), (object.array_type(), "[]", format!("_{name}"))] {
            let (number, base, visible) = (oid(number), oid(base), boolean(visible));
            rows.push([number, text(&shown), text(suffix), base, visible, text(own), text(schema)]);
        }
    }
    rows.finish()
}

/// The number of the type of PostgreSQL's that is called so, as [`shown`] calls it.
pub(super) fn number_called(name: &str) -> Option<u32> {
    static CALLED: LazyLock<HashMap<String, u32>> = LazyLock::new(|| {
        let mut called = HashMap::new();
        for &number in FIXED.keys() {
            let least = called.entry(shown(number)).or_insert(number);
            *least = number.min(*least);
        }
        called
    });
    CALLED.get(name).copied()
}

/// What a type of PostgreSQL's is called.
pub(super) fn shown(number: u32) -> String {
    let Some(fixed) = FIXED.get(&number) else { return number.to_string() };
    let is_array = fixed.element != 0 && fixed.name.starts_with('_');
    let base = if is_array { fixed.element } else { number };
    let name = FIXED.get(&base).map_or(fixed.name.as_str(), |fixed| &fixed.name);
    let shown = sql_name(base).map_or_else(|| quoted(name), str::to_owned);
    if is_array { format!("{shown}[]") } else { shown }
}
