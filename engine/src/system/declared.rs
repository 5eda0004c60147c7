//! What tables are declared with: pg_index, pg_constraint, pg_attrdef, and the labels of enums and comments, with the texts that
//! functions show of them.

use super::Making;
use super::catalog_numbers::PG_NAMESPACE;
use super::names::quoted;
use super::rows::{Rows, boolean, described, fixed, int, list, oid, text, vector};
use super::shape::shape;
use super::types::{FIXED, type_oid};
use crate::catalog::{Entry, Object, Qualified};
use multiloop_planner::catalog::{Check, Deferral, IndexPart, Reference};
use multiloop_planner::types::{DataType, Field, SortOrder};
use multiloop_planner::value::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The columns of a table.
pub(super) fn fields_of(entry: &Entry) -> Option<Vec<Field>> {
    match entry {
        Entry::Table(table) => Some(table.info.declared.fields(&table.info.fields)),
        Entry::View(_) | Entry::Type(_) | Entry::Sequence(_) | Entry::Routine(_) => None,
    }
}

/// An index of a table: of a key, or recorded.
pub(super) struct Listed {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) unique: bool,
    pub(super) primary: bool,
    pub(super) nulls_equal: bool,
    /// Whether it is a constraint's.
    pub(super) is_constraint: bool,
    pub(super) method: String,
    pub(super) parts: Vec<IndexPart>,
    predicate: Option<String>,
}

/// The indexes of a table.
pub(super) fn indexes_of(object: &Object) -> Vec<Listed> {
    let Some(declared) = object.entry.declared() else { return Vec::new() };
    let fields = fields_of(&object.entry).unwrap_or_default();
    let order = SortOrder { descending: false, nulls_first: false };
    let part = |&column: &usize| {
        let data_type = fields[column].data_type;
        IndexPart { column: Some(column), expression: "".into(), data_type, order }
    };
    let mut all = Vec::new();
    for (&number, key) in object.numbers.keys.iter().zip(&declared.keys) {
        all.push(Listed {
            number,
            name: key.name.clone(),
            unique: true,
            primary: key.primary,
            nulls_equal: key.nulls_equal,
            is_constraint: !key.is_index,
            method: "btree".to_owned(),
            parts: key.columns.iter().map(part).collect(),
            predicate: None,
        });
    }
    for (&number, index) in object.numbers.indexes.iter().zip(&declared.indexes) {
        all.push(Listed {
            number,
            name: index.name.clone(),
            unique: index.unique,
            primary: false,
            nulls_equal: index.nulls_equal,
            is_constraint: false,
            method: index.method.clone(),
            parts: index.parts.clone(),
            predicate: index.predicate.as_ref().map(|text| text.to_string()),
        });
    }
    all
}

impl Listed {
    /// The number of its method in pg_am.
    pub(super) fn method_number(&self) -> u32 {
        if self.method == "hash" { 405 } else { 403 }
    }

    /// A part as it is written, without its order.
    fn part(&self, part: &IndexPart, fields: &[Field]) -> String {
        match part.column {
            Some(column) => quoted(&fields[column].name),
            // A call stands for itself.
            None if part.expression.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                part.expression.to_string()
            }
            None => format!("({})", part.expression),
        }
    }

    /// CREATE INDEX as it would be written.
    pub(super) fn definition(&self, schema: Option<&str>, table: &str, fields: &[Field]) -> String {
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let order = match (part.order.descending, part.order.nulls_first) {
                    (false, false) => "",
                    (false, true) => " NULLS FIRST",
                    (true, true) => " DESC",
                    (true, false) => " DESC NULLS LAST",
                };
                format!("{}{order}", self.part(part, fields))
            })
            .collect();
        let unique = if self.unique { "UNIQUE " } else { "" };
        let nulls = if self.nulls_equal { " NULLS NOT DISTINCT" } else { "" };
        let rows = self.predicate.as_ref().map_or_else(String::new, |text| format!(" WHERE {text}"));
        let schema = schema.map_or_else(String::new, |schema| format!("{}.", quoted(schema)));
        let (name, table) = (quoted(&self.name), format!("{schema}{}", quoted(table)));
        format!("CREATE {unique}INDEX {name} ON {table} USING {} ({}){nulls}{rows}", self.method, parts.join(", "))
    }
}

