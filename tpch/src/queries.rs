//! The 22 queries: the standard's texts with its validation parameters.

macro_rules! texts {
    ($($number:literal)*) => {
        [$(include_str!(concat!("../queries/q", $number, ".sql"))),*]
    };
}

const TEXTS: [&str; 22] = texts!("01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11" "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22");

/// The text of query `number` (1 to 22) at a scale factor: Q11's FRACTION is 0.0001 / SF (TPC-H 2.4.11.3).
///
/// # Panics
/// If there is no such query.
pub fn query(number: usize, scale_factor: f64) -> String {
    assert!((1..=TEXTS.len()).contains(&number), "TPC-H has queries 1 to 22, not {number}");
    let text = TEXTS[number - 1];
    if number == 11 {
        return text.replace("0.0001000000", &format!("{:.10}", 0.0001 / scale_factor));
    }
    text.to_owned()
}
