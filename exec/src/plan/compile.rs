//! Decides how a program runs: where each condition is evaluated, how keys are laid out and groups numbered, which
//! collections need an index or their keys as rows, and which lets of nested blocks can be computed once.

use crate::plan::aggregate::AggregateKind;
use crate::plan::batch::{Batch, with_batches};
use crate::plan::choice::Choice;
use crate::plan::expressions::Expressions;
use crate::plan::gates::gates;
use crate::plan::group_kind::{GroupKind, Rows};
use crate::plan::in_place::grid;
use crate::plan::index_form::IndexForm;
use crate::plan::interchange::{Interchanged, with_interchanged};
use crate::plan::invariance;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::nodes::{Node, Operation};
use crate::plan::placement::{Placed, Placer};
use crate::plan::put_off::put_off;
use crate::plan::range_join::{RangeJoin, sides};
use crate::plan::read_fields::ReadFields;
use crate::plan::readers::{elements, group_filters, note_shared_columns, own, passed_once, reads};
use crate::plan::register::Register;
use crate::plan::searched::{Searched, reached, roots, with_searched};
use crate::plan::tree::{
    AggregatePlan, BlockPlan, BucketPlan, CollectionPlan, Device, GeneratorKind, GeneratorPlan, InPlace, LetKind,
    LetPlan, LevelPlan, LoopPlan, Machine, OwnKey, Pieces, Plan, Reads, ReducePlan, TablePlan, TopKPlan,
};
use crate::technique::Technique;
use crate::{Error, Result};
use multiloop_planner::analysis::ranges::{Grid, Ranges};
use multiloop_planner::catalog::{TableHandle, TableStatistics};
use multiloop_planner::multiloop::kept::{keep_order, proven};
use multiloop_planner::multiloop::reduction::State;
use multiloop_planner::multiloop::uses::for_each_node;
use multiloop_planner::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape,
    Source,
};
use multiloop_planner::types::DataType;
use rustc_hash::{FxHashMap, FxHashSet};

/// Decides how a program runs on a machine, by what is proven and known of the tables that it reads: their statistics
/// stand in it.
pub fn plan(program: &Program, machine: Machine) -> Result<Plan> {
    plan_with(program, machine, None)
}

/// As [`plan`], with devices that may take loops of the body; see [`placement`](crate::plan::placement).
pub(crate) fn plan_with(program: &Program, machine: Machine, placer: Option<&dyn Placer>) -> Result<Plan> {
    check_types(program)?;
    let with_searched = with_searched(program);
    let none_searched = FxHashMap::default();
    let (program, searched) = with_searched.as_ref().map_or((program, &none_searched), |(all, found)| (all, found));
    let others = roots(searched);
    let with_batches = with_batches(program, &reached(program, others.iter().copied()));
    let no_batches = FxHashMap::default();
    let (program, batches) = with_batches.as_ref().map_or((program, &no_batches), |(all, batches)| (all, batches));
    let reached = reached(program, others.iter().copied());
    let with_interchanged = with_interchanged(program, &reached, (batches, searched));
    let none_interchanged = FxHashMap::default();
    let (program, interchanged) =
        with_interchanged.as_ref().map_or((program, &none_interchanged), |(all, found)| (all, found));
    let ranges = Ranges::analyse(program);
    let known = Known { program, machine, ranges: &ranges, batches, searched, interchanged, others: &others };
    let Some(placer) = placer else { return known.plan(&Placed::default(), false) };
    let host = known.plan(&Placed::default(), true)?;
    let placed = Placed::of(&host, placer);
    let mut plan = if placed.is_host_alone() { host } else { known.plan(&placed, true)? };
    placed.note(&mut plan);
    Ok(plan)
}

/// What is known of a program before anything is decided.
struct Known<'p> {
    program: &'p Program,
    machine: Machine,
    ranges: &'p Ranges,
    batches: &'p FxHashMap<BlockId, Batch>,
    searched: &'p FxHashMap<BlockId, Searched>,
    interchanged: &'p FxHashMap<BlockId, Interchanged>,
    /// The blocks that answer searched ones.
    others: &'p [BlockId],
}

