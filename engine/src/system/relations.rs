//! Tables and views, their columns, their rules, and who needs whom.

use super::catalog_numbers::{PG_ATTRDEF, PG_CLASS, PG_CONSTRAINT, PG_NAMESPACE, PG_PROC, PG_REWRITE, PG_TYPE};
use super::declared::{Listed, fields_of, indexes_of, referenced, references};
use super::names::{is_visible, quoted};
use super::rows::{Rows, boolean, int, list, oid, text};
use super::session_tables::role_number;
use super::shape::shapes;
use super::types::{FIXED, FixedType, type_of};
use super::{INFORMATION, Making, PG_CATALOG, granted, sequences};
use crate::catalog::{Entry, Object, Qualified};
use multiloop_planner::catalog::{CheckOption, Declared, Generated, View};
use multiloop_planner::sql::classes_in;
use multiloop_planner::types::{DataType, Field};
use multiloop_planner::value::Value;

/// Rows of pg_class.
pub(super) fn classes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid relname relnamespace reltype relam relfilenode reltuples relhasindex relpersistence relkind \
                   relnatts relhasrules relreplident relchecks relhastriggers relispopulated relowner relacl reloptions";
    let mut rows = Rows::new("pg_class", columns);
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
            int(0),
            boolean(false),
            boolean(true),
            oid(10),
            Value::Null,
            Value::Null,
        ]);
    }
    rows.finish()
}

/// What a view was made WITH.
fn options_of(view: &View) -> Value {
    match view.check {
        None => Value::Null,
        Some(CheckOption::Local) => list(vec![text("check_option=local")], DataType::Text),
        Some(CheckOption::Cascaded) => list(vec![text("check_option=cascaded")], DataType::Text),
    }
}

/// The rows of what users have made.
fn made_classes(making: &Making<'_>, rows: &mut Rows) {
    let persistence = |schema: &str| text(if schema == crate::catalog::TEMPORARY { "t" } else { "p" });
    for (schema, name, object) in making.objects() {
        let (oid_of, number) = (making.schema_oid(schema), object.oid);
        let row_type = oid(object.row_type());
        let (owner, acl) = (oid(role_number(making, &object.owned.owner)), granted::list_of(&object.owned));
        match &object.entry {
            Entry::Table(table) => {
                let (declared, indexes) = (&table.info.declared, indexes_of(object));
                // Those of a provider nobody has counted: it may say how many there are.
                let rows_of = || match table.provided() {
                    Some(provided) => Value::Float(provided.about_rows().map_or(-1.0, |rows| rows as f64)),
                    None => Value::Float(table.rows() as f64),
                };
                let qualified = Qualified { schema: schema.to_owned(), name: name.to_owned() };
                let refers = !declared.references.is_empty() || !making.state.referring(&qualified).is_empty();
                let materialized = declared.materialized.as_ref();
                rows.push([
                    oid(number),
                    text(name),
                    oid(oid_of),
                    row_type,
                    oid(2),
                    oid(number),
                    rows_of(),
                    boolean(!indexes.is_empty()),
                    persistence(schema),
                    text(if materialized.is_some() { "m" } else { "r" }),
                    int(table.info.fields.len() as i64),
                    boolean(materialized.is_some()),
                    text("d"),
                    int(declared.checks.len() as i64),
                    boolean(refers),
                    boolean(materialized.is_none_or(|of| of.is_filled)),
                    owner.clone(),
                    acl,
                    Value::Null,
                ]);
                for index in indexes {
                    index_class(&index, (oid_of, persistence(schema), rows_of(), owner.clone()), rows);
                }
            }
            Entry::View(view) => {
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
                    int(view.fields.len() as i64),
                    boolean(true),
                    text("n"),
                    int(0),
                    boolean(false),
                    boolean(true),
                    owner,
                    acl,
                    options_of(&view.view),
                ]);
            }
            Entry::Sequence(_) => rows.push(sequence_class((name, object), oid_of, persistence(schema), (owner, acl))),
            Entry::Type(_) | Entry::Routine(_) => {}
        }
    }
}

/// The row of a sequence.
fn sequence_class(
    (name, object): (&str, &Object),
    schema: u32,
    persistence: Value,
    (owner, acl): (Value, Value),
) -> [Value; 19] {
    [
        oid(object.oid),
        text(name),
        oid(schema),
        oid(0),
        oid(0),
        oid(object.oid),
        Value::Float(1.0),
        boolean(false),
        persistence,
        text("S"),
        int(3),
        boolean(false),
        text("n"),
        int(0),
        boolean(false),
        boolean(true),
        owner,
        acl,
        Value::Null,
    ]
}

