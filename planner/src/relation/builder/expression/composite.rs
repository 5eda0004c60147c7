//! Rows as values: `ROW(a, b)`, a table's name where a value stands, what functions of several columns give.
//!
//! A row is a text (`evaluate/row.rs`) and its type says which fields it has. Of a row that the statement makes the builder keeps
//! the fields, so that what asks for them needs no text; of any other, what a subquery gives for one, a field is read out of
//! the text. So a row costs nothing before somebody looks at it as a whole.

use super::call::no_function;
use super::coercion::Coercion;
use super::logical::relabel;
use super::operator::{and, no_operator, not, or};
use super::{blanks, fold, string_function};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{Function, JsonFunction, RowFunction, SortKeyOrder};
use crate::relation::builder::naming::type_name;
use crate::relation::builder::{Builder, Rows, Scope};
use crate::relation::{Expression, ExpressionKind, Relation};
use crate::types::{DataType, SortOrder};
use crate::value::Value;
use std::sync::Arc;

/// A row that the statement makes.
#[derive(Debug)]
pub(in crate::relation::builder) struct KnownRow {
    row: Expression,
    fields: Vec<Expression>,
    /// Whether it may be NULL, which is another thing than a row of NULLs.
    may_be_null: bool,
}

fn is_null(value: &Expression) -> Expression {
    fold::call(Function::IsNull, vec![value.clone()], DataType::Boolean)
}

