//! Random loops: a nest, and what is made of its rows.

use super::Writer;
use super::scalars::{has_forms, is_ordered};
use multiloop_planner::evaluate::quantile::{Fraction, Quantile};
use multiloop_planner::function::{Function, VectorFunction};
use multiloop_planner::multiloop::{
    Aggregate, CollectionId, Gather, Generator, Index, KeyPart, Let, Multiloop, Reduction, Scalar, ScalarId, Shape,
    Source,
};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field, SortOrder};
use multiloop_planner::value::Value;

/// Groups, and rows of a bucket, about.
const GROUPS: u64 = 100;
const BUCKET_ROWS: u64 = 20;

impl Writer {
    /// A loop over no more tuples than about these.
    pub(super) fn multiloop(&mut self, most: u64) -> Let {
        if self.once_in(5)
            && let Some(plain) = self.plain_buckets()
        {
            return plain;
        }
        let (open, tuples) = (self.open.len(), self.tuples);
        let nest = self.nest(most);
        let shared = self.conditions();
        let kinds = 1 + self.weighted(&[5, 3, 1]);
        let made = (0..kinds).map(|_| self.generator(&shared)).collect();
        self.end_loop(nest, made, (open, tuples))
    }

    /// A loop whose first generator reduces all rows to one, a field of which has this type.
    pub(super) fn reducing(&mut self, most: u64, data_type: DataType) -> Let {
        let (open, tuples) = (self.open.len(), self.tuples);
        let nest = self.nest(most);
        let condition = self.conditions();
        let extreme = if self.once_in(2) { Reduction::Min } else { Reduction::Max };
        let argument = self.scalar(data_type, 1);
        let aggregates = match data_type {
            DataType::BigInt if self.once_in(2) => Aggregate::new(Reduction::CountRows, Vec::new(), data_type),
            DataType::Boolean if !self.fails => {
                let reduction = if self.once_in(2) { Reduction::Any } else { Reduction::All };
                Aggregate::new(reduction, vec![argument], data_type)
            }
            _ => Aggregate::new(extreme, vec![argument], data_type),
        };
        let mut aggregates = vec![aggregates];
        aggregates.extend((0..self.weighted(&[3, 2, 1])).map(|_| self.aggregate(&[])));
        let fields = self.aggregate_fields(&aggregates, false);
        let define = self.program.add_collection(fields, Shape::Single);
        let reduce = Generator::Reduce { condition, aggregates };
        self.end_loop(nest, vec![(define, reduce, (1, 0))], (open, tuples))
    }

    /// The first row in an order that the rows around it may have a say in, and a loop that takes its fields.
    pub(super) fn first_row(&mut self, most: u64, data_type: DataType) -> [Let; 2] {
        let (open, tuples) = (self.open.len(), self.tuples);
        let nest = self.nest(most);
        let condition = if self.once_in(2) { self.conditions() } else { Vec::new() };
        let order: Vec<SortOrder> = (0..1 + self.pick(2)).map(|_| self.sort_order()).collect();
        let mut arguments: Vec<ScalarId> = Vec::new();
        for _ in &order {
            let (of, depth) = (self.ordered_type(), 1 + self.pick(2));
            arguments.push(self.scalar(of, depth));
        }
        let mut value = vec![if is_ordered(data_type) { self.leaf(data_type) } else { self.constant(data_type) }];
        if self.once_in(2) {
            value.push(arguments[0]);
        }
        for _ in 0..self.pick(2) {
            let of = self.ordered_type();
            value.push(self.leaf(of));
        }
        let fields = self.fields_of(&value);
        arguments.extend(value);
        let bigint = DataType::BigInt;
        let (limit, offset) = (self.integer(1, bigint), self.program.scalars.constant(Value::Null, bigint));
        let top_k = Aggregate::new(Reduction::TopK { order, limit, offset }, arguments, DataType::Null);
        let first = self.program.add_collection(fields.clone(), Shape::Rows);
        let generator = Generator::Reduce { condition, aggregates: vec![top_k] };
        let chosen = self.end_loop(nest, vec![(first, generator, (1, 0))], (open, tuples));

        let (open, tuples) = (self.open.len(), self.tuples);
        let index = self.over(first);
        let column = self.program.scalars.column(index.id, 0, fields[0].data_type);
        let aggregates = vec![Aggregate::new(Reduction::Single, vec![column], fields[0].data_type)];
        let fields = self.aggregate_fields(&aggregates, false);
        let define = self.program.add_collection(fields, Shape::Single);
        let reduce = Generator::Reduce { condition: Vec::new(), aggregates };
        [chosen, self.end_loop(vec![index], vec![(define, reduce, (1, 0))], (open, tuples))]
    }

