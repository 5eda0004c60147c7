//! The two types of elements, and what their arithmetic is: IEEE 754's, of the type itself.
//!
//! No sum is reassociated and no product is fused with a sum, so a result depends on nothing but the elements.

use crate::value::compare_floats;
use std::cmp::Ordering;

/// An element of a vector: `f32` for real, `f64` for double precision.
pub trait Element: Copy + Default + Send + Sync + 'static {
    /// 0.
    const ZERO: Self;

    /// A double, rounded to this type: to an infinity if it is out of range.
    fn of(value: f64) -> Self;
    /// The same number as a double.
    fn double(self) -> f64;
    /// `self + other`.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// `self - other`.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// `self * other`.
    #[must_use]
    fn times(self, other: Self) -> Self;
    /// `self / other`.
    #[must_use]
    fn over(self, other: Self) -> Self;
    /// `-self`.
    #[must_use]
    fn negated(self) -> Self;
    /// Without its sign.
    #[must_use]
    fn absolute(self) -> Self;
    /// e to this power.
    #[must_use]
    fn exponential(self) -> Self;
    /// The natural logarithm: NaN of negative numbers, minus infinity of zeros.
    #[must_use]
    fn logarithm(self) -> Self;
    /// The square root: NaN of negative numbers.
    #[must_use]
    fn root(self) -> Self;
    /// The hyperbolic tangent.
    #[must_use]
    fn tangent(self) -> Self;

    /// SQL's order: NaN equals itself and is larger than all numbers, zeros are equal.
    #[inline(always)]
    fn order(self, other: Self) -> Ordering {
        compare_floats(self.double(), other.double())
    }

    /// `1 / (1 + exp(-self))`.
    #[inline(always)]
    #[must_use]
    fn sigmoid(self) -> Self {
        let one = Self::of(1.0);
        one.over(one.plus(self.negated().exponential()))
    }
}

macro_rules! element {
    ($type:ty) => {
        impl Element for $type {
            const ZERO: Self = 0.0;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn double(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn negated(self) -> Self {
                -self
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn exponential(self) -> Self {
                self.exp()
            }
            #[inline(always)]
            fn logarithm(self) -> Self {
                self.ln()
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn tangent(self) -> Self {
                self.tanh()
            }
        }
    };
}

element!(f32);
element!(f64);
