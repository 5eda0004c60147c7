//! The columns that the eight queries read, generated into the narrow forms that a loaded table of Multiloop has, and
//! what its statistics say of them.
//!
//! * Dates are days after 1992-01-01 in 16 bits; discounts and taxes are hundredths in 8; prices and costs are cents
//!   in 32. Quantities are whole units in 8 bits (Multiloop keeps hundredths, in 16).
//! * Keys are what they are in 32 bits, those of suppliers in 16 (to scale factor 6).
//! * Text of few values is codes of a sorted dictionary; other text one buffer with offsets.
//! * The keys of customer, part and supplier are 1, 2, 3, … in order, as minimum, maximum and distinct count prove, so
//!   a key's row is known and the key columns are left out. `l_orderkey`, `o_orderkey` and `ps_partkey` ascend, but a
//!   loop has to find out itself where a key is.

use crate::simd::prefetch;
use std::ops::Deref;

/// Values beyond a column's end that may be read (and must be masked), so that loops need no code for the last rows.
const PADDING: usize = 128;

/// How far ahead [`Column::stream`] asks: memory is some hundred cycles away, and the CPU's own prefetching stops at
/// each page's end.
const BYTES_AHEAD: usize = 2048;

/// A column of fixed width.
pub(crate) struct Column<T> {
    values: Vec<T>,
    rows: usize,
}

impl<T: Copy + Default> Column<T> {
    /// Zeros stand behind the values.
    pub(crate) fn new(values: Vec<T>) -> Self {
        Column::padded(values, T::default())
    }

    fn padded(mut values: Vec<T>, padding: T) -> Self {
        let rows = values.len();
        values.reserve_exact(PADDING);
        values.resize(rows + PADDING, padding);
        Column { values, rows }
    }

    /// The values from a row on. At most [`PADDING`] of them may lie beyond the end.
    #[inline(always)]
    pub(crate) fn window<const N: usize>(&self, row: usize) -> &[T; N] {
        self.values[row..row + N].as_array().expect("a slice of N has N elements")
    }

    /// Asks for the memory of a row that will be read soon; it need not exist.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        prefetch(self.values.as_ptr().wrapping_add(row));
    }

    /// Asks for what a loop over blocks of 64 rows will read some blocks later.
    #[inline(always)]
    pub(crate) fn stream(&self, row: usize) {
        for line in 0..size_of::<T>() {
            prefetch(self.values.as_ptr().wrapping_byte_add(row * size_of::<T>() + BYTES_AHEAD + line * 64));
        }
    }

    /// Bytes of its values.
    pub(crate) fn bytes(&self) -> usize {
        self.rows * size_of::<T>()
    }
}

impl Column<u32> {
    /// Ascending values. The largest number stands behind them.
    ///
    /// # Panics
    /// If they do not ascend.
    pub(crate) fn sorted(values: Vec<u32>) -> Self {
        assert!(values.is_sorted(), "the column's values ascend");
        Column::padded(values, u32::MAX)
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.values[..self.rows]
    }
}

/// A column of text: row i is `bytes[offsets[i]..offsets[i + 1]]`.
pub(crate) struct TextColumn {
    /// One more than rows.
    pub(crate) offsets: Column<u32>,
    /// The strings, one after the other.
    pub(crate) text: Column<u8>,
}

impl TextColumn {
    pub(crate) fn new<T: std::fmt::Display>(values: impl Iterator<Item = T>) -> Self {
        use std::io::Write as _;
        let (mut offsets, mut text) = (vec![0], Vec::new());
        for value in values {
            write!(text, "{value}").expect("a vector takes all");
            offsets.push(u32::try_from(text.len()).expect("a text column is below 4 GiB"));
        }
        TextColumn { offsets: Column::sorted(offsets), text: Column::new(text) }
    }

    pub(crate) fn get(&self, row: usize) -> String {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        String::from_utf8_lossy(&self.text[range]).into_owned()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.offsets.bytes() + self.text.bytes()
    }
}

/// Text of few values.
pub(crate) struct Dictionary {
    /// One a row.
    pub(crate) codes: Column<u8>,
    /// What they stand for, ascending.
    pub(crate) values: Vec<String>,
}

impl Dictionary {
    pub(crate) fn new(values: &[&str], codes: Vec<u8>) -> Self {
        assert!(values.is_sorted());
        Dictionary { codes: Column::new(codes), values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    /// The code of a value; one that no row has if there is no such value.
    pub(crate) fn code(&self, value: &str) -> u8 {
        self.values.iter().position(|known| known == value).map_or(u8::MAX, |code| code as u8)
    }
}

/// All tables.
pub(crate) struct Tables {
    pub(crate) lineitem: Lineitem,
    pub(crate) orders: Orders,
    pub(crate) customer: Customer,
    pub(crate) part: Part,
    pub(crate) partsupp: Partsupp,
    pub(crate) supplier: Supplier,
    pub(crate) nation: Nation,
}

pub(crate) struct Lineitem {
    pub(crate) orderkey: Column<u32>,
    pub(crate) partkey: Column<u32>,
    pub(crate) suppkey: Column<u16>,
    pub(crate) quantity: Column<u8>,
    pub(crate) extendedprice: Column<u32>,
    pub(crate) discount: Column<u8>,
    pub(crate) tax: Column<u8>,
    pub(crate) returnflag: Dictionary,
    pub(crate) linestatus: Dictionary,
    pub(crate) shipdate: Column<u16>,
    pub(crate) commitdate: Column<u16>,
    pub(crate) receiptdate: Column<u16>,
}

pub(crate) struct Orders {
    pub(crate) orderkey: Column<u32>,
    pub(crate) custkey: Column<u32>,
    pub(crate) orderstatus: Dictionary,
    pub(crate) totalprice: Column<u32>,
    pub(crate) orderdate: Column<u16>,
    pub(crate) shippriority: Column<u8>,
    pub(crate) comment: TextColumn,
}

pub(crate) struct Customer {
    pub(crate) name: TextColumn,
    pub(crate) nationkey: Column<u8>,
    pub(crate) mktsegment: Dictionary,
}

pub(crate) struct Part {
    pub(crate) name: TextColumn,
}

pub(crate) struct Partsupp {
    pub(crate) partkey: Column<u32>,
    pub(crate) suppkey: Column<u16>,
    pub(crate) supplycost: Column<u32>,
}

pub(crate) struct Supplier {
    pub(crate) name: TextColumn,
    pub(crate) nationkey: Column<u8>,
}

/// Nations, and of each its region's name.
pub(crate) struct Nation {
    pub(crate) name: Vec<String>,
    pub(crate) region: Vec<String>,
}
