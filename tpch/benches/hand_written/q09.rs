//! Q9: profit by nation and year for parts with a word in their name. The names are searched as one buffer; lineitem's
//! rows are found by a bitmap of parts; costs are kept for those parts alone; dates of orders are spread over their keys
//! tile by tile, lineitem and orders being sorted alike.

use crate::bitmap::Bitmap;
use crate::generate::day;
use crate::merge::seek;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::{Lineitem, Tables};

/// Rows of lineitem whose orders are looked at together.
const TILE: usize = 4096;

/// Years of orders: 1992 to 1999, in a power of two.
const YEARS: usize = 8;

pub(crate) struct Q9;

/// Costs of the parts that are asked for.
struct Costs {
    /// By part's key: where its suppliers begin.
    starts: Vec<u32>,
    suppliers: Vec<u16>,
    costs: Vec<u32>,
    /// Suppliers of each part: as many as the part with most has, in fours. The rest is filled up with supplier 0.
    suppliers_each: usize,
}

impl Costs {
    #[inline(always)]
    fn new<S: Simd>(simd: S, tables: &Tables, parts: &[u32]) -> Self {
        let partsupp = &tables.partsupp;
        let mut runs = Vec::with_capacity(parts.len());
        let mut row = 0;
        for &part in parts {
            row = seek(simd, &partsupp.partkey, row, part);
            let start = row;
            while row < partsupp.partkey.len() && partsupp.partkey[row] == part {
                row += 1;
            }
            runs.push((part, start, row));
        }
        let suppliers_each = runs.iter().map(|(_, start, end)| end - start).max().unwrap_or(0).next_multiple_of(4);
        let mut starts = vec![0; tables.part.name.offsets.len()];
        let mut suppliers = vec![0; parts.len() * suppliers_each];
        let mut costs = vec![0; parts.len() * suppliers_each];
        for (number, (part, start, end)) in runs.into_iter().enumerate() {
            let at = number * suppliers_each;
            starts[part as usize] = at as u32;
            suppliers[at..at + end - start].copy_from_slice(&partsupp.suppkey[start..end]);
            costs[at..at + end - start].copy_from_slice(&partsupp.supplycost[start..end]);
        }
        Costs { starts, suppliers, costs, suppliers_each }
    }

    #[inline(always)]
    fn cost(&self, part: u32, supplier: u16) -> u32 {
        let start = self.starts[part as usize] as usize;
        let range = start..start + self.suppliers_each;
        let (suppliers, costs) =
            (self.suppliers[range.clone()].as_chunks::<4>().0, self.costs[range].as_chunks::<4>().0);
        let mut found = 0;
        for (suppliers, costs) in suppliers.iter().zip(costs) {
            // Without branches: which of the four it is cannot be foreseen.
            for at in 0..4 {
                found |= costs[at] & 0u32.wrapping_sub(u32::from(suppliers[at] == supplier));
            }
        }
        found
    }
}

impl Lineitem {
    #[inline(always)]
    fn prefetch_q9(&self, line: usize) {
        self.orderkey.prefetch(line);
        self.suppkey.prefetch(line);
        self.extendedprice.prefetch(line);
        self.discount.prefetch(line);
        self.quantity.prefetch(line);
    }
}

impl HandWritten for Q9 {
    const NUMBER: usize = 9;

