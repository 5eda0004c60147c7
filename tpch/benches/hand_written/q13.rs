//! Q13: how many customers have how many orders. The comments are searched as one buffer for `special`, hits mapped
//! back to rows, and orders counted in an array by customer.

use crate::merge::seek;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::{Column, Tables, TextColumn};

const FIRST: &[u8; 7] = b"special";
const SECOND: &[u8; 8] = b"requests";

pub(crate) struct Q13;

impl HandWritten for Q13 {
    const NUMBER: usize = 13;

    fn input(tables: &Tables) -> (usize, usize) {
        let orders = &tables.orders;
        (orders.custkey.len(), orders.custkey.bytes() + orders.comment.bytes())
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let (orders, customers) = (&tables.orders, tables.customer.nationkey.len());
        // By key; there is no customer 0.
        let mut counts = vec![0u32; customers + 1];
        for (row, &customer) in orders.custkey.iter().enumerate() {
            if row % BLOCK == 0 {
                orders.custkey.stream(row);
            }
            counts[customer as usize] += 1;
        }
        // Searching goes on while the customers of these are fetched.
        let mut matches = Vec::new();
        for_each_match(simd, &orders.comment, |row| {
            orders.custkey.prefetch(row);
            matches.push(row);
        });
        matches.into_iter().for_each(|row| counts[orders.custkey[row] as usize] -= 1);
        let mut histogram = Vec::new();
        for &count in &counts[1..] {
            if count as usize >= histogram.len() {
                histogram.resize(count as usize + 1, 0u32);
            }
            histogram[count as usize] += 1;
        }
        let mut rows: Vec<(u32, usize)> =
            histogram.into_iter().zip(0..).filter(|(customers, _)| *customers > 0).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        rows.into_iter()
            .map(|(customers, count)| vec![Cell::Integer(count as i64), Cell::Integer(customers.into())])
            .collect()
    }
}

/// Gives each row that is LIKE '%special%requests%'.
#[inline(always)]
fn for_each_match<S: Simd>(simd: S, comment: &TextColumn, mut matches: impl FnMut(usize)) {
    let text = &comment.text;
    // The row of the last hit, and where the last match's row ends: what else it has does not matter.
    let (mut row, mut done) = (0, 0);
    for first in (0..text.len()).step_by(BLOCK) {
        text.stream(first);
        // Two letters tell nearly all; the padding has none of them.
        let mut hits = simd.equal_u8(text.window(first), FIRST[0]) & simd.equal_u8(text.window(first + 1), FIRST[1]);
        while hits != 0 {
            let at = first + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            if at < done || text.window::<7>(at) != FIRST {
                continue;
            }
            // The row is the one before the first that begins behind the hit.
            row = seek(simd, &comment.offsets, row, at as u32 + 1) - 1;
            let end = comment.offsets[row + 1] as usize;
            if find(simd, text, at + FIRST.len(), end) {
                matches(row);
                done = end;
            }
        }
    }
}

/// Whether the second word is in `from .. end`.
#[inline(always)]
fn find<S: Simd>(simd: S, text: &Column<u8>, from: usize, end: usize) -> bool {
    let ends = end.saturating_sub(SECOND.len() - 1);
    for first in (from..ends).step_by(BLOCK) {
        let mut hits = simd.equal_u8(text.window(first), SECOND[0]) & simd.equal_u8(text.window(first + 2), SECOND[2]);
        hits &= u64::MAX >> BLOCK.saturating_sub(ends - first);
        while hits != 0 {
            if text.window::<8>(first + hits.trailing_zeros() as usize) == SECOND {
                return true;
            }
            hits &= hits - 1;
        }
    }
    false
}
