//! `*` and `t.*` with EXCLUDE, REPLACE and RENAME behind them.

use super::binder::Binder;
use super::query::Unknown;
use crate::catalog::TableName;
use crate::error::{Error, ErrorKind, Result};
use crate::relation::builder::{Scope, SelectItem};
use sqlparser::ast::{self, ExcludeSelectItem, RenameSelectItem, Spanned};

impl Binder<'_, '_> {
    /// The items of `*` as the words behind it change them.
    pub(super) fn bind_star(
        &mut self,
        mut items: Vec<SelectItem>,
        options: &ast::WildcardAdditionalOptions,
        scope: &Scope<'_>,
    ) -> Result<Vec<SelectItem>> {
        let ast::WildcardAdditionalOptions {
            wildcard_token,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let position = self.position(wildcard_token.0.span);
        if opt_ilike.is_some() || opt_except.is_some() || opt_alias.is_some() {
            return Err(Error::unsupported("* with ILIKE, EXCEPT or AS is").at(position));
        }
        let renamed = opt_rename.as_ref().map(|rename| self.renames(rename, &items, scope)).transpose()?;
        let replaced: &[Box<ast::ReplaceSelectElement>] = opt_replace.as_ref().map_or(&[], |replace| &replace.items);
        let mut changed = Vec::with_capacity(replaced.len());
        for element in replaced {
            let ast::ReplaceSelectElement { expr, column_name, as_keyword: _ } = &**element;
            let (name, position) = (Self::fold(column_name), self.position(column_name.span));
            let places = self.builder.star_places(&items, (None, &name), "REPLACE", scope, position)?;
            if changed.iter().any(|(known, _)| known == &places) {
                return Err(duplicate(&name, "REPLACE").at(position));
            }
            let value = self.bind_expression(expr, scope)?;
            let item = self.builder.item(name, value, Unknown::AsText.data_type(0))?;
            changed.push((places, item));
        }
        let left_out = match opt_exclude {
            Some(exclude) => self.excluded(exclude, &items, scope)?,
            None => Vec::new(),
        };
        for (places, item) in changed {
            if places.iter().any(|place| left_out.contains(place)) {
                let message = format!("column \"{}\" cannot occur in both EXCLUDE and REPLACE list", item.name());
                return Err(Error::new(ErrorKind::Syntax, message).at(position));
            }
            places.into_iter().for_each(|place| items[place] = item.clone());
        }
        for (place, name) in renamed.unwrap_or_default() {
            items[place] = items[place].clone().renamed(name);
        }
        let kept = items.into_iter().enumerate().filter(|(place, _)| !left_out.contains(place));
        let kept: Vec<SelectItem> = kept.map(|(_, item)| item).collect();
        if kept.is_empty() && !left_out.is_empty() {
            let message = "nothing is left of * behind EXCLUDE";
            return Err(Error::new(ErrorKind::Syntax, message).at(position));
        }
        Ok(kept)
    }

    /// The places that EXCLUDE leaves out.
    fn excluded(&self, exclude: &ExcludeSelectItem, items: &[SelectItem], scope: &Scope<'_>) -> Result<Vec<usize>> {
        let names = match exclude {
            ExcludeSelectItem::Single(name) => std::slice::from_ref(name),
            ExcludeSelectItem::Multiple(names) => names.as_slice(),
        };
        let mut left_out = Vec::with_capacity(names.len());
        for name in names {
            let position = self.position(name.span());
            let (table, column) = self.split_column(name)?;
            let places = self.builder.star_places(items, (table.as_ref(), &column), "EXCLUDE", scope, position)?;
            if places.iter().any(|place| left_out.contains(place)) {
                return Err(duplicate(&column, "EXCLUDE").at(position));
            }
            left_out.extend(places);
        }
        Ok(left_out)
    }

    /// The places that RENAME names, and their new names.
    fn renames(
        &self,
        rename: &RenameSelectItem,
        items: &[SelectItem],
        scope: &Scope<'_>,
    ) -> Result<Vec<(usize, String)>> {
        let pairs = match rename {
            RenameSelectItem::Single(pair) => std::slice::from_ref(pair),
            RenameSelectItem::Multiple(pairs) => pairs.as_slice(),
        };
        let mut renamed = Vec::with_capacity(pairs.len());
        for ast::IdentWithAlias { ident, alias } in pairs {
            let (name, position) = (Self::fold(ident), self.position(ident.span));
            let places = self.builder.star_places(items, (None, &name), "RENAME", scope, position)?;
            if renamed.iter().any(|(known, _)| places.contains(known)) {
                return Err(duplicate(&name, "RENAME").at(position));
            }
            renamed.extend(places.into_iter().map(|place| (place, Self::fold(alias))));
        }
        Ok(renamed)
    }

    /// The table, if one is named, and the name of a column.
    fn split_column(&self, name: &ast::ObjectName) -> Result<(Option<TableName>, String)> {
        let parts: Option<Vec<&ast::Ident>> = name.0.iter().map(ast::ObjectNamePart::as_ident).collect();
        match parts.as_deref() {
            Some([column]) => Ok((None, Self::fold(column))),
            Some([table, column]) => {
                Ok((Some(TableName { schema: None, name: Self::fold(table) }), Self::fold(column)))
            }
            Some([schema, table, column]) => {
                let table = TableName { schema: Some(Self::fold(schema)), name: Self::fold(table) };
                Ok((Some(table), Self::fold(column)))
            }
            _ => Err(Error::unsupported("such a name of a column is").at(self.position(name.span()))),
        }
    }
}

fn duplicate(name: &str, list: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("column \"{name}\" occurs more than once in {list} list"))
}
