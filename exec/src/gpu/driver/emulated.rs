//! The processors as a device: the sources of kernels, compiled by the system's C++ compiler through a shim (`shim.h`).
//!
//! It is slow, and for tests: what is right here, at one thread a block and at several, is right on a card, as long as nothing
//! depends on which thread is first. Its memory counts, so that tests can have a device that is full.

use super::{Argument, Driver, Limits, Module, Shape, packed};
use crate::gpu::code::helpers::{FUNCTIONS, TYPES};
use crate::gpu::stop::{Done, decline};
use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The shim, in front of every source.
const SHIM: &str = include_str!("shim.h");

/// What runs kernels.
const SCHEDULER: &str = include_str!("scheduler.cpp");

/// The device.
#[derive(Debug)]
pub(crate) struct Emulated {
    limits: Limits,
    /// Bytes in use, and how many there are.
    used: AtomicUsize,
    memory: usize,
    scheduler: OnceLock<Done<libloading::Library>>,
}

/// Compiled kernels.
#[derive(Debug)]
struct Library {
    library: libloading::Library,
}

impl Module for Library {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A thread of a kernel: its arguments, and what the scheduler knows of it.
type Entry = unsafe extern "C" fn(*const *const c_void, *mut c_void);

/// The scheduler: a kernel, its arguments, blocks, threads of each, bytes that these share.
type Schedule = unsafe extern "C" fn(Entry, *const *const c_void, u32, u32, u64);

impl Emulated {
    /// A device whose blocks have so many threads, and so many bytes of memory.
    pub(crate) fn new(threads: u32, memory: usize) -> Self {
        let limits = Limits { multiprocessors: 3, threads, shared: 1 << 14 };
        Emulated { limits, used: AtomicUsize::new(0), memory, scheduler: OnceLock::new() }
    }

    /// One with what a card has, but for the threads of a block: with as many as a card has the processors are far too slow for
    /// more than a few rows. The sources are a card's.
    #[cfg(test)]
    pub(crate) fn like_a_card(threads: u32) -> Self {
        let mut emulated = Emulated::new(threads, 1 << 31);
        emulated.limits = Limits { multiprocessors: 132, threads, shared: 227 << 10 };
        emulated
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl Emulated {
    /// Where a card's compiler is to be had it has to take every source, too; a card may use what it makes.
    #[cfg(test)]
    pub(crate) fn compile_for_a_card(&self, kernels: &str) -> Done<()> {
        use super::disk;
        use super::nvrtc::{Nvrtc, PATH};
        const ARCHITECTURE: &str = "sm_90";
        let Some(path) = std::env::var_os(PATH) else { return Ok(()) };
        let place = disk::place(kernels, ARCHITECTURE).filter(|_| std::env::var_os(disk::FOLDER).is_some());
        if place.as_ref().is_some_and(|place| place.exists()) {
            return Ok(());
        }
        let source = crate::gpu::code::print::of_device(kernels);
        let code = Nvrtc::load(Some(path.as_ref()))?.cubin(&source, ARCHITECTURE)?;
        if let Some(place) = place {
            disk::keep(&place, &code);
        }
        Ok(())
    }

    #[cfg(not(test))]
    fn compile_for_a_card(&self, _: &str) -> Done<()> {
        Ok(())
    }
}

/// Memory as the device gives it.
fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes.max(16), 256).expect("a device's memory is no larger than the host's")
}

impl Driver for Emulated {
    fn name(&self) -> String {
        format!("emulated, {} threads a block", self.limits.threads)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        self.compile_for_a_card(kernels)?;
        let source = format!("{TYPES}{SHIM}{FUNCTIONS}\n{kernels}\n{}", entries(kernels));
        Ok(Arc::new(Library { library: library(&source, ALONE)? }))
    }

    fn alloc(&self, bytes: usize) -> Done<u64> {
        if self.used.fetch_add(bytes, Ordering::Relaxed) + bytes > self.memory {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return decline("the device has no memory left");
        }
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc(layout(bytes)) };
        if memory.is_null() {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return decline("the device has no memory left");
        }
        // What nobody has written shows.
        // SAFETY: so many bytes have just been allocated.
        unsafe { std::ptr::write_bytes(memory, 0xa5, bytes) };
        Ok(memory as u64)
    }

    fn free(&self, address: u64, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        // SAFETY: `alloc` gave the address for so many bytes.
        unsafe { dealloc(address as *mut u8, layout(bytes)) };
    }

