//! Queries as text.

use super::Printer;
use crate::linq::block::{Block, Grouping, Iteration, JoinStep, SetOperation, Source};
use crate::linq::expression::Expression;
use crate::linq::tree::{Alias, Tree};
use multiloop_planner::relation::builder::Side;

fn shared_name(index: usize) -> String {
    format!("shared {}", index + 1)
}

/// Whether a join keeps rows of the left side only, which PostgreSQL says in WHERE.
fn is_test(side: Side) -> bool {
    matches!(side, Side::Semi | Side::Anti)
}

impl Printer<'_> {
    /// A whole query: what it shares, and a block.
    pub(super) fn query(&mut self, block: &Block) {
        let survey = self.survey;
        for (index, shared) in survey.shared.iter().enumerate() {
            self.push(if index == 0 { "WITH " } else { ", " });
            self.name(&shared_name(index));
            self.push(" AS (");
            self.block(shared);
            self.push(")");
        }
        self.push(if survey.shared.is_empty() { "" } else { " " });
        self.block(block);
    }

    /// A block in parentheses.
    pub(super) fn in_parentheses(&mut self, block: &Block) {
        self.push("(");
        self.block(block);
        self.push(")");
    }

    fn block(&mut self, block: &Block) {
        self.deeper(|printer| printer.select(block));
    }

    fn select(&mut self, block: &Block) {
        self.push("SELECT ");
        if !block.distinct_on.is_empty() {
            self.push("DISTINCT ON (");
            self.joined(&block.distinct_on, ", ", Self::tree);
            self.push(") ");
        } else if block.distinct {
            self.push("DISTINCT ");
        }
        match &block.columns {
            None => self.push("*"),
            Some(columns) => self.joined(columns, ", ", Self::column),
        }
        if !matches!(block.from, Source::Nothing) {
            self.push(" FROM ");
            self.source(&block.from);
        }
        for step in block.joins.iter().filter(|step| !is_test(step.side)) {
            self.join(step);
        }
        self.conditions(block);
        self.group_by(block);
        if let Some(having) = &block.having {
            self.push(" HAVING ");
            self.tree(having);
        }
        if !block.order.is_empty() {
            self.push(" ORDER BY ");
            self.keys(&block.order);
        }
        if let Some((rows, offset)) = block.limit {
            if rows < i64::MAX.unsigned_abs() {
                self.push(&format!(" LIMIT {rows}"));
            }
            if offset > 0 {
                self.push(&format!(" OFFSET {}", offset.min(i64::MAX.unsigned_abs())));
            }
        }
    }

    fn group_by(&mut self, block: &Block) {
        if !block.is_grouped() {
            return;
        }
        self.push(" GROUP BY ");
        let list = |printer: &mut Self, keys: &[Tree]| {
            printer.push("(");
            printer.joined(keys, ", ", Self::tree);
            printer.push(")");
        };
        match block.grouping {
            Grouping::Keys => self.joined(&block.keys, ", ", Self::tree),
            // SQL has no ROLLUP and no CUBE of no keys: they are one group of all rows.
            Grouping::Rollup | Grouping::Cube if block.keys.is_empty() => self.push("()"),
            Grouping::Rollup | Grouping::Cube => {
                self.push(if block.grouping == Grouping::Rollup { "ROLLUP " } else { "CUBE " });
                list(self, &block.keys);
            }
            Grouping::Sets(_) => {
                self.push("GROUPING SETS (");
                self.joined(block.key_lists(), ", ", list);
                self.push(")");
            }
        }
    }

    fn column(&mut self, Expression { tree, alias }: &Expression) {
        self.tree(tree);
        if let Some(alias) = alias {
            self.push(" AS ");
            self.name(alias);
        }
    }

    /// WHERE, with the semi and anti joins in front.
    fn conditions(&mut self, block: &Block) {
        let tests = block.joins.iter().filter(|step| is_test(step.side));
        let mut between = " WHERE ";
        let has_tests = block.joins.iter().any(|step| is_test(step.side));
        for JoinStep { source, side, on, .. } in tests {
            self.push(between);
            self.push(if *side == Side::Semi { "EXISTS (SELECT 1 FROM " } else { "NOT EXISTS (SELECT 1 FROM " });
            self.source(source);
            self.push(" WHERE ");
            self.tree(on);
            self.push(")");
            between = " AND ";
        }
        let Some(filter) = &block.filter else { return };
        self.push(between);
        let is_or = has_tests && matches!(filter, Tree::Or(..));
        self.push(if is_or { "(" } else { "" });
        self.tree(filter);
        self.push(if is_or { ")" } else { "" });
    }

    fn join(&mut self, JoinStep { source, side, on, lateral }: &JoinStep) {
        self.push(match side {
            Side::Left => " LEFT JOIN ",
            Side::Right => " RIGHT JOIN ",
            Side::Full => " FULL JOIN ",
            Side::Inner | Side::Semi | Side::Anti => " JOIN ",
        });
        if *lateral && !matches!(source, Source::Table { .. } | Source::Shared { .. }) {
            self.push("LATERAL ");
        }
        self.source(source);
        self.push(" ON ");
        self.tree(on);
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Nothing => return self.push("(SELECT) AS \"nothing\""),
            Source::Table { name, .. } => self.name(name),
            Source::Derived { block, .. } => self.in_parentheses(block),
            Source::Shared { block, .. } => {
                let place = self.survey.place(block);
                self.name(&shared_name(place));
            }
            Source::Set { operation, all, left, right, .. } => {
                self.push("(");
                self.in_parentheses(left);
                self.push(match operation {
                    SetOperation::Union => " UNION ",
                    SetOperation::Intersect => " INTERSECT ",
                    SetOperation::Except => " EXCEPT ",
                });
                self.push(if *all { "ALL " } else { "" });
                self.in_parentheses(right);
                self.push(")");
            }
            Source::Values { rows, columns, .. } => self.values(rows, columns.len()),
            Source::Iterate { iteration, .. } => self.iteration(iteration),
            Source::State { state, .. } => {
                // The text has names for the states of the innermost iteration alone: one around it is found nowhere.
                let named = self.states.iter().find(|(known, _)| known == state).map(|(_, name)| *name);
                self.name(named.unwrap_or("the state of an iteration around"));
            }
            Source::Function { call, .. } => self.call(call),
        }
        let (names, alias) = (columns_of(source), source.alias());
        let survey = self.survey;
        if let Some(alias) = alias.filter(|alias| !is_own_name(source, survey.name(alias))) {
            self.push(" AS ");
            self.name(survey.name(alias));
        }
        if !names.is_empty() {
            self.push(" (");
            self.joined(names, ", ", |printer, name| printer.name(name));
            self.push(")");
        }
    }

    /// `iterate((seed), (step), (until), times => n)`.
    fn iteration(&mut self, Iteration { seed, state, step, until, times }: &Iteration) {
        let around = std::mem::take(&mut self.states);
        self.push("iterate(");
        self.in_parentheses(seed);
        self.push(", ");
        self.states = vec![(*state, "iterate")];
        self.in_parentheses(step);
        if let Some(([before, behind], until)) = until {
            self.push(", ");
            self.states = vec![(*before, "previous"), (*behind, "iterate")];
            self.in_parentheses(until);
        }
        self.push(&format!(", times => {times})"));
        self.states = around;
    }

    /// VALUES; without rows a SELECT that gives none.
    fn values(&mut self, rows: &[Vec<Tree>], width: usize) {
        if rows.is_empty() {
            self.push("(SELECT ");
            self.joined(0..width, ", ", |printer, _| printer.push("CAST(NULL AS text)"));
            return self.push(" WHERE FALSE)");
        }
        self.push("(VALUES ");
        self.joined(rows, ", ", |printer, row| {
            printer.push("(");
            printer.joined(row, ", ", Self::tree);
            printer.push(")");
        });
        self.push(")");
    }
}

fn columns_of(source: &Source) -> &[String] {
    match source {
        Source::Values { columns, .. } | Source::Function { columns, .. } => columns,
        _ => &[],
    }
}

/// Whether a table is known by its name already.
fn is_own_name(source: &Source, alias: &str) -> bool {
    matches!(source, Source::Table { name, alias: Some(Alias::Numbered { .. }) } if *name == *alias)
}
