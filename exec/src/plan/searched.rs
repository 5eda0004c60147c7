//! Nested blocks that are answered by search among rows in order.
//!
//! A nested block that reduces the rows which compare with the row that asks is answered without going over them: the rows are
//! collected once, in the order of what is compared, with running results from either end, and each row that asks finds its
//! place by binary search.
//!
//! ```text
//! block of an asking row i:  Reduce[j …](c(i, j) && s(j) < t(i))(f(i, j))(r)
//!                         →  rows of i's c and f:   Sort(Collect[j …](c(i, j))(s(j), f(i, j)))   and running r
//!                            answer:                running r in front of the first row whose s is not less than t(i)
//! ```
//!
//! What c and f read of the row that asks is the *binding* of its rows: rows that agree in it are answered from the same rows in
//! order. Of several comparisons any may be the one that is searched by, and of EXISTS or ANY a second one the one that an extreme
//! answers: some value in a range is less than t exactly if the least one is. Each choice is a candidate; which one pays shows
//! when rows ask (`cpu/multiloop/searched.rs`): the one whose bindings come again.
//!
//! Not done for: blocks of several lets; what may fail or is volatile, because c and f are evaluated for rows that the comparison
//! would have left out; what reads collections that other rows change; reductions that are no running ones, as sums of floats,
//! which are rounded once.

use crate::plan::invariance::variant_collections;
use crate::plan::nodes::captured;
use crate::technique::Technique;
use multiloop_planner::function::{Function, mirrored};
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::uses::{FreeIndices, collections_read, nested_of};
use multiloop_planner::multiloop::{
    Aggregate, Block, BlockId, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId,
    Shape,
};
use multiloop_planner::rewrite::substitute::Substitution;
use multiloop_planner::types::{DataType, Field, SortOrder};
use multiloop_planner::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Ways to answer a block that are tried, at most.
const CANDIDATES_MAX: usize = 4;

/// Blocks that are added to a program, at most: a block in a block has candidates in each candidate of the outer one.
const BLOCKS_MAX: usize = 48;

/// Blocks that are looked at, at most: statements with more of them are written by machines.
const QUESTIONS_MAX: usize = 256;

/// A block that may be answered by search: the ways to do so, those with the fewest captures in their binding first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Searched {
    pub(crate) candidates: Vec<Candidate>,
    /// What the block's outermost index goes over.
    pub(crate) over: CollectionId,
}

/// A way to answer a block by search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Candidate {
    /// Collects the rows of a binding, in order.
    pub(crate) block: BlockId,
    /// The binding: positions among what the block captures.
    pub(crate) binding: Vec<usize>,
    /// How a row's first field compares with what is searched for; all rows are the range without it.
    pub(crate) search: Option<(Function, Outer)>,
    pub(crate) goal: Goal,
}

/// What is asked of the rows in a range.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Goal {
    /// Whether one is what is searched for; NULL if NULLs leave that open.
    Matches,
    /// Whether the value of a field compares so in some row.
    Compares {
        function: Function,
        field: usize,
        outer: Outer,
        /// Whether NULLs leave the answer open: ANY's do, those of a condition do not.
        three_valued: bool,
    },
    /// Aggregates, in the order of the block's fields.
    Aggregates(Vec<Running>),
}

/// A running aggregate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) kind: RunningKind,
    /// The field that it is fed; all rows count without one.
    pub(crate) field: Option<usize>,
    /// The field that is TRUE in rows that count; all do without one.
    pub(crate) condition: Option<usize>,
}

/// The reductions that have running results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RunningKind {
    Count,
    /// The sum of integers, or of decimals of one scale; of the bounds that the result's type has.
    Sum {
        decimal: bool,
        low: i128,
        high: i128,
    },
    Least,
    Greatest,
    Any,
    All,
}

/// A value that a row which asks gives: an expression of what it captures, as the block has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outer {
    Captured(usize),
    Constant(Value),
    Parameter(u32),
    Call { function: Function, arguments: Vec<Outer>, types: Vec<DataType>, result: DataType },
}

