//! Evaluates window functions over pieces of the sorted rows, by all workers.

use super::results::{FunctionResult, Origin, PieceResult};
use super::sorted::Sorted;
use super::{aggregates, general, places, pointers};
use crate::cpu::vector::builder::{ColumnBuilder, concat_all, copy_all};
use crate::workers::context::{Context, Reservation};
use crate::workers::schedule::Workers;
use crate::{Error, Result};
use multiloop_planner::multiloop::{Reduction, WindowCallee, WindowField};
use multiloop_planner::types::DataType;
use multiloop_planner::window::{Exclude, Frame, FrameBound, FrameUnit, WindowFunction};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;

/// A function and what it takes.
struct Task<'a> {
    field: &'a WindowField,
    /// The argument of an aggregate, in order.
    argument: Option<&'a ColumnBuilder>,
    argument_type: Option<DataType>,
    /// What the arguments of a function that gives the value of another row are in all rows.
    arguments: Option<pointers::Arguments>,
    /// Whether it needs whole partitions.
    whole: bool,
}

/// The results of all functions.
pub(super) fn evaluate(
    sorted: &Sorted<'_>,
    functions: &[WindowField],
    scratch: &mut Reservation,
    workers: Workers<'_>,
) -> Result<Vec<FunctionResult>> {
    let in_order = in_order(sorted, functions, scratch, workers)?;
    let rows = sorted.rows.len();
    let piece_rows = workers.piece_rows(rows);
    let mut tasks = Vec::with_capacity(functions.len());
    for field in functions {
        let argument_type = field.taken().first().map(|&argument| sorted.types[argument as usize]);
        let bytes = general::row_bytes(field, argument_type);
        scratch.add(rows * bytes)?;
        let argument = field.taken().first().and_then(|argument| in_order.get(argument)).map(AsRef::as_ref);
        let arguments = match field.function {
            WindowCallee::Function(function) if !function.is_place() && function != WindowFunction::Ntile => {
                Some(pointers::Arguments::of(function, field, sorted))
            }
            _ => None,
        };
        let whole = needs_whole_partitions(field, piece_rows);
        tasks.push(Task { field, argument, argument_type, arguments, whole });
    }
    let pieces = [false, true].map(|whole| sorted.layout.pieces(piece_rows, whole));
    let of = |task: &Task<'_>| pieces[usize::from(task.whole)].clone();
    let work: Vec<(&Task<'_>, Range<usize>)> =
        tasks.iter().flat_map(|task| of(task).into_iter().map(move |rows| (task, rows))).collect();
    let mut said = workers.map(work, |(task, rows)| task.run(sorted, rows, workers.context))?.into_iter();
    let (mut all, mut columns) = (Vec::with_capacity(tasks.len()), Vec::new());
    for task in &tasks {
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        for said in said.by_ref().take(pieces[usize::from(task.whole)].len()) {
            match said {
                PieceResult::Values(column) => values.push(column),
                PieceResult::Rows(numbers) => rows.push(numbers),
            }
        }
        let points = !rows.is_empty();
        let rows = copy_all(rows.iter().map(Vec::as_slice).collect(), workers)?;
        columns.push(values);
        all.push(points.then_some((rows, task.field)));
    }
    let columns = concat_all_parts(columns, workers)?;
    let made = all.into_iter().zip(columns).map(|(rows, column)| {
        let Some((rows, field)) = rows else { return Ok(FunctionResult::Values(column)) };
        let of = pointers::origin(field, sorted);
        if let Origin::Column(column) = &of {
            scratch.add(column.bytes())?;
        }
        Ok(FunctionResult::Rows { rows, of })
    });
    made.collect()
}

/// As [`concat_all`] of columns of which some have no parts.
fn concat_all_parts(columns: Vec<Vec<ColumnBuilder>>, workers: Workers<'_>) -> Result<Vec<ColumnBuilder>> {
    columns.into_iter().try_fold(Vec::new(), |mut all, parts| {
        all.append(&mut concat_all(vec![parts], workers)?);
        Ok(all)
    })
}

/// The arguments of aggregates, in order.
fn in_order<'a>(
    sorted: &Sorted<'a>,
    functions: &[WindowField],
    scratch: &mut Reservation,
    workers: Workers<'_>,
) -> Result<FxHashMap<u32, Cow<'a, ColumnBuilder>>> {
    let mut all = FxHashMap::default();
    let aggregates = functions.iter().filter(|field| matches!(field.function, WindowCallee::Aggregate(_)));
    for &field in aggregates.flat_map(|field| field.taken()) {
        if all.contains_key(&field) {
            continue;
        }
        let column = sorted.column(field);
        if sorted.rows.is_sorted() {
            all.insert(field, Cow::Borrowed(column));
            continue;
        }
        scratch.add(column.bytes())?;
        let pieces = sorted.rows.chunks(workers.piece_rows(sorted.rows.len())).collect();
        let parts = workers.map(pieces, |rows: &[u32]| Ok(column.take(rows)))?;
        all.insert(field, Cow::Owned(concat_all(vec![parts], workers)?.pop().unwrap_or_else(|| column.clone())));
    }
    Ok(all)
}

/// Whether what a function says of rows takes longer to find out where its partition is cut.
fn needs_whole_partitions(field: &WindowField, piece_rows: usize) -> bool {
    let Frame { exclude, ignore_nulls, .. } = field.frame;
    if field.frame.arity() > 0 || ignore_nulls || matches!(exclude, Exclude::Group | Exclude::Ties) {
        return true;
    }
    match field.function {
        WindowCallee::Function(function) => function == WindowFunction::Ntile,
        WindowCallee::Aggregate(Reduction::CountRows) => false,
        WindowCallee::Aggregate(_) => {
            let is_near = |bound| match bound {
                FrameBound::First | FrameBound::Last => false,
                FrameBound::BeforeArgument(_) | FrameBound::BehindArgument(_) | FrameBound::Key(_) => false,
                FrameBound::Current => true,
                FrameBound::Before(rows) | FrameBound::Behind(rows) => rows < piece_rows as u64 / 4,
            };
            field.frame.unit != FrameUnit::Rows || !is_near(field.frame.start) || !is_near(field.frame.end)
        }
    }
}

impl Task<'_> {
    fn run(&self, sorted: &Sorted<'_>, rows: Range<usize>, context: &Context) -> Result<PieceResult> {
        let field = self.field;
        match &field.function {
            WindowCallee::Function(function) if function.is_place() => {
                Ok(PieceResult::Values(places::place(*function, sorted.layout, rows)))
            }
            WindowCallee::Function(WindowFunction::Ntile) => {
                places::ntile(field, sorted, rows).map(PieceResult::Values)
            }
            WindowCallee::Function(function) => {
                let arguments = self.arguments.ok_or_else(|| Error::internal("the arguments of a function"))?;
                pointers::pointers(*function, (field, arguments), sorted, rows).map(PieceResult::Rows)
            }
            WindowCallee::Aggregate(reduction) => {
                let argument = self.argument.zip(self.argument_type);
                aggregates::aggregate((field, reduction), argument, sorted, rows, context)
            }
        }
    }
}
