//! Rights: who has which from whom, what that comes to for each role, and which roles have whose rights. The functions that ask
//! whether somebody may do something look up here.

use super::Making;
use super::relations::{PG_CLASS, PG_NAMESPACE};
use super::rows::{Rows, boolean, list, oid, text};
use super::session_tables::{DATABASE, PG_DATABASE, named_roles, role_number};
use super::shape::shapes;
use crate::catalog::TEMPORARY;
use crate::grants::{BOOTSTRAP, Owned, RightSet};
use crate::roles::{GIVEN, Rights};
use multiloop_planner::catalog::Right;
use multiloop_planner::types::DataType;
use multiloop_planner::value::Value;

/// A list of rights as a value of relacl or nspacl.
pub(super) fn list_of(owned: &Owned) -> Value {
    let shown = owned.shown().map(|items| list(items.iter().map(text).collect(), DataType::Text));
    shown.unwrap_or(Value::Null)
}

/// Rows of multiloop_acl: one for each right that one has from another.
pub(super) fn items(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_acl", "class oid grantor grantee privilege grantable");
    let mut add = |class: u32, number: u32, owned: &Owned, all: &[Right]| {
        for item in owned.items(all) {
            let owner = item.grantee.as_ref() == Some(&owned.owner);
            let grantee = item.grantee.as_deref().map_or(0, |name| role_number(making, name));
            for right in item.rights.iter() {
                rows.push([
                    oid(class),
                    oid(number),
                    oid(role_number(making, &item.grantor)),
                    oid(grantee),
                    text(right.name()),
                    boolean(owner || item.options.has(right)),
                ]);
            }
        }
    };
    for (_, _, object) in making.state.iter() {
        add(PG_CLASS, object.oid, &object.owned, &Right::OF_TABLES);
    }
    for schema in making.state.schemas.values() {
        add(PG_NAMESPACE, schema.oid, &schema.owned, &Right::OF_SCHEMAS);
    }
    rows.finish()
}

/// What somebody may do with something: its class, its number, its name, and the words that functions take, in commas.
type May = (u32, u32, String, String);

/// What somebody may do with all that there is.
fn allowed(making: &Making<'_>, rights: &Rights) -> Vec<May> {
    let of = |owned: &Owned, all: &[Right], may: &dyn Fn(Right) -> bool| {
        let options = owned.grantor(&|role| rights.has(role), all, RightSet::default());
        let options = options.map_or(RightSet::default(), |(_, options)| options);
        let mut words = String::from(",");
        for right in all.iter().filter(|right| may(**right)) {
            words.push_str(right.name());
            words.push(',');
            if options.has(*right) {
                words.push_str(right.name());
                words.push_str(" WITH GRANT OPTION,");
            }
        }
        words
    };
    let mut all = Vec::new();
    for (schema, name, object) in making.state.iter() {
        let may = |right| schema == TEMPORARY || rights.allow(right, &object.owned);
        all.push((PG_CLASS, object.oid, name.to_owned(), of(&object.owned, &Right::OF_TABLES, &may)));
    }
    for (name, schema) in making.state.schemas.iter() {
        let may = |right| rights.allow_in(right, &schema.owned);
        all.push((PG_NAMESPACE, schema.oid, name.clone(), of(&schema.owned, &Right::OF_SCHEMAS, &may)));
    }
    // What is the system's can be read by all, and what is temporary is one's own.
    let system = Owned::by(BOOTSTRAP);
    let words = of(&system, &Right::OF_TABLES, &|right| right == Right::Select || rights.superuser);
    for shape in shapes().iter().filter(|shape| shape.oid != 0) {
        all.push((PG_CLASS, shape.oid, shape.name.to_owned(), words.clone()));
    }
    let words = of(&system, &Right::OF_SCHEMAS, &|right| right == Right::Usage || rights.superuser);
    for (number, name) in [(11, super::PG_CATALOG), (13207, super::INFORMATION), (99, "pg_toast")] {
        all.push((PG_NAMESPACE, number, name.to_owned(), words.clone()));
    }
    all.push((PG_NAMESPACE, making.state.temporary.oid, TEMPORARY.to_owned(), ",USAGE,CREATE,".to_owned()));
    let mut words = ",CONNECT,".to_owned();
    for (may, more) in [(rights.write, "TEMP,TEMPORARY,"), (rights.superuser, "CREATE,")] {
        words.push_str(if may { more } else { "" });
    }
    all.push((PG_DATABASE, DATABASE, making.facts.database.to_string(), words));
    all
}

/// Rows of multiloop_own_right: what whoever acts may do.
pub(super) fn own_rights(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_own_right", "class oid name words");
    for (class, number, name, words) in allowed(making, &making.facts.rights) {
        rows.push([oid(class), oid(number), text(name), text(words)]);
    }
    rows.finish()
}

/// Rows of multiloop_right: what each role may do.
pub(super) fn rights(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_right", "role rolename class oid name words");
    for (role, number, rights) in named_roles(making) {
        for (class, object, name, words) in allowed(making, &rights) {
            rows.push([oid(number), text(&role), oid(class), oid(object), text(name), text(words)]);
        }
    }
    rows.finish()
}

/// Rows of multiloop_member: whose rights each role has, its own among them.
pub(super) fn members(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("multiloop_member", "role rolename granted grantedname own");
    let roles = named_roles(making);
    let made = roles.iter().map(|(name, number, _)| (name.as_str(), *number));
    let all: Vec<(&str, u32)> = made.chain(GIVEN).collect();
    for (role, number, rights) in &roles {
        let is_own = role == making.facts.user();
        for (name, granted) in all.iter().filter(|(name, _)| name == role || rights.has(name)) {
            rows.push([oid(*number), text(role), oid(*granted), text(name), boolean(is_own)]);
        }
    }
    rows.finish()
}
