//! Functions of texts.

use super::expr::Expr;
use super::literal::IntoExpr;
use super::types::{Both, SqlType};
use crate::linq::tree::{Call, Tree};
use multiloop_planner::function::Function;
use multiloop_planner::relation::builder::Operator;

macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident $function:literal -> $gives:ty;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Expr<T::Carry<$gives>> {
            self.calling($function)
        }
        )*
    };
}

macro_rules! pattern_tests {
    ($($(#[$doc:meta])* $name:ident $function:ident $negated:literal;)*) => {
        $($(#[$doc])*
        #[track_caller]
        pub fn $name<P: IntoExpr>(self, pattern: P) -> Expr<Both<T, P::Type, bool>>
        where
            P::Type: SqlType<Base = String>,
        {
            Expr::of(Tree::pattern(Function::$function, $negated, self.tree(), pattern.into_expr().tree()))
        })*
    };
}

impl<T: SqlType<Base = String>> Expr<T> {
    calls! {
        /// In lower case.
        lower "lower" -> String;
        /// In upper case.
        upper "upper" -> String;
        /// Without blanks at both ends.
        trim "btrim" -> String;
        /// The number of characters.
        length "length" -> i32;
    }

    pattern_tests! {
        /// `LIKE`: `%` is any text, `_` any character.
        like Like false;
        /// `NOT LIKE`.
        not_like Like true;
        /// `ILIKE`: `LIKE` without regard to case.
        ilike ILike false;
    }

    /// Whether it begins with a text.
    #[track_caller]
    pub fn starts_with<P: IntoExpr>(self, start: P) -> Expr<Both<T, P::Type, bool>>
    where
        P::Type: SqlType<Base = String>,
    {
        Expr::of(Tree::operator(Operator::StartsWith, self.tree(), start.into_expr().tree()))
    }

    /// The texts one behind the other.
    #[track_caller]
    pub fn concat<P: IntoExpr>(self, other: P) -> Expr<Both<T, P::Type, String>>
    where
        P::Type: SqlType<Base = String>,
    {
        Expr::of(Tree::operator(Operator::Concatenate, self.tree(), other.into_expr().tree()))
    }

    /// So many characters from one on, of which the first is number 1.
    #[track_caller]
    pub fn substring(self, from: i32, count: i32) -> Expr<T::Carry<String>> {
        let arguments = vec![self.tree(), Tree::Number(from.to_string()), Tree::Number(count.to_string())];
        Expr::of(Tree::Call(Call::new("substring", Some(arguments))))
    }

    /// Each place of a text replaced by another one.
    #[track_caller]
    pub fn replace(self, from: &str, to: &str) -> Expr<T::Carry<String>> {
        let arguments = vec![self.tree(), Tree::Text(from.to_owned()), Tree::Text(to.to_owned())];
        Expr::of(Tree::Call(Call::new("replace", Some(arguments))))
    }
}
