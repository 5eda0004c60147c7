//! Values in their binary form as texts, read from PostgreSQL's documents and not by the server's code: what is wrong there
//! shows.

/// Days and microseconds from 1970 to 2000, where PostgreSQL's time begins.
const EPOCH_DAYS: i64 = 10_957;
const DAY_MICROS: i64 = 86_400_000_000;

/// The first number of what users make.
const FIRST_MADE: u32 = 16_384;

/// A value as text, or what has to be asked for it, since it depends on the session.
enum Shown {
    Text(String),
    /// A statement that gives the text.
    Asked(String),
}

/// Takes bytes from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().expect("so many were taken")
    }

    fn i16(&mut self) -> i16 {
        i16::from_be_bytes(self.array())
    }

    fn i32(&mut self) -> i32 {
        i32::from_be_bytes(self.array())
    }

    fn i64(&mut self) -> i64 {
        i64::from_be_bytes(self.array())
    }

    fn rest(&mut self) -> &'a [u8] {
        self.take(self.0.len())
    }
}

/// What a value of the type of this OID is in text; `ask` answers what a session knows.
///
/// # Panics
/// On bytes that are no value of the type.
pub(crate) fn text(oid: u32, value: &[u8], ask: &mut dyn FnMut(&str) -> String) -> String {
    let mut bytes = Bytes(value);
    let shown = match oid {
        1000..=1003 | 1005..=1016 | 1021 | 1022 | 1028 | 1115 | 1182 | 1183 | 1185 | 1187 | 1231 => {
            array(&mut bytes, ask)
        }
        199 | 1270 | 1561 | 1563 | 4073 | 2207..=2211 | 2951 | 3807 | 4090 | 4097 => array(&mut bytes, ask),
        16_001 | 16_003 => array(&mut bytes, ask),
        22 | 30 => vector(&array(&mut bytes, ask)),
        made if made >= FIRST_MADE && is_array(value) => array(&mut bytes, ask),
        _ => match scalar(oid, &mut bytes) {
            Shown::Text(text) => text,
            Shown::Asked(sql) => ask(&sql),
        },
    };
    assert!(bytes.0.is_empty(), "{} bytes are left of a value of type {oid}: {value:?}", bytes.0.len());
    shown
}

