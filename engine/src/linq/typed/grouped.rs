//! Groups: what is computed of the rows of each, or of all rows.

use super::aggregates::{Averaged, Number, Ordered, Summed};
use super::arena;
use super::conditions::Condition;
use super::expr::Expr;
use super::order::{Key, Keys};
use super::query::{Query, fresh, source_ids};
use super::record::{Column, Columns, Fields, Lifted};
use super::types::{AverageOf, SqlType, SumOf};
use crate::linq::survey::{belongs_to_level, has_aggregate};
use crate::linq::tree::{Call, Tree};
use crate::{Error, ErrorKind};
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// The groups of a query's rows that have equal keys: each becomes a row by [`Grouped::select`].
pub struct Grouped<'s, K, R> {
    /// Its columns are those of the rows; the keys are the block's.
    query: Query<'s, R>,
    keys: Arc<[Column]>,
    of: PhantomData<fn() -> K>,
}

/// A group while its query is built: its key, and what aggregates give over its rows. [`Group::filter`], [`Group::distinct`] and
/// [`Group::order_by`] say over which of the rows, and in which order.
///
/// `E` says whether there may be no row, so that sums and the like may be NULL: [`NeverEmpty`] or [`PerhapsEmpty`].
pub struct Group<'s, K, R, E = NeverEmpty> {
    /// What the rows of the group have in common.
    pub key: K,
    rows: R,
    parts: Parts<'s, R>,
    of: PhantomData<fn() -> E>,
}

/// Which rows, and in which order.
struct Parts<'s, R> {
    query: Rc<Query<'s, R>>,
    keys: Arc<[Column]>,
    /// The number of the group, and how many scopes are open where its aggregates belong.
    group: (u64, usize),
    filter: Option<Tree>,
    distinct: bool,
    order: Vec<Key>,
}

impl<R> Clone for Parts<'_, R> {
    fn clone(&self) -> Self {
        Parts {
            query: Rc::clone(&self.query),
            keys: Arc::clone(&self.keys),
            group: self.group,
            filter: self.filter.clone(),
            distinct: self.distinct,
            order: self.order.clone(),
        }
    }
}

impl<'s, R> Parts<'s, R> {
    /// All rows of the group of the scope that is open.
    fn of(query: Rc<Query<'s, R>>, keys: Arc<[Column]>, number: u64) -> Self {
        let group = (number, arena::depth());
        Parts { query, keys, group, filter: None, distinct: false, order: Vec::new() }
    }
}

/// Whether an aggregate may have no rows.
pub trait Emptiness: 'static {
    /// What an aggregate gives whose values are of a type.
    type Of<T: SqlType>: SqlType<Base = T::Base>;
}

/// There is a row: a sum of numbers that are not NULL is not NULL.
#[derive(Clone, Copy, Debug)]
pub enum NeverEmpty {}

/// There may be no row: a sum may be NULL.
#[derive(Clone, Copy, Debug)]
pub enum PerhapsEmpty {}

impl Emptiness for NeverEmpty {
    type Of<T: SqlType> = T;
}

impl Emptiness for PerhapsEmpty {
    type Of<T: SqlType> = T::Optional;
}

impl<'s, R: Lifted> Query<'s, R> {
    /// Groups rows by a value, or a row of values; NULLs are equal.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let trips = session.values([("Bern", 90_i32), ("Oslo", 5), ("Bern", 12)]);
    /// let cities = trips
    ///     .group_by(|t| t.0)
    ///     .filter(|g| g.count().gt(1))
    ///     .select(|g| (g.key, g.sum(|t| t.1), g.filter(|t| t.1.gt(50)).count()));
    /// assert_eq!(cities.collect()?, [("Bern".to_owned(), 102, 1)]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn group_by<K: Lifted>(&self, key: impl FnOnce(R) -> K) -> Grouped<'s, K, R> {
        let caller = Location::caller();
        let query = self.opened();
        let (keys, failure) = query.stage(|row| Fields::of(&key(row), caller));
        let is_plain = |key: &Column| matches!(key.tree, Tree::Column { .. });
        if keys.iter().all(is_plain) {
            let mut block = query.block.clone();
            block.keys = keys.iter().map(|key| key.tree.clone()).collect();
            let query = query.with(block, Arc::clone(&query.columns), false).failing(failure);
            return Grouped { query, keys: keys.into(), of: PhantomData };
        }
        // A key that is computed is a column first, so that it is computed once, and has a name within subqueries.
        let columns: Vec<Column> = query.columns.iter().cloned().chain(keys).collect();
        let split = query.columns.len();
        let derived = query.selecting::<R>(columns).derived();
        let (columns, keys) = derived.columns.split_at(split);
        let mut block = derived.block.clone();
        block.keys = keys.iter().map(|key| key.tree.clone()).collect();
        let query = derived.with(block, columns.into(), false).failing(failure);
        Grouped { query, keys: keys.into(), of: PhantomData }
    }

    /// One row of aggregates over all rows, also where there are none.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// let all = numbers.aggregate(|g| (g.count(), g.max(|n| n), g.filter(|n| n.gt(3)).sum(|n| n)));
    /// assert_eq!(all.one()?, (3, Some(3), None));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn aggregate<S: Lifted>(&self, row: impl FnOnce(Group<'s, (), R, PerhapsEmpty>) -> S) -> Query<'s, S> {
        let caller = Location::caller();
        let query = Rc::new(self.opened());
        let keys: Arc<[Column]> = Arc::from([]);
        let number = fresh();
        let (columns, failure) = query.stage(|rows| {
            let parts = Parts::of(Rc::clone(&query), keys, number);
            Fields::of(&row(Group { key: (), rows, parts, of: PhantomData }), caller)
        });
        let mut block = query.block.clone();
        // One row, also where nothing is aggregated.
        if !columns.iter().any(|column| has_aggregate(&column.tree, number)) {
            block.having = Some(Tree::Boolean(true));
        }
        query.with(block, columns.into(), true).failing(failure)
    }
}

