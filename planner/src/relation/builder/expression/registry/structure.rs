//! Functions of structs, DuckDB's.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["struct_pack"], "name := any, …", "struct", "a struct of named fields, as {'name': value}"),
    described(&["struct_extract"], "struct, text", "the field's type", "a field by its name"),
    described(&["struct_extract_at"], "struct, integer", "the field's type", "a field by its place, from 1"),
    described(&["struct_insert"], "struct, name := any, …", "struct", "the struct with more fields"),
    described(&["struct_update"], "struct, name := any, …", "struct", "the struct with other or more fields"),
    described(&["struct_concat"], "struct, …", "struct", "a struct of the fields of all"),
    described(&["struct_keys"], "struct", "text[]", "the names of the fields"),
    described(&["struct_values"], "struct", "record", "the fields as a row"),
];
