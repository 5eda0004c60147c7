//! What can go wrong between SQL text and an optimised program. Every user-facing error has an SQLSTATE
//! (PostgreSQL, Appendix A) and, where the text has one, a position.
//!
//! There is one type for the whole road: the crates above pass it through unchanged, so nothing is converted and
//! nothing lost.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Byte offset into the statement's text, 0-based. Shown to users as a line, a column and a caret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position(pub u32);

/// What kind of error it is; each has one SQLSTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// 42601: the text is not SQL.
    Syntax,
    /// 0A000: SQL that Multiloop does not do.
    Unsupported,
    /// 42P01: no such table, view or CTE.
    UnknownTable,
    /// 42703: no such column.
    UnknownColumn,
    /// 42883: no such function, or none for these argument types.
    UnknownFunction,
    /// 42723: a name that a function has already.
    DuplicateFunction,
    /// 38000: an error of a function that a program registered.
    ExternalRoutine,
    /// 42725: an operator or function that could be read in several ways.
    AmbiguousFunction,
    /// 42846: no cast from one type to the other.
    CannotCast,
    /// 42704: no such type or other object.
    UnknownObject,
    /// 42P07: the table is already there.
    DuplicateTable,
    /// 42701: a column named twice.
    DuplicateColumn,
    /// 42712: a table alias used twice in one FROM.
    DuplicateAlias,
    /// 42702: a name that fits more than one column.
    AmbiguousColumn,
    /// 42P18: a value whose type nothing says.
    IndeterminateType,
    /// 42804: types that do not go together.
    TypeMismatch,
    /// 42803: a column neither grouped nor aggregated, or an aggregate where none may stand.
    Grouping,
    /// 42P10: an ordinal or ORDER BY item that the select list does not have.
    InvalidColumnReference,
    /// 42P20: a window function where none may stand, or a window that cannot be.
    Windowing,
    /// 42P19: a recursive query that cannot be.
    InvalidRecursion,
    /// 42P02: a parameter without a value.
    UnknownParameter,
    /// 22P02: text that is no value of its type.
    InvalidText,
    /// 22007: text that is no date, time or timestamp.
    InvalidDatetime,
    /// 22008: a date or time out of range.
    DatetimeOverflow,
    /// 22009: an offset of a time zone out of range.
    InvalidZoneOffset,
    /// 22015: a field of an interval out of range.
    IntervalOverflow,
    /// 22003: a number out of its type's range.
    NumericOverflow,
    /// 22003: digits beyond the 38 of narrow decimals. The same statement with wide ones may have an answer.
    DecimalOverflow,
    /// 0A000: NaN as a narrow decimal. The same statement with wide ones may have an answer.
    DecimalNan,
    /// 22012: division by zero.
    DivisionByZero,
    /// 22001: a string too long for its type.
    StringTooLong,
    /// 22026: a bit string of another length than is needed.
    BitStringLength,
    /// 22019, 22025: an ESCAPE that is not one character, or a pattern that ends in it.
    InvalidEscape,
    /// 2200C: more escapes than a pattern has a meaning for.
    InvalidEscapeUse,
    /// 2201B: a text that is no regular expression.
    InvalidPattern,
    /// 22004: NULL where a value is needed.
    NullNotAllowed,
    /// 22023: an argument out of range (negative LIMIT, wrong option value).
    InvalidParameter,
    /// 2202H: a sample's size or seed.
    InvalidSample,
    /// 2201W: a negative LIMIT.
    InvalidRowCount,
    /// 2201X: a negative OFFSET.
    InvalidRowOffset,
    /// 2201F: no real result (square root of a negative number, zero to a negative power).
    InvalidPower,
    /// 2201E: logarithm of a number that is not positive.
    InvalidLogarithm,
    /// 22011: negative substring length.
    InvalidSubstring,
    /// 22013: a frame that begins or ends at a negative distance.
    InvalidFrameOffset,
    /// 22014: ntile of less than one bucket.
    InvalidNtile,
    /// 22016: nth_value of less than one.
    InvalidNthValue,
    /// 2202E: an array that cannot be, of too many dimensions or of parts that do not fit.
    ArraySubscript,
    /// 22000: an array of several dimensions where one is needed.
    InvalidArray,
    /// 22000: a vector of another length than is needed.
    VectorLength,
    /// 02000: no row where one is needed.
    NoData,
    /// 22002: NULL for a type of a program that has none.
    UnexpectedNull,
    /// 21000: a scalar subquery gave more than one row.
    Cardinality,
    /// 42P13: a function that cannot be, as one whose body gives another type.
    InvalidFunctionDefinition,
    /// 42P16: a table that cannot be, as one with two primary keys.
    InvalidTableDefinition,
    /// 42P17: a view that would read itself.
    InvalidObjectDefinition,
    /// 23505: two rows with one key.
    UniqueViolation,
    /// 23502: NULL where none may be.
    NotNullViolation,
    /// 2BP01: something else depends on it.
    DependentObjects,
    /// 42P09: a name that two tables of FROM have.
    AmbiguousAlias,
    /// 42809: a view where a table is needed, or the other way round.
    WrongObjectType,
    /// 2201G: buckets that cannot be.
    InvalidWidthBucket,
    /// 22P05: a character that an encoding does not have.
    UntranslatableCharacter,
    /// What a path of SQL/JSON, which is strict or needs one value, does not find.
    SqlJson(SqlJsonFault),
    /// 22021: bytes that are not UTF-8.
    InvalidUtf8,
    /// 22P04: a file that is not what its format says (truncated Parquet, ragged CSV).
    BadFile,
    /// 58P01: no such file.
    FileNotFound,
    /// 58030: reading or writing failed.
    Io,
    /// 53100: no room on a disk.
    DiskFull,
    /// 53200: the memory limit was reached.
    OutOfMemory,
    /// 57014: cancelled by the user.
    Cancelled,
    /// 54001: nested too deeply.
    TooComplex,
    /// 54000: a limit of the engine's own, of rounds.
    LimitExceeded,
    /// 25P02: a statement in a transaction that has failed.
    FailedTransaction,
    /// 25001: a transaction is open where none may be.
    ActiveTransaction,
    /// 25P01: no transaction is open where one must be.
    NoTransaction,
    /// 25P01: a statement that runs others is to be begun anew in a transaction; nobody outside of the engine sees it.
    NeedsTransaction,
    /// 25006: a change in a transaction that only reads.
    ReadOnlyTransaction,
    /// 40001: another transaction has changed what this one did.
    Serialization,
    /// 40001: rows from outside of the engine are more than the plan was made for. The same statement, planned once more, may have
    /// an answer.
    Outgrown,
    /// 40P01: transactions that wait for each other.
    Deadlock,
    /// 55P03: a lock that was not to be had in the time that there was for it.
    LockNotAvailable,
    /// 3B001: no such savepoint.
    InvalidSavepoint,
    /// 42939: a name that is the system's.
    InvalidName,
    /// 3F000: no such schema.
    UnknownSchema,
    /// 42P06: the schema is already there.
    DuplicateSchema,
    /// 26000: no such prepared statement.
    UnknownStatement,
    /// 42P05: a prepared statement of this name is already there.
    DuplicateStatement,
    /// 34000: no such cursor.
    UnknownCursor,
    /// 42P03: a cursor of this name is already there.
    DuplicateCursor,
    /// 42710: another object of this name is already there.
    DuplicateObject,
    /// 55000: it is not in the state that this needs.
    WrongState,
    /// 55P02: a setting that cannot be changed now.
    FixedSetting,
    /// 42501: whoever asks may not.
    Forbidden,
    /// 0LP01: rights that cannot be given so.
    InvalidGrant,
    /// 08P01: a message that is not what the protocol has.
    Protocol,
    /// 57P01: the server ends.
    Shutdown,
    /// 53400: more of something than a session may have.
    TooMany,
    /// 53300: too many connections.
    TooManyConnections,
    /// 28P01: a wrong password.
    WrongPassword,
    /// 28000: no such role, or it may not enter.
    InvalidAuthorization,
    /// 25P03: a transaction that was idle for too long.
    IdleTransaction,
    /// 23503: a key that the other table does not have.
    ForeignKeyViolation,
    /// 23514: a row that a CHECK refuses.
    CheckViolation,
    /// 44000: a row that is none of the view that it changes through.
    CheckOptionViolation,
    /// 42830: a foreign key that the other table has no key for.
    InvalidForeignKey,
    /// A sequence has no more values.
    SequenceLimit,
    /// A value that is given for a column that makes its own.
    GeneratedAlways,
    /// 42P17: an object that cannot be made so, as an enum without names.
    InvalidObject,
    /// XX001: bytes that are not what they should be.
    DataCorrupted,
    /// XX000: a bug in Multiloop.
    Internal,
}

