//! Frames: relations under construction.

use super::block::{Block, Grouping, JoinStep, Source};
use super::expression::{Expression, Order};
use super::print;
use super::tree::Tree;
use crate::session::Session;
use crate::stream::ResultStream;
use crate::{DataType, Error, ErrorKind, Field, Parameters, Result, Rows, Value};
use arrow::array::AsArray as _;
use multiloop_planner::relation::Query;
use multiloop_planner::relation::builder::Side;
use multiloop_planner::sql::{ExplainForm, ExplainKind, Statement};
use std::mem;
use std::sync::Arc;

/// How to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are SQL's own names")]
pub enum Join {
    Inner,
    Left,
    Right,
    Full,
}

/// A relation under construction, of a session. Every method gives a new one; nothing runs before [`Frame::run`].
///
/// Steps apply in the order in which they are written, each to the rows that the ones before it give.
#[derive(Clone)]
pub struct Frame<'a> {
    pub(super) session: &'a Session,
    /// The steps so far; those of the innermost block may be added to.
    pub(super) block: Block,
    /// The name that other frames know it by.
    pub(super) alias: Option<String>,
    /// How far the innermost block is filled; a step that SQL would evaluate earlier starts a new one around it.
    pub(super) stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    From,
    Where,
    Grouped,
    Selected,
    Ordered,
    Limited,
}

impl Session {
    /// A table or view as the start of a LINQ-style query; an unknown name is an error when the query runs.
    pub fn table(&self, name: &str) -> Frame<'_> {
        Frame::table(self, name)
    }
}

impl<'a> Frame<'a> {
    pub(crate) fn table(session: &'a Session, name: &str) -> Self {
        Frame::of_source(session, Source::Table { name: name.into(), alias: None })
    }

    /// All rows of a source.
    pub(super) fn of_source(session: &'a Session, source: Source) -> Self {
        Frame { session, block: Block::of(source), alias: None, stage: Stage::From }
    }

    /// Keeps the rows for which the condition is true; after `group_by` and `select` it sees the selected columns.
    #[must_use]
    pub fn filter(self, condition: Expression) -> Self {
        let mut frame = self.before(Stage::Grouped);
        frame.block.filter = Some(match frame.block.filter.take() {
            None => condition.tree,
            Some(before) => before.and(condition.tree),
        });
        frame.stage = Stage::Where;
        frame
    }

    /// Groups rows; the `select` after it may use these expressions and aggregates.
    #[must_use]
    pub fn group_by(self, keys: impl IntoIterator<Item = Expression>) -> Self {
        self.grouped(keys, Grouping::Keys)
    }

