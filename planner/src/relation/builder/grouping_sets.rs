//! GROUPING SETS, ROLLUP and CUBE: groups by several lists of keys at once, and GROUPING, which tells them apart.
//!
//! ```text
//! Aggregate by sets (a, b), (a), () of x   =
//!     Aggregate by set, a' = case when set in (0, 1) then a end, b' = case when set = 0 then b end
//!         (Expand x: each row once for each set)
//! ```
//!
//! Where aggregates can be put together, x is grouped by all keys first: rows that are alike in these are expanded once.
//!
//! A set of no keys has a group even of no rows: sets like that are joined to the groups that there are. Source: the standard,
//! 7.13 (SQL:2023, group by clause), whose sets are unions of groups; one passage makes all of them.

use super::grouping::Key;
use super::scope::GroupingCall;
use super::{Builder, Scope};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::join_kind::JoinKind;
use crate::relation::merged_aggregates::{MergedAggregates, Shown, is_mergeable};
use crate::relation::{AggregateCall, ColumnId, Expression, ExpressionKind, Relation};
use crate::types::DataType;
use crate::value::Value;
use std::sync::Arc;

/// Sets of one GROUP BY, as in PostgreSQL.
const GROUPING_SETS_MAX: usize = 4096;

/// Elements of a CUBE, as in PostgreSQL.
const CUBE_MAX: usize = 12;

/// Arguments of GROUPING: bits of an integer that is not negative.
const ARGUMENTS_MAX: usize = 31;

/// Lists of keys, by their numbers.
pub type GroupingSets = Vec<Vec<usize>>;

/// The lists that several elements of GROUP BY give together: each of one with each of the others; 54001 if they are too many.
pub fn crossed(elements: Vec<GroupingSets>) -> Result<GroupingSets> {
    let mut all: GroupingSets = vec![Vec::new()];
    for element in elements {
        check_count(all.len().saturating_mul(element.len()))?;
        all = all.iter().flat_map(|set| element.iter().map(move |more| [&set[..], more].concat())).collect();
    }
    Ok(all)
}

fn check_count(sets: usize) -> Result<()> {
    if sets > GROUPING_SETS_MAX {
        let message = format!("too many grouping sets present (maximum {GROUPING_SETS_MAX})");
        return Err(Error::new(ErrorKind::TooComplex, message));
    }
    Ok(())
}

/// ROLLUP: the keys of all elements, of all but the last one, and so on to none; 54001 if they are too many.
pub fn rollup(elements: &[Vec<usize>]) -> Result<GroupingSets> {
    check_count(elements.len() + 1)?;
    Ok((0..=elements.len()).rev().map(|count| elements[..count].concat()).collect())
}

/// CUBE: the keys of each choice of elements, all of them first; 54001 if they are too many.
pub fn cube(elements: &[Vec<usize>]) -> Result<GroupingSets> {
    if elements.len() > CUBE_MAX {
        return Err(Error::new(ErrorKind::TooComplex, format!("CUBE is limited to {CUBE_MAX} elements")));
    }
    let chosen = |bits: usize| {
        let is_in = |at: usize| bits >> (elements.len() - 1 - at) & 1 == 1;
        (0..elements.len()).filter(|&at| is_in(at)).flat_map(|at| elements[at].iter().copied()).collect()
    };
    Ok((0..1usize << elements.len()).rev().map(chosen).collect())
}

