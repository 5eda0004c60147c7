//! The functions whose signatures are fixed, by PostgreSQL's names, and the names of the rest.
//!
//! A file a family: signatures, by which calls are bound, and descriptions of what is bound by rules of its own. Each function
//! says in a line what it does; `listing` has all of them for whoever lists functions.

mod aggregate;
mod array;
mod bytes;
mod choice;
mod json;
mod likeness;
mod list;
mod listing;
mod moment;
mod number;
mod pattern;
mod rows;
mod structure;
mod text;
mod vector;
mod window;

use crate::function::Function;
use crate::types::DataType::{self, Double, Text};
pub use listing::{FunctionSummary, functions};

/// One signature. Arguments after the first `required` may be left out.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) function: Function,
    pub(super) parameters: &'static [DataType],
    pub(super) required: usize,
    pub(super) result: DataType,
    /// What it does, in a line.
    pub(super) summary: &'static str,
}

const fn signature(
    name: &'static str,
    function: Function,
    parameters: &'static [DataType],
    required: usize,
    result: DataType,
    summary: &'static str,
) -> Signature {
    Signature { name, function, parameters, required, result, summary }
}

/// A function of a double.
const fn of_double(name: &'static str, function: Function, summary: &'static str) -> Signature {
    signature(name, function, &[Double], 1, Double, summary)
}

/// A function of a text.
const fn of_text(name: &'static str, function: Function, result: DataType, summary: &'static str) -> Signature {
    signature(name, function, &[Text], 1, result, summary)
}

/// What a function is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// One value of a row's values.
    Plain,
    /// One value of the rows of a group.
    Aggregate,
    /// The same, of rows in an order: WITHIN GROUP.
    OrderedSet,
    /// One value of a row and the rows around it: OVER.
    Window,
    /// A set of rows.
    Rows,
}

/// A function whose types follow rules of its own (`call`), as whoever lists functions is told of it.
pub(super) struct Described {
    /// Its name, and other names of the same.
    pub(super) names: &'static [&'static str],
    pub(super) kind: FunctionKind,
    /// The types of its arguments; those in brackets may be left out.
    pub(super) arguments: &'static str,
    pub(super) result: &'static str,
    /// What it does, in a line.
    pub(super) summary: &'static str,
}

const fn described(
    names: &'static [&'static str],
    arguments: &'static str,
    result: &'static str,
    summary: &'static str,
) -> Described {
    Described { names, kind: FunctionKind::Plain, arguments, result, summary }
}

/// Functions of one topic.
pub(super) struct Family {
    title: &'static str,
    signatures: &'static [Signature],
    described: &'static [Described],
}

const fn family(title: &'static str, signatures: &'static [Signature], described: &'static [Described]) -> Family {
    Family { title, signatures, described }
}

/// The family of functions that take vectors, or what a vector's element is. Programs may register functions of their names for other
/// types, and for numbers.
const VECTORS: &str = "Vectors";

/// All families.
const FAMILIES: &[Family] = &[
    family("Text", text::SIGNATURES, text::DESCRIBED),
    family("Regular expressions", pattern::SIGNATURES, pattern::DESCRIBED),
    family("Numbers", number::SIGNATURES, number::DESCRIBED),
    family("Dates and times", moment::SIGNATURES, moment::DESCRIBED),
    family("Likeness of texts", likeness::SIGNATURES, &[]),
    family("Choices and types", &[], choice::DESCRIBED),
    family("Arrays", &[], array::DESCRIBED),
    family("Lists", &[], list::DESCRIBED),
    family(VECTORS, vector::SIGNATURES, vector::DESCRIBED),
    family("Structs", &[], structure::DESCRIBED),
    family("JSON", &[], json::DESCRIBED),
    family("Bytes", &[], bytes::DESCRIBED),
    family("Aggregates", &[], aggregate::DESCRIBED),
    family("Window functions", &[], window::DESCRIBED),
    family("Sets of rows", &[], rows::DESCRIBED),
];

/// The signatures of a name.
pub(super) fn signatures(name: &str) -> impl Iterator<Item = &'static Signature> {
    // A text in quotes is a pattern before it is a position: the first signature that fits counts.
    let all = pattern::SIGNATURES.iter().chain(FAMILIES.iter().flat_map(|family| family.signatures));
    all.filter(move |signature| signature.name == name)
}

/// Whether a program's function of this name comes before SQL's of the same arguments, unless these are vectors.
pub(super) fn yields_to_users(name: &str) -> bool {
    vector::SIGNATURES.iter().any(|signature| signature.name == name)
}

/// All names of functions, of every kind.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let described = FAMILIES.iter().flat_map(|family| family.described).flat_map(|of| of.names).copied();
    FAMILIES.iter().flat_map(|family| family.signatures).map(|signature| signature.name).chain(described)
}

/// Whether a function takes an array of any elements, or of doubles, at a place, from 0.
pub(super) fn takes_array(name: &str, place: usize) -> bool {
    let mut named = FAMILIES.iter().flat_map(|family| family.described).filter(|of| of.names.contains(&name));
    let is_array = |of: &str| of.starts_with("anyarray") || of.starts_with("double precision[]");
    let takes = |of: &Described| {
        let types: Vec<&str> = of.arguments.split(',').map(|of| of.trim_start_matches([' ', '['])).collect();
        match types.iter().position(|of| of.starts_with('…')) {
            // As many more as there are, like the one before.
            Some(more) if place >= more => more > 0 && is_array(types[more - 1]),
            _ => types.get(place).is_some_and(|of| is_array(of)),
        }
    };
    named.any(takes)
}

/// What PostgreSQL has under a name and Multiloop has not, for an error that says so.
pub(super) fn unsupported(name: &str) -> Option<String> {
    Some(match name {
        "xmlagg" => format!("the aggregate function {name}"),
        _ => return None,
    })
}
