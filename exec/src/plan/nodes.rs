//! Nodes: compiled scalars. A node's arguments have smaller numbers.

use crate::plan::register::Register;
use crate::technique::Technique;
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::error::Position;
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{BlockId, CollectionId, Index, IndexId, Let, Program, Scalar, ScalarId, Source};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A compiled scalar.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) data_type: DataType,
    pub(crate) register: Register,
    /// The least and the greatest value, where they are known.
    pub(crate) bounds: Option<(i128, i128)>,
    /// How many indices of the nest must be reached.
    pub(crate) reach: usize,
    /// Whether it may be NULL.
    pub(crate) nullable: bool,
    /// Whether it, arguments included, may fail.
    pub(crate) may_fail: bool,
    /// Whether the function that it calls may fail, whatever its arguments do.
    pub(crate) fails_itself: bool,
    /// Whether it, arguments included, may differ from evaluation to evaluation.
    pub(crate) volatile: bool,
    /// Whether a block is evaluated for each tuple, in it or in its arguments: then tuples that are not wanted are left out
    /// first.
    pub(crate) costly: bool,
    pub(crate) position: Option<Position>,
}

/// What a node does; arguments are node numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Operation {
    /// Field of an index, by position in the nest; `optional` if the index may stand on no row.
    Column {
        index: usize,
        field: u32,
        optional: bool,
    },
    /// Field of an enclosing row.
    Captured {
        index: IndexId,
        field: u32,
    },
    Constant(Value),
    Parameter(u32),
    Call {
        function: Function,
        arguments: Vec<u32>,
    },
    /// The row of a key's group, as the bits of 32-bit integers; `u32::MAX` where there is none.
    Find {
        collection: CollectionId,
        key: Vec<(u32, bool)>,
    },
    /// A field of the groups at the rows that a node has found: all fields of a group take one search.
    Lookup {
        collection: CollectionId,
        rows: u32,
        field: u32,
    },
    Exists {
        collection: CollectionId,
        key: Vec<(u32, bool)>,
    },
    /// A field of the rows of a table whose numbers a node has.
    Element {
        collection: CollectionId,
        rows: u32,
        field: u32,
    },
    Single {
        collection: CollectionId,
        field: u32,
    },
    /// `captures` says which fields the block reads, and the nodes that compute them.
    Nested {
        block: BlockId,
        field: u32,
        captures: Vec<(IndexId, u32, u32)>,
    },
}

impl Operation {
    /// The nodes that it reads.
    pub(crate) fn arguments(&self) -> Vec<u32> {
        match self {
            Operation::Call { arguments, .. } => arguments.clone(),
            Operation::Find { key, .. } | Operation::Exists { key, .. } => key.iter().map(|&(part, _)| part).collect(),
            Operation::Lookup { rows, .. } | Operation::Element { rows, .. } => vec![*rows],
            Operation::Nested { captures, .. } => captures.iter().map(|&(_, _, node)| node).collect(),
            _ => Vec::new(),
        }
    }
}

/// Compiles the scalars of one loop.
pub(crate) struct Compiler<'p> {
    program: &'p Program,
    /// Indices in front of the nest, which stand on no row.
    absent: &'p [Index],
    nest: &'p [Index],
    ranges: &'p Ranges,
    nodes: Vec<Node>,
    numbers: FxHashMap<ScalarId, u32>,
    /// The nodes that find the rows of keys.
    finds: FxHashMap<(CollectionId, Vec<(u32, bool)>), u32>,
}

impl<'p> Compiler<'p> {
    pub(crate) fn new(program: &'p Program, (absent, nest): (&'p [Index], &'p [Index]), ranges: &'p Ranges) -> Self {
        Compiler {
            program,
            absent,
            nest,
            ranges,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            finds: FxHashMap::default(),
        }
    }

    pub(crate) fn finish(self) -> Vec<Node> {
        self.nodes
    }

    /// The number of a scalar's node. A scalar is one node wherever it stands, unless it is volatile: then each place
    /// has a node of its own.
    pub(crate) fn compile(&mut self, id: ScalarId) -> u32 {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        let scalars = &self.program.scalars;
        let operation = match scalars.get(id) {
            Scalar::Column { index, field } => self.column(*index, *field),
            Scalar::Constant(value) => Operation::Constant(value.clone()),
            Scalar::Parameter(number) => Operation::Parameter(*number),
            Scalar::Call { function, arguments } => Operation::Call {
                function: *function,
                arguments: arguments.iter().map(|&argument| self.compile(argument)).collect(),
            },
            Scalar::Lookup { collection, key, field } => {
                let key = key.iter().map(|part| (self.compile(part.scalar), part.null_matches)).collect();
                Operation::Lookup { collection: *collection, rows: self.find(id, *collection, key), field: *field }
            }
            Scalar::Exists { collection, key } => {
                let key = key.iter().map(|part| (self.compile(part.scalar), part.null_matches)).collect();
                Operation::Exists { collection: *collection, key }
            }
            Scalar::Element { collection, row, field } => {
                Operation::Element { collection: *collection, rows: self.compile(*row), field: *field }
            }
            Scalar::Single { collection, field } => Operation::Single { collection: *collection, field: *field },
            Scalar::Nested { block, field } => {
                let captures = captured(self.program, *block)
                    .into_iter()
                    .map(|scalar| match self.program.scalars.get(scalar) {
                        Scalar::Column { index, field } => (*index, *field, self.compile(scalar)),
                        _ => unreachable!("captured() gives columns"),
                    })
                    .collect();
                Operation::Nested { block: *block, field: *field, captures }
            }
        };
        let arguments = operation.arguments();
        let own_reach = if let Operation::Column { index, .. } = operation { index + 1 } else { 0 };
        let reach = arguments.iter().map(|&number| self.nodes[number as usize].reach).fold(own_reach, usize::max);
        let (data_type, effects) = (scalars.data_type(id), scalars.effects(id));
        let of_arguments = arguments.iter().any(|&number| self.nodes[number as usize].costly);
        let mut register = register(data_type, self.ranges.of(id));
        if let Operation::Call { function: Function::Greatest | Function::Least, .. } = operation {
            // What is compared has to be there whole: that one of two is never above 5 does not bound the other.
            register = arguments.iter().map(|&number| self.nodes[number as usize].register).fold(register, wider);
        }
        self.nodes.push(Node {
            costly: of_arguments || matches!(operation, Operation::Nested { .. }),
            operation,
            data_type,
            register,
            bounds: self.ranges.of(id),
            reach,
            nullable: self.ranges.nullable(id),
            fails_itself: effects.may_fail && self.ranges.fails_itself(id),
            // Asking has no effects of its own, but it fails where what is asked has failed.
            may_fail: (effects.may_fail && self.ranges.may_fail(id)) || self.ranges.asks_failing(id),
            volatile: effects.volatile,
            position: scalars.position(id),
        });
        let number = (self.nodes.len() - 1) as u32;
        if !effects.volatile {
            self.numbers.insert(id, number);
        }
        number
    }

