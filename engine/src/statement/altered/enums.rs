//! ALTER TYPE of an enum: another list of labels. Tables keep places in that list, so those that have columns of the type are written
//! anew, label by label.

use super::columns::{plain, rewritten};
use super::put;
use crate::catalog::{Entry, Qualified, State, StoredView};
use crate::running::Runner;
use crate::stream::Notice;
use crate::system::quoted;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::column::Table;
use multiloop_planner::catalog::{Declared, Meant, Returned, Routine, TableName, View};
use multiloop_planner::sql::{self, Alteration};
use multiloop_planner::types::{DataType, Field};
use std::sync::Arc;

/// Bytes of a label.
const LABEL_MAX: usize = 63;

impl Runner<'_> {
    /// ADD VALUE and RENAME VALUE.
    pub(super) fn alter_enum(&self, state: &mut State, name: &Qualified, change: &Alteration) -> Result<Vec<Notice>> {
        let Some(&Entry::Type(was)) = state.get(name) else {
            return Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is not an enum", name.name)));
        };
        let Some(known) = was.labels() else {
            return Err(Error::new(ErrorKind::WrongObjectType, format!("{} is not an enum", name.name)));
        };
        let mut labels = known.to_vec();
        let place = |of: &String| {
            let missing = || {
                let message = format!("\"{of}\" is not an existing enum label");
                Error::new(ErrorKind::InvalidParameter, message)
            };
            known.iter().position(|label| label == of).ok_or_else(missing)
        };
        let exists = |label: &String| format!("enum label \"{label}\" already exists");
        let (mut added, mut renamed) = (None, None);
        match change {
            Alteration::AddValue { label, if_not_exists, beside } => {
                check_label(label)?;
                if known.contains(label) {
                    if *if_not_exists {
                        return Ok(vec![Notice::skipping("42710", exists(label))]);
                    }
                    return Err(Error::new(ErrorKind::DuplicateObject, exists(label)));
                }
                let at = match beside {
                    Some((before, of)) => place(of)? + usize::from(!before),
                    None => known.len(),
                };
                labels.insert(at, label.clone());
                added = Some(at);
            }
            Alteration::RenameValue { from, to } => {
                let at = place(from)?;
                check_label(to)?;
                if known.contains(to) {
                    return Err(Error::new(ErrorKind::DuplicateObject, exists(to)));
                }
                refuse_kept(state, name, from)?;
                labels[at].clone_from(to);
                renamed = Some((from.as_str(), to.as_str()));
            }
            _ => return Err(Error::internal("a change of something else was left to an enum")),
        }
        let now = DataType::enumeration(name.name.clone(), labels);
        state.change(name, |object| {
            if let Some(at) = added {
                Arc::make_mut(&mut object.numbers).insert_label(at);
            }
            object.entry = Entry::Type(now);
        });
        self.relabel(state, name, (was, now), renamed)?;
        Ok(Vec::new())
    }

    /// Lets all columns of a type be of what it has become.
    fn relabel(
        &self,
        state: &mut State,
        name: &Qualified,
        (was, now): (DataType, DataType),
        renamed: Option<(&str, &str)>,
    ) -> Result<()> {
        let of = |data_type: DataType| match data_type {
            one if one == was => Some(now),
            list if list.element() == Some(was) => Some(DataType::list(now)),
            _ => None,
        };
        let all: Vec<Qualified> = state
            .iter()
            .map(|(schema, name, _)| Qualified { schema: schema.to_owned(), name: name.to_owned() })
            .collect();
        for one in all {
            match state.get(&one) {
                Some(Entry::View(view)) if view.fields.iter().any(|field| of(field.data_type).is_some()) => {
                    let changed = |field: &Field| Field {
                        data_type: of(field.data_type).unwrap_or(field.data_type),
                        ..field.clone()
                    };
                    let fields = view.fields.iter().map(changed).collect();
                    let view = StoredView { view: Arc::clone(&view.view), fields };
                    state.change(&one, |object| object.entry = Entry::View(view));
                }
                Some(Entry::Table(stored)) if stored.info.fields.iter().any(|field| of(field.data_type).is_some()) => {
                    let stored = stored.clone();
                    stored.check_own()?;
                    let context = self.session.loading();
                    let rows = plain(&stored, &context)?;
                    let mut fields = stored.info.declared.fields(&stored.info.fields);
                    let mut changed = Vec::new();
                    for (at, field) in fields.iter_mut().enumerate() {
                        if let Some(now) = of(field.data_type) {
                            field.data_type = now;
                            changed.push(at);
                        }
                    }
                    let values = self.relabelled(state, &rows, (name, &fields, &changed), renamed)?;
                    let rows = rows.with_columns(&changed, values)?;
                    let mut declared = Declared::clone(&stored.info.declared);
                    for part in declared.indexes.iter_mut().flat_map(|index| &mut index.parts) {
                        part.data_type = of(part.data_type).unwrap_or(part.data_type);
                    }
                    let next = rewritten(state, rows, (&fields, declared), &one.name, &context)?;
                    put(state, &one, next, |_| {});
                }
                _ => {}
            }
        }
        relabel_routines(state, &of);
        Ok(())
    }

    /// The columns of rows that are of the type, by their labels.
    fn relabelled(
        &self,
        state: &State,
        rows: &Table,
        (name, fields, columns): (&Qualified, &[Field], &[usize]),
        renamed: Option<(&str, &str)>,
    ) -> Result<Table> {
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let of = format!("{}.{}", quoted(&name.schema), quoted(&name.name));
        let items: Vec<String> = columns
            .iter()
            .map(|&at| {
                let column = quoted(&fields[at].name);
                let is_list = fields[at].data_type.element().is_some();
                let dimensions = if is_list { "[]" } else { "" };
                let text = format!("({column}::text{dimensions})");
                let text = match renamed {
                    None => text,
                    Some((from, to)) if is_list => {
                        format!("array_replace({text}, {}, {})", literal(from), literal(to))
                    }
                    Some((from, to)) => {
                        let (from, to) = (literal(from), literal(to));
                        format!("(CASE {text} WHEN {from} THEN {to} ELSE {text} END)")
                    }
                };
                format!("{text}::{of}{dimensions} AS {column}")
            })
            .collect();
        let text = format!("SELECT {} FROM {}", items.join(", "), quoted(crate::snapshot::COMING));
        let chosen: Vec<Field> = columns.iter().map(|&at| Field { nullable: true, ..fields[at].clone() }).collect();
        self.over_state(state, rows, |runner, _| {
            let plain = TableName { schema: None, name: name.name.clone() };
            let meant =
                |written: TableName| Meant { written, now: name.to_name(), then: name.to_name(), columns: None };
            let names = vec![meant(plain), meant(name.to_name())];
            let view = Arc::new(View { names, ..View::of_text(text) });
            let query = sql::view_as_query(runner.snapshot, &TableName::from("labels"), &view, true)?;
            runner.rows_of_query(query, chosen)
        })
    }
}

