//! Logistic regression: the queries of `engine/examples/logistic.rs` beside loops by hand.

#[allow(dead_code, unreachable_pub, reason = "it is a program of its own, whose queries are run here")]
#[path = "../../../engine/examples/logistic.rs"]
mod example;

use super::Options;
use super::input::{Random, register, vectors};
use super::peers::Array;
use super::report::{Report, difference, milliseconds, timed, timed_each};
use super::svg;
use anyhow::Result;
use example::{FEATURES, Sample, fit_by_columns, fit_by_rows};
use multiloop::Session;
use multiloop::arrow::array::Float32Array;
use multiloop::arrow::buffer::ScalarBuffer;
use std::sync::Arc;
use std::time::Instant;

/// How far apart weights may be at the end. They are about 1, and gradients of vectors of reals are sums of reals.
const TOLERANCE: f64 = 1e-5;

/// Samples that the tuned loop takes together, and partial sums of a product: as many as there are registers for.
const TOGETHER: usize = 4;
const LANES: usize = 4;

type Weights = [f64; FEATURES];

/// Samples: kinds, and features one sample behind the other.
struct Samples {
    kinds: ScalarBuffer<f32>,
    features: ScalarBuffer<f32>,
}

/// Runs it.
pub(super) fn run(session: &Session, options: &Options<'_>) -> Result<Report> {
    options.bar.set_message("making samples");
    let started = Instant::now();
    let samples = samples(options.rows, options.seed);
    let generate_ms = milliseconds(started);
    let started = Instant::now();
    let kinds = Arc::new(Float32Array::new(samples.kinds.clone(), None));
    let columns = vec![("kind", kinds as _), ("features", vectors(&samples.features, FEATURES)?)];
    register(session, "samples", columns)?;
    let (load_ms, rows) = (milliseconds(started), options.rows);
    let mut report = Report {
        input: format!("{rows} samples of {FEATURES} features"),
        rows,
        columns: FEATURES,
        iterations: options.iterations,
        generate_ms,
        load_ms,
        tolerance: TOLERANCE,
        loss_of: "mean negative log-likelihood",
        ..Report::default()
    };
    // A step of this length goes down, as long as there are not more features than samples.
    let rate = 1.0 / rows as f64;
    let expected = run_loops(&samples, rate, options, &mut report);
    let (table, steps) = (session.rows_of::<Sample>()?, options.iterations as u64);
    let by_rows = fit_by_rows(session, &table, rate, steps);
    let (ended, ms) = timed(options, "by rows", || Ok(by_rows.one()?))?;
    report.add_query("by rows", ms, difference(&ended.weights, &expected));
    let by_columns = fit_by_columns(session, &table, rate, steps);
    let (ended, ms) = timed(options, "by columns", || Ok(by_columns.collect()?))?;
    let ended: Vec<f64> = ended.iter().map(|w| w.weight).collect();
    report.add_query("by columns", ms, difference(&ended, &expected));
    if let Some(peers) = options.peers {
        let features = Array::reals("features", &samples.features).by_rows(FEATURES);
        let arrays = [features, Array::reals("kinds", &samples.kinds)];
        let far = |ended: &[f64]| difference(ended, &expected);
        peers.add_to(&mut report, options, ("logistic", "NumPy"), &arrays, &[("rate", rate)], far)?;
    }
    if options.draws {
        let svg = svg::convergence("logistic regression", report.loss_of, &report.loss);
        report.pictures = vec![("convergence", svg)];
    }
    Ok(report)
}

/// Runs both loops; the weights that the textbook one ends with.
fn run_loops(samples: &Samples, rate: f64, options: &Options<'_>, report: &mut Report) -> Weights {
    let mut expected = [0.0; FEATURES];
    let mut passed = Vec::new();
    let times = timed_each(options, "textbook loop", || {
        passed.push(expected);
        textbook(samples, &mut expected, rate);
    });
    report.loss = passed.iter().map(|weights| loss(samples, weights)).collect();
    report.add_loop("textbook loop", times, 0.0);
    let mut ended = [0.0; FEATURES];
    let times = timed_each(options, "tuned loop", || {
        tuned(samples, &mut ended, rate);
    });
    report.add_loop("tuned loop", times, difference(&ended, &expected));
    expected
}

