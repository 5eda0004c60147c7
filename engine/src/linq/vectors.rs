//! Vectors in expressions: literals, distances, and what else vectors have.

use super::expression::{Expression, function, lit};
use super::tree::Tree;
use crate::DataType;

/// What becomes a vector in an expression: expressions, and Rust's floats as literals. An `f32` is an element of `vector(n)`, an `f64`
/// one of `vector(n, double)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become a vector",
    note = "there are expressions, and slices, arrays and `Vec`s of `f32` and `f64`"
)]
pub trait IntoVector {
    /// The vector.
    fn into_vector(self) -> Expression;
}

impl IntoVector for Expression {
    fn into_vector(self) -> Expression {
        self
    }
}

macro_rules! literals {
    ($($of:ty, $sql:expr;)*) => {
        $(impl IntoVector for &[$of] {
            fn into_vector(self) -> Expression {
                Expression::of(Tree::vector(self.iter().map(|&element| element.into()), $sql))
            }
        }

        impl IntoVector for Vec<$of> {
            fn into_vector(self) -> Expression {
                self.as_slice().into_vector()
            }
        }

        impl IntoVector for &Vec<$of> {
            fn into_vector(self) -> Expression {
                self.as_slice().into_vector()
            }
        }

        impl<const N: usize> IntoVector for [$of; N] {
            fn into_vector(self) -> Expression {
                self.as_slice().into_vector()
            }
        }

        impl<const N: usize> IntoVector for &[$of; N] {
            fn into_vector(self) -> Expression {
                self.as_slice().into_vector()
            }
        })*
    };
}

literals! {
    f32, DataType::Real;
    f64, DataType::Double;
}

/// A vector: `'[1,2,3]'::vector(3)`. Without any element, and with more than there may be, it is an error of the query.
///
/// ```
/// use multiloop::linq::{col, vector};
///
/// let session = multiloop::Engine::new()?.session();
/// session.sql("CREATE TABLE t (v vector(2)); INSERT INTO t VALUES ('[3,4]')")?;
/// let sums = session.table("t").select([col("v") + vector([1.0_f32, 1.0])]);
/// assert_eq!(sums.run()?.fields()[0].data_type.to_string(), "vector(2)");
/// # Ok::<(), multiloop::Error>(())
/// ```
pub fn vector(elements: impl IntoVector) -> Expression {
    elements.into_vector()
}

macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(self, other: impl IntoVector) -> Expression {
            function(stringify!($name), [self, other.into_vector()])
        })*
    };
}

macro_rules! of_one {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(self) -> Expression {
            function(stringify!($name), [self])
        })*
    };
}

impl Expression {
    measures! {
        /// `self <-> other`: the distance of two points.
        ///
        /// ```
        /// use multiloop::linq::col;
        ///
        /// let session = multiloop::Engine::new()?.session();
        /// session.sql("CREATE TABLE t (id int, v vector(2)); INSERT INTO t VALUES (1, '[3,4]'), (2, '[1,0]')")?;
        /// let near = session.table("t").select([col("id")]).order_by([col("v").l2_distance([0.0_f32, 0.0])]).limit(1, 0);
        /// let row = near.query(())?.next().expect("a row")?;
        /// assert_eq!(row.get::<i32>("id")?, 2);
        /// # Ok::<(), multiloop::Error>(())
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
        /// The products of all pairs of elements, row by row: that of `self[i]` and `other[j]` is at `(i - 1) * m + j`, where m is
        /// the length of the other vector. Sums and averages of it are made without it.
        outer_product;
        /// A matrix, row by row, times a vector as long as its rows: their inner products.
        matrix_vector;
    }

    /// A matrix with so many columns times one with so many rows, each row by row.
    #[must_use]
    pub fn matrix_product(self, other: impl IntoVector, inner: i32) -> Expression {
        function("matrix_product", [self, other.into_vector(), lit(inner)])
    }

    /// The columns of a matrix of so many rows as rows.
    #[must_use]
    pub fn matrix_transpose(self, rows: i32) -> Expression {
        function("matrix_transpose", [self, lit(rows)])
    }

    of_one! {
        /// The length of a vector: the root of the sum of the squares.
        l2_norm;
        /// The vector of norm 1 in the same direction.
        l2_normalize;
        /// 1 / (1 + exp(-self)) of a number, or of each element of a vector: from 0 to 1, never an error.
        sigmoid;
        /// The sum of a vector's elements.
        vector_sum;
        /// The smallest of a vector's elements.
        vector_min;
        /// The largest of a vector's elements.
        vector_max;
        /// The number of a vector's elements.
        vector_dims;
        /// Where the first of a vector's smallest elements is, from 1.
        argmin;
        /// Where the first of a vector's largest elements is, from 1.
        argmax;
    }
}
