//! Runs one loop: cuts it into pieces, spreads them over workers, and combines their results.

pub(crate) mod adopt;
mod best_first;
pub(crate) mod frame;
mod in_order;
pub(crate) mod inputs;
mod last_row;
mod layout;
pub(crate) mod lookup;
pub(crate) mod nest;
pub(crate) mod prune_chunks;
pub(crate) mod searched;
pub(crate) mod sink;
pub(crate) mod slices;
pub(crate) mod top_k;
mod waiting;

use super::reduce::{Reducer, finish};
use crate::collections::rows::RowSet;
use crate::column::PIECE_ROWS;
use crate::column::{CHUNK_ROWS, Chunk};
use crate::cpu::collections::stored::{Buckets, Groups, Members, Stored};
use crate::cpu::expression::tile::Tile;
use crate::cpu::groups::splitters::SharedSplitters;
use crate::cpu::index::KeyIndex;
use crate::cpu::multiloop::best_first::ChunkKeys;
use crate::cpu::multiloop::frame::Frame;
use crate::cpu::multiloop::layout::layout;
use crate::cpu::multiloop::nest::{Marks, Nest, Piece};
use crate::cpu::multiloop::prune_chunks::Run;
use crate::cpu::multiloop::sink::{PieceRows, Setup, Sink};
use crate::cpu::multiloop::slices::{Orders, orders};
use crate::cpu::reduce::group_filter::GroupFilter;
use crate::cpu::vector::builder;
use crate::cpu::vector::builder::{ColumnBuilder, SHARED_ROWS, concat_all};
use crate::plan::choice::Adaptive;
use crate::plan::expressions::Expressions;
use crate::plan::group_kind::{Numbering, Rows};
use crate::plan::index_form::IndexForm;
use crate::plan::tree::{BucketPlan, GeneratorKind, GeneratorPlan, LoopPlan, Pieces, ReducePlan, TopKPlan};
use crate::workers::context::{Context, Reservation};
use crate::workers::pool::Pool;
use crate::workers::schedule;
use crate::workers::schedule::{MORSEL_ROWS, Morsel, Workers};
use crate::{Error, Result};
use multiloop_planner::multiloop::{CollectionId, ScalarId, Source};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Pieces of a Count, at most.
const COUNT_PIECES: i64 = 1 << 16;

/// Pieces of a loop whose rows ask blocks, about, if it has as many rows.
const ASKING_PIECES: usize = 32;

/// Runs a loop; gives a collection for each generator. Without a pool everything happens on this thread.
pub(crate) fn run<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    defines: &[CollectionId],
    pool: Option<&Pool>,
) -> Result<Vec<Arc<Stored>>> {
    let mut pieces = pieces(frame, plan, Workers { pool, context: frame.shared.context })?;
    if let Some(keys) = ChunkKeys::of(plan) {
        pieces = keys.ordered(frame, pieces)?;
    }
    if pool.is_some() {
        frame.shared.context.progress.total.fetch_add(steps_of(&pieces), Ordering::Relaxed);
    }
    let orders = orders(frame, plan, steps_of(&pieces), Workers { pool, context: frame.shared.context })?;
    run_pieces(frame, plan, (defines, Form::Narrow), (&pieces, &orders), pool)
}

/// What a loop gives of no rows; nothing of its sources is looked at.
pub(crate) fn run_on_nothing<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    defines: &[CollectionId],
) -> Result<Vec<Arc<Stored>>> {
    let setups = setups(frame, plan, 0, Workers { pool: None, context: frame.shared.context }, 1)?;
    let states = vec![sinks(frame, plan, defines, &setups)?];
    finish(frame, plan, &setups, (defines, Form::Narrow), states, Vec::new(), None)
}

/// The rows that pieces go over; those of a Count are not known to be rows.
pub(crate) fn rows_of(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| if let Piece::Rows { rows, .. } = piece { rows.len() as u64 } else { 0 }).sum()
}

/// How far progress gets with pieces: by their rows, or by what they count.
pub(crate) fn steps_of(pieces: &[Piece]) -> u64 {
    let steps = |piece: &Piece| match piece {
        Piece::Rows { rows, .. } => rows.len() as u64,
        Piece::Count(positions) => positions.end.saturating_sub(positions.start).max(0) as u64,
        Piece::Unmatched(_) | Piece::All => 0,
    };
    pieces.iter().map(steps).fold(0, u64::saturating_add)
}

