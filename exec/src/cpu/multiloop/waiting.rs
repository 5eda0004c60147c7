//! Costly conditions that are postponed until after the next index of the nest, where that is cheaper.
//!
//! A condition is checked as soon as its inputs are there. One that asks a collection (`NOT EXISTS`) or tests long texts is better
//! checked behind an index that finds rows for few tuples. Which way is cheaper depends on the data, on caches and on how much the
//! condition itself filters, so both are tried and timed, each with some tiles: nothing but time depends on it.
//!
//! 1. A tile is tested early, and the test is timed apart from what follows. If it is cheap, or most of the time goes elsewhere, it
//!    stays early.
//! 2. The next tile is tested early as ever, with other conditions in one step, and the one behind it late. Where late is cheaper that
//!    is done once more, and later tiles are tested late if it is cheaper again.
//! 3. After a while both are tried again, more and more seldom while the answer stays the same.
//!
//! A loop's first tile is not timed: it makes what all tiles use.

use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use crate::plan::tree::LoopPlan;
use crate::technique::Technique;
use multiloop_planner::function::{Function, is_comparison};
use multiloop_planner::multiloop::{ScalarId, Source};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Tiles after which both ways are tried again, at first.
const TRIED_AFTER: u32 = 64;

/// The same at most.
const TRIED_AFTER_MAX: u32 = 1024;

/// Tuples of a tile that is timed, at least: the clock costs as much as a few.
const TIMED_TUPLES: usize = 256;

/// Nanoseconds a tuple below which a test is not worth waiting with: hardly more than to find a key. Codes of dictionaries are compared
/// in less.
const CHEAP_NS: f64 = 2.0;

/// The share of a tile's time from which on a test is worth waiting with.
const SHARE_MIN: f64 = 0.25;

/// How much cheaper it has to be to wait.
const GAIN: f64 = 0.9;

/// How often waiting has to be cheaper.
const ROUNDS: u32 = 2;

/// Tuples that pass, at least, to tell by them how many rows the next index has for each.
const TOLD_BY: usize = 16;

/// The levels of a nest.
pub(super) struct Waiting {
    levels: Vec<Option<Questions>>,
}

/// The conditions of a level in front of a bucket.
struct Questions {
    asked: Vec<ScalarId>,
    others: Vec<ScalarId>,
    /// Conditions of the next index that may fail, so that what waits is tested first.
    failing: Vec<ScalarId>,
    waits: bool,
    /// Tiles since both ways were tried.
    tiles: u32,
    /// Tiles until both are tried again.
    tried_after: u32,
    /// What the next tile is timed for.
    next: Step,
    /// How often late was cheaper in this trial.
    rounds: u32,
    /// What was cheaper when both were tried last.
    waited: bool,
    /// Tuples that have reached the next level since a tile was tested early.
    found: usize,
}

/// Where a trial is.
#[derive(Clone, Copy)]
enum Step {
    /// There is none.
    None,
    /// The next tile is tested early.
    Early,
    /// The next tile is tested late; nanoseconds a tuple when tested early.
    Late(f64),
}

/// What is to be found out with a tile.
pub(super) enum Trial {
    /// What it takes to test costly conditions, which are these.
    Apart(Vec<ScalarId>),
    /// What the tile takes all in all, tested early or late.
    Whole,
}

/// How long the test of a tile took that was timed apart.
pub(super) struct Apart {
    /// Tuples that were tested, and those that passed.
    pub(super) tested: usize,
    pub(super) passed: usize,
    pub(super) testing: Duration,
    /// Whether the next index has at most one row for each.
    pub(super) finds_one: bool,
}

