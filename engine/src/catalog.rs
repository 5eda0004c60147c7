//! The catalog: names to tables and views, as immutable snapshots.
//!
//! A statement takes one snapshot and sees nothing else; a writer builds a new state beside the old one and swaps
//! it in at the end, so a statement that fails leaves everything as it was.

use crate::format::Unreadable;
use crate::keys::KeyIndexes;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::{Table, domain};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{Catalog, CatalogEntry, CopyOptions, Declared, Domain, TableHandle, TableInfo};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::SystemTime;

/// One state of the world.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    entries: BTreeMap<String, Entry>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Table(StoredTable),
    View {
        sql: Arc<str>,
        columns: Vec<String>,
        /// The tables and views that its query names.
        needs: Vec<String>,
    },
}

/// A snapshot of a table and what the planner sees of it.
#[derive(Clone, Debug)]
pub(crate) struct StoredTable {
    table: Arc<Table>,
    pub(crate) info: Arc<TableInfo>,
    /// For each column the domain whose codes it stores, if it does; empty if none does.
    domains: Vec<Option<Arc<StoredDomain>>>,
    /// Its rows by their keys; those that the table begins with, which all later snapshots have.
    pub(crate) keys: Arc<KeyIndexes>,
    /// Columns of a file that cannot be read.
    pub(crate) unreadable: Arc<[Unreadable]>,
}

/// A domain, which tables share.
#[derive(Debug)]
struct StoredDomain {
    domain: domain::Domain,
    info: Arc<TableInfo>,
}

/// Domains of tables, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains(Vec<Arc<StoredDomain>>);

impl Domains {
    fn domains(&self) -> Vec<domain::Domain> {
        self.0.iter().map(|stored| stored.domain.clone()).collect()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds those of a table.
    pub(crate) fn add(&mut self, table: &StoredTable) {
        for domain in table.domains.iter().flatten() {
            if !self.0.iter().any(|known| Arc::ptr_eq(known, domain)) {
                self.0.push(Arc::clone(domain));
            }
        }
    }
}

impl StoredDomain {
    fn new(name: &str, domain: domain::Domain) -> Arc<Self> {
        let info = Arc::new(info(format!("{name} values"), &domain.table, Vec::new(), Arc::default()));
        Arc::new(StoredDomain { domain, info })
    }
}

/// What the planner sees of a table, under a handle of its own: plans for another snapshot never match it by accident.
fn info(name: String, table: &Table, domains: Vec<Option<Domain>>, declared: Arc<Declared>) -> TableInfo {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    TableInfo {
        name,
        fields: table.fields.clone(),
        statistics: Arc::clone(&table.statistics),
        handle: TableHandle(NEXT.fetch_add(1, Ordering::Relaxed)),
        domains,
        declared,
    }
}

impl StoredTable {
    /// A new snapshot, stored as it is.
    pub(crate) fn new(name: &str, table: Table, declared: Arc<Declared>) -> Self {
        let info = Arc::new(info(name.to_owned(), &table, Vec::new(), declared));
        let keys = Arc::default();
        StoredTable { table: Arc::new(table), info, domains: Vec::new(), keys, unreadable: Arc::default() }
    }

    /// A new snapshot of loaded rows: what gains by it is stored as codes of domains, those of other tables if they have them.
    pub(crate) fn encoded(
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        known: Domains,
        context: &Context,
    ) -> Result<Self> {
        let (table, found) = domain::encode(table, &[], &known.domains(), context)?;
        Ok(StoredTable::with_domains(name, table, declared, found, known))
    }

    /// The same rows with codes of more domains, if they have values of those.
    pub(crate) fn sharing(&self, name: &str, known: &Domains, context: &Context) -> Result<Option<Self>> {
        let has = self.own_domains();
        let (table, found) = match domain::encode(Table::clone(&self.table), &has, &known.domains(), context) {
            // As it is will do.
            Err(error) if error.kind() == ErrorKind::OutOfMemory => return Ok(None),
            encoded => encoded?,
        };
        let count = |domains: &[Option<domain::Domain>]| domains.iter().flatten().count();
        let mut all = known.clone();
        all.add(self);
        let declared = Arc::clone(&self.info.declared);
        Ok((count(&found) > count(&has)).then(|| StoredTable::with_domains(name, table, declared, found, all)))
    }

