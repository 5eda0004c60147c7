//! The seam for devices: what runs whole loops beside the processors.
//!
//! A backend knows no other one: it is given a let of a plan ([`Task`]), reads what the loop needs through
//! [`Inputs`](inputs::Inputs), and hands back what [`Given`] says: rows, partial groups, or something that it
//! [keeps](Held). Whatever follows does not know where a loop ran.
//!
//! It may decline, with a reason: when the plan is made ([`Backend::place`]), and during the run. Then the processors run the
//! loop, and raise the errors of its rows. [`Devices`](devices::Devices) are those of an engine.

pub(crate) mod devices;
pub(crate) mod inputs;

pub(crate) use crate::collections::given::Given;
pub(crate) use crate::collections::held::Held;
pub(crate) use crate::plan::placement::{Placement, Task};

use crate::Result;
use crate::column::Table;
use inputs::Inputs;
use std::borrow::Cow;

/// What can run loops of a plan.
pub(crate) trait Backend: Send + Sync {
    /// What it is called where plans and runs are explained.
    fn name(&self) -> &str;

    /// Whether it would run a loop of the body, which reads no row around it, and why. Asked when a plan is made, of a plan for
    /// the processors alone: where it takes loops, what crosses between it and the host is planned once more.
    fn place(&self, task: &Task<'_>) -> Placement;

    /// Runs a loop.
    ///
    /// # Errors
    /// The statement's: cancellation (57014), the memory limit of the host (53200). Whatever else goes wrong is a reason to decline.
    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Outcome>;

    /// Begins to get ready for loops that will come, whatever they are; nobody waits.
    fn prepare(&self) {}

    /// What it has done beside running loops since the start, in such runs as another one of the same may not have.
    fn besides(&self) -> Besides {
        Besides::default()
    }

    /// Whether it gets ready for loops that it has declined for that.
    fn is_preparing(&self) -> bool {
        false
    }

    /// How many bytes would have to come to it before it runs a loop over these columns of a table.
    fn missing(&self, _table: &Table, _columns: &[u32]) -> u64 {
        0
    }
}

/// What a backend has done beside running loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Besides {
    /// Bytes that came to it.
    pub(crate) uploaded: u64,
    /// Kernels that it did not have.
    pub(crate) missed: u64,
}

/// What became of a loop.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// What each of its generators gave, in order.
    Given(Vec<Given>),
    /// Nothing, for this reason; the processors run it.
    Declined(Cow<'static, str>),
}
