//! Random lets that are no loops: sorts, windows, iterations, rows one after the other, literal rows.

use super::scalars::{has_forms, is_ordered};
use super::{Made, Writer};
use multiloop_planner::function::Function;
use multiloop_planner::multiloop::{
    Block, CollectionId, Enough, Generator, Let, Multiloop, Program, Reduction, RowBound, ScalarId, Shape,
    WindowCallee, WindowField,
};
use multiloop_planner::multiloop::{Index, Source};
use multiloop_planner::types::{DECIMAL_DIGITS_MAX, DataType, Field, SortOrder};
use multiloop_planner::window::{Frame, FrameBound, FrameUnit, WindowFunction};

/// Rows that an iteration begins with, at most, and fields where it goes on until nothing is new.
const SEED_ROWS_MAX: u64 = 40;
const DISTINCT_FIELDS_MAX: usize = 2;

/// A working row makes so many, at most.
const STEP_ROWS_MAX: u64 = 4;

/// Rounds of an iteration that counts.
const ROUNDS: i64 = 3;

/// Rows that a window goes over, at most: it looks at frames row by row.
const WINDOW_ROWS_MAX: u64 = 400;

impl Writer {
    /// Lets that define something: one, as a rule.
    pub(super) fn definition(&mut self, most: u64) -> Vec<Let> {
        if self.depth == 0
            && self.once_in(12)
            && let Some(lets) = self.groups_beside()
        {
            return lets;
        }
        let one = match self.weighted(&[14, 1, 3, 1, 1, 2]) {
            1 => Some(self.sort()),
            2 => self.window(),
            3 => self.concat(),
            4 => Some(self.literal_rows()),
            5 if self.depth == 0 => self.iteration(),
            _ => None,
        };
        vec![one.unwrap_or_else(|| self.multiloop(most))]
    }

    /// The fields of a collection that may order rows.
    fn ordered_fields(&self, id: CollectionId) -> Vec<u32> {
        let fields = &self.program.collection(id).fields;
        (0..).zip(fields).filter(|(_, field)| is_ordered(field.data_type)).map(|(at, _)| at).collect()
    }

    pub(super) fn sort(&mut self) -> Let {
        let has_order = |program: &Program, made: &Made| {
            let collection = program.collection(made.id);
            let is_rows = !matches!(collection.shape, Shape::Buckets { .. });
            is_rows && collection.fields.iter().any(|field| is_ordered(field.data_type))
        };
        let input = self.one_made(has_order).expect("tables have keys").id;
        let rows = self.made.iter().find(|made| made.id == input).map_or(0, |made| made.rows);
        let fields = self.program.collection(input).fields.clone();
        let count = 1 + self.pick(3);
        let order = self.order_by(input, count);
        let define = self.program.add_collection(fields, Shape::Rows);
        let each = Let::Sort { define, input, order };
        self.defined(&each, &[(rows, 0)]);
        each
    }

    /// So many fields to order by, as far as there are so many, in any order.
    fn order_by(&mut self, input: CollectionId, count: usize) -> Vec<(u32, SortOrder)> {
        let mut left = self.ordered_fields(input);
        (0..count.min(left.len())).map(|_| (left.swap_remove(self.pick(left.len())), self.sort_order())).collect()
    }

