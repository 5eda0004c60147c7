//! Which of some values in an order an aggregate gives: `percentile_disc`, `percentile_cont` and `mode`.
//!
//! Of n values, at least one,
//!
//! * `percentile_disc(f)` is that at ⌈f · n⌉, from 1, or the first;
//! * `percentile_cont(f)` lies between those around f · (n - 1), from 0: both are doubles;
//! * `mode()` is the one that is there most often, of several the first.

use crate::value::Value;
use serde::{Deserialize, Serialize};

/// Which value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Quantile {
    /// `mode()`.
    Mode,
    /// `percentile_disc`.
    Discrete(Fraction),
    /// `percentile_cont`.
    Continuous(Fraction),
}

/// A number from 0 to 1, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fraction(u64);

/// Where a value lies among others in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Between the values at these places, from 0; they are one or neighbours.
    pub below: usize,
    /// See `below`.
    pub above: usize,
    /// So much of the way from one to the other.
    pub way: f64,
}

impl Fraction {
    /// This number; None if it is not from 0 to 1.
    pub fn new(fraction: f64) -> Option<Self> {
        (0.0..=1.0).contains(&fraction).then(|| Fraction(fraction.to_bits()))
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl Quantile {
    /// Where it lies among so many values, at least one; None for the mode.
    pub fn place(self, count: usize) -> Option<Place> {
        match self {
            Quantile::Mode => None,
            Quantile::Discrete(fraction) => {
                let at = ((fraction.get() * count as f64).ceil() as usize).saturating_sub(1).min(count - 1);
                Some(Place { below: at, above: at, way: 0.0 })
            }
            Quantile::Continuous(fraction) => {
                let place = fraction.get() * (count - 1) as f64;
                let (below, above) = (place.floor() as usize, (place.ceil() as usize).min(count - 1));
                Some(Place { below, above, way: place - place.floor() })
            }
        }
    }

    /// Its name in the text form of programs: the bits of a fraction are its end.
    pub fn name(self) -> String {
        match self {
            Quantile::Mode => "mode".to_owned(),
            Quantile::Discrete(Fraction(bits)) => format!("percentile_disc_{bits:016x}"),
            Quantile::Continuous(Fraction(bits)) => format!("percentile_cont_{bits:016x}"),
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let fraction = |bits: &str| Fraction::new(f64::from_bits(u64::from_str_radix(bits, 16).ok()?));
        match name.strip_prefix("percentile_disc_") {
            Some(bits) => Some(Quantile::Discrete(fraction(bits)?)),
            None => match name.strip_prefix("percentile_cont_") {
                Some(bits) => Some(Quantile::Continuous(fraction(bits)?)),
                None => (name == "mode").then_some(Quantile::Mode),
            },
        }
    }
}

impl Place {
    /// What lies there, between the values at its places.
    pub fn between(self, low: f64, high: f64) -> f64 {
        // Infinities have no way between them.
        if self.below == self.above { low } else { low + (high - low) * self.way }
    }
}

/// The one of some values, none of which is NULL; NULL of none. Values of a percentile that is continuous are doubles.
pub fn quantile(of: Quantile, descending: bool, values: Vec<Value>) -> Value {
    let mut values: Vec<Value> = values.into_iter().map(Value::canonical).collect();
    values.sort_by(|a, b| if descending { b.compare(a) } else { a.compare(b) });
    if values.is_empty() {
        return Value::Null;
    }
    let Some(place) = of.place(values.len()) else {
        // The first of the longest runs.
        let runs = values.chunk_by(|a, b| a.compare(b).is_eq());
        return runs.rev().max_by_key(|run| run.len()).map_or(Value::Null, |run| run[0].clone());
    };
    match (&values[place.below], &values[place.above]) {
        (Value::Float(low), Value::Float(high)) => Value::Float(place.between(*low, *high)).canonical(),
        (value, _) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(of: Quantile, values: &[f64]) -> Value {
        quantile(of, false, values.iter().copied().map(Value::Float).collect())
    }

    fn at(fraction: f64) -> Fraction {
        Fraction::new(fraction).unwrap()
    }

    #[test]
    fn places_of_values() {
        let values = [3.0, 1.0, 2.0, 4.0];
        for (fraction, discrete, continuous) in
            [(0.0, 1.0, 1.0), (0.25, 1.0, 1.75), (0.26, 2.0, 1.78), (0.5, 2.0, 2.5), (0.99, 4.0, 3.97), (1.0, 4.0, 4.0)]
        {
            assert_eq!(of(Quantile::Discrete(at(fraction)), &values), Value::Float(discrete));
            let Value::Float(found) = of(Quantile::Continuous(at(fraction)), &values) else { panic!("a double") };
            assert!((found - continuous).abs() < 1e-9, "{found}");
        }
        assert_eq!(of(Quantile::Continuous(at(0.5)), &[]), Value::Null);
        assert_eq!(of(Quantile::Mode, &[]), Value::Null);
        assert_eq!(of(Quantile::Continuous(at(0.5)), &[f64::INFINITY, 1.0, f64::NEG_INFINITY]), Value::Float(1.0));
        assert_eq!(of(Quantile::Discrete(at(0.5)), &[-0.0]), Value::Float(0.0));
    }

    #[test]
    fn the_first_of_the_longest_runs() {
        assert_eq!(of(Quantile::Mode, &[2.0, 1.0, 2.0, 1.0, 3.0]), Value::Float(1.0));
        let values = [2, 1, 2, 1, 3].map(Value::Int).to_vec();
        assert_eq!(quantile(Quantile::Mode, true, values), Value::Int(2));
        assert_eq!(of(Quantile::Mode, &[f64::NAN, 1.0, -f64::NAN, -0.0, 0.0, 0.0]), Value::Float(0.0));
    }

    #[test]
    fn names_are_read() {
        for of in [Quantile::Mode, Quantile::Discrete(at(0.99)), Quantile::Continuous(at(0.0))] {
            assert_eq!(Quantile::of_name(&of.name()), Some(of));
        }
        assert_eq!(Quantile::of_name("percentile_disc_4000000000000000"), None);
        assert_eq!(Quantile::of_name("percentile_disc_"), None);
    }
}
