//! The pages of `docs/` that are about this crate: their code is compiled and run as doc tests.

/// `docs/linq.md`.
#[doc = include_str!("../../docs/linq.md")]
struct GuideToLinq;

/// `docs/embed.md`.
#[doc = include_str!("../../docs/embed.md")]
struct GuideToEmbedding;

/// `docs/nested.md`.
#[doc = include_str!("../../docs/nested.md")]
struct GuideToNestedPrograms;
