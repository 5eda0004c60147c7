//! A card behind CUDA's driver.
//!
//! The driver's library is loaded when a card is asked for, so that one program runs where there is none. Everything is put into
//! one stream, in which it is done in order; memory comes from the card's own pool, which keeps what is given back. Compiled code
//! is kept in a folder, by source and architecture.

use super::nvrtc::Nvrtc;
use super::staging::{SLAB, Staging};
use super::{Argument, Driver, Limits, Make, Module, Shape, disk, packed};
use crate::gpu::code::print::of_device;
use crate::gpu::stop::{Done, Stop, decline};
use cudarc::driver::result::{self, DriverError, stream::StreamKind};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// Threads of a block.
const THREADS: u32 = 512;

/// Threads of a warp.
const WARP: u32 = 32;

/// Bytes that a block may share without asking for more.
const SHARED_PLAIN: usize = 48 << 10;

/// A card.
#[derive(Debug)]
pub(crate) struct Cuda {
    name: String,
    /// As in `sm_90`.
    architecture: String,
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    limits: Limits,
    /// Loaded when something has to be compiled.
    nvrtc: OnceLock<Done<Nvrtc>>,
    staging: Mutex<Staging>,
    /// Kernels of which the time is taken, if it is.
    watched: Mutex<Option<Vec<Watched>>>,
}

/// A kernel, and what was recorded in front of it and behind it.
#[derive(Debug)]
struct Watched {
    kernel: String,
    events: [sys::CUevent; 2],
}

// SAFETY: CUDA's contexts and streams may be used by any thread, one after the other or at once.
unsafe impl Send for Cuda {}
// SAFETY: as above.
unsafe impl Sync for Cuda {}

/// Code that is being compiled: cards of one architecture that want it at once wait for the first of them. Those that come later find it
/// on disk.
#[derive(Default)]
struct Compiling(OnceLock<Done<Vec<u8>>>);

impl Compiling {
    fn of(kernels: &str, architecture: &str) -> Arc<Self> {
        /// By source and architecture.
        static ALL: Mutex<Vec<(String, String, Weak<Compiling>)>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(.., made)| made.strong_count() > 0);
        let is_it = |(source, of, _): &&(String, String, Weak<Compiling>)| source == kernels && of == architecture;
        if let Some(made) = all.iter().find(is_it).and_then(|(.., made)| made.upgrade()) {
            return made;
        }
        let made = Arc::new(Compiling::default());
        all.push((kernels.to_owned(), architecture.to_owned(), Arc::downgrade(&made)));
        made
    }
}

/// Kernels on a card.
#[derive(Debug)]
struct Loaded {
    module: sys::CUmodule,
    /// Kernels that were started, and how many bytes a block of them may share.
    functions: Mutex<FxHashMap<String, (Function, usize)>>,
}

/// A kernel of a module.
#[derive(Clone, Copy, Debug)]
struct Function(sys::CUfunction);

// SAFETY: CUDA's functions may be used by any thread.
unsafe impl Send for Function {}

// SAFETY: CUDA's modules may be used by any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Module for Loaded {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Loaded {
    /// A kernel whose blocks share so many bytes.
    ///
    /// # Safety
    /// The card's context has been entered.
    unsafe fn function(&self, kernel: &str, shared: usize) -> Done<Function> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = functions.get(kernel).copied();
        if let Some((function, may_share)) = known
            && shared <= may_share
        {
            return Ok(function);
        }
        let name = CString::new(kernel).expect("kernels' names have no NUL");
        // SAFETY: the module is loaded, and the function is one of it.
        unsafe {
            let function = checked("there is no such kernel", result::module::get_function(self.module, name))?;
            if shared > SHARED_PLAIN {
                let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                let set = result::function::set_function_attribute(function, most, shared as i32);
                checked("a block gets no more memory", set)?;
            }
            functions.insert(kernel.to_owned(), (Function(function), shared.max(SHARED_PLAIN)));
            Ok(Function(function))
        }
    }
}

/// What CUDA did, or that the processors take over.
pub(super) fn checked<T>(what: &'static str, of: Result<T, DriverError>) -> Done<T> {
    of.map_err(|error| match error.0 {
        sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Stop::Declined("the card has no memory left".into()),
        _ => Stop::Declined(format!("{what}: {error:?}").into()),
    })
}

/// Whether CUDA's driver is there.
pub(crate) fn is_there() -> bool {
    // SAFETY: looks for the library, which says whether it is there.
    unsafe { sys::is_culib_present() }
}

/// Starts CUDA, if its driver is there.
fn start() -> Done<()> {
    if is_there() { checked("CUDA does not start", result::init()) } else { decline("CUDA's driver is not there") }
}

/// How many cards there are.
fn count() -> Done<i32> {
    start()?;
    checked("cards cannot be counted", result::device::get_count())
}

/// What each card is called.
pub(crate) fn names() -> Done<Vec<String>> {
    let name = |number: i32| {
        let device = checked("there is no such card", result::device::get(number))?;
        checked("the card has no name", result::device::get_name(device))
    };
    (0..count()?).map(name).collect()
}

