//! Joins, and queries made of each row.

use super::conditions::Condition;
use super::query::{Query, source_ids, staged};
use super::record::{Append, Column, Columns, Lifted, Maybe};
use crate::linq::block::JoinStep;
use crate::linq::tree::Tree;
use multiloop_planner::relation::builder::Side;
use std::sync::Arc;

impl<'s, R: Lifted> Query<'s, R> {
    /// Each pair of rows for which a condition is true. A row that is a tuple grows by one: rows of several joins are flat.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let cities = session.values([(1_i32, "Bern"), (2, "Oslo")]);
    /// let trips = session.values([(1_i32, 90_i32), (1, 12)]);
    /// let joined = cities.join(&trips, |c, t| c.0.eq(t.0)).select(|(_, city, trip)| (city, trip.1)).order_by(|r| r.1);
    /// assert_eq!(joined.collect()?[0], ("Bern".to_owned(), 12));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn join<S: Lifted, C: Condition>(
        &self,
        other: &Query<'s, S>,
        on: impl FnOnce(R, S) -> C,
    ) -> Query<'s, R::Joined>
    where
        R: Append<S>,
    {
        self.joined(other, Side::Inner, on)
    }

    /// The pairs of [`Query::join`], and each row that is in none of them, with a missing one.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = (session.values([1_i32, 2]), session.values([2_i32, 3]));
    /// let joined = a.left_join(&b, |a, b| a.eq(b)).order_by(|(a, _)| a);
    /// assert_eq!(joined.collect()?, [(1, None), (2, Some(2))]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn left_join<S: Lifted, C: Condition>(
        &self,
        other: &Query<'s, S>,
        on: impl FnOnce(R, S) -> C,
    ) -> Query<'s, R::Joined>
    where
        R: Append<Maybe<S>>,
    {
        self.joined(other, Side::Left, on)
    }

    /// The pairs of [`Query::join`], and each row of both sides that is in none of them.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = (session.values([1_i32, 2]), session.values([2_i32, 3]));
    /// let joined = a.full_join(&b, |a, b| a.eq(b)).order_by(|(a, b)| (a.get(|a| a), b.get(|b| b)));
    /// assert_eq!(joined.collect()?, [(Some(1), None), (Some(2), Some(2)), (None, Some(3))]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn full_join<S: Lifted, C: Condition>(
        &self,
        other: &Query<'s, S>,
        on: impl FnOnce(R, S) -> C,
    ) -> Query<'s, (Maybe<R>, Maybe<S>)> {
        self.joined(other, Side::Full, on)
    }

    /// Each pair of rows.
    #[must_use]
    #[track_caller]
    pub fn cross<S: Lifted>(&self, other: &Query<'s, S>) -> Query<'s, R::Joined>
    where
        R: Append<S>,
    {
        self.joined(other, Side::Inner, |_, _| true)
    }

    /// The rows for which a row of the other query is there that a condition is true for: each once. So is
    /// [`Query::any`] within a filter.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = (session.values([1_i32, 2]), session.values([2_i32, 2]));
    /// assert_eq!(a.semi_join(&b, |a, b| a.eq(b)).collect()?, [2]);
    /// assert_eq!(a.anti_join(&b, |a, b| a.eq(b)).collect()?, [1]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn semi_join<S: Lifted, C: Condition>(&self, other: &Query<'s, S>, on: impl FnOnce(R, S) -> C) -> Self {
        self.filter(|row| other.any(|other| on(row, other)))
    }

    /// The rows for which no row of the other query is there that a condition is true for.
    #[must_use]
    #[track_caller]
    pub fn anti_join<S: Lifted, C: Condition>(&self, other: &Query<'s, S>, on: impl FnOnce(R, S) -> C) -> Self {
        self.filter(|row| other.not_any(|other| on(row, other)))
    }

    /// The rows of a query that is made of each row, beside that row: it may use the row's values, as in
    /// `customers.select_many(|c| orders.filter(|o| o.customer.eq(c.id)).order_by(|o| o.price.desc()).take(3))`.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = (session.values([1_i32, 2]), session.values([1_i32, 5, 9]));
    /// let above = a.select_many(|a| b.filter(|b| b.gt(a)).order_by(|b| b).take(1));
    /// assert_eq!(above.order_by(|(a, _)| a).collect()?, [(1, 5), (2, 5)]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn select_many<S: Lifted>(&self, query: impl FnOnce(R) -> Query<'s, S>) -> Query<'s, R::Joined>
    where
        R: Append<S>,
    {
        let left = self.joinable(Side::Inner);
        let (query, failure) = left.stage(query);
        let failure = failure.or_else(|| query.failure.clone()).or_else(|| self.stranger(&query));
        let (source, columns) = query.as_source();
        let step = JoinStep { source, side: Side::Inner, on: Tree::Boolean(true), lateral: true };
        left.with_step(step, &columns).failing(failure)
    }

    #[track_caller]
    fn joined<S: Lifted, C: Condition, J: Lifted>(
        &self,
        other: &Query<'s, S>,
        side: Side,
        on: impl FnOnce(R, S) -> C,
    ) -> Query<'s, J> {
        let left = self.joinable(side);
        let (source, columns) = other.as_source();
        let mut sources = source_ids(&left.block);
        sources.extend(source.id());
        let both: Arc<[Column]> = left.columns.iter().chain(&*columns).cloned().collect();
        let split = left.columns.len();
        let (on, failure) = staged(self.session, sources, &both[..split], |row| {
            on(row, S::lift(&mut Columns::of(&columns))).condition().tree()
        });
        let failure = failure.or_else(|| other.failure.clone()).or_else(|| self.stranger(other));
        left.with_step(JoinStep { source, side, on, lateral: false }, &columns).failing(failure)
    }

    /// The query, or its rows in a new block, such that rows can be joined in place: conditions that a block has are evaluated
    /// behind its joins.
    fn joinable(&self, side: Side) -> Self {
        let query = self.opened();
        let stays = match side {
            Side::Inner => true,
            Side::Full => query.block.filter.is_none() && query.reads_sources(),
            _ => query.block.filter.is_none(),
        };
        if stays { query } else { query.derived() }
    }

    fn with_step<J>(&self, step: JoinStep, columns: &[Column]) -> Query<'s, J> {
        let mut block = self.block.clone();
        block.joins.push(step);
        let columns = self.columns.iter().chain(columns).cloned().collect();
        self.with(block, columns, false)
    }
}
