//! Appends numerics to a growing column.

use super::builder::{BuilderData, ColumnBuilder};
use multiloop_planner::numeric::Numeric;
use multiloop_planner::numeric::small::SmallNumeric;

impl ColumnBuilder {
    /// Appends a number, or NULL.
    pub(crate) fn append_numeric(&mut self, number: Option<&Numeric>) {
        match number.map(Numeric::small) {
            None => self.append_small(None),
            Some(Some(small)) => self.append_small(Some(small)),
            Some(None) => number.into_iter().for_each(|number| self.append_numeric_text(number)),
        }
    }

    /// The same of a number whose digits 128 bits hold. Once there was one that they do not, all are texts.
    pub(crate) fn append_small(&mut self, number: Option<SmallNumeric>) {
        let BuilderData::Numerics(numbers) = &mut self.data else {
            let text = number.map(SmallNumeric::encode);
            return self.append_texts(std::iter::once(text.as_ref().map(|text| text.as_bytes())));
        };
        match number {
            Some(number) if u8::try_from(number.scale).is_err() => return self.append_numeric_text(&number.into()),
            number => numbers.push(number.unwrap_or_default()),
        }
        match (&mut self.valid, number) {
            (Some(valid), number) => valid.push(number.is_some()),
            (None, Some(_)) => {}
            (None, None) => self.valid = Some((0..=self.len).map(|row| row < self.len).collect()),
        }
        self.len += 1;
    }

    fn append_numeric_text(&mut self, number: &Numeric) {
        self.append_texts(std::iter::once(Some(number.encode().as_bytes())));
    }
}
