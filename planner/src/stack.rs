//! Room to nest: statements of a thousand levels are parsed, planned, evaluated and dropped by functions that call
//! themselves, as trees are. A stack of its own, of which only what is used takes memory, is simpler than forty passes
//! that keep their own, and holds what the limits on nesting allow (54001 beyond them).
//!
//! `sql/parse.rs` counts tokens, `relation/builder/state.rs` levels and what came of both. What a pass does for
//! each level must not look at all levels below: planning takes hardly more than n log n of the text
//! (`tests/tests/suites/large_statements.rs`).

/// Bytes of a stack that holds what any statement needs.
#[cfg(target_pointer_width = "64")]
const DEEP_BYTES: usize = 1 << 30;
#[cfg(not(target_pointer_width = "64"))]
const DEEP_BYTES: usize = 1 << 27;

/// Bytes of the stack of a thread on which [`deep`] needs no other one: half of what it makes, and what stands in front.
pub const STATEMENT_BYTES: usize = DEEP_BYTES / 8 * 5;

/// Bytes of the stack of a thread that evaluates expressions only.
pub const WORKER_BYTES: usize = DEEP_BYTES / 8;

/// Bytes that binding one level of a statement takes at most, and much more.
const LEVEL_BYTES: usize = 1 << 18;

/// Levels of a query that is planned and runs on [`Room::Shallow`].
pub(crate) const SHALLOW_LEVELS: usize = 16;

/// Bytes of stack that a query of [`SHALLOW_LEVELS`] needs: what [`DEEP_BYTES`] gives a level four times over, and what stands below.
const SHALLOW_BYTES: usize = SHALLOW_LEVELS * (LEVEL_BYTES / 4) + (1 << 18);

/// How much stack there has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Enough for any statement.
    Deep,
    /// Enough for running what has few levels: the stack of any thread.
    Shallow,
}

/// Runs `work` on this thread, on a stack that is deep enough for any statement: this one, if half of such a stack is
/// left of it. A stack of its own costs as much as a short statement, since each of its pages is new (some 60 µs).
pub fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(DEEP_BYTES / 2, DEEP_BYTES, work)
}

/// Runs `work` on this thread, where there is so much room.
pub fn with_room<T>(room: Room, work: impl FnOnce() -> T) -> T {
    match room {
        Room::Deep => deep(work),
        Room::Shallow => stacker::maybe_grow(SHALLOW_BYTES, DEEP_BYTES, work),
    }
}

/// Bytes of stack that a library needs for the deepest expression that it is given (a regular expression of 250 levels takes
/// 768 KiB unoptimised).
const LIBRARY_BYTES: usize = 1 << 21;

/// Runs `work` with room for a library that nests by itself, as deep as we let it.
pub fn for_library<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LIBRARY_BYTES, LIBRARY_BYTES * 2, work)
}

/// Runs `work` with room for one more level; for what nests before anybody knows how deep.
pub fn more<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEVEL_BYTES, LEVEL_BYTES * 16, work)
}
