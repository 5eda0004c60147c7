//! Predicates that follow from equalities, and predicates that cannot hold together.
//!
//! ```text
//! a = b and b = c   ⇒  a = c           so that join order may choose
//! a = b and a < 5   ⇒  b < 5           so that both scans drop rows
//! a = 1 and a = 2   ⇒  FALSE
//! ```
//!
//! Columns form classes: those that conjuncts equate, of one type (so that equal means the same value wherever a
//! comparison with a constant looks). NULLs: an equality that is TRUE has no NULL on either side.

use super::push_filter::{equality, equated_columns};
use crate::function::Function;
use crate::relation::visit::as_column;
use crate::relation::{ColumnId, Expression, ExpressionKind};
use crate::types::DataType;
use crate::value::Value;
use std::cmp::Ordering;

/// Classes of columns that are equal in every row.
#[derive(Debug, Default)]
pub(super) struct EqualityClasses {
    classes: Vec<Vec<ColumnId>>,
    types: Vec<DataType>,
}

impl EqualityClasses {
    /// Takes the equalities of two known columns out of `conjuncts` and builds the classes.
    pub(super) fn take_from(conjuncts: &mut Vec<Expression>, known: &dyn Fn(ColumnId) -> bool) -> Self {
        let mut all = EqualityClasses::default();
        conjuncts.retain(|conjunct| match equated_columns(conjunct) {
            Some((a, b)) if known(a) && known(b) => {
                let ExpressionKind::Call(_, arguments) = &conjunct.kind else { return true };
                all.equate(a, b, arguments[0].data_type);
                false
            }
            _ => true,
        });
        all
    }

    fn equate(&mut self, a: ColumnId, b: ColumnId, data_type: DataType) {
        match (self.find(a), self.find(b)) {
            (Some(first), Some(second)) if first != second => {
                let (low, high) = (first.min(second), first.max(second));
                let moved = self.classes.swap_remove(high);
                self.types.swap_remove(high);
                self.classes[low].extend(moved);
            }
            (Some(_), Some(_)) => {}
            (Some(class), None) => self.classes[class].push(b),
            (None, Some(class)) => self.classes[class].push(a),
            (None, None) => {
                self.classes.push(vec![a, b]);
                self.types.push(data_type);
            }
        }
    }

    fn find(&self, column: ColumnId) -> Option<usize> {
        self.classes.iter().position(|class| class.contains(&column))
    }

    /// Each class with the type of its columns.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[ColumnId], DataType)> {
        self.classes.iter().map(Vec::as_slice).zip(self.types.iter().copied())
    }

    /// The columns that equal this one, itself among them; none if it is in no class.
    pub(super) fn equals_of(&self, column: ColumnId) -> &[ColumnId] {
        self.find(column).map_or(&[], |class| &self.classes[class])
    }

    /// Adds to `conjuncts` what they say about one column of a class for the others, and `a = b` for two columns
    /// of a class that one input (`input_of`) makes: no join would test that.
    pub(super) fn derive(&self, conjuncts: &mut Vec<Expression>, input_of: &dyn Fn(ColumnId) -> usize) {
        let said: Vec<(ColumnId, Expression)> = conjuncts
            .iter()
            .filter_map(|conjunct| tested_column(conjunct).map(|column| (column, conjunct.clone())))
            .collect();
        for (column, conjunct) in said {
            for other in self.equals_of(column).iter().filter(|other| **other != column) {
                let copy = for_column(&conjunct, *other);
                if !conjuncts.contains(&copy) {
                    conjuncts.push(copy);
                }
            }
        }
        for (class, data_type) in self.iter() {
            for (at, column) in class.iter().enumerate() {
                let twin = class[..at].iter().rev().find(|other| input_of(**other) == input_of(*column));
                conjuncts.extend(twin.map(|twin| equality(*twin, *column, data_type)));
            }
        }
    }
}

/// What `predicates` say about column `from`, said of `to` instead.
pub(super) fn copies_for(predicates: &[Expression], from: ColumnId, to: ColumnId) -> Vec<Expression> {
    let about = predicates.iter().filter(|predicate| tested_column(predicate) == Some(from));
    about.map(|predicate| for_column(predicate, to)).collect()
}