/// How rows are kept that a loop collects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// In the narrowest form of each column, for loops to read.
    Narrow,
    /// As they came, for a result, which has the wide form of a type.
    Plain,
}

/// As [`run`], over some of the loop's pieces, with the rows of its indices in order.
pub(crate) fn run_pieces<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    (defines, form): (&[CollectionId], Form),
    (pieces, orders): (&[Piece], &Orders),
    pool: Option<&Pool>,
) -> Result<Vec<Arc<Stored>>> {
    let context = frame.shared.context;
    let workers = Workers { pool, context };
    let rows = rows_of(pieces);
    let most = if plan.unmatched.is_some() { usize::MAX } else { pieces.len().max(1) };
    let setups = setups(frame, plan, rows, workers, workers.count().min(most))?;
    if let Some(buckets) = sorted_buckets(frame, plan, &setups, pool)? {
        return Ok(vec![Arc::new(Stored::Buckets(buckets))]);
    }
    let marks = marks(frame, plan)?.map(Arc::new);
    let stops = stops(plan, &setups);
    let nest = |plan, marks| Ok(Nest::new(frame, plan, marks)?.stopping(stops));
    let state = || Ok((nest(plan, marks.clone())?.searching(orders), sinks(frame, plan, defines, &setups)?));
    let chunk_keys = ChunkKeys::of(plan);
    let work = |(nest, sinks): &mut (Nest<'a>, Vec<Sink<'a>>), number: usize, piece: &Piece| {
        sinks.iter_mut().for_each(|sink| sink.begin_piece(number));
        if !chunk_keys.as_ref().map_or(Ok(false), |keys| keys.is_beaten(frame, piece, sinks))? {
            nest.run(piece, sinks)?;
        }
        if pool.is_some() {
            context.progress.done.fetch_add(steps_of(std::slice::from_ref(piece)), Ordering::Relaxed);
        }
        sinks.iter_mut().map(|sink| sink.end_piece()).collect::<Result<Vec<_>>>()
    };
    let homes = homes(frame, plan, pieces)?;
    // What a worker had for its tiles is freed where its part ends.
    let sinks_of = |(_, sinks): (Nest<'a>, Vec<Sink<'a>>)| sinks;
    let mut states: Vec<Vec<Sink<'a>>> = Vec::new();
    let mut outputs = Vec::new();
    for wave in waves(stops, pieces.len()) {
        if wave.start > 0 && enough(plan, &setups, &outputs, &mut states) {
            break;
        }
        let wave_work = |state: &mut _, at: usize| work(state, wave.start + at, &pieces[wave.start + at]);
        let wave_home = |at: usize| homes[wave.start + at];
        let (done, rows) = workers.run_near(wave.len(), &wave_home, state, wave_work, sinks_of)?;
        states.extend(done);
        outputs.extend(rows);
    }
    if let (Some(unmatched), Some(marks)) = (&plan.unmatched, &marks)
        && !(stops && enough(plan, &setups, &outputs, &mut states))
    {
        let unmatched_pieces = unmatched_pieces(frame, unmatched)?;
        // The workers go on with what they have.
        let idle = Mutex::new(std::mem::take(&mut states));
        let resume = || {
            let own = idle.lock().map_err(|_| Error::internal("a worker panicked"))?.pop();
            let own = own.map_or_else(|| sinks(frame, plan, defines, &setups), Ok)?;
            Ok((nest(unmatched, Some(Arc::clone(marks)))?, own))
        };
        let unmatched_work = |state: &mut _, at: usize| work(state, pieces.len() + at, &unmatched_pieces[at]);
        let (done, rows) = workers.run(unmatched_pieces.len(), resume, unmatched_work, sinks_of)?;
        states = idle.into_inner().map_err(|_| Error::internal("a worker panicked"))?;
        states.extend(done);
        outputs.extend(rows);
    }
    if states.is_empty() {
        states.push(sinks(frame, plan, defines, &setups)?);
    }
    finish(frame, plan, &setups, (defines, form), states, outputs, pool)
}

