//! Value ranges: between which integers the values of every integer-like scalar lie, whether NULL can occur and
//! whether evaluation can fail, proven by interval arithmetic from the tables' statistics through all collections.
//!
//! Backends take from it how wide a register must be, which arithmetic needs no overflow check and how wide an
//! accumulator must be. So it has to be *sound*: a bound that is too tight is a wrong answer. Where nothing is known
//! a type's own bounds hold, because a result outside them is an error and no value.
//!
//! An interval is of the values that are not NULL, in the type's unit (a decimal's is 10^-scale); `low > high`
//! says that there is none. Scalars have smaller ids than what is made of them, so one pass in order of ids does
//! nearly everything; only columns lead elsewhere: to the definition of the collection that their index goes over.
//!
//! `functions` says what each function does to intervals; `rows` bounds numbers of rows; `grid` knows in what steps values
//! come (prices without cents, keys that are multiples), as far as they are handed on unchanged.

mod functions;
mod grid;
mod quotients;
mod rows;

pub use grid::{Grid, Steps, common_divisor};

use crate::multiloop::reduction::{Identity, State};
use crate::multiloop::{
    Aggregate, CollectionId, Generator, IndexId, Let, Multiloop, Program, Reduction, Scalar, ScalarId, Shape, Source,
};
use crate::types::DataType;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is proven about the values of a program.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    facts: Vec<Fact>,
    /// Of each call whether it may fail whatever its arguments do.
    itself: Vec<bool>,
    rows: Vec<Option<u64>>,
    /// Of each nest by its outermost index.
    nests: FxHashMap<IndexId, Option<u64>>,
    fields: FxHashMap<(CollectionId, u32), Fact>,
    members: FxHashMap<(CollectionId, u32), Fact>,
    /// What may fail to be made, because of itself or of what it reads.
    failing: FxHashSet<CollectionId>,
    /// Of each scalar whether it, or an argument of it, asks what may fail to be made.
    asks: Vec<bool>,
}

/// What is proven about one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Smallest and largest value, for integer-like types and boolean; the first is the larger one if every value
    /// is NULL.
    pub bounds: Option<(i128, i128)>,
    /// In what steps the values come, if that is known.
    pub steps: Option<Steps>,
    /// Whether NULL can occur.
    pub nullable: bool,
    /// Whether evaluating it, arguments included, can fail.
    pub may_fail: bool,
}

/// The bounds of no value at all.
const NOTHING: (i128, i128) = (1, 0);

impl Fact {
    /// All that the type says.
    fn of_type(data_type: DataType) -> Self {
        Fact { bounds: data_type.integer_bounds(), steps: None, nullable: true, may_fail: false }
    }

    /// Values of either.
    fn or(self, other: Fact) -> Fact {
        let bounds = match (self.bounds, other.bounds) {
            (Some(a), Some(b)) => Some(union(a, b)),
            _ => None,
        };
        let (nullable, may_fail) = (self.nullable || other.nullable, self.may_fail || other.may_fail);
        Fact { bounds, steps: grid::common(self, other), nullable, may_fail }
    }
}

/// The smallest interval around two.
fn union(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    match (a.0 > a.1, b.0 > b.1) {
        (true, _) => b,
        (_, true) => a,
        _ => (a.0.min(b.0), a.1.max(b.1)),
    }
}

impl Ranges {
    /// Analyses a program.
    pub fn analyse(program: &Program) -> Self {
        let mut analysis = Analysis::new(program);
        for scalar in 0..program.scalars.len() {
            analysis.fact(ScalarId(scalar as u32));
        }
        let mut ranges = Ranges::default();
        for (number, collection) in program.collections.iter().enumerate() {
            let id = CollectionId(number as u32);
            ranges.rows.push(analysis.rows(id));
            for field in 0..collection.fields.len() as u32 {
                ranges.fields.insert((id, field), analysis.field(id, field));
            }
            for member in 0..program.members(id).len() as u32 {
                ranges.members.insert((id, member), analysis.member(id, member));
            }
        }
        for each in program.blocks.iter().flat_map(|block| &block.lets) {
            if let Let::Window { define, input, functions, .. } = each
                && program.window_may_fail(*input, functions)
            {
                ranges.failing.insert(*define);
            }
            let Let::Loop { defines, multiloop } = each else { continue };
            ranges.nests.insert(multiloop.nest[0].id, analysis.nest_rows(multiloop));
            for (&define, generator) in defines.iter().zip(&multiloop.generators) {
                if generator.aggregates().iter().any(|aggregate| analysis.reduction_may_fail(multiloop, aggregate)) {
                    ranges.failing.insert(define);
                }
            }
        }
        ranges.itself = analysis.itself;
        ranges.facts = analysis.facts.into_iter().map(|fact| fact.expect("all scalars were visited")).collect();
        ranges.follow_failures(program);
        ranges
    }

