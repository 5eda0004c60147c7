//! The grammar of what looks after tables: VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT, BACKUP and LOCK.

use super::Definition;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::sql::session::Words;
use sqlparser::tokenizer::Token;

/// A statement that looks after tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maintenance {
    /// VACUUM.
    Vacuum {
        /// Of what, with columns; none are all tables.
        tables: Vec<(TableName, Vec<String>)>,
        /// ANALYZE as well.
        analyze: bool,
    },
    /// ANALYZE.
    Analyze {
        /// Of what, with columns; none are all tables.
        tables: Vec<(TableName, Vec<String>)>,
    },
    /// CLUSTER.
    Cluster {
        /// The table and the index; none is what has been clustered.
        table: Option<(TableName, Option<String>)>,
    },
    /// REINDEX.
    Reindex {
        /// What is named.
        what: Reindexed,
        /// Its name, if there is one.
        name: Option<TableName>,
    },
    /// CHECKPOINT.
    Checkpoint,
    /// BACKUP TO.
    Backup {
        /// The folder.
        folder: String,
    },
}

/// What REINDEX names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum Reindexed {
    Index,
    Table,
    Schema,
    Database,
}

/// LOCK TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockTable {
    /// The tables.
    pub names: Vec<TableName>,
    /// How.
    pub mode: LockMode,
    /// NOWAIT.
    pub nowait: bool,
}

/// The modes of LOCK TABLE, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum LockMode {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

/// The words with which these begin.
pub(super) const VERBS: [&str; 8] =
    ["vacuum", "analyze", "analyse", "cluster", "reindex", "checkpoint", "lock", "backup"];

