//! Settings of a session, under PostgreSQL's names: what clients set and ask for.
//!
//! Some do something (the search path, the mode of transactions), others are kept for who asks again, because nothing that
//! they are about is there, or can be seen: clients set what they need from a PostgreSQL, and go on when that is answered. A value
//! that would need another behaviour than this engine's is refused (0A000; 22023 if PostgreSQL refuses it, too).

use crate::catalog::SearchPath;
use crate::{Error, ErrorKind, Result};
use multiloop_exec::DeviceUse;
use multiloop_planner::evaluate::zone::Zone;
use multiloop_planner::function::IntervalStyle;
use multiloop_planner::sql::Isolation;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

/// The values of all settings that are not as they begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings(Arc<Values>);

/// Values, and what each statement asks of them, found out once.
#[derive(Clone, Debug, Default)]
struct Values {
    set: BTreeMap<String, String>,
    /// The search path of a user.
    path: OnceLock<(String, SearchPath)>,
    zone: OnceLock<Arc<str>>,
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.set == other.set
    }
}

impl Eq for Values {}

/// A setting that there is.
#[derive(Debug)]
pub(crate) struct Known {
    /// As it is shown; names compare without regard to case.
    pub(crate) name: &'static str,
    /// As it begins.
    pub(crate) default: &'static str,
    kind: Kind,
    /// Which values PostgreSQL takes, and this engine does not do.
    refuses: fn(&str) -> bool,
    /// Whether clients are told when it changes.
    pub(crate) is_reported: bool,
    /// What it is, as SHOW ALL says.
    pub(crate) about: &'static str,
}

/// Which values a setting takes.
#[derive(Debug)]
enum Kind {
    /// It cannot be set.
    Fixed,
    Boolean,
    /// A number between these, of this unit.
    Integer(i64, i64, Unit),
    /// A number from -1 to 1 that nobody sees again.
    Seed,
    /// One of these words.
    Word(&'static [&'static str]),
    Text,
    /// Names with commas between.
    Names,
    /// The encoding of texts: always UTF-8.
    Encoding,
    /// Style and order of dates, as in `ISO, MDY`.
    DateStyle,
    /// A time zone.
    Zone,
}

/// What a number counts where no unit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    None,
    Milliseconds,
    Kilobytes,
}

fn no_value(_: &str) -> bool {
    false
}

fn on(value: &str) -> bool {
    value == "on"
}

fn off(value: &str) -> bool {
    value == "off"
}

/// Below 1, floats have fewer digits.
fn fewer_digits(value: &str) -> bool {
    value.parse::<i64>().is_ok_and(|digits| digits < 1)
}

/// Messages, numbers and names of days are those of C, which are those of English.
fn other_language(locale: &str) -> bool {
    let language = locale.split(['.', '_', '@']).next().unwrap_or_default().to_ascii_lowercase();
    !matches!(language.as_str(), "" | "c" | "posix" | "en" | "default")
}

/// There is one kind of tables.
fn other_method(method: &str) -> bool {
    !method.eq_ignore_ascii_case("heap")
}

/// Rows are in memory.
fn other_tablespace(name: &str) -> bool {
    !matches!(name, "" | "pg_default")
}

const LEVELS: &[&str] = &["debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"];
const INTERVAL_STYLES: &[&str] = &["postgres", "postgres_verbose", "sql_standard", "iso_8601"];
const DEVICES: &[&str] = &["auto", "cpu", "gpu"];
const ISOLATION: &[&str] = &["serializable", "repeatable read", "read committed", "read uncommitted"];
const MILLISECONDS: Kind = Kind::Integer(0, i32::MAX as i64, Unit::Milliseconds);

/// The setting that begins the session's random numbers anew, and what is shown of it.
const SEED: &str = "seed";
const UNSEEN: &str = "unavailable";

