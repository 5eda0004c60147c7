//! Checks everything that a program must obey. Runs after every rule in debug builds and tests.
//!
//! **Collections.** Every collection is defined once: a table, or one let of one live block. A let reads, and its
//! scalars look up, only what is a table or defined before it, in its block or in one around it. A block's result
//! is a table, defined in the block or around it; the body's output names fields of its result.
//!
//! **Indices.** Every index stands in one nest. A nest's sources read indices in front of them, or of enclosing
//! loops (a `BucketOrNull`'s or `BucketAndRest`'s condition its own, too); generators read those of their nest and of
//! enclosing loops. A
//! nested block sees the indices of the place where it is used. A nest has at least one index.
//!
//! **Shapes.** `Bucket`, `BucketOrNull` and `BucketAndRest` go over Buckets; `Lookup` reads a field of Groups that is not key;
//! `Exists` asks Buckets or Groups; `Single` reads, and a nested block gives, a Single. A Collect and a top-k
//! define Rows, a Reduce a Single, a BucketCollect Buckets, a BucketReduce Groups of as many keys as it has.
//! `TopK` stands alone in a Reduce, and its limit and offset read no index.
//!
//! **Types.** Fields are in range and scalars have the types of what they read. Conditions and logic are boolean.
//! Comparisons and arithmetic have arguments of one class, decimals of one scale (but for products and quotients).
//! Keys have as many parts as the bucket, of the same class. Generators' values have their fields' types;
//! a Sort's fields are its input's, a Concat's are each of its inputs'; a Window's begin with its input's, which are Rows, and
//! go on with its functions'.
//!
//! **Iterations.** Seed, working collection, the step's result and the iteration itself have the same fields. The working
//! collection is defined in the step, and nowhere else.
//!
//! **DISTINCT.** Numerics are told apart by their texts, and equal ones of two scales (1.1 and 1.10) have two. So one that
//! DISTINCT counts is a constant, or what `trim_scale` gives; or its key, which is text (`numeric_key`).
//!
//! **Claims.** A field that claims not to be NULL is given a scalar that cannot be, as `analysis/nullability`
//! sees it (a row of Groups has at least one row behind it).

use crate::analysis::nullability::Nullability;
use crate::function::Function;
use crate::multiloop::kept::{Behind, Keeps, Step, kept};
use crate::multiloop::{
    Aggregate, BlockId, CollectionId, Generator, Index, IndexId, KeyPart, Let, Multiloop, Program, Reduction, Scalar,
    ScalarId, Shape, Source, WindowCallee, WindowField,
};
use crate::types::{DataType, Field, SortOrder};
use rustc_hash::{FxHashMap, FxHashSet};

/// The first thing that is wrong with a program.
pub fn verify(program: &Program) -> Result<(), String> {
    let mut verifier = Verifier {
        program,
        defined: FxHashSet::default(),
        ever_defined: FxHashSet::default(),
        sources: FxHashMap::default(),
        scope: Vec::new(),
        nullability: Nullability::default(),
        typed: FxHashSet::default(),
    };
    verifier.block(program.body)?;
    let fields = &program.collection(program.body().result).fields;
    for (name, field) in &program.output {
        check((*field as usize) < fields.len(), || format!("output {name} is not a field of the result"))?;
    }
    Ok(())
}

struct Verifier<'p> {
    program: &'p Program,
    /// What can be read here.
    defined: FxHashSet<CollectionId>,
    /// What some let has defined, be it in scope or not, and where.
    ever_defined: FxHashSet<CollectionId>,
    /// The fields that indices show.
    sources: FxHashMap<IndexId, Vec<Field>>,
    /// The indices in scope, outermost first.
    scope: Vec<IndexId>,
    nullability: Nullability,
    /// Scalars whose types are known to be right.
    typed: FxHashSet<ScalarId>,
}

type Checked = Result<(), String>;

fn check(holds: bool, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(problem()) }
}

/// Whether values of two types may be compared and share a key.
fn same_class(a: DataType, b: DataType) -> bool {
    a == b
        || a == DataType::Null
        || b == DataType::Null
        || (a.is_text() && b.is_text())
        || (a.is_decimal() && b.is_decimal() && a.scale() == b.scale())
}

