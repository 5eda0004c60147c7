//! Casts from, to and between the types that another carries: PostgreSQL's, each as a function of carriers.
//!
//! A cast that changes nothing in the carrier only gives the value another type, and is left out of programs. Whatever depends on
//! the session's time zone takes it as an argument, a constant.

use super::coercion::{Coercion, as_text_type, cast};
use super::{array, bits_function, blanks, fold, jsonb_function, structure, zoned};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate;
use crate::evaluate::array::Array;
use crate::function::{ArrayFunction, Function};
use crate::relation::builder::Builder;
use crate::relation::{Expression, ExpressionKind};
use crate::types::{DataType, OidKind, SystemType};
use crate::value::Value;

/// Bits of an oid.
const OID_MASK: i64 = 0xFFFF_FFFF;

/// What asks for it at least, if there is a cast between two types of which one is carried by another.
pub(super) fn cast_context(from: DataType, to: DataType) -> Option<Coercion> {
    use Coercion::{Assignment, Explicit, Implicit};
    use DataType as T;
    Some(match (from, to) {
        (T::Oid(from), T::Oid(to)) if are_alike(from, to) => Implicit,
        (from, T::Oid(to)) if from.is_integer() && !is_counter(to) => Implicit,
        (T::Oid(from), T::Integer | T::BigInt) if !is_counter(from) => Assignment,
        (from, T::Oid(OidKind::Class)) if from.is_text() => Implicit,
        (T::Name, T::Oid(kind)) if kind.is_registered() => Explicit,
        (T::Name | T::InternalChar | T::System(SystemType::NodeTree), T::Text) => Implicit,
        (from, T::Name) if from.is_text() => Implicit,
        (from, T::InternalChar) if from.is_text() => Assignment,
        (T::InternalChar, T::Integer) | (T::Integer, T::InternalChar) => Explicit,
        (T::Timestamp | T::Date, T::TimestampTz) => Implicit,
        (T::TimestampTz, T::Timestamp | T::Date | T::Time | T::TimeTz) | (T::TimeTz, T::Time) => Assignment,
        (T::Time, T::TimeTz) => Implicit,
        (T::Json, T::Jsonb) | (T::Jsonb, T::Json) => Assignment,
        (from, to) if let Some(context) = bits_function::cast_context(from, to) => context,
        (T::Jsonb, to) if to.is_numeric() || to == T::Boolean => Explicit,
        (T::Json | T::Jsonb, to) if to.struct_fields().is_some() || to.is_vector() => Explicit,
        (from, T::Json | T::Jsonb) if from.is_of_structs() => Assignment,
        (T::Nested(_), to) if to.struct_fields().is_some() => return structure::cast_context(from, to),
        (T::Nested(_), to) if to.is_vector() => {
            return from.element().filter(|of| of.is_numeric() && !from.is_zero_based()).map(|_| Assignment);
        }
        // A vector is an array of its elements where an array is wanted.
        (T::Nested(_), T::Nested(_)) if let Some((of, _)) = from.vector_of() => {
            return element_context(of, to.element().filter(|_| !to.is_zero_based())?);
        }
        (T::Nested(_), T::Nested(_)) => match (from.element(), to.element()) {
            _ if to.is_zero_based() => return None,
            (Some(from), Some(to)) => return element_context(from, to),
            _ => return None,
        },
        (_, to) if to.is_text() => Assignment,
        (from, to) if from.is_text() && to.fields().is_none() => Explicit,
        _ => return None,
    })
}

/// What asks for a cast of an array's elements at least.
fn element_context(from: DataType, to: DataType) -> Option<Coercion> {
    let contexts = [Coercion::Implicit, Coercion::Assignment, Coercion::Explicit];
    contexts.into_iter().find(|&context| super::coercion::castable(from, to, context))
}

/// Whether an oid of one kind is one of another: of any kind, and procedures.
fn are_alike(from: OidKind, to: OidKind) -> bool {
    let procedure = |kind| matches!(kind, OidKind::Procedure | OidKind::ProcedureWithArguments);
    let general = (from == OidKind::Any && !is_counter(to)) || (to == OidKind::Any && !is_counter(from));
    from == to || general || (procedure(from) && procedure(to))
}

