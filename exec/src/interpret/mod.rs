//! The reference interpreter: what programs mean, in the plainest code that runs them.
//!
//! It runs any program, with rules applied or without, one row at a time: every other backend and every rule must
//! give its rows. `collection` holds what lets define, `traverse` goes over nests, `generate` is what generators do
//! with the rows, `reduce` the monoids, `order` sorting, `window` and `iterate` the lets of these names, `scalar` the scalars.
//!
//! A let runs when something first reads one of its collections, so that what nothing reads neither costs nor
//! fails. Inside a nested block it runs again for each evaluation of the block, unless it reads nothing that
//! changes (`fixed`).

mod collection;
mod fixed;
mod generate;
pub(crate) mod iterate;
pub(crate) mod order;
pub(crate) mod reduce;
mod scalar;
mod traverse;
mod window;

use crate::Result;
use crate::column::Table;
use crate::workers::context::{Context, Reservation};
use collection::{Data, Form, charge};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{BlockId, CollectionId, IndexId, Let, Program, Shape};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// A result: its fields and its rows, one value a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Names and types, as the program's output has them.
    pub fields: Vec<Field>,
    /// The rows; in order if the result is sorted.
    pub rows: Vec<Vec<Value>>,
}

/// Runs a program. `tables` gives the snapshots that its tables name; there is one parameter for each that the
/// program declares, of its type.
///
/// Errors: what the program's expressions raise, 57014 when cancelled, 53200 beyond the memory limit.
pub fn run(
    program: &Program,
    tables: &dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &[Value],
    context: &Context,
) -> Result<Rows> {
    let mut interpreter = Interpreter {
        program,
        tables,
        parameters,
        context,
        definitions: fixed::definitions(program),
        collections: vec![None; program.collections.len()],
        cursors: vec![Cursor::Nowhere; program.indices as usize],
        found: vec![FxHashSet::default(); program.indices as usize],
        random: scalar::Random::new(),
    };
    let result = interpreter.block(program.body)?;
    let shown = &program.collection(program.body().result).fields;
    let field = |(name, position): &(String, u32)| Field { name: name.clone(), ..shown[*position as usize].clone() };
    let row = |row| program.output.iter().map(|(_, field)| result.value(row, *field)).collect();
    Ok(Rows { fields: program.output.iter().map(field).collect(), rows: (0..result.rows()).map(row).collect() })
}

/// Where an index stands.
#[derive(Clone)]
enum Cursor {
    /// Outside of its loop.
    Nowhere,
    /// A row of a collection.
    Row(Rc<Data>, usize),
    /// A row of a bucket: collection, bucket, row.
    Member(Rc<Data>, usize, usize),
    /// A `BucketOrNull` that found nothing, or in front of a rest: every field is NULL.
    Nothing,
    /// A `Count`.
    Number(i64),
}

struct Interpreter<'a> {
    program: &'a Program,
    tables: &'a dyn Fn(TableHandle) -> Arc<Table>,
    parameters: &'a [Value],
    context: &'a Context,
    /// For each collection, what defines it.
    definitions: Vec<Option<Definition<'a>>>,
    /// The collections that have been computed.
    collections: Vec<Option<Rc<Data>>>,
    cursors: Vec<Cursor>,
    /// For each index that has a rest the rows (bucket, row) that have been found.
    found: Vec<FxHashSet<(usize, usize)>>,
    random: scalar::Random,
}

/// What defines a collection.
#[derive(Clone, Copy)]
struct Definition<'a> {
    r#let: &'a Let,
    /// Whether it is the same each time its block is evaluated.
    fixed: bool,
}

impl Interpreter<'_> {
    /// Evaluates a block for where the indices around it stand.
    fn block(&mut self, block: BlockId) -> Result<Rc<Data>> {
        let block = self.program.block(block);
        for define in block.lets.iter().flat_map(Let::defines) {
            if self.definitions[define.0 as usize].is_some_and(|definition| !definition.fixed) {
                self.collections[define.0 as usize] = None;
            }
        }
        self.collection(block.result)
    }

    /// A collection, computed if it is not there yet.
    fn collection(&mut self, id: CollectionId) -> Result<Rc<Data>> {
        if let Some(data) = &self.collections[id.0 as usize] {
            return Ok(Rc::clone(data));
        }
        if let Shape::Table { handle, columns, .. } = &self.program.collection(id).shape {
            let data = Data::table((self.tables)(*handle), columns, Reservation::new(&self.context.memory))?;
            self.collections[id.0 as usize] = Some(Rc::new(data));
        } else {
            let definition = self.definitions[id.0 as usize].expect("every collection but a table has a let");
            self.define(definition.r#let)?;
        }
        Ok(Rc::clone(self.collections[id.0 as usize].as_ref().expect("a let defines its collections")))
    }

    fn define(&mut self, r#let: &Let) -> Result<()> {
        let rows = match r#let {
            Let::Loop { defines, multiloop } => {
                let results = self.multiloop(defines, multiloop)?;
                for (define, data) in defines.iter().zip(results) {
                    self.collections[define.0 as usize] = Some(Rc::new(data));
                }
                return Ok(());
            }
            Let::Sort { input, order, .. } => {
                let mut rows = self.collection(*input)?.all_rows();
                rows.sort_by(|a, b| order::compare_rows(a, b, order));
                rows
            }
            Let::Window { input, partition, order, functions, .. } => {
                let rows = self.collection(*input)?.all_rows();
                self.window((rows, &self.program.collection(*input).fields), partition, order, functions)?
            }
            Let::Iterate { seed, working, step, distinct, enough, last, .. } => {
                self.iterate(*seed, *working, *step, (*distinct, *enough, *last))?
            }
            Let::Concat { inputs, .. } => {
                let mut rows = Vec::new();
                for input in inputs {
                    rows.extend(self.collection(*input)?.all_rows());
                }
                rows
            }
            Let::Values { rows, .. } => {
                let scalars = |row: &Vec<_>| row.iter().map(|scalar| self.scalar(*scalar)).collect();
                rows.iter().map(scalars).collect::<Result<_>>()?
            }
        };
        let mut memory = Reservation::new(&self.context.memory);
        for row in &rows {
            charge(&mut memory, row)?;
        }
        let define = r#let.defines()[0];
        self.collections[define.0 as usize] = Some(Rc::new(Data::new(Form::Rows(rows), memory)));
        Ok(())
    }

    /// A field of the row on which an index stands.
    fn column(&self, index: IndexId, field: u32) -> Value {
        match &self.cursors[index.0 as usize] {
            Cursor::Row(data, row) => data.value(*row, field),
            Cursor::Member(data, bucket, row) => data.member(*bucket, *row, field),
            Cursor::Nothing => Value::Null,
            Cursor::Number(number) => Value::Int(*number),
            Cursor::Nowhere => panic!("bug: index {} is read outside of its loop", index.0),
        }
    }
}

#[cfg(test)]
mod tests;
