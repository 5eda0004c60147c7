//! `SELECT … FOR UPDATE` and its kin: the numbers of the rows that a query gives, behind its columns, so that who runs it can take them.
//!
//! 1. sqlparser reads UPDATE and SHARE, and one table behind OF. The others are put into the name behind OF: its first part is the
//!    strength, its second the table, of which nothing is all ([`respell`]).
//! 2. Each table of FROM that a clause means is read with the numbers of its rows, which are a column that no text can name; the select
//!    list gets them as its last items.
//! 3. A subquery may have such a clause where the statement changes rows of the same table: what it changes it takes anyway. SKIP LOCKED
//!    leaves out the rows that others have, wherever it stands.

use super::binder::Binder;
use super::keyword::is_keyword;
use super::{Locked, Locking, Statement};
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{FromItem, ROW_NUMBER};
use crate::types::Field;
use sqlparser::ast::{self, Spanned};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// How rows are taken, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum Strength {
    KeyShare,
    Share,
    NoKeyUpdate,
    Update,
}

impl Strength {
    const ALL: [Strength; 4] = [Strength::KeyShare, Strength::Share, Strength::NoKeyUpdate, Strength::Update];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Strength::KeyShare => "FOR KEY SHARE",
            Strength::Share => "FOR SHARE",
            Strength::NoKeyUpdate => "FOR NO KEY UPDATE",
            Strength::Update => "FOR UPDATE",
        }
    }
}

/// What is done about rows that others have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are SQL's own words")]
pub enum Wait {
    Block,
    SkipLocked,
    NoWait,
}

/// The clauses of a SELECT whose FROM is being bound.
#[derive(Clone, Debug)]
pub(super) struct Clauses(Vec<Clause>);

#[derive(Clone, Debug)]
struct Clause {
    strength: Strength,
    wait: Wait,
    /// OF; none are all.
    table: Option<String>,
}

impl Clauses {
    fn of(locks: &[ast::LockClause]) -> Result<Self> {
        let clause = |lock: &ast::LockClause| {
            let parts: Vec<&ast::Ident> =
                lock.of.iter().flat_map(|of| &of.0).filter_map(ast::ObjectNamePart::as_ident).collect();
            let [strength, table] = parts[..] else { return Err(Error::internal("a lock has no strength")) };
            let strength = Strength::ALL.into_iter().find(|known| known.name() == strength.value);
            Ok(Clause {
                strength: strength.ok_or_else(|| Error::internal("a lock has no strength"))?,
                wait: match lock.nonblock {
                    None => Wait::Block,
                    Some(ast::NonBlock::Nowait) => Wait::NoWait,
                    Some(ast::NonBlock::SkipLocked) => Wait::SkipLocked,
                },
                table: (!table.value.is_empty()).then(|| table.value.clone()),
            })
        };
        locks.iter().map(clause).collect::<Result<_>>().map(Clauses)
    }

    /// What they say of a table, by the name that it has in FROM.
    fn about(&self, table: &str) -> Option<(Strength, Wait)> {
        let about = self.0.iter().filter(|clause| clause.table.as_deref().is_none_or(|of| of == table));
        about.map(|clause| (clause.strength, clause.wait)).reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
    }

    fn shown(&self) -> &'static str {
        self.0.first().map_or("FOR UPDATE", |clause| clause.strength.name())
    }
}

/// A table of FROM that is locked.
struct Target {
    alias: String,
    name: TableName,
    strength: Strength,
    wait: Wait,
}

impl Binder<'_, '_> {
    /// A query whose rows are taken.
    pub(super) fn locking_query(mut self, query: &ast::Query) -> Result<Statement> {
        let clauses = Clauses::of(&query.locks)?;
        let position = self.position(query.span());
        let targets = self.lock_targets(query, &clauses).map_err(|error| error.at(position))?;
        let mut with_numbers = query.clone();
        with_numbers.locks = Vec::new();
        if let ast::SetExpr::Select(select) = &mut *with_numbers.body {
            for target in &targets {
                let parts = [target.alias.as_str(), ROW_NUMBER].map(|part| ast::Ident::with_quote('"', part));
                let number = ast::Expr::CompoundIdentifier(parts.to_vec());
                select.projection.push(ast::SelectItem::UnnamedExpr(number));
            }
        }
        self.locks_next = Some(clauses.clone());
        let bound = self.whole_query(&with_numbers).map_err(|error| match error.kind() {
            ErrorKind::Grouping => not_allowed(&clauses, "aggregate functions").at(position),
            _ => error,
        })?;
        let named = |target: Target| Locked { table: target.name, strength: target.strength, wait: target.wait };
        let tables = targets.into_iter().map(named).collect();
        Ok(Statement::Locking(Box::new(Locking { query: bound, tables })))
    }

