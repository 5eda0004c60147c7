//! Tables as they are stored: rows, what the planner sees of them, and the domains whose codes they have.

use super::history::{History, Step};
use super::index_rows::KnownIndexRows;
use super::unloaded::Unloaded;
use crate::format::Unreadable;
use crate::keys::KeyIndexes;
use crate::provider::Provided;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::domain::{self, Joined, Unarranged};
use multiloop_exec::column::{CHUNK_ROWS, Table};
use multiloop_exec::workers::context::Context;
use multiloop_planner::catalog::{
    ColumnStatistics, Declared, Domain, Hidden, Key, Proofs, TableHandle, TableInfo, TableStatistics,
};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that may be inserted beside others in one statement.
const MEETING_MAX: u64 = 1 << 40;

/// Tables of fewer rows are in some order by chance.
const ROWS_IN_ORDER: u64 = CHUNK_ROWS as u64;

/// About how many there are.
const MEETING_LIKELY: u64 = 1000;

/// A snapshot of a table and what the planner sees of it.
#[derive(Clone, Debug)]
pub(crate) struct StoredTable {
    table: Arc<Table>,
    pub(crate) info: Arc<TableInfo>,
    /// For each column the domain whose codes it stores, if it does; empty if none does.
    domains: Vec<Option<Arc<StoredDomain>>>,
    /// Its rows by their keys.
    pub(crate) keys: Arc<KeyIndexes>,
    /// What its UNIQUE indexes that are no keys are over.
    pub(super) index_rows: KnownIndexRows,
    /// Which rows have changed of late.
    pub(crate) history: History,
    /// Columns in whose order the rows are, or were in the last snapshot in which they were in the order of some; of tables of many
    /// rows.
    pub(crate) ordered_by: Arc<[usize]>,
    /// Columns of a file that cannot be read.
    pub(crate) unreadable: Arc<[Unreadable]>,
    /// Columns of a file in which words stand for missing values.
    pub(crate) placeholders: Arc<[String]>,
    /// What its rows come from, if they are not the engine's own: `table` has none then.
    provided: Option<Provided>,
    /// Where its rows are not in memory yet.
    pub(super) unloaded: Option<Arc<Unloaded>>,
    /// Why its rows cannot be had, of a damaged database.
    pub(crate) broken: Option<Arc<Error>>,
}

/// What has come of arranging a table's rows.
#[derive(Debug)]
pub(crate) enum Arranged {
    /// They are so already, and none is deleted.
    Already,
    /// More rows would have to move than are to.
    TooFar,
    /// The next snapshot.
    Anew(Box<StoredTable>),
}

/// A domain, which tables share.
#[derive(Debug)]
struct StoredDomain {
    domain: domain::Domain,
    info: Arc<TableInfo>,
}

/// Domains of tables, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Domains {
    all: Vec<Arc<StoredDomain>>,
}

impl Domains {
    fn domains(&self) -> Vec<domain::Domain> {
        self.all.iter().map(|stored| stored.domain.clone()).collect()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds those of a table.
    pub(crate) fn add(&mut self, table: &StoredTable) {
        for domain in table.domains.iter().flatten() {
            if !self.all.iter().any(|known| Arc::ptr_eq(known, domain)) {
                self.all.push(Arc::clone(domain));
            }
        }
    }
}

impl StoredDomain {
    fn new(name: &str, domain: domain::Domain) -> Arc<Self> {
        let info =
            Arc::new(info(format!("{name} values"), &domain.table, Vec::new(), Arc::default(), Hidden::default()));
        Arc::new(StoredDomain { domain, info })
    }
}

/// What the planner sees of a table, under a handle of its own: plans for another snapshot never match it by accident.
fn info(
    name: String,
    table: &Table,
    domains: Vec<Option<Domain>>,
    declared: Arc<Declared>,
    hidden: Hidden,
) -> TableInfo {
    let own = table.fields.len() - hidden.count();
    TableInfo {
        name,
        fields: table.fields[..own].to_vec(),
        statistics: Arc::clone(&table.statistics),
        handle: next_handle(),
        domains,
        declared,
        hidden,
    }
}

/// Columns in whose order the rows are, as far as that is proven.
fn ordered_by(table: &Table, info: &TableInfo) -> Arc<[usize]> {
    let statistics = &table.statistics;
    if statistics.rows < ROWS_IN_ORDER {
        return Arc::default();
    }
    let is_ordered = |column: &usize| {
        let proofs = &statistics.columns[*column].proofs;
        proofs.sorted && proofs.min.is_some() && proofs.min != proofs.max
    };
    (0..info.fields.len()).filter(is_ordered).collect()
}

fn next_handle() -> TableHandle {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    TableHandle(NEXT.fetch_add(1, Ordering::Relaxed))
}

impl StoredTable {
    /// A new snapshot, stored as it is.
    pub(crate) fn new(name: &str, table: Table, declared: Arc<Declared>) -> Self {
        StoredTable::with_domains(name, table, declared, Hidden::default(), Vec::new(), Domains::default())
    }

