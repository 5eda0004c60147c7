//! MERGE: a query of its own for each WHEN that does something, over the rows that it is about.
//!
//! 1. The source is joined to the table on the condition, as an outer join where there are WHENs for rows without a partner. Behind it
//!    stands the number of the WHEN that is first to be true of a row; rows of which none does anything are left out. All this is
//!    computed once.
//! 2. Each WHEN computes over its rows alone what it sets or inserts, and RETURNING: an expression of one WHEN never sees rows of
//!    another, so it cannot fail for them, and draws from no sequence.
//! 3. UNION ALL of these, in the form of [`ChangeKind::Merge`]: what is done, the number of the row, all columns that a WHEN sets
//!    (others set them to what they are), those of rows that come in, and RETURNING.

use super::conflict::of_types;
use super::target::{Target, Verb, out_of_reach};
use super::update::NUMBER;
use super::{Change, ChangeKind, MergeAction};
use crate::catalog::{Right, TableInfo};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{
    Clause, FromItem, Joined, Rows, Scope, ScopeColumn, ScopeTable, SelectItem, Shared, Side, may_be_null,
};
use crate::relation::{ColumnId, Expression, Relation, SetKind};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use crate::sql::forms::DEFAULT_VALUES;
use crate::sql::generated::Overriding;
use crate::sql::insert::{is_default, without_overriding};
use crate::types::DataType;
use crate::value::Value;
use sqlparser::ast::{self, MergeClauseKind, Spanned};
use std::sync::Arc;

/// Which rows a WHEN is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// Pairs.
    Matched,
    /// Rows of the source without a partner.
    NotMatched,
    /// Rows of the table without a partner.
    NotMatchedBySource,
}

impl About {
    fn of(kind: MergeClauseKind) -> Self {
        match kind {
            MergeClauseKind::Matched => About::Matched,
            MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => About::NotMatched,
            MergeClauseKind::NotMatchedBySource => About::NotMatchedBySource,
        }
    }
}

/// The columns of a side, and its tables.
type SideColumns<'s> = (&'s [ScopeColumn], &'s [ScopeTable]);

/// What a MERGE is about.
struct Merging<'m> {
    clauses: &'m [ast::MergeClause],
    returning: Option<&'m [ast::SelectItem]>,
    info: Arc<TableInfo>,
    /// The columns of both sides, and what they came with.
    target: (Vec<ScopeColumn>, Vec<ScopeTable>),
    source: (Vec<ScopeColumn>, Vec<ScopeTable>),
    /// The rows with the number of their WHEN.
    rows: Shared,
    /// The columns of the table, wherever they have been scanned.
    own: Vec<ColumnId>,
}

/// What one WHEN gives.
struct Branch {
    relation: Arc<Relation>,
    action: MergeAction,
    number: ColumnId,
    /// The table's columns as they are.
    own: Vec<ColumnId>,
    /// New values, by position in the table.
    set: Vec<(usize, ColumnId)>,
    /// A new row.
    inserted: Vec<ColumnId>,
    items: Option<Vec<SelectItem>>,
}

