//! CHECK and FOREIGN KEY over rows that come into a table, and the defaults of columns that they leave out. Each is a query over
//! the rows, under a name of their own: what makes values makes these, too.
//!
//! A violation is told of the first row that has one, as its values and with PostgreSQL's words; of checks it is the first by name.

use crate::Result;
use crate::catalog::{Qualified, State, StoredTable};
use crate::plan::Timings;
use crate::running::Runner;
use crate::snapshot::{COMING, Snapshot};
use crate::stream::ResultStream;
use crate::system::quoted;
use crate::{Error, ErrorKind};
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::util::display::array_value_to_string;
use multiloop_exec::column::Table;
use multiloop_exec::column::build::{Storage, TableBuilder};
use multiloop_exec::workers::context::Reservation;
use multiloop_planner::catalog::{Check, Declared, Deferral, Reference, TableInfo, TableName, View};
use multiloop_planner::relation::Query;
use multiloop_planner::sql;
use multiloop_planner::types::Field;
use std::sync::Arc;

/// The column of the rows' numbers; no column of a table is named so by chance.
const NUMBER: &str = "number of the row that comes";

/// Bytes of a value that an error shows.
const SHOWN_MAX: usize = 64;

impl Runner<'_> {
    /// Runs `ask` where queries may name the rows, in the state as it is now: whoever asks has the right to change it.
    fn over<T>(&self, rows: &Table, ask: impl FnOnce(&Runner<'_>, &Arc<TableInfo>) -> Result<T>) -> Result<T> {
        self.session.with_snapshot(|snapshot: &Snapshot<'_>| {
            let info = snapshot.lend(rows.clone());
            ask(&Runner { session: self.session, snapshot, parameters: &[] }, &info)
        })
    }

    /// The same in a state that nobody else sees yet, for a statement's own asking, for which nobody needs rights.
    pub(super) fn over_state<T>(
        &self,
        state: &State,
        rows: &Table,
        ask: impl FnOnce(&Runner<'_>, &Arc<TableInfo>) -> Result<T>,
    ) -> Result<T> {
        self.session.with_state(state.clone(), |snapshot: &Snapshot<'_>| {
            snapshot.trust();
            let info = snapshot.lend(rows.clone());
            ask(&Runner { session: self.session, snapshot, parameters: &[] }, &info)
        })
    }

    /// The first row of a query's text, if it has one; its names mean what those of what a table is declared with do.
    pub(super) fn first(&self, sql: String, declared: &Declared) -> Result<Option<RecordBatch>> {
        let view = Arc::new(View { names: declared.names.clone(), ..View::of_text(sql) });
        let query = sql::view_as_query(self.snapshot, &TableName::from("a check"), &view, true)?;
        for batch in self.query(query, Timings::default())? {
            let batch = batch?;
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    /// The error (23514) for the first row that a CHECK refuses.
    pub(super) fn check_conditions(&self, table: &str, declared: &Declared, rows: &Table, state: &State) -> Result<()> {
        if declared.checks.is_empty() || rows.rows() == 0 {
            return Ok(());
        }
        let mut checks: Vec<&Check> = declared.checks.iter().collect();
        checks.sort_by(|a, b| a.name.cmp(&b.name));
        let conditions: Vec<String> = checks.iter().map(|check| format!("({})", check.condition)).collect();
        let columns = (0..rows.fields.len()).collect::<Vec<_>>();
        let text = format!(
            "SELECT {}, {} FROM {} WHERE NOT ({}) LIMIT 1",
            shown(&rows.fields, &columns, ""),
            conditions.join(", "),
            quoted(COMING),
            conditions.join(" AND ")
        );
        let Some(row) = self.over_state(state, rows, |runner, _| runner.first(text, declared))? else { return Ok(()) };
        let is_false = |at: &usize| value(&row, columns.len() + at).as_deref() == Some("false");
        let violated = (0..checks.len()).find(is_false).map_or("", |at| &checks[at].name);
        let message = format!("new row for relation \"{table}\" violates check constraint \"{violated}\"");
        let failing = format!("Failing row contains ({}).", values(&row, columns.len()));
        let error = Error::new(ErrorKind::CheckViolation, message).with_detail(failing).of_constraint(violated);
        let text = format!("SELECT {} FROM {} WHERE NOT ({})", quoted(NUMBER), numbered(), conditions.join(" AND "));
        Err(self.with_row(error, rows, text, (declared, state)))
    }

    /// The error (23503) for the first row that refers to one that is not there. The rows may refer to each other.
    pub(super) fn check_references(
        &self,
        name: &Qualified,
        declared: &Declared,
        rows: &Table,
        state: &State,
    ) -> Result<()> {
        if rows.rows() == 0 {
            return Ok(());
        }
        for reference in &declared.references {
            if self.postpones(name, reference) {
                continue;
            }
            let to = Qualified::of(&reference.table).ok_or_else(|| Error::internal("a reference names no schema"))?;
            let other = state.table(&to)?;
            let text = dangling(reference, rows, &to, other, to == *name, false);
            let Some(row) = self.over_state(state, rows, |runner, _| runner.first(text, declared))? else { continue };
            let message = format!(
                "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
                name.name, reference.name
            );
            let names: Vec<&str> = reference.columns.iter().map(|&column| rows.fields[column].name.as_str()).collect();
            let missing = format!(
                "Key ({})=({}) is not present in table \"{}\".",
                names.join(", "),
                values(&row, names.len()),
                to.name
            );
            let error = Error::new(ErrorKind::ForeignKeyViolation, message).with_detail(missing);
            let text = dangling(reference, rows, &to, other, to == *name, true);
            return Err(self.with_row(error.of_constraint(&reference.name), rows, text, (declared, state)));
        }
        Ok(())
    }

    /// Whether the transaction checks a reference at its end, which it will then.
    pub(super) fn postpones(&self, table: &Qualified, reference: &Reference) -> bool {
        if reference.deferral == Deferral::Never {
            return false;
        }
        let postponed = self.session.work.defer(|deferrals| {
            let defers = deferrals.defers(table, reference);
            if defers {
                deferrals.postpone(table, &reference.name);
            }
            defers
        });
        postponed.unwrap_or(false)
    }

    /// An error with the number of the first row that a query gives numbers of.
    fn with_row(&self, error: Error, rows: &Table, numbers: String, (declared, state): (&Declared, &State)) -> Error {
        let first = format!("SELECT min({})::text FROM ({numbers}) violations", quoted(NUMBER));
        let found = self.over_state(state, rows, |runner, _| runner.first(first, declared)).ok().flatten();
        match found.and_then(|row| value(&row, 0)?.parse().ok()) {
            Some(number) => error.of_row(number),
            None => error,
        }
    }

    /// Rows as INSERT casts them to some columns of a table; no columns are all.
    /// Their memory is counted as long as what comes with them is there.
    pub(crate) fn assigned(
        &self,
        rows: &Table,
        columns: &[usize],
        info: &TableInfo,
    ) -> Result<(Vec<RecordBatch>, Reservation)> {
        self.over(rows, |runner, coming| {
            let query: Query = sql::assigned_rows(runner.snapshot, info, coming, columns)?;
            let (mut batches, mut held) = (Vec::new(), Reservation::new(&self.session.loading().memory));
            for batch in runner.query(query, Timings::default())? {
                let batch = batch?;
                let bytes = |array: &ArrayRef| array.to_data().get_slice_memory_size().unwrap_or(0);
                held.add(batch.columns().iter().map(bytes).sum())?;
                batches.push(batch);
            }
            Ok((batches, held))
        })
    }

    /// Rows of some columns of a table as rows of all: the others have their defaults.
    pub(super) fn defaulted(&self, read: &Table, columns: &[usize], info: &TableInfo) -> Result<Table> {
        let fields = info.declared.fields(&info.fields);
        self.over(read, |runner, coming| {
            let query: Query = sql::filled_rows(runner.snapshot, info, coming, columns)?;
            let rows: ResultStream = runner.query(query, Timings::default())?;
            let mut builder = TableBuilder::new(fields, Storage::Compact, &self.session.loading());
            for batch in rows {
                builder.push(batch?)?;
            }
            builder.finish()
        })
    }
}

/// The rows that come with their numbers, from 1 on.
fn numbered() -> String {
    format!("(SELECT *, row_number() OVER () AS {} FROM {})", quoted(NUMBER), quoted(COMING))
}

/// A query for the first row that refers to one that is not there, or for the numbers of all.
fn dangling(
    reference: &Reference,
    rows: &Table,
    to: &Qualified,
    other: &StoredTable,
    is_own: bool,
    are_numbers: bool,
) -> String {
    let column = |alias: &str, fields: &[Field], at: usize| format!("{alias}.{}", quoted(&fields[at].name));
    let others = &other.info.fields;
    let given: Vec<String> =
        reference.columns.iter().map(|&at| format!("{} IS NOT NULL", column("r", &rows.fields, at))).collect();
    let meets = |alias: &str| {
        let pairs = reference.columns.iter().zip(&reference.referenced);
        let pair = |(&own, &other): (&usize, &usize)| {
            format!("{} = {}", column(alias, others, other), column("r", &rows.fields, own))
        };
        pairs.map(pair).collect::<Vec<_>>().join(" AND ")
    };
    let table = format!("{}.{}", quoted(&to.schema), quoted(&to.name));
    let mut text = format!(
        "SELECT {} FROM {} r WHERE {} AND NOT EXISTS (SELECT 1 FROM {table} t WHERE {})",
        if are_numbers { quoted(NUMBER) } else { shown(&rows.fields, &reference.columns, "r.") },
        if are_numbers { numbered() } else { quoted(COMING) },
        given.join(" AND "),
        meets("t")
    );
    if is_own {
        text.push_str(&format!(" AND NOT EXISTS (SELECT 1 FROM {} o WHERE {})", quoted(COMING), meets("o")));
    }
    if !are_numbers {
        text.push_str(" LIMIT 1");
    }
    text
}

/// Columns as texts, for errors.
pub(super) fn shown(fields: &[Field], columns: &[usize], prefix: &str) -> String {
    let one = |&column: &usize| format!("({prefix}{})::text", quoted(&fields[column].name));
    columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A value of a batch's first row.
fn value(row: &RecordBatch, column: usize) -> Option<String> {
    let of = row.column(column);
    if of.is_null(0) { None } else { array_value_to_string(of, 0).ok() }
}

/// The first values of a batch's first row, as errors show them.
pub(super) fn values(row: &RecordBatch, count: usize) -> String {
    let one = |column| {
        let mut text = value(row, column).unwrap_or_else(|| "null".to_owned());
        if text.len() > SHOWN_MAX {
            let mut end = SHOWN_MAX;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push_str("...");
        }
        text
    };
    (0..count).map(one).collect::<Vec<_>>().join(", ")
}
