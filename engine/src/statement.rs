//! What every kind of statement does.

use crate::catalog::{Entry, StoredTable};
use crate::plan::{Executable, Planned, Timings, timed};
use crate::running::{Runner, Running};
use crate::stream::ResultStream;
use crate::{Error, ErrorKind, Result, explain, format, keys};
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::column::domain::{self, Appended};
use multiloop_exec::column::narrow::alike;
use multiloop_exec::column::{Column, Table};
use multiloop_planner::catalog::{Catalog, CopyOptions, Declared};
use multiloop_planner::relation::Query;
use multiloop_planner::sql::{self, Statement};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;
use std::path::Path;
use std::sync::Arc;

/// Makes a statement over what is in a catalog, for parameters of these types; with numerics of any number of digits where the
/// flag says so.
pub(crate) type Bind<'b> = dyn Fn(&dyn Catalog, &[DataType], bool) -> Result<Statement> + 'b;

/// Binds and runs one statement. Where decimals have overflowed, which nothing has seen of yet, it is bound and run once
/// more with numerics of any number of digits.
pub(crate) fn run(
    session: &Running<'_>,
    bind: &Bind<'_>,
    parameters: &[(Value, DataType)],
    timings: Timings,
) -> Result<ResultStream> {
    match run_once(session, bind, parameters, timings, false) {
        Err(error) if error.kind() == ErrorKind::DecimalOverflow => run_once(session, bind, parameters, timings, true),
        result => result,
    }
}

