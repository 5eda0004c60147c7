//! A window that says of each row what all rows of its partition come to becomes groups and a lookup.
//!
//! ```text
//! W = Window[partition k](r over all rows)(C)   →   H = BucketReduce[j in C](k(j))(r)
//!                                                   W = Collect[i in C](i, H[k(i)])
//! ```
//!
//! Nothing is put in order then. Without a partition H is one row. Source: our own. An example:
//!
//! ```text before
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     a? = i0.a
//!     b = i0.b
//! %2 window %1 partition by a
//!   most? = max(b) over rows first to last
//! result %2
//! output b, most
//! ```
//! ```text after
//! table %0 t(a#0 integer?, b#1 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     a? = i0.a
//!     b = i0.b
//! loop
//!   i1 in %1
//!   %2 bucket_reduce
//!     key a? = i1.a
//!     most? = max(i1.b)
//! loop
//!   i2 in %1
//!   %3 collect
//!     a? = i2.a
//!     b = i2.b
//!     most? = %2[is i2.a].most
//! result %3
//! output b, most
//! ```
//!
//! Guard, and why:
//! * all functions are reductions whose frames hold the whole partition: without an order (`sum(x) over (partition by a)`)
//!   or by their bounds. A running sum is another value for each row, and beside `row_number()` the rows are put in order
//!   anyway, once.
//!
//! NULLs: rows without a value are one partition, which a part that matches NULL finds. Errors: a sum that leaves its type
//! fails where it is read, by every row, as the window did. Order: that of rows is free. It ends: there is a window less.

use crate::multiloop::{BlockId, Generator, Let, Program};
use crate::rewrite::machinery::change_limit::change_blocks;
use crate::rewrite::machinery::partition_groups::{aggregate, columns, is_whole, over_rows, partitions};

/// Makes groups of such windows.
pub(super) fn group_whole_windows(program: &mut Program) -> bool {
    change_blocks(program, find, group)
}

fn find(program: &Program, block: BlockId) -> Option<usize> {
    program.block(block).lets.iter().position(|each| {
        let Let::Window { order, functions, .. } = each else { return false };
        functions.iter().all(|field| is_whole(field, order.is_empty()))
    })
}

fn group(program: &mut Program, block: BlockId, at: usize) {
    let Let::Window { define, input, partition, functions, .. } = program.block(block).lets[at].clone() else { return };
    let own = program.collection(input).fields.len();
    let added = program.collection(define).fields[own..].to_vec();
    let aggregates = |row: &[_]| functions.iter().map(|field| aggregate(field, row)).collect();
    let (groups, made) = partitions(program, (input, &partition), added, aggregates);
    let index = program.add_index();
    let mut value = columns(program, input, index);
    let asked = groups.ask(program, &value);
    value.extend(asked);
    let asked = over_rows(define, index, input, Generator::Collect { condition: Vec::new(), value });
    program.blocks[block.0 as usize].lets.splice(at..=at, [made, asked]);
}
