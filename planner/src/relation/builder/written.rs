//! Forms: what expressions were written as, and which columns their names stood for, before anything was folded.
//!
//! GROUP BY, DISTINCT ON and ORDER BY tell expressions apart as they were written: `a` and `+a` are two keys, of which one
//! may be NULL in a total and the other not, though both compute the same. The same holds for the level of an aggregate and
//! for columns that are neither grouped nor aggregated: `count(o.a) FILTER (WHERE NULL = i.b)` mentions `i.b`, which folding
//! drops.
//!
//! While a clause is recorded, the front end opens a form before it builds an expression and closes it behind: the forms
//! that were closed between are its parts. Forms are numbered, so that equal ones have one number, and an expression carries
//! its number ([`Expression::is_written_as`]); a plain column carries none.

use super::{Builder, Scope, walk};
use crate::function::Function;
use crate::relation::{ColumnId, Expression, ExpressionKind, FormId};
use crate::types::DataType;
use std::collections::HashMap;
use std::num::NonZeroU32;

/// What the front end says of an expression that it has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// Parentheses: the form is that of its only part.
    Same,
    /// A literal: the form is its value.
    Literal,
    /// A column's name.
    Name,
    /// An operator or function, in words that tell it from all others, of its parts.
    Call(String),
    /// The same, whose first part is flattened if it is of the same operator: AND, OR.
    Chain(String),
    /// `a BETWEEN b AND c`, which is two comparisons, and whether NOT stands before it.
    Between(bool),
    /// `CAST (part AS type)`: nothing where the part has this type already. Modifiers that no type carries follow it.
    Cast(DataType, Option<String>),
    /// What has no form: it is compared by what it computes.
    Unknown,
}

/// A form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Column(ColumnId),
    /// An aggregate, or what else stands as one column for a call: its parts are of another level.
    Opaque(String, Vec<FormId>),
    Call(String, Vec<FormId>),
    /// A query's text, and the columns of enclosing queries that it mentions.
    Query(String, Vec<ColumnId>),
}

/// A part of an open form.
#[derive(Clone, Copy, Debug)]
struct Part {
    form: Option<FormId>,
    /// The type that PostgreSQL gives it.
    data_type: DataType,
}

/// The forms of a statement.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    is_recording: bool,
    numbers: HashMap<Form, FormId>,
    forms: Vec<Form>,
    /// The forms that are open, innermost last.
    open: Vec<Open>,
}

/// A form that is open.
#[derive(Debug, Default)]
struct Open {
    /// Its parts so far.
    parts: Vec<Part>,
    /// Whether it is an aggregate's.
    is_opaque: bool,
}

/// A column that a form mentions, or a key that it is.
pub(super) enum Found {
    Column(ColumnId),
    Form(FormId),
}

impl Forms {
    fn number(&mut self, form: Form) -> FormId {
        if let Some(known) = self.numbers.get(&form) {
            return *known;
        }
        let count = u32::try_from(self.forms.len() + 1).expect("fewer than 2^32 forms");
        let id = FormId(NonZeroU32::new(count).expect("counted from 1"));
        self.forms.push(form.clone());
        self.numbers.insert(form, id);
        id
    }

    fn form(&self, id: FormId) -> &Form {
        &self.forms[id.0.get() as usize - 1]
    }

    /// The form of an expression that has one.
    pub(super) fn of(&self, expression: &Expression) -> Option<FormId> {
        match (expression.written, &expression.kind) {
            (None, ExpressionKind::Column(id)) => self.numbers.get(&Form::Column(*id)).copied(),
            (written, _) => written,
        }
    }

    /// Visits a form and its parts, outermost first, each once. `visit` says whether to go into the parts; subqueries and
    /// aggregates are not gone into.
    pub(super) fn visit(&self, root: FormId, visit: &mut dyn FnMut(Found) -> bool) {
        let mut seen = std::collections::HashSet::new();
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) || !visit(Found::Form(id)) {
                continue;
            }
            match self.form(id) {
                Form::Column(column) => {
                    visit(Found::Column(*column));
                }
                Form::Call(_, parts) => waiting.extend(parts.iter().rev()),
                Form::Opaque(..) | Form::Query(..) => {}
            }
        }
    }

    fn close(&mut self, head: Head, expression: &Expression) -> Option<FormId> {
        let Open { parts, is_opaque } = self.open.pop().unwrap_or_default();
        let column = match expression.kind {
            ExpressionKind::Column(id) => Some(id),
            _ => None,
        };
        let all = || parts.iter().map(|part| part.form).collect::<Option<Vec<_>>>();
        match head {
            Head::Same => parts.first()?.form,
            Head::Name => column.map(|id| self.number(Form::Column(id))),
            Head::Literal => match &expression.kind {
                ExpressionKind::Constant(value) => {
                    let text = format!("{value:?} {:?}", expression.data_type);
                    Some(self.number(Form::Call(text, Vec::new())))
                }
                ExpressionKind::Parameter(number) => Some(self.number(Form::Call(format!("${number}"), Vec::new()))),
                _ => None,
            },
            Head::Cast(to, modifiers) => {
                let part = parts.first()?;
                if part.data_type == DataType::Null && matches!(expression.kind, ExpressionKind::Constant(_)) {
                    self.open.push(Open::default());
                    return self.close(Head::Literal, expression);
                }
                if part.data_type == to && modifiers.is_none() {
                    return part.form;
                }
                let name = format!("cast {to:?} {}", modifiers.unwrap_or_default());
                let parts = all()?;
                Some(self.number(Form::Call(name, parts)))
            }
            Head::Call(name) => {
                let parts = all()?;
                let is_made = column.is_some() && !parts.iter().any(|part| self.is_column(*part, column));
                let form = if is_opaque || is_made { Form::Opaque(name, parts) } else { Form::Call(name, parts) };
                Some(self.number(form))
            }
            Head::Chain(name) => {
                let mut parts = all()?;
                if let Some(Form::Call(first, inner)) = parts.first().map(|first| self.form(*first))
                    && *first == name
                {
                    parts = inner.iter().chain(&parts[1..]).copied().collect();
                }
                Some(self.number(Form::Call(name, parts)))
            }
            Head::Between(negated) => {
                let [value, low, high] = all()?[..] else { return None };
                use Function::{Greater, GreaterEqual, Less, LessEqual};
                let (below, above, both) =
                    if negated { (Less, Greater, "or") } else { (GreaterEqual, LessEqual, "and") };
                let mut test =
                    |test: Function, bound: FormId| self.number(Form::Call(format!("{test:?}"), vec![value, bound]));
                let tests = vec![test(below, low), test(above, high)];
                Some(self.number(Form::Call(both.to_owned(), tests)))
            }
            Head::Unknown => None,
        }
    }

    /// Whether a form has a column somewhere in it.
    fn is_column(&self, form: FormId, column: Option<ColumnId>) -> bool {
        let mut is_found = false;
        self.visit(form, &mut |found| {
            is_found |= matches!(found, Found::Column(id) if Some(id) == column);
            !is_found
        });
        is_found
    }
}