/// xid and cid count, and tid is a place; they identify no object and have no casts.
fn is_counter(kind: OidKind) -> bool {
    matches!(kind, OidKind::Transaction | OidKind::Command | OidKind::Place)
}

/// The same value under another type of the same carrier.
pub(super) fn relabel(value: Expression, to: DataType) -> Expression {
    if value.data_type == to {
        return value;
    }
    debug_assert_eq!(value.data_type.carrier(), to.carrier(), "{} is not stored as {to}", value.data_type);
    let position = value.position;
    let kind = match value.kind {
        ExpressionKind::Constant(value) => ExpressionKind::Constant(value),
        ExpressionKind::Call(Function::Relabel, arguments) if arguments[0].data_type == to => {
            return arguments.into_iter().next().unwrap_or_else(|| unreachable!("it has one argument"));
        }
        _ => ExpressionKind::Call(Function::Relabel, vec![value]),
    };
    Expression { position, ..Expression::new(kind, to) }
}

/// Whether the elements of two types have one form in an array, so that one array is the other.
fn have_one_form(from: DataType, to: DataType) -> bool {
    // Numbers of other widths have other digits (`evaluate/array/fixed.rs`).
    let form = |data_type: DataType| match data_type.carrier() {
        DataType::BigInt => 1,
        DataType::Decimal { .. } | DataType::Numeric => 2,
        carrier if carrier.is_text() => 3,
        _ => 0,
    };
    // A cast to a type with fewer values may fail, or change something.
    let widens = match (from, to) {
        (_, DataType::Numeric) => true,
        (from, DataType::Text | DataType::VARCHAR) => {
            (from.is_text() && !matches!(from, DataType::Char(_)))
                || matches!(from, DataType::Name | DataType::InternalChar | DataType::System(_))
                || from.fields().is_some()
        }
        (DataType::Oid(_), DataType::Oid(_)) => true,
        (from, DataType::BIT | DataType::VARBIT) => from.is_bits(),
        _ => false,
    };
    form(from) != 0 && form(from) == form(to) && widens
}

/// The integer of an oid: the upper half of all oids are negative ones.
fn integer_of_oid(oid: Expression) -> Expression {
    let half = 1 << 31;
    let number = relabel(oid, DataType::BigInt);
    let number = fold::call(Function::Add, vec![number, bigint(half)], DataType::BigInt);
    let number = fold::call(Function::BitAnd, vec![number, bigint(OID_MASK)], DataType::BigInt);
    let number = fold::call(Function::Subtract, vec![number, bigint(half)], DataType::BigInt);
    cast(number, DataType::Integer, Coercion::Assignment)
}

