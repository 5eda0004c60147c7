//! The typed builder of relations: names, types, coercions and the rules of grouping, where all front ends meet.
//!
//! A front end walks a query as it is written and calls the [`Builder`] for each part; what comes of it are typed
//! expressions and relations. The builder knows no syntax: it takes names, operators and parts that are built already, each
//! with the position that errors point at, if it has one.
//!
//! Read in this order: `state` is the builder itself; `scope` says what a name can mean, and how an expression is built
//! over it, `qualified` what one with dots does; `expression` has the expressions, `naming` the names of columns without one. Then the operators: `table`,
//! `hidden`, `join`, `asof` and `json_rows` (FROM) with `expand` (functions that give rows) and `lateral`, `select` with `order`, `grouping` and
//! `grouping_sets` (one SELECT level), `star` (what `*` may be changed to), `values`, `set_operation`, `union_by_name`, `unpivot`, `limit`, `ranked_limit` (WITH TIES, a share), `sample`, `window` with `frame`, `recursive`, and `shared` for what is used more than once.
//! `written` has what expressions were written as, before they were folded; `noted` is what is kept of a text that is stored.
//! `suggest` and `walk` serve all of them.
//!
//! What SQL's grammar cannot say enters here: a front end that wants it needs no syntax for it. A group as a value is a
//! relation over a key, so it is another way to end a [`Select`]; a reduction of the user's is an
//! aggregate of the catalog's (`expression/user_function`).

mod asof;
mod expand;
mod expression;
mod frame;
mod grouping;
mod grouping_sets;
mod hidden;
mod join;
mod json_rows;
mod lateral;
mod limit;
mod naming;
mod noted;
mod order;
mod qualified;
mod ranked_limit;
mod recursive;
mod sample;
mod scope;
mod select;
mod select_item;
mod set_operation;
mod shared;
mod star;
mod state;
mod suggest;
mod table;
mod union_by_name;
mod unpivot;
mod values;
mod walk;
mod window;
mod written;

pub use expand::set_not_allowed;
pub use expression::{
    AggregateArguments, CallClauses, Called, Callee, Coercion, ElementTest, FunctionKind, FunctionSummary, LambdaBody,
    LambdaList, LambdaVariables, Operator, PatternOperator, Quantifier, RoutineCall, SetCall, Sign, Subscript, and,
    bits, bits_literal, characters, decimal, functions, is_hypothetical, is_ordered_set, not, null, or, text, vector,
};
pub(crate) use expression::{checked_key, is_aggregate_name, undetermined, unify_types, with_cast_hint};
pub use frame::{BoundSpec, FrameSpec};
pub use grouping_sets::{GroupingSets, crossed, cube, rollup};
pub(crate) use hidden::HIDDEN;
pub use join::{Joined, Side};
pub(crate) use limit::names_columns;
pub use naming::Name;
pub(crate) use naming::type_name;
pub use noted::{Need, Noted};
pub use order::Reference;
pub use qualified::ScopeTable;
pub use recursive::{Recursion, StateRound};
pub use sample::SampleSize;
pub use scope::{Clause, Scope, ScopeColumn};
pub use select::{Select, Target};
pub use select_item::SelectItem;
pub(crate) use shared::is_volatile;
pub use shared::{Definition, Shared};
pub(crate) use state::ArgumentNames;
pub use state::{Builder, ViewQuery};
pub use suggest::did_you_mean;
pub use table::{FromItem, check_table_count, reads_itself};
pub(crate) use table::{ROW_NUMBER, TABLES_MAX, rename_columns};
pub(crate) use values::may_be_null;
pub use window::{Nulls, WindowSpec};
pub(crate) use written::Head;

use super::{ColumnId, Relation};
use std::sync::Arc;

/// Rows, and their visible columns in order.
pub type Rows = (Arc<Relation>, Vec<(String, ColumnId)>);
