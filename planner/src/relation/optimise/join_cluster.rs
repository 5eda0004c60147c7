//! A tree of inner, semi and anti joins as one set of inputs and one set of predicates, so that every predicate
//! finds its place and join order is free.
//!
//! 1. *Flatten*: inner joins, filters and renaming projections between them dissolve. What is left are the
//!    inputs, the conjuncts, and the semi and anti joins, which are tests on some inputs' columns.
//! 2. *Outer joins* among the inputs become inner ones if a conjunct is not TRUE for the NULLs that they add
//!    (a full join becomes a left one if that is so for one side), and dissolve as well.
//! 3. *Equalities* of columns become classes; what is said of one column of a class is said of all.
//! 4. *Disjunctions* give up what all of their arms demand, and what they imply about a single input.
//! 5. Each conjunct goes to its input, or waits until join order has brought its inputs together.
//! 6. `join_order` builds the tree.
//!
//! Errors: what may fail stays above all joins, where fewer rows see it (or at its input, if it was there and
//! is not correlated). Only an equality between inputs becomes a key, if the statement may speculate (`take_keys`). A join whose condition is volatile is not dissolved: its pairs are tested once each.

use super::crossing::{Side, may_cross_from_on};
use super::derive_predicates::{EqualityClasses, copies_for, tested_column};
use super::estimate::{self, Key};
use super::factor_or::{factor_or, implied};
use super::input_set::InputSet;
use super::join_order::{self, Input, KeyClass, KeyColumn, Residual, Restriction};
use super::push_filter::{Placer, empty, equated_columns, filtered, is_empty};
use super::selectivity::selectivity;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::column_set::ColumnSet;
use crate::relation::effects::{effects, is_pure};
use crate::relation::strict::rejects_null;
use crate::relation::visit::{as_binary, as_column, for_each_column, has_subquery, substitute, take};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use std::sync::Arc;

/// Inputs and tests that one cluster may have; beyond that its two sides are clusters of their own.
const ELEMENTS_MAX: usize = InputSet::<WORDS_MAX>::CAPACITY;

/// The words that a set of so many has.
const WORDS_MAX: usize = 8;

/// What it costs to keep a text of a row, in the unit of `join_cost`.
const TEXT_COST: f64 = 5.0;

/// No input makes this column.
const NO_INPUT: u16 = u16::MAX;

/// The joins of `relation`, with `predicates` applied.
pub(super) fn place_join(placer: &Placer<'_>, relation: Relation, predicates: Vec<Expression>) -> Relation {
    let mut cluster = Cluster {
        placer,
        made: relation.columns(),
        inputs: Vec::new(),
        tests: Vec::new(),
        conjuncts: Vec::new(),
        above: Vec::new(),
        projected: false,
        renames: Vec::new(),
    };
    let dissolve = elements(&relation) <= ELEMENTS_MAX;
    match relation {
        relation if dissolve => cluster.flatten(relation, true),
        Relation::Join { kind: JoinKind::Inner, left, right, on } => {
            cluster.inputs.extend([take(left), take(right)]);
            on.into_conjuncts().into_iter().for_each(|conjunct| cluster.add(conjunct));
        }
        Relation::Join { kind: kind @ (JoinKind::Semi | JoinKind::Anti), left, right, on }
            if is_pure(&on) && !has_subquery(&on) =>
        {
            cluster.inputs.push(take(left));
            cluster.tests.push(Test { kind, right: take(right), on: on.into_conjuncts() });
        }
        relation => cluster.inputs.push(relation),
    }
    predicates.into_iter().for_each(|predicate| cluster.add(predicate));
    cluster.dissolve_outer_joins();
    cluster.build()
}

struct Cluster<'a> {
    placer: &'a Placer<'a>,
    /// The columns that the joins make together.
    made: Vec<ColumnId>,
    inputs: Vec<Relation>,
    /// Semi and anti joins.
    tests: Vec<Test>,
    /// Pure and not correlated: free to go anywhere.
    conjuncts: Vec<Expression>,
    /// What stays above all joins, in order.
    above: Vec<Expression>,
    /// Whether a projection dissolved: then the inputs make columns that the joins did not.
    projected: bool,
    /// Columns that renaming projections made.
    renames: Vec<(ColumnId, Expression)>,
}

