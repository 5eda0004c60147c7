//! Runs the parts of a statement that changes rows. All of them see the snapshot that the statement began with; what they change is
//! put off until the last one has run, or until one has to see what is there by then (ON CONFLICT).
//!
//! A row that two parts change keeps the first change. References are followed and checked when all changes have been made.

use super::conflict::Inserting;
use super::merged::{self, Merged};
use super::references::Altered;
use super::views::{Checks, all_columns};
use super::{Given, Numbers, Outcome, rows_of};
use crate::catalog::{Qualified, State};
use crate::plan::{Planned, Timings};
use crate::running::Runner;
use crate::statement::Inserted as Appended;
use crate::stream::ResultStream;
use crate::transaction::{Write, object_of};
use crate::{Error, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{TableHandle, TableName};
use multiloop_planner::sql::{Change, ChangeKind, ChangingWith, Strength, Work};
use multiloop_planner::types::DataType;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is to be done to a table.
enum Step {
    /// Rows come in; the first is to get this number.
    Insert(Table, Checks, Option<u64>),
    /// Rows get other values in these columns.
    Update(Vec<usize>, Given, Checks),
    /// Rows go.
    Delete(Given),
}

/// Rows that a statement changes.
#[derive(Default)]
struct ChangedRows {
    /// Numbers that ascend, as each part has given them.
    parts: Vec<Arc<Vec<usize>>>,
}

impl ChangedRows {
    fn add(&mut self, numbers: &Arc<Vec<usize>>) {
        if !numbers.is_empty() {
            self.parts.push(Arc::clone(numbers));
        }
    }

    fn contains(&self, number: usize) -> bool {
        self.parts.iter().any(|numbers| numbers.binary_search(&number).is_ok())
    }
}

/// A statement that changes rows, while it runs.
struct Changing<'r, 'w> {
    runner: &'r Runner<'r>,
    /// The right to write, with the state that has the changes that have been made, and the state before them.
    write: Option<(Write<'w>, State)>,
    /// Changes that have not been made yet.
    steps: Vec<(TableName, Step)>,
    /// The numbers of rows that it changes, by table.
    changed: BTreeMap<Qualified, ChangedRows>,
    /// What references are to be told.
    altered: Vec<Altered>,
    appended: Vec<(Qualified, Appended)>,
    has_changed: bool,
}

impl Runner<'_> {
    /// Runs a change. None if somebody has changed the table since the statement began, which cannot be with the right to `write`.
    pub(in crate::statement) fn change(
        &self,
        change: &Change,
        planned: &Planned,
        write: Option<Write<'_>>,
        timings: Timings,
    ) -> Result<Option<ResultStream>> {
        let mut changing = Changing::new(self, write);
        let Some(outcome) = changing.change(change, Some(planned))? else { return Ok(None) };
        if !changing.finish()? {
            return Ok(None);
        }
        self.outcome(change, &outcome).map(|done| Some(done.with_timings(timings)))
    }

    /// Runs a statement with a WITH that changes rows; as [`Runner::change`].
    pub(in crate::statement) fn change_with(
        &self,
        with: &ChangingWith,
        write: Option<Write<'_>>,
        timings: Timings,
    ) -> Result<Option<ResultStream>> {
        let mut changing = Changing::new(self, write);
        let (before, after) = order(with);
        let mut is_done = changing.parts(with, &before)?;
        let mut outcome = None;
        if is_done {
            outcome = changing.work(&with.main)?;
            is_done = outcome.is_some() && changing.parts(with, &after)?;
        }
        let (Some(outcome), true) = (outcome, is_done && changing.finish()?) else { return Ok(None) };
        let done = match &with.main {
            Work::Change(change) => self.outcome(change, &outcome),
            Work::Query(query) => self.returned(&outcome.rows, query.output.len(), ("SELECT", query)),
        };
        done.map(|done| Some(done.with_timings(timings)))
    }

    /// What a change tells.
    fn outcome(&self, change: &Change, outcome: &Outcome) -> Result<ResultStream> {
        let verb = match change.kind {
            ChangeKind::Insert { .. } => "INSERT",
            ChangeKind::Update { .. } => "UPDATE",
            ChangeKind::Delete => "DELETE",
            ChangeKind::Merge { .. } => "MERGE",
        };
        let tag = format!("{verb}{} {}", if verb == "INSERT" { " 0" } else { "" }, outcome.count);
        match change.returning {
            Some(returning) => self.returned(&outcome.rows, returning, (verb, &change.query)),
            None => Ok(ResultStream::done(tag)),
        }
    }

    /// An error (0A000) for a table whose rows the statement changes, and a function that it calls has changed: run once more, the
    /// function would change it again.
    fn check_calls(&self, name: &Qualified, state: &State) -> Result<()> {
        if !self.snapshot.calls() {
            return Ok(());
        }
        let base = self.session.work.base();
        let was = base.as_ref().and_then(|(base, _)| object_of(base, name)).map(|object| object.version);
        if was == state.object(name).map(|object| object.version) {
            return Ok(());
        }
        let what = format!("changing rows of \"{}\", which a function that is called changes, is", name.name);
        Err(Error::unsupported(what))
    }

    /// Gives the rows of RETURNING to those that wait for them.
    fn give_returned(&self, handle: TableHandle, rows: &Table) -> Result<()> {
        let Some(info) = self.snapshot.awaited_info(handle) else { return Ok(()) };
        let columns: Vec<usize> = (rows.fields.len() - info.fields.len()..rows.fields.len()).collect();
        let numerics: Vec<bool> = info.fields.iter().map(|field| field.data_type == DataType::Numeric).collect();
        let rows = rows.clone().rearranged(&columns).as_numerics(&numerics, &self.session.loading())?;
        let differs = rows.fields.iter().zip(&info.fields).find(|(given, known)| given.data_type != known.data_type);
        if let Some((given, known)) = differs {
            let what = format!("a column of type {} that WITH gives as {} is", known.data_type, given.data_type);
            return Err(Error::unsupported(what));
        }
        self.snapshot.give(handle, rows);
        Ok(())
    }
}

impl<'r, 'w> Changing<'r, 'w> {
    fn new(runner: &'r Runner<'r>, write: Option<Write<'w>>) -> Self {
        let write = write.map(|write| {
            let base = write.state.clone();
            (write, base)
        });
        let (steps, changed, altered, appended) = (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
        Changing { runner, write, steps, changed, altered, appended, has_changed: false }
    }
}

impl<'r: 'w, 'w> Changing<'r, 'w> {
    /// Runs parts of a WITH; false if the statement is to begin anew.
    fn parts(&mut self, with: &ChangingWith, places: &[usize]) -> Result<bool> {
        for &place in places {
            let part = &with.parts[place];
            let Some(outcome) = self.work(&part.work)? else { return Ok(false) };
            if let Some(handle) = part.handle {
                self.runner.give_returned(handle, &outcome.rows)?;
            }
        }
        Ok(true)
    }

    fn work(&mut self, work: &Work) -> Result<Option<Outcome>> {
        match work {
            Work::Query(query) => {
                let rows = self.runner.rows_with_numbers(query)?;
                Ok(Some(Outcome { count: rows.rows(), rows }))
            }
            Work::Change(change) => self.change(change, None),
        }
    }

    /// Runs a change, which is made later. None if the statement is to begin anew.
    fn change(&mut self, change: &Change, planned: Option<&Planned>) -> Result<Option<Outcome>> {
        let runner = self.runner;
        let table = change.table.clone();
        let found = runner.found(&table, &runner.snapshot.state)?;
        let stored = runner.snapshot.state.table(&found)?;
        runner.check_own(stored)?;
        if !self.may_insert(change, &found)? {
            return Ok(None);
        }
        let (fields, own) = runner.given_fields(change, &stored.info);
        let numbers = match &change.kind {
            ChangeKind::Insert { .. } | ChangeKind::Merge { .. } => Numbers::None,
            ChangeKind::Update { .. } | ChangeKind::Delete => Numbers::First,
        };
        let rows = match planned {
            Some(planned) => runner.run(planned, Timings::default())?,
            None => runner.query(change.query.clone(), Timings::default())?,
        };
        let given = runner.given_of(rows, (fields, own), numbers)?;
        let declared = stored.info.declared.fields(&stored.info.fields);
        let columns: Vec<usize> = (0..declared.len()).collect();
        match &change.kind {
            ChangeKind::Insert { conflict: None, checks } => {
                let checks = Checks::of(checks, &given.rows, declared.len());
                let rows = given.rows.clone().rearranged(&columns).with_fields(declared)?;
                self.steps.push((table, Step::Insert(rows, checks, change.first_row)));
                Ok(Some(Outcome { count: given.rows.rows(), rows: given.rows }))
            }
            ChangeKind::Insert { conflict: Some(_), .. } => self.insert_unless(change, given),
            ChangeKind::Update { .. } | ChangeKind::Delete => {
                let given = self.without_changed(&found, given)?;
                if !self.take(&found, &given.numbers)? {
                    return Ok(None);
                }
                let outcome = Outcome { count: given.numbers.len(), rows: given.rows.clone() };
                let step = match &change.kind {
                    ChangeKind::Update { columns, checks } => {
                        let checks = Checks::of(checks, &given.rows, columns.len());
                        Step::Update(columns.clone(), given, checks)
                    }
                    _ => Step::Delete(given),
                };
                self.steps.push((table, step));
                Ok(Some(outcome))
            }
            ChangeKind::Merge { columns, inserts } => {
                let context = runner.session.context();
                let merged = Merged::new(given.rows, columns.len(), inserts.then_some(declared.as_slice()), &context)?;
                let numbers = Arc::new(merged.numbers());
                let known = self.changed.get(&found);
                if known.is_some_and(|known| numbers.iter().any(|&number| known.contains(number))) {
                    return Err(merged::twice());
                }
                if !self.take(&found, &numbers)? {
                    return Ok(None);
                }
                let Merged { updated, deleted, inserted, outcome } = merged;
                let gone = Given { numbers: Arc::new(deleted), rows: Table::empty(Vec::new()) };
                self.steps.push((table.clone(), Step::Delete(gone)));
                self.steps.push((table.clone(), Step::Update(columns.clone(), updated, Checks::default())));
                self.steps.extend(inserted.map(|rows| (table, Step::Insert(rows, Checks::default(), None))));
                Ok(Some(outcome))
            }
        }
    }

    /// Takes the table of a change that inserts, as who inserts does; false if it had to wait for it.
    fn may_insert(&mut self, change: &Change, found: &Qualified) -> Result<bool> {
        let inserts = matches!(change.kind, ChangeKind::Insert { .. } | ChangeKind::Merge { inserts: true, .. });
        if !inserts || self.runner.inserts_into(found) {
            return Ok(true);
        }
        // Who has the table may need the right to write to end.
        self.write = None;
        if self.runner.session.waits {
            self.runner.wait_to_insert(found)?;
        }
        Ok(false)
    }

    /// Takes rows that are to be changed; false if it had to wait for them.
    fn take(&mut self, found: &Qualified, numbers: &Arc<Vec<usize>>) -> Result<bool> {
        if !self.runner.locked(found, numbers, Strength::Update)? {
            // Who has them may need the right to write to end.
            self.write = None;
            if !self.runner.session.waits {
                return Ok(false);
            }
            self.runner.wait_for(found, numbers, Strength::Update)?;
            return Ok(false);
        }
        self.changed.entry(found.clone()).or_default().add(numbers);
        Ok(true)
    }

    /// Rows without those that the statement changes already.
    fn without_changed(&self, found: &Qualified, given: Given) -> Result<Given> {
        let Some(known) = self.changed.get(found).filter(|known| !known.parts.is_empty()) else { return Ok(given) };
        let kept: Vec<usize> = (0..given.numbers.len()).filter(|&at| !known.contains(given.numbers[at])).collect();
        if kept.len() == given.numbers.len() {
            return Ok(given);
        }
        let columns: Vec<usize> = (0..given.rows.fields.len()).collect();
        let rows = given.rows.rows_at(&kept, &columns, &self.runner.session.context())?;
        Ok(Given { numbers: Arc::new(kept.into_iter().map(|at| given.numbers[at]).collect()), rows })
    }

    /// INSERT with ON CONFLICT, which sees what the statement has done before.
    fn insert_unless(&mut self, change: &Change, given: Given) -> Result<Option<Outcome>> {
        if !self.make_steps()? || !self.sees_columns(&change.table)? {
            return Ok(None);
        }
        let ChangeKind::Insert { conflict: Some(conflict), checks } = &change.kind else {
            return Err(Error::internal("an INSERT has lost its ON CONFLICT"));
        };
        let runner = self.runner;
        let Some((mut write, base)) = self.write.take() else { return Err(lost()) };
        let name = runner.found(&change.table, &write.state)?;
        let first = base.table(&name)?.stored().rows();
        let known = self.changed.entry(name.clone()).or_default();
        let is_own = |row: usize| row >= first || known.contains(row);
        let asked = (conflict, checks.as_slice(), change.returning);
        match runner.insert_given(&mut write.state, &name, given, asked, is_own)? {
            Inserting::Done(inserted) => {
                known.add(&inserted.changed);
                self.has_changed |= inserted.outcome.count > 0;
                self.altered.extend(inserted.altered);
                self.appended.extend(inserted.appended.map(|appended| (name, appended)));
                self.write = Some((write, base));
                Ok(Some(inserted.outcome))
            }
            Inserting::Waits(numbers) => {
                drop(write);
                runner.wait_for(&name, &numbers, Strength::Update)?;
                Ok(None)
            }
        }
    }

    /// Whether a table has the columns that the statement was bound with.
    fn sees_columns(&self, table: &TableName) -> Result<bool> {
        let Some((_, base)) = &self.write else { return Err(lost()) };
        Ok(self.runner.has_seen_columns(&self.runner.found(table, base)?, base))
    }

    /// Takes the right to write, and makes the changes that have been put off. False if somebody else has changed a table meanwhile.
    fn make_steps(&mut self) -> Result<bool> {
        let runner = self.runner;
        if self.write.is_none() {
            let write = runner.session.begin_write()?;
            let base = write.state.clone();
            self.write = Some((write, base));
        }
        let context = runner.session.loading();
        for (table, step) in std::mem::take(&mut self.steps) {
            let Some((write, base)) = &mut self.write else { return Err(lost()) };
            let name = runner.found(&table, base)?;
            if !runner.has_seen_columns(&name, base) {
                return Ok(false);
            }
            let is_current = |base: &State| -> Result<bool> {
                Ok(runner.snapshot.changed_handle(&name) == Some(base.table(&name)?.info.handle))
            };
            match step {
                Step::Insert(_, _, Some(first)) if base.table(&name)?.stored().rows() as u64 != first => {
                    runner.check_calls(&name, base)?;
                    return Ok(false);
                }
                Step::Insert(rows, checks, _) => {
                    self.has_changed |= rows.rows() > 0;
                    let appended = runner.append_to(&mut write.state, &name, |_| Ok(rows))?;
                    let row = |at: usize| appended.rows.rows_at(&[at], &all_columns(&appended.rows), &context);
                    runner.check_views(&write.state, &checks, row)?;
                    self.appended.push((name, appended));
                }
                Step::Update(..) | Step::Delete(_) if !is_current(base)? => {
                    runner.check_calls(&name, base)?;
                    return Ok(false);
                }
                Step::Update(columns, given, checks) => {
                    self.has_changed |= !given.numbers.is_empty();
                    self.altered.extend(runner.apply(&mut write.state, &name, Some(&columns), &given)?);
                    let stored = write.state.table(&name)?;
                    let row = |at: usize| rows_of(stored, &[given.numbers[at]], &context);
                    runner.check_views(&write.state, &checks, row)?;
                }
                Step::Delete(given) => {
                    self.has_changed |= !given.numbers.is_empty();
                    self.altered.extend(runner.apply(&mut write.state, &name, None, &given)?);
                }
            }
        }
        Ok(true)
    }

    /// Makes all changes, and shows them to others. False if the statement is to begin anew.
    fn finish(mut self) -> Result<bool> {
        if !self.make_steps()? {
            return Ok(false);
        }
        let Changing { runner, write, altered, appended, has_changed, .. } = self;
        let Some((mut write, _)) = write else { return Err(lost()) };
        let shrunk = runner.settle(&mut write.state, altered)?;
        for (name, appended) in &appended {
            runner.check_appended(name, appended, &write.state)?;
        }
        let is_shared = write.is_shared();
        if is_shared {
            runner.drop_deleted(&mut write.state, &shrunk)?;
        }
        if !has_changed {
            return Ok(true);
        }
        write.commit()?;
        for (name, _) in appended.iter().filter(|(_, appended)| is_shared && appended.is_load) {
            runner.session.engine.0.share_domains(name, &runner.session.loading());
        }
        Ok(true)
    }
}

fn lost() -> Error {
    Error::internal("a statement has lost the right to write")
}

/// The parts that run before the statement behind WITH, which reads them, and those that run behind it, the last first; each behind
/// those that it reads.
fn order(with: &ChangingWith) -> (Vec<usize>, Vec<usize>) {
    fn visit(with: &ChangingWith, place: usize, taken: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut taken[place], true) {
            return;
        }
        with.parts[place].reads.iter().for_each(|&read| visit(with, read, taken, order));
        order.push(place);
    }
    let mut taken = vec![false; with.parts.len()];
    let (mut before, mut after) = (Vec::new(), Vec::new());
    with.reads.iter().for_each(|&read| visit(with, read, &mut taken, &mut before));
    for place in (0..with.parts.len()).rev() {
        // Nobody needs the rows of a query that nobody reads.
        if matches!(with.parts[place].work, Work::Change(_)) {
            visit(with, place, &mut taken, &mut after);
        }
    }
    (before, after)
}