    fn input(tables: &Tables) -> (usize, usize) {
        let (lineitem, orders, partsupp) = (&tables.lineitem, &tables.orders, &tables.partsupp);
        let bytes = lineitem.orderkey.bytes()
            + lineitem.partkey.bytes()
            + lineitem.suppkey.bytes()
            + lineitem.quantity.bytes()
            + lineitem.extendedprice.bytes()
            + lineitem.discount.bytes()
            + orders.orderkey.bytes()
            + orders.orderdate.bytes()
            + partsupp.partkey.bytes()
            + partsupp.suppkey.bytes()
            + partsupp.supplycost.bytes()
            + tables.part.name.bytes()
            + tables.supplier.nationkey.bytes();
        (lineitem.orderkey.len(), bytes)
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let parts = parts_with(tables, "green");
        let wanted = Bitmap::of_numbers(tables.part.name.offsets.len(), &parts);
        let costs = Costs::new(simd, tables, &parts);
        let years: Vec<u8> = (1992..1992 + YEARS as u16)
            .flat_map(|year| {
                std::iter::repeat_n((year - 1992) as u8, usize::from(day(year + 1, 1, 1) - day(year, 1, 1)))
            })
            .collect();
        let lineitem = &tables.lineitem;
        let nation_of = &tables.supplier.nationkey[..];
        let (mut profit, mut seen) = ([0i64; 64 * YEARS], [false; 64 * YEARS]);
        let mut dates = OrderDates::default();
        let (mut lines, mut order) = ([0u16; TILE], 0);
        for first in (0..lineitem.partkey.len()).step_by(TILE) {
            let mut found = 0;
            let end = lineitem.partkey.len().min(first + TILE);
            for block in (first..end).step_by(BLOCK) {
                lineitem.partkey.stream(block);
                // What stands behind the last row is part 0, which there is not.
                let mut mask = wanted.test_block(lineitem.partkey.window(block));
                while mask != 0 {
                    let line = block + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    lineitem.prefetch_q9(line);
                    lines[found % TILE] = (line - first) as u16;
                    found += 1;
                }
            }
            order = dates.spread(tables, order, lineitem.orderkey[first], lineitem.orderkey[end - 1]);
            for &line in &lines[..found] {
                let line = first + usize::from(line);
                let supplier = lineitem.suppkey[line];
                let cost = costs.cost(lineitem.partkey[line], supplier);
                let amount = i64::from(lineitem.extendedprice[line]) * i64::from(100 - lineitem.discount[line])
                    - i64::from(cost) * i64::from(u32::from(lineitem.quantity[line]) * 100);
                let year = years[usize::from(dates.get(lineitem.orderkey[line]))];
                let group = usize::from(nation_of[usize::from(supplier) - 1]) * YEARS + usize::from(year);
                profit[group] += amount;
                seen[group] = true;
            }
        }
        let mut rows: Vec<(&String, usize, i64)> = (0..tables.nation.name.len() * YEARS)
            .filter(|&group| seen[group])
            .map(|group| (&tables.nation.name[group / YEARS], YEARS - group % YEARS, profit[group]))
            .collect();
        rows.sort_unstable();
        let cells = |(nation, years_left, profit): (&String, usize, i64)| {
            let year = (1992 + YEARS - years_left) as i64;
            vec![Cell::Text(nation.clone()), Cell::Integer(year), Cell::Decimal(profit.into(), 4)]
        };
        rows.into_iter().map(cells).collect()
    }
}

/// The keys of the parts whose name has this word in it.
fn parts_with(tables: &Tables, word: &str) -> Vec<u32> {
    let name = &tables.part.name;
    let (mut parts, mut row) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(&name.text, word) {
        while name.offsets[row + 1] as usize <= at {
            row += 1;
        }
        let key = row as u32 + 1;
        if at + word.len() <= name.offsets[row + 1] as usize && parts.last() != Some(&key) {
            parts.push(key);
        }
    }
    parts
}

/// Dates of orders in a range of keys, by key.
#[derive(Default)]
struct OrderDates {
    base: u32,
    dates: Vec<u16>,
}

impl OrderDates {
    /// Takes the orders with keys from `low` to `high`; `order` is no later than their first. Returns the last one's row.
    #[inline(always)]
    fn spread(&mut self, tables: &Tables, mut order: usize, low: u32, high: u32) -> usize {
        let orders = &tables.orders;
        self.base = low;
        let keys = (high - low) as usize + 1;
        if self.dates.len() < keys {
            self.dates.resize(keys, 0);
        }
        while orders.orderkey[order] < low {
            order += 1;
        }
        let start = order;
        let pairs = orders.orderkey[start..].iter().zip(&orders.orderdate[start..]);
        for (&key, &date) in pairs {
            let at = (key - low) as usize;
            if at >= keys {
                break;
            }
            self.dates[at] = date;
            order += 1;
        }
        order - 1
    }

    #[inline(always)]
    fn get(&self, key: u32) -> u16 {
        self.dates[(key - self.base) as usize]
    }
}
