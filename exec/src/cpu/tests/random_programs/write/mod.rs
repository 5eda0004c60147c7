//! Random programs as values: tables, then lets that read what stands in front of them, of every kind. Every one is valid.
//!
//! Nothing of an answer is left to chance, so that two runs can be compared: rows that only an order of rows tells apart are
//! told apart by nobody. A window that asks for places orders by all fields; a top-k without an order gives rows of
//! constants; `first` is asked for what all rows of a group share.

mod generators;
mod lets;
mod nest;
mod scalars;
mod values;

use super::super::Random;
use multiloop_planner::analysis::nullability::Nullability;
use multiloop_planner::catalog::{TableHandle, TableStatistics};
use multiloop_planner::multiloop::{Block, BlockId, CollectionId, IndexId, Let, Program, ScalarId, Shape};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;
pub(super) use values::{random_field, value};

/// Rows that a loop goes over, at most, about; those of a loop in a nested block.
const TUPLES_MAX: u64 = 3_000;
const TUPLES_NESTED_MAX: u64 = 60;

/// Rows of a loop for each of which a nested block may run.
const NESTED_RUNS_MAX: u64 = 150;

/// What parameters a program has, and their values.
pub(super) const PARAMETERS: [DataType; 3] = [DataType::BigInt, DataType::Text, DataType::Integer];

/// The values of the parameters.
pub(super) fn parameters() -> Vec<Value> {
    vec![Value::Int(3), Value::text("t3"), Value::Null]
}

/// A table that a program may read.
pub(super) struct TableOf {
    pub(super) fields: Vec<Field>,
    pub(super) statistics: Arc<TableStatistics>,
}

/// A program that reads some of these tables.
pub(super) fn write(tables: &[TableOf], random: Random) -> Program {
    let mut writer = Writer {
        program: Program::new(),
        random,
        nullability: Nullability::default(),
        open: Vec::new(),
        made: Vec::new(),
        written: Vec::new(),
        tuples: 1,
        depth: 0,
        nested_left: 3,
        names: 0,
        fails: false,
    };
    writer.fails = writer.once_in(6);
    writer.program.parameters = PARAMETERS.to_vec();
    tables.iter().enumerate().for_each(|(handle, table)| writer.table(handle, table));
    let mut lets = Vec::new();
    for _ in 0..2 + writer.random.below(4) {
        lets.extend(writer.definition(TUPLES_MAX));
    }
    lets.push(writer.multiloop(TUPLES_MAX));
    if writer.once_in(3) {
        lets.push(writer.sort());
    }
    let is_result = |made: &&Made| !matches!(writer.program.collection(made.id).shape, Shape::Buckets { .. });
    let result = writer.made.iter().rfind(is_result).expect("a table is one").id;
    let fields = &writer.program.collection(result).fields;
    writer.program.output = (0..fields.len()).map(|at| (format!("c{at}"), at as u32)).collect();
    let body = writer.program.body;
    writer.program.blocks[body.0 as usize] = Block { lets, result };
    writer.program
}

/// A program while it is written.
struct Writer {
    program: Program,
    random: Random,
    nullability: Nullability,
    /// The indices that can be read, and what they show.
    open: Vec<(IndexId, Vec<Field>)>,
    /// The collections that can be read, in the order in which they were made.
    made: Vec<Made>,
    /// Nested blocks, to be read once more.
    written: Vec<Written>,
    /// How many rows reach what is being written, about.
    tuples: u64,
    /// How many blocks are around.
    depth: usize,
    nested_left: usize,
    names: usize,
    /// Whether errors are wanted; then nothing is asked that some rows decide.
    fails: bool,
}

/// A collection that can be read.
#[derive(Clone, Copy, Debug)]
struct Made {
    id: CollectionId,
    /// How many rows it has, about, and each of its buckets.
    rows: u64,
    bucket: u64,
}

/// A nested block, and what has to be open where it is read.
struct Written {
    block: BlockId,
    open: Vec<IndexId>,
    made: Option<CollectionId>,
}

impl Writer {
    fn once_in(&mut self, times: u64) -> bool {
        self.random.below(times) == 0
    }

    /// A number below that of the weights, each as often as its weight says.
    fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.random.below(weights.iter().sum());
        let here = |&weight: &u64| {
            let found = left < weight;
            left = left.saturating_sub(weight);
            found
        };
        weights.iter().position(here).unwrap_or(0)
    }

    fn pick(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }

    /// A name of a field: mostly a new one, at times odd, or the last one again.
    fn name(&mut self) -> String {
        match self.weighted(&[30, 1, 1]) {
            1 => format!("Odd \"{}\"", self.names),
            2 => format!("f{}", self.names),
            _ => {
                self.names += 1;
                format!("f{}", self.names)
            }
        }
    }

    /// A field for a scalar; at times it does not claim what it could.
    fn field_of(&mut self, scalar: ScalarId) -> Field {
        let nullable = self.nullability.scalar(&self.program, scalar) || self.once_in(6);
        let data_type = self.program.scalars.data_type(scalar);
        Field { name: self.name(), data_type, nullable }
    }

    fn table(&mut self, handle: usize, table: &TableOf) {
        // The key, which can be ordered by, and most of the others.
        let columns: Vec<u32> = (0..table.fields.len() as u32).filter(|&at| at == 0 || !self.once_in(5)).collect();
        let fields = columns.iter().map(|&at| table.fields[at as usize].clone()).collect();
        let (name, statistics) = (format!("t{handle}"), Arc::clone(&table.statistics));
        let rows = statistics.rows;
        let shape = Shape::Table { name, handle: TableHandle(handle as u64), columns, statistics };
        let id = self.program.add_collection(fields, shape);
        self.made.push(Made { id, rows, bucket: 0 });
    }

    /// One of the collections that are so, rather one that was made of late.
    fn one_made(&mut self, is: impl Fn(&Program, &Made) -> bool) -> Option<Made> {
        let found: Vec<Made> = self.made.iter().filter(|made| is(&self.program, made)).copied().collect();
        let back = self.weighted(&[5, 3, 2, 1, 1]);
        found.iter().rev().nth(back).or(found.first()).copied()
    }

    /// Takes note of what a let defines, each with its rows and those of a bucket.
    fn defined(&mut self, each: &Let, rows: &[(u64, u64)]) {
        self.nullability.define(&self.program, each);
        let made = each.defines().iter().zip(rows).map(|(&id, &(rows, bucket))| Made { id, rows, bucket });
        self.made.extend(made);
    }
}
