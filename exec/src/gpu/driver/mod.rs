//! What runs kernels: memory, transfers, launches.
//!
//! A [`Driver`] is one device. `cuda` is a card behind CUDA's driver, whose libraries are loaded when it is opened; `emulated`
//! (tests alone) compiles the same sources for the processors. What is compiled is kept by its source (`cache`, `disk`), and made by
//! threads of its own (`compilers`) where nobody waits for it; memory is given back when the last owner of a [`Buffer`] is gone.
//! `copier` brings it to another device; `threads` run what several devices do at once.

pub(crate) mod cache;
mod compilers;
mod copier;
#[cfg(feature = "gpu")]
pub(crate) mod cuda;
#[cfg(any(test, feature = "gpu"))]
pub(crate) mod disk;
#[cfg(any(test, feature = "gpu-emulated"))]
pub(crate) mod emulated;
#[cfg(any(test, feature = "gpu"))]
pub(crate) mod nvrtc;
#[cfg(feature = "gpu")]
mod staging;
pub(crate) mod threads;

use super::stop::{Done, Stop, decline};
use crate::workers::context::Cancellation;
pub(crate) use cache::{Cache, Patience};
pub(crate) use copier::Copier;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// Bytes that are made at once for an upload.
const SLAB: usize = if cfg!(test) { 256 } else { 16 << 20 };

/// Bytes that are copied from one device to another before somebody looks whether the statement was cancelled.
const PIECE: usize = if cfg!(test) { 256 } else { 128 << 20 };

/// What makes bytes that are uploaded.
pub(crate) type Make<'m> = &'m mut dyn FnMut(usize, &mut [u8]) -> Done<()>;

/// A device.
pub(crate) trait Driver: Debug + Send + Sync {
    /// What it is called, for people.
    fn name(&self) -> String;

    /// What it has.
    fn limits(&self) -> Limits;

    /// Compiles the kernels of a source, which stand behind what all sources begin with. Several threads may do so at once.
    fn compile(&self, kernels: &str) -> Done<Arc<dyn Module>>;

    /// What was compiled of a source before, and is on disk.
    fn kept(&self, _kernels: &str) -> Option<Arc<dyn Module>> {
        None
    }

    /// Some bytes of memory; none are an address that nobody reads.
    fn alloc(&self, bytes: usize) -> Done<u64>;

    /// Gives memory back.
    fn free(&self, address: u64, bytes: usize);

    /// Makes bytes zero.
    fn zero(&self, address: u64, bytes: usize) -> Done<()>;

    /// Copies bytes to the device.
    fn upload(&self, address: u64, from: &[u8]) -> Done<()>;

    /// Copies bytes to the device that are made while those before are on their way: `make` gets the place of the first of some, which is
    /// a multiple of 64, and where they go.
    fn upload_made(&self, address: u64, bytes: usize, make: Make<'_>) -> Done<()> {
        let mut slab = vec![0; bytes.min(SLAB)];
        for at in (0..bytes).step_by(SLAB) {
            let some = &mut slab[..SLAB.min(bytes - at)];
            make(at, some)?;
            self.upload(address + at as u64, some)?;
        }
        Ok(())
    }

    /// Copies bytes from the device, when all that was launched before is done.
    fn download(&self, address: u64, to: &mut [u8]) -> Done<()>;

    /// Copies bytes of another device, when all is done that was launched there; they are here, and may go there, when it returns. By
    /// way of the host, unless there is a better one.
    fn copy_from(&self, address: u64, from: &dyn Driver, source: u64, bytes: usize) -> Done<()> {
        let mut slab = vec![0; bytes.min(SLAB)];
        for at in (0..bytes).step_by(SLAB) {
            let some = &mut slab[..SLAB.min(bytes - at)];
            from.download(source + at as u64, some)?;
            self.upload(address + at as u64, some)?;
        }
        Ok(())
    }

    /// For devices of the same kind, which know it again.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Begins to take the time of kernels, if it can.
    fn watch(&self) {}

    /// The kernels that were started since then, and how long each took; ends it.
    fn watched(&self) -> Vec<(String, Duration)> {
        Vec::new()
    }

    /// Starts a kernel, behind all that was started before.
    fn launch(&self, module: &dyn Module, kernel: &str, shape: Shape, arguments: &[Argument]) -> Done<()>;
}

/// Compiled kernels; only the driver that made it knows what it is.
pub(crate) trait Module: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
}

/// What a device has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Processors that run blocks.
    pub(crate) multiprocessors: u32,
    /// Threads that a block of a loop has.
    pub(crate) threads: u32,
    /// Bytes that the threads of a block may share.
    pub(crate) shared: usize,
}

/// How many threads run a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Bytes that the threads of a block share.
    pub(crate) shared: usize,
}

/// An argument of a kernel: a number of its parameter's type, or an address.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Bool(bool),
    U32(u32),
    U64(u64),
    I32(i32),
    I64(i64),
    I128(i128),
    F64(f64),
    /// Some memory, which is not given back before the kernel is launched.
    Memory(Arc<Buffer>),
}

/// Some of a device's memory.
#[derive(Debug)]
pub(crate) struct Buffer {
    driver: Arc<dyn Driver>,
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    /// What it is a part of, if it is one.
    whole: Option<Arc<Buffer>>,
}

