//! A second backend: it takes loops at random, runs them row by row with the interpreter, and hands back collections, or groups
//! as partial groups of ranges of the rows.

mod partial;

use super::{Outcome, Q1_SHAPE, Random, context, is_ordered, on_cpu, sorted, table, ten_rows, values_of};
use crate::backend;
use crate::backend::inputs::Inputs;
use crate::backend::{Backend, Given, Placement, Task};
use crate::collections::rows::RowSet;
use crate::column::{Chunk, Table};
use crate::interpret::one_loop::{self, Made};
use crate::partial::PartialGroups;
use crate::plan::tree::GeneratorKind;
use crate::plan::{Machine, Numbers, plan};
use crate::run::{Body, run_with};
use crate::workers::pool::Pool;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::{CollectionId, Program, Shape, parse::parse};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Compares where the device takes some of the loops.
pub(super) fn compare_shared(
    program: &Program,
    tables: &[Arc<Table>],
    parameters: &[Value],
    pool: &Pool,
    (seed, expected): (u64, &Outcome),
    text: &str,
) {
    let device = RowByRow::new(program, seed);
    let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
    let got = plan(program, Machine { devices: 1, ..Machine::host(pool.threads()) })
        .and_then(|plan| {
            run_with(&plan, &lookup, parameters, &context(), Body { pool, devices: &[&device], takes_notes: false })
        })
        .and_then(values_of);
    match (expected, &got) {
        (Ok(expected), Ok(got)) => {
            let same =
                if is_ordered(program) { got == expected } else { sorted(got.clone()) == sorted(expected.clone()) };
            assert!(same, "{text}\nsome loops by rows, seed {seed}: expected {expected:#?}\ngot {got:#?}");
        }
        (Err(expected), Err(got)) => assert_eq!(got.kind(), expected.kind(), "{text}"),
        _ => panic!("{text}\nsome loops by rows, seed {seed}: expected {expected:?}\ngot {got:?}"),
    }
}

/// The device.
pub(super) struct RowByRow<'p> {
    program: &'p Program,
    seed: u64,
    /// How many loops it ran, and of how many reductions it handed back partial groups.
    taken: AtomicUsize,
    pub(super) partial: AtomicUsize,
}

impl<'p> RowByRow<'p> {
    /// One that takes loops of a program as this seed has it.
    pub(super) fn new(program: &'p Program, seed: u64) -> Self {
        RowByRow { program, seed, taken: AtomicUsize::new(0), partial: AtomicUsize::new(0) }
    }

    /// The same numbers for the same loop.
    fn random(&self, defines: &[CollectionId]) -> Random {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (self.seed << 32) ^ u64::from(defines[0].0 + 1));
        random.below(7);
        random
    }
}

impl Backend for RowByRow<'_> {
    fn name(&self) -> &str {
        "rows"
    }

    fn place(&self, task: &Task<'_>) -> Placement {
        match self.random(task.defines).below(3) {
            0 => Placement::Declines("as chance has it".into()),
            _ => Placement::Takes("as chance has it".into()),
        }
    }

    fn run(&self, task: &Task<'_>, inputs: &dyn Inputs) -> Result<backend::Outcome> {
        let Task { defines, of: plan, .. } = *task;
        self.taken.fetch_add(1, Ordering::Relaxed);
        let mut random = self.random(defines);
        random.below(3);
        let may_be_partial = |number: &usize| matches!(plan.generators[*number].kind, GeneratorKind::Reduce(_));
        let unfolded: Vec<usize> = (0..defines.len()).filter(may_be_partial).filter(|_| random.below(3) > 0).collect();
        let collection = |id: CollectionId| read(self.program, inputs, id);
        let from =
            one_loop::Given { collection: &collection, parameters: inputs.parameters(), context: inputs.context() };
        let made = one_loop::run_loop(self.program, defines, &from, &unfolded)?;
        let given = made.into_iter().zip(defines).enumerate().map(|(number, (made, &id))| {
            match (made, &plan.generators[number].kind) {
                (Made::Offered(rows), GeneratorKind::Reduce(reduce)) => {
                    self.partial.fetch_add(1, Ordering::Relaxed);
                    partial::fold(reduce, &rows, inputs.context(), &mut random).map(Given::Partial)
                }
                (made, _) => handed_over(self.program, id, made),
            }
        });
        Ok(backend::Outcome::Given(given.collect::<Result<_>>()?))
    }
}

/// A collection, as the interpreter reads it.
fn read(program: &Program, inputs: &dyn Inputs, id: CollectionId) -> Result<Made> {
    let collection = program.collection(id);
    Ok(match &collection.shape {
        Shape::Table { .. } | Shape::Rows | Shape::Single => Made::Rows(values(&inputs.rows(id)?, &collection.fields)),
        Shape::Groups { .. } => {
            Made::Groups { rows: values(&inputs.rows(id)?, &collection.fields), empty: inputs.empty(id)? }
        }
        Shape::Buckets { members: fields } => {
            let grouped = inputs.buckets(id)?;
            let all = values(&grouped.members, fields);
            let bucket = |span: &[u32]| all[span[0] as usize..span[1] as usize].to_vec();
            let members = grouped.starts.windows(2).map(bucket).collect();
            Made::Buckets { keys: values(&grouped.keys, &collection.fields), members }
        }
    })
}

