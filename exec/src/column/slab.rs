//! The memory of a loaded table: its columns are copied one after the other into blocks of up to 64 MiB.
//!
//! A load makes each column of each chunk an allocation of its own, among allocations that live shortly. Left there,
//! they pin the gaps between them and pay an allocator's rounding, which costs a large table a quarter of its size.
//! A block is given back when the last column in it is.
//!
//! An allocator gives memory again that was freed, and it lies where it was first touched. Where that matters, the pages of a new
//! block are given back to the operating system, and come to lie where those run who copy to them.

use super::{Column, ColumnData};
use crate::Result;
use crate::workers::schedule::Workers;
use ::arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a buffer may start: a cache line, which is as much as any vector register wants.
const ALIGNMENT: usize = 64;

/// Bytes of a block, at most, unless one chunk needs more.
const BLOCK_BYTES: usize = 64 << 20;

/// Bytes of a page, at most: what lies between two multiples of so many is whole pages.
const PAGE_BYTES: usize = 64 << 10;

/// Blocks that are filled from their start to their end.
#[derive(Debug, Default)]
pub(super) struct Slab {
    /// The one that is being filled, and how far it is.
    filled: Mutex<(Option<Arc<Block>>, usize)>,
    /// Whether nobody may have touched the memory of a block before.
    untouched: bool,
}

/// Memory that many buffers share.
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is plain memory; who may write where is what `Block::keep` asks of its caller.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Slab {
    /// One whose memory lies where those run who copy to it.
    pub(super) fn untouched() -> Self {
        Slab { untouched: true, ..Slab::default() }
    }

    /// The same columns, those that are `chosen` in the slab's memory. Small forms (booleans, intervals, NULL bits)
    /// stay where they are in any case.
    pub(super) fn keep(
        &self,
        columns: Vec<Column>,
        chosen: impl Fn(&ColumnData) -> bool + Sync,
        workers: Workers<'_>,
    ) -> Result<Vec<Column>> {
        let room = |column: &Column| {
            let buffers = if chosen(&column.data) { column.data.buffers() } else { [None, None] };
            buffers.into_iter().flatten().map(rounded).sum::<usize>()
        };
        let total = columns.iter().map(room).sum();
        if total == 0 {
            return Ok(columns);
        }
        let (block, mut next) = self.reserve(total);
        let placed = columns.into_iter().map(|column| {
            let place = next;
            next += room(&column);
            (place, column)
        });
        let placed: Vec<(usize, Column)> = placed.collect();
        let keep = |(mut place, column): (usize, Column)| {
            if !chosen(&column.data) {
                return Ok(column);
            }
            let buffers = column.data.buffers().map(|bytes| {
                bytes.map(|bytes| {
                    // SAFETY: `reserve` gave these bytes to this call alone, and places do not overlap.
                    let kept = unsafe { block.keep(place, bytes) };
                    place += rounded(bytes);
                    kept
                })
            });
            Ok(Column::new(column.data.with_buffers(buffers), column.nulls))
        };
        workers.map(placed, keep)
    }

    /// Bytes that nobody else has or gets: a block, and where they start in it. The first block is as large as it
    /// must be, so that small tables stay small; then they double.
    fn reserve(&self, bytes: usize) -> (Arc<Block>, usize) {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, used) = &mut *filled;
        if let Some(block) = last
            && *used + bytes <= block.layout.size()
        {
            *used += bytes;
            return (Arc::clone(block), *used - bytes);
        }
        let doubled = last.as_ref().map_or(0, |block| 2 * block.layout.size());
        let size = doubled.min(BLOCK_BYTES).max(bytes);
        let block = Arc::new(if self.untouched { Block::untouched(size) } else { Block::new(size) });
        *filled = (Some(Arc::clone(&block)), bytes);
        (block, 0)
    }
}

fn rounded(bytes: &[u8]) -> usize {
    bytes.len().next_multiple_of(ALIGNMENT)
}

impl Block {
    /// Memory of this size, which is not 0.
    fn new(bytes: usize) -> Self {
        Block::aligned(bytes, ALIGNMENT)
    }

    /// Memory of whole pages, at least so many bytes, which nobody has touched: an allocator's, given back to the operating
    /// system at once, so that the next to touch a page gets a new one. That this may fail, or is not to be had, costs speed.
    fn untouched(bytes: usize) -> Self {
        let block = Block::aligned(bytes.next_multiple_of(PAGE_BYTES), PAGE_BYTES);
        #[cfg(target_os = "linux")]
        {
            use rustix::mm::{Advice, madvise};
            // SAFETY: these are whole pages, all of the block, of which nothing has been written or lent yet.
            let _ = unsafe { madvise(block.start.as_ptr().cast(), block.layout.size(), Advice::LinuxDontNeed) };
        }
        block
    }

    fn aligned(bytes: usize, alignment: usize) -> Self {
        let layout = Layout::from_size_align(bytes, alignment).expect("chunks are far smaller than the address space");
        // SAFETY: callers ask for more than nothing.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Block { start, layout }
    }