/// All settings, by name.
pub(crate) static KNOWN: &[Known] = &[
    text("application_name", "", true, "The name that the client gives itself."),
    Known {
        refuses: off,
        ..word(
            "backslash_quote",
            "safe_encoding",
            &["safe_encoding", "on", "off"],
            "Whether \\' is a quote in a string.",
        )
    },
    Known {
        refuses: |value| value == "escape",
        ..word("bytea_output", "hex", &["hex", "escape"], "How bytea is shown.")
    },
    boolean("check_function_bodies", "on", "Kept for clients."),
    Known {
        kind: Kind::Encoding,
        is_reported: true,
        ..text("client_encoding", "UTF8", true, "The client's encoding.")
    },
    word("client_min_messages", "notice", LEVELS, "The least of the messages that are sent."),
    Known { kind: Kind::DateStyle, ..text("DateStyle", "ISO, MDY", true, "How dates are shown and read.") },
    Known { refuses: other_method, ..text("default_table_access_method", "heap", false, "Kept for clients.") },
    Known { refuses: other_tablespace, ..text("default_tablespace", "", false, "Kept for clients.") },
    word("default_transaction_isolation", "read committed", ISOLATION, "The isolation that transactions begin with."),
    boolean("default_transaction_deferrable", "off", "Kept for clients."),
    Known { is_reported: true, ..boolean("default_transaction_read_only", "off", "Whether transactions only read.") },
    word("device", "auto", DEVICES, "What statements run on: as the program was started, the processors, or a card."),
    boolean("enable_seqscan", "on", "Kept for clients."),
    Known {
        refuses: fewer_digits,
        ..integer("extra_float_digits", "1", -15, 3, "From 1 on, floats are shown with all their digits.")
    },
    Known { refuses: on, ..boolean("exit_on_error", "off", "Whether an error ends the session.") },
    integer("from_collapse_limit", "8", 1, i32::MAX as i64, "Kept for clients."),
    word("geqo", "on", &["on", "off"], "Kept for clients."),
    time("idle_in_transaction_session_timeout", "How long a client may leave a transaction idle; 0 is for ever."),
    time("idle_session_timeout", "How long a client may be idle outside of a transaction; 0 is for ever."),
    fixed("in_hot_standby", "off", true, "Whether this is a standby."),
    fixed("integer_datetimes", "on", true, "Times are integers."),
    Known {
        is_reported: true,
        ..word("IntervalStyle", "postgres", INTERVAL_STYLES, "How intervals are shown, and read.")
    },
    boolean("jit", "on", "Kept for clients."),
    fixed("lc_collate", "C", false, "Texts compare by bytes."),
    fixed("lc_ctype", "C", false, "Which characters are letters."),
    Known { refuses: other_language, ..text("lc_messages", "C", false, "The language of messages.") },
    Known { refuses: other_language, ..text("lc_monetary", "C", false, "How amounts of money are shown.") },
    Known { refuses: other_language, ..text("lc_numeric", "C", false, "How numbers are shown by templates.") },
    Known { refuses: other_language, ..text("lc_time", "C", false, "The names of days and months.") },
    time("lock_timeout", "How long a statement waits for rows that others have changed, who have not ended yet."),
    fixed("max_connections", "100", false, "How many clients may be connected."),
    fixed("max_identifier_length", "63", false, "How long names may be, as clients are told."),
    fixed("max_index_keys", "32", false, "How many columns a key may have, as clients are told."),
    Known { refuses: on, ..boolean("quote_all_identifiers", "off", "Whether names are always shown in quotes.") },
    text("role", "none", false, "The role that acts."),
    boolean("row_security", "on", "Kept for clients."),
    Known { kind: Kind::Names, ..text("search_path", "\"$user\", public", false, "Where names are looked for.") },
    Known { kind: Kind::Seed, ..text(SEED, UNSEEN, false, "The seed of random(); it is not shown.") },
    fixed("server_encoding", "UTF8", true, "Texts are UTF-8."),
    fixed("server_version", concat!("15.0 (Multiloop ", env!("CARGO_PKG_VERSION"), ")"), true, "The version."),
    fixed("server_version_num", "150000", false, "The version of PostgreSQL whose SQL this is."),
    text("session_authorization", "default", true, "The role that has entered."),
    Known {
        refuses: |value| value == "replica",
        ..word(
            "session_replication_role",
            "origin",
            &["origin", "replica", "local"],
            "Whether foreign keys are checked.",
        )
    },
    Known {
        is_reported: true,
        ..boolean("standard_conforming_strings", "on", "Backslashes are no escapes in plain strings.")
    },
    time("statement_timeout", "How long a statement may take; 0 is for ever."),
    boolean("synchronize_seqscans", "on", "Kept for clients."),
    word(
        "synchronous_commit",
        "on",
        &["on", "off", "local", "remote_write", "remote_apply"],
        "Whether a commit waits until it is kept, where data is.",
    ),
    Known { kind: Kind::Zone, ..text("TimeZone", "Etc/UTC", true, "The time zone in which times are shown and read.") },
    boolean("transaction_deferrable", "off", "Kept for clients."),
    word("transaction_isolation", "read committed", ISOLATION, "The isolation of this transaction."),
    boolean("transaction_read_only", "off", "Whether this transaction only reads."),
    Known {
        kind: Kind::Integer(64, i32::MAX as i64, Unit::Kilobytes),
        ..text("work_mem", "4MB", false, "Kept for clients.")
    },
    word("xmlbinary", "base64", &["base64", "hex"], "Kept for clients."),
    word("xmloption", "content", &["content", "document"], "Kept for clients."),
];

