//! Names and columns of the system's tables and views: `columns.txt`, read once.

use multiloop_planner::types::{DataType, Field, OidKind, SystemType};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A table or view of the system.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) schema: &'static str,
    pub(crate) name: &'static str,
    /// PostgreSQL's number of it.
    pub(crate) oid: u32,
    pub(crate) is_view: bool,
    pub(crate) fields: Vec<Field>,
}

/// What PostgreSQL does not have, or an extension of it: what names of types, of views and of functions are looked up in.
const OWN: &str = "\
pg_catalog.multiloop_relation 0 r
  oid oid!, shown text!, visible boolean!, bytes bigint!, definition text, pretty text, name name!, schema name!
pg_catalog.multiloop_type 0 r
  oid oid!, shown text!, suffix text!, base oid!, visible boolean!, name name!, schema name!
pg_catalog.multiloop_procedure 0 r
  oid oid!, shown text!, arguments text!, result text, identity text, definition text, body text, visible
  boolean, types text
pg_catalog.multiloop_namespace 0 r
  oid oid!, shown text!
pg_catalog.multiloop_role 0 r
  oid oid!, shown text!
pg_catalog.multiloop_expression 0 r
  relid oid!, shown text!, pretty text!
pg_catalog.multiloop_sequence 0 r
  oid oid!, last_value bigint
pg_catalog.multiloop_index_column 0 r
  oid oid!, attnum smallint!, shown text!
pg_catalog.pg_stat_statements 0 v
  userid oid!, dbid oid!, toplevel boolean!, queryid bigint, query text, plans bigint!, total_plan_time double!,
  min_plan_time double!, max_plan_time double!, mean_plan_time double!, stddev_plan_time double!, calls bigint!,
  total_exec_time double!, min_exec_time double!, max_exec_time double!, mean_exec_time double!, stddev_exec_time
  double!, rows bigint!, shared_blks_hit bigint!, shared_blks_read bigint!, shared_blks_dirtied bigint!,
  shared_blks_written bigint!, local_blks_hit bigint!, local_blks_read bigint!, local_blks_dirtied bigint!,
  local_blks_written bigint!, temp_blks_read bigint!, temp_blks_written bigint!, blk_read_time double!, blk_write_time
  double!, temp_blk_read_time double!, temp_blk_write_time double!, wal_records bigint!, wal_fpi bigint!, wal_bytes
  bigint!
pg_catalog.multiloop_acl 0 r
  class oid!, oid oid!, grantor oid!, grantee oid!, privilege text!, grantable boolean!
pg_catalog.multiloop_right 0 r
  role oid!, rolename name!, class oid!, oid oid!, name name!, words text!
pg_catalog.multiloop_own_right 0 r
  class oid!, oid oid!, name name!, words text!
pg_catalog.multiloop_member 0 r
  role oid!, rolename name!, granted oid!, grantedname name!, own boolean!
pg_catalog.multiloop_updatable 0 r
  relid oid!, attnum smallint!, events integer!
pg_catalog.multiloop_keyword 0 r
  word text!, catcode \"char\"!, barelabel boolean!
pg_catalog.multiloop_constraint 0 r
  oid oid!, definition text!, pretty text!
";

/// All of them, by schema and name in order.
pub(crate) fn shapes() -> &'static [Shape] {
    static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
        let mut shapes = read(include_str!("columns.txt"));
        shapes.extend(read(OWN));
        shapes
    });
    &SHAPES
}

/// One of them.
pub(crate) fn shape(schema: &str, name: &str) -> Option<&'static Shape> {
    static PLACES: LazyLock<HashMap<(&str, &str), usize>> = LazyLock::new(|| {
        shapes().iter().enumerate().map(|(place, shape)| ((shape.schema, shape.name), place)).collect()
    });
    PLACES.get(&(schema, name)).map(|&place| &shapes()[place])
}

fn read(text: &'static str) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut columns = String::new();
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).peekable();
    while let Some(line) = lines.next() {
        if let Some(more) = line.strip_prefix("  ") {
            columns.push_str(more);
            columns.push(' ');
            if lines.peek().is_none_or(|next| !next.starts_with("  ")) {
                let shape = shapes.last_mut().expect("columns stand behind a name");
                shape.fields = columns.split(", ").map(|column| field(column.trim())).collect();
                columns.clear();
            }
            continue;
        }
        let mut words = line.split(' ');
        let mut word = || words.next().expect("a table has a name, a number and a kind");
        let (name, oid, kind) = (word(), word(), word());
        let (schema, name) = name.split_once('.').expect("a name has a schema");
        let oid = oid.parse().expect("a number");
        shapes.push(Shape { schema, name, oid, is_view: kind == "v", fields: Vec::new() });
    }
    shapes
}

fn field(column: &str) -> Field {
    let (name, data_type) = column.split_once(' ').expect("a column has a type");
    let is_never_null = data_type.ends_with('!');
    let word = data_type.trim_end_matches('!');
    Field::new(name, data_type_of(word).unwrap_or_else(|| panic!("{column}: no such type")), !is_never_null)
}

fn data_type_of(word: &str) -> Option<DataType> {
    if let Some(element) = word.strip_suffix("[]") {
        return data_type_of(element).map(DataType::list);
    }
    Some(match word {
        "boolean" => DataType::Boolean,
        "smallint" => DataType::SmallInt,
        "integer" => DataType::Integer,
        "bigint" => DataType::BigInt,
        "real" => DataType::Real,
        "double" => DataType::Double,
        "numeric" => DataType::Numeric,
        "text" => DataType::Text,
        "varchar" => DataType::VARCHAR,
        "varchar(3)" => DataType::Varchar(3),
        "name" => DataType::Name,
        "\"char\"" => DataType::InternalChar,
        "bytea" => DataType::Bytea,
        "interval" => DataType::Interval,
        "timestamptz" => DataType::TimestampTz,
        "int2vector" => DataType::int2vector(),
        "oidvector" => DataType::oidvector(),
        word => match SystemType::named(word) {
            Some(of) => DataType::System(of),
            None => DataType::Oid(OidKind::named(word)?),
        },
    })
}
