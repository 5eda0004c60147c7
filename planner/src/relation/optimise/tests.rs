//! Plans of toy catalogs.
