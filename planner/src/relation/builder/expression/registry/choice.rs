//! Functions that choose among values of one type, or look at types and NULLs alone.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["coalesce"], "any, …", "the common type", "the first argument that is not NULL"),
    described(&["nullif"], "any, any", "the first's type", "NULL if both are equal, else the first"),
    described(&["greatest"], "any, …", "the common type", "the largest argument that is not NULL"),
    described(&["least"], "any, …", "the common type", "the smallest argument that is not NULL"),
    described(&["num_nulls"], "any, …", "integer", "how many arguments are NULL"),
    described(&["num_nonnulls"], "any, …", "integer", "how many arguments are not NULL"),
    described(&["pg_typeof"], "any", "regtype", "the argument's type"),
];
