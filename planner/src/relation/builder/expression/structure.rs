//! Structs: made of fields, taken apart by name, cast field by field; and DuckDB's functions of them. What a struct is, is told
//! in `evaluate/structure/mod.rs`.

use super::array::array_call;
use super::call::{Special, no_function, take};
use super::coercion::{Coercion, castable, unify_types};
use super::{fold, literal};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::evaluate::structure::decode;
use crate::function::{ArrayFunction, Function, StructFunction};
use crate::relation::builder::Builder;
use crate::relation::builder::suggest::did_you_mean;
use crate::relation::{Expression, ExpressionKind};
use crate::stack;
use crate::types::{DataType, STRUCT_DEPTH_MAX};
use crate::value::Value;

/// Whether two names are those of one field.
fn is_same(a: &str, b: &str) -> bool {
    a == b || a.to_lowercase() == b.to_lowercase()
}

/// The place of a field by its name; one of just this name, else one that differs in case alone.
fn place_of(fields: &[(String, DataType)], name: &str) -> Option<usize> {
    let exact = fields.iter().position(|(known, _)| known == name);
    exact.or_else(|| fields.iter().position(|(known, _)| is_same(known, name)))
}

/// The fields of a struct that the statement makes.
fn made(value: &Expression) -> Option<&[Expression]> {
    match &value.kind {
        ExpressionKind::Call(Function::Struct(StructFunction::Make, _), fields) => Some(fields),
        _ => None,
    }
}

/// The same, and those of a literal.
fn parts(value: &Expression) -> Option<Vec<Expression>> {
    if let Some(fields) = made(value) {
        return Some(fields.to_vec());
    }
    let (Some(Value::Text(text)), Some(fields)) = (fold::constant(value), value.data_type.struct_fields()) else {
        return None;
    };
    let values = decode(text, fields)?.into_iter().zip(fields);
    let field = |(part, (_, of)): (Value, &(String, DataType))| match of {
        DataType::Null => literal::unknown(part),
        of => Expression::constant(part, *of),
    };
    Some(values.map(|part| field(part).at(value.position)).collect())
}

/// A function of a struct, whose type stands beside the function.
fn call(function: StructFunction, arguments: Vec<Expression>, to: DataType) -> Expression {
    let of = arguments[0].data_type;
    fold::call(Function::Struct(function, of), arguments, to)
}

/// What a struct, or an array of structs, is compared, grouped and told apart by.
pub(super) fn compared(value: Expression) -> Expression {
    let of = value.data_type;
    if !of.has_forms() {
        return value;
    }
    let position = value.position;
    call(StructFunction::Canonical, vec![value], of).at(position)
}

/// The type of two structs in common: all fields of the first, then what only the second has. `unify` gives that of fields.
pub(super) fn unify_structs(
    a: DataType,
    b: DataType,
    unify: impl Fn(DataType, DataType) -> Option<DataType>,
) -> Option<DataType> {
    let (ours, theirs) = match (a.struct_fields(), b.struct_fields(), a.fields(), b.fields()) {
        (Some(ours), Some(theirs), ..) => (ours, theirs),
        // A row takes the other's names.
        (Some(known), _, _, Some(row)) | (_, Some(known), Some(row), _) if known.len() == row.len() => {
            let pairs = known.iter().zip(row);
            let fields = pairs.map(|((name, a), (_, b))| Some((name.clone(), unify(*a, *b)?)));
            return fields.collect::<Option<Vec<_>>>().map(DataType::structure);
        }
        _ => return None,
    };
    let mut fields = Vec::with_capacity(ours.len().max(theirs.len()));
    for (name, of) in ours {
        let of = match place_of(theirs, name) {
            Some(place) => unify(*of, theirs[place].1)?,
            None => *of,
        };
        fields.push((name.clone(), of));
    }
    fields.extend(theirs.iter().filter(|(name, _)| place_of(ours, name).is_none()).cloned());
    Some(DataType::structure(fields))
}

