//! Joins: the right side is put into buckets by the equalities of ON, the left side goes over its buckets.
//!
//! The conjuncts of ON are sorted into *key pairs* (`left = right`, each side reading one input only), what reads
//! the right side only (a condition of the build loop) and the rest (tried for each pair). A volatile conjunct is
//! always the rest's: it is evaluated for each pair. Which side is the right is the relation optimiser's choice.

use super::{Lowerer, Rows};
use crate::error::Result;
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::multiloop::{Aggregate, Generator, Index, KeyPart, Let, Reduction, Scalar, ScalarId, Shape, Source};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SubqueryKind};
use crate::types::{DataType, Field};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// The conjuncts of a join condition, by what they are good for.
struct Conjuncts<'e> {
    /// Left expression, right expression, and whether NULL matches NULL.
    keys: Vec<(&'e Expression, &'e Expression, bool)>,
    build: Vec<&'e Expression>,
    rest: Vec<&'e Expression>,
}

/// The buckets of a build side.
struct Build {
    collection: crate::multiloop::CollectionId,
    /// Which columns the members are.
    columns: Vec<(ColumnId, u32)>,
    /// For each key part whether NULL matches NULL.
    null_matches: Vec<bool>,
}

impl Lowerer<'_> {
    pub(super) fn join(&mut self, kind: JoinKind, left: &Relation, right: &Relation, on: &Expression) -> Result<Rows> {
        let left = self.relation(left)?;
        let right = self.relation(right)?;
        match kind {
            JoinKind::Inner => self.inner_join(&left, &right, on),
            JoinKind::Left => self.left_join(&left, &right, on),
            JoinKind::Semi => self.filter_by_match(&left, &right, on, true, &[]),
            JoinKind::Anti => self.filter_by_match(&left, &right, on, false, &[]),
            JoinKind::Full => self.full_join(&left, &right, on),
        }
    }

    fn inner_join(&mut self, left: &Rows, right: &Rows, on: &Expression) -> Result<Rows> {
        let conjuncts = classify(on, left, right);
        if conjuncts.keys.is_empty() {
            let nest = vec![self.open_rows(left), self.open_rows(right)];
            let condition = self.conjuncts(on)?;
            return self.collect_pairs(left, right, nest, condition);
        }
        let build = self.build(right, &conjuncts)?;
        let index = self.open_rows(left);
        let key = self.probe_key(&conjuncts, &build)?;
        let matches = self.open(Source::Bucket { collection: build.collection, key }, &build.columns);
        let condition = self.all(&conjuncts.rest)?;
        self.collect_pairs(left, right, vec![index, matches], condition)
    }

    fn left_join(&mut self, left: &Rows, right: &Rows, on: &Expression) -> Result<Rows> {
        let conjuncts = classify(on, left, right);
        let build = self.build(right, &conjuncts)?;
        let index = self.open_rows(left);
        let key = self.probe_key(&conjuncts, &build)?;
        let source = Source::BucketOrNull { collection: build.collection, key, condition: Vec::new() };
        let mut matches = self.open(source, &build.columns);
        let tried = self.all(&conjuncts.rest)?;
        if let Source::BucketOrNull { condition, .. } = &mut matches.source {
            *condition = tried;
        }
        self.collect_pairs(left, right, vec![index, matches], Vec::new())
    }

    /// Collects all columns of both sides and closes their two frames.
    fn collect_pairs(&mut self, left: &Rows, right: &Rows, nest: Vec<Index>, condition: Vec<ScalarId>) -> Result<Rows> {
        let mut values = self.values(&left.columns)?;
        values.extend(self.values(&right.columns)?);
        self.close(2);
        Ok(self.add_collect(nest, condition, &values))
    }

    /// A left join, and the right rows that no left row matches.
    fn full_join(&mut self, left: &Rows, right: &Rows, on: &Expression) -> Result<Rows> {
        let matched = self.left_join(left, right, on)?;
        let nulls: Vec<ColumnId> = left.columns.iter().map(|(column, _)| *column).collect();
        let unmatched = self.filter_by_match(right, left, on, false, &nulls)?;
        let fields: Vec<Field> = {
            let (a, b) = (&self.program.collection(matched.collection), self.program.collection(unmatched.collection));
            let both = a.fields.iter().zip(&b.fields);
            both.map(|(a, b)| Field { nullable: a.nullable || b.nullable, ..a.clone() }).collect()
        };
        let define = self.program.add_collection(fields, Shape::Rows);
        self.add(Let::Concat { define, inputs: vec![matched.collection, unmatched.collection] });
        Ok(Rows { collection: define, columns: matched.columns })
    }

    /// The left rows that have a match, or those that have none, with `nulls` as columns in front, all NULL.
    fn filter_by_match(
        &mut self,
        left: &Rows,
        right: &Rows,
        on: &Expression,
        with_match: bool,
        nulls: &[ColumnId],
    ) -> Result<Rows> {
        let conjuncts = classify(on, left, right);
        let build = self.build(right, &conjuncts)?;
        let index = self.open_rows(left);
        let key = self.probe_key(&conjuncts, &build)?;
        let mut found = if conjuncts.rest.is_empty() {
            self.program.scalars.intern(Scalar::Exists { collection: build.collection, key }, DataType::Boolean)
        } else {
            self.nested_match(&conjuncts, &build, key)?
        };
        if !with_match {
            found = self.program.scalars.call(Function::Not, vec![found], DataType::Boolean);
        }
        let mut values = Vec::with_capacity(nulls.len() + left.columns.len());
        for &column in nulls {
            let data_type = self.query.columns.get(column).data_type.carrier();
            values.push((column, self.program.scalars.constant(Value::Null, data_type)));
        }
        values.extend(self.values(&left.columns)?);
        self.close(1);
        Ok(self.add_collect(vec![index], vec![found], &values))
    }

    /// Whether any row of the bucket passes the rest of the condition. Never NULL: NULL does not pass.
    fn nested_match(&mut self, conjuncts: &Conjuncts<'_>, build: &Build, key: Vec<KeyPart>) -> Result<ScalarId> {
        let block = self.in_block(|this| {
            let index = this.open(Source::Bucket { collection: build.collection, key }, &build.columns);
            let condition = this.all(&conjuncts.rest)?;
            this.close(1);
            let argument = this.boolean(true);
            let aggregates = vec![Aggregate::new(Reduction::Any, vec![argument], DataType::Boolean)];
            let fields = vec![Field::new("value", DataType::Boolean, false)];
            Ok(this.add_loop(vec![index], Generator::Reduce { condition, aggregates }, fields, Shape::Single))
        })?;
        Ok(self.program.nested(block, 0))
    }

    /// Puts the right side into buckets.
    fn build(&mut self, right: &Rows, conjuncts: &Conjuncts<'_>) -> Result<Build> {
        let index = self.open_rows(right);
        let condition = self.all(&conjuncts.build)?;
        let (mut key, mut fields) = (Vec::new(), Vec::new());
        for (number, (_, expression, _)) in conjuncts.keys.iter().enumerate() {
            let scalar = self.expression(expression)?;
            let scalar = self.as_key(scalar);
            let nullable = self.nullability.scalar(&self.program, scalar);
            let name = match &expression.kind {
                ExpressionKind::Column(column) => self.query.columns.get(*column).name.clone(),
                _ => format!("key{number}"),
            };
            fields.push(Field::new(name, self.program.scalars.data_type(scalar), nullable));
            key.push(scalar);
        }
        let values = self.values(&right.columns)?;
        self.close(1);
        let members = self.fields(&values);
        let value = values.iter().map(|(_, value)| *value).collect();
        let generator = Generator::BucketCollect { condition, key, value };
        let collection = self.add_loop(vec![index], generator, fields, Shape::Buckets { members });
        Ok(Build {
            collection,
            columns: values.iter().zip(0..).map(|((column, _), position)| (*column, position)).collect(),
            null_matches: conjuncts.keys.iter().map(|(_, _, null_matches)| *null_matches).collect(),
        })
    }

    fn probe_key(&mut self, conjuncts: &Conjuncts<'_>, build: &Build) -> Result<Vec<KeyPart>> {
        let parts = conjuncts.keys.iter().zip(&build.null_matches);
        parts
            .map(|((left, _, _), &null_matches)| {
                let scalar = self.expression(left)?;
                Ok(KeyPart { scalar: self.as_key(scalar), null_matches })
            })
            .collect()
    }

    fn all(&mut self, conjuncts: &[&Expression]) -> Result<Vec<ScalarId>> {
        let mut all = Vec::new();
        for conjunct in conjuncts {
            all.extend(self.conjuncts(conjunct)?);
        }
        Ok(all)
    }
}

