//! A device in host memory that runs loops row by row, from the plan alone, and keeps what it makes: what tests put in a GPU's
//! place.
//!
//! It takes loops as a seed has it, declines some once they are to run, and keeps some results, hands back others as rows or as
//! partial groups (`fold_partial`). `data` are the collections that it reads, `evaluate` computes nodes, `nest` goes over the rows,
//! `generate` is what generators do with them, `keep` what it keeps.

mod data;
mod evaluate;
mod fold_partial;
mod generate;
mod keep;
mod nest;

#[cfg(test)]
pub(crate) use fold_partial::of_no_key;

use crate::backend::devices::Devices;
use crate::backend::inputs::Inputs;
use crate::backend::{Backend, Given, Outcome, Placement, Task};
use crate::plan::nodes::Operation;
use crate::plan::tree::{GeneratorKind, LoopPlan};
use crate::{ErrorKind, Result};
use keep::{Keeps, given};
use multiloop_planner::multiloop::CollectionId;
use nest::Rows;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Random numbers (xorshift), the same for a seed.
pub(crate) struct Random(u64);

impl Random {
    /// One below a limit.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The seed is in the high bits.
        (self.0 >> 32) % limit
    }
}

/// The device, and what it has done.
#[derive(Debug, Default)]
pub(crate) struct RowByRow {
    seed: u64,
    /// Loops that it ran.
    pub(crate) ran: AtomicUsize,
    /// Loops that it declined though they were placed on it.
    pub(crate) declined: AtomicUsize,
    /// Reductions of which it handed back partial groups.
    pub(crate) partial: AtomicUsize,
    /// Results that it kept.
    pub(crate) kept: AtomicUsize,
    /// Of these, those that its own loops read where they are.
    pub(crate) read: AtomicUsize,
}

impl Devices {
    /// One that runs loops row by row and keeps what it makes, for tests: all loops that it can with seed 0, else as the seed has it.
    #[doc(hidden)]
    pub fn row_by_row(seed: u64) -> Self {
        Devices::new([RowByRow::new(seed) as Arc<dyn Backend>])
    }
}

impl RowByRow {
    /// One that takes loops as this seed has it; with 0 all that it can.
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(RowByRow { seed, ..RowByRow::default() })
    }

    /// The same numbers for the same loop.
    fn random(&self, defines: &[CollectionId]) -> Random {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (self.seed << 32) ^ u64::from(defines[0].0 + 1));
        for _ in 0..4 {
            random.below(1);
        }
        random
    }

    fn run_loop(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Vec<Given>> {
        let mut random = self.random(task.defines);
        let kinds: Vec<&GeneratorKind> = task.of.generators.iter().map(|generator| &generator.kind).collect();
        let partial = |kind: &&GeneratorKind, random: &mut Random| {
            matches!(kind, GeneratorKind::Reduce(_)) && self.seed > 0 && random.below(3) == 0
        };
        let unfolded: Vec<bool> = kinds.iter().map(|kind| partial(kind, &mut random)).collect();
        let mut rows = Rows::new(*task, inputs, self.seed == 0 || random.below(2) == 0);
        let made = generate::run(&mut rows, &unfolded)?;
        self.read.fetch_add(rows.kept_read, Ordering::Relaxed);
        let hand_over = |(made, &kind): (generate::Made, &&GeneratorKind)| {
            if let (generate::Made::Offered(rows), GeneratorKind::Reduce(reduce)) = (&made, kind) {
                self.partial.fetch_add(1, Ordering::Relaxed);
                return fold_partial::fold(reduce, rows, inputs.context(), &mut random).map(Given::Partial);
            }
            if self.seed > 0 && random.below(3) == 0 {
                return given(kind, &made);
            }
            self.kept.fetch_add(1, Ordering::Relaxed);
            Ok(Given::Held(Arc::new(Keeps::new(kind.clone(), made, &inputs.context().memory)?)))
        };
        made.into_iter().zip(&kinds).map(hand_over).collect()
    }
}

impl Backend for RowByRow {
    fn name(&self) -> &str {
        "rows"
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        if let Some(why) = cannot(task.of) {
            return Placement::Declines(why.into());
        }
        if self.seed > 0 && self.random(task.defines).below(4) == 0 {
            return Placement::Declines("as chance has it".into());
        }
        Placement::Takes("it takes what it can".into())
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Outcome> {
        let mut random = self.random(task.defines);
        random.below(4);
        if self.seed > 0 && random.below(8) == 0 {
            self.declined.fetch_add(1, Ordering::Relaxed);
            return Ok(Outcome::Declined("as chance has it".into()));
        }
        match self.run_loop(task, inputs) {
            Ok(given) => {
                self.ran.fetch_add(1, Ordering::Relaxed);
                Ok(Outcome::Given(given))
            }
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Internal) => Err(error),
            Err(error) => {
                self.declined.fetch_add(1, Ordering::Relaxed);
                let is_full = error.kind() == ErrorKind::OutOfMemory;
                Ok(Outcome::Declined(if is_full { "it is out of memory" } else { "a row fails" }.into()))
            }
        }
    }
}

/// Why it cannot run a loop, if so.
fn cannot(of: &LoopPlan) -> Option<&'static str> {
    let nested =
        |of: &LoopPlan| of.expressions.nodes.iter().any(|node| matches!(node.operation, Operation::Nested { .. }));
    let captures = of.expressions.captures();
    if captures {
        Some("it runs for each row of a loop around it")
    } else if nested(of) || of.unmatched.as_deref().is_some_and(nested) {
        Some("a row asks a block")
    } else if of.expressions.is_volatile() {
        Some("something differs each time")
    } else {
        None
    }
}
