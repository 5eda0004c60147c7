//! Range joins: indices of a nest whose rows are found by binary search among rows in order.
//!
//! An index that goes over all rows of a collection, or over a bucket, and whose conditions compare a value of its rows with
//! values of the indices in front of it, needs not be tried with every row:
//!
//! ```text
//! a in A, b in B if b.day >= a.day if b.day <= a.day + 3 if b.id <> a.id
//!     B in the order of b.day (within each bucket); of each a the slice from a.day to a.day + 3; left to check: b.id <> a.id
//! ```
//!
//! 1. *The key* is what is compared: a scalar that reads this index alone. Its lower and upper bounds read the indices in front
//!    (and what is captured). The greatest lower and the least upper bound are the ends of the slice; so these conditions need not
//!    be checked again. NULL as a bound is no slice, and rows whose key is NULL are in none.
//! 2. *The other key*, where the key is bounded from one side only (intervals that overlap: `a.low <= b.high`, `b.low <= a.high`): a
//!    second scalar of the rows, bounded from the other side. With the greatest `high` of all rows up to each, in the order of `low`, a
//!    search finds the first row that can match; so the slice is short where intervals are. Its condition is checked, unless
//!    rows in the order of one key are in that of the other, too (`b.day` and `b.day + 3`).
//!
//! Integers of any kind, dates, timestamps, decimals and doubles are keys: each is an `i64` of the same order.
//!
//! **Errors.** Keys are computed for all rows, and bounds for all tuples, before conditions are checked. If a key fails, or a bound
//! of a tuple of a tile, that counts for nothing: all rows, or those of this tile, are tried as without a search. Conditions in
//! front of those that are searched by cannot fail; those behind are checked for the same rows.
//!
//! **Order of rows.** A search gives rows in the order of the key. Whether there is one is decided by numbers of rows
//! alone, so that no number of workers shows. Bounds that may fail are only searched by behind sources whose tuples come by tiles of
//! a fixed size anyway.
//!
//! In the plan and not in the IR, as searched blocks are, and for the same reasons (docs/decisions/searched-blocks.md).

use crate::plan::expressions::Expressions;
use crate::plan::nodes::Operation;
use crate::plan::register::Register;
use crate::plan::tree::LevelPlan;
use crate::technique::Technique;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{Generator, Index, Program, Scalar, ScalarId, Source};
use serde::{Deserialize, Serialize};

/// How the rows of an index are found by search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RangeJoin {
    /// What rows are in the order of.
    pub(crate) key: ScalarId,
    /// Its bounds, of which there is at least one.
    pub(crate) bounds: Vec<Bound>,
    /// Where the key has bounds of one side only: what is bounded from the other side.
    pub(crate) other: Option<(ScalarId, Vec<Bound>)>,
    /// Whether a bound may fail.
    pub(crate) may_fail: bool,
    /// The conditions that are left to be checked,
    pub(crate) rest: Vec<ScalarId>,
    /// and those that are left if rows are in the order of the other key, too.
    pub(crate) rest_in_order: Vec<ScalarId>,
}

/// A bound of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// What the key is compared with; reads indices in front.
    pub(crate) value: ScalarId,
    /// Whether it is the least value of the key, or else the greatest.
    pub(crate) is_lower: bool,
    /// Whether the key has to differ from it.
    pub(crate) is_strict: bool,
}

/// A condition that bounds a key.
#[derive(Clone, Copy)]
struct Comparison {
    condition: ScalarId,
    key: ScalarId,
    bound: Bound,
}

/// The sides of comparisons among the conditions of a nest of several indices: range joins compute them on their own.
pub(crate) fn sides(program: &Program, nest: &[Index], generators: &[Generator]) -> Vec<ScalarId> {
    if nest.len() < 2 || !Technique::RangeJoins.is_on() {
        return Vec::new();
    }
    let matches = nest.iter().filter_map(|index| index.source.probe()).flat_map(|(_, condition)| condition);
    let conditions = generators.iter().flat_map(|generator| generator.condition()).chain(matches);
    conditions.filter_map(|&id| compared(program, id)).flat_map(|(_, sides)| sides).collect()
}

/// A comparison by order, and its sides.
fn compared(program: &Program, condition: ScalarId) -> Option<(Function, [ScalarId; 2])> {
    use Function::{Greater, GreaterEqual, Less, LessEqual};
    match program.scalars.get(condition) {
        Scalar::Call { function: function @ (Less | LessEqual | Greater | GreaterEqual), arguments } => {
            let &[left, right] = &arguments[..] else { return None };
            Some((*function, [left, right]))
        }
        _ => None,
    }
}

