//! COMMIT beside others: the shared state with what a transaction has changed.
//!
//! Objects have versions. What the transaction alone has changed is put in; what somebody else has changed since is a conflict (40001),
//! but for tables of which both have changed rows alone: these are given to whoever can do the changes once more.

use super::behind::{Asked, Behind, stands_alone};
use crate::catalog::{Entry, Object, Qualified, Schema, Schemas, State, StoredTable};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{Key, Reference, shown_key};
use multiloop_planner::sql::classes_in;
use multiloop_planner::types::DataType;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A table that a transaction has changed: as it was when that began, if it was there, and as the transaction has made it.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) name: Qualified,
    pub(crate) base: Option<StoredTable>,
    pub(crate) own: StoredTable,
    /// Whether somebody else has changed it since, and it is to have both changes.
    pub(crate) is_moved: bool,
    /// Whether somebody has, and it is left as the transaction has made it.
    is_left: bool,
}

impl Own {
    /// None of what is no table.
    fn of(
        (schema, name): (&str, &str),
        (before, own): (Option<&Object>, &Object),
        (is_moved, is_left): (bool, bool),
    ) -> Option<Self> {
        let table = |object: &Object| match &object.entry {
            Entry::Table(table) => Some(table.clone()),
            _ => None,
        };
        let name = Qualified { schema: schema.to_owned(), name: name.to_owned() };
        Some(Own { name, base: before.and_then(table), own: table(own)?, is_moved, is_left })
    }
}

/// Changes of a transaction, which are to be done to tables that somebody else has changed since it began.
pub(crate) struct Moved<'s> {
    /// The shared state as it was when the transaction began, as it is now, and with all that the transaction has changed but for
    /// these tables.
    base: &'s Schemas,
    now: &'s Schemas,
    pub(crate) state: State,
    /// All tables that it has changed.
    pub(crate) tables: Vec<Own>,
}

impl Moved<'_> {
    /// Whether somebody else has changed a table since.
    pub(crate) fn has_moved(&self, name: &Qualified) -> bool {
        let version = |schemas: &Schemas| object_of(schemas, name).map(|object| object.version);
        version(self.base) != version(self.now)
    }
}

/// Whether a table of a schema and a name is left as the transaction has made it: of what it was when that began, and is now.
type Leaves<'l> = &'l dyn Fn((&str, &str), (&Object, &Object)) -> bool;

