//! What a derive reads: the struct's name, its columns, and what its attributes say of them.

use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type, Visibility};

/// Fields that a struct may have: as many as columns a table may have.
const FIELDS_MAX: usize = 1600;

/// A struct that is a row.
pub(crate) struct Shape<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    pub(crate) docs: Vec<&'a Attribute>,
    pub(crate) table: Option<LitStr>,
    /// Whether it has no twin in queries.
    pub(crate) is_untyped: bool,
    pub(crate) members: Vec<Member<'a>>,
}

/// A field of the struct.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    pub(crate) docs: Vec<&'a Attribute>,
    /// The name of its column.
    pub(crate) column: String,
    pub(crate) of: &'a Type,
}

impl Member<'_> {
    /// How messages name it: `Trip::km`.
    pub(crate) fn path(&self, shape: &Shape<'_>) -> String {
        format!("{}::{}", shape.name.unraw(), self.name.unraw())
    }
}

/// What `#[row(…)]` says of the struct.
#[derive(Default)]
struct StructAttributes {
    table: Option<LitStr>,
    prefix: Option<LitStr>,
    is_untyped: bool,
}

impl<'a> Shape<'a> {
    /// Reads a struct.
    ///
    /// # Errors
    /// With the place that is wrong: what is no struct with named fields, is generic, or has attributes that mean nothing.
    pub(crate) fn of(input: &'a DeriveInput) -> Result<Self> {
        let fields = match &input.data {
            Data::Struct(data) => &data.fields,
            Data::Enum(data) => return Err(Error::new(data.enum_token.span, no_struct("an enum"))),
            Data::Union(data) => return Err(Error::new(data.union_token.span, no_struct("a union"))),
        };
        let named = match fields {
            Fields::Named(named) if !named.named.is_empty() => &named.named,
            Fields::Unnamed(unnamed) => {
                let message = "a row's columns have names, which the fields of a tuple struct do not: name them, as in \
                               `struct Trip { city: String }`; for columns by place use a tuple, as in `query_as::<(i64, String)>`";
                return Err(Error::new(unnamed.paren_token.span.join(), message));
            }
            _ => return Err(Error::new(input.ident.span(), "a row has at least one column: add a field")),
        };
        if named.len() > FIELDS_MAX {
            return Err(Error::new(input.ident.span(), format!("a row has at most {FIELDS_MAX} columns")));
        }
        if !input.generics.params.is_empty() {
            let message = "a row is a struct without type parameters and lifetimes: its columns have one type each, and own their \
                           values (`String` instead of `&str`)";
            return Err(Error::new_spanned(&input.generics, message));
        }
        let attributes = struct_attributes(&input.attrs)?;
        let prefix = attributes.prefix.as_ref().map(LitStr::value).unwrap_or_default();
        let mut members = Vec::with_capacity(named.len());
        let mut taken: HashMap<String, &Ident> = HashMap::new();
        for field in named {
            let Some(name) = &field.ident else { continue };
            let renamed = field_name(&field.attrs)?;
            let place = renamed.as_ref().map_or(name.span(), LitStr::span);
            let column = renamed.map_or_else(|| format!("{prefix}{}", name.unraw()), |name| name.value());
            if let Some(other) = taken.insert(column.clone(), name) {
                let message = format!("column \"{column}\" is that of the field `{other}`, too");
                return Err(Error::new(place, message));
            }
            members.push(Member { name, visibility: &field.vis, docs: docs_of(&field.attrs), column, of: &field.ty });
        }
        let (table, is_untyped) = (attributes.table, attributes.is_untyped);
        Ok(Shape {
            name: &input.ident,
            visibility: &input.vis,
            docs: docs_of(&input.attrs),
            table,
            is_untyped,
            members,
        })
    }
}

fn docs_of(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).collect()
}

fn no_struct(what: &str) -> String {
    format!("a row is a struct with named fields, and this is {what}: make one of it whose fields are the columns")
}

fn struct_attributes(attributes: &[Attribute]) -> Result<StructAttributes> {
    let mut read = StructAttributes::default();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("table") {
                set_text(&mut read.table, &meta)
            } else if meta.path.is_ident("prefix") {
                set_text(&mut read.prefix, &meta)
            } else if meta.path.is_ident("untyped") {
                read.is_untyped = true;
                Ok(())
            } else if meta.path.is_ident("name") {
                Err(meta.error("`name` belongs to a field; the table of a struct is `table = \"…\"`"))
            } else {
                Err(meta.error("a struct has `table = \"…\"`, `prefix = \"…\"` and `untyped`"))
            }
        })?;
    }
    Ok(read)
}

fn field_name(attributes: &[Attribute]) -> Result<Option<LitStr>> {
    let mut name = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                set_text(&mut name, &meta)
            } else {
                Err(meta.error("a field has `name = \"…\"`: the name of its column"))
            }
        })?;
    }
    Ok(name)
}

/// Reads `key = "text"`, once.
fn set_text(slot: &mut Option<LitStr>, meta: &ParseNestedMeta<'_>) -> Result<()> {
    let text: LitStr = meta.value()?.parse()?;
    let wrong = |message: &str| Err(Error::new(text.span(), message));
    if text.value().is_empty() {
        return wrong("this name is empty");
    }
    if text.value().contains('\0') {
        return wrong("a name has no zero byte");
    }
    if slot.is_some() {
        return Err(meta.error("this is said twice"));
    }
    *slot = Some(text);
    Ok(())
}
