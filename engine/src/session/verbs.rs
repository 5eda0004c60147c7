//! Statements of a session: transactions, settings, what is prepared or fetched by name, notices.

use super::cursors::{Cursor, unknown_cursor};
use super::prepared::{Execution, Prepared};
use super::{Session, Statement};
use crate::catalog::State;
use crate::notify;
use crate::settings;
use crate::stream::{Notice, ResultStream};
use crate::transaction::TransactionStatus;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::arrow::to_column_of;
use multiloop_planner::numeric::Numeric;
use multiloop_planner::sql::{Discarded, Isolation, Piece, RoleStatement, SessionStatement, TransactionMode};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::sync::Arc;

impl Session {
    /// Runs a statement that only a session understands. Also given are the types of its parameters.
    pub(super) fn verb(
        &self,
        statement: &SessionStatement,
        parameters: &[Value],
        types: &[DataType],
    ) -> Result<Execution> {
        use SessionStatement as Verb;
        if !matches!(statement, Verb::Commit { .. } | Verb::Rollback { .. } | Verb::RollbackTo(_)) {
            self.work.check()?;
        }
        let result = match statement {
            Verb::Begin(mode) => self.begin(*mode),
            Verb::Commit { chain } => self.commit(*chain)?,
            Verb::Rollback { chain } => self.rollback(*chain)?,
            Verb::Savepoint(name) => {
                self.work.savepoint(name)?;
                ResultStream::done("SAVEPOINT")
            }
            Verb::Release(name) => {
                self.work.release(name)?;
                ResultStream::done("RELEASE")
            }
            Verb::RollbackTo(name) => {
                self.work.rollback_to(name)?;
                ResultStream::done("ROLLBACK")
            }
            Verb::SetTransaction(mode) => self.set_transaction(*mode)?,
            Verb::SetCharacteristics(mode) => self.set_characteristics(*mode)?,
            Verb::Set { name, value, local } => self.set_setting(name, value.as_deref(), *local)?,
            Verb::Show(name) => self.show(name)?,
            Verb::ShowAll => self.show_all(),
            Verb::Reset(name) => {
                let defaults = self.work.defaults();
                self.work.change_settings(false, |settings| settings.reset(name, &defaults))?;
                ResultStream::done("RESET")
            }
            Verb::ResetAll => {
                let defaults = self.work.defaults();
                self.work.change_settings(false, |settings| {
                    settings.clone_from(&defaults);
                    Ok(())
                })?;
                ResultStream::done("RESET")
            }
            Verb::Discard(what) => self.discard(*what)?,
            Verb::Role(statement) => self.change_roles(statement)?,
            named => return self.named(named, parameters, types),
        };
        Ok(Execution::Result(result))
    }

    /// Statements, cursors and channels by name.
    fn named(&self, statement: &SessionStatement, parameters: &[Value], types: &[DataType]) -> Result<Execution> {
        use SessionStatement as Verb;
        let result = match statement {
            Verb::Prepare { name, types, statement } => {
                let named = |name: &String| match name.as_str() {
                    "unknown" => Ok(DataType::Null),
                    name => Ok(self.type_named(name)?.without_modifiers()),
                };
                let types = types.iter().map(named).collect::<Result<Vec<_>>>()?;
                let place = statement.start as usize;
                let of = Statement::only(&statement.text).map_err(|error| error.shifted(place))?;
                let prepared = self.prepare_statement(&of, &types).map_err(|error| error.shifted(place))?;
                self.put_prepared(name, Arc::new(prepared))?;
                ResultStream::done("PREPARE")
            }
            Verb::Execute { explain, name, values } => {
                let prepared = self.executed(explain.as_deref(), name)?;
                let values = self.values_of(values, prepared.parameter_types(), parameters)?;
                return prepared.run(self, &values);
            }
            Verb::Deallocate(name) => {
                self.deallocate(name.as_deref())?;
                ResultStream::done(if name.is_some() { "DEALLOCATE" } else { "DEALLOCATE ALL" })
            }
            Verb::Declare { .. } => self.declare(statement, parameters, types)?,
            Verb::Fetch { name, direction, is_move } => self.fetch(name, *direction, *is_move)?,
            Verb::Close(None) => {
                self.forget_cursors(|_| false);
                ResultStream::done("CLOSE CURSOR ALL")
            }
            Verb::Close(Some(name)) => {
                if !self.forget_cursor(name) {
                    return Err(unknown_cursor(name));
                }
                ResultStream::done("CLOSE CURSOR")
            }
            Verb::Listen(channel) => {
                self.engine.0.channels.listen(self.id, channel);
                ResultStream::done("LISTEN")
            }
            Verb::Unlisten(channel) => {
                self.engine.0.channels.unlisten(self.id, channel.as_deref());
                ResultStream::done("UNLISTEN")
            }
            Verb::Notify { channel, payload } => {
                notify::check(channel, payload)?;
                self.running().notify(self.id, channel, payload);
                ResultStream::done("NOTIFY")
            }
            _ => return Err(Error::internal("a statement of a session is of no kind")),
        };
        Ok(Execution::Result(result))
    }