impl Known<'_> {
    /// The plan where loops run in these places; more is found out for devices.
    fn plan(&self, placed: &Placed, for_devices: bool) -> Result<Plan> {
        let &Known { program, machine, ranges, batches, searched, interchanged, others } = self;
        let mut reads = reads(program);
        placed.note_readers(&mut reads);
        let mut own = if Technique::OwnGroups.is_on() { own(program) } else { FxHashMap::default() };
        own.retain(|id, _| !placed.is_touched(*id));
        let fields = ReadFields::of(program);
        let mut compiler =
            Compiler { program, machine, ranges, reads: &reads, fields: &fields, own: &own, for_devices };
        let variant = invariance::variant_collections(program, others);
        let mut blocks = Vec::with_capacity(program.blocks.len());
        for (number, block) in program.blocks.iter().enumerate() {
            let batch = batches.values().find(|batch| batch.block.0 as usize == number);
            let lets = block.lets.iter().map(|definition| {
                let mut kind = compiler.definition(definition)?;
                if let LetKind::Loop(plan) = &mut kind {
                    note_asking(plan, batch, (batches, searched));
                }
                let varies = |id: &CollectionId| variant.contains(id) || batch.is_some();
                let defines = definition.defines().to_vec();
                Ok(LetPlan { invariant: !defines.iter().any(varies), defines, kind })
            });
            blocks.push(BlockPlan { lets: lets.collect::<Result<Vec<_>>>()?, result: block.result });
        }
        let filters = group_filters(program, &blocks);
        let mut once = passed_once(program, &blocks[program.body.0 as usize], &own);
        // A device asks for rows that are here.
        once.retain(|id| !placed.is_read(*id));
        let collection = |(number, reads): (usize, &Reads)| {
            let id = CollectionId(number as u32);
            let made = program.collection(id);
            let table = match &made.shape {
                Shape::Table { name, handle, columns, statistics } => {
                    let once = once.contains(&id);
                    Some(TablePlan { once, ..table(name, *handle, columns, statistics) })
                }
                _ => None,
            };
            CollectionPlan {
                fields: made.fields.clone(),
                bounds: (0..made.fields.len() as u32).map(|field| ranges.field(id, field)).collect(),
                rows_max: ranges.rows(id),
                table,
                reads: *reads,
                own: own.get(&id).copied(),
                group_filter: filters.get(&id).copied().filter(|_| Technique::GroupFilter.is_on()),
            }
        };
        let mut collections: Vec<CollectionPlan> = reads.iter().enumerate().map(collection).collect();
        note_shared_columns(&mut collections);
        let (output, limits) = (program.output.clone(), machine.limits);
        let own = &blocks[program.body.0 as usize];
        let (streams, gates, put_off) = (streams(own), gates(program, own), put_off(program));
        let (batches, searched, interchanged) = (batches.clone(), searched.clone(), interchanged.clone());
        Ok(Plan {
            collections,
            blocks,
            body: program.body,
            batches,
            searched,
            interchanged,
            output,
            elements: elements(program),
            streams,
            gates,
            put_off,
            devices: Vec::new(),
            limits,
        })
    }
}

/// A table with what is known of these of its columns.
fn table(name: &str, handle: TableHandle, columns: &[u32], statistics: &TableStatistics) -> TablePlan {
    let of = |&column: &u32| statistics.columns.get(column as usize);
    let sorted = (0..).zip(columns).filter_map(|(field, column)| {
        let proofs = &of(column)?.proofs;
        proofs.sorted.then_some((field, proofs.unique))
    });
    let bytes: f64 = columns.iter().filter_map(of).map(|column| column.estimates.average_bytes).sum();
    TablePlan {
        name: name.to_owned(),
        handle,
        columns: columns.to_vec(),
        rows: statistics.rows,
        sorted: sorted.collect(),
        row_bytes: bytes.ceil() as u64,
        once: false,
        again: Vec::new(),
    }
}

