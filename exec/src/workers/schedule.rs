//! How a loop's work reaches the workers: in morsels, taken dynamically, with results put back in morsel order.
//!
//! A morsel is a run of rows of one chunk. Each node's workers take the morsels of that node's share in order and
//! turn to another node's share only when their own is used up. What a morsel gives is stored under its number,
//! so neither the number of threads nor timing shows in a result that is put together by number.

use crate::workers::context::Context;
use crate::workers::pool::{Pool, Worker};
use crate::workers::shares::{Home, Shares};
use crate::{Error, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Rows of a morsel, at most. Small enough to balance and to cancel, large enough for its overhead to vanish.
pub const MORSEL_ROWS: usize = 1 << 15;

/// Pieces for each worker, if there are rows for them: so many balance what one takes longer for than another.
const PIECES_A_WORKER: usize = 4;

/// Rows below which no piece is cut: a tile of fewer costs more than its rows.
const PIECE_ROWS_MIN: usize = if cfg!(test) { 8 } else { 1 << 12 };

/// A run of rows of one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Morsel {
    /// Which chunk.
    pub chunk: usize,
    /// Which of its rows.
    pub rows: Range<usize>,
}

/// Cuts chunks of so many rows into morsels of about equal size.
pub fn morsels(chunks: impl IntoIterator<Item = usize>, rows_max: usize) -> Vec<Morsel> {
    let mut all = Vec::new();
    for (chunk, rows) in chunks.into_iter().enumerate() {
        let parts = rows.div_ceil(rows_max);
        for part in 0..parts {
            all.push(Morsel { chunk, rows: rows * part / parts..rows * (part + 1) / parts });
        }
    }
    all
}

/// Does `work` for every number below `count`. Each worker that takes part has a state of its own, of which it leaves
/// what `end` makes of it. Gives that, by worker, and the results, by number; of several errors one, and then no new work
/// is begun.
///
/// The calling thread takes part. With one worker or one piece of work it is alone.
pub fn run<S: Send, E: Send, T: Send>(
    pool: &Pool,
    context: &Context,
    count: usize,
    state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    end: impl Fn(S) -> E + Sync,
) -> Result<(Vec<E>, Vec<T>)> {
    Workers { pool: Some(pool), context }.run(count, state, work, end)
}

/// As [`run`], without a look at whether the statement was cancelled. Numbers that have a home are taken by the workers of
/// that node first.
fn share<S: Send, E: Send, T: Send>(
    pool: Option<&Pool>,
    count: usize,
    home: Home<'_>,
    state: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
    end: impl Fn(S) -> E + Sync,
) -> Result<(Vec<E>, Vec<T>)> {
    let (results, ends) = (Cells::empty(count), Ends::default());
    {
        let (results, ends, state, work, end) = (&results, &ends, &state, &work, &end);
        let begin = move |worker: Worker| -> Box<dyn Part + '_> {
            let mut own: Option<S> = None;
            let piece = move |number: Option<usize>| {
                if let Some(number) = number {
                    let state = match &mut own {
                        Some(state) => state,
                        None => own.insert(state()?),
                    };
                    results.put(number, work(state, number)?);
                } else if let Some(own) = own.take() {
                    ends.put(worker, end(own));
                }
                Ok(())
            };
            Box::new(piece)
        };
        share_parts(pool, count, home, &begin)?;
    }
    Ok((ends.into_inner(), results.into_inner()))
}

/// What one worker does of a loop, without its types: does the piece of a number, or, without one, leaves what it has
/// and ends. Loops of all types are scheduled by the same code ([`share_parts`]), which would be a fifth of the crate else.
trait Part: FnMut(Option<usize>) -> Result<()> + Send {}

impl<F: FnMut(Option<usize>) -> Result<()> + Send> Part for F {}

/// Has the workers' parts do all numbers below `count`.
fn share_parts<'a>(
    pool: Option<&Pool>,
    count: usize,
    home: Home<'_>,
    begin: &(dyn Fn(Worker) -> Box<dyn Part + 'a> + Sync + 'a),
) -> Result<()> {
    let Some(pool) = pool.filter(|pool| count > 1 && pool.threads() > 1) else {
        if count > 0 {
            let mut part = begin(Worker { number: 0, node: 0 });
            (0..count).try_for_each(|number| part(Some(number)))?;
            part(None)?;
        }
        return Ok(());
    };
    let shares = &Shares::new(count, pool.nodes(), home);
    // Where a node's workers are waited for, any of them may be among the last to come.
    let helpers = if shares.wait() { pool.threads() - 1 } else { count - 1 };
    let failure = &Failure::default();
    pool.share(helpers, move |worker| {
        let mut part = begin(worker);
        move || {
            if !failure.is_set()
                && let Some(number) = shares.take(worker.node)
            {
                part(Some(number)).unwrap_or_else(|error| failure.set(error));
                // The last piece's worker ends in the same turn: somebody may wait for it.
                if !failure.is_set() && shares.any_left() {
                    return true;
                }
            }
            part(None).unwrap_or_else(|error| failure.set(error));
            false
        }
    });
    failure.take().map_or(Ok(()), Err)
}

