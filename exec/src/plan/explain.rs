//! The printed plan, for EXPLAIN (KERNELS) and EXPLAIN ANALYZE: every choice and what decided it; of adaptive ones what else
//! they may become, and by what test.
//!
//! Collections have the numbers of the program's text where these are given, else those of their ids. `place` also says in
//! what forms the columns of the tables at hand are.

use crate::Result;
use crate::column::Table;
use crate::plan::aggregate::AggregateKind;
use crate::plan::choice::{Adaptive, Choice};
use crate::plan::compile::plan;
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain};
use crate::plan::register::Register;
use crate::plan::statistics::LetStatistics;
use crate::plan::tree::{
    AggregatePlan, BucketPlan, Device, GeneratorKind, LetKind, LetPlan, LoopPlan, Machine, Pieces, Plan, ReducePlan,
};
use multiloop_planner::analysis::ranges::Grid;
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::evaluate::quantile::Quantile;
use multiloop_planner::multiloop::print::collection_numbers;
use multiloop_planner::multiloop::{BlockId, CollectionId, Gather, Index, Let, Program, Reduction, Source};
use multiloop_planner::types::Field;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What collections are called: in the text of a program those that it shows.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Option<FxHashMap<CollectionId, usize>>);

impl Numbers {
    /// Those of a program's text.
    pub fn of(program: &Program) -> Self {
        Numbers(Some(collection_numbers(program)))
    }

    fn get(&self, id: CollectionId) -> usize {
        match &self.0 {
            Some(numbers) => numbers.get(&id).copied().unwrap_or_default(),
            None => id.0 as usize,
        }
    }

    /// What a collection is called.
    pub(crate) fn shown(&self, id: CollectionId) -> String {
        format!("%{}", self.get(id))
    }

    fn shows(&self, id: CollectionId) -> bool {
        self.0.as_ref().is_none_or(|numbers| numbers.contains_key(&id))
    }
}

/// How a program would run over tables; its `Display` has one node a line and no newline at the end.
#[derive(Clone, Debug)]
pub struct Explained {
    lines: Vec<String>,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Writer::of(self, &Numbers::default(), &[]).lines.join("\n"))
    }
}

/// Decides how a program runs over these tables, without running it.
pub fn explain(program: &Program, tables: &dyn Fn(TableHandle) -> Arc<Table>, machine: Machine) -> Result<Explained> {
    Ok(explain_plan(&plan(program, machine)?, program, tables))
}

/// How a program runs over these tables by a plan of it.
pub fn explain_plan(plan: &Plan, program: &Program, tables: &dyn Fn(TableHandle) -> Arc<Table>) -> Explained {
    let numbers = Numbers::of(program);
    let mut lines = encodings(plan, &numbers, tables);
    lines.extend(Writer::of(plan, &numbers, &[]).lines);
    Explained { lines }
}

/// The plan, with what a run of it noted of the lets of its body.
pub(crate) fn analysed(plan: &Plan, numbers: &Numbers, statistics: &[(usize, LetStatistics)]) -> String {
    Writer::of(plan, numbers, statistics).lines.join("\n")
}

/// What the printed plan says of a let.
pub(crate) fn let_lines(plan: &Plan, numbers: &Numbers, definition: &LetPlan) -> Vec<String> {
    let mut writer = Writer { plan, numbers, lines: Vec::new() };
    writer.definition(definition, 0, None);
    writer.lines
}

