//! How the groups of a reduction are numbered, and which way suits one.
//!
//! Without a key there is one group, even without rows. Else:
//!
//! * *Few*: so few keys are possible that the code of a key is its group's number, and no table is needed.
//! * *Ordered*: rows come clustered by their key: a new group begins where the key changes, and what is between the
//!   pieces of several workers is put in order at the end.
//! * *Set*: nothing is asked of a group but its key: a bit a code.
//! * *Dense*: as Few, of many codes: there are so many rows for each that most of them are keys, and little is kept of a
//!   group.
//! * *Direct*: codes lie close enough that an array over them is cheap; its entry for a code is the group's number.
//!   Fresh pages of the array are zero and cost nothing until a code falls into them.
//! * *Hash*: keys get numbers in the order in which they come.

use crate::plan::choice::{Adaptive, Choice};
use crate::plan::index_form::{IndexForm, index_form};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::limits::Limits;
use crate::technique::Technique;
use serde::{Deserialize, Serialize};

/// How many rows a reduction takes, and how they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rows {
    /// An upper bound, of rows of the outermost index; 0 if none is known.
    pub(crate) count: u64,
    /// Proven: rows with equal keys come one after the other.
    pub(crate) clustered: bool,
    /// Whether nothing is computed of a group.
    pub(crate) keys_only: bool,
    /// How many numbers are kept of a group, if that is all, and every row may be folded into one that nobody reads.
    pub(crate) numbers: Option<u64>,
    /// Whether groups are looked up, and nobody sees their keys or their order.
    pub(crate) keys_unread: bool,
    /// How many workers share the rows; with one nothing is merged.
    pub(crate) workers: u64,
}

/// A way to number the groups of keys; see the file's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum GroupKind {
    Few,
    Ordered,
    Set,
    Dense,
    Direct,
    Hash,
}

/// How a loop numbers groups: what it decided once it knew its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbering {
    pub(crate) kind: GroupKind,
    /// Whether a hash table of groups is to find them by their keys, too.
    pub(crate) own_index: bool,
}

impl Numbering {
    /// The best one for keys of this layout and so many rows.
    pub(crate) fn of(layout: &KeyLayout, rows: Rows, limits: &Limits) -> Self {
        // Unless a set of bits finds them better.
        let own_index = rows.keys_unread && index_form(layout, rows.count, false, limits) == IndexForm::Hash;
        Numbering { kind: GroupKind::of(layout, rows, limits), own_index }
    }
}

impl GroupKind {
    /// What is expected before rows are seen, and what it becomes when there are fewer, or one dictionary holds the text.
    pub(crate) fn expected(layout: &KeyLayout, rows: Rows, limits: &Limits) -> Adaptive<Self> {
        let of = |layout: &KeyLayout, count: u64, workers: u64| {
            GroupKind::of(layout, Rows { count, workers, ..rows }, limits)
        };
        let kind = of(layout, rows.count, rows.workers);
        let expected = Choice::new(kind, kind.why(layout, rows, limits));
        if layout.parts.iter().any(|part| matches!(part.domain, PartDomain::Text)) {
            // Codes of a dictionary may be few or many.
            use GroupKind::{Dense, Direct, Few, Hash, Ordered, Set};
            let others = [Few, Ordered, Set, Dense, Direct, Hash].into_iter().filter(|&other| match other {
                Ordered => rows.clustered,
                Set => rows.keys_only,
                Dense => rows.numbers.is_some(),
                _ => true,
            });
            return Adaptive::new(expected, others, "whether one dictionary holds the text, and how many rows come");
        }
        // A kind pays from some number of rows for a code on, which differs between kinds: all that lie below are tried.
        let most = if rows.count == 0 { u64::MAX } else { rows.count };
        let counts = (0..64).map(|bit| 1u64 << bit).take_while(|&count| count <= most);
        let workers = [1, rows.workers];
        let others: Vec<GroupKind> = counts
            .chain([0, rows.count])
            .flat_map(|count| workers.map(|workers| of(layout, count, workers)))
            .chain(layout.codes().into_iter().flat_map(|codes| {
                let near = [
                    codes,
                    codes.saturating_mul(limits.rows_per_dense_code),
                    codes / limits.direct_codes_per_row,
                    codes / limits.set_codes_per_row,
                ];
                near.into_iter().filter(|&count| count <= most).map(|count| of(layout, count, 1))
            }))
            .collect();
        Adaptive::new(expected, others, "how many rows come, and to how many workers")
    }

