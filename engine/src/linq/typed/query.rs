//! Queries whose rows the compiler knows, and the steps that make one out of another.
//!
//! Each step opens a scope of the arena, lifts the columns that the rows have so far, calls the closure once, and writes what it
//! gives into the SELECT that is under construction (a [`Block`]); a step that SQL would evaluate earlier than what stands there
//! starts a new block around it.

use super::arena;
use super::conditions::Condition;
use super::order::Keys;
use super::record::{Append, Column, Columns, Fields, Lifted};
use crate::linq::block::{Block, Source};
use crate::linq::expression::{Expression, Order};
use crate::linq::survey::belongs_to_level;
use crate::linq::tree::{Alias, Tree};
use crate::session::Session;
use crate::{Error, ErrorKind};
use multiloop_planner::relation::builder::Reference;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A query of a session whose rows are `R`s. Steps give new queries and leave this one as it is; nothing runs before one of the
/// methods that give rows, as [`Query::collect`].
///
/// A mistake that the compiler cannot see (a value of another query, say) is kept and is the error of the run.
pub struct Query<'s, R> {
    pub(super) session: &'s Session,
    pub(super) block: Block,
    /// What the rows are, over the sources of the block.
    pub(super) columns: Arc<[Column]>,
    /// Whether the columns are those of the block's SELECT, so that only its order and limit may follow.
    pub(super) selected: bool,
    pub(super) failure: Option<Error>,
    pub(super) of: PhantomData<fn() -> R>,
}

impl<R> Clone for Query<'_, R> {
    fn clone(&self) -> Self {
        self.with(self.block.clone(), Arc::clone(&self.columns), self.selected)
    }
}

impl<R> fmt::Debug for Query<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("rows", &std::any::type_name::<R>()).finish_non_exhaustive()
    }
}

/// The number of a source that no other has.
pub(in crate::linq) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A column of a source.
fn column_of(alias: &Alias, name: &Arc<str>) -> Tree {
    Tree::Column { table: Some(alias.clone()), name: Arc::clone(name) }
}

/// The columns of a source.
pub(super) fn columns_of(alias: &Alias, names: impl IntoIterator<Item = Arc<str>>) -> Arc<[Column]> {
    names.into_iter().map(|name| Column { tree: column_of(alias, &name), name }).collect()
}

impl<'s, R> Query<'s, R> {
    /// The same session and mistakes, something else.
    pub(super) fn with<S>(&self, block: Block, columns: Arc<[Column]>, selected: bool) -> Query<'s, S> {
        Query { session: self.session, block, columns, selected, failure: self.failure.clone(), of: PhantomData }
    }

    /// The rows of a source as they are.
    pub(super) fn of_source(session: &'s Session, source: Source, columns: Arc<[Column]>) -> Self {
        Query { session, block: Block::of(source), columns, selected: false, failure: None, of: PhantomData }
    }

    /// The error for another query that is of another session.
    pub(super) fn stranger<S>(&self, other: &Query<'_, S>) -> Option<Error> {
        (!std::ptr::eq(self.session, other.session)).then(arena::of_other_session)
    }

    pub(super) fn failing(mut self, failure: Option<Error>) -> Self {
        if self.failure.is_none() {
            self.failure = failure;
        }
        self
    }

    /// Whether the block is a source and no more.
    fn is_plain(&self) -> bool {
        let block = &self.block;
        block.joins.is_empty() && block.filter.is_none() && self.is_open()
    }

    /// Whether all columns are those of the source, none of a query around it.
    fn has_own_columns(&self) -> bool {
        let own = self.block.from.alias();
        let is_own = |column: &Column| matches!(&column.tree, Tree::Column { table, .. } if table.as_ref() == own);
        own.is_some() && self.columns.iter().all(is_own)
    }

    /// Whether all columns are those of its sources, so that they are NULL where these are missing.
    pub(super) fn reads_sources(&self) -> bool {
        let own = source_ids(&self.block);
        let is_own = |column: &Column| matches!(&column.tree, Tree::Column { table: Some(Alias::Numbered { id, .. }), .. } if own.contains(id));
        self.columns.iter().all(is_own)
    }

    /// Whether rows may still be joined and filtered in the block.
    fn is_open(&self) -> bool {
        !self.selected && !self.block.distinct && self.block.order.is_empty() && self.block.limit.is_none()
    }

    /// The query as a source of another one, and its columns there.
    pub(super) fn as_source(&self) -> (Source, Arc<[Column]>) {
        if self.is_plain()
            && self.has_own_columns()
            && let Source::Table { alias: Some(Alias::Numbered { base, .. }), .. }
            | Source::Shared { alias: Alias::Numbered { base, .. }, .. }
            | Source::State { alias: Alias::Numbered { base, .. }, .. } = &self.block.from
        {
            let alias = Alias::Numbered { id: fresh(), base: Arc::clone(base) };
            let moved = |column: &Column| match &column.tree {
                Tree::Column { name, .. } => Column { name: Arc::clone(&column.name), tree: column_of(&alias, name) },
                other => Column { name: Arc::clone(&column.name), tree: other.clone() },
            };
            let columns = self.columns.iter().map(moved).collect();
            let mut source = self.block.from.clone();
            source.set_alias(alias);
            return (source, columns);
        }
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("derived") };
        let (block, names) = self.finished();
        let columns = columns_of(&alias, names);
        (Source::Derived { block: Arc::new(block), alias }, columns)
    }

    /// The block with its columns, and their names, of which no two are the same.
    pub(super) fn finished(&self) -> (Block, Vec<Arc<str>>) {
        let mut block = self.block.clone();
        let names = unique(self.columns.iter().map(|column| &column.name));
        let item = |(column, name): (&Column, &Arc<str>)| {
            // A column has its own name already.
            let is_named = matches!(&column.tree, Tree::Column { name: own, .. } if own == name);
            let alias = (!is_named).then(|| name.to_string());
            Expression { tree: column.tree.clone(), alias }
        };
        block.columns = Some(self.columns.iter().zip(&names).map(item).collect());
        (block, names)
    }

    /// The query as rows of a new block.
    pub(super) fn derived(&self) -> Self {
        let (source, columns) = self.as_source();
        self.with(Block::of(source), columns, false)
    }

    /// The query, or its rows in a new block, such that a closure can be called: no closure around it sees the same sources.
    pub(super) fn own(&self) -> Self {
        if arena::is_open() && arena::lends_any(&source_ids(&self.block)) { self.derived() } else { self.clone() }
    }

    /// The query, or its rows in a new block, such that conditions and joins can be added.
    pub(super) fn opened(&self) -> Self {
        let query = self.own();
        if query.is_open() { query } else { query.derived() }
    }
}

