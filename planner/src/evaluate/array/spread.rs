//! One value of all elements of a list beyond sums and extremes: moments, entropy, bits.

use crate::value::Value;
use rustc_hash::FxHashMap;

/// The mean of the powers of the numbers' distances from their mean.
fn moment(numbers: &[f64], power: i32) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    numbers.iter().map(|number| (number - mean).powi(power)).sum::<f64>() / count
}

/// The variance: of all numbers there are, or of a sample.
pub(super) fn variance(numbers: &[f64], is_sample: bool) -> Option<f64> {
    let count = numbers.len() as f64;
    match (numbers.len(), is_sample) {
        (0, _) | (1, true) => None,
        (1, false) => Some(if numbers[0].is_finite() { 0.0 } else { f64::NAN }),
        (_, true) => Some(moment(numbers, 2) * count / (count - 1.0)),
        (_, false) => Some(moment(numbers, 2)),
    }
}

/// The skewness of a sample; none of fewer than three numbers, and of equal ones.
pub(super) fn skewness(numbers: &[f64]) -> Option<f64> {
    let (count, square) = (numbers.len() as f64, moment(numbers, 2));
    (numbers.len() > 2 && square != 0.0)
        .then(|| (count * (count - 1.0)).sqrt() / (count - 2.0) * moment(numbers, 3) / square.powf(1.5))
}

/// The excess kurtosis: of a sample, where there have to be four numbers, or of all there are.
pub(super) fn kurtosis(numbers: &[f64], is_sample: bool) -> Option<f64> {
    let (count, square) = (numbers.len() as f64, moment(numbers, 2));
    let ratio = moment(numbers, 4) / (square * square);
    let least = if is_sample { 4 } else { 2 };
    if numbers.len() < least || square == 0.0 {
        return None;
    }
    Some(match is_sample {
        true => (count - 1.0) * ((count + 1.0) * ratio - 3.0 * (count - 1.0)) / ((count - 2.0) * (count - 3.0)),
        false => ratio - 3.0,
    })
}

/// The median of sorted numbers.
pub(super) fn median(sorted: &[f64]) -> f64 {
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    if low == high { low } else { low / 2.0 + high / 2.0 }
}

/// The median of the distances from the median.
pub(super) fn median_deviation(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = median(&numbers);
    numbers.iter_mut().for_each(|number| *number = (*number - middle).abs());
    numbers.sort_by(f64::total_cmp);
    median(&numbers)
}

/// The entropy of values in bits.
pub(super) fn entropy(elements: Vec<Value>) -> f64 {
    let all = elements.len() as f64;
    let mut counts = FxHashMap::<Value, usize>::default();
    for element in elements {
        *counts.entry(element.group_key()).or_default() += 1;
    }
    // In an order that does not depend on hashes.
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    // The sum of no doubles is -0.
    counts.into_iter().fold(0.0, |sum, count| sum + count as f64 / all * (all / count as f64).log2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_duckdb() {
        let numbers = [1.0, 2.0, 3.0, 10.0];
        let near = |value: Option<f64>, expected: f64| {
            assert!(value.is_some_and(|value| (value - expected).abs() < 1e-12), "{value:?} {expected}");
        };
        near(kurtosis(&numbers, true), 3.228);
        near(kurtosis(&numbers, false), -0.7696);
        near(skewness(&numbers), 1.763632614803888);
        near(variance(&numbers, false).map(f64::sqrt), 3.5355339059327378);
        near(variance(&numbers, true).map(f64::sqrt), 4.08248290463863);
        near(Some(median_deviation(numbers.to_vec())), 1.0);
        near(Some(entropy([1, 1, 2].map(Value::Int).to_vec())), 0.9182958340544893);
        assert_eq!(variance(&[1.0], true), None);
        assert_eq!(skewness(&[1.0, 1.0, 1.0]), None);
        assert_eq!(kurtosis(&[1.0, 2.0, 3.0], true), None);
    }
}
