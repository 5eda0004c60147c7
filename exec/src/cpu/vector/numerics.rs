//! Numerics as integers with scales: what functions of numerics hand to each other, to sums and to the columns of intermediate
//! results, so that nothing on the way is the text of a table's column. A vector has this form only for who asks for it
//! (`Tile::ensure_numerics`); everybody else finds texts.

use super::{TextVector, Vector, VectorData};
use multiloop_planner::numeric::small::SmallNumeric;

/// Numbers whose digits 128 bits hold; at a NULL stands 0.
#[derive(Clone, Debug, Default)]
pub struct NumericVector {
    unscaled: Vec<i128>,
    scales: Vec<u8>,
    /// What whoever made the numbers knows of all that are not 0.
    bounds: Option<Bounds>,
}

/// What is so of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// No magnitude of digits has a bit that this has not.
    pub(crate) bits: u128,
    pub(crate) scale_min: u8,
    pub(crate) scale_max: u8,
}

impl Bounds {
    /// Those of no numbers.
    const NONE: Bounds = Bounds { bits: 0, scale_min: u8::MAX, scale_max: 0 };

    fn with(self, other: Bounds) -> Bounds {
        Bounds {
            bits: self.bits | other.bits,
            scale_min: self.scale_min.min(other.scale_min),
            scale_max: self.scale_max.max(other.scale_max),
        }
    }
}

