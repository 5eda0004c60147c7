//! The functions of numbers beyond SQL's own (`evaluate/angles`, `evaluate/width_bucket`): angles in degrees, hyperbolic functions, what
//! kind of number one is, histograms.

use serde::{Deserialize, Serialize};

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are named as the functions are")]
pub enum MathFunction {
    SineOfDegrees,
    CosineOfDegrees,
    TangentOfDegrees,
    CotangentOfDegrees,
    ArcSineInDegrees,
    ArcCosineInDegrees,
    ArcTangentInDegrees,
    /// `atan2d(y, x)`.
    ArcTangentOfQuotientInDegrees,
    Cotangent,
    HyperbolicSine,
    HyperbolicCosine,
    HyperbolicTangent,
    HyperbolicArcSine,
    HyperbolicArcCosine,
    HyperbolicArcTangent,
    Log2,
    Gamma,
    LogGamma,
    /// `sigmoid(number)`: 1 / (1 + exp(-number)).
    Sigmoid,
    /// `even(number)`: the next even number away from zero.
    Even,
    IsNan,
    IsInfinite,
    IsFinite,
    SignBit,
    /// `width_bucket(value, low, high, count)` of doubles.
    WidthBucket,
    /// The same of numerics.
    WidthBucketOfNumerics,
    /// `bit_count(integer)`: of the bits that the type has.
    BitCount,
}

impl MathFunction {
    /// Every function.
    pub const ALL: [MathFunction; 27] = [
        MathFunction::SineOfDegrees,
        MathFunction::CosineOfDegrees,
        MathFunction::TangentOfDegrees,
        MathFunction::CotangentOfDegrees,
        MathFunction::ArcSineInDegrees,
        MathFunction::ArcCosineInDegrees,
        MathFunction::ArcTangentInDegrees,
        MathFunction::ArcTangentOfQuotientInDegrees,
        MathFunction::Cotangent,
        MathFunction::HyperbolicSine,
        MathFunction::HyperbolicCosine,
        MathFunction::HyperbolicTangent,
        MathFunction::HyperbolicArcSine,
        MathFunction::HyperbolicArcCosine,
        MathFunction::HyperbolicArcTangent,
        MathFunction::Log2,
        MathFunction::Gamma,
        MathFunction::LogGamma,
        MathFunction::Sigmoid,
        MathFunction::Even,
        MathFunction::IsNan,
        MathFunction::IsInfinite,
        MathFunction::IsFinite,
        MathFunction::SignBit,
        MathFunction::WidthBucket,
        MathFunction::WidthBucketOfNumerics,
        MathFunction::BitCount,
    ];

    /// Whether it has a value for all arguments.
    pub(crate) fn is_total(self) -> bool {
        use MathFunction as M;
        matches!(
            self,
            M::ArcTangentInDegrees
                | M::ArcTangentOfQuotientInDegrees
                | M::HyperbolicSine
                | M::HyperbolicCosine
                | M::HyperbolicTangent
                | M::HyperbolicArcSine
                | M::Sigmoid
                | M::Even
                | M::IsNan
                | M::IsInfinite
                | M::IsFinite
                | M::SignBit
                | M::BitCount
        )
    }
}
