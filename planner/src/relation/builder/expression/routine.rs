//! Functions that users wrote in SQL: which of a name's is called, and its body in place of the call.
//!
//! A call becomes its body's query over the arguments: an expression where the body is a SELECT without FROM, else a subquery; in
//! FROM a derived table. So whatever optimises queries sees through it.
//!
//! * An argument that is small and gives the same value each time may stand in the body more than once; any other is computed once, in
//!   a row around the body.
//! * STRICT: the value is NULL where an argument is, and in FROM there are no rows.
//! * A function of one value has that of the body's first row, and is NULL if there is none.
//! * The body's names are looked up as who calls would look them up; those of a body of SQL's standard mean what they meant.

use super::coercion::{Coercion, castable};
use super::composed::{both, there};
use super::fold;
use super::set_function::SetCall;
use super::sql_function::value_of_one_row;
use super::user_function::is_preferred;
use crate::catalog::{CatalogEntry, FoundRoutine, Returned, Right, Routine, RoutineArgument, RoutineBody, TableName};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::function::{Function, is_same};
use crate::join_kind::JoinKind;
use crate::relation::builder::{ArgumentNames, Builder, FromItem, Rows};
use crate::relation::effects::effects;
use crate::relation::{ColumnId, Expression, ExpressionKind, Relation};
use crate::types::{DataType, SystemType};
use crate::value::Value;
use std::sync::Arc;

/// Parts of an expression that may stand in a body more than once.
const COPIED_MAX: usize = 24;

/// Functions that are words of the grammar to PostgreSQL.
const GRAMMATICAL: [&str; 5] = ["coalesce", "greatest", "least", "nullif", "grouping"];

/// How deep calls may be within each other's bodies.
const CALLS_MAX: usize = 100;

/// A function, and what it is called with.
#[derive(Clone, Debug)]
pub struct RoutineCall {
    /// The function.
    pub found: FoundRoutine,
    /// One for each argument that calls have, of its type.
    pub arguments: Vec<Expression>,
}

impl RoutineCall {
    /// Whether its rows are a table: there may be several, or each has several columns.
    pub fn is_table(&self) -> bool {
        let routine = &self.found.routine;
        routine.gives_rows || matches!(routine.returned, Returned::Columns | Returned::Relation(_))
    }
}

/// An argument of a call, with its name if that is said.
pub(in crate::relation::builder) type Given = (Option<String>, Expression);

/// A function that takes what is given: what each of its arguments is, by place; none has its default. The last takes all that are
/// from its place on, if it is variadic and they are no array.
struct Candidate {
    found: FoundRoutine,
    places: Vec<Option<usize>>,
    /// How many arguments become one array.
    gathered: usize,
}