impl Binder<'_, '_> {
    /// MERGE, with the WITH in front of it.
    pub(super) fn merge(mut self, merge: &ast::Merge, withs: &[&ast::With]) -> Result<Statement> {
        let ast::Merge { merge_token, optimizer_hints: _, into, table, source, on, clauses, output } = merge;
        let start = self.position(merge_token.0.span);
        if !*into {
            return Err(Error::new(ErrorKind::Syntax, "syntax error: INTO is expected behind MERGE").at(start));
        }
        let returning = match output {
            None => None,
            Some(ast::OutputClause::Returning { select_items, .. }) => Some(select_items.as_slice()),
            Some(_) => return Err(Error::unsupported("OUTPUT of a MERGE is").at(start)),
        };
        if withs.iter().any(|with| with.recursive) {
            let message = "WITH RECURSIVE is not supported for MERGE statement";
            return Err(Error::new(ErrorKind::Syntax, message).at(start));
        }
        check_reachable(clauses)?;
        let table = ast::TableWithJoins { relation: table.clone(), joins: Vec::new() };
        let name = self.changed_object(self.target_name(&table)?.0)?;
        self.changed = Some(name.clone());
        let position = self.factor_start(&table.relation);
        for clause in clauses {
            let right = match &clause.action {
                ast::MergeAction::Insert(_) => Right::Insert,
                ast::MergeAction::Update(_) => Right::Update,
                ast::MergeAction::Delete { .. } => Right::Delete,
                ast::MergeAction::DoNothing { .. } => Right::Select,
            };
            self.builder.catalog.check_right(&name, right, None).map_err(|error| error.at(position))?;
        }
        let mark = self.builder.mentions_mark();
        let definitions = self.bind_withs(withs)?;
        let target = self.target(&table, Verb::Merge)?;
        let (name, position) = (target.name.clone(), target.position);
        let source = ast::TableWithJoins { relation: source.clone(), joins: Vec::new() };
        let (merging, shared) = self.matched_rows(target, &source, on, (clauses, returning))?;
        let (rows, kind, returning) = self.branches(merging, (&name, position), mark)?;
        let relation = self.builder.attach(vec![shared], rows.0);
        let relation = self.builder.attach(definitions, relation);
        let query = self.into_query((relation, rows.1));
        Ok(Statement::Change(Box::new(Change { table: name, kind, query, returning, first_row: None })))
    }

