//! Random scalars of a type, over what is in scope.

use super::values::{random_type, value};
use super::{Made, NESTED_RUNS_MAX, TUPLES_NESTED_MAX, Writer, Written};
use multiloop_planner::function::{ArrayFunction, Function, TrimSide};
use multiloop_planner::multiloop::{Block, CollectionId, KeyPart, Program, Scalar, ScalarId, Shape};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// How far integers lie apart where they do.
const FAR: i64 = 1_000_003;

const BOOLEAN: DataType = DataType::Boolean;

/// Whether values are compared, sorted by and keys as they are: numerics and vectors are by a text of theirs.
pub(super) fn is_ordered(data_type: DataType) -> bool {
    data_type != DataType::Numeric && !data_type.is_vector()
}

/// Whether values that compare as equal can differ.
pub(super) fn has_forms(data_type: DataType) -> bool {
    matches!(data_type, DataType::Real | DataType::Double | DataType::Interval | DataType::Numeric)
}

impl Writer {
    /// A type; one that can be compared.
    pub(super) fn any_type(&mut self) -> DataType {
        random_type(&mut self.random)
    }

    pub(super) fn ordered_type(&mut self) -> DataType {
        let data_type = self.any_type();
        if is_ordered(data_type) { data_type } else { DataType::Integer }
    }

    fn call(&mut self, function: Function, arguments: Vec<ScalarId>, data_type: DataType) -> ScalarId {
        self.program.scalars.call(function, arguments, data_type)
    }

    pub(super) fn constant(&mut self, data_type: DataType) -> ScalarId {
        let (pick, far) = (self.random.below(12) as i64, self.once_in(8));
        let value = if self.once_in(15) { Value::Null } else { value(data_type, pick, if far { FAR } else { 1 }) };
        self.program.scalars.constant(value, data_type)
    }

    pub(super) fn integer(&mut self, value: i64, data_type: DataType) -> ScalarId {
        self.program.scalars.constant(Value::Int(value), data_type)
    }

    /// A column that an open index shows, a constant where there is none of the type, at times a parameter.
    pub(super) fn leaf(&mut self, data_type: DataType) -> ScalarId {
        if !self.once_in(7)
            && let Some(column) = self.column(data_type)
        {
            return column;
        }
        if data_type == BOOLEAN && !self.once_in(6) {
            let of = self.any_type();
            let of = self.leaf(of);
            return self.call(Function::IsNotNull, vec![of], BOOLEAN);
        }
        let parameter = super::PARAMETERS.iter().position(|&of| of == data_type);
        match parameter {
            Some(number) if self.once_in(6) => self.program.scalars.intern(Scalar::Parameter(number as u32), data_type),
            _ => self.constant(data_type),
        }
    }

    /// A column of a type; rather of an inner index.
    pub(super) fn column(&mut self, data_type: DataType) -> Option<ScalarId> {
        let columns = self.open.iter().flat_map(|(index, fields)| (0..).zip(fields).map(move |field| (*index, field)));
        let found: Vec<_> = columns
            .filter(|(_, (_, field))| field.data_type == data_type)
            .map(|(index, (at, _))| (index, at))
            .collect();
        if found.is_empty() {
            return None;
        }
        let (index, field) = found[self.pick(found.len())];
        Some(self.program.scalars.column(index, field, data_type))
    }

    /// A scalar of a type.
    pub(super) fn scalar(&mut self, data_type: DataType, depth: usize) -> ScalarId {
        if depth == 0 || self.once_in(3) {
            return self.leaf(data_type);
        }
        match self.weighted(&[6, 4, 1, 1, 1]) {
            1 => self.asked(data_type).unwrap_or_else(|| self.leaf(data_type)),
            2 => {
                let arguments = vec![self.scalar(data_type, depth - 1), self.leaf(data_type)];
                self.call(Function::Coalesce, arguments, data_type)
            }
            3 => {
                let arguments =
                    vec![self.condition(depth - 1), self.leaf(data_type), self.scalar(data_type, depth - 1)];
                self.call(Function::Case, arguments, data_type)
            }
            4 if is_ordered(data_type) => {
                let function = [Function::NullIf, Function::Greatest, Function::Least][self.pick(3)];
                let arguments = vec![self.scalar(data_type, depth - 1), self.leaf(data_type)];
                self.call(function, arguments, data_type)
            }
            _ => self.computed(data_type, depth - 1),
        }
    }