/// Whether the rows of a body's last let may be made while they are handed out: what has been handed out cannot be taken back.
fn streams(body: &BlockPlan) -> Choice<bool> {
    let Some(LetPlan { defines, kind: LetKind::Loop(last), .. }) = body.lets.last() else {
        return Choice::new(false, "the last let is no loop");
    };
    match (&last.generators[..], &defines[..]) {
        ([GeneratorPlan { kind: GeneratorKind::Collect { .. }, .. }], [define]) if *define == body.result => {}
        _ => return Choice::new(false, "the last loop does more than collect"),
    }
    if last.unmatched.is_some() {
        return Choice::new(false, "unmatched rows are known at the end");
    }
    if last.expressions.any_may_fail() {
        return Choice::new(false, "a row may fail");
    }
    Choice::new(true, "no row fails")
}

/// An error if a value is of a type that no register or column holds.
fn check_types(program: &Program) -> Result<()> {
    let fields = program.collections.iter().enumerate().flat_map(|(number, collection)| {
        collection.fields.iter().chain(program.members(CollectionId(number as u32))).map(|field| field.data_type)
    });
    let scalars = (0..program.scalars.len()).map(|id| program.scalars.data_type(ScalarId(id as u32)));
    match fields.chain(scalars).find(|data_type| data_type.nested().is_some() && !data_type.is_vector()) {
        Some(nested) => Err(Error::unsupported(format!("a value of type {nested} is"))),
        None => Ok(()),
    }
}

struct Compiler<'p> {
    program: &'p Program,
    machine: Machine,
    ranges: &'p Ranges,
    /// By collection.
    reads: &'p [Reads],
    fields: &'p ReadFields,
    own: &'p FxHashMap<CollectionId, OwnKey>,
    /// Whether devices are asked about the plan.
    for_devices: bool,
}

