//! The first rows of each key: a top-k for all keys at once, as places of a window.

use super::partition_groups::{columns, over_rows};
use crate::function::Function;
use crate::multiloop::{
    Aggregate, CollectionId, Generator, Let, Program, Reduction, Scalar, ScalarId, Shape, WindowCallee, WindowField,
};
use crate::types::{DataType, Field, SortOrder};
use crate::value::Value;
use crate::window::{Frame, WindowFunction};

/// Which places a top-k takes, those behind the first number up to the second, if a window can say so. Numbers that are no constants
/// may be negative, which is an error, and a window raises none.
pub(in crate::rewrite) fn places_of(program: &Program, top_k: &Aggregate) -> Option<(i64, Option<i64>)> {
    let Reduction::TopK { order, limit, offset } = &top_k.reduction else { return None };
    let number = |id: ScalarId| match program.scalars.get(id) {
        Scalar::Constant(Value::Null) => Some(None),
        Scalar::Constant(Value::Int(number)) => (*number >= 0).then_some(Some(*number)),
        _ => None,
    };
    let (ordered, own) = top_k.arguments.split_at(order.len());
    let data_type = |id: &ScalarId| program.scalars.data_type(*id);
    // Nothing says by which form two intervals or vectors differ that are equal.
    let has_told_forms = |id| data_type(id) != DataType::Interval && !data_type(id).is_vector();
    let is_ordered = |id| data_type(id) != DataType::Numeric && !data_type(id).is_vector();
    if order.is_empty() || !ordered.iter().all(is_ordered) || !own.iter().all(has_told_forms) {
        return None;
    }
    let offset = number(*offset)?.unwrap_or(0);
    let last = match number(*limit)? {
        Some(limit) => Some(limit.checked_add(offset)?),
        None => None,
    };
    Some((offset, last))
}

const ASCENDING: SortOrder = SortOrder { descending: false, nulls_first: false };

/// What a value is ordered by.
fn as_key(program: &mut Program, id: ScalarId) -> ScalarId {
    match program.scalars.data_type(id) {
        DataType::Numeric => program.scalars.call(Function::NumericKey, vec![id], DataType::Text),
        _ => id,
    }
}

/// What tells values apart that are equal and have two forms, in the order of these: -0 and 0, whose angles are pi and 0; and
/// numerics of several scales.
fn form(program: &mut Program, id: ScalarId) -> Option<(ScalarId, SortOrder)> {
    let scalars = &mut program.scalars;
    let data_type = scalars.data_type(id);
    if data_type == DataType::Numeric {
        return Some((scalars.call(Function::Scale, vec![id], DataType::Integer), ASCENDING));
    }
    if !data_type.is_float() {
        return None;
    }
    let double = DataType::Double;
    let number = if data_type == double { id } else { scalars.call(Function::Cast, vec![id], double) };
    let (zero, none) = (scalars.constant(Value::Float(0.0), double), scalars.constant(Value::Null, double));
    let is_zero = scalars.call(Function::Equal, vec![number, zero], DataType::Boolean);
    let angle = scalars.call(Function::Atan2, vec![zero, number], double);
    let form = scalars.call(Function::Case, vec![is_zero, angle, none], double);
    Some((form, SortOrder { descending: true, ..ASCENDING }))
}

/// Rows that a top-k would be offered, of all keys, in front of a window of their places within the key; and the rows that are
/// taken, which have the key in front of what the top-k gives.
pub(in crate::rewrite) fn rows_of_keys(
    program: &mut Program,
    taken: CollectionId,
    condition: Vec<ScalarId>,
    (key, top_k): (&[ScalarId], &Aggregate),
) -> (CollectionId, Generator, [Let; 2]) {
    let Reduction::TopK { order, .. } = &top_k.reduction else { unreachable!("only a top-k has places") };
    let Some((offset, last)) = places_of(program, top_k) else { unreachable!("the places are known") };
    let (ordered, own) = top_k.arguments.split_at(order.len());
    let shown = program.collection(taken).fields.clone();
    let (mut fields, mut value, mut by) = (shown.clone(), [key, own].concat(), Vec::new());
    let mut order_by = |program: &Program, id: ScalarId, order| {
        let at = value.iter().position(|&other| other == id).unwrap_or_else(|| {
            fields.push(Field::new(format!("order{}", by.len()), program.scalars.data_type(id), true));
            value.push(id);
            value.len() - 1
        });
        by.push((at as u32, order));
    };
    ordered.iter().zip(order).for_each(|(&id, &order)| order_by(program, id, order));
    // Ties are told apart by all fields, as a top-k does; what is equal anyway tells nothing. Then by the forms of equal values.
    for &id in own {
        let id = as_key(program, id);
        if !key.contains(&id) && !ordered.contains(&id) {
            order_by(program, id, ASCENDING);
        }
    }
    for &id in own {
        if let Some((form, order)) = form(program, id) {
            order_by(program, form, order);
        }
    }
    let rows = program.add_collection(fields.clone(), Shape::Rows);
    let place = Field::new("place", DataType::BigInt, false);
    let window = program.add_collection([&fields[..], &[place]].concat(), Shape::Rows);
    let row_number = WindowField {
        function: WindowCallee::Function(WindowFunction::RowNumber),
        arguments: Vec::new(),
        frame: Frame::default(),
        data_type: DataType::BigInt,
    };
    let partition = (0..key.len() as u32).collect();
    let placed = Let::Window { define: window, input: rows, partition, order: by, functions: vec![row_number] };
    let index = program.add_index();
    let mut read = columns(program, window, index);
    let place = read[fields.len()];
    read.truncate(shown.len());
    let mut bounds = Vec::new();
    let mut compare = |function, bound: i64| {
        let bound = program.scalars.constant(Value::Int(bound), DataType::BigInt);
        bounds.push(program.scalars.call(function, vec![place, bound], DataType::Boolean));
    };
    if offset > 0 {
        compare(Function::Greater, offset);
    }
    if let Some(last) = last {
        compare(Function::LessEqual, last);
    }
    let collect = Generator::Collect { condition, value };
    let taking = over_rows(taken, index, window, Generator::Collect { condition: bounds, value: read });
    (rows, collect, [placed, taking])
}
