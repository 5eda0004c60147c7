//! Tables of what a session tells: roles, databases, settings, and what sessions do.

use super::Making;
use super::facts::Facts;
use super::facts::USER;
use super::rows::{Rows, boolean, fixed, int, oid, text};
use crate::roles::{GIVEN, Rights, Role};
use crate::row_locks::advisory::Key;
use crate::row_locks::{Listed, What};
use crate::settings::KNOWN;
use crate::tallies::Times;
use multiloop_planner::value::Value;
use std::time::SystemTime;

/// The number of the catalog of databases.
pub(super) const PG_DATABASE: u32 = 1262;

/// The number of the database: that of the first one that PostgreSQL's users make, whose numbers tell clients that it is no
/// system's.
pub(super) const DATABASE: u32 = 16384;

/// The number of the role that owns what nobody else has made.
const OWNER: u32 = 10;

/// The number of the role that owns `public`.
const DATABASE_OWNER: u32 = 6171;

/// The number of the role of a session that has another one.
const OTHER: u32 = 16383;

/// Whether a table is made for each statement anew, since it says what the session is now.
pub(super) fn is_own(name: &str) -> bool {
    matches!(name, "pg_locks" | "pg_settings" | "pg_stat_activity" | "pg_stat_statements" | "multiloop_sequence")
}

/// Whether a table is made anew where there are roles, which change without the state.
pub(super) fn is_of_roles(name: &str) -> bool {
    matches!(
        name,
        "pg_authid"
            | "pg_auth_members"
            | "multiloop_role"
            | "multiloop_right"
            | "multiloop_own_right"
            | "multiloop_member"
    )
}

/// Rows of pg_authid.
pub(super) fn roles(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "oid rolname rolsuper rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolbypassrls";
    let mut rows = Rows::new("pg_authid", columns).with("rolconnlimit", int(-1));
    let can = || std::iter::repeat_with(|| boolean(true)).take(7);
    rows.push([oid(OWNER), text(USER)].into_iter().chain(can()));
    let user = making.facts.user();
    let numbered = numbered(making);
    for (name, number, role) in &numbered {
        let can = [role.superuser, true, role.superuser, role.superuser, role.login, false, role.superuser];
        rows.push([oid(*number), text(name)].into_iter().chain(can.map(boolean)));
    }
    if user != USER && numbered.iter().all(|(name, ..)| name != user) {
        rows.push([oid(OTHER), text(user)].into_iter().chain(can()));
    }
    let mut all = rows.finish();
    all.extend(fixed("pg_authid"));
    all
}

/// The roles that were made, each with its number, by name.
fn numbered(making: &Making<'_>) -> Vec<(String, u32, Role)> {
    let Some(roles) = &making.facts.roles else { return Vec::new() };
    let made = roles.list().into_iter().filter(|(name, _)| name != USER);
    made.map(|(name, role)| (name.clone(), roles.number(&name), role)).collect()
}

/// The number of a role, of whoever is there or owns something.
pub(super) fn role_number(making: &Making<'_>, name: &str) -> u32 {
    let given = GIVEN.iter().find(|(given, _)| *given == name).map(|(_, number)| *number);
    match (name, given, &making.facts.roles) {
        (USER, ..) => OWNER,
        ("pg_database_owner", ..) => DATABASE_OWNER,
        (_, Some(number), _) => number,
        (_, None, Some(roles)) => roles.number(name),
        (_, None, None) => OTHER,
    }
}

/// All roles that somebody may act as, with numbers and what they may do.
pub(super) fn named_roles(making: &Making<'_>) -> Vec<(String, u32, Rights)> {
    let facts = making.facts;
    let rights = |name: &str| facts.roles.as_ref().map_or(Rights::ALL, |roles| roles.owner_rights(name));
    let mut all = vec![(USER.to_owned(), OWNER, rights(USER))];
    all.extend(numbered(making).into_iter().map(|(name, number, _)| (name.clone(), number, rights(&name))));
    if all.iter().all(|(name, ..)| name != facts.user()) {
        all.push((facts.user().to_owned(), OTHER, facts.rights.clone()));
    }
    all
}

/// Rows of pg_auth_members.
pub(super) fn members(making: &Making<'_>) -> Vec<Vec<Value>> {
    let mut rows = Rows::new("pg_auth_members", "roleid member grantor admin_option");
    let numbered = numbered(making);
    let number = |name: &str| {
        let given = GIVEN.iter().find(|(given, _)| *given == name).map(|(_, number)| *number);
        given.or_else(|| numbered.iter().find(|(known, ..)| known == name).map(|(_, number, _)| *number))
    };
    for (_, member, role) in &numbered {
        for group in role.groups.iter().filter_map(|group| number(group)) {
            rows.push([oid(group), oid(*member), oid(OWNER), boolean(false)]);
        }
    }
    let mut all = fixed("pg_auth_members");
    all.extend(rows.finish());
    all
}

