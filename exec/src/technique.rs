//! Techniques of execution that can be left out: to measure what each is worth, and to test that right answers need none
//! of them. Behind each stands the general way to do the same; where a technique is chosen, it is asked for once a plan,
//! an index or a tile, never once a row.
//!
//! `MULTILOOP_WITHOUT=few,ranked`, or `all`, leaves them out, as `--rules` does rules. `tpch/peers/ablation.py`
//! measures what each is worth; `tests/tests/techniques.rs` checks that answers need none.

use crate::{Error, ErrorKind, Result};
use std::sync::OnceLock;

/// The environment variable that leaves techniques out.
const VARIABLE: &str = "MULTILOOP_WITHOUT";

/// What names all of them.
const ALL: &str = "all";

/// Defines the techniques, each with its name.
macro_rules! techniques {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A technique of execution.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Technique {
            $($(#[$doc])* $variant,)*
        }

        /// All of them, with the names that the environment variable knows.
        const TECHNIQUES: &[(Technique, &str)] = &[$((Technique::$variant, $name),)*];
    };
}

techniques! {
    /// Integers of tables as offsets from their chunk's minimum; without it, in 64 bits.
    Frames = "frames",
    /// Such offsets in steps of what divides all of them, where that is narrower.
    Steps = "steps",
    /// Integers of tables that lie far apart, and text of large dictionaries, as codes of a domain.
    Domains = "domains",
    /// Text of tables as codes of a dictionary.
    Dictionaries = "dictionaries",
    /// Registers as narrow as proven ranges of values allow; without it, as the types ask for.
    NarrowRegisters = "narrow-registers",
    /// Chunks left out that have no row in the range that conditions ask for.
    ChunkPruning = "chunk-pruning",
    /// Lets that nobody asks for any more, once something has no rows, made of none.
    Gates = "gates",
    /// Lets that take long, and that only rows ask for, made when one does.
    PutOff = "put-off",
    /// Comparisons, and sums and differences with a constant, on a column's physical form.
    Fused = "fused",
    /// Two comparisons of one column as one interval.
    Intervals = "intervals",
    /// LIKE over a column's whole buffer.
    TextSearch = "text-search",
    /// Conditions on a dictionary column once for each string, then on codes.
    DictionaryConditions = "dictionary-conditions",
    /// Lists of constants as sets that are made once.
    Lists = "lists",
    /// Functions of few values once for each of these.
    Memo = "memo",
    /// Nested `||` as one function of all pieces, numbers among them.
    FlatConcat = "flat-concat",
    /// Fields of a JSON text, and whether it is JSON, in one scan of it.
    JsonFields = "json-fields",
    /// Costly expressions of a bucket's members alone once for each member.
    MemberValues = "member-values",
    /// Comparisons of quotients and roots of numerics with a constant by doubles, where these decide.
    Estimates = "estimates",
    /// Conditions as soon as their inputs are reached; without it, behind the last index.
    EarlyConditions = "early-conditions",
    /// Blocks that reduce a bucket evaluated for many rows at once.
    BatchedBlocks = "batched-blocks",
    /// Blocks that compare with the row that asks answered by search among rows in order.
    SearchedBlocks = "searched-blocks",
    /// Rows of an index that are bounded by values of those in front of it found by search among rows in order.
    RangeJoins = "range-joins",
    /// Blocks over few rows evaluated for many rows that ask at once, row by row of the block's.
    Interchange = "interchange",
    /// Elements of arrays that a nest goes over by the thousand, without their positions.
    ArrayElements = "array-elements",
    /// Expressions of outer indices before inner ones multiply their rows.
    OuterLevels = "outer-levels",
    /// Reductions of few groups over whole tiles with a mask, where few rows fall away.
    MaskedReductions = "masked-reductions",
    /// Probes with all keys of a column with a mask, where many rows pass.
    MaskedProbes = "masked-probes",
    /// Aggregates with conditions over whole tiles, with what falls away put into a group aside.
    PutAside = "put-aside",
    /// Few groups by the codes of their keys.
    Few = "few",
    /// Many groups by the codes of their keys, where most codes are keys and little is kept of a group.
    DenseGroups = "dense-groups",
    /// A tile's few groups as masks.
    GroupMasks = "group-masks",
    /// Sums of groups that are masks over a column's physical form.
    ColumnSums = "column-sums",
    /// Groups of clustered rows as runs.
    Ordered = "ordered",
    /// A bit a code where only keys are asked for.
    Set = "set",
    /// Groups by an array over all codes.
    Direct = "direct",
    /// Strings of few bytes in keys as numbers.
    ShortTexts = "short-texts",
    /// Distinct long strings found by the list that has them, without keys of their own.
    DistinctViews = "distinct-views",
    /// Rows of many groups partitioned first.
    RadixPartition = "radix-partition",
    /// Keys of groups that nobody reads not made.
    UnreadKeys = "unread-keys",
    /// HAVING before groups become rows.
    GroupFilter = "group-filter",
    /// Indexes that are an array over all codes.
    DirectIndex = "direct-index",
    /// Indexes that are a bit a code, and ranks.
    Ranked = "ranked",
    /// Buckets that leave their rows where they are, in a table.
    InPlace = "in-place",
    /// Groups that are only looked up, by what they were numbered by.
    OwnIndex = "own-index",
    /// Groups of a clustered table that its own rows ask for, made of the rows beside these.
    OwnGroups = "own-groups",
    /// Keys of a table that are the numbers of its rows.
    Dense = "dense",
    /// Keys of one integer as codes, 64 at a time.
    IntegerKeys = "integer-keys",
    /// Keys of one integer read in their column's physical form.
    KeysInColumns = "keys-in-columns",
    /// Codes of keys in steps of what divides all distances between keys.
    KeySteps = "key-steps",
    /// Strings of another dictionary than an index's looked up once each.
    Translation = "translation",
    /// Hash tables and arrays over codes asked once for neighbours that are alike.
    DuplicateRuns = "duplicate-runs",
    /// A filter of bits before large hash tables that are probed.
    KeyFilter = "key-filter",
    /// Asking for the memory of entries before it is looked at.
    Prefetch = "prefetch",
    /// Rows behind the last row of a full top-k left out before their fields are computed.
    TopKRejects = "top-k-rejects",
    /// Rows in order by keys of one number.
    SortKeys = "sort-keys",
    /// Lists gathered as values and sort keys in place of a text for each row.
    GatheredValues = "gathered-values",
    /// Percentiles and modes of the same values gathered once, and chosen together.
    SharedValues = "shared-values",
}

impl Technique {
    /// Whether it is used: unless the environment variable `MULTILOOP_WITHOUT` names it, in a list with commas, or says
    /// `all`. A list with a name that nobody knows leaves nothing out; [`Technique::check`] says so.
    #[inline]
    pub fn is_on(self) -> bool {
        static WITHOUT: OnceLock<u64> = OnceLock::new();
        *WITHOUT.get_or_init(|| named(std::env::var(VARIABLE).ok().as_deref()).unwrap_or(0)) & self.bit() == 0
    }

    /// An error (22023) if the environment names a technique that there is not.
    pub fn check() -> Result<()> {
        named(std::env::var(VARIABLE).ok().as_deref()).map(|_| ())
    }

    /// The names of all of them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TECHNIQUES.iter().map(|&(_, name)| name)
    }

    fn bit(self) -> u64 {
        const { assert!(TECHNIQUES.len() <= 64, "a bit a technique") };
        1 << self as u32
    }
}