impl Builder<'_> {
    /// A row of these fields, of a table or of none; a field of unknown type is text.
    pub fn row(
        &mut self,
        table: Option<String>,
        fields: Vec<(String, Expression)>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let (mut types, mut values) = (Vec::with_capacity(fields.len()), Vec::with_capacity(fields.len()));
        let mut texts = Vec::with_capacity(fields.len());
        for (name, field) in fields {
            let field = self.settle_any(field)?;
            types.push((name, field.data_type));
            texts.push(match field.data_type {
                DataType::Boolean => string_function::boolean_letter(field.clone()),
                _ => self.coerce(string_function::with_blanks(field.clone()), DataType::Text, Coercion::Assignment)?,
            });
            values.push(field);
        }
        let text = fold::call(Function::Row(RowFunction::Make), texts, DataType::Text);
        let row = relabel(text, DataType::row(table, types)).at(position);
        Ok(self.known_row(row, values, false))
    }

    fn known_row(&mut self, row: Expression, fields: Vec<Expression>, may_be_null: bool) -> Expression {
        self.rows.push(KnownRow { row: row.clone(), fields, may_be_null });
        row
    }

    /// The row of a table of FROM; NULL where an outer join gave none.
    pub fn row_of_table(
        &mut self,
        scope: &Scope<'_>,
        table: &TableName,
        position: Option<Position>,
    ) -> Result<Expression> {
        let (_, found) = scope.table(table, position)?;
        let (name, present, is_value) = (found.of.as_ref().map(|of| of.name.clone()), found.present, found.is_value);
        let mut fields = Vec::new();
        for item in self.table_items(scope, table, position)? {
            if is_value {
                return Ok(item.expression);
            }
            fields.push((item.name, item.expression));
        }
        let row = self.row(name, fields, position)?;
        let Some(present) = present else { return Ok(row) };
        let fields = self.fields_of(&row)?;
        let is_there = fold::call(Function::IsNotNull, vec![self.columns.reference(present)], DataType::Boolean);
        let null = Expression::constant(Value::Null, row.data_type);
        let of = row.data_type;
        let row = Expression::call(Function::Case, vec![is_there, row, null], of).at(position);
        Ok(self.known_row(row, fields, true))
    }

    /// The fields of a row or a struct.
    pub fn fields_of(&mut self, row: &Expression) -> Result<Vec<Expression>> {
        if let Some(known) = self.rows.iter().find(|known| known.row == *row) {
            return Ok(known.fields.clone());
        }
        if row.data_type.struct_fields().is_some() {
            return self.fields_of_struct(row);
        }
        let types = row.data_type.fields().ok_or_else(|| Error::internal("fields of what is no row"))?;
        let text = relabel(row.clone(), DataType::Text);
        let field = |(place, &(_, of)): (usize, &(String, DataType))| {
            let place = Expression::constant(Value::Int(place as i64), DataType::BigInt);
            let field = fold::call(Function::Row(RowFunction::Field), vec![text.clone(), place], DataType::Text);
            let field = match of.fields() {
                Some(_) => relabel(field, of),
                None => self.coerce(field, of, Coercion::Explicit)?,
            };
            Ok(field.at(row.position))
        };
        types.iter().enumerate().map(field).collect()
    }

    /// `(row).name`, and the same of a struct.
    ///
    /// # Errors
    /// 42809 for what is neither, 42703 for a field that it has not.
    pub fn field(&mut self, row: &Expression, name: &str, position: Option<Position>) -> Result<Expression> {
        let of = row.data_type;
        if of.struct_fields().is_some() {
            return self.field_of_struct(row, name, position);
        }
        let Some(fields) = of.fields() else {
            let message = format!("column notation .{name} applied to type {of}, which is not a composite type");
            return Err(Error::new(ErrorKind::WrongObjectType, message).at(position));
        };
        let Some(place) = fields.iter().position(|(known, _)| known == name) else {
            let message = match type_name(of) {
                "record" => format!("could not identify column \"{name}\" in record data type"),
                table => format!("column \"{name}\" not found in data type {table}"),
            };
            return Err(Error::new(ErrorKind::UnknownColumn, message).at(position));
        };
        Ok(self.fields_of(row)?.swap_remove(place).at(position))
    }

    /// A query's only row as a value: NULL if it has none.
    pub fn row_of_query(&mut self, rows: Rows, position: Option<Position>) -> Result<Expression> {
        let (relation, output) = self.as_rows("row", rows, position)?;
        self.scalar_subquery((relation, output), position)
    }

    /// The rows of a query as a column of values.
    pub(super) fn as_rows(&mut self, name: &str, (input, output): Rows, position: Option<Position>) -> Result<Rows> {
        let fields = output.into_iter().map(|(name, id)| (name, self.columns.reference(id))).collect();
        let row = self.row(None, fields, position)?;
        let id = self.columns.add(name, row.data_type, false);
        // What orders the rows stays the last thing that is done.
        let relation = match &*input {
            Relation::Sort { input, keys } => {
                let mut columns: Vec<_> =
                    input.columns().into_iter().map(|id| (id, self.columns.reference(id))).collect();
                columns.push((id, row));
                let input = Arc::new(Relation::Project { input: Arc::clone(input), columns });
                Relation::Sort { input, keys: keys.clone() }
            }
            _ => Relation::Project { input, columns: vec![(id, row)] },
        };
        Ok((Arc::new(relation), vec![(name.to_owned(), id)]))
    }

    /// Whether the row itself may be NULL.
    fn row_may_be_null(&self, row: &Expression) -> bool {
        self.rows.iter().find(|known| known.row == *row).is_none_or(|known| known.may_be_null)
    }

    /// A value made of a row's fields, NULL where the row itself is.
    pub(super) fn null_of_row(&self, row: Expression, value: Expression) -> Expression {
        if !self.row_may_be_null(&row) {
            return value;
        }
        unless(is_null(&relabel(row, DataType::Text)), value)
    }

    /// A comparison of rows as wholes: fields that are NULL are equal, and greater than all others.
    ///
    /// # Errors
    /// 42804 for rows whose fields are of other types, or not as many.
    pub(super) fn compare_records(
        &mut self,
        function: Function,
        left: Expression,
        right: Expression,
    ) -> Result<Expression> {
        let position = left.position.or(right.position);
        let (l, r) = (left.data_type, right.data_type);
        let (Some(ours), Some(theirs)) = (l.fields(), r.fields()) else {
            return Err(no_operator(super::comparison::spelling(function), l, r, position));
        };
        let mismatch = |message: String| Err(Error::new(ErrorKind::TypeMismatch, message).at(position));
        if ours.len() != theirs.len() {
            return mismatch("cannot compare record types with different numbers of columns".to_owned());
        }
        let differs = |((_, a), (_, b)): &(&(String, DataType), &(String, DataType))| type_name(*a) != type_name(*b);
        if let Some(place) = ours.iter().zip(theirs).position(|pair| differs(&pair)) {
            let ((_, a), (_, b)) = (&ours[place], &theirs[place]);
            return mismatch(format!(
                "cannot compare dissimilar column types {a} and {b} at record column {}",
                place + 1
            ));
        }
        let pairs: Vec<_> = self.fields_of(&left)?.into_iter().zip(self.fields_of(&right)?).collect();
        let nulls = [&left, &right].map(|row| {
            let may_be = self.row_may_be_null(row);
            may_be.then(|| is_null(&relabel(row.clone(), DataType::Text)))
        });
        let compared = match function {
            Function::Equal | Function::IsNotDistinct => self.same_fields(pairs)?,
            Function::NotEqual | Function::IsDistinct => not(self.same_fields(pairs)?),
            Function::Less => self.fields_before(pairs, false)?,
            Function::LessEqual => self.fields_before(pairs, true)?,
            Function::Greater => self.fields_before(turned(pairs), false)?,
            _ => self.fields_before(turned(pairs), true)?,
        };
        let [left_null, right_null] = nulls.map(|null| null.unwrap_or_else(|| Expression::boolean(false)));
        Ok(match function {
            Function::IsDistinct | Function::IsNotDistinct => {
                let sides = vec![left_null, right_null];
                let one = fold::call(Function::IsDistinct, sides, DataType::Boolean);
                if function == Function::IsDistinct { or([one, compared]) } else { and(vec![not(one), compared]) }
            }
            _ => unless(or([left_null, right_null]), compared),
        })
    }

    fn same_fields(&mut self, pairs: Vec<(Expression, Expression)>) -> Result<Expression> {
        let same = pairs.into_iter().map(|(left, right)| self.compare(Function::IsNotDistinct, left, right));
        Ok(and(same.collect::<Result<_>>()?))
    }

    /// Whether the first field that differs is less on the left; `equal` if none differs.
    fn fields_before(&mut self, pairs: Vec<(Expression, Expression)>, equal: bool) -> Result<Expression> {
        let mut before = Expression::boolean(equal);
        for (left, right) in pairs.into_iter().rev() {
            let (left_null, right_null) = (is_null(&left), is_null(&right));
            let same = self.compare(Function::IsNotDistinct, left.clone(), right.clone())?;
            let less = self.compare(Function::Less, left, right)?;
            let less = and(vec![not(left_null), or([right_null, less])]);
            before = or([less, and(vec![same, before])]);
        }
        Ok(before)
    }

    /// A row as JSON: an object of its fields.
    pub(super) fn row_as_json(&mut self, row: Expression) -> Result<Expression> {
        let names = row.data_type.fields().ok_or_else(|| no_function("row_to_json", std::slice::from_ref(&row)))?;
        let mut parts = Vec::with_capacity(2 * names.len());
        for ((name, _), field) in names.iter().zip(self.fields_of(&row)?) {
            parts.push(Expression::constant(Value::text(name), DataType::Text));
            parts.push(self.settled_json(field)?);
        }
        let json = fold::call(Function::Json(JsonFunction::Row), parts, DataType::Json).at(row.position);
        if !self.row_may_be_null(&row) {
            return Ok(json);
        }
        Ok(unless(is_null(&relabel(row, DataType::Text)), json))
    }

    /// What stands for a value where values are ordered: of a row a text that sorts as it does.
    ///
    /// # Errors
    /// 42883 and 0A000 for what has no order.
    pub(in crate::relation::builder) fn order_key(&mut self, value: Expression) -> Result<Expression> {
        if let Some(key) = super::array::key_of_rows(&value) {
            return Ok(key);
        }
        if value.data_type.fields().is_none() {
            return blanks::checked_key(value, true);
        }
        let may_be_null = self.row_may_be_null(&value);
        let order = SortKeyOrder::from(SortOrder { descending: false, nulls_first: false });
        let mut key = Expression::constant(Value::text(""), DataType::Text);
        for field in self.fields_of(&value)? {
            let field = self.order_key(field)?;
            let of = field.data_type;
            let part = fold::call(Function::SortKey(order, of), vec![field], DataType::Text);
            key = fold::call(Function::Concat, vec![key, part], DataType::Text);
        }
        Ok(if may_be_null { unless(is_null(&relabel(value, DataType::Text)), key) } else { key })
    }
}

fn turned(pairs: Vec<(Expression, Expression)>) -> Vec<(Expression, Expression)> {
    pairs.into_iter().map(|(left, right)| (right, left)).collect()
}

/// A value, NULL where a condition holds.
fn unless(condition: Expression, value: Expression) -> Expression {
    if matches!(&condition.kind, ExpressionKind::Constant(Value::Boolean(false))) {
        return value;
    }
    let (of, position) = (value.data_type, value.position);
    let null = Expression::constant(Value::Null, of);
    Expression::call(Function::Case, vec![condition, null, value], of).at(position)
}

/// Whether two values of a type that are equal are shown alike.
pub(super) fn is_shown_alike(of: DataType) -> bool {
    match of {
        DataType::Real | DataType::Double | DataType::Numeric | DataType::Interval | DataType::BPCHAR => false,
        _ if of.is_of_structs() => !of.has_forms(),
        _ => {
            let fields = of.fields().unwrap_or_default().iter().map(|(_, of)| *of);
            fields.chain(of.element()).all(is_shown_alike)
        }
    }
}
