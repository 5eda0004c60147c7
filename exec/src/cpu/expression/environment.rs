//! The interface through which expressions read collections that have been computed.

use crate::Result;
use crate::column::Chunk;
use crate::cpu::collections::bindings::Captured;
use crate::cpu::expression::interchange::Interchange;
use crate::cpu::keys::integer::Key;
use crate::cpu::vector::Vector;
use crate::cpu::vector::bitmap::Bitmap;
use crate::cpu::vector::rows::Rows;
use crate::plan::code_range::KeyRange;
use crate::plan::register::Register;
use crate::workers::context::Context;
use multiloop_planner::multiloop::{BlockId, CollectionId, IndexId};
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::time::Duration;

/// Makes groups for the rows that ask for them, of the rows beside these.
pub trait Neighbours: Send + Sync {
    /// Makes the groups of some rows of a chunk: each aggregate of every group, and for each row that asks its group.
    fn make(&mut self, asking: &Arc<Chunk>, rows: &Rows, len: usize) -> Result<(Vec<Vector>, &[u32])>;
}

/// What expressions ask of the collections computed so far. Implemented by whoever runs the program.
pub trait Collections: Sync {
    /// What the statement shares that they belong to, if there is one.
    fn context(&self) -> Option<&Context> {
        None
    }

    /// How a collection's keys are found, if they are one integer each.
    fn integer_keys(&self, _collection: CollectionId) -> Result<Option<KeyRange>> {
        Ok(None)
    }

    /// The least and the greatest value that a part of a collection's keys can have, NULL apart, if it is integer-like;
    /// the least is above the greatest if there are no keys at all.
    fn key_range(&self, _collection: CollectionId, _part: usize) -> Result<Option<(i128, i128)>> {
        Ok(None)
    }

    /// What makes the groups of a collection, if that is left to the rows that ask for them.
    fn neighbours(&self, _collection: CollectionId) -> Result<Option<Box<dyn Neighbours + '_>>> {
        Ok(None)
    }

    /// For each of `len` tuples the row of its key's group, [`NO_ROW`](crate::cpu::vector::rows::NO_ROW) if there is none.
    fn find(&self, collection: CollectionId, key: &Key<'_>, len: usize, rows: &mut Vec<u32>) -> Result<()>;

    /// Field `field` of the groups at these rows, or what the field's reduction gives for no rows where there is
    /// [`NO_ROW`](crate::cpu::vector::rows::NO_ROW). `out` may be filled in any register that holds the field's type.
    fn lookup(&self, collection: CollectionId, rows: Vec<u32>, field: u32, out: &mut Vector) -> Result<()>;

    /// Field `field` of a table's rows with these numbers, NULL where there is
    /// [`NO_ROW`](crate::cpu::vector::rows::NO_ROW), in a register that holds it.
    fn element(
        &self,
        collection: CollectionId,
        rows: Vec<u32>,
        field: u32,
        register: Register,
        out: &mut Vector,
    ) -> Result<()>;

    /// For each of `len` tuples whether there is a group of its key. `out` is to be reset.
    fn exists(&self, collection: CollectionId, key: &Key<'_>, len: usize, out: &mut Bitmap) -> Result<()>;

    /// Field of the only row of a collection.
    fn single(&self, collection: CollectionId, field: u32) -> Result<Value>;

    /// Field of the only row of a block, evaluated with these fields of enclosing loops (all that it reads).
    fn nested(&self, block: BlockId, field: u32, captured: &Captured) -> Result<Value>;

    /// Fields of a block for rows that capture these values, by search, as far as there are rows in order that answer them; none of
    /// a block that is not searched.
    fn nested_searched(
        &self,
        _asked: (BlockId, u32),
        _captures: &[(IndexId, u32, u32)],
        _asking: &[Vec<Value>],
    ) -> Result<Option<Vec<Option<Value>>>> {
        Ok(None)
    }

    /// How many rows are to be evaluated before others are answered by search: what that takes decides.
    fn nested_unmeasured(&self, _block: BlockId) -> usize {
        0
    }

    /// What it took to evaluate a block for so many rows.
    fn nested_took(&self, _block: BlockId, _rows: usize, _time: Duration) {}

    /// A block whose loop may change places with that of the rows that ask; none of others.
    fn interchange(&self, _block: BlockId) -> Result<Option<Interchange<'_>>> {
        Ok(None)
    }

    /// Makes `out` a field of a block for each of `len` tuples, of which these are what it captures, all at once; false if the block
    /// is to be evaluated in another way.
    fn nested_columns(
        &self,
        _asked: (BlockId, u32),
        _captures: &[&Vector],
        _len: usize,
        _out: &mut Vector,
    ) -> Result<bool> {
        Ok(false)
    }

    /// The same of many rows at once, each with the values that the block captures, in the order in which it does; none of a
    /// block that is evaluated row by row.
    fn nested_batch(&self, _block: BlockId, _field: u32, _asking: &[Vec<Value>]) -> Result<Option<Vec<Value>>> {
        Ok(None)
    }
}
