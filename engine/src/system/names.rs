//! Names as SQL has them, what is visible along a path, and the numbers of objects by their names.

use super::rows::{Rows, text};
use super::shape::shape;
use super::types::FIXED;
use super::{INFORMATION, Making, PG_CATALOG};
use crate::catalog::Entry;
use crate::{Error, ErrorKind, Result};
pub(crate) use multiloop_planner::evaluate::quote::identifier as quoted;
use multiloop_planner::types::{DataType, OidKind};
use multiloop_planner::value::Value;

/// Whether a name without a schema means this object.
pub(super) fn is_visible(making: &Making<'_>, schema: &str, name: &str) -> bool {
    let has = |schema: &str| match schema {
        PG_CATALOG | INFORMATION => shape(schema, name).is_some(),
        _ => making.state.schema(schema).is_some_and(|schema| schema.objects.contains_key(name)),
    };
    making.path.iter().find(|schema| has(schema)).is_some_and(|first| first == schema)
}

/// The parts of a name as it is written: `a."B c"`.
fn parts(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    loop {
        let mut part = String::new();
        if let Some(mut inner) = rest.strip_prefix('"') {
            loop {
                let end = inner.find('"')?;
                part.push_str(&inner[..end]);
                inner = &inner[end + 1..];
                match inner.strip_prefix('"') {
                    Some(more) => {
                        part.push('"');
                        inner = more;
                    }
                    None => break,
                }
            }
            rest = inner;
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            part = rest[..end].trim_end().to_ascii_lowercase();
            rest = &rest[end..];
        }
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        rest = rest.trim_start();
        match rest.strip_prefix('.') {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => return Some(parts),
            None => return None,
        }
    }
}

