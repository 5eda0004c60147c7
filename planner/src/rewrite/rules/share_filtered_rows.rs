//! Rows that two loops pick out of one table by the same conditions are picked once.
//!
//! ```text
//! A = G1[i in T, p](c(i) && …)            D = Collect[i in T](c(i))(i)
//! B = G2[j in T, q](c(j) && … A …)   →    A = G1[d in D, p](…)
//!                                         B = G2[d in D, q](… A …)
//! ```
//!
//! A join counts as the condition that its buckets have the key. Two loops that could run together are better off with
//! `fuse_sibling_loops`. Source: common subexpressions of scans, as in most optimisers. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 reduce
//!     if i0.b = 7
//!     if i0.c > 3
//!     largest? = max(i0.a)
//! loop
//!   i1 in %0
//!   %2 collect
//!     if i1.b = 7
//!     if i1.a < %1.largest
//!     a = i1.a
//! result %2
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 integer, c#2 integer)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if i0.b = 7
//!     c = i0.c
//!     a = i0.a
//! loop
//!   i1 in %1
//!   %2 reduce
//!     if i1.c > 3
//!     largest? = max(i1.a)
//! loop
//!   i2 in %1
//!   %3 collect
//!     if i2.a < %2.largest
//!     a = i2.a
//! result %3
//! output a
//! ```
//!
//! Guard, and why:
//! * the shared conditions read nothing but the table's row, cannot fail nor are volatile, and have nothing in front that
//!   is: they come before others now, and before the rest of the nest, and are asked once for both;
//! * they leave few rows, as `selectivity` guesses: rows are stored to be read twice;
//! * the second loop depends on the first, or their nests differ.
//!
//! NULLs: a condition keeps what is TRUE wherever it stands; a join's key finds nothing as NULL unless the probe says
//! that NULL matches, which the question repeats. Errors: conditions and values are evaluated for the same rows. Joins: only an inner join counts as a condition, and it stays.

use crate::multiloop::live::live_blocks;
use crate::multiloop::uses::{FreeIndices, collections_read, nested_of};
use crate::multiloop::{
    BlockId, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Scalar, ScalarId, Shape, Source,
};
use crate::rewrite::machinery::change_limit::ChangeLimit;
use crate::rewrite::machinery::collect_rows::{collected, columns_of, read_rows};
use crate::rewrite::machinery::dependencies::definitions;
use crate::rewrite::machinery::fallible::Fallible;
use crate::rewrite::machinery::same_nest::same_nest;
use crate::rewrite::machinery::selectivity::Selectivity;
use crate::rewrite::machinery::substitute::Substitution;
use crate::types::DataType;
use rustc_hash::FxHashMap;

/// The largest share of a table's rows that is worth keeping.
const SHARE_MAX: f64 = 0.1;

/// Collects what two loops pick out of a table by the same conditions.
pub(super) fn share_filtered_rows(program: &mut Program) -> bool {
    let (mut changed, mut limit) = (false, ChangeLimit::of(program));
    for block in live_blocks(program) {
        while let Some(site) = limit.next(find(program, block)) {
            share(program, block, site);
            changed = true;
        }
    }
    changed
}

/// Two loops over one table, and what they share: conditions on the first one's index.
struct Site {
    first: usize,
    second: usize,
    shared: Vec<ScalarId>,
}

/// A loop over a table, and the conditions that all of its rows have to pass: as they are, and on one index for all loops over
/// that table.
struct Scan {
    at: usize,
    table: CollectionId,
    picks: Vec<ScalarId>,
    renamed: Vec<ScalarId>,
}

fn find(program: &mut Program, block: BlockId) -> Option<Site> {
    let scans = scans(program, block);
    for (number, first) in scans.iter().enumerate() {
        for second in scans[number + 1..].iter().filter(|other| other.table == first.table) {
            let both = first.picks.iter().zip(&first.renamed).filter(|(_, renamed)| second.renamed.contains(renamed));
            let shared: Vec<ScalarId> = both.map(|(&own, _)| own).collect();
            if shared.is_empty() {
                continue;
            }
            let (a, b) = (program.block(block).lets[first.at].clone(), program.block(block).lets[second.at].clone());
            if may_run_together(program, &a, &b) {
                continue;
            }
            let Let::Loop { multiloop, .. } = &a else { continue };
            let made = definitions(program);
            let selectivity = Selectivity::of(program, &made);
            let nest = &multiloop.nest[..1];
            if selectivity.rows_of_nest(nest, &shared) <= SHARE_MAX * selectivity.rows_of_nest(nest, &[]) {
                return Some(Site { first: first.at, second: second.at, shared });
            }
        }
    }
    None
}

