//! Gaussian discriminant analysis: the queries of `engine/examples/gda.rs` beside loops by hand.
//!
//! There is nothing to iterate: each way fits one model, in two passes over the samples.

#[allow(dead_code, unreachable_pub, reason = "it is a program of its own, whose queries are run here")]
#[path = "../../../engine/examples/gda.rs"]
mod example;

use super::Options;
use super::input::{Random, register, vectors};
use super::peers::Array;
use super::report::{Report, difference, milliseconds, timed};
use super::svg::{self, Dot};
use anyhow::Result;
use example::{FEATURES, Model, ModelExpr, Sample, SampleExpr, by_class, by_sample, classify, discriminant};
use multiloop::Session;
use multiloop::arrow::array::Int32Array;
use multiloop::arrow::buffer::ScalarBuffer;
use multiloop::linq::Query;
use std::sync::Arc;
use std::time::Instant;

/// How far apart models may be. Means and covariances are some units, and those of vectors of reals are reals.
const TOLERANCE: f64 = 1e-5;

/// The share of samples of class 1.
const SHARE: f64 = 0.4;

/// What all features of a sample share: so many numbers, each of which goes to each feature with a weight.
const CAUSES: usize = 3;

/// How far apart the means are: in the first two features, which are drawn, and in the others.
const APART: [f32; 2] = [2.2, -1.8];
const APART_ELSEWHERE: f32 = 0.2;

/// Samples that are drawn.
const DRAWN: usize = 2_000;

/// Samples that the tuned loop takes together, and the height and width of what it holds of the covariance in registers meanwhile.
const TOGETHER: usize = 64;
const TILE: usize = 4;

/// Features with the zeros that make whole tiles.
const WIDTH: usize = FEATURES.next_multiple_of(TILE);

/// A way to fit a model.
type Fit = for<'s> fn(&Query<'s, SampleExpr>) -> Query<'s, ModelExpr>;

/// Samples: classes, and features one sample behind the other.
struct Samples {
    classes: ScalarBuffer<i32>,
    features: ScalarBuffer<f32>,
}

/// A model as loops make it.
#[derive(Clone, Debug, PartialEq)]
struct Fitted {
    share: f64,
    means: [Vec<f64>; 2],
    covariance: Vec<f64>,
}

/// Runs it.
pub(super) fn run(session: &Session, options: &Options<'_>) -> Result<Report> {
    options.bar.set_message("making samples");
    let started = Instant::now();
    let samples = samples(options.rows, options.seed);
    let generate_ms = milliseconds(started);
    let started = Instant::now();
    let classes = Arc::new(Int32Array::new(samples.classes.clone(), None));
    let columns = vec![("class", classes as _), ("features", vectors(&samples.features, FEATURES)?)];
    register(session, "samples", columns)?;
    let (load_ms, rows) = (milliseconds(started), options.rows);
    let mut report = Report {
        input: format!("{rows} samples of {FEATURES} features, two classes"),
        rows,
        columns: FEATURES,
        iterations: 1,
        generate_ms,
        load_ms,
        tolerance: TOLERANCE,
        loss_of: "share of samples on the side of the other class",
        ..Report::default()
    };
    let (expected, ms) = timed(options, "textbook loop", || Ok(textbook(&samples)))?;
    report.add_loop("textbook loop", vec![ms], 0.0);
    let (fitted, ms) = timed(options, "tuned loop", || Ok(tuned(&samples)))?;
    report.add_loop("tuned loop", vec![ms], difference(&fitted.numbers(), &expected.numbers()));
    let table = session.rows_of::<Sample>()?;
    let forms: [(&str, Fit); 2] = [("by sample", by_sample), ("by class", by_class)];
    for (name, fit) in forms {
        let query = fit(&table);
        let (model, ms) = timed(options, name, || Ok(query.one()?))?;
        report.add_query(name, ms, difference(&Fitted::from(model).numbers(), &expected.numbers()));
    }
    options.bar.set_message("classifying");
    let plane = discriminant(&by_sample(&table).shared()).shared();
    let wrong = classify(&table, &plane).filter(|(class, said)| class.not_eq(said));
    let wrong = wrong.aggregate(|g| g.count()).one()?;
    report.loss = vec![wrong as f64 / rows as f64];
    if let Some(peers) = options.peers {
        let features = Array::reals("features", &samples.features).by_rows(FEATURES);
        let arrays = [features, Array::integers("classes", &samples.classes)];
        let far = |fitted: &[f64]| difference(fitted, &expected.numbers());
        peers.add_to(&mut report, options, ("gda", "NumPy"), &arrays, &[], far)?;
    }
    if options.draws {
        report.pictures = vec![("classes", picture(&samples, &expected))];
    }
    Ok(report)
}