impl Compiler<'_> {
    fn definition(&mut self, definition: &Let) -> Result<LetKind> {
        Ok(match definition {
            Let::Loop { multiloop, .. } => match self.row(multiloop)? {
                Some(row) => row,
                None => LetKind::Loop(Box::new(self.multiloop(multiloop, definition.defines())?)),
            },
            Let::Sort { input, order, .. } => LetKind::Sort { input: *input, order: order.clone() },
            Let::Window { input, partition, order, functions, .. } => LetKind::Window {
                input: *input,
                partition: partition.clone(),
                order: order.clone(),
                functions: functions.clone(),
            },
            Let::Iterate { seed, working, step, distinct, enough, last, .. } => {
                let (seed, working, step) = (*seed, *working, *step);
                LetKind::Iterate { seed, working, step, distinct: *distinct, enough: *enough, last: *last }
            }
            Let::Concat { inputs, .. } => LetKind::Concat { inputs: inputs.clone() },
            Let::Values { rows, .. } => {
                let roots: Vec<ScalarId> = rows.iter().flatten().copied().collect();
                let expressions = Expressions::compile(self.program, &[], &roots, self.ranges)?;
                LetKind::Values { expressions, rows: rows.clone() }
            }
        })
    }

    /// A loop over one literal row, of which it reads nothing, that collects what a query without FROM gives: that row itself.
    fn row(&self, multiloop: &Multiloop) -> Result<Option<LetKind>> {
        let ([Index { id, source: Source::Rows(over) }], [Generator::Collect { condition, value }]) =
            (&multiloop.nest[..], &multiloop.generators[..])
        else {
            return Ok(None);
        };
        let is_one =
            |each: &Let| each.defines() == [*over] && matches!(each, Let::Values { rows, .. } if rows.len() == 1);
        if !condition.is_empty() || !self.program.blocks.iter().flat_map(|block| &block.lets).any(is_one) {
            return Ok(None);
        }
        let expressions = Expressions::compile(self.program, &[], value, self.ranges)?;
        let reads = |node: &Node| matches!(node.operation, Operation::Captured { index, .. } if index == *id);
        if expressions.nodes.iter().any(reads) {
            return Ok(None);
        }
        Ok(Some(LetKind::Values { expressions, rows: vec![value.clone()] }))
    }

    fn multiloop(&mut self, multiloop: &Multiloop, defines: &[CollectionId]) -> Result<LoopPlan> {
        let unmatched = multiloop.rest().map(|at| self.nest(multiloop, defines, at).map(Box::new)).transpose()?;
        Ok(LoopPlan { unmatched, ..self.nest(multiloop, defines, 0)? })
    }

    /// The plan of a loop from one of its indices on, with those in front of it on no row.
    fn nest(&mut self, multiloop: &Multiloop, defines: &[CollectionId], first: usize) -> Result<LoopPlan> {
        let (absent, nest) = multiloop.nest.split_at(first);
        let mut roots: Vec<ScalarId> = Vec::new();
        // What unmatched rows are of is given.
        let asking = if first > 0 { &nest[1..] } else { nest };
        for index in asking {
            roots.extend(index.source.scalars());
        }
        for generator in &multiloop.generators {
            roots.extend(generator.scalars());
        }
        roots.extend(sides(self.program, nest, &multiloop.generators));
        let expressions = Expressions::compile_without(self.program, (absent, nest), &roots, self.ranges)?;
        let level = |index: &Index| LevelPlan {
            source: index.source.clone(),
            matches: index.source.probe().map_or_else(Vec::new, |(_, condition)| condition.to_vec()),
            conditions: Vec::new(),
            range: None,
            at_most_one: self.for_devices && self.finds_at_most_one(index),
            one: false,
            prunes: false,
        };
        let mut levels: Vec<LevelPlan> = nest.iter().map(level).collect();
        let moved = self.move_conditions(nest, &multiloop.generators, &expressions, &mut levels);
        if let (Some(at), 0) = (multiloop.rest(), first) {
            self.move_matches(nest, at, &expressions, &mut levels);
        }
        let mut generators = Vec::new();
        for (generator, define) in multiloop.generators.iter().zip(defines) {
            let left = generator.condition().iter().copied().filter(|condition| !moved.contains(condition));
            let conditions: Vec<ScalarId> = left.collect();
            let mut kind = self.generator(generator, *define, nest, &expressions)?;
            if let GeneratorKind::BucketCollect(bucket) = &mut kind
                && conditions.is_empty()
                && !self.reads(*define).as_rows()
            {
                let (key, value) = (&bucket.key[..], &bucket.value[..]);
                bucket.in_place = InPlace::new(self.program, self.ranges, nest, &levels, (key, value));
            }
            generators.push(GeneratorPlan { conditions, kind });
        }
        if let [generator] = &mut generators[..]
            && let Some(last) = levels.last_mut()
        {
            last.conditions.append(&mut generator.conditions);
        }
        if multiloop.rest().is_none()
            && !expressions.is_volatile()
            && generators.iter().all(GeneratorPlan::counts_nothing)
        {
            for (at, level) in levels.iter_mut().enumerate() {
                level.one = level.matches.is_empty() && !expressions.read(at);
            }
        }
        mark_pruning(&mut levels);
        for at in 1..if first == 0 { levels.len() } else { 0 } {
            levels[at].range = RangeJoin::of(self.program, &expressions, at, &levels[at]);
        }
        let indices = nest.iter().map(|index| index.id).collect();
        let device = Choice::new(Device::Host, "there is no other device");
        let pieces = pieces(&levels, &generators);
        let rows_max = self.ranges.nest_rows(multiloop);
        let (finds, unmatched) = (false, None);
        Ok(LoopPlan { expressions, indices, levels, generators, rows_max, device, pieces, finds, unmatched })
    }

    /// How a collection is read.
    fn reads(&self, id: CollectionId) -> Reads {
        self.reads[id.0 as usize]
    }

    /// Has the conditions that all generators ask for checked as soon as they can be known, and says which. Nothing
    /// is moved past what may fail, in either direction: a row that would have failed must still do so. Nor to an index in
    /// front of one whose unmatched rows are wanted, of which they are asked, too. Own groups are made for the rows that are left behind all
    /// indices, unless these multiply rows.
    fn move_conditions(
        &self,
        nest: &[Index],
        generators: &[Generator],
        expressions: &Expressions,
        levels: &mut [LevelPlan],
    ) -> FxHashSet<ScalarId> {
        let stays = |id: ScalarId| !self.is_safe(&id, expressions);
        // The key of what unmatched rows are of is not asked for once more.
        let stops = |(at, index): (usize, &Index)| {
            let wants_unmatched = matches!(index.source, Source::BucketAndRest { .. });
            wants_unmatched || (at > 0 && index.source.scalars().into_iter().any(stays))
        };
        let first = nest.iter().enumerate().rposition(stops).unwrap_or(0);
        let mut moved = FxHashSet::default();
        let Some((generator, others)) = generators.split_first() else { return moved };
        if !Technique::EarlyConditions.is_on() {
            return moved;
        }
        for &condition in generator.condition() {
            let shared = |other: &Generator| {
                let before = other.condition().iter().take_while(|&&id| !stays(id));
                before.into_iter().any(|&id| id == condition)
            };
            if stays(condition) || !others.iter().all(shared) {
                break;
            }
            if self.asks_own(condition) && nest[1..].iter().all(|index| self.finds_one(index)) {
                continue;
            }
            // A block costs more than to find a row, of which other conditions may leave few.
            let behind = nest.get(expressions.reach(condition).max(1)..).unwrap_or_default();
            if self.asks_block(condition) && behind.iter().all(|index| self.finds_one(index)) {
                continue;
            }
            if moved.insert(condition) {
                levels[first.max(expressions.reach(condition).max(1) - 1)].conditions.push(condition);
            }
        }
        moved
    }

    /// Has what must hold for a row to be found by an index whose unmatched rows are wanted checked as soon as it can be known: without it the
    /// indices in front find nothing.
    fn move_matches(&self, nest: &[Index], at: usize, expressions: &Expressions, levels: &mut [LevelPlan]) {
        let safe = |id: ScalarId| self.is_safe(&id, expressions);
        let asks = nest[..=at].iter().rposition(|index| !index.source.scalars().into_iter().all(safe)).unwrap_or(0);
        if !Technique::EarlyConditions.is_on() {
            return;
        }
        let conditions = std::mem::take(&mut levels[at].matches);
        for condition in conditions {
            let reach = expressions.reach(condition).max(1) - 1;
            let level = if reach < at && asks == 0 { &mut levels[reach].conditions } else { &mut levels[at].matches };
            level.push(condition);
        }
    }

    fn types(&self, scalars: &[ScalarId]) -> Vec<DataType> {
        scalars.iter().map(|&scalar| self.program.scalars.data_type(scalar)).collect()
    }

    fn generator(
        &self,
        generator: &Generator,
        define: CollectionId,
        nest: &[Index],
        expressions: &Expressions,
    ) -> Result<GeneratorKind> {
        Ok(match generator {
            Generator::Collect { value, .. } => {
                GeneratorKind::Collect { value: value.clone(), types: self.types(value) }
            }
            Generator::BucketCollect { key, value, .. } => {
                let layout = self.layout(key);
                let index = IndexForm::expected(&layout, self.ranges.rows(define), &self.machine.limits);
                GeneratorKind::BucketCollect(BucketPlan {
                    key: key.clone(),
                    key_types: self.types(key),
                    value: value.clone(),
                    types: self.types(value),
                    layout,
                    index,
                    in_place: None,
                })
            }
            Generator::Reduce { aggregates, .. } => match &aggregates[..] {
                [Aggregate { reduction: Reduction::TopK { order, limit, offset }, arguments, .. }] => {
                    GeneratorKind::TopK(TopKPlan {
                        arguments: arguments.clone(),
                        types: self.types(arguments),
                        order: order.clone(),
                        limit: *limit,
                        offset: *offset,
                        rejects: Technique::TopKRejects.is_on()
                            && !arguments.iter().any(|&id| self.program.scalars.effects(id).volatile),
                        failing: arguments.iter().copied().filter(|&id| expressions.may_fail(id)).collect(),
                    })
                }
                _ => GeneratorKind::Reduce(self.reduce(None, aggregates, define, (nest, expressions))?),
            },
            Generator::BucketReduce { key, aggregates, .. } => {
                GeneratorKind::Reduce(self.reduce(Some(key), aggregates, define, (nest, expressions))?)
            }
        })
    }

    /// The layout of keys that may have any values which are not proven impossible.
    fn layout(&self, key: &[ScalarId]) -> KeyLayout {
        let domain = |&part: &ScalarId| {
            let domain = PartDomain::of_type(self.program.scalars.data_type(part));
            match (grid(self.ranges, part), &domain) {
                (Some(grid), PartDomain::Integer(_)) => PartDomain::Integer(grid),
                _ => domain,
            }
        };
        KeyLayout::new(key.iter().map(domain).collect())
    }

    fn reduce(
        &self,
        key: Option<&[ScalarId]>,
        aggregates: &[Aggregate],
        define: CollectionId,
        (nest, expressions): (&[Index], &Expressions),
    ) -> Result<ReducePlan> {
        let parts = key.unwrap_or_default();
        let layout = self.layout(parts);
        let aggregates = aggregates.iter().map(|aggregate| self.aggregate(aggregate, expressions));
        let mut aggregates = aggregates.collect::<Result<Vec<_>>>()?;
        share_values(&mut aggregates, expressions);
        // No more is asked of indices behind the outermost than that they keep equal values together.
        let together = |part: ScalarId| proven(self.program, nest, part, |_| false).clustered;
        let clustered = matches!(parts, [part] if together(*part)) && Technique::Ordered.is_on();
        let count = nest.first().and_then(|index| index.source.collection()).and_then(|id| self.ranges.rows(id));
        let safe = |aggregate: &AggregatePlan| aggregate.takes_any_row;
        let reads = self.reads(define);
        let rows = Rows {
            count: count.unwrap_or(0),
            clustered,
            keys_only: aggregates.is_empty(),
            numbers: aggregates.iter().all(safe).then_some(aggregates.len() as u64),
            keys_unread: reads.keys && !reads.as_rows() && Technique::OwnIndex.is_on(),
            workers: self.machine.workers as u64,
        };
        let masks = parts.iter().all(|id| self.is_safe(id, expressions)) && aggregates.iter().all(safe);
        let groups = key.is_some().then(|| GroupKind::expected(&layout, rows, &self.machine.limits));
        let index = reads.keys.then(|| IndexForm::expected(&layout, self.ranges.rows(define), &self.machine.limits));
        let partitions = partitions(&self.types(parts), &aggregates);
        // An index is made of the keys.
        let all = reads.keys || !Technique::UnreadKeys.is_on();
        let keys_read = (0..parts.len()).map(|part| all || self.fields.has(define, part)).collect();
        let (key, key_types) = (key.map(<[ScalarId]>::to_vec), self.types(parts));
        Ok(ReducePlan { key, key_types, keys_read, layout, rows, aggregates, groups, index, partitions, masks })
    }

    fn aggregate(&self, aggregate: &Aggregate, expressions: &Expressions) -> Result<AggregatePlan> {
        if aggregate.reduction.gives_rows() {
            return Err(Error::internal("top-k is the only aggregate of its loop"));
        }
        let argument = aggregate.arguments.first().copied();
        let typed: Option<(DataType, Register)> =
            argument.map(|id| (self.program.scalars.data_type(id), expressions.register(id)));
        let grid = argument.and_then(|id| grid(self.ranges, id));
        let mut kind = AggregateKind::new(aggregate, typed, grid);
        let row_text = argument.filter(|_| kind.gathers() && Technique::GatheredValues.is_on());
        let row_text = row_text.and_then(|id| expressions.row_text(id)).filter(|text| kind.fits(text));
        kind.gathers_values = row_text.is_some();
        let condition = aggregate.condition.clone();
        let safe = condition.iter().chain(&argument).all(|id| self.is_safe(id, expressions));
        let takes_any_row = safe && kind.takes_any_row();
        Ok(AggregatePlan { kind, argument, row_text, shares: None, condition, takes_any_row })
    }

    /// Whether it is proven that an index finds one row of its bucket at most: a part of the key is unique among the rows of all.
    fn finds_at_most_one(&self, index: &Index) -> bool {
        let Some((probe, _)) = index.source.probe() else { return false };
        let lets = self.program.blocks.iter().flat_map(|block| &block.lets);
        let made = lets.into_iter().find_map(|each| match each {
            Let::Loop { multiloop, defines } => {
                let at = defines.iter().position(|&define| Some(define) == index.source.collection())?;
                Some((multiloop, multiloop.generators[at].key()))
            }
            _ => None,
        });
        let Some((multiloop, key)) = made else { return false };
        let is_unique = |part: ScalarId| {
            let proofs = proven(self.program, &multiloop.nest, part, |inner| self.finds_at_most_one(inner));
            proofs.unique && (proofs.not_null || probe.iter().all(|part| !part.null_matches))
        };
        key.iter().any(|&part| is_unique(part))
    }

    /// Whether an index finds about one row, or none: buckets of no more rows than there are keys for.
    fn finds_one(&self, index: &Index) -> bool {
        let Source::Bucket { collection, .. } = &index.source else { return false };
        let lets = self.program.blocks.iter().flat_map(|block| &block.lets);
        let made = lets.filter_map(|each| match each {
            Let::Loop { multiloop, defines } => {
                let at = defines.iter().position(|define| define == collection)?;
                Some(multiloop.generators[at].key())
            }
            _ => None,
        });
        let keys = |key: &[ScalarId]| {
            let last = |grid: Grid| grid.high.saturating_sub(grid.low) / i128::from(grid.step);
            let each = |part: &ScalarId| grid(self.ranges, *part).map(last);
            key.iter().map(each).try_fold(1i128, |all, part| Some(all.saturating_mul(part?.saturating_add(1))))
        };
        let (keys, rows) = (made.into_iter().next().and_then(keys), self.ranges.rows(*collection));
        keys.zip(rows).is_some_and(|(keys, rows)| i128::from(rows) <= keys)
    }

    /// Whether a scalar asks own groups.
    fn asks_own(&self, id: ScalarId) -> bool {
        let mut asks = false;
        if !self.own.is_empty() {
            let mut seen = vec![false; self.program.scalars.len()];
            for_each_node(self.program, id, &mut seen, &mut |_, scalar| {
                asks |= matches!(scalar, Scalar::Lookup { collection, .. } if self.own.contains_key(collection));
            });
        }
        asks
    }

    /// Whether a scalar runs a nested block.
    fn asks_block(&self, id: ScalarId) -> bool {
        let (mut asks, mut seen) = (false, vec![false; self.program.scalars.len()]);
        for_each_node(self.program, id, &mut seen, &mut |_, scalar| asks |= matches!(scalar, Scalar::Nested { .. }));
        asks
    }

    /// Whether a scalar may be computed for tuples that do not need it.
    fn is_safe(&self, id: &ScalarId, expressions: &Expressions) -> bool {
        !expressions.may_fail(*id) && !self.program.scalars.effects(*id).volatile
    }
}