/// The program with the blocks of candidates, which nothing reads, and for which blocks they are; none if there is no such block.
pub(crate) fn with_searched(program: &Program) -> Option<(Program, FxHashMap<BlockId, Searched>)> {
    if program.blocks.len() == 1 || !Technique::SearchedBlocks.is_on() {
        return None;
    }
    let mut waiting: Vec<BlockId> = nested_in(program, &live_blocks(program));
    if !waiting.iter().any(|&block| Question::of(program, block).is_some()) {
        return None;
    }
    let (mut all, mut searched) = (program.clone(), FxHashMap::default());
    let mut variant = variant_collections(program, &[]);
    let (mut blocks, mut questions) = (BLOCKS_MAX, QUESTIONS_MAX);
    while let Some(block) = waiting.pop() {
        if searched.contains_key(&block) {
            continue;
        }
        if blocks < CANDIDATES_MAX || questions == 0 {
            break;
        }
        questions -= 1;
        let Some(found) = searched_block(&mut all, block, &variant) else { continue };
        blocks -= found.candidates.len();
        // What these blocks ask, they ask of copies.
        let copies = reached(&all, found.candidates.iter().map(|candidate| candidate.block));
        waiting.extend(nested_in(&all, &copies));
        searched.insert(block, found);
        variant = variant_collections(&all, &roots(&searched));
    }
    (!searched.is_empty()).then_some((all, searched))
}

/// The blocks of all candidates.
pub(crate) fn roots(searched: &FxHashMap<BlockId, Searched>) -> Vec<BlockId> {
    let candidates = searched.values().flat_map(|searched| &searched.candidates);
    let mut roots: Vec<BlockId> = candidates.map(|candidate| candidate.block).collect();
    roots.sort_unstable();
    roots
}

/// These blocks and all that are nested in them.
pub(crate) fn reached(program: &Program, roots: impl IntoIterator<Item = BlockId>) -> Vec<BlockId> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut waiting: Vec<BlockId> = roots.into_iter().collect();
    while let Some(block) = waiting.pop() {
        if seen.insert(block) {
            found.push(block);
            waiting.extend(nested_in(program, &[block]));
            waiting.extend(program.block(block).lets.iter().filter_map(Let::step));
        }
    }
    found
}

/// The blocks that scalars of these ask.
fn nested_in(program: &Program, blocks: &[BlockId]) -> Vec<BlockId> {
    let lets = blocks.iter().flat_map(|&block| &program.block(block).lets);
    let mut asked: Vec<BlockId> = lets.flat_map(|each| nested_of(program, each)).map(|(_, block, _)| block).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// A nested Reduce, taken apart.
struct Question<'p> {
    multiloop: &'p Multiloop,
    condition: &'p [ScalarId],
    aggregates: &'p [Aggregate],
    over: CollectionId,
    captures: Vec<ScalarId>,
}

impl<'p> Question<'p> {
    fn of(program: &'p Program, id: BlockId) -> Option<Self> {
        let block = program.block(id);
        let [Let::Loop { defines, multiloop }] = &block.lets[..] else { return None };
        let ([define], [Generator::Reduce { condition, aggregates }]) = (&defines[..], &multiloop.generators[..])
        else {
            return None;
        };
        let over = multiloop.nest[0].source.collection()?;
        let scalars = &program.scalars;
        let mut is_pure = true;
        block.lets[0].for_each_scalar(|id| is_pure &= !scalars.effects(id).may_fail && !scalars.effects(id).volatile);
        if *define != block.result || !is_pure || multiloop.rest().is_some() {
            return None;
        }
        let captures = captured(program, id);
        (!captures.is_empty()).then_some(Question { multiloop, condition, aggregates, over, captures })
    }
}

/// A comparison across: what an inner value is to the outer one.
#[derive(Clone)]
struct Comparison {
    /// The condition that it is; none if it is what is ANY.
    condition: Option<ScalarId>,
    function: Function,
    inner: ScalarId,
    outer: Outer,
}

/// A candidate that has no block yet.
struct Choice {
    /// The fields of its rows.
    value: Vec<ScalarId>,
    /// The conditions that its rows do not have to pass.
    without: Vec<ScalarId>,
    search: Option<(Function, Outer)>,
    goal: Goal,
}

fn searched_block(program: &mut Program, id: BlockId, variant: &FxHashSet<CollectionId>) -> Option<Searched> {
    let question = Question::of(program, id)?;
    if !reads_fixed(program, id, variant) {
        return None;
    }
    let (over, captures) = (question.over, question.captures.clone());
    let (multiloop, condition) = (question.multiloop.clone(), question.condition.to_vec());
    let choices = choices(program, &question);
    let mut found: Vec<(Vec<usize>, Choice)> = Vec::new();
    for choice in choices {
        let block = add_rows(program, &multiloop, &condition, &choice);
        let reads = captured(program, block);
        program.blocks.pop();
        let binding: Vec<usize> = (0..captures.len()).filter(|&at| reads.contains(&captures[at])).collect();
        if binding.len() < captures.len() && !found.iter().any(|(other, _)| *other == binding) {
            found.push((binding, choice));
        }
    }
    found.sort_by_key(|(binding, _)| binding.len());
    // Rows that serve all who ask are made once.
    let count = if found.first()?.0.is_empty() { 1 } else { CANDIDATES_MAX };
    let candidate = |(binding, choice): (Vec<usize>, Choice)| {
        let rows = add_rows(program, &multiloop, &condition, &choice);
        let block = Substitution::copying().block(program, rows);
        // Its indices and collections are those of the copy.
        program.blocks[rows.0 as usize].lets.clear();
        Candidate { block, binding, search: choice.search, goal: choice.goal }
    };
    let candidates = found.into_iter().take(count).map(candidate).collect();
    Some(Searched { candidates, over })
}

