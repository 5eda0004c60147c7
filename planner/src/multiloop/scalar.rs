//! Scalars: a pure, typed, hash-consed DAG. Two equal scalars have one id, so common subexpressions are one node
//! by construction and equality is a comparison of ids.

use super::{BlockId, CollectionId, IndexId};
use crate::error::Position;
use crate::evaluate::evaluate;
use crate::function::{Effects, Function, PatternFunction};
use crate::types::DataType;
use crate::value::Value;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher as _;

/// A scalar of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScalarId(pub u32);

/// One part of a bucket's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeyPart {
    /// The value to look for.
    pub scalar: ScalarId,
    /// Whether NULL finds the bucket of NULL (IS NOT DISTINCT FROM); otherwise NULL finds nothing.
    pub null_matches: bool,
}

/// What a scalar is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// Field of the row on which an index stands. NULL where a `BucketOrNull` index found no row.
    Column {
        /// An index of this loop or of an enclosing one.
        index: IndexId,
        /// Position among the fields that the index's source shows.
        field: u32,
    },
    /// A literal.
    Constant(Value),
    /// `$n`, 0-based.
    Parameter(u32),
    /// A function of its arguments. `And`, `Or`, `Case` and `Coalesce` evaluate lazily, left to right.
    Call {
        /// The function; argument types are exact (see `function`).
        function: Function,
        /// Its arguments.
        arguments: Vec<ScalarId>,
    },
    /// A field of the group with this key in a BucketReduce; without such a group, what the field's reduction
    /// gives for no rows (NULL for sum, 0 for count). Key fields cannot be looked up.
    Lookup {
        /// A collection made by BucketReduce.
        collection: CollectionId,
        /// One part a key field.
        key: Vec<KeyPart>,
        /// Position among the collection's fields.
        field: u32,
    },
    /// Whether a BucketCollect or BucketReduce has a group with this key. Never NULL.
    Exists {
        /// The collection.
        collection: CollectionId,
        /// One part a key field.
        key: Vec<KeyPart>,
    },
    /// A field of the row of a table with this number, counted from 0 in the table's order. NULL where the number is NULL;
    /// any other is that of a row.
    Element {
        /// A collection of shape Table.
        collection: CollectionId,
        /// A bigint.
        row: ScalarId,
        /// Position among the collection's fields.
        field: u32,
    },
    /// Field of the only row of a Reduce.
    Single {
        /// A collection made by Reduce.
        collection: CollectionId,
        /// Position among its fields.
        field: u32,
    },
    /// A nested multiloop used as a value: field of the only row of a block whose result is a Reduce. The block
    /// may read the indices of the loop it stands in, and is evaluated for each row that needs it.
    Nested {
        /// The block.
        block: BlockId,
        /// Position among the fields of its result.
        field: u32,
    },
}

/// A scalar with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScalarNode {
    /// What it is.
    pub scalar: Scalar,
    /// Its type. Part of its identity: `Cast` and decimal arithmetic mean different things for different results.
    pub data_type: DataType,
}

/// A scalar for some scalars of a program. Ids are dense and programs small, so it is an array.
#[derive(Clone, Debug, Default)]
pub struct ScalarMap(Vec<Option<ScalarId>>);

impl ScalarMap {
    /// What stands for a scalar, if something does.
    pub fn get(&self, id: ScalarId) -> Option<ScalarId> {
        self.0.get(id.0 as usize).copied().flatten()
    }

    /// Has one scalar stand for another.
    pub fn insert(&mut self, id: ScalarId, to: ScalarId) {
        let at = id.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        self.0[at] = Some(to);
    }
}

/// The scalars of one program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "SerializedScalars", into = "SerializedScalars")]
pub struct Scalars {
    nodes: Vec<ScalarNode>,
    effects: Vec<Effects>,
    /// The ids of all nodes, by the hash of what is at that id.
    ids: HashTable<ScalarId>,
    positions: FxHashMap<ScalarId, Position>,
}

