//! Tables of what a session tells: roles, databases, settings.

use super::Making;
use super::facts::USER;
use super::rows::{Rows, boolean, fixed, int, oid, text};
use crate::settings::KNOWN;
use multiloop_planner::value::Value;

/// The number of the database.
const DATABASE: u32 = 5;

/// The number of the role that owns everything.
const OWNER: u32 = 10;

/// The number of the role of a session that has another one.
const OTHER: u32 = 16383;

/// Whether a table is made for each statement anew, since it says what the session is now.
pub(super) fn is_own(name: &str) -> bool {
    name == "pg_settings"
}

/// Rows of pg_authid.
pub(super) fn roles(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid rolname rolsuper rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolbypassrls";
    let mut rows = Rows::new("pg_authid", columns).with("rolconnlimit", int(-1));
    let can = || std::iter::repeat_with(|| boolean(true)).take(7);
    rows.push([oid(OWNER), text(USER)].into_iter().chain(can()));
    let user = making.facts.user();
    if user != USER {
        rows.push([oid(OTHER), text(user)].into_iter().chain(can()));
    }
    let mut all = rows.finish();
    all.extend(fixed("pg_authid"));
    all
}

/// Rows of pg_database.
pub(super) fn databases(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns =
        "oid datname datdba encoding datlocprovider datallowconn datconnlimit dattablespace datcollate datctype";
    let mut rows = Rows::new("pg_database", columns);
    rows.push([
        oid(DATABASE),
        text(&making.facts.database),
        oid(OWNER),
        int(6),
        text("c"),
        boolean(true),
        int(-1),
        oid(1663),
        text("C"),
        text("C"),
    ]);
    rows.finish()
}

/// Rows of pg_settings.
pub(super) fn settings(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "name setting category short_desc context vartype source enumvals boot_val reset_val pending_restart";
    let mut rows = Rows::new("pg_settings", columns);
    for known in KNOWN {
        let setting = making.facts.setting(known.name).unwrap_or_default();
        let is_default = setting == known.default;
        let words = known.words().map_or(Value::Null, |words| {
            let words = words.iter().map(text).collect();
            super::rows::list(words, multiloop_planner::types::DataType::Text)
        });
        rows.push([
            text(known.name),
            text(setting),
            text("Multiloop"),
            text(known.about),
            text(if known.is_fixed() { "internal" } else { "user" }),
            text(known.kind_name()),
            text(if is_default { "default" } else { "session" }),
            words,
            text(known.default),
            text(known.default),
            boolean(false),
        ]);
    }
    rows.finish()
}
