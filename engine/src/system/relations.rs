//! Tables and views, their columns, and what belongs to them: indexes, constraints, rules, and who needs whom.

use super::names::{is_visible, quoted};
use super::rows::{Rows, boolean, int, list, oid, text, vector};
use super::shape::shapes;
use super::types::{FIXED, FixedType, type_of};
use super::{INFORMATION, Making, PG_CATALOG};
use crate::catalog::{Entry, Object};
use multiloop_planner::catalog::{Declared, Key};
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// The numbers of the catalogs that pg_depend and pg_description name.
const PG_CLASS: u32 = 1259;
const PG_CONSTRAINT: u32 = 2606;
const PG_REWRITE: u32 = 2618;

/// A key of a table: its number among the keys, its index' number and the key.
fn keys(object: &Object) -> impl Iterator<Item = (u32, &Key)> {
    object.keys.iter().copied().zip(object.entry.declared_keys())
}

fn fields_of(entry: &Entry) -> Option<Vec<Field>> {
    match entry {
        Entry::Table(table) => Some(table.info.declared.fields(&table.info.fields)),
        Entry::View(_) => None,
    }
}

/// Rows of pg_class.
pub(super) fn classes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid relname relnamespace reltype relam relfilenode reltuples relhasindex relpersistence relkind \
                   relnatts relhasrules relreplident";
    let mut rows = Rows::new("pg_class", columns).with("relowner", oid(10)).with("relispopulated", boolean(true));
    made_classes(making, &mut rows);
    for shape in shapes().iter().filter(|shape| shape.oid != 0) {
        let (kind, am) = if shape.is_view { ("v", 0) } else { ("r", 2) };
        let schema = making.schema_named(shape.schema).unwrap_or(11);
        rows.push([
            oid(shape.oid),
            text(shape.name),
            oid(schema),
            oid(0),
            oid(am),
            oid(0),
            Value::Float(-1.0),
            boolean(false),
            text("p"),
            text(kind),
            int(shape.fields.len() as i64),
            boolean(shape.is_view),
            text("n"),
        ]);
    }
    rows.finish()
}

/// The rows of what users have made.
fn made_classes(making: &Making<'_>, rows: &mut Rows) {
    let persistence = |schema: &str| text(if schema == crate::catalog::TEMPORARY { "t" } else { "p" });
    for (schema, name, object) in making.state.iter() {
        let (oid_of, number) = (making.schema_oid(schema), object.oid);
        let row_type = oid(object.row_type());
        match &object.entry {
            Entry::Table(table) => {
                let has_index = !object.keys.is_empty();
                let rows_of = Value::Float(table.info.statistics.rows as f64);
                rows.push([
                    oid(number),
                    text(name),
                    oid(oid_of),
                    row_type,
                    oid(2),
                    oid(number),
                    rows_of,
                    boolean(has_index),
                    persistence(schema),
                    text("r"),
                    int(table.info.fields.len() as i64),
                    boolean(false),
                    text("d"),
                ]);
                for (index, key) in keys(object) {
                    let tuples = Value::Float(table.info.statistics.rows as f64);
                    rows.push([
                        oid(index),
                        text(&key.name),
                        oid(oid_of),
                        oid(0),
                        oid(403),
                        oid(index),
                        tuples,
                        boolean(false),
                        persistence(schema),
                        text("i"),
                        int(key.columns.len() as i64),
                        boolean(false),
                        text("n"),
                    ]);
                }
            }
            Entry::View(_) => {
                let columns = making.columns_of(schema, name).len();
                rows.push([
                    oid(number),
                    text(name),
                    oid(oid_of),
                    row_type,
                    oid(0),
                    oid(0),
                    Value::Float(-1.0),
                    boolean(false),
                    persistence(schema),
                    text("v"),
                    int(columns as i64),
                    boolean(true),
                    text("n"),
                ]);
            }
        }
    }
}

