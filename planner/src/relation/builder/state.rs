//! The state of building one statement.

use super::expression::KnownRow;
use super::written::Forms;
use super::{Noted, Rows};
use crate::catalog::{Catalog, FoundRoutine, Literals, TableName, View};
use crate::error::{Error, ErrorKind, Position, Result};
use crate::relation::depth::is_deeper;
use crate::relation::{ColumnId, Columns, Expression, Query};
use crate::speculation::Speculation;
use crate::stack;
use crate::types::DataType;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// How deeply a statement may nest (queries, expressions, views); well below what [`crate::stack`] has room for.
const DEPTH_MAX: u32 = 5_000;

/// Levels of operators and expressions that a query may have; well below what [`crate::stack`] has room for. Chains of
/// set operations, joins and WITH queries make trees as deep as they are long.
const LEVELS_MAX: usize = 30_000;

/// Builds the rows of a view from its text: the text is SQL, which the builder does not know.
pub type ViewQuery = fn(&mut Builder<'_>, &str) -> Result<Rows>;

/// What the arguments of a function are called in its body.
#[derive(Debug)]
pub(crate) struct ArgumentNames {
    /// The function.
    pub(crate) function: String,
    /// The arguments; empty where one has no name.
    pub(crate) names: Vec<String>,
}

/// Builds the relations and expressions of one statement.
pub struct Builder<'a> {
    /// Where names are looked up.
    pub(crate) catalog: &'a dyn Catalog,
    /// All columns of the statement.
    pub(crate) columns: Columns,
    /// The types of `$1`, `$2`, …, as far as they are known.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// Of each scan of a table with a primary key this key's columns, and all of its columns.
    pub(super) keyed: Vec<(Vec<ColumnId>, Vec<ColumnId>)>,
    /// Of columns of rows' numbers, how often their tables have been written anew, where that is so.
    pub(super) epochs: HashMap<ColumnId, u8>,
    /// Columns that may not be asked for, as their file's reader cannot read them, and why.
    pub(super) unreadable: HashMap<ColumnId, Error>,
    /// Whether decimal arithmetic that could exceed 38 digits is numeric: a plan with narrow decimals has overflowed.
    pub(super) wide_numerics: bool,
    /// How a view's text becomes rows.
    pub(super) view_query: ViewQuery,
    /// The views that are being built, outermost first.
    pub(super) views: Vec<TableName>,
    /// The innermost of them, which knows what the names in its text stand for.
    pub(super) view: Option<Arc<View>>,
    /// What `$1`, `$2`, … stand for in the function that is being built; none outside of functions.
    pub(super) arguments: Option<Vec<Expression>>,
    /// What these are called, and the function.
    pub(super) argument_names: Option<Arc<ArgumentNames>>,
    /// The function that is being made, which nobody can find yet.
    pub(crate) making: Option<FoundRoutine>,
    /// Whether the names in a function's body are noted: it is being made, and goes on to mean them.
    pub(crate) notes_body: bool,
    /// Whether the innermost text is a function's, and not a view's; who acts in it then: the owner of a function, or who asks.
    pub(super) in_routine: bool,
    pub(super) acting: Option<TableName>,
    /// The functions that are called of which the statements are run.
    pub(super) run: Vec<TableName>,
    /// Whether the next table is to have the numbers of its rows, and their column where it has them.
    pub(crate) wants_places: bool,
    pub(crate) place: Option<ColumnId>,
    /// The rows that the statement makes as values.
    pub(super) rows: Vec<KnownRow>,
    /// The first parameter that nothing gave a type, once building has ended.
    pub(crate) undetermined: Option<usize>,
    /// What the statement's own text names and reads.
    pub(super) noted: RefCell<Noted>,
    /// The values that its literals had when it was prepared.
    pub(super) prepared: Arc<Literals>,
    /// What expressions were written as.
    pub(super) forms: Forms,
    /// The columns that names stood for, in the order in which they were met.
    pub(super) mentions: RefCell<Vec<ColumnId>>,
    /// Whether names that no table has may mean items of the select list: a statement that cannot be built otherwise is built
    /// once more so.
    pub(crate) names_items: bool,
    /// The next shared relation's id.
    pub(super) shared_next: u32,
    depth: u32,
}

