//! Lets that are put off: made when a row asks for them, which may never be.
//!
//! A subquery that is read as one row, or by a block that a row asks, is needed once a row of its reader gets as far as that: not if the
//! reader's loop has no rows, if other conditions drop all of them, or a CASE goes another way. It may pass over a large table all the
//! same. So a let that takes long, where nobody needs it before there are rows, stands as an error (lets are lazy: a let's error is
//! raised by whoever reads it), and a reader that ends with that error has it made, by all workers, and begins again. What it had done
//! until then is lost: a reader that goes over nearly as many rows does not wait, nor one that has rows and asks blocks for each.
//!
//! What only such lets read is put off with them. A program that draws volatile values has none: a loop that begins again would draw
//! twice.

use crate::plan::tree::PutOff;
use crate::technique::Technique;
use multiloop_planner::multiloop::uses::{collections_read, for_each_node, nested_of};
use multiloop_planner::multiloop::{CollectionId, Let, Program, Scalar, ScalarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who asks for the lets of a body, and how; None where nothing could be put off.
pub(crate) fn put_off(program: &Program) -> Option<PutOff> {
    let lets = &program.body().lets;
    if lets.len() < 2 || !Technique::PutOff.is_on() {
        return None;
    }
    let mut made = FxHashMap::default();
    for (number, each) in lets.iter().enumerate() {
        made.extend(each.defines().iter().map(|&define| (define, number)));
    }
    let (mut readers, mut any) = (vec![Some(Vec::new()); lets.len()], false);
    for (number, each) in lets.iter().enumerate() {
        let by_rows = read_by_rows(program, each);
        for collection in collections_read(program, each) {
            let Some(&of) = made.get(&collection) else { continue };
            if let Some(readers) = &mut readers[of] {
                any |= by_rows.contains(&collection);
                readers.push((number, by_rows.contains(&collection)));
            }
        }
    }
    if let Some(&result) = made.get(&program.body().result) {
        readers[result] = None;
    }
    if !any || (0..program.scalars.len()).any(|id| program.scalars.effects(ScalarId(id as u32)).volatile) {
        return None;
    }
    let reads = lets.iter().map(|each| {
        let mut read: Vec<CollectionId> = collections_read(program, each).into_iter().collect();
        read.sort_unstable();
        read
    });
    let asks_blocks = lets.iter().map(|each| !nested_of(program, each).is_empty()).collect();
    Some(PutOff { readers, reads: reads.collect(), asks_blocks })
}

/// The collections that a loop reads nowhere but where a row asks for them: as one row, or in a nested block.
fn read_by_rows(program: &Program, each: &Let) -> FxHashSet<CollectionId> {
    let Let::Loop { .. } = each else { return FxHashSet::default() };
    let (mut by_rows, mut others) = (FxHashSet::default(), FxHashSet::from_iter(each.inputs()));
    let mut seen = vec![false; program.scalars.len()];
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| match scalar {
            Scalar::Single { collection, .. } => {
                by_rows.insert(*collection);
            }
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. } => {
                others.insert(*collection);
            }
            _ => {}
        });
    });
    for (_, block, _) in nested_of(program, each) {
        let block = program.block(block);
        by_rows.insert(block.result);
        block.lets.iter().for_each(|each| by_rows.extend(collections_read(program, each)));
    }
    by_rows.retain(|collection| !others.contains(collection));
    by_rows
}