/// Groups by several lists of keys.
pub(super) struct Sets<'g> {
    pub(super) sets: GroupingSets,
    /// The columns of GROUPING, and the keys that each asks for.
    pub(super) calls: &'g [(ColumnId, Vec<usize>)],
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
        let stages = self.stages(input, keys, aggregates);
        let set = self.columns.add("grouping_set", big, false);
        let count = Expression::constant(Value::Int(sets.sets.len() as i64), big);
        let expanded = Arc::new(Relation::Expand { input: stages.input, count, position: set });
        let of_set = self.columns.reference(set);
        let mut set_keys = vec![(set, of_set.clone())];
        for (number, (id, key)) in stages.keys.iter().enumerate() {
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
        let mut columns: Vec<_> = set_keys[1..].iter().map(|(id, _)| (*id, self.columns.reference(*id))).collect();
        let groups = Arc::new(Relation::Aggregate { input: expanded, keys: set_keys, aggregates: stages.aggregates });
        let empty: Vec<i64> = (0i64..).zip(&sets.sets).filter(|(_, set)| set.is_empty()).map(|(at, _)| at).collect();
        let (groups, of_set) =
            if empty.is_empty() { (groups, of_set) } else { self.with_empty_sets(groups, of_set, &empty) };
        for (id, of) in stages.shown {
            columns.push((id, of.value(&self.columns, !empty.is_empty())));
        }
        for (id, numbers) in sets.calls {
            columns.push((*id, bits_of(numbers, sets, &of_set)));
        }
        Ok(Arc::new(Relation::Project { input: groups, columns }))
    }

    /// Groups by all keys first, of which the lists' groups are made then, if the aggregates can be put together: these are fewer
    /// than the rows.
    fn stages(
        &mut self,
        input: Arc<Relation>,
        keys: Vec<(ColumnId, Expression)>,
        aggregates: Vec<(ColumnId, AggregateCall)>,
    ) -> Stages {
        let mut stages = Stages { input, keys: Vec::new(), aggregates: Vec::new(), shown: Vec::new() };
        if !aggregates.iter().all(|(_, call)| is_mergeable(call)) {
            stages.keys = keys;
            for (id, call) in aggregates {
                let is_count = call.is_count();
                let made = self.columns.add("aggregate", call.data_type, !is_count);
                stages.shown.push((id, if is_count { Shown::Count(made) } else { Shown::Same(made) }));
                stages.aggregates.push((made, call));
            }
            return stages;
        }
        let mut inner_keys = Vec::new();
        for (id, key) in keys {
            let inner = self.columns.add("key", key.data_type, super::may_be_null(&key));
            stages.keys.push((id, self.columns.reference(inner)));
            inner_keys.push((inner, key));
        }
        let merged = MergedAggregates::new(aggregates, &mut self.columns);
        let input = std::mem::replace(&mut stages.input, Arc::new(crate::relation::visit::nothing()));
        stages.input = Arc::new(Relation::Aggregate { input, keys: inner_keys, aggregates: merged.parts });
        stages.aggregates = merged.merges;
        stages.shown = merged.shown;
        stages
    }

    /// Groups with one for each list of no keys, even where there is no row; and the number of a group's list.
    fn with_empty_sets(
        &mut self,
        groups: Arc<Relation>,
        of_set: Expression,
        empty: &[i64],
    ) -> (Arc<Relation>, Expression) {
        let big = DataType::BigInt;
        let of_empty = self.columns.add("grouping_set", big, false);
        let rows = empty.iter().map(|&at| vec![Expression::constant(Value::Int(at), big)]).collect();
        let right = Arc::new(Relation::Values { columns: vec![of_empty], rows });
        let either = vec![of_set, self.columns.reference(of_empty)];
        let on = Expression::call(Function::Equal, either.clone(), DataType::Boolean);
        let joined = Arc::new(Relation::Join { kind: JoinKind::Full, left: groups, right, on });
        (joined, Expression::call(Function::Coalesce, either, big))
    }
}

/// What lists of keys are expanded over, and what is made of it.
struct Stages {
    input: Arc<Relation>,
    /// Each key's column, and its value over this input.
    keys: Vec<(ColumnId, Expression)>,
    aggregates: Vec<(ColumnId, AggregateCall)>,
    /// What the aggregates are that were asked for.
    shown: Vec<(ColumnId, Shown)>,
}

/// The keys that GROUPING asks for; 42803 for what is none.
pub(super) fn key_numbers(call: &GroupingCall, keys: &[Key]) -> Result<Vec<usize>> {
    let number = |argument: &Expression| {
        let wrong = || {
            let message = "arguments to GROUPING must be grouping expressions of the associated query level";
            Error::new(ErrorKind::Grouping, message).at(argument.position)
        };
        keys.iter().position(|key| key.written.value.is_written_as(argument)).ok_or_else(wrong)
    };
    call.arguments.iter().map(number).collect()
}

/// Which of some keys a row's set lacks.
fn bits_of(numbers: &[usize], sets: &Sets<'_>, of_set: &Expression) -> Expression {
    let bits = |set: &Vec<usize>| numbers.iter().fold(0, |bits, key| bits * 2 + i64::from(!set.contains(key)));
    let integer = |bits: i64| Expression::constant(Value::Int(bits), DataType::Integer);
    let all: Vec<i64> = sets.sets.iter().map(bits).collect();
    let mut different = all.clone();
    different.sort_unstable();
    different.dedup();
    let Some(last) = different.pop() else { return integer(0) };
    let mut arguments = Vec::new();
    for bits in different {
        let having = (0..all.len()).filter(|&at| all[at] == bits);
        arguments.extend([is_one_of(of_set, having), integer(bits)]);
    }
    arguments.push(integer(last));
    if arguments.len() == 1 { integer(last) } else { Expression::call(Function::Case, arguments, DataType::Integer) }
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
