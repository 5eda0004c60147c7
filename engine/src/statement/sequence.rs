//! CREATE and ALTER SEQUENCE, and the sequences of columns: made with their table, begun anew by TRUNCATE, gone with what owns them.

use super::dropped::{has_dependents_on, redeclare};
use super::{New, indexes};
use crate::catalog::{Entry, Qualified, SequenceOwner, State, StoredSequence};
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, TableName};
use multiloop_planner::sql::{ColumnSequence, ObjectKind, SequenceChange, SequenceOptions, classes_in, made_name};
use multiloop_planner::types::Field;
use std::sync::Arc;

impl Runner<'_> {
    /// CREATE SEQUENCE.
    pub(super) fn create_sequence(
        &self,
        name: &TableName,
        (temporary, if_not_exists): (bool, bool),
        options: &SequenceOptions,
    ) -> Result<ResultStream> {
        let new = New { name, temporary, if_not_exists, or_replace: false, tag: "CREATE SEQUENCE" };
        let mut write = self.session.begin_write()?;
        let found = self.name_for(&new, &write.state)?;
        self.snapshot.facts.check_make(&write.state, &found.schema)?;
        let is_there = write.state.has_relation(&found, None);
        if is_there && if_not_exists {
            return new.already_exists();
        }
        let mut sequence = StoredSequence::created(options)?;
        if is_there {
            return new.already_exists();
        }
        let owner = self.snapshot.facts.owner();
        if let Some(Some((table, column))) = &options.owner {
            sequence.owner = Some(self.sequence_owner((table, column), (&found.schema, &owner), &write.state)?);
        }
        write.state.make(&found, Entry::Sequence(sequence), &owner);
        write.commit()?;
        Ok(ResultStream::done(new.tag))
    }

    /// ALTER SEQUENCE.
    pub(super) fn alter_sequence(
        &self,
        name: &TableName,
        change: &SequenceChange,
        if_exists: bool,
    ) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let done = ResultStream::done("ALTER SEQUENCE");
        let Some(found) = self.altered(ObjectKind::Sequence, name, &write.state)? else {
            let message = format!("relation \"{}\" does not exist", name.plain());
            if if_exists {
                return Ok(done.with_notice(Notice::skipping("00000", message)));
            }
            return Err(Error::new(ErrorKind::UnknownTable, message));
        };
        let object = write.state.object(&found).cloned().ok_or_else(gone)?;
        let Entry::Sequence(sequence) = &object.entry else { return Err(gone()) };
        match change {
            SequenceChange::Owner(grantee) => {
                let Some(role) = self.grantee(grantee)? else {
                    return Err(Error::new(ErrorKind::UnknownObject, "role \"public\" does not exist"));
                };
                check_given_alone(&write.state, &found, &role)?;
                write.state.change(&found, |object| object.owned.owner = role);
            }
            SequenceChange::Options(options) => {
                let mut altered = sequence.altered(object.oid, options)?;
                self.session.work.drawn().forget_stored(object.oid);
                if let Some(owner) = &options.owner {
                    self.check_free(sequence, &found, &write.state)?;
                    altered.owner = match owner {
                        Some((table, column)) => {
                            let of = (found.schema.as_str(), &object.owned.owner);
                            Some(self.sequence_owner((table, column), of, &write.state)?)
                        }
                        None => None,
                    };
                }
                write.state.change(&found, |object| object.entry = Entry::Sequence(altered));
            }
        }
        write.commit()?;
        Ok(done)
    }

    /// An error (0A000) for the sequence of an IDENTITY, which stays its column's.
    fn check_free(&self, sequence: &StoredSequence, name: &Qualified, state: &State) -> Result<()> {
        let Some(owner) = sequence.owner.as_ref().filter(|owner| owner.is_identity) else { return Ok(()) };
        let table = state.numbered(owner.table).map(|table| table.name).unwrap_or_default();
        let error = Error::new(ErrorKind::Unsupported, "cannot change ownership of identity sequence");
        Err(error.with_detail(format!("Sequence \"{}\" is linked to table \"{table}\".", name.name)))
    }

    /// The column that OWNED BY names, of a sequence in a schema and of an owner.
    fn sequence_owner(
        &self,
        (table, column): (&TableName, &str),
        (schema, owner): (&str, &Arc<str>),
        state: &State,
    ) -> Result<SequenceOwner> {
        let found = self.found(table, state)?;
        let unknown = || {
            let message = format!("relation \"{}\" does not exist", table.plain());
            Error::new(ErrorKind::UnknownTable, message)
        };
        let object = state.object(&found).ok_or_else(unknown)?;
        let fields = match &object.entry {
            Entry::Table(stored) if object.entry.kind() == "table" => stored.info.fields.as_slice(),
            Entry::View(view) => &view.fields,
            _ => {
                let message = format!("sequence cannot be owned by relation \"{}\"", table.name);
                return Err(Error::new(ErrorKind::WrongObjectType, message));
            }
        };
        let wrong = |what: &str| Err(Error::new(ErrorKind::WrongState, what));
        if object.owned.owner != *owner {
            return wrong("sequence must have same owner as table it is linked to");
        }
        if found.schema != schema {
            return wrong("sequence must be in same schema as table it is linked to");
        }
        if !fields.iter().any(|field| field.name == column) {
            let message = format!("column \"{column}\" of relation \"{}\" does not exist", table.name);
            return Err(Error::new(ErrorKind::UnknownColumn, message));
        }
        Ok(SequenceOwner { table: object.oid, column: column.to_owned(), is_identity: false })
    }

    /// Makes the sequences of a new table's columns, whose defaults they become; [`own_sequences`] says whose they are when there is
    /// the table.
    pub(super) fn make_sequences(
        &self,
        state: &mut State,
        table: &Qualified,
        (fields, sequences): (&[Field], &[ColumnSequence]),
        declared: &mut Declared,
    ) -> Result<Vec<(Qualified, SequenceOwner)>> {
        let mut made = Vec::with_capacity(sequences.len());
        for ColumnSequence { column, is_identity, options } in sequences {
            let field = &fields[*column].name;
            let taken = |name: &str| {
                let of = Qualified { schema: table.schema.clone(), name: name.to_owned() };
                name == table.name || state.has_relation(&of, None)
            };
            let name = match &options.name {
                Some(name) if taken(&name.name) => {
                    let message = format!("relation \"{}\" already exists", name.name);
                    return Err(Error::new(ErrorKind::DuplicateTable, message));
                }
                Some(name) => name.name.clone(),
                None => indexes::free_name(&made_name(&table.name, field, "seq"), &taken),
            };
            let name = Qualified { schema: table.schema.clone(), name };
            state.make(&name, Entry::Sequence(StoredSequence::created(options)?), &self.snapshot.facts.owner());
            let number = state.object(&name).map(|object| object.oid).ok_or_else(gone)?;
            declared.defaults.resize(fields.len(), None);
            declared.defaults[*column] = Some(format!("nextval('{number}'::regclass)").into());
            made.push((name, SequenceOwner { table: 0, column: field.clone(), is_identity: *is_identity }));
        }
        Ok(made)
    }
}

