//! Columns that come to make their own values, or cease to: IDENTITY and expressions.

use super::column_of;
use crate::catalog::{Entry, Qualified, State};
use crate::running::Runner;
use crate::statement::dropped::{redeclare, remove_all};
use crate::statement::sequence::own_sequences;
use crate::stream::Notice;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Declared, Generated, TableInfo};
use multiloop_planner::sql::{Alteration, ColumnSequence, SequenceOptions};
use multiloop_planner::types::DataType;

impl Runner<'_> {
    /// A change of how a column makes its own values.
    pub(super) fn alter_generation(
        &self,
        state: &mut State,
        name: &Qualified,
        change: &Alteration,
    ) -> Result<Vec<Notice>> {
        match change {
            Alteration::AddIdentity { column, kind, options } => {
                self.add_identity(state, name, column, (*kind, options))?;
            }
            Alteration::SetIdentity { column, kind, options } => {
                self.set_identity(state, name, column, (*kind, options))?;
            }
            Alteration::DropGenerated { column, if_exists, is_identity } => {
                return drop_generated(state, name, column, (*is_identity, *if_exists));
            }
            _ => return Err(Error::internal("another change was taken for one of an identity")),
        }
        Ok(Vec::new())
    }

    /// ADD GENERATED … AS IDENTITY. Rows that are there keep their values.
    fn add_identity(
        &self,
        state: &mut State,
        name: &Qualified,
        column: &str,
        (kind, options): (Generated, &SequenceOptions),
    ) -> Result<()> {
        let info = state.table(name)?.info.clone();
        let at = column_of(&info, column)?;
        let field = info.declared_field(at);
        check_identity_type(field.data_type)?;
        if options.data_type.is_some() {
            // It is the column's.
            return Err(Error::new(ErrorKind::Syntax, "conflicting or redundant options"));
        }
        let wrong = |what: &str| {
            let message = format!("column \"{column}\" of relation \"{}\" {what}", name.name);
            Err(Error::new(ErrorKind::WrongState, message))
        };
        if field.nullable {
            return wrong("must be declared NOT NULL before identity can be added");
        }
        if info.declared.is_identity(at) {
            return wrong("is already an identity column");
        }
        if info.declared.default_text(at).is_some() {
            return wrong("already has a default value");
        }
        let mut declared = Declared::clone(&info.declared);
        let options = SequenceOptions { data_type: Some(field.data_type), ..options.clone() };
        let sequence = ColumnSequence { column: at, is_identity: true, options };
        let made = self.make_sequences(state, name, (&info.fields, &[sequence]), &mut declared)?;
        declared.set_generated(at, Some(kind), info.fields.len());
        redeclare(state, name, declared, |_| {})?;
        own_sequences(state, name, made);
        Ok(())
    }

    /// SET GENERATED, and options of an IDENTITY's sequence.
    fn set_identity(
        &self,
        state: &mut State,
        name: &Qualified,
        column: &str,
        (kind, options): (Option<Generated>, &SequenceOptions),
    ) -> Result<()> {
        let info = state.table(name)?.info.clone();
        let at = column_of(&info, column)?;
        if !info.declared.is_identity(at) {
            return Err(Error::new(ErrorKind::WrongState, not_generated(&info, at, true)));
        }
        if kind.is_some() {
            let mut declared = Declared::clone(&info.declared);
            declared.set_generated(at, kind, info.fields.len());
            redeclare(state, name, declared, |_| {})?;
        }
        if *options == SequenceOptions::default() {
            return Ok(());
        }
        self.alter_owned(state, name, column, options)
    }

    /// Lets the sequence of an IDENTITY be of its column's type.
    pub(super) fn retype_identity(&self, state: &mut State, name: &Qualified, column: usize) -> Result<()> {
        let info = state.table(name)?.info.clone();
        if !info.declared.is_identity(column) {
            return Ok(());
        }
        let field = info.declared_field(column);
        let options = SequenceOptions { data_type: Some(field.data_type), ..SequenceOptions::default() };
        self.alter_owned(state, name, &field.name, &options)
    }

    fn alter_owned(&self, state: &mut State, name: &Qualified, column: &str, options: &SequenceOptions) -> Result<()> {
        for sequence in identity_sequences(state, name, column) {
            let Some(object) = state.object(&sequence) else { continue };
            let (number, Entry::Sequence(known)) = (object.oid, &object.entry) else { continue };
            let altered = known.altered(number, options)?;
            self.session.work.drawn().forget_stored(number);
            state.change(&sequence, |object| object.entry = Entry::Sequence(altered));
        }
        Ok(())
    }
}

