//! The cards of this machine: when they are opened, and which programs run on them.
//!
//! A statement's setting `device` is a [`DeviceUse`]. Where it says `gpu`, cards are opened, code is compiled, and columns are brought
//! there, and the statement waits for all of it. Where it says `auto` nobody waits: small programs never get here; others run on the
//! processors while cards are opened, by a thread of its own once the processors have had to do enough (`opening`); and on the side that
//! is better by what is known of such programs (`experience`), or, before it is known, by an estimate (`rates`). A loop whose code has to
//! be compiled is the processors' that time.
//!
//! [`Cards::choose`] says how a program runs now, with its plan, of which [`Plans`] keeps one for each side. Who has run it says how
//! long that took ([`Chosen::learn`]): the run alone, not what a client took to read the rows.

mod experience;
mod opening;
mod rates;
#[cfg(test)]
mod tests;

pub use rates::Rates;

use crate::backend::Besides;
use crate::backend::devices::Devices;
use crate::column::Table;
use crate::plan::{Machine, Plan};
use experience::{Decision, Experience, Reason, Seconds, Side};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{Program, Scalar, ScalarId, Shape};
use opening::{Opened, Opening};
use rates::Estimate;
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What programs may run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceUse {
    /// The processors or cards, whichever is better.
    #[default]
    Auto,
    /// The processors alone.
    Cpu,
    /// Cards, whatever programs read.
    Gpu,
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

/// Rows of all tables of a program from which on a card is worth a look: below, the processors are done before a card has begun.
const ROWS_MIN: u64 = 1 << 16;

/// Rows of a table that lies in a file from which on a program is the processors': a card reads no files.
const ROWS_IN_FILE: u64 = 1 << 12;

/// What may run loops beside the processors.
#[derive(Debug, Default)]
pub struct Cards {
    given: Devices,
    none: Devices,
    opening: Opening,
    experience: Mutex<Experience>,
}

/// How a program runs on either side, as far as somebody has asked; an engine has one machine.
#[derive(Debug, Default)]
pub struct Plans {
    processors: OnceLock<Arc<Plan>>,
    card: OnceLock<Arc<Plan>>,
    /// By what the program is known.
    key: OnceLock<u64>,
}

/// How a program runs now.
#[derive(Debug)]
pub struct Chosen<'c> {
    /// The plan.
    pub plan: &'c Arc<Plan>,
    /// What it is made for.
    pub devices: &'c Devices,
    why: Why,
    /// What is learnt from it, if anything is: the program, and what devices had done before.
    lesson: Option<(&'c Mutex<Experience>, u64, Decision, Besides)>,
}

/// Why it runs so.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Why {
    /// The setting says so, or there is no card.
    Asked,
    FewRows,
    Files,
    /// Cards are not open yet.
    NotOpen,
    /// No loop is for the card.
    NoLoop,
    Weighed(Decision),
}

impl Plans {
    fn processors(&self, program: &Program, machine: Machine) -> crate::Result<&Arc<Plan>> {
        planned(&self.processors, &Devices::default(), program, machine)
    }

    fn card(&self, devices: &Devices, program: &Program, machine: Machine) -> crate::Result<&Arc<Plan>> {
        planned(&self.card, devices, program, machine)
    }

    /// One of them that somebody has asked for.
    pub fn any(&self) -> Option<&Arc<Plan>> {
        self.processors.get().or_else(|| self.card.get())
    }
}

/// A plan, made the first time.
fn planned<'k>(
    kept: &'k OnceLock<Arc<Plan>>,
    devices: &Devices,
    program: &Program,
    machine: Machine,
) -> crate::Result<&'k Arc<Plan>> {
    if let Some(plan) = kept.get() {
        return Ok(plan);
    }
    let plan = Arc::new(devices.plan(program, machine)?);
    Ok(kept.get_or_init(|| plan))
}

/// The rows of all tables of a program.
fn rows(program: &Program) -> u64 {
    program.tables().map(|(_, _, statistics)| statistics.rows).fold(0, u64::saturating_add)
}

/// The snapshots that a program's handles stand for, if there are some.
type Tables<'a> = &'a dyn Fn(TableHandle) -> Option<Arc<Table>>;

impl Cards {
    /// These devices instead of the machine's cards, if there is one.
    pub fn of(given: Devices) -> Self {
        Cards { given, ..Cards::default() }
    }

