//! How many streams of queries the throughput test has, and in which order each runs them (TPC-H 5.3.4 and appendix A).

/// Streams by scale factor: those of the largest that is not above.
const COUNTS: [(f64, usize); 10] = [
    (1.0, 2),
    (10.0, 3),
    (30.0, 4),
    (100.0, 5),
    (300.0, 6),
    (1000.0, 7),
    (3000.0, 8),
    (10_000.0, 9),
    (30_000.0, 10),
    (100_000.0, 11),
];

/// Orders of the queries, from the first stream on. That of stream 0 is for queries alone, and not here.
const ORDERS: [[usize; 22]; 11] = [
    [21, 3, 18, 5, 11, 7, 6, 20, 17, 12, 16, 15, 13, 10, 2, 8, 14, 19, 9, 22, 1, 4],
    [6, 17, 14, 16, 19, 10, 9, 2, 15, 8, 5, 22, 12, 7, 13, 18, 1, 4, 20, 3, 11, 21],
    [8, 5, 4, 6, 17, 7, 1, 18, 22, 14, 9, 10, 15, 11, 20, 2, 21, 19, 13, 16, 12, 3],
    [5, 21, 14, 19, 15, 17, 12, 6, 4, 9, 8, 16, 11, 2, 10, 18, 1, 13, 7, 22, 3, 20],
    [21, 15, 4, 6, 7, 16, 19, 18, 14, 22, 11, 13, 3, 1, 2, 5, 8, 20, 12, 17, 10, 9],
    [10, 3, 15, 13, 6, 8, 9, 7, 4, 11, 22, 18, 12, 1, 5, 16, 2, 14, 19, 20, 17, 21],
    [18, 8, 20, 21, 2, 4, 22, 17, 1, 11, 9, 19, 3, 13, 5, 7, 10, 16, 6, 14, 15, 12],
    [19, 1, 15, 17, 5, 8, 9, 12, 14, 7, 4, 3, 20, 16, 6, 22, 10, 13, 2, 21, 18, 11],
    [8, 13, 2, 20, 17, 3, 6, 21, 18, 11, 19, 10, 15, 4, 22, 1, 7, 12, 9, 14, 5, 16],
    [6, 15, 18, 17, 12, 1, 7, 2, 22, 13, 21, 10, 14, 9, 3, 16, 20, 19, 11, 4, 8, 5],
    [15, 14, 18, 17, 10, 20, 16, 11, 1, 8, 4, 22, 5, 12, 3, 9, 21, 2, 13, 6, 19, 7],
];

// Each runs each query once.
const _: () = {
    let mut stream = 0;
    while stream < ORDERS.len() {
        let (mut seen, mut at) = (0_u32, 0);
        while at < 22 {
            seen |= 1 << ORDERS[stream][at];
            at += 1;
        }
        assert!(seen == (1 << 23) - 2);
        stream += 1;
    }
};

/// The streams that the specification asks for at a scale factor; below its least, 1, as many as there.
pub fn stream_count(scale_factor: f64) -> usize {
    COUNTS.iter().rev().find(|(scale, _)| *scale <= scale_factor).map_or(COUNTS[0].1, |(_, count)| *count)
}

/// The queries in the order in which a stream, from 1 on, runs them. Behind the last order the first comes again.
pub(crate) fn stream_order(stream: usize) -> &'static [usize; 22] {
    &ORDERS[(stream - 1) % ORDERS.len()]
}
