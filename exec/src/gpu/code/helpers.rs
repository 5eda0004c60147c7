//! Functions that every source may call: fixed text, right at every launch shape.

use super::types::Type;

/// A function of the prelude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Helper {
    /// Whether a bit of a bitmap is set.
    Bit,
    /// The same of words of 32 bits in a block's memory.
    WordBit,
    /// One of the elements that a thread has loaded at once, by their width in bits.
    Lane8,
    Lane16,
    Lane32,
    Lane64,
    /// Sets a bit of a bitmap of words of 32 bits.
    SetBit,
    /// Sets bits of a word, unless they are.
    SetFlags,
    /// Adds to a word of 32 bits.
    Count32,
    /// Adds one to a word of 32 bits: what it was.
    Take,
    /// Stores two words of 64 bits whose first has an even number.
    PutPair,
    /// Stores 64 bits as two words of a block's memory, of which [`Helper::Pair`] reads them.
    PutShared,
    /// Adds to 64 bits that are two words apart: the low words, the high words, and how far these are behind.
    AddShared,
    /// Adds to 128 bits that are four words apart: as before.
    AddSharedWide,
    /// Adds to a word of 64 bits.
    Add64,
    /// Adds 64 bits to 128.
    Add128,
    /// Adds 128 bits to 128.
    AddWide,
    /// Lets a word be the greatest of what it is given.
    Most,
    /// The same of words of 32 bits.
    Most32,
    /// The same of two words of a block's memory.
    MostShared,
    /// The two words of a block's memory that [`Helper::MostShared`] made.
    Pair,
    /// An integer as a word that grows with it.
    Rising,
    /// An integer as a word that falls as it grows.
    Falling,
    /// The same four, of 32 bits.
    Rising32,
    Falling32,
    Risen32,
    Fallen32,
    /// Whether an entry of a block's memory is a group's, or became it.
    TakeEntry,
    /// What two words of a block's memory are.
    Joined,
    /// What four words of a block's memory are.
    JoinedWide,
    /// The integer of a word of [`Helper::Rising`].
    Risen,
    /// The integer of a word of [`Helper::Falling`].
    Fallen,
    /// 128 bits of two words.
    Wide,
    /// The slot of a code, which it takes if it has none.
    FillSlot,
    /// So many bits of the hash of a code.
    FirstSlot,
    /// The slot of a code, or [`NO_SLOT`].
    FindSlot,
    /// Whether a float is no number or infinite.
    IsOdd,
    /// Whether a float stands before another one, NaN last.
    FloatLess,
    /// Whether floats are alike, NaN and NaN, too.
    FloatEqual,
    /// Rounds to 32 bits.
    Rounded,
    /// How far up the bits of a float go, and how far down, as words of which the greatest counts.
    FloatTop,
    FloatBottom,
    /// A float as an integer in units of a power of two, of 64 bits and of 128.
    FloatUnits,
    FloatUnitsWide,
    /// The double nearest to an integer of 128 bits in such units.
    FloatOfUnits,
    /// A float as an integer that grows with it, NaN last, and the float of such an integer.
    FloatOrder,
    FloatOfOrder,
    /// The bits of a float, and the float of some bits.
    FloatBits,
    FloatOfBits,
    /// The quotient of whole numbers, rounded half away from zero.
    DivideHalfAway,
    /// Year, month, day of a number of days since 1970.
    YearOf,
    MonthOf,
    DayOf,
    /// How many bits of a word are set, and the number of the lowest.
    Ones,
    FirstBit,
    /// The place of the first of some rows that a thread has, among those of the block; and of all how many there are.
    Scan,
    /// Sets a bit of a bitmap of words of 32 bits: whether it was not set.
    TakeBit,
    /// Gives a code a slot: whether it had none.
    TakeSlot,
    /// Of numbers of any scale the digits of a product, of a sum, and of a quotient, and the scale of that.
    NumericProduct,
    NumericSum,
    NumericQuotient,
    NumericQuotientScale,
    /// Which of two such numbers is greater: 1, 0, -1.
    NumericOrder,
    /// The digits of such a number at another scale; and the same between limits.
    NumericCut,
    NumericNarrow,
}

