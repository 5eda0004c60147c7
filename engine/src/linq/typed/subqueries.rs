//! Queries as values within the closures of other ones, of whose rows they may make use.

use super::aggregates::{Averaged, Ordered, Summed};
use super::arena;
use super::conditions::Condition;
use super::expr::Expr;
use super::literal::IntoExpr;
use super::operators::Comparable;
use super::query::Query;
use super::record::Lifted;
use super::types::{Both, SqlType};
use crate::linq::tree::Tree;
use std::sync::Arc;

/// The type of an aggregate over rows that may not be there.
type Perhaps<T, O> = <<T as SqlType>::Carry<O> as SqlType>::Optional;

impl<'s, R: Lifted> Query<'s, R> {
    /// Whether there is a row. Within a closure of another query only, like all that follows.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (cities, trips) = (session.values([1_i32, 2]), session.values([(1_i32, 90_i32), (1, 12)]));
    /// let visited = cities.filter(|c| trips.filter(|t| t.0.eq(c)).exists());
    /// assert_eq!(visited.collect()?, [1]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn exists(&self) -> Expr<bool> {
        Expr::of(Tree::Exists(self.as_subquery()))
    }

    /// Whether there is a row for which a condition is true.
    #[track_caller]
    pub fn any<C: Condition>(&self, condition: impl FnOnce(R) -> C) -> Expr<bool> {
        self.filter(condition).exists()
    }

    /// Whether there is no row for which a condition is true.
    #[track_caller]
    pub fn not_any<C: Condition>(&self, condition: impl FnOnce(R) -> C) -> Expr<bool> {
        !self.any(condition)
    }

    /// Whether a condition is true for all rows, also where there are none.
    #[track_caller]
    pub fn all<C: Condition>(&self, condition: impl FnOnce(R) -> C) -> Expr<bool> {
        self.not_any(|row| !condition(row).condition().is_true())
    }

    /// How many rows there are.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (cities, trips) = (session.values([1_i32, 2]), session.values([(1_i32, 90_i32), (1, 12)]));
    /// let counts = cities.select(|c| (c, trips.filter(|t| t.0.eq(c)).count()));
    /// assert_eq!(counts.order_by(|c| c.0).collect()?, [(1, 2), (2, 0)]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn count(&self) -> Expr<i64> {
        self.aggregate(|g| g.count()).scalar()
    }

    /// The sum of a value; NULL where there is none.
    #[track_caller]
    pub fn sum<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<Perhaps<T, <T::Base as Summed>::Sum>>
    where
        T::Base: Summed,
    {
        self.aggregate(|g| g.sum(value)).scalar()
    }

    /// The average of a value; NULL where there is none.
    #[track_caller]
    pub fn avg<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<Perhaps<T, <T::Base as Averaged>::Average>>
    where
        T::Base: Averaged,
    {
        self.aggregate(|g| g.avg(value)).scalar()
    }

    /// The least value; NULL where there is none.
    #[track_caller]
    pub fn min<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<T::Optional>
    where
        T::Base: Ordered,
    {
        self.aggregate(|g| g.min(value)).scalar()
    }

    /// The greatest value; NULL where there is none.
    #[track_caller]
    pub fn max<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<T::Optional>
    where
        T::Base: Ordered,
    {
        self.aggregate(|g| g.max(value)).scalar()
    }

    /// The query as a subquery; its mistakes are those of the query around it.
    fn as_subquery(&self) -> Arc<crate::linq::block::Block> {
        if let Some(failure) = &self.failure {
            arena::fail(failure.clone());
        }
        if !arena::is_of(self.session) {
            arena::fail(arena::of_other_session());
        }
        Arc::new(self.finished().0)
    }

    /// The value of the only column of the only row.
    fn scalar<T>(&self) -> Expr<T> {
        Expr::of(Tree::Scalar(self.as_subquery()))
    }
}

impl<T: SqlType> Query<'_, Expr<T>> {
    /// The value of the only row; NULL where there is none, an error of the query (21000) where there are several.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// let middle = numbers.order_by(|n| n).skip(1).take(1);
    /// assert_eq!(numbers.filter(|n| n.gt(middle.value())).collect()?, [3]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn value(&self) -> Expr<T::Optional> {
        self.scalar()
    }

    /// Whether a value is among those of the query: `value IN (query)`, NULL where it is not but one of them is NULL.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let (a, b) = (session.values([1_i32, 2]), session.values([2_i32, 3]));
    /// assert_eq!(a.filter(|a| b.contains(a)).collect()?, [2]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn contains<V: IntoExpr>(&self, value: V) -> Expr<Both<T, V::Type, bool>>
    where
        <V::Type as SqlType>::Base: Comparable<T::Base>,
    {
        let value: Arc<[Tree]> = Arc::from([value.into_expr().tree()]);
        Expr::of(Tree::InRows(value, self.as_subquery()))
    }
}
