//! How a program would run, for EXPLAIN (KERNELS): encodings of columns, bucket kinds, key packing, widths, and why.
//! Numbers of collections are those of the program's text.
//!
//! What depends on the data at hand is decided when a loop ends, so the text names the rule: a join's index looks at
//! the keys that there are, text keys at whether all chunks share a dictionary.

use crate::Result;
use crate::column::Table;
use crate::plan::aggregate::AggregateKind;
use crate::plan::compile::{AggregatePlan, GeneratorKind, LetKind, LetPlan, LoopPlan, Plan, ReducePlan, grid};
use crate::plan::group_kind::{FEW_CODES, GroupKind};
use crate::plan::index_form::{IndexForm, index_form};
use crate::plan::key_layout::{KeyLayout, KeyWidth, PartDomain};
use crate::plan::register::Register;
use multiloop_planner::analysis::ranges::{Grid, Ranges};
use multiloop_planner::catalog::TableHandle;
use multiloop_planner::multiloop::live::live_blocks;
use multiloop_planner::multiloop::print::collection_numbers;
use multiloop_planner::multiloop::{CollectionId, Index, Let, Program, Reduction, ScalarId, Shape, Source};
use multiloop_planner::types::{DataType, Field};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// How a program would run; its `Display` has one node a line and no newline at the end.
#[derive(Clone, Debug)]
pub struct Placement {
    lines: Vec<String>,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

/// Decides how a program runs over these tables, without running it.
pub fn place(program: &Program, tables: &dyn Fn(TableHandle) -> Arc<Table>) -> Result<Placement> {
    let plan = Plan::new(program)?;
    let mut writer = Writer {
        program,
        plan: &plan,
        ranges: Ranges::analyse(program),
        numbers: collection_numbers(program),
        lines: Vec::new(),
    };
    writer.tables(tables);
    for block in live_blocks(program) {
        if block != program.body {
            writer.line(0, format!("block of %{}, for each row that asks", writer.number(program.block(block).result)));
        }
        for definition in &plan.blocks[block.0 as usize] {
            writer.definition(definition, usize::from(block != program.body));
        }
    }
    Ok(Placement { lines: writer.lines })
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
            Let::Concat { inputs, .. } => format!("concat {}", list(inputs)),
            Let::Values { .. } => "values".to_owned(),
        };
        format!("{what} -> {}", list(definition.defines()))
    };
    program.body().lets.iter().map(name).collect()
}

