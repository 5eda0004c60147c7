//! Loops whose unmatched rows are wanted: of right and full joins, and of left joins that go over the larger side.
//!
//! The loop itself runs first, and notes which rows of the side with buckets it finds. Then a second loop goes over the others. What both
//! make is put together on the host: groups are merged there, as those of workers are, and rows of the second follow those of the first.

use super::backend::{brought, check_order_of_groups, given_of, held, reduce, wanted};
use super::device::Device;
use super::groups::finished::Finish;
use super::lower::Reads;
use super::rows::{NO_TUPLE, collect};
use super::stop::{Done, Stop, decline};
use crate::backend::inputs::Inputs;
use crate::backend::{Given, Task};
use crate::collections::rows::RowSet;
use crate::partial::order::put_behind;
use crate::plan::tree::{GeneratorKind, GeneratorPlan, LoopPlan};

/// Whether what a loop makes can be put together.
pub(super) fn check(of: &LoopPlan) -> Done<()> {
    for generator in &of.generators {
        match &generator.kind {
            GeneratorKind::TopK(_) => return decline("the first rows of two loops"),
            GeneratorKind::Reduce(plan) if Finish::of(plan).is_some() => {
                return decline("groups of two loops that cannot be merged");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Runs both loops.
pub(super) fn run(
    (task, rest): (&Task<'_>, &LoopPlan),
    inputs: &dyn Inputs,
    device: &Device,
    reads: &Reads,
) -> Done<Vec<Given>> {
    let mut given: Vec<Option<Given>> = rest.generators.iter().map(|_| None).collect();
    for task in [task, &Task { of: rest, ..*task }] {
        run_one((task, inputs), device, reads, &mut given)?;
    }
    given.into_iter().map(|given| given.map_or_else(|| decline(NO_TUPLE), Ok)).collect()
}

/// Runs one of them, and adds what it makes.
fn run_one(
    (task, inputs): (&Task<'_>, &dyn Inputs),
    device: &Device,
    reads: &Reads,
    given: &mut [Option<Given>],
) -> Done<()> {
    let is_reduce = |(_, generator): &(usize, &GeneratorPlan)| matches!(generator.kind, GeneratorKind::Reduce(_));
    let reduces: Vec<(usize, &GeneratorPlan)> = task.of.generators.iter().enumerate().filter(is_reduce).collect();
    if !reduces.is_empty() {
        for (fold, (at, _)) in reduce((task, inputs), device, reads, &reduces)?.into_iter().zip(&reduces) {
            if let Some(keys) = fold.keys() {
                reads.keys.borrow_mut().insert(*at, keys);
            }
            add(&mut given[*at], given_of(device, fold), inputs)?;
        }
    }
    for (at, generator) in task.of.generators.iter().enumerate() {
        let Some(wanted) = wanted(generator) else { continue };
        check_order_of_groups(task, inputs)?;
        let made = collect((task, inputs), device, reads, &wanted);
        reads.check_rows()?;
        let made = made.and_then(|made| held((task, at), device, &generator.kind, made));
        add(&mut given[at], made, inputs)?;
    }
    inputs.context().check()?;
    Ok(())
}

/// Adds what a loop has made to what the one before has made, on the host.
fn add(to: &mut Option<Given>, made: Done<Given>, inputs: &dyn Inputs) -> Done<()> {
    let made = match made {
        Ok(made) => brought(made, inputs).map_err(Stop::Failed)?,
        Err(Stop::Declined(why)) if why == NO_TUPLE => return Ok(()),
        Err(stop) => return Err(stop),
    };
    *to = Some(match (to.take(), made) {
        (None, made) => made,
        (Some(Given::Partial(mut groups)), Given::Partial(more)) => {
            put_behind(&mut groups, more);
            Given::Partial(groups)
        }
        (Some(Given::Rows(rows)), Given::Rows(more)) => Given::Rows(joined(&rows, &more)),
        (Some(Given::Members(rows)), Given::Members(more)) => Given::Members(joined(&rows, &more)),
        _ => return decline("bug: results of two kinds"),
    });
    Ok(())
}

/// Rows behind others.
fn joined(rows: &RowSet, more: &RowSet) -> RowSet {
    let chunks = rows.chunks.iter().chain(more.chunks.iter()).cloned().collect();
    RowSet { rows: rows.rows + more.rows, ..RowSet::new(chunks) }
}
