//! The workers: threads that help whoever has a loop to run.
//!
//! A statement runs on the thread that asks for it. Where there is work for several, it becomes a job, which that thread
//! begins at once and workers join; it is over when no piece is left, whether or not all of them have woken up.

mod job;
mod sleep;

use crate::workers::topology;
use crate::workers::topology::Topology;
use crate::{Error, ErrorKind, Result};
use job::Job;
use multiloop_planner::stack::WORKER_BYTES;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sleep::{Sleepers, spin_until};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// How many a thread wakes up that has work for them: they wake up others.
const WOKEN_AT_ONCE: usize = 2;

/// Who takes part in a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worker {
    /// Its position among all; 0 is the thread whose job it is.
    pub number: usize,
    /// The position of its node among the nodes that have workers.
    pub node: usize,
}

/// All workers of an engine; statements share them.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    handles: Vec<JoinHandle<()>>,
    threads: usize,
    nodes: usize,
    sorters: OnceLock<Option<ThreadPool>>,
}

/// What workers and those who have work share.
#[derive(Debug, Default)]
struct Shared {
    /// Jobs that may still want helpers.
    pub(crate) jobs: Mutex<Vec<Arc<Job>>>,
    /// Grows when there is something to do, or no more at all.
    pub(crate) news: AtomicUsize,
    pub(crate) closed: AtomicBool,
    pub(crate) sleepers: Sleepers,
}

impl Pool {
    /// A pool for so many threads (0: one a usable processor): that which asks for work, and its helpers. Those of a node
    /// stay on its processors; on which of them is left to the operating system, which knows where the thread that asks
    /// runs, and what else does.
    pub fn new(threads: usize) -> Result<Self> {
        Pool::with_topology(threads, &Topology::detect())
    }

    fn with_topology(threads: usize, topology: &Topology) -> Result<Self> {
        let processors = topology.processors();
        let threads = if threads == 0 { processors.max(1) } else { threads };
        let nodes = deal(threads, topology);
        let shared = Arc::new(Shared::default());
        let mut pool = Pool {
            shared: Arc::clone(&shared),
            handles: Vec::new(),
            threads,
            nodes: nodes.last().map_or(1, |last| last + 1),
            sorters: OnceLock::new(),
        };
        for (number, node) in nodes.into_iter().enumerate().skip(1) {
            let (shared, worker) = (Arc::clone(&shared), Worker { number, node });
            let near = (pool.nodes > 1).then(|| topology.nodes[node].clone());
            let handle = std::thread::Builder::new().name(format!("worker-{number}")).stack_size(WORKER_BYTES).spawn(
                move || {
                    if let Some(processors) = near {
                        topology::stay_on(&processors);
                    }
                    shared.serve(worker);
                },
            );
            pool.handles.push(handle.map_err(could_not_start)?);
        }
        Ok(pool)
    }

    /// How many threads work on a loop.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// How many NUMA nodes have workers.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Runs the work on this thread and, at the same time, on up to so many workers that have nothing else to do; returns
    /// when all who began are done. That may be this thread alone: the work is what takes pieces until none is left.
    pub fn share(&self, helpers: usize, work: impl Fn(Worker) + Sync) {
        let helpers = helpers.min(self.threads - 1);
        if helpers == 0 {
            return work(Worker { number: 0, node: 0 });
        }
        Job::share(&work, Worker { number: 0, node: 0 }, helpers, |job| self.shared.publish(job));
    }

    /// Runs rayon's parallel work (a sort) on as many threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.sorters.get_or_init(|| ThreadPoolBuilder::new().num_threads(self.threads).build().ok()) {
            Some(sorters) => sorters.install(work),
            None => work(),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        self.shared.news.fetch_add(1, Ordering::Release);
        self.shared.sleepers.wake(usize::MAX);
        for handle in self.handles.drain(..) {
            // What a job panicked with its owner has seen.
            let _ = handle.join();
        }
    }
}

impl Shared {
    /// Tells workers of a job.
    fn publish(&self, job: &Arc<Job>) {
        {
            let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.retain(|other| other.is_open());
            jobs.push(Arc::clone(job));
        }
        self.news.fetch_add(1, Ordering::Release);
        self.sleepers.wake(WOKEN_AT_ONCE);
    }

