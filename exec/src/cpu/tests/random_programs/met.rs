//! Counts which of the ways to run a program were met.

use super::super::Outcome;
use crate::plan::Plan;
use crate::plan::key_layout::{KeyLayout, KeyWidth};
use crate::plan::tree::InPlace;
use crate::plan::tree::{BucketPlan, GeneratorKind, LetKind, LoopPlan, Pieces, ReducePlan};
use std::collections::BTreeMap;
use std::fmt;

/// How often each is met at least: ways to number groups and to find them, and what else differs from loop to loop.
const WANTED: [&str; 42] = [
    "groups: Few",
    "groups: Ordered",
    "groups: Set",
    "groups: Dense",
    "groups: Direct",
    "groups: Hash",
    "groups: partitioned",
    "groups that their readers make",
    "groups with a filter",
    "groups that are only looked up",
    "an index: Dense",
    "an index: Direct",
    "an index: Ranked",
    "an index: Hash",
    "buckets that stay in their table",
    "keys: 32-bit keys",
    "keys: 64-bit keys",
    "keys: 128-bit keys",
    "keys: bytes",
    "keys: strings",
    "keys of no part",
    "unmatched rows",
    "one row of many",
    "masks",
    "rows that a top-k rejects",
    "pieces: balanced",
    "pieces: few rows, which ask",
    "pieces: morsels",
    "chunks pruned",
    "streams",
    "streams beside a device",
    "a loop of a device",
    "partial groups of a device",
    "results that a device keeps",
    "kept results that a device reads",
    "loops that a device declines",
    "invariant lets in a block",
    "sorts",
    "windows",
    "iterations",
    "rows",
    "errors",
];

/// How often something must be met.
const OFTEN: usize = 3;

/// How often each was met.
#[derive(Default)]
pub(super) struct Met(BTreeMap<String, usize>);

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, often)| writeln!(f, "{often:8} {name}"))
    }
}

impl Met {
    /// Counts something.
    pub(super) fn count(&mut self, name: impl Into<String>, often: usize) {
        *self.0.entry(name.into()).or_default() += often;
    }

    /// Fails unless each was met.
    pub(super) fn check(&self) {
        let often = |name: &str| self.0.get(name).copied().unwrap_or(0);
        let missing: Vec<&str> = WANTED.into_iter().filter(|name| often(name) < OFTEN).collect();
        assert!(missing.is_empty(), "these are not met: {missing:?}, but\n{self}");
        // Programs that give nothing, or nothing but errors, say little.
        let [empty, full, errors] = ["no rows", "rows", "errors"].map(often);
        assert!(
            full > empty && errors < (empty + full) / 4,
            "{full} programs give rows, {empty} none, {errors} errors"
        );
    }

    /// What the interpreter gave.
    pub(super) fn outcome(&mut self, outcome: &Outcome) {
        let name = match outcome {
            Err(_) => "errors",
            Ok(rows) if rows.is_empty() => "no rows",
            Ok(_) => "rows",
        };
        self.count(name, 1);
    }

    /// What a run noted of adaptive choices.
    pub(super) fn notes<'n>(&mut self, notes: impl Iterator<Item = &'n str>) {
        for note in notes {
            let word = note.split([':', ',']).next().unwrap_or_default();
            match word {
                "an index" => {
                    let form = note.split([' ', ',']).nth(2).unwrap_or_default();
                    self.count(format!("an index: {form}"), 1);
                }
                "a loop of rows" => self.count("a loop of a device", 1),
                "a loop of the host" => {}
                kind => self.count(format!("groups: {kind}"), 1),
            }
        }
    }

    /// What a plan is certain of.
    pub(super) fn plan(&mut self, plan: &Plan) {
        for collection in &plan.collections {
            self.count("groups that their readers make", usize::from(collection.own.is_some()));
            self.count("groups with a filter", usize::from(collection.group_filter.is_some()));
        }
        for (number, block) in plan.blocks.iter().enumerate() {
            for each in &block.lets {
                let nested = number != plan.body.0 as usize;
                self.count("invariant lets in a block", usize::from(nested && each.invariant));
                match &each.kind {
                    LetKind::Loop(plan) => self.multiloop(plan),
                    LetKind::Sort { .. } => self.count("sorts", 1),
                    LetKind::Window { .. } => self.count("windows", 1),
                    LetKind::Iterate { last, enough, .. } => {
                        self.count("iterations", 1);
                        self.count("states that go round", usize::from(last.is_some()));
                        self.count("states that end", usize::from(last.is_some() && enough.is_some()));
                    }
                    LetKind::Concat { .. } | LetKind::Values { .. } => {}
                }
            }
        }
    }

    fn multiloop(&mut self, plan: &LoopPlan) {
        self.count("unmatched rows", usize::from(plan.unmatched.is_some()));
        self.count("one row of many", plan.levels.iter().filter(|level| level.one).count());
        let pieces = match plan.pieces.of {
            Pieces::Balanced => "pieces: balanced",
            Pieces::Morsels => "pieces: morsels",
            Pieces::Asking => "pieces: few rows, which ask",
        };
        self.count(pieces, 1);
        for generator in &plan.generators {
            match &generator.kind {
                GeneratorKind::Reduce(ReducePlan { key: Some(_), layout, rows, masks, .. }) => {
                    self.layout(layout);
                    self.count("groups that are only looked up", usize::from(rows.keys_unread));
                    self.count("masks", usize::from(*masks));
                }
                GeneratorKind::BucketCollect(BucketPlan { layout, in_place, .. }) => {
                    self.layout(layout);
                    self.count("buckets that stay in their table", usize::from(in_place.is_some()));
                    // No key is looked at, so that no index is noted.
                    let is_dense = in_place.as_ref().is_some_and(InPlace::is_dense);
                    self.count("an index: Dense", usize::from(is_dense));
                }
                GeneratorKind::TopK(top_k) => self.count("rows that a top-k rejects", usize::from(top_k.rejects)),
                GeneratorKind::Reduce(_) | GeneratorKind::Collect { .. } => {}
            }
        }
    }

    fn layout(&mut self, layout: &KeyLayout) {
        let width: KeyWidth = layout.width;
        let name =
            if layout.parts.is_empty() { "keys of no part".to_owned() } else { format!("keys: {}", width.name()) };
        self.count(name, 1);
    }
}
