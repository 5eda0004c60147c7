//! A plan as a tree of nodes, which viewers of plans read: each let is a node, and what it reads are its inputs.
//!
//! A plan is no tree: what is read in several places stands below the first, and is a scan of it by its name in the others. A block
//! that is computed for rows which ask stands below the loop whose rows ask. Kinds have PostgreSQL's names where they do the same;
//! what is known beyond that are lines of the printed plan.

use crate::plan::explain::{Numbers, let_lines};
use crate::plan::nodes::Operation;
use crate::plan::statistics::LetStatistics;
use crate::plan::tree::{GeneratorKind, LetKind, LetPlan, LoopPlan, Plan};
use multiloop_planner::multiloop::{BlockId, CollectionId, Source};
use multiloop_planner::types::DataType;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// How a node stands to the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relationship {
    /// Its first input, over whose rows it goes.
    Outer,
    /// Another input.
    Inner,
    /// A part of what it gives.
    Member,
    /// Computed for rows that ask.
    SubPlan,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does, as `Hash Join`.
    pub kind: &'static str,
    /// How an aggregate has its groups: `Plain` or `Hashed`.
    pub strategy: Option<&'static str>,
    /// Which join it is, as `Left`.
    pub join: Option<&'static str>,
    /// How it stands to the one above it; nothing at the top.
    pub relationship: Option<Relationship>,
    /// The table that it reads.
    pub relation: Option<String>,
    /// What its rows are called in the printed plan, as `%3`.
    pub called: String,
    /// Whether it only reads what stands elsewhere.
    pub is_shared: bool,
    /// The columns of its rows.
    pub output: Vec<String>,
    /// How many rows are expected, at most as far as is proven.
    pub rows: f64,
    /// About how many bytes a row takes.
    pub width: u64,
    /// Rows that it and all below it go over.
    pub rows_over: f64,
    /// How long it and all below it took, if they ran.
    pub time: Duration,
    /// What the printed plan says of it, line by line.
    pub details: Vec<String>,
    /// Its inputs.
    pub inputs: Vec<Node>,
    /// What it did, if it ran, and its rows.
    pub ran: Option<(LetStatistics, u64)>,
}

/// The tree of a plan, with what a run noted of the lets of its body.
pub(crate) fn outline(plan: &Plan, numbers: &Numbers, statistics: &[(usize, LetStatistics)]) -> Node {
    let mut places = FxHashMap::default();
    for (block, of) in plan.blocks.iter().enumerate() {
        for (number, definition) in of.lets.iter().enumerate() {
            places.extend(definition.defines.iter().map(|&id| (id, (BlockId(block as u32), number))));
        }
    }
    let mut walk = Walk { plan, numbers, statistics, places, shown: Vec::new() };
    walk.collection(plan.block(plan.body).result, None)
}

impl Plan {
    /// It as a tree.
    pub fn outlined(&self, numbers: &Numbers) -> Node {
        outline(self, numbers, &[])
    }
}

struct Walk<'p> {
    plan: &'p Plan,
    numbers: &'p Numbers,
    statistics: &'p [(usize, LetStatistics)],
    /// The lets that define collections.
    places: FxHashMap<CollectionId, (BlockId, usize)>,
    /// Those that stand somewhere already.
    shown: Vec<(BlockId, usize)>,
}

