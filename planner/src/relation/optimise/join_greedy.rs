//! An order for more joins than all of whose plans can be tried: the pair of least cost, again and again.
//!
//! What joining two parts costs changes only when one of them does, so the costs of all pairs are kept: of n inputs
//! some 2n² joins are looked at, and n³ numbers are compared.

use super::input_set::InputSet;
use super::join_cost::cost_of;
use super::join_order::{Plan, Search, Tree};

/// What has been joined so far.
struct Part<const WORDS: usize> {
    inputs: InputSet<WORDS>,
    plan: Plan<WORDS>,
    /// Rows of its inputs, joined, without what restrictions take off.
    unrestricted: f64,
    tree: Tree,
}

/// The parts that are left, by number, and what it costs to join two of them.
struct Greedy<'s, 'a, const WORDS: usize> {
    search: &'s Search<'a, WORDS>,
    parts: Vec<Option<Part<WORDS>>>,
    /// For each left part the costs of all right ones; infinite where they may not be joined, or there is no such part.
    costs: Vec<Vec<f64>>,
    /// Restrictions whose inputs are not together yet.
    waiting: Vec<usize>,
}

/// Joins the pair of least cost again and again; restrictions as soon as their inputs are there.
pub(super) fn greedy<const WORDS: usize>(search: &Search<'_, WORDS>) -> Tree {
    let count = search.input_count();
    let part = |input| {
        let rows = search.cardinality.rows[input];
        let plan = Plan { cost: 0.0, rows, left: 0, neighbours: search.neighbours_of(input) };
        let inputs = InputSet::of(input);
        Some(Part { inputs, plan, unrestricted: search.cardinality.of(&inputs), tree: Tree::Input(input) })
    };
    let mut greedy = Greedy {
        search,
        parts: (0..count).map(part).collect(),
        costs: vec![vec![f64::INFINITY; count]; count],
        waiting: (0..search.cardinality.restrictions.len()).collect(),
    };
    greedy.restrict();
    (0..count).for_each(|left| (0..count).for_each(|right| greedy.note_cost(left, right)));
    for _ in 1..count {
        let (left, right) = greedy.cheapest_pair().unwrap_or_else(|| greedy.smallest_pair());
        greedy.join(left, right);
        greedy.restrict();
        for other in 0..count {
            greedy.note_cost(left, other);
            greedy.note_cost(other, left);
            greedy.note_cost(right, other);
            greedy.note_cost(other, right);
        }
    }
    greedy.parts.into_iter().flatten().map(|part| part.tree).next().unwrap_or(Tree::Input(0))
}

impl<const WORDS: usize> Greedy<'_, '_, WORDS> {
    /// Applies the restrictions whose inputs are together.
    fn restrict(&mut self) {
        let (search, parts) = (self.search, &mut self.parts);
        self.waiting.retain(|&number| {
            let test = &search.cardinality.restrictions[number];
            let mut there = parts.iter_mut().flatten();
            let Some(part) = there.find(|part| test.required.is_within(&part.inputs)) else { return true };
            part.plan.rows *= test.share;
            let below = std::mem::replace(&mut part.tree, Tree::Input(0));
            part.tree = Tree::Restrict(Box::new(below), number);
            false
        });
    }

    fn note_cost(&mut self, left: usize, right: usize) {
        let cost = match (&self.parts[left], &self.parts[right]) {
            (Some(a), Some(b)) if left != right && Search::may_join(&a.inputs, &b.inputs, &a.plan, &b.plan) => {
                self.joined(a, b).cost
            }
            _ => f64::INFINITY,
        };
        self.costs[left][right] = cost;
    }

    fn joined(&self, a: &Part<WORDS>, b: &Part<WORDS>) -> Plan<WORDS> {
        let cardinality = &self.search.cardinality;
        // What restrictions took off the sides' rows, the set's own estimate does not know.
        let share = a.plan.rows * b.plan.rows / (a.unrestricted * b.unrestricted).max(1.0);
        let rows = cardinality.of(&a.inputs.union(&b.inputs)) * share.min(1.0);
        let cost = cost_of(&self.search.shape(&a.inputs, &b.inputs, a.plan.rows, b.plan.rows, rows));
        Plan { cost, rows, left: 0, neighbours: a.plan.neighbours.union(&b.plan.neighbours) }
    }

    /// The left and the right part of least cost; none if no two parts may be joined.
    fn cheapest_pair(&self) -> Option<(usize, usize)> {
        let mut best = (f64::INFINITY, None);
        for (left, costs) in self.costs.iter().enumerate() {
            for (right, &cost) in costs.iter().enumerate() {
                if cost < best.0 {
                    best = (cost, Some((left, right)));
                }
            }
        }
        best.1
    }

    /// The two parts of fewest rows, the larger one on the left: for a cross join, where predicates over three inputs
    /// connect pairs that no join may use yet, or no cost is finite.
    fn smallest_pair(&self) -> (usize, usize) {
        let rows = |number: usize| self.parts[number].as_ref().map_or(f64::INFINITY, |part| part.plan.rows);
        let mut order: Vec<usize> = (0..self.parts.len()).filter(|&number| self.parts[number].is_some()).collect();
        order.sort_by(|a, b| rows(*a).total_cmp(&rows(*b)));
        (order[1], order[0])
    }

    /// Puts the join of two parts in the place of the left one.
    fn join(&mut self, left: usize, right: usize) {
        let (Some(a), Some(b)) = (self.parts[left].take(), self.parts[right].take()) else { return };
        let inputs = a.inputs.union(&b.inputs);
        let plan = self.joined(&a, &b);
        let unrestricted = self.search.cardinality.of(&inputs);
        let tree = Tree::Join(Box::new(a.tree), Box::new(b.tree));
        self.parts[left] = Some(Part { inputs, plan, unrestricted, tree });
    }
}
