//! Types that only the system's tables and functions have; of most no column can be declared. Text carries each of them, and
//! what a value means is the business of the functions that take it.

/// A type of the system's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum SystemType {
    /// aclitem: who may do what, by whose leave, as `grantee=rights/grantor`.
    AclItem,
    /// `pg_node_tree`: an expression that is kept, as it would be written.
    NodeTree,
    /// anyarray: an array of whatever a column holds.
    AnyArray,
    /// inet: an address of a host.
    Inet,
    /// `pg_lsn`: a place in a log of writes.
    LogPlace,
    /// `pg_ndistinct`, `pg_dependencies` and `pg_mcv_list`: statistics of several columns.
    DistinctCounts,
    /// See [`SystemType::DistinctCounts`].
    Dependencies,
    /// See [`SystemType::DistinctCounts`].
    CommonValues,
    /// `pg_statistic`: a row of statistics.
    Statistic,
    /// void: the value, an empty text, of what is called for what it does.
    Void,
}

impl SystemType {
    /// Every one.
    pub const ALL: [SystemType; 10] = [
        SystemType::AclItem,
        SystemType::NodeTree,
        SystemType::AnyArray,
        SystemType::Inet,
        SystemType::LogPlace,
        SystemType::DistinctCounts,
        SystemType::Dependencies,
        SystemType::CommonValues,
        SystemType::Statistic,
        SystemType::Void,
    ];

    /// PostgreSQL's name of it.
    pub fn name(self) -> &'static str {
        match self {
            SystemType::AclItem => "aclitem",
            SystemType::NodeTree => "pg_node_tree",
            SystemType::AnyArray => "anyarray",
            SystemType::Inet => "inet",
            SystemType::LogPlace => "pg_lsn",
            SystemType::DistinctCounts => "pg_ndistinct",
            SystemType::Dependencies => "pg_dependencies",
            SystemType::CommonValues => "pg_mcv_list",
            SystemType::Statistic => "pg_statistic",
            SystemType::Void => "void",
        }
    }

    /// The one of a name in lower case.
    pub fn named(name: &str) -> Option<SystemType> {
        SystemType::ALL.into_iter().find(|of| of.name() == name)
    }
}
