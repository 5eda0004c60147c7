//! Expressions: the scalars of one loop, compiled once, evaluated tile by tile.
//!
//! `node` compiles the scalars into numbered nodes, each with the register that its value range asks for. Evaluation
//! is on demand, so only tuples that reach an expression evaluate it: `evaluate` walks the nodes and the tile's
//! levels, `choice` does the lazy functions, `filter` the conditions. `fused` compares columns in their physical
//! form, `load` brings columns into registers, `memo` evaluates functions of few values once for each of them,
//! `dictionary` does so for conditions on columns in their physical form, `numeric` evaluates trees of functions of
//! NUMERICs at once. `chunk_test` asks conditions of whole chunks.

mod choice;
pub(super) mod chunk_test;
mod dictionary;
mod element;
pub mod environment;
mod evaluate;
pub mod filter;
mod fused;
mod growth;
mod lanes;
pub mod load;
mod memo;
mod numeric;
mod own_groups;
pub mod tile;

use super::kernels::Scratch;
use crate::Result;
use crate::cpu::vector::bitmap::Bitmap;
use crate::plan::nodes;
use crate::plan::nodes::{Compiler, Expressions, Node};
use crate::plan::register::Register;
pub(crate) use growth::Held;
use memo::Memo;
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::multiloop::{CollectionId, Index, Program, ScalarId};
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;

/// What evaluation remembers from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// By node: results of functions of few values.
    memos: FxHashMap<u32, Memo>,
    /// By node: results of nested blocks, by what they capture.
    nested: FxHashMap<u32, FxHashMap<Vec<Value>, Value>>,
    scratch: Scratch,
    origins: Vec<u32>,
    positions: Vec<u32>,
    /// Of filters.
    mask: Bitmap,
    bits: Bitmap,
}

impl Expressions {
    /// Compiles these scalars (and all below them) of a loop with this nest. Columns of other indices are fields of
    /// enclosing rows, and come from `Bindings::captured`.
    pub fn compile(program: &Program, nest: &[Index], roots: &[ScalarId], ranges: &Ranges) -> Result<Self> {
        Expressions::compile_without(program, (&[], nest), roots, ranges)
    }

    /// As [`Expressions::compile`], where indices in front of the nest stand on no row: their columns are NULL.
    pub(crate) fn compile_without(
        program: &Program,
        (absent, nest): (&[Index], &[Index]),
        roots: &[ScalarId],
        ranges: &Ranges,
    ) -> Result<Self> {
        let mut compiler = Compiler::new(program, (absent, nest), ranges);
        let mut numbers = FxHashMap::default();
        for &root in roots {
            numbers.insert(root, compiler.compile(root));
        }
        Ok(Expressions { nodes: compiler.finish(), numbers, indices: nest.len() })
    }

    /// How many expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many indices the nest has.
    pub fn indices(&self) -> usize {
        self.indices
    }

    /// The number of a root.
    pub(super) fn number(&self, scalar: ScalarId) -> usize {
        *self.numbers.get(&scalar).expect("bug: a scalar that was not among the roots") as usize
    }

    fn root(&self, scalar: ScalarId) -> &Node {
        &self.nodes[self.number(scalar)]
    }

    /// Whether some expression reads a row around the loop.
    pub(crate) fn captures(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.operation, nodes::Operation::Captured { .. }))
    }

    /// What a root does.
    pub(crate) fn operation(&self, scalar: ScalarId) -> &nodes::Operation {
        &self.root(scalar).operation
    }

    /// The register in which a root is computed.
    pub fn register(&self, scalar: ScalarId) -> Register {
        self.root(scalar).register
    }

    /// The fields of the outermost index that some roots read.
    pub(super) fn columns_of(&self, scalars: &[ScalarId]) -> impl Iterator<Item = u32> {
        let mut rest: Vec<u32> = scalars.iter().map(|&scalar| self.number(scalar) as u32).collect();
        let mut fields = Vec::new();
        while let Some(number) = rest.pop() {
            let operation = &self.nodes[number as usize].operation;
            if let nodes::Operation::Column { index: 0, field, .. } = operation {
                fields.push(*field);
            }
            rest.extend(operation.arguments());
        }
        fields.into_iter()
    }

    /// The nodes that look up groups of a collection, each with the field that it asks for and the register of its values.
    pub(super) fn lookups(&self, groups: CollectionId) -> impl Iterator<Item = (u32, u32, Register)> {
        self.nodes.iter().zip(0..).filter_map(move |(node, number)| match node.operation {
            nodes::Operation::Lookup { collection, field, .. } if collection == groups => {
                Some((number, field, node.register))
            }
            _ => None,
        })
    }

    /// Whether some column of an index of the nest is read.
    pub(crate) fn read(&self, index: usize) -> bool {
        let reads = |node: &Node| matches!(node.operation, nodes::Operation::Column { index: of, .. } if of == index);
        self.nodes.iter().any(reads)
    }

    /// Whether some expression gives something else each time.
    pub(crate) fn is_volatile(&self) -> bool {
        self.nodes.iter().any(|node| node.volatile)
    }

    /// How many indices must be reached before a root can be evaluated: 0 if it reads none.
    pub fn reach(&self, scalar: ScalarId) -> usize {
        self.root(scalar).reach
    }

    /// Whether evaluating some root may fail, as far as ranges know.
    pub(crate) fn any_may_fail(&self) -> bool {
        self.nodes.iter().any(|node| node.may_fail)
    }

    /// Whether evaluating a root may fail, as far as ranges know.
    pub fn may_fail(&self, scalar: ScalarId) -> bool {
        self.root(scalar).may_fail
    }
}

#[cfg(test)]
mod tests;
