//! GRANT and REVOKE of rights on tables, schemas and functions, over sqlparser's tokens; those of roles are another statement.

use super::{RoutineKind, RoutineName};
use crate::catalog::{Right, TableName};
use crate::error::{Error, ErrorKind, Result};
use crate::sql::session::Words;
use sqlparser::tokenizer::Token;

/// GRANT or REVOKE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// GRANT; otherwise REVOKE.
    pub gives: bool,
    /// Which rights; none is ALL that there are.
    pub rights: Option<Vec<Right>>,
    /// What they are on.
    pub on: Granted,
    /// Who gets or loses them.
    pub grantees: Vec<Grantee>,
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    pub option: bool,
    /// CASCADE: those who have them from who loses them do, too.
    pub cascade: bool,
}

/// What rights are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Granted {
    /// Tables and views.
    Tables(Vec<TableName>),
    /// ALL TABLES IN SCHEMA.
    AllTables(Vec<String>),
    /// Sequences.
    Sequences(Vec<TableName>),
    /// ALL SEQUENCES IN SCHEMA.
    AllSequences(Vec<String>),
    /// Schemas.
    Schemas(Vec<String>),
    /// Functions.
    Routines(Vec<RoutineName>),
    /// ALL FUNCTIONS IN SCHEMA.
    AllRoutines(Vec<String>, RoutineKind),
}

/// Who has rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grantee {
    /// Everybody.
    Public,
    /// Who acts.
    Current,
    /// Who has entered.
    Session,
    /// A role.
    Role(String),
}

/// Kinds of objects that PostgreSQL has rights on, and Multiloop has not.
const OTHERS: [&str; 9] =
    ["database", "domain", "foreign", "language", "large", "parameter", "tablespace", "type", "all"];

impl Grant {
    /// The tag of what was done.
    pub fn tag(&self) -> &'static str {
        if self.gives { "GRANT" } else { "REVOKE" }
    }
}

