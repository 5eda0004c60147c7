//! One SELECT level: its list, GROUP BY, HAVING, DISTINCT, and the ORDER BY that belongs to it.
//!
//! Clauses are built over the scope of FROM, in the order that SQL gives them meaning: select list, keys, HAVING, ORDER BY.
//! Then the operators are stacked: Aggregate, Filter (HAVING), Window, Project, Distinct, Sort. What ORDER BY needs and the select
//! list does not have is computed in the same Project and stays as a hidden column.

use super::expand::mentions;
use super::expression::SetCall;
use super::grouping::{Grouping, Key, WrittenKey};
use super::grouping_sets::{GroupingSets, Sets, common, key_numbers};
use super::order::{Reference, find_item};
use super::select_item::SelectItem;
use super::values::may_be_null;
use super::{Builder, Clause, Coercion, Rows, Scope, ScopeColumn, checked_key, walk};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::column_set::ColumnSet;
use crate::relation::effects::effects;
use crate::relation::{AggregateCall, ColumnId, Expression, ExpressionKind, Relation, SortKey};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use std::sync::Arc;

/// What an item of ORDER BY or GROUP BY stands for.
#[derive(Clone, Debug)]
pub enum Target {
    /// An item of the select list.
    Item(usize),
    /// Something else.
    Expression(Expression),
}

impl Target {
    /// Where it stands, if it is no item.
    fn position(&self) -> Option<Position> {
        if let Target::Expression(expression) = self { expression.position } else { None }
    }

    /// Whether both are one item, or written alike.
    fn is_same(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Item(item), Target::Item(other)) => item == other,
            (Target::Expression(value), Target::Expression(other)) => value.is_written_as(other),
            _ => false,
        }
    }
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
    keys: Vec<WrittenKey>,
    /// By which lists of the keys there are groups, if not by all of them.
    grouping_sets: Option<GroupingSets>,
    having: Option<Expression>,
    qualify: Option<Expression>,
    order: Vec<(Target, SortOrder)>,
    /// Functions that give rows; they are above the groups but for those in keys.
    sets: Vec<SetCall>,
}

