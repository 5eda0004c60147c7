//! ARRAY[…], subscripts, slices and fields.

use super::data_type::restriction;
use super::structure::quoted_text;
use crate::error::{Error, Result};
use crate::relation::Expression;
use crate::relation::builder::{Scope, Subscript};
use crate::sql::binder::Binder;
use crate::types::DataType;
use sqlparser::ast::{self, AccessExpr};

impl Binder<'_, '_> {
    /// `ARRAY[a, b, …]`; within it `[a, b]` is an array, too.
    pub(super) fn bind_array(&mut self, array: &ast::Array, scope: &Scope<'_>) -> Result<Expression> {
        let position = array.elem.first().and_then(|first| self.start(first));
        let items = array.elem.iter().map(|item| self.bind_expression(item, scope)).collect::<Result<_>>()?;
        self.builder.array(items, position)
    }

    /// `ARRAY[…]` with a type of arrays behind it, which its elements are cast to, however deep they are; none for anything
    /// else that is cast.
    pub(super) fn bind_typed_array(
        &mut self,
        value: &ast::Expr,
        data_type: &ast::DataType,
        scope: &Scope<'_>,
    ) -> Result<Option<Expression>> {
        let mut inner = value;
        while let ast::Expr::Nested(within) = inner {
            inner = within;
        }
        let ast::Expr::Array(array) = inner else { return Ok(None) };
        let position = self.start(value);
        let to = self.data_type(data_type, position)?;
        let (Some(element), None) = (to.element(), restriction(data_type)) else { return Ok(None) };
        let array = self.bind_elements(array, element, scope).map_err(|error| error.at(position))?;
        self.builder.cast(array, to, None).map(Some)
    }

    fn bind_elements(&mut self, array: &ast::Array, element: DataType, scope: &Scope<'_>) -> Result<Expression> {
        let list = DataType::list(element);
        let position = array.elem.first().and_then(|first| self.start(first));
        if array.elem.is_empty() {
            let empty = self.builder.empty_array(list);
            return empty.ok_or_else(|| Error::internal("a list is an array"));
        }
        let mut items = Vec::with_capacity(array.elem.len());
        for item in &array.elem {
            items.push(match item {
                ast::Expr::Array(inner) => {
                    self.deeper(position, |binder| binder.bind_elements(inner, element, scope))?
                }
                item => self.bind_expression(item, scope)?,
            });
        }
        let is_list = |of: DataType| of.element().is_some() || (of.is_vector() && !element.is_vector());
        let to = if items.iter().any(|item| is_list(item.data_type)) { list } else { element };
        let items = items.into_iter().map(|item| self.builder.cast(item, to, None)).collect::<Result<_>>()?;
        self.builder.array(items, position)
    }

    /// `value[i]`, `value[i:j][k]`, `(row).field`, one behind the other.
    pub(super) fn bind_accesses(
        &mut self,
        root: &ast::Expr,
        chain: &[AccessExpr],
        scope: &Scope<'_>,
    ) -> Result<Expression> {
        let position = self.start(root);
        let (mut value, behind) = self.bind_root(root, chain, scope)?;
        let mut subscripts = Vec::new();
        let mut behind = behind.iter().peekable();
        while let Some(access) = behind.next() {
            match access {
                AccessExpr::Subscript(ast::Subscript::Index { index }) => {
                    if let Some(name) = quoted_text(index) {
                        value = self.subscripted(value, &mut subscripts)?;
                        if let Some(field) = self.bind_named_subscript(&value, name, position)? {
                            value = field;
                            continue;
                        }
                    }
                    subscripts.push(Subscript::At(self.bind_expression(index, scope)?));
                }
                AccessExpr::Subscript(ast::Subscript::Slice { lower_bound, upper_bound, stride: None }) => {
                    let mut bound = |bound: &Option<ast::Expr>| {
                        bound.as_ref().map(|bound| self.bind_expression(bound, scope)).transpose()
                    };
                    let lower = bound(lower_bound)?;
                    subscripts.push(Subscript::Slice(lower, bound(upper_bound)?));
                }
                AccessExpr::Subscript(ast::Subscript::Slice { lower_bound, upper_bound, stride: Some(step) }) => {
                    value = self.subscripted(value, &mut subscripts)?;
                    let mut bound = |bound: &ast::Expr| self.bind_expression(bound, scope);
                    let lower = lower_bound.as_ref().map(&mut bound).transpose()?;
                    let upper = upper_bound.as_ref().map(&mut bound).transpose()?;
                    let step = bound(step)?;
                    value = self.builder.stepped_slice(value.at(position), lower, upper, step)?;
                }
                AccessExpr::Dot(ast::Expr::Identifier(field)) => {
                    value = self.subscripted(value, &mut subscripts)?;
                    value = self.members(value.at(position), &[field], behind.peek().is_some())?;
                }
                AccessExpr::Dot(_) => {
                    return Err(Error::unsupported(format_args!("the access {access} is")).at(value.position));
                }
            }
        }
        self.subscripted(value, &mut subscripts)
    }

    /// What is accessed, and what is behind it: names behind a name without parentheses are a column's.
    fn bind_root<'c>(
        &mut self,
        root: &ast::Expr,
        chain: &'c [AccessExpr],
        scope: &Scope<'_>,
    ) -> Result<(Expression, &'c [AccessExpr])> {
        let mut parts = match root {
            ast::Expr::Identifier(name) => vec![name.clone()],
            ast::Expr::CompoundIdentifier(parts) => parts.clone(),
            // `user.name`: a column may be called so, and no function has fields.
            ast::Expr::Function(ast::Function { name, args: ast::FunctionArguments::None, .. }) => {
                match name.0.first().and_then(|part| part.as_ident()) {
                    Some(name) if self.has_members(name, scope) => vec![name.clone()],
                    _ => return Ok((self.bind_expression(root, scope)?, chain)),
                }
            }
            _ => return Ok((self.bind_expression(root, scope)?, chain)),
        };
        let name = |access: &AccessExpr| match access {
            AccessExpr::Dot(ast::Expr::Identifier(name)) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<ast::Ident> = chain.iter().map_while(name).collect();
        if names.is_empty() {
            return Ok((self.bind_expression(root, scope)?, chain));
        }
        let behind = &chain[names.len()..];
        parts.extend(names);
        Ok((self.bind_qualified(&parts, scope)?, behind))
    }

    /// Whether a column of this name is a json, a row or a struct.
    fn has_members(&mut self, name: &ast::Ident, scope: &Scope<'_>) -> bool {
        let column = self.builder.column(scope, None, &Self::fold(name), None);
        column.is_ok_and(|column| {
            column.data_type.members().is_some() || matches!(column.data_type, DataType::Json | DataType::Jsonb)
        })
    }

    /// The element or part that subscripts mean, which are used up.
    fn subscripted(&mut self, value: Expression, subscripts: &mut Vec<Subscript>) -> Result<Expression> {
        if subscripts.is_empty() {
            return Ok(value);
        }
        self.builder.subscripts(value, std::mem::take(subscripts))
    }
}
