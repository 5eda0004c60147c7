//! Fields of groups that a row computes from its neighbours in a clustered table (own groups).

use super::environment::Neighbours;
use super::tile::Tile;
use crate::cpu::kernels::integer::coerce;
use crate::cpu::vector::Vector;
use crate::cpu::vector::rows::Source;
use crate::{Error, Result};
use multiloop_planner::multiloop::CollectionId;

/// Fields of own groups in front of their aggregates.
const KEYS: usize = 1;

impl Tile<'_> {
    /// Makes `out` a field of the own groups of the active tuples' rows, and all other fields of them that the loop asks for,
    /// too; false if these are no own groups.
    pub(super) fn ask_neighbours(&mut self, collection: CollectionId, number: u32, out: &mut Vector) -> Result<bool> {
        if !self.neighbours.contains_key(&collection) {
            let Some(made) = self.collections.neighbours(collection)? else { return Ok(false) };
            self.neighbours.insert(collection, made);
        }
        let Some(mut neighbours) = self.neighbours.remove(&collection) else { return Ok(false) };
        let outcome = self.ask(&mut *neighbours, (collection, number), out);
        self.neighbours.insert(collection, neighbours);
        outcome.map(|()| true)
    }

    fn ask(&mut self, neighbours: &mut dyn Neighbours, asked: (CollectionId, u32), out: &mut Vector) -> Result<()> {
        let Some(Source::Chunk { chunk, .. }) = &self.sources[0] else {
            return Err(Error::internal("the rows of own groups are a table's"));
        };
        let tuples = self.tuples();
        let (fields, group_of) = neighbours.make(chunk, &tuples.rows[0], tuples.len)?;
        let expressions = self.expressions;
        let level = &mut self.levels[self.depth - 1];
        for (node, field, register) in expressions.lookups(asked.0) {
            let vector = &fields[field as usize - KEYS];
            if node == asked.1 {
                out.gather(vector, group_of);
                coerce(out, register);
            } else if !std::mem::replace(&mut level.computed[node as usize], true) {
                level.touched.push(node);
                let other = &mut level.vectors[node as usize];
                other.gather(vector, group_of);
                coerce(other, register);
            }
        }
        Ok(())
    }
}
