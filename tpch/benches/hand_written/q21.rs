//! Q21: suppliers who alone kept an order waiting. Late lines of the nation's suppliers are few; of each the order's other
//! lines stand beside it, lineitem being clustered by order.

use crate::merge::seek;
use crate::query::{Cell, HandWritten, Row};
use crate::simd::{BLOCK, Simd};
use crate::tables::Tables;

/// Rows of the result.
const LIMIT: usize = 100;

/// Rows before a line among the 16 that are looked at together.
const BEFORE: usize = 8;

/// Rows that are looked at together.
const TILE: usize = 4096;

pub(crate) struct Q21;

impl HandWritten for Q21 {
    const NUMBER: usize = 21;

    fn input(tables: &Tables) -> (usize, usize) {
        let (lineitem, orders) = (&tables.lineitem, &tables.orders);
        let bytes = lineitem.orderkey.bytes()
            + lineitem.suppkey.bytes()
            + lineitem.commitdate.bytes()
            + lineitem.receiptdate.bytes()
            + orders.orderkey.bytes()
            + orders.orderstatus.codes.bytes()
            + tables.supplier.nationkey.bytes()
            + tables.supplier.name.bytes();
        (lineitem.orderkey.len(), bytes)
    }

    #[inline(always)]
    fn run<S: Simd>(simd: S, tables: &Tables) -> Vec<Row> {
        let (lineitem, orders) = (&tables.lineitem, &tables.orders);
        let nation = tables.nation.name.iter().position(|name| name == "SAUDI ARABIA");
        let nation_of = &tables.supplier.nationkey;
        // By key; there is no supplier 0, which is what stands behind the last row.
        let mut wanted = vec![0u8; 1 << 16];
        for (wanted, &of) in wanted[1..].iter_mut().zip(nation_of.iter()) {
            *wanted = u8::from(Some(usize::from(of)) == nation);
        }
        let wanted: &[u8; 1 << 16] = wanted.as_array().expect("it was made so long");
        let filled = orders.orderstatus.code("F");
        let mut waiting = vec![0u32; nation_of.len() + 1];
        let (mut order, mut lines) = (0, Vec::with_capacity(TILE));
        for start in (0..lineitem.orderkey.len()).step_by(TILE) {
            lines.clear();
            for first in (start..lineitem.orderkey.len().min(start + TILE)).step_by(BLOCK) {
                lineitem.commitdate.stream(first);
                lineitem.receiptdate.stream(first);
                lineitem.suppkey.stream(first);
                let mut mask = simd.less_u16(lineitem.commitdate.window(first), lineitem.receiptdate.window(first));
                mask &= wanted_of(wanted, lineitem.suppkey.window(first));
                while mask != 0 {
                    let line = first + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    lineitem.orderkey.prefetch(line.wrapping_sub(BEFORE));
                    lineitem.orderkey.prefetch(line + 15 - BEFORE);
                    lines.push(line);
                }
            }
            for &line in &lines {
                if !alone_late(simd, tables, line) {
                    continue;
                }
                let key = lineitem.orderkey[line];
                order = seek(simd, &orders.orderkey, order, key);
                waiting[usize::from(lineitem.suppkey[line])] += u32::from(orders.orderstatus.codes[order] == filled);
            }
        }
        let mut rows: Vec<(std::cmp::Reverse<u32>, String)> = waiting
            .into_iter()
            .zip(0..)
            .filter(|(lines, _)| *lines > 0)
            .map(|(lines, supplier): (u32, usize)| (std::cmp::Reverse(lines), tables.supplier.name.get(supplier - 1)))
            .collect();
        rows.sort_unstable();
        rows.truncate(LIMIT);
        rows.into_iter().map(|(lines, name)| vec![Cell::Text(name), Cell::Integer(lines.0.into())]).collect()
    }
}

/// Which of 64 suppliers are wanted.
#[inline(always)]
fn wanted_of(wanted: &[u8; 1 << 16], suppliers: &[u16; BLOCK]) -> u64 {
    let mut mask = 0;
    for part in 0..8 {
        let mut bits = 0u64;
        for at in 0..8 {
            bits |= u64::from(wanted[usize::from(suppliers[part * 8 + at])]) << at;
        }
        mask |= bits << (part * 8);
    }
    mask
}

/// Whether the order of a late line has another supplier's line, and none that is late.
#[inline(always)]
fn alone_late<S: Simd>(simd: S, tables: &Tables, line: usize) -> bool {
    let lineitem = &tables.lineitem;
    let (key, supplier) = (lineitem.orderkey[line], lineitem.suppkey[line]);
    if let Some(first) = line.checked_sub(BEFORE) {
        let same = simd.equal_u32(lineitem.orderkey.window(first), key);
        // The order lies within if it ends before the ends of these lines.
        if same & 0x8001 == 0 {
            let others = same & !simd.equal_u16(lineitem.suppkey.window(first), supplier);
            let late = simd.less_u16x16(lineitem.commitdate.window(first), lineitem.receiptdate.window(first));
            return others != 0 && others & late == 0;
        }
    }
    let first = lineitem.orderkey[..line].iter().rposition(|&other| other != key).map_or(0, |before| before + 1);
    let lines = (first..lineitem.orderkey.len()).take_while(|&other| lineitem.orderkey[other] == key);
    let mut others = lines.filter(|&other| lineitem.suppkey[other] != supplier).peekable();
    others.peek().is_some() && others.all(|other| lineitem.receiptdate[other] <= lineitem.commitdate[other])
}
