//! Vectors as lifted values: distances, and arithmetic of their elements.
//!
//! `[f32; N]` is a `vector(n)`, `[f64; N]` a `vector(n, double)`: the compiler knows their lengths. `Vec<f32>` and `Vec<f64>` are
//! vectors of whatever length their column has, and arrays; that two lengths agree is known when the query is bound.

use super::aggregates::{Averaged, Summed};
use super::expr::Expr;
use super::functions::Logistic;
use super::literal::IntoExpr;
use super::operators::{Minus, Over, Plus, Signed, Times, Unified};
use super::types::{Both, SqlType};
use super::values::IntoRow;
use crate::linq::tree::{Call, Tree};
use crate::{DataType, Decimal, Numeric};
use multiloop_planner::types::VECTOR_LENGTH_MAX;
use std::sync::Arc;

/// Rust types that vectors are in queries.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is no vector",
    note = "vectors are `[f32; N]`, `[f64; N]`, `Vec<f32>` and `Vec<f64>`"
)]
pub trait VectorType: SqlType {
    /// The type of its elements.
    type Element: SqlType;
}

/// Vectors that have a distance: those of one length, as far as their types say it.
#[diagnostic::on_unimplemented(
    message = "a vector `{R}` has no distance from one of type `{Self}`",
    note = "both are vectors, and arrays of one length"
)]
pub trait Measured<R>: VectorType {}

/// Vectors that have an outer product: of any lengths.
#[diagnostic::on_unimplemented(
    message = "a vector of type `{Self}` has no outer product with `{R}`",
    note = "both are vectors: `[f32; N]`, `[f64; N]`, `Vec<f32>` or `Vec<f64>`"
)]
pub trait Outer<R>: VectorType {
    /// What it is: how long, its type does not say.
    type Output: SqlType;
}

/// The type of an outer product, and of what a matrix gives: NULL if one of the factors may be.
pub type ProductOf<T, R> =
    Both<T, <R as IntoExpr>::Type, <<T as SqlType>::Base as Outer<<<R as IntoExpr>::Type as SqlType>::Base>>::Output>;

macro_rules! vectors {
    ($($of:ty, $sql:expr;)*) => {
        $(impl SqlType for Vec<$of> {
            type Base = Vec<$of>;
            type Optional = Option<Vec<$of>>;
            type Carry<O: SqlType> = O;
            const OPTIONAL: bool = false;

            /// An array: a vector's type has a length.
            fn sql_type() -> DataType {
                DataType::list($sql)
            }

            fn is_of(data_type: DataType) -> bool {
                data_type == DataType::list($sql) || data_type.vector_of().is_some_and(|(of, _)| of == $sql)
            }
        }

        impl SqlType for Option<Vec<$of>> {
            type Base = Vec<$of>;
            type Optional = Self;
            type Carry<O: SqlType> = O::Optional;
            const OPTIONAL: bool = true;

            fn sql_type() -> DataType {
                <Vec<$of>>::sql_type()
            }

            fn is_of(data_type: DataType) -> bool {
                <Vec<$of>>::is_of(data_type)
            }
        }

        impl<const N: usize> SqlType for [$of; N] {
            type Base = [$of; N];
            type Optional = Option<[$of; N]>;
            type Carry<O: SqlType> = O;
            const OPTIONAL: bool = false;

            fn sql_type() -> DataType {
                const { assert!(N >= 1 && N <= VECTOR_LENGTH_MAX as usize, "a vector has 1 to 16,000 elements") };
                DataType::vector($sql, N as u32)
            }
        }

        impl<const N: usize> SqlType for Option<[$of; N]> {
            type Base = [$of; N];
            type Optional = Self;
            type Carry<O: SqlType> = O::Optional;
            const OPTIONAL: bool = true;

            fn sql_type() -> DataType {
                <[$of; N]>::sql_type()
            }
        }

        impl VectorType for Vec<$of> {
            type Element = $of;
        }

        impl<const N: usize> VectorType for [$of; N] {
            type Element = $of;
        }

        impl Summed for Vec<$of> {
            type Sum = Vec<$of>;
        }

        impl Averaged for Vec<$of> {
            type Average = Vec<$of>;
        }

        impl<const N: usize> Summed for [$of; N] {
            type Sum = [$of; N];
        }

        impl<const N: usize> Averaged for [$of; N] {
            type Average = [$of; N];
        }

        impl Logistic for Vec<$of> {
            type Output = Vec<$of>;
        }

        impl<const N: usize> Logistic for [$of; N] {
            type Output = [$of; N];
        }

        impl Signed for Vec<$of> {}
        impl<const N: usize> Signed for [$of; N] {}

        impl Unified<Vec<$of>> for Vec<$of> {
            type Output = Vec<$of>;
        }

        impl<const N: usize> Unified<[$of; N]> for [$of; N] {
            type Output = [$of; N];
        }

        literals! { $sql; Vec<$of> => Vec<$of>; &Vec<$of> => Vec<$of>; &[$of] => Vec<$of>; }

        impl<const N: usize> IntoExpr for [$of; N] {
            type Type = [$of; N];

            fn into_expr(self) -> Expr<[$of; N]> {
                Expr::of(Tree::vector(self.iter().map(|&element| element.into()), $sql))
            }
        }

        impl<const N: usize> IntoExpr for &[$of; N] {
            type Type = [$of; N];

            fn into_expr(self) -> Expr<[$of; N]> {
                (*self).into_expr()
            }
        }

        impl IntoRow for Vec<$of> {
            type Lifted = Expr<Vec<$of>>;

            fn into_row(self) -> Self::Lifted {
                self.into_expr()
            }
        }

        impl<const N: usize> IntoRow for [$of; N] {
            type Lifted = Expr<[$of; N]>;

            fn into_row(self) -> Self::Lifted {
                self.into_expr()
            }
        })*
    };
}

