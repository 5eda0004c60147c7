//! `to_char`, `to_number`, `to_date` and `to_timestamp`.

use super::call::{Special, take};
use super::coercion::Coercion;
use super::fold;
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Function, TemplateFunction};
use crate::relation::Expression;
use crate::relation::builder::Builder;
use crate::types::DataType;

impl Builder<'_> {
    /// A function of templates, if the name and the types are of one.
    pub(super) fn special_template_function(&mut self, name: &str, arguments: Vec<Expression>) -> Result<Special> {
        use DataType as T;
        let call = match (name, arguments.len()) {
            ("to_char", 2) => {
                let [value, template] = take(arguments);
                return self.shown_by_template(value, template);
            }
            ("to_timestamp", 1) => {
                let [seconds] = take(arguments);
                let seconds = self.coerce(seconds, T::Double, Coercion::Implicit)?;
                fold::call(Function::OfEpoch, vec![seconds], T::TimestampTz)
            }
            ("to_date" | "to_timestamp" | "to_number", 2) => {
                let texts = arguments.into_iter().map(|argument| self.coerce(argument, T::Text, Coercion::Implicit));
                let mut texts = texts.collect::<Result<Vec<_>>>()?;
                if name == "to_number" {
                    fold::call(Function::Template(TemplateFunction::ReadNumber), texts, T::Numeric)
                } else if name == "to_date" {
                    fold::call(Function::Template(TemplateFunction::ReadDate), texts, T::Date)
                } else {
                    texts.push(self.zone());
                    fold::call(Function::Template(TemplateFunction::ReadInstant), texts, T::TimestampTz)
                }
            }
            _ => return Ok(Special::NoMatch(arguments)),
        };
        Ok(Special::Bound(call))
    }

    /// `to_char(value, template)`. A date is an instant, as its clock shows zones; a time is an interval.
    fn shown_by_template(&mut self, value: Expression, template: Expression) -> Result<Special> {
        use DataType as T;
        let (function, wanted) = match value.data_type {
            T::Date | T::TimestampTz => (TemplateFunction::Instant, T::TimestampTz),
            T::Timestamp => (TemplateFunction::Timestamp, T::Timestamp),
            T::Time | T::Interval => (TemplateFunction::Interval, T::Interval),
            T::Real => (TemplateFunction::Number, T::Real),
            T::Double => (TemplateFunction::Number, T::Double),
            number if number.is_numeric() => (TemplateFunction::Number, T::Numeric),
            T::Null => {
                let message = "function to_char(unknown, unknown) is not unique";
                let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
                return Err(Error::new(ErrorKind::AmbiguousFunction, message).at(value.position).with_hint(hint));
            }
            _ => return Ok(Special::NoMatch(vec![value, template])),
        };
        let value = self.coerce(value, wanted, Coercion::Implicit)?;
        let mut arguments = vec![value, self.coerce(template, T::Text, Coercion::Implicit)?];
        if wanted == T::TimestampTz {
            arguments.push(self.zone());
        }
        Ok(Special::Bound(fold::call(Function::Template(function), arguments, T::Text)))
    }
}
