//! The functions of vectors (`evaluate/vector`). Two vectors are of one type; a number beside a vector is a double, rounded to the
//! type of the elements. Nothing fails, whatever the elements are; a NULL argument gives NULL.

use crate::types::{DataType, VECTOR_LENGTH_MAX};
use serde::{Deserialize, Serialize};

/// A function of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum VectorFunction {
    // Of two vectors: a double.
    /// `a <-> b`: the root of the sum of the squares of differences.
    Distance,
    /// The sum of the squares of differences.
    SquaredDistance,
    /// `a <+> b`: the sum of the absolute differences.
    ManhattanDistance,
    /// The sum of the products.
    InnerProduct,
    /// `a <#> b`: the sum of the products, negated.
    NegativeInnerProduct,
    /// The cosine of the angle; NaN of a vector of zeros.
    CosineSimilarity,
    /// `a <=> b`: 1 less the cosine of the angle.
    CosineDistance,

    // Of two vectors, or of a vector and a number, element by element: a vector.
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`.
    Divide,
    /// The larger elements; NaN is larger than all numbers.
    Greatest,
    /// The smaller elements.
    Least,

    // Of one vector, element by element: a vector.
    /// `-a`.
    Negate,
    /// Absolute values.
    Abs,
    /// Powers of e.
    Exp,
    /// Natural logarithms.
    Ln,
    /// Square roots.
    SquareRoot,
    /// Hyperbolic tangents.
    HyperbolicTangent,
    /// `1 / (1 + exp(-a))`.
    Sigmoid,
    /// The elements divided by the norm; zeros of a vector of norm 0.
    Normalize,

    // Of all elements of one vector.
    /// A double.
    Sum,
    /// A double: the smallest element.
    Min,
    /// A double: the largest element.
    Max,
    /// A double: the root of the sum of the squares.
    Norm,
    /// An integer: where the first of the smallest elements is, from 1.
    ArgMin,
    /// An integer: where the first of the largest elements is, from 1.
    ArgMax,
    /// An integer: how many elements there are.
    Dimensions,

    // Elements of vectors.
    /// `a[i]`, i a bigint: an element, of its own type; NULL of a place that there is not.
    Element,
    /// `subvector(a, start)`: so many elements from a place on, an integer from 1, as the call's type says. What is not there is 0.
    Part,
    /// `a || b`: the elements of both.
    Concatenate,
    /// `outer_product(a, b)`: each element of the one times each of the other, of whatever lengths, row by row: `a[i] * b[j]` is at
    /// `(i - 1) * m + j`, where m is the length of b.
    OuterProduct,

    // Of matrices, which are vectors of their elements, row by row.
    /// `matrix_vector(m, v)`: the inner products of the rows, each as long as v, with v.
    MatrixVector,
    /// `matrix_product(a, b, k)`: of a matrix with k columns and one with k rows, an integer.
    MatrixProduct,
    /// `matrix_transpose(m, rows)`: the columns of a matrix of so many rows, an integer, as rows.
    MatrixTranspose,
}

impl VectorFunction {
    /// Every function.
    pub const ALL: [VectorFunction; 35] = [
        VectorFunction::Distance,
        VectorFunction::SquaredDistance,
        VectorFunction::ManhattanDistance,
        VectorFunction::InnerProduct,
        VectorFunction::NegativeInnerProduct,
        VectorFunction::CosineSimilarity,
        VectorFunction::CosineDistance,
        VectorFunction::Add,
        VectorFunction::Subtract,
        VectorFunction::Multiply,
        VectorFunction::Divide,
        VectorFunction::Greatest,
        VectorFunction::Least,
        VectorFunction::Negate,
        VectorFunction::Abs,
        VectorFunction::Exp,
        VectorFunction::Ln,
        VectorFunction::SquareRoot,
        VectorFunction::HyperbolicTangent,
        VectorFunction::Sigmoid,
        VectorFunction::Normalize,
        VectorFunction::Sum,
        VectorFunction::Min,
        VectorFunction::Max,
        VectorFunction::Norm,
        VectorFunction::ArgMin,
        VectorFunction::ArgMax,
        VectorFunction::Dimensions,
        VectorFunction::Element,
        VectorFunction::Part,
        VectorFunction::Concatenate,
        VectorFunction::OuterProduct,
        VectorFunction::MatrixVector,
        VectorFunction::MatrixProduct,
        VectorFunction::MatrixTranspose,
    ];

    /// Whether it makes a double of two vectors.
    pub fn is_measure(self) -> bool {
        use VectorFunction as V;
        matches!(
            self,
            V::Distance
                | V::SquaredDistance
                | V::ManhattanDistance
                | V::InnerProduct
                | V::NegativeInnerProduct
                | V::CosineSimilarity
                | V::CosineDistance
        )
    }

    /// The type of a call with arguments of these types; none if they do not say it.
    pub(crate) fn result(self, arguments: &[DataType]) -> Option<DataType> {
        use VectorFunction as V;
        let vector = arguments.iter().copied().find(|argument| argument.is_vector())?;
        let (element, length) = vector.vector_of()?;
        match self {
            V::Sum | V::Min | V::Max | V::Norm => Some(DataType::Double),
            V::ArgMin | V::ArgMax | V::Dimensions => Some(DataType::Integer),
            V::Element => Some(element),
            V::Part | V::MatrixProduct => None,
            V::MatrixVector => {
                let (_, columns) = arguments.last()?.vector_of()?;
                length.is_multiple_of(columns).then(|| DataType::vector(element, length / columns))
            }
            V::Concatenate => {
                let (_, other) = arguments.last()?.vector_of()?;
                let length = length.checked_add(other).filter(|length| *length <= VECTOR_LENGTH_MAX)?;
                Some(DataType::vector(element, length))
            }
            V::OuterProduct => {
                let (_, other) = arguments.last()?.vector_of()?;
                let length = length.checked_mul(other).filter(|length| *length <= VECTOR_LENGTH_MAX)?;
                Some(DataType::vector(element, length))
            }
            measure if measure.is_measure() => Some(DataType::Double),
            _ => Some(vector),
        }
    }

    /// Whether a call can be NULL though no argument is.
    pub(crate) fn makes_null(self) -> bool {
        self == VectorFunction::Element
    }
}