    /// The node that finds the rows of a lookup's keys.
    fn find(&mut self, lookup: ScalarId, collection: CollectionId, key: Vec<(u32, bool)>) -> u32 {
        if let Some(&number) = self.finds.get(&(collection, key.clone())) {
            return number;
        }
        let parts = || key.iter().map(|&(part, _)| &self.nodes[part as usize]);
        let node = Node {
            data_type: DataType::Integer,
            register: Register::I32,
            bounds: None,
            reach: parts().map(|part| part.reach).fold(0, usize::max),
            nullable: false,
            may_fail: parts().any(|part| part.may_fail) || self.ranges.asks_failing(lookup),
            fails_itself: false,
            volatile: parts().any(|part| part.volatile),
            costly: parts().any(|part| part.costly),
            position: self.program.scalars.position(lookup),
            operation: Operation::Find { collection, key: key.clone() },
        };
        let number = self.nodes.len() as u32;
        // What differs from place to place is found at each.
        if !node.volatile {
            self.finds.insert((collection, key), number);
        }
        self.nodes.push(node);
        number
    }

    fn column(&self, index: IndexId, field: u32) -> Operation {
        if self.absent.iter().any(|absent| absent.id == index) {
            return Operation::Constant(Value::Null);
        }
        match self.nest.iter().position(|candidate| candidate.id == index) {
            Some(at) => {
                let optional = matches!(self.nest[at].source, Source::BucketOrNull { .. });
                Operation::Column { index: at, field, optional }
            }
            None => Operation::Captured { index, field },
        }
    }
}

/// Of two registers the one that holds the integers of both; of others the first.
fn wider(one: Register, other: Register) -> Register {
    let width = |register| [Register::I32, Register::I64, Register::I128].iter().position(|each| *each == register);
    if width(one).is_some() && width(other) > width(one) { other } else { one }
}

/// The register that holds the values of a type within bounds.
pub(crate) fn register(data_type: DataType, bounds: Option<(i128, i128)>) -> Register {
    match data_type {
        DataType::Null | DataType::Boolean => Register::Bool,
        DataType::Real | DataType::Double => Register::F64,
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric => Register::Text,
        DataType::Interval => Register::Interval,
        DataType::Nested(_) if let Some((_, length)) = data_type.vector_of() => Register::Vectors(length),
        _ => match bounds.filter(|_| Technique::NarrowRegisters.is_on()).or(data_type.integer_bounds()) {
            Some((low, high)) if i32::try_from(low).is_ok() && i32::try_from(high).is_ok() => Register::I32,
            Some((low, high)) if i64::try_from(low).is_ok() && i64::try_from(high).is_ok() => Register::I64,
            _ => Register::I128,
        },
    }
}

/// The columns that a block reads of indices outside it, in order of their ids.
pub(super) fn captured(program: &Program, block: BlockId) -> Vec<ScalarId> {
    let mut reads = Vec::new();
    let mut inside = Vec::new();
    let (mut blocks, mut scalars) = (vec![block], Vec::new());
    let mut seen = vec![false; program.scalars.len()];
    while let Some(block) = blocks.pop() {
        for definition in &program.block(block).lets {
            match definition {
                Let::Loop { multiloop, .. } => {
                    inside.extend(multiloop.nest.iter().map(|index| index.id));
                    scalars.extend(multiloop.nest.iter().flat_map(|index| index.source.scalars()));
                    scalars.extend(multiloop.generators.iter().flat_map(|generator| generator.scalars()));
                }
                Let::Values { rows, .. } => scalars.extend(rows.iter().flatten()),
                Let::Iterate { step, .. } => blocks.push(*step),
                Let::Sort { .. } | Let::Window { .. } | Let::Concat { .. } => {}
            }
        }
        while let Some(scalar) = scalars.pop() {
            if std::mem::replace(&mut seen[scalar.0 as usize], true) {
                continue;
            }
            match program.scalars.get(scalar) {
                Scalar::Column { index, .. } => reads.push((scalar, *index)),
                Scalar::Nested { block, .. } => blocks.push(*block),
                other => scalars.extend(other.children()),
            }
        }
    }
    reads.retain(|(_, index)| !inside.contains(index));
    reads.sort_unstable();
    reads.into_iter().map(|(scalar, _)| scalar).collect()
}