    /// Finds out what may fail because of what it reads: lets are lazy, so who asks one that fails, fails.
    fn follow_failures(&mut self, program: &Program) {
        let mut known = usize::MAX;
        while known != self.failing.len() {
            known = self.failing.len();
            self.asks.clear();
            for scalar in (0..program.scalars.len() as u32).map(ScalarId) {
                let asks = self.asks_directly(program, scalar)
                    || program.scalars.get(scalar).children().iter().any(|child| self.asks[child.0 as usize]);
                self.asks.push(asks);
            }
            for each in program.blocks.iter().flat_map(|block| &block.lets) {
                let mut fails = each.inputs().iter().any(|input| self.failing.contains(input));
                each.for_each_scalar(|id| fails |= self.may_fail(id));
                if let Some(step) = each.step() {
                    let step = program.block(step);
                    let mut made = step.lets.iter().flat_map(Let::defines).chain([&step.result]);
                    fails |= made.any(|define| self.failing.contains(define));
                }
                // What is made in one loop fails together.
                if fails || each.defines().iter().any(|define| self.failing.contains(define)) {
                    self.failing.extend(each.defines());
                }
            }
        }
    }

    fn asks_directly(&self, program: &Program, scalar: ScalarId) -> bool {
        match program.scalars.get(scalar) {
            Scalar::Single { collection, .. }
            | Scalar::Lookup { collection, .. }
            | Scalar::Exists { collection, .. }
            | Scalar::Element { collection, .. } => self.failing.contains(collection),
            Scalar::Nested { block, .. } => {
                program.block(*block).lets.iter().flat_map(Let::defines).any(|define| self.failing.contains(define))
            }
            _ => false,
        }
    }

    /// Smallest and largest value of an integer-like scalar, in its type's unit. (0, 0) if it is always NULL.
    pub fn of(&self, scalar: ScalarId) -> Option<(i128, i128)> {
        self.fact(scalar).bounds.map(shown)
    }

    /// The integers among which those of an integer-like scalar are, in its type's unit.
    pub fn grid(&self, scalar: ScalarId) -> Option<Grid> {
        let fact = self.fact(scalar);
        Some(Grid::new(shown(fact.bounds?), fact.steps))
    }

    /// All that is known of a scalar.
    pub fn fact(&self, scalar: ScalarId) -> Fact {
        self.facts[scalar.0 as usize]
    }

    /// Whether a scalar can be NULL.
    pub fn nullable(&self, scalar: ScalarId) -> bool {
        self.fact(scalar).nullable
    }

    /// Whether evaluating a scalar can fail, arguments and what it asks included.
    pub fn may_fail(&self, scalar: ScalarId) -> bool {
        self.fact(scalar).may_fail || self.asks_failing(scalar)
    }

    /// Whether a call may fail whatever its arguments do; what is no call does not.
    pub fn fails_itself(&self, scalar: ScalarId) -> bool {
        self.itself[scalar.0 as usize]
    }

    /// Whether a scalar, or an argument of it, asks a collection that may fail to be made.
    pub fn asks_failing(&self, scalar: ScalarId) -> bool {
        self.asks[scalar.0 as usize]
    }

    /// Whether evaluating a let, its reductions and what it reads included, cannot fail.
    pub fn never_fails(&self, each: &Let) -> bool {
        !each.defines().iter().any(|define| self.failing.contains(define))
    }

    /// Bounds of a field of a collection, as a `Rows` index shows it.
    pub fn field(&self, collection: CollectionId, field: u32) -> Option<(i128, i128)> {
        self.fields.get(&(collection, field))?.bounds.map(shown)
    }

    /// Bounds of a field of a bucket's rows.
    pub fn member(&self, collection: CollectionId, member: u32) -> Option<(i128, i128)> {
        self.members.get(&(collection, member))?.bounds.map(shown)
    }

    /// An upper bound of the settings of a loop's nest.
    pub fn nest_rows(&self, multiloop: &Multiloop) -> Option<u64> {
        self.nests.get(&multiloop.nest.first()?.id).copied().flatten()
    }

    /// An upper bound of the rows of a collection (of Buckets: of all rows in them, and so of the groups).
    pub fn rows(&self, collection: CollectionId) -> Option<u64> {
        self.rows[collection.0 as usize]
    }
}

