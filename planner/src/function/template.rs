//! The functions of templates (`evaluate/template`): values as texts of a form, and such texts as values.

use serde::{Deserialize, Serialize};

/// A function of a value, or a text, and a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TemplateFunction {
    /// `to_char(timestamp, template)`: NULL of infinity.
    Timestamp,
    /// `to_char(timestamptz, template)`: arguments instant, template, zone; NULL of infinity.
    Instant,
    /// `to_char(interval, template)`.
    Interval,
    /// `to_char(number, template)` of a numeric, a double or a real.
    Number,
    /// `to_date(text, template)`.
    ReadDate,
    /// `to_timestamp(text, template)`, of a text, a template and a zone: an instant.
    ReadInstant,
    /// `to_number(text, template)`: a numeric; NULL of an empty template.
    ReadNumber,
}

impl TemplateFunction {
    /// Every function.
    pub const ALL: [TemplateFunction; 7] = [
        TemplateFunction::Timestamp,
        TemplateFunction::Instant,
        TemplateFunction::Interval,
        TemplateFunction::Number,
        TemplateFunction::ReadDate,
        TemplateFunction::ReadInstant,
        TemplateFunction::ReadNumber,
    ];

    /// Whether it can be NULL though no argument is.
    pub(crate) fn makes_null(self) -> bool {
        use TemplateFunction as T;
        matches!(self, T::Timestamp | T::Instant | T::Interval | T::ReadNumber)
    }
}