impl Builder<'_> {
    /// The functions of a name; in a kept text those that it meant.
    pub fn routines(&self, name: &TableName) -> Vec<FoundRoutine> {
        if let Some(view) = &self.view {
            let prefix = format!("{}{}", name.name, crate::catalog::ROUTINE_MARK);
            let is_meant = |written: &TableName| written.schema == name.schema && written.name.starts_with(&prefix);
            let meant = view.names.iter().filter(|name| is_meant(&name.written));
            let known: Vec<FoundRoutine> = meant.filter_map(|name| self.catalog.routine(&name.now)).collect();
            if !known.is_empty() {
                return known;
            }
        }
        let mut known = self.catalog.routines(name);
        let is_it = |made: &&FoundRoutine| {
            let is_found = name.schema.is_none() || name.schema == made.key.schema;
            made.routine.name == name.name && is_found
        };
        if let Some(made) = self.making.as_ref().filter(is_it) {
            known.retain(|known| known.key.name != made.key.name);
            known.push(made.clone());
        }
        known
    }

    /// Whether SQL has functions of a name: those come first, but for calls of just the types of a function that users wrote.
    pub fn is_built_in(&self, name: &str) -> bool {
        use super::registry;
        let is_known =
            registry::names().any(|known| known == name) || self.is_aggregate(name) || super::is_ordered_set(name);
        is_known && (GRAMMATICAL.contains(&name) || self.catalog.is_standard_function(name))
    }

    /// Whether no signature of SQL's functions of a name is of just these types.
    pub fn takes_none(&self, name: &str, arguments: &[Expression]) -> bool {
        let is_just = |signature: &super::registry::Signature| {
            signature.parameters.len() == arguments.len()
                && arguments.iter().zip(signature.parameters).all(|(argument, to)| is_same(argument.data_type, *to))
        };
        let mut signatures = super::registry::signatures(name).peekable();
        signatures.peek().is_some() && !signatures.any(is_just)
    }

    /// The function for these arguments, or the procedure that CALL calls; none if none takes them. With `exactly`, only one of just their
    /// types.
    ///
    /// # Errors
    /// 42725 if several are as good, 42809 for one of the other kind, 42501 for who may not call it.
    pub fn routine_call(
        &mut self,
        name: &TableName,
        known: Vec<FoundRoutine>,
        given: &[Given],
        (exactly, calls): (bool, bool),
    ) -> Result<Option<RoutineCall>> {
        let candidates: Vec<Candidate> = known.into_iter().filter_map(|found| candidate(found, given, calls)).collect();
        let nearness = |of: &Candidate| {
            let types: Vec<DataType> = taken(&of.found.routine, calls).map(|input| input.data_type).collect();
            let pairs =
                of.places.iter().zip(&types).filter_map(|(place, to)| Some((given[(*place)?].1.data_type, *to)));
            let exact = pairs.clone().filter(|(from, to)| is_same(*from, *to)).count();
            let liked = pairs.filter(|(from, to)| !is_same(*from, *to) && is_preferred(*from, *to)).count();
            let is_plain = of.gathered == 0;
            (exact, liked, is_plain, std::cmp::Reverse(types.len()))
        };
        let Some(best) = candidates.iter().map(nearness).max() else { return Ok(None) };
        let mut all = candidates.into_iter().filter(|of| nearness(of) == best).collect::<Vec<_>>();
        if all.len() > 1 {
            let types: Vec<String> = given.iter().map(|(_, value)| shown_type(value.data_type)).collect();
            let kind = if calls { "procedure" } else { "function" };
            let message = format!("{kind} {}({}) is not unique", name.plain(), types.join(", "));
            let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
            return Err(Error::new(ErrorKind::AmbiguousFunction, message).with_hint(hint));
        }
        let Some(chosen) = all.pop() else { return Ok(None) };
        if exactly && (best.0 < given.len() || chosen.gathered > 0) {
            return Ok(None);
        }
        let FoundRoutine { key, routine } = &chosen.found;
        if routine.is_procedure != calls {
            return Err(other_kind(name, given, routine.is_procedure));
        }
        self.catalog.check_right(key, Right::Execute, self.acting())?;
        if self.view.as_ref().is_none_or(|view| !view.names.iter().any(|name| name.now == *key)) {
            self.need(&TableName { schema: name.schema.clone(), name: key.name.clone() }, None);
        }
        let mut arguments = Vec::with_capacity(chosen.places.len());
        let last = chosen.places.len().saturating_sub(1);
        for (at, (input, place)) in taken(routine, calls).zip(&chosen.places).enumerate() {
            let to = input.data_type;
            let value = match place {
                Some(place) if at == last && chosen.gathered > 0 => {
                    let element = to.element().ok_or_else(|| Error::internal("VARIADIC of no array"))?;
                    let values = given[*place..*place + chosen.gathered].iter();
                    let values = values.map(|(_, value)| self.coerce(value.clone(), element, Coercion::Implicit));
                    let values = values.collect::<Result<Vec<_>>>()?;
                    let array = self.array(values, None)?;
                    self.coerce(array, to, Coercion::Implicit)?
                }
                Some(place) => self.coerce(given[*place].1.clone(), to, Coercion::Implicit)?,
                None => {
                    let text =
                        input.default.as_ref().ok_or_else(|| Error::internal("an argument without a default"))?;
                    let value = self.default_of_argument(routine, text)?;
                    self.coerce(value, to, Coercion::Assignment)?
                }
            };
            // What a call has for what comes out is not evaluated.
            if input.mode.is_input() {
                arguments.push(value);
            }
        }
        Ok(Some(RoutineCall { found: chosen.found, arguments }))
    }

    /// A default, which names nothing but what it named when the function was made.
    fn default_of_argument(&mut self, routine: &Routine, text: &str) -> Result<Expression> {
        let names = crate::catalog::View { names: routine.names.clone(), ..crate::catalog::View::default() };
        let (view, outer) = (self.view.replace(Arc::new(names)), self.arguments.replace(Vec::new()));
        let (argument_names, view_query) = (self.argument_names.take(), self.view_query);
        let built = self.deeper(None, |builder| view_query(builder, &format!("SELECT {text}")));
        (self.view, self.arguments, self.argument_names) = (view, outer, argument_names);
        let rows = built?;
        match value_of_one_row(&rows) {
            Some(value) => Ok(value),
            None => self.scalar_subquery(rows, None),
        }
    }

    /// A call as a value.
    ///
    /// # Errors
    /// Those of the body.
    pub fn routine_value(&mut self, call: RoutineCall, position: Option<Position>) -> Result<Expression> {
        if self.is_run(&call.found) {
            return self.run_value(call, position);
        }
        let RoutineCall { found, arguments } = call;
        let (passed, computed) = self.passed(arguments);
        let value = self.value_of_body(&found, passed, position)?;
        if computed.is_empty() {
            return Ok(value.at(position));
        }
        self.over_computed(computed, value, position)
    }

    /// Takes an expression out of its place, where its column is from now on: for [`Builder::over_computed`].
    pub(crate) fn taken_out(&mut self, expression: &mut Expression) -> (ColumnId, Expression) {
        let id = self.columns.add("computed", expression.data_type, true);
        let column = self.columns.reference(id).at(expression.position);
        (id, std::mem::replace(expression, column))
    }

    /// A value over others that are computed once.
    pub(crate) fn over_computed(
        &mut self,
        computed: Vec<(ColumnId, Expression)>,
        value: Expression,
        position: Option<Position>,
    ) -> Result<Expression> {
        let input = Arc::new(Relation::Project { input: FromItem::nothing().relation, columns: computed });
        let id = self.columns.add("value", value.data_type, true);
        let relation = Arc::new(Relation::Project { input, columns: vec![(id, value)] });
        self.scalar_subquery((relation, vec![("value".to_owned(), id)]), position)
    }

    fn value_of_body(
        &mut self,
        found: &FoundRoutine,
        passed: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Expression> {
        let routine = &found.routine;
        let condition = none_is_null(routine, &passed);
        let rows = self.body_of_routine(found, passed, position)?;
        let value = if routine.returned == Returned::Void && !routine.gives_rows {
            Expression::constant(Value::Null, DataType::System(SystemType::Void))
        } else if routine.gives_rows {
            let rows = if rows.1.len() == 1 { rows } else { self.as_rows(&routine.name, rows, position)? };
            self.array_of_rows(rows, position)?
        } else if let Some(value) = value_of_one_row(&rows) {
            value
        } else {
            let rows = if rows.1.len() == 1 { rows } else { self.as_rows(&routine.name, rows, position)? };
            self.scalar_subquery((first_row(rows.0), rows.1), position)?
        };
        let Some(condition) = condition else { return Ok(value) };
        let of = value.data_type;
        Ok(fold::call(Function::Case, vec![condition, value, Expression::constant(Value::Null, of)], of))
    }

    /// A call whose rows are to be one column: of a function of one value one row.
    ///
    /// # Errors
    /// As of [`Builder::routine_value`].
    pub fn routine_set(&mut self, call: RoutineCall, position: Option<Position>) -> Result<SetCall> {
        let (name, gives_rows) = (call.found.routine.name.clone(), call.found.routine.gives_rows);
        let value = self.routine_value(call, position)?;
        if gives_rows { self.set_of_array(value, &name) } else { self.set_of_value(&name, value) }
    }

    /// A call in FROM, under an alias or the function's name.
    ///
    /// # Errors
    /// As of [`Builder::routine_value`].
    pub fn routine_rows(
        &mut self,
        call: RoutineCall,
        alias: Option<&str>,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let routine = Arc::clone(&call.found.routine);
        let name = alias.unwrap_or(&routine.name).to_owned();
        // A value's column is called as its argument is, or as its table.
        let of_value = routine.outputs().next().map(|output| output.name.clone()).filter(|name| !name.is_empty());
        let is_value = matches!(routine.returned, Returned::Value(_) | Returned::Void);
        let (relation, mut output) = if call.is_table() && self.is_run(&call.found) {
            self.run_rows(call, position)?
        } else if call.is_table() {
            let RoutineCall { found, arguments } = call;
            let (passed, computed) = self.passed(arguments);
            let condition = none_is_null(&routine, &passed);
            let (mut relation, output) = self.body_of_routine(&found, passed, position)?;
            if !routine.gives_rows {
                relation = first_row(relation);
            }
            if let Some(predicate) = condition {
                relation = Arc::new(Relation::Filter { input: relation, predicate });
            }
            if !routine.gives_rows {
                // There is one row, whatever the body gives.
                let (left, on) = (FromItem::nothing().relation, Expression::boolean(true));
                relation = Arc::new(Relation::Join { kind: JoinKind::Left, left, right: relation, on });
            }
            if !computed.is_empty() {
                let columns = computed;
                let left = Arc::new(Relation::Project { input: FromItem::nothing().relation, columns });
                relation = self.apply(left, relation)?;
            }
            (relation, output)
        } else {
            let value = self.routine_value(call, position)?;
            let id = self.columns.add(name.clone(), value.data_type, true);
            let input = FromItem::nothing().relation;
            (Arc::new(Relation::Project { input, columns: vec![(id, value)] }), vec![(name.clone(), id)])
        };
        if let (true, [(column, _)]) = (is_value, output.as_mut_slice()) {
            *column = of_value.clone().unwrap_or_else(|| name.clone());
        }
        let mut item = FromItem::table((relation, output), name);
        item.tables.iter_mut().for_each(|table| table.is_value = is_value && of_value.is_none());
        Ok(item)
    }

    /// The arguments as the body has them, and those that are computed once.
    fn passed(&mut self, arguments: Vec<Expression>) -> (Vec<Expression>, Vec<(ColumnId, Expression)>) {
        let (mut passed, mut computed) = (Vec::with_capacity(arguments.len()), Vec::new());
        for argument in arguments {
            let mut parts = 0;
            if is_small(&argument, &mut parts) && !effects(&argument).volatile {
                passed.push(argument);
                continue;
            }
            let id = self.columns.add("argument", argument.data_type, true);
            passed.push(self.columns.reference(id));
            computed.push((id, argument));
        }
        (passed, computed)
    }

    /// The rows of a function's body, of the columns that the function gives.
    ///
    /// # Errors
    /// 42P13 for a body of other columns; those of the body.
    pub(crate) fn body_of_routine(
        &mut self,
        FoundRoutine { key, routine }: &FoundRoutine,
        passed: Vec<Expression>,
        position: Option<Position>,
    ) -> Result<Rows> {
        if self.views.len() > CALLS_MAX {
            let message = format!("functions and views are used within each other more than {CALLS_MAX} deep");
            return Err(Error::new(ErrorKind::TooComplex, message).at(position));
        }
        let wanted = self.returned_columns(routine)?;
        let (text, meaning) = match &routine.body {
            RoutineBody::Text(text) => (text.to_string(), None),
            RoutineBody::Standard(_, view) => (view.sql.clone(), Some(Arc::clone(view))),
        };
        if is_empty(&text) {
            return Ok((FromItem::nothing().relation, Vec::new()));
        }
        self.views.push(key.clone());
        let view = std::mem::replace(&mut self.view, meaning);
        let names = ArgumentNames {
            function: routine.name.clone(),
            names: routine.inputs().map(|input| input.name.clone()).collect(),
        };
        let names = self.argument_names.replace(Arc::new(names));
        let outer = self.arguments.replace(passed);
        let in_routine = std::mem::replace(&mut self.in_routine, true);
        let acting = self.acting.clone();
        if routine.definer {
            self.acting = Some(key.clone());
        } else if !in_routine {
            self.acting = None;
        }
        let view_query = self.view_query;
        let built = self.deeper(position, |builder| view_query(builder, &text));
        (self.acting, self.in_routine) = (acting, in_routine);
        (self.arguments, self.argument_names) = (outer, names);
        self.view = view;
        self.views.pop();
        let rows = built.map_err(|error| error.at(position))?;
        self.as_returned(routine, rows, &wanted)
    }

    /// The names and types of the columns that a function gives.
    ///
    /// # Errors
    /// 42P01 if they are those of a relation that is gone.
    pub(crate) fn returned_columns(&self, routine: &Routine) -> Result<Vec<(String, DataType)>> {
        Ok(match &routine.returned {
            Returned::Void => Vec::new(),
            Returned::Value(of) => vec![(routine.name.clone(), *of)],
            Returned::Columns => {
                let called = |(at, one): (usize, &RoutineArgument)| match one.name.as_str() {
                    "" => (format!("column{at}"), one.data_type),
                    name => (name.to_owned(), one.data_type),
                };
                (1..).zip(routine.outputs()).map(called).collect()
            }
            Returned::Relation(name) => {
                let fields = match self.catalog.entry(name)? {
                    Some(CatalogEntry::Table(info)) => info.declared.fields(&info.fields),
                    Some(CatalogEntry::View(_)) | None => self.catalog.fields_of_view(name)?.unwrap_or_default(),
                };
                if fields.is_empty() {
                    let message = format!("relation \"{}\" does not exist", name.plain());
                    return Err(Error::new(ErrorKind::UnknownTable, message));
                }
                fields.into_iter().map(|field| (field.name, field.data_type)).collect()
            }
        })
    }

    /// A body's rows as those that its function gives.
    pub(super) fn as_returned(
        &mut self,
        routine: &Routine,
        (relation, output): Rows,
        wanted: &[(String, DataType)],
    ) -> Result<Rows> {
        let wrong = |detail: String| {
            let message = format!("return type mismatch in function declared to return {}", shown_result(routine));
            Error::new(ErrorKind::InvalidFunctionDefinition, message).with_detail(detail)
        };
        if routine.returned == Returned::Void {
            return Ok((relation, output));
        }
        let is_value = matches!(routine.returned, Returned::Value(_));
        let (relation, output) = match output.as_slice() {
            // A row as what is returned.
            [(_, id)] if !is_value && self.columns.get(*id).data_type.fields().is_some() => {
                self.spread((relation, output))?
            }
            _ => (relation, output),
        };
        if output.len() != wanted.len() {
            return Err(wrong(match output.len() < wanted.len() {
                _ if is_value => "Final statement must return exactly one column.".to_owned(),
                true => "Final statement returns too few columns.".to_owned(),
                false => "Final statement returns too many columns.".to_owned(),
            }));
        }
        let is_same = output.iter().zip(wanted).all(|((_, id), (_, of))| self.columns.get(*id).data_type == *of);
        let named = |ids: Vec<_>| wanted.iter().map(|(name, _)| name.clone()).zip(ids).collect();
        if is_same {
            return Ok((relation, named(output.into_iter().map(|(_, id)| id).collect())));
        }
        let mut values = Vec::with_capacity(output.len());
        let value_of = value_of_one_row(&(Arc::clone(&relation), output.clone())).filter(|_| is_value);
        for (at, ((_, id), (name, to))) in output.iter().zip(wanted).enumerate() {
            let value = value_of.clone().unwrap_or_else(|| self.columns.reference(*id));
            let from = value.data_type;
            let cast = self.coerce(value, *to, Coercion::Assignment).map_err(|error| match error.kind() {
                ErrorKind::TypeMismatch if is_value => wrong(format!("Actual return type is {}.", shown_type(from))),
                ErrorKind::TypeMismatch => wrong(format!(
                    "Final statement returns {} instead of {} at column {}.",
                    shown_type(from),
                    shown_type(*to),
                    at + 1
                )),
                _ => error,
            })?;
            values.push((self.columns.add(name.clone(), *to, true), cast));
        }
        let output = named(values.iter().map(|(id, _)| *id).collect());
        let input = if value_of.is_some() { FromItem::nothing().relation } else { Arc::clone(&relation) };
        // What orders the rows stays the last thing that is done.
        let relation = match &*input {
            Relation::Sort { input, keys } => {
                let through = input.columns().into_iter().map(|id| (id, self.columns.reference(id)));
                let columns = through.chain(values).collect();
                let input = Arc::new(Relation::Project { input: Arc::clone(input), columns });
                Relation::Sort { input, keys: keys.clone() }
            }
            _ => Relation::Project { input, columns: values },
        };
        Ok((Arc::new(relation), output))
    }
}

