//! Types that take more than a word to say: arrays, vectors of a fixed size, structs, rows, enums.
//!
//! A type is passed by value everywhere, so a nested one is a number: equal types have equal numbers in a process. What the
//! numbers stand for is kept for good; there are as many as statements have ever named.

use super::DataType;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Elements of a vector, at most.
pub const VECTOR_LENGTH_MAX: u32 = 16_000;

/// A nested type, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nested(u32);

/// What a nested type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NestedType {
    /// An array of values of one type, of any number of dimensions.
    List(DataType),
    /// So many values of real or of double precision, in order, none of them NULL: at least one, at most
    /// [`VECTOR_LENGTH_MAX`].
    Vector(DataType, u32),
    /// Values by name, in order; at least one, and no name twice.
    Struct(Vec<(String, DataType)>),
    /// smallint or oid numbers that count from 0, as PostgreSQL's catalog has them: int2vector and oidvector.
    ZeroBased(DataType),
    /// A row as a value.
    Row {
        /// The table's name; none where no table says what fields there are.
        table: Option<String>,
        /// Its fields in order; there may be none, and two of one name.
        fields: Vec<(String, DataType)>,
    },
    /// One of some labels, which are in order and of which no two are alike.
    Enum {
        /// The type's name.
        name: String,
        /// The labels.
        labels: Vec<String>,
    },
}

/// All nested types of the process, by number, and their numbers.
#[derive(Default)]
struct Known {
    types: Vec<&'static NestedType>,
    numbers: FxHashMap<&'static NestedType, u32>,
}

static KNOWN: RwLock<Option<Known>> = RwLock::new(None);

impl Nested {
    /// The number of a type.
    pub fn new(of: NestedType) -> Self {
        // Whoever panicked with the lock had not begun to change anything.
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = known.as_ref().and_then(|known| known.numbers.get(&of)) {
            return Nested(number);
        }
        drop(known);
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let Known { types, numbers } = known.get_or_insert_default();
        if let Some(&number) = numbers.get(&of) {
            return Nested(number);
        }
        let (number, of) = (types.len() as u32, &*Box::leak(Box::new(of)));
        types.push(of);
        numbers.insert(of, number);
        Nested(number)
    }

    /// What it is.
    pub fn get(self) -> &'static NestedType {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().expect("a number is made with its type");
        known.types[self.0 as usize]
    }
}

impl DataType {
    /// A list of values of a type.
    pub fn list(of: DataType) -> Self {
        DataType::Nested(Nested::new(NestedType::List(of)))
    }

    /// So many values of real or double precision, at least one.
    pub fn vector(of: DataType, length: u32) -> Self {
        debug_assert!(of.is_float(), "a vector has elements of real or double precision");
        debug_assert!((1..=VECTOR_LENGTH_MAX).contains(&length), "a vector has an element, and not too many");
        DataType::Nested(Nested::new(NestedType::Vector(of, length)))
    }

    /// The type of a vector's elements, and how many there are.
    pub fn vector_of(self) -> Option<(DataType, u32)> {
        match self.nested()? {
            NestedType::Vector(of, length) => Some((*of, *length)),
            _ => None,
        }
    }

    /// A vector's type in one word, as functions' names have it: `vector_3`, `doublevector_3`.
    pub(crate) fn vector_word(self) -> Option<String> {
        let (of, length) = self.vector_of()?;
        Some(format!("{}vector_{length}", if of == DataType::Double { "double" } else { "" }))
    }

    /// The vector's type of the two parts of such a word.
    pub(crate) fn vector_of_word(word: &str, length: u32) -> Option<DataType> {
        let of = match word {
            "vector" => DataType::Real,
            "doublevector" => DataType::Double,
            _ => return None,
        };
        (1..=VECTOR_LENGTH_MAX).contains(&length).then(|| DataType::vector(of, length))
    }

    /// Whether it is a vector.
    pub fn is_vector(self) -> bool {
        self.vector_of().is_some()
    }

    /// The type of the array that a vector becomes where an array is wanted; any other type itself.
    #[must_use]
    pub fn vector_as_array(self) -> DataType {
        self.vector_of().map_or(self, |(of, _)| DataType::list(of))
    }

    /// Values by name: at least one, and no name twice.
    pub fn structure(fields: Vec<(String, DataType)>) -> Self {
        debug_assert!(!fields.is_empty(), "a struct has a field");
        DataType::Nested(Nested::new(NestedType::Struct(fields)))
    }

