//! Calls of functions by name: which function, for which argument types.

use super::coercion::{Coercion, castable};
use super::logical::relabel;
use super::registry::{self, Signature};
use super::{aggregate, bits_function, blanks, fold, string_function};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{Function, TextFunction};
use crate::multiloop::reduction::Gather;
use crate::relation::builder::Builder;
use crate::relation::builder::suggest::did_you_mean;
use crate::relation::{AggregateFunction, Expression};
use crate::types::DataType;
use crate::value::Value;
use crate::window::WindowFunction;

/// What is called by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// An aggregate; `count` until its arguments say whether it counts rows.
    Aggregate(AggregateFunction),
    /// A window function that is no aggregate.
    Window(WindowFunction),
    /// A function, if there is one.
    Function,
}

impl Builder<'_> {
    /// What a name (in lower case) that is called stands for; 0A000 for what PostgreSQL has and Multiloop has not. Whether a
    /// function exists, [`Builder::call_by_name`] says, since that depends on its arguments.
    pub fn callee(&self, name: &str) -> Result<Callee> {
        if let Some(aggregate) = aggregate::named(name) {
            return Ok(Callee::Aggregate(aggregate));
        }
        if let Some(function) = WindowFunction::named(name) {
            return Ok(Callee::Window(function));
        }
        if self.is_user_aggregate(name) {
            // What it is made of are gathered arrays.
            return Ok(Callee::Aggregate(AggregateFunction::Gather(Gather::Arrived)));
        }
        match registry::unsupported(name) {
            Some(what) => Err(Error::unsupported(format_args!("{what} is"))),
            None => Ok(Callee::Function),
        }
    }

    /// Whether a name (in lower case) is an aggregate's.
    pub fn is_aggregate(&self, name: &str) -> bool {
        aggregate::named(name).is_some() || self.is_user_aggregate(name)
    }

    /// The error (42883) for a function that does not take these arguments.
    pub(in crate::relation::builder) fn no_function(&self, name: &str, arguments: &[Expression]) -> Error {
        let error = no_function(name, arguments);
        match self.catalog.user_functions(name).is_empty() || error.hint().is_some_and(|hint| hint.starts_with("No f"))
        {
            true => error,
            false => error
                .with_hint("No function matches the given argument types. You might need to add explicit type casts."),
        }
    }

    /// A call of a function that is no aggregate.
    pub fn call_by_name(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let call = match self.call_special(name, arguments)? {
            Special::Bound(call) => call,
            Special::NoMatch(arguments) => self.call_registered(name, arguments, position)?,
        };
        Ok(Expression { position: position.or(call.position), ..call })
    }

    /// The functions whose types follow no fixed signature.
    fn call_special(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let call = match (name, arguments.len()) {
            ("ifnull", 2) => self.choice(Function::Coalesce, "IFNULL", arguments),
            ("gen_random_uuid" | "uuid", 0) => {
                let number = |place| Expression::constant(Value::Int(place), DataType::BigInt);
                let random = |place| Expression::call(Function::Random, vec![number(place)], DataType::Double);
                let numbers = vec![random(1), random(2), random(3)];
                let uuid = Expression::call(Function::Text(TextFunction::UuidOf), numbers, DataType::Text);
                Ok(relabel(uuid, DataType::Uuid))
            }
            ("setseed", 1) => self.set_seed(take(arguments)),
            ("coalesce", 1..) => self.choice(Function::Coalesce, "COALESCE", arguments),
            ("greatest", 1..) => self.choice(Function::Greatest, "GREATEST", arguments),
            ("least", 1..) => self.choice(Function::Least, "LEAST", arguments),
            ("nullif", 2) => {
                let [value, other] = take(arguments);
                self.null_if(value, other)
            }
            ("mod", 2) => self.modulo(take(arguments)),
            ("concat", 1..) => self.concat_skip_null(Function::ConcatSkipNull, arguments),
            ("concat_ws", 2..) => self.concat_skip_null(Function::ConcatWithSeparator, arguments),
            ("octet_length", 1) if arguments[0].data_type != DataType::Bytea && !arguments[0].data_type.is_bits() => {
                let [text] = take(arguments);
                let text = string_function::with_blanks(text);
                return self.match_signature("octet_length", vec![text]);
            }
            (
                "now"
                | "current_timestamp"
                | "localtimestamp"
                | "transaction_timestamp"
                | "statement_timestamp"
                | "clock_timestamp"
                | "current_date"
                | "localtime",
                0,
            ) => Ok(self.clock(name)),
            ("current_timestamp" | "localtimestamp" | "localtime", 1) => {
                let Some(Value::Int(digits)) = fold::constant(&arguments[0]) else {
                    return Ok(Special::NoMatch(arguments));
                };
                let digits = u8::try_from((*digits).clamp(0, 6)).expect("clamped to six");
                let time = self.clock(name);
                Ok(self.rounded_seconds(time, digits))
            }
            ("pi", 0) => Ok(Expression::constant(Value::Float(std::f64::consts::PI), DataType::Double)),
            ("date_part", 2) => {
                let [part, source] = take(arguments);
                self.date_part(part, source)
            }
            ("date_trunc", 2) => {
                let [part, source] = take(arguments);
                self.date_trunc(part, source)
            }
            ("date", 1) => {
                let [value] = take(arguments);
                self.coerce(value, DataType::Date, Coercion::Explicit)
            }
            ("date_trunc", 3) => {
                let [part, source, zone] = take(arguments);
                let zone = self.coerce(zone, DataType::Text, Coercion::Implicit)?;
                let source = self.coerce(source, DataType::TimestampTz, Coercion::Implicit)?;
                self.trunc_in_zone(part, source, zone)
            }
            _ => return self.call_of_family(name, arguments),
        };
        call.map(Special::Bound)
    }

    fn modulo(&mut self, [left, right]: [Expression; 2]) -> Result<Expression> {
        self.arithmetic(Function::Modulo, left, right)
    }

    /// The functions that have files of their own.
    fn call_of_family(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let arguments = match self.special_vector_function(name, arguments)? {
            Special::NoMatch(same) => self.arrays_for_vectors(name, same)?,
            bound => return Ok(bound),
        };
        let families = [
            Self::special_bits_function,
            Self::special_logical_function,
            Self::special_byte_function,
            Self::special_number_function,
            Self::special_pattern_function,
            Self::special_string_function,
            Self::special_template_function,
            Self::special_moment_function,
            Self::special_jsonb_function,
            Self::special_measure,
            Self::special_list_function,
            Self::special_struct_function,
        ];
        let mut arguments: Vec<Expression> = arguments.into_iter().map(bits_function::of_any_length).collect();
        for family in families {
            match family(self, name, arguments)? {
                Special::NoMatch(same) => arguments = same,
                bound => return Ok(bound),
            }
        }
        Ok(Special::NoMatch(arguments))
    }

    fn call_registered(
        &mut self,
        name: &str,
        arguments: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let arguments = match registry::yields_to_users(name) {
            true => match self.call_of_user(name, arguments)? {
                Special::Bound(call) => return Ok(call),
                Special::NoMatch(same) => same,
            },
            false => arguments,
        };
        match self.match_signature(name, arguments)? {
            Special::Bound(call) => Ok(call),
            Special::NoMatch(arguments) => match self.call_of_catalog(name, arguments, position)? {
                Special::Bound(call) => Ok(call),
                Special::NoMatch(arguments) => match self.call_of_user(name, arguments)? {
                    Special::Bound(call) => Ok(call),
                    Special::NoMatch(arguments) => match (type_called(name), &arguments[..]) {
                        (Some(to), [value]) if castable(value.data_type, to, Coercion::Explicit) => {
                            let [value] = take(arguments);
                            self.coerce(value, to, Coercion::Explicit)
                        }
                        _ => Err(self.no_function(name, &arguments).at(position)),
                    },
                },
            },
        }
    }

    /// The first signature of this name that the arguments fit exactly, else the first that they fit by implicit
    /// casts.
    pub(super) fn match_signature(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let fits = |signature: &&Signature, implicit: bool| {
            (signature.required..=signature.parameters.len()).contains(&arguments.len())
                && arguments.iter().zip(signature.parameters).all(|(argument, &parameter)| {
                    let data_type = argument.data_type;
                    data_type == parameter
                        || (data_type.is_text() && parameter.is_text())
                        || (implicit && castable(data_type, parameter, Coercion::Implicit))
                })
        };
        let mut signatures = registry::signatures(name).peekable();
        if signatures.peek().is_none() {
            return Ok(Special::NoMatch(arguments));
        }
        let signatures: Vec<&Signature> = signatures.collect();
        let exact = signatures.iter().copied().find(|signature| fits(signature, false));
        let Some(signature) = exact.or_else(|| signatures.iter().copied().find(|signature| fits(signature, true)))
        else {
            return Ok(Special::NoMatch(arguments));
        };
        let mut cast = Vec::with_capacity(arguments.len());
        for (argument, &parameter) in arguments.into_iter().zip(signature.parameters) {
            let as_it_is = argument.data_type.is_text() && parameter.is_text();
            cast.push(if as_it_is {
                blanks::as_text(argument)
            } else {
                self.coerce(argument, parameter, Coercion::Implicit)?
            });
        }
        Ok(Special::Bound(fold::call(signature.function, cast, signature.result)))
    }

    /// A call of a function on texts, where the operands of an operator stand.
    pub(super) fn call_text(
        &mut self,
        function: Function,
        arguments: Vec<Expression>,
        spelling: &str,
        result: DataType,
    ) -> Result<Expression> {
        let arguments: Vec<Expression> = arguments.into_iter().map(|argument| self.as_string(argument)).collect();
        let stringy = |argument: &Expression| argument.data_type.is_text() || argument.data_type == DataType::Null;
        if !arguments.iter().all(stringy) {
            let (l, r) = (arguments[0].data_type, arguments[arguments.len() - 1].data_type);
            return Err(super::operator::no_operator(spelling, l, r, arguments[0].position));
        }
        let settled = arguments.into_iter().map(|argument| self.settle(argument).map(blanks::as_text));
        let arguments = settled.collect::<Result<_>>()?;
        Ok(fold::call(function, arguments, result))
    }
}

