//! The order and the sides of joins: dynamic programming over sets of inputs, `join_greedy` where there are too many.
//!
//! A plan of a set is a plan of a left subset, streamed, and one of the rest, built into a bucket (hash or direct
//! table) that each left row probes. A chain of left children is one fused loop with a nest of lookups; each
//! right side is a loop of its own, finished before. So for every set the cheapest of all splits is kept, both
//! ways round: left-deep and bushy trees alike. Splits without a predicate between the sides are looked at only
//! when neither side can be joined to anything else.
//!
//! Semi and anti joins take part as elements that may only stand alone on the right, over a left side that has
//! the inputs that their condition reads. They commute with inner joins, because these only repeat left rows.
//!
//! Cost, in units of about a nanosecond of one thread: see `join_cost`.

use super::input_set::InputSet;
use super::join_cost::{Cardinality, JoinShape, cost_of};
use super::join_greedy::greedy;
use super::push_filter::{equality, filtered};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::unique::is_unique_key;
use crate::relation::visit::as_binary;
use crate::relation::{ColumnId, Expression, Relation};
use crate::types::DataType;
use std::sync::Arc;

/// Elements (inputs, semi and anti joins) up to which all plans are tried: 3^10 splits, sixty thousand.
const EXHAUSTIVE_MAX: usize = 10;

/// The same where most splits are dismissed at a glance, because few pairs of inputs are connected.
const EXHAUSTIVE_SPARSE_MAX: usize = 12;

/// An input of the joins.
pub(super) struct Input {
    /// Its rows, filters applied.
    pub(super) relation: Relation,
    /// How many it is expected to have.
    pub(super) rows: f64,
    /// What it costs to keep the columns of one in a bucket; 0 if it is not known which are read.
    pub(super) payload: f64,
}

/// Columns that the joins equate.
pub(super) struct KeyClass {
    /// At most one of each input.
    pub(super) members: Vec<KeyColumn>,
    /// The one type of all.
    pub(super) data_type: DataType,
}

/// A column of a class.
pub(super) struct KeyColumn {
    pub(super) column: ColumnId,
    pub(super) input: usize,
    /// Distinct values in its table, less those that a predicate on this very column excludes.
    pub(super) values: f64,
    /// Rows of its table, no filter applied.
    pub(super) table_rows: f64,
    /// No value occurs twice in its table.
    pub(super) unique: bool,
    /// Its table is in its order.
    pub(super) sorted: bool,
    /// Its values are found by hashing.
    pub(super) wide: bool,
}

/// Another predicate over several inputs.
pub(super) struct Residual<const WORDS: usize> {
    pub(super) predicate: Expression,
    /// The inputs that it reads.
    pub(super) mask: InputSet<WORDS>,
    /// The share of rows that pass.
    pub(super) share: f64,
    /// The inputs of either side, if it is an equality that can serve as a key.
    pub(super) sides: Option<(InputSet<WORDS>, InputSet<WORDS>)>,
}

impl<const WORDS: usize> Residual<WORDS> {
    /// A predicate over the inputs in `mask`.
    pub(super) fn new(
        predicate: Expression,
        mask: InputSet<WORDS>,
        share: f64,
        mask_of: &dyn Fn(&Expression) -> InputSet<WORDS>,
    ) -> Self {
        let sides = as_binary(&predicate, Function::Equal).map(|(a, b)| (mask_of(a), mask_of(b)));
        let sides = sides.filter(|(a, b)| !a.is_empty() && !b.is_empty() && !a.meets(b));
        Residual { predicate, mask, share, sides }
    }
}

/// A semi or anti join.
pub(super) struct Restriction<const WORDS: usize> {
    pub(super) kind: JoinKind,
    pub(super) right: Relation,
    pub(super) on: Expression,
    /// The inputs that its condition reads.
    pub(super) required: InputSet<WORDS>,
    /// Rows of its right side.
    pub(super) rows: f64,
    /// The share of left rows that pass.
    pub(super) share: f64,
    /// How many equalities of columns its condition holds.
    pub(super) keys: usize,
}

