//! What work runs on: the machine's nodes and cores (`topology`), the pool of pinned threads, how the pieces of a loop are
//! shared among them (`schedule`, and `shares` by nodes), sorting by all of them (`merge_sort`), and what a running statement shares with its workers
//! (`context`: memory limit, cancellation, progress).

pub mod context;
pub mod merge_sort;
pub mod pool;
pub mod schedule;
mod shares;
pub mod topology;
