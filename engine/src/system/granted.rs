//! Rights: who has which from whom, what that comes to for each role, and which roles have whose rights. The functions that ask
//! whether somebody may do something look up here.

use super::Making;
use super::catalog_numbers::{PG_CLASS, PG_NAMESPACE, PG_PROC};
use super::rows::{Rows, boolean, list, oid, text};
use super::session_tables::{DATABASE, PG_DATABASE, named_roles, role_number};
use super::shape::shapes;
use crate::catalog::{Entry, Object, TEMPORARY};
use crate::grants::{BOOTSTRAP, Owned, RightSet};
use crate::roles::{GIVEN, Rights};
use crate::{Error, ErrorKind, Result};
use multiloop_planner::catalog::Right;
use multiloop_planner::types::{DataType, OidKind};
use multiloop_planner::value::Value;

/// A list of rights as a value of relacl or nspacl.
pub(super) fn list_of(owned: &Owned) -> Value {
    let shown = owned.shown().map(|items| list(items.iter().map(text).collect(), DataType::Text));
    shown.unwrap_or(Value::Null)
}

/// The rights that there are on a relation.
fn rights_on(object: &Object) -> &'static [Right] {
    if matches!(object.entry, Entry::Sequence(_)) { &Right::OF_SEQUENCES } else { &Right::OF_TABLES }
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
    for (_, _, object) in making.objects() {
        add(PG_CLASS, object.oid, &object.owned, rights_on(object));
    }
    for (_, _, object, _) in making.state.routines() {
        add(PG_PROC, object.oid, &object.owned, &Right::OF_ROUTINES);
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
    for (schema, name, object) in making.objects() {
        let may = |right| schema == TEMPORARY || rights.allow(right, &object.owned);
        all.push((PG_CLASS, object.oid, name.to_owned(), of(&object.owned, rights_on(object), &may)));
    }
    for (_, _, object, routine) in making.state.routines() {
        let may = |right| rights.allow(right, &object.owned);
        all.push((PG_PROC, object.oid, routine.name.clone(), of(&object.owned, &Right::OF_ROUTINES, &may)));
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

/// What a call of `has_table_privilege` and its kin asks about.
#[derive(Clone, Copy)]
enum Asked {
    Relation,
    Sequence,
    Schema,
    Database,
}

impl Asked {
    /// What a function asks about, and how many arguments say it.
    fn by(function: &str) -> Option<(Self, usize)> {
        Some(match function {
            "has_table_privilege" | "has_any_column_privilege" => (Asked::Relation, 1),
            "has_column_privilege" => (Asked::Relation, 2),
            "has_sequence_privilege" => (Asked::Sequence, 1),
            "has_schema_privilege" => (Asked::Schema, 1),
            "has_database_privilege" => (Asked::Database, 1),
            _ => return None,
        })
    }

    /// Whether a right is one that there is on it.
    fn knows(self, word: &str) -> bool {
        let is_of = |all: &[Right]| Right::named(word).is_some_and(|right| all.contains(&right));
        match self {
            Asked::Relation => is_of(&Right::OF_TABLES),
            Asked::Sequence => is_of(&Right::OF_SEQUENCES),
            Asked::Schema => is_of(&Right::OF_SCHEMAS),
            Asked::Database => ["CREATE", "CONNECT", "TEMP", "TEMPORARY"].contains(&word),
        }
    }
}

impl Making<'_> {
    /// The value of a call of `has_table_privilege` and its kin, if all that it is called with is known; none of something else.
    /// Of columns it is that of the table.
    ///
    /// # Errors
    /// 42704 for a role, 42P01 and 3F000 for what is not there, 22023 for a right that there is not.
    pub(crate) fn privilege(&self, function: &str, arguments: &[Value]) -> Result<Option<Value>> {
        let Some((asked, said)) = Asked::by(function) else { return Ok(None) };
        let (user, rest) = match arguments.len().checked_sub(said) {
            Some(1) => (None, arguments),
            Some(2) => (Some(&arguments[0]), &arguments[1..]),
            _ => return Ok(None),
        };
        if arguments.contains(&Value::Null) {
            return Ok(Some(Value::Null));
        }
        let Some(Value::Text(wanted)) = rest.last() else { return Ok(None) };
        let wanted: Vec<String> = wanted.split(',').map(|word| word.trim().to_ascii_uppercase()).collect();
        let is_known = |word: &&String| asked.knows(word.strip_suffix(" WITH GRANT OPTION").unwrap_or(word));
        if let Some(word) = wanted.iter().find(|word| !is_known(word)) {
            let message = format!("unrecognized privilege type: \"{word}\"");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        let rights = match user {
            None => Some(self.facts.rights.clone()),
            Some(user) => self.rights_of(user)?,
        };
        let (class, number) = self.asked_about(asked, &rest[0])?;
        let Some(rights) = rights else { return Ok(Some(Value::Boolean(false))) };
        let all = allowed(self, &rights);
        let found = all.iter().find(|(of, at, ..)| (*of, i64::from(*at)) == (class, number));
        let may = |words: &String| wanted.iter().any(|word| words.contains(&format!(",{word},")));
        Ok(Some(found.map_or(Value::Null, |(.., words)| Value::Boolean(may(words)))))
    }

    /// What a role may do that is named, or has a number; nothing is known of a number that is none's.
    fn rights_of(&self, user: &Value) -> Result<Option<Rights>> {
        let is_it = |(name, number, _): &(String, u32, Rights)| match user {
            Value::Text(wanted) => **name == **wanted,
            Value::Int(wanted) => i64::from(*number) == *wanted,
            _ => false,
        };
        match (named_roles(self).into_iter().find(is_it), user) {
            (Some((.., rights)), _) => Ok(Some(rights)),
            (None, Value::Text(name)) => {
                Err(Error::new(ErrorKind::UnknownObject, format!("role \"{name}\" does not exist")))
            }
            _ => Ok(None),
        }
    }

    /// The class and the number of what is asked about, by its name or number.
    fn asked_about(&self, asked: Asked, object: &Value) -> Result<(u32, i64)> {
        let class = match asked {
            Asked::Relation | Asked::Sequence => PG_CLASS,
            Asked::Schema => PG_NAMESPACE,
            Asked::Database => PG_DATABASE,
        };
        let number = match (asked, object) {
            (_, Value::Int(number)) => *number,
            (Asked::Relation | Asked::Sequence, Value::Text(name)) => self.resolve(OidKind::Class, name)?.into(),
            (Asked::Schema, Value::Text(name)) => self
                .schema_named(name)
                .map(i64::from)
                .ok_or_else(|| Error::new(ErrorKind::UnknownSchema, format!("schema \"{name}\" does not exist")))?,
            // There is one, whatever it is called.
            _ => DATABASE.into(),
        };
        Ok((class, number))
    }
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
