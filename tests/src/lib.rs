//! Whole-engine suites. The suites are in `tests/tests/`; what they share is here.
