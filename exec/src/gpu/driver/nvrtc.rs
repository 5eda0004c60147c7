//! NVRTC, the compiler of CUDA C, loaded when it is asked for: from a path, or as the system or the toolkit has it.
//!
//! The few functions that are used are bound here: a path can be given, and the result is code of the card (a cubin), which
//! loads in a fraction of the time that PTX takes. No device is needed to compile.
//!
//! The library may be called by several threads, and lets one of them work at a time. So there are several of it, where they are
//! wanted (Linux): a copy of the file is another library to the system, with a lock of its own.

use crate::gpu::stop::{Done, decline};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The compiler.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    first: Instance,
    /// Others of the same file, made when all in front of them are at work.
    others: Vec<Instance>,
}

/// A library that one thread uses at a time; none if it cannot be loaded.
#[derive(Debug, Default)]
struct Instance {
    busy: Mutex<()>,
    library: OnceLock<Option<Library>>,
}

/// Libraries, at most: a hundred megabytes each.
const INSTANCES_MAX: usize = 4;

/// A program of NVRTC.
type Program = *mut c_void;

/// Where libraries are that are not said.
const NAMES: [&str; 6] = [
    "libnvrtc.so",
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so.13",
    "/usr/local/cuda/lib64/libnvrtc.so.12",
];

/// The environment's variable that has the path of the library.
pub(crate) const PATH: &str = "MULTILOOP_NVRTC";

/// Options of every source: floats as IEEE has them, numbers of 128 bits.
const OPTIONS: [&str; 4] = ["--fmad=false", "--device-int128", "--std=c++17", "--disable-warnings"];

/// An option that leaves out what no source uses (textures, the runtime's types), to read which takes a tenth of the time; and the version
/// that has it.
const MINIMAL: (&str, (i32, i32)) = ("--minimal", (12, 4));

impl Nvrtc {
    /// Loads it, from a path if there is one.
    pub(crate) fn load(path: Option<&Path>) -> Done<Self> {
        let mut tried = Vec::new();
        let names = path.map_or_else(|| NAMES.iter().map(Path::new).collect(), |path| vec![path]);
        for name in names {
            // SAFETY: what NVRTC does when it is loaded is up to it; there is no other way to have it.
            match unsafe { Library::new(name) } {
                Ok(library) => return Ok(Nvrtc::of(library)),
                Err(error) => tried.push(error.to_string()),
            }
        }
        let tried = tried.first().cloned().unwrap_or_default();
        decline(format!("NVRTC's library cannot be loaded ({PATH} may have its path): {tried}"))
    }