/// What there is to say of each card.
pub(crate) fn about() -> Done<Vec<String>> {
    let count = count()?;
    let about = |number: i32| {
        let card = Cuda::open(number as u32)?;
        let (free, all) = checked("the card's memory", result::mem_get_info())?;
        let gibibytes = |bytes: usize| bytes as f64 / f64::from(1 << 30);
        let Limits { multiprocessors, shared, .. } = card.limits;
        Ok(format!(
            "{}, {}, {:.1} GiB of memory of which {:.1} are free, {multiprocessors} multiprocessors with {} KiB each",
            card.name,
            card.architecture,
            gibibytes(all),
            gibibytes(free),
            shared >> 10,
        ))
    };
    (0..count).map(about).collect()
}

impl Cuda {
    /// The card of a number.
    pub(crate) fn open(number: u32) -> Done<Self> {
        start()?;
        let device = checked("there is no such card", result::device::get(number as i32))?;
        let name = checked("the card has no name", result::device::get_name(device))?;
        // SAFETY: the device is one that CUDA gave, as everywhere below; the context and the stream are made of it.
        unsafe {
            let attribute = |of| checked("what the card has", result::device::get_attribute(device, of));
            let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
            let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
            let limits = Limits {
                multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
                threads: THREADS,
                shared: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as usize,
            };
            let context = checked("the card gives no context", result::primary_ctx::retain(device))?;
            checked("the context cannot be used", result::ctx::set_current(context))?;
            let stream = checked("the card gives no stream", result::stream::create(StreamKind::NonBlocking))?;
            let pool = checked("the card has no pool", result::device::get_default_mem_pool(device))?;
            let mut keep = u64::MAX;
            let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            checked(
                "the pool keeps nothing",
                sys::cuMemPoolSetAttribute(pool, threshold, std::ptr::from_mut(&mut keep).cast()).result(),
            )?;
            let architecture = format!("sm_{major}{minor}");
            let staging = Mutex::new(Staging::new()?);
            Ok(Cuda {
                name,
                architecture,
                device,
                context,
                stream,
                limits,
                nvrtc: OnceLock::new(),
                staging,
                watched: Mutex::default(),
            })
        }
    }

    /// All cards that are like the first one; such of them as can reach each other's memory do.
    pub(crate) fn open_all() -> Done<Vec<Self>> {
        let mut cards = vec![Cuda::open(0)?];
        let names = names()?;
        for number in (1..count()?).filter(|&number| names.get(number as usize) == names.first()) {
            // Who cannot have one does with the others.
            let alike = |card: &Cuda| card.name == cards[0].name && card.architecture == cards[0].architecture;
            cards.extend(Cuda::open(number as u32).ok().filter(alike));
        }
        for from in &cards {
            cards.iter().filter(|to| to.device != from.device).for_each(|to| from.let_in(to));
        }
        Ok(cards)
    }

    /// Lets another card reach this one's memory, if it can: else what is copied goes by way of the host.
    fn let_in(&self, other: &Cuda) {
        let location =
            sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: other.device };
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = sys::CUmemAccessDesc { location, flags };
        let mut can = 0;
        // SAFETY: both devices are there, and so is the first one's pool.
        unsafe {
            let asked = sys::cuDeviceCanAccessPeer(&raw mut can, other.device, self.device);
            if let (Ok(()), Ok(pool), 1..) = (asked.result(), result::device::get_default_mem_pool(self.device), can) {
                let _ = sys::cuMemPoolSetAccess(pool, &raw const access, 1);
            }
        }
    }

    /// Has this thread's calls mean this card.
    fn enter(&self) -> Done<()> {
        // SAFETY: the context is there as long as the program.
        checked("the context cannot be used", unsafe { result::ctx::set_current(self.context) })
    }

    fn wait(&self) -> Done<()> {
        // SAFETY: the stream is there as long as the card.
        checked("a kernel failed", unsafe { result::stream::synchronize(self.stream) })
    }

    /// An event at this place of the stream, if somebody watches.
    fn record(&self) -> Option<sys::CUevent> {
        if self.watched.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return None;
        }
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).ok()?;
        // SAFETY: the event has just been made, and the stream is the card's.
        unsafe { result::event::record(event, self.stream) }.ok()?;
        Some(event)
    }

    /// Keeps the event in front of a kernel that has been started, and one behind it.
    fn keep(&self, kernel: &str, begun: Option<sys::CUevent>) {
        let Some((begun, ended)) = begun.and_then(|begun| Some((begun, self.record()?))) else { return };
        if let Some(watched) = &mut *self.watched.lock().unwrap_or_else(PoisonError::into_inner) {
            watched.push(Watched { kernel: kernel.to_owned(), events: [begun, ended] });
        }
    }

    /// Where a source's code is on disk.
    fn place(&self, kernels: &str) -> Option<PathBuf> {
        disk::place(kernels, &self.architecture)
    }

    fn load(&self, code: &[u8]) -> Done<Arc<dyn Module>> {
        self.enter()?;
        // SAFETY: the code is what NVRTC made for this card; a damaged file is refused by the driver.
        let module = checked("the compiled code cannot be loaded", unsafe {
            result::module::load_data(code.as_ptr().cast::<c_void>())
        })?;
        Ok(Arc::new(Loaded { module, functions: Mutex::default() }))
    }
}