    /// Makes the plans that a program may run by.
    ///
    /// # Errors
    /// 0A000 of a value that no column holds.
    pub fn plan(&self, uses: DeviceUse, (program, plans): (&Program, &Plans), machine: Machine) -> crate::Result<()> {
        let devices = match uses {
            DeviceUse::Cpu => None,
            _ if !self.given.is_empty() => Some(&self.given),
            DeviceUse::Auto if rows(program) < ROWS_MIN => None,
            DeviceUse::Auto => self.opening.now().and_then(|opened| opened.as_ref().ok()).map(|opened| &opened.hasty),
            DeviceUse::Gpu => self.opening.wait().as_ref().ok().map(|opened| &opened.patient),
        };
        // Where it is known which side is the better one, the other plan is made when it is tried.
        let better = match (uses, devices) {
            (DeviceUse::Auto, Some(_)) if self.given.is_empty() => {
                let key = *plans.key.get_or_init(|| key(program, machine));
                let mut known = self.experience.lock().unwrap_or_else(PoisonError::into_inner);
                known.get(key).and_then(|known| known.better())
            }
            _ => None,
        };
        if let Some(devices) = devices.filter(|_| better != Some(Side::Processors)) {
            plans.card(devices, program, machine)?;
        }
        if devices.is_none() || (uses == DeviceUse::Auto && better != Some(Side::Card)) {
            plans.processors(program, machine)?;
        }
        Ok(())
    }

    /// How a program runs now.
    ///
    /// # Errors
    /// 0A000 of a value that no column holds.
    pub fn choose<'c>(
        &'c self,
        uses: DeviceUse,
        (program, plans): (&Program, &'c Plans),
        machine: Machine,
        tables: Tables<'_>,
    ) -> crate::Result<Chosen<'c>> {
        let is_open = matches!(self.opening.now(), Some(Ok(_)));
        let on_processors = |why| {
            let plan = plans.processors(program, machine)?;
            // Where there is no card nobody asks why it is not used.
            let why = if is_open || why == Why::NotOpen { why } else { Why::Asked };
            Ok(Chosen { plan, devices: &self.none, why, lesson: None })
        };
        let on = |devices: &'c Devices| {
            let plan = plans.card(devices, program, machine)?;
            Ok(Chosen { plan, devices, why: Why::Asked, lesson: None })
        };
        match uses {
            DeviceUse::Cpu => on_processors(Why::Asked),
            _ if !self.given.is_empty() => on(&self.given),
            DeviceUse::Gpu => match self.opening.wait() {
                Ok(opened) => on(&opened.patient),
                Err(_) => on_processors(Why::Asked),
            },
            DeviceUse::Auto if rows(program) < ROWS_MIN => on_processors(Why::FewRows),
            DeviceUse::Auto => {
                let in_file = |(handle, _, _)| {
                    tables(handle).is_some_and(|table| table.chunks.is_lazy() && table.statistics.rows >= ROWS_IN_FILE)
                };
                if program.tables().any(in_file) {
                    return on_processors(Why::Files);
                }
                match self.opening.now() {
                    None => {
                        let plan = plans.processors(program, machine)?;
                        self.opening.soon(Rates::default().on_processors(plan.work().0, machine.workers));
                        on_processors(Why::NotOpen)
                    }
                    Some(Err(_)) => on_processors(Why::Asked),
                    Some(Ok(opened)) => self.weigh(opened, (program, plans), machine, tables),
                }
            }
        }
    }

    /// How a program runs that is neither small nor another's to decide.
    fn weigh<'c>(
        &'c self,
        opened: &'c Opened,
        (program, plans): (&Program, &'c Plans),
        machine: Machine,
        tables: Tables<'_>,
    ) -> crate::Result<Chosen<'c>> {
        let key = *plans.key.get_or_init(|| key(program, machine));
        let devices = &opened.hasty;
        let missing = program
            .tables()
            .map(|(handle, columns, _)| tables(handle).map_or(0, |table| devices.missing(&table, columns)));
        let upload = opened.rates.upload(missing.fold(0, u64::saturating_add));
        let lock = || self.experience.lock().unwrap_or_else(PoisonError::into_inner);
        let decide = |known: &experience::Program| known.decide(upload, devices.are_preparing());
        let known = lock().get(key).map(|known| decide(known));
        let decision = match known {
            Some(decision) => decision,
            None => {
                let (rates, alone) = (&opened.rates, plans.processors(program, machine)?);
                let (host, card) = plans.card(devices, program, machine)?.work();
                if card.loops == 0 {
                    return Ok(Chosen { plan: alone, devices: &self.none, why: Why::NoLoop, lesson: None });
                }
                let estimate = Estimate {
                    processors: rates.on_processors(alone.work().0, machine.workers),
                    card: rates.on_processors(host, machine.workers) + rates.on_card(card),
                };
                decide(lock().put(key, estimate))
            }
        };
        let (plan, on) = match decision.side {
            Side::Processors => (plans.processors(program, machine)?, &self.none),
            Side::Card => (plans.card(devices, program, machine)?, devices),
        };
        let lesson = Some((&self.experience, key, decision, devices.besides()));
        Ok(Chosen { plan, devices: on, why: Why::Weighed(decision), lesson })
    }

    /// Begins to open cards, for who will want them; nobody waits.
    pub fn begin_to_open(&self) {
        if self.given.is_empty() {
            self.opening.soon(f64::INFINITY);
        }
    }

    /// Why there is no device, if there is none.
    pub fn why_none(&self) -> Option<&str> {
        if self.given.is_empty() { self.opening.wait().as_ref().err().map(String::as_str) } else { None }
    }
}