/// Names made unique, by numbers behind those that came before.
fn unique<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> Vec<Arc<str>> {
    let names: Vec<&Arc<str>> = names.collect();
    let mut taken: HashSet<Arc<str>> = HashSet::new();
    let given: HashSet<&str> = names.iter().map(|name| &***name).collect();
    names
        .iter()
        .map(|name| {
            let mut unique = Arc::clone(name);
            let mut number = 2;
            while !taken.insert(Arc::clone(&unique)) {
                loop {
                    unique = Arc::from(format!("{name}_{number}"));
                    number += 1;
                    if !given.contains(&*unique) {
                        break;
                    }
                }
            }
            unique
        })
        .collect()
}

/// What a closure over lifted rows gives, and what went wrong.
pub(super) fn staged<R: Lifted, T>(
    session: &Session,
    sources: Vec<u64>,
    columns: &[Column],
    closure: impl FnOnce(R) -> T,
) -> (T, Option<Error>) {
    let scope = arena::open(sources, session);
    let given = closure(R::lift(&mut Columns::of(columns)));
    let failure = scope.failure();
    (given, failure)
}

impl<'s, R: Lifted> Query<'s, R> {
    /// Calls a closure with the rows, and takes trees out of what it gives.
    pub(super) fn stage<T>(&self, closure: impl FnOnce(R) -> T) -> (T, Option<Error>) {
        staged(self.session, source_ids(&self.block), &self.columns, closure)
    }