/// Rows of pg_locks: what transactions have of rows is told once a table, as the lock that PostgreSQL takes of it then.
pub(super) fn locks(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "locktype database relation classid objid objsubid virtualtransaction pid mode";
    let mut rows = Rows::new("pg_locks", columns).with("granted", boolean(true)).with("fastpath", boolean(false));
    for Listed { session, what, mode } in making.facts.row_locks.list() {
        let (kind, relation, class, object, part) = match what {
            What::Table(table) => ("relation", oid(table), Value::Null, Value::Null, Value::Null),
            What::Advisory(Key::One(key)) => {
                ("advisory", Value::Null, oid((key >> 32) as u32), oid(key as u32), int(1))
            }
            What::Advisory(Key::Two(a, b)) => ("advisory", Value::Null, oid(a as u32), oid(b as u32), int(2)),
        };
        let transaction = text(format!("{session}/1"));
        rows.push([text(kind), oid(DATABASE), relation, class, object, part, transaction, int(session), text(mode)]);
    }
    rows.finish()
}

/// Rows of pg_stat_activity: what others run is theirs to see, and superusers'.
pub(super) fn activity(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "datid datname pid usesysid usename application_name client_addr client_port backend_start xact_start \
        query_start state_change state query backend_type";
    let mut rows = Rows::new("pg_stat_activity", columns);
    let numbered = numbered(making);
    let own = making.facts.session_user();
    let time = |time: Option<SystemTime>| {
        let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.and_then(|since| i64::try_from(since.as_micros()).ok()).map_or(Value::Null, Value::Int)
    };
    for (session, watch) in making.facts.activity.list() {
        let doing = watch.doing();
        let user = Facts { settings: doing.settings.clone(), ..making.facts.clone() }.session_user().to_owned();
        let number = match numbered.iter().find(|(name, ..)| *name == user) {
            Some((_, number, _)) => *number,
            None if user == USER => OWNER,
            None => OTHER,
        };
        let start = [
            oid(DATABASE),
            text(&doing.database),
            int(session),
            oid(number),
            text(&user),
            text(doing.settings.get("application_name").unwrap_or_default()),
        ];
        let shown = if making.facts.is_superuser || user == own {
            let (address, port) = match doing.client {
                Some(client) => (text(client.ip().to_string()), int(client.port())),
                None if doing.is_client => (Value::Null, int(-1)),
                None => (Value::Null, Value::Null),
            };
            [
                address,
                port,
                time(Some(watch.began)),
                time(doing.transaction_began),
                time(doing.statement_began),
                time(Some(doing.changed)),
                text(doing.state()),
                text(doing.query()),
                text(if doing.is_client { "client backend" } else { "embedded session" }),
            ]
        } else {
            let null = || Value::Null;
            [null(), null(), null(), null(), null(), null(), null(), text("<insufficient privilege>"), null()]
        };
        rows.push(start.into_iter().chain(shown));
    }
    rows.finish()
}

/// Rows of pg_stat_statements: the text of what others run is theirs to see, and superusers'.
pub(super) fn statements(making: &Making<'_>) -> Vec<Vec<Value>> {
    let columns = "userid dbid toplevel queryid query plans total_plan_time min_plan_time max_plan_time mean_plan_time \
        stddev_plan_time calls total_exec_time min_exec_time max_exec_time mean_exec_time stddev_exec_time rows";
    let mut rows = Rows::new("pg_stat_statements", columns);
    let count = |count: u64| int(i64::try_from(count).unwrap_or(i64::MAX));
    let times = |of: &Times| [of.total, of.min, of.max, of.mean, of.deviation()].map(Value::Float);
    for tally in making.facts.activity.tallies.list() {
        let is_shown = making.facts.is_superuser || making.facts.rights.has(&tally.user);
        let (number, query) = match is_shown {
            true => (int(tally.number.cast_signed()), text(&tally.text)),
            false => (Value::Null, text("<insufficient privilege>")),
        };
        let user = role_number(making, &tally.user);
        let start = [oid(user), oid(DATABASE), boolean(true), number, query, count(tally.plans.count)];
        let (plans, runs) = (times(&tally.plans), times(&tally.runs));
        let runs = [count(tally.runs.count)].into_iter().chain(runs).chain([count(tally.rows)]);
        rows.push(start.into_iter().chain(plans).chain(runs));
    }
    rows.finish()
}

/// Which tallies a call of pg_stat_statements_reset means: of a user, a database and a statement, each 0 for any.
pub(crate) fn tallies_of(arguments: &[Value]) -> Option<[i64; 3]> {
    match arguments {
        [] => Some([0; 3]),
        [Value::Int(user), Value::Int(database), Value::Int(statement)] => Some([*user, *database, *statement]),
        _ => None,
    }
}

impl Making<'_> {
    /// Forgets tallies.
    pub(crate) fn forget_tallies(&self, [user, database, statement]: [i64; 3]) {
        let is = |wanted: i64, number: i64| wanted == 0 || wanted == number;
        self.facts.activity.tallies.forget(|tally| {
            is(user, role_number(self, &tally.user).into())
                && is(database, DATABASE.into())
                && is(statement, tally.number.cast_signed())
        });
    }
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