const fn text(name: &'static str, default: &'static str, is_reported: bool, about: &'static str) -> Known {
    Known { name, default, kind: Kind::Text, refuses: no_value, is_reported, about }
}

const fn fixed(name: &'static str, default: &'static str, is_reported: bool, about: &'static str) -> Known {
    Known { kind: Kind::Fixed, ..text(name, default, is_reported, about) }
}

const fn boolean(name: &'static str, default: &'static str, about: &'static str) -> Known {
    Known { kind: Kind::Boolean, ..text(name, default, false, about) }
}

const fn word(name: &'static str, default: &'static str, words: &'static [&'static str], about: &'static str) -> Known {
    Known { kind: Kind::Word(words), ..text(name, default, false, about) }
}

const fn integer(name: &'static str, default: &'static str, min: i64, max: i64, about: &'static str) -> Known {
    Known { kind: Kind::Integer(min, max, Unit::None), ..text(name, default, false, about) }
}

const fn time(name: &'static str, about: &'static str) -> Known {
    Known { kind: MILLISECONDS, ..text(name, "0", false, about) }
}

/// The setting of a name, if there is one.
pub(crate) fn known(name: &str) -> Option<&'static Known> {
    static BY_NAME: LazyLock<BTreeMap<String, &'static Known>> =
        LazyLock::new(|| KNOWN.iter().map(|known| (known.name.to_ascii_lowercase(), known)).collect());
    BY_NAME.get(&name.to_ascii_lowercase()).copied()
}

fn unknown(name: &str) -> Error {
    Error::no_setting(name)
}

impl Settings {
    /// The value of a setting, as SHOW has it; 42704 if there is no such setting.
    pub(crate) fn get(&self, name: &str) -> Result<&str> {
        if let Some(value) = self.0.set.get(&name.to_ascii_lowercase())
            && !name.eq_ignore_ascii_case(SEED)
        {
            return Ok(value);
        }
        known(name).map(|known| known.default).ok_or_else(|| unknown(name))
    }

    /// Sets a setting; None is what it begins with. Names with a dot are anybody's.
    ///
    /// # Errors
    /// 42704 if there is no such setting, 55P02 if it cannot be set, 22023 if it does not take the value.
    pub(crate) fn set(&mut self, name: &str, value: Option<&[String]>) -> Result<()> {
        let key = name.to_ascii_lowercase();
        let Some(known) = known(name) else {
            if !name.contains('.') {
                return Err(unknown(name));
            }
            self.put(key, value.map(|values| values.join(", ")));
            return Ok(());
        };
        let value = match value {
            _ if matches!(known.kind, Kind::Fixed) => {
                let message = format!("parameter \"{}\" cannot be changed", known.name);
                return Err(Error::new(ErrorKind::FixedSetting, message));
            }
            Some(values) => Some(known.checked(values)?),
            None => None,
        };
        self.put(key, value);
        Ok(())
    }

