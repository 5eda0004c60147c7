//! Queries of WITH that change rows. The statement falls into parts, each a query of its own over the same snapshot of the database; what
//! RETURNING of a part gives is a table that the parts behind it, and the statement itself, read by its handle.
//!
//! 1. A query of WITH that changes rows is a part. So is one that would give other rows each time it is computed, since several parts
//!    may read it; any other is bound anew in each part that has it in sight.
//! 2. Parts are bound in the order in which they stand in sight of each other; each notes which others it reads.
//! 3. The engine runs the parts that the statement reads before it, and all others behind it, the last first: as PostgreSQL does, which
//!    tells by that which of two changes of one row takes place.

use super::{Change, Changing, changing};
use crate::catalog::{TableHandle, TableInfo};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::Query;
use crate::relation::builder::{Builder, FromItem, is_volatile, rename_columns};
use crate::sql::Statement;
use crate::sql::binder::Binder;
use crate::sql::cte::{CteInSight, CteMeaning};
use crate::sql::query::Unknown;
use crate::sql::recursive::of_query;
use crate::types::Field;
use sqlparser::ast;
use sqlparser::tokenizer::Span;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A statement with a WITH that changes rows.
#[derive(Clone, Debug)]
pub struct ChangingWith {
    /// The queries of WITH that are parts of their own, each behind those that it reads.
    pub parts: Vec<Part>,
    /// The statement behind WITH, which has no handle.
    pub main: Work,
    /// The parts that it reads, by their places.
    pub reads: Vec<usize>,
}

/// A query of WITH.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it does.
    pub work: Work,
    /// The parts that it reads, by their places.
    pub reads: Vec<usize>,
    /// What the rows are known by that it gives, if it gives some.
    pub handle: Option<TableHandle>,
}

/// What a part of a statement does.
#[derive(Clone, Debug)]
pub enum Work {
    /// It asks for rows.
    Query(Query),
    /// It changes rows.
    Change(Box<Change>),
}

impl Work {
    /// Its query.
    pub fn query(&self) -> &Query {
        match self {
            Work::Query(query) => query,
            Work::Change(change) => &change.query,
        }
    }

    /// Names and types of the columns that it gives, if it gives rows.
    pub fn returned_fields(&self) -> Option<Vec<Field>> {
        match self {
            Work::Query(query) => Some(query.fields()),
            Work::Change(change) => change.returned_fields(),
        }
    }
}

/// What a statement knows of the parts in front of it.
#[derive(Clone, Debug, Default)]
pub(in crate::sql) struct PartsInSight {
    known: Rc<RefCell<Vec<(Span, PartInSight)>>>,
    /// Those that it has read.
    read: Rc<RefCell<Vec<usize>>>,
}

/// A part that a FROM may name.
#[derive(Clone, Debug)]
pub(in crate::sql) struct PartInSight {
    place: usize,
    /// Its rows; none of a change without RETURNING.
    rows: Option<Arc<TableInfo>>,
}

