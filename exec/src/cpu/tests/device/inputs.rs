//! What a device is told of what a loop reads: which rows may pass, how keys are laid out, values and conditions that need no row.

use super::super::{context, table, with_statistics};
use crate::Result;
use crate::backend::devices::Devices;
use crate::backend::inputs::Inputs;
use crate::backend::{Backend, Outcome, Placement, Task};
use crate::column::Dictionary;
use crate::plan::Machine;
use crate::plan::key_layout::{KeyWidth, PartDomain};
use crate::plan::tree::GeneratorKind;
use crate::run::{Body, run_with};
use crate::workers::pool::Pool;
use multiloop_planner::multiloop::parse::parse;
use multiloop_planner::value::Value;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Asks what it can of the first loop, and declines all.
#[derive(Default)]
struct Asks {
    seen: Mutex<Seen>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    chunks: Vec<(usize, Range<usize>)>,
    /// Whether the key is codes of a dictionary, and whether it is short text.
    keys: Option<(bool, bool)>,
    /// Of each condition that is one, the bits over a dictionary of a, b, c, and of NULL.
    over_dictionary: Vec<Vec<bool>>,
    ground: Vec<Value>,
}

impl Backend for Asks {
    fn name(&self) -> &str {
        "asks"
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        match task.defines[0].0 {
            1 => Placement::Takes("to ask".into()),
            _ => Placement::Declines("it knows enough".into()),
        }
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<Outcome> {
        let mut seen = Seen { chunks: inputs.chunks()?, ..Seen::default() };
        let layout = inputs.layout(0)?;
        let is = |of: fn(&PartDomain) -> bool| of(&layout.parts[0].domain);
        seen.keys = Some((is(|of| matches!(of, PartDomain::Code(_))), is(|of| matches!(of, PartDomain::Short(_)))));
        assert!(seen.keys == Some((false, false)) || layout.width != KeyWidth::Text, "a number");
        let dictionary = Arc::new(Dictionary::new(["a", "b", "c"]));
        for &condition in task.of.levels.iter().flat_map(|level| &level.conditions) {
            let bits = inputs.over_dictionary(condition, &dictionary)?;
            seen.over_dictionary.extend(bits.map(|bits| bits.iter().collect()));
        }
        if let GeneratorKind::Reduce(reduce) = &task.of.generators[0].kind {
            for argument in reduce.aggregates.iter().filter_map(|aggregate| aggregate.argument) {
                if task.of.expressions.reach(argument) == 0 {
                    seen.ground.push(inputs.ground(argument)?);
                }
            }
        }
        assert!(inputs.held(task.of.levels[0].source.collection().expect("it goes over rows"))?.is_none());
        *self.seen.lock().expect("nobody panics") = seen;
        Ok(Outcome::Declined("it only asks".into()))
    }
}

const TEXT: &str = "\
parameters bigint
table %0 t(a#0 integer, s#1 text?)
loop
  i0 in %0
  %1 bucket_reduce
    if i0.a > 12
    if i0.s >= 'b'
    key s? = i0.s
    n = count_rows()
    most? = max($1::bigint + 1::bigint)
result %1
output s, n, most
";

fn seen(form: usize) -> Seen {
    let program = parse(TEXT).unwrap_or_else(|error| panic!("{error}\n{TEXT}"));
    let text = |row: i64| if row == 20 { Value::Null } else { Value::text(["a", "b", "c"][row as usize % 3]) };
    let rows: Vec<Vec<Value>> = (0..32).map(|row| vec![Value::Int(row), text(row)]).collect();
    let tables = [table(&program.collections[0].fields, &rows, form)];
    let program = with_statistics(&program, &tables);
    let asks = Arc::new(Asks::default());
    let devices = Devices::new([Arc::clone(&asks) as Arc<dyn Backend>]);
    let plan = devices.plan(&program, Machine::host(1)).expect("it can be planned");
    let pool = Pool::new(1).expect("threads start");
    let body = Body { pool: &pool, devices: &devices, takes_notes: false };
    run_with(&plan, &|_| Arc::clone(&tables[0]), &[Value::Int(41)], &context(), body).expect("it runs");
    asks.seen.lock().expect("nobody panics").clone()
}

#[test]
fn a_device_is_told_what_the_processors_know() {
    let whole = seen(0);
    assert_eq!(whole.keys, Some((true, false)), "one dictionary has all strings: {whole:?}");
    assert_eq!(whole.over_dictionary, [[false, true, true, false]]);
    assert_eq!(whole.ground, [Value::Int(42)]);
    let apart = seen(3);
    assert!(!apart.chunks.is_empty() && apart.chunks.iter().all(|(chunk, _)| *chunk > 0), "{:?}", apart.chunks);
    assert!(apart.chunks.iter().map(|(_, rows)| rows.len()).sum::<usize>() >= 19, "{:?}", apart.chunks);
    assert_eq!(apart.over_dictionary, whole.over_dictionary);
}