    /// What a worker does until the pool is dropped.
    fn serve(&self, worker: Worker) {
        loop {
            let news = self.news.load(Ordering::Acquire);
            let is_new = || self.news.load(Ordering::Acquire) != news;
            if self.closed.load(Ordering::Relaxed) {
                return;
            }
            while let Some(job) = self.open_job() {
                self.sleepers.wake(WOKEN_AT_ONCE);
                job.help(worker);
            }
            if !spin_until(is_new) {
                self.sleepers.sleep(worker.number, || !is_new());
            }
        }
    }

    fn open_job(&self) -> Option<Arc<Job>> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().find(|job| job.is_open()).cloned()
    }
}

fn could_not_start(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("could not start worker threads: {error}"))
}

/// The node of each of so many threads: nodes are filled evenly, so that all memory channels work. In order, and each node
/// up to the last has a thread.
fn deal(threads: usize, topology: &Topology) -> Vec<usize> {
    let mut nodes: Vec<usize> = Vec::new();
    let most = topology.nodes.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..most {
        let here = topology.nodes.iter().enumerate().filter(|(_, processors)| round < processors.len());
        nodes.extend(here.map(|(node, _)| node));
    }
    if nodes.is_empty() {
        return vec![0; threads];
    }
    let mut nodes: Vec<usize> = nodes.into_iter().cycle().take(threads).collect();
    nodes.sort_unstable();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::time::Duration;

    /// All of them take part: each waits for the others.
    fn numbers(pool: &Pool) -> Vec<usize> {
        let (barrier, numbers) = (Barrier::new(pool.threads()), Mutex::new(Vec::new()));
        pool.share(usize::MAX, |worker| {
            barrier.wait();
            numbers.lock().unwrap().push(worker.number);
        });
        let mut numbers = numbers.into_inner().unwrap();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn every_worker_takes_part_awake_or_asleep() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(threads).unwrap();
            for pause in [0, 0, 20, 0] {
                std::thread::sleep(Duration::from_millis(pause));
                assert_eq!(numbers(&pool), (0..threads).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn no_more_help_than_asked_for() {
        let pool = Pool::new(4).unwrap();
        for helpers in [0, 1, 2] {
            for _ in 0..1000 {
                let workers = AtomicUsize::new(0);
                pool.share(helpers, |_| {
                    workers.fetch_add(1, Ordering::Relaxed);
                });
                assert!((1..=helpers + 1).contains(&workers.into_inner()));
            }
        }
    }

    #[test]
    fn who_asks_waits_for_all_that_took_part() {
        let pool = Pool::new(3).unwrap();
        for _ in 0..5000 {
            // What the work borrows is gone right behind it.
            let (left, done) = (AtomicUsize::new(20), AtomicUsize::new(0));
            pool.share(2, |_| {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert_eq!(done.into_inner(), 20);
        }
    }

    #[test]
    fn many_ask_at_once_and_from_within() {
        let pool = Pool::new(3).unwrap();
        let sum = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let once = AtomicBool::new(true);
                        pool.share(2, |_| {
                            if once.swap(false, Ordering::Relaxed) {
                                pool.share(2, |worker| {
                                    sum.fetch_add(usize::from(worker.number == 0), Ordering::Relaxed);
                                });
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 800);
    }

    #[test]
    fn a_panic_reaches_who_asked_and_no_one_else() {
        let pool = Pool::new(3).unwrap();
        for who in [0, 1, 2] {
            let barrier = Barrier::new(3);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.share(2, |worker| {
                    barrier.wait();
                    assert!(worker.number != who, "out of order");
                });
            }));
            assert!(outcome.is_err(), "{who}");
            assert_eq!(numbers(&pool), vec![0, 1, 2]);
        }
    }

    #[test]
    fn nodes_are_filled_evenly() {
        let topology = Topology { nodes: vec![vec![0, 1, 2], vec![8]] };
        assert_eq!(deal(1, &topology), vec![0]);
        assert_eq!(deal(3, &topology), vec![0, 0, 1]);
        assert_eq!(deal(4, &topology), vec![0, 0, 0, 1]);
        assert_eq!(deal(6, &topology), vec![0, 0, 0, 0, 1, 1]);
        assert_eq!(deal(2, &Topology { nodes: Vec::new() }), vec![0, 0]);
        let pool = Pool::with_topology(3, &topology).unwrap();
        assert_eq!(pool.nodes(), 2);
        assert_eq!(numbers(&pool), vec![0, 1, 2]);
    }
}