/// The row of an index: of a schema, as persistent as its table, whose rows and owner it has.
fn index_class(index: &Listed, (schema, persistence, tuples, owner): (u32, Value, Value, Value), rows: &mut Rows) {
    rows.push([
        oid(index.number),
        text(&index.name),
        oid(schema),
        oid(0),
        oid(index.method_number()),
        oid(index.number),
        tuples,
        boolean(false),
        persistence,
        text("i"),
        int(index.parts.len() as i64),
        boolean(false),
        text("n"),
        int(0),
        boolean(false),
        boolean(true),
        owner,
        Value::Null,
        Value::Null,
    ]);
}

/// The columns of a table that nobody declares: name, type and bytes, whether a value is passed as it is, alignment; the last is
/// number -1.
const HIDDEN: [(&str, u32, i64, bool, &str); 6] = [
    ("tableoid", 26, 4, true, "i"),
    ("cmax", 29, 4, true, "i"),
    ("xmax", 28, 4, true, "i"),
    ("cmin", 29, 4, true, "i"),
    ("xmin", 28, 4, true, "i"),
    ("ctid", 27, 6, false, "s"),
];

/// The rows of pg_attribute of these columns.
fn hidden_attributes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "attrelid attname atttypid attlen attnum attbyval attalign";
    let mut rows = Rows::new("pg_attribute", columns)
        .with("attcacheoff", int(-1))
        .with("atttypmod", int(-1))
        .with("attstorage", text("p"))
        .with("attnotnull", boolean(true))
        .with("attislocal", boolean(true));
    let made = making.objects().filter(|(_, _, object)| matches!(object.entry, Entry::Table(_) | Entry::Sequence(_)));
    let made = made.map(|(_, _, object)| object.oid);
    let own = shapes().iter().filter(|shape| shape.oid != 0 && !shape.is_view).map(|shape| shape.oid);
    for relation in made.chain(own) {
        for (number, (name, of, bytes, by_value, alignment)) in (-6i64..).zip(HIDDEN) {
            rows.push([
                oid(relation),
                text(name),
                oid(of),
                int(bytes),
                int(number),
                boolean(by_value),
                text(alignment),
            ]);
        }
    }
    rows.finish()
}

/// Whether a column has an expression that pg_attrdef shows: what an IDENTITY gives is none.
pub(super) fn has_default(declared: Option<&Declared>, column: usize) -> bool {
    let Some(declared) = declared else { return false };
    let is_identity = matches!(declared.generated(column), Some(Generated::Always | Generated::ByDefault));
    declared.default_text(column).is_some() && !is_identity
}

/// Rows of pg_attribute.
pub(super) fn attributes(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "attrelid attname atttypid attlen attnum attndims atttypmod attbyval attalign attstorage attnotnull \
                   attcollation atthasdef attidentity attgenerated";
    let mut rows = Rows::new("pg_attribute", columns)
        .with("attstattarget", int(-1))
        .with("attcacheoff", int(-1))
        .with("attislocal", boolean(true));
    let mut add = |relation: u32, number: usize, field: &Field, place: usize, declared: Option<&Declared>| {
        let of = type_of(field.data_type, place, declared);
        let is_enum = field.data_type.labels().is_some();
        let fixed = FIXED.get(&of.oid).filter(|_| !is_enum);
        let part = |part: fn(&FixedType) -> &Value, or: Value| fixed.map_or(or, |fixed| part(fixed).clone());
        let either = |plain: Value, of_enum: Value| if is_enum { of_enum } else { plain };
        let dimensions = int(i64::from(field.data_type.element().is_some()));
        rows.push([
            oid(relation),
            text(&field.name),
            oid(making.number_of_type(field.data_type).unwrap_or(of.oid)),
            part(|of| &of.length, either(int(-1), int(4))),
            int(number as i64 + 1),
            dimensions,
            int(of.modifier),
            part(|of| &of.by_value, boolean(is_enum)),
            part(|of| &of.alignment, text("i")),
            part(|of| &of.storage, either(text("x"), text("p"))),
            boolean(!field.nullable),
            part(|of| &of.collation, oid(0)),
            boolean(has_default(declared, place)),
            text(declared.and_then(|of| of.generated(place)).map_or("", Generated::identity_letter)),
            text(if declared.is_some_and(|of| of.is_stored(place)) { "s" } else { "" }),
        ]);
    };
    for (_, _, object) in making.objects() {
        match &object.entry {
            Entry::Table(table) => {
                let (declared, fields) = (&table.info.declared, fields_of(&object.entry).unwrap_or_default());
                for (at, field) in fields.iter().enumerate() {
                    add(object.oid, at, field, at, Some(declared));
                }
                for index in indexes_of(object) {
                    for (at, part) in index.parts.iter().enumerate() {
                        let name = part.column.map_or("expr", |column| &fields[column].name);
                        let field = Field::new(name, part.data_type, true);
                        let bare =
                            Declared { defaults: Vec::new(), generated: Vec::new(), ..Declared::clone(declared) };
                        add(index.number, at, &field, part.column.unwrap_or(usize::MAX), Some(&bare));
                    }
                }
            }
            Entry::View(view) => {
                for (at, field) in view.fields.iter().enumerate() {
                    add(object.oid, at, &Field { nullable: true, ..field.clone() }, at, None);
                }
            }
            Entry::Sequence(_) => {
                sequences::fields().iter().enumerate().for_each(|(at, field)| add(object.oid, at, field, at, None));
            }
            Entry::Type(_) | Entry::Routine(_) => {}
        }
    }
    for shape in shapes().iter().filter(|shape| shape.oid != 0) {
        for (at, field) in shape.fields.iter().enumerate() {
            add(shape.oid, at, field, at, None);
        }
    }
    let mut all = rows.finish();
    all.extend(hidden_attributes(making));
    all
}

