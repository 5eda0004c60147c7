//! The text of a relation, for EXPLAIN: one node a line, names not ids, inputs indented below.
//!
//! ```text
//! Join Inner on l_orderkey = o_orderkey (rows 3200)
//!   Filter l_shipdate > '1995-03-15' (rows 3240000)
//!     Scan lineitem: l_orderkey, l_shipdate (rows 6000000)
//!   Scan orders: o_orderkey (rows 1500000)
//! ```
//!
//! A name that two columns share gets a number from the second on: `n_name`, `n_name#2`. Rows are estimates.

use super::optimise::estimate;
use super::profile::Profiles;
use super::{
    AggregateCall, AggregateFunction, ColumnId, Expression, Query, Relation, SetKind, SortKey, WindowCall, WindowCallee,
};
use crate::evaluate::quantile::Quantile;
use crate::join_kind::JoinKind;
use crate::multiloop::RowBound;
use crate::multiloop::reduction::Gather;
use crate::relation::visit::{for_each_expression, for_each_subquery};
use crate::window::{Exclude, Frame, FrameBound, FrameUnit};
use std::borrow::Cow;
use std::fmt::Write;

mod expression;

/// The text of a query's relation.
pub fn explain(query: &Query) -> String {
    let profiles = Profiles::of(&query.relation, &query.columns, query.speculation);
    let mut printer =
        Printer { names: Names::of(query), profiles, text: String::new(), subqueries: 0, estimates: true };
    let output = query.output.iter().map(|(name, id)| {
        let column = printer.names.get(*id);
        if column == name { column.to_owned() } else { format!("{column} as {name}") }
    });
    let output = output.collect::<Vec<_>>().join(", ");
    printer.line(0, &format!("Output {output}"));
    printer.relation(&query.relation, 1);
    printer.text
}

/// The text of one tree of a query without estimates, for tests that look at shape alone.
#[cfg(test)]
pub(crate) fn explain_shape(query: &Query) -> String {
    let profiles = Profiles::of(&query.relation, &query.columns, query.speculation);
    let mut printer =
        Printer { names: Names::of(query), profiles, text: String::new(), subqueries: 0, estimates: false };
    printer.relation(&query.relation, 0);
    printer.text
}

/// The name that each column is shown by; unique among the columns that the tree makes.
pub(super) struct Names(Vec<String>);

impl Names {
    fn of(query: &Query) -> Self {
        let mut made = vec![false; query.columns.len()];
        mark_made(&query.relation, &mut made);
        let mut taken: rustc_hash::FxHashMap<&str, usize> = rustc_hash::FxHashMap::default();
        let names = (0..query.columns.len()).map(|at| {
            let name = query.columns.get(ColumnId(at as u32)).name.as_str();
            if !made[at] {
                return name.to_owned();
            }
            let count = taken.entry(name).or_insert(0);
            *count += 1;
            if *count == 1 { name.to_owned() } else { format!("{name}#{count}") }
        });
        Names(names.collect())
    }

    /// The name of a column.
    pub(super) fn get(&self, id: ColumnId) -> &str {
        &self.0[id.0 as usize]
    }

    fn list(&self, columns: impl IntoIterator<Item = ColumnId>) -> String {
        columns.into_iter().map(|id| self.get(id)).collect::<Vec<_>>().join(", ")
    }
}

fn mark_made(relation: &Relation, made: &mut [bool]) {
    if !matches!(relation, Relation::With { .. }) {
        relation.columns().into_iter().for_each(|id| made[id.0 as usize] = true);
    }
    for_each_expression(relation, &mut |expression| {
        for_each_subquery(expression, &mut |subquery| mark_made(&subquery.relation, made));
    });
    relation.inputs().into_iter().for_each(|input| mark_made(input, made));
}

struct Printer {
    names: Names,
    profiles: Profiles,
    text: String,
    subqueries: usize,
    estimates: bool,
}

/// Subqueries with the numbers that they are shown by.
type Numbered<'a> = Vec<(usize, &'a Relation)>;

