//! What one statement sees: a state, the system's tables over it, the files that it reads, and what its session tells; `catalog` is
//! what the planner asks of it.

mod catalog;

use crate::catalog::{Entry, Object, Qualified, SearchPath, State, StateMark, StoredSequence, StoredTable};
use crate::effects::Effects;
use crate::format::Format;
use crate::provider::{Provided, Scanned, scan_all};
use crate::roles::Rights;
use crate::row_locks::RowLocks;
use crate::system::{self, Facts, Found as SystemFound, INFORMATION, Made, Making, PG_CATALOG};
use crate::transaction::Times;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::{ColumnCache, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{
    CatalogEntry, FileOptions, Literals, Right, TableHandle, TableInfo, TableName, View, is_key,
};
use multiloop_planner::function::{IntervalStyle, UserDefinition, Volatility};
use multiloop_planner::multiloop::Program;
use multiloop_planner::relation::{KeyLookup, KeyValue};
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How soon a statement that sleeps sees that it is cancelled.
const SLEEP_STEP: Duration = Duration::from_millis(5);

/// Texts that are read while a statement is bound.
const TEXTS_MAX: usize = 1600;

/// Reads files as a table, from a cache if they have not changed; all rows at once if these are to become one.
pub(crate) type OpenFiles<'a> = &'a dyn Fn(&[String], &FileOptions, bool) -> Result<Option<StoredTable>>;

/// What one statement sees.
pub(crate) struct Snapshot<'a> {
    pub(crate) state: State,
    /// What its session tells.
    pub(crate) facts: Facts,
    system: Arc<Made>,
    /// The system's tables that it has named.
    system_tables: RefCell<HashMap<(String, String), SystemFound>>,
    /// The rows of sequences that it has named.
    sequences: RefCell<HashMap<(String, String), StoredTable>>,
    /// Whether it has asked for what its session tells.
    asks_session: Cell<bool>,
    /// What it does beside giving rows.
    effects: RefCell<Effects>,
    /// The values that it is run with, if they are to be known before.
    values: RefCell<Option<Vec<Value>>>,
    /// Whether they are.
    asks_values: Cell<bool>,
    counts: Cell<bool>,
    /// Whether it has looked up a name as a value.
    resolves: Cell<bool>,
    /// Whether it has named a table whose rows a provider gives.
    provides: Cell<bool>,
    /// Where names without a schema are looked for.
    pub(crate) path: SearchPath,
    /// The session's time zone, by its name.
    pub(crate) zone: Arc<str>,
    asks_zone: Cell<bool>,
    pub(crate) style: IntervalStyle,
    asks_style: Cell<bool>,
    open_files: OpenFiles<'a>,
    /// Whether the rows of a file become a table as they are.
    loads: Cell<bool>,
    context: &'a Context,
    locks: &'a RowLocks,
    files: RefCell<HashMap<(Vec<String>, FileOptions), StoredTable>>,
    /// When the transaction and the statement began.
    times: Times,
    /// Whether it has asked for functions that the program registered.
    asks_functions: Cell<bool>,
    /// What table functions have given.
    made: RefCell<Vec<StoredTable>>,
    /// Whether it has asked for the time.
    asks_time: Cell<bool>,
    /// The values of literals in the statement's text, if it was prepared.
    literals: RefCell<Arc<Literals>>,
    /// What it has read of them, while it is prepared.
    reads: RefCell<Option<Literals>>,
    names: RefCell<Vec<Use>>,
    /// What it has asked whether it may, where there are roles.
    asked: RefCell<Vec<Asked>>,
    /// Rows on their way into a table, which a check of them names [`COMING`].
    coming: RefCell<Option<StoredTable>>,
    /// Tables with the numbers of their rows, which the statement changes.
    changing: RefCell<Vec<Changing>>,
    /// The same by the names that the statement gives them, and what the planner saw of them.
    changed: RefCell<Vec<(TableName, Arc<TableInfo>)>>,
    /// Whether the planner sees tables with room for changes.
    widens: Cell<bool>,
    /// The first of the parameters that have the times of transaction and statement, if two do.
    moments: Cell<Option<u32>>,
    /// Tables of an older snapshot, which a plan scans, and those that are scanned in their place.
    stand_ins: RefCell<Vec<(TableHandle, TableHandle)>>,
    /// Tables with the numbers of their rows, without those that others have taken.
    skipping: RefCell<Vec<StoredTable>>,
    /// Tables whose rows a part of the statement gives before another one reads them: rows that were to be inserted beside those that
    /// are there, and what RETURNING gives within WITH.
    awaited: RefCell<Vec<StoredTable>>,
    /// Whether whoever asks needs no rights.
    is_trusted: Cell<bool>,
    /// Functions that it calls of which the statements are run.
    running: RefCell<Vec<Arc<UserDefinition>>>,
    /// Whether it has asked for the query of a VOLATILE function, and whether the statements of these are run, too.
    has_volatile: Cell<bool>,
    runs_volatile: Cell<bool>,
}