impl Helper {
    /// Its name in the prelude.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Helper::Bit => "bit",
            Helper::WordBit => "word_bit",
            Helper::Lane8 => "lane8",
            Helper::Lane16 => "lane16",
            Helper::Lane32 => "lane32",
            Helper::Lane64 => "lane64",
            Helper::SetBit => "set_bit",
            Helper::SetFlags => "set_flags",
            Helper::Count32 => "count32",
            Helper::Take => "take",
            Helper::PutPair => "put_pair",
            Helper::PutShared => "put_shared",
            Helper::AddShared => "add_shared",
            Helper::AddSharedWide => "add_shared_wide",
            Helper::Add64 => "add64",
            Helper::Add128 => "add128",
            Helper::AddWide => "add_wide",
            Helper::Most => "most",
            Helper::Most32 => "most32",
            Helper::Rising32 => "rising32",
            Helper::Falling32 => "falling32",
            Helper::Risen32 => "risen32",
            Helper::Fallen32 => "fallen32",
            Helper::TakeEntry => "take_entry",
            Helper::MostShared => "most_shared",
            Helper::Pair => "pair",
            Helper::Rising => "rising",
            Helper::Falling => "falling",
            Helper::Joined => "joined",
            Helper::JoinedWide => "joined_wide",
            Helper::Risen => "risen",
            Helper::Fallen => "fallen",
            Helper::Wide => "wide",
            Helper::FillSlot => "fill_slot",
            Helper::FirstSlot => "first_slot",
            Helper::FindSlot => "find_slot",
            Helper::IsOdd => "is_odd",
            Helper::FloatLess => "float_less",
            Helper::FloatEqual => "float_equal",
            Helper::Rounded => "rounded",
            Helper::FloatTop => "float_top",
            Helper::FloatBottom => "float_bottom",
            Helper::FloatUnits => "float_units",
            Helper::FloatUnitsWide => "float_units_wide",
            Helper::FloatOfUnits => "float_of_units",
            Helper::FloatOrder => "float_order",
            Helper::FloatOfOrder => "float_of_order",
            Helper::FloatBits => "float_bits",
            Helper::FloatOfBits => "float_of_bits",
            Helper::DivideHalfAway => "divide_half_away",
            Helper::YearOf => "year_of",
            Helper::MonthOf => "month_of",
            Helper::DayOf => "day_of",
            Helper::Ones => "ones",
            Helper::FirstBit => "first_bit",
            Helper::Scan => "scan",
            Helper::TakeBit => "take_bit",
            Helper::TakeSlot => "take_slot",
            Helper::NumericProduct => "numeric_product",
            Helper::NumericSum => "numeric_sum",
            Helper::NumericQuotient => "numeric_quotient",
            Helper::NumericQuotientScale => "numeric_quotient_scale",
            Helper::NumericOrder => "numeric_order",
            Helper::NumericCut => "numeric_cut",
            Helper::NumericNarrow => "numeric_narrow",
        }
    }

    /// Whether it writes to no array that it is given.
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Helper::Bit | Helper::FindSlot | Helper::Joined | Helper::JoinedWide | Helper::Pair)
            || (self.result().is_some()
                && !matches!(
                    self,
                    Helper::FillSlot
                        | Helper::Scan
                        | Helper::Take
                        | Helper::TakeBit
                        | Helper::TakeSlot
                        | Helper::TakeEntry
                ))
    }

    /// What it gives, if it gives something.
    pub(crate) fn result(self) -> Option<Type> {
        match self {
            Helper::Bit
            | Helper::WordBit
            | Helper::IsOdd
            | Helper::FloatLess
            | Helper::FloatEqual
            | Helper::TakeBit
            | Helper::TakeSlot
            | Helper::TakeEntry => Some(Type::Bool),
            Helper::Joined
            | Helper::Risen
            | Helper::Fallen
            | Helper::Risen32
            | Helper::Fallen32
            | Helper::FloatUnits
            | Helper::FloatOrder => Some(Type::I64),
            Helper::FloatBits
            | Helper::Pair
            | Helper::Rising
            | Helper::Falling
            | Helper::Lane64
            | Helper::FirstSlot => Some(Type::U64),
            Helper::Lane8 | Helper::Lane16 | Helper::Lane32 => Some(Type::U32),
            Helper::DivideHalfAway
            | Helper::Wide
            | Helper::JoinedWide
            | Helper::FloatUnitsWide
            | Helper::NumericProduct
            | Helper::NumericSum
            | Helper::NumericQuotient
            | Helper::NumericCut
            | Helper::NumericNarrow => Some(Type::I128),
            Helper::Rounded | Helper::FloatOfUnits | Helper::FloatOfOrder | Helper::FloatOfBits => Some(Type::F64),
            Helper::YearOf | Helper::MonthOf | Helper::DayOf | Helper::NumericOrder => Some(Type::I32),
            Helper::Rising32 | Helper::Falling32 => Some(Type::U32),
            Helper::Ones
            | Helper::Take
            | Helper::FirstBit
            | Helper::FloatTop
            | Helper::FloatBottom
            | Helper::Scan
            | Helper::FillSlot
            | Helper::FindSlot
            | Helper::NumericQuotientScale => Some(Type::U32),
            Helper::SetBit
            | Helper::SetFlags
            | Helper::Count32
            | Helper::PutPair
            | Helper::PutShared
            | Helper::AddShared
            | Helper::AddSharedWide
            | Helper::Add64
            | Helper::Add128
            | Helper::AddWide
            | Helper::Most
            | Helper::Most32
            | Helper::MostShared => None,
        }
    }
}

/// Elements of a column that a thread loads at once.
pub(crate) const LANES: u32 = 8;

/// What [`Helper::FindSlot`] gives of a code that has no slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// Names of types, the same for the device's compiler and the host's.
pub(crate) const TYPES: &str = "\
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef __int128 i128;
typedef unsigned __int128 u128;
";

/// What stands in front of sources for the device.
pub(crate) const OF_DEVICE: &str = "\
#define KERNEL extern \"C\" __global__ void
#define FUNCTION static __device__ __forceinline__
#define SHARED(name) extern __shared__ __align__(16) u32 name[];
";

/// The functions.
pub(crate) const FUNCTIONS: &str = include_str!("functions.cu");

/// Functions of numbers of any scale, in front of the kernels that call them: others need not wait until these are read.
pub(crate) const NUMERIC_FUNCTIONS: &str = include_str!("numeric.cu");

/// What the names of [`NUMERIC_FUNCTIONS`] begin with.
pub(crate) const NUMERIC: &str = "numeric_";
