//! Placeholder of column/build.