/// The node on which the rows of each piece lie, if that is known.
fn homes(frame: &Frame<'_>, plan: &LoopPlan, pieces: &[Piece]) -> Result<Vec<Option<usize>>> {
    let Some(Source::Rows(collection)) = plan.levels.first().map(|level| &level.source) else {
        return Ok(vec![None; pieces.len()]);
    };
    let stored = frame.get(*collection)?;
    let chunks = &stored.outermost()?.chunks;
    let home = |piece: &Piece| if let Piece::Rows { chunk, .. } = piece { chunks[*chunk].home } else { None };
    Ok(pieces.iter().map(home).collect())
}

/// What a worker puts tuples into, for each generator.
fn sinks<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    defines: &[CollectionId],
    setups: &[Setup],
) -> Result<Vec<Sink<'a>>> {
    let sinks = plan
        .generators
        .iter()
        .zip(setups)
        .zip(defines)
        .map(|((plan, setup), &define)| Sink::new(plan, setup, group_filter(frame, define), frame.shared.context));
    sinks.collect()
}

/// The conditions that groups must pass to be wanted, if their only reader has some.
fn group_filter<'a>(frame: &'a Frame<'a>, define: CollectionId) -> Option<GroupFilter<'a>> {
    let plan = frame.shared.plan;
    let (block, number) = plan.collection(define).group_filter?;
    Some(GroupFilter::new((frame, frame.bindings()), plan.loop_of(block, number)?, plan.types(define)))
}

/// For an index whose unmatched rows are wanted, marks for the rows that it may find.
fn marks(frame: &Frame<'_>, plan: &LoopPlan) -> Result<Option<Marks>> {
    let Some(collection) = plan.unmatched.as_ref().and_then(|unmatched| unmatched.levels[0].source.collection()) else {
        return Ok(None);
    };
    let rows = frame.get(collection)?.buckets()?.members.rows;
    Marks::new(rows, &frame.shared.context.memory).map(Some)
}

/// The rows of buckets, as pieces of work.
fn unmatched_pieces(frame: &Frame<'_>, unmatched: &LoopPlan) -> Result<Vec<Piece>> {
    let Some(collection) = unmatched.levels[0].source.collection() else {
        return Err(Error::internal("unmatched rows of nothing"));
    };
    let rows = frame.get(collection)?.buckets()?.members.rows;
    Ok(schedule::morsels([rows], MORSEL_ROWS).into_iter().map(|morsel| Piece::Unmatched(morsel.rows)).collect())
}

/// The buckets of a loop that makes nothing else, if they need no traversal.
fn sorted_buckets(
    frame: &Frame<'_>,
    plan: &LoopPlan,
    setups: &[Setup],
    pool: Option<&Pool>,
) -> Result<Option<Buckets>> {
    let ([generator], [Setup { members: Some(source), .. }]) = (&plan.generators[..], setups) else { return Ok(None) };
    let GeneratorKind::BucketCollect(BucketPlan { in_place: Some(in_place), .. }) = &generator.kind else {
        return Ok(None);
    };
    let stored = frame.get(in_place.collection)?;
    in_place.sorted(stored.rows()?, source, &frame.shared.plan.limits, Workers { pool, context: frame.shared.context })
}

/// The pieces in the order in which they are begun. Where some rows may be enough, a few pieces are tried first.
fn waves(stops: bool, pieces: usize) -> Vec<Range<usize>> {
    if !stops {
        return std::iter::once(0..pieces).collect();
    }
    let (mut waves, mut start, mut size) = (Vec::new(), 0, 1);
    while start < pieces {
        let end = pieces.min(start + size);
        waves.push(start..end);
        (start, size) = (end, size * 2);
    }
    waves
}

/// Whether some rows may be enough for all that is asked: so many, whichever, or one that decides.
fn stops(plan: &LoopPlan, setups: &[Setup]) -> bool {
    plan.generators.iter().zip(setups).all(|(generator, setup)| match &generator.kind {
        GeneratorKind::TopK(top_k) => top_k.order.is_empty() && setup.keep < usize::MAX,
        GeneratorKind::Reduce(reduce) => reduce.can_be_decided(),
        _ => false,
    })
}

type PieceOutput = Vec<Option<PieceRows>>;

