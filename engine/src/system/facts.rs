//! Facts about a session that the system catalog shows.

use crate::activity::{Activity, Signal};
use crate::functions::Functions;
use crate::roles::{Rights, Roles};
use crate::row_locks::RowLocks;
use crate::settings::Settings;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::evaluate::array::Array;
use multiloop_planner::sql::TransactionMode;
use multiloop_planner::types::{DataType, OidKind, SystemType};
use multiloop_planner::value::Value;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

/// Who uses an embedded engine.
pub(crate) const USER: &str = crate::grants::BOOTSTRAP;

/// What statements see of their session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The session's number.
    pub(crate) session: u32,
    /// What the client calls the database: there is one.
    pub(crate) database: Arc<str>,
    pub(crate) settings: Settings,
    /// The mode of the transaction that is open.
    pub(crate) mode: Option<TransactionMode>,
    /// What it may do.
    pub(crate) rights: Rights,
    /// Whether who has entered may do all.
    pub(crate) is_superuser: bool,
    /// None where anybody may enter.
    pub(crate) roles: Option<Arc<Roles>>,
    /// All sessions of the engine.
    pub(crate) activity: Arc<Activity>,
    /// What sessions have locked.
    pub(crate) row_locks: Arc<RowLocks>,
    /// The functions that the program has registered.
    pub(crate) functions: Functions,
    /// Whether nothing can be changed, whatever the transaction's mode.
    pub(crate) reads_only: bool,
}

/// A setting that a statement changes.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) name: String,
    /// None for what it is where nobody sets it.
    pub(crate) value: Option<String>,
    pub(crate) local: bool,
}

impl Facts {
    /// Who has entered.
    pub(crate) fn session_user(&self) -> &str {
        self.settings.get("session_authorization").ok().filter(|user| *user != "default").unwrap_or(USER)
    }

    /// Who acts.
    pub(crate) fn user(&self) -> &str {
        self.settings.acting().unwrap_or(USER)
    }

    /// The value of a setting, as SHOW has it; 42704 if there is no such setting.
    pub(crate) fn setting(&self, name: &str) -> Result<String> {
        let (settings, mode) = (&self.settings, self.mode.unwrap_or_default());
        let on = |on: bool| if on { "on" } else { "off" }.to_owned();
        let lower = name.to_ascii_lowercase();
        Ok(match lower.as_str() {
            "transaction_isolation" => match mode.isolation {
                Some(isolation) => isolation.name().to_owned(),
                None => settings.get("default_transaction_isolation")?.to_owned(),
            },
            "transaction_read_only" => {
                let reads = mode.read_only.unwrap_or(settings.is_on("default_transaction_read_only"));
                on(reads || self.reads_only)
            }
            "transaction_deferrable" => on(mode.deferrable.unwrap_or(settings.is_on("default_transaction_deferrable"))),
            "is_superuser" => on(self.is_superuser),
            "session_authorization" => self.session_user().to_owned(),
            _ => settings.get(&lower)?.to_owned(),
        })
    }

