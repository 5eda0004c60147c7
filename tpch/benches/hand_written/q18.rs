//! Q18: large orders. Lineitem is clustered by order, so a running sum at each order's last line gives all quantities, tile
//! by tile; the few large orders are searched for.

use crate::query::{Cell, HandWritten, Row};
use crate::simd::Simd;
use crate::tables::Tables;
use std::cmp::Reverse;

/// Rows of the result.
const LIMIT: usize = 100;

/// Rows whose ends of orders are looked at together.
const TILE: usize = 2048;

pub(crate) struct Q18;

impl HandWritten for Q18 {
    const NUMBER: usize = 18;

    fn input(tables: &Tables) -> (usize, usize) {
        let (lineitem, orders) = (&tables.lineitem, &tables.orders);
        let bytes = lineitem.orderkey.bytes()
            + lineitem.quantity.bytes()
            + orders.orderkey.bytes()
            + orders.custkey.bytes()
            + orders.orderdate.bytes()
            + orders.totalprice.bytes()
            + tables.customer.name.bytes();
        (lineitem.orderkey.len(), bytes)
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let orders = &tables.orders;
        let mut found: Vec<(u32, Reverse<u16>, usize, u32)> = Vec::new();
        large_orders(simd, tables, 300, |key, quantity| {
            // Orders are few here: a binary search each.
            let order = orders.orderkey.partition_point(|&other| other < key);
            found.push((orders.totalprice[order], Reverse(orders.orderdate[order]), order, quantity));
        });
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(LIMIT);
        let cells = |(price, Reverse(date), order, quantity): (u32, Reverse<u16>, usize, u32)| {
            let customer = orders.custkey[order];
            vec![
                Cell::Text(tables.customer.name.get(customer as usize - 1)),
                Cell::Integer(customer.into()),
                Cell::Integer(orders.orderkey[order].into()),
                Cell::Date(date),
                Cell::Decimal(price.into(), 2),
                Cell::Decimal((quantity * 100).into(), 2),
            ]
        };
        found.into_iter().map(cells).collect()
    }
}

/// Gives the orders whose lines sum up to more than `least`, and these sums.
#[inline(always)]
fn large_orders<S: Simd>(simd: S, tables: &Tables, least: u32, mut large: impl FnMut(u32, u32)) {
    let lineitem = &tables.lineitem;
    let rows = lineitem.orderkey.len();
    let (mut keys, mut sums) = ([0u32; TILE + 32], [0u32; TILE + 32]);
    let mut sum = 0;
    for first in (0..rows).step_by(TILE) {
        // sums[0] is the running sum before the tile's first end: the tile before left it there.
        let mut ends = 1;
        // What stands behind the last row ends the last order, and has no ends of its own.
        for row in (first..rows.min(first + TILE)).step_by(16) {
            let places = (window(&mut keys, ends), window(&mut sums, ends));
            let (these, next) = (lineitem.orderkey.window(row), lineitem.orderkey.window(row + 1));
            ends += simd.run_ends(these, next, lineitem.quantity.window(row), &mut sum, places);
        }
        for at in (1..ends).step_by(32) {
            let (after, before) = (window::<32>(&mut sums, at).to_owned(), window::<32>(&mut sums, at - 1).to_owned());
            let mut any = false;
            for lane in 0..32 {
                any |= after[lane].wrapping_sub(before[lane]) > least;
            }
            if any {
                for end in at..ends.min(at + 32) {
                    let quantity = sums[end].wrapping_sub(sums[end - 1]);
                    if quantity > least {
                        large(keys[end], quantity);
                    }
                }
            }
        }
        sums[0] = sums[ends - 1];
    }
}

#[inline(always)]
fn window<const N: usize>(values: &mut [u32; TILE + 32], at: usize) -> &mut [u32; N] {
    values[at..at + N].as_mut_array().expect("a slice of N has N elements")
}
