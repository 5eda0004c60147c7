//! What a frame says so far, as one SELECT after another: a step that SQL would evaluate earlier than those before it
//! starts a new block around them. `walk` gives each its meaning.

use super::expression::{Expression, Order};
use super::tree::{Alias, Call, Tree};
use multiloop_planner::relation::builder::{Name, Side};
use std::sync::Arc;

/// One SELECT level.
#[derive(Clone)]
pub(super) struct Block {
    /// The rows that it starts with.
    pub(super) from: Source,
    /// What they are joined with, one after the other.
    pub(super) joins: Vec<JoinStep>,
    /// Which rows are kept.
    pub(super) filter: Option<Tree>,
    /// What they are grouped by.
    pub(super) keys: Vec<Tree>,
    /// By which of the keys at once.
    pub(super) grouping: Grouping,
    /// Which groups are kept.
    pub(super) having: Option<Tree>,
    /// Its columns; none for all.
    pub(super) columns: Option<Vec<Expression>>,
    /// One of each set of equal rows.
    pub(super) distinct: bool,
    /// The first of each set of rows that are equal in these: DISTINCT ON.
    pub(super) distinct_on: Vec<Tree>,
    /// Most significant first.
    pub(super) order: Vec<Order>,
    /// At most so many rows, after leaving out so many.
    pub(super) limit: Option<(u64, u64)>,
}

/// Which keys make groups together.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Grouping {
    /// All of them.
    Keys,
    /// All of them, all but the last one, and so on to none.
    Rollup,
    /// Each choice of them.
    Cube,
    /// Lists of so many of them, one list behind the other.
    Sets(Vec<usize>),
}

impl Block {
    /// Whether it has GROUP BY.
    pub(super) fn is_grouped(&self) -> bool {
        !self.keys.is_empty() || self.grouping != Grouping::Keys
    }

    /// The keys of each list, where there are lists.
    pub(super) fn key_lists(&self) -> Vec<&[Tree]> {
        let Grouping::Sets(lengths) = &self.grouping else { return Vec::new() };
        let mut rest = self.keys.as_slice();
        let mut list = |&length: &usize| {
            let (list, others) = rest.split_at(length);
            rest = others;
            list
        };
        lengths.iter().map(&mut list).collect()
    }
}

pub(super) use multiloop_planner::relation::SetKind as SetOperation;

/// Rows to start with or to join.
#[derive(Clone)]
pub(super) enum Source {
    /// One row without columns: a SELECT without FROM.
    Nothing,
    /// A table or view, or a file by its path.
    Table { name: String, alias: Option<Alias> },
    /// The rows of another block.
    Derived { block: Arc<Block>, alias: Alias },
    /// The rows of a block that are computed once for all that share it. It sees no other source.
    Shared { block: Arc<Block>, alias: Alias },
    /// The rows of two blocks, put together by place; the columns have the left's names.
    Set { operation: SetOperation, all: bool, left: Arc<Block>, right: Arc<Block>, alias: Alias },
    /// Rows of one length; the names may be fewer than the columns.
    Values { rows: Vec<Vec<Tree>>, columns: Vec<String>, alias: Alias },
    /// The last state of an iteration. It sees no other source.
    Iterate { iteration: Iteration, alias: Alias },
    /// The state of an iteration, by its number, in its step and its end.
    State { state: u64, alias: Alias },
    /// A function that gives rows. It sees the sources before it. The names may be fewer than its columns.
    Function { call: Call, columns: Vec<String>, alias: Alias },
}

/// Rounds over a state, as HyPer's ITERATE has them.
#[derive(Clone)]
pub(super) struct Iteration {
    /// The first state.
    pub(super) seed: Arc<Block>,
    /// The number of the state in the step.
    pub(super) state: u64,
    /// The next state.
    pub(super) step: Arc<Block>,
    /// What has rows when it ends, and the numbers of the states before and behind the round in it.
    pub(super) until: Option<([u64; 2], Arc<Block>)>,
    /// Rounds, at most.
    pub(super) times: u64,
}

/// A join with more rows. Behind a semi or anti join no right or full join may follow: what text says of them, says it in WHERE.
#[derive(Clone)]
pub(super) struct JoinStep {
    /// The right side.
    pub(super) source: Source,
    /// Whose rows without a partner are kept.
    pub(super) side: Side,
    /// The condition.
    pub(super) on: Tree,
    /// Whether the right side sees the sources before it.
    pub(super) lateral: bool,
}

impl Block {
    /// All rows of a source.
    pub(super) fn of(from: Source) -> Self {
        Block {
            from,
            joins: Vec::new(),
            filter: None,
            keys: Vec::new(),
            grouping: Grouping::Keys,
            having: None,
            columns: None,
            distinct: false,
            distinct_on: Vec::new(),
            order: Vec::new(),
            limit: None,
        }
    }

    /// The name of its only column.
    pub(super) fn only_name(&self) -> Option<Name> {
        let [column] = self.columns.as_deref()? else { return None };
        match &column.alias {
            Some(alias) => Name::strong(alias),
            None => column.tree.name(),
        }
    }
}

impl Source {
    /// The name that its columns are reached by; none of a table's own, and of nothing.
    pub(super) fn alias(&self) -> Option<&Alias> {
        match self {
            Source::Nothing => None,
            Source::Table { alias, .. } => alias.as_ref(),
            Source::Derived { alias, .. }
            | Source::Shared { alias, .. }
            | Source::Set { alias, .. }
            | Source::Values { alias, .. }
            | Source::Iterate { alias, .. }
            | Source::State { alias, .. }
            | Source::Function { alias, .. } => Some(alias),
        }
    }

    /// The number of a source that nobody named.
    pub(super) fn id(&self) -> Option<u64> {
        match self.alias()? {
            Alias::Numbered { id, .. } => Some(*id),
            Alias::Named(_) => None,
        }
    }

    /// The same rows under a name.
    pub(super) fn set_alias(&mut self, name: Alias) {
        match self {
            Source::Nothing => {}
            Source::Table { alias, .. } => *alias = Some(name),
            Source::Derived { alias, .. }
            | Source::Shared { alias, .. }
            | Source::Set { alias, .. }
            | Source::Values { alias, .. }
            | Source::Iterate { alias, .. }
            | Source::State { alias, .. }
            | Source::Function { alias, .. } => *alias = name,
        }
    }
}
