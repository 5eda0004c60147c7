//! Reads scalars and aggregates of the text form: operators by precedence, everything else as calls.

use super::infer::{aggregate_type, call_type, reduction_of};
use super::lexer::Token;
use super::literal::{decimal_type, retype, typed_literal};
use super::names::function_of;
use super::parse::Parser;
use super::print_scalar::{NOT_BINDING, operator};
use super::{Aggregate, KeyPart, Scalar, ScalarId};
use crate::error::Result;
use crate::function::Function;
use crate::types::DataType;
use crate::value::Value;

/// A scalar whose type may still be given by what follows it.
enum Operand {
    /// Its type is settled.
    Settled(ScalarId),
    /// A literal and the type that it has by default.
    Literal(Value, DataType),
    /// Anything else, and its type if that can be told.
    Open(Scalar, Option<DataType>),
}

impl Parser {
    /// A scalar.
    pub(super) fn scalar(&mut self) -> Result<ScalarId> {
        let operand = self.operators(1)?;
        self.settle(operand)
    }

    /// A bucket's key, after `[`.
    pub(super) fn key(&mut self) -> Result<Vec<KeyPart>> {
        if self.accept_sign("]") {
            return Ok(Vec::new());
        }
        let key = self.list(|parser| {
            let null_matches = parser.accept_word("is");
            Ok(KeyPart { scalar: parser.scalar()?, null_matches })
        })?;
        self.sign("]")?;
        Ok(key)
    }

    /// An aggregate other than top-k.
    pub(super) fn aggregate(&mut self) -> Result<Aggregate> {
        let reduction = match self.peek() {
            Some(Token::Word(name)) => reduction_of(name),
            _ => None,
        };
        let Some(reduction) = reduction else { return self.expected("an aggregate") };
        self.next();
        self.sign("(")?;
        let distinct = self.accept_word("distinct");
        let (mut arguments, mut condition) = (Vec::new(), Vec::new());
        if !self.accept_sign(")") {
            if !self.accept_word("if") {
                arguments.push(self.scalar()?);
            }
            let guarded = arguments.is_empty() || self.accept_word("if");
            if guarded {
                condition = self.list(Self::scalar)?;
            }
            self.sign(")")?;
        }
        let argument = arguments.first().map(|&id| self.program.scalars.data_type(id));
        let data_type = match (self.annotation()?, aggregate_type(&reduction, argument)) {
            (Some(data_type), _) | (None, Some(data_type)) => data_type,
            (None, None) => return self.expected("the aggregate's type"),
        };
        Ok(Aggregate { reduction, arguments, condition, distinct, data_type })
    }

    /// `::type`, if it is there.
    fn annotation(&mut self) -> Result<Option<DataType>> {
        if self.accept_sign("::") { self.data_type().map(Some) } else { Ok(None) }
    }

    fn settle(&mut self, operand: Operand) -> Result<ScalarId> {
        let annotation = self.annotation()?;
        match operand {
            Operand::Settled(id) => match annotation {
                None => Ok(id),
                Some(_) => self.expected("no type behind this"),
            },
            Operand::Literal(value, default) => {
                let data_type = annotation.unwrap_or(default);
                match retype(value, default, data_type) {
                    Some(value) => Ok(self.program.scalars.constant(value, data_type)),
                    None => self.expected("a literal of this type before it"),
                }
            }
            Operand::Open(scalar, inferred) => match annotation.or(inferred) {
                Some(data_type) => Ok(self.program.scalars.intern(scalar, data_type)),
                None => self.expected("the type of what precedes"),
            },
        }
    }

    fn settled(&mut self, operand: Operand) -> Result<ScalarId> {
        match operand {
            Operand::Settled(id) => Ok(id),
            other => self.settle(other),
        }
    }

    /// Operands joined by operators that bind at least this strongly.
    fn operators(&mut self, binding: u8) -> Result<Operand> {
        let mut left = self.annotated_operand()?;
        while let Some((function, strength)) = self.peek_operator().filter(|(_, strength)| *strength >= binding) {
            let mut arguments = vec![self.settled(left)?];
            while self.peek_operator().is_some_and(|(next, _)| next == function) {
                self.next();
                let right = self.operators(strength + 1)?;
                arguments.push(self.settled(right)?);
                // AND and OR take any number of arguments, the others two.
                if strength > 2 {
                    break;
                }
            }
            left = self.open_call(function, arguments);
        }
        Ok(left)
    }

    /// An operand and the type that may follow it.
    fn annotated_operand(&mut self) -> Result<Operand> {
        let operand = self.operand()?;
        if matches!(self.peek(), Some(Token::Sign("::"))) {
            return self.settle(operand).map(Operand::Settled);
        }
        Ok(operand)
    }

    fn peek_operator(&self) -> Option<(Function, u8)> {
        use Function as F;
        let sign = match self.peek()? {
            Token::Sign(sign) => *sign,
            Token::Word(word) => word.as_str(),
            _ => return None,
        };
        let all = [
            F::Or,
            F::And,
            F::Equal,
            F::NotEqual,
            F::Less,
            F::LessEqual,
            F::Greater,
            F::GreaterEqual,
            F::Add,
            F::Subtract,
            F::Multiply,
            F::Divide,
            F::Modulo,
        ];
        all.into_iter().find_map(|function| {
            operator(function).filter(|(found, _)| *found == sign).map(|(_, strength)| (function, strength))
        })
    }

    fn open_call(&self, function: Function, arguments: Vec<ScalarId>) -> Operand {
        let types: Vec<DataType> = arguments.iter().map(|&id| self.program.scalars.data_type(id)).collect();
        let inferred = call_type(function, &types);
        Operand::Open(Scalar::Call { function, arguments }, inferred)
    }

