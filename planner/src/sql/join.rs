//! Joins. USING and NATURAL merge equal columns into one, as PostgreSQL does: the merged columns come first in `*`
//! and alone are meant by the bare name; `table.column` still reaches either side's own.

use super::binder::Binder;
use super::expression::{Coercion, unify_types};
use super::from::FromItem;
use super::scope::{Clause, Scope, ScopeColumn};
use super::suggest::did_you_mean;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use sqlparser::ast;
use std::sync::Arc;

/// A join as it is written; RIGHT becomes LEFT when the relation is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Inner,
    Left,
    Right,
    Full,
}

impl Binder<'_> {
    /// Binds a table of FROM and the joins behind it.
    pub(super) fn bind_joined(&mut self, item: &ast::TableWithJoins, parent: Option<&Scope<'_>>) -> Result<FromItem> {
        let ast::TableWithJoins { relation, joins } = item;
        let mut left = self.bind_table_factor(relation, parent)?;
        for join in joins {
            let ast::Join { relation, global, join_operator } = join;
            let position = self.factor_start(relation);
            if *global {
                return Err(Error::unsupported("GLOBAL JOIN is").at(position));
            }
            let right = self.bind_table_factor(relation, parent)?;
            self.check_aliases(&left, &right, position)?;
            let (side, constraint) = join_side(join_operator).map_err(|error| error.at(position))?;
            left = match constraint {
                None => self.join_on(left, right, side, None, parent)?,
                Some(ast::JoinConstraint::On(on)) => self.join_on(left, right, side, Some(on), parent)?,
                Some(ast::JoinConstraint::Using(names)) => {
                    let mut columns = Vec::new();
                    for name in names {
                        let (_, ident) = self.split_name(name)?;
                        columns.push((Self::fold(ident), self.position(ident.span)));
                    }
                    self.join_using(left, right, side, &columns)?
                }
                Some(ast::JoinConstraint::Natural) => {
                    let common = visible(&left).filter(|name| visible(&right).any(|other| other == *name));
                    let common: Vec<_> = common.map(|name| (name.to_owned(), position)).collect();
                    self.join_using(left, right, side, &common)?
                }
                Some(ast::JoinConstraint::None) => {
                    let message = "syntax error: JOIN without ON or USING";
                    return Err(Error::new(ErrorKind::Syntax, message).at(position));
                }
            };
        }
        Ok(left)
    }

    fn join_on(
        &mut self,
        left: FromItem,
        right: FromItem,
        side: Side,
        on: Option<&ast::Expr>,
        parent: Option<&Scope<'_>>,
    ) -> Result<FromItem> {
        let columns: Vec<ScopeColumn> = left.columns.into_iter().chain(right.columns).collect();
        let tables: Vec<String> = left.tables.into_iter().chain(right.tables).collect();
        let scope = Scope::new(parent, columns, tables, Clause::JoinCondition);
        let on = match on {
            Some(on) => self.bind_condition(on, &scope)?,
            None => Expression::boolean(true),
        };
        let relation = join_relation(left.relation, right.relation, side, on);
        Ok(FromItem { relation, columns: scope.columns, tables: scope.tables })
    }

    fn join_using(
        &mut self,
        left: FromItem,
        right: FromItem,
        side: Side,
        names: &[(String, Option<Position>)],
    ) -> Result<FromItem> {
        let mut conditions = Vec::new();
        let mut merged = Vec::new();
        let mut computed = Vec::new();
        for (index, (name, position)) in names.iter().enumerate() {
            if names[..index].iter().any(|(other, _)| other == name) {
                let message = format!("column name \"{name}\" appears more than once in USING clause");
                return Err(Error::new(ErrorKind::DuplicateColumn, message).at(*position));
            }
            let pair = (using_column(&left, name, "left"), using_column(&right, name, "right"));
            let (l, r) = (pair.0.map_err(|e| e.at(*position))?, pair.1.map_err(|e| e.at(*position))?);
            self.check_readable(l, *position)?;
            self.check_readable(r, *position)?;
            let (l_value, r_value) = self.with_one_type(name, l, r).map_err(|error| error.at(*position))?;
            let data_type = l_value.data_type;
            let (l, r) = (self.columns.reference(l), self.columns.reference(r));
            let equal = self.compare(Function::Equal, l, r).map_err(|error| error.at(*position))?;
            conditions.push(Expression { position: *position, ..equal });
            let value = match side {
                Side::Inner | Side::Left => l_value,
                Side::Right => r_value,
                Side::Full => Expression::call(Function::Coalesce, vec![l_value, r_value], data_type),
            };
            let id = match value.kind {
                ExpressionKind::Column(id) => id,
                _ => {
                    let id = self.columns.add(name.clone(), data_type, true);
                    computed.push((id, value));
                    id
                }
            };
            merged.push(ScopeColumn { table: None, name: name.clone(), id, merged: false });
        }
        let mut relation = join_relation(left.relation, right.relation, side, Expression::and(conditions));
        if !computed.is_empty() {
            let through = relation.columns().into_iter().map(|id| (id, self.columns.reference(id)));
            let columns = through.chain(computed).collect();
            relation = Arc::new(Relation::Project { input: relation, columns });
        }
        // What is merged is reached by its table's name only; without one it is out of reach.
        let is_merged = |column: &ScopeColumn| !column.merged && names.iter().any(|(name, _)| *name == column.name);
        let own = left.columns.into_iter().chain(right.columns).filter_map(|mut column| {
            column.merged |= is_merged(&column);
            (!column.merged || column.table.is_some()).then_some(column)
        });
        let columns = merged.into_iter().chain(own).collect();
        Ok(FromItem { relation, columns, tables: left.tables.into_iter().chain(right.tables).collect() })
    }

    /// Both columns as values of one type.
    fn with_one_type(&mut self, name: &str, left: ColumnId, right: ColumnId) -> Result<(Expression, Expression)> {
        let (left, right) = (self.columns.reference(left), self.columns.reference(right));
        let agreed = unify_types(&[left.data_type, right.data_type], &format!("JOIN/USING \"{name}\""))?;
        let left = self.coerce(left, agreed, Coercion::Implicit)?;
        Ok((left, self.coerce(right, agreed, Coercion::Implicit)?))
    }
}