/// Whether a block reads no collection of a block around it that other rows change.
fn reads_fixed(program: &Program, id: BlockId, variant: &FxHashSet<CollectionId>) -> bool {
    let own: FxHashSet<CollectionId> = reached(program, [id])
        .into_iter()
        .flat_map(|block| &program.block(block).lets)
        .flat_map(|each| each.defines().to_vec())
        .collect();
    let lets = program.block(id).lets.iter();
    lets.flat_map(|each| collections_read(program, each)).all(|read| own.contains(&read) || !variant.contains(&read))
}

/// A block that collects the rows of a choice, in order.
fn add_rows(program: &mut Program, multiloop: &Multiloop, condition: &[ScalarId], choice: &Choice) -> BlockId {
    let mut value = choice.value.clone();
    if value.is_empty() {
        value.push(program.scalars.constant(Value::Boolean(true), DataType::Boolean));
    }
    let field = |(at, &id): (usize, &ScalarId)| Field::new(format!("f{at}"), program.scalars.data_type(id), true);
    let fields: Vec<Field> = value.iter().enumerate().map(field).collect();
    let condition = condition.iter().copied().filter(|id| !choice.without.contains(id)).collect();
    let collected = program.add_collection(fields.clone(), Shape::Rows);
    let generators = vec![Generator::Collect { condition, value }];
    let rows =
        Let::Loop { defines: vec![collected], multiloop: Multiloop { nest: multiloop.nest.clone(), generators } };
    if choice.search.is_none() {
        return program.add_block(Block { lets: vec![rows], result: collected });
    }
    let sorted = program.add_collection(fields, Shape::Rows);
    let ascending = SortOrder { descending: false, nulls_first: false };
    let sort = Let::Sort { define: sorted, input: collected, order: vec![(0, ascending)] };
    program.add_block(Block { lets: vec![rows, sort], result: sorted })
}

/// All ways to answer a question, whatever their rows depend on.
fn choices(program: &Program, question: &Question<'_>) -> Vec<Choice> {
    let mut across = Across { program, free: FreeIndices::default(), own: Vec::new(), captures: &question.captures };
    across.own.extend(question.multiloop.nest.iter().map(|index| index.id));
    let compared = |across: &mut Across<'_>, id: ScalarId| {
        let found = across.comparison(id)?;
        (found.function != Function::Equal).then_some(Comparison { condition: Some(id), ..found })
    };
    let conditions: Vec<Comparison> = question.condition.iter().filter_map(|&id| compared(&mut across, id)).collect();
    let mut choices = Vec::new();
    let extremes = |three_valued: bool, asked: &Comparison, searches: &[Comparison]| {
        let others = searches.iter().filter(|search| search.condition != asked.condition).map(Some);
        let choices = others.chain([None]).map(|search| Choice::extreme(three_valued, asked, search));
        choices.collect::<Vec<Choice>>()
    };
    let only = if let [only] = question.aggregates { Some(only) } else { None };
    if only.is_some_and(|only| only.is_any_true(&program.scalars)) {
        choices.extend(conditions.iter().flat_map(|asked| extremes(false, asked, &conditions)));
        return choices;
    }
    if let Some(Aggregate { reduction: Reduction::Any, arguments, condition, .. }) = only
        && condition.is_empty()
        && let Some(asked) = across.comparison(arguments[0])
    {
        match asked.function {
            Function::Equal => choices.push(Choice {
                value: vec![asked.inner],
                without: Vec::new(),
                search: Some((asked.function, asked.outer)),
                goal: Goal::Matches,
            }),
            _ => choices.extend(extremes(true, &asked, &conditions)),
        }
    }
    for search in conditions {
        choices.extend(Choice::running(program, question.aggregates, search));
    }
    choices
}

impl Choice {
    /// Whether something compares so, among the rows that a search gives, or all.
    fn extreme(three_valued: bool, asked: &Comparison, search: Option<&Comparison>) -> Choice {
        let value = search.map(|search| search.inner).into_iter().chain([asked.inner]).collect::<Vec<_>>();
        Choice {
            without: search.into_iter().chain([asked]).filter_map(|each| each.condition).collect(),
            search: search.map(|search| (search.function, search.outer.clone())),
            goal: Goal::Compares {
                function: asked.function,
                field: value.len() - 1,
                outer: asked.outer.clone(),
                three_valued,
            },
            value,
        }
    }

