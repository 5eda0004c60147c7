//! CREATE, ALTER and DROP FUNCTION, and the same of procedures. Either stands in its schema under its name and the types of its arguments.

use super::dropped::remove_all;
use super::renamed::move_object;
use super::view::gone_meanwhile;
use crate::catalog::{Entry, Qualified, State};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Returned, Routine, RoutineBody, TableName, View, shown_key};
use multiloop_planner::relation::builder::Need;
use multiloop_planner::sql::{self, RoutineChange, RoutineKind, RoutineName, RoutineOption};
use multiloop_planner::types::DataType;
use std::sync::Arc;

impl Runner<'_> {
    /// CREATE FUNCTION.
    pub(super) fn create_routine(
        &self,
        written: &TableName,
        mut routine: Routine,
        (needs, or_replace): (Vec<Need>, bool),
    ) -> Result<ResultStream> {
        let (view, needs) = self.view_meant(View::default(), needs);
        let is_standard = matches!(routine.body, RoutineBody::Standard(..));
        if let RoutineBody::Standard(_, body) = &mut routine.body {
            *body = Arc::new(View { names: view.names.clone(), ..View::clone(body) });
        }
        routine.names = view.names;
        let mut write = self.session.begin_write()?;
        let at = write.state.name_for(written, &self.snapshot.path, false)?;
        self.snapshot.facts.check_not_system(&at)?;
        self.snapshot.facts.check_make(&write.state, &at.schema)?;
        let name = Qualified { name: routine.key(), schema: at.schema };
        if let Some(gone) = needs.iter().find(|need| write.state.get(need).is_none()) {
            return Err(gone_meanwhile(gone));
        }
        if let Some(Entry::Routine(known)) = write.state.get(&name) {
            if !or_replace {
                let message = format!("function \"{}\" already exists with same argument types", routine.name);
                return Err(Error::new(ErrorKind::DuplicateFunction, message));
            }
            if known.is_procedure != routine.is_procedure {
                let error = Error::new(ErrorKind::WrongObjectType, "cannot change routine kind");
                return Err(error.with_detail(format!("\"{}\" is a {}.", known.name, known.kind())));
            }
            if let Some(object) = write.state.object(&name) {
                self.snapshot.facts.check_owner(&name, object)?;
            }
            check_replaced(known, &routine, &self.called(&name, &write.state))?;
            // What it would need must not need it.
            if is_standard && needs.iter().any(|need| *need == name || write.state.reaches(need, &name)) {
                let what = format_args!("function {} that calls itself is", routine.signature()).to_string();
                return Err(Error::unsupported(what));
            }
        }
        let tag = format!("CREATE {}", routine.kind().to_ascii_uppercase());
        write.state.make(&name, Entry::Routine(Arc::new(routine)), &self.snapshot.facts.owner());
        write.commit()?;
        Ok(ResultStream::done(tag))
    }

    /// A function as messages call it: with its schema, unless its name alone means it.
    fn called(&self, name: &Qualified, state: &State) -> String {
        let plain = TableName::from(name.name.as_str());
        let is_visible = state.resolve(&plain, &self.snapshot.path).is_some_and(|(found, _)| found == *name);
        let shown = shown_key(&name.name);
        if is_visible { shown } else { format!("{}.{shown}", quoted(&name.schema)) }
    }

    /// What a statement names as a function.
    ///
    /// # Errors
    /// 42883 if there is none, 42725 if there are several, 42704 for a type that there is not.
    pub(super) fn routine_named(&self, of: &RoutineName, state: &State) -> Result<Qualified> {
        let read = |types: &Option<Vec<_>>| types.as_ref().map(|types| sql::routine_types(self.snapshot, types));
        let (types, all_types) = (read(&of.types).transpose()?, read(&of.all_types).transpose()?);
        let path = of.name.schema.as_ref().map_or(&self.snapshot.path[..], std::slice::from_ref);
        let is_meant = |routine: &Routine| {
            let all = || routine.passed().map(|argument| argument.data_type).collect::<Vec<_>>();
            types.as_ref().is_none_or(|types| routine.input_types() == *types)
                || (routine.is_procedure && all_types.as_ref().is_some_and(|types| all() == *types))
        };
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for schema in path {
            for (key, routine) in state.routines_in(schema, &of.name.name).filter(|(_, routine)| is_meant(routine)) {
                let is_one = of.kind.includes(routine.is_procedure);
                let of_kind = if is_one { &mut found } else { &mut others };
                of_kind.push(Qualified { schema: schema.clone(), name: key.clone() });
            }
        }
        let sought = of.kind.sought();
        match (found.as_slice(), types) {
            ([one], _) | ([one, ..], Some(_)) => Ok(one.clone()),
            ([], Some(types)) => {
                let types: Vec<String> = types.iter().map(DataType::to_string).collect();
                let called = format!("{}({})", of.name.plain(), types.join(", "));
                if !others.is_empty() {
                    return Err(Error::new(ErrorKind::WrongObjectType, format!("{called} is not a {sought}")));
                }
                Err(Error::new(ErrorKind::UnknownFunction, format!("{sought} {called} does not exist")))
            }
            ([], None) => {
                let message = format!("could not find a {sought} named \"{}\"", of.name.plain());
                Err(Error::new(ErrorKind::UnknownFunction, message))
            }
            (_, None) => {
                let kind = of.kind.name();
                let message = format!("{kind} name \"{}\" is not unique", of.name.plain());
                let error = Error::new(ErrorKind::AmbiguousFunction, message);
                Err(error.with_hint(format!("Specify the argument list to select the {kind} unambiguously.")))
            }
        }
    }

    /// DROP FUNCTION.
    pub(super) fn drop_routines(
        &self,
        (names, kind): (&[RoutineName], RoutineKind),
        if_exists: bool,
        cascade: bool,
    ) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let mut done = ResultStream::done(format!("DROP {}", kind.name().to_ascii_uppercase()));
        let mut gone: Vec<Qualified> = Vec::new();
        for name in names {
            match self.routine_named(name, &write.state) {
                Ok(found) => {
                    if let Some(object) = write.state.object(&found) {
                        let called = name.name.plain();
                        self.snapshot.facts.check_drop(&write.state, &found, object, (kind.name(), &called))?;
                    }
                    gone.push(found);
                }
                Err(error)
                    if if_exists && matches!(error.kind(), ErrorKind::UnknownFunction | ErrorKind::UnknownObject) =>
                {
                    let message = match (error.kind(), &name.types) {
                        (ErrorKind::UnknownFunction, None) => {
                            format!("{} {}() does not exist", kind.name(), name.name.plain())
                        }
                        (ErrorKind::UnknownFunction, Some(_)) => {
                            error.message().replacen(kind.sought(), kind.name(), 1)
                        }
                        _ => error.message().to_owned(),
                    };
                    done = done.with_notice(Notice::skipping("00000", message));
                }
                Err(error) => return Err(error),
            }
        }
        remove_all(&mut write.state, gone, cascade)?;
        write.commit()?;
        Ok(done)
    }

    /// ALTER FUNCTION.
    pub(super) fn alter_routine(&self, name: &RoutineName, change: &RoutineChange) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let found = self.routine_named(name, &write.state)?;
        let facts = &self.snapshot.facts;
        let Some((object, routine)) = write.state.object(&found).and_then(|object| match &object.entry {
            Entry::Routine(routine) => Some((object, Routine::clone(routine))),
            _ => None,
        }) else {
            return Err(Error::internal("a function that was found is gone"));
        };
        let called = match change {
            RoutineChange::Rename(_) => name.name.name.clone(),
            _ => name.name.plain(),
        };
        facts.check_owner_of(&found, object, (routine.kind(), &called))?;
        let put = |state: &mut State, name: &Qualified, routine: Routine| {
            state.change(name, |object| object.entry = Entry::Routine(Arc::new(routine)));
        };
        match change {
            RoutineChange::Owner(owner) => {
                let Some(owner) = self.grantee(owner)? else {
                    return Err(Error::new(ErrorKind::UnknownObject, "role \"public\" does not exist"));
                };
                self.give(&mut write.state, &found, &owner)?;
            }
            RoutineChange::Rename(to) => {
                let routine = Routine { name: to.clone(), ..routine };
                let to = Qualified { schema: found.schema.clone(), name: routine.key() };
                facts.check_make(&write.state, &found.schema)?;
                refuse_taken(&write.state, &to)?;
                move_object(&mut write.state, &found, &to)?;
                put(&mut write.state, &to, routine);
            }
            RoutineChange::Schema(schema) => {
                if write.state.schema(schema).is_none() {
                    let message = format!("schema \"{schema}\" does not exist");
                    return Err(Error::new(ErrorKind::UnknownSchema, message));
                }
                let to = Qualified { schema: schema.clone(), name: found.name.clone() };
                facts.check_not_system(&to)?;
                facts.check_make(&write.state, schema)?;
                if to != found {
                    refuse_taken(&write.state, &to)?;
                    move_object(&mut write.state, &found, &to)?;
                }
            }
            RoutineChange::Options(options) => put(&mut write.state, &found, with_options(routine, options)?),
        }
        write.commit()?;
        Ok(ResultStream::done(format!("ALTER {}", name.kind.name().to_ascii_uppercase())))
    }
}

