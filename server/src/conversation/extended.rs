//! The extended protocol: statements are parsed, bound to values, described and executed by messages of their own.
//! Between two Syncs they are one implicit transaction; an error skips what is left up to the Sync.

use super::portal::{Portal, RowsInFlight, State};
use super::{Conversation, Named, Next, Place};
use crate::decode;
use crate::engine::{Outcome, Prepared};
use crate::fault::{Fault, Result};
use crate::output::Output;
use crate::types::{Declared, declared};
use crate::wire::frontend::{Bind, Target};
use crate::wire::{Format, backend};
use multiloop::{DataType, Field, Value};
use std::sync::Arc;

impl Conversation {
    /// Prepares a statement.
    pub(super) fn parse(&mut self, name: String, text: &str, types: &[u32], out: &mut Output) -> Result<()> {
        if name.is_empty() {
            self.statements.remove("");
        } else if self.statement(&name).is_ok() {
            return Err(Fault::error("42P05", format!("prepared statement \"{name}\" already exists")));
        }
        self.has_room(self.statements.len(), "prepared statements")?;
        self.check_text(text)?;
        let made = |oid| self.session.type_of_number(oid);
        let types = types.iter().map(|&oid| match declared(oid) {
            Declared::Unknown => Ok(None),
            Declared::Known(data_type) => Ok(Some(data_type)),
            Declared::Missing => match made(oid) {
                Some(data_type) => Ok(Some(data_type)),
                None => Err(Fault::error("42704", format!("type with OID {oid} does not exist"))),
            },
        });
        let types = types.collect::<Result<Vec<Option<DataType>>>>()?;
        let statements = self.session.parse(text)?;
        let named = match &statements[..] {
            [] => None,
            [statement] => {
                self.session.begin_implicit();
                let prepared = self.session.prepare(statement, &types)?;
                let (count, most) = (prepared.parameter_types().len(), self.bounds.parameters);
                if count > most {
                    let message = format!("a statement of {count} parameters is over the limit of {most}");
                    return Err(Fault::error("54023", message));
                }
                Some(Arc::new(prepared))
            }
            _ => return Err(Fault::error("42601", "cannot insert multiple commands into a prepared statement")),
        };
        if let Some(prepared) = named.as_ref().filter(|_| !name.is_empty()) {
            self.session.keep(&name, prepared)?;
        }
        self.statements.insert(name, named);
        backend::parsed(&mut out.buffer);
        Ok(())
    }

    fn has_room(&self, count: usize, what: &str) -> Result<()> {
        if count < self.bounds.names {
            return Ok(());
        }
        Err(Fault::error("53400", format!("a session may have {} {what}", self.bounds.names))
            .with_hint("Close those that are not needed any more."))
    }

    /// The statement of a name, as long as SQL knows it, too: DEALLOCATE forgets those of the protocol, and PREPARE makes some.
    fn statement(&self, name: &str) -> Result<Named> {
        let known = self.statements.get(name);
        let found = match known {
            Some(None) => Some(None),
            Some(Some(known)) if name.is_empty() => Some(Some(Arc::clone(known))),
            known => self.session.kept(name).map(|kept| match known {
                Some(Some(known)) if known.is(&kept) => Some(Arc::clone(known)),
                _ => Some(Arc::new(kept)),
            }),
        };
        found.ok_or_else(|| {
            let message = if name.is_empty() {
                "unnamed prepared statement does not exist".to_owned()
            } else {
                format!("prepared statement \"{name}\" does not exist")
            };
            Fault::error("26000", message)
        })
    }