/// DROP IDENTITY and DROP EXPRESSION: the values stay.
fn drop_generated(
    state: &mut State,
    name: &Qualified,
    column: &str,
    (is_identity, if_exists): (bool, bool),
) -> Result<Vec<Notice>> {
    let info = state.table(name)?.info.clone();
    let at = column_of(&info, column)?;
    let is_it = if is_identity { info.declared.is_identity(at) } else { info.declared.is_stored(at) };
    if !is_it {
        let message = not_generated(&info, at, is_identity);
        if if_exists {
            return Ok(vec![Notice::skipping("00000", message)]);
        }
        return Err(Error::new(ErrorKind::WrongState, message));
    }
    let mut declared = Declared::clone(&info.declared);
    declared.set_default(at, None, info.fields.len());
    declared.set_generated(at, None, info.fields.len());
    redeclare(state, name, declared, |_| {})?;
    if is_identity {
        let gone = identity_sequences(state, name, column);
        for sequence in &gone {
            state.change(sequence, |object| {
                if let Entry::Sequence(sequence) = &mut object.entry {
                    sequence.owner = None;
                }
            });
        }
        remove_all(state, gone, false)?;
    }
    Ok(Vec::new())
}

/// The sequences that an IDENTITY has: one.
fn identity_sequences(state: &State, name: &Qualified, column: &str) -> Vec<Qualified> {
    let Some(number) = state.object(name).map(|object| object.oid) else { return Vec::new() };
    let mut owned = state.owned_sequences(number, Some(column));
    owned.retain(|of| {
        let Some(Entry::Sequence(sequence)) = state.get(of) else { return false };
        sequence.owner.as_ref().is_some_and(|owner| owner.is_identity)
    });
    owned
}

fn not_generated(info: &TableInfo, column: usize, is_identity: bool) -> String {
    let what = if is_identity { "an identity column" } else { "a stored generated column" };
    format!("column \"{}\" of relation \"{}\" is not {what}", info.fields[column].name, info.name)
}

/// The error (22023) for a type that an IDENTITY does not have.
pub(super) fn check_identity_type(of: DataType) -> Result<()> {
    if of.is_integer() {
        return Ok(());
    }
    let message = "identity column type must be smallint, integer, or bigint";
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

/// The error (42601) for a column whose values are its sequence's.
pub(super) fn check_no_identity(info: &TableInfo, column: usize) -> Result<()> {
    if !info.declared.is_identity(column) {
        return Ok(());
    }
    let name = &info.fields[column].name;
    let message = format!("column \"{name}\" of relation \"{}\" is an identity column", info.name);
    Err(Error::new(ErrorKind::Syntax, message))
}

/// The error (42601) for SET DEFAULT, or DROP DEFAULT, of a column that makes its own values.
pub(super) fn check_default(info: &TableInfo, column: usize, is_set: bool) -> Result<()> {
    let hint = |error: Error, what: &str| match is_set {
        true => error,
        false => error.with_hint(format!("Use ALTER TABLE ... ALTER COLUMN ... DROP {what} instead.")),
    };
    check_no_identity(info, column).map_err(|error| hint(error, "IDENTITY"))?;
    if !info.declared.is_stored(column) {
        return Ok(());
    }
    let name = &info.fields[column].name;
    let message = format!("column \"{name}\" of relation \"{}\" is a generated column", info.name);
    Err(hint(Error::new(ErrorKind::Syntax, message), "EXPRESSION"))
}
