//! The scalars of one loop, compiled into numbered nodes.

use crate::Result;
use crate::plan::nodes::{Compiler, Node, Operation};
use crate::plan::register::Register;
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::multiloop::{CollectionId, Index, Program, ScalarId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The scalars of one loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expressions {
    pub(crate) nodes: Vec<Node>,
    pub(crate) numbers: FxHashMap<ScalarId, u32>,
    pub(crate) indices: usize,
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
    pub(crate) fn number(&self, scalar: ScalarId) -> usize {
        *self.numbers.get(&scalar).expect("bug: a scalar that was not among the roots") as usize
    }

    pub(crate) fn root(&self, scalar: ScalarId) -> &Node {
        &self.nodes[self.number(scalar)]
    }

    /// Whether some expression reads a row around the loop.
    pub(crate) fn captures(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.operation, Operation::Captured { .. }))
    }

    /// What a root does.
    pub(crate) fn operation(&self, scalar: ScalarId) -> &Operation {
        &self.root(scalar).operation
    }

    /// The register in which a root is computed.
    pub fn register(&self, scalar: ScalarId) -> Register {
        self.root(scalar).register
    }

    /// The fields of the outermost index that some roots read.
    pub(crate) fn columns_of(&self, scalars: &[ScalarId]) -> impl Iterator<Item = u32> {
        let mut rest: Vec<u32> = scalars.iter().map(|&scalar| self.number(scalar) as u32).collect();
        let mut fields = Vec::new();
        while let Some(number) = rest.pop() {
            let operation = &self.nodes[number as usize].operation;
            if let Operation::Column { index: 0, field, .. } = operation {
                fields.push(*field);
            }
            rest.extend(operation.arguments());
        }
        fields.into_iter()
    }

    /// The nodes that look up groups of a collection, each with the field that it asks for and the register of its values.
    pub(crate) fn lookups(&self, groups: CollectionId) -> impl Iterator<Item = (u32, u32, Register)> {
        self.nodes.iter().zip(0..).filter_map(move |(node, number)| match node.operation {
            Operation::Lookup { collection, field, .. } if collection == groups => Some((number, field, node.register)),
            _ => None,
        })
    }

    /// Whether some column of an index of the nest is read.
    pub(crate) fn read(&self, index: usize) -> bool {
        let reads = |node: &Node| matches!(node.operation, Operation::Column { index: of, .. } if of == index);
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
