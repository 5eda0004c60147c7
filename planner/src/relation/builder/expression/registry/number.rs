//! Functions of numbers.

use super::{Described, Signature, described, of_double, signature};
use crate::function::Function as F;
use crate::types::DataType::Double;

pub(super) const SIGNATURES: &[Signature] = &[
    of_double("sqrt", F::SquareRoot, "the square root"),
    of_double("dsqrt", F::SquareRoot, "the square root"),
    of_double("cbrt", F::CubeRoot, "the cube root"),
    of_double("dcbrt", F::CubeRoot, "the cube root"),
    of_double("exp", F::Exp, "e to this power"),
    of_double("dexp", F::Exp, "e to this power"),
    of_double("ln", F::Ln, "the natural logarithm"),
    of_double("dlog1", F::Ln, "the natural logarithm"),
    of_double("log", F::Log10, "the logarithm of base 10"),
    of_double("log10", F::Log10, "the logarithm of base 10"),
    of_double("dlog10", F::Log10, "the logarithm of base 10"),
    of_double("sin", F::Sin, "the sine, of radians"),
    of_double("cos", F::Cos, "the cosine, of radians"),
    of_double("tan", F::Tan, "the tangent, of radians"),
    of_double("asin", F::Asin, "the arc sine, in radians"),
    of_double("acos", F::Acos, "the arc cosine, in radians"),
    of_double("atan", F::Atan, "the arc tangent, in radians"),
    of_double("degrees", F::Degrees, "radians in degrees"),
    of_double("radians", F::Radians, "degrees in radians"),
    signature("power", F::Power, &[Double, Double], 2, Double, "the first to the power of the second"),
    signature("pow", F::Power, &[Double, Double], 2, Double, "the first to the power of the second"),
    signature("dpow", F::Power, &[Double, Double], 2, Double, "the first to the power of the second"),
    signature("atan2", F::Atan2, &[Double, Double], 2, Double, "the arc tangent of a quotient, in radians"),
    signature("random", F::Random, &[], 0, Double, "a number from 0 to below 1"),
];

pub(super) const DESCRIBED: &[Described] = &[
    described(&["abs"], "a number", "the same", "the number without its sign"),
    described(&["sign"], "numeric or double precision", "the same", "-1, 0 or 1"),
    described(&["ceil", "ceiling"], "numeric or double precision", "the same", "the next integer that is not smaller"),
    described(&["floor"], "numeric or double precision", "the same", "the next integer that is not larger"),
    described(&["round"], "numeric [, integer] or double precision", "the same", "rounded, to so many digits"),
    described(&["trunc"], "numeric [, integer] or double precision", "the same", "cut to so many digits"),
    described(&["mod"], "number, number", "the same", "the remainder"),
    described(&["div"], "numeric, numeric", "numeric", "the whole quotient"),
    described(&["gcd"], "number, number", "the same", "the greatest common divisor"),
    described(&["lcm"], "number, number", "the same", "the least common multiple"),
    described(&["factorial"], "bigint", "numeric", "the product of all integers up to this"),
    described(&["scale"], "numeric", "integer", "the number of digits behind the point"),
    described(&["min_scale"], "numeric", "integer", "the number of digits behind the point that are needed"),
    described(&["trim_scale"], "numeric", "numeric", "without needless zeros behind the point"),
    described(&["pi"], "", "double precision", "the number π"),
];