    /// Groups rows by several lists of keys at once: GROUPING SETS. A list without keys is one group of all rows. In the groups of a
    /// list that lacks a key it is NULL; [`grouping`](super::grouping) tells these from others.
    ///
    /// ```
    /// use multiloop::linq::{col, grouping, sum};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// session.sql("CREATE TABLE t AS SELECT i % 2 AS a, i % 3 AS b, i FROM generate_series(1, 6) g(i)")?;
    /// let sums = session
    ///     .table("t")
    ///     .group_by_sets([vec![col("a")], vec![col("b")], vec![]])
    ///     .select([col("a"), col("b"), sum(col("i")), grouping([col("a"), col("b")])]);
    /// assert_eq!(sums.run()?.into_rows().count(), 2 + 3 + 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn group_by_sets<K: IntoIterator<Item = Expression>>(self, sets: impl IntoIterator<Item = K>) -> Self {
        let (mut keys, mut lengths) = (Vec::new(), Vec::new());
        for set in sets {
            let before = keys.len();
            keys.extend(set);
            lengths.push(keys.len() - before);
        }
        self.grouped(keys, Grouping::Sets(lengths))
    }

    /// Groups rows by all keys, by all but the last one, and so on to none: ROLLUP, for subtotals and a total. See
    /// [`Frame::group_by_sets`].
    #[must_use]
    pub fn rollup(self, keys: impl IntoIterator<Item = Expression>) -> Self {
        self.grouped(keys, Grouping::Rollup)
    }

    /// Groups rows by each choice of the keys: CUBE, of at most twelve. See [`Frame::group_by_sets`].
    #[must_use]
    pub fn cube(self, keys: impl IntoIterator<Item = Expression>) -> Self {
        self.grouped(keys, Grouping::Cube)
    }

    fn grouped(self, keys: impl IntoIterator<Item = Expression>, grouping: Grouping) -> Self {
        let mut frame = self.before(Stage::Grouped);
        frame.block.keys = keys.into_iter().map(|key| key.tree).collect();
        frame.block.grouping = grouping;
        frame.stage = Stage::Grouped;
        frame
    }

    /// Keeps the groups for which the condition, which may use aggregates, is true. Between `group_by` and `select`.
    #[must_use]
    pub fn having(mut self, condition: Expression) -> Self {
        self.block.having = Some(match self.block.having.take() {
            None => condition.tree,
            Some(before) => before.and(condition.tree),
        });
        self
    }

    /// Computes new columns; aggregates without `group_by` give one row.
    #[must_use]
    pub fn select(self, columns: impl IntoIterator<Item = Expression>) -> Self {
        let mut frame = self.before(Stage::Selected);
        frame.block.columns = Some(columns.into_iter().collect());
        frame.stage = Stage::Selected;
        frame
    }

    /// One of each set of equal rows.
    #[must_use]
    pub fn distinct(self) -> Self {
        let mut frame = self.before(Stage::Ordered);
        frame.block.distinct = true;
        frame.stage = Stage::Ordered;
        frame
    }

    /// Joins another frame. Where both have a column of one name, say `table.column`, or give [`Frame::alias`]es.
    #[must_use]
    pub fn join(self, other: Frame<'a>, how: Join, on: Expression) -> Self {
        // A condition before a right or full join must not see the rows that the join adds, nor one before a left
        // join the other side; so only a frame without one is joined in place.
        let last = if how == Join::Inner { Stage::Grouped } else { Stage::Where };
        let mut frame = self.before(last);
        let side = match how {
            Join::Inner => Side::Inner,
            Join::Left => Side::Left,
            Join::Right => Side::Right,
            Join::Full => Side::Full,
        };
        let on = frame.own(&other, on);
        frame.block.joins.push(JoinStep { source: other.into_source(), side, on: on.tree, lateral: false });
        frame
    }

    /// The name by which `table.column` finds this frame's columns after a join.
    #[must_use]
    pub fn alias(mut self, name: &str) -> Self {
        if self.stage == Stage::From && self.block.joins.is_empty() {
            self.block.from.set_alias(name.into());
            return self;
        }
        self.alias = Some(name.to_owned());
        self
    }

    /// The same rows, computed once for all uses of this frame and its clones in one query: as a table of its own, whose name
    /// is `shared` unless [`Frame::alias`] gives another.
    #[must_use]
    pub fn shared(self) -> Self {
        let Frame { session, block, alias, stage: _ } = self;
        let alias = alias.as_deref().unwrap_or("shared").into();
        let block = Block::of(Source::Shared { block: Arc::new(block), alias });
        Frame { session, block, alias: None, stage: Stage::From }
    }

    /// Orders rows, most significant first.
    #[must_use]
    pub fn order_by<O: Into<Order>>(self, keys: impl IntoIterator<Item = O>) -> Self {
        let mut frame = self.before(Stage::Limited);
        frame.block.order = keys.into_iter().map(Into::into).collect();
        frame.stage = Stage::Ordered;
        frame
    }

    /// At most `rows` rows after leaving out `offset`.
    #[must_use]
    pub fn limit(self, rows: u64, offset: u64) -> Self {
        let mut frame = self.before(Stage::Limited);
        frame.block.limit = Some((rows, offset));
        frame.stage = Stage::Limited;
        frame
    }

    /// The SQL that says the same.
    pub fn to_sql(&self) -> String {
        print::sql(&self.block)
    }

    /// What EXPLAIN (LOOPS) says of it: its program before and after the rules.
    pub fn explain_loops(&self) -> Result<String> {
        let (kind, form) = (ExplainKind::Loops, ExplainForm::default());
        explained(self.start(&[], |query| Statement::Explain { kind, analyze: false, form, query })?)
    }

    /// Runs it.
    pub fn run(&self) -> Result<ResultStream> {
        self.run_with(&[])
    }

    /// Runs its text with parameters of any types that are [`ToParameter`](crate::ToParameter), and gives rows by their fields.
    ///
    /// # Errors
    /// As those of [`Session::query`].
    ///
    /// ```
    /// use multiloop::linq::{col, parameter};
    /// use multiloop::{Engine, params};
    ///
    /// let session = Engine::new()?.session();
    /// session.sql("CREATE TABLE trips (km decimal(8,1)); INSERT INTO trips VALUES (50.5), (7)")?;
    /// let far = session.table("trips").filter(col("km").gt(parameter(1)));
    /// assert_eq!(far.query(params![50])?.count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn query(&self, parameters: impl Parameters) -> Result<Rows> {
        self.session.query(&self.to_sql(), parameters)
    }

    /// Names and types of its columns.
    pub(super) fn fields(&self) -> Result<Vec<Field>> {
        self.session.fields_built(|catalog| self.block.query(catalog, &[], false))
    }

    /// Runs it with values for its parameters.
    pub fn run_with(&self, parameters: &[(Value, DataType)]) -> Result<ResultStream> {
        self.start(parameters, Statement::Query)
    }

    /// Runs a statement of its query.
    fn start(&self, parameters: &[(Value, DataType)], statement: impl Fn(Query) -> Statement) -> Result<ResultStream> {
        self.session
            .run_built(parameters, &|catalog, types, wide| self.block.query(catalog, types, wide).map(&statement))
    }

    /// The frame, or itself as a derived table, so that the innermost block is not as far as `stage` yet.
    pub(super) fn before(self, stage: Stage) -> Self {
        if self.stage < stage {
            return self;
        }
        let session = self.session;
        Frame { session, block: Block::of(self.into_source()), alias: None, stage: Stage::From }
    }

    /// A condition of a step with another frame; an error in its place if that is of another engine, whose tables are not here.
    pub(super) fn own(&self, other: &Frame<'_>, condition: Expression) -> Expression {
        if Arc::ptr_eq(&self.session.engine.0, &other.session.engine.0) {
            return condition;
        }
        let message = "a frame of another engine cannot be used in this one's query";
        Expression::of(Tree::Failure(Error::new(ErrorKind::InvalidColumnReference, message)))
    }

    pub(super) fn into_source(self) -> Source {
        let Frame { mut block, alias, stage, session: _ } = self;
        if stage == Stage::From && alias.is_none() && block.joins.is_empty() {
            return mem::replace(&mut block.from, Source::Nothing);
        }
        let alias = alias.as_deref().unwrap_or("derived").into();
        Source::Derived { block: Arc::new(block), alias }
    }
}

/// The lines of a result of one column.
pub(super) fn explained(result: ResultStream) -> Result<String> {
    let mut text = String::new();
    for batch in result {
        for line in batch?.column(0).as_string::<i32>().iter().flatten() {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}
