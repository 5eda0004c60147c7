//! Expressions against the definition of what functions mean: random typed expressions over nasty columns, in every
//! form of storage and on every kind of level, must give what `evaluate` gives row by row, and fail exactly where it
//! fails. The same expressions must keep to the ranges that the planner proves of them.

mod directed;
mod random;
mod reference;
mod vectors;

use crate::Result;
use crate::column::Chunk;
use crate::column::build::{Storage, TableBuilder};
use crate::cpu::collections::bindings::{Bindings, Captured};
use crate::cpu::expression::environment::Collections;
use crate::cpu::expression::tile::Tile;
use crate::cpu::keys::integer::Key;
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::Source;
use crate::plan::expressions::Expressions;
use crate::plan::register::Register;
use crate::workers::context::{Context, Memory};
use multiloop_planner::analysis::ranges::Ranges;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{
    Block, BlockId, Collection, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, ScalarId, Scalars,
    Shape, Source as IndexSource,
};
use multiloop_planner::speculation::Speculation;
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;

/// A table, and the loop over it whose scalars are tested.
struct Case {
    program: Program,
    rows: Vec<Vec<Value>>,
    chunk: Arc<Chunk>,
}

impl Case {
    /// `scalars` reads the table by index 0.
    fn new(fields: Vec<Field>, rows: Vec<Vec<Value>>, storage: Storage, scalars: Scalars, roots: &[ScalarId]) -> Self {
        let mut builder = TableBuilder::new(fields.clone(), storage, &Context::new(Memory::new(1 << 30)));
        builder.push_values(&rows).expect("the values are of their types");
        let table = builder.finish().expect("there is memory");
        let shape = Shape::Table {
            name: "t".into(),
            handle: TableHandle(0),
            columns: (0..fields.len() as u32).collect(),
            statistics: Arc::clone(&table.statistics),
        };
        let nest = vec![Index { id: IndexId(0), source: IndexSource::Rows(CollectionId(0)) }];
        let types = roots.iter().map(|&root| Field::new("f", scalars.data_type(root), true)).collect();
        let generators = vec![Generator::Collect { condition: Vec::new(), value: roots.to_vec() }];
        let multiloop = Multiloop { nest, generators };
        let program = Program {
            scalars,
            collections: vec![Collection { fields, shape }, Collection { fields: types, shape: Shape::Rows }],
            blocks: vec![Block {
                lets: vec![Let::Loop { defines: vec![CollectionId(1)], multiloop }],
                result: CollectionId(1),
            }],
            body: BlockId(0),
            indices: 1,
            parameters: Vec::new(),
            output: Vec::new(),
            speculation: Speculation::Never,
        };
        let chunk = table.chunks.first().cloned().unwrap_or_else(|| Arc::new(Chunk::new(0, Vec::new())));
        Case { program, rows, chunk }
    }

    fn expressions(&self, roots: &[ScalarId]) -> (Expressions, Ranges) {
        let ranges = Ranges::analyse(&self.program);
        let Let::Loop { multiloop, .. } = &self.program.body().lets[0] else { panic!("made above") };
        let expressions = Expressions::compile(&self.program, &multiloop.nest, roots, &ranges);
        (expressions.expect("these scalars compile"), ranges)
    }
}

/// No collections.
struct Nothing;

impl Collections for Nothing {
    fn find(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Vec<u32>) -> Result<()> {
        panic!("there is none")
    }
    fn lookup(&self, _: CollectionId, _: Vec<u32>, _: u32, _: &mut Vector) -> Result<()> {
        panic!("there is none")
    }
    fn element(&self, _: CollectionId, _: Vec<u32>, _: u32, _: Register, _: &mut Vector) -> Result<()> {
        panic!("there is none")
    }

    fn exists(&self, _: CollectionId, _: &Key<'_>, _: usize, _: &mut Bitmap) -> Result<()> {
        panic!("there is none")
    }
    fn single(&self, _: CollectionId, _: u32) -> Result<Value> {
        panic!("there is none")
    }
    fn nested(&self, _: BlockId, _: u32, _: &Captured) -> Result<Value> {
        panic!("there is none")
    }
}

fn with_tile<R>(case: &Case, expressions: &Expressions, test: impl FnOnce(&mut Tile<'_>) -> R) -> R {
    let captured = Captured::default();
    let bindings = Bindings { parameters: &[], captured: &captured };
    let mut tile = Tile::new(expressions, &Nothing, bindings);
    tile.set_source(0, Source::chunk(Arc::clone(&case.chunk)));
    test(&mut tile)
}
