//! The numbers of the catalogs that pg_depend, pg_description and the like name.

pub(crate) const PG_CLASS: u32 = 1259;
pub(crate) const PG_CONSTRAINT: u32 = 2606;
pub(crate) const PG_TYPE: u32 = 1247;
pub(crate) const PG_PROC: u32 = 1255;
pub(super) const PG_NAMESPACE: u32 = 2615;
pub(super) const PG_REWRITE: u32 = 2618;
pub(super) const PG_ATTRDEF: u32 = 2604;
