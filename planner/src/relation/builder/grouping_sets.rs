//! GROUPING SETS, ROLLUP and CUBE: groups by several lists of keys at once, and GROUPING, which tells them apart.
//!
//! ```text
//! Aggregate by sets (a, b), (a), () of x   =
//!     Aggregate by set, a' = case when set in (0, 1) then a end, b' = case when set = 0 then b end
//!         (Expand x: each row once for each set)
//! ```
//!
//! A set of no keys has a group even of no rows: sets like that are joined to the groups that there are. Source: the standard,
//! 7.13 (SQL:2023, group by clause), whose sets are unions of groups; one passage makes all of them.

use super::{Builder, Scope};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::{AggregateCall, ColumnId, Expression, ExpressionKind, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// Sets of one GROUP BY, as in PostgreSQL.
const GROUPING_SETS_MAX: usize = 4096;

/// Arguments of GROUPING: bits of an integer that is not negative.
const ARGUMENTS_MAX: usize = 31;

/// Lists of keys, by their numbers.
pub type GroupingSets = Vec<Vec<usize>>;

/// The lists that several elements of GROUP BY give together: each of one with each of the others; 54001 if they are too many.
pub fn crossed(elements: Vec<GroupingSets>) -> Result<GroupingSets> {
    let mut all: GroupingSets = vec![Vec::new()];
    for element in elements {
        if all.len().saturating_mul(element.len()) > GROUPING_SETS_MAX {
            let message = format!("too many grouping sets present (maximum {GROUPING_SETS_MAX})");
            return Err(Error::new(ErrorKind::TooComplex, message));
        }
        all = all.iter().flat_map(|set| element.iter().map(move |more| [&set[..], more].concat())).collect();
    }
    Ok(all)
}

/// What GROUPING asks for: which of these are no keys of a row's set, as bits, the last one's lowest.
#[derive(Clone, Debug)]
pub(super) struct GroupingCall {
    pub(super) id: ColumnId,
    pub(super) arguments: Vec<Expression>,
}

/// Groups by several lists of keys.
pub(super) struct Sets<'g> {
    pub(super) sets: GroupingSets,
    pub(super) calls: &'g [GroupingCall],
}

impl Sets<'_> {
    /// Whether all of them have a key.
    fn all_have(&self, key: usize) -> bool {
        self.sets.iter().all(|set| set.contains(&key))
    }
}

/// Which keys all lists have.
pub(super) fn common(sets: &GroupingSets, keys: usize) -> Vec<bool> {
    (0..keys).map(|key| sets.iter().all(|set| set.contains(&key))).collect()
}

