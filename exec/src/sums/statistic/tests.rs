//! Statistics in one pass, in parts, back and forth, and beside plain formulas.

use super::*;
use multiloop_planner::evaluate::statistic::{Nth, PairMeasure};
use multiloop_planner::value::Interval;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn double(&mut self) -> f64 {
        match self.next() % 40 {
            0 => 0.0,
            1 => -1e150,
            2 => 1e-200,
            _ => (self.next() as i64 as f64) / 2f64.powi((self.next() % 80) as i32),
        }
    }

    fn value(&mut self, kind: Statistic) -> Value {
        use Statistic as S;
        match kind {
            S::BitAnd | S::BitOr | S::BitXor => Value::Int(self.next() as i64),
            S::BitStringAnd | S::BitStringOr | S::BitStringXor => Value::text(format!("{:08b}", self.next() as u8)),
            S::Product => Value::Float(self.double()),
            S::Skewness | S::Kurtosis | S::KurtosisPopulation => Value::Float((self.next() % 1000) as f64 / 8.0 + 1e9),
            S::Pair(_) => {
                let (y, x) = (self.double(), self.double());
                let (y, x) = (y.to_bits(), x.to_bits());
                Value::Interval(Interval { months: (y >> 32) as i32, days: y as i32, micros: x as i64 })
            }
            S::DistinctEstimate => Value::Int((self.next() % 5000) as i64),
            S::Nth(nth) if nth.descending => Value::Int((self.next() % 50) as i64),
            S::Nth(_) => Value::Float(self.double()),
            _ => Value::text(format!("{}\u{0} {}", self.next() % 7, self.next() % 100)),
        }
    }
}

fn kinds() -> Vec<Statistic> {
    use Statistic as S;
    let mut kinds = vec![S::BitAnd, S::BitOr, S::BitXor, S::Product, S::Skewness, S::Kurtosis, S::KurtosisPopulation];
    kinds.extend([S::BitStringAnd, S::BitStringOr, S::BitStringXor]);
    kinds.extend([S::Entropy, S::Histogram, S::Most(3), S::DistinctEstimate, S::FirstRow, S::LastRow]);
    kinds.extend(PairMeasure::ALL.map(S::Pair));
    let places = [(1, true), (3, true), (3, false), (40, true)];
    for dense in [false, true] {
        kinds.extend(places.map(|(place, descending)| S::Nth(Nth { place, descending, dense })));
    }
    kinds
}

fn result(kind: Statistic, state: &Summary) -> String {
    format!("{:?}", state.finish(kind, DataType::Double).map_err(|error| error.sqlstate().to_owned()))
}

#[test]
fn parts_in_any_cut_and_bytes_are_alike() {
    let mut random = Random(7);
    for kind in kinds() {
        for rows in [0, 1, 2, 5, 100, 6000] {
            let values: Vec<Value> = (0..rows).map(|_| random.value(kind)).collect();
            let mut whole = Summary::new(kind);
            let each: Vec<(&Value, u64)> = values.iter().zip(0..).collect();
            each.iter().for_each(|&(value, place)| whole.add(kind, value, place).unwrap());
            let mut parts = vec![Summary::new(kind), Summary::new(kind), Summary::new(kind)];
            for &(value, place) in each.iter().rev() {
                parts[(random.next() % 3) as usize].add(kind, value, place).unwrap();
            }
            let mut merged = Summary::new(kind);
            for part in parts {
                let mut bytes = Vec::new();
                part.write_to(&mut bytes);
                let mut left = &bytes[..];
                let read = Summary::read_from(kind, &mut left, 1 << 20).expect("what was written");
                assert!(left.is_empty());
                merged.merge(kind, &read).unwrap();
            }
            assert_eq!(result(kind, &merged), result(kind, &whole), "{kind:?} of {rows}");
        }
    }
}

#[test]
fn rows_that_are_taken_out_leave_no_trace() {
    let mut random = Random(8);
    for kind in kinds() {
        let mut state = Summary::new(kind);
        if !state.gives_back() {
            continue;
        }
        let values: Vec<Value> = (0..200).map(|_| random.value(kind)).collect();
        values.iter().for_each(|value| state.add(kind, value, 0).unwrap());
        values[..150].iter().for_each(|value| state.remove(kind, value).unwrap());
        let mut rest = Summary::new(kind);
        values[150..].iter().for_each(|value| rest.add(kind, value, 0).unwrap());
        assert_eq!(result(kind, &state), result(kind, &rest), "{kind:?}");
    }
}

