//! Logical types and their carriers.
//!
//! A relation knows every type; programs, and all that runs them, know a few: each of the others has one of these as its
//! *carrier*, whose values stand for its own, in its order. So a type is a way to read, to show and to cast values, and needs
//! no kernel.
//!
//! | type | carrier | a value is |
//! |---|---|---|
//! | oid and its kin | bigint | 0 to 2^32-1 |
//! | name, "char" | text | itself |
//! | bytea | text | its bytes in lower-case hexadecimal digits |
//! | uuid | text | its lower-case form with hyphens |
//! | json | text | as it was written |
//! | jsonb | text | as PostgreSQL prints it (`evaluate/json.rs`) |
//! | bit, bit varying | text | its bits, a digit each (`evaluate/bits.rs`) |
//! | jsonpath | text | as PostgreSQL prints it (`evaluate/json/path/show.rs`) |
//! | types of the system (`types/system.rs`) | text | as it is shown |
//! | timestamptz | timestamp | in UTC |
//! | timetz | bigint | the time in UTC, then the offset (`evaluate/time_with_zone.rs`) |
//! | an enum | integer | its label's place, from 0 |
//! | an array, int2vector, oidvector | text | its elements, those of numbers in a fixed width, then its bounds (`evaluate/array/key.rs`) |
//! | a row | text | as PostgreSQL shows it (`evaluate/row.rs`) |
//! | a struct | text | its fields, in a form that sorts as they do (`evaluate/structure/mod.rs`) |

use super::{DataType, NestedType};
use crate::error::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// What an object identifier identifies. All but places of rows are numbers of 32 bits without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OidKind {
    /// oid: anything.
    Any,
    /// xid: a transaction.
    Transaction,
    /// cid: a command in a transaction.
    Command,
    /// regclass: a table, view, index or sequence.
    Class,
    /// regtype.
    Type,
    /// regproc: a function by its name.
    Procedure,
    /// regprocedure: a function by its name and argument types.
    ProcedureWithArguments,
    /// regoper: an operator by its name.
    Operator,
    /// regnamespace: a schema.
    Namespace,
    /// regrole.
    Role,
    /// tid: the place of a row in its table (`evaluate/place.rs`), of more bits than the others.
    Place,
}

impl OidKind {
    /// Every kind.
    pub const ALL: [OidKind; 11] = [
        OidKind::Any,
        OidKind::Transaction,
        OidKind::Command,
        OidKind::Class,
        OidKind::Type,
        OidKind::Procedure,
        OidKind::ProcedureWithArguments,
        OidKind::Operator,
        OidKind::Namespace,
        OidKind::Role,
        OidKind::Place,
    ];

    /// The type's name.
    pub fn name(self) -> &'static str {
        match self {
            OidKind::Any => "oid",
            OidKind::Transaction => "xid",
            OidKind::Command => "cid",
            OidKind::Class => "regclass",
            OidKind::Type => "regtype",
            OidKind::Procedure => "regproc",
            OidKind::ProcedureWithArguments => "regprocedure",
            OidKind::Operator => "regoper",
            OidKind::Namespace => "regnamespace",
            OidKind::Role => "regrole",
            OidKind::Place => "tid",
        }
    }

    /// The kind of a type's name in lower case.
    pub fn named(name: &str) -> Option<OidKind> {
        OidKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The error for a name that no object of the kind has: 42P01 for a relation, 42883 for functions and operators, else 42704.
    pub fn no_object(self, name: &str) -> Error {
        let (error, what) = match self {
            OidKind::Class => (ErrorKind::UnknownTable, "relation"),
            OidKind::Type => (ErrorKind::UnknownObject, "type"),
            OidKind::Namespace => (ErrorKind::UnknownObject, "schema"),
            OidKind::Role => (ErrorKind::UnknownObject, "role"),
            OidKind::Operator => (ErrorKind::UnknownFunction, "operator"),
            _ => (ErrorKind::UnknownFunction, "function"),
        };
        Error::new(error, format!("{what} \"{name}\" does not exist"))
    }

    /// Whether values are names of objects that a catalog knows.
    pub fn is_registered(self) -> bool {
        !matches!(self, OidKind::Any | OidKind::Transaction | OidKind::Command | OidKind::Place)
    }
}

/// Structs within each other, at most: what goes over a type has to come to its end.
pub const STRUCT_DEPTH_MAX: usize = 100;

impl DataType {
    /// oid.
    pub const OID: DataType = DataType::Oid(OidKind::Any);

    /// The type whose values stand for this one's wherever programs run; most types carry themselves.
    pub fn carrier(self) -> DataType {
        match self {
            DataType::Oid(_) | DataType::TimeTz => DataType::BigInt,
            DataType::Name
            | DataType::InternalChar
            | DataType::Bytea
            | DataType::Uuid
            | DataType::Json
            | DataType::Jsonb
            | DataType::Bit(_)
            | DataType::VarBit(_)
            | DataType::JsonPath
            | DataType::System(_) => DataType::Text,
            DataType::TimestampTz => DataType::Timestamp,
            DataType::Nested(nested) => match nested.get() {
                NestedType::List(_) | NestedType::ZeroBased(_) | NestedType::Row { .. } | NestedType::Struct(_) => {
                    DataType::Text
                }
                NestedType::Enum { .. } => DataType::Integer,
                NestedType::Vector(..) => self,
            },
            plain => plain,
        }
    }

