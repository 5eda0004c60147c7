//! Q1: sums by return flag and line status. Few groups: each takes its rows of a block by a mask.

use crate::generate::day;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::{Lineitem, Tables};

/// Groups there may be: three flags and two statuses.
const GROUPS: usize = 6;

/// A group that has at most so many rows of a block gets them one by one.
const ROWS_FEW: u32 = 4;

pub(crate) struct Q1;

/// The sums of a group. Prices times percentages are in units of 10⁻⁴ and 10⁻⁶.
#[derive(Clone, Copy, Default)]
struct Sums<T> {
    quantity: T,
    discount: T,
    price: T,
    discounted: T,
    charge: T,
}

/// What a block's rows cost. A price is below 1.05 × 10⁷ cents, so a discounted one fits 30 bits.
struct Charges {
    discounted: [u32; BLOCK],
    charge: [u64; BLOCK],
}

impl Charges {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "zipped iterators more than double the time of the whole query")]
    fn new(price: &[u32; BLOCK], discount: &[u8; BLOCK], tax: &[u8; BLOCK]) -> Self {
        let mut charges = Charges { discounted: [0; BLOCK], charge: [0; BLOCK] };
        for at in 0..BLOCK {
            charges.discounted[at] = price[at] * (100 - u32::from(discount[at]));
        }
        for at in 0..BLOCK {
            charges.charge[at] = u64::from(charges.discounted[at]) * u64::from(100 + u32::from(tax[at]));
        }
        charges
    }
}

impl Lineitem {
    #[inline(always)]
    fn stream_q1(&self, first: usize) {
        self.shipdate.stream(first);
        self.returnflag.codes.stream(first);
        self.linestatus.codes.stream(first);
        self.quantity.stream(first);
        self.extendedprice.stream(first);
        self.discount.stream(first);
        self.tax.stream(first);
    }
}

impl HandWritten for Q1 {
    const NUMBER: usize = 1;

    fn input(tables: &Tables) -> (usize, usize) {
        let rows = tables.lineitem.quantity.len();
        (rows, rows * (2 + 1 + 1 + 1 + 4 + 1 + 1))
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let lineitem = &tables.lineitem;
        let rows = lineitem.quantity.len();
        let nothing = simd.zero();
        let mut wide =
            [Sums { quantity: nothing, discount: nothing, price: nothing, discounted: nothing, charge: nothing };
                GROUPS];
        let mut few = [Sums::<u64>::default(); GROUPS];
        let mut counts = [0u64; GROUPS];
        for first in (0..rows).step_by(BLOCK) {
            lineitem.stream_q1(first);
            let quantity = lineitem.quantity.window::<BLOCK>(first);
            let price = lineitem.extendedprice.window::<BLOCK>(first);
            let discount = lineitem.discount.window::<BLOCK>(first);
            let flag = lineitem.returnflag.codes.window::<BLOCK>(first);
            let charges = Charges::new(price, discount, lineitem.tax.window(first));
            let kept = simd.within_u16(lineitem.shipdate.window(first), 0, day(1998, 9, 2) + 1)
                & (u64::MAX >> BLOCK.saturating_sub(rows - first));
            let open = simd.equal_u8(lineitem.linestatus.codes.window(first), 1);
            for group in 0..GROUPS {
                let status = if group % 2 == 1 { open } else { !open };
                let mask = simd.equal_u8(flag, (group / 2) as u8) & status & kept;
                counts[group] += u64::from(mask.count_ones());
                if mask.count_ones() <= ROWS_FEW {
                    let mut left = mask;
                    while left != 0 {
                        let at = left.trailing_zeros() as usize;
                        left &= left - 1;
                        few[group].quantity += u64::from(quantity[at]);
                        few[group].discount += u64::from(discount[at]);
                        few[group].price += u64::from(price[at]);
                        few[group].discounted += u64::from(charges.discounted[at]);
                        few[group].charge += charges.charge[at];
                    }
                } else {
                    let sums = &mut wide[group];
                    sums.quantity = simd.add_u8(sums.quantity, mask, quantity);
                    sums.discount = simd.add_u8(sums.discount, mask, discount);
                    sums.price = simd.add_u32(sums.price, mask, price);
                    sums.discounted = simd.add_u32(sums.discounted, mask, &charges.discounted);
                    sums.charge = simd.add_u64(sums.charge, mask, &charges.charge);
                }
            }
        }
        let groups = (0..GROUPS).filter(|&group| counts[group] > 0);
        groups
            .map(|group| {
                let (wide, few) = (&wide[group], &few[group]);
                let total = Sums {
                    quantity: simd.total(wide.quantity) + few.quantity,
                    discount: simd.total(wide.discount) + few.discount,
                    price: simd.total(wide.price) + few.price,
                    discounted: simd.total(wide.discounted) + few.discounted,
                    charge: simd.total(wide.charge) + few.charge,
                };
                row(tables, group, total, counts[group])
            })
            .collect()
    }
}

fn row(tables: &Tables, group: usize, total: Sums<u64>, count: u64) -> Row {
    let mean = |sum: u64, unit: f64| Cell::Double(sum as f64 / unit / count as f64);
    vec![
        Cell::Text(tables.lineitem.returnflag.values[group / 2].clone()),
        Cell::Text(tables.lineitem.linestatus.values[group % 2].clone()),
        Cell::Decimal((total.quantity * 100).into(), 2),
        Cell::Decimal(total.price.into(), 2),
        Cell::Decimal(total.discounted.into(), 4),
        Cell::Decimal(total.charge.into(), 6),
        mean(total.quantity, 1.0),
        mean(total.price, 100.0),
        mean(total.discount, 100.0),
        Cell::Integer(count as i64),
    ]
}
