//! The seam for devices: what runs whole loops beside the processors.
//!
//! A backend knows no other one: it reads what a loop needs through [`Inputs`](inputs::Inputs), and hands back what
//! [`Given`] says, rows or partial groups. It keeps what it makes in forms of its own (`cpu/collections` has indexes), and
//! whatever follows does not know where a loop ran.

pub(crate) mod given;
pub(crate) mod inputs;

use crate::Result;
use crate::plan::tree::LoopPlan;
use given::Given;
use inputs::Inputs;
use multiloop_planner::multiloop::CollectionId;

/// What can run loops of a plan.
pub(crate) trait Backend: Sync {
    /// What it is called where runs are explained.
    fn name(&self) -> &str;

    /// Whether it takes a loop, which defines these collections and reads no row around it. Asked for each run of a loop; a
    /// loop that nobody takes is the processors'.
    fn takes(&self, defines: &[CollectionId], plan: &LoopPlan) -> bool;

    /// Runs a loop: what each of its generators gave, in order.
    ///
    /// # Errors
    /// The statement's: overflow and other errors of its rows, the memory limit (53200), cancellation (57014).
    fn run(&self, defines: &[CollectionId], plan: &LoopPlan, inputs: &dyn Inputs) -> Result<Vec<Given>>;
}