impl<'a> Builder<'a> {
    /// A builder for a statement whose parameters have these types, as far as the caller knows them: [`DataType::Null`] says nothing.
    /// `wide_numerics` is for a statement that has failed with [`ErrorKind::DecimalOverflow`].
    pub fn new(catalog: &'a dyn Catalog, view_query: ViewQuery, parameters: &[DataType], wide_numerics: bool) -> Self {
        Builder {
            catalog,
            columns: Columns::default(),
            parameters: parameters
                .iter()
                .map(|data_type| Some(*data_type).filter(|known| *known != DataType::Null))
                .collect(),
            keyed: Vec::new(),
            epochs: HashMap::new(),
            unreadable: HashMap::new(),
            wide_numerics,
            view_query,
            views: Vec::new(),
            view: None,
            arguments: None,
            argument_names: None,
            making: None,
            notes_body: false,
            in_routine: false,
            acting: None,
            run: Vec::new(),
            wants_places: false,
            place: None,
            rows: Vec::new(),
            undetermined: None,
            noted: RefCell::default(),
            prepared: catalog.prepared_literals(),
            forms: Forms::default(),
            mentions: RefCell::default(),
            names_items: false,
            shared_next: 0,
            depth: 0,
        }
    }

    /// A builder for a part of the same text that is a query of its own.
    pub(crate) fn apart(&self) -> Self {
        let mut part = Builder::new(self.catalog, self.view_query, &[], self.wide_numerics);
        part.parameters.clone_from(&self.parameters);
        part.names_items = self.names_items;
        part.views.clone_from(&self.views);
        part.view.clone_from(&self.view);
        part.arguments.clone_from(&self.arguments);
        part.argument_names.clone_from(&self.argument_names);
        part.making.clone_from(&self.making);
        part.acting.clone_from(&self.acting);
        (part.notes_body, part.in_routine) = (self.notes_body, self.in_routine);
        if self.noted.borrow().is_kept() {
            part.keep_notes();
        }
        part
    }

    /// Whether decimal arithmetic is numeric.
    pub(crate) fn is_wide(&self) -> bool {
        self.wide_numerics
    }

    /// Lets names mean what a kept text's names stood for, as those of a view's text do; gives what they meant before.
    pub(crate) fn mean(&mut self, names: Option<Arc<View>>) -> Option<Arc<View>> {
        std::mem::replace(&mut self.view, names)
    }

    /// Goes one level deeper, to be left by [`Builder::ascend`]; error 54001 if that is too deep.
    pub fn descend(&mut self, position: Option<Position>) -> Result<()> {
        if self.depth >= DEPTH_MAX {
            let message = format!("the statement nests more than {DEPTH_MAX} levels deep");
            return Err(Error::new(ErrorKind::TooComplex, message).at(position));
        }
        self.catalog.check()?;
        self.depth += 1;
        Ok(())
    }

    /// Leaves a level.
    pub fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Does `work` one level deeper, with room on the stack for it; error 54001 if that is too deep. Whatever calls itself as
    /// a query nests goes through here.
    pub fn deeper<T>(&mut self, position: Option<Position>, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.descend(position)?;
        let result = stack::more(|| work(self));
        self.ascend();
        result
    }

    /// The database that the session is in, where there is one.
    pub(crate) fn database(&self) -> Result<Option<Arc<str>>> {
        Ok(match self.catalog.session_value("current_database", &[])? {
            Some((Value::Text(name), _)) => Some(Arc::from(&*name)),
            _ => None,
        })
    }

    /// Notes that a name stands for a column; an error (0A000) if it cannot be read.
    pub(super) fn check_readable(&self, column: ColumnId, position: Option<Position>) -> Result<()> {
        self.mention(column);
        match self.unreadable.get(&column) {
            Some(error) => Err(error.clone().at(position)),
            None => Ok(()),
        }
    }

    /// Ends building: the rows as a query, with all that is known of its columns and parameters. Parameters that nothing gave
    /// a type are text.
    pub fn finish(&mut self, (relation, output): Rows) -> Query {
        let parameters = self.parameters.clone();
        self.undetermined = parameters.iter().position(Option::is_none);
        let parameters = parameters.into_iter().map(|data_type| data_type.unwrap_or(DataType::Text)).collect();
        let columns = std::mem::take(&mut self.columns);
        Query { relation, output, columns, parameters, speculation: Speculation::Never }
    }

    /// An error (54001) for a query whose tree is deeper than every pass has room for.
    pub fn check_depth(query: &Query) -> Result<()> {
        if is_deeper(&query.relation, LEVELS_MAX) {
            return Err(Error::new(ErrorKind::TooComplex, "the statement nests too deeply"));
        }
        Ok(())
    }
}