    /// Keeps the rows for which a condition is true; not those for which it is NULL.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// assert_eq!(numbers.filter(|n| n.gt(1) & n.not_eq(3)).collect()?, [2]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn filter<C: Condition>(&self, condition: impl FnOnce(R) -> C) -> Self {
        let query = self.own();
        // Rows that are ordered may be left out before.
        let is_ordered_by_window = query.block.order.iter().any(|key| belongs_to_level(&key.tree));
        let stays = !query.selected && !query.block.distinct && query.block.limit.is_none() && !is_ordered_by_window;
        let query = if stays { query } else { query.derived() };
        let (tree, failure) = query.stage(|row| condition(row).condition().tree());
        let mut block = query.block.clone();
        block.filter = Some(match block.filter.take() {
            None => tree,
            Some(before) => before.and(tree),
        });
        query.with(block, Arc::clone(&query.columns), false).failing(failure)
    }

    /// Other rows, made of each.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// assert_eq!(numbers.select(|n| (n, n * n)).collect()?[2], (3, 9));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn select<S: Lifted>(&self, row: impl FnOnce(R) -> S) -> Query<'s, S> {
        let caller = Location::caller();
        let query = self.projected();
        let (columns, failure) = query.stage(|rows| Fields::of(&row(rows), caller));
        query.selecting(columns).failing(failure)
    }

    /// Each row with something more, computed once for all of its uses: `let` of LINQ.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// let squares = numbers.let_(|n| n * n).filter(|(_, square)| square.gt(3)).select(|(n, square)| n + square);
    /// assert_eq!(squares.collect()?, [6, 12]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn let_<S: Lifted>(&self, more: impl FnOnce(R) -> S) -> Query<'s, R::Joined>
    where
        R: Append<S>,
    {
        let caller = Location::caller();
        let query = self.projected();
        let (more, failure) = query.stage(|rows| Fields::of(&more(rows), caller));
        let columns = query.columns.iter().cloned().chain(more).collect();
        query.selecting(columns).failing(failure)
    }

    /// The query, or its rows in a new block, such that columns can be computed. An order stays.
    fn projected(&self) -> Self {
        let query = self.own();
        let stays = !query.selected && !query.block.distinct && query.block.limit.is_none();
        if stays { query } else { query.derived() }
    }

    /// The query with other columns, over the same sources.
    pub(super) fn selecting<S>(&self, columns: Vec<Column>) -> Query<'s, S> {
        let is_plain = |column: &Column| matches!(column.tree, Tree::Column { .. });
        let selected = !columns.iter().all(is_plain);
        self.with(self.block.clone(), columns.into(), selected)
    }

    /// One of each set of equal rows, where NULLs are equal.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 1]);
    /// assert_eq!(numbers.distinct().order_by(|n| n).collect()?, [1, 2]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn distinct(&self) -> Self {
        let stays = !self.block.distinct && self.block.order.is_empty() && self.block.limit.is_none();
        let query = if stays { self.clone() } else { self.derived() };
        let mut block = query.block.clone();
        block.distinct = true;
        query.with(block, Arc::clone(&query.columns), true)
    }

    /// Orders rows, most significant key first; an order before it is forgotten.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let rows = session.values([(1_i32, "b"), (2, "a"), (3, "b")]);
    /// assert_eq!(rows.order_by(|r| (r.1, r.0.desc())).select(|r| r.0).collect()?, [2, 3, 1]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn order_by<O: Keys>(&self, keys: impl FnOnce(R) -> O) -> Self {
        let query = self.own();
        let stays = !query.block.distinct && query.block.limit.is_none();
        let query = if stays { query } else { query.derived() };
        query.ordering(Vec::new(), keys)
    }

    /// Orders rows that are equal by the keys so far: behind `order_by` or another `then_by`.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let rows = session.values([(1_i32, "b"), (2, "a"), (3, "b")]);
    /// let ordered = rows.order_by(|r| r.1).then_by(|r| r.0.desc());
    /// assert_eq!(ordered.select(|r| r.0).collect()?, [2, 3, 1]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn then_by<O: Keys>(&self, keys: impl FnOnce(R) -> O) -> Self {
        let query = self.own();
        if query.block.order.is_empty() || query.block.limit.is_some() {
            let message = "then_by stands behind order_by, and in front of what makes other rows of the ordered ones";
            return query.order_by(keys).failing(Some(Error::new(ErrorKind::InvalidColumnReference, message)));
        }
        let before = query.block.order.clone();
        query.ordering(before, keys)
    }

    #[track_caller]
    fn ordering<O: Keys>(&self, mut order: Vec<Order>, keys: impl FnOnce(R) -> O) -> Self {
        let names = self.finished().1;
        let (added, failure) = self.stage(|row| {
            let lowered = keys(row).keys().into_iter().map(|key| match key.lower() {
                // A column of the SELECT is named, as its expression would be computed again.
                (key, Some(column)) if self.selected => {
                    let name = names.get(column as usize).cloned().unwrap_or_else(|| Arc::from(""));
                    Order { tree: Tree::Column { table: None, name }, ..key }
                }
                (key, _) => key,
            });
            lowered.collect::<Vec<_>>()
        });
        // A constant orders nothing; as a number it would be the place of a column.
        order.extend(
            added
                .into_iter()
                .filter(|key| !matches!(key.tree.reference(), Some(Reference::Place(_) | Reference::Constant))),
        );
        let mut block = self.block.clone();
        block.order = order;
        self.with(block, Arc::clone(&self.columns), self.selected).failing(failure)
    }

    /// The first rows, at most so many.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([3_i32, 1, 2]).order_by(|n| n);
    /// assert_eq!(numbers.skip(1).take(1).collect()?, [2]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn take(&self, rows: u64) -> Self {
        match self.block.limit {
            None => self.limited((rows, 0)),
            Some((most, offset)) => self.limited((most.min(rows), offset)),
        }
    }

    /// All rows but the first ones.
    #[must_use]
    pub fn skip(&self, rows: u64) -> Self {
        match self.block.limit {
            None => self.limited((u64::MAX, rows)),
            Some((most, offset)) => self.limited((most.saturating_sub(rows), offset.saturating_add(rows))),
        }
    }

    fn limited(&self, limit: (u64, u64)) -> Self {
        let mut block = self.block.clone();
        block.limit = Some(limit);
        self.with(block, Arc::clone(&self.columns), self.selected)
    }

    /// The same rows, computed once for all uses of this query and its copies within one query: a WITH query of SQL.
    #[must_use]
    pub fn shared(&self) -> Self {
        let (block, names) = self.finished();
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("shared") };
        let columns = columns_of(&alias, names);
        self.with(Block::of(Source::Shared { block: Arc::new(block), alias }), columns, false)
    }
}

/// The sources that a block's expressions name.
pub(super) fn source_ids(block: &Block) -> Vec<u64> {
    let sources = std::iter::once(&block.from).chain(block.joins.iter().map(|join| &join.source));
    sources
        .filter_map(|source| match source.alias() {
            Some(Alias::Numbered { id, .. }) => Some(*id),
            _ => None,
        })
        .collect()
}