fn scans(program: &mut Program, block: BlockId) -> Vec<Scan> {
    let lets: Vec<(usize, CollectionId, Let)> = {
        let lets = program.block(block).lets.iter().enumerate();
        lets.filter_map(|(at, each)| Some((at, scanned(program, each)?, each.clone()))).collect()
    };
    if lets.len() < 2 {
        return Vec::new();
    }
    let failing = Fallible::of(program);
    let mut indices: FxHashMap<CollectionId, IndexId> = FxHashMap::default();
    let scan = |(at, table, each): (usize, CollectionId, Let)| {
        let picks = picks(program, &failing, &each);
        let mut renaming = Substitution::new();
        if let Some(index) = first_index(&each) {
            renaming.rename_index(index.id, *indices.entry(table).or_insert(index.id));
        }
        let renamed = picks.iter().map(|&id| renaming.scalar(program, id)).collect();
        Scan { at, table, picks, renamed }
    };
    lets.into_iter().map(scan).collect()
}

/// The table that a loop goes over, if no block in it needs its rows.
fn scanned(program: &Program, each: &Let) -> Option<CollectionId> {
    let Let::Loop { multiloop, .. } = each else { return None };
    let Source::Rows(table) = multiloop.nest[0].source else { return None };
    let is_table = matches!(program.collection(table).shape, Shape::Table { .. });
    let picks = multiloop.nest.len() > 1 || !multiloop.generators[0].condition().is_empty();
    (is_table && picks && nested_of(program, each).is_empty()).then_some(table)
}

/// The conditions on a loop's first index that its rows have to pass for any of its generators.
fn picks(program: &mut Program, failing: &Fallible, each: &Let) -> Vec<ScalarId> {
    let Let::Loop { multiloop, .. } = each else { return Vec::new() };
    // Up to the first that may fail: nothing crosses it.
    let pure = |generator: &Generator| {
        let condition = generator.condition().iter().copied();
        condition.take_while(|&id| failing.is_pure(program, id)).collect::<Vec<ScalarId>>()
    };
    let of_all: Vec<Vec<ScalarId>> = multiloop.generators.iter().map(pure).collect();
    let mut picks = of_all[0].clone();
    picks.retain(|id| of_all.iter().all(|condition| condition.contains(id)));
    for index in &multiloop.nest[1..] {
        if let Source::Bucket { collection, key } = &index.source {
            let exists = Scalar::Exists { collection: *collection, key: key.clone() };
            picks.push(program.scalars.intern(exists, DataType::Boolean));
        }
    }
    let mut free = FreeIndices::default();
    let first = multiloop.nest[0].id;
    picks.retain(|&id| failing.is_pure(program, id) && free.scalar(program, id).iter().all(|index| *index == first));
    picks
}

fn first_index(each: &Let) -> Option<&Index> {
    if let Let::Loop { multiloop, .. } = each { multiloop.nest.first() } else { None }
}

/// Whether two loops could be one: neither needs the other and their nests are the same.
fn may_run_together(program: &mut Program, first: &Let, second: &Let) -> bool {
    let independent = !first.defines().iter().any(|define| collections_read(program, second).contains(define));
    independent && same_nest(program, first, second).is_some()
}

fn share(program: &mut Program, block: BlockId, site: Site) {
    let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
    let index = first_index(&lets[site.first]).expect("find has seen a loop").clone();
    // Both loops without what they share, and on one index.
    let (first, mut second) = (lets[site.first].clone(), lets[site.second].clone());
    let mut renaming = Substitution::new();
    renaming.rename_index(first_index(&second).expect("find has seen a loop").id, index.id);
    renaming.definition(program, &mut second);
    let mut readers = [first, second];
    for each in &mut readers {
        let Let::Loop { multiloop, .. } = each else { unreachable!("find has seen loops") };
        multiloop.nest.remove(0);
        for generator in &mut multiloop.generators {
            generator.condition_mut().retain(|id| !site.shared.contains(id));
        }
    }
    let nest = vec![index];
    let value = columns_of(program, &nest, &readers);
    let rows = collected(program, &nest, &value);
    for each in &mut readers {
        read_rows(program, each, rows, &value);
    }
    let generators = vec![Generator::Collect { condition: site.shared, value }];
    [lets[site.first], lets[site.second]] = readers;
    lets.insert(site.first, Let::Loop { defines: vec![rows], multiloop: Multiloop { nest, generators } });
    program.blocks[block.0 as usize].lets = lets;
}
