//! Typed expressions with PostgreSQL's meaning, made of typed expressions.
//!
//! Read `coercion` first: how types meet. Then by what they are: `literal`, `cast`, `try_cast` and `type_limits`; `operator`,
//! `arithmetic`, `comparison`, `row`, `composite` (rows as values), `structure`, `pattern`; `conditional` (CASE and its family); `call`, `called` (calls with clauses), `registry`,
//! `number_function`, `date_function`, `moment_function`, `interval` and `string_function` (functions), `set_function` (those that give rows),
//! `sql_function` (those that are queries), `routine` (those that users wrote in SQL), `run_routine` (those of which the statements are run), `user_function` (those that a program registered); `aggregate`, `gather` and `ordered_set`; `subquery`. `logical` has the types that another
//! carries, with `array`, `array_function`, `list_function`, `list_measure`, `lambda`, `bytes_function`, `bits_function`, `json`, `jsonb_function`, `zoned` and
//! `time_with_zone`, and `vector` has vectors. `exact` and `blanks` are what numerics and chars need
//! everywhere. `fold` makes literals of calls of literals on the way.
//!
//! What is built has exact types (`function` says what that means), and the position of its parts on everything that may fail.

mod aggregate;
pub(crate) use aggregate::is_aggregate_name;
mod arithmetic;
mod array;
mod array_function;
mod bits_function;
mod blanks;
mod bytes_function;
mod call;
mod called;
mod cast;
mod coercion;
mod comparison;
mod composed;
mod composite;
mod conditional;
mod date_function;
mod exact;
mod fold;
mod gather;
mod hypothetical;
mod interval;
mod json;
mod jsonb_function;
mod lambda;
mod list_function;
mod list_measure;
mod literal;
mod logical;
mod moment_function;
mod number_function;
mod operator;
mod ordered_set;
mod pattern;
mod registry;
mod routine;
mod row;
mod run_routine;
mod set_function;
mod sql_function;
mod string_function;
mod structure;
mod subquery;
mod template_function;
mod time_with_zone;
mod try_cast;
mod type_limits;
mod user_function;
mod vector;
mod zoned;

pub use aggregate::AggregateArguments;
pub use array::{ElementTest, Subscript};
pub use bits_function::bits_literal;
pub(crate) use blanks::checked_key;
pub use call::Callee;
pub use called::{CallClauses, Called};
pub use coercion::Coercion;
pub(crate) use coercion::{types_to_unify, undetermined, unify_types};
pub(super) use composite::KnownRow;
pub use hypothetical::is_hypothetical;
pub use lambda::{LambdaBody, LambdaList, LambdaVariables};
pub(super) use literal::text_as_decimal;
pub use literal::{null, text};
pub use operator::{Operator, Sign, and, not, or};
pub use ordered_set::is_ordered_set;
pub use pattern::PatternOperator;
pub use registry::{FunctionKind, FunctionSummary, functions};
pub use routine::RoutineCall;
pub use set_function::SetCall;
pub(super) use structure::settled_type;
pub use subquery::Quantifier;
pub use type_limits::{bits, characters, decimal, vector};
pub(crate) use vector::with_cast_hint;
