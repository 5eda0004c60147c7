//! Truth: comparisons, AND, OR, CASE, tests for NULL. What may fail or is dear is computed only where it is needed.

use super::Lowering;
use super::scalars::Scalar;
use crate::gpu::code::expression::{Binary, Expression, Variable};
use crate::gpu::code::helpers::Helper;
use crate::gpu::code::types::Type;
use crate::gpu::stop::{Done, decline};
use crate::plan::nodes::Operation;
use multiloop_planner::function::Function;

impl Lowering<'_> {
    /// Whether a node may be computed though nobody may need it.
    fn is_cheap(&self, number: u32) -> bool {
        let node = self.node_at(number);
        let asks = |operation: &Operation| matches!(operation, Operation::Exists { .. } | Operation::Lookup { .. });
        let mut rest = vec![number];
        while let Some(number) = rest.pop() {
            let operation = &self.node_at(number).operation;
            if asks(operation) {
                return false;
            }
            rest.extend(operation.arguments());
        }
        !node.may_fail
    }

    /// AND, which FALSE decides, or OR, which TRUE decides.
    pub(super) fn connect(&mut self, arguments: &[u32], decisive: bool) -> Done<Scalar> {
        let decided_by = |scalar: &Scalar| if decisive { scalar.is_true() } else { scalar.is_false() };
        let (mut decided, mut unknown) = (Expression::truth(false), Expression::truth(false));
        let mut kept: Option<(Variable, Variable)> = None;
        for &argument in arguments {
            if kept.is_none() && self.is_cheap(argument) {
                let scalar = self.node(argument)?;
                decided = decided.or(decided_by(&scalar));
                unknown = unknown.or(scalar.null);
                continue;
            }
            let (result, null) = match kept {
                Some(kept) => kept,
                None => (self.declare(decided.clone()), self.declare(unknown.clone())),
            };
            kept = Some((result, null));
            self.when(result.get().not(), |inner| {
                let scalar = inner.node(argument)?;
                inner.assign(null, null.get().or(scalar.null.clone()));
                inner.assign(result, decided_by(&scalar));
                Ok(())
            })?;
            (decided, unknown) = (result.get(), null.get());
        }
        let null = unknown.and(decided.clone().not());
        let value = if decisive { decided } else { decided.not() };
        Ok(Scalar::new(value, null))
    }

    /// CASE: conditions up to the first that is TRUE, and its value.
    pub(super) fn choose(&mut self, arguments: &[u32], of: Type) -> Done<Scalar> {
        let Some((otherwise, branches)) = arguments.split_last() else { return decline("bug: a CASE without ELSE") };
        if of == Type::U32 {
            return decline("a choice of texts");
        }
        let value = self.declare(Expression::number(0, of));
        let null = self.declare(Expression::truth(true));
        let open = self.declare(Expression::truth(true));
        for branch in branches.chunks_exact(2) {
            self.when(open.get(), |inner| {
                let condition = inner.node(branch[0])?.is_true();
                inner.when(condition, |inner| inner.take(branch[1], (value, null), Some(open)))
            })?;
        }
        self.when(open.get(), |inner| inner.take(*otherwise, (value, null), None))?;
        Ok(Scalar::new(value.get(), null.get()))
    }

    /// COALESCE: the first that is not NULL.
    pub(super) fn coalesce(&mut self, arguments: &[u32], of: Type) -> Done<Scalar> {
        if of == Type::U32 {
            return decline("a choice of texts");
        }
        let value = self.declare(Expression::number(0, of));
        let null = self.declare(Expression::truth(true));
        for &argument in arguments {
            self.when(null.get(), |inner| inner.take(argument, (value, null), None))?;
        }
        Ok(Scalar::new(value.get(), null.get()))
    }

    /// Puts a node's value into variables.
    fn take(&mut self, node: u32, (value, null): (Variable, Variable), done: Option<Variable>) -> Done<()> {
        let scalar = self.node(node)?;
        let of = value.get().data_type();
        self.assign(value, scalar.value.cast(of));
        self.assign(null, scalar.null);
        if let Some(open) = done {
            self.assign(open, Expression::truth(false));
        }
        Ok(())
    }

    /// A comparison of two values that are not NULL.
    pub(super) fn compare(&mut self, operator: Binary, a: &Scalar, b: &Scalar) -> Done<Expression> {
        if a.carried.is_some() || b.carried.is_some() {
            return decline("text of many strings");
        }
        if let (Some(mine), Some(theirs)) = (&a.dictionary, &b.dictionary)
            && !std::sync::Arc::ptr_eq(mine, theirs)
            && mine != theirs
        {
            return decline("texts of two dictionaries");
        }
        let (left, right) = self.alike(a, b)?;
        if left.data_type() != Type::F64 {
            return Ok(Expression::binary(operator, left, right));
        }
        let less = |a: &Expression, b: &Expression| Expression::Call(Helper::FloatLess, vec![a.clone(), b.clone()]);
        let equal = Expression::Call(Helper::FloatEqual, vec![left.clone(), right.clone()]);
        Ok(match operator {
            Binary::Equal => equal,
            Binary::NotEqual => equal.not(),
            Binary::Less => less(&left, &right),
            Binary::Greater => less(&right, &left),
            Binary::LessEqual => less(&right, &left).not(),
            _ => less(&left, &right).not(),
        })
    }

    /// Two values in the wider of their types.
    pub(super) fn alike(&mut self, a: &Scalar, b: &Scalar) -> Done<(Expression, Expression)> {
        let (mine, theirs) = (a.value.data_type(), b.value.data_type());
        let of = match (mine, theirs) {
            _ if mine == theirs => mine,
            (Type::I32 | Type::I64 | Type::I128, Type::I32 | Type::I64 | Type::I128) => mine.max(theirs),
            // One of them is NULL without a type.
            _ if a.null.known() == Some(true) => theirs,
            _ if b.null.known() == Some(true) => mine,
            _ => return decline("a comparison of two types"),
        };
        Ok((a.value.clone().cast(of), b.value.clone().cast(of)))
    }

    /// Comparisons that take NULL as a value: `IS [NOT] DISTINCT FROM`.
    pub(super) fn distinct(&mut self, a: &Scalar, b: &Scalar, differs: bool) -> Done<Scalar> {
        let equal = self.compare(Binary::Equal, a, b)?;
        let neither = a.null.clone().or(b.null.clone()).not();
        let both = a.null.clone().and(b.null.clone());
        let same = both.or(neither.and(equal));
        Ok(Scalar::new(if differs { same.not() } else { same }, Expression::truth(false)))
    }

    /// The greatest or least of the arguments that are not NULL.
    pub(super) fn extreme(&mut self, arguments: &[u32], greatest: bool, of: Type) -> Done<Scalar> {
        if of == Type::U32 {
            return decline("a choice of texts");
        }
        let mut best = Scalar::new(Expression::number(0, of), Expression::truth(true));
        for &argument in arguments {
            let next = self.node(argument)?;
            let next = Scalar::new(next.value.cast(of), next.null);
            let operator = if greatest { Binary::Greater } else { Binary::Less };
            let better = self.compare(operator, &next, &best)?;
            let takes = next.null.clone().not().and(best.null.clone().or(better));
            let takes = self.hold(takes);
            let value = Expression::select(takes, next.value, best.value);
            let value = self.hold(value);
            best = Scalar::new(value, best.null.and(next.null));
        }
        Ok(best)
    }

    /// `a IN (…)` of values that are no texts.
    pub(super) fn in_list(&mut self, arguments: &[u32]) -> Done<Scalar> {
        let (&first, list) = arguments.split_first().expect("IN has a value");
        let value = self.node(first)?;
        let (mut found, mut unknown) = (Expression::truth(false), Expression::truth(false));
        for &one in list {
            let other = self.node(one)?;
            if other.null.known() == Some(true) {
                unknown = Expression::truth(true);
                continue;
            }
            let equal = self.compare(Binary::Equal, &value, &other)?;
            found = found.or(equal);
        }
        let found = self.hold(found);
        let null = value.null.clone().or(unknown.and(found.clone().not()));
        Ok(Scalar::new(found, null))
    }

    /// A function that gives a truth.
    pub(super) fn truth(&mut self, function: Function, arguments: &[u32]) -> Done<Option<Scalar>> {
        use Function as F;
        let operator = match function {
            F::Equal => Binary::Equal,
            F::NotEqual => Binary::NotEqual,
            F::Less => Binary::Less,
            F::LessEqual => Binary::LessEqual,
            F::Greater => Binary::Greater,
            F::GreaterEqual => Binary::GreaterEqual,
            F::And | F::Or => return self.connect(arguments, function == F::Or).map(Some),
            F::InList => return self.in_list(arguments).map(Some),
            F::IsDistinct | F::IsNotDistinct => {
                let (a, b) = (self.node(arguments[0])?, self.node(arguments[1])?);
                return self.distinct(&a, &b, function == F::IsDistinct).map(Some);
            }
            F::Not | F::IsNull | F::IsNotNull | F::IsTrue | F::IsFalse => {
                let a = self.node(arguments[0])?;
                let never = Expression::truth(false);
                return Ok(Some(match function {
                    F::Not => Scalar::new(a.value.not(), a.null),
                    F::IsNull => Scalar::new(a.null, never),
                    F::IsNotNull => Scalar::new(a.null.not(), never),
                    F::IsTrue => Scalar::new(a.is_true(), never),
                    _ => Scalar::new(a.is_false(), never),
                }));
            }
            _ => return Ok(None),
        };
        let (a, b) = (self.node(arguments[0])?, self.node(arguments[1])?);
        let value = self.compare(operator, &a, &b)?;
        Ok(Some(Scalar::new(value, a.null.or(b.null))))
    }
}
