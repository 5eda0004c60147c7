//! The result type that a function has unless the text form says otherwise. Printer and parser share it, so
//! that most types need not be written; a wrong guess costs an annotation, never a meaning.

use super::{Aggregate, Gather, Reduction};
use crate::evaluate::quantile::Quantile;
use crate::evaluate::statistic::Statistic;
use crate::function::Function;
use crate::types::{DECIMAL_DIGITS_MAX, DataType};
use std::borrow::Cow;

/// The type that a call of these argument types usually has.
pub(super) fn call_type(function: Function, arguments: &[DataType]) -> Option<DataType> {
    use Function as F;
    let first = arguments.first().copied();
    match function {
        F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => Some(DataType::Boolean),
        F::IsDistinct | F::IsNotDistinct | F::And | F::Or | F::Not | F::InList => Some(DataType::Boolean),
        F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse | F::Like | F::ILike => Some(DataType::Boolean),
        F::StartsWith | F::EndsWith | F::Contains => Some(DataType::Boolean),
        F::Add | F::Subtract | F::Multiply | F::Divide | F::Modulo => arithmetic_type(function, arguments),
        F::Negate | F::Abs | F::Sign | F::Coalesce | F::NullIf | F::Greatest | F::Least => first,
        F::BitAnd | F::BitOr | F::BitXor | F::BitNot | F::ShiftLeft | F::ShiftRight => first,
        F::Case => arguments.get(1).copied(),
        F::Length | F::OctetLength | F::Position | F::Ascii | F::DateDifference => Some(DataType::Integer),
        F::Concat | F::ConcatSkipNull | F::ConcatWithSeparator | F::Lower | F::Upper | F::InitCap => {
            Some(DataType::Text)
        }
        F::Substring | F::Left | F::Right | F::LeftPad | F::RightPad | F::Trim(_) | F::Replace => Some(DataType::Text),
        F::Repeat | F::Reverse | F::SplitPart | F::Translate | F::Chr => Some(DataType::Text),
        F::SquareRoot | F::Power | F::Exp | F::Ln | F::Log10 if first.is_some_and(DataType::is_exact) => {
            Some(DataType::Numeric)
        }
        F::SquareRoot | F::CubeRoot | F::Power | F::Exp | F::Ln | F::Log10 | F::Random => Some(DataType::Double),
        F::Sin | F::Cos | F::Tan | F::Asin | F::Acos | F::Atan | F::Atan2 => Some(DataType::Double),
        F::NextValue | F::SetValue | F::CurrentValue | F::LastValue => Some(DataType::BigInt),
        F::NumericKey => Some(DataType::Text),
        F::Scale | F::MinScale => Some(DataType::Integer),
        F::Log | F::DivideWhole | F::Factorial | F::TrimScale | F::FitDigits | F::Average | F::DeviationOf => {
            Some(DataType::Numeric)
        }
        F::DateAddDays | F::DateSubtractDays | F::MakeDate => Some(DataType::Date),
        F::AddInterval | F::SubtractInterval | F::DateTimeCombine | F::Clock => Some(DataType::Timestamp),
        F::TimeAddInterval | F::TimeSubtractInterval => Some(DataType::Time),
        F::TimestampDifference | F::TimeDifference | F::IntervalAdd | F::IntervalSubtract => Some(DataType::Interval),
        F::IntervalMultiply | F::IntervalDivide | F::IntervalNegate | F::Age => Some(DataType::Interval),
        F::Vector(function) => function.result(arguments),
        _ => None,
    }
}

fn arithmetic_type(function: Function, arguments: &[DataType]) -> Option<DataType> {
    let [left, right] = arguments else { return None };
    if arguments.contains(&DataType::Numeric) || (function == Function::Divide && left.is_decimal()) {
        return Some(DataType::Numeric);
    }
    let (DataType::Decimal { precision: p1, scale: s1 }, DataType::Decimal { precision: p2, scale: s2 }) =
        (*left, *right)
    else {
        return (left == right).then_some(*left);
    };
    let (precision, scale) = match function {
        Function::Multiply => (p1 + p2, s1 + s2),
        Function::Add | Function::Subtract => {
            let scale = s1.max(s2);
            ((p1 - s1).max(p2 - s2) + scale + 1, scale)
        }
        _ => return None,
    };
    let precision = precision.min(DECIMAL_DIGITS_MAX);
    (scale <= precision).then(|| DataType::decimal(precision, scale))
}

