//! Functions of each element by itself, and of pairs of elements. They are total: what has no real number as its answer gives NaN
//! or an infinity, as IEEE 754 says.

use super::element::Element;
use crate::function::VectorFunction;
use std::cmp::Ordering;

/// What a function makes of one element; none if it is no function of one.
#[inline(always)]
pub fn of_one<T: Element>(function: VectorFunction) -> Option<fn(T) -> T> {
    use VectorFunction as V;
    Some(match function {
        V::Negate => T::negated,
        V::Abs => T::absolute,
        V::Exp => T::exponential,
        V::Ln => T::logarithm,
        V::SquareRoot => T::root,
        V::HyperbolicTangent => T::tangent,
        V::Sigmoid => T::sigmoid,
        _ => return None,
    })
}

/// What a function makes of two elements; none if it is no function of two.
#[inline(always)]
pub fn of_two<T: Element>(function: VectorFunction) -> Option<fn(T, T) -> T> {
    use VectorFunction as V;
    Some(match function {
        V::Add => T::plus,
        V::Subtract => T::minus,
        V::Multiply => T::times,
        V::Divide => T::over,
        V::Greatest => greatest,
        V::Least => least,
        _ => return None,
    })
}

/// The larger one, the first of equals. NaN is larger than all numbers.
#[inline(always)]
pub fn greatest<T: Element>(a: T, b: T) -> T {
    if b.order(a) == Ordering::Greater { b } else { a }
}

/// The smaller one, the first of equals.
#[inline(always)]
pub fn least<T: Element>(a: T, b: T) -> T {
    if b.order(a) == Ordering::Less { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use VectorFunction as V;

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn one_element() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (function, argument, expected) in [
            (V::Negate, 0.0, -0.0),
            (V::Negate, 2.5, -2.5),
            (V::Abs, -0.0, 0.0),
            (V::Abs, -inf, inf),
            (V::Exp, 0.0, 1.0),
            (V::Exp, 1e4, inf),
            (V::Exp, -1e4, 0.0),
            (V::Ln, 0.0, -inf),
            (V::Ln, -1.0, nan),
            (V::Ln, 1.0, 0.0),
            (V::SquareRoot, 2.25, 1.5),
            (V::SquareRoot, -1.0, nan),
            (V::SquareRoot, -0.0, -0.0),
            (V::HyperbolicTangent, inf, 1.0),
            (V::HyperbolicTangent, 0.0, 0.0),
            (V::Sigmoid, 0.0, 0.5),
            (V::Sigmoid, inf, 1.0),
            (V::Sigmoid, -inf, 0.0),
            (V::Sigmoid, nan, nan),
        ] {
            let (single, double) = (of_one::<f32>(function), of_one::<f64>(function));
            let single = single.expect("it is of one")(argument as f32);
            let double = double.expect("it is of one")(argument);
            assert!(same(f64::from(single), expected), "{function:?}({argument}) is {single}");
            assert!(same(double, expected), "{function:?}({argument}) is {double}");
        }
        assert!(of_one::<f32>(V::Add).is_none());
    }

    #[test]
    fn two_elements() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (function, a, b, expected) in [
            (V::Add, 1.0, 2.0, 3.0),
            (V::Add, inf, -inf, nan),
            (V::Subtract, 1.0, 2.5, -1.5),
            (V::Multiply, 0.0, inf, nan),
            (V::Divide, 1.0, 0.0, inf),
            (V::Divide, -1.0, 0.0, -inf),
            (V::Divide, 0.0, 0.0, nan),
            (V::Greatest, 1.0, nan, nan),
            (V::Greatest, nan, inf, nan),
            (V::Greatest, -0.0, 0.0, -0.0),
            (V::Greatest, 0.0, -0.0, 0.0),
            (V::Least, 1.0, nan, 1.0),
            (V::Least, nan, 1.0, 1.0),
            (V::Least, -0.0, 0.0, -0.0),
            (V::Least, -inf, 0.0, -inf),
        ] {
            let (single, double) = (of_two::<f32>(function), of_two::<f64>(function));
            let single = single.expect("it is of two")(a as f32, b as f32);
            let double = double.expect("it is of two")(a, b);
            assert!(same(f64::from(single), expected), "{function:?}({a}, {b}) is {single}");
            assert!(same(double, expected), "{function:?}({a}, {b}) is {double}");
        }
        assert!(of_two::<f64>(V::Abs).is_none());
        let largest = of_two::<f32>(V::Multiply).expect("it is of two")(f32::MAX, 2.0);
        assert_eq!(largest, f32::INFINITY);
    }
}