impl Words<'_> {
    pub(super) fn grant(&mut self) -> Result<Grant> {
        let gives = self.takes("grant");
        let mut option = false;
        if !gives {
            self.needs("revoke")?;
            if self.takes("grant") {
                self.needs("option")?;
                self.needs("for")?;
                option = true;
            }
        }
        let rights = self.rights()?;
        self.needs("on")?;
        let on = self.granted()?;
        check_rights(rights.as_deref().unwrap_or_default(), &on)?;
        self.needs(if gives { "to" } else { "from" })?;
        let grantees = self.listed(Self::grantee)?;
        if gives && self.takes("with") {
            self.needs("grant")?;
            self.needs("option")?;
            option = true;
        }
        if self.peeks("granted") {
            return Err(Error::unsupported("GRANTED BY is").at(self.unexpected().position()));
        }
        let cascade = !gives && self.takes("cascade");
        let _ = !gives && !cascade && self.takes("restrict");
        Ok(Grant { gives, rights, on, grantees, option, cascade })
    }

    fn listed<T>(&mut self, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.takes_token(&Token::Comma) {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn rights(&mut self) -> Result<Option<Vec<Right>>> {
        let rights = if self.takes("all") {
            let _ = self.takes("privileges");
            None
        } else {
            Some(self.listed(Self::right)?)
        };
        let next = self.unexpected();
        if self.takes_token(&Token::LParen) {
            return Err(Error::unsupported("a right on columns is").at(next.position()));
        }
        Ok(rights)
    }

    fn right(&mut self) -> Result<Right> {
        let position = self.unexpected().position();
        let word = self.name()?;
        if ["connect", "temporary", "temp", "set"].contains(&word.as_str()) {
            let what = format!("the right {} is", word.to_ascii_uppercase());
            return Err(Error::unsupported(what).at(position));
        }
        Right::named(&word).ok_or_else(|| {
            Error::new(ErrorKind::Syntax, format!("unrecognized privilege type \"{word}\"")).at(position)
        })
    }

    fn granted(&mut self) -> Result<Granted> {
        if self.takes("table") {
            return self.listed(Self::qualified).map(Granted::Tables);
        }
        if self.peeks("all") && self.peeks_at(1, "tables") {
            for word in ["all", "tables", "in", "schema"] {
                self.needs(word)?;
            }
            return self.listed(Self::name).map(Granted::AllTables);
        }
        if self.peeks("all") && self.peeks_at(1, "sequences") {
            for word in ["all", "sequences", "in", "schema"] {
                self.needs(word)?;
            }
            return self.listed(Self::name).map(Granted::AllSequences);
        }
        for (word, kind) in [
            ("functions", RoutineKind::Function),
            ("procedures", RoutineKind::Procedure),
            ("routines", RoutineKind::Routine),
        ] {
            if self.peeks("all") && self.peeks_at(1, word) {
                self.at += 2;
                self.needs("in")?;
                self.needs("schema")?;
                return Ok(Granted::AllRoutines(self.listed(Self::name)?, kind));
            }
        }
        if super::routine::is_routine_word(self) && self.has_name_at(1) {
            let kind = self.routine_kind()?;
            return self.listed(|words| words.routine_name(kind)).map(Granted::Routines);
        }
        // A table may be called by a word that is no keyword elsewhere.
        let is_kind = |words: &Self, word: &str| words.peeks(word) && words.has_name_at(1);
        if is_kind(self, "schema") {
            self.needs("schema")?;
            return self.listed(Self::name).map(Granted::Schemas);
        }
        if is_kind(self, "sequence") {
            self.needs("sequence")?;
            return self.listed(Self::qualified).map(Granted::Sequences);
        }
        if let Some(other) = OTHERS.iter().find(|other| is_kind(self, other)) {
            let position = self.unexpected().position();
            return Err(Error::unsupported(format!("a right on {} is", other.to_uppercase())).at(position));
        }
        self.listed(Self::qualified).map(Granted::Tables)
    }

    /// Whether the token so far ahead is a word that may be a name.
    fn has_name_at(&self, ahead: usize) -> bool {
        !self.peeks_at(ahead, "to") && !self.peeks_at(ahead, "from") && self.peeks_word_at(ahead)
    }

    pub(super) fn grantee(&mut self) -> Result<Grantee> {
        let _ = self.peeks("group") && self.has_name_at(1) && self.takes("group");
        for (word, grantee) in [
            ("public", Grantee::Public),
            ("current_user", Grantee::Current),
            ("current_role", Grantee::Current),
            ("session_user", Grantee::Session),
        ] {
            if self.takes(word) {
                return Ok(grantee);
            }
        }
        // `public` means everybody in quotes, too.
        Ok(match self.name()? {
            name if name == "public" => Grantee::Public,
            name => Grantee::Role(name),
        })
    }
}

/// The error (0LP01) for a right that there is not on such objects.
fn check_rights(rights: &[Right], on: &Granted) -> Result<()> {
    let (all, what): (&[Right], _) = match on {
        Granted::Schemas(_) => (&Right::OF_SCHEMAS, "schema"),
        Granted::Sequences(_) | Granted::AllSequences(_) => (&Right::OF_SEQUENCES, "sequence"),
        Granted::Routines(_) | Granted::AllRoutines(..) => (&Right::OF_ROUTINES, "function"),
        // What is called a table may be a sequence.
        Granted::Tables(_) if rights == [Right::Usage] => return Ok(()),
        _ => (&Right::OF_TABLES, "relation"),
    };
    match rights.iter().find(|right| !all.contains(right)) {
        Some(right) => {
            // Sequences, which PostgreSQL also calls relations, have it.
            let what = if *right == Right::Usage && what == "relation" { "table" } else { what };
            let message = format!("invalid privilege type {} for {what}", right.name());
            Err(Error::new(ErrorKind::InvalidGrant, message))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Grant, Granted, Grantee};
    use crate::catalog::{Right, TableName};
    use crate::sql::{self, Definition, Tree};

    fn read(sql: &str) -> Result<Grant, String> {
        let mut parsed = sql::parse(sql).map_err(|error| format!("{} {error}", error.sqlstate()))?;
        match parsed.pop().map(|parsed| parsed.tree) {
            Some(Tree::Definition(Definition::Grant(grant))) => Ok(grant),
            other => Err(format!("{other:?}")),
        }
    }

    fn role(name: &str) -> Grantee {
        Grantee::Role(name.to_owned())
    }

    #[test]
    fn rights_on_tables_and_schemas() {
        let table = |name: &str| TableName::from(name);
        let of = TableName { schema: Some("s".to_owned()), name: "U".to_owned() };
        let granted = Grant {
            gives: true,
            rights: Some(vec![Right::Select, Right::Insert]),
            on: Granted::Tables(vec![table("t"), of]),
            grantees: vec![role("a"), Grantee::Public, Grantee::Current],
            option: true,
            cascade: false,
        };
        let text = "GRANT select, INSERT ON TABLE t, s.\"U\" TO a, PUBLIC, current_user WITH GRANT OPTION";
        assert_eq!(read(text), Ok(granted));
        let revoked = Grant {
            gives: false,
            rights: None,
            on: Granted::Schemas(vec!["s".to_owned()]),
            grantees: vec![role("Me")],
            option: true,
            cascade: true,
        };
        let text = "revoke grant option for all privileges on schema s from group \"Me\" cascade";
        assert_eq!(read(text), Ok(revoked));
        let all = read("GRANT ALL ON ALL TABLES IN SCHEMA a, b TO c").map(|grant| (grant.rights, grant.on));
        assert_eq!(all, Ok((None, Granted::AllTables(vec!["a".to_owned(), "b".to_owned()]))));
        // Words that are names, too.
        for name in ["sequence", "schema", "type"] {
            let on = read(&format!("GRANT SELECT ON {name} TO a")).map(|grant| grant.on);
            assert_eq!(on, Ok(Granted::Tables(vec![table(name)])), "{name}");
        }
    }

    #[test]
    fn what_there_is_not_is_refused() {
        for (text, expected) in [
            ("GRANT SELECT ON t", "42601"),
            ("GRANT SELECT ON t FROM a", "42601"),
            ("GRANT nonsense ON t TO a", "42601 unrecognized privilege type \"nonsense\""),
            ("GRANT SELECT ON SCHEMA s TO a", "0LP01 invalid privilege type SELECT for schema"),
            ("GRANT DELETE ON SEQUENCE s TO a", "0LP01 invalid privilege type DELETE for sequence"),
            ("GRANT CREATE ON t TO a", "0LP01 invalid privilege type CREATE for relation"),
            ("GRANT SELECT (a) ON t TO a", "0A000"),
            ("GRANT EXECUTE ON t TO a", "0LP01 invalid privilege type EXECUTE for relation"),
            ("GRANT CONNECT ON DATABASE d TO a", "0A000"),
            ("GRANT SELECT ON t TO a GRANTED BY b", "0A000"),
            ("GRANT SELECT ON t TO a CASCADE", "42601"),
            ("ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO a", "0A000"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
