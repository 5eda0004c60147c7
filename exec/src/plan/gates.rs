//! Gates: collections that leave a loop without rows when they are empty, so that lets which only that loop reads need not be
//! computed.
//!
//! A loop finds nothing once a collection that all its tuples come from has no rows: one that an index of its nest goes over, or
//! one in which a condition of all its generators wants to find a key. What is read only by loops that find nothing need not be
//! made, and a small table, asked first, may save the passage over a large one.
//!
//! A collection that is read in another way (as one row, by the numbers of rows, in a nested block, as the result) is always made.

use crate::plan::tree::{BlockPlan, Gates, LetKind, LoopPlan};
use crate::technique::Technique;
use multiloop_planner::multiloop::uses::{collections_read, for_each_node, nested_of};
use multiloop_planner::multiloop::{CollectionId, Let, Program, Scalar, ScalarId, Source};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a body; None where nothing could be left out.
pub(crate) fn gates(program: &Program, body: &BlockPlan) -> Option<Gates> {
    let lets = &program.body().lets;
    if lets.len() < 3 || !Technique::Gates.is_on() {
        return None;
    }
    let gates: Vec<_> = body.lets.iter().map(|definition| gates_of(program, &definition.kind)).collect();
    if gates.iter().all(Vec::is_empty) {
        return None;
    }
    let mut made = FxHashMap::default();
    for (number, each) in lets.iter().enumerate() {
        made.extend(each.defines().iter().map(|&define| (define, number)));
    }
    let mut readers = vec![Some(Vec::new()); lets.len()];
    let mut reads = Vec::new();
    for (number, each) in lets.iter().enumerate() {
        let (read, always) = (collections_read(program, each), read_always(program, each));
        for (of, is_needed) in read.iter().filter_map(|id| Some((*made.get(id)?, always.contains(id)))) {
            match &mut readers[of] {
                Some(readers) if !is_needed => readers.push(number),
                all => *all = None,
            }
        }
        reads.push(read.into_iter().collect());
    }
    if let Some(&result) = made.get(&program.body().result) {
        readers[result] = None;
    }
    Some(Gates { readers, gates, reads, made })
}

/// The collections that a let reads before it knows whether it finds anything.
fn read_always(program: &Program, each: &Let) -> FxHashSet<CollectionId> {
    let (mut always, mut seen) = (FxHashSet::default(), vec![false; program.scalars.len()]);
    each.for_each_scalar(|id| {
        for_each_node(program, id, &mut seen, &mut |_, scalar| {
            if let Scalar::Element { collection, .. } | Scalar::Single { collection, .. } = scalar {
                always.insert(*collection);
            }
        });
    });
    let nested = nested_of(program, each).into_iter().map(|(_, block, _)| block).chain(each.step());
    for block in nested.map(|block| program.block(block)) {
        always.insert(block.result);
        block.lets.iter().for_each(|each| always.extend(collections_read(program, each)));
    }
    always
}

fn gates_of(program: &Program, kind: &LetKind) -> Vec<CollectionId> {
    match kind {
        LetKind::Loop(plan) => gates_of_loop(program, plan),
        _ => Vec::new(),
    }
}

fn gates_of_loop(program: &Program, plan: &LoopPlan) -> Vec<CollectionId> {
    // A rest is there without what stands in front of it.
    if plan.unmatched.is_some() {
        return Vec::new();
    }
    let wanted = |&condition: &ScalarId| match program.scalars.get(condition) {
        Scalar::Exists { collection, .. } => Some(*collection),
        _ => None,
    };
    let mut gates = Vec::new();
    for level in &plan.levels {
        if let Source::Rows(collection) | Source::Bucket { collection, .. } = level.source {
            gates.push(collection);
        }
        gates.extend(level.conditions.iter().filter_map(wanted));
    }
    if let [generator] = &plan.generators[..] {
        gates.extend(generator.conditions.iter().filter_map(wanted));
    }
    gates
}