/// Sorts the conjuncts of a condition; `left` and `right` may be swapped sides.
fn classify<'e>(on: &'e Expression, left: &Rows, right: &Rows) -> Conjuncts<'e> {
    let left: FxHashSet<ColumnId> = left.columns.iter().map(|(column, _)| *column).collect();
    let right: FxHashSet<ColumnId> = right.columns.iter().map(|(column, _)| *column).collect();
    let mut conjuncts = Conjuncts { keys: Vec::new(), build: Vec::new(), rest: Vec::new() };
    let mut pending = vec![on];
    while let Some(conjunct) = pending.pop() {
        match &conjunct.kind {
            ExpressionKind::Call(Function::And, arguments) => {
                pending.extend(arguments.iter().rev());
                continue;
            }
            ExpressionKind::Constant(Value::Boolean(true)) => continue,
            _ => {}
        }
        let mentions = Mentions::of(conjunct, &left, &right);
        if mentions.volatile {
            conjuncts.rest.push(conjunct);
        } else if mentions.right && !mentions.left {
            conjuncts.build.push(conjunct);
        } else if let Some(key) = key_pair(conjunct, &left, &right) {
            conjuncts.keys.push(key);
        } else {
            conjuncts.rest.push(conjunct);
        }
    }
    conjuncts
}