impl Fitted {
    /// All numbers of it.
    fn numbers(&self) -> Vec<f64> {
        let Fitted { share, means: [mean_0, mean_1], covariance } = self;
        [&[*share], &mean_0[..], mean_1, covariance].concat()
    }
}

impl From<Model> for Fitted {
    fn from(model: Model) -> Self {
        let widened = |reals: &[f32]| reals.iter().map(|&real| real.into()).collect();
        let Model { share, mean_0, mean_1, covariance } = model;
        Fitted { share, means: [widened(&mean_0), widened(&mean_1)], covariance: widened(&covariance) }
    }
}

/// Samples of two classes, around two means: noise of each feature, and what some causes give to all of them.
fn samples(rows: usize, seed: u64) -> Samples {
    let mut random = Random::new(seed);
    let mut weights: Vec<[f32; CAUSES]> =
        (0..FEATURES).map(|_| std::array::from_fn(|_| (random.uniform() - 0.5) as f32)).collect();
    // One cause is good for both features that are drawn.
    weights[..2].iter_mut().for_each(|weights| weights[0] = 1.0);
    let mean_0: Vec<f32> = (0..FEATURES).map(|_| (random.uniform() * 4.0 - 2.0) as f32).collect();
    let apart = |feature: usize| APART.get(feature).copied().unwrap_or(APART_ELSEWHERE);
    let mean_1: Vec<f32> = mean_0.iter().enumerate().map(|(feature, mean)| mean + apart(feature)).collect();
    let mut features = Vec::with_capacity(rows * FEATURES);
    let mut classes = Vec::with_capacity(rows);
    for row in 0..rows {
        // Few samples are of both classes, too.
        let class = if row < 2 { row as i32 } else { i32::from(random.uniform() < SHARE) };
        let mean = if class == 1 { &mean_1 } else { &mean_0 };
        let causes: [f32; CAUSES] = std::array::from_fn(|_| random.bell());
        features.extend(mean.iter().zip(&weights).map(|(mean, weights)| {
            let shared: f32 = weights.iter().zip(&causes).map(|(weight, cause)| weight * cause).sum();
            mean + shared + random.bell()
        }));
        classes.push(class);
    }
    Samples { classes: ScalarBuffer::from(classes), features: ScalarBuffer::from(features) }
}

impl Samples {
    /// The features of each sample, and its class.
    fn iter(&self) -> impl Iterator<Item = (&[f32], usize)> {
        self.features.chunks_exact(FEATURES).zip(self.classes.iter().map(|&class| class as usize))
    }

    /// The share of class 1, and both means.
    fn means(&self) -> (f64, [Vec<f64>; 2]) {
        let mut counts = [0_u64; 2];
        let mut means = [vec![0.0; FEATURES], vec![0.0; FEATURES]];
        for (features, class) in self.iter() {
            counts[class] += 1;
            for (sum, feature) in means[class].iter_mut().zip(features) {
                *sum += f64::from(*feature);
            }
        }
        for (mean, count) in means.iter_mut().zip(counts) {
            mean.iter_mut().for_each(|sum| *sum /= count as f64);
        }
        (counts[1] as f64 / self.classes.len() as f64, means)
    }
}

/// Fits a model as one writes it down first.
fn textbook(samples: &Samples) -> Fitted {
    let (share, means) = samples.means();
    let mut covariance = vec![0.0; FEATURES * FEATURES];
    let mut away = [0.0; FEATURES];
    for (features, class) in samples.iter() {
        for ((away, feature), mean) in away.iter_mut().zip(features).zip(&means[class]) {
            *away = f64::from(*feature) - mean;
        }
        for (sums, a) in covariance.chunks_exact_mut(FEATURES).zip(&away) {
            for (sum, b) in sums.iter_mut().zip(&away) {
                *sum += a * b;
            }
        }
    }
    covariance.iter_mut().for_each(|sum| *sum /= samples.classes.len() as f64);
    Fitted { share, means, covariance }
}

