//! Prunes chunks, and rows at the ends of chunks, that cannot pass the conditions of a loop.
//!
//! What the conditions of a loop ask of its outermost index, and the keys among which it looks for that index's keys
//! (sideways information passing), become tests of a chunk's ranges (`expression::chunk_test`). A chunk of which no row
//! can pass is left out before work is cut into pieces, so pieces stay numbered without gaps.
//!
//! Where a column is sorted, the rows of a chunk that are in a range lie together: two searches find them, and a key of a table
//! that lies in its order is found without a scan.
//!
//! Of a lazy chunk more may be known of parts of its rows, the pages of a file: only runs of those that may pass are read.
//!
//! What stands behind a condition that may fail leaves no chunk out: the error of a row that reaches it is due.

use crate::Result;
use crate::collections::rows::RowSet;
use crate::column::Span;
use crate::cpu::expression::chunk_test::{ChunkTest, Zone, reader_of};
use crate::cpu::expression::tile::Tile;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::vector::rows::Source as TileSource;
use crate::plan::tree::LoopPlan;
use multiloop_planner::multiloop::{KeyPart, Source};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a chunk, by its number.
pub(crate) type Run = (usize, Range<usize>);

/// Rows of a lazy chunk between two runs that are read with them: to begin anew costs more.
const GAP_ROWS: usize = 1 << 13;

/// The rows of the outermost index of which a tuple of the loop may come.
pub(crate) fn runs(frame: &Frame<'_>, plan: &LoopPlan, rows: &RowSet) -> Result<Vec<Run>> {
    let tests = if rows.chunks.is_empty() { Vec::new() } else { tests(frame, plan) };
    if tests.iter().all(|test| *test == ChunkTest::Unknown) {
        // Where no chunk is looked at, none is touched: a device is done with ten thousand before that is.
        let starts = rows.chunks.starts();
        let ends = starts.iter().copied().skip(1).chain([rows.chunks.rows()]);
        return Ok(starts.iter().zip(ends).map(|(start, end)| 0..end - start).enumerate().collect());
    }
    let collection = plan.levels.first().and_then(|level| level.source.collection());
    let table = collection.and_then(|id| frame.shared.plan.collection(id).table.as_ref());
    let sorted = table.map_or(&[][..], |table| &table.sorted);
    let is_sorted = |field| sorted.iter().any(|&(sorted, _)| sorted == field);
    let mut runs: Vec<Run> = Vec::new();
    let mut pruned = 0;
    let listed = (rows.chunks.len() >= CHUNKS_LISTED && !rows.chunks.is_lazy()).then(|| Listed::new(&tests, rows));
    for (number, chunk) in rows.chunks.iter().enumerate() {
        // To look at a lazy chunk may take a while.
        frame.check()?;
        if let Some(listed) = &listed {
            let known = listed.chunk(number);
            if !tests.iter().all(|test| test.may_hold(&known)) {
                pruned += 1;
                continue;
            }
            // A search touches a dozen places of the chunk.
            if !tests.iter().any(|test| test.may_cut(&known, &is_sorted)) {
                runs.push((number, 0..listed.rows(number)));
                continue;
            }
        }
        let source = TileSource::Chunk { chunk: Arc::clone(chunk), fields: rows.fields.clone() };
        let before = runs.len();
        if !tests.iter().all(|test| test.may_hold(&source)) {
            pruned += 1;
            continue;
        }
        if chunk.lazy.is_some() {
            runs.extend(spans(&tests, &source, chunk.rows).into_iter().map(|rows| (number, rows)));
        } else {
            let kept = tests.iter().fold(0..chunk.rows, |kept, test| test.rows(&source, &is_sorted, kept));
            runs.extend(Some((number, kept)).filter(|(_, kept)| !kept.is_empty()));
        }
        pruned += usize::from(runs.len() == before);
    }
    frame.note_pruned(pruned);
    Ok(runs)
}

/// Chunks from which on what is known of them is looked up side by side: to touch each of ten thousand takes a millisecond.
const CHUNKS_LISTED: usize = if cfg!(test) { 2 } else { 64 };

