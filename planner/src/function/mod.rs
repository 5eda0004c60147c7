//! Every operator and function that a scalar can call. Both expression levels, `relation` and `multiloop`, name
//! the same functions; `exec/interpret` says what each one means.
//!
//! Binding has resolved overloads and inserted casts, so a function's argument types are exact:
//!
//! * arithmetic on integers and floats: both arguments and the result have one type;
//! * decimal `Add`, `Subtract`, `Modulo`: one scale for both arguments and the result;
//!   `Multiply`: the result's scale is the sum of the arguments';
//! * numeric: arguments are integers, decimals and numerics, as they are; each result has the scale that PostgreSQL
//!   gives it. `Divide` of decimals and whatever else has no scale of its type gives numeric;
//! * comparisons: both arguments have one type (decimals: one scale; text, varchar and char count as one type);
//! * unless a variant says otherwise, a NULL argument gives NULL.

mod attempt;
mod bits;
mod bytes;
mod frame;
mod jsonb;
mod lambda;
mod list;
mod logical;
mod math;
mod moment;
mod pattern;
mod statistic;
mod structure;
mod template;
mod text;
mod user;
mod vector;

use crate::types::{DataType, OidKind};
pub use attempt::AttemptFunction;
pub use bits::BitsFunction;
pub use bytes::BytesFunction;
pub use frame::FrameFunction;
pub use jsonb::JsonbFunction;
pub use lambda::{LambdaFunction, LambdaKind};
pub use list::{ListFunction, ListTotal};
pub use logical::{ArrayFunction, ByteFormat, Comparison, JsonFunction, RowFunction, ShaBits, SortKeyOrder};
pub(crate) use logical::{debug_word, function_of_word, type_of_word, type_word, word_of};
pub use math::MathFunction;
pub use moment::{IntervalStyle, MomentFunction};
pub use pattern::PatternFunction;
use serde::{Deserialize, Serialize};
pub use statistic::StatisticFunction;
pub use structure::StructFunction;
pub use template::TemplateFunction;
pub use text::TextFunction;
pub use user::{UserBody, UserDefinition, UserFunction, UserState, Volatility, is_same};
pub use vector::VectorFunction;

/// A field of EXTRACT and date_trunc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are PostgreSQL's own field names")]
pub enum DatePart {
    Millennium,
    Century,
    Decade,
    Year,
    IsoYear,
    Quarter,
    Month,
    Week,
    Day,
    DayOfWeek,
    IsoDayOfWeek,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Epoch,
    Julian,
    Era,
}

impl DatePart {
    /// Every field.
    pub const ALL: [DatePart; 20] = [
        DatePart::Millennium,
        DatePart::Century,
        DatePart::Decade,
        DatePart::Year,
        DatePart::IsoYear,
        DatePart::Quarter,
        DatePart::Month,
        DatePart::Week,
        DatePart::Day,
        DatePart::DayOfWeek,
        DatePart::IsoDayOfWeek,
        DatePart::DayOfYear,
        DatePart::Hour,
        DatePart::Minute,
        DatePart::Second,
        DatePart::Millisecond,
        DatePart::Microsecond,
        DatePart::Epoch,
        DatePart::Julian,
        DatePart::Era,
    ];

    /// Whether it goes round, as months do; what does not, grows without end.
    pub fn is_cyclic(self) -> bool {
        use DatePart as P;
        !matches!(self, P::Millennium | P::Century | P::Decade | P::Year | P::IsoYear | P::Epoch | P::Julian)
    }

    /// The field of a name (in lower case), with PostgreSQL's plurals and abbreviations.
    pub fn named(name: &str) -> Option<DatePart> {
        Some(match name {
            "millennium" | "millennia" | "mil" | "mils" => DatePart::Millennium,
            "century" | "centuries" | "cent" | "c" => DatePart::Century,
            "decade" | "decades" | "dec" | "decs" => DatePart::Decade,
            "year" | "years" | "yr" | "yrs" | "y" => DatePart::Year,
            "isoyear" => DatePart::IsoYear,
            "quarter" | "qtr" => DatePart::Quarter,
            "month" | "months" | "mon" | "mons" => DatePart::Month,
            "week" | "weeks" | "w" => DatePart::Week,
            "day" | "days" | "d" => DatePart::Day,
            "dow" => DatePart::DayOfWeek,
            "isodow" => DatePart::IsoDayOfWeek,
            "doy" => DatePart::DayOfYear,
            "hour" | "hours" | "hr" | "hrs" | "h" => DatePart::Hour,
            "minute" | "minutes" | "min" | "mins" | "m" => DatePart::Minute,
            "second" | "seconds" | "sec" | "secs" | "s" => DatePart::Second,
            "millisecond" | "milliseconds" | "msec" | "msecs" | "msecond" | "mseconds" | "ms" => DatePart::Millisecond,
            "microsecond" | "microseconds" | "usec" | "usecs" | "usecond" | "useconds" | "us" => DatePart::Microsecond,
            "epoch" => DatePart::Epoch,
            "julian" | "jd" | "j" => DatePart::Julian,
            "era" => DatePart::Era,
            // DuckDB's names.
            "weekday" | "dayofweek" => DatePart::DayOfWeek,
            "dayofmonth" => DatePart::Day,
            "dayofyear" => DatePart::DayOfYear,
            "weekofyear" => DatePart::Week,
            "quarters" => DatePart::Quarter,
            _ => return None,
        })
    }