/// Whether every generator of a loop that [`stops`] has the rows that it is to keep, or one that decides.
fn enough(plan: &LoopPlan, setups: &[Setup], outputs: &[PieceOutput], states: &mut [Vec<Sink<'_>>]) -> bool {
    plan.generators.iter().zip(setups).enumerate().all(|(number, (generator, setup))| {
        if let GeneratorKind::Reduce(_) = generator.kind {
            return states.iter_mut().any(|sinks| sinks[number].recall());
        }
        let rows: usize = outputs.iter().filter_map(|piece| piece[number].as_ref()).map(|piece| piece.rows).sum();
        rows >= setup.keep
    })
}

/// Rows of a piece, at most.
fn piece_rows(plan: &LoopPlan, rows: usize, workers: Workers<'_>) -> usize {
    match plan.pieces.of {
        Pieces::Balanced => workers.piece_rows(rows),
        Pieces::Morsels => MORSEL_ROWS,
        Pieces::Asking => (rows / ASKING_PIECES).clamp(1, MORSEL_ROWS),
    }
}

/// Cuts the outermost index into pieces.
pub(crate) fn pieces(frame: &Frame<'_>, plan: &LoopPlan, workers: Workers<'_>) -> Result<Vec<Piece>> {
    let Some(first) = plan.levels.first() else { return Ok(Vec::new()) };
    Ok(match &first.source {
        Source::Rows(collection) => {
            let stored = frame.get(*collection)?;
            let rows = stored.outermost()?;
            let runs = prune_chunks::runs(frame, plan, rows)?;
            if let Stored::Lazy(_) = &*stored {
                return Ok(lazy_pieces(plan, runs));
            }
            let lens = runs.iter().map(|(_, rows)| rows.len());
            let morsels = schedule::morsels(lens.clone(), piece_rows(plan, lens.sum(), workers));
            let piece = |Morsel { chunk: run, rows }: Morsel| {
                let (chunk, Range { start, .. }) = runs[run];
                Piece::Rows { chunk, rows: rows.start + start..rows.end + start }
            };
            morsels.into_iter().map(piece).collect()
        }
        Source::Count(count) => {
            let count = ground_value(frame, &plan.expressions, *count, DataType::BigInt)?;
            let count = if let Value::Int(count) = count { count.max(0) } else { 0 };
            let step = (count / COUNT_PIECES).max(piece_rows(plan, count as usize, workers) as i64);
            let bounds = (0..count.div_euclid(step) + 1).map(|piece| piece * step);
            bounds
                .filter(|&start| start < count)
                .map(|start| Piece::Count(start..start.saturating_add(step).min(count)))
                .collect()
        }
        Source::Bucket { .. } | Source::BucketOrNull { .. } | Source::BucketAndRest { .. } => vec![Piece::All],
    })
}

/// Rows of the first piece of lazy chunks where a few may be enough.
const LAZY_FIRST_ROWS: usize = 1 << 11;

/// Rows of lazy chunks as pieces: the fewer there are, the less is taken apart twice. They end where those end that are kept at
/// once. Where a few rows may be enough, the first piece is a small one.
fn lazy_pieces(plan: &LoopPlan, runs: Vec<Run>) -> Vec<Piece> {
    let mut pieces: Vec<Run> = Vec::new();
    for (chunk, rows) in runs {
        let parts = rows.start / PIECE_ROWS..rows.end.div_ceil(PIECE_ROWS);
        let part = |part| rows.start.max(part * PIECE_ROWS)..rows.end.min((part + 1) * PIECE_ROWS);
        pieces.extend(parts.map(part).filter(|rows| !rows.is_empty()).map(|rows| (chunk, rows)));
    }
    let takes_few = |generator: &GeneratorPlan| match &generator.kind {
        GeneratorKind::TopK(top_k) => top_k.order.is_empty(),
        _ => false,
    };
    if let Some((chunk, rows)) = pieces.first().cloned()
        && rows.len() > LAZY_FIRST_ROWS
        && plan.generators.iter().all(takes_few)
    {
        let end = rows.start + LAZY_FIRST_ROWS;
        pieces[0].1.start = end;
        pieces.insert(0, (chunk, rows.start..end));
    }
    pieces.into_iter().map(|(chunk, rows)| Piece::Rows { chunk, rows }).collect()
}

/// The value of a scalar that reads no index.
fn ground_value(frame: &Frame<'_>, expressions: &Expressions, scalar: ScalarId, data_type: DataType) -> Result<Value> {
    let mut tile = Tile::new(expressions, frame, frame.bindings());
    tile.evaluate(scalar)?;
    Ok(tile.vector(scalar).value(0, data_type))
}

/// What generators need to begin, of a loop over so many rows that so many of the workers share.
fn setups(frame: &Frame<'_>, plan: &LoopPlan, rows: u64, all: Workers<'_>, workers: usize) -> Result<Vec<Setup>> {
    let empty =
        || Setup { keys: None, workers, splitters: SharedSplitters::default(), keep: 0, offset: 0, members: None };
    let setup = |number: usize, kind: &GeneratorKind| {
        Ok(match kind {
            GeneratorKind::TopK(top_k) => {
                let (offset, keep) = limits(frame, &plan.expressions, top_k)?;
                Setup { keep, offset, ..empty() }
            }
            GeneratorKind::Reduce(reduce) => {
                let Some(expected) = &reduce.groups else { return Ok(empty()) };
                let key = (reduce.parts(), &reduce.layout, reduce.index.is_some());
                let layout = layout(frame, plan, key, (rows, all))?;
                let rows = Rows { count: rows, workers: workers as u64, ..reduce.rows };
                let limits = &frame.shared.plan.limits;
                let numbering = Numbering::of(&layout, rows, limits);
                debug_assert!(expected.allows(&numbering.kind), "{expected:?} becomes {numbering:?}");
                frame.note(number, || format!("{:?}: {}", numbering.kind, numbering.kind.why(&layout, rows, limits)));
                Setup { keys: Some((layout, numbering)), ..empty() }
            }
            GeneratorKind::BucketCollect(BucketPlan { in_place: Some(in_place), .. }) => {
                let stored = frame.get(in_place.collection)?;
                Setup { members: in_place.source(stored.rows()?), ..empty() }
            }
            _ => empty(),
        })
    };
    plan.generators.iter().enumerate().map(|(number, generator)| setup(number, &generator.kind)).collect()
}

/// Offset, and limit + offset.
fn limits(frame: &Frame<'_>, expressions: &Expressions, plan: &TopKPlan) -> Result<(usize, usize)> {
    let rows = |scalar: ScalarId, what: &str| match ground_value(frame, expressions, scalar, DataType::BigInt)? {
        Value::Int(rows) => usize::try_from(rows).map(Some).map_err(|_| Error::negative_row_count(what)),
        _ => Ok(None),
    };
    let offset = rows(plan.offset, "OFFSET")?.unwrap_or(0);
    let limit = rows(plan.limit, "LIMIT")?;
    Ok((offset, limit.map_or(usize::MAX, |limit| limit.saturating_add(offset))))
}

fn finish<'a>(
    frame: &'a Frame<'a>,
    plan: &'a LoopPlan,
    setups: &[Setup],
    (defines, form): (&[CollectionId], Form),
    states: Vec<Vec<Sink<'a>>>,
    outputs: Vec<PieceOutput>,
    pool: Option<&Pool>,
) -> Result<Vec<Arc<Stored>>> {
    let context = frame.shared.context;
    let workers = Workers { pool, context };
    let generators = plan.generators.len();
    let mut by_generator: Vec<Vec<Sink<'a>>> = (0..generators).map(|_| Vec::new()).collect();
    for sinks in states {
        by_generator.iter_mut().zip(sinks).for_each(|(all, sink)| all.push(sink));
    }
    let mut rows: Vec<Vec<PieceRows>> = (0..generators).map(|_| Vec::new()).collect();
    for piece in outputs {
        rows.iter_mut().zip(piece).for_each(|(all, piece)| all.extend(piece));
    }
    let mut stored = Vec::new();
    for (generator, ((sinks, rows), (&define, setup))) in
        by_generator.into_iter().zip(rows).zip(defines.iter().zip(setups)).enumerate()
    {
        let one = match &plan.generators[generator].kind {
            GeneratorKind::Collect { types, .. } => Stored::Rows(collect(rows, types, form, workers)?),
            GeneratorKind::TopK(top_k) => Stored::Rows(finish_top_k(top_k, setup, sinks, rows, workers)?),
            GeneratorKind::BucketCollect(BucketPlan { key_types, index, .. }) if setup.members.is_some() => {
                let (keys, rows) = append_with(rows, key_types.len(), workers)?;
                let built = KeyIndex::build(&keys, key_types, rows, &frame.shared.plan.limits, workers)?;
                let source = setup.members.clone().ok_or_else(|| Error::internal("buckets without rows"))?;
                if built.order.is_some() {
                    return Err(Error::internal("keys that increase ask for another order of rows"));
                }
                note_index(frame, generator, Some(index), Some(&built.index));
                Stored::Buckets(Buckets::in_place(built.index, Members { source, rows }))
            }
            GeneratorKind::BucketCollect(BucketPlan { key_types, types, index, .. }) => {
                let (mut keys, count) = append_with(rows, key_types.len() + types.len(), workers)?;
                let members = keys.split_off(key_types.len());
                let keep_keys = frame.shared.plan.collection(define).reads.as_rows();
                let limits = &frame.shared.plan.limits;
                let buckets = Buckets::build((keys, key_types), (members, types), count, keep_keys, limits, workers)?;
                note_index(frame, generator, Some(index), Some(&buckets.index));
                Stored::Buckets(buckets)
            }
            GeneratorKind::Reduce(reduce) => finish_reduce(frame, reduce, generator, sinks, pool)?,
        };
        stored.push(Arc::new(one));
    }
    Ok(stored)
}

