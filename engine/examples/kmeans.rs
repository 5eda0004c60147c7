//! k-means in typed LINQ: points are put into clusters, each around its centroid. `cargo run --release -p multiloop --example kmeans`.
//!
//! A step has two halves: each point goes to the nearest centroid, and each centroid moves to the average of the points that have come
//! to it. [`by_point`] and [`by_centroid`] are the two ways to write that down of "Have abstraction and eat performance, too"
//! (Brown et al., CGO 2016, figure 1): one groups points by their centroid, as a program for several machines does, the other one
//! goes from centroid to centroid and picks its points, as a program for shared memory does. They give the same rows.
//!
//! A centroid that no point has come to stays where it is.

use multiloop::linq::{Expr, Query};
use multiloop::{Engine, Result, Row, Session};

/// Coordinates of a point.
pub const DIMENSIONS: usize = 100;

/// A point that belongs to some cluster.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "points")]
pub struct Point {
    /// Where it is.
    pub at: [f32; DIMENSIONS],
}

/// The middle of a cluster.
#[derive(Row, Clone, Debug, PartialEq)]
#[row(table = "centroids")]
pub struct Centroid {
    /// The number of the cluster.
    pub id: i32,
    /// Where it is.
    pub at: [f32; DIMENSIONS],
}

/// Points and centroids to the centroids after one step.
pub type Step = for<'s> fn(&Query<'s, PointExpr>, &Query<'s, CentroidExpr>) -> Query<'s, CentroidExpr>;

/// A point in a query, behind the number of its cluster.
type Assigned = (Expr<i32>, Expr<[f32; DIMENSIONS]>);

/// Each point, and the number of the centroid that is nearest to it: of several, the one with the least number.
pub fn assign<'s>(points: &Query<'s, PointExpr>, centroids: &Query<'s, CentroidExpr>) -> Query<'s, Assigned> {
    points.select(|point| {
        let by_distance = centroids.order_by(|centroid| (centroid.at.squared_distance(point.at), centroid.id));
        let nearest = by_distance.take(1).select(|centroid| centroid.id);
        (nearest.value().never_null(), point.at)
    })
}

/// A step that groups points by their centroid.
pub fn by_point<'s>(points: &Query<'s, PointExpr>, centroids: &Query<'s, CentroidExpr>) -> Query<'s, CentroidExpr> {
    let moved = assign(points, centroids).group_by(|(id, _)| id).select(|g| (g.key, g.avg(|(_, at)| at)));
    centroids.left_join(&moved, |centroid, moved| centroid.id.eq(moved.0)).select(|(centroid, moved)| CentroidExpr {
        id: centroid.id,
        at: moved.get(|moved| moved.1).coalesce(centroid.at),
    })
}

/// A step that goes over all points for each centroid, and picks those that belong to it.
pub fn by_centroid<'s>(points: &Query<'s, PointExpr>, centroids: &Query<'s, CentroidExpr>) -> Query<'s, CentroidExpr> {
    let assigned = assign(points, centroids);
    centroids.select(|centroid| {
        let own = assigned.filter(|(id, _)| id.eq(centroid.id));
        CentroidExpr { id: centroid.id, at: own.avg(|(_, at)| at).coalesce(centroid.at) }
    })
}

/// The centroids after so many steps, by their numbers: one query, whose rounds do not leave the engine.
pub fn cluster<'s>(
    points: &Query<'s, PointExpr>,
    centroids: &Query<'s, CentroidExpr>,
    step: Step,
    steps: u64,
) -> Query<'s, CentroidExpr> {
    centroids.iterate(|centroids| step(points, centroids)).times(steps).order_by(|centroid| centroid.id)
}

/// Makes the table of the first centroids.
///
/// # Errors
/// Those of CREATE TABLE and of inserting rows.
pub fn start(session: &Session, centroids: &[Centroid]) -> Result<()> {
    session.sql(&format!("CREATE TABLE centroids (id integer PRIMARY KEY, at vector({DIMENSIONS}) NOT NULL)"))?;
    session.insert("centroids", centroids).map(drop)
}

/// Points around a few places, the same in every run.
fn example_points(rows: usize, clusters: usize) -> Vec<Point> {
    let mut state = 1_u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let place = |cluster: usize, dimension: usize| ((cluster * 37 + dimension * 11) % 10) as f32;
    let mut point = || {
        let cluster = ((noise() + 0.5) * clusters as f32) as usize;
        Point { at: std::array::from_fn(|at| place(cluster, at) + 12.0 * noise()) }
    };
    (0..rows).map(|_| point()).collect()
}

fn main() -> Result<()> {
    let session = Engine::new()?.session();
    let points = example_points(2_000, 7);
    session.sql(&format!("CREATE TABLE points (at vector({DIMENSIONS}) NOT NULL)"))?;
    session.insert("points", &points)?;
    let first: Vec<Centroid> = (0..7).zip(&points).map(|(id, point)| Centroid { id, at: point.at }).collect();
    start(&session, &first)?;
    let (points, centroids) = (session.rows_of::<Point>()?, session.rows_of::<Centroid>()?);
    for steps in 0..=5 {
        let moved = cluster(&points, &centroids, by_point, steps);
        let sizes =
            assign(&points, &moved).group_by(|(id, _)| id).select(|g| (g.key, g.count())).order_by(|size| size.0);
        println!("points of each centroid after {steps} steps: {:?}", sizes.collect()?);
    }
    let ways = [by_point as Step, by_centroid].map(|step| cluster(&points, &centroids, step, 5).collect());
    let [by_point, by_centroid] = ways;
    println!("both forms give the same centroids: {}", by_point? == by_centroid?);
    Ok(())
}
