//! Logistic regression in typed LINQ: which of two kinds a sample is of, learned from samples whose kind is known.
//! `cargo run --release -p multiloop --example logistic`.
//!
//! The probability that a sample `x` is of the kind 1 is `sigmoid(w · x)`. A step moves the weights `w` along the gradient of the
//! likelihood, the sum of `(kind - sigmoid(w · x)) * x` over all samples. There are two ways to write that down: [`by_rows`] adds up
//! vectors, sample by sample; [`by_columns`] goes from weight to weight, as textbooks do, and adds up one column of the samples for
//! each of them. They give the same weights, which the one has in a vector, and the other one in a row for each.

use multiloop::linq::{Expr, Query};
use multiloop::{Engine, Result, Row, Session};

/// Features of a sample.
pub const FEATURES: usize = 100;

/// A sample of a known kind.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "samples")]
pub struct Sample {
    /// 0 or 1.
    pub kind: f32,
    /// What is known of it.
    pub features: [f32; FEATURES],
}

/// All weights, in one row.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Model {
    /// One for each feature.
    pub weights: [f64; FEATURES],
}

/// The weight of a feature.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Weight {
    /// The number of the feature, from 1.
    pub feature: i32,
    /// How much it counts.
    pub weight: f64,
}

/// How far the kind of a sample is from its probability.
fn error(sample: SampleExpr, weights: Expr<[f64; FEATURES]>) -> Expr<f64> {
    sample.kind - weights.dot(sample.features).sigmoid()
}

/// A step that adds up vectors, sample by sample; `rate` says how far it goes along the gradient.
pub fn by_rows<'s>(samples: &Query<'s, SampleExpr>, model: &Query<'s, ModelExpr>, rate: f64) -> Query<'s, ModelExpr> {
    model.select(|old| {
        // The weights of the only row, whichever row asks: the sum is computed once, by all workers.
        let weights = model.select(|model| model.weights).value().never_null();
        let gradient = samples.sum(|sample| sample.features * error(sample, weights));
        ModelExpr { weights: (old.weights + gradient * rate).coalesce(old.weights) }
    })
}

/// A step that adds up one column of the samples for each weight.
pub fn by_columns<'s>(
    samples: &Query<'s, SampleExpr>,
    weights: &Query<'s, WeightExpr>,
    rate: f64,
) -> Query<'s, WeightExpr> {
    let together = weights
        .aggregate(|g| g.order_by(|w| w.feature).call::<Vec<f64>, _>("array_agg", |w| (w.weight,)))
        .select(|all| all.cast::<[f64; FEATURES]>());
    weights.select(|w| {
        let gradient = samples.sum(|sample| {
            let value = sample.features.element(w.feature).never_null();
            value * error(sample, together.value().never_null())
        });
        WeightExpr { feature: w.feature, weight: (w.weight + gradient * rate).coalesce(w.weight) }
    })
}

/// The weights after so many steps by rows, from 0: one query, whose rounds do not leave the engine.
pub fn fit_by_rows<'s>(
    session: &'s Session,
    samples: &Query<'s, SampleExpr>,
    rate: f64,
    steps: u64,
) -> Query<'s, ModelExpr> {
    let first = session.values([[0.0_f64; FEATURES]]).select(|weights| ModelExpr { weights });
    first.iterate(|model| by_rows(samples, model, rate)).times(steps)
}

/// The weights after so many steps by columns, from 0, by the numbers of the features.
pub fn fit_by_columns<'s>(
    session: &'s Session,
    samples: &Query<'s, SampleExpr>,
    rate: f64,
    steps: u64,
) -> Query<'s, WeightExpr> {
    let numbered = session.values((1..=FEATURES as i32).map(|feature| (feature, 0.0_f64)));
    let first = numbered.select(|(feature, weight)| WeightExpr { feature, weight });
    first.iterate(|weights| by_columns(samples, weights, rate)).times(steps).order_by(|w| w.feature)
}

/// Samples whose kind depends on the first ten features, the same in every run.
fn example_samples(rows: usize) -> Vec<Sample> {
    let mut state = 1_u64;
    let mut number = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let mut sample = || {
        let features: [f32; FEATURES] = std::array::from_fn(|_| number());
        let kind = f32::from(features[..10].iter().sum::<f32>() > 0.0);
        Sample { kind, features }
    };
    (0..rows).map(|_| sample()).collect()
}

fn main() -> Result<()> {
    let session = Engine::new()?.session();
    let samples = example_samples(2_000);
    session.sql(&format!("CREATE TABLE samples (kind real NOT NULL, features vector({FEATURES}) NOT NULL)"))?;
    session.insert("samples", &samples)?;
    let (rate, samples) = (4.0 / samples.len() as f64, session.rows_of::<Sample>()?);
    for steps in [1, 3, 5] {
        let fitted = fit_by_rows(&session, &samples, rate, steps);
        let weights = fitted.select(|model| model.weights);
        let right = samples.aggregate(|g| {
            let is_right = |sample: SampleExpr| {
                let score = weights.value().never_null().dot(sample.features);
                score.gt(0).is_same(sample.kind.gt(0.5))
            };
            (g.filter(is_right).count(), g.count())
        });
        let (right, all) = right.one()?;
        println!("after {steps} steps {right} of {all} samples are on the right side");
    }
    let vector = fit_by_rows(&session, &samples, rate, 2).one()?.weights;
    let rows = fit_by_columns(&session, &samples, rate, 2).collect()?;
    let differences = rows.iter().zip(vector).map(|(row, weight)| (row.weight - weight).abs());
    println!("the two forms differ by at most {:.1e}", differences.fold(0.0, f64::max));
    Ok(())
}
