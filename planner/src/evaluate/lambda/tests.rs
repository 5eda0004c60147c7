//! Lambdas without SQL: what is lazy, what is captured, what differs from element to element.

use super::{Lambda, Node, NodeKind};
use crate::error::Result;
use crate::evaluate::array::Array;
use crate::evaluate::evaluate;
use crate::function::{Function, LambdaFunction, LambdaKind, Volatility};
use crate::types::DataType;
use crate::value::Value;

const INTEGER: DataType = DataType::Integer;

fn lambda(nodes: Vec<(NodeKind, DataType)>, value: u32, condition: Option<u32>) -> Lambda {
    Lambda {
        names: vec!["x".to_owned()],
        element: INTEGER,
        takes_parts: false,
        result: INTEGER,
        makes_parts: false,
        dimensions: Some(1),
        nodes: nodes.into_iter().map(|(kind, data_type)| Node { kind, data_type }).collect(),
        value,
        condition,
    }
}

fn list(elements: &[Value]) -> Value {
    Value::text(Array::of(elements.to_vec()).encode(INTEGER))
}

fn apply(kind: LambdaKind, of: &Lambda, list: Value, rest: &[Value]) -> Result<Value> {
    let mut arguments = vec![list, Value::text(of.text().expect("it has a text"))];
    arguments.extend_from_slice(rest);
    let types = vec![DataType::Text; arguments.len()];
    evaluate(
        Function::Lambda(LambdaFunction { kind, volatility: Volatility::Immutable }),
        &arguments,
        &types,
        DataType::Text,
    )
}

#[test]
fn values_of_elements() {
    let int = Value::Int;
    // x + captured
    let add = lambda(
        vec![
            (NodeKind::Element, INTEGER),
            (NodeKind::Captured(0), INTEGER),
            (NodeKind::Call(Function::Add, vec![0, 1]), INTEGER),
        ],
        2,
        None,
    );
    let each = |of: &Lambda, given: &[Value], captured: Value| apply(LambdaKind::Each, of, list(given), &[captured]);
    assert_eq!(each(&add, &[int(1), Value::Null], int(10)), Ok(list(&[int(11), Value::Null])));
    assert_eq!(each(&add, &[int(1)], Value::Null), Ok(list(&[Value::Null])));
    assert_eq!(each(&add, &[], int(1)), Ok(list(&[])));
    assert_eq!(apply(LambdaKind::Each, &add, Value::Null, &[int(1)]), Ok(Value::Null));
    assert_eq!(Lambda::read(&add.text().expect("it has a text")), Ok(add));
}

#[test]
fn what_is_not_reached_does_not_fail() {
    // x = 0 OR captured / x > 1
    let nodes = vec![
        (NodeKind::Element, INTEGER),
        (NodeKind::Captured(0), INTEGER),
        (NodeKind::Captured(1), INTEGER),
        (NodeKind::Call(Function::Equal, vec![0, 1]), DataType::Boolean),
        (NodeKind::Call(Function::Divide, vec![2, 0]), INTEGER),
        (NodeKind::Call(Function::Greater, vec![4, 2]), DataType::Boolean),
        (NodeKind::Call(Function::Or, vec![3, 5]), DataType::Boolean),
        (NodeKind::Call(Function::Divide, vec![2, 1]), INTEGER),
    ];
    let given = list(&[Value::Int(0), Value::Int(1), Value::Null]);
    let of = lambda(nodes.clone(), 0, Some(6));
    let captured = [Value::Int(0), Value::Int(1)];
    assert_eq!(apply(LambdaKind::Each, &of, given.clone(), &captured), Ok(list(&[Value::Int(0)])));
    let failing = lambda(nodes, 7, None);
    let error = apply(LambdaKind::Each, &failing, given, &captured).expect_err("1 / 0");
    assert_eq!(error.sqlstate(), "22012");
    // It is the same for all elements, and there are none.
    assert_eq!(apply(LambdaKind::Each, &failing, list(&[]), &captured), Ok(list(&[])));
}

#[test]
fn reductions() {
    let nodes = vec![
        (NodeKind::Accumulator, INTEGER),
        (NodeKind::Element, INTEGER),
        (NodeKind::Index, DataType::BigInt),
        (NodeKind::Call(Function::Multiply, vec![1, 2]), INTEGER),
        (NodeKind::Call(Function::Add, vec![0, 3]), INTEGER),
    ];
    let of = lambda(nodes, 4, None);
    let given = list(&[Value::Int(1), Value::Int(2), Value::Int(3)]);
    assert_eq!(apply(LambdaKind::Reduce, &of, given.clone(), &[]), Ok(Value::Int(14)));
    assert_eq!(apply(LambdaKind::ReduceFrom, &of, given, &[Value::Int(100)]), Ok(Value::Int(114)));
    assert_eq!(apply(LambdaKind::ReduceFrom, &of, list(&[]), &[Value::Int(5)]), Ok(Value::Int(5)));
    assert_eq!(apply(LambdaKind::Reduce, &of, list(&[]), &[]).map_err(|error| error.sqlstate()), Err("22023"));
}