#[derive(Clone, Serialize, Deserialize)]
struct SerializedScalars {
    nodes: Vec<ScalarNode>,
    effects: Vec<Effects>,
    positions: Vec<(ScalarId, Position)>,
}

impl From<SerializedScalars> for Scalars {
    fn from(from: SerializedScalars) -> Self {
        let mut ids = HashTable::with_capacity(from.nodes.len());
        for (at, node) in from.nodes.iter().enumerate() {
            ids.insert_unique(hash(node), ScalarId(at as u32), |id| hash(&from.nodes[id.0 as usize]));
        }
        Scalars { nodes: from.nodes, effects: from.effects, ids, positions: from.positions.into_iter().collect() }
    }
}

impl From<Scalars> for SerializedScalars {
    fn from(from: Scalars) -> Self {
        let mut positions: Vec<_> = from.positions.into_iter().collect();
        positions.sort_unstable();
        SerializedScalars { nodes: from.nodes, effects: from.effects, positions }
    }
}

fn hash(node: &ScalarNode) -> u64 {
    FxBuildHasher.hash_one(node)
}

impl Scalars {
    /// The id of a node, new if it is not there yet. Its effects are its own (`function_effects`) and its
    /// arguments'; `nested` says those of the block of a `Nested`, and is PURE for all else.
    pub fn intern_with(&mut self, node: ScalarNode, nested: Effects) -> ScalarId {
        if let Some(id) = self.find(&node) {
            return id;
        }
        let mut effects = self.own_effects(&node).and(nested);
        node.scalar.each_child().for_each(|child| effects = effects.and(self.effects(child)));
        let id = ScalarId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 scalars"));
        let nodes = &self.nodes;
        self.ids.insert_unique(hash(&node), id, |id| hash(&nodes[id.0 as usize]));
        self.nodes.push(node);
        self.effects.push(effects);
        id
    }

    /// The id of a node that is no `Nested`.
    pub fn intern(&mut self, scalar: Scalar, data_type: DataType) -> ScalarId {
        debug_assert!(!matches!(scalar, Scalar::Nested { .. }), "a Nested needs its block's effects");
        self.intern_with(ScalarNode { scalar, data_type }, Effects::PURE)
    }

    /// A literal.
    pub fn constant(&mut self, value: Value, data_type: DataType) -> ScalarId {
        self.intern(Scalar::Constant(value), data_type)
    }

    /// A call.
    pub fn call(&mut self, function: Function, arguments: Vec<ScalarId>, data_type: DataType) -> ScalarId {
        self.intern(Scalar::Call { function, arguments }, data_type)
    }

    /// A field of an index's row.
    pub fn column(&mut self, index: IndexId, field: u32, data_type: DataType) -> ScalarId {
        self.intern(Scalar::Column { index, field }, data_type)
    }

    /// Notes where in the statement a scalar stands; the first position wins.
    pub fn set_position(&mut self, id: ScalarId, position: Option<Position>) {
        if let Some(position) = position {
            self.positions.entry(id).or_insert(position);
        }
    }

    /// Where in the statement a scalar stands.
    pub fn position(&self, id: ScalarId) -> Option<Position> {
        self.positions.get(&id).copied()
    }

    /// The id of a node, if there is one.
    pub fn find(&self, node: &ScalarNode) -> Option<ScalarId> {
        self.ids.find(hash(node), |id| self.node(*id) == node).copied()
    }

    /// The node of an id.
    pub fn node(&self, id: ScalarId) -> &ScalarNode {
        &self.nodes[id.0 as usize]
    }

    /// What a scalar is.
    pub fn get(&self, id: ScalarId) -> &Scalar {
        &self.node(id).scalar
    }

    /// The type of a scalar.
    pub fn data_type(&self, id: ScalarId) -> DataType {
        self.node(id).data_type
    }

    /// What evaluating a scalar may do, its arguments included.
    pub fn effects(&self, id: ScalarId) -> Effects {
        self.effects[id.0 as usize]
    }