impl Waiting {
    /// Of a loop all of whose rows are wanted.
    pub(super) fn of(plan: &LoopPlan) -> Self {
        let on = Technique::EarlyConditions.is_on() && !plan.finds;
        let levels = plan.levels.iter().zip(plan.levels.iter().skip(1)).map(|(level, next)| {
            // What may fail fails for rows that the next index has nothing for, too.
            let may_fail = |&&id: &&ScalarId| {
                let node = &plan.expressions.nodes[plan.expressions.number(id)];
                node.may_fail || node.volatile
            };
            let is_question = |id: &&ScalarId| {
                let number = plan.expressions.number(**id) as u32;
                !may_fail(id) && !is_cheap(&plan.expressions, number) && may_wait(&plan.expressions, number)
            };
            let (asked, others): (Vec<&ScalarId>, Vec<&ScalarId>) = level.conditions.iter().partition(is_question);
            // What is found of a bucket whose unmatched rows are wanted depends on the conditions.
            // And its key is made for rows that what waits would have left out.
            let is_inner = match &next.source {
                Source::Bucket { key, .. } => !key.iter().any(|part| may_fail(&&part.scalar)),
                _ => false,
            };
            let copied = |ids: Vec<&ScalarId>| ids.into_iter().copied().collect();
            let fits = on && is_inner && !asked.is_empty();
            fits.then(|| Questions {
                asked: copied(asked),
                others: copied(others),
                failing: next.conditions.iter().filter(may_fail).copied().collect(),
                waits: false,
                tiles: 1,
                tried_after: TRIED_AFTER,
                next: Step::None,
                rounds: 0,
                waited: false,
                found: 0,
            })
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
                let (before, failing) = before.map_or((&[][..], &[][..]), |before| (&before.asked, &before.failing));
                let (safe, rest) = own.split_at(own.iter().position(|id| failing.contains(id)).unwrap_or(own.len()));
                Cow::Owned([safe, before, rest].concat())
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

    /// What is to be found out with a tile of so many tuples that has reached a level.
    pub(super) fn trial(&mut self, level: usize, tuples: usize) -> Option<Trial> {
        let questions = self.levels.get_mut(level)?.as_mut()?;
        if tuples >= TIMED_TUPLES {
            match questions.next {
                Step::None if questions.tiles == 0 => {
                    (questions.waits, questions.tiles) = (false, questions.tried_after);
                    (questions.found, questions.rounds) = (0, 0);
                    return Some(Trial::Apart(questions.asked.clone()));
                }
                Step::None => {}
                Step::Early | Step::Late(_) => {
                    questions.waits = matches!(questions.next, Step::Late(_));
                    return Some(Trial::Whole);
                }
            }
        }
        questions.tiles = questions.tiles.saturating_sub(1);
        None
    }

    /// Says how long a tile took since it had reached a level, and its costly conditions among all that.
    pub(super) fn took_apart(&mut self, level: usize, took: Duration, apart: &Apart) {
        let Some(Some(questions)) = self.levels.get_mut(level) else { return };
        let testing = apart.testing.as_nanos() as f64;
        let is_worth_it = testing > CHEAP_NS * apart.tested as f64 && testing > SHARE_MIN * took.as_nanos() as f64;
        // An index with many rows for each tuple would make a tile of those that do not pass cost as much as many tiles.
        let finds_few = if apart.passed < TOLD_BY { apart.finds_one } else { questions.found * 2 < apart.passed };
        if is_worth_it && finds_few {
            questions.next = Step::Early;
        } else {
            questions.decide(false);
        }
    }

    /// The same of a tile of so many tuples, with all that was done.
    pub(super) fn took(&mut self, level: usize, (tuples, start): (usize, Instant)) {
        let Some(Some(questions)) = self.levels.get_mut(level) else { return };
        let took = start.elapsed().as_nanos() as f64 / tuples as f64;
        match questions.next {
            Step::None => {}
            Step::Early => questions.next = Step::Late(took),
            Step::Late(early) if took >= GAIN * early => questions.decide(false),
            Step::Late(_) => {
                questions.rounds += 1;
                questions.next = Step::Early;
                if questions.rounds == ROUNDS {
                    questions.decide(true);
                }
            }
        }
    }
}

impl Questions {
    /// Goes on in this way until both are tried again.
    fn decide(&mut self, waits: bool) {
        self.waits = waits;
        self.tried_after = if waits == self.waited { (self.tried_after * 2).min(TRIED_AFTER_MAX) } else { TRIED_AFTER };
        self.waited = waits;
        self.next = Step::None;
    }
}

/// Whether a node compares and computes with numbers alone, which takes less time than to find a key.
fn is_cheap(expressions: &Expressions, number: u32) -> bool {
    use Function as F;
    let node = &expressions.nodes[number as usize];
    match &node.operation {
        Operation::Column { .. } | Operation::Captured { .. } => {
            !matches!(node.register, Register::Text | Register::Vectors(_))
        }
        Operation::Constant(_) | Operation::Parameter(_) | Operation::Single { .. } => true,
        Operation::Call { function, arguments } => {
            let is_logical = matches!(function, F::IsNull | F::IsNotNull | F::IsTrue | F::And | F::Or | F::Not);
            let is_arithmetic = matches!(function, F::Add | F::Subtract | F::Multiply);
            let is_cheap_itself = is_comparison(*function) || is_logical || is_arithmetic;
            is_cheap_itself && arguments.iter().all(|&argument| is_cheap(expressions, argument))
        }
        _ => false,
    }
}

/// Whether a node may be evaluated for tuples that an index has multiplied: no fields of groups, which may be those of the row's own, made for
/// rows that no index has multiplied, and no blocks, which are evaluated for many rows at once.
fn may_wait(expressions: &Expressions, number: u32) -> bool {
    let operation = &expressions.nodes[number as usize].operation;
    !matches!(operation, Operation::Find { .. } | Operation::Lookup { .. } | Operation::Nested { .. })
        && operation.arguments().iter().all(|&argument| may_wait(expressions, argument))
}
