//! The workers: threads that help whoever has a loop to run.
//!
//! A statement runs on the thread that asks for it. Where there is work for several, it becomes a job, which that thread
//! begins at once and workers join; it is over when no piece is left, whether or not all of them have woken up. Jobs of
//! several statements have the workers in turn, piece by piece (`turns`).

mod job;
mod sleep;
#[cfg(test)]
mod tests;
mod turns;

use crate::workers::topology::{self, Stay, Topology};
use crate::{Error, ErrorKind, Result};
use job::Job;
use multiloop_planner::stack::WORKER_BYTES;
use sleep::Sleepers;
pub(crate) use sleep::spin_until;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use turns::Turns;

/// How many a thread wakes up that has work for them: they wake up others.
const WOKEN_AT_ONCE: usize = 2;

thread_local! {
    /// The node of a worker's thread; none of any other thread.
    static NODE: Cell<Option<usize>> = const { Cell::new(None) };
}

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
    topology: Topology,
}

/// What workers and those who have work share.
#[derive(Debug, Default)]
struct Shared {
    /// Jobs that may still want helpers.
    jobs: Mutex<Vec<Arc<Job>>>,
    /// Grows when there is something to do, or no more at all.
    news: AtomicUsize,
    closed: AtomicBool,
    sleepers: Sleepers,
}

impl Pool {
    /// A pool for so many threads (0: one a usable processor): that which asks for work, and its helpers. Those of a node
    /// stay on its processors; on which of them is left to the operating system, which knows where the thread that asks
    /// runs, and what else does.
    pub fn new(threads: usize) -> Result<Self> {
        Pool::with_topology(threads, &Topology::detect())
    }

    /// The same on a machine that is said to be like this.
    pub fn with_topology(threads: usize, topology: &Topology) -> Result<Self> {
        let processors = topology.processors();
        let threads = if threads == 0 { processors.max(1) } else { threads };
        let nodes = deal(threads, topology);
        let shared = Arc::new(Shared::default());
        let mut pool = Pool {
            shared: Arc::clone(&shared),
            handles: Vec::new(),
            threads,
            nodes: nodes.last().map_or(1, |last| last + 1),
            topology: topology.clone(),
        };
        for (number, node) in nodes.into_iter().enumerate().skip(1) {
            let (shared, worker) = (Arc::clone(&shared), Worker { number, node });
            let near = (pool.nodes > 1).then(|| topology.nodes[node].clone());
            let handle = std::thread::Builder::new().name(format!("worker-{number}")).stack_size(WORKER_BYTES).spawn(
                move || {
                    NODE.set(Some(node));
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

    /// Shares work between this thread and up to so many workers; returns when all who began are done. That may be this
    /// thread alone. `begin` gives a worker's part: what does a piece, and says whether there may be more. Workers do other
    /// jobs' pieces between two of them; this thread does not, and it may end what a worker had for its part.
    pub fn share<P: FnMut() -> bool + Send>(&self, helpers: usize, begin: impl Fn(Worker) -> P + Sync) {
        let helpers = helpers.min(self.threads - 1);
        let owner = Worker { number: 0, node: self.node_here() };
        if helpers == 0 {
            let mut part = begin(owner);
            while part() {}
            return;
        }
        Job::share(&begin, owner, helpers, &self.shared);
    }

    /// Does some work without leaving the node that this thread is on, whose position it gets.
    pub fn stay_here<T>(&self, work: impl FnOnce(usize) -> T) -> T {
        let node = self.node_here();
        let moves = self.nodes > 1 && NODE.get().is_none();
        let _stay = moves.then(|| Stay::on(&self.topology.nodes[node]));
        work(node)
    }

    /// The node that this thread is on. Only workers stay where they are.
    pub fn node_here(&self) -> usize {
        if self.nodes == 1 {
            return 0;
        }
        let here = NODE.get().or_else(|| self.topology.node_of(topology::processor_here()?));
        here.filter(|&node| node < self.nodes).unwrap_or(0)
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
    /// Tells workers of a job that wants so many of them.
    fn publish(&self, job: &Arc<Job>, helpers: usize) {
        {
            let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.retain(|other| other.is_open());
            jobs.push(Arc::clone(job));
        }
        self.news.fetch_add(1, Ordering::Release);
        self.sleepers.wake(helpers.min(WOKEN_AT_ONCE));
        job.ancestors().for_each(|job| job.stir());
    }

    /// What a worker does until the pool is dropped.
    fn serve(&self, worker: Worker) {
        let mut turns = Turns::new(worker);
        loop {
            if turns.turn(self) {
                continue;
            }
            // Behind a look that found nothing: the news of this may have been among those.
            if self.closed.load(Ordering::Relaxed) {
                return;
            }
            let has_news = || turns.has_news(self);
            if !spin_until(has_news) {
                self.sleepers.sleep(worker.number, || !has_news());
            }
        }
    }

    /// The oldest job of a kind that may be joined.
    fn open_job(&self, is_wanted: impl Fn(&Arc<Job>) -> bool) -> Option<Arc<Job>> {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.iter().find(|job| job.is_open() && is_wanted(job)).cloned()
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