/// The rows of all pieces in order, in chunks of some size.
fn collect(pieces: Vec<PieceRows>, types: &[DataType], form: Form, workers: Workers<'_>) -> Result<RowSet> {
    let mut batches: Vec<(usize, Vec<PieceRows>)> = Vec::new();
    for piece in pieces.into_iter().filter(|piece| piece.rows > 0) {
        match batches.last_mut() {
            Some((rows, batch)) if *rows + piece.rows <= CHUNK_ROWS => {
                *rows += piece.rows;
                batch.push(piece);
            }
            _ => batches.push((piece.rows, vec![piece])),
        }
    }
    let (rows, batches): (Vec<usize>, Vec<Vec<PieceRows>>) = batches.into_iter().unzip();
    // Each column of a chunk on its own: there may be fewer chunks than workers. With few rows none is worth waking.
    let few = rows.iter().sum::<usize>() < SHARED_ROWS;
    let makers = Workers { pool: workers.pool.filter(|_| !few), ..workers };
    let columns = batches
        .into_iter()
        .flat_map(|pieces| by_column(pieces, types.len(), workers.context))
        .zip(types.iter().cycle());
    let make = |((parts, mut held), &data_type): ((Vec<ColumnBuilder>, Reservation), &DataType)| {
        let column = ColumnBuilder::concat(parts);
        held.resize(column.bytes())?;
        let column = match form {
            Form::Narrow => column.into_column(data_type)?,
            Form::Plain => column.into_plain_column(data_type)?,
        };
        Ok((column, held))
    };
    let mut columns = makers.map(columns.collect(), make)?.into_iter();
    let chunks = rows.into_iter().map(|rows| {
        let mut all = Reservation::new(&workers.context.memory);
        let columns = columns.by_ref().take(types.len()).map(|(column, own)| {
            all.absorb(own);
            column
        });
        let mut chunk = Chunk::new(rows, columns.collect());
        chunk.reservation = Some(Arc::new(all));
        Arc::new(chunk)
    });
    Ok(RowSet::new(chunks.collect()))
}