/// What asks for a cast to a struct at least, from a struct by names or from a row in order; none if there is no such cast. A
/// field that the target has not is left out by explicit casts alone.
pub(super) fn cast_context(from: DataType, to: DataType) -> Option<Coercion> {
    let needed = |from: DataType, to: DataType| {
        let contexts = [Coercion::Implicit, Coercion::Assignment, Coercion::Explicit];
        contexts.into_iter().find(|&context| castable(from, to, context))
    };
    let ours = to.struct_fields()?;
    if let Some(row) = from.fields().filter(|row| row.len() == ours.len()) {
        let each = row.iter().zip(ours).map(|((_, from), (_, to))| needed(*from, *to));
        return each.collect::<Option<Vec<_>>>()?.into_iter().max();
    }
    let theirs = from.struct_fields()?;
    let is_whole = theirs.iter().all(|(name, _)| place_of(ours, name).is_some());
    let pairs = ours.iter().filter_map(|(name, to)| Some((theirs[place_of(theirs, name)?].1, *to)));
    let each = pairs.map(|(from, to)| needed(from, to)).collect::<Option<Vec<_>>>()?;
    let most = each.into_iter().max()?;
    Some(if is_whole { most } else { Coercion::Explicit })
}

impl Builder<'_> {
    /// `{'a': value, …}` and `struct_pack(a := value, …)`.
    ///
    /// # Errors
    /// 42701 for a name that is there twice, 0A000 for a field of a type that no struct has.
    pub fn structure(&mut self, fields: Vec<(String, Expression)>, position: Option<Position>) -> Result<Expression> {
        if fields.is_empty() {
            let error = Error::unsupported("a struct without fields is");
            return Err(error.with_hint("Name them: struct_pack(a := 1).").at(position));
        }
        let (mut types, mut values) = (Vec::<(String, DataType)>::new(), Vec::with_capacity(fields.len()));
        for (name, value) in fields {
            if types.iter().any(|(known, _)| is_same(known, &name)) {
                let message = format!("a struct has one field of a name: \"{name}\" is there twice");
                return Err(Error::new(ErrorKind::DuplicateColumn, message).at(position));
            }
            let value = self.field_value(value)?;
            types.push((name, value.data_type));
            values.push(value);
        }
        Ok(self.make(types, values)?.at(position))
    }

    fn make(&self, types: Vec<(String, DataType)>, values: Vec<Expression>) -> Result<Expression> {
        if types.iter().any(|(_, of)| of.depth() >= STRUCT_DEPTH_MAX) {
            let message = format!("structs are more than {STRUCT_DEPTH_MAX} deep within each other");
            return Err(Error::new(ErrorKind::TooComplex, message));
        }
        let of = DataType::structure(types);
        Ok(fold::call(Function::Struct(StructFunction::Make, of), values, of))
    }

    /// A value as a field: a literal in quotes, a NULL or a parameter may still get a type, a row is a struct of its fields.
    fn field_value(&mut self, value: Expression) -> Result<Expression> {
        if value.data_type == DataType::Null {
            let may_get_one = matches!(value.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_));
            return if may_get_one { Ok(value) } else { self.settle(value) };
        }
        let of = value.data_type;
        if of.element().is_some_and(|element| element.fields().is_some()) {
            let error = Error::unsupported("an array of rows as a field of a struct is");
            return Err(error.with_hint("Make its elements structs, which have names: {'a': 1}.").at(value.position));
        }
        match of.fields() {
            Some(fields) => {
                let mut named: Vec<(String, DataType)> = Vec::with_capacity(fields.len());
                for (number, (name, of)) in (1..).zip(fields) {
                    let is_known = named.iter().any(|(known, _)| is_same(known, name));
                    named.push((if is_known { format!("f{number}") } else { name.clone() }, *of));
                }
                if named.is_empty() {
                    return Err(Error::unsupported("a struct without fields is").at(value.position));
                }
                stack::more(|| self.struct_of_row(value, DataType::structure(named), Coercion::Explicit))
            }
            None => Ok(value),
        }
    }

    /// A row as a struct of as many fields.
    fn struct_of_row(&mut self, row: Expression, to: DataType, coercion: Coercion) -> Result<Expression> {
        let fields = to.struct_fields().ok_or_else(|| Error::internal("a row as what is no struct"))?;
        let mut values = Vec::with_capacity(fields.len());
        for (value, (_, of)) in self.fields_of(&row)?.into_iter().zip(fields) {
            let value = self.field_value(value)?;
            // A row within it has become a struct.
            values.push(if of.fields().is_some() { value } else { self.coerce(value, *of, coercion)? });
        }
        let types = fields.iter().zip(&values).map(|((name, _), value)| (name.clone(), value.data_type)).collect();
        let whole = self.make(types, values)?;
        Ok(self.null_of_row(row, whole))
    }

    /// A cast that [`cast_context`] knows.
    pub(super) fn cast_struct(&mut self, value: Expression, to: DataType, coercion: Coercion) -> Result<Expression> {
        let (from, position) = (value.data_type, value.position);
        if from.fields().is_some() {
            return Ok(self.struct_of_row(value, to, coercion)?.at(position));
        }
        let (theirs, ours) = (from.struct_fields().unwrap_or_default(), to.struct_fields().unwrap_or_default());
        if let Some(values) = parts(&value) {
            let mut cast = Vec::with_capacity(ours.len());
            for (name, of) in ours {
                cast.push(match place_of(theirs, name) {
                    Some(place) => self.coerce(values[place].clone(), *of, coercion)?,
                    None => Expression::constant(Value::Null, *of),
                });
            }
            return Ok(fold::call(Function::Struct(StructFunction::Make, to), cast, to).at(position));
        }
        let mut arguments = vec![value];
        if from.is_zoned() || to.is_zoned() {
            arguments.push(self.zone());
        }
        Ok(call(StructFunction::Cast(to), arguments, to).at(position))
    }

    /// A struct of what an object of JSON has by the names of its fields.
    pub(super) fn made_of_json(&mut self, json: Expression, to: DataType) -> Expression {
        let text = super::logical::relabel(json, DataType::Text);
        self.in_zone_if(Function::Struct(StructFunction::OfJson, to), to, text, to)
    }

    /// The fields of a struct, in order.
    pub(super) fn fields_of_struct(&mut self, value: &Expression) -> Result<Vec<Expression>> {
        let count = value.data_type.struct_fields().map_or(0, <[_]>::len);
        (0..count).map(|place| self.struct_field(value, place)).collect()
    }

    /// A field of a struct by its place.
    fn struct_field(&mut self, value: &Expression, place: usize) -> Result<Expression> {
        // Of a literal a field of unknown type is a literal, too.
        if let Some(mut fields) = parts(value) {
            return Ok(fields.swap_remove(place));
        }
        let whole = self.settle(value.clone())?;
        let of = whole.data_type.struct_fields().map_or(DataType::Null, |fields| fields[place].1);
        let at = Expression::constant(Value::Int(place as i64), DataType::BigInt);
        Ok(call(StructFunction::Field, vec![whole, at], of).at(value.position))
    }

    /// `struct.name`.
    ///
    /// # Errors
    /// 42703 for a field that it has not.
    pub(super) fn field_of_struct(
        &mut self,
        value: &Expression,
        name: &str,
        position: Option<Position>,
    ) -> Result<Expression> {
        let of = value.data_type;
        let fields = of.struct_fields().ok_or_else(|| Error::internal("a field of what is no struct"))?;
        let Some(place) = place_of(fields, name) else {
            let message = format!("column \"{name}\" not found in data type {of}");
            let error = Error::new(ErrorKind::UnknownColumn, message).at(position);
            return Err(did_you_mean(error, name, fields.iter().map(|(known, _)| known.as_str())));
        };
        Ok(self.struct_field(value, place)?.at(position))
    }

    /// The fields that `unnest(struct)` is in a select list, with their names; those of structs within it in their places if it
    /// is `recursive`.
    pub fn unnested_struct(&mut self, value: &Expression, recursive: bool) -> Result<Vec<(String, Expression)>> {
        let names = value.data_type.struct_fields().unwrap_or_default();
        let mut items = Vec::with_capacity(names.len());
        for ((name, of), field) in names.iter().zip(self.fields_of_struct(value)?) {
            if recursive && of.struct_fields().is_some() {
                items.extend(self.unnested_struct(&field, recursive)?);
            } else {
                items.push((name.clone(), field));
            }
        }
        Ok(items)
    }

    /// The functions that take named arguments: `struct_pack`, and `struct_insert` and `struct_update` of a struct.
    ///
    /// # Errors
    /// 42883 if the plain arguments are no struct; those of [`Builder::structure`].
    pub fn struct_with(
        &mut self,
        name: &str,
        plain: Vec<Expression>,
        named: Vec<(String, Expression)>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let mut fields: Vec<(String, Expression)> = Vec::new();
        match (name, plain.as_slice()) {
            ("struct_pack", []) => {}
            ("struct_insert" | "struct_update", [whole]) if whole.data_type.struct_fields().is_some() => {
                let names = whole.data_type.struct_fields().unwrap_or_default().iter().map(|(name, _)| name.clone());
                fields.extend(names.zip(self.fields_of_struct(whole)?));
            }
            _ => {
                let error = no_function(name, &plain).at(position);
                return Err(error.with_hint("Fields are named: struct_pack(a := 1), struct_insert(s, b := 2)."));
            }
        }
        for (field, value) in named {
            match fields.iter_mut().find(|(known, _)| name == "struct_update" && is_same(known, &field)) {
                Some((_, known)) => *known = value,
                None => fields.push((field, value)),
            }
        }
        self.structure(fields, position)
    }

    /// A function of structs, if the name and the types are of one.
    pub(super) fn special_struct_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        let first = arguments.first().map_or(DataType::Null, |first| first.data_type);
        let Some(fields) = first.struct_fields() else { return Ok(Special::NoMatch(arguments)) };
        let done = match (name, arguments.len()) {
            ("struct_extract", 2) => {
                let [value, name] = take(arguments);
                let Some(Value::Text(field)) = fold::constant(&name).cloned() else {
                    let error = Error::unsupported("a field of a struct by a name that is no constant is");
                    return Err(error.with_hint("struct_extract_at takes a place.").at(name.position));
                };
                self.field_of_struct(&value, &field, name.position)?
            }
            ("struct_extract_at", 2) => {
                let [value, place] = take(arguments);
                let at = match fold::constant(&place) {
                    Some(Value::Int(at)) => usize::try_from(*at).ok().and_then(|at| at.checked_sub(1)),
                    _ => {
                        let error = Error::unsupported("a field of a struct by a place that is no constant is");
                        return Err(error.at(place.position));
                    }
                };
                let Some(at) = at.filter(|at| *at < fields.len()) else {
                    let message = format!("a struct of {} fields has no field at this place", fields.len());
                    return Err(Error::new(ErrorKind::InvalidParameter, message).at(place.position));
                };
                self.struct_field(&value, at)?
            }
            ("struct_keys", 1) => {
                let element = DataType::Text;
                let names = fields.iter().map(|(name, _)| Expression::constant(Value::text(name), element)).collect();
                let keys = array_call(ArrayFunction::Make, element, names, DataType::list(element));
                let [value] = take(arguments);
                null_of(value, keys)
            }
            ("struct_values", 1) => {
                let [value] = take(arguments);
                let values = self.fields_of_struct(&value)?.into_iter().zip(1..);
                let values = values.map(|(field, number)| (format!("f{number}"), field)).collect();
                self.row(None, values, value.position)?
            }
            ("struct_concat", 1..) => {
                let mut all = Vec::new();
                for value in &arguments {
                    let Some(names) = value.data_type.struct_fields() else {
                        return Err(no_function(name, &arguments));
                    };
                    let names = names.iter().map(|(name, _)| name.clone());
                    all.extend(names.zip(self.fields_of_struct(value)?));
                }
                self.structure(all, arguments[0].position)?
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(done))
    }

    /// Values whose types are still unknown in part, as text there.
    pub(super) fn settle_parts(&mut self, value: Expression) -> Result<Expression> {
        let to = value.data_type.settled();
        self.coerce(value, to, Coercion::Explicit)
    }
}

/// The type that a struct, or an array of them, has with others in common, text where it is still unknown; see [`unify_types`].
pub(in crate::relation::builder) fn settled_type(types: &[DataType], construct: &str) -> Result<DataType> {
    let common = unify_types(types, construct)?;
    Ok(if common.is_of_structs() { common.settled() } else { common })
}

/// A value, NULL where a struct is.
fn null_of(whole: Expression, value: Expression) -> Expression {
    if made(&whole).is_some() {
        return value;
    }
    let (of, position) = (value.data_type, value.position);
    let is_null = fold::call(Function::IsNull, vec![whole], DataType::Boolean);
    match fold::constant(&is_null) {
        Some(Value::Boolean(false)) => value,
        Some(_) => Expression::constant(Value::Null, of).at(position),
        None => {
            let null = Expression::constant(Value::Null, of);
            Expression::call(Function::Case, vec![is_null, null, value], of).at(position)
        }
    }
}
