//! Placeholder of topology.
