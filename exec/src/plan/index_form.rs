//! How the group of a key is found in a finished collection.

use crate::Result;
use crate::plan::choice::{Adaptive, Choice};
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::limits::Limits;
use crate::technique::Technique;
use serde::{Deserialize, Serialize};

/// What an index can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum IndexForm {
    /// Every code is a key: it is the number of its row.
    Dense,
    /// For each code its group.
    Direct,
    /// For each code a bit, and how many are set before it.
    Ranked,
    /// A hash table of keys.
    Hash,
}

/// How keys are found that are at hand.
#[derive(Clone, Debug)]
pub(crate) struct Indexing {
    pub(crate) form: IndexForm,
    pub(crate) layout: KeyLayout,
}

impl Indexing {
    /// The form for so many rows whose keys have this layout. What is too wide for anything but hashing may come in steps,
    /// which are looked for then.
    pub(crate) fn of(
        layout: KeyLayout,
        rows: u64,
        often: bool,
        limits: &Limits,
        in_steps: impl FnOnce(&KeyLayout) -> Result<Option<KeyLayout>>,
    ) -> Result<Self> {
        let form = index_form(&layout, rows, often, limits);
        if form == IndexForm::Hash
            && let Some(stepped) = in_steps(&layout)?
        {
            let form = index_form(&stepped, rows, often, limits);
            let layout = if form == IndexForm::Hash { layout } else { stepped };
            return Ok(Indexing { form, layout });
        }
        Ok(Indexing { form, layout })
    }

    /// The form for rows whose keys are one integer each and may increase, as far as that makes for a better one.
    pub(crate) fn of_increasing(
        layout: KeyLayout,
        rows: u64,
        often: bool,
        limits: &Limits,
        in_steps: impl FnOnce(&KeyLayout) -> Result<Option<KeyLayout>>,
    ) -> Result<Option<Self>> {
        let Indexing { form, layout } = Indexing::of(layout, rows, often, limits, in_steps)?;
        // So many different integers in a range of no more; NULL's code is one more.
        let is_dense = layout.codes() == Some(rows + 1) && Technique::Dense.is_on();
        Ok(match form {
            IndexForm::Ranked if is_dense => Some(Indexing { form: IndexForm::Dense, layout }),
            IndexForm::Ranked => Some(Indexing { form, layout }),
            _ => None,
        })
    }

    /// Whether increasing keys of this layout, a column of a table, are better found by ranks than by what they would be in
    /// otherwise.
    pub(crate) fn ranks_increasing(layout: &KeyLayout, rows: u64, often: bool, limits: &Limits) -> bool {
        index_form(layout, rows, often, limits) == IndexForm::Ranked
    }
}

impl IndexForm {
    /// What is expected of keys that may have any of a layout's values, and what they become at hand.
    pub(crate) fn expected(layout: &KeyLayout, rows: Option<u64>, limits: &Limits) -> Adaptive<Self> {
        use IndexForm::{Dense, Direct, Hash, Ranked};
        const TEST: &str = "the keys at hand: their range, steps and dictionary";
        let of_integers = |domain: &PartDomain| matches!(domain, PartDomain::Integer(_) | PartDomain::Text);
        if !layout.parts.iter().all(|part| of_integers(&part.domain)) {
            return Adaptive::new(Choice::new(Hash, layout.width.name()), [], TEST);
        }
        let expected = match (rows, layout.codes()) {
            (None, _) => Choice::new(Hash, layout.width.name()),
            (Some(rows), codes) => {
                let form = index_form(layout, rows, false, limits);
                let why = match (form, codes) {
                    (Hash, Some(codes)) => format!("{codes} codes are too many for at most {rows} rows"),
                    (_, Some(codes)) => format!("{codes} codes for at most {rows} rows"),
                    _ => layout.width.name().to_owned(),
                };
                Choice::new(form, why)
            }
        };
        Adaptive::new(expected, [Dense, Direct, Ranked, Hash], TEST)
    }
}

/// The form of an index of so many rows. A code costs Direct 4 bytes and Ranked 2 bits, whether it is a key or not;
/// a row costs Hash about 24 bytes, and much time.
pub(super) fn index_form(layout: &KeyLayout, rows: u64, often: bool, limits: &Limits) -> IndexForm {
    let ranked = if often { limits.ranked_codes_often } else { limits.ranked_codes };
    let is_near = |codes: u64| codes <= limits.near_codes || (codes / 4 <= rows && codes <= limits.direct_index_max);
    let is_dense = |codes: u64| codes <= ranked || codes / limits.ranked_codes_per_row <= rows && codes <= 1 << 32;
    match layout.codes() {
        Some(codes) if Technique::DirectIndex.is_on() && is_near(codes) => IndexForm::Direct,
        Some(codes) if Technique::Ranked.is_on() && is_dense(codes) => IndexForm::Ranked,
        _ => IndexForm::Hash,
    }
}
