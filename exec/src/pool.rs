//! Placeholder of pool.