    fn end_loop(
        &mut self,
        nest: Vec<Index>,
        made: Vec<(CollectionId, Generator, (u64, u64))>,
        (open, tuples): (usize, u64),
    ) -> Let {
        self.open.truncate(open);
        self.tuples = tuples;
        let rows: Vec<(u64, u64)> = made.iter().map(|(_, _, rows)| *rows).collect();
        let (defines, generators) = made.into_iter().map(|(define, generator, _)| (define, generator)).unzip();
        let each = Let::Loop { defines, multiloop: Multiloop { nest, generators } };
        self.defined(&each, &rows);
        each
    }

    /// Buckets of a table's columns as they are, by one of them, mostly the first: they may be there already.
    fn plain_buckets(&mut self) -> Option<Let> {
        let table = self.one_made(|program, made| matches!(program.collection(made.id).shape, Shape::Table { .. }))?;
        let fields = self.program.collection(table.id).fields.clone();
        let at = if self.once_in(3) { self.pick(fields.len()) } else { 0 };
        if !is_ordered(fields[at].data_type) {
            return None;
        }
        let (open, tuples) = (self.open.len(), self.tuples);
        let index = self.over(table.id);
        let column =
            |writer: &mut Self, at: usize| writer.program.scalars.column(index.id, at as u32, fields[at].data_type);
        let key = vec![column(self, at)];
        let value: Vec<ScalarId> = (0..fields.len()).map(|at| column(self, at)).collect();
        let (key_fields, members) = (self.fields_of(&key), self.fields_of(&value));
        let define = self.program.add_collection(key_fields, Shape::Buckets { members });
        let bucket = Generator::BucketCollect { condition: Vec::new(), key, value };
        let rows = (table.rows, table.rows.min(BUCKET_ROWS));
        Some(self.end_loop(vec![index], vec![(define, bucket, rows)], (open, tuples)))
    }

