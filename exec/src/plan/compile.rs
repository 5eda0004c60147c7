//! What is decided about a program before it runs: where each condition is evaluated, how keys are laid out, which
//! collections need an index or their keys as rows, and which lets of nested blocks can be computed once.

use crate::plan::aggregate::AggregateKind;
use crate::plan::group_kind::Rows;
use crate::plan::in_place::InPlace;
use crate::plan::invariance;
use crate::plan::key_layout::{KeyLayout, PartDomain};
use crate::plan::nodes::Expressions;
use crate::plan::register::Register;
use crate::technique::Technique;
use crate::{Error, Result};
use multiloop_planner::analysis::own_groups::own_groups;
use multiloop_planner::analysis::ranges::{Grid, Ranges};
use multiloop_planner::multiloop::kept::proven;
use multiloop_planner::multiloop::uses::for_each_node;
use multiloop_planner::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId,
    Source,
};
use multiloop_planner::types::{DataType, SortOrder};
use rustc_hash::{FxHashMap, FxHashSet};

/// A compiled program.
pub(crate) struct Plan<'p> {
    pub(crate) program: &'p Program,
    /// What is proven about its values.
    pub(crate) ranges: Ranges,
    /// By block, then by let.
    pub(crate) blocks: Vec<Vec<LetPlan<'p>>>,
    /// Collections that are read as rows.
    pub(crate) read_as_rows: FxHashSet<CollectionId>,
    /// Collections that are read in any way.
    pub(crate) read: FxHashSet<CollectionId>,
    /// Collections in which keys are looked up.
    pub(crate) looked_up: FxHashSet<CollectionId>,
    /// Groups that the rows which ask for them can make of their neighbours: the loop that would make all, and the field of
    /// its table that is the key.
    pub(crate) own: FxHashMap<CollectionId, OwnKey>,
    /// Groups whose only reader is a loop over them, by block and let, that begins with conditions on nothing else.
    pub(crate) readers: FxHashMap<CollectionId, (BlockId, usize)>,
}

/// Where own groups come from.
#[derive(Clone, Copy)]
pub(crate) struct OwnKey {
    /// The loop that would make all of them, by block and let, and which of its generators.
    pub(crate) made: (BlockId, usize),
    pub(crate) generator: usize,
    pub(crate) table: CollectionId,
    pub(crate) field: u32,
}

/// A compiled let.
pub(crate) struct LetPlan<'p> {
    pub(crate) defines: &'p [CollectionId],
    pub(crate) kind: LetKind<'p>,
    /// Whether it gives the same whatever rows enclosing loops stand on, so that once is enough.
    pub(crate) invariant: bool,
}

/// What a let does.
pub(crate) enum LetKind<'p> {
    Loop(LoopPlan<'p>),
    Sort { input: CollectionId, order: &'p [(u32, SortOrder)] },
    Concat { inputs: &'p [CollectionId] },
    Values { expressions: Expressions, rows: &'p [Vec<ScalarId>] },
}

/// A compiled loop.
pub(crate) struct LoopPlan<'p> {
    pub(crate) expressions: Expressions,
    /// The ids of the nest's indices.
    pub(crate) indices: Vec<IndexId>,
    pub(crate) levels: Vec<LevelPlan<'p>>,
    pub(crate) generators: Vec<GeneratorPlan<'p>>,
    /// What follows where an index has a rest: the rest of its rows, and the indices behind it. Those in front are NULL.
    pub(crate) rest: Option<Box<LoopPlan<'p>>>,
}

/// One index of a nest.
pub(crate) struct LevelPlan<'p> {
    pub(crate) source: &'p Source,
    /// What a row of the source must pass to count as found, without what can be known before.
    pub(crate) matches: Vec<ScalarId>,
    /// What all generators ask of a tuple, as far as it can be known once this index is reached.
    pub(crate) conditions: Vec<ScalarId>,
    /// Whether one row is as good as all that it goes over for a tuple: nothing reads them, and nothing counts them.
    pub(crate) one: bool,
}

/// One generator of a loop.
pub(crate) struct GeneratorPlan<'p> {
    /// What is left of its conditions behind the last index.
    pub(crate) conditions: Vec<ScalarId>,
    pub(crate) kind: GeneratorKind<'p>,
}

