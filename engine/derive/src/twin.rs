//! The lifted twin of a struct, which is a row of it in a query, and what makes the struct a record of a table.

use crate::rows::at_type;
use crate::shape::{Member, Shape};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

/// `struct TripExpr`, with a lifted value for each field.
pub(crate) fn twin(shape: &Shape<'_>) -> TokenStream {
    let (row, visibility, twin) = (shape.name, shape.visibility, name(shape));
    let about = format!("A row of [`{}`] in a query: its values, as expressions.", row.unraw());
    let docs = if shape.docs.is_empty() { quote!() } else { documented(&shape.docs) };
    let fields = shape.members.iter().map(|member| {
        let Member { name, visibility, of, .. } = member;
        let docs = if member.docs.is_empty() {
            let about = format!("The column `{}`.", member.column);
            quote!(#[doc = #about])
        } else {
            documented(&member.docs)
        };
        quote_spanned!(at_type(member)=> #docs #visibility #name: ::multiloop::linq::Expr<#of>)
    });
    quote! {
        #[doc = #about]
        #docs
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #twin {
            #(#fields,)*
        }
    }
}

fn name(shape: &Shape<'_>) -> syn::Ident {
    format_ident!("{}Expr", shape.name.unraw())
}

/// Documentation as it was written, behind what stands there.
fn documented(docs: &[&syn::Attribute]) -> TokenStream {
    quote!(#[doc = ""] #(#docs)*)
}

/// `Lifted` and `Append` for the twin, field by field in their order.
pub(crate) fn lifted(shape: &Shape<'_>) -> TokenStream {
    let (row, twin, width) = (shape.name, name(shape), shape.members.len());
    let names: Vec<_> = shape.members.iter().map(|member| member.name).collect();
    let columns = shape.members.iter().map(|member| &member.column);
    let checks = shape.members.iter().map(|member| {
        let of = member.of;
        quote_spanned!(at_type(member)=> columns.check_next::<#of>()?;)
    });
    quote! {
        #[automatically_derived]
        impl ::multiloop::linq::Lifted for #twin {
            type Row = #row;
            const WIDTH: usize = #width;

            fn lift(columns: &mut ::multiloop::linq::Columns<'_>) -> Self {
                Self { #(#names: columns.next_value(),)* }
            }

            fn lower(&self, fields: &mut ::multiloop::linq::Fields) {
                #(fields.push(#columns, self.#names);)*
            }

            #[inline]
            fn read(row: &mut ::multiloop::linq::RowReader<'_>) -> ::multiloop::Result<#row> {
                ::core::result::Result::Ok(#row { #(#names: row.next_value()?,)* })
            }

            fn check(columns: &mut ::multiloop::linq::FieldReader<'_>) -> ::multiloop::Result<()> {
                #(#checks)*
                ::core::result::Result::Ok(())
            }
        }

        #[automatically_derived]
        impl<S: ::multiloop::linq::Lifted> ::multiloop::linq::Append<S> for #twin {
            type Joined = (Self, S);
        }
    }
}

/// `Record`, by which a table is checked.
pub(crate) fn record(shape: &Shape<'_>) -> TokenStream {
    let (row, twin, count) = (shape.name, name(shape), shape.members.len());
    let table = match &shape.table {
        Some(table) => quote!(::core::option::Option::Some(#table)),
        None => quote!(::core::option::Option::None),
    };
    let columns = shape.members.iter().map(|member| {
        let (column, path, of) = (&member.column, member.path(shape), member.of);
        let written = quote!(#of).to_string().replace(' ', "");
        quote_spanned! {at_type(member)=>
            ::multiloop::linq::RecordColumn {
                name: #column,
                member: #path,
                rust_type: #written,
                is_optional: <#of as ::multiloop::linq::SqlType>::OPTIONAL,
                sql_type: <#of as ::multiloop::linq::SqlType>::sql_type,
                is_of: <#of as ::multiloop::linq::SqlType>::is_of,
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl ::multiloop::linq::Record for #row {
            type Expr = #twin;
            const TABLE: ::core::option::Option<&'static str> = #table;

            fn record() -> &'static [::multiloop::linq::RecordColumn] {
                static COLUMNS: [::multiloop::linq::RecordColumn; #count] = [#(#columns),*];
                &COLUMNS
            }
        }
    }
}
