//! Names of objects by number, and back, as object identifiers are shown and read where values leave the engine and come in:
//! those of the system's tables, as within SQL.

use crate::Result;
use crate::catalog::{SearchPath, State};
use crate::sight::{Names, Sight};
use crate::snapshot::Snapshot;
use crate::system::{Facts, Making};
use multiloop_planner::types::{DataType, Field, OidKind};
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The objects of a state, as a session sees them.
pub(crate) struct Known {
    state: State,
    path: SearchPath,
    facts: Facts,
    /// Names by number, of the kinds that were asked for.
    shown: Mutex<HashMap<OidKind, HashMap<i64, String>>>,
}

impl Known {
    pub(crate) fn new(state: State, facts: Facts) -> Self {
        let path = facts.search_path(&state);
        Known { state, path, facts, shown: Mutex::default() }
    }

    fn making(&self) -> Making<'_> {
        Making { state: &self.state, path: &self.path, facts: &self.facts }
    }

    /// The names of all objects of a kind, by number.
    fn all(&self, kind: OidKind) -> HashMap<i64, String> {
        let table = match kind {
            OidKind::Class => "multiloop_relation",
            OidKind::Type => "multiloop_type",
            OidKind::Namespace => "multiloop_namespace",
            OidKind::Role => "multiloop_role",
            OidKind::Procedure | OidKind::ProcedureWithArguments => "multiloop_procedure",
            OidKind::Operator => "pg_operator",
            OidKind::Any | OidKind::Transaction | OidKind::Command | OidKind::Place => return HashMap::new(),
        };
        let named = |row: Vec<Value>| {
            let (Value::Int(number), Value::Text(name), more) = (row.first()?, row.get(1)?, row.get(2)) else {
                return None;
            };
            // The types of the arguments alone, of functions that users wrote.
            let types = row.get(8).filter(|types| matches!(types, Value::Text(_)));
            let shown = match (kind, types.filter(|_| kind == OidKind::ProcedureWithArguments).or(more)) {
                (OidKind::Type, Some(Value::Text(suffix))) => format!("{name}{suffix}"),
                (OidKind::ProcedureWithArguments, Some(Value::Text(of))) => {
                    format!("{name}({})", of.replace(", ", ","))
                }
                _ => name.to_string(),
            };
            Some((*number, shown))
        };
        self.making().rows(table).into_iter().filter_map(named).collect()
    }
}

impl Names for Known {
    fn name_of(&self, kind: OidKind, oid: u32) -> Option<String> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.entry(kind).or_insert_with(|| self.all(kind)).get(&oid.into()).cloned()
    }

    fn number_of(&self, kind: OidKind, name: &str) -> Result<u32> {
        self.making().resolve(kind, name)
    }

    fn number_of_type(&self, data_type: DataType) -> Option<u32> {
        self.making().number_of_type(data_type)
    }
}

impl Snapshot<'_> {
    /// How values of these fields are seen.
    pub(crate) fn sight(&self, fields: &[Field]) -> Sight {
        let names = || Arc::new(Known::new(self.state.clone(), self.facts.clone())) as Arc<dyn Names>;
        Sight::of_fields(fields, &self.zone, self.style, names)
    }
}

#[cfg(test)]
mod tests {
    use crate::{DataType, Engine, Session};
    use multiloop_planner::types::OidKind;

    fn session() -> Session {
        let session = Engine::builder().threads(1).build().expect("an engine").session();
        let sql = "CREATE SCHEMA \"Other\"; CREATE TABLE t (a int); CREATE TABLE \"Other\".t (a int);
            CREATE TABLE \"Other\".\"select\" (a int); CREATE VIEW \"a \"\"b\" AS SELECT 1 AS one; CREATE TEMP TABLE own (a int)";
        session.sql(sql).expect("they are made");
        session
    }

    #[test]
    fn types_that_were_made_have_numbers() {
        let session = session();
        session.sql("CREATE TYPE mood AS ENUM ('sad', 'ok')").expect("it is made");
        let prepared = session.prepare("SELECT 'ok'::mood, ARRAY['ok'::mood], 1").expect("it is prepared");
        let types: Vec<DataType> = prepared.fields().into_iter().flatten().map(|field| field.data_type).collect();
        let sight = session.sight();
        let numbers: Vec<Option<u32>> = types.iter().map(|data_type| sight.number_of_type(*data_type)).collect();
        assert_eq!(numbers[2], None);
        for (data_type, number) in types.iter().zip(&numbers).take(2) {
            assert_eq!(session.type_of_number(number.expect("it has a number")), Some(*data_type));
        }
        assert_eq!(numbers[0].map(|number| sight.name_of(OidKind::Type, number)).as_deref(), Some("mood"));
        assert_eq!(session.type_of_number(23), None);
        session.sql("DROP TYPE mood").expect("it goes");
        assert_eq!(session.sight().number_of_type(types[0]), None);
    }

    #[test]
    fn names_are_read_as_they_are_shown() {
        let session = session();
        let class = DataType::Oid(OidKind::Class);
        let both = |session: &Session, text: &str| {
            let sight = session.sight();
            let value = sight.value_of(text, class).map_err(|error| error.sqlstate())?;
            Ok(sight.text_of(&value, class))
        };
        for (text, shown) in [
            ("T", "t"),
            ("public.t", "t"),
            ("\"Other\".t", "\"Other\".t"),
            ("\"Other\" . \"select\"", "\"Other\".\"select\""),
            ("\"a \"\"b\"", "\"a \"\"b\""),
            ("pg_temp.own", "own"),
        ] {
            assert_eq!(both(&session, text), Ok(shown.to_owned()), "{text}");
        }
        for (text, state) in [("other.t", "42P01"), ("select", "42P01"), ("t.", "42939"), ("\"t", "42939")] {
            assert_eq!(both(&session, text), Err(state), "{text}");
        }
        session.sql("SET search_path = \"Other\"").expect("it is set");
        assert_eq!(both(&session, "public.t"), Ok("public.t".to_owned()));
        assert_eq!(both(&session, "t"), Ok("t".to_owned()));
        let sight = session.sight();
        let number = |text: &str, kind| sight.value_of(text, DataType::Oid(kind)).map_err(|error| error.sqlstate());
        assert_eq!(sight.name_of(OidKind::Namespace, 2200), "public");
        assert_eq!(sight.name_of(OidKind::Type, 1009), "text[]");
        assert_eq!(sight.name_of(OidKind::Class, 5), "5");
        assert_eq!(session.name_of(OidKind::Class, 1259), "pg_class");
        assert_eq!(number("nowhere", OidKind::Namespace), Err("42704"));
        assert_eq!(number("double precision", OidKind::Type), Ok(crate::Value::Int(701)));
        assert_eq!(number("nothing_like_it", OidKind::Procedure), Err("42883"));
    }
}