/// What does such changes once more.
pub(crate) type Rebase<'r> = &'r dyn Fn(&mut Moved<'_>) -> Result<()>;

/// The shared state with what a transaction has changed, which began with `base` and ended with `own`: tables that others have
/// changed, too, have both changes then, where these are of different rows (40001 if not).
pub(super) fn merged(
    (base, own, now): (&Schemas, &Schemas, &Schemas),
    changed: &mut Vec<(String, String)>,
    rebase: Rebase<'_>,
) -> Result<Schemas> {
    let mut tables = Vec::new();
    let merged = merged_objects((base, own, now), changed, &mut tables, &|_, _| false)?;
    // Where nobody else has changed anything there is nothing to see to.
    let merged = if Arc::ptr_eq(base, now) { merged } else { rebased((base, now), merged, tables, rebase)? };
    // Where one side has changed rows alone, what the other names is there as it was.
    if !defines_alike(base, own) && !defines_alike(base, now) {
        check_names(&merged)?;
    }
    Ok(merged)
}

/// What a transaction goes on with.
pub(super) struct Refreshed {
    /// What its changes are to: the shared state, but for tables that are left behind.
    pub(super) base: Schemas,
    pub(super) own: Schemas,
    pub(super) behind: Option<Behind>,
}

/// The same while the transaction goes on, for a statement that does not ask for everything: tables that it may not ask for are left
/// as they are.
pub(super) fn refreshed(
    (base, own, now): (&Schemas, &Schemas, &Schemas),
    asked: &Asked,
    rebase: Rebase<'_>,
) -> Result<Refreshed> {
    let mut tables = Vec::new();
    let leaves = |name: (&str, &str), of: (&Object, &Object)| asked.leaves(name, of, now);
    let mut own_now = merged_objects((base, own, now), &mut Vec::new(), &mut tables, &leaves)?;
    let behind: Vec<Qualified> = tables.iter().filter(|own| own.is_left).map(|own| own.name.clone()).collect();
    let is_alone = |own: &Own| !own.is_moved && stands_alone((&own.name.schema, &own.name.name), now);
    if !tables.iter().all(is_alone) {
        own_now = rebased((base, now), own_now, tables, rebase)?;
    }
    if !defines_alike(base, own) && !defines_alike(base, now) {
        check_names(&own_now)?;
    }
    let mut base_now = Schemas::clone(now);
    for name in &behind {
        let schema = Arc::make_mut(&mut base_now).get_mut(&name.schema).map(Arc::make_mut);
        if let Some((schema, object)) = schema.zip(object_of(base, name)) {
            schema.objects.insert(name.name.clone(), object.clone());
        }
    }
    let behind = (!behind.is_empty()).then(|| Behind { seen: Schemas::clone(now), tables: behind });
    Ok(Refreshed { base: base_now, own: own_now, behind })
}

/// The state with what the transaction has changed in tables that others have changed, too.
fn rebased(
    (base, now): (&Schemas, &Schemas),
    merged: Schemas,
    tables: Vec<Own>,
    rebase: Rebase<'_>,
) -> Result<Schemas> {
    let mut moved = Moved { base, now, state: State::shared(merged), tables };
    rebase(&mut moved)?;
    Ok(moved.state.schemas)
}

/// Whether two states differ in rows alone.
fn defines_alike(a: &Schemas, b: &Schemas) -> bool {
    let is_declared_alike = |(a, b): (&Object, &Object)| {
        let declared = || a.entry.declared().zip(b.entry.declared()).is_some_and(|(a, b)| std::ptr::eq(a, b));
        let is_table = matches!((&a.entry, &b.entry), (Entry::Table(_), Entry::Table(_)));
        a.oid == b.oid && (a.version == b.version || (is_table && declared() && a.entry.has_columns_of(&b.entry)))
    };
    let is_alike = |(a, b): (&Arc<Schema>, &Arc<Schema>)| {
        Arc::ptr_eq(a, b)
            || (a.oid == b.oid
                && a.objects.keys().eq(b.objects.keys())
                && a.objects.values().zip(b.objects.values()).all(is_declared_alike))
    };
    Arc::ptr_eq(a, b) || (a.keys().eq(b.keys()) && a.values().zip(b.values()).all(is_alike))
}

/// The same but for tables that others have changed, too, which are as others have them, or as the transaction has made them if
/// `leaves` says so of what a table was when it began and is now.
fn merged_objects(
    (base, own, now): (&Schemas, &Schemas, &Schemas),
    changed: &mut Vec<(String, String)>,
    tables: &mut Vec<Own>,
    leaves: Leaves<'_>,
) -> Result<Schemas> {
    let mut merged = Schemas::clone(now);
    let result = Arc::make_mut(&mut merged);
    let names: BTreeSet<&String> = base.keys().chain(own.keys()).collect();
    for name in names {
        let (was, is) = (base.get(name), own.get(name));
        if was.zip(is).is_some_and(|(was, is)| Arc::ptr_eq(was, is)) {
            continue;
        }
        let there = now.get(name);
        // Made or dropped, by this transaction and somebody else.
        let oid = |schema: Option<&Arc<Schema>>| schema.map(|schema| schema.oid);
        let Some(is) = is else {
            let is_as_it_was = was
                .zip(there)
                .is_some_and(|(was, there)| was.oid == there.oid && unchanged(&was.objects, &there.objects));
            if !is_as_it_was {
                return Err(conflict(name));
            }
            result.remove(name);
            continue;
        };
        if oid(was) != oid(there) {
            return Err(conflict(name));
        }
        let mut schema = there.map_or_else(|| Schema::clone(is), |there| Schema::clone(there));
        if was.is_some_and(|was| was.comment != is.comment) {
            schema.comment.clone_from(&is.comment);
        }
        if was.is_some_and(|was| was.owned != is.owned) {
            if was.zip(there).is_some_and(|(was, there)| was.owned != there.owned) {
                return Err(conflict(name));
            }
            schema.owned.clone_from(&is.owned);
        }
        let empty = Default::default();
        let before = was.map_or(&empty, |was| &was.objects);
        let current = there.map_or(&empty, |there| &there.objects);
        for object in before.keys().chain(is.objects.keys()).collect::<BTreeSet<_>>() {
            let version = |objects: &BTreeMap<String, Object>| objects.get(object).map(|one| one.version);
            if version(before) == version(&is.objects) {
                continue;
            }
            let of = (before.get(object), is.objects.get(object), current.get(object));
            let is_moved = version(before) != version(current);
            if is_moved && !is_same_table(of) {
                return Err(conflict(&format!("{name}.{object}")));
            }
            match is.objects.get(object) {
                Some(one) => {
                    let is_left = is_moved && of.0.zip(of.2).is_some_and(|of| leaves((name, object), of));
                    let is_moved = is_moved && !is_left;
                    tables.extend(Own::of((name, object), (of.0, one), (is_moved, is_left)));
                    changed.push((name.clone(), object.clone()));
                    if !is_moved {
                        schema.objects.insert(object.clone(), one.clone());
                    }
                }
                None => drop(schema.objects.remove(object)),
            }
        }
        result.insert(name.clone(), Arc::new(schema));
    }
    Ok(merged)
}

/// Whether an object was, is for a transaction, and is for all others one table, of which rows alone have changed.
fn is_same_table((before, own, now): (Option<&Object>, Option<&Object>, Option<&Object>)) -> bool {
    let (Some(before), Some(own), Some(now)) = (before, own, now) else { return false };
    let is_table = |object: &Object| matches!(object.entry, Entry::Table(_));
    let is_same = |a: &Object, b: &Object| {
        a.oid == b.oid
            && a.owned == b.owned
            && a.comments == b.comments
            && a.entry.declared() == b.entry.declared()
            && a.entry.has_columns_of(&b.entry)
    };
    [before, own, now].into_iter().all(is_table) && is_same(before, own) && is_same(before, now)
}

/// Somebody may have dropped what a new view or table names, or made one that names what this transaction dropped.
fn check_names(merged: &Schemas) -> Result<()> {
    check_sequences(merged)?;
    for (name, schema) in merged.iter() {
        let stands = |one: &Object| {
            let refers = |of: &Reference| {
                let to = Qualified::of(&of.table);
                to.as_ref().is_some_and(|to| object_of(merged, to).is_some_and(|to| has_key(to, &of.referenced)))
            };
            let named = one.entry.needs().iter().all(|need| object_of(merged, need).is_some());
            named && one.entry.declared().is_none_or(|declared| declared.references.iter().all(refers))
        };
        if let Some((view, _)) = schema.objects.iter().find(|(_, one)| !stands(one)) {
            return Err(conflict(&format!("{name}.{view}")));
        }
        let used = |one: &Object| {
            one.entry.enums().into_iter().all(|of| merged.values().any(|of_schema| has_enum(of_schema, of)))
        };
        if let Some((table, _)) = schema.objects.iter().find(|(_, one)| !used(one)) {
            return Err(conflict(&format!("{name}.{table}")));
        }
    }
    Ok(())
}

/// The same of sequences that defaults draw from, and of the tables that own sequences.
fn check_sequences(merged: &Schemas) -> Result<()> {
    let all = || merged.iter().flat_map(|(schema, of)| of.objects.iter().map(move |(name, one)| (schema, name, one)));
    let has = |number: u32| all().any(|(_, _, one)| one.oid == number);
    for (schema, name, object) in all() {
        let stands = match &object.entry {
            Entry::Sequence(sequence) => sequence.owner.as_ref().is_none_or(|owner| has(owner.table)),
            entry => {
                let defaults = entry.declared().into_iter().flat_map(|of| of.defaults.iter().flatten());
                defaults.flat_map(|text| classes_in(text)).all(has)
            }
        };
        if !stands {
            return Err(conflict(&format!("{schema}.{name}")));
        }
    }
    Ok(())
}

pub(crate) fn object_of<'s>(schemas: &'s Schemas, Qualified { schema, name }: &Qualified) -> Option<&'s Object> {
    schemas.get(schema)?.objects.get(name)
}

/// Whether a table has a key of these columns, in any order.
fn has_key(object: &Object, columns: &[usize]) -> bool {
    let is_it = |key: &Key| key.columns.len() == columns.len() && key.columns.iter().all(|of| columns.contains(of));
    object.entry.declared_keys().iter().any(is_it)
}

fn has_enum(schema: &Schema, data_type: DataType) -> bool {
    schema.objects.values().any(|object| matches!(object.entry, Entry::Type(of) if of == data_type))
}

fn unchanged(was: &BTreeMap<String, Object>, is: &BTreeMap<String, Object>) -> bool {
    was.len() == is.len()
        && was.iter().all(|(name, one)| is.get(name).is_some_and(|other| other.version == one.version))
}

pub(crate) fn conflict(name: &str) -> Error {
    let name = shown_key(name);
    let message = format!("could not serialize access due to concurrent update of \"{name}\"");
    Error::new(ErrorKind::Serialization, message).with_hint("The transaction might succeed if retried.")
}