fn shown(bounds: (i128, i128)) -> (i128, i128) {
    if bounds.0 > bounds.1 { (0, 0) } else { bounds }
}

/// Which let makes a collection.
#[derive(Clone, Copy)]
enum Definition<'p> {
    Generator(&'p Multiloop, &'p Generator),
    Let(&'p Let),
}

struct Analysis<'p> {
    program: &'p Program,
    definitions: FxHashMap<CollectionId, Definition<'p>>,
    sources: FxHashMap<IndexId, &'p Source>,
    /// The indices that may stand on no row because one behind them has a rest.
    optional: FxHashSet<IndexId>,
    facts: Vec<Option<Fact>>,
    /// Of each call whether it may fail whatever its arguments do.
    itself: Vec<bool>,
    rows: Vec<Option<Option<u64>>>,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program) -> Self {
        let mut definitions = FxHashMap::default();
        let mut sources = FxHashMap::default();
        let mut optional = FxHashSet::default();
        for definition in program.blocks.iter().flat_map(|block| &block.lets) {
            if let Let::Loop { defines, multiloop } = definition {
                for (&id, generator) in defines.iter().zip(&multiloop.generators) {
                    definitions.insert(id, Definition::Generator(multiloop, generator));
                }
                sources.extend(multiloop.nest.iter().map(|index| (index.id, &index.source)));
                optional.extend(multiloop.nest[..multiloop.rest().unwrap_or(0)].iter().map(|index| index.id));
            } else {
                definitions.extend(definition.defines().iter().map(|&id| (id, Definition::Let(definition))));
            }
        }
        let (facts, rows) = (vec![None; program.scalars.len()], vec![None; program.collections.len()]);
        let itself = vec![false; program.scalars.len()];
        Analysis { program, definitions, sources, optional, facts, itself, rows }
    }

    /// What is known of a scalar. While it is being found out, what its type says stands in its place, so that
    /// even a program that is not well-formed ends.
    fn fact(&mut self, id: ScalarId) -> Fact {
        if let Some(fact) = self.facts[id.0 as usize] {
            return fact;
        }
        let data_type = self.program.scalars.data_type(id);
        let unknown = Fact { may_fail: true, ..Fact::of_type(data_type) };
        self.facts[id.0 as usize] = Some(unknown);
        let fact = match self.program.scalars.get(id) {
            Scalar::Constant(value) => constant(value, data_type),
            Scalar::Parameter(_) => Fact::of_type(data_type),
            Scalar::Column { index, field } => self.column(*index, *field).unwrap_or(Fact::of_type(data_type)),
            Scalar::Call { function, arguments } => {
                let (mut fact, itself) = self.call(*function, arguments, data_type);
                fact.bounds = self.rounded_quotient(*function, arguments, data_type).or(fact.bounds);
                self.itself[id.0 as usize] = itself;
                fact
            }
            Scalar::Single { collection, field } => self.field(*collection, *field),
            Scalar::Element { collection, row, field } => {
                let (row, found) = (self.fact(*row), self.field(*collection, *field));
                Fact { nullable: row.nullable || found.nullable, may_fail: row.may_fail, ..found }
            }
            Scalar::Lookup { collection, key, field } => {
                let found = self.lookup(*collection, *field);
                Fact { may_fail: key.iter().any(|part| self.fact(part.scalar).may_fail), ..found }
            }
            Scalar::Exists { key, .. } => Fact {
                bounds: Some((0, 1)),
                steps: None,
                nullable: false,
                may_fail: key.iter().any(|part| self.fact(part.scalar).may_fail),
            },
            Scalar::Nested { block, field } => {
                let result = self.program.block(*block).result;
                Fact { may_fail: self.program.scalars.effects(id).may_fail, ..self.field(result, *field) }
            }
        };
        // A program whose types lie about its values is none; all the same no bound may leave the type.
        let fact = Fact { bounds: within(fact.bounds, data_type), ..fact };
        self.facts[id.0 as usize] = Some(fact);
        fact
    }

    fn column(&mut self, index: IndexId, field: u32) -> Option<Fact> {
        let fact = match self.sources.get(&index)? {
            Source::Rows(collection) => self.field(*collection, field),
            Source::Bucket { collection, .. } | Source::BucketAndRest { collection, .. } => {
                self.member(*collection, field)
            }
            Source::BucketOrNull { collection, .. } => Fact { nullable: true, ..self.member(*collection, field) },
            Source::Count(count) => {
                let high = self.fact(*count).bounds.map_or(i64::MAX.into(), |(_, high)| high);
                Fact { bounds: Some((0, (high - 1).max(0))), steps: None, nullable: false, may_fail: false }
            }
        };
        Some(Fact { may_fail: false, nullable: fact.nullable || self.optional.contains(&index), ..fact })
    }

    /// A field of a collection, as a `Rows` index shows it.
    fn field(&mut self, id: CollectionId, field: u32) -> Fact {
        let collection = self.program.collection(id);
        let unknown = collection.fields.get(field as usize).map_or(Fact::of_type(DataType::Null), |field| Fact {
            nullable: field.nullable,
            ..Fact::of_type(field.data_type)
        });
        if let Shape::Table { columns, statistics, .. } = &collection.shape {
            let column = columns.get(field as usize).and_then(|&column| statistics.columns.get(column as usize));
            return column.map_or(unknown, |column| table_column(column, statistics.rows, unknown));
        }
        let found = match self.definitions.get(&id).copied() {
            Some(Definition::Generator(multiloop, generator)) => self.generated(multiloop, generator, field),
            Some(Definition::Let(Let::Sort { input, .. })) => Some(self.field(*input, field)),
            Some(Definition::Let(Let::Window { input, .. }))
                if (field as usize) < self.program.collection(*input).fields.len() =>
            {
                Some(self.field(*input, field))
            }
            // What a round makes may be anything that its type allows.
            Some(Definition::Let(Let::Window { .. } | Let::Iterate { .. })) => None,
            Some(Definition::Let(Let::Concat { inputs, .. })) => {
                inputs.iter().map(|&input| self.field(input, field)).reduce(Fact::or)
            }
            Some(Definition::Let(Let::Values { rows, .. })) => {
                rows.iter().filter_map(|row| Some(self.fact(*row.get(field as usize)?))).reduce(Fact::or)
            }
            _ => None,
        };
        found.map_or(unknown, |fact| Fact { may_fail: false, ..fact })
    }

    /// A field of the rows in a bucket.
    fn member(&mut self, id: CollectionId, member: u32) -> Fact {
        if let Some(Definition::Generator(_, Generator::BucketCollect { value, .. })) = self.definitions.get(&id)
            && let Some(&scalar) = value.get(member as usize)
        {
            return Fact { may_fail: false, ..self.fact(scalar) };
        }
        let data_type = self.program.members(id).get(member as usize).map_or(DataType::Null, |field| field.data_type);
        Fact::of_type(data_type)
    }

    fn generated(&mut self, multiloop: &'p Multiloop, generator: &'p Generator, field: u32) -> Option<Fact> {
        let field = field as usize;
        match generator {
            Generator::Collect { value, .. } => Some(self.fact(*value.get(field)?)),
            Generator::BucketCollect { key, .. } => Some(self.fact(*key.get(field)?)),
            Generator::Reduce { aggregates, .. } => match aggregates.first() {
                Some(Aggregate { reduction: Reduction::TopK { order, .. }, arguments, .. }) => {
                    Some(self.fact(*arguments.get(order.len() + field)?))
                }
                _ => Some(self.aggregate(multiloop, aggregates.get(field)?)),
            },
            Generator::BucketReduce { key, aggregates, .. } => match key.get(field) {
                Some(&part) => Some(self.fact(part)),
                None => {
                    let aggregate = aggregates.get(field - key.len())?;
                    let fact = self.aggregate(multiloop, aggregate);
                    // A group has rows.
                    let has_all = aggregate.reduction == Reduction::CountRows && aggregate.condition.is_empty();
                    let bounds = fact.bounds.map(|(low, high)| (if has_all { low.max(1) } else { low }, high));
                    Some(Fact { bounds, ..fact })
                }
            },
        }
    }

    /// The result of an aggregate, over any number of rows up to all that its loop has.
    fn aggregate(&mut self, multiloop: &'p Multiloop, aggregate: &'p Aggregate) -> Fact {
        let unknown = Fact::of_type(aggregate.data_type);
        let rows = self.nest_rows(multiloop);
        let state = aggregate.reduction.properties().state;
        if state == State::Count {
            return count(rows);
        }
        let Some(&argument) = aggregate.arguments.first() else { return unknown };
        let fact = self.fact(argument);
        let same_unit = self.program.scalars.data_type(argument).scale() == aggregate.data_type.scale();
        match state {
            State::Sum if same_unit => {
                let bounds = sum_bounds(fact.bounds, rows).or(aggregate.data_type.integer_bounds());
                Fact { bounds: within(bounds, aggregate.data_type), ..unknown }
            }
            State::Value if same_unit => Fact { bounds: fact.bounds, steps: fact.steps, ..unknown },
            _ => unknown,
        }
    }

    /// Whether a reduction may fail of itself: a sum does not if as many rows as there are keep it within its type.
    fn reduction_may_fail(&mut self, multiloop: &'p Multiloop, aggregate: &'p Aggregate) -> bool {
        if !aggregate.own_effects(&self.program.scalars).may_fail {
            return false;
        }
        let (Reduction::Sum, &[argument]) = (&aggregate.reduction, &aggregate.arguments[..]) else { return true };
        let same_unit = self.program.scalars.data_type(argument).scale() == aggregate.data_type.scale();
        let (fact, rows) = (self.fact(argument), self.nest_rows(multiloop));
        match (sum_bounds(fact.bounds, rows), aggregate.data_type.integer_bounds()) {
            (Some((low, high)), Some((least, most))) if same_unit => low < least || high > most,
            _ => true,
        }
    }

    /// A field of a group, or what its reduction gives for no rows.
    fn lookup(&mut self, id: CollectionId, field: u32) -> Fact {
        let fact = self.field(id, field);
        let Some(Definition::Generator(_, Generator::BucketReduce { key, aggregates, .. })) = self.definitions.get(&id)
        else {
            let bounds = fact.bounds.map(|bounds| union(bounds, (0, 0)));
            return Fact { nullable: true, bounds, steps: None, ..fact };
        };
        let aggregate = (field as usize).checked_sub(key.len()).and_then(|number| aggregates.get(number));
        match aggregate.map(|aggregate| aggregate.reduction.properties().identity) {
            Some(Identity::Zero) => Fact { bounds: fact.bounds.map(|bounds| union(bounds, (0, 0))), ..fact },
            Some(Identity::Boolean(_)) => Fact { bounds: Some((0, 1)), steps: None, ..fact },
            _ => Fact { nullable: true, ..fact },
        }
    }
}