impl NumericVector {
    /// Forgets all numbers, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.unscaled.clear();
        self.scales.clear();
        self.bounds = None;
    }

    /// So many zeros.
    pub(crate) fn zeros(&mut self, len: usize) {
        self.clear();
        self.unscaled.resize(len, 0);
        self.scales.resize(len, 0);
    }

    /// These numbers, which are those of a column: [`append_small`](super::builder::ColumnBuilder::append_small) lets no other scales in.
    pub(crate) fn of(numbers: &[SmallNumeric]) -> Self {
        let mut all = NumericVector::default();
        all.extend(numbers.iter().copied());
        all
    }

    /// Appends numbers, whose scales are those of numbers here.
    pub(crate) fn extend(&mut self, numbers: impl Iterator<Item = SmallNumeric>) {
        for number in numbers {
            debug_assert!(u8::try_from(number.scale).is_ok(), "a scale that numbers have here");
            self.bounds = None;
            self.unscaled.push(number.unscaled);
            self.scales.push(number.scale as u8);
        }
    }

    /// Appends numbers by magnitudes of digits, below 2^127, signs (0, or -1 of a negative one) and how many of the digits stand
    /// behind the point, which are from `scale_min` to `scale_max`.
    #[inline]
    pub(crate) fn append(
        &mut self,
        numbers: impl Iterator<Item = (u128, i128)>,
        scales: impl Iterator<Item = u8>,
        (scale_min, scale_max): (u8, u8),
    ) {
        let before = if self.unscaled.is_empty() { Some(Bounds::NONE) } else { self.bounds };
        let mut bits = 0;
        self.unscaled.extend(numbers.map(|(magnitude, sign)| {
            bits |= magnitude;
            (magnitude as i128 ^ sign) - sign
        }));
        self.scales.extend(scales);
        self.bounds = before.map(|before| before.with(Bounds { bits, scale_min, scale_max }));
        debug_assert_eq!(self.unscaled.len(), self.scales.len(), "a scale a number");
    }

    /// What is so of all numbers that are not 0; the largest scale is one of all.
    pub(crate) fn bounds(&self) -> Bounds {
        if let Some(bounds) = self.bounds {
            return bounds;
        }
        let mut bounds = Bounds::NONE;
        for (&unscaled, &scale) in self.unscaled.iter().zip(&self.scales) {
            bounds.bits |= unscaled.unsigned_abs();
            bounds.scale_min = bounds.scale_min.min(if unscaled == 0 { u8::MAX } else { scale });
            bounds.scale_max = bounds.scale_max.max(scale);
        }
        bounds
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
        if (number.unscaled, number.scale) != (0, 0) {
            self.bounds = None;
        }
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
        self.bounds = from.bounds;
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
    use crate::cpu::vector::builder::ColumnBuilder;
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
    /// Numbers of 128 bits, and what has no place among them: NULL, more digits, a longer scale, none that is finite.
    fn nasty() -> Vec<Option<Numeric>> {
        let wide = Numeric::parse("123456789012345678901234567890123456789012.50").unwrap();
        let long = Numeric::new(-7, 256);
        let small = [(0, 0), (0, 3), (-310, 2), (i128::MAX, 0), (i128::MIN + 1, 255), (1, 255)];
        let small = small.map(|(unscaled, scale)| Some(Numeric::new(unscaled, scale)));
        small.into_iter().chain([None, Some(wide), Some(long), Some(Numeric::NaN), Some(Numeric::Infinity)]).collect()
    }

    fn shown(column: &ColumnBuilder) -> Vec<String> {
        let vector = column.clone().into_vector();
        (0..column.len()).map(|row| format!("{:?}", vector.value(row, DataType::Numeric))).collect()
    }

    #[test]
    fn columns_hold_any_numbers_in_one_form() {
        let nasty = nasty();
        let debug = |number: &Option<Numeric>| format!("{:?}", number.clone().map_or(Value::Null, Value::numeric));
        // Each first, each next, each last: one that does not fit makes all of them texts.
        for first in 0..nasty.len() {
            for second in 0..nasty.len() {
                let of = |places: &[usize]| {
                    let mut column = ColumnBuilder::from_numerics(Vec::new(), None);
                    places.iter().for_each(|&place| column.append_numeric(nasty[place].as_ref()));
                    column
                };
                let expected = |places: &[usize]| places.iter().map(|&place| debug(&nasty[place])).collect::<Vec<_>>();
                let (left, right) = ([first, 0, second], [second, 6, first]);
                let (mut a, b) = (of(&left), of(&right));
                assert_eq!((shown(&a), shown(&b)), (expected(&left), expected(&right)));
                assert_eq!(shown(&a.take(&[2, 2, 0])), expected(&[second, second, first]));
                assert_eq!(shown(&a.slice(1..3)), expected(&[0, second]));
                assert_eq!(shown(&a.put(&[2, 0, 1])), expected(&[0, second, first]));
                // As vectors of either form, behind those of either form.
                for settled in [false, true] {
                    let mut together = a.clone();
                    let mut vector = b.clone().into_vector();
                    if settled {
                        vector.settle_numerics();
                    }
                    together.append(&vector);
                    let mut placed = a.clone();
                    placed.put_at(&vector, &[5, 4, 3], 6, 6);
                    assert_eq!(shown(&together), expected(&[left, right].concat()));
                    assert_eq!(shown(&placed), expected(&[first, 0, second, first, 6, second]));
                }
                let column = a.clone().into_column(DataType::Numeric).unwrap();
                let values = (0..3).map(|row| format!("{:?}", column.value(row, DataType::Numeric)));
                assert_eq!(values.collect::<Vec<_>>(), expected(&left));
                let slice = column.slice(1, 2);
                assert_eq!(format!("{:?}", slice.value(1, DataType::Numeric)), debug(&nasty[second]));
                assert_eq!(
                    shown(&ColumnBuilder::concat(vec![a.clone(), b.clone()])),
                    expected(&[left, right].concat())
                );
                a.append_all(b);
                assert_eq!(shown(&a), expected(&[left, right].concat()));
            }
        }
    }

    #[test]
    fn numbers_show_their_digits() {
        for number in nasty().into_iter().flatten() {
            let Some(small) = number.small() else { continue };
            assert_eq!(small.to_string(), number.to_string());
        }
        for (unscaled, scale) in [(5, 1), (-5, 1), (-5, 3), (100, 2), (7, 39), (-12_345, 40), (i128::MIN, 3)] {
            assert_eq!(SmallNumeric::new(unscaled, scale).to_string(), Numeric::new(unscaled, scale).to_string());
        }
    }
}
