//! Storage parameters, `WITH (fillfactor = 70)`: they tune how PostgreSQL stores a table, and so mean nothing here. Those that it knows
//! are taken, others are errors as they are there.

use super::ObjectKind;
use crate::error::{Error, ErrorKind, Result};
use crate::sql::session::Words;
use sqlparser::tokenizer::Token;

/// What parameters are of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sql) enum Stored {
    Table,
    Index,
    View,
    Column,
}

/// Of tables.
const OF_TABLES: [&str; 24] = [
    "fillfactor",
    "toast_tuple_target",
    "parallel_workers",
    "autovacuum_enabled",
    "vacuum_index_cleanup",
    "vacuum_truncate",
    "autovacuum_vacuum_threshold",
    "autovacuum_vacuum_insert_threshold",
    "autovacuum_vacuum_scale_factor",
    "autovacuum_vacuum_insert_scale_factor",
    "autovacuum_analyze_threshold",
    "autovacuum_analyze_scale_factor",
    "autovacuum_vacuum_cost_delay",
    "autovacuum_vacuum_cost_limit",
    "autovacuum_freeze_min_age",
    "autovacuum_freeze_max_age",
    "autovacuum_freeze_table_age",
    "autovacuum_multixact_freeze_min_age",
    "autovacuum_multixact_freeze_max_age",
    "autovacuum_multixact_freeze_table_age",
    "log_autovacuum_min_duration",
    "user_catalog_table",
    "oids",
    "autovacuum_vacuum_max_threshold",
];

/// Of their TOAST tables, behind `toast.`.
const OF_TOAST: &str = "toast";

const OF_INDEXES: [&str; 5] = ["fillfactor", "deduplicate_items", "buffering", "fastupdate", "pages_per_range"];

/// The parameter of views that says what rows may be changed to through them.
const CHECK_OPTION: &str = "check_option";

const OF_COLUMNS: [&str; 2] = ["n_distinct", "n_distinct_inherited"];

impl Stored {
    pub(super) fn of(kind: ObjectKind) -> Self {
        match kind {
            ObjectKind::Index => Stored::Index,
            ObjectKind::View => Stored::View,
            _ => Stored::Table,
        }
    }

    /// Checks a parameter and, if there is one, its value.
    ///
    /// # Errors
    /// 22023 for one that there is not, or a value that it cannot have.
    pub(in crate::sql) fn check(self, name: &str, value: Option<&str>) -> Result<()> {
        let unknown = || Error::new(ErrorKind::InvalidParameter, format!("unrecognized parameter \"{name}\""));
        let (space, short) = name.split_once('.').map_or((None, name), |(space, short)| (Some(space), short));
        if let Some(space) = space.filter(|space| self != Stored::Table || *space != OF_TOAST) {
            let message = format!("unrecognized parameter namespace \"{space}\"");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        let is_known = match self {
            Stored::Table => OF_TABLES.contains(&short) && (space.is_none() || short.contains("vacuum")),
            Stored::Index => OF_INDEXES.contains(&short),
            Stored::Column => OF_COLUMNS.contains(&short),
            Stored::View if short == CHECK_OPTION => true,
            Stored::View if short == "security_invoker" => {
                return Err(Error::unsupported(format_args!("\"{short}\" of a view is")));
            }
            Stored::View => short == "security_barrier",
        };
        if !is_known {
            return Err(unknown());
        }
        let refused = |kind: &str, value: &str| {
            let message = format!("invalid value for {kind} option \"{short}\": {value}");
            Err(Error::new(ErrorKind::InvalidParameter, message))
        };
        match (short, value) {
            (_, None) => Ok(()),
            (CHECK_OPTION, Some("local" | "cascaded")) => Ok(()),
            (CHECK_OPTION, Some(value)) => {
                let message = format!("invalid value for enum option \"check_option\": {value}");
                let error = Error::new(ErrorKind::InvalidParameter, message);
                Err(error.with_detail("Valid values are \"local\" and \"cascaded\"."))
            }
            ("oids", Some(value)) => match truth(value) {
                Some(false) => Ok(()),
                _ => Err(Error::unsupported("a table with OIDs is")),
            },
            ("fillfactor", Some(value)) => match value.parse::<f64>() {
                Ok(number) if !(10.0..=100.0).contains(&number) => {
                    let message = format!("value {value} out of bounds for option \"{short}\"");
                    Err(Error::new(ErrorKind::InvalidParameter, message)
                        .with_detail("Valid values are between \"10\" and \"100\"."))
                }
                Ok(number) if number.fract() == 0.0 => Ok(()),
                _ => refused("integer", value),
            },
            ("autovacuum_enabled" | "vacuum_truncate" | "security_barrier" | "deduplicate_items", Some(value)) => {
                if truth(value).is_some() {
                    Ok(())
                } else {
                    refused("boolean", value)
                }
            }
            ("vacuum_index_cleanup" | "buffering" | "fastupdate" | "user_catalog_table", Some(_)) => Ok(()),
            (_, Some(value)) => match value.parse::<f64>() {
                Ok(_) => Ok(()),
                Err(_) if short.contains("factor") || short.contains("delay") || short.contains("distinct") => {
                    refused("floating point", value)
                }
                Err(_) => refused("integer", value),
            },
        }
    }
}

/// A boolean as options have it.
fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" | "t" | "y" => Some(true),
        "off" | "false" | "no" | "0" | "f" | "n" => Some(false),
        _ => None,
    }
}

impl Words<'_> {
    /// A list of parameters in parentheses, of which none is the CHECK OPTION of a view.
    pub(in crate::sql) fn storage(&mut self, of: Stored) -> Result<()> {
        match self.storage_and_check(of)? {
            true => Err(Error::unsupported("\"check_option\" of a view that is there is")),
            false => Ok(()),
        }
    }

    /// A list of parameters in parentheses; whether one is a CHECK OPTION.
    pub(in crate::sql) fn storage_and_check(&mut self, of: Stored) -> Result<bool> {
        self.needs_token(&Token::LParen)?;
        let mut has_check = false;
        loop {
            let position = self.position();
            let mut name = self.name()?;
            if self.takes_token(&Token::Period) {
                name = format!("{name}.{}", self.name()?);
            }
            let value = if self.takes_token(&Token::Eq) { Some(self.value()?) } else { None };
            of.check(&name, value.as_deref()).map_err(|error| error.at(position))?;
            has_check |= of == Stored::View && name == CHECK_OPTION;
            if !self.takes_token(&Token::Comma) {
                break;
            }
        }
        self.needs_token(&Token::RParen)?;
        Ok(has_check)
    }

    /// The name of a tablespace.
    ///
    /// # Errors
    /// 42704 for any but the two that every server has.
    pub(in crate::sql) fn tablespace(&mut self) -> Result<()> {
        let position = self.position();
        let name = self.name()?;
        if matches!(name.as_str(), "pg_default" | "pg_global") {
            return Ok(());
        }
        let message = format!("tablespace \"{name}\" does not exist");
        Err(Error::new(ErrorKind::UnknownObject, message).at(position))
    }
}
