//! Bit strings: `bit(n)` has exactly n bits and `bit varying(n)` at most n, as in PostgreSQL. `bit` without a length is `bit(1)`
//! where a statement names it; a literal is a `bit` of any length.

use super::{DataType, LENGTH_FREE};

/// The most bits that a type can be declared for, as in PostgreSQL.
pub const BITS_MAX: u32 = 83_886_080;

impl DataType {
    /// bit of any length, which no statement but `"bit"` can name.
    pub const BIT: DataType = DataType::Bit(LENGTH_FREE);
    /// bit varying without a length.
    pub const VARBIT: DataType = DataType::VarBit(LENGTH_FREE);

    /// bit or bit varying.
    pub fn is_bits(self) -> bool {
        matches!(self, DataType::Bit(_) | DataType::VarBit(_))
    }

    /// A bit string type, or an array of one, without its length; any other type as it is.
    #[must_use]
    pub fn of_any_length(self) -> DataType {
        match self {
            DataType::Bit(_) => DataType::BIT,
            DataType::VarBit(_) => DataType::VARBIT,
            other => match other.element() {
                Some(element) if element.is_bits() && !other.is_zero_based() => DataType::list(element.of_any_length()),
                _ => other,
            },
        }
    }

    /// The type as a statement names it: without its quotes `bit` is of one bit.
    pub fn in_statements(self) -> String {
        match self {
            DataType::BIT => format!("\"{self}\""),
            list if list.element() == Some(DataType::BIT) => format!("\"{}\"[]", DataType::BIT),
            other => other.to_string(),
        }
    }

    /// The bit string type that is shown so: `bit`, `bit(3)`, `bit varying`, `bit varying(3)`.
    pub fn bits_named(shown: &str) -> Option<DataType> {
        let (name, length) = match shown.strip_suffix(')').and_then(|shown| shown.split_once('(')) {
            Some((name, length)) => (name, length.parse::<u32>().ok()?),
            None => (shown, LENGTH_FREE),
        };
        match name {
            "bit" => Some(DataType::Bit(length)),
            "bit varying" => Some(DataType::VarBit(length)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_types_read_back() {
        for data_type in [DataType::BIT, DataType::Bit(3), DataType::VARBIT, DataType::VarBit(70)] {
            assert_eq!(DataType::bits_named(&data_type.to_string()), Some(data_type));
            assert_eq!(DataType::list(data_type).of_any_length().element(), Some(data_type.of_any_length()));
        }
        assert_eq!(DataType::bits_named("text"), None);
        assert_eq!(DataType::bits_named("bit(x)"), None);
    }
}