    /// The rows of both sides with the number of the WHEN that is to be done, to be computed once.
    fn matched_rows<'m>(
        &mut self,
        target: Target,
        source: &ast::TableWithJoins,
        on: &ast::Expr,
        (clauses, returning): (&'m [ast::MergeClause], Option<&'m [ast::SelectItem]>),
    ) -> Result<(Merging<'m>, crate::relation::builder::Definition)> {
        let Target { name: _, position: _, base: _, info, own: _, item: target, number } = target;
        let position = self.factor_start(&source.relation);
        let others = self.bind_from(std::slice::from_ref(source), None);
        let mut others = others.map_err(|error| out_of_reach(error, &target, false))?;
        self.check_sides(&target, &others, position)?;
        let is_there = self.builder.columns.add("source", DataType::Boolean, false);
        let flag = vec![(is_there, Expression::boolean(true))];
        others.relation = self.with_columns(others.relation, flag);
        let (own, of_source) = (target.columns.clone(), others.columns.clone());
        let tables = (target.tables.clone(), others.tables.clone());
        let sides: (SideColumns<'_>, SideColumns<'_>) = ((&own, &tables.0), (&of_source, &tables.1));
        let has = |about: About| clauses.iter().any(|clause| About::of(clause.clause_kind) == about);
        let side = match (has(About::NotMatched), has(About::NotMatchedBySource)) {
            (false, false) => Side::Inner,
            (true, false) => Side::Left,
            (false, true) => Side::Right,
            (true, true) => Side::Full,
        };
        let joined = Joined::new(others, FromItem { relation: target.relation, ..target }, None);
        let condition = self.bind_condition(on, &joined.scope)?;
        let relation = joined.on(self.builder, side, condition)?.relation;
        let action = self.which_when(clauses, (number, is_there), sides)?;
        let chosen = self.builder.columns.add("when", DataType::Integer, true);
        let relation = self.with_columns(relation, vec![(chosen, action)]);
        let chosen_one = self.builder.columns.reference(chosen);
        let acts = Expression::call(Function::IsNotNull, vec![chosen_one], DataType::Boolean);
        let relation = self.builder.filter(relation, acts);
        let mut output = vec![("when".to_owned(), chosen), (NUMBER.to_owned(), number)];
        output.extend(own.iter().chain(&of_source).map(|column| (column.name.clone(), column.id)));
        let mut ids: Vec<ColumnId> = own.iter().map(|column| column.id).collect();
        ids.push(number);
        let columns = output.iter().map(|(_, id)| (*id, self.builder.columns.reference(*id)));
        let relation = Arc::new(Relation::Project { input: relation, columns: columns.collect() });
        let (rows, definition) = self.builder.share((relation, output), true);
        let (target, source) = ((own, tables.0), (of_source, tables.1));
        Ok((Merging { clauses, returning, info, target, source, rows, own: ids }, definition))
    }

    /// 42712 for a name that both sides have.
    fn check_sides(&self, target: &FromItem, source: &FromItem, position: Option<Position>) -> Result<()> {
        target.check_aliases(source, position).map_err(|error| match target.tables.first() {
            Some(table) if error.kind() == ErrorKind::DuplicateAlias => {
                let message = format!("name \"{}\" specified more than once", table.name);
                let error = Error::new(ErrorKind::DuplicateAlias, message);
                error.with_detail("The name is used both as MERGE target table and data source.").at(position)
            }
            _ => error,
        })
    }

    /// The number of the WHEN that is to be done with a row; NULL if nothing is.
    fn which_when(
        &mut self,
        clauses: &[ast::MergeClause],
        (number, is_there): (ColumnId, ColumnId),
        (own, of_source): (SideColumns<'_>, SideColumns<'_>),
    ) -> Result<Expression> {
        let [both, source, target] = scopes(own, of_source);
        let present = |binder: &Self, id: ColumnId, function: Function| {
            Expression::call(function, vec![binder.builder.columns.reference(id)], DataType::Boolean)
        };
        let mut all = Vec::new();
        for about in [About::Matched, About::NotMatched, About::NotMatchedBySource] {
            let scope = match about {
                About::Matched => &both,
                About::NotMatched => &source,
                About::NotMatchedBySource => &target,
            };
            let mut branches = Vec::new();
            for (at, clause) in clauses.iter().enumerate().filter(|(_, clause)| About::of(clause.clause_kind) == about)
            {
                let condition = match &clause.predicate {
                    Some(predicate) => self
                        .bind_condition(predicate, scope)
                        .map_err(|error| hidden_side(error, about, own, of_source))?,
                    None => Expression::boolean(true),
                };
                let value = match &clause.action {
                    ast::MergeAction::DoNothing { .. } => Value::Null,
                    _ => Value::Int(at as i64),
                };
                branches.push((condition, Expression::constant(value, DataType::Integer)));
            }
            if branches.is_empty() {
                continue;
            }
            let which = self.builder.case(branches, None)?;
            let is_about = match about {
                About::Matched => {
                    let number = present(self, number, Function::IsNotNull);
                    let is_there = present(self, is_there, Function::IsNotNull);
                    Expression::call(Function::And, vec![number, is_there], DataType::Boolean)
                }
                About::NotMatched => present(self, number, Function::IsNull),
                About::NotMatchedBySource => present(self, is_there, Function::IsNull),
            };
            all.push((is_about, which));
        }
        self.builder.case(all, None)
    }

    /// The rows of all WHENs.
    fn branches(
        &mut self,
        mut merging: Merging<'_>,
        (name, position): (&crate::catalog::TableName, Option<Position>),
        mark: usize,
    ) -> Result<(Rows, ChangeKind, Option<usize>)> {
        let mut branches = Vec::new();
        for at in 0..merging.clauses.len() {
            branches.extend(self.branch(&mut merging, at)?);
        }
        self.check_read((name, position), mark, |id| merging.own.contains(&id))?;
        let mut columns: Vec<usize> =
            branches.iter().flat_map(|branch| &branch.set).map(|(column, _)| *column).collect();
        columns.sort_unstable();
        columns.dedup();
        let inserts = branches.iter().any(|branch| branch.action == MergeAction::Insert);
        let mut all: Option<Rows> = None;
        let (mut returning, mut types) = (None, Vec::new());
        for mut branch in branches {
            if let Some(items) = branch.items.take() {
                if all.is_none() {
                    types = items.iter().map(|item| item.value().data_type).collect();
                }
                branch.items = Some(of_types(self.builder, items, &types)?);
            }
            let (rows, count) = self.rows_of_branch(&merging.info, branch, (&columns, inserts))?;
            returning = count;
            all = Some(match all {
                None => rows,
                Some(before) => {
                    let types = self.builder.common_types(SetKind::Union, &before, &rows, position)?;
                    self.builder.set_operation(SetKind::Union, true, before, rows, &types)?
                }
            });
        }
        let rows = all.ok_or_else(|| Error::internal("a MERGE has no rows"))?;
        Ok((rows, ChangeKind::Merge { columns, inserts }, returning))
    }

    /// What a WHEN does; none if it does nothing, unless it is the last, and nothing else would tell what RETURNING gives.
    fn branch(&mut self, merging: &mut Merging<'_>, at: usize) -> Result<Option<Branch>> {
        let clause = &merging.clauses[at];
        if does_nothing(clause) && !(at == 0 && merging.clauses.iter().all(does_nothing)) {
            return Ok(None);
        }
        let item = self.builder.scan_shared(&merging.rows, "merge".to_owned());
        let ids: Vec<ColumnId> = item.columns.iter().map(|column| column.id).collect();
        let (head, rest) = ids.split_at(2);
        let (own_ids, source_ids) = rest.split_at(merging.target.0.len());
        merging.own.extend_from_slice(own_ids);
        let is_it = vec![
            self.builder.columns.reference(head[0]),
            Expression::constant(Value::Int(at as i64), DataType::Integer),
        ];
        let relation = self.builder.filter(item.relation, Expression::call(Function::Equal, is_it, DataType::Boolean));
        let mut own = moved(&merging.target.0, own_ids);
        let of_source = moved(&merging.source.0, source_ids);
        let about = About::of(clause.clause_kind);
        let [both, source, target] = scopes((&own, &merging.target.1), (&of_source, &merging.source.1));
        let scope = match about {
            About::Matched => both,
            About::NotMatched => source,
            About::NotMatchedBySource => target,
        };
        let told = |error: Error| hidden_side(error, about, (&own, &merging.target.1), (&of_source, &merging.source.1));
        let info = Arc::clone(&merging.info);
        let mut branch = Branch {
            relation,
            action: MergeAction::Delete,
            number: head[1],
            own: own_ids.to_vec(),
            set: Vec::new(),
            inserted: Vec::new(),
            items: None,
        };
        match &clause.action {
            ast::MergeAction::DoNothing { .. } | ast::MergeAction::Delete { .. } => {}
            ast::MergeAction::Update(update) => {
                branch.action = MergeAction::Update;
                let assignments = self.merge_assignments(update)?;
                let assigned =
                    self.bind_assignments(assignments, (&info, own_ids), branch.relation, &scope).map_err(told)?;
                (branch.relation, branch.set) = (assigned.relation, assigned.columns);
                branch.set.iter().for_each(|(column, id)| own[*column].id = *id);
            }
            ast::MergeAction::Insert(insert) => {
                branch.action = MergeAction::Insert;
                let rows = self.merge_insert(insert, &info, branch.relation, &scope).map_err(told)?;
                (branch.relation, branch.inserted) = rows;
                own.iter_mut().zip(&branch.inserted).for_each(|(column, id)| column.id = *id);
            }
        }
        let word = match branch.action {
            MergeAction::Update => "UPDATE",
            MergeAction::Delete => "DELETE",
            MergeAction::Insert => "INSERT",
        };
        let columns = of_source.iter().chain(&own).cloned().collect();
        let tables = merging.source.1.iter().chain(&merging.target.1).cloned().collect();
        let after = Scope::new(None, columns, tables, Clause::Returning);
        self.merge_action = Some(word);
        let items = self.bind_returning(merging.returning, &after);
        self.merge_action = None;
        branch.items = items?;
        merging.own.extend(own.iter().map(|column| column.id));
        Ok(Some(branch))
    }

    fn merge_assignments<'m>(&self, update: &'m ast::MergeUpdateExpr) -> Result<&'m [ast::Assignment]> {
        let ast::MergeUpdateExpr { update_token, kind, update_predicate, delete_predicate } = update;
        match kind {
            ast::MergeUpdateKind::Set(assignments) if update_predicate.is_none() && delete_predicate.is_none() => {
                Ok(assignments)
            }
            _ => {
                let message = "syntax error: UPDATE of a MERGE has SET with columns, and nothing else";
                Err(Error::new(ErrorKind::Syntax, message).at(self.position(update_token.0.span)))
            }
        }
    }

    /// The rows that a WHEN inserts: the columns of the table, behind those that were there.
    fn merge_insert(
        &mut self,
        insert: &ast::MergeInsertExpr,
        info: &TableInfo,
        relation: Arc<Relation>,
        scope: &Scope<'_>,
    ) -> Result<(Arc<Relation>, Vec<ColumnId>)> {
        let ast::MergeInsertExpr { insert_token, columns, kind_token: _, kind, insert_predicate } = insert;
        let position = self.position(insert_token.0.span);
        let wrong = |message: &str, position| Err(Error::new(ErrorKind::Syntax, message).at(position));
        let ast::MergeInsertKind::Values(values) = kind else {
            return wrong("syntax error: INSERT of a MERGE has VALUES", position);
        };
        let ([row], None) = (values.rows.as_slice(), insert_predicate) else {
            return wrong("syntax error: INSERT of a MERGE has one row of VALUES", position);
        };
        let (columns, overriding) = without_overriding(columns);
        let is_empty = matches!(&row.content[..], [ast::Expr::Identifier(name)] if name.value == DEFAULT_VALUES);
        let given: &[ast::Expr] = if is_empty { &[] } else { &row.content };
        let targets = self.target_columns(info, columns)?;
        if given.len() > targets.len() {
            let position = self.position(given[targets.len()].span());
            return wrong("INSERT has more expressions than target columns", position);
        }
        if given.len() < targets.len() && !columns.is_empty() && !is_empty {
            let position = self.position(columns[given.len()].span());
            return wrong("INSERT has more target columns than expressions", position);
        }
        scope.enter(Clause::Values);
        let mut values: Vec<Option<Expression>> = vec![None; info.fields.len()];
        for (value, &column) in given.iter().zip(&targets) {
            if is_default(value) {
                continue;
            }
            self.check_given(info, column, overriding)?;
            let bound = self.bind_expression(value, scope)?;
            let bound = self.assign(bound, (info, column), self.position(value.span()))?;
            if overriding != Overriding::User || info.declared.generated(column).is_none() {
                values[column] = Some(bound);
            }
        }
        let (mut computed, mut ids) = (Vec::new(), Vec::new());
        for (column, value) in values.into_iter().enumerate() {
            let value = match value {
                Some(value) => value,
                None => {
                    let value = self.default_of(info, column)?;
                    self.assign(value, (info, column), None)?
                }
            };
            let name = info.fields[column].name.clone();
            let id = self.builder.columns.add(name, value.data_type, may_be_null(&value));
            ids.push(id);
            computed.push((id, value));
        }
        let mut relation = self.with_columns(relation, computed);
        let stored = self.stored_values(info, &ids, None)?;
        if !stored.is_empty() {
            let mut computed = Vec::with_capacity(stored.len());
            for (column, value) in stored {
                let name = info.fields[column].name.clone();
                ids[column] = self.builder.columns.add(name, value.data_type, may_be_null(&value));
                computed.push((ids[column], value));
            }
            relation = self.with_columns(relation, computed);
        }
        Ok((relation, ids))
    }

    /// The rows of a WHEN in the form that all of them have.
    fn rows_of_branch(
        &mut self,
        info: &TableInfo,
        branch: Branch,
        (columns, inserts): (&[usize], bool),
    ) -> Result<(Rows, Option<usize>)> {
        let Branch { relation, action, number, own, set, inserted, items } = branch;
        let mut computed = Vec::new();
        let mut output = Vec::new();
        let code = self.builder.columns.add("action", DataType::Integer, false);
        computed.push((code, Expression::constant(Value::Int(action.code()), DataType::Integer)));
        output.push(("action".to_owned(), code));
        output.push((NUMBER.to_owned(), number));
        let nothing = |column: usize| Expression::constant(Value::Null, info.declared_field(column).data_type);
        for &column in columns {
            let name = info.fields[column].name.clone();
            let id = match set.iter().find(|(of, _)| *of == column) {
                Some((_, id)) => *id,
                None => {
                    let value = match action {
                        MergeAction::Update => {
                            let value = self.builder.columns.reference(own[column]);
                            self.assign(value, (info, column), None)?
                        }
                        _ => nothing(column),
                    };
                    let id = self.builder.columns.add(name.clone(), value.data_type, true);
                    computed.push((id, value));
                    id
                }
            };
            output.push((name, id));
        }
        for column in (0..info.fields.len()).filter(|_| inserts) {
            let name = info.fields[column].name.clone();
            let id = match inserted.get(column) {
                Some(id) => *id,
                None => {
                    let value = nothing(column);
                    let id = self.builder.columns.add(name.clone(), value.data_type, true);
                    computed.push((id, value));
                    id
                }
            };
            output.push((name, id));
        }
        let relation = self.with_columns(relation, computed);
        Ok(self.returned(relation, output, items))
    }
}

