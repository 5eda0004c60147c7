//! Logistic regression in typed LINQ: which of two kinds a sample is of, learned from samples whose kind is known.
//! `cargo run --release -p multiloop --example logistic`.
//!
//! The probability that a sample `x` is of the kind 1 is `sigmoid(w · x)`. A step moves the weights `w` along the gradient of the
//! likelihood, the sum of `(kind - sigmoid(w · x)) * x` over all samples. There are two ways to write that down: [`by_rows`] adds up
//! vectors, sample by sample; [`by_columns`] goes from weight to weight, as textbooks do, and adds up one column of the samples for
//! each of them. They give the same weights, which the one keeps as a vector, and the other one as a table with a row for each.

use multiloop::linq::{Expr, Query, call};
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

/// All weights: the table has one row.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "model")]
pub struct Model {
    /// One for each feature.
    pub weights: [f64; FEATURES],
}

/// The weight of a feature.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "weights")]
pub struct Weight {
    /// The number of the feature, from 1.
    pub feature: i32,
    /// How much it counts.
    pub weight: f64,
}

/// 1 / (1 + exp(-x)).
fn sigmoid(x: Expr<f64>) -> Expr<f64> {
    1.0 / (1.0 + call::<f64, _>("exp", (-x,)))
}

/// How far the kind of a sample is from its probability.
fn error(sample: SampleExpr, weights: Expr<[f64; FEATURES]>) -> Expr<f64> {
    sample.kind - sigmoid(weights.dot(sample.features))
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
    weights
        .select(|w| {
            let gradient = samples.sum(|sample| {
                let value = sample.features.element(w.feature).never_null();
                value * error(sample, together.value().never_null())
            });
            WeightExpr { feature: w.feature, weight: (w.weight + gradient * rate).coalesce(w.weight) }
        })
        .order_by(|w| w.feature)
}

/// Makes the tables of weights, all of them 0: the vector of [`by_rows`] and the rows of [`by_columns`].
///
/// # Errors
/// Those of CREATE TABLE and of inserting rows.
pub fn start(session: &Session) -> Result<()> {
    session.sql(&format!(
        "CREATE TABLE model (weights vector({FEATURES}, double) NOT NULL);
         CREATE TABLE weights (feature integer PRIMARY KEY, weight double precision NOT NULL)"
    ))?;
    session.insert("model", [Model { weights: [0.0; FEATURES] }])?;
    session.insert("weights", (1..=FEATURES as i32).map(|feature| Weight { feature, weight: 0.0 })).map(drop)
}

/// Moves the vector of weights by one step of [`by_rows`].
///
/// # Errors
/// Those of the step's query, and of replacing the table.
pub fn advance_by_rows(session: &Session, rate: f64) -> Result<()> {
    let moved = by_rows(&session.rows_of::<Sample>()?, &session.rows_of::<Model>()?, rate).collect()?;
    session.sql("TRUNCATE model")?;
    session.insert("model", &moved).map(drop)
}

/// Moves the rows of weights by one step of [`by_columns`].
///
/// # Errors
/// Those of the step's query, and of replacing the table.
pub fn advance_by_columns(session: &Session, rate: f64) -> Result<()> {
    let moved = by_columns(&session.rows_of::<Sample>()?, &session.rows_of::<Weight>()?, rate).collect()?;
    session.sql("TRUNCATE weights")?;
    session.insert("weights", &moved).map(drop)
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
    start(&session)?;
    let rate = 4.0 / samples.len() as f64;
    for iteration in 1..=5 {
        advance_by_rows(&session, rate)?;
        advance_by_columns(&session, rate)?;
        let model = session.rows_of::<Model>()?.one()?;
        let right = session.rows_of::<Sample>()?.aggregate(|g| {
            let is_right = |sample: SampleExpr| sample.features.dot(model.weights).gt(0).is_same(sample.kind.gt(0.5));
            g.filter(is_right).count()
        });
        println!("step {iteration}: {} of {} samples are on the right side", right.one()?, samples.len());
    }
    let (vector, rows) = (session.rows_of::<Model>()?.one()?.weights, session.rows_of::<Weight>()?.collect()?);
    let differences = rows.iter().zip(vector).map(|(row, weight)| (row.weight - weight).abs());
    println!("the two forms differ by at most {:.1e}", differences.fold(0.0, f64::max));
    Ok(())
}
