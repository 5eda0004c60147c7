//! A Reduce of one row is an expression of it: `max(n) if n > 1` of the row of another Reduce is `CASE WHEN n > 1 THEN n END`.

use crate::function::Function;
use crate::multiloop::{Aggregate, Generator, Program, Reduction, ScalarId, Scalars};
use crate::types::DataType;
use crate::value::Value;

/// Whether what a generator reduces of one row can be said by expressions. Each is evaluated where the row would be made, but not
/// all of several: what may fail is the only one. What is volatile would be evaluated more than once.
pub(super) fn is_expression(program: &Program, generator: &Generator) -> bool {
    let Generator::Reduce { condition, aggregates } = generator else { return false };
    let scalars = &program.scalars;
    let keeps_type = |each: &Aggregate| scalars.data_type(each.arguments[0]) == each.data_type;
    let is_said = |each: &Aggregate| match each.reduction {
        Reduction::CountRows | Reduction::Count => true,
        Reduction::Min | Reduction::Max | Reduction::First | Reduction::Single => keeps_type(each),
        Reduction::Any | Reduction::All => keeps_type(each),
        _ => false,
    };
    let mut all: Vec<ScalarId> = condition.clone();
    aggregates.iter().for_each(|each| each.for_each_scalar(|id| all.push(id)));
    let mut effects = all.iter().map(|&id| scalars.effects(id));
    aggregates.iter().all(is_said) && effects.all(|each| !each.volatile && (aggregates.len() == 1 || each.is_pure()))
}

/// The fields of a Reduce of one row.
pub(super) fn expressions(program: &mut Program, condition: &[ScalarId], aggregates: &[Aggregate]) -> Vec<ScalarId> {
    let fields = aggregates.iter().map(|aggregate| {
        let scalars = &mut program.scalars;
        let bigint = DataType::BigInt;
        let number = |scalars: &mut Scalars, number| scalars.constant(Value::Int(number), bigint);
        let boolean = |scalars: &mut Scalars, is| scalars.constant(Value::Boolean(is), DataType::Boolean);
        let (mut conditions, data_type) = ([condition, &aggregate.condition].concat(), aggregate.data_type);
        let (value, none) = match aggregate.reduction {
            Reduction::CountRows => (number(scalars, 1), number(scalars, 0)),
            Reduction::Count => {
                let is_there = scalars.call(Function::IsNotNull, aggregate.arguments.clone(), DataType::Boolean);
                conditions.push(is_there);
                (number(scalars, 1), number(scalars, 0))
            }
            Reduction::Any => (aggregate.arguments[0], boolean(scalars, false)),
            Reduction::All => (aggregate.arguments[0], boolean(scalars, true)),
            _ => (aggregate.arguments[0], scalars.constant(Value::Null, data_type)),
        };
        // One in the other: what stands behind a condition that is not TRUE is not evaluated.
        conditions
            .iter()
            .rev()
            .fold(value, |value, &condition| scalars.call(Function::Case, vec![condition, value, none], data_type))
    });
    fields.collect()
}
