//! Columns that store codes of a domain stay codes for as long as that will do; what they stand for is looked up where
//! something else than equality is asked of them, and last of all for the result.
//!
//! ```text
//! D[a] = D[b]                       =  a = b                   likewise <>, IS [NOT] DISTINCT FROM
//! D[a] IS NULL, count(D[a])         =  a IS NULL, count(a)
//! D[a] = constant                   =  a = (the code of the constant, or -1)    asked once of the domain; likewise IN
//! Aggregate by k: D[a]              =  Project k: D[c] (Aggregate by c: a)
//! Project v: D[a] x, below anything =  Project v: D[a] above it, where its operators only hand v through
//! ```
//!
//! A domain's values are unique and no code is NULL's, so two codes are equal exactly where their values are. Domains of one
//! lineage agree on codes. Codes are in no order of their values: comparisons, extremes and ORDER BY ask for values.
//!
//! Errors and volatile expressions: looking up a code can do neither, so it is free to move.

use crate::catalog::Domain;
use crate::function::Function;
use crate::relation::visit::{as_column, for_each_expression_mut, for_each_input_mut, take};
use crate::relation::{
    AggregateCall, AggregateFunction, ColumnId, Columns, Expression, ExpressionKind, Query, Relation, ScanTable,
    SortKey, Subquery, SubqueryKind,
};
use crate::types::DataType;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Constants of an IN list whose codes are asked of a domain, at most: each is a pass over it.
const LIST_MAX: usize = 8;

/// Replaces values by codes in a whole query.
pub(super) fn delay_values(query: &mut Query) {
    let mut late = LateValues { columns: &mut query.columns, codes: FxHashMap::default() };
    late.relation(&mut query.relation);
    let output: Vec<ColumnId> = query.output.iter().map(|(_, id)| *id).collect();
    late.look_up(&mut query.relation, &output);
}

struct LateValues<'a> {
    columns: &'a mut Columns,
    /// Columns that are not made any more, and those of codes that stand where they stood.
    codes: FxHashMap<ColumnId, (ColumnId, Domain)>,
}