/// A table that a statement changes.
struct Changing {
    name: Qualified,
    /// It, with the numbers of its rows.
    numbered: StoredTable,
    /// The snapshot that the statement sees, and the loaded form of that, which its keys' indexes know.
    seen: TableHandle,
    loaded: TableHandle,
}

/// What rows on their way into a table are called.
pub(crate) const COMING: &str = "rows that come";

/// What a plan was made from: names, and what they stood for. It keeps no table: a plan that is not used again holds no memory of
/// rows that are gone.
#[derive(Debug)]
pub(crate) struct Uses {
    state: StateMark,
    path: SearchPath,
    names: Vec<Use>,
    /// The tables that it changes, with the numbers of their rows.
    changed: Vec<(TableName, Arc<TableInfo>)>,
    /// The time zone, where it matters.
    zone: Option<Arc<str>>,
    /// How intervals are written, where it matters.
    style: Option<IntervalStyle>,
    /// What the session told, if it was asked.
    facts: Option<Facts>,
    /// The state of the program's functions, if it asked for some.
    functions: Option<u64>,
    /// Whether a name was looked up as a value.
    resolves: bool,
    /// Whether one of the names is of a table of the system's, which each snapshot has to look up, or of a provider's, of which other
    /// plans may be made without a change of the state.
    looks: bool,
    /// The state of the roles, and the rights, where there are any.
    rights: Option<(u64, Rights)>,
    asked: Vec<Asked>,
}

/// A right that was asked for: on what, and through which view.
#[derive(Clone, Debug)]
struct Asked {
    name: TableName,
    right: Right,
    through: Option<TableName>,
}

/// A name that was looked for, and what was found.
#[derive(Clone, Debug)]
struct Use {
    name: TableName,
    found: Option<Found>,
}

#[derive(Clone, Debug)]
enum Found {
    /// What the planner saw of a table.
    Table(Arc<TableInfo>),
    /// The same, of whose rows it has seen nothing.
    Target(Arc<TableInfo>),
    View(Arc<View>),
}

impl Found {
    fn new(entry: &CatalogEntry) -> Self {
        match entry {
            CatalogEntry::Table(info) => Found::Table(Arc::clone(info)),
            CatalogEntry::View(view) => Found::View(Arc::clone(view)),
        }
    }
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(
        state: State,
        facts: Facts,
        system: &system::Cache,
        open_files: OpenFiles<'a>,
        (context, locks): (&'a Context, &'a RowLocks),
        times: Times,
    ) -> Self {
        let path = facts.search_path(&state);
        Snapshot {
            system: system.of(&state, &path, &facts),
            zone: facts.settings.time_zone(),
            asks_zone: Cell::new(false),
            style: facts.settings.interval_style(),
            asks_style: Cell::new(false),
            state,
            facts,
            path,
            system_tables: RefCell::default(),
            sequences: RefCell::default(),
            asks_session: Cell::new(false),
            effects: RefCell::default(),
            values: RefCell::default(),
            asks_values: Cell::new(false),
            counts: Cell::new(false),
            resolves: Cell::new(false),
            provides: Cell::new(false),
            loads: Cell::new(false),
            open_files,
            context,
            locks,
            files: RefCell::default(),
            times,
            asks_functions: Cell::new(false),
            made: RefCell::default(),
            asks_time: Cell::new(false),
            literals: RefCell::default(),
            reads: RefCell::default(),
            names: RefCell::default(),
            asked: RefCell::default(),
            coming: RefCell::default(),
            changing: RefCell::default(),
            changed: RefCell::default(),
            widens: Cell::new(false),
            moments: Cell::new(None),
            stand_ins: RefCell::default(),
            skipping: RefCell::default(),
            awaited: RefCell::default(),
            is_trusted: Cell::new(false),
            running: RefCell::default(),
            has_volatile: Cell::new(false),
            runs_volatile: Cell::new(false),
        }
    }