/// The columns of some pieces: of each, its parts, and what these hold.
fn by_column(pieces: Vec<PieceRows>, width: usize, context: &Context) -> Vec<(Vec<ColumnBuilder>, Reservation)> {
    let empty = |_| (Vec::with_capacity(pieces.len()), Reservation::new(&context.memory));
    let mut columns: Vec<(Vec<ColumnBuilder>, Reservation)> = (0..width).map(empty).collect();
    for PieceRows { columns: parts, mut reservation, .. } in pieces {
        for ((column, held), part) in columns.iter_mut().zip(parts) {
            held.absorb(reservation.split(part.bytes()));
            column.push(part);
        }
    }
    columns
}

/// Puts the rows of pieces together.
fn append(pieces: Vec<PieceRows>, width: usize) -> (Vec<ColumnBuilder>, usize) {
    let mut pieces = pieces.into_iter();
    let Some(first) = pieces.next() else {
        return ((0..width).map(|_| ColumnBuilder::of_type(DataType::Null)).collect(), 0);
    };
    let (mut columns, mut rows) = (first.columns, first.rows);
    for piece in pieces {
        columns.iter_mut().zip(piece.columns).for_each(|(column, more)| column.append_all(more));
        rows += piece.rows;
    }
    (columns, rows)
}