/// Between what the sum of so many values lies, at least one.
fn sum_bounds(bounds: Option<(i128, i128)>, rows: Option<u64>) -> Option<(i128, i128)> {
    let (low, high) = bounds?;
    if low > high {
        return Some(NOTHING);
    }
    let times = |bound: i128| bound.checked_mul(i128::from(rows?));
    times(low).zip(times(high)).map(|(lowest, highest)| (low.min(lowest), high.max(highest)))
}

fn count(rows: Option<u64>) -> Fact {
    let high = rows.map_or(i64::MAX.into(), i128::from).min(i64::MAX.into());
    Fact { bounds: Some((0, high)), steps: None, nullable: false, may_fail: false }
}

/// Without a smallest and largest value there are no statistics of a column, unless all of it is NULL: a program read
/// from its text has none.
fn table_column(column: &crate::catalog::ColumnStatistics, rows: u64, unknown: Fact) -> Fact {
    match (&column.proofs.min, &column.proofs.max) {
        (Some(min), Some(max)) => {
            let bounds = integer(min).zip(integer(max)).or(unknown.bounds);
            let steps = column.proofs.step.zip(integer(min)).and_then(|(by, from)| Steps::new(from, by.into()));
            Fact { bounds, steps, nullable: column.proofs.nulls > 0, may_fail: false }
        }
        _ if rows > 0 && column.proofs.nulls == rows => Fact { bounds: unknown.bounds.map(|_| NOTHING), ..unknown },
        _ => unknown,
    }
}

fn constant(value: &Value, data_type: DataType) -> Fact {
    let bounds = match value {
        Value::Null => Fact::of_type(data_type).bounds.map(|_| NOTHING),
        _ => integer(value).map(|integer| (integer, integer)),
    };
    Fact { bounds, steps: None, nullable: value.is_null(), may_fail: false }
}

/// The integer behind an integer-like value.
fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(integer) => Some((*integer).into()),
        Value::Decimal(unscaled) => Some(*unscaled),
        Value::Boolean(bit) => Some((*bit).into()),
        _ => None,
    }
}

/// The part of an interval that lies within a type.
fn within(bounds: Option<(i128, i128)>, data_type: DataType) -> Option<(i128, i128)> {
    let (low, high) = data_type.integer_bounds()?;
    let bounds = bounds.unwrap_or((low, high));
    Some((bounds.0.max(low), bounds.1.min(high)))
}

#[cfg(test)]
mod tests;