fn gone() -> Error {
    Error::internal("a sequence that was found is gone")
}

/// Says that sequences are a table's.
pub(super) fn own_sequences(state: &mut State, table: &Qualified, made: Vec<(Qualified, SequenceOwner)>) {
    let Some((number, role)) = state.object(table).map(|object| (object.oid, Arc::clone(&object.owned.owner))) else {
        return;
    };
    for (name, owner) in made {
        state.change(&name, |object| {
            object.owned.owner = Arc::clone(&role);
            if let Entry::Sequence(sequence) = &mut object.entry {
                sequence.owner = Some(SequenceOwner { table: number, ..owner });
            }
        });
    }
}

/// Lets sequences that a column owns know its new name.
pub(super) fn rename_owner(state: &mut State, table: &Qualified, from: &str, to: &str) {
    let Some(number) = state.object(table).map(|object| object.oid) else { return };
    for name in state.owned_sequences(number, Some(from)) {
        state.change(&name, |object| {
            if let Entry::Sequence(StoredSequence { owner: Some(owner), .. }) = &mut object.entry {
                to.clone_into(&mut owner.column);
            }
        });
    }
}

/// An error (0A000) for a sequence that a table has, and that gets another owner with it alone.
pub(super) fn check_given_alone(state: &State, name: &Qualified, to: &Arc<str>) -> Result<()> {
    let Some(object) = state.object(name).filter(|object| object.owned.owner != *to) else { return Ok(()) };
    let Entry::Sequence(StoredSequence { owner: Some(owner), .. }) = &object.entry else { return Ok(()) };
    let Some(table) = state.numbered(owner.table) else { return Ok(()) };
    let error = Error::new(ErrorKind::Unsupported, format!("cannot change owner of sequence \"{}\"", name.name));
    Err(error.with_detail(format!("Sequence \"{}\" is linked to table \"{}\".", name.name, table.name)))
}

