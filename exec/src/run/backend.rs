//! The seam for devices: what runs whole loops beside the processors.

use crate::Result;
use crate::collections::given::{Given, Inputs};
use crate::plan::tree::LoopPlan;
use multiloop_planner::multiloop::CollectionId;

/// What can run loops of a plan. It knows no other backend: it reads what a loop needs through [`Inputs`], and hands back a
/// collection for each generator.
pub(crate) trait Backend: Sync {
    /// What it is called where runs are explained.
    fn name(&self) -> &str;

    /// Whether it takes a loop, which defines these collections and reads no row around it. Asked for each run of a loop; a
    /// loop that nobody takes is the processors'.
    fn takes(&self, defines: &[CollectionId], plan: &LoopPlan) -> bool;

    /// Runs a loop: what each of its generators gave, in order. Errors are the statement's, as [`run`](super::run) has them.
    fn run(&self, defines: &[CollectionId], plan: &LoopPlan, inputs: &dyn Inputs) -> Result<Vec<Given>>;
}