/// Rows of multiloop_relation: how relations are called, how large they are, and what makes indexes and views.
pub(super) fn relation_names(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_relation", "oid shown visible bytes definition pretty name schema");
    for (schema, name, object) in making.objects() {
        let (bytes, definition) = match &object.entry {
            Entry::Table(table) => {
                let query = table.info.declared.materialized.as_ref();
                let query = query.map_or(Value::Null, |of| text(format!(" {};", making.shown_view(&of.view))));
                (table.bytes(), query)
            }
            Entry::View(view) => (0, text(format!(" {};", making.shown_view(&view.view)))),
            // A page of PostgreSQL's.
            Entry::Sequence(_) => (8192, Value::Null),
            Entry::Type(_) | Entry::Routine(_) => continue,
        };
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        rows.push([
            oid(object.oid),
            text(making.shown(schema, name)),
            boolean(is_visible(making, schema, name)),
            int(bytes),
            definition.clone(),
            definition,
            text(name),
            text(schema),
        ]);
        let fields = fields_of(&object.entry).unwrap_or_default();
        for index in indexes_of(object) {
            let visible = is_visible(making, schema, name);
            let definition = index.definition(Some(schema), name, &fields);
            // It names the schema only where the table is not found without.
            let pretty = index.definition(Some(schema).filter(|_| !visible), name, &fields);
            let shown =
                if visible { quoted(&index.name) } else { format!("{}.{}", quoted(schema), quoted(&index.name)) };
            let (number, own) = (oid(index.number), text(&index.name));
            let (definition, pretty) = (text(definition), text(pretty));
            rows.push([number, text(shown), boolean(visible), int(0), definition, pretty, own, text(schema)]);
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
            Value::Null,
            text(shape.name),
            text(shape.schema),
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
    for (_, _, object) in making.objects() {
        if matches!(object.entry.kind(), "view" | "materialized view") {
            rows.push([oid(object.rule()), oid(object.oid)]);
        }
    }
    rows.finish()
}

/// Rows of pg_depend: of relations and types on their schemas, of row types on relations, of keys on their columns, of indexes on
/// their constraints, of views on what they name, of defaults on sequences, of sequences on their columns.
pub(super) fn dependencies(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_depend", "classid objid refclassid refobjid refobjsubid deptype");
    let mut add = |class: u32, object: u32, of: (u32, u32, usize), kind: &str| {
        rows.push([oid(class), oid(object), oid(of.0), oid(of.1), int(of.2 as i64), text(kind)]);
    };
    let types = making.state.types().map(|(schema, name, object, _)| (schema, name, object));
    for (schema, _, object) in making.objects().chain(types) {
        let schema = (PG_NAMESPACE, making.schema_oid(schema), 0);
        match object.entry {
            Entry::Type(_) => add(PG_TYPE, object.row_type(), schema, "n"),
            Entry::Sequence(_) => {
                add(PG_CLASS, object.oid, schema, "n");
                continue;
            }
            _ => {
                add(PG_CLASS, object.oid, schema, "n");
                add(PG_TYPE, object.row_type(), (PG_CLASS, object.oid, 0), "i");
            }
        }
        add(PG_TYPE, object.array_type(), (PG_TYPE, object.row_type(), 0), "i");
    }
    for (_, _, object) in making.objects() {
        for index in indexes_of(object) {
            if index.is_constraint {
                add(PG_CLASS, index.number, (PG_CONSTRAINT, index.number + 1, 0), "i");
            }
            for column in index.parts.iter().filter_map(|part| part.column) {
                match index.is_constraint {
                    true => add(PG_CONSTRAINT, index.number + 1, (PG_CLASS, object.oid, column + 1), "a"),
                    false => add(PG_CLASS, index.number, (PG_CLASS, object.oid, column + 1), "a"),
                }
            }
        }
        for (number, reference) in references(object) {
            for column in &reference.columns {
                add(PG_CONSTRAINT, number, (PG_CLASS, object.oid, column + 1), "a");
            }
            let Some((to, index)) = referenced(making, reference) else { continue };
            for column in &reference.referenced {
                add(PG_CONSTRAINT, number, (PG_CLASS, to.oid, column + 1), "n");
            }
            add(PG_CONSTRAINT, number, (PG_CLASS, index, 0), "n");
        }
        let declared = object.entry.declared();
        for (number, check) in object.numbers.checks.iter().zip(declared.iter().flat_map(|of| &of.checks)) {
            for column in &check.columns {
                add(PG_CONSTRAINT, *number, (PG_CLASS, object.oid, column + 1), "a");
            }
        }
        defaults_need(object, &mut add);
        view_needs(making, object, &mut add);
    }
    routines_need(making, &mut add);
    sequences::owners(making)
        .into_iter()
        .for_each(|(sequence, table, column, kind)| add(PG_CLASS, sequence, (PG_CLASS, table, column), kind));
    rows.finish()
}

/// What a view's rule depends on: the view, and what its query names.
fn view_needs(making: &Making<'_>, object: &Object, add: &mut impl FnMut(u32, u32, (u32, u32, usize), &str)) {
    let needs = object.entry.needs();
    if matches!(object.entry.kind(), "view" | "materialized view") {
        add(PG_REWRITE, object.rule(), (PG_CLASS, object.oid, 0), "i");
        for number in object.entry.classes().filter(|number| sequences::is_one(making, *number)) {
            add(PG_REWRITE, object.rule(), (PG_CLASS, number, 0), "n");
        }
        for need in needs.iter().filter_map(|need| making.state.object(need)) {
            match need.entry {
                Entry::Type(_) => add(PG_REWRITE, object.rule(), (PG_TYPE, need.row_type(), 0), "n"),
                Entry::Routine(_) => add(PG_REWRITE, object.rule(), (PG_PROC, need.oid, 0), "n"),
                _ => add(PG_REWRITE, object.rule(), (PG_CLASS, need.oid, 0), "n"),
            }
        }
    }
}

/// What functions depend on: their schemas, and what they name.
fn routines_need(making: &Making<'_>, add: &mut impl FnMut(u32, u32, (u32, u32, usize), &str)) {
    for (schema, _, object, _) in making.state.routines() {
        add(PG_PROC, object.oid, (PG_NAMESPACE, making.schema_oid(schema), 0), "n");
        for need in object.entry.needs().iter().filter_map(|need| making.state.object(need)) {
            match need.entry {
                Entry::Type(_) => add(PG_PROC, object.oid, (PG_TYPE, need.row_type(), 0), "n"),
                Entry::Routine(_) => add(PG_PROC, object.oid, (PG_PROC, need.oid, 0), "n"),
                _ => add(PG_PROC, object.oid, (PG_CLASS, need.oid, 0), "n"),
            }
        }
    }
}

/// What the defaults of a table depend on: their columns, and the sequences that they draw from.
fn defaults_need(object: &Object, add: &mut impl FnMut(u32, u32, (u32, u32, usize), &str)) {
    let Some(declared) = object.entry.declared() else { return };
    for (at, number) in object.numbers.defaults.iter().enumerate() {
        let Some(text) = declared.default_text(at).filter(|_| has_default(Some(declared), at)) else { continue };
        add(PG_ATTRDEF, *number, (PG_CLASS, object.oid, at + 1), "a");
        for sequence in classes_in(text) {
            add(PG_ATTRDEF, *number, (PG_CLASS, sequence, 0), "n");
        }
    }
}

/// Rows of pg_namespace.
pub(super) fn namespaces(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut all = super::rows::fixed("pg_namespace");
    let mut rows = Rows::new("pg_namespace", "oid nspname nspowner nspacl");
    for (name, schema) in making.state.schemas.iter() {
        debug_assert!(![PG_CATALOG, INFORMATION].contains(&name.as_str()), "users make no schema of the system");
        let owner = oid(role_number(making, &schema.owned.owner));
        rows.push([oid(schema.oid), text(name), owner, granted::list_of(&schema.owned)]);
    }
    if !making.state.temporary.objects.is_empty() {
        rows.push([oid(making.state.temporary.oid), text(crate::catalog::TEMPORARY), oid(10), Value::Null]);
    }
    all.extend(rows.finish());
    all
}
