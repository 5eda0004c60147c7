//! Chunks that a loop does not look at.
//!
//! What the conditions of a loop ask of its outermost index, and the keys among which it looks for that index's keys
//! (sideways information passing), become tests of a chunk's ranges (`expression::chunk_test`). A chunk of which no row
//! can pass is left out before work is cut into pieces, so pieces stay numbered without gaps.
//!
//! What stands behind a condition that may fail leaves no chunk out: the error of a row that reaches it is due.

use crate::collections::rows::RowSet;
use crate::cpu::expression::chunk_test::ChunkTest;
use crate::cpu::expression::tile::Tile;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::tree::LoopPlan;
use multiloop_planner::multiloop::{KeyPart, Source};
use std::sync::Arc;

/// For each chunk of the outermost index whether a tuple of the loop may come of it; none if of every one.
pub(crate) fn chunks(frame: &Frame<'_>, plan: &LoopPlan, rows: &RowSet) -> Option<Vec<bool>> {
    if rows.chunks.is_empty() {
        return None;
    }
    let tests = tests(frame, plan);
    if tests.iter().all(|test| *test == ChunkTest::Unknown) {
        return None;
    }
    let may_pass = |chunk| {
        let source = TileSource::Chunk { chunk: Arc::clone(chunk), fields: rows.fields.clone() };
        tests.iter().all(|test| test.may_hold(&source))
    };
    let kept: Vec<bool> = rows.chunks.iter().map(may_pass).collect();
    frame.note_pruned(kept.iter().filter(|kept| !**kept).count());
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