macro_rules! literals {
    ($sql:expr; $($rust:ty => $of:ty;)*) => {
        $(impl IntoExpr for $rust {
            type Type = $of;

            fn into_expr(self) -> Expr<$of> {
                Expr::of(Tree::vector(self.iter().map(|&element| element.into()), $sql))
            }
        })*
    };
}

vectors! {
    f32, DataType::Real;
    f64, DataType::Double;
}

/// What two vectors give element by element: of real beside double precision that.
macro_rules! pairs {
    ($($a:ty, $b:ty => $both:ty;)*) => {
        $(impl Measured<Vec<$b>> for Vec<$a> {}
        impl<const N: usize> Measured<[$b; N]> for Vec<$a> {}
        impl<const N: usize> Measured<Vec<$b>> for [$a; N] {}
        impl<const N: usize> Measured<[$b; N]> for [$a; N] {}

        impl Outer<Vec<$b>> for Vec<$a> {
            type Output = Vec<$both>;
        }

        impl<const M: usize> Outer<[$b; M]> for Vec<$a> {
            type Output = Vec<$both>;
        }

        impl<const N: usize> Outer<Vec<$b>> for [$a; N] {
            type Output = Vec<$both>;
        }

        impl<const N: usize, const M: usize> Outer<[$b; M]> for [$a; N] {
            type Output = Vec<$both>;
        }

        pairs! { of Plus Minus Times Over: $a, $b => $both })*
    };
    (of $($rule:ident)*: $a:ty, $b:ty => $both:ty) => {
        $(impl $rule<Vec<$b>> for Vec<$a> {
            type Output = Vec<$both>;
        }

        impl<const N: usize> $rule<[$b; N]> for Vec<$a> {
            type Output = [$both; N];
        }

        impl<const N: usize> $rule<Vec<$b>> for [$a; N] {
            type Output = [$both; N];
        }

        impl<const N: usize> $rule<[$b; N]> for [$a; N] {
            type Output = [$both; N];
        })*
    };
}

pairs! {
    f32, f32 => f32;
    f32, f64 => f64;
    f64, f32 => f64;
    f64, f64 => f64;
}

/// A number on either side of a vector goes with each element, rounded to the type of these.
macro_rules! numbers {
    ($($of:ty: $($number:ty)*;)*) => {
        $($(numbers! { of Plus Minus Times Over: $of, $number })*)*
    };
    (of $($rule:ident)*: $of:ty, $number:ty) => {
        $(impl $rule<$number> for Vec<$of> {
            type Output = Vec<$of>;
        }

        impl $rule<Vec<$of>> for $number {
            type Output = Vec<$of>;
        }

        impl<const N: usize> $rule<$number> for [$of; N] {
            type Output = [$of; N];
        }

        impl<const N: usize> $rule<[$of; N]> for $number {
            type Output = [$of; N];
        })*
    };
}

numbers! {
    f32: i16 i32 i64 f32 f64 Decimal Numeric;
    f64: i16 i32 i64 f32 f64 Decimal Numeric;
}

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name<R: IntoExpr>(self, other: R) -> Expr<Both<T, R::Type, f64>>
        where
            T::Base: Measured<<R::Type as SqlType>::Base>,
        {
            let arguments = vec![self.tree(), other.into_expr().tree()];
            Expr::of(Tree::Call(Call::new(stringify!($name), Some(arguments))))
        })*
    };
}

macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident -> $gives:ty;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Expr<T::Carry<$gives>> {
            self.calling(stringify!($name))
        })*
    };
}

impl<T: SqlType> Expr<T>
where
    T::Base: VectorType,
{
    measures! {
        /// `self <-> other`: the distance of two points.
        ///
        /// ```
        /// let session = multiloop::Engine::new()?.session();
        /// let points = session.values([(1_i32, [3.0_f32, 4.0]), (2, [1.0, 0.0])]);
        /// let nearest = points.order_by(|p| p.1.l2_distance([0.0_f32, 0.0])).select(|p| p.0);
        /// assert_eq!(nearest.first()?, Some(2));
        /// # Ok::<(), multiloop::Error>(())
        /// ```
        ///
        /// Two arrays of different lengths have no distance:
        ///
        /// ```compile_fail
        /// let session = multiloop::Engine::new().unwrap().session();
        /// let points = session.values([[3.0_f32, 4.0]]);
        /// points.select(|p| p.l2_distance([0.0_f32; 3]));
        /// ```
        l2_distance;
        /// The square of the distance, without its root.
        squared_distance;
        /// `self <+> other`: the sum of the absolute differences.
        l1_distance;
        /// The inner product, of which `<#>` is the negative.
        dot;
        /// `self <=> other`: 1 less the cosine of the angle.
        cosine_distance;
        /// The cosine of the angle.
        cosine_similarity;
    }

    of_one! {
        /// The length of the vector: the root of the sum of the squares.
        l2_norm -> f64;
        /// The sum of the elements.
        vector_sum -> f64;
        /// The smallest element.
        vector_min -> f64;
        /// The largest element.
        vector_max -> f64;
        /// The number of elements.
        vector_dims -> i32;
        /// Where the first of the smallest elements is, from 1.
        argmin -> i32;
        /// Where the first of the largest elements is, from 1.
        argmax -> i32;
    }

    /// The products of all pairs of elements, row by row: that of `self[i]` and `other[j]` is at `(i - 1) * m + j`, where m is the
    /// length of the other vector. Sums and averages of it are made without it.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let points = session.values([[1.0_f64, 2.0], [3.0, 5.0]]);
    /// let moments = points.aggregate(|g| g.sum(|x| x.outer_product(x)));
    /// assert_eq!(moments.collect()?, [Some(vec![10.0, 17.0, 17.0, 29.0])]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn outer_product<R: IntoExpr>(self, other: R) -> Expr<ProductOf<T, R>>
    where
        T::Base: Outer<<R::Type as SqlType>::Base>,
    {
        let arguments = vec![self.tree(), other.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("outer_product", Some(arguments))))
    }

    /// A matrix, row by row, times a vector as long as its rows: their inner products.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let points = session.values([[1.0_f64, 2.0]]);
    /// let turned = points.select(|x| multiloop::linq::literal([0.0_f64, -1.0, 1.0, 0.0]).matrix_vector(x));
    /// assert_eq!(turned.collect()?, [[-2.0, 1.0]]);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn matrix_vector<R: IntoExpr>(self, vector: R) -> Expr<ProductOf<T, R>>
    where
        T::Base: Outer<<R::Type as SqlType>::Base>,
    {
        let arguments = vec![self.tree(), vector.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("matrix_vector", Some(arguments))))
    }

    /// A matrix with so many columns times one with so many rows, each row by row.
    #[track_caller]
    pub fn matrix_product<R: IntoExpr>(self, other: R, inner: i32) -> Expr<ProductOf<T, R>>
    where
        T::Base: Outer<<R::Type as SqlType>::Base>,
    {
        let arguments = vec![self.tree(), other.into_expr().tree(), inner.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("matrix_product", Some(arguments))))
    }

    /// The columns of a matrix of so many rows as rows.
    #[track_caller]
    pub fn matrix_transpose(self, rows: i32) -> Expr<T> {
        let arguments = vec![self.tree(), rows.into_expr().tree()];
        Expr::of(Tree::Call(Call::new("matrix_transpose", Some(arguments))))
    }

    /// The vector of norm 1 in the same direction.
    #[track_caller]
    pub fn l2_normalize(self) -> Expr<T> {
        self.calling("l2_normalize")
    }

    /// `self[at]`: an element, from 1; NULL where there is none.
    #[track_caller]
    pub fn element<I: IntoExpr>(self, at: I) -> Expr<<<T::Base as VectorType>::Element as SqlType>::Optional>
    where
        I::Type: SqlType<Base = i32>,
    {
        Expr::of(Tree::Subscript(Arc::new(self.tree()), Arc::from([at.into_expr().tree()])))
    }
}
