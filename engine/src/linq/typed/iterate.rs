//! Rounds over a state: a query whose rows go round until they say that they are done.

use super::arena;
use super::conditions::Condition;
use super::query::{Query, columns_of, fresh};
use super::record::Lifted;
use crate::linq::block::{Block, Iteration, Source};
use crate::linq::expression::Expression;
use crate::linq::tree::{Alias, Tree};
use crate::{Error, Session};
use std::fmt;
use std::sync::Arc;

/// An iteration of which it is not said yet how often it goes round: see [`Query::iterate`].
#[must_use = "nothing goes round before `times` says how often"]
pub struct Rounds<'s, R> {
    seed: Query<'s, R>,
    iteration: Iteration,
    names: Vec<Arc<str>>,
    failure: Option<Error>,
}

impl<R> fmt::Debug for Rounds<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds").field("state", &std::any::type_name::<R>()).finish_non_exhaustive()
    }
}

/// A state as a query, and its number.
fn state<'s, R: Lifted>(session: &'s Session, names: &[Arc<str>]) -> (u64, Query<'s, R>) {
    let state = fresh();
    let alias = Alias::Numbered { id: fresh(), base: Arc::from("state") };
    let columns = columns_of(&alias, names.iter().cloned());
    (state, Query::of_source(session, Source::State { state, alias }, columns))
}

impl<'s, R: Lifted> Query<'s, R> {
    /// Goes round: these rows are a state, of which the step makes the next one, which takes its place, and so on. The closure is
    /// called once; the state is a query that it may use as any other, also within the closures of others, and as often as it
    /// likes. Rounds run within one query: what does not read the state is computed once for all of them.
    ///
    /// A state without rows is the last one. ITERATE of HyPer (Passing et al., EDBT 2017).
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let start = session.values([(1_i32, 1_i64)]);
    /// let factorial = start.iterate(|state| state.select(|s| (s.0 + 1, s.1 * (s.0 + 1)))).times(9);
    /// assert_eq!(factorial.one()?, (10, 3_628_800));
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn iterate(&self, step: impl FnOnce(&Self) -> Self) -> Rounds<'s, R> {
        let (seed, names) = self.finished();
        let (number, before) = state(self.session, &names);
        let next = step(&before);
        let failure = self.failure.clone().or(next.failure.clone()).or_else(|| self.stranger(&next));
        let step = Arc::new(next.finished().0);
        let iteration = Iteration { seed: Arc::new(seed), state: number, step, until: None, times: 0 };
        Rounds { seed: self.clone(), iteration, names, failure }
    }
}

impl<'s, R: Lifted> Rounds<'s, R> {
    /// Ends behind the round for whose states, the one before it and the one behind it, a condition is true.
    ///
    /// ```
    /// let session = multiloop::Engine::new()?.session();
    /// let root = session.values([2.0_f64]).iterate(|x| x.select(|x| (x + 2.0 / x) / 2.0));
    /// let near = root.until(|before, behind| (before.max(|x| x) - behind.max(|x| x)).lt(1e-9)).times(100);
    /// assert!((near.one()? - 2.0_f64.sqrt()).abs() < 1e-9);
    /// # Ok::<(), multiloop::Error>(())
    /// ```
    #[track_caller]
    pub fn until<C: Condition>(mut self, ends: impl FnOnce(&Query<'s, R>, &Query<'s, R>) -> C) -> Self {
        let session = self.seed.session;
        let ((first, before), (second, behind)) = (state(session, &self.names), state(session, &self.names));
        let scope = arena::open(Vec::new(), session);
        let condition = ends(&before, &behind).condition().tree();
        self.failure = self.failure.or(scope.failure());
        drop(scope);
        let mut block = Block::of(Source::Nothing);
        block.filter = Some(condition);
        block.columns = Some(vec![Expression { tree: Tree::Null, alias: None }]);
        self.iteration.until = Some(([first, second], Arc::new(block)));
        self
    }

    /// The state behind so many rounds, or the last one if it ends before.
    #[must_use]
    pub fn times(self, rounds: u64) -> Query<'s, R> {
        let Rounds { seed, mut iteration, names, failure } = self;
        iteration.times = rounds.min(i64::MAX.unsigned_abs());
        let alias = Alias::Numbered { id: fresh(), base: Arc::from("iterated") };
        let columns = columns_of(&alias, names);
        seed.with(Block::of(Source::Iterate { iteration, alias }), columns, false).failing(failure)
    }
}
