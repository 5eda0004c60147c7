//! Vectors: so many values of real or of double precision, which one NULL stands for as a whole and in which there is none
//! (`Value::Vector`). `text` is how they are written, `cast` what becomes one and what one becomes.
//!
//! `function` has what functions of vectors mean, said by `measure` of two vectors, by `each` of their elements, by `total` of all
//! elements of one. All of these are of an [`Element`] type, so that kernels are made of the same.

pub(super) mod cast;
mod each;
mod element;
mod function;
mod measure;
pub(super) mod text;
mod total;

pub use each::{greatest, least, of_one, of_two};
pub use element::Element;
pub(super) use function::apply;
pub use measure::{
    Cosine, CosineDistance, CosineDistanceBeside, CosineSimilarity, CosineSimilarityBeside, Distance, InnerProduct,
    ManhattanDistance, Measure, NegativeInnerProduct, SquaredDistance,
};
pub use total::{Squares, Sum, max, min, norm, normal, place, squares, sum};