    /// Whether EXTRACT takes this field from this type.
    pub fn is_of(self, source: DataType) -> bool {
        use DatePart as P;
        let of_time = matches!(self, P::Hour | P::Minute | P::Second | P::Millisecond | P::Microsecond);
        match source {
            DataType::Date => !of_time,
            DataType::Time => of_time || self == P::Epoch,
            DataType::Interval => !matches!(
                self,
                P::Week | P::IsoYear | P::DayOfWeek | P::IsoDayOfWeek | P::DayOfYear | P::Julian | P::Era
            ),
            _ => true,
        }
    }

    /// Whether date_trunc truncates a timestamp or an interval to this field.
    pub fn is_unit_of(self, of: DataType) -> bool {
        use DatePart as P;
        match self {
            P::IsoYear | P::DayOfWeek | P::IsoDayOfWeek | P::DayOfYear | P::Epoch | P::Julian | P::Era => false,
            P::Week => of != DataType::Interval,
            _ => true,
        }
    }
}

/// Which end TRIM works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum TrimSide {
    Both,
    Leading,
    Trailing,
}

/// Values of a series of times that are counted at once, where counting them takes walking over them. Few, because a tile has many
/// blocks, which are all counted before the first value is given.
pub const SERIES_BLOCK: i64 = 2;