/// What the lets of a program's body are called in statistics: what they go over and what they define.
pub(crate) fn let_names(program: &Program) -> Vec<String> {
    let numbers = collection_numbers(program);
    let number = |id: &CollectionId| numbers.get(id).map_or_else(|| "%dead".to_owned(), |number| format!("%{number}"));
    let list = |ids: &[CollectionId]| ids.iter().map(number).collect::<Vec<_>>().join(", ");
    let name = |definition: &Let| {
        let what = match definition {
            Let::Loop { multiloop, .. } => {
                let source = |index: &Index| index.source.collection().as_ref().map_or("count".to_owned(), number);
                format!("loop over {}", multiloop.nest.iter().map(source).collect::<Vec<_>>().join(", "))
            }
            Let::Sort { input, .. } => format!("sort {}", number(input)),
            Let::Window { input, .. } => format!("window {}", number(input)),
            Let::Iterate { seed, .. } => format!("iterate {}", number(seed)),
            Let::Concat { inputs, .. } => format!("concat {}", list(inputs)),
            Let::Values { .. } => "values".to_owned(),
        };
        format!("{what} -> {}", list(definition.defines()))
    };
    program.body().lets.iter().map(name).collect()
}

/// When an iteration ends, and of which rounds it gives the rows: of the last one, or of all until there are enough.
fn end_of_rounds(only_last: bool, enough: bool) -> &'static str {
    match (only_last, enough) {
        (false, false) => "",
        (false, true) => ", until there are rows enough",
        (true, false) => ", the last one's rows",
        (true, true) => ", until a row says so, the last one's rows",
    }
}

/// The tables that a plan reads, and the forms of their columns.
fn encodings(plan: &Plan, numbers: &Numbers, tables: &dyn Fn(TableHandle) -> Arc<Table>) -> Vec<String> {
    let mut read: Vec<(usize, CollectionId)> = (0..plan.collections.len() as u32)
        .map(CollectionId)
        .filter(|&id| numbers.shows(id) && plan.collection(id).table.is_some())
        .map(|id| (numbers.get(id), id))
        .collect();
    read.sort_unstable();
    let mut lines = Vec::new();
    for (number, id) in read {
        let collection = plan.collection(id);
        let Some(of) = &collection.table else { continue };
        lines.push(format!("%{number} table {}: {} rows", of.name, of.rows));
        let table = tables(of.handle);
        for (field, &column) in collection.fields.iter().zip(&of.columns) {
            lines.push(format!("  {}: {}", field.name, encoding(&table, column as usize)));
        }
    }
    lines
}

/// The forms of a column's chunks, and what they take.
fn encoding(table: &Table, column: usize) -> String {
    if table.is_lazy() {
        return "read with the rows".to_owned();
    }
    let mut forms: BTreeMap<&str, usize> = BTreeMap::new();
    for chunk in &table.chunks {
        *forms.entry(chunk.columns[column].data.form()).or_default() += 1;
    }
    if forms.is_empty() {
        return "no chunks".to_owned();
    }
    let forms: Vec<String> = forms.iter().map(|(form, chunks)| format!("{form} in {chunks}")).collect();
    let bytes = table.column_bytes(column) as f64 / table.rows().max(1) as f64;
    format!("{} chunks, {bytes:.1} bytes a row", forms.join(", "))
}

struct Writer<'p> {
    plan: &'p Plan,
    numbers: &'p Numbers,
    lines: Vec<String>,
}

impl<'p> Writer<'p> {
    /// The whole plan; statistics are those of lets of the body.
    fn of(plan: &'p Plan, numbers: &'p Numbers, statistics: &[(usize, LetStatistics)]) -> Self {
        let mut writer = Writer { plan, numbers, lines: Vec::new() };
        let lets = plan.blocks.iter().flat_map(|block| &block.lets);
        let step = |each: &LetPlan| if let LetKind::Iterate { step, .. } = each.kind { Some(step) } else { None };
        let steps: Vec<BlockId> = lets.filter_map(step).collect();
        for (number, block) in plan.blocks.iter().enumerate() {
            let id = BlockId(number as u32);
            let body = id == plan.body;
            // Blocks that rules have left behind have no place in the text.
            if !numbers.shows(block.result) {
                continue;
            }
            if !body {
                let asked = match plan.batches.contains_key(&id) {
                    true => "for many rows that ask at once",
                    false if steps.contains(&id) => "for each round",
                    false if plan.searched.contains_key(&id) => {
                        "for each row that asks, or by search among rows in order"
                    }
                    false if plan.interchanged.contains_key(&id) => {
                        "for each row that asks, or for many, where its own are few, by one loop over these"
                    }
                    false => "for each row that asks",
                };
                writer.line(0, format!("block of %{}, {asked}", numbers.get(block.result)));
            }
            for (number, definition) in block.lets.iter().enumerate() {
                let ran = statistics.iter().find(|(ran, _)| body && *ran == number).map(|(_, ran)| ran);
                writer.definition(definition, usize::from(!body), ran);
            }
        }
        if plan.streams.of {
            writer.line(0, format!("rows are handed out while they are made: {}", plan.streams.why));
        }
        writer
    }

