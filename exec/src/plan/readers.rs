//! Who reads each collection of a program, and how: what is decided by a look at the whole program.

use crate::plan::tree::{
    BlockPlan, BucketPlan, CollectionPlan, GeneratorKind, GeneratorPlan, LetKind, LevelPlan, OwnKey, Reads,
};
use multiloop_planner::analysis::own_groups::own_groups;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, CollectionId, Index, IndexId, Let, Program, Scalar, ScalarId, Source};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fields of tables that are read by the numbers of rows.
pub(super) fn elements(program: &Program) -> Vec<(CollectionId, u32)> {
    let mut elements = Vec::new();
    for id in 0..program.scalars.len() {
        if let &Scalar::Element { collection, field, .. } = program.scalars.get(ScalarId(id as u32))
            && !elements.contains(&(collection, field))
        {
            elements.push((collection, field));
        }
    }
    elements
}

/// Groups whose only reader is a loop over them, in the same block, whose first conditions read nothing but their rows,
/// and cannot fail.
pub(super) fn group_filters(program: &Program, blocks: &[BlockPlan]) -> FxHashMap<CollectionId, (BlockId, usize)> {
    let reads = readers(program);
    let mut readers = FxHashMap::default();
    for (block, BlockPlan { lets, .. }) in blocks.iter().enumerate() {
        for (number, definition) in lets.iter().enumerate() {
            let LetKind::Loop(plan) = &definition.kind else { continue };
            let ([index, ..], [LevelPlan { source: Source::Rows(collection), conditions, .. }, ..]) =
                (&plan.indices[..], &plan.levels[..])
            else {
                continue;
            };
            let here = lets.iter().any(|other| other.defines.contains(collection));
            let own = |&id: &ScalarId| reads_only(program, id, *index) && !plan.expressions.may_fail(id);
            if here && reads.get(collection) == Some(&1) && !conditions.is_empty() && conditions.iter().all(own) {
                readers.insert(*collection, (BlockId(block as u32), number));
            }
        }
    }
    readers
}

/// For each collection how many indices, lets and scalars read it.
fn readers(program: &Program) -> FxHashMap<CollectionId, usize> {
    let mut readers: FxHashMap<CollectionId, usize> = FxHashMap::default();
    let mut read = |collection: CollectionId| *readers.entry(collection).or_default() += 1;
    for block in &program.blocks {
        read(block.result);
        for definition in &block.lets {
            match definition {
                Let::Loop { multiloop, .. } => {
                    multiloop.nest.iter().filter_map(|index| index.source.collection()).for_each(&mut read);
                }
                Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => read(*input),
                Let::Concat { inputs, .. } => inputs.iter().copied().for_each(&mut read),
                Let::Values { .. } => {}
            }
        }
    }
    for id in 0..program.scalars.len() {
        match program.scalars.get(ScalarId(id as u32)) {
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. }
            | Scalar::Single { collection, .. } => read(*collection),
            _ => {}
        }
    }
    readers
}

/// The tables that nothing reads but one loop of the body, with its outermost index, row by row.
pub(super) fn passed_once(
    program: &Program,
    body: &BlockPlan,
    own: &FxHashMap<CollectionId, OwnKey>,
) -> FxHashSet<CollectionId> {
    let readers = readers(program);
    let passed = body.lets.iter().filter_map(|definition| {
        let LetKind::Loop(plan) = &definition.kind else { return None };
        let Source::Rows(collection) = plan.levels.first()?.source else { return None };
        let stays = |generator: &GeneratorPlan| {
            matches!(&generator.kind, GeneratorKind::BucketCollect(BucketPlan { in_place: Some(_), .. }))
        };
        let is_once = readers.get(&collection) == Some(&1) && !own.values().any(|key| key.table == collection);
        (is_once && !plan.generators.iter().any(stays)).then_some(collection)
    });
    passed.collect()
}

/// Notes of tables that are passed once which of their columns are read elsewhere.
pub(super) fn note_shared_columns(collections: &mut [CollectionPlan]) {
    let mut readers: FxHashMap<(TableHandle, u32), usize> = FxHashMap::default();
    for table in collections.iter().filter_map(|collection| collection.table.as_ref()) {
        table.columns.iter().for_each(|&column| *readers.entry((table.handle, column)).or_default() += 1);
    }
    for table in collections.iter_mut().filter_map(|collection| collection.table.as_mut()).filter(|table| table.once) {
        table.again = table.columns.iter().map(|&column| readers[&(table.handle, column)] > 1).collect();
    }
}

/// The own groups of a program, and their keys.
pub(super) fn own(program: &Program) -> FxHashMap<CollectionId, OwnKey> {
    let known = own_groups(program);
    let mut own = FxHashMap::default();
    for (block, lets) in program.blocks.iter().enumerate().filter(|_| !known.is_empty()) {
        for (number, definition) in lets.lets.iter().enumerate() {
            let Let::Loop { multiloop, defines } = definition else { continue };
            let [Index { source: Source::Rows(table), .. }] = &multiloop.nest[..] else { continue };
            for (generator, define) in defines.iter().enumerate().filter(|(_, define)| known.contains(define)) {
                let &[key] = multiloop.generators[generator].key() else { continue };
                if let &Scalar::Column { field, .. } = program.scalars.get(key) {
                    let made = (BlockId(block as u32), number);
                    own.insert(*define, OwnKey { made, generator, table: *table, field });
                }
            }
        }
    }
    own
}

/// Whether a scalar is the same whenever it is computed, and reads nothing but the row of an index.
fn reads_only(program: &Program, scalar: ScalarId, row: IndexId) -> bool {
    let scalars = &program.scalars;
    match scalars.get(scalar) {
        Scalar::Column { index, .. } => *index == row,
        Scalar::Constant(_) => true,
        Scalar::Call { arguments, .. } => {
            !scalars.effects(scalar).volatile && arguments.iter().all(|&argument| reads_only(program, argument, row))
        }
        _ => false,
    }
}

/// How each collection is read.
pub(super) fn reads(program: &Program) -> Vec<Reads> {
    let mut all = vec![Reads::default(); program.collections.len()];
    let mut read = |id: CollectionId, how: Reads| {
        let Reads { rows, keys, .. } = &mut all[id.0 as usize];
        (*rows, *keys) = (*rows || how.rows, *keys || how.keys);
        all[id.0 as usize].any = true;
    };
    let (any, rows, keys) = (
        Reads { any: true, ..Reads::default() },
        Reads { any: true, rows: true, ..Reads::default() },
        Reads { any: true, keys: true, ..Reads::default() },
    );
    for block in &program.blocks {
        read(block.result, rows);
        for definition in &block.lets {
            match definition {
                Let::Loop { multiloop, .. } => {
                    for index in &multiloop.nest {
                        match &index.source {
                            Source::Rows(collection) => read(*collection, rows),
                            source => source.collection().into_iter().for_each(|collection| read(collection, any)),
                        }
                    }
                }
                Let::Sort { input, .. } | Let::Window { input, .. } | Let::Iterate { seed: input, .. } => {
                    read(*input, rows)
                }
                Let::Concat { inputs, .. } => inputs.iter().for_each(|&input| read(input, rows)),
                Let::Values { .. } => {}
            }
        }
    }
    for id in 0..program.scalars.len() {
        match program.scalars.get(ScalarId(id as u32)) {
            Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. } => read(*collection, keys),
            Scalar::Single { collection, .. } => read(*collection, any),
            _ => {}
        }
    }
    all
}