/// The same for many samples at once, tile by tile of one half of the covariance.
fn tuned(samples: &Samples) -> Fitted {
    let (share, means) = samples.means();
    let mut sums = vec![0.0; WIDTH * WIDTH];
    let mut away = vec![[0.0; WIDTH]; TOGETHER];
    let blocks = samples.features.chunks(TOGETHER * FEATURES).zip(samples.classes.chunks(TOGETHER));
    for (block, classes) in blocks {
        for ((away, features), class) in away.iter_mut().zip(block.chunks_exact(FEATURES)).zip(classes) {
            for ((away, feature), mean) in away.iter_mut().zip(features).zip(&means[*class as usize]) {
                *away = f64::from(*feature) - mean;
            }
        }
        add(&away[..classes.len()], &mut sums);
    }
    let sum = |row: usize, column: usize| sums[row.min(column) * WIDTH + row.max(column)];
    let all = (0..FEATURES).flat_map(|row| (0..FEATURES).map(move |column| (row, column)));
    let covariance = all.map(|(row, column)| sum(row, column) / samples.classes.len() as f64).collect();
    Fitted { share, means, covariance }
}

/// Adds the outer products of vectors to what is on the diagonal and on the right of it.
fn add(vectors: &[[f64; WIDTH]], sums: &mut [f64]) {
    for row in (0..WIDTH).step_by(TILE) {
        for column in (row..WIDTH).step_by(TILE) {
            let mut tile = [[0.0; TILE]; TILE];
            for vector in vectors {
                let right: &[f64] = &vector[column..column + TILE];
                for (sums, a) in tile.iter_mut().zip(&vector[row..row + TILE]) {
                    for (sum, b) in sums.iter_mut().zip(right) {
                        *sum += a * b;
                    }
                }
            }
            for (row, tile) in (row..).zip(&tile) {
                let sums = &mut sums[row * WIDTH + column..][..TILE];
                sums.iter_mut().zip(tile).for_each(|(sum, more)| *sum += more);
            }
        }
    }
}

/// The first two features: samples, means, ellipses of the covariance, and the line that parts the classes by these alone.
fn picture(samples: &Samples, model: &Fitted) -> String {
    let every = (samples.classes.len() / DRAWN).max(1);
    let dots = samples.iter().step_by(every);
    let dots: Vec<Dot> = dots.map(|(at, class)| Dot { x: at[0].into(), y: at[1].into(), cluster: class }).collect();
    let mean = |class: usize| Dot { x: model.means[class][0], y: model.means[class][1], cluster: class };
    let covariance = [0, 1].map(|row| [0, 1].map(|column| model.covariance[row * FEATURES + column]));
    let title = format!("Gaussian discriminant analysis: {} of {} samples", dots.len(), samples.classes.len());
    svg::classes(&title, &dots, &[mean(0), mean(1)], covariance, (model.share / (1.0 - model.share)).ln())
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, Samples, difference, samples, textbook, tuned};
    use multiloop::arrow::buffer::ScalarBuffer;

    #[test]
    fn both_loops_fit_alike() {
        // 301 samples are no whole number of blocks.
        let samples = samples(301, 3);
        let (model, other) = (textbook(&samples), tuned(&samples));
        assert!(difference(&model.numbers(), &other.numbers()) < 1e-12);
        let at = |row: usize, column: usize| model.covariance[row * FEATURES + column];
        let all = || (0..FEATURES).flat_map(|row| (0..FEATURES).map(move |column| (row, column)));
        assert!(all().all(|(row, column)| at(row, column) == at(column, row)));
        assert!((0..FEATURES).all(|feature| at(feature, feature) > 0.5), "there is noise in each");
    }

    #[test]
    fn a_model_that_can_be_counted() {
        let sample = |first: f32, second: f32| [&[first, second], &[0.0; FEATURES - 2][..]].concat();
        let features = [sample(1.0, 1.0), sample(5.0, 2.0), sample(3.0, -1.0), sample(7.0, 4.0), sample(2.0, 3.0)];
        let samples = Samples {
            classes: ScalarBuffer::from(vec![0, 1, 0, 1, 0]),
            features: ScalarBuffer::from(features.concat()),
        };
        let model = textbook(&samples);
        assert_eq!(model.share, 0.4);
        assert_eq!([&model.means[0][..2], &model.means[1][..2]], [[2.0, 1.0], [6.0, 3.0]]);
        // Of -1 0, 1 -2, 0 2; -1 -1, 1 1.
        assert_eq!(model.covariance[..2], [4.0 / 5.0, 0.0]);
        assert_eq!(model.covariance[FEATURES..FEATURES + 2], [0.0, 10.0 / 5.0]);
        assert!(model.covariance[2 * FEATURES..].iter().all(|&number| number == 0.0));
    }
}
