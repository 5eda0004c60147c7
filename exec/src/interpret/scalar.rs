//! Scalars: the value of an expression where all indices stand.

use super::Interpreter;
use crate::Result;
use multiloop_planner::evaluate;
use multiloop_planner::function::Function;
use multiloop_planner::meter;
use multiloop_planner::multiloop::{CollectionId, KeyPart, Scalar, ScalarId};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

impl Interpreter<'_> {
    /// The value of a scalar. Errors get its position.
    pub(super) fn scalar(&mut self, id: ScalarId) -> Result<Value> {
        let program = self.program;
        match program.scalars.get(id) {
            Scalar::Column { index, field } => Ok(self.column(*index, *field)),
            Scalar::Constant(value) => Ok(value.clone()),
            Scalar::Parameter(number) => Ok(self.parameters[*number as usize].clone()),
            Scalar::Call { function, arguments } => self
                .call(*function, arguments, program.scalars.data_type(id))
                .map_err(|error| error.at(program.scalars.position(id))),
            Scalar::Lookup { collection, key, field } => self.lookup(*collection, key, *field),
            Scalar::Exists { collection, key } => {
                let data = self.collection(*collection)?;
                let key = self.probe(key)?;
                Ok(Value::Boolean(key.is_some_and(|key| data.find(&key).is_some())))
            }
            Scalar::Element { collection, row, field } => match self.scalar(*row)? {
                Value::Int(row) => Ok(self.collection(*collection)?.value(row as usize, *field)),
                _ => Ok(Value::Null),
            },
            Scalar::Single { collection, field } => Ok(self.collection(*collection)?.value(0, *field)),
            Scalar::Nested { block, field } => {
                let row = self.block(*block).map_err(|error| error.at(program.scalars.position(id)))?;
                Ok(row.value(0, *field))
            }
        }
    }

    fn call(&mut self, function: Function, arguments: &[ScalarId], result: DataType) -> Result<Value> {
        match function {
            Function::And => return self.connect(arguments, false),
            Function::Or => return self.connect(arguments, true),
            Function::Case => return self.choose(arguments),
            Function::Coalesce => return self.coalesce(arguments),
            Function::Random if arguments.is_empty() => {
                return Ok(Value::Float(meter::draw().unwrap_or_else(|| self.random.next())));
            }
            Function::Random => return Ok(Value::Float(self.random.next())),
            Function::SetSeed => {
                return match self.scalar(arguments[0])? {
                    Value::Float(seed) => meter::seed(seed).map(|()| Value::text("")),
                    _ => Ok(Value::Null),
                };
            }
            Function::Clock => {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let micros = since.ok().and_then(|since| i64::try_from(since.as_micros()).ok());
                return Ok(Value::Int(micros.unwrap_or(0)));
            }
            _ => {}
        }
        let types: Vec<DataType> = arguments.iter().map(|id| self.program.scalars.data_type(*id)).collect();
        let values = arguments.iter().map(|id| self.scalar(*id)).collect::<Result<Vec<_>>>()?;
        if function.is_of_sequences()
            && let Some(value) = evaluate::volatile(function, &values)?
        {
            return Ok(value);
        }
        evaluate::evaluate(function, &values, &types, result)
    }

    /// AND, which FALSE decides, or OR, which TRUE decides: what is behind the deciding argument is not evaluated.
    fn connect(&mut self, arguments: &[ScalarId], decisive: bool) -> Result<Value> {
        let mut unknown = false;
        for argument in arguments {
            match self.scalar(*argument)? {
                Value::Boolean(value) if value == decisive => return Ok(Value::Boolean(decisive)),
                value => unknown |= value.is_null(),
            }
        }
        Ok(if unknown { Value::Null } else { Value::Boolean(!decisive) })
    }

    /// CASE: only the conditions up to the first that is TRUE, and only that one's value.
    fn choose(&mut self, arguments: &[ScalarId]) -> Result<Value> {
        let (otherwise, branches) = arguments.split_last().expect("a CASE has an ELSE");
        for branch in branches.chunks_exact(2) {
            if self.scalar(branch[0])?.is_true() {
                return self.scalar(branch[1]);
            }
        }
        self.scalar(*otherwise)
    }

    fn coalesce(&mut self, arguments: &[ScalarId]) -> Result<Value> {
        for argument in arguments {
            let value = self.scalar(*argument)?;
            if !value.is_null() {
                return Ok(value);
            }
        }
        Ok(Value::Null)
    }

    fn lookup(&mut self, collection: CollectionId, key: &[KeyPart], field: u32) -> Result<Value> {
        let data = self.collection(collection)?;
        let group = self.probe(key)?.and_then(|key| data.find(&key));
        Ok(group.map_or_else(|| data.empty(field), |group| data.value(group, field)))
    }
}

/// The numbers of `random()`: a multiplicative generator with a seed of the operating system's.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new() -> Self {
        Random(RandomState::new().hash_one(0) | 1)
    }

    /// At least 0, below 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper 53 bits, in units of 2^-53.
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
