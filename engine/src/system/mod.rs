//! The system's catalogs: pg_catalog and information_schema, asked by ordinary queries.
//!
//! `shape` has the names and columns of all tables and views, from a text. The rows of a table are made when a statement names it,
//! and kept as long as the state is what it was: those that PostgreSQL has, too, whatever users make (`rows`, `fixed.txt`), and
//! those of what users make (`relations`, `declared`, `types`, `granted`, `session_tables`, and `registered` functions of the program). `views` are queries over them, and so are functions:
//! `functions` has a text for each, which is bound where it is called. `facts` is what a session tells of itself, `names` how
//! things are called, and what a name means; `kept` is how texts that are kept are shown.
//!
//! What PostgreSQL has and Multiloop has not is an empty table of the right columns. Tables whose names begin with `multiloop_`
//! are what functions look up in; no list shows them.

mod catalog_numbers;
mod declared;
pub(crate) mod facts;
mod functions;
mod granted;
mod kept;
mod names;
mod registered;
mod relations;
mod routines;
mod rows;
mod sequences;
mod session_tables;
mod shape;
mod types;
mod updatable;
mod views;

pub(crate) use catalog_numbers::{PG_CLASS, PG_CONSTRAINT, PG_PROC, PG_TYPE};
pub(crate) use facts::Facts;
pub(crate) use functions::{function, is_standard};
pub(crate) use names::quoted;
pub(crate) use sequences::row_of_sequence;
pub(crate) use session_tables::tallies_of;

use crate::catalog::{Object, Schema, Schemas, SearchPath, State, StoredTable};
use multiloop_planner::catalog::View;
use multiloop_planner::value::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// The system's schemas.
pub(crate) const PG_CATALOG: &str = "pg_catalog";
pub(crate) const INFORMATION: &str = "information_schema";

/// Whether a schema is the system's.
pub(crate) fn is_system(schema: &str) -> bool {
    matches!(schema, PG_CATALOG | INFORMATION)
}

/// What there is under a name of the system's.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Table(Box<StoredTable>),
    View(Arc<View>),
}

/// What rows are made of.
pub(crate) struct Making<'a> {
    pub(crate) state: &'a State,
    pub(crate) path: &'a SearchPath,
    pub(crate) facts: &'a Facts,
}

/// Tables that were made of one state, along one path.
#[derive(Debug)]
pub(crate) struct Made {
    schemas: Weak<BTreeMap<String, Arc<Schema>>>,
    /// None of a session that has nothing temporary: such share their tables.
    temporary: Option<Weak<Schema>>,
    path: SearchPath,
    who: (Arc<str>, String),
    /// The time zone in which instants are shown.
    zone: Arc<str>,
    /// The state of the program's functions.
    functions: u64,
    tables: Mutex<HashMap<&'static str, StoredTable>>,
}

/// What was made of the last states.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<Vec<Arc<Made>>>);

/// States of which tables are kept: sessions have their own.
const KEPT: usize = 16;

impl Cache {
    /// The tables of a state, made or to be made.
    pub(crate) fn of(&self, state: &State, path: &SearchPath, facts: &Facts) -> Arc<Made> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (user, zone) = (facts.user(), facts.settings.time_zone());
        let temporary = Some(&state.temporary).filter(|schema| !schema.objects.is_empty());
        let is_it = |made: &Arc<Made>| {
            std::ptr::eq(made.schemas.as_ptr(), Arc::as_ptr(&state.schemas))
                && made.temporary.as_ref().map(Weak::as_ptr) == temporary.map(Arc::as_ptr)
                && made.path == *path
                && made.who.0 == facts.database
                && made.who.1 == user
                && made.zone == zone
                && made.functions == facts.functions.version()
        };
        if let Some(at) = all.iter().position(is_it) {
            return Arc::clone(&all[at]);
        }
        // A state that is gone is not asked again, and its rows need not stay.
        let is_there = |made: &Arc<Made>| {
            made.schemas.strong_count() > 0
                && made.temporary.as_ref().is_none_or(|temporary| temporary.strong_count() > 0)
        };
        all.retain(is_there);
        if all.len() >= KEPT {
            all.remove(0);
        }
        let schemas: &Schemas = &state.schemas;
        let made = Arc::new(Made {
            schemas: Arc::downgrade(schemas),
            temporary: temporary.map(Arc::downgrade),
            path: Arc::clone(path),
            who: (Arc::clone(&facts.database), user.to_owned()),
            zone,
            functions: facts.functions.version(),
            tables: Mutex::default(),
        });
        all.push(Arc::clone(&made));
        made
    }
}