    /// Sets a setting to what it is in others.
    ///
    /// # Errors
    /// 42704 if there is no such setting.
    pub(crate) fn reset(&mut self, name: &str, defaults: &Settings) -> Result<()> {
        let key = name.to_ascii_lowercase();
        self.get(&key)?;
        self.put(key.clone(), defaults.0.set.get(&key).cloned());
        Ok(())
    }

    fn put(&mut self, key: String, value: Option<String>) {
        let Values { set: values, path, zone } = Arc::make_mut(&mut self.0);
        (*path, *zone) = Default::default();
        match value {
            Some(value) => drop(values.insert(key, value)),
            None => drop(values.remove(&key)),
        }
    }

    /// The seed that was set since this was asked, which is no setting from now on.
    pub(crate) fn take_seed(&mut self) -> Option<f64> {
        let seed = self.0.set.get(SEED)?.parse().ok();
        self.put(SEED.to_owned(), None);
        seed
    }

    /// Whether a setting of on and off is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name).is_ok_and(|value| value == "on")
    }

    /// The isolation of transactions that do not say theirs.
    pub(crate) fn isolation(&self) -> Option<Isolation> {
        let name = self.get("default_transaction_isolation").ok()?;
        Isolation::ALL.into_iter().find(|of| of.name() == name)
    }

    /// The time that a setting says, named in lower case; none if it is zero, which is no limit.
    pub(crate) fn time(&self, name: &str) -> Option<Duration> {
        let milliseconds = Unit::Milliseconds.read(&self.0.set.get(name)?.to_ascii_lowercase())?;
        u64::try_from(milliseconds).ok().filter(|&milliseconds| milliseconds > 0).map(Duration::from_millis)
    }

    /// The role that acts, if one is set.
    pub(crate) fn acting(&self) -> Option<&str> {
        let role = self.0.set.get("role").filter(|role| *role != "none");
        role.or_else(|| self.0.set.get("session_authorization").filter(|user| *user != "default")).map(String::as_str)
    }

    /// The name of the time zone, as functions of time take it.
    pub(crate) fn time_zone(&self) -> Arc<str> {
        let zone = || self.get("TimeZone").map_or_else(|_| Arc::from("UTC"), |shown| Zone::of_setting(shown).into());
        Arc::clone(self.0.zone.get_or_init(zone))
    }

    /// What statements run on.
    pub(crate) fn device(&self) -> DeviceUse {
        self.0.set.get("device").and_then(|name| DeviceUse::named(name)).unwrap_or_default()
    }

    /// How intervals are written.
    pub(crate) fn interval_style(&self) -> IntervalStyle {
        let style = self.0.set.get("intervalstyle").and_then(|name| IntervalStyle::named(name));
        style.unwrap_or_default()
    }

    /// The schemas in which names are looked for: first what is temporary and the system's, unless they are listed.
    pub(crate) fn search_path(&self, user: &str) -> SearchPath {
        let (of, path) = self.0.path.get_or_init(|| (user.to_owned(), self.path_of(user)));
        if of == user { Arc::clone(path) } else { self.path_of(user) }
    }

    fn path_of(&self, user: &str) -> SearchPath {
        let listed = self.get("search_path").map(names).unwrap_or_default();
        let mut path: Vec<String> =
            listed.into_iter().map(|name| if name == "$user" { user.to_owned() } else { name }).collect();
        for schema in ["pg_catalog", crate::catalog::TEMPORARY] {
            if !path.iter().any(|listed| listed == schema) {
                path.insert(0, schema.to_owned());
            }
        }
        path.into()
    }
}