/// Rows of pg_attribute.
pub(super) fn attributes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "attrelid attname atttypid attlen attnum attndims atttypmod attbyval attalign attstorage attnotnull \
                   attcollation";
    let mut rows = Rows::new("pg_attribute", columns)
        .with("attstattarget", int(-1))
        .with("attcacheoff", int(-1))
        .with("attislocal", boolean(true));
    let mut add = |relation: u32, number: usize, field: &Field, place: usize, declared: Option<&Declared>| {
        let of = type_of(field.data_type, place, declared);
        let fixed = FIXED.get(&of.oid);
        let part = |part: fn(&FixedType) -> &Value, or: Value| fixed.map_or(or, |fixed| part(fixed).clone());
        let dimensions = int(i64::from(field.data_type.element().is_some()));
        rows.push([
            oid(relation),
            text(&field.name),
            oid(of.oid),
            part(|of| &of.length, int(-1)),
            int(number as i64 + 1),
            dimensions,
            int(of.modifier),
            part(|of| &of.by_value, boolean(false)),
            part(|of| &of.alignment, text("i")),
            part(|of| &of.storage, text("x")),
            boolean(!field.nullable),
            part(|of| &of.collation, oid(0)),
        ]);
    };
    for (schema, name, object) in making.state.iter() {
        match &object.entry {
            Entry::Table(table) => {
                let (declared, fields) = (&table.info.declared, fields_of(&object.entry).unwrap_or_default());
                for (at, field) in fields.iter().enumerate() {
                    add(object.oid, at, field, at, Some(declared));
                }
                for (index, key) in keys(object) {
                    for (at, &column) in key.columns.iter().enumerate() {
                        let field = Field { nullable: true, ..fields[column].clone() };
                        add(index, at, &field, column, Some(declared));
                    }
                }
            }
            Entry::View(_) => {
                for (at, field) in making.columns_of(schema, name).iter().enumerate() {
                    add(object.oid, at, &Field { nullable: true, ..field.clone() }, at, None);
                }
            }
        }
    }
    for shape in shapes().iter().filter(|shape| shape.oid != 0) {
        for (at, field) in shape.fields.iter().enumerate() {
            add(shape.oid, at, field, at, None);
        }
    }
    rows.finish()
}

/// The kind of order that PostgreSQL's index of a type has: the number in pg_opclass.
fn operator_class(data_type: DataType) -> u32 {
    let of = super::types::type_oid(data_type);
    match of {
        // Both are compared as text is.
        25 | 1043 => 3126,
        _ if data_type.element().is_some() => 10000,
        _ if data_type.is_oid() => 1981,
        _ if data_type.labels().is_some() => 10069,
        _ => {
            let class = |row: &Vec<Value>| match (&row[0], &row[1], &row[6], &row[7]) {
                (Value::Int(class), Value::Int(403), Value::Int(type_of), Value::Boolean(true))
                    if *type_of == i64::from(of) =>
                {
                    u32::try_from(*class).ok()
                }
                _ => None,
            };
            super::rows::fixed("pg_opclass").iter().find_map(class).unwrap_or(0)
        }
    }
}

/// Rows of pg_index.
pub(super) fn indexes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "indexrelid indrelid indnatts indnkeyatts indnullsnotdistinct indisprimary indkey indcollation indclass \
                   indoption";
    let mut rows = Rows::new("pg_index", columns);
    for always in ["indisunique", "indimmediate", "indisvalid", "indisready", "indislive"] {
        rows = rows.with(always, boolean(true));
    }
    for (_, _, object) in making.state.iter() {
        let Some(fields) = fields_of(&object.entry) else { continue };
        for (index, key) in keys(object) {
            let count = key.columns.len() as i64;
            let types = || key.columns.iter().map(|&column| fields[column].data_type);
            let numbers = key.columns.iter().map(|&column| int(column as i64 + 1)).collect();
            let collations = types().map(|data_type| {
                FIXED.get(&super::types::type_oid(data_type)).map_or(oid(0), |fixed| fixed.collation.clone())
            });
            rows.push([
                oid(index),
                oid(object.oid),
                int(count),
                int(count),
                boolean(key.nulls_equal),
                boolean(key.primary),
                vector(numbers, DataType::SmallInt),
                vector(collations.collect(), DataType::OID),
                vector(types().map(|data_type| oid(operator_class(data_type))).collect(), DataType::OID),
                vector(key.columns.iter().map(|_| int(0)).collect(), DataType::SmallInt),
            ]);
        }
    }
    rows.finish()
}

/// Rows of pg_constraint.
pub(super) fn constraints(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid conname connamespace contype conrelid conindid conkey";
    let mut rows = Rows::new("pg_constraint", columns);
    for always in ["convalidated", "conislocal", "connoinherit"] {
        rows = rows.with(always, boolean(true));
    }
    for blank in ["confupdtype", "confdeltype", "confmatchtype"] {
        rows = rows.with(blank, text(" "));
    }
    for (schema, _, object) in making.state.iter() {
        for (index, key) in keys(object) {
            let numbers = key.columns.iter().map(|&column| int(column as i64 + 1)).collect();
            rows.push([
                oid(index + 1),
                text(&key.name),
                oid(making.schema_oid(schema)),
                text(if key.primary { "p" } else { "u" }),
                oid(object.oid),
                oid(index),
                list(numbers, DataType::SmallInt),
            ]);
        }
    }
    rows.finish()
}

fn columns_of_key(key: &Key, object: &Object) -> String {
    let fields = fields_of(&object.entry).unwrap_or_default();
    key.columns.iter().map(|&column| quoted(&fields[column].name)).collect::<Vec<_>>().join(", ")
}

