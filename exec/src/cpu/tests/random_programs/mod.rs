//! Random programs in IR text: what no query becomes runs, too. The processors give the interpreter's rows, bit by bit, with
//! limits drawn at random, so that every way to number groups and to find them is met on tables of some hundred rows; any number
//! of workers gives them in one order, and so do rows that are made while they are handed out. A device that takes some loops
//! changes nothing, nor do rules, with one of them off or none.
//!
//! `PROGRAMS=n` tries n programs, the same every time, and `PROGRAMS=a..b` those of these numbers; without it some are, since
//! enough of them take minutes. What fails is made smaller, and shown as text. At the end it is counted which ways were met: of
//! enough programs none may be missing.

mod met;
mod shrink;
mod tables;
mod ways;
mod write;

use super::{Outcome, Random, context, table, with_statistics};
use crate::column::Table;
use crate::interpret;
use crate::workers::pool::Pool;
use met::Met;
use multiloop_planner::analysis::verify::verify;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::print::print;
use multiloop_planner::multiloop::{Generator, Let, Program, Reduction, Shape, WindowCallee, parse::parse};
use multiloop_planner::types::Field;
use multiloop_planner::value::Value;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use ways::Way;

/// Programs that are always tried.
const PROGRAMS: u64 = 30;

/// So many meet every way.
const ENOUGH: u64 = 300;

/// Rows of tables that are shown with what fails, at most.
const SHOWN_ROWS_MAX: usize = 20;

/// A program, the tables that it reads, and how it is run.
#[derive(Clone)]
struct Case {
    program: Program,
    fields: Vec<Vec<Field>>,
    rows: Vec<Vec<Vec<Value>>>,
    /// In which form of `table` each table is.
    form: usize,
    ways: Vec<Way>,
}

impl Case {
    /// The case of a number.
    fn random(number: u64) -> Self {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (number << 20));
        random.below(3);
        let count = 2 + random.below(2);
        let (fields, rows): (Vec<_>, Vec<_>) = (0..count).map(|_| tables::random_table(&mut random)).unzip();
        let form = random.below(4) as usize;
        let ways = ways::random_ways(&mut random);
        let mut case = Case { program: Program::new(), fields, rows, form, ways };
        let of = |(fields, table): (&Vec<Field>, &Arc<Table>)| write::TableOf {
            fields: fields.clone(),
            statistics: Arc::clone(&table.statistics),
        };
        let of: Vec<_> = case.fields.iter().zip(&case.tables()).map(of).collect();
        case.program = write::write(&of, random);
        case
    }

    fn tables(&self) -> Vec<Arc<Table>> {
        self.fields.iter().zip(&self.rows).map(|(fields, rows)| table(fields, rows, self.form)).collect()
    }

    /// What is wrong with it; what it meets is counted.
    fn wrong(&self, pools: &[Arc<Pool>], met: &mut Met) -> Option<String> {
        verify(&self.program).err().map(|problem| format!("it is no program: {problem}")).or_else(|| {
            let tried = catch_unwind(AssertUnwindSafe(|| self.differs(pools, met)));
            tried.unwrap_or_else(|_| Some("it panics".to_owned()))
        })
    }

    fn differs(&self, pools: &[Arc<Pool>], met: &mut Met) -> Option<String> {
        let tables = self.tables();
        let text = print(&self.program);
        let read = match parse(&text) {
            Ok(read) if print(&read) == text => with_statistics(&named_as(read), &tables),
            Ok(read) => return Some(format!("it reads back as\n{}", print(&read))),
            Err(error) => return Some(format!("it does not read back: {error}")),
        };
        let lookup = |handle: TableHandle| Arc::clone(&tables[handle.0 as usize]);
        let program = with_statistics(&self.program, &tables);
        let expected = interpret::run(&program, &lookup, &write::parameters(), &context()).map(|rows| rows.rows);
        met.outcome(&expected);
        let mut first: Option<Vec<Vec<Value>>> = None;
        for way in &self.ways {
            let got = way.run(&read, &tables, pools, met);
            if way.may_not_fail() && expected.is_err() && got.is_ok() {
                continue;
            }
            if let Some(difference) = difference(&read, &expected, &got) {
                return Some(format!("{way:?}: {difference}"));
            }
            if let (Ok(got), true) = (got, way.is_ordered()) {
                if first.as_ref().is_some_and(|first| *first != got) {
                    return Some(format!("{way:?}: the number of workers shows"));
                }
                first.get_or_insert(got);
            }
        }
        None
    }

    fn shown(&self) -> String {
        let mut shown = format!("{}\nform {}", print(&self.program), self.form);
        let rewritten = self.ways.last().and_then(|way| way.shown_rewritten(&self.program));
        shown.extend(rewritten.map(|program| format!("\nafter rules:\n{program}")));
        for (number, (fields, rows)) in self.fields.iter().zip(&self.rows).enumerate() {
            let names: Vec<String> = fields.iter().map(|field| format!("{} {}", field.name, field.data_type)).collect();
            shown += &format!("\nt{number}({}): {} rows", names.join(", "), rows.len());
            rows.iter().take(SHOWN_ROWS_MAX).for_each(|row| shown += &format!("\n  {row:?}"));
        }
        shown
    }
}