/// Samples whose kinds are drawn with the probabilities that some weights give.
fn samples(rows: usize, seed: u64) -> Samples {
    let mut random = Random::new(seed);
    let weights: Vec<f64> = (0..FEATURES).map(|_| (random.uniform() - 0.5) * 0.8).collect();
    let mut features: Vec<f32> = Vec::with_capacity(rows * FEATURES);
    let mut kinds = Vec::with_capacity(rows);
    for _ in 0..rows {
        let first = features.len();
        features.extend((0..FEATURES).map(|_| random.bell()));
        let probability = sigmoid(product(&features[first..], &weights));
        kinds.push(if random.uniform() < probability { 1.0 } else { 0.0 });
    }
    Samples { kinds: ScalarBuffer::from(kinds), features: ScalarBuffer::from(features) }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn product(features: &[f32], weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (feature, weight) in features.iter().zip(weights) {
        sum += f64::from(*feature) * weight;
    }
    sum
}

/// The mean of the negative logarithms of what the weights say that is the probability of each kind.
fn loss(samples: &Samples, weights: &Weights) -> f64 {
    let each = samples.features.chunks_exact(FEATURES).zip(samples.kinds.iter()).map(|(features, &kind)| {
        let x = product(features, weights);
        // ln(1 + exp(x)), without an overflow.
        x.max(0.0) + (-x.abs()).exp().ln_1p() - f64::from(kind) * x
    });
    each.sum::<f64>() / samples.kinds.len() as f64
}

/// Moves weights by one step, as one writes it down first.
fn textbook(samples: &Samples, weights: &mut Weights, rate: f64) {
    let mut gradient = [0.0_f64; FEATURES];
    for (features, kind) in samples.features.chunks_exact(FEATURES).zip(samples.kinds.iter()) {
        let error = f64::from(*kind) - sigmoid(product(features, weights));
        for (sum, feature) in gradient.iter_mut().zip(features) {
            *sum += error * f64::from(*feature);
        }
    }
    settle(&gradient, weights, rate);
}

/// The same for several samples at once, with several sums a product.
fn tuned(samples: &Samples, weights: &mut Weights, rate: f64) {
    let mut gradient = [0.0_f64; FEATURES];
    let blocks = samples.features.chunks_exact(TOGETHER * FEATURES);
    let kinds = samples.kinds.chunks_exact(TOGETHER);
    let rest = blocks.remainder().chunks_exact(FEATURES).zip(kinds.remainder());
    rest.for_each(|(features, kind)| add([features], [*kind], weights, &mut gradient));
    for (block, kinds) in blocks.zip(kinds) {
        let features = std::array::from_fn::<_, TOGETHER, _>(|at| &block[at * FEATURES..(at + 1) * FEATURES]);
        add(features, std::array::from_fn(|at| kinds[at]), weights, &mut gradient);
    }
    settle(&gradient, weights, rate);
}

/// Adds some samples to a gradient: the products first, then all of them to each position once.
#[inline(always)]
fn add<const N: usize>(samples: [&[f32]; N], kinds: [f32; N], weights: &Weights, gradient: &mut Weights) {
    let mut sums = [[0.0_f64; LANES]; N];
    let (whole, rest) = weights.as_chunks::<LANES>();
    let chunks = samples.map(|features| features.as_chunks::<LANES>());
    for (chunk, weights) in whole.iter().enumerate() {
        for (sums, (features, _)) in sums.iter_mut().zip(&chunks) {
            let features = &features[chunk];
            for lane in 0..LANES {
                sums[lane] += f64::from(features[lane]) * weights[lane];
            }
        }
    }
    let errors: [f64; N] = std::array::from_fn(|at| {
        let product = sums[at].iter().sum::<f64>() + product(chunks[at].1, rest);
        f64::from(kinds[at]) - sigmoid(product)
    });
    let samples = samples.map(|features| &features[..FEATURES]);
    for (position, sum) in gradient.iter_mut().enumerate() {
        for at in 0..N {
            *sum += errors[at] * f64::from(samples[at][position]);
        }
    }
}

fn settle(gradient: &Weights, weights: &mut Weights, rate: f64) {
    for (weight, sum) in weights.iter_mut().zip(gradient) {
        *weight += rate * sum;
    }
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, difference, loss, samples, textbook, tuned};

    #[test]
    fn both_loops_move_weights_alike() {
        // 501 samples are no whole number of blocks.
        let samples = samples(501, 3);
        let (mut weights, mut others) = ([0.0; FEATURES], [0.0; FEATURES]);
        let mut losses = vec![loss(&samples, &weights)];
        for _ in 0..4 {
            textbook(&samples, &mut weights, 1.0 / 501.0);
            tuned(&samples, &mut others, 1.0 / 501.0);
            losses.push(loss(&samples, &weights));
        }
        assert!((losses[0] - 2.0_f64.ln()).abs() < 1e-12, "{losses:?}");
        assert!(losses.is_sorted_by(|before, after| before > after), "{losses:?}");
        assert!(difference(&weights, &others) < 1e-12);
    }
}
