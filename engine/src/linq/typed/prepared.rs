//! Queries with parameters: planned once, run many times.

use super::arena;
use super::expr::Expr;
use super::query::Query;
use super::record::Lifted;
use super::run::QueryRows;
use super::types::SqlType;
use crate::linq::tree::Tree;
use crate::parameters::{ParameterList, ToParameter};
use crate::session::{Prepared, Session};
use crate::tuples::for_tuples;
use crate::{DataType, Error, ErrorKind, Result};
use std::fmt;
use std::marker::PhantomData;

/// The parameters of a prepared query: a tuple of Rust types.
pub trait Bound {
    /// The parameters in the query.
    type Lifted: Copy;

    /// The parameters from `$1` on.
    #[doc(hidden)]
    fn lift() -> Self::Lifted;

    /// Their SQL types; none for a text, which takes the type that it meets, as a literal does, and for a vector of any length.
    #[doc(hidden)]
    fn types() -> Vec<DataType>;

    /// Their values for a run.
    #[doc(hidden)]
    fn values(self) -> ParameterList;
}

/// A query with parameters of types `P`, that is planned once. See [`Session::prepare_query`].
pub struct PreparedQuery<'s, P, R> {
    session: &'s Session,
    prepared: Prepared,
    of: PhantomData<fn(P) -> R>,
}

impl<P, R> fmt::Debug for PreparedQuery<'_, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedQuery").field("text", &self.prepared.text()).finish_non_exhaustive()
    }
}

impl Session {
    /// Prepares a query with parameters, which its closures use as values.
    ///
    /// # Errors
    /// Those of the query; its values are not known yet.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let numbers = session.values([1_i32, 2, 3]);
    /// let above = session.prepare_query::<(i32,), _>(|(least,)| numbers.filter(|n| n.gt(least)))?;
    /// assert_eq!(above.collect((1,))?, [2, 3]);
    /// assert_eq!(above.collect((2,))?, [3]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    pub fn prepare_query<'s, P: Bound, R: Lifted>(
        &'s self,
        query: impl FnOnce(P::Lifted) -> Query<'s, R>,
    ) -> Result<PreparedQuery<'s, P, R>> {
        let scope = arena::open(Vec::new(), self);
        let query = query(P::lift());
        let failure = scope.failure();
        drop(scope);
        if !std::ptr::eq(self, query.session) {
            return Err(Error::new(ErrorKind::InvalidParameter, "the query belongs to another session"));
        }
        let mut statements = self.parse(&query.failing(failure).to_sql()?)?;
        let statement = statements.pop().ok_or_else(|| Error::internal("a query has no text"))?;
        let prepared = self.prepare_statement(&statement, &P::types())?;
        Ok(PreparedQuery { session: self, prepared, of: PhantomData })
    }
}

impl<P: Bound, R: Lifted> PreparedQuery<'_, P, R> {
    /// Runs it with values for its parameters: all rows.
    ///
    /// # Errors
    /// Those of the query.
    pub fn collect(&self, parameters: P) -> Result<Vec<R::Row>> {
        self.rows(parameters)?.collect()
    }

    /// Runs it: rows one by one, while they are made.
    ///
    /// # Errors
    /// Those of the query.
    pub fn rows(&self, parameters: P) -> Result<QueryRows<R>> {
        QueryRows::of(self.prepared.query(self.session, parameters.values())?)
    }

    /// Runs it: the first row, if there is one.
    ///
    /// # Errors
    /// Those of the query.
    pub fn first(&self, parameters: P) -> Result<Option<R::Row>> {
        self.rows(parameters)?.next().transpose()
    }
}

macro_rules! tuples {
    ($($of:ident $at:tt),*) => {
        impl<$($of: SqlType + ToParameter),*> Bound for ($($of,)*) {
            type Lifted = ($(Expr<$of>,)*);

            fn lift() -> Self::Lifted {
                ($(Expr::<$of>::of(Tree::Parameter($at + 1)),)*)
            }

            fn types() -> Vec<DataType> {
                let is_open = |of: DataType| of == DataType::Text || of.element().is_some_and(DataType::is_float);
                let known = |of: DataType| if is_open(of) { DataType::Null } else { of };
                vec![$(known(<$of as SqlType>::sql_type())),*]
            }

            fn values(self) -> ParameterList {
                ParameterList::of(vec![$(self.$at.to_parameter()),*])
            }
        }
    };
}

for_tuples!(tuples);
