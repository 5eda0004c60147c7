//! int2vector and oidvector as people write them: numbers between blanks, which count from 0.

use super::{Array, Bound};
use crate::error::Result;
use crate::evaluate::{logical, parse};
use crate::types::DataType;

/// The text of such an array.
pub(in crate::evaluate) fn show_numbers(array: &Array, element: DataType) -> String {
    let shown: Vec<String> = array.elements.iter().map(|value| logical::show(value, element, logical::UTC)).collect();
    shown.join(" ")
}

/// The array of such a text.
///
/// # Errors
/// 22P02 and 22003 for what is no number of the element's type.
pub(in crate::evaluate) fn read_numbers(text: &str, element: DataType) -> Result<Array> {
    let words = text.split(parse::is_blank).filter(|word| !word.is_empty());
    let elements = words.map(|word| parse::parse_value(word, element)).collect::<Result<Vec<_>>>()?;
    let length = elements.len();
    let bounds = if length == 0 { Vec::new() } else { vec![Bound { lower: 0, length }] };
    Array::checked(bounds, elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for (text, shown) in [("", ""), ("1", "1"), ("  1 -2\t3 ", "1 -2 3")] {
            let array = read_numbers(text, DataType::SmallInt).expect("numbers");
            assert_eq!(show_numbers(&array, DataType::SmallInt), shown);
            assert!(array.bounds.iter().all(|bound| bound.lower == 0));
        }
        let state = |text, of| read_numbers(text, of).map(|_| ()).map_err(|error| error.sqlstate());
        assert_eq!(state("a", DataType::SmallInt), Err("22P02"));
        assert_eq!(state("1,2", DataType::SmallInt), Err("22P02"));
        assert_eq!(state("99999", DataType::SmallInt), Err("22003"));
        assert_eq!(state("4294967295", DataType::OID), Ok(()));
    }
}
