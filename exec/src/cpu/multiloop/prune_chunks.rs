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
use crate::column::zones::Chosen;
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
    Ok(match kept(frame, plan, rows)? {
        Kept::All => (0..rows.chunks.len()).map(|number| (number, 0..rows.chunks.rows_of(number))).collect(),
        Kept::Runs(runs) => runs,
    })
}

/// The same by their numbers over all chunks; those that adjoin are one range.
pub(crate) fn ranges(frame: &Frame<'_>, plan: &LoopPlan, rows: &RowSet) -> Result<Vec<Range<usize>>> {
    let runs = match kept(frame, plan, rows)? {
        Kept::All => return Ok(Some(0..rows.rows).filter(|all| !all.is_empty()).into_iter().collect()),
        Kept::Runs(runs) => runs,
    };
    let starts = rows.chunks.starts();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (chunk, within) in runs {
        let range = starts[chunk] + within.start..starts[chunk] + within.end;
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    Ok(ranges)
}

/// What is left of the outermost index.
enum Kept {
    /// All chunks, whole: none has been looked at.
    All,
    Runs(Vec<Run>),
}

/// Chunks from which on what is known of them is looked up side by side: to touch each of ten thousand takes a millisecond.
const CHUNKS_LISTED: usize = if cfg!(test) { 2 } else { 64 };

/// Chunks after which somebody looks whether the statement was cancelled.
const CHUNKS_CHECKED: usize = 1 << 10;

fn kept(frame: &Frame<'_>, plan: &LoopPlan, rows: &RowSet) -> Result<Kept> {
    let tests = if rows.chunks.is_empty() { Vec::new() } else { tests(frame, plan) };
    if tests.iter().all(|test| *test == ChunkTest::Unknown) {
        return Ok(Kept::All);
    }
    let collection = plan.levels.first().and_then(|level| level.source.collection());
    let table = collection.and_then(|id| frame.shared.plan.collection(id).table.as_ref());
    let sorted = table.map_or(&[][..], |table| &table.sorted);
    let is_sorted = |field| sorted.iter().any(|&(sorted, _)| sorted == field);
    match rows.chunks.len() >= CHUNKS_LISTED && !rows.chunks.is_lazy() {
        true => kept_by_list(frame, &tests, rows, &is_sorted),
        false => kept_by_chunk(frame, &tests, rows, &is_sorted),
    }
}

/// Of many chunks those that may pass are found without a look at any of them; those that a sorted field cuts are searched.
fn kept_by_list(
    frame: &Frame<'_>,
    tests: &[ChunkTest],
    rows: &RowSet,
    is_sorted: &dyn Fn(u32) -> bool,
) -> Result<Kept> {
    let zones = |field: u32| rows.chunks.zones(rows.position(field) as usize);
    let (mut chosen, mut cut) = (Chosen::All, Chosen::None);
    for test in tests {
        frame.check()?;
        chosen = chosen.and(test.chunks(&zones));
        cut = cut.or(test.cut_chunks(&zones, is_sorted));
    }
    if chosen.is_all() && cut.is_none() {
        return Ok(Kept::All);
    }
    let mut runs: Vec<Run> = Vec::new();
    for number in 0..rows.chunks.len() {
        if number % CHUNKS_CHECKED == 0 {
            frame.check()?;
        }
        if !chosen.has(number) {
            continue;
        }
        let all = 0..rows.chunks.rows_of(number);
        // A search touches a dozen places of the chunk.
        let kept = if cut.has(number) { searched(tests, (rows, number), is_sorted, all) } else { all };
        runs.extend(Some((number, kept)).filter(|(_, kept)| !kept.is_empty()));
    }
    frame.note_pruned(rows.chunks.len() - runs.len());
    Ok(Kept::Runs(runs))
}

/// Few chunks, or such as lie in files, are asked one by one.
fn kept_by_chunk(
    frame: &Frame<'_>,
    tests: &[ChunkTest],
    rows: &RowSet,
    is_sorted: &dyn Fn(u32) -> bool,
) -> Result<Kept> {
    let mut runs: Vec<Run> = Vec::new();
    let mut pruned = 0;
    for (number, chunk) in rows.chunks.iter().enumerate() {
        // To look at a lazy chunk may take a while.
        frame.check()?;
        let source = source(rows, number);
        let before = runs.len();
        if !tests.iter().all(|test| test.may_hold(&source)) {
            pruned += 1;
            continue;
        }
        if chunk.lazy.is_some() {
            runs.extend(spans(tests, &source, chunk.rows).into_iter().map(|rows| (number, rows)));
        } else {
            let kept = searched(tests, (rows, number), is_sorted, 0..chunk.rows);
            runs.extend(Some((number, kept)).filter(|(_, kept)| !kept.is_empty()));
        }
        pruned += usize::from(runs.len() == before);
    }
    frame.note_pruned(pruned);
    Ok(Kept::Runs(runs))
}

/// Those of some rows of a chunk that sorted fields leave.
fn searched(
    tests: &[ChunkTest],
    (rows, number): (&RowSet, usize),
    is_sorted: &dyn Fn(u32) -> bool,
    all: Range<usize>,
) -> Range<usize> {
    let source = source(rows, number);
    tests.iter().fold(all, |kept, test| test.rows(&source, is_sorted, kept))
}

fn source(rows: &RowSet, number: usize) -> TileSource {
    TileSource::Chunk { chunk: Arc::clone(&rows.chunks[number]), fields: rows.fields.clone() }
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
