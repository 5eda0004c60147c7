//! The catalog: names to tables and views, as immutable states.
//!
//! A statement takes one state and sees nothing else; a writer builds a new state beside the old one and swaps
//! it in at the end, so a statement that fails leaves everything as it was.

mod changed;
pub(crate) mod history;
mod index_rows;
mod on_commit;
mod sequence;
mod stored;
mod unloaded;

pub(crate) use index_rows::IndexRows;
pub(crate) use sequence::{Counter, Keeper, Position, SequenceDefinition, SequenceOwner, StoredSequence};
pub(crate) use stored::{Arranged, Domains, StoredTable};

use crate::grants::{BOOTSTRAP, Owned};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{
    CatalogEntry, Declared, Key, ROUTINE_MARK, Returned, Routine, RoutineBody, TableName, View, shown_key,
};
use multiloop_planner::types::{DataType, Field, OidKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// One state of the world, as a session sees it. Cloning it copies no name.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The schemas that all sessions see.
    pub(crate) schemas: Schemas,
    /// The session's own: what is temporary.
    pub(crate) temporary: Arc<Schema>,
}

/// What a state can be known by when it may be gone: it keeps nothing of it.
#[derive(Debug)]
pub(crate) struct StateMark {
    schemas: Weak<BTreeMap<String, Arc<Schema>>>,
    temporary: Weak<Schema>,
}

/// Schemas by name.
pub(crate) type Schemas = Arc<BTreeMap<String, Arc<Schema>>>;

/// Tables and views by name.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// Its number, for good.
    pub(crate) oid: u32,
    pub(crate) objects: BTreeMap<String, Object>,
    /// What COMMENT says of it.
    pub(crate) comment: Option<Arc<str>>,
    /// Whose it is, and what others may do.
    pub(crate) owned: Owned,
}

/// A table, a view, a sequence or a type, under its name.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Its number, for good: another snapshot of the same table has it, too. What belongs to it has the next ones.
    pub(crate) oid: u32,
    /// Those of what belongs to it.
    pub(crate) numbers: Arc<Numbers>,
    /// What COMMENT says of it and what belongs to it.
    pub(crate) comments: Arc<Comments>,
    /// Whose it is, and what others may do with it.
    pub(crate) owned: Owned,
    /// Differs between any two states of it that statements have made; codes of other domains do not count.
    pub(crate) version: u64,
    pub(crate) entry: Entry,
}

/// Comments by the catalog that has the object, its number, and the number of a column.
pub(crate) type Comments = BTreeMap<(u32, u32, u32), Arc<str>>;

/// The numbers of what a table was declared with, in the order of its lists, for good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// Of the keys' indexes; that of a constraint is the next one.
    pub(crate) keys: Vec<u32>,
    pub(crate) checks: Vec<u32>,
    pub(crate) references: Vec<u32>,
    pub(crate) indexes: Vec<u32>,
    /// One a column, if one of them has a default; or one a label of an enum.
    pub(crate) defaults: Vec<u32>,
}

impl Numbers {
    /// Gives a key that comes before others a number.
    pub(crate) fn insert_key(&mut self, at: usize) {
        self.keys.insert(at, next_oids(2));
    }

    /// Gives a label that comes before others a number.
    pub(crate) fn insert_label(&mut self, at: usize) {
        self.defaults.insert(at.min(self.defaults.len()), next_oids(1));
    }