fn does_nothing(clause: &ast::MergeClause) -> bool {
    matches!(clause.action, ast::MergeAction::DoNothing { .. })
}

/// Columns under other ids.
fn moved(columns: &[ScopeColumn], ids: &[ColumnId]) -> Vec<ScopeColumn> {
    columns.iter().zip(ids).map(|(column, id)| ScopeColumn { id: *id, ..column.clone() }).collect()
}

/// What WHENs see: of pairs, of rows of the source, and of rows of the table.
fn scopes((own, own_tables): SideColumns<'_>, (of_source, source_tables): SideColumns<'_>) -> [Scope<'static>; 3] {
    let columns = of_source.iter().chain(own).cloned().collect();
    let tables = source_tables.iter().chain(own_tables).cloned().collect();
    let clause = Clause::MergeWhen;
    [
        Scope::new(None, columns, tables, clause),
        Scope::new(None, of_source.to_vec(), source_tables.to_vec(), clause),
        Scope::new(None, own.to_vec(), own_tables.to_vec(), clause),
    ]
}

/// The error for a name that means nothing but in the side that a WHEN does not see.
fn hidden_side(
    error: Error,
    about: About,
    (own, own_tables): SideColumns<'_>,
    (of_source, source_tables): SideColumns<'_>,
) -> Error {
    let (columns, tables) = match about {
        About::Matched => return error,
        About::NotMatched => (own, own_tables),
        About::NotMatchedBySource => (of_source, source_tables),
    };
    let relation = Arc::new(Relation::Values { columns: Vec::new(), rows: Vec::new() });
    out_of_reach(error, &FromItem { relation, columns: columns.to_vec(), tables: tables.to_vec() }, false)
}

/// 42601 for a WHEN behind one of the same kind that is always true.
fn check_reachable(clauses: &[ast::MergeClause]) -> Result<()> {
    let mut ended = Vec::new();
    for clause in clauses {
        let about = About::of(clause.clause_kind);
        if ended.contains(&about) {
            let message = "unreachable WHEN clause specified after unconditional WHEN clause";
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        if clause.predicate.is_none() {
            ended.push(about);
        }
    }
    match clauses.is_empty() {
        true => Err(Error::new(ErrorKind::Syntax, "syntax error: MERGE has at least one WHEN")),
        false => Ok(()),
    }
}
