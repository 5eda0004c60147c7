//! Functions of days, times and intervals beyond arithmetic, EXTRACT and date_trunc (`evaluate/moment`), and the ways to
//! write intervals.

use super::DatePart;
use serde::{Deserialize, Serialize};

/// How intervals are written: `IntervalStyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IntervalStyle {
    /// `1 year 2 mons 3 days 04:05:06`.
    #[default]
    Postgres,
    /// `@ 1 year 2 mons 3 days 4 hours 5 mins 6 secs`.
    PostgresVerbose,
    /// `+1-2 +3 +4:05:06`.
    SqlStandard,
    /// `P1Y2M3DT4H5M6S`.
    Iso8601,
}

impl IntervalStyle {
    /// Every style.
    pub const ALL: [IntervalStyle; 4] =
        [IntervalStyle::Postgres, IntervalStyle::PostgresVerbose, IntervalStyle::SqlStandard, IntervalStyle::Iso8601];

    /// The name of the setting.
    pub fn name(self) -> &'static str {
        match self {
            IntervalStyle::Postgres => "postgres",
            IntervalStyle::PostgresVerbose => "postgres_verbose",
            IntervalStyle::SqlStandard => "sql_standard",
            IntervalStyle::Iso8601 => "iso_8601",
        }
    }

    /// The style of a name in lower case.
    pub fn named(name: &str) -> Option<IntervalStyle> {
        IntervalStyle::ALL.into_iter().find(|style| style.name() == name)
    }
}

/// A function of days, times and intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MomentFunction {
    /// `date_bin(stride, timestamp, origin)`: a timestamp.
    Bin,
    /// `time_bucket(width, timestamp, origin)`: as `Bin`, and widths may be of months.
    Bucket,
    /// `make_time(hour, minute, second)`, the last a double.
    MakeTime,
    /// `justify_hours(interval)`: 24 hours are a day.
    JustifyHours,
    /// `justify_days(interval)`: 30 days are a month.
    JustifyDays,
    /// `justify_interval(interval)`: both, and one sign for all parts.
    JustifyInterval,
    /// `extract(part from a)` as a numeric: infinities have one, and days of Julius Scaliger have fractions.
    Extract(DatePart),
    /// `(a, b) OVERLAPS (c, d)` of four values of one type, any of which may be NULL.
    Overlaps,
    /// `date_diff(part, a, b)`: how many beginnings of such parts lie between them. bigint.
    Boundaries(DatePart),
    /// `date_sub(part, a, b)`: how many whole parts fit between them. bigint.
    Wholes(DatePart),
    /// The same, of a part that a text names: its first argument.
    BoundariesNamed,
    /// As `Wholes`, of a part that a text names.
    WholesNamed,
    /// `last_day(date or timestamp)`: the last date of the month.
    LastDay,
    /// Microseconds since 1970 of a date or timestamp, of a time of day, or of an interval: bigint.
    Micros,
    /// The timestamp of microseconds since 1970.
    OfMicros,
    /// `strftime(timestamp, format)`.
    Show,
    /// `strptime(text, format)`: a timestamp.
    Read,
    /// `try_strptime(text, format)`: NULL for what is none.
    TryRead,
    /// The instant of a timestamp in a zone, of which a number with a sign counts to the east: `make_timestamptz`.
    InstantOf,
    /// An interval as text.
    ShowInterval(IntervalStyle),
    /// A text as an interval.
    ReadInterval(IntervalStyle),
    /// The time of day of a timetz.
    TimeOf,
    /// Seconds of a timetz to the east: integer.
    OffsetOf,
    /// The timetz of a time and its seconds to the east.
    WithOffset,
    /// The same time of a timetz at other seconds to the east.
    AtOffset,
    /// Seconds to the east of a zone at an instant: arguments zone and instant, integer.
    OffsetAt,
    /// `date + timetz`: a timestamptz.
    OnDay,
    /// The timestamp of a date's beginning, for comparisons. A date that no timestamp reaches comes after all of them but infinity.
    StartOfDate,
}

impl MomentFunction {
    /// Every function.
    pub fn all() -> impl Iterator<Item = MomentFunction> {
        use MomentFunction as M;
        let plain = [
            M::Bin,
            M::Bucket,
            M::MakeTime,
            M::JustifyHours,
            M::JustifyDays,
            M::JustifyInterval,
            M::Overlaps,
            M::BoundariesNamed,
            M::WholesNamed,
            M::LastDay,
            M::Micros,
            M::OfMicros,
            M::Show,
            M::Read,
            M::TryRead,
            M::InstantOf,
            M::TimeOf,
            M::OffsetOf,
            M::WithOffset,
            M::AtOffset,
            M::OffsetAt,
            M::OnDay,
            M::StartOfDate,
        ];
        let of_parts =
            DatePart::ALL.into_iter().flat_map(|part| [M::Extract(part), M::Boundaries(part), M::Wholes(part)]);
        let of_styles =
            IntervalStyle::ALL.into_iter().flat_map(|style| [M::ShowInterval(style), M::ReadInterval(style)]);
        plain.into_iter().chain(of_parts).chain(of_styles)
    }

    /// Whether a NULL among the arguments need not make NULL.
    pub(crate) fn sees_nulls(self) -> bool {
        self == MomentFunction::Overlaps
    }

    /// Whether it can be NULL though no argument is.
    pub(crate) fn makes_null(self) -> bool {
        use MomentFunction as M;
        matches!(self, M::Extract(_) | M::Overlaps | M::TryRead | M::Boundaries(_) | M::Wholes(_) | M::Micros)
            || matches!(self, M::BoundariesNamed | M::WholesNamed)
    }

    /// Whether it cannot fail.
    pub(crate) fn is_total(self) -> bool {
        use MomentFunction as M;
        matches!(self, M::Overlaps | M::Extract(_) | M::Boundaries(_) | M::Wholes(_) | M::ShowInterval(_))
            || matches!(self, M::TimeOf | M::OffsetOf | M::WithOffset | M::AtOffset | M::StartOfDate)
    }
}
