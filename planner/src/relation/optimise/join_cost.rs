//! What a join costs, and how many rows a set of joined inputs has.
//!
//! The unit is about a nanosecond of one thread. Measured on hand-written loops over compact columns:
//!
//! * probing a bucket: 1 while it stays in the first caches, up to 5 when every probe is a cache miss;
//! * building one: 2 to 6 a row, likewise, twice that if a bucket may hold several rows;
//! * where the build side is in the order of its key (an orders table), building costs 1.5 a row, and so does a probe
//!   if the probing side is in that order as well: neighbours meet the same cache lines;
//! * where values lie too far apart for an index that is an array or bits: four times of building, whether or not a
//!   bucket may hold several rows, and twice of a probe; no order helps;
//! * a key of several columns: twice of either, because it is hashed, not an index, unless one of the columns is
//!   unique by itself: then that is the key, and the others are tests of the row found;
//! * a row that comes out: 1, twice that if it comes from a bucket of several rows;
//! * the columns of a row that is built: 1 each, 5 for text, if it is known which are read. It is not while joins are
//!   ordered first, before columns are pruned;
//! * no key at all: every pair is tested.
//!
//! Rows of a set: the product of its inputs' rows; for each class of equal columns divided by the number of
//! values of all its columns but the one with fewest; for each other predicate and each restriction times the
//! share that passes. Two classes that join the same two inputs are one composite key: it has at most as many
//! values as either table has rows. The figure does not depend on the order of joins, so plans compare fairly.

use super::input_set::InputSet;
use super::join_order::{KeyClass, KeyColumn, Residual, Restriction};
use rustc_hash::FxHashMap;

/// The facts about one join that its cost depends on.
#[derive(Default)]
pub(super) struct JoinShape {
    pub(super) left_rows: f64,
    pub(super) right_rows: f64,
    pub(super) rows: f64,
    /// What it costs to keep the columns of a right row, if it is known.
    pub(super) payload: f64,
    /// Equalities between the sides.
    pub(super) keys: usize,
    /// A left row meets at most one right row.
    pub(super) unique: bool,
    /// Matches are tested pair by pair, beyond the key.
    pub(super) pairwise: bool,
    /// One of several equalities suffices as the key.
    pub(super) one_key: bool,
    /// The left rows come in the order of the key.
    pub(super) left_sorted: bool,
    /// The right rows come in the order of the key.
    pub(super) right_sorted: bool,
    /// The key is found by hashing, though it is one column.
    pub(super) wide: bool,
}

/// The cost of one join, its sides' not included.
pub(super) fn cost_of(shape: &JoinShape) -> f64 {
    if shape.keys == 0 {
        return shape.right_rows * 2.0 + shape.left_rows * shape.right_rows + shape.rows;
    }
    let spread = if shape.unique { 1.0 } else { 2.0 };
    let (key, build_spread) = match (shape.keys > 1 && !shape.one_key, shape.wide) {
        (false, false) => (1.0, spread),
        (false, true) => (2.0, 2.0),
        (true, _) => (2.0, spread),
    };
    let probe_unit = match probe_unit(shape.right_rows) {
        unit if shape.left_sorted && shape.right_sorted => unit.min(1.5),
        unit => unit,
    };
    let build_unit = if shape.right_sorted { 1.5 } else { build_unit(shape.right_rows) };
    let tests = if shape.pairwise { 2.0 } else { 1.0 };
    let probe = shape.left_rows * probe_unit * key * tests;
    let build = shape.right_rows * (build_unit * key * build_spread + shape.payload);
    probe + build + shape.rows * spread
}

fn probe_unit(bucket_rows: f64) -> f64 {
    match bucket_rows {
        rows if rows < 32e3 => 1.0,
        rows if rows < 500e3 => 2.0,
        rows if rows < 4e6 => 3.0,
        _ => 5.0,
    }
}

fn build_unit(rows: f64) -> f64 {
    match rows {
        rows if rows < 32e3 => 2.0,
        rows if rows < 500e3 => 3.0,
        rows if rows < 4e6 => 4.0,
        _ => 6.0,
    }
}

/// Estimates the rows of sets of inputs and restrictions.
pub(super) struct Cardinality<'a, const WORDS: usize> {
    /// Rows of each input.
    pub(super) rows: Vec<f64>,
    /// The inputs of each class.
    pub(super) class_masks: Vec<InputSet<WORDS>>,
    /// The restrictions, by number.
    pub(super) restrictions: &'a [Restriction<WORDS>],
    classes: &'a [KeyClass],
    /// For each class: (input, values), most values first.
    values: Vec<Vec<(usize, f64)>>,
    /// Pairs of inputs with a composite key, and the factor by which independent classes would be wrong.
    composites: Vec<Composite<WORDS>>,
    /// Other predicates: the inputs that they read, the share that passes.
    shares: Vec<(InputSet<WORDS>, f64)>,
}

struct Composite<const WORDS: usize> {
    pair: InputSet<WORDS>,
    correction: f64,
    /// The input whose key columns together occur once a row.
    unique: Option<usize>,
}

impl<'a, const WORDS: usize> Cardinality<'a, WORDS> {
    pub(super) fn new(
        rows: Vec<f64>,
        classes: &'a [KeyClass],
        residuals: &[Residual<WORDS>],
        restrictions: &'a [Restriction<WORDS>],
    ) -> Self {
        let values = classes.iter().map(|class| {
            let mut values: Vec<(usize, f64)> = class.members.iter().map(|key| (key.input, key.values)).collect();
            values.sort_by(|a, b| b.1.total_cmp(&a.1));
            values
        });
        Cardinality {
            class_masks: classes
                .iter()
                .map(|class| {
                    let mut mask = InputSet::EMPTY;
                    class.members.iter().for_each(|key| mask.insert(key.input));
                    mask
                })
                .collect(),
            values: values.collect(),
            composites: composites(classes),
            shares: residuals.iter().map(|residual| (residual.mask, residual.share)).collect(),
            restrictions,
            classes,
            rows,
        }
    }