    /// Whoever asks needs no rights from now on: what a table was declared with asks.
    pub(crate) fn trust(&self) {
        self.is_trusted.set(true);
    }

    /// Whether it calls functions of which the statements are run. One that is not VOLATILE may call one that is.
    pub(crate) fn calls(&self) -> bool {
        !self.running.borrow().is_empty()
    }

    /// Whether the statement is to be bound once more, with the statements of all VOLATILE functions run.
    pub(crate) fn is_to_run_volatile(&self) -> bool {
        let is_one = |known: &Arc<UserDefinition>| known.volatility() == Volatility::Volatile;
        let changes = self.running.borrow().iter().any(is_one);
        let is_new = self.has_volatile.get() && changes && !self.runs_volatile.get();
        self.runs_volatile.set(is_new || self.runs_volatile.get());
        is_new
    }

    /// The snapshot of a table whose rows the statement has asked for the numbers of.
    pub(crate) fn changed_handle(&self, name: &Qualified) -> Option<TableHandle> {
        let changing = self.changing.borrow();
        changing.iter().find(|of| of.name == *name).map(|of| of.seen)
    }

    /// What the planner sees of a table with the numbers of its rows, if there is one of the name.
    ///
    /// # Errors
    /// Those of loading it.
    fn with_numbers(&self, name: &TableName) -> Result<Option<Arc<TableInfo>>> {
        let Some((found, CatalogEntry::Table(_))) = self.find(name) else { return Ok(None) };
        if let Some(known) = self.changing.borrow().iter().find(|of| of.name == found) {
            return Ok(Some(Arc::clone(&known.numbered.info)));
        }
        let Ok(stored) = self.state.table(&found) else { return Ok(None) };
        let of_rows = stored.loaded(&|| self.state.domains(), self.context)?;
        let (seen, loaded) = (stored.info.handle, of_rows.info.handle);
        let numbered = of_rows.numbered();
        let info = Arc::clone(&numbered.info);
        self.changing.borrow_mut().push(Changing { name: found, numbered, seen, loaded });
        Ok(Some(info))
    }

    /// Says which rows a table has that the statement has asked for before, without rows.
    pub(crate) fn give(&self, handle: TableHandle, rows: Table) {
        let mut awaited = self.awaited.borrow_mut();
        if let Some(known) = awaited.iter_mut().find(|known| known.info.handle == handle) {
            *known = known.with_rows(rows);
        }
    }

    /// What the planner knows of such a table.
    pub(crate) fn awaited_info(&self, handle: TableHandle) -> Option<Arc<TableInfo>> {
        let awaited = self.awaited.borrow();
        awaited.iter().find(|known| known.info.handle == handle).map(|known| Arc::clone(&known.info))
    }

    /// Lets queries name rows that are on their way into a table; gives what the planner sees of them.
    pub(crate) fn lend(&self, rows: Table) -> Arc<TableInfo> {
        let stored = StoredTable::new(COMING, rows, Arc::default());
        let info = Arc::clone(&stored.info);
        *self.coming.borrow_mut() = Some(stored);
        info
    }

    /// The type of a name, with its schema.
    pub(crate) fn find_type(&self, name: &TableName) -> Option<(Qualified, DataType)> {
        let found = |schema: &String| match self.state.schema(schema)?.objects.get(&name.name)?.entry {
            Entry::Type(data_type) => Some((Qualified { schema: schema.clone(), name: name.name.clone() }, data_type)),
            _ => None,
        };
        match &name.schema {
            Some(schema) => found(schema),
            None => self.path.iter().find_map(found),
        }
    }

    /// What a schema has a function under, of a key with or without a schema.
    pub(crate) fn find_routine(&self, key: &TableName) -> Option<Qualified> {
        let found = |schema: &String| {
            let of = Qualified { schema: schema.clone(), name: key.name.clone() };
            matches!(self.state.get(&of), Some(Entry::Routine(_))).then_some(of)
        };
        match &key.schema {
            Some(schema) => found(schema),
            None => self.path.iter().find_map(found),
        }
    }

