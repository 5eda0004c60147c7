//! Groups of one loop by one key, of all rows and of some, become one: the conditions of the narrower ones go to the
//! aggregates.
//!
//! ```text
//! A = BucketReduce(c)(g)(f)(r), B = BucketReduce(c && d)(g)(f')(r')   →   A = BucketReduce(c)(g)(f, f' if d)(r, r')
//! … B[h].x …                                                              … A[h].x …
//! ```
//!
//! The key is computed, and its group found, once. Source: our own; the case is Q21 of TPC-H. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     if i0.b < 7
//!     key a = i0.a
//!     least? = min(i0.c)
//!   %2 bucket_reduce
//!     key a = i0.a
//!     rows = count_rows()
//! loop
//!   i1 in %0
//!   %3 collect
//!     if %1[i1.b].least < i1.c
//!     rows = %2[i1.b].rows
//! result %3
//! output rows
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 bucket_reduce
//!     key a = i0.a
//!     rows = count_rows()
//!     least? = min(i0.c if i0.b < 7)
//! loop
//!   i1 in %0
//!   %2 collect
//!     if %1[i1.b].least < i1.c
//!     rows = %1[i1.b].rows
//! result %2
//! output rows
//! ```
//!
//! Guard, and why:
//! * B is only looked up, where a group without rows that pass gives what no group does: as rows, or asked `exists`, its
//!   groups would be more (`select a from t where b < 7 group by a`);
//! * A has aggregates: a set of keys that needs no more is kept in less;
//! * nothing in the conditions is volatile: A's would be asked once for both.
//!
//! NULLs: a filter keeps what is TRUE, as a condition does. Errors: A asks c of the same rows already, and computes the
//! key; d and the arguments are evaluated for the rows that passed c, as before. Joins: the nest is the same.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{Use, collection_uses, for_each_node};
use crate::multiloop::{Aggregate, BlockId, CollectionId, Generator, Let, Program, Scalar, ScalarId};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::Field;

/// Merges groups of one loop.
pub(super) fn merge_sibling_groups(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program).into_iter().rev() {
        while let Some(site) = limit.next(find(program, block)) {
            merge(program, block, site);
            changed = true;
        }
    }
    changed
}

/// Two generators of a let: the one that stays and the one that goes into it, and who looks the latter up.
struct Site {
    at: usize,
    wide: usize,
    narrow: usize,
    /// In ascending order, so that what stands in another's key comes first.
    lookups: Vec<ScalarId>,
}

fn find(program: &Program, block: BlockId) -> Option<Site> {
    let mut uses = None;
    program.block(block).lets.iter().enumerate().find_map(|(at, each)| {
        let Let::Loop { defines, multiloop } = each else { return None };
        let generators = &multiloop.generators;
        let pairs = (0..generators.len()).flat_map(|wide| (0..generators.len()).map(move |narrow| (wide, narrow)));
        pairs
            .filter(|&(wide, narrow)| wide != narrow && fits(program, &generators[wide], &generators[narrow]))
            .find_map(|(wide, narrow)| {
                let uses: &Vec<Use> = uses.get_or_insert_with(|| collection_uses(program));
                let of_narrow = uses[defines[narrow].0 as usize];
                let only_scalars = of_narrow == Use { scalars: of_narrow.scalars, ..Use::default() };
                let lookups = if only_scalars { lookups(program, defines[narrow]) } else { None };
                lookups.map(|lookups| Site { at, wide, narrow, lookups })
            })
    })
}

/// Whether the second has some of the rows that the first has, by the same key.
fn fits(program: &Program, wide: &Generator, narrow: &Generator) -> bool {
    let Generator::BucketReduce { condition, key, aggregates } = wide else { return false };
    let Generator::BucketReduce { condition: more, key: other, aggregates: others } = narrow else { return false };
    key == other
        && !aggregates.is_empty()
        && !others.is_empty()
        && condition.iter().all(|id| more.contains(id))
        && !more.iter().any(|&id| program.scalars.effects(id).volatile)
}

/// All lookups of groups, in ascending order; none if they are asked `exists`.
fn lookups(program: &Program, groups: CollectionId) -> Option<Vec<ScalarId>> {
    let (mut found, mut seen, mut asked) = (Vec::new(), vec![false; program.scalars.len()], false);
    for each in live_blocks(program).into_iter().flat_map(|id| &program.block(id).lets) {
        each.for_each_scalar(|id| {
            for_each_node(program, id, &mut seen, &mut |id, scalar| match scalar {
                Scalar::Lookup { collection, .. } if *collection == groups => found.push(id),
                Scalar::Exists { collection, .. } => asked |= *collection == groups,
                _ => {}
            });
        });
    }
    found.sort_unstable();
    (!asked).then_some(found)
}

fn merge(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let Let::Loop { defines, multiloop } = &mut lets[site.at] else { unreachable!("find has seen a loop") };
    let (wide, narrow) = (defines[site.wide], defines[site.narrow]);
    let Generator::BucketReduce { condition: more, aggregates: moved, .. } = multiloop.generators[site.narrow].clone()
    else {
        unreachable!("find has seen groups")
    };
    let Generator::BucketReduce { condition, key, aggregates } = &mut multiloop.generators[site.wide] else {
        unreachable!("find has seen groups")
    };
    let filter: Vec<ScalarId> = more.into_iter().filter(|id| !condition.contains(id)).collect();
    let (keys, before) = (key.len() as u32, aggregates.len() as u32);
    aggregates.extend(moved.iter().map(|aggregate| filtered(aggregate, &filter)));
    defines.remove(site.narrow);
    multiloop.generators.remove(site.narrow);
    let fields = program.collection(narrow).fields[keys as usize..].to_vec();
    let moved_fields = fields.into_iter().zip(&moved).map(|(field, aggregate)| {
        // A group may have no row that passes.
        let is_count = aggregate.reduction.is_count();
        Field { nullable: field.nullable || !(is_count || filter.is_empty()), ..field }
    });
    program.collections[wide.0 as usize].fields.extend(moved_fields);
    let mut readers = Substitution::new();
    for old in site.lookups {
        let Scalar::Lookup { key, field, .. } = program.scalars.get(old).clone() else {
            unreachable!("it is a lookup")
        };
        let mut key = key;
        key.iter_mut().for_each(|part| part.scalar = readers.scalar(program, part.scalar));
        let lookup = Scalar::Lookup { collection: wide, key, field: field + before };
        let new = program.scalars.intern(lookup, program.scalars.data_type(old));
        readers.replace_scalar(old, new);
    }
    for each in &mut lets[site.at + 1..] {
        readers.definition(program, each);
    }
    program.blocks[block.0 as usize].lets = lets;
}

/// An aggregate of the rows that pass more conditions.
fn filtered(aggregate: &Aggregate, filter: &[ScalarId]) -> Aggregate {
    Aggregate { condition: filter.iter().chain(&aggregate.condition).copied().collect(), ..aggregate.clone() }
}
