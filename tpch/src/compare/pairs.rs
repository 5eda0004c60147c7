//! Medians in pairs: Multiloop's and the best peer's, query by query.

use super::answer::Verdict;
use super::peer::{PeerQuery, PeerReport};
use crate::run::{Report, geometric_mean};
use serde::Serialize;

/// A query in Multiloop and in the peer that was fastest. A peer whose answer is another than ours is not in the race.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// 1 to 22.
    pub query: usize,
    /// Multiloop's median; None if the query failed.
    pub multiloop_ms: Option<f64>,
    /// The best peer; None if all failed.
    pub best_peer: Option<String>,
    /// Its median.
    pub best_ms: Option<f64>,
    /// Best peer / Multiloop: above 1 Multiloop is faster.
    pub ratio: Option<f64>,
    /// Multiloop's peak of resident memory / the least of the peers': below 1 Multiloop needs less than all of them.
    pub peak_ratio: Option<f64>,
}

/// All pairs together; None where no query has a ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Queries that have a ratio.
    pub queries: usize,
    /// Geometric mean of their ratios.
    pub geomean_ratio: Option<f64>,
    /// Sum of the best peers' medians / sum of Multiloop's.
    pub total_ratio: Option<f64>,
    /// The query with the lowest ratio.
    pub worst_query: Option<usize>,
    /// Its ratio.
    pub worst_ratio: Option<f64>,
    /// The query with the highest ratio of memory.
    pub worst_peak_query: Option<usize>,
    /// Its ratio.
    pub worst_peak_ratio: Option<f64>,
}

/// Multiloop's median of a query, if it gave a result.
pub(super) fn ours(multiloop: &Report, number: usize) -> Option<f64> {
    let query = multiloop.queries.iter().find(|query| query.query == number)?;
    query.median_ms.is_finite().then_some(query.median_ms)
}

/// Theirs / ours, if both are times.
pub(super) fn ratio(theirs: f64, ours: f64) -> Option<f64> {
    let ratio = theirs / ours;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

impl PeerReport {
    /// With what the medians come to, and how they stand to ours.
    pub(super) fn with_sums(mut self, multiloop: &Report) -> PeerReport {
        let medians: Vec<f64> = self.queries.iter().filter_map(|query| query.median_ms).collect();
        if !medians.is_empty() {
            self.geomean_ms = Some(geometric_mean(&medians));
            self.total_ms = Some(medians.iter().sum());
        }
        let ratio_of = |query: &PeerQuery| ratio(query.median_ms?, ours(multiloop, query.query)?);
        let ratios: Vec<f64> = self.queries.iter().filter_map(ratio_of).collect();
        self.ratio = (!ratios.is_empty()).then(|| geometric_mean(&ratios));
        self
    }
}

/// Pairs each query with the best peer.
pub(super) fn pair(multiloop: &Report, peers: &[PeerReport]) -> Vec<Pair> {
    let pair = |number: usize| {
        let multiloop_ms = ours(multiloop, number);
        let times = peers.iter().filter_map(|peer| Some((peer, peer.query(number).and_then(in_the_race)?)));
        let best = times.min_by(|a, b| a.1.total_cmp(&b.1));
        let queries = peers.iter().filter_map(|peer| peer.query(number).filter(|query| in_the_race(query).is_some()));
        let least = queries.filter_map(|query| query.peak_mb).min();
        let peak = multiloop.queries.iter().find(|query| query.query == number).and_then(|query| query.peak_mb);
        Pair {
            query: number,
            multiloop_ms,
            best_peer: best.map(|(peer, _)| peer.engine.clone()),
            best_ms: best.map(|(_, ms)| ms),
            ratio: best.and_then(|(_, ms)| ratio(ms, multiloop_ms?)),
            peak_ratio: peak.zip(least).and_then(|(ours, least)| ratio(ours as f64, least as f64)),
        }
    };
    multiloop.queries.iter().map(|query| pair(query.query)).collect()
}

fn in_the_race(query: &PeerQuery) -> Option<f64> {
    let differs = query.difference.as_ref().is_some_and(|difference| difference.verdict == Verdict::Differs);
    if differs { None } else { query.median_ms }
}

/// What the pairs say together.
pub(super) fn summary(pairs: &[Pair]) -> Summary {
    let raced: Vec<(usize, f64, f64, f64)> =
        pairs.iter().filter_map(|pair| Some((pair.query, pair.ratio?, pair.best_ms?, pair.multiloop_ms?))).collect();
    let ratios: Vec<f64> = raced.iter().map(|(_, ratio, ..)| *ratio).collect();
    let best: f64 = raced.iter().map(|(_, _, best, _)| best).sum();
    let ours: f64 = raced.iter().map(|(_, _, _, ours)| ours).sum();
    let peaks = pairs.iter().filter_map(|pair| Some((pair.query, pair.peak_ratio?)));
    let worst_peak = peaks.max_by(|a, b| a.1.total_cmp(&b.1));
    let worst = raced.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    Summary {
        queries: raced.len(),
        geomean_ratio: (!ratios.is_empty()).then(|| geometric_mean(&ratios)),
        total_ratio: ratio(best, ours),
        worst_query: worst.map(|(query, ..)| *query),
        worst_ratio: worst.map(|(_, ratio, ..)| *ratio),
        worst_peak_query: worst_peak.map(|(query, _)| query),
        worst_peak_ratio: worst_peak.map(|(_, ratio)| ratio),
    }
}