    /// Whether a file was read by its path.
    pub(crate) fn reads_files(&self) -> bool {
        !self.files.borrow().is_empty()
    }

    /// The columns of the files that were read in which words stand for missing values.
    pub(crate) fn placeholder_columns(&self) -> Vec<String> {
        self.files.borrow().values().flat_map(|file| file.placeholders.iter().cloned()).collect()
    }

    /// An error about a text, where the statement reads CSV, with what makes a column one of something else.
    pub(crate) fn with_file_hint(&self, error: Error) -> Error {
        let is_of_text = error.kind() == ErrorKind::UnknownFunction && error.message().contains("text");
        let is_csv = |path: &String| matches!(Format::of_path(path), Some(Format::Csv(_)));
        let reads_csv = || {
            let files = self.files.borrow();
            files.keys().any(|(paths, options)| {
                let said = options.format().and_then(|format| format.text().ok());
                said.map_or_else(|| paths.iter().any(is_csv), |format| format.eq_ignore_ascii_case("csv"))
            })
        };
        if !is_of_text || !reads_csv() {
            return error;
        }
        error.with_hint(
            "A column of a CSV file is text where one of its values is of no other type: nullstr => 'NA' in read_csv reads a word as \
             NULL, types => {'column': 'double precision'} says what a column is.",
        )
    }

    /// Whether the statement asks for what is different each time: the time, a number that counts, or does something to settings
    /// or other sessions.
    pub(crate) fn is_volatile(&self) -> bool {
        self.asks_time.get() || self.counts.get() || self.asks_values.get() || self.effects.borrow().any()
    }

    /// Whether what it gives has to be bound with its parameters' values.
    pub(crate) fn asks_values(&self) -> bool {
        self.asks_values.get()
    }

    /// What is bound from now on is run with these values alone.
    pub(crate) fn give_values(&self, values: &[Value]) {
        *self.values.borrow_mut() = Some(values.to_vec());
    }

    /// Binds a statement that is prepared; gives the values of its literals that could have others another time, too.
    pub(crate) fn preparing<T>(&self, bind: impl FnOnce() -> T) -> (T, Literals) {
        self.reads.replace(Some(Literals::default()));
        let bound = bind();
        (bound, self.reads.take().unwrap_or_default())
    }

    /// Asks other sessions for what the statement asks of them, and forgets the tallies that it says.
    pub(crate) fn send_signals(&self) {
        let Effects { forgets, signals, .. } = &*self.effects.borrow();
        for &of in forgets {
            self.making().forget_tallies(of);
        }
        for &(session, signal) in signals {
            if let Some(watch) = self.facts.activity.find(session) {
                watch.signal(signal);
            }
        }
    }

    /// Sleeps as long as the statement says, unless it is cancelled.
    pub(crate) fn sleep(&self) -> Result<()> {
        let Some(left) = self.effects.borrow().sleep else { return Ok(()) };
        let end = Instant::now().checked_add(left);
        loop {
            self.context.check()?;
            match end.map(|end| end.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Ok(()),
                left => std::thread::sleep(left.unwrap_or(SLEEP_STEP).min(SLEEP_STEP)),
            }
        }
    }

    /// Whether somebody may do what was asked. What a text of the system's names is free.
    fn allows(&self, Asked { name, right, through }: &Asked) -> Result<()> {
        let rights = match through {
            None => self.facts.rights.clone(),
            Some(view) => {
                let roles = self.facts.roles.as_ref();
                let view = self.find_any(view).and_then(|view| self.state.object(&view));
                let Some((roles, view)) = roles.zip(view) else { return Ok(()) };
                roles.owner_rights(&view.owned.owner)
            }
        };
        if rights.superuser {
            return Ok(());
        }
        if let (None, Some(schema)) = (through, &name.schema) {
            self.facts.check_schema(&self.state, Right::Usage, schema)?;
        }
        let Some(found) = self.find_any(name) else { return Ok(()) };
        match self.state.object(&found) {
            Some(object) => self.facts.check_right(&rights, *right, &found, object),
            None => Ok(()),
        }
    }