    /// The value of a function that tells something of the session, and its type. `schemas` are those of the path that there are.
    pub(crate) fn value(
        &self,
        name: &str,
        arguments: &[Value],
        schemas: &[String],
    ) -> Result<Option<(Value, DataType)>> {
        use DataType as T;
        let name_of = |text: &str| Ok(Some((Value::text(text), T::Name)));
        let visible = |schema: &&String| !schema.starts_with("pg_") && schema.as_str() != "information_schema";
        match (name, arguments) {
            ("current_database" | "current_catalog", []) => name_of(&self.database),
            ("current_user" | "user" | "current_role", []) => name_of(self.user()),
            ("session_user", []) => name_of(self.session_user()),
            ("current_schema", []) => {
                let first = schemas.iter().find(|schema| !is_implicit(schema));
                Ok(Some((first.map_or(Value::Null, Value::text), T::Name)))
            }
            ("current_schemas", [Value::Boolean(implicit)]) => {
                let shown = schemas
                    .iter()
                    .filter(|schema| schema.as_str() != crate::catalog::TEMPORARY && (*implicit || visible(schema)));
                let names = Array::of(shown.map(Value::text).collect()).encode(T::Name);
                Ok(Some((Value::text(names), T::list(T::Name))))
            }
            ("version", []) => {
                let version = env!("CARGO_PKG_VERSION");
                let (machine, system) = (std::env::consts::ARCH, std::env::consts::OS);
                let version = format!("PostgreSQL 15.0 (Multiloop {version}) on {machine}-{system}, 64-bit");
                Ok(Some((Value::text(version), T::Text)))
            }
            ("pg_backend_pid", []) => Ok(Some((Value::Int(self.session.into()), T::Integer))),
            ("inet_server_addr" | "inet_client_addr", []) => {
                let client = self.client().filter(|_| name == "inet_client_addr");
                let address = client.map_or(Value::Null, |client| Value::text(client.ip().to_string()));
                Ok(Some((address, T::System(SystemType::Inet))))
            }
            ("inet_server_port" | "inet_client_port", []) => {
                let client = self.client().filter(|_| name == "inet_client_port");
                Ok(Some((client.map_or(Value::Null, |client| Value::Int(client.port().into())), T::Integer)))
            }
            ("getdatabaseencoding", []) => name_of("UTF8"),
            ("pg_client_encoding", []) => name_of(&self.setting("client_encoding")?),
            ("pg_is_in_recovery", []) => Ok(Some((Value::Boolean(false), T::Boolean))),
            ("pg_my_temp_schema", []) => Ok(Some((Value::Int(0), T::Oid(OidKind::Any)))),
            ("pg_postmaster_start_time" | "pg_conf_load_time", []) => Ok(Some((Value::Int(*STARTED), T::TimestampTz))),
            ("current_setting", [Value::Text(setting)]) => Ok(Some((Value::text(self.setting(setting)?), T::Text))),
            ("current_setting", [Value::Text(setting), Value::Boolean(missing_ok)]) => match self.setting(setting) {
                Err(error) if *missing_ok && error.kind() == ErrorKind::UnknownObject => {
                    Ok(Some((Value::Null, T::Text)))
                }
                value => Ok(Some((Value::text(value?), T::Text))),
            },
            _ => Ok(None),
        }
    }

    /// Where the session's client is; none of one in this process, and of one that is near.
    fn client(&self) -> Option<SocketAddr> {
        self.activity.find(self.session)?.doing().client
    }

    /// What a call of pg_cancel_backend or pg_terminate_backend asks of whom, and whether that one is there; none for a call of
    /// something else.
    ///
    /// # Errors
    /// 42501 unless a superuser asks, or who has entered the other session as well.
    pub(crate) fn signal(&self, name: &str, arguments: &[Value]) -> Result<Option<Option<(u32, Signal)>>> {
        let signal = match (name, arguments) {
            ("pg_cancel_backend", [_]) => Signal::Cancel,
            // How long to wait for its end says nothing where nobody waits.
            ("pg_terminate_backend", [_] | [_, Value::Int(_)]) => Signal::Terminate,
            _ => return Ok(None),
        };
        let Value::Int(process) = arguments[0] else { return Ok(None) };
        let Some((process, watch)) =
            u32::try_from(process).ok().and_then(|process| Some((process, self.activity.find(process)?)))
        else {
            return Ok(Some(None));
        };
        let other = Facts { settings: watch.doing().settings, ..self.clone() };
        if self.is_superuser || other.session_user() == self.session_user() {
            return Ok(Some(Some((process, signal))));
        }
        let what = if signal == Signal::Cancel { "query is being canceled" } else { "process is being terminated" };
        let message = format!("must be a member of the role whose {what}");
        Err(Error::new(ErrorKind::Forbidden, message))
    }

    /// The setting that a call of set_config changes, and the value that it gives.
    pub(crate) fn change(&self, arguments: &[Value]) -> Result<Option<(Change, Value)>> {
        let [Value::Text(name), value, Value::Boolean(local)] = arguments else { return Ok(None) };
        let value = match value {
            Value::Text(value) => Some(value.to_string()),
            Value::Null => None,
            _ => return Ok(None),
        };
        let mut settings = self.settings.clone();
        settings.set(name, value.as_ref().map(std::slice::from_ref))?;
        let shown = match (&value, Facts { settings, ..self.clone() }.setting(name)) {
            // Anybody's setting is empty where nobody sets it.
            (None, Err(_)) => String::new(),
            (_, shown) => shown?,
        };
        Ok(Some((Change { name: name.to_string(), value, local: *local }, Value::text(shown))))
    }
}

/// When the process began to use the engine, in microseconds since 1970.
static STARTED: LazyLock<i64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_micros()).ok()).unwrap_or(0)
});

/// Whether a schema stands in every path.
fn is_implicit(schema: &str) -> bool {
    schema == "pg_catalog" || schema == crate::catalog::TEMPORARY
}

/// A number that no transaction had before.
pub(crate) fn next_transaction() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
