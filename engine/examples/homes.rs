//! Where a loaded table lies on this machine, chunk by chunk: which node is its home, on which nodes the kernel says that its
//! pages are, and which nodes' workers took its pieces. `cargo run --release --example homes -- SCALE THREADS` loads TPC-H's
//! `lineitem` of a scale factor, by all processors' threads if none are given. Of interest where there are several nodes;
//! `tpch/results/2026-11-26-two-nodes.md` emulates two. Exits with 1 unless almost all pages lie where they should.

#![cfg_attr(not(target_os = "linux"), allow(unused, reason = "only Linux is asked"))]

use mimalloc::MiMalloc;
use multiloop::arrow::array::RecordBatchReader;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Chunk, Table};
use multiloop_exec::workers::context::{Context, Memory};
use multiloop_exec::workers::pool::Pool;
use multiloop_exec::workers::schedule::{MORSEL_ROWS, morsels};
use multiloop_exec::workers::topology::Topology;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::{c_int, c_long, c_void};
use std::sync::Arc;
use tpchgen::generators::LineItemGenerator;
use tpchgen_arrow::LineItemArrow;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Bytes of the smallest page; a larger one gives the same answer for each of its parts.
const PAGE_BYTES: usize = 4096;

/// Pages at home, of a hundred: the kernel moves some where it thinks that to be better.
const AT_HOME_MIN: usize = 99;

/// So often workers go through the table.
const PASSES: usize = 8;

/// How much of something each node has, by its position.
type ByNode = BTreeMap<usize, usize>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scale = arguments.next().map_or(Ok(0.02), |scale| scale.parse())?;
    let threads = arguments.next().map_or(Ok(0), |threads| threads.parse())?;
    let topology = Topology::detect();
    let pool = Arc::new(Pool::new(threads)?);
    println!("processors by node: {:?}; {} threads on {} nodes", topology.nodes, pool.threads(), pool.nodes());
    let context = Context::new(Memory::new(usize::MAX)).with_pool(&pool);
    let table = load(scale, &context)?;
    let pieces = pieces(&table, &pool, &context)?;
    let (mut at_home, mut all, mut done_at_home) = (0, 0, 0);
    println!("chunk    rows  home  pages by node                pieces by node");
    for (number, chunk) in table.chunks.iter().enumerate() {
        let pages = pages(chunk, &topology)?;
        let home = chunk.home.ok_or("a chunk of a load has a home")?;
        println!("{number:5} {:7} {home:5}  {:28} {:?}", chunk.rows, format!("{pages:?}"), pieces[number]);
        at_home += pages.get(&home).unwrap_or(&0);
        all += pages.values().sum::<usize>();
        done_at_home += pieces[number].get(&home).unwrap_or(&0);
    }
    let taken: usize = pieces.iter().flat_map(BTreeMap::values).sum();
    println!("at home: {at_home} of {all} pages, {done_at_home} of {taken} pieces");
    print_maps(&table)?;
    if at_home * 100 < all * AT_HOME_MIN { Err("pages lie elsewhere".into()) } else { Ok(()) }
}

fn load(scale: f64, context: &Context) -> Result<Table, Box<dyn Error>> {
    let batches = LineItemArrow::new(LineItemGenerator::new(scale, 1, 1));
    let mut builder = TableBuilder::for_schema(&batches.schema(), Storage::Compact, context)?;
    for batch in batches {
        builder.push(batch?)?;
    }
    Ok(builder.finish()?)
}

/// For each chunk, which nodes' workers took its morsels in some passes over its bytes, as loops take them.
fn pieces(table: &Table, pool: &Pool, context: &Context) -> Result<Vec<ByNode>, Box<dyn Error>> {
    let mut taken = vec![ByNode::new(); table.chunks.len()];
    let morsels = morsels(table.chunks.iter().map(|chunk| chunk.rows), MORSEL_ROWS);
    let home = |number: usize| table.chunks[morsels[number].chunk].home;
    let work = |sum: &mut u64, number: usize| {
        let bytes = buffers(&table.chunks[morsels[number].chunk]);
        *sum += bytes.flatten().map(|&byte| u64::from(byte)).sum::<u64>();
        Ok(pool.node_here())
    };
    for _ in 0..PASSES {
        let (sums, nodes) = context.workers().run_near(morsels.len(), &home, || Ok(0), work, |sum| sum)?;
        std::hint::black_box(sums);
        morsels.iter().zip(nodes).for_each(|(morsel, node)| *taken[morsel.chunk].entry(node).or_default() += 1);
    }
    Ok(taken)
}