    /// The numbers of an entry that follows one that had these.
    fn followed(&self, entry: &Entry) -> Self {
        let declared = entry.declared();
        let counted = |known: &[u32], count: usize, step: u32| {
            let kept = known.iter().copied().chain(std::iter::repeat_with(|| next_oids(step)));
            kept.take(count).collect::<Vec<_>>()
        };
        let labels = if let Entry::Type(of) = entry { of.labels().map_or(0, <[String]>::len) } else { 0 };
        Numbers {
            keys: counted(&self.keys, declared.map_or(0, |declared| declared.keys.len()), 2),
            checks: counted(&self.checks, declared.map_or(0, |declared| declared.checks.len()), 1),
            references: counted(&self.references, declared.map_or(0, |declared| declared.references.len()), 1),
            indexes: counted(&self.indexes, declared.map_or(0, |declared| declared.indexes.len()), 1),
            defaults: counted(&self.defaults, declared.map_or(labels, |declared| declared.defaults.len()), 1),
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Table(StoredTable),
    View(StoredView),
    /// An enum.
    Type(DataType),
    Sequence(StoredSequence),
    /// A function, whose name in its schema has its arguments' types.
    Routine(Arc<Routine>),
}

impl Object {
    /// How many numbers there are for it and what belongs to it.
    const NUMBERS: u32 = 4;

    /// The number of the type of arrays of its rows.
    pub(crate) fn array_type(&self) -> u32 {
        self.oid + 1
    }

    /// The number of the type of its rows.
    pub(crate) fn row_type(&self) -> u32 {
        self.oid + 2
    }

    /// The number of an index of it.
    pub(crate) fn index_number(&self, name: &str) -> Option<u32> {
        let declared = self.entry.declared()?;
        let key = declared.keys.iter().position(|key| key.name == name);
        let index = || declared.indexes.iter().position(|index| index.name == name);
        match key {
            Some(at) => self.numbers.keys.get(at).copied(),
            None => self.numbers.indexes.get(index()?).copied(),
        }
    }

    /// The number of a constraint of it.
    pub(crate) fn constraint_number(&self, name: &str) -> Option<u32> {
        let declared = self.entry.declared()?;
        let key = declared.keys.iter().position(|key| key.name == name && !key.is_index);
        let check = || declared.checks.iter().position(|check| check.name == name);
        let reference = || declared.references.iter().position(|reference| reference.name == name);
        if let Some(at) = key {
            return self.numbers.keys.get(at).map(|number| number + 1);
        }
        match check() {
            Some(at) => self.numbers.checks.get(at).copied(),
            None => self.numbers.references.get(reference()?).copied(),
        }
    }

    /// The number of a view's rule.
    pub(crate) fn rule(&self) -> u32 {
        self.oid + 3
    }
}

impl Entry {
    /// What a table was declared with.
    pub(crate) fn declared(&self) -> Option<&Declared> {
        match self {
            Entry::Table(table) => Some(&table.info.declared),
            Entry::View(_) | Entry::Type(_) | Entry::Sequence(_) | Entry::Routine(_) => None,
        }
    }

    /// Whether two tables have columns of the same names and types.
    pub(crate) fn has_columns_of(&self, other: &Entry) -> bool {
        let (Entry::Table(a), Entry::Table(b)) = (self, other) else { return false };
        let is_same = |column: usize| {
            let (a, b) = (a.info.declared_field(column), b.info.declared_field(column));
            a.name == b.name && a.data_type == b.data_type && a.nullable == b.nullable
        };
        a.info.fields.len() == b.info.fields.len() && (0..a.info.fields.len()).all(is_same)
    }

    /// The keys of a table.
    pub(crate) fn declared_keys(&self) -> &[Key] {
        self.declared().map_or(&[], |declared| &declared.keys)
    }

    /// What the planner sees of it; nothing of a type, nor of a sequence, whose row is another one each time.
    pub(crate) fn seen(&self) -> Option<CatalogEntry> {
        match self {
            Entry::Table(table) => Some(CatalogEntry::Table(table.seen())),
            Entry::View(view) => Some(CatalogEntry::View(Arc::clone(&view.view))),
            Entry::Type(_) | Entry::Sequence(_) | Entry::Routine(_) => None,
        }
    }

    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Entry::Table(table) if table.info.declared.materialized.is_some() => "materialized view",
            Entry::Table(_) => "table",
            Entry::View(_) => "view",
            Entry::Type(_) => "type",
            Entry::Sequence(_) => "sequence",
            Entry::Routine(_) => "function",
        }
    }

    /// The tables, views and types that a view's query names, or a materialized one's, and the types that a table's expressions name.
    pub(crate) fn needs(&self) -> Vec<Qualified> {
        match self {
            Entry::View(view) => view.view.names.iter().filter_map(|name| Qualified::of(&name.now)).collect(),
            Entry::Table(table) => {
                let declared = &table.info.declared;
                let query = declared.materialized.iter().flat_map(|of| &of.view.names);
                query.chain(&declared.names).filter_map(|name| Qualified::of(&name.now)).collect()
            }
            Entry::Routine(routine) => {
                let returned = if let Returned::Relation(name) = &routine.returned { Some(name) } else { None };
                let names = routine.names.iter().map(|name| &name.now);
                names.chain(returned).filter_map(Qualified::of).collect()
            }
            Entry::Type(_) | Entry::Sequence(_) => Vec::new(),
        }
    }

