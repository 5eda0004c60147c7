//! The cards of this machine, opened when a program may use them first, and which programs may.

use crate::backend::devices::Devices;
use crate::plan::{Machine, Plan};
use multiloop_planner::multiloop::Program;
use std::sync::OnceLock;

/// What programs may run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceUse {
    /// Cards, where programs read much.
    #[default]
    Auto,
    /// The processors alone.
    Cpu,
    /// Cards, whatever programs read.
    Gpu,
}

/// Rows of all tables of a program from which on a card is worth a look: below, the processors are done before a card has begun.
const ROWS_MIN: u64 = 1 << 21;

/// Rows of a table that devices leave to the processors, at most, for a plan to be theirs.
const ROWS_LEFT: u64 = 1 << 19;

/// What may run loops beside the processors.
#[derive(Debug, Default)]
pub struct Cards {
    given: Devices,
    none: Devices,
    opened: OnceLock<Result<Devices, String>>,
}

impl DeviceUse {
    /// By its name in settings.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(DeviceUse::Auto),
            "cpu" => Some(DeviceUse::Cpu),
            "gpu" => Some(DeviceUse::Gpu),
            _ => None,
        }
    }
}

impl Cards {
    /// These devices instead of the machine's cards, if there is one.
    pub fn of(given: Devices) -> Self {
        Cards { given, ..Cards::default() }
    }

    /// What a program may run on beside the processors.
    pub fn devices(&self, uses: DeviceUse, program: &Program) -> &Devices {
        let rows = || program.tables().map(|(_, _, statistics)| statistics.rows).fold(0, u64::saturating_add);
        match uses {
            DeviceUse::Cpu => &self.none,
            _ if !self.given.is_empty() => &self.given,
            DeviceUse::Auto if rows() < ROWS_MIN => &self.none,
            DeviceUse::Auto | DeviceUse::Gpu => self.open().unwrap_or(&self.none),
        }
    }

    /// How a program runs.
    ///
    /// # Errors
    /// 0A000 of a value that no column holds.
    pub fn plan(&self, uses: DeviceUse, program: &Program, machine: Machine) -> crate::Result<Plan> {
        let plan = self.devices(uses, program).plan(program, machine)?;
        // Where the processors have to read much anyhow, they are as fast with the rest.
        match uses == DeviceUse::Auto && self.given.is_empty() && plan.leaves_rows(ROWS_LEFT) {
            true => self.none.plan(program, machine),
            false => Ok(plan),
        }
    }

    /// Why there is no device, if there is none.
    pub fn why_none(&self) -> Option<&str> {
        if self.given.is_empty() { self.open().err() } else { None }
    }

    /// The machine's cards; why they cannot be used, if they cannot.
    ///
    /// # Errors
    /// The reason, for people.
    pub fn open(&self) -> Result<&Devices, &str> {
        self.opened.get_or_init(Devices::cards).as_ref().map_err(String::as_str)
    }
}

/// What is known of this machine's cards, for people: names, and what there is to say.
pub fn about_cards() -> Vec<(String, String)> {
    #[cfg(feature = "gpu")]
    return crate::gpu::devices::about();
    #[cfg(not(feature = "gpu"))]
    vec![("cards".to_owned(), Devices::cards().err().unwrap_or_default())]
}
