//! What the program carries of `tpch/peers/`, and the scratch folder that it unpacks it into.

use super::{Error, PeerOptions};
use crate::queries;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Peers that run when none is named, in this order. Others are variants of these, or a program.
const DEFAULT: [&str; 5] = ["duckdb", "polars", "datafusion", "hyper", "chdb"];

/// The engine that is a program, another Multiloop.
const PROGRAM: &str = "multiloop";

macro_rules! files {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../peers/", $name)))),*] };
}

/// The scripts, by their paths in `tpch/peers/`.
const FILES: [(&str, &str); 8] = files! {
    "peer.py"
    "engines.py"
    "apps.py"
    "shapes.py"
    "shapes/shop.sql"
    "shapes/decisions.sql"
    "shapes/everyday.sql"
    "shapes/techniques.sql"
};

const REQUIREMENTS: &str = include_str!("../../peers/requirements.txt");

macro_rules! own_texts {
    ($($engine:literal $number:literal $file:literal)*) => {
        [$(($engine, $number, concat!("peers/queries/", $file), include_str!(concat!("../../peers/queries/", $file)))),*]
    };
}

/// Texts that replace the standard's, as (engine, query, file, text): where an engine needs it, or is faster with it.
const OWN_TEXTS: [(&str, usize, &str, &str); 10] = own_texts! {
    "chdb" 5 "chdb/q05.sql"
    "chdb" 6 "chdb/q06.sql"
    "chdb" 8 "chdb/q08.sql"
    "chdb" 9 "chdb/q09.sql"
    "chdb" 12 "chdb/q12.sql"
    "datafusion" 5 "datafusion/q05.sql"
    "datafusion" 7 "datafusion/q07.sql"
    "datafusion" 18 "datafusion/q18.sql"
    "datafusion" 21 "datafusion/q21.sql"
    "polars" 5 "polars/q05.sql"
};

/// The text of a query for a peer, and the file it is from.
pub(super) fn text(engine: &str, number: usize, scale_factor: f64) -> (String, String) {
    let dialect = engine.split('-').next().unwrap_or(engine);
    match OWN_TEXTS.iter().find(|(of, query, ..)| *of == dialect && *query == number) {
        Some((_, _, file, text)) => ((*text).to_owned(), (*file).to_owned()),
        None => (queries::query(number, scale_factor), format!("queries/q{number:02}.sql")),
    }
}

/// A folder for scripts, Parquet files and what peers write; it goes when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new folder in the system's place for temporary files, with the scripts in it.
    pub fn new() -> Result<Scratch, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        let path = std::env::temp_dir().join(format!("multiloop-tpch-{}-{now}", std::process::id()));
        fs::create_dir(&path).map_err(Error::io("creating", &path))?;
        let scratch = Scratch { path };
        for (name, text) in FILES {
            if let Some((folder, _)) = name.rsplit_once('/') {
                scratch.folder(folder)?;
            }
            let file = scratch.path.join(name);
            fs::write(&file, text).map_err(Error::io("writing", &file))?;
        }
        Ok(scratch)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in it, made if it is not there.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(Error::io("creating", &path))?;
        Ok(path)
    }

    /// The script that runs what `tpch/peers/shapes/` holds.
    pub fn shapes(&self) -> PathBuf {
        self.path.join("shapes.py")
    }

    /// The script that runs what libraries have of applications.
    pub fn apps(&self) -> PathBuf {
        self.path.join("apps.py")
    }

    pub(super) fn script(&self) -> PathBuf {
        self.path.join("peer.py")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever cleans temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The modules that each peer lacks, by its name.
pub(super) type Lacking = BTreeMap<String, Vec<String>>;

/// Asks Python which modules it has.
pub(super) fn installed(python: &Path, scratch: &Scratch) -> Result<Lacking, Error> {
    let failed = |reason: String| Error::Python { python: python.display().to_string(), reason };
    let output = Command::new(python).arg(scratch.script()).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}

/// The peers that will run, and those of the default ones that cannot.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) peers: Vec<Choice>,
    pub(super) not_installed: Vec<String>,
}

