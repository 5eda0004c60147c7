//! Gives blocks and trees their meaning: a walk that calls the relation's builder, as the one over SQL's text does.
//!
//! `block` has SELECT levels, `source` what they read, `tree` expressions, `call` functions, aggregates and windows.

mod block;
mod call;
mod source;
mod tree;

pub(super) use tree::truth;

use super::block::Block;
use super::survey::Survey;
use crate::{DataType, Error, ErrorKind, Result};
use multiloop_planner::catalog::Catalog;
use multiloop_planner::relation::builder::{Builder, Definition, Recursion, Shared};
use multiloop_planner::relation::{Expression, Query};
use multiloop_planner::{sql, stack};
use std::collections::HashMap;

/// A walk over one query.
struct Walk<'w, 'c> {
    builder: &'w mut Builder<'c>,
    survey: &'w Survey,
    /// What is shared, as far as it is built, by its address.
    built: HashMap<*const Block, Shared>,
    /// Each behind those that it uses.
    definitions: Vec<Definition>,
    /// The states of the iterations around, by number.
    states: Vec<(u64, State)>,
    /// Parts that were built: what is shared counts as often as it is used.
    parts: u32,
}

/// The state of an iteration.
#[derive(Clone)]
enum State {
    /// Before a round.
    Before(Recursion),
    /// Behind it.
    Behind(Shared),
}

/// Parts that a query may have.
const PARTS_MAX: u32 = 2_000_000;

/// What becomes of a column whose type is still unknown.
#[derive(Clone, Copy)]
enum Unknown<'t> {
    /// It becomes text.
    AsText,
    /// It stays: the caller finds a type and builds once more.
    Keep,
    /// It takes the type at its place.
    As(&'t [DataType]),
}

impl Unknown<'_> {
    fn data_type(self, index: usize) -> Option<DataType> {
        match self {
            Unknown::AsText => Some(DataType::Text),
            Unknown::Keep => None,
            Unknown::As(types) => match types.get(index) {
                None | Some(DataType::Null) => Some(DataType::Text),
                known => known.copied(),
            },
        }
    }
}

impl Block {
    /// The block as a query over what is in a catalog.
    pub(super) fn query(&self, catalog: &dyn Catalog, parameters: &[DataType], wide_numerics: bool) -> Result<Query> {
        let mut builder = Builder::new(catalog, sql::view_rows, parameters, wide_numerics);
        let survey = Survey::of(self);
        let mut walk = Walk {
            builder: &mut builder,
            survey: &survey,
            built: HashMap::new(),
            definitions: Vec::new(),
            states: Vec::new(),
            parts: 0,
        };
        let (relation, output) = walk.block(self, None, Unknown::AsText)?;
        let definitions = walk.definitions;
        let relation = builder.attach(definitions, relation);
        let query = builder.finish((relation, output));
        Builder::check_depth(&query)?;
        Ok(query)
    }
}

impl Walk<'_, '_> {
    /// Does `work` one level deeper; 54001 if that is too deep, or one part too many.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            let message = format!("the query has more than {PARTS_MAX} parts");
            let hint = "What is used many times is built as often, unless `let_` or `shared` makes it a column first.";
            return Err(Error::new(ErrorKind::TooComplex, message).with_hint(hint));
        }
        self.builder.descend(None)?;
        let result = stack::more(|| work(self));
        self.builder.ascend();
        result
    }

    fn settled(&mut self, value: Expression) -> Result<Expression> {
        self.builder.settle(value)
    }
}
