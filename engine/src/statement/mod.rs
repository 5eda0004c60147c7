//! What every kind of statement does.

mod altered;
mod called;
mod change;
mod comment;
mod constraints;
mod deferred;
mod dropped;
mod granted;
mod indexes;
mod kept;
mod locking;
mod maintained;
mod materialized;
mod renamed;
mod routine;
mod run;
mod sequence;
mod unique;
mod view;

use crate::access::FileUse;
use crate::catalog::{Entry, PUBLIC, Qualified, Schema, State, StoredTable, TEMPORARY};
use crate::engine::find_files;
use crate::format::{Format, Writing};
use crate::plan::{Executable, Planned, Timings, timed};
use crate::running::{Backend, Runner, Running};
use crate::stream::{Notice, ResultStream};
use crate::system::{INFORMATION, PG_CATALOG};
use crate::transaction::{Write, conflict};
use crate::{Error, ErrorKind, Result, format, keys, summary};
use kept::PlannedKind;
pub(crate) use kept::{Keeper, PlannedChange, run_short};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::{Column, Table};
use multiloop_planner::catalog::{Declared, FileOptions, Right, TableInfo, TableName, is_key};
use multiloop_planner::error::Subject;
use multiloop_planner::relation::Query;
use multiloop_planner::sql::{self, ColumnSequence, Definition, Statement};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
pub(crate) use run::{Bind, run, run_kept};
use std::path::Path;
use std::sync::Arc;

/// Schemas that are the system's.
const SYSTEM: [&str; 2] = [PG_CATALOG, INFORMATION];

/// Rows that a table got.
struct Inserted {
    /// As values.
    rows: Table,
    /// Whether the table had none.
    is_load: bool,
}

/// What becomes rows of a table.
enum Source {
    /// A file, compact as it was read, and nobody else's.
    File(Table),
    /// What a query gives.
    Result(ResultStream),
}

impl Source {
    fn fields(&self) -> &[Field] {
        match self {
            Source::File(table) => &table.fields,
            Source::Result(rows) => rows.fields(),
        }
    }
}

