//! The functions that users wrote in SQL, in pg_proc and what shows functions by their numbers.

use super::rows::{Rows, boolean, int, list, oid, text, vector};
use super::session_tables::role_number;
use super::{Making, granted, names, types};
use crate::catalog::{Entry, Object, Qualified};
use multiloop_planner::catalog::{ArgumentMode, Returned, Routine, RoutineArgument, RoutineBody, TableName};
use multiloop_planner::function::Volatility;
use multiloop_planner::types::{DataType, SystemType};
use multiloop_planner::value::Value;
use std::fmt::Write as _;
use std::sync::Arc;

/// PostgreSQL's record, and the language of these functions.
const RECORD: u32 = 2249;
const SQL: u32 = 14;

/// Rows of pg_proc.
pub(super) fn listed(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new(
        "pg_proc",
        "oid proname pronamespace proowner procost prorows provariadic prosecdef proleakproof proisstrict proretset provolatile \
         proparallel pronargs pronargdefaults prorettype proargtypes proallargtypes proargmodes proargnames proargdefaults prosrc \
         prosqlbody proacl prokind",
    )
    .with("prolang", oid(SQL));
    for (schema, object, routine) in all(making) {
        let number = |of: DataType| oid(number_of(making, of));
        let inputs: Vec<&RoutineArgument> = routine.inputs().collect();
        let is_plain = routine.arguments.iter().all(|argument| argument.mode == ArgumentMode::In);
        let is_named = routine.arguments.iter().any(|argument| !argument.name.is_empty());
        let every = |value: &dyn Fn(&RoutineArgument) -> Value, of: DataType| {
            list(routine.arguments.iter().map(value).collect(), of)
        };
        let defaults: Vec<&str> = inputs.iter().filter_map(|argument| argument.default.as_deref()).collect();
        let variadic = inputs.last().filter(|last| last.mode == ArgumentMode::Variadic);
        let variadic = variadic.and_then(|last| last.data_type.element()).map_or_else(|| oid(0), number);
        let source = if let RoutineBody::Text(source) = &routine.body { source } else { "" };
        rows.push([
            oid(object.oid),
            text(&routine.name),
            oid(making.schema_oid(schema)),
            oid(role_number(making, &object.owned.owner)),
            Value::Float(routine.cost),
            Value::Float(routine.rows),
            variadic,
            boolean(routine.definer),
            boolean(routine.leakproof),
            boolean(routine.strict),
            boolean(routine.gives_rows),
            text(routine.volatility.letter()),
            text(routine.parallel.to_string()),
            int(inputs.len() as i64),
            int(defaults.len() as i64),
            oid(returned_number(making, routine)),
            vector(inputs.iter().map(|argument| number(argument.data_type)).collect(), DataType::OID),
            if !is_plain { every(&|argument| number(argument.data_type), DataType::OID) } else { Value::Null },
            if is_plain { Value::Null } else { every(&|one| text(one.mode.letter()), DataType::InternalChar) },
            if is_named { every(&|argument| text(&argument.name), DataType::Text) } else { Value::Null },
            if defaults.is_empty() { Value::Null } else { text(defaults.join(", ")) },
            text(source),
            body_of(routine).map_or(Value::Null, |body| text(&*body)),
            granted::list_of(&object.owned),
            text(if routine.is_procedure { "p" } else { "f" }),
        ]);
    }
    rows.finish()
}

/// Rows of multiloop_procedure.
pub(super) fn procedures(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows =
        Rows::new("multiloop_procedure", "oid shown arguments result identity definition body visible types");
    for (schema, object, routine) in all(making) {
        let is_visible = is_visible(making, schema, routine);
        let shown = names::quoted(&routine.name);
        let types: Vec<String> = routine.inputs().map(|argument| type_name(making, argument.data_type)).collect();
        rows.push([
            oid(object.oid),
            text(if is_visible { shown } else { format!("{}.{shown}", names::quoted(schema)) }),
            text(arguments(making, routine, true)),
            if routine.is_procedure { Value::Null } else { text(result(making, routine)) },
            text(arguments(making, routine, false)),
            text(definition(making, schema, routine)),
            body_of(routine).map_or(Value::Null, |body| text(&*body)),
            boolean(is_visible),
            text(types.join(",")),
        ]);
    }
    rows.finish()
}

/// All of them, in the order in which they were made.
fn all<'m>(making: &'m Making<'_>) -> Vec<(&'m str, &'m Object, &'m Arc<Routine>)> {
    let mut all: Vec<_> =
        making.state.routines().map(|(schema, _, object, routine)| (schema, object, routine)).collect();
    all.sort_by_key(|(_, object, _)| object.oid);
    all
}

/// Whether a call by the name alone means this function, or another of its name in its schema.
fn is_visible(making: &Making<'_>, schema: &str, routine: &Routine) -> bool {
    let key = routine.key();
    let has = |of: &String| {
        let name = Qualified { schema: of.clone(), name: key.clone() };
        matches!(making.state.get(&name), Some(Entry::Routine(_)))
    };
    making.path.iter().find(|of| has(of)).is_some_and(|first| first == schema)
}