/// The type that a call of its name casts to, by the name that PostgreSQL's catalog has for it.
fn type_called(name: &str) -> Option<DataType> {
    Some(match name {
        "bool" => DataType::Boolean,
        "int2" => DataType::SmallInt,
        "int4" => DataType::Integer,
        "int8" => DataType::BigInt,
        "float4" => DataType::Real,
        "float8" => DataType::Double,
        "numeric" => DataType::Numeric,
        "text" => DataType::Text,
        "varchar" => DataType::VARCHAR,
        "bpchar" => DataType::BPCHAR,
        "char" => DataType::InternalChar,
        "name" => DataType::Name,
        "timestamp" => DataType::Timestamp,
        "timestamptz" => DataType::TimestampTz,
        "time" => DataType::Time,
        "timetz" => DataType::TimeTz,
        "interval" => DataType::Interval,
        "oid" => DataType::OID,
        _ => return None,
    })
}

/// What came of looking for a function.
pub(super) enum Special {
    /// The call.
    Bound(Expression),
    /// Nothing; the arguments, as they were.
    NoMatch(Vec<Expression>),
}

/// The arguments, whose number has been checked.
pub(super) fn take<const N: usize>(arguments: Vec<Expression>) -> [Expression; N] {
    arguments.try_into().expect("the number of arguments was matched")
}

/// The error for a name or argument types that no function has.
pub(super) fn no_function(name: &str, arguments: &[Expression]) -> Error {
    let types: Vec<String> = arguments.iter().map(|argument| argument.data_type.to_string()).collect();
    let message = format!("function {name}({}) does not exist", types.join(", "));
    let error = Error::new(ErrorKind::UnknownFunction, message);
    if registry::names().any(|known| known == name) {
        return error
            .with_hint("No function matches the given argument types. You might need to add explicit type casts.");
    }
    did_you_mean(error, name, registry::names())
}
