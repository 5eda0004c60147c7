//! Joins. USING and NATURAL merge equal columns into one, as PostgreSQL does: the merged columns come first in `*`
//! and alone are meant by the bare name; `table.column` still reaches either side's own.

use super::lateral::outer_columns;
use super::{Builder, Clause, Coercion, FromItem, Scope, ScopeColumn, ScopeTable, did_you_mean, unify_types};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use std::sync::Arc;

/// A join as it is written; RIGHT becomes LEFT when the relation is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Pairs only.
    Inner,
    /// And the left's rows without a partner.
    Left,
    /// And the right's.
    Right,
    /// And both.
    Full,
    /// The left's rows with a partner.
    Semi,
    /// The left's rows without one.
    Anti,
}

impl Side {
    /// Whether the rows have the left's columns only.
    fn is_left_only(self) -> bool {
        matches!(self, Side::Semi | Side::Anti)
    }
}

/// Two sides of a join, before its condition is known.
#[derive(Debug)]
pub struct Joined<'p> {
    left: Arc<Relation>,
    right: Arc<Relation>,
    /// How many columns and tables of the scope are the left's.
    left_counts: (usize, usize),
    /// What the condition sees.
    pub scope: Scope<'p>,
}

impl<'p> Joined<'p> {
    /// Both sides, whose aliases [`FromItem::check_aliases`] has seen.
    pub fn new(left: FromItem, right: FromItem, parent: Option<&'p Scope<'p>>) -> Self {
        let (mut columns, mut tables) = (left.columns, left.tables);
        let left_counts = (columns.len(), tables.len());
        columns.extend(right.columns);
        tables.extend(right.tables);
        let scope = Scope::new(parent, columns, tables, Clause::JoinCondition);
        Joined { left: left.relation, right: right.relation, left_counts, scope }
    }

    /// How many columns and tables are the left's.
    pub(super) fn left_counts(&self) -> (usize, usize) {
        self.left_counts
    }

    /// Both relations, and the columns and tables that both have.
    pub(super) fn into_parts(self) -> (Arc<Relation>, Arc<Relation>, Vec<ScopeColumn>, Vec<ScopeTable>) {
        (self.left, self.right, self.scope.columns, self.scope.tables)
    }

    /// The join on a condition. The right side may read the left's columns, where [`FromItem::check_lateral`] found
    /// that right; what cannot be computed so is 0A000.
    pub fn on(self, builder: &mut Builder<'_>, side: Side, on: Expression) -> Result<FromItem> {
        let relation = builder.join_relation(self.left, self.right, side, on)?;
        let (mut columns, mut tables) = (self.scope.columns, self.scope.tables);
        if side.is_left_only() {
            columns.truncate(self.left_counts.0);
            tables.truncate(self.left_counts.1);
        }
        Ok(FromItem { relation, columns, tables })
    }
}

impl FromItem {
    /// All pairs of rows.
    pub fn cross(self, builder: &mut Builder<'_>, other: FromItem) -> Result<Self> {
        Joined::new(self, other, None).on(builder, Side::Inner, Expression::boolean(true))
    }

    /// Reports what reads the left side's columns where there may be no left row (42P10).
    pub fn check_lateral(&self, right: &FromItem, side: Side, position: Option<Position>) -> Result<()> {
        if matches!(side, Side::Inner | Side::Left) {
            return Ok(());
        }
        let Some(table) = self.outer_table(right) else { return Ok(()) };
        let message = format!("invalid reference to FROM-clause entry for table \"{table}\"");
        let error = Error::new(ErrorKind::InvalidColumnReference, message);
        Err(error.with_detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.").at(position))
    }

    /// Reports a table alias that both sides have (42712).
    pub fn check_aliases(&self, other: &FromItem, position: Option<Position>) -> Result<()> {
        let is_there = |table: &&ScopeTable| !self.tables.iter().all(|own| own.may_stand_beside(table));
        match other.tables.iter().find(is_there) {
            Some(table) => {
                let message = format!("table name \"{}\" specified more than once", table.name);
                Err(Error::new(ErrorKind::DuplicateAlias, message).at(position))
            }
            None => Ok(()),
        }
    }

    /// Columns that nobody declared are reached by their table's name only once the table is joined.
    pub fn hide_in_join(&mut self) {
        self.columns.iter_mut().filter(|column| column.hidden).for_each(|column| column.merged = true);
    }

    /// The names that both sides have, for NATURAL.
    pub fn common_names(&self, other: &FromItem) -> Vec<String> {
        let common = visible(self).filter(|name| visible(other).any(|other| other == *name));
        common.map(ToOwned::to_owned).collect()
    }
}

impl Builder<'_> {
    /// A join on the equality of columns that both sides have, each with its position.
    pub fn join_using(
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
                Side::Inner | Side::Left | Side::Semi | Side::Anti => l_value,
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
            merged.push(ScopeColumn::new(None, name.clone(), id));
        }
        let on = Expression::and(conditions);
        let mut relation = self.join_relation(left.relation, right.relation, side, on)?;
        if side.is_left_only() {
            return Ok(FromItem { relation, columns: left.columns, tables: left.tables });
        }
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