    fn zero(&self, address: u64, bytes: usize) -> Done<()> {
        // SAFETY: callers have so many bytes there.
        unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes) };
        Ok(())
    }

    fn upload(&self, address: u64, from: &[u8]) -> Done<()> {
        // SAFETY: callers have so many bytes there.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), address as *mut u8, from.len()) };
        Ok(())
    }

    fn download(&self, address: u64, to: &mut [u8]) -> Done<()> {
        // SAFETY: callers have so many bytes there.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()> {
        let Some(library) = module.as_any().downcast_ref::<Library>() else {
            return decline("bug: kernels of another device");
        };
        let scheduler = self.scheduler.get_or_init(|| self::library(SCHEDULER, &[])).as_ref().map_err(Clone::clone)?;
        // SAFETY: the source of every kernel ends with an entry of this type, and the scheduler's has a function of that one.
        let (entry, schedule) = unsafe {
            let entry = library.library.get::<Entry>(format!("run_{kernel}").as_bytes());
            (entry, scheduler.get::<Schedule>(b"emulated_run"))
        };
        let (Ok(entry), Ok(schedule)) = (entry, schedule) else {
            return decline(format!("bug: there is no kernel {kernel}"));
        };
        let words = packed(arguments);
        let pointers: Vec<*const c_void> = words.iter().map(|word| std::ptr::from_ref(word).cast()).collect();
        // SAFETY: the arguments are of the kernel's parameters, of which the emitter made both, and their memory is there.
        unsafe { schedule(*entry, pointers.as_ptr(), shape.blocks, shape.threads, shape.shared as u64) };
        Ok(())
    }
}

/// The parameters of each kernel of a source, by the types of C.
fn entries(kernels: &str) -> String {
    let mut text = String::new();
    for kernel in kernels.split("KERNEL ").skip(1) {
        let Some((name, rest)) = kernel.split_once('(') else { continue };
        let Some((parameters, _)) = rest.split_once(')') else { continue };
        let types = parameters.split(',').map(str::trim).filter(|parameter| !parameter.is_empty());
        let of = |(at, parameter): (usize, &str)| {
            let (data_type, _) = parameter.rsplit_once(' ').expect("a parameter has a type and a name");
            format!("*({data_type}*)arguments[{at}]")
        };
        let passed = types.enumerate().map(of).collect::<Vec<_>>().join(", ");
        writeln!(
            text,
            "extern \"C\" void run_{name}(void** arguments, Emulated* thread) {{ emulated = thread; {name}({passed}); }}"
        )
        .expect("a string takes all that is written to it");
    }
    text
}

/// What kernels are linked with: nothing but functions of the compiler's own, which takes half the time that all of C++ takes.
const ALONE: &[&str] = if cfg!(target_os = "linux") { &["-nostdlib", "-lgcc"] } else { &[] };

/// The library of a source.
fn library(source: &str, linked: &[&str]) -> Done<libloading::Library> {
    let path = match compiled(source, linked) {
        Ok(path) => path,
        Err(error) => return decline(format!("the source does not compile: {error}")),
    };
    // SAFETY: the library is what has just been compiled, and runs nothing when it is loaded.
    match unsafe { libloading::Library::new(&path) } {
        Ok(library) => Ok(library),
        Err(error) => decline(format!("the compiled source cannot be loaded: {error}")),
    }
}

/// The library of a source, which may have been made before.
fn compiled(source: &str, linked: &[&str]) -> std::result::Result<PathBuf, String> {
    let mut hasher = rustc_hash::FxHasher::default();
    source.hash(&mut hasher);
    let folder = std::env::temp_dir().join("multiloop-emulated");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let name = format!("{:016x}-{}", hasher.finish(), source.len());
    let library = folder.join(format!("{name}.so"));
    if library.exists() {
        return Ok(library);
    }
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let own = format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let (text, made) = (folder.join(format!("{own}.cpp")), folder.join(format!("{own}.so")));
    std::fs::write(&text, source).map_err(|error| error.to_string())?;
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let output = Command::new(compiler)
        .args(["-std=c++17", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-shared", "-fPIC", "-o"])
        .arg(&made)
        .arg(&text)
        .args(linked)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}\n{source}", String::from_utf8_lossy(&output.stderr)));
    }
    let _ = std::fs::remove_file(&text);
    std::fs::rename(&made, &library).map_err(|error| error.to_string())?;
    Ok(library)
}