    /// The next snapshot, whose first rows have the numbers that they have here, without domains, after a step in which rows changed.
    pub(crate) fn replaced(&self, table: Table, step: Option<Step>) -> Self {
        let (name, declared) = (&self.info.name, Arc::clone(&self.info.declared));
        let next = StoredTable::with_domains(name, table, declared, self.info.hidden, Vec::new(), Domains::default());
        StoredTable { history: self.history_with(step), ..next }.following(self)
    }

    fn history_with(&self, step: Option<Step>) -> History {
        step.map_or_else(|| self.history.clone(), |step| self.history.followed_by(step))
    }

    /// A table whose rows a provider gives.
    pub(crate) fn of_provider(name: &str, provided: Provided) -> Self {
        let stored = StoredTable::new(name, provided.table(), provided.declared());
        StoredTable { provided: Some(provided), ..stored }
    }

    /// What its rows come from, if they are not the engine's own.
    pub(crate) fn provided(&self) -> Option<&Provided> {
        self.provided.as_ref()
    }

    /// An error (42809) if its rows are not the engine's own, and so not to be changed.
    pub(crate) fn check_own(&self) -> Result<()> {
        if self.provided.is_none() {
            return Ok(());
        }
        let message = format!("cannot change table \"{}\"", self.info.name);
        Err(Error::new(ErrorKind::WrongObjectType, message).with_detail("Its rows come from a table provider."))
    }

    /// What the planner sees of it now.
    pub(crate) fn seen(&self) -> Arc<TableInfo> {
        match &self.provided {
            Some(provided) => provided.seen(&self.info, next_handle),
            None => Arc::clone(&self.info),
        }
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
        Ok(StoredTable::with_domains(name, table, declared, Hidden::default(), found, known))
    }

    /// The same rows with codes of more domains, if they have values of those.
    pub(crate) fn sharing(&self, name: &str, known: &Domains, context: &Context) -> Result<Option<Self>> {
        if self.provided.is_some() || self.is_unloaded() {
            return Ok(None);
        }
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
        let hidden = self.info.hidden;
        let shared =
            (count(&found) > count(&has)).then(|| StoredTable::with_domains(name, table, declared, hidden, found, all));
        Ok(shared.map(|shared| StoredTable { history: self.history.clone(), ..shared }.following(self)))
    }

    /// The same rows with codes in the place of a column that queries hash, and perhaps join `with` a column of another table, whose
    /// domain it shares, if that has one. The domains of all tables are `known`. None if that gains nothing.
    pub(crate) fn coded(
        &self,
        (name, column): (&str, usize),
        with: Option<(&StoredTable, usize)>,
        known: Domains,
        context: &Context,
    ) -> Result<Option<Self>> {
        if self.provided.is_some() || self.is_unloaded() || with.is_some_and(|(with, _)| with.is_unloaded()) {
            return Ok(None);
        }
        let joined = match with {
            None => Joined::Alone,
            Some((with, key)) => {
                let domain = with.domains.get(key).and_then(Option::as_ref);
                domain.map_or(Joined::With(&with.table, key), |stored| Joined::By(&stored.domain))
            }
        };
        let (own, all) = (self.own_domains(), known.domains());
        let coded = domain::encode_hashed(Table::clone(&self.table), (column, &own), (joined, &all), context)?;
        let declared = Arc::clone(&self.info.declared);
        let hidden = self.info.hidden;
        Ok(coded.map(|(table, found)| {
            let coded = StoredTable::with_domains(name, table, declared, hidden, found, known);
            StoredTable { history: self.history.clone(), ..coded }.following(self)
        }))
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
        let hidden = self.info.hidden;
        let next = StoredTable::with_domains(name, table, declared, hidden, domains, known);
        let keys = self.keys.followed(next.info.handle, self.info.handle);
        StoredTable { keys, history: self.history.clone(), ..next }.following(self)
    }

    /// The next snapshot: one in which rows have changed, with these hidden columns, in a step of this one's line; without a step
    /// rows have other numbers. `keeps_keys` says that each row has the number and the keys that it had.
    pub(crate) fn changed(
        &self,
        (table, hidden): (Table, Hidden),
        (domains, known): (Vec<Option<domain::Domain>>, Domains),
        step: Option<Step>,
        keeps_keys: bool,
    ) -> Self {
        let (name, declared) = (&self.info.name, Arc::clone(&self.info.declared));
        let hidden = if step.is_some() { hidden } else { Hidden { epoch: hidden.epoch.wrapping_add(1), ..hidden } };
        let next = StoredTable::with_domains(name, table, declared, hidden, domains, known);
        let history = if step.is_some() { self.history_with(step) } else { History::new() };
        let next = StoredTable { history, ..next }.following(self);
        if !keeps_keys {
            return next;
        }
        let keys = self.keys.followed(next.info.handle, self.info.handle);
        StoredTable { keys, ..next }
    }

