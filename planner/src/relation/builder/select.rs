//! One SELECT level: its list, GROUP BY, HAVING, DISTINCT, and the ORDER BY that belongs to it.
//!
//! Clauses are built over the scope of FROM, in the order that SQL gives them meaning: select list, keys, HAVING, ORDER BY.
//! Then the operators are stacked: Aggregate, Filter (HAVING), Window, Project, Distinct, Sort. What ORDER BY needs and the select
//! list does not have is computed in the same Project and stays as a hidden column.

use super::expand::mentions;
use super::expression::SetCall;
use super::grouping::Grouping;
use super::grouping_sets::{GroupingSets, Sets, common};
use super::order::{Reference, find_item};
use super::values::may_be_null;
use super::{Builder, Clause, Coercion, Rows, Scope, ScopeColumn, checked_key, walk};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::column_set::ColumnSet;
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation, SortKey};
use crate::types::{DataType, SortOrder};
use std::sync::Arc;

/// A column of the result.
#[derive(Clone, Debug)]
pub struct SelectItem {
    /// The name it is shown by.
    pub(super) name: String,
    /// Its value.
    pub(super) expression: Expression,
}

impl SelectItem {
    /// Its value.
    pub fn into_value(self) -> Expression {
        self.expression
    }
}

/// What an item of ORDER BY or GROUP BY stands for.
#[derive(Clone, Debug)]
pub enum Target {
    /// An item of the select list.
    Item(usize),
    /// Something else.
    Expression(Expression),
}

/// The clauses of a SELECT above its FROM and WHERE.
#[derive(Debug)]
pub struct Select<'s, 'p> {
    scope: &'s Scope<'p>,
    items: Vec<SelectItem>,
    distinct: bool,
    /// Of rows that are equal in these only the first counts; all do if there are none.
    distinct_on: Vec<Target>,
    is_grouped: bool,
    keys: Vec<Expression>,
    /// By which lists of the keys there are groups, if not by all of them.
    grouping_sets: Option<GroupingSets>,
    having: Option<Expression>,
    order: Vec<(Target, SortOrder)>,
    /// Functions that give rows; they are above the groups but for those in keys.
    sets: Vec<SetCall>,
}

