//! Q3: the ten unshipped orders of a market segment that bring most. Customers become a bitmap; the orders that are
//! left are merged with lineitem, both being sorted by order.

use crate::bitmap::Bitmap;
use crate::generate::day;
use crate::merge::seek;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::Tables;
use std::cmp::Reverse;

/// Rows of the result.
const LIMIT: usize = 10;

/// Orders that are looked at together.
const TILE: usize = 4096;

pub(crate) struct Q3;

impl HandWritten for Q3 {
    const NUMBER: usize = 3;

    fn input(tables: &Tables) -> (usize, usize) {
        let (lineitem, orders, customer) = (&tables.lineitem, &tables.orders, &tables.customer);
        let bytes = lineitem.orderkey.bytes()
            + lineitem.shipdate.bytes()
            + lineitem.extendedprice.bytes()
            + lineitem.discount.bytes()
            + orders.orderkey.bytes()
            + orders.custkey.bytes()
            + orders.orderdate.bytes()
            + orders.shippriority.bytes()
            + customer.mktsegment.codes.bytes();
        (lineitem.orderkey.len(), bytes)
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let (lineitem, orders, customer) = (&tables.lineitem, &tables.orders, &tables.customer);
        let before = day(1995, 3, 15);
        let segment = customer.mktsegment.code("BUILDING");
        let wanted = Bitmap::of_keys(customer.mktsegment.codes.len(), |first| {
            simd.equal_u8(customer.mktsegment.codes.window(first), segment)
        });
        // (revenue, earlier date, order's row), largest first.
        let mut best: Vec<(u64, Reverse<u16>, usize)> = Vec::with_capacity(LIMIT + 1);
        let (mut found, mut lines) = (Vec::with_capacity(TILE), Vec::with_capacity(TILE));
        // Rows of orders and their lines that count.
        let mut shipped: Vec<(usize, usize)> = Vec::new();
        let mut line = 0;
        for start in (0..orders.orderkey.len()).step_by(TILE) {
            found.clear();
            lines.clear();
            for first in (start..orders.orderkey.len().min(start + TILE)).step_by(BLOCK) {
                orders.orderdate.stream(first);
                orders.custkey.stream(first);
                orders.orderkey.stream(first);
                let mut mask = simd.within_u16(orders.orderdate.window(first), 0, before)
                    & (u64::MAX >> BLOCK.saturating_sub(orders.orderkey.len() - first))
                    & wanted.test_block(orders.custkey.window(first));
                while mask != 0 {
                    found.push(first + mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                }
            }
            for &order in &found {
                line = seek(simd, &lineitem.orderkey, line, orders.orderkey[order]);
                lineitem.shipdate.prefetch(line);
                lines.push(line);
            }
            shipped.clear();
            for (&order, &line) in found.iter().zip(&lines) {
                late_lines(simd, tables, line, orders.orderkey[order], before, |line| shipped.push((order, line)));
            }
            for lines in shipped.chunk_by(|(order, _), (other, _)| order == other) {
                let price = |line: usize| u64::from(lineitem.extendedprice[line]);
                let revenue =
                    lines.iter().map(|&(_, line)| price(line) * u64::from(100 - lineitem.discount[line])).sum();
                let order = lines[0].0;
                let entry = (revenue, Reverse(orders.orderdate[order]), order);
                if best.len() < LIMIT || entry > best[LIMIT - 1] {
                    let place = best.partition_point(|other| *other > entry);
                    best.insert(place, entry);
                    best.truncate(LIMIT);
                }
            }
        }
        let cells = |(revenue, Reverse(date), order): (u64, Reverse<u16>, usize)| {
            vec![
                Cell::Integer(orders.orderkey[order].into()),
                Cell::Decimal(revenue.into(), 4),
                Cell::Date(date),
                Cell::Integer(orders.shippriority[order].into()),
            ]
        };
        best.into_iter().map(cells).collect()
    }
}

/// Gives the lines of an order, which begin at `line`, that ship after a day, and asks for their prices.
#[inline(always)]
fn late_lines<S: Simd>(simd: S, tables: &Tables, mut line: usize, key: u32, after: u16, mut late: impl FnMut(usize)) {
    let lineitem = &tables.lineitem;
    loop {
        let same = simd.equal_u32(lineitem.orderkey.window(line), key);
        let mut mask = same & simd.less_u16x16(&[after; 16], lineitem.shipdate.window(line));
        while mask != 0 {
            let at = line + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lineitem.extendedprice.prefetch(at);
            lineitem.discount.prefetch(at);
            late(at);
        }
        if same != u16::MAX {
            return;
        }
        line += 16;
    }
}
