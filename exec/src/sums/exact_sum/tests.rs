//! Exactness, independence of order, and the edges of the range.

use super::*;

fn sum(values: &[f64]) -> f64 {
    let mut sum = ExactSum::new();
    sum.add_all(values);
    sum.total()
}

/// A small, repeatable source of numbers.
struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any finite double, every exponent as likely as any other.
    fn double(&mut self) -> f64 {
        loop {
            let value = f64::from_bits(self.next());
            if value.is_finite() {
                return value;
            }
        }
    }
}

#[test]
fn small_sums_are_exact() {
    assert_eq!(sum(&[]), 0.0);
    assert_eq!(sum(&[0.0, -0.0]), 0.0);
    assert_eq!(sum(&[0.1; 10]), 1.0);
    assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
    assert_eq!(sum(&[1e308, 1e308, -1e308, -1e308, 5e-324]), 5e-324);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    assert_eq!(sum(&[f64::MIN_POSITIVE, -5e-324]), f64::MIN_POSITIVE - 5e-324);
    assert_eq!(sum(&[-5e-324; 3]), -1.5e-323);
}

#[test]
fn rounding_is_half_to_even_and_sees_every_bit() {
    let tie = 1.0 + f64::EPSILON / 2.0;
    assert_eq!(tie, 1.0);
    assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
    assert_eq!(sum(&[1.0 + f64::EPSILON, f64::EPSILON / 2.0]), 1.0 + 2.0 * f64::EPSILON);
    assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, 5e-324]), 1.0 + f64::EPSILON);
    assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, -5e-324]), 1.0);
    assert_eq!(sum(&[-1.0, -f64::EPSILON / 2.0, -5e-324]), -1.0 - f64::EPSILON);
}

#[test]
fn infinities_and_nan() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!(sum(&[1.0, inf, 2.0]), inf);
    assert_eq!(sum(&[-inf, f64::MAX, f64::MAX]), -inf);
    assert!(sum(&[inf, -inf]).is_nan() && sum(&[1.0, nan]).is_nan());
    let mut left = ExactSum::new();
    left.add(inf);
    let mut right = ExactSum::new();
    right.add(-inf);
    left.merge(&right);
    assert!(left.total().is_nan() && left.is_special());
}

#[test]
fn overflow_is_an_error_of_the_final_sum_only() {
    let mut sum = ExactSum::new();
    sum.add_all(&[f64::MAX, f64::MAX]);
    assert_eq!(sum.finish(DataType::Double).unwrap_err().sqlstate(), "22003");
    sum.add(-f64::MAX);
    assert_eq!(sum.finish(DataType::Double), Ok(f64::MAX));
    assert_eq!(sum.finish(DataType::Real).unwrap_err().sqlstate(), "22003");
    let mut reals = ExactSum::new();
    reals.add_all(&[16_777_216.0, 1.0, f64::from(f32::MIN_POSITIVE)]);
    assert_eq!(reals.finish(DataType::Real), Ok(16_777_218.0));
}

#[test]
fn order_and_partition_do_not_show() {
    let mut source = Source(42);
    for round in 0..200 {
        let narrow = |value: f64| if round % 2 == 0 { value } else { value.rem_euclid(1e6) };
        let mut values: Vec<f64> = (0..50).map(|_| narrow(source.double())).filter(|value| value.is_finite()).collect();
        let negated: Vec<f64> = values.iter().take(values.len() / 2).map(|value| -value).collect();
        values.extend(negated);
        let expected = sum(&values);
        for i in (1..values.len()).rev() {
            values.swap(i, source.next() as usize % (i + 1));
        }
        assert_eq!(sum(&values).to_bits(), expected.to_bits(), "{values:?}");
        let mut merged = ExactSum::new();
        for part in values.chunks(7) {
            let mut sum = ExactSum::new();
            sum.add_all(part);
            merged.merge(&sum);
        }
        assert_eq!(merged.total().to_bits(), expected.to_bits(), "{values:?}");
    }
}

#[test]
fn what_is_added_and_taken_away_leaves_nothing() {
    let mut source = Source(7);
    let values: Vec<f64> = (0..1000).map(|_| source.double()).collect();
    let mut sum = ExactSum::new();
    sum.add_all(&values);
    for value in values.iter().rev() {
        sum.add(-value);
    }
    assert_eq!(sum.total(), 0.0);
}