impl Made {
    /// What the system has under a name.
    pub(crate) fn get(&self, schema: &str, name: &str, making: &Making<'_>) -> Option<Found> {
        let shape = shape::shape(schema, name)?;
        if let Some(view) = views::view(schema, name) {
            return Some(Found::View(view));
        }
        if schema == INFORMATION {
            return Some(Found::Table(Box::new(empty(shape))));
        }
        let has_roles = making.facts.roles.is_some();
        if session_tables::is_own(name) || (has_roles && session_tables::is_of_roles(name)) {
            return Some(Found::Table(Box::new(rows::table_of(shape, &making.rows(name)))));
        }
        if let Some(table) = self.tables().get(shape.name) {
            return Some(Found::Table(Box::new(table.clone())));
        }
        // Who comes second while it is made makes it, too.
        let table = rows::table_of(shape, &making.rows(name));
        Some(Found::Table(Box::new(self.tables().entry(shape.name).or_insert(table).clone())))
    }

    fn tables(&self) -> std::sync::MutexGuard<'_, HashMap<&'static str, StoredTable>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A table of a shape without rows, always the same.
fn empty(shape: &'static shape::Shape) -> StoredTable {
    static EMPTY: LazyLock<HashMap<(&str, &str), StoredTable>> = LazyLock::new(|| {
        let of = |shape: &'static shape::Shape| ((shape.schema, shape.name), rows::table_of(shape, &[]));
        shape::shapes().iter().map(of).collect()
    });
    EMPTY[&(shape.schema, shape.name)].clone()
}

impl Making<'_> {
    /// The rows of a table of pg_catalog.
    pub(crate) fn rows(&self, name: &str) -> Vec<Vec<Value>> {
        match name {
            "pg_class" => relations::classes(self),
            "pg_attribute" => relations::attributes(self),
            "pg_index" => declared::indexes(self),
            "pg_constraint" => declared::constraints(self),
            "pg_attrdef" => declared::defaults(self),
            "pg_enum" => declared::labels(self),
            "pg_description" => declared::comments(self),
            "pg_rewrite" => relations::rules(self),
            "pg_depend" => relations::dependencies(self),
            "pg_namespace" => relations::namespaces(self),
            "pg_type" => types::types(self),
            "pg_authid" => session_tables::roles(self),
            "pg_database" => session_tables::databases(self),
            "pg_auth_members" => session_tables::members(self),
            "pg_locks" => session_tables::locks(self),
            "pg_stat_activity" => session_tables::activity(self),
            "pg_stat_statements" => session_tables::statements(self),
            "pg_settings" => session_tables::settings(self),
            "pg_sequence" => sequences::declared(self),
            "multiloop_sequence" => sequences::positions(self),
            "multiloop_acl" => granted::items(self),
            "multiloop_right" => granted::rights(self),
            "multiloop_own_right" => granted::own_rights(self),
            "multiloop_member" => granted::members(self),
            "multiloop_updatable" => updatable::views(self),
            "multiloop_relation" => relations::relation_names(self),
            "multiloop_constraint" => declared::constraint_texts(self),
            "multiloop_expression" => declared::expression_texts(self),
            "multiloop_namespace" => names::shown_names(self, "pg_namespace", name),
            "multiloop_role" => names::shown_names(self, "pg_authid", name),
            "multiloop_index_column" => declared::index_columns(self),
            "multiloop_type" => types::names(self),
            "pg_proc" => [functions::listed(), registered::listed(self), routines::listed(self)].concat(),
            "multiloop_procedure" => {
                [functions::procedures(), registered::procedures(self), routines::procedures(self)].concat()
            }
            name => rows::fixed(name),
        }
    }

    /// All tables and views, in the order in which they were made.
    fn objects(&self) -> impl Iterator<Item = (&str, &str, &Object)> {
        let mut objects: Vec<_> = self.state.iter().collect();
        objects.sort_by_key(|(_, _, object)| object.oid);
        objects.into_iter()
    }

    /// The number of a schema that there is.
    fn schema_oid(&self, name: &str) -> u32 {
        self.state.schema(name).map_or(0, |schema| schema.oid)
    }

    /// The schemas of the path that there are.
    pub(crate) fn schemas(&self) -> Vec<String> {
        let is_there = |name: &&String| match name.as_str() {
            crate::catalog::TEMPORARY => !self.state.temporary.objects.is_empty(),
            name => self.schema_named(name).is_some(),
        };
        self.path.iter().filter(is_there).cloned().collect()
    }
}
