//! The grammar of statements about roles.

use super::Words;
use crate::error::{Error, ErrorKind, Result};
use crate::sql::keyword::is_keyword;
use crate::sql::session::SessionStatement;
use crate::sql::session::role::{RoleOptions, RoleStatement};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Whether these solid tokens begin such a statement: GRANT and REVOKE of rights on objects are others.
pub(super) fn is_about_roles(tokens: &[&TokenWithSpan]) -> bool {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| is_keyword(&token.token, word));
    if ["create", "alter", "drop"].iter().any(|verb| is(0, verb)) {
        return ["role", "user", "group"].iter().any(|what| is(1, what)) && !is(2, "mapping");
    }
    (is(0, "grant") || is(0, "revoke")) && (1..tokens.len()).all(|at| !is(at, "on"))
}

impl Words<'_> {
    pub(super) fn about_roles(&mut self) -> Result<SessionStatement> {
        let verb = self.name()?;
        let statement = match verb.as_str() {
            "create" => self.create_role()?,
            "alter" => {
                self.at += 1;
                let name = self.name()?;
                let _ = self.takes("with");
                let (options, groups) = self.role_options(false)?;
                if !groups.is_empty() {
                    return Err(self.unexpected());
                }
                RoleStatement::Alter { name, options }
            }
            "drop" => {
                self.at += 1;
                let if_exists = self.takes("if");
                if if_exists {
                    self.needs("exists")?;
                }
                RoleStatement::Drop { names: self.names()?, if_exists }
            }
            "grant" => {
                let groups = self.names()?;
                self.needs("to")?;
                RoleStatement::Grant { groups, names: self.names()? }
            }
            _ => {
                let groups = self.names()?;
                self.needs("from")?;
                RoleStatement::Revoke { groups, names: self.names()? }
            }
        };
        Ok(SessionStatement::Role(statement))
    }

    fn create_role(&mut self) -> Result<RoleStatement> {
        // CREATE USER is a role that may enter.
        let is_user = self.peeks("user");
        self.at += 1;
        let name = self.name()?;
        let _ = self.takes("with");
        let (options, groups) = self.role_options(is_user)?;
        Ok(RoleStatement::Create { name, options, groups })
    }

    fn role_options(&mut self, login: bool) -> Result<(RoleOptions, Vec<String>)> {
        let mut options = RoleOptions { login: login.then_some(true), ..RoleOptions::default() };
        let mut groups = Vec::new();
        while self.at < self.tokens.len() {
            let start = self.at;
            match self.name()?.as_str() {
                "login" => options.login = Some(true),
                "nologin" => options.login = Some(false),
                "superuser" => options.superuser = Some(true),
                "nosuperuser" => options.superuser = Some(false),
                "encrypted" => {
                    self.needs("password")?;
                    options.password = Some(self.password()?);
                }
                "password" => options.password = Some(self.password()?),
                "in" => {
                    let _ = self.takes("role") || self.takes("group");
                    groups.extend(self.names()?);
                }
                // What there is not, nobody may do.
                "inherit" | "nocreatedb" | "nocreaterole" | "noreplication" | "nobypassrls" => {}
                word @ ("noinherit" | "createdb" | "createrole" | "replication" | "bypassrls" | "connection"
                | "valid" | "admin" | "user" | "role" | "sysid") => {
                    let error = Error::unsupported(format!("{} of a role is", word.to_ascii_uppercase()));
                    self.at = start;
                    let position = u32::try_from(self.offset()).ok().map(crate::error::Position);
                    return Err(error.at(position));
                }
                _ => {
                    self.at = start;
                    return Err(self.unexpected());
                }
            }
        }
        Ok((options, groups))
    }

    fn password(&mut self) -> Result<Option<String>> {
        if self.takes("null") {
            return Ok(None);
        }
        match self.tokens.get(self.at).map(|token| &token.token) {
            Some(Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text)) => {
                self.at += 1;
                Ok(Some(text.clone()))
            }
            // The message would show what stands there.
            _ => Err(Error::new(ErrorKind::Syntax, "a password is a string in quotes, or NULL")),
        }
    }

    fn names(&mut self) -> Result<Vec<String>> {
        let mut names = vec![self.name()?];
        while self.takes_token(&Token::Comma) {
            names.push(self.name()?);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use crate::sql::session::SessionStatement;
    use crate::sql::session::role::{RoleOptions, RoleStatement};
    use crate::sql::{self, Tree};

    fn read(sql: &str) -> Result<RoleStatement, &'static str> {
        let mut parsed = sql::parse(sql).map_err(|error| error.sqlstate())?;
        match parsed.pop().map(|parsed| parsed.tree) {
            Some(Tree::Session(SessionStatement::Role(statement))) => Ok(statement),
            _ => Err("another statement"),
        }
    }

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn roles_are_made_changed_and_dropped() {
        let options =
            RoleOptions { login: Some(true), superuser: Some(false), password: Some(Some("it's".to_owned())) };
        let create = RoleStatement::Create { name: "Me".to_owned(), options, groups: texts(&["a", "b"]) };
        let text = "CREATE USER \"Me\" WITH NOSUPERUSER INHERIT ENCRYPTED PASSWORD 'it''s' IN ROLE a, b";
        assert_eq!(read(text), Ok(create.clone()));
        assert!(create.has_password() && !format!("{create:?}").contains("it's"));
        let options = RoleOptions { login: Some(false), password: Some(None), ..RoleOptions::default() };
        assert_eq!(
            read("alter role me password null nologin"),
            Ok(RoleStatement::Alter { name: "me".to_owned(), options })
        );
        let drop = RoleStatement::Drop { names: texts(&["a", "b"]), if_exists: true };
        assert_eq!(read("drop user if exists a, b"), Ok(drop));
        let (groups, names) = (texts(&["pg_read_all_data"]), texts(&["me", "you"]));
        let grant = RoleStatement::Grant { groups: groups.clone(), names: names.clone() };
        assert_eq!(read("grant pg_read_all_data to me, you"), Ok(grant));
        assert_eq!(read("revoke pg_read_all_data from me, you"), Ok(RoleStatement::Revoke { groups, names }));
    }

    #[test]
    fn what_there_is_not_is_refused() {
        assert_eq!(read("create role"), Err("42601"));
        assert_eq!(read("create role a password b"), Err("42601"));
        assert_eq!(read("create role a nonsense"), Err("42601"));
        assert_eq!(read("create role a createdb"), Err("0A000"));
        assert_eq!(read("alter role a valid until 'tomorrow'"), Err("0A000"));
        assert_eq!(read("grant a"), Err("42601"));
        // Rights on objects are another statement.
        assert_ne!(read("grant select on t to a"), Err("42601"));
        assert!(read("create table user_role (a int)").is_err_and(|error| error == "another statement"));
    }
}
