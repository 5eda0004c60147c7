//! Compiled code on disk, by source and architecture: a restart compiles nothing, and what one machine has compiled another can use.

use crate::gpu::code::print::of_device;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The environment's variable that has the folder.
pub(crate) const FOLDER: &str = "MULTILOOP_GPU_CACHE";

/// Where the code of some kernels is, or would be.
pub(crate) fn place(kernels: &str, architecture: &str) -> Option<PathBuf> {
    let hash = |seed: u64| {
        let mut hasher = FxHasher::default();
        (seed, of_device(kernels)).hash(&mut hasher);
        hasher.finish()
    };
    Some(folder()?.join(format!("{architecture}-{:016x}{:016x}.cubin", hash(1), hash(2))))
}

/// The folder.
pub(crate) fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(folder.into());
    }
    let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(home.join("multiloop").join("gpu"))
}

/// Keeps compiled code: whole or not at all. If it cannot be kept, it is made again.
pub(crate) fn keep(path: &Path, code: &[u8]) {
    let Some(folder) = path.parent() else { return };
    let own = path.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
    if std::fs::create_dir_all(folder).is_ok() && std::fs::write(&own, code).is_ok() {
        let _ = std::fs::rename(&own, path);
    }
}

/// What there is to say of the folder.
#[cfg(feature = "gpu")]
pub(crate) fn about() -> String {
    let Some(folder) = folder() else { return "nowhere: there is no home".to_owned() };
    let is_code = |file: &std::fs::DirEntry| file.path().extension().is_some_and(|of| of == "cubin");
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().filter(is_code);
    let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
    let (files, bytes) = sizes.fold((0, 0), |(files, bytes), size| (files + 1, bytes + size));
    format!("{files} sources, {} KiB, in {}", bytes / 1024, folder.display())
}
