//! A nested block of several lets over the rows of a bucket becomes lets over the rows of all buckets, in front of the loop that asks.
//!
//! ```text
//! B = BucketCollect[nest](c)(k)(v)
//! G[i …](… { R = BucketReduce[j in B[h(i)]](d(j))(g(j))(f(j)) ; S = Reduce[r in R](e(r))(q(r)) ; S } …)
//!     →   R' = BucketReduce[nest](c && d(v))(k, g(v))(f(v))
//!         S' = BucketReduce[r in R'](e(r))(r.k)(q(r))
//!         G[i …](… S'[h(i)] …)
//! ```
//!
//! Each let of the block is made once for all keys, its rows have the bucket's key in front, and what is read within the block is read within
//! the key: groups have it among their keys, windows among what partitions them, and a top-k becomes the first places of a window. Lookups
//! of what the block makes (EXCEPT, INTERSECT) have it in front of their own. The row of a Reduce, the last one's or that of one which other
//! lets read, is looked up: without rows a lookup gives what the Reduce gives. If the last Reduce is of such a row alone, it is an expression
//! (`expression`). Where such a row is gone over otherwise, there has to be one for each key that asks, so the keys that ask are gone over for it:
//!
//! ```text
//! G[i …](… { S = Reduce[j in B[h(i)]](count) ; R = Concat(S, …) ; … } …)
//!     →   K = BucketReduce[i …](h(i)) ; S' = BucketReduce[nest](k)(count) ; R' = Concat(Collect[k in K](k, S'[k]), …) ; …
//! ```
//!
//! If a let of the block reads the row that asks, those in front of it go all the same, and it goes over buckets of theirs:
//!
//! ```text
//! G[i …](… { R = BucketReduce[j in B[h(i)]] … ; Reduce[r in R](any(r.x < i.y)) } …)
//!     →   R' = … ; C = BucketCollect[r in R'](r.k)(r) ; G[i …](… { Reduce[r in C[h(i)]](any(r.x < i.y)) } …)
//! ```
//!
//! Source: loop fission (distribution) of an imperfect nest, which makes perfect ones for DMLL's Conditional Reduce (Figure 3); of SQL the
//! unnesting of arbitrary queries (Neumann and Kemper, BTW 2015). An example:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %0
//!   %3 collect
//!     block b0
//!       loop
//!         i2 in %2[i1.a]
//!         %4 bucket_reduce
//!           key x = i2.x
//!           count = count_rows()
//!       loop
//!         i3 in %4
//!         %5 reduce
//!           if i3.x > 5
//!           most? = max(i3.count)
//!       result %5
//!     a = i1.a
//!     most? = b0.most
//! result %3
//! output a, most
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     key k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %1
//!   %3 bucket_reduce
//!     key k? = i1.k
//!     key x = i1.x
//!     count = count_rows()
//! loop
//!   i2 in %3
//!   %4 bucket_reduce
//!     if i2.x > 5
//!     key k? = i2.k
//!     most? = max(i2.count)
//! loop
//!   i3 in %0
//!   %5 collect
//!     a = i3.a
//!     most? = %4[i3.a].most
//! result %5
//! output a, most
//! ```
//!
//! The buckets go when nothing else reads them. Where few rows ask, as far as anybody knows, the lets are made for their keys only:
//! `K = BucketReduce[i …](c)(h(i))`, with the conditions that stand in front of the block, and `exists K[k]` is a condition on what begins with
//! the buckets' rows (magic sets, as in `collect_driving_rows`).
//!
//! Guard, and why:
//! * the lets that go read the row that asks in the probe of their first bucket only, and all with the same probe: any other value of
//!   that row (`where u.x < t.a`) would be one for each row, not for each key;
//! * one row for each key that asks is made where these keys can be gone over (as K below), and have the types of the buckets' keys; else what
//!   goes over such rows alone stays (`select count(*) from u where u.k = t.a + 1 union all …`, where the sum may fail);
//! * blocks within the block go over nothing that it makes: only scalars get the key;
//! * a top-k has an order and constants (a negative limit is an error, which a window does not raise), and no fields that are intervals or
//!   vectors: which of two equal values (24 hours and a day) it takes a window cannot be told. Of floats and numerics it can (`first_places`);
//! * no pairs with all rows of something else are kept: those of one key may have room where those of all have not;
//! * of several lets one at least groups or orders: rows that are only collected are as well where they are;
//! * nothing in the block may fail or is volatile, unless the program may speculate: it is now evaluated for keys that no row asks for;
//! * the block is not read by the fields of a top-k of few rows alone: these are made for the rows that stay, which nobody knows before;
//! * K is made of conditions that cannot fail and hold no block, over an index of rows and buckets beside it: its rows are gone over twice.
//!
//! NULLs: the probe is the bucket's own, NULL parts find what they found; within a key NULL is one of its values. With a row for each key
//! that asks NULL is one of these keys, which finds its own row: what is made of buckets has no rows of it then, unless the probe's NULL finds
//! them. A key without rows gives what the last Reduce gives for no rows. Joins: other indices of a nest are kept as they are. It ends: each
//! change takes lets out of a block.
//!
//! Here stand the sites; `scan` goes over a block's lets and says which can be made for all keys, and whether that pays; `build` makes them;
//! `expression` is what is said of one row; `reads` finds the scalars that read what a block makes.

