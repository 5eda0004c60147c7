//! Sums and moments that neither the order of their input nor how it was spread shows in.

pub mod exact_sum;
pub mod integer_sum;
pub mod moments;
pub(crate) mod statistic;
