//! Expressions.

use super::{Unknown, Walk};
use crate::linq::block::Block;
use crate::linq::tree::Tree;
use crate::{DataType, Result, Value};
use multiloop_planner::catalog::TableName;
use multiloop_planner::evaluate::{UTC, admit, check_text, check_type};
use multiloop_planner::function::Function;
use multiloop_planner::relation::Expression;
use multiloop_planner::relation::builder::{
    ElementTest, Quantifier, Rows, Scope, Subscript, and, null, or, set_not_allowed, text,
};

impl Walk<'_, '_> {
    /// The typed expression of a tree over a scope.
    pub(super) fn tree(&mut self, tree: &Tree, scope: &Scope<'_>) -> Result<Expression> {
        match tree {
            Tree::Column { table, name } => {
                let table = table.as_ref().map(|table| TableName::from(self.survey.name(table)));
                self.builder.column(scope, table.as_ref(), name, None)
            }
            Tree::Number(digits) => self.builder.number(digits),
            Tree::Text(value) => {
                check_text(value)?;
                Ok(text(value))
            }
            Tree::Boolean(value) => Ok(Expression::boolean(*value)),
            Tree::Null => Ok(null()),
            Tree::Typed(data_type, value) => {
                check_text(value)?;
                self.builder.typed_literal(text(value), *data_type, None)
            }
            Tree::Value(value, data_type) => constant(value, *data_type),
            Tree::Failure(error) => Err(error.clone()),
            Tree::Parameter(number) => self.builder.parameter(*number),
            _ => self.deeper(|walk| walk.compound(tree, scope)),
        }
    }

    /// What has parts.
    fn compound(&mut self, tree: &Tree, scope: &Scope<'_>) -> Result<Expression> {
        match tree {
            Tree::Not(operand) => {
                let operand = self.tree(operand, scope)?;
                self.builder.negation(operand)
            }
            Tree::And(..) => Ok(and(self.conditions("AND", &tree.chain(), scope)?)),
            Tree::Or(..) => Ok(or(self.conditions("OR", &tree.chain(), scope)?)),
            Tree::Compare(function, left, right) => {
                let [left, right] = self.each([left, right], scope)?;
                self.builder.compare(*function, left, right)
            }
            Tree::Distinct(differ, left, right) => {
                let [left, right] = self.each([left, right], scope)?;
                let function = if *differ { Function::IsDistinct } else { Function::IsNotDistinct };
                self.builder.compare(function, left, right)
            }
            Tree::Unary(sign, operand) => {
                let operand = self.tree(operand, scope)?;
                self.builder.signed(*sign, operand)
            }
            Tree::Operator(operator, left, right) => {
                let [left, right] = self.each([left, right], scope)?;
                self.builder.operator(*operator, left, right)
            }
            Tree::Between(value, low, high) => {
                let [value, low, high] = self.each([value, low, high], scope)?;
                self.builder.between(value, low, high, false)
            }
            Tree::In(value, items) => {
                let value = self.tree(value, scope)?;
                let items = self.all(items, scope)?;
                self.builder.is_in(value, items)
            }
            Tree::Like(operator, value, pattern) => {
                let [value, pattern] = self.each([value, pattern], scope)?;
                self.builder.like(*operator, value, pattern, None)
            }
            Tree::NullTest(function, value) => {
                let value = self.tree(value, scope)?;
                self.builder.null_test(*function, vec![value])
            }
            Tree::Truth(function, negated, value) => {
                let value = self.tree(value, scope)?;
                let name = format!("IS {}{}", if *negated { "NOT " } else { "" }, truth(*function));
                self.builder.truth_test(*function, *negated, &name, value)
            }
            Tree::Cast(value, data_type) => self.cast(value, *data_type, scope),
            Tree::Case(branches, otherwise) => self.case(branches, otherwise, scope),
            other => self.compound_value(other, scope),
        }
    }

