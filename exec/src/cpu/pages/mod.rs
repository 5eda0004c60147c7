//! Values as Parquet lays them out in pages, decoded straight into physical forms.
//!
//! A reader of files takes pages apart (headers, compression) and hands on their levels and values: a [`Dictionary`] is made of a
//! dictionary page once, a [`PageColumn`] gathers rows of data pages. What a dictionary page has is made narrow before rows are:
//! each row is then one look into a table of as few bytes as the form has, and no string is made where rows become codes.
//! Encodings and their names: "Encodings" of the Parquet format, <https://parquet.apache.org/docs/file-format/data-pages/encodings/>.

mod column;
mod dictionary;
mod hybrid;
mod plain;
#[cfg(test)]
mod tests;

pub use column::{Encoding, PageColumn, PageRows};
pub use dictionary::Dictionary;
pub use plain::fixed_number;

/// How values lie in a page, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bits.
    Boolean,
    /// Numbers of 32 bits.
    Int32 {
        /// Whether they are unsigned.
        unsigned: bool,
        /// What they become.
        scale: Scale,
    },
    /// Numbers of 64 bits, signed.
    Int64 {
        /// What they become.
        scale: Scale,
    },
    /// Numbers of so many bytes, up to 16, signed, the greatest byte first.
    Fixed(usize),
    /// real.
    Float,
    /// double.
    Double,
    /// Strings of UTF-8, each behind its length.
    Text,
}

/// What a number is taken times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// One.
    One,
    /// So many.
    Times(i64),
    /// One of so many: what leaves a rest is an error.
    Part(i64),
}

/// Why a page cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    /// It is not what its header says.
    Malformed(&'static str),
    /// Its strings are not UTF-8.
    Utf8,
    /// One of its strings has a zero byte.
    Zero,
    /// A number has no place among those of its type, or would lose digits.
    Range(&'static str),
    /// Its strings take more than 2 GiB.
    TooLarge,
}

type Result<T> = std::result::Result<T, PageError>;
