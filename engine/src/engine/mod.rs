//! The engine: tables, workers and limits that sessions share.

mod codes;
mod maintenance;

use crate::access::FileUse;
use crate::activity::Activity;
use crate::catalog::{Domains, Entry, Qualified, Schemas, State, StoredTable};
use crate::format::identity::Identity;
use crate::functions::Functions;
use crate::hashed::Hashed;
use crate::names::Known;
use crate::notify::Channels;
use crate::roles::Roles;
use crate::row_locks::RowLocks;
use crate::sight::Sight;
use crate::snapshot::Snapshot;
use crate::storage::{self, Begun, Checked, Current, OnRecovery, Recovery, Salvaged, Storage, Way};
use crate::system;
use crate::transaction::{Work, Write};
use crate::{Error, ErrorKind, Result, format};
use multiloop_exec::column::{ColumnCache, Table};
use multiloop_exec::cpu::simd::level::Level;
use multiloop_exec::technique::Technique;
use multiloop_exec::workers::context::{Cancellation, Context, Memory};
use multiloop_exec::workers::pool::Pool;
use multiloop_exec::{Cards, DeviceUse, Devices};
use multiloop_planner::catalog::{Declared, FileOptions, TableHandle, TableName};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use sysinfo::{MemoryRefreshKind, System};

/// An in-memory analytics engine. Cloning gives another handle to the same tables; it may be used from any thread.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Shared>);

/// What all sessions of an engine share.
pub(crate) struct Shared {
    pub(crate) catalog: Current,
    /// What of a damaged database is not in it.
    left_out: Vec<Error>,
    /// The system's tables over the last states.
    pub(crate) system: system::Cache,
    pub(crate) pool: Arc<Pool>,
    /// What may run loops beside its workers.
    pub(crate) cards: Cards,
    /// What the setting `device` means as it begins.
    pub(crate) device: DeviceUse,
    pub(crate) memory: Arc<Memory>,
    /// Columns of files.
    pub(crate) cache: Arc<ColumnCache>,
    pub(crate) compact: bool,
    pub(crate) channels: Channels,
    pub(crate) roles: Option<Arc<Roles>>,
    pub(crate) activity: Arc<Activity>,
    files: Mutex<HashMap<(Vec<String>, FileOptions), CachedFile>>,
    pub(crate) hashed: Hashed,
    pub(crate) row_locks: Arc<RowLocks>,
    functions: RwLock<Functions>,
}

/// Files read by `SELECT … FROM 'path'`, good as long as they are the same ones and have not changed.
struct CachedFile {
    paths: Vec<String>,
    identities: Vec<Option<Identity>>,
    stored: StoredTable,
}

/// Settings of an engine.
#[derive(Clone, Debug, Default)]
pub struct EngineBuilder {
    threads: Option<usize>,
    memory_limit: Option<usize>,
    compact: bool,
    roles: Option<Arc<Roles>>,
    devices: Devices,
    device: DeviceUse,
    data: Option<PathBuf>,
    without_maintenance: bool,
    salvage: bool,
    told: Option<OnRecovery>,
}

impl EngineBuilder {
    /// How many workers; the default is one a core that this process may use. With one, a statement runs on the thread
    /// that asks for it. Beside them there is a thread for [`EngineBuilder::maintenance`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Bytes that tables and statements together may hold; the default is four fifths of the machine's memory, or of what the
    /// process may have of it (cgroups). `usize::MAX` is no limit.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Whether registered record batches are compacted (narrower, faster to scan, costs a copy) or kept as
    /// they are, shared with the caller; the default is to keep them. Files are always compacted.
    #[must_use]
    pub fn compact(mut self, compact: bool) -> Self {
        self.compact = compact;
        self
    }

    /// Who may enter, and what they may do: see [`Session::enter`](crate::Session::enter). Without roles anybody may do all.
    #[must_use]
    pub fn roles(mut self, roles: Arc<Roles>) -> Self {
        self.roles = Some(roles);
        self
    }

