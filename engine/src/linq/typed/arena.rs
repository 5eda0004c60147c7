//! Where lifted values live while a closure is staged: an arena of the thread, of which a value is a number, so that it is `Copy`.
//!
//! A step of a query opens a scope, makes lifted values of its rows, calls the closure once, and takes the trees out of what the
//! closure gives. Then the scope ends and with it all values that were made within. Scopes nest: a closure may use values of the
//! closures around it, which is how queries are correlated. A stamp, unique in the thread, tells a value whose scope has ended from
//! the one that has its place now.

use crate::linq::survey::belongs_to_level;
use crate::linq::tree::Tree;
use crate::session::Session;
use crate::{Error, ErrorKind};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A lifted value without its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lift {
    at: u32,
    stamp: u64,
    /// It means something in its thread alone.
    thread: PhantomData<*const ()>,
}

struct Node {
    stamp: u64,
    tree: Tree,
    /// How many scopes were open when it was made.
    depth: usize,
    /// Which column of the rows that its query has so far it is, if it is no more.
    column: Option<u32>,
    /// The name that was given to it.
    name: Option<Arc<str>>,
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    scopes: Vec<Opened>,
    stamp: u64,
}

struct Opened {
    /// Nodes before it.
    start: usize,
    /// The sources whose columns it lends.
    sources: Vec<u64>,
    /// The session of its query, by address; none for any.
    session: usize,
    /// The first thing that went wrong within.
    failure: Option<Error>,
}

/// Nodes for which a thread keeps room between closures.
const KEPT_NODES: usize = 1 << 10;

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

/// A scope, which ends when this is dropped, also when the closure panics.
pub(super) struct Scope {
    depth: usize,
}

/// Opens a scope for a closure that sees columns of these sources of a session.
pub(super) fn open(sources: Vec<u64>, session: &Session) -> Scope {
    let session = std::ptr::from_ref(session).addr();
    ARENA.with_borrow_mut(|arena| {
        let start = arena.nodes.len();
        arena.scopes.push(Opened { start, sources, session, failure: None });
        Scope { depth: arena.scopes.len() }
    })
}

/// Whether a closure that sees columns of one of these sources runs.
pub(super) fn lends_any(sources: &[u64]) -> bool {
    ARENA.with_borrow(|arena| {
        arena.scopes.iter().any(|scope| scope.sources.iter().any(|source| sources.contains(source)))
    })
}

/// How many closures run, one in the other.
pub(super) fn depth() -> usize {
    ARENA.with_borrow(|arena| arena.scopes.len())
}

/// Whether the innermost closure's query is of a session.
pub(super) fn is_of(session: &Session) -> bool {
    let session = std::ptr::from_ref(session).addr();
    ARENA.with_borrow(|arena| arena.scopes.last().is_none_or(|scope| scope.session == session))
}

/// Whether any closure runs.
pub(super) fn is_open() -> bool {
    ARENA.with_borrow(|arena| !arena.scopes.is_empty())
}

impl Scope {
    /// Takes the first thing that went wrong in it.
    pub(super) fn failure(&self) -> Option<Error> {
        ARENA.with_borrow_mut(|arena| arena.scopes.get_mut(self.depth - 1).and_then(|scope| scope.failure.take()))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // Trees are dropped outside of the borrow: a value of the user's may be within.
        let dropped: Vec<Node> = ARENA.with_borrow_mut(|arena| {
            let start = arena.scopes.get(self.depth - 1).map_or(arena.nodes.len(), |scope| scope.start);
            arena.scopes.truncate(self.depth - 1);
            let dropped = arena.nodes.drain(start..).collect();
            // Behind a list of many values the thread keeps no room for as many again.
            if arena.scopes.is_empty() {
                arena.nodes.shrink_to(KEPT_NODES);
            }
            dropped
        });
        drop(dropped);
    }
}

/// A new value of the innermost scope. Outside of all closures there is none: then it is a value whose use is an error.
pub(super) fn make(tree: Tree) -> Lift {
    put(tree, None, None)
}

/// A value under a name.
pub(super) fn make_named(tree: Tree, name: Arc<str>) -> Lift {
    put(tree, None, Some(name))
}

/// A column of the rows so far.
pub(super) fn make_column(tree: Tree, column: usize) -> Lift {
    put(tree, u32::try_from(column).ok(), None)
}