/// The kind of order that PostgreSQL's index of a type has: the number in pg_opclass.
fn operator_class(data_type: DataType) -> u32 {
    let of = type_oid(data_type);
    match of {
        _ if data_type.element().is_some() => 10000,
        _ if data_type.is_oid() => 1981,
        _ if data_type.labels().is_some() => 10069,
        // Both are compared as text is.
        25 | 1043 => 3126,
        _ => {
            let class = |row: &Vec<Value>| match (&row[0], &row[1], &row[6], &row[7]) {
                (Value::Int(class), Value::Int(403), Value::Int(type_of), Value::Boolean(true))
                    if *type_of == i64::from(of) =>
                {
                    u32::try_from(*class).ok()
                }
                _ => None,
            };
            fixed("pg_opclass").iter().find_map(class).unwrap_or(0)
        }
    }
}

/// Rows of pg_index.
pub(super) fn indexes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "indexrelid indrelid indnatts indnkeyatts indnullsnotdistinct indisunique indisprimary indkey \
                   indcollation indclass indoption indexprs indpred";
    let mut rows = Rows::new("pg_index", columns);
    for always in ["indimmediate", "indisvalid", "indisready", "indislive"] {
        rows = rows.with(always, boolean(true));
    }
    for (_, _, object) in making.objects() {
        for index in indexes_of(object) {
            let count = index.parts.len() as i64;
            let number = |part: &IndexPart| int(part.column.map_or(0, |column| column as i64 + 1));
            let collation =
                |part: &IndexPart| FIXED.get(&type_oid(part.data_type)).map_or(oid(0), |fixed| fixed.collation.clone());
            let order =
                |part: &IndexPart| int(i64::from(part.order.descending) + 2 * i64::from(part.order.nulls_first));
            let expressions: Vec<&str> =
                index.parts.iter().filter(|part| part.column.is_none()).map(|part| &*part.expression).collect();
            rows.push([
                oid(index.number),
                oid(object.oid),
                int(count),
                int(count),
                boolean(index.nulls_equal),
                boolean(index.unique),
                boolean(index.primary),
                vector(index.parts.iter().map(number).collect(), DataType::SmallInt),
                vector(index.parts.iter().map(collation).collect(), DataType::OID),
                vector(index.parts.iter().map(|part| oid(operator_class(part.data_type))).collect(), DataType::OID),
                vector(index.parts.iter().map(order).collect(), DataType::SmallInt),
                if expressions.is_empty() { Value::Null } else { text(expressions.join(", ")) },
                index.predicate.as_ref().map_or(Value::Null, text),
            ]);
        }
    }
    rows.finish()
}

/// Rows of multiloop_index_column: the columns of indexes as they are written.
pub(super) fn index_columns(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_index_column", "oid attnum shown");
    for (_, _, object) in making.objects() {
        let fields = fields_of(&object.entry).unwrap_or_default();
        for index in indexes_of(object) {
            for (at, part) in index.parts.iter().enumerate() {
                rows.push([oid(index.number), int(at as i64 + 1), text(index.part(part, &fields))]);
            }
        }
    }
    rows.finish()
}

/// The numbers of the types of these columns of a table; varchars are compared as text.
fn types_of(entry: &Entry, columns: &[usize]) -> Vec<u32> {
    let fields = fields_of(entry).unwrap_or_default();
    let of = |&column: &usize| match type_oid(fields[column].data_type) {
        1043 => 25,
        of => of,
    };
    columns.iter().map(of).collect()
}

/// The operators by which values of some types are equal to values of others, an array.
fn equalities(left: &[u32], right: &[u32]) -> Value {
    static KNOWN: LazyLock<HashMap<(u32, u32), u32>> = LazyLock::new(|| {
        let fields = &shape("pg_catalog", "pg_operator").expect("it is a table of the catalog").fields;
        let place = |name: &str| fields.iter().position(|field| field.name == name).expect("a column of it");
        let [name, left, right] = ["oprname", "oprleft", "oprright"].map(place);
        let number = |value: &Value| if let Value::Int(number) = value { *number as u32 } else { 0 };
        let is_equality = |row: &Vec<Value>| matches!(&row[name], Value::Text(name) if &**name == "=");
        let of = |row: Vec<Value>| ((number(&row[left]), number(&row[right])), number(&row[0]));
        fixed("pg_operator").into_iter().filter(is_equality).map(of).collect()
    });
    let each = left.iter().zip(right).map(|(&left, &right)| oid(KNOWN.get(&(left, right)).copied().unwrap_or(0)));
    list(each.collect(), DataType::OID)
}

fn numbers(columns: &[usize]) -> Value {
    list(columns.iter().map(|&column| int(column as i64 + 1)).collect(), DataType::SmallInt)
}

