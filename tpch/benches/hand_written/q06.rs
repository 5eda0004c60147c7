//! Q6: one sum under a selective filter. Masks of three columns; of the fourth only the rows that are left are read.

use crate::generate::day;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::Tables;

/// Rows whose prices are asked for before the first of them is used.
const TILE: usize = 4096;

pub(crate) struct Q6;

impl HandWritten for Q6 {
    const NUMBER: usize = 6;

    fn input(tables: &Tables) -> (usize, usize) {
        let rows = tables.lineitem.quantity.len();
        (rows, rows * (2 + 1 + 1 + 4))
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let lineitem = &tables.lineitem;
        let rows = lineitem.quantity.len();
        let (from, to) = (day(1994, 1, 1), day(1995, 1, 1));
        let mut revenue = 0u64;
        let mut lines = [0u32; TILE + BLOCK];
        for start in (0..rows).step_by(TILE) {
            let mut found = 0;
            for first in (start..rows.min(start + TILE)).step_by(BLOCK) {
                lineitem.shipdate.stream(first);
                lineitem.discount.stream(first);
                lineitem.quantity.stream(first);
                let mut mask = simd.within_u16(lineitem.shipdate.window(first), from, to - from)
                    & simd.within_u8(lineitem.discount.window(first), 5, 3)
                    & simd.within_u8(lineitem.quantity.window(first), 0, 24)
                    & (u64::MAX >> BLOCK.saturating_sub(rows - first));
                while mask != 0 {
                    let line = first + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    lineitem.extendedprice.prefetch(line);
                    lines[found] = line as u32;
                    found += 1;
                }
            }
            for &line in &lines[..found] {
                let line = line as usize;
                revenue += u64::from(lineitem.extendedprice[line]) * u64::from(lineitem.discount[line]);
            }
        }
        vec![vec![Cell::Decimal(revenue.into(), 4)]]
    }
}
