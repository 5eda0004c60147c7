//! Calls that are no function's: operators, casts, and what has a syntax of its own.

use super::shapes::{Kind, Shape};
use super::values::{Random, TYPES, any, type_of};

/// Words for several types.
fn types_of(word: &str) -> Vec<usize> {
    let words: &[&str] = match word {
        "number" => &["smallint", "integer", "bigint", "real", "double precision", "numeric", "numeric(10,2)"],
        "whole" => &["smallint", "integer", "bigint"],
        "moment" => &["date", "time", "timetz", "timestamp", "timestamptz", "interval"],
        "string" => &["text", "varchar(5)", "char(5)", "name"],
        "tree" => &["json", "jsonb"],
        "array" => &["boolean[]", "integer[]", "bigint[]", "double precision[]", "numeric[]", "text[]", "timestamp[]"],
        "any" => return (0..any()).collect(),
        word => return vec![type_of(word).unwrap_or_else(|| panic!("{word}: no such type"))],
    };
    words.iter().filter_map(|word| type_of(word)).collect()
}

/// Forms, the words of their arguments behind them. Each choice of types is a call, unless there are too many.
const FORMS: &[(&str, &[&str])] = &[
    ("{0} + {1}", &["number", "number"]),
    ("{0} - {1}", &["number", "number"]),
    ("{0} * {1}", &["number", "number"]),
    ("{0} / {1}", &["number", "number"]),
    ("{0} % {1}", &["number", "number"]),
    ("{0} ^ {1}", &["number", "number"]),
    ("{0} // {1}", &["number", "number"]),
    ("{0} ** {1}", &["number", "number"]),
    ("{0} & {1}", &["whole", "whole"]),
    ("{0} | {1}", &["whole", "whole"]),
    ("{0} # {1}", &["whole", "whole"]),
    ("{0} << {1}", &["whole", "integer"]),
    ("{0} >> {1}", &["whole", "integer"]),
    ("- {0}", &["number"]),
    ("+ {0}", &["number"]),
    ("@ {0}", &["number"]),
    ("~ {0}", &["whole"]),
    ("|/ {0}", &["number"]),
    ("||/ {0}", &["number"]),
    ("- {0}", &["interval"]),
    ("{0} + {1}", &["moment", "moment"]),
    ("{0} - {1}", &["moment", "moment"]),
    ("{0} + {1}", &["date", "whole"]),
    ("{0} - {1}", &["date", "whole"]),
    ("{0} + {1}", &["whole", "date"]),
    ("{0} * {1}", &["interval", "number"]),
    ("{0} * {1}", &["number", "interval"]),
    ("{0} / {1}", &["interval", "number"]),
    ("{0} AT TIME ZONE {1}", &["moment", "zone"]),
    ("{0} AT TIME ZONE {1}", &["timestamp", "interval"]),
    ("({0}, {1}) OVERLAPS ({2}, {3})", &["date", "date", "date", "interval"]),
    ("({0}, {1}) OVERLAPS ({2}, {3})", &["timestamp", "interval", "timestamp", "timestamp"]),
    ("{0} <-> {1}", &["vector", "vector"]),
    ("{0} <#> {1}", &["vector", "vector"]),
    ("{0} <=> {1}", &["vector", "vector"]),
    ("{0} <+> {1}", &["vector", "vector"]),
    ("{0} + {1}", &["vector", "vector"]),
    ("{0} * {1}", &["vector", "number"]),
    ("{0} / {1}", &["number", "vector"]),
    ("- {0}", &["vector"]),
    ("{0} || {1}", &["vector", "vector"]),
    ("({0})[{1}]", &["vector", "integer"]),
    ("exp({0})", &["vector"]),
    ("greatest({0}, {1})", &["vector", "vector"]),
    ("({0}::vector(2, double))::vector(2)", &["vector"]),
    ("({0}::text)::vector(2)", &["vector"]),
    ("{0}::real[]", &["vector"]),
    ("({0}::real[])::vector(2)", &["vector"]),
    ("list_sum({0})", &["vector"]),
    ("array_position({0}, {1})", &["vector", "real"]),
    ("array_distance({0}, {1})", &["vector", "double precision[]"]),
    ("{0} || {1}", &["vector", "number"]),
    ("{0} @> {1}", &["vector", "double precision[]"]),
    ("{1} = ANY ({0})", &["vector", "number"]),
    ("({0})[{1}:{2}]", &["vector", "integer", "integer"]),
    ("COALESCE({0}, {1})", &["vector", "double precision[]"]),
    ("to_json({0})", &["vector"]),
    ("to_json({0})::vector(2)", &["vector"]),
    ("{0} || {1}", &["string", "string"]),
    ("{0} || {1}", &["text", "any"]),
    ("{0} || {1}", &["array", "array"]),
    ("{0} || {1}", &["integer[]", "integer"]),
    ("{0} || {1}", &["text", "text[]"]),
    ("{0} || {1}", &["jsonb", "jsonb"]),
    ("{0} || {1}", &["bytea", "bytea"]),
    ("{0} LIKE {1}", &["string", "text"]),
    ("{0} NOT ILIKE {1}", &["text", "text"]),
    ("{0} LIKE {1} ESCAPE {2}", &["text", "text", "text"]),
    ("{0} SIMILAR TO {1}", &["text", "pattern"]),
    ("{0} ~ {1}", &["string", "pattern"]),
    ("{0} !~* {1}", &["text", "pattern"]),
    ("{0} ^@ {1}", &["text", "text"]),
    ("{0} LIKE ANY ({1})", &["text", "text[]"]),
    ("NOT {0}", &["boolean"]),
    ("{0} AND {1}", &["boolean", "boolean"]),
    ("{0} OR {1}", &["boolean", "boolean"]),
    ("{0} IS NOT TRUE", &["boolean"]),
    ("{0} IS UNKNOWN", &["boolean"]),
    ("{0} IS NULL", &["any"]),
    ("{0} = {1}", &["number", "number"]),
    ("{0} < {1}", &["number", "number"]),
    ("{0} >= {1}", &["moment", "moment"]),
    ("{0} <> {1}", &["string", "string"]),
    ("{0} IS DISTINCT FROM {1}", &["number", "number"]),
    ("{0} IN ({1}, {0}, NULL)", &["number", "number"]),
    ("{0} BETWEEN {1} AND {2}", &["number", "integer", "double precision"]),
    ("{0} BETWEEN SYMMETRIC {1} AND {2}", &["timestamp", "date", "timestamptz"]),
    ("{0} = ANY ({1})", &["number", "integer[]"]),
    ("{0} <= ALL ({1})", &["double precision", "double precision[]"]),
    ("{0} @> {1}", &["array", "array"]),
    ("{0} && {1}", &["array", "array"]),
    ("{0} @> {1}", &["jsonb", "jsonb"]),
    ("({0})[{1}]", &["array", "integer"]),
    ("({0})[{1}:{2}]", &["array", "integer", "integer"]),
    ("ARRAY[{0}, {1}]", &["number", "number"]),
    ("{0} -> {1}", &["tree", "text"]),
    ("{0} -> {1}", &["tree", "integer"]),
    ("{0} ->> {1}", &["tree", "text"]),
    ("{0} #> {1}", &["tree", "text[]"]),
    ("{0} #>> {1}", &["tree", "text[]"]),
    ("{0} ? {1}", &["jsonb", "text"]),
    ("{0} ?| {1}", &["jsonb", "text[]"]),
    ("{0} ?& {1}", &["jsonb", "text[]"]),
    ("{0} - {1}", &["jsonb", "text"]),
    ("{0} - {1}", &["jsonb", "integer"]),
    ("{0} - {1}", &["jsonb", "text[]"]),
    ("{0} #- {1}", &["jsonb", "text[]"]),
    ("{0} @? {1}", &["jsonb", "path"]),
    ("{0} @@ {1}", &["jsonb", "path"]),
    ("trim({0} FROM {1})", &["text", "string"]),
    ("trim(LEADING {0} FROM {1})", &["text", "text"]),
    ("position({0} IN {1})", &["text", "string"]),
    ("substring({0} FROM {1} FOR {2})", &["string", "integer", "integer"]),
    ("substring({0} FROM {1})", &["bytea", "integer"]),
    ("overlay({0} PLACING {1} FROM {2})", &["text", "text", "integer"]),
    ("CASE WHEN {0} THEN {1} ELSE {2} END", &["boolean", "number", "numeric"]),
    ("CASE {0} WHEN {1} THEN 1 END", &["number", "integer"]),
    ("ROW({0}, {1}) < ROW({1}, {0})", &["integer", "number"]),
    ("GREATEST({0}, {1})", &["number", "number"]),
];

