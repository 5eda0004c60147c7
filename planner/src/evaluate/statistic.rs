//! Statistics: aggregates of which a backend keeps a state that knows no order of rows (`exec/src/sums/statistic`), and the
//! functions of what they are fed and give.
//!
//! | statistic | of | gives |
//! |---|---|---|
//! | `BitAnd`, `BitOr`, `BitXor` | integers | the same type |
//! | `BitStringAnd` and its kin | bit strings of one length | a bit string |
//! | `Product` | doubles | a double, rounded once |
//! | `Pair` | pairs of doubles ([`pair_of`]; [`pair_of_text`] where equal ones count once) | a double |
//! | `Skewness`, `Kurtosis`, `KurtosisPopulation` | doubles | a double, of exact moments |
//! | `Entropy` | texts that stand for values | a double: bits |
//! | `Histogram` | texts | an object of JSON: how often there is each |
//! | `Most` | texts of rows (`gather`) | what is kept of those that are there most often, of equally many the least |
//! | `DistinctEstimate` | anything | a bigint, by HyperLogLog of 2^14 registers: an error of 0.8 % (one standard deviation); up to 2,048 it is exact |
//! | `Nth` | values in an order | the one at a place, of the same type |
//! | `User` | what a program says | what a program says (`function/user.rs`) |
//! | `FirstRow`, `LastRow` | texts of rows (`gather`) | what is kept of the row whose front is the least (the greatest), of equal ones the first (the last) |

use super::Call;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, StatisticFunction, UserFunction};
use crate::value::{Interval, Value, canonical_float_bits};
use serde::{Deserialize, Serialize};

/// Which statistic it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Statistic {
    /// AND of all bits.
    BitAnd,
    /// OR of all bits.
    BitOr,
    /// XOR of all bits.
    BitXor,
    /// AND of bit strings.
    BitStringAnd,
    /// OR of bit strings.
    BitStringOr,
    /// XOR of bit strings.
    BitStringXor,
    /// Product.
    Product,
    /// A measure of pairs of numbers.
    Pair(PairMeasure),
    /// Skewness of a sample.
    Skewness,
    /// Excess kurtosis of a sample.
    Kurtosis,
    /// Excess kurtosis of a population.
    KurtosisPopulation,
    /// Entropy, in bits.
    Entropy,
    /// How often there is each value.
    Histogram,
    /// The values that are there most often, so many.
    Most(u32),
    /// About how many values there are.
    DistinctEstimate,
    /// The first row.
    FirstRow,
    /// The last row.
    LastRow,
    /// The value at a place in an order.
    Nth(Nth),
    /// An aggregate that a program registered, whose states may be merged in any order.
    User(UserFunction),
}

/// A place in an order of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nth {
    /// The place, counted from 1; with fewer values there is none, and the statistic is NULL.
    pub place: u32,
    /// Whether the greatest value is the first.
    pub descending: bool,
    /// Whether equal values have one place.
    pub dense: bool,
}

/// What is measured of pairs (y, x).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PairMeasure {
    /// `covar_pop`.
    CovariancePopulation,
    /// `covar_samp`.
    CovarianceSample,
    /// `corr`.
    Correlation,
    /// `regr_slope`.
    Slope,
    /// `regr_intercept`.
    Intercept,
    /// `regr_r2`.
    R2,
    /// `regr_sxx`.
    Sxx,
    /// `regr_syy`.
    Syy,
    /// `regr_sxy`.
    Sxy,
}

impl PairMeasure {
    /// All of them.
    pub const ALL: [PairMeasure; 9] = [
        PairMeasure::CovariancePopulation,
        PairMeasure::CovarianceSample,
        PairMeasure::Correlation,
        PairMeasure::Slope,
        PairMeasure::Intercept,
        PairMeasure::R2,
        PairMeasure::Sxx,
        PairMeasure::Syy,
        PairMeasure::Sxy,
    ];

    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            PairMeasure::CovariancePopulation => "covar_pop",
            PairMeasure::CovarianceSample => "covar_samp",
            PairMeasure::Correlation => "corr",
            PairMeasure::Slope => "regr_slope",
            PairMeasure::Intercept => "regr_intercept",
            PairMeasure::R2 => "regr_r2",
            PairMeasure::Sxx => "regr_sxx",
            PairMeasure::Syy => "regr_syy",
            PairMeasure::Sxy => "regr_sxy",
        }
    }
}

/// Those that have a name of their own.
const NAMED: [(&str, Statistic); 15] = [
    ("bit_and", Statistic::BitAnd),
    ("bit_or", Statistic::BitOr),
    ("bit_xor", Statistic::BitXor),
    ("bit_string_and", Statistic::BitStringAnd),
    ("bit_string_or", Statistic::BitStringOr),
    ("bit_string_xor", Statistic::BitStringXor),
    ("product", Statistic::Product),
    ("skewness", Statistic::Skewness),
    ("kurtosis", Statistic::Kurtosis),
    ("kurtosis_pop", Statistic::KurtosisPopulation),
    ("entropy", Statistic::Entropy),
    ("histogram", Statistic::Histogram),
    ("approx_count_distinct", Statistic::DistinctEstimate),
    ("first_row", Statistic::FirstRow),
    ("last_row", Statistic::LastRow),
];

/// The beginning of the name of `Most`.
const MOST: &str = "most_";

/// The beginnings of the names of `Nth`, by whether it is descending, and dense.
const NTH: [(&str, bool, bool); 4] = [
    ("nth_least_", false, false),
    ("nth_greatest_", true, false),
    ("dense_nth_least_", false, true),
    ("dense_nth_greatest_", true, true),
];

