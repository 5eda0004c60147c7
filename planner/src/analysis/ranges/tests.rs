//! Ranges of whole programs.