#[test]
fn estimates_are_near() {
    let mut sketch = distinct::Sketch::default();
    let mut sliding = sliding::SlidingSketch::new();
    for number in 0..100_000i64 {
        let hash = distinct::hash(&Value::Int(number % 60_000));
        sketch.add(hash);
        sliding.add(hash);
        if number == 2000 {
            assert_eq!(sketch.estimate(), 2001);
        }
    }
    let estimate = sketch.estimate();
    assert!((58_500..61_500).contains(&estimate), "{estimate}");
    assert_eq!(sliding.estimate(), estimate);
    let mut few = distinct::Sketch::default();
    (0..30_000).for_each(|number| few.add(distinct::hash(&Value::Int(number))));
    (0..70_000i64).for_each(|number| sliding.remove(distinct::hash(&Value::Int((30_000 + number) % 60_000))));
    let mut left = distinct::Sketch::default();
    (0..100_000i64).skip(70_000).for_each(|number| left.add(distinct::hash(&Value::Int(number % 60_000))));
    assert!(left.estimate() > 0 && few.estimate() > 0);
}

#[test]
fn moments_are_exact() {
    let pair = |y: f64, x: f64| {
        let (y, x) = (y.to_bits(), x.to_bits());
        Value::Interval(Interval { months: (y >> 32) as i32, days: y as i32, micros: x as i64 })
    };
    let of = |measure, values: &[(f64, f64)]| {
        let kind = Statistic::Pair(measure);
        let mut state = Summary::new(kind);
        values.iter().for_each(|&(y, x)| state.add(kind, &pair(y, x), 0).unwrap());
        state.finish(kind, DataType::Double).unwrap()
    };
    // Far from zero and close to each other.
    let line: Vec<(f64, f64)> = (0..10).map(|at| (1e9 + 2.0 * f64::from(at), 1e12 + f64::from(at))).collect();
    assert_eq!(of(PairMeasure::Slope, &line), Value::Float(2.0));
    assert_eq!(of(PairMeasure::Correlation, &line), Value::Float(1.0));
    assert_eq!(of(PairMeasure::Sxx, &line), Value::Float(82.5));
    assert_eq!(of(PairMeasure::Intercept, &line), Value::Float(1e9 - 2e12));
    assert_eq!(of(PairMeasure::Correlation, &[(1.0, 1.0), (1.0, 2.0)]), Value::Null);
    assert_eq!(of(PairMeasure::R2, &[(1.0, 1.0), (1.0, 2.0)]), Value::Float(1.0));
    assert_eq!(of(PairMeasure::CovarianceSample, &[(1.0, 1.0)]), Value::Null);
    let shape = |kind, values: &[f64]| {
        let mut state = Summary::new(kind);
        values.iter().for_each(|&value| state.add(kind, &Value::Float(value), 0).unwrap());
        match state.finish(kind, DataType::Double).unwrap() {
            Value::Float(value) => value,
            other => panic!("{other:?}"),
        }
    };
    let values = [1.0, 2.0, 7.0, 11.5];
    for (kind, expected) in [
        (Statistic::Skewness, 0.652_184_374_358_054_1),
        (Statistic::Kurtosis, -2.029_452_117_442_602),
        (Statistic::KurtosisPopulation, -1.470_593_615_659_013_6),
    ] {
        let found = shape(kind, &values);
        assert!((found - expected).abs() < 1e-12, "{kind:?} {found}");
    }
    let product = |values: &[f64]| {
        let mut product = Product::default();
        values.iter().for_each(|&value| product.add(value));
        product.finish().unwrap()
    };
    assert_eq!(product(&[1e200, 1e200, 1e-300]), 1e100);
    assert_eq!(product(&[1e200, 1e200]), f64::INFINITY);
    assert_eq!(product(&[-3.0, 0.5, 7.0]), -10.5);
    assert_eq!(product(&[5e-324, 0.5]), 0.0);
    assert_eq!(product(&[5e-324, 3.0]), 1.5e-323);
    assert!(product(&[0.0, f64::INFINITY]).is_nan());
}
