//! The known answers, and how a result is compared with them.

use multiloop::arrow::array::RecordBatch;
use multiloop::arrow::util::display::{ArrayFormatter, FormatOptions};
use std::cmp::Ordering;

macro_rules! answers {
    ($scale:literal) => {
        answers!($scale, "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11" "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22")
    };
    ($scale:literal, $($number:literal)*) => {
        [$(include_str!(concat!("../answers/sf", $scale, "/q", $number, ".csv"))),*]
    };
}

const SF_0_01: [&str; 22] = answers!("0.01");
const SF_0_1: [&str; 22] = answers!("0.1");
const SF_1: [&str; 22] = answers!("1");
const SF_10: [&str; 22] = answers!("10");

/// ORDER BY leaves ties in these, so their rows are compared as bags.
pub(crate) const WITH_TIES: [usize; 5] = [3, 5, 10, 11, 18];

/// Digits after the point that an exact decimal of an answer has at most; more mean a double.
const EXACT_DIGITS: usize = 6;

/// The answer to a query, if it is known for this scale factor.
fn answer(number: usize, scale_factor: f64) -> Option<&'static str> {
    let known = [(0.01, &SF_0_01), (0.1, &SF_0_1), (1.0, &SF_1), (10.0, &SF_10)];
    known.iter().find(|(scale, _)| *scale == scale_factor).map(|(_, answers)| answers[number - 1])
}

/// Whether a query's rows are the known answer: None if none is known; Err says where they differ first.
pub fn verify(number: usize, scale_factor: f64, actual: Vec<Vec<String>>) -> Option<Result<(), String>> {
    let expected = answer(number, scale_factor)?.lines().skip(1).map(split).collect();
    Some(compare(number, expected, actual))
}

/// Whether two results of a query have the same rows; Err says where they differ first.
pub fn compare(number: usize, mut expected: Vec<Vec<String>>, mut actual: Vec<Vec<String>>) -> Result<(), String> {
    if WITH_TIES.contains(&number) {
        expected.sort_by(|a, b| compare_rows(a, b));
        actual.sort_by(|a, b| compare_rows(a, b));
    }
    if expected.len() != actual.len() {
        return Err(format!("{} rows instead of {}", actual.len(), expected.len()));
    }
    for (row, (wanted, got)) in expected.iter().zip(&actual).enumerate() {
        let same = wanted.len() == got.len() && wanted.iter().zip(got).all(|(wanted, got)| same(wanted, got));
        if !same {
            return Err(format!("row {}: {} instead of {}", row + 1, got.join("|"), wanted.join("|")));
        }
    }
    Ok(())
}

/// A result's values as text.
pub fn rows(batches: &[RecordBatch]) -> Result<Vec<Vec<String>>, multiloop::arrow::error::ArrowError> {
    let options = FormatOptions::default();
    let mut rows = Vec::new();
    for batch in batches {
        let formatters: Vec<ArrayFormatter<'_>> =
            batch.columns().iter().map(|array| ArrayFormatter::try_new(array, &options)).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            rows.push(formatters.iter().map(|formatter| formatter.value(row).to_string()).collect());
        }
    }
    Ok(rows)
}

/// The cells of a line: `|` between them, quotes around those that need them, doubled inside.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let cell = cells.last_mut().expect("there is always a cell");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            '|' if !quoted => cells.push(String::new()),
            _ => cell.push(character),
        }
    }
    cells
}

/// Text and exact numbers must agree; a double of the answer to 1e-9 relative.
fn same(wanted: &str, got: &str) -> bool {
    if wanted.trim_end() == got.trim_end() {
        return true;
    }
    let (Ok(a), Ok(b)) = (wanted.parse::<f64>(), got.parse::<f64>()) else { return false };
    if normal(wanted) == normal(got) {
        return true;
    }
    let digits = wanted.split_once('.').map_or(0, |(_, digits)| digits.len());
    (digits > EXACT_DIGITS || wanted.contains('e')) && (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// A number's digits without zeros that mean nothing.
fn normal(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

pub(crate) fn compare_rows(a: &[String], b: &[String]) -> Ordering {
    let cells = a.iter().zip(b).map(|(a, b)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.trim_end().cmp(b.trim_end()),
    });
    cells.fold(Ordering::Equal, Ordering::then)
}

#[cfg(test)]
mod tests {
    use super::{same, split};

    #[test]
    fn cells_are_split_at_bars_outside_quotes() {
        assert_eq!(split(r#"1|"a|b"|"say ""x"""|"#), ["1", "a|b", r#"say "x""#, ""]);
    }

    #[test]
    fn only_doubles_are_compared_loosely() {
        assert!(same("25.522005853257337", "25.5220058532573370"));
        assert!(same("1.50", "1.5000"));
        assert!(!same("56586554400.73", "56586554400.74"));
        assert!(!same("100", "1"));
        assert!(!same("a", "b"));
    }
}
