//! Numbers of two vectors of one length: distances and products.
//!
//! Each adds one term a position, from the first to the last. Distances and products do so in the elements' own type, which is
//! what they are compared by most, fast; cosines in double precision. What is made of a sum (a root, a quotient) is double precision.

use super::element::Element;
use crate::function::VectorFunction;

/// A measure: what it adds up, and what it makes of that.
pub trait Measure: Copy {
    /// What is added up.
    type Sum<T: Element>: Copy;

    /// Before the first position.
    fn start<T: Element>(self) -> Self::Sum<T>;
    /// With the elements at one position more.
    fn add<T: Element>(self, sum: Self::Sum<T>, a: T, b: T) -> Self::Sum<T>;
    /// The measure.
    fn end<T: Element>(self, sum: Self::Sum<T>) -> f64;

    /// The measure of two vectors, of which the shorter one says how many positions count.
    #[inline(always)]
    fn of<T: Element>(self, pairs: impl Iterator<Item = (T, T)>) -> f64 {
        self.end::<T>(pairs.fold(self.start::<T>(), |sum, (a, b)| self.add(sum, a, b)))
    }
}

/// A measure with one sum of terms.
macro_rules! of_terms {
    ($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident| $term:expr, |$sum:ident| $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Measure for $name {
            type Sum<T: Element> = T;

            #[inline(always)]
            fn start<T: Element>(self) -> T {
                T::ZERO
            }
            #[inline(always)]
            fn add<T: Element>(self, sum: T, $a: T, $b: T) -> T {
                sum.plus($term)
            }
            #[inline(always)]
            fn end<T: Element>(self, sum: T) -> f64 {
                let $sum = sum.double();
                $end
            }
        }
    };
}

/// The square of a difference.
#[inline(always)]
fn squared<T: Element>(a: T, b: T) -> T {
    let difference = a.minus(b);
    difference.times(difference)
}

of_terms!(
    /// The square root of the sum of the squares of differences.
    Distance, |a, b| squared(a, b), |sum| sum.sqrt()
);
of_terms!(
    /// The sum of the squares of differences.
    SquaredDistance, |a, b| squared(a, b), |sum| sum
);
of_terms!(
    /// The sum of the absolute differences.
    ManhattanDistance, |a, b| a.minus(b).absolute(), |sum| sum
);
of_terms!(
    /// The sum of the products.
    InnerProduct, |a, b| a.times(b), |sum| sum
);
of_terms!(
    /// The sum of the products, negated.
    NegativeInnerProduct, |a, b| a.times(b), |sum| -sum
);

/// The sums that a cosine is made of, in double precision whatever the elements are: products of reals are exact there, and neither
/// over- nor underflow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cosine {
    /// Of the products.
    product: f64,
    /// Of the squares of the first vector's elements.
    left: f64,
    /// Of the squares of the second vector's elements.
    right: f64,
}

/// From -1 to 1, of the sum of the products and both sums of squares; NaN of a vector of zeros, which has no direction. The root of a
/// product is exact more often than the product of the roots (a vector's distance from itself is 0), but this is there where the
/// product of the squares over- or underflows.
#[inline(always)]
fn similarity(product: f64, left: f64, right: f64) -> f64 {
    let squares = left * right;
    let root = if squares.is_normal() { squares.sqrt() } else { left.sqrt() * right.sqrt() };
    // NaN stays as it is.
    (product / root).clamp(-1.0, 1.0)
}