impl Verifier<'_> {
    fn block(&mut self, id: BlockId) -> Checked {
        check((id.0 as usize) < self.program.blocks.len(), || format!("no block {}", id.0))?;
        let block = self.program.block(id);
        let before = self.defined.clone();
        for each in &block.lets {
            self.definition(each)?;
            self.nullability.define(self.program, each);
            for &define in each.defines() {
                check(self.ever_defined.insert(define), || format!("collection {} is defined twice", define.0))?;
                self.defined.insert(define);
            }
        }
        self.readable_rows(block.result, "a block's result")?;
        self.defined = before;
        Ok(())
    }

    /// A collection that can be read here.
    fn readable(&self, id: CollectionId, what: &str) -> Checked {
        check((id.0 as usize) < self.program.collections.len(), || format!("{what}: no collection {}", id.0))?;
        let is_table = matches!(self.program.collection(id).shape, Shape::Table { .. });
        check(is_table || self.defined.contains(&id), || {
            format!("{what} reads collection {} before it is defined", id.0)
        })
    }

    /// As [`Self::readable`], of what is no buckets: those only an index reads.
    fn readable_rows(&self, id: CollectionId, what: &str) -> Checked {
        self.readable(id, what)?;
        let is_buckets = matches!(self.program.collection(id).shape, Shape::Buckets { .. });
        check(!is_buckets, || format!("{what} is of buckets"))
    }

    fn definition(&mut self, each: &Let) -> Checked {
        match each {
            Let::Loop { defines, multiloop } => self.multiloop(defines, multiloop),
            Let::Sort { define, input, order } => {
                self.readable_rows(*input, "a sort")?;
                let (from, to) = (&self.program.collection(*input).fields, self.rows(*define, "a sort")?);
                self.same_fields(from, to, "a sort")?;
                check(order.iter().all(|(field, _)| (*field as usize) < from.len()), || {
                    "a sort orders by a field that is not there".to_owned()
                })
            }
            Let::Window { define, input, partition, order, functions } => {
                self.window((*define, *input), partition, order, functions)
            }
            Let::Iterate { define, seed, working, step, distinct, enough, last } => {
                let fields = &self.program.collection(*define).fields;
                let counts =
                    |field: u32| fields.get(field as usize).is_some_and(|of| of.data_type == DataType::Boolean);
                check(enough.is_none_or(|enough| enough.field.is_none_or(counts)), || {
                    "what counts in an iteration is no boolean field of it".to_owned()
                })?;
                check(last.is_none() || !distinct, || {
                    "a state goes round, and rows that were there do not".to_owned()
                })?;
                self.iteration((*define, *seed, *working), *step)
            }
            Let::Concat { define, inputs } => {
                for input in inputs {
                    self.readable_rows(*input, "a concat")?;
                    let (from, to) = (&self.program.collection(*input).fields, self.rows(*define, "a concat")?);
                    self.same_fields(from, to, "a concat")?;
                }
                Ok(())
            }
            Let::Values { define, rows } => {
                for row in rows {
                    let fields = self.rows(*define, "values")?.to_vec();
                    self.values(&fields, row, "values")?;
                }
                Ok(())
            }
        }
    }

    fn window(
        &mut self,
        (define, input): (CollectionId, CollectionId),
        partition: &[u32],
        order: &[(u32, SortOrder)],
        functions: &[WindowField],
    ) -> Checked {
        self.readable_rows(input, "a window")?;
        let (from, to) = (self.rows(input, "what a window reads")?, self.rows(define, "a window")?);
        check(to.len() == from.len() + functions.len(), || "a window adds other fields than its functions".to_owned())?;
        self.same_fields(from, &to[..from.len()], "a window")?;
        let arguments = functions.iter().flat_map(|function| &function.arguments);
        let mut read = order.iter().map(|(field, _)| field).chain(partition).chain(arguments);
        check(read.all(|&field| (field as usize) < from.len()), || {
            "a window reads a field that is not there".to_owned()
        })?;
        for (field, function) in to[from.len()..].iter().zip(functions) {
            check(function.arguments.len() == function.arity() + function.frame.arity(), || {
                format!("{:?} of a wrong arity", function.function)
            })?;
            let reduces = |reduction: &Reduction| !reduction.gives_rows();
            let is_field = !matches!(&function.function, WindowCallee::Aggregate(reduction) if !reduces(reduction));
            check(is_field, || format!("{:?} of a frame", function.function))?;
            check(same_class(field.data_type, function.data_type), || {
                format!("field {} is {}, its function {}", field.name, field.data_type, function.data_type)
            })?;
            check(field.nullable || !function.is_nullable(), || format!("field {} may be NULL", field.name))?;
        }
        Ok(())
    }

    fn iteration(
        &mut self,
        (define, seed, working): (CollectionId, CollectionId, CollectionId),
        step: BlockId,
    ) -> Checked {
        self.readable_rows(seed, "an iteration")?;
        let fields = self.rows(define, "an iteration")?;
        check(fields == self.rows(working, "an iteration's round")?, || {
            "the fields of an iteration and of its rounds differ".to_owned()
        })?;
        self.same_fields(&self.program.collection(seed).fields, fields, "an iteration")?;
        check(self.ever_defined.insert(working), || format!("collection {} is defined twice", working.0))?;
        self.defined.insert(working);
        self.block(step)?;
        self.defined.remove(&working);
        let made = &self.program.collection(self.program.block(step).result).fields;
        self.same_fields(made, self.rows(define, "an iteration")?, "an iteration's step")
    }

    fn rows(&self, id: CollectionId, what: &str) -> Result<&[Field], String> {
        let collection = self.program.collection(id);
        check(collection.shape == Shape::Rows, || format!("{what} does not define Rows"))?;
        Ok(&collection.fields)
    }

    fn same_fields(&self, from: &[Field], to: &[Field], what: &str) -> Checked {
        check(from.len() == to.len(), || format!("{what} has {} fields of {}", to.len(), from.len()))?;
        for (from, to) in from.iter().zip(to) {
            check(same_class(from.data_type, to.data_type), || {
                format!("{what}: field {} is {} of {}", to.name, to.data_type, from.data_type)
            })?;
            check(to.nullable || !from.nullable, || format!("{what}: field {} can be NULL", to.name))?;
        }
        Ok(())
    }

    fn multiloop(&mut self, defines: &[CollectionId], multiloop: &Multiloop) -> Checked {
        check(!multiloop.nest.is_empty(), || "a nest without an index".to_owned())?;
        check(!multiloop.generators.is_empty(), || "a loop without a generator".to_owned())?;
        check(defines.len() == multiloop.generators.len(), || "a loop defines what no generator makes".to_owned())?;
        let depth = self.scope.len();
        for (at, index) in multiloop.nest.iter().enumerate() {
            self.index(index)?;
            if let Source::BucketAndRest { .. } = index.source {
                check(at > 0, || "the outermost index has a rest".to_owned())?;
                check(multiloop.rest() == Some(at), || "two indices of a nest have a rest".to_owned())?;
            }
            if kept(Step::InFrontOf(Behind::of(&index.source))).not_null == Keeps::No {
                self.nullability.enter_rest(&multiloop.nest[..at]);
            }
        }
        for (&define, generator) in defines.iter().zip(&multiloop.generators) {
            self.generator(define, generator)?;
        }
        self.scope.truncate(depth);
        Ok(())
    }

    fn index(&mut self, index: &Index) -> Checked {
        if let Source::Count(count) = &index.source {
            self.scalar(*count)?;
            let data_type = self.program.scalars.data_type(*count);
            check(same_class(data_type, DataType::BigInt), || format!("a count of type {data_type}"))?;
        }
        if let Some(collection) = index.source.collection() {
            self.readable(collection, "a nest")?;
        }
        if let (Some((key, _)), Some(collection)) = (index.source.probe(), &index.source.collection()) {
            let is_buckets = matches!(self.program.collection(*collection).shape, Shape::Buckets { .. });
            check(is_buckets, || format!("a Bucket index over collection {}, which is none of Buckets", collection.0))?;
            self.key(*collection, key)?;
        }
        let fields = self.program.source_fields(&index.source);
        check(self.sources.insert(index.id, fields).is_none(), || format!("index {} stands in two nests", index.id.0))?;
        self.scope.push(index.id);
        self.nullability.enter(self.program, index);
        if let Some((_, condition)) = index.source.probe() {
            self.conditions(condition)?;
        }
        Ok(())
    }

    fn conditions(&mut self, condition: &[ScalarId]) -> Checked {
        for &id in condition {
            self.scalar(id)?;
            let data_type = self.program.scalars.data_type(id);
            check(same_class(data_type, DataType::Boolean), || format!("a condition of type {data_type}"))?;
        }
        Ok(())
    }

    fn generator(&mut self, define: CollectionId, generator: &Generator) -> Checked {
        check((define.0 as usize) < self.program.collections.len(), || format!("no collection {}", define.0))?;
        let program = self.program;
        let collection = program.collection(define);
        self.conditions(generator.condition())?;
        let keys = generator.key();
        match (generator, &collection.shape) {
            (Generator::Collect { value, .. }, Shape::Rows) => self.values(&collection.fields, value, "a collect"),
            (Generator::BucketCollect { value, .. }, Shape::Buckets { members }) => {
                self.values(&collection.fields, keys, "a bucket's key")?;
                self.values(members, value, "a bucket collect")
            }
            (Generator::Reduce { aggregates, .. }, Shape::Rows) => self.top_k(&collection.fields, aggregates),
            (Generator::Reduce { aggregates, .. }, Shape::Single) => {
                self.aggregates(&collection.fields, aggregates, false)
            }
            (Generator::BucketReduce { aggregates, .. }, Shape::Groups { keys: count }) => {
                let split = keys.len();
                check(split == *count as usize && split <= collection.fields.len(), || {
                    format!("groups of {count} keys have a key of {split} parts")
                })?;
                self.values(&collection.fields[..split], keys, "a group's key")?;
                self.aggregates(&collection.fields[split..], aggregates, true)
            }
            _ => Err(format!("collection {} has not the shape that its generator makes", define.0)),
        }
    }

    fn values(&mut self, fields: &[Field], values: &[ScalarId], what: &str) -> Checked {
        check(fields.len() == values.len(), || format!("{what}: {} values for {} fields", values.len(), fields.len()))?;
        for (field, &value) in fields.iter().zip(values) {
            self.scalar(value)?;
            let data_type = self.program.scalars.data_type(value);
            check(same_class(data_type, field.data_type), || {
                format!("{what}: field {} is {}, its value {data_type}", field.name, field.data_type)
            })?;
            let nullable = self.nullability.scalar(self.program, value);
            check(field.nullable || !nullable, || format!("{what}: field {} may be NULL", field.name))?;
        }
        Ok(())
    }

    fn aggregates(&mut self, fields: &[Field], aggregates: &[Aggregate], has_rows: bool) -> Checked {
        check(fields.len() == aggregates.len(), || "an aggregate without a field".to_owned())?;
        for (field, aggregate) in fields.iter().zip(aggregates) {
            let arguments = usize::from(aggregate.reduction != Reduction::CountRows);
            check(aggregate.arguments.len() == arguments, || format!("{:?} of a wrong arity", aggregate.reduction))?;
            check(!matches!(aggregate.reduction, Reduction::TopK { .. }), || "top-k is not alone".to_owned())?;
            for &argument in &aggregate.arguments {
                self.scalar(argument)?;
            }
            self.distinct(aggregate)?;
            self.conditions(&aggregate.condition)?;
            check(same_class(field.data_type, aggregate.data_type), || {
                format!("field {} is {}, its aggregate {}", field.name, field.data_type, aggregate.data_type)
            })?;
            let nullable = self.nullability.aggregate(self.program, aggregate, has_rows);
            check(field.nullable || !nullable, || format!("aggregate {} may be NULL", field.name))?;
        }
        Ok(())
    }

    /// Equal arguments that are to count once have one form.
    fn distinct(&self, aggregate: &Aggregate) -> Checked {
        let scalars = &self.program.scalars;
        let of_one_form = |&argument: &ScalarId| {
            scalars.data_type(argument) != DataType::Numeric
                || matches!(
                    scalars.get(argument),
                    Scalar::Constant(_) | Scalar::Call { function: Function::TrimScale, .. }
                )
        };
        let counts = aggregate.distinct && !aggregate.reduction.properties().idempotent;
        check(!counts || aggregate.arguments.iter().all(of_one_form), || {
            format!("{:?} of distinct numerics of any scale", aggregate.reduction)
        })
    }

    fn top_k(&mut self, fields: &[Field], aggregates: &[Aggregate]) -> Checked {
        let [Aggregate { reduction: Reduction::TopK { order, limit, offset }, arguments, condition, distinct, .. }] =
            aggregates
        else {
            return Err("a Reduce defines Rows and is no top-k".to_owned());
        };
        check(condition.is_empty() && !distinct, || "a top-k with FILTER or DISTINCT".to_owned())?;
        check(order.len() <= arguments.len(), || "a top-k without its order keys".to_owned())?;
        for &key in &arguments[..order.len()] {
            self.scalar(key)?;
        }
        let scope = std::mem::take(&mut self.scope);
        self.scalar(*limit)?;
        self.scalar(*offset)?;
        self.scope = scope;
        self.values(fields, &arguments[order.len()..], "a top-k")
    }

    fn key(&mut self, collection: CollectionId, key: &[KeyPart]) -> Checked {
        let program = self.program;
        let found = program.collection(collection);
        let keys = match &found.shape {
            Shape::Buckets { .. } => found.fields.len(),
            Shape::Groups { keys } => *keys as usize,
            _ => return Err(format!("a key into collection {}, which has none", collection.0)),
        };
        check(keys == key.len(), || format!("a key of {} parts into collection {}", key.len(), collection.0))?;
        for (part, field) in key.iter().zip(&found.fields) {
            self.scalar(part.scalar)?;
            let data_type = program.scalars.data_type(part.scalar);
            check(same_class(data_type, field.data_type), || {
                format!("a key part is {data_type} for {}, which is {}", field.name, field.data_type)
            })?;
        }
        Ok(())
    }

    /// A scalar where the verifier stands: everything that it reads is in scope.
    fn scalar(&mut self, root: ScalarId) -> Checked {
        let mut seen = FxHashSet::default();
        self.scalar_once(root, &mut seen)
    }

    fn scalar_once(&mut self, id: ScalarId, seen: &mut FxHashSet<ScalarId>) -> Checked {
        if !seen.insert(id) {
            return Ok(());
        }
        let program = self.program;
        let node = program.scalars.node(id);
        let field_type = |fields: &[Field], field: u32| {
            let found = fields.get(field as usize).map(|field| field.data_type);
            check(found == Some(node.data_type), || format!("scalar {} reads {found:?} as {}", id.0, node.data_type))
        };
        match &node.scalar {
            Scalar::Column { index, field } => {
                check(self.scope.contains(index), || format!("index {} is read out of its scope", index.0))?;
                field_type(&self.sources[index], *field)?;
            }
            Scalar::Constant(value) => {
                check(value.fits(node.data_type), || format!("{value:?} is no {}", node.data_type))?;
            }
            Scalar::Parameter(number) => {
                let known = program.parameters.is_empty() || (*number as usize) < program.parameters.len();
                check(known, || format!("parameter {number} is not there"))?;
            }
            Scalar::Call { function, arguments } => {
                for &argument in arguments {
                    self.scalar_once(argument, seen)?;
                }
                if self.typed.insert(id) {
                    self.call(*function, arguments, node.data_type)?;
                }
            }
            Scalar::Lookup { collection, key, field } => {
                self.readable(*collection, "a lookup")?;
                let Shape::Groups { keys } = program.collection(*collection).shape else {
                    return Err(format!("a lookup in collection {}, which is none of Groups", collection.0));
                };
                check(*field >= keys, || "a lookup of a key".to_owned())?;
                field_type(&program.collection(*collection).fields, *field)?;
                self.key(*collection, key)?;
            }
            Scalar::Exists { collection, key } => {
                self.readable(*collection, "an exists")?;
                self.key(*collection, key)?;
            }
            Scalar::Element { collection, row, field } => {
                let found = program.collection(*collection);
                let of = || format!("an element of collection {}, which is no Table", collection.0);
                check(matches!(found.shape, Shape::Table { .. }), of)?;
                field_type(&found.fields, *field)?;
                self.scalar_once(*row, seen)?;
                check(program.scalars.data_type(*row) == DataType::BigInt, || {
                    "the number of a row is a bigint".to_owned()
                })?;
            }
            Scalar::Single { collection, field } => {
                self.readable(*collection, "a single")?;
                let found = program.collection(*collection);
                check(found.shape == Shape::Single, || format!("collection {} is read as a Single", collection.0))?;
                field_type(&found.fields, *field)?;
            }
            Scalar::Nested { block, field } => self.nested(*block, *field, node.data_type)?,
        }
        Ok(())
    }

    fn nested(&mut self, block: BlockId, field: u32, data_type: DataType) -> Checked {
        let result = self.program.block(block).result;
        let found = self.program.collection(result);
        check(found.shape == Shape::Single, || format!("nested block {} does not give a Single", block.0))?;
        check(found.fields.get(field as usize).is_some_and(|field| field.data_type == data_type), || {
            format!("nested block {} has no such field", block.0)
        })?;
        // Several fields, or several places, may read one block: look at it again, as if for the first time.
        let (ever_defined, sources) = (self.ever_defined.clone(), self.sources.clone());
        self.block(block)?;
        (self.ever_defined, self.sources) = (ever_defined, sources);
        Ok(())
    }

    fn call(&self, function: Function, arguments: &[ScalarId], result: DataType) -> Checked {
        use Function as F;
        let types: Vec<DataType> = arguments.iter().map(|&id| self.program.scalars.data_type(id)).collect();
        let problem = || format!("{function:?} of {types:?} gives {result}");
        let one_class = types.windows(2).all(|pair| same_class(pair[0], pair[1]));
        let boolean = same_class(result, DataType::Boolean);
        match function {
            F::And | F::Or | F::Not => {
                check(boolean && types.iter().all(|&each| same_class(each, DataType::Boolean)), problem)
            }
            F::Equal | F::NotEqual | F::Less | F::LessEqual | F::Greater | F::GreaterEqual => {
                check(boolean && types.len() == 2 && one_class, problem)
            }
            F::IsDistinct | F::IsNotDistinct => check(boolean && types.len() == 2 && one_class, problem),
            F::InList => check(boolean && !types.is_empty() && one_class, problem),
            F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse => check(boolean && types.len() == 1, problem),
            F::Add | F::Subtract | F::Modulo | F::Multiply | F::Divide if result == DataType::Numeric => {
                check(types.len() == 2 && types.iter().all(|each| each.is_numeric() && !each.is_float()), problem)
            }
            F::Add | F::Subtract | F::Modulo => check(types.len() == 2 && one_class, problem),
            F::Multiply | F::Divide => {
                let class = types.len() == 2 && (one_class || types.iter().all(|each| each.is_decimal()));
                let scale = function == F::Divide
                    || !result.is_decimal()
                    || types.iter().map(|each| each.scale()).sum::<u8>() == result.scale();
                check(class && scale, problem)
            }
            F::Case => {
                let conditions = types.iter().take(types.len().saturating_sub(1)).step_by(2);
                let boolean = conditions.copied().all(|each| same_class(each, DataType::Boolean));
                check(types.len() % 2 == 1 && boolean, problem)
            }
            F::Coalesce | F::NullIf | F::Greatest | F::Least => check(!types.is_empty() && one_class, problem),
            F::Cast | F::AssignCast | F::Negate => check(types.len() == 1, problem),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::multiloop::parse::parse;

    #[test]
    fn distinct_tells_numerics_by_one_form() {
        let of = |aggregate: &str| {
            let text = format!(
                "table %0 t(n#0 numeric?, x#1 decimal(12,2)?)\nloop\n  i0 in %0\n  %1 reduce\n    \
                 a? = {aggregate}\nresult %1\noutput a\n"
            );
            verify(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
        };
        let refused = ["count(distinct i0.n)", "sum(distinct i0.n)", "variance_sample(distinct i0.n)"];
        for aggregate in refused {
            assert!(of(aggregate).is_err_and(|problem| problem.contains("distinct numerics")), "{aggregate}");
        }
        let taken = [
            "count(distinct numeric_key(i0.n))",
            "count(distinct trim_scale(i0.n))",
            "sum(distinct trim_scale(i0.n))",
            "sum(distinct 1.10)",
            "max(distinct i0.n)",
            "sum(i0.n)",
            "count(distinct i0.x)",
        ];
        taken.into_iter().for_each(|aggregate| assert_eq!(of(aggregate), Ok(()), "{aggregate}"));
    }
}
