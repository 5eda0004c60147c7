//! How a loop's work reaches the workers: in morsels, taken dynamically, with results put back in morsel order.
//!
//! A morsel is a run of rows of one chunk. Each node's workers take the morsels of that node's share in order and
//! turn to another node's share only when their own is used up. What a morsel gives is stored under its number,
//! so neither the number of threads nor timing shows in a result that is put together by number.

use crate::workers::context::Context;
use crate::workers::pool::Pool;
use crate::{Error, Result};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
    let work = |state: &mut S, number: usize| context.check().and_then(|()| work(state, number));
    share(Some(pool), count, None, state, work, end)
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
    let Some(pool) = pool.filter(|pool| count > 1 && pool.threads() > 1) else {
        return run_here(count, state, work, end);
    };
    let shares = &Shares::new(count, pool.nodes(), home);
    let failure = Failure::default();
    let outcomes = Mutex::new(Vec::new());
    {
        let (failure, outcomes, state, work, end) = (&failure, &outcomes, &state, &work, &end);
        pool.share(count - 1, move |worker| {
            let mut results = Vec::new();
            let mut own: Option<S> = None;
            move || {
                if !failure.is_set()
                    && let Some(number) = shares.take(worker.node)
                {
                    let state = match &mut own {
                        Some(state) => Ok(state),
                        None => state().map(|new| own.insert(new)),
                    };
                    match state.and_then(|state| work(state, number)) {
                        Ok(result) => results.push((number, result)),
                        Err(error) => failure.set(error),
                    }
                    // The last piece's worker ends in the same turn: somebody may wait for it.
                    if !failure.is_set() && shares.any_left() {
                        return true;
                    }
                }
                let own = own.take().map(end);
                if let (Some(own), Ok(mut outcomes)) = (own, outcomes.lock()) {
                    outcomes.push((worker, own, std::mem::take(&mut results)));
                }
                false
            }
        });
    }
    failure.into_result()?;
    let mut outcomes = outcomes.into_inner().map_err(|_| Error::internal("a worker panicked"))?;
    outcomes.sort_unstable_by_key(|(worker, ..)| *worker);
    let mut ends = Vec::with_capacity(outcomes.len());
    let mut all: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for (_, end, results) in outcomes {
        ends.push(end);
        for (number, result) in results {
            all[number] = Some(result);
        }
    }
    Ok((ends, all.into_iter().map(|result| result.expect("every number was taken once")).collect()))
}

fn run_here<S, E, T>(
    count: usize,
    state: impl Fn() -> Result<S>,
    work: impl Fn(&mut S, usize) -> Result<T>,
    end: impl Fn(S) -> E,
) -> Result<(Vec<E>, Vec<T>)> {
    if count == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut own = state()?;
    let mut results = Vec::with_capacity(count);
    for number in 0..count {
        results.push(work(&mut own, number)?);
    }
    Ok((vec![end(own)], results))
}

/// Applies `work` to every item on the workers; results are in the order of the items.
pub fn map<I: Send, T: Send>(
    pool: &Pool,
    context: &Context,
    items: Vec<I>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    map_by(Workers { pool: Some(pool), context }, items, None, work)
}