    /// The next snapshot: one whose first rows are this one's, stored as they are here. Its domains may be longer ones; who
    /// knows these says so.
    pub(crate) fn appended(
        &self,
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        domains: Vec<Option<domain::Domain>>,
        known: Domains,
    ) -> Self {
        let keys = Arc::clone(&self.keys);
        StoredTable { keys, ..StoredTable::with_domains(name, table, declared, domains, known) }
    }

    fn with_domains(
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        found: Vec<Option<domain::Domain>>,
        known: Domains,
    ) -> Self {
        let mut stored = known.0;
        let mut domains = Vec::with_capacity(found.len());
        for (field, domain) in table.fields.iter().zip(found) {
            domains.push(domain.map(|domain| {
                let is_it = |stored: &&Arc<StoredDomain>| Arc::ptr_eq(&stored.domain.table, &domain.table);
                let known = stored.iter().find(is_it).cloned();
                known.unwrap_or_else(|| {
                    stored.push(StoredDomain::new(&field.name, domain));
                    Arc::clone(&stored[stored.len() - 1])
                })
            }));
        }
        let seen = |domain: &Option<Arc<StoredDomain>>| {
            let stored = domain.as_ref()?;
            Some(Domain { table: Arc::clone(&stored.info), lineage: stored.domain.lineage.id })
        };
        let info = info(name.to_owned(), &table, domains.iter().map(seen).collect(), declared);
        let keys = Arc::default();
        StoredTable { table: Arc::new(table), info: Arc::new(info), domains, keys, unreadable: Arc::default() }
    }

    /// The rows as they are stored, some perhaps as codes.
    pub(crate) fn stored(&self) -> &Arc<Table> {
        &self.table
    }

    /// For each column the domain whose codes it stores, if it does; empty if none does.
    pub(crate) fn own_domains(&self) -> Vec<Option<domain::Domain>> {
        let domain = |domain: &Option<Arc<StoredDomain>>| domain.as_ref().map(|stored| stored.domain.clone());
        self.domains.iter().map(domain).collect()
    }

    /// The table itself, of one that has no domains; without a copy, if nobody else holds it.
    pub(crate) fn into_table(self) -> Table {
        debug_assert!(self.domains.is_empty(), "codes would be taken for values");
        Arc::unwrap_or_clone(self.table)
    }

    /// What programs may scan, by handle: the table and its domains.
    fn scanned(&self) -> impl Iterator<Item = (TableHandle, Arc<Table>)> {
        let domains = self.domains.iter().flatten();
        let domains = domains.map(|stored| (stored.info.handle, Arc::clone(&stored.domain.table)));
        domains.chain([(self.info.handle, Arc::clone(&self.table))])
    }
}

impl State {
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.entries.iter()
    }

    pub(crate) fn insert(&mut self, name: &str, entry: Entry) {
        self.entries.insert(name.to_owned(), entry);
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Entry> {
        self.entries.remove(name)
    }

    /// The views that name a table or view.
    pub(crate) fn needing(&self, name: &str) -> Vec<String> {
        let needs = |entry: &Entry| matches!(entry, Entry::View { needs, .. } if needs.iter().any(|need| need == name));
        self.entries.iter().filter(|(_, entry)| needs(entry)).map(|(view, _)| view.clone()).collect()
    }

    /// The domains of all tables.
    pub(crate) fn domains(&self) -> Domains {
        let mut all = Domains::default();
        for entry in self.entries.values() {
            if let Entry::Table(table) = entry {
                all.add(table);
            }
        }
        all
    }

    /// The table of this name; an error if there is none or it is a view.
    pub(crate) fn table(&self, name: &str) -> Result<&StoredTable> {
        match self.get(name) {
            Some(Entry::Table(table)) => Ok(table),
            Some(Entry::View { .. }) => {
                Err(Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is a view, not a table")))
            }
            None => Err(Error::new(ErrorKind::UnknownTable, format!("table \"{name}\" does not exist"))),
        }
    }
}

/// The current state, swapped as a whole.
#[derive(Debug, Default)]
pub(crate) struct Current {
    state: RwLock<Arc<State>>,
    writing: Mutex<()>,
}

impl Current {
    /// The state as it is now.
    pub(crate) fn snapshot(&self) -> Arc<State> {
        // A panic while the lock was held cannot leave half a state: the Arc is swapped in one step.
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The right to change the state; readers go on meanwhile.
    pub(crate) fn begin_write(&self) -> Write<'_> {
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Write { current: self, state: State::clone(&self.snapshot()), _guard: guard }
    }
}

/// A change being prepared; dropped without `commit`, it has never been.
pub(crate) struct Write<'a> {
    current: &'a Current,
    pub(crate) state: State,
    _guard: MutexGuard<'a, ()>,
}

impl Write<'_> {
    /// Makes the change visible to all statements that start from now on.
    pub(crate) fn commit(self) {
        *self.current.state.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(self.state);
    }
}