    /// The clauses of a query within a statement.
    pub(super) fn inner_locks(&self, query: &ast::Query) -> Result<Option<Clauses>> {
        if query.locks.is_empty() {
            return Ok(None);
        }
        let clauses = Clauses::of(&query.locks)?;
        let full = |name: &TableName| {
            let schema = name.schema.clone().or_else(|| self.builder.catalog.schema_of(name));
            TableName { schema, name: name.name.clone() }
        };
        let changed = self.changed.as_ref().map(full);
        for target in self.lock_targets(query, &clauses)? {
            if changed.as_ref() != Some(&full(&target.name)) {
                let what =
                    format_args!("{} in a subquery, but for rows of the table that is changed, is", clauses.shown())
                        .to_string();
                return Err(Error::unsupported(what));
            }
        }
        Ok(Some(clauses))
    }

    /// The tables of a query's FROM that clauses mean.
    fn lock_targets(&self, query: &ast::Query, clauses: &Clauses) -> Result<Vec<Target>> {
        let select = match &*query.body {
            ast::SetExpr::Select(select) => select,
            ast::SetExpr::Values(_) => {
                let message = format!("{} cannot be applied to VALUES", clauses.shown());
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
            _ => return Err(not_allowed(clauses, "UNION/INTERSECT/EXCEPT")),
        };
        let is_grouped =
            !matches!(&select.group_by, ast::GroupByExpr::Expressions(by, more) if by.is_empty() && more.is_empty());
        if select.distinct.is_some() {
            return Err(not_allowed(clauses, "DISTINCT clause"));
        } else if is_grouped {
            return Err(not_allowed(clauses, "GROUP BY clause"));
        } else if select.having.is_some() {
            return Err(not_allowed(clauses, "HAVING clause"));
        } else if !select.named_window.is_empty() || has_over(&select.projection) {
            return Err(not_allowed(clauses, "window functions"));
        }
        let mut targets = Vec::new();
        for item in &select.from {
            self.targets_of(item, (clauses, query.with.as_ref()), &mut targets)?;
        }
        for of in clauses.0.iter().filter_map(|clause| clause.table.as_ref()) {
            if !targets.iter().any(|target| target.alias == *of) {
                let message = format!("relation \"{of}\" in {} clause not found in FROM clause", clauses.shown());
                return Err(Error::new(ErrorKind::UnknownTable, message));
            }
        }
        Ok(targets)
    }

    fn targets_of(
        &self,
        item: &ast::TableWithJoins,
        (clauses, with): (&Clauses, Option<&ast::With>),
        targets: &mut Vec<Target>,
    ) -> Result<()> {
        let factors = std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation));
        for (at, factor) in factors.enumerate() {
            let before = targets.len();
            match factor {
                ast::TableFactor::Table { name, alias, args: None, .. } => {
                    let (schema, ident) = self.split_name(name)?;
                    let own = with.iter().flat_map(|with| &with.cte_tables);
                    let is_own = own.map(|cte| Self::fold(&cte.alias.name)).any(|name| name == Self::fold(ident));
                    let is_cte = is_own || self.is_cte(&Self::fold(ident));
                    if ident.quote_style == Some('\'') || schema.is_none() && is_cte {
                        continue;
                    }
                    let name = TableName { schema, name: Self::fold(ident) };
                    let alias = alias.as_ref().map_or_else(|| name.name.clone(), |alias| Self::fold(&alias.name));
                    if let Some((strength, wait)) = clauses.about(&alias) {
                        targets.push(Target { alias, name, strength, wait });
                    }
                }
                ast::TableFactor::NestedJoin { table_with_joins, alias: None } => {
                    self.targets_of(table_with_joins, (clauses, with), targets)?;
                }
                ast::TableFactor::Derived { alias, .. } => {
                    let alias = alias.as_ref().map(|alias| Self::fold(&alias.name)).unwrap_or_default();
                    if clauses.about(&alias).is_some() {
                        return Err(Error::unsupported(format_args!("{} of a subquery in FROM is", clauses.shown())));
                    }
                }
                _ => {}
            }
            if targets.len() > before && super::join::missing(&item.joins, at) {
                let message = format!("{} cannot be applied to the nullable side of an outer join", clauses.shown());
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
        }
        Ok(())
    }

