//! Constant folding, as SQL allows it.
//!
//! ```text
//! f(constants)        →   its value, if it has one           TRUE AND x, FALSE OR x       →   x
//! x AND FALSE         →   FALSE, if x cannot fail            CASE … WHEN TRUE THEN v …    →   CASE … ELSE v
//! NOT NOT x           →   x                                  CASE WHEN FALSE THEN v …     →   without it
//! x = NULL            →   NULL, if x cannot fail             if TRUE; if x IS TRUE        →   nothing; if x
//! ```
//!
//! `evaluate` says what functions are. Source: textbook; the relation optimiser does the same to bound expressions,
//! this rule to what lowering and other rules have made. An example:
//!
//! ```text before
//! table %0 t(a#0 integer, b#1 boolean?)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if TRUE
//!     if is_true(i0.b)
//!     if i0.a > 2 + 3
//!     if i0.b OR 1 > 2
//!     a = case(1 = 2, 7, i0.a)
//! result %1
//! output a
//! ```
//! ```text after
//! table %0 t(a#0 integer, b#1 boolean?)
//! loop
//!   i0 in %0
//!   %1 collect
//!     if i0.b
//!     if i0.a > 5
//!     if i0.b
//!     a = i0.a
//! result %1
//! output a
//! ```
//!
//! Guard, and why:
//! * a call that fails stays where it is: `select 1 / 0 from t` of an empty t is no error, and
//!   `case when x = 0 then 0 else 1 / 0 end` fails only for rows that get there;
//! * an operand that may fail or is volatile is dropped only where it would not be reached: `1 / x > 0 and false`
//!   fails for a zero;
//! * nothing becomes a float zero or an interval: constants that compare as equal are one node, and -0 is printed
//!   otherwise than 0, a month otherwise than 30 days;
//! * the type stays the same.
//!
//! NULLs: TRUE AND NULL is NULL; only where a condition is tested are NULL and FALSE the same. Joins: none involved.

use crate::evaluate;
use crate::function::Function;
use crate::multiloop::live::live_blocks;
use crate::multiloop::{Program, Scalar, ScalarId, ScalarMap};
use crate::rewrite::machinery::conditions::for_each_condition_mut;
use crate::types::DataType;
use crate::value::Value;

/// Folds constants everywhere.
pub(super) fn fold_constants(program: &mut Program) -> bool {
    let mut changed = false;
    let mut folded = ScalarMap::default();
    for block in live_blocks(program) {
        let mut lets = std::mem::take(&mut program.blocks[block.0 as usize].lets);
        for each in &mut lets {
            each.for_each_scalar_mut(|id| {
                let new = fold(program, *id, &mut folded);
                changed |= std::mem::replace(id, new) != new;
            });
            for_each_condition_mut(each, |condition| {
                condition.retain_mut(|id| {
                    let new = tested(program, *id);
                    changed |= new != Some(*id);
                    *id = new.unwrap_or(*id);
                    new.is_some()
                });
            });
        }
        program.blocks[block.0 as usize].lets = lets;
    }
    changed
}

/// A condition without what does not matter to a test: None if it always passes.
fn tested(program: &Program, id: ScalarId) -> Option<ScalarId> {
    match program.scalars.get(id) {
        Scalar::Constant(Value::Boolean(true)) => None,
        Scalar::Call { function: Function::IsTrue, arguments } => tested(program, arguments[0]),
        _ => Some(id),
    }
}

fn fold(program: &mut Program, id: ScalarId, folded: &mut ScalarMap) -> ScalarId {
    if let Some(known) = folded.get(id) {
        return known;
    }
    let (mut at, mut changed, mut new) = (0, false, id);
    while let Some(child) = program.scalars.get(id).child(at) {
        changed |= fold(program, child, folded) != child;
        at += 1;
    }
    if changed {
        let scalar = program.scalars.get(id).map_children(|child| folded.get(child).unwrap_or(child));
        new = program.scalars.intern(scalar, program.scalars.data_type(id));
    }
    if at > 0 {
        new = folded_call(program, new);
    }
    if new != id {
        let position = program.scalars.position(id);
        program.scalars.set_position(new, position);
    }
    folded.insert(id, new);
    folded.insert(new, new);
    new
}

