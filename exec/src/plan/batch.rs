//! Nested blocks that are evaluated for a batch of outer rows at once.
//!
//! A nested block that reduces one bucket, which the row that asks chooses, becomes a loop over all rows that ask: these,
//! each with a number and the fields that the block reads, are the outermost index, and the bucket the next one.
//!
//! ```text
//! block of an asking row i:  Reduce[j in B[h(i)] …](d(i, j))(f(i, j))(r)
//!                         →  BucketReduce[a in asking, j in B[h(a)] …](d(a, j))(a.number)(f(a, j))(r)
//! ```
//!
//! EXISTS collects the numbers of rows for which something is found; it goes over buckets in rounds, so that rows which have
//! found something need no more.
//!
//! Not done for: blocks of several lets, which would have to be made anew for each row; first rows in an order; what is
//! volatile; what asks blocks of its own; loops over all rows, which are faster one by one, with conditions on their columns
//! as they lie. Errors: a row is evaluated for the same rows; which error is raised is free.

use crate::plan::nodes::captured;
use crate::technique::Technique;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::uses::nested_of;
use multiloop_planner::multiloop::{
    Block, BlockId, CollectionId, Generator, Index, Let, Multiloop, Program, Shape, Source,
};
use multiloop_planner::rewrite::substitute::Substitution;
use multiloop_planner::types::{DataType, Field};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A block as a loop over rows that ask for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// The block of the loop.
    pub(crate) block: BlockId,
    /// The rows that ask: what each captures, in the order of the captures, and its number.
    pub(crate) asking: CollectionId,
    /// The types of these fields.
    pub(crate) types: Vec<DataType>,
    /// What the loop makes: groups by number, or, of an EXISTS, numbers.
    pub(crate) made: CollectionId,
    pub(crate) exists: bool,
}

/// The program with such loops as blocks that nothing reads, and for which blocks they are; none if there is no such block.
/// `others` are blocks that no live one asks, and that are evaluated all the same.
pub(crate) fn with_batches(program: &Program, others: &[BlockId]) -> Option<(Program, FxHashMap<BlockId, Batch>)> {
    if program.blocks.len() == 1 || !Technique::BatchedBlocks.is_on() {
        return None;
    }
    let mut blocks = live_blocks(program);
    blocks.extend(others);
    let lets = blocks.iter().flat_map(|&block| &program.block(block).lets);
    let nested = lets.flat_map(|each| nested_of(program, each));
    let mut asked: Vec<BlockId> = nested.map(|(_, block, _)| block).filter(|&block| fits(program, block)).collect();
    asked.sort_unstable();
    asked.dedup();
    if asked.is_empty() {
        return None;
    }
    let mut all = program.clone();
    let batches = asked.into_iter().filter_map(|block| Some((block, batch(&mut all, block)?)));
    let batches: FxHashMap<BlockId, Batch> = batches.collect();
    Some((all, batches))
}

/// The loop of a block, if it is one of those.
fn fits(program: &Program, id: BlockId) -> bool {
    let block = program.block(id);
    let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return false };
    let ([define], [Generator::Reduce { aggregates, .. }]) = (&defines[..], &multiloop.generators[..]) else {
        return false;
    };
    let chosen = matches!(multiloop.nest[0].source, Source::Bucket { .. });
    *define == block.result
        && chosen
        && multiloop.rest().is_none()
        && !aggregates.iter().any(|aggregate| aggregate.reduction.gives_rows())
        && !program.block_effects(id).volatile
        && nested_of(program, &block.lets[0]).is_empty()
        && !captured(program, id).is_empty()
}

fn batch(program: &mut Program, id: BlockId) -> Option<Batch> {
    let captures = captured(program, id);
    let result = program.block(id).result;
    let Let::Loop { multiloop: Multiloop { mut nest, generators }, .. } = program.block(id).lets[0].clone() else {
        return None;
    };
    let Some(Generator::Reduce { condition, aggregates }) = generators.into_iter().next() else { return None };
    let mut types: Vec<DataType> = captures.iter().map(|&id| program.scalars.data_type(id)).collect();
    let field = |(number, &data_type): (usize, &DataType)| Field::new(format!("captured{number}"), data_type, true);
    let mut fields: Vec<Field> = types.iter().enumerate().map(field).collect();
    let number_field = Field::new("number", DataType::Integer, false);
    fields.push(number_field.clone());
    types.push(DataType::Integer);
    let asking = program.add_collection(fields, Shape::Rows);
    let asks = program.add_index();
    let mut place = Substitution::copying();
    for (&capture, at) in captures.iter().zip(0..) {
        let column = program.scalars.column(asks, at, program.scalars.data_type(capture));
        place.replace_scalar(capture, column);
    }
    let number = program.scalars.column(asks, captures.len() as u32, DataType::Integer);
    let exists = matches!(&aggregates[..], [only] if only.is_any_true(&program.scalars));
    let mut generator = match exists {
        true => Generator::Collect { condition, value: vec![number] },
        false => Generator::BucketReduce { condition, key: vec![number], aggregates },
    };
    nest.iter_mut().for_each(|index| {
        place.index(program, index);
    });
    place.generator(program, &mut generator);
    let (fields, shape) = match exists {
        true => (vec![number_field], Shape::Rows),
        false => {
            let values = program.collection(result).fields.clone();
            (std::iter::once(number_field).chain(values).collect(), Shape::Groups { keys: 1 })
        }
    };
    let made = program.add_collection(fields, shape);
    nest.insert(0, Index { id: asks, source: Source::Rows(asking) });
    let multiloop = Multiloop { nest, generators: vec![generator] };
    let each = Let::Loop { defines: vec![made], multiloop };
    let block = program.add_block(Block { lets: vec![each], result: made });
    Some(Batch { block, asking, types, made, exists })
}
