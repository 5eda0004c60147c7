//! The types that arguments have, and nasty values of each.

/// A type of arguments.
#[derive(Debug)]
pub(super) struct Type {
    /// What the shapes of calls call it; a type's name, or a word for texts that functions want in an argument.
    pub(super) word: &'static str,
    /// SQL's name.
    pub(super) sql: &'static str,
    /// Values as texts.
    pub(super) values: &'static [&'static str],
}

const fn of(word: &'static str, values: &'static [&'static str]) -> Type {
    Type { word, sql: word, values }
}

/// Texts that mean something to some functions.
const fn texts(word: &'static str, values: &'static [&'static str]) -> Type {
    Type { word, sql: "text", values }
}

/// The value that stands for a text of some thousand bytes.
pub(super) const LONG: &str = "<long>";

const TEXTS: &[&str] = &[
    "",
    "a",
    "abc",
    "0",
    "-1",
    "NaN",
    "Infinity",
    "äöü€𝄞",
    LONG,
    " ",
    "%_\\",
    "(",
    "a.*c",
    "2024-02-29 12:34:56",
    "{\"a\": [1]}",
    "{1,NULL}",
    "\n",
    "ABC",
    "99999999999999999999",
];

/// The types: first those of SQL, of which `any` is one, then words for texts, and vectors.
pub(super) const TYPES: &[Type] = &[
    of("boolean", &["true", "false"]),
    of("smallint", &["0", "1", "-1", "2", "32767", "-32768"]),
    of("integer", &["0", "1", "-1", "2", "3", "2147483647", "-2147483648"]),
    of("bigint", &["0", "1", "-1", "2", "9223372036854775807", "-9223372036854775808", "4294967296"]),
    of("real", &["0", "-0", "1.5", "-1", "NaN", "Infinity", "-Infinity", "3.4028235e38", "-3.4028235e38", "1e-45"]),
    of(
        "double precision",
        &[
            "0",
            "-0",
            "0.5",
            "-1",
            "2",
            "NaN",
            "Infinity",
            "-Infinity",
            "1.7976931348623157e308",
            "5e-324",
            "1e300",
            "-1e15",
        ],
    ),
    of(
        "numeric",
        &[
            "0",
            "-1",
            "1.50",
            "2",
            "NaN",
            "Infinity",
            "-Infinity",
            "1e40",
            "-99999999999999999999999999999999999999999.5",
            "0.00000000000000000000000000000000000000001",
            "9223372036854775808",
        ],
    ),
    of("numeric(10,2)", &["0", "-1", "0.01", "99999999.99", "-99999999.99", "2.50"]),
    of("text", TEXTS),
    of("varchar(5)", &["", "a", "ab  ", "äöü€𝄞", "0", "NaN"]),
    of("char(5)", &["", "a", "ab", "äöü€𝄞", "0"]),
    of("name", &["", "a", "äöü€𝄞", "A b"]),
    of(
        "date",
        &[
            "infinity",
            "-infinity",
            "4713-01-01 BC",
            "5874897-12-31",
            "2024-02-29",
            "1970-01-01",
            "0001-12-31 BC",
            "1999-12-31",
        ],
    ),
    of("time", &["00:00", "24:00", "23:59:59.999999", "12:34:56"]),
    of("timetz", &["00:00+15:59", "24:00-15:59", "12:34:56.5+02", "00:00+00"]),
    of(
        "timestamp",
        &[
            "infinity",
            "-infinity",
            "4713-01-01 00:00:00 BC",
            "294247-01-10 04:00:54.775805",
            "2024-02-29 12:34:56.789",
            "1970-01-01",
            "0001-12-31 23:59:59.999999 BC",
        ],
    ),
    of(
        "timestamptz",
        &[
            "infinity",
            "-infinity",
            "4713-01-01 00:00:00+00 BC",
            "294247-01-10 04:00:54.775805+00",
            "2024-03-10 07:30:00.5+00",
            "1970-01-01 00:00+00",
            "2024-11-03 05:30+00",
        ],
    ),
    of(
        "interval",
        &[
            "0",
            "1 mon",
            "-1 day",
            "1 year 2 mons -3 days 04:05:06.789",
            "178000000 years",
            "-178000000 years",
            "2147483647 days",
            "-2147483648 days",
            "2562047:00:54.775807",
            "-00:00:00.000001",
        ],
    ),
    of("bytea", &["\\x", "\\x00", "\\xff80", "\\x616263", "\\xe282ac", "\\x000102030405060708090a0b0c0d0e0f10"]),
    of(
        "uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ],
    ),
    of(
        "json",
        &[
            "null",
            "1",
            "{}",
            "[]",
            "{\"a\":[1,null,{\"b\":\"x\"}],\"a\":2}",
            "\"text\"",
            "-1e40",
            "[[1,2],[null]]",
            "true",
        ],
    ),
    of(
        "jsonb",
        &[
            "null",
            "1",
            "{}",
            "[]",
            "{\"a\":[1,null,{\"b\":\"x\"}],\"c\":null}",
            "\"text\"",
            "-1e40",
            "[[1,2],[null]]",
            "true",
            "1.10",
        ],
    ),
    of("oid", &["0", "1", "4294967295", "2147483648"]),
    of("mood", &["sad", "ok", "happy"]),
    of("boolean[]", &["{}", "{NULL}", "{t,f,NULL}", "{t}", "{{t},{f}}"]),
    of(
        "integer[]",
        &["{}", "{NULL}", "{1,2,3}", "{{1,2},{3,NULL}}", "{2147483647,-2147483648}", "{0}", "{1,1,NULL,1}"],
    ),
    of("bigint[]", &["{}", "{NULL}", "{9223372036854775807,-9223372036854775808}", "{1,2,3}"]),
    of("double precision[]", &["{}", "{NULL}", "{NaN,Infinity,-Infinity,0,NULL}", "{0.5}", "{0.1,0.5,1}", "{-0.5,2}"]),
    of("numeric[]", &["{}", "{NULL}", "{NaN,Infinity,-1.50,1e40,NULL}", "{1.0,1.00}"]),
    of("text[]", &["{}", "{NULL}", "{a,b}", "{\"\",NULL,\"a b\",\"NULL\"}", "{{a,b},{c,NULL}}", "{äöü€𝄞}", "{a}"]),
    of("timestamp[]", &["{}", "{NULL}", "{infinity,-infinity,2024-02-29}"]),
    of("date[]", &["{}", "{NULL}", "{infinity,4713-01-01 BC,5874897-12-31}"]),
    of("interval[]", &["{}", "{NULL}", "{1 mon,30 days,-1 day}"]),
    of("jsonb[]", &["{}", "{NULL}", "{\"[1]\",\"null\"}"]),
    texts(
        "unit",
        &[
            "year",
            "month",
            "day",
            "hour",
            "second",
            "microseconds",
            "millennium",
            "century",
            "decade",
            "quarter",
            "week",
            "epoch",
            "dow",
            "doy",
            "isodow",
            "isoyear",
            "julian",
            "milliseconds",
            "minute",
            "timezone",
            "timezone_hour",
            "nothing",
        ],
    ),
    texts(
        "zone",
        &["UTC", "America/New_York", "+05:30", "-15:59", "EST", "Europe/Berlin", "nowhere", "", "Asia/Kathmandu"],
    ),
    texts(
        "template",
        &[
            "YYYY-MM-DD",
            "HH24:MI:SS.US",
            "FM999.99",
            "9G999D99S",
            "RN",
            "0.000EEEE",
            "V99",
            "Day Month",
            "J",
            "IYYY-IW",
            "TZ",
            "SSSS",
            "",
            "\"x",
            "PR",
            "YYYYTHFMDDth",
            "L9",
            "MIPLSG",
        ],
    ),
    texts(
        "strftime",
        &["%Y-%m-%d", "%H:%M:%S.%f", "%j %U %W", "%", "%%", "%Z", "%b %d, %y", "%s", "", "%q", "%-d", "%x %X %c"],
    ),
    texts(
        "printf",
        &["%d", "%s", "%5.2f", "%%", "%", "%x", "%-10s|", "%c", "%e", "{}", "%*d", "%1$s", "%I %L", "%500000000s"],
    ),
    texts(
        "pattern",
        &[
            "a",
            "",
            "(a)(b)?",
            ".*",
            "[",
            "a{2,3}",
            "^$",
            "\\d+",
            "(?i)A",
            "x|",
            "[[:alpha:]]+",
            "\\m",
            "(",
            "*",
            "\\y",
            "(.)\\1",
        ],
    ),
    texts("flags", &["", "g", "i", "gi", "n", "x", "c", "q", "z", "s"]),
    texts("encoding", &["base64", "hex", "escape", "UTF8", "LATIN1", "SQL_ASCII", "nothing", ""]),
    texts(
        "path",
        &["$", "$.a", "$.a[*]", "lax $.a.b", "strict $.x", "$[*] ? (@ > 1)", "$.**", "", "$.", "$.a.size()", "1 + 1"],
    ),
    texts(
        "aggregate",
        &["sum", "avg", "min", "max", "count", "median", "mode", "nothing", "list", "string_agg", "first", "product"],
    ),
    texts("order", &["ASC", "DESC", "asc", "", "NULLS FIRST", "NULLS LAST"]),
    // No function of any type takes them: they have no equality, and an array none of them.
    Type {
        word: "vector",
        sql: "vector(2)",
        values: &["[0,0]", "[-0,1]", "[NaN,Infinity]", "[-Infinity,1e-45]", "[3.4028235e38,-3.4028235e38]", "[1.5,-2]"],
    },
];

/// How many types there are, of which `any` may be each; words for texts come behind them.
pub(super) fn any() -> usize {
    type_of("unit").expect("words for texts are there")
}

/// The number of the type of a word.
pub(super) fn type_of(word: &str) -> Option<usize> {
    TYPES.iter().position(|of| of.word == word)
}

/// A value as SQL has it; none is NULL.
pub(super) fn literal(of: usize, value: Option<&str>) -> String {
    let sql = TYPES[of].sql;
    match value {
        None => format!("NULL::{sql}"),
        Some(LONG) => format!("'{}'::{sql}", "äx€ ".repeat(700)),
        Some(text) => format!("'{}'::{sql}", text.replace('\'', "''")),
    }
}

/// Random numbers; the same for the same seed.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// A number below another one.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A number of 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