impl Printer {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", indent * 2);
    }

    fn relation(&mut self, relation: &Relation, indent: usize) {
        let mut subqueries = Vec::new();
        let mut text = self.node(relation, &mut subqueries);
        if self.estimates {
            let _ = write!(text, " (rows {})", estimate::rows(relation, &self.profiles).round());
        }
        self.line(indent, text.trim_end());
        for (number, subquery) in subqueries {
            self.line(indent + 1, &format!("Subquery {number}"));
            self.relation(subquery, indent + 2);
        }
        relation.inputs().into_iter().for_each(|input| self.relation(input, indent + 1));
    }

    fn expression<'a>(&mut self, expression: &'a Expression, subqueries: &mut Numbered<'a>) -> String {
        for_each_subquery(expression, &mut |subquery| {
            self.subqueries += 1;
            subqueries.push((self.subqueries, &subquery.relation));
        });
        expression::print(expression, &self.names, subqueries)
    }

    fn node<'a>(&mut self, relation: &'a Relation, subqueries: &mut Numbered<'a>) -> String {
        match relation {
            Relation::Scan { table, columns } => {
                format!("Scan {}: {}", table.0.name, self.names.list(columns.iter().map(|(_, id)| *id)))
            }
            Relation::Values { columns, rows } => {
                let mut text = format!("Values {}:", self.names.list(columns.iter().copied()));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(|cell| self.expression(cell, subqueries)).collect();
                    let _ = write!(text, " ({})", cells.join(", "));
                }
                text
            }
            Relation::Filter { predicate, .. } => format!("Filter {}", self.expression(predicate, subqueries)),
            Relation::Project { columns, .. } => format!("Project {}", self.named(columns, subqueries)),
            Relation::Expand { count, position, .. } => {
                format!("Expand {} of {}", self.names.get(*position).to_owned(), self.expression(count, subqueries))
            }
            Relation::Join { kind, on, .. } => {
                format!("Join {} on {}", join_name(*kind), self.expression(on, subqueries))
            }
            Relation::Aggregate { keys, aggregates, .. } => self.groups(keys, aggregates, subqueries),
            Relation::Distinct { .. } => "Distinct".to_owned(),
            Relation::Sort { keys, .. } => {
                let keys: Vec<String> = keys.iter().map(|key| self.sort_key(key, subqueries)).collect();
                format!("Sort {}", keys.join(", "))
            }
            Relation::Limit { limit, offset, .. } => {
                let mut text = "Limit".to_owned();
                if let Some(limit) = limit {
                    let _ = write!(text, " {}", self.expression(limit, subqueries));
                }
                if let Some(offset) = offset {
                    let _ = write!(text, " offset {}", self.expression(offset, subqueries));
                }
                text
            }
            Relation::SetOperation { kind, all, columns, left, right } => {
                let columns = columns.iter().zip(left.1.iter().zip(&right.1)).map(|(id, (left, right))| {
                    format!("{} = {} | {}", self.names.get(*id), self.names.get(*left), self.names.get(*right))
                });
                let columns = columns.collect::<Vec<_>>().join(", ");
                format!("{}{} {columns}", set_name(*kind), if *all { " all" } else { "" })
            }
            Relation::Window { partition, order, functions, .. } => {
                self.window(partition, order, functions, subqueries)
            }
            Relation::Recursive { cte, columns, all, enough, last, .. } => {
                let columns = self.names.list(columns.iter().copied());
                if let Some(rounds) = last {
                    let until = if enough.is_some() { " until a row says so" } else { "" };
                    let rounds = match rounds {
                        RowBound::All => String::new(),
                        RowBound::Rows(rounds) => format!(", at most {rounds} rounds"),
                        RowBound::Parameter(number) => format!(", at most ${} rounds", number + 1),
                    };
                    return format!("Iterate #{}{until}{rounds}: {columns}", cte.0);
                }
                let enough = if enough.is_some() { " until there are enough" } else { "" };
                format!("Recursive #{}{}{enough}: {columns}", cte.0, if *all { " all" } else { "" })
            }
            Relation::With { cte, .. } => format!("With #{}", cte.0),
            Relation::CteScan { cte, columns } => {
                format!("CteScan #{}: {}", cte.0, self.names.list(columns.iter().map(|(_, id)| *id)))
            }
        }
    }

    fn groups<'a>(
        &mut self,
        keys: &'a [(ColumnId, Expression)],
        aggregates: &'a [(ColumnId, AggregateCall)],
        subqueries: &mut Numbered<'a>,
    ) -> String {
        let mut text = "Aggregate".to_owned();
        if !keys.is_empty() {
            let _ = write!(text, " by {}", self.named(keys, subqueries));
        }
        let calls: Vec<String> = aggregates
            .iter()
            .map(|(id, call)| format!("{} = {}", self.names.get(*id).to_owned(), self.aggregate(call, subqueries)))
            .collect();
        if !calls.is_empty() {
            let _ = write!(text, ": {}", calls.join(", "));
        }
        text
    }

    fn window<'a>(
        &mut self,
        partition: &'a [Expression],
        order: &'a [SortKey],
        functions: &'a [(ColumnId, WindowCall)],
        subqueries: &mut Numbered<'a>,
    ) -> String {
        let mut text = "Window".to_owned();
        if !partition.is_empty() {
            let keys: Vec<String> = partition.iter().map(|key| self.expression(key, subqueries)).collect();
            let _ = write!(text, " by {}", keys.join(", "));
        }
        if !order.is_empty() {
            let keys: Vec<String> = order.iter().map(|key| self.sort_key(key, subqueries)).collect();
            let _ = write!(text, " order {}", keys.join(", "));
        }
        let calls = functions
            .iter()
            .map(|(id, call)| format!("{} = {}", self.names.get(*id).to_owned(), self.window_call(call, subqueries)));
        let calls: Vec<String> = calls.collect();
        let _ = write!(text, ": {}", calls.join(", "));
        text
    }

    /// `name = expression`, or just the name of what is handed through.
    fn named<'a>(&mut self, columns: &'a [(ColumnId, Expression)], subqueries: &mut Numbered<'a>) -> String {
        let named = columns.iter().map(|(id, expression)| {
            let text = self.expression(expression, subqueries);
            let name = self.names.get(*id);
            if super::visit::as_column(expression) == Some(*id) { text } else { format!("{name} = {text}") }
        });
        named.collect::<Vec<_>>().join(", ")
    }

    fn aggregate<'a>(&mut self, call: &'a AggregateCall, subqueries: &mut Numbered<'a>) -> String {
        let distinct = if call.distinct { "distinct " } else { "" };
        let argument = match &call.argument {
            Some(argument) => self.expression(argument, subqueries),
            None => "*".to_owned(),
        };
        let mut text = format!("{}({distinct}{argument})", aggregate_name(call.function));
        if let Some(filter) = &call.filter {
            let _ = write!(text, " filter ({})", self.expression(filter, subqueries));
        }
        text
    }

    fn window_call<'a>(&mut self, call: &'a WindowCall, subqueries: &mut Numbered<'a>) -> String {
        let mut text = match &call.callee {
            WindowCallee::Function(function, arguments, _) => {
                let arguments: Vec<String> = arguments.iter().map(|each| self.expression(each, subqueries)).collect();
                format!("{}({})", function.name(), arguments.join(", "))
            }
            WindowCallee::Aggregate(call) => self.aggregate(call, subqueries),
        };
        if call.frame != Frame::default() {
            let bounds: Vec<String> = call.bounds.iter().map(|bound| self.expression(bound, subqueries)).collect();
            let _ = write!(text, " {}", frame_text(call.frame, &bounds));
        }
        text
    }

    fn sort_key<'a>(&mut self, key: &'a SortKey, subqueries: &mut Numbered<'a>) -> String {
        let direction = if key.order.descending { " desc" } else { "" };
        // PostgreSQL's default goes without saying.
        let nulls = match (key.order.descending, key.order.nulls_first) {
            (true, true) | (false, false) => "",
            (_, true) => " nulls first",
            (_, false) => " nulls last",
        };
        format!("{}{direction}{nulls}", self.expression(&key.expression, subqueries))
    }
}

