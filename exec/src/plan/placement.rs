//! Placement: which device runs each loop of a plan, decided let by let before the run.
//!
//! A plan knows no device: whoever has some is a [`Placer`], which is asked about each loop of the body, and gives a reason either
//! way. It is asked of a plan for the host alone; if devices take loops, the program is planned once more. Then a collection that
//! crosses between host and device is made so that the other side can read it: with its keys as rows, not in place, no groups that
//! rows make of their neighbours, no rows that are read while a loop passes over them. Whatever only the host makes and reads is
//! planned as if there were no device.

use crate::plan::choice::Choice;
use crate::plan::reads::collections_read;
use crate::plan::tree::{Device, LetKind, LoopPlan, Plan, Reads};
use multiloop_planner::multiloop::{CollectionId, Source};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A loop of a plan: all that a device needs to know of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'p> {
    /// What it is part of: the fields, bounds and tables of collections, and nested blocks.
    pub(crate) plan: &'p Plan,
    /// The collections that it defines, one a generator.
    pub(crate) defines: &'p [CollectionId],
    pub(crate) of: &'p LoopPlan,
}

/// What a device says of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// It would run it, for this reason.
    Takes(Cow<'static, str>),
    /// It would not, for this reason.
    Declines(Cow<'static, str>),
}

/// Who knows the devices.
pub(crate) trait Placer {
    /// What they are called, by their numbers.
    fn names(&self) -> Vec<String>;

    /// What runs a loop, and why.
    fn place(&self, task: &Task<'_>) -> Choice<Device>;
}

/// Where the loops of a body run.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// What the devices are called.
    devices: Vec<String>,
    /// Of each let of the body that is a loop.
    lets: Vec<Option<Choice<Device>>>,
    /// What devices make.
    made: FxHashSet<CollectionId>,
    /// What devices read.
    read: FxHashSet<CollectionId>,
    /// What the host reads, where there is a device.
    read_by_host: FxHashSet<CollectionId>,
}

impl Placed {
    /// As a placer has it, which is asked of a plan for the host alone.
    pub(crate) fn of(plan: &Plan, placer: &dyn Placer) -> Self {
        let mut placed = Placed { devices: placer.names(), ..Placed::default() };
        for definition in &plan.block(plan.body).lets {
            let choice = match &definition.kind {
                LetKind::Loop(of) if definition.is_read(plan) => {
                    Some(placer.place(&Task { plan, defines: &definition.defines, of }))
                }
                _ => None,
            };
            let read = collections_read(plan, definition);
            if choice.as_ref().is_some_and(|choice| choice.of != Device::Host) {
                placed.made.extend(&definition.defines);
                placed.read.extend(read);
            } else {
                placed.read_by_host.extend(read);
            }
            placed.lets.push(choice);
        }
        placed.read_by_host.insert(plan.block(plan.body).result);
        placed
    }

    /// Whether the host runs all loops.
    pub(crate) fn is_host_alone(&self) -> bool {
        self.made.is_empty()
    }

    /// Whether a device makes or reads a collection.
    pub(crate) fn is_touched(&self, id: CollectionId) -> bool {
        self.made.contains(&id) || self.read.contains(&id)
    }

    /// Whether a device reads a collection.
    pub(crate) fn is_read(&self, id: CollectionId) -> bool {
        self.read.contains(&id)
    }

    /// Says who reads each collection.
    pub(crate) fn note_readers(&self, reads: &mut [Reads]) {
        for (reads, id) in reads.iter_mut().zip((0..).map(CollectionId)) {
            reads.device = self.read.contains(&id);
            reads.host = reads.any && (!reads.device || self.read_by_host.contains(&id));
        }
    }

    /// Writes it into a plan.
    pub(crate) fn note(self, plan: &mut Plan) {
        let lets = &mut plan.blocks[plan.body.0 as usize].lets;
        let last = self.lets.last().and_then(Option::as_ref);
        if last.is_some_and(|choice| choice.of != Device::Host) && plan.streams.of {
            plan.streams = Choice::new(false, "a device runs the last loop");
        }
        for (definition, choice) in lets.iter_mut().zip(self.lets) {
            if let (LetKind::Loop(of), Some(choice)) = (&mut definition.kind, choice) {
                of.device = choice;
            }
        }
        plan.devices = self.devices;
    }
}

/// What some loops do, as far as it is known before they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) loops: u64,
    /// Bytes of the tables that they pass over.
    pub(crate) bytes: u64,
}

impl Plan {
    /// What the loops of the body do that are the processors', and those that are a device's.
    pub(crate) fn work(&self) -> (Work, Work) {
        let bytes = |source: &Source| match source {
            Source::Rows(id) => {
                self.collection(*id).table.as_ref().map_or(0, |table| table.rows.saturating_mul(table.row_bytes))
            }
            _ => 0,
        };
        let (mut host, mut device) = (Work::default(), Work::default());
        for definition in &self.block(self.body).lets {
            if let LetKind::Loop(of) = &definition.kind
                && definition.is_read(self)
            {
                let to = if of.device.of == Device::Host { &mut host } else { &mut device };
                to.loops += 1;
                to.bytes = to.bytes.saturating_add(of.levels.first().map_or(0, |level| bytes(&level.source)));
            }
        }
        (host, device)
    }
}
