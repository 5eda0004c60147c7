//! ALTER of tables, views, indexes, types and schemas, but for new names: what a relation has is changed in the state of the
//! statement, change by change, each over the table as those before it have left it. Nobody sees any of it before all is done.
//!
//! 1. `columns` adds and drops columns, and gives them other types. The table begins a new line of its history then: its rows are no
//!    longer what those who began before it take them for.
//! 2. `constraints` adds, checks and drops constraints.
//! 3. `needed` knows which views read a column, and lets those that do not go on as they were.
//! 4. `identity` lets columns make their own values, or not any more.
//! 5. `enums` changes the labels of an enum, in all tables that have columns of it.

mod columns;
mod constraints;
mod enums;
mod identity;
mod needed;

use crate::catalog::{Entry, Object, Qualified, State, StoredTable};
use crate::running::Runner;
use crate::statement::sequence;
use crate::stream::{Notice, ResultStream};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, TableInfo, TableName};
use multiloop_planner::sql::{self, Alter, Alteration, Altering, ObjectKind};
use std::sync::Arc;

impl Runner<'_> {
    /// ALTER.
    pub(super) fn alter(&self, altering: &Altering) -> Result<ResultStream> {
        let Alter { kind, name, if_exists, changes } = &altering.alter;
        let mut write = self.session.begin_write()?;
        let mut done = ResultStream::done(format!("ALTER {}", kind.name().to_uppercase()));
        if *kind == ObjectKind::Schema {
            self.alter_schema(name, changes, &mut write.state)?;
            write.commit()?;
            return Ok(done);
        }
        if matches!(kind, ObjectKind::Index | ObjectKind::Table)
            && let Some(table) = write.state.index_table(name, &self.snapshot.path)
        {
            self.check_index_changes(&table, name, changes, &write.state)?;
            return Ok(done);
        }
        let Some(found) = self.altered(*kind, name, &write.state)? else {
            let (error, what) = match kind {
                ObjectKind::Type => (ErrorKind::UnknownObject, "type"),
                _ => (ErrorKind::UnknownTable, "relation"),
            };
            let message = format!("{what} \"{}\" does not exist", name.plain());
            if *if_exists {
                return Ok(done.with_notice(Notice::skipping("00000", message)));
            }
            return Err(Error::new(error, message));
        };
        let mut ordered: Vec<&Alteration> = changes.iter().collect();
        ordered.sort_by_key(|change| change.pass());
        for change in ordered {
            self.session.cancellation.check()?;
            let notices = self.alteration(&mut write.state, &found, (altering, change))?;
            done = notices.into_iter().fold(done, ResultStream::with_notice);
        }
        write.commit()?;
        Ok(done)
    }

    fn alteration(
        &self,
        state: &mut State,
        name: &Qualified,
        (altering, change): (&Altering, &Alteration),
    ) -> Result<Vec<Notice>> {
        let quiet = |done: Result<()>| done.map(|()| Vec::new());
        match change {
            Alteration::Owner(owner) => return quiet(self.give(state, name, owner)),
            Alteration::AddValue { .. } | Alteration::RenameValue { .. } => {
                return self.alter_enum(state, name, change);
            }
            Alteration::Tune => return Ok(Vec::new()),
            _ => {}
        }
        let kind = state.get(name).map_or("table", Entry::kind);
        if kind != "table" {
            if let (Alteration::TuneColumn(column), "materialized view") = (change, kind) {
                column_of(&state.table(name)?.info, column)?;
                return Ok(Vec::new());
            }
            let message = format!("ALTER action {} cannot be performed on relation \"{}\"", action(change), name.name);
            return Err(Error::new(ErrorKind::WrongObjectType, message)
                .with_detail(format!("This operation is not supported for {kind}s.")));
        }
        let stored = state.table(name)?.clone();
        stored.check_own()?;
        match change {
            Alteration::AddColumn { .. } => self.add_column(state, name, (altering, change)),
            Alteration::DropColumn { name: column, if_exists, cascade } => {
                self.drop_column(state, name, column, (*if_exists, *cascade))
            }
            Alteration::SetType { column, .. } => quiet(self.set_type(state, name, column, (altering, change))),
            Alteration::SetDefault { .. } => quiet(self.set_default(state, name, (altering, change))),
            Alteration::SetNullable { column, nullable } => quiet(self.set_nullable(state, name, column, *nullable)),
            Alteration::AddIdentity { .. } | Alteration::SetIdentity { .. } | Alteration::DropGenerated { .. } => {
                self.alter_generation(state, name, change)
            }
            Alteration::AddConstraint { .. } => quiet(self.add_constraint(state, name, (altering, change))),
            Alteration::AddUsingIndex { name: constraint, index, primary } => {
                self.add_using_index(state, name, (constraint.as_deref(), index), *primary)
            }
            Alteration::DropConstraint { name: constraint, if_exists, cascade } => {
                self.drop_constraint(state, name, constraint, (*if_exists, *cascade))
            }
            Alteration::Validate(constraint) => quiet(self.validate(state, name, constraint)),
            Alteration::TuneColumn(column) => quiet(column_of(&stored.info, column).map(drop)),
            Alteration::ClusterOn(index) => {
                if state.get(name).is_some_and(|entry| entry.index_names().any(|of| of == index)) {
                    return Ok(Vec::new());
                }
                let message = format!("index \"{index}\" for table \"{}\" does not exist", name.name);
                Err(Error::new(ErrorKind::UnknownObject, message))
            }
            Alteration::Trigger(trigger) => {
                let message = format!("trigger \"{trigger}\" for table \"{}\" does not exist", name.name);
                Err(Error::new(ErrorKind::UnknownObject, message))
            }
            _ => Err(Error::internal("a change of something else was left to a table")),
        }
    }

    /// SET DEFAULT, and without a value DROP DEFAULT.
    fn set_default(
        &self,
        state: &mut State,
        name: &Qualified,
        (altering, change): (&Altering, &Alteration),
    ) -> Result<()> {
        let Alteration::SetDefault { column, value } = change else {
            return Err(Error::internal("another change was taken for a default"));
        };
        let info = Arc::clone(&state.table(name)?.info);
        let column = column_of(&info, column)?;
        identity::check_default(&info, column, value.is_some())?;
        let mut declared = Declared::clone(&info.declared);
        declared.set_default(column, None, info.fields.len());
        if let Some(value) = value {
            declared =
                self.over_written(state, |runner| sql::default_set(runner.snapshot, altering, (column, value), &info))?;
        }
        super::dropped::redeclare(state, name, declared, |_| {})
    }

    /// Runs `ask` over the state of the statement, with the rights of who asks.
    fn over_written<T>(&self, state: &State, ask: impl FnOnce(&Runner<'_>) -> Result<T>) -> Result<T> {
        self.session
            .with_state(state.clone(), |snapshot| ask(&Runner { session: self.session, snapshot, parameters: &[] }))
    }

    /// OWNER TO.
    pub(in crate::statement) fn give(&self, state: &mut State, name: &Qualified, owner: &str) -> Result<()> {
        let owner = self.new_owner(owner)?;
        sequence::check_given_alone(state, name, &owner)?;
        if !self.snapshot.facts.is_superuser {
            let roles = self.snapshot.facts.roles.as_ref();
            let rights = roles.map(|roles| roles.owner_rights(&owner));
            let may = rights.is_none_or(|rights| {
                let schema = state.schema(&name.schema);
                schema.is_none_or(|schema| rights.allow_in(multiloop_planner::catalog::Right::Create, &schema.owned))
            });
            if !may {
                let message = format!("permission denied for schema {}", name.schema);
                return Err(Error::new(ErrorKind::Forbidden, message));
            }
        }
        let mut given = sequence::owned_names(state, name);
        given.push(name.clone());
        for name in given {
            state.change(&name, |object| object.owned = object.owned.given_to(&owner));
        }
        Ok(())
    }

    /// A role that may be given things by who acts.
    fn new_owner(&self, name: &str) -> Result<Arc<str>> {
        let facts = &self.snapshot.facts;
        let owner = match name {
            "current_user" | "current_role" => facts.owner(),
            "session_user" => self.role(facts.session_user())?,
            name => self.role(name)?,
        };
        if !facts.is_superuser && !facts.rights.has(&owner) {
            return Err(Error::new(ErrorKind::Forbidden, format!("must be member of role \"{owner}\"")));
        }
        Ok(owner)
    }

    fn alter_schema(&self, name: &TableName, changes: &[Alteration], state: &mut State) -> Result<()> {
        let missing = || {
            let message = format!("schema \"{}\" does not exist", name.name);
            Error::new(ErrorKind::UnknownSchema, message)
        };
        for change in changes {
            let Alteration::Owner(owner) = change else {
                return Err(Error::internal("a schema was to be altered as a table"));
            };
            let schema = state.schema(&name.name).ok_or_else(missing)?;
            self.snapshot.facts.check_schema_owner(&name.name, schema)?;
            let owner = self.new_owner(owner)?;
            let schema = Arc::make_mut(&mut state.schemas).get_mut(&name.name).ok_or_else(missing)?;
            let schema = Arc::make_mut(schema);
            schema.owned = schema.owned.given_to(&owner);
        }
        Ok(())
    }

    /// Of an index nothing can be changed that means something here.
    fn check_index_changes(
        &self,
        table: &Qualified,
        index: &TableName,
        changes: &[Alteration],
        state: &State,
    ) -> Result<()> {
        if let Some(object) = state.object(table) {
            self.snapshot.facts.check_owner_of(table, object, ("index", &index.name))?;
        }
        for change in changes {
            match change {
                Alteration::Tune | Alteration::TuneColumn(_) => {}
                Alteration::Owner(_) => {
                    let message = format!("cannot change owner of index \"{}\"", index.name);
                    return Err(Error::new(ErrorKind::WrongObjectType, message)
                        .with_hint("Change the ownership of the index's table, instead."));
                }
                change => {
                    let what = action(change);
                    let message = format!("ALTER action {what} cannot be performed on relation \"{}\"", index.name);
                    return Err(Error::new(ErrorKind::WrongObjectType, message)
                        .with_detail("This operation is not supported for indexes."));
                }
            }
        }
        Ok(())
    }
}

