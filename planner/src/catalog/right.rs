//! Rights on tables, schemas and functions, in PostgreSQL's words and letters.

/// A right on a table, a schema or a function. Lists of rights are kept by these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum Right {
    Insert,
    Select,
    Update,
    Delete,
    Truncate,
    References,
    Trigger,
    Usage,
    Create,
    Execute,
}

impl Right {
    /// Those on a table or view.
    pub const OF_TABLES: [Right; 7] = [
        Right::Insert,
        Right::Select,
        Right::Update,
        Right::Delete,
        Right::Truncate,
        Right::References,
        Right::Trigger,
    ];

    /// Those on a sequence.
    pub const OF_SEQUENCES: [Right; 3] = [Right::Select, Right::Update, Right::Usage];

    /// Those on a schema.
    pub const OF_SCHEMAS: [Right; 2] = [Right::Usage, Right::Create];

    /// Those on a function.
    pub const OF_ROUTINES: [Right; 1] = [Right::Execute];

    /// All, in the order in which PostgreSQL shows them.
    pub fn all() -> impl Iterator<Item = Right> {
        Self::OF_TABLES.into_iter().chain(Self::OF_ROUTINES).chain(Self::OF_SCHEMAS)
    }

    /// The right of a word, whatever its case.
    pub fn named(word: &str) -> Option<Self> {
        Self::all().find(|right| right.name().eq_ignore_ascii_case(word))
    }

    /// In SQL.
    pub fn name(self) -> &'static str {
        match self {
            Right::Insert => "INSERT",
            Right::Select => "SELECT",
            Right::Update => "UPDATE",
            Right::Delete => "DELETE",
            Right::Truncate => "TRUNCATE",
            Right::References => "REFERENCES",
            Right::Trigger => "TRIGGER",
            Right::Usage => "USAGE",
            Right::Create => "CREATE",
            Right::Execute => "EXECUTE",
        }
    }

    /// The letter that lists of rights have for it.
    pub fn letter(self) -> char {
        match self {
            Right::Insert => 'a',
            Right::Select => 'r',
            Right::Update => 'w',
            Right::Delete => 'd',
            Right::Truncate => 'D',
            Right::References => 'x',
            Right::Trigger => 't',
            Right::Usage => 'U',
            Right::Create => 'C',
            Right::Execute => 'X',
        }
    }
}