    fn window(&mut self) -> Option<Let> {
        let is_rows = |program: &Program, made: &Made| {
            program.collection(made.id).shape == Shape::Rows && made.rows <= WINDOW_ROWS_MAX
        };
        let Made { id: input, rows, .. } = self.one_made(is_rows)?;
        let of_input = self.program.collection(input).fields.clone();
        let mut left = self.ordered_fields(input);
        let count = self.pick(3).min(left.len());
        let partition: Vec<u32> = (0..count).map(|_| left.swap_remove(self.pick(left.len()))).collect();
        let count = self.pick(3);
        let mut order = self.order_by(input, count);
        // Rows that tie and differ have no places.
        let is_plain = |of: DataType| !has_forms(of) && is_ordered(of);
        let places = of_input.iter().all(|field| is_plain(field.data_type)) && self.once_in(2);
        if places {
            for at in 0..of_input.len() as u32 {
                if order.iter().all(|(field, _)| *field != at) {
                    order.push((at, self.sort_order()));
                }
            }
        }
        let (mut fields, mut functions) = (of_input.clone(), Vec::new());
        for _ in 0..1 + self.pick(3) {
            let Some(function) = self.window_field(&of_input, places) else { continue };
            let nullable = function.is_nullable() || self.once_in(6);
            fields.push(Field { name: self.name(), data_type: function.data_type, nullable });
            functions.push(function);
        }
        let define = self.program.add_collection(fields, Shape::Rows);
        let each = Let::Window { define, input, partition, order, functions };
        self.defined(&each, &[(rows, 0)]);
        Some(each)
    }

    /// A field of these that is of such a type.
    fn field(&mut self, fields: &[Field], is: impl Fn(DataType) -> bool) -> Option<u32> {
        let found: Vec<usize> = (0..fields.len()).filter(|&at| is(fields[at].data_type)).collect();
        (!found.is_empty()).then(|| found[self.pick(found.len())] as u32)
    }

    fn window_field(&mut self, fields: &[Field], places: bool) -> Option<WindowField> {
        use WindowFunction as W;
        const OF_PEERS: [WindowFunction; 4] = [W::Rank, W::DenseRank, W::PercentRank, W::CumeDist];
        const OF_PLACES: [WindowFunction; 6] =
            [W::RowNumber, W::Lag, W::Lead, W::FirstValue, W::LastValue, W::NthValue];
        let frame = self.frame(places);
        if self.once_in(2) {
            return self.window_aggregate(fields, frame);
        }
        let function = if places { OF_PLACES[self.pick(6)] } else { OF_PEERS[self.pick(4)] };
        let first = self.field(fields, |_| true)?;
        let data_type = fields[first as usize].data_type;
        let mut arguments = if function.is_place() { Vec::new() } else { vec![first] };
        match function {
            W::Lag | W::Lead => {
                arguments.push(self.field(fields, |of| of == DataType::BigInt)?);
                arguments.push(self.field(fields, |of| of == data_type)?);
            }
            // A number below 1 is an error.
            W::NthValue if !self.fails => return None,
            W::NthValue => arguments.push(self.field(fields, |of| of == DataType::BigInt)?),
            _ => {}
        }
        let data_type = function.data_type(Some(data_type));
        Some(WindowField { function: WindowCallee::Function(function), arguments, frame, data_type })
    }

    fn window_aggregate(&mut self, fields: &[Field], frame: Frame) -> Option<WindowField> {
        use Reduction as R;
        let sums = |of: DataType| of.is_integer() || of.is_decimal() || matches!(of, DataType::Double);
        let (reduction, argument) = match self.pick(6) {
            0 => (R::CountRows, None),
            1 => (R::Count, Some(self.field(fields, |_| true)?)),
            2 => (R::Sum, Some(self.field(fields, sums)?)),
            3 => (R::Min, Some(self.field(fields, |_| true)?)),
            4 if !self.fails => (R::Any, Some(self.field(fields, |of| of == DataType::Boolean)?)),
            _ => (R::Max, Some(self.field(fields, |_| true)?)),
        };
        let of = argument.map(|at| fields[at as usize].data_type);
        let data_type = match (&reduction, of) {
            (R::CountRows | R::Count, _) | (_, None) => DataType::BigInt,
            (R::Sum, Some(DataType::BigInt)) => DataType::decimal(DECIMAL_DIGITS_MAX, 0),
            (R::Sum, Some(DataType::Decimal { scale, .. })) => DataType::decimal(DECIMAL_DIGITS_MAX, scale),
            (R::Sum, Some(of)) if of.is_integer() => DataType::BigInt,
            (_, Some(of)) => of,
        };
        let arguments = argument.into_iter().collect();
        Some(WindowField { function: WindowCallee::Aggregate(reduction), arguments, frame, data_type })
    }