    /// What statements run on whose setting `device` is as it begins (`auto`): the processors or cards of this machine, whichever is
    /// better, the processors alone, or cards whatever they read. Where there is no card, it is the processors.
    #[must_use]
    pub fn device(mut self, device: DeviceUse) -> Self {
        self.device = device;
        self
    }

    /// The folder that keeps what is committed: tables with their rows, views, types, comments and rights are there again when it is
    /// opened the next time. An empty folder, or one that there is not yet, becomes one. One process at a time may have it open.
    /// Without it all ends with the engine. `docs/data.md` says what is promised.
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// Whether the engine looks after tables that have changed when no statement runs, on a thread of its own: puts rows back in the order
    /// of their key, and drops those that are deleted. The default is that it does; [`Engine::maintain`] does it when it is asked.
    #[must_use]
    pub fn maintenance(mut self, does: bool) -> Self {
        self.without_maintenance = !does;
        self
    }

    /// Opens what is whole of a damaged database, for reading alone: tables are there with the rows that their files have, as the log has
    /// them before its first damaged record. Who reads a row that is damaged is told so (XX001), and whatever would change something
    /// fails (25006). Nothing in the folder is changed. [`Engine::left_out`] says what could not be read.
    #[must_use]
    pub fn salvage(mut self, salvage: bool) -> Self {
        self.salvage = salvage;
        self
    }

    /// Is told about each second how far opening the folder of data has come, where it takes longer than one to do once more what has been
    /// committed since the last checkpoint.
    #[must_use]
    pub fn on_recovery(mut self, told: impl Fn(Recovery) + Send + Sync + 'static) -> Self {
        self.told = Some(OnRecovery(Arc::new(told)));
        self
    }

    /// What may run loops beside the workers, in the place of this machine's cards.
    #[doc(hidden)]
    #[must_use]
    pub fn devices(mut self, devices: Devices) -> Self {
        self.devices = devices;
        self
    }

    /// Starts the engine. An error (22023) if the environment variable `MULTILOOP_CPU` asks for instructions that the CPU
    /// does not have (it may be `portable`, `avx2` or `avx512`), or `MULTILOOP_WITHOUT` names a technique that there is not
    /// (see [`Technique`]). With a folder of data also 55000 if another process has it open or it is something else, XX001 if a file
    /// in it is damaged, 0A000 if a newer program has written it, 58030 and 53100.
    pub fn build(self) -> Result<Engine> {
        self.build_with(&Storage::open)
    }

    /// The same with data that `open` opens.
    pub(crate) fn build_with(self, open: &OpenStorage<'_>) -> Result<Engine> {
        Level::check()?;
        Technique::check()?;
        let memory = Memory::new(self.memory_limit.unwrap_or_else(default_memory_limit));
        let pool = Arc::new(Pool::new(self.threads.unwrap_or_else(available_threads))?);
        let cache = ColumnCache::new(&memory);
        let context = &Context::new(Arc::clone(&memory)).with_pool(&pool);
        let way = &Way { context, cache: &cache, told: self.told.as_ref() };
        let (catalog, left_out) = match &self.data {
            Some(folder) if self.salvage => {
                let Salvaged { schemas, left_out, lock } = storage::salvaged(folder, way)?;
                (Current::salvaged(schemas, lock), left_out)
            }
            Some(folder) => {
                let (storage, schemas) = open(folder, way).map_err(with_way_out)?;
                (Current::kept(schemas, Arc::new(storage)), Vec::new())
            }
            None => (Current::default(), Vec::new()),
        };
        let engine = Engine(Arc::new(Shared {
            catalog,
            left_out,
            system: system::Cache::default(),
            pool,
            cards: Cards::of(self.devices),
            device: self.device,
            cache,
            memory,
            compact: self.compact,
            channels: Channels::default(),
            roles: self.roles,
            activity: Arc::default(),
            files: Mutex::default(),
            hashed: Hashed::default(),
            row_locks: Arc::default(),
            functions: RwLock::default(),
        }));
        engine.begin_to_keep()?;
        if !self.without_maintenance {
            engine.begin_maintenance()?;
        }
        Ok(engine)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.catalog.maintenance().end();
        if let Some(storage) = self.catalog.storage() {
            storage.close(&self.catalog.snapshot());
        }
    }
}

