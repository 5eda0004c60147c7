//! Functions in the catalog, and functions that are queries over the catalog.
//!
//! pg_proc has PostgreSQL's functions that are in `fixed.txt`, with PostgreSQL's numbers, and whatever else the planner's
//! registry lists, with numbers of PostgreSQL's range for development, in the order of the list. Queries that are called by name
//! and number of arguments are read once from `functions.sql`.

use super::catalog_numbers::PG_PROC;
use super::rows::{Rows, boolean, fixed, int, oid, text, vector};
use super::{PG_CATALOG, shape};
use multiloop_planner::catalog::SqlFunction;
use multiloop_planner::relation::builder::{FunctionKind, FunctionSummary, functions};
use multiloop_planner::types::{DataType, OidKind, SystemType};
use multiloop_planner::value::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

/// The function of a name and a number of arguments.
pub(crate) fn function(name: &str, arguments: usize) -> Option<Arc<SqlFunction>> {
    static FUNCTIONS: LazyLock<HashMap<(String, usize), Arc<SqlFunction>>> =
        LazyLock::new(|| include_str!("functions.sql").split("-- @ ").skip(1).map(of).collect());
    FUNCTIONS.get(&(name.to_owned(), arguments)).cloned()
}

fn of(text: &str) -> ((String, usize), Arc<SqlFunction>) {
    let (head, body) = text.split_once('\n').expect("a function has a body");
    let (head, gives_rows) = head.trim().strip_suffix(" rows").map_or((head.trim(), false), |head| (head, true));
    let (name, types) = head.split_once('(').expect("a function has arguments");
    let parameters: Vec<DataType> =
        types.trim_end_matches(')').split(", ").filter(|word| !word.is_empty()).map(parameter).collect();
    let function = SqlFunction { parameters, body: body.trim().to_owned(), gives_rows };
    ((name.to_owned(), function.parameters.len()), Arc::new(function))
}

fn parameter(word: &str) -> DataType {
    match word {
        "any" => DataType::Null,
        "text" => DataType::Text,
        "name" => DataType::Name,
        "boolean" => DataType::Boolean,
        "smallint" => DataType::SmallInt,
        "integer" => DataType::Integer,
        "bigint" => DataType::BigInt,
        "aclitem[]" => DataType::list(DataType::System(SystemType::AclItem)),
        "\"char\"" => DataType::InternalChar,
        other => DataType::Oid(OidKind::named(other).unwrap_or_else(|| panic!("{other}: no such type"))),
    }
}

/// Whether PostgreSQL has functions of a name.
pub(crate) fn is_standard(name: &str) -> bool {
    static OWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| own().iter().map(|(_, of)| of.name).collect());
    !OWN.contains(name)
}

/// The first number of a function that PostgreSQL's list lacks.
const FIRST_OWN: u32 = 8000;

/// PostgreSQL's "any", and its record.
const ANY: u32 = 2276;
const RECORD: u32 = 2249;

/// Functions of the registry whose names `fixed.txt` lacks, with their numbers.
fn own() -> &'static [(u32, FunctionSummary)] {
    static OWN: LazyLock<Vec<(u32, FunctionSummary)>> = LazyLock::new(|| {
        let name = place("proname");
        let known: HashSet<String> = fixed("pg_proc")
            .into_iter()
            .filter_map(|row| if let Value::Text(name) = &row[name] { Some(name.to_string()) } else { None })
            .collect();
        (FIRST_OWN..).zip(functions().into_iter().filter(|of| !known.contains(of.name))).collect()
    });
    &OWN
}

fn place(column: &str) -> usize {
    let fields = &shape::shape(PG_CATALOG, "pg_proc").expect("it is a table of the catalog").fields;
    fields.iter().position(|field| field.name == column).expect("a column of it")
}

/// The number of a type by its name; "any" if no type is called so.
fn number_of(type_name: &str) -> u32 {
    match type_name.trim_start_matches("SETOF ") {
        "record" => RECORD,
        "timestamptz" => super::types::type_oid(DataType::TimestampTz),
        "timestamp" => super::types::type_oid(DataType::Timestamp),
        "time" => super::types::type_oid(DataType::Time),
        name => super::types::number_called(name).unwrap_or(ANY),
    }
}

