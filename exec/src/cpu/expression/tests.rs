//! Expressions against the definition of what functions mean.