impl Builder<'_> {
    /// A call of GROUPING, of expressions over the scope of FROM; 42803 where it may not stand, 54001 of too many.
    pub fn grouping(&mut self, arguments: Vec<Expression>, scope: &Scope<'_>) -> Result<Expression> {
        if arguments.len() > ARGUMENTS_MAX {
            let message = format!("GROUPING must have fewer than {} arguments", ARGUMENTS_MAX + 1);
            return Err(Error::new(ErrorKind::TooComplex, message));
        }
        let id = self.columns.add("grouping", DataType::Integer, false);
        scope.add_grouping(id, arguments)?;
        Ok(self.columns.reference(id))
    }

    /// The rows of all groups. `keys` are over the input; the columns of those that some list lacks are new ones.
    pub(super) fn aggregate_sets(
        &mut self,
        input: Arc<Relation>,
        keys: Vec<(ColumnId, Expression)>,
        aggregates: Vec<(ColumnId, AggregateCall)>,
        sets: &Sets<'_>,
    ) -> Result<Arc<Relation>> {
        let big = DataType::BigInt;
        let set = self.columns.add("grouping_set", big, false);
        let count = Expression::constant(Value::Int(sets.sets.len() as i64), big);
        let input = Arc::new(Relation::Expand { input, count, position: set });
        let of_set = self.columns.reference(set);
        let mut set_keys = vec![(set, of_set.clone())];
        for (number, (id, key)) in keys.iter().enumerate() {
            let data_type = key.data_type;
            let value = if sets.all_have(number) {
                key.clone()
            } else {
                let having = (0..sets.sets.len()).filter(|&at| sets.sets[at].contains(&number));
                let arguments = vec![is_one_of(&of_set, having), key.clone(), null(data_type)];
                Expression::call(Function::Case, arguments, data_type)
            };
            set_keys.push((*id, value));
        }
        let bits = self.grouping_bits(&keys, sets, &of_set)?;
        let empty: Vec<i64> = (0i64..).zip(&sets.sets).filter(|(_, set)| set.is_empty()).map(|(at, _)| at).collect();
        if empty.is_empty() {
            let relation = Arc::new(Relation::Aggregate { input, keys: set_keys, aggregates });
            return Ok(self.with_bits(relation, bits));
        }
        self.with_empty_sets(input, (set_keys, aggregates), &empty, sets, &keys)
    }

    /// The groups, and for each list of no keys a group of no rows where there is none.
    fn with_empty_sets(
        &mut self,
        input: Arc<Relation>,
        (keys, aggregates): (Vec<(ColumnId, Expression)>, Vec<(ColumnId, AggregateCall)>),
        empty: &[i64],
        sets: &Sets<'_>,
        original: &[(ColumnId, Expression)],
    ) -> Result<Arc<Relation>> {
        let big = DataType::BigInt;
        let (mut made, mut shown) = (Vec::new(), Vec::new());
        for (id, call) in aggregates {
            if super::grouping::is_count(&call) {
                let inner = self.columns.add("count", call.data_type, false);
                let zero = Expression::constant(Value::Int(0), call.data_type);
                let counted = vec![self.columns.reference(inner), zero];
                shown.push((id, Expression::call(Function::Coalesce, counted, call.data_type)));
                made.push((inner, call));
            } else {
                shown.push((id, self.columns.reference(id)));
                made.push((id, call));
            }
        }
        let (set, of_set) = keys[0].clone();
        shown.extend(keys[1..].iter().map(|(id, _)| (*id, self.columns.reference(*id))));
        let groups = Arc::new(Relation::Aggregate { input, keys, aggregates: made });
        let of_empty = self.columns.add("grouping_set", big, false);
        let rows = empty.iter().map(|&at| vec![Expression::constant(Value::Int(at), big)]).collect();
        let right = Arc::new(Relation::Values { columns: vec![of_empty], rows });
        let on = vec![of_set.clone(), self.columns.reference(of_empty)];
        let on = Expression::call(Function::Equal, on, DataType::Boolean);
        let joined = Arc::new(Relation::Join { kind: JoinKind::Full, left: groups, right, on });
        let either = vec![self.columns.reference(set), self.columns.reference(of_empty)];
        let either = Expression::call(Function::Coalesce, either, big);
        shown.extend(self.grouping_bits(original, sets, &either)?);
        Ok(Arc::new(Relation::Project { input: joined, columns: shown }))
    }

    /// What each GROUPING gives, of the number of a row's set; 42803 if it asks for what is no key.
    fn grouping_bits(
        &self,
        keys: &[(ColumnId, Expression)],
        sets: &Sets<'_>,
        of_set: &Expression,
    ) -> Result<Vec<(ColumnId, Expression)>> {
        sets.calls.iter().map(|call| Ok((call.id, bits_of(call, keys, sets, of_set)?))).collect()
    }

    /// Rows with more columns.
    fn with_bits(&self, relation: Arc<Relation>, bits: Vec<(ColumnId, Expression)>) -> Arc<Relation> {
        if bits.is_empty() {
            return relation;
        }
        let mut columns: Vec<_> = relation.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
        columns.extend(bits);
        Arc::new(Relation::Project { input: relation, columns })
    }
}

fn bits_of(
    call: &GroupingCall,
    keys: &[(ColumnId, Expression)],
    sets: &Sets<'_>,
    of_set: &Expression,
) -> Result<Expression> {
    let numbers = call.arguments.iter().map(|argument| {
        let wrong = || {
            let message = "arguments to GROUPING must be grouping expressions of the associated query level";
            Error::new(ErrorKind::Grouping, message).at(argument.position)
        };
        keys.iter().position(|(_, key)| key == argument).ok_or_else(wrong)
    });
    let numbers: Vec<usize> = numbers.collect::<Result<_>>()?;
    let bits = |set: &Vec<usize>| numbers.iter().fold(0, |bits, key| bits * 2 + i64::from(!set.contains(key)));
    let integer = |bits: i64| Expression::constant(Value::Int(bits), DataType::Integer);
    let all: Vec<i64> = sets.sets.iter().map(bits).collect();
    let mut different = all.clone();
    different.sort_unstable();
    different.dedup();
    let Some(last) = different.pop() else { return Ok(integer(0)) };
    let mut arguments = Vec::new();
    for bits in different {
        let having = (0..all.len()).filter(|&at| all[at] == bits);
        arguments.extend([is_one_of(of_set, having), integer(bits)]);
    }
    arguments.push(integer(last));
    Ok(if arguments.len() == 1 {
        integer(last)
    } else {
        Expression::call(Function::Case, arguments, DataType::Integer)
    })
}

/// Whether the number of a set is one of some.
fn is_one_of(of_set: &Expression, sets: impl Iterator<Item = usize>) -> Expression {
    let constants = sets.map(|at| Expression::constant(Value::Int(at as i64), DataType::BigInt));
    let mut arguments: Vec<Expression> = std::iter::once(of_set.clone()).chain(constants).collect();
    match arguments.len() {
        1 => Expression::boolean(false),
        2 => Expression::call(Function::Equal, arguments, DataType::Boolean),
        _ => Expression::call(Function::InList, std::mem::take(&mut arguments), DataType::Boolean),
    }
}

fn null(data_type: DataType) -> Expression {
    Expression::new(ExpressionKind::Constant(Value::Null), data_type)
}
