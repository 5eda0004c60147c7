//! ON CONFLICT: the keys that it is about, and DO UPDATE, a query of its own over rows that meet one that is there.

use super::Place;
use super::target::table_out_of_reach;
use super::update::NUMBER;
use super::{Conflict, ConflictUpdate};
use crate::catalog::{Declared, Right, TableHandle, TableInfo, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::Function;
use crate::relation::builder::{
    Builder, Clause, Coercion, FromItem, Rows, Scope, ScopeColumn, ScopeTable, SelectItem, did_you_mean,
};
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use crate::sql::binder::Binder;
use crate::sql::forms::{CONFLICT_EXPRESSION, CONFLICT_PREDICATE};
use crate::sql::insert::InsertClauses;
use crate::sql::keyword::is_keyword;
use crate::sql::parse::parse_expression;
use crate::types::DataType;
use sqlparser::ast::{self, ConflictTarget, OnConflictAction, Spanned};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::sync::Arc;

/// The rows of DO UPDATE; what they set, and which views they are checked by; and what the rows are known by that they are made of.
type MeetingRows = (Rows, (Vec<usize>, Vec<String>), TableHandle);

/// Rows that are there beside those that were to be inserted.
struct Meeting {
    /// The former, as the table's or the view's.
    item: FromItem,
    /// The columns of the table itself.
    own: Vec<ColumnId>,
    /// The latter.
    excluded: (Vec<ScopeColumn>, ScopeTable),
    /// The numbers of the former.
    number: ColumnId,
    /// What all of them are known by.
    handle: TableHandle,
}

/// The columns of a table that rows are inserted into, as expressions of its indexes read them.
struct IndexedTable {
    name: String,
    ids: Vec<ColumnId>,
    /// The table's columns.
    own: Vec<(String, ColumnId)>,
    /// The same under the names that the statement has for them: a view's, perhaps.
    named: Vec<(String, ColumnId)>,
}

impl IndexedTable {
    fn of(binder: &mut Binder<'_, '_>, info: &TableInfo) -> Self {
        let fields = info.declared.fields(&info.fields);
        let (ids, _) = binder.scope_of(&info.name, &fields, Clause::Index);
        let own: Vec<(String, ColumnId)> =
            fields.iter().map(|field| field.name.clone()).zip(ids.iter().copied()).collect();
        let named = match &binder.through {
            Some(through) => {
                let of = |(name, place): &(String, Place)| match place {
                    Place::Column(place) => Some((name.clone(), ids[*place])),
                    Place::Computed(..) => None,
                };
                through.columns.iter().filter_map(of).collect()
            }
            None => own.clone(),
        };
        IndexedTable { name: info.name.clone(), ids, own, named }
    }

    /// A scope of some names for its columns, which have no rows.
    fn scope(&self, columns: &[(String, ColumnId)], clause: Clause) -> Scope<'static> {
        let nothing = Arc::new(Relation::Values { columns: Vec::new(), rows: Vec::new() });
        FromItem::table((nothing, columns.to_vec()), self.name.clone()).into_scope(None, clause).1
    }
}

/// Whether a condition holds for all rows for which these do: it is among them, is an OR with one of them, or asks that something is
/// there that one of them compares.
fn is_implied(condition: &Expression, by: &[Expression]) -> bool {
    if by.contains(condition) {
        return true;
    }
    match &condition.kind {
        ExpressionKind::Call(Function::And, parts) => parts.iter().all(|part| is_implied(part, by)),
        ExpressionKind::Call(Function::Or, parts) => parts.iter().any(|part| is_implied(part, by)),
        ExpressionKind::Call(Function::IsNotNull, of) => {
            let compares = |by: &Expression| match &by.kind {
                ExpressionKind::Call(function, sides) => is_strict(*function) && sides.contains(&of[0]),
                _ => false,
            };
            by.iter().any(compares)
        }
        _ => false,
    }
}

/// Whether a comparison is TRUE of no NULL.
fn is_strict(comparison: Function) -> bool {
    use Function as F;
    matches!(comparison, F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual)
}

/// The name of the rows that were to be inserted.
const EXCLUDED: &str = "excluded";

impl InsertClauses<'_> {
    /// The error of RETURNING that names the rows that were to be inserted.
    pub(super) fn out_of_reach(&self, error: Error) -> Error {
        let updates = self.on.is_some_and(|on| matches!(on.action, OnConflictAction::DoUpdate(_)));
        if updates { table_out_of_reach(error, EXCLUDED, false) } else { error }
    }
}

