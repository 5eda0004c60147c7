//! k-means: the queries of `engine/examples/kmeans.rs` beside loops by hand.

#[allow(dead_code, unreachable_pub, reason = "it is a program of its own, whose queries are run here")]
#[path = "../../../engine/examples/kmeans.rs"]
mod example;

use super::Options;
use super::input::{Random, register, vectors};
use super::peers::Array;
use super::report::{Report, difference, milliseconds, timed, timed_each};
use super::svg::{self, Dot};
use anyhow::{Context as _, Result};
use example::{Centroid, DIMENSIONS, Point, Step, by_centroid, by_point, cluster, start};
use multiloop::Session;
use multiloop::arrow::buffer::ScalarBuffer;
use std::time::Instant;

/// Clusters, and centroids.
const CLUSTERS: usize = 10;

/// How far apart centroids may be at the end. Points of a cluster have a deviation of [`SPREAD`]. A point that is as near to two
/// centroids as floats tell may go to either, and moves their averages by less than that.
const TOLERANCE: f64 = 1e-2;

/// The deviation of a cluster's points in each dimension; their middles are within 10 of each other.
const SPREAD: f32 = 1.5;

/// Points that are drawn.
const DRAWN: usize = 2_000;

/// Points that the tuned loop takes together, and partial sums of a distance: as many as there are registers for.
const TOGETHER: usize = 4;
const LANES: usize = 8;

/// Runs it.
pub(super) fn run(session: &Session, options: &Options<'_>) -> Result<Report> {
    options.bar.set_message("making points");
    let started = Instant::now();
    let points = ScalarBuffer::from(points(options.rows, options.seed));
    let generate_ms = milliseconds(started);
    let started = Instant::now();
    register(session, "points", vec![("at", vectors(&points, DIMENSIONS)?)])?;
    let (load_ms, rows) = (milliseconds(started), options.rows);
    let mut report = Report {
        input: format!("{rows} points of {DIMENSIONS} dimensions, {CLUSTERS} centroids"),
        rows,
        columns: DIMENSIONS,
        iterations: options.iterations,
        generate_ms,
        load_ms,
        tolerance: TOLERANCE,
        loss_of: "mean squared distance to the centroid",
        ..Report::default()
    };
    let first = first_centroids(&points, rows);
    let expected = run_loops(&points, &first, options, &mut report);
    start(session, &as_rows(&first)?)?;
    let (table, centroids) = (session.rows_of::<Point>()?, session.rows_of::<Centroid>()?);
    let forms: [(&str, Step); 2] = [("by point", by_point), ("by centroid", by_centroid)];
    for (name, step) in forms {
        let query = cluster(&table, &centroids, step, options.iterations as u64);
        let (ended, ms) = timed(options, name, || Ok(query.collect()?))?;
        let ended: Vec<f32> = ended.iter().flat_map(|centroid| centroid.at).collect();
        report.add_query(name, ms, difference(&widened(&ended), &widened(&expected)));
    }
    if let Some(peers) = options.peers {
        let first = ScalarBuffer::from(first);
        let arrays = [Array::reals("points", &points), Array::reals("first", &first)].map(|it| it.by_rows(DIMENSIONS));
        let far = |ended: &[f64]| difference(ended, &widened(&expected));
        peers.add_to(&mut report, options, ("kmeans", "scikit-learn"), &arrays, &[], far)?;
    }
    if options.draws {
        report.pictures = pictures(&points, &expected, &report.loss);
    }
    Ok(report)
}

/// Runs both loops; the centroids that the textbook one ends with.
fn run_loops(points: &[f32], first: &[f32], options: &Options<'_>, report: &mut Report) -> Vec<f32> {
    let mut expected = first.to_vec();
    let mut loss = Vec::new();
    let times = timed_each(options, "textbook loop", || {
        loss.push(textbook(points, &mut expected) / report.rows as f64);
    });
    report.loss = loss;
    report.add_loop("textbook loop", times, 0.0);
    let mut ended = first.to_vec();
    let times = timed_each(options, "tuned loop", || {
        tuned(points, &mut ended);
    });
    report.add_loop("tuned loop", times, difference(&widened(&ended), &widened(&expected)));
    expected
}

/// Points around the middles of clusters, one behind the other.
fn points(rows: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let middles: Vec<f32> = (0..CLUSTERS * DIMENSIONS).map(|_| (random.uniform() * 10.0) as f32).collect();
    let mut points = Vec::with_capacity(rows * DIMENSIONS);
    for _ in 0..rows {
        let cluster = random.below(CLUSTERS);
        let middle = &middles[cluster * DIMENSIONS..(cluster + 1) * DIMENSIONS];
        points.extend(middle.iter().map(|middle| middle + SPREAD * random.bell()));
    }
    points
}

/// Some of the points, from all over the rows.
fn first_centroids(points: &[f32], rows: usize) -> Vec<f32> {
    let chosen = (0..CLUSTERS).map(|number| number * rows / CLUSTERS);
    chosen.flat_map(|row| &points[row * DIMENSIONS..(row + 1) * DIMENSIONS]).copied().collect()
}

fn as_rows(centroids: &[f32]) -> Result<Vec<Centroid>> {
    let row = |(id, at): (i32, &[f32])| Ok(Centroid { id, at: at.try_into().context("a centroid's dimensions")? });
    (0..).zip(centroids.chunks_exact(DIMENSIONS)).map(row).collect()
}

