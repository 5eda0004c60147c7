//! Statements that only a session understands: transactions, settings, statements and cursors by name, notices. They name no
//! table and compute nothing, so binding leaves them as they are; `parse` reads them.

mod parse;
mod role;

pub(super) use parse::{Words, parse};
pub use role::{RoleOptions, RoleStatement};

/// A statement of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatement {
    /// BEGIN, START TRANSACTION.
    Begin(TransactionMode),
    /// COMMIT, END; AND CHAIN begins the next one.
    Commit {
        /// AND CHAIN.
        chain: bool,
    },
    /// ROLLBACK, ABORT; AND CHAIN begins the next one.
    Rollback {
        /// AND CHAIN.
        chain: bool,
    },
    /// SAVEPOINT name.
    Savepoint(String),
    /// RELEASE name.
    Release(String),
    /// ROLLBACK TO name.
    RollbackTo(String),
    /// SET TRANSACTION.
    SetTransaction(TransactionMode),
    /// SET SESSION CHARACTERISTICS AS TRANSACTION.
    SetCharacteristics(TransactionMode),
    /// SET name = values; none is DEFAULT.
    Set {
        /// The setting, in lower case.
        name: String,
        /// What it is set to, as written without quotes.
        value: Option<Vec<String>>,
        /// LOCAL: until the transaction ends.
        local: bool,
    },
    /// SHOW name.
    Show(String),
    /// SHOW ALL.
    ShowAll,
    /// RESET name.
    Reset(String),
    /// RESET ALL.
    ResetAll,
    /// DISCARD.
    Discard(Discarded),
    /// PREPARE name (types) AS statement.
    Prepare {
        /// Its name.
        name: String,
        /// The types that are given, as written.
        types: Vec<String>,
        /// The statement's text, and where it starts.
        statement: Piece,
    },
    /// EXECUTE name (values), or EXPLAIN of it.
    Execute {
        /// What stands before it, of EXPLAIN.
        explain: Option<String>,
        /// Its name.
        name: String,
        /// The values' texts, and where they start.
        values: Vec<Piece>,
    },
    /// DEALLOCATE name; none is ALL.
    Deallocate(Option<String>),
    /// DECLARE name CURSOR FOR query.
    Declare {
        /// Its name.
        name: String,
        /// SCROLL, NO SCROLL or neither.
        scroll: Option<bool>,
        /// WITH HOLD: it outlives the transaction.
        hold: bool,
        /// BINARY.
        binary: bool,
        /// The query's text, and where it starts.
        query: Piece,
    },
    /// FETCH and MOVE.
    Fetch {
        /// The cursor.
        name: String,
        /// Which rows.
        direction: Direction,
        /// MOVE: the rows are not wanted.
        is_move: bool,
    },
    /// CLOSE name; none is ALL.
    Close(Option<String>),
    /// LISTEN channel.
    Listen(String),
    /// UNLISTEN channel; none is all.
    Unlisten(Option<String>),
    /// NOTIFY channel, payload.
    Notify {
        /// The channel.
        channel: String,
        /// What is told; empty if nothing.
        payload: String,
    },
    /// CREATE ROLE and its kin.
    Role(RoleStatement),
}

/// A part of a statement's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Its place in the statement, in bytes.
    pub start: u32,
}

/// Modes of transactions, those that are said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionMode {
    /// READ ONLY or READ WRITE.
    pub read_only: Option<bool>,
    /// ISOLATION LEVEL.
    pub isolation: Option<Isolation>,
    /// DEFERRABLE or NOT DEFERRABLE.
    pub deferrable: Option<bool>,
}

/// Isolation levels of the SQL standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the standard's own words")]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// All of them.
    pub const ALL: [Isolation; 4] =
        [Isolation::ReadUncommitted, Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable];

    /// As SHOW prints it.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        }
    }
}

/// What DISCARD forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PostgreSQL's own words")]
pub enum Discarded {
    All,
    Plans,
    Sequences,
    Temporary,
}

/// Which rows FETCH gives, as PostgreSQL counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The next so many; negative is backward, 0 the current row again. NEXT is 1, PRIOR -1, BACKWARD n is -n.
    Count(i64),
    /// FORWARD ALL.
    All,
    /// BACKWARD ALL.
    BackwardAll,
    /// ABSOLUTE n; FIRST is 1, LAST -1.
    Absolute(i64),
    /// RELATIVE n.
    Relative(i64),
}
