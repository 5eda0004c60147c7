//! Types of emitted code.

/// A value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Type {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I32,
    I64,
    /// Two words of 64 bits.
    I128,
    F64,
}

impl Type {
    /// Its name in the sources.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::I128 => "i128",

            Type::F64 => "double",
        }
    }

    /// Bytes of a value in memory.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Type::Bool | Type::U8 => 1,
            Type::U16 => 2,
            Type::U32 | Type::I32 => 4,
            Type::U64 | Type::I64 | Type::F64 => 8,
            Type::I128 => 16,
        }
    }

    /// Whether it has whole numbers.
    pub(crate) fn is_integer(self) -> bool {
        !matches!(self, Type::Bool | Type::F64)
    }

    /// Whether its arithmetic may overflow, which C leaves undefined: then the unsigned type of its width does it, which goes round.
    pub(crate) fn unsigned(self) -> Option<&'static str> {
        match self {
            Type::I32 => Some("u32"),
            Type::I64 => Some("u64"),
            Type::I128 => Some("u128"),
            _ => None,
        }
    }
}

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Value(Type),
    /// An array in the device's memory.
    Pointer(Type),
    /// An array of words in the memory of a block.
    Shared,
}
