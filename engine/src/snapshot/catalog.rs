//! What the planner asks of a snapshot.

use super::{Asked, COMING, Found, Snapshot, TEXTS_MAX, Use};
use crate::calls;
use crate::catalog::{Entry, Qualified, StoredTable, TEMPORARY};
use crate::effects::{self, VOID};
use crate::plan::{Hardware, Planned};
use crate::{Error, ErrorKind, Result, notify, row_locks, system};
use arrow::array::AsArray as _;
use arrow::compute::cast;
use arrow::datatypes::DataType as ArrowType;
use multiloop_exec::plan::Machine;
use multiloop_exec::run::run_plan;
use multiloop_exec::{Cards, DeviceUse, Devices};
use multiloop_planner::catalog::{
    Catalog, CatalogEntry, FileOptions, FoundRoutine, Literals, Right, SqlFunction, TableHandle, TableInfo, TableName,
    UserCallee,
};
use multiloop_planner::function::{Function, IntervalStyle};
use multiloop_planner::relation::Query;
use multiloop_planner::rewrite::RewriteOptions;
use multiloop_planner::types::{DataType, Field, OidKind};
use multiloop_planner::value::Value;
use std::any::Any;
use std::sync::Arc;

impl Catalog for Snapshot<'_> {
    fn entry(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        if let Some(coming) = &*self.coming.borrow()
            && name.schema.is_none()
            && name.name == COMING
        {
            return Ok(Some(CatalogEntry::Table(Arc::clone(&coming.info))));
        }
        let found = self.find(name);
        if let Some(Entry::Table(stored)) = found.as_ref().and_then(|(found, _)| self.state.get(found))
            && let Some(error) = &stored.broken
        {
            return Err(Error::clone(error));
        }
        let found = found.map(|(name, entry)| self.seen_by_planner(&name, entry));
        let used = found.as_ref().map(Found::new);
        self.names.borrow_mut().push(Use { name: name.clone(), found: used });
        Ok(found)
    }

    fn target(&self, name: &TableName) -> Result<Option<CatalogEntry>> {
        let found = self.find(name);
        if let Some(Entry::Table(stored)) = found.as_ref().and_then(|(found, _)| self.state.get(found)) {
            // While nobody waits for the right to write.
            stored.loaded(&|| self.state.domains(), self.context)?;
        }
        let found = found.map(|(_, entry)| entry);
        let used = found.as_ref().map(|entry| match entry {
            CatalogEntry::Table(info) => Found::Target(Arc::clone(info)),
            entry => Found::new(entry),
        });
        self.names.borrow_mut().push(Use { name: name.clone(), found: used });
        Ok(found)
    }

    fn to_change(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let Some(info) = self.with_numbers(name)? else { return Ok(None) };
        let info = if self.widens.get() { Arc::new(info.widened()) } else { info };
        let mut changed = self.changed.borrow_mut();
        if !changed.iter().any(|(of, _)| of == name) {
            changed.push((name.clone(), Arc::clone(&info)));
        }
        Ok(Some(info))
    }

    fn numbered(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let found = self.find(name).and_then(|(found, _)| self.state.table(&found).ok());
        if found.is_some_and(|stored| stored.provided().is_none()) { self.to_change(name) } else { Ok(None) }
    }

    fn to_lock(&self, name: &TableName, skips: bool) -> Result<Option<Arc<TableInfo>>> {
        let Some((found, CatalogEntry::Table(_))) = self.find(name).filter(|_| skips) else {
            return self.to_change(name);
        };
        let (Some(object), Ok(stored)) = (self.state.object(&found), self.state.table(&found)) else { return Ok(None) };
        self.counts.set(true);
        let others = self.locks.of_others(self.facts.session, (object.oid, stored.history.line()));
        let stored = stored.loaded(&|| self.state.domains(), self.context)?;
        let numbered = stored.without_rows(others.as_deref(), self.context)?.numbered();
        let info = Arc::clone(&numbered.info);
        self.skipping.borrow_mut().push(numbered);
        Ok(Some(info))
    }

    fn meeting(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let Some((found, CatalogEntry::Table(_))) = self.find(name) else { return Ok(None) };
        self.counts.set(true);
        let Ok(stored) = self.state.table(&found) else { return Ok(None) };
        let met = stored.meeting();
        let info = Arc::clone(&met.info);
        self.awaited.borrow_mut().push(met);
        Ok(Some(info))
    }

    fn awaited(&self, name: &str, fields: Vec<Field>) -> Result<Option<Arc<TableInfo>>> {
        self.counts.set(true);
        let awaited = StoredTable::awaited(name, fields);
        let info = Arc::clone(&awaited.info);
        self.awaited.borrow_mut().push(awaited);
        Ok(Some(info))
    }

    fn check_right(&self, name: &TableName, right: Right, through: Option<&TableName>) -> Result<()> {
        if self.facts.roles.is_none() || self.is_trusted.get() {
            return Ok(());
        }
        let asked = Asked { name: name.clone(), right, through: through.cloned() };
        let allowed = self.allows(&asked);
        self.asked.borrow_mut().push(asked);
        allowed
    }

    fn schema_of(&self, name: &TableName) -> Option<String> {
        self.find(name).map(|(found, _)| found.schema)
    }

    fn session_value(&self, name: &str, arguments: &[Value]) -> Result<Option<(Value, DataType)>> {
        match name {
            "set_config" => {
                let Some((change, shown)) = self.facts.change(arguments)? else { return Ok(None) };
                let mut effects = self.effects.borrow_mut();
                effects.is_asked = true;
                effects.changes.push(change);
                return Ok(Some((shown, DataType::Text)));
            }
            "pg_stat_statements_reset" if let Some(of) = system::tallies_of(arguments) => {
                self.facts.check_may_forget()?;
                let mut effects = self.effects.borrow_mut();
                effects.is_asked = true;
                effects.forgets.push(of);
                return Ok(Some((Value::text(""), DataType::Text)));
            }
            "pg_sleep" | "pg_sleep_for" | "pg_sleep_until" => {
                let [how_long] = arguments else { return Ok(None) };
                let value = self.effects.borrow_mut().sleep_for(how_long, || self.now());
                return Ok(Some((value, VOID)));
            }
            "pg_notify" => {
                let [channel, payload] = arguments else { return Ok(None) };
                let text = |value: &Value| if let Value::Text(text) = value { text.to_string() } else { String::new() };
                let (channel, payload) = (text(channel), text(payload));
                notify::check(&channel, &payload)?;
                let mut effects = self.effects.borrow_mut();
                effects.is_asked = true;
                effects.told.push((channel, payload));
                return Ok(Some((Value::text(""), VOID)));
            }
            _ if name.ends_with("_privilege") => {
                if let Some(value) = self.making().privilege(name, arguments)? {
                    // It changes with any grant, and any role.
                    self.counts.set(true);
                    return Ok(Some((value, DataType::Boolean)));
                }
            }
            "txid_current" if arguments.is_empty() => {
                self.counts.set(true);
                return Ok(Some((Value::Int(system::facts::next_transaction()), DataType::BigInt)));
            }
            _ => {}
        }
        let locks = (self.facts.session, self.locks);
        let asked = row_locks::functions::value((name, arguments), locks, &mut self.effects.borrow_mut().asked);
        if asked.is_some() {
            self.effects.borrow_mut().is_asked = true;
            return Ok(asked);
        }
        if let Some(signal) = self.facts.signal(name, arguments)? {
            let mut effects = self.effects.borrow_mut();
            effects.is_asked = true;
            effects.signals.extend(signal);
            return Ok(Some((Value::Boolean(signal.is_some()), DataType::Boolean)));
        }
        let value = self.facts.value(name, arguments, &self.making().schemas())?;
        if value.is_some() {
            self.asks_session.set(true);
        }
        Ok(value)
    }

    fn session_function(&self, name: &str, arguments: usize) -> Option<(Vec<DataType>, DataType)> {
        effects::function(name, arguments)
    }

    fn value_of_parameter(&self, index: usize) -> Option<Value> {
        self.values.borrow().as_ref()?.get(index).cloned()
    }

    fn needs_values(&self) {
        self.asks_values.set(true);
    }

    fn function(&self, name: &str, arguments: usize) -> Option<Arc<SqlFunction>> {
        system::function(name, arguments)
    }

    fn is_standard_function(&self, name: &str) -> bool {
        system::is_standard(name)
    }

    fn fields_of_view(&self, name: &TableName) -> Result<Option<Vec<Field>>> {
        let fields = self.find(name).and_then(|(found, _)| match self.state.get(&found) {
            Some(Entry::View(view)) => Some(view.fields.to_vec()),
            _ => None,
        });
        Ok(fields)
    }

    fn routines(&self, name: &TableName) -> Vec<FoundRoutine> {
        let mut found: Vec<FoundRoutine> = Vec::new();
        let path = name.schema.as_ref().map_or(&self.path[..], std::slice::from_ref);
        for schema in path.iter().filter(|schema| name.schema.is_some() || *schema != TEMPORARY) {
            for (key, routine) in self.state.routines_in(schema, &name.name) {
                if found.iter().all(|known| known.key.name != *key) {
                    let key = TableName { schema: Some(schema.clone()), name: key.clone() };
                    found.push(FoundRoutine { key, routine: Arc::clone(routine) });
                }
            }
        }
        if !found.is_empty() {
            // What a name stands for may change with any change of the state.
            self.resolves.set(true);
        }
        found
    }

    fn routine(&self, key: &TableName) -> Option<FoundRoutine> {
        let found = self.find_routine(key)?;
        self.resolves.set(true);
        match self.state.get(&found) {
            Some(Entry::Routine(routine)) => Some(FoundRoutine { key: found.to_name(), routine: Arc::clone(routine) }),
            _ => None,
        }
    }

    fn running_function(&self, found: &FoundRoutine, result: DataType) -> Result<Function> {
        // It is run anew each time.
        self.counts.set(true);
        let key = Qualified::of(&found.key).filter(|_| found.routine.definer && self.facts.roles.is_some());
        let owner = key.and_then(|key| self.state.object(&key)).map(|object| Arc::clone(&object.owned.owner));
        let definition = calls::definition(found, owner, result);
        let function = definition.function();
        self.running.borrow_mut().push(definition);
        Ok(function)
    }

    fn next_row(&self, name: &TableName) -> Result<Option<(u64, u8)>> {
        let Some(info) = self.with_numbers(name)? else { return Ok(None) };
        let Some((found, CatalogEntry::Table(_))) = self.find(name) else { return Ok(None) };
        let Ok(stored) = self.state.table(&found) else { return Ok(None) };
        // The next statement gives other numbers.
        self.counts.set(true);
        Ok(Some((stored.stored().rows() as u64, info.hidden.epoch)))
    }

    fn runs_volatile(&self) -> bool {
        self.has_volatile.set(true);
        self.runs_volatile.get()
    }

    fn user_functions(&self, name: &str) -> Vec<UserCallee> {
        self.asks_functions.set(true);
        self.facts.functions.named(name)
    }

    fn table_of_function(&self, number: u32, arguments: Option<&[Value]>) -> Result<Arc<TableInfo>> {
        // It may give other rows each time.
        self.counts.set(true);
        let arguments = arguments.filter(|_| !self.is_preparing());
        let function = self.facts.functions.table(number)?;
        let stored = StoredTable::new(function.name(), function.rows(arguments, self.context)?, Arc::default());
        let info = Arc::clone(&stored.info);
        self.made.borrow_mut().push(stored);
        Ok(info)
    }

    fn time_zone(&self) -> Arc<str> {
        self.asks_zone.set(true);
        Arc::clone(&self.zone)
    }

    fn interval_style(&self) -> IntervalStyle {
        self.asks_style.set(true);
        self.style
    }

    fn resolve(&self, kind: OidKind, name: &str) -> Result<u32> {
        // What a name stands for may change with any change of the state.
        self.resolves.set(true);
        self.making().resolve(kind, name)
    }

    fn type_named(&self, name: &TableName) -> Result<Option<DataType>> {
        // What a name stands for may change with any change of the state.
        self.resolves.set(true);
        let array = || {
            let element = TableName { name: name.name.strip_prefix('_')?.to_owned(), ..name.clone() };
            self.find_type(&element).map(|(_, element)| DataType::list(element))
        };
        Ok(self.find_type(name).map(|(_, found)| found).or_else(array))
    }

    fn texts(&self, query: Box<dyn Any>) -> Result<Vec<String>> {
        let Ok(query) = query.downcast::<Query>() else { return Err(Error::internal("texts of what is no query")) };
        let Some(pool) = self.context.pool.clone() else { return Err(Error::internal("a statement without workers")) };
        // Few rows of one column, while a statement is bound.
        let (cards, devices) = (Cards::default(), Devices::default());
        let hardware = Hardware { machine: Machine::host(pool.threads()), cards: &cards, device: DeviceUse::Cpu };
        let find = |handle| self.table(handle);
        let planned = Planned::new(*query, &RewriteOptions::default(), (&find, hardware), self.context)?;
        planned.run(self.context, |executable| {
            // The statement would read other rows than the columns were made of.
            if self.reads_provider(&executable.program) {
                let what = "PIVOT over a table provider without the values that there are columns for is";
                let hint = "Say which values there are columns for: PIVOT … ON column IN (values).";
                return Err(Error::unsupported(what).with_hint(hint));
            }
            let table = |handle| self.table(handle);
            let find = |handle| table(handle).expect("a plan scans tables of its own snapshot");
            let chosen = executable.choose(hardware, &table)?;
            let output = run_plan(chosen.plan, &find, &[], self.context, (&pool, &devices))?;
            let mut texts = Vec::new();
            for batch in output.shown_as(&executable.types) {
                self.check()?;
                let batch = batch?;
                let column =
                    cast(batch.column(0), &ArrowType::Utf8).map_err(|error| Error::internal(error.to_string()))?;
                let column = column.as_string::<i32>();
                if texts.len() + batch.num_rows() > TEXTS_MAX {
                    let message = format!("PIVOT would make more than {TEXTS_MAX} columns");
                    return Err(Error::new(ErrorKind::TooComplex, message));
                }
                texts.extend(column.iter().flatten().map(str::to_owned));
            }
            Ok(texts)
        })
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        self.files(&[path.to_owned()], &FileOptions::default())
    }

    fn files(&self, paths: &[String], options: &FileOptions) -> Result<Option<Arc<TableInfo>>> {
        let key = (paths.to_vec(), options.unplaced());
        if let Some(stored) = self.files.borrow().get(&key) {
            return Ok(Some(Arc::clone(&stored.info)));
        }
        let Some(stored) = (self.open_files)(paths, options, self.loads.get())? else { return Ok(None) };
        let info = Arc::clone(&stored.info);
        self.files.borrow_mut().insert(key, stored);
        Ok(Some(info))
    }

    fn now(&self) -> i64 {
        self.asks_time.set(true);
        self.times.transaction
    }

    fn statement_time(&self) -> i64 {
        self.asks_time.set(true);
        self.times.statement
    }

    fn moments(&self) -> Option<u32> {
        self.moments.get()
    }

    fn prepared_literals(&self) -> Arc<Literals> {
        Arc::clone(&self.literals.borrow())
    }

    fn mean_literals(&self, literals: &Arc<Literals>) {
        self.literals.replace(Arc::clone(literals));
    }

    fn is_preparing(&self) -> bool {
        self.reads.borrow().is_some()
    }

    fn keep_literals(&self, literals: Literals) {
        self.reads.replace(Some(literals));
    }

    fn check(&self) -> Result<()> {
        self.context.check()
    }

    fn loads_file(&self) {
        self.loads.set(true);
    }

    fn unreadable(&self, handle: TableHandle) -> Vec<(usize, String, Error)> {
        let files = self.files.borrow();
        let file = files.values().find(|file| file.info.handle == handle);
        let columns = file.map(|file| file.unreadable.iter()).into_iter().flatten();
        columns.map(|column| (column.place, column.name.clone(), column.error.clone())).collect()
    }

    fn names(&self) -> Vec<String> {
        self.state.iter().map(|(_, name, _)| name.to_owned()).collect()
    }
}
