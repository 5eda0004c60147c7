//! The NUMA placement of a loaded table: each chunk lies in the slabs of a node, whose worker copies it there, and so is the
//! first to touch that memory. Chunks are dealt to the nodes in turn. If a node's workers are busy, another node's copy a chunk
//! that was meant for it, to slabs of their own: its home is where its memory is. A single chunk stays with the thread that
//! asks.

use super::slab::Slab;
use super::{Column, ColumnData};
use crate::Result;
use crate::workers::schedule::Workers;

/// Bytes of a chunk's strings or vectors that an allocator has pages of their own for.
const LARGE_BYTES: usize = 8 << 20;

/// The slabs of all nodes.
#[derive(Debug)]
pub(super) struct Homes {
    nodes: Vec<Slabs>,
}

/// The slabs of a node.
#[derive(Debug, Default)]
struct Slabs {
    together: Slab,
    /// By field: where columns stay that may leave their memory once all of the table is known.
    apart: Vec<Slab>,
}

impl Homes {
    /// Room for a table of so many columns.
    pub(super) fn new(columns: usize, workers: Workers<'_>) -> Self {
        let nodes = workers.nodes();
        let slab = || if nodes > 1 { Slab::untouched() } else { Slab::default() };
        let slabs = || Slabs { together: slab(), apart: (0..columns).map(|_| slab()).collect() };
        Homes { nodes: (0..nodes).map(|_| slabs()).collect() }
    }

    /// The same columns of some chunks, those that are `chosen` copied to slabs; and for each chunk the node that did it.
    /// `wanted` gives the node that should.
    pub(super) fn keep(
        &self,
        chunks: Vec<Vec<Column>>,
        wanted: impl Fn(usize) -> usize,
        chosen: impl Fn(&ColumnData) -> bool + Sync,
        workers: Workers<'_>,
    ) -> Result<Vec<(Vec<Column>, usize)>> {
        let alone = Workers { pool: None, ..workers };
        if let [node] = &self.nodes[..] {
            // Memory is the same everywhere, and what is large has a block of its own as it is.
            let chosen = |data: &ColumnData| chosen(data) && !is_large(data);
            // A chunk a worker is less to wait for than a column.
            if chunks.len() >= workers.count() {
                return workers.map(chunks, |columns| Ok((node.keep(columns, chosen, alone)?, 0)));
            }
            let keep = |columns| Ok((node.keep(columns, chosen, workers)?, 0));
            return chunks.into_iter().map(keep).collect();
        }
        workers.map_at(chunks, &|chunk| Some(wanted(chunk)), |columns| {
            workers.stay_here(|node| Ok((self.nodes[node].keep(columns, &chosen, alone)?, node)))
        })
    }
}

impl Slabs {
    fn keep(
        &self,
        columns: Vec<Column>,
        chosen: impl Fn(&ColumnData) -> bool + Sync,
        workers: Workers<'_>,
    ) -> Result<Vec<Column>> {
        let columns = self.together.keep(columns, |data| chosen(data) && !stands_apart(data), workers)?;
        let keep = |(column, slab): (Column, &Slab)| match stands_apart(&column.data) && chosen(&column.data) {
            true => slab.keep(vec![column], |_| true, workers),
            false => Ok(vec![column]),
        };
        let kept = workers.map(columns.into_iter().zip(&self.apart).collect(), keep)?;
        Ok(kept.into_iter().flatten().collect())
    }
}

/// Whether to copy a column's strings or vectors would take longer than they are worth in a slab.
fn is_large(data: &ColumnData) -> bool {
    match data {
        ColumnData::Text { bytes, .. } => bytes.len() >= LARGE_BYTES,
        ColumnData::Vectors32 { values, .. } => values.inner().len() >= LARGE_BYTES,
        ColumnData::Vectors64 { values, .. } => values.inner().len() >= LARGE_BYTES,
        _ => false,
    }
}

/// Whether a column may be replaced at the end: text by a dictionary, and what is wide, or has many strings, by codes of a
/// domain.
fn stands_apart(data: &ColumnData) -> bool {
    matches!(data, ColumnData::Text { .. } | ColumnData::Int64(_) | ColumnData::Dictionary32 { .. })
}

#[cfg(test)]
mod tests {
    use crate::column::build::{Storage, TableBuilder};
    use crate::column::{CHUNK_ROWS, Table};
    use crate::workers::context::{Context, Memory};
    use crate::workers::pool::Pool;
    use crate::workers::topology::Topology;
    use multiloop_planner::types::{DataType, Field};
    use multiloop_planner::value::Value;
    use std::sync::Arc;

    const CHUNKS: usize = 5;

    /// The rows of each chunk.
    fn rows() -> Vec<Vec<Vec<Value>>> {
        let row = |row: usize| {
            let far = (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
            let text = |of: i64| Value::text(format!("text {of}"));
            let number = if row.is_multiple_of(5) { Value::Null } else { Value::Int(row as i64 % 100) };
            vec![Value::Int(far), number, text(row as i64 % 50), text(far), Value::Float(far as f64)]
        };
        (0..CHUNKS).map(|chunk| (0..CHUNK_ROWS - 7).map(|at| row(chunk * CHUNK_ROWS + at)).collect()).collect()
    }

    fn table(rows: &[Vec<Vec<Value>>], context: &Context) -> Table {
        let types = [DataType::BigInt, DataType::Integer, DataType::Text, DataType::Text, DataType::Double];
        let fields = types.map(|data_type| Field::new("c", data_type, true)).to_vec();
        let mut builder = TableBuilder::new(fields, Storage::Compact, context);
        for rows in rows {
            builder.push_values(rows).expect("they are of the fields' types");
        }
        builder.finish().expect("there is memory")
    }

    #[test]
    fn chunks_of_a_load_have_homes() {
        let context = || Context::new(Memory::new(usize::MAX));
        let rows = rows();
        let expected = table(&rows, &context());
        let values = rows.concat();
        assert!(expected.values() == values);
        assert!(expected.chunks.iter().all(|chunk| chunk.home == Some(0)), "one thread is one node");
        // A thread for all nodes, one for each, and more.
        for (nodes, numbers) in [(1, &[2][..]), (2, &[1, 4]), (4, &[4, 8])] {
            // Processors that there are not: threads stay where they are, and say where they would be.
            let topology = Topology { nodes: (0..nodes).map(|node| vec![5000 + 2 * node, 5001 + 2 * node]).collect() };
            for &threads in numbers {
                let pool = Arc::new(Pool::with_topology(threads, &topology).expect("threads start"));
                let table = table(&rows, &context().with_pool(&pool));
                let is_home = |home: Option<usize>| home.is_some_and(|home| home < pool.nodes());
                assert!(table.chunks.iter().all(|chunk| is_home(chunk.home)));
                // At least as many chunks as nodes are made at once, and each node makes its own.
                let rounds = CHUNKS / pool.nodes() * pool.nodes();
                let dealt = (0..rounds).map(|chunk| Some(chunk % pool.nodes()));
                assert!(
                    dealt.eq(table.chunks[..rounds].iter().map(|chunk| chunk.home)),
                    "{threads} threads, {nodes} nodes"
                );
                assert_eq!(table.chunks.len(), expected.chunks.len());
                assert_eq!(*table.statistics, *expected.statistics);
                assert!(table.values() == values, "{threads} threads, {nodes} nodes");
            }
        }
    }
}
