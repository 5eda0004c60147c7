//! Memory of a server: what its process has in it, and what its children have for themselves.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const PAGE_BYTES: u64 = 4096;

/// Bytes in memory; none if nobody knows.
#[derive(Clone, Copy)]
pub(crate) struct Memory(Option<u64>);

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            None => write!(f, "unknown"),
        }
    }
}

impl Memory {
    /// What a process has now.
    pub(crate) fn now(pid: Option<u32>) -> Self {
        Memory(pid.and_then(of_process))
    }

    /// What it has after a while.
    pub(crate) async fn settled(pid: Option<u32>, after: Duration) -> Self {
        if pid.is_some() {
            tokio::time::sleep(after).await;
        }
        Memory::now(pid)
    }
}

fn of_process(pid: u32) -> Option<u64> {
    let (resident, _) = pages(pid)?;
    // What children share with each other, as buffers, their parent has, too.
    let own = |child: u32| pages(child).map_or(0, |(resident, shared)| resident.saturating_sub(shared));
    Some((resident + children(pid).into_iter().map(own).sum::<u64>()) * PAGE_BYTES)
}

/// Pages in memory, and those of them that others may have, too.
fn pages(pid: u32) -> Option<(u64, u64)> {
    let numbers = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut numbers = numbers.split(' ').skip(1).map_while(|number| number.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn children(pid: u32) -> Vec<u32> {
    let told = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    told.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// Looks again and again.
pub(crate) struct Watch {
    most: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Watches a process from now on.
pub(crate) fn watch(pid: Option<u32>) -> Watch {
    let (most, is_over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
    let (most_seen, ends) = (Arc::clone(&most), Arc::clone(&is_over));
    let thread = std::thread::spawn(move || {
        while !ends.load(Ordering::Relaxed) {
            most_seen.fetch_max(pid.and_then(of_process).unwrap_or(0), Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    Watch { most, is_over, thread }
}

impl Watch {
    /// The most that was seen.
    pub(crate) fn peak(self) -> Memory {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        Memory(Some(self.most.load(Ordering::Relaxed)).filter(|&most| most > 0))
    }
}