impl Driver for Cuda {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>> {
        let made = Compiling::of(kernels, &self.architecture);
        let make = || {
            let nvrtc = self.nvrtc.get_or_init(Nvrtc::of_environment);
            let code = nvrtc.as_ref().map_err(Clone::clone)?.cubin(&of_device(kernels), &self.architecture)?;
            if let Some(path) = self.place(kernels) {
                disk::keep(&path, &code);
            }
            Ok(code)
        };
        self.load(made.0.get_or_init(make).as_ref().map_err(Clone::clone)?)
    }

    fn kept(&self, kernels: &str) -> Option<Arc<dyn Module>> {
        // What is damaged is compiled again.
        self.load(&std::fs::read(self.place(kernels)?).ok()?).ok()
    }

    fn alloc(&self, bytes: usize) -> Done<u64> {
        self.enter()?;
        // SAFETY: the stream is the card's.
        checked("the card gives no memory", unsafe { result::malloc_async(self.stream, bytes) })
    }

    fn free(&self, address: u64, _bytes: usize) {
        if self.enter().is_ok() {
            // SAFETY: `alloc` gave the address, and what uses it was started in this stream before.
            let _ = unsafe { result::free_async(address, self.stream) };
        }
    }

    fn zero(&self, address: u64, bytes: usize) -> Done<()> {
        self.enter()?;
        // SAFETY: callers have so many bytes there.
        checked("memory cannot be cleared", unsafe { result::memset_d8_async(address, 0, bytes, self.stream) })
    }

    fn upload(&self, address: u64, from: &[u8]) -> Done<()> {
        self.enter()?;
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).send(address, from, self.stream)
    }

    fn upload_made(&self, address: u64, bytes: usize, make: Make<'_>) -> Done<()> {
        for at in (0..bytes).step_by(SLAB) {
            self.enter()?;
            // Others may have their turn in between.
            let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
            let size = SLAB.min(bytes - at);
            staging.send_made(address + at as u64, size, &mut |to| make(at, to), self.stream)?;
        }
        Ok(())
    }

    fn download(&self, address: u64, to: &mut [u8]) -> Done<()> {
        self.enter()?;
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).receive(address, to, self.stream)
    }

    fn copy_from(&self, address: u64, from: &dyn Driver, source: u64, bytes: usize) -> Done<()> {
        let Some(from) = from.as_any().and_then(|from| from.downcast_ref::<Cuda>()) else {
            return decline("bug: memory of another device");
        };
        from.enter()?;
        from.wait()?;
        self.enter()?;
        // SAFETY: callers have so many bytes at both places, and what made them has ended.
        let copied = unsafe {
            match from.context == self.context {
                true => result::memcpy_dtod_async(address, source, bytes, self.stream),
                false => {
                    sys::cuMemcpyPeerAsync(address, self.context, source, from.context, bytes, self.stream).result()
                }
            }
        };
        checked("a card gives another one no bytes", copied)?;
        // They may go there now.
        self.wait()
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn watch(&self) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    fn watched(&self) -> Vec<(String, Duration)> {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.enter().is_err() || self.wait().is_err() {
            return Vec::new();
        }
        let time = |Watched { kernel, events }: Watched| {
            // SAFETY: both were made and recorded in this stream, which has come to its end, and nobody else has them.
            let time = unsafe {
                let time = result::event::elapsed(events[0], events[1]);
                events.map(|event| result::event::destroy(event)).into_iter().for_each(drop);
                time
            };
            (kernel, Duration::from_secs_f64(f64::from(time.unwrap_or_default()) / 1e3))
        };
        watched.into_iter().flatten().map(time).collect()
    }

    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()> {
        let Some(loaded) = module.as_any().downcast_ref::<Loaded>() else {
            return decline("bug: kernels of another device");
        };
        self.enter()?;
        let mut words = packed(arguments);
        let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        // SAFETY: the module is loaded; the arguments are of the kernel's parameters, of which the emitter made both; their memory is
        // given back in this stream, behind the kernel.
        unsafe {
            let Function(function) = loaded.function(kernel, shape.shared)?;
            // Of what keeps much in registers fewer threads fit a block; kernels are right with any number of them.
            let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
            let most = result::function::get_function_attribute(function, most).unwrap_or(0) as u32 / WARP * WARP;
            let threads = if most == 0 { shape.threads } else { shape.threads.min(most) };
            let (blocks, threads) = ((shape.blocks, 1, 1), (threads, 1, 1));
            let shared = shape.shared as u32;
            let begun = self.record();
            let launched = result::launch_kernel(function, blocks, threads, shared, self.stream, &mut pointers);
            self.keep(kernel, begun);
            checked("a kernel does not start", launched)
        }
    }
}