/// The program of a text whose tables have their numbers in their names.
fn named_as(mut program: Program) -> Program {
    for collection in &mut program.collections {
        if let Shape::Table { name, handle, .. } = &mut collection.shape {
            *handle = TableHandle(name[1..].parse().expect("it is named so"));
        }
    }
    program
}

/// How a run differs from what was expected.
fn difference(program: &Program, expected: &Outcome, got: &Outcome) -> Option<String> {
    match (expected, got) {
        (Ok(expected), Ok(got)) => {
            let (sorted_expected, sorted_got) = (sorted(expected), sorted(got));
            let most = expected.len().max(got.len());
            if let Some(at) = (0..most).find(|&at| sorted_expected.get(at) != sorted_got.get(at)) {
                let (expected, got) = (sorted_expected.get(at), sorted_got.get(at));
                return Some(format!("row {at}, once sorted: expected {expected:?}, got {got:?}"));
            }
            let alike = |(a, b): (&Vec<Value>, &Vec<Value>)| match ordered_by(program) {
                Some(fields) => fields.iter().all(|&at| a[at].compare(&b[at]).is_eq()),
                None => true,
            };
            (!expected.iter().zip(got).all(alike)).then(|| "the order differs".to_owned())
        }
        (Err(expected), Err(got)) => {
            let is_bug = expected.sqlstate() == "XX000" || got.sqlstate() == "XX000";
            is_bug.then(|| format!("expected {expected:?}, got {got:?}"))
        }
        (Err(error), Ok(_)) | (Ok(_), Err(error)) if error.sqlstate() != "XX000" && may_be_decided(program) => None,
        (expected, got) => Some(format!("expected {expected:?}, got {got:?}")),
    }
}

/// The fields of the result, all of which are shown, by which it is ordered.
fn ordered_by(program: &Program) -> Option<Vec<usize>> {
    let body = program.body();
    body.lets.iter().find_map(|each| match each {
        Let::Sort { define, order, .. } if *define == body.result => {
            let shown = |field: u32| program.output.iter().position(|(_, at)| *at == field);
            Some(order.iter().map_while(|&(field, _)| shown(field)).collect())
        }
        Let::Loop { defines, multiloop } => {
            let at = defines.iter().position(|define| *define == body.result)?;
            let is_ordered = multiloop.generators[at]
                .aggregates()
                .iter()
                .any(|aggregate| matches!(&aggregate.reduction, Reduction::TopK { order, .. } if !order.is_empty()));
            is_ordered.then(|| (0..program.output.len()).collect())
        }
        _ => None,
    })
}

/// Whether something of a program may be told from some rows, so that an error of the others is free.
fn may_be_decided(program: &Program) -> bool {
    let mut lets = program.blocks.iter().flat_map(|block| &block.lets);
    lets.any(|each| match each {
        Let::Loop { multiloop, .. } => {
            let mut aggregates = multiloop.generators.iter().flat_map(Generator::aggregates);
            aggregates.any(|aggregate| match &aggregate.reduction {
                Reduction::TopK { order, .. } => order.is_empty(),
                other => other.properties().decided_by.is_some(),
            })
        }
        Let::Window { functions, .. } => functions.iter().any(|field| match &field.function {
            WindowCallee::Aggregate(reduction) => reduction.properties().decided_by.is_some(),
            WindowCallee::Function(_) => false,
        }),
        _ => false,
    })
}

fn sorted(rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut rows = rows.to_vec();
    let compare = |(a, b): (&Value, &Value)| a.compare(b).then_with(|| a.compare_forms(b));
    rows.sort_by(|a, b| a.iter().zip(b).map(compare).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal));
    rows
}

/// The programs that are asked for.
fn programs() -> Range<u64> {
    let Ok(asked) = std::env::var("PROGRAMS") else { return 0..PROGRAMS };
    let number = |text: &str| text.parse().expect("PROGRAMS is a number, or FROM..TO");
    match asked.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&asked),
    }
}

#[test]
fn the_processors_give_the_rows_of_the_interpreter() {
    let programs = programs();
    let pools = ways::pools();
    let mut met = Met::default();
    let mut wrong = Vec::new();
    for number in programs.clone() {
        let case = Case::random(number);
        if let Some(problem) = case.wrong(&pools, &mut met) {
            println!("program {number}: {problem}");
            let small = shrink::shrink(case, &pools);
            let problem = small.wrong(&pools, &mut Met::default());
            let problem = problem.unwrap_or_else(|| "it was wrong once".to_owned());
            wrong.push(format!("program {number}: {problem}\n{}", small.shown()));
        }
    }
    println!("{met}");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    if programs.end - programs.start >= ENOUGH {
        met.check();
    }
}