fn buffers(chunk: &Chunk) -> impl Iterator<Item = &[u8]> {
    chunk.columns.iter().flat_map(|column| column.data.buffers()).flatten()
}

/// On which nodes the kernel says that a chunk's pages are.
fn pages(chunk: &Chunk, topology: &Topology) -> Result<ByNode, Box<dyn Error>> {
    let pages = |bytes: &[u8]| {
        let start = bytes.as_ptr() as usize / PAGE_BYTES * PAGE_BYTES;
        (start..bytes.as_ptr() as usize + bytes.len()).step_by(PAGE_BYTES)
    };
    let mut addresses: Vec<usize> = buffers(chunk).flat_map(pages).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let mut by_node = ByNode::new();
    for node in nodes_of(&addresses)? {
        let position = topology.nodes.iter().position(|processors| kernel_node(processors[0]) == Some(node));
        *by_node.entry(position.ok_or("memory of a node without processors")?).or_default() += 1;
    }
    Ok(by_node)
}

/// The kernel's number of the node that a processor is on; 0 on a machine that has but one.
fn kernel_node(processor: usize) -> Option<usize> {
    let entries = std::fs::read_dir(format!("/sys/devices/system/cpu/cpu{processor}")).ok()?;
    let node = |name: std::ffi::OsString| name.to_str()?.strip_prefix("node")?.parse().ok();
    Some(entries.flatten().find_map(|entry| node(entry.file_name())).unwrap_or(0))
}

/// The kernel's number of the node that each page is on: move_pages(2), told to move none.
fn nodes_of(addresses: &[usize]) -> Result<Vec<usize>, Box<dyn Error>> {
    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    let move_pages: c_long = if cfg!(target_arch = "x86_64") { 279 } else { 239 };
    let mut nodes: Vec<c_int> = vec![-1; addresses.len()];
    let nowhere = std::ptr::null::<c_int>();
    // SAFETY: the call reads as many addresses as it is told there are, and writes as many nodes; nothing else is touched.
    let failed = unsafe {
        let addresses: *const c_void = addresses.as_ptr().cast();
        syscall(move_pages, 0 as c_int, nodes.len(), addresses, nowhere, nodes.as_mut_ptr(), 0 as c_int) != 0
    };
    if failed {
        return Err(std::io::Error::last_os_error().into());
    }
    nodes
        .into_iter()
        .map(|node| usize::try_from(node).map_err(|_| format!("a page is nowhere: {node}").into()))
        .collect()
}

/// What `/proc/self/numa_maps` says of each mapping that has chunks, beside how many KiB of which home these are.
fn print_maps(table: &Table) -> Result<(), Box<dyn Error>> {
    let Ok(maps) = std::fs::read_to_string("/proc/self/numa_maps") else {
        println!("this kernel knows of no nodes");
        return Ok(());
    };
    let start = |line: &str| usize::from_str_radix(line.split(' ').next().unwrap_or_default(), 16);
    let starts = maps.lines().map(start).collect::<Result<Vec<_>, _>>()?;
    let mut kept: BTreeMap<usize, ByNode> = BTreeMap::new();
    for chunk in &table.chunks {
        for bytes in buffers(chunk) {
            let map = starts.partition_point(|&start| start <= bytes.as_ptr() as usize) - 1;
            *kept.entry(map).or_default().entry(chunk.home.unwrap_or(0)).or_default() += bytes.len();
        }
    }
    for (map, line) in maps.lines().enumerate() {
        if let Some(bytes) = kept.get(&map) {
            let kib: ByNode = bytes.iter().map(|(&home, &bytes)| (home, bytes / 1024)).collect();
            println!("{line}: KiB of chunks by home {kib:?}");
        }
    }
    Ok(())
}