    /// The numbers of relations that a view's query names by literals, or a materialized one's.
    pub(crate) fn classes(&self) -> impl Iterator<Item = u32> {
        let view = match self {
            Entry::View(view) => Some(&*view.view),
            Entry::Table(table) => table.info.declared.materialized.as_ref().map(|of| &of.view),
            Entry::Routine(routine) => match &routine.body {
                RoutineBody::Standard(_, view) => Some(&**view),
                RoutineBody::Text(_) => None,
            },
            _ => None,
        };
        let objects = view.into_iter().flat_map(|view| view.literals.objects());
        objects.filter_map(|(kind, number)| (kind == OidKind::Class).then_some(number))
    }

    /// The names of indexes of a table.
    pub(crate) fn index_names(&self) -> impl Iterator<Item = &String> {
        let of = self.declared().into_iter();
        of.flat_map(|of| of.keys.iter().map(|key| &key.name).chain(of.indexes.iter().map(|index| &index.name)))
    }

    /// The enums that a table's columns are of.
    pub(crate) fn enums(&self) -> Vec<DataType> {
        let Entry::Table(table) = self else { return Vec::new() };
        let of = table.info.fields.iter().map(|field| field.data_type.element().unwrap_or(field.data_type));
        of.filter(|of| of.labels().is_some()).collect()
    }

    /// Whether a table has a column of a type.
    pub(crate) fn has_type(&self, data_type: DataType) -> bool {
        let Entry::Table(table) = self else { return false };
        let is_it = |of: DataType| of == data_type || of.element() == Some(data_type);
        table.info.fields.iter().any(|field| is_it(field.data_type))
    }
}

/// A view.
#[derive(Clone, Debug)]
pub(crate) struct StoredView {
    pub(crate) view: Arc<View>,
    /// Its columns.
    pub(crate) fields: Arc<[Field]>,
}

/// A name with its schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Qualified {
    pub(crate) schema: String,
    pub(crate) name: String,
}

impl Qualified {
    /// A name that says its schema, unless that is the system's.
    pub(crate) fn of(name: &TableName) -> Option<Self> {
        let schema = name.schema.clone().filter(|schema| schema != "pg_catalog" && schema != "information_schema")?;
        Some(Qualified { schema, name: name.name.clone() })
    }

    /// As the planner has it.
    pub(crate) fn to_name(&self) -> TableName {
        TableName { schema: Some(self.schema.clone()), name: self.name.clone() }
    }
}

/// Schemas in which names without one are looked for, in order.
pub(crate) type SearchPath = Arc<[String]>;

/// The schema of what is temporary, as every session calls its own.
pub(crate) const TEMPORARY: &str = "pg_temp";

/// The schema that there is from the start.
pub(crate) const PUBLIC: &str = "public";

/// The number of `public`, PostgreSQL's.
pub(crate) const PUBLIC_OID: u32 = 2200;

/// The first number of what users make, PostgreSQL's.
const FIRST_OID: u32 = 16385;

static NEXT_OID: AtomicU32 = AtomicU32::new(FIRST_OID);

/// The first of so many numbers that nothing else has.
fn next_oids(count: u32) -> u32 {
    NEXT_OID.fetch_add(count, Ordering::Relaxed)
}

/// Numbers up to this one are somebody's.
pub(crate) fn reserve_oids(last: u32) {
    NEXT_OID.fetch_max(last.saturating_add(1), Ordering::Relaxed);
}

/// The first number that nothing has.
pub(crate) fn free_oid() -> u32 {
    NEXT_OID.load(Ordering::Relaxed)
}

pub(crate) fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Schema {
    /// An empty one of somebody's, under a number of its own.
    pub(crate) fn new(owner: impl Into<Arc<str>>) -> Arc<Self> {
        Arc::new(Schema { oid: next_oids(1), objects: BTreeMap::new(), comment: None, owned: Owned::by(owner) })
    }
}