/// A type as messages have it: of any length.
fn shown_type(of: DataType) -> String {
    match of {
        DataType::Null => "unknown".to_owned(),
        DataType::Decimal { .. } => "numeric".to_owned(),
        other => other.to_string(),
    }
}

/// What a function is declared to return, in words.
fn shown_result(routine: &Routine) -> String {
    match &routine.returned {
        Returned::Void => "void".to_owned(),
        Returned::Value(of) => of.to_string(),
        Returned::Columns => "record".to_owned(),
        Returned::Relation(name) => name.name.clone(),
    }
}

/// Whether a text has nothing but blanks and semicolons.
fn is_empty(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter == ';')
}

/// The first row, where there could be more.
pub(super) fn first_row(relation: Arc<Relation>) -> Arc<Relation> {
    if is_one_row(&relation) {
        return relation;
    }
    let limit = Some(Expression::constant(Value::Int(1), DataType::BigInt));
    Arc::new(Relation::Limit { input: relation, limit, offset: None })
}

fn is_one_row(relation: &Relation) -> bool {
    match relation {
        Relation::Values { rows, .. } => rows.len() == 1,
        Relation::Aggregate { keys, .. } => keys.is_empty(),
        Relation::Project { input, .. } | Relation::Sort { input, .. } => is_one_row(input),
        _ => false,
    }
}