    /// How many nodes there are (live or not: rules leave dead nodes behind).
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn own_effects(&self, node: &ScalarNode) -> Effects {
        match &node.scalar {
            Scalar::Call { function, arguments } => {
                if self.is_total_pattern(*function, arguments) {
                    return Effects::PURE;
                }
                let types: Vec<DataType> = arguments.iter().map(|&id| self.data_type(id)).collect();
                function_effects(*function, &types, node.data_type)
            }
            _ => Effects::PURE,
        }
    }

    /// Whether this matches a constant pattern that is one: it cannot fail. LIKE's is if it does not end in its escape
    /// character, a backslash.
    fn is_total_pattern(&self, function: Function, arguments: &[ScalarId]) -> bool {
        let &[_, pattern] = arguments else { return false };
        let Scalar::Constant(pattern) = self.get(pattern) else { return false };
        match (function, pattern) {
            (Function::Like | Function::ILike, Value::Text(pattern)) => !pattern.ends_with('\\'),
            (Function::Pattern(PatternFunction::Matches | PatternFunction::MatchesAnyCase), Value::Text(_)) => {
                let types = [DataType::Text; 2];
                evaluate(function, &[Value::text(""), pattern.clone()], &types, DataType::Boolean).is_ok()
            }
            (Function::Like | Function::ILike, Value::Null) => true,
            _ => false,
        }
    }
}

/// What a function may do for any arguments of these types. Sound, not sharp: range analysis proves more.
pub fn function_effects(function: Function, arguments: &[DataType], result: DataType) -> Effects {
    use Function as F;
    let may_fail = match function {
        F::Equal
        | F::NotEqual
        | F::Less
        | F::LessEqual
        | F::Greater
        | F::GreaterEqual
        | F::IsDistinct
        | F::IsNotDistinct
        | F::And
        | F::Or
        | F::Not
        | F::IsNull
        | F::IsNotNull
        | F::IsTrue
        | F::IsFalse
        | F::Case
        | F::Coalesce
        | F::NullIf
        | F::Greatest
        | F::Least
        | F::InList
        | F::Concat
        | F::ConcatSkipNull
        | F::ConcatWithSeparator
        | F::Lower
        | F::Upper
        | F::InitCap
        | F::Length
        | F::OctetLength
        | F::Left
        | F::Right
        | F::Trim(_)
        | F::Replace
        | F::Position
        | F::StartsWith
        | F::EndsWith
        | F::Contains
        | F::Reverse
        | F::Translate
        | F::Ascii
        | F::Sign
        | F::Atan
        | F::Atan2
        | F::CubeRoot
        | F::BitAnd
        | F::BitOr
        | F::BitXor
        | F::BitNot
        | F::TimeAddInterval
        | F::TimeSubtractInterval
        | F::TimeDifference
        | F::RoundSeconds(_)
        | F::Extract(_) => false,
        each if each.is_of_sequences() => true,
        each if each.is_volatile() => matches!(each, F::SetSeed | F::User(_) | F::Lambda(_)),
        // A pattern may end in its escape character; the common two-argument form with a backslash may, too.
        F::Like | F::ILike => true,
        // Only a cast that widens cannot fail.
        F::Cast | F::AssignCast => !cast_is_total(arguments[0], result, function),
        F::Substring => arguments.len() == 3,
        logical if logical.is_total_of_logical() => false,
        numeric if is_total_of_numerics(numeric, result) => false,
        F::Add | F::Subtract | F::Multiply => !arithmetic_is_total(function, arguments, result),
        _ => true,
    };
    Effects { may_fail, volatile: function.is_volatile() }
}

/// Whether a function has a value for all numerics. (Numbers whose digits exceed what NUMERIC holds are made of such as
/// nearly do.)
fn is_total_of_numerics(function: Function, result: DataType) -> bool {
    use Function as F;
    match function {
        F::Scale | F::MinScale | F::TrimScale | F::NumericKey => true,
        F::NarrowUp | F::NarrowDown | F::NarrowSame => true,
        F::Average | F::DeviationOf => true,
        F::Add | F::Subtract | F::Multiply | F::Negate | F::Abs | F::Ceil | F::Floor | F::Round | F::Truncate => {
            result == DataType::Numeric
        }
        _ => false,
    }
}