/// Defines a measure of the cosine, and the same beside a vector whose sum of squares is known.
macro_rules! of_cosines {
    ($(#[$doc:meta])* $name:ident, $beside:ident, |$cosine:ident| $end:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Measure for $name {
            type Sum<T: Element> = Cosine;

            #[inline(always)]
            fn start<T: Element>(self) -> Cosine {
                Cosine::default()
            }
            #[inline(always)]
            fn add<T: Element>(self, sum: Cosine, a: T, b: T) -> Cosine {
                let (a, b) = (a.double(), b.double());
                Cosine { product: sum.product + a * b, left: sum.left + a * a, right: sum.right + b * b }
            }
            #[inline(always)]
            fn end<T: Element>(self, sum: Cosine) -> f64 {
                let $cosine = similarity(sum.product, sum.left, sum.right);
                $end
            }
        }

        /// The same beside a second vector whose squares have this sum.
        #[derive(Clone, Copy, Debug)]
        pub struct $beside(pub f64);

        impl Measure for $beside {
            type Sum<T: Element> = (f64, f64);

            #[inline(always)]
            fn start<T: Element>(self) -> (f64, f64) {
                (0.0, 0.0)
            }
            #[inline(always)]
            fn add<T: Element>(self, (product, left): (f64, f64), a: T, b: T) -> (f64, f64) {
                let (a, b) = (a.double(), b.double());
                (product + a * b, left + a * a)
            }
            #[inline(always)]
            fn end<T: Element>(self, (product, left): (f64, f64)) -> f64 {
                let $cosine = similarity(product, left, self.0);
                $end
            }
        }
    };
}

of_cosines!(
    /// The cosine of the angle between two vectors.
    CosineSimilarity, CosineSimilarityBeside, |cosine| cosine
);
of_cosines!(
    /// 1 less that cosine.
    CosineDistance, CosineDistanceBeside, |cosine| 1.0 - cosine
);

