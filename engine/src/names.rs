//! Names of objects by number, and back, as object identifiers are shown and read: of tables, views and schemas those of a
//! state, of types PostgreSQL's own.

use crate::catalog::{Snapshot, State, TEMPORARY};
use crate::sight::{Names, Sight};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::{SearchPath, TableName};
use multiloop_planner::types::{Field, OidKind};
use std::sync::Arc;

/// The objects of a state, and where names without a schema are looked for.
pub(crate) struct Known {
    pub(crate) state: State,
    pub(crate) path: SearchPath,
}

/// Types by number, with the number of the array of each: the names of `format_type`.
const TYPES: &[(u32, u32, &str)] = &[
    (16, 1000, "boolean"),
    (17, 1001, "bytea"),
    (18, 1002, "\"char\""),
    (19, 1003, "name"),
    (20, 1016, "bigint"),
    (21, 1005, "smallint"),
    (23, 1007, "integer"),
    (24, 1008, "regproc"),
    (25, 1009, "text"),
    (26, 1028, "oid"),
    (28, 1011, "xid"),
    (29, 1012, "cid"),
    (114, 199, "json"),
    (700, 1021, "real"),
    (701, 1022, "double precision"),
    (705, 0, "unknown"),
    (1042, 1014, "character"),
    (1043, 1015, "character varying"),
    (1082, 1182, "date"),
    (1083, 1183, "time without time zone"),
    (1114, 1115, "timestamp without time zone"),
    (1184, 1185, "timestamp with time zone"),
    (1186, 1187, "interval"),
    (1700, 1231, "numeric"),
    (2202, 2207, "regprocedure"),
    (2203, 2208, "regoper"),
    (2205, 2210, "regclass"),
    (2206, 2211, "regtype"),
    (2950, 2951, "uuid"),
    (3802, 3807, "jsonb"),
    (4089, 4090, "regnamespace"),
    (4096, 4097, "regrole"),
];

/// PostgreSQL's keywords that cannot be any name without quotes.
const KEYWORDS: &str = "all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both \
    case cast char character check coalesce collate collation column concurrently constraint create cross current_catalog \
    current_date current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc \
    distinct do else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping \
    having ilike in initially inner inout int integer intersect interval into is isnull join lateral leading least left like \
    limit localtime localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or \
    order out outer overlaps overlay placing position precision primary real references returning right row select \
    session_user setof similar smallint some substring symmetric table tablesample then time timestamp to trailing treat trim \
    true union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement \
    xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable";

impl Names for Known {
    fn name_of(&self, kind: OidKind, oid: u32) -> Option<String> {
        match kind {
            OidKind::Class => {
                let (schema, name, _) = self.state.iter().find(|(_, _, object)| object.oid == oid)?;
                let found = self.state.resolve(&TableName::from(name), &self.path);
                let is_plain = found.is_some_and(|(_, object)| object.oid == oid);
                let name = quoted(name);
                Some(if is_plain { name } else { format!("{}.{name}", quoted(schema)) })
            }
            OidKind::Namespace => {
                let temporary = (&*self.state.temporary, TEMPORARY);
                let schemas = self.state.schemas.iter().map(|(name, schema)| (&**schema, name.as_str()));
                let (_, name) = schemas.chain([temporary]).find(|(schema, _)| schema.oid == oid)?;
                Some(quoted(name))
            }
            OidKind::Type => {
                let (_, array, name) = TYPES.iter().find(|(plain, array, _)| *plain == oid || *array == oid)?;
                Some(if *array == oid { format!("{name}[]") } else { (*name).to_owned() })
            }
            _ => None,
        }
    }

    fn number_of(&self, kind: OidKind, name: &str) -> Result<u32> {
        let parts = parts(name);
        let found = match (kind, parts.as_deref()) {
            (OidKind::Class, Some([name])) => self.class(None, name),
            (OidKind::Class, Some([schema, name])) => self.class(Some(schema), name),
            (OidKind::Namespace, Some([name])) => self.state.schema(name).map(|schema| schema.oid),
            (OidKind::Type, _) => type_named(name),
            _ => None,
        };
        found.ok_or_else(|| missing(kind, name))
    }
}

