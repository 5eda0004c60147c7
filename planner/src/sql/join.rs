//! Joins: their kinds and conditions.

use super::asof::marked;
use super::binder::Binder;
use super::from::Before;
use super::recursive::Within;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::Expression;
use crate::relation::builder::{FromItem, Joined, Scope, Side};
use sqlparser::ast;

impl Binder<'_, '_> {
    /// Binds a table of FROM and the joins behind it.
    pub(super) fn bind_joined(
        &mut self,
        item: &ast::TableWithJoins,
        parent: Option<&Scope<'_>>,
        before: Option<&Before<'_>>,
    ) -> Result<FromItem> {
        let ast::TableWithJoins { relation, joins } = item;
        let missing = |at: usize| missing(joins, at).then_some(Within::OuterJoin);
        let mut left = self.bind_within(missing(0), |binder| binder.bind_table_factor(relation, parent, before))?;
        for (join, at) in joins.iter().zip(1..) {
            let ast::Join { relation, global, join_operator } = join;
            let position = self.factor_start(relation);
            if *global {
                return Err(Error::unsupported("GLOBAL JOIN is").at(position));
            }
            let (side, constraint) = join_side(join_operator).map_err(|error| error.at(position))?;
            let before = Before { item: &left, before };
            let right =
                self.bind_within(missing(at), |binder| binder.bind_table_factor(relation, parent, Some(&before)))?;
            left.check_aliases(&right, position)?;
            left.check_lateral(&right, side, position)?;
            let (left_missing, right_missing) =
                (matches!(side, Side::Right | Side::Full), matches!(side, Side::Left | Side::Full));
            let left_side = if left_missing { self.with_presence(left) } else { left };
            let right = if right_missing { self.with_presence(right) } else { right };
            left = left_side;
            if let Some(mark) = marked(constraint) {
                let (kind, both) = ((side, constraint), (left, right));
                left = self.bind_marked_join(mark, both, kind, parent, position)?;
                left.hide_in_join();
                continue;
            }
            left = match constraint {
                None => self.join_on(left, right, side, None, parent).map_err(|error| error.at(position))?,
                Some(ast::JoinConstraint::On(on)) => {
                    self.join_on(left, right, side, Some(on), parent).map_err(|error| error.at(position))?
                }
                Some(ast::JoinConstraint::Using(names)) => {
                    let mut columns = Vec::new();
                    for name in names {
                        let (_, ident) = self.split_name(name)?;
                        columns.push((Self::fold(ident), self.position(ident.span)));
                    }
                    self.builder.join_using(left, right, side, &columns)?
                }
                Some(ast::JoinConstraint::Natural) => {
                    let common = left.common_names(&right).into_iter().map(|name| (name, position));
                    self.builder.join_using(left, right, side, &common.collect::<Vec<_>>())?
                }
                Some(ast::JoinConstraint::None) => {
                    let message = "syntax error: JOIN without ON or USING";
                    return Err(Error::new(ErrorKind::Syntax, message).at(position));
                }
            };
            left.hide_in_join();
        }
        Ok(left)
    }

    fn with_presence(&mut self, item: FromItem) -> FromItem {
        let names: Vec<String> = item.tables.iter().map(|table| table.name.clone()).collect();
        let named: Vec<String> = names.into_iter().filter(|name| self.may_name_row(name)).collect();
        self.builder.with_presence(item, |name| named.iter().any(|known| known == name))
    }

    fn join_on(
        &mut self,
        left: FromItem,
        right: FromItem,
        side: Side,
        on: Option<&ast::Expr>,
        parent: Option<&Scope<'_>>,
    ) -> Result<FromItem> {
        let joined = Joined::new(left, right, parent);
        let on = match on {
            Some(on) => self.bind_condition(on, &joined.scope)?,
            None => Expression::boolean(true),
        };
        joined.on(self.builder, side, on)
    }
}

/// Whether an outer join may give rows without one of the tables of a chain of joins: the first, or that of a join.
pub(super) fn missing(joins: &[ast::Join], at: usize) -> bool {
    let side = |join: &ast::Join| join_side(&join.join_operator).ok().map(|(side, _)| side);
    let own = at.checked_sub(1).and_then(|own| side(&joins[own]));
    matches!(own, Some(Side::Left | Side::Full))
        || joins[at..].iter().any(|join| matches!(side(join), Some(Side::Right | Side::Full)))
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
        Op::Semi(constraint) | Op::LeftSemi(constraint) => Ok((Side::Semi, Some(constraint))),
        Op::Anti(constraint) | Op::LeftAnti(constraint) => Ok((Side::Anti, Some(constraint))),
        Op::RightSemi(_) | Op::RightAnti(_) => {
            Err(Error::unsupported("RIGHT SEMI or ANTI JOIN is").with_hint("Change the sides, or use EXISTS."))
        }
        Op::CrossApply | Op::OuterApply => Err(Error::unsupported("APPLY is")),
        Op::AsOf { .. } => Err(Error::unsupported("ASOF JOIN is")),
        Op::StraightJoin(_) => Err(Error::unsupported("STRAIGHT_JOIN is")),
        Op::ArrayJoin | Op::LeftArrayJoin | Op::InnerArrayJoin => Err(Error::unsupported("ARRAY JOIN is")),
    }
}
