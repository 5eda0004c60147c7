//! Which instructions kernels may use: decided once, when the first kernel runs.

use crate::{Error, ErrorKind, Result};
use std::sync::OnceLock;

/// What the CPU offers, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every CPU of the architecture has.
    Portable,
    /// AVX2, and the instructions for single bits that every CPU with it has: BMI 1 and 2, LZCNT and POPCNT.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and the instructions for single bits.
    Avx512,
}

/// The environment variable that asks for a level.
const VARIABLE: &str = "MULTILOOP_CPU";

impl Level {
    /// The best level that the CPU has, or the one that the environment variable `MULTILOOP_CPU` asks for: `portable`,
    /// `avx2` or `avx512`. One that the CPU does not have, or nobody knows, is the best again; [`Level::check`] says so.
    #[inline]
    pub fn get() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| Level::asked(std::env::var(VARIABLE).ok().as_deref()).unwrap_or_else(|_| Level::best()))
    }

    /// An error (22023) if the environment asks for a level that there is not.
    pub fn check() -> Result<()> {
        Level::asked(std::env::var(VARIABLE).ok().as_deref()).map(|_| ())
    }

    fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let bits = std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("popcnt");
            let wide = std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512vl")
                && std::is_x86_feature_detected!("avx512dq");
            if bits && wide {
                return Level::Avx512;
            }
            if bits && std::is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Portable
    }

    fn asked(name: Option<&str>) -> Result<Level> {
        let level = match name {
            None | Some("") => return Ok(Level::best()),
            Some("portable") => Level::Portable,
            Some("avx2") => Level::Avx2,
            Some("avx512") => Level::Avx512,
            Some(other) => {
                let message = format!("{VARIABLE} is {other:?}: it may be portable, avx2 or avx512");
                return Err(Error::new(ErrorKind::InvalidParameter, message));
            }
        };
        if level > Level::best() {
            let message = format!("{VARIABLE} asks for {level:?}, which this CPU does not have");
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        Ok(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_can_be_asked_for() {
        assert_eq!(Level::asked(None).unwrap(), Level::best());
        assert_eq!(Level::asked(Some("portable")).unwrap(), Level::Portable);
        let error = Level::asked(Some("neon")).unwrap_err();
        assert!(error.to_string().contains("neon"), "{error}");
        assert_eq!(Level::asked(Some("avx512")).is_ok(), Level::best() == Level::Avx512);
    }
}