    /// A condition; every other one is such that most rows pass.
    pub(super) fn condition(&mut self, depth: usize) -> ScalarId {
        if self.once_in(2) {
            return self.scalar(BOOLEAN, depth);
        }
        let data_type = self.ordered_type();
        let arguments = vec![self.scalar(data_type, depth.saturating_sub(1)), self.constant(data_type)];
        let function =
            [Function::NotEqual, Function::NotEqual, Function::IsDistinct, Function::GreaterEqual][self.pick(4)];
        self.call(function, arguments, BOOLEAN)
    }

    fn computed(&mut self, data_type: DataType, depth: usize) -> ScalarId {
        match data_type {
            DataType::Boolean => self.logic(depth),
            DataType::SmallInt | DataType::Integer | DataType::BigInt => self.number(data_type, depth),
            DataType::Text => self.text(depth),
            DataType::Double | DataType::Decimal { scale: 0, .. } if self.once_in(2) => {
                let from = [DataType::Integer, DataType::BigInt][self.pick(2)];
                let argument = self.scalar(from, depth);
                self.call(Function::Cast, vec![argument], data_type)
            }
            DataType::Double | DataType::Decimal { .. } | DataType::Numeric => {
                let function = [Function::Add, Function::Subtract][self.pick(2)];
                let arguments = vec![self.scalar(data_type, depth), self.leaf(data_type)];
                self.call(function, arguments, data_type)
            }
            DataType::Date => {
                let days = self.number_below(100, DataType::Integer, depth);
                let arguments = vec![self.leaf(data_type), days];
                self.call(Function::DateAddDays, arguments, data_type)
            }
            DataType::Timestamp => {
                let date = self.scalar(DataType::Date, depth);
                self.call(Function::Cast, vec![date], data_type)
            }
            DataType::Interval if self.once_in(2) => {
                let arguments = vec![self.leaf(DataType::Timestamp), self.leaf(DataType::Timestamp)];
                self.call(Function::TimestampDifference, arguments, data_type)
            }
            _ => self.leaf(data_type),
        }
    }

    fn number_below(&mut self, limit: i64, data_type: DataType, depth: usize) -> ScalarId {
        let (number, limit) = (self.scalar(data_type, depth), self.integer(limit, data_type));
        self.call(Function::Modulo, vec![number, limit], data_type)
    }

    fn number(&mut self, data_type: DataType, depth: usize) -> ScalarId {
        let small = 1 + self.random.below(7) as i64;
        let one = self.integer(small, data_type);
        let division = if self.fails { 6 } else { 1 };
        match self.weighted(&[4, 3, 3, division]) {
            0 => {
                let function = [Function::Add, Function::Subtract][self.pick(2)];
                let number = self.number_below(2_000, data_type, depth);
                self.call(function, vec![number, one], data_type)
            }
            1 => self.number_below(small, data_type, depth),
            2 if data_type == DataType::BigInt => {
                // Far apart: no array over them.
                let narrow = self.scalar(DataType::Integer, depth);
                let wide = self.call(Function::Cast, vec![narrow], data_type);
                let by = if self.once_in(2) { FAR } else { 1 };
                let by = self.integer(by, data_type);
                self.call(Function::Multiply, vec![wide, by], data_type)
            }
            2 if data_type == DataType::Integer => self.measured(depth),
            2 => {
                let narrow = self.number_below(1_000, DataType::Integer, depth);
                self.call(Function::Cast, vec![narrow], data_type)
            }
            _ if self.fails => {
                let (hundred, by) = (self.integer(100, data_type), self.number_below(3, data_type, depth));
                self.call(Function::Divide, vec![hundred, by], data_type)
            }
            _ => {
                let (number, two) = (self.leaf(data_type), self.integer(2, data_type));
                self.call(Function::Divide, vec![number, two], data_type)
            }
        }
    }

    /// An integer that something else has.
    fn measured(&mut self, depth: usize) -> ScalarId {
        let integer = DataType::Integer;
        match self.pick(4) {
            0 => {
                let text = self.scalar(DataType::Text, depth);
                self.call(Function::Length, vec![text], integer)
            }
            1 => {
                let condition = self.condition(depth);
                self.call(Function::Cast, vec![condition], integer)
            }
            2 => {
                let (array, place) = (self.array(depth), self.integer(2, DataType::BigInt));
                self.call(Function::Array(ArrayFunction::Element, integer), vec![array, place], integer)
            }
            _ => {
                let arguments = vec![self.leaf(DataType::Date), self.leaf(DataType::Date)];
                self.call(Function::DateDifference, arguments, integer)
            }
        }
    }

