//! Nested blocks over few rows, evaluated for a tile of outer rows at once (loop interchange).
//!
//! A nested block goes over rows of its own for each row that asks. Where these are few, and those that ask are many, the loops
//! change places: for each row of the block, what it is about is computed for all rows of a tile that ask, by kernels, and folded
//! into what is kept of each of them.
//!
//! ```text
//! block of an asking row i:  Reduce[j in C](c(i, j))(f(i, j))(r)
//!                         →  for each row j of C: r folds f(i, j) where c(i, j), for all rows i of a tile
//! ```
//!
//! The first row in an order (`ORDER BY … LIMIT 1`, the nearest of some points) is a reduction, too: what is kept is the row of C
//! that is first so far. Only its first key may depend on both rows, so that C is brought into the order of the other keys and of
//! the fields once, and ties are decided by who comes first.
//!
//! Not done for: blocks that ask blocks of their own, look up groups or are volatile; blocks that are answered by search, or as a batch
//! of buckets; orders of whose keys and fields any but the first key may fail. Errors: a row is evaluated for the same rows; which
//! error is raised is free. Whether C is small enough shows when it is there
//! (`cpu/expression/interchange.rs`).

use crate::plan::batch::Batch;
use crate::plan::nodes::captured;
use crate::plan::register::Register;
use crate::plan::searched::Searched;
use crate::technique::Technique;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::uses::{FreeIndices, nested_of};
use multiloop_planner::multiloop::{
    Aggregate, Block, BlockId, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Reduction, Scalar,
    ScalarId, Shape, Source,
};
use multiloop_planner::rewrite::substitute::Substitution;
use multiloop_planner::types::{DataType, Field, SortOrder};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Blocks that are added to a program, at most: statements with more of them are written by machines.
const BLOCKS_MAX: usize = 32;

/// A block as a loop over rows that ask for it and rows of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Interchanged {
    /// The block of the loop, which is never run as such: its expressions are.
    pub(crate) block: BlockId,
    /// What the block goes over.
    pub(crate) over: CollectionId,
    pub(crate) goal: Goal,
}

/// What the loop is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Goal {
    /// Aggregates, in the order of the block's fields.
    Aggregates,
    /// The first row. The loop collects the keys of its order and then its fields.
    First {
        order: Vec<SortOrder>,
        /// How each of what is collected depends on the rows.
        depends: Vec<Depends>,
        /// For each field of the block its place among what is collected.
        fields: Vec<usize>,
    },
}

/// Which rows a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Depends {
    /// On none of the block's: for a row that asks it is the same for all.
    Asking,
    /// On the block's alone.
    Own,
    /// On both: it is the first key.
    Both,
}

/// The program with such loops as blocks that nothing reads, and for which blocks they are; none if there is no such block.
pub(crate) fn with_interchanged(
    program: &Program,
    others: &[BlockId],
    (batches, searched): (&FxHashMap<BlockId, Batch>, &FxHashMap<BlockId, Searched>),
) -> Option<(Program, FxHashMap<BlockId, Interchanged>)> {
    if program.blocks.len() == 1 || !Technique::Interchange.is_on() {
        return None;
    }
    let mut blocks = live_blocks(program);
    blocks.extend(others);
    let lets = blocks.iter().flat_map(|&block| &program.block(block).lets);
    let mut asked: Vec<BlockId> = lets.flat_map(|each| nested_of(program, each)).map(|(_, block, _)| block).collect();
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|block| !batches.contains_key(block) && !searched.contains_key(block));
    let mut candidates = asked.into_iter().filter_map(|block| Some((block, Candidate::of(program, block)?))).peekable();
    candidates.peek()?;
    let mut all = program.clone();
    let found = candidates.take(BLOCKS_MAX).map(|(block, candidate)| (block, candidate.add_to(&mut all)));
    let found: FxHashMap<BlockId, Interchanged> = found.collect();
    Some((all, found))
}

/// A block whose loop may change places with that of the rows that ask.
struct Candidate {
    captures: Vec<ScalarId>,
    over: CollectionId,
    index: Index,
    generator: Generator,
    goal: Goal,
}

impl Candidate {
    fn of(program: &Program, id: BlockId) -> Option<Self> {
        let block = program.block(id);
        let (first, last) = block.lets.split_first()?;
        let Let::Loop { defines, multiloop: Multiloop { nest, generators } } = first else { return None };
        let ([define], [index @ Index { source: Source::Rows(over), .. }], [generator]) =
            (&defines[..], &nest[..], &generators[..])
        else {
            return None;
        };
        if program.block_effects(id).volatile || block.lets.iter().any(|each| !nested_of(program, each).is_empty()) {
            return None;
        }
        let captures = captured(program, id);
        // Groups that rows make of their neighbours are asked by rows of a table.
        if captures.is_empty() || block.lets.iter().any(|each| looks_up(program, each)) {
            return None;
        }
        let Generator::Reduce { condition, aggregates } = generator else { return None };
        let (generator, goal) = match (&aggregates[..], last) {
            ([Aggregate { reduction: Reduction::TopK { order, limit, offset }, arguments, .. }], [last]) => {
                let is_one = |id: ScalarId| matches!(program.scalars.get(id), Scalar::Constant(Value::Int(1)));
                let is_none =
                    |id: ScalarId| matches!(program.scalars.get(id), Scalar::Constant(Value::Null | Value::Int(0)));
                if !is_one(*limit) || !is_none(*offset) || order.is_empty() {
                    return None;
                }
                let read = fields_of_one(program, last, *define, block.result)?;
                let goal = first_row(program, index.id, order, arguments, &read)?;
                (Generator::Collect { condition: condition.clone(), value: arguments.clone() }, goal)
            }
            (aggregates, []) if *define == block.result => {
                if aggregates.iter().any(|aggregate| aggregate.reduction.gives_rows() || aggregate.distinct) {
                    return None;
                }
                (generator.clone(), Goal::Aggregates)
            }
            _ => return None,
        };
        Some(Candidate { captures, over: *over, index: index.clone(), generator, goal })
    }