/// An error (0A000) for a sequence that a table has, and that goes to another schema with it alone.
pub(super) fn check_moves(state: &State, name: &Qualified) -> Result<()> {
    let Some(Entry::Sequence(StoredSequence { owner: Some(owner), .. })) = state.get(name) else { return Ok(()) };
    let Some(table) = state.numbered(owner.table) else { return Ok(()) };
    let error = Error::new(ErrorKind::Unsupported, "cannot move an owned sequence into another schema");
    Err(error.with_detail(format!("Sequence \"{}\" is linked to table \"{}\".", name.name, table.name)))
}

/// Begins the sequences of a table's columns anew (TRUNCATE … RESTART IDENTITY).
pub(super) fn restart_owned(state: &mut State, table: &Qualified) -> Result<()> {
    let Some(number) = state.object(table).map(|object| object.oid) else { return Ok(()) };
    for name in state.owned_sequences(number, None) {
        let Some(Entry::Sequence(sequence)) = state.get(&name) else { continue };
        let restarted = sequence.restarted(None)?;
        state.change(&name, |object| object.entry = Entry::Sequence(restarted));
    }
    Ok(())
}

/// Drops the sequences of a table's columns, which another table takes the place of.
pub(super) fn drop_owned(state: &mut State, table: &Qualified) -> Result<()> {
    let owned = owned_names(state, table);
    let mut gone = owned.clone();
    gone.push(table.clone());
    for name in owned {
        remove_from_defaults(state, &name, &gone, false)?;
        state.remove(&name);
    }
    Ok(())
}

/// The sequences that the columns of something own, if it is a table.
pub(super) fn owned_names(state: &State, table: &Qualified) -> Vec<Qualified> {
    let number = state.object(table).map(|object| object.oid);
    number.map(|number| state.owned_sequences(number, None)).unwrap_or_default()
}

/// The columns whose defaults draw from a sequence: of tables, by position.
pub(super) fn defaults_of(state: &State, sequence: u32) -> Vec<(Qualified, usize)> {
    let mut found = Vec::new();
    for (schema, name, object) in state.iter() {
        let Some(declared) = object.entry.declared() else { continue };
        for (column, default) in declared.defaults.iter().enumerate() {
            if default.as_ref().is_some_and(|text| classes_in(text).contains(&sequence)) {
                found.push((Qualified { schema: schema.to_owned(), name: name.to_owned() }, column));
            }
        }
    }
    found
}

/// Takes a sequence out of the defaults of tables that stay.
///
/// # Errors
/// 2BP01 without `cascade`, and for the sequence of an IDENTITY whose column stays.
pub(super) fn remove_from_defaults(
    state: &mut State,
    name: &Qualified,
    gone: &[Qualified],
    cascade: bool,
) -> Result<()> {
    let Some(object) = state.object(name) else { return Ok(()) };
    let (number, Entry::Sequence(sequence)) = (object.oid, &object.entry) else { return Ok(()) };
    let owner = sequence.owner.clone();
    if let Some(owner) = owner.as_ref().filter(|owner| owner.is_identity)
        && let Some(table) = state.numbered(owner.table).filter(|table| !gone.contains(table))
    {
        let column = format!("column {} of table {}", owner.column, table.name);
        let message = format!("cannot drop sequence {} because {column} requires it", name.name);
        return Err(
            Error::new(ErrorKind::DependentObjects, message).with_hint(format!("You can drop {column} instead."))
        );
    }
    for (table, column) in defaults_of(state, number) {
        let owner = owner.as_ref();
        if gone.contains(&table) {
            continue;
        }
        let info = &state.table(&table)?.info;
        if !cascade {
            let dependent = format!("default value for column {} of table {}", info.fields[column].name, table.name);
            let sequence = format!("sequence {}", name.name);
            // It may go with its table.
            let owner = owner.and_then(|owner| state.numbered(owner.table)).filter(|table| gone.contains(table));
            let dropped = owner.map_or_else(|| sequence.clone(), |table| format!("table {}", table.name));
            return Err(has_dependents_on(&dropped, &format!("{dependent} depends on {sequence}")));
        }
        let mut declared = Declared::clone(&info.declared);
        declared.defaults[column] = None;
        redeclare(state, &table, declared, |_| {})?;
    }
    Ok(())
}