fn run_once(
    session: &Running<'_>,
    bind: &Bind<'_>,
    parameters: &[(Value, DataType)],
    mut timings: Timings,
    wide: bool,
) -> Result<ResultStream> {
    let shared = &session.engine.0;
    let types: Vec<DataType> = parameters.iter().map(|(_, data_type)| *data_type).collect();
    let values: Vec<Value> = parameters.iter().map(|(value, _)| value.clone()).collect();
    shared.with_snapshot(&session.loading(), |snapshot| {
        let statement = timed(&mut timings.plan, || bind(snapshot, &types, wide))?;
        let runner = Runner { session, snapshot, parameters: &values };
        match statement {
            Statement::Query(query) => runner.query(query, timings),
            Statement::Explain { kind, analyze, query } => explain::explain(&runner, kind, analyze, query),
            Statement::CreateTable { name, fields, declared, if_not_exists, or_replace } => {
                let numerics = numerics_of(&fields, &[]);
                let empty = || Ok((Table::empty(fields), Declared { numerics, ..declared }));
                runner.create(&name, if_not_exists, or_replace, "CREATE TABLE", empty)
            }
            Statement::CreateTableAs { name, query, if_not_exists, or_replace } => {
                let filled = || runner.table_of(query);
                runner.create(&name, if_not_exists, or_replace, "CREATE TABLE AS", filled)
            }
            Statement::CreateView { name, columns, sql, needs, or_replace } => {
                runner.create_view(name, Entry::View { sql: Arc::from(sql), columns, needs }, or_replace)
            }
            Statement::Insert { name, query } => {
                let source = runner.source(query)?;
                let rows = runner.append(&name, |fields| runner.build(fields.to_vec(), source))?;
                Ok(ResultStream::done(format!("INSERT 0 {rows}")))
            }
            Statement::Drop { names, views, if_exists, cascade } => runner.drop(&names, views, if_exists, cascade),
            Statement::CopyFrom { name, columns, path, options } => runner.copy_from(&name, &columns, &path, options),
            Statement::CopyTo { query, path, options } => runner.copy_to(query, &path, options),
            Statement::ShowTables => Ok(runner.show_tables()),
            Statement::Describe { name } => runner.describe(&name),
        }
    })
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
    fn query(&self, query: Query, mut timings: Timings) -> Result<ResultStream> {
        self.check_parameters(&query)?;
        let context = self.session.context();
        let planned = timed(&mut timings.plan, || Planned::new(query, &self.session.options.rules, &context))?;
        let run = |executable: &Executable| self.session.execute(executable, self.snapshot, self.parameters, &context);
        let result = timed(&mut timings.execute, || planned.run(&context, run))?;
        Ok(result.with_timings(timings))
    }

    /// Where the rows of a query come from that become rows of a table.
    fn source(&self, query: Query) -> Result<Source> {
        if let Some((handle, columns)) = query.whole_table()
            && let Some(file) = self.snapshot.take_file(handle)
        {
            self.check_parameters(&query)?;
            // Nobody needs it twice: it is a table from now on.
            self.session.engine.0.forget_file(handle);
            let mut table = file.into_table().rearranged(&columns);
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

    fn create(
        &self,
        name: &str,
        if_not_exists: bool,
        or_replace: bool,
        tag: &str,
        make: impl FnOnce() -> Result<(Table, Declared)>,
    ) -> Result<ResultStream> {
        let exists = |state: &crate::catalog::State| state.get(name).is_some();
        if exists(&self.snapshot.state) && !or_replace {
            return already_exists(name, if_not_exists, tag);
        }
        let (table, declared) = make()?;
        let table = table.narrowed(&declared.numerics, &self.session.loading())?;
        let table = self.session.engine.0.stored(name, table, Arc::new(declared), &self.session.loading())?;
        let mut write = self.session.engine.0.catalog.begin_write();
        if exists(&write.state) && !or_replace {
            return already_exists(name, if_not_exists, tag);
        }
        write.state.insert(name, Entry::Table(table));
        write.commit();
        self.session.engine.0.share_domains(name, &self.session.loading());
        Ok(ResultStream::done(tag))
    }

    fn create_view(&self, name: String, view: Entry, or_replace: bool) -> Result<ResultStream> {
        let mut write = self.session.engine.0.catalog.begin_write();
        match write.state.get(&name) {
            Some(Entry::Table(_)) if or_replace => {
                return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is not a view")));
            }
            Some(_) if !or_replace => return already_exists(&name, false, "CREATE VIEW"),
            _ => {}
        }
        write.state.insert(&name, view);
        write.commit();
        Ok(ResultStream::done("CREATE VIEW"))
    }

    /// Appends rows to a table: they are made while nobody else may write, for the table as it is then.
    /// Gives the number of rows.
    fn append(&self, name: &str, rows: impl FnOnce(&[Field]) -> Result<Table>) -> Result<usize> {
        let context = self.session.loading();
        let mut write = self.session.engine.0.catalog.begin_write();
        let stored = write.state.table(name)?.clone();
        let declared = Arc::clone(&stored.info.declared);
        let rows = rows(&declared.fields(&stored.stored().fields))?;
        let (old, rows) = if declared.numerics.is_empty() {
            (Arc::clone(stored.stored()), rows)
        } else {
            let rows = rows.narrowed(&declared.numerics, &context)?;
            let (old, rows) = alike(Table::clone(stored.stored()), rows, &declared.numerics, &context)?;
            (Arc::new(old), rows)
        };
        check_not_null(name, &old.fields, &rows)?;
        let count = rows.rows();
        let is_load = old.rows() == 0;
        let table = match domain::append(&old, &stored.own_domains(), &rows, &context)? {
            Some(Appended { table, rows: coded, domains }) => {
                let change = keys::Change { old: &old, rows: &coded, all: &table, shown: &rows };
                stored.keys.check(name, &declared.keys, change, &context)?;
                if is_load {
                    // CREATE TABLE and COPY are a load in two statements.
                    StoredTable::encoded(name, table, declared, write.state.domains(), &context)?
                } else {
                    stored.appended(name, table, declared, domains, write.state.domains())
                }
            }
            // A domain is full.
            None => {
                let old = domain::decode(&old, &stored.own_domains(), &context)?;
                let table = old.append(&rows, &context)?;
                let stored = StoredTable::new(name, table, Arc::clone(&declared));
                let change = keys::Change { old: &old, rows: &rows, all: stored.stored(), shown: &rows };
                stored.keys.check(name, &declared.keys, change, &context)?;
                stored
            }
        };
        write.state.insert(name, Entry::Table(table));
        write.commit();
        if is_load {
            self.session.engine.0.share_domains(name, &context);
        }
        Ok(count)
    }

    fn drop(&self, names: &[String], views: bool, if_exists: bool, cascade: bool) -> Result<ResultStream> {
        let mut write = self.session.engine.0.catalog.begin_write();
        let what = if views { "view" } else { "table" };
        let mut gone: Vec<String> = Vec::new();
        for name in names {
            match write.state.get(name) {
                None if if_exists => {}
                None => {
                    return Err(Error::new(ErrorKind::UnknownTable, format!("{what} \"{name}\" does not exist")));
                }
                Some(Entry::Table(_)) if views => {
                    return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is not a view")));
                }
                Some(Entry::View { .. }) if !views => {
                    return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{name}\" is not a table")));
                }
                Some(_) => gone.push(name.clone()),
            }
        }
        // Whatever is dropped together may need each other.
        let mut next = 0;
        while let Some(name) = gone.get(next).cloned() {
            next += 1;
            for view in write.state.needing(&name).into_iter().filter(|view| !gone.contains(view)).collect::<Vec<_>>() {
                if !cascade {
                    let message = format!("cannot drop \"{name}\" because view \"{view}\" depends on it");
                    return Err(Error::new(ErrorKind::DependentObjects, message)
                        .with_hint("Use DROP ... CASCADE to drop the dependent objects too."));
                }
                gone.push(view);
            }
        }
        gone.iter().for_each(|name| drop(write.state.remove(name)));
        write.commit();
        Ok(ResultStream::done(format!("DROP {}", what.to_uppercase())))
    }

    fn copy_from(&self, name: &str, columns: &[usize], path: &str, options: CopyOptions) -> Result<ResultStream> {
        let format = format::copy_format(path, options)?;
        let count = self.append(name, |fields| {
            if columns.is_empty() {
                return format::read_table(path, &format, Some(fields), &self.session.loading());
            }
            let chosen: Vec<Field> = columns.iter().map(|&position| fields[position].clone()).collect();
            let read = format::read_table(path, &format, Some(&chosen), &self.session.loading())?;
            let mut builder = TableBuilder::new(fields.to_vec(), Storage::Compact, &self.session.loading());
            for chunk in &read.chunks {
                let column = |position: usize| match columns.iter().position(|&chosen| chosen == position) {
                    Some(found) => chunk.columns[found].clone(),
                    None => Column::from_values(fields[position].data_type, &vec![Value::Null; chunk.rows]),
                };
                builder.push_columns(chunk.rows, (0..fields.len()).map(column).collect())?;
            }
            builder.finish()
        })?;
        Ok(ResultStream::done(format!("COPY {count}")))
    }

    fn copy_to(&self, query: Query, path: &str, options: CopyOptions) -> Result<ResultStream> {
        let format = format::copy_format(path, options)?;
        let result = self.query(query, Timings::default())?;
        let fields = result.fields().to_vec();
        let rows = format::write_table(Path::new(path), &format, &fields, result)?;
        Ok(ResultStream::done(format!("COPY {rows}")))
    }

    fn show_tables(&self) -> ResultStream {
        let entries = self.snapshot.state.iter();
        let rows = entries
            .map(|(name, entry)| {
                let (kind, rows) = match entry {
                    Entry::Table(stored) => ("table", Some(stored.info.statistics.rows.to_string())),
                    Entry::View { .. } => ("view", None),
                };
                vec![Some(name.clone()), Some(kind.to_owned()), rows]
            })
            .collect();
        ResultStream::text(&["name", "kind", "rows"], rows)
    }

    fn describe(&self, name: &str) -> Result<ResultStream> {
        let fields = match self.snapshot.state.get(name) {
            Some(Entry::Table(stored)) => stored.info.declared.fields(&stored.info.fields),
            _ => self.fields_of_view(name)?,
        };
        let row = |field: &Field| {
            let nullable = if field.nullable { "yes" } else { "no" };
            vec![Some(field.name.clone()), Some(field.data_type.to_string()), Some(nullable.to_owned())]
        };
        Ok(ResultStream::text(&["column", "type", "nullable"], fields.iter().map(row).collect()))
    }

    fn fields_of_view(&self, name: &str) -> Result<Vec<Field>> {
        let text = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
        let Statement::Query(query) = sql::bind(&sql::parse(&text)?[0], self.snapshot, &[])? else {
            return Err(Error::internal("a SELECT was not bound to a query"));
        };
        let columns = &query.columns;
        let field = |((name, id), computed): (&(String, _), bool)| {
            let column = columns.get(*id);
            let data_type = if computed { DataType::Numeric } else { column.data_type };
            Field::new(name.clone(), data_type, column.nullable)
        };
        Ok(query.output.iter().zip(query.computed_numerics()).map(field).collect())
    }
}