mod build;
mod expression;
mod reads;
mod scan;

use crate::function::Effects;
use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::nested_of;
use crate::multiloop::{
    Aggregate, Block, BlockId, CollectionId, Generator, Index, KeyPart, Let, Program, Reduction, Scalar, ScalarId,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::dependencies::definitions;
use crate::types::DataType;
use crate::value::Value;
use build::Split;
use scan::Scan;

/// First rows that are few.
const FIRST_ROWS: i64 = 1024;

/// Takes lets out of nested blocks.
pub(super) fn split_correlated_block(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        let mut at = 0;
        while at < program.block(block).lets.len() {
            while let Some(found) = limit.next(find(program, block, at)) {
                at += split(program, (block, at), &found);
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// A block of which the first lets can be made for all keys.
struct Splittable {
    nested: BlockId,
    /// How the row that asks finds its key, and the types of the key's parts.
    probe: Vec<KeyPart>,
    types: Vec<DataType>,
    /// For each of these lets the index with which its nest begins then. All lets are these if the result is one.
    begins: Vec<usize>,
    effects: Effects,
    /// The rows that ask, if they are few or a row for each of their keys is needed: a nest, and conditions.
    asking: Option<(Vec<Index>, Vec<ScalarId>)>,
    /// Whether a row for each key that asks is needed.
    fills: bool,
}

fn find(program: &Program, block: BlockId, at: usize) -> Option<Splittable> {
    let nested = nested_of(program, &program.block(block).lets[at]);
    let several = |nested: &BlockId| program.block(*nested).lets.len() > 1;
    let asked = |nested: &BlockId| several(nested) && !is_asked_by_first_rows(program, (block, at), *nested);
    let mut nested = nested.into_iter().map(|(_, nested, _)| nested).filter(asked).peekable();
    nested.peek()?;
    let made = definitions(program);
    nested.find_map(|nested| Scan::of(program, nested, (block, at), &made).splittable())
}

/// Whether a block is read by the fields of a few first rows alone, which are made of the rows that stay.
fn is_asked_by_first_rows(program: &Program, (block, at): (BlockId, usize), nested: BlockId) -> bool {
    let Let::Loop { multiloop, .. } = &program.block(block).lets[at] else { return false };
    let [Generator::Reduce { condition, aggregates }] = &multiloop.generators[..] else { return false };
    let [Aggregate { reduction: Reduction::TopK { order, limit, .. }, arguments, .. }] = &aggregates[..] else {
        return false;
    };
    let is_small = matches!(program.scalars.get(*limit), Scalar::Constant(Value::Int(limit)) if *limit <= FIRST_ROWS);
    let of_nest = multiloop.nest.iter().flat_map(|index| index.source.scalars());
    let by_all = of_nest.chain(condition.iter().copied()).chain(arguments[..order.len()].iter().copied());
    is_small && !order.is_empty() && !blocks_of(program, by_all.collect()).contains(&nested)
}

/// The blocks that scalars hold.
fn blocks_of(program: &Program, scalars: Vec<ScalarId>) -> Vec<BlockId> {
    let all = Let::Values { define: CollectionId(0), rows: vec![scalars] };
    nested_of(program, &all).into_iter().map(|(_, block, _)| block).collect()
}

/// Takes the lets out; how many there are in front of the let that asks now.
fn split(program: &mut Program, (block, at): (BlockId, usize), found: &Splittable) -> usize {
    program.moved(found.effects);
    let Block { lets, result } = program.block(found.nested).clone();
    let (keyed, rest) = lets.split_at(found.begins.len());
    let made = definitions(program);
    let mut split = Split::new(program, found, made);
    keyed.iter().zip(&found.begins).for_each(|(each, &begin)| split.add(program, each, begin));
    let mut readers = match rest {
        [] => split.lookups(program, found.nested),
        rest => split.buckets(program, found.nested, (rest, result)),
    };
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    readers.definition(program, &mut lets[at]);
    let added = split.front.len();
    lets.splice(at..at, split.front);
    program.blocks[block.0 as usize].lets = lets;
    added
}