/// Rows of multiloop_constraint: constraints as they are written.
pub(super) fn constraint_texts(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_constraint", "oid definition");
    for (_, _, object) in making.state.iter() {
        for (index, key) in keys(object) {
            let kind = match (key.primary, key.nulls_equal) {
                (true, _) => "PRIMARY KEY",
                (_, true) => "UNIQUE NULLS NOT DISTINCT",
                _ => "UNIQUE",
            };
            rows.push([oid(index + 1), text(format!("{kind} ({})", columns_of_key(key, object)))]);
        }
    }
    rows.finish()
}

/// Rows of multiloop_index_column: the columns of indexes as they are written.
pub(super) fn index_columns(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_index_column", "oid attnum shown");
    for (_, _, object) in making.state.iter() {
        let fields = fields_of(&object.entry).unwrap_or_default();
        for (index, key) in keys(object) {
            for (at, &column) in key.columns.iter().enumerate() {
                rows.push([oid(index), int(at as i64 + 1), text(quoted(&fields[column].name))]);
            }
        }
    }
    rows.finish()
}

/// Rows of multiloop_relation: how relations are called, how large they are, and what makes indexes and views.
pub(super) fn relation_names(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_relation", "oid shown visible bytes definition");
    for (schema, name, object) in making.state.iter() {
        let (bytes, definition) = match &object.entry {
            Entry::Table(table) => (table.stored().bytes(), Value::Null),
            Entry::View(view) => (0, text(format!(" {};", view.view.sql.trim()))),
        };
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        rows.push([
            oid(object.oid),
            text(making.shown(schema, name)),
            boolean(is_visible(making, schema, name)),
            int(bytes),
            definition,
        ]);
        for (index, key) in keys(object) {
            let (table, columns) = (format!("{}.{}", quoted(schema), quoted(name)), columns_of_key(key, object));
            let nulls = if key.nulls_equal { " NULLS NOT DISTINCT" } else { "" };
            let definition =
                format!("CREATE UNIQUE INDEX {} ON {table} USING btree ({columns}){nulls}", quoted(&key.name));
            let visible = is_visible(making, schema, name);
            let shown = if visible { quoted(&key.name) } else { format!("{}.{}", quoted(schema), quoted(&key.name)) };
            rows.push([oid(index), text(shown), boolean(visible), int(0), text(definition)]);
        }
    }
    for shape in shapes().iter().filter(|shape| shape.oid != 0) {
        let visible = is_visible(making, shape.schema, shape.name);
        rows.push([
            oid(shape.oid),
            text(making.shown(shape.schema, shape.name)),
            boolean(visible),
            int(0),
            Value::Null,
        ]);
    }
    rows.finish()
}

/// Rows of pg_rewrite: the rule of each view.
pub(super) fn rules(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_rewrite", "oid ev_class")
        .with("rulename", text("_RETURN"))
        .with("ev_type", text("1"))
        .with("ev_enabled", text("O"))
        .with("is_instead", boolean(true));
    for (_, _, object) in making.state.iter() {
        if matches!(object.entry, Entry::View(_)) {
            rows.push([oid(object.rule()), oid(object.oid)]);
        }
    }
    rows.finish()
}

/// Rows of pg_depend: of keys on their columns, of indexes on their constraints, of views on what they name.
pub(super) fn dependencies(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_depend", "classid objid refclassid refobjid refobjsubid deptype");
    let mut add = |class: u32, object: u32, of: (u32, u32, usize), kind: &str| {
        rows.push([oid(class), oid(object), oid(of.0), oid(of.1), int(of.2 as i64), text(kind)]);
    };
    for (_, _, object) in making.state.iter() {
        for (index, key) in keys(object) {
            add(PG_CLASS, index, (PG_CONSTRAINT, index + 1, 0), "i");
            for column in &key.columns {
                add(PG_CONSTRAINT, index + 1, (PG_CLASS, object.oid, column + 1), "a");
            }
        }
        if let Entry::View(view) = &object.entry {
            add(PG_REWRITE, object.rule(), (PG_CLASS, object.oid, 0), "i");
            for need in view.needs.iter().filter_map(|need| making.state.object(need)) {
                add(PG_REWRITE, object.rule(), (PG_CLASS, need.oid, 0), "n");
            }
        }
    }
    rows.finish()
}

/// Rows of pg_namespace.
pub(super) fn namespaces(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut all = super::rows::fixed("pg_namespace");
    let mut rows = Rows::new("pg_namespace", "oid nspname nspowner");
    for (name, schema) in making.state.schemas.iter() {
        debug_assert!(![PG_CATALOG, INFORMATION].contains(&name.as_str()), "users make no schema of the system");
        rows.push([oid(schema.oid), text(name), oid(if name == crate::catalog::PUBLIC { 6171 } else { 10 })]);
    }
    if !making.state.temporary.objects.is_empty() {
        rows.push([oid(making.state.temporary.oid), text(crate::catalog::TEMPORARY), oid(10)]);
    }
    all.extend(rows.finish());
    all
}