/// A fault of a path of SQL/JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SqlJsonFault {
    /// 22031: an argument of `datetime()` that is no string of one.
    Datetime,
    /// 22033: a place of an array that is not there, or several where one is needed.
    Subscript,
    /// 22036: no number, where a method needs one.
    NonNumeric,
    /// 22038: a sequence where one value is needed.
    Singleton,
    /// 22039: no array.
    Array,
    /// 2203A: a member of an object that is not there.
    Member,
    /// 2203B: no number, where an operator needs one.
    Number,
    /// 2203C: no object.
    Object,
}

impl SqlJsonFault {
    fn sqlstate(self) -> &'static str {
        match self {
            SqlJsonFault::Datetime => "22031",
            SqlJsonFault::Subscript => "22033",
            SqlJsonFault::NonNumeric => "22036",
            SqlJsonFault::Singleton => "22038",
            SqlJsonFault::Array => "22039",
            SqlJsonFault::Member => "2203A",
            SqlJsonFault::Number => "2203B",
            SqlJsonFault::Object => "2203C",
        }
    }
}

impl ErrorKind {
    /// Whether the same statement with numerics of any number of digits may have an answer.
    pub fn asks_for_wide_numerics(self) -> bool {
        matches!(self, ErrorKind::DecimalOverflow | ErrorKind::DecimalNan)
    }

