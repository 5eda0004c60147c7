//! The words that dates and times have: months, days of the week, eras, prefixes of fields (`y2001`), and names of times.

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// 1 to 12.
    Month(i64),
    /// A day of the week, which says nothing.
    Weekday,
    /// AM is false, PM true.
    Afternoon(bool),
    /// AD is false, BC true.
    BeforeChrist(bool),
    /// What the next field is.
    Prefix(Prefix),
    /// `t`, behind which stands a time.
    TimePrefix,
    /// `dst`: an hour more than the zone in front.
    SummerTime,
    /// A word that says nothing.
    Filler,
    /// The time of a name.
    Named(Named),
}

/// What a field behind a prefix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Julian,
    /// A run of digits behind `t`.
    Time,
    /// What a prefix says that no field has.
    Other,
}

/// Times that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Epoch,
    Infinity,
    MinusInfinity,
    Now,
    /// Days from today.
    Day(i64),
    /// Midnight in UTC.
    Midnight,
}

/// Letters of a word that are compared.
const LETTERS: usize = 10;

/// The meaning of a word in lower case.
pub(super) fn named(word: &str) -> Option<Word> {
    let word = word.get(..LETTERS).unwrap_or(word);
    Some(match word {
        "jan" | "january" => Word::Month(1),
        "feb" | "february" => Word::Month(2),
        "mar" | "march" => Word::Month(3),
        "apr" | "april" => Word::Month(4),
        "may" => Word::Month(5),
        "jun" | "june" => Word::Month(6),
        "jul" | "july" => Word::Month(7),
        "aug" | "august" => Word::Month(8),
        "sep" | "sept" | "september" => Word::Month(9),
        "oct" | "october" => Word::Month(10),
        "nov" | "november" => Word::Month(11),
        "dec" | "december" => Word::Month(12),
        "mon" | "monday" | "tue" | "tues" | "tuesday" | "wed" | "weds" | "wednesday" | "thu" | "thur" | "thurs"
        | "thursday" | "fri" | "friday" | "sat" | "saturday" | "sun" | "sunday" => Word::Weekday,
        "am" => Word::Afternoon(false),
        "pm" => Word::Afternoon(true),
        "ad" => Word::BeforeChrist(false),
        "bc" => Word::BeforeChrist(true),
        "at" | "on" => Word::Filler,
        "t" => Word::TimePrefix,
        "dst" => Word::SummerTime,
        "y" => Word::Prefix(Prefix::Year),
        "m" => Word::Prefix(Prefix::Month),
        "d" => Word::Prefix(Prefix::Day),
        "h" => Word::Prefix(Prefix::Hour),
        "mm" => Word::Prefix(Prefix::Minute),
        "s" => Word::Prefix(Prefix::Second),
        "j" | "jd" | "julian" => Word::Prefix(Prefix::Julian),
        "dow" | "doy" | "isodow" | "isoyear" => Word::Prefix(Prefix::Other),
        "epoch" => Word::Named(Named::Epoch),
        "infinity" => Word::Named(Named::Infinity),
        "-infinity" => Word::Named(Named::MinusInfinity),
        "now" => Word::Named(Named::Now),
        "today" => Word::Named(Named::Day(0)),
        "tomorrow" => Word::Named(Named::Day(1)),
        "yesterday" => Word::Named(Named::Day(-1)),
        "allballs" => Word::Named(Named::Midnight),
        _ => return None,
    })
}

/// Whether digits behind a word at once are a field of their own.
pub(super) fn is_keyword(word: &str) -> bool {
    named(word).is_some()
}
