//! Steps of frames that put several together, and frames that start with other rows than a table's.

use super::block::{Iteration, JoinStep, SetOperation, Source};
use super::expression::{Expression, lit};
use super::frame::{Frame, Join, Stage};
use super::tree::{Alias, Tree};
use super::typed::query::fresh;
use crate::Error;
use crate::session::Session;
use multiloop_planner::relation::builder::Side;
use std::sync::Arc;

impl<'a> Frame<'a> {
    /// Rows that are written down: VALUES, under the name `listed` unless [`Frame::alias`] gives another.
    ///
    /// ```
    /// use multiloop::linq::{Frame, col, lit};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// let fruit = Frame::values(&session, [[lit("apple"), lit(3)], [lit("pear"), lit(5)]], ["name", "price"]);
    /// assert_eq!(fruit.filter(col("price").gt(3)).run()?.collect_batches()?[0].num_rows(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn values<R: IntoIterator<Item = Expression>, N: Into<String>>(
        session: &'a Session,
        rows: impl IntoIterator<Item = R>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let rows = rows.into_iter().map(|row| row.into_iter().map(|value| value.tree).collect()).collect();
        let columns = names.into_iter().map(Into::into).collect();
        Frame::of_source(session, Source::Values { rows, columns, alias: Alias::from("listed") })
    }

    /// The rows of a function, such as `unnest` or `generate_series`, under its name unless [`Frame::alias`] gives another. Joined
    /// to other frames it may use their columns.
    ///
    /// ```
    /// use multiloop::linq::{Frame, col, function, lit};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = Frame::function(&session, function("generate_series", [lit(1), lit(4)]), ["i"]);
    /// assert_eq!(numbers.filter((col("i") % 2).eq(0)).run()?.collect_batches()?[0].num_rows(), 2);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn function<N: Into<String>>(
        session: &'a Session,
        call: Expression,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let columns = names.into_iter().map(Into::into).collect();
        match &call.tree {
            Tree::Call(called) => {
                let alias = Alias::Named(Arc::clone(&called.name));
                Frame::of_source(session, Source::Function { call: called.clone(), columns, alias })
            }
            _ => {
                let frame = Frame::one_row(session);
                frame.filter(Expression::of(Tree::Failure(Error::unsupported("rows of what is no call are"))))
            }
        }
    }

    /// One row without columns: what a SELECT without FROM starts with.
    pub fn one_row(session: &'a Session) -> Self {
        Frame::of_source(session, Source::Nothing)
    }

    /// The rows for which the other frame has a row that the condition is true for.
    #[must_use]
    pub fn semi_join(self, other: Frame<'a>, on: Expression) -> Self {
        self.tested(other, Side::Semi, on)
    }

    /// The rows for which the other frame has no row that the condition is true for.
    #[must_use]
    pub fn anti_join(self, other: Frame<'a>, on: Expression) -> Self {
        self.tested(other, Side::Anti, on)
    }

    fn tested(self, other: Frame<'a>, side: Side, on: Expression) -> Self {
        let mut frame = self.before(Stage::Grouped);
        let on = frame.own(&other, on);
        frame.block.joins.push(JoinStep { source: other.into_source(), side, on: on.tree, lateral: false });
        frame.stage = Stage::Where;
        frame
    }

    /// All pairs of rows.
    #[must_use]
    pub fn cross_join(self, other: Frame<'a>) -> Self {
        self.join(other, Join::Inner, lit(true))
    }

    /// Each row beside the rows of a frame that may use its columns: LATERAL. An inner or a left join.
    #[must_use]
    pub fn lateral_join(self, other: Frame<'a>, how: Join, on: Expression) -> Self {
        let mut frame = self.join(other, how, on);
        if let Some(step) = frame.block.joins.last_mut() {
            step.lateral = true;
        }
        frame
    }

    /// Each row beside the rows of a frame that may use its columns: [`Frame::lateral_join`] without a condition.
    #[must_use]
    pub fn select_many(self, other: Frame<'a>) -> Self {
        self.lateral_join(other, Join::Inner, lit(true))
    }

    /// The rows of both, each once.
    ///
    /// ```
    /// use multiloop::linq::{Frame, lit};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// let of = |number: i32| Frame::values(&session, [[lit(number)], [lit(2)]], ["n"]);
    /// assert_eq!(of(1).union(of(3)).run()?.collect_batches()?.iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn union(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Union, false)
    }

    /// The rows of both.
    #[must_use]
    pub fn union_all(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Union, true)
    }

    /// The rows that both have, each once.
    #[must_use]
    pub fn intersect(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Intersect, false)
    }

    /// The rows that both have, each as often as in both.
    #[must_use]
    pub fn intersect_all(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Intersect, true)
    }

    /// The rows that the other does not have, each once.
    #[must_use]
    pub fn except(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Except, false)
    }

    /// The rows of this frame, each as often as the other has it less.
    #[must_use]
    pub fn except_all(self, other: Frame<'a>) -> Self {
        self.combined(other, SetOperation::Except, true)
    }

    /// Goes round, at most so many times: these rows are a state, of which the step makes the next one, column by column, which
    /// takes its place; the result is the last one. The closure is called once, with the state as a frame named `state`. A state
    /// without rows is the last one. ITERATE of HyPer (Passing et al., EDBT 2017).
    ///
    /// ```
    /// use multiloop::linq::{Frame, col, lit};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// let start = Frame::values(&session, [[lit(1), lit(1)]], ["n", "product"]);
    /// let factorial = start.iterate(9, |state| state.select([col("n") + 1, col("product") * (col("n") + 1)]));
    /// let rows = factorial.filter(col("product").eq(3_628_800)).run()?.into_rows();
    /// assert_eq!(rows.count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn iterate(self, times: u64, step: impl FnOnce(Frame<'a>) -> Frame<'a>) -> Self {
        self.rounds(times, step, None::<fn(Frame<'a>, Frame<'a>) -> Frame<'a>>)
    }

    /// As [`Frame::iterate`], and ends behind the round for whose states, as frames named `before` and `behind`, there are rows of
    /// `until`.
    ///
    /// ```
    /// use multiloop::linq::{Frame, col, lit};
    ///
    /// let session = multiloop::Engine::new()?.session();
    /// let start = Frame::values(&session, [[lit(7)]], ["x"]);
    /// let above = start.iterate_until(1000, |state| state.select([col("x") + 7]), |_, behind| behind.filter(col("x").gt_eq(100)));
    /// assert_eq!(above.filter(col("x").eq(105)).run()?.into_rows().count(), 1);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    pub fn iterate_until(
        self,
        times: u64,
        step: impl FnOnce(Frame<'a>) -> Frame<'a>,
        until: impl FnOnce(Frame<'a>, Frame<'a>) -> Frame<'a>,
    ) -> Self {
        self.rounds(times, step, Some(until))
    }

    fn rounds(
        self,
        times: u64,
        step: impl FnOnce(Frame<'a>) -> Frame<'a>,
        until: Option<impl FnOnce(Frame<'a>, Frame<'a>) -> Frame<'a>>,
    ) -> Self {
        let session = self.session;
        let state = |name: &str| {
            let state = fresh();
            (state, Frame::of_source(session, Source::State { state, alias: Alias::from(name) }))
        };
        let (number, before) = state("state");
        let step = step(before);
        let fits = self.own(&step, lit(true));
        let step = if matches!(fits.tree, Tree::Failure(_)) { step.filter(fits) } else { step };
        let Frame { block, alias, .. } = self;
        let until = until.map(|until| {
            let ((first, before), (second, behind)) = (state("before"), state("behind"));
            ([first, second], Arc::new(until(before, behind).block))
        });
        let (seed, step) = (Arc::new(block), Arc::new(step.block));
        let iteration = Iteration { seed, state: number, step, until, times: times.min(i64::MAX.unsigned_abs()) };
        let alias = Alias::from(alias.as_deref().unwrap_or("iterated"));
        Frame::of_source(session, Source::Iterate { iteration, alias })
    }

    fn combined(self, other: Frame<'a>, operation: SetOperation, all: bool) -> Self {
        let fits = self.own(&other, lit(true));
        let Frame { session, block, alias, stage: _ } = self;
        let alias = Alias::from(alias.as_deref().unwrap_or("combined"));
        let (left, right) = (Arc::new(block), Arc::new(other.block));
        let frame = Frame::of_source(session, Source::Set { operation, all, left, right, alias });
        if matches!(fits.tree, Tree::Failure(_)) { frame.filter(fits) } else { frame }
    }

    /// The first row, in the order that [`Frame::order_by`] says behind this, of each set of rows that are equal in some keys.
    #[must_use]
    pub fn distinct_on(self, keys: impl IntoIterator<Item = Expression>) -> Self {
        let mut frame = self.before(Stage::Ordered);
        frame.block.distinct_on = keys.into_iter().map(|key| key.tree).collect();
        frame.stage = Stage::Selected;
        frame
    }
}
