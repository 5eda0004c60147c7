//! Types that another carries, where a catalog says more: the session's time zone, types that were made, objects with numbers.
//! What stands beside the expressions is PostgreSQL's answer.

use super::super::{Statement, bind, parse};
use crate::catalog::{Catalog, CatalogEntry, TableInfo, TableName};
use crate::error::{Error, ErrorKind, Result};
use crate::evaluate::format_in;
use crate::relation::{Expression, ExpressionKind, Relation};
use crate::types::{DataType, OidKind};
use std::sync::Arc;

const ZONE: &str = "America/New_York";

/// A session in New York, an enum and a table's number.
struct NewYork;

impl Catalog for NewYork {
    fn entry(&self, _: &TableName) -> Result<Option<CatalogEntry>> {
        Ok(None)
    }

    fn file(&self, _: &str) -> Result<Option<Arc<TableInfo>>> {
        Ok(None)
    }

    fn time_zone(&self) -> Arc<str> {
        Arc::from(ZONE)
    }

    fn resolve(&self, kind: OidKind, name: &str) -> Result<u32> {
        match (kind, name) {
            (OidKind::Class, "t") => Ok(16_384),
            _ => Err(Error::new(ErrorKind::UnknownTable, format!("relation \"{name}\" does not exist"))),
        }
    }

    fn type_named(&self, name: &TableName) -> Result<Option<DataType>> {
        let labels = || ["sad", "ok", "happy"].map(str::to_owned).to_vec();
        Ok((name.name == "mood").then(|| DataType::enumeration("mood", labels())))
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A constant expression, bound.
fn bound(expression: &str) -> Result<Expression> {
    let parsed = parse(&format!("SELECT {expression}"))?;
    let Statement::Query(query) = bind(&parsed[0], &NewYork, &[])? else { panic!("it is a query") };
    let Relation::Project { columns, .. } = &*query.relation else { panic!("{:?}", query.relation) };
    Ok(columns[0].1.clone())
}

/// Its text.
fn shown(expression: &str) -> String {
    let bound = bound(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let ExpressionKind::Constant(value) = &bound.kind else { panic!("{expression}: {bound:?}") };
    format_in(value, bound.data_type, ZONE)
}

#[test]
fn instants_in_new_york() {
    for (expression, text) in [
        ("timestamptz '2024-03-10 02:30'", "2024-03-10 03:30:00-04"),
        ("timestamptz '2024-11-03 01:30'", "2024-11-03 01:30:00-05"),
        ("timestamptz '2024-03-09 12:00' + interval '1 day'", "2024-03-10 12:00:00-04"),
        ("timestamptz '2024-03-09 12:00' + interval '24 hours'", "2024-03-10 13:00:00-04"),
        ("timestamptz '2024-01-31 12:00' + interval '1 month 1 day 1 hour'", "2024-03-01 13:00:00-05"),
        ("timestamptz '2024-11-03 12:00' - interval '1 day'", "2024-11-02 12:00:00-04"),
        ("timestamptz '2024-03-11 00:00' - timestamptz '2024-03-10 00:00'", "23:00:00"),
        ("timestamptz '2024-03-10 12:00+00'::date", "2024-03-10"),
        ("timestamptz '2024-03-10 02:00+00'::date", "2024-03-09"),
        ("timestamptz '2024-03-10 02:00+00'::timestamp", "2024-03-09 21:00:00"),
        ("timestamp '2024-07-01 00:00'::timestamptz", "2024-07-01 00:00:00-04"),
        ("date '2024-07-01'::timestamptz", "2024-07-01 00:00:00-04"),
        ("date_trunc('day', timestamptz '2024-03-10 12:00+00')", "2024-03-10 00:00:00-05"),
        ("date_trunc('hour', timestamptz '2024-11-03 05:30+00')", "2024-11-03 01:00:00-04"),
        ("date_trunc('day', timestamptz '2024-03-10 12:00+00', 'Asia/Kolkata')", "2024-03-09 13:30:00-05"),
        ("extract(hour from timestamptz '2024-03-10 12:00+00')", "8"),
        ("extract(epoch from timestamptz '2024-03-10 12:00+00')", "1710072000.000000"),
        ("extract(timezone from timestamptz '2024-03-10 12:00+00')", "-14400"),
        ("extract(timezone_hour from timestamptz '2024-03-10 12:00+00')", "-4"),
        ("timestamptz '2024-03-10 12:00+00' = timestamp '2024-03-10 08:00'", "t"),
        ("timestamptz '2024-07-01 04:00+00' = date '2024-07-01'", "t"),
        ("timestamptz '2024-07-01 04:00+00'::text", "2024-07-01 00:00:00-04"),
        ("'{2024-07-01 04:00+00}'::timestamptz[]", "{\"2024-07-01 00:00:00-04\"}"),
        ("'{2024-07-01 04:00+00}'::timestamptz[]::text[]", "{\"2024-07-01 00:00:00-04\"}"),
        ("'{2024-07-01}'::timestamp[]::timestamptz[]", "{\"2024-07-01 00:00:00-04\"}"),
        ("array_to_string('{2024-07-01 04:00+00}'::timestamptz[], ',')", "2024-07-01 00:00:00-04"),
        ("to_json(timestamptz '2024-07-01 04:00+00')", "\"2024-07-01T00:00:00-04:00\""),
        ("json_build_array(timestamptz '2024-07-01 04:00+00')", "[\"2024-07-01T00:00:00-04:00\"]"),
        ("age(timestamptz '2024-03-11 00:00', timestamptz '2024-03-10 00:00')", "1 day"),
        ("timestamptz '0044-03-15 10:00 BC'", "0044-03-15 10:00:00-04:56:02 BC"),
        ("'2024-07-01 04:00 UTC'::timestamptz", "2024-07-01 00:00:00-04"),
    ] {
        assert_eq!(shown(expression), text, "{expression}");
    }
}

#[test]
fn types_that_were_made() {
    for (expression, text) in [
        ("'ok'::mood", "ok"),
        ("'sad'::mood < 'happy'", "t"),
        ("'ok'::mood = 'ok'::text::mood", "t"),
        ("'happy'::mood::text || '!'", "happy!"),
        ("'{ok,NULL,sad}'::mood[]", "{ok,NULL,sad}"),
        ("('{ok,sad}'::mood[])[2]", "sad"),
        ("ARRAY['happy'::mood] > '{ok}'", "t"),
        ("to_json('ok'::mood)", "\"ok\""),
        ("greatest('sad'::mood, 'ok')", "ok"),
    ] {
        assert_eq!(shown(expression), text, "{expression}");
    }
    assert_eq!(bound("'glad'::mood").unwrap_err().sqlstate(), "22P02");
    assert_eq!(bound("'ok'::mood + 1").unwrap_err().sqlstate(), "42883");
    assert_eq!(bound("'ok'::moods").unwrap_err().sqlstate(), "42704");
    assert_eq!(bound("1::mood").unwrap_err().sqlstate(), "42846");
}

#[test]
fn names_of_objects() {
    assert_eq!(shown("'t'::regclass::oid"), "16384");
    assert_eq!(shown("16384::oid = 't'::regclass"), "t");
    assert_eq!(bound("'u'::regclass").unwrap_err().sqlstate(), "42P01");
}