/// Units of EXTRACT, of which each is a call for each moment.
const UNITS: &[&str] =
    &["year", "month", "day", "hour", "second", "epoch", "dow", "week", "julian", "century", "timezone"];

/// Choices of types for a form, at most.
const MOST: usize = 10;

fn plain(name: &str, text: String, types: Vec<usize>) -> Shape {
    Shape { name: name.to_owned(), text, types, kind: Kind::Plain, fixed: Vec::new() }
}

/// Calls of all operators and forms.
pub(super) fn of_forms(random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (form, words) in FORMS {
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for word in *words {
            let more = |chosen: &Vec<usize>| -> Vec<Vec<usize>> {
                types_of(word).into_iter().map(|of| [chosen.clone(), vec![of]].concat()).collect()
            };
            choices = choices.iter().flat_map(more).collect();
        }
        while choices.len() > MOST {
            choices.swap_remove(random.below(choices.len()));
        }
        shapes.extend(choices.into_iter().map(|types| plain(form, format!("({form})"), types)));
    }
    for unit in UNITS {
        for of in types_of("moment") {
            shapes.push(plain("EXTRACT", format!("extract({unit} FROM {{0}})"), vec![of]));
        }
    }
    shapes
}

/// Casts from each type to others: all, or so many of each.
pub(super) fn of_casts(count: usize, random: &mut Random) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let known = &TYPES[..any()];
    for (from, words) in known.iter().enumerate() {
        let mut to: Vec<usize> = (0..any()).collect();
        while to.len() > count {
            to.swap_remove(random.below(to.len()));
        }
        for to in to.into_iter().map(|to| TYPES[to].sql) {
            let name = format!("{} to {to}", words.sql);
            let text = if random.below(4) == 0 { format!("TRY_CAST({{0}} AS {to})") } else { format!("({{0}})::{to}") };
            shapes.push(plain(&name, text, vec![from]));
        }
    }
    // What a text says is read where the value is known, and where it is not.
    for (to, words) in known.iter().enumerate() {
        shapes.push(plain("text to a type", format!("({{0}})::text::{}", words.sql), vec![to]));
    }
    shapes
}