/// Lets functions take and give what a type has become.
fn relabel_routines(state: &mut State, of: &dyn Fn(DataType) -> Option<DataType>) {
    let routines: Vec<Qualified> = state
        .routines()
        .map(|(schema, name, ..)| Qualified { schema: schema.to_owned(), name: name.to_owned() })
        .collect();
    for one in routines {
        let Some(Entry::Routine(routine)) = state.get(&one) else { continue };
        let mut changed = Routine::clone(routine);
        for argument in &mut changed.arguments {
            argument.data_type = of(argument.data_type).unwrap_or(argument.data_type);
        }
        if let Returned::Value(returned) = &mut changed.returned {
            *returned = of(*returned).unwrap_or(*returned);
        }
        if changed != **routine {
            state.change(&one, |object| object.entry = Entry::Routine(Arc::new(changed)));
        }
    }
}

fn check_label(label: &str) -> Result<()> {
    if !label.is_empty() && label.len() <= LABEL_MAX {
        return Ok(());
    }
    let error = Error::new(ErrorKind::InvalidName, format!("invalid enum label \"{label}\""));
    Err(error.with_detail("Labels must be 63 bytes or less."))
}

/// An error (0A000) for a label that stands in a text that is kept: it would mean nothing there.
fn refuse_kept(state: &State, name: &Qualified, label: &str) -> Result<()> {
    let literal = format!("'{}'", label.replace('\'', "''"));
    let has = |text: &str| text.contains(&literal);
    for (_, called, object) in state.iter().filter(|(_, _, object)| object.entry.needs().contains(name)) {
        let in_view = match &object.entry {
            Entry::View(view) => has(&view.view.sql),
            entry => entry.declared().is_some_and(|declared| {
                let parts = declared.indexes.iter().flat_map(|index| index.parts.iter().map(|part| &*part.expression));
                let texts = declared.defaults.iter().flatten().map(|text| &**text);
                let texts = texts.chain(declared.checks.iter().map(|check| &*check.condition)).chain(parts);
                let texts = texts.chain(declared.indexes.iter().filter_map(|index| index.predicate.as_deref()));
                let mut texts = texts.chain(declared.materialized.iter().map(|of| of.view.sql.as_str()));
                texts.any(has)
            }),
        };
        if in_view {
            let what =
                format_args!("another name of an enum's label that \"{called}\" has in an expression is").to_string();
            return Err(Error::unsupported(what));
        }
    }
    Ok(())
}