/// The error of a database that is damaged, with what can be done.
fn with_way_out(error: Error) -> Error {
    if error.kind() != ErrorKind::DataCorrupted || error.hint().is_some() {
        return error;
    }
    error.with_hint("Restore a backup, or open what is whole for reading: with --salvage, or EngineBuilder::salvage.")
}

/// Starts a thread of the engine's own beside its workers.
fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    let failed = |error| Error::new(ErrorKind::OutOfMemory, format!("could not start a thread: {error}"));
    started.map(drop).map_err(failed)
}

/// Opens a folder of data: what keeps it, and its state.
pub(crate) type OpenStorage<'o> = dyn Fn(&Path, &Way<'_>) -> Result<(Storage, Schemas)> + 'o;

/// The cores that this process may use.
fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The files that paths and patterns name, which a session may read.
///
/// Errors: 42501, 58P01, and what else finding them can give.
pub(crate) fn find_files(paths: &[String], work: &Work) -> Result<format::FileSet> {
    for path in paths {
        for path in format::braces(path)? {
            work.check_file(&path, FileUse::Read)?;
        }
    }
    let files = format::FileSet::named(paths)?;
    if work.access().folders.is_some() {
        // What a pattern finds may be a link that leads elsewhere.
        let found = files.iter().map(|path| path.to_string_lossy());
        let mut others = found.filter(|path| !paths.iter().any(|own| own == path));
        others.try_for_each(|path| work.check_file(&path, FileUse::Read))?;
    }
    Ok(files)
}

/// Four fifths of the memory that this process may have: what is not counted needs some, too, and a process that takes all of it
/// is killed, where a statement would only fail.
fn default_memory_limit() -> usize {
    let Ok(mut system) = System::new() else { return usize::MAX };
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let machine = system.total_memory();
    let total = system.cgroup_limits().map_or(machine, |limits| limits.total_memory.min(machine));
    // A system that does not say sets no limit.
    if total == 0 { usize::MAX } else { usize::try_from(total / 5 * 4).unwrap_or(usize::MAX) }
}

impl Engine {
    /// An engine with the default settings.
    pub fn new() -> Result<Self> {
        EngineBuilder::default().build()
    }

    /// An engine with other settings.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Starts what makes checkpoints while statements run, if data is kept.
    fn begin_to_keep(&self) -> Result<()> {
        let Some(storage) = self.0.catalog.storage() else { return Ok(()) };
        let (storage, shared) = (Arc::clone(storage), Arc::downgrade(&self.0));
        let work = move || {
            while storage.wait_for_checkpoint() {
                // The engine ends while rows are written, if it likes.
                let begin = |begin: &dyn Fn(&Current) -> Result<Begun>| Some(begin(&shared.upgrade()?.catalog));
                if !storage.checkpoint_meanwhile(begin) {
                    return;
                }
            }
        };
        start("multiloop-storage", work)
    }

    /// Makes a checkpoint of the data that is kept: the next start reads its files, and nothing of the log before it. The engine makes
    /// them itself once the log has grown; nothing where no data is kept.
    ///
    /// # Errors
    /// 53100 and 58030, and the checkpoint before is as good as it was.
    pub fn checkpoint(&self) -> Result<()> {
        let Some(storage) = self.0.catalog.storage() else { return Ok(()) };
        storage.checkpoint(&self.0.catalog, &Cancellation::default())
    }

