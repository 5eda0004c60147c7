//! The ways in which a program is run: with limits within the reach of small tables, and those of large ones; by one worker and
//! by several; with rows that are made while they are handed out; with a device that takes some loops.

use super::super::{Outcome, Random, context, values_of};
use super::met::Met;
use super::write::parameters;
use crate::backend::Backend;
use crate::backend::devices::Devices;
use crate::column::Table;
use crate::plan::{Limits, Machine};
use crate::row_device::RowByRow;
use crate::run::{Body, run_with, stream_plan};
use crate::workers::pool::Pool;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::Program;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::rewrite::{LAST_RULES, RULES, RewriteOptions, rewrite};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Workers, at most.
const WORKERS_MAX: usize = 4;

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    limits: Limits,
    workers: usize,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    /// To the end.
    Whole,
    /// Row by row, wherever that is possible.
    Streamed,
    /// With a device that takes loops as this seed has it.
    Shared(u64),
    /// After all rules, or all but one.
    Rewritten(Option<&'static str>),
}

/// Pools of 1 to [`WORKERS_MAX`] workers.
pub(super) fn pools() -> Vec<Arc<Pool>> {
    (1..=WORKERS_MAX).map(|workers| Arc::new(Pool::new(workers).expect("threads start"))).collect()
}

/// Five ways: by one worker, by several, row by row, with a device, and after rules.
pub(super) fn random_ways(random: &mut Random) -> Vec<Way> {
    let limits = random_limits(random);
    let mut workers = || 1 + random.below(WORKERS_MAX as u64) as usize;
    let (several, streams, shares) = (workers().max(2), workers(), workers());
    let (other, seed) = (random_limits(random), random.below(1 << 16));
    let without =
        RULES.iter().chain(LAST_RULES).nth(random.below(2 * RULES.len() as u64) as usize).map(|rule| rule.name);
    vec![
        Way { limits, workers: 1, how: How::Whole },
        Way { limits, workers: several, how: How::Whole },
        Way { limits, workers: streams, how: How::Streamed },
        Way { limits: other, workers: shares, how: How::Shared(seed) },
        Way { limits: other, workers: shares, how: How::Rewritten(without) },
    ]
}

fn random_limits(random: &mut Random) -> Limits {
    let mut one = |of: [u64; 3]| of[random.below(3) as usize];
    Limits {
        few_codes: one([0, 6, 1 << 12]),
        dense_numbers_max: one([0, 1 << 8, 1 << 21]),
        rows_per_dense_code: one([1, 2, 4]),
        direct_codes_per_row: one([1, 4, 64]),
        direct_codes_max: one([0, 1 << 8, 1 << 26]),
        set_codes_per_row: one([1, 16, 1 << 10]),
        set_codes_max: one([0, 1 << 8, 1 << 30]),
        near_codes: one([0, 12, 1 << 12]),
        direct_index_max: one([0, 1 << 6, 1 << 16]),
        ranked_codes: one([0, 1 << 8, 1 << 24]),
        ranked_codes_often: one([0, 1 << 6, 1 << 16]),
        ranked_codes_per_row: one([1, 8, 1 << 11]),
        first_pieces: one([1, 2, 16]) as usize,
        gated_rows: one([1, 6, 1 << 15]),
    }
}

impl Way {
    /// Whether it may lose errors: of what nothing reads, or nobody asks for.
    pub(super) fn may_not_fail(&self) -> bool {
        matches!(self.how, How::Rewritten(_)) || self.limits.gated_rows < 1 << 15
    }

    /// Whether its rows are in the order in which other ways with such limits have them.
    pub(super) fn is_ordered(&self) -> bool {
        matches!(self.how, How::Whole | How::Streamed)
    }

    /// What a program gives; and what it meets on its way is counted.
    pub(super) fn run(&self, program: &Program, tables: &[Arc<Table>], pools: &[Arc<Pool>], met: &mut Met) -> Outcome {
        let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
        let (pool, parameters) = (&pools[self.workers - 1], parameters());
        let device = if let How::Shared(seed) = self.how { Some(RowByRow::new(seed)) } else { None };
        let devices = Devices::new(device.iter().map(|device| Arc::clone(device) as Arc<dyn Backend>));
        let program = &self.rewritten(program, met);
        let plan = devices.plan(program, Machine { limits: self.limits, workers: self.workers })?;
        met.plan(&plan);
        let output = match self.how {
            How::Streamed => {
                met.count("streams", usize::from(plan.streams.of));
                return values_of(stream_plan(&Arc::new(plan), &lookup, &parameters, &context(), (pool, &devices))?);
            }
            How::Whole | How::Rewritten(_) => {
                let body = Body { pool, devices: &devices, takes_notes: true };
                run_with(&plan, &lookup, &parameters, &context(), body)?
            }
            How::Shared(seed) if seed % 4 == 1 => {
                met.count("streams beside a device", usize::from(plan.streams.of));
                return values_of(stream_plan(&Arc::new(plan), &lookup, &parameters, &context(), (pool, &devices))?);
            }
            How::Shared(_) => {
                let body = Body { pool, devices: &devices, takes_notes: true };
                let output = run_with(&plan, &lookup, &parameters, &context(), body);
                if let Some(device) = &device {
                    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
                    met.count("partial groups of a device", count(&device.partial));
                    met.count("results that a device keeps", count(&device.kept));
                    met.count("kept results that a device reads", count(&device.read));
                    met.count("loops that a device declines", count(&device.declined));
                }
                output?
            }
        };
        met.notes(output.statistics(program).iter().flat_map(|each| &each.notes).map(|(_, note)| note.as_str()));
        met.count("chunks pruned", output.statistics(program).iter().filter(|each| each.chunks_pruned > 0).count());
        values_of(output)
    }

    /// The text of the program that is run, if rules have changed it, and end.
    pub(super) fn shown_rewritten(&self, program: &Program) -> Option<String> {
        let shown = || print(&self.rewritten(program, &mut Met::default()));
        matches!(self.how, How::Rewritten(_)).then(|| catch_unwind(AssertUnwindSafe(shown)).ok()).flatten()
    }

    /// The program that is run.
    fn rewritten(&self, program: &Program, met: &mut Met) -> Program {
        let mut program = program.clone();
        if let How::Rewritten(without) = self.how {
            let without = without.into_iter().map(str::to_owned).collect();
            let fired = rewrite(&mut program, &RewriteOptions { without, ..RewriteOptions::default() });
            fired.iter().for_each(|fired| met.count(format!("rule: {}", fired.rule), 1));
        }
        program
    }
}
