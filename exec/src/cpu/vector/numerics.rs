//! Numerics of a tile as integers with scales: what functions of numerics hand to each other and to sums, so that nothing on the
//! way is the text of a column. A vector has this form only for who asks for it (`Tile::ensure_numerics`); everybody else finds
//! texts.

use super::{TextVector, Vector, VectorData};
use multiloop_planner::numeric::small::SmallNumeric;

/// Numbers whose digits 128 bits hold; at a NULL stands 0.
#[derive(Clone, Debug, Default)]
pub struct NumericVector {
    unscaled: Vec<i128>,
    scales: Vec<u8>,
}

impl NumericVector {
    /// Forgets all numbers, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.unscaled.clear();
        self.scales.clear();
    }

    /// So many zeros.
    pub(crate) fn zeros(&mut self, len: usize) {
        self.clear();
        self.unscaled.resize(len, 0);
        self.scales.resize(len, 0);
    }

    /// How many numbers.
    pub(crate) fn len(&self) -> usize {
        self.unscaled.len()
    }

    /// The numbers' digits.
    pub(crate) fn unscaled(&self) -> &[i128] {
        &self.unscaled
    }

    /// How many of them stand behind the point.
    pub(crate) fn scales(&self) -> &[u8] {
        &self.scales
    }

    /// The number at a position.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> SmallNumeric {
        SmallNumeric::new(self.unscaled[position], self.scales[position].into())
    }

    /// Puts a number in the place of another; false if it has more digits behind the point than numbers have here.
    #[inline]
    pub(crate) fn set(&mut self, position: usize, number: SmallNumeric) -> bool {
        let Ok(scale) = u8::try_from(number.scale) else { return false };
        (self.unscaled[position], self.scales[position]) = (number.unscaled, scale);
        true
    }

    /// Makes this integers of one scale.
    pub(crate) fn fill(&mut self, unscaled: impl Iterator<Item = i128>, scale: u8) {
        self.clear();
        self.unscaled.extend(unscaled);
        self.scales.resize(self.unscaled.len(), scale);
    }

    /// Makes this the numbers of `from` at these positions.
    pub(crate) fn gather(&mut self, from: &NumericVector, positions: &[u32]) {
        self.clear();
        self.unscaled.extend(positions.iter().map(|&position| from.unscaled[position as usize]));
        self.scales.extend(positions.iter().map(|&position| from.scales[position as usize]));
    }
}

impl Vector {
    /// The memory for numerics, emptied.
    pub(crate) fn take_numerics(&mut self) -> NumericVector {
        let VectorData::Numerics(numbers) = &mut self.data else { return NumericVector::default() };
        let mut numbers = std::mem::take(numbers);
        numbers.clear();
        numbers
    }

    /// Makes numerics the texts of a column.
    pub(crate) fn settle_numerics(&mut self) {
        let VectorData::Numerics(numbers) = &self.data else { return };
        let (mut texts, mut text) = (TextVector::default(), String::new());
        for position in 0..numbers.len() {
            text.clear();
            if self.nulls.as_ref().is_none_or(|nulls| nulls.get(position)) {
                numbers.get(position).encode_into(&mut text);
            }
            texts.push(&text);
        }
        self.data = VectorData::Text(texts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::vector::bitmap::Bitmap;
    use multiloop_planner::numeric::Numeric;
    use multiloop_planner::types::DataType;
    use multiloop_planner::value::Value;

    #[test]
    fn numbers_become_texts() {
        let mut numbers = NumericVector::default();
        numbers.zeros(4);
        assert!(numbers.set(0, SmallNumeric::new(-310, 2)));
        assert!(numbers.set(3, SmallNumeric::new(i128::MAX, 255)));
        assert!(!numbers.set(1, SmallNumeric::new(1, 256)));
        let mut nulls = Bitmap::new(4, true);
        nulls.set(1, false);
        let mut vector = Vector::default();
        vector.set(4, VectorData::Numerics(numbers), Some(nulls));
        let values = |vector: &Vector| (0..4).map(|at| vector.value(at, DataType::Numeric)).collect::<Vec<Value>>();
        let expected = [
            Value::numeric(Numeric::new(-310, 2)),
            Value::Null,
            Value::numeric(Numeric::new(0, 0)),
            Value::numeric(Numeric::new(i128::MAX, 255)),
        ];
        assert_eq!(values(&vector), expected);
        let mut gathered = Vector::default();
        gathered.gather(&vector, &[3, 2, 1, 0]);
        vector.settle_numerics();
        gathered.settle_numerics();
        assert_eq!(values(&vector), expected);
        assert_eq!(values(&gathered).into_iter().rev().collect::<Vec<_>>(), expected);
        assert!(matches!(vector.data, VectorData::Text(_)));
    }
}