    /// A relation or a function by its name.
    fn find_any(&self, name: &TableName) -> Option<Qualified> {
        if is_key(&name.name) { self.find_routine(name) } else { self.find(name).map(|(found, _)| found) }
    }

    /// What changes when somebody may do something else.
    fn rights(&self) -> Option<(u64, Rights)> {
        self.facts.roles.as_ref().map(|roles| (roles.version(), self.facts.rights.clone()))
    }

    /// What the statement does beside giving rows.
    pub(crate) fn effects(&self) -> Ref<'_, Effects> {
        self.effects.borrow()
    }

    /// What the system's tables are made of.
    fn making(&self) -> Making<'_> {
        Making { state: &self.state, path: &self.path, facts: &self.facts }
    }

    /// What a name stands for, with its schema.
    pub(crate) fn find(&self, name: &TableName) -> Option<(Qualified, CatalogEntry)> {
        let found = |schema: &String| {
            let entry = match schema.as_str() {
                PG_CATALOG | INFORMATION => self.system_entry(schema, &name.name)?,
                _ => {
                    let entry = &self.state.schema(schema)?.objects.get(&name.name)?.entry;
                    if matches!(entry, Entry::Table(table) if table.provided().is_some()) {
                        self.provides.set(true);
                    }
                    match entry {
                        Entry::Sequence(sequence) => self.row_of_sequence((schema, &name.name), sequence),
                        entry => entry.seen()?,
                    }
                }
            };
            Some((Qualified { schema: schema.clone(), name: name.name.clone() }, entry))
        };
        match &name.schema {
            Some(schema) => found(schema),
            None => self.path.iter().find_map(found),
        }
    }

    /// A sequence as a table of one row, where it is now.
    fn row_of_sequence(&self, (schema, name): (&str, &str), sequence: &StoredSequence) -> CatalogEntry {
        // It is elsewhere for the next statement.
        self.counts.set(true);
        let mut known = self.sequences.borrow_mut();
        let key = (schema.to_owned(), name.to_owned());
        let stored = known.entry(key).or_insert_with(|| system::row_of_sequence(name, sequence));
        CatalogEntry::Table(Arc::clone(&stored.info))
    }

    fn system_entry(&self, schema: &str, name: &str) -> Option<CatalogEntry> {
        let key = (schema.to_owned(), name.to_owned());
        let known = self.system_tables.borrow().get(&key).cloned();
        let found = match known {
            Some(found) => found,
            None => {
                let found = self.system.get(schema, name, &self.making())?;
                self.system_tables.borrow_mut().insert(key, found.clone());
                found
            }
        };
        Some(match found {
            SystemFound::Table(table) => CatalogEntry::Table(Arc::clone(&table.info)),
            SystemFound::View(view) => CatalogEntry::View(view),
        })
    }

    /// What has been looked for so far.
    pub(crate) fn uses(&self) -> Uses {
        Uses {
            state: self.state.mark(),
            path: Arc::clone(&self.path),
            names: self.names.borrow().clone(),
            changed: self.changed.borrow().clone(),
            zone: self.asks_zone.get().then(|| Arc::clone(&self.zone)),
            style: self.asks_style.get().then_some(self.style),
            facts: self.asks_session.get().then(|| self.facts.clone()),
            functions: self.asks_functions.get().then(|| self.facts.functions.version()),
            resolves: self.resolves.get(),
            looks: self.provides.get() || !self.system_tables.borrow().is_empty(),
            rights: self.rights(),
            asked: self.asked.borrow().clone(),
        }
    }

    /// Lets the planner see tables with room for changes: a plan for them is good for later snapshots, too.
    pub(crate) fn widen(&self, widens: bool) {
        self.widens.set(widens);
    }

    /// Says which parameters have the times of transaction and statement, from this one on.
    pub(crate) fn name_moments(&self, first: Option<u32>) {
        self.moments.set(first);
    }

    /// A table as the planner is to see it. What the system makes, and what providers have, is not changed by statements.
    fn seen_by_planner(&self, name: &Qualified, entry: CatalogEntry) -> CatalogEntry {
        let is_stored = || matches!(self.state.get(name), Some(Entry::Table(table)) if table.provided().is_none());
        match entry {
            CatalogEntry::Table(info) if self.widens.get() && is_stored() => {
                CatalogEntry::Table(Arc::new(info.widened()))
            }
            entry => entry,
        }
    }

    /// Whether a plan for one snapshot of a table is good for another one, which it scans then.
    fn stands_in(&self, planned: &TableInfo, now: &TableInfo) -> bool {
        if planned.handle == now.handle {
            return true;
        }
        if !planned.covers(now) {
            return false;
        }
        let mut stand_ins = self.stand_ins.borrow_mut();
        let domains = planned.domains.iter().zip(&now.domains).filter_map(|(planned, now)| {
            let (planned, now) = planned.as_ref().zip(now.as_ref())?;
            Some((planned.table.handle, now.table.handle))
        });
        let pairs: Vec<(TableHandle, TableHandle)> = domains.chain([(planned.handle, now.handle)]).collect();
        // Two tables may have had one domain, and have grown it apart: one of them would find no values for its codes.
        let other =
            |(planned, now): &(TableHandle, TableHandle)| stand_ins.iter().any(|(of, by)| of == planned && by != now);
        if pairs.iter().any(other) {
            return false;
        }
        stand_ins.extend(pairs);
        true
    }

    /// Whether a name stands for what it stood for, or for another snapshot of it that the plan is good for.
    fn is_still(&self, Use { name, found }: &Use) -> bool {
        match (found, self.find(name)) {
            (Some(Found::View(known)), Some((_, CatalogEntry::View(view)))) => Arc::ptr_eq(known, &view),
            (Some(Found::Table(planned)), Some((_, CatalogEntry::Table(now)))) => self.stands_in(planned, &now),
            (Some(Found::Target(planned)), Some((_, CatalogEntry::Table(now)))) => planned.is_alike(&now),
            (found, now) => found.is_none() && now.is_none(),
        }
    }

    /// The same of a table that the statement changes.
    fn changes_still(&self, (name, planned): &(TableName, Arc<TableInfo>)) -> bool {
        // Who cannot read its rows is told so where the statement is bound anew.
        self.with_numbers(name).is_ok_and(|now| now.is_some_and(|now| self.stands_in(planned, &now)))
    }

    /// Whether what a plan was made from is as it was, or has changed so little that the plan is good for it: it may be used again,
    /// in this snapshot.
    pub(crate) fn has_still(&self, uses: &Uses) -> bool {
        let is_zone = uses.zone.as_ref().is_none_or(|zone| *zone == self.zone);
        let is_style = uses.style.is_none_or(|style| style == self.style);
        if uses.path != self.path
            || !is_zone
            || !is_style
            || uses.functions.is_some_and(|version| version != self.facts.functions.version())
            || uses.facts.as_ref().is_some_and(|facts| *facts != self.facts)
        {
            return false;
        }
        match (self.state.is(&uses.state), self.rights() == uses.rights) {
            (true, true) if !uses.looks && uses.changed.is_empty() => true,
            (false, _) if uses.resolves => false,
            // Who may not is told so where the names are bound.
            _ => {
                uses.names.iter().all(|used| self.is_still(used))
                    && uses.changed.iter().all(|changed| self.changes_still(changed))
                    && uses.asked.iter().all(|asked| self.allows(asked).is_ok())
            }
        }
    }

    /// Takes the file that was read as the table of this handle, if one was: the statement may not read it after that.
    pub(crate) fn take_file(&self, handle: TableHandle) -> Option<StoredTable> {
        let mut files = self.files.borrow_mut();
        let path = files.iter().find(|(_, file)| file.info.handle == handle).map(|(path, _)| path.clone())?;
        files.remove(&path)
    }

    /// The rows that providers give of the tables that a program reads.
    pub(crate) fn provided(
        &self,
        program: &Program,
        parameters: &[Value],
        (context, cache): (&Context, &Arc<ColumnCache>),
    ) -> Result<Scanned> {
        // A plan's tables have all been named, also where it was made by another statement: then its names are looked up once more.
        if !self.provides.get() {
            return Ok(Scanned::default());
        }
        scan_all(program, &|handle| self.provider(handle), parameters, (context, cache))
    }

    /// The provider of a handle, and the name of its table.
    fn provider(&self, handle: TableHandle) -> Option<(&str, &Provided)> {
        self.state.iter().find_map(|(_, _, object)| match &object.entry {
            Entry::Table(table) if table.scanned(handle).is_some() => {
                Some((table.info.name.as_str(), table.provided()?))
            }
            _ => None,
        })
    }

    /// Whether a program reads rows that a provider gives.
    fn reads_provider(&self, program: &Program) -> bool {
        self.provides.get() && program.tables().any(|(handle, ..)| self.provider(handle).is_some())
    }

    /// What tables have left of which a program asks for the row of one key: that row, or none. Only those that an index knows.
    pub(crate) fn rows_of_keys(
        &self,
        lookups: &[KeyLookup],
        parameters: &[Value],
        context: &Context,
    ) -> Result<Vec<(TableHandle, Arc<Table>)>> {
        let mut found = Vec::new();
        for lookup in lookups {
            let values = lookup.values.iter().map(|value| match value {
                KeyValue::Constant(value) => Some(value.clone()),
                KeyValue::Parameter(number) => parameters.get(*number as usize).cloned(),
            });
            let Some(values) = values.collect::<Option<Vec<Value>>>() else { continue };
            let handle = self.stand_in(lookup.table);
            let is_it = |of: &Changing| of.numbered.info.handle == handle;
            let numbered = self
                .changing
                .borrow()
                .iter()
                .find_map(|changing| is_it(changing).then(|| (changing.numbered.clone(), changing.loaded)));
            let stored = || {
                self.state.iter().find_map(|(_, _, object)| match &object.entry {
                    Entry::Table(stored) if stored.info.handle == handle => Some((stored.clone(), handle)),
                    _ => None,
                })
            };
            // A provider's rows are not here, nor are those in files.
            let own_rows =
                |(stored, _): &(StoredTable, TableHandle)| stored.provided().is_none() && !stored.is_unloaded();
            let Some((stored, own)) = numbered.or_else(stored).filter(own_rows) else { continue };
            let Some(key) = stored.info.declared.keys.get(lookup.key) else { continue };
            let (table, marks) = (stored.stored(), stored.info.hidden.deleted);
            let row = match stored.keys.lookup((lookup.key, key), &values, (own, table, marks), context) {
                // To look through all rows takes less.
                Err(error) if error.kind() == ErrorKind::OutOfMemory => continue,
                row => row?,
            };
            let Some(row) = row else { continue };
            let columns: Vec<usize> = (0..table.fields.len()).collect();
            let rows: Vec<usize> = row.into_iter().collect();
            found.push((lookup.table, Arc::new(table.rows_at(&rows, &columns, context)?)));
        }
        Ok(found)
    }

    /// What is scanned in the place of a table.
    fn stand_in(&self, handle: TableHandle) -> TableHandle {
        let stand_ins = self.stand_ins.borrow();
        stand_ins.iter().rev().find(|(planned, _)| *planned == handle).map_or(handle, |(_, now)| *now)
    }

    /// The table of a handle, of which programs may scan those that have been named. There are many tables, and a program scans few:
    /// to look through all of them costs less than to enter them into a map.
    pub(crate) fn table(&self, handle: TableHandle) -> Option<Arc<Table>> {
        let handle = self.stand_in(handle);
        let of = |stored: &StoredTable| stored.scanned(handle);
        let named = |object: &Object| match &object.entry {
            Entry::Table(table) => of(table),
            Entry::View(_) | Entry::Type(_) | Entry::Sequence(_) | Entry::Routine(_) => None,
        };
        let system = |found: &SystemFound| match found {
            SystemFound::Table(table) => of(table),
            SystemFound::View(_) => None,
        };
        let stored = self.state.iter().find_map(|(_, _, object)| named(object));
        stored
            .or_else(|| self.coming.borrow().as_ref().and_then(of))
            .or_else(|| self.changing.borrow().iter().find_map(|changing| of(&changing.numbered)))
            .or_else(|| self.skipping.borrow().iter().find_map(of))
            .or_else(|| self.awaited.borrow().iter().find_map(of))
            .or_else(|| self.system_tables.borrow().values().find_map(system))
            .or_else(|| self.files.borrow().values().find_map(of))
            .or_else(|| self.made.borrow().iter().find_map(of))
            .or_else(|| self.sequences.borrow().values().find_map(of))
    }
}
