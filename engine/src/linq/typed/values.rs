//! Rust's values as rows of a query.

use super::arena;
use super::expr::Expr;
use super::literal::IntoExpr;
use super::query::{Query, columns_of, fresh};
use super::record::{FieldReader, Fields, Lifted};
use super::types::SqlType;
use crate::linq::block::Source;
use crate::linq::tree::{Alias, Call, Tree};
use crate::session::Session;
use crate::tuples::for_tuples;
use crate::{DataType, Date, Decimal, Interval, Numeric, Time, Timestamp, TimestampTz, Uuid, Value};
use std::panic::Location;
use std::sync::Arc;

/// A Rust value that becomes a row of a query: a literal, or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become a row of a query",
    note = "rows are literals and tuples of them; more of them are a table: see `Session::insert` and `Session::appender`"
)]
pub trait IntoRow {
    /// The row of lifted values.
    type Lifted: Lifted;

    /// The value as a row.
    fn into_row(self) -> Self::Lifted;
}

macro_rules! literal_rows {
    ($($rust:ty => $of:ty),*) => {
        $(impl IntoRow for $rust {
            type Lifted = Expr<$of>;

            fn into_row(self) -> Self::Lifted {
                self.into_expr()
            }
        })*
    };
}

literal_rows! {
    bool => bool, i16 => i16, i32 => i32, i64 => i64, f32 => f32, f64 => f64, &str => String, &String => String,
    String => String, Arc<str> => String, Numeric => Numeric, Interval => Interval, Decimal => Decimal, Date => Date,
    Time => Time, Timestamp => Timestamp, TimestampTz => TimestampTz, Uuid => Uuid
}

impl<V: IntoExpr> IntoRow for Option<V> {
    type Lifted = Expr<<V::Type as SqlType>::Optional>;

    fn into_row(self) -> Self::Lifted {
        self.into_expr()
    }
}

macro_rules! tuples {
    ($($of:ident $at:tt),+) => {
        impl<$($of: IntoRow),+> IntoRow for ($($of,)+) {
            type Lifted = ($($of::Lifted,)+);

            fn into_row(self) -> Self::Lifted {
                ($(self.$at.into_row(),)+)
            }
        }
    };
}

for_tuples!(tuples);

impl Session {
    /// Rust's values as a query: VALUES. Meant for lists that one would write down; more rows are better inserted into a table.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let fruit = session.values([("apple", Some(3_i32)), ("pear", None)]);
    /// let known = fruit.filter(|f| f.1.is_not_null()).select(|f| f.0);
    /// assert_eq!(known.collect()?, ["apple"]);
    /// assert!(session.values([1_i32; 0]).collect()?.is_empty());
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn values<V: IntoRow>(&self, rows: impl IntoIterator<Item = V>) -> Query<'_, V::Lifted> {
        let caller = Location::caller();
        let scope = arena::open(Vec::new(), self);
        let lowered = |row: V| Fields::of(&row.into_row(), caller).into_iter().map(|column| column.tree).collect();
        let mut rows: Vec<Vec<Tree>> = rows.into_iter().map(lowered).collect();
        let failure = scope.failure();
        drop(scope);
        let is_empty = rows.is_empty();
        if is_empty {
            // SQL has no VALUES without rows.
            let types = FieldReader::types_of::<V::Lifted>();
            rows.push(types.into_iter().map(|of| Tree::Value(Value::Null, of)).collect());
        }
        let names: Vec<Arc<str>> = (1..=V::Lifted::WIDTH).map(|at| Arc::from(format!("column{at}"))).collect();
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("listed") };
        let columns = columns_of(&alias, names.iter().cloned());
        let source = Source::Values { rows, columns: names.iter().map(ToString::to_string).collect(), alias };
        let mut query = Query::of_source(self, source, columns).failing(failure);
        if is_empty {
            query.block.filter = Some(Tree::Boolean(false));
        }
        query
    }

    /// The whole numbers from `first` to `last`, these two among them; none if `last` is less, or either is NULL. Within
    /// [`select_many`](Query::select_many) they may depend on the row: they are positions of its arrays' and vectors' elements, which
    /// brings those of several together.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// assert_eq!(session.positions(1, 4).select(|i| i * i).collect()?, [1, 4, 9, 16]);
    ///
    /// let rows = session.values([(1_i32, 2_i32), (2, 3), (3, 0)]);
    /// let up_to = rows.select_many(|row| session.positions(1, row.1)).select(|(row, _, i)| (row, i));
    /// assert_eq!(up_to.order_by(|r| r).collect()?, [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn positions<A: IntoExpr, B: IntoExpr>(&self, first: A, last: B) -> Query<'_, Expr<i32>>
    where
        A::Type: SqlType<Base = i32>,
        B::Type: SqlType<Base = i32>,
    {
        let scope = arena::open(Vec::new(), self);
        let bounds = vec![first.into_expr().tree(), last.into_expr().tree()];
        let failure = scope.failure();
        drop(scope);
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("positions") };
        let columns = columns_of(&alias, [Arc::from("position")]);
        let call = Call::new("generate_series", Some(bounds));
        let source = Source::Function { call, columns: vec!["position".to_owned()], alias };
        Query::of_source(self, source, columns).failing(failure)
    }
}

impl FieldReader<'_> {
    /// The SQL types of a row's values.
    pub(super) fn types_of<R: Lifted>() -> Vec<DataType> {
        let mut reader = FieldReader::noting();
        // Nothing is checked while types are noted.
        let _ = R::check(&mut reader);
        reader.noted()
    }
}
