//! The ways of a struct out of results and into tables: `FromRow` and `AppendRow`, column by column by name.

use crate::shape::{Member, Shape};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

/// `FromRow`: where the columns stand is looked up once a result, and checked there.
pub(crate) fn from_row(shape: &Shape<'_>) -> TokenStream {
    let row = shape.name;
    let places = 0..shape.members.len();
    let names = shape.members.iter().map(|member| member.name);
    let fetched = shape.members.iter().zip(places).map(|(member, at)| {
        // An error about the type stands at the field's type.
        quote_spanned!(at_type(member)=> columns.get(#at)?)
    });
    let checks = shape.members.iter().map(|member| {
        let (of, column, path) = (member.of, &member.column, member.path(shape));
        quote_spanned!(at_type(member)=> ::multiloop::__derive::check_column::<#of>(fields, #column, #path)?;)
    });
    quote! {
        #[automatically_derived]
        impl ::multiloop::FromRow for #row {
            #[inline]
            fn from_row(row: &::multiloop::Row) -> ::multiloop::Result<Self> {
                let columns = ::multiloop::__derive::NamedColumns::of(row, <Self as ::multiloop::AppendRow>::columns())?;
                ::core::result::Result::Ok(Self { #(#names: #fetched,)* })
            }

            fn check(fields: &[::multiloop::Field]) -> ::multiloop::Result<()> {
                #(#checks)*
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// `AppendRow`, which says the columns' names.
pub(crate) fn append_row(shape: &Shape<'_>) -> TokenStream {
    let row = shape.name;
    let count = shape.members.len();
    let columns = shape.members.iter().map(|member| &member.column);
    let written = shape.members.iter().map(|member| {
        let name = member.name;
        quote_spanned!(at_type(member)=> ::multiloop::AppendField::append_field(&self.#name, row)?;)
    });
    quote! {
        #[automatically_derived]
        impl ::multiloop::AppendRow for #row {
            #[inline]
            fn append_to(&self, row: &mut ::multiloop::RowWriter<'_>) -> ::multiloop::Result<()> {
                #(#written)*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn columns() -> &'static [&'static str] {
                static COLUMNS: [&str; #count] = [#(#columns),*];
                &COLUMNS
            }
        }
    }
}

/// Where errors about a field's type stand. Names mean what they mean elsewhere in the code, also if a macro has made the struct.
pub(crate) fn at_type(member: &Member<'_>) -> Span {
    Span::call_site().located_at(member.of.span())
}
