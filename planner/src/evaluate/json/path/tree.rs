//! Paths of SQL/JSON as trees.

/// A path: strict or lax, and what it gives.
#[derive(Debug)]
pub(super) struct Path {
    /// Whether what does not fit is an error.
    pub(super) is_strict: bool,
    pub(super) expression: Node,
}

/// An operator of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A method without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Type,
    Size,
    Abs,
    Ceiling,
    Floor,
    Double,
    KeyValue,
}

impl Method {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Type => "type",
            Method::Size => "size",
            Method::Abs => "abs",
            Method::Ceiling => "ceiling",
            Method::Floor => "floor",
            Method::Double => "double",
            Method::KeyValue => "keyvalue",
        }
    }

    /// The method of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        const ALL: [Method; 7] =
            [Method::Type, Method::Size, Method::Abs, Method::Ceiling, Method::Floor, Method::Double, Method::KeyValue];
        ALL.into_iter().find(|method| method.name() == name)
    }
}

/// A step from a value on.
#[derive(Debug)]
pub(super) enum Step {
    /// `.key`.
    Key(String),
    /// `.*`.
    AnyKey,
    /// `[*]`.
    AnyElement,
    /// `[a, b to c]`.
    Elements(Vec<(Node, Option<Node>)>),
    /// `.**{first to last}`: levels below the value, itself at 0.
    Any(u32, u32),
    /// `?(predicate)`.
    Filter(Node),
    Method(Method),
    /// `.datetime()`, with a template or without.
    Datetime(Option<String>),
}

/// What gives values, or, of the predicates, true, false or unknown.
#[derive(Debug)]
pub(super) enum Node {
    /// `$`.
    Root,
    /// `@`.
    Current,
    /// `last`, within brackets.
    Last,
    /// `$name`.
    Variable(String),
    /// A string.
    Text(String),
    /// null, true, false or a number.
    Plain(String),
    /// Steps from what a node gives.
    Steps(Box<Node>, Vec<Step>),
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    /// `-a`, or `+a`.
    Sign(bool, Box<Node>),
    Compare(Comparison, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    IsUnknown(Box<Node>),
    Exists(Box<Node>),
    StartsWith(Box<Node>, Box<Node>),
    Like {
        value: Box<Node>,
        pattern: String,
        /// PostgreSQL's letters for its options.
        options: String,
        /// The flags that were written, in the order in which PostgreSQL shows them.
        flags: String,
    },
}

impl Node {
    /// Whether it is a predicate.
    pub(super) fn is_predicate(&self) -> bool {
        matches!(
            self,
            Node::Compare(..)
                | Node::And(..)
                | Node::Or(..)
                | Node::Not(_)
                | Node::IsUnknown(_)
                | Node::Exists(_)
                | Node::StartsWith(..)
                | Node::Like { .. }
        )
    }
}