fn scalar(oid: u32, bytes: &mut Bytes<'_>) -> Shown {
    let registered = |name: &str, number: i32| Shown::Asked(format!("SELECT {}::oid::{name}::text", number as u32));
    Shown::Text(match oid {
        16 => if bytes.array::<1>() == [0] { "f" } else { "t" }.to_owned(),
        17 => format!("\\x{}", hexadecimal(bytes.rest())),
        18 => letter(bytes.array::<1>()[0]),
        20 => bytes.i64().to_string(),
        21 => bytes.i16().to_string(),
        23 => bytes.i32().to_string(),
        26 | 28 | 29 => (bytes.i32() as u32).to_string(),
        27 => format!("({},{})", bytes.i32() as u32, bytes.i16() as u16),
        700 => {
            let value = f32::from_bits(bytes.i32() as u32);
            float(value.into(), &format!("{value}"), &format!("{value:e}"), 6)
        }
        701 => {
            let value = f64::from_bits(bytes.i64() as u64);
            float(value, &format!("{value}"), &format!("{value:e}"), 15)
        }
        1082 => match bytes.i32() {
            i32::MAX => "infinity".to_owned(),
            i32::MIN => "-infinity".to_owned(),
            days => date(i64::from(days)),
        },
        1083 => time(bytes.i64()),
        1266 => {
            let time = time(bytes.i64());
            time + &offset(-bytes.i32())
        }
        1114 => timestamp(bytes.i64(), ""),
        1184 => match bytes.i64() {
            infinity @ (i64::MAX | i64::MIN) => timestamp(infinity, ""),
            micros => return Shown::Asked(format!("SELECT (timestamptz '{}')::text", timestamp(micros, "+00"))),
        },
        1186 => interval(bytes),
        1700 => numeric(bytes),
        2950 => {
            let digits = hexadecimal(&bytes.array::<16>());
            [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
        }
        1560 | 1562 => {
            let count = usize::try_from(bytes.i32()).expect("a number of bits");
            let eight = bytes.take(count.div_ceil(8)).iter().map(|byte| format!("{byte:08b}")).collect::<String>();
            assert!(eight[count..].bytes().all(|bit| bit == b'0'), "what is left of the last byte is zero");
            eight[..count].to_owned()
        }
        3802 | 4072 => {
            assert_eq!(bytes.array::<1>(), [1], "jsonb and jsonpath have a version");
            utf8(bytes.rest())
        }
        24 => return registered("regproc", bytes.i32()),
        2202 => return registered("regprocedure", bytes.i32()),
        2203 => return registered("regoper", bytes.i32()),
        2205 => return registered("regclass", bytes.i32()),
        2206 => return registered("regtype", bytes.i32()),
        4089 => return registered("regnamespace", bytes.i32()),
        4096 => return registered("regrole", bytes.i32()),
        19 | 25 | 114 | 1042 | 1043 => utf8(bytes.rest()),
        194 | 2277 | 2278 | 3220 | 3361 | 3402 | 5017 | 10_029 => utf8(bytes.rest()),
        869 => {
            let [family, bits, _, length] = bytes.array();
            assert_eq!((family, bits), if length == 4 { (2, 32) } else { (3, 128) }, "an address of a host");
            let address = bytes.rest().iter().map(u8::to_string).collect::<Vec<_>>();
            address.join(".")
        }
        // pgvector's vectors, and such of doubles: how many elements, nothing, the elements.
        16_000 | 16_002 => {
            let (count, nothing) = (bytes.i16(), bytes.i16());
            assert_eq!(nothing, 0, "two bytes are unused");
            let mut element = || match scalar(if oid == 16_000 { 700 } else { 701 }, bytes) {
                Shown::Text(text) => text,
                Shown::Asked(sql) => sql,
            };
            format!("[{}]", (0..count).map(|_| element()).collect::<Vec<_>>().join(","))
        }
        // An enum's value is its label.
        made if made >= FIRST_MADE => utf8(bytes.rest()),
        other => panic!("nobody knows how values of type {other} are read"),
    })
}

/// Whether a value of a type that was made is an array: a dimension or none, whether there are NULLs, and a type that was made.
fn is_array(value: &[u8]) -> bool {
    value.len() >= 12 && value[..8].iter().all(|&byte| byte <= 1) && value[8..10] == [0, 0] && value[10] >= 0x40
}

/// An array that counts from 0, as these are shown: without bounds, braces and commas.
fn vector(array: &str) -> String {
    let elements = array.split_once('=').map_or(array, |(_, elements)| elements);
    elements.trim_matches(['{', '}']).replace(',', " ")
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text is UTF-8")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `"char"`: nothing for zero, and what is no ASCII in octal digits.
fn letter(byte: u8) -> String {
    match byte {
        0 => String::new(),
        ascii @ 1..=127 => char::from(ascii).to_string(),
        other => format!("\\{other:o}"),
    }
}

/// A number from its shortest forms, plain and with an exponent, which is shown from `exponent_max` on.
fn float(value: f64, plain: &str, scientific: &str, exponent_max: i32) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    if (-4..exponent_max).contains(&exponent) {
        return plain.to_owned();
    }
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// Digits of base 10,000, the weight of the first one, a sign, and how many digits behind the point are shown.
fn numeric(bytes: &mut Bytes<'_>) -> String {
    let (count, weight, sign, scale) = (bytes.i16(), bytes.i16(), bytes.i16() as u16, bytes.i16() as usize);
    let groups: Vec<i16> = (0..count).map(|_| bytes.i16()).collect();
    let sign = match sign {
        0x0000 => "",
        0x4000 => "-",
        0xc000 => return "NaN".to_owned(),
        0xd000 => return "Infinity".to_owned(),
        0xf000 => return "-Infinity".to_owned(),
        other => panic!("{other:x} is no sign"),
    };
    assert!(groups.iter().all(|group| (0..10_000).contains(group)), "{groups:?}");
    let group = |at: i32| usize::try_from(at).ok().and_then(|at| groups.get(at)).copied().unwrap_or(0);
    let weight = i32::from(weight);
    let whole: String = (0..=weight).map(|at| format!("{:04}", group(at))).collect();
    let whole = whole.trim_start_matches('0');
    // Those before the first one that is sent are zeros.
    let behind = scale.div_ceil(4) as i32;
    let fraction: String = (weight + 1..=weight + behind).map(|at| format!("{:04}", group(at))).collect();
    let whole = if whole.is_empty() { "0" } else { whole };
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{}", &fraction[..scale]) }
}

fn date(days: i64) -> String {
    let (year, month, day) = civil(days + EPOCH_DAYS);
    let (year, era) = if year > 0 { (year, "") } else { (1 - year, " BC") };
    format!("{year:04}-{month:02}-{day:02}{era}")
}

/// Year, month and day of a day since 1970, by the proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    let is_leap = |year: i64| year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    // A cycle of 400 years has as many days as any other.
    let (mut year, mut day) = (1970 + days.div_euclid(146_097) * 400, days.rem_euclid(146_097));
    while day >= 365 + i64::from(is_leap(year)) {
        day -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let months = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    (year, month as i64 + 1, day + 1)
}

fn time(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let fraction = format!(".{:06}", micros % 1_000_000);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{:02}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A point in time, with an offset that stands before the era.
fn timestamp(micros: i64, offset: &str) -> String {
    match micros {
        i64::MAX => return "infinity".to_owned(),
        i64::MIN => return "-infinity".to_owned(),
        _ => {}
    }
    let date = date(micros.div_euclid(DAY_MICROS));
    let time = time(micros.rem_euclid(DAY_MICROS));
    match date.strip_suffix(" BC") {
        Some(date) => format!("{date} {time}{offset} BC"),
        None => format!("{date} {time}{offset}"),
    }
}

fn interval(bytes: &mut Bytes<'_>) -> String {
    let (micros, days, months) = (bytes.i64(), i64::from(bytes.i32()), i64::from(bytes.i32()));
    let mut parts: Vec<String> = Vec::new();
    let mut was_negative = false;
    for (count, unit) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if count != 0 {
            let plus = if was_negative && count > 0 { "+" } else { "" };
            parts.push(format!("{plus}{count} {unit}{}", if count == 1 { "" } else { "s" }));
            was_negative = count < 0;
        }
    }
    if micros != 0 || parts.is_empty() {
        let sign = match micros < 0 {
            true => "-",
            false if was_negative => "+",
            false => "",
        };
        parts.push(format!("{sign}{}", time(micros.abs())));
    }
    parts.join(" ")
}

/// Dimensions, whether there are NULLs, the type of the elements, each dimension's length and lower bound, and the elements.
fn array(bytes: &mut Bytes<'_>, ask: &mut dyn FnMut(&str) -> String) -> String {
    let (count, has_nulls, oid) = (bytes.i32(), bytes.i32(), bytes.i32() as u32);
    let bounds: Vec<(i32, i32)> = (0..count).map(|_| (bytes.i32(), bytes.i32())).collect();
    if bounds.is_empty() {
        return "{}".to_owned();
    }
    let elements: i32 = bounds.iter().map(|(length, _)| length).product();
    let mut texts: Vec<String> = Vec::new();
    let mut nulls = 0;
    for _ in 0..elements {
        texts.push(match usize::try_from(bytes.i32()) {
            Ok(length) => quoted(text(oid, bytes.take(length), ask)),
            Err(_) => {
                nulls += 1;
                "NULL".to_owned()
            }
        });
    }
    assert_eq!(has_nulls, i32::from(nulls > 0), "an array says whether it has NULLs");
    // From the innermost dimension on, so many make one.
    for (length, _) in bounds.iter().rev() {
        texts = texts.chunks(*length as usize).map(|inner| format!("{{{}}}", inner.join(","))).collect();
    }
    let all_from_one = bounds.iter().all(|(_, lower)| *lower == 1);
    let shown = bounds.iter().map(|(length, lower)| format!("[{lower}:{}]", lower + length - 1));
    let shown: String = if all_from_one { String::new() } else { shown.chain(["=".to_owned()]).collect() };
    format!("{shown}{}", texts[0])
}

/// An element as it stands within braces.
fn quoted(element: String) -> String {
    let is_special = |c: char| matches!(c, '{' | '}' | ',' | '"' | '\\') || c.is_ascii_whitespace() || c == '\x0b';
    if !element.is_empty() && !element.eq_ignore_ascii_case("NULL") && !element.contains(is_special) {
        return element;
    }
    format!("\"{}\"", element.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An offset from UTC, in seconds to the east, as PostgreSQL shows it.
fn offset(seconds: i32) -> String {
    let (sign, rest) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    match (minutes, seconds) {
        (0, 0) => format!("{sign}{hours:02}"),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
    }
}