    /// int2vector.
    pub fn int2vector() -> Self {
        DataType::Nested(Nested::new(NestedType::ZeroBased(DataType::SmallInt)))
    }

    /// oidvector.
    pub fn oidvector() -> Self {
        DataType::Nested(Nested::new(NestedType::ZeroBased(DataType::OID)))
    }

    /// A row of these fields, of a table or of none.
    pub fn row(table: Option<String>, fields: Vec<(String, DataType)>) -> Self {
        DataType::Nested(Nested::new(NestedType::Row { table, fields }))
    }

    /// One of some labels in order; no two are alike.
    pub fn enumeration(name: impl Into<String>, labels: Vec<String>) -> Self {
        DataType::Nested(Nested::new(NestedType::Enum { name: name.into(), labels }))
    }

    /// What it is made of, if it is a nested type.
    pub fn nested(self) -> Option<&'static NestedType> {
        if let DataType::Nested(nested) = self { Some(nested.get()) } else { None }
    }
}

/// By what it is, so that no order depends on which type came first.
impl Ord for Nested {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other { Ordering::Equal } else { self.get().cmp(other.get()) }
    }
}

impl PartialOrd for Nested {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// `integer[]`, `vector(3)`, `vector(3,double)`, `struct(a integer, "b c" text[])`.
impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            NestedType::List(of) => write!(f, "{of}[]"),
            NestedType::Vector(DataType::Double, length) => write!(f, "vector({length},double)"),
            NestedType::Vector(_, length) => write!(f, "vector({length})"),
            NestedType::Enum { name, .. } => f.write_str(name),
            NestedType::ZeroBased(DataType::SmallInt) => f.write_str("int2vector"),
            NestedType::ZeroBased(_) => f.write_str("oidvector"),
            NestedType::Row { table, .. } => f.write_str(table.as_deref().unwrap_or("record")),
            NestedType::Struct(fields) => {
                let is_plain = |name: &str| {
                    name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
                        && name.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '_')
                };
                f.write_str("struct(")?;
                for (at, (name, data_type)) in fields.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    if is_plain(name) {
                        write!(f, "{comma}{name} {data_type}")?;
                    } else {
                        write!(f, "{comma}\"{}\" {data_type}", name.replace('"', "\"\""))?;
                    }
                }
                f.write_str(")")
            }
        }
    }
}

/// As what it is: numbers are those of one process.
impl Serialize for Nested {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NestedType::deserialize(deserializer).map(Nested::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> [(DataType, &'static str); 5] {
        let fields = vec![("a".to_owned(), DataType::Integer), ("B \"c\"".to_owned(), DataType::list(DataType::Text))];
        let of = DataType::structure(fields);
        [
            (DataType::list(DataType::decimal(9, 2)), "decimal(9,2)[]"),
            (DataType::vector(DataType::Real, 3), "vector(3)"),
            (DataType::vector(DataType::Double, 16_000), "vector(16000,double)"),
            (of, "struct(a integer, \"B \"\"c\"\"\" text[])"),
            (DataType::list(DataType::list(of)), "struct(a integer, \"B \"\"c\"\"\" text[])[][]"),
        ]
    }

    #[test]
    fn equal_types_are_one() {
        for ((one, text), (other, _)) in some().into_iter().zip(some()) {
            assert_eq!(one, other);
            assert_eq!(one.to_string(), text);
            assert_eq!(one.cmp(&other), Ordering::Equal);
        }
        assert_ne!(DataType::list(DataType::Integer), DataType::list(DataType::BigInt));
        assert_ne!(DataType::list(DataType::Real), DataType::vector(DataType::Real, 1));
        assert_eq!(size_of::<DataType>(), 8, "types are passed by value");
    }

    #[test]
    fn they_travel() {
        for (data_type, _) in some() {
            let written = serde_json::to_string(&data_type).expect("a type can be written");
            assert_eq!(serde_json::from_str::<DataType>(&written).expect("and read"), data_type);
        }
    }

    #[test]
    fn many_threads_agree_on_numbers() {
        let made = || {
            let of = |length| DataType::vector(DataType::Real, length);
            (1..200).map(of).collect::<Vec<_>>()
        };
        let all: Vec<Vec<DataType>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(made)).collect();
            threads.into_iter().map(|thread| thread.join().expect("nothing fails")).collect()
        });
        assert!(all.iter().all(|types| *types == all[0]));
    }
}