fn join_relation(left: Arc<Relation>, right: Arc<Relation>, side: Side, on: Expression) -> Arc<Relation> {
    let (kind, left, right) = match side {
        Side::Inner => (JoinKind::Inner, left, right),
        Side::Left => (JoinKind::Left, left, right),
        Side::Right => (JoinKind::Left, right, left),
        Side::Full => (JoinKind::Full, left, right),
    };
    Arc::new(Relation::Join { kind, left, right, on })
}

/// The names that USING may merge, each as often as it is there.
fn visible(item: &FromItem) -> impl Iterator<Item = &str> {
    item.columns.iter().filter(|column| !column.merged).map(|column| column.name.as_str())
}

fn using_column(item: &FromItem, name: &str, side: &str) -> Result<ColumnId> {
    let mut found = item.columns.iter().filter(|column| !column.merged && column.name == name);
    match (found.next(), found.next()) {
        (Some(column), None) => Ok(column.id),
        (Some(_), Some(_)) => {
            let message = format!("common column name \"{name}\" appears more than once in {side} table");
            Err(Error::new(ErrorKind::AmbiguousColumn, message))
        }
        (None, _) => {
            let message = format!("column \"{name}\" specified in USING clause does not exist in {side} table");
            Err(did_you_mean(Error::new(ErrorKind::UnknownColumn, message), name, visible(item)))
        }
    }
}

/// Which join it is, and its constraint; none for CROSS JOIN.
fn join_side(operator: &ast::JoinOperator) -> Result<(Side, Option<&ast::JoinConstraint>)> {
    use ast::JoinOperator as Op;
    match operator {
        Op::Join(constraint) | Op::Inner(constraint) => Ok((Side::Inner, Some(constraint))),
        Op::Left(constraint) | Op::LeftOuter(constraint) => Ok((Side::Left, Some(constraint))),
        Op::Right(constraint) | Op::RightOuter(constraint) => Ok((Side::Right, Some(constraint))),
        Op::FullOuter(constraint) => Ok((Side::Full, Some(constraint))),
        Op::CrossJoin(ast::JoinConstraint::None) => Ok((Side::Inner, None)),
        Op::CrossJoin(_) => Err(Error::new(ErrorKind::Syntax, "syntax error: CROSS JOIN with a condition")),
        Op::Semi(_) | Op::LeftSemi(_) | Op::RightSemi(_) => {
            Err(Error::unsupported("SEMI JOIN is").with_hint("Use EXISTS or IN."))
        }
        Op::Anti(_) | Op::LeftAnti(_) | Op::RightAnti(_) => {
            Err(Error::unsupported("ANTI JOIN is").with_hint("Use NOT EXISTS."))
        }
        Op::CrossApply | Op::OuterApply => Err(Error::unsupported("APPLY is")),
        Op::AsOf { .. } => Err(Error::unsupported("ASOF JOIN is")),
        Op::StraightJoin(_) => Err(Error::unsupported("STRAIGHT_JOIN is")),
        Op::ArrayJoin | Op::LeftArrayJoin | Op::InnerArrayJoin => Err(Error::unsupported("ARRAY JOIN is")),
    }
}