/// A check of a table and its number.
fn checks(object: &Object) -> impl Iterator<Item = (u32, &Check)> {
    let checks = object.entry.declared().map_or(&[][..], |declared| &declared.checks);
    object.numbers.checks.iter().copied().zip(checks)
}

/// A reference of a table and its number.
pub(super) fn references(object: &Object) -> impl Iterator<Item = (u32, &Reference)> {
    let references = object.entry.declared().map_or(&[][..], |declared| &declared.references);
    object.numbers.references.iter().copied().zip(references)
}

/// The table that a reference is to, and its index that the reference needs.
pub(super) fn referenced<'m>(making: &Making<'m>, reference: &Reference) -> Option<(&'m Object, u32)> {
    let object = making.state.object(&Qualified::of(&reference.table)?)?;
    let is_it = |columns: &[usize]| {
        columns.len() == reference.referenced.len() && columns.iter().all(|of| reference.referenced.contains(of))
    };
    let at = object.entry.declared_keys().iter().position(|key| is_it(&key.columns))?;
    Some((object, *object.numbers.keys.get(at)?))
}

/// Rows of pg_constraint.
pub(super) fn constraints(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid conname connamespace contype conrelid conindid conkey confrelid confkey confupdtype confdeltype \
                   confmatchtype connoinherit conbin conpfeqop conppeqop conffeqop convalidated condeferrable condeferred";
    let mut rows = Rows::new("pg_constraint", columns).with("conislocal", boolean(true));
    for (schema, _, object) in making.objects() {
        let (schema, table) = (oid(making.schema_oid(schema)), oid(object.oid));
        let mut add = |number: u32, name: &str, kind: &str, index: u32, columns: &[usize], rest: [Value; 13]| {
            let (number, name, kind, index) = (oid(number), text(name), text(kind), oid(index));
            let first = [number, name, schema.clone(), kind, table.clone(), index, numbers(columns)];
            rows.push(first.into_iter().chain(rest));
        };
        let none = |no_inherit, condition, is_valid| {
            let blank = || text(" ");
            let null = || Value::Null;
            let [valid, no] = [is_valid, false].map(boolean);
            let (inherits, never) = (boolean(no_inherit), no.clone());
            [oid(0), null(), blank(), blank(), blank(), inherits, condition, null(), null(), null(), valid, no, never]
        };
        for (index, key) in object.numbers.keys.iter().copied().zip(object.entry.declared_keys()) {
            if !key.is_index {
                let kind = if key.primary { "p" } else { "u" };
                add(index + 1, &key.name, kind, index, &key.columns, none(true, Value::Null, true));
            }
        }
        for (number, check) in checks(object) {
            add(
                number,
                &check.name,
                "c",
                0,
                &check.columns,
                none(false, text(making.shown_expression(&check.condition)), check.is_valid),
            );
        }
        for (number, reference) in references(object) {
            let Some((to, index)) = referenced(making, reference) else { continue };
            let (update, delete) = (text(reference.on_update.letter()), text(reference.on_delete.letter()));
            let key = types_of(&to.entry, &reference.referenced);
            let own = types_of(&object.entry, &reference.columns);
            let [across, within, beside] = [(&key, &own), (&key, &key), (&own, &own)].map(|(a, b)| equalities(a, b));
            let referenced = numbers(&reference.referenced);
            let (plain, inherits, none) = (text("s"), boolean(true), Value::Null);
            let deferral = reference.deferral;
            let [valid, deferrable, deferred] =
                [reference.is_valid, deferral != Deferral::Never, deferral == Deferral::Deferred].map(boolean);
            let to = oid(to.oid);
            let rest = [
                to, referenced, update, delete, plain, inherits, none, across, within, beside, valid, deferrable,
                deferred,
            ];
            add(number, &reference.name, "f", index, &reference.columns, rest);
        }
    }
    rows.finish()
}

fn named(columns: &[usize], fields: &[Field]) -> String {
    columns.iter().map(|&column| quoted(&fields[column].name)).collect::<Vec<_>>().join(", ")
}

