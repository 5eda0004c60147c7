//! Parameters of an embedding program: checked before anything is run with them, and in the form that columns store
//! (`planner/src/evaluate/admit.rs`).

use super::Session;
use crate::{DataType, Error, Result, Value};
use multiloop_planner::evaluate::{UTC, admit, check_type};
use std::borrow::Cow;

impl Session {
    /// The values as these types have them; they are as many as there are types. What clients send over a connection has been
    /// read for its type, and stays as it is.
    pub(super) fn admitted<'a>(&self, values: &'a [Value], types: &[DataType]) -> Result<Cow<'a, [Value]>> {
        let zone = self.zone_for(types.iter().copied());
        let mut admitted = Cow::Borrowed(values);
        for (at, (value, &data_type)) in values.iter().zip(types).enumerate() {
            if let Some(other) = admit(value, data_type, &zone).map_err(|error| of_parameter(error, at))? {
                admitted.to_mut()[at] = other;
            }
        }
        Ok(admitted)
    }

    /// The same of values that come with their types, which are checked, too.
    pub(super) fn admitted_with_types<'a>(
        &self,
        parameters: &'a [(Value, DataType)],
    ) -> Result<Cow<'a, [(Value, DataType)]>> {
        let zone = self.zone_for(parameters.iter().map(|(_, data_type)| *data_type));
        let mut admitted = Cow::Borrowed(parameters);
        for (at, (value, data_type)) in parameters.iter().enumerate() {
            check_type(*data_type).map_err(|error| of_parameter(error, at))?;
            if let Some(other) = admit(value, *data_type, &zone).map_err(|error| of_parameter(error, at))? {
                admitted.to_mut()[at].0 = other;
            }
        }
        Ok(admitted)
    }

    /// The zone of texts of instants that name none, if there may be some among values of these types: in arrays.
    fn zone_for(&self, mut types: impl Iterator<Item = DataType>) -> Cow<'static, str> {
        if types.any(|data_type| data_type.is_zoned() && data_type.element().is_some()) {
            Cow::Owned(self.sight().time_zone().to_owned())
        } else {
            Cow::Borrowed(UTC)
        }
    }
}

/// The error, which says which parameter it is about.
fn of_parameter(error: Error, at: usize) -> Error {
    if error.detail().is_some() {
        error
    } else {
        error.with_detail(format!("The value is that of parameter ${}.", at + 1))
    }
}