/// What a generator does with a tuple.
pub(crate) enum GeneratorKind<'p> {
    Collect {
        value: &'p [ScalarId],
        types: Vec<DataType>,
    },
    TopK(TopKPlan<'p>),
    BucketCollect {
        key: &'p [ScalarId],
        key_types: Vec<DataType>,
        value: &'p [ScalarId],
        types: Vec<DataType>,
        in_place: Option<InPlace>,
    },
    Reduce(ReducePlan<'p>),
}

/// Reduce (no key) and BucketReduce.
pub(crate) struct ReducePlan<'p> {
    /// None for Reduce, which has its one group even without rows.
    pub(crate) key: Option<&'p [ScalarId]>,
    pub(crate) key_types: Vec<DataType>,
    pub(crate) layout: KeyLayout,
    /// How many rows come, and how.
    pub(crate) rows: Rows,
    pub(crate) aggregates: Vec<AggregatePlan<'p>>,
    /// Whether tuples that conditions drop may be fed to it with a mask that says so: as `spills`, of all that is
    /// computed for them.
    pub(crate) masks: bool,
}

impl GeneratorPlan<'_> {
    /// Whether a row that comes twice is as good as one.
    fn counts_nothing(&self) -> bool {
        use Reduction::{All, Any, First, Max, Min};
        let takes_one = |plan: &AggregatePlan<'_>| matches!(plan.kind.reduction, Any | All | First | Max | Min);
        matches!(&self.kind, GeneratorKind::Reduce(reduce) if reduce.aggregates.iter().all(takes_one))
    }
}

impl ReducePlan<'_> {
    /// Whether one row can decide all of it: it is Any or All of all rows.
    pub(crate) fn can_be_decided(&self) -> bool {
        let decides = |plan: &AggregatePlan<'_>| matches!(plan.kind.reduction, Reduction::Any | Reduction::All);
        self.key.is_none() && self.aggregates.len() == 1 && self.aggregates.iter().all(decides)
    }
}

/// One aggregate.
pub(crate) struct AggregatePlan<'p> {
    pub(crate) kind: AggregateKind,
    pub(crate) argument: Option<ScalarId>,
    pub(crate) condition: &'p [ScalarId],
    /// Whether tuples that conditions drop may be fed to it in a group that nobody reads: nothing that is computed for
    /// them can fail, and the accumulator does not mind.
    pub(crate) takes_any_row: bool,
    /// Whether one row of a group is as good as any other: only those that begin a group need be looked at.
    pub(crate) takes_first_row: bool,
}

impl AggregatePlan<'_> {
    /// Whether a tile's tuples may all be fed to it though it has a condition.
    pub(crate) fn spills(&self) -> bool {
        self.takes_any_row && !self.condition.is_empty() && Technique::PutAside.is_on()
    }
}

/// A top-k.
pub(crate) struct TopKPlan<'p> {
    /// Order keys, then fields.
    pub(crate) arguments: &'p [ScalarId],
    pub(crate) types: Vec<DataType>,
    pub(crate) order: &'p [SortOrder],
    pub(crate) limit: ScalarId,
    pub(crate) offset: ScalarId,
    /// Whether rows that are known not to be among the first may be left out before their fields are computed: nothing
    /// that is computed of them may fail.
    pub(crate) rejects: bool,
}

impl<'p> Plan<'p> {
    /// Compiles a program.
    pub(crate) fn new(program: &'p Program) -> Result<Self> {
        let ranges = Ranges::analyse(program);
        let (read_as_rows, looked_up, mut read) = uses(program);
        let own = if Technique::OwnGroups.is_on() { own(program) } else { FxHashMap::default() };
        let mut compiler =
            Compiler { program, ranges: &ranges, read_as_rows: &read_as_rows, looked_up: &looked_up, own: &own };
        let variant = invariance::variant_collections(program);
        let mut blocks = Vec::with_capacity(program.blocks.len());
        for block in &program.blocks {
            let lets = block.lets.iter().map(|definition| {
                Ok(LetPlan {
                    defines: definition.defines(),
                    kind: compiler.definition(definition)?,
                    invariant: definition.defines().iter().all(|id| !variant.contains(id)),
                })
            });
            blocks.push(lets.collect::<Result<Vec<_>>>()?);
        }
        read.extend(read_as_rows.iter().chain(&looked_up));
        let readers = readers(program, &blocks);
        Ok(Plan { program, ranges, blocks, read_as_rows, read, looked_up, own, readers })
    }

    /// The types of a collection's fields.
    pub(crate) fn types(&self, collection: CollectionId) -> Vec<DataType> {
        self.program.collection(collection).fields.iter().map(|field| field.data_type).collect()
    }
}

struct Compiler<'p, 'r> {
    program: &'p Program,
    ranges: &'r Ranges,
    read_as_rows: &'r FxHashSet<CollectionId>,
    looked_up: &'r FxHashSet<CollectionId>,
    own: &'r FxHashMap<CollectionId, OwnKey>,
}