/// Which of the indices of a nest may say that no row of a chunk of the outermost one gives a tuple: what stands behind one
/// that lets rows pass which it does not find, or that may fail, says nothing.
fn mark_pruning(levels: &mut [LevelPlan]) {
    for level in levels {
        let (prunes, goes_on) = match level.source {
            Source::Rows(_) | Source::Bucket { .. } => (true, true),
            // What is asked behind it is asked of the unmatched rows, too.
            Source::BucketAndRest { .. } => (true, false),
            // Rows without a match go on; counts and what matches may fail.
            Source::BucketOrNull { .. } | Source::Count(_) => (false, false),
        };
        level.prunes = prunes && Technique::ChunkPruning.is_on();
        if !goes_on {
            break;
        }
    }
}

/// Where the outermost index may be cut. Collected rows show the cuts as chunks; in the order of tuples those indices show
/// them that give tuples not row by row, but first what they find for a whole tile, or for a chunk of theirs.
fn pieces(levels: &[LevelPlan], generators: &[GeneratorPlan]) -> Choice<Pieces> {
    let reduces = |generator: &GeneratorPlan| match &generator.kind {
        GeneratorKind::Reduce(_) => true,
        GeneratorKind::TopK(top_k) => !top_k.order.is_empty(),
        _ => false,
    };
    if !generators.iter().all(reduces) {
        Choice::new(Pieces::Morsels, "rows are collected in morsel order")
    } else if !keep_order(levels.iter().skip(1).map(|level| &level.source)) {
        Choice::new(Pieces::Morsels, "an index gives tuples by tile")
    } else {
        Choice::new(Pieces::Balanced, "nothing shows the cuts")
    }
}