impl LateValues<'_> {
    fn relation(&mut self, relation: &mut Arc<Relation>) {
        let relation = Arc::make_mut(relation);
        // What is made below, and to the left, is known when something mentions it.
        for_each_input_mut(relation, &mut |input| self.relation(input));
        if let Relation::Sort { input, keys } = relation {
            self.look_up_keys(input, keys);
        }
        for_each_expression_mut(relation, &mut |expression| self.expression(expression));
        match relation {
            Relation::Project { input, columns } => {
                self.project(columns);
                let same = columns.iter().map(|(id, value)| (as_column(value) == Some(*id)).then_some(*id));
                if same.collect::<Option<Vec<_>>>().is_some_and(|same| same == input.columns()) {
                    *relation = take(std::mem::replace(input, Arc::new(crate::relation::visit::nothing())));
                }
            }
            Relation::Aggregate { keys, aggregates, .. } => {
                for (id, key) in keys {
                    if let ExpressionKind::Element(domain, code) = &mut key.kind {
                        *id = self.code_of(*id, domain.clone());
                        *key = (**code).clone();
                    }
                }
                for (_, call) in aggregates.iter_mut().filter(|(_, call)| call.function == AggregateFunction::Count) {
                    call.argument = call.argument.take().map(code_or_self);
                }
            }
            Relation::CteScan { columns, .. } => {
                for (theirs, ours) in columns {
                    if let Some((code, domain)) = self.codes.get(theirs).cloned() {
                        (*theirs, *ours) = (code, self.code_of(*ours, domain));
                    }
                }
            }
            Relation::SetOperation { columns, left, right, .. } => self.set_operation(columns, left, right),
            // What goes round is values: rounds may make others than the seed has.
            Relation::Recursive { seed, step, .. } => {
                self.look_up(&mut seed.0, &seed.1);
                self.look_up(&mut step.0, &step.1);
            }
            _ => {}
        }
    }

    /// Hands codes on where their values were made.
    fn project(&mut self, columns: &mut Vec<(ColumnId, Expression)>) {
        let mut projected: Vec<(ColumnId, Expression)> = Vec::with_capacity(columns.len());
        for (id, value) in columns.drain(..) {
            let (id, value) = match value.kind {
                ExpressionKind::Element(domain, code) => match as_column(&code) {
                    Some(made) => {
                        self.codes.insert(id, (made, domain));
                        (made, *code)
                    }
                    None => (self.code_of(id, domain), *code),
                },
                _ => (id, value),
            };
            if !projected.iter().any(|(made, _)| *made == id) {
                projected.push((id, value));
            }
        }
        *columns = projected;
    }

    /// Rows of both sides have codes only where both sides have those of one lineage.
    fn set_operation(
        &mut self,
        columns: &mut [ColumnId],
        left: &mut (Arc<Relation>, Vec<ColumnId>),
        right: &mut (Arc<Relation>, Vec<ColumnId>),
    ) {
        let mut values = (Vec::new(), Vec::new());
        for (at, column) in columns.iter_mut().enumerate() {
            let of = |id: ColumnId| self.codes.get(&id).cloned();
            match (of(left.1[at]), of(right.1[at])) {
                (Some((a, domain)), Some((b, other)))
                    if domain.lineage == other.lineage && !left.1.contains(&a) && !right.1.contains(&b) =>
                {
                    (left.1[at], right.1[at]) = (a, b);
                    // The longer one knows the codes of both.
                    let rows = |domain: &Domain| domain.table.statistics.rows;
                    *column = self.code_of(*column, if rows(&other) > rows(&domain) { other } else { domain });
                }
                _ => {
                    values.0.push(left.1[at]);
                    values.1.push(right.1[at]);
                }
            }
        }
        self.look_up(&mut left.0, &left.1);
        self.look_up(&mut right.0, &right.1);
    }

    /// A new column of codes in the place of a column of values.
    fn code_of(&mut self, value: ColumnId, domain: Domain) -> ColumnId {
        let (name, nullable) = (self.columns.get(value).name.clone(), self.columns.get(value).nullable);
        let code = self.columns.add(name, DataType::BigInt, nullable);
        self.codes.insert(value, (code, domain));
        code
    }

    /// What is sorted by is looked up below the sort: all of it is asked for there, and once will do.
    fn look_up_keys(&mut self, input: &mut Arc<Relation>, keys: &[SortKey]) {
        let mut wanted: Vec<ColumnId> = keys.iter().filter_map(|key| as_column(&key.expression)).collect();
        wanted.retain(|id| self.codes.contains_key(id));
        if wanted.is_empty() {
            return;
        }
        let codes = input.columns();
        self.look_up(input, &[&codes[..], &wanted].concat());
        wanted.iter().for_each(|id| drop(self.codes.remove(id)));
    }

    /// Makes a relation's rows have these columns, values where they are codes so far.
    fn look_up(&mut self, relation: &mut Arc<Relation>, wanted: &[ColumnId]) {
        if !wanted.iter().any(|id| self.codes.contains_key(id)) {
            return;
        }
        let mut columns: Vec<(ColumnId, Expression)> = Vec::with_capacity(wanted.len());
        for &id in wanted {
            if columns.iter().all(|(made, _)| *made != id) {
                columns.push((id, self.value(id).unwrap_or_else(|| self.columns.reference(id))));
            }
        }
        let input = std::mem::replace(relation, Arc::new(crate::relation::visit::nothing()));
        *relation = Arc::new(Relation::Project { input, columns });
    }

    /// The value of a column that is codes now.
    fn value(&self, id: ColumnId) -> Option<Expression> {
        let (code, domain) = self.codes.get(&id)?;
        Some(Expression::element(domain, self.columns.reference(*code)))
    }

    fn expression(&mut self, expression: &mut Expression) {
        match &mut expression.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Parameter(_) => {}
            ExpressionKind::Column(id) => {
                if let Some(value) = self.value(*id) {
                    *expression = value.at(expression.position);
                }
            }
            ExpressionKind::Element(_, code) => self.expression(code),
            ExpressionKind::Call(..) => self.call(expression),
            ExpressionKind::Subquery(subquery) => {
                self.relation(&mut subquery.relation);
                match &mut subquery.kind {
                    SubqueryKind::Any(predicate) | SubqueryKind::All(predicate) => self.expression(predicate),
                    SubqueryKind::Exists => {}
                    SubqueryKind::Scalar(column) => {
                        if let Some((code, domain)) = self.codes.get(column).cloned() {
                            *column = code;
                            expression.data_type = DataType::BigInt;
                            let code = std::mem::replace(expression, Expression::boolean(true));
                            *expression = Expression::element(&domain, code);
                        }
                    }
                }
            }
        }
    }

    /// Asks codes instead of values, where that is the same question.
    fn call(&mut self, expression: &mut Expression) {
        let ExpressionKind::Call(function, arguments) = &mut expression.kind else { return };
        arguments.iter_mut().for_each(|argument| self.expression(argument));
        match function {
            Function::IsNull | Function::IsNotNull => {
                let value = arguments.remove(0);
                arguments.push(code_or_self(value));
            }
            Function::Equal | Function::NotEqual | Function::IsDistinct | Function::IsNotDistinct
                if have_one_lineage(arguments) =>
            {
                *arguments = std::mem::take(arguments).into_iter().map(code_or_self).collect();
            }
            // A value that is not in the domain has a code that no row has.
            Function::Equal => {
                for (value, constant) in [(0, 1), (1, 0)] {
                    if is_element(&arguments[value]) && is_fixed(&arguments[constant]) {
                        self.find_codes(arguments, value);
                        break;
                    }
                }
            }
            Function::InList
                if is_element(&arguments[0])
                    && arguments.len() <= LIST_MAX + 1
                    && arguments[1..].iter().all(is_fixed) =>
            {
                self.find_codes(arguments, 0);
            }
            _ => {}
        }
    }

    /// Puts codes in the place of a value and of the constants that it is compared with.
    fn find_codes(&mut self, arguments: &mut [Expression], value: usize) {
        let ExpressionKind::Element(domain, _) = &arguments[value].kind else { return };
        let domain = domain.clone();
        for (at, argument) in arguments.iter_mut().enumerate() {
            let old = std::mem::replace(argument, Expression::boolean(true));
            *argument = if at == value { code_or_self(old) } else { self.found_code(&domain, old) };
        }
    }

    /// The code of a constant or parameter: -1 if the domain does not have it, NULL if it is NULL.
    fn found_code(&mut self, domain: &Domain, constant: Expression) -> Expression {
        let null = Expression::constant(Value::Null, DataType::BigInt);
        if matches!(constant.kind, ExpressionKind::Constant(Value::Null)) {
            return null;
        }
        let value = self.columns.add("value", constant.data_type, false);
        let code = self.columns.add("code", DataType::BigInt, false);
        let found = self.columns.add("code", DataType::BigInt, true);
        let table = ScanTable(Arc::clone(&domain.table));
        let scan = Relation::Scan { table, columns: vec![(0, value), (1, code)] };
        let equal = vec![self.columns.reference(value), constant.clone()];
        let predicate = Expression::call(Function::Equal, equal, DataType::Boolean);
        let input = Arc::new(Relation::Filter { input: Arc::new(scan), predicate });
        // There is one at most; an aggregate cannot fail as a subquery of several rows could.
        let call = AggregateCall {
            function: AggregateFunction::Max,
            argument: Some(self.columns.reference(code)),
            distinct: false,
            filter: None,
            data_type: DataType::BigInt,
        };
        let relation = Arc::new(Relation::Aggregate { input, keys: Vec::new(), aggregates: vec![(found, call)] });
        let subquery = Subquery { kind: SubqueryKind::Scalar(found), relation };
        let subquery = Expression::new(ExpressionKind::Subquery(Box::new(subquery)), DataType::BigInt);
        let none = Expression::constant(Value::Int(-1), DataType::BigInt);
        let found = Expression::call(Function::Coalesce, vec![subquery, none], DataType::BigInt);
        match constant.kind {
            ExpressionKind::Constant(_) => found,
            _ => {
                let is_null = Expression::call(Function::IsNull, vec![constant], DataType::Boolean);
                Expression::call(Function::Case, vec![is_null, null, found], DataType::BigInt)
            }
        }
    }
}

fn is_element(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Element(..))
}

/// Whether it is the same for all rows, and costs nothing to ask.
fn is_fixed(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_))
}

/// Whether all of these are values of domains of one lineage.
fn have_one_lineage(values: &[Expression]) -> bool {
    let lineage = |value: &Expression| match &value.kind {
        ExpressionKind::Element(domain, _) => Some(domain.lineage),
        _ => None,
    };
    let first = lineage(&values[0]);
    first.is_some() && values.iter().all(|value| lineage(value) == first)
}

/// The code of a value that is looked up; any other as it is.
fn code_or_self(value: Expression) -> Expression {
    match value.kind {
        ExpressionKind::Element(_, code) => *code,
        _ => value,
    }
}