/// An operator or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Function {
    // Arithmetic. Overflow and division by zero are errors.
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`: truncates for integers.
    Divide,
    /// `a % b`: the sign is the dividend's.
    Modulo,
    /// `-a`.
    Negate,

    // Comparison.
    /// `a = b`.
    Equal,
    /// `a <> b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// `a IS DISTINCT FROM b`: never NULL.
    IsDistinct,
    /// `a IS NOT DISTINCT FROM b`: never NULL.
    IsNotDistinct,

    // Logic, three-valued.
    /// Any number of arguments. Evaluated left to right: once an argument is FALSE (not NULL) the rest is not
    /// evaluated, so a guard in front protects what follows.
    And,
    /// Any number of arguments; once one is TRUE the rest is not evaluated.
    Or,
    /// `NOT a`.
    Not,
    /// Never NULL.
    IsNull,
    /// Never NULL.
    IsNotNull,
    /// `a IS TRUE`: never NULL. `IS NOT TRUE` is its `Not`.
    IsTrue,
    /// `a IS FALSE`: never NULL.
    IsFalse,

    // Choice. Evaluated lazily, argument by argument.
    /// `[condition, value]* else`: an odd number of arguments; a simple CASE is bound to this form.
    Case,
    /// The first argument that is not NULL.
    Coalesce,
    /// `NULLIF(a, b)`: NULL if `a = b`, else a.
    NullIf,
    /// The largest argument that is not NULL; all arguments are evaluated.
    Greatest,
    /// The smallest argument that is not NULL; all arguments are evaluated.
    Least,
    /// `a IN (constants…)`: the first argument against constants of its type. With a NULL among them the answer is TRUE or NULL.
    InList,

    /// A cast from the argument's type to the node's own. Errors when the value does not fit. To a shorter
    /// varchar or char it truncates (an explicit cast).
    Cast,
    /// A cast that gives NULL where it would fail (TRY_CAST).
    Attempt(AttemptFunction),
    /// A cast as an assignment does it (INSERT): as `Cast`, but a string too long (but for blanks) is an error.
    AssignCast,

    // Strings. Lengths and positions count characters, from 1.
    /// `a LIKE pattern [ESCAPE e]`: arguments value, pattern[, escape]; the escape defaults to a backslash, empty means none.
    Like,
    /// As `Like`, without regard to case.
    ILike,
    /// `a || b`: NULL if either is.
    Concat,
    /// `concat(a, b, …)`: NULL arguments count as empty; never NULL.
    ConcatSkipNull,
    /// `concat_ws(separator, a, …)`: NULL only if the separator is; NULL arguments are left out.
    ConcatWithSeparator,
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
    /// First letter of each word in upper case, the rest in lower.
    InitCap,
    /// Characters in a text.
    Length,
    /// Bytes in a text.
    OctetLength,
    /// `substring(text, from[, count])`; a negative count is an error.
    Substring,
    /// `left(text, n)`; negative: all but the last |n|.
    Left,
    /// `right(text, n)`; negative: all but the first |n|.
    Right,
    /// `lpad(text, length[, fill])`.
    LeftPad,
    /// `rpad(text, length[, fill])`.
    RightPad,
    /// `trim(side characters from text)`: arguments text[, characters]; the default is the blank.
    Trim(TrimSide),
    /// `replace(text, from, to)`.
    Replace,
    /// `position(part in text)`: arguments text, part; 0 if it is not there.
    Position,
    /// `starts_with(text, prefix)`.
    StartsWith,
    /// `ends_with(text, suffix)`.
    EndsWith,
    /// `contains(text, part)`.
    Contains,
    /// `repeat(text, n)`.
    Repeat,
    /// `reverse(text)`.
    Reverse,
    /// `split_part(text, delimiter, n)`; negative n counts from the end; zero is an error.
    SplitPart,
    /// `translate(text, from, to)`.
    Translate,
    /// Code point of the first character; 0 for the empty text.
    Ascii,
    /// Character of a code point.
    Chr,

    /// `quote_ident(text)`.
    QuoteIdentifier,
    /// `parse_ident(text[, strict])`.
    ParseIdentifier,
    /// `quote_literal(text)`.
    QuoteLiteral,
    /// `format(template, text, …)`: NULL only if the template is.
    Format,
    /// `to_hex(integer or bigint)`.
    ToHex,
    /// A function of regular expressions.
    Pattern(PatternFunction),
    /// A function of the bounds of window frames.
    Frame(FrameFunction),
    /// A function of what statistics are fed with.
    Statistic(StatisticFunction),

    // Numbers.
    /// Absolute value.
    Abs,
    /// -1, 0 or 1, in the argument's type.
    Sign,
    /// Smallest integral value not less.
    Ceil,
    /// Largest integral value not greater.
    Floor,
    /// `round(a[, digits])`: decimals half away from zero (result scale in the type), doubles half to even.
    Round,
    /// `trunc(a[, digits])`: towards zero.
    Truncate,
    /// Square root, double or numeric.
    SquareRoot,
    /// Cube root, double.
    CubeRoot,
    /// `power(a, b)`, double or numeric.
    Power,
    /// e^a, double or numeric.
    Exp,
    /// Natural logarithm, double or numeric.
    Ln,
    /// Base-10 logarithm, double or numeric.
    Log10,
    /// `log(base, a)`, numeric.
    Log,
    /// `div(a, b)`: the whole part of a quotient, numeric.
    DivideWhole,
    /// `gcd(a, b)`: of integers in their type, or numeric.
    Gcd,
    /// `lcm(a, b)`: of integers in their type, or numeric.
    Lcm,
    /// `factorial(bigint)`, numeric.
    Factorial,
    /// `scale(numeric)`: digits shown behind the point; NULL of NaN and infinities.
    Scale,
    /// `min_scale(numeric)`: digits needed behind the point.
    MinScale,
    /// A numeric as NUMERIC(precision, scale) holds it, given both: rounded, an error if digits are too many. NaN is kept.
    FitDigits,
    /// `trim_scale(numeric)`.
    TrimScale,
    /// An average of its sum and its count: their quotient, NULL of no values. It cannot fail.
    Average,
    /// The root of a numeric variance, of the variance's scale.
    DeviationOf,
    /// The text by which numerics are told apart and ordered. Lowering puts it around whatever is compared, ordered
    /// or a key.
    NumericKey,
    /// The smallest decimal of the result's type that is not less than a numeric: with the least of the type for what
    /// is below all of them, the largest for what is above.
    NarrowUp,
    /// As `NarrowUp`, the largest that is not greater.
    NarrowDown,
    /// As `NarrowUp`, the one that is the numeric; the largest of the type where it has more digits behind the point than these.
    NarrowSame,
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// Tangent of radians.
    Tan,
    /// Arc sine in radians.
    Asin,
    /// Arc cosine in radians.
    Acos,
    /// Arc tangent in radians.
    Atan,
    /// `atan2(y, x)` in radians.
    Atan2,
    /// Radians to degrees.
    Degrees,
    /// Degrees to radians.
    Radians,
    /// `a & b`.
    BitAnd,
    /// `a | b`.
    BitOr,
    /// `a # b`.
    BitXor,
    /// `~ a`.
    BitNot,
    /// `a << n`.
    ShiftLeft,
    /// `a >> n`.
    ShiftRight,
    /// A double in [0, 1), new for every row: volatile.
    Random,
    /// `setseed(double)`: an empty text; it sets the seed of the session's random numbers: volatile.
    SetSeed,
    /// The time of the clock, new for every row: volatile.
    Clock,
    /// `nextval(regclass)`: the next value of a sequence, a bigint. With a second argument, TRUE, the sequence is the column's own,
    /// and nobody asks for rights: volatile.
    NextValue,
    /// `setval(regclass, bigint [, boolean])`: volatile.
    SetValue,
    /// `currval(regclass)`: the value that the session drew last from a sequence: volatile.
    CurrentValue,
    /// `lastval()`: the value that the session drew last from any: volatile.
    LastValue,

    // Dates and times.
    /// `extract(part from a)` of a date, time, timestamp or interval; a decimal, as PostgreSQL 14 and later, of the
    /// node's type. The SQL binder chooses decimal(14,6) for seconds, (14,3) for milliseconds, (24,6) for the
    /// epoch, else (10,0).
    Extract(DatePart),
    /// `date_trunc(part, date or timestamp)`: a timestamp (or interval for an interval).
    DateTrunc(DatePart),
    /// `date_part(name, a)` with a name that is known at run time: a double. An unknown name is an error.
    PartNamed,
    /// `date_trunc(name, a)` with a name that is known at run time.
    TruncateToNamed,
    /// A time, timestamp or interval rounded to so many digits behind a second's point.
    RoundSeconds(u8),
    /// date + integer days: date.
    DateAddDays,
    /// date - integer days: date.
    DateSubtractDays,
    /// date - date: integer days.
    DateDifference,
    /// date or timestamp + interval: timestamp. Months first (clipped to the month's end), then days, then micros.
    AddInterval,
    /// date or timestamp - interval: timestamp.
    SubtractInterval,
    /// timestamp - timestamp: interval of days and micros.
    TimestampDifference,
    /// date + time: timestamp.
    DateTimeCombine,
    /// time + interval: time, modulo a day.
    TimeAddInterval,
    /// time - interval: time, modulo a day.
    TimeSubtractInterval,
    /// time - time: interval.
    TimeDifference,
    /// interval + interval.
    IntervalAdd,
    /// interval - interval.
    IntervalSubtract,
    /// interval * double.
    IntervalMultiply,
    /// interval / double.
    IntervalDivide,
    /// `-interval`.
    IntervalNegate,
    /// `age(timestamp, timestamp)`: interval in years, months, days.
    Age,
    /// `make_date(year, month, day)`.
    MakeDate,
    /// `make_timestamp(year, month, day, hour, minute, second)`, the last a double.
    MakeTimestamp,
    /// `make_interval(years, months, weeks, days, hours, minutes, seconds)`, the last a double: what is left out is 0.
    MakeInterval,
    /// `to_timestamp(double)`: an instant, of seconds since 1970.
    OfEpoch,
    /// A function of templates.
    Template(TemplateFunction),
    /// Another function of days, times and intervals.
    Moment(MomentFunction),

    // Sets of rows: how many there are, and which value stands at a position.
    /// How many values `generate_series` gives: arguments start, stop, step and, of instants, the zone. bigint.
    SeriesCount,
    /// The value at a position from 0: arguments start, step, position and, of instants, the zone.
    SeriesAt,
    /// How many blocks of [`SERIES_BLOCK`] values a series of times has at most, the last ones of which may be empty. Arguments as
    /// of `SeriesCount`; none is walked to its end for that.
    SeriesBlocks,
    /// How many values a block of a series of times has: arguments start, stop, step, block and, of instants, the zone.
    SeriesInBlock,

    // Values of types that another carries (`types/logical.rs`), in their carriers' form.
    /// The same value under another type of the same carrier. No program has it: lowering leaves its argument.
    Relabel,
    /// A text as a value of a type: the text, and of a type that is zoned the zone.
    ReadAs(DataType),
    /// A value of a type as a text: the value, and of a type that is zoned the zone.
    ShowAs(DataType),
    /// What a timestamptz is in a zone: a timestamp. Arguments instant, zone.
    InZone,
    /// The instant of a timestamp in a zone: a timestamptz. Arguments timestamp, zone.
    OfZone,
    /// `timestamptz + interval`: months and days in a zone, the rest as time passes. Arguments instant, interval, zone.
    AddInZone,
    /// The error for a name, a text, that no object of a kind has.
    NoObject(OidKind),
    /// The error for a name, a text, that no setting has.
    NoSetting,
    /// A bigint as an oid; 22003 if it is none.
    CheckedOid,
    /// A function of arrays of elements of a type.
    Array(ArrayFunction, DataType),
    /// A text that sorts as values of a type are ordered, NULLs among them: `evaluate/gather.rs`.
    SortKey(SortKeyOrder, DataType),
    /// A value of a type as JSON: the value, and of a type that is zoned the zone.
    JsonOf(DataType),
    /// A function of JSON.
    Json(JsonFunction),
    /// A function of rows as values.
    Row(RowFunction),
    /// A function of structs of a type.
    Struct(StructFunction, DataType),
    /// `encode(bytea, format)`.
    Encode(ByteFormat),
    /// `decode(text, format)`.
    Decode(ByteFormat),
    /// The bytes of a text: a bytea.
    Utf8,
    /// `md5(bytea)`: hexadecimal digits.
    Md5,
    /// `sha224(bytea)` and its kin: a bytea.
    Sha(ShaBits),
    /// Bytes in a bytea.
    ByteLength,
    /// A function of bytes.
    Bytes(BytesFunction),
    /// A function of bit strings.
    Bits(BitsFunction),
    /// A function of jsonb.
    Jsonb(JsonbFunction),
    /// A function of texts.
    Text(TextFunction),
    /// A function of numbers.
    Math(MathFunction),
    /// A function of vectors.
    Vector(VectorFunction),
    /// A function of a list and a lambda.
    Lambda(LambdaFunction),
    /// A function that a program registered.
    User(UserFunction),
}