    /// The next snapshot: one of the rows that are not deleted, in the order of some columns, or in their own if these are none, and
    /// with other numbers; if at most `most` rows would have to move.
    ///
    /// # Errors
    /// 53200, and 57014 if it is cancelled.
    pub(crate) fn arranged(&self, by: &[usize], most: usize, known: Domains, context: &Context) -> Result<Arranged> {
        if self.is_unloaded() {
            return self.loaded(&|| known.clone(), context)?.arranged(by, most, known, context);
        }
        let domains = self.own_domains();
        let unarranged = Unarranged { table: &self.table, domains: &domains, marks: self.info.hidden.deleted };
        let Some(moves) = unarranged.moves(by, most, context)? else { return Ok(Arranged::TooFar) };
        if moves.count() == 0 && self.info.hidden.deleted.is_none() {
            return Ok(Arranged::Already);
        }
        let (name, declared) = (&self.info.name, Arc::clone(&self.info.declared));
        let table = unarranged.arranged(&moves, context)?;
        drop(moves);
        let next = StoredTable::encoded(name, table, declared, known, context)?;
        let hidden = Hidden { epoch: self.info.hidden.epoch.wrapping_add(1), ..next.info.hidden };
        let info = TableInfo { hidden, ..TableInfo::clone(&next.info) };
        let next = StoredTable { info: Arc::new(info), history: self.history.arranged(by), ..next };
        Ok(Arranged::Anew(Box::new(next.following(self))))
    }

    /// The same snapshot, for one query, without some rows, which keep their numbers; none are all.
    pub(crate) fn without_rows(&self, rows: Option<&[usize]>, context: &Context) -> Result<Self> {
        let count = self.table.rows();
        let all: Vec<usize> = if rows.is_none() { (0..count).collect() } else { Vec::new() };
        let rows: Vec<usize> = rows.unwrap_or(&all).iter().copied().filter(|&row| row < count).collect();
        if rows.is_empty() {
            return Ok(self.clone());
        }
        let (table, marks) = match self.info.hidden.deleted {
            Some(marks) => (self.table.marked(&rows, marks, context)?, marks),
            None => (self.table.with_marks().marked(&rows, self.table.fields.len(), context)?, self.table.fields.len()),
        };
        let mut info = TableInfo::clone(&self.info);
        (info.statistics, info.handle) = (Arc::clone(&table.statistics), next_handle());
        info.hidden = Hidden { deleted: Some(marks), ..self.info.hidden };
        Ok(StoredTable { table: Arc::new(table), info: Arc::new(info), ..self.clone() })
    }

    /// The same snapshot with the numbers of its rows, under a handle of its own: for a statement that changes rows.
    pub(crate) fn numbered(&self) -> Self {
        let table = self.table.numbered();
        let hidden = Hidden { number: Some(table.fields.len() - 1), ..self.info.hidden };
        let info = TableInfo {
            statistics: Arc::clone(&table.statistics),
            handle: next_handle(),
            hidden,
            ..TableInfo::clone(&self.info)
        };
        StoredTable { table: Arc::new(table), info: Arc::new(info), ..self.clone() }
    }

    /// What the planner sees of rows that are to be inserted beside rows of this table: these, those, and the numbers of these. Of
    /// its rows, of which it has none yet, nothing is proven.
    pub(crate) fn meeting(&self) -> Self {
        let own = self.info.declared.fields(&self.info.fields);
        let mut fields: Vec<Field> =
            own.iter().chain(&own).map(|field| Field { nullable: true, ..field.clone() }).collect();
        fields.push(Field::new("row number", DataType::BigInt, false));
        StoredTable::awaited(&self.info.name, fields)
    }

    /// What the planner sees of rows that are not there yet, of which nothing is proven.
    pub(crate) fn awaited(name: &str, fields: Vec<Field>) -> Self {
        let unknown = |field: &Field| {
            let proofs = Proofs { nulls: field.nullable.into(), ..Proofs::default() };
            ColumnStatistics { proofs, ..ColumnStatistics::default() }
        };
        let columns = fields.iter().map(unknown).collect();
        let statistics = TableStatistics { rows: MEETING_MAX, columns, about_rows: Some(MEETING_LIKELY) };
        let table = Table { statistics: Arc::new(statistics), ..Table::empty(fields) };
        StoredTable::new(name, table, Arc::default())
    }

    /// The same with rows, of which more is known then: whoever asked has a plan for any.
    pub(crate) fn with_rows(&self, rows: Table) -> Self {
        StoredTable { table: Arc::new(rows), ..self.clone() }
    }