impl Runner<'_> {
    /// Runs a change that has been planned.
    fn run_change(
        &self,
        change: &PlannedChange,
        write: Option<Write<'_>>,
        timings: Timings,
    ) -> Result<Option<ResultStream>> {
        let executable = &change.planned.executable;
        if !self.session.is_alone && self.session.options.backend == Backend::Cpu {
            executable.plan(self.session.hardware())?;
            if Running::is_for_one(executable) {
                let alone = Runner { session: &self.session.alone(), ..*self };
                return alone.run_change(change, write, timings);
            }
        }
        match &change.kind {
            PlannedKind::Change(of) => self.change(of, &change.planned, write, timings),
            PlannedKind::Insert(name, columns) => {
                let source = || self.run(&change.planned, timings).map(Source::Result);
                self.insert_rows((name, columns), source, write)
            }
        }
    }

    fn query(&self, query: Query, mut timings: Timings) -> Result<ResultStream> {
        let planned = self.planned(query, &mut timings)?;
        self.run(&planned, timings)
    }

    fn planned(&self, query: Query, timings: &mut Timings) -> Result<Planned> {
        self.check_parameters(&query)?;
        timed(&mut timings.plan, || self.session.plan(query, self.snapshot, &self.session.context()))
    }

    fn run(&self, planned: &Planned, mut timings: Timings) -> Result<ResultStream> {
        let context = self.session.context();
        let run = |executable: &Executable| self.session.execute(executable, self.snapshot, self.parameters, &context);
        let result = timed(&mut timings.execute, || planned.run(&context, run))?;
        self.session.change_settings(self.snapshot)?;
        Ok(result.with_timings(timings))
    }

    /// Where the rows of a query come from that become rows of a table.
    fn source(&self, query: Query) -> Result<Source> {
        if let Some((handle, columns)) = query.whole_table()
            && let Some(file) = self.snapshot.take_file(handle)
        {
            self.check_parameters(&query)?;
            let file = file.into_table();
            let file = if file.is_lazy() {
                file.load(file.fields.clone(), &self.session.loading())?
            } else {
                // Nobody needs it twice: it is a table from now on.
                self.session.engine.0.forget_file(handle);
                file
            };
            let mut table = file.rearranged(&columns);
            for (field, (name, _)) in table.fields.iter_mut().zip(query.output) {
                field.name = name;
            }
            return Ok(Source::File(table));
        }
        self.query(query, Timings::default()).map(Source::Result)
    }

    /// A compact table of a query's rows.
    fn build(&self, fields: Vec<Field>, source: Source) -> Result<Table> {
        match source {
            Source::File(table) => table.with_fields(fields),
            Source::Result(rows) => {
                let mut builder = TableBuilder::new(fields, Storage::Compact, &self.session.loading());
                for batch in rows {
                    builder.push(batch?)?;
                }
                builder.finish()
            }
        }
    }

    fn table_of(&self, query: Query) -> Result<(Table, Declared)> {
        let computed = query.computed_numerics();
        let source = self.source(query)?;
        let fields: Vec<Field> =
            source.fields().iter().map(|field| Field { nullable: true, ..field.clone() }).collect();
        let declared = Declared { numerics: numerics_of(&fields, &computed), ..Declared::default() };
        Ok((self.build(fields, source)?, declared))
    }

    /// Makes a table or a view of either kind.
    fn make(&self, statement: Statement) -> Result<ResultStream> {
        match statement {
            Statement::CreateTable { name, temporary, fields, declared, sequences, if_not_exists, or_replace } => {
                let numerics = numerics_of(&fields, &[]);
                let empty = || Ok((Table::empty(fields), Declared { numerics, ..declared }));
                let new = New { name: &name, temporary, if_not_exists, or_replace, tag: "CREATE TABLE" };
                self.create_with(&new, (&[], &sequences), empty)
            }
            Statement::CreateTableAs { name, temporary, query, on_commit, if_not_exists, or_replace } => {
                let mut rows = 0;
                let filled = || {
                    let (table, declared) = self.table_of(query)?;
                    rows = table.rows();
                    Ok((table, Declared { on_commit, ..declared }))
                };
                let new = New { name: &name, temporary, if_not_exists, or_replace, tag: "CREATE TABLE AS" };
                let done = self.create(&new, &[], filled)?;
                Ok(if done.notices().is_empty() { ResultStream::done(format!("SELECT {rows}")) } else { done })
            }
            Statement::CreateView { name, temporary, view, fields, needs, or_replace } => {
                let new = New { name: &name, temporary, if_not_exists: false, or_replace, tag: "CREATE VIEW" };
                self.create_view(&new, (view, needs), fields)
            }
            Statement::CreateMaterialized { name, view, query, needs, is_filled, if_not_exists } => {
                let tag = "CREATE MATERIALIZED VIEW";
                let new = New { name: &name, temporary: false, if_not_exists, or_replace: false, tag };
                let (view, needs) = self.view_meant(view, needs);
                self.create_materialized(&new, (view, &needs), query, is_filled)
            }
            _ => Err(Error::internal("something else than a relation was to be made")),
        }
    }

    /// Makes a table, of rows that `make` gives; `needs` are what its query names.
    fn create(
        &self,
        new: &New<'_>,
        needs: &[Qualified],
        make: impl FnOnce() -> Result<(Table, Declared)>,
    ) -> Result<ResultStream> {
        self.create_with(new, (needs, &[]), make)
    }

    /// The same, with sequences of its columns.
    fn create_with(
        &self,
        new: &New<'_>,
        (needs, sequences): (&[Qualified], &[ColumnSequence]),
        make: impl FnOnce() -> Result<(Table, Declared)>,
    ) -> Result<ResultStream> {
        let name = self.name_for(new, &self.snapshot.state)?;
        let exists = |state: &State| state.has_relation(&name, None);
        let replaces = |state: &State| new.or_replace && matches!(state.get(&name), Some(Entry::Table(_)));
        self.snapshot.facts.check_make(&self.snapshot.state, &name.schema)?;
        if exists(&self.snapshot.state) && !replaces(&self.snapshot.state) {
            return new.already_exists();
        }
        let (table, mut declared) = make()?;
        self.refer(new, &name, &mut declared)?;
        let context = self.session.loading();
        let table = table.narrowed(&declared.numerics, &context)?;
        let mut write = self.session.begin_write()?;
        if exists(&write.state) && !replaces(&write.state) {
            return new.already_exists();
        }
        if let Some(object) = write.state.object(&name) {
            self.snapshot.facts.check_owner(&name, object)?;
        }
        if let Some(other) = write.state.referring(&name).first() {
            let message = format!("cannot replace \"{}\" because table \"{}\" refers to it", name.name, other.name);
            return Err(Error::new(ErrorKind::DependentObjects, message));
        }
        // The schema may be gone by now, or another's, and so may what is named.
        self.name_for(new, &write.state)?;
        self.snapshot.facts.check_make(&write.state, &name.schema)?;
        let referred = declared.references.iter().filter_map(|of| Qualified::of(&of.table)).filter(|to| *to != name);
        for need in needs.iter().cloned().chain(referred) {
            if write.state.get(&need).is_none() {
                let message = format!("relation \"{}\" does not exist", need.name);
                return Err(Error::new(ErrorKind::UnknownTable, message));
            }
        }
        sequence::drop_owned(&mut write.state, &name)?;
        let made = self.make_sequences(&mut write.state, &name, (&table.fields, sequences), &mut declared)?;
        name_indexes(&write.state, &name, &mut declared)?;
        let domains = write.state.domains();
        let table = StoredTable::encoded(&name.name, table, Arc::new(declared), domains, &context)?;
        write.state.make(&name, Entry::Table(table), &self.snapshot.facts.owner());
        sequence::own_sequences(&mut write.state, &name, made);
        let is_shared = write.is_shared();
        write.commit()?;
        if is_shared {
            self.session.engine.0.share_domains(&name, &context);
        }
        Ok(ResultStream::done(new.tag))
    }

    /// Lets references name the tables that they mean, and expressions their types.
    fn refer(&self, new: &New<'_>, name: &Qualified, declared: &mut Declared) -> Result<()> {
        for reference in &mut declared.references {
            let to = if reference.table == *new.name {
                name.clone()
            } else {
                let found = self.snapshot.find(&reference.table).map(|(found, _)| found);
                found.ok_or_else(|| {
                    let message = format!("relation \"{}\" does not exist", reference.table.plain());
                    Error::new(ErrorKind::UnknownTable, message)
                })?
            };
            if (to.schema == TEMPORARY) != (name.schema == TEMPORARY) {
                let which = if name.schema == TEMPORARY { "temporary" } else { "permanent" };
                let message = format!("constraints on {which} tables may reference only {which} tables");
                return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
            }
            reference.table = to.to_name();
        }
        for name in &mut declared.names {
            let found = match is_key(&name.now.name) {
                true => self.snapshot.find_routine(&name.now),
                false => self.snapshot.find_type(&name.now).map(|(found, _)| found),
            };
            if let Some(found) = found {
                (name.now, name.then) = (found.to_name(), found.to_name());
            }
        }
        Ok(())
    }

    fn define(&self, definition: Definition, wide: bool) -> Result<ResultStream> {
        match definition {
            Definition::Comment { on, text } => self.comment(&on, text.as_deref()),
            Definition::Rename { kind, name, part, to, if_exists } => self.rename((kind, &name), &part, &to, if_exists),
            Definition::SetSchema { kind, name, schema, if_exists } => {
                self.set_schema((kind, &name), &schema, if_exists)
            }
            Definition::Refresh { name, is_filled } => self.refresh(&name, is_filled, wide),
            Definition::CreateIndex { table, index, is_chosen, if_not_exists } => {
                self.create_index(&table, index, (is_chosen, if_not_exists))
            }
            Definition::CreateEnum { name, labels } => self.create_enum(&name, labels),
            Definition::CreateSequence { name, temporary, options, if_not_exists } => {
                self.create_sequence(&name, (temporary, if_not_exists), &options)
            }
            Definition::AlterSequence { name, change, if_exists } => self.alter_sequence(&name, &change, if_exists),
            Definition::Truncate { names, restart, cascade } => self.truncate(&names, restart, cascade),
            Definition::Grant(grant) => self.grant(&grant),
            Definition::Maintain(what) => self.maintain(&what),
            Definition::Lock(lock) => self.lock_tables(&lock),
            Definition::SetConstraints { names, deferred } => self.set_constraints(names.as_deref(), deferred),
            Definition::DropRoutines { names, kind, if_exists, cascade } => {
                self.drop_routines((&names, kind), if_exists, cascade)
            }
            Definition::AlterRoutine { name, change } => self.alter_routine(&name, &change),
            Definition::CreateMaterialized { .. } | Definition::Alter(_) | Definition::CreateRoutine(_) => {
                Err(Error::internal("a definition was left unbound"))
            }
        }
    }

    fn name_for(&self, new: &New<'_>, state: &State) -> Result<Qualified> {
        state.name_for(new.name, &self.snapshot.path, new.temporary)
    }

    /// The name of what there is; as it is written, in the schema that things are made in, if there is no such thing.
    ///
    /// # Errors
    /// 42501 for a schema that whoever acts may not use.
    fn found(&self, name: &TableName, state: &State) -> Result<Qualified> {
        if let Some(schema) = &name.schema {
            self.snapshot.facts.check_schema(state, Right::Usage, schema)?;
        }
        let path = &self.snapshot.path;
        let found = state.resolve(name, path).map(|(name, _)| name);
        Ok(found.unwrap_or_else(|| Qualified {
            schema: name.schema.clone().unwrap_or_else(|| PUBLIC.to_owned()),
            name: name.name.clone(),
        }))
    }

    fn create_schema(&self, name: &str, owner: Option<&str>, if_not_exists: bool) -> Result<ResultStream> {
        let mut write = self.session.begin_write()?;
        self.snapshot.facts.check_make_schema()?;
        let owner = match owner {
            Some(owner) => self.role(owner)?,
            None => self.snapshot.facts.owner(),
        };
        if write.state.schema(name).is_some() || SYSTEM.contains(&name) {
            let message = format!("schema \"{name}\" already exists");
            return if if_not_exists {
                Ok(ResultStream::done("CREATE SCHEMA").with_notice(Notice::skipping("42P06", message)))
            } else {
                Err(Error::new(ErrorKind::DuplicateSchema, message))
            };
        }
        if name.starts_with("pg_") {
            let error = Error::new(ErrorKind::InvalidName, format!("unacceptable schema name \"{name}\""));
            return Err(error.with_detail("The prefix \"pg_\" is reserved for system schemas."));
        }
        Arc::make_mut(&mut write.state.schemas).insert(name.to_owned(), Schema::new(owner));
        write.commit()?;
        Ok(ResultStream::done("CREATE SCHEMA"))
    }

    /// INSERT of nothing but rows. None if somebody has given the table other columns: it is to be bound anew.
    fn insert_rows(
        &self,
        (name, columns): (&TableName, &[usize]),
        source: impl FnOnce() -> Result<Source>,
        write: Option<Write<'_>>,
    ) -> Result<Option<ResultStream>> {
        // It asks for the right to write itself.
        let is_last = write.is_some();
        drop(write);
        let source = source()?;
        let rows = self.append(name, |info| {
            let all = info.declared.fields(&info.fields);
            if columns.is_empty() {
                return self.build(all, source);
            }
            let chosen = columns.iter().map(|&column| Field { nullable: true, ..all[column].clone() }).collect();
            self.placed(self.build(chosen, source)?, columns, info)
        });
        match rows {
            Err(error) if error.kind() == ErrorKind::Serialization && !is_last => Ok(None),
            rows => Ok(Some(ResultStream::done(format!("INSERT 0 {}", rows?)))),
        }
    }

    /// Appends rows to a table: they are made while nobody else may write, for the table as it is then.
    /// Gives the number of rows.
    pub(crate) fn append(&self, name: &TableName, rows: impl FnOnce(&TableInfo) -> Result<Table>) -> Result<usize> {
        let found = self.found(name, &self.snapshot.state)?;
        if !self.inserts_into(&found) {
            if !self.session.waits {
                return Err(conflict(&format!("{}.{}", found.schema, found.name)));
            }
            self.wait_to_insert(&found)?;
        }
        let mut write = self.session.begin_write()?;
        let qualified = self.found(name, &write.state)?;
        if !self.has_seen_columns(&qualified, &write.state) {
            return Err(conflict(&format!("{}.{}", qualified.schema, qualified.name)));
        }
        let appended = self.append_to(&mut write.state, &qualified, rows)?;
        self.check_appended(&qualified, &appended, &write.state)?;
        self.publish(write, &qualified, appended.is_load)?;
        Ok(appended.rows.rows())
    }

    /// Whether a table has the columns that the statement was bound with.
    fn has_seen_columns(&self, name: &Qualified, state: &State) -> bool {
        match (self.snapshot.state.get(name), state.get(name)) {
            (Some(seen @ Entry::Table(_)), Some(now @ Entry::Table(_))) => seen.has_columns_of(now),
            _ => true,
        }
    }

    /// Makes a change visible.
    fn publish(&self, write: Write<'_>, name: &Qualified, is_load: bool) -> Result<()> {
        let is_shared = write.is_shared();
        write.commit()?;
        if is_load && is_shared {
            self.session.engine.0.share_domains(name, &self.session.loading());
        }
        Ok(())
    }

    /// The references of appended rows are checked when all is there that they may refer to.
    fn check_appended(&self, name: &Qualified, appended: &Inserted, state: &State) -> Result<()> {
        let declared = &state.table(name)?.info.declared;
        let told = |error: Error| error.in_table(&name.schema, &name.name);
        self.check_references(name, declared, &appended.rows, state).map_err(told)
    }

    /// Appends rows to a table of a state.
    fn append_to(
        &self,
        state: &mut State,
        qualified: &Qualified,
        rows: impl FnOnce(&TableInfo) -> Result<Table>,
    ) -> Result<Inserted> {
        let context = self.session.loading();
        let name = qualified.name.as_str();
        self.check_own(state.table(qualified)?)?;
        let stored = state.table(qualified)?.loaded(&|| state.domains(), &context)?.into_owned();
        let declared = Arc::clone(&stored.info.declared);
        let told = |error: Error| error.in_table(&qualified.schema, name);
        let rows = rows(&stored.info).map_err(|error| told(of_relation(error, name)))?;
        check_not_null(name, &stored.stored().fields, &rows).map_err(told)?;
        self.check_conditions(name, &declared, &rows, state).map_err(told)?;
        let given = rows.clone();
        let check = |change: keys::Change<'_>| stored.keys.check(&declared.keys, change, &context).map_err(told);
        let (mut next, is_load) = stored.with_rows_behind(rows, state.domains(), &check, &context)?;
        if let Some(rows) = self.check_indexes(&stored, &given, state).map_err(told)? {
            next = next.with_index_rows(rows, stored.info.handle);
        }
        state.insert(qualified, Entry::Table(next));
        Ok(Inserted { rows: given, is_load })
    }

    /// An error (42809) for a table whose rows statements do not change.
    fn check_own(&self, stored: &StoredTable) -> Result<()> {
        stored.check_own()?;
        if stored.info.declared.materialized.is_some() {
            let message = format!("cannot change materialized view \"{}\"", stored.info.name);
            return Err(Error::new(ErrorKind::WrongObjectType, message));
        }
        Ok(())
    }

    fn copy_from(
        &self,
        name: &TableName,
        columns: &[usize],
        path: &str,
        options: &FileOptions,
    ) -> Result<ResultStream> {
        let path = format::standard(path);
        find_files(&[path.to_owned()], self.session.work)?;
        let mut format = format::copy_format(path, options)?;
        let zone = Some(Arc::clone(&self.snapshot.zone));
        match &mut format {
            Format::Csv(options) => options.time_zone = zone,
            Format::Json(options) => {
                options.time_zone = zone;
                // Who names columns wants these alone.
                options.strict = columns.is_empty();
            }
            _ => {}
        }
        let count = self.append(name, |info| {
            let fields: &[Field] = &info.declared.fields(&info.fields);
            let chosen: Vec<Field> = columns.iter().map(|&position| fields[position].clone()).collect();
            let chosen = if columns.is_empty() { fields } else { &chosen };
            let read = format::read_table(path, &format, Some(chosen), &self.session.loading())?;
            self.placed(read, columns, info)
        })?;
        Ok(ResultStream::done(format!("COPY {count}")))
    }

    /// Rows of some columns as rows of all: the others have their defaults. No columns are all.
    pub(crate) fn placed(&self, read: Table, columns: &[usize], info: &TableInfo) -> Result<Table> {
        if columns.is_empty() {
            return Ok(read);
        }
        let fields = info.declared.fields(&info.fields);
        let lacks = |column: &usize| !columns.contains(column) && info.declared.default_text(*column).is_some();
        if (0..fields.len()).any(|column| lacks(&column)) {
            return self.defaulted(&read, columns, info);
        }
        let mut builder = TableBuilder::new(fields.clone(), Storage::Compact, &self.session.loading());
        for chunk in &read.chunks {
            let column = |position: usize| match columns.iter().position(|&chosen| chosen == position) {
                Some(found) => chunk.columns[found].clone(),
                None => Column::from_values(fields[position].data_type, &vec![Value::Null; chunk.rows]),
            };
            builder.push_columns(chunk.rows, (0..fields.len()).map(column).collect())?;
        }
        builder.finish()
    }

    fn copy_to(&self, query: Query, path: &str, options: &FileOptions) -> Result<ResultStream> {
        self.session.work.check_file(path, FileUse::Write)?;
        let writing = Writing::of(path, options, &query.fields())?;
        if writing.is_folder() && format::scheme_of(path).is_none() {
            // It is written beside where it is to be.
            let beside = Path::new(path).with_file_name("folder");
            self.session.work.check_file(&beside.to_string_lossy(), FileUse::Write)?;
        }
        let result = self.query(query, Timings::default())?;
        let (fields, sight) = (result.fields().to_vec(), result.sight().clone());
        let rows = writing.write(Path::new(path), (&fields, &sight), result, &self.session.context())?;
        Ok(ResultStream::done(format!("COPY {rows}")))
    }

    fn show_tables(&self) -> ResultStream {
        let entries = self.snapshot.state.iter().filter(|(_, _, object)| !matches!(object.entry, Entry::Sequence(_)));
        let rows = entries
            .map(|(_, name, object)| {
                let (kind, rows) = match &object.entry {
                    Entry::Table(stored) if stored.provided().is_none() => {
                        (object.entry.kind(), Some(stored.rows().to_string()))
                    }
                    _ => (object.entry.kind(), None),
                };
                vec![Some(name.to_owned()), Some(kind.to_owned()), rows]
            })
            .collect();
        ResultStream::text(&["name", "kind", "rows"], rows).with_verb("SHOW")
    }

    fn describe(&self, name: &TableName) -> Result<ResultStream> {
        let found = self.found(name, &self.snapshot.state)?;
        let fields = match self.snapshot.state.get(&found) {
            Some(Entry::Table(stored)) => stored.info.declared.fields(&stored.info.fields),
            _ => self.fields_of_query(name)?,
        };
        Ok(self.with_placeholders(described(&fields)))
    }

    /// A result that tells in which columns of files words stand for missing values.
    fn with_placeholders(&self, result: ResultStream) -> ResultStream {
        let told = |column: String| {
            Notice::told(format!(
                "words for a missing value (NA, N/A, -, null and the like) are NULL in column \"{column}\""
            ))
        };
        self.snapshot.placeholder_columns().into_iter().map(told).fold(result, ResultStream::with_notice)
    }

    /// The columns of a view, or of a table of the system's.
    fn fields_of_query(&self, TableName { schema, name }: &TableName) -> Result<Vec<Field>> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let schema = schema.as_ref().map_or_else(String::new, |schema| format!("{}.", quoted(schema)));
        let text = format!("SELECT * FROM {schema}{}", quoted(name));
        let Statement::Query(query) = sql::bind(&sql::parse(&text)?[0], self.snapshot, &[])? else {
            return Err(Error::internal("a SELECT was not bound to a query"));
        };
        Ok(fields_of(&query))
    }
}