/// Which columns are NUMERICs of no declared digits: those of this type, and decimals that are `computed`. Empty if none is.
fn numerics_of(fields: &[Field], computed: &[bool]) -> Vec<bool> {
    let is_one = |(index, field): (usize, &Field)| {
        field.data_type == DataType::Numeric || (field.data_type.is_decimal() && computed.get(index) == Some(&true))
    };
    let numerics: Vec<bool> = fields.iter().enumerate().map(is_one).collect();
    if numerics.contains(&true) { numerics } else { Vec::new() }
}

fn already_exists(name: &str, tolerated: bool, tag: &str) -> Result<ResultStream> {
    if tolerated {
        return Ok(ResultStream::done(tag));
    }
    Err(Error::new(ErrorKind::DuplicateTable, format!("relation \"{name}\" already exists")))
}

fn check_not_null(table: &str, fields: &[Field], rows: &Table) -> Result<()> {
    for (field, statistics) in fields.iter().zip(&rows.statistics.columns).filter(|(field, _)| !field.nullable) {
        if statistics.proofs.nulls > 0 {
            let name = &field.name;
            let message =
                format!("null value in column \"{name}\" of relation \"{table}\" violates not-null constraint");
            return Err(Error::new(ErrorKind::NotNullViolation, message));
        }
    }
    Ok(())
}