/// Rows of multiloop_constraint: constraints as they are written.
pub(super) fn constraint_texts(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_constraint", "oid definition pretty");
    let mut add = |number: u32, definition: String, pretty: String| {
        rows.push([oid(number), text(definition), text(pretty)]);
    };
    for (_, _, object) in making.objects() {
        let fields = fields_of(&object.entry).unwrap_or_default();
        for (index, key) in object.numbers.keys.iter().copied().zip(object.entry.declared_keys()) {
            let kind = match (key.primary, key.nulls_equal) {
                _ if key.is_index => continue,
                (true, _) => "PRIMARY KEY",
                (_, true) => "UNIQUE NULLS NOT DISTINCT",
                _ => "UNIQUE",
            };
            let definition = format!("{kind} ({})", named(&key.columns, &fields));
            add(index + 1, definition.clone(), definition);
        }
        for (number, check) in checks(object) {
            let condition = making.shown_expression(&check.condition);
            let pretty = multiloop_planner::sql::pretty(&condition);
            let valid = if check.is_valid { "" } else { " NOT VALID" };
            add(number, format!("CHECK ({condition}){valid}"), format!("CHECK ({pretty}){valid}"));
        }
        for (number, reference) in references(object) {
            let Some((to, _)) = referenced(making, reference) else { continue };
            let to_fields = fields_of(&to.entry).unwrap_or_default();
            let table = making.shown(reference.table.schema.as_deref().unwrap_or_default(), &reference.table.name);
            let mut definition = format!(
                "FOREIGN KEY ({}) REFERENCES {table}({})",
                named(&reference.columns, &fields),
                named(&reference.referenced, &to_fields)
            );
            for (event, action) in [("UPDATE", reference.on_update), ("DELETE", reference.on_delete)] {
                if action != multiloop_planner::catalog::Action::NoAction {
                    definition.push_str(&format!(" ON {event} {}", action.name()));
                }
            }
            definition.push_str(match reference.deferral {
                Deferral::Never => "",
                Deferral::Immediate => " DEFERRABLE",
                Deferral::Deferred => " DEFERRABLE INITIALLY DEFERRED",
            });
            if !reference.is_valid {
                definition.push_str(" NOT VALID");
            }
            add(number, definition.clone(), definition);
        }
    }
    rows.finish()
}

/// Rows of pg_attrdef: the defaults of columns.
pub(super) fn defaults(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_attrdef", "oid adrelid adnum adbin");
    for (_, _, object) in making.objects() {
        let defaults = object.entry.declared().map_or(&[][..], |declared| &declared.defaults);
        for (at, (number, default)) in object.numbers.defaults.iter().zip(defaults).enumerate() {
            if let Some(default) = default
                && super::relations::has_default(object.entry.declared(), at)
            {
                rows.push([oid(*number), oid(object.oid), int(at as i64 + 1), text(making.shown_expression(default))]);
            }
        }
    }
    rows.finish()
}

/// Rows of multiloop_expression: the defaults of columns as they are shown, and with fewer parentheses.
pub(super) fn expression_texts(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_expression", "relid shown pretty");
    for (_, _, object) in making.objects() {
        let defaults = object.entry.declared().map_or(&[][..], |declared| &declared.defaults);
        for default in defaults.iter().flatten() {
            let shown = making.shown_expression(default);
            let pretty = multiloop_planner::sql::pretty(&shown);
            rows.push([oid(object.oid), text(shown), text(pretty)]);
        }
    }
    rows.finish()
}

/// Rows of pg_enum: the labels of enums.
pub(super) fn labels(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_enum", "oid enumtypid enumsortorder enumlabel");
    for (_, _, object, data_type) in making.state.types() {
        let labels = data_type.labels().unwrap_or_default();
        for (at, (number, label)) in object.numbers.defaults.iter().zip(labels).enumerate() {
            rows.push([oid(*number), oid(object.row_type()), Value::Float((at + 1) as f64), text(label)]);
        }
    }
    rows.finish()
}

/// Rows of pg_description: comments.
pub(super) fn comments(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut all = described();
    all.extend(super::functions::descriptions());
    let mut rows = Rows::new("pg_description", "objoid classoid objsubid description");
    for schema in making.state.schemas.values() {
        if let Some(comment) = &schema.comment {
            rows.push([oid(schema.oid), oid(PG_NAMESPACE), int(0), text(&**comment)]);
        }
    }
    let types = making.state.types().map(|(_, _, object, _)| object);
    let routines = making.state.routines().map(|(_, _, object, _)| object);
    for object in making.objects().map(|(_, _, object)| object).chain(types).chain(routines) {
        for ((class, number, column), comment) in object.comments.iter() {
            rows.push([oid(*number), oid(*class), int(i64::from(*column)), text(&**comment)]);
        }
    }
    all.extend(rows.finish());
    all
}