fn body_of(routine: &Routine) -> Option<Arc<str>> {
    match &routine.body {
        RoutineBody::Standard(written, _) => Some(Arc::clone(written)),
        RoutineBody::Text(_) => None,
    }
}

fn number_of(making: &Making<'_>, of: DataType) -> u32 {
    making.number_of_type(of).unwrap_or_else(|| types::type_oid(of))
}

/// The number of what a function returns.
fn returned_number(making: &Making<'_>, routine: &Routine) -> u32 {
    match &routine.returned {
        Returned::Void => types::type_oid(DataType::System(SystemType::Void)),
        Returned::Value(of) => number_of(making, *of),
        Returned::Columns => RECORD,
        Returned::Relation(name) => {
            let found = Qualified::of(name).and_then(|name| making.state.object(&name));
            found.map_or(RECORD, Object::row_type)
        }
    }
}

/// What a type is called.
fn type_name(making: &Making<'_>, of: DataType) -> String {
    let element = of.element().unwrap_or(of);
    let made = making.state.types().find(|(.., known)| *known == element);
    let Some((schema, name, ..)) = made.filter(|_| element.labels().is_some()) else { return of.to_string() };
    let suffix = if of == element { "" } else { "[]" };
    format!("{}{suffix}", making.shown(schema, name))
}

/// What stands in the parentheses of a function's definition: not the columns of RETURNS TABLE.
fn arguments(making: &Making<'_>, routine: &Routine, with_defaults: bool) -> String {
    let shown = |argument: &RoutineArgument| {
        let mut text = match argument.mode {
            ArgumentMode::Out => "OUT ".to_owned(),
            ArgumentMode::InOut => "INOUT ".to_owned(),
            ArgumentMode::Variadic => "VARIADIC ".to_owned(),
            ArgumentMode::In if routine.is_procedure => "IN ".to_owned(),
            ArgumentMode::In | ArgumentMode::Table => String::new(),
        };
        if !argument.name.is_empty() {
            let _ = write!(text, "{} ", names::quoted(&argument.name));
        }
        text.push_str(&type_name(making, argument.data_type));
        if let Some(default) = argument.default.as_ref().filter(|_| with_defaults) {
            let _ = write!(text, " DEFAULT {default}");
        }
        text
    };
    let arguments = routine.arguments.iter().filter(|argument| argument.mode != ArgumentMode::Table);
    arguments.map(shown).collect::<Vec<_>>().join(", ")
}

/// What a function returns, in words.
fn result(making: &Making<'_>, routine: &Routine) -> String {
    let columns = routine.arguments.iter().filter(|argument| argument.mode == ArgumentMode::Table);
    let columns: Vec<String> =
        columns.map(|one| format!("{} {}", names::quoted(&one.name), type_name(making, one.data_type))).collect();
    if !columns.is_empty() {
        return format!("TABLE({})", columns.join(", "));
    }
    let setof = if routine.gives_rows { "SETOF " } else { "" };
    let of = match &routine.returned {
        Returned::Void => "void".to_owned(),
        Returned::Value(of) => type_name(making, *of),
        Returned::Columns => "record".to_owned(),
        Returned::Relation(TableName { schema, name }) => making.shown(schema.as_deref().unwrap_or_default(), name),
    };
    format!("{setof}{of}")
}

/// The statement that makes a function.
fn definition(making: &Making<'_>, schema: &str, routine: &Routine) -> String {
    let mut options = Vec::new();
    match routine.volatility {
        Volatility::Immutable => options.push("IMMUTABLE".to_owned()),
        Volatility::Stable => options.push("STABLE".to_owned()),
        Volatility::Volatile => {}
    }
    match routine.parallel {
        's' => options.push("PARALLEL SAFE".to_owned()),
        'r' => options.push("PARALLEL RESTRICTED".to_owned()),
        _ => {}
    }
    for (is_said, word) in
        [(routine.strict, "STRICT"), (routine.definer, "SECURITY DEFINER"), (routine.leakproof, "LEAKPROOF")]
    {
        if is_said {
            options.push(word.to_owned());
        }
    }
    if routine.cost != 100.0 {
        options.push(format!("COST {}", routine.cost));
    }
    if routine.gives_rows && routine.rows != 1000.0 {
        options.push(format!("ROWS {}", routine.rows));
    }
    let name = format!("{}.{}", names::quoted(schema), names::quoted(&routine.name));
    let returns = if routine.is_procedure { String::new() } else { format!(" RETURNS {}\n", result(making, routine)) };
    let kind = routine.kind();
    let mut made = format!(
        "CREATE OR REPLACE {} {name}({})\n{returns} LANGUAGE sql\n",
        kind.to_ascii_uppercase(),
        arguments(making, routine, true),
    );
    if !options.is_empty() {
        let _ = writeln!(made, " {}", options.join(" "));
    }
    match &routine.body {
        RoutineBody::Standard(written, _) => {
            let _ = writeln!(made, "{written}");
        }
        RoutineBody::Text(source) => {
            let mut quote = format!("${kind}");
            while source.contains(&quote) {
                quote.push('x');
            }
            let _ = writeln!(made, "AS {quote}${source}{quote}$");
        }
    }
    made
}