    /// Puts the rows of all tables into memory, which are in the files of the folder of data after a start until somebody asks for them:
    /// the first queries are as quick then as all later ones.
    ///
    /// # Errors
    /// XX001 for rows that are damaged, 58030 if they cannot be read, 53200 if there is not the memory for them.
    pub fn load(&self) -> Result<()> {
        let context = Context::new(Arc::clone(&self.0.memory)).with_pool(&self.0.pool);
        let state = State::shared(self.0.catalog.snapshot());
        for (schema, name, _) in state.iter() {
            self.0.load_table(&Qualified { schema: schema.to_owned(), name: name.to_owned() }, &context)?;
        }
        Ok(())
    }

    /// Makes a checkpoint, and has all tables read from its files when they are asked for, as after a start: for tests of that.
    ///
    /// # Errors
    /// 53100 and 58030.
    #[doc(hidden)]
    pub fn unload(&self) -> Result<()> {
        let Some(storage) = self.0.catalog.storage() else { return Ok(()) };
        storage.unload(&self.0.catalog, &self.0.cache, &Cancellation::default())
    }

    /// Copies all that is committed now to a folder, which is to be empty or not there, as a database of its own, while statements go
    /// on: [`EngineBuilder::data`] opens it. Data need not be kept for that.
    ///
    /// # Errors
    /// 55000 if there is something in the folder, 53100 and 58030.
    pub fn backup(&self, folder: impl AsRef<Path>) -> Result<()> {
        storage::backup(&self.0.catalog, folder.as_ref(), &Context::new(Arc::clone(&self.0.memory)))
    }

    /// Looks at all files of the database in a folder, which nobody may have open, whether they are what was written.
    ///
    /// # Errors
    /// 55000 if a process has it open, 58P01 if there is none. What is damaged is no error of this: it is among what it gives.
    pub fn check(folder: impl AsRef<Path>) -> Result<Checked> {
        storage::check(folder.as_ref())
    }

    /// What of a damaged database could not be read when it was opened with [`EngineBuilder::salvage`], and why.
    pub fn left_out(&self) -> &[Error] {
        &self.0.left_out
    }

    /// Begins to open cards, beside whatever this process does until they are wanted; nobody waits. Else they are opened when statements
    /// have had the processors do much that a card might have done.
    pub fn begin_to_open_cards(&self) {
        if self.0.device != DeviceUse::Cpu {
            self.0.cards.begin_to_open();
        }
    }

    /// Bytes that tables and running statements hold now.
    pub fn memory_used(&self) -> usize {
        self.0.memory.used()
    }

    /// Its roles; none where anybody may do all.
    pub fn roles(&self) -> Option<&Roles> {
        self.0.roles.as_deref()
    }

    /// How many workers it has.
    pub fn threads(&self) -> usize {
        self.0.pool.threads()
    }
}

impl Shared {
    /// Puts the rows of a table into memory, if they are in files still, for all to see: queries are as quick then as they ever are.
    /// Whether it is loaded now; it is not if it is not there, or has changed meanwhile.
    ///
    /// # Errors
    /// XX001 if its rows are damaged, 58030 if they cannot be read, 53200, 57014.
    pub(crate) fn load_table(&self, name: &Qualified, context: &Context) -> Result<bool> {
        let state = State::shared(self.catalog.snapshot());
        let Ok(stored) = state.table(name) else { return Ok(false) };
        if !stored.is_unloaded() {
            return Ok(true);
        }
        let loaded = stored.loaded(&|| state.domains(), context)?.into_owned();
        Ok(self.catalog.begin_write(&context.cancellation)?.reshape(name, stored, loaded))
    }

