//! Checks what every relation must obey. Runs after every pass of the optimiser in debug builds, so that what moves an
//! expression or a subquery to where it cannot be computed is found where it did so.
//!
//! **Columns.** An expression mentions columns that its operator's inputs make, or an operator around the subquery that it
//! stands in; the two sides of a join do not see each other. The predicate of an ANY or ALL sees the subquery's rows and
//! what the subquery itself sees. No column has two makers in one operator's inputs. What a set operation takes from a
//! side, a scalar subquery from its rows and a query from its relation is made there.
//!
//! **CTEs.** A scan of a CTE stands in the body of its With, subqueries included, and reads columns that the definition
//! makes; or in the step of its Recursive, and reads the columns of that.

use super::visit::for_each_expression;
use super::{ColumnId, CteId, Expression, ExpressionKind, Relation, SubqueryKind};
use rustc_hash::FxHashSet;

/// The first thing that is wrong with a relation of which these columns are shown.
pub(crate) fn verify(relation: &Relation, shown: impl IntoIterator<Item = ColumnId>) -> Result<(), String> {
    let mut verifier = Verifier { outer: Vec::new(), ctes: Vec::new() };
    let made: FxHashSet<ColumnId> = verifier.relation(relation)?.into_iter().collect();
    shown.into_iter().try_for_each(|id| check(made.contains(&id), || format!("the result has no column {}", id.0)))
}

type Checked = Result<(), String>;

fn check(holds: bool, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(problem()) }
}

struct Verifier {
    /// What the operators around the subqueries see in which the verifier stands.
    outer: Vec<FxHashSet<ColumnId>>,
    /// The CTEs in scope and the columns of their definitions.
    ctes: Vec<(CteId, Vec<ColumnId>)>,
}

impl Verifier {
    /// The columns of the relation's rows, once it and all below it has been checked.
    fn relation(&mut self, relation: &Relation) -> Result<Vec<ColumnId>, String> {
        let mut inputs = Vec::new();
        if let Relation::With { cte, definition, body } = relation {
            let made = self.relation(definition)?;
            self.ctes.push((*cte, made));
            let made = self.relation(body);
            self.ctes.pop();
            return made;
        }
        if let Relation::Recursive { cte, columns, seed, step, .. } = relation {
            inputs.push(self.relation(&seed.0)?);
            self.ctes.push((*cte, columns.clone()));
            let made = self.relation(&step.0);
            self.ctes.pop();
            inputs.push(made?);
        } else {
            for input in relation.inputs() {
                inputs.push(self.relation(input)?);
            }
        }
        self.scan(relation)?;
        if let Relation::SetOperation { left, right, .. } | Relation::Recursive { seed: left, step: right, .. } =
            relation
        {
            for (made, taken) in inputs.iter().zip([&left.1, &right.1]) {
                let missing = taken.iter().find(|id| !made.contains(id));
                check(missing.is_none(), || {
                    format!("a set operation takes {missing:?}, which its input does not make")
                })?;
            }
        }
        let count: usize = inputs.iter().map(Vec::len).sum();
        let visible: FxHashSet<ColumnId> = inputs.into_iter().flatten().collect();
        let of_one = matches!(relation, Relation::SetOperation { .. } | Relation::Recursive { .. });
        check(of_one || visible.len() == count, || "two inputs, or one twice, make the same column".to_owned())?;
        let mut checked = Ok(());
        for_each_expression(relation, &mut |expression| {
            if checked.is_ok() {
                checked = self.expression(expression, &visible);
            }
        });
        checked?;
        Ok(relation.columns())
    }

    fn scan(&self, relation: &Relation) -> Checked {
        let Relation::CteScan { cte, columns } = relation else { return Ok(()) };
        let Some((_, made)) = self.ctes.iter().rev().find(|(known, _)| known == cte) else {
            return Err(format!("CTE {} is scanned outside of its WITH", cte.0));
        };
        let missing = columns.iter().find(|(from, _)| !made.contains(from));
        check(missing.is_none(), || format!("a scan reads {missing:?}, which CTE {} does not make", cte.0))
    }

    fn expression(&mut self, expression: &Expression, visible: &FxHashSet<ColumnId>) -> Checked {
        match &expression.kind {
            ExpressionKind::Column(id) => {
                let seen = visible.contains(id) || self.outer.iter().any(|outer| outer.contains(id));
                check(seen, || format!("column {} is not in scope", id.0))
            }
            ExpressionKind::Subquery(subquery) => {
                self.outer.push(visible.clone());
                let made = self.relation(&subquery.relation);
                self.outer.pop();
                let made = made?;
                match &subquery.kind {
                    SubqueryKind::Exists => Ok(()),
                    SubqueryKind::Scalar(id) => {
                        check(made.contains(id), || format!("a scalar subquery does not make its column {}", id.0))
                    }
                    SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => {
                        let mut both = visible.clone();
                        both.extend(made);
                        self.expression(predicate, &both)
                    }
                }
            }
            _ => expression.children().into_iter().try_for_each(|child| self.expression(child, visible)),
        }
    }
}