/// What is known of the chunks of some rows: by field, of each chunk.
struct Listed<'r> {
    rows: &'r RowSet,
    fields: Vec<(u32, Arc<[Span]>)>,
}

/// One of them.
struct ListedChunk<'l> {
    of: &'l Listed<'l>,
    number: usize,
}

impl<'r> Listed<'r> {
    fn new(tests: &[ChunkTest], rows: &'r RowSet) -> Self {
        let mut fields = Vec::new();
        tests.iter().for_each(|test| test.fields(&mut fields));
        fields.sort_unstable();
        fields.dedup();
        let known = |field: u32| (field, rows.chunks.spans(rows.position(field) as usize));
        Listed { rows, fields: fields.into_iter().map(known).collect() }
    }

    fn chunk(&self, number: usize) -> ListedChunk<'_> {
        ListedChunk { of: self, number }
    }

    /// Rows of a chunk.
    fn rows(&self, number: usize) -> usize {
        let starts = self.rows.chunks.starts();
        starts.get(number + 1).copied().unwrap_or(self.rows.chunks.rows()) - starts[number]
    }
}

impl Zone for ListedChunk<'_> {
    fn known(&self, field: u32) -> Option<Span> {
        self.of.fields.iter().find(|(known, _)| *known == field).map(|(_, spans)| spans[self.number].clone())
    }

    // Only files know more.
    fn may_have(&self, _: u32, _: &[i64]) -> bool {
        true
    }

    fn may_have_text(&self, _: u32, _: &[Box<[u8]>]) -> bool {
        true
    }
}

/// Some rows of a lazy chunk, and what is known of them: by field, the parts of its rows.
struct Part<'a> {
    source: &'a TileSource,
    rows: Range<usize>,
    fields: &'a [(u32, Arc<[Span]>)],
}

impl Zone for Part<'_> {
    fn known(&self, field: u32) -> Option<Span> {
        let Some((_, spans)) = self.fields.iter().find(|(known, _)| *known == field) else {
            return self.source.known(field);
        };
        let span = &spans[spans.partition_point(|span| span.rows.end <= self.rows.start)];
        // Of some of its rows it is known only where all or none of them are NULL.
        let nulls = match span.nulls {
            Some(nulls) if nulls == span.rows.len() => Some(self.rows.len()),
            nulls => nulls.filter(|&nulls| nulls == 0 || span.rows == self.rows),
        };
        Some(Span { rows: self.rows.clone(), range: span.range, nulls })
    }

    // The chunk has been asked.
    fn may_have(&self, _: u32, _: &[i64]) -> bool {
        true
    }

    fn may_have_text(&self, _: u32, _: &[Box<[u8]>]) -> bool {
        true
    }
}

/// The rows of a lazy chunk that may pass, by what is known of parts of it.
fn spans(tests: &[ChunkTest], source: &TileSource, rows: usize) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    tests.iter().for_each(|test| test.fields(&mut fields));
    fields.sort_unstable();
    fields.dedup();
    let known = fields.into_iter().filter_map(|field| {
        let (reader, column) = reader_of(source, field)?;
        let spans = reader.spans(column)?;
        let whole = spans.first()?.rows.start == 0 && spans.last()?.rows.end == rows;
        let in_order = spans.windows(2).all(|pair| pair[0].rows.end == pair[1].rows.start);
        (whole && in_order && spans.iter().all(|span| !span.rows.is_empty())).then_some((field, spans))
    });
    let known: Vec<(u32, Arc<[Span]>)> = known.collect();
    let mut cuts: Vec<usize> = known.iter().flat_map(|(_, spans)| spans.iter().map(|span| span.rows.start)).collect();
    cuts.extend([0, rows]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut kept: Vec<Range<usize>> = Vec::new();
    for pair in cuts.windows(2) {
        let part = Part { source, rows: pair[0]..pair[1], fields: &known };
        if !tests.iter().all(|test| test.may_hold(&part)) {
            continue;
        }
        match kept.last_mut() {
            Some(last) if last.end + GAP_ROWS >= part.rows.start => last.end = part.rows.end,
            _ => kept.push(part.rows),
        }
    }
    kept
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