/// Joins the inputs in the cheapest order found.
pub(super) fn order_joins<const WORDS: usize>(
    inputs: Vec<Input>,
    classes: &[KeyClass],
    residuals: Vec<Residual<WORDS>>,
    restrictions: Vec<Restriction<WORDS>>,
) -> Relation {
    let rows: Vec<f64> = inputs.iter().map(|input| input.rows).collect();
    let payloads = inputs.iter().map(|input| input.payload).collect();
    let cardinality = Cardinality::new(rows, classes, &residuals, &restrictions);
    let search = Search { cardinality, residuals: &residuals, payloads };
    let elements = inputs.len() + restrictions.len();
    let tree = if elements == 1 {
        Tree::Input(0)
    } else if elements <= search.exhaustive_max() {
        search.exhaustive()
    } else {
        greedy(&search)
    };
    let mut builder = Builder {
        inputs: inputs.into_iter().map(|input| Some(input.relation)).collect(),
        restrictions: restrictions.into_iter().map(Some).collect(),
        residuals: residuals.into_iter().map(|residual| (residual.mask, Some(residual.predicate))).collect(),
        classes,
    };
    builder.build(tree).relation
}

/// A join tree over numbers of inputs and restrictions.
pub(super) enum Tree {
    Input(usize),
    Join(Box<Tree>, Box<Tree>),
    Restrict(Box<Tree>, usize),
}

#[derive(Clone, Copy)]
pub(super) struct Plan<const WORDS: usize> {
    pub(super) cost: f64,
    pub(super) rows: f64,
    /// The set of the left child, as bits; the rest is the right's. Empty for a single input, and in greedy search.
    pub(super) left: u64,
    /// Inputs that some predicate connects to one of this set.
    pub(super) neighbours: InputSet<WORDS>,
}

impl<const WORDS: usize> Plan<WORDS> {
    const NONE: Self = Plan { cost: f64::INFINITY, rows: 0.0, left: 0, neighbours: InputSet::EMPTY };
}

pub(super) struct Search<'a, const WORDS: usize> {
    pub(super) cardinality: Cardinality<'a, WORDS>,
    residuals: &'a [Residual<WORDS>],
    /// Of the inputs.
    payloads: Vec<f64>,
}