/// The techniques of a list with commas, a bit each.
fn named(list: Option<&str>) -> Result<u64> {
    let names = list.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(bit_of).try_fold(0, |all, bit| Ok(all | bit?))
}

fn bit_of(wanted: &str) -> Result<u64> {
    if wanted == ALL {
        return Ok(u64::MAX);
    }
    let found = TECHNIQUES.iter().find(|(_, name)| *name == wanted);
    found.map(|(technique, _)| technique.bit()).ok_or_else(|| {
        let known = Technique::names().collect::<Vec<_>>().join(", ");
        let message = format!("{VARIABLE} names {wanted:?}: it may name {ALL}, or of {known}");
        Error::new(ErrorKind::InvalidParameter, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn techniques_are_named() {
        assert_eq!(named(None).unwrap(), 0);
        assert_eq!(named(Some("")).unwrap(), 0);
        assert_eq!(named(Some("few, ranked")).unwrap(), Technique::Few.bit() | Technique::Ranked.bit());
        assert!(TECHNIQUES.iter().all(|(technique, _)| technique.bit() & named(Some("all")).unwrap() != 0));
        let error = named(Some("few,fewer")).unwrap_err().to_string();
        assert!(error.contains("\"fewer\"") && error.contains("sort-keys"), "{error}");
    }

    #[test]
    fn names_differ() {
        let mut names: Vec<&str> = Technique::names().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TECHNIQUES.len());
    }
}