/// As [`append`], a column a worker.
fn append_with(pieces: Vec<PieceRows>, width: usize, workers: Workers<'_>) -> Result<(Vec<ColumnBuilder>, usize)> {
    let rows = pieces.iter().map(|piece| piece.rows).sum();
    // What pieces hold counts until they are together.
    let columns = by_column(pieces, width, workers.context);
    let (columns, _held): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    Ok((concat_all(columns, workers)?, rows))
}

fn finish_top_k(
    plan: &TopKPlan,
    setup: &Setup,
    sinks: Vec<Sink<'_>>,
    pieces: Vec<PieceRows>,
    workers: Workers<'_>,
) -> Result<RowSet> {
    let types = &plan.types[plan.order.len()..];
    let (columns, rows) = if plan.order.is_empty() {
        let (columns, rows) = append(pieces, types.len());
        let kept: Vec<u32> = (setup.offset.min(rows) as u32..setup.keep.min(rows) as u32).collect();
        (columns.iter().map(|column| column.take(&kept)).collect(), kept.len())
    } else {
        let all = sinks.into_iter().map(Sink::into_top_k).collect::<Result<Vec<_>>>()?;
        top_k::finish(all, setup.offset, workers)?
    };
    RowSet::built(columns, types, rows, &workers.context.memory)
}

fn finish_reduce(
    frame: &Frame<'_>,
    plan: &ReducePlan,
    generator: usize,
    sinks: Vec<Sink<'_>>,
    pool: Option<&Pool>,
) -> Result<Stored> {
    let context = frame.shared.context;
    let workers = Workers { pool, context };
    let mut reducers: Vec<Reducer<'_>> = sinks.into_iter().map(Sink::into_reducer).collect::<Result<_>>()?;
    reducers.iter_mut().for_each(|reducer| {
        reducer.recall();
    });
    if reducers.iter().any(Reducer::is_partitioned) {
        frame.note(generator, || "partitioned".to_owned());
    }
    if plan.rows.keys_unread && reducers.iter().all(Reducer::can_index) {
        let found = finish::finish_index(reducers, workers)?;
        return groups_by_own_index(frame, plan, generator, found, workers);
    }
    stored_groups(frame, plan, generator, finish::finish(reducers, context, pool)?, workers)
}

/// The columns of finished groups; of a Reduce, which has its one group, as rows.
fn stored_groups(
    frame: &Frame<'_>,
    plan: &ReducePlan,
    generator: usize,
    (columns, rows): (Vec<ColumnBuilder>, usize),
    workers: Workers<'_>,
) -> Result<Stored> {
    if plan.key.is_none() {
        return Ok(Stored::Rows(RowSet::built(columns, &types(plan), rows, &workers.context.memory)?));
    }
    if plan.keys_read.contains(&false) {
        return Ok(Stored::Groups(groups_of_read_keys(plan, (columns, rows), workers)?));
    }
    Ok(Stored::Groups(index_groups(frame, plan, generator, (columns, rows), workers)?))
}

/// Finished groups of which some parts of the keys are not read, and are not there; whatever asks for one is a bug, and finds none.
fn groups_of_read_keys(
    plan: &ReducePlan,
    (columns, rows): (Vec<ColumnBuilder>, usize),
    workers: Workers<'_>,
) -> Result<Groups> {
    let all = types(plan);
    let is_read = |field: usize| plan.keys_read.get(field).is_none_or(|&is_read| is_read);
    let read: Vec<DataType> = (0..all.len()).filter(|&field| is_read(field)).map(|field| all[field]).collect();
    let mut rows = RowSet::built_by(columns, &read, rows, workers)?;
    let mut positions = 0..;
    let position = |field| if is_read(field) { positions.next().unwrap_or(u32::MAX) } else { u32::MAX };
    rows.fields = Some((0..all.len()).map(position).collect());
    Ok(Groups { rows, index: None, empty: empty(plan)? })
}

