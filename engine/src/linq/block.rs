//! What a frame says so far, as one SELECT after another: a step that SQL would evaluate earlier than those before it
//! starts a new block around them. The relation's builder gives each its meaning.

use super::expression::{Expression, Order};
use super::named::Names;
use super::tree::{Alias, Tree};
use crate::Result;
use multiloop_planner::catalog::{Catalog, TableName};
use multiloop_planner::relation::builder::{
    Builder, Clause, Definition, FromItem, Joined, Name, Rows, Scope, Select, SelectItem, Shared, Side,
    check_table_count,
};
use multiloop_planner::relation::{Expression as Typed, Query, Relation};
use multiloop_planner::sql;
use multiloop_planner::types::DataType;
use std::collections::HashMap;
use std::sync::Arc;

/// One SELECT level.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The rows that it starts with.
    pub(super) from: Source,
    /// What they are joined with, one after the other.
    pub(super) joins: Vec<JoinStep>,
    /// Which rows are kept.
    pub(super) filter: Option<Tree>,
    /// What they are grouped by.
    pub(super) keys: Vec<Tree>,
    /// Which groups are kept.
    pub(super) having: Option<Tree>,
    /// Its columns; none for all.
    pub(super) columns: Option<Vec<Expression>>,
    /// One of each set of equal rows.
    pub(super) distinct: bool,
    /// Most significant first.
    pub(super) order: Vec<Order>,
    /// At most so many rows, after leaving out so many.
    pub(super) limit: Option<(u64, u64)>,
}

/// Rows to start with or to join.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A table or view, or a file by its path.
    Table { name: String, alias: Option<Alias> },
    /// The rows of another block.
    Derived { block: Arc<Block>, alias: Alias },
    /// The rows of a block that are computed once for all that share it.
    Shared { block: Arc<Block>, alias: Alias },
    /// The rows of two blocks as sets, with the names of the left one.
    Set { operation: SetOperation, all: bool, left: Arc<Block>, right: Arc<Block>, alias: Alias },
    /// Rows of expressions that name no column of this level.
    Values { rows: Vec<Vec<Tree>>, columns: Vec<String>, alias: Alias },
}

pub(super) use multiloop_planner::relation::SetKind as SetOperation;

/// A join with more rows.
#[derive(Clone, Debug)]
pub(super) struct JoinStep {
    pub(super) source: Source,
    pub(super) side: Side,
    pub(super) on: Tree,
    /// Whether the source sees the columns of those before it.
    pub(super) lateral: bool,
}

/// What of a query is shared, as far as it is built.
#[derive(Default)]
pub(super) struct Sharing {
    built: HashMap<*const Block, Shared>,
    /// Each behind those that it uses.
    definitions: Vec<Definition>,
}

/// What building a query goes through.
pub(super) struct Context<'c, 'b> {
    pub(super) builder: &'c mut Builder<'b>,
    sharing: &'c mut Sharing,
    names: &'c Names,
}

impl Context<'_, '_> {
    /// Works one level deeper: see [`Builder::deeper`].
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Context<'_, '_>) -> Result<T>) -> Result<T> {
        let Context { builder, sharing, names } = self;
        builder.deeper(None, |builder| work(&mut Context { builder, sharing, names }))
    }

    /// The name of a source.
    pub(super) fn name(&self, alias: &Alias) -> Arc<str> {
        self.names.of(alias)
    }
}

impl Block {
    /// All rows of a source.
    pub(super) fn of(from: Source) -> Self {
        Block {
            from,
            joins: Vec::new(),
            filter: None,
            keys: Vec::new(),
            having: None,
            columns: None,
            distinct: false,
            order: Vec::new(),
            limit: None,
        }
    }

