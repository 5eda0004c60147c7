//! Functions that choose among values of one type, or look at types and NULLs alone.

use super::{Described, described};

pub(super) const DESCRIBED: &[Described] = &[
    described(&["coalesce"], "any, …", "the common type", "the first argument that is not NULL"),
    described(&["nullif"], "any, any", "the first's type", "NULL if both are equal, else the first"),
    described(&["greatest"], "any, …", "the common type", "the largest argument that is not NULL"),
    described(&["least"], "any, …", "the common type", "the smallest argument that is not NULL"),
    described(&["num_nulls"], "any, …", "integer", "how many arguments are NULL"),
    described(&["num_nonnulls"], "any, …", "integer", "how many arguments are not NULL"),
    described(&["ifnull"], "any, any", "the common type", "the first argument, or the second where it is NULL"),
    described(&["typeof"], "any", "text", "the argument's type by DuckDB's name"),
    described(&["enum_first"], "anyenum", "anyenum", "the first label of the argument's type"),
    described(&["enum_last"], "anyenum", "anyenum", "the last label of the argument's type"),
    described(&["enum_range"], "anyenum [, anyenum]", "anyarray", "all labels of a type, or those from one to another"),
    described(&["gen_random_uuid", "uuid"], "", "uuid", "a random uuid of the fourth version"),
    described(&["hash"], "any, …", "bigint", "a number by which values can be told apart"),
    described(&["pg_typeof"], "any", "regtype", "the argument's type"),
];
