//! Chunks that a loop does not look at, and rows at the ends of those that it does.
//!
//! What the conditions of a loop ask of its outermost index, and the keys among which it looks for that index's keys
//! (sideways information passing), become tests of a chunk's ranges (`expression::chunk_test`). A chunk of which no row
//! can pass is left out before work is cut into pieces, so pieces stay numbered without gaps.
//!
//! Where a column is sorted, the rows of a chunk that are in a range lie together: two searches find them, and a key of a table
//! that lies in its order is found without a scan.
//!
//! What stands behind a condition that may fail leaves no chunk out: the error of a row that reaches it is due.

use crate::collections::rows::RowSet;
use crate::column::Chunk;
use crate::cpu::expression::chunk_test::ChunkTest;
use crate::cpu::expression::tile::Tile;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::tree::LoopPlan;
use multiloop_planner::multiloop::{KeyPart, Source};
use std::ops::Range;
use std::sync::Arc;

/// For each chunk of the outermost index the rows of which a tuple of the loop may come; none if of all.
pub(crate) fn rows(frame: &Frame<'_>, plan: &LoopPlan, rows: &RowSet) -> Option<Vec<Range<usize>>> {
    if rows.chunks.is_empty() {
        return None;
    }
    let tests = tests(frame, plan);
    if tests.iter().all(|test| *test == ChunkTest::Unknown) {
        return None;
    }
    let collection = plan.levels.first().and_then(|level| level.source.collection());
    let table = collection.and_then(|id| frame.shared.plan.collection(id).table.as_ref());
    let sorted = table.map_or(&[][..], |table| &table.sorted);
    let kept = |chunk: &Arc<Chunk>| {
        let source = TileSource::Chunk { chunk: Arc::clone(chunk), fields: rows.fields.clone() };
        if !tests.iter().all(|test| test.may_hold(&source)) {
            return 0..0;
        }
        let is_sorted = |field| sorted.iter().any(|&(sorted, _)| sorted == field);
        tests.iter().fold(0..chunk.rows, |kept, test| test.rows(&source, &is_sorted, kept))
    };
    let kept: Vec<Range<usize>> = rows.chunks.iter().map(kept).collect();
    frame.note_pruned(kept.iter().filter(|kept| kept.is_empty()).count());
    Some(kept)
}

/// What a row of the outermost index must pass before something may fail, or give a tuple.
fn tests(frame: &Frame<'_>, plan: &LoopPlan) -> Vec<ChunkTest> {
    let mut tests = Vec::new();
    let mut tile = Tile::new(&plan.expressions, frame, frame.bindings());
    for level in plan.levels.iter().take_while(|level| level.prunes) {
        let mut go_on = true;
        if let (Some((key, _)), Some(collection)) = (level.source.probe(), level.source.collection()) {
            let part = |part: &KeyPart| (part.scalar, part.null_matches);
            go_on = tile.key_tests(collection, key.iter().map(part), &mut tests);
        }
        // What is asked behind it is asked of the unmatched rows, too.
        let wants_unmatched = matches!(level.source, Source::BucketAndRest { .. });
        if !go_on || wants_unmatched || !tile.chunk_tests(&level.conditions, &mut tests) {
            break;
        }
    }
    tests
}