impl RangeJoin {
    /// How the rows of an index, which is not the outermost one, are found by search; none if nothing bounds them.
    pub(crate) fn of(program: &Program, expressions: &Expressions, at: usize, level: &LevelPlan) -> Option<Self> {
        if at == 0 || !Technique::RangeJoins.is_on() {
            return None;
        }
        let conditions = match level.source {
            Source::Rows(_) | Source::Bucket { .. } => &level.conditions,
            Source::BucketOrNull { .. } => &level.matches,
            Source::BucketAndRest { .. } | Source::Count(_) => return None,
        };
        let across = Across { program, expressions, at };
        let mut found: Vec<Comparison> = Vec::new();
        for &condition in conditions {
            match across.comparison(condition) {
                Some(comparison) => found.push(comparison),
                None if expressions.may_fail(condition) || expressions.root(condition).volatile => break,
                None => {}
            }
        }
        let of_key = |key: ScalarId, is_lower: bool| {
            let fits = move |each: &&Comparison| each.key == key && each.bound.is_lower == is_lower;
            found.iter().filter(fits).map(|each| each.bound).collect::<Vec<Bound>>()
        };
        let both = found
            .iter()
            .map(|each| each.key)
            .find(|&key| [true, false].iter().all(|&side| !of_key(key, side).is_empty()));
        let key = both.or_else(|| found.first().map(|each| each.key))?;
        let bounds = [of_key(key, true), of_key(key, false)].concat();
        let from_below = bounds[0].is_lower;
        let opposite =
            found.iter().find(|each| each.key != key && each.bound.is_lower != from_below).map(|each| each.key);
        let other = opposite.filter(|_| both.is_none()).map(|other| (other, of_key(other, !from_below)));
        let is_other = |each: &Comparison| {
            other.as_ref().is_some_and(|(other, _)| each.key == *other && each.bound.is_lower != from_below)
        };
        let left = |with_other: bool| {
            let decides = |each: &&Comparison| each.key == key || (with_other && is_other(each));
            let is_left = |&condition: &ScalarId| found.iter().filter(decides).all(|each| each.condition != condition);
            conditions.iter().copied().filter(is_left).collect::<Vec<ScalarId>>()
        };
        // What fails for a row fails before a comparison behind it leaves that row out.
        let is_searched = |each: &Comparison| each.key == key || is_other(each);
        let fails = found.iter().position(|each| !is_searched(each) && expressions.may_fail(each.condition));
        if fails.is_some_and(|at| found[at..].iter().any(is_searched)) {
            return None;
        }
        let values = bounds.iter().chain(other.iter().flat_map(|(_, bounds)| bounds)).map(|bound| bound.value);
        let may_fail = values.clone().any(|value| expressions.may_fail(value));
        // Tiles may be cut anywhere behind other sources.
        if may_fail && !matches!(level.source, Source::Rows(_)) {
            return None;
        }
        Some(RangeJoin { key, rest: left(false), rest_in_order: left(true), bounds, other, may_fail })
    }
}

/// What of a nest lies on which side of a comparison.
struct Across<'p> {
    program: &'p Program,
    expressions: &'p Expressions,
    at: usize,
}

impl Across<'_> {
    /// A condition that compares what reads the index alone with what does not read it.
    fn comparison(&self, condition: ScalarId) -> Option<Comparison> {
        use Function::{Greater, GreaterEqual, Less, LessEqual};
        let (function, [left, right]) = compared(self.program, condition)?;
        let (key, value, is_first) = match (self.is_key(left), self.is_key(right)) {
            (true, false) if self.is_bound(right) => (left, right, true),
            (false, true) if self.is_bound(left) => (right, left, false),
            _ => return None,
        };
        let types = [key, value].map(|id| self.program.scalars.data_type(id));
        if types[0] != types[1] && !types.iter().all(|data_type| data_type.is_integer()) {
            return None;
        }
        let is_number = |id: ScalarId| {
            matches!(self.expressions.register(id), Register::I32 | Register::I64 | Register::I128 | Register::F64)
        };
        if ![key, value].into_iter().all(is_number) {
            return None;
        }
        let is_lower = matches!(function, Greater | GreaterEqual) == is_first;
        let is_strict = matches!(function, Less | Greater);
        debug_assert!(matches!(function, Less | LessEqual | Greater | GreaterEqual), "a comparison by order");
        Some(Comparison { condition, key, bound: Bound { value, is_lower, is_strict } })
    }

    /// Whether a scalar reads the index, and no other one.
    fn is_key(&self, id: ScalarId) -> bool {
        let (mut reads, mut alone) = (false, true);
        self.visit(id, |index| {
            reads |= index == self.at;
            alone &= index == self.at;
        });
        reads && alone && self.is_plain(id)
    }

    /// Whether a scalar can be computed in front of the index, and reads one there.
    fn is_bound(&self, id: ScalarId) -> bool {
        self.expressions.reach(id) <= self.at && self.is_plain(id)
    }

    fn is_plain(&self, id: ScalarId) -> bool {
        let node = self.expressions.root(id);
        !node.volatile && !node.costly
    }

    /// The indices of the nest that a scalar reads.
    fn visit(&self, id: ScalarId, mut visit: impl FnMut(usize)) {
        let mut rest = vec![self.expressions.number(id) as u32];
        while let Some(number) = rest.pop() {
            let operation = &self.expressions.nodes[number as usize].operation;
            if let Operation::Column { index, .. } = operation {
                visit(*index);
            }
            rest.extend(operation.arguments());
        }
    }
}