    /// Groups of a table by its key, and a loop over the table that asks for those of its rows: they may be made of the rows
    /// beside each.
    pub(super) fn groups_beside(&mut self) -> Option<Vec<Let>> {
        let table = self.one_made(|program, made| matches!(program.collection(made.id).shape, Shape::Table { .. }))?;
        let fields = self.program.collection(table.id).fields.clone();
        let around = (self.open.len(), self.tuples);
        let index = self.over(table.id);
        let key = vec![self.program.scalars.column(index.id, 0, fields[0].data_type)];
        let at = self.pick(fields.len());
        let of = self.program.scalars.column(index.id, at as u32, fields[at].data_type);
        let rows = Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt);
        let aggregates = vec![rows, Aggregate::new(Reduction::Max, vec![of], fields[at].data_type)];
        let mut made = self.fields_of(&key);
        made.extend(self.aggregate_fields(&aggregates, true));
        let groups = self.program.add_collection(made, Shape::Groups { keys: 1 });
        let reduce = Generator::BucketReduce { condition: Vec::new(), key, aggregates };
        let first = self.end_loop(vec![index], vec![(groups, reduce, (table.rows, 0))], around);
        let index = self.over(table.id);
        let scalar = self.program.scalars.column(index.id, 0, fields[0].data_type);
        let key = vec![KeyPart { scalar, null_matches: self.once_in(3) }];
        let asked = [(1, DataType::BigInt), (2, fields[at].data_type)];
        let lookup = |(field, of)| {
            let lookup = Scalar::Lookup { collection: groups, key: key.clone(), field };
            self.program.scalars.intern(lookup, of)
        };
        let value: Vec<ScalarId> = asked.into_iter().map(lookup).collect();
        // Nobody else asks them.
        self.made.retain(|made| made.id != groups);
        let condition = self.conditions();
        let shown = self.fields_of(&value);
        let define = self.program.add_collection(shown, Shape::Rows);
        let collect = Generator::Collect { condition, value };
        Some(vec![first, self.end_loop(vec![index], vec![(define, collect, (table.rows, 0))], around)])
    }

    /// An index over a table, which is open then.
    fn over(&mut self, table: CollectionId) -> Index {
        let index = self.program.index_over(Source::Rows(table));
        self.nullability.enter(&self.program, &index);
        self.open.push((index.id, self.program.source_fields(&index.source)));
        index
    }

    /// Mostly none, so that rows are left.
    fn conditions(&mut self) -> Vec<ScalarId> {
        (0..self.weighted(&[8, 3, 1])).map(|_| self.condition(2)).collect()
    }

    fn fields_of(&mut self, scalars: &[ScalarId]) -> Vec<Field> {
        scalars.iter().map(|&scalar| self.field_of(scalar)).collect()
    }

    fn generator(&mut self, shared: &[ScalarId]) -> (CollectionId, Generator, (u64, u64)) {
        let mut condition = shared.to_vec();
        condition.extend(self.conditions());
        let tuples = self.tuples;
        match self.weighted(&[4, 2, 4, 6, 2]) {
            0 => {
                let value = self.values(4);
                let fields = self.fields_of(&value);
                let define = self.program.add_collection(fields, Shape::Rows);
                (define, Generator::Collect { condition, value }, (tuples, 0))
            }
            1 => {
                let aggregates: Vec<Aggregate> = (0..1 + self.pick(3)).map(|_| self.aggregate(&[])).collect();
                let fields = self.aggregate_fields(&aggregates, false);
                let define = self.program.add_collection(fields, Shape::Single);
                (define, Generator::Reduce { condition, aggregates }, (1, 0))
            }
            2 => {
                let (key, value) = (self.new_key(), self.values(3));
                let (fields, members) = (self.fields_of(&key), self.fields_of(&value));
                let define = self.program.add_collection(fields, Shape::Buckets { members });
                let bucket = Generator::BucketCollect { condition, key, value };
                (define, bucket, (tuples.min(GROUPS), tuples.min(BUCKET_ROWS)))
            }
            3 => {
                let key = self.new_key();
                let aggregates: Vec<Aggregate> =
                    (0..self.weighted(&[3, 3, 2, 1])).map(|_| self.aggregate(&key)).collect();
                let mut fields = self.fields_of(&key);
                fields.extend(self.aggregate_fields(&aggregates, true));
                let define = self.program.add_collection(fields, Shape::Groups { keys: key.len() as u32 });
                (define, Generator::BucketReduce { condition, key, aggregates }, (tuples.min(GROUPS), 0))
            }
            _ => self.top_k(condition),
        }
    }

    /// Values of any types, some of them as they are.
    fn values(&mut self, most: usize) -> Vec<ScalarId> {
        let value = |writer: &mut Self| {
            let (data_type, depth) = (writer.any_type(), writer.pick(3));
            writer.scalar(data_type, depth)
        };
        (0..1 + self.pick(most)).map(|_| value(self)).collect()
    }

    /// The parts of a key: mostly one column.
    fn new_key(&mut self) -> Vec<ScalarId> {
        let part = |writer: &mut Self| {
            let depth = writer.weighted(&[4, 1, 1]);
            let data_type = if writer.once_in(3) { writer.ordered_type() } else { DataType::Integer };
            writer.scalar(data_type, depth)
        };
        (0..self.weighted(&[1, 14, 5, 1])).map(|_| part(self)).collect()
    }

    fn aggregate_fields(&mut self, aggregates: &[Aggregate], has_rows: bool) -> Vec<Field> {
        let field = |aggregate: &Aggregate| {
            let nullable = self.nullability.aggregate(&self.program, aggregate, has_rows) || self.once_in(6);
            Field { name: self.name(), data_type: aggregate.data_type, nullable }
        };
        aggregates.iter().map(field).collect()
    }

    /// An aggregate of groups of this key, or of all rows.
    fn aggregate(&mut self, key: &[ScalarId]) -> Aggregate {
        let condition = if self.once_in(4) { vec![self.condition(1)] } else { Vec::new() };
        let (data_type, depth) = (self.any_type(), self.pick(3));
        let mut aggregate = match self.pick(12) {
            0 | 1 => Aggregate::new(Reduction::CountRows, Vec::new(), DataType::BigInt),
            2 => Aggregate::new(Reduction::Count, vec![self.scalar(data_type, depth)], DataType::BigInt),
            3..6 => self.sum(data_type, depth),
            6 if !self.fails => {
                let reduction = if self.once_in(2) { Reduction::Any } else { Reduction::All };
                Aggregate::new(reduction, vec![self.condition(2)], DataType::Boolean)
            }
            7 if !key.is_empty() => {
                let part = key[self.pick(key.len())];
                let data_type = self.program.scalars.data_type(part);
                // Of keys that are equal and differ any may be the first.
                let part = if has_forms(data_type) { self.constant(data_type) } else { part };
                Aggregate::new(Reduction::First, vec![part], data_type)
            }
            8 if self.fails => Aggregate::new(Reduction::Single, vec![self.scalar(data_type, depth)], data_type),
            8 if self.once_in(2) => self.gathered(),
            8 => self.quantile(data_type, depth),
            9 => {
                let reduction = Reduction::Variance { sample: self.once_in(2) };
                let (of, data_type) = match self.pick(3) {
                    0 => (DataType::Double, DataType::Double),
                    1 => (DataType::Integer, DataType::Numeric),
                    _ => (DataType::Numeric, DataType::Numeric),
                };
                Aggregate::new(reduction, vec![self.scalar(of, depth)], data_type)
            }
            10 => Aggregate::new(Reduction::Min, vec![self.scalar(data_type, depth)], data_type),
            _ => Aggregate::new(Reduction::Max, vec![self.scalar(data_type, depth)], data_type),
        };
        aggregate.condition = condition;
        aggregate.distinct = self.may_be_distinct(&aggregate) && self.once_in(4);
        aggregate
    }

    fn may_be_distinct(&self, aggregate: &Aggregate) -> bool {
        let takes = matches!(aggregate.reduction, Reduction::Count | Reduction::Sum | Reduction::Min | Reduction::Max);
        takes && aggregate.arguments.iter().all(|&of| is_ordered(self.program.scalars.data_type(of)))
    }

    fn sum(&mut self, data_type: DataType, depth: usize) -> Aggregate {
        if let Some((of, length)) = data_type.vector_of()
            && self.once_in(3)
        {
            return self.sum_of_outer_products(of, length, depth);
        }
        let (of, result) = match data_type {
            DataType::BigInt => (data_type, DataType::decimal(DECIMAL_DIGITS_MAX, 0)),
            DataType::Decimal { scale, .. } => (data_type, DataType::decimal(DECIMAL_DIGITS_MAX, scale)),
            DataType::Double | DataType::Real | DataType::Interval | DataType::Numeric => (data_type, data_type),
            DataType::SmallInt => (data_type, DataType::BigInt),
            vector if let Some((_, length)) = vector.vector_of() => {
                (vector, if self.once_in(2) { DataType::vector(DataType::Double, length) } else { vector })
            }
            _ => (DataType::Integer, DataType::BigInt),
        };
        Aggregate::new(Reduction::Sum, vec![self.scalar(of, depth)], result)
    }

    fn sum_of_outer_products(&mut self, of: DataType, length: u32, depth: usize) -> Aggregate {
        let left = self.scalar(DataType::vector(of, length), depth);
        let right = if self.once_in(3) { left } else { self.scalar(DataType::vector(of, length), depth) };
        let product = Function::Vector(VectorFunction::OuterProduct);
        let product = self.program.scalars.call(product, vec![left, right], DataType::vector(of, length * length));
        let result = if self.once_in(2) { DataType::Double } else { of };
        Aggregate::new(Reduction::Sum, vec![product], DataType::vector(result, length * length))
    }

    fn gathered(&mut self) -> Aggregate {
        let how = if self.once_in(2) { Gather::Sorted } else { Gather::Distinct };
        // A front, a NUL, and what is kept of it.
        let front = self.leaf(DataType::Text);
        let end = self.program.scalars.constant(Value::text("\0|"), DataType::Text);
        let text = vec![front, end];
        let text = self.program.scalars.call(Function::Concat, text, DataType::Text);
        Aggregate::new(Reduction::Gather(how), vec![text], DataType::Text)
    }

    fn quantile(&mut self, data_type: DataType, depth: usize) -> Aggregate {
        let data_type = match data_type {
            DataType::Boolean | DataType::Interval | DataType::Numeric | DataType::Nested(_) => DataType::Double,
            other => other,
        };
        let fraction = Fraction::new(self.pick(5) as f64 / 4.0).expect("at most 1");
        let of = match self.pick(3) {
            0 => Quantile::Mode,
            1 if data_type == DataType::Double => Quantile::Continuous(fraction),
            _ => Quantile::Discrete(fraction),
        };
        let how = Gather::One { of, descending: self.once_in(3) };
        Aggregate::new(Reduction::Gather(how), vec![self.scalar(data_type, depth)], data_type)
    }

    pub(super) fn sort_order(&mut self) -> SortOrder {
        SortOrder { descending: self.once_in(3), nulls_first: self.once_in(3) }
    }

    /// Rows in order up to a number of them; in no order rows that are all the same.
    fn top_k(&mut self, condition: Vec<ScalarId>) -> (CollectionId, Generator, (u64, u64)) {
        let bigint = DataType::BigInt;
        let has_order = !self.once_in(6);
        let order: Vec<SortOrder> =
            (0..if has_order { 1 + self.pick(2) } else { 0 }).map(|_| self.sort_order()).collect();
        let key = |writer: &mut Self| {
            let (data_type, depth) = (writer.ordered_type(), writer.pick(2));
            writer.scalar(data_type, depth)
        };
        // Vectors are no keys, but rows have them, and they break ties as all fields do.
        let carried = |writer: &mut Self| match writer.any_type() {
            vector if vector.is_vector() => writer.scalar(vector, 1),
            _ => key(writer),
        };
        let mut arguments: Vec<ScalarId> = order.iter().map(|_| key(self)).collect();
        // Ties are broken by all fields, whose values are as they compare.
        let fields = 1 + self.pick(3);
        let value: Vec<ScalarId> =
            (0..fields).map(|_| if has_order { carried(self) } else { self.constant(bigint) }).collect();
        let limit = match self.pick(6) {
            0 => self.program.scalars.constant(Value::Null, bigint),
            1 => self.program.scalars.intern(Scalar::Parameter(0), bigint),
            _ => {
                let limit = self.random.below(40) as i64;
                self.integer(limit, bigint)
            }
        };
        let offset = self.random.below(3) as i64;
        let offset = self.integer(offset, bigint);
        let fields = self.fields_of(&value);
        arguments.extend(value);
        let top_k = Aggregate::new(Reduction::TopK { order, limit, offset }, arguments, DataType::Null);
        let define = self.program.add_collection(fields, Shape::Rows);
        (define, Generator::Reduce { condition, aggregates: vec![top_k] }, (self.tuples.min(40), 0))
    }
}