/// What DESCRIBE gives.
fn described(fields: &[Field]) -> ResultStream {
    let row = |field: &Field| {
        let nullable = if field.nullable { "yes" } else { "no" };
        vec![Some(field.name.clone()), Some(field.data_type.to_string()), Some(nullable.to_owned())]
    };
    ResultStream::text(&["column", "type", "nullable"], fields.iter().map(row).collect()).with_verb("DESCRIBE")
}

/// The columns of a query as DESCRIBE has them.
fn fields_of(query: &Query) -> Vec<Field> {
    let field = |((name, id), computed): (&(String, _), bool)| {
        let column = query.columns.get(*id);
        let data_type = if computed { DataType::Numeric } else { column.data_type };
        Field::new(name.clone(), data_type, column.nullable)
    };
    query.output.iter().zip(query.computed_numerics()).map(field).collect()
}

/// Which columns are NUMERICs of no declared digits: those of this type, and decimals that are `computed`. Empty if none is.
fn numerics_of(fields: &[Field], computed: &[bool]) -> Vec<bool> {
    let is_one = |(index, field): (usize, &Field)| {
        field.data_type == DataType::Numeric || (field.data_type.is_decimal() && computed.get(index) == Some(&true))
    };
    let numerics: Vec<bool> = fields.iter().enumerate().map(is_one).collect();
    if numerics.contains(&true) { numerics } else { Vec::new() }
}

