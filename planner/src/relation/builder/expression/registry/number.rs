//! Functions of numbers.

use super::{Described, Signature, described, of_double, signature};
use crate::function::{Function as F, MathFunction as M};
use crate::types::DataType::{self, BigInt, Boolean, Double, Integer, Numeric};
use crate::types::OidKind;

/// What functions of sequences take.
const SEQUENCE: DataType = DataType::Oid(OidKind::Class);
const SET: &[DataType] = &[SEQUENCE, BigInt, Boolean];
/// What width_bucket takes.
const NUMERICS: &[DataType] = &[Numeric, Numeric, Numeric, Integer];
const DOUBLES: &[DataType] = &[Double, Double, Double, Integer];
const BUCKET: &str = "which of so many buckets from a bound to another holds a value, from 1";
const ARC: &str = "the arc tangent of a quotient, in degrees";

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
    signature("nextval", F::NextValue, &[SEQUENCE], 1, BigInt, "the next value of a sequence"),
    signature("setval", F::SetValue, SET, 2, BigInt, "sets the last value of a sequence, and whether it was given"),
    signature("currval", F::CurrentValue, &[SEQUENCE], 1, BigInt, "what the session drew last from a sequence"),
    signature("lastval", F::LastValue, &[], 0, BigInt, "what the session drew last from any sequence"),
    of_double("sind", F::Math(M::SineOfDegrees), "the sine, of degrees"),
    of_double("cosd", F::Math(M::CosineOfDegrees), "the cosine, of degrees"),
    of_double("tand", F::Math(M::TangentOfDegrees), "the tangent, of degrees"),
    of_double("cotd", F::Math(M::CotangentOfDegrees), "the cotangent, of degrees"),
    of_double("asind", F::Math(M::ArcSineInDegrees), "the arc sine, in degrees"),
    of_double("acosd", F::Math(M::ArcCosineInDegrees), "the arc cosine, in degrees"),
    of_double("atand", F::Math(M::ArcTangentInDegrees), "the arc tangent, in degrees"),
    signature("atan2d", F::Math(M::ArcTangentOfQuotientInDegrees), &[Double, Double], 2, Double, ARC),
    of_double("cot", F::Math(M::Cotangent), "the cotangent, of radians"),
    of_double("sinh", F::Math(M::HyperbolicSine), "the hyperbolic sine"),
    of_double("cosh", F::Math(M::HyperbolicCosine), "the hyperbolic cosine"),
    of_double("tanh", F::Math(M::HyperbolicTangent), "the hyperbolic tangent"),
    of_double("asinh", F::Math(M::HyperbolicArcSine), "the inverse of the hyperbolic sine"),
    of_double("acosh", F::Math(M::HyperbolicArcCosine), "the inverse of the hyperbolic cosine"),
    of_double("atanh", F::Math(M::HyperbolicArcTangent), "the inverse of the hyperbolic tangent"),
    of_double("log2", F::Math(M::Log2), "the logarithm of base 2"),
    of_double("gamma", F::Math(M::Gamma), "the gamma function: the factorial of the number less one"),
    of_double("lgamma", F::Math(M::LogGamma), "the logarithm of the gamma function"),
    of_double("even", F::Math(M::Even), "the next even number away from zero"),
    signature("isnan", F::Math(M::IsNan), &[Double], 1, Boolean, "whether it is no number"),
    signature("isinf", F::Math(M::IsInfinite), &[Double], 1, Boolean, "whether it is an infinity"),
    signature("isfinite", F::Math(M::IsFinite), &[Double], 1, Boolean, "whether it is neither NaN nor an infinity"),
    signature("signbit", F::Math(M::SignBit), &[Double], 1, Boolean, "whether its sign is a minus"),
    signature("width_bucket", F::Math(M::WidthBucketOfNumerics), NUMERICS, 4, Integer, BUCKET),
    signature("width_bucket", F::Math(M::WidthBucket), DOUBLES, 4, Integer, BUCKET),
    signature("xor", F::BitXor, &[Integer, Integer], 2, Integer, "the bits that one of both numbers has"),
    signature("xor", F::BitXor, &[BigInt, BigInt], 2, BigInt, "the bits that one of both numbers has"),
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
    described(&["bit_count"], "integer, bigint, bytea or bit", "integer or bigint", "the number of bits that are set"),
    described(&["setseed"], "double precision", "void", "the seed of random(), from -1 to 1, in this session"),
    described(&["pi"], "", "double precision", "the number π"),
];
