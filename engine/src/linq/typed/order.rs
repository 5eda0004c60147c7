//! Keys of orders.

use super::arena::{self, Lift};
use super::expr::Expr;
use crate::linq::expression::Order;
use crate::tuples::for_tuples;
use multiloop_planner::types::SortOrder;
use std::panic::Location;

/// A key of an order: a value and its direction. A plain value is one, too: smallest first, NULLs last.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    value: Lift,
    order: SortOrder,
    caller: &'static Location<'static>,
}

impl Key {
    pub(super) fn of<T>(value: Expr<T>, caller: &'static Location<'static>) -> Self {
        Key { value: value.lift(), order: SortOrder { descending: false, nulls_first: false }, caller }
    }

    /// The other direction; NULLs go to the other end, too.
    #[must_use]
    pub fn reversed(self) -> Self {
        let SortOrder { descending, nulls_first } = self.order;
        Key { order: SortOrder { descending: !descending, nulls_first: !nulls_first }, ..self }
    }

    /// NULLs before all others.
    #[must_use]
    pub fn nulls_first(self) -> Self {
        Key { order: SortOrder { nulls_first: true, ..self.order }, ..self }
    }

    /// NULLs behind all others.
    #[must_use]
    pub fn nulls_last(self) -> Self {
        Key { order: SortOrder { nulls_first: false, ..self.order }, ..self }
    }

    /// The key, and which column of the rows so far it is.
    pub(super) fn lower(self) -> (Order, Option<u32>) {
        let (tree, column) = arena::tree(self.value, self.caller);
        (Order { tree, order: self.order }, column)
    }
}

/// Keys of an order, most significant first: a value, a [`Key`], or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key to order by",
    note = "keys are values, values with `.asc()` or `.desc()`, and tuples of these"
)]
pub trait Keys {
    /// Each key.
    #[doc(hidden)]
    fn keys(self) -> Vec<Key>;
}

impl Keys for Key {
    fn keys(self) -> Vec<Key> {
        vec![self]
    }
}

impl<T> Keys for Expr<T> {
    #[track_caller]
    fn keys(self) -> Vec<Key> {
        vec![Key::of(self, Location::caller())]
    }
}

impl<K: Keys> Keys for Vec<K> {
    fn keys(self) -> Vec<Key> {
        self.into_iter().flat_map(Keys::keys).collect()
    }
}

macro_rules! tuples {
    ($($of:ident $at:tt),*) => {
        impl<$($of: Keys),*> Keys for ($($of,)*) {
            #[track_caller]
            fn keys(self) -> Vec<Key> {
                let mut keys = Vec::new();
                $(keys.extend(self.$at.keys());)*
                keys
            }
        }
    };
}

for_tuples!(tuples);
