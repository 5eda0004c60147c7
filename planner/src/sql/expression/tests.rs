//! Binding single expressions: types, constants, errors.