impl<'s, 'p> Select<'s, 'p> {
    /// A SELECT of these items over the scope of its FROM.
    pub fn new(scope: &'s Scope<'p>, items: Vec<SelectItem>, distinct: bool) -> Self {
        let (distinct_on, keys, order, sets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (is_grouped, grouping_sets, having, qualify) = (false, None, None, None);
        Select { scope, items, distinct, distinct_on, is_grouped, keys, grouping_sets, having, qualify, order, sets }
    }

    /// There is a GROUP BY, perhaps of no keys.
    pub fn group(&mut self) {
        self.is_grouped = true;
    }

    /// The item of the select list that a bare number or name in GROUP BY means, if it is not to be built as any expression: a
    /// column of FROM goes before an item.
    pub fn named_key(&self, reference: &Reference, position: Option<Position>) -> Result<Option<usize>> {
        if let Reference::Name(name) = reference
            && self.scope.resolve_here(None, name, position)?.is_some()
        {
            return Ok(None);
        }
        let Some(index) = find_item(reference, &self.items, Clause::GroupBy, position)? else { return Ok(None) };
        let mut mentioned = Vec::new();
        walk::expression_columns(&self.items[index].expression, &mut mentioned);
        if self.scope.windows().iter().any(|window| mentioned.contains(&window.id)) {
            let message = "window functions are not allowed in GROUP BY";
            return Err(Error::new(ErrorKind::Windowing, message).at(position));
        }
        if self.scope.aggregates().iter().any(|(id, _)| mentioned.contains(id)) {
            let message = "aggregate functions are not allowed in GROUP BY";
            return Err(Error::new(ErrorKind::Grouping, message).at(position));
        }
        Ok(Some(index))
    }

    /// Adds an item of the select list as a key; gives the key's number.
    pub fn add_item_key(&mut self, item: usize) -> usize {
        let known = self.keys.iter().position(|key| key.item == Some(item));
        known.unwrap_or_else(|| {
            self.keys.push(WrittenKey { value: self.items[item].expression.clone(), item: Some(item) });
            self.keys.len() - 1
        })
    }

    /// Adds a key, of a known type; gives its number. One that is written as an item of the select list is this item.
    pub fn add_key(&mut self, key: Expression) -> usize {
        if let Some(item) = self.items.iter().position(|item| item.expression.is_written_as(&key)) {
            return self.add_item_key(item);
        }
        let known = self.keys.iter().position(|known| known.item.is_none() && known.value.is_written_as(&key));
        known.unwrap_or_else(|| {
            self.keys.push(WrittenKey { value: key, item: None });
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

    /// Keeps the rows for which a condition is true that may ask for windows.
    pub fn qualify(&mut self, condition: Expression) {
        self.qualify = Some(condition);
    }

    /// Groups by the items in which neither an aggregate nor a window function of this level stands.
    pub fn group_by_all(&mut self) {
        let is_of_groups = |item: &SelectItem| {
            let mut mentioned = Vec::new();
            walk::expression_columns(&item.expression, &mut mentioned);
            let computed = |id: &ColumnId| {
                self.scope.aggregates().iter().any(|(known, _)| known == id)
                    || self.scope.windows().iter().any(|window| window.id == *id)
                    || self.scope.groupings().iter().any(|call| call.id == *id)
            };
            mentioned.iter().any(computed)
        };
        let is_constant = |item: &SelectItem| matches!(item.expression.kind, ExpressionKind::Constant(_));
        let chosen = |item: &&SelectItem| !is_of_groups(item) && !is_constant(item);
        let keys: Vec<Expression> = self.items.iter().filter(chosen).map(|item| item.expression.clone()).collect();
        let any_of_groups = self.items.iter().any(is_of_groups);
        for key in keys {
            self.add_key(key);
        }
        if !self.keys.is_empty() || any_of_groups {
            self.group();
        }
    }

    /// Groups by the first items.
    pub fn group_by_first(&mut self, count: usize) {
        self.group();
        let keys: Vec<Expression> = self.items[..count].iter().map(|item| item.expression.clone()).collect();
        for key in keys {
            self.add_key(key);
        }
    }

    /// Orders by all items, from the first to the last.
    pub fn order_by_all(&mut self, order: SortOrder) {
        self.order.extend((0..self.items.len()).map(|item| (Target::Item(item), order)));
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
        match self.items.iter().position(|item| item.expression.is_written_as(&expression)) {
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
        // Rows that are alike in a target stay so.
        if !self.order.iter().any(|(known, _)| known.is_same(&target)) {
            self.order.push((target, order));
        }
        Ok(())
    }

    /// Keeps the first row, in the order that has been said, of those that are equal in some targets.
    ///
    /// # Errors
    /// 42P10 if the order does not begin with these.
    pub fn distinct_on(&mut self, mut targets: Vec<Target>) -> Result<()> {
        let is_one = |(target, _): &(Target, SortOrder)| targets.iter().any(|other| other.is_same(target));
        let first = self.order.iter().take_while(|key| is_one(key)).count();
        let is_ordered = |target: &Target| self.order[..first].iter().any(|(key, _)| key.is_same(target));
        if self.order.len() > first && (self.order[first..].iter().any(is_one) || !targets.iter().all(is_ordered)) {
            let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
            return Err(Error::new(ErrorKind::InvalidColumnReference, message));
        }
        self.distinct_on.append(&mut targets);
        Ok(())
    }

    /// The expressions that stand above the groups.
    fn above_groups(&self) -> impl Iterator<Item = &Expression> {
        let targets = self.order.iter().map(|(target, _)| target).chain(&self.distinct_on);
        let order = targets.filter_map(|target| match target {
            Target::Item(_) => None,
            Target::Expression(expression) => Some(expression),
        });
        let sets = self.sets.iter().flat_map(|call| &call.computed).map(|(_, value)| value);
        let conditions = self.having.iter().chain(&self.qualify);
        self.items.iter().map(|item| &item.expression).chain(conditions).chain(order).chain(sets)
    }

    /// Makes the clauses above the groups speak of these.
    fn replace_keys(&mut self, grouping: &Grouping<'_>) -> Result<()> {
        for (number, item) in self.items.iter_mut().enumerate() {
            grouping.replace_item(number, &mut item.expression)?;
        }
        self.having.iter_mut().chain(&mut self.qualify).try_for_each(|condition| grouping.replace(condition))?;
        for target in self.order.iter_mut().map(|(target, _)| target).chain(&mut self.distinct_on) {
            if let Target::Expression(expression) = target {
                grouping.replace_target(expression)?;
            }
        }
        let sets = self.sets.iter_mut().flat_map(|call| &mut call.computed);
        sets.into_iter().try_for_each(|(_, value)| grouping.replace(value))
    }
}

impl Builder<'_> {
    /// An item of a select list. A value of unknown type takes `unknown`, unless that is none, too.
    pub fn item(&mut self, name: String, value: Expression, unknown: Option<DataType>) -> Result<SelectItem> {
        let written = value.written;
        let expression = match (value.data_type, unknown) {
            (DataType::Null, Some(data_type)) => self.coerce(value, data_type, Coercion::Assignment)?,
            (known, Some(data_type)) if known.has_unknown() => {
                let to = if data_type.is_of_structs() { data_type } else { known };
                self.coerce(value, to.settled(), Coercion::Assignment)?
            }
            _ => value,
        };
        Ok(SelectItem { name, expression: Self::with_form(expression, written) })
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
        let clause = match clause {
            Clause::JoinCondition => "JOIN/ON".to_owned(),
            Clause::MergeWhen => "WHEN".to_owned(),
            clause => clause.to_string(),
        };
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
        if let Some(condition) = select.qualify.take() {
            input = self.filter(input, condition);
        }
        let (input, positions) = self.expand_levels(input, std::mem::take(&mut select.sets));
        self.project(input, select, &positions)
    }

    /// Puts the Aggregate over the rows, HAVING over that, and makes the other clauses speak of its columns.
    fn group(&mut self, input: Arc<Relation>, select: &mut Select<'_, '_>) -> Result<Arc<Relation>> {
        let scope = select.scope;
        let sets = select.grouping_sets.take();
        let written = select.keys.len();
        let common = sets.as_ref().map(|sets| common(sets, written));
        let is_common = |at: usize| common.as_ref().is_none_or(|common| common.get(at) != Some(&false));
        let determined = self.determined(&select.keys, &is_common);
        let keys = self.keys(select, &determined, sets.is_none(), &is_common);
        let calls = scope.groupings();
        let calls: Vec<_> = calls.iter().map(|call| Ok((call.id, key_numbers(call, &keys)?))).collect::<Result<_>>()?;
        let grouping = Grouping { keys: &keys, scope, forms: &self.forms, determined: &determined };
        select.replace_keys(&grouping)?;
        let mut windows = scope.windows_mut();
        let of_windows = windows.iter_mut().flat_map(|window| window.expressions_mut());
        of_windows.into_iter().try_for_each(|expression| grouping.replace(expression))?;
        drop(windows);
        let mut aggregates = scope.aggregates().clone();
        let input = self.drawn_arguments(input, &mut aggregates);
        let count = keys.len();
        let mut values: Vec<(ColumnId, Expression)> = Vec::with_capacity(count);
        for key in keys {
            if !values.iter().any(|(id, _)| *id == key.id) {
                values.push((key.id, checked_key(key.written.value, false)?));
            }
        }
        let mut relation = if let Some(mut sets) = sets {
            // What a primary key determines is a key of every list.
            sets.iter_mut().for_each(|set| set.extend(written..count));
            self.aggregate_sets(input, values, aggregates, &Sets { sets, calls: &calls })?
        } else if !calls.is_empty() {
            let sets = vec![(0..values.len()).collect()];
            // All keys are there.
            let calls: Vec<_> = calls.into_iter().map(|(id, _)| (id, Vec::new())).collect();
            self.aggregate_sets(input, values, aggregates, &Sets { sets, calls: &calls })?
        } else {
            Arc::new(Relation::Aggregate { input, keys: values, aggregates })
        };
        if let Some(predicate) = select.having.take() {
            relation = self.filter(relation, predicate);
        }
        Ok(relation)
    }

    /// Arguments of aggregates that draw from sequences or change something, computed once for each row below the Aggregate.
    fn drawn_arguments(&mut self, input: Arc<Relation>, aggregates: &mut [(ColumnId, AggregateCall)]) -> Arc<Relation> {
        let mut drawn = Vec::new();
        for (_, call) in aggregates.iter_mut() {
            let Some(argument) = call.argument.as_mut().filter(|argument| argument.draws()) else { continue };
            let (id, value) = self.taken_out(argument);
            let of = value.data_type;
            // For rows alone that FILTER leaves.
            let value = match &call.filter {
                Some(filter) => {
                    let null = Expression::constant(Value::Null, of);
                    Expression::call(Function::Case, vec![filter.clone(), value, null], of)
                }
                None => value,
            };
            drawn.push((id, value));
        }
        if drawn.is_empty() {
            return input;
        }
        let mut columns: Vec<_> = input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        columns.extend(drawn);
        Arc::new(Relation::Project { input, columns })
    }

    /// The keys with their columns, and as further keys the columns that the clauses above mention and that are determined.
    /// Where there is one list of keys (`is_plain`), those that compute the same share a column.
    fn keys(
        &mut self,
        select: &mut Select<'_, '_>,
        determined: &[ColumnId],
        is_plain: bool,
        is_common: &dyn Fn(usize) -> bool,
    ) -> Vec<Key> {
        let mut written = std::mem::take(&mut select.keys);
        self.add_determined(select, determined, &mut written);
        let mut keys: Vec<Key> = Vec::with_capacity(written.len());
        for (at, written) in written.into_iter().enumerate() {
            let value = &written.value;
            let is_common = is_common(at);
            let equal = keys.iter().find(|known| is_plain && known.written.value == *value && !effects(value).volatile);
            let id = match (equal, &value.kind) {
                (Some(known), _) => known.id,
                // An enclosing query's column is made there, so here it needs an id of its own.
                (None, ExpressionKind::Column(id))
                    if is_common
                        && value.data_type != DataType::BPCHAR
                        && keys.iter().all(|known| known.id != *id)
                        && select.scope.columns.iter().any(|column| column.id == *id) =>
                {
                    *id
                }
                _ => {
                    let name = written.item.map_or("key", |item| select.items[item].name.as_str());
                    self.columns.add(name, value.data_type, may_be_null(value) || !is_common)
                }
            };
            keys.push(Key { id, written, is_common });
        }
        keys
    }

    /// The columns that a table's primary key determines that is among the keys. Of several lists of keys, only what all of
    /// them have determines anything.
    fn determined(&self, keys: &[WrittenKey], is_common: &dyn Fn(usize) -> bool) -> Vec<ColumnId> {
        let common = keys.iter().enumerate().filter(|(at, _)| is_common(*at));
        let ids: Vec<ColumnId> = common.filter_map(|(_, key)| plain_column(&key.value)).collect();
        let is_whole = |(key, _): &&(Vec<ColumnId>, Vec<ColumnId>)| key.iter().all(|id| ids.contains(id));
        self.keyed.iter().filter(is_whole).flat_map(|(_, all)| all.clone()).collect()
    }

    fn add_determined(&self, select: &Select<'_, '_>, determined: &[ColumnId], keys: &mut Vec<WrittenKey>) {
        if determined.is_empty() {
            return;
        }
        let mut mentioned = Vec::new();
        for expression in select.above_groups() {
            walk::expression_columns(expression, &mut mentioned);
        }
        for expression in select.scope.windows().iter().flat_map(|window| window.expressions()) {
            walk::expression_columns(expression, &mut mentioned);
        }
        for id in mentioned {
            let is_new = keys.iter().all(|key| plain_column(&key.value) != Some(id));
            if is_new && determined.contains(&id) && select.scope.columns.iter().any(|column| column.id == id) {
                keys.push(WrittenKey { value: self.columns.reference(id), item: None });
            }
        }
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
            let position = target.position();
            let id = match target {
                Target::Item(index) => output[index].1,
                Target::Expression(expression) => self.project_column(&available, &mut columns, "order", expression),
            };
            let position = position.or_else(|| position_of(&columns, id));
            let key = self.order_key(self.columns.reference(id).at(position))?;
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
            let position = target.position();
            let id = match target {
                Target::Item(index) => output[index].1,
                Target::Expression(expression) => self.project_column(&available, &mut columns, "distinct", expression),
            };
            let position = position.or_else(|| position_of(&columns, id));
            partition.push(checked_key(self.columns.reference(id).at(position), false)?);
        }
        let is_plain = !distinct && partition.is_empty() && !keys.is_empty();
        let drawn = if is_plain { drawn_items(&mut columns, &keys) } else { Vec::new() };
        if !drawn.is_empty() {
            return Ok((self.drawn_in_order((input, columns), keys, drawn, &output), output));
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

    /// Project and Sort, and above them items that draw from sequences, or change something: they do so in the order of the rows, and for those alone that
    /// a LIMIT takes.
    fn drawn_in_order(
        &self,
        (input, mut columns): (Arc<Relation>, Vec<(ColumnId, Expression)>),
        keys: Vec<SortKey>,
        drawn: Vec<(ColumnId, Expression)>,
        output: &[(String, ColumnId)],
    ) -> Arc<Relation> {
        let available = input.columns();
        let mut mentioned = Vec::new();
        drawn.iter().for_each(|(_, expression)| walk::expression_columns(expression, &mut mentioned));
        for id in mentioned {
            if available.contains(&id) && columns.iter().all(|(known, _)| *known != id) {
                columns.push((id, self.columns.reference(id)));
            }
        }
        let sorted = Relation::Sort { input: Arc::new(Relation::Project { input, columns }), keys };
        let mut shown: Vec<(ColumnId, Expression)> = Vec::with_capacity(output.len());
        for (_, id) in output {
            if shown.iter().all(|(known, _)| known != id) {
                let own = drawn.iter().find(|(of, _)| of == id).map(|(_, expression)| expression.clone());
                shown.push((*id, own.unwrap_or_else(|| self.columns.reference(*id))));
            }
        }
        Arc::new(Relation::Project { input: Arc::new(sorted), columns: shown })
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

/// Takes the columns that draw from sequences, or change something, and that no key of the order reads.
fn drawn_items(columns: &mut Vec<(ColumnId, Expression)>, keys: &[SortKey]) -> Vec<(ColumnId, Expression)> {
    let mut read = Vec::new();
    keys.iter().for_each(|key| walk::expression_columns(&key.expression, &mut read));
    let all = std::mem::take(columns);
    let (drawn, others) = all.into_iter().partition(|(id, expression)| expression.draws() && !read.contains(id));
    *columns = others;
    drawn
}

/// Where the expression of a column stands.
fn position_of(columns: &[(ColumnId, Expression)], id: ColumnId) -> Option<Position> {
    columns.iter().find(|(known, _)| *known == id).and_then(|(_, expression)| expression.position)
}

/// The column that an expression is, and is written as.
fn plain_column(expression: &Expression) -> Option<ColumnId> {
    match expression.kind {
        ExpressionKind::Column(id) if expression.written.is_none() => Some(id),
        _ => None,
    }
}

/// The functions that give rows for group keys, with those that they are called with; and the others.
fn sets_in_keys(sets: Vec<SetCall>, keys: &[WrittenKey]) -> (Vec<SetCall>, Vec<SetCall>) {
    let mut wanted = ColumnSet::default();
    // What another one is called with stands before it.
    for (at, call) in sets.iter().enumerate().rev() {
        let behind = sets[at + 1..].iter().filter(|other| wanted.contains(other.column()));
        let values = keys.iter().map(|key| &key.value);
        let mut readers = values.chain(behind.flat_map(|other| other.computed.iter().map(|(_, value)| value)));
        let own: ColumnSet = [call.column()].into_iter().collect();
        if readers.any(|reader| mentions(reader, &own)) {
            wanted.insert(call.column());
        }
    }
    sets.into_iter().partition(|call| wanted.contains(call.column()))
}
