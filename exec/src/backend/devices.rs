//! The devices of an engine.

use crate::Result;
use crate::backend::{Backend, Placement, Task};
use crate::plan::choice::Choice;
use crate::plan::placement::Placer;
use crate::plan::tree::Device;
use crate::plan::{Machine, Plan};
use multiloop_planner::multiloop::Program;
use std::fmt;
use std::sync::Arc;

/// What runs loops beside the processors: some backends, the first of which that takes a loop gets it. Clones share them.
#[derive(Clone, Default)]
pub struct Devices(Arc<[Arc<dyn Backend>]>);

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|device| device.name())).finish()
    }
}

impl Devices {
    /// These, asked in this order.
    pub(crate) fn new(devices: impl IntoIterator<Item = Arc<dyn Backend>>) -> Self {
        Devices(devices.into_iter().collect())
    }

    /// The cards of this machine.
    ///
    /// # Errors
    /// The reason why there is none, for people.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn cards() -> std::result::Result<Self, String> {
        Err("this program was built without the feature \"gpu\"".to_owned())
    }

    /// Whether the processors are alone.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The device of a number in a plan.
    pub(crate) fn get(&self, device: Device) -> Option<&dyn Backend> {
        match device {
            Device::Host => None,
            Device::Other(number) => self.0.get(number as usize).map(|device| &**device),
        }
    }

    /// As [`plan`](crate::plan::plan), where these may take loops.
    ///
    /// # Errors
    /// 0A000 of a value that no column holds.
    pub fn plan(&self, program: &Program, machine: Machine) -> Result<Plan> {
        let placer: Option<&dyn Placer> = if self.is_empty() { None } else { Some(self) };
        crate::plan::compile::plan_with(program, machine, placer)
    }
}

impl Placer for Devices {
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|device| device.name().to_owned()).collect()
    }

    fn place(&self, task: &Task<'_>) -> Choice<Device> {
        let mut reasons = Vec::new();
        for (number, device) in (0..).zip(self.0.iter()) {
            match device.place(task) {
                Placement::Takes(why) => return Choice::new(Device::Other(number), why),
                Placement::Declines(why) => reasons.push(format!("{} declines: {why}", device.name())),
            }
        }
        Choice::new(Device::Host, reasons.join("; "))
    }
}
