//! The text form of programs, for EXPLAIN (LOOPS), rule headers and golden files.
//!
//! One node a line; collections, indices and blocks are numbered in the order in which they are shown, so that
//! equal programs have equal texts whatever a rule did to their ids. Only what the result needs is shown.
//!
//! ```text
//! table %0 lineitem(l_quantity#4 decimal(15,2), l_shipdate#10 date?)     name#position in the table type
//! loop                                                                   a traversal: its nest, its generators
//!   i0 in %0                                                             every row
//!   i1 in %1[i0.k, is i0.n]                                              one bucket; `is`: NULL finds NULL
//!   i2 in %1[i0.k] or null                                               a left join's, with `if` lines below
//!   i3 in %1[i0.k] and rest                                              and what was not found (right outer join)
//!   i4 in count(i0.n)                                                    0 up to n
//!   %2 collect
//!     if i0.l_quantity < 24.00::decimal(15,2)                            a condition a line, in order
//!     quantity? = i0.l_quantity                                          a field; `?` when it may be NULL
//!   %3 bucket_reduce
//!     key k = i0.k
//!     total? = sum(i0.l_quantity if i0.n > 0)
//!   %4 top_k limit 10::bigint offset 0::bigint
//!     by i0.k desc nulls first
//!     k = i0.k
//! %5 sort %2 by quantity desc nulls first
//! %6 concat %2, %5 as quantity?
//! %7 values
//!   fields a integer, b text?
//!   row 1, 'x'
//! result %2
//! output quantity
//! ```
//!
//! Windows and iterations: see `window_text`.
//!
//! A nested block stands, indented, in front of the line that uses it: `block b0`, its lets, `result %8`; its
//! value is `b0.total`. `%3[i0.k].total` is a lookup, `exists %3[i0.k]` whether there is one, `%8.total` the
//! field of a Reduce's row. A type follows as `::type` where it is not the usual one.
//!
//! Table snapshots and statistics are not part of the text: a table is known by its name.

use super::print_scalar::{field_reference, identifier};
use super::printer::Printer;
use super::{
    Aggregate, Block, BlockId, CollectionId, Generator, Index, Let, Program, Reduction, Scalar, ScalarId, Shape, Source,
};
use crate::types::{Field, SortOrder};
use rustc_hash::FxHashMap;

/// The text of a program; `parse` reads it back.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.program();
    printer.out
}

/// The numbers under which [`print()`] shows the collections of a program, for texts beside it.
pub fn collection_numbers(program: &Program) -> FxHashMap<CollectionId, usize> {
    let mut printer = Printer::new(program);
    printer.program();
    printer.collections
}