/// A value for each number, of which one worker at a time uses one.
struct Cells<T>(Vec<Mutex<Option<T>>>);

impl<T> Cells<T> {
    fn empty(count: usize) -> Self {
        Cells((0..count).map(|_| Mutex::new(None)).collect())
    }

    fn full(values: Vec<T>) -> Self {
        Cells(values.into_iter().map(|value| Mutex::new(Some(value))).collect())
    }

    fn put(&self, number: usize, value: T) {
        *locked(&self.0[number]) = Some(value);
    }

    fn take(&self, number: usize) -> T {
        locked(&self.0[number]).take().expect("every number is taken once")
    }

    fn into_inner(self) -> Vec<T> {
        let value = |cell: Mutex<Option<T>>| cell.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.0.into_iter().map(|cell| value(cell).expect("every number was taken once")).collect()
    }
}

/// What workers leave, in the order of their numbers.
struct Ends<E>(Mutex<Vec<(Worker, E)>>);

impl<E> Default for Ends<E> {
    fn default() -> Self {
        Ends(Mutex::default())
    }
}

impl<E> Ends<E> {
    fn put(&self, worker: Worker, end: E) {
        let mut ends = locked(&self.0);
        let place = ends.partition_point(|(other, _)| *other <= worker);
        ends.insert(place, (worker, end));
    }

    fn into_inner(self) -> Vec<E> {
        let ends = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        ends.into_iter().map(|(_, end)| end).collect()
    }
}

/// What one worker at a time uses. If one panics, so does the thread that asked for its work: nobody sees what is left.
fn locked<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    cell.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Applies `work` to every item on the workers; results are in the order of the items.
pub fn map<I: Send, T: Send>(
    pool: &Pool,
    context: &Context,
    items: Vec<I>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    map_by(Workers { pool: Some(pool), context }, items, Home::Nowhere, work)
}

fn map_by<I: Send, T: Send>(
    workers: Workers<'_>,
    items: Vec<I>,
    home: Home<'_>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (count, items) = (items.len(), Cells::full(items));
    let work = |(): &mut (), number: usize| workers.context.piece(|| work(items.take(number)));
    let (_, results) = share(workers.pool, count, home, || Ok(()), work, drop)?;
    Ok(results)
}

impl Context {
    /// Who works for the statement.
    pub fn workers(&self) -> Workers<'_> {
        Workers { pool: self.pool.as_deref(), context: self }
    }
}

/// As [`Workers::all`]; without workers on this thread.
pub fn all<T: Send>(workers: Option<Workers<'_>>, count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    match workers {
        Some(workers) => workers.all(count, make),
        None => (0..count).map(make).collect(),
    }
}

/// Who does what can be done in parallel: the workers of a pool, or this thread alone.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// The pool; without one everything happens on this thread.
    pub pool: Option<&'a Pool>,
    /// The statement that they work for.
    pub context: &'a Context,
}