/// A peer that will run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// The engine, as `peer.py` calls it.
    pub(super) engine: String,
    /// What it is called in the report: as the engine, or as its program's file.
    pub(super) name: String,
    /// The program, where the engine is one.
    pub(super) program: Option<PathBuf>,
}

impl Choice {
    /// Reads `duckdb`, or `multiloop=PATH`.
    fn of(named: &str) -> Result<Choice, Error> {
        let (engine, path) = named.split_once('=').map_or((named, None), |(engine, path)| (engine, Some(path)));
        let refused = || Error::Program { named: named.to_owned() };
        if path.is_some() != (engine == PROGRAM) {
            return Err(refused());
        }
        let engine = engine.to_owned();
        let Some(path) = path.map(Path::new) else {
            return Ok(Choice { name: engine.clone(), engine, program: None });
        };
        let name = path.file_name().ok_or_else(refused)?.to_string_lossy().into_owned();
        fs::metadata(path).map_err(Error::io("finding", path))?;
        // The peers start in folders of their own.
        let program = std::path::absolute(path).map_err(Error::io("finding", path))?;
        Ok(Choice { engine, name, program: Some(program) })
    }
}

/// Those that were named, all of which must be installed; else the default ones that are.
pub(super) fn choose(lacking: &Lacking, peers: &PeerOptions) -> Result<Chosen, Error> {
    let is_there = |name: &String| lacking.get(name).is_some_and(Vec::is_empty);
    let Some(named) = &peers.engines else {
        let (engines, not_installed): (Vec<_>, Vec<_>) = DEFAULT.map(str::to_owned).into_iter().partition(is_there);
        if engines.is_empty() {
            return Err(not_there("no peer is", &not_installed, lacking, &peers.python));
        }
        let peers = engines.iter().map(|engine| Choice::of(engine)).collect::<Result<_, _>>()?;
        return Ok(Chosen { peers, not_installed });
    };
    let engine_of = |named: &str| named.split('=').next().unwrap_or(named).to_owned();
    let engines: Vec<String> = named.iter().map(|named| engine_of(named)).collect();
    if let Some(name) = engines.iter().find(|name| !lacking.contains_key(*name)) {
        let known = lacking.keys().cloned().collect::<Vec<_>>().join(", ");
        return Err(Error::UnknownPeer { name: name.clone(), known });
    }
    let chosen = named.iter().map(|named| Choice::of(named)).collect::<Result<Vec<_>, _>>()?;
    let mut taken = HashSet::new();
    // Figures, folders and logs are found by name.
    if let Some(twice) = chosen.iter().find(|choice| !taken.insert(&choice.name)) {
        return Err(Error::TwoOfOneName { name: twice.name.clone() });
    }
    let missing: Vec<String> = engines.into_iter().filter(|name| !is_there(name)).collect();
    match missing.as_slice() {
        [] => Ok(Chosen { peers: chosen, not_installed: Vec::new() }),
        [one] => Err(not_there(&format!("{one} is not"), &missing, lacking, &peers.python)),
        several => Err(not_there(&format!("{} are not", several.join(" and ")), &missing, lacking, &peers.python)),
    }
}

fn not_there(what: &str, engines: &[String], lacking: &Lacking, python: &Path) -> Error {
    let mut modules: Vec<&str> =
        engines.iter().filter_map(|engine| lacking.get(engine)).flatten().map(String::as_str).collect();
    modules.sort_unstable();
    modules.dedup();
    let python = python.display().to_string();
    let install = format!(
        "{python} -m pip install -r tpch/peers/requirements.txt\nor, away from the source,\n  {python} -m pip install {}",
        modules.into_iter().map(pinned).collect::<Vec<_>>().join(" ")
    );
    Error::NotInstalled { what: what.to_owned(), python, install }
}

/// A module as the requirements pin it.
fn pinned(module: &str) -> &str {
    let is_it = |line: &&str| line.split("==").next() == Some(module);
    REQUIREMENTS.lines().find(is_it).unwrap_or(module)
}
