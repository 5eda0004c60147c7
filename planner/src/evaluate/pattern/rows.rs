//! Regular expressions made ready once for many rows.

use super::replace::Replacement;
use super::{Pattern, pattern};
use crate::error::Result;
use crate::evaluate::Call;
use crate::types::DataType;
use crate::value::Value;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

/// Says whether texts hold a match.
pub struct Matcher(Rc<Pattern>);

impl Debug for Matcher {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Matcher").field(&self.0.text).finish()
    }
}

impl Matcher {
    /// Of an expression and the letters of its options.
    ///
    /// # Errors
    /// 2201B for what is no expression, 22023 for options that are none, 0A000 for what no automaton matches.
    pub fn new(expression: &str, options: &str) -> Result<Self> {
        pattern(expression, options).map(Matcher)
    }

    /// Whether a text holds a match.
    ///
    /// # Errors
    /// 57014; 54001 for a text that is too long.
    pub fn is_in(&self, text: &str) -> Result<bool> {
        self.0.is_in(text)
    }
}

/// Makes new texts of texts, as `regexp_replace` does.
pub struct Replacer(Replacement);

impl Debug for Replacer {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Replacer").finish_non_exhaustive()
    }
}

impl Replacer {
    /// That of a call's arguments, of which the first may be anything, and their types.
    ///
    /// # Errors
    /// As [`Matcher::new`]; 22023 for numbers that are none.
    pub fn new(arguments: &[Value], types: &[DataType]) -> Result<Self> {
        let function = crate::function::Function::Pattern(crate::function::PatternFunction::Replace);
        Replacement::of(&Call { function, arguments, types, result: DataType::Text }).map(Replacer)
    }

    /// Bytes of what it makes of a text of so many, at most.
    pub fn bytes_max(&self, text: usize) -> usize {
        self.0.bytes_max(text)
    }

    /// Hands over the parts of which the new text is made.
    ///
    /// # Errors
    /// 57014, 54001.
    pub fn each_part(&self, text: &str, mut push: impl FnMut(&str)) -> Result<()> {
        self.0.each_part(text, &mut |part| {
            push(part);
            Ok(())
        })
    }
}