impl Chosen<'_> {
    /// The program has run, and took so long; None if that was not all of it.
    pub fn learn(self, took: Option<Duration>) {
        let Some((experience, key, decision, before)) = self.lesson else { return };
        let after = self.devices.besides();
        let besides = Besides {
            uploaded: after.uploaded.saturating_sub(before.uploaded),
            missed: after.missed.saturating_sub(before.missed),
        };
        let mut experience = experience.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = experience.get(key) {
            program.learn(decision, took.map(|took| took.as_secs_f64()), besides);
        }
    }

    /// Why it runs so, as a line; nothing where a setting says so.
    pub fn why(&self) -> Option<String> {
        Some(match self.why {
            Why::Asked => return None,
            Why::FewRows => "the processors: its tables have few rows".to_owned(),
            Why::Files => "the processors: a table lies in a file".to_owned(),
            Why::NotOpen if !Devices::may_have_cards() => return None,
            Why::NotOpen => "the processors: cards are opened once these have more to do".to_owned(),
            Why::NoLoop => "the processors: the card declines all loops".to_owned(),
            Why::Weighed(decision) => decision.to_string(),
        })
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.side == Side::Card { "the card: " } else { "the processors: " })?;
        match &self.reason {
            Reason::Faster { processors, card } => {
                write!(f, "{}, {}", told("the card", *card), told("the processors", *processors))
            }
            Reason::Trial { processors, card } => {
                write!(f, "to see what it takes; {}, {}", told("the card", *card), told("the processors", *processors))
            }
            Reason::Upload { card, upload } => {
                let upload = upload * 1e3;
                write!(f, "{}, but its columns would take {upload:.1} ms to get there", told("the card", *card))
            }
            Reason::Compiling => f.write_str("code for the card is being compiled"),
            Reason::Untold => f.write_str("no run on the card was without transfers or new code"),
        }
    }
}

/// What a side takes, for people.
fn told(side: &str, time: Seconds) -> String {
    let milliseconds = time.of * 1e3;
    match time.measured {
        true => format!("{side} took {milliseconds:.2} ms"),
        false => format!("{side} may take {milliseconds:.2} ms"),
    }
}

/// By what a program is known: what it does, whatever its literals are, over tables of about this size, on so many workers.
fn key(program: &Program, machine: Machine) -> u64 {
    let mut hashing = FxHasher::default();
    machine.workers.hash(&mut hashing);
    for at in 0..program.scalars.len() {
        match program.scalars.get(ScalarId(at as u32)) {
            Scalar::Constant(_) => 0u8.hash(&mut hashing),
            other => other.hash(&mut hashing),
        }
    }
    for collection in &program.collections {
        if let Shape::Table { name, columns, statistics, .. } = &collection.shape {
            // Twice as many rows are two classes more.
            let class = (((statistics.rows + 1) as f64).log2() * 2.0).round() as u64;
            (name, columns, class).hash(&mut hashing);
        }
    }
    (&program.blocks, program.body, &program.output).hash(&mut hashing);
    hashing.finish()
}

/// What is known of this machine's cards, for people: names, and what there is to say.
pub fn about_cards() -> Vec<(String, String)> {
    #[cfg(feature = "gpu")]
    {
        let rates = crate::gpu::devices::names().unwrap_or_default().into_iter().enumerate().map(|(at, name)| {
            let rates = Rates::of_card(&name).map(|rates| rates.about());
            let none = "not measured, those of an H200 are taken; `multiloop gpu --calibrate` measures them";
            (format!("rates {at}"), rates.unwrap_or_else(|| none.to_owned()))
        });
        crate::gpu::devices::about().into_iter().chain(rates).collect()
    }
    #[cfg(not(feature = "gpu"))]
    vec![("cards".to_owned(), Devices::cards().err().unwrap_or_default())]
}

/// The name of the first card.
///
/// # Errors
/// Why there is none, for people.
pub fn first_card() -> Result<String, String> {
    #[cfg(feature = "gpu")]
    return crate::gpu::devices::names()?.into_iter().next().ok_or_else(|| "there is none".to_owned());
    #[cfg(not(feature = "gpu"))]
    Devices::cards().map(|[devices, _]| devices.name().to_owned())
}
