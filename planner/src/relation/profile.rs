//! What is known of each column of a statement: where it is made, and its values' statistics. Ids are unique in
//! a statement, so one table serves all operators; an operator in between changes how many rows carry a value,
//! not what the column is.

use super::visit::{as_column, for_each_expression, for_each_input, for_each_subquery};
use super::{ColumnId, Columns, Expression, ExpressionKind, Relation, SetKind};
use crate::catalog::{Estimates, Proofs, TableInfo};
use crate::function::{DatePart, Effects, Function};
use crate::speculation::Speculation;
use crate::value::Value;
use std::cell::Cell;
use std::sync::Arc;

/// What is known of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    /// How many subqueries its maker stands in. A column of a lower depth than the expression that mentions it
    /// is an enclosing query's: a correlated reference.
    pub(crate) depth: u16,
    /// Number of distinct values in the table that it comes from; none if it is computed or unknown.
    pub(crate) distinct: Option<f64>,
    /// Rows of the table that it comes from.
    pub(crate) rows: f64,
    /// Smallest and largest value as numbers, in the type's unit (days, 10^-scale, …): likely, and not proven.
    pub(crate) range: Option<(f64, f64)>,
    /// Proven: no value of its table lies outside.
    pub(crate) bounds: Option<(f64, f64)>,
    /// Share of NULLs in the table.
    pub(crate) null_share: f64,
    /// Its common values, each with its share of the table's rows.
    pub(crate) common: Arc<[(Value, f64)]>,
    /// Likely: no two rows of its table have the same value, and none is NULL.
    pub(crate) unique: bool,
    /// Proven: its table is in its order.
    pub(crate) sorted: bool,
    /// Its values lie so far apart that they are found by hashing, not by their distance from the least one.
    pub(crate) wide: bool,
    /// Proven: no NULL where it is made. An outer join above may add some.
    pub(crate) not_null: bool,
}

impl Profile {
    /// Of the rows of either. Values are taken to be the same ones where ranges meet.
    fn united(self, other: &Profile) -> Self {
        let ranges = self.range.zip(other.range);
        let apart = ranges.is_some_and(|((low, high), (least, most))| high < least || most < low);
        let distinct =
            self.distinct.zip(other.distinct).map(|(own, more)| if apart { own + more } else { own.max(more) });
        let both = |((low, high), (least, most)): ((f64, f64), (f64, f64))| (low.min(least), high.max(most));
        let rows = self.rows + other.rows;
        let nulls = self.null_share * self.rows + other.null_share * other.rows;
        Profile {
            depth: self.depth,
            distinct,
            rows,
            range: ranges.map(both),
            bounds: self.bounds.zip(other.bounds).map(both),
            null_share: if rows > 0.0 { nulls / rows } else { 0.0 },
            common: Arc::default(),
            unique: false,
            sorted: false,
            wide: self.wide || other.wide,
            not_null: self.not_null && other.not_null,
        }
    }
}

/// The profiles of all columns of a statement.
#[derive(Debug)]
pub(crate) struct Profiles {
    profiles: Vec<Profile>,
    speculation: Cell<Speculation>,
}

impl Profiles {
    /// The profiles of the columns that a tree and its subqueries make.
    pub(crate) fn of(relation: &Relation, columns: &Columns, speculation: Speculation) -> Self {
        let profiles = vec![Profile::default(); columns.len()];
        let mut all = Profiles { profiles, speculation: Cell::new(speculation) };
        all.add(relation, 0);
        all
    }

    /// Whether the statement may speculate, and whether it does.
    pub(crate) fn speculation(&self) -> Speculation {
        self.speculation.get()
    }

    /// Whether what has these effects may be evaluated for more rows, which is noted where it may fail. So ask last.
    pub(crate) fn may_move(&self, effects: Effects) -> bool {
        if effects.volatile || (effects.may_fail && !self.speculation.get().is_allowed()) {
            return false;
        }
        if effects.may_fail {
            self.speculation.set(Speculation::Made);
        }
        true
    }

