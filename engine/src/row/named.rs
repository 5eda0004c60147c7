//! Columns by name, for structs: the names are looked up once a result, not once a row.

use super::{FromSql, Row, rust_name};
use crate::{Error, ErrorKind, Field, Result};
use multiloop_planner::relation::builder::did_you_mean;
use std::borrow::Cow;

/// Where a struct's columns are among those of a result.
pub(super) struct Places {
    /// The struct, told by its list of names.
    of: &'static [&'static str],
    at: Vec<usize>,
}

/// The columns of a struct in a row.
#[doc(hidden)]
pub struct NamedColumns<'r> {
    row: &'r Row,
    places: Cow<'r, [usize]>,
}

impl<'r> NamedColumns<'r> {
    /// Looks for the columns of these names.
    ///
    /// # Errors
    /// 42703 for a name that the row does not have, 42702 for one that two columns have.
    #[inline]
    pub fn of(row: &'r Row, names: &'static [&'static str]) -> Result<Self> {
        if let Some(known) = row.batch.header.places.get()
            && std::ptr::eq(known.of, names)
        {
            return Ok(NamedColumns { row, places: Cow::Borrowed(&known.at) });
        }
        Self::search(row, names)
    }

    #[cold]
    fn search(row: &'r Row, names: &'static [&'static str]) -> Result<Self> {
        let at: Vec<usize> = names.iter().map(|name| place_of(row.fields(), name)).collect::<Result<_>>()?;
        let known = row.batch.header.places.get_or_init(|| Places { of: names, at: at.clone() });
        let is_known = std::ptr::eq(known.of, names);
        // Rows that become one struct here and another one there are looked at each time.
        Ok(NamedColumns { row, places: if is_known { Cow::Borrowed(&known.at) } else { Cow::Owned(at) } })
    }

    /// The value of a name, by its place among the names.
    ///
    /// # Errors
    /// Those of [`Row::get`].
    #[inline]
    pub fn get<T: FromSql<'r>>(&self, at: usize) -> Result<T> {
        self.row.get(self.places.get(at).copied().unwrap_or(usize::MAX))
    }
}

/// The place of a column.
fn place_of(fields: &[Field], name: &str) -> Result<usize> {
    let mut named = fields.iter().enumerate().filter(|(_, field)| field.name == name);
    match (named.next(), named.next()) {
        (Some((at, _)), None) => Ok(at),
        (None, _) => {
            let names: Vec<String> = fields.iter().map(|field| format!("\"{}\"", field.name)).collect();
            let has = if names.is_empty() { "no columns".to_owned() } else { names.join(", ") };
            let error = Error::new(ErrorKind::UnknownColumn, format!("column \"{name}\" does not exist"))
                .with_detail(format!("The row has {has}."));
            Err(did_you_mean(error, name, fields.iter().map(|field| field.name.as_str())))
        }
        _ => Err(Error::new(ErrorKind::AmbiguousColumn, format!("column reference \"{name}\" is ambiguous"))
            .with_detail("Two columns of the row have the name.".to_owned())),
    }
}

/// Checks that there is a column of a name, and that it becomes a field of a struct, whose path is for the message.
///
/// # Errors
/// 42703 for a name that the result does not have, 42702 for one that two columns have, 42804 for a type that does not become the
/// field's.
#[doc(hidden)]
pub fn check_named<T: for<'r> FromSql<'r>>(fields: &[Field], name: &str, member: &str) -> Result<()> {
    let needs = |error: Error| {
        let of = format!("The field {member} needs it.");
        let detail = error.detail().map_or(of.clone(), |detail| format!("{of} {detail}"));
        error.with_detail(detail).of_column(name)
    };
    let field = &fields[place_of(fields, name).map_err(needs)?];
    if <T as FromSql<'_>>::takes(field.data_type) {
        return Ok(());
    }
    let (of, rust) = (field.data_type, rust_name::<T>());
    let message = format!("column \"{name}\" is of type {of}, which does not become {member}, of type {rust}");
    Err(Error::new(ErrorKind::TypeMismatch, message).of_column(name))
}