/// The types of the fields of groups.
fn types(plan: &ReducePlan) -> Vec<DataType> {
    let aggregates = plan.aggregates.iter().map(|aggregate| aggregate.kind.data_type);
    plan.key_types.iter().copied().chain(aggregates).collect()
}

/// Finished groups with an index, if somebody looks them up.
fn index_groups(
    frame: &Frame<'_>,
    plan: &ReducePlan,
    generator: usize,
    (mut columns, rows): (Vec<ColumnBuilder>, usize),
    workers: Workers<'_>,
) -> Result<Groups> {
    let index = if plan.index.is_some() {
        let keys = &columns[..plan.key_types.len()];
        let built = KeyIndex::build(keys, &plan.key_types, rows, &frame.shared.plan.limits, workers)?;
        if let Some(order) = &built.order {
            columns = builder::take_all(columns, order, workers)?;
        }
        Some(built.index)
    } else {
        None
    };
    let empty = empty(plan)?;
    let rows = RowSet::built_by(columns, &types(plan), rows, workers)?;
    note_index(frame, generator, plan.index.as_ref(), index.as_ref());
    Ok(Groups { rows, index, empty })
}

/// Notes what became of an index.
fn note_index(frame: &Frame<'_>, generator: usize, expected: Option<&Adaptive<IndexForm>>, index: Option<&KeyIndex>) {
    let (Some(expected), Some(index)) = (expected, index) else { return };
    debug_assert!(expected.allows(&index.form()), "{expected:?} becomes {:?}", index.form());
    frame.note(generator, || match index.codes() {
        Some(codes) => format!("an index: {:?}, {codes} codes", index.form()),
        None => format!("an index: {:?}", index.form()),
    });
}

/// What lookups that find nothing give.
fn empty(plan: &ReducePlan) -> Result<Vec<Value>> {
    let keys = plan.key_types.iter().map(|_| Ok(Value::Null));
    keys.chain(plan.aggregates.iter().map(|aggregate| aggregate.kind.empty())).collect()
}

/// Groups that are only looked up, with what they were numbered by as their index.
fn groups_by_own_index(
    frame: &Frame<'_>,
    plan: &ReducePlan,
    generator: usize,
    (index, columns, rows): (KeyIndex, Vec<ColumnBuilder>, usize),
    workers: Workers<'_>,
) -> Result<Stored> {
    note_index(frame, generator, plan.index.as_ref(), Some(&index));
    let types: Vec<DataType> = plan.aggregates.iter().map(|aggregate| aggregate.kind.data_type).collect();
    let mut rows = RowSet::built_by(columns, &types, rows, workers)?;
    // There are no columns of keys; whatever asks for one is a bug, and finds none.
    let keys = plan.key_types.iter().map(|_| u32::MAX);
    rows.fields = Some(keys.chain(0..types.len() as u32).collect());
    Ok(Stored::Groups(Groups { rows, index: Some(index), empty: empty(plan)? }))
}

/// Literal rows.
pub(crate) fn values(
    frame: &Frame<'_>,
    expressions: &Expressions,
    rows: &[Vec<ScalarId>],
    types: &[DataType],
) -> Result<Vec<Arc<Stored>>> {
    let mut tile = Tile::new(expressions, frame, frame.bindings());
    let mut columns: Vec<ColumnBuilder> = types.iter().map(|_| ColumnBuilder::of_type(DataType::Null)).collect();
    for row in rows {
        frame.check()?;
        for (&scalar, column) in row.iter().zip(&mut columns) {
            tile.evaluate(scalar)?;
            column.append(tile.vector(scalar));
        }
    }
    let rows = RowSet::built(columns, types, rows.len(), &frame.shared.context.memory)?;
    Ok(vec![Arc::new(Stored::Rows(rows))])
}