fn map_by<I: Send, T: Send>(
    workers: Workers<'_>,
    items: Vec<I>,
    home: Home<'_>,
    work: impl Fn(I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let take = |number: usize| {
        let item = items[number].lock().map_err(|_| Error::internal("a worker panicked"))?.take();
        Ok(item.expect("every number is taken once"))
    };
    let work = |(): &mut (), number: usize| workers.context.check().and_then(|()| work(take(number)?));
    let (_, results) = share(workers.pool, items.len(), home, || Ok(()), work, drop)?;
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
        match self.pool {
            Some(pool) => run(pool, self.context, count, state, work, end),
            None => {
                run_here(count, state, |state, number| self.context.check().and_then(|()| work(state, number)), end)
            }
        }
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
        let work = |state: &mut S, number: usize| self.context.check().and_then(|()| work(state, number));
        share(self.pool, count, Some(home), state, work, end)
    }

    /// As [`Workers::map`]; items for whose numbers `home` gives a node are taken by its workers first.
    pub fn map_near<I: Send, T: Send>(
        &self,
        items: Vec<I>,
        home: &dyn Fn(usize) -> Option<usize>,
        work: impl Fn(I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        map_by(*self, items, Some(home), work)
    }

    /// How many nodes they are on.
    pub fn nodes(&self) -> usize {
        self.pool.map_or(1, Pool::nodes)
    }

    /// The node that the calling thread is on.
    pub fn node_here(&self) -> usize {
        self.pool.map_or(0, Pool::node_here)
    }

    /// What `make` makes of every number below `count`, in order. For work that neither fails nor takes long: a statement
    /// that was cancelled does it to its end.
    pub fn all<T: Send>(&self, count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let made = share(self.pool, count, None, || Ok(()), |(), number| Ok(make(number)), drop);
        made.expect("what cannot fail does not").1
    }

    /// As [`map`].
    pub fn map<I: Send, T: Send>(&self, items: Vec<I>, work: impl Fn(I) -> Result<T> + Sync) -> Result<Vec<T>> {
        match self.pool {
            Some(_) => map_by(*self, items, None, work),
            None => items.into_iter().map(|item| self.context.check().and_then(|()| work(item))).collect(),
        }
    }
}

/// The node of each number, if it has one.
type Home<'a> = Option<&'a dyn Fn(usize) -> Option<usize>>;

/// For each node the numbers that its workers take first: those that have their home there, and of the others an equal part.
/// Once these are used up, they turn to the next node's, by number, and behind the last to the first one's.
struct Shares {
    /// All numbers, node by node; None if they are in order.
    order: Option<Vec<u32>>,
    next: Vec<AtomicUsize>,
    ends: Vec<usize>,
}

impl Shares {
    fn new(count: usize, nodes: usize, home: Home<'_>) -> Self {
        let even = |number: usize| number * nodes / count.max(1);
        let Some(home) = home.filter(|_| nodes > 1) else {
            let bounds = (0..=nodes).map(|node| (count * node).div_ceil(nodes));
            return Shares::of(None, bounds.collect());
        };
        let node = |number: usize| home(number).map_or_else(|| even(number), |node| node % nodes);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_cached_key(|&number| node(number as usize));
        let bounds = (0..=nodes).map(|bound| order.partition_point(|&number| node(number as usize) < bound));
        let bounds = bounds.collect();
        Shares::of(Some(order), bounds)
    }

    fn of(order: Option<Vec<u32>>, bounds: Vec<usize>) -> Self {
        let next = bounds[..bounds.len() - 1].iter().map(|&start| AtomicUsize::new(start)).collect();
        Shares { order, next, ends: bounds[1..].to_vec() }
    }

    /// The next number for a worker of a node.
    fn take(&self, own: usize) -> Option<usize> {
        let nodes = self.next.len();
        let place = (0..nodes).map(|step| (own + step) % nodes).find_map(|node| {
            // Looking first keeps the counter from running away.
            if !self.is_left(node) {
                return None;
            }
            let place = self.next[node].fetch_add(1, Ordering::Relaxed);
            (place < self.ends[node]).then_some(place)
        })?;
        Some(self.order.as_ref().map_or(place, |order| order[place] as usize))
    }

    fn is_left(&self, node: usize) -> bool {
        self.next[node].load(Ordering::Relaxed) < self.ends[node]
    }

    fn any_left(&self) -> bool {
        (0..self.next.len()).any(|node| self.is_left(node))
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
        if let Ok(mut first) = self.error.lock() {
            first.get_or_insert(error);
        }
        self.set.store(true, Ordering::Relaxed);
    }

    fn into_result(self) -> Result<()> {
        let error = self.error.into_inner().map_err(|_| Error::internal("a worker panicked"))?;
        error.map_or(Ok(()), Err)
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

    /// The numbers that workers of these nodes take, one after the other, until none is left.
    fn taken(shares: &Shares, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().cycle().map_while(|&node| shares.take(node)).collect()
    }

    #[test]
    fn numbers_without_a_home_are_dealt_evenly() {
        for (count, nodes) in [(1, 1), (1, 4), (7, 2), (8, 4), (9, 4), (3, 4)] {
            let shares = || Shares::new(count, nodes, None);
            for node in 0..nodes {
                let own = (0..count).filter(|number| number * nodes / count == node);
                let all = taken(&shares(), &[node]);
                assert!(own.eq(all.iter().copied().take_while(|number| number * nodes / count == node)));
                assert_eq!(all.len(), count);
            }
            let mut by_all = taken(&shares(), &(0..nodes).collect::<Vec<_>>());
            by_all.sort_unstable();
            assert_eq!(by_all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_are_taken_at_home_first_and_stolen_from_the_next_node() {
        for nodes in [2, 4] {
            // Twelve chunks of which any are left out: the others keep their homes.
            for left_out in [0, 0b1010_1010_1010, 0b111, 0b1111_1111_0111, 0b0001_0001_0001] {
                let kept: Vec<usize> = (0..12).filter(|chunk| left_out >> chunk & 1 == 0).collect();
                let home = |number: usize| Some(kept[number] % nodes);
                for node in 0..nodes {
                    let order = taken(&Shares::new(kept.len(), nodes, Some(&home)), &[node]);
                    let mut expected: Vec<usize> = (0..kept.len()).collect();
                    expected.sort_by_key(|&number| (kept[number] % nodes + nodes - node) % nodes);
                    assert_eq!(order, expected, "node {node} of {nodes}, without {left_out:b}");
                }
                // As long as each has some left, nobody takes another's.
                let shares = Shares::new(kept.len(), nodes, Some(&home));
                let least = (0..nodes).map(|node| kept.iter().filter(|chunk| *chunk % nodes == node).count()).min();
                for _ in 0..least.unwrap_or(0) {
                    (0..nodes).for_each(|node| assert_eq!(home(shares.take(node).unwrap()), Some(node)));
                }
            }
        }
        // Homes of another machine, and numbers that have none.
        let home = |number: usize| number.is_multiple_of(2).then_some(7);
        let mut all = taken(&Shares::new(9, 2, Some(&home)), &[1]);
        assert_eq!(all[0], 0);
        all.sort_unstable();
        assert_eq!(all, (0..9).collect::<Vec<_>>());
        assert!(Shares::new(0, 2, Some(&home)).take(0).is_none() && Shares::new(0, 3, None).take(2).is_none());
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
