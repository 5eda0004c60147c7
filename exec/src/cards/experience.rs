//! What programs took, on the processors and on a card, and which of these the next run is better on.
//!
//! A program is known by what it does, whatever its literals are, over tables of about this size. Of each side the best recent time is
//! kept, from runs that neither brought columns to the card nor waited for code. A side that has not run yet has an estimate.
//!
//! The side of the shorter time runs, where two things may be said against it:
//!
//! * **The other one may be better.** Estimates err: where the two are within [`CLOSE`] of each other the side that was never measured
//!   is tried. Times change, too: the worse side is tried again, rarely, and the more rarely the worse it was.
//! * **Columns are not on the card.** To bring them takes time once, and nobody knows how often the program will run again. So
//!   it is compared with the runs that were left to the processors for that: after as many as would have paid for it the card gets
//!   its columns. Whoever changes tables between runs pays twice at most; and where columns had gone again before they had paid for
//!   themselves twice as many runs are awaited the next time.
//!
//! Nothing here looks at a clock, or rolls dice.

use super::rates::Estimate;
use crate::backend::Besides;
use rustc_hash::FxHashMap;

/// What a program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Processors,
    Card,
}

/// What is known of a side.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Seconds: the best of late.
    best: Option<f64>,
    /// The run of the program in which it ran last.
    last: u64,
    /// Runs that told nothing, since the last that did.
    untold: u32,
}

/// What is known of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// Until it has been measured.
    pub(crate) estimate: Estimate,
    processors: Known,
    card: Known,
    /// Runs so far.
    runs: u64,
    /// Runs that were left to the processors since columns were missing.
    waited: u32,
    /// What columns took to come to the card the last time, and what was gained there since then, in seconds; and how often they did
    /// not pay for themselves, as the number of times that they have to be worth it.
    paid: f64,
    gained: f64,
    wasted: f64,
    /// Bytes that came to the card in the last run there.
    uploaded: Option<u64>,
    /// What columns would take that are not there and were not brought either: no loop of the card reads them.
    unread: f64,
    used: u64,
}

/// Why a side was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reason {
    /// It is the faster one, as far as measured, or else estimated: seconds of processors and card.
    Faster { processors: Seconds, card: Seconds },
    /// To see whether it is the faster one.
    Trial { processors: Seconds, card: Seconds },
    /// The card would be faster, but its columns take so long to get there.
    Upload { card: Seconds, upload: f64 },
    /// Its code is being compiled.
    Compiling,
    /// A run on the card has told nothing for so many times that others are rarely tried.
    Untold,
}

/// Some seconds, measured or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seconds {
    pub(crate) of: f64,
    pub(crate) measured: bool,
}

/// What was said of a run when it began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) side: Side,
    pub(crate) reason: Reason,
    /// What columns take to come to the card now: all that are not there, and those of them that may be read there.
    pub(crate) missing: f64,
    pub(crate) upload: f64,
}

/// Times of two sides that are so many times apart are not tried against each other on an estimate.
const CLOSE: f64 = 4.0;

/// Runs after which the worse side is tried again: of sides that are about alike, of close ones, and of others.
const AGAIN: [(f64, u64); 3] = [(1.3, 128), (CLOSE, 1024), (f64::INFINITY, 1 << 15)];

/// Runs that may tell nothing before trials become rare: columns come in the first, and code of loops that read each other loop by loop.
const UNTOLD_MAX: u32 = 20;

/// A new time that is worse than the best counts so much of what lies between them.
const SLOWER: f64 = 1.0 / 8.0;

impl Known {
    fn seconds(&self, estimate: f64) -> Seconds {
        Seconds { of: self.best.unwrap_or(estimate), measured: self.best.is_some() }
    }

    fn tell(&mut self, seconds: f64) {
        self.untold = 0;
        self.best = Some(match self.best {
            Some(best) if best < seconds => best + (seconds - best) * SLOWER,
            _ => seconds,
        });
    }

    /// Whether another run may tell something, after those that did not.
    fn may_tell(&self, run: u64) -> bool {
        self.untold < UNTOLD_MAX || run >= self.last + (1 << self.untold.min(30))
    }
}

impl Program {
    /// The side that was better, if both have been measured.
    pub(crate) fn better(&self) -> Option<Side> {
        let (processors, card) = (self.processors.best?, self.card.best?);
        Some(if card < processors { Side::Card } else { Side::Processors })
    }

