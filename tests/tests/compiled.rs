//! Programs that the compiler takes or refuses, in `tests/compiled`: what it says of the likeliest mistakes with rows and queries.
//!
//! Each line `//~ text` of a program is something that the compiler's errors must say; a program without such lines must compile.
//! They are checked against the library that this suite was linked with, by the compiler itself and not a second build of everything.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Compilers at a time.
const AT_ONCE: usize = 4;

/// The folder of the libraries that were built with this program.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    program.parent().expect("it lies in a folder").to_owned()
}

/// The engine, as it was built last.
fn engine(folder: &Path) -> PathBuf {
    let built = fs::read_dir(folder).expect("the folder can be read").filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("libmultiloop-") && name.ends_with(".rlib")
    });
    let newest = built.max_by_key(|entry| entry.metadata().and_then(|found| found.modified()).ok());
    newest.expect("the engine was built").path()
}

/// What the compiler says; none if it takes the program.
fn refused(program: &Path, out: &Path) -> Option<String> {
    let libraries = libraries();
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let done = Command::new(compiler)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--color", "never", "--out-dir"])
        .arg(out)
        .arg("-L")
        .arg(format!("dependency={}", libraries.display()))
        .arg("--extern")
        .arg(format!("multiloop={}", engine(&libraries).display()))
        .arg(program)
        .output()
        .expect("the compiler runs");
    (!done.status.success()).then(|| String::from_utf8_lossy(&done.stderr).into_owned())
}

/// Why a program is not what it should be.
fn fault(program: &Path, out: &Path) -> Option<String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(program).expect("a program can be read");
    let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//~ ")).collect();
    match refused(program, out) {
        None if expected.is_empty() => None,
        None => Some(format!("{name} compiles")),
        Some(said) if expected.is_empty() => Some(format!("{name} does not compile:\n{said}")),
        Some(said) => {
            let lacking: Vec<&&str> = expected.iter().filter(|text| !said.contains(**text)).collect();
            (!lacking.is_empty()).then(|| format!("{name}: the compiler does not say {lacking:?}, but:\n{said}"))
        }
    }
}

#[test]
fn what_the_compiler_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("compiled");
    let mut programs: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder is there").filter_map(Result::ok).map(|entry| entry.path()).collect();
    programs.sort();
    assert!(programs.len() > 5, "there are programs");
    let out = std::env::temp_dir().join(format!("multiloop-compiled-{}", std::process::id()));
    fs::create_dir_all(&out).expect("a folder for what is compiled");
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            faults.extend(fault(program, &out));
        }
        faults
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    let _ = fs::remove_dir_all(&out);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
