//! Statements about roles: who may enter, and what they may do.

/// A statement about roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleStatement {
    /// CREATE ROLE, USER, GROUP.
    Create {
        /// Its name.
        name: String,
        /// What is said of it.
        options: RoleOptions,
        /// IN ROLE: those whose rights it gets.
        groups: Vec<String>,
    },
    /// ALTER ROLE, USER, GROUP.
    Alter {
        /// Its name.
        name: String,
        /// What is said of it.
        options: RoleOptions,
    },
    /// DROP ROLE, USER, GROUP.
    Drop {
        /// Their names.
        names: Vec<String>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// GRANT roles TO roles.
    Grant {
        /// Those whose rights are given.
        groups: Vec<String>,
        /// Those who get them.
        names: Vec<String>,
    },
    /// REVOKE roles FROM roles.
    Revoke {
        /// Those whose rights are taken.
        groups: Vec<String>,
        /// Those who lose them.
        names: Vec<String>,
    },
}

/// What is said of a role; nothing of what is not said.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RoleOptions {
    /// LOGIN: it may enter. CREATE USER says so, too.
    pub login: Option<bool>,
    /// SUPERUSER: it may do all.
    pub superuser: Option<bool>,
    /// PASSWORD: as written, or what it is checked by; none for NULL.
    pub password: Option<Option<String>>,
}

/// A password is nobody's business who reads what a statement was.
impl std::fmt::Debug for RoleOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("RoleOptions");
        shown.field("login", &self.login).field("superuser", &self.superuser);
        shown.field("password", &self.password.as_ref().map(|given| given.as_ref().map(|_| "********")));
        shown.finish()
    }
}

impl RoleStatement {
    /// Whether its text has a password, which no log and no list of what runs may show.
    pub fn has_password(&self) -> bool {
        match self {
            RoleStatement::Create { options, .. } | RoleStatement::Alter { options, .. } => options.password.is_some(),
            _ => false,
        }
    }

    /// The tag of what was done.
    pub fn tag(&self) -> &'static str {
        match self {
            RoleStatement::Create { .. } => "CREATE ROLE",
            RoleStatement::Alter { .. } => "ALTER ROLE",
            RoleStatement::Drop { .. } => "DROP ROLE",
            RoleStatement::Grant { .. } => "GRANT ROLE",
            RoleStatement::Revoke { .. } => "REVOKE ROLE",
        }
    }
}