/// The rows as values.
fn values(rows: &RowSet, fields: &[Field]) -> Vec<Vec<Value>> {
    let of_chunk = |chunk: &Arc<Chunk>| {
        let value = |row: usize, (field, of): (u32, &Field)| {
            chunk.columns[rows.position(field) as usize].value(row, of.data_type)
        };
        let row = |row| (0..).zip(fields).map(|field| value(row, field)).collect();
        (0..chunk.rows).map(row).collect::<Vec<Vec<Value>>>()
    };
    rows.chunks.iter().flat_map(of_chunk).collect()
}

fn handed_over(program: &Program, id: CollectionId, made: Made) -> Result<Given> {
    let fields = &program.collection(id).fields;
    let rows = |fields: &[Field], rows: &[Vec<Value>]| RowSet {
        rows: rows.len(),
        ..RowSet::new(Table::from_values(fields.to_vec(), rows).chunks)
    };
    Ok(match made {
        Made::Rows(made) => Given::Rows(rows(fields, &made)),
        Made::Groups { rows: made, .. } => Given::Groups(rows(fields, &made)),
        Made::Buckets { keys, members } => {
            let all: Vec<Field> = fields.iter().chain(program.members(id)).cloned().collect();
            let with_key = |(key, members): (Vec<Value>, Vec<Vec<Value>>)| {
                members.into_iter().map(move |member| key.iter().cloned().chain(member).collect())
            };
            let made: Vec<Vec<Value>> = keys.into_iter().zip(members).flat_map(with_key).collect();
            Given::Members(rows(&all, &made))
        }
        Made::Offered(_) => return Err(Error::internal("rows that nobody has folded")),
    })
}

#[test]
fn devices_are_asked_for_each_loop() {
    let (program, tables) = ten_rows();
    let pool = Arc::new(Pool::new(2).expect("threads start"));
    let lookup = |_: TableHandle| Arc::clone(&tables[0]);
    let expected = on_cpu(&program, &tables, &[], &pool).expect("it runs");
    let (mut all, mut partial) = (Vec::new(), Vec::new());
    for seed in 0..16 {
        let device = RowByRow::new(&program, seed);
        let plan = plan(&program, Machine { devices: 1, ..Machine::host(2) }).expect("it can be planned");
        let output =
            run_with(&plan, &lookup, &[], &context(), Body { pool: &pool, devices: &[&device], takes_notes: true });
        let output = output.expect("it runs");
        let text = output.analysed(&plan, &Numbers::of(&program));
        let taken = device.taken.load(Ordering::Relaxed);
        assert_eq!(text.matches("became a loop of rows").count(), taken, "{text}");
        assert_eq!(values_of(output).expect("it runs"), expected);
        all.push(taken);
        partial.push(device.partial.load(Ordering::Relaxed));
    }
    assert!((0..=2).all(|count| all.contains(&count)), "none, some, all: {all:?}");
    assert!((0..=2).all(|count| partial.contains(&count)), "none, some, all: {partial:?}");
}

/// Hands back rows, or no parts, or groups of another reduction, whatever it is asked for.
struct Wrong(u8);

impl Backend for Wrong {
    fn name(&self) -> &str {
        "wrong"
    }

    fn place(&self, _: &Task<'_>) -> Placement {
        Placement::Takes("whatever it is".into())
    }

    fn run(&self, task: &Task<'_>, _: &dyn Inputs) -> Result<backend::Outcome> {
        let given = |_: &CollectionId| match self.0 {
            0 => Given::Rows(RowSet::new(Vec::new())),
            1 => Given::Partial(Vec::new()),
            _ => Given::Partial(vec![partial::of_no_key()]),
        };
        Ok(backend::Outcome::Given(task.defines.iter().map(given).collect()))
    }
}

#[test]
fn what_a_device_hands_back_is_checked() {
    let groups = "table %0 t(a#0 integer?)\nloop\n  i0 in %0\n  %1 bucket_reduce\n    key a? = i0.a\n    n = count(i0.a)\n\
                  result %1\noutput n\n";
    let single = "table %0 t(a#0 integer?)\nloop\n  i0 in %0\n  %1 reduce\n    n = count(i0.a)\n    m? = max(i0.a)\n\
                  result %1\noutput n, m\n";
    for text in [Q1_SHAPE, groups, single] {
        let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let tables = [table(&program.collections[0].fields, &[], 0)];
        let pool = Pool::new(1).expect("threads start");
        let lookup = |_: TableHandle| Arc::clone(&tables[0]);
        let plan = plan(&program, Machine { devices: 1, ..Machine::host(1) }).expect("it can be planned");
        for wrong in (0..3).map(Wrong) {
            let error =
                run_with(&plan, &lookup, &[], &context(), Body { pool: &pool, devices: &[&wrong], takes_notes: false });
            assert_eq!(error.expect_err("it is of another shape").kind(), ErrorKind::Internal, "{text}");
        }
    }
}