/// The statement behind a WITH that changes rows.
pub(in crate::sql) enum Main<'s> {
    Query(&'s ast::Query),
    Change(Changing<'s>),
}

/// The WITH of a statement, if one of its queries changes rows, and the statement.
pub(in crate::sql) fn changing_with(statement: &ast::Statement) -> Option<(&ast::With, Main<'_>)> {
    let ast::Statement::Query(query) = statement else { return None };
    let with = query.with.as_ref()?;
    if !with.cte_tables.iter().any(|cte| is_change(&cte.query)) {
        return None;
    }
    let main = match changing(statement) {
        Some(change) => Main::Change(change),
        None => Main::Query(query),
    };
    Some((with, main))
}

fn is_change(query: &ast::Query) -> bool {
    let body = &*query.body;
    matches!(body, ast::SetExpr::Insert(_) | ast::SetExpr::Update(_) | ast::SetExpr::Delete(_) | ast::SetExpr::Merge(_))
}

impl<'a> Binder<'_, 'a> {
    /// Binds a part of the statement that is a query of its own, with the same parameters.
    pub(super) fn apart<T>(&mut self, bind: impl FnOnce(Binder<'_, 'a>) -> Result<T>) -> Result<T> {
        let mut builder = self.builder.apart();
        let mut binder = Binder::without_text(&mut builder);
        binder.text.clone_from(&self.text);
        binder.parts.clone_from(&self.parts);
        binder.through.clone_from(&self.through);
        binder.kept_target.clone_from(&self.kept_target);
        let bound = bind(binder)?;
        self.builder.parameters.clone_from(&builder.parameters);
        self.builder.note_all(builder.take_notes());
        Ok(bound)
    }

    /// Binds the definitions of several WITHs, of which the later ones see the earlier ones.
    pub(in crate::sql) fn bind_withs(
        &mut self,
        withs: &[&ast::With],
    ) -> Result<Vec<crate::relation::builder::Definition>> {
        let mut definitions = Vec::new();
        for with in withs {
            definitions.extend(self.bind_with(Some(with), None)?);
        }
        Ok(definitions)
    }

    /// How a statement that changes rows is bound; none of any other.
    #[allow(clippy::type_complexity, reason = "it is called at once")]
    pub(in crate::sql) fn changed_by<'s>(
        &self,
        statement: &'s ast::Statement,
    ) -> Option<Box<dyn FnOnce(Self) -> Result<Statement> + 's>> {
        if let Some((with, main)) = changing_with(statement) {
            return Some(Box::new(|binder| binder.change_with(with, main)));
        }
        changing(statement).map(|change| -> Box<dyn FnOnce(Self) -> Result<Statement>> {
            Box::new(|binder: Self| binder.change(change))
        })
    }

    /// A statement with a WITH that changes rows.
    pub(in crate::sql) fn change_with(mut self, with: &ast::With, main: Main<'_>) -> Result<Statement> {
        self.parts = Some(PartsInSight::default());
        let parts = self.parts_of(with)?;
        let read = Rc::default();
        if let Some(in_sight) = &mut self.parts {
            in_sight.read = Rc::clone(&read);
        }
        let main = match main {
            Main::Change(change) => match self.change(change)? {
                Statement::Change(change) => Work::Change(change),
                _ => return Err(Error::internal("a change was bound as another statement")),
            },
            Main::Query(query) if !query.locks.is_empty() => {
                let what = "FOR UPDATE behind a WITH that changes rows is";
                return Err(Error::unsupported(what).at(self.query_start(query)));
            }
            Main::Query(query) => Work::Query(self.whole_query(query)?),
        };
        let reads = read.take();
        Ok(Statement::ChangingWith(Box::new(ChangingWith { parts, main, reads })))
    }

    /// The queries of a WITH that are parts of their own.
    fn parts_of(&mut self, with: &ast::With) -> Result<Vec<Part>> {
        let ctes = &with.cte_tables;
        self.check_names(ctes)?;
        let ordered = match with.recursive {
            true => self.apart(|mut binder| Ok(binder.recursive_order(ctes)))?,
            false => ctes.iter().map(|cte| (cte, false)).collect(),
        };
        let mut before = ast::With { cte_tables: Vec::with_capacity(ctes.len()), ..with.clone() };
        before.cte_tables.clear();
        let mut parts = Vec::new();
        for (cte, names_itself) in ordered {
            if let Some(part) = self.bind_part(cte, names_itself, (&before, parts.len()))? {
                parts.push(part);
            }
            before.cte_tables.push(cte.clone());
        }
        Ok(parts)
    }

    /// A query of WITH, behind others, as a part; none if it need not be one.
    fn bind_part(
        &mut self,
        cte: &ast::Cte,
        names_itself: bool,
        (before, place): (&ast::With, usize),
    ) -> Result<Option<Part>> {
        let (name, span) = (Self::fold(&cte.alias.name), cte.alias.name.span);
        let position = self.position(span);
        let changes = is_change(&cte.query);
        if !changes && (names_itself || cte.from.is_some()) {
            return Ok(None);
        }
        let read = Rc::default();
        if let Some(in_sight) = &mut self.parts {
            in_sight.read = Rc::clone(&read);
        }
        let work = match changes {
            true => Some(self.apart(|mut binder| {
                if names_itself {
                    let message = format!("recursive query \"{name}\" must not contain data-modifying statements");
                    let error = Error::new(ErrorKind::InvalidRecursion, message);
                    let (name, stands) = (name.clone(), CteMeaning::Refused(error));
                    binder.ctes.push(CteInSight { name, stands, tree: None });
                }
                binder.changing_part(&cte.query, before)
            })?),
            false => self.apart(|binder| binder.volatile_part(&cte.query, before))?,
        };
        let Some(work) = work else { return Ok(None) };
        let rows = match self.returned_by(&work) {
            Some(mut fields) => {
                let renamed = fields.iter_mut().map(|field| &mut field.name);
                let aliases = self.alias_columns(&cte.alias)?;
                rename_columns(&name, &aliases, renamed).map_err(|error| of_query(error).at(position))?;
                let table = self.builder.catalog.awaited(&name, fields)?;
                let unsupported = || Error::unsupported("a WITH that changes rows is").at(position);
                Some(table.ok_or_else(unsupported)?)
            }
            None => None,
        };
        let handle = rows.as_ref().map(|rows| rows.handle);
        if let Some(in_sight) = &self.parts {
            in_sight.known.borrow_mut().push((span, PartInSight { place, rows }));
        }
        Ok(Some(Part { work, reads: read.take(), handle }))
    }

    /// The columns that a part gives, as others see them.
    fn returned_by(&self, work: &Work) -> Option<Vec<Field>> {
        let count = match work {
            Work::Query(query) => query.output.len(),
            Work::Change(change) => change.returning?,
        };
        let mut fields = work.query().declared_fields();
        let fields = fields.split_off(fields.len().saturating_sub(count));
        Some(fields.into_iter().map(|field| Field { nullable: true, ..field }).collect())
    }

    /// A query of WITH that changes rows.
    fn changing_part(self, query: &ast::Query, before: &ast::With) -> Result<Work> {
        let (ast::SetExpr::Insert(statement)
        | ast::SetExpr::Update(statement)
        | ast::SetExpr::Delete(statement)
        | ast::SetExpr::Merge(statement)) = &*query.body
        else {
            return Err(Error::internal("a query was bound as one that changes rows"));
        };
        let withs = std::iter::once(before).chain(&query.with).collect();
        match self.change(Changing { withs, statement })? {
            Statement::Change(change) => {
                Builder::check_depth(&change.query)?;
                Ok(Work::Change(change))
            }
            _ => Err(Error::internal("a change was bound as another statement")),
        }
    }

    /// A query of WITH, if it would give other rows each time.
    fn volatile_part(mut self, query: &ast::Query, before: &ast::With) -> Result<Option<Work>> {
        let definitions = self.bind_with(Some(before), None)?;
        let (relation, output) = self.bind_query(query, None, Unknown::AsText)?;
        if !is_volatile(&relation) {
            return Ok(None);
        }
        let relation = self.builder.attach(definitions, relation);
        let query = self.into_query((relation, output));
        Builder::check_depth(&query)?;
        Ok(Some(Work::Query(query)))
    }

    /// What a query of WITH stands for, if it is a part of its own.
    ///
    /// # Errors
    /// 0A000 for one that changes rows elsewhere than in the statement's own WITH.
    pub(in crate::sql) fn part_in_sight(&self, cte: &ast::Cte) -> Result<Option<CteMeaning>> {
        let span = cte.alias.name.span;
        if let Some(in_sight) = &self.parts
            && let Some((_, part)) = in_sight.known.borrow().iter().find(|(of, _)| *of == span)
        {
            return Ok(Some(CteMeaning::Part(Box::new(part.clone()))));
        }
        if is_change(&cte.query) {
            let message = "WITH clause containing a data-modifying statement must be at the top level";
            return Err(Error::new(ErrorKind::Unsupported, message).at(self.position(span)));
        }
        Ok(None)
    }

    /// The rows of a part.
    pub(in crate::sql) fn scan_part(
        &mut self,
        part: &PartInSight,
        name: &str,
        position: Option<Position>,
    ) -> Result<FromItem> {
        let Some(rows) = &part.rows else {
            let message = format!("WITH query \"{name}\" does not have a RETURNING clause");
            return Err(Error::new(ErrorKind::Unsupported, message).at(position));
        };
        if let Some(in_sight) = &self.parts {
            let mut read = in_sight.read.borrow_mut();
            if !read.contains(&part.place) {
                read.push(part.place);
            }
        }
        Ok(self.builder.scan(Arc::clone(rows), name.to_owned()))
    }
}
