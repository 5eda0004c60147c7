//! The tuples that traits are implemented for, listed once.

/// Calls a macro once for each tuple of one to twelve fields, with the fields' types and places: `A 0, B 1` for two. With `shorter` the
/// longest one is left out: for what a tuple becomes that grows by a field.
macro_rules! for_tuples {
    ($each:ident) => {
        $crate::tuples::for_tuples! { @longer $each [] A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11 }
    };
    (shorter $each:ident) => {
        $crate::tuples::for_tuples! { @longer $each [] A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10 }
    };
    (@longer $each:ident [$($of:ident $at:tt),*] $last:ident $place:tt) => {
        $each! { $($of $at,)* $last $place }
    };
    (@longer $each:ident [$($of:ident $at:tt),*] $next:ident $place:tt, $($rest:tt)+) => {
        $each! { $($of $at,)* $next $place }
        $crate::tuples::for_tuples! { @longer $each [$($of $at,)* $next $place] $($rest)+ }
    };
}

pub(crate) use for_tuples;