    /// Whether an expression failed on the values that it was given, or a subquery on the number of its rows.
    pub fn is_data_error(self) -> bool {
        let state = self.sqlstate();
        state.starts_with("22") || state.starts_with("21")
    }

    /// Whether a statement that fails with it fails whatever its plan: who asked has it end, or there is no room. Any other error
    /// may be one of an expression for a row that the statement does not have: a function that a program registered fails with
    /// whatever it likes, and panics.
    pub fn is_of_any_plan(self) -> bool {
        use ErrorKind as K;
        matches!(self, K::Cancelled | K::OutOfMemory | K::DiskFull | K::Outgrown | K::Shutdown | K::IdleTransaction)
    }

    /// Whether a cast of a value fails with it, so that TRY_CAST gives NULL. A wrong path of SQL/JSON is an error of syntax.
    pub fn fails_cast(self) -> bool {
        self.is_data_error() || self == ErrorKind::Syntax
    }

    /// The five characters of PostgreSQL's Appendix A.
    pub fn sqlstate(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "42601",
            ErrorKind::Unsupported | ErrorKind::DecimalNan => "0A000",
            ErrorKind::UnknownTable => "42P01",
            ErrorKind::UnknownColumn => "42703",
            ErrorKind::UnknownFunction => "42883",
            ErrorKind::AmbiguousFunction => "42725",
            ErrorKind::CannotCast => "42846",
            ErrorKind::UnknownObject => "42704",
            ErrorKind::DuplicateTable => "42P07",
            ErrorKind::DuplicateColumn => "42701",
            ErrorKind::DuplicateAlias => "42712",
            ErrorKind::AmbiguousColumn => "42702",
            ErrorKind::AmbiguousAlias => "42P09",
            ErrorKind::IndeterminateType => "42P18",
            ErrorKind::TypeMismatch => "42804",
            ErrorKind::Grouping => "42803",
            ErrorKind::InvalidColumnReference => "42P10",
            ErrorKind::Windowing => "42P20",
            ErrorKind::InvalidRecursion => "42P19",
            ErrorKind::UnknownParameter => "42P02",
            ErrorKind::InvalidText => "22P02",
            ErrorKind::InvalidDatetime => "22007",
            ErrorKind::DatetimeOverflow => "22008",
            ErrorKind::InvalidZoneOffset => "22009",
            ErrorKind::IntervalOverflow => "22015",
            ErrorKind::NumericOverflow | ErrorKind::DecimalOverflow => "22003",
            ErrorKind::DivisionByZero => "22012",
            ErrorKind::StringTooLong => "22001",
            ErrorKind::BitStringLength => "22026",
            ErrorKind::InvalidEscape => "22025",
            ErrorKind::InvalidEscapeUse => "2200C",
            ErrorKind::InvalidPattern => "2201B",
            ErrorKind::NullNotAllowed => "22004",
            ErrorKind::InvalidParameter => "22023",
            ErrorKind::InvalidSample => "2202H",
            ErrorKind::InvalidRowCount => "2201W",
            ErrorKind::InvalidRowOffset => "2201X",
            ErrorKind::InvalidPower => "2201F",
            ErrorKind::InvalidLogarithm => "2201E",
            ErrorKind::InvalidSubstring => "22011",
            ErrorKind::InvalidFrameOffset => "22013",
            ErrorKind::InvalidNtile => "22014",
            ErrorKind::InvalidNthValue => "22016",
            ErrorKind::ArraySubscript => "2202E",
            ErrorKind::InvalidArray | ErrorKind::VectorLength => "22000",
            ErrorKind::Cardinality => "21000",
            ErrorKind::InvalidTableDefinition => "42P16",
            ErrorKind::InvalidObjectDefinition => "42P17",
            ErrorKind::UniqueViolation => "23505",
            ErrorKind::NotNullViolation => "23502",
            ErrorKind::DependentObjects => "2BP01",
            ErrorKind::WrongObjectType => "42809",
            ErrorKind::InvalidWidthBucket => "2201G",
            ErrorKind::UntranslatableCharacter => "22P05",
            ErrorKind::SqlJson(fault) => fault.sqlstate(),
            ErrorKind::InvalidUtf8 => "22021",
            ErrorKind::BadFile => "22P04",
            ErrorKind::FileNotFound => "58P01",
            ErrorKind::Io => "58030",
            ErrorKind::OutOfMemory => "53200",
            ErrorKind::Cancelled => "57014",
            ErrorKind::TooComplex => "54001",
            ErrorKind::DataCorrupted => "XX001",
            ErrorKind::Internal => "XX000",
            // Those of sessions, and of programs.
            _ => self.session_sqlstate(),
        }
    }

    fn session_sqlstate(self) -> &'static str {
        match self {
            ErrorKind::NoData => "02000",
            ErrorKind::InvalidFunctionDefinition => "42P13",
            ErrorKind::LimitExceeded => "54000",
            ErrorKind::UnexpectedNull => "22002",
            ErrorKind::FailedTransaction => "25P02",
            ErrorKind::Deadlock => "40P01",
            ErrorKind::LockNotAvailable => "55P03",
            ErrorKind::ActiveTransaction => "25001",
            ErrorKind::DuplicateFunction => "42723",
            ErrorKind::ExternalRoutine => "38000",
            ErrorKind::NoTransaction | ErrorKind::NeedsTransaction => "25P01",
            ErrorKind::ReadOnlyTransaction => "25006",
            ErrorKind::Serialization | ErrorKind::Outgrown => "40001",
            ErrorKind::InvalidSavepoint => "3B001",
            ErrorKind::InvalidName => "42939",
            ErrorKind::UnknownSchema => "3F000",
            ErrorKind::DuplicateSchema => "42P06",
            ErrorKind::UnknownStatement => "26000",
            ErrorKind::DuplicateStatement => "42P05",
            ErrorKind::UnknownCursor => "34000",
            ErrorKind::DuplicateCursor => "42P03",
            ErrorKind::DuplicateObject => "42710",
            ErrorKind::WrongState => "55000",
            ErrorKind::FixedSetting => "55P02",
            ErrorKind::TooMany => "53400",
            ErrorKind::DiskFull => "53100",
            ErrorKind::Forbidden => "42501",
            ErrorKind::InvalidGrant => "0LP01",
            ErrorKind::Protocol => "08P01",
            ErrorKind::Shutdown => "57P01",
            ErrorKind::TooManyConnections => "53300",
            ErrorKind::WrongPassword => "28P01",
            ErrorKind::InvalidAuthorization => "28000",
            ErrorKind::IdleTransaction => "25P03",
            ErrorKind::ForeignKeyViolation => "23503",
            ErrorKind::CheckViolation => "23514",
            ErrorKind::CheckOptionViolation => "44000",
            ErrorKind::InvalidForeignKey => "42830",
            ErrorKind::SequenceLimit => "2200H",
            ErrorKind::GeneratedAlways => "428C9",
            ErrorKind::InvalidObject => "42P17",
            _ => "XX000",
        }
    }
}