impl Words<'_> {
    /// One of these statements.
    pub(super) fn maintenance(&mut self) -> Result<Definition> {
        let verb = self.name()?;
        if verb == "lock" {
            return self.lock_table().map(Definition::Lock);
        }
        Ok(Definition::Maintain(match verb.as_str() {
            "vacuum" => self.vacuum()?,
            "analyze" | "analyse" => {
                if self.peeks_token(&Token::LParen) {
                    self.maintenance_options("ANALYZE", &["verbose", "skip_locked"])?;
                } else {
                    let _ = self.takes("verbose");
                }
                Maintenance::Analyze { tables: self.maintained()? }
            }
            "cluster" => self.cluster()?,
            "reindex" => self.reindex()?,
            "backup" => {
                self.needs("to")?;
                Maintenance::Backup { folder: self.string()? }
            }
            _ => Maintenance::Checkpoint,
        }))
    }

    fn vacuum(&mut self) -> Result<Maintenance> {
        const OPTIONS: [&str; 10] = [
            "full",
            "freeze",
            "verbose",
            "analyze",
            "analyse",
            "disable_page_skipping",
            "skip_locked",
            "index_cleanup",
            "process_toast",
            "truncate",
        ];
        let mut analyze = false;
        if self.peeks_token(&Token::LParen) {
            let given = self.maintenance_options("VACUUM", &[&OPTIONS[..], &["parallel"]].concat())?;
            analyze = given.iter().any(|(name, on)| (name == "analyze" || name == "analyse") && *on);
        } else {
            for word in ["full", "freeze", "verbose"] {
                let _ = self.takes(word);
            }
            analyze |= self.takes("analyze") || self.takes("analyse");
        }
        let position = self.position();
        let tables = self.maintained()?;
        if !analyze && tables.iter().any(|(_, columns)| !columns.is_empty()) {
            let message = "ANALYZE option must be specified when a column list is provided";
            return Err(Error::new(ErrorKind::Unsupported, message).at(position));
        }
        Ok(Maintenance::Vacuum { tables, analyze })
    }

    /// Options in parentheses, each with whether it is on.
    fn maintenance_options(&mut self, verb: &str, known: &[&str]) -> Result<Vec<(String, bool)>> {
        self.needs_token(&Token::LParen)?;
        let mut options = Vec::new();
        loop {
            let position = self.position();
            let name = self.name()?;
            if !known.contains(&name.as_str()) {
                let message = format!("unrecognized {verb} option \"{name}\"");
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            }
            let ends = self.peeks_token(&Token::Comma) || self.peeks_token(&Token::RParen);
            let value = if ends { "on".to_owned() } else { self.value()? };
            options.push((name, !matches!(value.as_str(), "off" | "false" | "0" | "no")));
            if !self.takes_token(&Token::Comma) {
                break;
            }
        }
        self.needs_token(&Token::RParen)?;
        Ok(options)
    }

    /// Tables with columns, up to the end.
    fn maintained(&mut self) -> Result<Vec<(TableName, Vec<String>)>> {
        let mut tables = Vec::new();
        while self.at < self.tokens.len() {
            if !tables.is_empty() {
                self.needs_token(&Token::Comma)?;
            }
            let name = self.qualified()?;
            let mut columns = Vec::new();
            if self.takes_token(&Token::LParen) {
                loop {
                    columns.push(self.name()?);
                    if !self.takes_token(&Token::Comma) {
                        break;
                    }
                }
                self.needs_token(&Token::RParen)?;
            }
            tables.push((name, columns));
        }
        Ok(tables)
    }

    fn cluster(&mut self) -> Result<Maintenance> {
        if self.peeks_token(&Token::LParen) {
            self.maintenance_options("CLUSTER", &["verbose"])?;
        } else {
            let _ = self.takes("verbose");
        }
        if self.at == self.tokens.len() {
            return Ok(Maintenance::Cluster { table: None });
        }
        let name = self.qualified()?;
        if self.takes("on") {
            // As it was written once: the index comes first.
            let table = self.qualified()?;
            return Ok(Maintenance::Cluster { table: Some((table, Some(name.name))) });
        }
        let index = if self.takes("using") { Some(self.name()?) } else { None };
        Ok(Maintenance::Cluster { table: Some((name, index)) })
    }

    fn reindex(&mut self) -> Result<Maintenance> {
        if self.peeks_token(&Token::LParen) {
            self.maintenance_options("REINDEX", &["verbose", "concurrently", "tablespace"])?;
        }
        let kinds = [
            ("index", Reindexed::Index),
            ("table", Reindexed::Table),
            ("schema", Reindexed::Schema),
            ("database", Reindexed::Database),
            ("system", Reindexed::Database),
        ];
        let found = kinds.into_iter().find(|(word, _)| self.takes(word));
        let (_, what) = found.ok_or_else(|| self.unexpected())?;
        let _ = self.takes("concurrently");
        let is_named = self.at < self.tokens.len() || what != Reindexed::Database;
        let name = if is_named { Some(self.qualified()?) } else { None };
        Ok(Maintenance::Reindex { what, name })
    }

    fn lock_table(&mut self) -> Result<LockTable> {
        let _ = self.takes("table");
        let mut names = Vec::new();
        loop {
            let _ = self.takes("only");
            names.push(self.qualified()?);
            let _ = self.takes_token(&Token::Mul);
            if !self.takes_token(&Token::Comma) {
                break;
            }
        }
        let mut mode = LockMode::AccessExclusive;
        if self.takes("in") {
            mode = self.lock_mode()?;
            self.needs("mode")?;
        }
        Ok(LockTable { names, mode, nowait: self.takes("nowait") })
    }

    fn lock_mode(&mut self) -> Result<LockMode> {
        let modes: [(&[&str], LockMode); 8] = [
            (&["access", "share"], LockMode::AccessShare),
            (&["access", "exclusive"], LockMode::AccessExclusive),
            (&["row", "share"], LockMode::RowShare),
            (&["row", "exclusive"], LockMode::RowExclusive),
            (&["share", "update", "exclusive"], LockMode::ShareUpdateExclusive),
            (&["share", "row", "exclusive"], LockMode::ShareRowExclusive),
            (&["share"], LockMode::Share),
            (&["exclusive"], LockMode::Exclusive),
        ];
        for (words, mode) in modes {
            if words.iter().enumerate().all(|(ahead, word)| self.peeks_at(ahead, word)) {
                self.at += words.len();
                return Ok(mode);
            }
        }
        Err(self.unexpected())
    }
}