    /// Whether another type carries it.
    pub fn is_logical(self) -> bool {
        self.carrier() != self
    }

    /// The type of a parameter that is declared so: PostgreSQL drops lengths and digits there.
    #[must_use]
    pub fn without_modifiers(self) -> DataType {
        match self {
            DataType::Varchar(_) => DataType::VARCHAR,
            DataType::Char(_) => DataType::BPCHAR,
            DataType::Decimal { .. } => DataType::Numeric,
            bits if bits.is_bits() => bits.of_any_length(),
            list => match list.element() {
                Some(element) if list == DataType::list(element) => DataType::list(element.without_modifiers()),
                _ => list,
            },
        }
    }

    /// The type of an array's elements; int2vector and oidvector are arrays, too.
    pub fn element(self) -> Option<DataType> {
        match self.nested()? {
            NestedType::List(of) | NestedType::ZeroBased(of) => Some(*of),
            _ => None,
        }
    }

    /// Whether it is int2vector or oidvector, which are shown as numbers between blanks.
    pub fn is_zero_based(self) -> bool {
        matches!(self.nested(), Some(NestedType::ZeroBased(_)))
    }

    /// A row's fields in order.
    pub fn fields(self) -> Option<&'static [(String, DataType)]> {
        match self.nested()? {
            NestedType::Row { fields, .. } => Some(fields),
            _ => None,
        }
    }

    /// A struct's fields in order.
    pub fn struct_fields(self) -> Option<&'static [(String, DataType)]> {
        match self.nested()? {
            NestedType::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// The fields of a row or a struct.
    pub fn members(self) -> Option<&'static [(String, DataType)]> {
        self.fields().or_else(|| self.struct_fields())
    }

    /// Whether values are shown in DuckDB's form, as PostgreSQL has no such type: a struct, or an array of structs.
    pub fn is_of_structs(self) -> bool {
        self.element().unwrap_or(self).struct_fields().is_some()
    }

    /// How many structs are within each other, itself among them; rows count, too.
    pub fn depth(self) -> usize {
        let within = self.parts().map(DataType::depth).max().unwrap_or(0);
        within + usize::from(self.members().is_some())
    }

    /// The types that a type is made of: of an array's elements, of the fields of a row or a struct.
    fn parts(self) -> impl Iterator<Item = DataType> {
        self.members().unwrap_or_default().iter().map(|(_, of)| *of).chain(self.element())
    }

    /// Whether the type of a value, or of a field of a struct, is still unknown: that of a bare NULL.
    pub fn has_unknown(self) -> bool {
        self == DataType::Null || (self.is_of_structs() && self.parts().any(DataType::has_unknown))
    }

    /// The type with text where it is unknown.
    #[must_use]
    pub fn settled(self) -> DataType {
        match self {
            DataType::Null => DataType::Text,
            known if !known.has_unknown() => known,
            nested => match (nested.element(), nested.struct_fields()) {
                (Some(element), _) => DataType::list(element.settled()),
                (_, Some(fields)) => {
                    DataType::structure(fields.iter().map(|(name, of)| (name.clone(), of.settled())).collect())
                }
                _ => nested,
            },
        }
    }

    /// Whether equal values of the type can have different carriers: as fields of a struct they get one form where they are
    /// compared.
    pub fn has_forms(self) -> bool {
        let is_one = matches!(self, DataType::Numeric | DataType::Interval | DataType::BPCHAR | DataType::Jsonb);
        is_one || (self.nested().is_some() && self.parts().any(DataType::has_forms))
    }

    /// An enum's labels in order.
    pub fn labels(self) -> Option<&'static [String]> {
        match self.nested()? {
            NestedType::Enum { labels, .. } => Some(labels),
            _ => None,
        }
    }

    /// oid and its kin.
    pub fn is_oid(self) -> bool {
        matches!(self, DataType::Oid(_))
    }

    /// Whether its values depend on the session's time zone where they are read or shown: timestamptz, timetz, arrays of them,
    /// and structs with fields of them.
    pub fn is_zoned(self) -> bool {
        let is_zoned = |of: DataType| matches!(of, DataType::TimestampTz | DataType::TimeTz);
        is_zoned(self)
            || self.element().is_some_and(is_zoned)
            || (self.is_of_structs() && self.parts().any(DataType::is_zoned))
    }

    /// Whether values of the type can be told apart by `=`.
    pub fn has_equality(self) -> bool {
        !matches!(self, DataType::Json | DataType::JsonPath)
            && !self.is_vector()
            && self.parts().all(DataType::has_equality)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_carry_themselves() {
        let label = |text: &str| text.to_owned();
        let types = [
            DataType::OID,
            DataType::Name,
            DataType::Bytea,
            DataType::Jsonb,
            DataType::TimestampTz,
            DataType::list(DataType::decimal(9, 2)),
            DataType::enumeration("mood", vec![label("sad"), label("ok")]),
            DataType::Integer,
        ];
        for data_type in types {
            assert_eq!(data_type.carrier().carrier(), data_type.carrier(), "{data_type}");
        }
        assert_eq!(OidKind::named("regclass"), Some(OidKind::Class));
        assert_eq!(OidKind::named("int4"), None);
    }
}