/// The measure of a function of two vectors; none if the function is no measure.
pub(super) fn measured<T: Element>(function: VectorFunction, pairs: impl Iterator<Item = (T, T)>) -> Option<f64> {
    use VectorFunction as V;
    Some(match function {
        V::Distance => Distance.of(pairs),
        V::SquaredDistance => SquaredDistance.of(pairs),
        V::ManhattanDistance => ManhattanDistance.of(pairs),
        V::InnerProduct => InnerProduct.of(pairs),
        V::NegativeInnerProduct => NegativeInnerProduct.of(pairs),
        V::CosineSimilarity => CosineSimilarity.of(pairs),
        V::CosineDistance => CosineDistance.of(pairs),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use VectorFunction as V;

    fn of<T: Element>(function: V, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b).map(|(&a, &b)| (T::of(a), T::of(b)));
        measured(function, pairs).expect("it is a measure")
    }

    #[track_caller]
    fn check(function: V, a: &[f64], b: &[f64], expected: f64) {
        let same = |value: f64| value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan());
        let (single, double) = (of::<f32>(function, a, b), of::<f64>(function, a, b));
        assert!(same(single), "{function:?} of reals: {single}, not {expected}");
        assert!(same(double), "{function:?} of doubles: {double}, not {expected}");
    }

    #[test]
    fn measures() {
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 6.0, 3.0]);
        check(V::Distance, &a, &b, 5.0);
        check(V::SquaredDistance, &a, &b, 25.0);
        check(V::ManhattanDistance, &a, &b, 7.0);
        check(V::InnerProduct, &a, &b, 25.0);
        check(V::NegativeInnerProduct, &a, &b, -25.0);
        check(V::CosineSimilarity, &[3.0, 0.0], &[5.0, 0.0], 1.0);
        check(V::CosineDistance, &[3.0, 0.0], &[-5.0, 0.0], 2.0);
        check(V::Distance, &[2.0], &[-1.0], 3.0);
    }

    #[test]
    fn ieee_has_the_last_word() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        check(V::Distance, &[nan, 1.0], &[0.0, 0.0], nan);
        check(V::Distance, &[inf, 1.0], &[0.0, 0.0], inf);
        check(V::Distance, &[inf], &[inf], nan);
        check(V::InnerProduct, &[0.0], &[inf], nan);
        check(V::InnerProduct, &[-0.0], &[1.0], 0.0);
        check(V::CosineSimilarity, &[0.0, 0.0], &[1.0, 2.0], nan);
        check(V::CosineDistance, &[nan, 0.0], &[1.0, 2.0], nan);
    }

    #[test]
    fn sums_are_of_the_elements_type() {
        // The squares of large reals, and of small ones, are no reals; those of doubles are doubles.
        assert_eq!(of::<f32>(V::Distance, &[1e30], &[0.0]), f64::INFINITY);
        assert_eq!(of::<f64>(V::Distance, &[1e30], &[0.0]), 1e30);
        assert_eq!(of::<f32>(V::Distance, &[1e-30], &[0.0]), 0.0);
        let denormal = f64::from(f32::from_bits(1));
        assert_eq!(of::<f32>(V::ManhattanDistance, &[denormal, denormal], &[0.0, 0.0]), 2.0 * denormal);
        // One after the other: 2^24 and 1 is 2^24 as a real, however often.
        let ones = [[16_777_216.0].to_vec(), vec![1.0; 100]].concat();
        assert_eq!(of::<f32>(V::InnerProduct, &ones, &[1.0; 101]), 16_777_216.0);
        assert_eq!(of::<f64>(V::InnerProduct, &ones, &[1.0; 101]), 16_777_316.0);
    }

    #[test]
    fn many_elements_are_added_from_the_left() {
        let a: Vec<f64> = (0..16_000).map(|at| f64::from((at * 37 % 1001) as f32 * 0.37)).collect();
        let b: Vec<f64> = (0..16_000).map(|at| f64::from((at * 91 % 877) as f32 * -0.11)).collect();
        let (mut single, mut double) = (0f32, 0f64);
        for (&a, &b) in a.iter().zip(&b) {
            single += a as f32 * b as f32;
            double += a * b;
        }
        assert_eq!(of::<f32>(V::InnerProduct, &a, &b), f64::from(single));
        assert_eq!(of::<f64>(V::InnerProduct, &a, &b), double);
    }

    #[test]
    fn a_cosine_is_none_beyond_one() {
        let a = [0.1, 0.2, 0.3];
        let b = a.map(|each| each * 3.0);
        for cosine in [of::<f32>(V::CosineSimilarity, &a, &b), of::<f64>(V::CosineSimilarity, &a, &b)] {
            assert!((0.999..=1.0).contains(&cosine), "{cosine}");
        }
    }

    #[test]
    fn a_cosine_neither_overflows_nor_underflows_where_its_vectors_do_not() {
        for scale in [1e100, 1e-100, 1e150, 1e-150] {
            assert_eq!(of::<f64>(V::CosineSimilarity, &[scale, 0.0], &[scale, 0.0]), 1.0, "{scale}");
            assert_eq!(of::<f64>(V::CosineDistance, &[scale, scale], &[scale, -scale]), 1.0, "{scale}");
        }
        for scale in [1e30, 1e-30, 3e38, 1e-44] {
            assert_eq!(of::<f32>(V::CosineSimilarity, &[scale, 0.0], &[-scale, 0.0]), -1.0, "{scale}");
            assert_eq!(of::<f32>(V::CosineDistance, &[scale, scale], &[scale, -scale]), 1.0, "{scale}");
        }
    }

    #[test]
    fn a_vector_beside_many_is_measured_once() {
        let a: Vec<f64> = (0..100).map(|at| f64::from((at * 37 % 101) as f32 * 0.37)).collect();
        let b: Vec<f64> = (0..100).map(|at| f64::from((at * 91 % 77) as f32 * -0.11)).collect();
        fn check<T: Element>(a: &[f64], b: &[f64]) {
            let pairs = || a.iter().zip(b).map(|(&a, &b)| (T::of(a), T::of(b)));
            let squares = crate::evaluate::vector::squares(pairs().map(|(_, b)| b));
            let both = [CosineSimilarityBeside(squares).of(pairs()), CosineDistanceBeside(squares).of(pairs())];
            assert_eq!(both, [CosineSimilarity.of(pairs()), CosineDistance.of(pairs())]);
        }
        check::<f32>(&a, &b);
        check::<f64>(&a, &b);
    }
}