    /// Running aggregates, if all of these are.
    fn running(program: &Program, aggregates: &[Aggregate], search: Comparison) -> Option<Choice> {
        let mut value = vec![search.inner];
        let mut field = |id: ScalarId| {
            value.push(id);
            value.len() - 1
        };
        let running = |aggregate: &Aggregate| {
            let kind = kind_of(program, aggregate)?;
            let condition = match &aggregate.condition[..] {
                [] => None,
                [only] => Some(field(*only)),
                _ => return None,
            };
            let argument =
                if aggregate.reduction == Reduction::CountRows { None } else { Some(aggregate.arguments[0]) };
            Some(Running { kind, field: argument.map(&mut field), condition })
        };
        let running = aggregates.iter().map(running).collect::<Option<Vec<_>>>()?;
        Some(Choice {
            value,
            without: search.condition.into_iter().collect(),
            search: Some((search.function, search.outer)),
            goal: Goal::Aggregates(running),
        })
    }
}

/// How an aggregate runs, if it does.
fn kind_of(program: &Program, aggregate: &Aggregate) -> Option<RunningKind> {
    let argument = aggregate.arguments.first().map(|&id| program.scalars.data_type(id));
    Some(match (&aggregate.reduction, argument) {
        (Reduction::Min, Some(of)) if of != DataType::Null => RunningKind::Least,
        (Reduction::Max, Some(of)) if of != DataType::Null => RunningKind::Greatest,
        (Reduction::Any, Some(_)) => RunningKind::Any,
        (Reduction::All, Some(_)) => RunningKind::All,
        _ if aggregate.distinct => return None,
        (Reduction::CountRows | Reduction::Count, _) => RunningKind::Count,
        (Reduction::Sum, Some(of)) => {
            let to = aggregate.data_type;
            let decimal = of.is_decimal() && to.is_decimal() && of.scale() == to.scale();
            let (low, high) = to.integer_bounds()?;
            let integer = of.is_integer() && to == DataType::BigInt;
            (decimal || integer).then_some(RunningKind::Sum { decimal, low, high })?
        }
        _ => return None,
    })
}

/// What of a block lies on which side of a comparison.
struct Across<'p> {
    program: &'p Program,
    free: FreeIndices,
    own: Vec<IndexId>,
    captures: &'p [ScalarId],
}

impl Across<'_> {
    /// A comparison of what reads the block's rows and what reads rows around it alone.
    fn comparison(&mut self, id: ScalarId) -> Option<Comparison> {
        use Function as F;
        let Scalar::Call { function, arguments } = self.program.scalars.get(id) else { return None };
        let (function, &[a, b]) = (*function, &arguments[..]) else { return None };
        if !matches!(function, F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual) {
            return None;
        }
        let (function, inner, outer) = match (self.is_inner(a), self.is_inner(b)) {
            (true, false) => (function, a, b),
            (false, true) => (mirrored(function), b, a),
            _ => return None,
        };
        let types = [inner, outer].map(|id| self.program.scalars.data_type(id));
        let alike = |is: fn(DataType) -> bool| types.into_iter().all(is);
        if types[0] != types[1] && !alike(DataType::is_text) && !alike(DataType::is_integer) {
            return None;
        }
        if types[0] == DataType::Null || self.free.scalar(self.program, outer).is_empty() {
            return None;
        }
        let outer = self.outer(outer)?;
        Some(Comparison { condition: None, function, inner, outer })
    }

    fn is_inner(&mut self, id: ScalarId) -> bool {
        self.free.scalar(self.program, id).iter().any(|index| self.own.contains(index))
    }

    /// A scalar as an expression of what is captured.
    fn outer(&self, id: ScalarId) -> Option<Outer> {
        let scalars = &self.program.scalars;
        Some(match scalars.get(id) {
            Scalar::Column { .. } => Outer::Captured(self.captures.iter().position(|&capture| capture == id)?),
            Scalar::Constant(value) => Outer::Constant(value.clone()),
            Scalar::Parameter(number) => Outer::Parameter(*number),
            Scalar::Call { function: Function::Case | Function::Coalesce, .. } => return None,
            Scalar::Call { function, arguments } => Outer::Call {
                function: *function,
                arguments: arguments.iter().map(|&id| self.outer(id)).collect::<Option<_>>()?,
                types: arguments.iter().map(|&id| scalars.data_type(id)).collect(),
                result: scalars.data_type(id),
            },
            _ => return None,
        })
    }
}
