//! Placeholder of schedule.