/// A semi or anti join as a test of the cluster's rows.
struct Test {
    kind: JoinKind,
    right: Relation,
    on: Vec<Expression>,
}

impl Cluster<'_> {
    fn flatten(&mut self, relation: Relation, root: bool) {
        match relation {
            Relation::Join { kind: JoinKind::Inner, left, right, on } if root || !effects(&on).volatile => {
                self.flatten(take(left), false);
                self.flatten(take(right), false);
                on.into_conjuncts().into_iter().for_each(|conjunct| self.add(conjunct));
            }
            Relation::Join { kind: kind @ (JoinKind::Semi | JoinKind::Anti), left, right, on }
                if is_pure(&on) && !has_subquery(&on) =>
            {
                self.flatten(take(left), false);
                let on = on.into_conjuncts().into_iter().map(|conjunct| self.renamed(conjunct)).collect();
                self.tests.push(Test { kind, right: take(right), on });
            }
            Relation::Filter { input, predicate } if dissolves(&input) && !effects(&predicate).volatile => {
                self.flatten(take(input), false);
                predicate.into_conjuncts().into_iter().for_each(|conjunct| self.add(conjunct));
            }
            Relation::Filter { input, predicate } => {
                let stay = self.add_from_input(predicate);
                self.inputs.push(filtered(take(input), stay));
            }
            Relation::Project { input, columns } if renames_only(&columns) && dissolves(&input) => {
                self.flatten(take(input), false);
                self.projected = true;
                for (id, value) in columns {
                    if as_column(&value) != Some(id) {
                        let value = self.renamed(value);
                        self.renames.push((id, value));
                    }
                }
            }
            other => self.inputs.push(other),
        }
    }

    /// The expression over the inputs' columns.
    fn renamed(&self, mut expression: Expression) -> Expression {
        if !self.renames.is_empty() {
            substitute(&mut expression, &|id| {
                self.renames.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone())
            });
        }
        expression
    }

    /// Adds what may leave the filter of an input and gives what has to stay: what may fail, unless it is
    /// correlated (such tests are costly and wait for the joins) or stands behind one that is and may guard it.
    fn add_from_input(&mut self, predicate: Expression) -> Vec<Expression> {
        let volatile = effects(&predicate).volatile;
        let (mut stay, mut guarded) = (Vec::new(), false);
        for conjunct in predicate.into_conjuncts() {
            if self.placer.is_free(&conjunct) {
                self.add(conjunct);
                continue;
            }
            guarded |= self.placer.is_correlated(&conjunct);
            if volatile || !guarded { stay.push(conjunct) } else { self.add(conjunct) }
        }
        stay
    }

    fn add(&mut self, conjunct: Expression) {
        let conjunct = self.renamed(conjunct);
        for conjunct in factor_or(conjunct) {
            let free = self.placer.is_free(&conjunct);
            if free { self.conjuncts.push(conjunct) } else { self.above.push(conjunct) }
        }
    }

    fn dissolve_outer_joins(&mut self) {
        while let Some((at, kind, swap)) = (0..self.inputs.len()).find_map(|at| {
            let (kind, swap) = self.tightened(&self.inputs[at])?;
            Some((at, kind, swap))
        }) {
            let Relation::Join { left, right, on, .. } = self.inputs.remove(at) else { return };
            let (left, right) = if swap { (right, left) } else { (left, right) };
            // What may fail inside the join was tested before what may fail above it, and may have guarded it.
            let mut above = std::mem::take(&mut self.above);
            let known = self.renames.len();
            self.flatten(Relation::Join { kind, left, right, on }, false);
            self.above.append(&mut above);
            if self.renames.len() > known {
                self.rename_all();
            }
        }
    }

    /// Says anew over the inputs' columns what has been added before a projection dissolved that made some of its own: one
    /// below an outer join, which dissolves only because of what has been added.
    fn rename_all(&mut self) {
        let mut renames = std::mem::take(&mut self.renames);
        let known = renames.clone();
        let rename = |expression: &mut Expression| {
            substitute(expression, &|id| known.iter().find(|(made, _)| *made == id).map(|(_, value)| value.clone()));
        };
        self.conjuncts.iter_mut().chain(&mut self.above).for_each(rename);
        self.tests.iter_mut().flat_map(|test| &mut test.on).for_each(rename);
        renames.iter_mut().for_each(|(_, value)| rename(value));
        self.renames = renames;
    }

    /// A stricter kind that an outer join may have below the predicates of this cluster, and whether its sides swap.
    fn tightened(&self, relation: &Relation) -> Option<(JoinKind, bool)> {
        let Relation::Join { kind: kind @ (JoinKind::Left | JoinKind::Full), left, right, .. } = relation else {
            return None;
        };
        let rejected = |side: &Relation| {
            let made: ColumnSet = side.columns().into_iter().collect();
            let rejects = |predicate: &Expression| rejects_null(predicate, &|id| made.contains(id));
            self.conjuncts.iter().chain(&self.above).any(rejects)
                || self.tests.iter().any(|test| test.kind == JoinKind::Semi && test.on.iter().any(rejects))
        };
        match (kind, rejected(right)) {
            (JoinKind::Left, true) => Some((JoinKind::Inner, false)),
            (JoinKind::Left, false) => None,
            (_, right_rejected) => match (rejected(left), right_rejected) {
                (true, true) => Some((JoinKind::Inner, false)),
                // NULLs on the left come with right rows that nothing matched: without these it is a left join.
                (true, false) => Some((JoinKind::Left, false)),
                (false, true) => Some((JoinKind::Left, true)),
                (false, false) => None,
            },
        }
    }

    fn build(self) -> Relation {
        match self.inputs.len() + self.tests.len() {
            elements if elements <= InputSet::<1>::CAPACITY => self.build_with::<1>(),
            _ => self.build_with::<WORDS_MAX>(),
        }
    }

    fn build_with<const WORDS: usize>(mut self) -> Relation {
        let columns: Vec<Vec<ColumnId>> = self.inputs.iter().map(Relation::columns).collect();
        let mut input_of = vec![NO_INPUT; self.placer.profiles.len()];
        for (at, made) in columns.iter().enumerate() {
            made.iter().for_each(|id| input_of[id.0 as usize] = at as u16);
        }
        let input_of = |id: ColumnId| input_of[id.0 as usize];
        // A semi join's condition on the left alone is a filter.
        for test in self.tests.iter_mut().filter(|test| may_cross_from_on(test.kind, Side::Left)) {
            let (left, on): (Vec<_>, Vec<_>) = std::mem::take(&mut test.on).into_iter().partition(|conjunct| {
                let mut left = !self.placer.is_correlated(conjunct);
                for_each_column(conjunct, &mut |id| left &= input_of(id) != NO_INPUT);
                left
            });
            test.on = on;
            self.conjuncts.extend(left);
        }
        self.take_keys(&input_of);
        let classes = EqualityClasses::take_from(&mut self.conjuncts, &|id| input_of(id) != NO_INPUT);
        classes.derive(&mut self.conjuncts, &|id| usize::from(input_of(id)));
        let said =
            self.conjuncts.iter().filter(|conjunct| tested_column(conjunct).is_some()).cloned().collect::<Vec<_>>();
        let (local, residuals) = self.assign::<WORDS>(&input_of);
        let Some(local) = local else { return empty(self.made) };
        let tests = std::mem::take(&mut self.tests);
        let restrictions: Vec<Restriction<WORDS>> =
            tests.into_iter().filter_map(|test| self.restriction(test, &classes, &said, &input_of)).collect();
        let profiles = self.placer.profiles;
        let mut inputs = Vec::with_capacity(local.len());
        for (relation, predicates) in std::mem::take(&mut self.inputs).into_iter().zip(local) {
            let relation = self.place_input(relation, predicates);
            if is_empty(&relation) {
                return empty(self.made);
            }
            let rows = estimate::rows(&relation, profiles);
            let payload = if self.placer.pruned { self.payload(&relation) } else { 0.0 };
            inputs.push(Input { relation, rows, payload });
        }
        if restrictions.iter().any(|test| test.kind == JoinKind::Semi && is_empty(&test.right)) {
            return empty(self.made);
        }
        let classes = self.key_classes(&classes, &said, &inputs, &input_of);
        let joined = join_order::order_joins(inputs, &classes, residuals, restrictions);
        let joined = self.placer.filter(joined, std::mem::take(&mut self.above));
        if !self.projected {
            return joined;
        }
        let columns = self.made.iter().map(|id| (*id, self.renamed(self.placer.columns.reference(*id)))).collect();
        Relation::Project { input: Arc::new(joined), columns }
    }

    /// Equalities between inputs that may fail become keys of a join, if the statement may speculate: above the joins
    /// they would see every pair.
    fn take_keys(&mut self, input_of: &dyn Fn(ColumnId) -> u16) {
        let inputs = |side: &Expression| {
            let mut mask = 0u64;
            for_each_column(side, &mut |id| {
                if input_of(id) != NO_INPUT {
                    mask |= 1 << input_of(id);
                }
            });
            mask
        };
        let placer = self.placer;
        let is_key = |conjunct: &mut Expression| {
            let sides = as_binary(conjunct, Function::Equal).or_else(|| as_binary(conjunct, Function::IsNotDistinct));
            sides.is_some_and(|(a, b)| {
                let (a, b) = (inputs(a), inputs(b));
                a != 0 && b != 0 && a & b == 0
            }) && !has_subquery(conjunct)
                && !placer.is_correlated(conjunct)
                && placer.profiles.may_move(effects(conjunct))
        };
        self.conjuncts.extend(self.above.extract_if(.., is_key));
    }

    /// What a row costs that is put into a bucket, beyond its key.
    fn payload(&self, relation: &Relation) -> f64 {
        let columns = relation.columns().into_iter().map(|id| self.placer.columns.get(id).data_type);
        columns.map(|data_type| if data_type.is_text() { TEXT_COST } else { 1.0 }).sum()
    }

    /// The conjuncts of each input (none at all if one can never be TRUE), and those that join.
    fn assign<const WORDS: usize>(
        &mut self,
        input_of: &dyn Fn(ColumnId) -> u16,
    ) -> (Option<Vec<Vec<Expression>>>, Vec<Residual<WORDS>>) {
        let mask_of = |predicate: &Expression| {
            let mut mask = InputSet::<WORDS>::EMPTY;
            for_each_column(predicate, &mut |id| {
                if input_of(id) != NO_INPUT {
                    mask.insert(usize::from(input_of(id)));
                }
            });
            mask
        };
        let mut local: Vec<Vec<Expression>> = vec![Vec::new(); self.inputs.len()];
        let mut joining = Vec::new();
        for conjunct in std::mem::take(&mut self.conjuncts) {
            let mask = mask_of(&conjunct);
            match (mask.len(), mask.first()) {
                (0, _) => match &conjunct.kind {
                    ExpressionKind::Constant(value) if value.is_true() => {}
                    ExpressionKind::Constant(_) => return (None, Vec::new()),
                    _ => self.above.push(conjunct),
                },
                (1, Some(input)) => local[input].push(conjunct),
                _ => joining.push((conjunct, mask)),
            }
        }
        let residuals = joining
            .into_iter()
            .map(|(predicate, mask)| {
                let mut said = 1.0;
                for (at, predicates) in local.iter_mut().enumerate().filter(|(at, _)| mask.contains(*at)) {
                    if let Some(implied) = implied(&predicate, &|part| mask_of(part) == InputSet::of(at))
                        && !predicates.contains(&implied)
                    {
                        said *= selectivity([&implied], self.placer.profiles);
                        predicates.push(implied);
                    }
                }
                let share = (selectivity([&predicate], self.placer.profiles) / said).min(1.0);
                Residual::new(predicate, mask, share, &mask_of)
            })
            .collect();
        (Some(local), residuals)
    }

    fn place_input(&self, relation: Relation, predicates: Vec<Expression>) -> Relation {
        match &relation {
            Relation::Join { kind: JoinKind::Inner, .. } => self.placer.place(relation, predicates),
            Relation::Join { .. } => self.placer.place_outer_join(relation, predicates),
            _ => self.placer.place(relation, predicates),
        }
    }

    /// The test with its right side placed; none if it passes every row.
    fn restriction<const WORDS: usize>(
        &self,
        test: Test,
        classes: &EqualityClasses,
        said: &[Expression],
        input_of: &dyn Fn(ColumnId) -> u16,
    ) -> Option<Restriction<WORDS>> {
        let mut required = InputSet::EMPTY;
        let (mut to_right, mut on) = (Vec::new(), Vec::new());
        for conjunct in test.on {
            let mut mask = InputSet::EMPTY;
            let mut mentions = false;
            for_each_column(&conjunct, &mut |id| {
                mentions = true;
                if input_of(id) != NO_INPUT {
                    mask.insert(usize::from(input_of(id)));
                }
            });
            if mask.is_empty() && mentions && !self.placer.is_correlated(&conjunct) {
                to_right.push(conjunct);
            } else {
                required = required.union(&mask);
                on.push(conjunct);
            }
        }
        let mut keys = Vec::new();
        for conjunct in &mut on {
            let Some((a, b)) = equated_columns(conjunct) else { continue };
            let (a, b) = if input_of(a) != NO_INPUT {
                (a, b)
            } else {
                if let ExpressionKind::Call(_, sides) = &mut conjunct.kind {
                    sides.swap(0, 1);
                }
                (b, a)
            };
            if input_of(a) == NO_INPUT || input_of(b) != NO_INPUT {
                continue;
            }
            keys.push((a, b));
            for equal in std::iter::once(&a).chain(classes.equals_of(a)) {
                to_right.extend(copies_for(said, *equal, b));
            }
        }
        to_right.dedup();
        let right = self.placer.place(test.right, to_right);
        if test.kind == JoinKind::Anti && is_empty(&right) {
            return None;
        }
        let profiles = self.placer.profiles;
        let rows = estimate::rows(&right, profiles);
        let of = |column| Key::of_column(column, profiles);
        let known: Vec<(Key, Key)> = keys.iter().map(|&(a, b)| (of(a), of(b))).collect();
        let matched = estimate::match_share(&known, rows, profiles);
        let share = if test.kind == JoinKind::Semi { matched } else { (1.0 - matched).max(0.05) };
        // A test of constants only still needs a row to be tested on.
        let required = if required.is_empty() { InputSet::of(0) } else { required };
        Some(Restriction { kind: test.kind, right, on: Expression::and(on), required, rows, share, keys: keys.len() })
    }

    fn key_classes(
        &self,
        classes: &EqualityClasses,
        said: &[Expression],
        inputs: &[Input],
        input_of: &dyn Fn(ColumnId) -> u16,
    ) -> Vec<KeyClass> {
        let profiles = self.placer.profiles;
        let key_classes = classes.iter().map(|(columns, data_type)| {
            let mut members: Vec<KeyColumn> = Vec::with_capacity(columns.len());
            for id in columns {
                let input = usize::from(input_of(*id));
                if members.iter().any(|member| member.input == input) {
                    continue;
                }
                let profile = profiles.get(*id);
                let rows = inputs[input].rows;
                let about = said.iter().filter(|predicate| tested_column(predicate) == Some(*id));
                let values = profile.distinct.unwrap_or(rows) * selectivity(about, profiles);
                members.push(KeyColumn {
                    column: *id,
                    input,
                    values: values.max(1.0),
                    table_rows: if profile.rows > 0.0 { profile.rows } else { rows },
                    unique: profile.unique,
                    sorted: profile.sorted,
                    wide: profile.wide,
                });
            }
            KeyClass { members, data_type }
        });
        key_classes.filter(|class| class.members.len() > 1).collect()
    }
}

/// How many inputs and tests a relation may become.
fn elements(relation: &Relation) -> usize {
    match relation {
        Relation::Join { left, right, .. } => elements(left) + elements(right),
        Relation::Filter { input, .. } | Relation::Project { input, .. } => elements(input),
        _ => 1,
    }
}

/// Whether [`Cluster::flatten`] takes a relation apart.
fn dissolves(relation: &Relation) -> bool {
    match relation {
        Relation::Join { .. } => true,
        Relation::Filter { input, .. } => dissolves(input),
        Relation::Project { input, columns } => renames_only(columns) && dissolves(input),
        _ => false,
    }
}

fn renames_only(columns: &[(ColumnId, Expression)]) -> bool {
    columns.iter().all(|(_, value)| as_column(value).is_some())
}