/// Reads a file as a table, from a cache if it has not changed.
pub(crate) type OpenFile<'a> = &'a dyn Fn(&str, &CopyOptions) -> Result<Option<StoredTable>>;

/// What one statement sees: a state, and the files that it reads.
pub(crate) struct Snapshot<'a> {
    pub(crate) state: Arc<State>,
    open_file: OpenFile<'a>,
    context: &'a Context,
    files: RefCell<HashMap<(String, CopyOptions), StoredTable>>,
    now: OnceCell<i64>,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(state: Arc<State>, open_file: OpenFile<'a>, context: &'a Context) -> Self {
        Snapshot { state, open_file, context, files: RefCell::default(), now: OnceCell::new() }
    }

    /// Whether a file was read by its path.
    pub(crate) fn reads_files(&self) -> bool {
        !self.files.borrow().is_empty()
    }

    /// Whether the statement asks for the time.
    pub(crate) fn reads_clock(&self) -> bool {
        self.now.get().is_some()
    }

    /// Takes the file that was read as the table of this handle, if one was: the statement may not read it after that.
    pub(crate) fn take_file(&self, handle: TableHandle) -> Option<StoredTable> {
        let mut files = self.files.borrow_mut();
        let path = files.iter().find(|(_, file)| file.info.handle == handle).map(|(path, _)| path.clone())?;
        files.remove(&path)
    }

    /// The tables that a program may scan, by handle.
    pub(crate) fn tables(&self) -> HashMap<TableHandle, Arc<Table>> {
        let files = self.files.borrow();
        let named = self.state.iter().filter_map(|(_, entry)| match entry {
            Entry::Table(table) => Some(table),
            Entry::View { .. } => None,
        });
        named.chain(files.values()).flat_map(StoredTable::scanned).collect()
    }
}

impl Catalog for Snapshot<'_> {
    fn entry(&self, name: &str) -> Result<Option<CatalogEntry>> {
        Ok(self.state.get(name).map(|entry| match entry {
            Entry::Table(table) => CatalogEntry::Table(Arc::clone(&table.info)),
            Entry::View { sql, columns, needs: _ } => {
                CatalogEntry::View { sql: Arc::clone(sql), columns: columns.clone() }
            }
        }))
    }

    fn file(&self, path: &str) -> Result<Option<Arc<TableInfo>>> {
        self.file_with(path, &CopyOptions::default())
    }

    fn file_with(&self, path: &str, options: &CopyOptions) -> Result<Option<Arc<TableInfo>>> {
        let key = (path.to_owned(), options.clone());
        if let Some(stored) = self.files.borrow().get(&key) {
            return Ok(Some(Arc::clone(&stored.info)));
        }
        let Some(stored) = (self.open_file)(path, options)? else { return Ok(None) };
        let info = Arc::clone(&stored.info);
        self.files.borrow_mut().insert(key, stored);
        Ok(Some(info))
    }

    fn now(&self) -> i64 {
        *self.now.get_or_init(|| {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            since.ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
        })
    }

    fn check(&self) -> Result<()> {
        self.context.check()
    }

    fn unreadable(&self, handle: TableHandle) -> Vec<(usize, String, Error)> {
        let files = self.files.borrow();
        let file = files.values().find(|file| file.info.handle == handle);
        let columns = file.map(|file| file.unreadable.iter()).into_iter().flatten();
        columns.map(|column| (column.place, column.name.clone(), column.error.clone())).collect()
    }

    fn names(&self) -> Vec<String> {
        self.state.iter().map(|(name, _)| name.clone()).collect()
    }
}