impl Walk<'_> {
    fn collection(&mut self, id: CollectionId, relationship: Option<Relationship>) -> Node {
        let leaf = self.leaf(id, relationship);
        let Some(&place) = self.places.get(&id).filter(|_| !leaf.is_shared) else { return leaf };
        self.shown.push(place);
        let plan = self.plan;
        let definition = &plan.block(place.0).lets[place.1];
        let mut inputs = self.inputs(definition);
        let (kind, strategy, join) = kind_of(definition, id);
        let ran: Option<(LetStatistics, u64)> =
            self.statistics.iter().find(|(number, _)| (plan.body, *number) == place).map(|(_, ran)| {
                let at = definition.defines.iter().position(|define| *define == id).unwrap_or(0);
                (ran.clone(), ran.rows_out.get(at).copied().unwrap_or(0))
            });
        if ran.is_some() {
            inputs.iter_mut().for_each(note_scan);
        }
        let rows_over = inputs.iter().map(|input| input.rows + input.rows_over).sum();
        let own = ran.as_ref().map_or(Duration::ZERO, |(ran, _)| ran.time);
        let time = inputs.iter().map(|input| input.time).sum::<Duration>() + own;
        let details = let_lines(plan, self.numbers, definition);
        let rows = rows_of(definition, id, &inputs);
        let rows = plan.collection(id).rows_max.map_or(rows, |max| rows.min(max as f64));
        Node { kind, strategy, join, rows, rows_over, time, details, inputs, ran, ..leaf }
    }

    /// A node without inputs: a table, or rows that stand elsewhere.
    fn leaf(&self, id: CollectionId, relationship: Option<Relationship>) -> Node {
        let collection = self.plan.collection(id);
        let table = collection.table.as_ref();
        let place = self.places.get(&id);
        let (kind, is_shared) = match (table, place) {
            (Some(_), _) => ("Seq Scan", false),
            // Rows of a round that another one goes over.
            (None, None) => ("WorkTable Scan", true),
            (None, Some(place)) => ("CTE Scan", self.shown.contains(place)),
        };
        let rows = table.map(|table| table.rows).or(collection.rows_max);
        Node {
            kind,
            strategy: None,
            join: None,
            relationship,
            relation: table.map(|table| table.name.clone()),
            called: self.numbers.shown(id),
            is_shared,
            output: collection.fields.iter().map(|field| field.name.clone()).collect(),
            rows: rows.unwrap_or(0) as f64,
            width: collection.fields.iter().map(|field| width(field.data_type)).sum(),
            rows_over: 0.0,
            time: Duration::ZERO,
            details: Vec::new(),
            inputs: Vec::new(),
            ran: None,
        }
    }

    fn inputs(&mut self, definition: &LetPlan) -> Vec<Node> {
        let mut read: Vec<(CollectionId, Relationship)> = Vec::new();
        let mut add = |id: CollectionId, relationship| {
            if !read.iter().any(|(known, _)| *known == id) {
                read.push((id, relationship));
            }
        };
        let inner = |first: bool| if first { Relationship::Outer } else { Relationship::Inner };
        match &definition.kind {
            LetKind::Loop(of) => {
                for (at, level) in of.levels.iter().enumerate() {
                    level.source.collection().into_iter().for_each(|id| add(id, inner(at == 0)));
                }
                self.asked(of, &mut add);
            }
            LetKind::Sort { input, .. } | LetKind::Window { input, .. } => add(*input, Relationship::Outer),
            LetKind::Iterate { seed, step, .. } => {
                add(*seed, Relationship::Outer);
                add(self.plan.block(*step).result, Relationship::Inner);
            }
            LetKind::Concat { inputs } => inputs.iter().for_each(|id| add(*id, Relationship::Member)),
            LetKind::Values { .. } => {}
        }
        read.into_iter().map(|(id, relationship)| self.collection(id, Some(relationship))).collect()
    }

    /// What a loop's scalars ask: groups, and blocks.
    fn asked(&self, of: &LoopPlan, add: &mut dyn FnMut(CollectionId, Relationship)) {
        for node in &of.expressions.nodes {
            match &node.operation {
                Operation::Find { collection, .. }
                | Operation::Lookup { collection, .. }
                | Operation::Exists { collection, .. }
                | Operation::Single { collection, .. } => add(*collection, Relationship::Inner),
                Operation::Nested { block, .. } => add(self.plan.block(*block).result, Relationship::SubPlan),
                _ => {}
            }
        }
    }
}