    /// The expected rows of a set of inputs and restrictions, at least one.
    pub(super) fn of(&self, set: &InputSet<WORDS>) -> f64 {
        let mut rows = 1.0;
        for (input, own) in self.rows.iter().enumerate() {
            if set.contains(input) {
                rows *= own;
            }
        }
        for values in &self.values {
            let mut present = values.iter().filter(|(input, _)| set.contains(*input));
            // All but the fewest, which come last.
            let mut held = present.next().map(|(_, values)| *values);
            for (_, next) in present {
                rows /= held.unwrap_or(1.0);
                held = Some(*next);
            }
        }
        for composite in self.composites.iter().filter(|composite| composite.pair.is_within(set)) {
            rows *= composite.correction;
        }
        for (_, share) in self.shares.iter().filter(|(mask, _)| mask.is_within(set)) {
            rows *= share;
        }
        for (number, test) in self.restrictions.iter().enumerate() {
            if set.contains(self.rows.len() + number) {
                rows *= test.share;
            }
        }
        rows.max(1.0)
    }

    /// Fills in how many classes join two sets, and whether a left row meets at most one right row.
    pub(super) fn describe_key(&self, left: &InputSet<WORDS>, right: &InputSet<WORDS>, shape: &mut JoinShape) {
        for (class, mask) in self.classes.iter().zip(&self.class_masks) {
            if !mask.meets(left) || !mask.meets(right) {
                continue;
            }
            shape.keys += 1;
            // Unique in its input, and the joins on the right have not repeated that input's rows.
            let unique = class
                .members
                .iter()
                .any(|key| right.contains(key.input) && key.unique && shape.right_rows <= self.rows[key.input] * 1.001);
            shape.unique |= unique;
            shape.one_key |= unique;
            // Which input is streamed is not known here; the largest one most likely is.
            shape.left_sorted |= class.members.iter().any(|key| left.contains(key.input) && key.sorted);
            shape.right_sorted |= class.members.iter().any(|key| right.contains(key.input) && key.sorted);
            shape.wide |= class.members.iter().any(|key| right.contains(key.input) && key.wide);
        }
        if shape.keys > 1 && !shape.one_key || shape.wide {
            (shape.left_sorted, shape.right_sorted) = (false, false);
        }
        if shape.keys > 1 {
            shape.unique |= self.composites.iter().any(|composite| {
                composite.unique.is_some_and(|unique| {
                    right.contains(unique)
                        && composite.pair.meets(left)
                        && shape.right_rows <= self.rows[unique] * 1.001
                })
            });
        }
    }

    /// The shape of a semi or anti join over so many rows.
    pub(super) fn restriction_shape(&self, number: usize, left_rows: f64) -> JoinShape {
        let test = &self.restrictions[number];
        JoinShape {
            left_rows,
            right_rows: test.rows,
            rows: left_rows * test.share,
            keys: test.keys.max(1),
            unique: true,
            pairwise: crate::relation::visit::conjuncts(&test.on).len() > test.keys,
            ..JoinShape::default()
        }
    }
}

/// The composite keys: pairs of inputs that share several classes.
fn composites<const WORDS: usize>(classes: &[KeyClass]) -> Vec<Composite<WORDS>> {
    // What the classes of a pair say together; the first that they share alone makes no composite key.
    let mut pairs: FxHashMap<(usize, usize), Shared> = FxHashMap::default();
    let mut order = Vec::new();
    for class in classes {
        for (at, one) in class.members.iter().enumerate() {
            for other in &class.members[at + 1..] {
                let (a, b) = if one.input < other.input { (one, other) } else { (other, one) };
                let pair = (a.input, b.input);
                pairs
                    .entry(pair)
                    .or_insert_with(|| {
                        order.push(pair);
                        Shared::default()
                    })
                    .add(a, b);
            }
        }
    }
    order.sort_unstable();
    order.into_iter().filter_map(|pair| pairs[&pair].composite(pair)).collect()
}

/// What two inputs share.
struct Shared {
    classes: usize,
    independent: f64,
    values: (f64, f64),
    rows: (f64, f64),
}

impl Default for Shared {
    fn default() -> Self {
        Shared { classes: 0, independent: 1.0, values: (1.0, 1.0), rows: (f64::INFINITY, f64::INFINITY) }
    }
}

impl Shared {
    fn add(&mut self, a: &KeyColumn, b: &KeyColumn) {
        self.classes += 1;
        self.independent *= a.values.max(b.values);
        self.values = (self.values.0 * a.values, self.values.1 * b.values);
        self.rows = (self.rows.0.min(a.table_rows), self.rows.1.min(b.table_rows));
    }

    fn composite<const WORDS: usize>(&self, (a, b): (usize, usize)) -> Option<Composite<WORDS>> {
        if self.classes < 2 {
            return None;
        }
        let (a_rows, b_rows) = self.rows;
        let (a_distinct, b_distinct) = (self.values.0.min(a_rows), self.values.1.min(b_rows));
        let composite = a_distinct.min(b_distinct).max(1.0);
        // Of the two tables, the one with fewer rows is taken for the one that the other refers to.
        let unique = if a_rows <= b_rows { a } else { b };
        let unique = (composite >= a_rows.min(b_rows)).then_some(unique);
        let correction = (self.independent / composite).max(1.0);
        Some(Composite { pair: InputSet::of(a).union(&InputSet::of(b)), correction, unique })
    }
}