impl Builder<'_> {
    /// Begins or ends to record forms, which costs something; gives what was before.
    pub(crate) fn record_forms(&mut self, record: bool) -> bool {
        std::mem::replace(&mut self.forms.is_recording, record)
    }

    /// Whether forms are recorded.
    pub(crate) fn records_forms(&self) -> bool {
        self.forms.is_recording
    }

    /// Opens a form: what is closed from now on, before it is closed itself, are its parts.
    pub(crate) fn open_form(&mut self) {
        self.forms.open.push(Open::default());
    }

    /// Drops the innermost open form.
    pub(crate) fn drop_form(&mut self) {
        self.forms.open.pop();
    }

    /// Closes the innermost open form, which an expression gets.
    pub(crate) fn close_form(&mut self, head: Head, mut expression: Expression) -> Expression {
        // What the types of operators make of decimals is numeric to PostgreSQL.
        let is_exact = matches!(head, Head::Name | Head::Same | Head::Cast(..));
        let data_type = match expression.data_type {
            DataType::Decimal { .. } if !is_exact => DataType::Numeric,
            other => other,
        };
        let form = self.forms.close(head, &expression);
        if let Some(around) = self.forms.open.last_mut() {
            around.parts.push(Part { form, data_type });
        }
        let plain = |form: FormId| matches!(self.forms.form(form), Form::Column(_));
        expression.written = form.filter(|form| !plain(*form));
        expression
    }

    /// Closes the innermost open form as that of a query, which began with a column's number and a mark of what was
    /// mentioned before.
    pub(crate) fn close_query_form(&mut self, text: String, first: usize, mark: usize) {
        self.forms.open.pop();
        let outer: Vec<ColumnId> =
            self.mentioned_since(mark).into_iter().filter(|column| (column.0 as usize) < first).collect();
        let form = Some(self.forms.number(Form::Query(text, outer)));
        if let Some(around) = self.forms.open.last_mut() {
            around.parts.push(Part { form, data_type: DataType::Null });
        }
    }

    /// An expression that another one has become: it keeps its form.
    pub(crate) fn with_form(expression: Expression, written: Option<FormId>) -> Expression {
        Expression { written: written.or(expression.written), ..expression }
    }

    /// Says that the innermost open form is one that GROUP BY does not look into: its parts are no group's.
    pub(crate) fn close_to_grouping(&mut self) {
        if let Some(open) = self.forms.open.last_mut() {
            open.is_opaque = true;
        }
    }

    /// Notes that a name stands for a column.
    pub(super) fn mention(&self, column: ColumnId) {
        self.mentions.borrow_mut().push(column);
    }

    /// How many names have been met so far.
    pub fn mentions_mark(&self) -> usize {
        self.mentions.borrow().len()
    }

    /// The columns that names stood for since a mark.
    pub(crate) fn mentioned_since(&self, mark: usize) -> Vec<ColumnId> {
        self.mentions.borrow()[mark..].to_vec()
    }

    /// What names stood for since a mark is as if it had not been.
    pub(crate) fn forget_mentions(&self, mark: usize) {
        self.mentions.borrow_mut().truncate(mark);
    }

    /// Tells a scope which columns the aggregate mentions that comes next, whatever folding has left of them.
    pub fn aggregate_mentions(&self, scope: &Scope<'_>, mark: usize) {
        scope.mention_in_aggregate(Some(self.mentioned_since(mark)));
    }

    /// Ends that, and notes what the aggregate has become.
    pub fn aggregate_is_built(&mut self, scope: &Scope<'_>, built: &Expression) {
        scope.mention_in_aggregate(None);
        self.close_to_grouping();
        let mut columns = Vec::new();
        walk::expression_columns(built, &mut columns);
        columns.into_iter().for_each(|column| self.mention(column));
    }
}