/// Notes that the rows of a table were gone over, which is no step of its own.
fn note_scan(node: &mut Node) {
    if node.relation.is_some() {
        let name = node.called.clone();
        node.ran = Some((LetStatistics { name, ..LetStatistics::default() }, node.rows as u64));
    }
}

/// What a let does to define a collection: its kind, how it has groups, and which join it is.
fn kind_of(definition: &LetPlan, id: CollectionId) -> (&'static str, Option<&'static str>, Option<&'static str>) {
    let of = match &definition.kind {
        LetKind::Loop(of) => of,
        LetKind::Sort { .. } => return ("Sort", None, None),
        LetKind::Window { .. } => return ("WindowAgg", None, None),
        LetKind::Iterate { .. } => return ("Recursive Union", None, None),
        LetKind::Concat { .. } => return ("Append", None, None),
        LetKind::Values { .. } => return ("Values Scan", None, None),
    };
    let sources = of.levels.iter().skip(1).map(|level| &level.source);
    let join = sources.map(join_of).reduce(|first, next| if first == "Inner" { next } else { first });
    let is_hashed = of.levels.iter().skip(1).any(|level| level.source.probe().is_some());
    let at = definition.defines.iter().position(|define| *define == id).unwrap_or(0);
    let (kind, strategy) = match of.generators.get(at).map(|generator| &generator.kind) {
        Some(GeneratorKind::Reduce(reduce)) if reduce.key.is_none() => ("Aggregate", Some("Plain")),
        Some(GeneratorKind::Reduce(_)) => ("Aggregate", Some("Hashed")),
        Some(GeneratorKind::BucketCollect(_)) => ("Hash", None),
        Some(GeneratorKind::TopK(_)) => ("Limit", None),
        _ if join.is_none() => ("Result", None),
        _ if is_hashed => ("Hash Join", None),
        _ => ("Nested Loop", None),
    };
    (kind, strategy, join)
}

fn join_of(source: &Source) -> &'static str {
    match source {
        Source::BucketOrNull { .. } => "Left",
        Source::BucketAndRest { .. } => "Full",
        _ => "Inner",
    }
}

/// How many rows are expected: of a join as many as its outer side has, of an aggregate without keys one.
fn rows_of(definition: &LetPlan, id: CollectionId, inputs: &[Node]) -> f64 {
    let of = |at: usize| inputs.get(at).map_or(0.0, |input| input.rows);
    match &definition.kind {
        LetKind::Loop(plan) => {
            let at = definition.defines.iter().position(|define| *define == id).unwrap_or(0);
            let kind = plan.generators.get(at).map(|generator| &generator.kind);
            let no_key = matches!(kind, Some(GeneratorKind::Reduce(reduce)) if reduce.key.is_none());
            // A count goes over rows of nothing.
            let counts = plan.levels.first().is_none_or(|level| level.source.collection().is_none());
            if no_key || counts { 1.0 } else { of(0) }
        }
        LetKind::Concat { .. } | LetKind::Iterate { .. } => inputs.iter().map(|input| input.rows).sum(),
        LetKind::Values { rows, .. } => rows.len() as f64,
        LetKind::Sort { .. } | LetKind::Window { .. } => of(0),
    }
}

/// About how many bytes a value takes, as PostgreSQL counts where it knows nothing.
fn width(data_type: DataType) -> u64 {
    match data_type {
        DataType::Null | DataType::Boolean => 1,
        DataType::SmallInt => 2,
        DataType::Integer | DataType::Real | DataType::Date => 4,
        DataType::Decimal { .. } | DataType::Interval => 16,
        DataType::Nested(_) if let Some((of, length)) = data_type.vector_of() => width(of) * u64::from(length),
        DataType::Text | DataType::Varchar(_) | DataType::Char(_) | DataType::Numeric | DataType::Nested(_) => 32,
        _ => 8,
    }
}