/// Names and types of what a statement that is no query gives; None if it gives no rows.
pub(crate) fn shown_fields(statement: &Statement) -> Option<Vec<Field>> {
    let names: &[&str] = match statement {
        Statement::Explain { form, .. } if form.json => {
            return Some(vec![Field::new("QUERY PLAN", DataType::Json, true)]);
        }
        Statement::Explain { .. } => &["QUERY PLAN"],
        Statement::ShowTables => &["name", "kind", "rows"],
        Statement::Describe { .. } | Statement::DescribeQuery(_) => &["column", "type", "nullable"],
        Statement::Summarize(_) => return Some(summary::fields()),
        Statement::Change(change) => return change.returned_fields(),
        Statement::ChangingWith(with) => return with.main.returned_fields(),
        Statement::Locking(locking) => return Some(locking.fields()),
        Statement::Call { query, gives_row: true } => return Some(query.fields()),
        _ => return None,
    };
    Some(names.iter().map(|name| Field::new(*name, DataType::Text, true)).collect())
}

/// Sees that the indexes of a table that is made have names of their own: those that PostgreSQL chooses get a number.
fn name_indexes(state: &State, table: &Qualified, declared: &mut Declared) -> Result<()> {
    let taken = |name: &str| {
        let of = Qualified { schema: table.schema.clone(), name: name.to_owned() };
        state.has_relation(&of, Some(&table.name)) || name == table.name
    };
    for key in &mut declared.keys {
        if !taken(&key.name) {
            continue;
        }
        let is_chosen =
            key.name.starts_with(&table.name) && (key.name.ends_with("_key") || key.name.ends_with("_pkey"));
        if !is_chosen {
            return Err(Error::new(ErrorKind::DuplicateTable, format!("relation \"{}\" already exists", key.name)));
        }
        key.name = indexes::free_name(&key.name, &taken);
    }
    Ok(())
}

