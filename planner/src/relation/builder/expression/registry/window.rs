//! Window functions that are no aggregates.

use super::{Described, FunctionKind};

const fn window(
    names: &'static [&'static str],
    arguments: &'static str,
    result: &'static str,
    summary: &'static str,
) -> Described {
    Described { names, kind: FunctionKind::Window, arguments, result, summary }
}

pub(super) const DESCRIBED: &[Described] = &[
    window(&["row_number"], "", "bigint", "the row's place in its partition, from 1"),
    window(&["rank"], "", "bigint", "the place of the row's first peer"),
    window(&["dense_rank"], "", "bigint", "which group of peers the row is in, from 1"),
    window(&["percent_rank"], "", "double precision", "(rank - 1) / (rows - 1)"),
    window(&["cume_dist"], "", "double precision", "the share of rows before it or beside it in the order"),
    window(&["ntile"], "integer", "integer", "which of so many buckets of one size the row is in"),
    window(&["lag"], "anyelement [, integer [, anyelement]]", "anyelement", "the value so many rows before"),
    window(&["lead"], "anyelement [, integer [, anyelement]]", "anyelement", "the value so many rows behind"),
    window(&["first_value"], "anyelement", "anyelement", "the value of the frame's first row"),
    window(&["last_value"], "anyelement", "anyelement", "the value of the frame's last row"),
    window(&["nth_value"], "anyelement, integer", "anyelement", "the value of the frame's n-th row"),
];