impl Binder<'_, '_> {
    /// ON CONFLICT of an INSERT, whose RETURNING has these types.
    pub(super) fn bind_conflict(
        &mut self,
        on: &ast::OnConflict,
        clauses: &InsertClauses<'_>,
        (name, info): (&TableName, &TableInfo),
        withs: &[&ast::With],
        types: &[DataType],
    ) -> Result<Conflict> {
        let ast::OnConflict { conflict_target, action } = on;
        let position = self.position(clauses.table.span());
        let (keys, indexes) = match conflict_target {
            None if matches!(action, OnConflictAction::DoUpdate(_)) => {
                let message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
                let error = Error::new(ErrorKind::Syntax, message).with_hint("For example, ON CONFLICT (column_name).");
                return Err(error.at(self.on_conflict()));
            }
            None => {
                let indexes = info.declared.unique_indexes().map(|(place, _)| place).collect();
                ((0..info.declared.keys.len()).collect(), indexes)
            }
            Some(target) => {
                let found = match target {
                    ConflictTarget::Columns(elements) => self.inferred(elements, info)?,
                    ConflictTarget::OnConstraint(constraint) => (vec![self.named_key(constraint, info)?], Vec::new()),
                };
                let read = self.builder.catalog.check_right(name, Right::Select, None);
                read.map_err(|error| error.at(position))?;
                found
            }
        };
        let update = match action {
            OnConflictAction::DoNothing => None,
            OnConflictAction::DoUpdate(update) => {
                let may = self.builder.catalog.check_right(name, Right::Update, None);
                may.map_err(|error| error.at(position))?;
                Some(self.bind_meeting(update, clauses, (name, info), withs, types)?)
            }
        };
        Ok(Conflict { keys, indexes, update })
    }

