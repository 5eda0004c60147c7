//! Which loops are split, as far as their plan tells, and which results all cards need.

use crate::backend::Task;
use crate::plan::key_layout::PartDomain;
use crate::plan::reads::collections_read;
use crate::plan::tree::Device::Host;
use crate::plan::tree::{GeneratorKind, GeneratorPlan, LetKind, LetPlan, LoopPlan, Plan, ReducePlan};
use multiloop_planner::multiloop::{CollectionId, Reduction, Source};

/// From where on it pays to split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Rows of a table that is split, at least: of fewer what is saved is lost where another card begins, and where it is waited for
    /// (TPC-H at scale factor 30, whose lineitem has 180 million rows, took as long on two cards as on one).
    pub(crate) rows_min: u64,
    /// Bytes of all groups, at most, and for each row: groups are brought from card to card, and put together there.
    pub(crate) bytes_max: u64,
    pub(crate) bytes_each: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { rows_min: 128 << 20, bytes_max: 128 << 20, bytes_each: 1 }
    }
}

/// Strings that a key of text is assumed to have: more are seldom keys of few groups.
const STRINGS: u128 = 1 << 8;

impl Limits {
    /// Whether what a loop makes of so many rows can be put together of parts, and is worth it.
    fn may_put_together(&self, of: &LoopPlan, rows: u64) -> bool {
        of.unmatched.is_none()
            && of.generators.iter().all(|generator| match &generator.kind {
                GeneratorKind::Collect { .. } => true,
                GeneratorKind::Reduce(plan) => {
                    !plan.aggregates.iter().any(|aggregate| aggregate.kind.keeps_arguments())
                        && bytes_of_groups(plan)
                            <= u128::from(rows).saturating_mul(self.bytes_each.into()).min(self.bytes_max.into())
                }
                GeneratorKind::TopK(_) | GeneratorKind::BucketCollect(_) => false,
            })
    }

    /// The collection whose rows a loop may be split by: a table of many rows, or what a loop has collected that was split itself.
    pub(super) fn split_by(&self, plan: &Plan, of: &LoopPlan) -> Option<CollectionId> {
        let Some(Source::Rows(id)) = of.levels.first().map(|level| &level.source) else { return None };
        let rows = match (&plan.collection(*id).table, maker(plan, *id)) {
            (Some(table), _) if table.rows >= self.rows_min => table.rows,
            (None, Some((made, generator))) => {
                let is_collected = matches!(made.generators[generator].kind, GeneratorKind::Collect { .. });
                if !is_collected || made.device.of == Host || self.split_by(plan, made).is_none() {
                    return None;
                }
                // How many there are nobody knows.
                made.rows_max.unwrap_or(u64::MAX)
            }
            _ => return None,
        };
        (self.may_put_together(of, rows) && !self.waits_for_all(plan, of)).then_some(*id)
    }

    /// Whether it reads groups of all rows of a large table that are too many for that to be split: each card would have to make them.
    fn waits_for_all(&self, plan: &Plan, of: &LoopPlan) -> bool {
        let is_it = |definition: &&LetPlan| matches!(&definition.kind, LetKind::Loop(own) if std::ptr::eq(&**own, of));
        let Some(own) = plan.block(plan.body).lets.iter().find(is_it) else { return false };
        let is_large = |made: &LoopPlan| match made.levels.first().map(|level| &level.source) {
            Some(Source::Rows(id)) => {
                let rows = plan.collection(*id).table.as_ref().map_or(0, |table| table.rows);
                let is_reduce = |generator: &GeneratorPlan| matches!(generator.kind, GeneratorKind::Reduce(_));
                rows >= self.rows_min && made.generators.iter().any(is_reduce) && !self.may_put_together(made, rows)
            }
            _ => false,
        };
        collections_read(plan, own).into_iter().any(|id| maker(plan, id).is_some_and(|(made, _)| is_large(made)))
    }

    /// Whether loops on all cards read what a loop defines.
    pub(super) fn is_wanted_everywhere(&self, task: &Task<'_>) -> bool {
        let lets = &task.plan.block(task.plan.body).lets;
        let Some(at) = lets.iter().position(|definition| definition.defines == task.defines) else { return false };
        if !lets[at + 1..].iter().any(|definition| self.is_split(task.plan, definition)) {
            return false;
        }
        // Of each let whether all cards run it: those behind are known first.
        let mut everywhere: Vec<bool> = vec![false; lets.len()];
        let reads: Vec<Vec<CollectionId>> =
            lets[at..].iter().map(|definition| collections_read(task.plan, definition)).collect();
        for number in (at..lets.len()).rev() {
            let is_read_there = |(other, definition): (usize, &LetPlan)| {
                let LetKind::Loop(of) = &definition.kind else { return false };
                let reads = reads[other - at].iter().any(|id| lets[number].defines.contains(id));
                let by = self.split_by(task.plan, of);
                // What it is split by it reads in parts.
                let is_by = by.is_some_and(|by| lets[number].defines.contains(&by));
                reads && of.device.of != Host && (everywhere[other] || (by.is_some() && !is_by))
            };
            let readers = lets.iter().enumerate().skip(number + 1);
            everywhere[number] = readers.into_iter().any(is_read_there) && !self.is_split(task.plan, &lets[number]);
        }
        everywhere[at]
    }

    fn is_split(&self, plan: &Plan, definition: &LetPlan) -> bool {
        matches!(&definition.kind, LetKind::Loop(of) if self.split_by(plan, of).is_some())
    }
}

/// The loop of the body that makes a collection, and its generator.
fn maker(plan: &Plan, id: CollectionId) -> Option<(&LoopPlan, usize)> {
    plan.block(plan.body).lets.iter().find_map(|LetPlan { defines, kind, .. }| {
        let generator = defines.iter().position(|&define| define == id)?;
        if let LetKind::Loop(of) = kind { Some((&**of, generator)) } else { None }
    })
}

/// Bytes that all groups may take, about.
fn bytes_of_groups(plan: &ReducePlan) -> u128 {
    if plan.key.is_none() {
        return 0;
    }
    let codes = plan.layout.parts.iter().map(|part| match &part.domain {
        PartDomain::Text => STRINGS,
        domain => domain.codes().unwrap_or(u128::MAX),
    });
    let codes = codes.fold(1, u128::saturating_mul);
    let bytes = |reduction: &Reduction| if *reduction == Reduction::Sum { 8 } else { 4 };
    match plan.aggregates.iter().map(|aggregate| bytes(&aggregate.kind.reduction)).sum() {
        0 => codes / 8,
        each => codes.saturating_mul(each),
    }
}