impl Statistic {
    /// Its name in the text form of programs.
    pub fn name(self) -> String {
        match self {
            Statistic::Pair(measure) => measure.name().to_owned(),
            Statistic::User(function) => function.word(),
            Statistic::Most(count) => format!("{MOST}{count}"),
            Statistic::Nth(nth) => {
                let is_it =
                    |(_, descending, dense): &&(&str, bool, bool)| (*descending, *dense) == (nth.descending, nth.dense);
                format!("{}{}", NTH.iter().find(is_it).map_or("nth_", |(name, ..)| name), nth.place)
            }
            other => NAMED.iter().find(|(_, known)| *known == other).map_or("statistic", |(name, _)| name).to_owned(),
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        if let Some((_, known)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Some(*known);
        }
        if let Some(measure) = PairMeasure::ALL.into_iter().find(|measure| measure.name() == name) {
            return Some(Statistic::Pair(measure));
        }
        if let Some(function) = UserFunction::of_word(name) {
            return Some(Statistic::User(function));
        }
        for (beginning, descending, dense) in NTH {
            if let Some(place) = name.strip_prefix(beginning) {
                let place = place.parse().ok().filter(|&place| place > 0)?;
                return Some(Statistic::Nth(Nth { place, descending, dense }));
            }
        }
        name.strip_prefix(MOST)?.parse().ok().map(Statistic::Most)
    }

    /// Whether the order of the rows may show.
    pub fn is_order_sensitive(self) -> bool {
        matches!(self, Statistic::FirstRow | Statistic::LastRow)
    }

    /// Whether a value that comes twice is as good as one.
    pub fn is_idempotent(self) -> bool {
        use Statistic as S;
        match self {
            S::BitAnd | S::BitOr | S::BitStringAnd | S::BitStringOr | S::DistinctEstimate => true,
            S::FirstRow | S::LastRow => true,
            S::Nth(nth) => nth.dense,
            _ => false,
        }
    }

    /// Whether it is a number of no values, too: 0.
    pub fn is_count(self) -> bool {
        self == Statistic::DistinctEstimate
    }

    /// Whether it may be an error.
    pub fn may_fail(self) -> bool {
        use Statistic as S;
        matches!(
            self,
            S::Pair(_)
                | S::Skewness
                | S::Kurtosis
                | S::KurtosisPopulation
                | S::Histogram
                | S::Most(_)
                | S::BitStringAnd
                | S::BitStringOr
                | S::BitStringXor
                | S::User(_)
        )
    }
}

/// The bits of two doubles as one value, which is carried like an interval and is none: (y, x).
fn pair(y: f64, x: f64) -> Value {
    let bits = y.to_bits();
    Value::Interval(Interval { months: (bits >> 32) as i32, days: bits as i32, micros: x.to_bits() as i64 })
}

/// The doubles (y, x) of a pair.
pub fn pair_of(interval: Interval) -> (f64, f64) {
    let Interval { months, days, micros } = interval;
    let y = u64::from(months as u32) << 32 | u64::from(days as u32);
    (f64::from_bits(y), f64::from_bits(micros as u64))
}

/// The doubles (y, x) of a pair that is a text.
pub fn pair_of_text(text: &str) -> Option<(f64, f64)> {
    let bits = |digits: &str| u64::from_str_radix(digits, 16).ok().map(f64::from_bits);
    let (y, x) = text.split_at_checked(16)?;
    Some((bits(y)?, bits(x)?))
}

pub(super) fn apply(call: &Call) -> Result<Option<Value>> {
    let Function::Statistic(function) = call.function else { return Ok(None) };
    Ok(Some(match function {
        StatisticFunction::Pair => pair(call.float(0)?, call.float(1)?),
        StatisticFunction::PairText => {
            let [y, x] = [call.float(0)?, call.float(1)?].map(canonical_float_bits);
            Value::text(format!("{y:016x}{x:016x}"))
        }
        StatisticFunction::Fraction => {
            let fraction = call.float(0)?;
            if !(0.0..=1.0).contains(&fraction) {
                let message = format!("percentile value {fraction} is not between 0 and 1");
                return Err(Error::new(ErrorKind::NumericOverflow, message));
            }
            Value::Float(fraction)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let all = NAMED.iter().map(|(_, statistic)| *statistic);
        let pairs = PairMeasure::ALL.map(Statistic::Pair);
        let nth = [false, true].map(|descending| Statistic::Nth(Nth { place: 3, descending, dense: true }));
        let plain = Statistic::Nth(Nth { place: 17, descending: true, dense: false });
        for statistic in all.chain(pairs).chain([Statistic::Most(7), plain]).chain(nth) {
            assert_eq!(Statistic::of_name(&statistic.name()), Some(statistic));
        }
        assert_eq!(Statistic::of_name("most_"), None);
        assert_eq!(Statistic::of_name("nth_least_0"), None);
    }

    #[test]
    fn pairs_keep_all_bits() {
        for (y, x) in [(1.5, -0.0), (f64::NAN, f64::INFINITY), (f64::MIN, 5e-324), (-1.0, 1e300)] {
            let Value::Interval(kept) = pair(y, x) else { panic!("a pair") };
            let (a, b) = pair_of(kept);
            assert_eq!((a.to_bits(), b.to_bits()), (f64::to_bits(y), f64::to_bits(x)));
        }
    }
}