    /// An array of integers, in its carrier.
    fn array(&mut self, depth: usize) -> ScalarId {
        let elements = (0..1 + self.pick(3)).map(|_| self.scalar(DataType::Integer, depth)).collect();
        self.call(Function::Array(ArrayFunction::Make, DataType::Integer), elements, DataType::Text)
    }

    fn text(&mut self, depth: usize) -> ScalarId {
        let text = DataType::Text;
        match self.pick(7) {
            0 => {
                let function = [Function::Lower, Function::Upper, Function::Reverse][self.pick(3)];
                let of = self.scalar(text, depth);
                self.call(function, vec![of], text)
            }
            1 => {
                let arguments = vec![self.leaf(text), self.constant(text)];
                self.call(Function::Concat, arguments, text)
            }
            2 => {
                let arguments = vec![self.leaf(text), self.integer(1, DataType::Integer)];
                self.call(Function::Left, arguments, text)
            }
            3 => {
                let of = self.leaf(text);
                self.call(Function::Trim(TrimSide::Leading), vec![of], text)
            }
            4 => self.array(depth),
            _ => {
                let from = self.ordered_type();
                let of = self.scalar(from, depth);
                self.call(Function::Cast, vec![of], text)
            }
        }
    }

    fn logic(&mut self, depth: usize) -> ScalarId {
        match self.weighted(&[6, 2, 1, 2, 2, 1, 1]) {
            1 => {
                let data_type = self.any_type();
                let function = [Function::IsNull, Function::IsNotNull, Function::IsNotNull][self.pick(3)];
                let of = self.scalar(data_type, depth);
                self.call(function, vec![of], BOOLEAN)
            }
            2 => {
                let function = [Function::Not, Function::IsTrue, Function::IsFalse][self.pick(3)];
                let of = self.condition(depth);
                self.call(function, vec![of], BOOLEAN)
            }
            3 => {
                let function = [Function::And, Function::Or, Function::Or][self.pick(3)];
                let arguments = (0..2 + self.pick(2)).map(|_| self.condition(depth)).collect();
                self.call(function, arguments, BOOLEAN)
            }
            4 => self.exists().unwrap_or_else(|| self.leaf(BOOLEAN)),
            5 => {
                let data_type = self.ordered_type();
                let mut arguments = vec![self.scalar(data_type, depth)];
                arguments.extend((0..1 + self.pick(4)).map(|_| self.constant(data_type)));
                self.call(Function::InList, arguments, BOOLEAN)
            }
            6 => {
                let function = [Function::StartsWith, Function::Contains, Function::Like][self.pick(3)];
                let pattern = Value::text(["t1", "t%", "_1", "%"][self.pick(4)]);
                let pattern = self.program.scalars.constant(pattern, DataType::Text);
                let of = self.scalar(DataType::Text, depth);
                self.call(function, vec![of, pattern], BOOLEAN)
            }
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: usize) -> ScalarId {
        use Function as F;
        const COMPARISONS: [Function; 9] = [
            F::Equal,
            F::NotEqual,
            F::Less,
            F::LessEqual,
            F::Greater,
            F::GreaterEqual,
            F::GreaterEqual,
            F::IsDistinct,
            F::IsNotDistinct,
        ];
        let (data_type, function) = (self.ordered_type(), COMPARISONS[self.pick(COMPARISONS.len())]);
        let arguments = vec![self.scalar(data_type, depth), self.leaf(data_type)];
        self.call(function, arguments, BOOLEAN)
    }

    /// A key for these fields.
    pub(super) fn key(&mut self, fields: &[Field]) -> Vec<KeyPart> {
        let part = |field: &Field| {
            let depth = usize::from(self.once_in(4));
            KeyPart { scalar: self.scalar(field.data_type, depth), null_matches: self.once_in(3) }
        };
        fields.iter().map(part).collect()
    }

    /// The fields that are the key of a collection.
    fn key_fields(&self, id: CollectionId) -> Vec<Field> {
        let collection = self.program.collection(id);
        let keys = if let Shape::Groups { keys } = collection.shape { keys as usize } else { collection.fields.len() };
        collection.fields[..keys].to_vec()
    }

    fn exists(&mut self) -> Option<ScalarId> {
        let has_key = |program: &Program, made: &Made| {
            matches!(program.collection(made.id).shape, Shape::Buckets { .. } | Shape::Groups { .. })
        };
        let asked = self.one_made(has_key)?;
        let key = self.key(&self.key_fields(asked.id));
        Some(self.program.scalars.intern(Scalar::Exists { collection: asked.id, key }, BOOLEAN))
    }

    /// What a lookup, the row of a reduction, an element or a nested block gives.
    fn asked(&mut self, data_type: DataType) -> Option<ScalarId> {
        match self.weighted(&[4, 2, 2]) {
            1 => self.element(data_type),
            2 => self.nested(data_type),
            _ => self.found(data_type),
        }
    }

    fn found(&mut self, data_type: DataType) -> Option<ScalarId> {
        let skipped = |program: &Program, id: CollectionId| match program.collection(id).shape {
            Shape::Groups { keys } => Some(keys as usize),
            Shape::Single => Some(0),
            _ => None,
        };
        let gives = |program: &Program, made: &Made| {
            let fields = &program.collection(made.id).fields;
            skipped(program, made.id).is_some_and(|keys| fields[keys..].iter().any(|f| f.data_type == data_type))
        };
        let collection = self.one_made(gives)?.id;
        let keys = skipped(&self.program, collection)?;
        let fields = &self.program.collection(collection).fields;
        let found: Vec<usize> = (keys..fields.len()).filter(|&at| fields[at].data_type == data_type).collect();
        let field = found[self.pick(found.len())] as u32;
        if self.program.collection(collection).shape == Shape::Single {
            return Some(self.program.scalars.intern(Scalar::Single { collection, field }, data_type));
        }
        let key = self.key(&self.key_fields(collection));
        Some(self.program.scalars.intern(Scalar::Lookup { collection, key, field }, data_type))
    }

    /// A field of a row of a table, of one that there is.
    fn element(&mut self, data_type: DataType) -> Option<ScalarId> {
        let has = |program: &Program, made: &Made| {
            let collection = program.collection(made.id);
            let is_table = matches!(collection.shape, Shape::Table { .. });
            is_table && made.rows > 0 && collection.fields.iter().any(|field| field.data_type == data_type)
        };
        let Made { id: collection, rows, .. } = self.one_made(has)?;
        let field = self.program.collection(collection).fields.iter().position(|of| of.data_type == data_type)? as u32;
        let (bigint, rows) = (DataType::BigInt, rows as i64);
        let number = self.number_below(rows, bigint, 1);
        let above = self.integer(rows, bigint);
        let number = self.call(Function::Add, vec![number, above], bigint);
        let row = self.call(Function::Modulo, vec![number, above], bigint);
        Some(self.program.scalars.intern(Scalar::Element { collection, row, field }, data_type))
    }

    /// What a nested block gives: a new one, or one that has been read before.
    fn nested(&mut self, data_type: DataType) -> Option<ScalarId> {
        if self.tuples > NESTED_RUNS_MAX || self.depth > 1 {
            return None;
        }
        if self.once_in(2)
            && let Some((block, field)) = self.written_block(data_type)
        {
            return Some(self.program.nested(block, field));
        }
        self.nested_left = self.nested_left.checked_sub(1)?;
        let (made, open, tuples) = (self.made.len(), self.open.len(), self.tuples);
        let last = self.made.last().map(|made| made.id);
        self.depth += 1;
        let mut lets = Vec::new();
        for _ in 0..self.weighted(&[5, 3, 1]) {
            lets.extend(self.definition(TUPLES_NESTED_MAX));
        }
        if self.once_in(3) {
            lets.extend(self.first_row(TUPLES_NESTED_MAX, data_type));
        } else {
            lets.push(self.reducing(TUPLES_NESTED_MAX, data_type));
        }
        let result = lets.last().and_then(|last| last.defines().first().copied())?;
        self.depth -= 1;
        self.made.truncate(made);
        self.open.truncate(open);
        self.tuples = tuples;
        let block = self.program.add_block(Block { lets, result });
        let open = self.open.iter().map(|(index, _)| *index).collect();
        self.written.push(Written { block, open, made: last });
        let fields = &self.program.collection(result).fields;
        let field = fields.iter().position(|field| field.data_type == data_type)? as u32;
        Some(self.program.nested(block, field))
    }

    /// A block that can be read here, too, and a field of it.
    fn written_block(&self, data_type: DataType) -> Option<(multiloop_planner::multiloop::BlockId, u32)> {
        let is_open = |index| self.open.iter().any(|(open, _)| open == index);
        let is_made = |id| self.made.iter().any(|made| made.id == id);
        self.written.iter().rev().find_map(|written| {
            let fits = written.open.iter().all(is_open) && written.made.is_none_or(is_made);
            let fields = &self.program.collection(self.program.block(written.block).result).fields;
            let field = fields.iter().position(|field| field.data_type == data_type)?;
            fits.then_some((written.block, field as u32))
        })
    }
}