    fn operand(&mut self) -> Result<Operand> {
        match self.next() {
            Some(Token::Number(digits)) => self.number(&digits),
            Some(Token::Text(text)) => Ok(Operand::Literal(Value::text(text), DataType::Text)),
            Some(Token::Parameter(number)) => {
                let position = number.checked_sub(1);
                let declared = position.and_then(|at| self.program.parameters.get(at as usize).copied());
                Ok(Operand::Open(Scalar::Parameter(position.unwrap_or(0)), declared))
            }
            Some(Token::Sign("(")) => {
                // What is in parentheses may get its type from behind them.
                let inner = self.operators(1)?;
                self.sign(")")?;
                Ok(inner)
            }
            Some(Token::Collection(_)) => {
                self.back();
                self.of_collection()
            }
            Some(Token::Word(word)) => self.word_operand(&word),
            _ => {
                self.back();
                self.expected("a scalar")
            }
        }
    }

    fn back(&mut self) {
        self.rewind(1);
    }

    fn number(&mut self, digits: &str) -> Result<Operand> {
        let literal = if digits.contains('e') {
            digits.parse().ok().map(|float| (Value::Float(float), DataType::Double))
        } else if let Some((whole, fraction)) = digits.split_once('.') {
            let unscaled = format!("{whole}{fraction}").parse::<i128>().ok();
            unscaled
                .filter(|_| fraction.len() <= 38)
                .map(|unscaled| (Value::Decimal(unscaled), decimal_type(unscaled, fraction.len() as u8)))
        } else if let Ok(int) = digits.parse::<i64>() {
            Some((Value::Int(int), DataType::Integer))
        } else {
            digits.parse().ok().map(|unscaled| (Value::Decimal(unscaled), decimal_type(unscaled, 0)))
        };
        match literal {
            Some((value, data_type)) => Ok(Operand::Literal(value, data_type)),
            None => self.expected("a number in range before this"),
        }
    }

    /// `%1[key].field`, `%1.field`.
    fn of_collection(&mut self) -> Result<Operand> {
        let collection = self.collection()?;
        let fields = self.program.collection(collection).fields.clone();
        let key = if self.accept_sign("[") { Some(self.key()?) } else { None };
        self.sign(".")?;
        let field = self.field(&fields)?;
        let scalar = match key {
            Some(key) => Scalar::Lookup { collection, key, field },
            None => Scalar::Single { collection, field },
        };
        Ok(Operand::Settled(self.program.scalars.intern(scalar, fields[field as usize].data_type)))
    }

    /// `%1(row).field`, behind its word.
    fn element(&mut self) -> Result<Operand> {
        let collection = self.collection()?;
        self.sign("(")?;
        let row = self.scalar()?;
        self.sign(")")?;
        self.sign(".")?;
        let fields = self.program.collection(collection).fields.clone();
        let field = self.field(&fields)?;
        let data_type = fields[field as usize].data_type;
        Ok(Operand::Settled(self.program.scalars.intern(Scalar::Element { collection, row, field }, data_type)))
    }

    fn word_operand(&mut self, word: &str) -> Result<Operand> {
        match word {
            "TRUE" => return Ok(Operand::Literal(Value::Boolean(true), DataType::Boolean)),
            "FALSE" => return Ok(Operand::Literal(Value::Boolean(false), DataType::Boolean)),
            "NULL" => return Ok(Operand::Literal(Value::Null, DataType::Null)),
            "NOT" => {
                let operand = self.operators(NOT_BINDING + 1)?;
                let argument = self.settled(operand)?;
                return Ok(self.open_call(Function::Not, vec![argument]));
            }
            "exists" => {
                let collection = self.collection()?;
                self.sign("[")?;
                let key = self.key()?;
                return Ok(Operand::Open(Scalar::Exists { collection, key }, Some(DataType::Boolean)));
            }
            "element" => return self.element(),
            "cast" => {
                self.sign("(")?;
                let argument = self.scalar()?;
                if !self.accept_word("as") {
                    return self.expected("as");
                }
                let data_type = self.data_type()?;
                self.sign(")")?;
                return Ok(Operand::Settled(self.program.scalars.call(Function::Cast, vec![argument], data_type)));
            }
            _ => {}
        }
        if let Some(Token::Text(text)) = self.peek().cloned() {
            self.back();
            let data_type = self.data_type()?;
            self.next();
            return match typed_literal(data_type, &text) {
                Some(value) => Ok(Operand::Literal(value, data_type)),
                None => self.expected("a literal of this type before it"),
            };
        }
        if let Some((index, fields)) = self.indices.get(word).cloned() {
            self.sign(".")?;
            let field = self.field(&fields)?;
            let data_type = fields[field as usize].data_type;
            return Ok(Operand::Settled(self.program.scalars.column(index, field, data_type)));
        }
        if let Some(&block) = self.blocks.get(word) {
            self.sign(".")?;
            let result = self.program.block(block).result;
            let fields = self.program.collection(result).fields.clone();
            let field = self.field(&fields)?;
            return Ok(Operand::Settled(self.program.nested(block, field)));
        }
        let Some(function) = function_of(word) else {
            self.back();
            return self.expected("a function, an index or a block");
        };
        self.sign("(")?;
        let arguments = if self.accept_sign(")") {
            Vec::new()
        } else {
            let arguments = self.list(Self::scalar)?;
            self.sign(")")?;
            arguments
        };
        Ok(self.open_call(function, arguments))
    }
}