    /// How many rows there are that are not deleted.
    pub(crate) fn rows(&self) -> u64 {
        let marked = || self.info.hidden.deleted.map_or(0, |marks| self.table.marked_rows(marks));
        let deleted = self.unloaded_gone().map_or_else(marked, |gone| gone.len() as u64);
        self.info.statistics.rows - deleted
    }

    pub(super) fn with_domains(
        name: &str,
        table: Table,
        declared: Arc<Declared>,
        hidden: Hidden,
        found: Vec<Option<domain::Domain>>,
        known: Domains,
    ) -> Self {
        let mut stored = known.all;
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
        let info = info(name.to_owned(), &table, domains.iter().map(seen).collect(), declared, hidden);
        let keys = KeyIndexes::new(info.handle);
        let ordered_by = ordered_by(&table, &info);
        StoredTable {
            table: Arc::new(table),
            info: Arc::new(info),
            domains,
            keys,
            index_rows: KnownIndexRows::default(),
            history: History::new(),
            ordered_by,
            unreadable: Arc::default(),
            placeholders: Arc::default(),
            provided: None,
            unloaded: None,
            broken: None,
        }
    }

    /// As the next snapshot of one: where its rows are in no order, they were in that one's.
    fn following(self, before: &StoredTable) -> Self {
        match self.ordered_by.is_empty() {
            true => StoredTable { ordered_by: Arc::clone(&before.ordered_by), ..self },
            false => self,
        }
    }

    /// The next snapshot: one of other columns, in which rows may have other numbers.
    pub(crate) fn reshaped(
        &self,
        (table, hidden): (Table, Hidden),
        (domains, known): (Vec<Option<domain::Domain>>, Domains),
        declared: Declared,
    ) -> Self {
        StoredTable::with_domains(&self.info.name, table, Arc::new(declared), hidden, domains, known)
    }

    /// The same rows, of which some columns have been measured anew.
    pub(crate) fn measured(&self, columns: &[usize], context: &Context) -> Result<Self> {
        let table = Table::clone(&self.table).analyzed(columns, context)?;
        let mut info = TableInfo::clone(&self.info);
        (info.statistics, info.handle) = (Arc::clone(&table.statistics), next_handle());
        let keys = self.keys.followed(info.handle, self.info.handle);
        Ok(StoredTable { table: Arc::new(table), info: Arc::new(info), keys, ..self.clone() })
    }

    /// The same rows, of which some columns may have NULLs, or may not.
    pub(crate) fn with_nullable(self, columns: &[usize], nullable: bool) -> Self {
        if columns.is_empty() {
            return self;
        }
        let (mut table, mut info) = (self.table, TableInfo::clone(&self.info));
        let of = Arc::make_mut(&mut table);
        for &column in columns {
            of.fields[column].nullable = nullable;
            info.fields[column].nullable = nullable;
        }
        info.handle = next_handle();
        let keys = self.keys.followed(info.handle, self.info.handle);
        StoredTable { table, info: Arc::new(info), keys, ..self }
    }

    /// The same rows under another name, with other names of columns, declared otherwise. Keys keep their indexes where those that
    /// there were are the first ones still.
    pub(crate) fn redeclared(&self, name: &str, names: Option<&[String]>, declared: Declared) -> Self {
        let mut info = TableInfo::clone(&self.info);
        let mut table = Arc::clone(&self.table);
        if let Some(names) = names {
            let of = Arc::make_mut(&mut table);
            for fields in [&mut of.fields, &mut info.fields] {
                fields.iter_mut().zip(names).for_each(|(field, name)| field.name.clone_from(name));
            }
        }
        let columns = |keys: &[Key]| keys.iter().map(|key| (key.columns.clone(), key.nulls_equal)).collect::<Vec<_>>();
        let follows = columns(&declared.keys).starts_with(&columns(&self.info.declared.keys));
        let index_rows = self.index_rows.declared(&self.info.declared, &declared);
        info.name = name.to_owned();
        info.handle = next_handle();
        info.declared = Arc::new(declared);
        let keys = match follows {
            true => self.keys.followed(info.handle, self.info.handle),
            false => KeyIndexes::new(info.handle),
        };
        StoredTable { table, info: Arc::new(info), keys, index_rows, ..self.clone() }
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

    /// What programs may scan under this handle: the table, or one of its domains.
    pub(crate) fn scanned(&self, handle: TableHandle) -> Option<Arc<Table>> {
        let is_seen = || self.provided.as_ref().is_some_and(|provided| provided.is_seen(handle));
        if self.info.handle == handle || is_seen() {
            return Some(Arc::clone(&self.table));
        }
        let domain = self.domains.iter().flatten().find(|stored| stored.info.handle == handle);
        domain.map(|stored| Arc::clone(&stored.domain.table))
    }
}
