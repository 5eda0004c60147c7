//! Functions of vectors.

use super::{Described, Signature, described, of_double};
use crate::function::{Function, MathFunction};

const DOUBLE: &str = "double precision";
const PAIR: &str = "vector, vector";
const ONE: &str = "vector";

/// What functions of an element by itself are of a number.
pub(super) const SIGNATURES: &[Signature] =
    &[of_double("sigmoid", Function::Math(MathFunction::Sigmoid), "1 / (1 + exp(-a)): from 0 to 1, never an error")];

pub(super) const DESCRIBED: &[Described] = &[
    described(&["l2_distance"], PAIR, DOUBLE, "the distance of two points: a <-> b"),
    described(&["squared_distance"], PAIR, DOUBLE, "the square of that distance"),
    described(&["l1_distance"], PAIR, DOUBLE, "the sum of the absolute differences: a <+> b"),
    described(&["inner_product", "dot"], PAIR, DOUBLE, "the sum of the products; a <#> b is its negative"),
    described(&["cosine_distance"], PAIR, DOUBLE, "1 less the cosine of the angle between two vectors: a <=> b"),
    described(&["cosine_similarity"], PAIR, DOUBLE, "the cosine of the angle between two vectors"),
    described(
        &["outer_product"],
        PAIR,
        ONE,
        "the products of all pairs of elements, row by row: a[i] * b[j] at (i - 1) * m + j",
    ),
    described(
        &["matrix_vector"],
        PAIR,
        ONE,
        "a matrix, row by row, times a vector: the inner products of its rows with it",
    ),
    described(
        &["matrix_product"],
        "vector, vector, integer",
        ONE,
        "a matrix of so many columns times one of so many rows, a constant",
    ),
    described(
        &["matrix_transpose"],
        "vector, integer",
        ONE,
        "the columns of a matrix of so many rows, a constant, as rows",
    ),
    described(&["vector_dims"], ONE, "integer", "the number of elements"),
    described(&["vector_norm", "l2_norm"], ONE, DOUBLE, "the length of the vector: the root of the sum of the squares"),
    described(&["l2_normalize"], ONE, ONE, "the vector of norm 1 in the same direction; zeros of zeros"),
    described(
        &["subvector"],
        "vector, integer, integer",
        ONE,
        "from a place, from 1, so many elements; both constants",
    ),
    described(&["sigmoid"], ONE, ONE, "1 / (1 + exp(-a)) of each element"),
    described(&["vector_sum"], ONE, DOUBLE, "the sum of the elements"),
    described(&["vector_min"], ONE, DOUBLE, "the smallest element"),
    described(&["vector_max"], ONE, DOUBLE, "the largest element; NaN is larger than all numbers"),
    described(&["argmin"], ONE, "integer", "where the first of the smallest elements is, from 1"),
    described(&["argmax"], ONE, "integer", "where the first of the largest elements is, from 1"),
];