    /// Copies bytes to a place in the block.
    ///
    /// # Safety
    /// The place holds them, and no other buffer has any of it.
    unsafe fn keep(self: &Arc<Self>, place: usize, bytes: &[u8]) -> Buffer {
        debug_assert!(place + bytes.len() <= self.layout.size(), "the place holds them");
        // SAFETY: the caller says that the place is within the block and nobody else's.
        unsafe {
            let start = self.start.add(place);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.as_ptr(), bytes.len());
            Buffer::from_custom_allocation(start, bytes.len(), Arc::clone(self) as _)
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and the last buffer in it is gone.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl ColumnData {
    /// The buffers that a slab keeps: at most two.
    pub fn buffers(&self) -> [Option<&[u8]>; 2] {
        match self {
            ColumnData::Frame8 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Frame16 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Frame32 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Stepped8 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Stepped16 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Stepped32 { offsets, .. } => [Some(offsets.inner().as_slice()), None],
            ColumnData::Int16(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Int32(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Int64(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Int128(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Float32(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Float64(values) => [Some(values.inner().as_slice()), None],
            ColumnData::Vectors32 { values, .. } => [Some(values.inner().as_slice()), None],
            ColumnData::Vectors64 { values, .. } => [Some(values.inner().as_slice()), None],
            ColumnData::Dictionary8 { codes, .. } => [Some(codes.inner().as_slice()), None],
            ColumnData::Dictionary16 { codes, .. } => [Some(codes.inner().as_slice()), None],
            ColumnData::Dictionary32 { codes, .. } => [Some(codes.inner().as_slice()), None],
            ColumnData::Text { offsets, bytes } => [Some(offsets.inner().inner().as_slice()), Some(bytes.as_slice())],
            _ => [None, None],
        }
    }

    /// The same values in copies of `buffers`.
    fn with_buffers(self, buffers: [Option<Buffer>; 2]) -> ColumnData {
        let [first, second] = buffers;
        let Some(first) = first else { return self };
        match self {
            ColumnData::Frame8 { base, .. } => ColumnData::Frame8 { base, offsets: first.into() },
            ColumnData::Frame16 { base, .. } => ColumnData::Frame16 { base, offsets: first.into() },
            ColumnData::Frame32 { base, .. } => ColumnData::Frame32 { base, offsets: first.into() },
            ColumnData::Stepped8 { base, step, .. } => ColumnData::Stepped8 { base, step, offsets: first.into() },
            ColumnData::Stepped16 { base, step, .. } => ColumnData::Stepped16 { base, step, offsets: first.into() },
            ColumnData::Stepped32 { base, step, .. } => ColumnData::Stepped32 { base, step, offsets: first.into() },
            ColumnData::Int16(_) => ColumnData::Int16(first.into()),
            ColumnData::Int32(_) => ColumnData::Int32(first.into()),
            ColumnData::Int64(_) => ColumnData::Int64(first.into()),
            ColumnData::Int128(_) => ColumnData::Int128(first.into()),
            ColumnData::Float32(_) => ColumnData::Float32(first.into()),
            ColumnData::Float64(_) => ColumnData::Float64(first.into()),
            ColumnData::Vectors32 { length, .. } => ColumnData::Vectors32 { length, values: first.into() },
            ColumnData::Vectors64 { length, .. } => ColumnData::Vectors64 { length, values: first.into() },
            ColumnData::Dictionary8 { dictionary, .. } => ColumnData::Dictionary8 { codes: first.into(), dictionary },
            ColumnData::Dictionary16 { dictionary, .. } => ColumnData::Dictionary16 { codes: first.into(), dictionary },
            ColumnData::Dictionary32 { dictionary, .. } => ColumnData::Dictionary32 { codes: first.into(), dictionary },
            ColumnData::Text { bytes, .. } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(first));
                ColumnData::Text { offsets, bytes: second.unwrap_or(bytes) }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Table;
    use crate::column::build::{Storage, TableBuilder};
    use crate::workers::context::{Context, Memory};
    use multiloop_planner::types::{DataType, Field};
    use multiloop_planner::value::Value;

    fn table(rows: i64) -> Table {
        let fields = vec![Field::new("n", DataType::BigInt, true), Field::new("t", DataType::Text, false)];
        let mut builder = TableBuilder::new(fields, Storage::Compact, &Context::new(Memory::new(1 << 30)));
        let row = |row: i64| vec![Value::Int(row * 1_000_003), Value::text(format!("row {row}"))];
        builder.push_values(&(0..rows).map(row).collect::<Vec<_>>()).expect("they are of the fields' types");
        builder.finish().expect("there is memory")
    }

    #[test]
    fn columns_lie_behind_each_other_and_outlive_their_table() {
        for rows in [1, 300, 200_000] {
            let table = table(rows);
            let [numbers, texts] = &table.chunks[0].columns[..] else { panic!("two columns") };
            // Few strings begin as a dictionary, which is made text again outside of the slab.
            for column in if rows > 1_000 { vec![numbers, texts] } else { vec![numbers] } {
                let starts: Vec<*const u8> = column.data.buffers().into_iter().flatten().map(<[u8]>::as_ptr).collect();
                assert!(starts.iter().all(|start| start.addr().is_multiple_of(ALIGNMENT)), "{starts:?}");
                assert!(starts.is_sorted());
            }
            let kept = table.chunks.last().expect("there are rows").columns.clone();
            drop(table);
            let last = kept[0].rows() - 1;
            assert_eq!(kept[0].value(last, DataType::BigInt), Value::Int((rows - 1) * 1_000_003));
            assert_eq!(kept[1].value(last, DataType::Text), Value::text(format!("row {}", rows - 1)));
        }
    }
}
