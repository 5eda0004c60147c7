//! Damaged files of every format: those of other writers (`data/files`), and some of our own, with bits turned, parts cut out,
//! lengths made huge and pieces of other files put in. Whatever a file says, a statement that reads it ends soon with rows or an
//! error, within the engine's memory, and nothing comes down.
//!
//! The suite tries some thousand. `MULTILOOP_MUTATE_MINUTES=30` goes on for so long from a seed that is shown;
//! `MULTILOOP_MUTATE_SEED=17` begins at another one.

use multiloop_tests::files::{MEMORY_BYTES, read, read_any, start};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the whole process may come to, which counts code, files and what decoders hold.
const PROCESS_KIB_MAX: u64 = 900 << 10;

/// Files that the suite tries.
const FILES: u64 = 5_000;

/// Files that one engine reads.
const FILES_EACH: u64 = 50;

/// Numbers that follow from a seed (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A position; often near the start or the end, where files say what is in them.
    fn position(&mut self, length: usize) -> usize {
        match self.next() % 4 {
            0 => self.below(length.min(64)),
            1 => length - 1 - self.below(length.min(600)),
            _ => self.below(length),
        }
    }
}

/// The files to begin with: name, bytes.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/files");
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with(".expected") && !name.ends_with(".py") {
                found.push((name, std::fs::read(&path).expect("it can be read")));
            }
        }
    }
    found.sort();
    let texts = [
        ("own.csv", "id,word,number,day\n1,\"a \"\"b\"\"\",1.5,2020-01-01\n2,,-3,\n3,\"x\ny\",1e5,1999-12-31\n"),
        ("own.tsv", "id\tword\n1\ta\n2\t\n"),
        (
            "own.json",
            "[{\"a\":1,\"b\":[1,2],\"c\":{\"d\":null}},\n{\"a\":1.5,\"b\":[],\"e\":\"\\u00e9\\ud83d\\ude00\"}]",
        ),
        ("own.ndjson", "{\"a\":1,\"b\":\"2020-01-01T10:00:00Z\"}\n{\"a\":18446744073709551616,\"b\":null}\n"),
    ];
    found.extend(texts.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())));
    found
}

/// Another file that is much like this one.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    for _ in 0..1 + numbers.below(3) {
        if bytes.is_empty() {
            return;
        }
        let at = numbers.position(bytes.len());
        let length = 1 + numbers.below(40).min(bytes.len() - at - 1);
        match numbers.below(9) {
            0 | 1 => bytes[at] ^= 1 << numbers.below(8),
            2 => bytes[at] = numbers.next() as u8,
            3 => bytes.truncate(at),
            4 => {
                let huge = [u64::MAX, 0x7fff_ffff, 0x8000_0000, 0x7fff_ffff_ffff_ffff, 0, 0xff_ffff_ff0f];
                let huge = huge[numbers.below(huge.len())].to_le_bytes();
                let width = [2, 4, 8][numbers.below(3)].min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&huge[..width]);
            }
            5 => drop(bytes.drain(at..at + length)),
            6 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            7 if !other.is_empty() => {
                let from = numbers.below(other.len());
                let piece = other[from..(from + length).min(other.len())].to_vec();
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece);
            }
            _ => bytes[at..at + length].fill([0, 0xff, b'"', b'9'][numbers.below(4)]),
        }
    }
}

/// The most memory that the process has had, in KiB; none where nobody tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// A folder that is gone afterwards, but for a file that was bad.
struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

#[test]
fn damaged_files_of_every_format() {
    let corpus = corpus();
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let minutes = variable("MULTILOOP_MUTATE_MINUTES");
    let end = minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let first = variable("MULTILOOP_MUTATE_SEED").unwrap_or_default();
    let place = Place(std::env::temp_dir().join(format!("multiloop-mutated-{}", std::process::id())));
    std::fs::create_dir_all(&place.0).expect("a folder can be made");
    // Decoders of libraries panic at what contradicts itself, which is caught: nobody has to read it.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut engine, mut reader) = start();
    let mut wrong = Vec::new();
    for seed in first.. {
        let ends = end.map_or(seed - first >= FILES, |end| Instant::now() > end);
        if ends || wrong.len() > 10 {
            break;
        }
        let mut numbers = Numbers(seed);
        let (name, bytes) = &corpus[seed as usize % corpus.len()];
        let ending = name.split_once('.').map_or("", |(_, ending)| ending);
        let like: Vec<&Vec<u8>> =
            corpus.iter().filter(|(name, _)| name.ends_with(ending)).map(|(_, bytes)| bytes).collect();
        let mut mutated = bytes.clone();
        mutate(&mut mutated, like[numbers.below(like.len())], &mut numbers);
        let path = place.0.join(format!("seed{seed}_{name}"));
        std::fs::write(&path, &mutated).expect("it can be written");
        if seed % FILES_EACH == FILES_EACH - 1 {
            (engine, reader) = start();
        }
        match read(&reader, &path) {
            Ok(()) => drop(std::fs::remove_file(&path)),
            Err(message) => wrong.push(format!("seed {seed}: {message}")),
        }
        assert!(engine.memory_used() <= MEMORY_BYTES, "seed {seed}");
        if let Some(peak) = peak_kib() {
            assert!(peak < PROCESS_KIB_MAX, "{peak} KiB after seed {seed}: {}", path.display());
        }
    }
    let _ = std::panic::take_hook();
    assert!(wrong.is_empty(), "files in {}:\n{}", place.0.display(), wrong.join("\n"));
}

#[test]
fn files_of_other_formats_than_their_names_say() {
    for (number, (_, bytes)) in corpus().into_iter().enumerate() {
        // As the fuzz target has them: the first byte is the format.
        for format in [number, number / 12] {
            read_any(&[&[format as u8], &bytes[..]].concat());
        }
    }
    read_any(&[]);
}