impl<const WORDS: usize> Search<'_, WORDS> {
    pub(super) fn input_count(&self) -> usize {
        self.cardinality.rows.len()
    }

    /// Inputs that some predicate connects to this one, itself left out.
    pub(super) fn neighbours_of(&self, input: usize) -> InputSet<WORDS> {
        let masks = self.cardinality.class_masks.iter().chain(self.residuals.iter().map(|residual| &residual.mask));
        let about = masks.filter(|mask| mask.contains(input));
        about.fold(InputSet::EMPTY, |all, mask| all.union(mask)).without(&InputSet::of(input))
    }

    fn exhaustive_max(&self) -> usize {
        let inputs = self.input_count();
        // Of more there is nothing to find out.
        if inputs > EXHAUSTIVE_SPARSE_MAX {
            return EXHAUSTIVE_SPARSE_MAX;
        }
        let connected: usize = (0..inputs).map(|input| self.neighbours_of(input).len()).sum();
        // A chain has two neighbours an input.
        if connected <= 3 * inputs { EXHAUSTIVE_SPARSE_MAX } else { EXHAUSTIVE_MAX }
    }

    /// Whether two sets of inputs may be joined: a predicate connects them, or nothing is left that a predicate could
    /// connect to either.
    pub(super) fn may_join(
        left: &InputSet<WORDS>,
        right: &InputSet<WORDS>,
        left_plan: &Plan<WORDS>,
        right_plan: &Plan<WORDS>,
    ) -> bool {
        left_plan.neighbours.meets(right)
            || (left_plan.neighbours.is_within(left) && right_plan.neighbours.is_within(right))
    }

    /// Whether a split makes sense: the right is one restriction whose inputs are on the left, or both sides hold
    /// inputs and may be joined.
    fn may_split(&self, left: u64, right: u64, left_plan: &Plan<WORDS>, right_plan: &Plan<WORDS>) -> bool {
        let inputs = (1u64 << self.input_count()) - 1;
        if right & inputs == 0 {
            let restriction = right.trailing_zeros() as usize - self.input_count();
            let required = &self.cardinality.restrictions[restriction].required;
            return right.count_ones() == 1 && required.is_within(&InputSet::of_bits(left));
        }
        if !left_plan.cost.is_finite() || !right_plan.cost.is_finite() {
            return false;
        }
        let (left, right) = (InputSet::of_bits(left & inputs), InputSet::of_bits(right & inputs));
        Self::may_join(&left, &right, left_plan, right_plan)
    }

    pub(super) fn shape(
        &self,
        left: &InputSet<WORDS>,
        right: &InputSet<WORDS>,
        left_rows: f64,
        right_rows: f64,
        rows: f64,
    ) -> JoinShape {
        let mut shape = JoinShape { left_rows, right_rows, rows, ..JoinShape::default() };
        self.cardinality.describe_key(left, right, &mut shape);
        let kept = self.payloads.iter().enumerate().filter(|(input, _)| right.contains(*input));
        shape.payload = kept.map(|(_, payload)| payload).sum();
        for residual in self.residuals {
            match &residual.sides {
                Some((a, b))
                    if (a.is_within(left) && b.is_within(right)) || (b.is_within(left) && a.is_within(right)) =>
                {
                    shape.keys += 1;
                }
                _ => {}
            }
        }
        shape
    }

    fn exhaustive(&self) -> Tree {
        let inputs = self.input_count();
        let all = (1u64 << (inputs + self.cardinality.restrictions.len())) - 1;
        let mut plans = vec![Plan::<WORDS>::NONE; all as usize + 1];
        for input in 0..inputs {
            let neighbours = self.neighbours_of(input);
            plans[1 << input] = Plan { cost: 0.0, rows: self.cardinality.rows[input], left: 0, neighbours };
        }
        for set in 1..=all {
            if set.count_ones() < 2 || set & ((1 << inputs) - 1) == 0 {
                continue;
            }
            let mut best = Plan::NONE;
            let mut left = (set - 1) & set;
            while left != 0 {
                let right = set ^ left;
                let (left_plan, right_plan) = (plans[left as usize], plans[right as usize]);
                if left_plan.cost.is_finite() && self.may_split(left, right, &left_plan, &right_plan) {
                    if best.left == 0 {
                        best.rows = self.cardinality.of(&InputSet::of_bits(set));
                        best.neighbours = left_plan.neighbours.union(&right_plan.neighbours);
                    }
                    let cost = self.split_cost(left, right, &left_plan, &right_plan, best.rows);
                    if cost < best.cost {
                        best = Plan { cost, left, ..best };
                    }
                }
                left = (left - 1) & set;
            }
            plans[set as usize] = best;
        }
        self.tree(&plans, all)
    }

    fn split_cost(&self, left: u64, right: u64, left_plan: &Plan<WORDS>, right_plan: &Plan<WORDS>, rows: f64) -> f64 {
        match self.restriction(right) {
            Some(number) => left_plan.cost + cost_of(&self.cardinality.restriction_shape(number, left_plan.rows)),
            None => {
                let (left, right) = (InputSet::of_bits(left), InputSet::of_bits(right));
                let shape = self.shape(&left, &right, left_plan.rows, right_plan.rows, rows);
                left_plan.cost + right_plan.cost + cost_of(&shape)
            }
        }
    }

    /// The restriction that a set is, if it holds no input.
    fn restriction(&self, set: u64) -> Option<usize> {
        let first = set.trailing_zeros() as usize;
        first.checked_sub(self.input_count())
    }

    fn tree(&self, plans: &[Plan<WORDS>], set: u64) -> Tree {
        let left = plans[set as usize].left;
        if left == 0 {
            return Tree::Input(set.trailing_zeros() as usize);
        }
        let below = Box::new(self.tree(plans, left));
        match self.restriction(set ^ left) {
            Some(number) => Tree::Restrict(below, number),
            None => Tree::Join(below, Box::new(self.tree(plans, set ^ left))),
        }
    }
}