/// The forms of a column's chunks, and what they take.
fn encoding(table: &Table, column: usize) -> String {
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
    program: &'p Program,
    plan: &'p Plan<'p>,
    ranges: Ranges,
    numbers: FxHashMap<CollectionId, usize>,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: String) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    fn number(&self, id: CollectionId) -> usize {
        self.numbers.get(&id).copied().unwrap_or_default()
    }

    fn tables(&mut self, snapshot: &dyn Fn(TableHandle) -> Arc<Table>) {
        let mut tables: Vec<(usize, CollectionId)> = self.numbers.iter().map(|(&id, &number)| (number, id)).collect();
        tables.sort_unstable();
        for (number, id) in tables {
            let collection = self.program.collection(id);
            if let Shape::Table { name, statistics, handle, columns } = &collection.shape {
                self.line(0, format!("%{number} table {name}: {} rows", statistics.rows));
                let table = snapshot(*handle);
                for (field, &column) in collection.fields.iter().zip(columns) {
                    self.line(1, format!("{}: {}", field.name, encoding(&table, column as usize)));
                }
            }
        }
    }

    fn definition(&mut self, definition: &LetPlan<'_>, depth: usize) {
        if !definition.defines.iter().any(|id| self.plan.read.contains(id)) {
            return;
        }
        let once = if depth > 0 && definition.invariant { ", once" } else { "" };
        match &definition.kind {
            LetKind::Loop(plan) => {
                self.line(depth, format!("loop{once}"));
                self.levels(plan, depth + 1);
                for (generator, &define) in plan.generators.iter().zip(definition.defines) {
                    self.generator(&generator.kind, define, depth + 1);
                }
            }
            LetKind::Sort { input, order } => {
                let text = format!(
                    "%{} sort of %{} by {} fields{once}",
                    self.number(definition.defines[0]),
                    self.number(*input),
                    order.len()
                );
                self.line(depth, text);
            }
            LetKind::Concat { inputs } => {
                let text = format!(
                    "%{} concat of {} collections, shared{once}",
                    self.number(definition.defines[0]),
                    inputs.len()
                );
                self.line(depth, text);
            }
            LetKind::Values { rows, .. } => {
                let text = format!("%{} values: {} rows{once}", self.number(definition.defines[0]), rows.len());
                self.line(depth, text);
            }
        }
    }

    fn levels(&mut self, plan: &LoopPlan<'_>, depth: usize) {
        for (at, level) in plan.levels.iter().enumerate() {
            let source = match level.source {
                Source::Rows(id) if at == 0 => format!("morsels of %{}", self.number(*id)),
                Source::Rows(id) => format!("all rows of %{}", self.number(*id)),
                Source::Bucket { collection, .. } => format!("bucket of %{}", self.number(*collection)),
                Source::BucketOrNull { collection, .. } => format!("bucket of %{} or null", self.number(*collection)),
                Source::BucketAndRest { collection, .. } => {
                    format!("bucket of %{}, and the rest", self.number(*collection))
                }
                Source::Count(_) => "count".to_owned(),
            };
            let conditions = match level.conditions.len() {
                0 => String::new(),
                1 => ", then 1 condition".to_owned(),
                count => format!(", then {count} conditions"),
            };
            self.line(depth, format!("{source}{conditions}"));
        }
    }

    fn generator(&mut self, kind: &GeneratorKind<'_>, define: CollectionId, depth: usize) {
        let number = self.number(define);
        match kind {
            GeneratorKind::Collect { types, .. } => {
                self.line(depth, format!("%{number} collect: {} columns, in morsel order", types.len()));
            }
            GeneratorKind::TopK(top_k) if top_k.order.is_empty() => {
                self.line(depth, format!("%{number} limit: stops when there are enough rows"));
            }
            GeneratorKind::TopK(top_k) => {
                self.line(depth, format!("%{number} top-k by {} keys: best rows per worker", top_k.order.len()));
            }
            GeneratorKind::BucketCollect { key, key_types, in_place, .. } => {
                let layout = KeyLayout::new(self.domains(key, key_types));
                let kind = match in_place {
                    Some(in_place) if in_place.is_dense() => "Dense, keys are the numbers of rows".to_owned(),
                    _ => self.index_kind(&layout, self.ranges.rows(define)),
                };
                let why = if in_place.is_some() { kind + "; rows stay in the table" } else { kind };
                self.line(depth, format!("%{number} bucket_collect: {why}"));
                self.key(&layout, &self.program.collection(define).fields.clone(), depth + 1);
            }
            GeneratorKind::Reduce(reduce) => self.reduce(reduce, define, depth),
        }
    }

    fn domains(&self, key: &[ScalarId], types: &[DataType]) -> Vec<PartDomain> {
        let domain = |(&part, &data_type): (&ScalarId, &DataType)| match (
            grid(&self.ranges, part),
            PartDomain::of_type(data_type),
        ) {
            (Some(grid), PartDomain::Integer(_)) => PartDomain::Integer(grid),
            (_, domain) => domain,
        };
        key.iter().zip(types).map(domain).collect()
    }

    fn index_kind(&self, layout: &KeyLayout, rows: Option<u64>) -> String {
        let Some(rows) = rows else { return format!("{}, by the keys at hand", width_name(layout.width)) };
        match (index_form(layout, rows, false), layout.codes()) {
            (IndexForm::Direct, Some(codes)) => format!("Direct, {codes} codes for at most {rows} rows"),
            (IndexForm::Ranked, Some(codes)) => format!("Ranked, {codes} codes for at most {rows} rows"),
            (_, Some(codes)) => format!("Hash, {codes} codes are too many for at most {rows} rows"),
            _ => format!("Hash of {}", width_name(layout.width)),
        }
    }

    fn reduce(&mut self, reduce: &ReducePlan<'_>, define: CollectionId, depth: usize) {
        let number = self.number(define);
        let fields = self.program.collection(define).fields.clone();
        if reduce.key.is_none() {
            self.line(depth, format!("%{number} reduce: one group a worker"));
        } else {
            let own = self.plan.own.contains_key(&define);
            let text = reduce.layout.parts.iter().any(|part| matches!(part.domain, PartDomain::Text));
            let (codes, rows) = (reduce.layout.codes(), reduce.rows.count);
            let why = match (GroupKind::of(&reduce.layout, reduce.rows), codes) {
                _ if own => "Own: made of the rows beside those that ask, unless one key fills a chunk".to_owned(),
                (GroupKind::Ordered, _) => "Ordered: rows come clustered by the key".to_owned(),
                (GroupKind::Few, Some(codes)) => {
                    format!("Few, {codes} codes (up to {FEW_CODES}): the code is the group")
                }
                (GroupKind::Set, Some(codes)) => format!("Set, a bit for each of {codes} codes"),
                (GroupKind::Dense, Some(codes)) => {
                    format!("Dense, {codes} codes for at most {rows} rows: the code is the group")
                }
                (GroupKind::Direct, Some(codes)) => format!("Direct, {codes} codes for at most {rows} rows"),
                (_, Some(codes)) => {
                    format!("Hash of {}, {codes} codes (beyond {FEW_CODES})", width_name(reduce.layout.width))
                }
                _ if text => {
                    format!(
                        "Hash of {} (Few or packed if one dictionary holds the text)",
                        width_name(reduce.layout.width)
                    )
                }
                _ => format!("Hash of {}", width_name(reduce.layout.width)),
            };
            self.line(depth, format!("%{number} bucket_reduce: {why}"));
        }
        self.key(&reduce.layout, &fields, depth + 1);
        for (aggregate, field) in reduce.aggregates.iter().zip(&fields[reduce.key_types.len()..]) {
            self.line(depth + 1, format!("{}: {}", field.name, aggregate_text(aggregate)));
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

fn width_name(width: KeyWidth) -> &'static str {
    match width {
        KeyWidth::Bits32 => "32-bit keys",
        KeyWidth::Bits64 => "64-bit keys",
        KeyWidth::Bits128 => "128-bit keys",
        KeyWidth::Bytes => "bytes",
        KeyWidth::Text => "strings",
    }
}

fn aggregate_text(plan: &AggregatePlan<'_>) -> String {
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
        },
        None => "rows",
    };
    let filter = if plan.condition.is_empty() { "" } else { ", filtered" };
    let distinct = if *distinct { ", distinct by bit or hash" } else { "" };
    let how = match (reduction, plan.kind.bound()) {
        (Reduction::Sum, Some(bound)) => {
            format!("sum of {register} within {bound}: 64 bits for {} rows, then 128", i64::MAX as u64 / bound.max(1))
        }
        (Reduction::Sum, None) if register == "f64" => "exact sum of f64".to_owned(),
        (Reduction::Sum, None) => format!("sum of {register}: 128 bits and carry"),
        (Reduction::CountRows | Reduction::Count, _) => format!("count of {register}"),
        (other, _) => format!("{} of {register}", format!("{other:?}").to_lowercase().split(' ').next().unwrap_or("")),
    };
    format!("{how}{distinct}{filter}")
}