impl<'s, 'p> Select<'s, 'p> {
    /// A SELECT of these items over the scope of its FROM.
    pub fn new(scope: &'s Scope<'p>, items: Vec<SelectItem>, distinct: bool) -> Self {
        let (distinct_on, keys, order, sets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (is_grouped, grouping_sets, having) = (false, None, None);
        Select { scope, items, distinct, distinct_on, is_grouped, keys, grouping_sets, having, order, sets }
    }

    /// There is a GROUP BY, perhaps of no keys.
    pub fn group(&mut self) {
        self.is_grouped = true;
    }

    /// The key that a bare number or name in GROUP BY means, if it is not to be built as any expression: a column of FROM goes
    /// before an item of the select list.
    pub fn named_key(&self, reference: &Reference, position: Option<Position>) -> Result<Option<Expression>> {
        if let Reference::Name(name) = reference
            && self.scope.resolve_here(None, name, position)?.is_some()
        {
            return Ok(None);
        }
        let Some(index) = find_item(reference, &self.items, Clause::GroupBy, position)? else { return Ok(None) };
        let key = self.items[index].expression.clone();
        let mut mentioned = Vec::new();
        walk::expression_columns(&key, &mut mentioned);
        if self.scope.windows().iter().any(|window| mentioned.contains(&window.id)) {
            let message = "window functions are not allowed in GROUP BY";
            return Err(Error::new(ErrorKind::Windowing, message).at(position));
        }
        if self.scope.aggregates().iter().any(|(id, _)| mentioned.contains(id)) {
            let message = "aggregate functions are not allowed in GROUP BY";
            return Err(Error::new(ErrorKind::Grouping, message).at(position));
        }
        Ok(Some(key))
    }

    /// Adds a key, of a known type; gives its number.
    pub fn add_key(&mut self, key: Expression) -> usize {
        self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    /// Groups by several lists of the keys.
    pub fn grouping_sets(&mut self, sets: GroupingSets) {
        self.grouping_sets = Some(sets);
    }

    /// Keeps the groups for which a condition is true.
    pub fn having(&mut self, condition: Expression) {
        self.having = Some(condition);
    }

    /// The item that a bare number or name in ORDER BY or DISTINCT ON means, if it is not to be built as any expression.
    pub fn named_target(
        &self,
        reference: &Reference,
        clause: Clause,
        position: Option<Position>,
    ) -> Result<Option<Target>> {
        Ok(find_item(reference, &self.items, clause, position)?.map(Target::Item))
    }

    /// What an expression of a known type in ORDER BY stands for: an item, if one is equal.
    pub fn target(&self, expression: Expression) -> Target {
        match self.items.iter().position(|item| item.expression == expression) {
            Some(index) => Target::Item(index),
            None => Target::Expression(expression),
        }
    }

    /// Orders by one more target; 42P10 if DISTINCT leaves nothing of it.
    pub fn order_by(&mut self, target: Target, order: SortOrder, position: Option<Position>) -> Result<()> {
        if self.distinct && matches!(target, Target::Expression(_)) {
            let message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
            return Err(Error::new(ErrorKind::InvalidColumnReference, message).at(position));
        }
        self.order.push((target, order));
        Ok(())
    }

    /// Keeps the first row, in the order that has been said, of those that are equal in some targets.
    ///
    /// # Errors
    /// 42P10 if the order does not begin with these.
    pub fn distinct_on(&mut self, mut targets: Vec<Target>) -> Result<()> {
        let is_one = |(target, _): &(Target, SortOrder)| {
            targets.iter().any(|other| self.expression_of(other) == self.expression_of(target))
        };
        let first = self.order.iter().take_while(|key| is_one(key)).count();
        let is_ordered = |target: &Target| {
            let key = |(key, _): &(Target, SortOrder)| self.expression_of(key) == self.expression_of(target);
            self.order[..first].iter().any(key)
        };
        if self.order.len() > first && (self.order[first..].iter().any(is_one) || !targets.iter().all(is_ordered)) {
            let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
            return Err(Error::new(ErrorKind::InvalidColumnReference, message));
        }
        self.distinct_on.append(&mut targets);
        Ok(())
    }

    fn expression_of<'t>(&'t self, target: &'t Target) -> &'t Expression {
        match target {
            Target::Item(index) => &self.items[*index].expression,
            Target::Expression(expression) => expression,
        }
    }

    /// The expressions that stand above the groups.
    fn above_groups(&self) -> impl Iterator<Item = &Expression> {
        let targets = self.order.iter().map(|(target, _)| target).chain(&self.distinct_on);
        let order = targets.filter_map(|target| match target {
            Target::Item(_) => None,
            Target::Expression(expression) => Some(expression),
        });
        let sets = self.sets.iter().flat_map(|call| &call.computed).map(|(_, value)| value);
        self.items.iter().map(|item| &item.expression).chain(&self.having).chain(order).chain(sets)
    }

    fn above_groups_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        let targets = self.order.iter_mut().map(|(target, _)| target).chain(&mut self.distinct_on);
        let order = targets.filter_map(|target| match target {
            Target::Item(_) => None,
            Target::Expression(expression) => Some(expression),
        });
        let sets = self.sets.iter_mut().flat_map(|call| &mut call.computed).map(|(_, value)| value);
        self.items.iter_mut().map(|item| &mut item.expression).chain(&mut self.having).chain(order).chain(sets)
    }
}

impl Builder<'_> {
    /// An item of a select list. A value of unknown type takes `unknown`, unless that is none, too.
    pub fn item(&mut self, name: String, value: Expression, unknown: Option<DataType>) -> Result<SelectItem> {
        let expression = match (value.data_type, unknown) {
            (DataType::Null, Some(data_type)) => self.coerce(value, data_type, Coercion::Assignment)?,
            _ => value,
        };
        Ok(SelectItem { name, expression })
    }

    /// An item that is a column.
    pub(super) fn column_item(&self, name: &str, id: ColumnId) -> SelectItem {
        SelectItem { name: name.to_owned(), expression: self.columns.reference(id) }
    }

    /// What `*` stands for; 42601 where there is no table.
    pub fn all_items(&self, scope: &Scope<'_>, position: Option<Position>) -> Result<Vec<SelectItem>> {
        if scope.tables.is_empty() && scope.columns.is_empty() {
            let error = Error::new(ErrorKind::Syntax, "SELECT * with no tables specified is not valid");
            return Err(error.at(position));
        }
        self.column_items(scope.columns.iter().filter(|column| !column.merged && !column.hidden), position)
    }

    /// What `table.*` stands for: the columns of a table alias, from the innermost level that has it.
    pub fn table_items(
        &self,
        scope: &Scope<'_>,
        table: &TableName,
        position: Option<Position>,
    ) -> Result<Vec<SelectItem>> {
        let (level, _) = scope.table(table, position)?;
        self.column_items(level.columns.iter().filter(|column| !column.hidden && column.is_of(table)), position)
    }

