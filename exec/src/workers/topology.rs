//! Which processors this process may use, grouped by the memory (NUMA node) that is near to them.

use std::path::Path;

/// Processors by NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// For each node that has usable processors their numbers, ascending. At least one node unless the
    /// operating system does not say which processors there are.
    pub nodes: Vec<Vec<usize>>,
}

impl Topology {
    /// What the operating system says, within the process's affinity mask. Where it says nothing about nodes, all
    /// processors are one node; where it says nothing about processors, there are none.
    pub fn detect() -> Self {
        let usable: Vec<usize> =
            core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect();
        Topology::from_nodes(&node_processors(Path::new("/sys/devices/system/node")), usable)
    }

    fn from_nodes(nodes: &[Vec<usize>], mut usable: Vec<usize>) -> Self {
        usable.sort_unstable();
        usable.dedup();
        let mut grouped: Vec<Vec<usize>> = nodes
            .iter()
            .map(|node| usable.iter().copied().filter(|processor| node.contains(processor)).collect())
            .filter(|node: &Vec<usize>| !node.is_empty())
            .collect();
        // A processor that no node lists (a container that hides /sys) goes to the first one.
        let lost: Vec<usize> =
            usable.into_iter().filter(|id| !grouped.iter().flatten().any(|known| known == id)).collect();
        match grouped.first_mut() {
            Some(first) => first.extend(lost),
            None if lost.is_empty() => {}
            None => grouped.push(lost),
        }
        Topology { nodes: grouped }
    }

    /// How many processors.
    pub fn processors(&self) -> usize {
        self.nodes.iter().map(Vec::len).sum()
    }

    /// The position of the node that has a processor.
    pub fn node_of(&self, processor: usize) -> Option<usize> {
        self.nodes.iter().position(|node| node.contains(&processor))
    }
}

/// The processor that the calling thread is on at this moment, where the operating system says it.
pub(crate) fn processor_here() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(target_os = "linux"))]
    None
}

/// Keeps the calling thread on some processors. That this may fail (a container's rules) or is not to be had (only Linux
/// has it) costs speed, not results.
pub(crate) fn stay_on(processors: &[usize]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_setaffinity};
        let mut set = CpuSet::new();
        processors.iter().filter(|&&processor| processor < CpuSet::MAX_CPU).for_each(|&processor| set.set(processor));
        let _ = sched_setaffinity(None, &set);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processors;
}

/// Where the calling thread may run, for as long as it stays on some of these processors. Gives it back on drop.
pub(crate) struct Stay {
    #[cfg(target_os = "linux")]
    before: Option<rustix::thread::CpuSet>,
}

impl Stay {
    /// Stays on some processors.
    pub(crate) fn on(processors: &[usize]) -> Self {
        #[cfg(target_os = "linux")]
        let before = rustix::thread::sched_getaffinity(None).ok();
        stay_on(processors);
        Stay {
            #[cfg(target_os = "linux")]
            before,
        }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(before) = &self.before {
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}

fn node_processors(folder: &Path) -> Vec<Vec<usize>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut nodes: Vec<(usize, Vec<usize>)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let list = std::fs::read_to_string(entry.path().join("cpulist")).ok()?;
            Some((number, parse_list(&list)))
        })
        .collect();
    nodes.sort();
    nodes.into_iter().map(|(_, processors)| processors).collect()
}

/// Linux's list format: `0-3,8,10-11`. What does not parse is left out.
fn parse_list(list: &str) -> Vec<usize> {
    let mut all = Vec::new();
    for part in list.trim().split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(low), Ok(high)) = (low.parse::<usize>(), high.parse::<usize>())
            && high.saturating_sub(low) < 1 << 16
        {
            all.extend(low..=high);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse_list("0-3,8,10-11\n"), vec![0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse_list(""), Vec::<usize>::new());
        assert_eq!(parse_list("x,2,9-7"), vec![2]);
    }

    #[test]
    fn nodes_keep_only_usable_processors() {
        let nodes = [vec![0, 1], vec![2, 3], vec![4]];
        assert_eq!(Topology::from_nodes(&nodes, vec![3, 0, 2]).nodes, vec![vec![0], vec![2, 3]]);
        assert_eq!(Topology::from_nodes(&[], vec![5, 4]).nodes, vec![vec![4, 5]]);
        assert_eq!(Topology::from_nodes(&nodes, vec![0, 9]).nodes, vec![vec![0, 9]]);
        assert_eq!(Topology::from_nodes(&nodes, vec![]).processors(), 0);
        let topology = Topology::from_nodes(&nodes, vec![3, 0, 2]);
        assert_eq!([0, 1, 2, 3].map(|processor| topology.node_of(processor)), [Some(0), None, Some(1), Some(1)]);
    }
}