fn put(tree: Tree, column: Option<u32>, name: Option<Arc<str>>) -> Lift {
    ARENA.with_borrow_mut(|arena| {
        arena.stamp += 1;
        let (at, stamp) = (arena.nodes.len(), arena.stamp);
        if arena.scopes.is_empty() {
            return Lift { at: u32::MAX, stamp, thread: PhantomData };
        }
        arena.nodes.push(Node { stamp, tree, depth: arena.scopes.len(), column, name });
        Lift { at: u32::try_from(at).unwrap_or(u32::MAX), stamp, thread: PhantomData }
    })
}

/// The tree of a value, and which column of the rows so far it is.
pub(super) fn tree(lift: Lift, used: &'static Location<'static>) -> (Tree, Option<u32>) {
    let found = ARENA.with_borrow(|arena| {
        let node = arena.nodes.get(lift.at as usize).filter(|node| node.stamp == lift.stamp);
        node.map(|node| {
            let is_outer = node.depth < arena.scopes.len();
            (node.tree.clone(), node.column.filter(|_| !is_outer), is_outer)
        })
    });
    match found {
        None => {
            fail(foreign(used));
            (Tree::Null, None)
        }
        Some((tree, _, true)) if belongs_to_level(&tree) => {
            fail(of_outer_level(used));
            (Tree::Null, None)
        }
        Some((tree, column, _)) => (tree, column),
    }
}

/// The error for an aggregate or window that would mean something else within a query.
#[cold]
pub(super) fn of_outer_level(used: &Location<'_>) -> Error {
    let message = "a window function, or an aggregate of no column, is used within a query inside of its own";
    Error::new(ErrorKind::Grouping, message)
        .with_detail(format!("It is used at {used}."))
        .with_hint("Make it a column first, by `select` or `let_`, and use that.")
}

/// The error for a query of another session.
#[cold]
pub(super) fn of_other_session() -> Error {
    Error::new(ErrorKind::InvalidParameter, "queries of two sessions are used in one")
}

/// The name that was given to a value.
pub(super) fn name(lift: Lift) -> Option<Arc<str>> {
    ARENA.with_borrow(|arena| {
        let node = arena.nodes.get(lift.at as usize).filter(|node| node.stamp == lift.stamp);
        node.and_then(|node| node.name.clone())
    })
}

/// Notes what went wrong where the innermost closure's query is made; the first error counts.
pub(super) fn fail(error: Error) {
    ARENA.with_borrow_mut(|arena| {
        if let Some(scope) = arena.scopes.last_mut() {
            scope.failure.get_or_insert(error);
        }
    });
}

#[cold]
fn foreign(used: &Location<'_>) -> Error {
    let message = "a value is used outside of the closure that it was given to";
    Error::new(ErrorKind::InvalidColumnReference, message)
        .with_detail(format!("It is used at {used}."))
        .with_hint("Values belong to the rows of one query: use them in its closure, or in closures within that.")
}

#[cfg(test)]
mod tests {
    use super::{ARENA, KEPT_NODES};
    use crate::linq::Expr;
    use crate::{Engine, Session};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Nothing of any closure is left in this thread's arena, nor room for much.
    #[track_caller]
    fn check_empty() {
        ARENA.with_borrow(|arena| {
            assert_eq!((arena.nodes.len(), arena.scopes.len()), (0, 0));
            assert!(arena.nodes.capacity() <= KEPT_NODES, "room for {} nodes", arena.nodes.capacity());
        });
    }

    fn use_it(session: &Session) {
        let many = session.values(0..50_000_i32);
        check_empty();
        let query = many.filter(|n| n.gt(3)).select(|n| (n, n * 2)).order_by(|row| row.1.desc()).take(2);
        check_empty();
        let within = many.filter(|n| session.values([1_i32, 2]).any(|m| m.eq(n)));
        check_empty();
        assert_eq!(query.collect().map(|rows| rows.len()), Ok(2));
        assert_eq!(within.collect(), Ok(vec![1, 2]));
        let panics: [&dyn Fn(); 3] = [
            &|| drop(many.select(|n| -> Expr<i32> { panic!("{:?}", n + 1) })),
            &|| drop(many.filter(|n| session.values([1_i32]).any(|m| -> Expr<bool> { panic!("{:?}", m.eq(n)) }))),
            &|| drop(session.values((0..5_000).map(|n| if n < 4_000 { n } else { panic!("in a list") }))),
        ];
        for panic in panics {
            assert!(catch_unwind(AssertUnwindSafe(panic)).is_err());
            check_empty();
        }
    }

    #[test]
    fn nothing_is_left() {
        let engine = Engine::builder().threads(2).build().expect("an engine");
        use_it(&engine.session());
        check_empty();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| use_it(&engine.session()));
            }
        });
    }
}