fn join_name(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "inner",
        JoinKind::Left => "left",
        JoinKind::Full => "full",
        JoinKind::Semi => "semi",
        JoinKind::Anti => "anti",
    }
}

fn frame_text(frame: Frame, arguments: &[String]) -> String {
    let unit = match frame.unit {
        FrameUnit::Rows => "rows",
        FrameUnit::Groups => "groups",
        FrameUnit::Range => "range",
    };
    let argument = |number: u8| arguments.get(usize::from(number)).map_or("?", String::as_str);
    let bound = |bound: FrameBound| match bound {
        FrameBound::First => "unbounded preceding".to_owned(),
        FrameBound::Before(rows) => format!("{rows} preceding"),
        FrameBound::BeforeArgument(number) => format!("{} preceding", argument(number)),
        FrameBound::Key(number) => format!("key {}", argument(number)),
        FrameBound::Current => "current row".to_owned(),
        FrameBound::Behind(rows) => format!("{rows} following"),
        FrameBound::BehindArgument(number) => format!("{} following", argument(number)),
        FrameBound::Last => "unbounded following".to_owned(),
    };
    let mut text = format!("{unit} between {} and {}", bound(frame.start), bound(frame.end));
    if frame.exclude != Exclude::NoOthers {
        let _ = write!(text, " exclude {}", frame.exclude.words());
    }
    if frame.ignore_nulls {
        text += " ignore nulls";
    }
    text
}

fn set_name(kind: SetKind) -> &'static str {
    match kind {
        SetKind::Union => "Union",
        SetKind::Intersect => "Intersect",
        SetKind::Except => "Except",
    }
}

fn aggregate_name(function: AggregateFunction) -> Cow<'static, str> {
    let name = match function {
        AggregateFunction::Statistic(kind) => return kind.name().into(),
        AggregateFunction::CountRows | AggregateFunction::Count => "count",
        AggregateFunction::Sum => "sum",
        AggregateFunction::Average => "avg",
        AggregateFunction::Min => "min",
        AggregateFunction::Max => "max",
        AggregateFunction::BoolAnd => "bool_and",
        AggregateFunction::BoolOr => "bool_or",
        AggregateFunction::StddevSample => "stddev_samp",
        AggregateFunction::StddevPopulation => "stddev_pop",
        AggregateFunction::VarianceSample => "var_samp",
        AggregateFunction::VariancePopulation => "var_pop",
        AggregateFunction::Gather(Gather::One { of: Quantile::Mode, .. }) => "mode",
        AggregateFunction::Gather(Gather::One { of: Quantile::Discrete(_), .. }) => "percentile_disc",
        AggregateFunction::Gather(Gather::One { of: Quantile::Continuous(_), .. }) => "percentile_cont",
        AggregateFunction::Gather(_) => "gather",
    };
    name.into()
}