impl Workers<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.pool.map_or(1, Pool::threads)
    }

    /// Rows of a piece of so many: a morsel's, or fewer if there are not enough of these for all. For work of which nothing
    /// shows where it was cut.
    pub fn piece_rows(&self, rows: usize) -> usize {
        if self.is_one() {
            return MORSEL_ROWS;
        }
        (rows / (self.count() * PIECES_A_WORKER)).clamp(PIECE_ROWS_MIN, MORSEL_ROWS)
    }

    /// Whether there is but one.
    pub fn is_one(&self) -> bool {
        self.count() == 1
    }

    /// As [`run`].
    pub fn run<S: Send, E: Send, T: Send>(
        &self,
        count: usize,
        state: impl Fn() -> Result<S> + Sync,
        work: impl Fn(&mut S, usize) -> Result<T> + Sync,
        end: impl Fn(S) -> E + Sync,
    ) -> Result<(Vec<E>, Vec<T>)> {
        let work = |state: &mut S, number: usize| self.context.piece(|| work(state, number));
        share(self.pool, count, Home::Nowhere, state, work, end)
    }

    /// As [`Workers::run`]; numbers for which `home` gives a node are taken by its workers first.
    pub fn run_near<S: Send, E: Send, T: Send>(
        &self,
        count: usize,
        home: &dyn Fn(usize) -> Option<usize>,
        state: impl Fn() -> Result<S> + Sync,
        work: impl Fn(&mut S, usize) -> Result<T> + Sync,
        end: impl Fn(S) -> E + Sync,
    ) -> Result<(Vec<E>, Vec<T>)> {
        let work = |state: &mut S, number: usize| self.context.piece(|| work(state, number));
        share(self.pool, count, Home::Near(home), state, work, end)
    }

    /// As [`Workers::map`]; items for whose numbers `home` gives a node are done by its workers, unless none of them comes for
    /// a while or they have more than others. For work that decides where memory is.
    pub fn map_at<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        home: &dyn Fn(usize) -> Option<usize>,
        work: impl Fn(I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        map_by(*self, items, Home::At(home), work)
    }

    /// How many nodes they are on.
    pub fn nodes(&self) -> usize {
        self.pool.map_or(1, Pool::nodes)
    }

    /// Does some work without leaving the node that the calling thread is on, whose position it gets.
    pub fn stay_here<T>(&self, work: impl FnOnce(usize) -> T) -> T {
        match self.pool {
            Some(pool) => pool.stay_here(work),
            None => work(0),
        }
    }

    /// What `make` makes of every number below `count`, in order. For work that neither fails nor takes long: a statement
    /// that was cancelled does it to its end.
    pub fn all<T: Send>(&self, count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let made = share(self.pool, count, Home::Nowhere, || Ok(()), |(), number| Ok(make(number)), drop);
        made.expect("what cannot fail does not").1
    }

    /// As [`map`].
    pub fn map<I: Send, T: Send>(&self, items: Vec<I>, work: impl Fn(I) -> Result<T> + Sync) -> Result<Vec<T>> {
        map_by(*self, items, Home::Nowhere, work)
    }
}

/// The first error of several workers.
#[derive(Default)]
struct Failure {
    set: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Failure {
    fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    fn set(&self, error: Error) {
        locked(&self.error).get_or_insert(error);
        self.set.store(true, Ordering::Relaxed);
    }

    fn take(&self) -> Option<Error> {
        locked(&self.error).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::workers::context::Memory;
    use crate::workers::topology::Topology;

    fn context() -> Context {
        Context::new(Memory::new(1 << 30))
    }

    #[test]
    fn morsels_cover_all_rows_once() {
        let all = morsels([0, 1, 10, 11], 5);
        let rows: Vec<_> = all.iter().map(|morsel| (morsel.chunk, morsel.rows.clone())).collect();
        assert_eq!(rows, vec![(1, 0..1), (2, 0..5), (2, 5..10), (3, 0..3), (3, 3..7), (3, 7..11)]);
        assert!(morsels([], 5).is_empty());
    }

    #[test]
    fn results_are_in_order_for_every_thread_count() {
        for threads in [1, 2, 3, 7] {
            let pool = Pool::new(threads).unwrap();
            for count in [0, 1, 2, 100] {
                let (states, results) = run(
                    &pool,
                    &context(),
                    count,
                    || Ok(0),
                    |sum, number| {
                        *sum += 1;
                        Ok(number * 2)
                    },
                    |sum| sum,
                )
                .unwrap();
                assert_eq!(results, (0..count).map(|number| number * 2).collect::<Vec<_>>());
                assert_eq!(states.iter().sum::<usize>(), count);
            }
        }
    }

    #[test]
    fn results_do_not_show_homes() {
        for nodes in [2, 4] {
            let topology = Topology { nodes: (0..nodes).map(|node| vec![5000 + node]).collect() };
            let (pool, context) = (Pool::with_topology(5, &topology).unwrap(), context());
            let workers = Workers { pool: Some(&pool), context: &context };
            for count in [0, 1, 2, 100] {
                let near = |number: usize| (!number.is_multiple_of(3)).then_some(number % nodes);
                let work = |sum: &mut usize, number| {
                    *sum += number;
                    Ok(number * 2)
                };
                let (sums, results) = workers.run_near(count, &near, || Ok(0), work, |sum| sum).unwrap();
                assert_eq!(results, (0..count).map(|number| number * 2).collect::<Vec<_>>());
                assert_eq!(sums.iter().sum::<usize>(), (0..count).sum::<usize>());
            }
        }
    }

    #[test]
    fn an_error_and_a_cancellation_end_it() {
        let pool = Pool::new(2).unwrap();
        let fail = |(): &mut (), number: usize| {
            if number == 50 { Err(Error::new(ErrorKind::DivisionByZero, "division by zero")) } else { Ok(()) }
        };
        let error = run(&pool, &context(), 1000, || Ok(()), fail, drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DivisionByZero);
        let context = context();
        context.cancellation.cancel();
        let error = run(&pool, &context, 1000, || Ok(()), |(), _| Ok(()), drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}
