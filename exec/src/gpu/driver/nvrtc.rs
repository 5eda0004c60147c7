//! NVRTC, the compiler of CUDA C, loaded when it is asked for: from a path, or as the system or the toolkit has it.
//!
//! The few functions that are used are bound here: a path can be given, and the result is code of the card (a cubin), which
//! loads in a fraction of the time that PTX takes. No device is needed to compile.

use crate::gpu::stop::{Done, decline};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

/// The compiler.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    library: Library,
}

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
                Ok(library) => return Ok(Nvrtc { library }),
                Err(error) => tried.push(error.to_string()),
            }
        }
        let tried = tried.first().cloned().unwrap_or_default();
        decline(format!("NVRTC's library cannot be loaded ({PATH} may have its path): {tried}"))
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
        unsafe { self.function::<Version>(b"nvrtcVersion\0")?(&mut major, &mut minor) };
        Ok((major, minor))
    }

    /// Code for cards of an architecture, as in `sm_90`.
    pub(crate) fn cubin(&self, source: &str, architecture: &str) -> Done<Vec<u8>> {
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
            let create = self.function::<Create>(b"nvrtcCreateProgram\0")?;
            let compile = self.function::<Compile>(b"nvrtcCompileProgram\0")?;
            let destroy = self.function::<Destroy>(b"nvrtcDestroyProgram\0")?;
            let get = |size: &[u8], get: &[u8], program: Program| -> Done<Vec<u8>> {
                let (size, get) = (self.function::<Size>(size)?, self.function::<Get>(get)?);
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

    /// A function of the library.
    ///
    /// # Safety
    /// It is of this type.
    unsafe fn function<T>(&self, name: &[u8]) -> Done<libloading::Symbol<'_, T>> {
        // SAFETY: the caller says so.
        match unsafe { self.library.get::<T>(name) } {
            Ok(function) => Ok(function),
            Err(error) => decline(format!("NVRTC lacks a function: {error}")),
        }
    }
}