    fn of(library: Library) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let others = processors.div_ceil(2).min(INSTANCES_MAX) - 1;
        let first = Instance { busy: Mutex::default(), library: OnceLock::from(Some(library)) };
        Nvrtc { first, others: (0..others).map(|_| Instance::default()).collect() }
    }

    /// The same, with so many others.
    #[cfg(test)]
    pub(crate) fn with_others(mut self, others: usize) -> Self {
        self.others = (0..others).map(|_| Instance::default()).collect();
        self
    }

    fn library(&self) -> &Library {
        self.first.library.get().and_then(Option::as_ref).expect("the first one was loaded")
    }

    /// Loads it from where the environment says, if it does.
    #[cfg(feature = "gpu")]
    pub(crate) fn of_environment() -> Done<Self> {
        Nvrtc::load(std::env::var_os(PATH).map(std::path::PathBuf::from).as_deref())
    }

    /// Its version.
    pub(crate) fn version(&self) -> Done<(i32, i32)> {
        type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the function has the type that NVRTC's documentation gives, and writes two numbers.
        unsafe { function::<Version>(self.library(), b"nvrtcVersion\0")?(&mut major, &mut minor) };
        Ok((major, minor))
    }

    /// Code for cards of an architecture, as in `sm_90`.
    pub(crate) fn cubin(&self, source: &str, architecture: &str) -> Done<Vec<u8>> {
        let of = |library: &Library| self.compiled(library, source, architecture);
        if let Ok(_busy) = self.first.busy.try_lock() {
            return of(self.library());
        }
        for other in &self.others {
            if let Ok(_busy) = other.busy.try_lock()
                && let Some(library) = other.library.get_or_init(another)
                && let Ok(code) = of(library)
            {
                return Ok(code);
            }
        }
        // A copy that fails may lack what lies beside the file.
        let _busy = self.first.busy.lock().unwrap_or_else(PoisonError::into_inner);
        of(self.library())
    }

    fn compiled(&self, library: &Library, source: &str, architecture: &str) -> Done<Vec<u8>> {
        type Create = unsafe extern "C" fn(
            *mut Program,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
        type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
        type Get = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
        type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
        let Ok(text) = CString::new(source) else { return decline("bug: a source with a NUL") };
        let options: Vec<CString> = OPTIONS
            .iter()
            .map(|&option| option.to_owned())
            .chain(self.version().is_ok_and(|version| version >= MINIMAL.1).then(|| MINIMAL.0.to_owned()))
            .chain([format!("--gpu-architecture={architecture}")])
            .map(|option| CString::new(option).expect("options have no NUL"))
            .collect();
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the functions have the types that NVRTC's documentation gives; every pointer is to memory of this function, with as
        // many bytes as NVRTC said that it writes; the program is destroyed once, at the end.
        unsafe {
            let create = function::<Create>(library, b"nvrtcCreateProgram\0")?;
            let compile = function::<Compile>(library, b"nvrtcCompileProgram\0")?;
            let destroy = function::<Destroy>(library, b"nvrtcDestroyProgram\0")?;
            let get = |size: &[u8], get: &[u8], program: Program| -> Done<Vec<u8>> {
                let (size, get) = (function::<Size>(library, size)?, function::<Get>(library, get)?);
                let mut bytes = 0;
                if size(program, &mut bytes) != 0 {
                    return decline("NVRTC does not say how much it made");
                }
                let mut made = vec![0u8; bytes];
                if get(program, made.as_mut_ptr().cast()) != 0 {
                    return decline("NVRTC does not hand over what it made");
                }
                Ok(made)
            };
            let mut program: Program = std::ptr::null_mut();
            if create(&mut program, text.as_ptr(), c"loop.cu".as_ptr(), 0, std::ptr::null(), std::ptr::null()) != 0 {
                return decline("NVRTC takes no source");
            }
            let failed = compile(program, options.len() as c_int, options.as_ptr());
            let made = if failed == 0 {
                get(b"nvrtcGetCUBINSize\0", b"nvrtcGetCUBIN\0", program)
            } else {
                get(b"nvrtcGetProgramLogSize\0", b"nvrtcGetProgramLog\0", program).and_then(|log| {
                    let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
                    decline(format!("NVRTC does not compile the source ({failed}): {log}"))
                })
            };
            destroy(&mut program);
            made
        }
    }
}

/// A function of the library.
///
/// # Safety
/// It is of this type.
unsafe fn function<'l, T>(library: &'l Library, name: &[u8]) -> Done<libloading::Symbol<'l, T>> {
    // SAFETY: the caller says so.
    match unsafe { library.get::<T>(name) } {
        Ok(function) => Ok(function),
        Err(error) => decline(format!("NVRTC lacks a function: {error}")),
    }
}

/// Another library of the file that has been loaded, by a copy that nobody else sees, and that goes with the process.
#[cfg(target_os = "linux")]
fn another() -> Option<Library> {
    use std::os::unix::fs::OpenOptionsExt;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_it = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with("libnvrtc.") && path.starts_with('/')
    };
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let loaded = maps.lines().filter_map(|line| line.split_ascii_whitespace().nth(5)).find(is_it)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let copy = std::env::temp_dir().join(format!("multiloop-nvrtc-{}-{number}.so", std::process::id()));
    // What is there already is not ours.
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(&copy).ok()?;
    let copied = std::fs::File::open(loaded).and_then(|mut from| std::io::copy(&mut from, &mut file));
    drop(file);
    // SAFETY: as of the file that it is a copy of.
    let library = copied.ok().and_then(|_| unsafe { Library::new(&copy) }.ok());
    let _ = std::fs::remove_file(&copy);
    library
}

#[cfg(not(target_os = "linux"))]
fn another() -> Option<Library> {
    None
}