/// The type that an aggregate of this argument usually has.
pub(super) fn aggregate_type(reduction: &Reduction, argument: Option<DataType>) -> Option<DataType> {
    match reduction {
        Reduction::CountRows | Reduction::Count => Some(DataType::BigInt),
        Reduction::Any | Reduction::All => Some(DataType::Boolean),
        Reduction::Variance { .. } if argument? == DataType::Double => Some(DataType::Double),
        Reduction::Variance { .. } => Some(DataType::Numeric),
        Reduction::Gather(Gather::One { .. }) => argument,
        Reduction::Gather(_) => Some(DataType::Text),
        Reduction::Statistic(_) => None,
        Reduction::TopK { .. } => Some(DataType::Null),
        Reduction::Sum => match argument? {
            DataType::SmallInt | DataType::Integer => Some(DataType::BigInt),
            DataType::BigInt => Some(DataType::decimal(DECIMAL_DIGITS_MAX, 0)),
            DataType::Decimal { scale, .. } => Some(DataType::decimal(DECIMAL_DIGITS_MAX, scale)),
            other => Some(other),
        },
        Reduction::Min | Reduction::Max | Reduction::First | Reduction::Single => argument,
    }
}

/// The end of a name whose order goes down.
const DOWN: &str = "_down";

/// The name of a reduction in the text form; top-k is a generator of its own there.
pub(super) fn reduction_name(aggregate: &Aggregate) -> Cow<'static, str> {
    name_of_reduction(&aggregate.reduction)
}

/// As [`reduction_name`], of a reduction without what it is fed.
pub(super) fn name_of_reduction(reduction: &Reduction) -> Cow<'static, str> {
    let name = match reduction {
        Reduction::CountRows => "count_rows",
        Reduction::Count => "count",
        Reduction::Sum => "sum",
        Reduction::Min => "min",
        Reduction::Max => "max",
        Reduction::Any => "any",
        Reduction::All => "all",
        Reduction::First => "first",
        Reduction::Single => "single",
        Reduction::Variance { sample: true } => "variance_sample",
        Reduction::Variance { sample: false } => "variance_population",
        Reduction::Gather(Gather::Arrived) => "gather",
        Reduction::Gather(Gather::Sorted) => "gather_sorted",
        Reduction::Gather(Gather::Distinct) => "gather_distinct",
        Reduction::Gather(Gather::One { of, descending }) => {
            return (of.name() + if *descending { DOWN } else { "" }).into();
        }
        Reduction::Statistic(kind) => return kind.name().into(),
        Reduction::TopK { .. } => "top_k",
    };
    name.into()
}

/// The reduction of a name.
pub(super) fn reduction_of(name: &str) -> Option<Reduction> {
    Some(match name {
        "count_rows" => Reduction::CountRows,
        "count" => Reduction::Count,
        "sum" => Reduction::Sum,
        "min" => Reduction::Min,
        "max" => Reduction::Max,
        "any" => Reduction::Any,
        "all" => Reduction::All,
        "first" => Reduction::First,
        "single" => Reduction::Single,
        "gather" => Reduction::Gather(Gather::Arrived),
        "gather_sorted" => Reduction::Gather(Gather::Sorted),
        "gather_distinct" => Reduction::Gather(Gather::Distinct),
        "variance_sample" => Reduction::Variance { sample: true },
        "variance_population" => Reduction::Variance { sample: false },
        _ => {
            if let Some(kind) = Statistic::of_name(name) {
                return Some(Reduction::Statistic(kind));
            }
            let (name, descending) = name.strip_suffix(DOWN).map_or((name, false), |name| (name, true));
            Reduction::Gather(Gather::One { of: Quantile::of_name(name)?, descending })
        }
    })
}