    /// What is known of a column.
    pub(crate) fn get(&self, id: ColumnId) -> &Profile {
        &self.profiles[id.0 as usize]
    }

    /// How many columns there are.
    pub(crate) fn len(&self) -> usize {
        self.profiles.len()
    }

    /// Adds the columns of a tree that has been made of columns both known and new.
    pub(crate) fn extend(&mut self, relation: &Relation, columns: &Columns, depth: u16) {
        self.profiles.resize(columns.len(), Profile::default());
        self.add(relation, depth);
    }

    /// Notes that a tree now stands at another depth: it left a subquery for the query around it.
    pub(crate) fn move_to(&mut self, relation: &Relation, depth: u16) {
        self.add(relation, depth);
    }

    fn add(&mut self, relation: &Relation, depth: u16) {
        for_each_input(relation, &mut |input| self.add(input, depth));
        for_each_expression(relation, &mut |expression| {
            for_each_subquery(expression, &mut |subquery| self.add(&subquery.relation, depth + 1));
        });
        match relation {
            Relation::Scan { table, columns } => {
                for (position, id) in columns {
                    self.set(*id, scanned(&table.0, *position), depth);
                }
            }
            Relation::Values { columns, .. } | Relation::Recursive { columns, .. } => {
                columns.iter().for_each(|id| self.set(*id, Profile::default(), depth));
            }
            Relation::SetOperation { kind, columns, left, right, .. } => {
                for (at, id) in columns.iter().enumerate() {
                    let of_left = self.get(left.1[at]).clone();
                    let profile = match kind {
                        SetKind::Union => of_left.united(self.get(right.1[at])),
                        SetKind::Intersect | SetKind::Except => of_left,
                    };
                    self.set(*id, Profile { unique: false, sorted: false, ..profile }, depth);
                }
            }
            Relation::Project { columns, .. } => {
                for (id, expression) in columns {
                    match as_column(expression) {
                        Some(from) if from == *id => {}
                        Some(from) => self.set(*id, self.get(from).clone(), depth),
                        None => {
                            let distinct = distinct_values(expression, self);
                            self.set(*id, Profile { distinct, ..Profile::default() }, depth);
                        }
                    }
                }
            }
            Relation::Aggregate { keys, aggregates, .. } => {
                for (id, key) in keys {
                    let computed = || Profile { distinct: distinct_values(key, self), ..Profile::default() };
                    let profile = as_column(key).map_or_else(computed, |from| self.get(from).clone());
                    let unique = keys.len() == 1 && profile.not_null;
                    self.set(*id, Profile { unique, ..profile }, depth);
                }
                aggregates.iter().for_each(|(id, _)| self.set(*id, Profile::default(), depth));
            }
            Relation::Expand { count, position, .. } => {
                let copies = constant_count(count);
                let range = copies.map(|copies| (0.0, (copies - 1.0).max(0.0)));
                self.set(
                    *position,
                    Profile { distinct: copies, range, bounds: range, not_null: true, ..Profile::default() },
                    depth,
                );
            }
            Relation::Window { functions, .. } => {
                functions.iter().for_each(|(id, _)| self.set(*id, Profile::default(), depth));
            }
            Relation::CteScan { columns, .. } => {
                columns.iter().for_each(|(from, id)| self.set(*id, self.get(*from).clone(), depth));
            }
            Relation::Filter { .. }
            | Relation::Join { .. }
            | Relation::Distinct { .. }
            | Relation::Sort { .. }
            | Relation::Limit { .. }
            | Relation::With { .. } => {}
        }
    }

    fn set(&mut self, id: ColumnId, profile: Profile, depth: u16) {
        self.profiles[id.0 as usize] = Profile { depth, ..profile };
    }
}

