//! Q5: revenue by nation of a region where customer and supplier are of one nation. The customers' and suppliers' nations are
//! read where their keys say; the orders that are left are merged with lineitem.

use crate::generate::day;
use crate::merge::seek;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::Tables;

/// Orders that are looked at together.
const TILE: usize = 8192;

/// An order that is left, its first line and its customer's nation.
struct Found {
    order: u32,
    line: u32,
    nation: u8,
}

pub(crate) struct Q5;

impl HandWritten for Q5 {
    const NUMBER: usize = 5;

    fn input(tables: &Tables) -> (usize, usize) {
        let (lineitem, orders) = (&tables.lineitem, &tables.orders);
        let bytes = lineitem.orderkey.bytes()
            + lineitem.suppkey.bytes()
            + lineitem.extendedprice.bytes()
            + lineitem.discount.bytes()
            + orders.orderkey.bytes()
            + orders.custkey.bytes()
            + orders.orderdate.bytes()
            + tables.customer.nationkey.bytes()
            + tables.supplier.nationkey.bytes();
        (lineitem.orderkey.len(), bytes)
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let (lineitem, orders, nations) = (&tables.lineitem, &tables.orders, &tables.nation);
        let (from, to) = (day(1994, 1, 1), day(1995, 1, 1));
        let in_region = nations.region.iter().rev().fold(0u64, |set, name| (set << 1) | u64::from(name == "ASIA"));
        let (of_customer, of_supplier) = (&tables.customer.nationkey[..], &tables.supplier.nationkey[..]);
        let mut revenue = [0u64; 64];
        let mut found: Vec<Found> = Vec::with_capacity(TILE);
        let mut line = 0;
        for start in (0..orders.orderkey.len()).step_by(TILE) {
            found.clear();
            for first in (start..orders.orderkey.len().min(start + TILE)).step_by(BLOCK) {
                orders.orderdate.stream(first);
                orders.custkey.stream(first);
                let mut mask = simd.within_u16(orders.orderdate.window(first), from, to - from)
                    & (u64::MAX >> BLOCK.saturating_sub(orders.orderkey.len() - first));
                while mask != 0 {
                    let order = first + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    let nation = of_customer[orders.custkey[order] as usize - 1];
                    if (in_region >> nation) & 1 != 0 {
                        orders.orderkey.prefetch(order);
                        found.push(Found { order: order as u32, line: 0, nation });
                    }
                }
            }
            for found in &mut found {
                line = seek(simd, &lineitem.orderkey, line, orders.orderkey[found.order as usize]);
                found.line = line as u32;
                lineitem.suppkey.prefetch(line);
                lineitem.extendedprice.prefetch(line);
                lineitem.discount.prefetch(line);
            }
            for &Found { order, line, nation } in &found {
                let key = orders.orderkey[order as usize];
                for line in line as usize.. {
                    if lineitem.orderkey.get(line) != Some(&key) {
                        break;
                    }
                    if of_supplier[usize::from(lineitem.suppkey[line]) - 1] == nation {
                        revenue[usize::from(nation) % 64] +=
                            u64::from(lineitem.extendedprice[line]) * u64::from(100 - lineitem.discount[line]);
                    }
                }
            }
        }
        let mut rows: Vec<(u64, &String)> =
            revenue.into_iter().zip(&nations.name).filter(|(revenue, _)| *revenue > 0).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let cells = |(revenue, name): (u64, &String)| vec![Cell::Text(name.clone()), Cell::Decimal(revenue.into(), 4)];
        rows.into_iter().map(cells).collect()
    }
}