/// That no argument of a strict function is NULL; none if that is known.
fn none_is_null(routine: &Routine, passed: &[Expression]) -> Option<Expression> {
    if !routine.strict {
        return None;
    }
    let known = |value: &&Expression| !matches!(&value.kind, ExpressionKind::Constant(value) if !value.is_null());
    passed.iter().filter(known).fold(None, |all, value| Some(both(all, there(value))))
}

/// Whether an expression has few parts, and no subquery.
fn is_small(expression: &Expression, parts: &mut usize) -> bool {
    *parts += 1;
    *parts <= COPIED_MAX
        && !matches!(expression.kind, ExpressionKind::Subquery(_))
        && expression.children().into_iter().all(|child| is_small(child, parts))
}

/// The arguments of a call of a routine, by CALL or not.
fn taken(routine: &Routine, calls: bool) -> impl Iterator<Item = &RoutineArgument> {
    routine.arguments.iter().filter(move |argument| argument.mode.is_input() || (calls && routine.is_procedure))
}

/// The error (42809) for a procedure that is called as a function, or a function that CALL calls.
fn other_kind(name: &TableName, given: &[Given], is_procedure: bool) -> Error {
    let types: Vec<String> = given.iter().map(|(_, value)| shown_type(value.data_type)).collect();
    let (what, hint) = match is_procedure {
        true => ("is a procedure", "To call a procedure, use CALL."),
        false => ("is not a procedure", "To call a function, use SELECT."),
    };
    let message = format!("{}({}) {what}", name.plain(), types.join(", "));
    Error::new(ErrorKind::WrongObjectType, message).with_hint(hint)
}