/// Has percentiles and modes of the same values of the same rows gather these once.
fn share_values(aggregates: &mut [AggregatePlan], expressions: &Expressions) {
    if !Technique::SharedValues.is_on() {
        return;
    }
    let is_volatile = |id: &ScalarId| expressions.nodes[expressions.number(*id)].volatile;
    for at in 1..aggregates.len() {
        let own = &aggregates[at];
        if !own.kind.chooses() || own.condition.iter().chain(&own.argument).any(is_volatile) {
            continue;
        }
        let has_values = |other: &AggregatePlan| {
            let is_like = other.argument == own.argument && other.condition == own.condition;
            is_like && other.kind.chooses() && other.shares.is_none()
        };
        aggregates[at].shares = aggregates[..at].iter().position(has_values);
    }
}

/// Notes how a loop is asked, and whether its rows ask blocks one by one or a few at once: they are cut finely then.
fn note_asking(
    plan: &mut LoopPlan,
    batch: Option<&Batch>,
    (batches, searched): (&FxHashMap<BlockId, Batch>, &FxHashMap<BlockId, Searched>),
) {
    plan.finds = batch.is_some_and(|batch| batch.exists);
    let asks = |node: &Node| match &node.operation {
        Operation::Nested { block, captures, .. } => {
            !captures.is_empty() && !batches.contains_key(block) && !searched.contains_key(block)
        }
        _ => false,
    };
    if plan.expressions.nodes.iter().any(asks) {
        plan.pieces = Choice::new(Pieces::Asking, "rows ask blocks of their own");
    }
}

/// Whether rows of a reduction may be partitioned by their keys: these can be told from their codes, and every row counts
/// alike.
fn partitions(key_types: &[DataType], aggregates: &[AggregatePlan]) -> Choice<bool> {
    if !Technique::RadixPartition.is_on() {
        return Choice::new(false, "switched off");
    }
    if key_types.contains(&DataType::Interval) {
        return Choice::new(false, "an interval is part of the key");
    }
    if aggregates.iter().any(|aggregate| !aggregate.condition.is_empty()) {
        return Choice::new(false, "an aggregate is filtered");
    }
    if aggregates.iter().any(|aggregate| aggregate.kind.reduction.properties().state == State::Texts) {
        return Choice::new(false, "an aggregate keeps the places of its rows");
    }
    Choice::new(true, "once there are many groups whose rows lie apart")
}
