//! Placement: which device runs each loop of a plan, decided let by let before the run.
//!
//! A plan knows no device: whoever has some is a [`Placer`], which is asked about each loop of the body that reads no row around
//! it, and gives a reason either way.

use crate::plan::choice::Choice;
use crate::plan::tree::{Device, LoopPlan, Plan};
use multiloop_planner::multiloop::CollectionId;
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
    /// What runs a loop, and why.
    fn place(&self, task: &Task<'_>) -> Choice<Device>;
}
