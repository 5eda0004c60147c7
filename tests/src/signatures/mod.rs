//! Every function, aggregate and operator with nasty arguments of its types: as constants, as columns and as parameters it gives the
//! same value or SQLSTATE, the interpreter and the CPU agree, and nothing ends in an internal error.

mod asking;
mod forms;
mod nasty;
mod shapes;
mod values;

use asking::Asker;
pub use asking::Finding;
use multiloop::{FunctionSummary, functions};
use shapes::Shape;
use std::collections::BTreeSet;
use values::Random;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// What random choices start from.
    pub seed: u64,
    /// Choices of types for each function.
    pub types: usize,
    /// Types to which each type is cast.
    pub casts: usize,
    /// Arguments for each call.
    pub rows: usize,
    /// One of so many calls is asked, which are others with another seed.
    pub one_of: u64,
    /// Only calls whose name has this in it.
    pub only: Option<&'static str>,
}

/// What came of it.
#[derive(Debug)]
pub struct Report {
    /// Calls that were asked for.
    pub calls: usize,
    /// Names of functions none of whose calls was one.
    pub unbound: BTreeSet<String>,
    /// Differences and internal errors.
    pub findings: Vec<Finding>,
}

/// What is asked for: a call, or a function, the number of the choice of its types, and how many of its arguments are left out.
enum Task {
    Call(Shape),
    Function(FunctionSummary, usize, usize),
}

/// So often argument types are chosen, if there is no such call.
const TRIES: usize = 8;

impl Task {
    fn name(&self) -> &str {
        match self {
            Self::Call(shape) => &shape.name,
            Self::Function(function, ..) => function.name,
        }
    }

    /// A number of its own, so that a call's arguments depend on no other call.
    fn seed(&self) -> u64 {
        let text = match self {
            Self::Call(shape) => format!("{} {} {:?}", shape.name, shape.text, shape.types),
            Self::Function(function, number, left_out) => {
                format!("{} {} {number} {left_out}", function.name, function.arguments)
            }
        };
        // FNV-1a.
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Whether a call came of it.
    fn ask(&self, asker: &mut Asker, random: &mut Random, rows: usize) -> bool {
        match self {
            Self::Call(shape) => asker.ask(shape, rows),
            Self::Function(function, _, left_out) => {
                (0..TRIES).any(|_| asker.ask(&shapes::of_function(function, *left_out, random), rows))
            }
        }
    }
}

/// Asks for everything, on two threads.
///
/// # Panics
/// If a thread does.
pub fn ask(effort: Effort) -> Report {
    let mut random = Random::new(effort.seed);
    let mut tasks = Vec::new();
    for function in functions() {
        let counts = shapes::counts(&function);
        tasks.extend(
            (0..effort.types.max(counts)).map(|number| Task::Function(function.clone(), number, number % counts)),
        );
    }
    tasks.extend(forms::of_forms(&mut random).into_iter().map(Task::Call));
    tasks.extend(forms::of_casts(effort.casts, &mut random).into_iter().map(Task::Call));
    tasks.retain(|task| {
        let is_asked = (task.seed() ^ effort.seed).is_multiple_of(effort.one_of);
        is_asked && effort.only.is_none_or(|only| task.name().contains(only))
    });
    let calls = tasks.len();
    let (even, odd): (Vec<_>, Vec<_>) = tasks.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let asked: Vec<(Vec<(String, bool)>, Vec<Finding>)> = std::thread::scope(|scope| {
        let threads = [even, odd].map(|tasks| {
            let ask = move || {
                let mut asker = Asker::new(effort.seed);
                let mut bound = Vec::new();
                for (_, task) in tasks {
                    let mut random = Random::new(effort.seed ^ task.seed());
                    asker.start_from(random.next());
                    bound.push((task.name().to_owned(), task.ask(&mut asker, &mut random, effort.rows)));
                }
                (bound, asker.findings)
            };
            std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, ask).expect("a thread starts")
        });
        threads.map(|thread| thread.join().expect("it ends")).into()
    });
    let names = |is_bound: bool| -> BTreeSet<String> {
        let all = asked.iter().flat_map(|(bound, _)| bound);
        all.filter(|(_, bound)| *bound == is_bound).map(|(name, _)| name.clone()).collect()
    };
    let functions: BTreeSet<String> = functions().iter().map(|function| function.name.to_owned()).collect();
    let unbound = names(false).difference(&names(true)).filter(|name| functions.contains(*name)).cloned().collect();
    Report { calls, unbound, findings: asked.into_iter().flat_map(|(_, findings)| findings).collect() }
}