    fn join_relation(
        &mut self,
        left: Arc<Relation>,
        right: Arc<Relation>,
        side: Side,
        on: Expression,
    ) -> Result<Arc<Relation>> {
        let (kind, left, right) = match side {
            Side::Inner if outer_columns(&left, &right).is_empty() => (JoinKind::Inner, left, right),
            Side::Inner => {
                let both = self.apply(left, right)?;
                let all = matches!(&on.kind, ExpressionKind::Constant(value) if value.is_true());
                return Ok(if all { both } else { self.filter(both, on) });
            }
            Side::Left => return self.apply_outer(left, right, on),
            Side::Right => (JoinKind::Left, right, left),
            Side::Full => (JoinKind::Full, left, right),
            Side::Semi => (JoinKind::Semi, left, right),
            Side::Anti => (JoinKind::Anti, left, right),
        };
        Ok(Arc::new(Relation::Join { kind, left, right, on }))
    }

    /// A join whose columns of some names are one each, where the left's are: the right's value, or, of a FULL JOIN, the one that is
    /// there.
    pub fn with_merged(
        &mut self,
        mut item: FromItem,
        side: Side,
        names: &[(String, ColumnId, ColumnId)],
    ) -> Result<FromItem> {
        let mut computed = Vec::new();
        for (name, left, right) in names {
            let mut id = *right;
            if side == Side::Full {
                let (l, r) = self.with_one_type(name, *left, *right)?;
                let data_type = l.data_type;
                id = self.columns.add(name.clone(), data_type, true);
                computed.push((id, Expression::call(Function::Coalesce, vec![l, r], data_type)));
            }
            let at = item.columns.iter().position(|column| column.id == *left).unwrap_or(0);
            item.columns
                .iter_mut()
                .filter(|column| column.id == *left || column.id == *right)
                .for_each(|column| column.merged = true);
            item.columns.insert(at, ScopeColumn::new(None, name.clone(), id));
        }
        if !computed.is_empty() {
            let through = item.relation.columns().into_iter().map(|id| (id, self.columns.reference(id)));
            let columns = through.chain(computed).collect();
            item.relation = Arc::new(Relation::Project { input: item.relation, columns });
        }
        Ok(item)
    }

    /// Both columns as values of one type.
    fn with_one_type(&mut self, name: &str, left: ColumnId, right: ColumnId) -> Result<(Expression, Expression)> {
        let (left, right) = (self.columns.reference(left), self.columns.reference(right));
        let agreed = unify_types(&[left.data_type, right.data_type], &format!("JOIN/USING \"{name}\""))?;
        let left = self.coerce(left, agreed, Coercion::Implicit)?;
        Ok((left, self.coerce(right, agreed, Coercion::Implicit)?))
    }
}

/// The names that USING may merge, each as often as it is there.
fn visible(item: &FromItem) -> impl Iterator<Item = &str> {
    item.columns.iter().filter(|column| !column.merged && !column.hidden).map(|column| column.name.as_str())
}

fn using_column(item: &FromItem, name: &str, side: &str) -> Result<ColumnId> {
    let mut found = item.columns.iter().filter(|column| !column.merged && !column.hidden && column.name == name);
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