    /// On what it runs now, where columns take so many seconds to come to the card.
    pub(crate) fn decide(&self, missing: f64, is_compiling: bool) -> Decision {
        let (processors, card) =
            (self.processors.seconds(self.estimate.processors), self.card.seconds(self.estimate.card));
        let upload = (missing - self.unread).max(0.0);
        let decision = |side, reason| Decision { side, reason, missing, upload };
        let fee = upload * (1.0 + self.wasted) / (1.0 + f64::from(self.waited));
        let best = if card.of < processors.of { Side::Card } else { Side::Processors };
        let wants = match self.is_due(best, (processors, card)) {
            false => (best, Reason::Faster { processors, card }),
            true if best == Side::Card => (Side::Processors, Reason::Trial { processors, card }),
            true => (Side::Card, Reason::Trial { processors, card }),
        };
        let (Side::Card, reason) = wants else { return decision(wants.0, wants.1) };
        if is_compiling && !card.measured {
            return decision(Side::Processors, Reason::Compiling);
        }
        if !card.measured && !self.card.may_tell(self.runs) {
            return decision(Side::Processors, Reason::Untold);
        }
        // A trial gains nothing for certain: it may cost what a run does.
        let gain = if best == Side::Card { processors.of - card.of } else { processors.of };
        match upload > 0.0 && fee > gain {
            true => decision(Side::Processors, Reason::Upload { card, upload }),
            false => decision(Side::Card, reason),
        }
    }

    /// Whether the worse side is to be tried.
    fn is_due(&self, best: Side, (processors, card): (Seconds, Seconds)) -> bool {
        let (other, times) = match best {
            Side::Card => (&self.processors, processors.of / card.of),
            Side::Processors => (&self.card, card.of / processors.of),
        };
        // The better side is measured first, where it is a matter of one run.
        if other.best.is_none() {
            let is_measured = if best == Side::Card { card.measured } else { processors.measured };
            return is_measured && times < CLOSE && other.may_tell(self.runs);
        }
        let rare = AGAIN.into_iter().find(|(most, _)| times < *most).map_or(u64::MAX, |(_, runs)| runs);
        let tried = other.last.saturating_add(rare.saturating_mul(1 << other.untold.min(16)));
        processors.measured && card.measured && self.runs >= tried
    }

    /// A run has come to its end, after so many seconds; none if they tell nothing.
    pub(crate) fn learn(&mut self, decision: Decision, seconds: Option<f64>, besides: Besides) {
        self.runs += 1;
        if decision.side == Side::Processors {
            self.waited = self.waited.saturating_add(u32::from(matches!(decision.reason, Reason::Upload { .. })));
            self.processors.last = self.runs;
            self.processors.untold += 1;
            if let Some(seconds) = seconds {
                self.processors.tell(seconds);
            }
            return;
        }
        // What comes in each run, since processors make it or the card has no room, is the program's way.
        let comes_each_time = self.uploaded.is_some_and(|before| besides.uploaded <= before + before / 8);
        let is_settled = besides.missed == 0 && (besides.uploaded == 0 || comes_each_time);
        if is_settled {
            self.unread = decision.missing;
        }
        self.uploaded = Some(besides.uploaded);
        self.card.last = self.runs;
        self.card.untold += 1;
        if let Some(seconds) = seconds.filter(|_| is_settled) {
            self.card.tell(seconds);
        }
        self.account(decision.upload);
    }

    /// Whether columns have paid for themselves, which had to come to the card in this run if that took time.
    fn account(&mut self, upload: f64) {
        self.waited = 0;
        let processors = self.processors.seconds(self.estimate.processors).of;
        match (self.card.best, upload > 0.0) {
            // Until the card has shown what it takes, others of the columns come with each loop whose code is there.
            (None, _) => self.paid += upload,
            (Some(_), true) => {
                let is_waste = self.gained < self.paid;
                self.wasted = if is_waste { (self.wasted * 2.0 + 1.0).min(15.0) } else { 0.0 };
                (self.paid, self.gained) = (upload, 0.0);
            }
            (Some(card), false) => self.gained += (processors - card).max(0.0),
        }
    }
}

/// What is known of programs: of so many, those that ran last.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    programs: FxHashMap<u64, Program>,
    clock: u64,
}

/// Programs that are known, at most.
const PROGRAMS_MAX: usize = 1 << 10;

impl Experience {
    /// A program, if it is known.
    pub(crate) fn get(&mut self, key: u64) -> Option<&mut Program> {
        self.clock += 1;
        let clock = self.clock;
        let program = self.programs.get_mut(&key)?;
        program.used = clock;
        Some(program)
    }

    /// A program, with its estimate if it is new; the one that ran the longest time ago goes for it.
    pub(crate) fn put(&mut self, key: u64, estimate: Estimate) -> &mut Program {
        if self.programs.len() >= PROGRAMS_MAX && !self.programs.contains_key(&key) {
            let oldest = self.programs.iter().min_by_key(|(_, program)| program.used).map(|(key, _)| *key);
            oldest.map(|oldest| self.programs.remove(&oldest));
        }
        self.clock += 1;
        let program = self.programs.entry(key).or_insert_with(|| Program { estimate, ..Program::default() });
        program.used = self.clock;
        program
    }
}

#[cfg(test)]
#[path = "experience_tests.rs"]
mod tests;
