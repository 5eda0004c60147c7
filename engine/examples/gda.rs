//! Gaussian discriminant analysis in typed LINQ: which of two classes a sample is of, where the samples of each are normally distributed
//! around a mean of their own, with one covariance for both. `cargo run --release -p multiloop --example gda`.
//!
//! The model is fitted in two passes: the share and the mean of each class first, then the covariance, the average of
//! `outer_product(x - m, x - m)` over all samples, where `m` is the mean of the sample's class. There are two ways to write that down:
//! [`by_sample`] is the textbook's formula, in which each sample picks its mean; [`by_class`] groups samples by their class, whatever
//! classes there are, and joins them with the means. They give the same model.
//!
//! Of which class a sample is, says the side of a plane on which it lies ([`discriminant`]).

use multiloop::linq::{Expr, Query, call, case, literal};
use multiloop::{Engine, Result, Row};

/// Features of a sample.
pub const FEATURES: usize = 100;

/// A sample of a known class.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "samples")]
pub struct Sample {
    /// 0 or 1.
    pub class: i32,
    /// What is known of it.
    pub features: [f32; FEATURES],
}

/// What samples say of their classes.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Model {
    /// The share of samples of class 1.
    pub share: f64,
    /// The mean of class 0.
    pub mean_0: [f32; FEATURES],
    /// The mean of class 1.
    pub mean_1: [f32; FEATURES],
    /// The covariance of the features within a class, row by row.
    pub covariance: Vec<f32>,
}

/// A plane between two classes.
#[derive(Row, Clone, Debug, PartialEq)]
pub struct Discriminant {
    /// What is normal to it.
    pub weights: [f64; FEATURES],
    /// A sample is rather of class 1 if its features times the weights are greater.
    pub threshold: f64,
}

/// Fits a model, of which each sample picks the mean of its class.
pub fn by_sample<'s>(samples: &Query<'s, SampleExpr>) -> Query<'s, ModelExpr> {
    let mean_of = |class: i32| samples.filter(|sample| sample.class.eq(class)).avg(|s| s.features).never_null();
    samples.aggregate(|g| {
        let covariance = g.avg(|sample| {
            let away = sample.features - case(sample.class.eq(1), mean_of(1)).otherwise(mean_of(0));
            away.outer_product(away)
        });
        ModelExpr {
            share: g.avg(|sample| sample.class.cast::<f64>()).never_null(),
            mean_0: mean_of(0),
            mean_1: mean_of(1),
            covariance: covariance.never_null(),
        }
    })
}

/// Fits a model by the means of all classes, with which samples are joined.
pub fn by_class<'s>(samples: &Query<'s, SampleExpr>) -> Query<'s, ModelExpr> {
    let classes = samples.group_by(|sample| sample.class).select(|g| (g.key, g.avg(|s| s.features)));
    let away = samples.join(&classes, |sample, class| sample.class.eq(class.0));
    let away = away.select(|(sample, (_, mean))| (sample.class, sample.features - mean));
    let mean_of = |class: i32| classes.filter(|c| c.0.eq(class)).select(|c| c.1).value().never_null();
    away.aggregate(|g| ModelExpr {
        share: g.avg(|(class, _)| class.cast::<f64>()).never_null(),
        mean_0: mean_of(0),
        mean_1: mean_of(1),
        covariance: g.avg(|(_, away)| away.outer_product(away)).never_null(),
    })
}

/// The plane on which both classes are equally likely. Its weights solve `covariance * weights = mean_1 - mean_0`: they come by
/// conjugate gradients, a state of one row that goes round as often as there are features, or until there is nothing left to solve.
pub fn discriminant<'s>(model: &Query<'s, ModelExpr>) -> Query<'s, DiscriminantExpr> {
    let start = model.select(|model| {
        let apart = (model.mean_1 - model.mean_0).cast::<[f64; FEATURES]>();
        (literal([0.0_f64; FEATURES]), apart, apart)
    });
    let solved = start.iterate(|state| {
        state.select(|(weights, rest, direction)| {
            let covariance = model.select(|model| model.covariance).value().never_null();
            let product = covariance.matrix_vector(direction);
            let length = quotient(rest.dot(rest), direction.dot(product));
            let next = rest - product * length;
            (weights + direction * length, next, next + direction * quotient(next.dot(next), rest.dot(rest)))
        })
    });
    let solved = solved.until(|_, behind| behind.all(|(_, rest, _)| rest.l2_norm().lt(1e-9)));
    let weights = solved.times(FEATURES as u64).select(|(weights, ..)| weights);
    model.select(|model| {
        let weights = weights.value().never_null();
        let odds = call::<f64, _>("ln", (model.share / (1.0 - model.share),));
        DiscriminantExpr { weights, threshold: weights.dot(model.mean_0 + model.mean_1) / 2 - odds }
    })
}

/// A quotient; 0 where there is none.
fn quotient(a: Expr<f64>, b: Expr<f64>) -> Expr<f64> {
    (a / b.null_if(0.0)).coalesce(0.0)
}

/// The class of each sample, and the one that the plane says.
pub fn classify<'s>(
    samples: &Query<'s, SampleExpr>,
    discriminant: &Query<'s, DiscriminantExpr>,
) -> Query<'s, (Expr<i32>, Expr<i32>)> {
    samples.select(|sample| {
        let weights = discriminant.select(|plane| plane.weights).value().never_null();
        let threshold = discriminant.select(|plane| plane.threshold).value().never_null();
        (sample.class, case(weights.dot(sample.features).gt(threshold), 1).otherwise(0))
    })
}

/// Samples of two classes, whose neighbouring features have to do with each other; the same in every run.
fn example_samples(rows: usize) -> Vec<Sample> {
    let mut state = 1_u64;
    let mut number = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    // Sums of four numbers are nearly normally distributed.
    let mut bell = move || (0..4).map(|_| number()).sum::<f32>();
    let mut sample = |at: usize| {
        let class = i32::from(at.is_multiple_of(3));
        let mut before = bell();
        let features = std::array::from_fn(|feature| {
            before = 0.5 * before + bell();
            before + if feature.is_multiple_of(10) { 0.4 * class as f32 } else { 0.0 }
        });
        Sample { class, features }
    };
    (0..rows).map(&mut sample).collect()
}

fn main() -> Result<()> {
    let session = Engine::new()?.session();
    let rows = example_samples(3_000);
    session.sql(&format!("CREATE TABLE samples (class integer NOT NULL, features vector({FEATURES}) NOT NULL)"))?;
    session.insert("samples", &rows)?;
    let samples = session.rows_of::<Sample>()?;
    let model = by_sample(&samples).one()?;
    println!("{:.1} % of the samples are of class 1", model.share * 100.0);
    for feature in 0..3 {
        let (mean_0, mean_1) = (model.mean_0[feature], model.mean_1[feature]);
        let [itself, next] = [0, 1].map(|other| model.covariance[feature * FEATURES + feature + other]);
        println!(
            "feature {feature}: means {mean_0:.3} and {mean_1:.3}, variance {itself:.3}, {next:.3} with the next one"
        );
    }
    println!("both forms give the same model: {}", by_class(&samples).one()? == model);
    // Computed once, for all that follows.
    let plane = discriminant(&by_sample(&samples).shared()).shared();
    let right = classify(&samples, &plane).filter(|(class, said)| class.eq(said));
    println!("{} of {} samples are on the side of their class", right.collect()?.len(), rows.len());
    Ok(())
}
