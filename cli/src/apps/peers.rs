//! scikit-learn and NumPy beside an application: `multiloop apps --compare`.
//!
//! A peer gets the arrays of the input as `.npy` in a scratch folder, is a Python process of its own (`tpch/peers/apps.py`), with as
//! many threads as the engine, and says how long it took and what it ended with.

use super::Options;
use super::report::Report;
use crate::tpch::{peers_python, remove_when_interrupted};
use anyhow::{Context as _, Result, bail};
use multiloop::arrow::buffer::ScalarBuffer;
use multiloop_tpch::compare::Scratch;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What says how many threads there are to the libraries that NumPy and scikit-learn may be built with.
const THREADS: [&str; 4] = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"];

/// A Python that has the modules of some applications.
pub(super) struct Peers {
    python: PathBuf,
    scratch: Scratch,
}

/// An array of the input: numbers, row by row.
pub(super) struct Array<'a> {
    /// The name of its file.
    name: &'static str,
    /// As NumPy calls the type.
    of: &'static str,
    bytes: &'a [u8],
    /// Rows, and numbers of each if it has two dimensions.
    shape: (usize, Option<usize>),
}

/// What a peer says.
#[derive(Deserialize)]
struct Answer {
    version: String,
    ms: f64,
    result: Vec<f64>,
}

impl Peers {
    /// Those of a Python, which has to have the modules of some applications.
    pub(super) fn new(python: Option<PathBuf>, apps: &[&str]) -> Result<Self> {
        let peers = Peers { python: peers_python(python)?, scratch: Scratch::new()? };
        remove_when_interrupted(peers.scratch.path())?;
        let output = peers.run(Command::new(&peers.python).arg(peers.scratch.apps()))?;
        let lacking: BTreeMap<String, Vec<String>> =
            serde_json::from_str(&output).with_context(|| format!("reading what {} has", peers.python.display()))?;
        let mut modules: Vec<&str> =
            apps.iter().filter_map(|app| lacking.get(*app)).flatten().map(String::as_str).collect();
        modules.sort_unstable();
        modules.dedup();
        if !modules.is_empty() {
            let (python, verb) = (peers.python.display(), if modules.len() == 1 { "is" } else { "are" });
            let (listed, modules) = (modules.join(" and "), modules.join(" "));
            bail!("{listed} {verb} not installed in {python}; install with\n  {python} -m pip install {modules}");
        }
        Ok(peers)
    }

    /// Runs a peer on arrays and numbers that are its input, and adds what it took to the report. `difference` says how far what it
    /// ended with is from what is expected.
    pub(super) fn add_to(
        &self,
        report: &mut Report,
        options: &Options,
        (app, name): (&str, &'static str),
        arrays: &[Array<'_>],
        numbers: &[(&str, f64)],
        difference: impl FnOnce(&[f64]) -> f64,
    ) -> Result<()> {
        options.bar.set_message(format!("writing the input for {name}"));
        let folder = self.scratch.path().join(app);
        std::fs::create_dir_all(&folder).with_context(|| format!("making the folder {}", folder.display()))?;
        for array in arrays {
            array.write(&folder)?;
        }
        options.bar.set_message(name);
        let mut all: Map<String, Value> =
            numbers.iter().map(|(name, number)| ((*name).to_owned(), (*number).into())).collect();
        all.insert("iterations".to_owned(), report.iterations.into());
        let mut command = Command::new(&self.python);
        command.arg(self.scratch.apps()).arg(app).arg(&folder).arg(Value::Object(all).to_string());
        command.envs(THREADS.map(|name| (name, options.threads.to_string())));
        let answer: Answer =
            serde_json::from_str(&self.run(&mut command)?).with_context(|| format!("reading what {name} gave"))?;
        std::fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
        report.add_peer(name, answer.version, answer.ms, difference(&answer.result));
        Ok(())
    }

    /// Standard output of a command that succeeds.
    fn run(&self, command: &mut Command) -> Result<String> {
        let python = self.python.display();
        let output = command
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("starting {python} (--peers-python PATH names another)"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            bail!("{python} ended ({}): {last}", output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("reading what {python} said"))
    }
}

impl<'a> Array<'a> {
    /// Of reals.
    pub(super) fn reals(name: &'static str, numbers: &'a ScalarBuffer<f32>) -> Self {
        Array { name, of: "<f4", bytes: numbers.inner().as_slice(), shape: (numbers.len(), None) }
    }

    /// Of integers.
    pub(super) fn integers(name: &'static str, numbers: &'a ScalarBuffer<i32>) -> Self {
        Array { name, of: "<i4", bytes: numbers.inner().as_slice(), shape: (numbers.len(), None) }
    }

    /// With rows of so many numbers.
    pub(super) fn by_rows(self, width: usize) -> Self {
        Array { shape: (self.shape.0 / width, Some(width)), ..self }
    }

    /// Writes it as NumPy reads it.
    fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(format!("{}.npy", self.name));
        let write = || {
            let mut file = BufWriter::new(File::create(&path)?);
            file.write_all(&self.header())?;
            file.write_all(self.bytes)?;
            file.flush()
        };
        write().with_context(|| format!("writing {}", path.display()))
    }

    /// Version 1.0 of the format: a dictionary of Python behind its length, with spaces up to a multiple of 64 bytes.
    fn header(&self) -> Vec<u8> {
        let shape = match self.shape {
            (rows, Some(width)) => format!("({rows}, {width})"),
            (rows, None) => format!("({rows},)"),
        };
        // Memory is as the machine has it.
        let of = if cfg!(target_endian = "big") { self.of.replace('<', ">") } else { self.of.to_owned() };
        let mut text = format!("{{'descr': '{of}', 'fortran_order': False, 'shape': {shape}, }}");
        while !(MAGIC.len() + 2 + text.len() + 1).is_multiple_of(64) {
            text.push(' ');
        }
        text.push('\n');
        [MAGIC, &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
    }
}

/// What an array's file begins with.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

#[cfg(test)]
mod tests {
    use super::Array;
    use multiloop::arrow::buffer::ScalarBuffer;

    #[test]
    fn headers_are_what_numpy_reads() {
        let numbers = ScalarBuffer::from(vec![1.0_f32; 6]);
        let header = Array::reals("some", &numbers).by_rows(3).header();
        assert_eq!(header.len() % 64, 0);
        assert_eq!(header[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        let text = String::from_utf8_lossy(&header[10..]).into_owned();
        assert!(
            text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }") && text.ends_with(" \n")
        );
        let numbers = ScalarBuffer::from(vec![1_i32; 5]);
        let header = Array::integers("some", &numbers).header();
        assert!(String::from_utf8_lossy(&header).contains("'descr': '<i4', 'fortran_order': False, 'shape': (5,), "));
    }
}