fn widened(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

/// Moves centroids by one step, as one writes it down first; the sum of the squared distances before.
fn textbook(points: &[f32], centroids: &mut [f32]) -> f64 {
    let mut sums = vec![0.0_f64; centroids.len()];
    let mut counts = [0_u32; CLUSTERS];
    let mut loss = 0.0;
    for point in points.chunks_exact(DIMENSIONS) {
        let (mut nearest, mut least) = (0, f32::INFINITY);
        for (cluster, centroid) in centroids.chunks_exact(DIMENSIONS).enumerate() {
            let mut distance = 0.0;
            for (a, b) in point.iter().zip(centroid) {
                distance += (a - b) * (a - b);
            }
            if distance < least {
                (nearest, least) = (cluster, distance);
            }
        }
        loss += f64::from(least);
        add(point, nearest, &mut sums, &mut counts);
    }
    settle(&sums, &counts, centroids);
    loss
}

/// The same for several points at once, with several sums a distance.
fn tuned(points: &[f32], centroids: &mut [f32]) {
    let mut sums = vec![0.0_f64; centroids.len()];
    let mut counts = [0_u32; CLUSTERS];
    let blocks = points.chunks_exact(TOGETHER * DIMENSIONS);
    for point in blocks.remainder().chunks_exact(DIMENSIONS) {
        let [nearest] = nearest([point], centroids);
        add(point, nearest, &mut sums, &mut counts);
    }
    for block in blocks {
        let block: [&[f32]; TOGETHER] = std::array::from_fn(|at| &block[at * DIMENSIONS..(at + 1) * DIMENSIONS]);
        for (point, nearest) in block.into_iter().zip(nearest(block, centroids)) {
            add(point, nearest, &mut sums, &mut counts);
        }
    }
    settle(&sums, &counts, centroids);
}

/// Which centroid is nearest to each of some points.
fn nearest<const N: usize>(points: [&[f32]; N], centroids: &[f32]) -> [usize; N] {
    let (mut nearest, mut least) = ([0; N], [f32::INFINITY; N]);
    for (cluster, centroid) in centroids.chunks_exact(DIMENSIONS).enumerate() {
        let distances = distances(points, centroid);
        for at in 0..N {
            if distances[at] < least[at] {
                (nearest[at], least[at]) = (cluster, distances[at]);
            }
        }
    }
    nearest
}

#[inline(always)]
fn distances<const N: usize>(points: [&[f32]; N], centroid: &[f32]) -> [f32; N] {
    let mut sums = [[0.0_f32; LANES]; N];
    let points = points.map(|point| point.as_chunks::<LANES>());
    let (whole, rest) = centroid.as_chunks::<LANES>();
    for (chunk, centroid) in whole.iter().enumerate() {
        for (sums, (point, _)) in sums.iter_mut().zip(&points) {
            let point = &point[chunk];
            for lane in 0..LANES {
                let difference = point[lane] - centroid[lane];
                sums[lane] += difference * difference;
            }
        }
    }
    let rests = points.map(|(_, own)| own.iter().zip(rest).map(|(a, b)| (a - b) * (a - b)).sum::<f32>());
    std::array::from_fn(|at| sums[at].iter().sum::<f32>() + rests[at])
}

fn add(point: &[f32], cluster: usize, sums: &mut [f64], counts: &mut [u32; CLUSTERS]) {
    counts[cluster] += 1;
    let sums = &mut sums[cluster * DIMENSIONS..(cluster + 1) * DIMENSIONS];
    for (sum, value) in sums.iter_mut().zip(point) {
        *sum += f64::from(*value);
    }
}

/// Moves each centroid to the average of its points; one that has none stays.
fn settle(sums: &[f64], counts: &[u32; CLUSTERS], centroids: &mut [f32]) {
    let clusters = centroids.chunks_exact_mut(DIMENSIONS).zip(sums.chunks_exact(DIMENSIONS)).zip(counts);
    for ((centroid, sums), &count) in clusters.filter(|(_, count)| **count > 0) {
        for (value, sum) in centroid.iter_mut().zip(sums) {
            *value = (sum / f64::from(count)) as f32;
        }
    }
}

fn pictures(points: &[f32], centroids: &[f32], loss: &[f64]) -> Vec<(&'static str, String)> {
    let dot = |at: &[f32], cluster: usize| Dot { x: at[0].into(), y: at[1].into(), cluster };
    let every = (points.len() / DIMENSIONS / DRAWN).max(1);
    let dots = points.chunks_exact(DIMENSIONS).step_by(every).map(|point| {
        let [cluster] = nearest([point], centroids);
        dot(point, cluster)
    });
    let dots: Vec<Dot> = dots.collect();
    let middles: Vec<Dot> =
        centroids.chunks_exact(DIMENSIONS).zip(0..).map(|(centroid, cluster)| dot(centroid, cluster)).collect();
    let title = format!("k-means: {} of {} points", dots.len(), points.len() / DIMENSIONS);
    vec![
        ("clusters", svg::clusters(&title, &dots, &middles)),
        ("convergence", svg::convergence("k-means", "mean squared distance to the centroid", loss)),
    ]
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, first_centroids, points, textbook, tuned};

    #[test]
    fn both_loops_move_centroids_alike() {
        // 103 points are no whole number of blocks.
        let points = points(103, 3);
        let mut centroids = first_centroids(&points, 103);
        // Nothing is near to it.
        centroids[..DIMENSIONS].fill(1e6);
        let mut others = centroids.clone();
        let losses: Vec<f64> = (0..4).map(|_| textbook(&points, &mut centroids)).collect();
        (0..4).for_each(|_| tuned(&points, &mut others));
        assert!(losses.is_sorted_by(|before, after| before >= after), "{losses:?}");
        assert!(centroids.iter().zip(&others).all(|(a, b)| (a - b).abs() < 1e-4));
        assert!(centroids[..DIMENSIONS].iter().all(|&at| at == 1e6));
    }
}