impl Making<'_> {
    /// The number of a relation's name.
    fn relation(&self, schema: &str, name: &str) -> Option<u32> {
        if super::is_system(schema) {
            return shape(schema, name).map(|shape| shape.oid).filter(|oid| *oid != 0);
        }
        let of = self.state.schema(schema)?;
        let index = || of.objects.values().find_map(|object| object.index_number(name));
        let object = of.objects.get(name).filter(|object| !matches!(object.entry, Entry::Type(_)));
        object.map(|object| object.oid).or_else(index)
    }

    /// The number of a schema's name.
    pub(super) fn schema_named(&self, name: &str) -> Option<u32> {
        match name {
            PG_CATALOG => Some(11),
            INFORMATION => Some(13207),
            "pg_toast" => Some(99),
            name => self.state.schema(name).map(|schema| schema.oid),
        }
    }

    fn type_named(&self, schema: Option<&str>, name: &str) -> Option<u32> {
        let fixed = || FIXED.iter().find(|(_, fixed)| fixed.name == name).map(|(oid, _)| *oid);
        let made = |schema: &str| {
            let of = self.state.schema(schema)?;
            let array = || of.objects.get(name.strip_prefix('_')?).map(|object| object.array_type());
            of.objects.get(name).map(|object| object.row_type()).or_else(array)
        };
        match schema {
            Some(PG_CATALOG) => fixed(),
            Some(schema) => made(schema),
            None => self.path.iter().find_map(|schema| if schema == PG_CATALOG { fixed() } else { made(schema) }),
        }
    }

    /// The number of an object by its name.
    ///
    /// # Errors
    /// 42P01, 42704 and 42883 if there is none, 42602 for what is no name.
    pub(crate) fn resolve(&self, kind: OidKind, written: &str) -> Result<u32> {
        let missing =
            |error: ErrorKind, what: &str| Error::new(error, format!("{what} \"{}\" does not exist", written.trim()));
        if kind == OidKind::Type {
            return self.type_written(written).ok_or_else(|| missing(ErrorKind::UnknownObject, "type"));
        }
        let invalid = || Error::new(ErrorKind::InvalidName, "invalid name syntax");
        let name = match kind {
            OidKind::ProcedureWithArguments => written.split('(').next().unwrap_or_default(),
            _ => written,
        };
        if kind == OidKind::Operator {
            let symbol = written.rsplit('.').next().unwrap_or_default().trim();
            return self
                .only("pg_operator", "oprname", symbol)
                .ok_or_else(|| missing(ErrorKind::UnknownFunction, "operator"));
        }
        let parts = parts(name).ok_or_else(invalid)?;
        let (schema, name) = match parts.as_slice() {
            [name] => (None, name.as_str()),
            [schema, name] | [_, schema, name] => (Some(schema.as_str()), name.as_str()),
            _ => return Err(invalid()),
        };
        match kind {
            OidKind::Class => {
                let found = match schema {
                    Some(schema) => self.relation(schema, name),
                    None => self.path.iter().find_map(|schema| self.relation(schema, name)),
                };
                found.ok_or_else(|| missing(ErrorKind::UnknownTable, "relation"))
            }
            OidKind::Namespace => self.schema_named(name).ok_or_else(|| missing(ErrorKind::UnknownObject, "schema")),
            OidKind::Role => {
                let of =
                    self.rows("pg_authid").into_iter().find(|row| matches!(&row[1], Value::Text(n) if **n == *name));
                let number =
                    of.and_then(|row| if let Value::Int(oid) = row[0] { u32::try_from(oid).ok() } else { None });
                number.ok_or_else(|| missing(ErrorKind::UnknownObject, "role"))
            }
            _ => self
                .routine_named((schema, name), kind, written)
                .or_else(|| self.only("pg_proc", "proname", name))
                .ok_or_else(|| missing(ErrorKind::UnknownFunction, "function")),
        }
    }

    /// The number of a function that a user wrote: of its name, and of the types of its arguments where these are said.
    fn routine_named(&self, (schema, name): (Option<&str>, &str), kind: OidKind, written: &str) -> Option<u32> {
        let types = written.split_once('(').map(|(_, types)| types.trim_end().trim_end_matches(')'));
        let types = types.filter(|_| kind == OidKind::ProcedureWithArguments).map(|types| {
            let words = types.split(',').map(str::trim).filter(|word| !word.is_empty());
            words.map(|word| self.type_written(word)).collect::<Vec<_>>()
        });
        let number = |of| Some(self.number_of_type(of).unwrap_or_else(|| super::types::type_oid(of)));
        let within = |schema: &str| {
            let mut known = self.state.routines_in(schema, name);
            let is_it = |inputs: Vec<DataType>| {
                types.as_ref().is_none_or(|types| inputs.into_iter().map(number).collect::<Vec<_>>() == *types)
            };
            let (key, _) = known.find(|(_, routine)| is_it(routine.input_types()))?;
            self.state.schema(schema)?.objects.get(key).map(|object| object.oid)
        };
        match schema {
            Some(schema) => within(schema),
            None => self.path.iter().find_map(|schema| within(schema)),
        }
    }

    /// A type as it is written: any way to say it in SQL, or the name of a table's rows.
    fn type_written(&self, written: &str) -> Option<u32> {
        let known = |data_type: DataType| (data_type != DataType::Null).then(|| super::types::type_oid(data_type));
        let named = || {
            let parts = parts(written)?;
            match parts.as_slice() {
                [name] => self.type_named(None, name),
                [schema, name] => self.type_named(Some(schema), name),
                _ => None,
            }
        };
        let in_sql = || {
            let parsed = multiloop_planner::sql::type_named(written).ok()?;
            known(parsed)
        };
        in_sql().or_else(named)
    }

    /// The number of the first row of a table with numbers first whose column has this text.
    fn only(&self, table: &str, column: &str, wanted: &str) -> Option<u32> {
        let fields = &shape(PG_CATALOG, table)?.fields;
        let place = fields.iter().position(|field| field.name == column)?;
        let rows = self.rows(table);
        let found = rows.iter().find(|row| matches!(&row[place], Value::Text(name) if **name == *wanted))?;
        if let Value::Int(oid) = found[0] { u32::try_from(oid).ok() } else { None }
    }

    /// The name of a relation as SQL has to say it along the path.
    pub(super) fn shown(&self, schema: &str, name: &str) -> String {
        if is_visible(self, schema, name) { quoted(name) } else { format!("{}.{}", quoted(schema), quoted(name)) }
    }
}

/// Rows of a table of names as SQL has them, of a table whose rows begin with a number and a name.
pub(super) fn shown_names(making: &Making<'_>, of: &str, table: &str) -> Vec<Vec<Value>> {
    let mut rows = Rows::new(table, "oid shown");
    for row in making.rows(of) {
        if let Value::Text(name) = &row[1] {
            rows.push([row[0].clone(), text(quoted(name))]);
        }
    }
    rows.finish()
}