impl State {
    /// What all sessions see, with nothing that is temporary.
    pub(crate) fn shared(schemas: Schemas) -> Self {
        State { schemas, temporary: Schema::new(BOOTSTRAP) }
    }

    /// What it can be known by later.
    pub(crate) fn mark(&self) -> StateMark {
        StateMark { schemas: Arc::downgrade(&self.schemas), temporary: Arc::downgrade(&self.temporary) }
    }

    /// Whether the mark is this state's.
    pub(crate) fn is(&self, mark: &StateMark) -> bool {
        std::ptr::eq(mark.schemas.as_ptr(), Arc::as_ptr(&self.schemas))
            && std::ptr::eq(mark.temporary.as_ptr(), Arc::as_ptr(&self.temporary))
    }

    /// A schema by its name.
    pub(crate) fn schema(&self, name: &str) -> Option<&Arc<Schema>> {
        if name == TEMPORARY { Some(&self.temporary) } else { self.schemas.get(name) }
    }

    pub(crate) fn object(&self, name: &Qualified) -> Option<&Object> {
        self.schema(&name.schema)?.objects.get(&name.name)
    }

    pub(crate) fn get(&self, name: &Qualified) -> Option<&Entry> {
        self.object(name).map(|object| &object.entry)
    }

    /// All tables, views and sequences, schema by schema, those of the session last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str, &Object)> {
        self.all().filter(|(_, _, object)| !matches!(object.entry, Entry::Type(_) | Entry::Routine(_)))
    }

    /// All types that were made.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&str, &str, &Object, DataType)> {
        self.all().filter_map(|(schema, name, object)| match object.entry {
            Entry::Type(data_type) => Some((schema, name, object, data_type)),
            _ => None,
        })
    }

    /// All functions that users wrote: their schemas, what these have them under, and what they are.
    pub(crate) fn routines(&self) -> impl Iterator<Item = (&str, &str, &Object, &Arc<Routine>)> {
        self.all().filter_map(|(schema, key, object)| match &object.entry {
            Entry::Routine(routine) => Some((schema, key, object, routine)),
            _ => None,
        })
    }

    /// The functions of a name in a schema, under what the schema has them.
    pub(crate) fn routines_in<'s>(
        &'s self,
        schema: &str,
        name: &str,
    ) -> impl Iterator<Item = (&'s String, &'s Arc<Routine>)> + 's {
        let first = format!("{name}{ROUTINE_MARK}");
        let within = self.schema(schema).into_iter().flat_map(move |of| {
            let prefix = first.clone();
            of.objects.range(first.clone()..).take_while(move |(key, _)| key.starts_with(&prefix))
        });
        within.filter_map(|(key, object)| match &object.entry {
            Entry::Routine(routine) => Some((key, routine)),
            _ => None,
        })
    }

    fn all(&self) -> impl Iterator<Item = (&str, &str, &Object)> {
        let schemas = self.schemas.iter().map(|(name, schema)| (name.as_str(), schema));
        schemas
            .chain([(TEMPORARY, &self.temporary)])
            .flat_map(|(schema, of)| of.objects.iter().map(move |(name, object)| (schema, name.as_str(), object)))
    }

    /// What a name stands for, looked for along a path.
    pub(crate) fn resolve(&self, name: &TableName, path: &[String]) -> Option<(Qualified, &Object)> {
        let found = |schema: &str| {
            let object = self.schema(schema)?.objects.get(&name.name)?;
            Some((Qualified { schema: schema.to_owned(), name: name.name.clone() }, object))
        };
        match &name.schema {
            Some(schema) => found(schema),
            None => path.iter().find_map(|schema| found(schema)),
        }
    }

    /// The name of what a statement makes: in the schema that it says, or in the first of a path that there is.
    ///
    /// # Errors
    /// 3F000 if there is no such schema.
    pub(crate) fn name_for(&self, name: &TableName, path: &[String], temporary: bool) -> Result<Qualified> {
        let schema = match &name.schema {
            Some(schema) if temporary && schema != TEMPORARY => {
                let message = "cannot create temporary relation in non-temporary schema";
                return Err(Error::new(ErrorKind::InvalidTableDefinition, message));
            }
            Some(schema) if self.schema(schema).is_none() => {
                return Err(Error::new(ErrorKind::UnknownSchema, format!("schema \"{schema}\" does not exist")));
            }
            Some(schema) => schema.clone(),
            None if temporary => TEMPORARY.to_owned(),
            None => {
                let is_one = |schema: &&String| *schema != TEMPORARY && self.schemas.contains_key(*schema);
                let none = || Error::new(ErrorKind::UnknownSchema, "no schema has been selected to create in");
                path.iter().find(is_one).cloned().ok_or_else(none)?
            }
        };
        Ok(Qualified { schema, name: name.name.clone() })
    }

    /// Puts something under a name of a schema that there is, in place of what was there.
    pub(crate) fn insert(&mut self, name: &Qualified, entry: Entry) {
        self.put(name, entry, next_version());
    }

    /// Puts another form of the same rows in place of a table.
    pub(crate) fn reshape(&mut self, name: &Qualified, entry: Entry) {
        let version = self.object(name).map_or_else(next_version, |object| object.version);
        self.put(name, entry, version);
    }

    fn put(&mut self, name: &Qualified, entry: Entry, version: u64) {
        let (oid, numbers, comments, owned) = match self.object(name) {
            Some(of) => (of.oid, Numbers::clone(&of.numbers), Arc::clone(&of.comments), of.owned.clone()),
            None => (next_oids(Object::NUMBERS), Numbers::default(), Arc::default(), Owned::by(BOOTSTRAP)),
        };
        let numbers = Arc::new(numbers.followed(&entry));
        if let Some(schema) = self.schema_mut(&name.schema) {
            schema.objects.insert(name.name.clone(), Object { oid, numbers, comments, owned, version, entry });
        }
    }

    /// As [`State::insert`], of somebody who makes it; what is there already stays its owner's.
    pub(crate) fn make(&mut self, name: &Qualified, entry: Entry, owner: &Arc<str>) {
        let is_new = self.object(name).is_none();
        self.insert(name, entry);
        let object = self.schema_mut(&name.schema).and_then(|schema| schema.objects.get_mut(&name.name));
        if let Some(object) = object.filter(|_| is_new) {
            object.owned = Owned::by(Arc::clone(owner));
        }
    }

    /// Changes something where it is; its numbers follow what it is declared with.
    pub(crate) fn change(&mut self, name: &Qualified, change: impl FnOnce(&mut Object)) {
        let object = self.schema_mut(&name.schema).and_then(|schema| schema.objects.get_mut(&name.name));
        if let Some(object) = object {
            change(object);
            object.version = next_version();
            object.numbers = Arc::new(object.numbers.followed(&object.entry));
        }
    }

    /// Puts something that was taken from under another name.
    pub(crate) fn put_object(&mut self, name: &Qualified, object: Object) {
        if let Some(schema) = self.schema_mut(&name.schema) {
            schema.objects.insert(name.name.clone(), Object { version: next_version(), ..object });
        }
    }

    /// Whether a relation of a schema has a name: a table, a view, a type, or an index of a table other than `but`.
    pub(crate) fn has_relation(&self, name: &Qualified, but: Option<&str>) -> bool {
        self.schema(&name.schema).is_some_and(|schema| {
            let others = || schema.objects.iter().filter(|(of, _)| but != Some(of.as_str()));
            others().any(|(of, object)| *of == name.name || object.entry.index_names().any(|index| *index == name.name))
        })
    }

    /// The table that has an index of a name, as names are looked for.
    pub(crate) fn index_table(&self, name: &TableName, path: &[String]) -> Option<Qualified> {
        let within = |schema: &String| {
            let of = self.schema(schema)?;
            let has = |object: &Object| object.entry.index_names().any(|index| *index == name.name);
            let (table, _) = of.objects.iter().find(|(_, object)| has(object))?;
            Some(Qualified { schema: schema.clone(), name: table.clone() })
        };
        match &name.schema {
            Some(schema) => within(schema),
            None => path.iter().find_map(within),
        }
    }

    /// The tables that refer to one, other than itself.
    pub(crate) fn referring(&self, name: &Qualified) -> Vec<Qualified> {
        let to = name.to_name();
        let refers = |object: &Object| {
            object.entry.declared().is_some_and(|declared| declared.references.iter().any(|of| of.table == to))
        };
        let named = |(schema, name, _): (&str, &str, &Object)| Qualified { schema: schema.into(), name: name.into() };
        self.iter().filter(|(_, _, object)| refers(object)).map(named).filter(|other| other != name).collect()
    }

    pub(crate) fn remove(&mut self, name: &Qualified) -> Option<Object> {
        self.schema_mut(&name.schema)?.objects.remove(&name.name)
    }

    fn schema_mut(&mut self, name: &str) -> Option<&mut Schema> {
        if name == TEMPORARY {
            return Some(Arc::make_mut(&mut self.temporary));
        }
        Arc::make_mut(&mut self.schemas).get_mut(name).map(Arc::make_mut)
    }

    /// The views that name a table or view, or draw from a sequence.
    pub(crate) fn needing(&self, name: &Qualified) -> Vec<Qualified> {
        let sequence = self.object(name).filter(|object| matches!(object.entry, Entry::Sequence(_)));
        let draws = |object: &Object| sequence.is_some_and(|of| object.entry.classes().any(|number| number == of.oid));
        let needs = |object: &Object| object.entry.needs().contains(name) || draws(object);
        let named = |(schema, name, _): (&str, &str, &Object)| Qualified { schema: schema.into(), name: name.into() };
        self.all().filter(|(_, _, object)| needs(object)).map(named).collect()
    }

    /// The sequences that a table's columns own, or one of its columns.
    pub(crate) fn owned_sequences(&self, table: u32, column: Option<&str>) -> Vec<Qualified> {
        let owns = |of: &SequenceOwner| of.table == table && column.is_none_or(|column| of.column == column);
        let is_owned = |object: &Object| matches!(&object.entry, Entry::Sequence(sequence) if sequence.owner.as_ref().is_some_and(owns));
        let named = |(schema, name, _): (&str, &str, &Object)| Qualified { schema: schema.into(), name: name.into() };
        self.iter().filter(|(_, _, object)| is_owned(object)).map(named).collect()
    }

    /// Whether a view's query names something, itself or through other views.
    pub(crate) fn reaches(&self, from: &Qualified, to: &Qualified) -> bool {
        let mut reached = vec![from.clone()];
        let mut next = 0;
        while let Some(needs) = reached.get(next).map(|name| self.get(name).map(Entry::needs).unwrap_or_default()) {
            next += 1;
            if needs.contains(to) {
                return true;
            }
            let new: Vec<Qualified> = needs.into_iter().filter(|need| !reached.contains(need)).collect();
            reached.extend(new);
        }
        false
    }

    /// The relation of a number.
    pub(crate) fn numbered(&self, number: u32) -> Option<Qualified> {
        let found = self.iter().find(|(_, _, object)| object.oid == number);
        found.map(|(schema, name, _)| Qualified { schema: schema.to_owned(), name: name.to_owned() })
    }

    /// The domains of all tables.
    pub(crate) fn domains(&self) -> Domains {
        let mut all = Domains::default();
        for (_, _, object) in self.iter() {
            if let Entry::Table(table) = &object.entry {
                all.add(table);
            }
        }
        all
    }

    /// The table of this name; an error if there is none or it is a view.
    pub(crate) fn table(&self, name: &Qualified) -> Result<&StoredTable> {
        match self.get(name) {
            Some(Entry::Table(table)) => Ok(table),
            Some(Entry::View(_)) => {
                Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is a view, not a table", name.name)))
            }
            Some(Entry::Sequence(_)) => {
                Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is a sequence, not a table", name.name)))
            }
            Some(Entry::Routine(_)) => {
                let message = format!("\"{}\" is a function, not a table", shown_key(&name.name));
                Err(Error::new(ErrorKind::WrongObjectType, message))
            }
            Some(Entry::Type(_)) => {
                Err(Error::new(ErrorKind::WrongObjectType, format!("\"{}\" is a type, not a table", name.name)))
            }
            None => Err(Error::new(ErrorKind::UnknownTable, format!("table \"{}\" does not exist", name.name))),
        }
    }
}

/// An object of some schemas.
pub(crate) fn object_at<'s>(schemas: &'s Schemas, name: &Qualified) -> Option<&'s Object> {
    schemas.get(&name.schema)?.objects.get(&name.name)
}