    /// The keys and the UNIQUE indexes over just these columns and expressions, of which all rows are that the condition says, if there
    /// is one.
    fn inferred(&mut self, elements: &[ast::Ident], info: &TableInfo) -> Result<(Vec<usize>, Vec<usize>)> {
        let table = IndexedTable::of(self, info);
        let (mut columns, mut expressions, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for element in elements {
            let position = self.position(element.span);
            let marked = |mark| element.value.strip_prefix(mark).filter(|_| element.quote_style.is_some());
            if let Some(text) = marked(CONFLICT_PREDICATE) {
                let bound = self.conflict_part(text, &table, Clause::IndexPredicate, position)?;
                conditions.extend(self.builder.coerce_condition(bound, "WHERE")?.into_conjuncts());
            } else if let Some(text) = marked(CONFLICT_EXPRESSION) {
                check_order(text).map_err(|error| error.at(position))?;
                let bound = self.conflict_part(text, &table, Clause::Index, position)?;
                match &bound.kind {
                    ExpressionKind::Column(id) => columns.push(table.ids.iter().position(|of| of == id)),
                    _ => expressions.push(bound),
                }
            } else {
                columns.push(self.conflict_column(element, info)?);
            }
        }
        let is_over = |own: &[usize]| {
            own.iter().all(|column| columns.contains(&Some(*column)))
                && columns.iter().all(|column| column.is_some_and(|column| own.contains(&column)))
        };
        let declared = Arc::clone(&info.declared);
        let keys = declared.keys.iter().enumerate();
        let keys: Vec<usize> =
            keys.filter(|(_, key)| expressions.is_empty() && is_over(&key.columns)).map(|(place, _)| place).collect();
        let mut indexes = Vec::new();
        for (place, index) in declared.unique_indexes() {
            let own: Vec<usize> = index.parts.iter().filter_map(|part| part.column).collect();
            if !is_over(&own) {
                continue;
            }
            let mut computed = Vec::new();
            for part in index.parts.iter().filter(|part| part.column.is_none()) {
                computed.push(self.index_text(&part.expression, &table, Clause::Index, &declared)?);
            }
            let are_same = computed.iter().all(|of| expressions.contains(of))
                && expressions.iter().all(|of| computed.contains(of));
            if !are_same {
                continue;
            }
            if let Some(predicate) = &index.predicate {
                let bound = self.index_text(predicate, &table, Clause::IndexPredicate, &declared)?;
                let bound = self.builder.coerce_condition(bound, "WHERE")?;
                if !is_implied(&bound, &conditions) {
                    continue;
                }
            }
            indexes.push(place);
        }
        if keys.is_empty() && indexes.is_empty() {
            let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
            return Err(Error::new(ErrorKind::InvalidColumnReference, message));
        }
        Ok((keys, indexes))
    }

    /// An expression or a condition of ON CONFLICT's list, in the names of what the statement changes.
    fn conflict_part(
        &mut self,
        text: &str,
        table: &IndexedTable,
        clause: Clause,
        position: Option<Position>,
    ) -> Result<Expression> {
        let moved = |error: Error| position.into_iter().fold(error, Error::moved);
        let value = parse_expression(text).map_err(moved)?;
        let what = if clause == Clause::Index { "ON CONFLICT expression" } else { "index predicate" };
        let around = self.text.take();
        let bound = self.alone(&value, &table.scope(&table.named, clause), what);
        self.text = around;
        bound.map_err(moved)
    }

    /// An expression or the condition of an index, in the names of the table.
    fn index_text(
        &mut self,
        text: &str,
        table: &IndexedTable,
        clause: Clause,
        declared: &Declared,
    ) -> Result<Expression> {
        let value = parse_expression(text)?;
        let names = View { names: declared.names.clone(), ..View::of_text(text.to_owned()) };
        let (around, meaning) = (self.text.take(), self.builder.mean(Some(Arc::new(names))));
        let bound = self.bind_expression(&value, &table.scope(&table.own, clause));
        self.text = around;
        self.builder.mean(meaning);
        bound
    }

    /// A column by its position in the table; none for one that nobody declared, which no key has.
    fn conflict_column(&self, ident: &ast::Ident, info: &TableInfo) -> Result<Option<usize>> {
        let name = Self::fold(ident);
        let known = self.named_columns(info);
        let found = known.iter().position(|known| **known == name);
        if found.is_none() && !crate::relation::builder::HIDDEN.contains(&name.as_str()) {
            let error = Error::new(ErrorKind::UnknownColumn, format!("column \"{name}\" does not exist"));
            return Err(did_you_mean(error, &name, known.into_iter()).at(self.position(ident.span)));
        }
        Ok(match (&self.through, found) {
            // A computed column is none of a key.
            (Some(through), Some(found)) => match &through.columns[found].1 {
                Place::Column(place) => Some(*place),
                Place::Computed(..) => None,
            },
            (_, found) => found,
        })
    }

    /// The key of a constraint.
    fn named_key(&self, constraint: &ast::ObjectName, info: &TableInfo) -> Result<usize> {
        let position = self.position(constraint.span());
        let (_, ident) = self.split_name(constraint)?;
        let name = Self::fold(ident);
        let declared = &info.declared;
        let found = declared.keys.iter().position(|key| key.name == name && !key.is_index);
        let others = declared.checks.iter().map(|check| &check.name);
        let mut others = others.chain(declared.references.iter().map(|reference| &reference.name));
        found.ok_or_else(|| {
            if others.any(|other| *other == name) {
                let message = "constraint in ON CONFLICT clause has no associated index";
                return Error::new(ErrorKind::WrongObjectType, message).at(position);
            }
            let message = format!("constraint \"{name}\" for table \"{}\" does not exist", info.name);
            Error::new(ErrorKind::UnknownObject, message).at(position)
        })
    }

    /// DO UPDATE, by a builder of its own: it is another query than the insertion, with the same parameters.
    fn bind_meeting(
        &mut self,
        update: &ast::DoUpdate,
        clauses: &InsertClauses<'_>,
        (name, info): (&TableName, &TableInfo),
        withs: &[&ast::With],
        types: &[DataType],
    ) -> Result<ConflictUpdate> {
        self.apart(|mut binder| {
            let (rows, (columns, checks), handle) = binder.meeting_rows(update, clauses, (name, info), withs, types)?;
            let query = binder.into_query(rows);
            Builder::check_depth(&query)?;
            Ok(ConflictUpdate { columns, checks, query, handle })
        })
    }

    fn meeting_rows(
        &mut self,
        update: &ast::DoUpdate,
        clauses: &InsertClauses<'_>,
        (name, info): (&TableName, &TableInfo),
        withs: &[&ast::With],
        types: &[DataType],
    ) -> Result<MeetingRows> {
        let position = self.position(clauses.table.span());
        let definitions = self.bind_withs(withs)?;
        let mark = self.builder.mentions_mark();
        let Meeting { item, own: own_ids, excluded, number, handle } = self.meeting(clauses, (name, info), position)?;
        let FromItem { mut relation, columns: own, tables } = item;
        let its = |id: ColumnId| own.iter().any(|column| column.id == id);
        let both = own.iter().chain(&excluded.0).cloned().collect();
        let scope = Scope::new(None, both, tables.iter().chain([&excluded.1]).cloned().collect(), Clause::Where);
        if let Some(selection) = &update.selection {
            let predicate = self.bind_condition(selection, &scope)?;
            relation = self.builder.filter(relation, predicate);
        }
        let new = self.bind_assignments(&update.assignments, (info, &own_ids), relation, &scope)?;
        let mut after = own.clone();
        let mut own_after = own_ids;
        new.columns.iter().for_each(|(column, id)| own_after[*column] = *id);
        let (relation, checks) = self.after_change(info, (new.relation, &own_after), &mut after)?;
        let after = Scope::new(None, after, tables, Clause::Returning);
        let items = self.bind_returning(clauses.returning, &after).map_err(|error| clauses.out_of_reach(error))?;
        self.check_read((name, position), mark, its)?;
        let items = items.map(|items| of_types(self.builder, items, types)).transpose()?;
        let set = new.columns.iter().map(|(column, id)| (info.fields[*column].name.clone(), *id));
        let output = std::iter::once((NUMBER.to_owned(), number)).chain(set).chain(checks.iter().cloned()).collect();
        let (rows, _) = self.returned(relation, output, items);
        if Builder::uses_volatile(&definitions, &rows.0) {
            let what = "a query of WITH that gives other rows each time, in ON CONFLICT DO UPDATE, is";
            return Err(Error::unsupported(what).at(position));
        }
        let rows = (self.builder.attach(definitions, rows.0), rows.1);
        let columns = new.columns.into_iter().map(|(column, _)| column).collect();
        Ok((rows, (columns, checks.into_iter().map(|(view, _)| view).collect()), handle))
    }

    /// The rows that are there, those that were to be inserted beside them, and the column of the numbers of the former, and
    /// what all of them are known by.
    fn meeting(
        &mut self,
        clauses: &InsertClauses<'_>,
        (name, info): (&TableName, &TableInfo),
        position: Option<Position>,
    ) -> Result<Meeting> {
        let met = self.builder.catalog.meeting(&self.base_of(name)).map_err(|error| error.at(position))?;
        let Some(met) = met else {
            return Err(Error::unsupported(format_args!("ON CONFLICT DO UPDATE of \"{}\" is", name.name)).at(position));
        };
        let count = info.fields.len();
        let FromItem { relation, columns, tables: _ } = self.builder.scan(Arc::clone(&met), name.name.clone());
        let Some(number) = columns.get(2 * count).map(|column| column.id) else {
            return Err(Error::internal("rows that meet others have too few columns"));
        };
        let mut named = info.fields.iter().map(|field| field.name.clone()).zip(columns.iter().map(|column| column.id));
        let own: Vec<(String, ColumnId)> = named.by_ref().collect();
        let own_ids: Vec<ColumnId> = own.iter().map(|(_, id)| *id).collect();
        let incoming: Vec<ColumnId> = columns[count..].iter().map(|column| column.id).collect();
        let (relation, own, _) = self.seen_after(info, (relation, &own_ids))?;
        let (relation, incoming, _) = self.seen_after(info, (relation, &incoming))?;
        let mut item = self.builder.as_table((relation, own), name, None);
        if self.through.is_none() {
            let hidden = self.hidden_names().to_vec();
            item = self.builder.with_hidden(item, &hidden, None).map_err(|error| error.at(position))?;
        }
        if let Some(alias) = clauses.alias {
            item = item.aliased(&Self::fold(alias), &[])?;
        }
        let table = ScopeTable::named(EXCLUDED);
        let incoming = incoming.into_iter().map(|(name, id)| ScopeColumn::new(Some(&table), name, id));
        Ok(Meeting { item, own: own_ids, excluded: (incoming.collect(), table), number, handle: met.handle })
    }

    /// Where ON CONFLICT stands, for which sqlparser has no place.
    fn on_conflict(&self) -> Option<Position> {
        let text = self.text.as_ref()?;
        let tokens = Tokenizer::new(&PostgreSqlDialect {}, text.as_str()).tokenize_with_location().ok()?;
        let solid: Vec<&TokenWithSpan> =
            tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        let is_it =
            |pair: &&[&TokenWithSpan]| is_keyword(&pair[0].token, "on") && is_keyword(&pair[1].token, "conflict");
        solid.windows(2).rfind(is_it).and_then(|pair| text.position(pair[0].span.start))
    }
}

/// Items as values of these types: those that others give in their place.
pub(super) fn of_types(
    builder: &mut Builder<'_>,
    items: Vec<SelectItem>,
    types: &[DataType],
) -> Result<Vec<SelectItem>> {
    let mut same = |(item, &data_type): (SelectItem, &DataType)| {
        if item.value().data_type == data_type {
            return Ok(item);
        }
        let name = item.name().to_owned();
        let value = builder.coerce(item.into_value(), data_type, Coercion::Assignment)?;
        builder.item(name, value, None)
    };
    items.into_iter().zip(types).map(&mut same).collect()
}

/// 42P10 for an order in ON CONFLICT's list.
fn check_order(text: &str) -> Result<()> {
    let last: Vec<String> = text.split(' ').map(str::to_ascii_uppercase).collect();
    let what = match last.iter().rev().map(String::as_str).collect::<Vec<_>>()[..] {
        ["ASC" | "DESC", ..] => "ASC/DESC",
        ["FIRST" | "LAST", "NULLS", ..] => "NULLS FIRST/LAST",
        _ => return Ok(()),
    };
    let message = format!("{what} is not allowed in ON CONFLICT clause");
    Err(Error::new(ErrorKind::InvalidColumnReference, message))
}