impl<'s, K: Lifted, R: Lifted> Grouped<'s, K, R> {
    /// Keeps the groups for which a condition is true: HAVING.
    #[must_use]
    #[track_caller]
    pub fn filter<C: Condition>(&self, condition: impl FnOnce(Group<'s, K, R>) -> C) -> Self {
        let (tree, failure) = self.stage(|group| condition(group).condition().tree());
        let mut block = self.query.block.clone();
        block.having = Some(match block.having.take() {
            None => tree,
            Some(before) => before.and(tree),
        });
        let query = self.query.with(block, Arc::clone(&self.query.columns), false).failing(failure);
        Grouped { query, keys: Arc::clone(&self.keys), of: PhantomData }
    }

    /// A row of each group.
    #[must_use]
    #[track_caller]
    pub fn select<S: Lifted>(&self, row: impl FnOnce(Group<'s, K, R>) -> S) -> Query<'s, S> {
        let caller = Location::caller();
        let (columns, failure) = self.stage(|group| Fields::of(&row(group), caller));
        self.query.with(self.query.block.clone(), columns.into(), true).failing(failure)
    }

    fn stage<T>(&self, closure: impl FnOnce(Group<'s, K, R>) -> T) -> (T, Option<Error>) {
        let sources = source_ids(&self.query.block);
        let is_lent = arena::is_open() && arena::lends_any(&sources);
        let mut before = self.query.clone();
        before.block.keys.clear();
        before.block.having = None;
        let query = Rc::new(before);
        let keys = Arc::clone(&self.keys);
        let (given, failure) = self.query.stage(|rows| {
            let key = K::lift(&mut Columns::of(&keys));
            let parts = Parts::of(query, Arc::clone(&keys), fresh());
            closure(Group { key, rows, parts, of: PhantomData })
        });
        let failure = failure.or_else(|| is_lent.then(within_itself));
        (given, failure)
    }
}

#[cold]
fn within_itself() -> Error {
    let message = "groups are used within a closure over the same rows";
    Error::new(ErrorKind::InvalidColumnReference, message)
        .with_hint("Use the rows of the groups, that is what their `select` gives, or group within the closure.")
}

impl<'s, K: Copy, R: Lifted, E> Group<'s, K, R, E> {
    fn with<F>(&self, parts: Parts<'s, R>) -> Group<'s, K, R, F> {
        Group { key: self.key, rows: self.rows, parts, of: PhantomData }
    }

    /// The group's rows for which a condition is true: FILTER of SQL's aggregates.
    #[must_use]
    #[track_caller]
    pub fn filter<C: Condition>(&self, condition: impl FnOnce(R) -> C) -> Group<'s, K, R, PerhapsEmpty> {
        let tree = condition(self.rows).condition().tree();
        let filter = match self.parts.filter.clone() {
            None => tree,
            Some(before) => before.and(tree),
        };
        self.with(Parts { filter: Some(filter), ..self.parts.clone() })
    }

    /// Each value of an aggregate once: DISTINCT within its parentheses.
    #[must_use]
    pub fn distinct(&self) -> Self {
        self.with(Parts { distinct: true, ..self.parts.clone() })
    }

    /// The order in which an aggregate sees values, where that matters, as in [`Group::string_agg`].
    #[must_use]
    #[track_caller]
    pub fn order_by<O: Keys>(&self, keys: impl FnOnce(R) -> O) -> Self {
        self.with(Parts { order: keys(self.rows).keys(), ..self.parts.clone() })
    }

    /// The rows of the group as a query, to which all steps apply.
    #[must_use]
    pub fn rows(&self) -> Query<'s, R> {
        let Parts { query, keys, filter, distinct, order, .. } = &self.parts;
        if *distinct || !order.is_empty() {
            let message = "rows of a group follow neither its distinct nor its order_by";
            let error = Error::new(ErrorKind::Unsupported, message);
            arena::fail(error.with_hint("Say it of the rows: g.rows().distinct(), g.rows().order_by(…)."));
        }
        let split = query.columns.len();
        let mut inner = (**query).clone();
        if let Some(filter) = filter {
            inner.block.filter = Some(match inner.block.filter.take() {
                None => filter.clone(),
                Some(before) => before.and(filter.clone()),
            });
        }
        let columns: Vec<Column> = query.columns.iter().chain(keys.iter()).cloned().collect();
        let derived = inner.selecting::<R>(columns).derived();
        let (columns, members) = derived.columns.split_at(split);
        let mut block = derived.block.clone();
        let same =
            members.iter().zip(keys.iter()).map(|(own, key)| Tree::distinct(true, own.tree.clone(), key.tree.clone()));
        block.filter = same.reduce(Tree::and);
        derived.with(block, columns.into(), false)
    }

    /// How many rows there are.
    #[track_caller]
    pub fn count(&self) -> Expr<i64> {
        self.aggregate("count", None)
    }

    /// How many values are not NULL.
    #[track_caller]
    pub fn count_of<T>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<i64> {
        self.of_value("count", value)
    }

    /// Any aggregate of SQL by its name, over any number of values. That it gives a `T` is checked when the result is read.
    #[track_caller]
    pub fn call<T, S: Lifted>(&self, name: &str, values: impl FnOnce(R) -> S) -> Expr<T> {
        let values = Fields::of(&values(self.rows), Location::caller());
        self.aggregate(name, Some(values.into_iter().map(|value| value.tree).collect()))
    }

    #[track_caller]
    fn of_value<T, U>(&self, name: &str, value: impl FnOnce(R) -> Expr<T>) -> Expr<U> {
        let value = value(self.rows).tree();
        self.aggregate(name, Some(vec![value]))
    }

    #[track_caller]
    fn aggregate<T>(&self, name: &str, arguments: Option<Vec<Tree>>) -> Expr<T> {
        let mut call = Call::new(name, arguments);
        let Parts { filter, distinct, order, .. } = &self.parts;
        let (number, depth) = self.parts.group;
        call.of_group = number;
        call.distinct = *distinct;
        call.filter = filter.clone().map(Arc::new);
        // An order is of no use to most aggregates, and none to count(*).
        if call.arguments.is_some() {
            call.order = order.iter().map(|key| key.lower().0).collect();
        }
        let tree = Tree::Call(call);
        if arena::depth() != depth && belongs_to_level(&tree) {
            arena::fail(arena::of_outer_level(Location::caller()));
        }
        Expr::of(tree)
    }
}

impl<K: Copy, R: Lifted, E: Emptiness> Group<'_, K, R, E> {
    /// The sum; NULLs are left out.
    #[track_caller]
    pub fn sum<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<SumOf<E, T>>
    where
        T::Base: Summed,
    {
        self.of_value("sum", value)
    }

    /// The average; NULLs are left out.
    #[track_caller]
    pub fn avg<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<AverageOf<E, T>>
    where
        T::Base: Averaged,
    {
        self.of_value("avg", value)
    }

    /// The least value; NULLs are left out.
    #[track_caller]
    pub fn min<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<E::Of<T>>
    where
        T::Base: Ordered,
    {
        self.of_value("min", value)
    }

    /// The greatest value; NULLs are left out.
    #[track_caller]
    pub fn max<T: SqlType>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<E::Of<T>>
    where
        T::Base: Ordered,
    {
        self.of_value("max", value)
    }

    /// Whether a condition is true for all rows; NULLs are left out.
    #[track_caller]
    pub fn all<T: SqlType<Base = bool>>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<E::Of<T>> {
        self.of_value("bool_and", value)
    }

    /// Whether a condition is true for some row; NULLs are left out.
    #[track_caller]
    pub fn any<T: SqlType<Base = bool>>(&self, value: impl FnOnce(R) -> Expr<T>) -> Expr<E::Of<T>> {
        self.of_value("bool_or", value)
    }

    /// Texts one behind the other, with something between them; NULLs are left out.
    #[track_caller]
    pub fn string_agg<T: SqlType<Base = String>>(
        &self,
        value: impl FnOnce(R) -> Expr<T>,
        between: &str,
    ) -> Expr<E::Of<T>> {
        let value = value(self.rows).tree();
        self.aggregate("string_agg", Some(vec![value, Tree::Text(between.to_owned())]))
    }

    /// The standard deviation of a sample: NULL for fewer than two values.
    #[track_caller]
    pub fn stddev<T: SqlType>(
        &self,
        value: impl FnOnce(R) -> Expr<T>,
    ) -> Expr<<<T::Base as Averaged>::Average as SqlType>::Optional>
    where
        T::Base: Averaged + Number,
    {
        self.of_value("stddev_samp", value)
    }

    /// The variance of a sample: NULL for fewer than two values.
    #[track_caller]
    pub fn variance<T: SqlType>(
        &self,
        value: impl FnOnce(R) -> Expr<T>,
    ) -> Expr<<<T::Base as Averaged>::Average as SqlType>::Optional>
    where
        T::Base: Averaged + Number,
    {
        self.of_value("var_samp", value)
    }
}