impl Buffer {
    /// Memory of which nobody knows what is in it.
    pub(crate) fn new(driver: &Arc<dyn Driver>, bytes: usize) -> Done<Arc<Self>> {
        // Kernels read eight elements at once.
        let bytes = bytes.next_multiple_of(64).max(64);
        Ok(Arc::new(Buffer { driver: Arc::clone(driver), address: driver.alloc(bytes)?, bytes, whole: None }))
    }

    /// Some of its memory, from a multiple of 64 bytes on.
    pub(crate) fn part(self: &Arc<Self>, from: usize, bytes: usize) -> Arc<Self> {
        debug_assert!(from.is_multiple_of(64) && from + bytes <= self.bytes, "a part lies within the whole");
        let (driver, address) = (Arc::clone(&self.driver), self.address + from as u64);
        Arc::new(Buffer { driver, address, bytes, whole: Some(Arc::clone(self)) })
    }

    /// Memory of zeros.
    pub(crate) fn zeroed(driver: &Arc<dyn Driver>, bytes: usize) -> Done<Arc<Self>> {
        let buffer = Buffer::new(driver, bytes)?;
        driver.zero(buffer.address, buffer.bytes)?;
        Ok(buffer)
    }

    /// A copy of these bytes.
    pub(crate) fn of(driver: &Arc<dyn Driver>, bytes: &[u8]) -> Done<Arc<Self>> {
        let buffer = Buffer::new(driver, bytes.len())?;
        driver.upload(buffer.address, bytes)?;
        Ok(buffer)
    }

    /// The device that has it.
    pub(crate) fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The same bytes on another device, or once more.
    pub(crate) fn copied(&self, driver: &Arc<dyn Driver>) -> Done<Arc<Self>> {
        let copy = Buffer::new(driver, self.bytes)?;
        copy.take(0, self, self.bytes)?;
        Ok(copy)
    }

    /// Takes the first bytes of another buffer, so many, to a place.
    pub(crate) fn take(&self, at: usize, from: &Buffer, bytes: usize) -> Done<()> {
        if at + bytes > self.bytes || bytes > from.bytes {
            return decline("bug: more is copied than there is");
        }
        let statement = Cancellation::current();
        for done in (0..bytes).step_by(PIECE) {
            if let Some(statement) = &statement {
                statement.check().map_err(Stop::Failed)?;
            }
            let (to, source) = (self.address + (at + done) as u64, from.address + done as u64);
            self.driver.copy_from(to, &*from.driver, source, PIECE.min(bytes - done))?;
        }
        Ok(())
    }

    /// Takes bytes of the host to a place.
    pub(crate) fn take_bytes(&self, at: usize, from: &[u8]) -> Done<()> {
        if at + from.len() > self.bytes {
            return decline("bug: more is copied than there is");
        }
        if from.is_empty() { Ok(()) } else { self.driver.upload(self.address + at as u64, from) }
    }

    /// The first values, so many.
    pub(crate) fn values<T: Plain>(&self, count: usize) -> Done<Vec<T>> {
        let size = size_of::<T>();
        if count * size > self.bytes {
            return decline("bug: more is read from the device than there is");
        }
        let mut bytes = vec![0; count * size];
        self.driver.download(self.address, &mut bytes)?;
        Ok(bytes.chunks_exact(size).map(T::of_bytes).collect())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.whole.is_none() {
            self.driver.free(self.address, self.bytes);
        }
    }
}

/// Numbers as the device has them: their bytes, the lowest first.
pub(crate) trait Plain: Sized {
    fn of_bytes(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($of:ty),*) => {
        $(impl Plain for $of {
            fn of_bytes(bytes: &[u8]) -> Self {
                <$of>::from_le_bytes(bytes.try_into().expect("as many bytes as the number has"))
            }
        })*
    };
}

plain!(u8, u32, i32, u64, i64, i128, f64);

/// Numbers as bytes.
pub(crate) fn bytes_of<const N: usize, T: Copy>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let mut all = Vec::with_capacity(values.len() * N);
    values.iter().for_each(|&value| all.extend_from_slice(&bytes(value)));
    all
}

impl Argument {
    /// Its bytes, as a kernel's parameter has them.
    pub(crate) fn bits(&self) -> Vec<u8> {
        match self {
            Argument::Bool(of) => vec![(*of).into()],
            Argument::U32(of) => of.to_le_bytes().to_vec(),
            Argument::U64(of) => of.to_le_bytes().to_vec(),
            Argument::I32(of) => of.to_le_bytes().to_vec(),
            Argument::I64(of) => of.to_le_bytes().to_vec(),
            Argument::I128(of) => of.to_le_bytes().to_vec(),
            Argument::F64(of) => of.to_le_bytes().to_vec(),
            Argument::Memory(buffer) => buffer.address.to_le_bytes().to_vec(),
        }
    }
}

/// Memory for the arguments of a launch, each where its type may lie: 16 bytes apart.
pub(crate) fn packed(arguments: &[Argument]) -> Vec<u128> {
    let word = |argument: &Argument| {
        let mut word = [0; 16];
        let bits = argument.bits();
        word[..bits.len()].copy_from_slice(&bits);
        u128::from_le_bytes(word)
    };
    arguments.iter().map(word).collect()
}
