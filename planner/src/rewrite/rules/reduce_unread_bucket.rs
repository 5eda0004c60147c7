//! Keeps the keys of groups alone where nothing reads the groups' rows.
//!
//! ```text
//! A = BucketCollect[nest](c)(k)(f), only its keys are asked for   →   A = BucketReduce[nest](c)(k)()
//! ```
//!
//! Source: DMLL, Figure 3 (GroupBy-Reduce, of no reduction). The build side of a semi or anti join:
//!
//! ```text before
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_collect
//!     if i0.x > 5
//!     key k? = i0.k
//!     x = i0.x
//! loop
//!   i1 in %0
//!   %3 collect
//!     if NOT exists %2[i1.a]
//!     a = i1.a
//! result %3
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer)
//! table %1 u(k#0 integer?, x#1 integer)
//! loop
//!   i0 in %1
//!   %2 bucket_reduce
//!     if i0.x > 5
//!     key k? = i0.k
//! loop
//!   i1 in %0
//!   %3 collect
//!     if NOT exists %2[i1.a]
//!     a = i1.a
//! result %3
//! output a
//! ```
//!
//! Guard: no `Bucket` or `BucketOrNull` index goes over it; those need the rows. A `Rows` index shows the keys of
//! either. NULLs: the group of NULLs stays. Errors: the values, which nothing read, are not evaluated. Joins: none
//! reads it.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::collection_uses;
use crate::multiloop::{Generator, Let, Program, Shape};

/// Makes every BucketCollect that is only asked for its keys a set of keys.
pub(super) fn reduce_unread_bucket(program: &mut Program) -> bool {
    let uses = collection_uses(program);
    let mut changed = false;
    for block in live_blocks(program) {
        for each in &mut program.blocks[block.0 as usize].lets {
            let Let::Loop { defines, multiloop } = each else { continue };
            for (define, generator) in defines.iter().zip(&mut multiloop.generators) {
                let at = define.0 as usize;
                let Generator::BucketCollect { condition, key, .. } = generator else { continue };
                if uses[at].buckets > 0 {
                    continue;
                }
                program.collections[at].shape = Shape::Groups { keys: key.len() as u32 };
                let (condition, key) = (std::mem::take(condition), std::mem::take(key));
                *generator = Generator::BucketReduce { condition, key, aggregates: Vec::new() };
                changed = true;
            }
        }
    }
    changed
}
