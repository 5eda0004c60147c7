//! The functions that the program has registered, in pg_proc and what shows functions by their numbers. They are in the schema public,
//! which nobody has to name, and are numbered in the order of their names, so that a number is good as long as no function comes or goes.

use super::rows::{Rows, boolean, int, oid, text, vector};
use super::{Making, names, types};
use multiloop_planner::catalog::UserCallee;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// The first number.
const FIRST: u32 = 0x7000_0000;

/// PostgreSQL's record.
const RECORD: u32 = 2249;

/// What a table function gives, as it is shown.
const RECORDS: &str = "SETOF record";

/// Rows of pg_proc.
pub(super) fn listed(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new(
        "pg_proc",
        "oid proname prosrc prokind provolatile proisstrict proretset prorettype pronargs proargtypes",
    )
    .with("pronamespace", oid(making.schema_oid("public")))
    .with("proowner", int(10))
    .with("prolang", int(12))
    .with("procost", Value::Float(1.0))
    .with("proparallel", text("s"));
    for (number, (name, known)) in (FIRST..).zip(making.facts.functions.iter()) {
        let (kind, volatile, strict, result) = match known {
            UserCallee::Scalar(known) => {
                ("f", known.volatility().letter(), known.is_strict(), types::type_oid(known.result))
            }
            UserCallee::Aggregate(known) => ("a", "i", false, types::type_oid(known.of_arrays.result)),
            UserCallee::Table { .. } => ("f", "v", false, RECORD),
        };
        let parameters = known.parameters();
        let taken = parameters.iter().map(|&of| oid(types::type_oid(of))).collect();
        rows.push([
            oid(number),
            text(name),
            text(name),
            text(kind),
            text(volatile),
            boolean(strict),
            boolean(matches!(known, UserCallee::Table { .. })),
            oid(result),
            int(parameters.len() as i64),
            vector(taken, DataType::OID),
        ]);
    }
    rows.finish()
}

/// Rows of multiloop_procedure.
pub(super) fn procedures(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_procedure", "oid shown arguments result");
    for (number, (name, known)) in (FIRST..).zip(making.facts.functions.iter()) {
        let taken: Vec<String> = known.parameters().iter().map(DataType::to_string).collect();
        let result = match known {
            UserCallee::Scalar(known) => known.result.to_string(),
            UserCallee::Aggregate(known) => known.of_arrays.result.to_string(),
            UserCallee::Table { .. } => RECORDS.to_owned(),
        };
        rows.push([oid(number), text(names::quoted(name)), text(taken.join(", ")), text(result)]);
    }
    rows.finish()
}