/// The place of a column of a table.
///
/// # Errors
/// 42703 if there is none of this name.
fn column_of(info: &TableInfo, name: &str) -> Result<usize> {
    info.fields.iter().position(|field| field.name == name).ok_or_else(|| unknown_column(info, name))
}

fn unknown_column(info: &TableInfo, name: &str) -> Error {
    let message = format!("column \"{name}\" of relation \"{}\" does not exist", info.name);
    Error::new(ErrorKind::UnknownColumn, message)
}

/// What PostgreSQL calls a change.
fn action(change: &Alteration) -> &'static str {
    match change {
        Alteration::AddColumn { .. } => "ADD COLUMN",
        Alteration::DropColumn { .. } => "DROP COLUMN",
        Alteration::SetType { .. } => "ALTER COLUMN ... SET DATA TYPE",
        Alteration::AddIdentity { .. } => "ALTER COLUMN ... ADD IDENTITY",
        Alteration::SetIdentity { .. } => "ALTER COLUMN ... SET IDENTITY",
        Alteration::DropGenerated { is_identity: true, .. } => "ALTER COLUMN ... DROP IDENTITY",
        Alteration::DropGenerated { .. } => "ALTER COLUMN ... DROP EXPRESSION",
        Alteration::SetDefault { .. } => "ALTER COLUMN ... SET DEFAULT",
        Alteration::SetNullable { nullable: false, .. } => "ALTER COLUMN ... SET NOT NULL",
        Alteration::SetNullable { .. } => "ALTER COLUMN ... DROP NOT NULL",
        Alteration::AddConstraint { .. } | Alteration::AddUsingIndex { .. } => "ADD CONSTRAINT",
        Alteration::DropConstraint { .. } => "DROP CONSTRAINT",
        Alteration::Validate(_) => "VALIDATE CONSTRAINT",
        Alteration::ClusterOn(_) => "CLUSTER ON",
        Alteration::Trigger(_) => "ENABLE TRIGGER",
        Alteration::TuneColumn(_) => "ALTER COLUMN ... SET STATISTICS",
        Alteration::Tune => "SET",
        Alteration::Owner(_) => "OWNER TO",
        Alteration::AddValue { .. } | Alteration::RenameValue { .. } => "ADD VALUE",
    }
}

/// Puts a table in the place of what it was, and changes with it what stands with its columns.
fn put(state: &mut State, name: &Qualified, stored: StoredTable, change: impl FnOnce(&mut Object)) {
    state.change(name, |object| {
        change(object);
        object.entry = Entry::Table(stored);
    });
}
