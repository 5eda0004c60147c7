//! From a relation to a naive program: one loop an operator, nested loops for subqueries, no cleverness.
//!
//! Types that another carries (`types/logical.rs`) end here: a program knows their carriers.
//!
//! What comes out is right and slow; every improvement is a rule's. Read in this order: `relation` (operators of
//! one input), `expression` (scalars and subqueries), `join`, `aggregate`, `set_operation`, `order`, `window`.
//!
//! While a loop is open, its *frame* says which scalar each column of its input is. Frames of enclosing loops
//! stay in place below, which is all that a correlated subquery needs.

mod aggregate;
mod expression;
mod join;
mod once;
mod order;
mod relation;
mod set_operation;
#[cfg(test)]
mod tests;
mod window;

use crate::analysis::nullability::Nullability;
use crate::error::Result;
use crate::multiloop::{Block, CollectionId, Generator, Index, Let, Multiloop, Program, ScalarId, Shape, Source};
use crate::relation::{ColumnId, CteId, Query, Relation};
use crate::types::Field;
use rustc_hash::FxHashMap;

/// Lowers a query. Every relation has a program; what cannot be lowered is a bug.
pub fn lower(query: &Query) -> Result<Program> {
    let mut program = Program::new();
    program.parameters = query.parameters.iter().map(|data_type| data_type.carrier()).collect();
    program.speculation = query.speculation;
    let mut lowerer = Lowerer {
        query,
        program,
        lets: Vec::new(),
        around: Vec::new(),
        frames: Vec::new(),
        ctes: FxHashMap::default(),
        once: FxHashMap::default(),
        nullability: Nullability::default(),
    };
    let mut rows = lowerer.relation(&query.relation)?;
    // A program computes something: the rows of a bare table are collected.
    if matches!(lowerer.program.collection(rows.collection).shape, Shape::Table { .. }) {
        rows = lowerer.collect_columns(&rows);
    }
    let Lowerer { mut program, lets, .. } = lowerer;
    for (name, column) in &query.output {
        program.output.push((name.clone(), rows.position(*column)?));
    }
    program.blocks[0] = Block { lets, result: rows.collection };
    Ok(program)
}

/// Lowered rows: a collection, and at which field each column of the relation is.
#[derive(Clone, Debug)]
struct Rows {
    collection: CollectionId,
    columns: Vec<(ColumnId, u32)>,
}

impl Rows {
    /// Rows whose fields are these columns in order.
    fn in_order(collection: CollectionId, columns: impl IntoIterator<Item = ColumnId>) -> Self {
        Rows { collection, columns: columns.into_iter().zip(0..).collect() }
    }

    fn position(&self, column: ColumnId) -> Result<u32> {
        let found = self.columns.iter().find(|(id, _)| *id == column);
        found
            .map(|(_, position)| *position)
            .ok_or_else(|| crate::Error::internal(format!("column {} is not among its input's", column.0)))
    }
}

/// What is open while a query is lowered.
struct Lowerer<'q> {
    query: &'q Query,
    program: Program,
    /// The block that is being filled.
    lets: Vec<Let>,
    /// The blocks around it, the body first.
    around: Vec<Vec<Let>>,
    /// What the columns in scope are, the innermost loop last.
    frames: Vec<FxHashMap<ColumnId, ScalarId>>,
    /// The rows of CTEs, and in how many blocks they are defined.
    ctes: FxHashMap<CteId, (usize, Rows)>,
    /// The rows of volatile subqueries that are computed in the body, by where their relation lies.
    once: FxHashMap<*const Relation, Rows>,
    nullability: Nullability,
}

impl Lowerer<'_> {
    /// Opens an index; its columns are in scope until the frame is popped. `columns` says at which field of what
    /// the source shows each column is.
    fn open(&mut self, source: Source, columns: &[(ColumnId, u32)]) -> Index {
        let index = self.program.index_over(source);
        self.nullability.enter(&self.program, &index);
        let fields = self.program.source_fields(&index.source);
        let frame = columns.iter().map(|&(column, field)| {
            let data_type = fields[field as usize].data_type;
            (column, self.program.scalars.column(index.id, field, data_type))
        });
        let frame = frame.collect();
        self.frames.push(frame);
        index
    }

    /// Opens an index over rows.
    fn open_rows(&mut self, rows: &Rows) -> Index {
        self.open(Source::Rows(rows.collection), &rows.columns)
    }

    fn close(&mut self, frames: usize) {
        self.frames.truncate(self.frames.len() - frames);
    }

    /// The fields that these values make under the names of these columns.
    fn fields(&mut self, values: &[(ColumnId, ScalarId)]) -> Vec<Field> {
        let mut fields = Vec::with_capacity(values.len());
        for &(column, value) in values {
            let data_type = self.program.scalars.data_type(value);
            let nullable = self.nullability.scalar(&self.program, value);
            fields.push(Field::new(self.query.columns.get(column).name.clone(), data_type, nullable));
        }
        fields
    }

    /// The values of these columns where the lowering stands.
    fn values(&self, columns: &[(ColumnId, u32)]) -> Result<Vec<(ColumnId, ScalarId)>> {
        columns.iter().map(|&(column, _)| Ok((column, self.column(column)?))).collect()
    }

    /// Adds a loop of one generator.
    fn add_loop(&mut self, nest: Vec<Index>, generator: Generator, fields: Vec<Field>, shape: Shape) -> CollectionId {
        let define = self.program.add_collection(fields, shape);
        let multiloop = Multiloop { nest, generators: vec![generator] };
        self.add(Let::Loop { defines: vec![define], multiloop });
        define
    }

    fn add(&mut self, each: Let) {
        self.nullability.define(&self.program, &each);
        self.lets.push(each);
    }

    /// Adds a Collect of these values.
    fn add_collect(&mut self, nest: Vec<Index>, condition: Vec<ScalarId>, values: &[(ColumnId, ScalarId)]) -> Rows {
        let fields = self.fields(values);
        let value = values.iter().map(|(_, value)| *value).collect();
        let collection = self.add_loop(nest, Generator::Collect { condition, value }, fields, Shape::Rows);
        Rows::in_order(collection, values.iter().map(|(column, _)| *column))
    }

    /// The same rows in a collection whose fields are exactly their columns, in order.
    fn collect_columns(&mut self, rows: &Rows) -> Rows {
        let index = self.open_rows(rows);
        let values = self.values(&rows.columns).expect("the columns of the open frame");
        self.close(1);
        self.add_collect(vec![index], Vec::new(), &values)
    }

    /// Lowers something into a block of its own.
    fn in_block(&mut self, make: impl FnOnce(&mut Self) -> Result<CollectionId>) -> Result<crate::multiloop::BlockId> {
        self.around.push(std::mem::take(&mut self.lets));
        let result = make(self);
        let outer = self.around.pop().unwrap_or_default();
        let lets = std::mem::replace(&mut self.lets, outer);
        Ok(self.program.add_block(Block { lets, result: result? }))
    }
}
