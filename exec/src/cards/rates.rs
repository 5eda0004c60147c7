//! How fast this machine's processors and a card are at loops: measured (`multiloop gpu --calibrate`), or as one was that somebody had.
//!
//! A loop takes some time whatever it reads, and more for the bytes of its outermost rows. What it does with them beyond that nobody knows
//! before it has run: an estimate is good to tell milliseconds from tenths of them, and no better. Measured rates are kept in a file for
//! each card, a line a number.

use crate::plan::placement::Work;
use std::path::PathBuf;
use std::time::Duration;

/// Seconds that a loop takes, and bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Seconds of a loop of few rows on the processors, and on the card.
    pub loop_on_processors: f64,
    /// The same on the card.
    pub loop_on_card: f64,
    /// Bytes a second of a loop that adds up what it reads, for each worker of the processors.
    pub bytes_of_worker: f64,
    /// The same of the card.
    pub bytes_of_card: f64,
    /// Bytes a second that come to the card.
    pub bytes_uploaded: f64,
}

impl Default for Rates {
    /// Those of an H200 beside 16 cores.
    fn default() -> Self {
        Rates {
            loop_on_processors: 0.2e-3,
            loop_on_card: 0.25e-3,
            bytes_of_worker: 12e9,
            bytes_of_card: 3e12,
            bytes_uploaded: 20e9,
        }
    }
}

/// Beyond adding up what they read loops of queries ask, compare, and group: so many times the time, about.
const BEYOND_ON_PROCESSORS: f64 = 3.0;
const BEYOND_ON_CARD: f64 = 4.0;

/// Seconds that a program takes, about: what its loops do, and what has to come to the card before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) processors: f64,
    pub(crate) card: f64,
}

/// The names of the numbers in a file.
const NAMES: [&str; 5] = ["loop_on_processors", "loop_on_card", "bytes_of_worker", "bytes_of_card", "bytes_uploaded"];

impl Rates {
    fn numbers(&mut self) -> [&mut f64; 5] {
        let Rates { loop_on_processors, loop_on_card, bytes_of_worker, bytes_of_card, bytes_uploaded } = self;
        [loop_on_processors, loop_on_card, bytes_of_worker, bytes_of_card, bytes_uploaded]
    }

    /// Loops on so many workers of the processors.
    pub(crate) fn on_processors(&self, work: Work, workers: usize) -> f64 {
        let rate = self.bytes_of_worker * workers.max(1) as f64 / BEYOND_ON_PROCESSORS;
        work.loops as f64 * self.loop_on_processors + work.bytes as f64 / rate
    }

    /// Loops on the card.
    pub(crate) fn on_card(&self, work: Work) -> f64 {
        work.loops as f64 * self.loop_on_card + work.bytes as f64 / (self.bytes_of_card / BEYOND_ON_CARD)
    }

    /// What bytes take to come to the card.
    pub(crate) fn upload(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bytes_uploaded
    }

    /// As a file has them; none if one is missing, or no number that can be.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rates = Rates::default();
        for (name, to) in NAMES.into_iter().zip(rates.numbers()) {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
            *to = line.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?;
        }
        Some(rates)
    }

    /// As a file.
    pub(crate) fn text(mut self) -> String {
        NAMES.into_iter().zip(self.numbers()).map(|(name, number)| format!("{name} {number:e}\n")).collect()
    }

    /// Those that were measured of a card of this name.
    pub fn of_card(name: &str) -> Option<Self> {
        Rates::parse(&std::fs::read_to_string(file(name)?).ok()?)
    }

    /// Keeps them for a card of this name; gives the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep(self, name: &str) -> std::io::Result<PathBuf> {
        let path = file(name).ok_or_else(|| std::io::Error::other("there is no folder for it"))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Whole or not at all: engines that start read it.
        let own = path.with_extension(format!("{}", std::process::id()));
        std::fs::write(&own, self.text())?;
        std::fs::rename(&own, &path)?;
        Ok(path)
    }

    /// For people.
    pub fn about(&self) -> String {
        let milliseconds = |seconds: f64| Duration::from_secs_f64(seconds).as_secs_f64() * 1e3;
        let gigabytes = |bytes: f64| bytes / 1e9;
        format!(
            "a loop takes {:.3} ms, {:.3} on the processors; scans {:.0} GB/s, a worker {:.1}; uploads {:.1} GB/s",
            milliseconds(self.loop_on_card),
            milliseconds(self.loop_on_processors),
            gigabytes(self.bytes_of_card),
            gigabytes(self.bytes_of_worker),
            gigabytes(self.bytes_uploaded),
        )
    }
}

/// Where the rates of a card are, or would be.
fn file(name: &str) -> Option<PathBuf> {
    let plain = |of: char| if of.is_ascii_alphanumeric() { of.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(plain).collect();
    Some(folder()?.join(format!("rates-{name}.txt")))
}

/// Beside compiled code.
fn folder() -> Option<PathBuf> {
    #[cfg(feature = "gpu")]
    return crate::gpu::driver::disk::folder();
    #[cfg(not(feature = "gpu"))]
    None
}

#[cfg(test)]
mod tests {
    use super::Rates;
    use crate::plan::placement::Work;

    #[test]
    fn files_give_what_was_kept() {
        let rates = Rates { loop_on_card: 1.25e-4, bytes_of_card: 2.5e12, ..Rates::default() };
        assert_eq!(Rates::parse(&rates.text()), Some(rates));
        assert_eq!(Rates::parse(&rates.text().replace("loop_on_card", "loop")), None);
        assert_eq!(Rates::parse(&rates.text().replace("1.25e-4", "0")), None);
        assert_eq!(Rates::parse(&rates.text().replace("1.25e-4", "NaN")), None);
        assert_eq!(Rates::parse(""), None);
    }

    #[test]
    fn estimates_grow_with_loops_and_bytes() {
        let rates = Rates::default();
        let (few, many) = (Work { loops: 5, bytes: 1 << 20 }, Work { loops: 5, bytes: 1 << 33 });
        assert!(rates.on_processors(few, 16) < rates.on_card(few));
        assert!(rates.on_processors(many, 16) > rates.on_card(many) * 4.0);
        assert!(rates.on_processors(many, 1) > rates.on_processors(many, 16) * 10.0);
        assert!(rates.on_card(Work { loops: 9, ..few }) > rates.on_card(few));
    }
}