    fn line(&mut self, depth: usize, text: String) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    fn number(&self, id: CollectionId) -> usize {
        self.numbers.get(id)
    }

    fn definition(&mut self, definition: &LetPlan, depth: usize, ran: Option<&LetStatistics>) {
        if !definition.is_read(self.plan) {
            return;
        }
        let once = if depth > 0 && definition.invariant { ", once" } else { "" };
        let ran_text = ran.map_or_else(String::new, |ran| format!(" ({ran})"));
        match &definition.kind {
            LetKind::Loop(plan) => {
                let pieces = match plan.pieces {
                    Choice { of: Pieces::Balanced, .. } => String::new(),
                    Choice { of: Pieces::Morsels, ref why } => format!(", cut by morsels: {why}"),
                    Choice { of: Pieces::Asking, ref why } => format!(", cut into few rows: {why}"),
                };
                let device = self.device(plan, depth);
                self.line(depth, format!("loop{once}{device}{pieces}{ran_text}"));
                self.levels(plan, depth + 1);
                for (number, (generator, &define)) in plan.generators.iter().zip(&definition.defines).enumerate() {
                    self.generator(&generator.kind, define, depth + 1);
                    let notes = ran.into_iter().flat_map(|ran| &ran.notes).filter(|(of, _)| *of == number);
                    notes.for_each(|(_, note)| self.line(depth + 2, format!("became {note}")));
                }
            }
            LetKind::Sort { input, order } => {
                let text = format!(
                    "%{} sort of %{} by {} fields{once}{ran_text}",
                    self.number(definition.defines[0]),
                    self.number(*input),
                    order.len()
                );
                self.line(depth, text);
            }
            LetKind::Window { input, partition, order, functions } => {
                let text = format!(
                    "%{} window of %{}: sorted by {} and {} fields, then one pass for {} functions{once}{ran_text}",
                    self.number(definition.defines[0]),
                    self.number(*input),
                    partition.len(),
                    order.len(),
                    functions.len()
                );
                self.line(depth, text);
            }
            LetKind::Iterate { seed, working, step, distinct, enough, last } => {
                let text = format!(
                    "%{} iteration from %{}: rounds of the block of %{} over %{}{}{}{once}{ran_text}",
                    self.number(definition.defines[0]),
                    self.number(*seed),
                    self.number(self.plan.block(*step).result),
                    self.number(*working),
                    if *distinct { ", rows that were there left out" } else { "" },
                    end_of_rounds(last.is_some(), enough.is_some())
                );
                self.line(depth, text);
            }
            LetKind::Concat { inputs } => {
                let text = format!(
                    "%{} concat of {} collections, shared{once}{ran_text}",
                    self.number(definition.defines[0]),
                    inputs.len()
                );
                self.line(depth, text);
            }
            LetKind::Values { rows, .. } => {
                let number = self.number(definition.defines[0]);
                self.line(depth, format!("%{number} values: {} rows{once}{ran_text}", rows.len()));
            }
        }
    }

    /// What runs a loop of the body, where there are devices, and why.
    fn device(&self, plan: &LoopPlan, depth: usize) -> String {
        if self.plan.devices.is_empty() || depth > 0 {
            return String::new();
        }
        let Choice { of, why } = &plan.device;
        match of {
            Device::Host => format!(" on the host: {why}"),
            Device::Other(number) => format!(" on {}: {why}", self.plan.devices[*number as usize]),
        }
    }

