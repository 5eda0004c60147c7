//! Records the names and literals of a statement's own text. CREATE VIEW and its kin store the record, so that what is stored goes on
//! to mean what it meant ([`crate::catalog::View`]); a statement that is prepared keeps its literals.
//!
//! What the text of a view means that the statement names is that view's, and is not noted.

use super::Builder;
use crate::catalog::{Literals, Mark, Marked, TableName, is_read_anew};
use crate::error::{Position, Result};
use crate::evaluate;
use crate::types::DataType;
use crate::value::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// What was noted of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noted {
    /// The tables, views and types that it names.
    pub needs: Vec<Need>,
    /// The values of its literals that could have others.
    pub literals: Literals,
    /// Where they stand, and where it names relations; not in order.
    pub marks: Vec<Mark>,
    /// Whether literals and places are noted: for what is kept. Of another statement there may be very many.
    is_kept: bool,
}

/// A name in a statement's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// As it is written.
    pub name: TableName,
    /// The names of its columns, in order; none of a type.
    pub columns: Option<Vec<String>>,
}

impl Noted {
    /// Whether literals and places are noted.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }
}

impl Builder<'_> {
    /// From now on literals and places are noted, too.
    pub(crate) fn keep_notes(&mut self) {
        self.noted.get_mut().is_kept = true;
    }

    /// Whether the text that is built is stored as a definition: that of a view, say, but not of a prepared statement.
    pub(crate) fn is_stored(&self) -> bool {
        self.noted.borrow().is_kept && !self.catalog.is_preparing()
    }

    /// What the statement itself has named and read so far.
    pub(crate) fn take_notes(&mut self) -> Noted {
        let noted = self.noted.get_mut();
        let mut taken = std::mem::take(noted);
        noted.is_kept = taken.is_kept;
        taken.marks.sort_by_key(|mark| mark.at);
        taken.marks.dedup();
        taken
    }

    /// Notes what another builder has noted of a part of the same text.
    pub(crate) fn note_all(&mut self, of: Noted) {
        let noted = self.noted.get_mut();
        noted.literals.add_all(of.literals);
        for need in of.needs {
            let is_known = |known: &Need| known.name == need.name && known.columns.is_some() == need.columns.is_some();
            if !noted.needs.iter().any(is_known) {
                noted.needs.push(need);
            }
        }
    }

    /// The literals that were noted, by where they stand: their types, and the values as texts that mean the same under all settings.
    pub(crate) fn noted_literals(&self) -> HashMap<Position, (DataType, String)> {
        let noted = self.noted.borrow();
        let literal = |mark: &Mark| {
            let Marked::Literal(text, data_type) = &mark.what else { return None };
            let value = noted.literals.get(text, *data_type)?;
            let place = Position(u32::try_from(mark.at).ok()?);
            Some((place, (*data_type, evaluate::format_in(value, *data_type, evaluate::UTC))))
        };
        noted.marks.iter().filter_map(literal).collect()
    }

    /// Notes that the statement itself names something.
    pub(crate) fn need(&self, name: &TableName, columns: Option<Vec<String>>) {
        let mut noted = self.noted.borrow_mut();
        let is_known = |need: &Need| need.name == *name && need.columns.is_some() == columns.is_some();
        if self.is_noted() && !noted.needs.iter().any(is_known) {
            noted.needs.push(Need { name: name.clone(), columns });
        }
    }

    /// Notes where FROM names a relation.
    pub(crate) fn mark_relation(&self, name: TableName, aliased: bool, position: Option<Position>) {
        self.mark(Marked::Relation(name, aliased), position);
    }

    fn mark(&self, what: Marked, position: Option<Position>) {
        let mut noted = self.noted.borrow_mut();
        if let Some(Position(at)) = position.filter(|_| noted.is_kept && self.is_own_text()) {
            noted.marks.push(Mark { at: at as usize, what });
        }
    }

    /// Whether what is built stands in the statement's own text, and not in one that was kept or that a function is.
    fn is_own_text(&self) -> bool {
        self.view.is_none() && self.is_noted()
    }

    /// Whether what is built is the statement's own, or the body of the function that it makes.
    fn is_noted(&self) -> bool {
        let own = usize::from(self.notes_body);
        self.views.len() == own && (self.arguments.is_none() || self.notes_body)
    }

    /// The value of a literal in quotes whose reading depends on settings, the time or names: the one that it had when its text was
    /// kept, if it was. None of another type.
    pub(super) fn kept_literal(
        &self,
        text: &Arc<str>,
        to: DataType,
        position: Option<Position>,
    ) -> Result<Option<Value>> {
        if !is_read_anew(to) {
            return Ok(None);
        }
        let known = match &self.view {
            _ if self.arguments.is_some() => None,
            Some(view) => view.literals.get(text, to),
            // What a name stands for, a statement that is prepared finds out anew when something has changed.
            None if to.element().unwrap_or(to).is_oid() => None,
            None => self.prepared.get(text, to),
        };
        if let Some(value) = known {
            return Ok(Some(value.clone()));
        }
        let read = match to {
            DataType::Interval => {
                evaluate::parse_interval(text, None, self.catalog.interval_style()).map(Value::Interval)
            }
            _ => self.read_logical(text, to),
        };
        let value = read.map_err(|error| error.at(position))?;
        if self.is_own_text() && self.noted.borrow().is_kept {
            self.noted.borrow_mut().literals.add(text, to, &value);
            self.mark(Marked::Literal(Arc::clone(text), to), position);
        }
        Ok(Some(value))
    }
}