/// The numbers of the types of arguments in words; those in brackets may be left out, but are there.
fn types_of(arguments: &str) -> Vec<Value> {
    let words = arguments.split([',', '[', ']']).map(str::trim);
    words.filter(|word| !word.is_empty() && *word != "…").map(|word| oid(number_of(word))).collect()
}

/// Rows of pg_proc.
pub(super) fn listed() -> Vec<Vec<Value>> {
    let [types, count, name, source] = ["proargtypes", "pronargs", "proname", "prosrc"].map(place);
    let mut rows = fixed("pg_proc");
    let mut more = Rows::new("pg_proc", "oid proname prokind provolatile proretset prorettype proargtypes")
        .with("pronamespace", int(11))
        .with("proowner", int(10))
        .with("prolang", int(12))
        .with("procost", Value::Float(1.0))
        .with("proparallel", text("s"));
    for (number, of) in own() {
        let kind = match of.kind {
            FunctionKind::Plain | FunctionKind::Rows => "f",
            FunctionKind::Aggregate | FunctionKind::OrderedSet => "a",
            FunctionKind::Window => "w",
        };
        let volatile = if VOLATILE.contains(&of.name) { "v" } else { "i" };
        more.push([
            oid(*number),
            text(of.name),
            text(kind),
            text(volatile),
            boolean(of.kind == FunctionKind::Rows),
            oid(number_of(&of.result)),
            vector(types_of(&of.arguments), DataType::OID),
        ]);
    }
    rows.extend(more.finish());
    for row in &mut rows {
        row[count] = int(arguments(&row[types]).len() as i64);
        // The name of what runs; here it is nothing else.
        row[source] = row[name].clone();
    }
    rows
}

/// Functions of the registry's own whose values differ from call to call.
const VOLATILE: &[&str] = &["gen_random_uuid", "uuid", "setseed", "statement_timestamp"];

/// Rows of pg_description of functions that PostgreSQL's list lacks.
pub(super) fn descriptions() -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_description", "classoid objoid description");
    for (number, of) in own() {
        rows.push([oid(PG_PROC), oid(*number), text(of.summary)]);
    }
    rows.finish()
}

/// The types of what a function takes.
fn arguments(types: &Value) -> Vec<Value> {
    let Value::Text(types) = types else { return Vec::new() };
    multiloop_planner::evaluate::array::Array::decode(types, DataType::OID).unwrap_or_default().elements
}

/// Rows of multiloop_procedure: functions as they are called, with the types of what they take and give.
pub(super) fn procedures() -> Vec<Vec<Value>> {
    let [name, result, set, taken] = ["proname", "prorettype", "proretset", "proargtypes"].map(place);
    let called = |number: i64| {
        let number = u32::try_from(number).unwrap_or(0);
        super::types::shown(number)
    };
    let mut rows = Rows::new("multiloop_procedure", "oid shown arguments result");
    for row in fixed("pg_proc") {
        let (Value::Int(number), Value::Text(name), Value::Int(result)) = (&row[0], &row[name], &row[result]) else {
            continue;
        };
        let types = arguments(&row[taken]);
        let types = types.iter().map(|of| if let Value::Int(of) = of { called(*of) } else { String::new() });
        let types = types.collect::<Vec<_>>().join(", ");
        let setof = if row[set] == Value::Boolean(true) { "SETOF " } else { "" };
        let number = u32::try_from(*number).unwrap_or(0);
        rows.push([
            oid(number),
            text(super::names::quoted(name)),
            text(types),
            text(format!("{setof}{}", called(*result))),
        ]);
    }
    for (number, of) in own() {
        let shown = text(super::names::quoted(of.name));
        rows.push([oid(*number), shown, text(&of.arguments), text(&of.result)]);
    }
    rows.finish()
}

#[cfg(test)]
mod tests {
    use super::function;

    #[test]
    fn the_text_is_read() {
        let format_type = function("format_type", 2).expect("it is there");
        assert_eq!(format_type.parameters.len(), 2);
        assert!(format_type.body.starts_with("SELECT CASE"));
        assert!(function("pg_jit_available", 0).is_some_and(|function| function.parameters.is_empty()));
        assert!(function("format_type", 1).is_none());
    }
}