/// The two sides of `left = right` or `left IS NOT DISTINCT FROM right`, in this order.
fn key_pair<'e>(
    conjunct: &'e Expression,
    left: &FxHashSet<ColumnId>,
    right: &FxHashSet<ColumnId>,
) -> Option<(&'e Expression, &'e Expression, bool)> {
    let ExpressionKind::Call(function @ (Function::Equal | Function::IsNotDistinct), arguments) = &conjunct.kind else {
        return None;
    };
    let [a, b] = &arguments[..] else { return None };
    let null_matches = *function == Function::IsNotDistinct;
    let (in_a, in_b) = (Mentions::of(a, left, right), Mentions::of(b, left, right));
    let on_left = |side: &Mentions| !side.right;
    let on_right = |side: &Mentions| side.right && !side.left;
    if on_left(&in_a) && on_right(&in_b) {
        Some((a, b, null_matches))
    } else if on_left(&in_b) && on_right(&in_a) {
        Some((b, a, null_matches))
    } else {
        None
    }
}

/// What an expression mentions, its subqueries included.
#[derive(Default)]
struct Mentions {
    left: bool,
    right: bool,
    volatile: bool,
}

impl Mentions {
    fn of(expression: &Expression, left: &FxHashSet<ColumnId>, right: &FxHashSet<ColumnId>) -> Self {
        let mut mentions = Mentions::default();
        mentions.add(expression, left, right);
        mentions
    }

    fn add(&mut self, expression: &Expression, left: &FxHashSet<ColumnId>, right: &FxHashSet<ColumnId>) {
        match &expression.kind {
            ExpressionKind::Column(column) => {
                self.left |= left.contains(column);
                self.right |= right.contains(column);
            }
            ExpressionKind::Call(function, _) if function.is_volatile() => self.volatile = true,
            ExpressionKind::Subquery(subquery) => {
                self.add_relation(&subquery.relation, left, right);
                if let SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) = &subquery.kind {
                    self.add(predicate, left, right);
                }
            }
            _ => {}
        }
        if !matches!(expression.kind, ExpressionKind::Subquery(_)) {
            expression.children().into_iter().for_each(|child| self.add(child, left, right));
        }
    }

    fn add_relation(&mut self, relation: &Relation, left: &FxHashSet<ColumnId>, right: &FxHashSet<ColumnId>) {
        let mut add = |expression: &Expression| self.add(expression, left, right);
        match relation {
            Relation::Values { rows, .. } => rows.iter().flatten().for_each(&mut add),
            Relation::Filter { predicate, .. } => add(predicate),
            Relation::Project { columns, .. } => columns.iter().for_each(|(_, expression)| add(expression)),
            Relation::Join { on, .. } => add(on),
            Relation::Expand { count, .. } => add(count),
            Relation::Aggregate { keys, aggregates, .. } => {
                keys.iter().for_each(|(_, key)| add(key));
                let calls = aggregates.iter().flat_map(|(_, call)| call.argument.iter().chain(&call.filter));
                calls.for_each(&mut add);
            }
            Relation::Window { partition, order, functions, .. } => {
                partition.iter().chain(order.iter().map(|key| &key.expression)).for_each(&mut add);
                functions.iter().for_each(|(_, call)| call.expressions().for_each(&mut add));
            }
            Relation::Sort { keys, .. } => keys.iter().for_each(|key| add(&key.expression)),
            Relation::Limit { limit, offset, .. } => limit.iter().chain(offset).for_each(&mut add),
            Relation::Scan { .. }
            | Relation::Distinct { .. }
            | Relation::SetOperation { .. }
            | Relation::Recursive { .. }
            | Relation::With { .. }
            | Relation::CteScan { .. } => {}
        }
        relation.inputs().into_iter().for_each(|input| self.add_relation(input, left, right));
    }
}
