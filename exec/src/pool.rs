//! The workers: one rayon pool per NUMA node, each worker bound to a processor.

use crate::topology::{self, Topology};
use crate::{Error, ErrorKind, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A worker of a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worker {
    /// Its position among all workers.
    pub number: usize,
    /// The position of its node among the nodes that have workers.
    pub node: usize,
}

/// All workers of an engine; statements share them.
#[derive(Debug)]
pub struct Pool {
    nodes: Vec<Node>,
    threads: usize,
}

#[derive(Debug)]
struct Node {
    pool: ThreadPool,
    first: usize,
}

impl Pool {
    /// A pool of so many threads (0: one a usable processor). When there are more threads than processors, none
    /// is pinned, because two of them would be bound to share one while another may idle.
    pub fn new(threads: usize) -> Result<Self> {
        Pool::with_topology(threads, &Topology::detect())
    }

    fn with_topology(threads: usize, topology: &Topology) -> Result<Self> {
        let processors = topology.processors();
        let threads = if threads == 0 { processors.max(1) } else { threads };
        let shares = if threads > processors { vec![vec![None; threads]] } else { deal(threads, topology) };
        let mut nodes = Vec::new();
        let mut first = 0;
        for (node, share) in shares.into_iter().filter(|share| !share.is_empty()).enumerate() {
            let count = share.len();
            let pool = ThreadPoolBuilder::new()
                .num_threads(count)
                .thread_name(move |number| format!("worker-{node}-{number}"))
                .start_handler(move |number| {
                    if let Some(Some(processor)) = share.get(number) {
                        topology::pin(*processor);
                    }
                })
                .build()
                .map_err(|error| Error::new(ErrorKind::Io, format!("could not start worker threads: {error}")))?;
            nodes.push(Node { pool, first });
            first += count;
        }
        Ok(Pool { nodes, threads })
    }

    /// How many workers.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// How many NUMA nodes have workers.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Runs the work once on every worker, all at the same time, and waits. Results are by worker number.
    /// Must not be called from within such work.
    pub fn broadcast<T: Send>(&self, work: impl Fn(Worker) -> T + Sync) -> Vec<T> {
        let on_node = |node: usize| {
            let Node { pool, first } = &self.nodes[node];
            pool.broadcast(|worker| work(Worker { number: first + worker.index(), node }))
        };
        if let [_] = self.nodes[..] {
            return on_node(0);
        }
        let on_node = &on_node;
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.nodes.len()).map(|node| scope.spawn(move || on_node(node))).collect();
            let mut all = on_node(0);
            for other in others {
                match other.join() {
                    Ok(results) => all.extend(results),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }

    /// Runs rayon's parallel work (a sort) on the workers of the first node.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.nodes[0].pool.install(work)
    }
}

/// Which processors so many threads are bound to, by node: nodes are filled evenly, so that all memory channels work.
fn deal(threads: usize, topology: &Topology) -> Vec<Vec<Option<usize>>> {
    let mut shares: Vec<Vec<Option<usize>>> = vec![Vec::new(); topology.nodes.len()];
    let mut left = threads;
    let mut round = 0;
    while left > 0 {
        for (share, processors) in shares.iter_mut().zip(&topology.nodes) {
            if left > 0 && round < processors.len() {
                share.push(Some(processors[round]));
                left -= 1;
            }
        }
        round += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn every_worker_runs_at_the_same_time() {
        for threads in [1, 2, 5] {
            let pool = Pool::new(threads).unwrap();
            assert_eq!(pool.threads(), threads);
            let barrier = Barrier::new(threads);
            let workers = pool.broadcast(|worker| {
                barrier.wait();
                worker.number
            });
            assert_eq!(workers, (0..threads).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nodes_are_filled_evenly() {
        let topology = Topology { nodes: vec![vec![0, 1, 2], vec![8]] };
        assert_eq!(deal(3, &topology), vec![vec![Some(0), Some(1)], vec![Some(8)]]);
        let pool = Pool::with_topology(3, &topology).unwrap();
        assert_eq!(pool.nodes(), 2);
        let workers = pool.broadcast(|worker| (worker.number, worker.node));
        assert_eq!(workers, vec![(0, 0), (1, 0), (2, 1)]);
    }
}