    /// What decided for this kind.
    pub(crate) fn why(self, layout: &KeyLayout, rows: Rows, limits: &Limits) -> String {
        let (width, rows) = (layout.width.name(), rows.count);
        match (self, layout.codes()) {
            (GroupKind::Ordered, _) => "rows come clustered by the key".to_owned(),
            (GroupKind::Few, Some(codes)) => {
                let most = limits.few_codes;
                format!("{codes} codes (up to {most}): the code is the group")
            }
            (GroupKind::Set, Some(codes)) => format!("a bit for each of {codes} codes"),
            (GroupKind::Dense, Some(codes)) => format!("{codes} codes for at most {rows} rows: the code is the group"),
            (GroupKind::Direct, Some(codes)) => format!("{codes} codes for at most {rows} rows"),
            (_, Some(codes)) => format!("{width}, {codes} codes are too many for at most {rows} rows"),
            _ => width.to_owned(),
        }
    }

    /// The best way for keys of this layout.
    fn of(layout: &KeyLayout, rows: Rows, limits: &Limits) -> Self {
        let Some(codes) = layout.codes() else { return GroupKind::Hash };
        let is_set = codes <= limits.set_codes_max && codes / limits.set_codes_per_row <= rows.count;
        let is_dense = codes > limits.few_codes
            && codes <= rows.count / limits.rows_per_dense_code
            && rows.numbers.is_some_and(|numbers| codes <= limits.dense_numbers_max / numbers.max(1));
        let is_direct = codes <= limits.direct_codes_max
            && codes / limits.direct_codes_per_row <= rows.count
            && Technique::Direct.is_on();
        // Either gives groups in the order of their codes, so that the number of workers may choose.
        let each_has_many = codes <= rows.count / rows.workers / limits.rows_per_dense_code;
        // Of clustered rows a set is found as it is, where groups would have to be indexed; but every worker has all codes.
        let finds = rows.keys_unread && codes / limits.set_codes_per_row <= rows.count / rows.workers;
        if codes <= limits.few_codes && Technique::Few.is_on() {
            GroupKind::Few
        } else if rows.clustered && !(is_set && rows.keys_only && finds && Technique::Set.is_on()) {
            GroupKind::Ordered
        } else if is_set && rows.keys_only && Technique::Set.is_on() {
            // A row costs a hash otherwise, and a group 24 bytes.
            GroupKind::Set
        } else if is_dense && (each_has_many || !is_direct) && Technique::DenseGroups.is_on() {
            GroupKind::Dense
        } else if is_direct {
            GroupKind::Direct
        } else {
            GroupKind::Hash
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::key_layout::PartDomain;

    #[test]
    fn the_best_way_depends_on_codes_and_rows() {
        let of = |codes: i128, rows: Rows| {
            // NULL has a code, too.
            GroupKind::of(&KeyLayout::new(vec![PartDomain::integers(0, codes - 2)]), rows, &Limits::default())
        };
        let rows = Rows {
            count: 100_000,
            clustered: false,
            keys_only: false,
            numbers: Some(2),
            keys_unread: false,
            workers: 1,
        };
        assert_eq!(of(4_096, rows), GroupKind::Few);
        assert_eq!(of(4_097, rows), GroupKind::Dense);
        assert_eq!(of(25_000, rows), GroupKind::Dense);
        assert_eq!(of(25_001, rows), GroupKind::Direct);
        assert_eq!(of(25_000, Rows { workers: 2, ..rows }), GroupKind::Direct);
        assert_eq!(of(4_097, Rows { numbers: None, ..rows }), GroupKind::Direct);
        assert_eq!(of(4_097, Rows { clustered: true, ..rows }), GroupKind::Ordered);
        assert_eq!(of(4_097, Rows { keys_only: true, ..rows }), GroupKind::Set);
        let clustered = Rows { keys_only: true, clustered: true, ..rows };
        assert_eq!(of(4_097, clustered), GroupKind::Ordered);
        assert_eq!(of(400_000, Rows { keys_unread: true, ..clustered }), GroupKind::Set);
        assert_eq!(of(400_000, Rows { keys_unread: true, workers: 8, ..clustered }), GroupKind::Ordered);
        assert_eq!(of(1 << 40, rows), GroupKind::Hash);
        assert_eq!(of(1 << 20, Rows { count: 1 << 30, ..rows }), GroupKind::Dense);
        assert_eq!(of((1 << 20) + 1, Rows { count: 1 << 30, ..rows }), GroupKind::Direct);
    }
}