/// How often an [`Relation::Expand`] gives each row, if that is a constant.
pub(crate) fn constant_count(count: &Expression) -> Option<f64> {
    match &count.kind {
        ExpressionKind::Constant(Value::Int(copies)) => Some((*copies).max(0) as f64),
        ExpressionKind::Constant(Value::Null) => Some(0.0),
        _ => None,
    }
}

fn scanned(table: &TableInfo, position: usize) -> Profile {
    let rows = table.statistics.likely_rows() as f64;
    let declared = !table.stored_field(position).nullable;
    let Some(column) = table.statistics.columns.get(position) else {
        return Profile { rows, not_null: declared, ..Profile::default() };
    };
    let (proofs, estimates) = (&column.proofs, &column.estimates);
    // What a provider says of its values comes with what it says of its rows.
    let is_said = || table.statistics.about_rows.is_some() && estimates.distinct.is_some_and(|of| of as f64 >= rows);
    let unique = proofs.is_likely_unique() || is_said();
    let distinct = if unique { Some(rows) } else { estimates.distinct.map(|count| (count as f64).max(1.0)) };
    let nulls = estimates.nulls.unwrap_or(proofs.nulls) as f64;
    Profile {
        depth: 0,
        distinct,
        rows,
        range: column.likely_range(),
        bounds: column.proven_range(),
        null_share: if rows > 0.0 { (nulls / rows).min(1.0) } else { 0.0 },
        common: Arc::clone(&estimates.common),
        unique,
        sorted: proofs.sorted,
        wide: column.is_wide(table.statistics.rows),
        not_null: declared || proofs.unique || counted_no_nulls(proofs),
    }
}

/// Whether rows were looked at (and statistics not just left at their default) and none is NULL.
fn counted_no_nulls(proofs: &Proofs) -> bool {
    proofs.nulls == 0 && proofs.min.is_some()
}

/// The share of rows in which an expression equals a constant, if anything is known of it.
pub(crate) fn share_equal(expression: &Expression, constant: &Value, profiles: &Profiles) -> Option<f64> {
    let distinct = distinct_values(expression, profiles)?;
    let Some(id) = as_column(expression) else { return Some(1.0 / distinct) };
    let profile = profiles.get(id);
    Some(Estimates::share_of(&profile.common, constant, distinct, profile.null_share))
}

/// How many values an expression takes; a constant's one says nothing, so it has none here.
pub(crate) fn distinct_values(expression: &Expression, profiles: &Profiles) -> Option<f64> {
    match &expression.kind {
        ExpressionKind::Column(id) => profiles.get(*id).distinct,
        ExpressionKind::Element(_, code) => distinct_values(code, profiles),
        // A function of one column has at most as many values as the column, `extract` and `substring` far fewer.
        ExpressionKind::Call(function, arguments) => {
            let of = arguments.iter().filter_map(|argument| distinct_values(argument, profiles)).reduce(f64::max);
            match function {
                Function::Extract(DatePart::Year) => of.map(|days| (days / 365.0).max(1.0)),
                Function::Modulo => match arguments.last().map(|divisor| &divisor.kind) {
                    Some(ExpressionKind::Constant(Value::Int(divisor))) if *divisor != 0 => {
                        of.map(|values| values.min(divisor.unsigned_abs() as f64))
                    }
                    _ => of,
                },
                Function::Extract(_) => of.map(|values| values.min(60.0)),
                Function::Substring | Function::Left => of.map(|values| values.sqrt().min(short_texts(arguments))),
                _ => of,
            }
        }
        _ => None,
    }
}

/// How many texts there are of the length that the last argument of `substring` or `left` asks for.
fn short_texts(arguments: &[Expression]) -> f64 {
    match arguments.last().map(|length| &length.kind) {
        Some(ExpressionKind::Constant(Value::Int(length @ 1..=9))) => 10f64.powi(*length as i32),
        _ => f64::INFINITY,
    }
}