/// A function as one that takes what is given, if it does.
fn candidate(found: FoundRoutine, given: &[Given], calls: bool) -> Option<Candidate> {
    let routine = &found.routine;
    let inputs: Vec<_> = taken(routine, calls).collect();
    let fits = |value: &Expression, to: DataType| castable(value.data_type, to, Coercion::Implicit);
    let mut places: Vec<Option<usize>> = vec![None; inputs.len()];
    let positional = given.iter().take_while(|(name, _)| name.is_none()).count();
    let mut gathered = 0;
    if routine.is_variadic() && positional == given.len() && positional >= inputs.len() {
        let (first, last) = (inputs.len() - 1, inputs.last()?);
        let element = last.data_type.element()?;
        if given[first..].iter().all(|(_, value)| fits(value, element)) {
            gathered = positional - first;
        }
    }
    if positional > inputs.len() && gathered == 0 {
        return None;
    }
    for (at, (name, value)) in given.iter().enumerate() {
        if gathered > 0 && at + 1 >= inputs.len() {
            places[inputs.len() - 1] = Some(inputs.len() - 1);
            break;
        }
        let place = match name {
            None => at,
            Some(name) => inputs.iter().position(|input| input.name == *name)?,
        };
        if places.get(place)?.is_some() || !fits(value, inputs[place].data_type) {
            return None;
        }
        places[place] = Some(at);
    }
    let is_there = |(place, input): (&Option<usize>, &&RoutineArgument)| place.is_some() || input.default.is_some();
    if !places.iter().zip(&inputs).all(is_there) {
        return None;
    }
    Some(Candidate { places, gathered, found })
}
