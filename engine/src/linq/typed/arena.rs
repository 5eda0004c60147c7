//! Where lifted values live while a closure is staged: an arena of the thread, of which a value is a number, so that it is `Copy`.
//!
//! A step of a query opens a scope, makes lifted values of its rows, calls the closure once, and takes the trees out of what the
//! closure gives. Then the scope ends and with it all values that were made within. Scopes nest: a closure may use values of the
//! closures around it, which is how queries are correlated. A stamp, unique in the thread, tells a value whose scope has ended from
//! the one that has its place now.

use crate::linq::tree::Tree;
use crate::{Error, ErrorKind};
use std::cell::RefCell;
use std::panic::Location;
use std::sync::Arc;

/// A lifted value without its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lift {
    at: u32,
    stamp: u64,
}

struct Node {
    stamp: u64,
    tree: Tree,
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
    /// The first thing that went wrong within.
    failure: Option<Error>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

/// A scope, which ends when this is dropped, also when the closure panics.
pub(super) struct Scope {
    depth: usize,
}

/// Opens a scope for a closure that sees columns of these sources.
pub(super) fn open(sources: Vec<u64>) -> Scope {
    ARENA.with_borrow_mut(|arena| {
        let start = arena.nodes.len();
        arena.scopes.push(Opened { start, sources, failure: None });
        Scope { depth: arena.scopes.len() }
    })
}

/// Whether a closure that sees columns of one of these sources runs.
pub(super) fn lends_any(sources: &[u64]) -> bool {
    ARENA.with_borrow(|arena| {
        arena.scopes.iter().any(|scope| scope.sources.iter().any(|source| sources.contains(source)))
    })
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
            arena.nodes.drain(start..).collect()
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
            return Lift { at: u32::MAX, stamp };
        }
        arena.nodes.push(Node { stamp, tree, column, name });
        Lift { at: u32::try_from(at).unwrap_or(u32::MAX), stamp }
    })
}

/// The tree of a value, and which column of the rows so far it is.
pub(super) fn tree(lift: Lift, used: &'static Location<'static>) -> (Tree, Option<u32>) {
    let found = ARENA.with_borrow(|arena| {
        let node = arena.nodes.get(lift.at as usize).filter(|node| node.stamp == lift.stamp);
        node.map(|node| (node.tree.clone(), node.column))
    });
    found.unwrap_or_else(|| {
        fail(foreign(used));
        (Tree::Null, None)
    })
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
