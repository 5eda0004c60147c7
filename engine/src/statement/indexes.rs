//! CREATE INDEX and CREATE TYPE.

use super::dropped::redeclare;
use super::unique::not_unique;
use crate::catalog::{Domains, Entry, Qualified, StoredTable};
use crate::keys;
use crate::running::Runner;
use crate::stream::{Notice, ResultStream};
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::{Table, domain};
use multiloop_planner::catalog::{Declared, Key, TableName};
use multiloop_planner::sql::NewIndex;
use multiloop_planner::types::DataType;

impl Runner<'_> {
    /// CREATE INDEX.
    pub(super) fn create_index(
        &self,
        table: &TableName,
        mut index: NewIndex,
        (is_chosen, if_not_exists): (bool, bool),
    ) -> Result<ResultStream> {
        let done = || ResultStream::done("CREATE INDEX");
        let mut write = self.session.begin_write()?;
        let found = self.found(table, &write.state)?;
        if let Some(object) = write.state.object(&found) {
            self.snapshot.facts.check_owner(&found, object)?;
            self.snapshot.facts.check_make(&write.state, &found.schema)?;
        }
        let stored = write.state.table(&found)?;
        stored.check_own()?;
        let mut declared = Declared::clone(&stored.info.declared);
        let name = match &mut index {
            NewIndex::Unique(key) => &mut key.name,
            NewIndex::Plain(index) => &mut index.name,
        };
        let taken = |name: &str| {
            let of = Qualified { schema: found.schema.clone(), name: name.to_owned() };
            write.state.has_relation(&of, None)
        };
        if is_chosen {
            *name = free_name(name, &taken);
        } else if taken(name) {
            let message = format!("relation \"{name}\" already exists");
            if if_not_exists {
                return Ok(done().with_notice(Notice::skipping("42P07", message)));
            }
            return Err(Error::new(ErrorKind::DuplicateTable, message));
        }
        match index {
            NewIndex::Unique(key) => {
                self.check_rows_unique(&found, &key, stored)?;
                declared.keys.push(key);
            }
            NewIndex::Plain(index) => declared.indexes.push(index),
        }
        let made = declared.indexes.last().map(|index| index.name.clone());
        redeclare(&mut write.state, &found, declared, |_| {})?;
        self.check_rows_of_indexes(&write.state, &found, |index| made.as_ref() == Some(&index.name))?;
        write.commit()?;
        Ok(done())
    }

    /// The error (23505) if two rows of a table have one key.
    pub(super) fn check_rows_unique(&self, name: &Qualified, key: &Key, stored: &StoredTable) -> Result<()> {
        let context = self.session.loading();
        let stored = &*stored.loaded(&Domains::default, &context)?;
        let rows = domain::decode(stored.stored(), &stored.own_domains(), &context)?;
        let empty = Table::empty(rows.fields.clone());
        let snapshot = stored.info.handle;
        let marks = stored.info.hidden.deleted;
        let change = keys::Change { snapshot, old: &empty, rows: &rows, all: &rows, shown: &rows, marks };
        let indexes = keys::KeyIndexes::new(stored.info.handle);
        indexes.check(std::slice::from_ref(key), change, &context).map_err(|error| not_unique(error, &key.name, name))
    }

    /// CREATE TYPE … AS ENUM.
    pub(super) fn create_enum(&self, name: &TableName, labels: Vec<String>) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        let name = write.state.name_for(name, &self.snapshot.path, false)?;
        self.snapshot.facts.check_make(&write.state, &name.schema)?;
        if write.state.get(&name).is_some() {
            let error = Error::new(ErrorKind::DuplicateObject, format!("type \"{}\" already exists", name.name));
            return Err(error);
        }
        let data_type = DataType::enumeration(name.name.clone(), labels);
        write.state.make(&name, Entry::Type(data_type), &self.snapshot.facts.owner());
        write.commit()?;
        Ok(ResultStream::done("CREATE TYPE"))
    }
}

/// A name, with a number if it is taken.
pub(super) fn free_name(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let numbered = (1..).map(|number| format!("{name}{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
}