    fn frame(&mut self, places: bool) -> Frame {
        let unit = match self.pick(3) {
            0 if places => FrameUnit::Rows,
            1 => FrameUnit::Groups,
            _ => FrameUnit::Range,
        };
        let mut bound = |last: bool| {
            let rows = self.random.below(4);
            match self.random.below(5) {
                0 if last => FrameBound::Last,
                0 => FrameBound::First,
                1 if unit != FrameUnit::Range => FrameBound::Before(rows),
                2 if unit != FrameUnit::Range => FrameBound::Behind(rows),
                _ => FrameBound::Current,
            }
        };
        let (start, end) = (bound(false), bound(true));
        let kind = |bound: FrameBound| match bound {
            FrameBound::First => 0,
            FrameBound::Before(_) => 1,
            FrameBound::Current => 2,
            FrameBound::Behind(_) => 3,
            FrameBound::Last => 4,
            other => unreachable!("{other:?} has not been drawn"),
        };
        let (start, end) = if kind(start) <= kind(end) { (start, end) } else { (end, start) };
        Frame::of(unit, start, end)
    }

    fn concat(&mut self) -> Option<Let> {
        let is_small = |program: &Program, made: &Made| {
            made.rows <= WINDOW_ROWS_MAX && !matches!(program.collection(made.id).shape, Shape::Buckets { .. })
        };
        let first = self.one_made(is_small)?;
        let types = |program: &Program, id| -> Vec<DataType> {
            program.collection(id).fields.iter().map(|field| field.data_type).collect()
        };
        let wanted = types(&self.program, first.id);
        let mut inputs = vec![first];
        for _ in 0..1 + self.pick(2) {
            let alike = |program: &Program, made: &Made| is_small(program, made) && types(program, made.id) == wanted;
            inputs.extend(self.one_made(alike));
        }
        let nullable = |at: usize| inputs.iter().any(|input| self.program.collection(input.id).fields[at].nullable);
        let nullable: Vec<bool> = (0..wanted.len()).map(nullable).collect();
        let field = |(data_type, nullable)| Field { name: self.name(), data_type, nullable };
        let fields = wanted.into_iter().zip(nullable).map(field).collect();
        let define = self.program.add_collection(fields, Shape::Rows);
        let rows = inputs.iter().map(|input| input.rows).sum();
        let each = Let::Concat { define, inputs: inputs.iter().map(|input| input.id).collect() };
        self.defined(&each, &[(rows, 0)]);
        Some(each)
    }

    fn literal_rows(&mut self) -> Let {
        let types: Vec<DataType> = (0..1 + self.pick(3)).map(|_| self.any_type()).collect();
        let rows: Vec<Vec<ScalarId>> =
            (0..self.pick(5)).map(|_| types.iter().map(|&of| self.leaf(of)).collect()).collect();
        let field = |writer: &mut Self, data_type| Field { name: writer.name(), data_type, nullable: true };
        let fields = types.into_iter().map(|data_type| field(self, data_type)).collect();
        let define = self.program.add_collection(fields, Shape::Rows);
        let count = rows.len() as u64;
        let each = Let::Values { define, rows };
        self.defined(&each, &[(count, 0)]);
        each
    }