/// The column of a cheap test of one column against constants or parameters: `a < 5`, `a in (1, 2)`.
pub(super) fn tested_column(predicate: &Expression) -> Option<ColumnId> {
    let ExpressionKind::Call(function, arguments) = &predicate.kind else { return None };
    let tests = matches!(
        function,
        Function::Equal
            | Function::Less
            | Function::LessEqual
            | Function::Greater
            | Function::GreaterEqual
            | Function::InList
    );
    let is_value =
        |argument: &Expression| matches!(argument.kind, ExpressionKind::Constant(_) | ExpressionKind::Parameter(_));
    // A numeric parameter beside a decimal is a decimal next to it.
    let is_fixed = |argument: &Expression| match &argument.kind {
        ExpressionKind::Call(Function::NarrowUp | Function::NarrowDown | Function::NarrowSame, of) => {
            of.iter().all(is_value)
        }
        _ => is_value(argument),
    };
    if tests && arguments.len() > 1 && arguments[1..].iter().all(is_fixed) { as_column(&arguments[0]) } else { None }
}

fn for_column(predicate: &Expression, column: ColumnId) -> Expression {
    let mut copy = predicate.clone();
    if let ExpressionKind::Call(_, arguments) = &mut copy.kind {
        arguments[0].kind = ExpressionKind::Column(column);
    }
    copy
}

/// Whether the predicates cannot all be TRUE: one is FALSE or NULL, or what they ask of a column excludes itself.
pub(super) fn contradicts(predicates: &[Expression]) -> bool {
    let never = |predicate: &Expression| match &predicate.kind {
        ExpressionKind::Constant(value) => !value.is_true(),
        ExpressionKind::Call(_, arguments) if tested_column(predicate).is_some() && arguments.len() == 2 => {
            matches!(&arguments[1].kind, ExpressionKind::Constant(Value::Null))
        }
        _ => false,
    };
    if predicates.iter().any(never) {
        return true;
    }
    predicates.iter().enumerate().any(|(at, first)| {
        let Some(column) = tested_column(first) else { return false };
        predicates[at + 1..].iter().any(|second| tested_column(second) == Some(column) && excludes(first, second))
    })
}

/// Pairs of constants of two tests that are compared, at most.
const PAIRS_MAX: usize = 1 << 16;

/// Whether no value passes both of two tests of one column.
fn excludes(first: &Expression, second: &Expression) -> bool {
    let (Some((f, a)), Some((g, b))) = (test(first), test(second)) else { return false };
    // Two long lists are not worth a look at all pairs.
    if a.len().saturating_mul(b.len()) > PAIRS_MAX {
        return false;
    }
    // Tests that are no point exclude each other if one's upper bound lies below the other's lower bound.
    let passes = |value: &Value, function: Function, constants: &[&Value]| {
        constants.iter().any(|constant| {
            let order = value.compare(constant);
            match function {
                Function::Less => order == Ordering::Less,
                Function::LessEqual => order != Ordering::Greater,
                Function::Greater => order == Ordering::Greater,
                Function::GreaterEqual => order != Ordering::Less,
                _ => order == Ordering::Equal,
            }
        })
    };
    let is_point = |function| matches!(function, Function::Equal | Function::InList);
    if is_point(f) {
        return !a.iter().any(|value| passes(value, g, &b));
    }
    if is_point(g) {
        return !b.iter().any(|value| passes(value, f, &a));
    }
    let is_upper = |function| matches!(function, Function::Less | Function::LessEqual);
    let ((upper, high), (lower, low)) = match (is_upper(f), is_upper(g)) {
        (true, false) => ((f, a[0]), (g, b[0])),
        (false, true) => ((g, b[0]), (f, a[0])),
        _ => return false,
    };
    match high.compare(low) {
        Ordering::Less => true,
        Ordering::Equal => upper == Function::Less || lower == Function::Greater,
        Ordering::Greater => false,
    }
}

/// The function and the constants of a test, if these are known and none is NULL.
fn test(predicate: &Expression) -> Option<(Function, Vec<&Value>)> {
    let ExpressionKind::Call(function, arguments) = &predicate.kind else { return None };
    let data_type = arguments[0].data_type;
    // Blanks at the end do not count in a char; its constants may differ and still be equal.
    if matches!(data_type, DataType::Char(_)) {
        return None;
    }
    let mut constants = Vec::with_capacity(arguments.len() - 1);
    for argument in &arguments[1..] {
        match &argument.kind {
            // Values of unlike kinds do not compare; the binder never mixes them, but text types do mix.
            ExpressionKind::Constant(value) if !value.is_null() && value.fits(data_type) => constants.push(value),
            // x IN (…, NULL) is never FALSE, but for TRUE the NULL does not count.
            ExpressionKind::Constant(Value::Null) if *function == Function::InList => {}
            _ => return None,
        }
    }
    Some((*function, constants))
}