    /// The functions that the program has registered so far.
    pub(crate) fn functions(&self) -> Functions {
        self.functions.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes them, for statements that begin from now on.
    pub(crate) fn change_functions<T>(&self, change: impl FnOnce(&mut Functions) -> Result<T>) -> Result<T> {
        let mut functions = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        // What goes is dropped without the lock: it is the program's.
        let before = functions.clone();
        let changed = change(&mut functions);
        drop(functions);
        drop(before);
        changed
    }

    /// What a session tells of itself.
    pub(crate) fn facts_of(&self, work: &Work) -> system::Facts {
        let (session, database) = work.identity();
        let (access, activity) = (work.access(), Arc::clone(&self.activity));
        let (settings, mode) = work.settings_and_mode();
        let (rights, is_superuser) = (access.acting_rights(&settings), access.is_superuser());
        let functions = self.functions();
        system::Facts {
            row_locks: Arc::clone(&self.row_locks),
            session,
            database,
            settings,
            mode,
            rights,
            is_superuser,
            roles: access.roles,
            activity,
            functions,
            reads_only: self.catalog.reads_only(),
        }
    }

    /// Runs `use_snapshot` on what a session sees now; files that it names are read in this context.
    pub(crate) fn with_snapshot<T>(
        &self,
        work: &Work,
        context: &Context,
        use_snapshot: impl FnOnce(&Snapshot<'_>) -> T,
    ) -> T {
        self.with_state(work.snapshot(&self.catalog), (work, context), use_snapshot)
    }

    /// The same on a state of the session's own.
    pub(crate) fn with_state<T>(
        &self,
        state: State,
        (work, context): (&Work, &Context),
        use_snapshot: impl FnOnce(&Snapshot<'_>) -> T,
    ) -> T {
        self.with_state_as(state, (work, None), context, use_snapshot)
    }

    /// The same where a role acts, if one is given.
    pub(crate) fn with_state_as<T>(
        &self,
        state: State,
        (work, role): (&Work, Option<&str>),
        context: &Context,
        use_snapshot: impl FnOnce(&Snapshot<'_>) -> T,
    ) -> T {
        let open = |paths: &[String], options: &FileOptions, loads: bool| {
            self.open_files(paths, options, loads, (work, context))
        };
        let times = work.times();
        let mut facts = self.facts_of(work);
        // A role that is gone is nobody.
        if let Some(role) = role
            && facts.settings.set("role", Some(&[role.to_owned()])).is_ok()
        {
            facts.rights = work.access().acting_rights(&facts.settings);
        }
        use_snapshot(&Snapshot::new(state, facts, &self.system, &open, (context, &self.row_locks), times))
    }

    /// How a session sees values now.
    pub(crate) fn sight(&self, work: &Work) -> Sight {
        let facts = self.facts_of(work);
        let zone = facts.settings.time_zone();
        let style = facts.settings.interval_style();
        Sight::new(zone, style, Arc::new(Known::new(work.snapshot(&self.catalog), facts)))
    }

    /// The type that was made under a number, as a session sees it.
    pub(crate) fn type_of_number(&self, work: &Work, number: u32) -> Option<multiloop_planner::types::DataType> {
        work.snapshot(&self.catalog).type_of_number(number)
    }

    /// The right to change what a session sees.
    pub(crate) fn begin_write<'a>(&'a self, work: &'a Work, heard: &Cancellation) -> Result<Write<'a>> {
        work.begin_write(&self.catalog, heard)
    }

    /// The table in files; None if neither the options nor the first one's ending name a format.
    fn open_files(
        &self,
        paths: &[String],
        options: &FileOptions,
        loads: bool,
        (work, context): (&Work, &Context),
    ) -> Result<Option<StoredTable>> {
        let _entered = context.cancellation.enter();
        let paths = &*paths.iter().map(|path| format::standard(path).to_owned()).collect::<Vec<_>>();
        let [first, ..] = paths else { return Ok(None) };
        let named = format::format_of(first, options)?;
        if named.is_none() && !(options.is_empty() && format::is_nameless(first)) {
            return Ok(None);
        }
        let mut files = find_files(paths, work)?;
        let identities: Vec<Option<Identity>> = files.identify()?.to_vec();
        let (format, set) = match named {
            Some(named) => named,
            None => (format::sniff(first)?, format::SetOptions::default()),
        };
        let files = files.with_options(&set)?;
        let key = (set.spelled(paths), options.unplaced());
        let found: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let found = set.spelled(&found);
        let is_same = |cached: &CachedFile| {
            let known = cached.paths.iter().zip(&cached.identities);
            known.eq(found.iter().zip(&identities)) && identities.iter().all(Option::is_some)
        };
        if let Some(cached) = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
            && is_same(cached)
        {
            return Ok(Some(cached.stored.clone()));
        }
        // As values: most files are asked once, often to make a table of them.
        let opened = format::open_readable(&files, &format, loads, (&self.cache, context))?;
        let mut stored = StoredTable::new(first, opened.table, Arc::default());
        stored.unreadable = opened.unreadable.into();
        stored.placeholders = opened.placeholders.into();
        // Who names a pipe again reads what it says then.
        if !identities.iter().flatten().all(Identity::lasts) {
            return Ok(Some(stored));
        }
        let cached = CachedFile { paths: found, identities, stored: stored.clone() };
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(key, cached);
        Ok(Some(stored))
    }

    /// Drops the rows of a file that was read by its path: who names it again reads it again.
    pub(crate) fn forget_file(&self, handle: TableHandle) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|_, cached| cached.stored.info.handle != handle);
    }

    /// Puts a loaded table under a name, in place of what was there.
    pub(crate) fn put_table(&self, work: &Work, name: &TableName, table: StoredTable, context: &Context) -> Result<()> {
        let facts = self.facts_of(work);
        // What is replaced may be a provider, the program's own: it is dropped when nothing is locked any more.
        let _before;
        let mut write = self.begin_write(work, &context.cancellation)?;
        _before = write.state.clone();
        let name = write.state.name_for(name, &facts.search_path(&write.state), false)?;
        match write.state.object(&name) {
            Some(object) => facts.check_owner(&name, object)?,
            None => facts.check_make(&write.state, &name.schema)?,
        }
        if let Some(other) = write.state.referring(&name).first() {
            let message = format!("cannot replace \"{}\" because table \"{}\" refers to it", name.name, other.name);
            return Err(Error::new(ErrorKind::DependentObjects, message));
        }
        write.state.make(&name, Entry::Table(table), &facts.owner());
        let is_shared = write.is_shared();
        write.commit()?;
        if is_shared {
            self.share_domains(&name, context);
        }
        Ok(())
    }

    /// Lets other tables store codes of a loaded table's domains where they have values of these: what refers to a table may be
    /// loaded before it. Each is encoded as it is when it is looked at, while others read and write; one that has changed by then
    /// stays as it has become. Whoever cancels this, or has not the memory for it, has loaded the table all the same.
    pub(crate) fn share_domains(&self, name: &Qualified, context: &Context) {
        let schemas = self.catalog.snapshot();
        let mut known = Domains::default();
        let named = schemas.get(&name.schema).and_then(|schema| schema.objects.get(&name.name));
        if let Some(Entry::Table(table)) = named.map(|object| &object.entry) {
            known.add(table);
        }
        if known.is_empty() {
            return;
        }
        for (schema, of) in schemas.iter() {
            for (other, object) in &of.objects {
                let other = Qualified { schema: schema.clone(), name: other.clone() };
                let Entry::Table(table) = &object.entry else { continue };
                if other == *name {
                    continue;
                }
                let Ok(Some(encoded)) = table.sharing(&other.name, &known, context) else { continue };
                let Ok(publishing) = self.catalog.begin_write(&context.cancellation) else { return };
                publishing.reshape(&other, table, encoded);
            }
        }
    }

    /// Loaded rows as a table is stored.
    pub(crate) fn stored(
        &self,
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        work: &Work,
        context: &Context,
    ) -> Result<StoredTable> {
        StoredTable::encoded(name, table, declared, work.snapshot(&self.catalog).domains(), context)
    }
}