/// What evaluating a function may do besides giving a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Effects {
    /// It may raise an error (overflow, division by zero, a failing cast).
    pub may_fail: bool,
    /// Two evaluations may differ.
    pub volatile: bool,
}

impl Effects {
    /// Neither fails nor varies.
    pub const PURE: Effects = Effects { may_fail: false, volatile: false };

    /// The effects of doing both.
    #[must_use]
    pub fn and(self, other: Effects) -> Effects {
        Effects { may_fail: self.may_fail || other.may_fail, volatile: self.volatile || other.volatile }
    }

    /// Neither fails nor varies.
    pub fn is_pure(self) -> bool {
        self == Effects::PURE
    }
}

impl Function {
    /// Whether each call gives another value.
    pub fn is_volatile(self) -> bool {
        match self {
            Function::Random | Function::SetSeed | Function::Clock => true,
            of_sequence if of_sequence.is_of_sequences() => true,
            Function::Lambda(function) => function.volatility == Volatility::Volatile,
            Function::User(function) => function.volatility == Volatility::Volatile,
            _ => false,
        }
    }

    /// Whether it draws from a sequence, or tells of one.
    pub fn is_of_sequences(self) -> bool {
        matches!(self, Function::NextValue | Function::SetValue | Function::CurrentValue | Function::LastValue)
    }