impl Builder<'_> {
    /// The session's time zone, as an argument.
    pub(super) fn zone(&self) -> Expression {
        Expression::constant(Value::text(self.catalog.time_zone()), DataType::Text)
    }

    /// A function that takes the time zone behind its argument where the type depends on it.
    pub(super) fn in_zone_if(&self, function: Function, of: DataType, value: Expression, to: DataType) -> Expression {
        let mut arguments = vec![value];
        if of.is_zoned() {
            arguments.push(self.zone());
        }
        fold::call(function, arguments, to)
    }

    /// A name or a `"char"` as text; anything else as it is.
    pub(super) fn as_string(&self, value: Expression) -> Expression {
        match value.data_type {
            DataType::Name | DataType::InternalChar => relabel(value, DataType::Text),
            _ => value,
        }
    }

    /// A cast that [`cast_context`] knows.
    pub(super) fn cast_logical(&mut self, value: Expression, to: DataType, coercion: Coercion) -> Result<Expression> {
        use DataType as T;
        let (from, position) = (value.data_type, value.position);
        let done = match (from, to) {
            (T::Oid(_), T::Oid(_) | T::BigInt) => relabel(value, to),
            (from, T::Oid(_)) if from.is_integer() => {
                let number = cast(value, T::BigInt, Coercion::Implicit);
                let number = if from == T::BigInt {
                    fold::call(Function::CheckedOid, vec![number], T::BigInt)
                } else {
                    fold::call(Function::BitAnd, vec![number, bigint(OID_MASK)], T::BigInt)
                };
                relabel(number, to)
            }
            (T::Oid(_), T::Integer) => integer_of_oid(value),
            (T::InternalChar, T::Integer) => fold::call(Function::Ascii, vec![relabel(value, T::Text)], to),
            (T::Integer, T::InternalChar) => relabel(fold::call(Function::Chr, vec![value], T::Text), to),
            (T::Timestamp, T::TimestampTz) => zoned::instant(value, self.zone()),
            (T::TimestampTz, T::Timestamp) => zoned::local(value, self.zone()),
            (T::Date, T::TimestampTz) => {
                let midnight = cast(value, T::Timestamp, Coercion::Implicit);
                zoned::instant(midnight, self.zone())
            }
            (T::TimestampTz, T::Date | T::Time) => cast(zoned::local(value, self.zone()), to, Coercion::Assignment),
            (T::Time | T::TimestampTz, T::TimeTz) | (T::TimeTz, T::Time) => self.cast_time_with_zone(value, to),
            (from, to) if bits_function::cast_context(from, to).is_some() => {
                bits_function::cast_bits(value, to, coercion)
            }
            (T::Json, T::Jsonb) => fold::call(Function::ReadAs(to), vec![relabel(value, T::Text)], to),
            (T::Jsonb, T::Json) => relabel(value, to),
            (T::Jsonb, to) if to.is_numeric() || to == T::Boolean => jsonb_function::scalar_of(value, to),
            (T::Json | T::Jsonb, to) if to.struct_fields().is_some() || to.is_vector() => self.made_of_json(value, to),
            (from, T::Json | T::Jsonb) if from.is_of_structs() => {
                let json = self.settled_json(value)?;
                if to == T::Json { json } else { self.cast_logical(json, to, coercion)? }
            }
            (T::Nested(_), to) if to.struct_fields().is_some() => self.cast_struct(value, to, coercion)?,
            (T::Nested(_), T::Nested(_)) if to.is_vector() => vector_of_array(value, to)?,
            (T::Nested(_), T::Nested(_)) if let Some((of, _)) = from.vector_of() => {
                self.array_of_vector(value, of, to, coercion)?
            }
            (T::Nested(_), T::Nested(_)) => self.cast_list(value, to, coercion)?,
            (from, to) if to.is_text() && is_own_text(from) => cast(relabel(value, T::Text), to, coercion),
            (from, to) if to.is_text() => {
                if let T::Oid(kind) = from
                    && kind.is_registered()
                    && let Some(name) = self.name_of_object(kind, value.clone())?
                {
                    return Ok(cast(name, to, coercion).at(position));
                }
                let shown = array::carried_array(from);
                let text = self.in_zone_if(Function::ShowAs(shown), from, relabel(value, shown), T::Text);
                cast(text, to, coercion)
            }
            (from, to) if from.is_text() || from == T::Name => {
                let text = as_text_type(blanks::as_text(self.as_string(value)));
                if let T::Oid(kind) = to
                    && kind.is_registered()
                    && let Some(number) = self.object_named(kind, text.clone())?
                {
                    return Ok(number.at(position));
                }
                let wide = to.of_any_length();
                let read = self.in_zone_if(Function::ReadAs(wide), wide, text, wide);
                if wide == to { read } else { self.cast_logical(read, to, coercion)? }
            }
            _ => return Err(cannot(from, to).at(position)),
        };
        Ok(done.at(position))
    }

    /// An array as one of other elements.
    fn cast_list(&mut self, value: Expression, to: DataType, coercion: Coercion) -> Result<Expression> {
        let (from, position) = (value.data_type, value.position);
        match (from.element(), to.element()) {
            (Some(element), Some(wanted))
                if element.is_bits() && wanted.is_bits() && coercion != Coercion::Explicit =>
            {
                Ok(self.assign_array(value, wanted))
            }
            (Some(element), Some(wanted)) => Ok(self.cast_array(value, element, wanted)),
            _ => Err(cannot(from, to).at(position)),
        }
    }

    /// A vector as an array: of its elements' type, unless it is another float, and then as that array is cast.
    fn array_of_vector(
        &mut self,
        vector: Expression,
        of: DataType,
        to: DataType,
        coercion: Coercion,
    ) -> Result<Expression> {
        let element = to.element().filter(|of| of.is_float()).unwrap_or(of);
        let call = Function::Array(ArrayFunction::OfVector, element);
        let array = fold::call(call, vec![vector], DataType::list(element));
        if array.data_type == to { Ok(array) } else { self.cast_list(array, to, coercion) }
    }

    /// A value as an array, if it is a vector; any other as it is.
    pub(super) fn array_if_vector(&mut self, value: Expression) -> Result<Expression> {
        let to = value.data_type.vector_as_array();
        self.coerce(value, to, Coercion::Implicit)
    }

    /// An array of bit strings whose lengths have to be those of a type.
    fn assign_array(&self, array: Expression, to: DataType) -> Expression {
        let (from, list) = (array.data_type, DataType::list(to));
        if to == to.of_any_length() || from == list {
            return relabel(array, list);
        }
        // Reading a text looks at lengths as an assignment does.
        let text = fold::call(Function::ShowAs(from), vec![array], DataType::Text);
        fold::call(Function::ReadAs(list), vec![text], list)
    }

    /// An array whose elements are cast.
    pub(super) fn cast_array(&mut self, array: Expression, from: DataType, to: DataType) -> Expression {
        let list = DataType::list(to);
        if from == to {
            return relabel(array, list);
        }
        if have_one_form(from, to) {
            return relabel(array, list);
        }
        let mut arguments = vec![array];
        if from.is_zoned() || to.is_zoned() {
            arguments.push(self.zone());
        }
        fold::call(Function::Array(ArrayFunction::Cast(to), from), arguments, list)
    }

    /// A literal in quotes as a value of a type that another carries. The name of an object is asked of the catalog.
    pub(crate) fn read_logical(&self, text: &str, to: DataType) -> Result<Value> {
        if let DataType::Oid(kind) = to
            && kind.is_registered()
            && !text.trim().bytes().all(|byte| byte.is_ascii_digit())
            && text.trim() != "-"
        {
            return self.catalog.resolve(kind, text).map(|number| Value::Int(number.into()));
        }
        if to.fields().is_some() {
            let message = "input of anonymous composite types is not implemented";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        if let Some(DataType::Oid(kind)) = to.element()
            && kind.is_registered()
            && !to.is_zero_based()
        {
            let Value::Text(encoded) = evaluate::parse(text, DataType::list(DataType::Text))? else {
                return Err(Error::internal("an array of no text"));
            };
            let Array { bounds, elements } = Array::decode(&encoded, DataType::Text).unwrap_or_default();
            let number = |value: Value| match value {
                Value::Text(name) => self.read_logical(&name, DataType::Oid(kind)),
                other => Ok(other),
            };
            let elements = elements.into_iter().map(number).collect::<Result<_>>()?;
            return Ok(Value::text(Array { bounds, elements }.encode(DataType::Oid(kind))));
        }
        self.read_moment(text, to)
    }
}

/// An array as a vector.
fn vector_of_array(value: Expression, to: DataType) -> Result<Expression> {
    let (from, position) = (value.data_type, value.position);
    let element = from.element().ok_or_else(|| cannot(from, to).at(position))?;
    Ok(fold::call(Function::Array(ArrayFunction::ToVector, element), vec![value], to))
}

/// Whether what carries a value is the text that it is cast to.
fn is_own_text(data_type: DataType) -> bool {
    use DataType as T;
    let is_plain = matches!(
        data_type,
        T::Name
            | T::InternalChar
            | T::Uuid
            | T::Json
            | T::Jsonb
            | T::JsonPath
            | T::System(_)
            | T::Bit(_)
            | T::VarBit(_)
    );
    is_plain || data_type.fields().is_some()
}

fn bigint(value: i64) -> Expression {
    Expression::constant(Value::Int(value), DataType::BigInt)
}

fn cannot(from: DataType, to: DataType) -> Error {
    Error::new(ErrorKind::CannotCast, format!("cannot cast type {from} to {to}"))
}