/// The names of a list, folded unless they are in quotes.
fn names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list.trim();
    while !rest.is_empty() {
        let mut name = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = quoted.len();
            let mut chars = quoted.char_indices().peekable();
            while let Some((at, c)) = chars.next() {
                if c != '"' {
                    name.push(c);
                } else if chars.peek().is_some_and(|(_, next)| *next == '"') {
                    name.push('"');
                    chars.next();
                } else {
                    end = at + 1;
                    break;
                }
            }
            rest = quoted[end..].trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        } else {
            let (word, behind) = rest.split_once(',').unwrap_or((rest, ""));
            name = word.trim().to_ascii_lowercase();
            rest = behind.trim_start();
        }
        if !name.is_empty() {
            names.push(name);
        }
    }
    names
}

impl Known {
    /// Whether it cannot be set.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.kind, Kind::Fixed)
    }

    /// The words that it takes, if it takes nothing else.
    pub(crate) fn words(&self) -> Option<&'static [&'static str]> {
        if let Kind::Word(words) = self.kind { Some(words) } else { None }
    }

    /// What pg_settings calls what it takes.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Boolean => "bool",
            Kind::Integer(..) => "integer",
            Kind::Seed => "real",
            Kind::Word(_) => "enum",
            _ => "string",
        }
    }

    /// A value as it is kept and shown.
    fn checked(&self, values: &[String]) -> Result<String> {
        let given = values.join(", ");
        let lower = given.trim().to_ascii_lowercase();
        let checked = match &self.kind {
            Kind::Fixed => None,
            Kind::Boolean => boolean_of(&lower).map(|is_on| if is_on { "on" } else { "off" }.to_owned()),
            Kind::Integer(min, max, unit) => {
                unit.read(&lower).filter(|value| (*min..=*max).contains(value)).map(|value| unit.show(value))
            }
            Kind::Seed => {
                lower.parse::<f64>().ok().filter(|seed| (-1.0..=1.0).contains(seed)).map(|seed| seed.to_string())
            }
            Kind::Word(words) if words.contains(&lower.as_str()) => Some(lower),
            // Words of on and off are said in other ways, too.
            Kind::Word(words) => {
                let word = boolean_of(&lower).map(|is_on| if is_on { "on" } else { "off" });
                word.filter(|word| words.contains(word)).map(str::to_owned)
            }
            Kind::Text => Some(given.clone()),
            Kind::Names => Some(values.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")),
            Kind::Encoding => {
                // Quotes and dashes do not count, as in PostgreSQL.
                let name: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
                ["utf8", "unicode"].contains(&name.as_str()).then(|| "UTF8".to_owned())
            }
            Kind::DateStyle => date_style(&lower),
            Kind::Zone => Zone::setting(given.trim()),
        };
        if let Some(value) = checked.as_deref().filter(|value| (self.refuses)(value)) {
            let what = format!("the value \"{value}\" of the parameter \"{}\" is", self.name);
            return Err(Error::unsupported(what));
        }
        checked.ok_or_else(|| {
            let message = format!("invalid value for parameter \"{}\": \"{given}\"", self.name);
            let error = Error::new(ErrorKind::InvalidParameter, message);
            match &self.kind {
                Kind::Word(words) => error.with_hint(format!("Available values: {}.", words.join(", "))),
                Kind::Encoding => error.with_hint("Texts are UTF-8, to clients, too."),
                Kind::DateStyle => error.with_hint("Dates are shown and read as ISO, MDY."),
                _ => error,
            }
        })
    }
}

/// A name as it stands in a list.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '_');
    // A list in one string is as it is.
    if is_plain || name.contains([',', '"']) { name.to_owned() } else { format!("\"{name}\"") }
}

fn boolean_of(value: &str) -> Option<bool> {
    match value {
        "on" | "true" | "yes" | "1" | "t" | "y" => Some(true),
        "off" | "false" | "no" | "0" | "f" | "n" | "of" => Some(false),
        _ => None,
    }
}

