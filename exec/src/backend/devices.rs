//! The devices of an engine.

use crate::Result;
use crate::backend::{Backend, Besides, Placement, Task};
use crate::column::Table;
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

    /// The cards of this machine: for statements that wait until code is compiled for them, and for those that do not.
    ///
    /// # Errors
    /// The reason why there is none, for people.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn cards() -> std::result::Result<[Self; 2], String> {
        Err("this program was built without the feature \"gpu\"".to_owned())
    }

    /// Whether there is something to open cards with.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn may_have_cards() -> bool {
        false
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

    /// What the first is called.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn name(&self) -> &str {
        self.0.first().map_or("", |device| device.name())
    }

    /// What all of them have done beside running loops.
    pub(crate) fn besides(&self) -> Besides {
        self.0.iter().map(|device| device.besides()).fold(Besides::default(), |all, each| Besides {
            uploaded: all.uploaded + each.uploaded,
            missed: all.missed + each.missed,
        })
    }

    /// Has all of them begin to get ready for loops.
    pub(crate) fn prepare(&self) {
        self.0.iter().for_each(|device| device.prepare());
    }

    /// Whether one gets ready for loops that it has declined for that.
    pub(crate) fn are_preparing(&self) -> bool {
        self.0.iter().any(|device| device.is_preparing())
    }

    /// Bytes of columns of a table that the first does not have.
    pub(crate) fn missing(&self, table: &Table, columns: &[u32]) -> u64 {
        self.0.first().map_or(0, |device| device.missing(table, columns))
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