    /// Rows, and those of these: up to a number of rounds, or until none is new.
    fn iteration(&mut self) -> Option<Let> {
        let is_seed = |program: &Program, made: &Made| {
            program.collection(made.id).shape == Shape::Rows && made.rows <= SEED_ROWS_MAX
        };
        let Made { id: seed, rows, .. } = self.one_made(is_seed)?;
        let of_seed = self.program.collection(seed).fields.clone();
        let counter = self.field(&of_seed, |of| matches!(of, DataType::Integer | DataType::BigInt));
        let has_forms = of_seed.iter().any(|field| has_forms(field.data_type) || !is_ordered(field.data_type));
        let ends = of_seed.len() <= DISTINCT_FIELDS_MAX && !has_forms;
        let distinct = !has_forms && self.once_in(2);
        let counter = if distinct && ends && self.once_in(2) { None } else { counter };
        if counter.is_none() && !(distinct && ends) {
            return None;
        }
        let fields: Vec<Field> = of_seed.into_iter().map(|field| Field { nullable: true, ..field }).collect();
        let working = self.program.add_collection(fields.clone(), Shape::Rows);
        let (made, nested) = (self.made.len(), std::mem::take(&mut self.nested_left));
        self.made.push(Made { id: working, rows: rows * STEP_ROWS_MAX, bucket: 0 });
        let mut lets = Vec::new();
        if self.once_in(3) {
            lets.extend(self.definition(super::TUPLES_NESTED_MAX * 4));
        }
        let (step, result) = self.step(working, &fields, counter.map(|at| at as usize));
        lets.push(step);
        self.made.truncate(made);
        self.nested_left = nested;
        let step = self.program.add_block(Block { lets, result });
        let define = self.program.add_collection(fields.clone(), Shape::Rows);
        // A state, of which a row may say that it is the last one.
        let last = (!distinct && self.once_in(2)).then(|| RowBound::Rows(self.random.below(3)));
        let ends = fields.iter().position(|field| field.data_type == DataType::Boolean);
        let ends = ends.filter(|_| last.is_some()).map(|at| at as u32);
        let enough = ends.map(|at| Enough { limit: RowBound::Rows(1), offset: RowBound::All, field: Some(at) });
        let each = Let::Iterate { define, seed, working, step, distinct, enough, last };
        self.defined(&each, &[(rows * STEP_ROWS_MAX * ROUNDS as u64, 0)]);
        Some(each)
    }

    /// The loop that makes the rows of the next round.
    fn step(&mut self, working: CollectionId, fields: &[Field], counter: Option<usize>) -> (Let, CollectionId) {
        let index = self.program.index_over(Source::Rows(working));
        self.nullability.enter(&self.program, &index);
        self.open.push((index.id, fields.to_vec()));
        let mut nest: Vec<Index> = vec![index];
        if self.once_in(2)
            && let Some(few) = self.one_made(|_, made| made.rows <= STEP_ROWS_MAX)
        {
            let index = self.program.index_over(Source::Rows(few.id));
            self.nullability.enter(&self.program, &index);
            self.open.push((index.id, self.program.source_fields(&index.source)));
            nest.push(index);
        }
        let (mut condition, mut value) = (Vec::new(), Vec::new());
        for (at, field) in fields.iter().enumerate() {
            if counter == Some(at) {
                let (count, of) =
                    (self.program.scalars.column(nest[0].id, at as u32, field.data_type), field.data_type);
                let (least, one, most) = (self.integer(0, of), self.integer(1, of), self.integer(ROUNDS, of));
                let scalars = &mut self.program.scalars;
                condition.push(scalars.call(Function::Less, vec![count, most], DataType::Boolean));
                let from = scalars.call(Function::Greatest, vec![count, least], of);
                value.push(scalars.call(Function::Add, vec![from, one], of));
            } else {
                // Without a counter nothing may be new for ever.
                value.push(if counter.is_some() {
                    self.scalar(field.data_type, 1)
                } else {
                    self.leaf(field.data_type)
                });
            }
        }
        self.open.clear();
        let result = self.program.add_collection(fields.to_vec(), Shape::Rows);
        let generators = vec![Generator::Collect { condition, value }];
        let each = Let::Loop { defines: vec![result], multiloop: Multiloop { nest, generators } };
        (each, result)
    }
}
