//! What is made of all elements of one vector: sums, extremes and their places, the norm. Sums are of the elements' own type, but for
//! those of squares: these are double precision, where the square of every real is exact, and no norm of reals overflows.

use super::each::{greatest, least};
use super::element::Element;
use super::measure::Measure;
use std::cmp::Ordering;

/// The sum, as a measure of a vector alone: what is beside it does not count. So kernels of measures make it, too.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

impl Measure for Sum {
    type Sum<T: Element> = T;

    #[inline(always)]
    fn start<T: Element>(self) -> T {
        T::ZERO
    }
    #[inline(always)]
    fn add<T: Element>(self, sum: T, a: T, _: T) -> T {
        sum.plus(a)
    }
    #[inline(always)]
    fn end<T: Element>(self, sum: T) -> f64 {
        sum.double()
    }
}

/// The sum of the squares, likewise.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl Measure for Squares {
    type Sum<T: Element> = f64;

    #[inline(always)]
    fn start<T: Element>(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn add<T: Element>(self, sum: f64, a: T, _: T) -> f64 {
        sum + a.double() * a.double()
    }
    #[inline(always)]
    fn end<T: Element>(self, sum: f64) -> f64 {
        sum
    }
}

/// The sum, from the first to the last.
#[inline(always)]
pub fn sum<T: Element>(elements: impl Iterator<Item = T>) -> f64 {
    Sum.of(elements.map(|each| (each, T::ZERO)))
}

/// The sum of the squares, from the first to the last.
#[inline(always)]
pub fn squares<T: Element>(elements: impl Iterator<Item = T>) -> f64 {
    Squares.of(elements.map(|each| (each, T::ZERO)))
}

/// The square root of the sum of the squares.
#[inline(always)]
pub fn norm<T: Element>(elements: impl Iterator<Item = T>) -> f64 {
    squares(elements).sqrt()
}

/// The smallest element, the first of equals; NaN is larger than all numbers. 0 of none.
#[inline(always)]
pub fn min<T: Element>(elements: impl Iterator<Item = T>) -> f64 {
    elements.reduce(least).unwrap_or_default().double()
}

/// The largest element, the first of equals. 0 of none.
#[inline(always)]
pub fn max<T: Element>(elements: impl Iterator<Item = T>) -> f64 {
    elements.reduce(greatest).unwrap_or_default().double()
}

/// Where the first of the smallest or largest elements is, from 1.
#[inline(always)]
pub fn place<T: Element>(elements: impl Iterator<Item = T>, better: Ordering) -> i64 {
    let mut best: Option<(i64, T)> = None;
    for (place, element) in (1..).zip(elements) {
        if best.is_none_or(|(_, best)| element.order(best) == better) {
            best = Some((place, element));
        }
    }
    best.map_or(0, |(place, _)| place)
}

/// An element of the vector of this norm, as one of the vector in its direction of norm 1. Of norm 0 all are 0.
#[inline(always)]
pub fn normal<T: Element>(element: T, norm: f64) -> T {
    if norm == 0.0 { T::ZERO } else { T::of(element.double() / norm) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn singles(values: &[f64]) -> impl Iterator<Item = f32> {
        values.iter().map(|&value| value as f32)
    }

    fn doubles(values: &[f64]) -> impl Iterator<Item = f64> {
        values.iter().copied()
    }

    #[test]
    fn sums_and_norms() {
        assert_eq!(sum(singles(&[1.0, 2.5, -0.5])), 3.0);
        assert_eq!(sum(singles(&[16_777_216.0, 1.0, 1.0])), 16_777_216.0);
        assert_eq!(sum(doubles(&[16_777_216.0, 1.0, 1.0])), 16_777_218.0);
        assert_eq!(norm(singles(&[3.0, 4.0])), 5.0);
        assert_eq!(norm(singles(&[1e30])), f64::from(1e30f32));
        assert_eq!(norm(singles(&[3e-40, 4e-40])), norm(doubles(&[f64::from(3e-40f32), f64::from(4e-40f32)])));
        // 2^12 + 1 has a square that is no real.
        assert_eq!(norm(singles(&[4097.0])), 4097.0);
        assert_eq!(norm(doubles(&[1e30])), 1e30);
        assert!(sum(singles(&[f64::INFINITY, f64::NEG_INFINITY])).is_nan());
        assert_eq!(sum(doubles(&vec![0.5; 16_000])), 8_000.0);
    }

    #[test]
    fn extremes() {
        let nan = f64::NAN;
        for (values, least, least_at, greatest, greatest_at) in [
            (&[3.0, 1.0, 2.0, 1.0][..], 1.0, 2, 3.0, 1),
            (&[1.0, 3.0, 3.0], 1.0, 1, 3.0, 2),
            (&[nan, 1.0, nan], 1.0, 2, nan, 1),
            (&[nan, nan], nan, 1, nan, 1),
            (&[7.0], 7.0, 1, 7.0, 1),
            (&[f64::NEG_INFINITY, f64::INFINITY], f64::NEG_INFINITY, 1, f64::INFINITY, 2),
        ] {
            let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
            assert!(same(min(singles(values)), least) && same(min(doubles(values)), least), "{values:?}");
            assert!(same(max(singles(values)), greatest) && same(max(doubles(values)), greatest), "{values:?}");
            let places = (place(singles(values), Ordering::Less), place(doubles(values), Ordering::Greater));
            assert_eq!(places, (least_at, greatest_at), "{values:?}");
        }
        // Zeros are equal: the first one is it, with its sign.
        assert_eq!(min(doubles(&[0.0, -0.0])).to_bits(), 0.0f64.to_bits());
        assert_eq!(max(doubles(&[-0.0, 0.0])).to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn directions() {
        assert_eq!(normal(3.0f32, 5.0), 0.6);
        assert_eq!(normal(0.0f64, 0.0), 0.0);
        assert!(normal(f64::NAN, f64::NAN).is_nan());
        assert_eq!(normal(1.0f64, f64::INFINITY), 0.0);
    }
}