/// What CREATE says of what it makes.
#[derive(Clone, Copy)]
struct New<'a> {
    name: &'a TableName,
    temporary: bool,
    if_not_exists: bool,
    or_replace: bool,
    tag: &'a str,
}

impl New<'_> {
    fn already_exists(&self) -> Result<ResultStream> {
        let message = format!("relation \"{}\" already exists", self.name.name);
        if self.if_not_exists {
            return Ok(ResultStream::done(self.tag).with_notice(Notice::skipping("42P07", message)));
        }
        Err(Error::new(ErrorKind::DuplicateTable, message))
    }
}

fn check_not_null(table: &str, fields: &[Field], rows: &Table) -> Result<()> {
    for (field, statistics) in fields.iter().zip(&rows.statistics.columns).filter(|(field, _)| !field.nullable) {
        if statistics.proofs.nulls > 0 {
            return Err(has_null(table, &field.name));
        }
    }
    Ok(())
}

fn has_null(table: &str, column: &str) -> Error {
    let message = format!("null value in column \"{column}\" of relation \"{table}\" violates not-null constraint");
    Error::new(ErrorKind::NotNullViolation, message).of_column(column)
}

/// An error of making rows for a table. What makes them checks them too, and knows of no table.
fn of_relation(error: Error, table: &str) -> Error {
    match error.subject() {
        Some(Subject { table: None, column: Some(column), .. }) if error.kind() == ErrorKind::NotNullViolation => {
            has_null(table, column)
        }
        _ => error,
    }
}