impl<'p> Compiler<'p, '_> {
    fn definition(&mut self, definition: &'p Let) -> Result<LetKind<'p>> {
        Ok(match definition {
            Let::Loop { multiloop, .. } => LetKind::Loop(self.multiloop(multiloop, definition.defines())?),
            Let::Sort { input, order, .. } => LetKind::Sort { input: *input, order },
            Let::Concat { inputs, .. } => LetKind::Concat { inputs },
            Let::Values { rows, .. } => {
                let roots: Vec<ScalarId> = rows.iter().flatten().copied().collect();
                LetKind::Values { expressions: Expressions::compile(self.program, &[], &roots, self.ranges)?, rows }
            }
        })
    }

    fn multiloop(&mut self, multiloop: &'p Multiloop, defines: &[CollectionId]) -> Result<LoopPlan<'p>> {
        let rest = multiloop.rest().map(|at| self.nest(multiloop, defines, at).map(Box::new)).transpose()?;
        Ok(LoopPlan { rest, ..self.nest(multiloop, defines, 0)? })
    }

    /// The plan of a loop from one of its indices on, with those in front of it on no row.
    fn nest(&mut self, multiloop: &'p Multiloop, defines: &[CollectionId], first: usize) -> Result<LoopPlan<'p>> {
        let (absent, nest) = multiloop.nest.split_at(first);
        let mut roots: Vec<ScalarId> = Vec::new();
        // What a rest is of is given.
        let asking = if first > 0 { &nest[1..] } else { nest };
        for index in asking {
            roots.extend(index.source.scalars());
        }
        for generator in &multiloop.generators {
            roots.extend(generator.scalars());
        }
        let expressions = Expressions::compile_without(self.program, (absent, nest), &roots, self.ranges)?;
        let level = |index: &'p Index| LevelPlan {
            source: &index.source,
            matches: index.source.probe().map_or_else(Vec::new, |(_, condition)| condition.to_vec()),
            conditions: Vec::new(),
            one: false,
        };
        let mut levels: Vec<LevelPlan<'p>> = nest.iter().map(level).collect();
        let moved = self.move_conditions(nest, &multiloop.generators, &expressions, &mut levels);
        if let (Some(at), 0) = (multiloop.rest(), first) {
            self.move_matches(nest, at, &expressions, &mut levels);
        }
        let mut generators = Vec::new();
        for (generator, define) in multiloop.generators.iter().zip(defines) {
            let left = generator.condition().iter().copied().filter(|condition| !moved.contains(condition));
            let conditions: Vec<ScalarId> = left.collect();
            let mut kind = self.generator(generator, nest, &expressions)?;
            match &mut kind {
                _ if self.read_as_rows.contains(define) => {}
                GeneratorKind::BucketCollect { key, value, in_place, .. } if conditions.is_empty() => {
                    *in_place = InPlace::new(self.program, self.ranges, nest, &levels, (*key, *value));
                }
                GeneratorKind::Reduce(reduce) => {
                    reduce.rows.keys_unread = self.looked_up.contains(define) && Technique::OwnIndex.is_on();
                }
                _ => {}
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
        let indices = nest.iter().map(|index| index.id).collect();
        Ok(LoopPlan { expressions, indices, levels, generators, rest: None })
    }

    /// Has the conditions that all generators ask for checked as soon as they can be known, and says which. Nothing
    /// is moved past what may fail, in either direction: a row that would have failed must still do so. Nor to an index in
    /// front of one that has a rest, of which they are asked, too. Own groups are made for the rows that are left behind all
    /// indices, unless these multiply rows.
    fn move_conditions(
        &self,
        nest: &[Index],
        generators: &[Generator],
        expressions: &Expressions,
        levels: &mut [LevelPlan<'_>],
    ) -> FxHashSet<ScalarId> {
        let stays = |id: ScalarId| !self.is_safe(&id, expressions);
        // The key of what a rest is of is not asked for once more.
        let stops = |(at, index): (usize, &Index)| {
            let has_rest = matches!(index.source, Source::BucketAndRest { .. });
            has_rest || (at > 0 && index.source.scalars().into_iter().any(stays))
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
            if moved.insert(condition) {
                levels[first.max(expressions.reach(condition).max(1) - 1)].conditions.push(condition);
            }
        }
        moved
    }

    /// Has what must hold for a row to be found by an index that has a rest checked as soon as it can be known: without it the
    /// indices in front find nothing.
    fn move_matches(&self, nest: &[Index], at: usize, expressions: &Expressions, levels: &mut [LevelPlan<'_>]) {
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
        generator: &'p Generator,
        nest: &[Index],
        expressions: &Expressions,
    ) -> Result<GeneratorKind<'p>> {
        Ok(match generator {
            Generator::Collect { value, .. } => GeneratorKind::Collect { value, types: self.types(value) },
            Generator::BucketCollect { key, value, .. } => {
                let (key_types, types) = (self.types(key), self.types(value));
                GeneratorKind::BucketCollect { key, key_types, value, types, in_place: None }
            }
            Generator::Reduce { aggregates, .. } => match &aggregates[..] {
                [Aggregate { reduction: Reduction::TopK { order, limit, offset }, arguments, .. }] => {
                    GeneratorKind::TopK(TopKPlan {
                        arguments,
                        types: self.types(arguments),
                        order,
                        limit: *limit,
                        offset: *offset,
                        rejects: Technique::TopKRejects.is_on()
                            && arguments.iter().all(|id| self.is_safe(id, expressions)),
                    })
                }
                _ => GeneratorKind::Reduce(self.reduce(None, aggregates, (nest, expressions))?),
            },
            Generator::BucketReduce { key, aggregates, .. } => {
                GeneratorKind::Reduce(self.reduce(Some(key), aggregates, (nest, expressions))?)
            }
        })
    }

    fn reduce(
        &self,
        key: Option<&'p [ScalarId]>,
        aggregates: &'p [Aggregate],
        (nest, expressions): (&[Index], &Expressions),
    ) -> Result<ReducePlan<'p>> {
        let parts = key.unwrap_or_default();
        let domains = parts.iter().map(|&part| {
            let domain = PartDomain::of_type(self.program.scalars.data_type(part));
            match (grid(self.ranges, part), &domain) {
                (Some(grid), PartDomain::Integer(_)) => PartDomain::Integer(grid),
                _ => domain,
            }
        });
        let layout = KeyLayout::new(domains.collect());
        let aggregates = aggregates.iter().map(|aggregate| self.aggregate(aggregate, expressions));
        let aggregates = aggregates.collect::<Result<Vec<_>>>()?;
        // No more is asked of indices behind the outermost than that they keep equal values together.
        let together = |part: ScalarId| proven(self.program, nest, part, |_| false).clustered;
        let clustered = matches!(parts, [part] if together(*part)) && Technique::Ordered.is_on();
        let count = nest.first().and_then(|index| index.source.collection()).and_then(|id| self.ranges.rows(id));
        let safe = |aggregate: &AggregatePlan<'_>| aggregate.takes_any_row;
        let rows = Rows {
            count: count.unwrap_or(0),
            clustered,
            keys_only: aggregates.is_empty(),
            numbers: aggregates.iter().all(safe).then_some(aggregates.len() as u64),
            keys_unread: false,
            workers: 1,
        };
        let masks = parts.iter().all(|id| self.is_safe(id, expressions)) && aggregates.iter().all(safe);
        Ok(ReducePlan { key, key_types: self.types(parts), layout, rows, aggregates, masks })
    }

    fn aggregate(&self, aggregate: &'p Aggregate, expressions: &Expressions) -> Result<AggregatePlan<'p>> {
        if matches!(aggregate.reduction, Reduction::TopK { .. }) {
            return Err(Error::internal("top-k is the only aggregate of its loop"));
        }
        let argument = aggregate.arguments.first().copied();
        let typed: Option<(DataType, Register)> =
            argument.map(|id| (self.program.scalars.data_type(id), expressions.register(id)));
        let grid = argument.and_then(|id| grid(self.ranges, id));
        let kind = AggregateKind::new(aggregate, typed, grid);
        let condition = &aggregate.condition[..];
        let safe = condition.iter().chain(&argument).all(|id| self.is_safe(id, expressions));
        let takes_any_row = safe && kind.takes_any_row();
        let is_first = aggregate.reduction == Reduction::First && Technique::FirstRows.is_on();
        let takes_first_row = safe && condition.is_empty() && is_first;
        Ok(AggregatePlan { kind, argument, condition, takes_any_row, takes_first_row })
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

    /// Whether a scalar may be computed for tuples that do not need it.
    fn is_safe(&self, id: &ScalarId, expressions: &Expressions) -> bool {
        !expressions.may_fail(*id) && !self.program.scalars.effects(*id).volatile
    }
}

/// Groups whose only reader is a loop over them, in the same block, whose first conditions read nothing but their rows,
/// and cannot fail.
fn readers(program: &Program, blocks: &[Vec<LetPlan<'_>>]) -> FxHashMap<CollectionId, (BlockId, usize)> {
    let mut reads: FxHashMap<CollectionId, usize> = FxHashMap::default();
    let mut read = |collection: CollectionId| *reads.entry(collection).or_default() += 1;
    for block in &program.blocks {
        read(block.result);
        for definition in &block.lets {
            match definition {
                Let::Loop { multiloop, .. } => {
                    multiloop.nest.iter().filter_map(|index| index.source.collection()).for_each(&mut read);
                }
                Let::Sort { input, .. } => read(*input),
                Let::Concat { inputs, .. } => inputs.iter().copied().for_each(&mut read),
                Let::Values { .. } => {}
            }
        }
    }
    for id in 0..program.scalars.len() {
        match program.scalars.get(ScalarId(id as u32)) {
            Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Single { collection, .. } => read(*collection),
            _ => {}
        }
    }
    let mut readers = FxHashMap::default();
    for (block, lets) in blocks.iter().enumerate() {
        for (number, definition) in lets.iter().enumerate() {
            let LetKind::Loop(plan) = &definition.kind else { continue };
            let ([index, ..], [LevelPlan { source: Source::Rows(collection), conditions, .. }, ..]) =
                (&plan.indices[..], &plan.levels[..])
            else {
                continue;
            };
            let here = lets.iter().any(|other| other.defines.contains(collection));
            let own = |&id: &ScalarId| reads_only(program, id, *index) && !plan.expressions.may_fail(id);
            if here && reads.get(collection) == Some(&1) && !conditions.is_empty() && conditions.iter().all(own) {
                readers.insert(*collection, (BlockId(block as u32), number));
            }
        }
    }
    readers
}

/// The own groups of a program, and their keys.
fn own(program: &Program) -> FxHashMap<CollectionId, OwnKey> {
    let known = own_groups(program);
    let mut own = FxHashMap::default();
    for (block, lets) in program.blocks.iter().enumerate().filter(|_| !known.is_empty()) {
        for (number, definition) in lets.lets.iter().enumerate() {
            let Let::Loop { multiloop, defines } = definition else { continue };
            let [Index { source: Source::Rows(table), .. }] = &multiloop.nest[..] else { continue };
            for (generator, define) in defines.iter().enumerate().filter(|(_, define)| known.contains(define)) {
                let &[key] = multiloop.generators[generator].key() else { continue };
                if let &Scalar::Column { field, .. } = program.scalars.get(key) {
                    let made = (BlockId(block as u32), number);
                    own.insert(*define, OwnKey { made, generator, table: *table, field });
                }
            }
        }
    }
    own
}

/// Whether a scalar is the same whenever it is computed, and reads nothing but the row of an index.
fn reads_only(program: &Program, scalar: ScalarId, row: IndexId) -> bool {
    let scalars = &program.scalars;
    match scalars.get(scalar) {
        Scalar::Column { index, .. } => *index == row,
        Scalar::Constant(_) => true,
        Scalar::Call { arguments, .. } => {
            !scalars.effects(scalar).volatile && arguments.iter().all(|&argument| reads_only(program, argument, row))
        }
        _ => false,
    }
}

/// Which collections are read as rows, which by key outside of nests, and which in other ways.
fn uses(program: &Program) -> (FxHashSet<CollectionId>, FxHashSet<CollectionId>, FxHashSet<CollectionId>) {
    let (mut rows, mut keys, mut other) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    for block in &program.blocks {
        rows.insert(block.result);
        for definition in &block.lets {
            match definition {
                Let::Loop { multiloop, .. } => {
                    for index in &multiloop.nest {
                        match &index.source {
                            Source::Rows(collection) => rows.insert(*collection),
                            source => source.collection().is_some_and(|collection| other.insert(collection)),
                        };
                    }
                }
                Let::Sort { input, .. } => {
                    rows.insert(*input);
                }
                Let::Concat { inputs, .. } => rows.extend(inputs),
                Let::Values { .. } => {}
            }
        }
    }
    for id in 0..program.scalars.len() {
        match program.scalars.get(ScalarId(id as u32)) {
            Scalar::Lookup { collection, .. } | Scalar::Exists { collection, .. } => keys.insert(*collection),
            Scalar::Single { collection, .. } => other.insert(*collection),
            _ => false,
        };
    }
    (rows, keys, other)
}

/// The integers among which those of a scalar are, if it is integer-like.
pub(crate) fn grid(ranges: &Ranges, scalar: ScalarId) -> Option<Grid> {
    if Technique::KeySteps.is_on() {
        return ranges.grid(scalar);
    }
    ranges.of(scalar).map(|(low, high)| Grid::of_range(low, high))
}