    fn column_items<'s>(
        &self,
        columns: impl Iterator<Item = &'s ScopeColumn>,
        position: Option<Position>,
    ) -> Result<Vec<SelectItem>> {
        columns
            .map(|column| {
                self.check_readable(column.id, position)?;
                let mut item = self.column_item(&column.name, column.id);
                item.expression.position = position;
                Ok(item)
            })
            .collect()
    }

    /// A condition of WHERE, HAVING or ON: a boolean.
    pub fn condition(&mut self, condition: Expression, clause: Clause) -> Result<Expression> {
        let clause = if clause == Clause::JoinCondition { "JOIN/ON".to_owned() } else { clause.to_string() };
        self.coerce_condition(condition, &clause)
    }

    /// The rows for which a condition is true.
    pub fn filter(&self, input: Arc<Relation>, predicate: Expression) -> Arc<Relation> {
        Arc::new(Relation::Filter { input, predicate })
    }

    /// The rows of a SELECT over those of its FROM and WHERE.
    pub fn select(&mut self, mut input: Arc<Relation>, mut select: Select<'_, '_>) -> Result<Rows> {
        let (in_keys, above) = sets_in_keys(select.scope.take_sets(), &select.keys);
        if !in_keys.is_empty() {
            input = self.expand_levels(input, in_keys).0;
        }
        select.sets = above;
        let asks_groups = !select.scope.aggregates().is_empty() || !select.scope.groupings().is_empty();
        if select.is_grouped || select.having.is_some() || asks_groups {
            input = self.group(input, &mut select)?;
        }
        input = self.windows(input, select.scope)?;
        let (input, positions) = self.expand_levels(input, std::mem::take(&mut select.sets));
        self.project(input, select, &positions)
    }

    /// Puts the Aggregate over the rows, HAVING over that, and makes the other clauses speak of its columns.
    fn group(&mut self, input: Arc<Relation>, select: &mut Select<'_, '_>) -> Result<Arc<Relation>> {
        let scope = select.scope;
        let sets = select.grouping_sets.take();
        let common = sets.as_ref().map(|sets| common(sets, select.keys.len()));
        let is_common = |at: usize| common.as_ref().is_none_or(|common| common.get(at) != Some(&false));
        let keys: Vec<(ColumnId, Expression)> = self
            .with_determined(select, &is_common)
            .into_iter()
            .enumerate()
            .map(|(at, key)| match key.kind {
                // An enclosing query's column is made there, so here it needs an id of its own.
                ExpressionKind::Column(id)
                    if is_common(at)
                        && key.data_type != DataType::BPCHAR
                        && scope.columns.iter().any(|column| column.id == id) =>
                {
                    (id, key)
                }
                _ => {
                    let name = select.items.iter().find(|item| item.expression == key);
                    let name = name.map_or("key", |item| item.name.as_str());
                    let nullable = may_be_null(&key) || !is_common(at);
                    (self.columns.add(name, key.data_type, nullable), key)
                }
            })
            .collect();
        let grouping = Grouping { keys: &keys, scope };
        select.above_groups_mut().try_for_each(|expression| grouping.replace(expression))?;
        let mut windows = scope.windows_mut();
        let of_windows = windows.iter_mut().flat_map(|window| window.expressions_mut());
        of_windows.into_iter().try_for_each(|expression| grouping.replace(expression))?;
        drop(windows);
        let aggregates = scope.aggregates().clone();
        let checked = |(id, value)| Ok((id, checked_key(value, false)?));
        let keys: Vec<_> = keys.into_iter().map(checked).collect::<Result<_>>()?;
        let calls = scope.groupings();
        let mut relation = if sets.is_some() || !calls.is_empty() {
            let mut sets = sets.unwrap_or_else(|| vec![(0..keys.len()).collect()]);
            // What a primary key determines is a key of every list.
            let determined = common.map_or(keys.len(), |common| common.len())..keys.len();
            sets.iter_mut().for_each(|set| set.extend(determined.clone()));
            self.aggregate_sets(input, keys, aggregates, &Sets { sets, calls: &calls })?
        } else {
            Arc::new(Relation::Aggregate { input, keys, aggregates })
        };
        if let Some(predicate) = select.having.take() {
            relation = self.filter(relation, predicate);
        }
        Ok(relation)
    }

    /// The keys, and the columns that the clauses above mention and a table's primary key among the keys determines.
    /// Of several lists of keys, only what all of them have determines anything.
    fn with_determined(&self, select: &mut Select<'_, '_>, is_common: &dyn Fn(usize) -> bool) -> Vec<Expression> {
        let mut keys = std::mem::take(&mut select.keys);
        let column = |key: &Expression| match key.kind {
            ExpressionKind::Column(id) => Some(id),
            _ => None,
        };
        let common = keys.iter().enumerate().filter(|(at, _)| is_common(*at));
        let ids: Vec<ColumnId> = common.filter_map(|(_, key)| column(key)).collect();
        let is_whole = |(key, _): &&(Vec<ColumnId>, Vec<ColumnId>)| key.iter().all(|id| ids.contains(id));
        let determined: Vec<ColumnId> = self.keyed.iter().filter(is_whole).flat_map(|(_, all)| all.clone()).collect();
        if determined.is_empty() {
            return keys;
        }
        let mut mentioned = Vec::new();
        for expression in select.above_groups() {
            walk::expression_columns(expression, &mut mentioned);
        }
        for expression in select.scope.windows().iter().flat_map(|window| window.expressions()) {
            walk::expression_columns(expression, &mut mentioned);
        }
        for id in mentioned {
            let is_new = keys.iter().all(|key| column(key) != Some(id));
            if is_new && determined.contains(&id) && select.scope.columns.iter().any(|column| column.id == id) {
                keys.push(self.columns.reference(id));
            }
        }
        keys
    }

    /// Project, Distinct and Sort. Rows that a function gave for one row stay in its order, as far as nobody asked for
    /// another.
    fn project(&mut self, input: Arc<Relation>, select: Select<'_, '_>, positions: &[ColumnId]) -> Result<Rows> {
        let Select { items, distinct, distinct_on, order, .. } = select;
        let available = input.columns();
        let mut columns: Vec<(ColumnId, Expression)> = Vec::new();
        let mut output = Vec::new();
        for SelectItem { name, expression } in items {
            let expression = if distinct { checked_key(expression, false)? } else { expression };
            let id = self.project_column(&available, &mut columns, &name, expression);
            output.push((name, id));
        }
        let mut keys = Vec::new();
        for (target, order) in order {
            let id = match target {
                Target::Item(index) => output[index].1,
                Target::Expression(expression) => self.project_column(&available, &mut columns, "order", expression),
            };
            let key = self.order_key(self.columns.reference(id))?;
            keys.push(SortKey { expression: key, order });
        }
        if !keys.is_empty() && !distinct {
            for &position in positions {
                let expression = self.columns.reference(position);
                self.project_column(&available, &mut columns, "position", expression.clone());
                keys.push(SortKey { expression, order: SortOrder { descending: false, nulls_first: false } });
            }
        }
        let mut partition = Vec::new();
        for target in distinct_on {
            let id = match target {
                Target::Item(index) => output[index].1,
                Target::Expression(expression) => self.project_column(&available, &mut columns, "distinct", expression),
            };
            partition.push(checked_key(self.columns.reference(id), false)?);
        }
        let mut relation = Arc::new(Relation::Project { input, columns });
        if !partition.is_empty() {
            relation = self.first_of_each(relation, partition, keys.clone());
        }
        if distinct {
            relation = Arc::new(Relation::Distinct { input: relation });
        }
        if !keys.is_empty() {
            relation = Arc::new(Relation::Sort { input: relation, keys });
        }
        Ok((relation, output))
    }

    /// The column of an expression in a Project: the input's are handed through, anything else gets a new one.
    fn project_column(
        &mut self,
        available: &[ColumnId],
        columns: &mut Vec<(ColumnId, Expression)>,
        name: &str,
        expression: Expression,
    ) -> ColumnId {
        let id = match expression.kind {
            ExpressionKind::Column(id) if available.contains(&id) => id,
            _ => self.columns.add(name, expression.data_type, may_be_null(&expression)),
        };
        if !columns.iter().any(|(other, _)| *other == id) {
            columns.push((id, expression));
        }
        id
    }
}

/// The functions that give rows for group keys, with those that they are called with; and the others.
fn sets_in_keys(sets: Vec<SetCall>, keys: &[Expression]) -> (Vec<SetCall>, Vec<SetCall>) {
    let mut wanted = ColumnSet::default();
    // What another one is called with stands before it.
    for (at, call) in sets.iter().enumerate().rev() {
        let behind = sets[at + 1..].iter().filter(|other| wanted.contains(other.column()));
        let mut readers = keys.iter().chain(behind.flat_map(|other| other.computed.iter().map(|(_, value)| value)));
        let own: ColumnSet = [call.column()].into_iter().collect();
        if readers.any(|reader| mentions(reader, &own)) {
            wanted.insert(call.column());
        }
    }
    sets.into_iter().partition(|call| wanted.contains(call.column()))
}