impl Printer<'_> {
    fn program(&mut self) {
        let program = self.program;
        if !program.parameters.is_empty() {
            let types: Vec<String> = program.parameters.iter().map(ToString::to_string).collect();
            self.line(&format!("parameters {}", types.join(", ")));
        }
        for id in super::live::live_tables(program) {
            self.table(id);
        }
        let body = program.body();
        body.lets.iter().for_each(|each| self.definition(each));
        self.line(&format!("result {}", self.collection(body.result)));
        let fields = &program.collection(body.result).fields;
        let output: Vec<String> = program
            .output
            .iter()
            .map(|(name, field)| {
                let reference = field_reference(fields, *field);
                if reference == identifier(name) { reference } else { format!("{} = {reference}", identifier(name)) }
            })
            .collect();
        self.line(format!("output {}", output.join(", ")).trim_end());
    }

    fn table(&mut self, id: CollectionId) {
        let collection = self.program.collection(id);
        let Shape::Table { name, columns, .. } = &collection.shape else { return };
        let number = self.number(id);
        let fields: Vec<String> = collection
            .fields
            .iter()
            .zip(columns)
            .map(|(field, column)| format!("{}#{column} {}", identifier(&field.name), field_type(field)))
            .collect();
        self.line(&format!("table {number} {}({})", identifier(name), fields.join(", ")));
    }

    fn definition(&mut self, each: &Let) {
        match each {
            Let::Loop { defines, multiloop } => {
                self.line("loop");
                self.depth += 1;
                multiloop.nest.iter().for_each(|index| self.nest_index(index));
                for (define, generator) in defines.iter().zip(&multiloop.generators) {
                    self.generator(*define, generator);
                }
                self.depth -= 1;
            }
            Let::Sort { define, input, order } => {
                let keys: Vec<String> = order
                    .iter()
                    .map(|(field, order)| {
                        let fields = &self.program.collection(*input).fields;
                        format!("{}{}", field_reference(fields, *field), order_text(*order))
                    })
                    .collect();
                let input = self.collection(*input);
                let define = self.number(*define);
                self.line(&format!("{define} sort {input} by {}", keys.join(", ")));
            }
            Let::Window { define, input, partition, order, functions } => {
                self.window((*define, *input), partition, order, functions);
            }
            Let::Iterate { define, seed, working, step, distinct, enough, last } => {
                self.iteration((*define, *seed, *working), *step, (*distinct, *enough, *last));
            }
            Let::Concat { define, inputs } => {
                let inputs: Vec<String> = inputs.iter().map(|input| self.collection(*input)).collect();
                let fields: Vec<String> = self.program.collection(*define).fields.iter().map(field_name).collect();
                let define = self.number(*define);
                self.line(&format!("{define} concat {} as {}", inputs.join(", "), fields.join(", ")));
            }
            Let::Values { define, rows } => self.values(*define, rows),
        }
    }

    fn values(&mut self, define: CollectionId, rows: &[Vec<ScalarId>]) {
        for row in rows {
            self.blocks_of(row);
        }
        let fields: Vec<String> = self
            .program
            .collection(define)
            .fields
            .iter()
            .map(|field| format!("{} {}", identifier(&field.name), field_type(field)))
            .collect();
        let number = self.number(define);
        self.line(&format!("{number} values"));
        self.depth += 1;
        self.line(format!("fields {}", fields.join(", ")).trim_end());
        for row in rows {
            let row = self.scalars(row);
            self.line(format!("row {row}").trim_end());
        }
        self.depth -= 1;
    }

    fn nest_index(&mut self, index: &Index) {
        let program = self.program;
        if let Some((key, _)) = index.source.probe() {
            self.blocks_of(&key.iter().map(|part| part.scalar).collect::<Vec<_>>());
        }
        if let Source::Count(count) = &index.source {
            self.blocks_of(&[*count]);
        }
        let text = match &index.source {
            Source::Rows(collection) => self.collection(*collection),
            Source::Bucket { collection, key } => format!("{}[{}]", self.collection(*collection), self.key(key)),
            Source::BucketOrNull { collection, key, .. } => {
                format!("{}[{}] or null", self.collection(*collection), self.key(key))
            }
            Source::BucketAndRest { collection, key, .. } => {
                format!("{}[{}] and rest", self.collection(*collection), self.key(key))
            }
            Source::Count(count) => format!("count({})", self.scalar(*count)),
        };
        let next = self.indices.len();
        self.indices.insert(index.id, next);
        self.shown.insert(index.id, program.source_fields(&index.source));
        self.line(&format!("i{next} in {text}"));
        if let Some((_, condition)) = index.source.probe() {
            self.depth += 1;
            self.conditions(condition);
            self.depth -= 1;
        }
    }

    fn conditions(&mut self, condition: &[ScalarId]) {
        for &each in condition {
            self.scalar_line("if ", each);
        }
    }

    fn scalar_line(&mut self, prefix: &str, scalar: ScalarId) {
        self.blocks_of(&[scalar]);
        let text = self.scalar(scalar);
        self.line(&format!("{prefix}{text}"));
    }

    fn generator(&mut self, define: CollectionId, generator: &Generator) {
        let program = self.program;
        let fields = &program.collection(define).fields;
        if let Generator::Reduce { aggregates, .. } = generator
            && let [Aggregate { reduction: Reduction::TopK { order, limit, offset }, arguments, .. }] = &aggregates[..]
        {
            self.blocks_of(&[*limit, *offset]);
            let number = self.number(define);
            let (limit, offset) = (self.scalar(*limit), self.scalar(*offset));
            self.line(&format!("{number} top_k limit {limit} offset {offset}"));
            self.depth += 1;
            self.conditions(generator.condition());
            let (keys, values) = arguments.split_at(order.len());
            for (key, order) in keys.iter().zip(order) {
                self.blocks_of(&[*key]);
                let text = format!("by {}{}", self.scalar(*key), order_text(*order));
                self.line(&text);
            }
            self.fields(fields, values);
            self.depth -= 1;
            return;
        }
        let number = self.number(define);
        let name = match generator {
            Generator::Collect { .. } => "collect",
            Generator::Reduce { .. } => "reduce",
            Generator::BucketCollect { .. } => "bucket_collect",
            Generator::BucketReduce { .. } => "bucket_reduce",
        };
        self.line(&format!("{number} {name}"));
        self.depth += 1;
        self.conditions(generator.condition());
        let keys = generator.key();
        for (field, key) in fields.iter().zip(keys) {
            self.scalar_line(&format!("key {} = ", field_name(field)), *key);
        }
        match generator {
            Generator::Collect { value, .. } => self.fields(fields, value),
            Generator::BucketCollect { value, .. } => self.fields(program.members(define), value),
            Generator::Reduce { aggregates, .. } | Generator::BucketReduce { aggregates, .. } => {
                for (field, aggregate) in fields[keys.len()..].iter().zip(aggregates) {
                    self.blocks_of(&[&aggregate.arguments[..], &aggregate.condition[..]].concat());
                    let text = self.aggregate(aggregate);
                    self.line(&format!("{} = {text}", field_name(field)));
                }
            }
        }
        self.depth -= 1;
    }

    fn fields(&mut self, fields: &[Field], values: &[ScalarId]) {
        for (field, value) in fields.iter().zip(values) {
            self.scalar_line(&format!("{} = ", field_name(field)), *value);
        }
    }

    /// Prints the blocks that these scalars use and that have not been printed yet.
    fn blocks_of(&mut self, scalars: &[ScalarId]) {
        for &id in scalars {
            if !self.clear.insert(id) {
                continue;
            }
            let scalar = self.program.scalars.get(id);
            if let Scalar::Nested { block, .. } = scalar
                && !self.blocks.contains_key(block)
            {
                self.block(*block);
            }
            self.blocks_of(&scalar.children());
        }
    }

    fn block(&mut self, id: BlockId) {
        let number = self.blocks.len();
        self.blocks.insert(id, number);
        self.line(&format!("block b{number}"));
        let program = self.program;
        self.deeper(|printer| printer.lets(program.block(id)));
    }

    /// The lets of a block that is not the body, and its result.
    pub(super) fn lets(&mut self, block: &Block) {
        block.lets.iter().for_each(|each| self.definition(each));
        self.line(&format!("result {}", self.collection(block.result)));
    }

    /// What stands one level further in.
    pub(super) fn deeper(&mut self, print: impl FnOnce(&mut Self)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }
}

pub(super) fn field_name(field: &Field) -> String {
    format!("{}{}", identifier(&field.name), if field.nullable { "?" } else { "" })
}

fn field_type(field: &Field) -> String {
    format!("{}{}", field.data_type, if field.nullable { "?" } else { "" })
}

/// Direction and place of NULLs, where they are not ASC NULLS LAST.
pub(super) fn order_text(order: SortOrder) -> &'static str {
    match (order.descending, order.nulls_first) {
        (false, false) => "",
        (false, true) => " nulls first",
        (true, true) => " desc nulls first",
        (true, false) => " desc",
    }
}
