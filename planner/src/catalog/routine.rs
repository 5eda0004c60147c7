//! Functions that are written in SQL (CREATE FUNCTION … LANGUAGE SQL), as the catalog keeps them.
//!
//! A body in quotes is a text that is bound anew at each call, with names looked up as they are then. The body of SQL's standard
//! (`RETURN …`, `BEGIN ATOMIC … END`) is kept as a view's text is: its names go on to mean what they meant when the function was
//! made, and what it names cannot be dropped alone.

use super::{Meant, TableName, View};
use crate::function::Volatility;
use crate::types::DataType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What stands between a function's name and the types of its arguments in the name that a schema has it under: no SQL name has it,
/// so functions and relations do not meet, and overloads stand next to each other.
pub const ROUTINE_MARK: char = '\0';

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentMode {
    /// IN.
    In,
    /// OUT: a column of the result.
    Out,
    /// INOUT: both.
    InOut,
    /// VARIADIC: an array of all arguments from here on.
    Variadic,
    /// A column of RETURNS TABLE.
    Table,
}

impl ArgumentMode {
    /// Whether calls have it.
    pub fn is_input(self) -> bool {
        matches!(self, ArgumentMode::In | ArgumentMode::InOut | ArgumentMode::Variadic)
    }

    /// Whether it is a column of the result.
    pub fn is_output(self) -> bool {
        matches!(self, ArgumentMode::Out | ArgumentMode::InOut | ArgumentMode::Table)
    }

    /// PostgreSQL's letter.
    pub fn letter(self) -> &'static str {
        match self {
            ArgumentMode::In => "i",
            ArgumentMode::Out => "o",
            ArgumentMode::InOut => "b",
            ArgumentMode::Variadic => "v",
            ArgumentMode::Table => "t",
        }
    }
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutineArgument {
    /// Its name; empty if it has none.
    pub name: String,
    /// How it is passed.
    pub mode: ArgumentMode,
    /// Its type, without a length.
    pub data_type: DataType,
    /// What it is where a call leaves it out: the text of an expression.
    pub default: Option<Arc<str>>,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Returned {
    /// Nothing.
    Void,
    /// A value.
    Value(DataType),
    /// The columns that arguments are.
    Columns,
    /// The columns of a table or view.
    Relation(TableName),
}

/// The body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RoutineBody {
    /// In quotes.
    Text(Arc<str>),
    /// `RETURN …` or `BEGIN ATOMIC … END`: as it is written, and its query.
    Standard(Arc<str>, Arc<View>),
}

/// A function that is written in SQL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// All arguments, those that are columns of the result, too.
    pub arguments: Vec<RoutineArgument>,
    /// What a call gives.
    pub returned: Returned,
    /// SETOF or TABLE: any number of rows.
    pub gives_rows: bool,
    /// When it gives another value.
    pub volatility: Volatility,
    /// STRICT.
    pub strict: bool,
    /// SECURITY DEFINER: with the rights of its owner.
    pub definer: bool,
    /// LEAKPROOF.
    pub leakproof: bool,
    /// PARALLEL: PostgreSQL's letter.
    pub parallel: char,
    /// COST.
    pub cost: f64,
    /// ROWS.
    pub rows: f64,
    /// The body.
    pub body: RoutineBody,
    /// The relations and types that it names, but for a body in quotes.
    pub names: Vec<Meant>,
    /// Whether it is a procedure, which CALL runs.
    #[serde(default)]
    pub is_procedure: bool,
    /// Whether a call runs its statements: it has several, or one that changes rows or takes them, or it calls itself. The query of any
    /// other stands in place of its calls.
    #[serde(default)]
    pub is_run: bool,
}

impl Routine {
    /// The arguments that calls have.
    pub fn inputs(&self) -> impl Iterator<Item = &RoutineArgument> {
        self.arguments.iter().filter(|argument| argument.mode.is_input())
    }

    /// The arguments that a call has, by place: those of a procedure all.
    pub fn passed(&self) -> impl Iterator<Item = &RoutineArgument> {
        self.arguments.iter().filter(|argument| self.is_procedure || argument.mode.is_input())
    }

    /// FUNCTION or PROCEDURE, in small letters.
    pub fn kind(&self) -> &'static str {
        if self.is_procedure { "procedure" } else { "function" }
    }

    /// The types of these.
    pub fn input_types(&self) -> Vec<DataType> {
        self.inputs().map(|argument| argument.data_type).collect()
    }

    /// The columns that arguments are.
    pub fn outputs(&self) -> impl Iterator<Item = &RoutineArgument> {
        self.arguments.iter().filter(|argument| argument.mode.is_output())
    }

    /// What its schema has it under.
    pub fn key(&self) -> String {
        key_of(&self.name, &self.input_types())
    }

    /// `name(types)`.
    pub fn signature(&self) -> String {
        let types: Vec<String> = self.inputs().map(|argument| argument.data_type.to_string()).collect();
        format!("{}({})", self.name, types.join(","))
    }

    /// Whether the last argument takes all that follow.
    pub fn is_variadic(&self) -> bool {
        self.inputs().last().is_some_and(|last| last.mode == ArgumentMode::Variadic)
    }
}

/// What a schema has the function of a name and these types under.
pub fn key_of(name: &str, types: &[DataType]) -> String {
    let types: Vec<String> = types.iter().map(DataType::to_string).collect();
    format!("{name}{ROUTINE_MARK}{}", types.join(","))
}

/// Whether a name is one that functions are kept under.
pub fn is_key(name: &str) -> bool {
    name.contains(ROUTINE_MARK)
}

/// The name in a key; none of what is none.
pub fn called(key: &str) -> Option<&str> {
    key.split_once(ROUTINE_MARK).map(|(name, _)| name)
}

/// The name in a key, and the types in parentheses: as messages have it.
pub fn shown_key(key: &str) -> String {
    match key.split_once(ROUTINE_MARK) {
        Some((name, types)) => format!("{name}({types})"),
        None => key.to_owned(),
    }
}

/// A function of the catalog, and what it is known by.
#[derive(Clone, Debug)]
pub struct FoundRoutine {
    /// Its schema, and the key there.
    pub key: TableName,
    /// The function.
    pub routine: Arc<Routine>,
}