    /// Adds the loop to a program, as a block that nothing reads.
    fn add_to(self, program: &mut Program) -> Interchanged {
        let Candidate { captures, over, mut index, mut generator, goal } = self;
        let types: Vec<DataType> = captures.iter().map(|&id| program.scalars.data_type(id)).collect();
        let field = |(number, &data_type): (usize, &DataType)| Field::new(format!("captured{number}"), data_type, true);
        let fields = types.iter().enumerate().map(field).collect();
        let asking = program.add_collection(fields, Shape::Rows);
        let asks = program.add_index();
        let mut place = Substitution::copying();
        for (&capture, at) in captures.iter().zip(0..) {
            let column = program.scalars.column(asks, at, program.scalars.data_type(capture));
            place.replace_scalar(capture, column);
        }
        place.index(program, &mut index);
        place.generator(program, &mut generator);
        let typed = |program: &Program, id: ScalarId| Field::new("value", program.scalars.data_type(id), true);
        let (fields, shape) = match &generator {
            Generator::Collect { value, .. } => (value.iter().map(|&id| typed(program, id)).collect(), Shape::Rows),
            Generator::Reduce { aggregates, .. } => {
                let field = |aggregate: &Aggregate| Field::new("value", aggregate.data_type, true);
                (aggregates.iter().map(field).collect(), Shape::Single)
            }
            _ => (Vec::new(), Shape::Rows),
        };
        let made = program.add_collection(fields, shape);
        let nest = vec![Index { id: asks, source: Source::Rows(asking) }, index];
        let each = Let::Loop { defines: vec![made], multiloop: Multiloop { nest, generators: vec![generator] } };
        let block = program.add_block(Block { lets: vec![each], result: made });
        Interchanged { block, over, goal }
    }
}

/// Whether some scalar of a let looks up groups.
fn looks_up(program: &Program, each: &Let) -> bool {
    let (mut waiting, mut seen) = (Vec::new(), FxHashSet::default());
    each.for_each_scalar(|id| waiting.push(id));
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.scalars.get(id) {
            Scalar::Lookup { .. } => return true,
            other => waiting.extend(other.children()),
        }
    }
    false
}

/// The fields that a loop over the only row of a collection takes over, by the order of what it defines.
fn fields_of_one(program: &Program, last: &Let, of: CollectionId, result: CollectionId) -> Option<Vec<usize>> {
    let Let::Loop { defines, multiloop: Multiloop { nest, generators } } = last else { return None };
    let ([define], [Index { id, source: Source::Rows(over) }], [Generator::Reduce { condition, aggregates }]) =
        (&defines[..], &nest[..], &generators[..])
    else {
        return None;
    };
    if *define != result || *over != of || !condition.is_empty() {
        return None;
    }
    let field = |aggregate: &Aggregate| {
        let ([argument], true) = (&aggregate.arguments[..], aggregate.condition.is_empty()) else { return None };
        let takes = matches!(aggregate.reduction, Reduction::Single | Reduction::First);
        match program.scalars.get(*argument) {
            Scalar::Column { index, field } if index == id && takes => Some(*field as usize),
            _ => None,
        }
    };
    aggregates.iter().map(field).collect()
}

/// The first row as a goal, if only its first key depends on both rows and is a number.
fn first_row(
    program: &Program,
    own: IndexId,
    order: &[SortOrder],
    arguments: &[ScalarId],
    fields: &[usize],
) -> Option<Goal> {
    let mut free = FreeIndices::default();
    let mut depends = |&id: &ScalarId| {
        let indices = free.scalar(program, id);
        match (indices.contains(&own), indices.iter().any(|index| *index != own)) {
            (true, true) => Depends::Both,
            (true, false) => Depends::Own,
            _ => Depends::Asking,
        }
    };
    let depends: Vec<Depends> = arguments.iter().map(&mut depends).collect();
    let key = arguments[0];
    let is_number = matches!(
        crate::plan::nodes::register(program.scalars.data_type(key), None),
        Register::F64 | Register::I32 | Register::I64 | Register::I128
    );
    let others = || depends.iter().zip(arguments).skip(1);
    let fits = depends[0] == Depends::Both
        && is_number
        && others().all(|(depends, id)| *depends != Depends::Both || *id == key);
    // The others are evaluated for other rows than those that pass, or for none.
    if arguments[1..].iter().any(|&id| id != key && program.scalars.effects(id).may_fail) {
        return None;
    }
    let fields: Vec<usize> = fields.iter().map(|field| order.len() + field).collect();
    let own_fields = fields.iter().all(|&field| depends.get(field) == Some(&Depends::Own));
    (fits && own_fields).then(|| Goal::First { order: order.to_vec(), depends, fields })
}