/// Makes relations of a tree.
struct Builder<'a, const WORDS: usize> {
    inputs: Vec<Option<Relation>>,
    restrictions: Vec<Option<Restriction<WORDS>>>,
    residuals: Vec<(InputSet<WORDS>, Option<Expression>)>,
    classes: &'a [KeyClass],
}

/// A joined subtree.
struct Built<const WORDS: usize> {
    relation: Relation,
    /// Its inputs, the streamed one first: a key is read there rather than from a bucket, if there is a choice.
    order: Vec<usize>,
    mask: InputSet<WORDS>,
}

impl<const WORDS: usize> Builder<'_, WORDS> {
    fn build(&mut self, tree: Tree) -> Built<WORDS> {
        match tree {
            Tree::Input(number) => {
                let relation = self.inputs[number].take().expect("each input stands once in the tree");
                Built { relation, order: vec![number], mask: InputSet::of(number) }
            }
            Tree::Restrict(below, number) => {
                let below = self.build(*below);
                let test = self.restrictions[number].take().expect("each restriction stands once in the tree");
                let (left, right) = (Arc::new(below.relation), Arc::new(test.right));
                Built { relation: Relation::Join { kind: test.kind, left, right, on: test.on }, ..below }
            }
            Tree::Join(left, right) => {
                let (mut left, right) = (self.build(*left), self.build(*right));
                let (on, rest) = self.condition(&left, &right);
                left.order.extend(right.order);
                let (kind, mask) = (JoinKind::Inner, left.mask.union(&right.mask));
                let (below, right) = (Arc::new(left.relation), Arc::new(right.relation));
                let relation = filtered(Relation::Join { kind, left: below, right, on }, rest);
                Built { relation, order: left.order, mask }
            }
        }
    }

    /// The join's condition, and what a filter above it tests. If one column alone is a unique key of the right,
    /// the join looks that up (in a table indexed by it, as like as not) and the other equalities are tests of the
    /// row found; a composite key would have to be hashed.
    fn condition(&mut self, left: &Built<WORDS>, right: &Built<WORDS>) -> (Expression, Vec<Expression>) {
        let first = |side: &Built<WORDS>, class: &KeyClass| {
            let members = side.order.iter().filter_map(|input| class.members.iter().find(|key| key.input == *input));
            members.map(|key| key.column).next()
        };
        let mut on: Vec<Expression> = Vec::new();
        let mut unique = None;
        for class in self.classes {
            if let (Some(a), Some(b)) = (first(left, class), first(right, class)) {
                if unique.is_none() && is_unique_key(&right.relation, &ColumnSet::from_iter([b])) {
                    unique = Some(on.len());
                }
                on.push(equality(a, b, class.data_type));
            }
        }
        let mut rest = Vec::new();
        if let Some(unique) = unique.filter(|_| on.len() > 1) {
            let key = on.swap_remove(unique);
            rest = std::mem::replace(&mut on, vec![key]);
        }
        let both = left.mask.union(&right.mask);
        for (mask, predicate) in &mut self.residuals {
            if mask.is_within(&both)
                && let Some(predicate) = predicate.take()
            {
                on.push(predicate);
            }
        }
        (Expression::and(on), rest)
    }
}