    /// Makes a portal of a statement and values.
    pub(super) fn bind(&mut self, bind: Bind, out: &mut Output) -> Result<()> {
        let statement = self.statement(&bind.statement)?;
        let types = statement.as_ref().map_or(&[][..], |statement| statement.parameter_types());
        let (given, formats) = (bind.parameters.len(), bind.parameter_formats.len());
        if formats > 1 && formats != given {
            let message = format!("bind message has {formats} parameter formats but {given} parameters");
            return Err(Fault::protocol(message));
        }
        if given != types.len() {
            let (name, needed) = (&bind.statement, types.len());
            let message = format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {needed}"
            );
            return Err(Fault::protocol(message));
        }
        if bind.portal.is_empty() {
            self.portals.remove("");
        } else if self.portals.contains_key(&bind.portal) || self.session.cursor(&bind.portal).is_some() {
            return Err(Fault::error("42P03", format!("cursor \"{}\" already exists", bind.portal)));
        }
        self.has_room(self.portals.len(), "portals")?;
        let formats = spread(&bind.parameter_formats, given)?;
        let sight = self.session.sight_of(types.iter().copied());
        let mut values = Vec::with_capacity(given);
        for (index, ((data_type, format), bytes)) in types.iter().zip(formats).zip(&bind.parameters).enumerate() {
            values.push(match bytes {
                None => Value::Null,
                Some(bytes) => decode::parameter(index + 1, *data_type, (format, bytes), &sight)?,
            });
        }
        let columns = statement.as_ref().and_then(|statement| statement.fields()).map(<[Field]>::len);
        let formats = match (columns, bind.result_formats.len()) {
            // One format stands for all columns, even of what has none.
            (None, _) => spread(&bind.result_formats[..bind.result_formats.len().min(1)], 0)?,
            (Some(columns), given) if given > 1 && given != columns => {
                let message = format!("bind message has {given} result formats but query has {columns} columns");
                return Err(Fault::protocol(message));
            }
            (Some(columns), _) => spread(&bind.result_formats, columns)?,
        };
        self.portals.insert(bind.portal, Portal { statement, values, formats, state: State::New });
        backend::bound(&mut out.buffer);
        Ok(())
    }

    /// Says what a statement takes and gives, or what a portal gives; SQL's cursors are portals.
    pub(super) fn describe(&mut self, target: &Target, out: &mut Output) -> Result<()> {
        let (statement, formats) = match target {
            Target::Statement(name) => {
                let statement = self.statement(name)?;
                let types = statement.as_deref().map_or(&[][..], |statement| statement.parameter_types());
                let sight = self.session.sight_of(types.iter().copied());
                backend::parameters(&mut out.buffer, types, &sight);
                (statement, None)
            }
            Target::Portal(name) => {
                let Some(portal) = self.portals.get(name) else {
                    let (fields, format) = self.session.cursor(name).ok_or_else(|| no_portal(name))?;
                    let sight = self.session.sight_of(fields.iter().map(|field| field.data_type));
                    return backend::fields(&mut out.buffer, &fields, &sight, |_| format);
                };
                (portal.statement.clone(), Some(&portal.formats))
            }
        };
        match statement.as_deref().and_then(|statement| statement.fields()) {
            None => backend::no_data(&mut out.buffer),
            Some(fields) => {
                let sight = self.session.sight_of(fields.iter().map(|field| field.data_type));
                let format = |column: usize| formats.map_or(Format::Text, |formats| formats[column]);
                backend::fields(&mut out.buffer, fields, &sight, format)?;
            }
        }
        Ok(())
    }

    /// Runs a portal, or goes on with it. A limit of zero, or less, is none.
    pub(super) fn execute(&mut self, name: &str, limit: i32, out: &mut Output) -> Result<Next> {
        let limit = u64::try_from(limit).ok().filter(|&limit| limit > 0).unwrap_or(u64::MAX);
        // What fails is not run once more.
        let Some(portal) = self.portals.get_mut(name) else {
            return self.execute_cursor(name, limit, out);
        };
        let Some(statement) = portal.statement.clone() else {
            backend::empty_query(&mut out.buffer);
            return Ok(Next::Go);
        };
        self.record.begin(&statement);
        let mut rows = match self.started(name, &statement)? {
            Started::Rows(rows) => rows,
            Started::NotHere => return Ok(Next::Apart),
            Started::Other(Outcome::Done(tag)) => {
                self.complete(&tag, out);
                return self.executed(out);
            }
            Started::Other(Outcome::CopyIn(copy)) => return self.begin_copy(copy, false, out).map(|()| Next::Go),
            Started::Other(Outcome::CopyOut(copy)) => {
                self.copy_out(copy, out)?;
                return self.executed(out);
            }
            Started::Other(Outcome::Rows(_)) => return Err(Fault::internal("rows came that are not in flight")),
        };
        let count = rows.send(limit, &self.session, out)?;
        if count == limit {
            self.record.suspended();
            backend::suspended(&mut out.buffer);
        } else {
            self.complete(&rows.tag(count), out);
        }
        // One that has no more rows says so as often as it is asked.
        if let Some(portal) = self.portals.get_mut(name) {
            portal.state = State::Rows(rows);
        }
        self.executed(out)
    }

    /// The rows of a portal that are not sent yet, for which its statement runs if it has not; what that gave if it is no rows. The
    /// portal is left without them: what fails is not run once more.
    fn started(&mut self, name: &str, statement: &Arc<Prepared>) -> Result<Started> {
        let portal = self.portals.get_mut(name).ok_or_else(|| no_portal(name))?;
        match std::mem::replace(&mut portal.state, State::Done) {
            State::Done => return Err(Fault::error("55000", format!("portal \"{name}\" cannot be run"))),
            State::Rows(rows) => return Ok(Started::Rows(rows)),
            // Alone between two Syncs it is a transaction by itself, which need not be tried again when others write as well.
            State::New if self.is_last && !self.has_run && statement.fields().is_none() => {
                self.session.end_implicit(true)?;
            }
            State::New => self.session.begin_implicit(),
        }
        let outcome = match self.place {
            Place::Apart => self.session.execute(statement, &portal.values)?,
            Place::Here => match self.session.execute_short(statement, &portal.values)? {
                Some(outcome) => outcome,
                None => {
                    portal.state = State::New;
                    return Ok(Started::NotHere);
                }
            },
        };
        self.has_run = true;
        let Outcome::Rows(rows) = outcome else { return Ok(Started::Other(outcome)) };
        let columns = rows.stream.fields().len();
        let formats = if rows.stream.is_binary() { vec![Format::Binary; columns] } else { portal.formats.clone() };
        Ok(Started::Rows(Box::new(RowsInFlight::new(*rows, formats))))
    }

    /// MOVE of a portal that the protocol has made, forward: passes over rows, and gives their number. None if there is no portal of
    /// this name that gives rows.
    pub(super) fn pass_over(&mut self, name: &str, limit: u64) -> Result<Option<u64>> {
        let statement = self.portals.get(name).and_then(|portal| portal.statement.clone());
        let Some(statement) = statement.filter(|statement| statement.fields().is_some()) else { return Ok(None) };
        let Started::Rows(mut rows) = self.started(name, &statement)? else { return Ok(None) };
        let count = rows.skip(limit, &self.session)?;
        if let Some(portal) = self.portals.get_mut(name) {
            portal.state = State::Rows(rows);
        }
        Ok(Some(count))
    }

    /// Gives the next rows of a cursor that SQL has declared.
    fn execute_cursor(&mut self, name: &str, limit: u64, out: &mut Output) -> Result<Next> {
        let (fields, format) = self.session.cursor(name).ok_or_else(|| no_portal(name))?;
        if self.place == Place::Here {
            return Ok(Next::Apart);
        }
        let mut rows = RowsInFlight::new(self.session.fetch(name, limit)?, vec![format; fields.len()]);
        let count = rows.send(u64::MAX, &self.session, out)?;
        if count == limit {
            backend::suspended(&mut out.buffer);
        } else {
            backend::complete(&mut out.buffer, &rows.tag(count));
        }
        self.executed(out)
    }

    fn executed(&mut self, out: &mut Output) -> Result<Next> {
        self.send_notices(out);
        out.pass().map(|()| Next::Go)
    }

    /// Drops a statement or a portal; one that is not there is closed already.
    pub(super) fn close(&mut self, target: &Target, out: &mut Output) {
        match target {
            Target::Statement(name) => {
                self.statements.remove(name);
                self.session.forget(name);
            }
            Target::Portal(name) => {
                if self.portals.remove(name).is_none() {
                    self.session.close_cursor(name);
                }
            }
        }
        backend::closed(&mut out.buffer);
    }

    /// Ends the implicit transaction, and what is skipped.
    pub(super) fn sync(&mut self, out: &mut Output) -> Result<()> {
        self.has_run = false;
        let is_success = !std::mem::take(&mut self.is_skipping);
        if let Err(fault) = self.session.end_implicit(is_success) {
            backend::fault(&mut out.buffer, &fault);
        }
        self.ready(out);
        Ok(())
    }
}

/// What running a portal has given.
#[allow(clippy::large_enum_variant, reason = "it is matched where it is made, and never stored")]
enum Started {
    Rows(Box<RowsInFlight>),
    /// It gives no rows.
    Other(Outcome),
    /// It takes too long for the connection's thread, and has not run.
    NotHere,
}

fn no_portal(name: &str) -> Box<Fault> {
    Fault::error("34000", format!("portal \"{name}\" does not exist"))
}

/// The format of each of so many values: text if no code is given, the one that is given, or each its own.
fn spread(codes: &[i16], count: usize) -> Result<Vec<Format>> {
    let format = |code: &i16| match code {
        0 => Ok(Format::Text),
        1 => Ok(Format::Binary),
        other => Err(Fault::error("22023", format!("unsupported format code: {other}"))),
    };
    match codes {
        [] => Ok(vec![Format::Text; count]),
        [one] => Ok(vec![format(one)?; count]),
        codes => codes.iter().map(format).collect(),
    }
}
