//! SELECT levels.

use super::{Unknown, Walk};
use crate::linq::block::{Block, Grouping, JoinStep, SetOperation};
use crate::linq::expression::{Expression, Order};
use crate::linq::tree::Tree;
use crate::{DataType, Error, ErrorKind, Result};
use multiloop_planner::relation::builder::{
    Clause, FromItem, GroupingSets, Joined, Name, Rows, Scope, Select, SelectItem, Target, check_table_count, crossed,
    cube, rollup,
};
use multiloop_planner::relation::{Expression as Typed, Relation};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// The rows of a block; what it reads of outer levels is in `parent`.
    pub(super) fn block(&mut self, block: &Block, parent: Option<&Scope<'_>>, unknown: Unknown<'_>) -> Result<Rows> {
        self.deeper(|walk| {
            let (mut relation, scope) = walk.from(block, parent)?.into_scope(parent, Clause::Where);
            if let Some(filter) = &block.filter {
                let predicate = walk.condition(filter, &scope)?;
                relation = walk.builder.filter(relation, predicate);
            }
            let select = walk.select(block, &scope, unknown)?;
            let (relation, output) = walk.builder.select(relation, select)?;
            Ok((walk.limited(block, relation)?, output))
        })
    }

    fn from(&mut self, block: &Block, parent: Option<&Scope<'_>>) -> Result<FromItem> {
        check_table_count(1 + block.joins.len())?;
        let mut left = self.source(&block.from, parent, (None, false))?;
        for JoinStep { source, side, on, lateral } in &block.joins {
            let right = self.source(source, parent, (Some(&left), *lateral))?;
            left.check_aliases(&right, None)?;
            left.check_lateral(&right, *side, None)?;
            let joined = Joined::new(left, right, parent);
            let on = self.condition(on, &joined.scope)?;
            left = joined.on(self.builder, *side, on)?;
        }
        Ok(left)
    }

    fn select<'s, 'p>(&mut self, block: &Block, scope: &'s Scope<'p>, unknown: Unknown<'_>) -> Result<Select<'s, 'p>> {
        scope.enter(Clause::SelectList);
        let items = match &block.columns {
            None => self.builder.all_items(scope, None)?,
            Some(columns) => {
                let items = columns.iter().enumerate();
                items.map(|(at, column)| self.item(column, scope, unknown.data_type(at))).collect::<Result<_>>()?
            }
        };
        let mut select = Select::new(scope, items, block.distinct);
        self.group(block, scope, &mut select)?;
        scope.enter(Clause::Having);
        if let Some(having) = &block.having {
            select.having(self.condition(having, scope)?);
        }
        for Order { tree, order } in &block.order {
            let target = self.target(tree, (&select, scope), Clause::OrderBy)?;
            select.order_by(target, *order, None)?;
        }
        let on = block.distinct_on.iter().map(|tree| self.target(tree, (&select, scope), Clause::DistinctOn));
        let on = on.collect::<Result<Vec<_>>>()?;
        select.distinct_on(on)?;
        Ok(select)
    }

    /// GROUP BY.
    fn group(&mut self, block: &Block, scope: &Scope<'_>, select: &mut Select<'_, '_>) -> Result<()> {
        if block.is_grouped() {
            select.group();
        }
        let mut numbers = Vec::with_capacity(block.keys.len());
        for tree in &block.keys {
            let named = tree.reference().map_or(Ok(None), |reference| select.named_key(&reference, None))?;
            numbers.push(match named {
                Some(item) => select.add_item_key(item),
                None => {
                    scope.enter(Clause::GroupBy);
                    let key = self.tree(tree, scope)?;
                    select.add_key(self.settled(key)?)
                }
            });
        }
        let each = |numbers: Vec<usize>| numbers.into_iter().map(|number| vec![number]).collect::<GroupingSets>();
        let sets = match &block.grouping {
            Grouping::Keys => return Ok(()),
            Grouping::Rollup | Grouping::Cube if numbers.is_empty() => return Ok(()),
            Grouping::Sets(lengths) if lengths.is_empty() => {
                return Err(Error::new(ErrorKind::Syntax, "GROUPING SETS needs at least one list of keys"));
            }
            Grouping::Rollup => rollup(&each(numbers))?,
            Grouping::Cube => cube(&each(numbers))?,
            Grouping::Sets(lengths) => {
                let mut numbers = numbers.into_iter();
                let sets = lengths.iter().map(|&length| numbers.by_ref().take(length).collect()).collect();
                // As many as PostgreSQL takes.
                crossed(vec![sets])?
            }
        };
        select.grouping_sets(sets);
        Ok(())
    }

    /// What an item of an order or of DISTINCT ON means.
    fn target(
        &mut self,
        tree: &Tree,
        (select, scope): (&Select<'_, '_>, &Scope<'_>),
        clause: Clause,
    ) -> Result<Target> {
        let named = tree.reference().map_or(Ok(None), |reference| select.named_target(&reference, clause, None))?;
        match named {
            Some(target) => Ok(target),
            None => {
                scope.enter(clause);
                let key = self.tree(tree, scope)?;
                Ok(select.target(self.settled(key)?))
            }
        }
    }

    fn item(&mut self, column: &Expression, scope: &Scope<'_>, unknown: Option<DataType>) -> Result<SelectItem> {
        let value = self.tree(&column.tree, scope)?;
        let name = column.alias.clone().unwrap_or_else(|| Name::or_unnamed(column.tree.name()));
        self.builder.item(name, value, unknown)
    }

    /// A condition of the clause that the scope is in.
    fn condition(&mut self, tree: &Tree, scope: &Scope<'_>) -> Result<Typed> {
        let clause = scope.clause();
        let condition = self.tree(tree, scope)?;
        self.builder.condition(condition, clause)
    }

    fn limited(&mut self, block: &Block, input: Arc<Relation>) -> Result<Arc<Relation>> {
        let Some((rows, offset)) = block.limit else { return Ok(input) };
        // No table has more than a bigint counts.
        let all = i64::MAX.unsigned_abs();
        let mut count = |rows: u64, clause| {
            let rows = self.builder.number(&rows.min(all).to_string())?;
            self.builder.row_count(rows, clause, None)
        };
        let rows = if rows < all { Some(count(rows, "LIMIT")?) } else { None };
        let offset = if offset > 0 { Some(count(offset, "OFFSET")?) } else { None };
        Ok(self.builder.limit(input, rows, offset))
    }

    /// UNION, INTERSECT or EXCEPT. A side with columns of unknown type is built again once their types are known: only where the
    /// literals stand can they take a type.
    pub(super) fn set_operation(
        &mut self,
        (kind, all): (SetOperation, bool),
        [left, right]: [&Block; 2],
        parent: Option<&Scope<'_>>,
    ) -> Result<Rows> {
        let mut left_rows = self.block(left, parent, Unknown::Keep)?;
        let mut right_rows = self.block(right, parent, Unknown::Keep)?;
        let types = self.builder.common_types(kind, &left_rows, &right_rows, None)?;
        let is_unknown =
            |walk: &Self, rows: &Rows| walk.builder.output_types(rows).into_iter().any(DataType::has_unknown);
        if is_unknown(self, &left_rows) {
            left_rows = self.block(left, parent, Unknown::As(&types))?;
        }
        if is_unknown(self, &right_rows) {
            right_rows = self.block(right, parent, Unknown::As(&types))?;
        }
        self.builder.set_operation(kind, all, left_rows, right_rows, &types)
    }
}