    /// The block as a query over what is in a catalog.
    pub(super) fn query(&self, catalog: &dyn Catalog, parameters: &[DataType], wide_numerics: bool) -> Result<Query> {
        let mut builder = Builder::new(catalog, sql::view_rows, parameters, wide_numerics);
        let mut sharing = Sharing::default();
        let names = Names::default();
        let mut context = Context { builder: &mut builder, sharing: &mut sharing, names: &names };
        let (relation, output) = self.build(&mut context, None)?;
        let relation = builder.attach(sharing.definitions, relation);
        let query = builder.finish((relation, output));
        Builder::check_depth(&query)?;
        Ok(query)
    }

    /// The name of its only column.
    pub(super) fn only_name(&self) -> Option<Name> {
        let [column] = self.columns.as_deref()? else { return None };
        match &column.alias {
            Some(alias) => Name::strong(alias),
            None => column.tree.name(),
        }
    }

    /// Its rows, over those of a source and within a scope.
    pub(super) fn build(&self, context: &mut Context<'_, '_>, parent: Option<&Scope<'_>>) -> Result<Rows> {
        context.deeper(|context| {
            let (mut relation, scope) = self.build_from(context, parent)?.into_scope(parent, Clause::Where);
            if let Some(filter) = &self.filter {
                let predicate = build_condition(filter, context, &scope)?;
                relation = context.builder.filter(relation, predicate);
            }
            let select = self.build_select(context, &scope)?;
            let (relation, output) = context.builder.select(relation, select)?;
            Ok((self.build_limit(context.builder, relation)?, output))
        })
    }

    fn build_from(&self, context: &mut Context<'_, '_>, parent: Option<&Scope<'_>>) -> Result<FromItem> {
        check_table_count(1 + self.joins.len())?;
        let mut from = self.from.build(context, parent)?;
        for JoinStep { source, side, on, lateral } in &self.joins {
            let other = if *lateral {
                let before = from.scope(parent, Clause::From);
                source.build(context, Some(&before))?
            } else {
                source.build(context, parent)?
            };
            from.check_aliases(&other, None)?;
            from.check_lateral(&other, *side, None)?;
            let joined = Joined::new(from, other, parent);
            let on = build_condition(on, context, &joined.scope)?;
            from = joined.on(context.builder, *side, on)?;
        }
        Ok(from)
    }

    fn build_select<'s, 'p>(&self, context: &mut Context<'_, '_>, scope: &'s Scope<'p>) -> Result<Select<'s, 'p>> {
        scope.enter(Clause::SelectList);
        let items = match &self.columns {
            None => context.builder.all_items(scope, None)?,
            Some(columns) => columns.iter().map(|column| build_item(column, context, scope)).collect::<Result<_>>()?,
        };
        let mut select = Select::new(scope, items, self.distinct);
        for tree in &self.keys {
            select.group();
            let named = tree.reference().map_or(Ok(None), |reference| select.named_key(&reference, None))?;
            match named {
                Some(item) => select.add_item_key(item),
                None => {
                    scope.enter(Clause::GroupBy);
                    let key = tree.build(context, scope)?;
                    select.add_key(context.builder.settle(key)?)
                }
            };
        }
        scope.enter(Clause::Having);
        if let Some(having) = &self.having {
            select.having(build_condition(having, context, scope)?);
        }
        for Order { tree, order } in &self.order {
            let named = tree
                .reference()
                .map_or(Ok(None), |reference| select.named_target(&reference, Clause::OrderBy, None))?;
            let target = match named {
                Some(target) => target,
                None => {
                    scope.enter(Clause::OrderBy);
                    let key = tree.build(context, scope)?;
                    select.target(context.builder.settle(key)?)
                }
            };
            select.order_by(target, *order, None)?;
        }
        Ok(select)
    }

    fn build_limit(&self, builder: &mut Builder<'_>, input: Arc<Relation>) -> Result<Arc<Relation>> {
        let Some((rows, offset)) = self.limit else { return Ok(input) };
        // No table has more than a bigint counts.
        let all = u64::try_from(i64::MAX).unwrap_or(u64::MAX);
        let mut count = |rows: u64, clause| {
            let rows = builder.number(&rows.min(all).to_string())?;
            builder.row_count(rows, clause, None)
        };
        let rows = if rows < all { Some(count(rows, "LIMIT")?) } else { None };
        let offset = if offset > 0 { Some(count(offset, "OFFSET")?) } else { None };
        Ok(builder.limit(input, rows, offset))
    }
}

