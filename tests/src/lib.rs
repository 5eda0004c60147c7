//! What the whole-engine suites share: the ways to run a statement, and rows as text. The suites are in `tests/tests/`.

pub mod files;
mod fuzz;
pub mod programs;
pub mod random;
mod rows;
pub mod signatures;
pub mod slt;

pub use fuzz::{execute, parse_and_bind};
pub use rows::{Answer, answer, answer_of, text_rows};

use multiloop::{Backend, Devices, Engine, Session};
use multiloop_tpch::{Options, TABLES, generate, run};
use std::path::{Path, PathBuf};

/// The program's: suites run with what users run with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One way to run statements. All of them must give the same rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// What it is called in a failure.
    pub name: &'static str,
    threads: usize,
    backend: Backend,
    optimise: bool,
    rules: bool,
    /// The seed of a device that runs loops row by row, and keeps what it makes.
    device: Option<u64>,
}

/// All ways, the specification first.
pub const WAYS: [Way; 4] = [
    Way { name: "interpreter", threads: 1, backend: Backend::Interpreter, optimise: true, rules: true, device: None },
    Way {
        name: "interpreter without rules",
        threads: 1,
        backend: Backend::Interpreter,
        optimise: true,
        rules: false,
        device: None,
    },
    Way { name: "cpu, 2 threads", threads: 2, backend: Backend::Cpu, optimise: true, rules: true, device: None },
    Way {
        name: "cpu without rules, 1 thread",
        threads: 1,
        backend: Backend::Cpu,
        optimise: true,
        rules: false,
        device: None,
    },
];

/// Ways without the relation optimiser, the second one without rules, too: the query as it was bound.
pub const UNOPTIMISED: [Way; 2] = [
    Way { name: "unoptimised", threads: 1, backend: Backend::Interpreter, optimise: false, rules: true, device: None },
    Way { name: "as bound", threads: 1, backend: Backend::Interpreter, optimise: false, rules: false, device: None },
];

/// Ways with a device in host memory in a GPU's place: one that takes all loops that it can, and one that takes some and declines some
/// of these.
pub const WITH_A_DEVICE: [Way; 2] = [
    Way { name: "on a device", device: Some(0), ..WAYS[2] },
    Way { name: "on a device, now and then", device: Some(1), ..WAYS[2] },
];

/// The scale factor of TPC-H's tables.
const SCALE: f64 = 0.01;

/// Writes TPC-H's tables at scale factor 0.01 into a folder that is there: programs that read them need not make them, and the
/// text of their comments takes longer than all queries.
///
/// # Panics
/// If a file cannot be written.
pub fn write_tpch(folder: &Path) {
    let session = WAYS[2].session();
    generate(&session, SCALE, 1, &|_, _| {}).expect("the tables load");
    for table in TABLES {
        let file = folder.join(format!("{table}.parquet"));
        let copied = answer(&session, &format!("COPY {table} TO '{}'", file.display()));
        assert!(matches!(copied, Answer::Done(_)), "{copied:?}");
    }
}

impl Way {
    /// Runs TPC-H at scale factor 0.01 this way: 22 of 22 answers are to be right.
    ///
    /// # Panics
    /// If some are not; it says which, and how they differ.
    pub fn check_tpch(self) {
        self.check_tpch_of(None);
    }

    /// The same over tables that [`write_tpch`] has written into a folder, if there is one.
    ///
    /// # Panics
    /// As [`Way::check_tpch`].
    pub fn check_tpch_of(self, data: Option<PathBuf>) {
        let queries = (1..=22).collect();
        let options = Options {
            scale_factor: SCALE,
            threads: 1,
            queries,
            runs: 0,
            warm_up: 1,
            data,
            in_place: false,
            verify: true,
            linq: false,
            analyze: false,
        };
        let report = run(&self.session(), &options, &|_, _| {}, &|_| {}).expect("the tables load");
        let wrong: Vec<String> = report
            .queries
            .iter()
            .filter(|query| query.verified != Some(true))
            .map(|query| format!("Q{}: {}", query.query, query.difference.as_deref().unwrap_or("not verified")))
            .collect();
        assert!(wrong.is_empty(), "{}: {}", self.name, wrong.join("; "));
    }

    /// A session of a new engine that runs statements this way.
    pub fn session(self) -> Session {
        let devices = self.device.map_or_else(Devices::default, Devices::row_by_row);
        let engine = Engine::builder().threads(self.threads).devices(devices).build().expect("an engine starts");
        let mut session = engine.session();
        self.set(&mut session);
        session
    }

    /// Makes a session run statements this way (all but the number of threads, which is the engine's).
    pub fn set(self, session: &mut Session) {
        session.options.backend = self.backend;
        session.options.rules.as_bound = !self.optimise;
        session.options.rules.none = !self.rules;
    }
}
