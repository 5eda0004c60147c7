//! CUDA C as values: types, expressions, statements, kernels, and their text.
//!
//! Everything has a type, and what is put together is checked when it is put together, so that a wrong kernel shows in the
//! test that makes it rather than in a compiler's message. Names are numbers that are given in the order in which variables are
//! made, and nothing of the statement (names, literals, texts) gets into a source: two statements that do the same have one
//! source, which is the key of the cache of compiled code. Literals are parameters of kernels.
//!
//! `types` are C's types; `expression` and `statement` the trees; `helpers` the functions that every source may call, as fixed
//! text; `print` makes the text of a source.

pub(crate) mod expression;
pub(crate) mod helpers;
pub(crate) mod print;
pub(crate) mod statement;
pub(crate) mod types;