    /// CREATE ROLE and its kin.
    fn change_roles(&self, statement: &RoleStatement) -> Result<ResultStream> {
        let Some(roles) = self.engine.roles() else {
            return Err(Error::new(ErrorKind::WrongState, "there are no roles: whoever is let in may do all")
                .with_hint("A server that is started with --roles FILE has some."));
        };
        let facts = self.engine.0.facts_of(&self.work);
        if let RoleStatement::Drop { names, .. } = statement {
            // What the session sees, and what others do.
            let own = self.work.snapshot(&self.engine.0.catalog);
            let shared = State { schemas: self.engine.0.catalog.snapshot(), ..own.clone() };
            names.iter().try_for_each(|name| owns_nothing(&own, name).and_then(|()| owns_nothing(&shared, name)))?;
        }
        let passed = roles.run(statement, facts.user(), &facts.rights)?;
        let done = ResultStream::done(statement.tag());
        Ok(passed.into_iter().fold(done, |done, message| done.with_notice(Notice::skipping("00000", message))))
    }

    fn declare(&self, statement: &SessionStatement, parameters: &[Value], types: &[DataType]) -> Result<ResultStream> {
        let SessionStatement::Declare { name, scroll, hold, binary, query } = statement else {
            return Err(Error::internal("a statement was run as another kind"));
        };
        if !*hold && !self.work.is_explicit() {
            let message = "DECLARE CURSOR can only be used in transaction blocks";
            return Err(Error::new(ErrorKind::NoTransaction, message));
        }
        self.check_new_cursor(name)?;
        let prepared = self.cursor_query(query, types)?;
        let parameters = &parameters[..prepared.parameter_types().len().min(parameters.len())];
        let rows = self.as_cursor(|| prepared.execute(self, parameters));
        let rows = rows.map_err(|error| error.shifted(query.start as usize))?;
        self.put_cursor(name, Cursor::new(rows, *scroll, self.cursor_memory()), *hold, *binary)?;
        Ok(ResultStream::done("DECLARE CURSOR"))
    }

    /// The query of a cursor, whose parameters are of these types, as far as they are known.
    pub(super) fn cursor_query(&self, query: &Piece, types: &[DataType]) -> Result<Prepared> {
        let prepare = || {
            let prepared = self.prepare_statement(&Statement::only(&query.text)?, types)?;
            if prepared.fields().is_none() {
                return Err(Error::new(ErrorKind::Syntax, "a cursor needs a query"));
            }
            Ok(prepared)
        };
        prepare().map_err(|error| error.shifted(query.start as usize))
    }

    /// The fields of what a statement of a session gives; None if it gives no rows.
    pub(super) fn verb_fields(&self, statement: &SessionStatement) -> Result<Option<Vec<Field>>> {
        let text = |name: &str| Field::new(name, DataType::Text, true);
        Ok(match statement {
            SessionStatement::Show(name) => Some(vec![text(shown_name(name))]),
            SessionStatement::ShowAll => Some(["name", "setting", "description"].map(text).to_vec()),
            SessionStatement::Fetch { name, is_move: false, .. } => {
                Some(self.cursor(name).ok_or_else(|| unknown_cursor(name))?.0)
            }
            SessionStatement::Execute { explain, name, .. } => {
                self.executed(explain.as_deref(), name)?.fields().map(<[Field]>::to_vec)
            }
            _ => None,
        })
    }

    /// What EXECUTE runs, or EXPLAIN of it, given what stands before it.
    fn executed(&self, explain: Option<&str>, name: &str) -> Result<Arc<Prepared>> {
        let prepared = self.prepared(name)?;
        let Some(explain) = explain else { return Ok(prepared) };
        if prepared.fields().is_none() {
            return Err(Error::unsupported("EXPLAIN of what is no query is"));
        }
        Ok(Arc::new(self.prepare_explained(explain, &prepared)?))
    }

    fn begin(&self, mode: TransactionMode) -> ResultStream {
        let done = ResultStream::done("BEGIN");
        if self.work.begin(mode, false) {
            return done;
        }
        done.with_notice(Notice::warning("25001", "there is already a transaction in progress"))
    }

