//! The statements of a script, as they are written.

use crate::guard::guarded;
use crate::{Error, ErrorKind, Result};
use multiloop_planner::sql;
use multiloop_planner::sql::{Moves, Parsed, Tree};
use std::sync::Arc;

/// Scripts of fewer bytes do not count against memory.
const TEXT_SMALL: usize = 1 << 16;

/// Bytes that the trees of a script take for each of its text: a number in a list is a node of 300 bytes.
const TREE_BYTES: usize = 32;

/// A statement of a script, as it is written.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) parsed: Arc<Parsed>,
    pub(super) start: usize,
}

impl Statement {
    /// Its text, without the semicolon.
    pub fn text(&self) -> &str {
        &self.parsed.text
    }

    /// Where it starts in the script, in bytes.
    pub fn start(&self) -> usize {
        self.start
    }

    /// How far a FETCH or MOVE goes forward: the cursor's name, the number of rows, and whether they are passed over. None for
    /// another statement, and one that goes elsewhere.
    pub fn goes_forward(&self) -> Option<(&str, u64, bool)> {
        use multiloop_planner::sql::{Direction, SessionStatement as Verb};
        let Tree::Session(Verb::Fetch { name, direction, is_move }) = &self.parsed.tree else { return None };
        let rows = match direction {
            Direction::Count(rows) => u64::try_from(*rows).ok().filter(|&rows| rows > 0)?,
            Direction::All => u64::MAX,
            _ => return None,
        };
        Some((name, rows, *is_move))
    }

    /// Whether it begins or ends a transaction, or is about savepoints: it runs in a transaction that has failed, too.
    pub fn is_about_transactions(&self) -> bool {
        use multiloop_planner::sql::SessionStatement as Verb;
        let Tree::Session(verb) = &self.parsed.tree else { return false };
        matches!(
            verb,
            Verb::Begin(_)
                | Verb::Commit { .. }
                | Verb::Rollback { .. }
                | Verb::Savepoint(_)
                | Verb::Release(_)
                | Verb::RollbackTo(_)
        )
    }

    /// The one statement of a text; 42601 if there is another number of them. Positions are those of the text, if it asks for rows
    /// or changes some: then it starts at 0; else they count from its start.
    pub(super) fn only(text: &str) -> Result<Self> {
        Statement::only_moved(text, &Moves::default())
    }

    /// As [`Statement::only`], of a text whose pieces stand elsewhere in the one that it was made of: positions are those of that.
    pub(super) fn only_moved(text: &str, moves: &Moves) -> Result<Self> {
        let only = Statement::only_one(text).map_err(|error| match error.position() {
            Some(position) => error.moved(moves.original(position)),
            None => error,
        })?;
        // A text that is kept, as a view's, is cut by positions in it.
        if moves.is_empty() && (only.start == 0 || !only.parsed.tree.is_of_rows()) {
            return Ok(only);
        }
        let mut parsed = Arc::unwrap_or_clone(only.parsed);
        parsed.moves = Arc::new(moves.behind(only.start));
        Ok(Statement { parsed: Arc::new(parsed), start: 0 })
    }

    fn only_one(text: &str) -> Result<Self> {
        let mut statements = of_script(text)?;
        match (statements.pop(), statements.is_empty()) {
            (Some(one), true) => Ok(one),
            (None, _) => Err(Error::new(ErrorKind::Syntax, "there is no statement")),
            _ => Err(Error::new(ErrorKind::Syntax, "cannot insert multiple commands into a prepared statement")),
        }
    }
}

/// The statements of a script, with their places in it.
pub(super) fn of_script(script: &str) -> Result<Vec<Statement>> {
    // Editors put a byte order mark before a file's text; positions count it.
    let sql = script.strip_prefix('\u{feff}').unwrap_or(script);
    let mark = script.len() - sql.len();
    let parsed = guarded(|| sql::parse(sql)).map_err(|error| error.shifted(mark))?;
    let mut end = 0;
    let place = |parsed: Parsed| {
        // A statement's positions count from its own start; the caller's text is the script.
        let start = sql[end..].find(&parsed.text).map_or(end, |found| end + found);
        end = start + parsed.text.len();
        Statement { parsed: Arc::new(parsed), start: mark + start }
    };
    Ok(parsed.into_iter().map(place).collect())
}

/// What the syntax trees of a script take, roughly, if that is worth a thought.
pub(super) fn tree_bytes(sql: &str) -> usize {
    if sql.len() < TEXT_SMALL { 0 } else { sql.len().saturating_mul(TREE_BYTES) }
}
