//! Groups in two steps, so that the first can be made before it joins: by texts of a dimension that do not determine its row.
//!
//! ```text
//! Aggregate by D, k: a (X join d on x = d.u)  =  Aggregate by D, k: merges (Aggregate by D, k, x: parts (X join d on x = d.u))
//! ```
//!
//! The inner groups hold x, so that they are made of X alone, and the dimension's texts are read, hashed and compared once for
//! each of them instead of once a row. Source: eager aggregation (Yan and Larson, 1995).
//!
//! Guard, and why:
//! * every aggregate is put together from parts without a trace (`merged_aggregates`): sums of floats are rounded once, from
//!   the exact sum, so they are not; nor are sums of numerics so long that a part might overflow where the whole does not;
//! * equal keys look alike: of -0 and 0 a group shows the one that comes first;
//! * it pays: the keys of the dimension are texts of which there are too many for codes, and the inner groups are few beside
//!   the rows. The inner groups do move below the join; the guards of `aggregate_before_join` say when.

use super::dimensions::is_exact;
use super::{EqualityClasses, Grouping, Joins, estimate, input_of};
use crate::relation::column_set::ColumnSet;
use crate::relation::merged_aggregates::{MergedAggregates, is_mergeable};
use crate::relation::not_null::never_null;
use crate::relation::profile::Profiles;
use crate::relation::unique::is_unique;
use crate::relation::visit::{as_column, for_each_column};
use crate::relation::{AggregateCall, AggregateFunction, ColumnId, Columns, Expression, Relation};
use crate::types::DataType;
use std::sync::Arc;

/// Where it pays.
#[derive(Clone, Copy)]
pub(in crate::relation::optimise) struct Limits {
    /// Inner groups that there may be for each row: each is read, merged, and finds its texts.
    pub(in crate::relation::optimise) inner_groups_a_row: f64,
    /// Combinations of texts up to which groups by their codes are as cheap as groups by numbers.
    pub(in crate::relation::optimise) few_texts: f64,
}

const LIMITS: Limits = Limits { inner_groups_a_row: 0.25, few_texts: 4096.0 };

#[cfg(test)]
thread_local! {
    /// Limits of a test that wants it where it would not pay.
    pub(in crate::relation::optimise) static LIMITS_IN_TEST: std::cell::Cell<Limits> = const { std::cell::Cell::new(LIMITS) };
}

fn limits() -> Limits {
    #[cfg(test)]
    return LIMITS_IN_TEST.get();
    #[cfg(not(test))]
    LIMITS
}

/// Digits of an argument whose sums never leave 128 bits, of however many rows.
const SUMMED_DIGITS_MAX: u8 = 28;

impl Grouping {
    /// The Aggregate over `input` in two steps, the first of which is made before some dimensions are joined.
    pub(super) fn staged(
        mut self,
        input: &Arc<Relation>,
        depth: u16,
        profiles: &Profiles,
        columns: &mut Columns,
    ) -> Option<Relation> {
        let merges = self.aggregates.iter().all(|(_, call)| is_mergeable(call) && is_told(call));
        if self.keys.is_empty() || !merges || !self.keys.iter().all(|(_, key)| is_exact(key.data_type)) {
            return None;
        }
        let input = Arc::clone(self.over_joins(input)?);
        let Reaching { columns: reaching, rest } = self.reaching(&input, profiles, columns);
        if reaching.is_empty() {
            return None;
        }
        let rows = estimate::rows(&input, profiles);
        let reached = reaching.iter().map(|id| columns.reference(*id)).collect::<Vec<_>>();
        if estimate::groups(reached.iter().chain(&rest), rows, profiles) > rows * limits().inner_groups_a_row {
            return None;
        }
        let (mut inner, mut keys) = (Vec::new(), Vec::new());
        for (id, key) in std::mem::take(&mut self.keys) {
            let column = columns.add("key", key.data_type, !never_null(&key, &input, profiles));
            keys.push((id, columns.reference(column)));
            inner.push((column, key));
        }
        inner.extend(reaching.iter().zip(reached).map(|(&id, key)| {
            let from = columns.get(id).clone();
            (columns.add(from.name, from.data_type, from.nullable), key)
        }));
        let MergedAggregates { parts, merges, shown } = MergedAggregates::new(self.aggregates, columns);
        let groups = Grouping { keys: inner, aggregates: parts }.moved(&input, depth, profiles, columns)?;
        let mut all: Vec<_> = keys.iter().map(|(id, _)| (*id, columns.reference(*id))).collect();
        all.extend(shown.into_iter().map(|(id, shown)| (id, shown.value(columns, false))));
        let merged = Relation::Aggregate { input: Arc::new(groups), keys, aggregates: merges };
        Some(Relation::Project { input: Arc::new(merged), columns: all })
    }

    /// What reaches scans of whose texts there are many among the keys, none of which says which row it is.
    fn reaching(&self, input: &Arc<Relation>, profiles: &Profiles, columns: &Columns) -> Reaching {
        let mut joins = Joins::of(input);
        let input_of = input_of(&joins, columns.len());
        let classes = EqualityClasses::take_from(&mut joins.conjuncts, &|_| true);
        let mut found = Reaching { columns: Vec::new(), rest: self.keys.iter().map(|(_, key)| key.clone()).collect() };
        for (at, scan) in joins.inputs.iter().enumerate().filter(|(_, input)| matches!(***input, Relation::Scan { .. }))
        {
            let is_own = |id: ColumnId| input_of[id.0 as usize] == Some(at);
            let texts = || self.keys.iter().map(|(_, key)| key).filter(|key| reads_only(key, &is_own));
            let has_text = texts().any(|key| key.data_type == DataType::Text);
            if !has_text || estimate::groups(texts(), f64::MAX, profiles) <= limits().few_texts {
                continue;
            }
            let from = classes.iter().filter(|(_, data_type)| is_exact(*data_type)).find_map(|(class, _)| {
                let unique = |id: &&ColumnId| is_own(**id) && is_unique(scan, &ColumnSet::from_iter([**id]));
                class.iter().find(unique)?;
                class.iter().copied().find(|id| !is_own(*id))
            });
            let is_key = |from| self.keys.iter().any(|(_, key)| as_column(key) == Some(from));
            if let Some(from) = from.filter(|from| !is_key(*from)) {
                found.rest.retain(|key| !reads_only(key, &is_own));
                if !found.columns.contains(&from) {
                    found.columns.push(from);
                }
            }
        }
        found
    }
}

/// How dimensions are reached whose texts are keys.
struct Reaching {
    columns: Vec<ColumnId>,
    /// The keys that are not theirs.
    rest: Vec<Expression>,
}

/// Whether an expression reads columns, all of which are such.
fn reads_only(key: &Expression, is_own: &dyn Fn(ColumnId) -> bool) -> bool {
    let (mut reads, mut others) = (false, false);
    for_each_column(key, &mut |id| if is_own(id) { reads = true } else { others = true });
    reads && !others
}

/// Whether parts of it never overflow where the whole does not, and equal values look alike.
fn is_told(call: &AggregateCall) -> bool {
    let Some(argument) = &call.argument else { return true };
    match call.function {
        AggregateFunction::Sum | AggregateFunction::Average => match argument.data_type {
            DataType::Decimal { precision, .. } => precision <= SUMMED_DIGITS_MAX,
            other => other.is_integer(),
        },
        AggregateFunction::Min | AggregateFunction::Max => {
            is_exact(argument.data_type) && argument.data_type != DataType::Numeric
        }
        _ => true,
    }
}