impl Snapshot<'_> {
    /// How values of these fields are seen.
    pub(crate) fn sight(&self, fields: &[Field]) -> Sight {
        let names = || Arc::new(Known { state: self.state.clone(), path: Arc::clone(&self.path) }) as Arc<dyn Names>;
        Sight::of_fields(fields, &self.zone, names)
    }
}

impl Known {
    fn class(&self, schema: Option<&String>, name: &str) -> Option<u32> {
        let name = TableName { schema: schema.cloned(), name: name.to_owned() };
        self.state.resolve(&name, &self.path).map(|(_, object)| object.oid)
    }
}

fn type_named(name: &str) -> Option<u32> {
    let (plain, is_array) = name.strip_suffix("[]").map_or((name, false), |plain| (plain, true));
    let (oid, array, _) = TYPES.iter().find(|(_, _, known)| known.eq_ignore_ascii_case(plain))?;
    Some(if is_array { *array } else { *oid }).filter(|oid| *oid != 0)
}

fn missing(kind: OidKind, name: &str) -> Error {
    let (error, what) = match kind {
        OidKind::Class => (ErrorKind::UnknownTable, "relation"),
        OidKind::Type => (ErrorKind::UnknownObject, "type"),
        OidKind::Namespace => (ErrorKind::UnknownSchema, "schema"),
        OidKind::Role => (ErrorKind::UnknownObject, "role"),
        OidKind::Operator => (ErrorKind::UnknownFunction, "operator"),
        _ => (ErrorKind::UnknownFunction, "function"),
    };
    Error::new(error, format!("{what} \"{name}\" does not exist"))
}

/// A name as it can be written: in quotes if it would be read as another one, or none.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '_')
        && !KEYWORDS.split_ascii_whitespace().any(|keyword| keyword == name);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The names with points between them that a text is, folded unless they are in quotes; none if it is something else.
fn parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let part;
        if let Some(quoted) = rest.strip_prefix('"') {
            // A quote ends it unless another one follows.
            let mut end = quoted.find('"')?;
            while quoted[end + 1..].starts_with('"') {
                end += 2 + quoted[end + 2..].find('"')?;
            }
            part = quoted[..end].replace("\"\"", "\"");
            rest = &quoted[end + 1..];
        } else {
            let end = rest.find(['.', '"']).unwrap_or(rest.len());
            part = rest[..end].trim().to_lowercase();
            rest = &rest[end..];
        }
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        rest = rest.trim_start();
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind.trim_start(),
            None => return rest.is_empty().then_some(parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{parts, quoted, type_named};
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
        for text in ["other.t", "select", "t.", "\"t", "a.b.c", "\"\""] {
            assert_eq!(both(&session, text), Err("42P01"), "{text}");
        }
        session.sql("SET search_path = \"Other\"").expect("it is set");
        assert_eq!(both(&session, "public.t"), Ok("public.t".to_owned()));
        assert_eq!(both(&session, "t"), Ok("t".to_owned()));
        let sight = session.sight();
        let number = |text: &str, kind| sight.value_of(text, DataType::Oid(kind)).map_err(|error| error.sqlstate());
        assert_eq!(sight.name_of(OidKind::Namespace, 2200), "public");
        assert_eq!(sight.name_of(OidKind::Type, 1009), "text[]");
        assert_eq!(sight.name_of(OidKind::Class, 5), "5");
        assert_eq!(session.name_of(OidKind::Role, 10), "10");
        assert_eq!(number("nowhere", OidKind::Namespace), Err("3F000"));
        assert_eq!(number("double precision", OidKind::Type), Ok(crate::Value::Int(701)));
        assert_eq!(number("now", OidKind::Procedure), Err("42883"));
    }

    #[test]
    fn parts_and_quotes() {
        assert_eq!(parts(" a . \"B.\"\"\" "), Some(vec!["a".to_owned(), "B.\"".to_owned()]));
        for text in ["", ".", "a.", "\"a", "a\"b\"", "\"a\"b", "a..b"] {
            assert_eq!(parts(text), None, "{text}");
        }
        assert_eq!(quoted("order"), "\"order\"");
        assert_eq!(quoted("name"), "name");
        assert_eq!((type_named("Text[]"), type_named("unknown[]")), (Some(1009), None));
    }
}
