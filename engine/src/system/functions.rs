//! Functions that are queries over the catalog, by name and number of arguments: `functions.sql`, read once.

use super::rows::{Rows, fixed, int, oid, text};
use super::{PG_CATALOG, shape};
use multiloop_planner::catalog::SqlFunction;
use multiloop_planner::types::{DataType, OidKind, SystemType};
use multiloop_planner::value::Value;
use std::collections::HashMap;
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

/// Rows of pg_proc.
pub(super) fn listed() -> Vec<Vec<Value>> {
    let fields = &shape::shape(PG_CATALOG, "pg_proc").expect("it is a table of the catalog").fields;
    let place = |name: &str| fields.iter().position(|field| field.name == name).expect("a column of it");
    let [types, count, name, source] = ["proargtypes", "pronargs", "proname", "prosrc"].map(place);
    let mut rows = fixed("pg_proc");
    for row in &mut rows {
        row[count] = int(arguments(&row[types]).len() as i64);
        // The name of what runs; here it is nothing else.
        row[source] = row[name].clone();
    }
    rows
}

/// The types of what a function takes.
fn arguments(types: &Value) -> Vec<Value> {
    let Value::Text(types) = types else { return Vec::new() };
    multiloop_planner::evaluate::array::Array::decode(types, DataType::OID).unwrap_or_default().elements
}

/// Rows of multiloop_procedure: functions as they are called, with the types of what they take and give.
pub(super) fn procedures() -> Vec<Vec<Value>> {
    let fields = &shape::shape(PG_CATALOG, "pg_proc").expect("it is a table of the catalog").fields;
    let place = |name: &str| fields.iter().position(|field| field.name == name).expect("a column of it");
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
