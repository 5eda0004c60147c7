//! Existence tests that are postponed until after the next index of the nest, where that filters more.
//!
//! A condition is checked as soon as its inputs are there. One that asks a collection (`NOT EXISTS`) and holds for nearly all tuples
//! is better asked behind an index that finds rows for few of them. Which holds is seen in the first tile of some, tuple by tuple:
//! nothing but time depends on it.

use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::tree::LoopPlan;
use crate::technique::Technique;
use multiloop_planner::multiloop::{ScalarId, Source};
use std::borrow::Cow;

/// Tiles of which one is looked at.
const LOOKED_AT: u32 = 64;

/// The levels of a nest.
pub(super) struct Waiting {
    levels: Vec<Option<Questions>>,
}

/// The conditions of a level in front of a bucket.
struct Questions {
    asked: Vec<ScalarId>,
    others: Vec<ScalarId>,
    waits: bool,
    tiles: u32,
    /// Tuples that have reached the next level since a tile was looked at.
    found: usize,
}

/// How many tuples of a tile passed what does not wait, and then the questions.
pub(super) struct Seen {
    pub(super) passed_others: usize,
    pub(super) passed: usize,
}

impl Waiting {
    /// Of a loop all of whose rows are wanted.
    pub(super) fn of(plan: &LoopPlan) -> Self {
        let on = Technique::EarlyConditions.is_on() && !plan.finds;
        let levels = plan.levels.iter().zip(plan.levels.iter().skip(1)).map(|(level, next)| {
            let is_question = |&&id: &&ScalarId| asks(&plan.expressions, plan.expressions.number(id) as u32);
            let (asked, others): (Vec<&ScalarId>, Vec<&ScalarId>) = level.conditions.iter().partition(is_question);
            // What is found of a bucket whose unmatched rows are wanted depends on the conditions.
            let is_inner = matches!(next.source, Source::Bucket { .. });
            let copied = |ids: Vec<&ScalarId>| ids.into_iter().copied().collect();
            let fits = on && is_inner && !asked.is_empty();
            fits.then(|| Questions { asked: copied(asked), others: copied(others), waits: false, tiles: 0, found: 0 })
        });
        Waiting { levels: levels.collect() }
    }

    /// The conditions of a level, whose own are these: without what waits, and with what has waited.
    pub(super) fn conditions<'a>(&self, level: usize, own: &'a [ScalarId]) -> Cow<'a, [ScalarId]> {
        let waiting = |level: Option<usize>| {
            let questions = level.and_then(|level| self.levels.get(level)?.as_ref());
            questions.filter(|questions| questions.waits)
        };
        match (waiting(Some(level)), waiting(level.checked_sub(1))) {
            (None, None) => Cow::Borrowed(own),
            (now, before) => {
                let own = now.map_or(own, |questions| &questions.others);
                let before = before.map_or(&[][..], |questions| &questions.asked);
                Cow::Owned([own, before].concat())
            }
        }
    }

    /// Notes that so many tuples have reached a level.
    pub(super) fn reached(&mut self, level: usize, tuples: usize) {
        let before = level.checked_sub(1).and_then(|before| self.levels.get_mut(before));
        if let Some(Some(questions)) = before {
            questions.found += tuples;
        }
    }

    /// If a tile of a level is one that is looked at, the questions, and what else is asked: now nothing waits.
    pub(super) fn look(&mut self, level: usize) -> Option<(Vec<ScalarId>, Vec<ScalarId>)> {
        let questions = self.levels.get_mut(level)?.as_mut()?;
        let looks = questions.tiles.is_multiple_of(LOOKED_AT);
        questions.tiles = questions.tiles.wrapping_add(1);
        if !looks {
            return None;
        }
        (questions.waits, questions.found) = (false, 0);
        Some((questions.asked.clone(), questions.others.clone()))
    }

    /// Says what has been seen of that tile.
    pub(super) fn seen(&mut self, level: usize, seen: &Seen) {
        if let Some(Some(questions)) = self.levels.get_mut(level) {
            let hold = seen.passed * 8 > seen.passed_others * 7;
            questions.waits = hold && questions.found * 4 < seen.passed;
        }
    }
}

/// Whether a node asks whether a collection has a key. (Fields of groups may be those of the row's own, which are made for rows that
/// no index has multiplied.)
fn asks(expressions: &Expressions, number: u32) -> bool {
    match &expressions.nodes[number as usize].operation {
        Operation::Exists { .. } => true,
        Operation::Call { arguments, .. } => arguments.iter().any(|&argument| asks(expressions, argument)),
        _ => false,
    }
}