    fn levels(&mut self, plan: &LoopPlan, depth: usize) {
        for (at, level) in plan.levels.iter().enumerate() {
            let source = match &level.source {
                Source::Rows(id) if at == 0 => format!("morsels of %{}", self.number(*id)),
                Source::Rows(id) => format!("all rows of %{}", self.number(*id)),
                Source::Bucket { collection, .. } => format!("bucket of %{}", self.number(*collection)),
                Source::BucketOrNull { collection, .. } => format!("bucket of %{} or null", self.number(*collection)),
                Source::BucketAndRest { collection, .. } => {
                    format!("bucket of %{}, and the unmatched rows", self.number(*collection))
                }
                Source::Count(_) => "count".to_owned(),
            };
            let one = if level.one { ", one row of them" } else { "" };
            let conditions = match level.conditions.len() {
                0 => String::new(),
                1 => ", then 1 condition".to_owned(),
                count => format!(", then {count} conditions"),
            };
            let asks = !level.conditions.is_empty() || level.source.probe().is_some();
            let prunes = if level.prunes && asks { "; chunks by their ranges" } else { "" };
            let range = if level.range.is_some() { ", a slice by search where that pays" } else { "" };
            self.line(depth, format!("{source}{range}{one}{conditions}{prunes}"));
        }
    }

    fn generator(&mut self, kind: &GeneratorKind, define: CollectionId, depth: usize) {
        let number = self.number(define);
        match kind {
            GeneratorKind::Collect { types, .. } => {
                self.line(depth, format!("%{number} collect: {} columns, in morsel order", types.len()));
            }
            GeneratorKind::TopK(top_k) if top_k.order.is_empty() => {
                self.line(depth, format!("%{number} limit: stops when there are enough rows"));
            }
            GeneratorKind::TopK(top_k) => {
                let rejects = if top_k.rejects { ", others are left out early" } else { "" };
                let keys = top_k.order.len();
                self.line(depth, format!("%{number} top-k by {keys} keys: best rows per worker{rejects}"));
            }
            GeneratorKind::BucketCollect(bucket) => self.buckets(bucket, define, depth),
            GeneratorKind::Reduce(reduce) => self.reduce(reduce, define, depth),
        }
    }

    fn buckets(&mut self, bucket: &BucketPlan, define: CollectionId, depth: usize) {
        let text = match &bucket.in_place {
            Some(in_place) if in_place.is_dense() => {
                "Dense: keys are the numbers of rows; rows stay in the table".to_owned()
            }
            Some(_) => format!("{}; rows stay in the table", expected(&bucket.index)),
            None => adaptive(&bucket.index),
        };
        self.line(depth, format!("%{} bucket_collect: {text}", self.number(define)));
        self.key(&bucket.layout, &self.plan.collection(define).fields, depth + 1);
    }

    fn reduce(&mut self, reduce: &ReducePlan, define: CollectionId, depth: usize) {
        let number = self.number(define);
        let collection = self.plan.collection(define);
        let fields = &collection.fields;
        match &reduce.groups {
            None => self.line(depth, format!("%{number} reduce: one group a worker")),
            Some(groups) => {
                let text = match collection.own {
                    Some(_) => "Own: made of the rows beside those that ask, unless one key fills a chunk".to_owned(),
                    None => adaptive(groups),
                };
                self.line(depth, format!("%{number} bucket_reduce: {text}"));
            }
        }
        self.key(&reduce.layout, fields, depth + 1);
        for (aggregate, field) in reduce.aggregates.iter().zip(&fields[reduce.key_types.len()..]) {
            self.line(depth + 1, format!("{}: {}", field.name, aggregate_text(aggregate)));
        }
        if reduce.groups.is_some() && collection.own.is_none() {
            let Choice { of, why } = &reduce.partitions;
            self.line(depth + 1, format!("partitioned: {}{why}", if *of { "" } else { "no, " }));
        }
        if let Some(index) = &reduce.index {
            self.line(depth + 1, format!("looked up by: {}", adaptive(index)));
        }
        if collection.group_filter.is_some() {
            self.line(depth + 1, "filtered by the conditions of its only reader".to_owned());
        }
    }

