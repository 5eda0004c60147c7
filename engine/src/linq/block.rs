//! What a frame says so far, as one SELECT after another: a step that SQL would evaluate earlier than those before it
//! starts a new block around them. The relation's builder gives each its meaning.

use super::expression::{Expression, Order};
use super::tree::Tree;
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
    Table { name: String, alias: Option<String> },
    /// The rows of another block.
    Derived { block: Box<Block>, alias: String },
    /// The rows of a block that are computed once for all that share it.
    Shared { block: Arc<Block>, alias: String },
}

/// A join with more rows.
#[derive(Clone, Debug)]
pub(super) struct JoinStep {
    pub(super) source: Source,
    pub(super) side: Side,
    pub(super) on: Tree,
}

/// What of a query is shared, as far as it is built.
#[derive(Default)]
struct Sharing {
    built: HashMap<*const Block, Shared>,
    /// Each behind those that it uses.
    definitions: Vec<Definition>,
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
        let (relation, output) = self.build(&mut builder, &mut sharing)?;
        let relation = builder.attach(sharing.definitions, relation);
        let query = builder.finish((relation, output));
        Builder::check_depth(&query)?;
        Ok(query)
    }

    fn build(&self, builder: &mut Builder<'_>, sharing: &mut Sharing) -> Result<Rows> {
        builder.deeper(None, |builder| {
            let (mut relation, scope) = self.build_from(builder, sharing)?.into_scope(None, Clause::Where);
            if let Some(filter) = &self.filter {
                let predicate = build_condition(filter, builder, &scope)?;
                relation = builder.filter(relation, predicate);
            }
            let select = self.build_select(builder, &scope)?;
            let (relation, output) = builder.select(relation, select)?;
            Ok((self.build_limit(builder, relation)?, output))
        })
    }

    fn build_from(&self, builder: &mut Builder<'_>, sharing: &mut Sharing) -> Result<FromItem> {
        check_table_count(1 + self.joins.len())?;
        let mut from = self.from.build(builder, sharing)?;
        for JoinStep { source, side, on } in &self.joins {
            let other = source.build(builder, sharing)?;
            from.check_aliases(&other, None)?;
            let joined = Joined::new(from, other, None);
            let on = build_condition(on, builder, &joined.scope)?;
            from = joined.on(builder, *side, on)?;
        }
        Ok(from)
    }

    fn build_select<'s, 'p>(&self, builder: &mut Builder<'_>, scope: &'s Scope<'p>) -> Result<Select<'s, 'p>> {
        scope.enter(Clause::SelectList);
        let items = match &self.columns {
            None => builder.all_items(scope, None)?,
            Some(columns) => columns.iter().map(|column| build_item(column, builder, scope)).collect::<Result<_>>()?,
        };
        let mut select = Select::new(scope, items, self.distinct);
        for tree in &self.keys {
            select.group();
            let named = tree.reference().map_or(Ok(None), |reference| select.named_key(&reference, None))?;
            match named {
                Some(item) => select.add_item_key(item),
                None => {
                    scope.enter(Clause::GroupBy);
                    let key = tree.build(builder, scope)?;
                    select.add_key(builder.settle(key)?)
                }
            };
        }
        scope.enter(Clause::Having);
        if let Some(having) = &self.having {
            select.having(build_condition(having, builder, scope)?);
        }
        for Order { tree, order } in &self.order {
            let named = tree
                .reference()
                .map_or(Ok(None), |reference| select.named_target(&reference, Clause::OrderBy, None))?;
            let target = match named {
                Some(target) => target,
                None => {
                    scope.enter(Clause::OrderBy);
                    let key = tree.build(builder, scope)?;
                    select.target(builder.settle(key)?)
                }
            };
            select.order_by(target, *order, None)?;
        }
        Ok(select)
    }

    fn build_limit(&self, builder: &mut Builder<'_>, input: Arc<Relation>) -> Result<Arc<Relation>> {
        let Some((rows, offset)) = self.limit else { return Ok(input) };
        let mut count = |rows: u64, clause| {
            // No table has more.
            let rows = builder.number(&i64::try_from(rows).unwrap_or(i64::MAX).to_string())?;
            builder.row_count(rows, clause, None)
        };
        let rows = count(rows, "LIMIT")?;
        let offset = if offset > 0 { Some(count(offset, "OFFSET")?) } else { None };
        Ok(builder.limit(input, Some(rows), offset))
    }
}

impl Source {
    fn build(&self, builder: &mut Builder<'_>, sharing: &mut Sharing) -> Result<FromItem> {
        match self {
            Source::Table { name, alias } => {
                let name = &TableName::from(name.as_str());
                let found = builder.table_or_file(name, None)?;
                let table = found.ok_or_else(|| builder.unknown_table(name, &[]))?;
                match alias {
                    Some(alias) => table.aliased(alias, &[]),
                    None => Ok(table),
                }
            }
            Source::Derived { block, alias } => Ok(FromItem::table(block.build(builder, sharing)?, alias.clone())),
            Source::Shared { block, alias } => {
                let key = Arc::as_ptr(block);
                if !sharing.built.contains_key(&key) {
                    let rows = block.build(builder, sharing)?;
                    let (shared, definition) = builder.share(rows, false);
                    sharing.definitions.push(definition);
                    sharing.built.insert(key, shared);
                }
                Ok(builder.scan_shared(&sharing.built[&key], alias.clone()))
            }
        }
    }
}

fn build_condition(tree: &Tree, builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<Typed> {
    let clause = scope.clause();
    let condition = tree.build(builder, scope)?;
    builder.condition(condition, clause)
}

fn build_item(column: &Expression, builder: &mut Builder<'_>, scope: &Scope<'_>) -> Result<SelectItem> {
    let value = column.tree.build(builder, scope)?;
    let name = column.alias.clone().unwrap_or_else(|| Name::or_unnamed(column.tree.name()));
    builder.item(name, value, Some(DataType::Text))
}