/// An error that a user can read: what happened, where, and perhaps what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    kind: ErrorKind,
    message: String,
    position: Option<Position>,
    detail: Option<String>,
    hint: Option<String>,
    subject: Option<Box<Subject>>,
}

/// What rows that a table does not take offend, by name: programs are told of it beside the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The table's schema.
    pub schema: Option<String>,
    /// The table.
    pub table: Option<String>,
    /// The column that may not be NULL.
    pub column: Option<String>,
    /// The constraint.
    pub constraint: Option<String>,
    /// Which of the rows that came, the first is 1.
    pub row: Option<u64>,
}

impl Error {
    /// An error of this kind. Messages start in lower case, without a full stop, run-time values last.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Parts {
            kind,
            message: message.into(),
            position: None,
            detail: None,
            hint: None,
            subject: None,
        }))
    }

    /// A bug in Multiloop, found before it could give a wrong answer.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Internal, message)
    }

    /// SQL that Multiloop does not do; `what` reads as in "window functions".
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Unsupported, format!("{what} not supported"))
    }

    /// The error for a name that no setting has.
    pub fn no_setting(name: &str) -> Self {
        Error::new(ErrorKind::UnknownObject, format!("unrecognized configuration parameter \"{name}\""))
    }

    /// The error for a LIMIT or OFFSET below zero.
    pub fn negative_row_count(clause: &str) -> Self {
        let kind = if clause == "OFFSET" { ErrorKind::InvalidRowOffset } else { ErrorKind::InvalidRowCount };
        Error::new(kind, format!("{clause} must not be negative"))
    }

    /// The same error at a position, unless it has one already (the innermost is the most precise).
    #[must_use]
    pub fn at(mut self, position: Option<Position>) -> Self {
        self.0.position = self.0.position.or(position);
        self
    }

    /// The same error at another position.
    #[must_use]
    pub fn moved(mut self, position: Position) -> Self {
        self.0.position = Some(position);
        self
    }

    /// The same error at no position: it is one of a text that nobody sees.
    #[must_use]
    pub fn without_position(mut self) -> Self {
        self.0.position = None;
        self
    }

    /// The same error with its position counted from `bytes` earlier: a statement's place in its script.
    #[must_use]
    pub fn shifted(mut self, bytes: usize) -> Self {
        let shift = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.0.position = self.0.position.map(|Position(at)| Position(at.saturating_add(shift)));
        self
    }

    /// The same error with more about what happened, full sentences.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same error with a hint, a full sentence.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same error about a constraint.
    #[must_use]
    pub fn of_constraint(mut self, name: &str) -> Self {
        self.0.subject.get_or_insert_default().constraint = Some(name.to_owned());
        self
    }

    /// The same error about a column.
    #[must_use]
    pub fn of_column(mut self, name: &str) -> Self {
        self.0.subject.get_or_insert_default().column = Some(name.to_owned());
        self
    }

    /// The same error about one of the rows that came, the first is 1.
    #[must_use]
    pub fn of_row(mut self, row: u64) -> Self {
        self.0.subject.get_or_insert_default().row = Some(row);
        self
    }

    /// The same error with the table whose constraint or column it is about; nothing changes if it is about none.
    #[must_use]
    pub fn in_table(mut self, schema: &str, table: &str) -> Self {
        if let Some(subject) = &mut self.0.subject {
            (subject.schema, subject.table) = (Some(schema.to_owned()), Some(table.to_owned()));
        }
        self
    }

    /// What it is about, if that is a constraint or a column of a table.
    pub fn subject(&self) -> Option<&Subject> {
        self.0.subject.as_deref()
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The SQLSTATE of its kind.
    pub fn sqlstate(&self) -> &'static str {
        self.0.kind.sqlstate()
    }

    /// What happened, without position, detail and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the statement.
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }

    /// More about what happened.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;
