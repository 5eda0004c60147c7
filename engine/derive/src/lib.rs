//! `#[derive(Row)]`: structs as rows of Multiloop's tables and results.
//!
//! `shape` reads the struct and its attributes, and refuses what is no row; `rows` generates the ways out of results and into
//! tables, `twin` what the struct is in queries. Generated code names everything by its full path from `::multiloop`, which re-exports the macro.

mod rows;
mod shape;
#[cfg(test)]
mod tests;
mod twin;

use proc_macro2::TokenStream;
use shape::Shape;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a row: of results (`FromRow`) and for tables (`AppendRow`), column by column by name.
///
/// A field is the column of its name, in lower case or not as the name is. On the struct, `#[row(prefix = "l_")]` puts a prefix
/// before the names of all columns; on a field, `#[row(name = "l_comment")]` says the whole name. A column that may be NULL is an
/// `Option`. A result may have more columns than the struct has fields; a table's other columns get their defaults.
///
/// In queries as closures over lifted values a row of `Trip` is a `TripExpr`, of the same visibility: a struct of the same fields,
/// each an expression of the field's type. So the fields' types are those of values of queries; a struct with others, as `u8` or
/// `Vec<i64>`, says `#[row(untyped)]` and has no twin. `#[row(table = "lineitem")]` names the table that `Session::rows_of` opens.
///
/// ```ignore
/// use multiloop::{Engine, Row};
///
/// #[derive(Row, Debug, PartialEq)]
/// #[row(table = "trips")]
/// struct Trip {
///     city: String,
///     km: f64,
///     #[row(name = "comment")]
///     remark: Option<String>,
/// }
///
/// let session = Engine::new()?.session();
/// session.sql("CREATE TABLE trips (km double precision, comment text, city text)")?;
/// let trip = Trip { city: "Bern".to_owned(), km: 90.5, remark: None };
/// session.insert("trips", [&trip])?;
/// let trips = session.query_as::<Trip>("SELECT * FROM trips", ())?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(trips, [trip]);
/// ```
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// The code for a struct.
fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let shape = Shape::of(input)?;
    let mut code = rows::from_row(&shape);
    code.extend(rows::append_row(&shape));
    if !shape.is_untyped {
        code.extend(twin::twin(&shape));
        code.extend(twin::lifted(&shape));
        code.extend(twin::record(&shape));
    }
    Ok(code)
}