    /// A table of FROM with the numbers of its rows, if a clause means it.
    pub(super) fn locked_table(
        &mut self,
        name: &ast::ObjectName,
        alias: Option<&ast::TableAlias>,
    ) -> Result<Option<FromItem>> {
        let Some(clauses) = &self.locking else { return Ok(None) };
        let (schema, ident) = self.split_name(name)?;
        if ident.quote_style == Some('\'') || schema.is_none() && self.is_cte(&Self::fold(ident)) {
            return Ok(None);
        }
        let named = TableName { schema, name: Self::fold(ident) };
        let called = alias.map_or_else(|| named.name.clone(), |alias| Self::fold(&alias.name));
        let (Some((_, wait)), shown) = (clauses.about(&called), clauses.shown()) else { return Ok(None) };
        let position = self.position(name.span());
        let found = self.builder.table_to_lock(&named, (wait == Wait::SkipLocked, shown), position)?;
        found.map_or_else(|| Err(self.unknown_table(&named).at(position)), |item| Ok(Some(item)))
    }

    fn is_cte(&self, name: &str) -> bool {
        self.ctes.iter().any(|cte| cte.name == name)
    }
}

fn not_allowed(clauses: &Clauses, with: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{} is not allowed with {with}", clauses.shown()))
}

/// Whether a window function stands in a select list.
fn has_over(items: &[ast::SelectItem]) -> bool {
    use sqlparser::dialect::PostgreSqlDialect;
    use sqlparser::tokenizer::Tokenizer;
    items.iter().any(|item| {
        let text = item.to_string();
        let tokens = Tokenizer::new(&PostgreSqlDialect {}, &text).tokenize().unwrap_or_default();
        tokens.iter().any(|token| is_keyword(token, "over"))
    })
}

impl Locking {
    /// The columns of its result.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = self.query.fields();
        fields.truncate(fields.len() - self.tables.len());
        // Outer joins are not among what says whether a column may be NULL.
        fields.iter_mut().for_each(|field| field.nullable = true);
        fields
    }
}

/// The words behind FOR.
const FORMS: [(&[&str], Strength); 4] = [
    (&["update"], Strength::Update),
    (&["no", "key", "update"], Strength::NoKeyUpdate),
    (&["share"], Strength::Share),
    (&["key", "share"], Strength::KeyShare),
];

/// The same tokens, with clauses that sqlparser reads.
pub(super) fn respell(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|&at| !matches!(tokens[at].token, Token::Whitespace(_) | Token::EOF)).collect();
    let is = |at: usize, word: &str| solid.get(at).is_some_and(|&at| is_keyword(&tokens[at].token, word));
    let clause = |at: usize| -> Option<(Strength, usize)> {
        let begins = |(words, _): &(&[&str], Strength)| {
            is(at, "for") && words.iter().enumerate().all(|(ahead, word)| is(at + 1 + ahead, word))
        };
        let found = FORMS.into_iter().find(begins);
        found.map(|(words, strength)| (strength, at + 1 + words.len()))
    };
    if !(0..solid.len()).any(|at| clause(at).is_some()) {
        return tokens;
    }
    let (mut made, mut copied, mut at) = (Vec::with_capacity(tokens.len() + 8), 0, 0);
    while at < solid.len() {
        let Some((strength, mut next)) = clause(at) else {
            at += 1;
            continue;
        };
        made.extend(tokens[copied..solid[at]].iter().cloned());
        let span = tokens[solid[at]].span;
        let mut names = Vec::new();
        if is(next, "of") {
            loop {
                next += 1;
                match solid.get(next).map(|&at| &tokens[at].token) {
                    Some(Token::Word(word)) if word.quote_style.is_some() => names.push(word.value.clone()),
                    Some(Token::Word(word)) => names.push(word.value.to_ascii_lowercase()),
                    // What is no list of names is sqlparser's to refuse.
                    _ => return tokens,
                }
                next += 1;
                if solid.get(next).is_none_or(|&at| tokens[at].token != Token::Comma) {
                    break;
                }
            }
        } else {
            names.push(String::new());
        }
        let wait: &[&str] = if is(next, "nowait") {
            next += 1;
            &["NOWAIT"]
        } else if is(next, "skip") && is(next + 1, "locked") {
            next += 2;
            &["SKIP", "LOCKED"]
        } else {
            &[]
        };
        for name in names {
            let mut put = |token: Token| made.push(TokenWithSpan::new(token, span));
            put(Token::make_keyword("FOR"));
            put(Token::make_keyword(if strength >= Strength::NoKeyUpdate { "UPDATE" } else { "SHARE" }));
            put(Token::make_keyword("OF"));
            put(Token::make_word(strength.name(), Some('"')));
            put(Token::Period);
            put(Token::make_word(&name, Some('"')));
            wait.iter().for_each(|word| put(Token::make_keyword(word)));
        }
        copied = solid.get(next).copied().unwrap_or(tokens.len());
        at = next;
    }
    made.extend(tokens[copied..].iter().cloned());
    made
}