/// Whether the sum, difference or product of any two decimals of these types fits the result's.
fn arithmetic_is_total(function: Function, arguments: &[DataType], result: DataType) -> bool {
    let [a, b] = arguments else { return false };
    if ![*a, *b, result].into_iter().all(DataType::is_decimal) {
        return false;
    }
    let (Some((_, a)), Some((_, b)), Some((_, high))) =
        (a.integer_bounds(), b.integer_bounds(), result.integer_bounds())
    else {
        return false;
    };
    let largest = if function == Function::Multiply { a.checked_mul(b) } else { a.checked_add(b) };
    largest.is_some_and(|largest| largest <= high)
}

fn cast_is_total(from: DataType, to: DataType, function: Function) -> bool {
    if from == to || from == DataType::Null {
        return true;
    }
    if from.is_text() && to.is_text() {
        return to.is_free_text() || function == Function::Cast;
    }
    if to.is_text() {
        return to.is_free_text();
    }
    match (from, to) {
        (from, DataType::Numeric) => from.is_numeric(),
        (DataType::Boolean, DataType::Integer) | (DataType::Integer, DataType::Boolean) => true,
        (DataType::Real, DataType::Double) => true,
        // Elements are rounded as IEEE 754 says; lengths are those of types.
        (from, to) if let (Some((_, length)), Some((_, other))) = (from.vector_of(), to.vector_of()) => length == other,
        (DataType::Timestamp, DataType::Date | DataType::Time) => true,
        (from, to) if (from.is_integer() || from.is_decimal()) && to.is_float() => to == DataType::Double,
        (from, to) if (from.is_integer() || from.is_decimal()) && (to.is_integer() || to.is_decimal()) => {
            let (Some((low, high)), Some((to_low, to_high))) = (from.integer_bounds(), to.integer_bounds()) else {
                return false;
            };
            let (from_scale, to_scale) = (from.scale(), to.scale());
            let Some(factor) = to_scale.checked_sub(from_scale).map(|up| 10i128.pow(u32::from(up))) else {
                return false;
            };
            let scaled = (low.checked_mul(factor), high.checked_mul(factor));
            matches!(scaled, (Some(low), Some(high)) if low >= to_low && high <= to_high)
        }
        _ => false,
    }
}

impl Scalar {
    /// The direct children, in order. A `Nested` has none here: its block's scalars are its own.
    pub fn children(&self) -> Vec<ScalarId> {
        self.each_child().collect()
    }

    /// The direct children, one by one.
    pub fn each_child(&self) -> impl Iterator<Item = ScalarId> {
        (0..).map_while(|at| self.child(at))
    }

    /// The direct child at a position.
    pub fn child(&self, at: usize) -> Option<ScalarId> {
        match self {
            Scalar::Column { .. }
            | Scalar::Constant(_)
            | Scalar::Parameter(_)
            | Scalar::Single { .. }
            | Scalar::Nested { .. } => None,
            Scalar::Call { arguments, .. } => arguments.get(at).copied(),
            Scalar::Lookup { key, .. } | Scalar::Exists { key, .. } => key.get(at).map(|part| part.scalar),
            Scalar::Element { row, .. } => (at == 0).then_some(*row),
        }
    }

    /// The same scalar over other children.
    #[must_use]
    pub fn map_children(&self, mut change: impl FnMut(ScalarId) -> ScalarId) -> Scalar {
        let mut new = self.clone();
        match &mut new {
            Scalar::Column { .. }
            | Scalar::Constant(_)
            | Scalar::Parameter(_)
            | Scalar::Single { .. }
            | Scalar::Nested { .. } => {}
            Scalar::Call { arguments, .. } => arguments.iter_mut().for_each(|id| *id = change(*id)),
            Scalar::Lookup { key, .. } | Scalar::Exists { key, .. } => {
                key.iter_mut().for_each(|part| part.scalar = change(part.scalar));
            }
            Scalar::Element { row, .. } => *row = change(*row),
        }
        new
    }
}