    /// Functions, arrays and subqueries.
    fn compound_value(&mut self, tree: &Tree, scope: &Scope<'_>) -> Result<Expression> {
        match tree {
            Tree::Extract(field, value) => {
                let value = self.tree(value, scope)?;
                self.builder.extract(&field.to_ascii_lowercase(), value)
            }
            Tree::Array(items) => {
                let items = self.all(items, scope)?;
                self.builder.array(items, None)
            }
            Tree::AnyOf(value, array) => {
                let [value, array] = self.each([value, array], scope)?;
                let test = ElementTest::Compare(Function::Equal);
                self.builder.quantified_array(Quantifier::Any, test, value, array)
            }
            Tree::Subscript(array, indexes) => {
                let array = self.tree(array, scope)?;
                let indexes = self.all(indexes, scope)?;
                self.builder.subscripts(array, indexes.into_iter().map(Subscript::At).collect())
            }
            Tree::Call(call) => self.call(call, scope),
            Tree::Scalar(block) => {
                let rows = self.subquery(block, scope)?;
                self.builder.scalar_subquery(rows, None)
            }
            Tree::Exists(block) => {
                let rows = self.subquery(block, scope)?;
                Ok(self.builder.exists(rows, None))
            }
            Tree::InRows(fields, block) => {
                let fields = self.all(fields, scope)?;
                let rows = self.subquery(block, scope)?;
                self.builder.quantified_subquery(Quantifier::Any, Function::Equal, fields, rows, None)
            }
            Tree::ArrayOf(block) => {
                let rows = self.subquery(block, scope)?;
                self.builder.array_of_rows(rows, None)
            }
            leaf => self.tree(leaf, scope),
        }
    }

    fn subquery(&mut self, block: &Block, scope: &Scope<'_>) -> Result<Rows> {
        self.block(block, Some(scope), Unknown::AsText)
    }

    /// A cast; the elements of an array in it are cast, too, so that it may be empty.
    fn cast(&mut self, value: &Tree, data_type: DataType, scope: &Scope<'_>) -> Result<Expression> {
        check_type(data_type)?;
        let value = match (value, data_type.element()) {
            (Tree::Array(items), Some(element)) => self.elements(items, element, scope)?,
            _ => self.tree(value, scope)?,
        };
        self.builder.cast(value, data_type, None)
    }

    fn elements(&mut self, items: &[Tree], element: DataType, scope: &Scope<'_>) -> Result<Expression> {
        let list = DataType::list(element);
        if items.is_empty()
            && let Some(empty) = self.builder.empty_array(list)
        {
            return Ok(empty);
        }
        let mut built = Vec::with_capacity(items.len());
        for item in items {
            built.push(match item {
                Tree::Array(inner) => self.deeper(|walk| walk.elements(inner, element, scope))?,
                item => self.tree(item, scope)?,
            });
        }
        let to = if built.iter().any(|item| item.data_type.element().is_some()) { list } else { element };
        let items = built.into_iter().map(|item| self.builder.cast(item, to, None)).collect::<Result<_>>()?;
        self.builder.array(items, None)
    }

    fn case(&mut self, branches: &[(Tree, Tree)], otherwise: &Tree, scope: &Scope<'_>) -> Result<Expression> {
        let sets = scope.set_count();
        let mut built = Vec::with_capacity(branches.len());
        for (condition, result) in branches {
            let condition = self.tree(condition, scope)?;
            let condition = self.builder.case_condition(None, condition)?;
            built.push((condition, self.tree(result, scope)?));
        }
        let otherwise = self.tree(otherwise, scope)?;
        if scope.set_count() > sets {
            return Err(set_not_allowed("CASE"));
        }
        self.builder.case(built, Some(otherwise))
    }

    /// Each of these over a scope.
    pub(super) fn all(&mut self, trees: &[Tree], scope: &Scope<'_>) -> Result<Vec<Expression>> {
        trees.iter().map(|tree| self.tree(tree, scope)).collect()
    }

    fn each<const N: usize, T: std::ops::Deref<Target = Tree>>(
        &mut self,
        trees: [&T; N],
        scope: &Scope<'_>,
    ) -> Result<[Expression; N]> {
        let mut built = Vec::with_capacity(N);
        for tree in trees {
            built.push(self.tree(tree, scope)?);
        }
        Ok(built.try_into().expect("each tree gives one expression"))
    }

    /// What AND or OR, named for errors, joins.
    fn conditions(&mut self, name: &str, conditions: &[&Tree], scope: &Scope<'_>) -> Result<Vec<Expression>> {
        let mut built = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let condition = self.tree(condition, scope)?;
            built.push(self.builder.coerce_condition(condition, name)?);
        }
        Ok(built)
    }
}

/// What IS asks for.
pub(in crate::linq) fn truth(function: Function) -> &'static str {
    match function {
        Function::IsTrue => "TRUE",
        Function::IsFalse => "FALSE",
        _ => "UNKNOWN",
    }
}

/// A value of a type, if it is one.
fn constant(value: &Value, data_type: DataType) -> Result<Expression> {
    check_type(data_type)?;
    let value = admit(value, data_type, UTC)?.unwrap_or_else(|| value.clone());
    Ok(Expression::constant(value, data_type))
}