/// A call whose arguments are folded.
fn folded_call(program: &mut Program, id: ScalarId) -> ScalarId {
    let Scalar::Call { function, arguments } = program.scalars.get(id) else { return id };
    // Nothing below folds several arguments of which none is constant.
    let is_constant = |&id: &ScalarId| matches!(program.scalars.get(id), Scalar::Constant(_));
    if arguments.len() > 1 && !arguments.iter().any(is_constant) {
        return id;
    }
    let (function, arguments) = (*function, arguments.clone());
    let data_type = program.scalars.data_type(id);
    if let Some(value) = value_of(program, function, &arguments, data_type) {
        return program.scalars.constant(value, data_type);
    }
    let of_type = |program: &Program, new: ScalarId| if program.scalars.data_type(new) == data_type { new } else { id };
    match function {
        Function::And | Function::Or => connective(program, id, function, &arguments),
        Function::Case => case(program, id, &arguments),
        Function::Not | Function::IsTrue => match program.scalars.get(arguments[0]) {
            Scalar::Call { function: below, arguments: inner } if *below == function => match function {
                Function::Not => of_type(program, inner[0]),
                _ => of_type(program, arguments[0]),
            },
            _ => id,
        },
        Function::Equal
        | Function::NotEqual
        | Function::Less
        | Function::LessEqual
        | Function::Greater
        | Function::GreaterEqual => {
            let is_null = |id: &ScalarId| matches!(program.scalars.get(*id), Scalar::Constant(Value::Null));
            if arguments.iter().any(is_null) && program.scalars.effects(id).is_pure() {
                return program.scalars.constant(Value::Null, data_type);
            }
            id
        }
        _ => id,
    }
}

/// The value of a call of constants, if it has one that may stand for it.
fn value_of(program: &Program, function: Function, arguments: &[ScalarId], data_type: DataType) -> Option<Value> {
    let constant = |&id: &ScalarId| match program.scalars.get(id) {
        Scalar::Constant(value) => Some(value.clone()),
        _ => None,
    };
    let values = arguments.iter().map(constant).collect::<Option<Vec<Value>>>()?;
    let types: Vec<DataType> = arguments.iter().map(|&id| program.scalars.data_type(id)).collect();
    let value = evaluate::fold(function, &values, &types, data_type)?;
    let has_twin = matches!(value, Value::Float(0.0) | Value::Interval(_));
    (!has_twin).then_some(value)
}

/// AND and OR: what cannot decide goes, and so does what is behind a decision.
fn connective(program: &mut Program, id: ScalarId, function: Function, arguments: &[ScalarId]) -> ScalarId {
    let decisive = function == Function::Or;
    let mut kept: Vec<ScalarId> = Vec::with_capacity(arguments.len());
    for &argument in arguments {
        match program.scalars.get(argument) {
            Scalar::Constant(Value::Boolean(value)) if *value == decisive => {
                if kept.iter().all(|&id| program.scalars.effects(id).is_pure()) {
                    return argument;
                }
                kept.push(argument);
                break;
            }
            Scalar::Constant(Value::Boolean(_)) => {}
            _ => kept.push(argument),
        }
    }
    match kept[..] {
        [] => program.scalars.constant(Value::Boolean(!decisive), DataType::Boolean),
        [only] => only,
        _ if kept.len() == arguments.len() => id,
        _ => program.scalars.call(function, kept, DataType::Boolean),
    }
}

/// CASE: branches that are never taken go, and so does what is behind one that always is.
fn case(program: &mut Program, id: ScalarId, arguments: &[ScalarId]) -> ScalarId {
    let (branches, otherwise) = arguments.split_at(arguments.len() - 1);
    let (mut kept, mut last) = (Vec::with_capacity(arguments.len()), otherwise[0]);
    for branch in branches.chunks_exact(2) {
        match program.scalars.get(branch[0]) {
            Scalar::Constant(value) if value.is_true() => {
                last = branch[1];
                break;
            }
            Scalar::Constant(_) => {}
            _ => kept.extend(branch),
        }
    }
    let data_type = program.scalars.data_type(id);
    if kept.is_empty() {
        return if program.scalars.data_type(last) == data_type { last } else { id };
    }
    kept.push(last);
    if kept == arguments { id } else { program.scalars.call(Function::Case, kept, data_type) }
}