impl Source {
    /// The name by which its columns are found, if one was given.
    pub(super) fn alias(&self) -> Option<&Alias> {
        match self {
            Source::Table { alias, .. } => alias.as_ref(),
            Source::Derived { alias, .. }
            | Source::Shared { alias, .. }
            | Source::Set { alias, .. }
            | Source::Values { alias, .. } => Some(alias),
        }
    }

    /// The same under another name.
    pub(super) fn set_alias(&mut self, name: Alias) {
        match self {
            Source::Table { alias, .. } => *alias = Some(name),
            Source::Derived { alias, .. }
            | Source::Shared { alias, .. }
            | Source::Set { alias, .. }
            | Source::Values { alias, .. } => *alias = name,
        }
    }

    /// The number of a source that nobody named.
    pub(super) fn id(&self) -> Option<u64> {
        match self.alias()? {
            Alias::Numbered { id, .. } => Some(*id),
            Alias::Named(_) => None,
        }
    }

    fn build(&self, context: &mut Context<'_, '_>, parent: Option<&Scope<'_>>) -> Result<FromItem> {
        let alias = self.alias().map(|alias| context.name(alias));
        let alias = || alias.as_ref().map_or_else(String::new, ToString::to_string);
        match self {
            Source::Table { name, alias: written } => {
                let name = &TableName::from(name.as_str());
                let found = context.builder.table_or_file(name, None)?;
                let table = found.ok_or_else(|| context.builder.unknown_table(name, &[]))?;
                if written.is_some() { table.aliased(&alias(), &[]) } else { Ok(table) }
            }
            Source::Derived { block, .. } => Ok(FromItem::table(block.build(context, parent)?, alias())),
            Source::Shared { block, .. } => {
                let key = Arc::as_ptr(block);
                if !context.sharing.built.contains_key(&key) {
                    let rows = block.build(context, None)?;
                    let (shared, definition) = context.builder.share(rows, false);
                    context.sharing.definitions.push(definition);
                    context.sharing.built.insert(key, shared);
                }
                Ok(context.builder.scan_shared(&context.sharing.built[&key], alias()))
            }
            Source::Set { operation, all, left, right, .. } => {
                let left = left.build(context, parent)?;
                let right = right.build(context, parent)?;
                let types = context.builder.common_types(*operation, &left, &right, None)?;
                let rows = context.builder.set_operation(*operation, *all, left, right, &types)?;
                Ok(FromItem::table(rows, alias()))
            }
            Source::Values { rows, columns, .. } => {
                let outer = Scope::new(parent, Vec::new(), Vec::new(), Clause::Values);
                let build = |row: &Vec<Tree>| row.iter().map(|value| value.build(context, &outer)).collect();
                let rows = rows.iter().map(build).collect::<Result<Vec<Vec<Typed>>>>()?;
                let name = |at: usize| columns.get(at).cloned().unwrap_or_default();
                let rows = context.builder.values(rows, |_| Some(DataType::Text), name)?;
                Ok(FromItem::table(rows, alias()))
            }
        }
    }
}

fn build_condition(tree: &Tree, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<Typed> {
    let clause = scope.clause();
    let condition = tree.build(context, scope)?;
    context.builder.condition(condition, clause)
}

fn build_item(column: &Expression, context: &mut Context<'_, '_>, scope: &Scope<'_>) -> Result<SelectItem> {
    let value = column.tree.build(context, scope)?;
    let name = column.alias.clone().unwrap_or_else(|| Name::or_unnamed(column.tree.name()));
    context.builder.item(name, value, Some(DataType::Text))
}