/// ISO is the one style; the order of day and month matters for no date that is written so, and MDY is the one that there is.
fn date_style(value: &str) -> Option<String> {
    let known = |word: &str| matches!(word.trim(), "iso" | "mdy" | "us" | "noneuro" | "noneuropean" | "");
    value.split(',').all(known).then(|| "ISO, MDY".to_owned())
}

impl Unit {
    /// Sizes of units, the smallest first.
    fn sizes(self) -> &'static [(&'static str, i64)] {
        match self {
            Unit::None => &[],
            Unit::Milliseconds => &[("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000)],
            Unit::Kilobytes => &[("kB", 1), ("MB", 1 << 10), ("GB", 1 << 20), ("TB", 1 << 30)],
        }
    }

    fn read(self, value: &str) -> Option<i64> {
        let digits = value.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == '.')).unwrap_or(value.len());
        let (number, unit) = (value[..digits].parse::<f64>().ok()?, value[digits..].trim());
        let size = match unit {
            "" => 1,
            _ => self.sizes().iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
        };
        Some((number * size as f64).round() as i64)
    }

    fn show(self, value: i64) -> String {
        let fits = |&&(_, size): &&(&str, i64)| value != 0 && value % size == 0;
        match self.sizes().iter().rev().find(fits) {
            Some((name, size)) => format!("{}{name}", value / size),
            None => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Settings, UNSEEN, known, names};
    use crate::ErrorKind;

    fn set(settings: &mut Settings, name: &str, values: &[&str]) -> Result<String, ErrorKind> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        settings.set(name, Some(&values)).map_err(|error| error.kind())?;
        settings.get(name).map(str::to_owned).map_err(|error| error.kind())
    }

    #[test]
    fn what_begins_can_be_set() {
        let mut settings = Settings::default();
        for known in KNOWN {
            let before = settings.get(known.name).expect("it is known").to_owned();
            assert_eq!(before, known.default);
            match settings.set(known.name, Some(std::slice::from_ref(&before))) {
                // What is shown of a seed is none.
                Err(error) if known.name == super::SEED => assert_eq!(error.kind(), ErrorKind::InvalidParameter),
                Err(error) => assert_eq!(error.kind(), ErrorKind::FixedSetting, "{}", known.name),
                Ok(()) if known.name == "search_path" => {}
                Ok(()) => assert_eq!(settings.get(known.name), Ok(known.default), "{}", known.name),
            }
        }
        assert!(known("DATESTYLE").is_some());
    }

    #[test]
    fn values_are_checked() {
        let settings = &mut Settings::default();
        assert_eq!(set(settings, "statement_timeout", &["1500"]), Ok("1500ms".to_owned()));
        assert_eq!(set(settings, "statement_timeout", &["2min"]), Ok("2min".to_owned()));
        assert_eq!(set(settings, "statement_timeout", &["-1"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "work_mem", &["2048"]), Ok("2MB".to_owned()));
        assert_eq!(set(settings, "jit", &["FALSE"]), Ok("off".to_owned()));
        assert_eq!(set(settings, "jit", &["maybe"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "client_encoding", &["utf-8"]), Ok("UTF8".to_owned()));
        assert_eq!(set(settings, "client_encoding", &["latin1"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "datestyle", &["iso", "mdy"]), Ok("ISO, MDY".to_owned()));
        assert_eq!(set(settings, "datestyle", &["german"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "timezone", &["america/new_york"]), Ok("America/New_York".to_owned()));
        assert_eq!(set(settings, "timezone", &["-3"]), Ok("<-03>+03".to_owned()));
        assert_eq!(set(settings, "timezone", &["Mars"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(&*settings.time_zone(), "<-03>+03");
        assert_eq!(set(settings, "seed", &["-0.5"]), Ok(UNSEEN.to_owned()));
        assert_eq!((settings.take_seed(), settings.take_seed()), (Some(-0.5), None));
        assert_eq!(set(settings, "seed", &["1.5"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "seed", &["NaN"]), Err(ErrorKind::InvalidParameter));
        assert_eq!(set(settings, "server_version", &["16"]), Err(ErrorKind::FixedSetting));
        assert_eq!(set(settings, "nothing_like_it", &["1"]), Err(ErrorKind::UnknownObject));
        assert_eq!(set(settings, "my.own", &["1", "b"]), Ok("1, b".to_owned()));
        settings.set("jit", None).expect("it begins with something");
        assert_eq!(settings.get("jit"), Ok("on"));
    }

    /// What each setting's value does. A setting that is added has to be put into one of these lists.
    #[test]
    fn every_setting_is_obeyed_or_kept_for_a_reason() {
        let obeyed = [
            "application_name",
            "client_encoding",
            "client_min_messages",
            "DateStyle",
            "default_transaction_isolation",
            "default_transaction_read_only",
            "device",
            "idle_in_transaction_session_timeout",
            "idle_session_timeout",
            "IntervalStyle",
            "role",
            "search_path",
            "seed",
            "session_authorization",
            "standard_conforming_strings",
            "statement_timeout",
            "TimeZone",
            "transaction_isolation",
            "transaction_read_only",
        ];
        // Nothing that they are about is there (functions' bodies, XML, policies, triggers, locks that readers wait for), or can be
        // seen in an answer.
        let kept = [
            "check_function_bodies",
            "default_transaction_deferrable",
            "enable_seqscan",
            "from_collapse_limit",
            "geqo",
            "jit",
            "lock_timeout",
            "row_security",
            "synchronize_seqscans",
            "synchronous_commit",
            "transaction_deferrable",
            "work_mem",
            "xmlbinary",
            "xmloption",
        ];
        let restricted = [
            ("backslash_quote", &["on"][..], &["off"][..]),
            ("bytea_output", &["hex"], &["escape"]),
            ("default_table_access_method", &["heap"], &["columnar"]),
            ("default_tablespace", &["", "pg_default"], &["fast"]),
            ("exit_on_error", &["off"], &["on"]),
            ("extra_float_digits", &["1", "3"], &["0", "-15"]),
            ("lc_messages", &["C", "en_US.UTF-8", "POSIX", "C.UTF-8"], &["de_DE.UTF-8"]),
            ("lc_monetary", &["C"], &["de_DE"]),
            ("lc_numeric", &["en_US"], &["fr_FR.utf8"]),
            ("lc_time", &["C"], &["fr_FR.utf8"]),
            ("quote_all_identifiers", &["off"], &["on"]),
            ("session_replication_role", &["origin", "local"], &["replica"]),
        ];
        let settings = &mut Settings::default();
        for (name, taken, refused) in restricted {
            taken.iter().for_each(|value| assert!(set(settings, name, &[value]).is_ok(), "{name} = {value}"));
            for value in refused {
                assert_eq!(set(settings, name, &[value]), Err(ErrorKind::Unsupported), "{name} = {value}");
            }
        }
        for known in KNOWN.iter().filter(|known| !known.is_fixed()) {
            let lists = [
                obeyed.contains(&known.name),
                kept.contains(&known.name),
                restricted.iter().any(|(name, ..)| *name == known.name),
            ];
            assert_eq!(lists.iter().filter(|is_in| **is_in).count(), 1, "{}", known.name);
        }
    }

    #[test]
    fn paths_are_lists_of_names() {
        assert_eq!(names("a, \"B \"\"c\" , D,"), ["a", "B \"c", "d"]);
        let mut settings = Settings::default();
        assert_eq!(*settings.search_path("me"), ["pg_temp", "pg_catalog", "me", "public"]);
        assert_eq!(*settings.search_path("you"), ["pg_temp", "pg_catalog", "you", "public"]);
        set(&mut settings, "search_path", &["Own", "pg_temp"]).expect("names");
        assert_eq!(settings.get("search_path"), Ok("\"Own\", pg_temp"));
        assert_eq!(*settings.search_path("me"), ["pg_catalog", "Own", "pg_temp"]);
        set(&mut settings, "search_path", &["a, b"]).expect("a list in one string");
        assert_eq!(*settings.search_path("me"), ["pg_temp", "pg_catalog", "a", "b"]);
    }
}