    /// Whether a call draws from a sequence or may change something: how often it is evaluated, and in which order, shows.
    pub fn draws(self) -> bool {
        self.is_of_sequences() || (self.runs_statements() && self.is_volatile())
    }

    /// Whether a call runs statements, one call after the other.
    pub fn runs_statements(self) -> bool {
        matches!(self, Function::User(function) if function.runs)
    }

    /// Whether a call of constants is one.
    pub fn is_immutable(self) -> bool {
        match self {
            Function::User(function) => function.volatility == Volatility::Immutable,
            Function::Lambda(function) => function.volatility == Volatility::Immutable,
            other => !other.is_volatile(),
        }
    }
}

/// Whether a function compares its arguments, and gives none of them.
pub fn is_comparison(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Equal
            | F::NotEqual
            | F::Less
            | F::LessEqual
            | F::Greater
            | F::GreaterEqual
            | F::IsDistinct
            | F::IsNotDistinct
            | F::InList
    )
}

/// The comparison with its sides swapped.
pub fn mirrored(function: Function) -> Function {
    match function {
        Function::Less => Function::Greater,
        Function::LessEqual => Function::GreaterEqual,
        Function::Greater => Function::Less,
        Function::GreaterEqual => Function::LessEqual,
        other => other,
    }
}