fn with_options(mut routine: Routine, options: &[RoutineOption]) -> Result<Routine> {
    for option in options {
        match option {
            RoutineOption::Volatility(volatility) => routine.volatility = *volatility,
            RoutineOption::Strict(strict) => routine.strict = *strict,
            RoutineOption::Definer(definer) => routine.definer = *definer,
            RoutineOption::Leakproof(leakproof) => routine.leakproof = *leakproof,
            RoutineOption::Parallel(letter) => routine.parallel = *letter,
            RoutineOption::Cost(cost) => routine.cost = cost.parse().unwrap_or(routine.cost),
            RoutineOption::Rows(_) if !routine.gives_rows => {
                let message = "ROWS is not applicable when function does not return a set";
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
            RoutineOption::Rows(rows) => routine.rows = rows.parse().unwrap_or(routine.rows),
        }
    }
    Ok(routine)
}

/// An error (42723) if a schema has a function already.
fn refuse_taken(state: &State, name: &Qualified) -> Result<()> {
    if state.get(name).is_none() {
        return Ok(());
    }
    let message = format!("function {} already exists in schema \"{}\"", shown_key(&name.name), name.schema);
    Err(Error::new(ErrorKind::DuplicateFunction, message))
}

/// An error (42P13) for what OR REPLACE may not change: whatever calls the function knows it.
fn check_replaced(known: &Routine, new: &Routine, called: &str) -> Result<()> {
    let hint = format!("Use DROP {} {called} first.", known.kind().to_ascii_uppercase());
    let refused = |message: String| Error::new(ErrorKind::InvalidFunctionDefinition, message).with_hint(hint.clone());
    let columns = |of: &Routine| of.outputs().map(|one| (one.name.clone(), one.data_type)).collect::<Vec<_>>();
    let other = "cannot change return type of existing function".to_owned();
    if known.returned != new.returned || known.gives_rows != new.gives_rows {
        return Err(refused(other));
    }
    if known.returned == Returned::Columns && columns(known) != columns(new) {
        return Err(refused(other).with_detail("Row type defined by OUT parameters is different."));
    }
    for (known, new) in known.inputs().zip(new.inputs()) {
        if !known.name.is_empty() && known.name != new.name {
            return Err(refused(format!("cannot change name of input parameter \"{}\"", known.name)));
        }
        if known.default.is_some() && new.default.is_none() {
            return Err(refused("cannot remove parameter defaults from existing function".to_owned()));
        }
    }
    Ok(())
}