    fn key(&mut self, layout: &KeyLayout, fields: &[Field], depth: usize) {
        for (part, field) in layout.parts.iter().zip(fields) {
            let domain = match &part.domain {
                PartDomain::Integer(Grid { low, high, step: 1 }) => format!("{low} to {high}"),
                PartDomain::Integer(Grid { low, high, step }) => format!("{low} to {high} in steps of {step}"),
                PartDomain::Code(dictionary) => format!("{} strings of a dictionary", dictionary.len()),
                PartDomain::Float => "floats".to_owned(),
                PartDomain::Text => "text".to_owned(),
                PartDomain::Short(short) => format!("text of up to {} bytes", short.most),
                PartDomain::Interval => "intervals".to_owned(),
            };
            let place = match (layout.width, part.domain.codes()) {
                (KeyWidth::Bits32 | KeyWidth::Bits64 | KeyWidth::Bits128, Some(codes)) => {
                    format!(", {} bits from {}", 128 - (codes - 1).leading_zeros(), part.shift)
                }
                _ => String::new(),
            };
            self.line(depth, format!("key {}: {domain}{place}", field.name));
        }
    }
}

/// What is expected, and why.
fn expected<T: fmt::Debug>(choice: &Adaptive<T>) -> String {
    format!("{:?}: {}", choice.expected.of, choice.expected.why)
}

/// The same, and what else it may become.
fn adaptive<T: fmt::Debug + PartialEq>(choice: &Adaptive<T>) -> String {
    let text = expected(choice);
    if choice.is_certain() {
        return text;
    }
    let others: Vec<String> = choice.candidates[1..].iter().map(|other| format!("{other:?}")).collect();
    format!("{text}; or {}, by {}", others.join(", "), choice.test)
}

fn aggregate_text(plan: &AggregatePlan) -> String {
    let AggregateKind { reduction, distinct, argument, .. } = &plan.kind;
    let register = match argument {
        Some((_, register)) => match register {
            Register::Bool => "bool",
            Register::I32 => "i32",
            Register::I64 => "i64",
            Register::I128 => "i128",
            Register::F64 => "f64",
            Register::Text => "text",
            Register::Interval => "interval",
            Register::Vectors(_) => "vectors",
        },
        None => "rows",
    };
    let filter = if plan.condition.is_empty() { "" } else { ", filtered" };
    let distinct = if *distinct { ", distinct by bit or hash" } else { "" };
    let as_values = match (&plan.row_text, plan.shares) {
        (Some(_), _) => ", as values",
        (None, Some(_)) => ", of the same values as one before",
        (None, None) => "",
    };
    let how = match (reduction, plan.kind.bound()) {
        (Reduction::Sum, Some(bound)) => {
            format!("sum of {register} within {bound}: 64 bits for {} rows, then 128", i64::MAX as u64 / bound.max(1))
        }
        (Reduction::Sum, None) if register == "f64" => "exact sum of f64".to_owned(),
        (Reduction::Sum, None) if register == "vectors" => "exact sums of vectors, by position".to_owned(),
        (Reduction::Sum, None) => format!("sum of {register}: 128 bits and carry"),
        (Reduction::CountRows | Reduction::Count, _) => format!("count of {register}"),
        (Reduction::Gather(Gather::One { of, .. }), _) => {
            let name = if *of == Quantile::Mode { "mode" } else { "quantile" };
            format!("{name} of {register}")
        }
        (other, _) => format!("{} of {register}", format!("{other:?}").to_lowercase().split(' ').next().unwrap_or("")),
    };
    format!("{how}{as_values}{distinct}{filter}")
}
