//! Placeholder of column/statistics.