    /// An error (25P01) for a transaction that is to follow one where nobody has begun any.
    fn check_chain(&self, what: &str) -> Result<()> {
        if self.work.is_explicit() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::NoTransaction, format!("{what} AND CHAIN can only be used in transaction blocks")))
    }

    fn commit(&self, chain: bool) -> Result<ResultStream> {
        if chain {
            self.check_chain("COMMIT")?;
        }
        let (was, mode) = (self.work.status(), self.work.mode());
        let explicit = self.work.is_explicit();
        let result = self.end_transaction();
        if chain && let Some(mode) = mode {
            self.work.begin(mode, false);
        }
        let committed = result?;
        Ok(match was {
            TransactionStatus::Failed => ResultStream::done("ROLLBACK"),
            _ if committed && explicit => ResultStream::done("COMMIT"),
            _ => ResultStream::done("COMMIT")
                .with_notice(Notice::warning("25P01", "there is no transaction in progress")),
        })
    }

    fn rollback(&self, chain: bool) -> Result<ResultStream> {
        if chain {
            self.check_chain("ROLLBACK")?;
        }
        let (mode, explicit) = (self.work.mode(), self.work.is_explicit());
        self.abandon_transaction();
        if chain && let Some(mode) = mode {
            self.work.begin(mode, false);
        }
        let done = ResultStream::done("ROLLBACK");
        let none = || Notice::warning("25P01", "there is no transaction in progress");
        Ok(if explicit { done } else { done.with_notice(none()) })
    }

    /// Commits what is open; whether something was committed.
    pub(super) fn end_transaction(&self) -> Result<bool> {
        let ended = self.running().end_transaction();
        self.forget_cursors(|cursor| cursor.hold);
        ended
    }

    /// Rolls back what is open.
    pub(super) fn abandon_transaction(&self) {
        self.running().abandon_transaction();
        self.forget_cursors(|cursor| cursor.hold);
    }

    fn set_transaction(&self, mode: TransactionMode) -> Result<ResultStream> {
        let done = ResultStream::done("SET");
        if !self.work.is_explicit() {
            let message = "SET TRANSACTION can only be used in transaction blocks";
            return Ok(done.with_notice(Notice::warning("25P01", message)));
        }
        self.work.set_mode(mode)?;
        Ok(done)
    }

    fn set_characteristics(&self, mode: TransactionMode) -> Result<ResultStream> {
        let on = |on: bool| vec![if on { "on" } else { "off" }.to_owned()];
        self.work.change_settings(false, |settings| {
            if let Some(isolation) = mode.isolation {
                settings.set("default_transaction_isolation", Some(&[isolation.name().to_owned()]))?;
            }
            if let Some(read_only) = mode.read_only {
                settings.set("default_transaction_read_only", Some(&on(read_only)))?;
            }
            match mode.deferrable {
                Some(deferrable) => settings.set("default_transaction_deferrable", Some(&on(deferrable))),
                None => Ok(()),
            }
        })?;
        Ok(ResultStream::done("SET"))
    }

    fn set_setting(&self, name: &str, value: Option<&[String]>, local: bool) -> Result<ResultStream> {
        let first = || value.and_then(|values| values.first()).map(|value| value.to_ascii_lowercase());
        match name {
            "transaction_isolation" => {
                let isolation = match first().as_deref() {
                    Some("serializable") => Isolation::Serializable,
                    Some("repeatable read") => Isolation::RepeatableRead,
                    Some("read uncommitted") => Isolation::ReadUncommitted,
                    _ => Isolation::ReadCommitted,
                };
                self.work.set_mode(TransactionMode { isolation: Some(isolation), ..TransactionMode::default() })?;
            }
            "transaction_read_only" => {
                let read_only = Some(matches!(first().as_deref(), Some("on" | "true" | "1" | "yes")));
                self.work.set_mode(TransactionMode { read_only, ..TransactionMode::default() })?;
            }
            _ => {}
        }
        let defaults = self.work.defaults();
        self.work.change_settings(local, |settings| match value {
            None => settings.reset(name, &defaults),
            value => settings.set(name, value),
        })?;
        let done = ResultStream::done("SET");
        // One that nobody's BEGIN began will do: it lasts as long as the text that is its own.
        if local && self.work.status() == TransactionStatus::Idle {
            let message = "SET LOCAL can only be used in transaction blocks";
            return Ok(done.with_notice(Notice::warning("25P01", message)));
        }
        Ok(done)
    }

    /// The value of a setting, as SHOW has it.
    pub(super) fn shown(&self, name: &str) -> Result<String> {
        self.engine.0.facts_of(&self.work).setting(name)
    }

    fn show(&self, name: &str) -> Result<ResultStream> {
        let value = self.shown(name)?;
        Ok(ResultStream::text(&[shown_name(name)], vec![vec![Some(value)]]).with_verb("SHOW"))
    }

    fn show_all(&self) -> ResultStream {
        let rows = settings::KNOWN.iter().map(|known| {
            let value = self.shown(known.name).unwrap_or_default();
            vec![Some(known.name.to_owned()), Some(value), Some(known.about.to_owned())]
        });
        ResultStream::text(&["name", "setting", "description"], rows.collect()).with_verb("SHOW")
    }

    fn discard(&self, what: Discarded) -> Result<ResultStream> {
        Ok(match what {
            Discarded::All => {
                if self.work.is_explicit() {
                    let message = "DISCARD ALL cannot run inside a transaction block";
                    return Err(Error::new(ErrorKind::ActiveTransaction, message));
                }
                self.forget_cursors(|_| false);
                self.deallocate(None)?;
                self.engine.0.channels.unlisten(self.id, None);
                self.engine.0.row_locks.leave(self.id);
                self.work.discard_temporary();
                self.work.drawn().forget();
                let defaults = self.work.defaults();
                self.work.change_settings(false, |settings| {
                    settings.clone_from(&defaults);
                    Ok(())
                })?;
                ResultStream::done("DISCARD ALL")
            }
            Discarded::Plans => ResultStream::done("DISCARD PLANS"),
            Discarded::Sequences => {
                self.work.drawn().forget();
                ResultStream::done("DISCARD SEQUENCES")
            }
            Discarded::Temporary => {
                self.work.discard_temporary();
                ResultStream::done("DISCARD TEMP")
            }
        })
    }

    /// The values of EXECUTE, each an expression, as these types.
    fn values_of(&self, values: &[Piece], types: &[DataType], parameters: &[Value]) -> Result<Vec<Value>> {
        if values.len() != types.len() {
            let message = format!("wrong number of parameters: expected {} but got {}", types.len(), values.len());
            return Err(Error::new(ErrorKind::Syntax, message));
        }
        let mut found = Vec::with_capacity(values.len());
        for (Piece { text, start }, data_type) in values.iter().zip(types) {
            let before = "SELECT CAST((";
            let of = Statement::only(&format!("{before}{text}) AS {})", data_type.in_statements()))?;
            let place = |error: Error| error.shifted(*start as usize);
            let prepared = self.bind_statement(&of).map_err(place)?;
            if let Some((value, _)) = prepared.constant().filter(|(_, of)| of == data_type) {
                found.push(value);
                continue;
            }
            let parameters = &parameters[..prepared.parameter_types().len().min(parameters.len())];
            let rows = prepared.execute(self, parameters).map_err(place)?;
            let field = rows.fields()[0].clone();
            let batches = rows.collect_batches()?;
            let array = batches.first().map(|batch| batch.column(0));
            let array = array.ok_or_else(|| Error::internal("a SELECT of a value gave no row"))?;
            found.push(match (to_column_of(array, &field)?.value(0, field.data_type), data_type, field.data_type) {
                // Of a numeric whose digits are known the query gives a decimal.
                (Value::Decimal(unscaled), DataType::Numeric, DataType::Decimal { scale, .. }) => {
                    Value::numeric(Numeric::new(unscaled, scale.into()))
                }
                (value, ..) => value,
            });
        }
        Ok(found)
    }
}

/// An error (2BP01) if a role that is to go owns something, or has rights on it.
fn owns_nothing(state: &State, role: &str) -> Result<()> {
    let schemas = state.schemas.iter().map(|(name, schema)| ("schema", name.as_str(), &schema.owned));
    let objects = state.iter().map(|(_, name, object)| (object.entry.kind(), name, &object.owned));
    let types = state.types().map(|(_, name, object, _)| ("type", name, &object.owned));
    let Some((kind, name, owned)) = schemas.chain(objects).chain(types).find(|(_, _, owned)| owned.names(role)) else {
        return Ok(());
    };
    let message = format!("role \"{role}\" cannot be dropped because some objects depend on it");
    let how = if *owned.owner == *role { "owner of" } else { "privileges for" };
    Err(Error::new(ErrorKind::DependentObjects, message).with_detail(format!("{how} {kind} {name}")))
}

/// The name under which SHOW gives a setting.
fn shown_name(name: &str) -> &str {
    settings::known(name).map_or(name, |known| known.name)
}
